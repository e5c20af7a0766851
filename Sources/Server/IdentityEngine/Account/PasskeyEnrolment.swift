import NativeAuthCore
package import PortableFoundation

// The steps that add a passkey to the account of a signed-in user.

/// A passkey that is being added to an account.
package struct NewPasskey: Hashable, Sendable, Codable {
    /// The largest number of passkeys of an account (`SEC-PK-14`, `SEC-ENR-13`).
    package static let most = 10
    /// In bytes: ten such ids fit the options of a page.
    static let longestID = 256
    /// Until when a passkey that the mailbox alone enrolled can be taken back by the mailbox alone, in seconds.
    static let trustAge = 30 * 86_400.0

    /// What the session has proven, and this flow since.
    package var proven: Authentication
    /// The proofs under which the passkey is enrolled.
    package var strength: Enrolment.Strength
    /// The session that asks; it survives the change.
    package var session: UUID?
    /// The account's handle: that of its other passkeys, or 32 new random bytes (`SEC-PK-15`).
    package var userHandle: Data
    /// Whether it is made silently after a sign-in with a password (`SEC-PK-18`). Nil: no.
    package var isUpgrade: Bool?

    var ceremony: PasskeyCeremony { isUpgrade == true ? .upgrade : .create }
    /// Until when an upgrade is possible.
    var upgradeEnd: Date { proven.authenticatedAt.addingTimeInterval(DirectoryCaller.upgradeLifetime) }
}

extension Engine {
    /// Gives what an authenticator needs to make the passkey. Repeated, it gives a new challenge.
    func offer(_ new: NewPasskey, _ step: Step) async throws(EngineError) -> Outcome {
        guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.methodNotAllowed) }
        guard new.isUpgrade != true || step.context.now < new.upgradeEnd else {
            return step.refused(.secondFactorNeeded)
        }
        let fresh = drawChallenge(
            new.ceremony, step, until: new.isUpgrade == true ? new.upgradeEnd : .distantFuture)
        let name = step.context.tenant.displayName
        return try await run(step, keepsAnswer: false) { situation in
            AccountState.offering(new, fresh, party, named: name, row: situation.row, effects: [], in: situation)
                .map(FlowState.account)
        }
    }

    /// Judges the answer of an authenticator, and adds the passkey when it is right.
    func confirmPasskey(
        _ answer: String, name: String?, of user: UserID, _ step: Step
    ) async throws(EngineError) -> Outcome {
        guard case .account(.creatingPasskey(let new)) = step.state, step.user == user else {
            return step.refused(.unusableToken)
        }
        guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.methodNotAllowed) }
        if let name, !StrongMethod.isName(name) { return step.refused(.invalidAttributes(["displayName"])) }
        let answer = MadePasskey(
            answer, for: new.userHandle, party, ports.signatures, isUpgrade: new.isUpgrade == true)
        let method = ports.randomness.uuid()
        return try await run(step, reading: answer.reads) { situation in
            AccountState.confirming(
                new, answer.judged, name: name, id: method,
                isChallenge: { matches(answer.challenge, $0, new.ceremony, step) }, in: situation
            ).map(FlowState.account)
        }
    }
}

/// An authenticator's answer to the request for a passkey, as far as it is judged before the step's transaction.
struct MadePasskey: Sendable {
    let judged: Result<EnrolledPasskey, PasskeyFault>
    /// What the answer says; an unreadable one says nothing.
    let challenge: Data?

    init(
        _ answer: String, for userHandle: Data, _ party: RelyingParty, _ signatures: any PasskeySignatures,
        isUpgrade: Bool = false
    ) {
        var challenge: Data?
        do throws(PasskeyFault) {
            let registration = try PasskeyRegistration(json: answer)
            challenge = registration.challenge
            judged = .success(
                try party.verify(
                    registration, userHandle: userHandle, isUpgrade: isUpgrade, signatures: signatures,
                    isChallenge: { _ in true }))
        } catch {
            judged = .failure(error)
        }
        self.challenge = challenge
    }

    var reads: StepReads {
        var reads = StepReads(sendsNotice: true)
        if case .success(let made) = judged { reads.credential = .passkey(made.credentialID) }
        return reads
    }
}

extension AccountState {
    /// Asks for a new passkey.
    static func offering(
        _ new: NewPasskey, _ fresh: FreshChallenge, _ party: RelyingParty, named name: String, row: FlowRow,
        effects: [FlowEffect], in situation: StepSituation
    ) -> Decision<AccountState> {
        guard let account = situation.account else { return .refused(.unusableToken) }
        var row = row
        row.code = fresh.record
        var offer = account.offer(fresh, new.userHandle, of: party, named: name)
        offer.isUpgrade = new.isUpgrade
        return Decision(
            .accepted(.createPasskey(offer)),
            next: .creatingPasskey(new), row: row, effects: effects)
    }

    /// Decides on the answer of an authenticator. Right or wrong, its challenge is spent with this step (`SEC-PK-1`).
    ///
    /// - Parameters:
    ///   - id: The id of the new method.
    ///   - isChallenge: Whether the answer has the challenge of the row.
    static func confirming(
        _ new: NewPasskey, _ judged: Result<EnrolledPasskey, PasskeyFault>, name: String?, id: UUID,
        isChallenge: (CodeRecord) -> Bool, in situation: StepSituation
    ) -> Decision<AccountState> {
        let judgement: StepSituation.PasskeyJudgement<AccountState> = situation.judge(
            judged, for: new.userHandle, isChallenge: isChallenge)
        switch judgement {
        case .refused(let decision): return decision
        case .made(let passkey, var row):
            row.isEnded = true
            let method = StrongMethod(
                id: id, kind: .passkey(passkey), provenAt: situation.now,
                enrolment: Enrolment(new.strength, authenticatedAt: new.proven.authenticatedAt), name: name)
            return Decision(
                .accepted(.accountChanged), row: row,
                effects: situation.effects(ofNew: method, session: new.session, user: new.proven.account.user))
        }
    }
}

extension UserAccount {
    /// What an authenticator needs to make a passkey of the account.
    func offer(
        _ fresh: FreshChallenge, _ userHandle: Data, of party: RelyingParty, named name: String
    ) -> PasskeyCreationOffer {
        PasskeyCreationOffer(
            relyingPartyID: party.id, relyingPartyName: name, userHandle: userHandle, username: user.email,
            displayName: user.attributes["displayName"]?.description ?? user.email, challenge: fresh.bytes,
            excluded: passkeys.filter { $0.relyingPartyID == party.id }.map(\.reference))
    }
}

extension StepSituation {
    /// What became of an authenticator's answer to the request for a passkey.
    enum PasskeyJudgement<State: Hashable & Sendable> {
        case refused(Decision<State>)
        /// The row has no challenge any more.
        case made(EnrolledPasskey, FlowRow)
    }

    /// Judges the answer of an authenticator that made a passkey. Right or wrong, its challenge is spent (`SEC-PK-1`).
    ///
    /// - Parameters:
    ///   - userHandle: The handle that was asked for.
    ///   - isChallenge: Whether the answer has the challenge of the row.
    func judge<State: Hashable & Sendable>(
        _ judged: Result<EnrolledPasskey, PasskeyFault>, for userHandle: Data, isChallenge: (CodeRecord) -> Bool
    ) -> PasskeyJudgement<State> {
        guard var asked = row.code, asked.attempts == 0, let account else {
            return .refused(Decision(.refused(.notAllowedNow)))
        }
        asked.attempts = 1
        var row = row
        row.code = asked
        func refused(_ fault: PasskeyFault) -> PasskeyJudgement<State> {
            .refused(
                Decision(
                    .refused(.passkeyRefused(isUnknown: false)), row: row,
                    effects: [
                        .record(
                            .codeRefused, user: account.user.id,
                            detail: "\(StrongMethod.passkeyName), \(fault.rawValue)")
                    ]))
        }
        guard now < asked.expiresAt else { return refused(.expiredChallenge) }
        let passkey: EnrolledPasskey
        switch judged {
        case .failure(let fault): return refused(fault)
        case .success(let made): passkey = made
        }
        guard isChallenge(asked) else { return refused(.wrongChallenge) }
        guard passkey.credentialID.count <= NewPasskey.longestID else { return refused(.wrongCredentialID) }
        // Of any user: otherwise a victim could be signed in to the account of an attacker (SEC-PK-11).
        guard !isCredentialTaken else { return refused(.duplicatePasskey) }
        row.code = nil
        func ended(_ refusal: Refusal) -> PasskeyJudgement<State> {
            var row = row
            row.isEnded = true
            return .refused(Decision(.refused(refusal), row: row))
        }
        guard account.passkeys.count < NewPasskey.most else { return ended(.methodNotAllowed) }
        // Another flow has added the account's first one meanwhile, with another handle.
        guard account.passkeys.allSatisfy({ $0.userHandle == userHandle }) else { return ended(.unusableToken) }
        if let wait = waitForEnrolment { return ended(.throttled(retryAfter: wait)) }
        return .made(passkey, row)
    }
}
