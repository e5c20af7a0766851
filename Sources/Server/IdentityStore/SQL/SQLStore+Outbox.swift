package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    /// How many mails wait, 1,000 at most, and since when the oldest of them does.
    package func waitingMails() async throws(StoreError) -> (count: Int, oldest: Date?) {
        try await read { session in
            let rows = try session.rows(
                of: "outbox",
                """
                SELECT COUNT(*) AS number, MIN(created_at) AS oldest
                FROM (SELECT created_at FROM outbox WHERE \(waiting) LIMIT 1000) waiting
                """, [])
            guard let row = try rows.get().first else { return (0, nil) }
            return (try row.value("number"), try row.value("oldest"))
        }
    }

    package func leaseMails(
        _ room: MailRoom, now: Date, until leaseEnd: Date
    ) async throws(StoreError) -> (mails: [LeasedMail], mayBeMore: Bool) {
        try await write([.outbox]) { session in
            try session.expireMails(now: now)
            var room = room
            let limit = room.free
            let due = try session.dueMails(limit: limit, except: room.fullLanes, now: now).get()
            let mails = due.filter { room.take($0.mail.lane) }
            for leased in mails {
                // Counted before the attempt: a worker that dies during the attempt has tried.
                try session.run(
                    "UPDATE outbox SET due_at = ?, attempts = attempts + 1 WHERE tenant = ? AND id = ?",
                    [leaseEnd, leased.mail.tenant, leased.mail.id])
            }
            return (mails, due.count == limit && room.free > 0)
        }
    }

    package func markSent(_ mails: [LeasedMail], now: Date) async throws(StoreError) {
        try await write([]) { session in
            // In one order, so that two transactions seldom wait for each other.
            for leased in mails.sorted(by: { $0.mail.id.text < $1.mail.id.text }) {
                try session.markSent(leased, now: now)
            }
        }
    }

    package func markTaken(_ leased: LeasedMail, now: Date) async throws(StoreError) {
        try await write([]) { session in
            try session.markSent(leased, now: now)
            try session.noteTaken(leased.mail.id, in: leased.mail.tenant, at: now)
        }
    }

    package func retry(_ leased: LeasedMail, at next: Date) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                "UPDATE outbox SET due_at = ? WHERE tenant = ? AND id = ? AND state = 'pending' AND attempts = ?",
                [next, leased.mail.tenant, leased.mail.id, leased.attempts + 1])
        }
    }

    package func markFailed(
        _ leased: LeasedMail, now: Date, event: AuditEvent, refusedBy recipient: Data?
    ) async throws(StoreError) {
        try await write([]) { session in
            let count = try session.change(
                """
                UPDATE outbox SET state = 'failed', sealed_content = NULL, finished_at = ?
                WHERE tenant = ? AND id = ? AND state = 'pending' AND attempts = ?
                """, [now, leased.mail.tenant, leased.mail.id, leased.attempts + 1])
            guard count == 1 else { return }
            try session.insert(event)
            // Of a mail there is no such row.
            try session.noteRefused(leased.mail.id, in: leased.mail.tenant)
            guard let recipient else { return }
            try session.run(
                "INSERT INTO counted_events (tenant, subject, event, at) VALUES (?, ?, ?, ?)",
                [event.tenant, recipient, CountedEvent.mailRefused, now])
        }
    }

    package func recordFlood(
        _ event: AuditEvent, of limit: Int, since start: Date
    ) async throws(StoreError) -> Bool {
        try await write([]) { session in
            let rows = try session.rows(
                of: "outbox", "SELECT COUNT(*) AS count FROM outbox WHERE tenant = ? AND created_at > ?",
                [event.tenant, start])
            guard try rows.get().first?.value("count", as: Int.self) ?? 0 >= limit else { return false }
            try session.insert(event)
            return true
        }
    }

    package func nextMailDue(except fullLanes: [Data]) async throws(StoreError) -> Date? {
        let lanes = OtherLanes(than: fullLanes)
        return try await readAtOnce { session in
            try session.rows(
                of: "outbox", "SELECT MIN(due_at) AS due FROM outbox WHERE \(waiting) \(lanes.condition)",
                lanes.values
            ).map { try $0.first?.value("due", as: Date?.self) ?? nil }
        }
    }
}

/// The condition for all mails that wait. Its comparison, which always holds, lets PostgreSQL use the index by due time.
private let waiting = "state = 'pending' AND due_at <= \(Int64.max)"

/// The condition that excludes some lanes. Its text does not depend on their number, so that there are two statements
/// instead of one for each number. Mails from before lanes existed have none.
private struct OtherLanes: Sendable {
    private static let most = 8
    let condition: String
    let values: [Data]

    init(than lanes: [Data]) {
        let padding = lanes.last.map { Array(repeating: $0, count: max(0, Self.most - lanes.count)) } ?? []
        values = lanes + padding
        condition =
            lanes.isEmpty
            ? "" : "AND (lane IS NULL OR lane NOT IN (\(values.map { _ in "?" }.joined(separator: ", "))))"
    }
}

extension SQLSession {
    func insert(_ mail: OutboxMail) throws {
        try run(
            """
            INSERT INTO outbox (tenant, id, flow, "user", lane, state, sealed_content, due_at, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)
            """,
            [
                mail.tenant, mail.id, mail.flow, mail.user, mail.lane, mail.sealedContent, mail.createdAt,
                mail.createdAt,
                mail.expiresAt,
            ])
    }

    fileprivate func markSent(_ leased: LeasedMail, now: Date) throws {
        try run(
            """
            UPDATE outbox SET state = 'sent', sealed_content = NULL, finished_at = ?
            WHERE tenant = ? AND id = ? AND state = 'pending'
            """, [now, leased.mail.tenant, leased.mail.id])
    }

    /// Mails whose code has expired are never sent (`SEC-MAIL-2`).
    func expireMails(now: Date) throws {
        try run(
            """
            UPDATE outbox SET state = 'expired', sealed_content = NULL, finished_at = ?
            WHERE state = 'pending' AND expires_at <= ?
            """, [now, now])
    }

    fileprivate func dueMails(
        limit: Int, except fullLanes: [Data], now: Date
    ) throws -> Pending<[LeasedMail]> {
        let lanes = OtherLanes(than: fullLanes)
        return try rows(
            of: "outbox",
            """
            SELECT tenant, id, flow, "user", lane, sealed_content, attempts, created_at, expires_at FROM outbox
            WHERE state = 'pending' AND due_at <= ? \(lanes.condition)
            ORDER BY due_at, \(dialect.orderOfArrival) LIMIT ?
            """, [now as any StoredValue] + lanes.values + [limit]
        ).map { rows in
            try rows.map { row in
                LeasedMail(
                    mail: OutboxMail(
                        id: try row.value("id"), tenant: try row.value("tenant"), flow: try row.value("flow"),
                        user: try row.value("user"),
                        lane: try row.value("lane", as: Data?.self) ?? Data(),
                        sealedContent: try row.value("sealed_content"), createdAt: try row.value("created_at"),
                        expiresAt: try row.value("expires_at")),
                    attempts: try row.value("attempts"))
            }
        }
    }
}
