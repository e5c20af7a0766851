import NativeAuthCore
import PortableFoundation

// The steps of a password reset, in order (`SEC-SSPR-1`). Each has two parts: the engine prepares what takes time, and the
// state decides, as a pure function, inside the transaction. ResetStateTests has the table of all decisions.

extension Engine {
    /// Starts a reset. Nothing is written (design record 0014). A locked account may start one: a reset unlocks it
    /// (`SEC-LOCK-5`).
    func startReset(_ request: UsernameRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        guard request.accepted.contains(.oneTimePasscode) else {
            return context.outcome(.accepted(.redirectToBrowser(.missingChallengeType(.oneTimePasscode))))
        }
        guard let name = SignInName(request.username) else { return context.outcome(.refused(.userNotFound)) }
        var found = try await account(named: name.key, in: context)
        let hasPassword = found.map { context.hasPassword($0) } ?? false
        if context.hidesAccounts, found?.disabledAt != nil || !hasPassword { found = nil }
        guard let addressee = addressee(of: found, named: name, in: context) else {
            return context.outcome(.refused(.userNotFound))
        }
        if let found {
            guard found.disabledAt == nil else { return context.outcome(.refused(.accountDisabled)) }
            guard hasPassword else { return context.outcome(.refused(.noPasswordToReset)) }
        }
        let draft = ResetDraft(
            account: addressee.account, email: addressee.email, label: addressee.label,
            countedName: addressee.countedName, capabilities: request.capabilities.with(request.accepted))
        return try begin(.reset(.started(draft)), orNobodyIn: context)
    }
}

extension Engine {
    /// Sends a code.
    func challengeReset(accepted: Set<ChallengeType>?, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .reset(let state) = step.state, let email = state.draft?.email else {
            return step.refused(.notAllowedNow)
        }
        if let accepted, !accepted.contains(.oneTimePasscode) { return step.redirected(missing: .oneTimePasscode) }
        let digits = drawCode()
        return try await run(step, reading: StepReads(code: .sending(.passwordReset)), keepsAnswer: false) {
            situation in
            let fresh = freshCode(digits, situation, step, to: .mailbox(email), for: .passwordReset)
            return state.challenging(with: fresh, in: situation).map(FlowState.reset)
        }
    }
}

extension ResetState {
    /// Sends a code, for the first time or again.
    package func challenging(with fresh: FreshCode, in situation: StepSituation) -> Decision<ResetState> {
        switch self {
        case .started(let draft), .awaitingCode(let draft):
            var decision = situation.sendCode(
                fresh, to: .mailbox(draft.email), for: .passwordReset, next: ResetState.awaitingCode(draft)
            ) {
                .proveAddress(situation.delivery(to: draft.target, resendIn: $0, length: $1))
            }
            if !decision.effects.isEmpty, decision.verdict.isAccepted, situation.row.codesSent == 0 {
                decision.effects.append(.record(.resetStarted, user: draft.account.user))
            }
            return decision
        case .choosingPassword, .changed, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Judges the code that went to the account's mailbox.
    func submitResetCode(_ code: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .reset(let state) = step.state, let email = state.draft?.email else {
            return step.refused(.notAllowedNow)
        }
        guard let digits = digits(of: code) else { return step.refused(.incorrectCode) }
        return try await run(step, reading: StepReads(code: .judging(.passwordReset, digits))) { situation in
            state.submitting(
                code: { matches(digits, $0, situation, step, to: .mailbox(email), for: .passwordReset) }, in: situation
            ).map(FlowState.reset)
        }
    }
}

extension ResetState {
    /// Submits the code.
    package func submitting(
        code matches: (CodeRecord) -> Bool, in situation: StepSituation
    ) -> Decision<ResetState> {
        switch self {
        case .awaitingCode(let draft):
            switch situation.judgeCode(user: draft.account.user, matches: matches)
                as StepSituation.CodeJudgement<ResetState>
            {
            case .refused(let decision): return decision
            case .proven(let row, let effects):
                let proven = Authentication(
                    account: draft.account, email: draft.email, origin: .reset, knowsPassword: false,
                    mailboxes: [draft.email], authenticatedAt: situation.now, capabilities: draft.capabilities)
                return Decision(
                    .accepted(.choosePassword(expiresIn: situation.provenSeconds)),
                    next: .choosingPassword(draft, proven), row: row, effects: effects)
            }
        case .started, .choosingPassword, .changed, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Takes the new password, if it is not the current one.
    func submitNewPassword(_ password: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .reset(let state) = step.state else { return step.refused(.notAllowedNow) }
        let admitted: StepSituation
        switch try await admit(step) {
        case .answered(let outcome): return outcome
        case .admitted(let situation, _): admitted = situation
        }
        guard let account = admitted.account, step.context.hasPassword(account) else {
            return step.refused(.unusableToken)
        }
        let user = account.user
        let fault = check(
            password, emailLocalPart: EmailAddress(stored: user.email)?.localPart ?? "", alias: user.alias,
            attributes: user.attributes, in: step.context.tenant)
        if let fault { return step.refused(.unacceptablePassword(fault)) }
        if let current = account.passwordHash, try await verify(password, against: current) {
            return step.refused(.unacceptablePassword(.recentlyUsed))
        }
        let hash = try await hash(password)
        return try await run(step, reading: StepReads(sendsNotice: true)) { situation in
            state.submitting(password: hash, in: situation).map(FlowState.reset)
        }
    }
}

extension ResetState {
    /// Submits the hash of a password that the policy accepted and that is not the current one. It ends everything that
    /// the old password opened (`SEC-SSPR-5`, `SEC-ID-11`).
    package func submitting(password hash: PasswordHash, in situation: StepSituation) -> Decision<ResetState> {
        switch self {
        case .choosingPassword(let draft, var proven):
            let user = draft.account.user
            var row = situation.row
            row.revision += 1
            // This flow continues under the new credentials; all other flows of the user have ended (SEC-CT-9).
            proven.account = draft.account.afterChange
            return Decision(
                .accepted(.awaitReset(pollInterval: situation.settings.pollInterval)), next: .changed(proven), row: row,
                effects: [
                    .write(.changePassword(user, hash, at: situation.now)),
                    .write(.revokeRefreshFamilies(user, at: situation.now)), .clearLockouts,
                    .write(.forgetNetworks(user)),
                    // Who used them up had the old password (SEC-TOTP-5).
                    .forget(.wrongAppCode, of: .account), .forget(.wrongAppCodeOfStranger, of: .account),
                    .forget(.recoveryCodeTried, of: .account),
                    .record(.passwordChanged, user: user), .record(.resetCompleted, user: user),
                    .mailNotice(.passwordChanged, to: draft.email),
                ] + situation.endingMigration + situation.effectsOnMethods(of: user, own: draft.email))
        case .started, .awaitingCode, .changed, .completed:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Answers whether the password is changed.
    func pollReset(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .reset(let state) = step.state else { return step.refused(.notAllowedNow) }
        return try await run(step) { _ in state.polling().map(FlowState.reset) }
    }
}

extension ResetState {
    /// Answers that the change is done: it was done when the previous answer was sent. Reads only (`SEC-SSPR-2`).
    package func polling() -> Decision<ResetState> {
        switch self {
        case .changed(let proven): Decision(.accepted(.passwordChanged), next: .completed(proven))
        case .started, .awaitingCode, .choosingPassword, .completed: .refused(.notAllowedNow)
        }
    }
}

extension StepSituation {
    /// The effects of a reset by the account's own mailbox on the methods (`SEC-ENR-7`). Methods enrolled on less than
    /// that mailbox are removed; methods enrolled on one factor, or recently, are suspended. The mailbox itself stays:
    /// the reset has proven it.
    fileprivate func effectsOnMethods(of user: UserID, own: EmailAddress) -> [FlowEffect] {
        let others = account?.strongMethods.filter { $0.email?.key != own.key } ?? []
        var (removed, suspended): ([StrongMethod], [StrongMethod]) = ([], [])
        for method in others {
            switch method.enrolment.strength {
            case .unknown, .password: removed.append(method)
            case .mailbox, .codes, .recoveryCode:
                if method.suspendedAt == nil { suspended.append(method) }
            case .twoFactors
            where method.suspendedAt == nil
                && now.timeIntervalSince(method.provenAt) < Double(settings.methodTrustAge):
                suspended.append(method)
            case .twoFactors: break
            }
        }
        // A sheet that was stolen with the password is worth nothing after a reset (SEC-REC-7).
        var effects: [FlowEffect] =
            account?.recovery == nil
            ? []
            : [
                .write(.setRecovery(nil, of: user, replacing: nil)),
                .record(.methodsForgotten, user: user, detail: "\(StrongMethod.recoveryName) by reset"),
            ]
        if !removed.isEmpty {
            effects +=
                [
                    .write(.removeStrongMethods(removed.map(\.id), of: user)),
                    .record(.methodsForgotten, user: user, detail: "\(removed.count) by reset"),
                ] + notices(.methodRemoved, about: removed)
        }
        if !suspended.isEmpty {
            effects +=
                [
                    .write(.setSuspension(suspended.map(\.id), of: user, now)),
                    .record(.methodsSuspended, user: user, detail: "\(suspended.count)"),
                ] + notices(.methodSuspended, about: suspended)
        }
        return effects
    }

    /// The lifetime, in seconds, of a token that this step gives to a proven flow (`SEC-CT-5`).
    fileprivate var provenSeconds: Int {
        min(settings.provenIdleLifetime, Int(row.expiresAt.timeIntervalSince(now).rounded(.down)))
    }
}
