import NativeAuthCore
package import PortableFoundation

// The step of a sign-in that judges a code of an authenticator app. Nothing is sent: the app and the server know the secret.

/// What a code of an app turned out to be.
package enum AppJudgement: Hashable, Sendable {
    /// Right; the clock with its step spent.
    case right(AppClock)
    /// Wrong, of another time, or used before.
    case wrong
    /// The stored secret does not open: the row is not the one that was written.
    case unreadable
}

extension StepSituation {
    /// The largest number of codes that one flow compares (`SEC-TOTP-4`).
    static let appGuessesPerFlow = 5
    /// The largest number of wrong codes of an account in 24 hours, from networks that the user has signed in from and from
    /// others: 30 guesses at three valid codes of 10⁶ are right once in 11,000 days (`SEC-TOTP-4`).
    static let wrongAppCodesOfOwner = 10
    static let wrongAppCodesOfStranger = 20

    fileprivate var wrongAppCode: CountedEvent { isFamiliar ? .wrongAppCode : .wrongAppCodeOfStranger }

    /// Seconds until another code of an app is compared; nil: now. Only who has given the first factor gets here, so that
    /// strangers cannot use the budget up (`SEC-TOTP-5`).
    fileprivate var waitForAppCode: Int? {
        TimeLimits.wait(
            counted[.account]?[wrongAppCode] ?? [], window: 86_400,
            limit: isFamiliar ? Self.wrongAppCodesOfOwner : Self.wrongAppCodesOfStranger, now: now)
    }

    /// The result of a guess at the code of an app.
    enum AppCodeJudgement<State: Hashable & Sendable> {
        case refused(Decision<State>)
        case right(AppClock, FlowRow)
    }

    /// Judges a guess, and counts it.
    ///
    /// - Parameters:
    ///   - target: The keyed digest of the method: guesses of one flow are counted by it.
    ///   - failure: The audit event for a wrong guess.
    ///   - judged: Judges the code; called only when a comparison is allowed.
    func judgeAppCode<State>(
        of target: Data, recording failure: AuditEvent.Kind, user: UserID, judged: () -> AppJudgement
    ) -> AppCodeJudgement<State> {
        if let wait = waitForAppCode { return .refused(.refused(.throttled(retryAfter: wait))) }
        var row = row
        // The row counts the guesses as those at a mailed code; no digits match this digest.
        var guesses =
            row.code.flatMap { $0.target == target ? $0 : nil }
            ?? CodeRecord(digest: Data(count: 32), target: target, sentAt: now, expiresAt: now)
        guard guesses.attempts < Self.appGuessesPerFlow else { return .refused(.refused(.incorrectCode)) }
        guesses.attempts += 1
        row.code = guesses
        let detail: String
        switch judged() {
        case .right(let clock):
            row.code = nil
            row.revision += 1
            return .right(clock, row)
        case .wrong: detail = StrongMethod.appName
        case .unreadable: detail = "\(StrongMethod.appName), secret unreadable"
        }
        return .refused(
            Decision(
                .refused(.incorrectCode), row: row,
                effects: [.record(failure, user: user, detail: detail), .count(wrongAppCode, of: .account)]))
    }
}

extension SignInState {
    /// Asks for a code that the user has: of an app, or a recovery code. Repeating it costs nothing.
    func challenging(
        _ method: StrongMethod, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _):
            // The method was chosen before the lock was taken.
            guard situation.methods(after: proven).contains(where: { $0.id == method.id }) else {
                return .refused(.unknownMethod)
            }
            let channel = method.channel
            let wait: Int?
            let length: Int
            switch channel {
            case .authenticatorApp: (wait, length) = (situation.waitForAppCode, AppSecret.digits)
            case .recoveryCode: (wait, length) = (situation.waitForRecoveryCode, RecoveryCode.length)
            case .passkey, .textMessage, nil: return .refused(.unknownMethod)
            }
            if let wait { return .refused(.throttled(retryAfter: wait)) }
            return Decision(
                .accepted(
                    .proveAddress(
                        situation.delivery(
                            to: method.name ?? method.label, resendIn: 0, length: length, channel: channel,
                            isRememberable: channel == .authenticatorApp && proven.isRememberable == true))),
                next: .awaitingSecondFactor(proven, method))
        case .started, .awaitingPassword, .awaitingCode, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Submits the code of an app.
    ///
    /// - Parameters:
    ///   - target: The keyed digest of the method.
    ///   - judged: Judges the code by the row of the method as it is now.
    package func submitting(
        appCode judged: (EnrolledApp) -> AppJudgement, target: Data, prepared: PreparedTokens,
        in situation: StepSituation
    ) -> Decision<SignInState> {
        guard case .awaitingSecondFactor(let first, let method) = self else { return .refused(.notAllowedNow) }
        // Removed or suspended meanwhile: the code proves nothing.
        guard let known = situation.methods(after: first).first(where: { $0.id == method.id }),
            case .app(let app?) = known.kind
        else { return .refused(.unknownMethod) }
        let user = account.user
        switch situation.judgeAppCode(of: target, recording: .secondFactorFailed, user: user, judged: { judged(app) })
            as StepSituation.AppCodeJudgement<SignInState>
        {
        case .refused(let decision): return decision
        case .right(let clock, let row):
            let proven = first.proving(known, at: situation.now)
            return Self.concluding(
                proven, prepared, row: row,
                effects: [.write(.spendStep(known.id, of: user, clock))] + passing(proven, in: situation),
                in: situation)
        }
    }
}

extension Engine {
    /// Judges the code of an app, and issues tokens when it is right.
    func submitAppCode(
        _ code: Secret<String>, of method: StrongMethod, _ state: SignInState, _ request: TokenRequest,
        _ grant: ScopeGrant, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        guard let digits = AppSecret.digits(of: code) else { return step.refused(.incorrectCode) }
        guard let account = try await account(state.account.user, in: context),
            let proven = state.proving(at: context.now)?.proven
        else { return step.refused(.unusableToken) }
        let prepared = try await prepare(proven, request, grant, account, in: context)
        await loadKeys(ofAppsOf: account, now: context.now)
        let target = target(ofApp: method.id, in: context.tenant.id)
        let outcome = try await run(step, reading: StepReads(sendsNotice: true)) { situation in
            state.submitting(
                appCode: { judge(digits, $0, method.id, of: account.user.id, in: context.tenant.id, now: context.now) },
                target: target, prepared: prepared, in: situation
            ).map(FlowState.signIn)
        }
        guard case .accepted(.signIn) = outcome.verdict else { return outcome }
        return try await redeemed(outcome, request, in: context)
    }

    /// The keyed digest by which the row of a flow tells an app from a mailbox.
    func target(ofApp method: UUID, in tenant: TenantID) -> Data {
        vault.digest(.oneTimePasscode, tenant: tenant, [Data(StrongMethod.appName.utf8), Data(method.text.utf8)])
    }

    /// Loads the keys that sealed the secrets of the account's apps, which another server may have made.
    private func loadKeys(ofAppsOf account: UserAccount, now: Date) async {
        for method in account.strongMethods {
            if case .app(let app?) = method.kind { await vault.loadKey(of: app.sealedSecret, now: now) }
        }
    }

    /// Compares a code with the codes of the app's secret.
    private func judge(
        _ digits: Secret<String>, _ app: EnrolledApp, _ method: UUID, of user: UserID, in tenant: TenantID, now: Date
    ) -> AppJudgement {
        do {
            let secret = AppSecret(
                try vault.open(
                    app.sealedSecret, for: .authenticatorApp, tenant: tenant,
                    context: Self.appContext(method, of: user)))
            return app.clock.accepting(digits, of: secret, at: now).map(AppJudgement.right) ?? .wrong
        } catch {
            return .unreadable
        }
    }

    /// What a secret is bound to: that of another user or another method does not open (`SEC-TOTP-6`).
    static func appContext(_ method: UUID, of user: UserID) -> [Data] {
        [Data(user.description.utf8), Data(method.text.utf8)]
    }
}
