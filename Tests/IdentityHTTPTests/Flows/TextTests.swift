import Crypto
import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Text messages: telephones that are registered and given as a second factor, and what is never texted.
@Suite("Text messages") struct TextTests {
    private static let number = "+15555550123"
    private static let typed = "+1 (555) 555-0123"

    private static func server(
        texts: TextSettings? = TextSettings(areas: ["1", "49"], brand: "Contoso", domain: "login.contoso.com"),
        limits: TimeLimits? = TimeLimits(), _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) throws -> IdentityTestServer {
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.texts = texts
        let directory = TenantDirectory([entry])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.enrolment = .proven
            settings.hasTextGateway = true
            settings.limits = limits
            settings.resendCooldown = 60
            adjust(&settings)
        }
    }

    /// Registers the number right after a sign-up with a password.
    private func owner(_ server: IdentityTestServer, _ number: String = number) async throws {
        let required = try await server.passwordClient.token(redeeming: server.signUpWithPassword().token)
        let tokens = try await register(number, after: required, server)
        #expect(tokens.status == 200, "\(tokens)")
        server.clock.advance(by: 901)
    }

    private func register(
        _ number: String, after required: WireAnswer, _ server: IdentityTestServer, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? server.passwordClient
        let listed = try await client.registerIntrospect(required.token)
        let sent = try await client.registerChallenge(listed.token, contact: number, channel: "sms")
        guard sent.status == 200 else { return sent }
        let done = try await client.registerContinue(sent.token, code: server.mailbox.code(to: number))
        return try await client.token(redeeming: done.token)
    }

    /// The answer to the challenge of the only method, after the password.
    private func challenged(_ server: IdentityTestServer, with client: WireClient? = nil) async throws -> WireAnswer {
        let required = try await server.signIn(claims: WireClient.claims, with: client)
        return try await server.secondFactorChallenge(required.token, with: client)
    }

    private func texts(_ server: IdentityTestServer) async throws -> [TestMailbox.Mail] {
        try await server.mailbox.mails().filter { $0.to.hasPrefix("+") }
    }

    @Test("SEC-SMS-9, SEC-SMS-14: a telephone is registered by its channel and is a second factor; tokens say sms")
    func secondFactor() async throws {
        let server = try Self.server()
        let client = server.passwordClient
        let required = try await client.token(redeeming: server.signUpWithPassword().token)
        let listed = try await client.registerIntrospect(required.token)
        #expect(listed["methods"]?.array.map { $0["challenge_channel"] } == ["email", "sms"])
        #expect(listed["methods"]?.array.last?["id"] == "sms" && listed["methods"]?.array.last?["login_hint"] == nil)
        let sent = try await client.registerChallenge(listed.token, contact: Self.typed, channel: "SMS")
        #expect(sent["challenge_target"] == .string(Self.number) && sent["challenge_channel"] == "sms", "\(sent)")
        #expect(sent["code_length"] == 8 && sent["binding_method"] == "prompt")
        let text = try #require(try await texts(server).first)
        #expect(text.to == Self.number && text.purpose == .registration)
        let done = try await client.registerContinue(sent.token, code: server.mailbox.code(to: Self.number))
        let first = try await client.token(redeeming: done.token)
        #expect(try claims(of: first.text("access_token"))["amr"] == ["pwd", "otp", "sms", "mfa"], "\(first)")
        server.clock.advance(by: 61)

        let again = try await challenged(server)
        #expect(again["challenge_channel"] == "sms" && again["challenge_target_label"] == "+1*********3")
        #expect(again["interval"] == 60, "\(again)")
        let tokens = try await client.token(
            code: server.mailbox.code(to: Self.number), again.token, grant: "mfa_oob", claims: WireClient.claims)
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["amr"] == ["pwd", "sms", "mfa"] && access["acrs"] == ["c1"], "\(tokens)")
        // The owner hears of it by mail, never by text.
        let notices = try await server.mailbox.mails().filter { $0.code == nil }
        #expect(notices.map(\.purpose) == [.methodFirstUsed, .methodRegistered])
        #expect(notices.allSatisfy { $0.to == IdentityTestServer.email && $0.occasion?.methods == ["+1*********3"] })
    }

    @Test("a user of codes by mail registers a telephone, and then gives it as the second factor")
    func userOfCodes() async throws {
        let server = try Self.server()
        let client = WireClient(transport: server.transport, clientID: FactorDirectory.oneTimePasscode)
        let signedUp = try await server.signUp(
            IdentityTestServer.email, with: client, [("capabilities", WireClient.bothCapabilities)])
        let required = try await client.token(redeeming: signedUp.token)
        expectRegistration(required)
        let listed = try await client.registerIntrospect(required.token)
        #expect(listed["methods"]?.array.map { $0["id"] } == ["sms"], "another mailbox is no second factor")
        // Not even when a client asks for it.
        expectError(
            try await client.registerChallenge(listed.token, contact: "other@example.org"), "invalid_request", 901_001)
        let tokens = try await register(Self.number, after: required, server, with: client)
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["otp", "sms", "mfa"], "\(tokens)")
        server.clock.advance(by: 61)
        let second = try await server.signInWithCode(claims: WireClient.claims, with: client)
        let sent = try await server.secondFactorChallenge(second.token, with: client)
        let done = try await client.token(
            code: server.mailbox.code(to: Self.number), sent.token, grant: "mfa_oob", claims: WireClient.claims)
        #expect(try claims(of: done.text("access_token"))["amr"] == ["otp", "sms", "mfa"], "\(done)")
    }

    private func expectRegistration(_ answer: WireAnswer) {
        #expect(answer.text("suberror") == "registration_required", "\(answer)")
    }

    @Test(
        "SEC-SMS-1, SEC-SMS-2: what is no number is refused with 901001, and a number of another country as blocked",
        arguments: [
            ("+123", "invalid_request", 901_001, nil), ("dana@example.org", "invalid_request", 901_001, nil),
            ("5555550123", "invalid_request", 901_001, nil),
            ("+353850123456", "access_denied", 550_024, "provider_blocked_by_rep"),
            ("+18765550123", "access_denied", 550_024, "provider_blocked_by_rep"),
            ("+8701234567890", "access_denied", 550_024, "provider_blocked_by_rep"),
        ])
    func refusedNumbers(_ number: String, _ error: String, _ code: Int, _ suberror: String?) async throws {
        let server = try Self.server()
        let client = server.passwordClient
        let required = try await client.token(redeeming: server.signUpWithPassword().token)
        let listed = try await client.registerIntrospect(required.token)
        expectError(
            try await client.registerChallenge(listed.token, contact: number, channel: "sms"), error, code,
            suberror: suberror)
        #expect(try await texts(server).isEmpty)
        #expect(try await server.rows("SELECT id FROM texts").isEmpty)
        // The flow goes on with a number that can be texted.
        let sent = try await client.registerChallenge(listed.token, contact: "+4915123456789", channel: "sms")
        #expect(sent.status == 200, "\(sent)")
    }

    @Test("a tenant without texts, and a server without a gateway, list none and take none")
    func withoutTexts() async throws {
        for server in [try Self.server(texts: nil), try Self.server { $0.hasTextGateway = false }] {
            let client = server.passwordClient
            let required = try await client.token(redeeming: server.signUpWithPassword().token)
            let listed = try await client.registerIntrospect(required.token)
            #expect(listed["methods"]?.array.map { $0["id"] } == ["email"])
            for channel in ["sms", nil] {
                expectError(
                    try await client.registerChallenge(listed.token, contact: Self.number, channel: channel),
                    "invalid_request", 901_001)
            }
            let codes = WireClient(transport: server.transport, clientID: FactorDirectory.oneTimePasscode)
            let signedUp = try await server.signUp(
                "other@example.com", with: codes, [("capabilities", WireClient.bothCapabilities)])
            let answer = try await codes.token(redeeming: signedUp.token)
            #expect(answer["challenge_type"] == "redirect", "\(answer)")
        }
    }

    @Test("SEC-SMS-3: starts, listings and wrong passwords text nothing; a thief of the password binds no number")
    func onlyAfterAFirstFactor() async throws {
        let server = try Self.server()
        try await owner(server)
        let before = try await texts(server).count
        let client = server.passwordClient
        for index in 0..<40 {
            let home = try server.client(from: "203.0.\(index).9")
            let started = try await home.initiate(IdentityTestServer.email)
            _ = try await home.signInChallenge(started.token, id: "sms")
            _ = try await home.introspect(started.token)
            _ = try await home.token(password: "wrong \(index) Aa1", started.token)
        }
        server.clock.advance(by: 3_600 * 24)
        let required = try await server.signIn(claims: WireClient.claims)
        _ = try await client.introspect(required.token)
        #expect(try await texts(server).count == before)
        // A flow that has to give a second factor registers none.
        let refused = try await client.registerChallenge(required.token, contact: "+15555550199", channel: "sms")
        #expect(refused.status == 400, "\(refused)")
        #expect(try await texts(server).count == before)
    }

    @Test("SEC-SMS-3, SEC-ENR-2: a thief with only the password texts no number and binds none")
    func thiefOfThePassword() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        server.clock.advance(by: 3_600)
        let required = try await server.signIn(claims: WireClient.claims)
        let listed = try await server.passwordClient.registerIntrospect(required.token)
        for channel in ["sms", nil] {
            expectError(
                try await server.passwordClient.registerChallenge(listed.token, contact: Self.number, channel: channel),
                "access_denied", 550_024, suberror: "provider_blocked_by_rep")
        }
        #expect(try await texts(server).isEmpty)
        #expect(try await server.rows("SELECT id FROM strong_methods").isEmpty)
    }

    /// Asks for a text in a new flow, from an address of its own.
    private func ask(_ server: IdentityTestServer, from address: String, _ email: String = IdentityTestServer.email)
        async throws -> WireAnswer
    {
        let home = try server.client(from: address)
        let required = try await server.signIn(email, claims: WireClient.claims, with: home)
        return try await server.secondFactorChallenge(required.token, with: home)
    }

    @Test(
        "SEC-SMS-4: a number gets one text a minute, three in a quarter, five an hour and ten a day, over all flows and sources"
    )
    func capsOfANumber() async throws {
        let server = try Self.server()
        try await owner(server)
        server.clock.advance(by: 8 * 86_400)
        let before = try await server.rows("SELECT id FROM texts").count
        var sent = 0
        var isFirst = true
        for minute in 0..<(22 * 60) where minute < 70 || minute % 20 == 0 {
            server.clock.advance(by: isFirst ? 0 : minute < 70 ? 61 : 1_220)
            isFirst = false
            for source in 0..<2 {
                let answer = try await ask(server, from: "203.0.\(minute % 250).\(source + 1)")
                sent += answer.status == 200 ? 1 : 0
                if answer.status != 200 {
                    #expect(answer.status == 429, "\(answer)")
                    #expect(Int(answer.headers["retry-after"] ?? "") ?? 0 > 0, "\(answer)")
                }
            }
            if minute == 1 { #expect(sent == 2) }
            if minute == 12 { #expect(sent == 3) }
            if minute == 55 { #expect(sent == 5) }
        }
        let all = try await server.rows("SELECT id FROM texts").count
        #expect(sent == 10 && all - before == 10, "\(sent) \(all)")
    }

    @Test("SEC-SMS-4: many flows at once send one text to a number")
    func race() async throws {
        let server = try Self.server()
        try await owner(server)
        let before = try await texts(server).count
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                group.addTask { try await ask(server, from: "198.51.100.\(index + 1)").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
        #expect(try await texts(server).count == before + 1)
    }

    @Test(
        "SEC-SMS-5: of a thousand neighbours who answer nothing, twenty at most are texted in a day; who answers is not held up",
        arguments: [false, true])
    func neighbours(_ areAnswered: Bool) async throws {
        let server = try Self.server()
        var sent = 0
        for index in 0..<60 {
            let email = "user\(index)@example.com"
            let home = try server.client(from: "198.51.\(index).7")
            let required = try await home.token(
                redeeming: server.signUpWithPassword(email, alias: nil, with: home).token)
            let listed = try await home.registerIntrospect(required.token)
            let number = "+1555555" + String(1_000 + index * 7)
            let answer = try await home.registerChallenge(listed.token, contact: number, channel: "sms")
            sent += answer.status == 200 ? 1 : 0
            if answer.status == 200, areAnswered {
                _ = try await home.registerContinue(answer.token, code: server.mailbox.code(to: number))
            }
            server.clock.advance(by: 700)
        }
        #expect(sent == (areAnswered ? 60 : 20), "\(sent)")
    }

    @Test(
        "SEC-SMS-4: strangers who ask for texts to the owner's number and to its neighbours hold up no sign-in of the owner"
    )
    func ownersAreNotHeldUp() async throws {
        let server = try Self.server()
        try await owner(server)
        server.clock.advance(by: 8 * 86_400)
        for index in 0..<24 {
            let email = "stranger\(index)@example.com"
            let home = try server.client(from: "198.51.\(index).7")
            let required = try await home.token(
                redeeming: server.signUpWithPassword(email, alias: nil, with: home).token)
            let listed = try await home.registerIntrospect(required.token)
            // The owner's own number, and its neighbours.
            let number = index % 2 == 0 ? Self.number : "+1555555" + String(2_000 + index)
            _ = try await home.registerChallenge(listed.token, contact: number, channel: "sms")
            _ = try await server.mailbox.mails()
            server.clock.advance(by: 61)
        }
        let strangers = try await server.rows("SELECT id FROM texts WHERE registers = 1").count
        #expect(strangers > 5, "\(strangers)")
        let sent = try await challenged(server)
        #expect(sent.status == 200, "\(sent)")
    }

    @Test("SEC-SMS-6: a right code answers for its own number, and not for others of the flow")
    func launderedAnswers() async throws {
        let server = try Self.server()
        let client = server.passwordClient
        let required = try await client.token(redeeming: server.signUpWithPassword().token)
        var token = try await client.registerIntrospect(required.token).token
        for number in ["+4915123450001", "+4915123450002", Self.number] {
            let sent = try await client.registerChallenge(token, contact: number, channel: "sms")
            #expect(sent.status == 200, "\(sent)")
            token = try sent.token
        }
        _ = try await client.registerContinue(token, code: server.mailbox.code(to: Self.number))
        let rows = try await server.rows("SELECT area, verified_at IS NOT NULL FROM texts ORDER BY sent_at, area DESC")
        #expect(rows.map { $0.compactMap(\.self) } == [["49", "0"], ["49", "0"], ["1", "1"]], "\(rows)")
    }

    @Test("SEC-SMS-3: with enrolment compatible, too, a password alone has no text sent")
    func compatible() async throws {
        let server = try Self.server { $0.enrolment = .compatible }
        try await server.signUpWithPassword()
        server.clock.advance(by: 3_600)
        let required = try await server.signIn(claims: WireClient.claims)
        let listed = try await server.passwordClient.registerIntrospect(required.token)
        #expect(listed["methods"]?.array.map { $0["id"] } == ["email"], "\(listed)")
        expectError(
            try await server.passwordClient.registerChallenge(listed.token, contact: Self.number, channel: "sms"),
            "access_denied", 550_024, suberror: "provider_blocked_by_rep")
        #expect(try await texts(server).isEmpty)
    }

    @Test("SEC-ENR-3, SEC-LOCK-6: a telephone that cannot be texted any more is not replaced by the account's mailbox")
    func delisted() async throws {
        let isListed = Locked(true)
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.texts = TextSettings(areas: ["1"], brand: "Contoso")
        let listed = TenantDirectory([entry])
        entry.tenant.texts = TextSettings(areas: ["49"], brand: "Contoso")
        let other = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = TwoDirectories(first: listed, second: other, isFirst: isListed)
            settings.enrolment = .proven
            settings.hasTextGateway = true
            settings.limits = TimeLimits()
        }
        try await owner(server)
        isListed.withLock { $0 = false }
        for index in 0..<130 {
            server.clock.advance(by: 1_800)
            _ = try await server.signIn(
                password: "Wrong-\(index)-xyz", claims: WireClient.claims,
                with: try server.client(from: "203.0.\(index).9"))
        }
        server.clock.advance(by: 1_800)
        let home = try server.client(from: "203.0.200.9")
        let answer = try await server.signIn(claims: WireClient.claims, with: home)
        #expect(answer["challenge_type"] == "redirect", "\(answer)")
        isListed.withLock { $0 = true }
        let again = try await server.signIn(claims: WireClient.claims, with: home)
        let methods = try await home.introspect(again.token)["methods"]?.array ?? []
        #expect(methods.map { $0["challenge_channel"] } == ["sms"], "\(methods)")
    }

    @Test(
        "SEC-SMS-7: when the costs of a day are spent, a text is refused as blocked, the list leaves texts out, and an app still works"
    )
    func costs() async throws {
        var texts = TextSettings(areas: ["1"], brand: "Contoso")
        texts.usualPrice = 80_000
        texts.costPerDay = 250_000
        let server = try Self.server(texts: texts)
        try await owner(server)
        server.clock.advance(by: 86_400)
        _ = try await addApp(server)
        var sent = 0
        for index in 0..<6 {
            server.clock.advance(by: 1_000)
            let home = try server.client(from: "203.0.113.\(index + 1)")
            let required = try await server.signIn(claims: WireClient.claims, with: home)
            let listed = try await home.introspect(required.token)
            let channels = listed["methods"]?.array.compactMap { $0["challenge_channel"]?.string } ?? []
            #expect(channels.contains("totp"))
            #expect(channels.contains("sms") == (sent < 2), "\(sent) \(channels)")
            guard let phone = listed["methods"]?.array.first(where: { $0["challenge_channel"] == "sms" }) else {
                continue
            }
            let answer = try await home.signInChallenge(listed.token, id: phone["id"]?.string ?? "")
            sent += answer.status == 200 ? 1 : 0
            // The gateway takes it: it costs.
            _ = try await server.mailbox.mails()
        }
        // The app was added in a session of one more text.
        #expect(sent == 2)
        #expect(try await server.audited(.textAlarm) >= 1)
        // The next day texts are sent again.
        server.clock.advance(by: 86_400)
        let required = try await server.signIn(claims: WireClient.claims)
        let listed = try await server.passwordClient.introspect(required.token)
        let channels = listed["methods"]?.array.compactMap { $0["challenge_channel"]?.string } ?? []
        #expect(channels.contains("sms"), "\(channels)")
    }

    /// Adds an app in a session of password and telephone.
    private func addApp(_ server: IdentityTestServer) async throws -> TestApp {
        let required = try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope)
        let sent = try await server.secondFactorChallenge(required.token)
        let tokens = try await server.passwordClient.token(
            code: server.mailbox.code(to: Self.number), sent.token, grant: "mfa_oob", claims: WireClient.claims,
            scope: AccountCaller.scope)
        return try await TestApp.add(to: try AccountCaller(tokens, server))
    }

    @Test("SEC-SMS-9: a code of a text is good once, in its flow, for ten minutes, for five guesses")
    func codes() async throws {
        let server = try Self.server { $0.codeLifetime = 120 }
        try await owner(server)
        let client = server.passwordClient
        func give(_ code: String, _ sent: WireAnswer) async throws -> WireAnswer {
            try await client.token(code: code, sent.token, grant: "mfa_oob", claims: WireClient.claims)
        }
        _ = try await challenged(server)
        let code = try await server.mailbox.code(to: Self.number)
        server.clock.advance(by: 61)
        // Another flow has its own code.
        let second = try await challenged(server)
        let other = try await server.mailbox.code(to: Self.number)
        try #require(code != other)
        expectError(try await give(code, second), "invalid_grant", 50_181, suberror: "invalid_oob_value")
        #expect(try await give(other, second).status == 200)
        #expect(try await give(other, second).status == 200, "the same request has the same answer")
        server.clock.advance(by: 900)
        let guessed = try await challenged(server)
        let right = try await server.mailbox.code(to: Self.number)
        for index in 0..<5 {
            expectError(
                try await give("0000000\(index)", guessed), "invalid_grant", 50_181, suberror: "invalid_oob_value")
        }
        expectError(try await give(right, guessed), "invalid_grant", 50_181, suberror: "invalid_oob_value")
        server.clock.advance(by: 900)
        let third = try await challenged(server)
        let late = try await server.mailbox.code(to: Self.number)
        server.clock.advance(by: 121)
        expectError(try await give(late, third), "invalid_grant", 50_184, suberror: "invalid_oob_value")
        // The code of a mail is none of a text, and the other way round.
        server.clock.advance(by: 3_600)
        let fourth = try await challenged(server)
        let texted = try await server.mailbox.code(to: Self.number)
        let reset = try await client.resetChallenge(client.resetStart(IdentityTestServer.email).token)
        let mailed = try await server.mailbox.code(to: IdentityTestServer.email)
        #expect(try await give(mailed, fourth).status == 400)
        #expect(try await client.resetContinue(reset.token, code: texted).status == 400)
    }

    @Test("a text that brings its code back is noted, and only then")
    func verified() async throws {
        let server = try Self.server()
        try await owner(server)
        let sent = try await challenged(server)
        func verified() async throws -> [String?] {
            try await server.rows("SELECT verified_at IS NULL FROM texts ORDER BY sent_at").compactMap(\.first)
        }
        #expect(try await verified() == ["0", "1"])
        _ = try await server.passwordClient.token(code: "00000000", sent.token, grant: "mfa_oob")
        #expect(try await verified() == ["0", "1"])
        _ = try await server.passwordClient.token(
            code: server.mailbox.code(to: Self.number), sent.token, grant: "mfa_oob")
        #expect(try await verified() == ["0", "0"])
        // The table has no number, no account and no address in the clear.
        for row in try await server.rows("SELECT hex(number), hex(neighbourhood), hex(account), hex(source) FROM texts")
        {
            #expect(!row.contains { ($0 ?? "").contains("35353535") })
        }
    }

    @Test(
        "SEC-ENR-7: a reset suspends a telephone that only the mailbox enrolled, and keeps one of two factors that is old"
    )
    func reset() async throws {
        let server = try Self.server()
        let required = try await server.passwordClient.token(redeeming: server.signUpWithPassword().token)
        _ = try await register(Self.number, after: required, server)
        server.clock.advance(by: 86_400)
        try await server.reset()
        #expect(
            try await server.rows("SELECT suspended_at IS NULL FROM strong_methods").compactMap(\.first) == ["0"])
    }

    // MARK: Reports

    /// A report of the gateway, with the address, the fields and the signature of the test.
    private func report(
        _ server: IdentityTestServer, _ path: String, _ fields: [(String, String)], signedAs url: String? = nil,
        _ secret: String = "12345", hasSignature: Bool = true
    ) async throws -> Int {
        let base = server.engine.settings.baseURL
        let gateway = try #require(TextGatewayAddress("https://AC1:12345@api.example.com"))
        let routes = IdentityRoutes(
            engine: server.engine, clock: ManualWallClock(manual: server.clock),
            readiness: Readiness(flows: server.engine.ports.flows),
            textReports: TextReports(store: server.store, gateway: gateway, baseURL: base))
        let client = WireClient(transport: InProcessTransport(routes: routes, peer: IPAddress("192.0.2.1")))
        var form = FormFields()
        for (name, value) in fields { form.append(name, value) }
        let text = (url ?? base + path) + fields.sorted { $0.0 < $1.0 }.map { $0.0 + $0.1 }.joined()
        let mac = HMAC<Insecure.SHA1>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        var headers = ["content-type": "application/x-www-form-urlencoded"]
        if hasSignature { headers["x-twilio-signature"] = Data(mac).base64EncodedString() }
        return try await client.send(
            client.request("POST", path, headers: headers, body: Data(form.encoded.utf8))
        ).status
    }

    @Test(
        "SEC-SMS-12: a signed report is noted once; one with another key, address, field or none is 403; no flow changes"
    )
    func reports() async throws {
        let server = try Self.server()
        try await owner(server)
        let sent = try await challenged(server)
        let code = try await server.mailbox.code(to: Self.number)
        let id = try #require(
            try await server.rows("SELECT hex(id) FROM texts ORDER BY sent_at DESC LIMIT 1").first?.first ?? nil)
        let uuid = id.lowercased().enumerated().reduce(into: "") { text, item in
            text += ([8, 12, 16, 20].contains(item.offset) ? "-" : "") + String(item.element)
        }
        let tenant = TenantDirectory.development.entries[0].tenant.id
        let path = "/sms/reports/\(tenant)/\(uuid)"
        func reported() async throws -> String? {
            try await server.rows("SELECT report FROM texts ORDER BY sent_at DESC LIMIT 1").first?.first ?? nil
        }
        let failed = [("MessageSid", "SM1"), ("MessageStatus", "undelivered"), ("ErrorCode", "30003")]
        #expect(try await report(server, path, failed, "12346") == 403)
        #expect(try await report(server, path, failed, signedAs: "https://other.example\(path)") == 403)
        #expect(try await report(server, path, failed, hasSignature: false) == 403)
        #expect(try await reported() == nil)
        #expect(try await report(server, path, [("MessageStatus", "sent")]) == 204)
        #expect(try await reported() == nil)
        #expect(try await report(server, path, failed) == 204)
        #expect(try await reported() == "failed")
        #expect(try await report(server, path, [("MessageStatus", "delivered")]) == 204)
        #expect(try await report(server, path, failed) == 204)
        #expect(try await reported() == "failed")
        // Of a text that is not there, or of no text.
        #expect(try await report(server, "/sms/reports/\(tenant)/\(UUID().text)", failed) == 204)
        for wrong in ["/sms/reports/\(tenant)/1", "/sms/reports/contoso/\(uuid)"] {
            #expect(try await report(server, wrong, failed) == 404, "\(wrong)")
        }
        let tokens = try await server.passwordClient.token(
            code: code, sent.token, grant: "mfa_oob", claims: WireClient.claims)
        #expect(tokens.status == 200, "\(tokens)")
    }

    @Test("a server without a gateway takes no reports")
    func noGateway() async throws {
        let server = try Self.server()
        let client = server.client()
        let answer = try await client.send(
            client.request("POST", "/sms/reports/\(UUID())/\(UUID())", headers: [:], body: Data()))
        #expect(answer.status == 404)
    }

    // MARK: The account

    @Test(
        "SEC-ENR-13: an account has two telephones at most; the same number again takes its place, and each mailbox is told"
    )
    func account() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        server.clock.advance(by: 3_600)
        var caller = try await AccountCaller.withPassword(server)
        // A session of the password alone proves the own mailbox first; until then nothing is texted.
        let begun = try await caller.send(
            "POST", AccountCaller.beta + "/nativeAuth.addPhoneMethod", #"{"phoneNumber":"\#(Self.typed)"}"#)
        #expect(
            begun.status == 202 && begun["channel"] == nil && begun["targetLabel"] == "d***a@ex***le.com", "\(begun)")
        #expect(try await texts(server).isEmpty)
        let proven = try await caller.send(
            "POST", AccountCaller.beta + "/nativeAuth.confirmPhoneMethod",
            #"{"continuationToken":"\#(begun.text("continuationToken") ?? "")","code":"\#(try await server.mailbox.code(to: IdentityTestServer.email))"}"#
        )
        let sent = try await caller.send(
            "POST", AccountCaller.beta + "/nativeAuth.addPhoneMethod",
            #"{"continuationToken":"\#(proven.text("continuationToken") ?? "")"}"#)
        #expect(sent["channel"] == "sms" && sent["targetLabel"] == "+1*********3", "\(sent)")
        let added = try await caller.send(
            "POST", AccountCaller.beta + "/nativeAuth.confirmPhoneMethod",
            #"{"continuationToken":"\#(sent.text("continuationToken") ?? "")","code":"\#(try await server.mailbox.code(to: Self.number))"}"#
        )
        #expect(added.status == 204, "\(added)")
        #expect(try await server.mailbox.mails().first?.purpose == .methodRegistered)
        func session() async throws -> AccountCaller {
            server.clock.advance(by: 3_700)
            let required = try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope)
            let challenge = try await server.secondFactorChallenge(required.token)
            return try AccountCaller(
                try await server.passwordClient.token(
                    code: server.mailbox.code(to: Self.number), challenge.token, grant: "mfa_oob",
                    claims: WireClient.claims, scope: AccountCaller.scope), server)
        }
        func add(_ number: String) async throws -> Int {
            let begun = try await caller.send(
                "POST", AccountCaller.beta + "/nativeAuth.addPhoneMethod", #"{"phoneNumber":"\#(number)"}"#)
            guard let token = begun.text("continuationToken") else { return begun.status }
            return try await caller.send(
                "POST", AccountCaller.beta + "/nativeAuth.confirmPhoneMethod",
                #"{"continuationToken":"\#(token)","code":"\#(try await server.mailbox.code(to: number))"}"#
            ).status
        }
        caller = try await session()
        server.clock.advance(by: 61)
        #expect(try await add("+4915123456789") == 204)
        caller = try await session()
        #expect(try await add("+4915123456780") == 400)
        server.clock.advance(by: 61)
        #expect(try await add(Self.number) == 204)
        let listed = try await caller.send("GET", AccountCaller.me + "/authentication/phoneMethods")
        #expect(listed["value"]?.array.count == 2, "\(listed)")
        #expect(listed["value"]?.array.allSatisfy { $0["phoneType"] == "mobile" } == true)
        #expect(listed["value"]?.array.allSatisfy { $0["smsSignInState"] == "notAllowedByPolicy" } == true)
        #expect(
            Set(listed["value"]?.array.compactMap { $0["phoneNumber"]?.string } ?? []) == [
                "+1*********3", "+49**********9",
            ])
        // An address is no telephone, and a telephone no address.
        for (operation, body) in [
            ("addPhoneMethod", #"{"phoneNumber":"erik@example.com"}"#),
            ("addEmailMethod", #"{"emailAddress":"+4915123456780"}"#),
            ("changeEmail", #"{"emailAddress":"+4915123456780"}"#),
            ("addPhoneMethod", #"{"emailAddress":"erik@example.com"}"#),
        ] {
            let answer = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.\(operation)", body)
            #expect(answer.status == 400, "\(operation) \(body): \(answer)")
        }
    }
}

/// One of two directories, as an operator's change of the document leaves them.
struct TwoDirectories: ClientStore {
    let first: TenantDirectory
    let second: TenantDirectory
    let isFirst: Locked<Bool>

    private var present: TenantDirectory { isFirst.withLock { $0 } ? first : second }

    func tenant(named name: String) async throws(StoreError) -> Tenant? { try await present.tenant(named: name) }
    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
        try await present.client(id, in: tenant)
    }
    func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
        try await present.entry(of: tenant)
    }
    func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
        try await present.daemon(id, in: tenant)
    }
    func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
        try await present.hasPages(ofOrigin: origin)
    }
    func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
        try await present.tenant(ofPasskeysAt: host)
    }
}
