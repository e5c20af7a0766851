import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

extension NativeAuthClient {
    /// The same as ``resetPassword(username:correlationID:)``, with the copyable form of the step.
    package func startResetPassword(
        username: String, correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> ResetPasswordCodeState {
        var flow = Flow(client: self, username: username, correlationID: correlationID)
        guard !username.isEmpty else { throw .invalidUsername(flow.local("The username is empty.")) }
        let request = V1.ResetPassword.StartRequest(
            clientID: api.configuration.clientID, username: username,
            challengeTypes: api.configuration.challengeTypeWords, capabilities: api.configuration.capabilityWords)
        let reply: ContinuationReply = try await flow.ask(.resetPasswordStart, request) { flow, refusal in
            let hasNoPassword =
                refusal.error == .invalidRequest && refusal.leads(with: .credentialRecoveryUnsupported)
            return hasNoPassword ? .userDoesNotHavePassword(flow.details(refusal)) : flow.error(refusal)
        }
        try flow.advance(to: reply.continuationToken)
        let challenge = try await flow.challenge(.resetPasswordChallenge)
        return ResetPasswordCodeState(code: try flow.takeCode(challenge), flow: flow)
    }
}

/// The copyable form of ``ResetPasswordCodeRequired``.
package typealias ResetPasswordCodeState = CodeState<NewPasswordState>

extension ResetPasswordCodeState {
    /// Submits the code.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here; and others.
    package func submit(code: String) async throws(NativeAuthError) -> NewPasswordState {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.continueReset(code: code)
        }
    }

    /// Sends a new code; the old one becomes invalid. After an error the old code can still be submitted here.
    package func resend() async throws(NativeAuthError) -> Self {
        try await resend { (flow) async throws(NativeAuthError) in try await flow.challenge(.resetPasswordChallenge) }
    }
}

/// The user must choose a new password.
package struct NewPasswordState: StepState {
    /// Seconds left to submit the password, if the server states it; at most 600.
    package let expiresIn: Int?
    /// The flow for the next attempt: a server that refuses the password late issues another token (docs/protocol.md
    /// §4.8.5). Copies of the state share it.
    private let latest: Locked<Flow>
    let use = StepUse()

    var flow: Flow {
        get { latest.withLock(\.self) }
        nonmutating set { latest.withLock { $0 = newValue } }
    }

    init(expiresIn: Int?, flow: Flow) {
        self.expiresIn = expiresIn
        latest = Locked(flow)
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// Submits the new password as ``NewPasswordRequired/submit(password:progress:)`` does.
    ///
    /// - Throws: ``NativeAuthError/invalidPassword(_:)``, after which another one can be submitted here;
    ///   ``NativeAuthError/indeterminate(_:)`` when the server was not ready in time; and others.
    package func submit(
        password: String, progress: ((Int) -> Void)? = nil
    ) async throws(NativeAuthError) -> CompletedState {
        try await submit(password: password) { (flow, password) async throws(NativeAuthError) in
            var flow = flow
            let interval = try await flow.submit(newPassword: password)
            do throws(NativeAuthError) {
                return try await flow.pollCompletion(every: interval, progress: progress)
            } catch {
                switch error {
                case .invalidPassword, .general:
                    // Refused late: the next attempt needs the latest token.
                    let token = flow.continuationToken
                    latest.withLock { $0.continuationToken = token }
                case _:
                    // A repeated request with the same token gets the same answer.
                    break
                }
                throw error
            }
        }
    }
}

extension NewPasswordState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        self.init(expiresIn: fields.expiresIn, flow: flow)
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.expiresIn = expiresIn
    }
}

// MARK: - Requests

extension Flow {
    fileprivate func continueReset(code: Secret<String>) async throws(NativeAuthError) -> NewPasswordState {
        var flow = self
        let request = V1.ResetPassword.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: .oob, oob: code)
        let reply: V1.ResetPassword.ContinueReply = try await flow.ask(.resetPasswordContinue, request) {
            flow, refusal in
            let isCodeWrong = refusal.error == .invalidGrant && refusal.suberror == .invalidOOBValue
            return isCodeWrong ? .incorrectCode(flow.details(refusal, canRetry: true)) : flow.error(refusal)
        }
        try flow.advance(to: reply.continuationToken)
        return NewPasswordState(expiresIn: reply.expiresIn, flow: flow)
    }

    /// Submits the new password, and returns the seconds between polls.
    fileprivate mutating func submit(newPassword: Secret<String>) async throws(NativeAuthError) -> Int {
        let request = V1.ResetPassword.SubmitRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, newPassword: newPassword)
        let reply: V1.ResetPassword.SubmitReply = try await ask(.resetPasswordSubmit, request) {
            $0.newPasswordError($1)
        }
        guard let interval = reply.pollInterval else { throw unexpectedReply() }
        try advance(to: reply.continuationToken)
        return min(max(interval, 1), 15)
    }

    /// Polls up to six times whether the password is set (docs/protocol.md §4.8.5). Every poll sends the same token.
    fileprivate mutating func pollCompletion(
        every interval: Int, progress: ((Int) -> Void)?
    ) async throws(NativeAuthError) -> CompletedState {
        let request = V1.ResetPassword.PollCompletionRequest(
            clientID: configuration.clientID, continuationToken: continuationToken)
        for poll in 1...6 {
            let reply: V1.ResetPassword.PollCompletionReply = try await ask(
                .resetPasswordPollCompletion, request, repeats: 3
            ) { $0.newPasswordError($1) }
            switch reply.status {
            case .succeeded:
                var flow = self
                flow.continuationToken = reply.continuationToken.flatMap { $0.reveal().isEmpty ? nil : $0 }
                return CompletedState(flow: flow)
            case .failed:
                // With a token the password can be submitted again, according to the reference.
                if let token = reply.continuationToken, !token.reveal().isEmpty {
                    continuationToken = token
                    throw .general(local("The server could not set the password.", canRetry: true))
                }
                throw .general(local("The server could not set the password."))
            case .inProgress, .notStarted:
                guard poll < 6 else { break }
                progress?(poll)
                try await wait(.seconds(interval))
            case _:
                throw unexpectedReply()
            }
        }
        throw .indeterminate(local("The server did not finish in time; try to sign in with the new password."))
    }

    private func wait(_ duration: Duration) async throws(NativeAuthError) {
        let sleep = configuration.sleep
        do {
            try await abandonable { try await sleep(duration) }
        } catch {
            // Waiting ends early only when the task is cancelled.
            throw .cancelled(local("The server may still set the password.", canRetry: true))
        }
    }

    /// The error mapping for the last two requests of a reset (docs/protocol.md §4.8.4, §4.8.5).
    private func newPasswordError(_ refusal: ErrorReply) -> NativeAuthError {
        let isPasswordWrong = refusal.error == .invalidGrant && refusal.isPasswordRefusal
        return isPasswordWrong ? .invalidPassword(details(refusal, canRetry: true)) : error(refusal)
    }
}
