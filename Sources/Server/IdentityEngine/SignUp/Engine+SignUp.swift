import NativeAuthCore
import PortableFoundation

// The steps of a sign-up: the engine opens the token and reads the facts, the flow decides.
extension Engine {
    /// Starts a sign-up. Nothing is written: the token holds the whole draft (design record 0014).
    func startSignUp(_ request: SignUpRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        let flow = context.userFlow
        if let missing = flow.neededChallengeTypes.first(where: { !request.accepted.contains($0) }) {
            return context.outcome(
                .accepted(.redirectToBrowser(reason: "Client is missing \(missing.rawValue) challenge type")))
        }
        guard let email = EmailAddress(request.username) else {
            return context.outcome(.refused(.invalidUsername))
        }
        if request.password != nil && flow.method == .emailOneTimePasscode {
            return context.outcome(.refused(.passwordNotUsed))
        }
        let judged = flow.judge(request.attributes)
        var draft = SignUpDraft(
            email: email, passwordHash: nil, attributes: judged.accepted, ignoredAttributes: judged.ignored,
            capabilities: request.capabilities)
        if !context.hidesAccounts, try await isTaken(draft, in: context) {
            return context.outcome(.refused(.userAlreadyExists))
        }
        if let password = request.password, let fault = check(password, for: draft, in: context) {
            return context.outcome(.refused(.unacceptablePassword(fault)))
        }
        guard judged.invalid.isEmpty else {
            return context.outcome(.refused(.invalidAttributes(judged.invalid)))
        }
        if let password = request.password {
            draft.passwordHash = try await hash(password, in: .signUps)
        }
        // Only attributes can make a state too long for a token.
        return try begin(.signUp(.started(draft)), in: context)
            ?? context.outcome(.refused(.invalidAttributes([UserFlow.wholeParameter])))
    }

    func challengeSignUp(
        _ token: ContinuationToken, accepted: Set<ChallengeType>?, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeSignUp, in: context) { opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, let email = state.draft?.email else {
                return context.outcome(.refused(.notAllowedNow))
            }
            if let accepted,
                let missing = context.userFlow.neededChallengeTypes.first(where: { !accepted.contains($0) })
            {
                return context.outcome(
                    .accepted(.redirectToBrowser(reason: "Client is missing \(missing.rawValue) challenge type")))
            }
            let owner = context.hidesAccounts ? try await account(named: email.key, in: context) : nil
            // Drawn before the pure decision, which may not use it; without a mail the code stays secret.
            let digits = drawCode()
            let use = state.isProven ? nil : CodeUse.sending(.signUp)
            return try await step(opened, StepReads(code: use), keepsAnswer: false, in: context) { situation in
                let fresh = freshCode(digits, situation, of: opened, to: email, for: .signUp, in: context)
                return state.challenging(
                    with: fresh, owner: owner.flatMap { EmailAddress(stored: $0.user.email) }, in: situation
                ).map(FlowState.signUp)
            }
        }
    }

    func submitSignUpCode(
        _ token: ContinuationToken, _ code: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: .submitSignUpCode, content: [Data((digits ?? code).reveal().utf8)], in: context
        ) {
            opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, let draft = state.draft else {
                return context.outcome(.refused(.notAllowedNow))
            }
            guard let digits else { return context.outcome(.refused(.incorrectCode)) }
            let newUser = UserID(ports.randomness.uuid())
            let reading = StepReads(identifiers: draft.identifiers.map(\.key), code: .judging(.signUp, digits))
            return try await step(opened, reading, in: context) { situation in
                state.submitting(
                    code: { matches(digits, $0, situation, of: opened, to: draft.email, for: .signUp, in: context) },
                    newUser: newUser, in: situation
                ).map(FlowState.signUp)
            }
        }
    }

    func submitSignUpPassword(
        _ token: ContinuationToken, _ password: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .submitSignUpPassword, content: [Data(password.reveal().utf8)], in: context) {
            opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, let draft = state.draft else {
                return context.outcome(.refused(.notAllowedNow))
            }
            if let fault = check(password, for: draft, in: context) {
                return context.outcome(.refused(.unacceptablePassword(fault)))
            }
            if case .answered(let outcome) = try await admit(opened, in: context) { return outcome }
            let hash = try await hash(password, in: .signUps)
            let newUser = UserID(ports.randomness.uuid())
            return try await step(opened, StepReads(identifiers: draft.identifiers.map(\.key)), in: context) {
                situation in
                state.submitting(password: hash, newUser: newUser, in: situation).map(FlowState.signUp)
            }
        }
    }

    func submitSignUpAttributes(
        _ token: ContinuationToken, _ attributes: SubmittedAttributes, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .submitSignUpAttributes, content: attributes.digestContent, in: context) {
            opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, var draft = state.draft else {
                return context.outcome(.refused(.notAllowedNow))
            }
            let judged = context.userFlow.judge(attributes)
            guard judged.invalid.isEmpty else {
                return context.outcome(.refused(.invalidAttributes(judged.invalid)))
            }
            draft.attributes.merge(judged.accepted) { $1 }
            let newUser = UserID(ports.randomness.uuid())
            return try await step(opened, StepReads(identifiers: draft.identifiers.map(\.key)), in: context) {
                situation in
                state.submitting(
                    attributes: judged.accepted, ignored: judged.ignored, newUser: newUser, in: situation
                ).map(FlowState.signUp)
            }
        }
    }

    private func isTaken(_ draft: SignUpDraft, in context: RequestContext) async throws(EngineError) -> Bool {
        do {
            return try await !ports.users.taken(draft.identifiers.map(\.key), in: context.tenant.id).isEmpty
        } catch {
            throw .store(error)
        }
    }

    private func check(_ password: Secret<String>, for draft: SignUpDraft, in context: RequestContext) -> PasswordFault?
    {
        check(
            password, emailLocalPart: draft.email.localPart, alias: draft.alias?.display, attributes: draft.attributes,
            in: context)
    }
}

extension UserFlow {
    /// The challenge types that a client must be able to handle to sign up here (docs/protocol.md §3.2).
    var neededChallengeTypes: [ChallengeType] {
        switch method {
        case .emailOneTimePasscode: [.oneTimePasscode]
        case .emailPassword: [.oneTimePasscode, .password]
        }
    }
}

extension SubmittedAttributes {
    /// Names and values as one unambiguous list.
    fileprivate var digestContent: [Data] {
        values.flatMap { [Data($0.name.utf8), Data(($0.value?.description ?? "").utf8)] }
    }
}
