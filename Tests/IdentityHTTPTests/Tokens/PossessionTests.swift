import Crypto
import CryptoExtras
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Tokens that are bound to a key (RFC 9449, docs/protocol.md §21.10).
@Suite("Proofs of possession")
struct PossessionTests {
    private let party = TestRelyingParty(.emailPassword)
    private let shop = TestRelyingParty(client: TestDirectory.shop, redirect: "https://shop.example/back")
    private static let secret: [String: String?] = ["client_secret": TestDirectory.shopSecret]
    private static let email = "dana@example.com"
    private static let userInfo = "/contoso/oidc/userinfo"
    private static let algorithms = "algs=\"ES256 RS256 EdDSA\""

    private func server() throws -> IdentityTestServer {
        let directory = try TestDirectory.directory()
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) {
            ports, _ in
            ports.clients = directory
        }
    }

    private func fault(_ answer: WireAnswer) -> String {
        "\(answer.status) \(answer.text("error") ?? "none") \(answer["error_codes"]?.array.compactMap(\.integer) ?? [])"
    }

    /// A code of a new user, or of one who is signed in.
    private func code(
        _ server: IdentityTestServer, _ changes: [String: String?] = [:], for other: TestRelyingParty? = nil
    ) async throws -> String {
        let browser = TestBrowser(server)
        let isNew = try await server.count("SELECT COUNT(*) FROM users") == 0
        if isNew {
            try await browser.signUp(Self.email, at: server, for: other ?? party, changes)
        } else {
            try await browser.signIn(Self.email, for: other ?? party, changes)
        }
        return try #require(browser.answer["code"], "\(browser.html)")
    }

    private func tokens(_ server: IdentityTestServer, _ key: TestKey?) async throws -> WireAnswer {
        let answer = try await party.redeem(try await code(server), at: server, headers: try key?.proof() ?? [:])
        #expect(answer.status == 200, "\(answer)")
        return answer
    }

    private func refresh(
        _ token: WireAnswer, _ server: IdentityTestServer, _ headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        try await server.client(.emailPassword).refresh(try #require(token.text("refresh_token")), headers: headers)
    }

    private func userInfo(_ server: IdentityTestServer, _ headers: [String: String]) async throws -> WireAnswer {
        try await server.client().get(Self.userInfo, headers: headers)
    }

    private func bearer(_ answer: WireAnswer) throws -> [String: String] {
        ["authorization": "Bearer \(try #require(answer.text("access_token")))"]
    }

    @Test(
        "SEC-OAUTH-9: code, refresh and userinfo with one key; the same tokens without it are worth nothing",
        arguments: TestKey.Kind.allCases)
    func theWholeWay(_ kind: TestKey.Kind) async throws {
        let server = try server()
        let key = TestKey(server, kind)
        let code = try await code(server, ["dpop_jkt": try key.thumbprint])
        var answer = try await party.redeem(code, at: server, headers: try key.proof())
        for _ in 0..<3 {
            #expect(answer.status == 200 && answer["token_type"] == "DPoP", "\(answer)")
            #expect(Set(answer.members.keys) == WireClient.tokenMembers)
            let token = try #require(answer.text("access_token"))
            #expect(try claims(of: token)["cnf"] == .object(["jkt": .string(try key.thumbprint)]))
            #expect(try claims(of: answer.text("id_token"))["cnf"] == nil)
            let known = try await userInfo(server, try key.proof("GET", Self.userInfo, token: token))
            #expect(known.status == 200 && known.text("sub") != nil, "\(known)")
            let posted = try await server.client().send(
                server.client().request(
                    "POST", Self.userInfo, headers: try key.proof("POST", Self.userInfo, token: token)))
            #expect(posted.status == 200)
            let stolen = try await userInfo(server, try bearer(answer))
            #expect(stolen.status == 401)
            #expect(stolen.headers["www-authenticate"] == "DPoP error=\"invalid_token\", \(Self.algorithms)")
            // With the scheme of a proof, and without one.
            #expect(try await userInfo(server, ["authorization": "DPoP \(token)"]).status == 401)
            let foreign = try await userInfo(
                server, try TestKey(server).proof("GET", Self.userInfo, token: token))
            #expect(foreign.status == 401)
            server.clock.advance(by: 30)
            answer = try await refresh(answer, server, try key.proof())
        }
    }

    @Test(
        "SEC-OAUTH-9: a native sign-in with a proof; the account API asks for the key, and a plain session stays as it was"
    )
    func native() async throws {
        let server = try server()
        try await server.signUpWithPassword()
        let client = server.client(.emailPassword)
        func signIn(_ headers: [String: String]) async throws -> WireAnswer {
            let started = try await client.initiate(Self.email)
            let wanted = try await client.signInChallenge(started.token)
            return try await client.post(
                .token,
                [
                    ("grant_type", "password"), ("continuation_token", wanted.token),
                    ("password", WireClient.password), ("scope", AccountCaller.scope),
                ], headers: headers)
        }
        let key = TestKey(server)
        let bound = try await signIn(try key.proof())
        #expect(bound["token_type"] == "DPoP", "\(bound)")
        let caller = try AccountCaller(bound, server)
        let refused = try await caller.send("GET", AccountCaller.me)
        #expect(refused.status == 401)
        #expect(refused.headers["www-authenticate"] == "DPoP error=\"invalid_token\", \(Self.algorithms)")
        #expect(try await caller.send("DELETE", AccountCaller.me).status == 401)
        #expect(
            try await caller.send(
                "GET", AccountCaller.me, headers: try key.proof("GET", AccountCaller.me, token: caller.token)
            ).status == 200)
        let renamed = try await caller.send(
            "PATCH", AccountCaller.me, #"{"displayName":"Dana K"}"#,
            headers: try key.proof("PATCH", AccountCaller.me, token: caller.token))
        #expect(renamed.status == 204, "\(renamed)")
        // A proof of another path, or for another token.
        #expect(
            try await caller.send(
                "GET", AccountCaller.me, headers: try key.proof("GET", AccountCaller.beta, token: caller.token)
            ).status == 401)
        #expect(try await refresh(bound, server, try key.proof()).status == 200)

        let plain = try AccountCaller(try await signIn([:]), server)
        #expect(try await plain.isLive)
        let wrapped = try await plain.send(
            "GET", AccountCaller.me, headers: try key.proof("GET", AccountCaller.me, token: plain.token))
        #expect(wrapped.status == 401, "an unbound token is no bound one")
        #expect(wrapped.headers["www-authenticate"] == "Bearer error=\"invalid_token\"")

        // The answer to a deletion that was lost is for the key, too.
        let deleting = { try key.proof("DELETE", AccountCaller.me, token: caller.token) }
        let gone = try await caller.send("DELETE", AccountCaller.me, headers: try deleting())
        #expect(gone.status == 204, "\(gone)")
        #expect(try await caller.send("DELETE", AccountCaller.me).status == 401)
        #expect(try await caller.send("DELETE", AccountCaller.me, headers: try deleting()).status == 204)
    }

    /// What is wrong with a proof, and how.
    private static let wrongs: [(String, @Sendable (inout TestProof) throws -> Void)] = [
        ("no type", { $0.header["typ"] = nil }),
        ("another type", { $0.header["typ"] = "\"JWT\"" }),
        ("the type of an access token", { $0.header["typ"] = "\"at+jwt\"" }),
        ("the type in capitals", { $0.header["typ"] = "\"DPOP+JWT\"" }),
        ("no algorithm", { $0.header["alg"] = nil }),
        ("the algorithm none", { $0.header["alg"] = "\"none\"" }),
        ("a symmetric algorithm", { $0.header["alg"] = "\"HS256\"" }),
        ("the algorithm of another key", { $0.header["alg"] = "\"RS256\"" }),
        ("an unknown algorithm", { $0.header["alg"] = "\"ES384\"" }),
        ("a critical parameter", { $0.header["crit"] = "[\"b64\"]" }),
        ("no key", { $0.jwk = [:] }),
        ("an empty key", { $0.header["jwk"] = "{}" }),
        ("a key that is a text", { $0.header["jwk"] = "\"key\"" }),
        ("a private key", { $0.jwk["d"] = "\"AAAA\"" }),
        ("a member of a private RSA key", { $0.jwk["dp"] = "null" }),
        ("a symmetric key", { $0.jwk = ["kty": "\"oct\"", "k": "\"AAAA\""] }),
        ("another curve", { $0.jwk["crv"] = "\"P-384\"" }),
        ("a kind that is not its own", { $0.jwk["kty"] = "\"RSA\"" }),
        ("a point that is not on the curve", { $0.jwk["y"] = $0.jwk["x"] }),
        ("a short coordinate", { $0.jwk["x"] = "\"AAAA\"" }),
        ("no coordinate", { $0.jwk["y"] = nil }),
        (
            "the key of another",
            { $0.jwk = try TestKey(IdentityTestServer(seed: 2, start: IdentityTestServer.start)).jwk }
        ),
        (
            "signed by another",
            { $0.signer = try TestKey(IdentityTestServer(seed: 2, start: IdentityTestServer.start)) }
        ),
        ("no signature", { $0.after = { $0.prefix(through: $0.lastIndex(of: ".") ?? $0.startIndex) + "" } }),
        ("two parts", { $0.after = { String($0[..<($0.lastIndex(of: ".") ?? $0.endIndex)]) } }),
        ("a changed signature", { $0.after = { $0.dropLast(8) + "AAAAAAAA" } }),
        ("two proofs in one value", { $0.after = { "\($0),\($0)" } }),
        ("an empty value", { $0.after = { _ in "" } }),
        ("no token", { $0.after = { _ in "proof" } }),
        ("too long", { $0.claims["more"] = "\"\(String(repeating: "a", count: 4_096))\"" }),
        ("no id", { $0.claims["jti"] = nil }),
        ("an empty id", { $0.claims["jti"] = "\"\"" }),
        ("a long id", { $0.claims["jti"] = "\"\(String(repeating: "a", count: 129))\"" }),
        ("an id that is a number", { $0.claims["jti"] = "7" }),
        ("no method", { $0.claims["htm"] = nil }),
        ("another method", { $0.claims["htm"] = "\"PUT\"" }),
        ("the method in small letters", { $0.claims["htm"] = $0.claims["htm"]?.lowercased() }),
        ("no address", { $0.claims["htu"] = nil }),
        ("a path alone", { $0.claims["htu"] = "\"\(TestKey.tokenPath)\"" }),
        ("another host", { $0.claims["htu"] = $0.claims["htu"]?.replacing("identity.test", with: "identity.example") }),
        ("another scheme", { $0.claims["htu"] = $0.claims["htu"]?.replacing("https:", with: "http:") }),
        (
            "another port",
            { $0.claims["htu"] = $0.claims["htu"]?.replacing("identity.test", with: "identity.test:8443") }
        ),
        ("a user in front of the host", { $0.claims["htu"] = $0.claims["htu"]?.replacing("//", with: "//a@") }),
        ("another path", { $0.claims["htu"] = "\"https://identity.test/contoso/oauth2/v2.0/par\"" }),
        ("a path with a slash more", { $0.claims["htu"] = $0.claims["htu"].map { $0.dropLast() + "/\"" } }),
        ("no time", { $0.claims["iat"] = nil }),
        ("a time that is a text", { $0.claims["iat"] = $0.claims["iat"].map { "\"\($0)\"" } }),
        ("61 seconds old", { $0.claims["iat"] = "\(Int(IdentityTestServer.start.timeIntervalSince1970) - 61)" }),
        ("6 seconds ahead", { $0.claims["iat"] = "\(Int(IdentityTestServer.start.timeIntervalSince1970) + 6)" }),
        ("of all times", { $0.claims["iat"] = "1e300" }),
        ("ended", { $0.claims["exp"] = "\(Int(IdentityTestServer.start.timeIntervalSince1970))" }),
        ("not begun", { $0.claims["nbf"] = "\(Int(IdentityTestServer.start.timeIntervalSince1970) + 6)" }),
    ]

    @Test("SEC-OAUTH-9: each of 52 wrong proofs is refused at refresh, code and userinfo, and changes nothing")
    func wrongProofs() async throws {
        let server = try server()
        let key = TestKey(server)
        let held = try await tokens(server, key)
        let token = try #require(held.text("access_token"))
        let code = try await code(server)
        func state() async throws -> [Int] {
            var counts: [Int] = []
            for table in ["audit", "used_assertions", "refresh_families", "presented_codes", "browser_sessions"] {
                counts.append(try await server.count("SELECT COUNT(*) FROM \(table)"))
            }
            counts.append(try await server.count("SELECT SUM(generation) FROM refresh_families"))
            counts.append(try await server.count("SELECT COUNT(*) FROM refresh_families WHERE revoked_at IS NOT NULL"))
            return counts
        }
        let before = try await state()
        #expect(Self.wrongs.count == 52)
        for (name, change) in Self.wrongs {
            let refreshed = try await refresh(held, server, try key.proof(change: change))
            #expect(fault(refreshed) == "400 invalid_dpop_proof [90023]", "\(name)")
            let redeemed = try await party.redeem(code, at: server, headers: try key.proof(change: change))
            #expect(fault(redeemed) == "400 invalid_dpop_proof [90023]", "\(name)")
            let asked = try await userInfo(server, try key.proof("GET", Self.userInfo, token: token, change: change))
            #expect(asked.status == 401 && asked.body.isEmpty, "\(name)")
            #expect(
                asked.headers["www-authenticate"] == "DPoP error=\"invalid_dpop_proof\", \(Self.algorithms)", "\(name)")
        }
        // Beside an access token alone.
        for ath in [nil, "\"\"", "\"\(Base64URL.encode(Data(SHA256.hash(data: Data("x".utf8)))))\""] {
            let asked = try await userInfo(
                server, try key.proof("GET", Self.userInfo, token: token) { $0.claims["ath"] = ath })
            #expect(asked.status == 401, "\(ath ?? "none")")
        }
        #expect(try await state() == before)
        // What is right at its edges.
        let start = Int(IdentityTestServer.start.timeIntervalSince1970)
        for change: (inout TestProof) -> Void in [
            { $0.claims["iat"] = "\(start - 60)" }, { $0.claims["iat"] = "\(start + 5)" },
            { $0.claims["iat"] = "\(start).5" }, { $0.claims["jti"] = "\"\(String(repeating: "a", count: 128))\"" },
            { $0.claims["htu"] = $0.claims["htu"].map { $0.dropLast() + "?a=b#c\"" } },
            {
                $0.claims["htu"] = $0.claims["htu"]?.replacing(
                    "https://identity.test", with: "HTTPS://Identity.Test:443")
            },
            { $0.claims["nonce"] = "\"of no use\"" },
        ] {
            #expect(
                try await userInfo(server, try key.proof("GET", Self.userInfo, token: token, change: change)).status
                    == 200)
        }
        #expect(try await refresh(held, server, try key.proof()).status == 200)
        #expect(try await party.redeem(code, at: server, headers: try key.proof()).status == 200)
    }

    @Test("SEC-OAUTH-9: a proof works once, whichever node sees it first, and at whichever endpoint")
    func replay() async throws {
        let server = try server()
        // Another node: an engine of its own over the same database.
        let second = Engine(server.engine.ports, vault: server.engine.vault, settings: server.engine.settings)
        let one = server.transport
        let other: any HTTPTransport = InProcessTransport(
            routes: IdentityRoutes(
                engine: second, clock: ManualWallClock(manual: server.clock),
                readiness: Readiness(flows: second.ports.flows)))
        func userInfo(_ node: any HTTPTransport, _ headers: [String: String]) async throws -> WireAnswer {
            let client = WireClient(transport: node)
            return try await client.get(Self.userInfo, headers: headers)
        }
        func refresh(
            _ tokens: WireAnswer, _ node: any HTTPTransport, _ headers: [String: String]
        ) async throws -> WireAnswer {
            let client = WireClient(transport: node, clientID: party.client)
            return try await client.refresh(try #require(tokens.text("refresh_token")), headers: headers)
        }
        let key = TestKey(server)
        let held = try await tokens(server, key)
        let token = try #require(held.text("access_token"))
        let seen = try key.proof("GET", Self.userInfo, token: token)
        #expect(try await userInfo(one, seen).status == 200)
        for node in [one, other] {
            let again = try await userInfo(node, seen)
            #expect(again.status == 401)
            #expect(again.headers["www-authenticate"] == "DPoP error=\"invalid_dpop_proof\", \(Self.algorithms)")
        }
        let proof = try key.proof()
        let next = try await refresh(held, one, proof)
        #expect(next.status == 200)
        for node in [other, one] {
            #expect(try await fault(refresh(next, node, proof)) == "400 invalid_dpop_proof [90023]")
        }
        // A key's own ids: those of another key are not used up.
        let stranger = try TestKey(server).proof { $0.claims["jti"] = "\"same\"" }
        #expect(try await party.redeem(try await code(server), at: server, headers: stranger).status == 200)
        let same = try key.proof { $0.claims["jti"] = "\"same\"" }
        #expect(try await refresh(next, other, same).status == 200)
        // The mark is kept for as long as the proof could be used, and then forgotten.
        let marks = try await server.count("SELECT COUNT(*) FROM used_assertions")
        #expect(marks == 5)
        server.clock.advance(by: 65)
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await server.count("SELECT COUNT(*) FROM used_assertions") == marks)
        server.clock.advance(by: 65)
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await server.count("SELECT COUNT(*) FROM used_assertions") == 0)
    }

    @Test("SEC-OAUTH-9: of 20 requests with one proof at the same moment one is answered")
    func race() async throws {
        let server = try server()
        let key = TestKey(server)
        let token = try #require(try await tokens(server, key).text("access_token"))
        let proof = try key.proof("GET", Self.userInfo, token: token)
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await userInfo(server, proof).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(answers.filter { $0 == 200 }.count == 1 && answers.filter { $0 == 401 }.count == 19)
    }

    @Test("SEC-OAUTH-9: a stolen refresh token without the key gives nothing and ends nothing, live or spent")
    func stolen() async throws {
        let server = try server()
        let (key, thief) = (TestKey(server), TestKey(server))
        let first = try await tokens(server, key)
        func steal(_ tokens: WireAnswer) async throws {
            #expect(try await fault(refresh(tokens, server)) == "400 invalid_dpop_proof [90023]")
            #expect(try await fault(refresh(tokens, server, thief.proof())) == "400 invalid_grant [70000]")
        }
        try await steal(first)
        // One line of the audit trail tells of both, and of all others in the hour.
        let lines = try await server.rows(
            "SELECT kind, detail, lower(hex(user)) FROM audit WHERE kind = 'token.reuse_detected'")
        let user = try #require(try await server.rows("SELECT lower(hex(id)) FROM users").first?.first)
        #expect(lines == [["token.reuse_detected", "key", user]])
        let second = try await refresh(first, server, try key.proof())
        #expect(second["token_type"] == "DPoP")
        // Within the grace, and after it.
        try await steal(first)
        // Who did not get the answer gets it again, with another proof of the key.
        let repeated = try await refresh(first, server, try key.proof())
        #expect(repeated["refresh_token"] == second["refresh_token"] && repeated["token_type"] == "DPoP")
        server.clock.advance(by: 3_600)
        try await steal(first)
        try await steal(second)
        #expect(try await server.audited(.tokenReuseDetected) == 2)
        let third = try await refresh(second, server, try key.proof())
        #expect(third.status == 200)
        // Who has the key and a spent token ends the family, as ever (SEC-TOK-9).
        server.clock.advance(by: 3_600)
        #expect(try await fault(refresh(first, server, try key.proof())) == "400 invalid_grant [50173]")
        #expect(try await fault(refresh(third, server, try key.proof())) == "400 invalid_grant [50173]")
    }

    @Test("SEC-OAUTH-9: a thief of an unbound refresh token cannot bind it to a key of his own")
    func noLateBinding() async throws {
        let server = try server()
        let plain = try await tokens(server, nil)
        #expect(plain["token_type"] == "Bearer")
        #expect(try await fault(refresh(plain, server, TestKey(server).proof())) == "400 invalid_grant [70000]")
        let next = try await refresh(plain, server)
        #expect(next.status == 200 && next["token_type"] == "Bearer")
        #expect(try claims(of: next.text("access_token"))["cnf"] == nil)
        #expect(try await userInfo(server, try bearer(next)).status == 200)
    }

    @Test("SEC-OAUTH-9: a code with dpop_jkt is redeemed with that key alone, and other attempts leave it as it is")
    func boundCodes() async throws {
        let server = try server()
        let key = TestKey(server)
        let code = try await code(server, ["dpop_jkt": try key.thumbprint])
        #expect(try await fault(party.redeem(code, at: server)) == "400 invalid_dpop_proof [90023]")
        #expect(
            try await fault(party.redeem(code, at: server, headers: TestKey(server).proof()))
                == "400 invalid_grant [70000]")
        let answer = try await party.redeem(code, at: server, headers: try key.proof())
        #expect(answer["token_type"] == "DPoP")
        // The answer again, for a client that lost it: to the same key.
        let again = try await party.redeem(code, at: server, headers: try key.proof())
        #expect(again["refresh_token"] == answer["refresh_token"])
        for wrong in ["x", String(repeating: "A", count: 44), String(repeating: "A", count: 42) + "B", "key key"] {
            let browser = TestBrowser(server)
            try await browser.get(party.path(["dpop_jkt": wrong]), follows: false)
            #expect(browser.answer["error"] == "invalid_request", "\(wrong)")
        }
        let twice = TestBrowser(server)
        try await twice.get(
            party.path(["dpop_jkt": try key.thumbprint]) + "&dpop_jkt=\(try key.thumbprint)", follows: false)
        #expect(twice.answer["error"] == "invalid_request")
    }

    @Test("SEC-OAUTH-9: a pushed request binds the code by its proof, by dpop_jkt, or by both if they agree")
    func pushed() async throws {
        let server = try server()
        let (key, thief) = (TestKey(server), TestKey(server))
        _ = try await tokens(server, nil)
        let path = "/contoso/oauth2/v2.0/par"
        func push(_ changes: [String: String?], _ headers: [String: String]) async throws -> WireAnswer {
            let query = try #require(party.path(changes).split(separator: "?", maxSplits: 1).last)
            let client = server.client(id: party.client)
            return try await client.send(
                client.request(
                    "POST", path, headers: ["content-type": WireClient.form].merging(headers) { $1 },
                    body: Data(query.utf8)))
        }
        let jkt: [String: String?] = ["dpop_jkt": try key.thumbprint]
        for (changes, headers) in [
            ([:], try key.proof("POST", path)), (jkt, [:]), (jkt, try key.proof("POST", path)),
        ] {
            let answer = try await push(changes, headers)
            let reference = try #require(answer.text("request_uri"), "\(answer)")
            let browser = TestBrowser(server)
            try await browser.get(
                "/contoso/oauth2/v2.0/authorize?client_id=\(party.client)&request_uri=\(reference)")
            try await browser.submit(["username": Self.email])
            try await browser.submit(["password": TestBrowser.password])
            let code = try #require(browser.answer["code"])
            #expect(try await party.redeem(code, at: server).status == 400)
            #expect(try await party.redeem(code, at: server, headers: thief.proof()).status == 400)
            #expect(try await party.redeem(code, at: server, headers: key.proof()).status == 200)
        }
        let waiting = try await server.count("SELECT COUNT(*) FROM pushed_requests")
        let mixed = try await push(["dpop_jkt": try thief.thumbprint], try key.proof("POST", path))
        #expect(fault(mixed) == "400 invalid_dpop_proof [90023]")
        let used = try key.proof("POST", path)
        #expect(try await push([:], used).status == 201)
        #expect(try await fault(push([:], used)) == "400 invalid_dpop_proof [90023]")
        #expect(try await fault(push([:], key.proof())) == "400 invalid_dpop_proof [90023]")
        #expect(try await fault(push(["dpop_jkt": "x"], [:])) == "400 invalid_request [90100]")
        #expect(try await server.count("SELECT COUNT(*) FROM pushed_requests") == waiting + 1)
    }

    @Test("SEC-OAUTH-9: of a confidential application the access token alone is bound, and its key may change")
    func confidential() async throws {
        let server = try server()
        let browser = TestBrowser(server)
        try await browser.signUp(Self.email, at: server, for: shop)
        let (key, other) = (TestKey(server), TestKey(server))
        let code = try #require(browser.answer["code"])
        let first = try await shop.redeem(code, at: server, Self.secret, headers: key.proof())
        #expect(first["token_type"] == "DPoP", "\(first)")
        func refresh(_ tokens: WireAnswer, _ headers: [String: String]) async throws -> WireAnswer {
            try await server.client(id: shop.client).post(
                .token,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", try #require(tokens.text("refresh_token"))),
                    ("client_secret", TestDirectory.shopSecret),
                ], headers: headers)
        }
        let second = try await refresh(first, try other.proof())
        #expect(second["token_type"] == "DPoP", "\(second)")
        #expect(
            try claims(of: second.text("access_token"))["cnf"] == .object(["jkt": .string(try other.thumbprint)]))
        let third = try await refresh(second, [:])
        #expect(third["token_type"] == "Bearer", "\(third)")
    }

    @Test("SEC-OAUTH-9: a device without a browser binds its tokens by the proof of the poll")
    func device() async throws {
        let server = try server()
        try await TestBrowser(server).signUp(Self.email, at: server, for: party)
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(Self.email)
        try await browser.submit([:])
        let key = TestKey(server)
        let path = "/contoso/oauth2/v2.0/token"
        func poll(_ headers: [String: String]) async throws -> WireAnswer {
            var wire = server.client(id: device.client)
            wire.tenant = "contoso"
            return try await wire.post(
                .token, [("grant_type", TestDevice.grant), ("device_code", try device.deviceCode)], headers: headers)
        }
        #expect(try await fault(poll(["dpop": "x"])) == "400 invalid_dpop_proof [90023]")
        let answer = try await poll(try key.proof("POST", path))
        #expect(answer["token_type"] == "DPoP", "\(answer)")
        let client = server.client(id: device.client)
        let token = try #require(answer.text("refresh_token"))
        #expect(try await client.refresh(token).status == 400)
        #expect(try await client.refresh(token, headers: TestKey(server).proof()).status == 400)
        #expect(try await client.refresh(token, headers: key.proof()).status == 200)
    }

    @Test("SEC-OAUTH-9: introspection tells a resource server the key of a token, and discovery the algorithms")
    func told() async throws {
        let server = try server()
        let key = TestKey(server)
        let held = try await tokens(server, key)
        let client = WireClient(
            transport: InProcessTransport(routes: server.routes(resourceServers: .development)), clientID: nil)
        let basic = Data("\(party.client):development".utf8).base64EncodedString()
        var form = FormFields()
        form.append("token", held.text("access_token"))
        let told = try await client.send(
            client.request(
                "POST",
                "/contoso/oauth2/v2.0/token/introspect".replacing(
                    "oauth2/v2.0/token/introspect", with: MetadataEndpoint.tokenIntrospection.rawValue),
                headers: ["content-type": WireClient.form, "authorization": "Basic \(basic)"],
                body: Data(form.encoded.utf8)))
        #expect(told["active"] == true && told["token_type"] == "DPoP", "\(told)")
        #expect(told["cnf"] == .object(["jkt": .string(try key.thumbprint)]))
        let discovery = try await client.get("/contoso/v2.0/.well-known/openid-configuration")
        #expect(discovery["dpop_signing_alg_values_supported"] == ["ES256", "RS256", "EdDSA"])
    }

    @Test("SEC-OAUTH-9: a stranger who makes keys and proofs without number writes no row")
    func noRowsForStrangers() async throws {
        let server = try server()
        let held = try await tokens(server, nil)
        let before = try await server.count("SELECT COUNT(*) FROM used_assertions")
        for _ in 0..<20 {
            let key = TestKey(server)
            #expect(try await party.redeem("AAAA", at: server, headers: key.proof()).status == 400)
            let made = Base64URL.encode(Data((0..<64).map { _ in UInt8.random(in: 0...255) }))
            #expect(try await server.client(.emailPassword).refresh(made, headers: key.proof()).status == 400)
            #expect(
                try await server.client(.emailPassword).post(
                    .token,
                    [("grant_type", "oob"), ("continuation_token", made), ("oob", "123456"), ("scope", "openid")],
                    headers: key.proof()
                ).status == 400)
            // With the unbound token of a user.
            let token = try #require(held.text("access_token"))
            #expect(try await userInfo(server, try key.proof("GET", Self.userInfo, token: token)).status == 401)
        }
        #expect(try await server.count("SELECT COUNT(*) FROM used_assertions") == before)
    }

    @Test("SEC-OAUTH-9: two proofs are none, and addresses are compared as RFC 9449 section 4.3 says")
    func presentation() async throws {
        let server = try server()
        let key = TestKey(server)
        let proof = try #require(try key.proof()["dpop"])
        func judge(_ values: [String], _ path: String = TestKey.tokenPath) throws -> String {
            try server.engine.judge(
                PresentedProof(values: values, method: "POST", path: path), now: server.clock.now
            ).key
        }
        #expect(try judge([proof]) == key.thumbprint)
        #expect(throws: ProofFault.malformed) { try judge([proof, proof]) }
        #expect(throws: ProofFault.malformed) { try judge([]) }
        // The other name of the tenant is another address.
        #expect(throws: ProofFault.wrongTarget) { try judge([proof], "/contoso/oauth2/v2.0/token") }
        for (address, normal) in [
            ("https://a.example", "https://a.example/"), ("https://a.example?b", "https://a.example/"),
            ("HTTPS://A.example:443/B%2f/../c?d#e", "https://a.example/B%2f/../c"),
            ("http://a.example:80/", "http://a.example/"), ("http://a.example:443/", "http://a.example:443/"),
            ("https://a.example:80/", "https://a.example:80/"), ("https://[::1]:443/a", "https://[::1]/a"),
        ] {
            #expect(Engine.normalized(address) == normal, "\(address)")
        }
        for address in ["", "/a", "a.example/a", "https:/a", "https:a", "https://", "https:///a", "?https://a.example"]
        {
            #expect(Engine.normalized(address) == nil, "\(address)")
        }
    }
}
