import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// The user must register a strong authentication method before the sign-in completes.
package struct RegistrationState: Sendable {
    /// The methods that the user can choose from; at least one.
    package let methods: [AuthMethod]
    let flow: Flow
    fileprivate let use = StepUse()

    init(methods: [AuthMethod], flow: Flow) {
        self.methods = methods
        self.flow = flow
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// Sends a code to `contact`, or signs in at once if the contact was verified a moment ago. It can be called again,
    /// also with another method or contact; an earlier code stays valid.
    ///
    /// - Parameters:
    ///   - method: One of ``methods``.
    ///   - contact: The e-mail address or telephone number, such as the method's ``AuthMethod/loginHint``.
    /// - Throws: ``NativeAuthError/invalidInput(_:)`` or ``NativeAuthError/verificationContactBlocked(_:)``, after
    ///   which another contact can be given here; ``NativeAuthError/browserRequired(_:)``, and others.
    package func requestChallenge(
        _ method: AuthMethod, contact: String
    ) async throws(NativeAuthError) -> RegistrationProgress {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            try await flow.requestRegistrationCode(method, contact: contact, methods: methods)
        }
    }
}

/// The step after the choice of a method to register.
package enum RegistrationProgress: Sendable {
    /// A code was sent to the contact.
    case codeRequired(RegistrationCodeState)
    /// The contact was already verified: the user is signed in.
    case completed(Account)
}

/// The user must type the code that was sent to the contact.
package struct RegistrationCodeState: Sendable {
    /// The target of the code, not masked.
    package let code: SentCode
    /// The choice of methods, usable until the code is accepted.
    package let choice: RegistrationState

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here;
    ///   ``NativeAuthError/mfaRequired(_:)`` or ``NativeAuthError/registrationRequired(_:)`` when the server requires a
    ///   further factor; ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    package func submit(code: String) async throws(NativeAuthError) -> Account {
        let flow = choice.flow
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await choice.use.once(flow) { () async throws(NativeAuthError) in
            try await flow.completeRegistration(.oob, oob: Secret(code))
        }
    }
}

extension Flow {
    /// Asks for the methods that can be registered (docs/protocol.md §4.9.1).
    func introspectRegistration() async throws(NativeAuthError) -> RegistrationState {
        var flow = self
        let methods = try await flow.introspect(.registerIntrospect)
        return RegistrationState(methods: methods, flow: flow)
    }

    fileprivate func requestRegistrationCode(
        _ method: AuthMethod, contact: String, methods: [AuthMethod]
    ) async throws(NativeAuthError) -> RegistrationProgress {
        guard !contact.isEmpty else { throw .invalidInput(local("The contact is empty.", canRetry: true)) }
        var flow = self
        let request = V1.Register.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeType: method.challengeType, challengeTarget: contact, challengeChannel: method.channel)
        let reply = try await flow.challengeRegistration(request)
        switch reply.challengeType {
        case ChallengeType.oneTimePasscode.rawValue:
            do throws(NativeAuthError) {
                let code = try flow.takeCode(
                    sentTo: reply.challengeTarget, channel: reply.challengeChannel, length: reply.codeLength,
                    interval: reply.interval, token: reply.continuationToken)
                return .codeRequired(
                    RegistrationCodeState(
                        code: code, choice: RegistrationState(methods: methods, flow: flow)))
            } catch {
                throw error.with(canRetry: true)
            }
        case V1.Register.ChallengeReply.preverified:
            try flow.advance(to: reply.continuationToken)
            do throws(NativeAuthError) {
                return .completed(try await flow.completeRegistration(.continuationToken))
            } catch {
                // The contact is spent, and so is this step's token (docs/sdk-surface.md §3.7).
                throw error.with(canRetry: false)
            }
        case _:
            throw flow.unexpectedChallenge().with(canRetry: true)
        }
    }

    private mutating func challengeRegistration(
        _ request: V1.Register.ChallengeRequest
    ) async throws(NativeAuthError) -> V1.Register.ChallengeReply {
        do throws(NativeAuthError) {
            return try await ask(.registerChallenge, request) { $0.registrationError($1) }
        } catch {
            if case .browserRequired = error { throw error }
            throw error.with(canRetry: true)
        }
    }

    /// Submits the code, or no code for a contact that was verified before, and asks for tokens (docs/protocol.md
    /// §4.9.3).
    fileprivate func completeRegistration(
        _ grant: GrantType, oob: Secret<String>? = nil
    ) async throws(NativeAuthError) -> Account {
        var flow = self
        let request = V1.Register.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: grant, oob: oob)
        do throws(NativeAuthError) {
            let reply: ContinuationReply = try await flow.ask(.registerContinue, request) { flow, refusal in
                let isCodeWrong = refusal.error == .invalidGrant && refusal.suberror == .invalidOOBValue
                return isCodeWrong && grant == .oob
                    ? .incorrectCode(flow.details(refusal)) : flow.error(refusal)
            }
            try flow.advance(to: reply.continuationToken)
        } catch {
            if case .browserRequired = error { throw error }
            throw error.with(canRetry: true)
        }
        return try await flow.account(after: .registration)
    }

    /// The error mapping for the choice of a contact (docs/protocol.md §4.9.2).
    private func registrationError(_ refusal: ErrorReply) -> NativeAuthError {
        switch (refusal.error, refusal.suberror) {
        case (.accessDenied, .providerBlockedByReputation):
            .verificationContactBlocked(details(refusal))
        case (.invalidRequest, _) where (refusal.errorCodes ?? []).contains(AADSTSCode.contactInvalid.rawValue):
            .invalidInput(details(refusal))
        case (_, _):
            error(refusal)
        }
    }
}
