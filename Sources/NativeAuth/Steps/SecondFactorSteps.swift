/// A code that is on its way, and the methods to send another one by.
public struct MethodCode: Hashable, Sendable {
    /// Where the code went, and what it looks like.
    public let code: SentCode
    /// What the user can choose from.
    public let methods: [AuthMethod]
}

// MARK: - A second factor

/// The user has to prove a second factor.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
public struct MFARequired: ~Copyable, FlowStep {
    private let state: MFAState

    init(_ state: MFAState) {
        self.state = state
    }

    /// What the user can choose from; at least one.
    public var info: [AuthMethod] { state.methods }

    /// Sends a code by `method`.
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

/// The user has to type the code of their second factor.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
public struct MFACodeRequired: ~Copyable, FlowStep {
    private let state: MFACodeState
    private let attempts: Int

    init(_ state: MFACodeState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// Where the code went, and the other ways to get one.
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

    /// Sends a code again, or by another method. After a refusal the code that was sent before may still be submitted.
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

// MARK: - Its registration

/// The user has to register a strong authentication method before they are signed in.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
public struct RegistrationRequired: ~Copyable, FlowStep {
    private let state: RegistrationState

    init(_ state: RegistrationState) {
        self.state = state
    }

    /// What the user can choose from; at least one.
    public var info: [AuthMethod] { state.methods }

    /// Sends a code to `contact`, or signs in at once if the contact was verified a moment ago.
    ///
    /// - Parameters:
    ///   - contact: The e-mail address or telephone number, such as the method's ``AuthMethod/loginHint``.
    ///   - method: One of those to choose from.
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

/// What comes after the choice of a method to register.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
@frozen
public enum RegistrationStep: ~Copyable, Sendable {
    /// A code was sent to the contact.
    case codeRequired(RegistrationCodeRequired)
    /// The contact had been verified already: the user is signed in.
    case completed(Account)

    init(_ progress: RegistrationProgress) {
        self =
            switch progress {
            case .codeRequired(let state): .codeRequired(RegistrationCodeRequired(state))
            case .completed(let account): .completed(account)
            }
    }
}

/// The user has to type the code that was sent to the contact.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
public struct RegistrationCodeRequired: ~Copyable, FlowStep {
    private let state: RegistrationCodeState
    private let attempts: Int

    init(_ state: RegistrationCodeState, attempts: Int = 0) {
        self.state = state
        self.attempts = attempts
    }

    /// The contact the code went to, not masked, and the methods to choose from.
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

    /// Sends a code again, to the same contact; if it was verified meanwhile, signs in at once. After a refusal the code that
    /// was sent before may still be submitted.
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

    /// Goes back to the choice, to send a code to another contact. There is no way back to the code that was sent.
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
