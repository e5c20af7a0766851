import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Programs on a server with a secret, and pages that call from their scripts.
@Suite("Kinds of applications")
struct ClientKindsTests {
    private let email = "dana@example.com"
    private let shop = TestRelyingParty(client: TestDirectory.shop, redirect: "https://shop.example/back")
    private let page = TestRelyingParty(client: TestDirectory.page, redirect: "https://app.example/done")

    private func withServer(_ body: (IdentityTestServer) async throws -> Void) async throws {
        let directory = try TestDirectory.directory()
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        try await body(server)
    }

    private func code(
        _ browser: TestBrowser, _ server: IdentityTestServer, _ party: TestRelyingParty,
        _ changes: [String: String?] = [:]
    ) async throws -> String {
        try await browser.signUp(email, at: server, for: party, changes)
        return try #require(browser.answer["code"])
    }

    @Test(
        "OIDC-6, OIDC-10: a program with a secret proves itself by form or header, and needs PKCE only when it began with it"
    )
    func secrets() async throws {
        try await withServer { server in
            let browser = TestBrowser(server)
            let bare: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
            let code = try await code(browser, server, shop, bare)
            let basic = "Basic " + Data("\(shop.client):\(TestDirectory.shopSecret)".utf8).base64EncodedString()
            func number(_ changes: [String: String?], _ headers: [String: String] = [:]) async throws -> Int? {
                let answer = try await shop.redeem(
                    code, at: server, ["code_verifier": nil].merging(changes) { $1 }, headers: headers)
                #expect(answer.status == 401 || answer.status == 400)
                return answer["error_codes"]?.array.first?.integer
            }
            #expect(try await number([:]) == 7_000_216)
            #expect(try await number(["client_secret": "wrong"]) == 7_000_215)
            #expect(try await number(["client_secret": "old-secret"]) == 7_000_222)
            #expect(try await number(["client_secret": TestDirectory.shopSecret], ["authorization": basic]) == 90_023)
            #expect(
                try await number(["client_secret": TestDirectory.shopSecret, "code_verifier": shop.verifier]) == 501_481
            )
            let answer = try await shop.redeem(
                code, at: server, ["code_verifier": nil, "client_id": nil], headers: ["authorization": basic])
            #expect(answer.status == 200)
            // A refresh needs the proof, too.
            let token = try #require(answer.text("refresh_token"))
            var client = server.client(id: shop.client)
            #expect(try await client.refresh(token).status == 401)
            client.clientID = nil
            let refreshed = try await client.refresh(token, headers: ["authorization": basic])
            #expect(refreshed.status == 200)
        }
    }

    @Test(
        "OIDC-1, OIDC-8: a signed-in user's code for a program on a server comes without a page, and a query in its address is kept"
    )
    func silentCodes() async throws {
        try await withServer { server in
            let browser = TestBrowser(server)
            _ = try await code(browser, server, shop)
            var other = shop
            other.redirect = "https://shop.example/back?x=1"
            let rows = try await server.snapshot()
            for prompt in [nil, "none"] as [String?] {
                try await browser.get(other.path(["prompt": prompt]), follows: false)
                #expect(browser.status == 303)
                #expect(browser.location?.hasPrefix("https://shop.example/back?x=1&code=") == true)
                #expect(browser.headers["referrer-policy"] == "no-referrer")
            }
            #expect(try await server.snapshot() == rows)
            let answer = try await other.redeem(
                try #require(browser.answer["code"]), at: server, ["client_secret": TestDirectory.shopSecret])
            #expect(answer.status == 200)
        }
    }

    @Test(
        "OIDC-22: a program on a server has addresses of its own for sign-outs; without a hint the user is asked, and led back"
    )
    func signOut() async throws {
        try await withServer { server in
            let browser = TestBrowser(server)
            _ = try await code(browser, server, shop)
            let query = "post_logout_redirect_uri=https%3A%2F%2Fshop.example%2Fbye"
            try await browser.get("/contoso/oauth2/v2.0/logout?\(query)")
            #expect(browser.title == "Sign out?")
            let own = "/aaaabbbb-0000-cccc-1111-dddd2222eeee/account"
            #expect(browser.html.contains("href=\"\(own)\">Cancel</a>"))
            try await browser.submit([:])
            // No client in the request: the way back is a link.
            #expect(browser.title == "You are signed out" && browser.headers["refresh"] == nil)
            #expect(browser.html.contains("href=\"https://shop.example/bye\""))
            try await browser.signIn(email, for: shop)
            try await browser.get("/contoso/oauth2/v2.0/logout?client_id=\(shop.client)&\(query)")
            try await browser.submit([:])
            #expect(browser.headers["refresh"] == "0; url=https://shop.example/bye")
        }
    }

    @Test("OIDC-29: a page redeems its code with its origin, and no other program can")
    func pages() async throws {
        try await withServer { server in
            let browser = TestBrowser(server)
            let code = try await code(browser, server, page)
            #expect(try await page.redeem(code, at: server)["error_codes"] == [9_002_327])
            let foreign = try await page.redeem(code, at: server, headers: ["origin": "https://evil.example"])
            #expect(foreign["error_codes"] == [9_002_326])
            #expect(foreign.headers["access-control-allow-origin"] == nil)
            let answer = try await page.redeem(code, at: server, headers: ["origin": "https://app.example"])
            #expect(answer.status == 200)
            #expect(answer.headers["access-control-allow-origin"] == "https://app.example")
            #expect(answer.headers["access-control-allow-credentials"] == nil)
            #expect(answer.headers["vary"] == "Origin")
            // Its refresh tokens live a day in all, also when they are used.
            let token = try #require(answer.text("refresh_token"))
            server.clock.advance(by: 23 * 3_600)
            let origin = ["origin": "https://app.example"]
            let refreshed = try await server.client(id: page.client).refresh(token, headers: origin)
            #expect(refreshed.status == 200)
            server.clock.advance(by: 2 * 3_600)
            let late = try await server.client(id: page.client).refresh(
                try #require(refreshed.text("refresh_token")), headers: origin)
            #expect(late["error_codes"] == [700_082])
        }
    }

    @Test(
        "OIDC-29: a preflight is answered for exact origins of the tenant's applications, at the endpoints for scripts alone",
        arguments: [
            ("https://app.example", true), ("https://native.example", true), ("https://APP.example", false),
            ("https://app.example:443", false), ("https://app.example.evil.example", false),
            ("http://app.example", false),
            ("https://app.example/", false), ("null", false), ("https://shop.example", false), ("", false),
            ("https://evil.example", false), ("https://app.example, https://evil.example", false),
        ])
    func preflights(origin: String, isAllowed: Bool) async throws {
        try await withServer { server in
            let client = server.client()
            func preflight(_ path: String) async throws -> WireAnswer {
                try await client.send(
                    client.request(
                        "OPTIONS", path, headers: ["origin": origin, "access-control-request-method": "POST"]))
            }
            for path in [V1Endpoint.token, .signUpStart, .signInInitiate].map({ "/contoso/\($0.rawValue)" }) {
                let answer = try await preflight(path)
                #expect(answer.status == (isAllowed ? 204 : 400), "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == (isAllowed ? origin : nil))
                let fields = answer.headers["access-control-allow-headers"] ?? ""
                #expect(fields.contains("authorization, dpop,") == isAllowed)
            }
            for path in [
                "/contoso/oauth2/v2.0/authorize", "/contoso/oauth2/v2.0/logout", "/contoso/oauth2/v2.0/devicecode",
                "/contoso/account", "/graph/beta/nativeAuth.undoEmailChange",
            ] {
                let answer = try await preflight(path)
                #expect(answer.status == 405 && answer.headers["access-control-allow-origin"] == nil, "\(path)")
            }
        }
    }

    @Test("OIDC-29: an origin that is right for another application of the tenant has no effect at this one")
    func otherApplications() async throws {
        try await withServer { server in
            let before = try await server.snapshot()
            let wrong = try await server.client(.emailPassword).post(
                .signUpStart, [("username", email), ("challenge_type", "oob password redirect")],
                headers: ["origin": "https://native.example"])
            #expect(wrong.status == 400 && wrong.headers["access-control-allow-origin"] == nil)
            #expect(try await server.snapshot() == before)
            let right = try await server.client(id: page.client).post(
                .signUpStart, [("username", email), ("challenge_type", "oob password redirect")],
                headers: ["origin": "https://native.example"])
            #expect(right.status == 200)
            #expect(right.headers["access-control-allow-origin"] == "https://native.example")
        }
    }

    // MARK: - The account API, whose paths name no tenant

    private enum Part { case users, operators, both }

    /// Contoso and its page, and Fabrikam with an application of the same client id that has pages at other origins.
    private func withTwoTenants(
        as part: Part = .users,
        _ body: (IdentityTestServer, any HTTPTransport) async throws -> Void
    ) async throws {
        var entries = try TestDirectory.directory().entries
        var settings = WebSettings()
        settings.allowedOrigins = ["https://native.fabrikam.example"]
        entries[1].applications.append(
            Client(
                id: try #require(ClientID(TestDirectory.page)), displayName: "Page",
                userFlow: UserFlow(method: .emailPassword), isNativeAuthEnabled: false, scopes: ["*"],
                redirects: RedirectAddresses([.spa: ["https://fabrikam.example:8443/done"]]), web: settings))
        let directory = TenantDirectory(entries)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        let listener: Listener =
            switch part {
            case .users: .users
            case .operators: .operators(server.directoryStore, baseURL: "https://identity.test")
            case .both: .all(server.directoryStore)
            }
        let routes = IdentityRoutes(
            engine: server.engine, clock: ManualWallClock(manual: server.clock),
            readiness: Readiness(flows: server.engine.ports.flows), listener: listener)
        try await body(server, InProcessTransport(routes: routes))
    }

    private func preflight(
        _ path: String, of origin: String, method: String = "PATCH", by transport: any HTTPTransport
    ) async throws -> WireAnswer {
        let client = WireClient(transport: transport, clientID: nil)
        return try await client.send(
            client.request(
                "OPTIONS", path,
                headers: [
                    "origin": origin, "access-control-request-method": method,
                    "access-control-request-headers": "authorization,dpop,content-type,if-match",
                ]))
    }

    @Test(
        "OIDC-29: a preflight at the account API is answered for exact origins of any tenant's applications",
        arguments: [
            ("https://app.example", true), ("https://native.example", true), ("https://fabrikam.example:8443", true),
            // An application without native authentication has no such pages.
            ("https://native.fabrikam.example", false),
            ("https://fabrikam.example", false), ("https://fabrikam.example:443", false),
            ("https://APP.example", false), ("HTTPS://app.example", false), ("https://app.example:443", false),
            ("https://app.example.evil.example", false), ("https://evil-app.example", false),
            ("https://sub.app.example", false), ("http://app.example", false), ("https://app.example/", false),
            ("https://app.example/done", false), ("https://user@app.example", false), ("https://app.example#", false),
            ("https://app.example, https://app.example", false), ("app.example", false), ("//app.example", false),
            // No address in the list of programs on a server, or of apps, is a page.
            ("https://shop.example", false), ("http://localhost", false), ("https://identity.test", false),
            ("null", false), ("*", false), ("", false), ("https://evil.example", false),
            ("https://app.example\u{300}", false),
        ])
    func preflightsOfTheAccount(origin: String, isAllowed: Bool) async throws {
        try await withTwoTenants { server, transport in
            let before = try await server.snapshot()
            let id = "/aaaabbbb-0000-cccc-1111-dddd2222eeee"
            for (path, methods) in [
                ("/graph/v1.0/me", ["GET", "PATCH", "DELETE"]), ("/graph/v1.0/me/changePassword", ["POST"]),
                ("/graph/beta/me/nativeAuthSessions" + id, ["DELETE"]),
            ] {
                let answer = try await preflight(path, of: origin, by: transport)
                #expect(answer.status == (isAllowed ? 204 : 400), "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == (isAllowed ? origin : nil))
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                guard isAllowed else { continue }
                let allowed = answer.headers["access-control-allow-methods"]?.split(separator: ", ").map(String.init)
                #expect(Set(allowed ?? []) == Set(methods), "\(path)")
                let fields = answer.headers["access-control-allow-headers"] ?? ""
                #expect(fields.hasPrefix("content-type, authorization, dpop, if-match, "))
                #expect(answer.headers["vary"] == "Origin, Access-Control-Request-Headers")
            }
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("OIDC-29: no path of operators, and no path without an application, answers a preflight")
    func noPreflightForOperators() async throws {
        let paths = [
            "/graph/v1.0/users", "/graph/v1.0/users/aaaabbbb-0000-cccc-1111-dddd2222eeee", "/graph/v1.0/$batch",
            "/graph/v1.0/applications", "/graph/v1.0/me/memberOf", "/graph/beta/nativeAuth.undoEmailChange",
            "/graph/v1.0", "/console",
        ]
        try await withTwoTenants(as: .both) { _, transport in
            for path in paths {
                let answer = try await preflight(path, of: "https://app.example", method: "GET", by: transport)
                #expect([404, 405].contains(answer.status), "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
            let own = try await preflight("/graph/v1.0/me", of: "https://app.example", by: transport)
            #expect(own.status == 204)
        }
        try await withTwoTenants(as: .operators) { _, transport in
            for path in paths + ["/graph/v1.0/me"] {
                let answer = try await preflight(path, of: "https://app.example", method: "GET", by: transport)
                #expect([404, 405].contains(answer.status), "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test("OIDC-29: a page calls the account API with a token of its own application, and reads what is wrong")
    func accountCalls() async throws {
        try await withTwoTenants { server, _ in
            let browser = TestBrowser(server)
            let changes: [String: String?] = ["scope": "openid offline_access User.ReadWrite"]
            let code = try await code(browser, server, page, changes)
            let origin = ["origin": "https://app.example"]
            let tokens = try await page.redeem(code, at: server, headers: origin)
            var caller = try AccountCaller(tokens, server)
            for origin in ["https://app.example", "https://native.example"] {
                let answer = try await caller.send("GET", AccountCaller.me, headers: ["origin": origin])
                #expect(answer.status == 200 && answer.text("mail") == email)
                #expect(answer.headers["access-control-allow-origin"] == origin)
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                #expect(answer.headers["vary"] == "Origin")
                let exposed = answer.headers["access-control-expose-headers"] ?? ""
                #expect(["www-authenticate", "retry-after", "etag"].allSatisfy { exposed.contains($0) })
            }
            let change = try await caller.send("PATCH", AccountCaller.me, #"{"city":"Ribe"}"#, headers: origin)
            #expect(change.status == 204 && change.headers["access-control-allow-origin"] == "https://app.example")

            let before = try await server.snapshot()
            for origin in [
                "https://fabrikam.example:8443", "https://shop.example", "https://evil.example", "null", "",
                "https://APP.example", "https://app.example:443", "https://identity.test",
            ] {
                let answer = try await caller.send(
                    "PATCH", AccountCaller.me, #"{"city":"Esbjerg"}"#, headers: ["origin": origin])
                #expect(answer.status == 400, "\(origin)")
                #expect(answer.headers["access-control-allow-origin"] == nil)
                #expect(answer.headers["access-control-expose-headers"] == nil)
            }
            #expect(try await server.snapshot() == before)
            // Programs send no origin.
            #expect(try await caller.send("GET", AccountCaller.me).status == 200)

            // What is wrong with the token is told to pages of the application that it names.
            server.clock.advance(by: 7_200)
            let late = try await caller.send("GET", AccountCaller.me, headers: origin)
            #expect(late.status == 401 && late.headers["access-control-allow-origin"] == "https://app.example")
            #expect(late.headers["www-authenticate"] != nil)
            let foreign = try await caller.send(
                "GET", AccountCaller.me, headers: ["origin": "https://fabrikam.example:8443"])
            #expect(foreign.status == 400 && foreign.headers["access-control-allow-origin"] == nil)
            caller.token = "none"
            let none = try await caller.send("GET", AccountCaller.me, headers: origin)
            #expect(none.status == 400 && none.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test("OIDC-29: a token that lies about its application gives a page of that application a refusal, and no more")
    func forgedApplication() async throws {
        try await withTwoTenants { server, _ in
            try await server.signUpWithPassword(email, alias: nil)
            let caller = try await AccountCaller.withPassword(server, email)
            let parts = caller.token.split(separator: ".").map(String.init)
            let payload = try #require(Base64URL.decode(parts[1]))
            let own = IdentityTestServer.Application.emailPassword.rawValue
            let text = String(decoding: payload, as: UTF8.self)
            #expect(text.contains(own))
            let forged = Base64URL.encode(Data(text.replacing(own, with: TestDirectory.page).utf8))
            var liar = caller
            liar.token = [parts[0], forged, parts[2]].joined(separator: ".")
            let answer = try await liar.send(
                "GET", AccountCaller.me, headers: ["origin": "https://app.example"])
            #expect(answer.status == 401 && answer.headers["access-control-allow-origin"] == "https://app.example")
            #expect(answer.text("mail") == nil)
            // The application of the right token has no pages.
            let right = try await caller.send("GET", AccountCaller.me, headers: ["origin": "https://app.example"])
            #expect(right.status == 400 && right.headers["access-control-allow-origin"] == nil)
        }
    }
}
