import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Authorization requests that applications push (RFC 9126, docs/protocol.md §21.9).
@Suite("Pushed authorization requests")
struct PushedRequestTests {
    private let party = TestRelyingParty(.emailPassword)
    private let shop = TestRelyingParty(client: TestDirectory.shop, redirect: "https://shop.example/back")
    private let email = "dana@example.com"
    private static let secret = ["client_secret": TestDirectory.shopSecret]

    private func server(
        _ change: (inout TenantDirectory.Entry) throws -> Void = { _ in }
    ) throws -> IdentityTestServer {
        var entries = try TestDirectory.directory().entries
        try change(&entries[0])
        let directory = TenantDirectory(entries)
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
    }

    /// Pushes the request of a client.
    private func push(
        _ party: TestRelyingParty, at server: IdentityTestServer, _ changes: [String: String?] = [:],
        tenant: String = "contoso", headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        let query = try #require(party.path(changes).split(separator: "?", maxSplits: 1).last)
        let client = server.client(id: party.client)
        return try await client.send(
            client.request(
                "POST", "/\(tenant)/oauth2/v2.0/par",
                headers: ["content-type": WireClient.form].merging(headers) { $1 },
                body: Data(query.utf8)))
    }

    private func reference(
        _ party: TestRelyingParty, at server: IdentityTestServer, _ changes: [String: String?] = [:]
    ) async throws -> String {
        let answer = try await push(party, at: server, changes)
        return try #require(answer.text("request_uri"), "\(answer)")
    }

    /// The address that the browser opens.
    private func path(
        _ reference: String, _ client: String, _ more: [(String, String)] = [], tenant: String = "contoso"
    ) -> String {
        var form = FormFields()
        for (name, value) in [("client_id", client), ("request_uri", reference)] + more { form.append(name, value) }
        return "/\(tenant)/oauth2/v2.0/authorize?\(form.encoded)"
    }

    private func fault(_ answer: WireAnswer) -> String {
        "\(answer.status) \(answer.text("error") ?? "none") \(answer["error_codes"]?.array.compactMap(\.integer) ?? [])"
    }

    @Test("OIDC-27: a request that was pushed signs a user up; reload and back work, and the address works once")
    func theWholeWay() async throws {
        let server = try server()
        let pushed = try await push(party, at: server, ["login_hint": email])
        #expect(pushed.status == 201 && pushed["expires_in"] == 60, "\(pushed)")
        #expect(
            pushed.headers["cache-control"] == "no-store" && Set(pushed.members.keys) == ["request_uri", "expires_in"])
        let reference = try #require(pushed.text("request_uri"))
        let random = try #require(reference.split(separator: ":").last)
        #expect(reference == "urn:ietf:params:oauth:request_uri:\(random)")
        #expect(Base64URL.decode(String(random))?.count == 32)
        let browser = TestBrowser(server)
        try await browser.get(path(reference, party.client), follows: false)
        let page = try #require(browser.location)
        #expect(browser.status == 303 && page.contains("/web/"))
        // Longer than the life of the reference.
        server.clock.advance(by: 600)
        for _ in 0..<2 {
            try await browser.get(page)
            #expect(browser.title == "Sign in" && browser.html.contains(email))
        }
        try await browser.submit(["username": email], action: "switch")
        try await browser.get(page)
        #expect(browser.title == "Create your account")
        try await browser.submit(["username": email])
        try await browser.submit(["code": try await server.mailbox.code(to: email)])
        try await browser.submit(["new-password": TestBrowser.password])
        #expect(browser.answer["state"] == "st|{\"a\":1}")
        let tokens = try await party.redeem(try #require(browser.answer["code"]), at: server)
        #expect(tokens.status == 200)
        try await browser.get(path(reference, party.client))
        #expect(browser.status == 400 && browser.title == "This took too long" && browser.location == nil)
    }

    @Test("OIDC-27: with a session a pushed request gets its code, once")
    func once() async throws {
        let server = try server()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        let reference = try await reference(shop, at: server, Self.secret)
        try await browser.get(path(reference, shop.client))
        let code = try #require(browser.answer["code"])
        try await browser.get(path(reference, shop.client))
        #expect(browser.status == 400 && browser.location == nil && browser.headers["refresh"] == nil)
        #expect(try await shop.redeem(code, at: server, Self.secret.mapValues { $0 }).status == 200)
        #expect(try await server.count("SELECT COUNT(*) FROM pushed_requests") == 0)
    }

    @Test(
        "OIDC-27: a reference of another application or tenant, a guess, and an old one lead nowhere, and take nothing")
    func foreignReferences() async throws {
        let server = try server()
        let reference = try await reference(party, at: server)
        let browser = TestBrowser(server)
        for address in [
            path(reference, shop.client), path(reference, party.client, tenant: "fabrikam"),
            path(reference + "A", party.client), path(String(reference.dropLast()), party.client),
            path("urn:ietf:params:oauth:request_uri:" + String(repeating: "A", count: 43), party.client),
            "/contoso/oauth2/v2.0/authorize?request_uri=\(reference)",
            path(reference, "x"),
        ] {
            // Also with an address of the client: it is ignored.
            for more in ["", "&redirect_uri=http%3A%2F%2Flocalhost%3A9999&response_type=code"] {
                try await browser.get(address + more, follows: false)
                #expect(browser.status == 400 && browser.location == nil, "\(address)")
            }
        }
        try await browser.get(path(reference, party.client) + "&request_uri=\(reference)", follows: false)
        #expect(browser.status == 400)
        try await browser.get(path(reference, party.client))
        #expect(browser.title == "Sign in", "after all of these")
        let old = try await self.reference(party, at: server)
        server.clock.advance(by: 60)
        try await browser.get(path(old, party.client), follows: false)
        #expect(browser.status == 400 && browser.location == nil)
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await server.count("SELECT COUNT(*) FROM pushed_requests") == 0)
    }

    @Test("OIDC-27: parameters beside client_id and request_uri change nothing")
    func otherParameters() async throws {
        let server = try server()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        let reference = try await reference(shop, at: server, Self.secret)
        let evil = [
            ("redirect_uri", "https://evil.example/"), ("state", "evil"), ("scope", "x"), ("response_mode", "fragment"),
            ("prompt", "login"), ("code_challenge", "x"), ("request", "x"), ("nonce", "evil"),
        ]
        try await browser.get(path(reference, shop.client, evil))
        #expect(browser.destination?.hasPrefix("https://shop.example/back?code=") == true)
        #expect(browser.answer["state"] == "st|{\"a\":1}")
        // A POST of the browser is sent on, as without a reference.
        let second = try await self.reference(shop, at: server, Self.secret)
        try await browser.post(
            "/contoso/oauth2/v2.0/authorize", [("client_id", shop.client), ("request_uri", second)])
        #expect(browser.answer["code"] != nil)
    }

    @Test("OIDC-27: a request is checked when it is pushed, with the words of the authorization endpoint, as JSON")
    func faults() async throws {
        let server = try server()
        func told(_ changes: [String: String?]) async throws -> String {
            try await fault(push(party, at: server, changes))
        }
        #expect(try await told(["redirect_uri": "https://evil.example/"]) == "400 invalid_request [50011]")
        #expect(try await told(["redirect_uri": nil]) == "400 invalid_request [900144]")
        #expect(try await told(["response_type": nil]) == "400 invalid_request [900144]")
        #expect(try await told(["response_type": "token"]) == "400 unsupported_response_type [700054]")
        #expect(
            try await told(["code_challenge": nil, "code_challenge_method": nil]) == "400 invalid_request [9002325]")
        #expect(try await told(["code_challenge_method": "plain"]) == "400 invalid_request [50149]")
        #expect(try await told(["scope": "api://a/x api://b/x"]) == "400 invalid_scope [70011]")
        #expect(try await told(["prompt": "none login"]) == "400 invalid_request [90100]")
        #expect(try await told(["request": "x"]) == "400 request_not_supported [90023]")
        let inside = "urn:ietf:params:oauth:request_uri:x"
        #expect(try await told(["request_uri": inside]) == "400 invalid_request [90023]")
        #expect(try await told(["request_uri": ""]) == "400 invalid_request [90023]")
        #expect(try await told(["client_id": "x"]) == "400 invalid_request [90100]")
        #expect(try await told(["client_id": UUID().text]) == "400 unauthorized_client [700016]")
        #expect(try await told(["client_id": TestDirectory.disabled]).hasPrefix("400 invalid_client"))
        #expect(try await told(["state": String(repeating: "x", count: 4_097)]) == "400 invalid_request [90100]")
        #expect(
            try await told([
                "state": String(repeating: "x", count: 4_096), "claims": nil,
                "extra": String(repeating: "y", count: 4_096),
            ])
            .hasPrefix("413 "))
        let elsewhere = try await push(party, at: server, tenant: "nowhere")
        #expect(elsewhere.status == 400 || elsewhere.status == 404)
        #expect(try await server.count("SELECT COUNT(*) FROM pushed_requests") == 0)
    }

    @Test(
        "OIDC-27: a confidential application proves itself, and what it proves itself with is not kept; a public one sends nothing"
    )
    func clientAuthentication() async throws {
        let server = try server()
        #expect(try await fault(push(shop, at: server)) == "401 invalid_client [7000216]")
        #expect(try await fault(push(shop, at: server, ["client_secret": "wrong"])) == "401 invalid_client [7000215]")
        #expect(try await fault(push(party, at: server, ["client_secret": "x"])) == "401 invalid_client [700025]")
        #expect(try await push(shop, at: server, Self.secret).status == 201)
        let basic = Data("\(shop.client):\(TestDirectory.shopSecret)".utf8).base64EncodedString()
        let headers = ["authorization": "Basic \(basic)"]
        let byHeader = try await push(shop, at: server, ["client_id": nil], headers: headers)
        #expect(byHeader.status == 201, "\(byHeader)")
        let browser = TestBrowser(server)
        try await browser.get(path(try #require(byHeader.text("request_uri")), shop.client))
        #expect(browser.title == "Sign in")
        #expect(try await fault(push(party, at: server, headers: headers)) == "400 invalid_request [90100]")
        #expect(try await fault(push(party, at: server, headers: ["origin": "https://evil.example"])).hasPrefix("400 "))
    }

    @Test(
        "OIDC-27, SEC-RATE-4: of a public application a source pushes 30 requests a minute; one with a secret is not slowed"
    )
    func publicPushes() async throws {
        let server = try server()
        let transport = InProcessTransport(
            routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress("192.0.2.7"))
        func push(_ party: TestRelyingParty, _ changes: [String: String?] = [:]) async throws -> Int {
            let query = try #require(party.path(changes).split(separator: "?", maxSplits: 1).last)
            let url = try #require(URL(string: "\(TestBrowser.origin)/contoso/oauth2/v2.0/par"))
            let answer = try await transport.send(
                TransportRequest(
                    method: "POST", url: url, headers: ["content-type": WireClient.form], body: Data(query.utf8)))
            return answer.status
        }
        var statuses: [Int] = []
        for _ in 0..<31 {
            statuses.append(try await push(party))
            server.clock.advance(by: 0.1)
        }
        #expect(statuses == Array(repeating: 201, count: 30) + [429])
        // A request that is wrong stores nothing, and is told as before.
        #expect(try await push(party, ["response_type": "token"]) == 400)
        for _ in 0..<35 {
            server.clock.advance(by: 0.1)
            #expect(try await push(shop, Self.secret) == 201)
        }
        #expect(try await server.count("SELECT COUNT(*) FROM pushed_requests") == 65)
    }

    @Test("OIDC-27: an application that must push its requests gets an error for any other")
    func required() async throws {
        let server = try server { entry in
            let index = try #require(entry.applications.firstIndex { $0.id.description == TestDirectory.shop })
            entry.applications[index].web.requiresPushedRequests = true
        }
        let browser = TestBrowser(server)
        try await browser.get(shop.path(), follows: false)
        #expect(browser.answer["error"] == "invalid_request" && browser.answer["state"] == "st|{\"a\":1}")
        try await browser.get(path(try await reference(shop, at: server, Self.secret), shop.client))
        #expect(browser.title == "Sign in")
    }

    @Test("OIDC-27: what was pushed is judged again by the application's settings of the moment when it is used")
    func changedMeanwhile() async throws {
        let server = try server()
        let reference = try await reference(party, at: server, ["prompt": "none"])
        let browser = TestBrowser(server)
        try await browser.get(path(reference, party.client), follows: false)
        #expect(browser.answer["error"] == "login_required")
        try await browser.get(path(reference, party.client), follows: false)
        #expect(browser.status == 400, "an error is an answer, too")
    }
}
