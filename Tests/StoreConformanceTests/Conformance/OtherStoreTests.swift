import Foundation
import IdentityEngine
import IdentityStorePostgres
import NativeAuthCore
import Testing

@Suite("User stores")
struct UserStoreTests {
    @Test(arguments: StoreUnderTest.available)
    func aUserReadsBackAsCreated(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let attributes: [String: AttributeValue] = [
                "city": "Ærøskøbing \u{0} 🇩🇰 \"'\\", "shoeSize": 44, "newsletter": false, "empty": "", "digits": "44",
                "word": "true", "big": .integer(.min),
            ]
            let new = fixtureUser(
                "Ada", alias: "Countess", attributes: attributes, passwordHash: PasswordHash(phc: "$argon2id$…"))
            try await store.perform(.createUser(new))

            let user = User(
                id: new.id, tenant: contoso, email: "Ada@example.com", alias: "Countess", hasPassword: true,
                attributes: attributes, createdAt: noon)
            #expect(try await store.user(new.id, in: contoso) == user)
            #expect(try await store.user(new.id, in: TenantID(UUID())) == nil)
            #expect(try await store.user(UserID(UUID()), in: contoso) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aUserWithoutPasswordAndAliasHasNone(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let new = fixtureUser("ada")
            try await store.perform(.createUser(new))
            let user = try #require(try await store.user(new.id, in: contoso))
            #expect(!user.hasPassword && user.alias == nil && user.attributes.isEmpty)
        }
    }

    @Test("SEC-ID-7: an identifier is unique per tenant over both kinds", arguments: StoreUnderTest.available)
    func anIdentifierIsUniquePerTenant(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            try await store.perform(.createUser(fixtureUser("ada", alias: "countess")))
            await expectUnavailable { try await store.perform(.createUser(fixtureUser("ada"))) }
            await expectUnavailable {
                try await store.perform(.createUser(fixtureUser("eve", alias: "ada@example.com")))
            }
            let other = TenantID(UUID())
            try await store.perform(.createUser(fixtureUser("ada", tenant: other, alias: "countess")))
            #expect(try await store.countUsers(in: contoso) == 1)
            #expect(try await store.countUsers(in: other) == 1)
        }
    }
}

@Suite("Outbox stores")
struct OutboxStoreTests {
    private let failure = AuditEvent(.mailFailed, at: noon, tenant: contoso)

    @Test(arguments: StoreUnderTest.available)
    func dueMailsAreLeasedOldestFirst(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            #expect(try await store.nextMailDue() == nil)
            let mails = [3.0, 1, 2].map { fixtureMail("mail \($0)", createdAt: noon + $0) }
            try await store.perform(.enqueueMail(mails[0]), .enqueueMail(mails[1]), .enqueueMail(mails[2]))
            #expect(try await store.nextMailDue() == noon + 1)

            #expect(try await store.leaseMails(limit: 5, now: noon, until: noon + 60).isEmpty)
            let first = try await store.leaseMails(limit: 2, now: noon + 5, until: noon + 65)
            #expect(first == [LeasedMail(mail: mails[1], attempts: 0), LeasedMail(mail: mails[2], attempts: 0)])
            let second = try await store.leaseMails(limit: 2, now: noon + 5, until: noon + 65)
            #expect(second == [LeasedMail(mail: mails[0], attempts: 0)])
            #expect(try await store.nextMailDue() == noon + 65)
        }
    }

    @Test("SEC-MAIL-2: a mail whose lease ran out is sent again", arguments: StoreUnderTest.available)
    func aLostLeaseReturnsTheMail(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let mail = fixtureMail()
            try await store.perform(.enqueueMail(mail))
            _ = try await store.leaseMails(limit: 1, now: noon, until: noon + 60)
            #expect(try await store.leaseMails(limit: 1, now: noon + 59.999, until: noon + 120).isEmpty)
            let again = try await store.leaseMails(limit: 1, now: noon + 60, until: noon + 120)
            #expect(again == [LeasedMail(mail: mail, attempts: 1)])
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aRetriedMailWaitsUntilItsTime(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let mail = fixtureMail()
            try await store.perform(.enqueueMail(mail))
            let leased = try #require(try await store.leaseMails(limit: 1, now: noon, until: noon + 60).first)
            try await store.retry(leased, at: noon + 5)
            #expect(try await store.nextMailDue() == noon + 5)
            #expect(try await store.leaseMails(limit: 1, now: noon + 4, until: noon + 64).isEmpty)
            let again = try await store.leaseMails(limit: 1, now: noon + 5, until: noon + 65)
            #expect(again == [LeasedMail(mail: mail, attempts: 1)])
        }
    }

    @Test("SEC-MAIL-2: an expired mail is not sent", arguments: StoreUnderTest.available)
    func anExpiredMailIsNotLeased(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let mail = fixtureMail(expiresAt: noon + 600)
            try await store.perform(.enqueueMail(mail))
            #expect(try await store.leaseMails(limit: 1, now: noon + 600, until: noon + 660).isEmpty)
            // Marked, not only skipped: it does not return with an earlier clock either.
            #expect(try await store.leaseMails(limit: 1, now: noon, until: noon + 60).isEmpty)
            #expect(try await store.nextMailDue() == nil)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aFinishedMailStaysFinished(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let mails = [fixtureMail(), fixtureMail()]
            try await store.perform(.enqueueMail(mails[0]), .enqueueMail(mails[1]))
            let leased = try await store.leaseMails(limit: 2, now: noon, until: noon + 60)
            try await store.markSent(leased[0], now: noon + 1)
            try await store.markFailed(leased[1], now: noon + 1, event: failure)
            for mail in leased { try await store.retry(mail, at: noon + 2) }
            #expect(try await store.leaseMails(limit: 5, now: noon + 10, until: noon + 70).isEmpty)
            #expect(try await store.nextMailDue() == nil)
        }
    }

    @Test("REL-HA-5: a worker whose lease ran out moves no mail of another", arguments: StoreUnderTest.available)
    func aLostLeaseMovesNothing(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let mail = fixtureMail()
            try await store.perform(.enqueueMail(mail))
            let first = try #require(try await store.leaseMails(limit: 1, now: noon, until: noon + 60).first)
            let second = try #require(try await store.leaseMails(limit: 1, now: noon + 60, until: noon + 120).first)
            #expect(first.attempts == 0)
            #expect(second.attempts == 1)

            try await store.retry(first, at: noon + 61)
            try await store.markFailed(first, now: noon + 61, event: failure)
            #expect(try await store.nextMailDue() == noon + 120)
            try await store.retry(second, at: noon + 62)
            #expect(try await store.nextMailDue() == noon + 62)
            // A sent mail stays sent, whichever worker sent it.
            try await store.markSent(first, now: noon + 63)
            #expect(try await store.nextMailDue() == nil)
        }
    }

    @Test("REL-SMTP-2: of each lane as many mails are leased as there is room for", arguments: StoreUnderTest.available)
    func lanesHoldUpNoOthers(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            for number in 0..<9 {
                let lane = number < 6 ? "a" : "b"
                try await store.perform(
                    .enqueueMail(fixtureMail("\(lane)\(number)", lane: lane, createdAt: noon + Double(number))))
            }
            var room = MailRoom(total: 5, perLane: 2)
            let first = try await store.leaseMails(room, now: noon + 60, until: noon + 120)
            #expect(first.mails.map { String(decoding: $0.mail.sealedContent, as: UTF8.self) } == ["a0", "a1"])
            #expect(first.mayBeMore)
            #expect(first.mails.map { room.take($0.mail.lane) } == [true, true])
            let isTaken = room.take(Data("a".utf8))
            #expect(!isTaken)
            let second = try await store.leaseMails(room, now: noon + 60, until: noon + 120)
            #expect(second.mails.map { String(decoding: $0.mail.sealedContent, as: UTF8.self) } == ["b6", "b7"])
            #expect(second.mails.map { room.take($0.mail.lane) } == [true, true])
            #expect(room.fullLanes.sorted { $0.lexicographicallyPrecedes($1) } == [Data("a".utf8), Data("b".utf8)])
            let third = try await store.leaseMails(room, now: noon + 60, until: noon + 120)
            #expect(third.mails.isEmpty && !third.mayBeMore)
            #expect(try await store.nextMailDue(except: room.fullLanes) == nil)
            #expect(try await store.nextMailDue(except: [Data("a".utf8)]) == noon + 8)
            room.giveBack(Data("a".utf8))
            let fourth = try await store.leaseMails(room, now: noon + 60, until: noon + 120)
            #expect(fourth.mails.map { String(decoding: $0.mail.sealedContent, as: UTF8.self) } == ["a2"])
        }
    }

    @Test("REL-HA-4: 16 workers at once lease each mail once", arguments: StoreUnderTest.available)
    func workersDoNotShareALease(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let mails = (0..<16).map { _ in fixtureMail() }
            for mail in mails { try await store.perform(.enqueueMail(mail)) }
            let leased = try await race(16) { _ in
                try await store.leaseMails(limit: 3, now: noon, until: noon + 60).map(\.mail.id)
            }
            #expect(leased.joined().sorted() == mails.map(\.id).sorted())
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func finishedAndUnsentMailsAreRemovedAfterAnHour(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let sent = fixtureMail()
            try await store.perform(.enqueueMail(sent), .enqueueMail(fixtureMail(expiresAt: noon + 600)))
            let leased = LeasedMail(mail: sent, attempts: 0)
            try await store.markSent(leased, now: noon)
            // A second worker, whose lease has expired, records it again.
            try await store.markSent(leased, now: noon + 300)
            // The other mail expires, and both rows are kept.
            #expect(try await store.removeExpired(now: noon + 600) == 0)
            #expect(try await store.nextMailDue() == nil)
            // The flow that they came with ended at 900; the mail sent at 0 is removed.
            #expect(try await store.removeExpired(now: noon + 3601) == 2)
            #expect(try await store.removeExpired(now: noon + 4200) == 0)
            #expect(try await store.removeExpired(now: noon + 4201) == 1)
        }
    }
}

@Suite("Refresh stores")
struct RefreshStoreTests {
    @Test(arguments: StoreUnderTest.available)
    func aFamilyReadsBackAsWritten(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            var family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            #expect(try await store.refreshFamily(family.id, in: TenantID(UUID())) == nil)
            let session = try #require(try await store.refreshSession(family.id, in: contoso))
            #expect(session.family == family)
            #expect(try await store.account(user.id, in: contoso) == session.account)
            #expect(try await store.refreshSession(family.id, in: TenantID(UUID())) == nil)
            #expect(try await store.refreshSession(UUID(), in: contoso) == nil)

            family.generation = 1
            family.previous = RefreshFamily.Previous(
                tokenDigest: family.tokenDigest, rotatedAt: noon + 5, sealedAnswer: Data("answer".utf8))
            family.tokenDigest = Data(repeating: 8, count: 32)
            family.revokedAt = noon + 6
            family.expiresAt = noon + 7
            let changed = family
            let seen = try await store.updateRefreshFamily(family.id, in: contoso) { old in
                (changed, AuditEvent(.tokenRefreshed, at: noon, tenant: contoso), old?.generation)
            }
            #expect(seen == 0)
            #expect(try await store.refreshFamily(family.id, in: contoso) == changed)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aNilChangeLeavesTheFamily(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            let seen = try await store.updateRefreshFamily(family.id, in: contoso) { (nil, nil, $0) }
            #expect(seen == family)
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            let unknown = try await store.updateRefreshFamily(UUID(), in: contoso) { (nil, nil, $0) }
            #expect(unknown == nil)
        }
    }

    @Test("SEC-TOK-7: of 16 rotations of one token one succeeds", arguments: StoreUnderTest.available)
    func aTokenIsRotatedOnce(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            let wins = try await race(16) { index in
                try await store.updateRefreshFamily(family.id, in: contoso) { old in
                    guard var new = old, new.tokenDigest == family.tokenDigest else { return (nil, nil, false) }
                    new.tokenDigest = Data(repeating: UInt8(100 + index), count: 32)
                    new.generation += 1
                    return (new, nil, true)
                }
            }
            #expect(wins.filter { $0 }.count == 1)
            #expect(try await store.refreshFamily(family.id, in: contoso)?.generation == 1)
        }
    }
}

@Suite("Key stores")
struct KeyStoreTests {
    @Test("REL-HA-1: of 16 first keys one stands, and all are told", arguments: StoreUnderTest.available)
    func theFirstSigningKeyStands(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let told = try await race(16) { try await store.insertFirstSigningKey(fixtureKey("key \($0)")) }
            let stored = try await store.signingKeys(for: contoso)
            #expect(stored.count == 1)
            #expect(Set(told) == [stored])
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func keysReadBackNewestFirstPerAlgorithmAndTenant(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let old = fixtureKey("rsa")
            let new = fixtureKey("ec", algorithm: .es256, createdAt: noon + 1)
            let foreign = fixtureKey("rsa", tenant: TenantID(UUID()))
            #expect(try await store.signingKeys(for: contoso).isEmpty)
            _ = try await store.insertFirstSigningKey(old)
            #expect(try await store.insertFirstSigningKey(new) == [new, old])
            #expect(try await store.insertFirstSigningKey(fixtureKey("late")) == [new, old])
            #expect(try await store.insertFirstSigningKey(foreign) == [foreign])
        }
    }
}

@Suite("What a log may say of a store")
struct StoreLogTests {
    @Test(
        "SEC-LOG-1: the log has the database's own words, without statement and values",
        arguments: StoreUnderTest.available)
    func theDatabaseSaysWhy(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            func said(_ sql: String) async -> String {
                do {
                    _ = try await rows(sql, in: store)
                    return "nothing"
                } catch {
                    return error.logText
                }
            }
            let missing = await said("SELECT 'canary' FROM no_such_place")
            #expect(missing.contains("no_such_place"), "\(missing)")
            #expect(missing.contains(store is PostgresStore ? "42P01" : "SQLite 1:"), "\(missing)")
            #expect(!missing.contains("canary") && !missing.contains("SELECT"), "\(missing)")
            // PostgreSQL's message would quote the value; SQLite accepts it.
            #expect(await !said("SELECT CAST('canary' AS bigint)").contains("canary"))
        }
    }
}
