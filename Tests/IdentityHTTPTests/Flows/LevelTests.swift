import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Rules of a tenant that demand more than two factors, on the wire.
@Suite("Levels") struct LevelTests {
    private static let email = IdentityTestServer.email
    private static let c4 = #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#

    /// The application of ``FactorDirectory/userFlow``, which demands two factors, and whose users sign up elsewhere.
    private static let strict = FactorDirectory.userFlow

    private static func server(
        _ rules: [LevelRule], textMessages: Bool = true, apps: Bool = true, passkeys: Bool = true,
        adjust: (inout EngineSettings) -> Void = { _ in }
    ) throws -> IdentityTestServer {
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.levels = rules
        if !textMessages { entry.tenant.texts = nil }
        entry.tenant.offersApps = apps
        if !passkeys { entry.tenant.passkeys = nil }
        let directory = TenantDirectory([entry])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.enrolment = .proven
            adjust(&settings)
        }
    }

    private static func rule(
        _ level: Assurance.Level, _ maximumAge: Int? = nil, of application: String = strict
    ) throws -> LevelRule {
        LevelRule(level: level, maximumAge: maximumAge, applications: [try #require(ClientID(application))])
    }

    private func strictClient(_ server: IdentityTestServer) -> WireClient { server.client(id: Self.strict) }

    private func methods(_ answer: WireAnswer) -> [String] {
        answer["methods"]?.array.compactMap { $0["challenge_channel"]?.string } ?? []
    }

    /// Gives the code of the own mailbox in a flow that asks for it.
    private func proveMailbox(_ required: WireAnswer, _ server: IdentityTestServer, _ client: WireClient) async throws
        -> WireAnswer
    {
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        return try await client.token(code: server.mailbox.code(to: Self.email), sent.token, grant: "mfa_oob")
    }

    private func options(_ token: String, _ client: WireClient) async throws -> WireAnswer {
        try await client.post(.registerChallenge, [("continuation_token", token), ("challenge_type", "passkey")])
    }

    private func register(_ answer: String, _ options: WireAnswer, _ client: WireClient) async throws -> WireAnswer {
        try await client.post(
            .registerContinue,
            [("continuation_token", try options.token), ("grant_type", "passkey"), ("credential", answer)])
    }

    /// What the test device makes of the options of a registration.
    private func make(_ options: WireAnswer, _ passkey: TestPasskey) async throws -> String {
        try await passkey.make(try #require(options["public_key"], "\(options)"))
    }

    @Test("An application that demands a passkey registers one in the sign-in, and takes nothing less")
    func passkeyDemanded() async throws {
        let server = try Self.server([try Self.rule(.phishingResistant)])
        let (client, passkey) = (strictClient(server), TestPasskey())
        try await server.signUpWithPassword()
        // A client that knows no passkeys is sent to the web, whatever it could register.
        let plain = try await server.signIn(with: client)
        #expect(plain.status == 200 && plain["challenge_type"] == "redirect", "\(plain)")
        // The first method needs a code to the own mailbox, which is no way to the level by itself.
        let required = try await server.signIn(challengeTypes: TestPasskey.words, with: client)
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        let registering = try await proveMailbox(required, server, client)
        expectError(registering, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        let listed = try await client.registerIntrospect(registering.token)
        #expect(methods(listed) == ["passkey"] && listed["methods"]?.array[0]["challenge_type"] == "passkey")
        // A mailbox would not reach it: nothing is sent.
        let mails = try await server.mailbox.mails().count
        for contact in [Self.email, IdentityTestServer.contact] {
            let refused = try await client.registerChallenge(listed.token, contact: contact)
            #expect(refused.status == 400 && refused["error_codes"]?.array.first == 901_001, "\(refused)")
        }
        let number = try await client.registerChallenge(listed.token, contact: "+15555550123", channel: "sms")
        #expect(number["error_codes"]?.array.first == 901_001, "\(number)")
        #expect(try await server.mailbox.mails().count == mails)
        let options = try await options(listed.token, client)
        expectSuccess(options, ["challenge_type", "continuation_token", "public_key"])
        let done = try await register(try await make(options, passkey), options, client)
        expectSuccess(done, ["continuation_token"])
        #expect(try await server.mailbox.mails().first?.purpose == .methodRegistered)
        let tokens = try await client.token(redeeming: done.token, claims: nil)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(
            try claims(of: tokens.text("access_token"))["amr"] == ["pwd", "otp", "hwk", "user", "mfa", "pop"])
        // Operators read which level was demanded.
        let demanded = try await server.rows("SELECT detail FROM audit WHERE kind = 'mfa.required' ORDER BY seq")
        #expect(demanded == [["redirect, l2p"], ["l2p"], ["registration, l2p"]])
        // From now on: alone, or after the password as the only method.
        #expect(try await passkey.signIn(client).status == 200)
        let second = try await server.signIn(challengeTypes: TestPasskey.words, with: client)
        #expect(methods(try await client.introspect(second.token)) == ["passkey"])
        // Its refresh keeps the level, and the session of another application has not got it.
        #expect(try await refresh(tokens, with: client).status == 200)
        let elsewhere = try await server.signIn()
        #expect(elsewhere.status == 200)
    }

    private func refresh(
        _ tokens: WireAnswer, scope: String? = nil, claims: String? = nil, with client: WireClient
    ) async throws -> WireAnswer {
        try await client.post(
            .token,
            [("grant_type", "refresh_token"), ("refresh_token", try #require(tokens.text("refresh_token")))]
                + (scope.map { [("scope", $0)] } ?? []) + (claims.map { [("claims", $0)] } ?? []))
    }

    @Test("SEC-PK-1: a wrong answer to the request for a passkey spends its challenge, and the sign-in goes on")
    func refusedPasskey() async throws {
        let server = try Self.server([try Self.rule(.phishingResistant)])
        let (client, passkey) = (strictClient(server), TestPasskey())
        try await server.signUpWithPassword()
        let required = try await server.signIn(challengeTypes: TestPasskey.words, with: client)
        let registering = try await proveMailbox(required, server, client)
        let first = try await options(registering.token, client)
        let other = try await options(registering.token, client)
        // The answer to another challenge, and then the right one of a spent challenge.
        let answer = try await make(first, passkey)
        let refused = try await register(answer, other, client)
        #expect(refused.status == 400 && refused.text("suberror") == "passkey_invalid", "\(refused)")
        let again = try await register(try await make(other, TestPasskey()), other, client)
        #expect(again.status == 400, "\(again)")
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
        let third = try await options(other.token, client)
        let made = try await make(third, passkey)
        let copiedID = try JSONDecoder().decode(JSON.self, from: Data(made.utf8))["id"]?.string
        let done = try await register(made, third, client)
        #expect(try await client.token(redeeming: done.token, claims: nil).status == 200)
        // One that another user has is refused (SEC-PK-11).
        try await server.signUpWithPassword("erik@example.com", alias: nil)
        let erik = try await server.signIn("erik@example.com", challengeTypes: TestPasskey.words, with: client)
        let sent = try await server.secondFactorChallenge(erik.token, with: client)
        let proven = try await client.token(
            code: server.mailbox.code(to: "erik@example.com"), sent.token, grant: "mfa_oob")
        let copied = try await options(proven.token, client)
        let id = try #require(copiedID.flatMap { Base64URL.decode($0) })
        let taken = try await register(try await make(copied, TestPasskey(id: id)), copied, client)
        #expect(taken.text("suberror") == "passkey_invalid", "\(taken)")
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 1)
    }

    @Test("SEC-ENR-2: who has the password alone registers no passkey by the application's demand")
    func thiefOfThePassword() async throws {
        for mode in [EnrolmentMode.proven, .compatible] {
            let server = try Self.server([try Self.rule(.phishingResistant)]) { $0.enrolment = mode }
            let client = strictClient(server)
            try await server.signUpWithPassword()
            let required = try await server.signIn(challengeTypes: TestPasskey.words, with: client)
            let listed = try await client.introspect(required.token)
            #expect(methods(listed) == ["email"])
            #expect(listed["methods"]?.array[0]["login_hint"]?.string?.contains("*") == true)
            for token in [try required.token, try listed.token] {
                #expect(try await options(token, client).status == 400)
                #expect(try await client.registerIntrospect(token).status == 400)
                #expect(try await client.token(redeeming: token, claims: nil).status == 400)
            }
            #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0, "\(mode)")
        }
    }

    @Test("SEC-ENR-3: an account with a weaker method gives that one before it registers a passkey")
    func weakerMethodFirst() async throws {
        let server = try Self.server([try Self.rule(.phishingResistant)])
        let client = strictClient(server)
        try await server.signUpWithTwoFactors()
        let required = try await server.signIn(challengeTypes: TestPasskey.words, with: client)
        let listed = try await client.introspect(required.token)
        #expect(methods(listed) == ["email"])
        #expect(try await options(listed.token, client).status == 400)
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        let registering = try await client.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob")
        expectError(registering, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        let asked = try await options(registering.token, client)
        let done = try await register(try await make(asked, TestPasskey()), asked, client)
        let tokens = try await client.token(redeeming: done.token, claims: nil)
        #expect(tokens.status == 200, "\(tokens)")
        // A plain client of this account cannot give what is demanded.
        let plain = try await server.signIn(with: client)
        #expect(plain["challenge_type"] == "redirect")
    }

    @Test("SEC-ENR-8: a password from a reset, with the mailbox that reset it, registers no passkey")
    func thiefOfTheMailbox() async throws {
        let server = try Self.server([try Self.rule(.phishingResistant)])
        let client = strictClient(server)
        try await server.signUpWithPassword()
        try await server.reset()
        let required = try await server.signIn(
            password: WireClient.newPassword, challengeTypes: TestPasskey.words, with: client)
        #expect(required.status == 200 && required["challenge_type"] == "redirect", "\(required)")
        let changed = try await server.reset(to: "Vind-i-Sejl#2028", with: client)
        let redeemed = try await client.token(redeeming: changed.token, claims: nil)
        #expect(redeemed["challenge_type"] == "redirect", "\(redeemed)")
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
    }

    @Test("Two factors by NIST: a mailbox is none of them, an authenticator app is")
    func authenticatorApp() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)])
        let client = strictClient(server)
        try await server.signUpWithTwoFactors()
        // The user has a mailbox alone, and the client takes no passkey: nothing reaches it here.
        let without = try await server.signIn(with: client)
        #expect(
            without["challenge_type"] == "redirect"
                && without.text("redirect_reason") == "Client is missing totp challenge type")
        let first = try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope)
        let mailed = try await server.secondFactorChallenge(first.token)
        let tokens = try await server.passwordClient.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), mailed.token, grant: "mfa_oob",
            scope: AccountCaller.scope)
        let app = try await TestApp.add(to: try AccountCaller(tokens, server))
        let required = try await server.signIn(with: client)
        let listed = try await client.introspect(required.token)
        #expect(methods(listed) == ["totp"], "the mailbox is not enough: \(listed)")
        let asked = try await server.secondFactorChallenge(listed.token, with: client)
        let signedIn = try await client.token(code: app.code(at: server.clock.now), asked.token, grant: "mfa_oob")
        #expect(signedIn.status == 200, "\(signedIn)")
        #expect(try await refresh(signedIn, with: client).status == 200)
        // Elsewhere the mailbox still is a second factor.
        #expect(try await server.signInWithSecondFactor().status == 200)
    }

    // MARK: An app that is registered in the sign-in

    private static let appWords = "totp oob password redirect"

    private func key(_ token: String, _ client: WireClient) async throws -> WireAnswer {
        try await client.post(.registerChallenge, [("continuation_token", token), ("challenge_type", "totp")])
    }

    private func confirm(_ code: String, _ shown: WireAnswer, _ client: WireClient) async throws -> WireAnswer {
        try await client.post(
            .registerContinue,
            [("continuation_token", try shown.token), ("grant_type", "totp"), ("totp", code)])
    }

    private func app(of shown: WireAnswer) throws -> TestApp {
        try TestApp(key: try #require(shown.text("secret"), "\(shown)"))
    }

    @Test("SEC-TOTP-7: an application that demands two factors by NIST: a user without a method registers an app")
    func appRegistered() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)])
        let client = strictClient(server)
        try await server.signUpWithPassword()
        let plain = try await server.signIn(with: client)
        #expect(plain.status == 200 && plain["challenge_type"] == "redirect", "\(plain)")
        let required = try await server.signIn(challengeTypes: Self.appWords, with: client)
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        let registering = try await proveMailbox(required, server, client)
        expectError(registering, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        let listed = try await client.registerIntrospect(registering.token)
        #expect(methods(listed) == ["totp"] && listed["methods"]?.array[0]["challenge_type"] == "totp", "\(listed)")
        let first = try await key(listed.token, client)
        expectSuccess(
            first,
            [
                "challenge_type", "continuation_token", "code_length", "secret", "otpauth_uri", "algorithm", "digits",
                "period",
            ])
        let address = try #require(first.text("otpauth_uri"))
        #expect(address.hasPrefix("otpauth://totp/") && address.contains("secret=\(first.text("secret") ?? "")&"))
        // Asked again, there is another secret; nothing is stored of either.
        let shown = try await key(first.token, client)
        #expect(shown.text("secret") != first.text("secret"))
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
        let app = try app(of: shown)
        let now = server.clock.now
        for wrong in [
            try self.app(of: first).code(at: now), app.code(at: now, later: -1), app.code(at: now, later: 2), "12345",
            "1234567", "", "abcdef",
        ] {
            let refused = try await confirm(wrong, shown, client)
            #expect(refused.status == 400, "\(wrong): \(refused)")
        }
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
        let done = try await confirm(app.code(at: now), shown, client)
        expectSuccess(done, ["continuation_token"])
        #expect(try await server.mailbox.mails().first?.purpose == .methodRegistered)
        let tokens = try await client.token(redeeming: done.token, claims: nil)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["pwd", "otp", "mfa"])
        // The code is spent, the app is the method of the next sign-in, and its refresh keeps the level.
        let second = try await server.signIn(with: client)
        let offered = try await client.introspect(second.token)
        #expect(methods(offered) == ["totp"] && offered["methods"]?.array[0]["challenge_type"] == "oob", "\(offered)")
        let asked = try await server.secondFactorChallenge(offered.token, with: client)
        #expect(try await client.token(code: app.code(at: now), asked.token, grant: "mfa_oob").status == 400)
        server.clock.advance(by: 31)
        let next = app.code(at: server.clock.now)
        #expect(try await client.token(code: next, asked.token, grant: "mfa_oob").status == 200)
        #expect(try await refresh(tokens, with: client).status == 200)
    }

    @Test("A client that cannot register what is demanded is told which word it lacks, before a mail is sent")
    func missingWords() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)])
        let client = strictClient(server)
        try await server.signUpWithPassword()
        let mails = try await server.mailbox.mails().count
        let deaf = try await server.signIn(
            capabilities: "mfa_required", challengeTypes: Self.appWords, with: client)
        #expect(deaf.text("redirect_reason") == "Client is missing registration_required capability", "\(deaf)")
        let plain = try await server.signIn(with: client)
        #expect(plain.text("redirect_reason") == "Client is missing totp challenge type", "\(plain)")
        #expect(try await server.mailbox.mails().count == mails)
        let passkeys = try Self.server([try Self.rule(.phishingResistant)])
        try await passkeys.signUpWithPassword()
        let answer = try await passkeys.signIn(with: strictClient(passkeys))
        #expect(answer.text("redirect_reason") == "Client is missing passkey challenge type", "\(answer)")
        let none = try Self.server([try Self.rule(.twoFactors)], apps: false, passkeys: false)
        try await none.signUpWithPassword()
        let nothing = try await none.signIn(with: strictClient(none))
        #expect(nothing.text("redirect_reason")?.contains("can register none") == true, "\(nothing)")
    }

    @Test("SEC-TOTP-4, SEC-TOTP-7: wrong codes of a new app are limited, its secret is shown for ten minutes")
    func guessesAtANewApp() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)])
        let client = strictClient(server)
        try await server.signUpWithPassword()
        func begin() async throws -> WireAnswer {
            let required = try await server.signIn(challengeTypes: Self.appWords, with: client)
            return try await key(try await proveMailbox(required, server, client).token, client)
        }
        let shown = try await begin()
        let app = try app(of: shown)
        for guess in 0..<5 {
            let refused = try await confirm(app.code(at: server.clock.now, later: 9 + guess), shown, client)
            expectError(refused, "invalid_grant", 50_181, suberror: "invalid_oob_value")
        }
        let spent = try await confirm(app.code(at: server.clock.now), shown, client)
        #expect(spent.status == 400, "\(spent)")
        server.clock.advance(by: 61)
        let late = try await begin()
        server.clock.advance(by: 601)
        let refused = try await confirm(try self.app(of: late).code(at: server.clock.now), late, client)
        #expect(refused.status == 400, "\(refused)")
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
    }

    @Test("SEC-ENR-2, SEC-ENR-8: a password alone, and a mailbox alone, register no app by the application's demand")
    func thievesRegisterNoApp() async throws {
        for mode in [EnrolmentMode.proven, .compatible] {
            let server = try Self.server([try Self.rule(.twoFactors)]) { $0.enrolment = mode }
            let client = strictClient(server)
            try await server.signUpWithPassword()
            let required = try await server.signIn(challengeTypes: Self.appWords, with: client)
            let listed = try await client.introspect(required.token)
            #expect(methods(listed) == ["email"])
            for token in [try required.token, try listed.token] {
                #expect(try await key(token, client).status == 400)
                #expect(try await client.registerIntrospect(token).status == 400)
            }
            try await server.reset()
            let afterReset = try await server.signIn(
                password: WireClient.newPassword, challengeTypes: Self.appWords, with: client)
            #expect(afterReset.status == 200 && afterReset["challenge_type"] == "redirect", "\(afterReset)")
            #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0, "\(mode)")
        }
    }

    @Test("SEC-ENR-2: with a mailbox that a password alone enrolled, a thief of the password registers no app")
    func thiefOfTwoSignIns() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)]) { $0.enrolment = .compatible }
        let client = strictClient(server)
        try await server.signUpWithPassword()
        // The thief's mailbox, as the setting allows it.
        let first = try await server.signIn(claims: WireClient.claims)
        let done = try await server.register(first.token, contact: IdentityTestServer.contact)
        #expect(try await server.passwordClient.token(redeeming: done.token).status == 200)
        let required = try await server.signIn(challengeTypes: Self.appWords, with: client)
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        let given = try await client.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob")
        // The account's own mailbox is asked for, which the thief cannot read.
        expectError(given, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        #expect(try await key(given.token, client).status == 400)
        let own = try await client.introspect(given.token)
        #expect(methods(own) == ["email"])
        // The owner reads it.
        let proven = try await proveMailbox(given, server, client)
        let shown = try await key(proven.token, client)
        let app = try app(of: shown)
        #expect(try await confirm(app.code(at: server.clock.now), shown, client).status == 200)
    }

    @Test("SEC-ENR-13: the sixth method of a day is refused before a key is shown, and the flow goes on")
    func sixthMethod() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)]) { $0.limits = TimeLimits() }
        let client = strictClient(server)
        try await server.signUpWithPassword()
        for number in 1...6 {
            server.clock.advance(by: 1_200)
            let required = try await server.signIn(challengeTypes: Self.appWords, with: client)
            let registering = try await proveMailbox(required, server, client)
            let shown = try await key(registering.token, client)
            guard number < 6 else {
                #expect(shown.status == 429 && shown.text("secret") == nil, "\(shown)")
                #expect(methods(try await client.registerIntrospect(registering.token)) == ["totp"])
                break
            }
            let done = try await confirm(try app(of: shown).code(at: server.clock.now), shown, client)
            #expect(done.status == 200, "\(number): \(done)")
            // As an operator removes it.
            _ = try await server.rows("DELETE FROM strong_methods")
        }
        #expect(try await server.count("SELECT COUNT(*) FROM audit WHERE kind = 'continuation_token.misused'") == 0)
    }

    @Test("SEC-ENR-3: an account with a weaker method gives that one before it registers an app")
    func weakerMethodBeforeAnApp() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)])
        let client = strictClient(server)
        try await server.signUpWithTwoFactors()
        let required = try await server.signIn(challengeTypes: Self.appWords, with: client)
        #expect(try await key(required.token, client).status == 400)
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        let registering = try await client.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob")
        let shown = try await key(registering.token, client)
        let done = try await confirm(try app(of: shown).code(at: server.clock.now), shown, client)
        #expect(try await client.token(redeeming: done.token, claims: nil).status == 200, "\(done)")
    }

    @Test("A user of codes by mail registers an app where two factors are demanded, and then gives it")
    func userOfCodesRegistersAnApp() async throws {
        let codes = FactorDirectory.oneTimePasscode
        let server = try Self.server([try Self.rule(.mailed, of: codes)], textMessages: false)
        let client = WireClient(transport: server.transport, clientID: codes)
        let words = "totp oob redirect"
        let signedUp = try await server.signUp(Self.email, with: client)
        #expect(try await client.token(redeeming: signedUp.token, claims: nil)["challenge_type"] == "redirect")
        func prove(_ words: String) async throws -> WireAnswer {
            server.clock.advance(by: 61)
            let started = try await client.post(
                .signInInitiate,
                [
                    ("username", Self.email), ("challenge_type", words),
                    ("capabilities", WireClient.bothCapabilities),
                ])
            let sent = try await client.post(
                .signInChallenge, [("continuation_token", try started.token), ("challenge_type", words)])
            return try await client.token(code: server.mailbox.code(to: Self.email), sent.token, grant: "oob")
        }
        #expect(try await prove("oob redirect")["challenge_type"] == "redirect")
        let registering = try await prove(words)
        expectError(registering, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        let listed = try await client.registerIntrospect(registering.token)
        #expect(methods(listed) == ["totp"], "\(listed)")
        let shown = try await key(listed.token, client)
        let app = try app(of: shown)
        let done = try await confirm(app.code(at: server.clock.now), shown, client)
        let tokens = try await client.token(redeeming: done.token, claims: nil)
        #expect(tokens.status == 200, "\(tokens)")
        let second = try await prove("oob redirect")
        expectError(second, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        let asked = try await server.secondFactorChallenge(second.token, with: client)
        let signedIn = try await client.token(code: app.code(at: server.clock.now), asked.token, grant: "mfa_oob")
        #expect(signedIn.status == 200, "\(signedIn)")
    }

    @Test("A tenant without apps registers none, and neither does a password alone where a mailbox is enough")
    func noApps() async throws {
        let without = try Self.server([try Self.rule(.mailed)], apps: false)
        try await without.signUpWithPassword()
        let client = strictClient(without)
        let required = try await without.signIn(challengeTypes: Self.appWords, with: client)
        let listed = try await client.registerIntrospect(required.token)
        #expect(methods(listed) == ["email"], "\(listed)")
        #expect(try await key(listed.token, client).status == 400)
        let server = try Self.server([try Self.rule(.mailed)])
        try await server.signUpWithPassword()
        let strict = strictClient(server)
        let asked = try await server.signIn(challengeTypes: Self.appWords, with: strict)
        // A password alone is offered the own mailbox; the app needs its code first.
        #expect(methods(try await strict.registerIntrospect(asked.token)) == ["email"])
    }

    @Test("SEC-MFA-1: a session of two weaker factors is refreshed for no more than it was")
    func refreshKeepsTheLevel() async throws {
        let orders = LevelRule(level: .twoFactors, scopes: ["api://orders/Orders.Pay"])
        let server = try Self.server([orders])
        let client = server.client(id: FactorDirectory.application)
        try await server.signUpWithTwoFactors()
        let read = "openid offline_access api://orders/Orders.Read"
        let required = try await server.signIn(scope: read, with: client)
        let sent = try await server.secondFactorChallenge(required.token, with: client)
        let tokens = try await client.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob", scope: read)
        #expect(tokens.status == 200, "\(tokens)")
        // The sign-in for the stricter scope asks for more, and so does a refresh.
        let pay = "openid offline_access api://orders/Orders.Pay"
        #expect(try await server.signIn(scope: pay, with: client)["challenge_type"] == "redirect")
        let refused = try await refresh(tokens, scope: pay, with: client)
        #expect(refused.status == 400, "\(refused)")
        #expect(try await refresh(tokens, scope: read, with: client).status == 200)
    }

    @Test("A context means what its rule says, and a token states it no longer than the rule allows")
    func contexts() async throws {
        let rules = [
            LevelRule(level: .phishingResistant, maximumAge: 600, contexts: ["c4"]),
            LevelRule(level: .oneFactor, maximumAge: 900, contexts: ["c2"]),
        ]
        let server = try Self.server(rules)
        let client = server.passwordClient
        try await server.signUpWithTwoFactors()
        // c1 is two factors as ever; c4 wants the passkey.
        #expect(try await server.signInWithSecondFactor().status == 200)
        let required = try await server.signIn(claims: Self.c4, challengeTypes: TestPasskey.words)
        let sent = try await server.secondFactorChallenge(required.token)
        let registering = try await client.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob", claims: Self.c4)
        #expect(registering.text("suberror") == "registration_required", "\(registering)")
        let asked = try await options(registering.token, client)
        let done = try await register(try await make(asked, TestPasskey()), asked, client)
        let tokens = try await client.token(redeeming: done.token, claims: Self.c4)
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["acrs"] == ["c4"], "\(access)")
        #expect(tokens["expires_in"]?.integer ?? .max <= 600)
        // Refreshed in time it is stated for the rest, then no more, and asked for it is refused.
        server.clock.advance(by: Duration.seconds(400))
        let fresh = try await refresh(tokens, claims: Self.c4, with: client)
        #expect(fresh["expires_in"]?.integer ?? .max <= 200, "\(fresh)")
        #expect(try claims(of: fresh.text("access_token"))["acrs"] == ["c4"])
        server.clock.advance(by: Duration.seconds(201))
        #expect(try await refresh(fresh, claims: Self.c4, with: client).status == 400)
        let old = try await refresh(fresh, with: client)
        #expect(try claims(of: old.text("access_token"))["acrs"] == nil && old["expires_in"]?.integer ?? 0 >= 3_600)
        // A rule adds an age to a context, and takes no factor from it.
        let c2 = Self.c4.replacing("c4", with: "c2")
        let simple = try await server.signIn(claims: c2)
        #expect(simple.text("suberror") == "mfa_required", "\(simple)")
    }

    @Test("A session states the contexts that its proofs reach, when a refresh asks for them")
    func contextsOfARefresh() async throws {
        let rules = [LevelRule(level: .phishingResistant, maximumAge: 600, contexts: ["c4"])]
        let server = try Self.server(rules)
        let client = server.passwordClient
        try await server.signUpWithPassword()
        let passkey = try await TestPasskey.add(to: try await AccountCaller.withPassword(server))
        let tokens = try await passkey.signIn(client)
        let asked = try await refresh(tokens, claims: Self.c4, with: client)
        #expect(try claims(of: asked.text("access_token"))["acrs"] == ["c4"], "\(asked)")
        server.clock.advance(by: Duration.seconds(601))
        #expect(try await refresh(asked, claims: Self.c4, with: client).status == 400)
        // One factor reaches none.
        let weak = try await server.signIn()
        for claims in [Self.c4, WireClient.claims] {
            #expect(try await refresh(weak, claims: claims, with: client).status == 400)
        }
    }

    @Test("After a reset a user with an app reaches two factors by it")
    func afterAReset() async throws {
        let server = try Self.server([try Self.rule(.twoFactors)])
        let client = strictClient(server)
        try await server.signUpWithPassword()
        let app = try await TestApp.add(to: try await AccountCaller.withPassword(server))
        // Old enough to outlive a reset.
        server.clock.advance(by: Duration.seconds(31 * 86_400))
        try await server.reset()
        let required = try await server.signIn(password: WireClient.newPassword, with: client)
        #expect(required.text("suberror") == "mfa_required", "\(required)")
        let asked = try await server.secondFactorChallenge(required.token, with: client)
        let tokens = try await client.token(code: app.code(at: server.clock.now), asked.token, grant: "mfa_oob")
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await refresh(tokens, with: client).status == 200)
    }

    @Test("SEC-TOTP-2: a right code in a flow that waited too long is spent, and ends the flow")
    func tooLate() async throws {
        let server = try Self.server([LevelRule(level: .mailed, maximumAge: 300, scopes: ["api://orders/Orders.Pay"])])
        let client = server.client(id: FactorDirectory.application)
        try await server.signUpWithPassword()
        let app = try await TestApp.add(to: try await AccountCaller.withPassword(server))
        let pay = "openid api://orders/Orders.Pay"
        let required = try await server.signIn(scope: pay, with: client)
        let asked = try await server.secondFactorChallenge(required.token, with: client)
        server.clock.advance(by: Duration.seconds(306))
        let code = app.code(at: server.clock.now)
        let late = try await client.token(code: code, asked.token, grant: "mfa_oob", scope: pay)
        #expect(late.status == 400 && late.text("access_token") == nil, "\(late)")
        // The same code is worth nothing for less, in this flow and in another one.
        #expect(try await client.token(code: code, asked.token, grant: "mfa_oob", scope: "openid").status == 400)
        let second = try await server.signIn(scope: "openid", with: client)
        let again = try await server.secondFactorChallenge(second.token, with: client)
        #expect(try await client.token(code: code, again.token, grant: "mfa_oob", scope: "openid").status == 400)
    }

    @Test("A rule about age ends the sessions of an application, and of no other")
    func age() async throws {
        let server = try Self.server([
            try Self.rule(.oneFactor, 3_600, of: IdentityTestServer.Application.emailPassword.rawValue)
        ])
        let client = server.passwordClient
        try await server.signUpWithPassword()
        let tokens = try await server.signIn()
        #expect(tokens["expires_in"]?.integer ?? .max <= 3_600)
        server.clock.advance(by: Duration.seconds(3_000))
        let refreshed = try await refresh(tokens, with: client)
        #expect(refreshed["expires_in"]?.integer ?? .max <= 600, "\(refreshed)")
        server.clock.advance(by: Duration.seconds(601))
        expectError(try await refresh(refreshed, with: client), "invalid_grant", 50_076)
    }

    private func join(_ user: UserID, _ group: UUID, _ server: IdentityTestServer) async throws {
        let tenant = try #require(TenantDirectory.development.entries.first).tenant.id
        let event = AuditEvent(.groupChanged, at: server.clock.now, tenant: tenant)
        let named = UserGroup(id: group, displayName: "Cashiers", description: "", createdAt: server.clock.now)
        for change in [GroupChange.create(named), .add(user, to: group)] {
            #expect(try await server.directoryStore.change(change, in: tenant, recording: event) == .done)
        }
    }

    @Test("A rule is for the users of a group, in every application")
    func groups() async throws {
        let group = UUID()
        let server = try Self.server([LevelRule(level: .mailed, groups: [group])])
        try await server.signUpWithPassword()
        let tokens = try await server.signIn()
        #expect(tokens.status == 200)
        let user = try #require(try await server.storedUsers().first)
        try await join(user.id, group, server)
        let required = try await server.signIn()
        #expect(required.text("suberror") == "registration_required", "\(required)")
        #expect(try await refresh(tokens, with: server.passwordClient).status == 400)
        let done = try await server.register(required.token, contact: Self.email)
        #expect(try await server.passwordClient.token(redeeming: done.token, claims: nil).status == 200)
    }

    @Test("Users of codes register a passkey where no telephone is texted")
    func usersOfCodes() async throws {
        let server = try Self.server(
            [try Self.rule(.phishingResistant, of: FactorDirectory.oneTimePasscode)], textMessages: false)
        let client = server.client(id: FactorDirectory.oneTimePasscode)
        let (email, passkey) = ("erik@example.com", TestPasskey())
        let started = try await client.post(
            .signUpStart,
            [
                ("username", email), ("challenge_type", TestPasskey.words),
                ("capabilities", WireClient.bothCapabilities),
            ])
        let sent = try await client.challenge(started.token)
        let done = try await client.submit(code: server.mailbox.code(to: email), sent.token)
        let required = try await client.token(redeeming: done.token, claims: nil)
        #expect(required.text("suberror") == "registration_required", "\(required)")
        let listed = try await client.registerIntrospect(required.token)
        #expect(methods(listed) == ["passkey"])
        let asked = try await options(listed.token, client)
        let registered = try await register(try await make(asked, passkey), asked, client)
        let tokens = try await client.token(redeeming: registered.token, claims: nil)
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["otp", "hwk", "user", "mfa", "pop"])
        #expect(try await passkey.signIn(client).status == 200)
    }
}
