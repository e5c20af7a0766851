import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

extension NativeAuthClient {
    /// Begins a sign-in: with the given password, with a code if the user has no password, otherwise by asking for the
    /// password.
    ///
    /// - Parameters:
    ///   - username: The e-mail address or the alias.
    ///   - password: The password; ignored when the user signs in with codes.
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text. It is repeated after a second factor and a registration, as the
    ///     scopes are.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The next step; with a right password the account.
    /// - Throws: ``NativeAuthError/userNotFound(_:)``, ``NativeAuthError/invalidCredentials(_:)``,
    ///   ``NativeAuthError/invalidUsername(_:)`` for an empty username, ``NativeAuthError/browserRequired(_:)``,
    ///   ``NativeAuthError/invalidScope(_:)``, and others.
    package func startSignIn(
        username: String, password: String? = nil, scopes: [String] = [], claims: String? = nil,
        correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> SignInStart {
        var flow = Flow(client: self, username: username, correlationID: correlationID)
        flow.scopes = scopes
        flow.claims = claims
        guard !username.isEmpty else { throw .invalidUsername(flow.local("The username is empty.")) }
        guard password?.isEmpty != true else { throw .invalidCredentials(flow.local("The password is empty.")) }

        let request = V1.SignIn.InitiateRequest(
            clientID: api.configuration.clientID, username: username,
            challengeTypes: api.configuration.challengeTypeWords, capabilities: api.configuration.capabilityWords)
        let start: ContinuationReply = try await flow.ask(.signInInitiate, request)
        try flow.advance(to: start.continuationToken)
        let challenge = try await flow.challengeSignIn()
        guard challenge.challengeType == .password else {
            return .codeRequired(SignInCodeState(code: try flow.takeCode(challenge), flow: flow))
        }
        try flow.takePassword(challenge)
        guard let password else { return .passwordRequired(SignInPasswordState(flow: flow)) }
        return .next(try await flow.signInStep(after: .passwordAtStart(Secret(password))))
    }
}

/// The first step of a sign-in.
package enum SignInStart: Sendable {
    /// A code was sent to the user.
    case codeRequired(SignInCodeState)
    /// The server asks for the password.
    case passwordRequired(SignInPasswordState)
    /// The given password is right.
    case next(SignInProgress)
}

/// The step after the first factor.
package enum SignInProgress: Sendable {
    /// The server requires a second factor.
    case mfaRequired(MFAState)
    /// The user has no second factor yet and must register one.
    case registrationRequired(RegistrationState)
    /// The user is signed in.
    case completed(Account)
}

/// The user must type the code they received.
package struct SignInCodeState: Sendable {
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
    package func submit(code: String) async throws(NativeAuthError) -> SignInProgress {
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await use.once(flow) { () async throws(NativeAuthError) in
            try await flow.signInStep(after: .code(Secret(code)))
        }
    }

    /// Sends a new code; the old one becomes invalid. After an error the old code can still be submitted here.
    ///
    /// - Returns: The same step for the new code.
    package func resend() async throws(NativeAuthError) -> SignInCodeState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            let (code, flow) = try await flow.requestCode { (flow) async throws(NativeAuthError) in
                try await flow.challengeSignIn()
            }
            return SignInCodeState(code: code, flow: flow)
        }
    }
}

/// The user must give their password.
package struct SignInPasswordState: Sendable {
    let flow: Flow
    private let use = StepUse()

    init(flow: Flow) {
        self.flow = flow
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``NativeAuthError/invalidPassword(_:)``, after which another one can be submitted here;
    ///   ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    package func submit(password: String) async throws(NativeAuthError) -> SignInProgress {
        guard !password.isEmpty else {
            throw .invalidPassword(flow.local("The password is empty.", canRetry: true))
        }
        return try await use.once(flow) { () async throws(NativeAuthError) in
            try await flow.signInStep(after: .password(Secret(password)))
        }
    }
}

/// A finished sign-up or password reset: the user can be signed in without another question.
package struct CompletedState: Sendable {
    let flow: Flow
    private let use = StepUse()

    init(flow: Flow) {
        self.flow = flow
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }
    /// The username that the flow began with.
    package var username: String { flow.username }
    /// Whether ``signIn(scopes:claims:)`` can work, that is whether the server issued a token for it.
    package var isSignInAvailable: Bool { flow.continuationToken != nil }

    /// Signs the user in without another question.
    ///
    /// - Parameters:
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text.
    /// - Returns: The account; or the second factor, or the registration of one, if the tenant requires it.
    /// - Throws: ``NativeAuthError/notAvailable(_:)`` without a request when ``isSignInAvailable`` is false;
    ///   ``NativeAuthError/browserRequired(_:)``, ``NativeAuthError/expired(_:)``, and others.
    package func signIn(scopes: [String] = [], claims: String? = nil) async throws(NativeAuthError) -> SignInProgress {
        try await use.once(flow) { () async throws(NativeAuthError) in
            guard flow.continuationToken != nil else {
                throw .notAvailable(
                    flow.local("Sign-in is not available at this point; use the standalone sign-in."))
            }
            var flow = flow
            flow.scopes = scopes
            flow.claims = claims
            return try await flow.signInStep(after: .earlierFlow)
        }
    }
}

// MARK: - Requests

/// The proof that a request for tokens sends (docs/protocol.md §5.1).
enum SignInProof: Sendable {
    /// The password that was given together with the username.
    case passwordAtStart(Secret<String>)
    /// The password that was given when the server asked for it.
    case password(Secret<String>)
    case code(Secret<String>)
    case secondFactor(Secret<String>)
    /// The proof of the sign-up or reset before.
    case earlierFlow
    /// The registration of a method, which counts as its use.
    case registration

    fileprivate var grant: GrantType {
        switch self {
        case .passwordAtStart, .password: .password
        case .code: .oob
        case .secondFactor: .mfaOOB
        case .earlierFlow, .registration: .continuationToken
        }
    }

    /// Whether the user can try the step again after any error (docs/sdk-surface.md §3.5, §3.6).
    fileprivate var keepsStep: Bool {
        switch self {
        case .password, .code, .secondFactor: true
        case .passwordAtStart, .earlierFlow, .registration: false
        }
    }
}

/// The result of a request for tokens. The flows hold the reply's token.
enum Redeemed: Sendable {
    case account(Account)
    case mfaRequired(Flow, NativeAuthError.Details)
    case registrationRequired(Flow, NativeAuthError.Details)
}

extension Flow {
    fileprivate mutating func challengeSignIn() async throws(NativeAuthError) -> ChallengeReply {
        let request = V1.SignIn.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords)
        return try await ask(.signInChallenge, request) { $0.challengeError($1) }
    }

    /// Asks for tokens, and for the methods of a factor that the server requires first.
    fileprivate func signInStep(after proof: SignInProof) async throws(NativeAuthError) -> SignInProgress {
        switch try await redeem(proof) {
        case .account(let account): .completed(account)
        case .mfaRequired(let flow, _): .mfaRequired(try await flow.introspectMFA())
        case .registrationRequired(let flow, _): .registrationRequired(try await flow.introspectRegistration())
        }
    }

    /// The same as ``redeem(_:)``, but throws when the server requires a further factor.
    func account(after proof: SignInProof) async throws(NativeAuthError) -> Account {
        switch try await redeem(proof) {
        case .account(let account): return account
        case .mfaRequired(_, let details): throw .mfaRequired(details)
        case .registrationRequired(_, let details): throw .registrationRequired(details)
        }
    }

    /// Asks for tokens (docs/protocol.md §4.7, §5).
    private func redeem(_ proof: SignInProof) async throws(NativeAuthError) -> Redeemed {
        do throws(NativeAuthError) {
            return try await requestTokens(proof)
        } catch {
            throw proof.keepsStep ? error.with(canRetry: true) : error
        }
    }

    private func requestTokens(_ proof: SignInProof) async throws(NativeAuthError) -> Redeemed {
        var flow = self
        let requested = OIDCScopes.requesting(scopes)
        var request = V1.TokenRequest(
            clientID: configuration.clientID, grantType: proof.grant, continuationToken: continuationToken,
            scopes: requested, clientInfo: "true", claims: claims)
        switch proof {
        case .passwordAtStart(let password), .password(let password):
            request.password = password
            request.username = username
            request.challengeTypes = configuration.challengeTypeWords
        case .code(let code), .secondFactor(let code):
            request.oob = code
        case .earlierFlow:
            request.username = username
            request.challengeTypes = configuration.challengeTypeWords
        case .registration:
            request.challengeTypes = configuration.challengeTypeWords
        }
        switch try await flow.send(request, to: .token, as: TokenReply.self) {
        case .success(let reply):
            let session = try await client.sessions.start(
                with: reply, requested: requested, username: username, correlationID: flow.correlationID)
            guard let session else { throw flow.unexpectedReply() }
            return .account(Account(session, client: client))
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal) where refusal.error == .invalidGrant && refusal.suberror == .mfaRequired:
            try flow.advance(to: refusal.continuationToken)
            return .mfaRequired(flow, flow.details(refusal))
        case .refusal(let refusal) where refusal.error == .invalidGrant && refusal.suberror == .registrationRequired:
            try flow.advance(to: refusal.continuationToken)
            return .registrationRequired(flow, flow.details(refusal))
        case .refusal(let refusal):
            throw flow.tokenError(refusal, proof)
        }
    }

    // MARK: Errors

    /// The error mapping of the token endpoint (docs/protocol.md §4.7, §14.2).
    private func tokenError(_ refusal: ErrorReply, _ proof: SignInProof) -> NativeAuthError {
        guard refusal.error == .invalidGrant else { return error(refusal) }
        let details = details(refusal)
        if refusal.suberror == .invalidOOBValue {
            return switch proof {
            case .code, .secondFactor: .incorrectCode(details)
            case .passwordAtStart, .password, .earlierFlow, .registration: .general(details)
            }
        }
        if refusal.leads(with: .credentialsWrong) {
            return switch proof {
            case .passwordAtStart: .invalidCredentials(details)
            case .password: .invalidPassword(details)
            case .code, .secondFactor, .earlierFlow, .registration: .general(details)
            }
        }
        if refusal.leads(with: .userNotFound) { return .userNotFound(details) }
        if refusal.leads(with: .scopeNotConsented) || refusal.leads(with: .scopeInvalid) {
            return .invalidScope(details)
        }
        return error(refusal)
    }

    /// The error mapping of a challenge in sign-in, for the first and the second factor (docs/protocol.md §4.5).
    func challengeError(_ refusal: ErrorReply) -> NativeAuthError {
        let isBlocked = refusal.error == .accessDenied && refusal.suberror == .providerBlockedByReputation
        return isBlocked ? .authMethodBlocked(details(refusal)) : error(refusal)
    }
}
