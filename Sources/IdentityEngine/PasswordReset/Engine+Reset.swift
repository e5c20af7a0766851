import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a password reset: the engine opens the token and reads the facts, the flow decides.
extension Engine {
    /// Starts a reset. Nothing is written (decision D2). A locked account may start one: a reset unlocks it
    /// (`SEC-LOCK-5`).
    func startReset(_ application: UsernameApplication, in scene: Scene) async throws(EngineError) -> Outcome {
        guard application.accepted.contains(.oneTimePasscode) else {
            return scene.outcome(.accepted(.goToWeb(missing: .oneTimePasscode)))
        }
        guard let name = SignInName(application.username) else { return scene.outcome(.refused(.userNotFound)) }
        var found = try await account(named: name.key, in: scene)
        if scene.hidesAccounts, found?.disabledAt != nil || found?.passwordHash == nil { found = nil }
        guard let addressee = addressee(of: found, named: name, in: scene) else {
            return scene.outcome(.refused(.userNotFound))
        }
        if let found {
            guard found.disabledAt == nil else { return scene.outcome(.refused(.accountDisabled)) }
            guard found.passwordHash != nil else { return scene.outcome(.refused(.noPasswordToReset)) }
        }
        let draft = ResetDraft(
            account: addressee.account, email: addressee.email, label: addressee.label,
            countedName: addressee.countedName, capabilities: application.capabilities)
        return try begin(.reset(.started(draft)), orNobodyIn: scene)
    }

    func challengeReset(
        _ token: ContinuationToken, accepted: Set<ChallengeType>?, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeReset, in: scene) { opened throws(EngineError) in
            guard case .reset(let state) = opened.state, let email = state.draft?.email else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            if let accepted, !accepted.contains(.oneTimePasscode) {
                return scene.outcome(.accepted(.goToWeb(missing: .oneTimePasscode)))
            }
            let digits = drawCode()
            return try await step(opened, Reading(code: .sending(.passwordReset)), keepsAnswer: false, in: scene) {
                situation in
                let fresh = freshCode(digits, situation, of: opened, to: email, for: .passwordReset, in: scene)
                return state.challenging(with: fresh, in: situation).map(FlowState.reset)
            }
        }
    }

    func submitResetCode(
        _ token: ContinuationToken, _ code: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: .submitResetCode, content: [Data((digits ?? code).reveal().utf8)], in: scene
        ) {
            opened throws(EngineError) in
            guard case .reset(let state) = opened.state, let email = state.draft?.email else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            guard let digits else { return scene.outcome(.refused(.incorrectCode)) }
            return try await step(opened, Reading(code: .judging(.passwordReset, digits)), in: scene) { situation in
                state.submitting(
                    code: {
                        matches(digits, $0, situation, of: opened, to: email, for: .passwordReset, in: scene)
                    },
                    in: situation
                ).map(FlowState.reset)
            }
        }
    }

    func submitNewPassword(
        _ token: ContinuationToken, _ password: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .submitNewPassword, content: [Data(password.reveal().utf8)], in: scene) {
            opened throws(EngineError) in
            guard case .reset(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
            let admitted: StepSituation
            switch try await admit(opened, in: scene) {
            case .answered(let outcome): return outcome
            case .admitted(let situation, _): admitted = situation
            }
            guard let account = admitted.account, let current = account.passwordHash else {
                return scene.outcome(.refused(.unusableToken))
            }
            let user = account.user
            let fault = check(
                password, emailLocalPart: EmailAddress(stored: user.email)?.localPart ?? "", alias: user.alias,
                attributes: user.attributes, in: scene)
            if let fault { return scene.outcome(.refused(.unacceptablePassword(fault))) }
            guard try await !verify(password, against: current) else {
                return scene.outcome(.refused(.unacceptablePassword(.recentlyUsed)))
            }
            let hash = try await hash(password)
            return try await step(opened, Reading(sendsNotice: true), in: scene) { situation in
                state.submitting(password: hash, in: situation).map(FlowState.reset)
            }
        }
    }

    func pollReset(_ token: ContinuationToken, in scene: Scene) async throws(EngineError) -> Outcome {
        try await opening(token, for: .pollReset, in: scene) { opened throws(EngineError) in
            guard case .reset(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
            return try await step(opened, in: scene) { _ in state.polling().map(FlowState.reset) }
        }
    }
}
