/// Receives the outcome of starting a sign-in.
public protocol SignInStartDelegate: AnyObject, _OnSignInCompleted, _OnSignInAwaitingMFA,
    _OnSignInStrongAuthMethodRegistration
{
    /// The sign-in did not start.
    @MainActor func onSignInStartError(error: SignInStartError)
    /// A code was sent, also when a password was given: the account has no password. Optional; without it
    /// ``onSignInStartError(error:)`` is called.
    @MainActor func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// The user must enter the password. Optional; without it ``onSignInStartError(error:)`` is called.
    @MainActor func onSignInPasswordRequired(newState: SignInPasswordRequiredState)
    /// A second factor is required. Optional; without it the form with one argument is called.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// A second factor is required: the form of the releases from 1.6 up to 2.5. Optional; without either form
    /// ``onSignInStartError(error:)`` is called.
    @MainActor func onSignInAwaitingMFA(newState: AwaitingMFAState)
    /// A strong authentication method must be registered. Optional; without it
    /// ``onSignInStartError(error:)`` is called.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// The user is signed in. Optional; without it ``onSignInStartError(error:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives the outcome of submitting a code.
public protocol SignInVerifyCodeDelegate: AnyObject, _OnSignInCompleted, _OnSignInAwaitingMFA,
    _OnSignInStrongAuthMethodRegistration
{
    /// The code was not accepted. With a state, another code can be submitted on it; without one the flow is over.
    @MainActor func onSignInVerifyCodeError(error: VerifyCodeError, newState: SignInCodeRequiredState?)
    /// A second factor is required. Optional; without it the form with one argument is called.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// A second factor is required: the form of the releases from 1.6 up to 2.5. Optional; without either form
    /// ``onSignInVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignInAwaitingMFA(newState: AwaitingMFAState)
    /// A strong authentication method must be registered. Optional; without it
    /// ``onSignInVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// The user is signed in. Optional; without it ``onSignInVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives the outcome of asking for a new code.
public protocol SignInResendCodeDelegate: AnyObject {
    /// No new code was sent. With a state, the code that was sent before can still be submitted on it.
    @MainActor func onSignInResendCodeError(error: ResendCodeError, newState: SignInCodeRequiredState?)
    /// A new code was sent. Optional; without it ``onSignInResendCodeError(error:newState:)`` is called.
    @MainActor func onSignInResendCodeCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
}

/// Receives the outcome of submitting a password.
public protocol SignInPasswordRequiredDelegate: AnyObject, _OnSignInCompleted, _OnSignInAwaitingMFA,
    _OnSignInStrongAuthMethodRegistration
{
    /// The password was not accepted. With a state, another one can be submitted on it; without one the flow is over.
    @MainActor func onSignInPasswordRequiredError(error: PasswordRequiredError, newState: SignInPasswordRequiredState?)
    /// A second factor is required. Optional; without it the form with one argument is called.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// A second factor is required: the form of the releases from 1.6 up to 2.5. Optional; without either form
    /// ``onSignInPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignInAwaitingMFA(newState: AwaitingMFAState)
    /// A strong authentication method must be registered. Optional; without it
    /// ``onSignInPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// The user is signed in. Optional; without it ``onSignInPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives the outcome of the sign-in after a sign-up.
public protocol SignInAfterSignUpDelegate: AnyObject, _OnSignInCompleted, _OnSignInAwaitingMFA,
    _OnSignInStrongAuthMethodRegistration
{
    /// The sign-in failed; the account exists.
    @MainActor func onSignInAfterSignUpError(error: SignInAfterSignUpError)
    /// A second factor is required. Optional; without it the form with one argument is called.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// A second factor is required: the form of the releases from 1.6 up to 2.5. Optional; without either form
    /// ``onSignInAfterSignUpError(error:)`` is called.
    @MainActor func onSignInAwaitingMFA(newState: AwaitingMFAState)
    /// A strong authentication method must be registered. Optional; without it
    /// ``onSignInAfterSignUpError(error:)`` is called.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// The user is signed in. Optional; without it ``onSignInAfterSignUpError(error:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives the outcome of the sign-in after a password reset.
public protocol SignInAfterResetPasswordDelegate: AnyObject, _OnSignInCompleted, _OnSignInAwaitingMFA,
    _OnSignInStrongAuthMethodRegistration
{
    /// The sign-in failed; the password is changed.
    @MainActor func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError)
    /// A second factor is required. Optional; without it the form with one argument is called.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// A second factor is required: the form of the releases from 1.6 up to 2.5. Optional; without either form
    /// ``onSignInAfterResetPasswordError(error:)`` is called.
    @MainActor func onSignInAwaitingMFA(newState: AwaitingMFAState)
    /// A strong authentication method must be registered. Optional; without it
    /// ``onSignInAfterResetPasswordError(error:)`` is called.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// The user is signed in. Optional; without it ``onSignInAfterResetPasswordError(error:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives an access token.
public protocol CredentialsDelegate: AnyObject {
    /// There is no access token.
    @MainActor func onAccessTokenRetrieveError(error: RetrieveAccessTokenError)
    /// The access token. Optional; without it ``onAccessTokenRetrieveError(error:)`` is called.
    @MainActor func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult)
}

// MARK: - Defaults

extension SignInStartDelegate {
    @MainActor public func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        MissingCallback.name = "onSignInCodeRequired"
    }

    @MainActor public func onSignInPasswordRequired(newState: SignInPasswordRequiredState) {
        MissingCallback.name = "onSignInPasswordRequired"
    }
}

extension SignInResendCodeDelegate {
    @MainActor public func onSignInResendCodeCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        MissingCallback.name = "onSignInResendCodeCodeRequired"
    }
}

extension CredentialsDelegate {
    @MainActor public func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        MissingCallback.name = "onAccessTokenRetrieveCompleted"
    }
}
