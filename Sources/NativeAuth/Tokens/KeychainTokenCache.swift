#if canImport(Security)
    public import Foundation
    import NativeAuthCore
    import Security

    /// Keeps sessions in the Keychain: one generic password for each account, readable after the first unlock, on this device
    /// only, never synchronised, in the data-protection Keychain on macOS too (`SDK-STO-1`).
    ///
    /// Calls of one process exclude each other; those of several, which an access group allows, do not: the last one to write
    /// an account wins. This type is not tested on every release, because the tests of this package run where there is no
    /// Keychain.
    public struct KeychainTokenCache: TokenCache {
        private static let turn = Locked(())
        private let accessGroup: String?

        /// - Parameter accessGroup: Shares the items among the apps of this group; nil for this app alone.
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
                        try replace(name, of: application, by: items[name])
                    }
                    return .success(result)
                } catch {
                    return .failure(error)
                }
            }.get()
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
            for item in found as? [[CFString: Any]] ?? [] {
                guard let name = item[kSecAttrAccount] as? String, let data = item[kSecValueData] as? Data else {
                    continue
                }
                items[name] = data
            }
            return items
        }

        private func replace(_ name: String, of application: String, by data: Data?) throws(TokenCacheError) {
            let item = query(application, [kSecAttrAccount: name])
            guard let data else {
                let status = SecItemDelete(item)
                return try check(status == errSecItemNotFound ? errSecSuccess : status)
            }
            let content: [CFString: Any] = [
                kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let status = SecItemUpdate(item, content as CFDictionary)
            guard status == errSecItemNotFound else { return try check(status) }
            try check(
                SecItemAdd(query(application, content.merging([kSecAttrAccount: name]) { $1 }), nil))
        }

        private func check(_ status: OSStatus) throws(TokenCacheError) {
            guard status != errSecMissingEntitlement else { throw .missingEntitlement("keychain-access-groups") }
            guard status == errSecSuccess else { throw .keychain(status) }
        }
    }
#endif
