import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// What applications hear of a sign-out, by the browser and by the server.
@Suite("Applications and sign-outs")
struct SessionLogoutTests {
    private let email = "dana@example.com"
    private let shop = TestRelyingParty(client: TestDirectory.shop, redirect: "https://shop.example/back")
    private let other = TestRelyingParty(.emailPassword)
    private static let out = "https://shop.example/out?a=1&b=%22%3Cx"

    private func withServer(
        front: String? = out, _ body: (IdentityTestServer) async throws -> Void
    ) async throws {
        var contoso = try #require(try TestDirectory.directory().entries.first)
        for index in contoso.applications.indices where contoso.applications[index].id.description == shop.client {
            contoso.applications[index].web.frontChannelLogout = front
            contoso.applications[index].web.backChannelLogout = "https://shop.example/told"
        }
        let directory = TenantDirectory([contoso])
        try await body(
            try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.clients = directory })
    }

    private func signedIn(_ server: IdentityTestServer) async throws -> (TestBrowser, JSON) {
        let browser = TestBrowser(server)
        try await browser.signUp(email, at: server, for: shop)
        return (browser, try await claims(browser, server))
    }

    private func claims(_ browser: TestBrowser, _ server: IdentityTestServer) async throws -> JSON {
        let answer = try await shop.redeem(
            try #require(browser.answer["code"]), at: server, ["client_secret": TestDirectory.shopSecret])
        let text = try #require(answer.text("id_token"), "\(answer)")
        let payload = try #require(Base64URL.decode(String(text.split(separator: ".")[1])))
        let claims = try JSONDecoder().decode([String: JSON].self, from: payload)
        return .object(claims.merging(["hint": .string(text)]) { $1 })
    }

    private func query(_ fields: (String, String)...) -> String {
        var form = FormFields()
        for (name, value) in fields { form.append(name, value) }
        return "/contoso/oauth2/v2.0/logout?\(form.encoded)"
    }

    @Test("Discovery says that both channels are there, with a session each")
    func discovery() async throws {
        try await withServer { server in
            let answer = try await server.client().get("/contoso/v2.0/.well-known/openid-configuration")
            for channel in ["backchannel", "frontchannel"] {
                #expect(answer["\(channel)_logout_supported"] == .boolean(true))
                #expect(answer["\(channel)_logout_session_supported"] == .boolean(true))
            }
        }
    }

    @Test(
        "SEC-WEB-2: the page of a sign-out opens the addresses of the session's applications, and that page alone may")
    func frames() async throws {
        try await withServer { server in
            let (browser, claims) = try await signedIn(server)
            let sid = try #require(claims["sid"]?.string)
            let back = ("post_logout_redirect_uri", "https://shop.example/bye")
            try await browser.get(query(("id_token_hint", try #require(claims["hint"]?.string)), back, ("state", "s")))
            #expect(browser.status == 200 && browser.title == "You are signed out")
            #expect(browser.headers["refresh"] == "3; url=https://shop.example/bye?state=s")
            #expect(browser.html.contains("href=\"https://shop.example/bye?state=s\""), "without waiting, and script")
            let frames = browser.html.components(separatedBy: "<iframe ").dropFirst()
            #expect(frames.count == 1)
            let frame = try #require(frames.first?.prefix { $0 != ">" })
            #expect(frame.hasPrefix("hidden sandbox=\"allow-scripts allow-same-origin\" src=\""))
            let address = try #require(TestBrowser.text(between: "src=\"", "\"", in: String(frame)))
            let iss = try #require(claims["iss"]?.string)
            #expect(address.hasPrefix(Self.out + "&iss=") && address.hasSuffix("&sid=\(sid)"))
            let mark = try #require(address.firstIndex(of: "?"))
            let members = TestBrowser.members(of: String(address[address.index(after: mark)...]))
            #expect(members == ["a": "1", "b": "\"<x", "iss": iss, "sid": sid])
            let policy = try #require(browser.headers["content-security-policy"])
            #expect(policy.contains("; frame-src https://shop.example; ") && policy.contains("frame-ancestors 'none'"))
            #expect(browser.headers["referrer-policy"] == "no-referrer")
            // It is said once.
            try await browser.get(query(("id_token_hint", try #require(claims["hint"]?.string)), back))
            #expect(browser.status == 303 && browser.location == "https://shop.example/bye")
            try await browser.get(query())
            #expect(!browser.html.contains("<iframe"))
            #expect(browser.headers["content-security-policy"]?.contains("frame-src") == false)
        }
    }

    @Test(
        "Without a registered address, or for an application without tokens, nothing changes", arguments: [true, false])
    func noFrames(hasAddress: Bool) async throws {
        try await withServer(front: hasAddress ? Self.out : nil) { server in
            let browser = TestBrowser(server)
            if hasAddress {
                try await browser.signUp(email, at: server, for: other)
                _ = try await other.redeem(try #require(browser.answer["code"]), at: server)
            } else {
                try await browser.signUp(email, at: server, for: shop)
                _ = try await claims(browser, server)
            }
            try await browser.get(
                query(("client_id", shop.client), ("post_logout_redirect_uri", "https://shop.example/bye")))
            try await browser.submit([:])
            #expect(!browser.html.contains("<iframe"))
            #expect(browser.headers["content-security-policy"]?.contains("frame-src") == false)
            #expect(browser.headers["refresh"] == "0; url=https://shop.example/bye")
        }
    }

    @Test("An address of an earlier rule, on another host, opens no frame")
    func foreignFrame() async throws {
        try await withServer(front: "https://evil.example/out") { server in
            let (browser, _) = try await signedIn(server)
            try await browser.get(query())
            try await browser.submit([:])
            #expect(browser.title == "You are signed out" && !browser.html.contains("evil"))
        }
    }

    @Test(
        "OIDC-24, OIDC-25: the token of the back channel has sub, sid and aud of the application's ID token, and is fresh"
    )
    func backChannel() async throws {
        try await withServer { server in
            let (browser, claims) = try await signedIn(server)
            try await browser.get(query())
            #expect(try await server.rows("SELECT COUNT(*) FROM logouts") == [["0"]], "nothing has ended")
            try await browser.submit([:])
            let rows = try await server.rows(
                #"SELECT hex(tenant), hex(client), hex("user"), hex(browser_session) FROM logouts"#)
            let row = try #require(rows.first)
            #expect(rows.count == 1)
            let ids = try row.map { text -> UUID in
                let hex = try #require(text)
                let bytes = stride(from: 0, to: 32, by: 2).compactMap { offset in
                    UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
                }
                return try #require(UUID(bytes: Data(bytes)))
            }
            let logout = SessionLogout(
                tenant: TenantID(ids[0]), client: ClientID(ids[1]), user: UserID(ids[2]), browserSession: ids[3],
                endedAt: server.clock.now, attempts: 0)
            server.clock.advance(by: 300)
            let token = try await server.engine.logoutToken(logout, now: server.clock.now).reveal()
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            let told = try JSONDecoder().decode([String: JSON].self, from: payload)
            for name in ["iss", "sub", "aud", "sid"] { #expect(told[name] == claims[name], "\(name)") }
            #expect(told["iat"]?.integer == Int(server.clock.now.timeIntervalSince1970))
            #expect(told["nonce"] == nil && told["events"] != nil)
            // As a hint it is none.
            try await browser.signIn(email, for: shop)
            try await browser.get(query(("id_token_hint", token)))
            #expect(browser.status == 400 && browser.title == "Sign out?")
        }
    }
}
