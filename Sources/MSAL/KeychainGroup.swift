#if canImport(Security)
    import Foundation
    import Security

    extension MSALCacheConfig {
        /// ``keychainSharingGroup`` as the Keychain wants it, with the prefix of the team; nil for the app's default group. As
        /// it stands when the Keychain does not tell the prefix: then the first use of the cache reports what is wrong.
        var accessGroup: String? {
            let group = keychainSharingGroup
            guard !group.isEmpty, group != Bundle.main.bundleIdentifier else { return nil }
            guard let team = Self.team, !group.hasPrefix("\(team).") else { return group }
            return "\(team).\(group)"
        }

        /// The first label of the group that an item without one gets: the team, before the dot. There is no other way to ask
        /// for it on every system.
        private static var team: String? {
            let probe =
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: "swift-native-auth", kSecAttrAccount: "team",
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                    kSecAttrSynchronizable: false, kSecUseDataProtectionKeychain: true, kSecReturnAttributes: true,
                ] as [CFString: Any] as CFDictionary
            var found: CFTypeRef?
            var status = SecItemCopyMatching(probe, &found)
            if status == errSecItemNotFound { status = SecItemAdd(probe, &found) }
            guard status == errSecSuccess, let attributes = found as? [String: Any],
                let group = attributes[kSecAttrAccessGroup as String] as? String
            else { return nil }
            return group.split(separator: ".").first.map(String.init)
        }
    }
#endif
