import MSAL

/// "Sign in and sign out", and "call an API": parameter objects.
final class TutorialSignIn: SeriesScreen {
    override func signInPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        let parameters = MSALNativeAuthSignInParameters(username: email)
        parameters.password = passwordTextField.text
        nativeAuth.signIn(parameters: parameters, delegate: self)
    }

    override func submitCodePressed(_: Any) {
        guard let userSuppliedCode = codeTextField.text else { return }
        signInCodeState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    override func submitPasswordPressed(_: Any) {
        guard let password = passwordTextField.text else { return }
        signInPasswordState?.submitPassword(password: password, delegate: self)
    }

    override func resendPressed(_: Any) {
        signInCodeState?.resendCode(delegate: self)
    }

    override func getTokenPressed(_: Any) {
        guard let account = nativeAuth.getNativeAuthUserAccount() else {
            resultTextView.text = "no user is signed in"
            return
        }
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.forceRefresh = true
        parameters.returnRefreshToken = true
        account.getAccessToken(parameters: parameters, delegate: self)
    }

    override func signOutPressed(_: Any) {
        account?.signOut()
        account = nil
        resultTextView.text = "signed out"
    }
}

extension TutorialSignIn: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        if error.isUserNotFound || error.isInvalidUsername {
            resultTextView.text = "no user has this name"
        } else if error.isInvalidCredentials {
            resultTextView.text = "wrong password"
        } else if error.isBrowserRequired {
            resultTextView.text = "a browser is needed"
        } else {
            resultTextView.text = "other: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignInCodeRequired(
        newState: MSAL.SignInCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        signInCodeState = newState
        self.codeLength = codeLength
        resultTextView.text = "code sent to \(sentTo)"
    }

    func onSignInPasswordRequired(newState: MSAL.SignInPasswordRequiredState) {
        signInPasswordState = newState
        resultTextView.text = "password wanted"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        let name = result.account.accountClaims?["preferred_username"] as? String
        resultTextView.text = "signed in: \(name ?? "no user")"
        result.getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters(), delegate: self)
    }
}

extension TutorialSignIn: SignInVerifyCodeDelegate {
    func onSignInVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignInCodeRequiredState?) {
        if let newState { signInCodeState = newState }
        resultTextView.text = error.isInvalidCode ? "wrong code" : "code refused"
    }
}

extension TutorialSignIn: SignInResendCodeDelegate {
    func onSignInResendCodeError(error: MSAL.ResendCodeError, newState: MSAL.SignInCodeRequiredState?) {
        resultTextView.text = "not sent again: \(error.errorDescription ?? "no description")"
    }

    func onSignInResendCodeCodeRequired(
        newState: MSAL.SignInCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        signInCodeState = newState
        resultTextView.text = "code sent again to \(sentTo)"
    }
}

extension TutorialSignIn: SignInPasswordRequiredDelegate {
    func onSignInPasswordRequiredError(
        error: MSAL.PasswordRequiredError, newState: MSAL.SignInPasswordRequiredState?
    ) {
        if let newState { signInPasswordState = newState }
        resultTextView.text = error.isInvalidPassword ? "wrong password" : "password refused"
    }
}

extension TutorialSignIn: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token: \(error.errorDescription ?? "no description")"
    }

    func onAccessTokenRetrieveCompleted(result: MSAL.MSALNativeAuthTokenResult) {
        let isNew = accessToken != nil && accessToken != result.accessToken
        accessToken = result.accessToken
        let scopes = ["openid", "profile", "offline_access"]
        guard scopes.allSatisfy(result.scopes.contains) || !result.scopes.isEmpty else {
            resultTextView.text = "no scopes"
            return
        }
        resultTextView.text = isNew && result.refreshToken != nil ? "new token" : "token"
    }
}

/// The localized copies of the old series: user names as arguments.
final class TutorialSignInOld: SeriesScreen {
    override func signInPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        if let password = passwordTextField.text {
            nativeAuth.signIn(username: email, password: password, delegate: self)
        } else {
            nativeAuth.signIn(username: email, delegate: self)
        }
    }

    override func submitCodePressed(_: Any) {
        guard let userSuppliedCode = codeTextField.text else { return }
        signInCodeState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    override func resetPasswordPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        nativeAuth.resetPassword(username: email, delegate: self)
    }

    override func getTokenPressed(_: Any) {
        account?.getAccessToken(forceRefresh: true, delegate: self)
    }
}

extension TutorialSignInOld: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        resultTextView.text = error.isUserNotFound ? "no user has this name" : "other"
    }

    func onSignInCodeRequired(
        newState: MSAL.SignInCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        signInCodeState = newState
        switch channelTargetType {
        case .email: resultTextView.text = "code sent to \(sentTo)"
        case .phone: resultTextView.text = "code sent by phone"
        default: resultTextView.text = "code sent somehow"
        }
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(delegate: self)
    }
}

extension TutorialSignInOld: SignInVerifyCodeDelegate {
    func onSignInVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignInCodeRequiredState?) {
        resultTextView.text = error.isInvalidCode ? "wrong code" : "code refused"
    }
}

extension TutorialSignInOld: ResetPasswordStartDelegate {
    func onResetPasswordStartError(error: MSAL.ResetPasswordStartError) {
        resultTextView.text = error.isUserDoesNotHavePassword ? "no password to reset" : "other"
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

extension TutorialSignInOld: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSAL.MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}
