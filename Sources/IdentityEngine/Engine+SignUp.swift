import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a sign-up as the engine sees them: open the token, gather the facts, let the flow decide.
extension Engine {
    /// Starts a sign-up. Nothing is written: the whole draft travels in the token (decision D2).
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
        do {
            guard try await ports.users.taken(draft.identifiers.map(\.key), in: scene.tenant.id).isEmpty else {
                return scene.outcome(.refused(.userAlreadyExists))
            }
        } catch {
            throw .store(error)
        }
        if let password = application.password, let fault = check(password, for: draft, in: scene) {
            return scene.outcome(.refused(.unacceptablePassword(fault)))
        }
        guard judged.invalid.isEmpty else {
            return scene.outcome(.refused(.invalidAttributes(judged.invalid)))
        }
        if let password = application.password {
            draft.passwordHash = try await hash(password)
        }
        let state = SignUpState.started(draft)
        let envelope = FlowEnvelope(
            flow: ports.randomness.uuid(), startedAt: scene.now, revision: 0,
            expiresAt: scene.now.addingTimeInterval(Double(settings.idleLifetime)), state: state)
        let token = try tokens.seal(
            envelope, allowing: state.allowed, tenant: scene.tenant.id, client: scene.client.id)
        guard let token else { return scene.outcome(.refused(.invalidAttributes([UserFlow.wholeParameter]))) }
        return Outcome(
            .accepted(.requestChallenge), token: token, allowed: state.allowed, trace: scene.context.trace)
    }

    func challengeSignUp(
        _ token: ContinuationToken, accepted: Set<ChallengeType>?, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let opened: Opened<SignUpState>
        do {
            opened = try open(token, as: SignUpState.self, for: .challengeSignUp, content: [], in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        if let accepted, let missing = scene.userFlow.neededChallengeTypes.first(where: { !accepted.contains($0) }) {
            return scene.outcome(.accepted(.goToWeb(reason: "Client is missing \(missing.rawValue) challenge type")))
        }
        // Drawn in any case, so that the pure decision has it at hand; without a mail nobody ever learns it.
        let digits = Secret(ports.randomness.digits(settings.codeDigits))
        let settings = settings
        let state = opened.envelope.state
        guard let email = state.draft?.email else { return scene.outcome(.refused(.notAllowedNow)) }
        return try await step(opened, keepsAnswer: false, in: scene) { situation in
            let number = situation.row.codesSent + 1
            let record = CodeRecord(
                digest: codeDigest(digits, number: number, of: opened.envelope.flow, for: email, in: scene),
                sentAt: situation.now, expiresAt: situation.now.addingTimeInterval(Double(settings.codeLifetime)))
            return state.challenging(with: FreshCode(digits: digits, record: record), in: situation)
        }
    }

    func submitSignUpCode(
        _ token: ContinuationToken, _ code: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let digits = code.reveal().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        let opened: Opened<SignUpState>
        do {
            opened = try open(
                token, as: SignUpState.self, for: .submitSignUpCode, content: [Data(digits)], in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        // SEC-OTP-8: what cannot be a code is refused without being counted.
        guard digits.count == settings.codeDigits, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return scene.outcome(.refused(.incorrectCode))
        }
        let state = opened.envelope.state
        guard let draft = state.draft else { return scene.outcome(.refused(.notAllowedNow)) }
        let candidate = Secret(String(decoding: digits, as: UTF8.self))
        let newUser = UserID(ports.randomness.uuid())
        return try await step(opened, identifiers: draft.identifiers.map(\.key), in: scene) { situation in
            state.submitting(
                code: { record in
                    Vault.areEqual(
                        record.digest,
                        codeDigest(
                            candidate, number: situation.row.codesSent, of: opened.envelope.flow, for: draft.email,
                            in: scene))
                }, newUser: newUser, in: situation)
        }
    }

    func submitSignUpPassword(
        _ token: ContinuationToken, _ password: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let opened: Opened<SignUpState>
        do {
            opened = try open(
                token, as: SignUpState.self, for: .submitSignUpPassword, content: [Data(password.reveal().utf8)],
                in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        let state = opened.envelope.state
        guard let draft = state.draft else { return scene.outcome(.refused(.notAllowedNow)) }
        if let fault = check(password, for: draft, in: scene) {
            return scene.outcome(.refused(.unacceptablePassword(fault)))
        }
        let hash = try await hash(password)
        let newUser = UserID(ports.randomness.uuid())
        return try await step(opened, identifiers: draft.identifiers.map(\.key), in: scene) { situation in
            state.submitting(password: hash, newUser: newUser, in: situation)
        }
    }

    func submitSignUpAttributes(
        _ token: ContinuationToken, _ attributes: SubmittedAttributes, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let opened: Opened<SignUpState>
        do {
            opened = try open(
                token, as: SignUpState.self, for: .submitSignUpAttributes, content: attributes.digestContent, in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        let judged = scene.userFlow.judge(attributes)
        guard judged.invalid.isEmpty else {
            return scene.outcome(.refused(.invalidAttributes(judged.invalid)))
        }
        let state = opened.envelope.state
        guard var draft = state.draft else { return scene.outcome(.refused(.notAllowedNow)) }
        draft.attributes.merge(judged.accepted) { $1 }
        let newUser = UserID(ports.randomness.uuid())
        return try await step(opened, identifiers: draft.identifiers.map(\.key), in: scene) { situation in
            state.submitting(
                attributes: judged.accepted, ignored: judged.ignored, newUser: newUser, in: situation)
        }
    }

    private func check(_ password: Secret<String>, for draft: SignUpDraft, in scene: Scene) -> PasswordFault? {
        let names = ["displayName", "givenName", "surname"].compactMap { name -> String? in
            guard case .string(let text)? = draft.attributes[name] else { return nil }
            return text
        }
        return passwords.check(
            password,
            context: PasswordContext(
                emailLocalPart: draft.email.localPart, alias: draft.alias?.display, names: names,
                tenantName: scene.tenant.displayName))
    }

    private func hash(_ password: Secret<String>) async throws(EngineError) -> PasswordHash {
        do {
            return try await ports.hasher.hash(password)
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .unusable: throw .broken("a password that the policy accepted could not be hashed")
            }
        }
    }

    /// `SEC-OTP-7`, `SEC-OTP-9`: bound to tenant, client, flow, purpose, number and identifier.
    private func codeDigest(
        _ digits: Secret<String>, number: Int, of flow: UUID, for email: EmailAddress, in scene: Scene
    ) -> Data {
        vault.digest(
            .oneTimePasscode, tenant: scene.tenant.id,
            [
                Data(scene.client.id.description.utf8), Data(flow.uuidString.utf8), Data("\(number)".utf8),
                Data(MailContent.Purpose.signUp.rawValue.utf8), email.key.bytes, Data(digits.reveal().utf8),
            ])
    }
}

extension UserFlow {
    /// What a client must be able to handle to sign up here (native-auth-v1 §3.2).
    var neededChallengeTypes: [ChallengeType] {
        switch method {
        case .emailOneTimePasscode: [.oneTimePasscode]
        case .emailPassword: [.oneTimePasscode, .password]
        }
    }
}

extension SubmittedAttributes {
    /// Names and values in one unambiguous list.
    fileprivate var digestContent: [Data] {
        values.flatMap { [Data($0.name.utf8), Data(($0.value?.description ?? "").utf8)] }
    }
}
