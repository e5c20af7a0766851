import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Stores of texts")
struct TextStoreTests {
    private static func query(
        _ number: UInt8 = 1, near neighbourhood: UInt8 = 1, account: UInt8 = 1, source: UInt8? = 1, area: String = "49",
        for use: TextUse = .registration
    ) -> TextQuery {
        func digest(_ kind: UInt8, _ value: UInt8) -> Data { Data([kind] + Array(repeating: value, count: 15)) }
        return TextQuery(
            number: digest(1, number), neighbourhood: digest(2, neighbourhood), area: area, account: digest(3, account),
            source: source.map { digest(4, $0) }, use: use)
    }

    private func history(
        _ asked: TextQuery?, _ store: any FlowStore, at now: Date, costs: Bool = false
    ) async throws -> TextHistory? {
        var query = StepQuery(tenant: contoso, flow: UUID(), requestDigest: Data(count: 32), now: now)
        query.texts = asked
        query.readsTextCosts = costs
        return try await store.step(query) { (nil, $0.textHistory) }
    }

    @Test(
        "SEC-SMS-4 to SEC-SMS-7: the history of a text is what was sent, taken, refused and answered",
        arguments: StoreUnderTest.available)
    func histories(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (flow, other) = (UUID(), UUID())
            var mails: [OutboxMail] = []
            // A registration that is answered, one that is not, one that the gateway refuses, and a sign-in of the owner.
            for (index, item) in [
                (flow, Self.query()), (flow, Self.query(2)), (other, Self.query(3, account: 2, source: nil)),
                (other, Self.query(4, account: 1, for: .secondFactor)),
            ].enumerated() {
                let at = noon + Double(index)
                let mail = fixtureMail("text \(index)", createdAt: at, expiresAt: noon + 570)
                mails.append(mail)
                try await store.perform(
                    .enqueueMail(mail),
                    .noteText(SentText(id: mail.id, flow: item.0, counted: item.1, cost: 75_000, at: at)))
            }
            // The second text of a flow ends the first, which waited.
            let leased = try await store.leaseMails(limit: 9, now: noon + 10, until: noon + 70)
            #expect(leased.map(\.mail.id) == [mails[1].id, mails[3].id])
            let waiting = try #require(try await history(Self.query(), store, at: noon + 20))
            #expect(waiting.costOfDay == 300_000 && waiting.costOfMonth == 300_000)

            try await store.markTaken(leased[0], now: noon + 21)
            try await store.markTaken(leased[0], now: noon + 22)
            try await store.markFailed(
                leased[1], now: noon + 23, event: AuditEvent(.mailFailed, at: noon, tenant: contoso), refusedBy: nil)
            try await store.perform(.noteVerifiedTexts(flow, number: Self.query(2).number, at: noon + 30))

            let now = noon + 60
            let first = try #require(try await history(Self.query(), store, at: now))
            #expect(first.ofNumber == [noon] && first.ofAccount == [noon, noon + 1, noon + 3])
            #expect(first.ofSource == [noon, noon + 1, noon + 3] && first.otherNumbersOfAccount == 2)
            // Those that registered nothing: the first and the third.
            #expect(first.ofNeighbourhood == [noon, noon + 2] && first.ofAreaInHour == 2)
            #expect(first.costOfDay == 225_000, "one is taken, two are under way, one is refused")
            let owner = try #require(try await history(Self.query(4, for: .secondFactor), store, at: now))
            #expect(owner.ofNumber == [noon + 3])
            let stranger = try #require(try await history(Self.query(4, account: 9), store, at: now))
            #expect(stranger.ofNumber == [] && stranger.ofAccount == [])
            let elsewhere = try #require(try await history(Self.query(9, near: 9, area: "1"), store, at: now))
            #expect(elsewhere.ofNeighbourhood == [] && elsewhere.ofAreaInHour == 0)

            // Ten minutes later only what was taken costs; after an hour and five minutes it is settled.
            let later = try #require(try await history(Self.query(), store, at: noon + 3_000))
            #expect(later.costOfDay == 75_000 && later.conversion == .init(sent: 1, verified: 1))
            #expect(try await history(nil, store, at: noon + 3_000, costs: true)?.costOfMonth == 75_000)
            #expect(try await history(nil, store, at: noon + 3_000) == nil)
            let week = try #require(try await history(Self.query(), store, at: noon + 86_400))
            #expect(week.answeredInWeek == 1 && week.costOfDay == 0 && week.costOfMonth == 75_000)
            #expect(try await history(Self.query(area: "1"), store, at: noon + 86_400)?.answeredInWeek == 0)
            #expect(try await history(Self.query(), store, at: noon + 31 * 86_400)?.costOfMonth == 0)
        }
    }

    @Test(
        "SEC-SMS-6, SEC-SMS-12: rests are read back; a report counts once, of a number that has worked, since the last rest",
        arguments: StoreUnderTest.available)
    func reports(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let flow = UUID()
            let ids = (0..<3).map { _ in UUID() }
            for (index, id) in ids.enumerated() {
                try await store.perform(
                    .noteText(
                        SentText(
                            id: id, flow: flow, counted: Self.query(index == 2 ? 2 : 1), cost: 0,
                            at: noon + Double(index))))
            }
            try await store.note(.failed, of: ids[0], in: contoso)
            try await store.note(.delivered, of: ids[0], in: contoso)
            try await store.note(.failed, of: ids[2], in: contoso)
            try await store.note(.failed, of: UUID(), in: contoso)
            let before = try #require(try await history(Self.query(), store, at: noon + 60))
            #expect(before.reports == 0, "no number has worked")
            try await store.perform(.noteVerifiedTexts(flow, number: Self.query().number, at: noon + 61))
            let after = try #require(try await history(Self.query(), store, at: noon + 62))
            #expect(after.reports == 1 && after.failures == 1)
            let pause = TextHistory.Pause(until: noon + 1_000, minutes: 10)
            try await store.perform(.pauseTexts(TextHistory.everyArea, pause), .pauseTexts("49", pause))
            let longer = TextHistory.Pause(until: noon + 1_200, minutes: 20)
            try await store.perform(.pauseTexts("49", longer))
            let resting = try #require(try await history(Self.query(), store, at: noon + 63))
            #expect(resting.pauseOfAll == pause && resting.pause == longer && resting.reports == 0)
            #expect(try await history(Self.query(area: "1"), store, at: noon + 63)?.pause == nil)
            _ = try await store.removeExpired(now: noon + 40 * 86_400)
            #expect(try await history(Self.query(), store, at: noon + 40 * 86_400) == TextHistory())
        }
    }

    @Test(
        "SEC-SMS-16: a number has the account that proved it last, of this tenant, also where it is suspended there",
        arguments: StoreUnderTest.available)
    func accountsOfNumbers(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let number = try #require(PhoneNumber("+15555550123"))
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            try await store.perform(.createUser(ada), .createUser(eve))
            func prove(_ user: UserID, _ contact: Contact, at date: Date) async throws -> UUID {
                let method = StrongMethod(
                    id: UUID(), contact: contact, provenAt: date, enrolment: Enrolment(.twoFactors))
                try await store.perform(.addStrongMethod(method, to: user))
                return method.id
            }
            func owner(in tenant: TenantID = contoso) async throws -> UserID? {
                try await store.account(withPhone: number, in: tenant)?.user.id
            }
            #expect(try await owner() == nil)
            let first = try await prove(ada.id, .phone(number), at: noon)
            _ = try await prove(ada.id, .phone(try #require(PhoneNumber("+15555550124"))), at: noon + 9)
            #expect(try await owner() == ada.id)
            #expect(try await owner(in: TenantID(UUID())) == nil)
            let later = try await prove(eve.id, .phone(number), at: noon + 1)
            #expect(try await owner() == eve.id)
            try await store.perform(.noteUse(first, of: ada.id, at: noon + 5))
            #expect(try await owner() == ada.id)
            try await store.perform(.noteUse(later, of: eve.id, at: noon + 6))
            try await store.perform(.setSuspension([later], of: eve.id, noon + 7))
            #expect(try await owner() == eve.id)
            try await store.perform(.removeStrongMethods([later], of: eve.id))
            #expect(try await owner() == ada.id)
        }
    }

    @Test(
        "SEC-SMS-4: sign-ins with a number are counted apart from the owner's texts",
        arguments: StoreUnderTest.available)
    func usesOfTexts(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let uses = TextUse.allCases
            for (index, use) in uses.enumerated() {
                try await store.perform(
                    .noteText(
                        SentText(
                            id: UUID(), flow: UUID(), counted: Self.query(for: use), cost: 0, at: noon + Double(index)))
                )
            }
            let now = noon + 60
            let histories =
                try await [history(Self.query(for: .secondFactor), store, at: now)]
                + [history(Self.query(for: .registration), store, at: now)]
                + [history(Self.query(for: .signIn), store, at: now)]
            #expect(histories.map { $0?.ofNumber } == [[noon], [noon + 1], [noon + 2]])
            #expect(histories.map { $0?.ofAccount } == [[noon, noon + 1], [noon, noon + 1], []])
            // No neighbour and no area is held up by them, nor holds them up.
            #expect(histories.map { $0?.ofNeighbourhood } == [[], [noon + 1], []])
            #expect(histories.map { $0?.ofAreaInHour } == [0, 1, 0])
            #expect(histories.map { $0?.ofSource.count } == [3, 3, 3])
            // As many as the tenant may have in an hour.
            var query = StepQuery(
                tenant: contoso, flow: UUID(), requestDigest: Data(count: 32), mailsPerHour: 1, now: now)
            query.texts = Self.query(for: .signIn)
            #expect(try await store.step(query) { (nil, $0.textHistory?.fullSince) } == noon + 2)
            query.mailsPerHour = 2
            #expect(try await store.step(query) { (nil, $0.textHistory?.fullSince) } == nil)
            query.texts = Self.query(for: .secondFactor)
            query.mailsPerHour = 1
            #expect(try await store.step(query) { (nil, $0.textHistory?.fullSince) } == nil)
        }
    }
}
