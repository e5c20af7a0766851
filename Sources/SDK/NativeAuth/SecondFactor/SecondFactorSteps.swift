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
public struct MFARequired: ~Copyable, FlowStep {
    private let state: MFAState

    init(_ state: MFAState) {
        self.state = state
    }

    /// The methods that the user can choose from; at least one.
    public var info: [AuthMethod] { state.methods }

    /// Sends a code with `method`.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestCode(
        by method: AuthMethod
    ) async throws(SignInError) -> Outcome<Self, MFACodeRequired> {
        do throws(NativeAuthError) {
            return .next(MFACodeRequired(try await state.requestChallenge(method)))
        } catch {
            guard let refusal = MethodRefusal(error) else { throw SignInError(error) }
            return .retry(Self(state), refusal)
        }
    }

    public typealias Refusal = MethodRefusal

    public var content: StepContent { StepContent(.mfa, state.flow) { $0.methods = state.methods } }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.mfa), let methods = content.fields.methods else { return nil }
        self.init(MFAState(methods: methods, flow: flow))
    }
}

/// The user must type the code of their second factor.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct MFACodeRequired: ~Copyable, FlowStep {
    private let state: MFACodeState
    private let attempts: Int

    init(_ state: MFACodeState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// The target of the code, and the methods that can send another one.
    public var info: MethodCode { MethodCode(code: state.code, methods: state.choice.methods) }

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, Account> {
        do throws(NativeAuthError) {
            return .next(try await state.submit(code: code))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(Self(state, attempts: refusal.attempts ?? attempts), refusal)
        }
    }

    /// Sends another code, with the same or another method. After a refusal the earlier code can still be submitted.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func requestCode(by method: AuthMethod) async throws(SignInError) -> Outcome<Self, Self> {
        do throws(NativeAuthError) {
            return .next(Self(try await state.choice.requestChallenge(method)))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(Self(state, attempts: attempts), refusal)
        }
    }

    public typealias Refusal = CodeRefusal

    public var content: StepContent {
        StepContent(.mfaCode, state.choice.flow) {
            $0.methods = state.choice.methods
            $0.code = state.code
            $0.attempts = attempts
        }
    }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.mfaCode), let methods = content.fields.methods, let code = content.fields.code
        else { return nil }
        self.init(
            MFACodeState(code: code, choice: MFAState(methods: methods, flow: flow)),
            attempts: content.fields.attempts ?? 0)
    }
}

// MARK: - Registration of a second factor

/// The user must register a strong authentication method before the sign-in completes.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct RegistrationRequired: ~Copyable, FlowStep {
    private let state: RegistrationState

    init(_ state: RegistrationState) {
        self.state = state
    }

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
        do throws(NativeAuthError) {
            return .next(RegistrationStep(try await state.requestChallenge(method, contact: contact)))
        } catch {
            guard let refusal = MethodRefusal(error) else { throw SignInError(error) }
            return .retry(Self(state), refusal)
        }
    }

    public typealias Refusal = MethodRefusal

    public var content: StepContent { StepContent(.registration, state.flow) { $0.methods = state.methods } }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.registration), let methods = content.fields.methods else { return nil }
        self.init(RegistrationState(methods: methods, flow: flow))
    }
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

    init(_ progress: RegistrationProgress) {
        self =
            switch progress {
            case .codeRequired(let state): .codeRequired(RegistrationCodeRequired(state))
            case .completed(let account): .completed(account)
            }
    }
}

/// The user must type the code that was sent to the contact.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct RegistrationCodeRequired: ~Copyable, FlowStep {
    private let state: RegistrationCodeState
    private let attempts: Int

    init(_ state: RegistrationCodeState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// The contact that the code was sent to, not masked, and the methods to choose from.
    public var info: MethodCode { MethodCode(code: state.code, methods: state.choice.methods) }

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func submit(code: String) async throws(SignInError) -> Outcome<Self, Account> {
        do throws(NativeAuthError) {
            return .next(try await state.submit(code: code))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(Self(state, attempts: refusal.attempts ?? attempts), refusal)
        }
    }

    /// Sends another code to the same contact; if it was verified meanwhile, signs in at once. After a refusal the
    /// earlier code can still be submitted.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func resend() async throws(SignInError) -> Outcome<Self, RegistrationStep> {
        let (code, choice) = (state.code, state.choice)
        let method = choice.methods.first { $0.channel == code.channel } ?? choice.methods[0]
        do throws(NativeAuthError) {
            return .next(RegistrationStep(try await choice.requestChallenge(method, contact: code.sentTo)))
        } catch {
            guard let refusal = CodeRefusal(error, attempts: attempts) else { throw SignInError(error) }
            return .retry(Self(state, attempts: attempts), refusal)
        }
    }

    /// Returns to the choice, to send a code to another contact. The code that was sent cannot be submitted after that.
    public consuming func chooseAgain() -> RegistrationRequired {
        RegistrationRequired(state.choice)
    }

    public typealias Refusal = CodeRefusal

    public var content: StepContent {
        StepContent(.registrationCode, state.choice.flow) {
            $0.methods = state.choice.methods
            $0.code = state.code
            $0.attempts = attempts
        }
    }

    public init?(content: StepContent, client: NativeAuthClient) {
        guard let flow = content.flow(.registrationCode), let methods = content.fields.methods, !methods.isEmpty,
            let code = content.fields.code
        else { return nil }
        self.init(
            RegistrationCodeState(code: code, choice: RegistrationState(methods: methods, flow: flow)),
            attempts: content.fields.attempts ?? 0)
    }
}
