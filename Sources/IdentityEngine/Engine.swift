import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Runs flows: opens the token, gathers facts, lets the flow decide, commits, and seals the next token.
///
/// It knows no HTTP, SQL, JSON field name or JWT. ``handle(_:in:)`` is the way in; the order of steps is in `Flows`, the
/// way from a command to a decision in the extensions beside this file, one per kind of flow.
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
        case .startSignIn(let application):
            return try await startSignIn(application, in: scene)
        case .challengeSignIn(let token, let method, let accepted):
            return try await challengeSignIn(token, method: method, accepted: accepted, in: scene)
        case .submitSignInPassword(let token, let password, let demand):
            return try await submitSignInPassword(token, password, demand, in: scene)
        case .submitSignInCode(let token, let code, let demand):
            return try await submitSignInCode(token, code, demand, in: scene)
        case .listMethods(let token):
            return try await listMethods(token, in: scene)
        case .submitSecondFactor(let token, let code, let demand):
            return try await submitSecondFactor(token, code, demand, in: scene)
        case .listContacts(let token):
            return try await listContacts(token, in: scene)
        case .challengeContact(let token, let contact, let channel):
            return try await challengeContact(token, contact, channel: channel, in: scene)
        case .submitContactCode(let token, let code):
            return try await submitContactCode(token, code, in: scene)
        case .confirmContact(let token):
            return try await confirmContact(token, in: scene)
        case .startReset(let application):
            return try await startReset(application, in: scene)
        case .challengeReset(let token, let accepted):
            return try await challengeReset(token, accepted: accepted, in: scene)
        case .submitResetCode(let token, let code):
            return try await submitResetCode(token, code, in: scene)
        case .submitNewPassword(let token, let password):
            return try await submitNewPassword(token, password, in: scene)
        case .pollReset(let token):
            return try await pollReset(token, in: scene)
        case .redeem(let token, let demand):
            return try await redeem(token, demand, in: scene)
        case .refresh(let token, let demand):
            return try await refresh(token, demand, in: scene)
        case .revoke(let token):
            return try await revoke(token, in: scene)
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
    struct Opened: Sendable {
        let envelope: FlowEnvelope
        let secret: Data
        let requestDigest: Data

        var flow: UUID { envelope.flow }
        var state: FlowState { envelope.state }
    }

    /// Opens `token` for `operation`.
    ///
    /// - Parameter content: What the request says besides the token; part of the digest under which its answer is kept.
    func open(
        _ token: ContinuationToken, for operation: FlowOperations, content: [Data] = [], in scene: Scene
    ) throws(ContinuationTokens.Fault) -> Opened {
        let envelope = try tokens.open(
            token, for: operation, tenant: scene.tenant.id, client: scene.client.id, now: scene.now)
        let secret = Data(token.secret.reveal().utf8)
        return Opened(
            envelope: envelope, secret: secret,
            requestDigest: Vault.fingerprint([secret, Data("\(operation.rawValue)".utf8)] + content))
    }

    /// Begins a flow whose first step writes nothing: all of it travels in the token (decision D2).
    ///
    /// - Returns: The token; nil when the state is longer than a token may be.
    func begin(_ state: FlowState, in scene: Scene) throws(EngineError) -> Outcome? {
        let envelope = FlowEnvelope(
            flow: ports.randomness.uuid(), startedAt: scene.now, revision: 0,
            expiresAt: scene.now.addingTimeInterval(Double(settings.idleLifetime)), state: state)
        guard let token = try tokens.seal(envelope, tenant: scene.tenant.id, client: scene.client.id) else { return nil }
        return Outcome(
            .accepted(.requestChallenge), token: token, allowed: state.allowed, trace: scene.context.trace)
    }

    /// What a step reads besides its flow.
    struct Reading: Sendable {
        var identifiers: [LoginIdentifier.Key] = []
        /// Whether the wrong passwords of the user matter.
        var hasLockout = false
        /// To whom the code of the step goes, where the presented state does not say it yet: limits are per recipient
        /// (`SEC-OTP-12`).
        var recipient: EmailAddress?
    }

    /// Whose occurrences are counted in a step, as keyed digests; nothing is counted when limits over time are off.
    struct Subjects: Sendable {
        var isFamiliar = false
        var address: Data?
        var source: Data?
        /// The user's failures from this class of sources, and from both.
        var lockout: Data?
        var lockouts: [Data] = []
        var network: Data?
    }

    /// Runs a step: facts, decision, change, next token and replay record in one transaction.
    ///
    /// - Parameters:
    ///   - keepsAnswer: Whether the sealed answer is kept for a repeated request. Steps that send a code do without: there
    ///     the resend cool-down takes the record's place (decision D4).
    ///   - decide: The flow's pure decision.
    func step(
        _ opened: Opened, _ reading: Reading = Reading(), keepsAnswer: Bool = true, in scene: Scene,
        decide: @escaping @Sendable (StepSituation) -> Decision<FlowState>
    ) async throws(EngineError) -> Outcome {
        let subjects = try await subjects(of: opened.state, recipient: reading.recipient, in: scene)
        let (outcome, hasMail) = try await transact(opened, reading, subjects, in: scene) {
            facts throws(EngineError) -> (change: FlowChange?, answer: (Outcome, Bool)) in
            switch try enter(facts, opened, subjects, in: scene) {
            case .answered(let outcome, let change):
                return (change, (outcome, false))
            case .open(let situation):
                return try commit(
                    decide(situation), opened, situation.row, subjects, keepsAnswer: keepsAnswer, in: scene)
            }
        }
        if hasMail { ports.mail.notify() }
        return outcome
    }

    /// Whether a password may be compared.
    enum Admission: Sendable {
        /// No: this is the answer.
        case answered(Outcome)
        /// Yes: the failures count as if it were wrong already (`SEC-LOCK-2`). What was read for the comparison.
        case admitted(StepSituation)
    }

    /// Takes the right to compare a password, by one commit before the comparison.
    ///
    /// - Parameter guess: A keyed digest of the password.
    func admit(_ guess: Data, _ opened: Opened, in scene: Scene) async throws(EngineError) -> Admission {
        let subjects = try await subjects(of: opened.state, in: scene)
        return try await transact(opened, Reading(hasLockout: true), subjects, in: scene) {
            facts throws(EngineError) -> (change: FlowChange?, answer: Admission) in
            switch try enter(facts, opened, subjects, in: scene) {
            case .answered(let outcome, let change):
                return (change, .answered(outcome))
            case .open(var situation):
                guard let subject = subjects.lockout else { return (nil, .admitted(situation)) }
                switch Lockout.admitting(guess, to: facts.lockout, now: scene.now) {
                case .locked(let seconds):
                    let event = event(.signInLocked, user: opened.state.account?.user, of: opened.flow, in: scene)
                    return (
                        FlowChange(row: situation.row, effects: [.record(event)]),
                        .answered(scene.outcome(.refused(.locked(seconds: seconds))))
                    )
                case .compare(let lockout):
                    situation.lockout = lockout
                    return (
                        FlowChange(row: situation.row, effects: [.setLockout(lockout, subject: subject)]),
                        .admitted(situation)
                    )
                }
            }
        }
    }

    private func transact<Answer: Sendable>(
        _ opened: Opened, _ reading: Reading, _ subjects: Subjects, in scene: Scene,
        body: @escaping @Sendable (StepFacts) throws(EngineError) -> (change: FlowChange?, answer: Answer)
    ) async throws(EngineError) -> Answer {
        let query = StepQuery(
            tenant: scene.tenant.id, flow: opened.flow, requestDigest: opened.requestDigest,
            identifiers: reading.identifiers, user: opened.state.account?.user,
            subjects: [subjects.address, subjects.source].compactMap(\.self),
            lockout: reading.hasLockout ? subjects.lockout : nil, now: scene.now)
        let result: Result<Answer, EngineError>
        do {
            result = try await ports.flows.step(query) { facts in
                do throws(EngineError) {
                    let (change, answer) = try body(facts)
                    return (change, .success(answer))
                } catch {
                    return (nil, .failure(error))
                }
            }
        } catch {
            throw .store(error)
        }
        return try result.get()
    }

    private enum Entry {
        case answered(Outcome, FlowChange?)
        case open(StepSituation)
    }

    /// What every step asks first: was this very request answered, is the token the newest, is the account what it was.
    private func enter(
        _ facts: StepFacts, _ opened: Opened, _ subjects: Subjects, in scene: Scene
    ) throws(EngineError) -> Entry {
        let envelope = opened.envelope
        if let sealed = facts.sealedAnswer, let answer = openAnswer(sealed, of: opened) {
            return .answered(answer, nil)
        }
        // No row: the first step that counts, or a flow whose row went with a restored database. Only the former may go on.
        guard var row = facts.row ?? (envelope.revision == 0 ? FlowRow(expiresAt: hardEnd(of: envelope)) : nil) else {
            return .answered(scene.outcome(.refused(.expiredToken)), nil)
        }
        guard !row.isEnded else { return .answered(scene.outcome(.refused(.unusableToken)), nil) }
        guard row.revision == envelope.revision else {
            row.misuses += 1
            row.isEnded = row.misuses >= settings.misusesPerFlow
            let event = event(.continuationTokenMisused, detail: "\(row.misuses)", of: envelope.flow, in: scene)
            return .answered(
                scene.outcome(.refused(.unusableToken)), FlowChange(row: row, effects: [.record(event)]))
        }
        if let binding = envelope.state.account {
            // Nothing of a flow outlives the credentials under which it began (SEC-CT-9).
            guard let account = facts.account, account.credentialVersion == binding.credentialVersion,
                account.disabledAt == nil
            else {
                row.isEnded = true
                let refusal: Refusal = facts.account?.disabledAt == nil ? .unusableToken : .accountDisabled
                return .answered(scene.outcome(.refused(refusal)), FlowChange(row: row))
            }
        }
        var counted: [CountedSubject: [CountedEvent: [Date]]] = [:]
        if let address = subjects.address { counted[.address] = facts.counted[address] ?? [:] }
        if let source = subjects.source { counted[.source] = facts.counted[source] ?? [:] }
        return .open(
            StepSituation(
                row: row, taken: facts.taken, account: facts.account, counted: counted, lockout: facts.lockout,
                isFamiliar: subjects.isFamiliar, now: scene.now, userFlow: scene.userFlow, settings: settings))
    }

    /// Turns a decision into rows, and seals the next token.
    private func commit(
        _ decision: Decision<FlowState>, _ opened: Opened, _ row: FlowRow, _ subjects: Subjects, keepsAnswer: Bool,
        in scene: Scene
    ) throws(EngineError) -> (change: FlowChange?, answer: (Outcome, Bool)) {
        let envelope = opened.envelope
        var outcome = scene.outcome(decision.verdict)
        if let next = decision.next {
            let idle = next.isProven ? settings.provenIdleLifetime : settings.idleLifetime
            let sealed = FlowEnvelope(
                flow: envelope.flow, startedAt: envelope.startedAt, revision: decision.row?.revision ?? row.revision,
                expiresAt: min(scene.now.addingTimeInterval(Double(idle)), hardEnd(of: envelope)), state: next)
            let token = try tokens.seal(sealed, tenant: scene.tenant.id, client: scene.client.id)
            // Only attributes make a state that long, so the step that brought too many is refused, and nothing happened.
            guard let token else {
                return (nil, (scene.outcome(.refused(.invalidAttributes([UserFlow.wholeParameter]))), false))
            }
            outcome.token = token
            outcome.allowed = next.allowed
        }
        guard let newRow = decision.row else { return (nil, (outcome, false)) }
        var effects: [Effect] = []
        for effect in decision.effects {
            effects += try rows(for: effect, of: envelope.flow, subjects, in: scene)
        }
        let hasMail = effects.contains { if case .enqueueMail = $0 { true } else { false } }
        let replay = keepsAnswer ? try sealAnswer(outcome, of: opened, in: scene) : nil
        return (FlowChange(row: newRow, effects: effects, replay: replay), (outcome, hasMail))
    }

    private func hardEnd(of envelope: FlowEnvelope) -> Date {
        envelope.startedAt.addingTimeInterval(Double(settings.flowLifetime))
    }

    /// Who is counted in a step of `state`. Familiar sources are counted apart, so that a stranger's failures do not shut the
    /// owner out (`SEC-OTP-5`, `SEC-LOCK-3`).
    private func subjects(
        of state: FlowState, recipient: EmailAddress? = nil, in scene: Scene
    ) async throws(EngineError) -> Subjects {
        guard settings.limits != nil else { return Subjects() }
        let tenant = scene.tenant.id
        func digest(_ parts: [Data]) -> Data { vault.digest(.counter, tenant: tenant, parts) }
        var subjects = Subjects()
        if let user = state.account?.user {
            let id = Data(user.description.utf8)
            subjects.network = scene.context.source.map { digest([Data("network".utf8), id, $0.network]) }
            if let network = subjects.network {
                do {
                    subjects.isFamiliar = try await ports.users.isFamiliar(
                        network, to: user, in: tenant,
                        since: scene.now.addingTimeInterval(-Double(settings.familiarityLifetime)))
                } catch {
                    throw .store(error)
                }
            }
            subjects.lockouts = [true, false].map { digest([Data("lockout".utf8), id, Self.bucket($0)]) }
            subjects.lockout = subjects.lockouts[subjects.isFamiliar ? 0 : 1]
        }
        let bucket = Self.bucket(subjects.isFamiliar)
        subjects.address = (recipient ?? state.mailbox).map { digest([Data("address".utf8), $0.mailbox, bucket]) }
        subjects.source = scene.context.source.map { digest([Data("source".utf8), $0.address]) }
        return subjects
    }

    private static func bucket(_ isFamiliar: Bool) -> Data {
        Data((isFamiliar ? "familiar" : "unfamiliar").utf8)
    }

    private func rows(
        for effect: FlowEffect, of flow: UUID, _ subjects: Subjects, in scene: Scene
    ) throws(EngineError) -> [Effect] {
        switch effect {
        case .createUser(let draft, let id):
            var attributes = draft.attributes
            attributes[AttributeDefinition.aliasName] = nil
            return [
                .createUser(
                    NewUser(
                        id: id, tenant: scene.tenant.id, client: scene.client.id, identifiers: draft.identifiers,
                        passwordHash: draft.passwordHash, attributes: attributes, createdAt: scene.now))
            ]
        case .mailCode(let fresh, let email, let purpose):
            return [
                try mail(
                    purpose, to: email, code: fresh.digits.reveal(), expiresAt: fresh.record.expiresAt, of: flow,
                    in: scene)
            ]
        case .mailNotice(let purpose, let email):
            let end = scene.now.addingTimeInterval(Double(settings.noticeLifetime))
            return [try mail(purpose, to: email, code: nil, expiresAt: end, of: flow, in: scene)]
        case .openRefreshFamily(let family):
            return [.openRefreshFamily(family)]
        case .record(let kind, let user, let detail):
            return [.record(event(kind, user: user, detail: detail, of: flow, in: scene))]
        // Without a subject limits over time are off, and nothing is counted.
        case .count(let counted, let who):
            return subjects[who].map { [.count(counted, subject: $0, at: scene.now)] } ?? []
        case .forget(let counted, let who):
            return subjects[who].map { [.forget(counted, subject: $0)] } ?? []
        case .changePassword(let user, let hash):
            return [.changePassword(user, hash, at: scene.now)]
        case .upgradePassword(let user, let old, let new):
            return [.upgradePassword(user, from: old, to: new)]
        case .revokeRefreshFamilies(let user):
            return [.revokeRefreshFamilies(user, at: scene.now)]
        case .addStrongMethod(let method, let user):
            return [.addStrongMethod(method, to: user)]
        case .setLockout(let lockout):
            return subjects.lockout.map { [.setLockout(lockout, subject: $0)] } ?? []
        case .clearLockouts:
            return subjects.lockouts.map { .setLockout(nil, subject: $0) }
        case .rememberNetwork(let user):
            return subjects.network.map { [.rememberNetwork($0, of: user, at: scene.now)] } ?? []
        case .forgetNetworks(let user):
            return [.forgetNetworks(user)]
        }
    }

    private func mail(
        _ purpose: MailContent.Purpose, to email: EmailAddress, code: String?, expiresAt: Date, of flow: UUID,
        in scene: Scene
    ) throws(EngineError) -> Effect {
        let content = MailContent(
            purpose: purpose, recipient: email.address, code: code,
            minutesValid: code == nil ? 0 : settings.codeLifetime / 60, language: scene.context.language,
            organisation: scene.tenant.displayName, sentAt: scene.now)
        do {
            return .enqueueMail(
                try OutboxMail.sealing(
                    content, id: ports.randomness.uuid(), tenant: scene.tenant.id, flow: flow, expiresAt: expiresAt,
                    using: vault))
        } catch {
            throw .broken("a mail could not be sealed")
        }
    }

    /// A code for a mailbox, drawn in any case, so that the pure decision has it at hand.
    ///
    /// - Parameter number: Which code of its flow it is, from 1.
    func freshCode(
        _ digits: Secret<String>, number: Int, of flow: UUID, to email: EmailAddress, for purpose: MailContent.Purpose,
        in scene: Scene
    ) -> FreshCode {
        FreshCode(
            digits: digits,
            record: CodeRecord(
                digest: codeDigest(digits, number: number, of: flow, to: email, for: purpose, in: scene),
                target: vault.digest(
                    .oneTimePasscode, tenant: scene.tenant.id, [Data(purpose.rawValue.utf8), email.key.bytes]),
                sentAt: scene.now, expiresAt: scene.now.addingTimeInterval(Double(settings.codeLifetime))))
    }

    /// Whether `digits` are the code of `record`; to be called inside the step, where the row says which code it is.
    func matches(
        _ digits: Secret<String>, _ record: CodeRecord, _ situation: StepSituation, of flow: UUID,
        to email: EmailAddress, for purpose: MailContent.Purpose, in scene: Scene
    ) -> Bool {
        Vault.areEqual(
            record.digest,
            codeDigest(digits, number: situation.row.codesSent, of: flow, to: email, for: purpose, in: scene))
    }

    /// The digits of what a person typed: blanks and hyphens stripped; nil for what cannot be a code, which is refused without
    /// being counted (`SEC-OTP-8`).
    func digits(of code: Secret<String>) -> Secret<String>? {
        let digits = code.reveal().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard digits.count == settings.codeDigits, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Secret(String(decoding: digits, as: UTF8.self))
    }

    /// `SEC-OTP-7`, `SEC-OTP-9`: bound to tenant, client, flow, purpose, number and identifier.
    private func codeDigest(
        _ digits: Secret<String>, number: Int, of flow: UUID, to email: EmailAddress, for purpose: MailContent.Purpose,
        in scene: Scene
    ) -> Data {
        vault.digest(
            .oneTimePasscode, tenant: scene.tenant.id,
            [
                Data(scene.client.id.description.utf8), Data(flow.uuidString.utf8), Data("\(number)".utf8),
                Data(purpose.rawValue.utf8), email.key.bytes, Data(digits.reveal().utf8),
            ])
    }

    /// Hashes a password that the policy accepted.
    func hash(_ password: Secret<String>) async throws(EngineError) -> PasswordHash {
        do {
            return try await ports.hasher.hash(password)
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .unusable: throw .broken("a password that the policy accepted could not be hashed")
            }
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
        _ outcome: Outcome, of opened: Opened, in scene: Scene
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

    private func openAnswer(_ sealed: Data, of opened: Opened) -> Outcome? {
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

extension Engine.Subjects {
    fileprivate subscript(who: CountedSubject) -> Data? {
        switch who {
        case .address: address
        case .source: source
        }
    }
}
