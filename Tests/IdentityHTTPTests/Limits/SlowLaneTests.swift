import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// Mails to one mailbox: budgets for each purpose, shares of each network, and the slow lane behind (docs/design/0013).
@Suite("Mails to one mailbox") struct SlowLaneTests {
    private static let home = "192.0.2.1"
    private static let email = IdentityTestServer.email

    /// A server with limits and a user with a password, a day after the sign-up.
    private func server(
        _ mode: EnumerationMode? = nil, adjust: (inout TimeLimits) -> Void = { _ in }
    ) async throws -> IdentityTestServer {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.enumeration = mode
        let directory = TenantDirectory([entry])
        var limits = TimeLimits()
        adjust(&limits)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.limits = limits
        }
        try await server.signUpWithPassword()
        server.clock.advance(by: 86_400)
        _ = try await server.mailbox.mails()
        return server
    }

    /// The client of an unknown user in a separate network.
    private func stranger(_ number: Int, on server: IdentityTestServer) throws -> WireClient {
        try server.client(from: "203.\(number / 250).\(number % 250).9")
    }

    /// Asks for a code to reset the password, in a new flow.
    private func askForReset(_ client: WireClient, _ name: String = email) async throws -> WireAnswer {
        try await client.resetChallenge(client.resetStart(name).token)
    }

    private func length(_ answer: WireAnswer) -> Int? {
        answer["code_length"].flatMap { if case .integer(let length) = $0 { Int(length) } else { nil } }
    }

    private func expectWait(
        _ seconds: Int, _ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectError(answer, "temporarily_unavailable", 90_055, status: 429, sourceLocation: sourceLocation)
        #expect(answer.headers["retry-after"] == "\(seconds)", "\(answer)", sourceLocation: sourceLocation)
    }

    private func resets(on server: IdentityTestServer) async throws -> Int {
        try await server.mailbox.mails(for: Self.email).filter { $0.purpose == .passwordReset }.count
    }

    @Test(
        "SEC-OTP-12: five mails in a quarter of an hour for each purpose, two of them for a network; familiar sources apart"
    )
    func mailBuckets() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        try await server.signUpWithStrongMethod(contact: "dana@example.com")
        server.clock.advance(by: 86_400)
        let home = try server.client(from: Self.home)
        let tokens = try await server.signInWithSecondFactor(contact: "dana@example.com", with: home)
        #expect(tokens.status == 200, "\(tokens)")
        server.clock.advance(by: 900)

        // A purpose that gives access to the account: a slow lane after the budget.
        for (network, digits) in [(1, 8), (1, 8), (1, 12), (2, 8), (2, 8), (3, 8), (4, 12)] {
            #expect(try await length(askForReset(stranger(network, on: server))) == digits, "network \(network)")
        }
        #expect(try await resets(on: server) == 6)
        // A purpose after a right password: no slow lane.
        for (network, status) in [(1, 200), (1, 200), (1, 429), (2, 200), (2, 200), (3, 200), (4, 429)] {
            let client = try stranger(network, on: server)
            let required = try await server.signIn(claims: WireClient.claims, with: client)
            let answer = try await client.signInChallenge(required.token)
            #expect(answer.status == status, "network \(network)")
            if status == 429 { expectWait(900, answer) } else { #expect(length(answer) == 8) }
        }
        // The owner's own network has its own budget, and no share of it.
        for _ in 1...5 { #expect(try await length(askForReset(home)) == 8) }
        #expect(try await length(askForReset(home)) == 12)
        server.clock.advance(by: 900)
        #expect(try await length(askForReset(stranger(1, on: server))) == 8)
    }

    @Test(
        "While strangers of forty networks ask for resets, sign-ups and sign-ins, the owner resets from a new one")
    func theOwnerResetsDuringAFlood() async throws {
        let server = try await server()
        for number in 0..<40 {
            let client = try stranger(number, on: server)
            _ = try await askForReset(client)
            _ = try await client.start(Self.email)
            _ = try await server.signIn(password: "Wrong-Guess#\(number)", with: client)
        }
        let flows = try await server.count("SELECT COUNT(*) FROM flows")
        let owner = try server.client(from: "198.51.100.7")
        let sent = try await askForReset(owner)
        #expect(sent.status == 200 && length(sent) == 12)
        #expect(try await server.count("SELECT COUNT(*) FROM flows") == flows, "flows of the slow lane have no rows")
        #expect(try await resets(on: server) == 6, "the mails of the flood and of the owner, together")
        let code = try await server.mailbox.code(to: Self.email)
        #expect(code.count == 12)
        let proven = try await owner.resetContinue(sent.token, code: code)
        #expect(proven.status == 200, "\(proven)")
        let done = try await owner.resetPoll(owner.resetSubmit(proven.token).token)
        #expect(try await owner.redeem(done.token).status == 200)
        // It is spent for all clients that wait.
        let other = try stranger(50, on: server)
        expectWait(900, try await askForReset(other))
    }

    @Test("A shared code is sent every quarter of an hour at most, and is good for ten minutes; waits are true")
    func oneMailInAQuarterOfAnHour() async throws {
        let server = try await server()
        for number in 0..<3 { for _ in 1...2 { _ = try await askForReset(stranger(number, on: server)) } }
        #expect(try await resets(on: server) == 6)
        let waiting = try stranger(10, on: server)
        server.clock.advance(by: 300)
        let early = try await askForReset(waiting)
        #expect(length(early) == 12 && early["interval"] == 600, "\(early)")
        let code = try await server.mailbox.code(to: Self.email)
        server.clock.advance(by: 300)
        let late = try await waiting.resetContinue(early.token, code: code)
        expectError(late, "invalid_grant", 50_184, suberror: "invalid_oob_value")
        expectWait(300, try await askForReset(waiting))
        server.clock.advance(by: 300)
        // The budget has room again, and is spent again at once: three networks of five mails.
        for number in 20..<24 { for _ in 1...2 { _ = try await askForReset(stranger(number, on: server)) } }
        #expect(length(try await askForReset(waiting)) == 12)
        #expect(try await resets(on: server) == 12)
    }

    @Test(
        "SEC-OTP-3: a source has two guesses at a shared code, its network ten, all together as many as the limit says")
    func guessesAtASharedCode() async throws {
        let server = try await server { $0.guessesPerSharedCode = 4 }
        for number in 0..<3 { for _ in 1...2 { _ = try await askForReset(stranger(number, on: server)) } }
        let code = try await server.mailbox.code(to: Self.email)
        func guess(_ number: Int, _ code: String) async throws -> WireAnswer {
            let client = try stranger(number, on: server)
            return try await client.resetContinue(askForReset(client).token, code: code)
        }
        let wrong = wrongCodes(1, besides: code)[0]
        for network in [30, 30, 31] {
            #expect(try await guess(network, wrong).text("suberror") == "invalid_oob_value")
        }
        expectWait(900, try await guess(30, code))
        // The last one of all.
        #expect(try await guess(31, wrong).text("suberror") == "invalid_oob_value")
        #expect(try await guess(32, code).text("suberror") == "invalid_oob_value", "right, and not compared any more")
        #expect(try await guess(32, String(code.prefix(8))).text("suberror") == "invalid_oob_value")
    }

    @Test("SEC-OTP-10: one flow of all that know a shared code uses it")
    func aSharedCodeIsUsedOnce() async throws {
        let server = try await server()
        for number in 0..<3 { for _ in 1...2 { _ = try await askForReset(stranger(number, on: server)) } }
        let code = try await server.mailbox.code(to: Self.email)
        let clients = try (40..<60).map { try stranger($0, on: server) }
        var tokens: [String] = []
        for client in clients { tokens.append(try await askForReset(client).token) }
        let waiting = tokens
        let statuses = try await withThrowingTaskGroup { group in
            for (client, token) in zip(clients, waiting) {
                group.addTask { try await client.resetContinue(token, code: code).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1)
    }

    @Test("SEC-OTP-12: no other account can use up the mails with which an account enrols its own mailbox")
    func enrolmentOfTheOwnMailbox() async throws {
        let server = try await server()
        func required(_ email: String, _ client: WireClient) async throws -> String {
            try await server.signIn(email, claims: WireClient.claims, with: client).token
        }
        for number in 0..<4 {
            let (thief, client) = ("eve\(number)@example.net", try stranger(number, on: server))
            try await server.signUpWithPassword(thief, alias: nil, with: client)
            for _ in 1...2 {
                _ = try await client.registerChallenge(required(thief, client), contact: Self.email)
            }
        }
        let owner = try stranger(50, on: server)
        let sent = try await owner.registerChallenge(required(Self.email, owner), contact: Self.email)
        #expect(sent.status == 200, "\(sent)")
        let other = try stranger(51, on: server)
        try await server.signUpWithPassword("mallory@example.net", alias: nil, with: other)
        let refused = try await other.registerChallenge(required("mallory@example.net", other), contact: Self.email)
        #expect(refused.status == 429, "\(refused)")
    }

    @Test("SEC-ENUM-3: in strict mode it does not show that the owner has used a shared code")
    func theOwnersUseDoesNotShow() async throws {
        let server = try await server(.strict)
        for number in 0..<3 { for _ in 1...2 { _ = try await askForReset(stranger(number, on: server)) } }
        let owner = try stranger(50, on: server)
        let sent = try await askForReset(owner)
        let proven = try await owner.resetContinue(sent.token, code: server.mailbox.code(to: Self.email))
        #expect(proven.status == 200)
        let client = try stranger(60, on: server)
        let after = try await askForReset(client)
        #expect(after.status == 200 && length(after) == 12, "\(after)")
        // Like a decoy: wrong, twice, and then too often.
        let code = try await server.mailbox.code(to: Self.email)
        let wrong = wrongCodes(2, besides: code)
        for guess in [code, wrong[0]] {
            #expect(try await client.resetContinue(after.token, code: guess).text("suberror") == "invalid_oob_value")
        }
        #expect(try await client.resetContinue(after.token, code: wrong[1]).status == 429)
    }

    @Test("SEC-OTP-3: neighbours of the owner's cannot use up the owner's guesses at a shared code")
    func neighboursGuess() async throws {
        let server = try await server()
        for number in 0..<3 { for _ in 1...2 { _ = try await askForReset(stranger(number, on: server)) } }
        let code = try await server.mailbox.code(to: Self.email)
        for host in 1...3 {
            let neighbour = try server.client(from: "198.51.100.\(host)")
            let sent = try await askForReset(neighbour)
            for wrong in wrongCodes(3, besides: code) { _ = try await neighbour.resetContinue(sent.token, code: wrong) }
        }
        let owner = try server.client(from: "198.51.100.77")
        #expect(try await owner.resetContinue(askForReset(owner).token, code: code).status == 200)
    }

    @Test("SEC-ENUM-3: in strict mode the slow lane of a name that has no account looks the same")
    func theSlowLaneOfNobody() async throws {
        let server = try await server(.strict)
        var seen: [String: [String]] = [:]
        for name in [Self.email, "nobody@example.com"] {
            var answers: [String] = []
            for number in 0..<8 {
                let client = try stranger(number / 2, on: server)
                let sent = try await askForReset(client, name)
                let label = "\(sent.status) \(length(sent) ?? 0) \(sent["interval"] ?? .null)"
                let guess = try await client.resetContinue(sent.token, code: String(repeating: "1", count: 12))
                answers.append("\(label) \(guess.status) \(guess.text("suberror") ?? "") \(guess.body.count)")
            }
            server.clock.advance(by: 600)
            answers.append("\(try await askForReset(stranger(90, on: server), name).status)")
            seen[name] = answers
            server.clock.advance(by: 86_400)
        }
        #expect(seen[Self.email] == seen["nobody@example.com"])
        #expect(try await server.mailbox.mails(for: "nobody@example.com").isEmpty)
    }

    @Test("In strict mode what is done with an alias does not show at the address of the same account")
    func anAliasTellsNothingOfAnAddress() async throws {
        let server = try await server(.strict)
        for number in 0..<40 {
            let client = try stranger(number, on: server)
            let sent = try await askForReset(client, IdentityTestServer.alias)
            for code in wrongCodes(5, besides: "00000000") {
                _ = try await client.resetContinue(sent.token, code: code)
            }
        }
        let client = try stranger(60, on: server)
        let other = try await askForReset(client)
        #expect(length(other) == 8, "\(other)")
        for code in wrongCodes(5, besides: try await server.mailbox.code(to: Self.email)) {
            #expect(try await client.resetContinue(other.token, code: code).text("suberror") == "invalid_oob_value")
        }
    }
}
