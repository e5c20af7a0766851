import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// Guesses and mails counted over time, by account, mailbox and source.
@Suite("Limits over time over HTTP") struct LockoutHTTPTests {
    private static let home = "192.0.2.1"
    private static let elsewhere = "203.0.113.9"

    /// A server with limits and a user with a password, a day after the sign-up.
    private func server() async throws -> IdentityTestServer {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        try await server.signUpWithPassword()
        server.clock.advance(by: 86_400)
        return server
    }

    private func guess(_ password: String, on server: IdentityTestServer, from address: String? = nil) async throws
        -> WireAnswer
    {
        let client = try address.map { try server.client(from: $0) }
        return try await server.signIn(password: password, with: client)
    }

    private func expectWrong(_ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        expectError(answer, "invalid_grant", 50_126, sourceLocation: sourceLocation)
    }

    private func expectLocked(
        _ answer: WireAnswer, for seconds: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectError(answer, "invalid_grant", 50_053, sourceLocation: sourceLocation)
        #expect(answer.headers["retry-after"] == "\(seconds)", "\(answer.headers)", sourceLocation: sourceLocation)
    }

    private func wrong(_ number: Int) -> String { "Wrong-Guess#\(number)" }

    // MARK: Passwords

    @Test("SEC-LOCK-1: ten wrong passwords lock for 60 s, and each further one for 2, 4, 8 and then 15 minutes")
    func lockTimes() async throws {
        let server = try await server()
        for number in 1...10 { expectWrong(try await guess(wrong(number), on: server)) }
        var next = 11
        for seconds in [60, 120, 240, 480, 900, 900] {
            expectLocked(try await guess(WireClient.password, on: server), for: seconds)
            server.clock.advance(by: Double(seconds) - 1)
            expectLocked(try await guess(WireClient.password, on: server), for: 1)
            server.clock.advance(by: 1)
            expectWrong(try await guess(wrong(next), on: server))
            next += 1
        }
        #expect(try await server.audited(.signInLocked) == 7, "when a lock begins, not at each refusal")
        server.clock.advance(by: 900)
        #expect(try await guess(WireClient.password, on: server).status == 200)
    }

    @Test("SEC-LOCK-1: a success, or a day, ends the count")
    func countsEnd() async throws {
        let server = try await server()
        for round in 0..<3 {
            for number in 1...9 { expectWrong(try await guess(wrong(10 * round + number), on: server)) }
            #expect(try await guess(WireClient.password, on: server).status == 200)
        }
        for number in 1...9 { expectWrong(try await guess(wrong(100 + number), on: server)) }
        server.clock.advance(by: 86_400)
        for number in 1...9 { expectWrong(try await guess(wrong(200 + number), on: server)) }
        #expect(try await guess(WireClient.password, on: server).status == 200)
    }

    @Test("SEC-LOCK-2: of fifty wrong guesses at once, ten are compared")
    func parallelGuesses() async throws {
        let server = try await server()
        let answers = try await withThrowingTaskGroup { group in
            for number in 0..<50 { group.addTask { try await guess(wrong(number), on: server) } }
            var codes: [JSON?: Int] = [:]
            for try await answer in group { codes[answer["error_codes"]?.array.first, default: 0] += 1 }
            return codes
        }
        #expect(answers == [50_126: 10, 50_053: 40])
    }

    @Test("SEC-LOCK-3: a stranger's failures lock strangers; the owner signs in at home, at the first try")
    func familiarSources() async throws {
        let server = try await server()
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        for number in 1...10 { expectWrong(try await guess(wrong(number), on: server, from: "203.0.113.\(number)")) }
        expectLocked(try await guess(WireClient.password, on: server, from: "198.51.100.1"), for: 60)
        for number in 1...20 {
            #expect(try await guess(WireClient.password, on: server, from: "192.0.2.\(number)").status == 200)
        }
        expectLocked(try await guess(WireClient.password, on: server, from: "198.51.100.1"), for: 60)
        server.clock.advance(by: 60)
        for number in 11...20 { expectWrong(try await guess(wrong(number), on: server, from: Self.home)) }
        expectLocked(try await guess(WireClient.password, on: server, from: Self.home), for: 60)
        #expect(
            try await guess(WireClient.password, on: server, from: Self.elsewhere).status == 200,
            "and the other way round")
    }

    @Test(
        "SEC-LOCK-3: a network is familiar for thirty days after a sign-in", arguments: [(30.0, true), (30.1, false)])
    func familiarityEnds(days: Double, isFamiliar: Bool) async throws {
        let server = try await server()
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        server.clock.advance(by: days * 86_400)
        for number in 1...10 { expectWrong(try await guess(wrong(number), on: server, from: Self.elsewhere)) }
        let answer = try await guess(WireClient.password, on: server, from: Self.home)
        #expect((answer.status == 200) == isFamiliar, "\(answer)")
    }

    @Test("SEC-LOCK-4: the same wrong password counts once, ten others lock")
    func theSameAgain() async throws {
        let server = try await server()
        for _ in 0..<30 {
            expectWrong(try await guess(wrong(1), on: server))
            server.clock.advance(by: 61)
        }
        for number in 2...10 { expectWrong(try await guess(wrong(number), on: server)) }
        expectLocked(try await guess(WireClient.password, on: server), for: 60)
    }

    @Test("SEC-LOCK-5: a right password does not open a lock, a reset does at once, from the very source")
    func resetOpensTheLock() async throws {
        let server = try await server()
        let client = try server.client(from: Self.elsewhere)
        for number in 1...10 { expectWrong(try await guess(wrong(number), on: server, from: Self.elsewhere)) }
        expectLocked(try await guess(WireClient.password, on: server, from: Self.elsewhere), for: 60)
        try await server.reset(with: client)
        #expect(try await guess(WireClient.newPassword, on: server, from: Self.elsewhere).status == 200)
        for number in 1...9 { expectWrong(try await guess(wrong(number), on: server, from: Self.elsewhere)) }
    }

    @Test("SEC-ID-11: a reset forgets the networks: none is familiar before the next sign-in")
    func resetForgetsNetworks() async throws {
        let server = try await server()
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        try await server.reset(with: try server.client(from: Self.elsewhere))
        #expect(try await server.count("SELECT COUNT(*) FROM known_networks") == 0)
        for number in 1...10 { expectWrong(try await guess(wrong(number), on: server, from: Self.elsewhere)) }
        expectLocked(try await guess(WireClient.newPassword, on: server, from: Self.home), for: 60)
    }

    @Test(
        "SEC-LOCK-6: after a hundred failures a stranger's right password needs the mailbox; the owner needs no administrator"
    )
    func passwordsAlone() async throws {
        let server = try await server()
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        for number in 1...99 {
            expectWrong(try await guess(wrong(number), on: server, from: Self.elsewhere))
            server.clock.advance(by: 900)
        }
        let ninetyNine = try await server.rows("SELECT failures FROM lockouts")
        #expect(ninetyNine == [["99"]])
        expectWrong(try await guess(wrong(100), on: server, from: Self.elsewhere))
        server.clock.advance(by: 900)
        let client = try server.client(from: Self.elsewhere)
        let incapable = try await server.signIn(capabilities: nil, with: client)
        expectSuccess(incapable, ["challenge_type", "redirect_reason"])
        #expect(incapable["redirect_reason"] == "Client is missing mfa_required capability")
        let required = try await server.signIn(with: client)
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200, "not at home")
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        let code = try await server.mailbox.code(to: "dana@example.com")
        let tokens = try await client.token(code: code, sent.token, grant: "mfa_oob")
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await server.signIn(capabilities: nil, with: client).status == 200, "and that ended it")
    }

    @Test("SEC-LOCK-6: a neighbour in the owner's network has a hundred guesses, too, and then the mailbox is wanted")
    func passwordsAloneAtHome() async throws {
        let server = try await server()
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        for number in 1...100 {
            expectWrong(try await guess(wrong(number), on: server, from: Self.home))
            server.clock.advance(by: 900)
        }
        let client = try server.client(from: Self.home)
        let required = try await server.signIn(with: client)
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        // No data in the database may help to find a right password faster than its hash does.
        let digests = try await server.rows("SELECT length(recent), length(under_way) FROM lockouts")
        #expect(digests == [["96", nil]])
        let elsewhere = try await guess(WireClient.password, on: server, from: Self.elsewhere)
        #expect(elsewhere.status == 200, "each class of sources has its own count")
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        let code = try await server.mailbox.code(to: "dana@example.com")
        #expect(try await client.token(code: code, sent.token, grant: "mfa_oob").status == 200)
    }

    @Test("SEC-LOCK-10: the owner gets a mail about a lock, once in 24 hours, for any length and source of the attack")
    func theOwnerHearsOfALock() async throws {
        let server = try await server()
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        for number in 1...9 { expectWrong(try await guess(wrong(number), on: server, from: Self.elsewhere)) }
        #expect(try await warnings(on: server) == [], "nine guesses are no attack")
        for number in 10..<210 {
            _ = try await guess(wrong(number), on: server, from: "198.51.\(number % 100).\(number)")
            server.clock.advance(by: 18)
        }
        #expect(try await warnings(on: server) == [.signInLocked])
        // The owner's own sign-in, from a source without failures, causes no notice.
        #expect(try await guess(WireClient.password, on: server, from: Self.home).status == 200)
        // Both classes of sources share the one mail.
        for number in 1...12 { _ = try await guess(wrong(number), on: server, from: Self.home) }
        #expect(try await warnings(on: server) == [.signInLocked])
        for number in 300..<372 {
            server.clock.advance(by: 3_600)
            _ = try await guess(wrong(number), on: server, from: Self.elsewhere)
            // A notice is sent within a day or not at all.
            _ = try await server.mailbox.mails()
        }
        #expect(try await warnings(on: server) == Array(repeating: .signInLocked, count: 4), "73 hours")
        let mail = try #require(try await server.mailbox.mails(for: IdentityTestServer.email).first)
        #expect(mail.code == nil)
    }

    @Test("SEC-LOCK-10: a right password after ten wrong ones is told to the owner, too")
    func theOwnerHearsOfASuccess() async throws {
        let server = try await server()
        for number in 1...10 { expectWrong(try await guess(wrong(number), on: server)) }
        server.clock.advance(by: 80_000)
        expectWrong(try await guess(wrong(11), on: server))
        server.clock.advance(by: 6_000)
        #expect(try await guess(WireClient.password, on: server).status == 200)
        #expect(try await warnings(on: server) == [.signInLocked], "that they were warned is 86 000 seconds ago")
        for number in 21...30 { expectWrong(try await guess(wrong(number), on: server)) }
        #expect(try await warnings(on: server) == [.signInLocked])
        server.clock.advance(by: 400)
        #expect(try await guess(WireClient.password, on: server).status == 200)
        #expect(try await warnings(on: server) == [.signInLocked, .signedInAfterFailures])
        server.clock.advance(by: 86_400)
        for number in 31...38 { expectWrong(try await guess(wrong(number), on: server)) }
        #expect(try await guess(WireClient.password, on: server).status == 200)
        #expect(try await warnings(on: server).count == 2, "eight wrong ones are no news")
    }

    /// The warnings that were sent to the owner, oldest first.
    private func warnings(on server: IdentityTestServer) async throws -> [TestMailbox.Mail.Purpose] {
        try await server.mailbox.mails(for: IdentityTestServer.email).map(\.purpose)
            .filter { $0 == .signInLocked || $0 == .signedInAfterFailures }.reversed()
    }

    @Test("SEC-LOCK-7: right passwords at once are no failures, also after nine wrong ones")
    func parallelSignIns() async throws {
        let server = try await server()
        for number in 1...9 { expectWrong(try await guess(wrong(number), on: server)) }
        let successes = try await withThrowingTaskGroup { group in
            for _ in 0..<60 { group.addTask { try await guess(WireClient.password, on: server).status } }
            return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
        }
        #expect(successes == 60)
        for number in 11...19 { expectWrong(try await guess(wrong(number), on: server)) }
    }

    @Test("design record 0003: in the development profile nothing is counted and no account is locked")
    func development() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            for number in 1...30 { expectWrong(try await guess(wrong(number), on: server)) }
            #expect(try await guess(WireClient.password, on: server).status == 200)
            #expect(try await server.count("SELECT COUNT(*) FROM lockouts") == 0)
        }
    }

    // MARK: Codes and mails

    @Test(
        "SEC-OTP-5: strangers have a hundred wrong codes a day, then two for each mail; the owner at home is not concerned"
    )
    func wrongCodesADay() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        _ = try await server.signUp()
        server.clock.advance(by: 86_400)
        let home = try server.client(.emailOneTimePasscode, from: Self.home)
        #expect(try await server.signInWithCode(with: home).status == 200)
        var compared = 0
        for flow in 0..<21 {
            let client = try server.client(.emailOneTimePasscode, from: "203.\(flow).113.9")
            let sent = try await client.signInChallenge(client.initiate().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            for (attempt, wrong) in wrongCodes(5, besides: code).enumerated() {
                let answer = try await client.token(code: wrong, sent.token)
                if flow == 20, attempt >= 2 {
                    expectError(answer, "temporarily_unavailable", 90_055, status: 429)
                    #expect(Int(answer.headers["retry-after"] ?? "") ?? 0 > 70_000, "\(answer.headers)")
                } else {
                    #expect(answer.text("suberror") == "invalid_oob_value", "\(flow) \(attempt): \(answer)")
                    compared += 1
                }
            }
            server.clock.advance(by: 400)
        }
        #expect(compared == 102)
        let sent = try await home.signInChallenge(home.initiate().token)
        let code = try await server.mailbox.code(to: "dana@example.com")
        for wrong in wrongCodes(4, besides: code) {
            #expect(try await home.token(code: wrong, sent.token).text("suberror") == "invalid_oob_value")
        }
        #expect(try await home.token(code: code, sent.token).status == 200)
    }

    @Test("SEC-OTP-13: fifty mails an hour for one source, to whomever")
    func mailsOfASource() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        let client = try server.client(.emailOneTimePasscode, from: Self.elsewhere)
        var sent = 0
        for number in 0..<55 {
            let answer = try await client.challenge(client.start("user\(number)@example.com").token)
            if answer.status == 200 { sent += 1 } else { #expect(answer.headers["retry-after"] == "3600", "\(answer)") }
        }
        #expect(sent == 50)
        let other = try server.client(.emailOneTimePasscode, from: "203.0.113.10")
        #expect(try await other.challenge(other.start("user99@example.com").token).status == 200)
    }

    @Test("SEC-OTP-13, SEC-RATE-8: a tenant's mails of an hour, to whomever and from wherever, up to its limit")
    func mailsOfATenant() async throws {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.mailsPerHour = 100
        let directory = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.limits = TimeLimits()
        }
        func ask(_ number: Int) async throws -> WireAnswer {
            let client = try server.client(.emailOneTimePasscode, from: "203.0.\(number % 200).1")
            return try await client.challenge(client.start("user\(number)@example.com").token)
        }
        for number in 0..<100 {
            #expect(try await ask(number).status == 200)
            server.clock.advance(by: 10)
        }
        _ = try await server.mailbox.mails()
        let refused = try await ask(100)
        expectError(refused, "temporarily_unavailable", 90_055, status: 429)
        #expect(refused.headers["retry-after"] == "2600")
        server.clock.advance(by: 2_599)
        #expect(try await ask(101).status == 429)
        server.clock.advance(by: 1)
        #expect(try await ask(102).status == 200)
        #expect(try await ask(103).status == 429)
    }

    @Test("SEC-OTP-13: so many mails of a tenant in an hour are an event")
    func floods() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        for number in 0..<50 {
            let client = server.client()
            #expect(try await client.challenge(client.start("user\(number)@example.com").token).status == 200)
        }
        let tenant = try #require(TenantDirectory.development.entries.first?.tenant.id)
        func isFlood(of limit: Int) async throws -> Bool {
            try await server.store.recordFlood(
                AuditEvent(.mailFlood, at: server.clock.now, tenant: tenant), of: limit,
                since: server.clock.now.addingTimeInterval(-3_600))
        }
        #expect(try await !isFlood(of: 51))
        #expect(try await isFlood(of: 50))
        server.clock.advance(by: 3_600)
        #expect(try await !isFlood(of: 1))
        #expect(try await server.audited(.mailFlood) == 1)
        #expect(TimeLimits().mailsPerTenantAlert == 3_600)
    }

    @Test("SEC-OTP-15: strangers' flows, resends and wrong codes neither void nor exhaust my code")
    func strangersFlows() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        try await server.signUpWithPassword()
        _ = try await server.signUp("otto@example.com")
        server.clock.advance(by: 86_400)
        let mine = try server.client(from: Self.home)
        let reset = try await mine.resetChallenge(mine.resetStart().token)
        let resetCode = try await server.mailbox.code(to: "dana@example.com")
        let signIn = try await mine.signInChallenge(mine.initiate("otto@example.com").token)
        let signInCode = try await server.mailbox.code(to: "otto@example.com")
        for number in 0..<60 {
            let stranger = try server.client(from: "203.0.113.\(number)")
            let otherReset = try await stranger.resetChallenge(stranger.resetStart().token)
            let otherSignIn = try await stranger.signInChallenge(stranger.initiate("otto@example.com").token)
            for guess in wrongCodes(5, besides: resetCode) {
                if let token = otherReset.text("continuation_token") {
                    _ = try await stranger.resetContinue(token, code: guess)
                    _ = try await stranger.resetChallenge(token)
                }
                if let token = otherSignIn.text("continuation_token") {
                    _ = try await stranger.token(code: guess, token)
                }
            }
        }
        #expect(try await mine.resetContinue(reset.token, code: resetCode).status == 200)
        #expect(try await mine.token(code: signInCode, signIn.token).status == 200)
    }
}
