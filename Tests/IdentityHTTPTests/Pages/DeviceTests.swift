import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// A device without a browser, of an application of the test directory.
struct TestDevice {
    var server: IdentityTestServer
    var client = TestDirectory.television
    var tenant = "contoso"
    var codes = WireAnswer(TransportResponse(status: 0, headers: [:], body: Data()))

    static let grant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Asks for codes.
    @discardableResult
    mutating func begin(
        _ changes: [String: String?] = [:], headers: [String: String] = [:], by transport: (any HTTPTransport)? = nil
    ) async throws -> WireAnswer {
        var parameters: [String: String?] = ["client_id": client, "scope": "openid profile offline_access"]
        for (name, value) in changes { parameters[name] = value }
        var form = FormFields()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        var wire = server.client(id: client)
        if let transport { wire.transport = transport }
        codes = try await wire.send(
            wire.request(
                "POST", "/\(tenant)/oauth2/v2.0/devicecode",
                headers: ["content-type": WireClient.form].merging(headers) { $1 }, body: Data(form.encoded.utf8)))
        return codes
    }

    var deviceCode: String { get throws { try #require(codes.text("device_code"), "\(codes)") } }
    var userCode: String { get throws { try #require(codes.text("user_code"), "\(codes)") } }

    /// Asks for the tokens.
    func poll(
        _ changes: [String: String?] = [:], by transport: (any HTTPTransport)? = nil
    ) async throws -> WireAnswer {
        var parameters: [String: String?] = [
            "client_id": client, "grant_type": Self.grant, "device_code": codes.text("device_code"),
        ]
        for (name, value) in changes { parameters[name] = value }
        var wire = server.client(id: client)
        wire.clientID = nil
        wire.tenant = tenant
        if let transport { wire.transport = transport }
        return try await wire.post(
            .token, parameters.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension TestBrowser {
    /// Opens the page of devices and sends a code.
    func type(_ code: String, tenant: String = "contoso") async throws {
        try await get("/\(tenant)/device")
        try await submit(["user-code": code])
    }

    /// Signs in at the pages of a device, up to the question.
    func signInForDevice(_ email: String) async throws {
        try await submit(["username": email])
        try await submit(["password": Self.password])
    }
}

/// Devices without a browser (RFC 8628, docs/protocol.md §21.8).
@Suite("Devices without a browser")
struct DeviceTests {
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"
    private static let contexts = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    /// A server with the user, and with these changes of its applications.
    private func server(
        limits: TimeLimits? = nil, neighbourHasDevices: Bool = false,
        _ change: (inout TenantDirectory.Entry) throws -> Void = { _ in }
    ) async throws -> IdentityTestServer {
        var entries = try TestDirectory.directory().entries
        try change(&entries[0])
        entries[1].applications[0].web.allowsDeviceFlow = neighbourHasDevices
        let directory = TenantDirectory(entries)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        try await TestBrowser(server).signUp(email, at: server, for: party)
        return server
    }

    private func limited(_ server: IdentityTestServer, _ address: String = "192.0.2.7") throws -> any HTTPTransport {
        InProcessTransport(
            routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress(address))
    }

    private func claims(_ answer: WireAnswer, _ token: String = "access_token") throws -> [String: JSON] {
        let token = try #require(answer.text(token), "\(answer)")
        let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        return try JSONDecoder().decode([String: JSON].self, from: payload)
    }

    private func fault(_ answer: WireAnswer) -> String {
        let numbers = answer["error_codes"]?.array.compactMap {
            if case .integer(let number) = $0 { number } else { nil }
        }
        return "\(answer.text("error") ?? "none") \(numbers ?? [])"
    }

    @Test(
        "OIDC-28: a device shows a code, its user types it, signs in, sees what it is for and allows it; then there are tokens"
    )
    func theWholeWay() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        let codes = try await device.begin()
        #expect(codes.status == 200 && codes["expires_in"] == 900 && codes["interval"] == 5, "\(codes)")
        let userCode = try device.userCode
        #expect(userCode.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
        #expect(try Base64URL.decode(device.deviceCode)?.count == 48)
        #expect(codes.text("verification_uri") == "https://identity.test/contoso/device")
        #expect(codes["verification_uri_complete"] == nil && codes.headers["cache-control"] == "no-store")
        #expect(
            codes.text("message")
                == "Open https://identity.test/contoso/device in a browser, and enter the code \(userCode).")
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")

        let browser = TestBrowser(server)
        server.clock.advance(by: 130)
        // Small letters, and no hyphen.
        try await browser.type(userCode.lowercased().replacing("-", with: " "))
        #expect(browser.title == "Sign in" && browser.html.contains("to continue to Television"))
        try await browser.signInForDevice(email)
        #expect(browser.title == "Sign in to Television on another device?")
        #expect(
            browser.html.contains("A device that shows the code \(userCode) asks to use Television with your account."))
        #expect(browser.html.contains("Minutes since the device asked: 2"))
        #expect(browser.html.contains("Did you start this yourself") && browser.html.contains("signed in as \(email)"))
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        let signedInAt = server.clock.now
        server.clock.advance(by: 20)
        try await browser.submit([:])
        #expect(browser.title == "Go back to your device" && browser.status == 200)
        #expect(browser.html.contains("/account/sessions\">Where you are signed in</a>"))
        #expect(browser.location == nil && browser.headers["refresh"] == nil)

        let tokens = try await device.poll()
        #expect(tokens.status == 200, "\(tokens)")
        #expect(Set(tokens.members.keys) == WireClient.tokenMembers)
        let id = try claims(tokens, "id_token")
        #expect(id["amr"] == ["pwd"] && id["aud"] == .string(device.client) && id["sid"] != nil)
        #expect(id["auth_time"] == .integer(Int(signedInAt.timeIntervalSince1970)))
        #expect(
            try await server.client(id: device.client).refresh(#require(tokens.text("refresh_token"))).status == 200)
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'device.allowed'") == 1)
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'code.redeemed'") == 1)
    }

    @Test("OIDC-28: a session alone allows nothing: also an own application asks, and each time by a click")
    func noSilentApproval() async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        for _ in 0..<2 {
            var device = TestDevice(server: server)
            try await device.begin()
            try await browser.type(device.userCode)
            #expect(browser.title == "Sign in to Television on another device?")
            #expect(try await fault(device.poll()) == "authorization_pending [70016]")
            try await browser.submit([:])
            #expect(try await device.poll().status == 200)
        }
    }

    @Test(
        "OIDC-28: the answer to a question that is refused, at whatever page, ends the device's wait",
        arguments: [true, false])
    func declining(_ isSignedIn: Bool) async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        if isSignedIn { try await browser.signInForDevice(email) }
        try await browser.submit([:], action: "cancel")
        #expect(browser.title == "The device is not signed in")
        #expect(try await fault(device.poll()) == "access_denied [65004]")
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'device.declined'") == 1)
        // The code is over for all.
        try await TestBrowser(server).type(device.userCode)
        let other = TestBrowser(server)
        try await other.type(device.userCode)
        #expect(other.status == 422 && other.problem?.hasPrefix("This code is not right") == true)
        #expect(
            try await server.count(
                "SELECT COUNT(*) FROM refresh_families WHERE client = x'\(device.client.replacing("-", with: ""))'")
                == 0)
    }

    @Test("OIDC-28: a device that asks too often is told to slow down, by 5 seconds more each time, to a minute")
    func slowDown() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        server.clock.advance(by: 4)
        #expect(try await fault(device.poll()) == "authorization_pending [70016]", "an early answer is no fault")
        for interval in stride(from: 5, to: 60, by: 5) {
            server.clock.advance(by: Double(interval) - 2)
            #expect(try await fault(device.poll()) == "slow_down [50196]", "\(interval)")
            server.clock.advance(by: Double(interval) + 5)
            #expect(try await fault(device.poll()) == "authorization_pending [70016]", "\(interval)")
        }
        server.clock.advance(by: 10)
        #expect(try await fault(device.poll()) == "slow_down [50196]")
        // 60 seconds are the most.
        server.clock.advance(by: 60)
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        // An answer that is there waits for no interval.
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        try await browser.submit([:])
        #expect(try await device.poll().status == 200)
    }

    @Test(
        "OIDC-28: a code lives for 15 minutes: later the device is told, its user cannot allow it, and then the row is gone"
    )
    func expiry() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        server.clock.advance(by: 899)
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        server.clock.advance(by: 1)
        #expect(try await fault(device.poll()) == "expired_token [70019]")
        try await browser.submit([:])
        #expect(browser.title == "This took too long")
        try await browser.type(device.userCode)
        #expect(browser.status == 422)
        #expect(try await fault(device.poll()) == "expired_token [70019]")
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await server.count("SELECT COUNT(*) FROM devices") == 1)
        server.clock.advance(by: 900)
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await server.count("SELECT COUNT(*) FROM devices") == 0)
        #expect(try await fault(device.poll()) == "invalid_grant [70018]")
    }

    @Test("OIDC-28: a code that was allowed in time but not asked for gives nothing later")
    func allowedTooEarly() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        try await browser.submit([:])
        server.clock.advance(by: 900)
        #expect(try await fault(device.poll()) == "expired_token [70019]")
    }

    @Test("OIDC-28: tokens once; a lost answer comes again for half a minute; a later use revokes what the first gave")
    func oneRedemption() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        try await browser.submit([:])
        // The race: all get the one answer.
        let polling = device
        let answers = try await withThrowingTaskGroup(of: WireAnswer.self) { group in
            for _ in 0..<8 { group.addTask { try await polling.poll() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let tokens = Set(answers.map { $0.text("refresh_token") })
        #expect(tokens.count == 1 && answers.allSatisfy { $0.status == 200 })
        server.clock.advance(by: 30)
        let again = try await device.poll()
        #expect(again.text("access_token") == answers[0].text("access_token"))
        server.clock.advance(by: 1)
        #expect(try await fault(device.poll()) == "invalid_grant [54005]")
        let refresh = try #require(answers[0].text("refresh_token"))
        let refreshed = try await server.client(id: device.client).refresh(refresh)
        #expect(fault(refreshed) == "invalid_grant [50173]")
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'token.reuse_detected'") == 1)
    }

    @Test("OIDC-28: a device code is of one application and one tenant, and nothing that is made up is looked for")
    func otherClients() async throws {
        let server = try await server(neighbourHasDevices: true) { entry in
            let index = try #require(entry.applications.firstIndex { $0.id.description == TestDirectory.page })
            entry.applications[index].web.allowsDeviceFlow = true
        }
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        try await browser.submit([:])
        #expect(try await fault(device.poll(["client_id": TestDirectory.page])) == "invalid_grant [70018]")
        #expect(try await fault(device.poll(["client_id": party.client])) == "unauthorized_client [70001]")
        var elsewhere = device
        elsewhere.tenant = "fabrikam"
        #expect(try await elsewhere.poll().status == 400)
        let code = try device.deviceCode
        for wrong in [
            "x", String(code.dropLast()), code + "A", String(code.reversed()), try device.userCode,
            (code.first == "A" ? "B" : "A") + code.dropFirst(),
        ] {
            #expect(try await fault(device.poll(["device_code": wrong])) == "invalid_grant [70018]", "\(wrong)")
        }
        #expect(try await fault(device.poll(["device_code": ""])) == "invalid_request [90100]")
        #expect(try await fault(device.poll(["device_code": nil])) == "invalid_request [900144]")
        #expect(try await device.poll().status == 200, "after all of these")
        // The user's code is of one tenant, too.
        try await device.begin()
        try await browser.type(device.userCode, tenant: "fabrikam")
        #expect(browser.status == 422)
    }

    @Test(
        "OIDC-28: who asks for codes: applications with the setting only, with their scopes, and confidential ones with proof"
    )
    func whoMayBegin() async throws {
        let server = try await server { entry in
            let index = try #require(entry.applications.firstIndex { $0.id.description == TestDirectory.shop })
            entry.applications[index].web.allowsDeviceFlow = true
        }
        func answer(_ client: String, _ changes: [String: String?] = [:]) async throws -> String {
            var device = TestDevice(server: server, client: client)
            return try await fault(device.begin(changes))
        }
        #expect(try await answer(party.client) == "unauthorized_client [70001]")
        #expect(try await answer(UUID().text) == "unauthorized_client [700016]")
        #expect(try await answer("x") == "invalid_request [90100]")
        let television = TestDirectory.television
        #expect(try await answer(television, ["scope": nil]) == "invalid_request [900144]")
        #expect(try await answer(television, ["scope": "openid \"x\""]) == "invalid_scope [70011]")
        #expect(try await answer(television, ["scope": "api://a/Read"]) == "invalid_grant [65001]")
        #expect(try await answer(television, ["claims": "x"]) == "invalid_request [90100]")
        #expect(try await answer(television, ["client_secret": "x"]) == "invalid_client [700025]")
        #expect(try await answer(TestDirectory.shop) == "invalid_client [7000216]")
        #expect(try await answer(TestDirectory.shop, ["client_secret": "wrong"]) == "invalid_client [7000215]")
        var shop = TestDevice(server: server, client: TestDirectory.shop)
        #expect(try await shop.begin(["client_secret": TestDirectory.shopSecret]).status == 200)
        #expect(try await fault(shop.poll()) == "invalid_client [7000216]")
        #expect(
            try await fault(shop.poll(["client_secret": TestDirectory.shopSecret])) == "authorization_pending [70016]")
        var elsewhere = TestDevice(server: server)
        elsewhere.tenant = "fabrikam"
        #expect(try await fault(elsewhere.begin()) == "unauthorized_client [700016]")
        elsewhere.tenant = "nowhere"
        #expect(try await elsewhere.begin().status == 400)
    }

    @Test("OIDC-28: five wrong codes of a source in a minute; a typing error that no code looks like is none of them")
    func guesses() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let transport = try limited(server)
        let browser = TestBrowser(transport)
        try await browser.get("/contoso/device")
        for typo in ["", "x", "WDJB-MJHA", "WDJBMJHT9", "12345678", String(repeating: "B", count: 65)] {
            try await browser.submit(["user-code": typo])
            #expect(browser.status == 422, "\(typo)")
            server.clock.advance(by: 0.2)
        }
        for number in 0..<5 {
            try await browser.submit(["user-code": "BBBB-BBB\(Array("BCDFG")[number])"])
            #expect(browser.status == 422)
        }
        let form = try #require(browser.forms.first)
        let right = form.fields.map { $0.0 == "user-code" ? ("user-code", (try? device.userCode) ?? "") : $0 }
        try await browser.post(form.action, right)
        #expect(browser.status == 429 && browser.headers["retry-after"] != nil)
        #expect(browser.headers["content-type"] == "text/html; charset=utf-8")
        server.clock.advance(by: 60)
        try await browser.post(form.action, right)
        #expect(browser.status == 200 && browser.title == "Sign in")
    }

    @Test("OIDC-28: devices that begin are bounded for each source, and polls for each code")
    func floods() async throws {
        let server = try await server()
        let transport = try limited(server)
        var device = TestDevice(server: server)
        var answers: [Int] = []
        for _ in 0..<32 {
            server.clock.advance(by: 0.2)
            answers.append(try await device.begin(by: transport).status)
        }
        #expect(answers.prefix(30).allSatisfy { $0 == 200 } && answers.suffix(2) == [429, 429])
        server.clock.advance(by: 60)
        try await device.begin(by: transport)
        var polls: [Int] = []
        for _ in 0..<4 { polls.append(try await device.poll(by: transport).status) }
        #expect(polls == [400, 400, 429, 429])
        server.clock.advance(by: 60)
        var madeUp: [String] = []
        for _ in 0..<4 {
            madeUp.append(
                try await fault(device.poll(["device_code": String(repeating: "A", count: 64)], by: transport)))
        }
        #expect(madeUp.allSatisfy { $0 == "invalid_grant [70018]" }, "a made-up code has no counter")
    }

    @Test("OIDC-28: no other site, and no other browser, sends the code or the answer")
    func foreignForms() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        try await browser.get("/contoso/device")
        let foreign = ["origin": "https://evil.example", "sec-fetch-site": "cross-site"]
        let form = try #require(browser.forms.first)
        let fields = form.fields.map { $0.0 == "user-code" ? ("user-code", (try? device.userCode) ?? "") : $0 }
        try await browser.post(form.action, fields, headers: foreign)
        #expect(browser.status == 403)
        // The form of the attacker's own browser.
        let attacker = TestBrowser(server)
        try await attacker.get("/contoso/device")
        let theirs = try #require(attacker.forms.first)
        try await browser.post(
            theirs.action, theirs.fields.map { $0.0 == "user-code" ? ("user-code", (try? device.userCode) ?? "") : $0 })
        #expect(browser.status == 403)
        try await browser.post(form.action, fields)
        #expect(browser.title == "Sign in to Television on another device?")
        let answer = try #require(browser.forms.first)
        try await browser.post(answer.action, answer.fields + [(".action", "next")], headers: foreign)
        #expect(browser.status == 403)
        let cookies = browser.cookies
        // The flow of the attacker's browser, in the browser of the user.
        try await attacker.type(device.userCode)
        try await browser.get(try #require(attacker.forms.first).action)
        #expect(browser.status == 400)
        browser.cookies = cookies
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        #expect(browser.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    }

    @Test("OIDC-28: the page's address carries no code, and no page shows what a device says of itself")
    func noWordsOfTheDevice() async throws {
        let server = try await server { entry in
            let index = try #require(entry.applications.firstIndex { $0.id.description == TestDirectory.television })
            entry.applications[index].displayName = "<script>alert(1)</script>\"'&"
        }
        var device = TestDevice(server: server)
        try await device.begin(headers: ["x-client-dm": "Press Allow", "x-client-os": "<b>now</b>"])
        let code = try device.userCode
        let browser = TestBrowser(server)
        try await browser.get("/contoso/device?user_code=\(code)&code=\(code)")
        #expect(!browser.html.contains(code))
        try await browser.submit(["user-code": code])
        try await browser.signInForDevice(email)
        #expect(!browser.html.contains("<script>alert") && browser.html.contains("&lt;script&gt;"))
        #expect(!browser.html.contains("Press Allow") && !browser.html.contains("now</b>"))
        #expect(browser.headers["content-security-policy"]?.contains("form-action 'self';") == true)
    }

    @Test(
        "OIDC-28: the question says whether the device is in the browser's network",
        arguments: ["192.0.2.90", "198.51.100.7"])
    func networks(_ address: String) async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin(by: try limited(server, "192.0.2.1"))
        let browser = TestBrowser(try limited(server, address))
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        #expect(browser.html.contains("in the same network as this browser") == address.hasPrefix("192.0.2."))
        #expect(browser.html.contains("in another network than this browser") != address.hasPrefix("192.0.2."))
    }

    @Test("OIDC-28: only the user whom the page names can answer, not one who signed in meanwhile")
    func anotherUserMeanwhile() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        let form = try #require(browser.forms.first)
        try await browser.get(party.path(["prompt": "login"]))
        try await browser.signUp("kim@example.com", at: server, for: party)
        try await browser.post(form.action, form.fields + [(".action", "next")])
        #expect(browser.html.contains("signed in as kim@example.com"))
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        try await browser.submit([:])
        #expect(try claims(try await device.poll(), "id_token")["preferred_username"] == "kim@example.com")
    }

    @Test(
        "OIDC-28, SEC-MFA-1: a context that the device asks for is proven by the user, and stated; another one is not given"
    )
    func contexts() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin(["claims": Self.contexts])
        let browser = TestBrowser(server)
        try await browser.signIn(email, for: party)
        try await browser.type(device.userCode)
        try await browser.submit([:])
        #expect(browser.title == "Add a second mailbox")
        try await browser.submit(["contact": "second@example.org"])
        #expect(try await fault(device.poll()) == "authorization_pending [70016]")
        server.clock.advance(by: 6)
        try await browser.submit(["code": try await server.mailbox.code(to: "second@example.org")])
        #expect(browser.title == "Sign in to Television on another device?")
        #expect(try await fault(device.poll()) == "authorization_pending [70016]", "a step-up is no answer")
        try await browser.submit([:])
        #expect(browser.title == "Go back to your device")
        let tokens = try await device.poll()
        let access = try claims(tokens)
        #expect(access["acrs"] == ["c1"] && access["amr"]?.array.contains("mfa") == true)
        // Without the context at the beginning, a poll cannot add it.
        try await device.begin()
        try await browser.type(device.userCode)
        try await browser.submit([:])
        #expect(try await fault(device.poll(["claims": Self.contexts])) == "invalid_grant [50076]")
    }

    @Test(
        "OIDC-23, OIDC-28: a sign-out between the answer and the poll ends both, and one after it the tokens without offline_access"
    )
    func signOut() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        let browser = TestBrowser(server)
        for isLate in [false, true] {
            try await device.begin(["scope": "openid"])
            try await browser.signIn(email, for: party)
            try await browser.type(device.userCode)
            try await browser.submit([:])
            let tokens = isLate ? try await device.poll() : nil
            try await browser.get("/contoso/oauth2/v2.0/logout")
            try await browser.submit([:])
            if let tokens {
                #expect(tokens.status == 200 && tokens["refresh_token"] == nil)
                let bearer = ["authorization": "Bearer \(tokens.text("access_token") ?? "")"]
                #expect(try await server.client().get("/contoso/oidc/userinfo", headers: bearer).status == 401)
            } else {
                #expect(try await fault(device.poll()) == "invalid_grant [50173]")
            }
        }
    }

    @Test("OIDC-28: when the setting is taken away, codes that wait are over, for the page and for the device")
    func settingTakenAway() async throws {
        let server = try await server()
        var device = TestDevice(server: server)
        try await device.begin()
        let browser = TestBrowser(server)
        try await browser.type(device.userCode)
        try await browser.signInForDevice(email)
        var entries = try TestDirectory.directory().entries
        let index = try #require(entries[0].applications.firstIndex { $0.id.description == TestDirectory.television })
        entries[0].applications[index].web.allowsDeviceFlow = false
        let closed = TenantDirectory(entries)
        var ports = server.engine.ports
        ports.clients = closed
        let engine = Engine(ports, vault: server.engine.vault, settings: server.engine.settings)
        let caller = CallerContext(
            tenantName: "contoso", client: try #require(ClientID(device.client)), language: nil,
            trace: Trace(id: UUID(), correlationID: UUID(), at: server.clock.now))
        var polling = caller
        polling.front = .token
        let outcome = try await engine.handle(.redeemDevice(Secret(device.deviceCode), contexts: []), in: polling)
        #expect(outcome.verdict != .accepted(.signIn) && outcome.token == nil)
        switch outcome.verdict {
        case .refused: break
        case .accepted: Issue.record("tokens without the setting")
        }
    }

    @Test("OIDC-28: a tenant none of whose applications allows devices has no page for their codes")
    func noPage() async throws {
        let server = try await server { entry in
            for index in entry.applications.indices { entry.applications[index].web.allowsDeviceFlow = false }
        }
        let browser = TestBrowser(server)
        try await browser.get("/contoso/device")
        #expect(browser.status == 404 && browser.forms.isEmpty)
        try await browser.post("/contoso/device", [("user-code", "BCDF-GHJK")])
        #expect(browser.status == 404)
        // Only Contoso has one at all.
        let usual = try await self.server()
        for (tenant, status) in [("contoso", 200), ("fabrikam", 404), ("nothing", 404)] {
            let browser = TestBrowser(usual)
            try await browser.get("/\(tenant)/device")
            #expect(browser.status == status, "\(tenant)")
        }
    }
}
