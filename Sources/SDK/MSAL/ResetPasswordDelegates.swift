/// Receives the outcome of starting a password reset.
public protocol ResetPasswordStartDelegate: AnyObject {
    /// The reset did not start.
    @MainActor func onResetPasswordStartError(error: ResetPasswordStartError)
    /// A code was sent. Optional; without it ``onResetPasswordStartError(error:)`` is called.
    @MainActor func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
}

/// Receives the outcome of submitting a code.
public protocol ResetPasswordVerifyCodeDelegate: AnyObject {
    /// The code was not accepted. With a state, another code can be submitted on it; without one the flow is over.
    @MainActor func onResetPasswordVerifyCodeError(error: VerifyCodeError, newState: ResetPasswordCodeRequiredState?)
    /// The user must choose a new password. Optional; without it ``onResetPasswordVerifyCodeError(error:newState:)`` is
    /// called.
    @MainActor func onPasswordRequired(newState: ResetPasswordRequiredState)
}

/// Receives the outcome of asking for a new code.
public protocol ResetPasswordResendCodeDelegate: AnyObject {
    /// No new code was sent; the code that was sent before can still be submitted on the state.
    @MainActor func onResetPasswordResendCodeError(error: ResendCodeError, newState: ResetPasswordCodeRequiredState?)
    /// A new code was sent. Optional; without it ``onResetPasswordResendCodeError(error:newState:)`` is called.
    @MainActor func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
}

/// Receives the outcome of submitting the new password.
public protocol ResetPasswordRequiredDelegate: AnyObject {
    /// The password was not accepted. With a state, another one can be submitted on it; without one the flow is over.
    @MainActor func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?)
    /// The password is changed. Optional; without it the form without an argument is called.
    @MainActor func onResetPasswordCompleted(newState: SignInAfterResetPasswordState)
    /// The password is changed: the form of the tutorial. Optional; without either form
    /// ``onResetPasswordRequiredError(error:newState:)`` is called.
    @MainActor func onResetPasswordCompleted()
}

// MARK: - Defaults

extension ResetPasswordStartDelegate {
    @MainActor public func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        MissingCallback.name = "onResetPasswordCodeRequired"
    }
}

extension ResetPasswordVerifyCodeDelegate {
    @MainActor public func onPasswordRequired(newState: ResetPasswordRequiredState) {
        MissingCallback.name = "onPasswordRequired"
    }
}

extension ResetPasswordResendCodeDelegate {
    @MainActor public func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        MissingCallback.name = "onResetPasswordResendCodeRequired"
    }
}

extension ResetPasswordRequiredDelegate {
    @MainActor public func onResetPasswordCompleted(newState: SignInAfterResetPasswordState) {
        onResetPasswordCompleted()
    }

    @MainActor public func onResetPasswordCompleted() {
        MissingCallback.name = "onResetPasswordCompleted"
    }
}
