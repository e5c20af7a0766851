#if canImport(Security)
    import Foundation
    import Security

    extension MSALCacheConfig {
        /// ``keychainSharingGroup`` in the form of the Keychain, with the team prefix; nil for the app's default group.
        /// Unchanged when the Keychain does not state the prefix: then the first use of the cache reports the fault.
        var accessGroup: String? {
            let group = keychainSharingGroup
            guard !group.isEmpty, group != Bundle.main.bundleIdentifier else { return nil }
            guard let team = Self.team, !group.hasPrefix("\(team).") else { return group }
            return "\(team).\(group)"
        }

        /// The first label of the group that an item without a group gets: the team prefix, before the dot. No other
        /// way to read it works on every system.
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
