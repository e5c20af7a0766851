import NativeAuthCore
import NativeAuthWire

/// A sign-in asks for a second factor.
package enum MFAPurpose: MethodPurpose {}

/// The copyable form of ``MFARequired``.
package typealias MFAState = MethodsState<MFAPurpose>
/// The copyable form of ``MFACodeRequired``.
package typealias MFACodeState = MethodCodeState<MFAPurpose>

extension MFAState {
    /// Sends a code with `method`. It can be called again, also with another method; an earlier code stays valid.
    ///
    /// - Throws: ``NativeAuthError/authMethodBlocked(_:)``, after which another method can be chosen here; and others.
    package func requestChallenge(_ method: AuthMethod) async throws(NativeAuthError) -> MFACodeState {
        let (code, flow) = try await requestCode { (flow) async throws(NativeAuthError) in
            try await flow.challengeSignIn(method)
        }
        return MFACodeState(code: code, choice: MFAState(methods: methods, flow: flow))
    }
}

extension MFACodeState {
    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here;
    ///   ``NativeAuthError/mfaRequired(_:)`` or ``NativeAuthError/registrationRequired(_:)`` when the server requires a
    ///   further factor; and others.
    package func submit(code: String) async throws(NativeAuthError) -> Account {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.account(after: .secondFactor(code))
        }
    }

    /// The same, with the next step where the server requires a further factor or a registration.
    func prove(code: String) async throws(NativeAuthError) -> SignInNextState {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.signInStep(after: .secondFactor(code))
        }
    }
}

extension Flow {
    /// Asks for the methods of the second factor (docs/protocol.md §4.6).
    func introspectMFA() async throws(NativeAuthError) -> MFAState {
        var flow = self
        let methods = try await flow.introspect(.signInIntrospect)
        return MFAState(methods: methods, flow: flow)
    }
}
