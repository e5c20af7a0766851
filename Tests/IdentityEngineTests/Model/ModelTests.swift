// All of Foundation, for ProcessInfo.
import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

/// The flow tables as a model: explored completely, and published as `docs/develop/flows.md`.
///
/// With `PROVE_MODEL` set, the bounds are wider; `scripts/prove model` does that.
@Suite("Model of the flows", .serialized) struct ModelTests {
    static let isWide = ProcessInfo.processInfo.environment["PROVE_MODEL"] != nil

    /// The result of exploring all variations.
    struct Survey: Sendable {
        var variations = 0
        var worlds = 0
        var steps = 0
        var rows: Set<TableRow> = []
        var violations: [String] = []
        var seconds = 0.0
    }

    /// The result of two clients' concurrent requests to the engine.
    struct Races: Sendable {
        var scenarios = 0
        var worlds = 0
        var steps = 0
        var pairs = 0
        var interleavings = 0
        var rows: Set<TableRow> = []
        var violations: [String] = []
        var seconds = 0.0
    }

    static let survey = Task {
        let start = ContinuousClock.now
        let variations = isWide ? Variation.all : Variation.fewer
        var survey = await withTaskGroup(of: Exploration.self) { group in
            var waiting = variations.makeIterator()
            func add() {
                guard let variation = waiting.next() else { return }
                group.addTask {
                    var exploration = Exploration(variation, guesses: 3, codes: variation.codes + (isWide ? 1 : 0))
                    exploration.run()
                    return exploration
                }
            }
            for _ in 0..<4 { add() }
            var survey = Survey(variations: variations.count)
            while let exploration = await group.next() {
                add()
                survey.worlds += exploration.worlds.count
                survey.steps += exploration.steps
                survey.rows.formUnion(exploration.rows)
                survey.violations += exploration.violations
            }
            return survey
        }
        survey.seconds = seconds(since: start)
        return survey
    }

    static let races = Task {
        let start = ContinuousClock.now
        var races = await withTaskGroup(of: Interleavings.self) { group in
            for scenario in Scenario.all {
                group.addTask {
                    var interleavings = Interleavings(scenario)
                    await interleavings.run()
                    return interleavings
                }
            }
            return await group.reduce(into: Races(scenarios: Scenario.all.count)) { races, done in
                races.worlds += done.worlds
                races.steps += done.steps
                races.pairs += done.pairs
                races.interleavings += done.interleavings
                races.rows.formUnion(done.rows)
                races.violations += done.violations
            }
        }
        races.seconds = seconds(since: start)
        return races
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        Double((ContinuousClock.now - start) / .milliseconds(10)).rounded() / 100
    }

    @Test("SEC-CT-1, SEC-CT-6, I8, SDK-STATE-2: every state that can be reached keeps the rules with every input")
    func everyStateKeepsTheRules() async {
        let survey = await Self.survey.value
        for violation in survey.violations.prefix(5) { Issue.record("\(violation)") }
        #expect(survey.violations.isEmpty)
        #expect(Set(survey.rows.map(\.from)) == Set(StateName.allCases), "every state is reached")
    }

    @Test("SEC-CT-6: what a token allows is what its state takes")
    func everyAllowedOperationIsTaken() async {
        let survey = await Self.survey.value
        let taken = survey.rows.filter { if case .accepted = $0.answer { true } else { false } }
        for row in survey.rows {
            let isTaken = taken.contains { $0.from == row.from && $0.input.kind == row.input.kind }
            #expect(isTaken, "\(row.from) \(row.input.kind) is allowed and never taken")
        }
    }

    @Test("SEC-CT-4, REL-IDEM, I1, I2, I3: two clients at one flow do what they could have done in turns")
    func twoClientsAtATimeAreTwoInTurns() async {
        let races = await Self.races.value
        for violation in races.violations.prefix(5) { Issue.record("\(violation)") }
        #expect(races.violations.isEmpty)
        #expect(Set(races.rows.map(\.from)) == Set(StateName.allCases), "the engine comes to every state")
        // The engine takes no step that the table does not have.
        let known = Set((await Self.survey.value).rows.map(\.key))
        for row in races.rows {
            guard case .accepted = row.answer else { continue }
            #expect(known.contains(row.key), "\(row) is not in the table")
        }
        let survey = await Self.survey.value
        print(
            "model: \(survey.worlds) states × \(Input.all.count) inputs = \(survey.steps) edges,",
            "\(races.interleavings) interleavings explored in \(survey.seconds + races.seconds) s",
            "(\(survey.variations) variations \(survey.seconds) s, \(races.worlds) places with \(races.pairs) pairs",
            "\(races.seconds) s)")
    }

    @Test("SEC-OTP-3, SEC-LOCK-2: two wrong guesses at a time both count", arguments: Scenario.guessed)
    func twoGuessesAtATimeBothCount(scenario: Scenario) async throws {
        var interleavings = Interleavings(scenario)
        try await interleavings.raceGuesses()
        for violation in interleavings.violations.prefix(5) { Issue.record("\(violation)") }
    }

    @Test("The page docs/develop/flows.md is what the exploration has seen", .enabled(if: !isWide))
    func thePageIsTheTable() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "docs/develop/flows.md")
        let page = Data(FlowPage(survey: await Self.survey.value, races: await Self.races.value).text.utf8)
        if ProcessInfo.processInfo.environment["NATIVE_AUTH_WRITE_DOCS"] != nil { try page.write(to: file) }
        #expect(try Data(contentsOf: file) == page, "run the tests once with NATIVE_AUTH_WRITE_DOCS=1")
    }
}

extension TableRow {
    /// The row without the values that depend on requirements or input.
    struct Key: Hashable {
        var journey: Journey
        var from: StateName
        var kind: Input.Kind
        var answer: Answer
        var to: StateName?
        var hasEnded: Bool
    }

    var key: Key { Key(journey: journey, from: from, kind: input.kind, answer: answer, to: to, hasEnded: hasEnded) }
}
