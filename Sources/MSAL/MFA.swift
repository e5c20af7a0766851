public import Foundation
internal import NativeAuth

/// A sign-in that waits until a method for the second factor is chosen. Usable any number of times.
public final class AwaitingMFAState: NSObject, Sendable {
    private let step: MFARequired

    init(_ step: MFARequired) {
        self.step = step
    }

    /// Asks for a code.
    ///
    /// - Parameters:
    ///   - authMethod: One of the methods that came with this state. Nil, as in releases before 2.5, means the only one; where
    ///     there are several the delegate is asked to select one.
    ///   - delegate: Receives the outcome; held until then.
    public func requestChallenge(authMethod: MSALAuthMethod? = nil, delegate: any MFARequestChallengeDelegate) {
        MFARequiredState(.required(step)).requestChallenge(authMethod: authMethod, delegate: delegate)
    }
}

/// A sign-in that waits for the code of the second factor. Usable again after an error; spent once the code was accepted.
/// Usable any number of times before the first code was sent.
public final class MFARequiredState: NSObject, Sendable {
    /// Before the first code only a method can be challenged.
    enum Step: Sendable {
        case required(MFARequired)
        case codeRequired(MFACodeRequired)
    }

    private let step: Step

    init(_ step: Step) {
        self.step = step
    }

    /// Asks for a code, or for another one.
    ///
    /// - Parameters:
    ///   - authMethod: One of the user's methods. Nil, as in releases before 2.5, means the only one; where there are several
    ///     the delegate is asked to select one.
    ///   - delegate: Receives the outcome; held until then.
    public func requestChallenge(authMethod: MSALAuthMethod? = nil, delegate: any MFARequestChallengeDelegate) {
        let methods = step.methods
        guard let method = authMethod?.method ?? (methods.count == 1 ? methods.first : nil) else {
            return perform(
                "requestChallenge", correlationID: step.correlationID, for: delegate,
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
            "requestChallenge", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.requestChallenge(method) },
            succeed: { delegate, step in
                delegate.onMFARequestChallengeVerificationRequired(
                    newState: MFARequiredState(.codeRequired(step)), sentTo: step.sentTo,
                    channelTargetType: MSALNativeAuthChannelType(value: step.channel), codeLength: step.codeLength)
            },
            fail: { delegate, error in
                delegate.onMFARequestChallengeError(
                    error: MFARequestChallengeError(error), newState: error.canRetry ? self : nil)
            })
    }

    /// Submits the code.
    ///
    /// - Parameters:
    ///   - challenge: The code as typed; an empty one is reported without a request, and so is any before one was asked for.
    ///   - delegate: Receives the outcome; held until then.
    public func submitChallenge(challenge: String, delegate: any MFASubmitChallengeDelegate) {
        perform(
            "submitChallenge", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(code: challenge) },
            succeed: { delegate, user in
                delegate.onSignInCompleted(result: MSALNativeAuthUserAccountResult(user))
            },
            fail: { delegate, error in
                delegate.onMFASubmitChallengeError(
                    error: MFASubmitChallengeError(error), newState: error.canRetry ? self : nil)
            })
    }

    /// Tells the user's methods, which are known since the sign-in. Of the releases from 1.6 up to 2.5.
    ///
    /// - Parameter delegate: Receives the methods; held until then.
    @available(*, deprecated, message: "Use the methods that came with onSignInAwaitingMFA(authMethods:newState:).")
    public func getAuthMethods(delegate: any MFAGetAuthMethodsDelegate) {
        let methods = step.methods
        perform(
            "getAuthMethods", correlationID: step.correlationID, for: delegate,
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

extension MFARequiredState.Step {
    fileprivate var methods: [AuthMethod] {
        switch self {
        case .required(let step): step.methods
        case .codeRequired(let step): step.methods
        }
    }

    fileprivate var correlationID: UUID {
        switch self {
        case .required(let step): step.correlationID
        case .codeRequired(let step): step.correlationID
        }
    }

    fileprivate func requestChallenge(_ method: AuthMethod) async throws(NativeAuthError) -> MFACodeRequired {
        switch self {
        case .required(let step): try await step.requestChallenge(method)
        case .codeRequired(let step): try await step.requestChallenge(method)
        }
    }

    fileprivate func submit(code: String) async throws(NativeAuthError) -> Account {
        switch self {
        case .required(let step):
            throw .general(
                .init(correlationID: step.correlationID, message: "No code has been asked for.", canRetry: true))
        case .codeRequired(let step):
            return try await step.submit(code: code)
        }
    }
}
