import GRDB
package import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SQLiteStore: FlowStore {
    package func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await writer.write { db in
            let facts = StepFacts(
                row: try db.flow(query), sealedAnswer: try db.sealedAnswer(query),
                taken: try db.taken(query.identifiers, in: query.tenant),
                account: try query.user.flatMap { try db.account($0, in: query.tenant) },
                counted: try db.counted(query),
                lockout: try query.lockout.flatMap { try db.lockout($0, in: query.tenant) })
            let (change, answer) = decide(facts)
            if let change {
                try db.write(change.row, of: query, over: facts.row)
                for effect in change.effects { try db.perform(effect, in: query.tenant) }
                if let replay = change.replay { try db.write(replay, of: query) }
            }
            return answer
        }
    }

    package func record(_ event: AuditEvent) async throws(StoreError) {
        try await writer.write { try $0.insert(event) }
    }

    /// Goes in portions, so that other writers get their turn. The count is that of all rows deleted; mails that expired
    /// unsent lose their content now and their row an hour later, as those that were sent do.
    package func removeExpired(now: Date) async throws(StoreError) -> Int {
        var total = 0
        var removed = 0
        repeat {
            removed = try await writer.write { try $0.removeExpired(now: now, portion: 500) }
            total += removed
        } while removed > 0
        try await checkpoint()
        return total
    }

    package func checkWritable() async throws(StoreError) {
        try await writer.write { db in
            guard try db.run("UPDATE write_probe SET count = count + 1 WHERE id = 1") == 1 else {
                throw StoreError.corrupt("write_probe")
            }
        }
    }
}

extension Database {
    fileprivate func flow(_ query: StepQuery) throws -> FlowRow? {
        let rows = try rows(
            of: "flows",
            """
            SELECT revision, code_digest, code_target, code_attempts, code_sent_at, code_expires_at, codes_sent, misuses,
                is_ended, expires_at
            FROM flows WHERE tenant = ? AND id = ?
            """, [query.tenant, query.flow])
        return try rows.first.map { row in
            FlowRow(
                revision: try row.value("revision"),
                code: try row.value("code_digest", as: Data?.self).map { digest in
                    CodeRecord(
                        digest: digest, target: try row.value("code_target"), attempts: try row.value("code_attempts"),
                        sentAt: try row.value("code_sent_at"), expiresAt: try row.value("code_expires_at"))
                },
                codesSent: try row.value("codes_sent"), misuses: try row.value("misuses"),
                isEnded: try row.value("is_ended"), expiresAt: try row.value("expires_at"))
        }
    }

    fileprivate func sealedAnswer(_ query: StepQuery) throws -> Data? {
        let rows = try rows(
            of: "replays",
            "SELECT sealed_answer FROM replays WHERE tenant = ? AND flow = ? AND request_digest = ? AND expires_at > ?",
            [query.tenant, query.flow, query.requestDigest, query.now])
        return try rows.first?.value("sealed_answer")
    }

    fileprivate func write(_ row: FlowRow, of query: StepQuery, over old: FlowRow?) throws {
        let values: [any StoredValue] = [
            row.revision, row.code?.digest, row.code?.target, row.code?.attempts, row.code?.sentAt, row.code?.expiresAt,
            row.codesSent, row.misuses, row.isEnded, row.expiresAt, query.tenant, query.flow,
        ]
        guard let old else {
            try run(
                """
                INSERT INTO flows (revision, code_digest, code_target, code_attempts, code_sent_at, code_expires_at, codes_sent,
                    misuses, is_ended, expires_at, tenant, id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, values)
            return
        }
        // The revision cannot have changed under the one writer. The condition makes sure of it all the same: advancing a
        // flow twice from one revision would spend a token twice (`SEC-CT-4`).
        let count = try run(
            """
            UPDATE flows SET revision = ?, code_digest = ?, code_target = ?, code_attempts = ?, code_sent_at = ?,
                code_expires_at = ?, codes_sent = ?, misuses = ?, is_ended = ?, expires_at = ?
            WHERE tenant = ? AND id = ? AND revision = ?
            """, values + [old.revision])
        guard count == 1 else { throw SQLiteFailure.rowLost }
    }

    /// An expired record of the same request may still lie there; it gives way.
    fileprivate func write(_ replay: ReplayRecord, of query: StepQuery) throws {
        try run(
            """
            INSERT INTO replays (tenant, flow, request_digest, sealed_answer, expires_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (tenant, flow, request_digest)
            DO UPDATE SET sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
            """, [query.tenant, query.flow, replay.requestDigest, replay.sealedAnswer, replay.expiresAt])
    }

    fileprivate func perform(_ effect: Effect, in tenant: TenantID) throws {
        switch effect {
        case .createUser(let user): try insert(user)
        case .enqueueMail(let mail): try insert(mail)
        case .openRefreshFamily(let family): try insert(family)
        case .record(let event): try insert(event)
        case .count(let event, let subject, let at):
            try run(
                "INSERT INTO counted_events (tenant, subject, event, at) VALUES (?, ?, ?, ?)",
                [tenant, subject, event, at])
        case .forget(let event, let subject):
            try run(
                "DELETE FROM counted_events WHERE tenant = ? AND subject = ? AND event = ?", [tenant, subject, event])
        case .changePassword(let user, let hash, let at): try changePassword(of: user, in: tenant, to: hash, at: at)
        case .upgradePassword(let user, let old, let new):
            // No row is no failure: whoever was faster has made the hash new already, or has another password.
            try run(
                "UPDATE users SET password_hash = ? WHERE tenant = ? AND id = ? AND password_hash = ?",
                [new.phc, tenant, user, old.phc])
        case .revokeRefreshFamilies(let user, let at): try revokeRefreshFamilies(of: user, in: tenant, at: at)
        case .addStrongMethod(let method, let user): try insert(method, of: user, in: tenant)
        case .setLockout(let lockout, let subject): try write(lockout, of: subject, in: tenant)
        case .rememberNetwork(let network, let user, let at): try remember(network, of: user, in: tenant, at: at)
        case .forgetNetworks(let user):
            try run("DELETE FROM known_networks WHERE tenant = ? AND user = ?", [tenant, user])
        }
    }

    fileprivate func counted(_ query: StepQuery) throws -> [Data: [CountedEvent: [Date]]] {
        guard !query.subjects.isEmpty else { return [:] }
        var counted: [Data: [CountedEvent: [Date]]] = [:]
        for row in try rows(
            of: "counted_events",
            """
            SELECT subject, event, at FROM counted_events
            WHERE tenant = ? AND subject IN (\(Self.placeholders(query.subjects))) AND at > ? ORDER BY at
            """, [query.tenant] + query.subjects + [query.now.addingTimeInterval(-86_400)])
        {
            counted[try row.value("subject"), default: [:]][try row.value("event"), default: []]
                .append(try row.value("at"))
        }
        return counted
    }

    fileprivate func lockout(_ subject: Data, in tenant: TenantID) throws -> Lockout? {
        let rows = try rows(
            of: "lockouts",
            "SELECT failures, locked_until, recent, last_failure_at FROM lockouts WHERE tenant = ? AND subject = ?",
            [tenant, subject])
        return try rows.first.map { row in
            Lockout(
                failures: try row.value("failures"), lockedUntil: try row.value("locked_until"),
                recent: try row.value("recent", as: StoredDigests.self).digests,
                lastFailureAt: try row.value("last_failure_at"))
        }
    }

    private func write(_ lockout: Lockout?, of subject: Data, in tenant: TenantID) throws {
        guard let lockout else {
            try run("DELETE FROM lockouts WHERE tenant = ? AND subject = ?", [tenant, subject])
            return
        }
        try run(
            """
            INSERT INTO lockouts (tenant, subject, failures, locked_until, recent, last_failure_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant, subject) DO UPDATE SET failures = excluded.failures, locked_until = excluded.locked_until,
                recent = excluded.recent, last_failure_at = excluded.last_failure_at
            """,
            [
                tenant, subject, lockout.failures, lockout.lockedUntil, StoredDigests(digests: lockout.recent),
                lockout.lastFailureAt,
            ])
    }

    func insert(_ event: AuditEvent) throws {
        try run(
            "INSERT INTO audit (tenant, kind, at, client, flow, user, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [event.tenant, event.kind, event.at, event.client, event.flow, event.user, event.detail])
    }

    /// Removes up to `portion` rows of each kind; returns how many went, replay records that went with their flow included.
    fileprivate func removeExpired(now: Date, portion: Int) throws -> Int {
        try expireMails(now: now)
        let before = totalChangesCount
        try run(
            "DELETE FROM replays WHERE rowid IN (SELECT rowid FROM replays WHERE expires_at <= ? LIMIT ?)",
            [now, portion])
        try run(
            """
            DELETE FROM flows WHERE (tenant, id) IN (SELECT tenant, id FROM flows WHERE expires_at <= ? LIMIT ?)
            """, [now, portion])
        try run(
            "DELETE FROM outbox WHERE rowid IN (SELECT rowid FROM outbox WHERE finished_at < ? LIMIT ?)",
            [now.addingTimeInterval(-3600), portion])
        // An access token outlives the family that it came from by its own life at most; until then the family tells that it
        // was not revoked.
        try run(
            """
            DELETE FROM refresh_families
            WHERE rowid IN (SELECT rowid FROM refresh_families WHERE expires_at <= ? LIMIT ?)
            """, [now.addingTimeInterval(-7_200), portion])
        try run(
            "DELETE FROM counted_events WHERE rowid IN (SELECT rowid FROM counted_events WHERE at <= ? LIMIT ?)",
            [now.addingTimeInterval(-86_400), portion])
        try run(
            """
            DELETE FROM lockouts
            WHERE (tenant, subject) IN (SELECT tenant, subject FROM lockouts WHERE last_failure_at <= ? LIMIT ?)
            """, [now.addingTimeInterval(-Lockout.memory), portion])
        try run(
            """
            DELETE FROM known_networks WHERE (tenant, user, network) IN
                (SELECT tenant, user, network FROM known_networks WHERE last_at < ? LIMIT ?)
            """, [now.addingTimeInterval(-30 * 86_400), portion])
        return totalChangesCount - before
    }
}
