public import Foundation
internal import NativeAuth

/// A sign-in that waits until the user registers a strong authentication method. Usable any number of times; one that belongs
/// to a code that was sent, until that code was accepted.
public final class RegisterStrongAuthState: NSObject, Sendable {
    private let step: RegistrationState

    init(_ step: RegistrationState) {
        self.step = step
    }

    /// Sends a code to the contact that shall be registered.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns; an empty contact is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func challengeAuthMethod(
        parameters: MSALNativeAuthChallengeAuthMethodParameters, delegate: any RegisterStrongAuthChallengeDelegate
    ) {
        let method = parameters.authMethod.method
        let contact = parameters.verificationContact ?? method.loginHint ?? ""
        perform(
            "challengeAuthMethod", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in
                try await step.requestChallenge(method, contact: contact)
            },
            succeed: { delegate, step in
                switch step {
                case .codeRequired(let step):
                    delegate.onRegisterStrongAuthVerificationRequired(
                        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult(step))
                case .completed(let user):
                    delegate.onSignInCompleted(result: MSALNativeAuthUserAccountResult(user))
                }
            },
            fail: { delegate, error in
                delegate.onRegisterStrongAuthChallengeError(
                    error: RegisterStrongAuthChallengeError(error), newState: error.canRetry ? self : nil)
            })
    }
}

/// A registration that waits for the code. Usable again after an error; spent once the code was accepted.
public final class RegisterStrongAuthVerificationRequiredState: NSObject, Sendable {
    private let step: RegistrationCodeState

    init(_ step: RegistrationCodeState) {
        self.step = step
    }

    /// Submits the code, and signs the user in.
    ///
    /// - Parameters:
    ///   - challenge: The code as typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitChallenge(challenge: String, delegate: any RegisterStrongAuthSubmitChallengeDelegate) {
        perform(
            "submitChallenge", correlationID: step.choice.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(code: challenge) },
            succeed: { delegate, user in
                delegate.onSignInCompleted(result: MSALNativeAuthUserAccountResult(user))
            },
            fail: { delegate, error in
                delegate.onRegisterStrongAuthSubmitChallengeError(
                    error: RegisterStrongAuthSubmitChallengeError(error), newState: error.canRetry ? self : nil)
            })
    }

    /// Sends another code, to the same contact or to another one.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns; an empty contact is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func challengeAuthMethod(
        parameters: MSALNativeAuthChallengeAuthMethodParameters, delegate: any RegisterStrongAuthChallengeDelegate
    ) {
        RegisterStrongAuthState(step.choice).challengeAuthMethod(parameters: parameters, delegate: delegate)
    }
}

/// A code of a registration that went out. Does not show the contact to `dump`.
public final class MSALNativeAuthRegisterStrongAuthVerificationRequiredResult: NSObject, Sendable, Redacted {
    /// The state to submit the code on.
    public let newState: RegisterStrongAuthVerificationRequiredState
    /// The address or number that the code went to, whole, as it was typed: it belongs on the screen, and in no log.
    public let sentTo: String
    /// How the code travelled.
    public let channelTargetType: MSALNativeAuthChannelType
    /// How many characters the code has.
    public let codeLength: Int

    init(_ step: RegistrationCodeState) {
        newState = RegisterStrongAuthVerificationRequiredState(step)
        sentTo = step.code.sentTo
        channelTargetType = step.code.channelType
        codeLength = step.code.length
    }
}
