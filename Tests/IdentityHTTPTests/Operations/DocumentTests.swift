import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NIOCore
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

@Suite("Documents, health and pages") struct DocumentTests {
    private static let tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee"

    @Test(
        "docs/protocol.md §1.3: the discovery document has what clients demand, whatever the tenant is called",
        arguments: [
            "contoso", "CONTOSO.onmicrosoft.com", tenant,
        ])
    func theDiscoveryDocument(_ name: String) async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().get("/\(name)/v2.0/.well-known/openid-configuration")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["cache-control"] == "public, max-age=3600")
            let base = "https://identity.test/\(Self.tenant)"
            #expect(answer["issuer"] == .string("\(base)/v2.0"))
            #expect(answer["authorization_endpoint"] == .string("\(base)/oauth2/v2.0/authorize"))
            #expect(answer["token_endpoint"] == .string("\(base)/oauth2/v2.0/token"))
            #expect(answer["jwks_uri"] == .string("\(base)/discovery/v2.0/keys"))
            #expect(answer["error"] == nil)
            for member in [
                "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported",
            ] {
                #expect(answer[member]?.array.isEmpty == false, "OpenID Connect Discovery 1.0 §3 demands \(member)")
            }
        }
    }

    @Test("OIDC-19: discovery names no endpoint, grant or response that is not there")
    func discoveryNamesWhatIsThere() async throws {
        try await withIdentityServer { server in
            let answers = WireClient(
                transport: InProcessTransport(routes: server.routes(resourceServers: .development)))
            for (client, introspects) in [(server.client(), false), (answers, true)] {
                let answer = try await client.get("/contoso/v2.0/.well-known/openid-configuration")
                #expect(answer["response_types_supported"] == ["code"])
                #expect(answer["response_modes_supported"] == ["query", "fragment", "form_post"])
                #expect(answer["code_challenge_methods_supported"] == ["S256"])
                #expect(answer["request_uri_parameter_supported"] == false)
                #expect(answer["request_parameter_supported"] == false)
                #expect(answer["claims_parameter_supported"] == true)
                #expect(answer["authorization_response_iss_parameter_supported"] == true)
                #expect(answer["revocation_endpoint_auth_methods_supported"] == ["none"])
                #expect((answer["introspection_endpoint"] != nil) == introspects)
                #expect(
                    answer["introspection_endpoint_auth_methods_supported"]
                        == (introspects ? ["client_secret_basic"] : nil))
                let endpoints = answer.members.filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }
                #expect(endpoints.count == (introspects ? 9 : 8))
                for (name, url) in endpoints {
                    let path = try #require(url.string).replacing("https://identity.test", with: "")
                    let method =
                        ["token", "revocation", "introspection"].contains { name.hasPrefix($0) } ? "POST" : "GET"
                    #expect(try await client.send(client.request(method, path)).status != 404, "\(name)")
                }
                #expect(
                    answer["token_endpoint_auth_methods_supported"]
                        == ["none", "client_secret_post", "client_secret_basic", "private_key_jwt"])
                #expect(answer["token_endpoint_auth_signing_alg_values_supported"] == ["RS256", "PS256", "ES256"])
                for grant in try #require(answer["grant_types_supported"]).array.compactMap(\.string) {
                    let refused = try await server.client().post(
                        .token, [("grant_type", grant), ("continuation_token", "x"), ("scope", "openid")])
                    #expect(refused["error"] != "unsupported_grant_type", "\(grant)")
                }
            }
        }
    }

    @Test("docs/protocol.md §1.3, SEC-TOK-1: issuer, key and endpoint of the documents are those of the tokens")
    func theDocumentsFitTheTokens() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let discovery = try await client.get("/contoso/v2.0/.well-known/openid-configuration")
            let keysURL = try #require(discovery.text("jwks_uri")?.replacing("https://identity.test", with: ""))
            let keys = try await client.get(keysURL)
            #expect(keys.status == 200)
            #expect(keys.headers["cache-control"] == "public, max-age=3600")
            let key = try #require(keys["keys"]?.array.first)
            #expect(key["kty"] == "EC")
            for secret in ["d", "p", "q", "dp", "dq", "qi", "k"] { #expect(key[secret] == nil) }

            var atEndpoint = client
            atEndpoint.tenant = Self.tenant
            let tokens = try await atEndpoint.redeem(server.signUp().token)
            for member in ["id_token", "access_token"] {
                let parts = try #require(tokens.text(member)).split(separator: ".")
                let header = try JSONDecoder().decode(JSON.self, from: #require(Base64URL.decode(String(parts[0]))))
                let payload = try JSONDecoder().decode(JSON.self, from: #require(Base64URL.decode(String(parts[1]))))
                #expect(header["kid"] == key["kid"])
                #expect(header["alg"] == key["alg"])
                #expect(payload["iss"] == discovery["issuer"])
            }
        }
    }

    @Test(
        "docs/protocol.md §4.0: documents of an unknown tenant do not exist, and take GET only",
        arguments: [
            "v2.0/.well-known/openid-configuration", "discovery/v2.0/keys",
        ])
    func documentsOfAnUnknownTenant(_ path: String) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            expectError(try await client.get("/nowhere/\(path)"), "invalid_request", 90_002)
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                let answer = try await client.send(client.request(method, "/contoso/\(path)"))
                expectError(answer, "invalid_request", 900_561, status: 405)
                #expect(answer.headers["allow"] == "GET")
            }
        }
    }

    // MARK: Health

    @Test("REL-OVR-4: /livez and /readyz say ok and nothing else", arguments: ["/livez", "/readyz"])
    func healthSaysOK(_ path: String) async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().get(path)
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == "ok\n")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
            let wrong = try await server.client().send(server.client().request("POST", path))
            expectError(wrong, "invalid_request", 900_561, status: 405)
        }
    }

    @Test("REL-OVR-4: a thousand probes within a second ask the database once")
    func probesAskTheDatabaseOnceASecond() async throws {
        final class CountingStore: FlowStore {
            let checks = Locked(0)
            func step<Answer: Sendable>(
                _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
            ) async throws(StoreError) -> Answer { throw .corrupt("unused") }
            func record(_ event: AuditEvent) async throws(StoreError) {}
            func removeExpired(now: Date) async throws(StoreError) -> Int { 0 }
            func checkWritable() async throws(StoreError) { checks.withLock { $0 += 1 } }
        }
        let store = CountingStore()
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.flows = store
        }
        for _ in 0..<500 { #expect(try await server.client().get("/readyz").status == 200) }
        server.clock.advance(by: 0.9)
        for _ in 0..<500 { #expect(try await server.client().get("/readyz").status == 200) }
        #expect(store.checks.withLock { $0 } == 1)
        server.clock.advance(by: 0.2)
        #expect(try await server.client().get("/readyz").status == 200)
        #expect(store.checks.withLock { $0 } == 2)
    }

    // MARK: Pages

    private struct ShownMail: Encodable, Sendable {
        var to, subject, code, text, sentAt: String
    }

    /// A client of a server that has the development pages.
    private func pages(
        on server: IdentityTestServer, asked: Locked<[String?]> = Locked([]),
        tenants: @escaping @Sendable () -> TenantDirectory = { .development }
    ) throws -> WireClient {
        let pages = DevelopmentPages(
            baseURL: server.baseURL, tenants: tenants,
            mails: { recipient in
                asked.withLock { $0.append(recipient) }
                return [
                    ShownMail(to: "a", subject: "<b>", code: "12345678", text: "…", sentAt: "2027-01-15T08:00:00.000Z")
                ]
            },
            samples: { tenant, language in
                [
                    MailSample(
                        purpose: .signUp, occasion: "Sign-up", subject: "<i>\(tenant.subdomain)",
                        text: language.rawValue,
                        html: "<p>\(language.rawValue)")
                ]
            }, provider: { "\($0) \($1) \($2) \(Int($3.timeIntervalSince1970))" })
        let routes = IdentityRoutes(
            engine: server.engine, clock: ManualWallClock(manual: server.clock),
            readiness: Readiness(flows: server.engine.ports.flows), development: pages)
        return WireClient(transport: InProcessTransport(routes: routes))
    }

    @Test(
        "SEC-PRF-1: home page, inbox, mails and calls of hooks exist in development only",
        arguments: ["/", "/dev/inbox", "/dev/inbox.json", "/dev/mails", "/dev/hooks"])
    func pagesExistInDevelopmentOnly(_ path: String) async throws {
        try await withIdentityServer { server in
            expectError(try await server.client().get(path), "invalid_request", 90_023, status: 404)
            let page = try await pages(on: server).get(path)
            #expect(page.status == 200)
            #expect(page.headers["cache-control"] == "no-store")
            #expect(page.headers["x-content-type-options"] == "nosniff")
            if !path.hasSuffix("json") {
                #expect(page.headers["content-type"] == "text/html; charset=utf-8")
                #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
                #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            }
        }
    }

    @Test("design record 0014: the home page shows the client ids, the base URL, snippets and the way to the inbox")
    func theHomePageShowsWhatANewcomerNeeds() async throws {
        try await withIdentityServer { server in
            let page = String(decoding: try await pages(on: server).get("/").body, as: UTF8.self)
            for application in IdentityTestServer.Application.allCases { #expect(page.contains(application.rawValue)) }
            for text in [
                server.baseURL, "contoso.onmicrosoft.com", Self.tenant, "curl", "import MSAL", "href=\"/dev/inbox\"",
            ] {
                #expect(page.contains(text), "\(text)")
            }
        }
    }

    @Test("The home page has a sign-up of an application with native authentication, or the way of the web")
    func theHomePageOfTheWeb() throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        let pages = DevelopmentPages(
            baseURL: "https://identity.test", tenants: { TenantDirectory([]) }, mails: { _ in [String]() })
        contoso.applications[0].isNativeAuthEnabled = false
        let second = pages.homePage(of: [contoso])
        #expect(second.contains("client_id=\(contoso.applications[1].id)"))
        #expect(!second.contains("client_id=\(contoso.applications[0].id)") && !second.contains("In a browser"))
        for index in contoso.applications.indices { contoso.applications[index].isNativeAuthEnabled = false }
        let page = pages.homePage(of: [contoso])
        #expect(!page.contains("signup/v1.0/start") && page.contains("<h2>In a browser</h2>"))
        #expect(page.contains("https://identity.test/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration"))
    }

    @Test(
        "The page of mails shows each language and tenant as text, and a mail alone in a page that runs and loads nothing"
    )
    func theMails() async throws {
        try await withIdentityServer { server in
            let client = try pages(on: server)
            let page = String(decoding: try await client.get("/dev/mails?language=ar").body, as: UTF8.self)
            #expect(page.contains("&lt;i&gt;contoso") && !page.contains("<i>contoso"))
            for language in MailLanguage.allCases where language != .arabic {
                #expect(page.contains("href=\"/dev/mails?tenant=contoso&amp;language=\(language.rawValue)\""))
            }
            #expect(page.contains("dir=\"rtl\">ar</pre>"))
            let mail = try await client.get("/dev/mails?tenant=contoso&language=ar&mail=signUp")
            #expect(String(decoding: mail.body, as: UTF8.self) == "<p>ar")
            let policy = try #require(mail.headers["content-security-policy"])
            #expect(
                policy.contains("default-src 'none'") && policy.contains("; sandbox;")
                    && policy.contains("frame-ancestors 'self'"))
            #expect(try await client.get("/dev/mails?mail=none").status == 404)
            let other = String(
                decoding: try await client.get("/dev/mails?tenant=%3Cscript%3E&language=%22").body, as: UTF8.self)
            #expect(!other.contains("<script>") && other.contains("<pre lang=\"en\""))
        }
    }

    @Test("The page of hooks shows each call as text, sends one again, and not for a page of another site")
    func callsOfHooks() async throws {
        try await withIdentityServer { server in
            let again = Locked<[Int]>([])
            let call = DevelopmentCall(
                number: 7, at: server.clock.now, hook: "<b>Loyalty</b>", event: "otpSend",
                url: "http://127.0.0.1:9000/",
                failure: "timed-out", milliseconds: 1_001, request: #"{"code":"<script>1</script>"}"#, answer: nil)
            let pages = DevelopmentPages(
                baseURL: server.baseURL, tenants: { TenantDirectory.development }, mails: { _ in [String]() },
                calls: DevelopmentCalls(last: { [call] }, again: { number in again.withLock { $0.append(number) } }))
            let client = WireClient(transport: InProcessTransport(routes: server.routes(development: pages)))
            let page = String(decoding: try await client.get("/dev/hooks").body, as: UTF8.self)
            for text in ["otpSend: timed-out", "1001 ms", "&lt;b&gt;Loyalty", "&lt;script&gt;1"] {
                #expect(page.contains(text), "\(text)")
            }
            #expect(!page.contains("<script") && !page.contains("<b>"))
            func send(_ form: String, from site: String?) async throws -> WireAnswer {
                var headers = ["content-type": WireClient.form]
                if let site { headers["sec-fetch-site"] = site }
                return try await client.send(
                    client.request("POST", "/dev/hooks", headers: headers, body: Data(form.utf8)))
            }
            for site in ["cross-site", "same-site", "none"] {
                #expect(try await send("call=7", from: site).status == 421, "\(site)")
            }
            #expect(try await send("call=x", from: nil).status == 400)
            #expect(again.withLock { $0 } == [])
            let sent = try await send("call=7", from: "same-origin")
            #expect(sent.status == 303 && sent.headers["location"] == "/dev/hooks")
            #expect(again.withLock { $0 } == [7])
        }
    }

    @Test("SEC-FED-5: the sample provider's page sends browsers to this server's own callback, and nowhere else")
    func theProvider() async throws {
        try await withIdentityServer { server in
            let client = try pages(on: server)
            let callback = "\(server.baseURL)/\(Self.tenant)/federation/sample/callback"
            func query(_ address: String, state: String = "s%22%3E", nonce: String = "n", _ more: String = "") -> String
            {
                "redirect_uri=\(address)&state=\(state)&nonce=\(nonce)\(more)"
            }
            let page = try await client.get("/dev/provider?" + query(callback))
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(page.status == 200 && text.contains("value=\"s&quot;&gt;\"") && !text.contains("s\">"))
            #expect(page.headers["content-security-policy"]?.contains("form-action 'self'") == true)
            func send(
                _ form: String, to path: String = "/dev/provider", from site: String? = "same-origin"
            ) async throws -> WireAnswer {
                var headers = ["content-type": WireClient.form]
                headers["sec-fetch-site"] = site
                return try await client.send(client.request("POST", path, headers: headers, body: Data(form.utf8)))
            }
            let agree = "&answer=agree&email=dana@example.com"
            let wrong = [
                query("https://evil.example/"), query(callback + "/x"), query(callback + "?x"), query(""),
                query(callback, state: ""), query(callback, nonce: ""),
                query(callback, nonce: String(repeating: "n", count: 129)),
                query(callback) + "&state=2", "x",
            ]
            let byHand = try await client.get("/dev/provider")
            #expect(byHand.status == 303 && byHand.headers["location"] == "\(server.baseURL)/\(Self.tenant)/account")
            for query in wrong {
                #expect(try await client.get("/dev/provider?" + query).status == 400, "\(query)")
                let answer = try await send(query + agree)
                #expect(answer.status == 400 && answer.headers["location"] == nil, "\(query)")
            }
            #expect(try await send(query(callback) + "&answer=agree&email=dana").status == 400)
            #expect(try await send(query(callback) + agree, from: "cross-site").status == 421)
            let time = Int(server.clock.now.timeIntervalSince1970)
            let agreed = try await send(query(callback) + agree, from: nil)
            #expect(
                agreed.status == 303
                    && agreed.headers["location"]
                        == callback + "?code=dana%40example.com+n+com.example.pages+\(time)&state=s%22%3E"
                        + "&iss=http%3A%2F%2Flocalhost%2Fdev%2Fprovider",
                "\(agreed.headers)")
            let left = try await send(query(callback) + "&answer=cancel")
            #expect(left.headers["location"]?.hasPrefix(callback + "?error=access_denied&state=s") == true)
            let token = try await send("nonce=n&email=dana@example.com", to: "/dev/provider/token", from: nil)
            #expect(token["id_token"] == .string("dana@example.com n com.example.app \(time)"))
            #expect(
                try await send("nonce=n&email=dana@example.com", to: "/dev/provider/token", from: "cross-site").status
                    == 421)
            let headers = ["content-type": WireClient.form, "origin": "https://evil.example"]
            for (path, form) in [
                ("/dev/provider", query(callback) + agree), ("/dev/provider/token", "nonce=n&email=dana@example.com"),
            ] {
                let foreign = try client.request("POST", path, headers: headers, body: Data(form.utf8))
                #expect(try await client.send(foreign).status == 421, "\(path)")
            }
            for form in [
                "nonce=n", "email=dana@example.com", "nonce=n&email=x", "nonce=n&nonce=n&email=dana@example.com",
            ] {
                #expect(try await send(form, to: "/dev/provider/token", from: nil).status == 400, "\(form)")
            }
            // A server of production has none.
            for path in ["/dev/provider?" + query(callback), "/dev/provider"] {
                #expect(try await server.client().get(path).status == 404)
            }
            for path in ["/dev/provider", "/dev/provider/token"] {
                let answer = try client.request(
                    "POST", path, headers: ["content-type": WireClient.form], body: Data("nonce=n".utf8))
                #expect(try await server.client().send(answer).status == 404, "\(path)")
            }
            // Nor has a development server without the tenant.
            let other = try pages(on: server, tenants: { TenantDirectory([]) })
            #expect(try await other.get("/dev/provider?" + query(callback)).status == 404)
        }
    }

    @Test("The home page shows all tenants that are in force when it is asked for")
    func theHomePageShowsTheTenantsInForce() async throws {
        let two = try TestDirectory.directory()
        let inForce = Locked(TenantDirectory.development)
        try await withIdentityServer { server in
            let client = try pages(on: server, tenants: { inForce.withLock { $0 } })
            func home() async throws -> String { String(decoding: try await client.get("/").body, as: UTF8.self) }
            #expect(try await !home().contains("fabrikam"))
            inForce.withLock { $0 = two }
            let page = try await home()
            for entry in two.entries {
                #expect(page.contains("<dd><code>\(entry.tenant.id)</code>") && page.contains(entry.tenant.displayName))
                #expect(page.contains("/\(entry.tenant.domain)/v2.0/.well-known/openid-configuration"))
                for application in entry.applications { #expect(page.contains("<code>\(application.id)</code>")) }
            }
            inForce.withLock { $0 = TenantDirectory([two.entries[1]]) }
            let later = try await home()
            #expect(later.contains("fabrikam") && !later.contains("contoso"))
            inForce.withLock { $0 = TenantDirectory([]) }
            #expect(try await home().contains("native-auth"))
        }
    }

    @Test("A new mail in the inbox is put beside the cards that are there, which stay the same elements")
    func theInboxKeepsItsCards() async throws {
        try await withIdentityServer { server in
            let page = String(decoding: try await pages(on: server).get("/dev/inbox").body, as: UTF8.self)
            // InboxPageTests sees it in a browser, where there is one.
            #expect(page.contains("insertBefore") && !page.contains("replaceChildren") && !page.contains("innerHTML"))
        }
    }

    @Test("design record 0014: the inbox is JSON, for one address when asked, with the address decoded")
    func theInboxIsJSON() async throws {
        try await withIdentityServer { server in
            let asked = Locked<[String?]>([])
            let client = try pages(on: server, asked: asked)
            for path in [
                "/dev/inbox.json", "/dev/inbox.json?to=dana%2Btag%40example.com", "/dev/inbox.json?to=dana@example.com",
            ] {
                let answer = try await client.get(path)
                #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
                let mails = try JSONDecoder().decode([JSON].self, from: answer.body)
                #expect(
                    mails == [
                        [
                            "to": "a", "subject": "<b>", "code": "12345678", "text": "…",
                            "sentAt": "2027-01-15T08:00:00.000Z",
                        ]
                    ])
            }
            #expect(asked.withLock { $0 } == [nil, "dana+tag@example.com", "dana@example.com"])
        }
    }

    // MARK: Headers and bytes

    @Test("docs/protocol.md §2.3: the names of the correlation headers go out in lower case")
    func correlationHeadersAreInLowerCase() async throws {
        try await withIdentityServer { server in
            let routes = IdentityRoutes(
                engine: server.engine, clock: ManualWallClock(manual: server.clock),
                readiness: Readiness(flows: server.engine.ports.flows))
            let request = Request(
                head: HTTPRequest(
                    method: .post, scheme: "https", authority: "identity.test", path: "/contoso/signup/v1.0/start",
                    headerFields: [.contentType: WireClient.form]),
                body: RequestBody(buffer: ByteBuffer(string: "client_id=x")))
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let response = try await AccessPolicy().responder(for: routes)
                .respond(to: request, context: IdentityRequestContext(logger: logger))
            let names = response.headers.map(\.name.rawName)
            #expect(names.contains("client-request-id"))
            #expect(names.contains("x-ms-request-id"))
            #expect(names.filter { $0.lowercased() == "client-request-id" }.count == 1)
        }
    }

    /// Every answer of a long sign-up, up to the tokens, which are signed.
    private func script(_ server: IdentityTestServer) async throws -> [Data] {
        let client = server.client(.emailPasswordWithAttributes)
        var bodies: [Data] = []
        func keep(_ answer: WireAnswer) throws -> String? {
            bodies.append(answer.body)
            return answer.text("continuation_token")
        }
        _ = try keep(try await client.start("nobody"))
        let started = try keep(
            try await client.start(
                "dana@example.com",
                [
                    ("capabilities", "mfa_required registration_required"),
                    ("attributes", #"{"displayName":"D","givenName":"E","surname":"F","jobTitle":"G","state":"H"}"#),
                ]))
        let sent = try keep(try await client.challenge(#require(started)))
        server.clock.advance(by: 3)
        _ = try keep(try await client.submit(code: "00000000", #require(sent)))
        let code = try await server.mailbox.code(to: "dana@example.com")
        bodies.append(Data(code.utf8))
        let proven = try keep(try await client.submit(code: code, #require(sent)))
        let wanted = try keep(try await client.challenge(#require(proven)))
        let asked = try keep(try await client.submit(password: WireClient.password, #require(wanted)))
        _ = try keep(try await client.submit(attributes: IdentityTestServer.address, #require(asked)))
        bodies.append(try await client.get("/contoso/v2.0/.well-known/openid-configuration").body)
        return bodies
    }

    @Test(
        "design record 0014: two servers with one seed give the same bytes, another seed gives others", arguments: 1...8
    )
    func oneSeedGivesTheSameBytes(_ seed: UInt64) async throws {
        let one = try await withIdentityServer(seed: seed) { try await script($0) }
        let two = try await withIdentityServer(seed: seed) { try await script($0) }
        let other = try await withIdentityServer(seed: seed + 100) { try await script($0) }
        #expect(one == two)
        #expect(zip(one, other).dropLast().allSatisfy { $0 != $1 })
        #expect(one.count == 10)
    }
}
