import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

// The steps of a sign-in, with what every client sends.
extension WireClient {
    static let newPassword = "Sol-og-Regn#2027"
    static let bothCapabilities = "mfa_required registration_required"
    /// Asks for an access token that states the authentication context `c1` (docs/protocol.md §4.7).
    static let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    /// - Parameter capabilities: Nil sends none.
    func initiate(
        _ username: String = "dana@example.com", types: String = challengeTypes,
        capabilities: String? = bothCapabilities
    ) async throws -> WireAnswer {
        try await post(
            .signInInitiate,
            [("username", username), ("challenge_type", types)] + (capabilities.map { [("capabilities", $0)] } ?? []))
    }

    /// The challenge of the first factor, or with `id` or without that of the second.
    func signInChallenge(_ token: String, id: String? = nil, _ more: Fields = []) async throws -> WireAnswer {
        try await post(.signInChallenge, [("continuation_token", token)] + (id.map { [("id", $0)] } ?? []) + more)
    }

    func introspect(_ token: String) async throws -> WireAnswer {
        try await post(.signInIntrospect, [("continuation_token", token)])
    }

    func token(
        password: String = password, _ token: String, claims: String? = nil,
        scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        try await grant("password", token, [("password", password)], claims: claims, scope: scope)
    }

    /// - Parameter grant: `oob`, or for a second factor `mfa_oob`.
    func token(
        code: String, _ token: String, grant: String = "oob", claims: String? = nil,
        scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        try await self.grant(grant, token, [("oob", code)], claims: claims, scope: scope)
    }

    /// Redeems the token of a finished flow with a claims request.
    func token(
        redeeming token: String, claims: String? = WireClient.claims, scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        try await grant("continuation_token", token, [], claims: claims, scope: scope)
    }

    private func grant(
        _ grant: String, _ token: String, _ fields: Fields, claims: String?, scope: String
    ) async throws -> WireAnswer {
        try await post(
            .token,
            [("grant_type", grant), ("continuation_token", token), ("scope", scope)] + fields
                + (claims.map { [("claims", $0)] } ?? []))
    }
}

// The steps of a registration.
extension WireClient {
    func registerIntrospect(_ token: String) async throws -> WireAnswer {
        try await post(.registerIntrospect, [("continuation_token", token)])
    }

    func registerChallenge(
        _ token: String, contact: String, channel: String? = "email"
    ) async throws -> WireAnswer {
        try await post(
            .registerChallenge,
            [("continuation_token", token), ("challenge_type", "oob"), ("challenge_target", contact)]
                + (channel.map { [("challenge_channel", $0)] } ?? []))
    }

    func registerContinue(_ token: String, code: String) async throws -> WireAnswer {
        try await post(.registerContinue, [("continuation_token", token), ("grant_type", "oob"), ("oob", code)])
    }

    /// Registers a contact that needed no code.
    func registerContinue(_ token: String) async throws -> WireAnswer {
        try await post(.registerContinue, [("continuation_token", token), ("grant_type", "continuation_token")])
    }
}

// The steps of a password reset.
extension WireClient {
    func resetStart(
        _ username: String = "dana@example.com", types: String = "oob redirect",
        capabilities: String? = bothCapabilities
    ) async throws -> WireAnswer {
        try await post(
            .resetPasswordStart,
            [("username", username), ("challenge_type", types)] + (capabilities.map { [("capabilities", $0)] } ?? []))
    }

    func resetChallenge(_ token: String, _ more: Fields = []) async throws -> WireAnswer {
        try await post(.resetPasswordChallenge, [("continuation_token", token)] + more)
    }

    func resetContinue(_ token: String, code: String) async throws -> WireAnswer {
        try await post(.resetPasswordContinue, [("continuation_token", token), ("grant_type", "oob"), ("oob", code)])
    }

    func resetSubmit(_ token: String, password: String = newPassword) async throws -> WireAnswer {
        try await post(.resetPasswordSubmit, [("continuation_token", token), ("new_password", password)])
    }

    func resetPoll(_ token: String) async throws -> WireAnswer {
        try await post(.resetPasswordPollCompletion, [("continuation_token", token)])
    }
}

// Whole flows, each ending with the answer that the next step starts from.
extension IdentityTestServer {
    static let email = "dana@example.com"
    static let alias = "dana.k"
    /// The mailbox of Dana's second factor.
    static let contact = "dana.private@example.org"

    var passwordClient: WireClient { client(.emailPassword) }

    /// The client of an application, as seen from `address`: limits tell sources apart.
    func client(_ application: Application = .emailPassword, from address: String) throws -> WireClient {
        let peer = try #require(IPAddress(address))
        return WireClient(transport: InProcessTransport(routes: routes(), peer: peer), clientID: application.rawValue)
    }

    /// The routes of this server with the options that the in-process server does not use.
    func routes(
        resourceServers: ResourceServers? = nil, development: DevelopmentPages? = nil
    ) -> IdentityRoutes {
        IdentityRoutes(
            engine: engine, clock: ManualWallClock(manual: clock), readiness: Readiness(flows: engine.ports.flows),
            resourceServers: resourceServers, development: development)
    }

    /// Signs a user with a password up; the answer carries the token of the finished sign-up.
    @discardableResult
    func signUpWithPassword(
        _ email: String = email, alias: String? = alias, password: String = WireClient.password,
        capabilities: String? = WireClient.bothCapabilities, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        var more: Fields = [("password", password)]
        if let alias { more.append(("attributes", #"{"flatusername":"\#(alias)"}"#)) }
        if let capabilities { more.append(("capabilities", capabilities)) }
        return try await signUp(email, with: client ?? passwordClient, more)
    }

    /// Signs in with the password alone: the answer of `/token`, whatever it is.
    func signIn(
        _ username: String = email, password: String = WireClient.password, claims: String? = nil,
        capabilities: String? = WireClient.bothCapabilities, scope: String = "openid profile offline_access",
        challengeTypes: String = WireClient.challengeTypes, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? passwordClient
        let started = try await client.initiate(
            username, types: challengeTypes, capabilities: capabilities)
        let wanted = try await client.signInChallenge(started.token)
        return try await client.token(password: password, wanted.token, claims: claims, scope: scope)
    }

    /// Signs in with a one-time passcode: the answer of `/token`.
    func signInWithCode(
        _ email: String = email, claims: String? = nil, capabilities: String? = WireClient.bothCapabilities,
        scope: String = "openid profile offline_access", with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? self.client()
        let sent = try await client.signInChallenge(client.initiate(email, capabilities: capabilities).token)
        return try await client.token(code: mailbox.code(to: email), sent.token, claims: claims, scope: scope)
    }

    /// Registers `contact` with the token of a `registration_required` answer; the resulting token can be redeemed for
    /// a sign-in.
    @discardableResult
    func register(
        _ token: String, contact: String = contact, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? passwordClient
        let listed = try await client.registerIntrospect(token)
        let sent = try await client.registerChallenge(listed.token, contact: contact)
        return try await client.registerContinue(sent.token, code: mailbox.code(to: contact))
    }

    /// Signs a user up and registers `contact`; the answer is the first token reply with two factors.
    @discardableResult
    func signUpWithStrongMethod(
        _ email: String = email, contact: String = contact, alias: String? = alias
    ) async throws -> WireAnswer {
        try await signUpWithPassword(email, alias: alias)
        let required = try await signIn(email, claims: WireClient.claims)
        return try await passwordClient.token(redeeming: register(required.token, contact: contact).token)
    }

    /// Signs a user up and registers `contact` at once, when password and mailbox are proven.
    func signUpWithTwoFactors(contact: String = contact) async throws {
        let required = try await passwordClient.token(redeeming: signUpWithPassword().token)
        let done = try await register(required.token, contact: contact)
        #expect(try await passwordClient.token(redeeming: done.token).status == 200)
    }

    /// Sends the code of the second factor with the token of an `mfa_required` answer.
    func secondFactorChallenge(
        _ token: String, channel: String? = nil, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? passwordClient
        let listed = try await client.introspect(token)
        let methods = listed["methods"]?.array ?? []
        let method = methods.first { channel == nil || $0["challenge_channel"]?.string == channel }
        let id: String = try #require(method?["id"]?.string, "\(listed)")
        return try await client.signInChallenge(listed.token, id: id)
    }

    /// Signs in with password and second factor.
    func signInWithSecondFactor(
        _ username: String = email, contact: String = contact, password: String = WireClient.password,
        claims: String? = WireClient.claims, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? passwordClient
        let required = try await signIn(username, password: password, claims: claims, with: client)
        let sent = try await secondFactorChallenge(required.token, channel: "email", with: client)
        return try await client.token(
            code: mailbox.code(to: contact), sent.token, grant: "mfa_oob", claims: claims)
    }

    /// Takes a reset to the step for the new password; the code is sent to `mailbox`.
    func resetToPassword(
        _ username: String = email, codeTo address: String = email, with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? passwordClient
        let sent = try await client.resetChallenge(client.resetStart(username).token)
        return try await client.resetContinue(sent.token, code: mailbox.code(to: address))
    }

    /// Resets the password; the answer is that of the first poll, whose token can be redeemed for a sign-in.
    @discardableResult
    func reset(
        _ username: String = email, to password: String = WireClient.newPassword, codeTo address: String = email,
        with client: WireClient? = nil
    ) async throws -> WireAnswer {
        let client = client ?? passwordClient
        let proven = try await resetToPassword(username, codeTo: address, with: client)
        return try await client.resetPoll(client.resetSubmit(proven.token, password: password).token)
    }

    /// Disables the user with this address, or enables it again.
    func setDisabled(_ isDisabled: Bool, _ email: String = email) async throws {
        let user = try #require(try await storedUsers().first { $0.email == email })
        let kind: AuditEvent.Kind = isDisabled ? .accountDisabled : .accountEnabled
        let known = try await engine.ports.users.setDisabled(
            isDisabled ? clock.now : nil, user.id, in: user.tenant,
            event: AuditEvent(kind, at: clock.now, tenant: user.tenant, user: user.id))
        try #require(known)
    }
}

/// Contoso with applications that need a second factor.
enum FactorDirectory {
    /// The application itself demands it.
    static let application = "99990000-aaaa-1111-bbbb-2222dddd0001"
    /// The user flow demands it.
    static let userFlow = "99990000-aaaa-1111-bbbb-2222dddd0002"
    /// It must use another mailbox than a reset; two factors are required only when the client asks.
    static let distinctMailbox = "99990000-aaaa-1111-bbbb-2222dddd0003"
    /// There are no passwords here, and the application requires a second factor.
    static let oneTimePasscode = "99990000-aaaa-1111-bbbb-2222dddd0004"
    /// Pages without a server, at `https://pages.example/done`; users have a password.
    static let page = "99990000-aaaa-1111-bbbb-2222dddd0005"

    static func directory() throws -> TenantDirectory {
        var contoso = try #require(TenantDirectory.development.entries.first)
        func client(_ id: String, _ userFlow: UserFlow, requires: Bool = false) throws -> Client {
            Client(
                id: try #require(ClientID(id)), displayName: "Test", userFlow: userFlow, scopes: ["api://orders/*"],
                requiresSecondFactor: requires)
        }
        contoso.applications += [
            try client(application, UserFlow(method: .emailPassword), requires: true),
            try client(userFlow, UserFlow(method: .emailPassword, requiresSecondFactor: true)),
            try client(distinctMailbox, UserFlow(method: .emailPassword, requiresDistinctMailbox: true)),
            try client(oneTimePasscode, UserFlow(method: .emailOneTimePasscode), requires: true),
            Client(
                id: try #require(ClientID(page)), displayName: "Pages", userFlow: UserFlow(method: .emailPassword),
                redirects: RedirectAddresses([.spa: ["https://pages.example/done"]])),
        ]
        return TenantDirectory([contoso])
    }

    /// A server with this directory, and with `adjust` applied.
    ///
    /// - Parameter lanes: Records each hash and comparison, if it is there.
    static func server(
        lanes: Locked<[HashingLane]>? = nil, adjust: (inout EngineSettings) -> Void = { _ in }
    ) throws -> IdentityTestServer {
        let directory = try directory()
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            if let lanes { ports.hasher = LaneHasher(inner: ports.hasher, lanes: lanes) }
            adjust(&settings)
        }
    }
}

/// The claims of a token, unverified: other tests check signatures.
func claims(of token: String?) throws -> [String: JSON] {
    let parts = try #require(token).split(separator: ".")
    try #require(parts.count == 3)
    return try JSONDecoder().decode([String: JSON].self, from: try #require(Base64URL.decode(String(parts[1]))))
}
