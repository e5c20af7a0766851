/// Receives the outcome of starting a sign-up.
public protocol SignUpStartDelegate: AnyObject {
    /// The sign-up did not start.
    @MainActor func onSignUpStartError(error: SignUpStartError)
    /// A code was sent. Optional; without it ``onSignUpStartError(error:)`` is called.
    @MainActor func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// These attributes break their rules; start again with correct ones. Optional; without it
    /// ``onSignUpStartError(error:)`` is called with ``SignUpStartError/isInvalidAttributes``.
    @MainActor func onSignUpAttributesInvalid(attributeNames: [String])
}

/// Receives the outcome of submitting a code.
public protocol SignUpVerifyCodeDelegate: AnyObject, _OnSignUpAttributesRequired, _OnSignUpCompleted {
    /// The code was not accepted. With a state, another code can be submitted on it; without one the flow is over.
    @MainActor func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?)
    /// The server requires attributes. Optional; without it the one-argument form is called.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The server requires attributes: the form that the tutorials show. Optional; without either form
    /// ``onSignUpVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
    /// The server requires a password. Optional; without it ``onSignUpVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState)
    /// The account exists. Optional; without it ``onSignUpVerifyCodeError(error:newState:)`` is called.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// Receives the outcome of asking for a new code.
public protocol SignUpResendCodeDelegate: AnyObject {
    /// No new code was sent. With a state, the code that was sent before can still be submitted on it.
    @MainActor func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?)
    /// A new code was sent. Optional; without it ``onSignUpResendCodeError(error:newState:)`` is called.
    @MainActor func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
}

/// Receives the outcome of submitting a password.
public protocol SignUpPasswordRequiredDelegate: AnyObject, _OnSignUpAttributesRequired, _OnSignUpCompleted {
    /// The password was not accepted. With a state, another one can be submitted on it; without one the flow is over.
    @MainActor func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?)
    /// The server requires attributes. Optional; without it the one-argument form is called.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The server requires attributes, without their list. Optional; without either form
    /// ``onSignUpPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
    /// The account exists. Optional; without it ``onSignUpPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// Receives the outcome of submitting attributes.
public protocol SignUpAttributesRequiredDelegate: AnyObject, _OnSignUpAttributesRequired, _OnSignUpCompleted {
    /// The attributes could not be sent, or the flow is over.
    @MainActor func onSignUpAttributesRequiredError(error: AttributesRequiredError)
    /// The server requires more attributes. Optional; without it the one-argument form is called.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The server requires more attributes, without their list. Optional; without either form
    /// ``onSignUpAttributesRequiredError(error:)`` is called.
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
    /// These attributes break their rules; submit correct ones on the state. Optional; without it
    /// ``onSignUpAttributesRequiredError(error:)`` is called.
    @MainActor func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState)
    /// The account exists. Optional; without it ``onSignUpAttributesRequiredError(error:)`` is called.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

// MARK: - Defaults

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
