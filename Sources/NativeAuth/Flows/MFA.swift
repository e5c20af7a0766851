import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The user has to prove a second factor.
package struct MFAState: Sendable {
    /// What the user can choose from; at least one.
    package let methods: [AuthMethod]
    let flow: Flow
    fileprivate let use = StepUse()

    init(methods: [AuthMethod], flow: Flow) {
        self.methods = methods
        self.flow = flow
    }

    /// Stands in the server's log for this flow.
    package var correlationID: UUID { flow.correlationID }

    /// Sends a code by `method`. May be called again, with another method too; a code that was sent before still counts.
    ///
    /// - Throws: ``NativeAuthError/authMethodBlocked(_:)``, after which another method may be chosen here;
    ///   ``NativeAuthError/browserRequired(_:)``, ``NativeAuthError/expired(_:)``, and others.
    package func requestChallenge(_ method: AuthMethod) async throws(NativeAuthError) -> MFACodeState {
        try await use.aside(flow) { () async throws(NativeAuthError) in
            let request = V1.SignIn.ChallengeRequest(
                clientID: flow.configuration.clientID, continuationToken: flow.continuationToken,
                challengeTypes: flow.configuration.challengeTypeWords, id: method.id)
            let (code, flow) = try await flow.requestCode { (flow) async throws(NativeAuthError) in
                try await flow.ask(.signInChallenge, request) { $0.challengeError($1) }
            }
            return MFACodeState(code: code, choice: MFAState(methods: methods, flow: flow))
        }
    }
}

/// The user has to type the code of their second factor.
package struct MFACodeState: Sendable {
    /// Where the code went.
    package let code: SentCode
    /// The way back to the choice, until the code was accepted.
    package let choice: MFAState

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code may be submitted here;
    ///   ``NativeAuthError/mfaRequired(_:)`` or ``NativeAuthError/registrationRequired(_:)`` when the server wants yet
    ///   another factor; ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    package func submit(code: String) async throws(NativeAuthError) -> Account {
        let flow = choice.flow
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await choice.use.once(flow) { () async throws(NativeAuthError) in
            try await flow.account(after: .secondFactor(Secret(code)))
        }
    }
}

extension Flow {
    /// Asks for the methods of the second factor (native-auth-v1 §4.6).
    func introspectMFA() async throws(NativeAuthError) -> MFAState {
        var flow = self
        let methods = try await flow.introspect(.signInIntrospect)
        return MFAState(methods: methods, flow: flow)
    }

    mutating func introspect(_ endpoint: V1Endpoint) async throws(NativeAuthError) -> [AuthMethod] {
        let request = V1.SignIn.IntrospectRequest(
            clientID: configuration.clientID, continuationToken: continuationToken)
        let reply: IntrospectReply = try await ask(endpoint, request)
        guard let methods = reply.methods, !methods.isEmpty else { throw unexpectedReply() }
        try advance(to: reply.continuationToken)
        return methods.map(AuthMethod.init)
    }
}
