import GRDB
package import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SQLiteStore: OutboxStore {
    package func leaseMails(
        limit: Int, now: Date, until leaseEnd: Date
    ) async throws(StoreError) -> [LeasedMail] {
        try await writer.write { db in
            try db.expireMails(now: now)
            let mails = try db.dueMails(limit: limit, now: now)
            for leased in mails {
                // Counted before the attempt: a worker that dies in the middle of it has tried.
                try db.run(
                    "UPDATE outbox SET due_at = ?, attempts = attempts + 1 WHERE id = ?", [leaseEnd, leased.mail.id])
            }
            return mails
        }
    }

    package func markSent(_ id: UUID, now: Date) async throws(StoreError) {
        try await writer.write { try $0.finishMail(id, as: "sent", now: now) }
    }

    package func retry(_ id: UUID, at next: Date) async throws(StoreError) {
        try await writer.write { db in
            _ = try db.run("UPDATE outbox SET due_at = ? WHERE id = ? AND state = 'pending'", [next, id])
        }
    }

    package func markFailed(_ id: UUID, now: Date, event: AuditEvent) async throws(StoreError) {
        try await writer.write { db in
            try db.finishMail(id, as: "failed", now: now)
            try db.insert(event)
        }
    }

    package func nextMailDue() async throws(StoreError) -> Date? {
        try await read { db in
            let rows = try db.rows(of: "outbox", "SELECT MIN(due_at) AS due FROM outbox WHERE state = 'pending'", [])
            return try rows.first?.value("due", as: Date?.self) ?? nil
        }
    }
}

extension Database {
    func insert(_ mail: OutboxMail) throws {
        try run(
            """
            INSERT INTO outbox (tenant, id, flow, state, sealed_content, due_at, created_at, expires_at)
            VALUES (?, ?, ?, 'pending', ?, ?, ?, ?)
            """,
            [mail.tenant, mail.id, mail.flow, mail.sealedContent, mail.createdAt, mail.createdAt, mail.expiresAt])
    }

    /// Mails whose code has ended are never sent (`SEC-MAIL-2`).
    func expireMails(now: Date) throws {
        try run(
            """
            UPDATE outbox SET state = 'expired', sealed_content = NULL, finished_at = ?
            WHERE state = 'pending' AND expires_at <= ?
            """, [now, now])
    }

    /// Does nothing to a mail that is finished: after a lost lease two workers may say how the same mail ended.
    fileprivate func finishMail(_ id: UUID, as state: String, now: Date) throws {
        try run(
            """
            UPDATE outbox SET state = ?, sealed_content = NULL, finished_at = ? WHERE id = ? AND state = 'pending'
            """, [state, now, id])
    }

    fileprivate func dueMails(limit: Int, now: Date) throws -> [LeasedMail] {
        try rows(
            of: "outbox",
            """
            SELECT tenant, id, flow, sealed_content, attempts, created_at, expires_at FROM outbox
            WHERE state = 'pending' AND due_at <= ? ORDER BY created_at, rowid LIMIT ?
            """, [now, limit]
        ).map { row in
            LeasedMail(
                mail: OutboxMail(
                    id: try row.value("id"), tenant: try row.value("tenant"), flow: try row.value("flow"),
                    sealedContent: try row.value("sealed_content"), createdAt: try row.value("created_at"),
                    expiresAt: try row.value("expires_at")),
                attempts: try row.value("attempts"))
        }
    }
}
