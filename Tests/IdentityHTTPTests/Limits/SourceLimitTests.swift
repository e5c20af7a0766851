import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NIOCore
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

private let start = IdentityTestServer.start

private func source(_ text: String) throws -> SourceAddress {
    SourceAddress(try #require(IPAddress(text), "\(text)"))
}

/// The seconds of a refusal; nil when `body` was accepted.
private func refusal(_ body: () throws(RequestFault) -> Void) throws -> Int? {
    do throws(RequestFault) {
        try body()
        return nil
    } catch {
        guard case .throttled(let seconds) = error else { throw error }
        return seconds
    }
}

extension SourceLimits {
    /// How many of `count` requests at one moment are accepted.
    fileprivate func accepted(
        _ count: Int, _ group: LimitGroup = .step, from source: SourceAddress, at now: Date = start
    ) throws -> Int {
        try (0..<count).count { _ in
            try refusal { () throws(RequestFault) in try admit(group, from: source, now: now) } == nil
        }
    }
}

extension Sequence {
    fileprivate func count(where matches: (Element) throws -> Bool) rethrows -> Int {
        try reduce(0) { try $0 + (matches($1) ? 1 : 0) }
    }
}

@Suite("Limits per source") struct SourceLimitTests {
    // MARK: Groups

    @Test("SEC-RATE-1: every route that the server has belongs to a group")
    func everyRouteHasAGroup() async throws {
        try await withIdentityServer { server in
            let templates = Set(try Outside(server).routes.router().routes.map { "\($0.path)" })
            #expect(templates.count >= 10)
            for template in templates { #expect(LimitGroup(route: template) != nil, "\(template)") }
            #expect(templates.contains("/{tenant}/\(V1Endpoint.signUpStart.rawValue)"))
            #expect(LimitGroup(route: "/{tenant}/nothing") == nil)
            #expect(LimitGroup(route: "/nothing") == nil)
        }
    }

    @Test("SEC-RATE-1, SEC-RATE-4: the first step of each flow is a start, and so is the one that sets a password")
    func startsAreStarts() {
        let starts = V1Endpoint.allCases.filter { LimitGroup(route: "/{tenant}/\($0.rawValue)") == .start }
        #expect(Set(starts) == [.signUpStart, .signInInitiate, .resetPasswordStart, .resetPasswordSubmit])
        for endpoint in V1Endpoint.allCases where !starts.contains(endpoint) {
            #expect(LimitGroup(route: "/{tenant}/\(endpoint.rawValue)") == .step)
        }
        for endpoint in MetadataEndpoint.allCases {
            #expect(LimitGroup(route: "/{tenant}/\(endpoint.rawValue)") == endpoint.limitGroup)
        }
        for page in ["/", "/livez", "/readyz", "/dev/inbox"] { #expect(LimitGroup(route: page) == .probe) }
    }

    // MARK: Sources

    @Test("SEC-RATE-2: sources have budgets of their own; an address that is written in two ways is one")
    func sourcesHaveTheirOwnBudgets() throws {
        let limits = SourceLimits()
        #expect(try limits.accepted(100, from: source("192.0.2.1")) == 40)
        #expect(try limits.accepted(100, from: source("192.0.2.2")) == 40)
        #expect(try limits.accepted(100, from: source("::ffff:192.0.2.1")) == 0)
        #expect(try limits.accepted(100, from: source("2001:db8::1")) == 40)
        #expect(try limits.accepted(100, from: source("2001:DB8:0:0::1")) == 0)
    }

    @Test("SEC-RATE-2: rotating inside a /64 gains nothing, inside a /48 eight times the budget")
    func rotatingGainsNothing() throws {
        let limits = SourceLimits()
        let inside = try (0..<1_000).count {
            try limits.accepted(1, from: source("2001:db8:1:2:\(String($0, radix: 16))::1")) == 1
        }
        #expect(inside == 40)
        let across = try (0..<1_000).count {
            try limits.accepted(1, from: source("2001:db8:2:\(String($0, radix: 16))::1")) == 1
        }
        #expect(across == 320)
        #expect(try limits.accepted(1, from: source("2001:db8:3::1")) == 1)
    }

    @Test("SEC-RATE-2: a million addresses take at most 64 MiB, and the table stays within its bound")
    func memoryIsBounded() throws {
        func resident() throws -> Int {
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
            return try #require(Int(pages)) * 4_096
        }
        let limits = SourceLimits()
        #if os(Linux)
            let before = try resident()
        #endif
        for number in UInt32(0)..<1_000_000 {
            let text = "\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255).7"
            try limits.admit(.step, from: source(text), now: start)
        }
        #expect(limits.count == 18_000)
        #if os(Linux)
            #expect(try resident() - before <= 64 << 20)
        #endif
    }

    @Test("SEC-RATE-2: the counter that was asked for longest ago gives way, one in use stays")
    func theLeastRecentlyUsedGivesWay() throws {
        let limits = SourceLimits(capacity: 4)
        let busy = try source("192.0.2.1")
        for number in 1...38 {
            #expect(try limits.accepted(1, from: busy) == 1)
            #expect(try limits.accepted(1, from: source("198.51.100.\(number)")) == 1)
        }
        #expect(limits.count == 4)
        #expect(try limits.accepted(9, from: busy) == 2)
        for number in 1...200 { #expect(try limits.accepted(1, from: source("198.51.100.\(number)")) == 1) }
        // The keys in between have pushed out all except the last.
        #expect(try limits.accepted(99, from: source("198.51.100.1")) == 40)
        #expect(limits.count == 4)
    }

    // MARK: Rates

    @Test("SEC-RATE-3: of a hundred requests a second twenty are accepted, within 10 %, over any minute")
    func requestsPerSecond() throws {
        let limits = SourceLimits()
        let someone = try source("192.0.2.1")
        #expect(try limits.accepted(1_000, from: someone, at: start - 100) == 40)
        var times: [Int] = []
        for step in 0..<18_000 {
            let now = start + Double(step) / 100
            if try limits.accepted(1, from: someone, at: now) == 1 { times.append(step) }
        }
        for first in stride(from: 0, to: 12_000, by: 50) {
            let accepted = times.count { (first..<first + 6_000).contains($0) }
            #expect((1_080...1_320).contains(accepted), "\(first): \(accepted)")
        }
    }

    @Test("SEC-RATE-3: twenty a second for ten minutes are never refused")
    func twentyASecondAreFine() throws {
        let limits = SourceLimits()
        let someone = try source("192.0.2.1")
        for step in 0..<12_000 {
            #expect(try limits.accepted(1, from: someone, at: start + Double(step) / 20) == 1)
        }
    }

    @Test("SEC-RATE-4: thirty starts a minute, three hundred an hour; steps are not starts")
    func startsPerMinuteAndHour() throws {
        let limits = SourceLimits()
        let someone = try source("192.0.2.1")
        var accepted: [Int] = []
        // Ten tries a second for two hours.
        for step in 0..<72_000 {
            if try limits.accepted(1, .start, from: someone, at: start + Double(step) / 10) == 1 {
                accepted.append(step)
            }
        }
        #expect(accepted.count { $0 < 600 } == 30)
        #expect(accepted.count { $0 < 36_000 } == 300)
        // The resolution of a limit is a sixteenth of its time.
        for first in stride(from: 0, to: 36_000, by: 150) {
            #expect(accepted.count { (first..<first + 560).contains($0) } <= 30, "\(first)")
            #expect(accepted.count { (first..<first + 33_750).contains($0) } <= 300, "\(first)")
        }
        #expect(try limits.accepted(1, .step, from: someone, at: start + 7_300) == 1)
    }

    @Test("SEC-RATE-4: passkeys that pages suggest on their own have a budget of their own, and use up no start")
    func suggestions() throws {
        let limits = SourceLimits()
        let (someone, other) = (try source("192.0.2.1"), try source("192.0.2.2"))
        #expect((0..<1_000).count { _ in limits.admitSuggestion(from: someone, now: start) } == 150)
        #expect(limits.admitSuggestion(from: other, now: start))
        #expect(try limits.accepted(30, .start, from: someone, at: start) == 30)
        #expect(limits.admitSuggestion(from: someone, now: start + 3_601))
    }

    @Test(
        "SEC-RATE-5: wrong guesses from one source stop at the limit, right ones are not counted",
        arguments: [(GuessedSecret.code, 30), (.password, 50), (.daemonProof, 50)])
    func wrongGuessesAreLimited(_ secret: GuessedSecret, limit: Int) throws {
        let limits = SourceLimits()
        let sprayer = try source("192.0.2.1")
        func compare(from source: SourceAddress, isWrong: Bool, at now: Date) throws -> Int? {
            let wait = try refusal { () throws(RequestFault) in
                try limits.admitGuess(at: secret, from: source, now: now)
            }
            if wait == nil, isWrong { limits.record(wrong: secret, from: source, now: now) }
            return wait
        }
        for _ in 0..<1_000 { #expect(try compare(from: sprayer, isWrong: false, at: start) == nil) }
        // A thousand accounts, one guess each.
        let compared = try (0..<1_000).count {
            try compare(from: sprayer, isWrong: true, at: start + Double($0) / 10) == nil
        }
        #expect(compared == limit)
        let wait = try #require(try compare(from: sprayer, isWrong: false, at: start + 100))
        #expect(try compare(from: sprayer, isWrong: false, at: start + 100 + Double(wait)) == nil)
        #expect(try compare(from: source("192.0.2.2"), isWrong: false, at: start + 100) == nil)
        let other = GuessedSecret.allCases.first { $0 != secret }
        try limits.admitGuess(at: #require(other), from: sprayer, now: start + 100)
    }

    @Test(
        "SEC-RATE-6: a family refreshes ten times a minute; a flow asks twice a second",
        arguments: [(RepeatedStep.refresh, 10, 60.0), (.introspect, 2, 1), (.poll, 2, 1)])
    func repeatedSteps(_ step: RepeatedStep, limit: Int, seconds: Double) throws {
        let limits = SourceLimits()
        func accepted(_ key: String, at now: Date) throws -> Int {
            try (0..<100).count { _ in
                try refusal { () throws(RequestFault) in try limits.admit(step, of: key.utf8, now: now) } == nil
            }
        }
        #expect(try accepted("one", at: start) == limit)
        #expect(try accepted("two", at: start) == limit)
        #expect(try accepted("", at: start) == limit)
        #expect(try accepted("one", at: start + seconds * 0.9) == 0)
        #expect(try accepted("one", at: start + seconds * 1.01) == limit)
        for other in RepeatedStep.allCases where other != step { try limits.admit(other, of: "one".utf8, now: start) }
    }

    @Test("SEC-RATE-8: a request at the moment that Retry-After names is accepted, in 1 000 histories")
    func retryAfterIsTrue() throws {
        for seed in UInt64(1)...1_000 {
            var random = Seeded(state: seed)
            let limits = SourceLimits()
            let someone = try source(Bool.random(using: &random) ? "192.0.2.1" : "2001:db8::1")
            let group: LimitGroup = Bool.random(using: &random) ? .start : .step
            var now = start + Double.random(in: 0..<1, using: &random)
            let pauses = [0.001, 0.05, 2, 20]
            var refused = 0
            for _ in 0..<60 {
                now += Double.random(in: 0..<(pauses.randomElement(using: &random) ?? 1), using: &random)
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    guard
                        let wait = try refusal({ () throws(RequestFault) in
                            try limits.admit(group, from: someone, now: now)
                        })
                    else { continue }
                    refused += 1
                    #expect((1...3_600).contains(wait), "seed \(seed)")
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        now += Double(wait)
                        #expect(try limits.accepted(1, group, from: someone, at: now) == 1, "seed \(seed)")
                    }
                    break
                }
            }
            #expect(refused > 0, "seed \(seed)")
        }
    }

    @Test(
        "SEC-RATE-8: a clock that is set back or jumps neither opens the gate nor closes it for longer than the limit")
    func clockJumps() throws {
        let limits = SourceLimits()
        let someone = try source("192.0.2.1")
        #expect(try limits.accepted(300, .start, from: someone) == 30)
        for jump in [-0.001, -1, -86_400, -1e8] {
            let now = start + jump
            let wait = try #require(
                try refusal { () throws(RequestFault) in try limits.admit(.start, from: someone, now: now) })
            #expect((1...60).contains(wait), "\(jump)")
        }
        #expect(try limits.accepted(300, .start, from: someone, at: start + 1e8) == 30)
    }

    // MARK: Over HTTP

    @Test("SEC-RATE-3, SEC-RATE-8: the 41st request at once answers 429 with Retry-After, and no flow sees it")
    func theAnswerIsDocumented() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(limits: SourceLimits()))
            let path = "/contoso/\(V1Endpoint.signUpChallenge.rawValue)"
            for _ in 0..<40 { #expect(try await outside.post(path, from: "192.0.2.1").status == .badRequest) }
            let refused = try await outside.post(path, from: "192.0.2.1")
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "2")
            #expect(refused.headers[.contentType] == "application/json; charset=utf-8")
            #expect(refused.headers[.cacheControl] == "no-store")
            for nothing in ["/contoso/nothing", "/dev/nothing", "/{tenant}/nothing"] {
                #expect(try await outside.post(nothing, from: "192.0.2.1").status == .tooManyRequests, "\(nothing)")
            }
            #expect(try await outside.post(path, from: "192.0.2.2").status == .badRequest)
            #expect(try await outside.get("/livez", from: "192.0.2.1").status == .ok)
            server.clock.advance(by: 2)
            #expect(try await outside.post(path, from: "192.0.2.1").status == .badRequest)
        }
    }

    @Test("SEC-RATE-4, SEC-PWD-9: starts are refused before their body is read")
    func startsAreRefusedEarly() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(limits: SourceLimits()))
            let path = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
            for _ in 0..<30 { _ = try await outside.post(path, from: "192.0.2.1") }
            let refused = try await outside.post(path, from: "192.0.2.1", type: "text/plain")
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "60")
        }
    }

    @Test("design record 0003: without limits, and within a process, nothing is refused")
    func limitsCanBeOff() async throws {
        try await withIdentityServer { server in
            let path = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
            for (policy, peer) in [(AccessPolicy(), "192.0.2.1"), (AccessPolicy(limits: SourceLimits()), nil)] {
                let outside = try Outside(server, policy)
                for _ in 0..<400 { #expect(try await outside.post(path, from: peer).status == .badRequest) }
            }
        }
    }

    @Test("SEC-NET-2: behind a trusted proxy each client has its own budget, and a forged hop in front changes nothing")
    func forwardedSources() async throws {
        try await withIdentityServer { server in
            let proxies = try TrustedProxies(NetworkList("127.0.0.1"))
            let outside = try Outside(server, AccessPolicy(trustedProxies: proxies, limits: SourceLimits()))
            let path = "/contoso/\(V1Endpoint.signUpChallenge.rawValue)"
            func accepted(_ fields: (Int) -> [String], peer: String = "127.0.0.1") async throws -> Int {
                var accepted = 0
                for number in 0..<60 {
                    let answer = try await outside.post(path, from: peer, forwardedFor: fields(number))
                    if answer.status == .badRequest { accepted += 1 }
                }
                return accepted
            }
            #expect(try await accepted { ["198.51.100.\($0), 192.0.2.1"] } == 40)
            #expect(try await accepted { ["198.51.100.\($0)", "192.0.2.2:\(40_000 + $0)"] } == 40)
            #expect(try await accepted({ ["198.51.100.\($0)"] }, peer: "192.0.2.3") == 40)
            #expect(try await accepted { ["nonsense-\($0)"] } == 40)
            #expect(try await accepted { _ in [] } == 0)
        }
    }

    @Test("SEC-RATE-7: a spray from many sources halves the budgets of all, until it has been over for 15 minutes")
    func sprayHalvesBudgets() throws {
        let limits = SourceLimits()
        // Typing errors of users: one wrong guess for each right one.
        for number in 0..<2_000 { #expect(!limits.note(.password, isRight: number % 2 == 0, now: start)) }
        // Hardly any device's code is typed rightly.
        for _ in 0..<1_000 { #expect(!limits.note(.userCode, isRight: false, now: start)) }
        #expect(!limits.hasAlarm(now: start))
        var now = start.addingTimeInterval(600)
        // A spray is detected from 500 guesses on.
        let begins = (0..<1_000).map { _ in limits.note(.password, isRight: false, now: now) }
        #expect(begins.firstIndex(of: true) == 499)
        #expect(begins.count { $0 } == 1)
        #expect(try limits.accepted(100, from: source("192.0.2.1"), at: now) == 20)
        #expect(try limits.accepted(100, .start, from: source("192.0.2.2"), at: now) == 15)
        now += 899
        #expect(try limits.accepted(100, from: source("192.0.2.3"), at: now) == 20)
        now += 2
        #expect(try limits.accepted(100, from: source("192.0.2.4"), at: now) == 40)
        // Twenty wrong ones for a right one are not more than twenty.
        for number in 0..<2_100 { #expect(!limits.note(.code, isRight: number % 21 == 0, now: now)) }
    }

    @Test("SEC-RATE-5: wrong codes are counted from the outcome, and refuse the next guess before it is compared")
    func theContextCounts() throws {
        var context = IdentityRequestContext(logger: quiet)
        context.source = try source("192.0.2.1")
        context.trace = Trace(id: UUID(), correlationID: UUID(), at: start)
        let guess = Command.step(ContinuationToken("t"), .submitSignUpCode(Secret("1")))
        let step = Command.step(ContinuationToken("t"), .challengeSignUp(accepted: nil))
        for isLimited in [false, true] {
            context.policy.limits = isLimited ? SourceLimits() : nil
            for _ in 0..<30 {
                try context.checkGuesses(before: guess)
                context.countGuess(guess, .refused(.incorrectCode))
                context.countGuess(guess, .refused(.expiredCode))
                context.countGuess(guess, .accepted(.signIn))
            }
            let wait = try refusal { () throws(RequestFault) in try context.checkGuesses(before: guess) }
            #expect(wait == (isLimited ? 600 : nil))
            try context.checkGuesses(before: step)
        }
    }
}

@Suite("Where a request came from") struct SourceAddressTests {
    @Test(
        "An address is read or refused",
        arguments: [
            ("192.0.2.1", [192, 0, 2, 1]), ("::ffff:192.0.2.1", [192, 0, 2, 1]), ("::ffff:c000:201", [192, 0, 2, 1]),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("2001:db8::7:8", [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 8]),
            ("", nil), ("a", nil), ("192.0.2", nil), ("192.0.2.256", nil), ("0x7f.0.0.1", nil), ("2130706433", nil),
            ("192.0.2.1 ", nil), (" 192.0.2.1", nil), ("192.0.2.1:80", nil), ("[::1]", nil), ("fe80::1%eth0", nil),
            ("192.0.2.1\u{0}", nil), ("::1\u{0}x", nil), ("1::2::3", nil), ("12345::", nil), (":", nil), ("::g", nil),
            ("١.٢.٣.٤", nil), (String(repeating: "1", count: 10_000), nil),
        ] as [(String, [UInt8]?)])
    func addressesAreRead(_ text: String, _ bytes: [UInt8]?) {
        #expect(IPAddress(text)?.bytes == bytes)
    }

    @Test("SEC-NET-2: a socket's far end is the source; anything else than IP has none")
    func theFarEnd() throws {
        #expect(IPAddress(try SocketAddress(ipAddress: "192.0.2.1", port: 9))?.bytes == [192, 0, 2, 1])
        #expect(IPAddress(try SocketAddress(ipAddress: "::1", port: 9))?.isLoopback == true)
        #expect(IPAddress(try SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
        #expect(IPAddress(nil as SocketAddress?) == nil)
    }

    @Test("SEC-LOCK-3: the network of a source is a /24 or a /56")
    func theNetworkOfASource() throws {
        let four = try source("192.0.2.77")
        #expect(four.prefix == [192, 0, 2])
        #expect(four.forEngine == RequestSource(address: Data([192, 0, 2, 77]), network: Data([192, 0, 2])))
        let six = try source("2001:db8:1:2ff::5")
        #expect(six.prefix == [0x20, 1, 0x0D, 0xB8, 0, 1, 2])
        #expect(six.forEngine.address == Data([0x20, 1, 0x0D, 0xB8, 0, 1, 2, 0xFF]))
        #expect(try source("2001:db8:1:200::9").prefix == six.prefix)
        #expect(try source("2001:db8:1:300::9").prefix != six.prefix)
    }

    static let peer = "10.0.0.1"

    /// The content of `X-Forwarded-For`, and the resulting source when the peer is 10.0.0.1 and 10.0.0.0/8 is trusted;
    /// nil when it cannot be parsed.
    static let corpus: [([String], String?)] = [
        ([], peer),
        (["192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1:4711"], "192.0.2.1"),
        (["192.0.2.1:"], "192.0.2.1"),
        (["2001:db8::1"], "2001:db8::1"),
        (["[2001:db8::1]"], "2001:db8::1"),
        (["[2001:db8::1]:4711"], "2001:db8::1"),
        (["::ffff:192.0.2.1"], "192.0.2.1"),
        (["198.51.100.1, 192.0.2.1"], "192.0.2.1"),
        (["198.51.100.1,192.0.2.1,10.2.3.4"], "192.0.2.1"),
        (["198.51.100.1", "192.0.2.1", "10.2.3.4"], "192.0.2.1"),
        (["198.51.100.1", " \t192.0.2.1\t , 10.2.3.4 "], "192.0.2.1"),
        (["a, 192.0.2.1"], "192.0.2.1"),
        ([String(repeating: "a", count: 10_240) + ", 192.0.2.1"], "192.0.2.1"),
        (Array(repeating: "198.51.100.1", count: 80) + ["192.0.2.1"], "192.0.2.1"),
        (["10.9.9.9"], peer),
        (["10.9.9.9, 10.8.8.8"], peer),
        (["::ffff:10.9.9.9, 10.8.8.8"], peer),
        (["a"], nil),
        ([""], nil),
        (["192.0.2.1,"], nil),
        (["192.0.2.1, "], nil),
        (["192.0.2.1, a, 10.2.3.4"], nil),
        (["192.0.2.1", "", "10.2.3.4"], nil),
        ([String(repeating: "a", count: 10_240)], nil),
        ([String(repeating: "1.", count: 5_120)], nil),
        (["fe80::1%eth0"], nil),
        (["[fe80::1%25eth0]:80"], nil),
        (["unknown"], nil),
        (["_hidden"], nil),
        (["192.0.2.1:123456"], nil),
        (["192.0.2.1:80a"], nil),
        (["192.0.2.1:-1"], nil),
        (["[192.0.2.1]"], nil),
        (["[2001:db8::1"], nil),
        (["[2001:db8::1]x"], nil),
        (["for=192.0.2.1"], nil),
        (["192.0.2.1;192.0.2.2"], nil),
        (["192.0.2.1 192.0.2.2"], nil),
        (["*"], nil),
    ]

    @Test("SEC-NET-2: right to left, the first untrusted hop wins", arguments: corpus)
    func theFirstUntrustedHopWins(_ fields: [String], _ expected: String?) throws {
        let proxies = try TrustedProxies(NetworkList("10.0.0.0/8"))
        let peer = try #require(IPAddress(Self.peer))
        let wanted = try expected.map { try #require(IPAddress($0)) }
        #expect(proxies.client(behind: peer, forwardedFor: fields) == wanted)
    }

    @Test("SEC-NET-2: a peer that is not trusted is the source, whatever it says", arguments: corpus)
    func otherPeersAreNotBelieved(_ fields: [String], _ expected: String?) throws {
        let peer = try #require(IPAddress("11.0.0.1"))
        #expect(
            try TrustedProxies(NetworkList("10.0.0.0/8, 2001:db8::/32")).client(behind: peer, forwardedFor: fields)
                == peer)
        #expect(TrustedProxies().client(behind: peer, forwardedFor: fields) == peer)
    }

    @Test("SEC-NET-2: nothing that a client puts in front of what the proxy adds changes its source", arguments: corpus)
    func theSourceCannotBeRotated(_ fields: [String], _ expected: String?) throws {
        let proxies = try TrustedProxies(NetworkList("10.0.0.0/8"))
        let (peer, client) = try (#require(IPAddress(Self.peer)), #require(IPAddress("203.0.113.5")))
        #expect(proxies.client(behind: peer, forwardedFor: fields + ["203.0.113.5"]) == client)
        let joined = (fields + ["203.0.113.5"]).joined(separator: ", ")
        #expect(proxies.client(behind: peer, forwardedFor: [joined]) == client)
    }

    @Test(
        "SEC-NET-2: a list of proxies is read, and covers the addresses that it names",
        arguments: [
            ("127.0.0.1", ["127.0.0.1"], ["127.0.0.2", "::1"]),
            ("10.0.0.0/8,192.168.0.0/16", ["10.255.0.1", "192.168.7.7"], ["11.0.0.0", "192.169.0.0"]),
            (" 10.1.2.128/25 , ::1 ", ["10.1.2.200", "::1"], ["10.1.2.127", "::2"]),
            ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1", "32.1.13.184"]),
            ("::ffff:10.0.0.0/104", ["10.1.2.3"], ["11.0.0.0"]),
            ("10.0.0.1/32", ["10.0.0.1", "::ffff:10.0.0.1"], ["10.0.0.0"]),
            ("64.0.0.0/2", ["64.0.0.0", "127.255.255.255"], ["63.255.255.255", "128.0.0.0"]),
        ])
    func listsAreRead(_ list: String, _ inside: [String], _ others: [String]) throws {
        let proxies = try TrustedProxies(NetworkList(list))
        let hop = try #require(IPAddress("203.0.113.5"))
        for text in inside {
            #expect(
                proxies.client(behind: try #require(IPAddress(text)), forwardedFor: ["203.0.113.5"]) == hop, "\(text)")
        }
        for text in others {
            let peer = try #require(IPAddress(text))
            #expect(proxies.client(behind: peer, forwardedFor: ["203.0.113.5"]) == peer, "\(text)")
        }
    }

    @Test(
        "SEC-NET-2: a list that trusts every address, or contains a mistake, is refused",
        arguments: [
            "*", "10.0.0.1,*", "0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96", "", ",", "10.0.0.1,", "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0.0/+8", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/08x", "10.0.0.1/8", "2001:db8::/129", "::1/64",
            "localhost",
            "proxy.example", "10.0.0.0 10.0.0.1", "10.*", "fe80::1%eth0", "[::1]", "127.0.0.1:80", "10.0.0.0/٨",
        ])
    func badListsAreRefused(_ list: String) {
        #expect(throws: NetworkList.Invalid.self) { try TrustedProxies(NetworkList(list)) }
    }
}
