import NativeAuthCore
import PortableFoundation

// The step of a sign-in that compares a recovery code. It costs one hash, so the guess is counted in a commit before the
// comparison, as that of a password is (design record 0041).

extension StepSituation {
    /// The largest number of recovery codes that an account compares in 24 hours, right or wrong (`SEC-REC-4`).
    static let recoveryCodesPerDay = 10

    /// Seconds until another recovery code is compared; nil: now. Only who has given the first factor gets here.
    var waitForRecoveryCode: Int? {
        TimeLimits.wait(
            counted[.account]?[.recoveryCodeTried] ?? [], window: 86_400, limit: Self.recoveryCodesPerDay, now: now)
    }

    /// The row with one more guess of this flow; or why none is compared.
    func countingRecoveryCode() -> Result<FlowRow, RefusedRecoveryCode> {
        if let wait = waitForRecoveryCode { return .failure(RefusedRecoveryCode(.throttled(retryAfter: wait))) }
        var row = row
        // As guesses at codes of an app are counted: no digits match this digest.
        var guesses =
            row.code.flatMap { $0.target.isEmpty ? $0 : nil }
            ?? CodeRecord(digest: Data(count: 32), target: Data(), sentAt: now, expiresAt: now)
        guard guesses.attempts < Self.appGuessesPerFlow else { return .failure(RefusedRecoveryCode(.incorrectCode)) }
        guesses.attempts += 1
        row.code = guesses
        return .success(row)
    }
}

struct RefusedRecoveryCode: Error {
    let refusal: Refusal

    init(_ refusal: Refusal) { self.refusal = refusal }
}

extension SignInState {
    /// Decides on a compared recovery code.
    ///
    /// - Parameter compared: The hash that the code was found equal to; nil: it is wrong.
    package func submitting(
        _ code: RecoveryCode, compared: PasswordHash?, prepared: PreparedTokens?, in situation: StepSituation
    ) -> Decision<SignInState> {
        guard case .awaitingSecondFactor(let first, let method) = self else { return .refused(.notAllowedNow) }
        // The codes were made anew or removed meanwhile: this one proves nothing.
        guard situation.methods(after: first).contains(where: { $0.id == method.id }),
            let set = situation.account?.recovery
        else { return .refused(.unknownMethod) }
        let user = account.user
        guard let compared, set.hash(of: code) == compared, let prepared else {
            return Decision(
                .refused(.incorrectCode), row: situation.row,
                effects: [.record(.secondFactorFailed, user: user, detail: StrongMethod.recoveryName)])
        }
        var row = situation.row
        row.code = nil
        row.revision += 1
        let left = set.spending(code)
        let notices = (situation.account?.noticeChannels ?? []).map { channel in
            FlowEffect.mailNotice(
                .recoveryCodeUsed, to: channel, about: [StrongMethod.label(ofCodesLeft: left.codes.count)])
        }
        return Self.concluding(
            first.proving(.recoveryCode), prepared, row: row,
            effects: [
                .write(.setRecovery(left, of: user, replacing: set)),
                .record(
                    .secondFactorPassed, user: user, detail: "\(StrongMethod.recoveryName), \(left.codes.count) left"),
            ] + notices, in: situation)
    }
}

extension Engine {
    /// Compares a recovery code, and issues tokens when it is right.
    func submitRecoveryCode(
        _ typed: Secret<String>, _ state: SignInState, _ request: TokenRequest, _ grant: ScopeGrant, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        guard let code = RecoveryCode(typed: typed) else { return step.refused(.incorrectCode) }
        // 1. Count the guess.
        let admitted: StepSituation
        switch try await admitRecoveryCode(step) {
        case .answered(let outcome): return try await redeemed(outcome, request, in: context)
        case .admitted(let situation, comparing: _): admitted = situation
        }
        guard let account = admitted.account, let proven = state.proving(at: context.now)?.proven else {
            return step.refused(.unusableToken)
        }
        // 2. Compare, on the hasher's own threads. A code with another name takes the same time (SEC-REC-2).
        var compared: PasswordHash?
        if let kept = account.recovery?.hash(of: code) {
            if try await verify(code.characters, against: kept) { compared = kept }
        } else {
            _ = try await hash(code.characters)
        }
        // 3. Decide.
        let prepared = compared == nil ? nil : try await prepare(proven, request, grant, account, in: context)
        let right = compared
        let outcome = try await run(step, reading: StepReads(sendsNotice: true)) { situation in
            state.submitting(code, compared: right, prepared: prepared, in: situation).map(FlowState.signIn)
        }
        guard case .accepted(.signIn) = outcome.verdict else { return outcome }
        return try await redeemed(outcome, request, in: context)
    }

    private func admitRecoveryCode(_ step: Step) async throws(EngineError) -> PasswordAdmission {
        let reads = StepReads(sendsNotice: true)
        let keys = try await rateLimitKeys(of: step, reads)
        return try await transaction(step, reads, keys) {
            facts throws(EngineError) -> (change: FlowChange?, answer: PasswordAdmission) in
            switch try check(facts, step, reads, keys) {
            case .answered(let outcome, let change): return (change, .answered(outcome))
            case .open(let situation):
                switch situation.countingRecoveryCode() {
                case .failure(let refused): return (nil, .answered(step.refused(refused.refusal)))
                case .success(let row):
                    let count = keys.account.map {
                        [Effect.count(.recoveryCodeTried, subject: $0, at: step.context.now)]
                    }
                    return (FlowChange(row: row, effects: count ?? []), .admitted(situation))
                }
            }
        }
    }
}
