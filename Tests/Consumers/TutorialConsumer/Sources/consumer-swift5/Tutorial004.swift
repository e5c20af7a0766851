import MSAL

/// The Japanese text: the same calls as the French one; a class of its own, as an app that follows it has.
final class Tutorial004: Screen {
    override func signUpPressed(_: Any) {
        guard let email = emailTextField.text else {
            resultTextView.text = "nothing typed"
            return
        }
        if let password = passwordTextField.text {
            if let attributes {
                nativeAuth.signUp(username: email, password: password, attributes: attributes, delegate: self)
            } else {
                nativeAuth.signUp(username: email, password: password, delegate: self)
            }
        } else if let attributes {
            nativeAuth.signUp(username: email, attributes: attributes, delegate: self)
        } else {
            nativeAuth.signUp(username: email, delegate: self)
        }
    }

    override func submitCodePressed(_: Any) {
        guard let userSuppliedCode = codeTextField.text else { return }
        codeState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    override func resendPressed(_: Any) {
        codeState?.resendCode(delegate: self)
    }

    override func submitAttributesPressed(_: Any) {
        guard let attributes else { return }
        let page = AttributesPage(of: self)
        attributesState?.submitAttributes(attributes: attributes, delegate: page)
    }

    override func signInPressed(_: Any) {
        signedUpState?.signIn(delegate: self)
    }

    /// The page that collects attributes: a class of its own, because it and the sign-up screen both declare the
    /// callbacks for attributes and for completion.
    final class AttributesPage {
        let screen: Screen
        var resultTextView: TextView { screen.resultTextView }

        init(of screen: Screen) {
            self.screen = screen
        }
    }
}

extension Tutorial004: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        if error.isUserAlreadyExists {
            resultTextView.text = "taken"
        } else if error.isInvalidPassword {
            resultTextView.text = "bad password"
        } else if error.isInvalidUsername {
            resultTextView.text = "bad username"
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

    func onSignUpAttributesInvalid(attributeNames: [String]) {
        resultTextView.text = "bad attributes: \(attributeNames.sorted())"
    }
}

extension Tutorial004: SignUpVerifyCodeDelegate {
    func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState) {
        attributesState = newState
        resultTextView.text = "attributes wanted"
    }

    func onSignUpVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignUpCodeRequiredState?) {
        if let newState { codeState = newState }
        resultTextView.text = error.isInvalidCode && newState != nil ? "wrong code" : "code refused"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        signedUpState = newState
        resultTextView.text = "signed up"
    }
}

extension Tutorial004.AttributesPage: SignUpAttributesRequiredDelegate {
    func onSignUpAttributesRequiredError(error: AttributesRequiredError) {
        resultTextView.text = "attributes refused: \(error.errorDescription ?? "no description")"
    }

    func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        screen.attributesState = newState
        resultTextView.text = "more attributes wanted: \(attributes.map(\.name).sorted())"
    }

    func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState) {
        screen.attributesState = newState
        resultTextView.text = "bad attributes: \(attributeNames.sorted())"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        screen.signedUpState = newState
        resultTextView.text = "signed up"
    }
}

extension Tutorial004: SignUpResendCodeDelegate {
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

extension Tutorial004: SignInAfterSignUpDelegate {
    func onSignInAfterSignUpError(error: MSAL.SignInAfterSignUpError) {
        resultTextView.text = "not signed in: \(error.errorDescription ?? "no description")"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(delegate: self)
    }
}

extension Tutorial004: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token: \(error.errorDescription ?? "no description")"
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}
