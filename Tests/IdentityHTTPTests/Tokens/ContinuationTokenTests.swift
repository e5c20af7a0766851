import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// The uses of a continuation token.
enum TokenUse: String, CaseIterable, Sendable {
    case challenge
    case submitCode
    case submitPassword
    case submitAttributes
    case redeem
    case refresh

    /// The table of docs/protocol.md §8.1: the uses that each stage of a sign-up accepts.
    func isListed(at stage: Stage) -> Bool {
        switch (stage, self) {
        case (.started, .challenge), (.awaitingCode, .challenge), (.awaitingCode, .submitCode),
            (.awaitingCode, .submitAttributes), (.choosingCredential, .challenge), (.awaitingPassword, .challenge),
            (.awaitingPassword, .submitPassword), (.awaitingAttributes, .submitAttributes), (.completed, .redeem):
            true
        case (.started, _), (.awaitingCode, _), (.choosingCredential, _), (.awaitingPassword, _),
            (.awaitingAttributes, _), (.completed, _):
            false
        }
    }

    /// Makes the request, with content that is right for the flow.
    func request(_ token: String, of progress: Progress, by client: WireClient) async throws -> WireAnswer {
        switch self {
        case .challenge: try await client.challenge(token)
        case .submitCode: try await client.submit(code: progress.code.isEmpty ? "12345678" : progress.code, token)
        case .submitPassword: try await client.submit(password: WireClient.password, token)
        case .submitAttributes: try await client.submit(attributes: IdentityTestServer.address, token)
        case .redeem: try await client.redeem(token)
        case .refresh: try await client.refresh(token)
        }
    }
}

@Suite("Continuation tokens") struct ContinuationTokenTests {
    /// Expects a refusal of the token itself, at any endpoint.
    private func expectUnusable(
        _ answer: WireAnswer, _ use: TokenUse, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if use == .refresh {
            expectError(answer, "invalid_grant", 70_000, sourceLocation: sourceLocation)
        } else {
            expectError(answer, "invalid_request", 55_200, sourceLocation: sourceLocation)
        }
    }

    @Test("SEC-CT-3: 10 000 random mutations of a token are all refused", arguments: [Stage.started, .awaitingCode])
    func mutationsAreRefused(_ stage: Stage) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: stage)
            let token = Array(try progress.token(stage).utf8)
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .%".utf8)
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = Seeded(state: seed)
            let before = try await server.snapshot()
            var answers: [Int: Int] = [:]
            for _ in 0..<5_000 {
                var mutated = token
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    // A bit of the text.
                    mutated[Int.random(in: 0..<token.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<7, using: &random)
                case 2:
                    mutated[Int.random(in: 0..<token.count, using: &random)] =
                        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                case 3: mutated.remove(at: Int.random(in: 0..<token.count, using: &random))
                case 4:
                    mutated.insert(
                        alphabet[Int.random(in: 0..<alphabet.count, using: &random)],
                        at: Int.random(in: 0...token.count, using: &random))
                default:
                    // A bit of the bytes behind the text.
                    guard var bytes = Base64URL.decode(String(decoding: token, as: UTF8.self)) else { break }
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                    mutated = Array(Base64URL.encode(bytes).utf8)
                }
                if mutated == token { continue }
                let answer = try await progress.client.challenge(String(decoding: mutated, as: UTF8.self))
                answers[answer.status, default: 0] += 1
                if answer.status != 400 || answer["error"] != "invalid_request" {
                    Issue.record("seed \(seed): \(answer)")
                }
            }
            #expect(Set(answers.keys) == [400], "seed \(seed)")
            #expect(try await server.snapshot() == before, "seed \(seed)")
            #expect(try await progress.client.challenge(progress.token(stage)).status == 200)
        }
    }

    @Test("SEC-CT-3: tokens that were cut, empty, huge or made up are refused", arguments: TokenUse.allCases)
    func madeUpTokensAreRefused(_ use: TokenUse) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .completed)
            var tokens = [
                "x", "AQAA", "AQ", String(repeating: "A", count: 400), String(repeating: "A", count: 33 * 1024), "null",
                "{}",
                "eyJhbGciOiJub25lIn0.e30.", UUID().uuidString,
            ]
            let good = try progress.token(.completed)
            for length in stride(from: 1, to: good.utf8.count, by: 37) { tokens.append(String(good.prefix(length))) }
            for token in tokens {
                let answer = try await use.request(token, of: progress, by: progress.client)
                if use == .refresh && token.utf8.count > 1_024 {
                    expectError(answer, "invalid_request", 90_100)
                } else {
                    expectUnusable(answer, use)
                }
            }
        }
    }

    @Test("SEC-CT-3: a token is opaque, new each time, and at most 2 KB without attributes")
    func aTokenIsOpaqueAndSmall() async throws {
        try await withIdentityServer { server in
            let local = String(repeating: "d", count: 64)
            let email = "\(local)@\(String(repeating: "e", count: 63)).\(String(repeating: "f", count: 63)).example.com"
            let progress = try await server.progress(to: .completed, email: email)
            #expect(Set(progress.tokens.values).count == Stage.allCases.count)
            for (stage, token) in progress.tokens {
                #expect(token.utf8.count <= 2_048, "\(stage): \(token.utf8.count)")
                let bytes = try #require(Base64URL.decode(token))
                for canary in ["dddddddd", "example", "Kr4ftig", progress.code, "scrypt", "city", "country", "Aarhus"] {
                    #expect(bytes.firstRange(of: Data(canary.utf8)) == nil, "\(stage): \(canary)")
                }
            }
            let client = server.client(.emailPassword)
            let withPassword = try await client.start(
                email.replacing("d", with: "g"), [("password", WireClient.password)])
            #expect(try withPassword.token.utf8.count <= 2_048)
            #expect(try await client.start("a@example.com").token != client.start("a@example.com").token)
        }
    }

    // MARK: Lifetimes

    @Test(
        "SEC-CT-5: a token lives 900 s before the proof and 600 s after it",
        arguments: Stage.allCases, [-1.0, 0])
    func aTokenExpires(_ stage: Stage, _ offset: Double) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: stage)
            let use = try #require(
                TokenUse.allCases.last { $0.isListed(at: stage) && $0 != .submitCode && $0 != .submitAttributes }
                    ?? (stage == .awaitingAttributes ? .submitAttributes : nil))
            let life = [.started, .awaitingCode].contains(stage) ? 900.0 : 600
            server.clock.advance(by: life + offset)
            let answer = try await use.request(progress.token(stage), of: progress, by: progress.client)
            if offset < 0 {
                #expect(answer.isProgress, "\(stage) \(answer)")
            } else {
                expectError(answer, "expired_token", 552_003)
            }
        }
    }

    @Test("SEC-CT-5: a flow ends after 3 600 s, however busy it is", arguments: [-1.0, 0])
    func aFlowEndsAfterAnHour(_ offset: Double) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            var token = try await client.start().token
            for _ in 0..<4 {
                server.clock.advance(by: 850)
                token = try await client.challenge(token).token
            }
            server.clock.advance(by: 200 + offset)
            let code = try await server.mailbox.code(to: "dana@example.com")
            let answer = try await client.submit(code: code, token)
            if offset < 0 {
                // The proof does not lengthen the flow either.
                server.clock.advance(by: 1)
                expectError(try await client.redeem(answer.token), "expired_token", 552_003)
            } else {
                expectError(answer, "expired_token", 552_003)
            }
        }
    }

    // MARK: Binding

    @Test(
        "SEC-CT-6: a token of another tenant or application is refused, and stays good at home",
        arguments: Stage.allCases)
    func aForeignTokenIsRefused(_ stage: Stage) async throws {
        let server = try TestDirectory.server()
        let progress = try await server.progress(to: stage)
        let token = try progress.token(stage)
        let before = try await server.snapshot()
        var strangers: [WireClient] = IdentityTestServer.Application.allCases
            .filter { $0 != .emailPasswordWithAttributes }.map { server.client($0) }
        var fabrikam = progress.client
        // The same client id exists there.
        fabrikam.tenant = "fabrikam"
        strangers.append(fabrikam)
        for stranger in strangers {
            for use in TokenUse.allCases {
                expectUnusable(try await use.request(token, of: progress, by: stranger), use)
            }
        }
        #expect(try await server.snapshot() == before)
        for use in TokenUse.allCases.reversed() where use.isListed(at: stage) {
            #expect(try await use.request(token, of: progress, by: progress.client).isProgress)
            break
        }
    }

    @Test("SEC-CT-6: a step out of order is refused, and the token stays good", arguments: Stage.allCases)
    func aStepOutOfOrderIsRefused(_ stage: Stage) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: stage)
            let token = try progress.token(stage)
            let before = try await server.snapshot()
            for use in TokenUse.allCases where !use.isListed(at: stage) {
                expectUnusable(try await use.request(token, of: progress, by: progress.client), use)
            }
            #expect(try await server.snapshot() == before)
            let use = try #require(TokenUse.allCases.last { $0.isListed(at: stage) })
            #expect(try await use.request(token, of: progress, by: progress.client).isProgress)
        }
    }

    // MARK: Spent tokens

    /// Every stage whose token the flow's progress spends, and the stage that spends it.
    private static let spending: [(Stage, Stage)] = [
        (.started, .choosingCredential), (.awaitingCode, .choosingCredential),
        (.choosingCredential, .awaitingAttributes), (.awaitingPassword, .awaitingAttributes),
        (.awaitingAttributes, .completed),
    ]

    @Test("SEC-CT-4: a spent token is refused and audited; the third misuse ends the flow", arguments: spending)
    func theThirdMisuseEndsTheFlow(_ stage: Stage, _ later: Stage) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: later)
            let spent = try progress.token(stage)
            let use = try #require(TokenUse.allCases.first { $0.isListed(at: stage) })
            for misuse in 1...3 {
                if use == .challenge {
                    expectUnusable(try await progress.client.challenge(spent), use)
                } else {
                    // With other content than the first time, otherwise it would be a repetition.
                    expectUnusable(
                        try await progress.client.submit(attributes: #"{"city":"X","country":"Y\#(misuse)"}"#, spent),
                        use)
                }
                #expect(try await server.audited(.continuationTokenMisused) == misuse)
                let isEnded = try await server.rows("SELECT is_ended FROM flows").first?.first
                #expect(isEnded == (misuse == 3 ? "1" : "0"))
            }
            let users = try await server.users()
            let next = try #require(TokenUse.allCases.last { $0.isListed(at: later) })
            expectUnusable(try await next.request(progress.token(later), of: progress, by: progress.client), next)
            #expect(try await server.users() == users)
        }
    }

    @Test("SEC-CT-4: two misuses leave the newest token good", arguments: spending)
    func twoMisusesLeaveTheNewestTokenGood(_ stage: Stage, _ later: Stage) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: later)
            server.clock.advance(by: 61)
            let use = try #require(TokenUse.allCases.first { $0.isListed(at: stage) })
            for _ in 1...2 {
                expectUnusable(try await use.request(progress.token(stage), of: progress, by: progress.client), use)
            }
            let next = try #require(TokenUse.allCases.last { $0.isListed(at: later) })
            #expect(try await next.request(progress.token(later), of: progress, by: progress.client).isProgress)
        }
    }

    @Test("docs/protocol.md §8.6: asking for the password twice with one token works, as does the older token")
    func aChallengeForThePasswordMayBeRepeated() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .choosingCredential)
            let client = progress.client
            let one = try await client.challenge(progress.token(.choosingCredential))
            let two = try await client.challenge(progress.token(.choosingCredential))
            let three = try await client.challenge(two.token)
            for answer in [one, two, three] { #expect(answer["challenge_type"] == "password") }
            #expect(try await client.submit(password: WireClient.password, one.token).isProgress)
        }
    }

    @Test("docs/protocol.md §8.6, SEC-WIRE-2: four refused pages of attributes, then a good one with the same token")
    func refusedAttributesLeaveTheTokenGood() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .awaitingAttributes)
            let token = try progress.token(.awaitingAttributes)
            for bad in [#"{"city":1}"#, #"{"city":""}"#, "[]", #"{"City":"Aarhus"}"#] {
                expectError(
                    try await progress.client.submit(attributes: bad, token), "invalid_grant", 90_023,
                    suberror: "attribute_validation_failed")
            }
            expectSuccess(
                try await progress.client.submit(attributes: IdentityTestServer.address, token), ["continuation_token"])
        }
    }

    // MARK: REL-IDEM

    /// The steps that store their answer: stage, use, and whether it is refused.
    private static let repeatable: [(Stage, TokenUse)] = [
        (.awaitingCode, .submitCode), (.awaitingPassword, .submitPassword), (.awaitingAttributes, .submitAttributes),
        (.completed, .redeem),
    ]

    @Test("REL-IDEM: the same request within 60 s gets the same bytes, and has no second effect", arguments: repeatable)
    func aRepeatedRequestGetsTheSameBytes(_ stage: Stage, _ use: TokenUse) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: stage)
            let token = try progress.token(stage)
            let first = try await use.request(token, of: progress, by: progress.client)
            #expect(first.isProgress)
            let after = try await server.snapshot()
            for _ in 0..<2 {
                server.clock.advance(by: 29.9)
                let again = try await use.request(token, of: progress, by: progress.client)
                #expect(again == first)
                #expect(try await server.snapshot() == after)
            }
            server.clock.advance(by: 0.2)
            expectUnusable(try await use.request(token, of: progress, by: progress.client), use)
        }
    }

    @Test("REL-IDEM: the repeated answer's token takes the flow on")
    func theRepeatedAnswersTokenWorks() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .awaitingAttributes)
            let token = try progress.token(.awaitingAttributes)
            _ = try await progress.client.submit(attributes: IdentityTestServer.address, token)
            let again = try await progress.client.submit(attributes: IdentityTestServer.address, token)
            #expect(try await progress.client.redeem(again.token).status == 200)
            #expect(try await server.users() == 1)
        }
    }

    @Test("REL-IDEM: a wrong code counts once when it is repeated within 60 s, and again after that")
    func aRepeatedWrongCodeCountsOnce() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .awaitingCode)
            let token = try progress.token(.awaitingCode)
            let wrong = wrongCodes(1, besides: progress.code)[0]
            let first = try await progress.client.submit(code: wrong, token)
            server.clock.advance(by: 59)
            // Written with a blank it is the same request: the codes are equal.
            let again = try await progress.client.submit(code: " " + wrong, token)
            #expect(again == first)
            #expect(try await server.count("SELECT code_attempts FROM flows") == 1)
            server.clock.advance(by: 1)
            let third = try await progress.client.submit(code: wrong, token)
            #expect(third != first)
            #expect(try await server.count("SELECT code_attempts FROM flows") == 2)
            #expect(try await progress.client.submit(code: progress.code, token).isProgress)
        }
    }

    @Test("REL-IDEM: another body with a spent token is no repetition")
    func anotherBodyIsNoRepetition() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .completed)
            let token = try progress.token(.completed)
            #expect(try await progress.client.redeem(token, scope: "openid").status == 200)
            expectError(
                try await progress.client.redeem(token, scope: "openid offline_access"), "invalid_request", 55_200)
            #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == 0)
        }
    }

    @Test("REL-IDEM: a repetition of a sign-up that lost its race says so again")
    func aLostRaceIsRepeatedToo() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let sent = try await client.challenge(client.start().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            _ = try await server.signUp()
            let first = try await client.submit(code: code, sent.token)
            expectError(first, "user_already_exists", 1_003_037)
            #expect(try await client.submit(code: code, sent.token) == first)
        }
    }

    @Test("SEC-CT-1, SEC-CT-5: after the janitor a token of a flow that is gone is refused", arguments: Stage.allCases)
    func aTokenOfAFlowThatIsGoneIsRefused(_ stage: Stage) async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: stage)
            _ = try await server.rows("DELETE FROM flows")
            let users = try await server.users()
            for use in TokenUse.allCases {
                let answer = try await use.request(progress.token(stage), of: progress, by: progress.client)
                // Before the proof a flow may have no row: asking for a code creates one. Other requests make no
                // progress.
                if [.started, .awaitingCode].contains(stage) && use == .challenge {
                    #expect(answer.status == 200)
                } else if !(stage == .awaitingCode && use == .submitAttributes) {
                    #expect(answer.status == 400 && !answer.isProgress, "\(use) \(answer)")
                }
            }
            #expect(try await server.users() == users)
        }
    }

    // MARK: Every flow

    /// The request that continues a walk.
    private func next(_ station: Station) -> Ask {
        let stops = station.journey.stops
        return station.isLast ? station.journey.last : stops[station.index + 1].via
    }

    @Test(
        "SEC-CT-5: at every state of every flow a token lives 900 s before the proof and 600 s after",
        arguments: Station.all)
    func tokensOfAllFlowsExpire(_ station: Station) async throws {
        let life: Double =
            switch station.state {
            case .signUpStarted, .signUpAwaitingCode, .signInStarted, .signInAwaitingPassword, .signInAwaitingCode,
                .resetStarted, .resetAwaitingCode:
                900
            case .signUpChoosingCredential, .signUpAwaitingPassword, .signUpAwaitingAttributes, .signUpCompleted,
                .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
                .authenticated, .resetChoosingPassword, .resetChanged, .resetCompleted:
                600
            }
        for offset in [-1.0, 0] {
            let server = try TestDirectory.server()
            let walk = try await server.walk(to: station)
            server.clock.advance(by: life + offset)
            let answer = try await walk.client.ask(next(station), walk.content, walk.token)
            if offset == 0 {
                expectError(answer, "expired_token", 552_003)
            } else if next(station).proof == .code, life == 900 {
                // The code expired before the token did.
                expectError(answer, "invalid_grant", 50_184, suberror: "invalid_oob_value")
            } else {
                #expect(answer.isProgress, "\(answer)")
            }
        }
    }

    @Test(
        "REL-IDEM: at every state of every flow the same request has one effect and one answer", arguments: Station.all)
    func stepsOfAllFlowsMayBeRepeated(_ station: Station) async throws {
        let server = try TestDirectory.server()
        let walk = try await server.walk(to: station)
        let ask = next(station)
        let sendsCode = [.challengeSignUp, .challengeSignIn, .challengeReset, .challengeContact].contains(ask)
        let first = try await walk.client.ask(ask, walk.content, walk.token)
        let after = try await server.accounts()
        let audit = try await server.count("SELECT COUNT(*) FROM audit")
        server.clock.advance(by: 59)
        let again = try await walk.client.ask(ask, walk.content, walk.token)
        #expect(again.status == first.status && again.isProgress, "\(again)")
        #expect(try await server.accounts() == after)
        // A request that only reports has no record; a request that sends a code may send another one (design record
        // 0014).
        if !sendsCode && ask != .poll { #expect(again == first) }
        if !sendsCode { #expect(try await server.count("SELECT COUNT(*) FROM audit") == audit) }
    }
}
