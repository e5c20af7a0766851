import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// The user must choose a method, for one purpose: ``MFAState`` or ``RegistrationState``.
package struct MethodsState<Purpose: MethodPurpose>: StepState {
    /// The methods that the user can choose from; at least one.
    package let methods: [AuthMethod]
    var flow: Flow
    let use = StepUse()

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }
}

extension MethodsState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let methods = fields.methods, !methods.isEmpty else { return nil }
        self.init(methods: methods, flow: flow)
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.methods = methods
    }
}

/// The user must type the code that a method sent: ``MFACodeState`` or ``RegistrationCodeState``.
package struct MethodCodeState<Purpose: MethodPurpose>: StepState {
    /// The target of the code; not masked at a registration.
    package let code: SentCode
    /// The choice of methods, usable until the code is accepted.
    package private(set) var choice: MethodsState<Purpose>

    var flow: Flow {
        get { choice.flow }
        set { choice.flow = newValue }
    }
    var use: StepUse { choice.use }

    init(code: SentCode, choice: MethodsState<Purpose>) {
        self.code = code
        self.choice = choice
    }
}

extension MethodCodeState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let code = fields.code, let choice = MethodsState<Purpose>(fields, flow) else { return nil }
        self.init(code: code, choice: choice)
    }

    func fill(_ fields: inout StepContent.Fields) {
        choice.fill(&fields)
        fields.code = code
    }
}

/// What a method is chosen for.
package protocol MethodPurpose: Sendable {}

// MARK: - A second factor

/// A sign-in asks for a second factor.
package enum MFAPurpose: MethodPurpose {}

package typealias MFAState = MethodsState<MFAPurpose>
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
