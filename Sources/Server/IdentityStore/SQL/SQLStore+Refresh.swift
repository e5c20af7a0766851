package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func refreshFamily(_ id: UUID, in tenant: TenantID) async throws(StoreError) -> RefreshFamily? {
        try await read { try $0.refreshFamily(id, in: tenant).get() }
    }

    package func refreshSession(
        _ id: UUID, in tenant: TenantID
    ) async throws(StoreError) -> (family: RefreshFamily, account: UserAccount)? {
        try await read { session in
            let family = try session.refreshFamily(id, in: tenant)
            let user = #"(SELECT "user" FROM refresh_families WHERE tenant = ? AND id = ?)"#
            let account = try session.account(user, [tenant, id], in: tenant, locking: "")
            guard let family = try family.get(), let account = try account.get() else { return nil }
            return (family, account)
        }
    }

    package func updateRefreshFamily<Answer: Sendable>(
        _ id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (RefreshFamily?) -> (change: RefreshFamily?, event: AuditEvent?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write([]) { session in
            let family = try session.refreshFamily(id, in: tenant, locking: session.dialect.lockingRows).get()
            let (change, event, answer) = decide(family)
            if let change {
                if let family { try session.update(family, to: change) } else { try session.insert(change) }
                if let event { try session.insert(event) }
            }
            return answer
        }
    }
}

extension SQLSession {
    func insert(_ family: RefreshFamily) throws {
        try run(
            """
            INSERT INTO refresh_families (client, "user", methods, contexts, authenticated_at, created_at, scopes, expires_at,
                generation, token_digest, previous_digest, previous_rotated_at, previous_answer, revoked_at, tenant, id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                family.client, family.user, family.methods, family.contexts, family.authenticatedAt, family.createdAt,
            ] + changing(of: family) + [family.tenant, family.id])
    }

    /// The update requires the generation that was just read, so that a token is never rotated twice (`SEC-TOK-7`). The
    /// owner and the proofs never change.
    fileprivate func update(_ old: RefreshFamily, to new: RefreshFamily) throws {
        try run(
            """
            UPDATE refresh_families SET scopes = ?, expires_at = ?, generation = ?, token_digest = ?, previous_digest = ?,
                previous_rotated_at = ?, previous_answer = ?, revoked_at = ?
            WHERE tenant = ? AND id = ? AND generation = ?
            """, changing(of: new) + [old.tenant, old.id, old.generation], expecting: 1)
    }

    /// Families that are already revoked keep their date.
    ///
    /// - Parameter keepingTwoFactors: Whether to keep families whose methods are two factors, that is whose list
    ///   contains `mfa`.
    func revokeRefreshFamilies(
        of user: UserID, in tenant: TenantID, keepingTwoFactors: Bool = false, at date: Date
    ) throws {
        let condition = keepingTwoFactors ? #"AND methods NOT LIKE '%"mfa"%'"# : ""
        try run(
            """
            UPDATE refresh_families SET revoked_at = ?
            WHERE tenant = ? AND "user" = ? AND revoked_at IS NULL \(condition)
            """, [date, tenant, user])
    }

    private func changing(of family: RefreshFamily) -> [any StoredValue] {
        [
            family.scopes, family.expiresAt, family.generation, family.tokenDigest, family.previous?.tokenDigest,
            family.previous?.rotatedAt, family.previous?.sealedAnswer, family.revokedAt,
        ]
    }

    fileprivate func refreshFamily(
        _ id: UUID, in tenant: TenantID, locking: String = ""
    ) throws -> Pending<RefreshFamily?> {
        try rows(
            of: "refresh_families", "SELECT * FROM refresh_families WHERE tenant = ? AND id = ? \(locking)",
            [tenant, id]
        ).map { rows in
            try rows.first.map { row in
                RefreshFamily(
                    id: id, tenant: tenant, client: try row.value("client"), user: try row.value("user"),
                    scopes: try row.value("scopes"), methods: try row.value("methods"),
                    contexts: try row.value("contexts"), authenticatedAt: try row.value("authenticated_at"),
                    createdAt: try row.value("created_at"), expiresAt: try row.value("expires_at"),
                    generation: try row.value("generation"), tokenDigest: try row.value("token_digest"),
                    previous: try row.value("previous_digest", as: Data?.self).map { digest in
                        RefreshFamily.Previous(
                            tokenDigest: digest, rotatedAt: try row.value("previous_rotated_at"),
                            sealedAnswer: try row.value("previous_answer"))
                    },
                    revokedAt: try row.value("revoked_at"))
            }
        }
    }
}
