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
                try await startResetPassword(username: username, correlationID: correlationID))
        } catch {
            throw ResetPasswordError(error)
        }
    }
}

/// The user must type the code they received.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct ResetPasswordCodeRequired: ~Copyable, FlowStep {
    private let state: ResetCodeState
    private let attempts: Int

    init(_ state: ResetCodeState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. A server may report an expired code as wrong.
    ///
    /// - Throws: ``ResetPasswordError``: the flow is over.
    public consuming func submit(
        code: String
    ) async throws(ResetPasswordError) -> Outcome<Self, NewPasswordRequired> {
        do throws(NativeAuthError) {
            return .next(NewPasswordRequired(try await state.submit(code: code)))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw ResetPasswordError(error) }
            return .retry(Self(state, attempts: refusal.attempts ?? attempts), refusal)
        }
    }

    /// Sends a new code; the old one becomes invalid. A server that is asked too soon sends no code and reports no
    /// error: the newest code in the user's mail is valid.
    ///
    /// - Throws: ``ResetPasswordError``: the flow is over.
    public consuming func resend() async throws(ResetPasswordError) -> Outcome<Self, Self> {
        do throws(NativeAuthError) {
            return .next(Self(try await state.resend()))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw ResetPasswordError(error) }
            return .retry(Self(state, attempts: attempts), refusal)
        }
    }

    public typealias Refusal = CodeRefusal

    public var content: StepContent {
        StepContent(.resetCode, state.flow) {
            $0.code = state.code
            $0.attempts = attempts
        }
    }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.resetCode), let code = content.fields.code else { return nil }
        self.init(ResetCodeState(code: code, flow: flow), attempts: content.fields.attempts ?? 0)
    }
}

/// The user must choose a new password.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct NewPasswordRequired: ~Copyable, FlowStep {
    /// The time left to choose the password.
    public struct Info: Hashable, Sendable {
        /// Seconds to submit the password, counted from the accepted code, if the server states it; at most 600.
        public let expiresIn: Int?
    }

    private let state: NewPasswordState

    init(_ state: NewPasswordState) {
        self.state = state
    }

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
            return .next(PasswordResetCompleted(try await state.submit(password: password, progress: progress)))
        } catch {
            guard let refusal = NewPasswordRefusal(error) else {
                if case .indeterminate = error { throw .notConfirmed(error.reporting) }
                throw ResetPasswordError(error)
            }
            return .retry(Self(state), refusal)
        }
    }

    public typealias Refusal = NewPasswordRefusal

    public var content: StepContent { StepContent(.newPassword, state.nextFlow) { $0.expiresIn = state.expiresIn } }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.newPassword) else { return nil }
        self.init(NewPasswordState(expiresIn: content.fields.expiresIn, flow: flow))
    }
}

/// The password is changed.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct PasswordResetCompleted: ~Copyable, FlowStep {
    private let state: CompletedState

    init(_ state: CompletedState) {
        self.state = state
    }

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
        do throws(NativeAuthError) {
            return .next(SignInNext(try await state.signIn(scopes: scopes, claims: claims)))
        } catch {
            guard let refusal = ServiceError(retrying: error) else { throw SignInError(error) }
            return .retry(Self(state), refusal)
        }
    }

    public typealias Refusal = ServiceError

    public var content: StepContent { StepContent(.resetCompleted, state.flow) }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.resetCompleted) else { return nil }
        self.init(CompletedState(flow: flow))
    }
}
