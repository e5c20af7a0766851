public import Foundation
internal import NativeAuth

extension MSALNativeAuthPublicClientApplication {
    /// Begins a sign-in: with the given password, otherwise with a code or a password that the server asks for.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns; an empty user name or password is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func signIn(parameters: MSALNativeAuthSignInParameters, delegate: any SignInStartDelegate) {
        startSignIn(
            username: parameters.username, password: parameters.password, scopes: parameters.scopes,
            claims: parameters.claimsRequest?.jsonString(), correlationID: parameters.correlationId,
            delegate: delegate)
    }

    /// The form of ``signIn(parameters:delegate:)`` in releases before 2.0.
    @available(*, deprecated, message: "Use signIn(parameters:delegate:).")
    public func signIn(
        username: String, password: String? = nil, scopes: [String]? = nil, correlationId: UUID? = nil,
        delegate: any SignInStartDelegate
    ) {
        startSignIn(
            username: username, password: password, scopes: scopes, claims: nil, correlationID: correlationId,
            delegate: delegate)
    }

    private func startSignIn(
        username: String, password: String?, scopes: [String]?, claims: String?, correlationID: UUID?,
        delegate: any SignInStartDelegate
    ) {
        let correlationID = correlationID ?? client.makeCorrelationID()
        perform(
            "signIn", correlationID: correlationID, for: delegate,
            work: { [client] () async throws(NativeAuthError) in
                try await client.startSignIn(
                    username: username, password: password, scopes: scopes ?? [], claims: claims,
                    correlationID: correlationID)
            },
            succeed: { delegate, step in
                switch step {
                case .codeRequired(let step):
                    delegate.onSignInCodeRequired(
                        newState: SignInCodeRequiredState(step), sentTo: step.code.sentTo,
                        channelTargetType: step.code.channelType, codeLength: step.code.length)
                case .passwordRequired(let step):
                    delegate.onSignInPasswordRequired(newState: SignInPasswordRequiredState(step))
                case .next(let step):
                    step.report(to: delegate)
                }
            },
            fail: { delegate, error in
                delegate.onSignInStartError(error: SignInStartError(error))
            })
    }
}

/// A sign-in that waits for the code. It can be used again after an error; it is spent once the code was accepted.
public final class SignInCodeRequiredState: NSObject, Sendable {
    private let step: SignInCodeState

    init(_ step: SignInCodeState) {
        self.step = step
    }

    /// Submits the code.
    ///
    /// - Parameters:
    ///   - code: As typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitCode(code: String, delegate: any SignInVerifyCodeDelegate) {
        perform(
            "submitCode", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(code: code) },
            succeed: { delegate, step in step.report(to: delegate) },
            fail: { delegate, error in
                delegate.onSignInVerifyCodeError(
                    error: VerifyCodeError(error), newState: error.canRetry ? self : nil)
            })
    }

    /// Asks for a new code.
    ///
    /// - Parameter delegate: Receives the outcome; held until then.
    public func resendCode(delegate: any SignInResendCodeDelegate) {
        perform(
            "resendCode", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.resend() },
            succeed: { delegate, step in
                delegate.onSignInResendCodeCodeRequired(
                    newState: SignInCodeRequiredState(step), sentTo: step.code.sentTo,
                    channelTargetType: step.code.channelType, codeLength: step.code.length)
            },
            fail: { delegate, error in
                delegate.onSignInResendCodeError(
                    error: ResendCodeError(error), newState: error.canRetry ? self : nil)
            })
    }
}

/// A sign-in that waits for the password. It can be used again after an error; it is spent once the password was
/// accepted.
public final class SignInPasswordRequiredState: NSObject, Sendable {
    private let step: SignInPasswordState

    init(_ step: SignInPasswordState) {
        self.step = step
    }

    /// Submits the password.
    ///
    /// - Parameters:
    ///   - password: As typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitPassword(password: String, delegate: any SignInPasswordRequiredDelegate) {
        perform(
            "submitPassword", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(password: password) },
            succeed: { delegate, step in step.report(to: delegate) },
            fail: { delegate, error in
                delegate.onSignInPasswordRequiredError(
                    error: PasswordRequiredError(signIn: error), newState: error.canRetry ? self : nil)
            })
    }
}

/// The state after a sign-up: the account exists, and the user can be signed in without another question. It can be
/// used again after an error; it is spent once the sign-in has continued.
public final class SignInAfterSignUpState: NSObject, Sendable {
    private let step: CompletedState

    init(_ step: CompletedState) {
        self.step = step
    }

    /// Signs the new user in.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns.
    ///   - delegate: Receives the outcome; held until then.
    public func signIn(
        parameters: MSALNativeAuthSignInAfterSignUpParameters, delegate: any SignInAfterSignUpDelegate
    ) {
        step.signIn(parameters.scopes, parameters.claimsRequest?.jsonString(), delegate) {
            $1.report(to: $0)
        } fail: { delegate, error in
            delegate.onSignInAfterSignUpError(error: SignInAfterSignUpError(error))
        }
    }

    /// The form of ``signIn(parameters:delegate:)`` in releases before 2.0.
    @available(*, deprecated, message: "Use signIn(parameters:delegate:).")
    public func signIn(scopes: [String]? = nil, delegate: any SignInAfterSignUpDelegate) {
        step.signIn(scopes, nil, delegate) {
            $1.report(to: $0)
        } fail: { delegate, error in
            delegate.onSignInAfterSignUpError(error: SignInAfterSignUpError(error))
        }
    }
}

/// The state after a password reset: the user can be signed in without another question. It can be used again after an
/// error; it is spent once the sign-in has continued.
public final class SignInAfterResetPasswordState: NSObject, Sendable {
    private let step: CompletedState

    init(_ step: CompletedState) {
        self.step = step
    }

    /// Signs the user in.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns.
    ///   - delegate: Receives the outcome; held until then.
    public func signIn(
        parameters: MSALNativeAuthSignInAfterResetPasswordParameters, delegate: any SignInAfterResetPasswordDelegate
    ) {
        step.signIn(parameters.scopes, parameters.claimsRequest?.jsonString(), delegate) {
            $1.report(to: $0)
        } fail: { delegate, error in
            delegate.onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError(error))
        }
    }

    /// The form of ``signIn(parameters:delegate:)`` in releases before 2.0.
    @available(*, deprecated, message: "Use signIn(parameters:delegate:).")
    public func signIn(scopes: [String]? = nil, delegate: any SignInAfterResetPasswordDelegate) {
        step.signIn(scopes, nil, delegate) {
            $1.report(to: $0)
        } fail: { delegate, error in
            delegate.onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError(error))
        }
    }
}

/// The callbacks that all ends of a first factor share.
private typealias FirstFactorDelegate = _OnSignInCompleted & _OnSignInAwaitingMFA
    & _OnSignInStrongAuthMethodRegistration

extension CompletedState {
    /// The sign-in that follows a flow.
    fileprivate func signIn<Delegate>(
        _ scopes: [String]?, _ claims: String?, _ delegate: Delegate,
        succeed: @escaping @MainActor @Sendable (Delegate, SignInNextState) -> Void,
        fail: @escaping @MainActor @Sendable (Delegate, NativeAuthError) -> Void
    ) {
        perform(
            "signIn", correlationID: correlationID, for: delegate,
            work: { () async throws(NativeAuthError) in try await signIn(scopes: scopes ?? [], claims: claims) },
            succeed: succeed, fail: fail)
    }
}

extension SignInNextState {
    /// Calls the callback for the result, which several delegate protocols share.
    @MainActor
    fileprivate func report(to delegate: any FirstFactorDelegate) {
        switch self {
        case .mfaRequired(let step):
            delegate.onSignInAwaitingMFA(
                authMethods: step.methods.map(MSALAuthMethod.init), newState: AwaitingMFAState(step))
        case .registrationRequired(let step):
            delegate.onSignInStrongAuthMethodRegistration(
                authMethods: step.methods.map(MSALAuthMethod.init), newState: RegisterStrongAuthState(step))
        case .completed(let user):
            delegate.onSignInCompleted(result: MSALNativeAuthUserAccountResult(user))
        }
    }
}
