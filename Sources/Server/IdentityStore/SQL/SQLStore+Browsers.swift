package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func browserSignIn(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> BrowserSignIn? {
        try await readAtOnce { try $0.browserSignIn("digest", digest, in: tenant) }
    }

    package func browserSignIn(of id: UUID, in tenant: TenantID) async throws(StoreError) -> BrowserSignIn? {
        try await readAtOnce { try $0.browserSignIn("id", id, in: tenant) }
    }

    package func browserSignIns(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [BrowserSignIn] {
        try await read { session in
            let rows = try session.rows(
                of: "browser_sessions",
                #"SELECT * FROM browser_sessions WHERE tenant = ? AND "user" = ? ORDER BY seen_at DESC, id LIMIT 200"#,
                [tenant, user])
            let account = try session.account("?", [user], in: tenant, locking: "")
            let found = try rows.get()
            guard let account = try account.get() else { return [] }
            return try found.compactMap { row in
                try row.browserSession(in: tenant).map { BrowserSignIn(session: $0, account: account) }
            }
        }
    }

    package func openBrowserSession(
        _ session: BrowserSession, replacing replaced: UUID?, recording event: AuditEvent
    ) async throws(StoreError) {
        try await write([]) { transaction in
            try transaction.open(session, replacing: replaced, in: session.tenant)
            try transaction.insert(event)
        }
    }

    package func noteUse(
        ofBrowserSession id: UUID, in tenant: TenantID, at date: Date
    ) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                "UPDATE browser_sessions SET seen_at = ? WHERE tenant = ? AND id = ? AND seen_at < ?",
                [date, tenant, id, date])
        }
    }

    package func endBrowserSession(
        _ id: UUID, in tenant: TenantID, at date: Date, recording event: AuditEvent
    ) async throws(StoreError) -> [ClientID] {
        try await write([]) { session in
            try session.queueLogouts(ofSessions: "id = ?", [id], in: tenant, at: date)
            let ended = try session.change(
                "DELETE FROM browser_sessions WHERE tenant = ? AND id = ?", [tenant, id])
            guard ended == 1 else { return [] }
            try session.endPassingFamilies(ofBrowserSession: id, in: tenant, at: date)
            try session.insert(event)
            return try session.clients(ofBrowserSession: id, in: tenant).get()
        }
    }

    package func presentCode<Answer: Sendable>(
        _ digest: Data, ofBrowserSession id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (CodeFacts) -> (code: PresentedCode?, effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write([.code(digest, in: tenant)]) { session in
            let facts = CodeFacts(
                presented: try session.presentedCode(digest, in: tenant),
                // Locked: a sign-out waits for the redemption, and finds its family, or comes first.
                signIn: try session.browserSignIn("id", id, in: tenant, locking: session.dialect.lockingRows).get())
            let (code, effects, answer) = decide(facts)
            if let code { try session.write(code, in: tenant) }
            for effect in effects { try session.apply(effect, in: tenant) }
            return answer
        }
    }
}

extension SQLSession {
    /// - Parameter column: `id` or `digest`.
    func browserSignIn(
        _ column: String, _ value: any StoredValue, in tenant: TenantID, locking: String = ""
    ) throws -> Pending<BrowserSignIn?> {
        let rows = try rows(
            of: "browser_sessions",
            "SELECT * FROM browser_sessions WHERE tenant = ? AND \(column) = ? \(locking)", [tenant, value])
        let account = try account(
            #"(SELECT "user" FROM browser_sessions WHERE tenant = ? AND \#(column) = ?)"#, [tenant, value], in: tenant,
            locking: "")
        return Pending {
            guard let row = try rows.get().first, let account = try account.get() else { return nil }
            return try row.browserSession(in: tenant).map { BrowserSignIn(session: $0, account: account) }
        }
    }

    func open(_ session: BrowserSession, replacing replaced: UUID?, in tenant: TenantID) throws {
        if let replaced {
            if replaced != session.id {
                try queueLogouts(ofSessions: "id = ?", [replaced], in: tenant, at: session.createdAt)
            }
            // A session that goes on under its id must still be there: a sign-out may have come first.
            try run(
                "DELETE FROM browser_sessions WHERE tenant = ? AND id = ?", [tenant, replaced],
                expecting: replaced == session.id ? 1 : nil)
            if replaced != session.id {
                try endPassingFamilies(ofBrowserSession: replaced, in: tenant, at: session.createdAt)
            }
        }
        try run(
            """
            INSERT INTO browser_sessions (tenant, id, digest, "user", proofs, created_at, seen_at, is_kept,
                has_two_factors)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, session.id, session.digest, session.authentication.account.user,
                try session.proofs(), session.createdAt, session.seenAt, session.isKept,
                session.authentication.factors > 1,
            ])
    }

    func endBrowserSession(_ id: UUID, of user: UserID, in tenant: TenantID, at date: Date) throws {
        try queueLogouts(ofSessions: #"id = ? AND "user" = ?"#, [id, user], in: tenant, at: date)
        let ended = try change(
            #"DELETE FROM browser_sessions WHERE tenant = ? AND id = ? AND "user" = ?"#, [tenant, id, user])
        if ended == 1 { try endPassingFamilies(ofBrowserSession: id, in: tenant, at: date) }
    }

    /// - Parameter kept: A session that stays.
    func endBrowserSessions(
        of user: UserID, in tenant: TenantID, keepingTwoFactors: Bool = false, except kept: UUID? = nil, at date: Date
    ) throws {
        let condition =
            #""user" = ?"# + (keepingTwoFactors ? " AND has_two_factors = 0" : "") + (kept == nil ? "" : " AND id <> ?")
        let values: [any StoredValue] = [user] + (kept.map { [$0] } ?? [])
        try queueLogouts(ofSessions: condition, values, in: tenant, at: date)
        try run(
            "DELETE FROM browser_sessions WHERE tenant = ? AND \(condition)", [tenant] + values, expecting: nil)
    }

    /// Ends the tokens of applications that asked for none beyond the session (`OIDC-23`).
    fileprivate func endPassingFamilies(ofBrowserSession id: UUID, in tenant: TenantID, at date: Date) throws {
        try run(
            """
            UPDATE refresh_families SET revoked_at = ?
            WHERE tenant = ? AND browser_session = ? AND revoked_at IS NULL AND scopes NOT LIKE '%"offline_access"%'
            """, [date, tenant, id])
    }

    fileprivate func presentedCode(_ digest: Data, in tenant: TenantID) throws -> PresentedCode? {
        let rows = try rows(
            of: "presented_codes", "SELECT * FROM presented_codes WHERE tenant = ? AND digest = ?", [tenant, digest])
        guard let row = try rows.get().first else { return nil }
        return PresentedCode(
            digest: digest, failures: try row.value("failures"),
            redemption: try row.value("redeemed_at", as: Date?.self).map { date in
                PresentedCode.Redemption(
                    at: date, family: try row.value("family"), requestDigest: try row.value("request_digest"),
                    sealedAnswer: try row.value("sealed_answer"))
            }, until: try row.value("until"))
    }

    fileprivate func write(_ code: PresentedCode, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO presented_codes (tenant, digest, failures, redeemed_at, family, request_digest, sealed_answer, until)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant, digest) DO UPDATE SET failures = excluded.failures, redeemed_at = excluded.redeemed_at,
                family = excluded.family, request_digest = excluded.request_digest,
                sealed_answer = excluded.sealed_answer, until = excluded.until
            """,
            [
                tenant, code.digest, code.failures, code.redemption?.at, code.redemption?.family,
                code.redemption?.requestDigest, code.redemption?.sealedAnswer, code.until,
            ])
    }
}

extension StoredRow {
    /// Nil when this version cannot read the proofs.
    fileprivate func browserSession(in tenant: TenantID) throws -> BrowserSession? {
        BrowserSession(
            id: try value("id"), tenant: tenant, digest: try value("digest"), proofs: try value("proofs"),
            createdAt: try value("created_at"), seenAt: try value("seen_at"), isKept: try value("is_kept"))
    }
}
