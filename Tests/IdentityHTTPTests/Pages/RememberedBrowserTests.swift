import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Browsers in which the second factor is left out (design record 0046).
@Suite("Remembered browsers")
struct RememberedBrowserTests {
    private static let email = IdentityTestServer.email
    private static let sessions = "/contoso/account/sessions"
    private let party = TestRelyingParty(.emailPassword)

    /// Two factors are demanded by both applications.
    private static func server(days: Int? = 14) throws -> IdentityTestServer {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.rememberedDays = days
        contoso.tenant.levels = [LevelRule(level: .mailed, applications: contoso.applications.map(\.id))]
        let directory = TenantDirectory([contoso])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.enrolment = .compatible
        }
    }

    private func signIn(
        _ browser: TestBrowser, _ changes: [String: String?] = [:], for party: TestRelyingParty? = nil,
        email: String = email
    ) async throws {
        try await browser.get((party ?? self.party).path(changes))
        try await browser.submit(["username": email])
        try await browser.submit(["password": WireClient.password])
    }

    private func give(
        _ browser: TestBrowser, _ server: IdentityTestServer, remembers: Bool,
        contact: String = IdentityTestServer.contact
    ) async throws {
        let code = try await server.mailbox.code(to: contact)
        try await browser.submit(remembers ? ["code": code, "remember": "1"] : ["code": code])
    }

    private func amr(_ browser: TestBrowser, _ server: IdentityTestServer) async throws -> JSON? {
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        #expect(tokens.status == 200, "\(tokens)")
        let refreshed = try await server.passwordClient.refresh(try #require(tokens.text("refresh_token")))
        #expect(refreshed.status == 200, "\(refreshed)")
        return try claims(of: tokens.text("access_token"))["amr"]
    }

    /// The cookie that outlives the session.
    private func closeAndOpen(_ browser: TestBrowser) throws {
        browser.restart(Set(browser.cookies.keys.filter { $0.contains("na-d") }))
        try #require(!browser.cookies.isEmpty)
    }

    @Test(
        "A browser that the user has remembered is asked for the password alone, for its days, until the account forgets it"
    )
    func remembered() async throws {
        let server = try Self.server()
        try await server.signUpWithTwoFactors()
        let browser = TestBrowser(server)
        try await signIn(browser)
        #expect(browser.html.contains("Do not ask again in this browser for 14\u{A0}days"), "\(browser.html)")
        let code = try await server.mailbox.code(to: IdentityTestServer.contact)
        // A wrong code keeps nothing but the tick.
        try await browser.submit(["code": "00000000", "remember": "1"])
        #expect(!browser.cookies.keys.contains { $0.contains("na-d") })
        #expect(browser.html.contains("name=\"remember\" value=\"1\" checked"), "\(browser.html)")
        try await browser.submit(["code": code, "remember": "1"])
        let cookie = try #require(browser.cookies.first { $0.key.contains("na-d") })
        #expect(cookie.key.hasPrefix("__Host-") && cookie.value.utf8.count == 43)
        #expect(try await amr(browser, server) == ["pwd", "otp", "mfa"])
        try closeAndOpen(browser)
        try await signIn(browser)
        #expect(try await amr(browser, server) == ["pwd"])
        // The session of the browser is good for the same application, and for no context.
        try await browser.get(party.path())
        try await browser.submit([:])
        #expect(browser.answer["code"] != nil, "\(browser.html)")
        try await browser.get(party.path(["acr_values": "c1"]))
        try await browser.submit([:])
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""), "\(browser.html)")
        // The account page lists it. What is remembered is no proof there.
        try await browser.get(Self.sessions)
        #expect(browser.html.contains("Remembered devices") && browser.html.contains("value=\"forget\""))
        let list = try #require(browser.html.components(separatedBy: "Remembered devices").last)
        #expect(list.contains("This browser") && list.contains("Last used:"), "\(list)")
        let form = try #require(browser.forms.first { $0.names.contains("device") })
        try await browser.post(form.action, form.fields + [(".action", "forget")])
        #expect(!browser.html.contains("value=\"forget\""), "\(browser.html)")
        try closeAndOpen(browser)
        try await signIn(browser)
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""))
        // Its time ends, however long the cookie is kept.
        try await give(browser, server, remembers: true)
        try closeAndOpen(browser)
        server.clock.advance(by: 14 * 86_400)
        try await signIn(browser)
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""))
    }

    @Test("A remembered browser is that of one user and one application, and a stolen session gives no other one")
    func bound() async throws {
        let server = try Self.server()
        try await server.signUpWithTwoFactors()
        let browser = TestBrowser(server)
        try await signIn(browser)
        try await give(browser, server, remembers: true)
        #expect(browser.answer["code"] != nil)
        try closeAndOpen(browser)
        // Another application.
        let other = TestRelyingParty(.emailPasswordWithAttributes)
        try await signIn(browser, for: other)
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""), "\(browser.html)")
        // The session of the remembered application is not enough for the other one.
        try await signIn(browser)
        #expect(browser.answer["code"] != nil)
        try await browser.get(other.path())
        try await browser.submit([:])
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""), "\(browser.html)")
        // The cookie in another browser is what it is: one factor less for who knows the password, too.
        let thief = TestBrowser(server)
        try await signIn(thief)
        #expect(thief.answer["code"] == nil)
        // Without the wish nothing is kept.
        try await give(thief, server, remembers: false)
        #expect(thief.answer["code"] != nil && !thief.cookies.keys.contains { $0.contains("na-d") })
        // Another user of the browser.
        try await server.signUpWithStrongMethod("eve@example.com", contact: "eve.private@example.org", alias: nil)
        try closeAndOpen(browser)
        try await signIn(browser, email: "eve@example.com")
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""))
        // Both are remembered, each by a cookie of their own.
        try await give(browser, server, remembers: true, contact: "eve.private@example.org")
        #expect(browser.answer["code"] != nil && browser.cookies.keys.count { $0.contains("na-d") } == 2)
        for email in [Self.email, "eve@example.com"] {
            try closeAndOpen(browser)
            try await signIn(browser, email: email)
            #expect(browser.answer["code"] != nil, "\(email)")
        }
    }

    @Test(
        "A browser gets another cookie each time: one that was ended, or that a stranger put there, stays worth nothing"
    )
    func renewed() async throws {
        let server = try Self.server()
        try await server.signUpWithTwoFactors()
        let browser = TestBrowser(server)
        try await signIn(browser)
        try await give(browser, server, remembers: true)
        let (name, old) = try #require(browser.cookies.first { $0.key.contains("na-d") })
        // The user ends it, and has the browser remembered again.
        try await browser.get(Self.sessions)
        let form = try #require(browser.forms.first { $0.names.contains("device") })
        try await browser.post(form.action, form.fields + [(".action", "forget")])
        try closeAndOpen(browser)
        try await signIn(browser)
        try await give(browser, server, remembers: true)
        #expect(browser.cookies[name] != old && browser.answer["code"] != nil)
        let thief = TestBrowser(server)
        for value in [old, String(repeating: "A", count: 43)] {
            thief.cookies = [name: value]
            try await signIn(thief)
            #expect(thief.answer["code"] == nil, "\(value)")
        }
        // What the thief had put into the browser before.
        let victim = TestBrowser(server)
        victim.cookies = [name: String(repeating: "A", count: 43)]
        try await signIn(victim)
        try await give(victim, server, remembers: true)
        #expect(victim.answer["code"] != nil && victim.cookies[name] != String(repeating: "A", count: 43))
        thief.cookies = [name: String(repeating: "A", count: 43)]
        try await signIn(thief)
        #expect(thief.answer["code"] == nil)
        // The other application of the same browser and user goes on under the new cookie.
        try closeAndOpen(browser)
        let other = TestRelyingParty(.emailPasswordWithAttributes)
        try await signIn(browser, for: other)
        try await give(browser, server, remembers: true)
        #expect(browser.answer["code"] != nil)
        for party in [party, other] {
            try closeAndOpen(browser)
            try await signIn(browser, for: party)
            #expect(browser.answer["code"] != nil, "\(browser.html)")
        }
    }

    @Test("A session of one factor and the cookie are not the password: a step-up asks for the second factor")
    func stepUp() async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.rememberedDays = 14
        let strict = try #require(ClientID(IdentityTestServer.Application.emailPassword.rawValue))
        contoso.tenant.levels = [LevelRule(level: .mailed, applications: [strict])]
        let directory = TenantDirectory([contoso])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.enrolment = .compatible
        }
        try await server.signUpWithTwoFactors()
        let browser = TestBrowser(server)
        try await signIn(browser)
        try await give(browser, server, remembers: true)
        try closeAndOpen(browser)
        // Signed in with the password alone at an application that demands nothing.
        try await signIn(browser, for: TestRelyingParty(.emailPasswordWithAttributes))
        #expect(browser.answer["code"] != nil)
        try await browser.get(party.path())
        try await browser.submit([:])
        #expect(browser.answer["code"] == nil && browser.html.contains("name=\"code\""), "\(browser.html)")
        #expect(!browser.html.contains("name=\"remember\"") || browser.answer["code"] == nil)
    }

    @Test("A tenant that remembers none offers it on no page, and takes no wish")
    func notOffered() async throws {
        let server = try Self.server(days: nil)
        try await server.signUpWithTwoFactors()
        let browser = TestBrowser(server)
        try await signIn(browser)
        #expect(!browser.html.contains("name=\"remember\""))
        let code = try await server.mailbox.code(to: IdentityTestServer.contact)
        let form = try #require(browser.forms.first { $0.names.contains("code") })
        try await browser.post(
            form.action,
            form.fields.filter { $0.0 != "code" } + [("code", code), ("remember", "1"), (".action", "next")])
        #expect(browser.answer["code"] != nil, "\(browser.html)")
        #expect(!browser.cookies.keys.contains { $0.contains("na-d") })
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
    }
}
