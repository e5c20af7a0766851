import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a password reset as the engine sees them: open the token, gather the facts, let the flow decide.
extension Engine {
    /// Starts a reset. Nothing is written (decision D2). Locked accounts are welcome: this is their way out (`SEC-LOCK-5`).
    func startReset(_ application: UsernameApplication, in scene: Scene) async throws(EngineError) -> Outcome {
        guard application.accepted.contains(.oneTimePasscode) else {
            return scene.outcome(.accepted(.goToWeb(missing: .oneTimePasscode)))
        }
        guard let account = try await account(named: application.username, in: scene),
            let email = EmailAddress(account.user.email)
        else { return scene.outcome(.refused(.userNotFound)) }
        guard account.disabledAt == nil else { return scene.outcome(.refused(.accountDisabled)) }
        guard account.passwordHash != nil else { return scene.outcome(.refused(.noPasswordToReset)) }
        // A mailbox registered for the second factor is the stronger one (native-auth-v1 §4.8.2).
        let other = account.strongMethods.first { $0.email.mailbox != email.mailbox }
        let draft = ResetDraft(
            account: AccountBinding(user: account.user.id, credentialVersion: account.credentialVersion), email: email,
            destination: other?.email ?? email, capabilities: application.capabilities)
        return try begin(.reset(.started(draft)), in: scene) ?? scene.outcome(.refused(.userNotFound))
    }

    func challengeReset(
        _ token: ContinuationToken, accepted: Set<ChallengeType>?, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let opened: Opened
        do {
            opened = try open(token, for: .challengeReset, in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        guard case .reset(let state) = opened.state, let email = state.draft?.destination else {
            return scene.outcome(.refused(.notAllowedNow))
        }
        if let accepted, !accepted.contains(.oneTimePasscode) {
            return scene.outcome(.accepted(.goToWeb(missing: .oneTimePasscode)))
        }
        let digits = Secret(ports.randomness.digits(settings.codeDigits))
        return try await step(opened, keepsAnswer: false, in: scene) { situation in
            let fresh = freshCode(
                digits, number: situation.row.codesSent + 1, of: opened.flow, to: email, for: .passwordReset, in: scene)
            return state.challenging(with: fresh, in: situation).map(FlowState.reset)
        }
    }

    func submitResetCode(
        _ token: ContinuationToken, _ code: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        let opened: Opened
        do {
            opened = try open(
                token, for: .submitResetCode, content: [Data((digits ?? code).reveal().utf8)], in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        guard case .reset(let state) = opened.state, let email = state.draft?.destination else {
            return scene.outcome(.refused(.notAllowedNow))
        }
        guard let digits else { return scene.outcome(.refused(.incorrectCode)) }
        return try await step(opened, in: scene) { situation in
            state.submitting(
                code: { matches(digits, $0, situation, of: opened.flow, to: email, for: .passwordReset, in: scene) },
                in: situation
            ).map(FlowState.reset)
        }
    }

    func submitNewPassword(
        _ token: ContinuationToken, _ password: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let opened: Opened
        do {
            opened = try open(
                token, for: .submitNewPassword, content: [Data(password.reveal().utf8)], in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        guard case .reset(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
        let account = try await account(state.account.user, in: scene)
        // A repeated request finds another password there than the first time; its kept answer comes before all rules.
        let isCurrent = account?.credentialVersion == state.account.credentialVersion
        if let account, isCurrent {
            if let fault = check(password, for: account.user, in: scene) {
                return scene.outcome(.refused(.unacceptablePassword(fault)))
            }
            if let old = account.passwordHash, try await verify(password, against: old) {
                return scene.outcome(.refused(.unacceptablePassword(.recentlyUsed)))
            }
        }
        // Also hashed where it is no use any more: the work does not tell.
        let hash = try await hash(password)
        return try await step(opened, in: scene) { situation in
            state.submitting(password: hash, in: situation).map(FlowState.reset)
        }
    }

    func pollReset(_ token: ContinuationToken, in scene: Scene) async throws(EngineError) -> Outcome {
        let opened: Opened
        do {
            opened = try open(token, for: .pollReset, in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        guard case .reset(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
        return try await step(opened, in: scene) { _ in state.polling().map(FlowState.reset) }
    }

    private func check(_ password: Secret<String>, for user: User, in scene: Scene) -> PasswordFault? {
        let names = ["displayName", "givenName", "surname"].compactMap { name -> String? in
            guard case .string(let text)? = user.attributes[name] else { return nil }
            return text
        }
        return passwords.check(
            password,
            context: PasswordContext(
                emailLocalPart: EmailAddress(user.email)?.localPart ?? "", alias: user.alias, names: names,
                tenantName: scene.tenant.displayName))
    }
}
