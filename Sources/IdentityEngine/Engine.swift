import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Runs flows: opens the token, gathers facts, lets the flow decide, commits, and seals the next token.
///
/// It knows no HTTP, SQL, JSON field name or JWT. ``handle(_:in:)`` is the way in; the order of steps is in
/// `Flows/SignUp/SignUpSteps.swift`.
package struct Engine: Sendable {
    /// What the engine needs of the world.
    package struct Ports: Sendable {
        package var clients: any ClientStore
        package var flows: any FlowStore
        package var users: any UserStore
        package var refresh: any RefreshStore
        package var hasher: any PasswordHasher
        package var issuer: any TokenIssuer
        package var randomness: any Randomness
        package var mail: MailSignal

        package init(
            clients: any ClientStore, flows: any FlowStore, users: any UserStore, refresh: any RefreshStore,
            hasher: any PasswordHasher, issuer: any TokenIssuer, randomness: any Randomness, mail: MailSignal
        ) {
            self.clients = clients
            self.flows = flows
            self.users = users
            self.refresh = refresh
            self.hasher = hasher
            self.issuer = issuer
            self.randomness = randomness
            self.mail = mail
        }
    }

    package let ports: Ports
    package let settings: EngineSettings
    let vault: Vault
    let tokens: ContinuationTokens
    let passwords: PasswordPolicy

    package init(_ ports: Ports, vault: Vault, settings: EngineSettings, passwords: PasswordPolicy = PasswordPolicy()) {
        self.ports = ports
        self.settings = settings
        self.vault = vault
        self.passwords = passwords
        tokens = ContinuationTokens(vault: vault)
    }

    /// Handles one command.
    ///
    /// The same command again within a minute gets the same answer and has no second effect (`REL-IDEM`).
    /// - Throws: ``EngineError`` when something broke; an expected no is a refusal in the outcome.
    package func handle(_ command: Command, in context: CommandContext) async throws(EngineError) -> Outcome {
        // 1. Who is asked, and by which application.
        let tenant: Tenant
        let client: Client
        switch try await resolve(context) {
        case .found(let theTenant, let theClient): (tenant, client) = (theTenant, theClient)
        case .refused(let refusal): return Outcome(.refused(refusal), trace: context.trace)
        }
        let scene = Scene(tenant: tenant, client: client, context: context)

        // 2. The step itself; each opens its token first, so that cheap checks come before dear ones.
        switch command {
        case .startSignUp(let application):
            return try await startSignUp(application, in: scene)
        case .challengeSignUp(let token, let accepted):
            return try await challengeSignUp(token, accepted: accepted, in: scene)
        case .submitSignUpCode(let token, let code):
            return try await submitSignUpCode(token, code, in: scene)
        case .submitSignUpPassword(let token, let password):
            return try await submitSignUpPassword(token, password, in: scene)
        case .submitSignUpAttributes(let token, let attributes):
            return try await submitSignUpAttributes(token, attributes, in: scene)
        case .redeem(let token, let scopes):
            return try await redeem(token, scopes: scopes, in: scene)
        case .refresh(let token, let scopes):
            return try await refresh(token, scopes: scopes, in: scene)
        }
    }

    /// The tenant that a path names; nil when there is none.
    package func tenant(named name: String) async throws(EngineError) -> Tenant? {
        do {
            return try await ports.clients.tenant(named: name)
        } catch {
            throw .store(error)
        }
    }

    /// Removes what has expired; to be called about once a minute.
    package func removeExpired(now: Date) async throws(EngineError) -> Int {
        do {
            return try await ports.flows.removeExpired(now: now)
        } catch {
            throw .store(error)
        }
    }

    private enum Resolution {
        case found(Tenant, Client)
        case refused(Refusal)
    }

    private func resolve(_ context: CommandContext) async throws(EngineError) -> Resolution {
        do {
            guard let tenant = try await ports.clients.tenant(named: context.tenantName) else {
                return .refused(.unknownTenant)
            }
            guard let client = try await ports.clients.client(context.client, in: tenant.id) else {
                return .refused(.unknownClient)
            }
            return client.isNativeAuthEnabled ? .found(tenant, client) : .refused(.nativeAuthDisabled)
        } catch {
            throw .store(error)
        }
    }
}

/// The parties and the moment of a command.
struct Scene: Sendable {
    let tenant: Tenant
    let client: Client
    let context: CommandContext

    var now: Date { context.now }
    var userFlow: UserFlow { client.userFlow }

    func outcome(_ verdict: Verdict) -> Outcome {
        Outcome(verdict, trace: context.trace)
    }
}

extension Engine {
    /// A continuation token that was opened, and what makes this request the same as another.
    struct Opened<State: Codable & Hashable & Sendable>: Sendable {
        let envelope: FlowEnvelope<State>
        let secret: Data
        let requestDigest: Data
    }

    /// Opens `token` for `operation`.
    ///
    /// - Parameter content: What the request says besides the token; part of the digest under which its answer is kept.
    func open<State: Codable & Hashable & Sendable>(
        _ token: ContinuationToken, as state: State.Type, for operation: FlowOperations, content: [Data],
        in scene: Scene
    ) throws(ContinuationTokens.Fault) -> Opened<State> {
        let envelope = try tokens.open(
            token, as: state, for: operation, tenant: scene.tenant.id, client: scene.client.id, now: scene.now)
        let secret = Data(token.secret.reveal().utf8)
        return Opened(
            envelope: envelope, secret: secret,
            requestDigest: Vault.fingerprint([secret, Data("\(operation.rawValue)".utf8)] + content))
    }

    /// Runs a step: facts, decision, change, next token and replay record in one transaction.
    ///
    /// - Parameters:
    ///   - keepsAnswer: Whether the sealed answer is kept for a repeated request. Steps that send a code do without: there
    ///     the resend cool-down takes the record's place (decision D4).
    ///   - decide: The flow's pure decision.
    func step(
        _ opened: Opened<SignUpState>, identifiers: [LoginIdentifier.Key] = [], keepsAnswer: Bool = true,
        in scene: Scene,
        decide: @escaping @Sendable (StepSituation) -> Decision<SignUpState>
    ) async throws(EngineError) -> Outcome {
        let subject = settings.limits.flatMap { _ in
            opened.envelope.state.draft.map {
                vault.digest(.counter, tenant: scene.tenant.id, [$0.email.mailbox])
            }
        }
        let query = StepQuery(
            tenant: scene.tenant.id, flow: opened.envelope.flow, requestDigest: opened.requestDigest,
            identifiers: identifiers, subject: subject, now: scene.now)
        let result: Result<(outcome: Outcome, hasMail: Bool), EngineError>
        do {
            result = try await ports.flows.step(query) { facts in
                do throws(EngineError) {
                    let judged = try judge(
                        facts, opened, subject: subject, keepsAnswer: keepsAnswer, in: scene, decide: decide)
                    return (judged.change, .success((judged.outcome, judged.hasMail)))
                } catch {
                    return (nil, .failure(error))
                }
            }
        } catch {
            throw .store(error)
        }
        let (outcome, hasMail) = try result.get()
        if hasMail { ports.mail.notify() }
        return outcome
    }

    private func judge(
        _ facts: StepFacts, _ opened: Opened<SignUpState>, subject: Data?, keepsAnswer: Bool, in scene: Scene,
        decide: (StepSituation) -> Decision<SignUpState>
    ) throws(EngineError) -> (change: FlowChange?, outcome: Outcome, hasMail: Bool) {
        let envelope = opened.envelope
        if let sealed = facts.sealedAnswer, let answer = openAnswer(sealed, of: opened) {
            return (nil, answer, false)
        }
        let hardEnd = envelope.startedAt.addingTimeInterval(Double(settings.flowLifetime))
        // No row: the first step that counts, or a flow whose row went with a restored database. Only the former may go on.
        guard var row = facts.row ?? (envelope.revision == 0 ? FlowRow(expiresAt: hardEnd) : nil) else {
            return (nil, scene.outcome(.refused(.expiredToken)), false)
        }
        guard !row.isEnded else { return (nil, scene.outcome(.refused(.unusableToken)), false) }
        guard row.revision == envelope.revision else {
            row.misuses += 1
            row.isEnded = row.misuses >= settings.misusesPerFlow
            let event = event(.continuationTokenMisused, detail: "\(row.misuses)", of: envelope.flow, in: scene)
            return (
                FlowChange(row: row, effects: [.record(event)]), scene.outcome(.refused(.unusableToken)), false
            )
        }

        let decision = decide(
            StepSituation(
                row: row, taken: facts.taken, counted: facts.counted, now: scene.now, userFlow: scene.userFlow,
                settings: settings))
        var outcome = scene.outcome(decision.verdict)
        if let next = decision.next {
            let idle = next.isProven ? settings.provenIdleLifetime : settings.idleLifetime
            let sealed = FlowEnvelope(
                flow: envelope.flow, startedAt: envelope.startedAt, revision: decision.row?.revision ?? row.revision,
                expiresAt: min(scene.now.addingTimeInterval(Double(idle)), hardEnd), state: next)
            let token = try tokens.seal(
                sealed, allowing: next.allowed, tenant: scene.tenant.id, client: scene.client.id)
            // Only attributes make a state that long, so the step that brought too many is refused, and nothing happened.
            guard let token else {
                return (nil, scene.outcome(.refused(.invalidAttributes([UserFlow.wholeParameter]))), false)
            }
            outcome.token = token
            outcome.allowed = next.allowed
        }
        guard let newRow = decision.row else { return (nil, outcome, false) }
        var effects: [Effect] = []
        for effect in decision.effects {
            if let effect = try rows(for: effect, of: envelope.flow, subject: subject, in: scene) {
                effects.append(effect)
            }
        }
        let hasMail = effects.contains { if case .enqueueMail = $0 { true } else { false } }
        let replay = keepsAnswer ? try sealAnswer(outcome, of: opened, in: scene) : nil
        return (FlowChange(row: newRow, effects: effects, replay: replay), outcome, hasMail)
    }

    private func rows(
        for effect: FlowEffect, of flow: UUID, subject: Data?, in scene: Scene
    ) throws(EngineError) -> Effect? {
        switch effect {
        case .createUser(let draft, let id):
            var attributes = draft.attributes
            attributes[AttributeDefinition.aliasName] = nil
            return .createUser(
                NewUser(
                    id: id, tenant: scene.tenant.id, client: scene.client.id, identifiers: draft.identifiers,
                    passwordHash: draft.passwordHash, attributes: attributes, createdAt: scene.now))
        case .mailCode(let fresh, let email):
            let content = MailContent(
                purpose: .signUp, recipient: email.address, code: fresh.digits.reveal(),
                minutesValid: settings.codeLifetime / 60, language: scene.context.language,
                organisation: scene.tenant.displayName, sentAt: scene.now)
            do {
                return .enqueueMail(
                    try OutboxMail.sealing(
                        content, id: ports.randomness.uuid(), tenant: scene.tenant.id, flow: flow,
                        expiresAt: fresh.record.expiresAt, using: vault))
            } catch {
                throw .broken("a mail could not be sealed")
            }
        case .openRefreshFamily(let family):
            return .openRefreshFamily(family)
        case .record(let kind, let user, let detail):
            return .record(event(kind, user: user, detail: detail, of: flow, in: scene))
        // Without a subject limits over time are off, and nothing is counted.
        case .count(let counted):
            return subject.map { .count(counted, subject: $0, at: scene.now) }
        case .forget(let counted):
            return subject.map { .forget(counted, subject: $0) }
        }
    }

    func event(
        _ kind: AuditEvent.Kind, user: UserID? = nil, detail: String? = nil, of flow: UUID?, in scene: Scene
    ) -> AuditEvent {
        AuditEvent(
            kind, at: scene.now, tenant: scene.tenant.id, client: scene.client.id, flow: flow, user: user,
            detail: detail)
    }

    private func sealAnswer(
        _ outcome: Outcome, of opened: Opened<SignUpState>, in scene: Scene
    ) throws(EngineError) -> ReplayRecord {
        do {
            return ReplayRecord(
                requestDigest: opened.requestDigest,
                sealedAnswer: try vault.seal(
                    try StateCoding.encode(outcome), underSecret: opened.secret, context: [opened.requestDigest]),
                expiresAt: scene.now.addingTimeInterval(Double(settings.replayLifetime)))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an answer could not be sealed")
        }
    }

    private func openAnswer(_ sealed: Data, of opened: Opened<SignUpState>) -> Outcome? {
        do {
            return StateCoding.decode(
                try vault.open(sealed, underSecret: opened.secret, context: [opened.requestDigest]))
        } catch {
            return nil
        }
    }
}

extension Refusal {
    init(_ fault: ContinuationTokens.Fault) {
        self =
            switch fault {
            case .unusable: .unusableToken
            case .expired: .expiredToken
            case .notAllowedNow: .notAllowedNow
            }
    }
}
