package import IdentityEngine
package import PortableFoundation

/// The profile of the servers that a database belongs to (`SEC-PRF-1`).
package enum DatabaseProfile: String, Hashable, Sendable, StoredValue {
    /// Codes were visible, and limits may have been off: an account proves nothing about a mailbox.
    case development
    case production
}

extension SQLStore {
    /// Stores the profile of the server that uses the database, unless an earlier server has stored one. The stored
    /// profile never changes, and is part of backups.
    ///
    /// - Returns: The stored profile.
    package func mark(_ profile: DatabaseProfile, at now: Date) async throws(StoreError) -> DatabaseProfile {
        try await write([.profile]) { session in
            let marks = try session.rows(of: "profile_mark", "SELECT profile FROM profile_mark", []).get()
            if let mark = marks.first { return try mark.value("profile") }
            try session.run("INSERT INTO profile_mark (id, profile, marked_at) VALUES (1, ?, ?)", [profile, now])
            return profile
        }
    }
}
