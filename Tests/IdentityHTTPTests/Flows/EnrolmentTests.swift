import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// Tests who may enrol a method of the second factor, and which methods a reset keeps: with only a password, with only
/// a mailbox, and as the owner.
@Suite("Enrolment over HTTP") struct EnrolmentTests {
    private static let thief = "thief@example.net"
    private static let day = 86_400.0

    private func methods(_ server: IdentityTestServer) async throws -> [String] {
        try await server.rows("SELECT email FROM strong_methods ORDER BY proven_at").compactMap(\.first).compactMap(
            \.self)
    }

    /// The purposes of the notices to `address`, oldest first.
    private func notices(_ server: IdentityTestServer, to address: String) async throws -> [TestMailbox.Mail.Purpose] {
        try await server.mailbox.mails(for: address).filter { $0.code == nil }.map(\.purpose).reversed()
    }

    // MARK: With the password alone

    @Test("SEC-ENR-3: an account that has its own mailbox is enrolled in an application that requires another one, too")
    func anyMethodMakesAnAccountEnrolled() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod(contact: "dana@example.com")
        let client = server.client(id: FactorDirectory.distinctMailbox)
        let answer = try await server.signIn(claims: WireClient.claims, with: client)
        #expect(answer.text("suberror") != "registration_required", "\(answer)")
        expectRedirect(answer)
        #expect(try await methods(server) == ["dana@example.com"])
    }

    @Test(
        "SEC-ENR-2: a thief with the password alone enrols no mailbox but the owner's, by any endpoint",
        arguments: [nil, WireClient.claims])
    func thiefOfThePassword(_ claimsRequest: String?) async throws {
        let server = try FactorDirectory.server { $0.enrolment = .proven }
        try await server.signUpWithPassword()
        let client = server.client(id: FactorDirectory.application)
        let required = try await server.signIn(claims: claimsRequest, with: client)
        expectError(required, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        let before = try await server.mailbox.mails().count
        let listed = try await client.registerIntrospect(required.token)
        #expect(listed["methods"]?.array.first?["login_hint"] == "dana@example.com")
        for token in try [required.token, listed.token] {
            for contact in [
                Self.thief, "dana@example.com.example.net", "dana@example.org", "DANA@EXAMPLE.NET",
                // On servers where a plus sign is an ordinary letter, this is another person's address (SEC-ID-3).
                "dana+evil@example.com",
            ] {
                expectError(
                    try await client.registerChallenge(token, contact: contact), "access_denied", 550_024,
                    suberror: "provider_blocked_by_rep")
            }
        }
        #expect(try await server.mailbox.mails().count == before, "and no code goes anywhere")
        #expect(try await methods(server).isEmpty)
        // The owner's own mailbox is enough, with the same token.
        let done = try await server.register(required.token, contact: "dana@example.com", with: client)
        let tokens = try await client.token(redeeming: done.token, claims: claimsRequest)
        #expect(try claims(of: tokens.text("access_token"))["acr"] == "mfa")
        #expect(try await methods(server) == ["dana@example.com"])
    }

    @Test("SEC-ENR-2: after a sign-up, which proved the mailbox, any contact may follow")
    func afterASignUp() async throws {
        let server = try FactorDirectory.server { $0.enrolment = .proven }
        try await server.signUpWithTwoFactors()
        #expect(try await methods(server) == [IdentityTestServer.contact])
        #expect(try await server.signInWithSecondFactor().status == 200)
    }

    @Test(
        "design record 0005: a tenant that is compatible lets the password alone register any mailbox, as the vendor does"
    )
    func compatibleTenant() async throws {
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.enrolment = .compatible
        let directory = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.enrolment = .proven
        }
        try await server.signUpWithStrongMethod()
        #expect(try await methods(server) == [IdentityTestServer.contact])
    }

    @Test(
        "SEC-ENR-7: what a thief of the password has enrolled falls with the owner's reset, and the owner is told",
        arguments: [thief, "dana+thief@example.com"])
    func thiefsMethodFallsWithAReset(_ contact: String) async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithPassword()
        let stolen = try await server.signIn(claims: WireClient.claims)
        try await server.register(stolen.token, contact: contact)
        #expect(try await methods(server) == [contact])
        try await server.reset()
        #expect(try await methods(server).isEmpty)
        #expect(try await notices(server, to: "dana@example.com").suffix(2) == [.passwordChanged, .methodRemoved])
        let next = try await server.signIn(password: WireClient.newPassword, claims: WireClient.claims)
        #expect(next.text("suberror") != "mfa_required", "no code goes to the thief: \(next)")
        #expect(try await server.audited(.methodsForgotten) == 1)
    }

    // MARK: With the mailbox alone

    @Test(
        "SEC-ENR-8, SEC-MFA-3: a thief with the mailbox alone gets no further by a reset and a sign-in than by the reset",
        arguments: [EnrolmentMode.compatible, .proven])
    func thiefOfTheMailbox(_ mode: EnrolmentMode) async throws {
        let server = try FactorDirectory.server { $0.enrolment = mode }
        try await server.signUpWithPassword()
        for application in [IdentityTestServer.Application.emailPassword.rawValue, FactorDirectory.application] {
            let client = server.client(id: application)
            _ = try await server.resetToPassword(with: client)
            try await server.reset(to: "Tyv-\(application.suffix(4))#2027", with: client)
            let answer = try await server.signIn(
                password: "Tyv-\(application.suffix(4))#2027", claims: WireClient.claims, with: client)
            var last = answer
            if answer.text("suberror") == "registration_required" {
                let done = try await server.register(answer.token, contact: Self.thief, with: client)
                last = try await client.token(redeeming: done.token)
            }
            if let token = last.text("access_token") {
                let access = try claims(of: token)
                #expect(access["acr"] == nil && access["acrs"] == nil, "\(access)")
            } else {
                expectRedirect(last)
            }
        }
    }

    @Test("SEC-ENR-8: a contact named in a reset, or after one, adds nothing to the mailbox at any later sign-in")
    func laundering() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithPassword()
        let required = try await server.passwordClient.token(redeeming: server.reset().token)
        let done = try await server.register(required.token, contact: Self.thief)
        _ = try await server.passwordClient.token(redeeming: done.token)
        server.clock.advance(by: 40 * Self.day)
        for application in [IdentityTestServer.Application.emailPassword.rawValue, FactorDirectory.application] {
            let answer = try await server.signIn(
                password: WireClient.newPassword, claims: WireClient.claims,
                with: server.client(id: application))
            expectRedirect(answer)
        }
    }

    @Test("SEC-ENR-8, SEC-MFA-3: after a reset the own mailbox is no second factor beside the password that it set")
    func ownMailboxAfterAReset() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod(contact: "dana@example.com")
        #expect(try await server.signInWithSecondFactor(contact: "dana@example.com").status == 200)
        try await server.reset()
        expectRedirect(try await server.signIn(password: WireClient.newPassword, claims: WireClient.claims))
        #expect(try await server.signIn(password: WireClient.newPassword).status == 200, "for what needs one factor")
        #expect(try await methods(server) == ["dana@example.com"], "the mailbox itself stays")
    }

    @Test(
        "SEC-MFA-1, design record 0005: an application that requires a second factor gives nothing after a reset without one",
        arguments: [nil, "mfa_required", "registration_required", WireClient.bothCapabilities],
        [FactorDirectory.application, FactorDirectory.userFlow])
    func resetIsNoWayAround(_ capabilities: String?, _ application: String) async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithPassword()
        let client = server.client(id: application)
        for claimsRequest in [nil, WireClient.claims] {
            let started = try await client.resetStart(capabilities: capabilities)
            let sent = try await client.resetChallenge(started.token)
            let proven = try await client.resetContinue(sent.token, code: server.mailbox.code(to: "dana@example.com"))
            let password = claimsRequest == nil ? WireClient.newPassword : WireClient.password
            let done = try await client.resetPoll(client.resetSubmit(proven.token, password: password).token)
            let answer = try await client.token(
                redeeming: done.token, claims: claimsRequest, scope: "api://orders/Orders.Read openid offline_access")
            expectRedirect(answer)
            let again = try await client.token(redeeming: done.token, claims: nil)
            #expect(again.status == 400 && again["access_token"] == nil, "and the flow has ended: \(again)")
        }
        #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == 0)
    }

    // MARK: The owner

    @Test("design record 0005: a method of its own beside a password from a reset makes that password a factor again")
    func somethingElseIsProven() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithTwoFactors()
        server.clock.advance(by: 31 * Self.day)
        try await server.reset()
        #expect(try await methods(server) == [IdentityTestServer.contact], "enrolled by two factors, a month ago")
        #expect(try await server.signInWithSecondFactor(password: WireClient.newPassword).status == 200)
        #expect(try await server.audited(.passwordTrusted) == 1)
        #expect(try await server.count("SELECT COUNT(*) FROM users WHERE password_from_reset = 1") == 0)
    }

    @Test("SEC-ENR-7: a method that was enrolled lately rests after a reset; a day later the mailbox brings it back")
    func lateMethodsRest() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithTwoFactors()
        server.clock.advance(by: 29 * Self.day)
        try await server.reset()
        #expect(try await notices(server, to: "dana@example.com").suffix(2) == [.passwordChanged, .methodSuspended])
        #expect(try await notices(server, to: IdentityTestServer.contact).last == .methodSuspended)
        #expect(try await methods(server) == [IdentityTestServer.contact], "it is listed")
        func signIn() async throws -> WireAnswer {
            try await server.signIn(password: WireClient.newPassword, claims: WireClient.claims)
        }
        expectRedirect(try await signIn())
        server.clock.advance(by: Self.day - 1)
        expectRedirect(try await signIn())
        server.clock.advance(by: 1)
        let required = try await signIn()
        #expect(required.text("suberror") == "mfa_required", "\(required)")
        let sent = try await server.secondFactorChallenge(required.token)
        let tokens = try await server.passwordClient.token(
            code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob",
            claims: WireClient.claims)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods WHERE suspended_at IS NULL") == 1)
        #expect(try await server.audited(.methodReactivated) == 1)
        #expect(try await notices(server, to: "dana@example.com").last == .methodReactivated)
    }

    @Test("SEC-ENR-7: a suspended method is kept for two weeks")
    func suspendedMethodsGo() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithTwoFactors()
        try await server.reset()
        server.clock.advance(by: 14 * Self.day - 1)
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await methods(server).count == 1)
        server.clock.advance(by: 1)
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await methods(server).isEmpty)
    }

    // MARK: What is written down, told and ended

    @Test("SEC-ENR-1: a method keeps when, under which proofs, by which application and from where it was enrolled")
    func whatIsWrittenDown() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        let home = try server.client(from: "203.0.113.9")
        let required = try await home.token(redeeming: server.signUpWithPassword(with: home).token)
        server.clock.advance(by: 30)
        try await server.register(required.token, with: home)
        let user = try #require(try await server.storedUsers().first)
        let account = try #require(try await server.engine.ports.users.account(user.id, in: user.tenant))
        let method = try #require(account.strongMethods.first)
        #expect(method.provenAt == server.clock.now)
        #expect(method.enrolment.strength == .twoFactors)
        #expect(method.enrolment.authenticatedAt == server.clock.now.addingTimeInterval(-30))
        #expect(method.enrolment.client?.description == IdentityTestServer.Application.emailPassword.rawValue)
        #expect(method.enrolment.isFamiliarSource == false)
        let lines = try await server.rows("SELECT detail FROM audit WHERE kind = 'mfa.registered'")
        #expect(lines == [["twoFactors"]])
    }

    @Test("SEC-ENR-5: each mailbox that was proven before is told of a method: which one, when, and from where")
    func noticesSayWhatAndWhere() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        let home = try server.client(from: "203.0.113.9")
        let required = try await home.token(redeeming: server.signUpWithPassword(with: home).token)
        try await server.register(required.token, with: home)
        let added = try #require(try await server.mailbox.mails().first { $0.purpose == .methodRegistered })
        #expect(added.to == "dana@example.com")
        #expect(added.occasion?.methods == ["d***e@ex***le.org"] && added.occasion?.network == "203.0.113.0/24")
        server.clock.advance(by: 700)
        #expect(try await server.signInWithSecondFactor(with: home).status == 200)
        let used = try await server.mailbox.mails().filter { $0.purpose == .methodFirstUsed }
        #expect(Set(used.map(\.to)) == ["dana@example.com", IdentityTestServer.contact])
        server.clock.advance(by: 700)
        #expect(try await server.signInWithSecondFactor(with: home).status == 200)
        #expect(try await server.mailbox.mails().filter { $0.purpose == .methodFirstUsed }.count == 2, "only the first")
    }

    @Test("SEC-ENR-6: a first method ends what was signed in with less: five devices are dead at the next refresh")
    func weakerSessionsEnd() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithPassword()
        var weak: [String] = []
        for _ in 0..<5 { weak.append(try #require(try await server.signIn().text("refresh_token"))) }
        let open = try await server.passwordClient.signInChallenge(server.passwordClient.initiate().token)
        let required = try await server.signIn(claims: WireClient.claims)
        let done = try await server.register(required.token)
        for token in weak {
            expectError(try await server.passwordClient.refresh(token), "invalid_grant", 50_173)
        }
        expectError(try await server.passwordClient.token(open.token), "invalid_request", 55_200)
        let strong = try await server.passwordClient.token(redeeming: done.token)
        let token = try #require(strong.text("refresh_token"))
        #expect(try await server.passwordClient.refresh(token).status == 200, "the session that did it continues")
        let later = try #require(try await server.signIn().text("refresh_token"))
        #expect(try await server.passwordClient.refresh(later).status == 200, "and new ones begin")
    }

    @Test(
        "SEC-MFA-1: a second factor that is required of one user is required in every application, and by every grant")
    func requiredOfAUser() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod()
        try await server.signUpWithPassword("eve@example.com", alias: nil)
        let weak = try #require(try await server.signIn().text("refresh_token"))
        let user = try #require(try await server.storedUsers().first { $0.email == IdentityTestServer.email })
        func require(_ isRequired: Bool) async throws {
            let isKnown = try await server.engine.ports.users.setFactorRule(
                .requiresSecondFactor(isRequired), of: user.id, in: user.tenant,
                event: AuditEvent(.factorRuleChanged, at: server.clock.now, tenant: user.tenant, user: user.id))
            #expect(isKnown)
        }
        try await require(true)
        let required = try await server.signIn()
        #expect(required.text("suberror") == "mfa_required", "\(required)")
        expectRedirect(try await server.signIn(capabilities: nil))
        expectError(try await server.passwordClient.refresh(weak), "invalid_grant", 50_076)
        #expect(try await server.signInWithSecondFactor(claims: nil).status == 200)
        #expect(try await server.signIn("eve@example.com").status == 200, "nothing is demanded of others")
        try await require(false)
        #expect(try await server.signIn().status == 200)
        #expect(try await server.audited(.factorRuleChanged) == 2)
    }
}
