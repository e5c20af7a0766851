package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

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
    /// A page of the ids of all the tenant's users, in their order.
    ///
    /// - Parameters:
    ///   - last: The last id of the page before; nil for the first page.
    ///   - limit: At most this many, 1 or more.
    package func userIDs(
        in tenant: TenantID, after last: UserID?, limit: Int
    ) async throws(StoreError) -> [UserID] {
        let condition = last == nil ? "" : "AND id > ?"
        let values: [any StoredValue & Sendable] = [tenant] + (last.map { [$0] } ?? []) + [limit]
        return try await read { session in
            try session.rows(
                of: "users", "SELECT id FROM users WHERE tenant = ? \(condition) ORDER BY id LIMIT ?", values
            ).get().map { try $0.value("id") }
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
