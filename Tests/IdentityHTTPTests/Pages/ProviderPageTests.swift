import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Providers of other organisations at the hosted pages. What the provider does in the browser, the test does.
@Suite("Providers at the hosted pages")
struct ProviderPageTests {
    private let email = "dana@example.com"
    private let apple = TestIdentityProvider(.apple)
    private let harbour = TestIdentityProvider(.openID("harbour"))

    private func server(
        limits: TimeLimits? = nil, adjust: (inout TenantDirectory.Entry) -> Void = { _ in }
    ) throws -> IdentityTestServer {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.providers = [apple.withPages, harbour.withPages]
        adjust(&contoso)
        let directory = TenantDirectory([contoso])
        let (apple, harbour) = (apple, harbour)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            settings.limits = limits
            settings.hasTextGateway = true
            ports.clients = directory
            ports.identities = TestIdentityProvider.verifier(of: [apple, harbour])
        }
        apple.follow(server.clock)
        harbour.follow(server.clock)
        return server
    }

    /// Opens the pages, and presses the provider's button.
    private func leave(
        _ browser: TestBrowser, to provider: TestIdentityProvider, for party: TestRelyingParty,
        _ more: [String: String] = [:]
    ) async throws -> [String: String] {
        try await browser.get(party.path(more))
        try await browser.submit(["username": "", ".provider": provider.id], action: "")
        let address = try #require(browser.destination, "\(browser.html)")
        #expect(address.hasPrefix(provider.provider.issuer + "/authorize?"), "\(address)")
        return browser.answer
    }

    /// The provider's answer. Its code is the nonce.
    private func comeBack(
        _ browser: TestBrowser, from asked: [String: String], _ changes: [String: String?] = [:],
        at path: String? = nil, byPost: Bool = false
    ) async throws {
        let address = try #require(asked["redirect_uri"])
        var fields: [String: String?] = [
            "code": asked["nonce"], "state": asked["state"],
            "iss": address.contains("/apple/") ? apple.provider.issuer : harbour.provider.issuer,
        ]
        fields.merge(changes) { $1 }
        let sent = fields.compactMap { name, value in value.map { (name, $0) } }
        let own = path ?? String(address.trimmingPrefix(TestBrowser.origin))
        if byPost {
            return try await browser.post(
                own, sent, headers: ["origin": "https://appleid.apple.com", "sec-fetch-site": "cross-site"])
        }
        var form = FormFields()
        for (name, value) in sent { form.append(name, value) }
        try await browser.get("\(own)?\(form.encoded)")
    }

    @Test(
        "SEC-FED-5: A new user comes from a provider, with PKCE, state and nonce, and is signed in",
        arguments: [false, true])
    func newUser(byPost: Bool) async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailPassword))
        let browser = TestBrowser(server)
        let asked = try await leave(browser, to: apple, for: party)
        #expect(asked["response_type"] == "code" && asked["client_id"] == TestIdentityProvider.webClient)
        #expect(asked["code_challenge_method"] == "S256" && asked["code_challenge"]?.utf8.count == 43)
        #expect(asked["nonce"]?.utf8.count == 43 && asked["response_mode"] == "form_post")
        #expect(asked["redirect_uri"]?.hasSuffix("/federation/apple/callback") == true)
        try await comeBack(browser, from: asked, byPost: byPost)
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await server.storedUsers().map(\.email) == [email])
        // Another browser, the same account; and its session is one of the pages.
        let other = TestBrowser(server)
        try await comeBack(other, from: try await leave(other, to: apple, for: party))
        #expect(try await server.storedUsers().count == 1)
        #expect(other.answer["code"] != nil)
        try await other.get("/contoso/account/methods")
        #expect(other.html.contains("<strong>Apple</strong>"), "\(other.html)")
    }

    @Test("An account is linked at the pages after its password, and the owner can remove it again")
    func link() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailPassword))
        try await server.signUpWithPassword()
        let browser = TestBrowser(server)
        try await comeBack(browser, from: try await leave(browser, to: apple, for: party))
        #expect(browser.title == "Enter your password" && browser.html.contains("Confirm once that it is yours"))
        // The page names no account.
        #expect(!browser.html.contains(email) && !browser.html.contains("Forgot"))
        try await browser.submit(["password": WireClient.password])
        #expect(browser.answer["code"] != nil, "\(browser.html)")
        let other = TestBrowser(server)
        try await comeBack(other, from: try await leave(other, to: apple, for: party))
        #expect(other.answer["code"] != nil, "\(other.html)")
        try await other.get("/contoso/account/methods")
        // It is a way in, and is not listed among the second factors.
        #expect(other.html.contains("<h2>Connected accounts</h2><ul class=\"entries\">"), "\(other.html)")
        try await other.submit(
            ["method": try #require(other.forms.flatMap(\.fields).first { $0.0 == "method" }?.1)], action: "remove")
        let third = TestBrowser(server)
        try await comeBack(third, from: try await leave(third, to: apple, for: party))
        #expect(third.title == "Enter your password")
    }

    /// Presses the button that connects an account, on the page of the methods.
    private func connect(_ browser: TestBrowser, _ provider: TestIdentityProvider) async throws {
        try await browser.get("/contoso/account/methods")
        #expect(browser.html.contains("Connect \(provider.provider.displayName)"), "\(browser.html)")
        try await browser.submit([".provider": provider.id], action: "")
    }

    @Test("SEC-FED-9: A user connects an account on the account page, after a code to the own mailbox")
    func connect() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailPassword))
        harbour.person.email = "someone@work.example"
        try await server.signUpWithPassword()
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        try await browser.submit(["username": IdentityTestServer.email])
        try await browser.submit(["password": WireClient.password])
        try await connect(browser, harbour)
        #expect(browser.title == "Check your mail", "\(browser.html)")
        try await browser.submit(["code": try await server.mailbox.code(to: IdentityTestServer.email)])
        #expect(browser.destination?.hasPrefix(harbour.provider.issuer + "/authorize?") == true, "\(browser.html)")
        // Another person may be signed in there.
        #expect(browser.answer["prompt"] == "select_account")
        // The user turns back there, and then goes.
        let refused = browser.answer
        try await comeBack(browser, from: refused, ["error": "access_denied", "code": nil])
        #expect(browser.html.contains("did not sign you in"), "\(browser.html)")
        try await connect(browser, harbour)
        try await browser.submit(["code": try await server.mailbox.code(to: IdentityTestServer.email)])
        let asked = browser.answer
        // Another browser's answer is none of this flow.
        let other = TestBrowser(server)
        try await comeBack(other, from: asked)
        #expect(other.status == 400)
        try await comeBack(browser, from: asked)
        #expect(browser.html.contains("<strong>\(harbour.provider.displayName)</strong>"), "\(browser.html)")
        // The user signs in by it from now on.
        try await comeBack(other, from: try await leave(other, to: harbour, for: party))
        #expect(other.answer["code"] != nil, "\(other.html)")
        #expect(try await server.storedUsers().count == 1)
    }

    @Test("SEC-FED-7: An account that is connected to another user is refused, and the page says so")
    func connectTaken() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailOneTimePasscode))
        let first = TestBrowser(server)
        try await comeBack(first, from: try await leave(first, to: apple, for: party))
        _ = try await server.signUp("erik@example.com")
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        try await browser.submit(["username": "erik@example.com"])
        try await browser.submit(["code": try await server.mailbox.code(to: "erik@example.com")])
        try await connect(browser, apple)
        try await comeBack(browser, from: browser.answer)
        #expect(browser.html.contains("connected to another user"), "\(browser.html)")
        #expect(!browser.html.contains("<strong>Apple</strong>"))
    }

    @Test("SEC-ENR-13: A user connects five accounts a day, and the page says why not a sixth")
    func connectMany() async throws {
        let (server, party) = (try server(limits: TimeLimits()), TestRelyingParty(.emailOneTimePasscode))
        _ = try await server.signUp("erik@example.com")
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        try await browser.submit(["username": "erik@example.com"])
        try await browser.submit(["code": try await server.mailbox.code(to: "erik@example.com")])
        for number in 1...6 {
            apple.person.subject = "person\(number)"
            try await connect(browser, apple)
            try await comeBack(browser, from: browser.answer)
            let isConnected = browser.html.contains("<strong>Apple</strong>")
            #expect(isConnected == (number < 6), "\(number): \(browser.html)")
            guard isConnected else { continue }
            try await browser.get("/contoso/account/methods")
            try await browser.submit(
                ["method": try #require(browser.forms.flatMap(\.fields).first { $0.0 == "method" }?.1)],
                action: "remove")
        }
        #expect(browser.html.contains("as many methods as one day allows"), "\(browser.html)")
    }

    @Test("SEC-ENR-3: A session that ends while its user is at the provider connects nothing")
    func connectAfterTheEnd() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailOneTimePasscode))
        _ = try await server.signUp("erik@example.com")
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        try await browser.submit(["username": "erik@example.com"])
        try await browser.submit(["code": try await server.mailbox.code(to: "erik@example.com")])
        try await connect(browser, apple)
        let asked = browser.answer
        _ = try await server.rows("DELETE FROM browser_sessions")
        try await comeBack(browser, from: asked)
        #expect(try await server.rows("SELECT id FROM strong_methods").isEmpty)
    }

    @Test("SEC-ENR-3: An account that one user went to connect is not the next user's of the same browser")
    func connectAfterAnother() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailOneTimePasscode))
        for email in ["erik@example.com", "eve@example.com"] { _ = try await server.signUp(email) }
        let (browser, second) = (TestBrowser(server), TestBrowser(server))
        for (browser, email) in [(browser, "erik@example.com"), (second, "eve@example.com")] {
            try await browser.get(party.path())
            try await browser.submit(["username": email])
            try await browser.submit(["code": try await server.mailbox.code(to: email)])
        }
        try await connect(browser, apple)
        let asked = browser.answer
        // Eve's session takes the place of Erik's; the flow that he began is still the browser's.
        browser.cookies.merge(second.cookies) { $1 }
        try await comeBack(browser, from: asked)
        #expect(try await server.rows("SELECT id FROM strong_methods").isEmpty, "\(browser.html)")
        #expect(!browser.html.contains("<strong>Apple</strong>"))
    }

    @Test(
        "SEC-FED-15: The names that Apple posts once reach the sign-up, and no address shows them",
        arguments: [true, false])
    func postedNames(isForged: Bool) async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailOneTimePasscodeWithAttributes))
        let browser = TestBrowser(server)
        let asked = try await leave(browser, to: apple, for: party)
        let user = #"{"name":{"firstName":"Dana","lastName":"Holm"},"email":"x@example.com"}"#
        let path = try #require(asked["redirect_uri"]).trimmingPrefix(TestBrowser.origin)
        try await browser.post(
            String(path),
            [
                ("code", asked["nonce"] ?? ""), ("state", asked["state"] ?? ""), ("user", user),
                ("iss", apple.provider.issuer),
            ],
            headers: ["origin": "https://appleid.apple.com", "sec-fetch-site": "cross-site"], follows: false)
        var address = try #require(browser.location).trimmingPrefix(TestBrowser.origin)
        #expect(!address.contains("Dana") && address.contains("names="))
        if isForged { address.append("A") }
        try await browser.get(String(address))
        #expect(browser.title == "About you", "\(browser.html)")
        try await browser.submit(["city": "Ribe", "country": "Denmark"])
        let users = try await server.storedUsers()
        #expect(users.first?.attributes["givenName"] == (isForged ? nil : "Dana"), "\(browser.html)")
    }

    @Test("A provider that knows no address: the user names one, and proves it")
    func nameMailbox() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailOneTimePasscode))
        let browser = TestBrowser(server)
        harbour.person.email = nil
        try await comeBack(browser, from: try await leave(browser, to: harbour, for: party))
        #expect(browser.title == "Create your account", "\(browser.html)")
        #expect(browser.html.contains("gave us no e-mail address that is confirmed"), "\(browser.html)")
        try await browser.submit(["username": "no address"])
        #expect(browser.problem != nil && browser.html.contains("aria-invalid"), "\(browser.html)")
        try await browser.submit(["username": email])
        try await browser.submit(["code": try await server.mailbox.code(to: email)])
        #expect(browser.answer["code"] != nil, "\(browser.html)")
    }

    @Test(
        "SEC-FED-5, SEC-FED-6: An answer that is not this browser's, this flow's or this provider's signs no user in",
        arguments: [
            ["state": "", "iss": nil], ["state": String(repeating: "0", count: 40) + ".AAAA"], ["state": nil],
            ["iss": "https://evil.test"], ["iss": nil], ["iss": "https://appleid.apple.com/"],
            ["error": "access_denied", "code": nil], ["code": nil], ["code": ""], ["code": "another nonce"],
        ] as [[String: String?]])
    func refused(_ changes: [String: String?]) async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailPassword))
        let browser = TestBrowser(server)
        try await comeBack(browser, from: try await leave(browser, to: apple, for: party), changes)
        #expect(browser.answer["code"] == nil, "\(browser.html)")
        #expect(try await server.storedUsers().isEmpty)
        #expect(browser.status >= 400)
    }

    @Test("SEC-FED-5: Answers of another browser, another provider, and of a flow that has gone on")
    func mixedUp() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailPassword))
        let (victim, thief) = (TestBrowser(server), TestBrowser(server))
        // The thief's answer, in the victim's browser: a sign-in as the thief.
        let stolen = try await leave(thief, to: apple, for: party)
        _ = try await leave(victim, to: apple, for: party)
        try await comeBack(victim, from: stolen)
        #expect(victim.status == 400 && victim.answer["code"] == nil)
        // The right flow with another random part: the cookie alone is no proof that the provider was asked.
        let asking = try await leave(victim, to: apple, for: party)
        let state = try #require(asking["state"])
        let handle = state.prefix { $0 != "." }
        for other in ["\(handle).\(String(repeating: "A", count: 43))", String(handle), "\(handle).", state + "A"] {
            try await comeBack(victim, from: asking, ["state": other])
            #expect(victim.status == 400 && victim.answer["code"] == nil, "\(other)")
        }
        try await comeBack(victim, from: asking)
        #expect(victim.answer["code"] != nil, "the right state still is one")
        victim.restart([])
        // Harbour's answer at Apple's address, and the other way round.
        let asked = try await leave(victim, to: apple, for: party)
        let path = try #require(asked["redirect_uri"]).trimmingPrefix(TestBrowser.origin).replacing(
            "apple", with: "harbour")
        try await comeBack(victim, from: asked, ["iss": harbour.provider.issuer], at: String(path))
        #expect(victim.status == 400)
        try await comeBack(victim, from: asked, ["iss": harbour.provider.issuer])
        #expect(victim.status == 422 && victim.answer["code"] == nil)
        // The way back is open once.
        try await comeBack(victim, from: asked)
        #expect(victim.status == 400)
        let again = try await leave(victim, to: apple, for: party)
        try await comeBack(victim, from: again)
        #expect(victim.answer["code"] != nil)
        try await comeBack(victim, from: again)
        #expect(victim.status == 400)
    }

    @Test("SEC-FED-4: A token of an app is worth nothing at the pages")
    func audience() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailPassword))
        let client = server.client(.emailOneTimePasscode)
        // The pages' client in an app.
        let begun = try await client.post(
            .signInInitiate, [("provider", "apple"), ("challenge_type", "federated oob password redirect")])
        let asked = try await client.post(.signInChallenge, [("continuation_token", try begun.token)])
        let token = try apple.idToken(
            nonce: try #require(asked.text("nonce")), claims: ["aud": .string(TestIdentityProvider.webClient)])
        let answer = try await client.post(
            .token,
            [
                ("continuation_token", try asked.token), ("grant_type", "federated"), ("id_token", token),
                ("scope", "openid"),
            ])
        #expect(answer.text("suberror") == "id_token_invalid")
        // The app's token for a code of the pages.
        let browser = TestBrowser(server)
        apple.exchangedClient = TestIdentityProvider.client
        try await comeBack(browser, from: try await leave(browser, to: apple, for: party))
        #expect(browser.status == 422 && browser.answer["code"] == nil)
        #expect(browser.problem?.contains("did not sign you in") == true, "\(browser.html)")
        #expect(try await server.storedUsers().isEmpty)
        apple.exchangedClient = nil
        try await comeBack(browser, from: try await leave(browser, to: apple, for: party))
        #expect(browser.answer["code"] != nil)
    }

    /// A server whose application demands two factors, which Harbour states.
    private func strictServer(_ maximumAge: Int? = nil) throws -> IdentityTestServer {
        try server { entry in
            entry.tenant.levels = [
                LevelRule(level: .twoFactors, maximumAge: maximumAge, applications: entry.applications.map(\.id))
            ]
            entry.tenant.providers[1].strength = ProviderStrength(byContext: [.init("urn:two", .twoFactors)])
            entry.tenant.providers[1].authority = .domains(["example.com"])
        }
    }

    /// What Harbour says of the person's sign-in there, `age` seconds ago.
    private func state(_ age: Int?, on server: IdentityTestServer) {
        let now = Int(server.clock.now.timeIntervalSince1970)
        harbour.stated = ["acr": .string("urn:two")].merging(age.map { ["auth_time": .integer(now - $0)] } ?? [:]) {
            $1
        }
    }

    @Test("SEC-FED-13: A provider whose word counts is asked for a sign-in of the last hour, and its answer is enough")
    func statedStrength() async throws {
        let (server, party) = (try strictServer(), TestRelyingParty(.emailPassword))
        let browser = TestBrowser(server)
        state(3_000, on: server)
        let asked = try await leave(browser, to: harbour, for: party)
        #expect(asked["max_age"] == "3600" && asked["prompt"] == nil, "\(asked)")
        try await comeBack(browser, from: asked)
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        let claims = try claims(of: tokens.text("id_token"))
        #expect(claims["amr"] == ["fed", "mfa"], "\(claims)")
        #expect(claims["auth_time"] == .integer(Int(server.clock.now.timeIntervalSince1970) - 3_000))
        // The session of the browser has it until it is an hour old.
        for isYoung in [true, false] {
            try await browser.get(party.path())
            try await browser.submit([:])
            #expect((browser.answer["code"] != nil) == isYoung, "\(browser.html)")
            // A new sign-in there is offered, and no method to register here.
            #expect(isYoung || browser.html.contains("Continue with Harbour"), "\(browser.html)")
            server.clock.advance(by: 601)
        }
        // Apple has no such setting.
        let other = TestBrowser(server)
        #expect(try await leave(other, to: apple, for: party)["max_age"] == nil)
    }

    @Test("SEC-FED-13: A sign-in that is too old is asked for again, once, in a flow that the first answer cannot end")
    func staleStrength() async throws {
        for (age, isEnough) in [(0, true), (3_601, false)] {
            let (server, party) = (try strictServer(), TestRelyingParty(.emailPassword))
            let browser = TestBrowser(server)
            state(3_601, on: server)
            let first = try await leave(browser, to: harbour, for: party)
            try await comeBack(browser, from: first)
            let second = browser.answer
            #expect(second["prompt"] == "login" && second["max_age"] == "3600", "\(second) \(browser.html)")
            #expect(second["nonce"] != first["nonce"] && second["state"] != first["state"])
            // The answer to the first question is none to the second.
            let copy = TestBrowser(server)
            copy.cookies = browser.cookies
            try await comeBack(copy, from: first)
            #expect(copy.answer["code"] == nil, "\(copy.html)")
            state(age, on: server)
            try await comeBack(browser, from: second)
            #expect((browser.answer["code"] != nil) == isEnough, "\(browser.html)")
            #expect(browser.answer["prompt"] == nil, "it is not asked a third time")
        }
    }

    @Test("SEC-FED-13: At the account page a provider's word is no second factor; the user's own one leads on")
    func accountOfStrength() async throws {
        let (server, party) = (try strictServer(), TestRelyingParty(.emailPassword))
        let browser = TestBrowser(server)
        state(0, on: server)
        try await comeBack(browser, from: try await leave(browser, to: harbour, for: party))
        #expect(browser.answer["code"] != nil, "\(browser.html)")
        try await server.plantMethod("+15555550123", of: email)
        try await browser.get("/contoso/account/methods")
        #expect(browser.title == "Confirm that it is you", "\(browser.html)")
        try await browser.submit([:])
        #expect(browser.title == "Enter the code of the message", "\(browser.html)")
        try await browser.submit(["code": try await server.mailbox.code(to: "+15555550123")])
        #expect(browser.html.contains("+1*********3"), "\(browser.html)")
    }

    @Test("SEC-FED-13: A rule's age is that of the sign-in at the provider; without its time nothing is asked again")
    func ageOfStrength() async throws {
        let (server, party) = (try strictServer(600), TestRelyingParty(.emailPassword))
        let browser = TestBrowser(server)
        state(601, on: server)
        let first = try await leave(browser, to: harbour, for: party)
        #expect(first["max_age"] == "600", "\(first)")
        try await comeBack(browser, from: first)
        #expect(browser.answer["prompt"] == "login", "\(browser.html)")
        let other = TestBrowser(server)
        state(nil, on: server)
        try await comeBack(other, from: try await leave(other, to: harbour, for: party))
        #expect(other.answer["prompt"] == nil && other.answer["code"] == nil, "\(other.html)")
    }

    @Test("SEC-FED-12: A provider that is down is told at the page, and another way works")
    func down() async throws {
        let (server, party) = (try server(), TestRelyingParty(.emailOneTimePasscode))
        let browser = TestBrowser(server)
        apple.isDown = true
        try await browser.get(party.path())
        try await browser.submit(["username": "", ".provider": "apple"], action: "")
        #expect(browser.status == 422 && browser.problem?.contains("did not sign you in") == true, "\(browser.html)")
        try await comeBack(browser, from: try await leave(browser, to: harbour, for: party))
        #expect(browser.title == "Create your account")
    }

    @Test("The pages offer no provider that has no client there")
    func onlyForApps() async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.providers = [apple.provider]
        let directory = TenantDirectory([contoso])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        let browser = TestBrowser(server)
        try await browser.get(TestRelyingParty(.emailPassword).path())
        #expect(!browser.html.contains(".provider"))
        let form = try #require(browser.forms.first)
        try await browser.post(form.action, form.fields + [(".provider", "apple"), (".action", "")])
        #expect(browser.status == 422)
    }
}
