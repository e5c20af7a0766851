import NativeAuthCore
import PortableFoundation

// What a provider's token leads to, decided inside the transaction of its step.

extension FlowState {
    /// Decides on a provider's token. Right or wrong, its nonce is spent with this step (`SEC-FED-3`).
    ///
    /// - Parameters:
    ///   - kept: What the provider said of a new user, for the next try.
    ///   - isNonce: Whether the token has the nonce of the row.
    ///   - proven: What the identity proves, where a user has it.
    ///   - owner: The account that has the mailbox which the provider has proven.
    func submitting(
        identity judged: Result<VerifiedIdentity, IdentityFault>, keeping kept: NamesOfIdentity?,
        isNonce: (CodeRecord) -> Bool, proven: Authentication?, owner: UserAccount?, newUser: UserID,
        prepared: PreparedTokens,
        in situation: StepSituation
    ) -> Decision<FlowState> {
        guard case .federated(var draft) = self, draft.isAsked, var asked = situation.row.code, asked.attempts == 0
        else { return .refused(.notAllowedNow) }
        asked.attempts = 1
        var row = situation.row
        row.code = asked
        let holder = draft.account
        func refused(_ fault: IdentityFault) -> Decision<FlowState> {
            Decision(
                .refused(.identityRefused), row: row,
                effects: [
                    .record(
                        .signInFailed, user: holder?.user, detail: "\(StrongMethod.identityName), \(fault.rawValue)")
                ])
        }
        guard situation.now < asked.expiresAt else { return refused(.noNonce) }
        let found: VerifiedIdentity
        switch judged {
        case .failure(let fault): return refused(fault)
        case .success(let verified): found = verified
        }
        guard isNonce(asked) else { return refused(.wrongNonce) }
        row.revision += 1
        if holder != nil {
            // As the account is now: the identity may have been removed or suspended.
            guard let proven, let account = situation.account, let method = account.method(of: found.identity),
                !method.rests(at: situation.now)
            else { return refused(.unusableIdentity) }
            // It comes back as it came: by a proof of the account.
            guard method.suspendedAt == nil else {
                return Self.linking(found, to: account, draft.capabilities, row: row, effects: [], in: situation)
            }
            let keeping: [FlowEffect] =
                method.identity?.grant == nil
                ? found.identity.grant.map { [.write(.keepGrant($0, method: method.id, of: proven.account.user))] }
                    ?? []
                : []
            return SignInState.concluding(
                proven, prepared, row: row, effects: situation.using(method, of: proven) + keeping, in: situation
            ).map(FlowState.signIn)
        }
        // Another request linked it a moment ago.
        guard !situation.isCredentialTaken else { return .refused(.notAllowedNow) }
        let keeping: [FlowEffect] = kept.map { [.write(.keepNames($0))] } ?? []
        guard let mailbox = found.mailbox else {
            guard situation.userFlow.allowsSignUp else { return refusing(.signUpNotAllowed, row) }
            draft.found = found
            return Decision(.accepted(.nameMailbox), next: .federated(draft), row: row, effects: keeping)
        }
        if situation.taken.contains(mailbox.key) {
            guard let owner else { return refusing(.userAlreadyExists, row) }
            return Self.linking(found, to: owner, draft.capabilities, row: row, effects: keeping, in: situation)
        }
        guard situation.userFlow.allowsSignUp else { return refusing(.signUpNotAllowed, row) }
        return SignUpState.proceeding(
            with: SignUpDraft(mailbox, found, in: situation.userFlow, draft.capabilities), newUser: newUser, row: row,
            effects: keeping + [.record(.signUpStarted, detail: StrongMethod.identityName)], in: situation
        ).map(FlowState.signUp)
    }

    /// Refuses an identity that no user has; the flow is over.
    private func refusing(_ refusal: Refusal, _ row: FlowRow) -> Decision<FlowState> {
        var row = row
        row.isEnded = true
        return Decision(
            .refused(refusal), row: row, effects: [.record(.signUpRefused, detail: StrongMethod.identityName)])
    }

    /// Asks for a proof of the account that has the identity's mailbox: an ordinary sign-in, at whose end the identity is
    /// linked (`SEC-FED-9`). An account whose mailbox was never proven is asked for a code to it: its password may be another
    /// person's (`SEC-FED-10`).
    static func linking(
        _ found: VerifiedIdentity, to owner: UserAccount, _ capabilities: [ClientAbility], row: FlowRow,
        effects: [FlowEffect], in situation: StepSituation
    ) -> Decision<FlowState> {
        guard owner.hasRoom(for: found.identity), let own = EmailAddress(stored: owner.user.email)
        else {
            var row = row
            row.isEnded = true
            return Decision(.refused(.methodNotAllowed), row: row, effects: effects)
        }
        var draft = SignInDraft(
            account: .account(owner.user.id, credentialVersion: owner.credentialVersion), email: own,
            hasPassword: owner.passwordHash != nil && owner.emailProvenAt != nil, capabilities: Set(capabilities))
        draft.linking = found
        return Decision(
            .accepted(.linkAccount), next: .signIn(.started(draft)), row: row,
            effects: effects + [.record(.linkRequired, user: owner.user.id, detail: found.identity.provider)])
    }
}

extension Decision<SignUpState> {
    /// In place of the refusal of a taken address: its code was right, so the identity can be linked to the account. Where that
    /// mailbox is all that the account has, the code was the proof of it; else the account is to be proven.
    func linked(_ draft: SignUpDraft, to owner: UserAccount?, in situation: StepSituation) -> Decision<FlowState>? {
        guard case .refused(.userAlreadyExists) = verdict, let found = draft.identity, let owner, var row,
            !situation.isCredentialTaken
        else { return nil }
        row.isEnded = false
        let proofs = effects.filter { $0 != .record(.signUpRefused, detail: "taken") }
        guard owner.passwordHash == nil || owner.emailProvenAt == nil, let own = EmailAddress(stored: owner.user.email),
            owner.hasRoom(for: found.identity)
        else {
            return FlowState.linking(
                found, to: owner, draft.capabilities, row: row, effects: proofs, in: situation)
        }
        var proven = Authentication(
            account: .account(owner.user.id, credentialVersion: owner.credentialVersion), email: own, origin: .signIn,
            knowsPassword: false, mailboxes: [draft.email], authenticatedAt: situation.now,
            capabilities: draft.capabilities)
        proven.linking = found
        return Decision<FlowState>(
            .accepted(.signIn), next: .signIn(.authenticated(proven)), row: row, effects: proofs)
    }
}

extension SignUpDraft {
    /// The sign-up of an identity's owner. Names fill the attributes that the flow asks for, and prove nothing.
    init(_ email: EmailAddress, _ found: VerifiedIdentity, in flow: UserFlow, _ capabilities: [ClientAbility]) {
        self.init(email: email, passwordHash: nil, attributes: [:], capabilities: Set(capabilities))
        identity = found
        let names: [(String, String?)] = [("givenName", found.givenName), ("surname", found.familyName)]
        for (name, value) in names {
            guard let value else { continue }
            attributes.merge(flow.judge(SubmittedAttributes([(name, .string(value))])).accepted) { $1 }
        }
    }
}

extension StepSituation {
    /// Notes that an identity signed its user in.
    fileprivate func using(_ method: StrongMethod, of proven: Authentication) -> [FlowEffect] {
        [.write(.noteUse(method.id, of: proven.account.user, at: now))]
            + (method.firstUsedAt == nil ? notices(.methodFirstUsed, about: [method]) : [])
    }

    /// Gives the identity to the account that the sign-up makes.
    func adding(_ found: VerifiedIdentity, to user: UserID) -> [FlowEffect] {
        // The mailbox is all that the new account has besides. This is its first use.
        let method = StrongMethod(
            id: found.method, kind: .identity(found.identity), provenAt: now,
            enrolment: Enrolment(.mailbox, authenticatedAt: now), firstUsedAt: now, lastUsedAt: now)
        return [
            .addStrongMethod(method, to: user), .record(.methodRegistered, user: user, detail: method.enrolmentDetail),
        ]
    }

    /// Links the identity that the sign-in began with, now that its other side is proven as well.
    func linking(of proven: Authentication) -> [FlowEffect] {
        guard let found = proven.linking, let account else { return [] }
        return linking(
            found,
            under: Enrolment(
                proven.assurance.needsRecoveryCode ? .recoveryCode : proven.enrolmentStrength,
                authenticatedAt: proven.authenticatedAt), to: account) + takingOver(account)
    }

    /// Adds the identity, in the place of itself where it is suspended: then it keeps its id, for which its grant is sealed.
    func linking(_ found: VerifiedIdentity, under enrolment: Enrolment, to account: UserAccount) -> [FlowEffect] {
        let user = account.user.id
        let known = account.method(of: found.identity)
        var identity = found.identity
        identity.grant = identity.grant ?? known?.identity?.grant
        let method = StrongMethod(
            id: known?.id ?? found.method, kind: .identity(identity), provenAt: now, enrolment: enrolment)
        return [
            .write(.removeStrongMethods(account.displaced(by: identity), of: user)),
            .addStrongMethod(method, to: user),
            .record(.methodRegistered, user: user, detail: method.enrolmentDetail),
        ] + notices(.methodRegistered, about: [method])
    }

    /// What an account whose mailbox was never proven loses when its owner appears: a password that another person may have
    /// set, and the sessions that it began (`SEC-FED-10`).
    private func takingOver(_ account: UserAccount) -> [FlowEffect] {
        guard account.emailProvenAt == nil, let own = EmailAddress(stored: account.user.email) else { return [] }
        let user = account.user.id
        // Nothing of them was added by a proven owner.
        let planted = account.strongMethods
        return [
            .write(.removePassword(user, at: now)), .write(.revokeRefreshFamilies(user, at: now)),
            .write(.removeStrongMethods(planted.map(\.id), of: user)), .write(.forgetNetworks(user)),
            .write(.setRecovery(nil, of: user, replacing: nil)),
            .write(.replaceName(.email, with: own.identifier, of: user, proof: .byCode, at: now)),
        ]
            + (account.passwordHash == nil
                ? [] : [.record(.passwordChanged, user: user, detail: "removed, its owner appeared")])
    }
}
