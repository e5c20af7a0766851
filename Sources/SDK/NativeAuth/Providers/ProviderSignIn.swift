import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

extension NativeAuthClient {
    /// Signs a user in, or up, by an account at a provider of another organisation, without a browser and without a username.
    ///
    /// The server's tenant must have the provider (docs/operate/providers.md); others refuse the request.
    ///
    /// ```swift
    /// let next = try await client.signIn(with: AppleIdentity { window })
    /// ```
    ///
    /// - Parameters:
    ///   - provider: Signs the user in on the device.
    ///   - scopes: As at ``signIn(username:password:scopes:claims:correlationID:)``.
    ///   - claims: A claims request: JSON as text.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The account, or what is still missing.
    /// - Throws: ``ProviderSignInError``: no user was signed in.
    public func signIn(
        with provider: some IdentityTokenProvider, scopes: [String] = [], claims: String? = nil,
        correlationID: UUID? = nil
    ) async throws(ProviderSignInError) -> ProviderSignInStep {
        try await signIn(
            with: provider, scopes: scopes, claims: claims, replacing: nil, correlationID: correlationID)
    }

    fileprivate func signIn(
        with provider: some IdentityTokenProvider, scopes: [String], claims: String?, replacing homeAccountID: String?,
        correlationID: UUID?
    ) async throws(ProviderSignInError) -> ProviderSignInStep {
        var flow = Flow(client: self, username: "", correlationID: correlationID)
        flow.scopes = scopes
        flow.claims = claims
        flow.homeAccountID = homeAccountID
        let nonce: String
        do throws(NativeAuthError) {
            nonce = try await flow.begin(with: provider.id)
        } catch {
            throw ProviderSignInError(error)
        }
        let credential: ProviderCredential
        do throws(ProviderError) {
            credential = try await provider.credential(nonce: nonce)
        } catch {
            throw .provider(error, flow.local("The provider gave no token: \(error)."))
        }
        do throws(NativeAuthError) {
            return ProviderSignInStep(try await flow.providerStep(after: credential))
        } catch {
            throw ProviderSignInError(error)
        }
    }
}

extension Account {
    /// Proves what a call demanded by the user's account at a provider. When it is complete, repeat the call: this value and all
    /// its copies use the new session, and the old one ends. Another user's identity signs that user in beside this one.
    ///
    /// - Parameters:
    ///   - demand: What the call demanded: ``AccountError/proofRequired(_:_:)``.
    ///   - correlationID: Identifies the flow in the server's log; nil for a new ID.
    /// - Throws: ``ProviderSignInError``: the session is as before.
    public func signInAgain(
        for demand: ProofDemand, with provider: some IdentityTokenProvider, correlationID: UUID? = nil
    ) async throws(ProviderSignInError) -> ProviderSignInStep {
        try await client.signIn(
            with: provider, scopes: ["User.Read", "User.ReadWrite"], claims: demand.claims,
            replacing: homeAccountID, correlationID: correlationID)
    }
}

/// The step after a provider has signed its user in. A later version may add steps.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public enum ProviderSignInStep: ~Copyable, Sendable {
    /// The user is signed in. A new user has an account now.
    case completed(Account)
    /// A new user must give attributes; then ``SignUpCompleted/signIn(scopes:claims:)`` signs the user in.
    case attributesRequired(SignUpAttributesRequired)
    /// A new user must name and prove an e-mail address: the provider has proven none that it can speak for.
    case mailboxRequired(MailboxRequired)
    /// An account has the e-mail address already. Its owner proves it once, by an ordinary sign-in, and the provider's account is
    /// linked to it.
    case linkRequired(LinkRequired)
    /// The server requires a second factor.
    case mfaRequired(MFARequired)
    /// The user has no second factor yet and must register one.
    case registrationRequired(RegistrationRequired)

    init(_ next: ProviderNextState) {
        self =
            switch next {
            case .next(.completed(let account)): .completed(account)
            case .next(.mfaRequired(let state)): .mfaRequired(MFARequired(state: state))
            case .next(.registrationRequired(let state)): .registrationRequired(RegistrationRequired(state: state))
            case .attributesRequired(let state): .attributesRequired(SignUpAttributesRequired(state: state))
            case .mailboxRequired(let state): .mailboxRequired(MailboxRequired(state: state))
            case .linkRequired(let state): .linkRequired(LinkRequired(state: state))
            }
    }
}

/// The user must name an e-mail address, which gets a code.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct MailboxRequired: ~Copyable, FlowStep, StateStep {
    let state: MailboxState

    /// There is nothing to show.
    public var info: Void { () }

    /// Sends a code to `address`.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestCode(to address: String) async throws(SignInError) -> Outcome<
        Self, MailboxCodeRequired
    > {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            MailboxCodeRequired(state: try await state.requestCode(to: address))
        }
    }

    public typealias Refusal = MethodRefusal
    public var content: StepContent { StepContent(.mailbox, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .mailbox) }
    init(state: MailboxState) { self.state = state }
}

/// The user must type the code that was sent to the address.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct MailboxCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: MailboxCodeState

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. With a right one the user has an account, unless something is still missing.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, ProviderSignInStep> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            ProviderSignInStep(try await state.submit(code: code))
        }
    }

    /// Sends a new code to the same address; the old one becomes invalid.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func resend() async throws(SignInError) -> Outcome<Self, Self> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.resend())
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.mailboxCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .mailboxCode) }
    init(state: MailboxCodeState) { self.state = state }
}

/// The owner of an account must prove it once, before the provider's account is linked to it.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct LinkRequired: ~Copyable, FlowStep, StateStep {
    let state: LinkState

    /// There is nothing to show: the server names no account.
    public var info: Void { () }

    /// Asks for the account's proof: its password, or a code to its mailbox. The sign-in that follows links the provider's
    /// account, and tells the owner by mail.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func prove() async throws(SignInError) -> Outcome<Self, SignInStep> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            SignInStep(try await state.prove())
        }
    }

    public typealias Refusal = ServiceError
    public var content: StepContent { StepContent(.link, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .link) }
    init(state: LinkState) { self.state = state }
}

/// Why a sign-in by a provider failed.
public enum ProviderSignInError: NativeAuthFailure {
    /// The provider gave no token, for example because the user closed its sheet.
    case provider(ProviderError, ErrorDetails)
    /// The server did not accept the token. It does not say which check failed; its audit trail does.
    case notAccepted(ErrorDetails)
    /// The server cannot reach the provider to check the token. Other ways to sign in work.
    case providerUnavailable(ErrorDetails)
    /// No user has an account with this identity, and the application allows no sign-up.
    case signUpNotAllowed(ErrorDetails)
    /// The sign-in failed for another reason.
    case signIn(SignInError)

    public var details: ErrorDetails {
        switch self {
        case .provider(_, let details), .notAccepted(let details), .providerUnavailable(let details),
            .signUpNotAllowed(let details):
            details
        case .signIn(let error): error.details
        }
    }

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch details.suberror.map(WireSuberror.init(rawValue:)) {
            case .idTokenInvalid: .notAccepted(details)
            case .providerUnavailable: .providerUnavailable(details)
            case _
            where details.error == WireErrorCode.unauthorizedClient.rawValue
                && details.errorCodes.first == AADSTSCode.applicationDisabled.rawValue:
                .signUpNotAllowed(details)
            case _: .signIn(SignInError(error))
            }
    }
}
