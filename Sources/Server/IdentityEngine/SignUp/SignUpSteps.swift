package import NativeAuthCore
import PortableFoundation

// The steps of a sign-up, in order. Each has two parts: the engine prepares what takes time, and the state decides, as a
// pure function, inside the transaction. SignUpStateTests has the table of all decisions, with every refused pair.

extension Engine {
    /// Starts a sign-up. Nothing is written: the token holds the whole draft (design record 0014).
    func startSignUp(_ request: SignUpRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        let flow = context.userFlow
        guard flow.allowsSignUp else { return context.outcome(.refused(.signUpNotAllowed)) }
        if let missing = flow.neededChallengeTypes.first(where: { !request.accepted.contains($0) }) {
            return context.outcome(.accepted(.redirectToBrowser(.missingChallengeType(missing))))
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
            capabilities: request.capabilities.with(request.accepted))
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

    private func isTaken(_ draft: SignUpDraft, in context: RequestContext) async throws(EngineError) -> Bool {
        do {
            let keys = draft.identifiers.map(\.key)
            let (taken, reserved) = try await ports.users.taken(
                keys, marks: keys.map { mark(of: $0, in: context.tenant.id) }, in: context.tenant.id)
            return !taken.isEmpty || reserved.contains { $0.until > context.now }
        } catch {
            throw .store(error)
        }
    }

    private func check(_ password: Secret<String>, for draft: SignUpDraft, in context: RequestContext) -> PasswordFault?
    {
        check(
            password, emailLocalPart: draft.email.localPart, alias: draft.alias?.display, attributes: draft.attributes,
            in: context.tenant)
    }
}

extension Engine {
    /// Sends a code, or answers that a password is required.
    func challengeSignUp(
        to target: String?, accepted: Set<ChallengeType>?, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        guard let step = naming(target, step) else { return step.refused(.invalidContact) }
        guard case .signUp(let state) = step.state, let email = state.draft?.email else {
            return step.refused(.notAllowedNow)
        }
        let isOfIdentity = state.draft?.identity != nil
        let needed = isOfIdentity ? [.oneTimePasscode] : context.userFlow.neededChallengeTypes
        if let accepted, let missing = needed.first(where: { !accepted.contains($0) }) {
            return step.redirected(missing: missing)
        }
        // The owner of an identity learns of the account when the mailbox is proven, and links it.
        let owner =
            context.hidesAccounts && !isOfIdentity ? try await account(named: email.key, in: context) : nil
        // Drawn before the pure decision, which may not use it; without a mail the code stays secret.
        let digits = drawCode()
        let use = state.isProven ? nil : CodeUse.sending(.signUp)
        return try await run(step, reading: StepReads(code: use), keepsAnswer: false) { situation in
            let fresh = freshCode(digits, situation, step, to: .mailbox(email), for: .signUp)
            return state.challenging(
                with: fresh, owner: owner.flatMap { EmailAddress(stored: $0.user.email) }, in: situation
            ).map(FlowState.signUp)
        }
    }
}

extension Engine {
    /// The step of a sign-up. One that a provider began without an address gets the named one; nil: that is no address.
    private func naming(_ target: String?, _ step: Step) -> Step? {
        guard case .federated(let draft) = step.state, let found = draft.found else { return step }
        guard let email = target.flatMap({ EmailAddress($0) }) else { return nil }
        return step.with(
            .signUp(.started(SignUpDraft(email, found, in: step.context.userFlow, draft.capabilities))))
    }
}

extension SignUpState {
    /// Asks for a challenge: sends a code, for the first time or again, or answers that a password is required.
    ///
    /// - Parameter owner: The mailbox of the account that already has the address, when only its owner may learn so:
    ///   the owner gets a notice in place of the code (`SEC-ENUM-2`).
    package func challenging(
        with fresh: FreshCode, owner: EmailAddress? = nil, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .started(let draft), .awaitingCode(let draft):
            situation.sendCode(
                fresh, to: .mailbox(owner ?? draft.email), for: owner == nil ? .signUp : .accountExists,
                next: .awaitingCode(draft)
            ) {
                .proveAddress(situation.delivery(to: draft.email.masked, resendIn: $0, length: $1))
            }
        case .choosingCredential(let draft), .awaitingPassword(let draft):
            Decision(.accepted(.enterPassword), next: .awaitingPassword(draft))
        case .asking, .awaitingAttributes, .completed:
            .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Judges the code that went to the new address.
    func submitSignUpCode(_ code: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .signUp(let state) = step.state, let draft = state.draft else {
            return step.refused(.notAllowedNow)
        }
        guard let digits = digits(of: code) else { return step.refused(.incorrectCode) }
        let newUser = UserID(ports.randomness.uuid())
        let reads = StepReads(identifiers: draft.identifiers.map(\.key), code: .judging(.signUp, digits))
        let owner = draft.identity == nil ? nil : try await account(named: draft.email.key, in: step.context)
        let outcome = try await run(step, reading: reads) { situation in
            let decision = state.submitting(
                code: { matches(digits, $0, situation, step, to: .mailbox(draft.email), for: .signUp) },
                newUser: newUser,
                in: situation)
            return decision.linked(draft, to: owner, in: situation) ?? decision.map(FlowState.signUp)
        }
        // The proof is committed. A hook is asked now, in the same request; a repeated request gets here again by the
        // stored answer of this half.
        guard outcome.allowed == .askAboutSignUp, let token = outcome.token else { return outcome }
        switch await open(token, for: .askAboutSignUp, in: step.context) {
        case .success(let next): return try await askAboutSignUp(next)
        case .failure(let fault): return step.refused(Refusal(fault))
        }
    }
}

extension SignUpState {
    /// Submits a code.
    ///
    /// - Parameter matches: Whether the submitted digits match a digest; called at most once, and only when a
    ///   comparison is allowed (`SEC-OTP-3`).
    package func submitting(
        code matches: (CodeRecord) -> Bool, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingCode(let draft):
            // When answers must hide that the address is taken, every code for it is wrong (SEC-ENUM-2).
            let isHidden =
                situation.hidesAccounts && draft.identity == nil && situation.taken.contains(draft.email.key)
            switch situation.judgeCode(matches: { matches($0) && !isHidden })
                as StepSituation.CodeJudgement<SignUpState>
            {
            case .refused(let decision): return decision
            case .proven(let row, let effects):
                return Self.proceeding(with: draft, newUser: newUser, row: row, effects: effects, in: situation)
            }
        case .started, .asking, .choosingCredential, .awaitingPassword, .awaitingAttributes, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Asks the receivers of hooks about a sign-up whose mailbox the step before has proven.
    func askAboutSignUp(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .signUp(let state) = step.state, let draft = state.draft else {
            return step.refused(.notAllowedNow)
        }
        if case .answered(let outcome) = try await admit(step) { return outcome }
        let ruling = try await rule(on: draft, isFirst: true, in: step.context)
        let newUser = UserID(ports.randomness.uuid())
        return try await run(step, reading: StepReads(identifiers: draft.identifiers.map(\.key))) { situation in
            state.continuing(under: ruling, newUser: newUser, in: situation).map(FlowState.signUp)
        }
    }
}

extension SignUpState {
    /// Goes on after the receivers of hooks have answered.
    package func continuing(
        under ruling: SignUpRuling, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .asking(let draft):
            var row = situation.row
            row.revision += 1
            return Self.proceeding(
                with: draft, under: ruling, newUser: newUser, row: row, effects: [], in: situation)
        case .started, .awaitingCode, .choosingCredential, .awaitingPassword, .awaitingAttributes, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Takes the password of the new account.
    func submitSignUpPassword(_ password: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .signUp(let state) = step.state, let draft = state.draft else {
            return step.refused(.notAllowedNow)
        }
        if let fault = check(password, for: draft, in: step.context) {
            return step.refused(.unacceptablePassword(fault))
        }
        if case .answered(let outcome) = try await admit(step) { return outcome }
        let ruling =
            step.context.asksAboutSignUps ? try await rule(on: draft, isFirst: true, in: step.context) : nil
        let hash = try await hash(password, in: .signUps)
        let newUser = UserID(ports.randomness.uuid())
        return try await run(step, reading: StepReads(identifiers: draft.identifiers.map(\.key))) { situation in
            state.submitting(password: hash, under: ruling, newUser: newUser, in: situation).map(FlowState.signUp)
        }
    }
}

extension SignUpState {
    /// Submits a password that the policy accepted, hashed.
    ///
    /// - Parameter ruling: What the receivers of hooks say; nil without hooks.
    package func submitting(
        password hash: PasswordHash, under ruling: SignUpRuling? = nil, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingPassword(var draft):
            draft.passwordHash = hash
            var row = situation.row
            row.revision += 1
            return Self.proceeding(
                with: draft, under: ruling, newUser: newUser, row: row, effects: [], in: situation)
        case .started, .awaitingCode, .asking, .choosingCredential, .awaitingAttributes, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Takes the attributes of the new account.
    func submitSignUpAttributes(
        _ attributes: SubmittedAttributes, _ step: Step
    ) async throws(EngineError) -> Outcome {
        guard case .signUp(let state) = step.state, var draft = state.draft else {
            return step.refused(.notAllowedNow)
        }
        let judged = step.context.userFlow.judge(attributes)
        guard judged.invalid.isEmpty else { return step.refused(.invalidAttributes(judged.invalid)) }
        draft.attributes.merge(judged.accepted) { $1 }
        var ruling: SignUpRuling?
        if state.isProven, step.context.asksAboutSignUps {
            // A hook is asked once for a request that has a chance, and not for a spent token.
            if case .answered(let outcome) = try await admit(step) { return outcome }
            ruling = try await rule(on: draft, isFirst: false, in: step.context)
        }
        let newUser = UserID(ports.randomness.uuid())
        return try await run(
            step, reading: StepReads(identifiers: draft.identifiers.map(\.key))
        ) { [ruling] situation in
            state.submitting(
                attributes: judged.accepted, ignored: judged.ignored, under: ruling, newUser: newUser, in: situation
            ).map(FlowState.signUp)
        }
    }
}

extension SignUpState {
    /// Submits attributes that follow their rules.
    ///
    /// - Parameters:
    ///   - ignored: The number of other attributes in the request.
    ///   - ruling: What the receivers of hooks say; nil without hooks.
    package func submitting(
        attributes: [String: AttributeValue], ignored: Int = 0, under ruling: SignUpRuling? = nil, newUser: UserID,
        in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingCode(var draft):
            // Stored in the token; the proof of the address comes first (docs/protocol.md §4.3).
            draft.attributes.merge(attributes) { $1 }
            draft.ignoredAttributes += ignored
            return Decision(.accepted(.verifyFirst(unverified: ["email"])), next: .awaitingCode(draft))
        case .awaitingAttributes(var draft):
            draft.attributes.merge(attributes) { $1 }
            draft.ignoredAttributes += ignored
            // The client can replace a taken alias with the same token; it cannot replace a taken address.
            if let alias = draft.alias, situation.taken.contains(alias.key) {
                return .refused(.userAlreadyExists)
            }
            let missing = situation.userFlow.missingAttributes(in: draft.attributes)
            guard missing.isEmpty else {
                return Decision(.accepted(.collectAttributes(missing)), next: .awaitingAttributes(draft))
            }
            if case .askAgain(_, let names, let reason)? = ruling {
                return .refused(.refusedAttributes(names, reason: reason))
            }
            var row = situation.row
            row.revision += 1
            return Self.proceeding(
                with: draft, under: ruling, newUser: newUser, row: row, effects: [], in: situation)
        case .started, .asking, .choosingCredential, .awaitingPassword, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension SignUpState {
    /// Continues after the address is proven: asks for what is still missing, or creates the account.
    ///
    /// - Parameter ruling: What the receivers of hooks say; nil before they were asked, and without hooks.
    static func proceeding(
        with draft: SignUpDraft, under ruling: SignUpRuling? = nil, newUser: UserID, row: FlowRow,
        effects: [FlowEffect], in situation: StepSituation
    ) -> Decision<SignUpState> {
        var (row, draft) = (row, draft)
        if case .proceed(let attributes)? = ruling { draft.attributes = attributes }
        // Another flow has taken this address, alias or identity first (REL-HA-1). This flow can no longer succeed.
        guard draft.identifiers.allSatisfy({ !situation.taken.contains($0.key) }), !situation.isCredentialTaken else {
            row.isEnded = true
            return Decision(
                .refused(.userAlreadyExists), row: row, effects: effects + [.record(.signUpRefused, detail: "taken")])
        }
        switch situation.userFlow.method {
        case .emailPassword where draft.passwordHash == nil && draft.identity == nil:
            return Decision(
                .accepted(.chooseCredential), next: .choosingCredential(draft), row: row, effects: effects)
        case .emailPassword, .emailOneTimePasscode:
            break
        }
        switch ruling {
        case nil where situation.asksAboutSignUps:
            return Decision(.accepted(.requestChallenge), next: .asking(draft), row: row, effects: effects)
        case nil, .proceed: break
        case .askAgain(let attributes, let names, reason: _):
            draft.attributes = attributes
            for name in names { draft.attributes[name] = nil }
            let wanted = situation.userFlow.attributes.filter { names.contains($0.name) }.map(\.asRequired)
            return Decision(
                .accepted(.collectAttributes(wanted)), next: .awaitingAttributes(draft), row: row, effects: effects)
        case .block(let reason):
            row.isEnded = true
            return Decision(
                .refused(.blockedByHook(reason: reason)), row: row,
                effects: effects + [.record(.signUpRefused, detail: "hook")])
        }
        let missing = situation.userFlow.missingAttributes(in: draft.attributes)
        guard missing.isEmpty else {
            return Decision(
                .accepted(.collectAttributes(missing)), next: .awaitingAttributes(draft), row: row, effects: effects)
        }
        var completed = Authentication(
            account: .account(newUser, credentialVersion: 0), email: draft.email, origin: .signUp,
            knowsPassword: draft.passwordHash != nil, mailboxes: draft.isProvenByProvider ? [] : [draft.email],
            authenticatedAt: situation.now, capabilities: draft.capabilities)
        let linked = draft.identity.map { situation.adding($0, to: newUser) } ?? []
        if draft.identity != nil { completed = completed.proving(.identityOfMailbox) }
        // The account is made with the identity, so no other owner could lose by the provider's word.
        completed.stated = draft.identity?.stated
        let count = draft.ignoredAttributes
        let ignored: [FlowEffect] =
            count > 0 ? [.record(.attributesIgnored, user: newUser, detail: "\(count)")] : []
        return Decision(
            .accepted(.signIn), next: .completed(completed), row: row,
            effects: effects + [.createUser(draft, id: newUser)] + linked + [.record(.signUpCompleted, user: newUser)]
                + ignored)
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

extension UserFlow {
    /// The required attributes that `given` lacks, in the order of the flow.
    package func missingAttributes(in given: [String: AttributeValue]) -> [RequiredAttribute] {
        attributes.filter { $0.isRequired && given[$0.name] == nil }.map(\.asRequired)
    }
}
