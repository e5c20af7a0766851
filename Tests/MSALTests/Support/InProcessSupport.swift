import Foundation
import IdentityEngine
import NativeAuth
import NativeAuthTesting
import Testing

/// The shared set-up of tests against the server in the same process.
struct InProcess: Sendable {
    static let password = "Tulip-Harbour-42"
    static let newPassword = "Walrus-Meadow-17"
    static let email = "dana@example.com"
    static let contact = "dana@home.example"
    /// A request for the authentication context `c1`, which needs two factors.
    static let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    /// Applications that the development tenant does not have.
    enum Application: String {
        /// The application itself demands a second factor.
        case demanding = "99990000-aaaa-1111-bbbb-2222dddd0001"
        /// Its user flow does.
        case demandingFlow = "99990000-aaaa-1111-bbbb-2222dddd0002"
        /// The second factor after a reset must reach another mailbox; nothing is demanded unless the client asks.
        case distinctMailbox = "99990000-aaaa-1111-bbbb-2222dddd0003"
    }

    let server: IdentityTestServer

    /// - Parameter adjust: Changes the engine's settings.
    init(seed: UInt64 = 1, adjust: (inout EngineSettings) -> Void = { _ in }) throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        func client(_ application: Application, _ flow: UserFlow, isDemanding: Bool = false) throws -> Client {
            Client(
                id: try #require(ClientID(application.rawValue)), displayName: "Test", userFlow: flow, scopes: ["*"],
                requiresSecondFactor: isDemanding)
        }
        contoso.applications += [
            try client(.demanding, UserFlow(method: .emailPassword), isDemanding: true),
            try client(.demandingFlow, UserFlow(method: .emailPassword, requiresSecondFactor: true)),
            try client(.distinctMailbox, UserFlow(method: .emailPassword, requiresDistinctMailbox: true)),
        ]
        contoso.tenant.texts?.signsIn = true
        let directory = TenantDirectory([contoso])
        server = try IdentityTestServer(seed: seed, start: Date(timeIntervalSince1970: 1_800_000_000)) {
            ports, settings in
            ports.clients = directory
            adjust(&settings)
        }
    }

    // MARK: Clients

    /// The configuration of an application of the development tenant.
    func configuration(
        _ application: IdentityTestServer.Application = .emailPassword, can capabilities: Set<Capability> = []
    ) throws -> NativeAuthConfiguration {
        var configuration = try server.configuration(for: application)
        configuration.capabilities = capabilities
        return configuration
    }

    /// The configuration of an application that the development tenant does not have.
    func configuration(
        _ application: Application, can capabilities: Set<Capability> = Set(Capability.allCases)
    ) throws -> NativeAuthConfiguration {
        var configuration = try configuration(.emailPassword, can: capabilities)
        configuration.clientID = application.rawValue
        return configuration
    }

    /// A client that can do everything.
    func client(_ application: IdentityTestServer.Application = .emailPassword) throws -> NativeAuthClient {
        NativeAuthClient(try configuration(application, can: Set(Capability.allCases)))
    }

    // MARK: Users

    /// Signs a user up who has a password.
    @discardableResult
    func signUp(_ email: String = email, alias: String? = nil) async throws -> CompletedState {
        let attributes = alias.map { ["flatusername": AttributeValue.string($0)] } ?? [:]
        let step = try await client().startSignUp(username: email, password: Self.password, attributes: attributes)
        return try await step.submit(code: code(email)).done
    }

    /// Signs a user up who signs in with codes.
    @discardableResult
    func signUpWithCode(_ email: String = email) async throws -> CompletedState {
        let step = try await client(.emailOneTimePasscode).startSignUp(username: email)
        return try await step.submit(code: code(email)).done
    }

    /// Signs up a user with a password and, for 60 days, `contact` as the second factor: a method that a reset of the
    /// password keeps (SEC-ENR-7).
    func signUpWithMethod(_ email: String = email, contact: String = contact) async throws {
        try await signUp(email)
        let step = try await client().startSignIn(username: email, password: Self.password, claims: Self.claims)
        let registration = try step.registration
        let sent = try await registration.requestChallenge(registration.methods[0], contact: contact).sent
        _ = try await sent.submit(code: code(contact))
        _ = try await server.rows(
            """
            UPDATE strong_methods SET enrolled_under = 'twoFactors', proven_at = proven_at - 5184000000,
                first_used_at = proven_at - 5184000000
            """)
    }

    /// Gives every user of the database another method, which no flow does for users who have one.
    func addMethod(_ contact: String) async throws {
        _ = try await server.rows(
            """
            INSERT INTO strong_methods (tenant, user, id, email, key, proven_at, enrolled_under, first_used_at)
            SELECT tenant, user, randomblob(16), '\(contact)', CAST('\(contact)' AS BLOB), proven_at + 1000,
                enrolled_under, first_used_at
            FROM strong_methods
            """)
    }

    /// Gives the only user a telephone.
    func givePhone(_ number: String) async throws {
        let engine = server.engine
        let contoso = try #require(TenantDirectory.development.entries.first)
        let key = try #require(EmailAddress(Self.email)).key
        let user = try #require(try await engine.ports.users.account(named: key, in: contoso.tenant.id)).user
        let method = StrongMethod(
            id: UUID(), contact: try #require(Contact(number)), provenAt: server.clock.now,
            enrolment: Enrolment(.twoFactors))
        _ = try await engine.ports.users.change(user.id, in: user.tenant, [.addStrongMethod(method, to: user.id)])
    }

    /// Gives the only user an authenticator app and a recovery code.
    func giveApp() async throws -> (app: AppSecret, recovery: RecoveryCode) {
        let engine = server.engine
        let contoso = try #require(TenantDirectory.development.entries.first)
        let key = try #require(EmailAddress(Self.email)).key
        let found = try await engine.ports.users.account(named: key, in: contoso.tenant.id)
        let user = try #require(found).user
        let (app, method, code) = (
            AppSecret(drawnBy: engine.ports.randomness), UUID(), RecoveryCode.drawn(by: engine.ports.randomness)[0]
        )
        let enrolled = EnrolledApp(
            sealedSecret: try engine.seal(app, ofApp: method, of: user.id, in: user.tenant),
            clock: AppClock(spentStep: 0))
        let kept = RecoverySet.Kept(
            tag: code.tag, hash: try await engine.ports.hasher.hash(code.characters))
        _ = try await engine.ports.users.change(
            user.id, in: user.tenant,
            [
                .addStrongMethod(
                    StrongMethod(
                        id: method, kind: .app(enrolled), provenAt: server.clock.now,
                        enrolment: Enrolment(.twoFactors)), to: user.id),
                .setRecovery(
                    RecoverySet(id: UUID(), madeAt: server.clock.now, codes: [kept]), of: user.id, replacing: nil),
            ])
        return (app, code)
    }

    // MARK: What the server knows

    /// The newest code that went to an address.
    func code(_ email: String = email) async throws -> String {
        try await server.mailbox.code(to: email)
    }

    /// A code of the right form that is not the newest one.
    func wrongCode(_ email: String = email) async throws -> String {
        wrongCodes(besides: try await code(email))[0]
    }

    func wrongCodes(besides code: String) -> [String] {
        let right = Int(code) ?? 0
        return (1...4).map { offset in
            let digits = String((right + offset) % 100_000_000)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }
    }

    func count(_ sql: String) async throws -> Int {
        let cell = try await server.rows(sql).first?.first ?? nil
        return try #require(cell.flatMap { Int($0) })
    }

    func count(_ kind: AuditEvent.Kind) async throws -> Int {
        try await count("SELECT COUNT(*) FROM audit WHERE kind = '\(kind.rawValue)'")
    }

    /// Sessions that can be renewed.
    func liveSessions() async throws -> Int {
        try await count("SELECT COUNT(*) FROM refresh_families WHERE revoked_at IS NULL")
    }

    /// The token as the server itself sees it; nil when it is not live.
    func live(_ token: AccessToken) async throws -> Engine.LiveToken? {
        let contoso = try #require(TenantDirectory.development.entries.first)
        return try await server.engine.live(Secret(token.value), in: contoso.tenant, now: server.clock.now)
    }
}

/// A refusal as tests compare it.
struct Refusal {
    /// The case of the error, such as `incorrectCode`.
    var kind: String
    var details: ErrorDetails

    init(_ error: any Error, _ details: ErrorDetails) {
        kind = Mirror(reflecting: error).children.first?.label ?? "\(error)"
        self.details = details
    }
}

/// The error of a step that must fail.
func refusal<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ step: () async throws -> Result
) async throws -> Refusal {
    do {
        _ = try await step()
    } catch let error as NativeAuthError {
        return Refusal(error, error.details)
    } catch let error as TokenError {
        return Refusal(error, error.details)
    }
    Issue.record("the step succeeded", sourceLocation: sourceLocation)
    throw CancellationError()
}

// The expected step; any other step fails the test.
extension SignInFirstState {
    var code: SignInCodeState {
        get throws { if case .codeRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
    var password: SignInPasswordState {
        get throws { if case .passwordRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
    var next: SignInNextState {
        get throws { if case .next(let step) = self { step } else { throw Unexpected(self) } }
    }
    var account: Account { get throws { try next.account } }
    var secondFactor: MFAState { get throws { try next.secondFactor } }
    var registration: RegistrationState { get throws { try next.registration } }
}

extension SignInNextState {
    var account: Account {
        get throws { if case .completed(let account) = self { account } else { throw Unexpected(self) } }
    }
    var secondFactor: MFAState {
        get throws { if case .mfaRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
    var registration: RegistrationState {
        get throws { if case .registrationRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
}

extension SignUpNextState {
    var done: CompletedState {
        get throws { if case .completed(let done) = self { done } else { throw Unexpected(self) } }
    }
    var password: SignUpPasswordState {
        get throws { if case .passwordRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
    var attributes: SignUpAttributesState {
        get throws { if case .attributesRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
}

extension RegistrationNextState {
    var sent: RegistrationCodeState {
        get throws { if case .codeRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
    var account: Account {
        get throws { if case .completed(let account) = self { account } else { throw Unexpected(self) } }
    }
}

/// An unexpected step.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ step: Any) {
        description = "unexpected: \(Mirror(reflecting: step).children.first?.label ?? "\(step)")"
    }
}

/// Small and repeatable: SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
