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
    /// The same step, which asks the server to leave the second factor out on this device from now on, if the server offers it.
    func remembering(_ remembers: Bool) -> Self {
        var state = self
        state.flow.remembersDevice = remembers && code.rememberableFor != nil
        return state
    }

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

extension Flow {
    /// Asks for the methods at `endpoint` (docs/protocol.md §4.6, §4.9.1).
    mutating func introspect(_ endpoint: V1Endpoint) async throws(NativeAuthError) -> [AuthMethod] {
        let request = V1.SignIn.IntrospectRequest(
            clientID: configuration.clientID, continuationToken: continuationToken)
        let reply: IntrospectReply = try await ask(endpoint, request)
        guard let methods = reply.methods, !methods.isEmpty else { throw unexpectedReply() }
        try advance(to: reply.continuationToken)
        return methods.map(AuthMethod.init)
    }
}
