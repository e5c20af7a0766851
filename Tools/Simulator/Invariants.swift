import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// Everything that clients were told, and the database's content after the last step.
struct Ledger: Sendable {
    struct Person: Sendable {
        var email: String
        var alias: String?
        var attributes: [String: String]
        /// The password that works; nil for those who sign in with codes.
        var password: String?
        var earlierPasswords: [String] = []
        var hash: String?
        var version: Int
        var isDisabled: Bool
    }

    /// A user that may be created.
    struct Possible: Sendable {
        var email: String
        var alias: String?
        var attributes: [String: String]
        /// The passwords that were given in the flow; none: the user signs in with codes.
        var passwords: Set<String>
    }

    struct RepeatableAnswer: Sendable {
        var body: Data
        var until: Date
    }

    struct Family: Sendable {
        var user: String
        var generation: Int
        var digest: String
        var isRevoked: Bool
        var expiresAt: Date
    }

    struct Flow: Sendable {
        var revision: Int
        var digest: String?
        var attempts: Int
        var codesSent: Int
        var misuses: Int
        var isEnded: Bool
    }

    /// The people by identifier in hexadecimal digits, like the other tables.
    var people: [String: Person] = [:]
    var families: [String: Family] = [:]
    var flows: [String: Flow] = [:]
    /// The codes that a flow has sent, and the mails of the slow lane that it has asked for, by the audit trail.
    var ownCodes: [String: Int] = [:]
    var sharedCodes: [String: Int] = [:]
    /// Families with a request that met a fault, or that a thief knows.
    var disturbed: Set<String> = []
    /// The passwords that a sign-up flow was given.
    var drafted: [UUID: Set<String>] = [:]
    /// Answers that a repetition must get again.
    var answers: [Data: RepeatableAnswer] = [:]
    /// Requests whose answer the server may have stored without sending it, until this time.
    var unheard: [Data: Date] = [:]

    // The users of the current step.
    var possibleUsers: [Possible] = []
    var possiblePasswords: [(user: String, password: String)] = []
    var confirmedUsers: [(user: String, Possible)] = []
    var confirmedPasswords: [(user: String, password: String)] = []
    var hasCleaned = false
    var hasChangedKeys = true

    var lastAudit = 0
    var lastChanges = -1
    var wrongCodes = 0
    var failures = 0
    /// The time of the last failure of the person who has not failed for the longest time.
    var oldestFailure = Date.distantFuture
    var lastCleaning = World.start
    /// Flow and effect, each at most once.
    var effects: Set<String> = []
    /// How often each thing happened, for the report.
    var kinds: [String: Int] = [:]
}

/// A line of the audit trail, as read.
private struct Event {
    var kind: AuditEvent.Kind
    var flow: String?
    var user: String?
}

extension World {
    private typealias Cells = [[String?]]

    private func rows(_ sql: String) async throws -> Cells { try await store.unsafeSQL(sql) }

    /// Compares the database with its content before the step, and with everything that clients were told (I1 to I13).
    ///
    /// - Parameter isFull: Whether to check data that seldom changes.
    func check(isFull: Bool) async {
        do {
            let changes = Int(try await rows("SELECT total_changes()").first?.first.flatMap { $0 } ?? "") ?? 0
            if changes != ledger.lastChanges || isFull {
                let tables = try await readTables()
                let events = readAudit(tables["audit"] ?? [])
                checkFlows(tables["flow"] ?? [], mails: tables["mail"] ?? [], events)
                try await checkUsers(tables["user"] ?? [], events, isFull: isFull)
                checkFamilies(tables["family"] ?? [], events)
                if profile.hasLimits, let row = tables["count"]?.first { checkCounters(row, events) }
                ledger.lastChanges = changes
            }
            if ledger.hasChangedKeys || isFull { try await checkKeys() }
            if ledger.hasCleaned { try await checkRetention(allowance: 0) }
            if isFull { try await checkRetention(allowance: 3_600) }
        } catch {
            demand(false, "simulation", "the database cannot be read: \(error)")
        }
        ledger.possibleUsers = []
        ledger.possiblePasswords = []
        ledger.confirmedUsers = []
        ledger.confirmedPasswords = []
        ledger.hasCleaned = false
        ledger.hasChangedKeys = false
        if ledger.answers.count + ledger.unheard.count > 64 {
            let now = clock.now
            ledger.answers = ledger.answers.filter { now < $0.value.until }
            ledger.unheard = ledger.unheard.filter { now < $0.value }
        }
    }

    /// All data that is compared after every step, in one statement: by table, each row without its first cell.
    private func readTables() async throws -> [String: Cells] {
        // A notice is kept for a day, a code for ten minutes.
        let sql = """
            SELECT 'audit', seq, kind, flow, user, detail, NULL, NULL FROM audit WHERE seq > \(ledger.lastAudit)
            UNION ALL
            SELECT 'flow', id, revision, code_digest, code_attempts, codes_sent, misuses, is_ended FROM flows
            UNION ALL
            SELECT 'mail', flow, COUNT(*), NULL, NULL, NULL, NULL, NULL FROM outbox
            WHERE flow IS NOT NULL AND expires_at - created_at <= 600000 GROUP BY flow
            UNION ALL
            SELECT 'user', id, password_hash, credential_version, disabled_at, NULL, NULL, NULL FROM users
            UNION ALL
            SELECT 'family', id, user, generation, token_digest, revoked_at, expires_at, NULL FROM refresh_families
            UNION ALL
            SELECT 'count', (SELECT COUNT(*) FROM counted_events WHERE event = 'wrongCode'),
                (SELECT COALESCE(SUM(failures), 0) FROM lockouts), (SELECT MIN(last_failure_at) FROM lockouts),
                NULL, NULL, NULL, NULL
            """
        var tables: [String: Cells] = [:]
        for row in try await rows(sql) { tables[row[0] ?? "", default: []].append(Array(row.dropFirst())) }
        return tables
    }

    private func readAudit(_ rows: Cells) -> [Event] {
        var events: [Event] = []
        for row in rows {
            guard let seq = row[0].flatMap({ Int($0) }), let kind = row[1].flatMap({ AuditEvent.Kind(rawValue: $0) })
            else { continue }
            ledger.lastAudit = seq
            ledger.kinds[kind.rawValue, default: 0] += 1
            events.append(Event(kind: kind, flow: row[2], user: row[3]))
            // A code of the slow lane belongs to no flow: the flow that asked for it does not count it (design record 0013).
            if kind == .codeSent, let flow = row[2] {
                ledger.ownCodes[flow, default: 0] += row[4] == "shared" ? 0 : 1
                ledger.sharedCodes[flow, default: 0] += row[4] == "shared" ? 1 : 0
            }
        }
        // I4, I9: an event that happens once in a flow is written once, regardless of repetitions.
        for event in events {
            switch event.kind {
            case .signUpCompleted, .tokenIssued, .resetCompleted, .passwordChanged, .methodRegistered:
                guard let flow = event.flow else { continue }
                let isNew = ledger.effects.insert("\(event.kind.rawValue) \(flow)").inserted
                demand(isNew, "I4", "\(event.kind.rawValue) happened twice in one flow")
            case _:
                break
            }
        }
        return events
    }

    // MARK: I4, I7, I8

    private func checkFlows(_ rows: Cells, mails counts: Cells, _ events: [Event]) {
        var flows: [String: Ledger.Flow] = [:]
        for row in rows {
            guard let id = row[0] else { continue }
            func number(_ column: Int) -> Int { row[column].flatMap { Int($0) } ?? 0 }
            flows[id] = Ledger.Flow(
                revision: number(1), digest: row[2], attempts: number(3), codesSent: number(4), misuses: number(5),
                isEnded: number(6) == 1)
        }
        var mails: [String: Int] = [:]
        for row in counts {
            if let flow = row[0] { mails[flow] = row[1].flatMap { Int($0) } }
        }
        for (id, flow) in flows {
            // The row of a slow lane is no flow: no line of the trail names it, its mails name the flows that asked, and its
            // next code begins anew (design record 0013).
            if flow.codesSent > 0, ledger.ownCodes[id] == nil, mails[id] == nil {
                demand(
                    flow.attempts <= engine.settings.limits?.guessesPerSharedCode ?? 0, "I8",
                    "\(flow.attempts) guesses at one shared code")
                continue
            }
            if let own = ledger.ownCodes[id] {
                let codes = own + (ledger.sharedCodes[id] ?? 0)
                demand(own == flow.codesSent, "I7", "\(own) lines for \(flow.codesSent) codes of a flow")
                demand(mails[id] ?? 0 == codes, "I7", "\(mails[id] ?? 0) mails for \(codes) codes of a flow")
            }
            demand(flow.attempts <= engine.settings.guessesPerCode, "I8", "\(flow.attempts) guesses at one code")
            guard let old = ledger.flows[id] else { continue }
            demand(flow.revision >= old.revision, "I4", "a flow went back to revision \(flow.revision)")
            demand(flow.misuses >= old.misuses, "I8", "misuses went down to \(flow.misuses)")
            demand(flow.isEnded || !old.isEnded, "I4", "an ended flow goes on")
            demand(flow.codesSent >= old.codesSent, "I8", "codes sent went down to \(flow.codesSent)")
            if flow.digest == old.digest {
                demand(
                    flow.attempts >= old.attempts, "I8", "attempts went from \(old.attempts) to \(flow.attempts)")
            } else if flow.digest != nil {
                demand(flow.codesSent > old.codesSent, "I8", "another code without a mail")
            }
        }
        for (id, old) in ledger.flows where flows[id] == nil {
            demand(ledger.hasCleaned, "I8", "a flow of revision \(old.revision) is gone")
        }
        for event in events {
            let isConsuming =
                switch event.kind {
                case .codeVerified, .signUpCompleted, .tokenIssued, .resetCompleted, .methodRegistered: true
                case _: false
                }
            guard isConsuming, let id = event.flow, let flow = flows[id] else { continue }
            let advanced = flow.revision > ledger.flows[id]?.revision ?? 0
            demand(advanced, "I4", "\(event.kind.rawValue) without a step of its flow")
            if event.kind == .tokenIssued { demand(flow.isEnded, "I4", "a flow continues after its tokens") }
        }
        ledger.flows = flows
    }

    // MARK: I1, I2, I3, I5, I9, I13

    private func checkUsers(_ users: Cells, _ events: [Event], isFull: Bool) async throws {
        func count(_ user: String, _ kinds: Set<AuditEvent.Kind>) -> Int {
            events.count { $0.user == user && kinds.contains($0.kind) }
        }
        var found: Set<String> = []
        var newUsers: [String] = []
        for row in users {
            guard let id = row[0] else { continue }
            found.insert(id)
            let version = row[2].flatMap { Int($0) } ?? 0
            guard var person = ledger.people[id] else {
                newUsers.append(id)
                continue
            }
            if row[1] != person.hash {
                demand(count(id, [.passwordChanged]) > 0, "I9", "a password changed and nothing tells of it")
                let possible = ledger.possiblePasswords.last { $0.user == id }
                let isRight = row[1].map { SimulationHasher.isHash($0, of: possible?.password ?? "") } ?? false
                demand(possible != nil && isRight, "I5", "a password changed without a request")
                if let earlier = person.password { person.earlierPasswords.append(earlier) }
                person.password = possible?.password
                person.hash = row[1]
            }
            let changes = count(id, [.passwordChanged, .accountDisabled, .methodsForgotten, .methodRegistered])
            demand(
                version == person.version + changes, "SEC-CT-9",
                "the credentials have version \(version) after \(person.version) and \(changes) changes")
            person.version = version
            person.isDisabled = row[3] != nil
            ledger.people[id] = person
        }
        for id in ledger.people.keys { demand(found.contains(id), "I1", "a user is gone") }
        for (user, password) in ledger.confirmedPasswords {
            demand(ledger.people[user]?.password == password, "I5", "a confirmed new password does not work")
        }
        let completed = events.count { $0.kind == .signUpCompleted }
        demand(completed == newUsers.count, "I9", "\(newUsers.count) new users, \(completed) told")
        for (user, _) in ledger.confirmedUsers where ledger.people[user] == nil {
            demand(newUsers.contains(user), "I1", "a confirmed user is not there")
        }
        guard !newUsers.isEmpty || isFull else { return }
        try await checkNames(users, newUsers)
    }

    private func checkNames(_ users: Cells, _ newUsers: [String]) async throws {
        var names: [String: [String: String]] = [:]
        var keys: Set<String> = []
        for row in try await rows("SELECT user, kind, display, proven_at, key FROM identifiers") {
            guard let user = row[0], let kind = row[1], let display = row[2], let key = row[4] else { continue }
            demand(names[user]?[kind] == nil, "I3", "a user has two names of one kind")
            demand(kind != "email" || row[3] != nil, "I2", "an address that was not proven")
            demand(keys.insert(key).inserted, "I3", "a name of two users")
            names[user, default: [:]][kind] = display
        }
        var attributes: [String: [String: String]] = [:]
        for row in try await rows("SELECT user, name, value FROM attributes") {
            guard let user = row[0], let name = row[1] else { continue }
            // Texts are kept as JSON.
            attributes[user, default: [:]][name] = row[2].map { $0.filter { $0 != "\"" } }
        }
        for row in users {
            guard let id = row[0] else { continue }
            let email = names[id]?["email"].map(Self.lowercased)
            demand(email != nil, "I2", "a user without an address")
            if let person = ledger.people[id] {
                demand(email == person.email, "I1", "an address changed")
                demand(names[id]?["alias"] == person.alias, "I1", "an alias changed")
                demand(attributes[id] ?? [:] == person.attributes, "I1", "attributes changed")
                continue
            }
            let hash = row[1]
            let possible = ledger.possibleUsers.first { possible in
                possible.email == email && possible.alias == names[id]?["alias"]
                    && possible.attributes == attributes[id] ?? [:]
                    && (hash == nil) == possible.passwords.isEmpty
                    && hash.map { hash in possible.passwords.contains { SimulationHasher.isHash(hash, of: $0) } }
                        ?? true
            }
            demand(possible != nil, "I1", "a user without a sign-up: \(names[id] ?? [:]) \(attributes[id] ?? [:])")
            guard let possible else { continue }
            ledger.people[id] = Ledger.Person(
                email: possible.email, alias: possible.alias, attributes: possible.attributes,
                password: hash.flatMap { hash in possible.passwords.first { SimulationHasher.isHash(hash, of: $0) } },
                hash: hash, version: row[2].flatMap { Int($0) } ?? 0, isDisabled: row[3] != nil)
        }
        for user in names.keys { demand(ledger.people[user] != nil, "I3", "a name without an account") }
    }

    nonisolated static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    // MARK: I6, I10

    private func checkFamilies(_ rows: Cells, _ events: [Event]) {
        var families: [String: Ledger.Family] = [:]
        var (rotations, opened) = (0, 0)
        for row in rows {
            guard let id = row[0], let user = row[1], let digest = row[3] else { continue }
            let family = Ledger.Family(
                user: user, generation: row[2].flatMap { Int($0) } ?? 0, digest: digest, isRevoked: row[4] != nil,
                expiresAt: Date(timeIntervalSince1970: (row[5].flatMap { Double($0) } ?? 0) / 1000))
            families[id] = family
            let old = ledger.families[id]
            opened += old == nil ? 1 : 0
            rotations += family.generation - (old?.generation ?? 0)
            guard let old else { continue }
            demand(
                (family.digest != old.digest) == (family.generation > old.generation), "I10",
                "a live token changed without a rotation")
            demand(family.isRevoked || !old.isRevoked, "I10", "a revoked family lives again")
            demand(
                !old.isRevoked || family.generation == old.generation, "I10", "a revoked family was rotated")
            guard family.isRevoked, !old.isRevoked else { continue }
            let causes = Set(events.filter { $0.user == user }.map(\.kind))
            if causes.isDisjoint(with: [
                .passwordChanged, .accountDisabled, .methodsForgotten, .methodRegistered, .tokenRevoked,
            ]) {
                demand(causes.contains(.tokenReuseDetected), "I9", "a family was revoked and nothing tells why")
                demand(ledger.disturbed.contains(id), "SDK-STO-4", "an honest client was taken for a thief")
            }
        }
        for user in Set(events.filter { $0.kind == .passwordChanged || $0.kind == .accountDisabled }.compactMap(\.user))
        {
            // Sessions that were opened in the same step with the new credentials may stay.
            for (id, family) in families where family.user == user && ledger.families[id] != nil {
                demand(family.isRevoked, "I5", "a session outlived its password")
            }
        }
        demand(opened == events.count { $0.kind == .tokenIssued }, "I9", "\(opened) sessions, and other tidings")
        demand(
            rotations == events.count { $0.kind == .tokenRefreshed }, "I9", "\(rotations) rotations, and other tidings")
        let limit = clock.now.addingTimeInterval(-7_200)
        for (id, old) in ledger.families where families[id] == nil {
            demand(ledger.hasCleaned && old.expiresAt <= limit, "I10", "a session is gone before its time")
        }
        ledger.families = families
    }

    // MARK: I8 over a day

    private func checkCounters(_ row: [String?], _ events: [Event]) {
        let (codes, failures) = (row[0].flatMap { Int($0) } ?? 0, row[1].flatMap { Int($0) } ?? 0)
        let kinds = Set(events.map(\.kind))
        if !ledger.hasCleaned {
            demand(
                codes >= ledger.wrongCodes || kinds.contains(.codeVerified), "I8",
                "wrong codes went from \(ledger.wrongCodes) to \(codes) without a right one")
            // Failures that are a day old count as none at the next one.
            let isDay = clock.now.timeIntervalSince(ledger.oldestFailure) >= 86_400
            demand(
                failures >= ledger.failures || isDay
                    || !kinds.isDisjoint(with: [.signInSucceeded, .secondFactorRequired, .passwordChanged]), "I8",
                "failures went from \(ledger.failures) to \(failures) without a success")
        }
        (ledger.wrongCodes, ledger.failures) = (codes, failures)
        ledger.oldestFailure =
            row[2].flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0 / 1000) } ?? .distantFuture
    }

    // MARK: I11, I12

    private func checkKeys() async throws {
        let now = Int(clock.now.timeIntervalSince1970 * 1000)
        let keys = try await rows("SELECT kid, active_from FROM signing_keys ORDER BY active_from DESC")
            .map { $0[1].flatMap { Int($0) } ?? 0 }
        guard !keys.isEmpty else { return }
        let begun = keys.filter { $0 <= now }
        demand(!begun.isEmpty, "I11", "no key signs")
        demand(begun.count < 2 || begun[0] > begun[1], "I11", "two keys sign")
        demand(keys.count - begun.count <= 1, "I11", "several next keys")
    }

    /// - Parameter allowance: How many seconds longer a row may stay.
    private func checkRetention(allowance: Double) async throws {
        func before(_ seconds: Double) -> Int { Int((clock.now.timeIntervalSince1970 - seconds - allowance) * 1000) }
        let limits: KeyValuePairs = [
            "replays": "expires_at <= \(before(0))", "flows": "expires_at <= \(before(0))",
            "outbox": "finished_at < \(before(3_600))",
            "texts": "sent_at <= \(before(7 * 86_400))",
            "refresh_families": "expires_at <= \(before(7_200))", "counted_events": "at <= \(before(86_400))",
            "lockouts": "last_failure_at <= \(before(86_400))", "known_networks": "last_at < \(before(30 * 86_400))",
        ]
        let sql = limits.map { "SELECT '\($0.key)' WHERE EXISTS (SELECT 1 FROM \($0.key) WHERE \($0.value))" }
        for row in try await rows(sql.joined(separator: " UNION ALL ")) {
            demand(false, "I12", "\(row[0] ?? "") holds what should be gone")
        }
        for row in try await rows(
            "SELECT 1 FROM outbox WHERE state = 'pending' AND expires_at <= \(before(0)) LIMIT 1")
        {
            demand(row.isEmpty, "I12", "a mail waits for ever")
        }
    }

    /// The server's work once a minute: removes expired rows, and rotates keys.
    func clean() async throws {
        _ = try await engine.removeExpired(now: clock.now)
        try await keys.rotateIfDue(now: clock.now)
        ledger.hasCleaned = true
        ledger.hasChangedKeys = true
        ledger.lastCleaning = clock.now
    }
}
