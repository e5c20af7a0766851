import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// The strength that a provider states, at the native endpoints.
@Suite("The strength that a provider states: the endpoints")
struct ProviderStrengthTests {
    private static let application = IdentityTestServer.Application.emailOneTimePasscode
    private static let two: [String: JSONValue] = [
        "acr": .string("urn:two"), "amr": .array([.string("pwd"), .string("otp"), .string("secret")]),
    ]

    /// A server whose application demands two factors, and whose provider states them.
    private static func server(
        _ level: Assurance.Level? = .twoFactors, _ application: IdentityTestServer.Application = application,
        within maximumAge: Int? = nil, trusts: Bool = true,
        adjust: (inout TenantDirectory.Entry) -> Void = { _ in }
    ) throws -> ProviderServer {
        let client = try #require(ClientID(application.rawValue))
        let world = try ProviderServer(application) { entry in
            if let level {
                entry.tenant.levels = [LevelRule(level: level, maximumAge: maximumAge, applications: [client])]
            }
            if trusts {
                entry.tenant.providers[0].strength = ProviderStrength(
                    byContext: [.init("urn:two", .twoFactors)], byMethod: [.init("otp", .mailed)])
            }
            adjust(&entry)
        }
        world.apple.person.email = IdentityTestServer.email
        return world
    }

    /// A sign-in at the provider `age` seconds ago, and here now.
    private func signIn(
        _ world: ProviderServer, _ stated: [String: JSONValue] = two, age: Int? = 0,
        scope: String = "openid profile offline_access", more: Fields = [], device: TestKey? = nil
    ) async throws -> WireAnswer {
        let begun = try await world.initiate(types: "federated oob password passkey redirect")
        let asked = try await world.client.post(.signInChallenge, [("continuation_token", try begun.token)])
        var claims = stated
        let now = Int(world.server.clock.now.timeIntervalSince1970)
        claims["auth_time"] = age.map { .integer(now - $0) }
        let proof = try device?.proof(token: try asked.token)["dpop"]
        return try await world.client.post(
            .token,
            [
                ("continuation_token", try asked.token), ("grant_type", "federated"), ("scope", scope),
                ("id_token", try world.apple.idToken(nonce: try #require(asked.text("nonce")), claims: claims)),
            ] + more + (proof.map { [("device_proof", $0), ("remember_device", "true")] } ?? []))
    }

    private func refresh(_ tokens: WireAnswer, scope: String? = nil, _ world: ProviderServer) async throws -> WireAnswer
    {
        try await world.client.post(
            .token,
            [("grant_type", "refresh_token"), ("refresh_token", try #require(tokens.text("refresh_token")))]
                + (scope.map { [("scope", $0)] } ?? []))
    }

    @Test("SEC-FED-13: what the provider states meets a rule, at the sign-up, at the next sign-in and at a refresh")
    func met() async throws {
        let world = try Self.server()
        for _ in 0..<2 {
            let tokens = try await signIn(world, age: 1_800)
            #expect(tokens.status == 200, "\(tokens)")
            for name in ["access_token", "id_token"] {
                let claims = try claims(of: tokens.text(name))
                // Own words, and those of the provider that RFC 8176 has.
                #expect(claims["amr"] == ["fed", "mfa", "otp", "pwd"] && claims["acr"] == "mfa", "\(claims)")
                #expect(claims["auth_time"] == .integer(Int(world.server.clock.now.timeIntervalSince1970) - 1_800))
            }
            // The session keeps the level and the time of its sign-in.
            world.server.clock.advance(by: 3_600)
            let later = try await refresh(tokens, world)
            #expect(later.status == 200, "\(later)")
            #expect(try claims(of: later.text("id_token"))["amr"] == ["fed", "mfa", "otp", "pwd"])
        }
        #expect(try await world.server.storedUsers().count == 1)
        let details = try await world.server.rows(
            "SELECT detail FROM audit WHERE kind = 'signin.succeeded' ORDER BY seq")
        #expect(details == [["fed, l2 by the provider"], ["fed, l2 by the provider"]])
    }

    @Test("SEC-FED-13: without the setting, the time, a mapped value or freshness an identity is one factor")
    func notMet() async throws {
        #expect(try await signIn(try Self.server(trusts: false)).text("access_token") == nil)
        let world = try Self.server()
        #expect(try await signIn(world).status == 200)
        let weak: [([String: JSONValue], Int?)] = [
            ([:], 0), (Self.two, nil), (Self.two, 3_601), (Self.two, -61), (["acr": .string("urn:three")], 0),
            // The level is less than what is demanded.
            (["amr": .array([.string("otp")])], 0),
            // Another form than the claims have.
            (["acr": .array([.string("urn:two")])], 0), (["acr": .integer(2)], 0), (["amr": .string("otp")], 0),
            (["acr": .string("urn:two"), "amr": .array([.integer(7)])], nil),
        ]
        for (stated, age) in weak {
            let answer = try await signIn(world, stated, age: age)
            #expect(answer.text("access_token") == nil, "\(stated) \(age ?? 0): \(answer)")
            #expect(answer.text("suberror") == "mfa_required", "\(stated) \(age ?? 0): \(answer)")
        }
        // A request cannot state it.
        let asked = try await signIn(world, [:], more: ["acr", "amr", "auth_time"].map { ($0, "urn:two") })
        #expect(asked.text("access_token") == nil, "\(asked)")
        // Claims of another form end no sign-in that does not need them.
        let plain = try Self.server(nil)
        for stated in weak.map(\.0) { #expect(try await signIn(plain, stated).status == 200, "\(stated)") }
        #expect(try await signIn(plain, ["auth_time": .string("yesterday")], age: nil).status == 200)
    }

    @Test("SEC-FED-13: the age that a rule demands is that of the sign-in at the provider")
    func ages() async throws {
        let world = try Self.server(within: 600)
        let tokens = try await signIn(world, age: 300)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await signIn(world, age: 601).text("access_token") == nil)
        world.server.clock.advance(by: 299)
        let again = try await refresh(tokens, world)
        #expect(again.status == 200, "\(again)")
        #expect((again["expires_in"]?.integer ?? 9) <= 1, "the token says nothing that no longer holds: \(again)")
        world.server.clock.advance(by: 2)
        #expect(try await refresh(again, world)["error_codes"]?.array.first == 50_076)
    }

    @Test(
        "SEC-FED-13, SEC-ENR-2: for changes of the account a session of a provider's word has proven what it had without"
    )
    func account() async throws {
        for level in [Assurance.Level.twoFactors, nil] {
            let world = try Self.server(level)
            for stated in [Self.two, [:]] where level == nil || !stated.isEmpty {
                let tokens = try await signIn(world, stated, scope: AccountCaller.scope)
                let claims = try claims(of: tokens.text("access_token"))
                #expect(claims["amr"] == ["fed"] && claims["acr"] == nil, "\(claims)")
                // A code to the own mailbox comes first.
                let caller = try AccountCaller(tokens, world.server)
                let begun = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.addPasskey", "{}")
                #expect(begun["publicKey"] == nil && begun.text("continuationToken") != nil, "\(begun)")
            }
            // A session of another resource is none of two own factors either, after its refresh.
            let other = try await refresh(try await signIn(world), scope: AccountCaller.scope, world)
            #expect(try claims(of: other.text("access_token"))["amr"] == ["fed"], "\(other)")
        }
    }

    @Test("SEC-FED-13: where own proofs are enough, tokens for the account are as old as these")
    func accountAge() async throws {
        let world = try Self.server(nil)
        let tokens = try await signIn(world, age: 1_800, scope: AccountCaller.scope)
        let now = Int(world.server.clock.now.timeIntervalSince1970)
        #expect(try claims(of: tokens.text("access_token"))["auth_time"] == .integer(now))
        let elsewhere = try await signIn(world, age: 1_800)
        #expect(try claims(of: elsewhere.text("access_token"))["auth_time"] == .integer(now - 1_800))
    }

    @Test(
        "SEC-FED-13: an identity that the mailbox, or a password, linked to an account is worth no more than they are")
    func linked() async throws {
        let world = try Self.server(.twoFactors, .emailPassword)
        try await world.server.signUpWithPassword()
        let user = try await world.account().user
        for (strength, isTaken) in [
            (Enrolment.Strength.mailbox, false), (.password, false), (.codes, false), (.unknown, false),
            (.recoveryCode, false), (.twoFactors, true),
        ] {
            let now = world.server.clock.now
            let tenant = world.entry.tenant.id
            let identities = try await world.account().identities.map(\.id)
            let method = StrongMethod(
                id: UUID(), kind: .identity(world.identity), provenAt: now.addingTimeInterval(1),
                enrolment: Enrolment(strength))
            #expect(
                try await world.server.store.change(
                    user.id, in: tenant,
                    [.removeStrongMethods(identities, of: user.id), .addStrongMethod(method, to: user.id)]))
            let answer = try await signIn(world)
            #expect((answer.text("access_token") != nil) == isTaken, "\(strength): \(answer)")
        }
    }

    @Test("SEC-FED-13: the link of an identity is proven by the account alone, and its sign-in states no strength")
    func linking() async throws {
        let world = try Self.server(nil, .emailPassword)
        try await world.server.signUpWithPassword()
        let begun = try await signIn(world)
        #expect(begun.text("suberror") == "link_required", "\(begun)")
        let sent = try await world.client.signInChallenge(try begun.token)
        let tokens = try await world.client.token(password: WireClient.password, try sent.token)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try claims(of: tokens.text("id_token"))["amr"] == ["pwd"])
    }

    @Test("SEC-FED-13: no device is remembered for a provider's word")
    func remembered() async throws {
        let world = try Self.server { $0.tenant.rememberedDays = 30 }
        let device = TestKey(world.server)
        #expect(try await signIn(world).status == 200)
        let (user, tenant) = (try await world.account().user.id, world.entry.tenant.id)
        let app = StrongMethod(
            id: UUID(), kind: .app(EnrolledApp(sealedSecret: Data(), clock: AppClock(spentStep: 0))),
            provenAt: world.server.clock.now, enrolment: Enrolment(.twoFactors))
        #expect(try await world.server.store.change(user, in: tenant, [.addStrongMethod(app, to: user)]))
        let answer = try await signIn(world, device: device)
        #expect(answer.status == 200 && answer["device_remembered_for"] == nil, "\(answer)")
        #expect(try await world.server.count("SELECT COUNT(*) FROM remembered_devices") == 0)
    }
}
