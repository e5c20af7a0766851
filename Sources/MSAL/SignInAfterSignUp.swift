public import Foundation
internal import NativeAuth

/// A sign-up that is done: the account exists, and the user may be signed in without being asked again. Immutable, and usable
/// more than once.
public final class SignInAfterSignUpState: NSObject, Sendable {
    private let step: SignUpCompleted

    init(_ step: SignUpCompleted) {
        self.step = step
    }

    /// Signs the new user in.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns.
    ///   - delegate: Receives the outcome; held until then.
    public func signIn(
        parameters: MSALNativeAuthSignInAfterSignUpParameters, delegate: any SignInAfterSignUpDelegate
    ) {
        signIn(scopes: parameters.scopes, claims: parameters.claimsRequest?.jsonString(), delegate: delegate)
    }

    /// The form of ``signIn(parameters:delegate:)`` that releases before 2.0 have.
    @available(*, deprecated, message: "Use signIn(parameters:delegate:).")
    public func signIn(scopes: [String]? = nil, delegate: any SignInAfterSignUpDelegate) {
        signIn(scopes: scopes, claims: nil, delegate: delegate)
    }

    private func signIn(scopes: [String]?, claims: String?, delegate: any SignInAfterSignUpDelegate) {
        perform(
            "signIn", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in
                try await step.signIn(scopes: scopes ?? [], claims: claims)
            },
            succeed: { delegate, user in
                delegate.onSignInCompleted(result: MSALNativeAuthUserAccountResult(user))
            },
            fail: { delegate, error in
                delegate.onSignInAfterSignUpError(error: SignInAfterSignUpError(error))
            })
    }
}
