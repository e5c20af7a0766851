import Crypto
import Foundation
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

/// A store that supports backup and restore.
struct DatabaseUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let run: @Sendable (_ body: (any SQLStore) async throws -> Void) async throws -> Void

    static let all = [
        DatabaseUnderTest(testDescription: "SQLite in memory") { body in try await body(try SQLiteStore.inMemory()) },
        DatabaseUnderTest(testDescription: "SQLite file") { body in
            try await withTemporaryFolder {
                try await body(try SQLiteStore(path: $0.appending(path: "test.db").path()))
            }
        },
        DatabaseUnderTest(testDescription: "PostgreSQL") { body in
            try await PostgresServer.withStore { try await body($0) }
        },
    ]

    func withStore(_ body: (any SQLStore) async throws -> Void) async throws {
        try await run(body)
    }
}

/// A backup in memory.
private final class Sealed: @unchecked Sendable {
    private let lock = NSLock()
    private var stored = Data()
    let vault = Vault(masterKey: SymmetricKey(data: Data(repeating: 3, count: 32)), randomness: SystemRandomness())

    init(_ bytes: Data = Data()) { stored = bytes }

    var bytes: Data { lock.withLock { stored } }

    func writer() throws(SealedStreamError) -> SealedWriter {
        try SealedWriter(vault) { bytes throws(SealedStreamError) in self.lock.withLock { self.stored += bytes } }
    }

    func reader() throws(SealedStreamError) -> SealedReader {
        let position = Position()
        return try SealedReader(vault) { count throws(SealedStreamError) in
            let part = Data(self.bytes.dropFirst(position.value).prefix(count))
            position.value += part.count
            return part
        }
    }

    private final class Position { var value = 0 }
}

/// The error of a store or a file; nil without one.
private func refusal(_ body: () async throws -> BackupContents) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch StoreError.unavailable(let reason) {
        return reason
    } catch {
        return error
    }
}

extension SQLStore {
    fileprivate func backUp(into file: Sealed) async throws -> BackupContents {
        try await backUp(now: noon) { () throws(SealedStreamError) in try file.writer() }
    }

    fileprivate func restore(_ file: Sealed, keepingSessions: Bool = false) async throws -> BackupContents {
        try await restore(now: noon + 60, epoch: UUID(), keepingSessions: keepingSessions) {
            () throws(SealedStreamError) in try file.reader()
        }
    }

    fileprivate func rows(_ sql: String) async throws -> [[SQLValue]] {
        try await read { try $0.fetch(sql, []).get().rows }
    }
}

@Suite("Backups", .timeLimit(.minutes(2)))
struct BackupTests {
    private let ada = fixtureUser(
        "ada", alias: "countess", attributes: ["city": "Ærøskøbing \u{0} 🇩🇰", "age": 36, "member": true],
        passwordHash: PasswordHash(phc: "$argon2id$…"))
    private let eve = fixtureUser("eve")

    /// A database with a row of every kind.
    private func fill(_ store: any SQLStore) async throws -> RefreshFamily {
        let family = fixtureFamily(of: ada)
        let lockout = Lockout(failures: 3, lockedUntil: nil, recent: [digest("guess")], lastFailureAt: noon)
        _ = try await store.insertFirstSigningKey(fixtureKey("kid"))
        try await store.perform(
            .createUser(ada), .createUser(eve), .enqueueMail(fixtureMail()), .openRefreshFamily(family),
            .record(AuditEvent(.signUpCompleted, at: noon, tenant: contoso, user: ada.id)),
            .record(AuditEvent(.signUpCompleted, at: noon, tenant: contoso, user: eve.id)),
            .count(.wrongCode, subject: digest("ada"), at: noon),
            .addStrongMethod(try fixtureMethod("ada@example.org"), to: ada.id),
            .setLockout(lockout, subject: digest("ada")), .rememberNetwork(digest("home"), of: ada.id, at: noon))
        let query = fixtureQuery()
        let replay = ReplayRecord(requestDigest: query.requestDigest, sealedAnswer: Data([1]), expiresAt: noon + 60)
        try await store.write(FlowChange(row: FlowRow(expiresAt: noon + 900), replay: replay), query)
        return family
    }

    @Test("SEC-PRF-1, REL-BAK-3: a backup has the profile of its database, and an older one is restored as it was")
    func theProfileIsKept() async throws {
        try await withTemporaryFolder { folder in
            let marked = try SQLiteStore(path: folder.appending(path: "marked.db").path())
            _ = try await marked.mark(.development, at: noon)
            let file = Sealed()
            _ = try await marked.backUp(into: file)
            let restored = try SQLiteStore(path: folder.appending(path: "restored.db").path())
            _ = try await restored.restore(file)
            #expect(try await restored.mark(.production, at: noon) == .development)

            // A backup as the version before 0013 would have made it; later tables and columns are missing.
            let older = "0012 enrolment"
            let old = try SQLiteStore(path: folder.appending(path: "old.db").path(), upTo: older)
            let target = try SQLiteStore(path: folder.appending(path: "target.db").path(), upTo: older)
            for store in [old, target] {
                _ = try await store.unsafeSQL("ALTER TABLE lockouts ADD COLUMN under_way BLOB")
                _ = try await store.unsafeSQL("ALTER TABLE lockouts ADD COLUMN under_way_until INTEGER")
                for column in [
                    "users ADD COLUMN deletion_due_at INTEGER", "users ADD COLUMN position INTEGER",
                    "refresh_families ADD COLUMN kept_at INTEGER",
                    "refresh_families ADD COLUMN model TEXT", "refresh_families ADD COLUMN system TEXT",
                    "refresh_families ADD COLUMN network TEXT", "refresh_families ADD COLUMN browser_session BLOB",
                    "refresh_families ADD COLUMN key_thumbprint TEXT",
                    "refresh_families ADD COLUMN parent BLOB", "refresh_families ADD COLUMN level TEXT",
                    "refresh_families ADD COLUMN remembered BLOB",
                    "users ADD COLUMN recovery BLOB",
                    "strong_methods ADD COLUMN last_used_at INTEGER",
                    "strong_methods ADD COLUMN name TEXT",
                    "strong_methods ADD COLUMN kind TEXT NOT NULL DEFAULT 'mailbox'",
                    "strong_methods ADD COLUMN secret BLOB", "strong_methods ADD COLUMN spent_step INTEGER",
                    "strong_methods ADD COLUMN drift INTEGER", "strong_methods ADD COLUMN last_offset INTEGER",
                    "strong_methods ADD COLUMN credential BLOB", "strong_methods ADD COLUMN passkey BLOB",
                    "strong_methods ADD COLUMN identity BLOB",
                    #"outbox ADD COLUMN "user" BLOB"#,
                ] {
                    _ = try await store.unsafeSQL("ALTER TABLE \(column)")
                }
                for table in [
                    #"held_names (tenant BLOB, mark BLOB, "user" BLOB, until INTEGER)"#,
                    #"email_undos (tenant BLOB, code_digest BLOB, "user" BLOB, email TEXT, changed_at INTEGER, until INTEGER)"#,
                    "deletions (tenant BLOB, mark BLOB, deleted_at INTEGER)",
                    #"browser_sessions (tenant BLOB, id BLOB, digest BLOB, "user" BLOB, has_two_factors INTEGER)"#,
                    "presented_codes (tenant BLOB, digest BLOB)", "devices (tenant BLOB, digest BLOB)",
                    """
                    texts (tenant BLOB, id BLOB, flow BLOB, number BLOB, neighbourhood BLOB, area TEXT, account BLOB, source BLOB, sent_at INTEGER, verified_at INTEGER, report TEXT)
                    """,
                    "text_days (tenant BLOB, day INTEGER, area TEXT, sent INTEGER, cost INTEGER, last_at INTEGER)",
                    "text_pauses (tenant BLOB, area TEXT, until INTEGER, minutes INTEGER)",
                    "pushed_requests (tenant BLOB, digest BLOB)", "logouts (tenant BLOB, client BLOB)",
                    "revocations (tenant BLOB, method BLOB, credential BLOB)",
                    "identity_names (tenant BLOB, credential BLOB, until INTEGER)",
                    #"remembered_devices (tenant BLOB, "user" BLOB, id BLOB, until INTEGER)"#,
                    #"consents (tenant BLOB, "user" BLOB, client BLOB)"#,
                    """
                    operator_requests (tenant BLOB, id BLOB, "user" BLOB, deed TEXT, subject TEXT, requester BLOB, person BLOB, requested_at INTEGER, expires_at INTEGER)
                    """,
                    "operator_rules (tenant BLOB, needs_two INTEGER)",
                    "used_assertions (tenant BLOB, mark BLOB, until INTEGER)",
                    """
                    notifications (tenant BLOB, subscriber BLOB, position INTEGER, attempts INTEGER, due_at INTEGER, lease INTEGER)
                    """,
                    "user_groups (tenant BLOB, id BLOB, display_name TEXT, description TEXT, created_at INTEGER)",
                    #"group_members (tenant BLOB, group_id BLOB, "user" BLOB)"#,
                    #"operators (tenant BLOB, "user" BLOB, role TEXT, since INTEGER)"#,
                    """
                    imports (tenant BLOB, digest BLOB, records INTEGER, created INTEGER, updated INTEGER, skipped INTEGER, refused INTEGER, begun_at INTEGER)
                    """,
                    "activity (tenant BLOB, resolution INTEGER, start INTEGER, kind INTEGER, number INTEGER)",
                    "operator_invitations (tenant BLOB, digest BLOB, role TEXT, until INTEGER, inviter BLOB, attempts INTEGER)",
                    #"operator_sessions (tenant BLOB, digest BLOB, "user" BLOB, credential_version INTEGER, proven_at INTEGER, seen_at INTEGER)"#,
                ] {
                    _ = try await store.unsafeSQL("CREATE TABLE \(table) STRICT")
                }
            }
            _ = try await old.unsafeSQL("CREATE TABLE profile_mark (id INTEGER, profile TEXT) STRICT")
            _ = try await fill(old)
            let oldFile = Sealed()
            #expect(try await old.backUp(into: oldFile).schema == older)
            #expect(try await target.restore(oldFile).count("users") == 2)
            #expect(try await target.unsafeSQL("SELECT detail FROM audit WHERE kind = 'restore.done'").count == 1)
            for store in [marked, restored, old, target] { try await store.close() }
        }
    }

    @Test(
        "REL-BAK-1, REL-BAK-3: either database is restored from either one: users, keys and audit stay, flows go",
        arguments: DatabaseUnderTest.all, DatabaseUnderTest.all)
    func aBackupIsRestored(_ source: DatabaseUnderTest, _ target: DatabaseUnderTest) async throws {
        try await source.withStore { old in
            let family = try await fill(old)
            let file = Sealed()
            let made = try await old.backUp(into: file)
            #expect(made.count("users") == 2 && made.count("flows") == 2 && made.count("refresh_families") == 1)
            #expect(try file.reader().backupContents() == made)

            try await target.withStore { new in
                #expect(try await new.restore(file) == made)
                for user in [ada, eve] {
                    #expect(try await new.account(user.id, in: contoso) == old.account(user.id, in: contoso))
                    #expect(try await new.account(user.id, in: contoso) != nil)
                }
                #expect(try await new.signingKeys(for: contoso) == old.signingKeys(for: contoso))
                #expect(try await new.isFamiliar(digest("home"), to: ada.id, in: contoso, since: noon))
                let query = fixtureQuery(subjects: [digest("ada")], lockout: digest("ada"), now: noon + 1)
                let facts = try await new.facts(query)
                #expect(facts.lockout?.failures == 3 && facts.counted[digest("ada")] == [.wrongCode: [noon]])
                // No row that would allow the reuse of an earlier code or token.
                for table in ["flows", "replays", "outbox", "refresh_families"] {
                    #expect(try await new.rows("SELECT COUNT(*) FROM \(table)") == [[.integer(0)]], "\(table)")
                }
                #expect(try await new.refreshFamily(family.id, in: contoso) == nil)
                #expect(try await new.epoch() != old.epoch())
                let trail = try await new.rows("SELECT kind FROM audit ORDER BY seq").map { $0[0] }
                #expect(trail == [.text("signup.completed"), .text("signup.completed"), .text("restore.done")])
                // The database works like any other: it accepts users and audit lines, and can be backed up.
                try await new.perform(.createUser(fixtureUser("dana")))
                #expect(try await new.backUp(into: Sealed()).count("users") == 3)
            }
            try await target.withStore { new in
                _ = try await new.restore(file, keepingSessions: true)
                #expect(try await new.refreshFamily(family.id, in: contoso) == family)
            }
        }
    }

    @Test("REL-BAK-1: a backup has no word in clear", arguments: DatabaseUnderTest.all)
    func aBackupIsSealed(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await fill(store)
            let file = Sealed()
            _ = try await store.backUp(into: file)
            for word in ["ada", "example.com", "argon2id", "countess", "sealed kid", "users", "city"] {
                #expect(!file.bytes.contains(Data(word.utf8)), "\(word)")
            }
        }
    }

    @Test("REL-BAK-1: a damaged backup is refused, and nothing of it is restored", arguments: DatabaseUnderTest.all)
    func aDamagedBackupIsRefused(_ sut: DatabaseUnderTest) async throws {
        let good = Sealed()
        try await DatabaseUnderTest.all[0].withStore { store in
            _ = try await fill(store)
            // More than one piece, so that rows are inserted before the damage is found.
            for number in 0..<600 { try await store.perform(.createUser(fixtureUser("user\(number)"))) }
            _ = try await store.backUp(into: good)
        }
        var flipped = good.bytes
        flipped[flipped.count - 100] ^= 1
        let damaged: [Data] = [
            flipped, good.bytes.dropLast(1), good.bytes.prefix(good.bytes.count / 2), good.bytes + [0],
        ]
        try await sut.withStore { store in
            for bytes in damaged {
                let bad = Sealed(bytes)
                let reasons = [
                    await refusal { try bad.reader().backupContents() },
                    await refusal { try await store.restore(bad) },
                ]
                #expect(reasons.allSatisfy { $0 is SealedStreamError }, "\(reasons)")
                let users = try await store.countUsers(in: contoso)
                #expect(users == 0)
            }
            let restored = try await store.restore(good)
            #expect(restored.count("users") == 602)
        }
    }

    @Test("REL-BAK-3: a database with rows is not restored into", arguments: DatabaseUnderTest.all)
    func aDatabaseInUseIsRefused(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await fill(store)
            let file = Sealed()
            _ = try await store.backUp(into: file)
            let reason = await refusal { try await store.restore(file) }
            guard case BackupError.notEmpty? = reason else {
                Issue.record("\(String(describing: reason))")
                return
            }
            #expect(try await store.countUsers(in: contoso) == 2)
        }
    }

    @Test("REL-BAK-1: for each table it is decided whether a backup keeps it", arguments: DatabaseUnderTest.all)
    func noTableIsForgotten(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            try await store.write([]) { session in
                try session.run("CREATE TABLE forgotten (id TEXT)", [], expecting: nil)
                try session.run("INSERT INTO forgotten VALUES ('row')", [], expecting: nil)
            }
            let reason = await refusal { try await store.backUp(into: Sealed()) }
            #expect(reason as? BackupError == .unknownTable("forgotten"))
        }
    }

    @Test("REL-BAK-1: a backup made while users sign up is one moment", arguments: DatabaseUnderTest.all)
    func aBackupUnderLoadIsOneMoment(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await store.insertFirstSigningKey(fixtureKey("kid"))
            for number in 0..<50 { try await store.perform(.createUser(fixtureUser("before\(number)"))) }
            let files = (0..<4).map { _ in Sealed() }
            let counts = try await race(6) { index in
                guard index < 4 else {
                    for number in 0..<40 {
                        let user = fixtureUser("p\(index)-\(number)")
                        try await store.perform(
                            .createUser(user),
                            .record(AuditEvent(.signUpCompleted, at: noon, tenant: contoso, user: user.id)))
                    }
                    return 50
                }
                return try await store.backUp(into: files[index]).count("users")
            }
            #expect(counts.allSatisfy { $0 >= 50 })
            for file in files {
                let contents = try file.reader().backupContents()
                // A user, the address and the audit line are all present, or none of them.
                #expect(contents.count("users") == contents.count("identifiers"))
                #expect(contents.count("users") == contents.count("audit") + 50)
            }
        }
    }
}
