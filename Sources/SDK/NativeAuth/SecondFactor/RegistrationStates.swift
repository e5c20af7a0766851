import NativeAuthCore
import NativeAuthWire

/// The user must register a method before the sign-in completes.
package enum RegistrationPurpose: MethodPurpose {}

/// The copyable form of ``RegistrationRequired``.
package typealias RegistrationState = MethodsState<RegistrationPurpose>
/// The copyable form of ``RegistrationCodeRequired``.
package typealias RegistrationCodeState = MethodCodeState<RegistrationPurpose>

/// The step after the choice of a method to register.
package enum RegistrationNextState: Sendable {
    /// A code was sent to the contact.
    case codeRequired(RegistrationCodeState)
    /// The contact was already verified: the user is signed in.
    case completed(Account)
}

extension RegistrationState {
    /// Sends a code to `contact`, or signs in at once if the contact was verified a moment ago. It can be called again,
    /// also with another method or contact; an earlier code stays valid.
    ///
    /// - Throws: ``NativeAuthError/invalidInput(_:)`` or ``NativeAuthError/verificationContactBlocked(_:)``, after
    ///   which another contact can be given here; and others.
    package func requestChallenge(
        _ method: AuthMethod, contact: String
    ) async throws(NativeAuthError) -> RegistrationNextState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            try await flow.requestRegistrationCode(method, contact: contact, methods: methods)
        }
    }
}

extension RegistrationState {
    /// Registers a passkey, and signs in with what was given. It can be called again after an error.
    func register(with authenticator: some PasskeyAuthenticator) async throws(PasskeyFailure) -> Account {
        guard methods.contains(where: \.isPasskey) else {
            throw .request(.notAvailable(flow.local("The server registers no passkey here.", canRetry: true)))
        }
        var flow = flow
        let options = try await flow.newPasskeyOptions()
        let made = try await authenticator.asked(options, flow)
        let asked = flow
        do throws(NativeAuthError) {
            return try await use.once(asked) { () async throws(NativeAuthError) in
                try await asked.completeRegistration(.passkey, credential: Secret(made.json))
            }
        } catch {
            throw PasskeyFailure(error)
        }
    }
}

extension RegistrationState {
    /// Asks for the key of an authenticator app. It can be called again: then there is another key.
    func requestKey() async throws(NativeAuthError) -> RegistrationAppState {
        guard methods.contains(where: \.isAuthenticatorApp) else {
            throw .notAvailable(flow.local("The server registers no authenticator app here.", canRetry: true))
        }
        return try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            var flow = flow
            let key = try await flow.newAuthenticatorKey()
            return RegistrationAppState(key: key, choice: RegistrationState(methods: methods, flow: flow))
        }
    }
}

/// The copyable form of ``RegistrationAppRequired``.
struct RegistrationAppState: StepState {
    let key: AuthenticatorKey
    /// The choice of methods, usable until the code is accepted.
    private(set) var choice: RegistrationState

    var flow: Flow {
        get { choice.flow }
        set { choice.flow = newValue }
    }
    var use: StepUse { choice.use }

    init(key: AuthenticatorKey, choice: RegistrationState) {
        self.key = key
        self.choice = choice
    }

    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let key = fields.authenticatorKey, let choice = RegistrationState(fields, flow) else { return nil }
        self.init(key: key, choice: choice)
    }

    func fill(_ fields: inout StepContent.Fields) {
        choice.fill(&fields)
        fields.authenticatorKey = key
    }

    /// Submits a code of the app, and asks for tokens with the scopes and claims that the sign-in began with.
    func submit(code: String) async throws(NativeAuthError) -> Account {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.completeRegistration(.totp, totp: code)
        }
    }
}

extension RegistrationCodeState {
    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here;
    ///   ``NativeAuthError/mfaRequired(_:)`` or ``NativeAuthError/registrationRequired(_:)`` when the server requires a
    ///   further factor; and others.
    package func submit(code: String) async throws(NativeAuthError) -> Account {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.completeRegistration(.oob, oob: code)
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
    ) async throws(NativeAuthError) -> RegistrationNextState {
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

    /// Asks for the secret of an authenticator app.
    fileprivate mutating func newAuthenticatorKey() async throws(NativeAuthError) -> AuthenticatorKey {
        let type = ChallengeType.authenticatorApp.rawValue
        let reply = try await challengeRegistration(
            V1.Register.ChallengeRequest(
                clientID: configuration.clientID, continuationToken: continuationToken, challengeType: type,
                challengeTarget: nil))
        guard reply.challengeType == type,
            let key = AuthenticatorKey(
                reply.secret?.reveal(), at: reply.otpauthURI?.reveal(), codeLength: reply.codeLength)
        else { throw unexpectedChallenge().with(canRetry: true) }
        try advance(to: reply.continuationToken)
        return key
    }

    /// Submits the code or the passkey, or neither for a contact that was verified before, and asks for tokens
    /// (docs/protocol.md §4.9.3).
    fileprivate func completeRegistration(
        _ grant: GrantType, oob: Secret<String>? = nil, credential: Secret<String>? = nil, totp: Secret<String>? = nil
    ) async throws(NativeAuthError) -> Account {
        var flow = self
        let request = V1.Register.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: grant, oob: oob,
            credential: credential, totp: totp)
        do throws(NativeAuthError) {
            let reply: ContinuationReply = try await flow.ask(.registerContinue, request) { flow, refusal in
                let isCodeWrong = refusal.error == .invalidGrant && refusal.suberror == .invalidOOBValue
                return isCodeWrong && [.oob, .totp].contains(grant)
                    ? .incorrectCode(flow.details(refusal)) : flow.error(refusal)
            }
            try flow.advance(to: reply.continuationToken)
        } catch {
            if case .browserRequired = error { throw error }
            throw error.with(canRetry: true)
        }
        return try await flow.account(after: .registration)
    }

    /// Asks for what a device needs to make a passkey.
    fileprivate mutating func newPasskeyOptions() async throws(PasskeyFailure) -> PasskeyCreation {
        let reply: V1.Register.ChallengeReply
        do throws(NativeAuthError) {
            reply = try await challengeRegistration(
                V1.Register.ChallengeRequest(
                    clientID: configuration.clientID, continuationToken: continuationToken,
                    challengeType: ChallengeType.passkey.rawValue, challengeTarget: nil))
            guard reply.challengeType == ChallengeType.passkey.rawValue else {
                throw unexpectedChallenge().with(canRetry: true)
            }
            try advance(to: reply.continuationToken)
        } catch {
            throw .request(error)
        }
        do throws(PasskeyError) {
            return try PasskeyCreation(json: Self.text(reply.publicKey))
        } catch {
            throw .device(error, local("The server's options for passkeys cannot be used: \(error)."))
        }
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
