import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a password reset: pure functions from state, input and situation to a decision (`SEC-SSPR-1`). The table of
// all of them, with every pair that is refused, is in ResetStateTests.
extension ResetState {
    /// Sends a code, again or for the first time.
    package func challenging(with fresh: FreshCode, in situation: StepSituation) -> Decision<ResetState> {
        switch self {
        case .started(let draft), .awaitingCode(let draft):
            var decision = situation.sendCode(
                fresh, to: draft.email, for: .passwordReset, next: ResetState.awaitingCode(draft)
            ) { seconds in
                .proveAddress(situation.delivery(to: draft.target, resendIn: seconds))
            }
            if decision.effects.contains(.record(.codeSent)), situation.row.codesSent == 0 {
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

    /// Submits a password that the policy accepted and that is not the current one, hashed. Everything that the old one
    /// opened ends with it (`SEC-SSPR-5`, `SEC-ID-11`).
    package func submitting(password hash: PasswordHash, in situation: StepSituation) -> Decision<ResetState> {
        switch self {
        case .choosingPassword(let draft, var proven):
            let user = draft.account.user
            var row = situation.row
            row.revision += 1
            // This flow goes on under the new credentials; all others of the user have ended (SEC-CT-9).
            proven.account.credentialVersion = draft.account.credentialVersion.map { $0 + 1 }
            return Decision(
                .accepted(.awaitReset(pollInterval: situation.settings.pollInterval)), next: .changed(proven), row: row,
                effects: [
                    .changePassword(user, hash), .revokeRefreshFamilies(user), .clearLockouts(user),
                    .forgetNetworks(user),
                    .record(.passwordChanged, user: user), .record(.resetCompleted, user: user),
                    .mailNotice(.passwordChanged, to: draft.email),
                ])
        case .started, .awaitingCode, .changed, .completed:
            return .refused(.notAllowedNow)
        }
    }

    /// Says how the change went: it is done when its answer leaves. Reads only (`SEC-SSPR-2`).
    package func polling() -> Decision<ResetState> {
        switch self {
        case .changed(let proven): Decision(.accepted(.passwordChanged), next: .completed(proven))
        case .started, .awaitingCode, .choosingPassword, .completed: .refused(.notAllowedNow)
        }
    }
}

extension StepSituation {
    /// How long a token lives that this step gives to a proven flow, in seconds (`SEC-CT-5`).
    fileprivate var provenSeconds: Int {
        min(settings.provenIdleLifetime, Int(row.expiresAt.timeIntervalSince(now).rounded(.down)))
    }
}
