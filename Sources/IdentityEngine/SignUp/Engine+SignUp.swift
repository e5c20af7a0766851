import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a sign-up: the engine opens the token and reads the facts, the flow decides.
extension Engine {
    /// Starts a sign-up. Nothing is written: the token holds the whole draft (decision D2).
    func startSignUp(_ application: SignUpApplication, in scene: Scene) async throws(EngineError) -> Outcome {
        let flow = scene.userFlow
        if let missing = flow.neededChallengeTypes.first(where: { !application.accepted.contains($0) }) {
            return scene.outcome(.accepted(.goToWeb(reason: "Client is missing \(missing.rawValue) challenge type")))
        }
        guard let email = EmailAddress(application.username) else {
            return scene.outcome(.refused(.invalidUsername))
        }
        if application.password != nil && flow.method == .emailOneTimePasscode {
            return scene.outcome(.refused(.passwordNotUsed))
        }
        let judged = flow.judge(application.attributes)
        var draft = SignUpDraft(
            email: email, passwordHash: nil, attributes: judged.accepted, ignoredAttributes: judged.ignored,
            capabilities: application.capabilities)
        if !scene.hidesAccounts, try await isTaken(draft, in: scene) {
            return scene.outcome(.refused(.userAlreadyExists))
        }
        if let password = application.password, let fault = check(password, for: draft, in: scene) {
            return scene.outcome(.refused(.unacceptablePassword(fault)))
        }
        guard judged.invalid.isEmpty else {
            return scene.outcome(.refused(.invalidAttributes(judged.invalid)))
        }
        if let password = application.password {
            draft.passwordHash = try await hash(password, in: .signUps)
        }
        // Only attributes can make a state too long for a token.
        return try begin(.signUp(.started(draft)), in: scene)
            ?? scene.outcome(.refused(.invalidAttributes([UserFlow.wholeParameter])))
    }

    func challengeSignUp(
        _ token: ContinuationToken, accepted: Set<ChallengeType>?, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeSignUp, in: scene) { opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, let email = state.draft?.email else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            if let accepted, let missing = scene.userFlow.neededChallengeTypes.first(where: { !accepted.contains($0) })
            {
                return scene.outcome(
                    .accepted(.goToWeb(reason: "Client is missing \(missing.rawValue) challenge type")))
            }
            let owner = scene.hidesAccounts ? try await account(named: email.key, in: scene) : nil
            // Drawn before the pure decision, which may not use it; without a mail the code stays secret.
            let digits = drawCode()
            let use = state.isProven ? nil : CodeUse.sending(.signUp)
            return try await step(opened, Reading(code: use), keepsAnswer: false, in: scene) { situation in
                let fresh = freshCode(digits, situation, of: opened, to: email, for: .signUp, in: scene)
                return state.challenging(
                    with: fresh, owner: owner.flatMap { EmailAddress(stored: $0.user.email) }, in: situation
                ).map(FlowState.signUp)
            }
        }
    }

    func submitSignUpCode(
        _ token: ContinuationToken, _ code: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: .submitSignUpCode, content: [Data((digits ?? code).reveal().utf8)], in: scene
        ) {
            opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, let draft = state.draft else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            guard let digits else { return scene.outcome(.refused(.incorrectCode)) }
            let newUser = UserID(ports.randomness.uuid())
            let reading = Reading(identifiers: draft.identifiers.map(\.key), code: .judging(.signUp, digits))
            return try await step(opened, reading, in: scene) { situation in
                state.submitting(
                    code: { matches(digits, $0, situation, of: opened, to: draft.email, for: .signUp, in: scene) },
                    newUser: newUser, in: situation
                ).map(FlowState.signUp)
            }
        }
    }

    func submitSignUpPassword(
        _ token: ContinuationToken, _ password: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .submitSignUpPassword, content: [Data(password.reveal().utf8)], in: scene) {
            opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, let draft = state.draft else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            if let fault = check(password, for: draft, in: scene) {
                return scene.outcome(.refused(.unacceptablePassword(fault)))
            }
            if case .answered(let outcome) = try await admit(opened, in: scene) { return outcome }
            let hash = try await hash(password, in: .signUps)
            let newUser = UserID(ports.randomness.uuid())
            return try await step(opened, Reading(identifiers: draft.identifiers.map(\.key)), in: scene) { situation in
                state.submitting(password: hash, newUser: newUser, in: situation).map(FlowState.signUp)
            }
        }
    }

    func submitSignUpAttributes(
        _ token: ContinuationToken, _ attributes: SubmittedAttributes, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .submitSignUpAttributes, content: attributes.digestContent, in: scene) {
            opened throws(EngineError) in
            guard case .signUp(let state) = opened.state, var draft = state.draft else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            let judged = scene.userFlow.judge(attributes)
            guard judged.invalid.isEmpty else {
                return scene.outcome(.refused(.invalidAttributes(judged.invalid)))
            }
            draft.attributes.merge(judged.accepted) { $1 }
            let newUser = UserID(ports.randomness.uuid())
            return try await step(opened, Reading(identifiers: draft.identifiers.map(\.key)), in: scene) { situation in
                state.submitting(
                    attributes: judged.accepted, ignored: judged.ignored, newUser: newUser, in: situation
                ).map(FlowState.signUp)
            }
        }
    }

    private func isTaken(_ draft: SignUpDraft, in scene: Scene) async throws(EngineError) -> Bool {
        do {
            return try await !ports.users.taken(draft.identifiers.map(\.key), in: scene.tenant.id).isEmpty
        } catch {
            throw .store(error)
        }
    }

    private func check(_ password: Secret<String>, for draft: SignUpDraft, in scene: Scene) -> PasswordFault? {
        check(
            password, emailLocalPart: draft.email.localPart, alias: draft.alias?.display, attributes: draft.attributes,
            in: scene)
    }
}

extension UserFlow {
    /// The challenge types that a client must be able to handle to sign up here (native-auth-v1 §3.2).
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
