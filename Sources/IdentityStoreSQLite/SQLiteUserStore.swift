import GRDB
package import IdentityEngine
package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SQLiteStore: UserStore {
    package func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        try await read { try $0.account(id, in: tenant) }
    }

    package func account(
        named key: LoginIdentifier.Key, in tenant: TenantID
    ) async throws(StoreError) -> UserAccount? {
        try await read { db in
            try db.account(
                where: "u.id = (SELECT user FROM identifiers WHERE tenant = u.tenant AND key = ?)", key, in: tenant)
        }
    }

    package func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool {
        try await read { db in
            try !db.rows(
                of: "known_networks",
                "SELECT 1 FROM known_networks WHERE tenant = ? AND user = ? AND network = ? AND last_at >= ?",
                [tenant, user, network, since]
            ).isEmpty
        }
    }

    package func setDisabled(
        _ date: Date?, _ id: UserID, in tenant: TenantID, event: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await writer.write { db in
            if let date {
                let count = try db.run(
                    """
                    UPDATE users SET disabled_at = ?, credential_version = credential_version + 1, credentials_changed_at = ?
                    WHERE tenant = ? AND id = ?
                    """, [date, date, tenant, id])
                guard count == 1 else { return false }
                try db.revokeRefreshFamilies(of: id, in: tenant, at: date)
            } else {
                let count = try db.run(
                    "UPDATE users SET disabled_at = NULL WHERE tenant = ? AND id = ?", [tenant, id])
                guard count == 1 else { return false }
            }
            try db.insert(event)
            return true
        }
    }

    package func forgetStrongMethods(
        of id: UserID, in tenant: TenantID, at date: Date, event: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await writer.write { db in
            let count = try db.run(
                """
                UPDATE users SET credential_version = credential_version + 1, credentials_changed_at = ?
                WHERE tenant = ? AND id = ?
                """, [date, tenant, id])
            guard count == 1 else { return false }
            try db.run("DELETE FROM strong_methods WHERE tenant = ? AND user = ?", [tenant, id])
            try db.revokeRefreshFamilies(of: id, in: tenant, at: date)
            try db.insert(event)
            return true
        }
    }

    package func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User? {
        try await account(id, in: tenant)?.user
    }

    package func taken(
        _ keys: [LoginIdentifier.Key], in tenant: TenantID
    ) async throws(StoreError) -> Set<LoginIdentifier.Key> {
        try await read { try $0.taken(keys, in: tenant) }
    }

    package func countUsers(in tenant: TenantID) async throws(StoreError) -> Int {
        try await read { db in
            let rows = try db.rows(of: "users", "SELECT COUNT(*) AS count FROM users WHERE tenant = ?", [tenant])
            return try rows.first?.value("count") ?? 0
        }
    }
}

extension Database {
    func taken(_ keys: [LoginIdentifier.Key], in tenant: TenantID) throws -> Set<LoginIdentifier.Key> {
        guard !keys.isEmpty else { return [] }
        let found = try rows(
            of: "identifiers",
            "SELECT key FROM identifiers WHERE tenant = ? AND key IN (\(Self.placeholders(keys)))", [tenant] + keys)
        return Set(try found.map { try $0.value("key") })
    }

    func insert(_ user: NewUser) throws {
        try run(
            """
            INSERT INTO users (tenant, id, client, password_hash, created_at, credentials_changed_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [user.tenant, user.id, user.client, user.passwordHash?.phc, user.createdAt, user.createdAt])
        for identifier in user.identifiers {
            // The address was proven by the code that the flow mailed to it; an alias is merely chosen.
            let isProven = identifier.kind == .email
            try run(
                "INSERT INTO identifiers (tenant, key, kind, display, user, proven_at, proof) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    user.tenant, identifier.key, identifier.kind, identifier.display, user.id,
                    isProven ? user.createdAt : nil, isProven ? "email one-time passcode" : nil,
                ])
        }
        for (name, value) in user.attributes {
            try run(
                "INSERT INTO attributes (tenant, user, name, type, value) VALUES (?, ?, ?, ?, ?)",
                [user.tenant, user.id, name, value.typeName, value])
        }
    }

    /// The version goes up, so that what was begun under the old password has ended (`SEC-CT-9`).
    func changePassword(of user: UserID, in tenant: TenantID, to hash: PasswordHash, at date: Date) throws {
        let count = try run(
            """
            UPDATE users SET password_hash = ?, credential_version = credential_version + 1, credentials_changed_at = ?
            WHERE tenant = ? AND id = ?
            """, [hash.phc, date, tenant, user])
        guard count == 1 else { throw SQLiteFailure.rowLost }
    }

    /// A method with the same address gives way, its id too.
    func insert(_ method: StrongMethod, of user: UserID, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO strong_methods (tenant, user, id, email, key, proven_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant, user, key)
            DO UPDATE SET id = excluded.id, email = excluded.email, proven_at = excluded.proven_at
            """, [tenant, user, method.id, method.email, method.email.key, method.provenAt])
    }

    /// Keeps the 20 newest networks of the user (`SEC-LOCK-3`).
    func remember(_ network: Data, of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            """
            INSERT INTO known_networks (tenant, user, network, last_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant, user, network) DO UPDATE SET last_at = MAX(last_at, excluded.last_at)
            """, [tenant, user, network, date])
        try run(
            """
            DELETE FROM known_networks WHERE tenant = ?1 AND user = ?2 AND network IN
                (SELECT network FROM known_networks WHERE tenant = ?1 AND user = ?2 ORDER BY last_at DESC LIMIT -1 OFFSET 20)
            """, [tenant, user])
    }

    func account(_ id: UserID, in tenant: TenantID) throws -> UserAccount? {
        try account(where: "u.id = ?", id, in: tenant)
    }

    /// The one user `u` of the tenant for whom `condition` holds, `value` in the place of its question mark.
    fileprivate func account(
        where condition: String, _ value: any StoredValue, in tenant: TenantID
    ) throws -> UserAccount? {
        // The user's own columns stand in each row. A user without any identifier still gives one, whose kind is NULL. The
        // index is named because SQLite, which takes a tenant for small, would read all identifiers of the tenant instead.
        let found = try rows(
            of: "users",
            """
            SELECT u.id, u.password_hash, u.created_at, u.credential_version, u.credentials_changed_at, u.disabled_at,
                i.kind, i.display
            FROM users AS u
            LEFT JOIN identifiers AS i INDEXED BY identifiers_by_user ON i.tenant = u.tenant AND i.user = u.id
            WHERE u.tenant = ? AND \(condition)
            """, [tenant, value])
        guard let row = found.first else { return nil }

        let id: UserID = try row.value("id")
        let names = Dictionary(
            try found.map { row in
                let identifier = StoredRow(table: "identifiers", row: row.row)
                return (
                    try identifier.value("kind", as: LoginIdentifier.Kind.self),
                    try identifier.value("display", as: String.self)
                )
            },
            uniquingKeysWith: { first, _ in first })
        guard let email = names[.email] else { throw StoreError.corrupt("identifiers") }

        let passwordHash = try row.value("password_hash", as: String?.self).map { PasswordHash(phc: $0) }
        let user = User(
            id: id, tenant: tenant, email: email, alias: names[.alias], hasPassword: passwordHash != nil,
            attributes: try attributes(of: id, in: tenant), createdAt: try row.value("created_at"))
        return UserAccount(
            user: user, passwordHash: passwordHash, credentialVersion: try row.value("credential_version"),
            credentialsChangedAt: try row.value("credentials_changed_at"), disabledAt: try row.value("disabled_at"),
            strongMethods: try strongMethods(of: id, in: tenant))
    }

    private func attributes(of user: UserID, in tenant: TenantID) throws -> [String: AttributeValue] {
        let found = try rows(
            of: "attributes", "SELECT name, type, value FROM attributes WHERE tenant = ? AND user = ?", [tenant, user])
        return Dictionary(
            uniqueKeysWithValues: try found.map { row in
                let value: AttributeValue = try row.value("value")
                guard try row.value("type") == value.typeName else { throw StoreError.corrupt("attributes") }
                return (try row.value("name", as: String.self), value)
            })
    }

    private func strongMethods(of user: UserID, in tenant: TenantID) throws -> [StrongMethod] {
        try rows(
            of: "strong_methods",
            "SELECT id, email, proven_at FROM strong_methods WHERE tenant = ? AND user = ? ORDER BY proven_at, id",
            [tenant, user]
        ).map { row in
            StrongMethod(
                id: try row.value("id"), email: try row.value("email"), provenAt: try row.value("proven_at"))
        }
    }
}
