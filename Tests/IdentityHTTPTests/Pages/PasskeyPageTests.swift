import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import SoftPasskeys
import Testing

@testable import IdentityHTTP

/// Passkeys at the hosted pages. What a page's script does, the test does: it reads the options of the page, asks the device, and
/// sends the field.
@Suite("Passkeys at the hosted pages")
struct PasskeyPageTests {
    private static let methods = "/contoso/account/methods"
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"

    /// - Parameter host: The relying party.
    private static func server(
        passkeysOf host: String? = "identity.test", levels: [LevelRule] = []
    ) throws -> IdentityTestServer {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.passkeys = host.map { PasskeySettings(relyingPartyID: $0) }
        contoso.tenant.levels = levels
        let directory = TenantDirectory([contoso])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.clients = directory
        }
    }

    /// A user of a password, signed in, with a passkey of the device.
    private func withPasskey(
        _ server: IdentityTestServer, _ email: String? = nil, on device: SoftAuthenticator
    ) async throws -> TestBrowser {
        let browser = TestBrowser(server)
        try await browser.signUp(email ?? self.email, at: server, for: party)
        try await browser.get(Self.methods)
        try await browser.submit([:], action: "add-passkey")
        #expect(browser.title == "Add a passkey")
        try await browser.create(on: device)
        #expect(browser.title == "Your account" && browser.html.contains("The change is saved."))
        return browser
    }

    @Test("A passkey is added at the account page, and signs its user in, who is not named")
    func addingAndSigningIn() async throws {
        let (server, device) = (try Self.server(), SoftAuthenticator())
        let owner = try await withPasskey(server, on: device)
        try await owner.get(Self.methods)
        #expect(owner.html.contains("<strong>Passkey</strong><span class=\"sub\">Added: <time"))
        #expect(try #require(owner.headers["permissions-policy"]).contains("publickey") == false)
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        #expect(browser.html.contains("value=\"passkey\" formnovalidate data-passkeys hidden>"))
        try await browser.submit(["username": ""], action: "passkey")
        #expect(browser.title == "Use your passkey" && browser.html.contains("This browser cannot use passkeys"))
        #expect(try browser.options.contains(#""allowCredentials":[]"#))
        try await browser.get(on: device)
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        #expect(tokens.status == 200, "\(tokens)")
        try await browser.get("/contoso/account")
        #expect(browser.title == "Your account" && browser.html.contains(email))
    }

    /// What the page's script fetches to suggest passkeys at the field of the name.
    private func suggestion(_ browser: TestBrowser, headers: [String: String] = [:]) async throws -> String {
        let page = browser.html
        let form = try #require(browser.forms.first { $0.names.contains("username") }, "\(page)")
        try await browser.post(
            form.action, form.fields + [(".action", "suggest")], headers: headers, follows: false)
        return browser.html
    }

    @Test("The browser suggests a passkey at the field of the name, and signs its user in without another page")
    func suggested() async throws {
        let (server, device) = (try Self.server(), SoftAuthenticator())
        _ = try await withPasskey(server, on: device)
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        #expect(browser.html.contains("autocomplete=\"username webauthn\""), "\(browser.html)")
        let form = try #require(browser.forms.first { $0.names.contains("passkey") })
        let options = try await suggestion(browser)
        #expect(browser.status == 200 && browser.headers["cache-control"] == "no-store")
        #expect(options.contains(#""allowCredentials":[]"#), "\(options)")
        let answer = try await device.get(PasskeyRequest(json: options), style: .modal).json
        // The page is the same one, and its form is sent with the answer alone.
        let fields = form.fields.filter { $0.0 != "passkey" } + [("passkey", answer)]
        try await browser.post(form.action, fields)
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        #expect(tokens.status == 200, "\(tokens)")
        // The same answer in another browser's flow, and without a suggestion, is worth nothing.
        for suggests in [true, false] {
            let thief = TestBrowser(server)
            try await thief.get(party.path())
            let own = try #require(thief.forms.first { $0.names.contains("passkey") })
            if suggests { _ = try await suggestion(thief) }
            try await thief.post(own.action, own.fields.filter { $0.0 != "passkey" } + [("passkey", answer)])
            #expect(thief.answer["code"] == nil && thief.status == 422, "\(thief.html)")
            #expect(thief.title == (suggests ? "Use your passkey" : "Sign in"), "\(thief.html)")
        }
    }

    @Test("SEC-WEB-4: no other site has passkeys suggested, a sign-up and a tenant without passkeys suggest none")
    func notSuggested() async throws {
        let server = try Self.server()
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        _ = try await suggestion(browser, headers: ["origin": "https://evil.test", "sec-fetch-site": "cross-site"])
        #expect(browser.status == 403 && browser.setCookies.isEmpty, "\(browser.status)")
        try await browser.get(party.path(["prompt": "create"]))
        #expect(!browser.html.contains("data-suggest") && !browser.html.contains("webauthn"))
        let without = TestBrowser(try Self.server(passkeysOf: nil))
        try await without.get(party.path())
        #expect(!without.html.contains("data-suggest"))
        #expect(try await suggestion(without).isEmpty && without.status == 204)
    }

    @Test("SEC-RATE-4: pages have passkeys suggested 150 times an hour for a source, and then go on without")
    func suggestionsOfASource() async throws {
        let server = try Self.server()
        let transport = InProcessTransport(
            routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress("192.0.2.7"))
        var answers: [Int] = []
        for _ in 0..<152 {
            // The budget of all requests is another one.
            server.clock.advance(by: 0.5)
            let browser = TestBrowser(transport)
            try await browser.get(party.path())
            _ = try await suggestion(browser)
            answers.append(browser.status)
        }
        #expect(answers.prefix(150).allSatisfy { $0 == 200 } && answers.suffix(2) == [204, 204], "\(answers)")
        // The user's own beginning is of another budget.
        let browser = TestBrowser(transport)
        try await browser.get(party.path())
        try await browser.submit(["username": ""], action: "passkey")
        #expect(browser.title == "Use your passkey")
    }

    @Test("An application that demands a passkey: the page lets the user make one, after a code to the mailbox")
    func demanded() async throws {
        let rule = LevelRule(
            level: .phishingResistant, applications: [try #require(ClientID(party.client))])
        let (server, device) = (try Self.server(levels: [rule]), SoftAuthenticator())
        // The user signs up, and makes it at once.
        var browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        #expect(
            browser.title == "Add a passkey" && browser.html.contains("A stronger proof is needed here."),
            "\(browser.html)")
        #expect(browser.answer["code"] == nil)
        try await browser.submit([:], action: "cancel")
        // A password alone makes none: the mailbox comes first.
        browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        #expect(browser.title == "Check your mail", "\(browser.html)")
        try await browser.submit(["code": try await server.mailbox.code(to: email)])
        #expect(browser.title == "Add a passkey")
        // What the authenticator answers wrongly is asked for once more.
        let old = try browser.options
        try await browser.submit(["passkey": "{}"])
        #expect(browser.title == "Add a passkey" && browser.problem != nil, "\(browser.html)")
        #expect(try browser.options != old)
        try await browser.create(on: device)
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        #expect(
            try claims(of: tokens.text("access_token"))["amr"] == ["pwd", "otp", "hwk", "user", "mfa", "pop"])
        // The session is enough from now on, and another browser uses the passkey.
        try await browser.get(party.path())
        #expect(browser.title?.hasPrefix("Continue to") == true, "\(browser.html)")
        browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        #expect(browser.title == "Use your passkey" && !browser.html.contains("value=\"others\""))
        try await browser.get(on: device)
        #expect(browser.answer["code"] != nil, "\(browser.html)")
    }

    @Test("An application that demands an authenticator app: the page shows its key, and signs in with its first code")
    func appDemanded() async throws {
        let rule = LevelRule(level: .twoFactors, applications: [try #require(ClientID(party.client))])
        for takesPasskeys in [false, true] {
            let server = try Self.server(passkeysOf: takesPasskeys ? "identity.test" : nil, levels: [rule])
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            if takesPasskeys {
                // The passkey comes first, and the user can choose.
                #expect(browser.title == "Add a passkey", "\(browser.html)")
                try await browser.submit([:], action: "others")
                #expect(browser.html.contains(">Add an authenticator app<"), "\(browser.html)")
                try await browser.submit(["method": "totp"])
            }
            #expect(browser.title == "Add an authenticator app", "\(browser.html)")
            #expect(browser.html.contains("A stronger proof is needed here."))
            #expect(browser.html.contains("value=\"others\"") == takesPasskeys)
            #expect(browser.html.contains("otpauth://totp/"))
            let key = try #require(browser.html.firstMatch(of: /secret=([A-Z2-7]+)/)?.output.1)
            let app = try TestApp(key: String(key))
            try await browser.submit(["code": app.code(at: server.clock.now, later: 9)])
            #expect(browser.title == "Add an authenticator app" && browser.problem != nil, "\(browser.html)")
            try await browser.submit(["code": app.code(at: server.clock.now)])
            let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
            #expect(try claims(of: tokens.text("access_token"))["amr"] == ["pwd", "otp", "mfa"])
        }
    }

    @Test("SEC-MFA-4: a session that is too old to register a method signs in again, and then registers")
    func oldSession() async throws {
        let rule = LevelRule(level: .phishingResistant, scopes: ["api://orders/Orders.Pay"])
        let (server, device) = (try Self.server(levels: [rule]), SoftAuthenticator())
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        server.clock.advance(by: Duration.seconds(606))
        let stricter = ["scope": "openid api://orders/Orders.Pay"]
        try await browser.get(party.path(stricter.merging(["prompt": "none"]) { $1 }))
        #expect(browser.answer["code"] == nil)
        try await browser.get(party.path(stricter))
        if browser.title?.hasPrefix("Continue to") == true { try await browser.submit([:]) }
        #expect(browser.title == "Sign in", "\(browser.html)")
        try await browser.submit(["username": email])
        try await browser.submit(["password": TestBrowser.password])
        try await browser.submit(["code": try await server.mailbox.code(to: email)])
        #expect(browser.title == "Add a passkey", "\(browser.html)")
        try await browser.create(on: device)
        #expect(browser.answer["code"] != nil, "\(browser.html)")
    }

    @Test("SEC-MFA-1: a code is judged again when it is redeemed: proofs that are too old by then give no tokens")
    func lateCode() async throws {
        let rule = LevelRule(level: .oneFactor, maximumAge: 300, scopes: ["api://orders/Orders.Pay"])
        let server = try Self.server(levels: [rule])
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        for wait in [5, 30] {
            server.clock.advance(by: Duration.seconds(wait == 5 ? 270 : 0))
            try await browser.get(party.path(["scope": "openid api://orders/Orders.Pay"]))
            if browser.title?.hasPrefix("Continue to") == true { try await browser.submit([:]) }
            let code = try #require(browser.answer["code"], "\(browser.html)")
            server.clock.advance(by: Duration.seconds(wait))
            let tokens = try await party.redeem(code, at: server)
            #expect((tokens.status == 200) == (wait == 5), "\(wait): \(tokens)")
        }
    }

    @Test("Where nothing reaches what is demanded, the page leads to the account; an old session signs in again")
    func notReachable() async throws {
        let client = try #require(ClientID(party.client))
        // Passkeys of another host cannot be made at these pages.
        let other = try Self.server(
            passkeysOf: "other.example", levels: [LevelRule(level: .phishingResistant, applications: [client])])
        let browser = TestBrowser(other)
        try await browser.signUp(email, at: other, for: party)
        #expect(browser.title == "We cannot go on", "\(browser.html)")
        let account = try #require(
            TestBrowser.text(between: "quiet\" href=\"", "\"", in: browser.html), "\(browser.html)")
        try await browser.submit([:])
        #expect(browser.answer["error"] == "access_denied", "\(browser.answer)")
        // No rule keeps the user from the account, where methods are added.
        try await browser.get(account)
        #expect(browser.title == "Sign in", "\(browser.html)")
        try await browser.submit(["username": email])
        try await browser.submit(["password": TestBrowser.password])
        #expect(browser.title == "Sign-in methods", "\(browser.html)")
        // A rule about age: silently no, else the sign-in page.
        let server = try Self.server(levels: [LevelRule(level: .oneFactor, maximumAge: 3_600, applications: [client])])
        let user = TestBrowser(server)
        try await user.signUp(email, at: server, for: party)
        try await user.get(party.path())
        #expect(user.title?.hasPrefix("Continue to") == true, "\(user.html)")
        server.clock.advance(by: Duration.seconds(3_601))
        try await user.get(party.path(["prompt": "none"]))
        #expect(user.answer["error"] == "login_required", "\(user.answer)")
        try await user.get(party.path())
        #expect(user.title == "Sign in")
        try await user.signIn(email, for: party)
        #expect(user.answer["code"] != nil, "\(user.html)")
    }

    @Test("A passkey is the second factor after a password, and the account page asks for it before a change")
    func secondFactor() async throws {
        let (server, device) = (try Self.server(), SoftAuthenticator())
        _ = try await withPasskey(server, on: device)
        var browser = TestBrowser(server)
        try await browser.signIn(email, for: party, ["claims": WireClient.claims])
        #expect(browser.title == "Use your passkey" && browser.html.contains("Start again"))
        #expect(try !browser.options.contains(#""allowCredentials":[]"#))
        try await browser.get(on: device)
        #expect(browser.answer["code"] != nil, "\(browser.html)")
        browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        try await browser.get(Self.methods)
        #expect(browser.title == "Confirm that it is you" && browser.html.contains("Sign in with a passkey"))
        try await browser.submit([:], action: "passkey")
        try await browser.get(on: device)
        #expect(browser.title == "Sign-in methods", "\(browser.html)")
        try await browser.submit(["method": try #require(browser.method)], action: "remove")
        #expect(browser.html.contains("The change is saved.") && browser.method == nil)
    }

    @Test("SEC-PK-1: after a refused answer the page asks with a new challenge, and the old one is of no use")
    func refused() async throws {
        let (server, device) = (try Self.server(), SoftAuthenticator())
        _ = try await withPasskey(server, on: device)
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        try await browser.submit(["username": ""], action: "passkey")
        let first = try browser.options
        let early = try await device.get(PasskeyRequest(json: first), style: .modal).json
        device.behaviour.isUserVerified = false
        try await browser.get(on: device)
        #expect(browser.status == 422 && browser.title == "Use your passkey")
        #expect(browser.problem == "This passkey could not be accepted. Try again, or use another method.")
        let second = try browser.options
        #expect(second != first)
        device.behaviour.isUserVerified = true
        try await browser.submit(["passkey": early])
        #expect(browser.status == 422)
        #expect(try ![first, second].contains(browser.options))
        // What the page shows is in its cookie: a reload shows the same.
        let shown = try browser.options
        let form = try #require(browser.forms.first)
        try await browser.get(form.action)
        #expect(try browser.options == shown && browser.status == 200)
        try await browser.get(on: device)
        #expect(browser.answer["code"] != nil, "\(browser.html)")
    }

    @Test("An answer that no authenticator gives is refused as every other one", arguments: ["", "{}", "[", "x"])
    func malformed(_ answer: String) async throws {
        let server = try Self.server()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        try await browser.get(Self.methods)
        try await browser.submit([:], action: "add-passkey")
        let first = try browser.options
        try await browser.submit(["passkey": answer])
        #expect(browser.status == 422 && browser.title == "Add a passkey")
        #expect(try browser.options != first)
        try await browser.create(on: SoftAuthenticator())
        #expect(browser.title == "Your account")
    }

    @Test("SEC-PK-20: a passkey that was removed is refused, and the user goes another way")
    func removed() async throws {
        let (server, device) = (try Self.server(), SoftAuthenticator())
        let owner = try await withPasskey(server, on: device)
        try await owner.get(Self.methods)
        try await owner.submit(["method": try #require(owner.method)], action: "remove")
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        try await browser.submit(["username": ""], action: "passkey")
        try await browser.get(on: device)
        #expect(browser.status == 422 && browser.title == "Use your passkey")
        try await browser.submit([:], action: "restart")
        #expect(browser.title == "Sign in")
        try await browser.submit(["username": email])
        try await browser.submit(["password": TestBrowser.password])
        #expect(browser.answer["code"] != nil)
    }

    @Test("SEC-ENR-3: a password alone adds no passkey: the own mailbox is proven first")
    func ownMailbox() async throws {
        let (server, device) = (try Self.server(), SoftAuthenticator())
        try await TestBrowser(server).signUp(email, at: server, for: party)
        server.clock.advance(by: 61)
        let browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        try await browser.get(Self.methods)
        try await browser.submit([:], action: "add-passkey")
        #expect(browser.title == "Check your mail")
        try await browser.submit(["code": try await server.mailbox.code(to: email)])
        #expect(browser.title == "Add a passkey")
        try await browser.create(on: device)
        #expect(browser.title == "Your account")
    }

    @Test("A passkey of another user does not give the proof that a change of the account needs")
    func otherUser() async throws {
        let (server, device, other) = (try Self.server(), SoftAuthenticator(), SoftAuthenticator())
        _ = try await withPasskey(server, on: device)
        _ = try await withPasskey(server, "erin@example.org", on: other)
        let browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        try await browser.get(Self.methods)
        try await browser.submit([:], action: "passkey")
        try await browser.get(on: other)
        #expect(browser.title != "Sign-in methods")
        try await browser.get(Self.methods)
        #expect(browser.title == "Confirm that it is you" && browser.html.contains(email))
    }

    @Test("The key of a passkey is made for the session that asked for it, as long as that lives")
    func endedSession() async throws {
        let server = try Self.server()
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        try await browser.get(Self.methods)
        try await browser.submit([:], action: "add-passkey")
        let form = try #require(browser.forms.first)
        let kept = browser.cookies
        try await browser.get("/contoso/account")
        try await browser.submit([:], action: "here")
        browser.cookies = kept
        try await browser.get(form.action)
        #expect(browser.status == 400 && !browser.html.contains("data-options"))
    }

    @Test(
        "Pages whose host is not the passkeys' show nothing of them, and ask no one for them",
        arguments: [nil, "localhost", "other.test"])
    func elsewhere(_ host: String?) async throws {
        let server = try Self.server(passkeysOf: host)
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        try await browser.get(Self.methods)
        #expect(browser.title == "Sign-in methods" && !browser.html.contains("asskey"))
        try await browser.submit([:], action: "add-passkey")
        #expect(browser.title == "Sign-in methods")
        let stranger = TestBrowser(server)
        try await stranger.get(party.path())
        #expect(!stranger.html.contains("asskey"))
        try await stranger.submit(["username": ""], action: "passkey")
        #expect(stranger.title == "We cannot go on", "\(stranger.html)")
    }
}

extension TestBrowser {
    /// What the page asks an authenticator for.
    fileprivate var options: String {
        get throws {
            try #require(Self.text(between: "data-options=\"", "\"", in: html), "\(title ?? "no title")")
        }
    }

    /// The first method of the page's lists.
    fileprivate var method: String? { Self.text(between: "name=\"method\" value=\"", "\"", in: html) }

    fileprivate func create(on device: SoftAuthenticator) async throws {
        try await submit(["passkey": try await device.create(PasskeyCreation(json: options)).json])
    }

    fileprivate func get(on device: SoftAuthenticator) async throws {
        try await submit(["passkey": try await device.get(PasskeyRequest(json: options), style: .modal).json])
    }
}
