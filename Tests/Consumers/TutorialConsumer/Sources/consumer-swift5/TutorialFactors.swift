import Foundation
import MSAL

/// "Email one-time passcode as a second factor", and "email strong authentication method": the newest forms.
final class TutorialFactors: SeriesScreen {
    override func signInPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        let parameters = MSALNativeAuthSignInParameters(username: email)
        parameters.password = passwordTextField.text
        if let claims {
            var error: NSError?
            parameters.claimsRequest = MSALClaimsRequest(jsonString: claims, error: &error)
            if let error {
                resultTextView.text = "no claims: \(error.localizedDescription)"
                return
            }
        }
        nativeAuth.signIn(parameters: parameters, delegate: self)
    }

    override func submitChallengePressed(_: Any) {
        guard let challenge = challengeTextField.text else { return }
        if let registrationState {
            registrationState.submitChallenge(challenge: challenge, delegate: self)
        } else {
            mfaState?.submitChallenge(challenge: challenge, delegate: self)
        }
    }
}

extension TutorialFactors: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        resultTextView.text = error.isBrowserRequired ? "a browser is needed" : "other: \(error.errorDescription ?? "")"
    }

    func onSignInAwaitingMFA(authMethods: [MSAL.MSALAuthMethod], newState: MSAL.AwaitingMFAState) {
        resultTextView.text = "second factor wanted"
        // The tutorials hand the optional over as it is.
        let authMethod = authMethods.first(where: { $0.channelTargetType.isEmailType })
        newState.requestChallenge(authMethod: authMethod, delegate: self)
    }

    func onSignInStrongAuthMethodRegistration(
        authMethods: [MSAL.MSALAuthMethod], newState: MSAL.RegisterStrongAuthState
    ) {
        guard let authMethod = authMethods.first(where: { $0.channelTargetType.isEmailType }) else {
            resultTextView.text = "no e-mail among the methods"
            return
        }
        resultTextView.text = "registration wanted"
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(
            authMethod: authMethod, verificationContact: verificationContact)
        newState.challengeAuthMethod(parameters: parameters, delegate: self)
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters(), delegate: self)
    }
}

extension TutorialFactors: MFARequestChallengeDelegate {
    func onMFARequestChallengeError(error: MSAL.MFARequestChallengeError, newState: MSAL.MFARequiredState?) {
        resultTextView.text = error.isAuthMethodBlocked ? "method blocked" : "no code for the second factor"
    }

    func onMFARequestChallengeVerificationRequired(
        newState: MSAL.MFARequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        mfaState = newState
        registrationState = nil
        resultTextView.text = "challenge sent to \(sentTo)"
    }
}

extension TutorialFactors: MFASubmitChallengeDelegate {
    func onMFASubmitChallengeError(error: MSAL.MFASubmitChallengeError, newState: MSAL.MFARequiredState?) {
        if let newState { mfaState = newState }
        resultTextView.text = error.isInvalidChallenge ? "wrong challenge" : "challenge refused"
    }
}

extension TutorialFactors: RegisterStrongAuthChallengeDelegate {
    func onRegisterStrongAuthChallengeError(
        error: MSAL.RegisterStrongAuthChallengeError, newState: MSAL.RegisterStrongAuthState?
    ) {
        if error.isInvalidInput {
            resultTextView.text = "bad contact"
        } else if error.isVerificationContactBlocked {
            resultTextView.text = "contact blocked"
        } else {
            resultTextView.text = "not registered: \(error.errorDescription ?? "no description")"
        }
    }

    func onRegisterStrongAuthVerificationRequired(
        result: MSAL.MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        registrationState = result.newState
        codeLength = result.codeLength
        resultTextView.text = "challenge sent to \(result.sentTo)"
    }
}

extension TutorialFactors: RegisterStrongAuthSubmitChallengeDelegate {
    func onRegisterStrongAuthSubmitChallengeError(
        error: MSAL.RegisterStrongAuthSubmitChallengeError,
        newState: MSAL.RegisterStrongAuthVerificationRequiredState?
    ) {
        if let newState { registrationState = newState }
        resultTextView.text = error.isInvalidChallenge ? "wrong challenge" : "challenge refused"
    }
}

extension TutorialFactors: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSAL.MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}

/// The same in the forms of the releases before 2.5, which the sample app has.
final class TutorialFactorsOld: SeriesScreen {
    override func signInPressed(_: Any) {
        guard let email = emailTextField.text else { return }
        let parameters = MSALNativeAuthSignInParameters(username: email)
        parameters.password = passwordTextField.text
        if let claims { parameters.claimsRequest = MSALClaimsRequest(jsonString: claims, error: nil) }
        nativeAuth.signIn(parameters: parameters, delegate: self)
    }

    override func submitChallengePressed(_: Any) {
        guard let challenge = challengeTextField.text else { return }
        if let registrationState {
            registrationState.submitChallenge(challenge: challenge, delegate: self)
        } else {
            mfaState?.submitChallenge(challenge: challenge, delegate: self)
        }
    }

    override func resendPressed(_: Any) {
        mfaState?.requestChallenge(delegate: self)
    }

    func methodsPressed(_: Any) {
        mfaState?.getAuthMethods(delegate: self)
    }
}

extension TutorialFactorsOld: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        resultTextView.text = "other: \(error.errorDescription ?? "no description")"
    }

    func onSignInAwaitingMFA(newState: MSAL.AwaitingMFAState) {
        resultTextView.text = "second factor wanted"
        newState.requestChallenge(delegate: self)
    }

    func onSignInStrongAuthMethodRegistration(
        authMethods: [MSAL.MSALAuthMethod], newState: MSAL.RegisterStrongAuthState
    ) {
        resultTextView.text = "registration wanted"
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(authMethod: authMethods[0])
        parameters.verificationContact = verificationContact
        newState.challengeAuthMethod(parameters: parameters, delegate: self)
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        account = result
        resultTextView.text = "signed in"
        result.getAccessToken(delegate: self)
    }
}

extension TutorialFactorsOld: MFARequestChallengeDelegate, MFASubmitChallengeDelegate, MFAGetAuthMethodsDelegate {
    func onMFARequestChallengeError(error: MSAL.MFARequestChallengeError, newState: MSAL.MFARequiredState?) {
        resultTextView.text = "no code for the second factor"
    }

    func onMFARequestChallengeVerificationRequired(
        newState: MSAL.MFARequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        mfaState = newState
        registrationState = nil
        resultTextView.text = channelTargetType.isPhoneType ? "challenge sent by phone" : "challenge sent to \(sentTo)"
    }

    func onMFARequestChallengeSelectionRequired(authMethods: [MSAL.MSALAuthMethod], newState: MSAL.MFARequiredState) {
        resultTextView.text = "choose a method"
    }

    func onMFASubmitChallengeError(error: MSAL.MFASubmitChallengeError, newState: MSAL.MFARequiredState?) {
        if let newState { mfaState = newState }
        resultTextView.text = error.isInvalidChallenge ? "wrong challenge" : "challenge refused"
    }

    func onMFAGetAuthMethodsError(error: MSAL.MFAGetAuthMethodsError, newState: MSAL.MFARequiredState?) {
        resultTextView.text = error.isBrowserRequired ? "a browser is needed" : "no methods"
    }

    func onMFAGetAuthMethodsSelectionRequired(authMethods: [MSAL.MSALAuthMethod], newState: MSAL.MFARequiredState) {
        resultTextView.text = "methods: \(authMethods.count)"
    }
}

extension TutorialFactorsOld: RegisterStrongAuthChallengeDelegate, RegisterStrongAuthSubmitChallengeDelegate {
    func onRegisterStrongAuthChallengeError(
        error: MSAL.RegisterStrongAuthChallengeError, newState: MSAL.RegisterStrongAuthState?
    ) {
        resultTextView.text = error.isInvalidInput ? "bad contact" : "not registered"
    }

    func onRegisterStrongAuthVerificationRequired(
        result: MSAL.MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        registrationState = result.newState
        resultTextView.text = "challenge sent to \(result.sentTo)"
    }

    func onRegisterStrongAuthSubmitChallengeError(
        error: MSAL.RegisterStrongAuthSubmitChallengeError,
        newState: MSAL.RegisterStrongAuthVerificationRequiredState?
    ) {
        resultTextView.text = error.isInvalidChallenge ? "wrong challenge" : "challenge refused"
    }
}

extension TutorialFactorsOld: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSAL.MSALNativeAuthTokenResult) {
        accessToken = result.accessToken
        resultTextView.text = "token"
    }
}
