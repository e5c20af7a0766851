public import PortableFoundation

extension NativeAuthClient {
    /// Begins a sign-in: with the given password, with a code if the user has no password, otherwise by asking for the
    /// password.
    ///
    /// - Parameters:
    ///   - username: The e-mail address or the alias.
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
            return SignInStep(start, isPasswordUnused: password != nil)
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

    init(_ start: SignInStart, isPasswordUnused: Bool) {
        self =
            switch start {
            case .codeRequired(let state):
                .codeRequired(SignInCodeRequired(state, isPasswordUnused: isPasswordUnused))
            case .passwordRequired(let state): .passwordRequired(SignInPasswordRequired(state))
            case .next(.mfaRequired(let state)): .mfaRequired(MFARequired(state))
            case .next(.registrationRequired(let state)): .registrationRequired(RegistrationRequired(state))
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

    init(_ progress: SignInProgress) {
        self =
            switch progress {
            case .mfaRequired(let state): .mfaRequired(MFARequired(state))
            case .registrationRequired(let state): .registrationRequired(RegistrationRequired(state))
            case .completed(let account): .completed(account)
            }
    }
}

/// The user must type the code they received.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignInCodeRequired: ~Copyable, FlowStep {
    /// Whether the sign-in ignored a given password, because the user signs in with codes.
    public let isPasswordUnused: Bool
    private let state: SignInCodeState
    private let attempts: Int

    init(_ state: SignInCodeState, isPasswordUnused: Bool, attempts: Int = 0) {
        self.state = state
        self.isPasswordUnused = isPasswordUnused
        self.attempts = attempts
    }

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. A server may report an expired code as wrong.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, SignInNext> {
        do throws(NativeAuthError) {
            return .next(SignInNext(try await state.submit(code: code)))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(
                Self(state, isPasswordUnused: isPasswordUnused, attempts: refusal.attempts ?? attempts), refusal)
        }
    }

    /// Sends a new code; the old one becomes invalid. A server that is asked too soon sends no code and reports no
    /// error: the newest code in the user's mail is valid.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func resend() async throws(SignInError) -> Outcome<Self, Self> {
        do throws(NativeAuthError) {
            return .next(Self(try await state.resend(), isPasswordUnused: isPasswordUnused))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(Self(state, isPasswordUnused: isPasswordUnused, attempts: attempts), refusal)
        }
    }

    public typealias Refusal = CodeRefusal

    public var content: StepContent {
        StepContent(.signInCode, state.flow) {
            $0.code = state.code
            $0.attempts = attempts
            $0.isPasswordUnused = isPasswordUnused
        }
    }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.signInCode), let code = content.fields.code else { return nil }
        self.init(
            SignInCodeState(code: code, flow: flow), isPasswordUnused: content.fields.isPasswordUnused ?? false,
            attempts: content.fields.attempts ?? 0)
    }
}

/// The user must give their password.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignInPasswordRequired: ~Copyable, FlowStep {
    private let state: SignInPasswordState
    private let attempts: Int

    init(_ state: SignInPasswordState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// There is nothing to show.
    public var info: Void { () }

    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(password: String) async throws(SignInError) -> Outcome<Self, SignInNext> {
        do throws(NativeAuthError) {
            return .next(SignInNext(try await state.submit(password: password)))
        } catch {
            guard let refusal = PasswordRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(Self(state, attempts: refusal.attempts ?? attempts), refusal)
        }
    }

    public typealias Refusal = PasswordRefusal

    public var content: StepContent { StepContent(.signInPassword, state.flow) { $0.attempts = attempts } }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.signInPassword) else { return nil }
        self.init(SignInPasswordState(flow: flow), attempts: content.fields.attempts ?? 0)
    }
}
