import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("Races") struct RaceTests {
    @Test("SEC-ID-7, SEC-ID-9: of 16 flows for one address one wins, and no loser's password is kept", arguments: 1...3)
    func oneFlowWinsAnAddress(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let client = server.client(.emailPassword)
            var ready: [(token: String, code: String)] = []
            for number in 0..<16 {
                let email = number % 2 == 0 ? "dana@example.com" : "DANA@example.com"
                let sent = try await client.challenge(
                    client.start(email, [("password", "Racer-\(number)-Kr4ft!")]).token)
                ready.append((try sent.token, try await server.mailbox.code(to: email)))
            }
            let flows = ready
            let answers = try await race(16) { try await client.submit(code: flows[$0].code, flows[$0].token) }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            for loser in answers where loser.status != 200 {
                expectError(loser, "user_already_exists", 1_003_037)
            }
            #expect(try await server.users() == 1)
            #expect(try await server.count("SELECT COUNT(*) FROM identifiers") == 1)
            let phc = try #require(try await server.rows("SELECT password_hash FROM users").first?.first ?? nil)
            var kept = 0
            for number in 0..<16 {
                let password = Secret("Racer-\(number)-Kr4ft!")
                if try await server.engine.ports.hasher.verify(password, against: PasswordHash(phc: phc)) { kept += 1 }
            }
            #expect(kept == 1)
        }
    }

    @Test("SEC-ID-7: of 16 flows for one alias one wins, and the losers may choose another", arguments: 1...3)
    func oneFlowWinsAnAlias(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            var tokens: [String] = []
            for number in 0..<16 {
                tokens.append(try await server.signUp("racer\(number)@example.com", with: client).token)
            }
            let flows = tokens
            let answers = try await race(16) { number in
                let alias = number % 2 == 0 ? "Speedy.One" : "speedy.one"
                return try await client.submit(
                    attributes: #"{"country":"A","city":"B","flatusername":"\#(alias)"}"#, flows[number])
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            for loser in answers where loser.status != 200 {
                expectError(loser, "user_already_exists", 1_003_037)
            }
            #expect(try await server.users() == 1)
            #expect(try await server.count("SELECT COUNT(*) FROM identifiers WHERE kind = 'alias'") == 1)
            var others = 0
            for (number, token) in flows.enumerated() {
                let answer = try await client.submit(
                    attributes: #"{"country":"A","city":"B","flatusername":"racer-\#(number)"}"#, token)
                if answer.status == 200 { others += 1 }
            }
            #expect(others == 15)
        }
    }

    @Test("SEC-ID-7: an alias that was free at start and is taken at the code ends the flow with user_already_exists")
    func anAliasMayBeTakenMeanwhile() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let alias: Fields = [("attributes", #"{"flatusername":"speedy"}"#)]
            let slow = try await client.challenge(client.start("slow@example.com", alias).token)
            let code = try await server.mailbox.code(to: "slow@example.com")
            expectSuccess(try await server.signUp("quick@example.com", alias), ["continuation_token"])
            expectError(try await client.submit(code: code, slow.token), "user_already_exists", 1_003_037)
            #expect(try await server.storedUsers().map(\.email) == ["quick@example.com"])
        }
    }

    @Test("SEC-OTP-10, REL-IDEM: 50 right answers at once have one effect and one answer", arguments: 1...3)
    func fiftyRightAnswersHaveOneEffect(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let client = server.client()
            let sent = try await client.challenge(client.start().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            let token = try sent.token
            let answers = try await race(50) { _ in try await client.submit(code: code, token) }
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(try await server.users() == 1)
            #expect(try await server.audited(.codeVerified) == 1)
            #expect(try await server.audited(.signUpCompleted) == 1)
        }
    }

    @Test("SEC-OTP-3: of 50 guesses at once on one code at most five are compared", arguments: 1...3)
    func fiftyGuessesAreFiveAttempts(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let client = server.client()
            let sent = try await client.challenge(client.start().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            let token = try sent.token
            let guesses = wrongCodes(50, besides: code)
            let answers = try await race(50) { try await client.submit(code: guesses[$0], token) }
            for answer in answers { expectError(answer, "invalid_grant", 50_181, suberror: "invalid_oob_value") }
            #expect(try await server.count("SELECT code_attempts FROM flows") == 5)
            #expect(try await server.audited(.codeRefused) == 5)
            expectError(
                try await client.submit(code: code, token), "invalid_grant", 50_181, suberror: "invalid_oob_value")
            #expect(try await server.users() == 0)
        }
    }

    @Test("SEC-OTP-4: 20 challenges at once send at most five codes")
    func twentyChallengesSendFiveCodes() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let token = try await client.start().token
            let answers = try await race(20) { _ in try await client.challenge(token) }
            #expect(answers.filter { $0.status == 200 }.count == 5)
            #expect(try await server.mailbox.mails().count == 5)
        }
    }

    @Test("SEC-OTP-11: 20 challenges at once, within the cool-down, send one code")
    func twentyChallengesInTheCooldownSendOneCode() async throws {
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { $1.resendCooldown = 60 }
        let client = server.client()
        let token = try await client.start().token
        let answers = try await race(20) { _ in try await client.challenge(token) }
        #expect(answers.allSatisfy { $0.status == 200 && $0["interval"] == 60 })
        #expect(try await server.mailbox.mails().count == 1)
    }

    @Test("REL-IDEM: 20 redemptions at once open one family and give the same tokens")
    func twentyRedemptionsOpenOneFamily() async throws {
        try await withIdentityServer { server in
            let token = try await server.signUp().token
            let client = server.client()
            let answers = try await race(20) { _ in try await client.redeem(token) }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == 1)
        }
    }

    @Test("SEC-TOK-8: 50 refreshes at once are one rotation, and all get the same successor", arguments: 1...3)
    func fiftyRefreshesAreOneRotation(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let client = server.client()
            let tokens = try await client.redeem(server.signUp().token)
            let refreshToken = try #require(tokens.text("refresh_token"))
            let answers = try await race(50) { _ in try await client.refresh(refreshToken) }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(answers.map { $0.text("refresh_token") }).count == 1)
            #expect(try await server.rows("SELECT generation FROM refresh_families") == [["1"]])
            let successor = try #require(answers.first?.text("refresh_token"))
            #expect(try await client.refresh(successor).status == 200)
        }
    }

    @Test("SEC-PWD-8, SEC-WIRE-1: when too many passwords wait the answer is 503 with a time, and nothing changed")
    func tooManyPasswordsGive503() async throws {
        struct BusyHasher: PasswordHasher {
            func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash { throw .overloaded }
            func verify(
                _ password: Secret<String>, against hash: PasswordHash
            ) async throws(HashingError) -> Bool { throw .overloaded }
            func isOutdated(_ hash: PasswordHash) -> Bool { false }
        }
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.hasher = BusyHasher()
        }
        let client = server.client(.emailPassword)
        let atStart = try await client.start("dana@example.com", [("password", WireClient.password)])
        let wanted = try await client.challenge(server.signUp(with: client).token)
        let before = try await server.snapshot()
        let later = try await client.submit(password: WireClient.password, wanted.token)
        for answer in [atStart, later] {
            expectError(answer, "temporarily_unavailable", 90_033, status: 503)
            #expect((1...3).contains(Int(answer.headers["retry-after"] ?? "") ?? 0))
        }
        #expect(try await server.snapshot() == before)
        // The policy refuses before anything is hashed (SEC-PWD-9).
        expectError(
            try await client.submit(password: "short1A", wanted.token), "invalid_grant", 399_246,
            suberror: "password_too_short")
    }

    @Test("SEC-WIRE-1, SEC-NET-4: while the database is away the answer is 503, and it says nothing about it")
    func withoutADatabaseTheAnswerIs503() async throws {
        struct Gone: Error, CustomStringConvertible { let description = "canary /var/lib/secret.sqlite" }
        struct GoneStore: FlowStore {
            func step<Answer: Sendable>(
                _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
            ) async throws(StoreError) -> Answer { throw .unavailable(Gone()) }
            func record(_ event: AuditEvent) async throws(StoreError) { throw .unavailable(Gone()) }
            func removeExpired(now: Date) async throws(StoreError) -> Int { throw .unavailable(Gone()) }
            func checkWritable() async throws(StoreError) { throw .unavailable(Gone()) }
        }
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.flows = GoneStore()
        }
        let client = server.client()
        let answer = try await client.challenge(client.start().token)
        expectError(answer, "temporarily_unavailable", 90_033, status: 503)
        let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
        #expect((2...10).contains(seconds))
        #expect(!answer.description.contains("canary"))
        let ready = try await client.get("/readyz")
        #expect(ready.status == 503)
        #expect(String(decoding: ready.body, as: UTF8.self) == "not ready\n")
        #expect(try await client.get("/livez").status == 200)
    }

    // MARK: Sign-in, second factor, registration and reset

    /// The steps that spend a code or have an effect, and the effect that each may have once.
    private static let once: [(Journey, StateName)] = [
        (.signInWithCode, .signInAwaitingCode), (.signIn, .signInAwaitingPassword),
        (.signInThenSecondFactor, .awaitingSecondFactor), (.signInThenContact, .awaitingContactCode),
        (.signUpThenOwnAddress, .confirmingContact), (.reset, .resetAwaitingCode), (.reset, .resetChoosingPassword),
        (.reset, .resetCompleted), (.signInThenContact, .authenticated), (.signUpThenContact, .signUpCompleted),
    ]

    @Test("SEC-OTP-10, REL-IDEM: 50 equal requests at once have one effect and one answer", arguments: once)
    func fiftyEqualRequestsHaveOneEffect(_ journey: Journey, _ state: StateName) async throws {
        for seed in 1...3 {
            try await withIdentityServer(seed: UInt64(seed)) { server in
                let index = try #require(journey.stops.firstIndex { $0.state == state })
                let walk = try await server.walk(journey, to: index)
                let ask = index + 1 < journey.stops.count ? journey.stops[index + 1].via : journey.last
                let token = try walk.token
                let before = try await server.count("SELECT COUNT(*) FROM audit")
                let notices = try await server.count("SELECT COUNT(*) FROM outbox")
                let answers = try await race(50) { _ in try await walk.client.ask(ask, walk.content, token) }
                #expect(Set(answers.map(\.body)).count == 1, "\(Set(answers.map(\.description)))")
                #expect(answers.allSatisfy { $0.isProgress })
                #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") <= 1)
                #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") <= 1)
                #expect(try await server.count("SELECT MAX(credential_version) FROM users") <= 1)
                // One line for each event: at most four.
                #expect(try await server.count("SELECT COUNT(*) FROM audit") - before <= 4)
                #expect(try await server.count("SELECT COUNT(*) FROM outbox") - notices <= 1)
            }
        }
    }

    @Test("SEC-SSPR-1, SEC-CT-9: of 8 resets at once one wins, and no loser's password ever works", arguments: 1...3)
    func oneResetWins(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            var walks = [try await server.walk(.reset, to: 2)]
            for _ in 1..<8 {
                var walk = Walk(journey: .reset, client: walks[0].client, content: walks[0].content)
                while walk.index < 2 { try await server.advance(&walk) }
                walks.append(walk)
            }
            let flows = walks
            let answers = try await race(8) { number in
                let answer = try await flows[number].client.resetSubmit(
                    flows[number].token, password: "Racer-\(number)-Kr4ft!")
                if answer.status != 200 { expectError(answer, "invalid_request", 55_200) }
                return answer
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            var working: [Int] = []
            for number in 0..<8 {
                let answer = try await server.signIn(
                    password: "Racer-\(number)-Kr4ft!", with: flows[number].client)
                if answer["access_token"] != nil { working.append(number) }
            }
            #expect(working.count == 1)
            expectError(try await server.signIn(with: flows[0].client), "invalid_grant", 50_126)
            #expect(try await server.audited(.passwordChanged) == 1)
        }
    }

    @Test("SEC-SSPR-1: one flow with 16 different new passwords at once takes one of them", arguments: 1...3)
    func oneNewPasswordWins(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let walk = try await server.walk(.reset, to: 2)
            let answers = try await race(16) { number in
                try await walk.client.resetSubmit(walk.token, password: "Racer-\(number)-Kr4ft!")
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(try await server.count("SELECT MAX(credential_version) FROM users") == 1)
            #expect(try await server.audited(.passwordChanged) == 1)
        }
    }

    @Test("SEC-CT-9: a sign-in that races a reset ends with tokens that are revoked, or with none", arguments: 1...5)
    func aSignInThatRacesAResetIsOver(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let reset = try await server.walk(.reset, to: 2)
            var flows: [Walk] = []
            while flows.count < 15 {
                var walk = Walk(journey: .signIn, client: reset.client, content: reset.content)
                while walk.index < 1 { try await server.advance(&walk) }
                flows.append(walk)
            }
            let walks = flows
            let answers = try await race(16) { number in
                number == 7
                    ? try await reset.client.ask(.newPassword, reset.content, reset.token)
                    : try await walks[number % 15].client.ask(.signInPassword, reset.content, walks[number % 15].token)
            }
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 })
            #expect(try await server.count("SELECT COUNT(*) FROM refresh_families WHERE revoked_at IS NULL") == 0)
            for token in answers.compactMap({ $0.text("refresh_token") }) {
                expectError(try await reset.client.refresh(token), "invalid_grant", 50_173)
            }
        }
    }

    @Test("SEC-MFA-4: of 8 flows that register a first method at once one does", arguments: 1...3)
    func oneFirstMethodIsRegistered(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            var walks: [Walk] = []
            for number in 0..<8 {
                var walk =
                    number == 0
                    ? try await server.traveller(for: .signInThenContact)
                    : Walk(journey: .signInThenContact, client: walks[0].client, content: walks[0].content)
                walk.content.contact = "racer\(number)@example.org"
                while walk.index < 3 { try await server.advance(&walk) }
                walks.append(walk)
            }
            let flows = walks
            let answers = try await race(8) { number in
                try await flows[number].client.ask(.contactCode, flows[number].content, flows[number].token)
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 1)
        }
    }

    @Test("SEC-TOK-10: refreshes that race a revocation leave no live token", arguments: 1...5)
    func aRevocationWins(_ round: Int) async throws {
        try await withIdentityServer(seed: UInt64(round)) { server in
            let client = server.client()
            let refreshToken = try #require(try await client.redeem(server.signUp().token).text("refresh_token"))
            let path = "/\(client.tenant)/\(MetadataEndpoint.revocation.rawValue)"
            let revocation = try client.request(
                "POST", path, headers: ["content-type": WireClient.form],
                body: Data("client_id=\(client.clientID ?? "")&token=\(refreshToken)".utf8))
            let answers = try await race(20) { number in
                number == 9 ? try await client.send(revocation) : try await client.refresh(refreshToken)
            }
            #expect(answers.allSatisfy { $0.status == 200 || $0["error"] == "invalid_grant" })
            for token in Set(answers.compactMap { $0.text("refresh_token") } + [refreshToken]) {
                expectError(try await client.refresh(token), "invalid_grant", 50_173)
            }
        }
    }
}
