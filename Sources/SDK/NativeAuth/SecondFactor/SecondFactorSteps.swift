/// A code that was sent, and the methods that can send another one.
public struct MethodCode: Hashable, Sendable {
    /// The target and the length of the code.
    public let code: SentCode
    /// The methods that the user can choose from.
    public let methods: [AuthMethod]
}

// MARK: - A second factor

/// The user must give a second factor.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct MFARequired: ~Copyable, FlowStep, StateStep {
    let state: MFAState

    /// The methods that the user can choose from; at least one.
    public var info: [AuthMethod] { state.methods }

    /// Sends a code with `method`.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestCode(
        by method: AuthMethod
    ) async throws(SignInError) -> Outcome<Self, MFACodeRequired> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            MFACodeRequired(state: try await state.requestChallenge(method))
        }
    }

    public typealias Refusal = MethodRefusal
    public var content: StepContent { StepContent(.mfa, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .mfa) }
    init(state: MFAState) { self.state = state }
}

/// The user must type the code of their second factor.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct MFACodeRequired: ~Copyable, FlowStep, StateStep {
    let state: MFACodeState

    /// The target of the code, and the methods that can send another one.
    public var info: MethodCode { MethodCode(code: state.code, methods: state.choice.methods) }

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// An app with ``ChallengeType/passkey`` or ``ChallengeType/authenticatorApp`` in its configuration calls ``prove(code:rememberingDevice:)``: there a
    /// sign-in can go on.
    ///
    /// - Parameters:
    ///   - code: What the user typed.
    ///   - rememberingDevice: Whether the user wants this device to be remembered, where the server offers it
    ///     (``SentCode/rememberableFor``). The client keeps a key for that in the token cache.
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(
        code: String, rememberingDevice: Bool = false
    ) async throws(SignInError) -> Outcome<Self, Account> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            try await state.remembering(rememberingDevice).submit(code: code)
        }
    }

    /// Submits the code, and gives the next step. Where the sign-in demands a method that the user does not have, such as a passkey or an
    /// authenticator app, the code is what allows the user to register one: ``SignInNext/registrationRequired(_:)``.
    ///
    /// - Parameters: As of ``submit(code:rememberingDevice:)``.
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func prove(
        code: String, rememberingDevice: Bool = false
    ) async throws(SignInError) -> Outcome<Self, SignInNext> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            SignInNext(try await state.remembering(rememberingDevice).prove(code: code))
        }
    }

    /// Sends another code, with the same or another method. After a refusal the earlier code can still be submitted.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestCode(by method: AuthMethod) async throws(SignInError) -> Outcome<Self, Self> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.choice.requestChallenge(method))
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.mfaCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .mfaCode) }
    init(state: MFACodeState) { self.state = state }
}

// MARK: - Registration of a second factor

/// The user must register a strong authentication method before the sign-in completes.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct RegistrationRequired: ~Copyable, FlowStep, StateStep {
    let state: RegistrationState

    /// The methods that the user can choose from; at least one.
    public var info: [AuthMethod] { state.methods }

    /// Sends a code to `contact`, or signs in at once if the contact was verified a moment ago.
    ///
    /// - Parameters:
    ///   - contact: The e-mail address or telephone number, such as the method's ``AuthMethod/loginHint``.
    ///   - method: One of the methods in ``info``.
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestCode(
        to contact: String, by method: AuthMethod
    ) async throws(SignInError) -> Outcome<Self, RegistrationStep> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            RegistrationStep(try await state.requestChallenge(method, contact: contact))
        }
    }

    /// Asks for the key of a new authenticator app. ``FlowStep/info`` has a method with ``AuthMethod/isAuthenticatorApp`` where one can
    /// be registered: the app's configuration has ``ChallengeType/authenticatorApp``, and the user has proven the own mailbox or another
    /// method. Each call gives another key.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestAuthenticatorKey()
        async throws(SignInError) -> Outcome<Self, RegistrationAppRequired>
    {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            RegistrationAppRequired(state: try await state.requestKey())
        }
    }

    public typealias Refusal = MethodRefusal
    public var content: StepContent { StepContent(.registration, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .registration) }
    init(state: RegistrationState) { self.state = state }
}

/// The user must add the key to an authenticator app, and type the code that the app shows. Until then nothing has changed.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct RegistrationAppRequired: ~Copyable, FlowStep, StateStep {
    let state: RegistrationAppState

    /// The key to show to the user.
    public var info: AuthenticatorKey { state.key }

    /// Submits a code of the app, which registers the app, and asks for tokens with the scopes and claims that the sign-in began with.
    /// The code is used up: for a sign-in the user needs the next one, which the app shows within 30 seconds. A wrong code is a retry, five
    /// for each key.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, Account> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            try await state.submit(code: code)
        }
    }

    /// Returns to the choice of a method. The next call gives another key.
    public consuming func chooseAgain() -> RegistrationRequired {
        RegistrationRequired(state: state.choice)
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.registrationApp, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .registrationApp) }
    init(state: RegistrationAppState) { self.state = state }
}

/// The step after the choice of a method to register.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
@frozen
public enum RegistrationStep: ~Copyable, Sendable {
    /// A code was sent to the contact.
    case codeRequired(RegistrationCodeRequired)
    /// The contact was already verified: the user is signed in.
    case completed(Account)

    init(_ next: RegistrationNextState) {
        self =
            switch next {
            case .codeRequired(let state): .codeRequired(RegistrationCodeRequired(state: state))
            case .completed(let account): .completed(account)
            }
    }
}

/// The user must type the code that was sent to the contact.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct RegistrationCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: RegistrationCodeState

    /// The contact that the code was sent to, not masked, and the methods to choose from.
    public var info: MethodCode { MethodCode(code: state.code, methods: state.choice.methods) }

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, Account> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            try await state.submit(code: code)
        }
    }

    /// Sends another code to the same contact; if it was verified meanwhile, signs in at once. After a refusal the
    /// earlier code can still be submitted.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func resend() async throws(SignInError) -> Outcome<Self, RegistrationStep> {
        try await outcome(or: SignInError.self) { (state) async throws(NativeAuthError) in
            let (code, methods) = (state.code, state.choice.methods)
            let method = methods.first { $0.channel == code.channel } ?? methods[0]
            return RegistrationStep(try await state.choice.requestChallenge(method, contact: code.sentTo))
        }
    }

    /// Returns to the choice, to send a code to another contact. The code that was sent cannot be submitted after that.
    public consuming func chooseAgain() -> RegistrationRequired {
        RegistrationRequired(state: state.choice)
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.registrationCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .registrationCode) }
    init(state: RegistrationCodeState) { self.state = state }
}
