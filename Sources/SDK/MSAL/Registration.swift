public import Foundation
internal import NativeAuth

/// A sign-in that waits for the registration of a strong authentication method. It can be used any number of times;
/// after a code was sent, until that code was accepted.
public final class RegisterStrongAuthState: NSObject, Sendable {
    private let step: RegistrationState

    init(_ step: RegistrationState) {
        self.step = step
    }

    /// Sends a code to the contact to be registered.
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

/// A registration that waits for the code. It can be used again after an error; it is spent once the code was accepted.
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

/// The result of a registration whose code was sent. It hides the contact from `dump`.
public final class MSALNativeAuthRegisterStrongAuthVerificationRequiredResult: NSObject, Sendable, Redacted {
    /// The state to submit the code on.
    public let newState: RegisterStrongAuthVerificationRequiredState
    /// The full address or number that the code was sent to, as typed: show it on the screen, do not log it.
    public let sentTo: String
    /// The channel of the code.
    public let channelTargetType: MSALNativeAuthChannelType
    /// The number of the code's characters.
    public let codeLength: Int

    init(_ step: RegistrationCodeState) {
        newState = RegisterStrongAuthVerificationRequiredState(step)
        sentTo = step.code.sentTo
        channelTargetType = step.code.channelType
        codeLength = step.code.length
    }
}
