import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// The user must give a second factor.
package struct MFAState: Sendable {
    /// The methods that the user can choose from; at least one.
    package let methods: [AuthMethod]
    let flow: Flow
    fileprivate let use = StepUse()

    init(methods: [AuthMethod], flow: Flow) {
        self.methods = methods
        self.flow = flow
    }

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// Sends a code with `method`. It can be called again, also with another method; an earlier code stays valid.
    ///
    /// - Throws: ``NativeAuthError/authMethodBlocked(_:)``, after which another method can be chosen here;
    ///   ``NativeAuthError/browserRequired(_:)``, ``NativeAuthError/expired(_:)``, and others.
    package func requestChallenge(_ method: AuthMethod) async throws(NativeAuthError) -> MFACodeState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
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

/// The user must type the code of their second factor.
package struct MFACodeState: Sendable {
    /// The target of the code.
    package let code: SentCode
    /// The choice of methods, usable until the code is accepted.
    package let choice: MFAState

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here;
    ///   ``NativeAuthError/mfaRequired(_:)`` or ``NativeAuthError/registrationRequired(_:)`` when the server requires a
    ///   further factor; ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    package func submit(code: String) async throws(NativeAuthError) -> Account {
        let flow = choice.flow
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await choice.use.once(flow) { () async throws(NativeAuthError) in
            try await flow.account(after: .secondFactor(Secret(code)))
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

    mutating func introspect(_ endpoint: V1Endpoint) async throws(NativeAuthError) -> [AuthMethod] {
        let request = V1.SignIn.IntrospectRequest(
            clientID: configuration.clientID, continuationToken: continuationToken)
        let reply: IntrospectReply = try await ask(endpoint, request)
        guard let methods = reply.methods, !methods.isEmpty else { throw unexpectedReply() }
        try advance(to: reply.continuationToken)
        return methods.map(AuthMethod.init)
    }
}
