import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

extension NativeAuthClient {
    /// The same as ``signIn(username:password:scopes:claims:correlationID:)``, with the copyable form of the steps.
    package func startSignIn(
        username: String, password: String? = nil, scopes: [String] = [], claims: String? = nil,
        replacing homeAccountID: String? = nil, correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> SignInFirstState {
        var flow = Flow(client: self, username: username, correlationID: correlationID)
        flow.homeAccountID = homeAccountID
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
            flow.isPasswordUnused = password != nil
            return .codeRequired(SignInCodeState(code: try flow.takeCode(challenge), flow: flow))
        }
        try flow.takePassword(challenge)
        guard let password else { return .passwordRequired(SignInPasswordState(flow: flow)) }
        return .next(try await flow.signInStep(after: .passwordAtStart(Secret(password))))
    }
}

/// The first step of a sign-in.
package enum SignInFirstState: Sendable {
    /// A code was sent to the user.
    case codeRequired(SignInCodeState)
    /// The server asks for the password.
    case passwordRequired(SignInPasswordState)
    /// The given password is right.
    case next(SignInNextState)
}

/// The step after the first factor.
package enum SignInNextState: Sendable {
    /// The server requires a second factor.
    case mfaRequired(MFAState)
    /// The user has no second factor yet and must register one.
    case registrationRequired(RegistrationState)
    /// The user is signed in.
    case completed(Account)
}

/// The copyable form of ``SignInCodeRequired``.
package typealias SignInCodeState = CodeState<SignInNextState>

extension SignInCodeState {
    /// Submits the code.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here; and others.
    package func submit(code: String) async throws(NativeAuthError) -> SignInNextState {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.signInStep(after: .code(code))
        }
    }

    /// Sends a new code; the old one becomes invalid. After an error the old code can still be submitted here.
    package func resend() async throws(NativeAuthError) -> Self {
        try await resend { (flow) async throws(NativeAuthError) in try await flow.challengeSignIn() }
    }
}

/// The copyable form of ``SignInPasswordRequired``.
package typealias SignInPasswordState = PasswordState<SignInNextState>

extension SignInPasswordState {
    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``NativeAuthError/invalidPassword(_:)``, after which another one can be submitted here; and others.
    package func submit(password: String) async throws(NativeAuthError) -> SignInNextState {
        try await submit(password: password) { (flow, password) async throws(NativeAuthError) in
            try await flow.signInStep(after: .password(password))
        }
    }
}

extension CompletedState {
    /// Signs the user in without another question.
    ///
    /// - Throws: ``NativeAuthError/notAvailable(_:)`` without a request when ``isSignInAvailable`` is false; and others.
    package func signIn(scopes: [String] = [], claims: String? = nil) async throws(NativeAuthError) -> SignInNextState {
        try await use.once(flow) { () async throws(NativeAuthError) in
            guard isSignInAvailable else {
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
    case passkey(PasskeyAssertion)
    case passkeyAsSecondFactor(PasskeyAssertion)
    /// The proof of the sign-up or reset before.
    case earlierFlow
    /// The registration of a method, which counts as its use.
    case registration

    fileprivate var grant: GrantType {
        switch self {
        case .passwordAtStart, .password: .password
        case .code: .oob
        case .secondFactor: .mfaOOB
        case .passkey: .passkey
        case .passkeyAsSecondFactor: .mfaPasskey
        case .earlierFlow, .registration: .continuationToken
        }
    }

    /// Whether the server can ask for a second factor next, so that the proof of the device's key is sent.
    fileprivate var isFirstFactor: Bool {
        switch self {
        case .passwordAtStart, .password, .code: true
        case .secondFactor, .passkey, .passkeyAsSecondFactor, .earlierFlow, .registration: false
        }
    }

    /// Whether the user can try the step again after any error (docs/sdk-surface.md §3.5, §3.6).
    fileprivate var keepsStep: Bool {
        switch self {
        case .password, .code, .secondFactor, .passkeyAsSecondFactor: true
        case .passwordAtStart, .passkey, .earlierFlow, .registration: false
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
    /// Asks for a code, or for the question of the password; in a second factor with `method`.
    mutating func challengeSignIn(_ method: AuthMethod? = nil) async throws(NativeAuthError) -> ChallengeReply {
        let request = V1.SignIn.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords, id: method?.id)
        return try await ask(.signInChallenge, request) { $0.challengeError($1) }
    }

    /// Asks for tokens, and for the methods of a factor that the server requires first.
    func signInStep(after proof: SignInProof) async throws(NativeAuthError) -> SignInNextState {
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
        case .passkey(let answer), .passkeyAsSecondFactor(let answer):
            request.credential = Secret(answer.json)
        case .earlierFlow:
            request.username = username
            request.challengeTypes = configuration.challengeTypeWords
        case .registration:
            request.challengeTypes = configuration.challengeTypeWords
        }
        let newKey = proof.isFirstFactor || remembersDevice ? try addDevice(to: &request) : nil
        switch try await flow.send(request, to: .token, as: TokenReply.self) {
        case .success(let reply):
            if let newKey, reply.deviceRememberedFor != nil { client.sessions.deviceKeys.keep(newKey, of: username) }
            return .account(try await flow.account(from: reply, requested: requested))
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

    /// Keeps the session of a reply. It takes the place of the one that the sign-in repeats, if the user is the same.
    func account(from reply: TokenReply, requested: [String]) async throws(NativeAuthError) -> Account {
        let replaced = homeAccountID.flatMap { client.sessions.store.session($0) }
        let session = try await client.sessions.start(
            with: reply, requested: requested, username: username, correlationID: correlationID)
        guard let session else { throw unexpectedReply() }
        if let replaced, replaced.homeAccountID == session.homeAccountID {
            _ = client.sessions.revocation(of: [replaced])
        }
        return Account(session, client: client)
    }

    // MARK: Errors

    /// The error mapping of the token endpoint (docs/protocol.md §4.7, §14.2).
    private func tokenError(_ refusal: ErrorReply, _ proof: SignInProof) -> NativeAuthError {
        guard refusal.error == .invalidGrant else { return error(refusal) }
        let details = details(refusal)
        if refusal.suberror == .invalidOOBValue {
            return switch proof {
            case .code, .secondFactor: .incorrectCode(details)
            case .passwordAtStart, .password, .passkey, .passkeyAsSecondFactor, .earlierFlow, .registration:
                .general(details)
            }
        }
        if refusal.leads(with: .credentialsWrong) {
            return switch proof {
            case .passwordAtStart: .invalidCredentials(details)
            case .password: .invalidPassword(details)
            case .code, .secondFactor, .passkey, .passkeyAsSecondFactor, .earlierFlow, .registration:
                .general(details)
            }
        }
        if refusal.leads(with: .userNotFound) { return .userNotFound(details) }
        if refusal.leads(with: .scopeNotConsented) || refusal.leads(with: .scopeInvalid) {
            return .invalidScope(details)
        }
        return error(refusal)
    }

    /// The error mapping of a challenge in sign-in, for the first and the second factor (docs/protocol.md §4.5).
    private func challengeError(_ refusal: ErrorReply) -> NativeAuthError {
        let isBlocked = refusal.error == .accessDenied && refusal.suberror == .providerBlockedByReputation
        return isBlocked ? .authMethodBlocked(details(refusal)) : error(refusal)
    }
}
