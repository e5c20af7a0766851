import GRDB
package import IdentityEngine
package import NativeAuthCore

extension SQLiteStore: UserStore {
    package func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User? {
        try await read { try $0.user(id, in: tenant) }
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
        Set(
            try keys.filter { key in
                try !rows(of: "identifiers", "SELECT 1 FROM identifiers WHERE tenant = ? AND key = ?", [tenant, key])
                    .isEmpty
            })
    }

    func insert(_ user: NewUser) throws {
        try run(
            "INSERT INTO users (tenant, id, client, password_hash, created_at) VALUES (?, ?, ?, ?, ?)",
            [user.tenant, user.id, user.client, user.passwordHash?.phc, user.createdAt])
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

    fileprivate func user(_ id: UserID, in tenant: TenantID) throws -> User? {
        let found = try rows(
            of: "users", "SELECT password_hash, created_at FROM users WHERE tenant = ? AND id = ?", [tenant, id])
        guard let row = found.first else { return nil }

        let identifiers = try rows(
            of: "identifiers", "SELECT kind, display FROM identifiers WHERE tenant = ? AND user = ?", [tenant, id])
        let names = Dictionary(
            try identifiers.map {
                (try $0.value("kind", as: LoginIdentifier.Kind.self), try $0.value("display", as: String.self))
            },
            uniquingKeysWith: { first, _ in first })
        guard let email = names[.email] else { throw StoreError.corrupt("identifiers") }

        let attributes = try rows(
            of: "attributes", "SELECT name, type, value FROM attributes WHERE tenant = ? AND user = ?", [tenant, id])
        return User(
            id: id, tenant: tenant, email: email, alias: names[.alias],
            hasPassword: try row.value("password_hash", as: String?.self) != nil,
            attributes: Dictionary(
                uniqueKeysWithValues: try attributes.map { row in
                    let value: AttributeValue = try row.value("value")
                    guard try row.value("type") == value.typeName else { throw StoreError.corrupt("attributes") }
                    return (try row.value("name", as: String.self), value)
                }),
            createdAt: try row.value("created_at"))
    }
}
