package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func consents(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [Consent] {
        try await read { session in
            let rows = try session.rows(
                of: "consents",
                #"SELECT * FROM consents WHERE tenant = ? AND "user" = ? ORDER BY given_at DESC, client LIMIT 200"#,
                [tenant, user])
            return try rows.get().map { row in
                Consent(
                    user: user, client: try row.value("client"), scopes: Self.scopes(try row.value("scopes")),
                    givenAt: try row.value("given_at"))
            }
        }
    }

    package func give(
        _ consent: Consent, in tenant: TenantID, recording event: AuditEvent
    ) async throws(StoreError) {
        try await write([]) { session in
            let rows = try session.rows(
                of: "consents",
                #"SELECT scopes FROM consents WHERE tenant = ? AND "user" = ? AND client = ?"#,
                [tenant, consent.user, consent.client])
            let before = try rows.get().first.map { try $0.value("scopes", as: String.self) } ?? ""
            let scopes = Set(Self.scopes(before) + consent.scopes).sorted()
            try session.run(
                """
                INSERT INTO consents (tenant, "user", client, scopes, given_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (tenant, "user", client) DO UPDATE SET scopes = excluded.scopes, given_at = excluded.given_at
                """,
                [tenant, consent.user, consent.client, scopes.joined(separator: " "), consent.givenAt])
            try session.insert(event)
        }
    }

    package func withdrawConsent(
        of user: UserID, to client: ClientID, in tenant: TenantID, at date: Date, recording event: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await write([]) { session in
            let ended = try session.change(
                #"DELETE FROM consents WHERE tenant = ? AND "user" = ? AND client = ?"#, [tenant, user, client])
            guard ended == 1 else { return false }
            try session.run(
                """
                UPDATE refresh_families SET revoked_at = ?
                WHERE tenant = ? AND "user" = ? AND client = ? AND revoked_at IS NULL
                """, [date, tenant, user, client], expecting: nil)
            try session.insert(event)
            return true
        }
    }

    /// Scopes have no blanks (RFC 6749 section 3.3).
    private static func scopes(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
