import NativeAuthCore
import PortableFoundation

// The way of every step: open the token, read the facts, let the flow decide, and commit everything in one transaction.

/// A step that a client asks for: the request, and the flow of its continuation token.
struct Step: Sendable {
    private(set) var context: RequestContext
    let envelope: FlowEnvelope
    let secret: Data
    /// Identifies a repeated request.
    let requestDigest: Data

    var flow: UUID { envelope.flow }
    var state: FlowState { envelope.state }
    /// Whether no account has the name of the flow: the step does the same work, and nothing comes of it.
    var isDecoy: Bool { state.account?.isDecoy == true }
    /// The user of the account, if there is one.
    var user: UserID? { isDecoy ? nil : state.account?.user }

    /// Judges what the device shows.
    mutating func takeDevice(of token: ContinuationToken, by engine: Engine) -> ProofFault? {
        do throws(ProofFault) {
            context.deviceTraces = try engine.deviceTraces(for: token, in: context)
            return nil
        } catch {
            return error
        }
    }

    /// A refusal before the transaction: nothing changes, and the presented token stays valid.
    func refused(_ refusal: Refusal) -> Outcome { context.outcome(.refused(refusal)) }

    /// The answer for a client that lacks what this flow needs.
    func redirected(missing type: ChallengeType) -> Outcome {
        context.outcome(.accepted(.redirectToBrowser(.missingChallengeType(type))))
    }
}

/// The data that a step reads besides its flow.
struct StepReads: Sendable {
    var identifiers: [LoginIdentifier.Key] = []
    /// Whether to read the user's wrong passwords, and whether the user was warned of them.
    var hasLockout = false
    /// Whether the step may send a notice to the user.
    var sendsNotice = false
    /// The recipient of the step's code, when the presented state does not hold it yet; limits are per recipient
    /// (`SEC-OTP-12`).
    var recipient: Contact?
    /// The code that the step sends or judges.
    var code: CodeUse?
    /// Whether to read what the tenant has spent on texts.
    var readsTextCosts = false
    /// The passkey or the identity that the step adds.
    var credential: MethodCredential?
    /// The remembered device that stands for the second factor.
    var device: UUID?
}

/// How a step uses a code.
enum CodeUse: Sendable {
    case sending(MailContent.Purpose)
    /// `isShared` tells a shared code from the flow's own code.
    case judging(MailContent.Purpose, isShared: Bool)

    static func judging(_ purpose: MailContent.Purpose, _ digits: Secret<String>) -> CodeUse {
        .judging(purpose, isShared: digits.reveal().utf8.count == EngineSettings.sharedCodeDigits)
    }

    var purpose: MailContent.Purpose {
        switch self {
        case .sending(let purpose), .judging(let purpose, isShared: _): purpose
        }
    }
}

extension Engine {
    /// Opens the token of a command.
    func open(
        _ token: ContinuationToken, for command: StepCommand, in context: RequestContext
    ) async -> Result<Step, ContinuationTokens.Fault> {
        let operations = command.traits.operations
        await tokens.loadKey(of: token, now: context.now)
        do {
            let envelope = try tokens.open(
                token, for: operations, tenant: context.tenant.id, client: context.client.id, now: context.now)
            let secret = Data(token.secret.reveal().utf8)
            return .success(
                Step(
                    context: context, envelope: envelope, secret: secret,
                    requestDigest: Vault.fingerprint([secret, Data("\(operations.rawValue)".utf8)] + command.content)))
        } catch {
            return .failure(error)
        }
    }

    /// Begins a flow whose first step writes nothing: the token holds all of it (design record 0014).
    ///
    /// - Returns: The outcome with the token; nil when the state is too long for a token.
    func begin(_ state: FlowState, in context: RequestContext) throws(EngineError) -> Outcome? {
        let envelope = FlowEnvelope(
            flow: ports.randomness.uuid(at: context.now), startedAt: context.now, revision: 0,
            expiresAt: context.now.addingTimeInterval(Double(settings.idleLifetime)), state: state)
        guard
            let token = try tokens.seal(
                envelope, tenant: context.tenant.id, client: context.client.id, hidesLength: context.hidesAccounts)
        else { return nil }
        return Outcome(
            .accepted(.requestChallenge), token: token, allowed: state.allowed, trace: context.caller.trace)
    }

    /// Runs a step: facts, decision, change, next token and replay record in one transaction.
    ///
    /// - Parameters:
    ///   - keepsAnswer: Whether to store the sealed answer for a repeated request. Steps that send a code do not: the
    ///     resend cool-down replaces the record (design record 0014).
    ///   - decide: The flow's pure decision.
    func run(
        _ step: Step, reading reads: StepReads = StepReads(), keepsAnswer: Bool = true,
        decide: @escaping @Sendable (StepSituation) -> Decision<FlowState>
    ) async throws(EngineError) -> Outcome {
        let keys = try await rateLimitKeys(of: step, reads)
        let (outcome, hasMail) = try await transaction(step, reads, keys) {
            facts throws(EngineError) -> (change: FlowChange?, answer: (Outcome, Bool)) in
            switch try check(facts, step, reads, keys) {
            case .answered(let outcome, let change): return (change, (outcome, false))
            case .open(let situation):
                return try rows(decide(situation), of: step, situation, keys, keepsAnswer: keepsAnswer)
            }
        }
        if hasMail { ports.mail.notify() }
        return outcome
    }

    /// Reads what the step needs, and writes the change that `body` makes of it.
    func transaction<Answer: Sendable>(
        _ step: Step, _ reads: StepReads, _ keys: RateLimitKeys,
        body: @escaping @Sendable (StepFacts) throws(EngineError) -> (change: FlowChange?, answer: Answer)
    ) async throws(EngineError) -> Answer {
        let context = step.context
        var counted = reads.hasLockout || reads.sendsNotice ? [keys.account] : []
        var mailsPerHour: Int?
        switch reads.code {
        case .sending:
            counted += [keys.mailbox, keys.recipient, keys.networkAtMailbox, keys.source, keys.ipv6Prefix48]
            mailsPerHour = settings.limits == nil ? nil : context.tenant.mailsPerHour
        case .judging(_, let isShared):
            counted +=
                [keys.address]
                + (isShared ? [keys.guesser, keys.guessingNetwork, keys.guessingIPv6Prefix48] : [])
        case nil: break
        }
        var query = StepQuery(
            tenant: context.tenant.id, flow: step.flow, requestDigest: step.requestDigest,
            identifiers: reads.identifiers, marks: reads.identifiers.map { mark(of: $0, in: context.tenant.id) },
            user: step.state.account?.user, subjects: counted.compactMap(\.self),
            lockout: reads.hasLockout ? keys.lockout : nil, slowLane: keys.slowLane,
            mailsPerHour: mailsPerHour,
            quotas: FlowQuotaKeys(identifier: keys.address ?? keys.account, source: keys.source),
            now: context.now)
        query.readsTextCosts =
            reads.readsTextCosts && settings.limits != nil && texts(of: context.tenant)?.hasCap == true
        if case .sending = reads.code { query.texts = keys.text }
        query.device = reads.device
        query.credential = reads.credential ?? (step.state.identity?.identity.key).map(MethodCredential.identity)
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

    enum Checked {
        case answered(Outcome, FlowChange?)
        case open(StepSituation)
    }

    /// The checks of every step: whether this request was answered before, whether the token is the newest, whether the
    /// account's credentials are unchanged.
    func check(
        _ facts: StepFacts, _ step: Step, _ reads: StepReads, _ keys: RateLimitKeys
    ) throws(EngineError) -> Checked {
        let context = step.context
        let envelope = step.envelope
        if let sealed = facts.sealedAnswer, let answer = openAnswer(sealed, of: step) {
            return .answered(answer, nil)
        }
        // No row means the first step that counts, or a flow whose row was lost when the database was restored. Only
        // the first may go on.
        guard var row = facts.row ?? (envelope.revision == 0 ? FlowRow(expiresAt: hardEnd(of: envelope)) : nil) else {
            return .answered(step.refused(.expiredToken), nil)
        }
        guard !row.isEnded else { return .answered(step.refused(.unusableToken), nil) }
        guard row.revision == envelope.revision else {
            row.misuses += 1
            row.isEnded = row.misuses >= settings.misusesPerFlow
            let event = event(.continuationTokenMisused, detail: "\(row.misuses)", of: envelope.flow, in: context)
            return .answered(
                step.refused(.unusableToken), FlowChange(row: row, effects: [.record(event)]))
        }
        let account = facts.account ?? decoyAccount(of: step)
        if case .account(_, let version) = envelope.state.account {
            // A flow ends when the credentials under which it began change (SEC-CT-9).
            guard let account, account.credentialVersion == version, account.disabledAt == nil
            else {
                row.isEnded = true
                let discloses = account?.disabledAt != nil && !context.hidesAccounts
                let outcome = step.refused(discloses ? .accountDisabled : .unusableToken)
                let replay = try sealAnswer(outcome, of: step)
                return .answered(outcome, FlowChange(row: row, replay: replay))
            }
        }
        var counted: [CountedSubject: [CountedEvent: [Date]]] = [:]
        for who in CountedSubject.allCases {
            if let subject = keys[who] { counted[who] = facts.counted[subject] ?? [:] }
        }
        // A reserved name is taken for all but the user who gave it up (SEC-ID-8).
        let reserved = Set(
            facts.reserved.filter { $0.until > context.now && ($0.user == nil || $0.user != step.user) }.map(\.mark))
        let taken = facts.taken.union(
            reads.identifiers.filter { reserved.contains(mark(of: $0, in: context.tenant.id)) })
        var usesSharedCode = false
        if case .judging(_, isShared: true) = reads.code { usesSharedCode = true }
        return .open(
            StepSituation(
                row: row, taken: taken, account: account, counted: counted, lockout: facts.lockout,
                slowLane: facts.slowLane, hasSlowLane: keys.slowLane != nil, usesSharedCode: usesSharedCode,
                tenantMailsSince: facts.tenantMailsSince, isFamiliar: keys.isFamiliar,
                hidesAccounts: context.hidesAccounts, enrolment: context.enrolment,
                asksAboutSignUps: context.asksAboutSignUps,
                takesRecoveryCodes: context.tenant.offersRecoveryCodes, takesApps: context.tenant.offersApps,
                texts: texts(of: context.tenant),
                passkeyDomain: context.tenant.passkeys?.relyingPartyID, isCredentialTaken: facts.isCredentialTaken,
                isDeviceRemembered: facts.isDeviceRemembered, rememberedDays: context.rememberedDays,
                textHistory: facts.textHistory,
                migrationAttributes: context.tenant.migrationAttributes, now: context.now,
                userFlow: context.userFlow, settings: settings))
    }

    /// Turns a decision into rows, and seals the next token.
    private func rows(
        _ decision: Decision<FlowState>, of step: Step, _ situation: StepSituation, _ keys: RateLimitKeys,
        keepsAnswer: Bool
    ) throws(EngineError) -> (change: FlowChange?, answer: (Outcome, Bool)) {
        let context = step.context
        let envelope = step.envelope
        var outcome = context.outcome(decision.verdict)
        if let next = decision.next {
            let idle = next.isProven ? settings.provenIdleLifetime : settings.idleLifetime
            let sealed = FlowEnvelope(
                flow: envelope.flow, startedAt: envelope.startedAt,
                revision: decision.row?.revision ?? situation.row.revision,
                expiresAt: min(context.now.addingTimeInterval(Double(idle)), hardEnd(of: envelope)), state: next)
            let token = try tokens.seal(
                sealed, tenant: context.tenant.id, client: context.client.id, hidesLength: context.hidesAccounts)
            // Only attributes make a state that long: refuse the step that brought too many, and write nothing.
            guard let token else {
                return (nil, (step.refused(.invalidAttributes([UserFlow.wholeParameter])), false))
            }
            outcome.token = token
            outcome.allowed = next.allowed
        }
        guard let newRow = decision.row else { return (nil, (outcome, false)) }
        var effects: [Effect] = []
        for effect in decision.effects {
            effects += try rows(for: effect, of: step, keys, reader: situation.account?.user.chosenMailLanguage)
        }
        let hasMail = effects.contains { if case .enqueueMail = $0 { true } else { false } }
        // A flow that has ended repeats its last answer.
        let replay = keepsAnswer || newRow.isEnded ? try sealAnswer(outcome, of: step) : nil
        return (FlowChange(row: newRow, effects: effects, replay: replay), (outcome, hasMail))
    }

    /// The tenant's text messages, where the server can send them.
    package func texts(of tenant: Tenant) -> TextSettings? {
        tenant.texts.flatMap { settings.hasTextGateway || $0.goesToHook ? $0 : nil }
    }

    private func hardEnd(of envelope: FlowEnvelope) -> Date {
        envelope.startedAt.addingTimeInterval(Double(settings.flowLifetime))
    }

    private func sealAnswer(_ outcome: Outcome, of step: Step) throws(EngineError) -> ReplayRecord {
        do {
            return ReplayRecord(
                requestDigest: step.requestDigest,
                sealedAnswer: try vault.seal(
                    try StateCoding.encode(outcome), underSecret: step.secret, context: [step.requestDigest]),
                expiresAt: step.context.now.addingTimeInterval(Double(settings.replayLifetime)))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an answer could not be sealed")
        }
    }

    func openAnswer(_ sealed: Data, of step: Step) -> Outcome? {
        do {
            return StateCoding.decode(
                try vault.open(sealed, underSecret: step.secret, context: [step.requestDigest]))
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
