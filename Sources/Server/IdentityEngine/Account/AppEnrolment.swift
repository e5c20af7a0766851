package import NativeAuthCore
package import PortableFoundation

// The last step that adds an authenticator app: a code of it.

extension Engine {
    /// Judges the first code of an app, and adds the app when it is right.
    func confirm(_ new: NewApp, by code: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard let digits = AppSecret.digits(of: code) else { return step.refused(.incorrectCode) }
        let context = step.context
        let user = new.proven.account.user
        let sealed = try seal(AppSecret(new.secret), ofApp: new.method, of: user, in: context.tenant.id)
        let target = target(ofApp: new.method, in: context.tenant.id)
        return try await run(step, reading: StepReads(sendsNotice: true)) { situation in
            AccountState.confirming(new, digits, sealed: sealed, target: target, in: situation).map(FlowState.account)
        }
    }

    /// The secret of an app as its row has it.
    package func seal(
        _ secret: AppSecret, ofApp method: UUID, of user: UserID, in tenant: TenantID
    ) throws(EngineError) -> Data {
        do {
            return try vault.seal(
                secret.bytes.reveal(), for: .authenticatorApp, tenant: tenant,
                context: Self.appContext(method, of: user))
        } catch {
            throw .broken("the secret of an app could not be sealed")
        }
    }
}

extension AccountState {
    /// Decides on the first code of an app. Its step is spent: the same code is no sign-in (`SEC-TOTP-7`).
    static func confirming(
        _ new: NewApp, _ digits: Secret<String>, sealed: Data, target: Data, in situation: StepSituation
    ) -> Decision<AccountState> {
        // How many apps there are has not changed since: another one would have ended this flow.
        guard let shownAt = new.shownAt else { return .refused(.unusableToken) }
        let user = new.proven.account.user
        switch situation.judgeFirstCode(
            digits, of: AppSecret(new.secret), shownAt: shownAt, target: target, recording: .codeRefused, user: user)
            as StepSituation.AppCodeJudgement<AccountState>
        {
        case .refused(let decision): return decision
        case .right(let clock, var row):
            row.isEnded = true
            if let wait = situation.waitForEnrolment {
                return Decision(.refused(.throttled(retryAfter: wait)), row: row)
            }
            let method = StrongMethod(
                id: new.method, kind: .app(EnrolledApp(sealedSecret: sealed, clock: clock)), provenAt: situation.now,
                enrolment: Enrolment(new.strength, authenticatedAt: new.proven.authenticatedAt))
            return Decision(
                .accepted(.accountChanged), row: row,
                effects: situation.effects(ofNew: method, session: new.session, user: user))
        }
    }
}

extension StepSituation {
    /// Judges the first code of an app: it proves that the app has the secret. Codes of a period before the one in which the secret was
    /// shown are wrong.
    func judgeFirstCode<State>(
        _ digits: Secret<String>, of secret: AppSecret, shownAt: Date, target: Data,
        recording failure: AuditEvent.Kind, user: UserID
    ) -> AppCodeJudgement<State> {
        let clock = AppClock(spentStep: AppSecret.step(at: shownAt) - 1)
        return judgeAppCode(of: target, recording: failure, user: user) {
            clock.accepting(digits, of: secret, at: now).map(AppJudgement.right) ?? .wrong
        }
    }

    /// The largest number of methods that an account adds in 24 hours (`SEC-ENR-13`).
    static let enrolmentsPerDay = 5

    /// Seconds until another method can be added; nil: now.
    var waitForEnrolment: Int? {
        TimeLimits.wait(
            counted[.account]?[.methodEnrolled] ?? [], window: 86_400, limit: Self.enrolmentsPerDay, now: now)
    }

    /// The same as for a mailbox (`SEC-ENR-6`): sessions that have proven less end, and each mailbox is told.
    func effects(ofNew method: StrongMethod, session: UUID?, user: UserID) -> [FlowEffect] {
        [
            .addStrongMethod(method, to: user),
            .record(.methodRegistered, user: user, detail: method.enrolmentDetail),
            .write(.endFlows(user)), .count(.methodEnrolled, of: .account),
            .write(.revokeRefreshFamilies(user, keepingTwoFactors: true, except: session, at: now)),
        ] + notices(.methodRegistered, about: [method])
    }
}
