import IdentityEngine
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
    }

    struct Script: Sendable {
        var claims: Result<[String: ClaimValue], HookFailure> = .success([:])
        var start: Result<CollectionStartAnswer, HookFailure> = .success(.proceed)
        var submit: Result<CollectionSubmitAnswer, HookFailure> = .success(.proceed)
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

    func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure) {
        _ = note(.code(code), call)
    }
}

extension Hook {
    static func fixture(
        _ event: Event, onFailure: FailureRule = .block, applications: Set<ClientID>? = nil,
        claims: [HookClaim] = []
    ) -> Hook {
        Hook(
            id: UUID(), displayName: event.rawValue, event: event, url: "https://hooks.example.com/",
            audience: UUID(), applications: applications, onFailure: onFailure, claims: claims)
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
