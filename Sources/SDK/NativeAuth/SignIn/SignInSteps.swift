public import PortableFoundation

extension NativeAuthClient {
    /// Begins a sign-in: with the given password, with a code if the user has no password, otherwise by asking for the
    /// password.
    ///
    /// - Parameters:
    ///   - username: The e-mail address, the alias, or a telephone number (<doc:SigningIn>).
    ///   - password: The password. A user who signs in with codes gets a code in any case:
    ///     ``SignInCodeRequired/isPasswordUnused``.
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text. It is repeated after a second factor and a registration, as the
    ///     scopes are.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The next step; with a right password the account.
    /// - Throws: ``SignInError``: the flow has not begun.
    public func signIn(
        username: String, password: String? = nil, scopes: [String] = [], claims: String? = nil,
        correlationID: UUID? = nil
    ) async throws(SignInError) -> SignInStep {
        do throws(NativeAuthError) {
            let start = try await startSignIn(
                username: username, password: password, scopes: scopes, claims: claims, correlationID: correlationID)
            return SignInStep(start)
        } catch {
            throw SignInError(error)
        }
    }
}

/// The first step of a sign-in.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
@frozen
public enum SignInStep: ~Copyable, Sendable {
    /// A code was sent to the user.
    case codeRequired(SignInCodeRequired)
    /// The server asks for the password.
    case passwordRequired(SignInPasswordRequired)
    /// The server requires a second factor.
    case mfaRequired(MFARequired)
    /// The user has no second factor yet and must register one.
    case registrationRequired(RegistrationRequired)
    /// The user is signed in.
    case completed(Account)

    init(_ start: SignInFirstState) {
        self =
            switch start {
            case .codeRequired(let state): .codeRequired(SignInCodeRequired(state: state))
            case .passwordRequired(let state): .passwordRequired(SignInPasswordRequired(state: state))
            case .next(.mfaRequired(let state)): .mfaRequired(MFARequired(state: state))
            case .next(.registrationRequired(let state)): .registrationRequired(RegistrationRequired(state: state))
            case .next(.completed(let account)): .completed(account)
            }
    }
}

/// The step after the first factor.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
@frozen
public enum SignInNext: ~Copyable, Sendable {
    /// The server requires a second factor.
    case mfaRequired(MFARequired)
    /// The user has no second factor yet and must register one.
    case registrationRequired(RegistrationRequired)
    /// The user is signed in.
    case completed(Account)

    init(_ next: SignInNextState) {
        self =
            switch next {
            case .mfaRequired(let state): .mfaRequired(MFARequired(state: state))
            case .registrationRequired(let state): .registrationRequired(RegistrationRequired(state: state))
            case .completed(let account): .completed(account)
            }
    }
}

/// The user must type the code they received.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignInCodeRequired: ~Copyable, FlowStep, StateStep {
    /// Whether the sign-in ignored a given password, because the user signs in with codes.
    public var isPasswordUnused: Bool { state.flow.isPasswordUnused }
    let state: SignInCodeState

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. A server may report an expired code as wrong.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, SignInNext> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            SignInNext(try await state.submit(code: code))
        }
    }

    /// Sends a new code; the old one becomes invalid. A server that is asked too soon sends no code and reports no
    /// error: the newest code in the user's mail is valid.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func resend() async throws(SignInError) -> Outcome<Self, Self> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.resend())
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.signInCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .signInCode) }
    init(state: SignInCodeState) { self.state = state }
}

/// The user must give their password.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignInPasswordRequired: ~Copyable, FlowStep, StateStep {
    let state: SignInPasswordState

    /// There is nothing to show.
    public var info: Void { () }

    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(password: String) async throws(SignInError) -> Outcome<Self, SignInNext> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            SignInNext(try await state.submit(password: password))
        }
    }

    public typealias Refusal = PasswordRefusal
    public var content: StepContent { StepContent(.signInPassword, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .signInPassword) }
    init(state: SignInPasswordState) { self.state = state }
}
