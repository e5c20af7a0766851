import MSAL

/// The oldest text: one-time passcode only, username overloads.
final class Tutorial002: Screen {
    override func signUpPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        nativeAuth.signUp(username: email, delegate: self)
    }

    override func submitCodePressed(_: Any) {
        guard let userSuppliedCode = codeTextField.text else { return }
        codeState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    override func resendPressed(_: Any) {
        codeState?.resendCode(delegate: self)
    }

    override func signInPressed(_: Any) {
        signedUpState?.signIn(delegate: self)
    }
}

extension Tutorial002: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        if error.isUserAlreadyExists {
            resultTextView.text = "taken"
        } else {
            resultTextView.text = "other: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignUpCodeRequired(
        newState: MSAL.SignUpCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        codeState = newState
        self.codeLength = codeLength
        resultTextView.text = "code sent to \(sentTo)"
    }
}

extension Tutorial002: SignUpVerifyCodeDelegate {
    func onSignUpVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignUpCodeRequiredState?) {
        if let newState { codeState = newState }
        resultTextView.text = error.isInvalidCode && newState != nil ? "wrong code" : "code refused"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        signedUpState = newState
        resultTextView.text = "signed up"
    }
}

extension Tutorial002: SignUpResendCodeDelegate {
    func onSignUpResendCodeError(error: MSAL.ResendCodeError, newState: MSAL.SignUpCodeRequiredState?) {
        resultTextView.text = "not sent again: \(error.errorDescription ?? "no description")"
    }

    func onSignUpResendCodeCodeRequired(
        newState: MSAL.SignUpCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        codeState = newState
        resultTextView.text = "code sent again to \(sentTo)"
    }
}

extension Tutorial002: SignInAfterSignUpDelegate {
    func onSignInAfterSignUpError(error: MSAL.SignInAfterSignUpError) {
        resultTextView.text = "not signed in: \(error.errorDescription ?? "no description")"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(delegate: self)
    }
}

extension Tutorial002: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token: \(error.errorDescription ?? "no description")"
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}
