import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import Testing

@Suite("Every stage, every request, every kind of token") struct WalkerTests {
    /// What is wrong with a token that is presented.
    enum Flaw: String, CaseIterable, Sendable {
        case none
        case spent
        case expired
        case foreignClient
        case foreignTenant
        case tampered
        case ended
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        var stage: Stage
        var use: TokenUse
        var flaw: Flaw

        var testDescription: String { "\(stage.rawValue), \(use.rawValue), \(flaw.rawValue)" }

        static let all = Stage.allCases.flatMap { stage in
            TokenUse.allCases.flatMap { use in Flaw.allCases.map { Cell(stage: stage, use: use, flaw: $0) } }
        }
    }

    @Test("SEC-CT-1, SEC-ID-9: only the listed steps get anywhere, and only the last makes a user", arguments: Cell.all)
    func onlyTheListedStepsGetAnywhere(_ cell: Cell) async throws {
        let server = try TestDirectory.server()
        var progress = try await server.progress(to: cell.stage)
        var token = try progress.token(cell.stage)
        var client = progress.client
        switch cell.flaw {
        case .none: break
        case .spent:
            // The flow goes on past the step that spends the token; a minute later nothing is a repetition.
            for next in Stage.allCases where progress.tokens[next] == nil {
                try await server.advance(&progress, to: next)
            }
            if cell.stage == .completed { _ = try await client.redeem(token) }
            server.clock.advance(by: 61)
        case .expired: server.clock.advance(by: 900)
        case .foreignClient: client.clientID = IdentityTestServer.Application.emailOneTimePasscode.rawValue
        case .foreignTenant: client.tenant = "fabrikam"
        case .tampered:
            let last = token.removeLast()
            token.append(last == "A" ? "E" : "A")
        case .ended: _ = try await server.rows("UPDATE flows SET is_ended = 1")
        }
        let users = try await server.users()
        let families = try await server.count("SELECT COUNT(*) FROM refresh_families")
        let mails = try await server.count("SELECT COUNT(*) FROM outbox")
        let answer = try await cell.use.request(token, of: progress, by: client)

        // An unproven flow may have no row yet, and then there is nothing that could have ended.
        let isUsable = cell.flaw == .none || (cell.flaw == .ended && cell.stage == .started)
        if isUsable && cell.use.isListed(at: cell.stage) {
            #expect(answer.isProgress, "\(answer)")
            let makesUser = cell.stage == .awaitingAttributes
            #expect(try await server.users() == users + (makesUser ? 1 : 0))
        } else {
            #expect(answer.status == 400 && !answer.isProgress, "\(answer)")
            #expect(answer.members["access_token"] == nil && answer.members["id_token"] == nil)
            #expect(try await server.users() == users)
            #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == families)
            #expect(try await server.count("SELECT COUNT(*) FROM outbox") == mails)
        }
        // A user exists from the last step on, and not before (SEC-ID-9).
        if cell.flaw != .spent { #expect(users == (cell.stage == .completed ? 1 : 0)) }
    }

    /// The requests of a random walk; none knows a code.
    private enum Move: CaseIterable {
        case start, challenge, guess, password, attributes, redeem, refresh, emptyPost, wait
    }

    @Test("SEC-CT-2, SEC-ID-9: 1 000 random sequences of requests without the code make no user", arguments: 0..<4)
    func withoutTheCodeThereIsNoUser(_ part: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(state: seed)
        let server = try TestDirectory.server()
        for _ in 0..<250 {
            let application = try #require(IdentityTestServer.Application.allCases.randomElement(using: &random))
            let client = server.client(application)
            var tokens: [String] = []
            for _ in 0..<Int.random(in: 3...9, using: &random) {
                let token = tokens.randomElement(using: &random) ?? "none"
                let answer: WireAnswer
                switch Move.allCases.randomElement(using: &random) ?? .start {
                case .start:
                    let password: Fields = Bool.random(using: &random) ? [("password", WireClient.password)] : []
                    let attributes: Fields =
                        Bool.random(using: &random) ? [("attributes", IdentityTestServer.address)] : []
                    answer = try await client.start("victim@example.com", password + attributes)
                case .challenge: answer = try await client.challenge(token)
                case .guess:
                    let guess = ["00000000", "12345678", "%", "null", "0"].randomElement(using: &random) ?? ""
                    answer = try await client.submit(code: guess, token)
                case .password: answer = try await client.submit(password: WireClient.password, token)
                case .attributes: answer = try await client.submit(attributes: IdentityTestServer.address, token)
                case .redeem: answer = try await client.redeem(token)
                case .refresh: answer = try await client.refresh(token)
                case .emptyPost:
                    let endpoint = [V1Endpoint.signUpStart, .signUpChallenge, .signUpContinue, .token]
                        .randomElement(using: &random)
                    answer = try await client.post(endpoint ?? .token, [("continuation_token", token)])
                case .wait:
                    server.clock.advance(by: Double.random(in: 0...200, using: &random))
                    continue
                }
                #expect(answer.status < 500, "seed \(seed): \(answer)")
                #expect(answer["access_token"] == nil, "seed \(seed): \(answer)")
                if let next = answer.text("continuation_token") { tokens.append(next) }
            }
        }
        #expect(try await server.users() == 0, "seed \(seed)")
        #expect(try await server.count("SELECT COUNT(*) FROM identifiers") == 0, "seed \(seed)")
        #expect(try await server.count("SELECT COUNT(*) FROM outbox") > 0, "seed \(seed): nothing was tried")
    }
}
