public import PortableFoundation

extension NativeAuthClient {
    /// Begins a password reset, and sends the user a code.
    ///
    /// - Parameters:
    ///   - username: The e-mail address or the alias.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The next step: the code.
    /// - Throws: ``ResetPasswordError``: the flow has not begun.
    public func resetPassword(
        username: String, correlationID: UUID? = nil
    ) async throws(ResetPasswordError) -> ResetPasswordCodeRequired {
        do throws(NativeAuthError) {
            return ResetPasswordCodeRequired(
                state: try await startResetPassword(username: username, correlationID: correlationID))
        } catch {
            throw ResetPasswordError(error)
        }
    }
}

/// The user must type the code they received.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct ResetPasswordCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: ResetPasswordCodeState

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. A server may report an expired code as wrong.
    ///
    /// - Throws: ``ResetPasswordError``: the flow is over.
    public consuming func submit(
        code: String
    ) async throws(ResetPasswordError) -> Outcome<Self, NewPasswordRequired> {
        try await outcome(or: ResetPasswordError.self) { (state) async throws(NativeAuthError) in
            NewPasswordRequired(state: try await state.submit(code: code))
        }
    }

    /// Sends a new code; the old one becomes invalid. A server that is asked too soon sends no code and reports no
    /// error: the newest code in the user's mail is valid.
    ///
    /// - Throws: ``ResetPasswordError``: the flow is over.
    public consuming func resend() async throws(ResetPasswordError) -> Outcome<Self, Self> {
        try await outcome(or: ResetPasswordError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.resend())
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.resetCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .resetCode) }
    init(state: ResetPasswordCodeState) { self.state = state }
}

/// The user must choose a new password.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct NewPasswordRequired: ~Copyable, FlowStep, StateStep {
    /// The time left to choose the password.
    public struct Info: Hashable, Sendable {
        /// Seconds to submit the password, counted from the accepted code, if the server states it; at most 600.
        public let expiresIn: Int?
    }

    let state: NewPasswordState

    /// The time left to choose the password.
    public var info: Info { Info(expiresIn: state.expiresIn) }

    /// Submits the new password, byte for byte, and waits until the server has set it: polls at once, then up to five
    /// times more at the server's interval, 1 to 15 s. Cancelling the task ends the wait; the server may still set the
    /// password.
    ///
    /// - Parameter progress: Called before each wait, with the number of polls so far, 1 to 5.
    /// - Throws: ``ResetPasswordError``: the flow is over. ``ResetPasswordError/notConfirmed(_:)`` when the server was
    ///   not ready in time: try to sign in with the new password.
    public consuming func submit(
        password: String, progress: ((Int) -> Void)? = nil
    ) async throws(ResetPasswordError) -> Outcome<Self, PasswordResetCompleted> {
        do throws(NativeAuthError) {
            return .next(PasswordResetCompleted(state: try await state.submit(password: password, progress: progress)))
        } catch {
            guard let refusal = NewPasswordRefusal(error) else { throw ResetPasswordError(setting: error) }
            return .retry(Self(state: state), refusal)
        }
    }

    public typealias Refusal = NewPasswordRefusal
    public var content: StepContent { StepContent(.newPassword, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .newPassword) }
    init(state: NewPasswordState) { self.state = state }
}

/// The password is changed.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct PasswordResetCompleted: ~Copyable, FlowStep, StateStep {
    let state: CompletedState

    /// The username, and whether ``signIn(scopes:claims:)`` can work.
    public var info: CompletedFlow { CompletedFlow(state.flow) }

    /// Signs the user in without another question.
    ///
    /// - Parameters:
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text.
    /// - Returns: The account; or the second factor, or the registration of one, if the tenant requires it.
    /// - Throws: ``SignInError``: sign in separately. ``SignInError/notAvailable(_:)`` without a request when
    ///   ``CompletedFlow/isSignInAvailable`` is false.
    public consuming func signIn(
        scopes: [String] = [], claims: String? = nil
    ) async throws(SignInError) -> Outcome<Self, SignInNext> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            SignInNext(try await state.signIn(scopes: scopes, claims: claims))
        }
    }

    public typealias Refusal = ServiceError
    public var content: StepContent { StepContent(.resetCompleted, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .resetCompleted) }
    init(state: CompletedState) { self.state = state }
}
