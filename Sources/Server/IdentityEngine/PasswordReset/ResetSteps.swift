import NativeAuthCore
import PortableFoundation

// The steps of a password reset: pure functions from state, input and situation to a decision (`SEC-SSPR-1`).
// ResetStateTests has the table of all steps, with every refused pair.
extension ResetState {
    /// Sends a code, for the first time or again.
    package func challenging(with fresh: FreshCode, in situation: StepSituation) -> Decision<ResetState> {
        switch self {
        case .started(let draft), .awaitingCode(let draft):
            var decision = situation.sendCode(
                fresh, to: draft.email, for: .passwordReset, next: ResetState.awaitingCode(draft)
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
                    .changePassword(user, hash), .revokeRefreshFamilies(user), .clearLockouts(user),
                    .forgetNetworks(user),
                    .record(.passwordChanged, user: user), .record(.resetCompleted, user: user),
                    .mailNotice(.passwordChanged, to: draft.email),
                ] + situation.effectsOnMethods(of: user, own: draft.email))
        case .started, .awaitingCode, .changed, .completed:
            return .refused(.notAllowedNow)
        }
    }

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
        let others = account?.strongMethods.filter { $0.email.key != own.key } ?? []
        var (removed, suspended): ([StrongMethod], [StrongMethod]) = ([], [])
        for method in others {
            switch method.enrolment.strength {
            case .unknown, .password: removed.append(method)
            case .mailbox where method.suspendedAt == nil: suspended.append(method)
            case .twoFactors
            where method.suspendedAt == nil
                && now.timeIntervalSince(method.provenAt) < Double(settings.methodTrustAge):
                suspended.append(method)
            case .mailbox, .twoFactors: break
            }
        }
        var effects: [FlowEffect] = []
        if !removed.isEmpty {
            effects +=
                [
                    .removeStrongMethods(removed.map(\.id), of: user),
                    .record(.methodsForgotten, user: user, detail: "\(removed.count) by reset"),
                ] + notices(.methodRemoved, about: removed.map(\.email))
        }
        if !suspended.isEmpty {
            effects +=
                [
                    .suspendStrongMethods(suspended.map(\.id), of: user),
                    .record(.methodsSuspended, user: user, detail: "\(suspended.count)"),
                ] + notices(.methodSuspended, about: suspended.map(\.email))
        }
        return effects
    }

    /// The lifetime, in seconds, of a token that this step gives to a proven flow (`SEC-CT-5`).
    fileprivate var provenSeconds: Int {
        min(settings.provenIdleLifetime, Int(row.expiresAt.timeIntervalSince(now).rounded(.down)))
    }
}
