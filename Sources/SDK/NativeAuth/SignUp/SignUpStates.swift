package import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

extension NativeAuthClient {
    /// The same as ``signUp(username:password:attributes:correlationID:)``, with the copyable form of the step.
    package func startSignUp(
        username: String, password: String? = nil, attributes: [String: AttributeValue] = [:],
        correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> SignUpCodeState {
        var flow = Flow(client: self, username: username, correlationID: correlationID)
        guard !username.isEmpty else { throw .invalidUsername(flow.local("The username is empty.")) }
        guard password?.isEmpty != true else { throw .invalidPassword(flow.local("The password is empty.")) }

        let request = V1.SignUp.StartRequest(
            clientID: api.configuration.clientID, username: username, password: password.map { Secret($0) },
            attributes: attributes.isEmpty ? nil : AttributesJSON.encode(attributes),
            challengeTypes: api.configuration.challengeTypeWords, capabilities: api.configuration.capabilityWords)
        let reply: ContinuationReply = try await flow.ask(.signUpStart, request) { $0.signUpStartError($1) }
        try flow.advance(to: reply.continuationToken)
        let challenge = try await flow.challenge(.signUpChallenge)
        return SignUpCodeState(code: try flow.takeCode(challenge), flow: flow)
    }
}

/// The step after a step of sign-up.
package enum SignUpNextState: Sendable {
    /// The server asks for a password.
    case passwordRequired(SignUpPasswordState)
    /// The server asks for attributes.
    case attributesRequired(SignUpAttributesState)
    /// The account exists.
    case completed(CompletedState)
}

/// The copyable form of ``SignUpCodeRequired``.
package typealias SignUpCodeState = CodeState<SignUpNextState>

extension SignUpCodeState {
    /// Submits the code.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code can be submitted here;
    ///   ``NativeAuthError/invalidPassword(_:)`` for a password given at the start; and others.
    package func submit(code: String) async throws(NativeAuthError) -> SignUpNextState {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            try await flow.continueSignUp(.oob, oob: code)
        }
    }

    /// Sends a new code; the old one becomes invalid. After an error the old code can still be submitted here.
    package func resend() async throws(NativeAuthError) -> Self {
        try await resend { (flow) async throws(NativeAuthError) in try await flow.challenge(.signUpChallenge) }
    }
}

/// The copyable form of ``SignUpPasswordRequired``.
package typealias SignUpPasswordState = PasswordState<SignUpNextState>

extension SignUpPasswordState {
    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``NativeAuthError/invalidPassword(_:)``, after which another one can be submitted here; and others.
    package func submit(password: String) async throws(NativeAuthError) -> SignUpNextState {
        try await submit(password: password) { (flow, password) async throws(NativeAuthError) in
            try await flow.continueSignUp(.password, password: password)
        }
    }
}

/// The user must give attributes.
package struct SignUpAttributesState: StepState {
    /// The attributes that the server asks for.
    package let required: [RequiredAttribute]
    var flow: Flow
    let use = StepUse()

    /// Identifies this flow in the server's log.
    package var correlationID: UUID { flow.correlationID }

    /// Submits attributes by their programmable names.
    ///
    /// - Throws: ``NativeAuthError/invalidAttributes(names:_:)``, after which others can be submitted here;
    ///   ``NativeAuthError/userAlreadyExists(_:)`` for a taken alias; and others.
    package func submit(_ attributes: [String: AttributeValue]) async throws(NativeAuthError) -> SignUpNextState {
        try await use.once(flow) { () async throws(NativeAuthError) in
            try await flow.continueSignUp(.attributes, attributes: AttributesJSON.encode(attributes))
        }
    }

    /// The refusal when the server asks again for attributes that it did not get. Nil when `again` asks for none of the
    /// attributes asked for here: then it is a further page.
    func missing(in again: SignUpAttributesState) -> AttributesRefusal? {
        let asked = Set(required.map(\.name))
        let problems = again.required.filter { asked.contains($0.name) && $0.isRequired }
            .map { AttributeProblem(name: $0.name, attribute: $0, hint: .missing) }
        guard !problems.isEmpty else { return nil }
        var details = ErrorDetails(correlationID: again.flow.correlationID)
        details.reason = "Attributes are missing: \(problems.map(\.name).joined(separator: ", "))."
        return .invalidAttributes(problems, details)
    }
}

extension SignUpAttributesState {
    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let required = fields.required else { return nil }
        self.init(required: required, flow: flow)
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.required = required
    }
}

// MARK: - Requests

extension Flow {
    fileprivate func continueSignUp(
        _ grant: GrantType, oob: Secret<String>? = nil, password: Secret<String>? = nil, attributes: String? = nil
    ) async throws(NativeAuthError) -> SignUpNextState {
        var flow = self
        let request = V1.SignUp.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: grant, oob: oob,
            password: password, attributes: attributes)
        switch try await flow.send(request, to: .signUpContinue, as: ContinuationReply.self) {
        case .success(let reply):
            // The vendor's service may omit the token here (docs/protocol.md §16, row 18).
            flow.continuationToken = reply.continuationToken.flatMap { $0.reveal().isEmpty ? nil : $0 }
            return .completed(CompletedState(flow: flow))
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal) where refusal.error == .credentialRequired && grant == .oob:
            try flow.advance(to: refusal.continuationToken)
            return try await flow.requestNewPassword()
        case .refusal(let refusal) where refusal.error == .attributesRequired:
            guard let required = refusal.requiredAttributes, !required.isEmpty else { throw flow.unexpectedReply() }
            try flow.advance(to: refusal.continuationToken)
            return .attributesRequired(SignUpAttributesState(required: required, flow: flow))
        case .refusal(let refusal):
            throw flow.signUpContinueError(refusal, grant: grant)
        }
    }

    private mutating func requestNewPassword() async throws(NativeAuthError) -> SignUpNextState {
        try takePassword(try await challenge(.signUpChallenge))
        return .passwordRequired(SignUpPasswordState(flow: self))
    }

    // MARK: Errors

    /// The error mapping of the first step (docs/protocol.md §4.1).
    fileprivate func signUpStartError(_ refusal: ErrorReply) -> NativeAuthError {
        let details = details(refusal)
        switch refusal.error {
        case .invalidRequest
        where refusal.leads(with: .parameterEmptyOrInvalid)
            && (refusal.errorDescription ?? "").contains(AADSTSCode.usernamePhrase):
            return .invalidUsername(details)
        case .invalidGrant where refusal.isPasswordRefusal:
            return .invalidPassword(details)
        case .invalidGrant where refusal.suberror == .attributeValidationFailed:
            return refusal.namesOfInvalidAttributes.map { .invalidAttributes(names: $0, details) } ?? .general(details)
        case _:
            return error(refusal)
        }
    }

    /// The error mapping of every later step (docs/protocol.md §4.3). An error that the user can correct leaves the
    /// state usable.
    private func signUpContinueError(_ refusal: ErrorReply, grant: GrantType) -> NativeAuthError {
        guard refusal.error == .invalidGrant else {
            let isIncomplete = refusal.error == .credentialRequired && refusal.continuationToken == nil
            return isIncomplete ? unexpectedReply() : error(refusal)
        }
        if refusal.suberror == .invalidOOBValue {
            return grant == .oob
                ? .incorrectCode(details(refusal, canRetry: true))
                : .general(details(refusal, canRetry: grant == .password))
        }
        if refusal.isPasswordRefusal, grant != .attributes {
            return .invalidPassword(details(refusal, canRetry: true))
        }
        if refusal.suberror == .attributeValidationFailed {
            guard let names = refusal.namesOfInvalidAttributes else { return unexpectedReply() }
            return .invalidAttributes(names: names, details(refusal, canRetry: grant == .attributes))
        }
        return error(refusal)
    }
}

extension ErrorReply {
    /// Nil when the server named none.
    fileprivate var namesOfInvalidAttributes: [String]? {
        guard let invalidAttributes, !invalidAttributes.isEmpty else { return nil }
        return invalidAttributes.map(\.name)
    }
}
