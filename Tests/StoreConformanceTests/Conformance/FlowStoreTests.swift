import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Flow stores")
struct FlowStoreTests {
    @Test(arguments: StoreUnderTest.available)
    func aFlowRowReadsBackAsWritten(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery()
            #expect(try await store.facts(query) == StepFacts(row: nil))
            let code = CodeRecord(
                digest: Data(repeating: 9, count: 32), target: Data(repeating: 8, count: 32), attempts: 2, sentAt: noon,
                expiresAt: noon + 600)
            var row = FlowRow(
                revision: 3, code: code, codesSent: 4, misuses: 1, isEnded: true, expiresAt: noon + 900)

            try await store.write(FlowChange(row: row), query)
            #expect(try await store.facts(query).row == row)

            row.code = nil
            row.revision = 4
            try await store.write(FlowChange(row: row), query)
            #expect(try await store.facts(query).row == row)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func flowsOfTwoTenantsWithOneIDAreTwo(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            var query = fixtureQuery()
            try await store.write(FlowChange(row: FlowRow(revision: 5, expiresAt: noon + 900)), query)
            query.tenant = TenantID(UUID())
            #expect(try await store.facts(query).row == nil)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func datesComeBackRoundedToTheMillisecond(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery()
            try await store.write(FlowChange(row: FlowRow(expiresAt: noon + 0.123_456)), query)
            let first = try await store.facts(query).row
            #expect(first?.expiresAt == Date(timeIntervalSince1970: 1_700_000_000.123))
            // Writing the values that were read changes nothing more.
            try await store.write(FlowChange(row: try #require(first)), query)
            #expect(try await store.facts(query).row == first)
        }
    }

    @Test(
        "SEC-CT-7, SEC-OTP-15: one identifier has twenty rows, and flows with a living code stay",
        arguments: StoreUnderTest.available)
    func rowsOfAnIdentifierAreBounded(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let victim = FlowQuotaKeys(identifier: digest("victim"))
            @Sendable func begin(
                _ quotas: FlowQuotaKeys, code: TimeInterval? = nil, revision: Int = 0, isEnded: Bool = false, end: Date
            ) async throws -> StepQuery {
                let query = fixtureQuery(subjects: [quotas.identifier].compactMap(\.self), quotas: quotas)
                let record = code.map {
                    CodeRecord(digest: digest("c"), target: digest("t"), sentAt: noon, expiresAt: noon + $0)
                }
                let row = FlowRow(revision: revision, code: record, isEnded: isEnded, expiresAt: end)
                try await store.write(FlowChange(row: row), query)
                return query
            }
            let living = try await begin(victim, code: 600, end: noon + 1_000)
            let proven = try await begin(victim, revision: 1, end: noon + 900)
            let dead = try await begin(victim, code: -1, end: noon + 900)
            let ended = try await begin(victim, code: 600, isEnded: true, end: noon + 901)
            let other = try await begin(FlowQuotaKeys(identifier: digest("other")), end: noon + 900)
            var last: [StepQuery] = []
            for number in 0..<100 {
                last.append(try await begin(victim, end: noon + 2_000 + TimeInterval(number)))
            }
            for query in [living, proven, other] + last.suffix(18) {
                #expect(try await store.facts(query).row != nil)
            }
            for query in [dead, ended] + last.prefix(81) { #expect(try await store.facts(query).row == nil) }
            // Many concurrent flows have no better chance.
            let raced = try await race(40) { _ in try await begin(victim, end: noon + 9_000) }
            var left = 0
            for query in raced + last where try await store.facts(query).row != nil { left += 1 }
            #expect(left == 19)
            #expect(try await store.facts(living).row != nil)
        }
    }

    @Test("SEC-CT-7: one source has two hundred rows", arguments: StoreUnderTest.available)
    func rowsOfASourceAreBounded(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            var queries: [StepQuery] = []
            for number in 0..<250 {
                let quotas = FlowQuotaKeys(identifier: digest("\(number)"), source: digest("source"))
                queries.append(fixtureQuery(quotas: quotas))
                let row = FlowRow(expiresAt: noon + 900 + TimeInterval(number))
                try await store.write(FlowChange(row: row), try #require(queries.last))
            }
            var left: [Int] = []
            for (number, query) in queries.enumerated() where try await store.facts(query).row != nil {
                left.append(number)
            }
            #expect(left == Array(50..<250))
        }
    }

    @Test("REL-TX-1: a step whose effect cannot be made writes nothing at all", arguments: StoreUnderTest.available)
    func aFailedStepWritesNothing(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery(identifiers: [key("ada@example.com"), key("ada"), key("eve@example.com")])
            let mail = fixtureMail()
            let twins = [fixtureUser("ada", alias: "ada"), fixtureUser("eve", alias: "ada")]
            let change = FlowChange(
                row: FlowRow(expiresAt: noon + 900),
                effects: [.enqueueMail(mail), .createUser(twins[0]), .createUser(twins[1])],
                replay: ReplayRecord(
                    requestDigest: query.requestDigest, sealedAnswer: Data("answer".utf8), expiresAt: noon + 60))

            await expectUnavailable { try await store.write(change, query) }

            let facts = try await store.facts(query)
            #expect(facts == StepFacts(row: nil))
            #expect(try await store.user(twins[0].id, in: contoso) == nil)
            #expect(try await store.countUsers(in: contoso) == 0)
            #expect(try await store.nextMailDue() == nil)
        }
    }

    @Test("REL-HA-1: of 16 racers for one identifier one gets it", arguments: StoreUnderTest.available)
    func oneOfSixteenRacersGetsTheIdentifier(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let wins = try await race(16) { index in
                let user = fixtureUser("racer\(index)", alias: "ada")
                return try await store.step(fixtureQuery(identifiers: [key("ada")])) { facts in
                    guard facts.taken.isEmpty else { return (nil, false) }
                    return (FlowChange(row: FlowRow(expiresAt: noon + 900), effects: [.createUser(user)]), true)
                }
            }
            #expect(wins.filter { $0 }.count == 1)
            #expect(try await store.countUsers(in: contoso) == 1)
            #expect(try await store.taken([key("ada")], marks: [], in: contoso).keys == [key("ada")])
        }
    }

    @Test("SEC-OTP-10: parallel guesses are counted one by one", arguments: StoreUnderTest.available)
    func parallelGuessesAreCountedOneByOne(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery()
            let code = CodeRecord(digest: Data(count: 32), target: Data(), sentAt: noon, expiresAt: noon + 600)
            try await store.write(FlowChange(row: FlowRow(code: code, expiresAt: noon + 900)), query)

            let counts = try await race(16) { _ in
                try await store.step(query) { facts in
                    guard var row = facts.row else { return (nil, -1) }
                    row.code?.attempts += 1
                    return (FlowChange(row: row), row.code?.attempts ?? -1)
                }
            }
            #expect(counts.sorted() == Array(1...16))
            #expect(try await store.facts(query).row?.code?.attempts == 16)
        }
    }

    @Test("SEC-CT-4: of 16 steps from one revision one advances the flow", arguments: StoreUnderTest.available)
    func oneOfSixteenStepsAdvancesTheRevision(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery()
            try await store.write(FlowChange(row: FlowRow(revision: 1, expiresAt: noon + 900)), query)
            let wins = try await race(16) { _ in
                try await store.step(query) { facts in
                    guard var row = facts.row, row.revision == 1 else { return (nil, false) }
                    row.revision = 2
                    return (FlowChange(row: row), true)
                }
            }
            #expect(wins.filter { $0 }.count == 1)
            #expect(try await store.facts(query).row?.revision == 2)
        }
    }

    @Test("REL-IDEM: a replay record is seen by its request until it expires", arguments: StoreUnderTest.available)
    func aReplayRecordIsSeenUntilItExpires(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery(digest: "one")
            func answer(_ digest: String, at now: Date, flow: UUID? = nil) async throws -> Data? {
                try await store.facts(fixtureQuery(flow: flow ?? query.flow, digest: digest, now: now)).sealedAnswer
            }
            func change(_ answer: String, expiresAt: Date) -> FlowChange {
                FlowChange(
                    row: FlowRow(expiresAt: noon + 900),
                    replay: ReplayRecord(
                        requestDigest: query.requestDigest, sealedAnswer: Data(answer.utf8), expiresAt: expiresAt))
            }
            try await store.write(change("first", expiresAt: noon + 60), query)

            #expect(try await answer("one", at: noon + 59.999) == Data("first".utf8))
            #expect(try await answer("one", at: noon + 60) == nil)
            #expect(try await answer("two", at: noon) == nil)
            #expect(try await answer("one", at: noon, flow: UUID()) == nil)

            // After its record has expired, the same request can be answered and stored again.
            try await store.write(change("second", expiresAt: noon + 160), query)
            #expect(try await answer("one", at: noon + 100) == Data("second".utf8))
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aStepIsToldWhichIdentifiersAreTaken(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            try await store.perform(.createUser(fixtureUser("ada", alias: "countess")))
            let asked = [key("ada@example.com"), key("countess"), key("eve")]
            let expected: Set = [key("ada@example.com"), key("countess")]

            #expect(try await store.facts(fixtureQuery(identifiers: asked)).taken == expected)
            #expect(try await store.facts(fixtureQuery()).taken.isEmpty)
            #expect(try await store.taken(asked, marks: [], in: contoso).keys == expected)
            #expect(try await store.taken(asked, marks: [], in: TenantID(UUID())).keys.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func whatHasExpiredIsRemovedAndTheRestStays(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            func write(_ query: StepQuery, flowEnds: Date, replayEnds: Date, effects: [Effect] = []) async throws {
                let replay = ReplayRecord(
                    requestDigest: query.requestDigest, sealedAnswer: Data("a".utf8), expiresAt: replayEnds)
                try await store.write(
                    FlowChange(row: FlowRow(expiresAt: flowEnds), effects: effects, replay: replay), query)
            }
            let user = fixtureUser("ada")
            // For two hours a family still decides about the access tokens that came from it.
            let dead = fixtureFamily(of: user, expiresAt: noon + 100 - 7_200)
            let alive = fixtureFamily(of: user, expiresAt: noon + 101 - 7_200)
            let ended = fixtureQuery()
            let running = fixtureQuery()
            let fresh = fixtureQuery()
            try await write(ended, flowEnds: noon + 100, replayEnds: noon + 500)
            try await write(running, flowEnds: noon + 900, replayEnds: noon + 100)
            try await write(
                fresh, flowEnds: noon + 900, replayEnds: noon + 101,
                effects: [.createUser(user), .openRefreshFamily(dead), .openRefreshFamily(alive)])
            #expect(try await store.removeExpired(now: noon + 99) == 0)

            // A flow, with which a replay record goes, an expired replay record, a refresh family.
            #expect(try await store.removeExpired(now: noon + 100) == 3)

            #expect(try await store.facts(ended) == StepFacts(row: nil))
            #expect(try await store.facts(running) == StepFacts(row: FlowRow(expiresAt: noon + 900)))
            #expect(try await store.facts(fresh).sealedAnswer == Data("a".utf8))
            #expect(try await store.refreshFamily(dead.id, in: contoso) == nil)
            #expect(try await store.refreshFamily(alive.id, in: contoso) == alive)
            #expect(try await store.user(user.id, in: contoso) != nil)
            #expect(try await store.removeExpired(now: noon + 100) == 0)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func moreThanOnePortionExpiresInOneGo(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await race(1200) { _ in
                try await store.write(FlowChange(row: FlowRow(expiresAt: noon)), fixtureQuery())
            }
            #expect(try await store.removeExpired(now: noon) == 1200)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func anOpenStoreSaysThatItIsWritable(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            try await store.checkWritable()
            try await store.record(AuditEvent(.signUpStarted, at: noon, tenant: contoso))
        }
    }
}

@Suite("Counted events")
struct CountedEventTests {
    @Test(
        "SEC-OTP-5: events are counted per tenant, subject and kind, for 24 hours", arguments: StoreUnderTest.available)
    func eventsAreCountedForADay(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (Data("ada".utf8), Data("eve".utf8))
            var query = fixtureQuery(subjects: [ada])
            let row = FlowRow(expiresAt: noon + 900)
            let effects: [Effect] = [
                .count(.wrongCode, subject: ada, at: noon + 5), .count(.wrongCode, subject: ada, at: noon),
                .count(.codeMailed, subject: ada, at: noon), .count(.wrongCode, subject: eve, at: noon),
                .count(.secondFactorMailed, subject: eve, at: noon + 1),
            ]
            try await store.write(FlowChange(row: row, effects: effects), query)
            let ofAda: [CountedEvent: [Date]] = [.wrongCode: [noon, noon + 5], .codeMailed: [noon]]
            let ofEve: [CountedEvent: [Date]] = [.wrongCode: [noon], .secondFactorMailed: [noon + 1]]
            #expect(try await store.facts(query).counted == [ada: ofAda])
            query.subjects = [eve, Data("nobody".utf8), ada]
            #expect(try await store.facts(query).counted == [ada: ofAda, eve: ofEve])

            var elsewhere = query
            elsewhere.tenant = TenantID(UUID())
            #expect(try await store.facts(elsewhere).counted.isEmpty)
            elsewhere = query
            elsewhere.subjects = []
            #expect(try await store.facts(elsewhere).counted.isEmpty)

            query.now = noon + 86_400
            #expect(
                try await store.facts(query).counted == [
                    ada: [.wrongCode: [noon + 5]], eve: [.secondFactorMailed: [noon + 1]],
                ])

            try await store.write(FlowChange(row: row, effects: [.forget(.wrongCode, subject: ada)]), query)
            query.now = noon
            #expect(try await store.facts(query).counted == [ada: [.codeMailed: [noon]], eve: ofEve])
            #expect(try await store.removeExpired(now: noon + 86_400) > 0)
            #expect(try await store.facts(query).counted == [eve: [.secondFactorMailed: [noon + 1]]])
        }
    }
}
