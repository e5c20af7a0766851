package import NativeAuthCore
import PortableFoundation

// The steps of a sign-in with a passkey: alone, before the server knows who signs in, or as the second factor.

/// A sign-in with a passkey before its first proof.
package struct PasskeyDraft: Hashable, Sendable, Codable {
    /// Nil in every token: the passkey says whose it is. A step that judges one has its owner here.
    package var account: AccountBinding?
    /// In a fixed order, so that equal drafts make equal tokens (design record 0014).
    package var capabilities: [ClientAbility]
    /// Whether a challenge was given.
    package var isAsked: Bool

    package var allowed: FlowOperations { isAsked ? [.challengeSignIn, .submitPasskey] : [.challengeSignIn] }
}

/// The input of a client that begins a sign-in without a name.
package struct PasskeyStart: Sendable {
    package var accepted: Set<ChallengeType>
    package var capabilities: Set<ClientAbility>

    package init(accepted: Set<ChallengeType>, capabilities: Set<ClientAbility>) {
        self.accepted = accepted
        self.capabilities = capabilities
    }
}

/// What a client can handle beyond the first factor (docs/protocol.md §3.3).
package enum ClientAbility: String, Hashable, Sendable, Codable, CaseIterable {
    case mfaRequired = "mfa_required"
    case registrationRequired = "registration_required"
    /// A passkey, also as the second factor. It is no word of the parameter `capabilities`: a client says it by its challenge
    /// types.
    case passkey
    /// An authenticator app that is to be registered; no word of that parameter either.
    case authenticatorApp = "totp"

    package init(_ capability: Capability) {
        self =
            switch capability {
            case .mfaRequired: .mfaRequired
            case .registrationRequired: .registrationRequired
            }
    }
}

extension Set<ClientAbility> {
    /// The capabilities of a client: one that takes passkeys, and one that registers authenticator apps, say so in their challenge
    /// types.
    func with(_ accepted: Set<ChallengeType>) -> Set<ClientAbility> {
        var abilities = subtracting([.passkey, .authenticatorApp])
        if accepted.contains(.passkey) { abilities.insert(.passkey) }
        if accepted.contains(.authenticatorApp) { abilities.insert(.authenticatorApp) }
        return abilities
    }
}

extension Engine {
    /// Begins a sign-in of an unnamed user. Nothing is written (design record 0014).
    func startPasskey(_ request: PasskeyStart, in context: RequestContext) throws(EngineError) -> Outcome {
        guard context.tenant.passkeys != nil else { return context.outcome(.refused(.passkeysNotOffered)) }
        guard request.accepted.contains(.passkey) else {
            return context.outcome(.accepted(.redirectToBrowser(.missingChallengeType(.passkey))))
        }
        let draft = PasskeyDraft(
            account: nil,
            capabilities: request.capabilities.with(request.accepted).sorted { $0.rawValue < $1.rawValue },
            isAsked: false)
        guard let outcome = try begin(.passkey(draft), in: context) else { throw .broken("a token is too long") }
        return outcome
    }

    /// Gives the challenge of a sign-in of an unnamed user. A newer one takes the place of an older one.
    func challengePasskey(_ draft: PasskeyDraft, _ step: Step) async throws(EngineError) -> Outcome {
        guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.passkeysNotOffered) }
        let fresh = drawChallenge(.get, step)
        return try await run(step, keepsAnswer: false) { situation in
            var draft = draft
            draft.isAsked = true
            let offer = PasskeyRequestOffer(relyingPartyID: party.id, challenge: fresh.bytes, allowed: [])
            return Decision<FlowState>(
                .accepted(.usePasskey(offer)), next: .passkey(draft), row: situation.asking(fresh))
        }
    }
}

extension StepSituation {
    /// The row with a new challenge.
    func asking(_ fresh: FreshChallenge) -> FlowRow {
        var row = row
        row.code = fresh.record
        return row
    }

    /// The passkeys that the second factor may be.
    func passkeys(after proven: Authentication) -> [EnrolledPasskey] { methods(after: proven).compactMap(\.passkey) }
}

extension SignInState {
    /// Asks for any of the account's passkeys, as the second factor.
    func challenging(
        passkey fresh: FreshChallenge, _ party: RelyingParty, _ method: StrongMethod, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _):
            let known = situation.passkeys(after: proven).filter { $0.relyingPartyID == party.id }
            guard !known.isEmpty else { return .refused(.unknownMethod) }
            let offer = PasskeyRequestOffer(
                relyingPartyID: party.id, challenge: fresh.bytes, allowed: known.map(\.reference))
            return Decision(
                .accepted(.usePasskey(offer)), next: .awaitingSecondFactor(proven, method),
                row: situation.asking(fresh))
        case .started, .awaitingPassword, .awaitingCode, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

/// A passkey's answer, with what is known of it before the step's transaction. Its signature is judged outside of it, for
/// the row as it was read; when the row has changed since, once more.
struct PresentedPasskey: Sendable {
    let assertion: Result<PasskeyAssertion, PasskeyFault>
    private let party: RelyingParty
    private let signatures: any PasskeySignatures
    private let known: EnrolledPasskey?
    private let judged: Result<PasskeyUse, PasskeyFault>

    init(
        _ assertion: Result<PasskeyAssertion, PasskeyFault>, known: EnrolledPasskey?, _ party: RelyingParty,
        _ signatures: any PasskeySignatures
    ) {
        self.assertion = assertion
        self.known = known
        self.party = party
        self.signatures = signatures
        judged = known.map { Self.judge(assertion, $0, party, signatures) } ?? .failure(.unknownPasskey)
    }

    /// Whether the answer is one of the passkey as it was read; its challenge is judged apart.
    var isRight: Bool { if case .success = judged { true } else { false } }

    /// What the answer changes in the passkey's row, or which check failed.
    func use(of passkey: EnrolledPasskey) -> Result<PasskeyUse, PasskeyFault> {
        passkey == known ? judged : Self.judge(assertion, passkey, party, signatures)
    }

    /// The challenge is judged apart, since the flow's row has it.
    private static func judge(
        _ assertion: Result<PasskeyAssertion, PasskeyFault>, _ passkey: EnrolledPasskey, _ party: RelyingParty,
        _ signatures: any PasskeySignatures
    ) -> Result<PasskeyUse, PasskeyFault> {
        assertion.flatMap { assertion in
            do throws(PasskeyFault) {
                return .success(
                    try party.verify(assertion, of: passkey, signatures: signatures, isChallenge: { _ in true }))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension Engine {
    /// Judges the answer of a passkey, and issues tokens when it is right.
    func submitPasskey(
        _ answer: Secret<String>, _ request: TokenRequest, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        let grant: ScopeGrant
        switch judge(request.scopes, in: context) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return step.refused(refusal)
        }
        guard let party = relyingParty(of: context.tenant) else { return step.refused(.passkeysNotOffered) }
        let assertion: Result<PasskeyAssertion, PasskeyFault>
        // What the answer claims; an unreadable one claims nothing, and is refused with its fault.
        let claimed: PasskeyAssertion?
        do throws(PasskeyFault) {
            let read = try PasskeyAssertion(json: answer.reveal())
            (assertion, claimed) = (.success(read), read)
        } catch {
            (assertion, claimed) = (.failure(error), nil)
        }
        let id = claimed?.credentialID
        // The flow identifies the account, or the passkey does.
        let (named, account) = try await owner(of: id, step)
        let isKnown = account != nil
        let method = account?.strongMethods.first { $0.passkey.map { $0.credentialID == id } ?? false }
        let presented = PresentedPasskey(assertion, known: method?.passkey, party, ports.signatures)
        // What is known of the account is told to the holder of the passkey alone (SEC-PK-20).
        let owned = account?.disabledAt != nil && !presented.isRight ? step : named
        let proven = try account.flatMap { account throws(EngineError) in
            try proofs(by: method, of: account, owned.state, at: context.now)
        }
        let prepared: PreparedTokens =
            if let proven, let account {
                try await prepare(proven, request, grant, account, in: context)
            } else {
                PreparedTokens(demand: factorDemand(request.contexts, in: context))
            }
        let outcome = try await run(owned, reading: StepReads(sendsNotice: true)) { situation in
            owned.state.submitting(
                passkey: presented, method: method?.id, isKnown: isKnown, proven: proven, prepared: prepared,
                isChallenge: { matches(claimed?.challenge, $0, .get, owned) }, in: situation)
        }
        guard case .accepted(.signIn) = outcome.verdict else { return outcome }
        return try await redeemed(outcome, request, in: context)
    }

    /// The step with the account that the answer is about, and that account. Where no user is named, it is the passkey's;
    /// the handle of the answer must agree later (`SEC-PK-10`).
    private func owner(of credential: Data?, _ step: Step) async throws(EngineError) -> (Step, UserAccount?) {
        switch step.state {
        case .passkey(var draft):
            guard let credential else { return (step, nil) }
            let account: UserAccount?
            do {
                account = try await ports.users.account(with: .passkey(credential), in: step.context.tenant.id)
            } catch {
                throw .store(error)
            }
            draft.account = account.map {
                .account($0.user.id, credentialVersion: $0.credentialVersion)
            }
            return (step.with(.passkey(draft)), account)
        case .signIn(let state): return (step, try await account(state.account.user, in: step.context))
        case .signUp, .reset, .account, .federated: return (step, nil)
        }
    }

    /// What a right answer proves; nil when it cannot be one.
    private func proofs(
        by method: StrongMethod?, of account: UserAccount, _ state: FlowState, at now: Date
    ) throws(EngineError) -> Authentication? {
        guard let method else { return nil }
        switch state {
        case .passkey(let draft):
            guard let binding = draft.account else { return nil }
            guard let own = EmailAddress(stored: account.user.email) else { throw .broken("an account has no address") }
            return Authentication(
                account: binding, email: own, origin: .signIn, knowsPassword: false, mailboxes: [],
                authenticatedAt: now, capabilities: draft.capabilities
            ).proving(method, at: now)
        case .signIn(.awaitingSecondFactor(let first, _)): return first.proving(method, at: now)
        case .signIn, .signUp, .reset, .account, .federated: return nil
        }
    }
}

extension Step {
    /// The same step of a flow whose state says more than its token.
    func with(_ state: FlowState) -> Step {
        var envelope = envelope
        envelope.state = state
        return Step(context: context, envelope: envelope, secret: secret, requestDigest: requestDigest)
    }
}

extension FlowState {
    /// Decides on the answer of a passkey. Right or wrong, its challenge is spent with this step (`SEC-PK-1`).
    ///
    /// - Parameters:
    ///   - method: The passkey that the answer names, where the account has it.
    ///   - isKnown: Whether a user of the tenant has the passkey, where no user is named.
    ///   - proven: What a right answer proves.
    ///   - isChallenge: Whether the answer has the challenge of the row.
    func submitting(
        passkey presented: PresentedPasskey, method id: UUID?, isKnown: Bool, proven: Authentication?,
        prepared: PreparedTokens,
        isChallenge: (CodeRecord) -> Bool, in situation: StepSituation
    ) -> Decision<FlowState> {
        let first: SignInState?
        switch self {
        case .passkey(let draft) where draft.isAsked: first = nil
        case .signIn(let state): first = state
        case .passkey, .signUp, .reset, .account, .federated: return .refused(.notAllowedNow)
        }
        guard var asked = situation.row.code, asked.attempts == 0 else { return .refused(.notAllowedNow) }
        asked.attempts = 1
        var row = situation.row
        row.code = asked
        let user = self.account?.user
        func refused(_ fault: PasskeyFault) -> Decision<FlowState> {
            Decision(
                .refused(.passkeyRefused(isUnknown: fault == .unknownPasskey)), row: row,
                effects: [
                    .record(
                        first == nil ? .signInFailed : .secondFactorFailed, user: user,
                        detail: "\(StrongMethod.passkeyName), \(fault.rawValue)")
                ])
        }
        guard situation.now < asked.expiresAt else { return refused(.expiredChallenge) }
        let assertion: PasskeyAssertion
        switch presented.assertion {
        case .failure(let fault): return refused(fault)
        case .success(let read): assertion = read
        }
        guard isChallenge(asked) else { return refused(.wrongChallenge) }
        // As the account is now: the passkey may have been removed or suspended.
        let usable: [StrongMethod] =
            if case .awaitingSecondFactor(let proofs, _)? = first {
                situation.methods(after: proofs)
            } else {
                // One that rests proves no more than a recovery code, which alone is no sign-in (SEC-ENR-10).
                situation.account?.strongMethods.filter {
                    $0.suspendedAt == nil && !$0.rests(at: situation.now)
                } ?? []
            }
        guard let proven, let known = usable.first(where: { $0.id == id }), let passkey = known.passkey else {
            // Of a named user, the passkey may be another user's: then no device is to forget it.
            return refused(first == nil && !isKnown ? .unknownPasskey : .unusablePasskey)
        }
        // The verification compares a handle. Where no user was named, there must be one.
        guard first != nil || assertion.userHandle != nil else { return refused(.wrongUser) }
        let use: PasskeyUse
        switch presented.use(of: passkey) {
        case .failure(let fault): return refused(fault)
        case .success(let judged): use = judged
        }
        row.code = nil
        row.revision += 1
        let owner = proven.account.user
        var effects = situation.effects(of: use, known, passkey, user: owner)
        if let first {
            effects += first.passing(proven, by: known, in: situation)
        } else {
            effects.append(.write(.noteUse(known.id, of: owner, at: situation.now)))
            if known.firstUsedAt == nil { effects += situation.notices(.methodFirstUsed, about: [known]) }
        }
        return SignInState.concluding(proven, prepared, row: row, effects: effects, in: situation).map(FlowState.signIn)
    }
}

extension StepSituation {
    /// What a right answer writes of the passkey itself, and tells operators and the owner.
    fileprivate func effects(
        of use: PasskeyUse, _ method: StrongMethod, _ old: EnrolledPasskey, user: UserID
    ) -> [FlowEffect] {
        var effects: [FlowEffect] = []
        if use.passkey != old {
            effects.append(.write(.updatePasskey(method.id, of: user, from: old, to: use.passkey)))
        }
        if use.hasSuspectCount { effects.append(.record(.passkeySuspect, user: user, detail: "signature counter")) }
        if use.lostBackup { effects.append(.record(.passkeySuspect, user: user, detail: "no backup any more")) }
        if use.hasSuspectCount || use.lostBackup { effects += notices(.passkeySuspect, about: [method]) }
        return effects
    }
}
