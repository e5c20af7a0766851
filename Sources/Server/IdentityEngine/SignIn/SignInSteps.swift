import NativeAuthCore
package import PortableFoundation

// The steps of a sign-in, in order. Each has two parts: the engine prepares what takes time, and the state decides, as a
// pure function, inside the transaction. SignInStateTests has the table of all decisions, with every refused pair.

/// The factors required of a step that may issue tokens, and the tokens, signed before the step's transaction.
package struct PreparedTokens: Hashable, Sendable {
    package var demand: FactorDemand
    /// Nil when the proofs seemed insufficient for tokens.
    package var tokens: IssuedTokens?
    /// Nil when the client asked for no refresh token.
    package var family: RefreshFamily?
    /// The authentication contexts that the tokens state.
    package var contexts: [String]
    /// Whether the tokens wait until the proof of this step is committed: for a receiver, which is asked then, or for the link of
    /// an identity.
    package var waits: Bool
    /// What a browser gets in place of tokens.
    package var browser: PreparedBrowser?
    /// The remembered device that stands for the second factor.
    package var device: RememberedDevice?
    /// The device that is remembered from now on.
    package var remembering: NewRememberedDevice?

    package init(
        demand: FactorDemand, tokens: IssuedTokens? = nil, family: RefreshFamily? = nil, contexts: [String] = [],
        waits: Bool = false, browser: PreparedBrowser? = nil
    ) {
        self.demand = demand
        self.tokens = tokens
        self.family = family
        self.contexts = contexts
        self.waits = waits
        self.browser = browser
    }
}

extension Engine {
    /// Starts a sign-in. Nothing is written (design record 0014).
    func startSignIn(_ request: UsernameRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        let takesNumbers = texts(of: context.tenant)?.signsIn == true
        guard let name = SignInName(request.username, takesNumbers: takesNumbers) else {
            return context.outcome(.refused(.userNotFound))
        }
        var found = try await account(of: name, in: context)
        if context.hidesAccounts, found?.disabledAt != nil { found = nil }
        var phone: StrongMethod?
        if let number = name.phone {
            phone = found?.telephone(number, signingInAt: context.now)
            if phone == nil { found = nil }
        }
        guard let addressee = addressee(of: found, named: name, in: context) else {
            return context.outcome(.refused(.userNotFound))
        }
        guard found?.disabledAt == nil else { return context.outcome(.refused(.accountDisabled)) }
        // The telephone of a decoy gets nothing and proves nothing.
        if let number = name.phone, phone == nil {
            phone = StrongMethod(
                id: addressee.account.user.uuid, contact: .phone(number), provenAt: context.now,
                enrolment: Enrolment(.unknown))
        }
        // When answers hide accounts, every user is asked for the credential of the user flow (SEC-ENUM-3). A number is always
        // proven by a code.
        let hasPassword =
            phone == nil
            && (context.hidesAccounts
                ? context.userFlow.method == .emailPassword
                : found.map { context.hasPassword($0) } ?? false)
        let draft = SignInDraft(
            account: addressee.account, email: addressee.email, phone: phone, label: addressee.label,
            countedName: addressee.countedName, hasPassword: hasPassword,
            capabilities: request.capabilities.with(request.accepted))
        guard request.accepted.contains(draft.neededChallengeType) else {
            return context.outcome(.accepted(.redirectToBrowser(.missingChallengeType(draft.neededChallengeType))))
        }
        return try begin(.signIn(.started(draft)), orNobodyIn: context)
    }
}

extension Engine {
    /// Asks for the password or sends a code, for the first factor or for a method of the second factor.
    func challengeSignIn(
        method id: String?, accepted: Set<ChallengeType>?, _ step: Step
    ) async throws(EngineError) -> Outcome {
        if case .passkey(let draft) = step.state {
            if let accepted, !accepted.contains(.passkey) { return step.redirected(missing: .passkey) }
            return try await challengePasskey(draft, step)
        }
        if case .federated(let draft) = step.state, draft.found == nil {
            if let accepted, !accepted.contains(.federated) { return step.redirected(missing: .federated) }
            return try await challengeFederated(draft, step)
        }
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        // A code of an app is asked for like one by mail: clients pass channels on that they do not know.
        let needed = state.draft?.neededChallengeType ?? .oneTimePasscode
        if let accepted, accepted.isDisjoint(with: state.draft == nil ? [needed, .passkey] : [needed]) {
            return step.redirected(missing: needed)
        }
        let digits = drawCode()
        if let draft = state.draft {
            // Without a mail, a repeated request repeats no effect.
            let use = draft.hasPassword ? nil : CodeUse.sending(.signIn)
            return try await run(step, reading: StepReads(code: use), keepsAnswer: false) { situation in
                let fresh = freshCode(digits, situation, step, to: draft.contact, for: .signIn)
                return state.challenging(with: fresh, in: situation).map(FlowState.signIn)
            }
        }
        guard let account = try await account(state.account.user, in: step.context),
            let method = state.method(named: id, of: account, factorDemand(in: step.context))
        else { return step.refused(.unknownMethod) }
        if method.isPasskey {
            guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.unknownMethod) }
            let fresh = drawChallenge(.get, step)
            return try await run(step, keepsAnswer: false) { situation in
                state.challenging(passkey: fresh, party, method, in: situation).map(FlowState.signIn)
            }
        }
        guard let contact = method.contact else {
            return try await run(step, reading: StepReads(sendsNotice: true), keepsAnswer: false) { situation in
                state.challenging(method, in: situation).map(FlowState.signIn)
            }
        }
        let reads = StepReads(recipient: contact, code: .sending(.secondFactor))
        return try await run(step, reading: reads, keepsAnswer: false) { situation in
            let fresh = freshCode(digits, situation, step, to: contact, for: .secondFactor)
            return state.challenging(method, with: fresh, in: situation).map(FlowState.signIn)
        }
    }
}

extension SignInState {
    /// Asks for the challenge of the first factor: sends a code, or answers that a password is required.
    package func challenging(with fresh: FreshCode, in situation: StepSituation) -> Decision<SignInState> {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft):
            guard !draft.hasPassword else {
                return Decision(.accepted(.enterPassword), next: .awaitingPassword(draft))
            }
            let contact = draft.contact
            // The tenant may have turned the setting off meanwhile.
            guard draft.phone == nil || situation.texts?.signsIn == true else { return .refused(.blockedContact) }
            return situation.sendCode(fresh, to: contact, for: .signIn, next: .awaitingCode(draft)) {
                .proveAddress(
                    situation.delivery(to: draft.target, resendIn: $0, length: $1, channel: contact.channel))
            }
        case .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// The method that a challenge of the second factor is for: the named one, or the oldest when no name is given
    /// (docs/protocol.md §16, row 35).
    package func method(named id: String?, of account: UserAccount, _ demand: FactorDemand) -> StrongMethod? {
        switch self {
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _):
            let methods = proven.usableMethods(of: account, demand)
            guard let id else { return methods.first }
            return methods.first { $0.id.text == id.lowercased() }
        case .started, .awaitingPassword, .awaitingCode, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            return nil
        }
    }

    /// Sends the code of a second factor. A flow with a wrong password never gets here (`SEC-MFA-2`).
    package func challenging(
        _ method: StrongMethod, with fresh: FreshCode, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _):
            if let number = method.contact?.phone, situation.hasSpent(on: number) { return .refused(.blockedContact) }
            // The method was chosen before the lock was taken: check that the account still has it.
            guard situation.methods(after: proven).contains(method), let contact = method.contact else {
                return .refused(.unknownMethod)
            }
            return situation.sendCode(
                fresh, to: contact, for: .secondFactor, next: .awaitingSecondFactor(proven, method)
            ) {
                .proveAddress(
                    situation.delivery(
                        to: contact.masked, resendIn: $0, length: $1, channel: contact.channel,
                        isRememberable: proven.isRememberable == true))
            }
        case .started, .awaitingPassword, .awaitingCode, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Compares a password, after the right to compare is committed, and issues tokens or asks for the next factor.
    ///
    /// - Parameter isAgain: Whether the account changed while a receiver was asked: it is not asked a second time.
    func submitSignInPassword(
        _ password: Secret<String>, _ request: TokenRequest, _ step: Step, isAgain: Bool = false
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        guard case .signIn(let state) = step.state, let draft = state.draft else {
            return step.refused(.notAllowedNow)
        }
        let grant: ScopeGrant
        switch judge(request.scopes, in: context) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return step.refused(refusal)
        }
        // 1. Take the right to compare, committed first: parallel guesses gain nothing (SEC-LOCK-2).
        let guess = vault.passingDigest(
            .counter, tenant: context.tenant.id,
            [Data("password".utf8), Data(draft.account.user.description.utf8), Data(password.reveal().utf8)])
        let admitted: StepSituation
        let comparing: Bool
        switch try await admit(guess: guess, step) {
        // The stored answer may be that of the first half: the tokens then wait for a hook.
        case .answered(let outcome): return try await redeemed(outcome, request, in: context)
        case .admitted(let situation, let mayCompare): (admitted, comparing) = (situation, mayCompare)
        }
        // 2. Compare, on the hasher's own threads; then let the system judge that may know the password.
        guard var account = admitted.account, context.hidesAccounts || context.hasPassword(account) else {
            return step.refused(.unusableToken)
        }
        var judgement = try await compare(password, with: account, comparing: comparing, in: context)
        if case .wrong = judgement, let hook = context.hook(for: .passwordSubmit) {
            // Where answers hide accounts, each wrong password is answered after the longest time of a call, so that the
            // time tells neither that the account exists nor that it is still to be moved (SEC-HOOK-8).
            let waiting = context.hidesAccounts ? ports.hooks.longestTime(of: hook) : nil
            if comparing, !isAgain, let attribute = hook.migration?.attribute,
                context.migrationHook(for: account) != nil
            {
                judgement = try await judge(password, of: account, by: hook, attribute: attribute, in: context)
            }
            switch judgement {
            case .wrong, .refused(.incorrectPassword, cause: _): await waiting?()
            case .right, .moved, .refused: break
            }
        }
        // 3. Decide on the result.
        let comparedGuess = comparing ? guess : nil
        let right: RightPassword
        switch judgement {
        case .right(let outdated): right = .stored(outdated.map { .upgradePassword(account.user.id, from: $0, to: $1) })
        case .moved(let move):
            account.passwordHash = move.new
            right = .moved(move)
        case .wrong:
            return try await run(step, reading: StepReads(hasLockout: true)) { situation in
                state.refusingPassword(guess: comparedGuess, in: situation).map(FlowState.signIn)
            }
        case .refused(let refusal, let cause):
            return try await run(step, reading: StepReads(hasLockout: true)) { situation in
                state.refusingPassword(refusal, cause: cause, guess: comparedGuess, in: situation)
                    .map(FlowState.signIn)
            }
        }
        let prepared = try await prepare(
            draft.provenByPassword(of: account, at: context.now, needsMailbox: admitted.needsMailbox), request, grant,
            account, in: context)
        let reads = StepReads(hasLockout: true, device: prepared.device?.id)
        let outcome = try await run(step, reading: reads) { situation in
            state.submitting(right, guess: comparedGuess, prepared: prepared, in: situation).map(FlowState.signIn)
        }
        switch (outcome.verdict, right) {
        case (.accepted(.signIn), _): return try await redeemed(outcome, request, in: context)
        // Another request moved the account at the same moment, or an operator changed it: compare with what it has now.
        case (.refused(.notAllowedNow), .moved) where !isAgain:
            return try await submitSignInPassword(password, request, step, isAgain: true)
        case (_, .stored), (_, .moved): return outcome
        }
    }

    /// Compares a password with the stored one.
    ///
    /// - Parameter comparing: Whether the result counts; without that right the answer is ``PasswordJudgement/wrong``.
    private func compare(
        _ password: Secret<String>, with account: UserAccount, comparing: Bool, in context: RequestContext
    ) async throws(EngineError) -> PasswordJudgement {
        let decoy = context.hidesAccounts ? try await decoyPassword(for: account.user.id, in: context.tenant.id) : nil
        guard let stored = account.passwordHash else {
            // Takes the same time as a comparison (SEC-PWD-11).
            try await work(on: password, as: decoy)
            return .wrong
        }
        guard try await verify(password, against: stored), comparing else { return .wrong }
        return .right(outdated: ports.hasher.isOutdated(stored) ? (stored, try await hash(password)) : nil)
    }
}

/// What a step writes because of a right password.
package enum RightPassword: Hashable, Sendable {
    /// It is the stored one; with the effect that stores it under newer parameters, if that is needed (`SEC-PWD-7`).
    case stored(Effect?)
    /// It is that of another system.
    case moved(PasswordMove)
}

extension SignInState {
    /// Decides on a right password. The comparison was admitted and done before.
    ///
    /// - Parameter guess: The keyed digest of the password, if it was compared.
    package func submitting(
        _ right: RightPassword, guess: Data? = nil, prepared: PreparedTokens, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .awaitingPassword(let draft):
            guard let account = situation.account else { return .refused(.unusableToken) }
            var (situation, stored) = (situation, [FlowEffect]())
            let user = account.user.id
            let ending = situation.endingMigration
            switch right {
            case .stored(let upgrade):
                stored = (upgrade.map { [.write($0)] } ?? []) + ending
                if !ending.isEmpty { stored.append(.record(.passwordMoved, user: user, detail: "known already")) }
            case .moved(let move):
                // The receiver was asked about the account as it was before the lock was taken.
                guard move.fits(account) else { return .refused(.notAllowedNow) }
                situation.account?.passwordHash = move.new
                stored =
                    [.write(.movePassword(user, move.new))] + ending
                    + [.record(.passwordMoved, user: user, detail: "by hook")]
            }
            var row = situation.row
            row.revision += 1
            return Self.concluding(
                draft.provenByPassword(of: account, at: situation.now, needsMailbox: situation.needsMailbox), prepared,
                row: row,
                effects: situation.concluding(guess, isRight: true) + stored
                    + (situation.hasManyFailures ? situation.warning(.signedInAfterFailures, to: draft.email) : []),
                in: situation)
        case .started, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode,
            .confirmingContact, .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Refuses a password, after the comparison.
    ///
    /// - Parameters:
    ///   - refusal: The answer; a block also ends the flow.
    ///   - cause: What the audit trail says of another system's answer; nil when the password is known to be wrong.
    ///   - guess: The keyed digest of the password, if it was compared.
    package func refusingPassword(
        _ refusal: Refusal = .incorrectPassword, cause: String? = nil, guess: Data? = nil, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .awaitingPassword(let draft):
            var row = situation.row
            if case .blockedByHook = refusal { row.isEnded = true }
            let counted =
                cause == nil ? situation.concluding(guess, isRight: false) : situation.releasing(guess)
            return Decision(
                .refused(refusal), row: row,
                effects: counted
                    + situation.recordingWrongPassword(
                        of: draft.account.user, detail: cause, warning: draft.email))
        case .started, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode,
            .confirmingContact, .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Judges a code of the first or the second factor.
    func submitSignInCode(
        _ code: Secret<String>, _ request: TokenRequest, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        let grant: ScopeGrant
        switch judge(request.scopes, in: context) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return step.refused(refusal)
        }
        if case .awaitingSecondFactor(_, let method) = state {
            switch method.channel {
            case .authenticatorApp:
                return try await submitAppCode(code, of: method, state, request, grant, step)
            case .recoveryCode:
                return try await submitRecoveryCode(code, state, request, grant, step)
            case .passkey: return step.refused(.notAllowedNow)
            case .textMessage, nil: break
            }
        }
        guard let contact = state.recipient else { return step.refused(.notAllowedNow) }
        guard let digits = digits(of: code) else { return step.refused(.incorrectCode) }
        let stored = try await account(state.account.user, in: context)
        guard let proof = state.proving(at: context.now), let account = stored ?? decoyAccount(of: step) else {
            return step.refused(.unusableToken)
        }
        // Sign before the code is judged: signing cannot wait inside the transaction that spends the code, and its
        // duration must not tell whether the code was right.
        let prepared = try await prepare(proof.proven, request, grant, account, in: context)
        let reads = StepReads(
            sendsNotice: proof.purpose == .secondFactor, code: .judging(proof.purpose, digits),
            device: prepared.device?.id)
        let outcome = try await run(step, reading: reads) { situation in
            state.submitting(
                code: { matches(digits, $0, situation, step, to: contact, for: proof.purpose) }, prepared: prepared,
                in: situation
            ).map(FlowState.signIn)
        }
        guard case .accepted(.signIn) = outcome.verdict else { return outcome }
        return try await redeemed(outcome, request, in: context)
    }
}

extension SignInState {
    /// What a right code would prove now, and the purpose of that code; nil when no code is awaited.
    package func proving(at date: Date) -> (proven: Authentication, purpose: MailContent.Purpose)? {
        switch self {
        case .awaitingCode(let draft): (draft.provenByCode(at: date), .signIn)
        case .awaitingSecondFactor(let first, let method):
            (first.proving(method, at: date), .secondFactor)
        case .started, .awaitingPassword, .choosingMethod, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            nil
        }
    }

    /// Submits the code of the first or the second factor.
    package func submitting(
        code matches: (CodeRecord) -> Bool, prepared: PreparedTokens, in situation: StepSituation
    ) -> Decision<SignInState> {
        guard let proof = proving(at: situation.now) else { return .refused(.notAllowedNow) }
        // The user may have removed the telephone since its number was typed.
        let phone = draft?.phone?.contact?.phone.flatMap {
            situation.account?.telephone($0, signingInAt: situation.now)
        }
        guard phone?.id == draft?.phone?.id || account.isDecoy else { return .refused(.unusableToken) }
        let isSecond = proof.purpose == .secondFactor
        let user = account.user
        switch situation.judgeCode(
            of: recipient, recording: isSecond ? .secondFactorFailed : .signInFailed, user: user, matches: matches)
            as StepSituation.CodeJudgement<SignInState>
        {
        case .refused(let decision): return decision
        case .proven(let row, let effects):
            return Self.concluding(
                proof.proven, prepared, row: row, effects: effects + passing(proof.proven, in: situation), in: situation
            )
        }
    }

    /// The further effects of a second factor that was given.
    ///
    /// - Parameter judged: The method that was given, where it can be another one than the one asked for.
    func passing(
        _ proven: Authentication, by judged: StrongMethod? = nil, in situation: StepSituation
    ) -> [FlowEffect] {
        let user = account.user
        if let phone = draft?.phone, let known = situation.account?.strongMethods.first(where: { $0.id == phone.id }) {
            return situation.notingUse(of: known, by: user)
        }
        guard case .awaitingSecondFactor(_, let asked) = self else { return [] }
        let method = judged ?? asked
        var effects: [FlowEffect] = [.record(.secondFactorPassed, user: user)]
        // The method of SEC-LOCK-6 is not one of the account's methods and has no row.
        guard let known = situation.account?.strongMethods.first(where: { $0.id == method.id }) else { return effects }
        if known.suspendedAt != nil {
            effects +=
                [.write(.setSuspension([method.id], of: user, nil)), .record(.methodReactivated, user: user)]
                + situation.notices(.methodReactivated, about: [method])
        } else {
            effects += situation.notingUse(of: known, by: user)
        }
        // The user has proven a factor besides the mailbox that reset the password (design record 0005).
        if proven.passwordIsFromReset || proven.origin == .reset, proven.factors > 1 {
            effects += [.write(.trustPassword(user)), .record(.passwordTrusted, user: user)]
        }
        return effects
    }
}

extension SignInState {
    /// Lists the methods of the second factor.
    package func listingMethods(in situation: StepSituation) -> Decision<SignInState> {
        switch self {
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _):
            let methods = situation.methods(after: proven)
            guard !methods.isEmpty else { return .refused(.notAllowedNow) }
            // What costs more than may be spent is left out, where there is another method.
            let affordable = methods.filter { $0.contact?.phone.map { !situation.hasSpent(on: $0) } ?? true }
            let offered = (affordable.isEmpty ? methods : affordable).withOnePasskey.compactMap(\.asOffered)
            return Decision(.accepted(.chooseMethod(offered)), next: self)
        case .started, .awaitingPassword, .awaitingCode, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Exchanges the proofs for tokens, or answers which factor is missing.
    package static func redeeming(
        _ proven: Authentication, _ prepared: PreparedTokens, in situation: StepSituation
    ) -> Decision<SignInState> {
        var row = situation.row
        row.revision += 1
        return concluding(proven, prepared, row: row, effects: [], in: situation)
    }

    /// Ends the step: issues the tokens, or asks for the next factor.
    static func concluding(
        _ proven: Authentication, _ prepared: PreparedTokens, row: FlowRow, effects: [FlowEffect],
        in situation: StepSituation
    ) -> Decision<SignInState> {
        let user = proven.account.user
        guard let account = situation.account else { return .refused(.unusableToken) }
        let demanded = prepared.demand.whole(of: account)
        var proven = proven
        proven.sought = demanded.level > .mailed ? demanded.level : nil
        // The device may have been forgotten since it was looked for.
        let device = situation.isDeviceRemembered ? prepared.device : nil
        proven.remembered = device.map { RememberedProof($0, of: account) }
        proven.isRememberable = prepared.demand.isRememberable(for: account) ? true : nil
        // Two factors of any kind need no word.
        let level = [proven.sought?.rawValue].compactMap(\.self)
        func required(_ words: String...) -> FlowEffect {
            let detail = (words + level).joined(separator: ", ")
            return .record(.secondFactorRequired, user: user, detail: detail.isEmpty ? nil : detail)
        }
        switch proven.judged(prepared.demand, of: account) {
        // A flow that waited too long: the proofs are none any more.
        case .tokens where !demanded.isFresh(proven.authenticatedAt, at: situation.now):
            var row = row
            row.isEnded = true
            return Decision(.refused(.expiredToken), row: row, effects: effects)
        case .tokens where prepared.waits:
            return waiting(proven, row: row, effects: effects, of: account, in: situation)
        case .tokens(let contexts):
            // The tokens were signed a moment ago for the account's earlier state. If that differs, the client may ask
            // again.
            guard contexts == prepared.contexts else { return .refused(.notAllowedNow) }
            var row = row
            row.isEnded = true
            let words = proven.stating(for: prepared.demand).words.joined(separator: ", ")
            var success: [FlowEffect] =
                [.record(.signInSucceeded, user: user, detail: words)]
                + (proven.endsLock ? [.setLockout(nil)] : [])
                + [.rememberNetwork(user)]
            if let device { success.append(.write(.noteDeviceUse(device.id, of: user, at: situation.now))) }
            if let new = prepared.remembering {
                success += [
                    .write(.rememberDevice(new.device, replacing: new.replaced)),
                    .record(.deviceRemembered, user: user, detail: new.device.level.rawValue),
                ]
            }
            if let browser = prepared.browser {
                let open = Effect.openBrowserSession(browser.session, replacing: browser.replaced)
                return Decision(
                    .accepted(.signedInBrowser(browser.ticket)), row: row, effects: effects + [.write(open)] + success)
            }
            guard let tokens = prepared.tokens else { return .refused(.notAllowedNow) }
            return Decision(
                .accepted(.signedIn(tokens)), row: row,
                effects: effects + (prepared.family.map { [.write(.openRefreshFamily($0))] } ?? [])
                    + success + [.record(.tokenIssued, user: user)])
        case .giveSecondFactor:
            return Decision(
                .accepted(.giveSecondFactor), next: .choosingMethod(proven), row: row,
                effects: effects + [required()] + cleared(for: proven))
        case .registerMethod:
            return Decision(
                .accepted(.registerMethod), next: .choosingContact(proven), row: row,
                effects: effects + [required("registration")] + cleared(for: proven))
        case .redirectToBrowser(let reason):
            var row = row
            row.isEnded = true
            return Decision(
                .accepted(.redirectToBrowser(reason)), row: row,
                effects: effects + [required("redirect")] + cleared(for: proven))
        }
    }

    /// Commits the proofs before the tokens, which the engine issues in the same request: a receiver is asked first, or an
    /// identity is linked now, which may change the account's credentials.
    private static func waiting(
        _ proven: Authentication, row: FlowRow, effects: [FlowEffect], of account: UserAccount,
        in situation: StepSituation
    ) -> Decision<SignInState> {
        // Meanwhile another flow may have linked the identity to another account: nothing is half linked.
        let isPossible =
            proven.linking.map { found in
                account.isSuspended(found.identity)
                    || !situation.isCredentialTaken && account.hasRoom(for: found.identity)
            } ?? true
        guard isPossible else {
            var row = row
            row.isEnded = true
            return Decision(.refused(.unusableToken), row: row)
        }
        var after = proven
        after.linking = nil
        if proven.linking != nil, account.emailProvenAt == nil { after.account = after.account.afterChange }
        return Decision(
            .accepted(.signIn), next: .authenticated(after), row: row,
            effects: effects + situation.linking(of: proven))
    }

    /// A right password clears the count of wrong ones, unless the count is the reason to ask for a mailbox
    /// (`SEC-LOCK-6`).
    private static func cleared(for proven: Authentication) -> [FlowEffect] {
        proven.needsMailbox || !proven.endsLock ? [] : [.setLockout(nil)]
    }
}

extension StrongMethod {
    /// Nil for a method that no app can give.
    var asOffered: OfferedMethod? {
        switch kind {
        case .mailbox: OfferedMethod(id: id.text, hint: label)
        case .phone, .app, .passkey, .recoveryCodes: OfferedMethod(id: id.text, hint: name ?? label, channel: channel)
        case .identity, .unknown: nil
        }
    }
}

extension [StrongMethod] {
    /// The list with the first of the passkeys alone: the challenge asks for any of them.
    fileprivate var withOnePasskey: [StrongMethod] {
        let first = first(where: \.isPasskey)?.id
        return filter { !$0.isPasskey || $0.id == first }
    }
}

extension StepSituation {
    /// The methods of the user. They do not depend on why a second factor is required.
    func methods(after proven: Authentication) -> [StrongMethod] {
        account.map { proven.usableMethods(of: $0, demandOfMethods) } ?? []
    }

    /// What is asked of a method; how much, the proofs of the flow say (``Authentication/sought``).
    var demandOfMethods: FactorDemand {
        FactorDemand(
            contexts: [], isRequired: true, distinctMailbox: userFlow.requiresDistinctMailbox, enrolment: enrolment,
            suspensionRest: settings.suspensionRest, now: now, takesRecoveryCodes: takesRecoveryCodes,
            takesApps: takesApps, texts: texts,
            passkeyDomain: passkeyDomain)
    }

    /// Notes that a method was given, and tells the user when that was the first time.
    func notingUse(of method: StrongMethod, by user: UserID) -> [FlowEffect] {
        [.write(.noteUse(method.id, of: user, at: now))]
            + (method.firstUsedAt == nil ? notices(.methodFirstUsed, about: [method]) : [])
    }

    /// Tells the user, at every mailbox that was proven before, what happened to methods (`SEC-ENR-5`), unless a notice
    /// of the same kind was sent a moment ago.
    func notices(_ purpose: MailContent.Purpose, about methods: [StrongMethod]) -> [FlowEffect] {
        notices(purpose, about: methods.map(\.label))
    }

    /// The same, by what the mail calls the methods: masked addresses and names of kinds.
    func notices(_ purpose: MailContent.Purpose, about methods: [String]) -> [FlowEffect] {
        guard let account else { return [] }
        // What a new method did is always told: the last notice was about another one.
        let event = [.methodRegistered, .methodFirstUsed].contains(purpose) ? nil : CountedEvent.notice(purpose)
        if let event, let last = counted[.account]?[event]?.last,
            now.timeIntervalSince(last) < Double(settings.noticeInterval)
        {
            return []
        }
        let channels = account.noticeChannels
        return channels.map { .mailNotice(purpose, to: $0, about: methods) }
            + (event.map { [.count($0, of: .account)] } ?? [])
    }

    /// - Parameters:
    ///   - target: The masked address or number, or the user's name for it.
    ///   - channel: How the code gets there; nil: by mail.
    ///   - isRememberable: Whether the sign-in can have the device remembered, where the tenant has that.
    func delivery(
        to target: String, resendIn seconds: Int, length: Int, channel: CodeChannel? = nil, isRememberable: Bool = false
    ) -> CodeDelivery {
        CodeDelivery(
            maskedTarget: target, codeLength: length, resendInterval: seconds, channel: channel,
            rememberableFor: isRememberable ? rememberedDays.map { $0 * 86_400 } : nil)
    }
}
