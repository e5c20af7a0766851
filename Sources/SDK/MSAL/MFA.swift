public import Foundation
internal import NativeAuth

/// A sign-in that waits for the choice of a method for the second factor. It can be used any number of times.
public final class AwaitingMFAState: NSObject, Sendable {
    private let step: MFAState

    init(_ step: MFAState) {
        self.step = step
    }

    /// Asks for a code.
    ///
    /// - Parameters:
    ///   - authMethod: One of the methods that came with this state. Nil, as in releases before 2.5, means the only
    ///     one; if there are several, the delegate is asked to select one.
    ///   - delegate: Receives the outcome; held until then.
    public func requestChallenge(authMethod: MSALAuthMethod? = nil, delegate: any MFARequestChallengeDelegate) {
        MFARequiredState(step).requestChallenge(authMethod: authMethod, delegate: delegate)
    }
}

/// A sign-in that waits for the code of the second factor. It can be used again after an error; it is spent once the
/// code was accepted. Before the first code was sent, it can be used any number of times.
public final class MFARequiredState: NSObject, Sendable {
    private let choice: MFAState
    private let code: MFACodeState?

    init(_ choice: MFAState) {
        self.choice = choice
        code = nil
    }

    init(_ code: MFACodeState) {
        choice = code.choice
        self.code = code
    }

    /// Asks for a code, or for another one.
    ///
    /// - Parameters:
    ///   - authMethod: One of the user's methods. Nil, as in releases before 2.5, means the only one; if there are
    ///     several, the delegate is asked to select one.
    ///   - delegate: Receives the outcome; held until then.
    public func requestChallenge(authMethod: MSALAuthMethod? = nil, delegate: any MFARequestChallengeDelegate) {
        let methods = choice.methods
        guard let method = authMethod?.method ?? (methods.count == 1 ? methods.first : nil) else {
            return perform(
                "requestChallenge", correlationID: choice.correlationID, for: delegate,
                work: { () async throws(NativeAuthError) in },
                succeed: { delegate, _ in
                    delegate.onMFARequestChallengeSelectionRequired(
                        authMethods: methods.map(MSALAuthMethod.init), newState: self)
                },
                fail: { delegate, error in
                    delegate.onMFARequestChallengeError(error: MFARequestChallengeError(error), newState: nil)
                })
        }
        perform(
            "requestChallenge", correlationID: choice.correlationID, for: delegate,
            work: { [choice] () async throws(NativeAuthError) in try await choice.requestChallenge(method) },
            succeed: { delegate, step in
                delegate.onMFARequestChallengeVerificationRequired(
                    newState: MFARequiredState(step), sentTo: step.code.sentTo,
                    channelTargetType: step.code.channelType, codeLength: step.code.length)
            },
            fail: { delegate, error in
                delegate.onMFARequestChallengeError(
                    error: MFARequestChallengeError(error), newState: error.canRetry ? self : nil)
            })
    }

    /// Submits the code.
    ///
    /// - Parameters:
    ///   - challenge: The code as typed; an empty one, or any code before one was requested, is reported without a
    ///     request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitChallenge(challenge: String, delegate: any MFASubmitChallengeDelegate) {
        perform(
            "submitChallenge", correlationID: choice.correlationID, for: delegate,
            work: { [choice, code] () async throws(NativeAuthError) in
                if let code { return try await code.submit(code: challenge) }
                let message = "No code has been asked for."
                throw .general(.init(correlationID: choice.correlationID, message: message, canRetry: true))
            },
            succeed: { delegate, user in
                delegate.onSignInCompleted(result: MSALNativeAuthUserAccountResult(user))
            },
            fail: { delegate, error in
                delegate.onMFASubmitChallengeError(
                    error: MFASubmitChallengeError(error), newState: error.canRetry ? self : nil)
            })
    }

    /// Reports the user's methods, which are known since the sign-in. For releases from 1.6 up to 2.5.
    ///
    /// - Parameter delegate: Receives the methods; held until then.
    @available(*, deprecated, message: "Use the methods that came with onSignInAwaitingMFA(authMethods:newState:).")
    public func getAuthMethods(delegate: any MFAGetAuthMethodsDelegate) {
        let methods = choice.methods
        perform(
            "getAuthMethods", correlationID: choice.correlationID, for: delegate,
            work: { () async throws(NativeAuthError) in },
            succeed: { delegate, _ in
                delegate.onMFAGetAuthMethodsSelectionRequired(
                    authMethods: methods.map(MSALAuthMethod.init), newState: self)
            },
            fail: { delegate, error in
                delegate.onMFAGetAuthMethodsError(error: MFAGetAuthMethodsError(error), newState: nil)
            })
    }
}
