import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The step after a provider has signed its user in.
package enum ProviderNextState: Sendable {
    case next(SignInNextState)
    case attributesRequired(SignUpAttributesState)
    case mailboxRequired(MailboxState)
    case linkRequired(LinkState)
}

/// The copyable form of ``MailboxRequired``.
package struct MailboxState: StepState {
    var flow: Flow
    let use = StepUse()

    /// Sends a code. It can be called again, also with another address.
    ///
    /// - Throws: ``NativeAuthError/invalidInput(_:)``, after which another address can be given here; and others.
    package func requestCode(to address: String) async throws(NativeAuthError) -> MailboxCodeState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            guard !address.isEmpty else { throw .invalidInput(flow.local("The address is empty.", canRetry: true)) }
            var flow = flow
            do throws(NativeAuthError) {
                let reply = try await flow.challengeMailbox(address)
                return MailboxCodeState(code: try flow.takeCode(reply), address: address, flow: flow)
            } catch {
                throw error.with(canRetry: true)
            }
        }
    }
}

extension MailboxState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        self.init(flow: flow)
    }
}

/// The copyable form of ``MailboxCodeRequired``.
package struct MailboxCodeState: StepState {
    package let code: SentCode
    let address: String
    var flow: Flow
    let use = StepUse()

    /// Submits the code.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here; and others.
    package func submit(code: String) async throws(NativeAuthError) -> ProviderNextState {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.providerStep(afterCode: code)
        }
    }

    /// Sends a new code to the same address. After an error the old code can still be submitted here.
    package func resend() async throws(NativeAuthError) -> Self {
        let (code, flow) = try await requestCode { (flow) async throws(NativeAuthError) in
            try await flow.challengeMailbox(address)
        }
        return Self(code: code, address: address, flow: flow)
    }
}

extension MailboxCodeState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let code = fields.code, let address = fields.address else { return nil }
        self.init(code: code, address: address, flow: flow)
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.code = code
        fields.address = address
    }
}

/// The copyable form of ``LinkRequired``.
package struct LinkState: StepState {
    var flow: Flow
    let use = StepUse()

    /// Asks for the password, or sends a code.
    package func prove() async throws(NativeAuthError) -> SignInFirstState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            var flow = flow
            do throws(NativeAuthError) {
                let challenge = try await flow.challengeSignIn()
                guard challenge.challengeType == .password else {
                    return .codeRequired(SignInCodeState(code: try flow.takeCode(challenge), flow: flow))
                }
                try flow.takePassword(challenge)
                return .passwordRequired(SignInPasswordState(flow: flow))
            } catch {
                if case .browserRequired = error { throw error }
                throw error.with(canRetry: true)
            }
        }
    }
}

extension LinkState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        self.init(flow: flow)
    }
}

// MARK: - Requests

extension Flow {
    /// Begins a sign-in by a provider, and returns the nonce for it.
    mutating func begin(with provider: String) async throws(NativeAuthError) -> String {
        var words = configuration.challengeTypeWords
        if !words.contains(ChallengeType.federated.rawValue) { words.insert(ChallengeType.federated.rawValue, at: 0) }
        let request = V1.SignIn.InitiateRequest(
            clientID: configuration.clientID, username: nil, challengeTypes: words,
            capabilities: configuration.capabilityWords, provider: provider)
        let start: ContinuationReply = try await ask(.signInInitiate, request)
        try advance(to: start.continuationToken)
        let challenge = V1.SignIn.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, challengeTypes: words)
        let reply: ChallengeReply = try await ask(.signInChallenge, challenge)
        guard reply.challengeType == .federated else { throw unexpectedChallenge() }
        try advance(to: reply.continuationToken)
        guard let nonce = reply.nonce, !nonce.isEmpty else { throw unexpectedReply() }
        return nonce
    }

    /// Sends the provider's token.
    func providerStep(after credential: ProviderCredential) async throws(NativeAuthError) -> ProviderNextState {
        var flow = self
        let requested = OIDCScopes.requesting(scopes)
        var request = V1.TokenRequest(
            clientID: configuration.clientID, grantType: .federated, continuationToken: continuationToken,
            scopes: requested, clientInfo: "true", claims: claims)
        request.idToken = Secret(credential.idToken)
        request.providerUser = credential.userJSON
        request.authorizationCode = credential.authorizationCode.map { Secret($0) }
        _ = try addDevice(to: &request)
        switch try await flow.send(request, to: .token, as: TokenReply.self) {
        case .success(let reply):
            return .next(.completed(try await flow.account(from: reply, requested: requested)))
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal):
            return try await flow.providerStep(after: refusal)
        }
    }

    /// Sends the code of the mailbox that a new user named.
    func providerStep(afterCode code: Secret<String>) async throws(NativeAuthError) -> ProviderNextState {
        var flow = self
        let request = V1.SignUp.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: .oob, oob: code)
        switch try await flow.send(request, to: .signUpContinue, as: ContinuationReply.self) {
        case .success(let reply):
            try flow.advance(to: reply.continuationToken)
            return .next(try await flow.signInStep(after: .earlierFlow))
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal) where refusal.suberror == .invalidOOBValue:
            throw .incorrectCode(flow.details(refusal, canRetry: true))
        case .refusal(let refusal):
            return try await flow.providerStep(after: refusal)
        }
    }

    fileprivate mutating func challengeMailbox(_ address: String) async throws(NativeAuthError) -> ChallengeReply {
        let request = V1.SignUp.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords, challengeTarget: address)
        return try await ask(.signUpChallenge, request) { flow, refusal in
            refusal.leads(with: .contactInvalid) ? .invalidInput(flow.details(refusal)) : flow.error(refusal)
        }
    }

    /// What is still missing.
    private mutating func providerStep(after refusal: ErrorReply) async throws(NativeAuthError) -> ProviderNextState {
        switch (refusal.error, refusal.suberror) {
        case (.attributesRequired, _):
            guard let required = refusal.requiredAttributes, !required.isEmpty else { throw unexpectedReply() }
            try advance(to: refusal.continuationToken)
            return .attributesRequired(SignUpAttributesState(required: required, flow: self))
        case (.verificationRequired, _):
            try advance(to: refusal.continuationToken)
            return .mailboxRequired(MailboxState(flow: self))
        case (.invalidGrant, .linkRequired):
            try advance(to: refusal.continuationToken)
            return .linkRequired(LinkState(flow: self))
        case (.invalidGrant, .mfaRequired):
            try advance(to: refusal.continuationToken)
            return .next(.mfaRequired(try await introspectMFA()))
        case (.invalidGrant, .registrationRequired):
            try advance(to: refusal.continuationToken)
            return .next(.registrationRequired(try await introspectRegistration()))
        case (_, _):
            throw error(refusal)
        }
    }
}
