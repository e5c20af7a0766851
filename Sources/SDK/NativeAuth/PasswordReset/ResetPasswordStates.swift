import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

extension NativeAuthClient {
    /// Begins a password reset, and sends the user a code.
    ///
    /// - Parameters:
    ///   - username: The e-mail address or the alias.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The next step: the code.
    /// - Throws: ``NativeAuthError/userNotFound(_:)``, ``NativeAuthError/userDoesNotHavePassword(_:)``,
    ///   ``NativeAuthError/invalidUsername(_:)`` for an empty username, ``NativeAuthError/browserRequired(_:)``, and
    ///   others.
    package func startResetPassword(
        username: String, correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> ResetCodeState {
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
        let challenge = try await flow.challengeReset()
        return ResetCodeState(code: try flow.takeCode(challenge), flow: flow)
    }
}

/// The user must type the code they received.
package struct ResetCodeState: Sendable {
    /// The target of the code.
    package let code: SentCode
    let flow: Flow
    private let use = StepUse()

    init(code: SentCode, flow: Flow) {
        self.code = code
        self.flow = flow
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// Submits the code.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here;
    ///   ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    package func submit(code: String) async throws(NativeAuthError) -> NewPasswordState {
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await use.once(flow) { () async throws(NativeAuthError) in
            try await flow.continueReset(code: Secret(code))
        }
    }

    /// Sends a new code; the old one becomes invalid. After an error the old code can still be submitted here.
    ///
    /// - Returns: The same step for the new code.
    package func resend() async throws(NativeAuthError) -> ResetCodeState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            let (code, flow) = try await flow.requestCode { (flow) async throws(NativeAuthError) in
                try await flow.challengeReset()
            }
            return ResetCodeState(code: code, flow: flow)
        }
    }
}

/// The user must choose a new password.
package struct NewPasswordState: Sendable {
    /// Seconds left to submit the password, if the server states it; at most 600.
    package let expiresIn: Int?
    let flow: Flow
    /// The token of the next attempt: a server that refuses the password late issues another one (docs/protocol.md
    /// §4.8.5).
    private let continuationToken: Locked<Secret<String>?>
    private let use = StepUse()

    init(expiresIn: Int?, flow: Flow) {
        self.expiresIn = expiresIn
        self.flow = flow
        continuationToken = Locked(flow.continuationToken)
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }
    /// The flow with the token of the next attempt.
    var nextFlow: Flow {
        var flow = flow
        flow.continuationToken = continuationToken.withLock(\.self)
        return flow
    }

    /// Submits the new password, byte for byte, and waits until the server has set it: polls at once, then up to five
    /// times more at the server's interval, 1 to 15 s. Cancelling the task ends the wait; the server may still set the
    /// password.
    ///
    /// - Throws: ``NativeAuthError/invalidPassword(_:)``, after which another one can be submitted here;
    ///   ``NativeAuthError/indeterminate(_:)`` when the server was not ready in time: try to sign in with the new
    ///   password; ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    package func submit(
        password: String, progress: ((Int) -> Void)? = nil
    ) async throws(NativeAuthError) -> CompletedState {
        guard !password.isEmpty else {
            throw .invalidPassword(flow.local("The password is empty.", canRetry: true))
        }
        return try await use.once(flow) { () async throws(NativeAuthError) in
            var flow = nextFlow
            let interval = try await flow.submit(newPassword: Secret(password))
            do throws(NativeAuthError) {
                return try await flow.pollCompletion(every: interval, progress: progress)
            } catch {
                switch error {
                case .invalidPassword, .general:
                    // Refused late: the next attempt needs the latest token.
                    let token = flow.continuationToken
                    continuationToken.withLock { $0 = token }
                case _:
                    // A repeated request with the same token gets the same answer.
                    break
                }
                throw error
            }
        }
    }
}

extension Flow {
    fileprivate mutating func challengeReset() async throws(NativeAuthError) -> ChallengeReply {
        let request = V1.ResetPassword.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords)
        return try await ask(.resetPasswordChallenge, request)
    }

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
