package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func groups(in tenant: TenantID) async throws(StoreError) -> [UserGroup] {
        try await read { session in
            let rows = try session.rows(
                of: "user_groups",
                """
                SELECT id, display_name, description, created_at FROM user_groups WHERE tenant = ?
                ORDER BY id
                """, [tenant])
            // The databases have other orders of texts than each other.
            return try rows.get().map(Self.group).sorted { ($0.displayName, $0.id.text) < ($1.displayName, $1.id.text) }
        }
    }

    package func groups(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [UserGroup] {
        try await read { session in
            let rows = try session.rows(
                of: "group_members",
                """
                SELECT user_groups.id, display_name, description, created_at FROM group_members
                JOIN user_groups ON user_groups.tenant = group_members.tenant AND user_groups.id = group_members.group_id
                WHERE group_members.tenant = ? AND group_members."user" = ? ORDER BY user_groups.id
                """, [tenant, user])
            return try rows.get().map(Self.group)
        }
    }

    private static func group(_ row: StoredRow) throws -> UserGroup {
        UserGroup(
            id: try row.value("id"), displayName: try row.value("display_name"),
            description: try row.value("description"), createdAt: try row.value("created_at"))
    }

    package func members(
        of group: UUID, after user: UserID?, limit: Int, in tenant: TenantID
    ) async throws(StoreError) -> [UserID] {
        try await read { session in
            let after = user ?? UserID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
            let rows = try session.rows(
                of: "group_members",
                """
                SELECT group_members."user" FROM group_members
                JOIN users ON users.tenant = group_members.tenant AND users.id = group_members."user"
                WHERE group_members.tenant = ? AND group_members.group_id = ? AND group_members."user" > ?
                    AND users.deleted_at IS NULL
                ORDER BY group_members."user" LIMIT \(limit)
                """, [tenant, group, after])
            return try rows.get().map { try $0.value("user") }
        }
    }

    package func change(
        _ change: GroupChange, in tenant: TenantID, recording event: AuditEvent
    ) async throws(StoreError) -> GroupChangeResult {
        try await write([.groups(tenant)]) { session in
            let result = try session.make(change, in: tenant)
            if result == .done { try session.insert(event) }
            return result
        }
    }
}

extension SQLSession {
    fileprivate func make(_ change: GroupChange, in tenant: TenantID) throws -> GroupChangeResult {
        switch change {
        case .create(let group):
            let count = try number("SELECT COUNT(*) AS count FROM user_groups WHERE tenant = ?", [tenant])
            guard count < UserGroup.maximumCount else { return .full }
            try run(
                "INSERT INTO user_groups (tenant, id, display_name, description, created_at) VALUES (?, ?, ?, ?, ?)",
                [tenant, group.id, group.displayName, group.description, group.createdAt], expecting: 1)
            return .done
        case .edit(let id, let displayName, let description):
            let changed = try self.change(
                """
                UPDATE user_groups SET display_name = COALESCE(?, display_name), description = COALESCE(?, description)
                WHERE tenant = ? AND id = ?
                """, [displayName, description, tenant, id])
            return changed == 1 ? .done : .notFound
        case .delete(let id):
            let removed = try self.change("DELETE FROM user_groups WHERE tenant = ? AND id = ?", [tenant, id])
            return removed == 1 ? .done : .notFound
        case .add(let user, let id):
            let groups = try number(
                "SELECT COUNT(*) AS count FROM user_groups WHERE tenant = ? AND id = ?", [tenant, id])
            let users = try number(
                "SELECT COUNT(*) AS count FROM users WHERE tenant = ? AND id = ? AND deleted_at IS NULL",
                [tenant, user])
            guard groups == 1, users == 1 else { return .notFound }
            let isMember = try number(
                #"SELECT COUNT(*) AS count FROM group_members WHERE tenant = ? AND group_id = ? AND "user" = ?"#,
                [tenant, id, user])
            guard isMember == 0 else { return .unchanged }
            let count = try number(
                #"SELECT COUNT(*) AS count FROM group_members WHERE tenant = ? AND "user" = ?"#, [tenant, user])
            guard count < UserGroup.maximumPerUser else { return .full }
            try run(
                #"INSERT INTO group_members (tenant, group_id, "user") VALUES (?, ?, ?)"#, [tenant, id, user],
                expecting: 1)
            return .done
        case .remove(let user, let id):
            let removed = try self.change(
                #"DELETE FROM group_members WHERE tenant = ? AND group_id = ? AND "user" = ?"#, [tenant, id, user])
            return removed == 1 ? .done : .notFound
        }
    }

    private func number(_ sql: String, _ values: [any StoredValue]) throws -> Int {
        try rows(of: "user_groups", sql, values).get().first?.value("count") ?? 0
    }
}
