import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Sign-ins with the number of a telephone, and a code by text message as the first factor.
@Suite("Sign-ins with a number") struct NumberSignInTests {
    private static let number = "+15555550123"
    private static let typed = "+1 (555) 555-0123"
    private static let day = 86_400.0

    private static func server(
        signsIn: Bool = true, costPerDay: Int? = nil, distinctMailbox: Bool = false, rememberedDays: Int? = nil,
        mode: EnumerationMode? = nil, mailsPerHour: Int? = nil
    ) throws -> IdentityTestServer {
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.texts = TextSettings(
            areas: ["1", "49"], brand: "Contoso", usualPrice: costPerDay == nil ? 0 : 1_000_000, costPerDay: costPerDay,
            signsIn: signsIn)
        entry.tenant.rememberedDays = rememberedDays
        entry.tenant.enumeration = mode
        entry.tenant.mailsPerHour = mailsPerHour
        if distinctMailbox {
            for index in entry.applications.indices {
                entry.applications[index].userFlow.requiresDistinctMailbox = true
            }
        }
        let directory = TenantDirectory([entry])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.hasTextGateway = true
            settings.limits = TimeLimits()
            settings.resendCooldown = 60
        }
    }

    /// A user of a password, who has registered the number.
    private func owner(_ server: IdentityTestServer) async throws {
        let client = server.passwordClient
        let required = try await client.token(redeeming: server.signUpWithPassword().token)
        let listed = try await client.registerIntrospect(required.token)
        let sent = try await client.registerChallenge(listed.token, contact: Self.number, channel: "sms")
        let done = try await client.registerContinue(sent.token, code: server.mailbox.code(to: Self.number))
        #expect(try await client.token(redeeming: done.token).status == 200)
        server.clock.advance(by: 3_601)
    }

    /// The answer to the challenge of a sign-in with the number.
    private func challenged(
        _ server: IdentityTestServer, _ name: String = typed, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? server.passwordClient
        let started = try await client.initiate(name)
        guard started.status == 200 else { return started }
        return try await client.signInChallenge(started.token)
    }

    private func signIn(
        _ server: IdentityTestServer, claims: String? = nil, scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        let sent = try await challenged(server)
        return try await server.passwordClient.token(
            code: server.mailbox.code(to: Self.number), sent.token, claims: claims, scope: scope)
    }

    private func texts(_ server: IdentityTestServer) async throws -> Int {
        try await server.mailbox.mails().count { $0.to.hasPrefix("+") }
    }

    @Test("a number signs in by a code alone: one factor, by text; the first time is told by mail")
    func signsIn() async throws {
        let server = try Self.server()
        try await owner(server)
        let before = try await texts(server)
        let sent = try await challenged(server)
        #expect(sent["challenge_type"] == "oob" && sent["challenge_channel"] == "sms", "\(sent)")
        #expect(sent["challenge_target_label"] == "+1*********3" && sent["code_length"] == 8)
        #expect(try await texts(server) == before + 1)
        let wrong = try await server.passwordClient.token(code: "00000000", sent.token)
        expectError(wrong, "invalid_grant", 50_181, suberror: "invalid_oob_value")
        let tokens = try await server.passwordClient.token(code: server.mailbox.code(to: Self.number), sent.token)
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["amr"] == ["sms"], "\(access)")
        let identity = try claims(of: tokens.text("id_token"))
        #expect(identity["preferred_username"] == .string(IdentityTestServer.email))
        #expect(try await server.mailbox.mails().first?.purpose == .methodFirstUsed)
        #expect(try await server.signIn().status == 200, "the password signs in as before")
        // No password is asked for where a number was typed.
        let started = try await server.passwordClient.initiate(Self.number)
        let password = try await server.passwordClient.token(password: WireClient.password, started.token)
        expectError(password, "invalid_request", 55_200)
    }

    @Test("without the setting a number is no name, and neither does it reset a password")
    func off() async throws {
        let server = try Self.server(signsIn: false)
        try await owner(server)
        let before = try await texts(server)
        expectError(try await challenged(server), "user_not_found", 50_034)
        let on = try Self.server()
        try await owner(on)
        expectError(try await on.passwordClient.resetStart(Self.number), "user_not_found", 50_034)
        #expect(try await texts(server) == before)
    }

    @Test("SEC-SMS-3: a number of no account gets no text, and neither does one of another country")
    func strangersNumbers() async throws {
        let server = try Self.server()
        try await owner(server)
        let before = try await texts(server)
        for name in ["+15555550124", "+4915123456789", "+353850123456", "015123456789"] {
            expectError(try await challenged(server, name), "user_not_found", 50_034)
        }
        // Of an account, and of a country that is not texted any more.
        try await server.plantMethod("+353850123456", of: IdentityTestServer.email)
        expectError(
            try await challenged(server, "+353850123456"), "access_denied", 550_024, suberror: "provider_blocked_by_rep"
        )
        #expect(try await texts(server) == before)
    }

    @Test("SEC-SMS-16: a number signs in to the account that proved it last, and to none after half a year of silence")
    func oneAccount() async throws {
        let server = try Self.server()
        try await owner(server)
        #expect(try await signIn(server).status == 200)
        server.clock.advance(by: 3_600)
        // Another account proves the same number.
        let other = "otto@example.com"
        _ = try await server.signUpWithPassword(other, alias: nil)
        try await server.plantMethod(Self.number, of: other)
        #expect(try await server.mailbox.mails().isEmpty == false)
        let name = try claims(of: try await signIn(server).text("id_token"))["preferred_username"]
        #expect(name == .string(IdentityTestServer.email), "the planted method is older")
        // Each use is a proof; then half a year passes without one.
        server.clock.advance(by: 179 * Self.day)
        #expect(try await signIn(server).status == 200)
        server.clock.advance(by: 180 * Self.day)
        expectError(try await challenged(server), "user_not_found", 50_034)
        // By the password, the telephone is a second factor still, and so proven again.
        let required = try await server.signIn(claims: WireClient.claims)
        let second = try await server.secondFactorChallenge(required.token)
        #expect(
            try await server.passwordClient.token(
                code: server.mailbox.code(to: Self.number), second.token, grant: "mfa_oob", claims: WireClient.claims
            ).status == 200)
        server.clock.advance(by: 61)
        #expect(try await signIn(server).status == 200)
    }

    @Test("SEC-ENR-7: a telephone that is suspended, or removed while its code is on the way, does not sign in")
    func suspended() async throws {
        let server = try Self.server()
        try await owner(server)
        let sent = try await challenged(server)
        let code = try await server.mailbox.code(to: Self.number)
        let user = try #require(try await server.storedUsers().first)
        let method = try #require(
            try await server.engine.ports.users.account(user.id, in: user.tenant)?.strongMethods.first)
        try await server.plant(
            FlowRow(expiresAt: server.clock.now), [.setSuspension([method.id], of: user.id, server.clock.now)],
            of: UUID(), in: user.tenant)
        expectError(try await server.passwordClient.token(code: code, sent.token), "invalid_request", 55_200)
        expectError(try await challenged(server), "user_not_found", 50_034)
    }

    @Test("SEC-MFA-1: a second factor after a number is a code to the account's mailbox", arguments: [false, true])
    func secondFactor(_ distinct: Bool) async throws {
        let server = try Self.server(distinctMailbox: distinct)
        try await owner(server)
        let required = try await signIn(server, claims: WireClient.claims)
        #expect(required.text("suberror") == "mfa_required", "\(required)")
        let listed = try await server.passwordClient.introspect(required.token)
        #expect(listed["methods"]?.array.map { $0["challenge_channel"] } == ["email"], "\(listed)")
        let sent = try await server.secondFactorChallenge(required.token)
        let tokens = try await server.passwordClient.token(
            code: server.mailbox.code(to: IdentityTestServer.email), sent.token, grant: "mfa_oob",
            claims: WireClient.claims)
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["otp", "sms", "mfa"], "\(tokens)")
    }

    @Test("SEC-ENR-3: who has the telephone alone changes nothing of the account")
    func thiefOfTheTelephone() async throws {
        let server = try Self.server()
        try await owner(server)
        let tokens = try await signIn(server, scope: AccountCaller.scope)
        let caller = try AccountCaller(tokens, server)
        #expect(try await caller.send("GET", AccountCaller.me).status == 200)
        for (method, path, body) in [
            ("POST", "/nativeAuth.addPhoneMethod", #"{"phoneNumber":"+4915123456789"}"#),
            ("POST", "/nativeAuth.addEmailMethod", #"{"emailAddress":"thief@example.com"}"#),
            ("POST", "/nativeAuth.changeEmail", #"{"emailAddress":"thief@example.com"}"#),
            ("POST", "/nativeAuth.changePassword", #"{"newPassword":"Thief#Of#Phones-1"}"#),
            ("POST", "/nativeAuth.makeRecoveryCodes", "{}"),
        ] {
            let answer = try await caller.send(method, AccountCaller.beta + path, body)
            #expect([400, 401, 403, 404].contains(answer.status), "\(path): \(answer)")
        }
        let deleted = try await caller.send("DELETE", AccountCaller.me)
        #expect([401, 403].contains(deleted.status), "\(deleted)")
        #expect(try await server.mailbox.mails(for: "thief@example.com").isEmpty)
    }

    @Test("SEC-SMS-4: strangers who type a number are held up, and hold up neither its owner nor registrations")
    func strangersAreCountedApart() async throws {
        let server = try Self.server()
        try await owner(server)
        var waits = 0
        for index in 0..<12 {
            let client = try server.client(.emailPassword, from: "203.0.113.\(index)")
            if try await challenged(server, with: client).status == 429 { waits += 1 }
            server.clock.advance(by: 61)
        }
        #expect(waits == 9, "three in fifteen minutes")
        let required = try await server.signIn(claims: WireClient.claims)
        let second = try await server.secondFactorChallenge(required.token)
        #expect(second.status == 200, "\(second)")
        // And the other way round: what the owner uses is not what strangers see.
        let rows = try await server.rows(
            "SELECT registers, signs_in, COUNT(*) FROM texts GROUP BY registers, signs_in ORDER BY 1, 2")
        #expect(rows == [["0", "0", "1"], ["0", "1", "3"], ["1", "0", "1"]], "\(rows)")
        // A network from which the owner has signed in has a budget of its own.
        server.clock.advance(by: 61)
        let home = try server.client(.emailPassword, from: "198.51.100.7")
        #expect(try await challenged(server, with: home).status == 429)
        #expect(try await server.signIn(with: home).status == 200)
        #expect(try await challenged(server, with: home).status == 200)
    }

    @Test("SEC-SMS-4: all sign-ins with numbers of a tenant are as many in an hour as its mails")
    func tenant() async throws {
        let server = try Self.server(mailsPerHour: 3)
        try await owner(server)
        for (index, number) in ["+15555550131", "+15555550132"].enumerated() {
            let email = "user\(index)@example.com"
            _ = try await server.signUpWithPassword(email, alias: nil)
            try await server.plantMethod(number, of: email)
        }
        server.clock.advance(by: 3_601)
        #expect(try await challenged(server).status == 200)
        #expect(try await challenged(server, "+15555550131").status == 200)
        #expect(try await challenged(server, "+15555550132").status == 200)
        server.clock.advance(by: 61)
        let fourth = try await challenged(server)
        #expect(fourth.status == 429, "\(fourth)")
        server.clock.advance(by: 3_540)
        #expect(try await challenged(server).status == 200)
    }

    @Test(
        "SEC-SMS-16: a telephone that was enrolled on less than the account has does not sign in",
        arguments: Enrolment.Strength.allCases)
    func enrolledOnLess(_ strength: Enrolment.Strength) async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        let user = try #require(try await server.storedUsers().first)
        let method = StrongMethod(
            id: UUID(), contact: try #require(Contact(Self.number)), provenAt: server.clock.now,
            enrolment: Enrolment(strength))
        try await server.plant(
            FlowRow(expiresAt: server.clock.now), [.addStrongMethod(method, to: user.id)], of: UUID(), in: user.tenant)
        server.clock.advance(by: 4 * Self.day)
        let answer = try await challenged(server)
        switch strength {
        case .twoFactors, .codes: #expect(answer.status == 200, "\(answer)")
        case .unknown, .password, .mailbox, .recoveryCode: expectError(answer, "user_not_found", 50_034)
        }
    }

    @Test("SEC-ENR-7: for 30 days the mailbox of a user of codes decides about a telephone that it enrolled")
    func heldByMailbox() async throws {
        let server = try Self.server()
        let client = server.client()
        _ = try await server.signUp(IdentityTestServer.email, with: client)
        let user = try #require(try await server.storedUsers().first)
        let method = StrongMethod(
            id: UUID(), contact: try #require(Contact(Self.number)), provenAt: server.clock.now,
            enrolment: Enrolment(.codes))
        try await server.plant(
            FlowRow(expiresAt: server.clock.now), [.addStrongMethod(method, to: user.id)], of: UUID(), in: user.tenant)
        server.clock.advance(by: 3_601)
        // Who held the mailbox for a moment has the telephone, and changes nothing with it.
        let sent = try await challenged(server, with: client)
        let thief = try AccountCaller(
            try await client.token(code: server.mailbox.code(to: Self.number), sent.token, scope: AccountCaller.scope),
            server)
        let path = AccountCaller.me + "/authentication/phoneMethods/\(method.id.text)"
        #expect([401, 403].contains(try await thief.send("DELETE", path).status))
        // The owner of the mailbox removes it, and it signs in no more.
        let owner = try AccountCaller(
            try await server.signInWithCode(scope: AccountCaller.scope, with: client), server)
        let removed = try await owner.send("DELETE", path)
        #expect(removed.status == 204, "\(removed)")
        expectError(try await challenged(server, with: client), "user_not_found", 50_034)
    }

    @Test("SEC-ENUM-3, SEC-SMS-3: where answers hide accounts, the text of a number of none is written and dropped")
    func decoys() async throws {
        let server = try Self.server(costPerDay: 5_000_000, mode: .strict)
        #expect(try await challenged(server).status == 200)
        #expect(try await server.mailbox.mails().isEmpty)
        #expect(try await server.rows("SELECT signs_in, cost FROM texts") == [["1", "0"]])
        #expect(try await server.count("SELECT COUNT(*) FROM outbox") == 1)
    }

    @Test("a tenant that turns the setting off has no texts sent in flows that have begun")
    func turnedOff() async throws {
        let isOn = Locked(true)
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.texts = TextSettings(areas: ["1"], brand: "Contoso", signsIn: true)
        let on = TenantDirectory([entry])
        entry.tenant.texts?.signsIn = false
        let off = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = TwoDirectories(first: on, second: off, isFirst: isOn)
            settings.hasTextGateway = true
        }
        try await server.signUpWithPassword()
        try await server.plantMethod(Self.number, of: IdentityTestServer.email)
        let started = try await server.passwordClient.initiate(Self.number)
        isOn.withLock { $0 = false }
        expectError(
            try await server.passwordClient.signInChallenge(started.token), "access_denied", 550_024,
            suberror: "provider_blocked_by_rep")
        #expect(try await texts(server) == 0)
        isOn.withLock { $0 = true }
        #expect(try await server.passwordClient.signInChallenge(started.token).status == 200)
    }

    @Test("SEC-ENUM-3: where answers hide accounts, two numbers of one account have budgets as two of none")
    func twoNumbersOfOneAccount() async throws {
        let server = try Self.server(mode: .strict)
        try await server.signUpWithPassword()
        let numbers = ["+15555550131", "+15555550132", "+15555550133", "+15555550134"]
        for number in numbers.prefix(2) { try await server.plantMethod(number, of: IdentityTestServer.email) }
        server.clock.advance(by: 3_601)
        for round in 0..<3 {
            for number in numbers {
                let client = try server.client(.emailPassword, from: "203.0.113.\(round)")
                let answer = try await challenged(server, number, with: client)
                #expect(answer.status == 200, "\(round) \(number): \(answer)")
            }
            server.clock.advance(by: 301)
        }
    }

    @Test("SEC-SMS-7: the last fifth of the costs is not for who types a number")
    func costs() async throws {
        let server = try Self.server(costPerDay: 5_000_000)
        try await owner(server)
        for _ in 0..<3 {
            #expect(try await signIn(server).status == 200)
            server.clock.advance(by: 1_000)
        }
        expectError(
            try await challenged(server), "access_denied", 550_024, suberror: "provider_blocked_by_rep")
        let required = try await server.signIn(claims: WireClient.claims)
        #expect(try await server.secondFactorChallenge(required.token).status == 200)
    }

    @Test("At the hosted pages the field of the name takes a number, and the code is one by text")
    func pages() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        try await server.plantMethod(Self.number, of: IdentityTestServer.email)
        let party = TestRelyingParty(.emailPassword)
        let browser = TestBrowser(server)
        try await browser.get(party.path())
        #expect(browser.html.contains("E-mail address, username or telephone number"), "\(browser.html)")
        #expect(!browser.html.contains("inputmode=\"email\""))
        try await browser.submit(["username": "+1 555 555 0199"])
        #expect(browser.status == 422 && browser.problem?.hasPrefix("There is no account") == true, "\(browser.html)")
        try await browser.submit(["username": "(555) 555-0123"])
        #expect(browser.problem?.contains("with the code of the country") == true, "\(browser.html)")
        try await browser.submit(["username": Self.typed])
        #expect(
            browser.title == "Enter the code of the message" && browser.html.contains("+1*********3"), "\(browser.html)"
        )
        try await browser.submit(["code": try await server.mailbox.code(to: Self.number)])
        let tokens = try await party.redeem(try #require(browser.answer["code"], "\(browser.html)"), at: server)
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["sms"], "\(tokens)")
        // The form of a sign-up asks for an address.
        let other = TestBrowser(server)
        try await other.get(party.path())
        try await other.submit([:], action: "switch")
        #expect(other.html.contains("inputmode=\"email\"") && !other.html.contains("telephone number"), "\(other.html)")
    }
}
