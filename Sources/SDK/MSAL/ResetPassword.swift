public import Foundation
internal import NativeAuth

extension MSALNativeAuthPublicClientApplication {
    /// Begins a password reset: sends a code to the e-mail address.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns; an empty user name is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func resetPassword(
        parameters: MSALNativeAuthResetPasswordParameters, delegate: any ResetPasswordStartDelegate
    ) {
        startResetPassword(
            username: parameters.username, correlationID: parameters.correlationId, delegate: delegate)
    }

    /// The form of ``resetPassword(parameters:delegate:)`` in releases before 2.0.
    @available(*, deprecated, message: "Use resetPassword(parameters:delegate:).")
    public func resetPassword(
        username: String, correlationId: UUID? = nil, delegate: any ResetPasswordStartDelegate
    ) {
        startResetPassword(username: username, correlationID: correlationId, delegate: delegate)
    }

    private func startResetPassword(
        username: String, correlationID: UUID?, delegate: any ResetPasswordStartDelegate
    ) {
        let correlationID = correlationID ?? client.makeCorrelationID()
        perform(
            "resetPassword", correlationID: correlationID, for: delegate,
            work: { [client] () async throws(NativeAuthError) in
                try await client.startResetPassword(username: username, correlationID: correlationID)
            },
            succeed: { delegate, step in
                delegate.onResetPasswordCodeRequired(
                    newState: ResetPasswordCodeRequiredState(step), sentTo: step.code.sentTo,
                    channelTargetType: step.code.channelType, codeLength: step.code.length)
            },
            fail: { delegate, error in
                delegate.onResetPasswordStartError(error: ResetPasswordStartError(error))
            })
    }
}

/// A password reset that waits for the code. It can be used again after an error; it is spent once the code was
/// accepted.
public final class ResetPasswordCodeRequiredState: NSObject, Sendable {
    private let step: ResetPasswordCodeState

    init(_ step: ResetPasswordCodeState) {
        self.step = step
    }

    /// Submits the code.
    ///
    /// - Parameters:
    ///   - code: As typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitCode(code: String, delegate: any ResetPasswordVerifyCodeDelegate) {
        perform(
            "submitCode", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(code: code) },
            succeed: { delegate, step in
                delegate.onPasswordRequired(newState: ResetPasswordRequiredState(step))
            },
            fail: { delegate, error in
                delegate.onResetPasswordVerifyCodeError(
                    error: VerifyCodeError(error), newState: error.keepsState ? self : nil)
            })
    }

    /// Asks for a new code.
    ///
    /// - Parameter delegate: Receives the outcome; held until then.
    public func resendCode(delegate: any ResetPasswordResendCodeDelegate) {
        perform(
            "resendCode", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.resend() },
            succeed: { delegate, step in
                delegate.onResetPasswordResendCodeRequired(
                    newState: ResetPasswordCodeRequiredState(step), sentTo: step.code.sentTo,
                    channelTargetType: step.code.channelType, codeLength: step.code.length)
            },
            fail: { delegate, error in
                delegate.onResetPasswordResendCodeError(
                    error: ResendCodeError(error), newState: error.canRetry ? self : nil)
            })
    }
}

/// A password reset that waits for the new password. It can be used again after an error; it is spent once the password
/// was accepted.
public final class ResetPasswordRequiredState: NSObject, Sendable {
    private let step: NewPasswordState

    init(_ step: NewPasswordState) {
        self.step = step
    }

    /// Submits the new password, and waits until the server has set it.
    ///
    /// - Parameters:
    ///   - password: As typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitPassword(password: String, delegate: any ResetPasswordRequiredDelegate) {
        perform(
            "submitPassword", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(password: password) },
            succeed: { delegate, step in
                delegate.onResetPasswordCompleted(newState: SignInAfterResetPasswordState(step))
            },
            fail: { delegate, error in
                delegate.onResetPasswordRequiredError(
                    error: PasswordRequiredError(error), newState: error.keepsState ? self : nil)
            })
    }
}
