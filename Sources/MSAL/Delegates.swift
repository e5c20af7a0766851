// A callback that an app may leave out has a default implementation that records its name; the dispatcher, which runs on the
// main actor too, reads the name right after the call and tells the delegate's own error method.
//
// A callback that several protocols share has its default in one hidden parent, so that a class that leaves it out conforms
// to all of them without ambiguity. Each delegate protocol still repeats the requirement: otherwise a class whose
// conformances stand in several extensions loses the main actor on its own method. For the same reason `@MainActor` stands
// on each method: on a protocol it would make plain conforming classes main-actor types.

/// Receives the outcome of starting a sign-up.
public protocol SignUpStartDelegate: AnyObject {
    /// The sign-up did not start.
    @MainActor func onSignUpStartError(error: SignUpStartError)
    /// A code went out. Optional; without it ``onSignUpStartError(error:)`` is called.
    @MainActor func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// These attributes break their rules; start again with better ones. Optional; without it
    /// ``onSignUpStartError(error:)`` is called with ``SignUpStartError/isInvalidAttributes``.
    @MainActor func onSignUpAttributesInvalid(attributeNames: [String])
}

/// Receives the outcome of submitting a code.
public protocol SignUpVerifyCodeDelegate: AnyObject, _OnSignUpAttributesRequired, _OnSignUpCompleted {
    /// The code was not accepted. With a state, another code can be submitted on it; without one the flow is over.
    @MainActor func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?)
    /// The server wants attributes. Optional; without it the one-argument form is called.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The server wants attributes: the form that the tutorials show. Optional; without either form
    /// ``onSignUpVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
    /// The server wants a password. Optional; without it ``onSignUpVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState)
    /// The account exists. Optional; without it ``onSignUpVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// Receives the outcome of asking for a new code.
public protocol SignUpResendCodeDelegate: AnyObject {
    /// No new code went out. With a state, the code that was sent before can still be submitted on it.
    @MainActor func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?)
    /// A new code went out. Optional; without it ``onSignUpResendCodeError(error:newState:)`` is called.
    @MainActor func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
}

/// Receives the outcome of submitting a password.
public protocol SignUpPasswordRequiredDelegate: AnyObject, _OnSignUpAttributesRequired, _OnSignUpCompleted {
    /// The password was not accepted. With a state, another one can be submitted on it; without one the flow is over.
    @MainActor func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?)
    /// The server wants attributes. Optional; without it the one-argument form is called.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The server wants attributes, without their list. Optional; without either form
    /// ``onSignUpPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
    /// The account exists. Optional; without it ``onSignUpPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// Receives the outcome of submitting attributes.
public protocol SignUpAttributesRequiredDelegate: AnyObject, _OnSignUpAttributesRequired, _OnSignUpCompleted {
    /// The attributes could not be sent, or the flow is over.
    @MainActor func onSignUpAttributesRequiredError(error: AttributesRequiredError)
    /// The server wants more attributes. Optional; without it the one-argument form is called.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The server wants more attributes, without their list. Optional; without either form
    /// ``onSignUpAttributesRequiredError(error:)`` is called.
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
    /// These attributes break their rules; submit better ones on the state. Optional; without it
    /// ``onSignUpAttributesRequiredError(error:)`` is called.
    @MainActor func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState)
    /// The account exists. Optional; without it ``onSignUpAttributesRequiredError(error:)`` is called.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// Receives the outcome of the sign-in after a sign-up.
public protocol SignInAfterSignUpDelegate: AnyObject, _OnSignInCompleted, _OnSignInAwaitingMFA,
    _OnSignInStrongAuthMethodRegistration
{
    /// The sign-in failed; the account exists all the same.
    @MainActor func onSignInAfterSignUpError(error: SignInAfterSignUpError)
    /// The user is signed in. Optional; without it ``onSignInAfterSignUpError(error:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
    /// A second factor is wanted. Optional. After a sign-up the server's demand is reported to
    /// ``onSignInAfterSignUpError(error:)``.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// A strong authentication method must be registered. Optional. After a sign-up the server's demand is reported to
    /// ``onSignInAfterSignUpError(error:)``.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
}

/// Receives an access token.
public protocol CredentialsDelegate: AnyObject {
    /// There is no access token.
    @MainActor func onAccessTokenRetrieveError(error: RetrieveAccessTokenError)
    /// The access token. Optional; without it ``onAccessTokenRetrieveError(error:)`` is called.
    @MainActor func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult)
}

// MARK: - Defaults of callbacks that one protocol has

extension SignUpStartDelegate {
    @MainActor public func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        MissingCallback.name = "onSignUpCodeRequired"
    }

    @MainActor public func onSignUpAttributesInvalid(attributeNames: [String]) {
        MissingCallback.name = "onSignUpAttributesInvalid"
    }
}

extension SignUpVerifyCodeDelegate {
    @MainActor public func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState) {
        MissingCallback.name = "onSignUpPasswordRequired"
    }
}

extension SignUpResendCodeDelegate {
    @MainActor public func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        MissingCallback.name = "onSignUpResendCodeCodeRequired"
    }
}

extension SignUpAttributesRequiredDelegate {
    @MainActor public func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState)
    {
        MissingCallback.name = "onSignUpAttributesInvalid"
    }
}

extension CredentialsDelegate {
    @MainActor public func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        MissingCallback.name = "onAccessTokenRetrieveCompleted"
    }
}

// MARK: - Hidden parents: the defaults of callbacks that several protocols share

/// Holds the defaults of `onSignUpAttributesRequired`. Not for apps.
public protocol _OnSignUpAttributesRequired {
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
}

extension _OnSignUpAttributesRequired {
    @MainActor public func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        onSignUpAttributesRequired(newState: newState)
    }

    @MainActor public func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState) {
        MissingCallback.name = "onSignUpAttributesRequired"
    }
}

/// Holds the default of `onSignUpCompleted`. Not for apps.
public protocol _OnSignUpCompleted {
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

extension _OnSignUpCompleted {
    @MainActor public func onSignUpCompleted(newState: SignInAfterSignUpState) {
        MissingCallback.name = "onSignUpCompleted"
    }
}

/// Holds the default of `onSignInCompleted`. Not for apps.
public protocol _OnSignInCompleted {
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

extension _OnSignInCompleted {
    @MainActor public func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        MissingCallback.name = "onSignInCompleted"
    }
}

/// Holds the default of `onSignInAwaitingMFA`. Not for apps.
public protocol _OnSignInAwaitingMFA {
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
}

extension _OnSignInAwaitingMFA {
    @MainActor public func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) {
        MissingCallback.name = "onSignInAwaitingMFA"
    }
}

/// Holds the default of `onSignInStrongAuthMethodRegistration`. Not for apps.
public protocol _OnSignInStrongAuthMethodRegistration {
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
}

extension _OnSignInStrongAuthMethodRegistration {
    @MainActor public func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState
    ) {
        MissingCallback.name = "onSignInStrongAuthMethodRegistration"
    }
}
