import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore

/// Explores all effects of two clients on one flow of the real engine: every history of their requests with every token
/// that they received, including spent ones, and from each state every pair of requests in every order of their store
/// calls.
///
/// The result of each pair must equal the result of one of the two sequential orders. So everything that two clients do
/// concurrently could also happen sequentially, and all sequences are explored.
struct Interleavings: Sendable {
    let scenario: Scenario
    private(set) var worlds = 0
    private(set) var steps = 0
    private(set) var pairs = 0
    private(set) var interleavings = 0
    private(set) var rows: Set<TableRow> = []
    private(set) var violations: [String] = []

    init(_ scenario: Scenario) {
        self.scenario = scenario
    }

    /// Ends at the first state where a rule is broken: the exploration might not end after it.
    mutating func run() async {
        var known: Set<String> = []
        var open: [[Request]] = [[]]
        while !open.isEmpty, violations.isEmpty {
            let word = open.removeFirst()
            do {
                try await visit(word, &known, &open)
            } catch {
                note(false, "\(error)", word)
            }
        }
    }

    private mutating func visit(_ word: [Request], _ known: inout Set<String>, _ open: inout [[Request]]) async throws {
        // A separate database for each state, restored before every try.
        let store = try SQLiteStore.inMemory()
        let trial = try await replay(word, in: store)
        try await store.keepForModel()
        let seen = try await trial.seen()
        if word.isEmpty { known.insert(trial.key(seen)) }
        worlds += 1
        let requests = trial.requests
        var racing: [Request] = []
        for request in requests {
            var next = trial
            // A request without content does not reach the store.
            if !request.isMalformed { racing.append(request) }
            let after = try await take(request, &next)
            try await check(after, next, word + [request])
            try await store.goBackForModel()
            let isOver = after.isEnded
            next.wait()
            // Nothing follows after an ended flow; below, a test checks that it stays ended.
            guard known.insert(next.key(after)).inserted, !isOver || !seen.isEnded else { continue }
            open.append(word + [request])
        }
        for (index, one) in racing.enumerated() {
            for other in racing[index...] { try await race(one, other, in: trial, after: word) }
        }
        try await store.close()
    }

    private func replay(_ word: [Request], in store: SQLiteStore) async throws -> Trial {
        var trial = try await Trial(scenario, in: store)
        for request in word {
            _ = try await trial.take(request)
            trial.wait()
        }
        return trial
    }

    /// One step alone, and the same once more (REL-IDEM).
    private mutating func take(_ request: Request, _ trial: inout Trial) async throws -> Trial.Seen {
        steps += 1
        let before = try await trial.seen()
        let state = trial.tokens[request.token].envelope.state
        let isSpent = trial.isSpent(request.token)
        let first = try await trial.take(request)
        let seen = try await trial.seen()
        let answer = Answer(first.verdict)
        let label = trial.label(of: first)
        if !request.isMalformed {
            rows.insert(
                TableRow(
                    journey: scenario.variation.journey, from: StateName(state), input: request.input, answer: answer,
                    to: trial.state(of: first).map(StateName.init), hasEnded: seen.isEnded, written: []))
        }
        note(!isSpent || answer == .refused(.unusableToken), "SEC-CT-4: a spent token is taken", [request])
        if answer == .refused(.incorrectPassword), scenario.variation.hasLimits {
            note(seen.failures > 0, "SEC-LOCK-2: a wrong password is not counted", [request])
        }
        if answer == .refused(.incorrectCode), !request.isMalformed {
            let attempts = min(before.attempts + 1, trial.settings.guessesPerCode)
            note(seen.attempts == attempts, "SEC-OTP-3: a wrong code is not counted", [request])
        }
        if case .refused = answer {
            note(first.token == nil, "a refusal gives a token", [request])
            let isCounted = answer == .refused(.incorrectCode) || answer == .refused(.unusableToken)
            if !isCounted, seen.isEnded == before.isEnded {
                note(seen.row == before.row, "a refusal changes something: \(answer)", [request])
            }
        }
        // A spent token is counted each time; everything else happens once.
        guard answer != .refused(.unusableToken) else { return seen }
        let second = try await trial.take(request)
        let again = try await trial.seen()
        note(trial.label(of: second) == label, "REL-IDEM: another answer: \(trial.label(of: second))", [request])
        note(again == seen, "REL-IDEM: a second effect", [request])
        return seen
    }

    private mutating func race(
        _ one: Request, _ other: Request, in trial: Trial, after word: [Request]
    ) async throws {
        struct Observation: Hashable {
            var answers: [String]
            var seen: Trial.Seen
        }
        pairs += 1
        var seen: [Observation] = []
        var chooser = Chooser()
        repeat {
            let outcomes = try await trial.race(one, other, &chooser)
            let after = try await trial.seen()
            seen.append(Observation(answers: outcomes.map { trial.label(of: $0) }, seen: after))
            interleavings += 1
            try await check(after, trial, word + [one, other])
            try await trial.store.goBackForModel()
        } while chooser.advance()
        // The first run took them in their order, the last one in the other.
        for observation in seen.dropFirst().dropLast() where observation != seen.first && observation != seen.last {
            note(false, "two at a time come to what no order does: \(observation)", word + [one, other])
        }
    }

    private mutating func check(_ seen: Trial.Seen, _ trial: Trial, _ word: [Request]) async throws {
        checkStore(seen, word)
        guard let answer = try await trial.answerToBystander() else { return }
        let expected: Answer = seen.isPasswordChanged ? .refused(.unusableToken) : .accepted(.enterPassword)
        note(answer == expected, "SEC-CT-9: a sign-in begun before the reset gets \(answer)", word)
    }

    /// Two concurrent wrong guesses both count (SEC-OTP-3, SEC-LOCK-2).
    mutating func raceGuesses() async throws {
        let store = try SQLiteStore.inMemory()
        let challenge = Request(token: 0, input: .challenge)
        let trial = try await replay([challenge], in: store)
        try await store.keepForModel()
        let guesses = trial.requests.filter { $0.input.corrected != nil }
        note(!guesses.isEmpty, "nothing to guess", [challenge])
        for guess in guesses {
            var other = guess
            other.isOther = true
            try await race(guess, other, in: trial, after: [challenge])
        }
        try await store.close()
    }

    /// I1 to I3: one account for an acknowledged sign-up, with its name, its password and its attributes, and none
    /// otherwise; and at most one account, one change of the password, one method and one sign-in per flow.
    private mutating func checkStore(_ seen: Trial.Seen, _ word: [Request]) {
        let events = seen.audit.split(separator: ",")
        func count(_ kind: AuditEvent.Kind) -> Int { events.count { $0 == kind.rawValue } }
        for kind in [AuditEvent.Kind.signUpCompleted, .passwordChanged, .methodRegistered, .tokenIssued] {
            note(count(kind) <= 1, "\(kind) happened twice", word)
        }
        let variation = scenario.variation
        let users = variation.journey == .signUp ? count(.signUpCompleted) : 1
        note(seen.users == users, "I1: \(seen.users) accounts", word)
        note(seen.identifiers == users, "I3: \(seen.identifiers) names", word)
        guard users == 1 else { return }
        note(seen.hasPassword == (variation.method == .emailPassword), "I2: no way to sign in", word)
        let attributes = variation.journey == .signUp && variation.needsAttributes ? 2 : 0
        note(seen.attributes >= attributes, "I1: \(seen.attributes) attributes", word)
        // The session from before a reset ends with the old password (SEC-TOK-10).
        let before = variation.journey == .reset && !seen.isPasswordChanged ? 1 : 0
        note(seen.families == before + count(.tokenIssued), "I4: tokens and their session disagree", word)
        note(seen.methods == variation.methods.count + count(.methodRegistered), "I4: methods without a proof", word)
    }

    private mutating func note(_ holds: Bool, _ what: String, _ word: [Request]) {
        guard !holds, violations.count < 20 else { return }
        violations.append("\(what) after \(word) of \(scenario.variation)")
    }
}
