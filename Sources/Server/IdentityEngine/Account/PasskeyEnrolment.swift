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
    /// The name that the user is shown beside the handle.
    package var displayName: String
}

extension Engine {
    /// Gives what an authenticator needs to make the passkey. Repeated, it gives a new challenge.
    func offer(_ new: NewPasskey, _ step: Step) async throws(EngineError) -> Outcome {
        guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.methodNotAllowed) }
        let fresh = drawChallenge(.create, step)
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
        var reads = StepReads(sendsNotice: true)
        var challenge: Data?
        let judged: Result<EnrolledPasskey, PasskeyFault>
        do throws(PasskeyFault) {
            let registration = try PasskeyRegistration(json: answer)
            challenge = registration.challenge
            let made = try party.verify(
                registration, userHandle: new.userHandle, signatures: ports.signatures, isChallenge: { _ in true })
            reads.credential = .passkey(made.credentialID)
            judged = .success(made)
        } catch {
            judged = .failure(error)
        }
        let method = ports.randomness.uuid()
        return try await run(step, reading: reads) { [challenge] situation in
            AccountState.confirming(
                new, judged, name: name, id: method, isChallenge: { matches(challenge, $0, .create, step) },
                in: situation
            ).map(FlowState.account)
        }
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
        let offer = PasskeyCreationOffer(
            relyingPartyID: party.id, relyingPartyName: name, userHandle: new.userHandle,
            username: account.user.email, displayName: new.displayName, challenge: fresh.bytes,
            excluded: account.passkeys.filter { $0.relyingPartyID == party.id }.map(\.reference))
        return Decision(.accepted(.createPasskey(offer)), next: .creatingPasskey(new), row: row, effects: effects)
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
        guard var asked = situation.row.code, asked.attempts == 0, let account = situation.account else {
            return .refused(.notAllowedNow)
        }
        asked.attempts = 1
        var row = situation.row
        row.code = asked
        let user = account.user.id
        func refused(_ fault: PasskeyFault) -> Decision<AccountState> {
            Decision(
                .refused(.passkeyRefused(isUnknown: false)), row: row,
                effects: [
                    .record(.codeRefused, user: user, detail: "\(StrongMethod.passkeyName), \(fault.rawValue)")
                ])
        }
        guard situation.now < asked.expiresAt else { return refused(.expiredChallenge) }
        let passkey: EnrolledPasskey
        switch judged {
        case .failure(let fault): return refused(fault)
        case .success(let made): passkey = made
        }
        guard isChallenge(asked) else { return refused(.wrongChallenge) }
        guard passkey.credentialID.count <= NewPasskey.longestID else { return refused(.wrongCredentialID) }
        // Of any user: otherwise a victim could be signed in to the account of an attacker (SEC-PK-11).
        guard !situation.isCredentialTaken else { return refused(.duplicatePasskey) }
        row.code = nil
        row.isEnded = true
        guard account.passkeys.count < NewPasskey.most else {
            return Decision(.refused(.methodNotAllowed), row: row)
        }
        // Another flow has added the account's first one meanwhile, with another handle.
        guard account.passkeys.allSatisfy({ $0.userHandle == new.userHandle }) else {
            return Decision(.refused(.unusableToken), row: row)
        }
        if let wait = situation.waitForEnrolment {
            return Decision(.refused(.throttled(retryAfter: wait)), row: row)
        }
        let method = StrongMethod(
            id: id, kind: .passkey(passkey), provenAt: situation.now,
            enrolment: Enrolment(new.strength, authenticatedAt: new.proven.authenticatedAt), name: name)
        return Decision(
            .accepted(.accountChanged), row: row,
            effects: situation.effects(ofNew: method, session: new.session, user: user))
    }
}
