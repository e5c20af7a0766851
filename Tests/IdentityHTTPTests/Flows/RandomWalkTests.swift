import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("Random sequences of requests") struct RandomWalkTests {
    /// The walker's next move.
    private enum Move: CaseIterable {
        /// Three times, so that most moves are requests that an endpoint knows.
        case ask, askAgain, askOnceMore
        /// Only a token, at any endpoint.
        case bare
        /// No parameter at all, or only some of them.
        case empty
        case revoke
        case wait
    }

    private struct Walker {
        static let newPasswords = (0..<3).map { "Stolen-\($0)-Kr4ft!" }

        let server: IdentityTestServer
        let label: Comment
        var random: Seeded
        /// The user names that the walker uses.
        var usernames: [String]
        /// The walker's own mailbox, if there is one.
        var mailbox: String?
        var passwords: [String]
        var tokens: [String] = []
        var refreshTokens: [String] = []

        /// - Returns: The answer; nil for a move without a request.
        mutating func move(_ client: WireClient) async throws -> WireAnswer? {
            let token = tokens.randomElement(using: &random) ?? "none"
            let answer: WireAnswer
            var endpoint: V1Endpoint?
            switch Move.allCases.randomElement(using: &random) ?? .ask {
            case .ask, .askAgain, .askOnceMore:
                // Most requests fit the newest token, so that walks get far.
                let ask = Ask.allCases.randomElement(using: &random) ?? .redeem
                let newest = Int.random(in: 0..<4, using: &random) > 0 ? tokens.last ?? token : token
                let fitting = Int.random(in: 0..<4, using: &random) > 0 ? fittingAsk(newest) ?? ask : ask
                endpoint = fitting.endpoint
                answer = try await client.ask(fitting, content(), newest)
            case .bare:
                let any = V1Endpoint.allCases.randomElement(using: &random) ?? .token
                endpoint = any
                answer = try await client.post(any, [("continuation_token", token)])
            case .empty:
                let ask = Ask.allCases.randomElement(using: &random) ?? .redeem
                var fields = try ask.fields(await content(), token, client: client.clientID)
                for _ in 0..<Int.random(in: 0..<fields.count, using: &random) {
                    let index = Int.random(in: 0..<fields.count, using: &random)
                    if Bool.random(using: &random) { fields.remove(at: index) } else { fields[index].value = "" }
                }
                endpoint = ask.endpoint
                answer = try await client.post(ask.endpoint, fields)
            case .revoke:
                let path = "/\(client.tenant)/\(MetadataEndpoint.revocation.rawValue)"
                let body =
                    "client_id=\(client.clientID ?? "")&token=\(refreshTokens.randomElement(using: &random) ?? token)"
                answer = try await client.send(
                    client.request("POST", path, headers: ["content-type": WireClient.form], body: Data(body.utf8)))
            case .wait:
                server.clock.advance(by: Double.random(in: 0...200, using: &random))
                return nil
            }
            #expect(answer.status < 500, "\(label): \(answer)")
            // Every answer is in the table.
            if let endpoint {
                #expect(EndpointTable.describes(answer, at: endpoint), "\(label): \(endpoint.rawValue) \(answer)")
            }
            if let next = answer.text("continuation_token") { tokens.append(next) }
            if let next = answer.text("refresh_token") { refreshTokens.append(next) }
            return answer
        }

        /// Begins a flow, so that there is a token.
        mutating func begin(_ client: WireClient) async throws {
            tokens = []
            let ask = [Ask.startSignUp, .startSignIn, .startReset].randomElement(using: &random) ?? .startReset
            let answer = try await client.ask(ask, content(), nil)
            if let next = answer.text("continuation_token") { tokens.append(next) }
        }

        /// A request that the token allows; its header is not secret.
        private mutating func fittingAsk(_ token: String) -> Ask? {
            guard let bytes = Base64URL.decode(token), bytes.count > 5 else { return nil }
            let operations = FlowOperations(rawValue: bytes.dropFirst().prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
            return Ask.allCases.filter { !$0.operations.isDisjoint(with: operations) }.randomElement(using: &random)
        }

        private mutating func content() async throws -> Ask.Content {
            var content = Ask.Content()
            content.username = usernames.randomElement(using: &random) ?? ""
            content.password = passwords.randomElement(using: &random) ?? ""
            content.newPassword = Self.newPasswords.randomElement(using: &random) ?? ""
            content.contact = (usernames + [mailbox ?? "thief@example.net"]).randomElement(using: &random) ?? ""
            content.code = ["00000000", "12345678", "%", "null", "0", ""].randomElement(using: &random) ?? ""
            if let mailbox, Bool.random(using: &random) {
                content.code = try await server.mailbox.mails().first { $0.to == mailbox && $0.code != nil }?.code ?? ""
            }
            content.refreshToken = refreshTokens.randomElement(using: &random)
            if Bool.random(using: &random) { content.claims = WireClient.claims }
            return content
        }
    }

    /// Dana with a password and a second factor, Otto with codes; no later request may change them.
    private func victims(on server: IdentityTestServer) async throws {
        _ = try await server.traveller("dana", for: .resetThenSecondFactor)
        _ = try await server.traveller("otto", for: .signInWithCode)
        _ = try await server.traveller("freya", for: .signIn)
    }

    private static let victims = ["dana@example.com", "otto@example.com", "freya@example.com", "newcomer@example.com"]

    @Test(
        "SEC-CT-2, SEC-ID-9: 1 000 random sequences of requests without a code reach no reset, token, method or user",
        arguments: 0..<4)
    func withoutACodeThereIsNothing(_ part: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let server = try TestDirectory.server()
        try await victims(on: server)
        let before = try await server.accounts()
        let mails = try await server.count("SELECT COUNT(*) FROM outbox")
        var walker = Walker(
            server: server, label: "seed \(seed)", random: Seeded(state: seed), usernames: Self.victims,
            passwords: ["", "Wrong-\(part)-Kr4ft!", String(repeating: "A", count: 2_000)])
        for _ in 0..<250 {
            let application = IdentityTestServer.Application.allCases.randomElement(using: &walker.random)
            let client = server.client(application ?? .emailPassword)
            try await walker.begin(client)
            for _ in 0..<Int.random(in: 3...12, using: &walker.random) {
                guard let answer = try await walker.move(client) else { continue }
                for member in ["access_token", "id_token", "refresh_token", "expires_in", "poll_interval", "status"] {
                    #expect(answer[member] == nil, "seed \(seed): \(answer)")
                }
            }
        }
        #expect(try await server.accounts() == before, "seed \(seed)")
        #expect(
            try await server.count("SELECT COUNT(*) FROM outbox") > mails + 50, "seed \(seed): too little was tried")
        for kind in [AuditEvent.Kind.codeVerified, .tokenIssued, .passwordChanged, .methodRegistered] {
            let expected = kind == .codeVerified ? 3 : 0
            #expect(try await server.audited(kind) == expected, "seed \(seed): \(kind)")
        }
        print("random walk: 250 sequences, seed \(seed)")
    }

    @Test(
        "SEC-CT-1, SEC-CT-2: a client that proves its own mailbox and password gets nothing of another user's",
        arguments: 0..<4)
    func ownProofsOpenNothingElse(_ part: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let server = try TestDirectory.server()
        try await victims(on: server)
        let thief = try await server.traveller("eve", for: .signIn)
        let eve = try #require(try await server.storedUsers().first { $0.email == thief.content.username })
        let own = eve.id.uuid.uuidString.replacing("-", with: "").lowercased()
        /// The rows of all other users.
        func others() async throws -> [String: [[String?]]] {
            try await server.accounts().mapValues { rows in
                rows.filter { row in !row.contains { $0?.lowercased() == own } }
            }
        }
        let before = try await others()
        var walker = Walker(
            server: server, label: "seed \(seed)", random: Seeded(state: seed),
            usernames: Self.victims + Array(repeating: thief.content.username, count: 4),
            mailbox: thief.content.username, passwords: [thief.content.password] + Walker.newPasswords)
        var (sequences, tokens) = (0, 0)
        // A token takes luck, so continue until there were some.
        while sequences < 250 || tokens <= 5 && sequences < 2_000 {
            sequences += 1
            let client = server.client(
                Bool.random(using: &walker.random) ? .emailPassword : .emailPasswordWithAttributes)
            try await walker.begin(client)
            for _ in 0..<Int.random(in: 8...20, using: &walker.random) {
                guard let answer = try await walker.move(client) else { continue }
                guard answer["access_token"] != nil else { continue }
                tokens += 1
                let info = try #require(answer.text("client_info").flatMap { ClientInfo(encoded: $0) })
                #expect(info.uid == eve.id.description, "seed \(seed): \(answer)")
            }
        }
        #expect(try await others() == before, "seed \(seed)")
        #expect(tokens > 5, "seed \(seed): too little was tried")
        print("random walk with an account: \(sequences) sequences, \(tokens) token replies, seed \(seed)")
    }
}
