import MSAL

/// The newest text: parameter objects and the alias.
final class Tutorial000: Screen {
    override func signUpPressed(_: Any) {
        guard let email = emailTextField.text else {
            resultTextView.text = "nothing typed"
            return
        }
        let parameters = MSALNativeAuthSignUpParameters(username: email)
        if let password = passwordTextField.text { parameters.password = password }
        if let attributes { parameters.attributes = attributes }
        nativeAuth.signUp(parameters: parameters, delegate: self)
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
        let parameters = MSALNativeAuthSignInAfterSignUpParameters()
        signedUpState?.signIn(parameters: parameters, delegate: self)
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

extension Tutorial000: SignUpStartDelegate {
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

extension Tutorial000: SignUpVerifyCodeDelegate {
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

extension Tutorial000.AttributesPage: SignUpAttributesRequiredDelegate {
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

extension Tutorial000: SignUpResendCodeDelegate {
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

extension Tutorial000: SignInAfterSignUpDelegate {
    func onSignInAfterSignUpError(error: MSAL.SignInAfterSignUpError) {
        resultTextView.text = "not signed in: \(error.errorDescription ?? "no description")"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters(), delegate: self)
    }
}

extension Tutorial000: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token: \(error.errorDescription ?? "no description")"
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}

/// The newest text's alias form: it asks the error about invalid attributes, and implements no callback for them.
final class Tutorial000Alias: Screen {
    override func signUpPressed(_: Any) {
        guard let email = emailTextField.text, !email.isEmpty,
            let username = usernameTextField.text, !username.isEmpty
        else {
            showResultText("nothing typed")
            return
        }
        let attributes: [String: Any] = [
            "flatusername": username
        ]
        let parameters = MSALNativeAuthSignUpParameters(username: email)
        if let password = passwordTextField.text, !password.isEmpty { parameters.password = password }
        parameters.attributes = attributes
        nativeAuth.signUp(parameters: parameters, delegate: self)
    }

    override func submitCodePressed(_: Any) {
        guard let userSuppliedCode = codeTextField.text else { return }
        codeState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    func showResultText(_ text: String) {
        resultTextView.text = text
    }
}

extension Tutorial000Alias: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        if error.isUserAlreadyExists {
            resultTextView.text = "taken"
        } else if error.isInvalidAttributes {
            resultTextView.text = "bad alias: \(error.errorDescription ?? "no description")"
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
        resultTextView.text = "code sent to \(sentTo)"
    }
}

extension Tutorial000Alias: SignUpVerifyCodeDelegate {
    func onSignUpVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignUpCodeRequiredState?) {
        resultTextView.text = "code refused"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        signedUpState = newState
        resultTextView.text = "signed up"
    }
}
