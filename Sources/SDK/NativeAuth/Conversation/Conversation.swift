import NativeAuthCore

/// Leads a flow to its end: asks the prompts, and calls the steps with the answers.
struct Conversation: Sendable {
    let prompts: any FlowPrompts

    // MARK: Flows

    func signUp(_ first: SignUpCodeState) async throws(NativeAuthError) -> CompletedState {
        var next = try await code(
            first, submit: { (state, code) async throws(NativeAuthError) in try await state.submit(code: code) },
            resend: { (state) async throws(NativeAuthError) in try await state.resend() })
        while true {
            switch next {
            case .passwordRequired(let state):
                next = try await newPassword(state) { (state, password) async throws(NativeAuthError) in
                    try await state.submit(password: password)
                }
            case .attributesRequired(let state): next = try await attributes(state)
            case .completed(let state): return state
            }
        }
    }

    func signIn(_ first: SignInFirstState) async throws(NativeAuthError) -> Account {
        switch first {
        case .codeRequired(let state):
            let next = try await code(
                state, submit: { (state, code) async throws(NativeAuthError) in try await state.submit(code: code) },
                resend: { (state) async throws(NativeAuthError) in try await state.resend() })
            return try await signIn(next)
        case .passwordRequired(let state): return try await signIn(try await password(state))
        case .next(let next): return try await signIn(next)
        }
    }

    func signIn(_ first: SignInNextState) async throws(NativeAuthError) -> Account {
        var next = first
        while true {
            switch next {
            case .mfaRequired(let choice): next = try await secondFactor(choice)
            case .registrationRequired(let choice): return try await registration(choice)
            case .completed(let account): return account
            }
        }
    }

    /// The code of a reset.
    func code(_ first: ResetPasswordCodeState) async throws(NativeAuthError) -> NewPasswordState {
        try await code(
            first, submit: { (state, code) async throws(NativeAuthError) in try await state.submit(code: code) },
            resend: { (state) async throws(NativeAuthError) in try await state.resend() })
    }

    /// The new password of a reset.
    func newPassword(_ first: NewPasswordState) async throws(NativeAuthError) -> CompletedState {
        try await newPassword(first) { (state, password) async throws(NativeAuthError) in
            try await state.submit(password: password)
        }
    }

    /// The codes of a change to a contact: of the own mailbox first when the server asks for it, and of the new one.
    func contact(_ first: ContactCodeState) async throws(NativeAuthError) {
        var next: ContactCodeState? = first
        while let state = next {
            next = try await settle(state) { (prompts, state, problem: CodeRefusal?) in
                try await prompts.code(state.code, problem: problem)
            } call: { (state, answer) async throws(NativeAuthError) -> Turn<ContactCodeState, ContactCodeState?> in
                switch answer {
                case .code(let code), .codeRememberingDevice(let code): .done(try await state.submit(code: code))
                case .anotherCode, .anotherMethod: .again(try await state.resend())
                }
            }
        }
    }

    // MARK: Questions

    private func code<Next: Sendable>(
        _ first: CodeState<Next>, submit: (CodeState<Next>, String) async throws(NativeAuthError) -> Next,
        resend: (CodeState<Next>) async throws(NativeAuthError) -> CodeState<Next>
    ) async throws(NativeAuthError) -> Next {
        try await settle(first) { (prompts, state, problem: CodeRefusal?) in
            try await prompts.code(state.code, problem: problem)
        } call: { (state, answer) async throws(NativeAuthError) -> Turn<CodeState<Next>, Next> in
            switch answer {
            case .code(let code), .codeRememberingDevice(let code): .done(try await submit(state, code))
            case .anotherCode, .anotherMethod: .again(try await resend(state))
            }
        }
    }

    private func password(_ first: SignInPasswordState) async throws(NativeAuthError) -> SignInNextState {
        try await settle(first) { (prompts, _, problem: PasswordRefusal?) in
            try await prompts.password(problem: problem)
        } call: { (state, password) async throws(NativeAuthError) -> Turn<SignInPasswordState, SignInNextState> in
            .done(try await state.submit(password: password))
        }
    }

    private func newPassword<State: StepState, Next: Sendable>(
        _ first: State, submit: (State, String) async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        try await settle(first) { (prompts, _, problem: NewPasswordRefusal?) in
            try await prompts.newPassword(problem: problem)
        } call: { (state, password) async throws(NativeAuthError) -> Turn<State, Next> in
            .done(try await submit(state, password))
        }
    }

    private func attributes(_ first: SignUpAttributesState) async throws(NativeAuthError) -> SignUpNextState {
        var (state, problem) = (first, nil as AttributesRefusal?)
        while true {
            let (required, before) = (state.required, problem)
            let answer = try await ask(state.flow) { prompts in
                try await prompts.attributes(required, problem: before)
            }
            do throws(NativeAuthError) {
                let next = try await state.submit(answer)
                guard case .attributesRequired(let again) = next, let missing = state.missing(in: again) else {
                    return next
                }
                (state, problem) = (again, missing)
            } catch {
                problem = AttributesRefusal(error, required: required, submitted: answer)
                if problem == nil { throw error }
            }
        }
    }

    private func secondFactor(_ first: MFAState) async throws(NativeAuthError) -> SignInNextState {
        var choice = first
        while true {
            let chosen = try await settle(choice) { (prompts, choice, problem: MethodRefusal?) in
                try await prompts.method(among: choice.methods, problem: problem)
            } call: { (choice, method) async throws(NativeAuthError) -> Turn<MFAState, ChosenMethod> in
                guard method.isPasskey else { return .done(.code(method, try await choice.requestChallenge(method))) }
                let device = try await ask(choice.flow) { prompts in try await prompts.passkeys() }
                do throws(PasskeyFailure) {
                    return .done(.signedIn(try await choice.verify(with: device, style: .modal)))
                } catch {
                    throw error.asNativeAuthError
                }
            }
            let (method, sent): (AuthMethod, MFACodeState)
            switch chosen {
            case .signedIn(let account): return .completed(account)
            case .code(let chosen, let state): (method, sent) = (chosen, state)
            }
            let end = try await methodCode(sent) { (state, code) async throws(NativeAuthError) in
                try await state.prove(code: code)
            } resend: { (choice) async throws(NativeAuthError) in
                .again(try await choice.requestChallenge(method))
            }
            switch end {
            case .proven(let next): return next
            case .choosing(let latest): choice = latest
            }
        }
    }

    /// What became of a chosen method.
    private enum ChosenMethod: Sendable {
        case code(AuthMethod, MFACodeState)
        case signedIn(Account)
    }

    private func registration(_ first: RegistrationState) async throws(NativeAuthError) -> Account {
        var choice = first
        while true {
            let chosen = try await settle(choice) { (prompts, choice, problem: MethodRefusal?) in
                try await prompts.method(among: choice.methods, problem: problem)
            } call: { (choice, method) async throws(NativeAuthError) -> Turn<RegistrationState, ChosenRegistration> in
                if method.isAuthenticatorApp { return .done(.app(try await choice.requestKey())) }
                guard method.isPasskey else { return .done(.contact(of: method)) }
                let device = try await ask(choice.flow) { prompts in try await prompts.passkeys() }
                do throws(PasskeyFailure) {
                    return .done(.signedIn(try await choice.register(with: device)))
                } catch {
                    throw error.asNativeAuthError
                }
            }
            let method: AuthMethod
            switch chosen {
            case .signedIn(let account): return account
            case .app(let shown):
                switch try await authenticatorApp(shown) {
                case .proven(let account): return account
                case .choosing(let latest):
                    choice = latest
                    continue
                }
            case .contact(of: let chosen): method = chosen
            }
            let next = try await settle(choice) { (prompts, _, problem: MethodRefusal?) in
                try await prompts.contact(for: method, problem: problem)
            } call: { (choice, answer) async throws(NativeAuthError) -> Turn<RegistrationState, Registering?> in
                switch answer {
                case .contact(let contact):
                    .done((contact, try await choice.requestChallenge(method, contact: contact)))
                case .anotherMethod:
                    .done(nil)
                }
            }
            switch next {
            case nil: continue
            case (_, .completed(let account))?: return account
            case (let contact, .codeRequired(let sent))?:
                let end = try await methodCode(sent) { (state, code) async throws(NativeAuthError) in
                    try await state.submit(code: code)
                } resend: { (choice) async throws(NativeAuthError) in
                    switch try await choice.requestChallenge(method, contact: contact) {
                    case .codeRequired(let state): .again(state)
                    case .completed(let account): .done(.proven(account))
                    }
                }
                switch end {
                case .proven(let account): return account
                case .choosing(let latest): choice = latest
                }
            }
        }
    }

    /// What became of a method that was chosen to be registered.
    private enum ChosenRegistration: Sendable {
        case contact(of: AuthMethod)
        case app(RegistrationAppState)
        case signedIn(Account)
    }

    private func authenticatorApp(
        _ first: RegistrationAppState
    ) async throws(NativeAuthError) -> MethodEnd<RegistrationPurpose, Account> {
        typealias End = MethodEnd<RegistrationPurpose, Account>
        return try await settle(first) { (prompts, state, problem: CodeRefusal?) in
            try await prompts.authenticatorKey(state.key, problem: problem)
        } call: { (state, answer) async throws(NativeAuthError) -> Turn<RegistrationAppState, End> in
            switch answer {
            case .code(let code), .codeRememberingDevice(let code):
                .done(.proven(try await state.submit(code: code)))
            case .anotherCode: .again(try await state.choice.requestKey())
            case .anotherMethod: .done(.choosing(state.choice))
            }
        }
    }

    /// A contact, and the step after the code was asked for.
    private typealias Registering = (contact: String, next: RegistrationNextState)

    /// The end of the questions for a code of a method.
    private enum MethodEnd<Purpose: MethodPurpose, Next: Sendable>: Sendable {
        case proven(Next)
        /// The user wants to choose another method.
        case choosing(MethodsState<Purpose>)
    }

    private func methodCode<Purpose, Next>(
        _ first: MethodCodeState<Purpose>,
        submit: (MethodCodeState<Purpose>, String) async throws(NativeAuthError) -> Next,
        resend: (MethodsState<Purpose>) async throws(NativeAuthError) -> Turn<
            MethodCodeState<Purpose>, MethodEnd<Purpose, Next>
        >
    ) async throws(NativeAuthError) -> MethodEnd<Purpose, Next> {
        typealias End = MethodEnd<Purpose, Next>
        return try await settle(first) { (prompts, state, problem: CodeRefusal?) in
            try await prompts.code(state.code, problem: problem)
        } call: { (state, answer) async throws(NativeAuthError) -> Turn<MethodCodeState<Purpose>, End> in
            switch answer {
            case .code(let code): return .done(.proven(try await submit(state, code)))
            case .codeRememberingDevice(let code):
                return .done(.proven(try await submit(state.remembering(true), code)))
            case .anotherCode: return try await resend(state.choice)
            case .anotherMethod: return .done(.choosing(state.choice))
            }
        }
    }

    // MARK: Turns

    /// The result of a call with an answer.
    private enum Turn<State: Sendable, Next: Sendable>: Sendable {
        /// The step is over.
        case done(Next)
        /// The same question about this state, such as another code.
        case again(State)
    }

    /// Asks a question and calls the step with the answer, until the step is over. A refusal that leaves the step usable
    /// leads to the same question, with the refusal.
    private func settle<State: StepState, Refusal: StepRefusal, Answer: Sendable, Next: Sendable>(
        _ first: State,
        question: @escaping @concurrent @Sendable (any FlowPrompts, State, Refusal?) async throws -> Answer,
        call: (State, Answer) async throws(NativeAuthError) -> Turn<State, Next>
    ) async throws(NativeAuthError) -> Next {
        var (state, problem) = (first, nil as Refusal?)
        while true {
            let (current, before) = (state, problem)
            let answer = try await ask(state.flow) { try await question($0, current, before) }
            do throws(NativeAuthError) {
                switch try await call(state, answer) {
                case .done(let next): return next
                case .again(let again): (state, problem) = (again, nil)
                }
            } catch {
                guard let refusal = Refusal(error, attempts: state.flow.attempts) else { throw error }
                state.flow.attempts = refusal.attempts ?? state.flow.attempts
                problem = refusal
            }
        }
    }

    /// Asks the prompts. When the task is cancelled, this stops waiting, whether the prompts notice it or not
    /// (`SDK-CANCEL-1`).
    private func ask<Answer: Sendable>(
        _ flow: Flow, _ question: @escaping @concurrent @Sendable (any FlowPrompts) async throws -> Answer
    ) async throws(NativeAuthError) -> Answer {
        do {
            return try await abandonable { [prompts] in try await question(prompts) }
        } catch let missing as MissingPrompt {
            var details = flow.local("The server's question needs \(missing.method) of FlowPrompts.")
            details.condition = .promptMissing
            throw .invalidConfiguration(details)
        } catch is CancellationError {
            throw .cancelled(flow.local("The flow was ended at a question."))
        } catch {
            throw .cancelled(flow.local("The flow was ended at a question: \(error)."))
        }
    }
}
