package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await share(query.lockedSubjects) { session in
            let row = try session.flow(query.flow, of: query)
            let slowLane = try query.slowLane.map { try session.flow($0, of: query) }
            let sealedAnswer = try session.sealedAnswer(query)
            let taken = try session.taken(query.identifiers, in: query.tenant)
            let reserved = try session.reserved(query.marks, in: query.tenant)
            let account = try query.user.map { try session.account(locking: $0, in: query.tenant) }
            let counted = try session.counted(query)
            let lockout = try query.lockout.map { try session.lockout($0, in: query.tenant) }
            let tenantMailsSince = try session.tenantMailsSince(query)
            let textHistory = try session.textHistory(query)
            let isCredentialTaken = try query.credential.map { try session.hasCredential($0, in: query.tenant) }
            let isDeviceRemembered = try query.device.flatMap { device in
                try query.user.map { try session.isRemembered(device, of: $0, in: query.tenant) }
            }
            return Pending {
                var facts = StepFacts(
                    row: try row.get(), sealedAnswer: try sealedAnswer.get(), taken: try taken.get(),
                    reserved: try reserved.get(),
                    account: try account?.get(), counted: try counted.get(), lockout: try lockout?.get(),
                    slowLane: try slowLane?.get(),
                    tenantMailsSince: try tenantMailsSince.get())
                facts.textHistory = try textHistory.get()
                facts.isCredentialTaken = try isCredentialTaken?.get() ?? false
                facts.isDeviceRemembered = try isDeviceRemembered?.get() ?? false
                let (change, answer) = decide(facts)
                if let change {
                    try session.write(change.row, of: query, over: facts.row)
                    try session.apply(change.effects, of: query.user, in: query.tenant)
                    if let replay = change.replay { try session.write(replay, of: query) }
                }
                return answer
            }
        }
    }

    package func record(_ event: AuditEvent) async throws(StoreError) {
        try await write([]) { try $0.insert(event) }
    }

    /// Works in portions, so that other writers get their turn. The count includes all deleted rows; mails that expired
    /// unsent lose their content now and their row an hour later, like sent mails.
    package func removeExpired(now: Date) async throws(StoreError) -> Int {
        var total = 0
        var removed = 0
        repeat {
            removed = try await write([.janitor]) { try $0.removeExpired(now: now, portion: 500) }
            total += removed
        } while removed > 0
        try await afterRemoval()
        return total
    }

    package func checkWritable() async throws(StoreError) {
        try await write([]) { session in
            try session.run("UPDATE write_probe SET count = count + 1 WHERE id = 1", [], expecting: 1)
        }
    }
}

extension StepQuery {
    /// What the step decides about and may have no row yet, and the account, which must be locked before its rows. Existing
    /// rows are also locked where they are read.
    fileprivate var lockedSubjects: [SQLSubject] {
        [.flow(flow, in: tenant)] + (slowLane.map { [.flow($0, in: tenant)] } ?? [])
            + identifiers.map { .identifier($0, in: tenant) } + (user.map { [.account($0, in: tenant)] } ?? [])
            + (texts == nil ? [] : [.texts(of: tenant)])
            + (credential.map { [.credential($0.bytes, in: tenant)] } ?? [])
            + subjects.map { .counted($0, in: tenant) } + (lockout.map { [.counted($0, in: tenant)] } ?? [])
    }
}

extension SQLSession {
    fileprivate func flow(_ id: UUID, of query: StepQuery) throws -> Pending<FlowRow?> {
        try rows(
            of: "flows",
            """
            SELECT revision, code_digest, code_target, code_attempts, code_sent_at, code_expires_at, codes_sent, misuses,
                is_ended, expires_at
            FROM flows WHERE tenant = ? AND id = ? \(dialect.lockingRows)
            """, [query.tenant, id]
        ).map { rows in
            try rows.first.map { row in
                FlowRow(
                    revision: try row.value("revision"),
                    code: try row.value("code_digest", as: Data?.self).map { digest in
                        CodeRecord(
                            digest: digest, target: try row.value("code_target"),
                            attempts: try row.value("code_attempts"), sentAt: try row.value("code_sent_at"),
                            expiresAt: try row.value("code_expires_at"))
                    },
                    codesSent: try row.value("codes_sent"), misuses: try row.value("misuses"),
                    isEnded: try row.value("is_ended"), expiresAt: try row.value("expires_at"))
            }
        }
    }

    fileprivate func sealedAnswer(_ query: StepQuery) throws -> Pending<Data?> {
        try rows(
            of: "replays",
            "SELECT sealed_answer FROM replays WHERE tenant = ? AND flow = ? AND request_digest = ? AND expires_at > ?",
            [query.tenant, query.flow, query.requestDigest, query.now]
        ).map { try $0.first?.value("sealed_answer") }
    }

    fileprivate func write(_ row: FlowRow, of query: StepQuery, over old: FlowRow?) throws {
        let values: [any StoredValue] = [
            row.revision, row.code?.digest, row.code?.target, row.code?.attempts, row.code?.sentAt, row.code?.expiresAt,
            row.codesSent, row.misuses, row.isEnded, row.expiresAt, query.tenant, query.flow,
        ]
        guard let old else {
            try makeRoom("identifier", query.quotas.identifier, FlowQuotaKeys.mostOfIdentifier, query)
            try makeRoom("source", query.quotas.source, FlowQuotaKeys.mostOfSource, query)
            try run(
                """
                INSERT INTO flows (revision, code_digest, code_target, code_attempts, code_sent_at, code_expires_at, codes_sent,
                    misuses, is_ended, expires_at, tenant, id, identifier, source)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, values + [query.quotas.identifier, query.quotas.source])
            return
        }
        // The revision cannot have changed, because the flow is locked. The condition is a second protection: advancing
        // a flow twice from one revision would spend a token twice (`SEC-CT-4`).
        try run(
            """
            UPDATE flows SET revision = ?, code_digest = ?, code_target = ?, code_attempts = ?, code_sent_at = ?,
                code_expires_at = ?, codes_sent = ?, misuses = ?, is_ended = ?, expires_at = ?
            WHERE tenant = ? AND id = ? AND revision = ?
            """, values + [old.revision], expecting: 1)
    }

    /// A row without owners, so that no flow pushes it out. It is locked, even when it does not exist yet.
    private func write(_ lane: FlowRow, ofSlowLane id: UUID, in tenant: TenantID) throws {
        try run("DELETE FROM flows WHERE tenant = ? AND id = ?", [tenant, id])
        try run(
            """
            INSERT INTO flows (revision, code_digest, code_target, code_attempts, code_sent_at, code_expires_at, codes_sent,
                misuses, is_ended, expires_at, tenant, id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                lane.revision, lane.code?.digest, lane.code?.target, lane.code?.attempts, lane.code?.sentAt,
                lane.code?.expiresAt, lane.codesSent, lane.misuses, lane.isEnded, lane.expiresAt, tenant, id,
            ])
    }

    /// Removes the rows above `most`, including the new row (`SEC-CT-7`). A row ends a fixed time after it began, so
    /// the rows that end first are the oldest.
    private func makeRoom(_ column: String, _ owner: Data?, _ most: Int, _ query: StepQuery) throws {
        guard let owner else { return }
        try run(
            """
            DELETE FROM flows WHERE tenant = ? AND id IN (
                SELECT id FROM flows WHERE tenant = ? AND \(column) = ? AND revision = 0
                ORDER BY CASE WHEN is_ended = 0 AND code_expires_at > ? THEN 0 ELSE 1 END, expires_at DESC
                LIMIT \(most) OFFSET \(most - 1))
            """, [query.tenant, query.tenant, owner, query.now], expecting: nil)
    }

    /// Replaces an expired record of the same request.
    fileprivate func write(_ replay: ReplayRecord, of query: StepQuery) throws {
        try run(
            """
            INSERT INTO replays (tenant, flow, request_digest, sealed_answer, expires_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (tenant, flow, request_digest)
            DO UPDATE SET sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
            """, [query.tenant, query.flow, replay.requestDigest, replay.sealedAnswer, replay.expiresAt])
    }

    func apply(_ effect: Effect, in tenant: TenantID) throws {
        if let user = effect.endingDevices { try forgetDevices(of: user, in: tenant) }
        switch effect {
        case .createUser(let user): try insert(user)
        case .enqueueMail(let mail): try insert(mail)
        case .noteText(let text): try insert(text, in: tenant)
        case .noteVerifiedTexts(let flow, let number, let at):
            try noteVerifiedTexts(of: flow, number: number, in: tenant, at: at)
        case .pauseTexts(let area, let pause): try pauseTexts(area, pause, in: tenant)
        case .openRefreshFamily(let family): try insert(family)
        case .openBrowserSession(let session, let replaced):
            try open(session, replacing: replaced, in: tenant)
        case .endBrowserSession(let id, let user, let at):
            try endBrowserSession(id, of: user, in: tenant, at: at)
        case .record(let event): try insert(event)
        case .count(let event, let subject, let at):
            try run(
                "INSERT INTO counted_events (tenant, subject, event, at) VALUES (?, ?, ?, ?)",
                [tenant, subject, event, at])
        case .forget(let event, let subject):
            try run(
                "DELETE FROM counted_events WHERE tenant = ? AND subject = ? AND event = ?", [tenant, subject, event])
        case .changePassword(let user, let hash, let fromReset, let at):
            try changePassword(of: user, in: tenant, to: hash, fromReset: fromReset, at: at)
        case .upgradePassword(let user, let old, let new):
            // It is no failure when no row matches: another sign-in has already updated the hash, or the password has
            // changed.
            try run(
                "UPDATE users SET password_hash = ? WHERE tenant = ? AND id = ? AND password_hash = ?",
                [new.phc, tenant, user, old.phc])
        case .movePassword(let user, let hash):
            try run(
                "UPDATE users SET password_hash = ? WHERE tenant = ? AND id = ?", [hash.phc, tenant, user], expecting: 1
            )
        case .trustPassword(let user): try trustPassword(of: user, in: tenant)
        case .revokeRefreshFamilies(let user, let keepingTwoFactors, let kept, let at):
            try revokeRefreshFamilies(
                of: user, in: tenant, keepingTwoFactors: keepingTwoFactors, except: kept, at: at)
        case .keepRefreshFamilies(let user, let at):
            try run(
                #"UPDATE refresh_families SET kept_at = ? WHERE tenant = ? AND "user" = ? AND revoked_at IS NULL"#,
                [at, tenant, user])
        case .revokeRefreshFamily(let id, let user, let at):
            try revokeRefreshFamily(id, of: user, in: tenant, at: at)
        case .removePassword(let user, let at): try removePassword(of: user, in: tenant, at: at)
        case .endFlows(let user): try endFlows(of: user, in: tenant)
        case .changeCredentials(let user, let at): try changeCredentials(of: user, in: tenant, at: at)
        case .setAttributes(let changes, let user): try set(changes, of: user, in: tenant)
        case .setDisabled(let user, let date):
            try run(
                "UPDATE users SET disabled_at = ? WHERE tenant = ? AND id = ?", [date, tenant, user], expecting: 1)
        case .requireSecondFactor(let isRequired, let user):
            try run(
                "UPDATE users SET requires_second_factor = ? WHERE tenant = ? AND id = ?", [isRequired, tenant, user],
                expecting: 1)
        case .replaceName(let kind, let name, let user, let proof, let at):
            try replaceName(kind, with: name, of: user, in: tenant, proof: proof, at: at)
        case .holdName(let name): try hold(name, in: tenant)
        case .releaseNames(let marks):
            guard !marks.isEmpty else { return }
            try run(
                "DELETE FROM held_names WHERE tenant = ? AND mark IN (\(Self.placeholders(marks)))", [tenant] + marks)
        case .offerUndo(let undo): try offer(undo, in: tenant)
        case .forgetUndos(let user, let since):
            try run(
                #"DELETE FROM email_undos WHERE tenant = ? AND "user" = ? AND changed_at >= ?"#, [tenant, user, since])
        case .scheduleDeletion(let user, let date):
            try run(
                "UPDATE users SET deletion_due_at = ? WHERE tenant = ? AND id = ?", [date, tenant, user], expecting: 1)
        case .setDeleted(let user, let date):
            try run("UPDATE users SET deleted_at = ? WHERE tenant = ? AND id = ?", [date, tenant, user], expecting: 1)
        case .deleteUser(let user, let mark, let at): try delete(user, mark: mark, in: tenant, at: at)
        case .renameMethod(let id, let user, let name):
            try run(
                #"UPDATE strong_methods SET name = ? WHERE tenant = ? AND "user" = ? AND id = ?"#,
                [name, tenant, user, id])
        case .addStrongMethod(let method, let user): try insert(method, of: user, in: tenant)
        case .removeStrongMethods(let ids, let user): try removeMethods(ids, of: user, in: tenant)
        case .setSuspension(let ids, let user, let date): try suspendMethods(ids, of: user, in: tenant, since: date)
        case .noteUse(let id, let user, let at): try noteUse(of: id, of: user, in: tenant, at: at)
        case .spendStep(let id, let user, let clock): try spend(clock, of: id, of: user, in: tenant)
        case .keepGrant(let grant, let id, let user): try keep(grant, of: id, of: user, in: tenant)
        case .keepNames(let names): try keep(names, in: tenant)
        case .updatePasskey(let id, let user, let old, let new):
            try update(id, of: user, in: tenant, from: old, to: new)
        case .setRecovery(let set, let user, let old): try setRecovery(set, of: user, in: tenant, replacing: old)
        case .setSlowLane(let row, let id): try write(row, ofSlowLane: id, in: tenant)
        case .setLockout(let lockout, let subject): try write(lockout, of: subject, in: tenant)
        case .rememberNetwork(let network, let user, let at): try remember(network, of: user, in: tenant, at: at)
        case .forgetNetworks(let user):
            try run(#"DELETE FROM known_networks WHERE tenant = ? AND "user" = ?"#, [tenant, user])
        case .rememberDevice(let device, let marks): try remember(device, replacing: marks, in: tenant)
        case .noteDeviceUse(let id, let user, let at): try noteUse(ofDevice: id, of: user, in: tenant, at: at)
        case .forgetDevices(let user, let id): try forgetDevices(of: user, id, in: tenant)
        case .openOperatorRequest(let request): try insert(request, in: tenant)
        case .standBehindOperatorRequest(let id, let user, let person):
            try stand(person, behind: id, of: user, in: tenant)
        case .closeOperatorRequest(let id, let user): try closeRequest(id, of: user, in: tenant)
        }
    }

    fileprivate func counted(_ query: StepQuery) throws -> Pending<[Data: [CountedEvent: [Date]]]> {
        guard !query.subjects.isEmpty else { return Pending([:]) }
        return try rows(
            of: "counted_events",
            """
            SELECT subject, event, at FROM counted_events
            WHERE tenant = ? AND subject IN (\(Self.placeholders(query.subjects))) AND at > ? ORDER BY at
            """, [query.tenant] + query.subjects + [query.now.addingTimeInterval(-86_400)]
        ).map { rows in
            var counted: [Data: [CountedEvent: [Date]]] = [:]
            for row in rows {
                counted[try row.value("subject"), default: [:]][try row.value("event"), default: []]
                    .append(try row.value("at"))
            }
            return counted
        }
    }

    /// All of the tenant's recent mails have rows: a row outlives its mail by an hour.
    fileprivate func tenantMailsSince(_ query: StepQuery) throws -> Pending<Date?> {
        guard let limit = query.mailsPerHour else { return Pending(nil) }
        return try rows(
            of: "outbox",
            "SELECT created_at FROM outbox WHERE tenant = ? AND created_at > ? ORDER BY created_at DESC LIMIT 1 OFFSET ?",
            [query.tenant, query.now.addingTimeInterval(-3_600), limit - 1]
        ).map { try $0.first?.value("created_at") }
    }

    fileprivate func lockout(_ subject: Data, in tenant: TenantID) throws -> Pending<Lockout?> {
        try rows(
            of: "lockouts",
            """
            SELECT failures, locked_until, recent, under_way, under_way_until, last_failure_at FROM lockouts
            WHERE tenant = ? AND subject = ?
            """,
            [tenant, subject]
        ).map { rows in
            try rows.first.map { row in
                Lockout(
                    failures: try row.value("failures"), lockedUntil: try row.value("locked_until"),
                    recent: try row.value("recent", as: StoredDigests.self).digests,
                    underWay: try row.value("under_way", as: StoredDigests?.self)?.digests ?? [],
                    underWayUntil: try row.value("under_way_until"),
                    lastFailureAt: try row.value("last_failure_at"))
            }
        }
    }

    private func write(_ lockout: Lockout?, of subject: Data, in tenant: TenantID) throws {
        guard let lockout else {
            try run("DELETE FROM lockouts WHERE tenant = ? AND subject = ?", [tenant, subject])
            return
        }
        try run(
            """
            INSERT INTO lockouts (tenant, subject, failures, locked_until, recent, under_way, under_way_until, last_failure_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant, subject) DO UPDATE SET failures = excluded.failures, locked_until = excluded.locked_until,
                recent = excluded.recent, under_way = excluded.under_way, under_way_until = excluded.under_way_until,
                last_failure_at = excluded.last_failure_at
            """,
            [
                tenant, subject, lockout.failures, lockout.lockedUntil, StoredDigests(digests: lockout.recent),
                lockout.underWayUntil.map { _ in StoredDigests(digests: lockout.underWay) }, lockout.underWayUntil,
                lockout.lastFailureAt,
            ])
    }

    func insert(_ event: AuditEvent) throws {
        try run(
            """
            INSERT INTO audit (tenant, kind, at, client, flow, "user", detail, source, profile)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT profile FROM profile_mark))
            """,
            [
                event.tenant, event.kind, event.at, event.client, event.flow, event.user, event.detail, event.source,
            ])
    }

    /// Removes up to `portion` rows of each kind; returns their number, not counting rows that are removed because they
    /// depend on another row.
    fileprivate func removeExpired(now: Date, portion: Int) throws -> Int {
        try expireMails(now: now)
        let requests = try expireOperatorRequests(now: now, portion: portion)
        // Comparisons that a crash left unfinished (see `Lockout`).
        try run(
            "UPDATE lockouts SET under_way = NULL, under_way_until = NULL WHERE under_way_until <= ?", [now],
            expecting: nil)
        /// Removes the rows of `table` for which `condition` holds, found by the columns of `key`.
        func remove(_ table: String, _ key: String, _ condition: String, _ date: Date) throws -> Int {
            try change(
                "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?)",
                [date, portion])
        }
        return try [
            remove("replays", "tenant, flow, request_digest", "expires_at <= ?", now),
            remove("flows", "tenant, id", "expires_at <= ?", now),
            remove("outbox", "tenant, id", "finished_at < ?", now.addingTimeInterval(-3600)),
            // An access token can outlive its family by at most its own lifetime; until then the family's row shows
            // that it was not revoked.
            remove("refresh_families", "tenant, id", "expires_at <= ?", now.addingTimeInterval(-7_200)),
            // The longest window of their limits.
            remove("texts", "tenant, id", "sent_at <= ?", now.addingTimeInterval(-7 * 86_400)),
            remove("text_pauses", "tenant, area", "until <= ?", now.addingTimeInterval(-86_400)),
            remove("text_days", "tenant, day, area", "last_at <= ?", now.addingTimeInterval(-32 * 86_400)),
            remove("presented_codes", "tenant, digest", "until <= ?", now),
            remove("identity_names", "tenant, credential", "until <= ?", now),
            remove("pushed_requests", "tenant, digest", "until <= ?", now),
            // Until then the device is told that it came too late.
            remove("devices", "tenant, digest", "until <= ?", now.addingTimeInterval(-WaitingDevice.memory)),
            remove(
                "browser_sessions", "tenant, id", "is_kept = 0 AND seen_at <= ?",
                now.addingTimeInterval(-BrowserSession.usual.idle)),
            remove(
                "browser_sessions", "tenant, id", "is_kept = 1 AND seen_at <= ?",
                now.addingTimeInterval(-BrowserSession.kept.idle)),
            remove("held_names", "tenant, mark", "until <= ?", now),
            remove("used_assertions", "tenant, mark", "until <= ?", now),
            remove("email_undos", "tenant, code_digest", "until <= ?", now),
            remove("counted_events", dialect.rowID, "at <= ?", now.addingTimeInterval(-86_400)),
            remove("lockouts", "tenant, subject", "last_failure_at <= ?", now.addingTimeInterval(-Lockout.memory)),
            remove(
                "known_networks", #"tenant, "user", network"#, "last_at < ?", now.addingTimeInterval(-30 * 86_400)),
            remove("remembered_devices", #"tenant, "user", id"#, "until <= ?", now),
            remove("operator_invitations", "tenant, digest", "until <= ?", now),
            remove(
                "operator_sessions", "tenant, digest", "seen_at < ?", now.addingTimeInterval(-Operators.idleLifetime)),
            remove(
                "activity", "tenant, resolution, start, kind", "resolution = 60 AND start < ?",
                now.addingTimeInterval(-ActivitySpan.hour.kept)),
            remove(
                "activity", "tenant, resolution, start, kind", "resolution = 3600 AND start < ?",
                now.addingTimeInterval(-ActivitySpan.month.kept)),
            // SEC-ENR-7.
            remove(
                "strong_methods", #"tenant, "user", id"#, "suspended_at <= ?", now.addingTimeInterval(-14 * 86_400)),
        ].reduce(requests, +)
    }
}
