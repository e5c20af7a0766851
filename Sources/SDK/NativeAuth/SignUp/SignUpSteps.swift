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
                try await startSignUp(
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

    init(_ progress: SignUpProgress) {
        self =
            switch progress {
            case .passwordRequired(let state): .passwordRequired(SignUpPasswordRequired(state))
            case .attributesRequired(let state): .attributesRequired(SignUpAttributesRequired(state))
            case .completed(let state): .completed(SignUpCompleted(state))
            }
    }
}

/// The user must type the code they received.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpCodeRequired: ~Copyable, FlowStep {
    private let state: SignUpCodeState
    private let attempts: Int

    init(_ state: SignUpCodeState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code. A server may report an expired code as wrong.
    ///
    /// - Throws: ``SignUpError``: the flow is over. ``SignUpError/invalidPassword(_:_:)`` is about the password given
    ///   at the start.
    public consuming func submit(code: String) async throws(SignUpError) -> Outcome<Self, SignUpStep> {
        do throws(NativeAuthError) {
            return .next(SignUpStep(try await state.submit(code: code)))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignUpError(error) }
            return .retry(Self(state, attempts: refusal.attempts ?? attempts), refusal)
        }
    }

    /// Sends a new code; the old one becomes invalid. A server that is asked too soon sends no code and reports no
    /// error: the newest code in the user's mail is valid.
    ///
    /// - Throws: ``SignUpError``: the flow is over.
    public consuming func resend() async throws(SignUpError) -> Outcome<Self, Self> {
        do throws(NativeAuthError) {
            return .next(Self(try await state.resend()))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignUpError(error) }
            return .retry(Self(state, attempts: attempts), refusal)
        }
    }

    public typealias Refusal = CodeRefusal

    public var content: StepContent {
        StepContent(.signUpCode, state.flow) {
            $0.code = state.code
            $0.attempts = attempts
        }
    }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.signUpCode), let code = content.fields.code else { return nil }
        self.init(SignUpCodeState(code: code, flow: flow), attempts: content.fields.attempts ?? 0)
    }
}

/// The user must choose a password.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpPasswordRequired: ~Copyable, FlowStep {
    private let state: SignUpPasswordState

    init(_ state: SignUpPasswordState) {
        self.state = state
    }

    /// There is nothing to show.
    public var info: Void { () }

    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``SignUpError``: the flow is over.
    public consuming func submit(password: String) async throws(SignUpError) -> Outcome<Self, SignUpStep> {
        do throws(NativeAuthError) {
            return .next(SignUpStep(try await state.submit(password: password)))
        } catch {
            guard let refusal = NewPasswordRefusal(error) else { throw SignUpError(error) }
            return .retry(Self(state), refusal)
        }
    }

    public typealias Refusal = NewPasswordRefusal

    public var content: StepContent { StepContent(.signUpPassword, state.flow) }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.signUpPassword) else { return nil }
        self.init(SignUpPasswordState(flow: flow))
    }
}

/// The user must give attributes.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct SignUpAttributesRequired: ~Copyable, FlowStep {
    private let state: SignUpAttributesState

    init(_ state: SignUpAttributesState) {
        self.state = state
    }

    /// The attributes that the server asks for: names, types and rules.
    public var info: [RequiredAttribute] { state.required }

    /// Submits attributes by their programmable names.
    ///
    /// - Throws: ``SignUpError``: the flow is over.
    public consuming func submit(
        _ attributes: [String: AttributeValue]
    ) async throws(SignUpError) -> Outcome<Self, SignUpStep> {
        do throws(NativeAuthError) {
            let progress = try await state.submit(attributes)
            // The server asks again for attributes that it did not get.
            if case .attributesRequired(let again) = progress, let refusal = missing(again) {
                return .retry(Self(again), refusal)
            }
            return .next(SignUpStep(progress))
        } catch {
            guard let refusal = AttributesRefusal(error, required: state.required, submitted: attributes) else {
                throw SignUpError(error)
            }
            return .retry(Self(state), refusal)
        }
    }

    /// Nil when `again` asks for none of the attributes asked for here: then it is a further page.
    private borrowing func missing(_ again: SignUpAttributesState) -> AttributesRefusal? {
        let asked = Set(state.required.map(\.name))
        let problems = again.required.filter { asked.contains($0.name) && $0.isRequired }
            .map { AttributeProblem(name: $0.name, attribute: $0, hint: .missing) }
        guard !problems.isEmpty else { return nil }
        var details = ErrorDetails(correlationID: again.flow.correlationID)
        details.reason = "Attributes are missing: \(problems.map(\.name).joined(separator: ", "))."
        return .invalidAttributes(problems, details)
    }

    public typealias Refusal = AttributesRefusal

    public var content: StepContent { StepContent(.signUpAttributes, state.flow) { $0.required = state.required } }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.signUpAttributes), let required = content.fields.required else { return nil }
        self.init(SignUpAttributesState(required: required, flow: flow))
    }
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
public struct SignUpCompleted: ~Copyable, FlowStep {
    private let state: CompletedState

    init(_ state: CompletedState) {
        self.state = state
    }

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
        do throws(NativeAuthError) {
            return .next(SignInNext(try await state.signIn(scopes: scopes, claims: claims)))
        } catch {
            guard let refusal = ServiceError(retrying: error) else { throw SignInError(error) }
            return .retry(Self(state), refusal)
        }
    }

    public typealias Refusal = ServiceError

    public var content: StepContent { StepContent(.signUpCompleted, state.flow) }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.signUpCompleted) else { return nil }
        self.init(CompletedState(flow: flow))
    }
}
