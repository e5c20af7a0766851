import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The limits of texts, as pure functions of what was sent.
@Suite("Limits of texts") struct TextLimitTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let settings = TextSettings(areas: ["49"], brand: "Contoso")

    private func judged(
        _ history: TextHistory, _ settings: TextSettings = settings, for use: TextUse = .registration, now: Date = now
    ) throws -> TextJudgement {
        history.judging(settings, try #require(CallingArea.named("49")), for: use, TextLimits(), now: now)
    }

    private static func times(_ count: Int, ago: Double, step: Double = 0) -> [Date] {
        (0..<count).map { now.addingTimeInterval(-ago + Double($0) * step) }
    }

    /// Which dates of the history a limit counts.
    private struct Rule: Sendable, CustomTestStringConvertible {
        var name: String
        var dates: @Sendable (inout TextHistory, [Date]) -> Void
        var count: Int
        var window: Double

        var testDescription: String { "\(count) in \(Int(window)) s for the same \(name)" }
    }

    private static let rules: [Rule] = {
        func rules(
            _ name: String, _ caps: [(Int, Double)], _ dates: @escaping @Sendable (inout TextHistory, [Date]) -> Void
        ) -> [Rule] {
            caps.map { Rule(name: name, dates: dates, count: $0.0, window: $0.1) }
        }
        return rules("number", [(1, 60), (3, 900), (5, 3_600), (10, 86_400), (20, 604_800)]) { $0.ofNumber = $1 }
            + rules("account", [(5, 3_600), (10, 86_400)]) { $0.ofAccount = $1 }
            + rules("source", [(10, 3_600), (30, 86_400)]) { $0.ofSource = $1 }
            + rules("neighbourhood", [(5, 3_600), (20, 86_400)]) { $0.ofNeighbourhood = $1 }
    }()

    @Test("SEC-SMS-4, SEC-SMS-5: each cap is exact, and says when it ends", arguments: rules)
    private func caps(_ rule: Rule) throws {
        var history = TextHistory()
        rule.dates(&history, Self.times(rule.count, ago: rule.window - 1))
        guard case .refused(.throttled(let wait), notes: []) = try judged(history) else {
            Issue.record("\(rule.count) texts, and another one is sent")
            return
        }
        #expect(wait >= 1)
        // One less, and one window later.
        rule.dates(&history, Self.times(rule.count - 1, ago: rule.window - 1))
        let isHeldByShorter = Self.rules.contains {
            $0.name == rule.name && $0.window < rule.window && $0.count <= rule.count - 1 && rule.window - 1 < $0.window
        }
        let next = try judged(history)
        #expect(isHeldByShorter || next == .send(notes: []))
        rule.dates(&history, Self.times(rule.count, ago: rule.window))
        #expect(try judged(history) == .send(notes: []))
    }

    @Test("SEC-SMS-4: an account is texted at three numbers a day, and an area within five times its usual hour")
    func others() throws {
        var history = TextHistory()
        history.otherNumbersOfAccount = 2
        #expect(try judged(history) == .send(notes: []))
        history.otherNumbersOfAccount = 3
        #expect(try judged(history) == .refused(.throttled(retryAfter: 86_400), notes: []))
        history.otherNumbersOfAccount = 0
        history.ofAreaInHour = 20
        #expect(try judged(history) == .refused(.throttled(retryAfter: 3_600), notes: []))
        // 168 an hour for a week: five times as many.
        history.answeredInWeek = 168 * 168
        history.ofAreaInHour = 839
        #expect(try judged(history) == .send(notes: []))
        history.ofAreaInHour = 840
        #expect(try judged(history) == .refused(.throttled(retryAfter: 3_600), notes: []))
    }

    @Test(
        "SEC-SMS-6: an area whose codes do not come back rests an hour, then two, up to a day, and again texts after that"
    )
    func conversion() throws {
        var history = TextHistory()
        history.conversion = .init(sent: 19, verified: 0)
        #expect(try judged(history) == .send(notes: []))
        history.conversion = .init(sent: 20, verified: 0)
        var minutes: [Int] = []
        for _ in 0..<7 {
            guard case .refused(.blockedContact, let notes) = try judged(history),
                case .write(.pauseTexts("49", let pause))? = notes.first
            else {
                Issue.record("no rest")
                return
            }
            #expect(notes.contains(.record(.textAlarm, detail: "area +49, \(pause.minutes) minutes")))
            minutes.append(pause.minutes)
            history.pause = pause
            // While it lasts there is no second alarm.
            #expect(try judged(history) == .refused(.blockedContact, notes: []))
            let later = TextHistory.Pause(until: Self.now, minutes: pause.minutes)
            history.pause = later
        }
        #expect(minutes == [60, 120, 240, 480, 960, 1_440, 1_440])
        history.conversion = .init(sent: 0, verified: 0)
        #expect(try judged(history) == .send(notes: []))
        history.conversion = .init(sent: 100, verified: 29)
        guard case .refused = try judged(history) else {
            Issue.record("29 of 100")
            return
        }
        history.conversion = .init(sent: 100, verified: 30)
        #expect(try judged(history) == .send(notes: []))
    }

    @Test("SEC-SMS-6: when 60 % of honest users type the code in, registrations rest in none of 10,000 runs")
    func honestUsers() throws {
        var generator = SeededGenerator(seed: 20_261_128)
        let area = try #require(CallingArea.named("49"))
        for _ in 0..<10_000 {
            var history = TextHistory()
            for _ in 0..<60 {
                let isVerified = Int.random(in: 0..<10, using: &generator) < 6
                history.conversion.sent += 1
                history.conversion.verified += isVerified ? 1 : 0
                guard
                    history.judging(Self.settings, area, for: .registration, TextLimits(), now: Self.now)
                        == .send(notes: [])
                else {
                    Issue.record("\(history.conversion)")
                    return
                }
            }
        }
    }

    @Test("SEC-SMS-7: a cap of costs is never passed; operators are told at 80 % and at the end")
    func costs() throws {
        var settings = Self.settings
        settings.prices = ["49": 75_000]
        settings.costPerDay = 300_000
        settings.costPerMonth = 10_000_000
        var history = TextHistory()
        var alarms: [String] = []
        var sent = 0
        // Bounded, so that a cap that does not hold fails here.
        loop: while sent < 1_000 {
            switch try judged(history, settings, for: .secondFactor) {
            case .refused(let refusal, let notes):
                #expect(refusal == .blockedContact && notes == [])
                break loop
            case .send(let notes):
                sent += 1
                for case .record(.textAlarm, user: _, let detail?) in notes { alarms.append(detail) }
                history.costOfDay += 75_000
                history.costOfMonth += 75_000
            }
        }
        #expect(sent == 4 && history.costOfDay == 300_000)
        #expect(alarms == ["80 % of the costs of a day", "all of the costs of a day"])
        // Registrations leave the last fifth to sign-ins.
        history.costOfDay = 150_000
        #expect(try judged(history, settings) == .send(notes: []))
        history.costOfDay = 225_000
        #expect(try judged(history, settings) == .refused(.blockedContact, notes: []))
        #expect(try judged(history, settings, for: .signIn) == .refused(.blockedContact, notes: []))
        history.costOfDay = 0
        history.costOfMonth = 9_950_000
        #expect(try judged(history, settings, for: .secondFactor) == .refused(.blockedContact, notes: []))
        // The end is told, too, when the cap is no multiple of the price.
        settings.costPerDay = 100_000
        (history.costOfDay, history.costOfMonth) = (0, 0)
        guard case .send(let notes) = try judged(history, settings, for: .secondFactor) else {
            Issue.record("the first text")
            return
        }
        #expect(notes == [.record(.textAlarm, detail: "all of the costs of a day")])
    }

    @Test("SEC-SMS-4: what strangers do with numbers of theirs holds up no sign-in with a registered telephone")
    func owners() throws {
        var history = TextHistory()
        history.ofNeighbourhood = Self.times(20, ago: 10)
        history.ofAreaInHour = 1_000
        history.conversion = .init(sent: 1_000, verified: 0)
        history.pause = .init(until: Self.now.addingTimeInterval(60), minutes: 60)
        history.pauseOfAll = .init(until: Self.now.addingTimeInterval(60), minutes: 10)
        (history.reports, history.failures) = (20, 20)
        #expect(try judged(history, for: .secondFactor) == .send(notes: []))
        guard case .refused = try judged(history) else {
            Issue.record("a registration")
            return
        }
    }

    @Test("SEC-SMS-6: when the gateway reports that most texts fail, all rest for ten minutes")
    func reports() throws {
        var history = TextHistory()
        (history.reports, history.failures) = (19, 19)
        #expect(try judged(history) == .send(notes: []))
        (history.reports, history.failures) = (20, 9)
        #expect(try judged(history) == .send(notes: []))
        history.failures = 10
        let pause = TextHistory.Pause(until: Self.now.addingTimeInterval(600), minutes: 10)
        #expect(
            try judged(history)
                == .refused(
                    .blockedContact,
                    notes: [
                        .write(.pauseTexts(TextHistory.everyArea, pause)),
                        .record(.textAlarm, detail: "gateway, 10 minutes"),
                    ]))
        history.pauseOfAll = pause
        #expect(try judged(history) == .refused(.blockedContact, notes: []))
    }

    @Test("SEC-SMS-8: texts give a guesser no better chance than mails: at most one in 10,000 a day")
    func chance() {
        let settings = EngineSettings(baseURL: "https://localhost")
        let limits = TimeLimits()
        // A number gets fewer codes than a mailbox, and the budget of wrong codes is the same.
        #expect(settings.textLimits.textsPerDay <= limits.mailsToMailbox.perDay)
        #expect(limits.dailyGuessingChance(digits: settings.codeDigits) <= 1e-4)
    }

    @Test("SEC-SMS-10: a text has the name, the code and the domain, in characters that cost nothing more")
    func message() {
        var settings = TextSettings(areas: ["49"], brand: "Contoso")
        #expect(settings.message(with: "01234567") == "Contoso: 01234567")
        settings.domain = "login.contoso.com"
        let text = settings.message(with: "01234567")
        #expect(text == "Contoso: 01234567\n\n@login.contoso.com #01234567")
        #expect(text.utf8.allSatisfy { $0 < 0x80 } && text.utf8.count <= TextSettings.longestMessage)
        for name in [
            "", " Contoso", "Café", "Con\ntoso", "https://contoso.com", "a@b", "x#1", String(repeating: "a", count: 41),
            "[Contoso]", "Contoso€",
        ] {
            #expect(!TextSettings.isBrand(name), "\(name)")
        }
        for name in ["Contoso", "Harbour & Sons", "Dr. Who's", "A"] { #expect(TextSettings.isBrand(name), "\(name)") }
    }
}
