import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Limits over time")
struct TimeLimitTests {
    private static let now = SignUpStateTests.now

    /// Guesses and mails of one address over many flows, counted as in the store.
    private struct Address {
        var counted: [CountedEvent: [Date]] = [:]
        var now = TimeLimitTests.now
        var compared = 0
        var refusals: [Refusal] = []

        mutating func apply(_ decision: Decision<SignUpState>) {
            for effect in decision.effects {
                if case .count(let event, of: .address) = effect { counted[event, default: []].append(now) }
                if case .count(let event, of: .mailbox) = effect { counted[event, default: []].append(now) }
                if case .forget(let event, of: .address) = effect { counted[event] = nil }
            }
            if case .refused(let refusal) = decision.verdict { refusals.append(refusal) }
        }

        func situation(_ row: FlowRow) -> StepSituation {
            var situation = SignUpStateTests.situation(SignUpStateTests.plainOTP)
            situation.row = row
            situation.now = now
            let counted = counted.mapValues { $0.filter { now.timeIntervalSince($0) < 86_400 } }
            situation.counted = [.address: counted, .mailbox: counted]
            return situation
        }
    }

    @Test("SEC-OTP-5: wrong codes over many flows stop at the budget; each mailed code keeps two guesses")
    func wrongCodesOverManyFlowsStopAtTheBudget() {
        var address = Address()
        let flows = 60
        for _ in 0..<flows {
            var row = FlowRow(
                code: SignUpStateTests.fresh.record, codesSent: 1, expiresAt: Self.now.addingTimeInterval(3600))
            for _ in 0..<5 {
                var wasCompared = false
                let decision = SignUpState.awaitingCode(SignUpStateTests.draft()).submitting(
                    code: { _ in
                        wasCompared = true
                        return false
                    }, newUser: SignUpStateTests.user, in: address.situation(row))
                if wasCompared { address.compared += 1 }
                address.apply(decision)
                row = decision.row ?? row
            }
        }
        // Twenty flows use up the budget of 100; the other forty get two guesses each.
        #expect(address.compared == 100 + 40 * 2)
        guard case .throttled(let seconds)? = address.refusals.last else {
            Issue.record("the last guess was not throttled")
            return
        }
        #expect(seconds == 86_400)
    }

    @Test("SEC-RATE-8: the waiting time is true: at that moment the guess is compared")
    func theWaitingTimeIsTrue() {
        var address = Address(
            counted: [.wrongCode: (0..<100).map { Self.now.addingTimeInterval(Double($0)) }],
            now: Self.now.addingTimeInterval(500))
        var row = FlowRow(code: SignUpStateTests.fresh.record, codesSent: 1, expiresAt: .distantFuture)
        row.code?.attempts = 2
        row.code?.expiresAt = .distantFuture
        let state = SignUpState.awaitingCode(SignUpStateTests.draft())
        func verdict() -> Verdict {
            state.submitting(code: { _ in false }, newUser: SignUpStateTests.user, in: address.situation(row)).verdict
        }
        guard case .refused(.throttled(let seconds)) = verdict() else {
            Issue.record("not throttled")
            return
        }
        address.now += Double(seconds) - 1
        #expect(verdict() == .refused(.throttled(retryAfter: 1)))
        address.now += 1
        #expect(verdict() == .refused(.incorrectCode))
    }

    @Test("SEC-OTP-5: a success clears the count")
    func aSuccessClearsTheCount() {
        var address = Address(counted: [.wrongCode: Array(repeating: Self.now, count: 100)])
        let row = FlowRow(code: SignUpStateTests.fresh.record, codesSent: 1, expiresAt: .distantFuture)
        address.apply(
            SignUpState.awaitingCode(SignUpStateTests.draft()).submitting(
                code: { _ in true }, newUser: SignUpStateTests.user, in: address.situation(row)))
        #expect(address.counted[.wrongCode] == nil)
    }

    @Test("SEC-OTP-12: five mails in 15 minutes, ten in an hour, thirty in a day, over all flows")
    func mailsOverAllFlowsStopAtTheCaps() {
        var address = Address()
        var mails = 0
        // A client asks for a code every minute for a day, each time in a new flow.
        for minute in 0..<1_440 {
            address.now = Self.now.addingTimeInterval(Double(minute) * 60)
            let decision = SignUpState.started(SignUpStateTests.draft()).challenging(
                with: SignUpStateTests.fresh, in: address.situation(FlowRow(expiresAt: .distantFuture)))
            address.apply(decision)
            if decision.effects.contains(where: { if case .mailCode = $0 { true } else { false } }) { mails += 1 }
            if minute == 14 { #expect(mails == 5) }
            if minute == 59 { #expect(mails == 10) }
        }
        #expect(mails == 30)
    }

    @Test(
        "SEC-OTP-6: settings that let a guesser in too often are refused at start", arguments: [(8, true), (6, false)])
    func tooFewDigitsAreRefused(digits: Int, isGood: Bool) {
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.codeDigits = digits
        #expect(settings.problems(allowsNoCooldown: false).isEmpty == isGood)
        #expect(abs(TimeLimits().dailyGuessingChance(digits: 8) - 8.384e-6) < 1e-9)
    }

    @Test("Settings outside their range are named")
    func settingsOutsideTheirRangeAreNamed() {
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.codeDigits = 11
        settings.codeLifetime = 601
        settings.guessesPerCode = 6
        settings.codesPerFlow = 6
        settings.resendCooldown = 0
        settings.refreshGrace = 61
        let names = settings.problems(allowsNoCooldown: false).map { $0.prefix { $0 != " " } }
        #expect(
            names == ["codeDigits", "codeLifetime", "guessesPerCode", "codesPerFlow", "resendCooldown", "refreshGrace"])
    }

    @Test(
        "SEC-OTP-12: addresses of one mailbox share a count",
        arguments: [
            ("dana+a@example.com", "Dana@example.com", true), ("d.a.na@gmail.com", "dana@googlemail.com", true),
            ("d.ana@example.com", "dana@example.com", false), ("dana@example.com", "dana@example.org", false),
        ])
    func addressesOfOneMailboxShareACount(one: String, other: String, isSame: Bool) throws {
        #expect((try #require(EmailAddress(one)).mailbox == (try #require(EmailAddress(other)).mailbox)) == isSame)
    }
}
