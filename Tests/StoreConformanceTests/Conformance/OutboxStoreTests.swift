import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

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
            try await store.markSent([leased[0]], now: noon + 1)
            try await store.markFailed(leased[1], now: noon + 1, event: failure, refusedBy: nil)
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
            try await store.markFailed(first, now: noon + 61, event: failure, refusedBy: nil)
            #expect(try await store.nextMailDue() == noon + 120)
            try await store.retry(second, at: noon + 62)
            #expect(try await store.nextMailDue() == noon + 62)
            // A sent mail stays sent, whichever worker sent it.
            try await store.markSent([first], now: noon + 63)
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
            try await store.markSent([leased], now: noon)
            // A second worker, whose lease has expired, records it again.
            try await store.markSent([leased], now: noon + 300)
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
