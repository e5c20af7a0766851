import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Tickets: an app opens a page with its user signed in (docs/protocol.md §21.11).
@Suite("Tickets to the browser")
struct TicketTests {
    private let email = "dana@example.com"
    private let app = IdentityTestServer.Application.emailPassword.rawValue
    /// An application of a server, with its request at the authorization endpoint.
    private let shop = TestRelyingParty(client: TestDirectory.shop, redirect: "https://shop.example/back")
    private static let direct = ["sec-fetch-site": "none"]

    /// A server whose app opens the account page, the shop and itself.
    private func server(
        _ change: (inout TenantDirectory.Entry) throws -> Void = { _ in }
    ) async throws -> IdentityTestServer {
        var entries = try TestDirectory.directory().entries
        let index = try #require(entries[0].applications.firstIndex { $0.id.description == app })
        entries[0].applications[index].web.opensInBrowser = [
            Client.accountPageID, try #require(ClientID(TestDirectory.shop)), try #require(ClientID(app)),
        ]
        try change(&entries[0])
        let directory = TenantDirectory(entries)
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
    }

    /// A native sign-up, and its refresh token.
    private func signedUp(_ server: IdentityTestServer, _ email: String? = nil) async throws -> String {
        let email = email ?? self.email
        let client = server.client(id: app)
        let sent = try await client.challenge(client.start(email, [("password", WireClient.password)]).token)
        let done = try await client.submit(code: server.mailbox.code(to: email), sent.token)
        let tokens = try await client.redeem(done.token, scope: "openid profile offline_access")
        return try #require(tokens.text("refresh_token"), "\(tokens)")
    }

    private func ticket(
        _ server: IdentityTestServer, _ refresh: String, for target: String = "account", challenge: String? = nil,
        by transport: (any HTTPTransport)? = nil
    ) async throws -> String {
        var client = server.client(id: app)
        if let transport { client.transport = transport }
        let answer = try await client.ticket(refresh, for: target, challenge: challenge)
        return try #require(answer.text("access_token"), "\(answer)")
    }

    private func open(
        _ browser: TestBrowser, _ ticket: String, headers: [String: String] = direct, follows: Bool = true
    ) async throws {
        try await browser.get("/contoso/account?ticket=\(ticket)", headers: headers, follows: follows)
    }

    /// Opens an application's request, and says yes where a ticket asks.
    private func enter(_ browser: TestBrowser, _ path: String) async throws {
        try await browser.get(path, headers: Self.direct)
        if browser.html.contains("is signed in as") { try await browser.submit([:]) }
    }

    private func sessions(_ server: IdentityTestServer) async throws -> Int {
        try await server.count("SELECT COUNT(*) FROM browser_sessions")
    }

    private func limited(_ server: IdentityTestServer, _ address: String) throws -> any HTTPTransport {
        InProcessTransport(
            routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress(address))
    }

    private func fault(_ answer: WireAnswer) -> String {
        let numbers = answer["error_codes"]?.array.compactMap {
            if case .integer(let number) = $0 { number } else { nil }
        }
        return "\(answer.text("error") ?? "none") \(numbers ?? [])"
    }

    @Test("OIDC-33: an app opens the account page, and its user is signed in there, once")
    func theAccountPage() async throws {
        let server = try await server()
        let refresh = try await signedUp(server)
        let signedInAt = server.clock.now
        server.clock.advance(by: 30)
        let answer = try await server.client(id: app).ticket(refresh, for: "account")
        #expect(answer.status == 200 && answer["expires_in"] == 60 && answer.text("token_type") == "N_A")
        #expect(answer.text("issued_token_type") == "urn:swift-native-auth:token-type:browser-ticket")
        #expect(Set(answer.members.keys) == ["access_token", "issued_token_type", "token_type", "expires_in"])
        let ticket = try #require(answer.text("access_token"))
        #expect(ticket.utf8.count == 43)

        let browser = TestBrowser(server)
        try await open(browser, ticket, follows: false)
        #expect(browser.status == 303 && browser.location?.contains("ticket") == false)
        #expect(browser.headers["referrer-policy"] == "no-referrer" && browser.headers["cache-control"] == "no-store")
        try await browser.get(#require(browser.location))
        #expect(browser.title == "Your account" && browser.html.contains(email))
        let session = try #require(try await stored(server).first)
        #expect(session.authentication.authenticatedAt == signedInAt && !session.isKept)
        // The code of the sign-up would allow a first method for the second factor: it must be newer than a ticket is.
        #expect(session.authentication.methods == ["pwd"])
        #expect(try await server.audited(.browserSignedIn) == 1)
        // The app's own session is as before.
        #expect(try await server.client(id: app).refresh(refresh).status == 200)

        let other = TestBrowser(server)
        try await open(other, ticket)
        #expect(other.title == "Sign in")
        #expect(try await sessions(server) == 1)
    }

    /// The stored sessions.
    private func stored(_ server: IdentityTestServer) async throws -> [BrowserSession] {
        let users = try await server.storedUsers()
        var found: [BrowserSession] = []
        for user in users {
            found += try await server.engine.ports.browsers.browserSignIns(of: user.id, in: user.tenant).map(\.session)
        }
        return found
    }

    @Test("OIDC-33: another application is entered with the request that the ticket was made for, and its PKCE")
    func anApplication() async throws {
        let server = try await server()
        let refresh = try await signedUp(server)
        let ticket = try await ticket(server, refresh, for: shop.client, challenge: shop.challenge)
        let browser = TestBrowser(server)
        // It always asks: a browser says that no page led here after a redirect, too.
        try await browser.get(shop.path(["ticket": ticket]), headers: Self.direct, follows: false)
        #expect(browser.status == 303 && browser.location?.contains("ticket") == false)
        try await browser.get(#require(browser.location))
        #expect(browser.title == "Continue to Shop" && browser.html.contains(email))
        #expect(try await sessions(server) == 0)
        try await browser.submit([:])
        let code = try #require(browser.answer["code"], "\(browser.title ?? "no title")")
        #expect(browser.destination?.hasPrefix("https://shop.example/back?") == true)
        #expect(browser.destination?.contains("ticket") == false && browser.answer["state"] == "st|{\"a\":1}")
        let tokens = try await shop.redeem(code, at: server, ["client_secret": TestDirectory.shopSecret])
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await sessions(server) == 1)
    }

    @Test("OIDC-33: an app's own request asks once more, since another app may have its redirect address")
    func theOwnRequest() async throws {
        let server = try await server()
        let refresh = try await signedUp(server)
        var party = TestRelyingParty(.emailPassword)
        party.redirect = "msauth.com.example.app://auth"
        let own = TestRelyingParty(.emailPassword)
        let ticket = try await ticket(server, refresh, for: own.client, challenge: own.challenge)
        let browser = TestBrowser(server)
        try await browser.get(own.path(["ticket": ticket]), headers: Self.direct, follows: false)
        // A page with its own address: the ticket is in none.
        #expect(browser.status == 303 && browser.location?.contains("/web/") == true)
        try await browser.get(#require(browser.location))
        #expect(browser.title == "Continue to Password" && browser.html.contains(email))
        try await browser.submit([:])
        #expect(browser.answer["code"] != nil)
    }

    @Test("OIDC-33: the session is for the ticket's target: any other application asks for a sign-in")
    func oneTarget() async throws {
        let server = try await server()
        let refresh = try await signedUp(server)
        let browser = TestBrowser(server)
        try await open(browser, ticket(server, refresh))
        #expect(browser.title == "Your account")
        try await browser.get(shop.path(["prompt": "none"]))
        #expect(browser.answer["error"] == "login_required")
        try await browser.get(shop.path())
        #expect(browser.title == "Sign in")
        // Another ticket adds its target, and the session stays the same one.
        let before = try #require(try await stored(server).first)
        try await enter(
            browser, shop.path(["ticket": ticket(server, refresh, for: shop.client, challenge: shop.challenge)]))
        #expect(browser.answer["code"] != nil)
        let after = try await stored(server)
        #expect(after.map(\.id) == [before.id] && after[0].createdAt == before.createdAt)
        try await browser.get(shop.path(["prompt": "none"]))
        #expect(browser.answer["code"] != nil)
        try await browser.get("/contoso/account")
        #expect(browser.title == "Your account")
        // An own sign-in in the browser ends the bounds.
        let party = TestRelyingParty(.emailPassword)
        try await browser.signIn(email, for: party)
        #expect(browser.answer["code"] != nil)
        let signedIn = try await stored(server)
        #expect(signedIn.count == 1 && signedIn[0].authentication.handover == nil)
    }

    @Test(
        "OIDC-33, SEC-ENR-2: with nothing but a fresh refresh token no address, password or method changes, and no account ends"
    )
    func neverFresh() async throws {
        for part in ["email", "methods", "deletion", "password"] {
            let server = try await server()
            let browser = TestBrowser(server)
            try await open(browser, ticket(server, signedUp(server)))
            try await browser.get("/contoso/account/\(part)")
            if part == "password" {
                // A password is changed with the present one.
                #expect(browser.forms.contains { $0.names.contains("password") })
            } else {
                #expect(browser.title == "Confirm that it is you", "\(part)")
                try await browser.submit([:])
                #expect(browser.title == "Enter your password", "\(part)")
            }
        }
        let server = try await server()
        let client = server.client(.emailOneTimePasscode)
        let done = try await server.signUp(with: client)
        let refresh = try #require(try await client.redeem(done.token).text("refresh_token"))
        let ticket = try #require(try await client.ticket(refresh, for: "account").text("access_token"))
        let browser = TestBrowser(server)
        try await open(browser, ticket)
        #expect(browser.title == "Your account")
        for part in ["email", "password"] {
            try await browser.get("/contoso/account/\(part)")
            #expect(browser.title == "Confirm that it is you", "\(part)")
        }
        let own = TestRelyingParty(.emailPassword)
        try await browser.get(own.path(["max_age": "3600"]))
        #expect(browser.title == "Sign in")
    }

    @Test("OIDC-33: the session ends with that of the app")
    func endsWithTheApp() async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        try await open(browser, ticket(server, signedUp(server)))
        #expect(browser.title == "Your account")
        _ = try await server.rows("UPDATE refresh_families SET revoked_at = created_at")
        try await browser.get("/contoso/account")
        #expect(browser.title == "Sign in")
    }

    /// The tokens that an application gets by a ticket, with its refresh token.
    private func tokens(
        by refresh: String, at server: IdentityTestServer, scope: String = AccountCaller.scope
    ) async throws -> WireAnswer {
        let own = TestRelyingParty(.emailPassword)
        let browser = TestBrowser(server)
        let ticket = try await ticket(server, refresh, for: own.client, challenge: own.challenge)
        try await enter(browser, own.path(["ticket": ticket, "scope": scope]))
        let code = try #require(browser.answer["code"], "\(browser.title ?? "no title")")
        return try await own.redeem(code, at: server, ["scope": scope])
    }

    @Test(
        "OIDC-33, SEC-ENR-3: the tokens that a ticket leads to are no fresh proof: they change nothing that needs one")
    func tokensAreNeverFresh() async throws {
        let server = try await server()
        let answer = try await tokens(by: signedUp(server), at: server)
        let caller = try AccountCaller(answer, server)
        #expect(try await caller.send("GET", AccountCaller.me).status == 200)
        let refreshed = try AccountCaller(
            try await server.client(id: app).refresh(caller.refreshToken, scope: AccountCaller.scope), server)
        for thief in [caller, refreshed] {
            for (method, path, body) in [
                ("POST", AccountCaller.beta + "/nativeAuth.addAuthenticatorApp", "{}"),
                ("POST", AccountCaller.beta + "/nativeAuth.addEmailMethod", #"{"emailAddress":"thief@example.net"}"#),
                ("POST", AccountCaller.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"thief@example.net"}"#),
                ("DELETE", AccountCaller.me, nil),
            ] as [(String, String, String?)] {
                let refused = try await thief.send(method, path, body)
                #expect(refused.status == 401 && refused["error"]?["code"] != nil, "\(path) \(refused)")
            }
        }
    }

    @Test("OIDC-33: the tokens that a ticket led to end with the app's session, and live no longer")
    func tokensEndWithTheApp() async throws {
        for end in ["signed out", "reused", "expired"] {
            let server = try await server()
            let client = server.client(id: app)
            var refresh = try await signedUp(server)
            let caller = try AccountCaller(try await tokens(by: refresh, at: server), server)
            let opened = try await client.refresh(caller.refreshToken, scope: AccountCaller.scope)
            #expect(opened.status == 200, "\(opened)")
            switch end {
            case "signed out":
                _ = try await server.rows("UPDATE refresh_families SET revoked_at = created_at WHERE parent IS NULL")
            case "reused":
                // The owner's app exchanged the stolen token.
                let next = try #require(try await client.refresh(refresh).text("refresh_token"))
                server.clock.advance(by: 600)
                #expect(try await client.refresh(refresh).status == 400)
                refresh = next
            default:
                _ = try await server.rows("UPDATE refresh_families SET expires_at = created_at WHERE parent IS NULL")
            }
            #expect(try await !caller.isLive, "\(end)")
            let after = try await client.refresh(
                try #require(opened.text("refresh_token")), scope: AccountCaller.scope)
            #expect(after.status == 400 && after["error"] == "invalid_grant", "\(end) \(after)")
        }
    }

    @Test("SEC-ENR-3: a refreshed token adds no contact without a code to the own mailbox")
    func refreshedTokens() async throws {
        let server = try FactorDirectory.server { $0.enrolment = .proven }
        _ = try await server.signUp("erik@example.com")
        let first = try await AccountCaller.withCode(server, "erik@example.com")
        let add = AccountCaller.beta + "/nativeAuth.addAuthenticatorApp"
        #expect(try await first.send("POST", add, "{}")["secretKey"] != nil, "in the sign-in itself")
        server.clock.advance(by: 2)
        let refreshed = try AccountCaller(
            try await server.client().refresh(first.refreshToken, scope: AccountCaller.scope), server)
        let begun = try await refreshed.send("POST", add, "{}")
        #expect(begun.status == 202 && begun["secretKey"] == nil && begun["targetLabel"] != nil, "\(begun)")
    }

    @Test("OIDC-33: a silent request takes no ticket: it could not ask")
    func silentRequests() async throws {
        let server = try await server()
        let ticket = try await ticket(
            server, signedUp(server), for: shop.client, challenge: shop.challenge)
        let browser = TestBrowser(server)
        try await browser.get(shop.path(["ticket": ticket, "prompt": "none"]), headers: Self.direct)
        #expect(browser.answer["error"] == "login_required")
        #expect(try await sessions(server) == 0)
    }

    enum Wrong: String, CaseIterable, Sendable {
        case twice, tooLate, otherNetwork, otherTarget, otherChallenge, otherTenant, malformed, empty, sentTwice
    }

    @Test("OIDC-33: used, too old, from elsewhere, or for another request: it opens nothing", arguments: Wrong.allCases)
    func wrongUses(_ wrong: Wrong) async throws {
        let server = try await server()
        let refresh = try await signedUp(server)
        let (here, elsewhere) = (try limited(server, "192.0.2.7"), try limited(server, "198.51.100.9"))
        let ticket = try await ticket(server, refresh, for: shop.client, challenge: shop.challenge, by: here)
        let browser = TestBrowser(wrong == .otherNetwork ? elsewhere : here)
        var path = shop.path(["ticket": ticket])
        var usedBefore = 0
        switch wrong {
        case .twice:
            try await enter(TestBrowser(here), path)
            usedBefore = 1
        case .tooLate: server.clock.advance(by: 60)
        case .otherNetwork: break
        case .otherTarget: path = TestRelyingParty(.emailPassword).path(["ticket": ticket])
        case .otherChallenge: path = shop.path(["ticket": ticket, "code_challenge": String(repeating: "A", count: 43)])
        case .otherTenant: path = path.replacing("/contoso/", with: "/fabrikam/")
        case .malformed: path = shop.path(["ticket": String(ticket.reversed())])
        case .empty: path = shop.path(["ticket": ""])
        case .sentTwice: path += "&ticket=\(ticket)"
        }
        try await enter(browser, path)
        #expect(browser.answer["code"] == nil)
        #expect(try await sessions(server) == usedBefore)
        // Within the network, the time and the request, the right use works after a wrong one only where that could not
        // know the ticket.
        guard [.malformed, .empty, .otherTenant, .otherTarget].contains(wrong) else { return }
        try await enter(browser, shop.path(["ticket": ticket]))
        #expect(browser.answer["code"] != nil, "\(browser.title ?? "no title")")
    }

    @Test("OIDC-33: a page led here: the user must say so first, or another site could sign this browser in")
    func withoutAClick() async throws {
        for site in ["cross-site", "same-site", "same-origin", nil] as [String?] {
            let server = try await server()
            let ticket = try await ticket(server, signedUp(server))
            let browser = TestBrowser(server)
            try await open(browser, ticket, headers: site.map { ["sec-fetch-site": $0] } ?? [:])
            #expect(browser.title == "Continue to Contoso" && browser.html.contains(email), "\(site ?? "none")")
            #expect(browser.html.contains("The app “Password” is signed in as \(email)."))
            #expect(try await sessions(server) == 0)
            // The address is used up, and the question is this browser's.
            let other = TestBrowser(server)
            try await open(other, ticket)
            #expect(other.title == "Sign in")
            // Longer than the ticket lives in an address.
            server.clock.advance(by: 500)
            let form = try #require(browser.forms.first)
            try await browser.submit([:])
            #expect(browser.title == "Your account")
            #expect(try await sessions(server) == 1)
            // The click again, after a sign-out: there is no way back.
            let cookies = browser.cookies
            try await browser.get("/contoso/\(MetadataEndpoint.logout.rawValue)")
            try await browser.submit([:])
            browser.cookies = cookies.filter { !$0.key.contains("na-s-") }
            try await browser.post(form.action, form.fields + [(".action", "next")])
            #expect(try await sessions(server) == 0)
        }
    }

    @Test("OIDC-33: a user who does not want it signs in as ever")
    func declined() async throws {
        let server = try await server()
        for action in ["other", "cancel"] {
            let ticket = try await ticket(server, signedUp(server, "\(action)@example.com"))
            let browser = TestBrowser(server)
            try await open(browser, ticket, headers: [:])
            try await browser.submit([:], action: action)
            #expect(browser.title == (action == "other" ? "Sign in" : "You are signed out"), "\(action)")
        }
        #expect(try await sessions(server) == 0)
    }

    @Test("OIDC-33: a browser of another user asks, and then that session ends; one of the same user stays as it is")
    func otherSessions() async throws {
        let server = try await server()
        let dana = try await signedUp(server)
        let browser = TestBrowser(server)
        try await browser.signUp("robin@example.com", at: server, for: TestRelyingParty(.emailPassword))
        let robins = try #require(try await stored(server).first)

        try await open(browser, ticket(server, dana))
        #expect(browser.title == "Continue to Contoso")
        #expect(browser.html.contains("You are signed in as robin@example.com."))
        #expect(browser.html.contains("Continue as \(email)") && browser.html.contains("Continue as robin@example.com"))
        try await browser.submit([:], action: "other")
        #expect(browser.title == "Your account" && browser.html.contains("robin@example.com"))
        #expect(try await stored(server).map(\.id) == [robins.id])

        try await open(browser, ticket(server, dana))
        try await browser.submit([:])
        #expect(browser.title == "Your account" && browser.html.contains(email))
        let danas = try await stored(server)
        #expect(danas.count == 1 && danas[0].id != robins.id)

        // Never upgraded: the same session, the same cookie.
        let cookies = browser.cookies
        server.clock.advance(by: 20)
        try await open(browser, ticket(server, dana))
        #expect(browser.title == "Your account" && browser.cookies == cookies)
        #expect(try await stored(server).map(\.digest) == danas.map(\.digest))
    }

    @Test("OIDC-33: after a sign-out, a reset, or the end of the account a ticket is worth nothing")
    func endedSessions() async throws {
        for end in ["signed out", "disabled", "reset", "expired"] {
            let server = try await server()
            let refresh = try await signedUp(server)
            let ticket = try await ticket(server, refresh)
            let client = server.client(id: app)
            switch end {
            case "signed out":
                _ = try await client.send(
                    client.request(
                        "POST", "/contoso/\(MetadataEndpoint.revocation.rawValue)",
                        headers: ["content-type": WireClient.form],
                        body: Data("client_id=\(app)&token=\(refresh)".utf8)))
            case "disabled": _ = try await server.rows("UPDATE users SET disabled_at = created_at")
            case "reset": try await server.reset(email)
            case _: _ = try await server.rows("UPDATE refresh_families SET expires_at = created_at")
            }
            let browser = TestBrowser(server)
            try await open(browser, ticket)
            #expect(browser.title == "Sign in", "\(end)")
            #expect(try await sessions(server) == 0, "\(end)")
        }
    }

    @Test("OIDC-33: only what the tenant file lists, only for public applications, and never from a page")
    func whoMay() async throws {
        let server = try await server()
        let refresh = try await signedUp(server)
        let client = server.client(id: app)
        let challenge = shop.challenge
        #expect(
            try await fault(client.ticket(refresh, for: TestDirectory.page, challenge: challenge))
                == "unauthorized_client [70001]")
        #expect(
            try await fault(client.ticket(refresh, for: "account", headers: ["origin": "https://app.example"]))
                == "invalid_request [9002326]")
        #expect(
            try await fault(server.client(id: TestDirectory.page).ticket(refresh, for: "account"))
                == "unauthorized_client [70001]")
        // Not the refresh token of this application.
        let confidential = try await self.server { entry in
            let index = try #require(entry.applications.firstIndex { $0.id.description == TestDirectory.shop })
            entry.applications[index].web.opensInBrowser = [Client.accountPageID]
        }
        #expect(
            try await fault(
                confidential.client(id: TestDirectory.shop).ticket(
                    refresh, for: "account", ["client_secret": TestDirectory.shopSecret]))
                == "unauthorized_client [70001]")
        let wrong: [([String: String?], String)] = [
            (["subject_token": nil], "invalid_request [900144]"), (["subject_token": ""], "invalid_request [90100]"),
            (["subject_token": "x"], "invalid_grant [70000]"),
            (["subject_token_type": nil], "invalid_request [900144]"),
            (
                ["subject_token_type": "urn:ietf:params:oauth:token-type:access_token"],
                "invalid_request [90100]"
            ),
            (["requested_token_type": nil], "invalid_request [900144]"),
            (["requested_token_type": "x"], "invalid_request [90100]"), (["audience": nil], "invalid_request [900144]"),
            (["audience": "x"], "invalid_request [90100]"),
            (["audience": Client.accountPageID.description], "invalid_request [90100]"),
            (["code_challenge": challenge], "invalid_request [90100]"),
            (["audience": shop.client], "invalid_request [900144]"),
            (["audience": shop.client, "code_challenge": "short"], "invalid_request [90100]"),
        ]
        for (changes, expected) in wrong {
            #expect(try await fault(client.ticket(refresh, for: "account", changes)) == expected, "\(changes)")
        }
        #expect(try await server.count("SELECT COUNT(*) FROM pushed_requests") == 0)
    }

    @Test("OIDC-33: a stolen refresh token that was exchanged long ago gives no ticket, and ends its family")
    func reuse() async throws {
        let server = try await server()
        let first = try await signedUp(server)
        let client = server.client(id: app)
        let second = try #require(try await client.refresh(first).text("refresh_token"))
        // A moment after the exchange both are the app's.
        #expect(try await client.ticket(first, for: "account").status == 200)
        server.clock.advance(by: 40)
        #expect(try await fault(client.ticket(first, for: "account")) == "invalid_grant [50173]")
        #expect(try await server.audited(.tokenReuseDetected) == 1)
        #expect(try await fault(client.ticket(second, for: "account")) == "invalid_grant [50173]")
    }

    @Test("OIDC-33, SEC-OAUTH-9: a session that is bound to a key needs the proof of that key")
    func boundSessions() async throws {
        let server = try await server()
        let party = TestRelyingParty(.emailPassword)
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        let key = TestKey(server)
        let tokens = try await party.redeem(
            #require(browser.answer["code"]), at: server, headers: key.proof())
        let refresh = try #require(tokens.text("refresh_token"), "\(tokens)")
        let client = server.client(id: app)
        #expect(try await fault(client.ticket(refresh, for: "account")) == "invalid_dpop_proof [90023]")
        #expect(
            try await fault(client.ticket(refresh, for: "account", headers: TestKey(server).proof()))
                == "invalid_grant [70000]")
        #expect(try await client.ticket(refresh, for: "account", headers: key.proof()).status == 200)
    }

    @Test("OIDC-33: 20 browsers at once with one ticket: one session")
    func race() async throws {
        let server = try await server()
        let ticket = try await ticket(server, signedUp(server))
        let transport = server.transport
        let cookies = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let browser = TestBrowser(transport)
                    try await browser.get(
                        "/contoso/account?ticket=\(ticket)", headers: ["sec-fetch-site": "none"], follows: false)
                    return browser.setCookies.contains { $0.contains("na-s-") }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(cookies == 1)
        #expect(try await sessions(server) == 1)
    }

    @Test("OIDC-33: a session never states more than the app's: a changed mailbox, a method that rests")
    func proofs() throws {
        let now = IdentityTestServer.start
        let user = User(
            id: UserID(UUID()), tenant: TenantID(UUID()), email: email, alias: nil, hasPassword: true, attributes: [:],
            createdAt: now)
        func family(_ methods: [String]) -> RefreshFamily {
            RefreshFamily(
                id: UUID(), tenant: user.tenant, client: Client.accountPageID, user: user.id, scopes: [],
                methods: methods, authenticatedAt: now + 10, createdAt: now + 10, expiresAt: now + 1_000,
                tokenDigest: Data())
        }
        func account(hasPassword: Bool = true, _ change: (inout UserAccount) -> Void = { _ in }) -> UserAccount {
            var account = UserAccount(
                user: user, passwordHash: hasPassword ? PasswordHash(phc: "x") : nil, credentialVersion: 3,
                credentialsChangedAt: now)
            change(&account)
            return account
        }
        func methods(_ methods: [String], _ account: UserAccount) -> [String]? {
            Authentication(of: family(methods), account)?.methods
        }
        #expect(methods(["pwd"], account()) == ["pwd"])
        #expect(methods(["otp"], account(hasPassword: false)) == ["otp"])
        let mailbox = try #require(EmailAddress(stored: "phone@example.org"))
        func enrolled(restsSince date: Date? = nil, _ change: (inout UserAccount) -> Void = { _ in }) -> UserAccount {
            account {
                $0.strongMethods = [StrongMethod(id: UUID(), email: mailbox, provenAt: now, suspendedAt: date)]
                change(&$0)
            }
        }
        #expect(methods(["pwd", "otp", "mfa"], enrolled()) == ["pwd", "otp", "mfa"])
        #expect(methods(["pwd", "otp", "mfa"], enrolled { $0.passwordIsFromReset = true }) == ["pwd", "otp"])
        #expect(methods(["pwd", "otp", "mfa"], enrolled(restsSince: now)) == ["pwd"])
        // A first method needs a code of the own mailbox; a stolen refresh token has none (SEC-ENR-2).
        #expect(methods(["pwd", "otp", "mfa"], account()) == ["pwd"])
        // A password that counts for more since gives no more than the app had.
        #expect(methods(["pwd", "otp"], enrolled()) == ["pwd"])
        #expect(methods(["otp"], account()) == nil)
        #expect(methods(["pwd"], account(hasPassword: false)) == nil)
        #expect(methods([], account()) == nil)
        // Another mailbox since.
        #expect(methods(["otp"], account(hasPassword: false) { $0.emailProvenAt = now + 20 }) == nil)
        #expect(methods(["pwd", "otp", "mfa"], enrolled { $0.emailProvenAt = now + 20 }) == ["pwd"])
        #expect(methods(["otp"], account(hasPassword: false) { $0.emailProvenAt = now + 5 }) == ["otp"])
    }
}
