import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Devices on which the second factor is left out, on the wire (design record 0046).
@Suite("Remembered devices") struct RememberedDeviceTests {
    private static let email = IdentityTestServer.email
    /// The application demands two factors.
    private static let strict = FactorDirectory.application
    private static let devices = AccountCaller.beta + "/nativeAuthRememberedDevices"

    private static func server(
        days: Int? = 30, levels: [LevelRule] = [], receiver: ScriptedReceiver? = nil,
        adjust: (inout EngineSettings) -> Void = { _ in }
    ) throws -> IdentityTestServer {
        var entry = try #require(try FactorDirectory.directory().entries.first)
        entry.tenant.rememberedDays = days
        entry.tenant.texts?.signsIn = true
        entry.tenant.levels = levels
        if receiver != nil {
            entry.tenant.hooks = [Hook.fixture(.tokenIssuanceStart, claims: [HookClaim(name: "tier")])]
        }
        // Its users see their account.
        let scopes = try #require(entry.applications.first { $0.userFlow.method == .emailPassword }).scopes
        for index in entry.applications.indices { entry.applications[index].scopes = scopes }
        let directory = TenantDirectory([entry])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            if let receiver { ports.hooks = receiver }
            adjust(&settings)
        }
    }

    /// A device with a key, and the application on it.
    private struct Device {
        let server: IdentityTestServer
        let key: TestKey
        var client: WireClient

        init(_ server: IdentityTestServer, application: String = strict) {
            self.server = server
            key = TestKey(server)
            client = server.client(id: application)
        }

        func proof(of token: String, change: (inout TestProof) throws -> Void = { _ in }) throws -> String {
            try #require(try key.proof(token: token, change: change)["dpop"])
        }

        /// Asks for tokens.
        func token(
            _ grant: String, _ secret: Fields, _ token: String, claims: String? = nil, shows: Bool = true,
            remembers: Bool = false, scope: String = AccountCaller.scope
        ) async throws -> WireAnswer {
            var fields: Fields = [("grant_type", grant), ("continuation_token", token), ("scope", scope)] + secret
            if let claims { fields.append(("claims", claims)) }
            if shows { fields.append(("device_proof", try proof(of: token))) }
            if remembers { fields.append(("remember_device", "true")) }
            return try await client.post(.token, fields)
        }

        /// Signs in with the password, as far as that goes.
        func signIn(
            _ username: String = email, password: String = WireClient.password, claims: String? = nil,
            shows: Bool = true
        ) async throws -> WireAnswer {
            let wanted = try await client.signInChallenge(client.initiate(username).token)
            return try await token("password", [("password", password)], wanted.token, claims: claims, shows: shows)
        }

        /// The challenge of the second factor of a sign-in that asks for it.
        func challenge(_ required: WireAnswer) async throws -> WireAnswer {
            try await client.signInChallenge(try await client.introspect(required.token).token)
        }

        /// Signs in with both factors, and has the device remembered.
        func remember(_ username: String = email, password: String = WireClient.password) async throws -> WireAnswer {
            let sent = try await challenge(try await signIn(username, password: password, shows: false))
            let code = try #require(try await server.mailbox.mails().first?.code)
            return try await token("mfa_oob", [("oob", code)], sent.token, remembers: true)
        }
    }

    private func isAsked(_ answer: WireAnswer) -> Bool {
        answer.status == 400 && answer["suberror"] == "mfa_required"
    }

    private func list(_ caller: AccountCaller) async throws -> [JSON] {
        try #require(try await caller.send("GET", Self.devices)["value"]?.array)
    }

    @Test("A user who gave both factors signs in with the first on that device, whose tokens say no more than that")
    func remembered() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        let required = try await device.signIn()
        #expect(isAsked(required), "\(required)")
        let sent = try await device.challenge(required)
        #expect(sent["remember_device_for"] == .integer(30 * 86_400), "\(sent)")
        let first = try await device.token(
            "mfa_oob", [("oob", try await server.mailbox.code(to: IdentityTestServer.contact))], sent.token,
            remembers: true)
        expectSuccess(first, WireClient.tokenMembers.union(["device_remembered_for"]))
        #expect(first["device_remembered_for"] == .integer(30 * 86_400))
        server.clock.advance(by: 29 * 86_400)
        let second = try await device.signIn()
        expectSuccess(second, WireClient.tokenMembers)
        let claims = try claims(of: second.text("access_token"))
        #expect(claims["amr"] == ["pwd"] && claims["acr"] == nil && claims["acrs"] == nil, "\(claims)")
        // Its session goes on, and states no context.
        let refreshed = try await device.client.refresh(try #require(second.text("refresh_token")))
        #expect(refreshed.status == 200, "\(refreshed)")
        let stepUp = try await device.client.post(
            .token,
            [
                ("grant_type", "refresh_token"), ("refresh_token", try #require(refreshed.text("refresh_token"))),
                ("claims", WireClient.claims),
            ])
        expectError(stepUp, "invalid_grant", 50_076)
        let events = try await server.rows("SELECT kind, detail FROM audit WHERE kind = 'device.remembered'")
        #expect(events == [["device.remembered", "l1m"]])
        let last = try await server.rows(
            "SELECT detail FROM audit WHERE kind = 'signin.succeeded' ORDER BY seq DESC LIMIT 1")
        #expect(last == [["pwd, remembered device"]])
        // The time is counted from the second factor, however often the device is used.
        server.clock.advance(by: 86_400)
        #expect(isAsked(try await device.signIn()))
        _ = try await server.engine.removeExpired(now: server.clock.now)
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
    }

    @Test("SEC-SMS-16: a number is not enough on a remembered device, which may be the telephone itself")
    func number() async throws {
        let server = try Self.server { $0.hasTextGateway = true }
        try await server.signUpWithStrongMethod()
        try await server.plantMethod("+15555550123", of: Self.email)
        let device = Device(server)
        _ = try await device.remember()
        #expect(try await device.signIn().status == 200)
        let sent = try await device.client.signInChallenge(device.client.initiate("+15555550123").token)
        let answer = try await device.token(
            "oob", [("oob", try await server.mailbox.code(to: "+15555550123"))], sent.token)
        #expect(isAsked(answer), "\(answer)")
    }

    @Test("A user sees the devices in the account and forgets one, which asks for the second factor then")
    func forgotten() async throws {
        let server = try Self.server(days: 7)
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        let caller = try AccountCaller(try await device.remember(), server)
        let other = Device(server)
        _ = try await other.remember()
        #expect(try await device.signIn().status == 200)
        let listed = try await list(caller)
        #expect(listed.count == 2, "\(listed)")
        let mine = try #require(listed.last)
        #expect(mine["appId"]?.string == Self.strict && mine["lastUsedDateTime"]?.string != nil)
        #expect(try #require(listed.first)["lastUsedDateTime"]?.string == nil)
        let id = try #require(mine["id"]?.string)
        let export = try await caller.send("GET", AccountCaller.beta + "/nativeAuth.export")
        #expect(export["rememberedDevices"]?.array.count == 2, "\(export)")
        #expect(try await caller.send("DELETE", Self.devices + "/\(id)").status == 204)
        #expect(try await caller.send("DELETE", Self.devices + "/\(id)").status == 404)
        #expect(isAsked(try await device.signIn()))
        #expect(try await other.signIn().status == 200)
        #expect(try await caller.isLive)
        // No user forgets another one's.
        let left = try #require(try await list(caller).first?["id"]?.string)
        try await server.signUpWithPassword("eve@example.com", alias: nil)
        let eve = try await AccountCaller.withPassword(server, "eve@example.com")
        #expect(try await eve.send("DELETE", Self.devices + "/\(left)").status == 404)
        #expect(try await list(eve).isEmpty)
        #expect(try await other.signIn().status == 200)
    }

    @Test("A remembered device is that of one key, user and application")
    func bound() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        try await server.signUpWithStrongMethod("eve@example.com", contact: "eve.private@example.org", alias: nil)
        let device = Device(server)
        _ = try await device.remember()
        // Without its key, and with another one.
        #expect(isAsked(try await device.signIn(shows: false)))
        #expect(isAsked(try await Device(server).signIn()))
        // Another user on the same device.
        #expect(isAsked(try await device.signIn("eve@example.com")))
        // Another application that demands two factors.
        var elsewhere = device
        elsewhere.client = server.client(id: FactorDirectory.userFlow)
        #expect(isAsked(try await elsewhere.signIn()))
        // A wrong password is a wrong password.
        let wrong = try await device.signIn(password: "Wrong-Winter#82")
        expectError(wrong, "invalid_grant", 50_126)
        #expect(try await device.signIn().status == 200)
    }

    @Test("A proof is of the device's key, of this step and of this minute, or it is refused and changes nothing")
    func proofs() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        _ = try await device.remember()
        let old = try await device.client.signInChallenge(device.client.initiate().token).token
        let wanted = try await device.client.signInChallenge(device.client.initiate().token).token
        let proofs = [
            try device.proof(of: old), try device.proof(of: wanted) { $0.claims["ath"] = nil },
            try device.proof(of: wanted) { $0.claims["iat"] = "\(Int(server.clock.now.timeIntervalSince1970) - 61)" },
            try device.proof(of: wanted) { $0.claims["iat"] = "\(Int(server.clock.now.timeIntervalSince1970) + 6)" },
            try device.proof(of: wanted) { $0.signer = TestKey(server) },
            try device.proof(of: wanted) { $0.header["typ"] = "\"JWT\"" }, "x", "a.b.c",
        ]
        func ask(_ fields: Fields) async throws -> WireAnswer {
            try await device.client.post(
                .token,
                [
                    ("grant_type", "password"), ("continuation_token", wanted), ("password", WireClient.password),
                    ("scope", "openid"),
                ] + fields)
        }
        for proof in proofs {
            let refused = try await ask([("device_proof", proof)])
            #expect(refused.status == 400 && refused["error"] == "invalid_dpop_proof", "\(refused)")
        }
        let proof = try device.proof(of: wanted)
        for (fields, name): (Fields, String) in [
            ([("device_proof", "")], "device_proof"),
            ([("device_proof", String(repeating: "x", count: 2_049))], "device_proof"),
            ([("remember_device", "true")], "remember_device"),
            ([("remember_device", "yes"), ("device_proof", proof)], "remember_device"),
        ] {
            let refused = try await ask(fields)
            #expect(refused.status == 400 && refused["error"] == "invalid_request", "\(name): \(refused)")
        }
        // Nothing has changed.
        let done = try await ask([("device_proof", proof)])
        #expect(done.status == 200, "\(done)")
    }

    @Test("A context is a demand for a proof, which no remembered device is")
    func contexts() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        _ = try await device.remember()
        #expect(isAsked(try await device.signIn(claims: WireClient.claims)))
        #expect(try await device.signIn().status == 200)
    }

    @Test("Where a receiver is asked for claims, the proofs are committed first, and the device counts in both halves")
    func hooked() async throws {
        let receiver = ScriptedReceiver()
        receiver.script.claims = .success(["tier": .one("gold")])
        let server = try Self.server(receiver: receiver)
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        #expect(try await device.remember()["device_remembered_for"] == .integer(30 * 86_400))
        let tokens = try await device.signIn()
        let claims = try claims(of: tokens.text("access_token"))
        #expect(claims["amr"] == ["pwd"] && claims["tier"] == "gold", "\(tokens)")
        #expect(isAsked(try await device.signIn(shows: false)))
    }

    @Test("SEC-ENR-3: a remembered device is no proof for the link of an identity")
    func linking() async throws {
        let providers = try ProviderServer(.emailPassword) { entry in
            entry.tenant.rememberedDays = 30
            entry.tenant.levels = [LevelRule(level: .mailed, applications: entry.applications.map(\.id))]
        } settings: {
            $0.enrolment = .compatible
        }
        let server = providers.server
        try await server.signUpWithTwoFactors()
        let device = Device(server, application: IdentityTestServer.Application.emailPassword.rawValue)
        #expect(try await device.remember()["device_remembered_for"] != nil)
        #expect(try await device.signIn().status == 200)
        providers.apple.person.subject = "thief"
        providers.apple.person.email = Self.email
        let found = try await providers.signIn()
        #expect(found.text("suberror") == "link_required", "\(found)")
        let wanted = try await device.client.signInChallenge(found.token)
        let answer = try await device.token("password", [("password", WireClient.password)], wanted.token)
        #expect(isAsked(answer), "\(answer)")
        #expect(try await providers.account().identities.isEmpty)
        #expect(try await device.signIn().status == 200)
    }

    @Test("An operator who demands the factor of a user sees it, also from sessions that a device has made easier")
    func demandedLater() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        _ = try await device.remember()
        let session = try #require(try await device.signIn().text("refresh_token"))
        let user = try #require(try await server.storedUsers().first { $0.email == Self.email })
        let event = AuditEvent(.factorRuleChanged, at: server.clock.now, tenant: user.tenant, user: user.id)
        #expect(
            try await server.store.setFactorRule(
                .requiresSecondFactor(true), of: user.id, in: user.tenant, event: event))
        expectError(try await device.client.refresh(session), "invalid_grant", 50_076)
        #expect(isAsked(try await device.signIn()))
        // A device that is remembered from now on covers the demand.
        _ = try await device.remember()
        let next = try await device.signIn()
        #expect(next.status == 200)
        #expect(try await device.client.refresh(try #require(next.text("refresh_token"))).status == 200)
    }

    @Test("Credentials that another version of the server changed end the device, too")
    func olderNode() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        let caller = try AccountCaller(try await device.remember(), server)
        // As a version does that knows no such rows.
        _ = try await server.rows(
            "UPDATE users SET credential_version = credential_version + 1, tokens_from_version = credential_version + 1"
        )
        #expect(isAsked(try await device.signIn()))
        _ = caller
    }

    @Test("A user without a method has nothing to leave out: the demand to register one stays")
    func withoutMethod() async throws {
        let server = try Self.server()
        let client = server.client(id: Self.strict)
        let signedUp = try await server.signUpWithPassword(capabilities: nil, with: client)
        let device = Device(server)
        let done = try await device.token("continuation_token", [], signedUp.token, remembers: true)
        #expect(done["device_remembered_for"] == nil, "\(done)")
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
    }

    @Test("Where it could not be kept, nothing is offered: a rule with an age, and a context")
    func offers() async throws {
        let id = try #require(ClientID(Self.strict))
        for (rules, claims) in [
            ([LevelRule(level: .mailed, maximumAge: 600, applications: [id])], nil), ([], WireClient.claims),
        ] as [([LevelRule], String?)] {
            let server = try Self.server(levels: rules)
            try await server.signUpWithStrongMethod()
            let device = Device(server)
            let sent = try await device.challenge(try await device.signIn(claims: claims))
            #expect(sent.status == 200 && sent["remember_device_for"] == nil, "\(sent)")
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            let done = try await device.token(
                "mfa_oob", [("oob", code)], sent.token, claims: claims, remembers: true)
            #expect(done.status == 200 && done["device_remembered_for"] == nil, "\(done)")
        }
    }

    @Test("SEC-LOCK-6: after many wrong passwords the mailbox is asked for, on a remembered device, too")
    func guessed() async throws {
        let server = try Self.server { $0.limits = TimeLimits() }
        try await server.signUpWithStrongMethod()
        server.clock.advance(by: 86_400)
        let device = Device(server)
        _ = try await device.remember()
        var wrong = 0
        while wrong < Lockout.passwordsAloneLimit + 2 {
            let answer = try await server.signIn(password: "Wrong-Guess#\(wrong)")
            wrong += answer["error_codes"]?.array.first == 50_126 ? 1 : 0
            if let seconds = answer.headers["retry-after"].flatMap(Double.init) { server.clock.advance(by: seconds) }
        }
        server.clock.advance(by: 900)
        let required = try await device.signIn()
        #expect(isAsked(required), "\(required)")
    }

    @Test("A tenant that remembers no devices offers nothing, and takes what it shortens at once")
    func policy() async throws {
        let server = try Self.server(days: nil)
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        let sent = try await device.challenge(try await device.signIn())
        #expect(sent["remember_device_for"] == nil)
        let done = try await device.token(
            "mfa_oob", [("oob", try await server.mailbox.code(to: IdentityTestServer.contact))], sent.token,
            remembers: true)
        expectSuccess(done, WireClient.tokenMembers)
        #expect(isAsked(try await device.signIn()))
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
    }

    @Test(
        "A recovery code, which is for users who have lost their devices, has none remembered, and is offered nothing")
    func recoveryCode() async throws {
        let server = try Self.server { $0.enrolment = .compatible }
        try await server.signUpWithPassword()
        let app = try await TestApp.add(to: try await AccountCaller.withPassword(server))
        let required = try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope)
        let strong = try AccountCaller(
            try await app.give(to: required, server.passwordClient, server, scope: AccountCaller.scope), server)
        let made = try await strong.send("POST", AccountCaller.beta + "/nativeAuth.createRecoveryCodes", "")
        let code = try #require(made["codes"]?.array.first?.string, "\(made)")
        server.clock.advance(by: 61)
        let device = Device(server)
        let listed = try await device.client.introspect(try await device.signIn().token)
        let method = listed["methods"]?.array.first { $0["challenge_channel"] == "recovery_code" }
        let sent = try await device.client.signInChallenge(
            listed.token, id: try #require(method?["id"]?.string, "\(listed)"))
        #expect(sent["remember_device_for"] == nil, "\(sent)")
        let done = try await device.token("mfa_oob", [("oob", code)], sent.token, remembers: true)
        expectSuccess(done, WireClient.tokenMembers)
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
        // The app, in its place, is one.
        server.clock.advance(by: 61)
        let given = try await device.client.signInChallenge(
            try await device.signIn().token, id: try await app.id(of: strong))
        #expect(given["remember_device_for"] == .integer(30 * 86_400), "\(given)")
    }

    @Test("One factor alone has no device remembered")
    func tooLittle() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        // An application that demands nothing: the password is all that was given.
        let plain = Device(server, application: IdentityTestServer.Application.emailPassword.rawValue)
        let wanted = try await plain.client.signInChallenge(plain.client.initiate().token)
        let done = try await plain.token("password", [("password", WireClient.password)], wanted.token, remembers: true)
        expectSuccess(done, WireClient.tokenMembers)
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
    }

    @Test("The eleventh device of a user takes the place of the oldest")
    func most() async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        var devices: [Device] = []
        for _ in 0...RememberedDevice.most {
            devices.append(Device(server))
            #expect(try await devices[devices.count - 1].remember()["device_remembered_for"] != nil)
            server.clock.advance(by: 61)
        }
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == RememberedDevice.most)
        #expect(isAsked(try await devices[0].signIn()))
        for device in devices.dropFirst() { #expect(try await device.signIn().status == 200) }
        // The same device again is one device.
        #expect(try await devices[1].remember()["device_remembered_for"] != nil)
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == RememberedDevice.most)
    }

    /// What ends the devices of a user.
    enum End: String, CaseIterable {
        case passwordChanged, passwordReset, methodAdded, methodRemoved, othersEnded, allEnded, disabled
        case methodsForgottenByOperator, demandedByOperator, emailChanged
    }

    @Test(
        "SEC-ENR-6, SEC-ENR-7: a change of the password, the methods or the sessions ends the devices",
        arguments: End.allCases)
    func ended(by end: End) async throws {
        let server = try Self.server()
        try await server.signUpWithStrongMethod()
        let device = Device(server)
        let caller = try AccountCaller(try await device.remember(), server)
        server.clock.advance(by: 61)
        #expect(try await device.signIn().status == 200)
        var password = WireClient.password
        switch end {
        case .passwordChanged:
            password = WireClient.newPassword
            let changed = try await caller.send(
                "POST", AccountCaller.me + "/changePassword",
                #"{"currentPassword":"\#(WireClient.password)","newPassword":"\#(password)","keepOtherSessions":true}"#)
            #expect(changed.status == 204, "\(changed)")
        case .passwordReset:
            password = WireClient.newPassword
            let client = server.passwordClient
            let sent = try await client.resetChallenge(client.resetStart().token)
            let right = try await client.resetContinue(sent.token, code: server.mailbox.code(to: Self.email))
            #expect(try await client.resetSubmit(right.token, password: password).status == 200)
        case .methodAdded:
            #expect(
                try await caller.prove("dana.third@example.org", by: "addEmailMethod", "confirmEmailMethod") == 204)
        case .methodRemoved:
            _ = try await caller.prove("dana.third@example.org", by: "addEmailMethod", "confirmEmailMethod")
            _ = try await device.remember()
            #expect(try await device.signIn().status == 200)
            let listed = try await caller.send("GET", AccountCaller.me + "/authentication/emailMethods")
            let id = try #require(listed["value"]?.array.last?["id"]?.string)
            let removed = try await caller.send("DELETE", AccountCaller.me + "/authentication/emailMethods/\(id)")
            #expect(removed.status == 204, "\(removed)")
        case .othersEnded:
            #expect(
                try await caller.send("POST", AccountCaller.beta + "/nativeAuth.endOtherSessions").status == 204)
        case .allEnded:
            #expect(try await caller.send("POST", AccountCaller.me + "/revokeSignInSessions").status == 200)
        case .emailChanged:
            let address = "dana.new@example.org"
            #expect(try await caller.changeEmail(to: address) == 204)
            #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
            #expect(isAsked(try await device.signIn(address)))
            return
        case .disabled, .methodsForgottenByOperator, .demandedByOperator:
            let user = try #require(try await server.storedUsers().first { $0.email == Self.email })
            let event = AuditEvent(.accountDisabled, at: server.clock.now, tenant: user.tenant, user: user.id)
            if end == .demandedByOperator {
                #expect(
                    try await server.store.setFactorRule(
                        .requiresSecondFactor(true), of: user.id, in: user.tenant, event: event))
            } else if end == .disabled {
                #expect(try await server.store.setDisabled(server.clock.now, user.id, in: user.tenant, event: event))
                #expect(try await server.store.setDisabled(nil, user.id, in: user.tenant, event: event))
            } else {
                #expect(
                    try await server.store.forgetStrongMethods(
                        of: user.id, in: user.tenant, at: server.clock.now, event: event, mails: []))
            }
        }
        #expect(try await server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
        let next = try await device.signIn(password: password)
        #expect(next.status != 200 || next["access_token"] == nil, "\(end): \(next)")
    }
}
