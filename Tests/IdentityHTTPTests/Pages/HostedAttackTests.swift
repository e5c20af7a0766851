import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// What an attack with the source at hand found.
@Suite("Attacks on hosted pages")
struct HostedAttackTests {
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"
    private static let contexts = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    /// A transport of one source, with the limits of production.
    private func limited(_ server: IdentityTestServer) throws -> any HTTPTransport {
        InProcessTransport(
            routes: server.routes(), within: AccessPolicy(limits: SourceLimits()),
            peer: IPAddress("192.0.2.7"))
    }

    @Test("SEC-RATE-4: flows that begin at pages count as those of the native endpoints, from one budget")
    func starts() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(try limited(server))
            try await browser.get(party.path())
            let form = try #require(browser.forms.first)
            var answers: [Int] = []
            for number in 0..<32 {
                // The budget of all requests is another one.
                server.clock.advance(by: 0.2)
                try await browser.post(
                    form.action,
                    form.fields.map { $0.0 == "username" ? ($0.0, "u\(number)@example.com") : $0 } + [
                        (".action", "next")
                    ],
                    follows: false)
                answers.append(browser.status)
            }
            #expect(answers.prefix(30).allSatisfy { $0 == 422 } && answers.suffix(2) == [429, 429])
            #expect(
                browser.headers["content-type"] == "text/html; charset=utf-8" && browser.headers["retry-after"] != nil)
        }
    }

    @Test(
        "SEC-ENUM-1: neither a code's exchange nor a step-up gives a disclosure back; a sign-in by name at the pages does"
    )
    func disclosures() async throws {
        let tokens = IssuedTokens(
            accessToken: Secret("a"), idToken: nil, refreshToken: nil, scopes: [], lifetime: 1, user: UserID(UUID()),
            tenant: TenantID(UUID()))
        let exchange = Command.redeemCode(CodePresentation(code: Secret("c"), redirect: "r", verifier: nil))
        #expect(!exchange.traits.signsIn)
        let redeem = Command.step(ContinuationToken("t"), .redeem(TokenRequest(scopes: [])))
        func ends(_ interaction: Interaction) -> Bool { redeem.endsFlowOfName(with: .accepted(interaction)) }
        #expect(ends(.signedIn(tokens)))
        #expect(ends(.signedInBrowser(BrowserTicket(cookie: nil, code: Secret("c")))))
        #expect(!ends(.signedInBrowser(BrowserTicket(cookie: nil, code: Secret("c"), isStepUp: true))))
        #expect(!ends(.giveSecondFactor))
    }

    @Test("SEC-ENUM-1: a step-up at the pages, as it is, leaves the count of disclosures as it was")
    func disclosuresAtStepUp() async throws {
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { _, settings in
            settings.enumeration = .bulk
        }
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        let limits = SourceLimits()
        let address = try #require(IPAddress("192.0.2.7"))
        let transport = InProcessTransport(
            routes: server.routes(), within: AccessPolicy(limits: limits), peer: address)
        let stepping = TestBrowser(transport)
        stepping.cookies = browser.cookies
        for _ in 0..<9 { #expect(!limits.recordDisclosure(to: SourceAddress(address), now: server.clock.now)) }
        try await stepping.get(party.path(["claims": Self.contexts]))
        try await stepping.submit([:])
        try await stepping.submit(["contact": "second@example.org"])
        try await stepping.submit(["code": try await server.mailbox.code(to: "second@example.org")])
        #expect(stepping.answer["code"] != nil)
        #expect(limits.recordDisclosure(to: SourceAddress(address), now: server.clock.now), "the tenth of the minute")
    }

    @Test("SEC-RATE-11: a listed network begins flows at the pages, and pushes requests, without a limit")
    func startsOfAListedNetwork() async throws {
        try await withIdentityServer { server in
            for (networks, isLimited) in [("192.0.2.0/24", false), ("198.51.100.0/24", true)] {
                let transport = InProcessTransport(
                    routes: server.routes(),
                    within: AccessPolicy(limits: SourceLimits(), unlimitedNetworks: try NetworkList(networks)),
                    peer: IPAddress("192.0.2.7"))
                let browser = TestBrowser(transport)
                try await browser.get(party.path())
                let form = try #require(browser.forms.first)
                var answers: [Int] = []
                for number in 0..<32 {
                    server.clock.advance(by: 0.2)
                    try await browser.post(
                        form.action,
                        form.fields.map { $0.0 == "username" ? ($0.0, "u\(number)@example.com") : $0 } + [
                            (".action", "next")
                        ],
                        follows: false)
                    answers.append(browser.status)
                }
                #expect(answers.contains(429) == isLimited, "\(networks)")
                server.clock.advance(by: 60)
                var client = server.client(id: party.client)
                client.transport = transport
                var pushes: [Int] = []
                let query = try #require(party.path().split(separator: "?").last)
                for _ in 0..<32 {
                    server.clock.advance(by: 0.2)
                    let answer = try await client.send(
                        client.request(
                            "POST", "/contoso/oauth2/v2.0/par", headers: ["content-type": WireClient.form],
                            body: Data(query.utf8)))
                    pushes.append(answer.status)
                }
                #expect(pushes.first == 201 && pushes.contains(429) == isLimited, "\(networks)")
            }
        }
    }

    @Test("SEC-RATE-6: a session exchanges 20 codes a minute for an application")
    func redemptions() async throws {
        try await withIdentityServer { server in
            let transport = try limited(server)
            let browser = TestBrowser(transport)
            try await browser.signUp(email, at: server, for: party)
            var client = server.client(id: party.client)
            client.transport = transport
            var answers: [Int] = []
            for _ in 0..<22 {
                server.clock.advance(by: 0.5)
                try await browser.get(party.path())
                try await browser.submit([:])
                let answer = try await client.post(
                    .token,
                    [
                        ("grant_type", "authorization_code"), ("code", try #require(browser.answer["code"])),
                        ("redirect_uri", party.redirect), ("code_verifier", party.verifier),
                    ])
                answers.append(answer.status)
            }
            #expect(answers.prefix(20).allSatisfy { $0 == 200 } && answers.suffix(2) == [429, 429])
        }
    }

    @Test("SEC-WEB-21: a step-up that began before a sign-out ends with it")
    func stepUpAfterSignOut() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let other = TestBrowser(server)
            try await other.signIn(email, for: party)
            try await other.get(party.path(["claims": Self.contexts]))
            try await other.submit([:])
            #expect(other.title == "Add a second mailbox")
            let (form, cookies) = (try #require(other.forms.first), other.cookies)
            try await other.get("/contoso/oauth2/v2.0/logout")
            try await other.submit([:])
            #expect(other.cookies.keys.allSatisfy { !$0.contains("-f0-") && !$0.contains("-s-") })
            // The attacker at the keyboard puts the flow's cookies back.
            other.cookies = cookies
            let before = try await server.snapshot()
            try await other.post(
                form.action,
                form.fields.map { $0.0 == "contact" ? ($0.0, "evil@example.org") : $0 } + [(".action", "next")])
            #expect(other.title == "Sign in")
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-ENR-6: an enrolment ends the browser sessions of one factor, and keeps the one that enrolled")
    func enrolment() async throws {
        try await withIdentityServer { server in
            let owner = TestBrowser(server)
            try await owner.signUp(email, at: server, for: party)
            let thief = TestBrowser(server)
            try await thief.signIn(email, for: party)
            let stepped = TestBrowser(server)
            try await stepped.signIn(email, for: party)
            try await stepped.get(party.path(["claims": Self.contexts]))
            try await stepped.submit([:])
            try await stepped.submit(["contact": "second@example.org"])
            try await stepped.submit(["code": try await server.mailbox.code(to: "second@example.org")])
            #expect(stepped.answer["code"] != nil)
            try await thief.get(party.path())
            #expect(thief.title == "Sign in")
            try await stepped.get(party.path())
            #expect(stepped.title == "Continue to Password")
            // The sign-up has proven both the password and the mailbox.
            try await owner.get(party.path())
            #expect(owner.title == "Continue to Password")
        }
    }

    @Test("SEC-WEB-8: links with long states do not fill the headers of a browser")
    func longStates() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            let state = String(repeating: "s", count: 4_000)
            for number in 0..<6 {
                server.clock.advance(by: 1)
                try await browser.get(party.path(["state": state, "prompt": "create"]))
                try await browser.submit(["username": "u\(number)@example.com"])
                #expect(browser.title == "Check your mail")
                let length = browser.cookies.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 3 }
                #expect(length < 12 * 1024)
            }
        }
    }

    @Test("SEC-PWD-2: a password of any length is refused as a wrong one")
    func longPasswords() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let other = TestBrowser(server)
            try await other.get(party.path())
            try await other.submit(["username": email])
            for length in [257, 1_025, 20_000] {
                try await other.submit(["password": String(repeating: "x", count: length)])
                #expect(other.status == 422)
            }
        }
    }

    @Test("OIDC-16: the user of id_token_hint is the only answer, also after a sign-in as another one")
    func hintedUser() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let tokens = try await party.redeem(try #require(browser.answer["code"]), at: server)
            let other = TestBrowser(server)
            try await other.signUp("kim@example.com", at: server, for: party)
            try await other.get(party.path(["id_token_hint": tokens.text("id_token")]))
            #expect(other.title == "Sign in")
            try await other.submit(["username": "kim@example.com"])
            try await other.submit(["password": TestBrowser.password])
            #expect(other.answer["code"] == nil && other.title == "We cannot go on")
            try await other.submit([:], action: "restart")
            try await other.submit(["username": email])
            try await other.submit(["password": TestBrowser.password])
            #expect(other.answer["code"] != nil)
        }
    }

    @Test("“Continue” gives a code of the user that the page shows, and of no other")
    func twoTabs() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            try await browser.get(party.path())
            let form = try #require(browser.forms.first)
            try await browser.get(party.path(["prompt": "login"]))
            try await browser.signUp("kim@example.com", at: server, for: party)
            try await browser.post(form.action, form.fields + [(".action", "next")])
            #expect(browser.answer["code"] == nil && browser.html.contains("kim@example.com"))
            try await browser.submit([:])
            #expect(browser.answer["code"] != nil)
        }
    }

    /// The shop as another organisation's application.
    private func foreignShop() throws -> (IdentityTestServer, TestRelyingParty) {
        let directory = try TestDirectory.directory()
        var entries = directory.entries
        let index = try #require(entries[0].applications.firstIndex { $0.id.description == TestDirectory.shop })
        entries[0].applications[index].web.isThirdParty = true
        let foreign = TenantDirectory(entries)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = foreign
        }
        return (server, TestRelyingParty(client: TestDirectory.shop, redirect: "https://shop.example/back"))
    }

    @Test("OIDC-26: an application of another organisation has no account API, whatever its users click")
    func accountAPIOfOthers() async throws {
        let (server, shop) = try foreignShop()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop, ["scope": "openid User.ReadWrite"])
        try await browser.submit([:])
        let tokens = try await shop.redeem(
            try #require(browser.answer["code"]), at: server, ["client_secret": TestDirectory.shopSecret])
        let caller = try AccountCaller(tokens, server)
        #expect(try await caller.send("GET", AccountCaller.me).status == 403)
        #expect(try await caller.send("DELETE", AccountCaller.me).status == 403)
        #expect(try await server.users() == 1)
    }

    @Test("OIDC-26: what a user allowed is kept for the user, the application and the scopes, until it is withdrawn")
    func keptConsent() async throws {
        let (server, shop) = try foreignShop()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        try await browser.submit([:])
        let secret = ["client_secret": TestDirectory.shopSecret]
        let tokens = try await shop.redeem(try #require(browser.answer["code"]), at: server, secret)
        let refresh = try #require(tokens.text("refresh_token"))
        let page = "/\(shop.tenant)/account/sessions"
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'consent.given'") == 1)

        // Nothing beyond what the user allowed, by a refresh either.
        let more = try await shop.redeem(
            "", at: server,
            [
                "grant_type": "refresh_token", "refresh_token": refresh, "code": nil, "redirect_uri": nil,
                "code_verifier": nil, "client_secret": TestDirectory.shopSecret, "scope": "openid User.Read",
            ])
        #expect(more.status == 400 && more["error_codes"] == [65_001])

        // No page any more, with and without the permission to show one, and after a new sign-in.
        try await browser.get(shop.path(), follows: false)
        #expect(browser.answer["code"] != nil)
        try await browser.get(shop.path(["prompt": "none"]), follows: false)
        #expect(browser.answer["code"] != nil)
        let other = TestBrowser(server)
        try await other.signIn(email, for: shop)
        #expect(other.answer["code"] != nil)
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'consent.given'") == 1)

        // More scopes, a wish to be asked, and another user.
        try await browser.get(shop.path(["scope": "openid profile email offline_access"]))
        #expect(browser.title == "Continue to Shop")
        try await browser.get(shop.path(["scope": "openid email", "prompt": "none"]), follows: false)
        #expect(browser.answer["error"] == "consent_required")
        try await browser.get(shop.path(["prompt": "consent"]))
        #expect(browser.title == "Continue to Shop")
        let stranger = TestBrowser(server)
        try await stranger.signUp("kim@example.com", at: server, for: shop)
        #expect(stranger.answer["code"] == nil && stranger.title == "Continue to Shop")

        // Another browser's form, and another user's session, take nothing back.
        try await stranger.get(page)
        #expect(!stranger.html.contains("Applications that you allowed"))
        try await browser.get(page)
        #expect(browser.html.contains("Applications that you allowed"))
        let form = try #require(browser.forms.first { $0.names.contains("client") })
        try await stranger.post(form.action, form.fields + [(".action", "withdraw")])
        #expect(try await server.count("SELECT COUNT(*) FROM consents") == 1)

        try await browser.submit(["client": TestDirectory.shop], action: "withdraw")
        #expect(browser.status == 200 && !browser.html.contains("Applications that you allowed"))
        #expect(try await server.count("SELECT COUNT(*) FROM consents") == 0)
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'consent.withdrawn'") == 1)
        let refused = try await shop.redeem(
            "", at: server,
            [
                "grant_type": "refresh_token", "refresh_token": refresh, "code": nil, "redirect_uri": nil,
                "code_verifier": nil, "client_secret": TestDirectory.shopSecret,
            ])
        #expect(refused["error"] == "invalid_grant")
        try await browser.get(shop.path(["prompt": "none"]), follows: false)
        #expect(browser.answer["error"] == "consent_required")
    }

    @Test("OIDC-26: who signs in in another tab is not the user that the question named, and answers for no one")
    func consentOfAnotherUser() async throws {
        let (server, shop) = try foreignShop()
        let other = TestRelyingParty(.emailPassword)
        let browser = TestBrowser(server)
        try await browser.signUp("kim@example.com", at: server, for: other)
        try await browser.signUp(email, at: server, for: shop)
        #expect(browser.html.contains(email))
        let form = try #require(browser.forms.first { $0.names.contains(".action") })
        try await browser.signIn("kim@example.com", for: other, ["prompt": "login"])
        try await browser.post(form.action, form.fields + [(".action", "next")])
        #expect(browser.answer["code"] == nil && browser.title == "Sign in")
        #expect(try await server.count("SELECT COUNT(*) FROM consents") == 0)
    }

    @Test(
        "OIDC-26: a request for a fresh sign-in is asked once and goes on; a wish to ask is kept after a sign-in",
        arguments: [["prompt": "login"], ["max_age": "1"], ["prompt": "login consent"]])
    func freshConsent(_ changes: [String: String]) async throws {
        let (server, shop) = try foreignShop()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        try await browser.submit([:])
        #expect(browser.answer["code"] != nil)
        server.clock.advance(by: 5)
        try await browser.signIn(email, for: shop, changes.mapValues { $0 })
        if changes["prompt"] == "login consent" {
            #expect(browser.answer["code"] == nil && browser.title == "Continue to Shop")
            server.clock.advance(by: 5)
            try await browser.submit([:])
        }
        #expect(browser.answer["code"] != nil)
        // Before the first consent, too.
        let newcomer = TestBrowser(server)
        try await newcomer.signUp("kim@example.com", at: server, for: other)
        server.clock.advance(by: 5)
        try await newcomer.signIn("kim@example.com", for: shop, changes.mapValues { $0 })
        #expect(newcomer.title == "Continue to Shop")
        server.clock.advance(by: 5)
        try await newcomer.submit([:])
        #expect(newcomer.answer["code"] != nil)
    }

    @Test("OIDC-26: a code that waits is of no use after the user has taken the consent back")
    func withdrawnBeforeRedemption() async throws {
        let (server, shop) = try foreignShop()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        try await browser.submit([:])
        let code = try #require(browser.answer["code"])
        try await browser.get("/\(shop.tenant)/account/sessions")
        try await browser.submit(["client": TestDirectory.shop], action: "withdraw")
        let refused = try await shop.redeem(code, at: server, ["client_secret": TestDirectory.shopSecret])
        #expect(refused.status == 400 && refused["error"] == "invalid_grant")
        #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == 0)
    }

    @Test("OIDC-26: another organisation's application has no native authentication")
    func nativeConsent() async throws {
        let (server, _) = try foreignShop()
        let answer = try await server.client(id: TestDirectory.shop).initiate(email)
        #expect(answer.status == 400)
    }

    private var other: TestRelyingParty { TestRelyingParty(.emailPassword) }

    @Test("OIDC-26: the users of another organisation's application are asked, after the sign-in and with a session")
    func consent() async throws {
        let (server, shop) = try foreignShop()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        #expect(browser.answer["code"] == nil && browser.title == "Continue to Shop")
        try await browser.submit([:], action: "decline")
        #expect(browser.answer["error"] == "access_denied")
        #expect(browser.answer["error_description"]?.hasPrefix("AADSTS65004") == true)
        try await browser.get(shop.path(["prompt": "none"]))
        #expect(browser.answer["error"] == "consent_required")
        try await browser.get(shop.path())
        #expect(browser.title == "Continue to Shop")
        try await browser.submit([:])
        let answer = try await shop.redeem(
            try #require(browser.answer["code"]), at: server, ["client_secret": TestDirectory.shopSecret])
        #expect(answer.status == 200)
    }

    @Test("OIDC-15: tokens state the proofs of the moment when the code was issued")
    func proofsOfTheCode() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            // A sign-up proves two factors.
            try await browser.signUp(email, at: server, for: party, ["claims": Self.contexts])
            #expect(browser.title == "Add a second mailbox")
            try await browser.submit(["contact": email])
            let code = try #require(browser.answer["code"])
            server.clock.advance(by: 10)
            try await browser.signIn(email, for: party, ["prompt": "login"])
            let answer = try await party.redeem(code, at: server)
            let token = try #require(answer.text("access_token"))
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            let claims = try JSONDecoder().decode([String: JSON].self, from: payload)
            #expect(claims["acrs"] == ["c1"] && claims["amr"]?.array.contains("mfa") == true)
        }
    }

    @Test("OIDC-10: a confidential application proves itself for every token, by native authentication too")
    func confidentialNative() async throws {
        let directory = try TestDirectory.directory()
        var entries = directory.entries
        let index = try #require(entries[0].applications.firstIndex { $0.id.description == TestDirectory.shop })
        entries[0].applications[index].isNativeAuthEnabled = true
        let open = TenantDirectory(entries)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.clients = open
        }
        let client = server.client(id: TestDirectory.shop)
        let sent = try await client.challenge(client.start(email).token)
        let proven = try await client.submit(code: server.mailbox.code(to: email), sent.token)
        let asked = try await client.challenge(proven.token)
        let done = try await client.submit(password: WireClient.password, asked.token)
        let refused = try await client.redeem(done.token)
        #expect(refused.status == 401 && refused["error_codes"] == [7_000_216])
        let fields: Fields = [
            ("grant_type", "continuation_token"), ("continuation_token", try done.token), ("scope", "openid"),
            ("client_secret", TestDirectory.shopSecret),
        ]
        #expect(try await client.post(.token, fields).status == 200)
    }
}
