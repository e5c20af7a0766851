package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

/// The users that an operator asks for; nil members choose all.
package struct UserFilter: Hashable, Sendable {
    /// The beginning of the e-mail address; letter case does not count.
    package var emailPrefix: String?
    /// Only users who are disabled, or only those who are not.
    package var isDisabled: Bool?
    package var createdSince: Date?

    package init(emailPrefix: String? = nil, isDisabled: Bool? = nil, createdSince: Date? = nil) {
        self.emailPrefix = emailPrefix
        self.isDisabled = isDisabled
        self.createdSince = createdSince
    }
}

/// The mark of a user who was deleted, which names the user to a server with the master key only.
package struct DeletionMark: Hashable, Sendable {
    package var tenant: TenantID
    /// A keyed digest of the user's id, 32 bytes.
    package var mark: Data
    package var deletedAt: Date

    package init(tenant: TenantID, mark: Data, deletedAt: Date) {
        self.tenant = tenant
        self.mark = mark
        self.deletedAt = deletedAt
    }
}

// What only the commands of an operator ask.
extension SQLStore {
    /// A page of the tenant's users, in the order of their ids.
    ///
    /// - Parameters:
    ///   - last: The last id of the page before; nil for the first page.
    ///   - limit: At most this many, 1 or more.
    package func userIDs(
        in tenant: TenantID, matching filter: UserFilter = UserFilter(), after last: UserID? = nil, limit: Int
    ) async throws(StoreError) -> [UserID] {
        var conditions = ["tenant = ?"]
        var values: [any StoredValue & Sendable] = [tenant]
        if let last {
            conditions.append("id > ?")
            values.append(last)
        }
        if let isDisabled = filter.isDisabled { conditions.append("disabled_at IS \(isDisabled ? "NOT " : "")NULL") }
        if let since = filter.createdSince {
            conditions.append("created_at >= ?")
            values.append(since)
        }
        if let prefix = filter.emailPrefix, !prefix.isEmpty {
            // A key is ASCII in lower case, so no byte of it reaches 0xFF.
            let key = Data(prefix.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
            conditions.append(
                #"id IN (SELECT "user" FROM identifiers WHERE tenant = ? AND kind = ? AND key >= ? AND key < ?)"#)
            values += [tenant, LoginIdentifier.Kind.email, key, key + [0xFF]]
        }
        values.append(limit)
        let (condition, all) = (conditions.joined(separator: " AND "), values)
        return try await read { session in
            try session.rows(of: "users", "SELECT id FROM users WHERE \(condition) ORDER BY id LIMIT ?", all).get()
                .map { try $0.value("id") }
        }
    }

    /// The accounts with these ids, in the same order, without those that are gone.
    package func accounts(_ ids: [UserID], in tenant: TenantID) async throws(StoreError) -> [UserAccount] {
        try await read { session in
            // The statements for 50 accounts are sent together.
            try stride(from: 0, to: ids.count, by: 50).flatMap { start in
                let pending = try ids[start..<min(start + 50, ids.count)].map {
                    try session.account("?", [$0], in: tenant, locking: "")
                }
                return try pending.compactMap { try $0.get() }
            }
        }
    }

    /// A page of the marks of deleted users of all tenants.
    ///
    /// - Parameter last: The last mark of the page before; nil for the first page.
    package func deletions(after last: DeletionMark?, limit: Int) async throws(StoreError) -> [DeletionMark] {
        let condition = last == nil ? "" : "WHERE tenant > ? OR (tenant = ? AND mark > ?)"
        let values: [any StoredValue & Sendable] = last.map { [$0.tenant, $0.tenant, $0.mark] } ?? []
        return try await read { session in
            try session.rows(
                of: "deletions",
                "SELECT tenant, mark, deleted_at FROM deletions \(condition) ORDER BY tenant, mark LIMIT ?",
                values + [limit]
            ).get().map {
                DeletionMark(
                    tenant: try $0.value("tenant"), mark: try $0.value("mark"),
                    deletedAt: try $0.value("deleted_at"))
            }
        }
    }

    /// Remembers the marks that are not known yet.
    package func remember(_ deletions: [DeletionMark]) async throws(StoreError) {
        try await write([]) { session in
            for deletion in deletions {
                try session.run(
                    """
                    INSERT INTO deletions (tenant, mark, deleted_at) VALUES (?, ?, ?)
                    ON CONFLICT (tenant, mark) DO NOTHING
                    """, [deletion.tenant, deletion.mark, deletion.deletedAt])
            }
        }
    }
}
