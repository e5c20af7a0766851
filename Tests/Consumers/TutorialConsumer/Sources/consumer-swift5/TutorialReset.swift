import MSAL

/// "Self-service password reset", and the sign-in after it.
class TutorialReset: SeriesScreen {
    override func resetPasswordPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        let parameters = MSALNativeAuthResetPasswordParameters(username: email)
        nativeAuth.resetPassword(parameters: parameters, delegate: self)
    }

    override func submitCodePressed(_: Any) {
        guard let userSuppliedCode = codeTextField.text else { return }
        resetCodeState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    override func resendPressed(_: Any) {
        resetCodeState?.resendCode(delegate: self)
    }

    override func submitPasswordPressed(_: Any) {
        guard let newPassword = passwordTextField.text else { return }
        resetPasswordState?.submitPassword(password: newPassword, delegate: self)
    }

    override func signInPressed(_: Any) {
        let parameters = MSALNativeAuthSignInAfterResetPasswordParameters()
        resetState?.signIn(parameters: parameters, delegate: self)
    }
}

extension TutorialReset: ResetPasswordStartDelegate {
    func onResetPasswordStartError(error: MSAL.ResetPasswordStartError) {
        if error.isUserNotFound || error.isInvalidUsername {
            resultTextView.text = "no user has this name"
        } else if error.isUserDoesNotHavePassword {
            resultTextView.text = "no password to reset"
        } else {
            resultTextView.text = "other: \(error.errorDescription ?? "no description")"
        }
    }

    func onResetPasswordCodeRequired(
        newState: MSAL.ResetPasswordCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        resetCodeState = newState
        resultTextView.text = "code sent to \(sentTo)"
    }
}

extension TutorialReset: ResetPasswordVerifyCodeDelegate {
    func onResetPasswordVerifyCodeError(
        error: MSAL.VerifyCodeError, newState: MSAL.ResetPasswordCodeRequiredState?
    ) {
        if let newState { resetCodeState = newState }
        resultTextView.text = error.isInvalidCode ? "wrong code" : "code refused"
    }

    func onPasswordRequired(newState: MSAL.ResetPasswordRequiredState) {
        resetPasswordState = newState
        resultTextView.text = "new password wanted"
    }
}

extension TutorialReset: ResetPasswordResendCodeDelegate {
    func onResetPasswordResendCodeError(
        error: MSAL.ResendCodeError, newState: MSAL.ResetPasswordCodeRequiredState?
    ) {
        resultTextView.text = "not sent again: \(error.errorDescription ?? "no description")"
    }

    func onResetPasswordResendCodeRequired(
        newState: MSAL.ResetPasswordCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        resetCodeState = newState
        resultTextView.text = "code sent again to \(sentTo)"
    }
}

extension TutorialReset: ResetPasswordRequiredDelegate {
    func onResetPasswordRequiredError(
        error: MSAL.PasswordRequiredError, newState: MSAL.ResetPasswordRequiredState?
    ) {
        if let newState { resetPasswordState = newState }
        resultTextView.text = error.isInvalidPassword ? "bad password" : "password refused"
    }

    func onResetPasswordCompleted(newState: MSAL.SignInAfterResetPasswordState) {
        resetState = newState
        resultTextView.text = "password reset"
    }
}

extension TutorialReset: SignInAfterResetPasswordDelegate {
    func onSignInAfterResetPasswordError(error: MSAL.SignInAfterResetPasswordError) {
        resultTextView.text = "not signed in: \(error.errorDescription ?? "no description")"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters(), delegate: self)
    }
}

extension TutorialReset: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSAL.MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}

/// The page for the new password as a tutorial prints it: completion without an argument.
final class NewPasswordPage: ResetPasswordRequiredDelegate {
    let screen: SeriesScreen

    init(of screen: SeriesScreen) {
        self.screen = screen
    }

    func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?) {
        screen.resultTextView.text = "password refused"
    }

    func onResetPasswordCompleted() {
        screen.resultTextView.text = "password reset"
    }
}
