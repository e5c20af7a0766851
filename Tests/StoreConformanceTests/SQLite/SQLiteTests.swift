import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

@Suite("SQLite: group commit", .timeLimit(.minutes(1)))
struct GroupCommitTests {
    /// Keeps the writer busy until `count` jobs from `callers` wait, so that they form one batch.
    private func withOneBatch<Value: Sendable>(
        of count: Int, on store: SQLiteStore, callers: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        let isHeld = AsyncStream.makeStream(of: Void.self)
        async let holder: Void = store.step(fixtureQuery()) { _ in
            isHeld.continuation.finish()
            // Runs on the writer's own thread: waiting here blocks only the writer.
            while store.waitingCount < count { sched_yield() }
            return (nil, ())
        }
        for await _ in isHeld.stream {}
        let values = try await race(count, callers)
        try await holder
        return values
    }

    /// A store in memory has no thread of its own, and gathers no batch.
    private func withFile(_ body: (SQLiteStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try await body(SQLiteStore(path: folder.appending(path: "test.db").path()))
        }
    }

    @Test("REL-TX-2: all that waits is one commit")
    func allThatWaitsIsOneCommit() async throws {
        try await withFile { store in
            _ = try await withOneBatch(of: 200, on: store) { index in
                try await store.perform(.createUser(fixtureUser("user\(index)")))
            }
            #expect(store.commitCount == 1)
            #expect(try await store.countUsers(in: contoso) == 200)
        }
    }

    @Test("After a change that throws, the others of its batch run once more and count once", arguments: [0, 2, 4])
    func theOthersRunAgain(_ thrower: Int) async throws {
        struct Enough: Error {}
        try await withFile { store in
            let runs = Locked(0)
            let isWritten = try await withOneBatch(of: 5, on: store) { index in
                do {
                    try await store.write([]) { session in
                        runs.withLock { $0 += 1 }
                        _ = try session.change("UPDATE write_probe SET count = count + 1 WHERE id = 1", [])
                        if index == thrower { throw Enough() }
                    }
                    return true
                } catch {
                    return false
                }
            }
            #expect(isWritten.filter { $0 }.count == 4)
            #expect((6...10).contains(runs.withLock { $0 }))
            #expect(store.commitCount == 1)
            #expect(try await store.unsafeSQL("SELECT count FROM write_probe") == [["4"]])
        }
    }

    @Test
    func aFailingJobDoesNotHurtTheOthersOfItsBatch() async throws {
        try await withFile { store in
            let users = (0..<10).map { fixtureUser("user\($0)") }
            let isWritten = try await withOneBatch(of: 10, on: store) { index in
                do {
                    // Every third also creates a user with the same identifier.
                    if index % 3 == 0 {
                        try await store.perform(.createUser(users[index]), .createUser(fixtureUser("user\(index)")))
                    } else {
                        try await store.perform(.createUser(users[index]))
                    }
                    return true
                } catch {
                    return false
                }
            }
            #expect(isWritten.filter { $0 }.count == 6)
            for (index, user) in users.enumerated() {
                #expect(try await (store.user(user.id, in: contoso) != nil) == (index % 3 != 0))
            }
        }
    }

    @Test(
        "A transaction that is lost fails every caller of the batch and leaves nothing",
        arguments: [
            // A foreign key that is checked at commit simulates a disk that fails there.
            "INSERT INTO poison VALUES (1);",
            // SQLite's own reaction to some disk errors inside a transaction.
            "SELECT RAISE(ROLLBACK, 'the disk is gone');",
        ], [1, 5])
    func aLostTransactionFailsEveryCaller(_ failure: String, _ callers: Int) async throws {
        try await withFile { store in
            for sql in [
                "CREATE TABLE antidote (id INTEGER PRIMARY KEY)",
                "CREATE TABLE poison (id INTEGER REFERENCES antidote (id) DEFERRABLE INITIALLY DEFERRED)",
                "CREATE TRIGGER poisoning AFTER INSERT ON audit WHEN NEW.detail = 'poison' BEGIN \(failure) END",
            ] {
                _ = try await store.unsafeSQL(sql)
            }
            let isWritten = try await withOneBatch(of: callers, on: store) { index in
                do {
                    let event = AuditEvent(
                        .signUpCompleted, at: noon, tenant: contoso, detail: index == 0 ? "poison" : nil)
                    try await store.perform(.createUser(fixtureUser("user\(index)")), .record(event))
                    return true
                } catch StoreError.unavailable(let cause) {
                    // The log names what the disk said, and not only that the transaction is gone.
                    #expect("\(cause)".hasPrefix("SQLite "))
                    return false
                }
            }
            #expect(isWritten == Array(repeating: false, count: callers))
            #expect(store.commitCount == 0)
            #expect(try await store.countUsers(in: contoso) == 0)
            // The writer continues.
            try await store.perform(.createUser(fixtureUser("user0")))
            #expect(try await store.countUsers(in: contoso) == 1)
        }
    }

    @Test("A change that throws half way leaves nothing, alone or among others", arguments: [1, 5])
    func aChangeThatThrowsIsUndone(_ callers: Int) async throws {
        struct Enough: Error {}
        try await withFile { store in
            _ = try await withOneBatch(of: callers, on: store) { index in
                do {
                    try await store.write([]) { session in
                        _ = try session.change("UPDATE write_probe SET count = count + 1 WHERE id = 1", [])
                        if index == 0 { throw Enough() }
                    }
                    #expect(index != 0)
                } catch {
                    #expect(index == 0)
                }
            }
            #expect(try await store.unsafeSQL("SELECT count FROM write_probe") == [["\(callers - 1)"]])
        }
    }

    @Test(
        "Lists of words come back as they were, plain or not",
        arguments: [
            [], [""], ["openid"], ["openid", "offline_access"], ["a\"b", "\\", "c/d", "é", "\u{0}", ",", "\",\""],
            ["[", "]"],
        ])
    func wordListsComeBack(_ words: [String]) throws {
        let stored = try words.stored
        #expect([String].restore(stored) == words)
        guard case .text(let text) = stored else { return #expect(Bool(false)) }
        // It is valid JSON for any parser.
        #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == words)
        let coded = String(decoding: try JSONEncoder().encode(words), as: UTF8.self)
        #expect([String].restore(.text(coded)) == words)
    }

    @Test(
        "What is no list of words is none",
        arguments: ["", "[", "[\"a\"", "[\"a\"\"b\"]", "[\"a\"x\"b\"]", "[\"a\n\"]"])
    func otherTextIsNoList(_ text: String) {
        #expect([String].restore(.text(text)) == nil)
    }

    @Test
    func aQueuedJobRunsAlthoughItsCallerIsCancelled() async throws {
        try await withFile { store in
            let user = fixtureUser("ada")
            _ = try await withOneBatch(of: 1, on: store) { _ in
                await withTaskGroup(of: Void.self) { group in
                    group.cancelAll()
                    group.addTask {
                        #expect(Task.isCancelled)
                        await #expect(throws: Never.self) { try await store.perform(.createUser(user)) }
                    }
                }
            }
            #expect(try await store.user(user.id, in: contoso) != nil)
        }
    }

    @Test("A refusal that changes nothing writes nothing to the disk")
    func aNilChangeWritesNothing() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "test.db").path()
            let store = try SQLiteStore(path: path)
            let user = fixtureUser("ada")
            let family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            func state() async throws -> [String] {
                [
                    String(describing: try Data(contentsOf: URL(filePath: path)).hashValue),
                    String(describing: try Data(contentsOf: URL(filePath: path + "-wal")).hashValue),
                    String(store.commitCount),
                ]
            }
            let before = try await state()
            _ = try await race(50) { _ in
                try await store.facts(fixtureQuery(identifiers: [key("ada@example.com")]))
            }
            let event = AuditEvent(.tokenRefreshed, at: noon, tenant: contoso)
            _ = try await store.updateRefreshFamily(family.id, in: contoso) { _ in (nil, event, 0) }
            try await store.markSent([LeasedMail(mail: fixtureMail(), attempts: 0)], now: noon)
            _ = try await store.leaseMails(limit: 5, now: noon, until: noon + 60)
            #expect(try await state() == before)

            try await store.perform(.createUser(fixtureUser("eve")))
            #expect(try await state() != before)
        }
    }

    @Test
    func aClosedStoreIsUnavailable() async throws {
        let store = try SQLiteStore.inMemory()
        try await store.close()
        await expectUnavailable { try await store.perform(.createUser(fixtureUser("ada"))) }
        await expectUnavailable { _ = try await store.countUsers(in: contoso) }
        await expectUnavailable { try await store.checkWritable() }
    }

    @Test("REL-DISK-1: a full disk refuses writes and spoils nothing")
    func aFullDiskRefusesWrites() async throws {
        let store = try SQLiteStore.inMemory()
        _ = try await store.unsafeSQL("PRAGMA max_page_count = 150")
        let big = String(repeating: "x", count: 20_000)
        var created = 0
        for index in 0..<30 {
            do {
                try await store.perform(.createUser(fixtureUser("user\(index)", attributes: ["big": .string(big)])))
                created += 1
            } catch StoreError.unavailable {
                break
            }
        }
        #expect((1..<30).contains(created))
        #expect(try await store.countUsers(in: contoso) == created)
        _ = try await store.unsafeSQL("PRAGMA max_page_count = 100000")
        try await store.perform(.createUser(fixtureUser("later", attributes: ["big": .string(big)])))
        #expect(try await store.countUsers(in: contoso) == created + 1)
        #expect(try await store.unsafeSQL("PRAGMA integrity_check") == [["ok"]])
    }
}

@Suite("SQLite: the file")
struct SQLiteFileTests {
    private func withPath(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body($0.appending(path: "data/deep/identity.db").path()) }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("what is done every second looks at what is left to do, not at all that was ever done")
    func plans() async throws {
        let store = try SQLiteStore.inMemory()
        let statements = [
            SQLDialect.sqlite.tenantsWithUnsealedLines: "audit_unsealed (tenant>?)",
            "SELECT seq FROM audit WHERE tenant = x'' AND position IS NULL ORDER BY seq LIMIT 500":
                "audit_by_position (tenant=? AND position=?)",
            """
            SELECT seq FROM audit WHERE tenant = x'' AND "user" = x'' AND position IS NOT NULL ORDER BY seq DESC LIMIT 5
            """: "audit_by_user (tenant=? AND user=?)",
            "SELECT MIN(due_at) AS due FROM outbox WHERE state = 'pending'": "outbox_by_due",
            """
            SELECT sealed_content FROM outbox WHERE state = 'pending' AND due_at <= 5
                AND (lane IS NULL OR lane NOT IN (x'00')) ORDER BY due_at, rowid LIMIT 5
            """: "outbox_by_due (due_at<?)",
        ]
        for (statement, index) in statements {
            let plan = try await store.read { session in
                try session.fetch("EXPLAIN QUERY PLAN \(statement)", []).get().rows.compactMap(\.last)
            }
            #expect(plan.contains { if case .text(let text) = $0 { text.contains(index) } else { false } }, "\(plan)")
        }
    }

    @Test("REL-TX-2, SEC-SEC-2: durable commits, foreign keys, patience and overwriting on every connection")
    func thePragmasAreAsRequired() async throws {
        try await withPath { path in
            let store = try SQLiteStore(path: path)
            for reader in [false, true] {
                for (pragma, value) in [
                    "journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000",
                    "secure_delete": "1",
                ] {
                    #expect(
                        try await store.unsafeSQL("PRAGMA \(pragma)", reader: reader) == [[value]],
                        "\(pragma), reader: \(reader)")
                }
            }
        }
    }

    @Test("SEC-SEC-2: the files are 0600, a new folder 0700")
    func theFilesAreForTheOwnerOnly() async throws {
        try await withPath { path in
            let store = try SQLiteStore(path: path)
            try await store.checkWritable()
            for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try mode(path + suffix) == 0o600, "\(suffix)") }
            let folder = URL(filePath: path).deletingLastPathComponent()
            #expect(try mode(folder.path()) == 0o700)
            #expect(try mode(folder.deletingLastPathComponent().path()) == 0o700)
        }
    }

    @Test("SEC-SEC-2: a file that others could read is closed to them")
    func aReadableFileIsClosed() async throws {
        try await withPath { path in
            try await SQLiteStore(path: path).close()
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let store = try SQLiteStore(path: path)
            for suffix in ["", "-wal", "-shm"] { #expect(try mode(path + suffix) == 0o600, "\(suffix)") }
            try await store.close()
        }
    }

    @Test
    func aReopenedFileHasEverything() async throws {
        try await withPath { path in
            let user = fixtureUser("ada", alias: "countess", attributes: ["city": "London"])
            let family = fixtureFamily(of: user)
            let mail = fixtureMail()
            let query = fixtureQuery(user: user.id, subjects: [digest("ada")], lockout: digest("ada"))
            let lockout = Lockout(
                failures: 11, lockedUntil: noon + 120, recent: ["1", "2", "3"].map(digest), lastFailureAt: noon)
            let method = try fixtureMethod("ada@work.example")
            let code = CodeRecord(digest: digest("code"), target: digest("target"), sentAt: noon, expiresAt: noon + 600)
            let change = FlowChange(
                row: FlowRow(revision: 2, code: code, expiresAt: noon + 900),
                effects: [
                    .createUser(user), .openRefreshFamily(family), .enqueueMail(mail),
                    .changePassword(user.id, PasswordHash(phc: "$new"), at: noon + 1),
                    .addStrongMethod(method, to: user.id), .setLockout(lockout, subject: digest("ada")),
                    .count(.secondFactorMailed, subject: digest("ada"), at: noon),
                    .rememberNetwork(digest("home"), of: user.id, at: noon),
                    .record(
                        AuditEvent(
                            .signUpCompleted, at: noon, tenant: contoso, client: app, flow: query.flow, user: user.id,
                            detail: "1")),
                ],
                replay: ReplayRecord(
                    requestDigest: query.requestDigest, sealedAnswer: Data("answer".utf8), expiresAt: noon + 60))
            let first = try SQLiteStore(path: path)
            try await first.write(change, query)
            let keys = try await first.insertFirstSigningKey(fixtureKey("rsa"))
            let account = try #require(try await first.account(user.id, in: contoso))
            try await first.close()

            let store = try SQLiteStore(path: path)
            #expect(account.strongMethods == [method] && account.credentialVersion == 1)
            #expect(try await store.account(user.id, in: contoso) == account)
            #expect(try await store.isFamiliar(digest("home"), to: user.id, in: contoso, since: noon))
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            #expect(try await store.signingKeys(for: contoso) == keys)
            #expect(
                try await store.facts(query)
                    == StepFacts(
                        row: change.row, sealedAnswer: Data("answer".utf8), account: account,
                        counted: [digest("ada"): [.secondFactorMailed: [noon]]], lockout: lockout))
            #expect(
                try await store.leaseMails(limit: 1, now: noon, until: noon + 1) == [
                    LeasedMail(mail: mail, attempts: 0)
                ])
            #expect(
                try await store.unsafeSQL("SELECT seq, kind, detail FROM audit") == [["1", "signup.completed", "1"]])
        }
    }

    @Test("SEC-AUD-1: disabling and enabling leave a line each, and none for a user who is not there")
    func disablingLeavesATrail() async throws {
        let store = try SQLiteStore.inMemory()
        let user = fixtureUser("ada")
        try await store.perform(.createUser(user))
        for (date, kind) in [(noon, AuditEvent.Kind.accountDisabled), (nil, .accountEnabled)] {
            for id in [user.id, UserID(UUID())] {
                let event = AuditEvent(kind, at: noon, tenant: contoso, user: id)
                #expect(try await store.setDisabled(date, id, in: contoso, event: event) == (id == user.id))
            }
        }
        #expect(
            try await store.unsafeSQL("SELECT kind, user = (SELECT id FROM users) FROM audit ORDER BY seq")
                == [["account.disabled", "1"], ["account.enabled", "1"]])
    }

    @Test("REL-HA-6: a file in use is refused")
    func aFileInUseIsRefused() async throws {
        try await withPath { path in
            let first = try SQLiteStore(path: path)
            #expect(throws: SQLiteStoreOpenError.lockedByAnotherProcess(path: path)) { try SQLiteStore(path: path) }
            let link = path + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(throws: SQLiteStoreOpenError.self) { try SQLiteStore(path: link) }
            // The refusal has not affected the first store.
            try await first.checkWritable()
            try await first.close()
            try await SQLiteStore(path: path).checkWritable()
        }
    }

    @Test("REL-TX-5: a newer schema is refused")
    func aNewerSchemaIsRefused() async throws {
        try await withPath { path in
            let store = try SQLiteStore(path: path)
            _ = try await store.unsafeSQL("INSERT INTO grdb_migrations VALUES ('9999 from the future')")
            try await store.close()
            #expect(throws: SQLiteStoreOpenError.newerSchema(path: path)) { try SQLiteStore(path: path) }
        }
    }

    @Test
    func whatIsNoDatabaseOfOursIsRefusedUnchanged() async throws {
        try await withTemporaryFolder { folder in
            for text in ["Dear diary", String(repeating: "Dear diary\n", count: 1000)] {
                let file = folder.appending(path: "diary.txt")
                try Data(text.utf8).write(to: file)
                #expect(throws: SQLiteStoreOpenError.notADatabase(path: file.path())) {
                    try SQLiteStore(path: file.path())
                }
                #expect(try Data(contentsOf: file) == Data(text.utf8))
            }
            let cut = folder.appending(path: "cut.db")
            try Data("SQLite format 3\0 and then nothing of the kind".utf8).write(to: cut)
            #expect(throws: SQLiteStoreOpenError.notADatabase(path: cut.path())) { try SQLiteStore(path: cut.path()) }
        }
    }

    @Test
    func aDatabaseOfAnotherProgramIsRefused() async throws {
        try await withPath { path in
            let store = try SQLiteStore(path: path)
            _ = try await store.unsafeSQL("DROP TABLE grdb_migrations")
            try await store.close()
            #expect(throws: SQLiteStoreOpenError.notADatabase(path: path)) { try SQLiteStore(path: path) }
        }
    }

    @Test
    func aPathThatIsNoFileIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let folderError = #expect(throws: SQLiteStoreOpenError.self) { try SQLiteStore(path: folder.path()) }
            #expect(folderError.map { "\($0)".contains(folder.path()) } == true)
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            let path = file.path() + "/identity.db"
            let error = #expect(throws: SQLiteStoreOpenError.self) { try SQLiteStore(path: path) }
            #expect(error.map { "\($0)" } == "The database \(path) cannot be opened: Not a directory.")
        }
    }

    @Test("SEC-MAIL-2, SEC-SEC-2: a mail's content is gone from every file after it was sent, failed or expired")
    func aWipedMailIsGoneFromTheDisk() async throws {
        try await withPath { path in
            let store = try SQLiteStore(path: path)
            func filesContain(_ canary: String) throws -> Bool {
                try ["", "-wal"].contains { suffix in
                    try Data(contentsOf: URL(filePath: path + suffix)).range(of: Data(canary.utf8)) != nil
                }
            }
            let canaries = ["canary-sent-4711", "canary-failed-4711", "canary-expired-4711", "canary-waiting-4711"]
            let mails = canaries.enumerated().map { fixtureMail($1, expiresAt: noon + ($0 < 3 ? 600 : 6000)) }
            for mail in mails { try await store.perform(.enqueueMail(mail)) }
            try await store.checkpoint()
            for canary in canaries { #expect(try filesContain(canary), "the scan must be able to find it") }

            let leased = try await store.leaseMails(limit: 4, now: noon, until: noon + 60)
            func lease(_ mail: OutboxMail) throws -> LeasedMail { try #require(leased.first { $0.mail.id == mail.id }) }
            try await store.markSent([lease(mails[0])], now: noon)
            try await store.markFailed(
                lease(mails[1]), now: noon, event: AuditEvent(.mailFailed, at: noon, tenant: contoso),
                refusedBy: nil)
            _ = try await store.removeExpired(now: noon + 600)

            for canary in canaries.dropLast() { #expect(try !filesContain(canary), "\(canary)") }
            #expect(try filesContain(canaries[3]))
            #expect(
                try await store.unsafeSQL("SELECT state, sealed_content IS NULL FROM outbox ORDER BY state")
                    == [["expired", "1"], ["failed", "1"], ["pending", "0"], ["sent", "1"]])
            #expect(try await store.unsafeSQL("SELECT kind FROM audit") == [["outbox.failed"]])
        }
    }
}

@Suite("SQLite: damage")
struct SQLiteDamageTests {
    @Test(
        "A row that does not decode is reported with its table",
        arguments: [
            ("flows", "UPDATE flows SET is_ended = 7"),
            ("flows", "UPDATE flows SET code_digest = x'00'"),
            ("identifiers", "UPDATE identifiers SET kind = 'telepathy'"),
            ("identifiers", "DELETE FROM identifiers"),
            ("attributes", "UPDATE attributes SET value = 'no JSON'"),
            ("attributes", "UPDATE attributes SET type = 'integer'"),
            ("outbox", "UPDATE outbox SET sealed_content = NULL"),
            ("outbox", "UPDATE outbox SET id = x'0102'"),
            ("refresh_families", "UPDATE refresh_families SET scopes = '{}'"),
            ("refresh_families", "UPDATE refresh_families SET previous_digest = x'00'"),
            ("refresh_families", "UPDATE refresh_families SET contexts = 'c1'"),
            ("strong_methods", "UPDATE strong_methods SET email = 'no address'"),
            ("strong_methods", "UPDATE strong_methods SET id = x'0102'"),
            ("lockouts", "UPDATE lockouts SET recent = x'0102'"),
            ("signing_keys", "UPDATE signing_keys SET algorithm = 'none'"),
        ])
    func aDamagedRowIsReported(_ table: String, _ damage: String) async throws {
        let store = try SQLiteStore.inMemory()
        let user = fixtureUser("ada", attributes: ["city": "London"])
        let family = fixtureFamily(of: user)
        let query = fixtureQuery(user: user.id, lockout: digest("ada"))
        let lockout = Lockout(failures: 1, recent: [digest("guess")], lastFailureAt: noon)
        try await store.write(
            FlowChange(
                row: FlowRow(expiresAt: noon + 900),
                effects: [
                    .createUser(user), .openRefreshFamily(family), .enqueueMail(fixtureMail()),
                    .addStrongMethod(try fixtureMethod("ada@work.example"), to: user.id),
                    .setLockout(lockout, subject: digest("ada")),
                ]), query)
        _ = try await store.insertFirstSigningKey(fixtureKey("rsa"))
        func readAll() async throws {
            _ = try await store.facts(query)
            _ = try await store.user(user.id, in: contoso)
            _ = try await store.leaseMails(limit: 1, now: noon, until: noon)
            _ = try await store.refreshFamily(family.id, in: contoso)
            _ = try await store.signingKeys(for: contoso)
        }
        try await readAll()

        _ = try await store.unsafeSQL(damage)

        let error = await #expect(throws: StoreError.self) { try await readAll() }
        guard case .corrupt(table) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("SEC-LOG-1: an error tells neither the statement's values nor the statement")
    func anErrorTellsNoValues() async throws {
        let store = try SQLiteStore.inMemory()
        let error = await #expect(throws: StoreError.self) {
            try await store.perform(.createUser(fixtureUser("canary")), .createUser(fixtureUser("canary")))
        }
        var text = ""
        dump(try #require(error), to: &text)
        #expect(text.contains("UNIQUE constraint failed: identifiers"))
        #expect(!text.contains("canary") && !text.contains("INSERT"))
    }
}

@Suite("SQLite: searches of operators", .timeLimit(.minutes(1)))
struct SearchTimeTests {
    @Test("A search ends after two seconds, while others read and write, and its connection stays usable")
    func aSearchEnds() async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLiteStore(path: folder.appending(path: "test.db").path())
            let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) AS most FROM n"
            let begun = ContinuousClock.now
            async let searches = race(4) { _ in
                do {
                    _ = try await store.search { session in try session.fetch(endless, []).get() }
                    return false
                } catch StoreError.unavailable {
                    return true
                }
            }
            for index in 0..<20 {
                try await store.perform(.createUser(fixtureUser("user\(index)")))
                #expect(try await store.countUsers(in: contoso) == index + 1)
            }
            let undisturbed = ContinuousClock.now - begun
            #expect(undisturbed < .seconds(2), "\(undisturbed)")
            #expect(try await searches == [true, true, true, true])
            let waited = ContinuousClock.now - begun
            #expect(waited > .seconds(1.9) && waited < .seconds(10), "\(waited)")
            #expect(try await store.countUsers(where: nil, isDeleted: false, in: contoso) == 20)
        }
    }
}
