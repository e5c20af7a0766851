import NativeAuthCore
import PortableFoundation

// The work that every step of a flow shares: open the token, read the facts, let the flow decide, and commit everything
// in one transaction.
extension Engine {
    /// An opened continuation token, and the digest that identifies a repeated request.
    struct OpenedToken: Sendable {
        let envelope: FlowEnvelope
        let secret: Data
        let requestDigest: Data

        var flow: UUID { envelope.flow }
        var state: FlowState { envelope.state }
        var isDecoy: Bool { state.account?.isDecoy == true }
        /// The user of the account, if there is one.
        var user: UserID? { isDecoy ? nil : state.account?.user }
    }

    /// Opens `token` for `operation`.
    ///
    /// - Parameter content: The content of the request besides the token; part of the digest under which the answer is
    ///   stored.
    private func open(
        _ token: ContinuationToken, for operation: FlowOperations, content: [Data], in context: RequestContext
    ) throws(ContinuationTokens.Fault) -> OpenedToken {
        let envelope = try tokens.open(
            token, for: operation, tenant: context.tenant.id, client: context.client.id, now: context.now)
        let secret = Data(token.secret.reveal().utf8)
        return OpenedToken(
            envelope: envelope, secret: secret,
            requestDigest: Vault.fingerprint([secret, Data("\(operation.rawValue)".utf8)] + content))
    }

    /// Opens `token` for `operation` and takes the step, or answers what is wrong with the token.
    func opening(
        _ token: ContinuationToken, for operation: FlowOperations, content: [Data] = [], in context: RequestContext,
        step: (OpenedToken) async throws(EngineError) -> Outcome
    ) async throws(EngineError) -> Outcome {
        await tokens.learnKey(of: token, now: context.now)
        let opened: OpenedToken
        do {
            opened = try open(token, for: operation, content: content, in: context)
        } catch {
            return context.outcome(.refused(Refusal(error)))
        }
        return try await step(opened)
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

    /// The data that a step reads besides its flow.
    struct StepReads: Sendable {
        var identifiers: [LoginIdentifier.Key] = []
        /// Whether to read the user's wrong passwords, and whether the user was warned of them.
        var hasLockout = false
        /// Whether the step may send a notice to the user.
        var sendsNotice = false
        /// The recipient of the step's code, when the presented state does not hold it yet; limits are per recipient
        /// (`SEC-OTP-12`).
        var recipient: EmailAddress?
        /// The code that the step sends or judges.
        var code: CodeUse?
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

    /// Runs a step: facts, decision, change, next token and replay record in one transaction.
    ///
    /// - Parameters:
    ///   - keepsAnswer: Whether to store the sealed answer for a repeated request. Steps that send a code do not: the
    ///     resend cool-down replaces the record (design record 0014).
    ///   - decide: The flow's pure decision.
    func step(
        _ opened: OpenedToken, _ reading: StepReads = StepReads(), keepsAnswer: Bool = true, in context: RequestContext,
        decide: @escaping @Sendable (StepSituation) -> Decision<FlowState>
    ) async throws(EngineError) -> Outcome {
        let subjects = try await subjects(of: opened.state, reading, in: context)
        let (outcome, hasMail) = try await transact(opened, reading, subjects, in: context) {
            facts throws(EngineError) -> (change: FlowChange?, answer: (Outcome, Bool)) in
            switch try enter(facts, opened, reading, subjects, in: context) {
            case .answered(let outcome, let change):
                return (change, (outcome, false))
            case .open(let situation):
                return try commit(
                    decide(situation), opened, situation.row, subjects, keepsAnswer: keepsAnswer, in: context)
            }
        }
        if hasMail { ports.mail.notify() }
        return outcome
    }

    /// Whether a password may be hashed.
    enum PasswordAdmission: Sendable {
        /// Not allowed: this is the answer.
        case answered(Outcome)
        /// Allowed: the facts that were read, and whether the password may also be compared.
        case admitted(StepSituation, comparing: Bool = true)
    }

    /// Checks that hashing the password is worth the cost: the token is the newest of a living flow, and the request
    /// was not answered before (`SEC-PWD-9`).
    func admit(_ opened: OpenedToken, in context: RequestContext) async throws(EngineError) -> PasswordAdmission {
        try await transact(opened, StepReads(), RateLimitKeys(), in: context) {
            facts throws(EngineError) -> (change: FlowChange?, answer: PasswordAdmission) in
            switch try enter(facts, opened, StepReads(), RateLimitKeys(), in: context) {
            case .answered(let outcome, let change): (change, .answered(outcome))
            case .open(let situation): (nil, .admitted(situation))
            }
        }
    }

    /// Takes the right to compare a password, in a commit before the comparison: the guess counts as a failure until
    /// the comparison succeeds (`SEC-LOCK-2`).
    ///
    /// - Parameter guess: A keyed digest of the password.
    func admit(guess: Data, _ opened: OpenedToken, in context: RequestContext) async throws(EngineError)
        -> PasswordAdmission
    {
        let reading = StepReads(hasLockout: true)
        let subjects = try await subjects(of: opened.state, reading, in: context)
        return try await transact(opened, reading, subjects, in: context) {
            facts throws(EngineError) -> (change: FlowChange?, answer: PasswordAdmission) in
            switch try enter(facts, opened, reading, subjects, in: context) {
            case .answered(let outcome, let change):
                return (change, .answered(outcome))
            case .open(var situation):
                guard let subject = subjects.lockout else { return (nil, .admitted(situation)) }
                switch Lockout.admitting(guess, to: facts.lockout, now: context.now) {
                // The same work and the same answer as for a wrong password, even when it is right (SEC-LOCK-8,
                // SEC-PWD-11).
                case .locked where context.hidesAccounts:
                    return (FlowChange(row: situation.row), .admitted(situation, comparing: false))
                case .locked(let seconds):
                    return (nil, .answered(context.outcome(.refused(.locked(seconds: seconds)))))
                case .compare(let lockout):
                    situation.lockout = lockout
                    var effects: [Effect] = [.setLockout(lockout, subject: subject)]
                    if lockout.lockedUntil != nil, lockout.failures != facts.lockout?.failures {
                        let event = event(.signInLocked, user: opened.user, of: opened.flow, in: context)
                        effects.append(.record(event))
                    }
                    return (FlowChange(row: situation.row, effects: effects), .admitted(situation))
                }
            }
        }
    }

    private func transact<Answer: Sendable>(
        _ opened: OpenedToken, _ reading: StepReads, _ subjects: RateLimitKeys, in context: RequestContext,
        body: @escaping @Sendable (StepFacts) throws(EngineError) -> (change: FlowChange?, answer: Answer)
    ) async throws(EngineError) -> Answer {
        var counted = reading.hasLockout || reading.sendsNotice ? [subjects.account] : []
        var mailsPerHour: Int?
        switch reading.code {
        case .sending:
            counted += [subjects.mailbox, subjects.networkAtMailbox, subjects.source, subjects.site]
            mailsPerHour = settings.limits == nil ? nil : context.tenant.mailsPerHour
        case .judging(_, let isShared):
            counted +=
                [subjects.address]
                + (isShared ? [subjects.guesser, subjects.guessingNetwork, subjects.guessingSite] : [])
        case nil: break
        }
        let query = StepQuery(
            tenant: context.tenant.id, flow: opened.flow, requestDigest: opened.requestDigest,
            identifiers: reading.identifiers, user: opened.state.account?.user, subjects: counted.compactMap(\.self),
            lockout: reading.hasLockout ? subjects.lockout : nil, slowLane: subjects.slowLane,
            mailsPerHour: mailsPerHour,
            owners: FlowOwners(identifier: subjects.address ?? subjects.account, source: subjects.source),
            now: context.now)
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

    /// The checks of every step: whether this request was answered before, whether the token is the newest, whether the
    /// account's credentials are unchanged.
    private func enter(
        _ facts: StepFacts, _ opened: OpenedToken, _ reading: StepReads, _ subjects: RateLimitKeys,
        in context: RequestContext
    ) throws(EngineError) -> Entry {
        let envelope = opened.envelope
        if let sealed = facts.sealedAnswer, let answer = openAnswer(sealed, of: opened) {
            return .answered(answer, nil)
        }
        // No row means the first step that counts, or a flow whose row was lost when the database was restored. Only
        // the first may go on.
        guard var row = facts.row ?? (envelope.revision == 0 ? FlowRow(expiresAt: hardEnd(of: envelope)) : nil) else {
            return .answered(context.outcome(.refused(.expiredToken)), nil)
        }
        guard !row.isEnded else { return .answered(context.outcome(.refused(.unusableToken)), nil) }
        guard row.revision == envelope.revision else {
            row.misuses += 1
            row.isEnded = row.misuses >= settings.misusesPerFlow
            let event = event(.continuationTokenMisused, detail: "\(row.misuses)", of: envelope.flow, in: context)
            return .answered(
                context.outcome(.refused(.unusableToken)), FlowChange(row: row, effects: [.record(event)]))
        }
        let account = facts.account ?? decoyAccount(of: opened, in: context)
        if case .account(_, let version) = envelope.state.account {
            // A flow ends when the credentials under which it began change (SEC-CT-9).
            guard let account, account.credentialVersion == version, account.disabledAt == nil
            else {
                row.isEnded = true
                let tells = account?.disabledAt != nil && !context.hidesAccounts
                let outcome = context.outcome(.refused(tells ? .accountDisabled : .unusableToken))
                let replay = try sealAnswer(outcome, of: opened, in: context)
                return .answered(outcome, FlowChange(row: row, replay: replay))
            }
        }
        var counted: [CountedSubject: [CountedEvent: [Date]]] = [:]
        for who in CountedSubject.allCases {
            if let subject = subjects[who] { counted[who] = facts.counted[subject] ?? [:] }
        }
        var usesSharedCode = false
        if case .judging(_, isShared: true) = reading.code { usesSharedCode = true }
        return .open(
            StepSituation(
                row: row, taken: facts.taken, account: account, counted: counted, lockout: facts.lockout,
                slowLane: facts.slowLane, hasSlowLane: subjects.slowLane != nil, usesSharedCode: usesSharedCode,
                tenantMailsSince: facts.tenantMailsSince, isFamiliar: subjects.isFamiliar,
                hidesAccounts: context.hidesAccounts, enrolment: context.enrolment, now: context.now,
                userFlow: context.userFlow, settings: settings))
    }

    /// Turns a decision into rows, and seals the next token.
    private func commit(
        _ decision: Decision<FlowState>, _ opened: OpenedToken, _ row: FlowRow, _ subjects: RateLimitKeys,
        keepsAnswer: Bool,
        in context: RequestContext
    ) throws(EngineError) -> (change: FlowChange?, answer: (Outcome, Bool)) {
        let envelope = opened.envelope
        var outcome = context.outcome(decision.verdict)
        if let next = decision.next {
            let idle = next.isProven ? settings.provenIdleLifetime : settings.idleLifetime
            let sealed = FlowEnvelope(
                flow: envelope.flow, startedAt: envelope.startedAt, revision: decision.row?.revision ?? row.revision,
                expiresAt: min(context.now.addingTimeInterval(Double(idle)), hardEnd(of: envelope)), state: next)
            let token = try tokens.seal(
                sealed, tenant: context.tenant.id, client: context.client.id, hidesLength: context.hidesAccounts)
            // Only attributes make a state that long: refuse the step that brought too many, and write nothing.
            guard let token else {
                return (nil, (context.outcome(.refused(.invalidAttributes([UserFlow.wholeParameter]))), false))
            }
            outcome.token = token
            outcome.allowed = next.allowed
        }
        guard let newRow = decision.row else { return (nil, (outcome, false)) }
        var effects: [Effect] = []
        for effect in decision.effects {
            effects += try rows(for: effect, of: opened, subjects, in: context)
        }
        let hasMail = effects.contains { if case .enqueueMail = $0 { true } else { false } }
        // A flow that has ended repeats its last answer.
        let replay = keepsAnswer || newRow.isEnded ? try sealAnswer(outcome, of: opened, in: context) : nil
        return (FlowChange(row: newRow, effects: effects, replay: replay), (outcome, hasMail))
    }

    private func hardEnd(of envelope: FlowEnvelope) -> Date {
        envelope.startedAt.addingTimeInterval(Double(settings.flowLifetime))
    }

    private func sealAnswer(
        _ outcome: Outcome, of opened: OpenedToken, in context: RequestContext
    ) throws(EngineError) -> ReplayRecord {
        do {
            return ReplayRecord(
                requestDigest: opened.requestDigest,
                sealedAnswer: try vault.seal(
                    try StateCoding.encode(outcome), underSecret: opened.secret, context: [opened.requestDigest]),
                expiresAt: context.now.addingTimeInterval(Double(settings.replayLifetime)))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an answer could not be sealed")
        }
    }

    private func openAnswer(_ sealed: Data, of opened: OpenedToken) -> Outcome? {
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
