import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// What a foreign site, another browser, and a stranger with a link can do at hosted pages.
@Suite("Safety of hosted pages")
struct HostedSafetyTests {
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"

    /// The page of a name, and the path of the code's page after it.
    private func flow(_ server: IdentityTestServer) async throws -> (browser: TestBrowser, page: String) {
        let browser = TestBrowser(server)
        try await browser.get(party.path(["prompt": "create"]))
        try await browser.submit(["username": email], follows: false)
        let page = try #require(browser.location)
        try await browser.get(page)
        return (browser, page)
    }

    @Test("SEC-WEB-2, SEC-WEB-12: every page has a strict policy, is not kept, cannot be framed, and names no address")
    func headers() async throws {
        try await withIdentityServer { server in
            let (browser, page) = try await flow(server)
            for path in [
                party.path(), page, party.path(["client_id": "x"]), "/contoso/oauth2/v2.0/logout",
                "/contoso/web/" + String(repeating: "0", count: 40), "/nowhere/oauth2/v2.0/authorize",
            ] {
                try await browser.get(path)
                let policy = try #require(browser.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'"))
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"))
                #expect(!policy.contains("unsafe") && !policy.contains("*"))
                #expect(browser.headers["cache-control"] == "no-store")
                #expect(browser.headers["x-frame-options"] == "DENY")
                #expect(browser.headers["referrer-policy"] == "same-origin")
                #expect(browser.headers["cross-origin-opener-policy"] == "same-origin")
                #expect(browser.headers["x-content-type-options"] == "nosniff")
                #expect(browser.headers["access-control-allow-origin"] == nil)
                #expect(!browser.html.contains("style=") && !browser.html.contains("onclick"))
            }
        }
    }

    @Test(
        "SEC-WEB-3, SEC-WEB-8: cookies are for this host and HTTPS alone, have a tenant's tag, and are useless at another tenant"
    )
    func cookies() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            #expect(!browser.cookies.isEmpty)
            for name in browser.cookies.keys { #expect(name.hasPrefix("__Host-na-")) }
            try await browser.get(party.path())
            try await browser.submit([:], follows: false)
            for field in browser.setCookies {
                #expect(field.contains("; Path=/; HttpOnly; SameSite=Lax; Secure") && !field.contains("Domain"))
            }
            let session = try #require(browser.cookies.first { $0.key.contains("-s-") })
            #expect(session.value.utf8.count == 43)
            let stored = try await server.rows("SELECT hex(digest) FROM browser_sessions").first?.first ?? nil
            #expect(stored?.count == 64)
        }
    }

    @Test(
        "SEC-WEB-4, SEC-WEB-20: a form of another site, without its token, or with one of another browser has no effect"
    )
    func foreignForms() async throws {
        try await withIdentityServer { server in
            let (browser, page) = try await flow(server)
            let code = try await server.mailbox.code(to: email)
            let (other, _) = try await flow(server)
            let form = try #require(browser.forms.first)
            let before = try await server.snapshot()
            let fields = form.fields.map { ($0.0, $0.0 == "code" ? code : $0.1) } + [(".action", "next")]
            for headers in [
                ["origin": "https://evil.example"], ["origin": "null"], ["origin": "http://identity.test.evil.example"],
                ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"], ["sec-fetch-site": "none"],
            ] {
                try await browser.post(form.action, fields, headers: headers)
                #expect(browser.status == 403, "\(headers)")
            }
            for (name, value) in [(".form", ""), (".form", "AAAA"), (".number", "7"), (".number", "")] {
                try await browser.post(form.action, fields.map { $0.0 == name ? (name, value) : $0 })
                #expect(browser.status == 403, "\(name)")
            }
            // The forms of another browser, and of another flow of this one.
            try await other.post(form.action, fields)
            #expect(other.status == 400)
            #expect(try await server.snapshot() == before)
            try await browser.get(page)
            try await browser.submit(["code": code])
            #expect(browser.title == "Choose a password")
        }
    }

    @Test("SEC-WEB-11: a handle without its cookie says nothing, whether it is real or invented")
    func handles() async throws {
        try await withIdentityServer { server in
            let (_, page) = try await flow(server)
            let stranger = TestBrowser(server)
            var bodies: Set<String> = []
            let invented = page.dropLast(40) + String(repeating: "a", count: 40)
            for path in [
                page, String(invented),
                page.replacing("aaaabbbb", with: "contoso").replacing(
                    "contoso-0000-cccc-1111-dddd2222eeee", with: "contoso"),
            ] {
                try await stranger.get(path)
                #expect(stranger.status == 400 && !stranger.html.contains("example.com"))
                let number = try #require(
                    TestBrowser.text(between: "Number of this request: ", "</p>", in: stranger.html))
                bodies.insert(stranger.html.replacing(number, with: ""))
            }
            #expect(bodies.count == 1)
        }
    }

    @Test("SEC-WEB-10: a changed bit of a flow's cookie makes it useless, and so does the end of the flow")
    func sealedState() async throws {
        try await withIdentityServer { server in
            let (browser, page) = try await flow(server)
            let name = try #require(browser.cookies.keys.first { $0.contains("-f0-") })
            let value = try #require(browser.cookies[name])
            for index in stride(from: 0, to: value.count, by: 11) {
                var characters = Array(value)
                characters[index] = characters[index] == "A" ? "B" : "A"
                browser.cookies[name] = String(characters)
                try await browser.get(page)
                #expect(browser.status == 400)
            }
            browser.cookies[name] = value
            let copy = browser.cookies
            try await browser.get(page)
            try await browser.submit(["code": try await server.mailbox.code(to: email)])
            try await browser.submit(["new-password": TestBrowser.password])
            #expect(browser.answer["code"] != nil)
            // The state from before the password, put back.
            browser.cookies = copy
            let users = try await server.count("SELECT COUNT(*) FROM users")
            try await browser.get(page)
            try await browser.submit(["code": "12345678"])
            #expect(browser.title == "We cannot go on")
            #expect(try await server.count("SELECT COUNT(*) FROM users") == users)
        }
    }

    @Test(
        "SEC-WEB-19: a session cookie that was planted is not raised: the sign-in gives a new one, and the old one is of no use"
    )
    func fixation() async throws {
        try await withIdentityServer { server in
            let attacker = TestBrowser(server)
            try await attacker.signUp("mallory@example.com", at: server, for: party)
            let planted = try #require(attacker.cookies.first { $0.key.contains("-s-") })
            let victim = TestBrowser(server)
            try await victim.signUp(email, at: server, for: party)
            let second = TestBrowser(server)
            second.cookies[planted.key] = planted.value
            try await second.get(party.path(["prompt": "login"]))
            try await second.submit(["username": email])
            try await second.submit(["password": TestBrowser.password])
            #expect(second.cookies[planted.key] != planted.value)
            let old = TestBrowser(server)
            old.cookies[planted.key] = planted.value
            try await old.get(party.path())
            #expect(old.title == "Sign in")
        }
    }

    @Test("A browser without cookies is told so, and no loop begins")
    func withoutCookies() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path())
            browser.cookies = [:]
            let form = try #require(browser.forms.first)
            let before = try await server.snapshot()
            try await browser.post(form.action, form.fields + [("username", email), (".action", "next")])
            #expect(browser.status == 400 && browser.title == "Please allow cookies")
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-WEB-8: of many flows in one browser the newest five live, and the headers stay short")
    func manyFlows() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            var pages: [String] = []
            for number in 0..<12 {
                server.clock.advance(by: 2)
                try await browser.get(party.path(["prompt": "create"]))
                try await browser.submit(["username": "u\(number)@example.com"], follows: false)
                pages.append(try #require(browser.location))
            }
            let length = browser.cookies.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 3 }
            #expect(length < 12 * 1024)
            for (number, page) in pages.enumerated() {
                try await browser.get(page)
                #expect((browser.status == 200) == (number >= 7), "\(number)")
            }
        }
    }

    @Test("What a user or a client writes is text on every page")
    func markup() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            let script = "\"><script>alert(1)</script>"
            try await browser.get(party.path(["login_hint": script, "state": script]))
            #expect(!browser.html.contains("<script>alert"))
            #expect(browser.html.contains("&lt;script&gt;"))
            try await browser.submit(["username": script])
            #expect(!browser.html.contains("<script>alert"))
            try await browser.get(party.path(["prompt": "none", "state": script, "response_mode": "form_post"]))
            #expect(!browser.html.contains("<script>alert"))
        }
    }

    // MARK: - Sign-out

    private func idToken(_ browser: TestBrowser, _ server: IdentityTestServer) async throws -> String {
        let answer = try await party.redeem(try #require(browser.answer["code"]), at: server)
        return try #require(answer.text("id_token"))
    }

    private static let logout = "/contoso/oauth2/v2.0/logout"

    private func isSignedIn(_ browser: TestBrowser) async throws -> Bool {
        try await browser.get(party.path())
        return browser.title == "Continue to Password"
    }

    @Test("OIDC-21: without a hint of this session a sign-out asks, and a GET ends nothing")
    func signOutAsks() async throws {
        try await withIdentityServer { server in
            let (browser, other) = (TestBrowser(server), TestBrowser(server))
            try await browser.signUp(email, at: server, for: party)
            try await other.signUp("kim@example.com", at: server, for: party)
            let foreign = try await idToken(other, server)
            for query in [
                "", "?state=x", "?id_token_hint=\(foreign)", "?id_token_hint=x", "?client_id=\(party.client)",
            ] {
                try await browser.get(Self.logout + query)
                #expect(browser.title == "Sign out?", "\(query)")
                #expect(try await isSignedIn(browser))
            }
            try await browser.get(Self.logout)
            let form = try #require(browser.forms.first)
            try await browser.post(form.action, form.fields, headers: ["origin": "https://evil.example"])
            #expect(browser.status == 403)
            #expect(try await isSignedIn(browser))
            try await browser.get(Self.logout)
            try await browser.submit([:])
            #expect(browser.title == "You are signed out")
            #expect(try await !isSignedIn(browser))
            try await browser.get(Self.logout)
            #expect(browser.title == "You are signed out")
        }
    }

    @Test("OIDC-22: a sign-out leads back to a registered address only, with its state")
    func signOutLeadsBack() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let hint = try await idToken(browser, server)
            var form = FormFields()
            form.append("id_token_hint", hint)
            form.append("state", "s 1")
            for address in ["https://evil.example/", "http://localhost:9999/x", "http://localhost.evil.example"] {
                var form = form
                form.append("post_logout_redirect_uri", address)
                try await browser.get("\(Self.logout)?\(form.encoded)")
                #expect(browser.status == 400 && browser.location == nil && !browser.html.contains("evil"))
            }
            #expect(try await isSignedIn(browser))
            form.append("post_logout_redirect_uri", "http://localhost:9999")
            try await browser.get("\(Self.logout)?\(form.encoded)")
            #expect(browser.status == 303 && browser.location == "http://localhost:9999?state=s%201")
            #expect(try await !isSignedIn(browser))
            // Nothing is left to end: straight back.
            try await browser.get("\(Self.logout)?\(form.encoded)")
            #expect(browser.location == "http://localhost:9999?state=s%201")
        }
    }

    @Test(
        "OIDC-23, OIDC-24: a sign-out ends tokens without offline_access; the tokens of one session have one sid for each application"
    )
    func signOutEndsTokens() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party, ["scope": "openid"])
            let passing = try await party.redeem(try #require(browser.answer["code"]), at: server)
            #expect(passing.text("refresh_token") == nil)
            try await browser.get(party.path())
            try await browser.submit([:])
            let lasting = try await party.redeem(try #require(browser.answer["code"]), at: server)
            let other = TestRelyingParty(.emailOneTimePasscode)
            try await browser.get(other.path())
            try await browser.submit([:])
            let elsewhere = try await other.redeem(try #require(browser.answer["code"]), at: server)
            func sid(_ answer: WireAnswer, _ token: String) throws -> String? {
                let text = try #require(answer.text(token))
                let payload = try #require(Base64URL.decode(String(text.split(separator: ".")[1])))
                return try JSONDecoder().decode([String: JSON].self, from: payload)["sid"]?.string
            }
            let own = try sid(passing, "id_token")
            #expect(own != nil)
            #expect(try sid(lasting, "access_token") == own && sid(lasting, "id_token") == own)
            #expect(try sid(elsewhere, "id_token") != own)
            func isLive(_ answer: WireAnswer) async throws -> Bool {
                try await server.client().get(
                    "/contoso/oidc/userinfo",
                    headers: ["authorization": "Bearer \(try #require(answer.text("access_token")))"]
                ).status == 200
            }
            #expect(try await isLive(passing))
            try await browser.get(Self.logout)
            try await browser.submit([:])
            #expect(try await !isLive(passing))
            #expect(try await isLive(lasting))
            let refreshed = try await server.client(.emailPassword).refresh(try #require(lasting.text("refresh_token")))
            #expect(refreshed.status == 200)
            #expect(try sid(refreshed, "id_token") == own)
        }
    }

    @Test("OIDC-23: the account's end of a session from a browser signs the browser out, and no other one")
    func accountEndsBrowser() async throws {
        try await withIdentityServer { server in
            let scope = "openid profile offline_access User.ReadWrite"
            let (browser, other) = (TestBrowser(server), TestBrowser(server))
            try await browser.signUp(email, at: server, for: party, ["scope": scope])
            try await other.signIn(email, for: party, ["scope": scope])
            _ = try await party.redeem(try #require(browser.answer["code"]), at: server)
            let answer = try await party.redeem(try #require(other.answer["code"]), at: server)
            let caller = try AccountCaller(answer, server)
            let listed = try await caller.send("GET", AccountCaller.beta + "/nativeAuthSessions")["value"]?.array ?? []
            let session = try #require(listed.first { $0["isCurrent"] == .boolean(false) }?["id"]?.string)
            #expect(
                try await caller.send("DELETE", AccountCaller.beta + "/nativeAuthSessions/\(session)").status == 204)
            try await browser.get(party.path())
            #expect(browser.title == "Sign in")
            #expect(try await isSignedIn(other))
            #expect(try await caller.isLive)
        }
    }
}
