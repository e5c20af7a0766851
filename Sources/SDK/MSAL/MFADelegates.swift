/// Receives the outcome of asking for a code for the second factor.
public protocol MFARequestChallengeDelegate: AnyObject {
    /// No code was sent. With a state, a code can be asked for again on it; without one the flow is over.
    @MainActor func onMFARequestChallengeError(error: MFARequestChallengeError, newState: MFARequiredState?)
    /// A code was sent. Optional; without it ``onMFARequestChallengeError(error:newState:)`` is called.
    @MainActor func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int)
    /// The app named no method and the user has several; ask again with one of them. Optional; without it
    /// ``onMFARequestChallengeError(error:newState:)`` is called.
    @MainActor func onMFARequestChallengeSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState)
}

/// Receives the outcome of submitting a code of the second factor.
public protocol MFASubmitChallengeDelegate: AnyObject, _OnSignInCompleted {
    /// The code was not accepted. With a state, another code can be submitted on it; without one the flow is over.
    @MainActor func onMFASubmitChallengeError(error: MFASubmitChallengeError, newState: MFARequiredState?)
    /// The user is signed in. Optional; without it ``onMFASubmitChallengeError(error:newState:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives the methods of the second factor. For releases from 1.6 up to 2.5.
public protocol MFAGetAuthMethodsDelegate: AnyObject {
    /// The methods are not known.
    @MainActor func onMFAGetAuthMethodsError(error: MFAGetAuthMethodsError, newState: MFARequiredState?)
    /// The methods. Optional; without it ``onMFAGetAuthMethodsError(error:newState:)`` is called.
    @MainActor func onMFAGetAuthMethodsSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState)
}

/// Receives the outcome of challenging a strong authentication method.
public protocol RegisterStrongAuthChallengeDelegate: AnyObject, _OnSignInCompleted {
    /// No code was sent. With a state, a method can be challenged again on it; without one the flow is over.
    @MainActor func onRegisterStrongAuthChallengeError(
        error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?)
    /// A code was sent. Optional; without it ``onRegisterStrongAuthChallengeError(error:newState:)`` is called.
    @MainActor func onRegisterStrongAuthVerificationRequired(
        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult)
    /// The contact was verified before, and the user is signed in. Optional; without it
    /// ``onRegisterStrongAuthChallengeError(error:newState:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Receives the outcome of submitting the code of a registration.
public protocol RegisterStrongAuthSubmitChallengeDelegate: AnyObject, _OnSignInCompleted {
    /// The code was not accepted. With a state, another code can be submitted on it; without one the flow is over.
    @MainActor func onRegisterStrongAuthSubmitChallengeError(
        error: RegisterStrongAuthSubmitChallengeError, newState: RegisterStrongAuthVerificationRequiredState?)
    /// The method is registered and the user is signed in. Optional; without it
    /// ``onRegisterStrongAuthSubmitChallengeError(error:newState:)`` is called.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

// MARK: - Defaults

extension MFARequestChallengeDelegate {
    @MainActor public func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        MissingCallback.name = "onMFARequestChallengeVerificationRequired"
    }

    @MainActor public func onMFARequestChallengeSelectionRequired(
        authMethods: [MSALAuthMethod], newState: MFARequiredState
    ) {
        MissingCallback.name = "onMFARequestChallengeSelectionRequired"
    }
}

extension MFAGetAuthMethodsDelegate {
    @MainActor public func onMFAGetAuthMethodsSelectionRequired(
        authMethods: [MSALAuthMethod], newState: MFARequiredState
    ) {
        MissingCallback.name = "onMFAGetAuthMethodsSelectionRequired"
    }
}

extension RegisterStrongAuthChallengeDelegate {
    @MainActor public func onRegisterStrongAuthVerificationRequired(
        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        MissingCallback.name = "onRegisterStrongAuthVerificationRequired"
    }
}
