package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func leaseLogouts(
        _ room: MailRoom, now: Date, until end: Date
    ) async throws(StoreError) -> [SessionLogout] {
        // Most seconds have none, and a reader holds up no writer.
        let isDue = try await read { session in
            try !session.rows(of: "logouts", "SELECT attempts FROM logouts WHERE due_at <= ? LIMIT 1", [now]).get()
                .isEmpty
        }
        guard isDue else { return [] }
        return try await write([.logouts]) { session in
            var room = room
            let full = room.fullLanes
            let others = full.isEmpty ? "" : "AND client NOT IN (\(Self.marks(full)))"
            let rows = try session.rows(
                of: "logouts",
                """
                SELECT tenant, browser_session, client, "user", ended_at, attempts FROM logouts
                WHERE due_at <= ? \(others) ORDER BY due_at LIMIT ?
                """, [now as any StoredValue] + full + [room.free])
            let due = try rows.get().map { row in
                SessionLogout(
                    tenant: try row.value("tenant"), client: try row.value("client"), user: try row.value("user"),
                    browserSession: try row.value("browser_session"), endedAt: try row.value("ended_at"),
                    attempts: try row.value("attempts"))
            }
            let leased = due.filter { room.take($0.lane) }
            for logout in leased {
                // Counted before the attempt: a node that dies during it has tried.
                try session.run(
                    """
                    UPDATE logouts SET due_at = ?, attempts = attempts + 1
                    WHERE tenant = ? AND browser_session = ? AND client = ?
                    """, [end, logout.tenant, logout.browserSession, logout.client])
            }
            return leased
        }
    }

    private static func marks(_ values: [Data]) -> String {
        repeatElement("?", count: values.count).joined(separator: ", ")
    }

    package func endLogout(
        _ logout: SessionLogout, recording event: AuditEvent?
    ) async throws(StoreError) {
        try await write([]) { session in
            let ended = try session.change(
                "DELETE FROM logouts WHERE tenant = ? AND browser_session = ? AND client = ?",
                [logout.tenant, logout.browserSession, logout.client])
            if ended == 1, let event { try session.insert(event) }
        }
    }

    package func postponeLogout(
        _ logout: SessionLogout, attempts: Int, until due: Date
    ) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                """
                UPDATE logouts SET due_at = ?, attempts = ?
                WHERE tenant = ? AND browser_session = ? AND client = ? AND attempts = ?
                """,
                [due, attempts, logout.tenant, logout.browserSession, logout.client, logout.attempts + 1])
        }
    }
}

extension SQLSession {
    /// Queues the applications that got tokens from sessions, before these are deleted.
    ///
    /// - Parameter condition: Which sessions of the tenant end.
    func queueLogouts(
        ofSessions condition: String, _ values: [any StoredValue], in tenant: TenantID, at date: Date
    ) throws {
        if dialect == .postgres {
            // A redemption under way locks its session, so that its tokens are there for the next statement, or never.
            _ = try fetch(
                "SELECT id FROM browser_sessions WHERE tenant = ? AND \(condition) \(dialect.lockingRows)",
                [tenant] + values)
        }
        try run(
            """
            INSERT INTO logouts (tenant, browser_session, client, "user", ended_at, attempts, due_at)
            SELECT DISTINCT f.tenant, f.browser_session, f.client, f."user", CAST(? AS BIGINT), 0,
                CAST(? AS BIGINT)
            FROM refresh_families f WHERE f.tenant = ? AND f.browser_session IN (
                SELECT id FROM browser_sessions WHERE tenant = ? AND \(condition))
            ON CONFLICT (tenant, browser_session, client) DO NOTHING
            """, [date, date, tenant, tenant] + values)
    }

    /// The applications that got tokens from a session.
    func clients(ofBrowserSession id: UUID, in tenant: TenantID) throws -> Pending<[ClientID]> {
        try rows(
            of: "refresh_families",
            "SELECT DISTINCT client FROM refresh_families WHERE tenant = ? AND browser_session = ? ORDER BY client",
            [tenant, id]
        ).map { rows in try rows.map { try $0.value("client") } }
    }
}
