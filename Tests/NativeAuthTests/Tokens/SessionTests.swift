import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@Suite("Several accounts")
struct AccountsTests {
    /// Alice signs in, then Bob.
    private func withTwo(
        _ script: [Stub], _ body: (NativeAuthClient, Account, Account, ScriptedTransport) async throws -> Void
    ) async throws {
        let tokens: [Stub] = [
            .session("alice", access: "AT-A", refresh: "RT-A"), .session("bob", access: "AT-B", refresh: "RT-B"),
        ]
        try await withClient(signedUp + [tokens[0]] + signedUp + [tokens[1]] + script) { client, transport in
            let alice = try await signIn(client)
            try await body(client, alice, try await signIn(client), transport)
        }
    }

    @Test func everyUserKeepsTheirSession() async throws {
        try await withTwo([.session("alice", access: "AT-A2", refresh: "RT-A2")]) { client, alice, bob, transport in
            #expect(client.accounts().map(\.homeAccountID) == ["bob.T", "alice.T"])
            #expect(client.currentAccount()?.homeAccountID == "bob.T")
            #expect(client.account(homeAccountID: "alice.T")?.username == "alice@example.com")
            #expect(client.account(homeAccountID: "carol.T") == nil)
            let kept = try await (alice.accessToken().value, bob.accessToken().value)
            #expect(kept == ("AT-A", "AT-B"))
            #expect(try await alice.accessToken(policy: .force).value == "AT-A2")
            #expect(try transport.form(8)["refresh_token"] == "RT-A")
            #expect(try await bob.accessToken().refreshToken == "RT-B")
            // A refresh is not a sign-in.
            #expect(client.currentAccount()?.homeAccountID == "bob.T")
        }
    }

    @Test func whoSignsInAgainIsTheCurrentOneAndNotTwice() async throws {
        try await withTwo(signedUp + [.session("alice", access: "AT-A2")]) { client, alice, _, _ in
            _ = try await signIn(client)
            #expect(client.accounts().map(\.homeAccountID) == ["alice.T", "bob.T"])
            #expect(try await alice.accessToken().value == "AT-A2")
        }
    }

    @Test func oneOfThemMaySignOut() async throws {
        try await withTwo([]) { client, alice, bob, _ in
            client.signOut(bob)
            #expect(client.accounts().map(\.homeAccountID) == ["alice.T"])
            #expect(try await alice.accessToken().value == "AT-A")
            let refused = try await error { () throws(NativeAuthError) in try await client.accessToken(for: bob) }
            #expect(kind(refused) == "signInRequired")
        }
    }

    @Test func orAllOfThem() async throws {
        try await withTwo([]) { client, _, _, _ in
            client.signOut()
            #expect(client.accounts().isEmpty)
        }
    }

    @Test("SDK-REF-1: renewals of different accounts do not wait for each other")
    func independent() async throws {
        let cache = InMemoryTokenCache()
        try await withClient(signedUp + [.session("alice")] + signedUp + [.session("bob")]) {
            $0.tokenCache = cache
        } _: { client, _ in
            _ = try await signIn(client)
            _ = try await signIn(client)
        }
        let gate = RequestGate(ScriptedTransport([.session("x", access: "AT2"), .session("x", access: "AT2")]))
        try await withClient([]) {
            $0.tokenCache = cache
            $0.transport = gate
        } _: { client, _ in
            let accounts = client.accounts()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for account in accounts {
                    group.addTask { _ = try await account.accessToken(policy: .force) }
                }
                // Both are running before either has an answer.
                await gate.arrival(of: 2)
                await gate.open()
                try await group.waitForAll()
            }
        }
    }

    @Test func applicationsAndTenantsAreApart() async throws {
        let cache = InMemoryTokenCache()
        let others: [@Sendable (inout NativeAuthConfiguration) throws -> Void] = [
            { _ in }, { $0.clientID = "11112222-bbbb-3333-cccc-4444dddd5555" },
            { $0.authority = try Authority(tenantSubdomain: "fabrikam") },
        ]
        for (index, change) in others.enumerated() {
            try await withClient(signedUp + [.session("user\(index)")]) {
                $0.tokenCache = cache
                do {
                    try change(&$0)
                } catch {
                    Issue.record(error)
                }
            } _: { client, _ in
                #expect(client.accounts().isEmpty)
                _ = try await signIn(client)
                #expect(client.accounts().map(\.homeAccountID) == ["user\(index).T"])
            }
        }
    }
}

@Suite("Token lifetimes")
struct TokenTimeTests {
    private let tenYears = 315_360_000.0

    /// The number of requests that a token of 3600 s needs, after `change` and optionally in a new process.
    private func renewals(
        setTo date: Date? = nil, after seconds: Double, inNewProcess: Bool = false, signedInAt: Date = start
    ) async throws -> Int {
        let cache = InMemoryTokenCache()
        let clock = TestClock()
        clock.set(signedInAt)
        try await withClient(signedUp + [.session("alice")]) {
            $0.tokenCache = cache
            clock.drive(&$0)
        } _: { client, _ in
            _ = try await signIn(client)
        }
        clock.advance(by: seconds)
        if let date { clock.set(date) }
        let transport = ScriptedTransport([.session("alice", access: "AT2")])
        try await withClient([]) {
            $0.tokenCache = cache
            $0.transport = transport
            clock.drive(&$0)
            if inNewProcess {
                $0.process = UUID()
                $0.uptime = { 7 }
            }
        } _: { client, _ in
            _ = try await client.accessToken(for: try #require(client.currentAccount()))
        }
        return transport.requests.count
    }

    @Test(
        "SDK-TIME-1: in one process only the time that has passed counts",
        arguments: [
            (0, nil, 0), (3299, nil, 0), (3300, nil, 1), (3600, nil, 1), (60, 10, 0), (60, -10, 0), (3300, -10, 1),
            (3299, 10, 0),
        ] as [(Double, Double?, Int)])
    func running(_ seconds: Double, _ years: Double?, _ expected: Int) async throws {
        let date = years.map { start + $0 * tenYears / 10 }
        #expect(try await renewals(setTo: date, after: seconds) == expected)
    }

    @Test(
        "SDK-TIME-1: after a restart the device's clock counts, and one that went back counts as expired",
        arguments: [
            (0, 0), (3299, 0), (3300, 1), (-60, 0), (-299, 0), (-301, 1), (315_360_000, 1), (-315_360_000, 1),
        ] as [(Double, Int)])
    func restarted(_ difference: Double, _ expected: Int) async throws {
        #expect(try await renewals(setTo: start + difference, after: 0, inNewProcess: true) == expected)
    }

    @Test("SDK-TIME-1: a device that is ten years wrong all the time works", arguments: [-1.0, 1.0])
    func alwaysWrong(_ sign: Double) async throws {
        #expect(try await renewals(after: 3299, signedInAt: start + sign * tenYears) == 0)
        #expect(try await renewals(after: 3300, signedInAt: start + sign * tenYears) == 1)
        #expect(try await renewals(after: 3299, inNewProcess: true, signedInAt: start + sign * tenYears) == 0)
    }

    @Test(
        "Lifetimes of all kinds",
        arguments: [("0", 1), ("-1", 1), ("300", 1), ("301", 0), ("9223372036854775807", 0), (#""3600""#, 0)])
    func lifetimes(_ expiresIn: String, _ expected: Int) async throws {
        var tokens = Stub.session("alice")
        tokens.json = tokens.json.replacing(#""expires_in":3600"#, with: #""expires_in":\#(expiresIn)"#)
        let renewal = expected == 1 ? [Stub.session("alice")] : []
        try await withClient(signedUp + [tokens] + renewal) { client, _ in
            _ = try await signIn(client).accessToken()
        }
    }
}

@Suite("ID tokens")
struct IDTokenTests {
    private static let now = Int(start.timeIntervalSince1970)

    static let rows: [(String, Bool)] = [
        ("", true), (#""aud":"\#(clientID)""#, true), (#""aud":"\#(clientID.uppercased())""#, true),
        (#""aud":["other","\#(clientID)"]"#, true), (#""aud":"other""#, false), (#""aud":["other"]"#, false),
        (#""aud":[]"#, false), (#""aud":7"#, false), (#""aud":null"#, false), (#""aud":"""#, false),
        ("\"exp\":\(now + 3600)", true), ("\"exp\":\(now - 299)", true), ("\"exp\":\(now - 300)", false),
        ("\"exp\":0", false), ("\"exp\":\"\(now + 3600)\"", false), ("\"exp\":\(now + 3600).5", true),
        ("\"nbf\":\(now)", true), ("\"nbf\":\(now + 300)", true), ("\"nbf\":\(now + 301)", false),
        ("\"iat\":\(now - 86_400)", true), ("\"iat\":\(now + 300)", true), ("\"iat\":\(now + 301)", false),
        ("\"iat\":null", false), (#""iss":7"#, false),
        (#""iss":"https://contoso.ciamlogin.com/any/v2.0""#, true),
        (#""iss":"https://any.example.com/""#, false), (#""iss":"https://ciamlogin.com.example.com/""#, false),
        (#""iss":"https://u:p@a.ciamlogin.com/""#, false), (#""iss":"http://a.ciamlogin.com/""#, false),
        (#""iss":"http://127.0.0.1/""#, false), (#""iss":"""#, false),
        (#""sub":{}"#, false),
    ]

    @Test("SDK-AUTH-2: aud, exp, nbf and iat of an ID token are checked with 5 min of tolerance", arguments: rows)
    func claims(_ claims: String, _ isAccepted: Bool) async throws {
        try await withClient(signedUp + [.session("alice", claims: claims)]) { client, _ in
            if isAccepted {
                #expect(try await signIn(client).username == "alice@example.com")
            } else {
                let state = try await completed(client)
                let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
                #expect(kind(refused) == "unexpectedReply")
            }
            #expect((client.currentAccount() != nil) == isAccepted)
        }
    }

    @Test("SDK-AUTH-2: a renewal cannot change the user, nor bring a token of another app")
    func renewal() async throws {
        let bad = [#""sub":"mallory""#, #""sub":"alice","aud":"other""#]
        let good = #""sub":"alice""#
        let script = bad.map { Stub.session("alice", access: "AT2", claims: $0) }
        try await withClient(
            signedUp + [.session("alice", claims: good)] + script + [.session("alice", access: "AT3", claims: good)]
        ) { client, _ in
            let account = try await signIn(client)
            for _ in bad {
                let refused = try await error { () throws(NativeAuthError) in
                    try await client.accessToken(for: account, forceRefresh: true)
                }
                #expect(kind(refused) == "unexpectedReply")
                #expect(try await account.accessToken().value == "AT")
            }
            #expect(try await account.accessToken(policy: .force).value == "AT3")
        }
    }

    @Test(
        "SDK-TIME-1: the server's date stands in for a clock that is ten years wrong",
        arguments: [-315_360_000.0, 315_360_000.0])
    func serverDate(_ error: Double) async throws {
        let claims = "\"exp\":\(Self.now + 3600),\"nbf\":\(Self.now),\"iat\":\(Self.now)"
        let clock = TestClock()
        clock.set(start + error)
        let headers = ["Date": "Sat, 01 Aug 2026 09:30:00 GMT"]
        try await withClient(signedUp + [.session("alice", claims: claims, headers: headers)]) {
            clock.drive(&$0)
        } _: { client, _ in
            _ = try await signIn(client)
            #expect(client.currentAccount() != nil)
        }
    }
}

@Suite("Sign-out")
struct SignOutTests {
    private static let base = "https://login.example.com/contoso"

    /// A server with tokens, a discovery document, and an address for revocation.
    private final class Server: HTTPTransport {
        let requests = Mutex<[TransportRequest]>([])
        let revocationEndpoint: String?
        let status: Int
        let issuer: String

        init(_ revocationEndpoint: String?, status: Int = 200, issuer: String = "\(SignOutTests.base)/v2.0") {
            self.revocationEndpoint = revocationEndpoint
            self.status = status
            self.issuer = issuer
        }

        var paths: [String] {
            requests.withLock {
                $0.map { "\($0.method) \($0.url.absoluteString.replacing(SignOutTests.base, with: ""))" }
            }
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            requests.withLock { $0.append(request) }
            if request.url.path().hasSuffix("/openid-configuration") {
                let revocation = revocationEndpoint.map { #","revocation_endpoint":"\#($0)""# } ?? ""
                return TransportResponse(
                    status: 200,
                    body: Data(
                        (#"{"issuer":"\#(issuer)","authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"j""#
                            + revocation + "}").utf8))
            }
            return TransportResponse(status: status, body: Data())
        }
    }

    /// A client with a user who is signed in.
    private func withSession(
        _ server: Server, authority: String = base, cache: any TokenCache = InMemoryTokenCache(),
        _ body: (NativeAuthClient, Account) async throws -> Void
    ) async throws {
        let authority = try Authority(url: try #require(URL(string: authority)))
        let changes: (inout NativeAuthConfiguration) -> Void = {
            $0.tokenCache = cache
            $0.authority = authority
        }
        try await withClient(signedUp + [.session("alice", refresh: "RT-A")], configure: changes) { client, _ in
            _ = try await signIn(client)
        }
        try await withClient([]) {
            changes(&$0)
            $0.transport = server
        } _: { client, _ in
            try await body(client, try #require(client.currentAccount()))
        }
    }

    @Test("SDK-STO-5: sign-out removes the tokens, then ends the refresh token at the server (RFC 7009)")
    func revocation() async throws {
        let server = Server("\(Self.base)/oauth2/v2.0/revoke")
        try await withSession(server) { client, account in
            let revocation = try await client.signOutAndRevoke(account)
            #expect(revocation == .revoked)
            #expect(server.paths == ["GET /v2.0/.well-known/openid-configuration", "POST /oauth2/v2.0/revoke"])
            let request = server.requests.withLock { $0[1] }
            let form = try FormFields(decoding: request.body)
            #expect(try form.single("token") == "RT-A")
            #expect(try form.single("token_type_hint") == "refresh_token")
            #expect(try form.single("client_id") == clientID)
            #expect(!request.url.absoluteString.contains("RT-A"))
            #expect(client.accounts().isEmpty)
            // There is no session left to end.
            let second = try await client.signOutAndRevoke()
            #expect(second == .nothingToRevoke)
            #expect(server.paths.count == 2)
        }
    }

    @Test("SDK-STO-5: the tokens are gone before the server is asked")
    func order() async throws {
        let server = Server("\(Self.base)/oauth2/v2.0/revoke")
        let gate = RequestGate(server)
        let cache = InMemoryTokenCache()
        try await withSession(server, cache: cache) { _, _ in }
        try await withClient([]) {
            $0.tokenCache = cache
            $0.transport = gate
            if let url = URL(string: Self.base), case .success(let own) = Result(catching: { try Authority(url: url) })
            {
                $0.authority = own
            }
        } _: { client, _ in
            #expect(client.accounts().count == 1)
            client.signOut()
            #expect(client.accounts().isEmpty)
            await gate.arrival()
            await gate.open()
            await gate.arrival(of: 2)
        }
    }

    @Test(
        "SDK-AUTH-1: a refresh token goes to the authority's own origin only",
        arguments: [
            nil, "https://evil.example.com/revoke", "http://login.example.com/revoke",
            "https://login.example.com:8443/revoke", "https://login.example.com.evil.example/revoke",
            "https://u:p@login.example.com/revoke", "", "/revoke",
        ])
    func origin(_ endpoint: String?) async throws {
        let server = Server(endpoint)
        try await withSession(server) { client, account in
            let revocation = try await client.signOutAndRevoke(account)
            #expect(revocation == .notOffered)
            #expect(server.paths == ["GET /v2.0/.well-known/openid-configuration"])
            #expect(client.accounts().isEmpty)
        }
    }

    @Test func nothingIsSentToTheVendorsCloud() async throws {
        let server = Server("https://contoso.ciamlogin.com/revoke")
        try await withSession(server, authority: "https://contoso.ciamlogin.com") { client, account in
            let revocation = try await client.signOutAndRevoke(account)
            #expect(revocation == .notOffered)
            #expect(server.paths.isEmpty)
        }
    }

    @Test(arguments: [400, 500, 503])
    func aServerThatDoesNotRevokeKeepsNobodySignedIn(_ status: Int) async throws {
        let server = Server("\(Self.base)/oauth2/v2.0/revoke", status: status)
        try await withSession(server) { client, account in
            let refused = try await error { () throws(SignOutError) in try await client.signOutAndRevoke(account) }
            guard case .notRevoked(.unexpected) = refused else {
                Issue.record("\(refused)")
                return
            }
            // The discovery document is requested once, a revocation is not repeated.
            #expect(server.paths.count == 2)
            #expect(client.accounts().isEmpty)
        }
    }

    @Test("SDK-AUTH-2: an ID token of another origin is refused, whether or not discovery was asked before")
    func issuer() async throws {
        let authority = try Authority(url: try #require(URL(string: Self.base)))
        let good = #""iss":"\#(Self.base)/v2.0""#
        let bad = #""iss":"https://evil.example.com/v2.0""#
        let server = Server("\(Self.base)/oauth2/v2.0/revoke")
        let tokens = [good, bad, good, bad].map { Stub.session("alice", refresh: "RT-A", claims: $0) }
        let script = ScriptedTransport(tokens.flatMap { signedUp + [$0] })
        try await withClient([]) {
            $0.authority = authority
            $0.transport = AnsweringTransport { request in
                let isOfSignOut = request.method == "GET" || request.url.path().hasSuffix("/revoke")
                return try await isOfSignOut ? server.send(request) : script.send(request)
            }
        } _: { client, _ in
            for _ in 1...2 {
                _ = try await signIn(client)
                let state = try await completed(client)
                let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
                #expect(kind(refused) == "unexpectedReply")
                let revocation = try await client.signOutAndRevoke()
                #expect(revocation == .revoked)
            }
        }
    }

    @Test("SDK-AUTH-1: a discovery document that names an issuer of another origin is refused")
    func foreignDocument() async throws {
        let server = Server("\(Self.base)/oauth2/v2.0/revoke", issuer: "https://issuer.example.com/v2.0")
        try await withSession(server) { client, account in
            let refused = try await error { () throws(SignOutError) in try await client.signOutAndRevoke(account) }
            guard case .notRevoked(.unexpected) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(server.paths == ["GET /v2.0/.well-known/openid-configuration"])
        }
    }

    @Test("SDK-STO-5: a server that cannot be reached for one user's token is still told of the others'")
    func oneOfTwo() async throws {
        let authority = try Authority(url: try #require(URL(string: Self.base)))
        let server = Server("\(Self.base)/oauth2/v2.0/revoke")
        let tokens = ["alice", "bob"].map { Stub.session($0, refresh: "RT-\($0)") }
        let script = ScriptedTransport(tokens.flatMap { signedUp + [$0] })
        let hasFailed = Mutex(false)
        try await withClient([]) {
            $0.authority = authority
            $0.transport = AnsweringTransport { request in
                guard request.method == "GET" || request.url.path().hasSuffix("/revoke") else {
                    return try await script.send(request)
                }
                let response = try await server.send(request)
                let isFirst = hasFailed.withLock { hasFailed in
                    defer { hasFailed = request.method == "POST" }
                    return request.method == "POST" && !hasFailed
                }
                if isFirst { throw URLError(.networkConnectionLost) }
                return response
            }
        } _: { client, _ in
            _ = try await signIn(client)
            _ = try await signIn(client)
            let refused = try await error { () throws(SignOutError) in try await client.signOutAndRevoke() }
            guard case .notRevoked(.unreachable) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(server.paths.map { $0.prefix(4) } == ["GET ", "POST", "POST"])
            #expect(client.accounts().isEmpty)
        }
    }

    @Test("SDK-CANCEL-1: a caller that stops waiting for the server returns at once; the server is still told")
    func cancelled() async throws {
        let server = Server("\(Self.base)/oauth2/v2.0/revoke")
        let cache = InMemoryTokenCache()
        try await withSession(server, cache: cache) { _, _ in }
        let authority = try Authority(url: try #require(URL(string: Self.base)))
        let gate = RequestGate(server)
        try await withClient([]) {
            $0.tokenCache = cache
            $0.transport = gate
            $0.authority = authority
        } _: { client, _ in
            let task = Task { try await client.signOutAndRevoke() }
            await gate.arrival()
            task.cancel()
            await #expect {
                try await task.value
            } throws: { error in
                if case SignOutError.notRevoked(.cancelled) = error { true } else { false }
            }
            #expect(client.accounts().isEmpty)
            await gate.open()
            await gate.arrival(of: 2)
        }
    }

    /// A cache that refuses writes.
    private struct ReadOnlyCache: TokenCache {
        let items: [String: Data]

        func withItems<Result: Sendable>(
            of application: String, _ body: (inout [String: Data]) -> Result
        ) throws(TokenCacheError) -> Result {
            var changed = items
            let result = body(&changed)
            guard changed == items else { throw .system("write", code: 28) }
            return result
        }
    }

    @Test func aCacheThatCannotBeWrittenIsToldAndNothingIsSent() async throws {
        let cache = InMemoryTokenCache()
        let server = Server("\(Self.base)/oauth2/v2.0/revoke")
        try await withSession(server, cache: cache) { _, _ in }
        let items = try cache.withItems(of: "\(clientID)|\(Self.base)") { $0 }
        let reports = Reports()
        let authority = try Authority(url: try #require(URL(string: Self.base)))
        let renewed = ScriptedTransport([.session("alice", access: "AT2")])
        let transport = AnsweringTransport { request in
            request.url.path().hasSuffix("/token") ? try await renewed.send(request) : try await server.send(request)
        }
        try await withClient([]) {
            $0.tokenCache = ReadOnlyCache(items: items)
            $0.authority = authority
            $0.transport = transport
            $0.onTokenCacheProblem = { reports.add($0) }
        } _: { client, _ in
            let account = try #require(client.currentAccount())
            #expect(reports.all.isEmpty)
            let refused = try await error { () throws(SignOutError) in try await client.signOutAndRevoke(account) }
            guard case .stillSignedIn(.system("write", code: 28), _) = refused else {
                Issue.record("\(refused)")
                return
            }
            client.signOut()
            #expect(reports.all == [.system("write", code: 28), .system("write", code: 28)])
            // A refresh still returns its token (docs/sdk-surface.md §7).
            #expect(try await account.accessToken(policy: .force).value == "AT2")
            #expect(server.paths.isEmpty)
        }
    }
}
