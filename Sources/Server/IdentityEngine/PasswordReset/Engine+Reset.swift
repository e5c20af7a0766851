import NativeAuthCore
import PortableFoundation

// The steps of a password reset: the engine opens the token and reads the facts, the flow decides.
extension Engine {
    /// Starts a reset. Nothing is written (design record 0014). A locked account may start one: a reset unlocks it
    /// (`SEC-LOCK-5`).
    func startReset(_ request: UsernameRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        guard request.accepted.contains(.oneTimePasscode) else {
            return context.outcome(.accepted(.redirectToBrowser(missing: .oneTimePasscode)))
        }
        guard let name = SignInName(request.username) else { return context.outcome(.refused(.userNotFound)) }
        var found = try await account(named: name.key, in: context)
        if context.hidesAccounts, found?.disabledAt != nil || found?.passwordHash == nil { found = nil }
        guard let addressee = addressee(of: found, named: name, in: context) else {
            return context.outcome(.refused(.userNotFound))
        }
        if let found {
            guard found.disabledAt == nil else { return context.outcome(.refused(.accountDisabled)) }
            guard found.passwordHash != nil else { return context.outcome(.refused(.noPasswordToReset)) }
        }
        let draft = ResetDraft(
            account: addressee.account, email: addressee.email, label: addressee.label,
            countedName: addressee.countedName, capabilities: request.capabilities)
        return try begin(.reset(.started(draft)), orNobodyIn: context)
    }

    func challengeReset(
        _ token: ContinuationToken, accepted: Set<ChallengeType>?, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeReset, in: context) { opened throws(EngineError) in
            guard case .reset(let state) = opened.state, let email = state.draft?.email else {
                return context.outcome(.refused(.notAllowedNow))
            }
            if let accepted, !accepted.contains(.oneTimePasscode) {
                return context.outcome(.accepted(.redirectToBrowser(missing: .oneTimePasscode)))
            }
            let digits = drawCode()
            return try await step(opened, StepReads(code: .sending(.passwordReset)), keepsAnswer: false, in: context) {
                situation in
                let fresh = freshCode(digits, situation, of: opened, to: email, for: .passwordReset, in: context)
                return state.challenging(with: fresh, in: situation).map(FlowState.reset)
            }
        }
    }

    func submitResetCode(
        _ token: ContinuationToken, _ code: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: .submitResetCode, content: [Data((digits ?? code).reveal().utf8)], in: context
        ) {
            opened throws(EngineError) in
            guard case .reset(let state) = opened.state, let email = state.draft?.email else {
                return context.outcome(.refused(.notAllowedNow))
            }
            guard let digits else { return context.outcome(.refused(.incorrectCode)) }
            return try await step(opened, StepReads(code: .judging(.passwordReset, digits)), in: context) { situation in
                state.submitting(
                    code: {
                        matches(digits, $0, situation, of: opened, to: email, for: .passwordReset, in: context)
                    },
                    in: situation
                ).map(FlowState.reset)
            }
        }
    }

    func submitNewPassword(
        _ token: ContinuationToken, _ password: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .submitNewPassword, content: [Data(password.reveal().utf8)], in: context) {
            opened throws(EngineError) in
            guard case .reset(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            let admitted: StepSituation
            switch try await admit(opened, in: context) {
            case .answered(let outcome): return outcome
            case .admitted(let situation, _): admitted = situation
            }
            guard let account = admitted.account, let current = account.passwordHash else {
                return context.outcome(.refused(.unusableToken))
            }
            let user = account.user
            let fault = check(
                password, emailLocalPart: EmailAddress(stored: user.email)?.localPart ?? "", alias: user.alias,
                attributes: user.attributes, in: context)
            if let fault { return context.outcome(.refused(.unacceptablePassword(fault))) }
            guard try await !verify(password, against: current) else {
                return context.outcome(.refused(.unacceptablePassword(.recentlyUsed)))
            }
            let hash = try await hash(password)
            return try await step(opened, StepReads(sendsNotice: true), in: context) { situation in
                state.submitting(password: hash, in: situation).map(FlowState.reset)
            }
        }
    }

    func pollReset(_ token: ContinuationToken, in context: RequestContext) async throws(EngineError) -> Outcome {
        try await opening(token, for: .pollReset, in: context) { opened throws(EngineError) in
            guard case .reset(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            return try await step(opened, in: context) { _ in state.polling().map(FlowState.reset) }
        }
    }
}
