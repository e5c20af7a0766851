package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func refreshFamily(_ id: UUID, in tenant: TenantID) async throws(StoreError) -> RefreshFamily? {
        try await readAtOnce { try $0.refreshFamily(id, in: tenant) }
    }

    package func refreshSession(
        _ id: UUID, in tenant: TenantID
    ) async throws(StoreError) -> (family: RefreshFamily, account: UserAccount)? {
        try await readAtOnce { session in
            let family = try session.refreshFamily(id, in: tenant)
            let user = #"(SELECT "user" FROM refresh_families WHERE tenant = ? AND id = ?)"#
            let account = try session.account(user, [tenant, id], in: tenant, locking: "")
            return Pending {
                guard let family = try family.get(), let account = try account.get() else { return nil }
                return (family, account)
            }
        }
    }

    package func sessions(
        of user: UserID, in tenant: TenantID, now: Date
    ) async throws(StoreError) -> [RefreshFamily] {
        try await read { session in
            try session.rows(
                of: "refresh_families",
                """
                SELECT * FROM refresh_families WHERE tenant = ? AND "user" = ? AND revoked_at IS NULL AND expires_at > ?
                ORDER BY COALESCE(previous_rotated_at, created_at) DESC, id LIMIT 200
                """, [tenant, user, now]
            ).get().map { try $0.family(in: tenant) }
        }
    }

    package func updateRefreshFamily<Answer: Sendable>(
        _ id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (RefreshFamily?) -> (change: RefreshFamily?, event: AuditEvent?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        // Not the account: begun sign-ins name it, so that a stranger could hold up its owner's refreshes.
        try await share([.family(id, in: tenant)]) { session in
            try session.refreshFamily(id, in: tenant, locking: session.dialect.lockingRows).map { family in
                let (change, event, answer) = decide(family)
                if let change {
                    if let family { try session.update(family, to: change) } else { try session.insert(change) }
                    if let event { try session.insert(event) }
                }
                return answer
            }
        }
    }
}

extension SQLSession {
    func insert(_ family: RefreshFamily) throws {
        try run(
            """
            INSERT INTO refresh_families (client, "user", methods, contexts, authenticated_at, created_at, scopes, expires_at,
                generation, token_digest, previous_digest, previous_rotated_at, previous_answer, revoked_at, network, tenant, id,
                model, system, browser_session, key_thumbprint, parent, level, remembered)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                family.client, family.user, family.methods, family.contexts, family.authenticatedAt, family.createdAt,
            ] + changing(of: family) + [
                family.tenant, family.id, family.device.model, family.device.system, family.browserSession,
                family.key, family.parent, family.level?.rawValue, try family.storedRemembered(),
            ])
    }

    /// The update requires the generation that was just read, so that a token is never rotated twice (`SEC-TOK-7`), and
    /// that the family is still live: a revocation that shares the transaction may have come between. The owner and the proofs never change.
    fileprivate func update(_ old: RefreshFamily, to new: RefreshFamily) throws {
        try run(
            """
            UPDATE refresh_families SET scopes = ?, expires_at = ?, generation = ?, token_digest = ?, previous_digest = ?,
                previous_rotated_at = ?, previous_answer = ?, revoked_at = ?, network = ?
            WHERE tenant = ? AND id = ? AND generation = ? \(old.revokedAt == nil ? "AND revoked_at IS NULL" : "")
            """, changing(of: new) + [old.tenant, old.id, old.generation], expecting: 1)
    }

    /// Families that are already revoked keep their date.
    ///
    /// - Parameter keepingTwoFactors: Whether to keep families whose methods are two factors, that is whose list
    ///   contains `mfa`.
    /// - Parameter kept: A family to keep, with its access tokens.
    func revokeRefreshFamilies(
        of user: UserID, in tenant: TenantID, keepingTwoFactors: Bool = false, except kept: UUID? = nil, at date: Date
    ) throws {
        let condition =
            (keepingTwoFactors ? #"AND methods NOT LIKE '%"mfa"%'"# : "") + (kept == nil ? "" : " AND id <> ?")
        try run(
            """
            UPDATE refresh_families SET revoked_at = ?
            WHERE tenant = ? AND "user" = ? AND revoked_at IS NULL \(condition)
            """, [date, tenant, user] + (kept.map { [$0] } ?? []))
        try endBrowserSessions(of: user, in: tenant, keepingTwoFactors: keepingTwoFactors, except: kept, at: date)
        guard let kept else { return }
        try run(
            #"UPDATE refresh_families SET kept_at = ? WHERE tenant = ? AND "user" = ? AND id = ? AND revoked_at IS NULL"#,
            [date, tenant, user, kept])
    }

    func revokeRefreshFamily(_ id: UUID, of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            #"UPDATE refresh_families SET revoked_at = ? WHERE tenant = ? AND "user" = ? AND id = ? AND revoked_at IS NULL"#,
            [date, tenant, user, id])
    }

    private func changing(of family: RefreshFamily) -> [any StoredValue] {
        [
            family.scopes, family.expiresAt, family.generation, family.tokenDigest, family.previous?.tokenDigest,
            family.previous?.rotatedAt, family.previous?.sealedAnswer, family.revokedAt, family.network,
        ]
    }

    fileprivate func refreshFamily(
        _ id: UUID, in tenant: TenantID, locking: String = ""
    ) throws -> Pending<RefreshFamily?> {
        try rows(
            of: "refresh_families", "SELECT * FROM refresh_families WHERE tenant = ? AND id = ? \(locking)",
            [tenant, id]
        ).map { rows in
            try rows.first.map { try $0.family(in: tenant) }
        }
    }
}

extension StoredRow {
    fileprivate func family(in tenant: TenantID) throws -> RefreshFamily {
        var family = RefreshFamily(
            id: try value("id"), tenant: tenant, client: try value("client"), user: try value("user"),
            scopes: try value("scopes"), methods: try value("methods"), contexts: try value("contexts"),
            level: try value("level", as: String?.self).flatMap { Assurance.Level(rawValue: $0) },
            authenticatedAt: try value("authenticated_at"), createdAt: try value("created_at"),
            expiresAt: try value("expires_at"), generation: try value("generation"),
            tokenDigest: try value("token_digest"),
            previous: try value("previous_digest", as: Data?.self).map { digest in
                RefreshFamily.Previous(
                    tokenDigest: digest, rotatedAt: try value("previous_rotated_at"),
                    sealedAnswer: try value("previous_answer"))
            },
            revokedAt: try value("revoked_at"), keptAt: try value("kept_at"),
            device: SessionDevice(model: try value("model"), system: try value("system")),
            network: try value("network"), browserSession: try value("browser_session"),
            key: try value("key_thumbprint"), parent: try value("parent"))
        family.remembered = try value("remembered", as: Data?.self).flatMap { RefreshFamily.remembered(stored: $0) }
        return family
    }
}
