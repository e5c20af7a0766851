import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

// A step has two forms. `…State` is a copyable value of the package: it stays usable after an error, and after a
// success ``StepUse`` refuses it at run time, as `MSAL` needs it. `…Required` or `…Completed` is public, is not copyable,
// and wraps the state of the same name: `SignUpCodeRequired` has a `SignUpCodeState`. See
// docs/design/0007-steps-used-once.md.

/// The copyable form of a step.
protocol StepState: Sendable {
    var flow: Flow { get set }
    /// Shared by the copies of the state.
    var use: StepUse { get }

    /// The state with the values that ``fill(_:)`` wrote; nil without them.
    init?(_ fields: StepContent.Fields, _ flow: Flow)
    /// Writes the values that the flow does not have.
    func fill(_ fields: inout StepContent.Fields)
}

extension StepState {
    func fill(_ fields: inout StepContent.Fields) {}

    /// Sends `code`; an empty one is refused without a request. After a success the state is spent.
    func submit<Next: Sendable>(
        code: String, _ send: (Flow, Secret<String>) async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await use.once(flow) { () async throws(NativeAuthError) in try await send(flow, Secret(code)) }
    }

    /// Sends `password`, byte for byte; an empty one is refused without a request. After a success the state is spent.
    func submit<Next: Sendable>(
        password: String, _ send: (Flow, Secret<String>) async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        guard !password.isEmpty else {
            throw .invalidPassword(flow.local("The password is empty.", canRetry: true))
        }
        return try await use.once(flow) { () async throws(NativeAuthError) in try await send(flow, Secret(password)) }
    }

    /// Asks for another code with `challenge`. After an error the state can be used again, and the earlier code stays
    /// valid (docs/protocol.md §8.6), except when the server now requires something other than a code.
    func requestCode(
        _ challenge: (inout Flow) async throws(NativeAuthError) -> ChallengeReply
    ) async throws(NativeAuthError) -> (SentCode, Flow) {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            var flow = flow
            do throws(NativeAuthError) {
                let reply = try await challenge(&flow)
                if reply.challengeType == .oneTimePasscode { return (try flow.takeCode(reply), flow) }
            } catch {
                throw error.with(canRetry: true)
            }
            throw flow.unexpectedChallenge()
        }
    }
}

/// The user must type the code they received. The right code leads to `Next`.
package struct CodeState<Next: Sendable>: StepState {
    /// The target of the code.
    package let code: SentCode
    var flow: Flow
    let use = StepUse()

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// The same step for another code, which `challenge` asks for.
    func resend(
        _ challenge: (inout Flow) async throws(NativeAuthError) -> ChallengeReply
    ) async throws(NativeAuthError) -> Self {
        let (code, flow) = try await requestCode(challenge)
        return Self(code: code, flow: flow)
    }
}

extension CodeState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let code = fields.code else { return nil }
        self.init(code: code, flow: flow)
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.code = code
    }
}

/// The user must give a password. The right one leads to `Next`.
package struct PasswordState<Next: Sendable>: StepState {
    var flow: Flow
    let use = StepUse()

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }
}

extension PasswordState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        self.init(flow: flow)
    }
}

/// A finished sign-up or password reset: the user can be signed in without another question.
package struct CompletedState: StepState {
    var flow: Flow
    let use = StepUse()

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }
    /// The username that the flow began with.
    package var username: String { flow.username }
    /// Whether ``signIn(scopes:claims:)`` can work, that is whether the server issued a token for it.
    package var isSignInAvailable: Bool { flow.continuationToken != nil }
}

extension CompletedState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        self.init(flow: flow)
    }
}

/// Allows one call of a step at a time, and none after a call that succeeded (`SDK-STATE-1`). Copies of a step share
/// it.
final class StepUse: Sendable {
    private enum State: Sendable {
        case free, busy, spent
    }

    private let state = Locked(State.free)
    private let isSending = Locked(false)

    /// Runs `body`, the call of the step. After an error the step can be called again.
    ///
    /// - Throws: ``NativeAuthError/stateAlreadyUsed(_:)`` without running `body`, or the error of `body`.
    func once<Next: Sendable>(
        _ flow: Flow, _ body: () async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        let isFree = state.withLock { state in
            guard state == .free else { return false }
            state = .busy
            return true
        }
        guard isFree else { throw alreadyUsed(flow) }
        do throws(NativeAuthError) {
            let next = try await body()
            state.withLock { $0 = .spent }
            return next
        } catch {
            state.withLock { $0 = .free }
            throw error
        }
    }

    /// Runs `body`, a call that does not spend the step, such as sending another code. One such call runs at a time, so
    /// that a double tap sends one mail. It may run while a code is being checked, which servers tolerate
    /// (docs/protocol.md §8.6), but not after the step has succeeded.
    ///
    /// - Throws: ``NativeAuthError/stateAlreadyUsed(_:)`` without running `body`, or the error of `body`.
    func withoutConsuming<Next: Sendable>(
        _ flow: Flow, _ body: () async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        guard state.withLock({ $0 != .spent }) else { throw alreadyUsed(flow) }
        let isAlone = isSending.withLock { isSending in
            defer { isSending = true }
            return !isSending
        }
        guard isAlone else { throw alreadyUsed(flow).with(canRetry: true) }
        defer { isSending.withLock { $0 = false } }
        return try await body()
    }

    private func alreadyUsed(_ flow: Flow) -> NativeAuthError {
        .stateAlreadyUsed(flow.local("This step has succeeded, or is under way."))
    }
}
