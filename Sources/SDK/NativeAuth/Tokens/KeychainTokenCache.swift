#if canImport(Security)
    public import Foundation
    import NativeAuthCore
    import Security

    /// Keeps sessions in the Keychain: one generic password for each account, readable after the first unlock, on this
    /// device only, never synchronised, also on macOS in the data-protection Keychain (`SDK-STO-1`).
    ///
    /// Calls of one process run one after another. Calls of several processes, which an access group allows, do not:
    /// the last write of an account wins, except that an account that another process has signed out meanwhile stays
    /// signed out. This type is not tested on every release, because the tests of this package run on systems without a
    /// Keychain.
    public struct KeychainTokenCache: TokenCache {
        private static let turn = Locked(())
        private static let turns = Turns()
        private let accessGroup: String?

        /// - Parameter accessGroup: The group whose apps share the items, which the app's entitlements must list; with
        ///   the team's prefix, as in `ABCDE12345.com.example.shared`. Nil for the app's default group: the first of
        ///   its entitlement `keychain-access-groups`, or its own.
        public init(accessGroup: String? = nil) {
            self.accessGroup = accessGroup
        }

        /// - Throws: ``TokenCacheError/missingEntitlement(_:)`` or ``TokenCacheError/keychain(_:)``.
        public func withItems<Result: Sendable>(
            of application: String, _ body: (inout [String: Data]) -> Result
        ) throws(TokenCacheError) -> Result {
            try Self.turn.withLock { _ -> Swift.Result<Result, TokenCacheError> in
                do throws(TokenCacheError) {
                    let before = try items(of: application)
                    var items = before
                    let result = body(&items)
                    for name in Set(before.keys).union(items.keys) where before[name] != items[name] {
                        try keep(items[name], as: name, of: application, replacing: before[name])
                    }
                    return .success(result)
                } catch {
                    return .failure(error)
                }
            }.get()
        }

        public func renewing<Result: Sendable>(
            _ item: String, of application: String, _ renewal: @Sendable () async -> Result
        ) async -> Result {
            await Self.turns.one(of: "\(application)|\(item)", renewal)
        }

        private func query(_ application: String, _ more: [CFString: Any]) -> CFDictionary {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "swift-native-auth|\(application)",
                kSecAttrSynchronizable: false, kSecUseDataProtectionKeychain: true,
            ]
            query[kSecAttrAccessGroup] = accessGroup
            return query.merging(more) { $1 } as CFDictionary
        }

        private func items(of application: String) throws(TokenCacheError) -> [String: Data] {
            var found: CFTypeRef?
            let status = SecItemCopyMatching(
                query(
                    application,
                    [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true]), &found)
            guard status != errSecItemNotFound else { return [:] }
            try check(status)
            var items: [String: Data] = [:]
            for item in found as? [[String: Any]] ?? [] {
                guard let name = item[kSecAttrAccount as String] as? String,
                    let data = item[kSecValueData as String] as? Data
                else { continue }
                items[name] = data
            }
            return items
        }

        /// Adds new items, and changes only items that still exist: an item that has disappeared since it was read was
        /// signed out by another process, and stays signed out.
        private func keep(
            _ data: Data?, as name: String, of application: String, replacing before: Data?
        ) throws(TokenCacheError) {
            let item = query(application, [kSecAttrAccount: name])
            guard let data else { return try check(SecItemDelete(item), orGone: true) }
            let content: [CFString: Any] = [
                kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            if before == nil {
                let status = SecItemAdd(query(application, content.merging([kSecAttrAccount: name]) { $1 }), nil)
                guard status == errSecDuplicateItem else { return try check(status) }
                // Another process has signed the same user in meanwhile.
            }
            try check(SecItemUpdate(item, content as CFDictionary), orGone: true)
        }

        private func check(_ status: OSStatus, orGone: Bool = false) throws(TokenCacheError) {
            if orGone && status == errSecItemNotFound { return }
            guard status != errSecMissingEntitlement else { throw .missingEntitlement("keychain-access-groups") }
            guard status == errSecSuccess else { throw .keychain(status) }
        }
    }
#endif
