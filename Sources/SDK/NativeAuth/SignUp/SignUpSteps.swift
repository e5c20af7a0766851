public import NativeAuthCore
public import PortableFoundation

extension NativeAuthClient {
    /// Begins a sign-up, and sends the user a code.
    ///
    /// - Parameters:
    ///   - username: The e-mail address.
    ///   - password: The password, if the app signs users up with one. It may also be given later.
    ///   - attributes: Attributes by their programmable names (``AttributeName``). The server asks later for missing
    ///     ones.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The next step: the code.
    /// - Throws: ``SignUpError``: the flow has not begun.
    public func signUp(
        username: String, password: String? = nil, attributes: [String: AttributeValue] = [:],
        correlationID: UUID? = nil
    ) async throws(SignUpError) -> SignUpCodeRequired {
        do throws(NativeAuthError) {
            return SignUpCodeRequired(
                state: try await startSignUp(
                    username: username, password: password, attributes: attributes, correlationID: correlationID))
        } catch {
            throw SignUpError(error)
        }
    }
}

/// The step after a step of sign-up. The server decides the order.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
@frozen
public enum SignUpStep: ~Copyable, Sendable {
    /// The user must choose a password.
    case passwordRequired(SignUpPasswordRequired)
    /// The user must give attributes.
    case attributesRequired(SignUpAttributesRequired)
    /// The account exists.
    case completed(SignUpCompleted)

    init(_ next: SignUpNextState) {
        self =
            switch next {
            case .passwordRequired(let state): .passwordRequired(SignUpPasswordRequired(state: state))
            case .attributesRequired(let state): .attributesRequired(SignUpAttributesRequired(state: state))
            case .completed(let state): .completed(SignUpCompleted(state: state))
            }
    }
}

/// The user must type the code they received.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: SignUpCodeState

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. A server may report an expired code as wrong.
    ///
    /// - Throws: ``SignUpError``: the flow is over. ``SignUpError/invalidPassword(_:_:)`` is about the password given
    ///   at the start.
    public consuming func submit(code: String) async throws(SignUpError) -> Outcome<Self, SignUpStep> {
        try await outcome(or: SignUpError.self) { (state) async throws(NativeAuthError) in
            SignUpStep(try await state.submit(code: code))
        }
    }

    /// Sends a new code; the old one becomes invalid. A server that is asked too soon sends no code and reports no
    /// error: the newest code in the user's mail is valid.
    ///
    /// - Throws: ``SignUpError``: the flow is over.
    public consuming func resend() async throws(SignUpError) -> Outcome<Self, Self> {
        try await outcome(or: SignUpError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.resend())
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.signUpCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .signUpCode) }
    init(state: SignUpCodeState) { self.state = state }
}

/// The user must choose a password.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpPasswordRequired: ~Copyable, FlowStep, StateStep {
    let state: SignUpPasswordState

    /// There is nothing to show.
    public var info: Void { () }

    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``SignUpError``: the flow is over.
    public consuming func submit(password: String) async throws(SignUpError) -> Outcome<Self, SignUpStep> {
        try await outcome(or: SignUpError.self) { (state) async throws(NativeAuthError) in
            SignUpStep(try await state.submit(password: password))
        }
    }

    public typealias Refusal = NewPasswordRefusal
    public var content: StepContent { StepContent(.signUpPassword, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .signUpPassword) }
    init(state: SignUpPasswordState) { self.state = state }
}

/// The user must give attributes.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpAttributesRequired: ~Copyable, FlowStep, StateStep {
    let state: SignUpAttributesState

    /// The attributes that the server asks for: names, types and rules.
    public var info: [RequiredAttribute] { state.required }

    /// Submits attributes by their programmable names.
    ///
    /// - Throws: ``SignUpError``: the flow is over.
    public consuming func submit(
        _ attributes: [String: AttributeValue]
    ) async throws(SignUpError) -> Outcome<Self, SignUpStep> {
        do throws(NativeAuthError) {
            let next = try await state.submit(attributes)
            // The server asks again for attributes that it did not get.
            if case .attributesRequired(let again) = next, let refusal = state.missing(in: again) {
                return .retry(Self(state: again), refusal)
            }
            return .next(SignUpStep(next))
        } catch {
            guard let refusal = AttributesRefusal(error, required: state.required, submitted: attributes) else {
                throw SignUpError(error)
            }
            return .retry(Self(state: state), refusal)
        }
    }

    public typealias Refusal = AttributesRefusal
    public var content: StepContent { StepContent(.signUpAttributes, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .signUpAttributes) }
    init(state: SignUpAttributesState) { self.state = state }
}

/// The result of a sign-up or a password reset. Its description does not contain the username (`SDK-LOG-1`).
public struct CompletedFlow: Hashable, Sendable {
    /// The username that the flow began with.
    public let username: String
    /// Whether the user can be signed in without another question, that is whether the server issued a token for it.
    public let isSignInAvailable: Bool

    init(_ flow: Flow) {
        username = flow.username
        isSignInAvailable = flow.continuationToken != nil
    }
}

extension CompletedFlow: CustomStringConvertible, CustomReflectable {
    public var description: String { "CompletedFlow" }
    public var customMirror: Mirror { Mirror(self, children: ["isSignInAvailable": isSignInAvailable]) }
}

/// The account exists.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpCompleted: ~Copyable, FlowStep, StateStep {
    let state: CompletedState

    /// The username, and whether ``signIn(scopes:claims:)`` can work.
    public var info: CompletedFlow { CompletedFlow(state.flow) }

    /// Signs the new user in without another question.
    ///
    /// - Parameters:
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text.
    /// - Returns: The account; or the second factor, or the registration of one, if the tenant requires it.
    /// - Throws: ``SignInError``: sign in separately. ``SignInError/notAvailable(_:)`` without a request when
    ///   ``CompletedFlow/isSignInAvailable`` is false.
    public consuming func signIn(
        scopes: [String] = [], claims: String? = nil
    ) async throws(SignInError) -> Outcome<Self, SignInNext> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            SignInNext(try await state.signIn(scopes: scopes, claims: claims))
        }
    }

    public typealias Refusal = ServiceError
    public var content: StepContent { StepContent(.signUpCompleted, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .signUpCompleted) }
    init(state: CompletedState) { self.state = state }
}
