import IdentityEngine
import PortableFoundation

/// The properties that must hold for every single step, judged from its input, its output, and the record of proofs
/// that the exploration itself keeps.
struct EdgeCheck {
    let variation: Variation
    let settings: EngineSettings
    let state: FlowState
    let input: Input
    let step: Exploration.Step
    let answer: Answer
    let written: Written
    let before: World
    let after: World

    /// The description is built only when the property is broken.
    private typealias Must = (_ holds: Bool, _ what: @autoclosure () -> String) -> Void

    private var decision: Decision<FlowState> { step.decision }
    private var isAccepted: Bool { if case .accepted = answer { true } else { false } }

    /// Whether a wrong code or password was compared and may be corrected.
    var isCounted: Bool {
        [.refused(.incorrectCode), .refused(.incorrectPassword)].contains(answer)
            && (after.row.code?.attempts ?? 0) < settings.guessesPerCode
            && !before.facts.contains(.noGuessBudget) && !after.row.isEnded
    }

    /// - Parameter right: When ``isCounted``: the effect of the right input before the step, and after it.
    func faults(right: (before: Exploration.Step, after: Exploration.Step)?) -> [String] {
        var faults: [String] = []
        func must(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { faults.append(what()) } }

        checkOrder(must)
        checkCounters(must)
        checkProofs(must)
        must(!isAccepted || input.corrected == nil, "a wrong code or password is taken")
        if let right {
            let (one, other) = (right.before.decision, right.after.decision)
            must(
                one.verdict == other.verdict && one.next == other.next && one.effects == other.effects,
                "SDK-STATE-2: a wrong code or password changes what the right one does")
        }
        return faults
    }

    /// SEC-CT-1, SEC-CT-6, design record 0014: the order of steps, and the operations of tokens.
    private func checkOrder(_ must: Must) {
        if case .refused(let refusal) = answer {
            must(Self.isDocumented(refusal, for: input), "\(refusal) is no documented answer")
        }
        must(isAccepted || decision.next == nil, "a refusal moves the flow")
        must(isAccepted || written.isEmpty, "a refusal has an effect")
        must(!before.row.isEnded, "an ended flow continues")
        if decision.next != nil { must(!after.row.isEnded, "an ended flow has a token") }
        if answer == .accepted(.signedIn) || answer == .accepted(.redirectToBrowser) {
            must(after.row.isEnded && decision.next == nil, "the last step does not end the flow")
        }
        if isAccepted, !after.row.isEnded {
            must(decision.next != nil, "an accepted step gives no token")
        }
        must(state.allowed.contains(.redeem) == (state.authentication != nil), "redemption and proofs disagree")
    }

    /// SEC-OTP-3, SEC-OTP-4, SEC-CT-4, I8: the counters.
    private func checkCounters(_ must: Must) {
        let (old, new) = (before.row, after.row)
        must(!old.isEnded || new.isEnded, "the end is taken back")
        must(old.misuses == new.misuses && old.expiresAt == new.expiresAt, "a flow touches what is the engine's")
        must(new.codesSent == old.codesSent + (written.contains(.mail) ? 1 : 0), "a code is not counted")
        must(new.codesSent <= settings.codesPerFlow, "more codes than allowed")
        must(new.revision == old.revision + (isProgress ? 1 : 0), "the revision does not follow progress")
        if step.isCompared, let code = old.code {
            must(code.attempts < settings.guessesPerCode, "a guess too many is compared")
            must(code.expiresAt > Exploration.now, "an expired code is compared")
            must(
                isAccepted || new.isEnded ? new.code == nil : new.code?.attempts == code.attempts + 1,
                "a guess is not counted, or a code is not spent")
        } else if written.contains(.mail) {
            must(new.code?.attempts == 0 && new.code?.sentAt == Exploration.now, "a new code is not new")
            must(old.code?.sentAt != Exploration.now || old.code?.target != new.code?.target, "a mail in the cool-down")
        } else {
            must(new.code == old.code, "a code changes without a guess or a mail")
        }
    }

    /// Whether a proof was accepted or an effect made.
    private var isProgress: Bool {
        if case .refused(let refusal) = answer { return refusal == .userAlreadyExists && after.row.isEnded }
        return switch input {
        case .code, .password, .newPassword, .contactCode, .confirmContact, .redeem: true
        case .attributes: answer == .accepted(.signIn)
        case .challenge, .challengeMethod, .introspectMethods, .introspectRegistration, .challengeContact, .poll: false
        }
    }

    /// SEC-CT-1, SEC-ID-9, SEC-MFA-1 to SEC-MFA-4, SEC-SSPR-1: no effect without its proofs.
    private func checkProofs(_ must: Must) {
        let proofs = after.proofs
        must(written.contains(.tokens) == (answer == .accepted(.signedIn)), "tokens and their answer disagree")
        if isAccepted, case .code = input { must(step.isCompared, "a code is taken unseen") }
        if isAccepted, case .contactCode = input { must(step.isCompared, "a code is taken unseen") }
        for effect in decision.effects {
            switch effect {
            case .createUser(let draft, _):
                must(!before.facts.contains(.account), "a second account")
                must(proofs.contains(.own) && Mailbox(draft.email) == .own, "an account without its mailbox")
                must(!before.facts.contains(.nameTaken), "an account with the name of another one")
                if draft.alias != nil { must(!before.facts.contains(.aliasTaken), "an alias that is taken") }
                if variation.method == .emailPassword {
                    must(draft.passwordHash != nil && proofs.contains(.chosenPassword), "an account without password")
                }
                if variation.needsAttributes {
                    must(
                        draft.attributes["country"] != nil && draft.attributes["city"] != nil,
                        "an account without its attributes")
                }
            case .write(.changePassword):
                must(variation.journey == .reset && proofs.contains(.own), "a password without the mailbox")
            case .addStrongMethod(let method, _):
                must(hasFirstFactor(proofs), "a method without the first factor")
                let mailbox = method.email.flatMap { Mailbox($0) }
                must(mailbox != nil, "a method that is no mailbox")
                must(proofs.isSuperset(of: World.Proofs(mailbox)), "a method without its mailbox")
                let isOwn = mailbox == .own
                must(!isOwn || !variation.needsDistinctMailbox, "the own mailbox as a method")
                must(!hasMethod, "SEC-ENR-3: a method beside another one")
                must(
                    variation.enrolment == .compatible || isOwn || before.proofs.contains(.own),
                    "SEC-ENR-2: a contact on the password alone")
                must(
                    decision.effects.contains(.write(.endFlows(SignInStateTests.user))),
                    "SEC-ENR-6: open flows continue")
                must(!before.facts.contains(.staleProof), "a method on old proofs")
            case .mailCode(_, let email, let purpose), .mailSharedCode(_, let email, let purpose):
                switch purpose {
                case .secondFactor:
                    must(hasFirstFactor(before.proofs), "a second factor without the first")
                    must(
                        Mailbox(email) == .other ? before.facts.contains(.otherMethod) : true, "a code to a stranger")
                case .registration: must(hasFirstFactor(before.proofs), "a registration without the first factor")
                case .signUp, .signIn, .passwordReset: must(Mailbox(email) == .own, "a code to a stranger")
                case .accountChange, .emailChange, .emailChanged, .emailChangeUndone, .emailReplaced, .resetRequired,
                    .accountDeleted, .deletionScheduled:
                    must(false, "a mail of another flow")
                case .passwordChanged, .methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated,
                    .methodFirstUsed, .passkeySuspect, .recoveryCodeUsed, .accountExists, .signInLocked,
                    .signedInAfterFailures:
                    must(false, "a notice with a code")
                }
            case .write(.openRefreshFamily), .write(.openBrowserSession): checkTokens(must)
            case .write(.removeStrongMethods), .write(.setSuspension(_, of: _, .some)):
                must(variation.journey == .reset && proofs.contains(.own), "SEC-ENR-7: a method goes without a reset")
            case .write(.setSuspension(_, of: _, nil)):
                must(proofs.isSuperset(of: [.own, .other]), "SEC-ENR-7: a method comes back without the mailbox")
            case .write(.trustPassword):
                must(factors.count >= 2, "design record 0005: a password is trusted for one factor")
            case .write(.endFlows):
                must(decision.effects.contains { if case .addStrongMethod = $0 { true } else { false } }, "flows end")
            case .write(.upgradePassword), .write(.revokeRefreshFamilies), .write(.noteUse),
                .write(.forgetNetworks),
                .mailNotice, .record, .count, .forget, .setSlowLane, .setLockout, .clearLockouts, .rememberNetwork:
                break
            case .write(.movePassword): must(false, "a password of another system, which nothing asked")
            case .textCode, .noteVerifiedTexts, .write(.noteText), .write(.noteVerifiedTexts), .write(.pauseTexts):
                must(false, "a text of a tenant that has none")
            case .mailUndo, .write(.keepRefreshFamilies), .write(.revokeRefreshFamily), .write(.endBrowserSession),
                .write(.changeCredentials),
                .write(.setAttributes), .write(.setDisabled), .write(.requireSecondFactor), .write(.replaceName),
                .write(.holdName), .write(.releaseNames), .write(.offerUndo), .write(.forgetUndos),
                .write(.scheduleDeletion), .write(.setDeleted), .write(.deleteUser), .write(.renameMethod),
                .write(.spendStep), .write(.keepGrant), .write(.keepNames), .write(.updatePasskey),
                .write(.setRecovery),
                .write(.removePassword), .write(.rememberDevice), .write(.noteDeviceUse), .write(.forgetDevices),
                .write(.openOperatorRequest), .write(.standBehindOperatorRequest), .write(.closeOperatorRequest):
                must(false, "a row of another flow")
            case .write(.createUser), .write(.enqueueMail), .write(.record), .write(.count), .write(.forget),
                .write(.addStrongMethod), .write(.setLockout), .write(.setSlowLane), .write(.rememberNetwork):
                must(false, "a row that only the engine can make")
            }
        }
    }

    private func checkTokens(_ must: Must) {
        let proofs = after.proofs
        must(hasFirstFactor(proofs) && after.facts.contains(.account), "tokens without the first factor")
        let isWanted = variation.needsSecondFactor || input.isDemanded
        if proofs.contains(.doubtful) {
            must(!proofs.isDisjoint(with: [.own, .other]), "the password alone after many failures")
        }
        let isOwnVoid =
            variation.journey == .signIn && variation.needsDistinctMailbox
            && factors.isSuperset(of: ["password", "own"])
        let count = factors.count - (isOwnVoid ? 1 : 0)
        must(step.contexts.isEmpty || count >= 2, "tokens state a context without two factors")
        guard isWanted, count < 2 else { return }
        switch variation.journey {
        case .signIn: must(false, "SEC-MFA-1: tokens without the second factor")
        case .signUp, .reset:
            // The documented exception, for what an app asks for and nothing requires: there is only the one mailbox,
            // and no method to ask for (docs/protocol.md §5.4).
            let others =
                after.facts.contains(.otherMethod) && !after.facts.contains(.suspended)
                && proofs.isDisjoint(with: [.other, .standIn])
            must(
                !others && !variation.needsDistinctMailbox && !variation.needsSecondFactor,
                "SEC-MFA-1, design record 0005: tokens without the second factor")
        }
    }

    /// The independent proofs, according to the record.
    private var factors: Set<String> {
        let proofs = after.proofs
        var factors: Set<String> = []
        if proofs.contains(.own) { factors.insert("own") }
        if proofs.contains(.other) { factors.insert(proofs.contains(.standIn) ? "own" : "other") }
        switch variation.journey {
        case .signUp: if proofs.contains(.chosenPassword) { factors.insert("password") }
        case .signIn:
            if proofs.contains(.password) { factors.insert(variation.passwordIsFromReset ? "own" : "password") }
        case .reset: break
        }
        return factors
    }

    private func hasFirstFactor(_ proofs: World.Proofs) -> Bool {
        switch variation.journey {
        case .signUp: proofs.contains(.own)
        case .signIn: proofs.contains(variation.method == .emailPassword ? .password : .own)
        case .reset: proofs.isSuperset(of: [.own, .chosenPassword])
        }
    }

    private var hasMethod: Bool { !before.facts.isDisjoint(with: [.ownMethod, .otherMethod]) }

    /// The refusals that `docs/develop/endpoints.md` lists for the endpoint, as far as a flow gives them itself.
    static func isDocumented(_ refusal: Refusal, for input: Input) -> Bool {
        switch (input, refusal) {
        case (.challenge, .tooManyCodes), (.challenge, .throttled), (.challenge, .mailboxRefuses),
            (.challengeMethod, .mailboxRefuses), (.challengeContact, .mailboxRefuses),
            (.challengeMethod, .tooManyCodes), (.challengeMethod, .throttled), (.challengeMethod, .unknownMethod),
            (.challengeContact, .tooManyCodes), (.challengeContact, .throttled), (.challengeContact, .invalidContact),
            (.challengeContact, .expiredToken), (.challengeContact, .notAllowedNow),
            (.challengeContact, .blockedContact),
            (.contactCode, .expiredToken), (.contactCode, .notAllowedNow),
            (.confirmContact, .expiredToken), (.confirmContact, .notAllowedNow),
            (.code, .incorrectCode), (.code, .expiredCode), (.code, .throttled), (.code, .userAlreadyExists),
            (.contactCode, .incorrectCode), (.contactCode, .expiredCode), (.contactCode, .throttled),
            (.password, .incorrectPassword), (.newPassword, .userAlreadyExists), (.attributes, .userAlreadyExists):
            true
        case (.challenge, _), (.challengeMethod, _), (.challengeContact, _), (.contactCode, _), (.confirmContact, _),
            (.code, _), (.password, _), (.newPassword, _), (.attributes, _), (.introspectMethods, _),
            (.introspectRegistration, _),
            (.poll, _), (.redeem, _):
            false
        }
    }
}
