#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension NativeAuthClient {
    /// Begins to sign a user in: with the password if one is given, with a code if the user has no password, and by asking
    /// for the password otherwise.
    ///
    /// - Parameters:
    ///   - username: The e-mail address or the alias.
    ///   - password: The password. A user who signs in with codes is sent one all the same:
    ///     ``SignInCodeRequired/isPasswordUnused``.
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are added.
    ///   - claims: A claims request: JSON as text. It is repeated after a second factor and a registration, as the scopes are.
    ///   - correlationID: Stands in the server's log for the whole flow; nil for a new one.
    /// - Returns: The next step; with a right password the account.
    /// - Throws: ``SignInError``: nothing has begun.
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

/// What a sign-in begins with.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
@frozen
public enum SignInStep: ~Copyable, Sendable {
    /// The user was sent a code.
    case codeRequired(SignInCodeRequired)
    /// The password is asked for.
    case passwordRequired(SignInPasswordRequired)
    /// A second factor is asked for.
    case mfaRequired(MFARequired)
    /// The user has no second factor yet, and has to register one.
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

/// What comes after the first factor.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
@frozen
public enum SignInNext: ~Copyable, Sendable {
    /// A second factor is asked for.
    case mfaRequired(MFARequired)
    /// The user has no second factor yet, and has to register one.
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

/// The user has to type the code they were sent.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
public struct SignInCodeRequired: ~Copyable, FlowStep {
    /// Whether a password was given that nobody looked at, because the user signs in with codes.
    public let isPasswordUnused: Bool
    private let state: SignInCodeState
    private let attempts: Int

    init(_ state: SignInCodeState, isPasswordUnused: Bool, attempts: Int = 0) {
        self.state = state
        self.isPasswordUnused = isPasswordUnused
        self.attempts = attempts
    }

    /// Where the code went, and what it looks like.
    public var info: SentCode { state.code }

    /// Submits the code. A server may call a code wrong that is only too old.
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

    /// Sends a new code; the old one is worthless then. A server that finds it too soon sends none and says nothing: the newest
    /// code in the user's mail counts.
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

/// The user has to give their password.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
public struct SignInPasswordRequired: ~Copyable, FlowStep {
    private let state: SignInPasswordState
    private let attempts: Int

    init(_ state: SignInPasswordState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// Nothing to show.
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
