import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// A receiver of hooks whose answers a test sets, and that remembers what it was asked.
final class ScriptedReceiver: HookReceiver {
    enum Question: Hashable, Sendable {
        case claims(User)
        case start(CollectedAttributes)
        case submit(CollectedAttributes)
        case code(CodeToDeliver)
        case password(SubmittedPassword)
    }

    struct Script: Sendable {
        var claims: Result<[String: ClaimValue], HookFailure> = .success([:])
        var start: Result<CollectionStartAnswer, HookFailure> = .success(.proceed)
        var submit: Result<CollectionSubmitAnswer, HookFailure> = .success(.proceed)
        var password: Result<PasswordSubmitAnswer, HookFailure> = .success(.retry)
        /// How often an answer waited for the longest time of a call.
        var waits = 0
        /// Runs before an answer about a password.
        var beforePassword: (@Sendable () async -> Void)?
        var asked: [Question] = []
        var calls: [HookCall] = []
        var load: (any NodeLoad)?
        /// Runs before an answer about claims.
        var beforeClaims: (@Sendable () async -> Void)?
    }

    private let state = Locked(Script())

    var script: Script {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The questions since the last reading.
    func asked() -> [Question] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    private func note(_ question: Question, _ call: HookCall) -> Script {
        state.withLock { state in
            state.asked.append(question)
            state.calls.append(call)
            return state
        }
    }

    func claims(for user: User, asking call: HookCall) async throws(HookFailure) -> [String: ClaimValue] {
        let script = note(.claims(user), call)
        script.load?.note(isWaiting: true)
        defer { script.load?.note(isWaiting: false) }
        await script.beforeClaims?()
        return try script.claims.get()
    }

    func collectionStarts(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionStartAnswer {
        try note(.start(signUp), call).start.get()
    }

    func collectionSubmits(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionSubmitAnswer {
        try note(.submit(signUp), call).submit.get()
    }

    func passwordSubmits(
        _ password: SubmittedPassword, asking call: HookCall
    ) async throws(HookFailure) -> PasswordSubmitAnswer {
        let script = note(.password(password), call)
        await script.beforePassword?()
        return try script.password.get()
    }

    func longestTime(of hook: Hook) -> @Sendable () async -> Void {
        { [state] in state.withLock { $0.waits += 1 } }
    }

    func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure) {
        _ = note(.code(code), call)
    }
}

extension Hook {
    static func fixture(
        _ event: Event, onFailure: FailureRule = .block, applications: Set<ClientID>? = nil,
        claims: [HookClaim] = [], migration: PasswordMigration? = nil
    ) -> Hook {
        Hook(
            id: UUID(), displayName: event.rawValue, event: event, url: "https://hooks.example.com/",
            audience: UUID(), applications: applications, onFailure: onFailure, claims: claims, migration: migration)
    }
}

extension Hook {
    static let migrationAttribute = "extension_toMove"

    /// The hook of accounts whose attribute ``migrationAttribute`` is true.
    static func migration(applications: Set<ClientID>? = nil) -> Hook {
        .fixture(
            .passwordSubmit, applications: applications,
            migration: PasswordMigration(attribute: migrationAttribute, encryptionKey: ""))
    }
}

extension IdentityTestServer {
    /// Adds an account that is still to be moved, as an import does.
    ///
    /// - Parameter hash: What is stored in the place of its password.
    @discardableResult
    func addUserToMove(
        _ email: String = "dana@example.com", hash: PasswordHash? = nil, toMove: Bool = true
    ) async throws -> UserID {
        let address = try #require(EmailAddress(email))
        let id = UserID(engine.ports.randomness.uuid())
        let tenant = try #require(try await engine.tenant(named: "contoso"))
        let new = NewUser(
            id: id, tenant: tenant.id, client: try #require(ClientID(Application.emailPassword.rawValue)),
            identifiers: [address.identifier], passwordHash: hash,
            attributes: [Hook.migrationAttribute: .boolean(toMove)], createdAt: clock.now)
        let query = StepQuery(
            tenant: tenant.id, flow: engine.ports.randomness.uuid(), requestDigest: Data(),
            identifiers: [address.key], now: clock.now)
        let now = clock.now
        try await store.step(query) { _ in
            (FlowChange(row: FlowRow(isEnded: true, expiresAt: now), effects: [.createUser(new)]), ())
        }
        return id
    }
}

/// Runs `body` with a server whose tenant has `hooks`.
func withHooks(
    _ hooks: [Hook], _ body: (IdentityTestServer, ScriptedReceiver) async throws -> Void
) async throws {
    var contoso = try #require(TenantDirectory.development.entries.first)
    contoso.tenant.hooks = hooks
    let directory = TenantDirectory([contoso])
    let receiver = ScriptedReceiver()
    let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
        ports.clients = directory
        ports.hooks = receiver
    }
    try await body(server, receiver)
}
