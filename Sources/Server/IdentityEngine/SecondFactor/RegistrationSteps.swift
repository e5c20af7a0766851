import NativeAuthCore
package import PortableFoundation

// The steps of a sign-in that list the methods of the second factor and register another one (docs/protocol.md §4.9,
// §8.4). Each has two parts: the engine prepares, and the state decides inside the transaction.

extension Engine {
    /// Lists the methods of the second factor.
    func introspectMethods(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        return try await run(step, reading: StepReads(readsTextCosts: true)) { situation in
            state.listingMethods(in: situation).map(FlowState.signIn)
        }
    }
}

extension Engine {
    /// Lists what the user can register.
    func introspectRegistration(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        return try await run(step) { situation in state.listingContacts(in: situation).map(FlowState.signIn) }
    }
}

extension SignInState {
    /// The ids of the kinds of contacts, and the words of their channels.
    package static let emailContactID = "email"
    package static let phoneContactID = CodeChannel.textMessage.rawValue
    package static let passkeyID = CodeChannel.passkey.rawValue
    package static let appID = CodeChannel.authenticatorApp.rawValue

    /// The contact that a client names, by its channel; nil when it is none. A client may omit the channel, and write it in
    /// any letter case.
    package static func contact(_ text: String, channel: String?) -> Contact? {
        guard let channel else { return Contact(text) }
        guard channel.utf8.count <= emailContactID.utf8.count else { return nil }
        return switch channel.lowercased() {
        case emailContactID: EmailAddress(text).map(Contact.mailbox)
        case phoneContactID: PhoneNumber(text).map(Contact.phone)
        case _: nil
        }
    }

    /// Answers what can be registered so that the sign-in reaches the level that is demanded: an e-mail address, with the
    /// account's own as the suggestion, a telephone number where the tenant texts, an authenticator app, and a passkey. A user of
    /// codes by mail gains nothing by another mailbox.
    package func listingContacts(in situation: StepSituation) -> Decision<SignInState> {
        switch self {
        case .choosingContact(let proven), .awaitingContactCode(let proven, _), .confirmingContact(let proven, _),
            .creatingPasskey(let proven, _), .confirmingApp(let proven, _):
            let possible = situation.registrable(by: proven)
            let hasProof = situation.refusalToRegister(proven, nil) == nil
            let offered =
                (possible.contains(.mailbox)
                    ? [OfferedMethod(id: Self.emailContactID, hint: proven.email.address)] : [])
                + (possible.contains(.phone) && hasProof
                    ? [OfferedMethod(id: Self.phoneContactID, hint: "", channel: .textMessage)] : [])
                + (possible.contains(.app) && situation.refusalToRegister(.app, proven) == nil
                    ? [OfferedMethod(id: Self.appID, hint: "", channel: .authenticatorApp)] : [])
                + (possible.contains(.passkey) && situation.refusalToRegister(.passkey, proven) == nil
                    ? [OfferedMethod(id: Self.passkeyID, hint: "", channel: .passkey)] : [])
            return Decision(.accepted(.chooseMethod(offered)), next: self)
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Sends a code to the contact that is to be registered.
    func challengeContact(_ contact: String, channel: String?, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        guard let contact = SignInState.contact(contact, channel: channel),
            contact.phone == nil || texts(of: step.context.tenant) != nil
        else { return step.refused(.invalidContact) }
        let digits = drawCode()
        let reads = StepReads(sendsNotice: true, recipient: contact, code: .sending(.registration))
        return try await run(step, reading: reads, keepsAnswer: false) { situation in
            let fresh = freshCode(digits, situation, step, to: contact, for: .registration)
            return state.challenging(contact: contact, with: fresh, in: situation).map(FlowState.signIn)
        }
    }
}

extension SignInState {
    /// Sends a code to `contact`, or answers that this flow has already proven it.
    package func challenging(
        contact: Contact, with fresh: FreshCode, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingContact(let proven), .awaitingContactCode(let proven, _), .confirmingContact(let proven, _),
            .creatingPasskey(let proven, _), .confirmingApp(let proven, _):
            // Use the account's own address as it is stored: the code goes there, whatever spelling the client sent.
            let contact = contact.key == proven.email.key.bytes ? .mailbox(proven.email) : contact
            if let refusal = situation.refusalToRegister(proven, contact) { return .refused(refusal) }
            if let email = contact.email {
                // The account's own mailbox would be no second factor (`SEC-MFA-3`), and for a user of codes by mail no
                // other mailbox is one (docs/protocol.md §4.7).
                guard !situation.userFlow.requiresDistinctMailbox || !proven.isOwn(email),
                    situation.account?.passwordHash != nil
                else { return .refused(.invalidContact) }
                // Compare the exact address: an address with another tag may belong to another person (`SEC-ID-3`),
                // though it adds no factor (`SEC-MFA-3`).
                if proven.mailboxes.contains(where: { $0.key == email.key }) {
                    return Decision(.accepted(.contactAlreadyProven), next: .confirmingContact(proven, email))
                }
            }
            return situation.sendCode(
                fresh, to: contact, for: .registration, next: .awaitingContactCode(proven, contact)
            ) { _, length in
                .proveContact(contact.display, codeLength: length, channel: contact.channel)
            }
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Judges the code that went to the contact, and registers it.
    func submitContactCode(_ code: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state, let contact = state.recipient else {
            return step.refused(.notAllowedNow)
        }
        guard let digits = digits(of: code) else { return step.refused(.incorrectCode) }
        let method = ports.randomness.uuid()
        let reads = StepReads(sendsNotice: true, code: .judging(.registration, digits))
        return try await run(step, reading: reads) { situation in
            state.submitting(
                contactCode: { matches(digits, $0, situation, step, to: contact, for: .registration) },
                newMethod: method, in: situation
            ).map(FlowState.signIn)
        }
    }
}

extension SignInState {
    /// Submits the code that was sent to the contact.
    package func submitting(
        contactCode matches: (CodeRecord) -> Bool, newMethod: UUID, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .awaitingContactCode(let proven, let contact):
            if let refusal = situation.refusalToRegister(proven, contact) { return .refused(refusal) }
            switch situation.judgeCode(
                of: contact, recording: .secondFactorFailed, user: proven.account.user, matches: matches)
                as StepSituation.CodeJudgement<SignInState>
            {
            case .refused(let decision): return decision
            case .proven(let row, let effects):
                return Self.registering(
                    contact, for: proven, newMethod: newMethod, row: row, effects: effects, in: situation)
            }
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact,
            .confirmingContact, .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Registers a contact that this flow has proven already.
    func confirmContact(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        let method = ports.randomness.uuid()
        return try await run(step, reading: StepReads(sendsNotice: true)) { situation in
            state.confirmingContact(newMethod: method, in: situation).map(FlowState.signIn)
        }
    }
}

extension SignInState {
    /// Registers the contact that this flow has already proven.
    package func confirmingContact(newMethod: UUID, in situation: StepSituation) -> Decision<SignInState> {
        switch self {
        case .confirmingContact(let proven, let contact):
            let contact = Contact.mailbox(contact)
            if let refusal = situation.refusalToRegister(proven, contact) { return .refused(refusal) }
            var row = situation.row
            row.revision += 1
            return Self.registering(contact, for: proven, newMethod: newMethod, row: row, effects: [], in: situation)
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact,
            .awaitingContactCode, .creatingPasskey, .confirmingApp, .authenticated:
            return .refused(.notAllowedNow)
        }
    }
}

extension Engine {
    /// Gives what an authenticator needs to make a passkey that is registered in the middle of a sign-in.
    func challengeNewPasskey(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.methodNotAllowed) }
        let fresh = drawChallenge(.create, step)
        let (name, handle) = (step.context.tenant.displayName, Data(ports.randomness.bytes(32)))
        return try await run(step, keepsAnswer: false) { situation in
            state.challenging(newPasskey: fresh, newHandle: handle, party, named: name, in: situation)
                .map(FlowState.signIn)
        }
    }

    /// Judges the answer of an authenticator, and registers the passkey when it is right.
    func registerPasskey(_ answer: String, name: String?, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state, case .creatingPasskey(_, let handle) = state else {
            return step.refused(.notAllowedNow)
        }
        guard let party = relyingParty(of: step.context.tenant) else { return step.refused(.methodNotAllowed) }
        let answer = MadePasskey(answer, for: handle, party, ports.signatures)
        let method = ports.randomness.uuid()
        return try await run(step, reading: answer.reads) { situation in
            state.submitting(
                newPasskey: answer.judged, name: name, id: method,
                isChallenge: { matches(answer.challenge, $0, .create, step) }, in: situation
            ).map(FlowState.signIn)
        }
    }
}

extension Engine {
    /// Gives the secret for an authenticator app that is registered in the middle of a sign-in. Nothing is written: until a code of the
    /// app confirms it, it is in the token alone.
    func challengeNewApp(_ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state else { return step.refused(.notAllowedNow) }
        let secret = AppSecret(drawnBy: ports.randomness)
        let app = ShownApp(
            method: ports.randomness.uuid(), secret: secret.bytes.reveal(), shownAt: step.context.now)
        return try await run(step, reading: StepReads(sendsNotice: true), keepsAnswer: false) { situation in
            state.challenging(newApp: app, { offer(of: secret, to: $0, in: step.context) }, in: situation)
                .map(FlowState.signIn)
        }
    }

    /// Judges the first code of the app, and registers the app when it is right.
    func confirmNewApp(by code: Secret<String>, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .signIn(let state) = step.state, case .confirmingApp(let proven, let app) = state else {
            return step.refused(.notAllowedNow)
        }
        guard let digits = AppSecret.digits(of: code) else { return step.refused(.incorrectCode) }
        let tenant = step.context.tenant.id
        let sealed = try seal(AppSecret(app.secret), ofApp: app.method, of: proven.account.user, in: tenant)
        let target = target(ofApp: app.method, in: tenant)
        return try await run(step, reading: StepReads(sendsNotice: true)) { situation in
            state.submitting(newAppCode: digits, sealed: sealed, target: target, in: situation).map(FlowState.signIn)
        }
    }
}

extension SignInState {
    /// Asks for a new passkey. Repeated, it gives a new challenge.
    ///
    /// - Parameter newHandle: The account's handle, if it has none yet (`SEC-PK-15`).
    func challenging(
        newPasskey fresh: FreshChallenge, newHandle: Data, _ party: RelyingParty, named name: String,
        in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingContact(let proven), .awaitingContactCode(let proven, _), .confirmingContact(let proven, _),
            .creatingPasskey(let proven, _), .confirmingApp(let proven, _):
            if let refusal = situation.refusalToRegister(.passkey, proven) { return .refused(refusal) }
            guard let account = situation.account else { return .refused(.unusableToken) }
            let handle = account.passkeys.first?.userHandle ?? newHandle
            return Decision(
                .accepted(.createPasskey(account.offer(fresh, handle, of: party, named: name))),
                next: .creatingPasskey(proven, handle), row: situation.asking(fresh))
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Decides on the answer of an authenticator that made a passkey.
    func submitting(
        newPasskey judged: Result<EnrolledPasskey, PasskeyFault>, name: String?, id: UUID,
        isChallenge: (CodeRecord) -> Bool, in situation: StepSituation
    ) -> Decision<SignInState> {
        guard case .creatingPasskey(let proven, let handle) = self else { return .refused(.notAllowedNow) }
        if let refusal = situation.refusalToRegister(.passkey, proven) { return .refused(refusal) }
        let judgement: StepSituation.PasskeyJudgement<SignInState> = situation.judge(
            judged, for: handle, isChallenge: isChallenge)
        switch judgement {
        case .refused(let decision): return decision
        case .made(let passkey, var row):
            row.revision += 1
            return Self.registering(.passkey(passkey), name: name, for: proven, id: id, row: row, in: situation)
        }
    }

    /// Shows the secret of a new app. Repeated, it shows another one.
    func challenging(
        newApp fresh: ShownApp, _ offer: (EmailAddress) -> AppOffer, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingContact(let proven), .awaitingContactCode(let proven, _), .confirmingContact(let proven, _),
            .creatingPasskey(let proven, _), .confirmingApp(let proven, _):
            if let refusal = situation.refusalToRegister(.app, proven) { return .refused(refusal) }
            return Decision(.accepted(.enrolApp(offer(proven.email))), next: .confirmingApp(proven, fresh))
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Decides on the first code of the app, and registers it. The code's step is spent (`SEC-TOTP-7`).
    func submitting(
        newAppCode digits: Secret<String>, sealed: Data, target: Data, in situation: StepSituation
    ) -> Decision<SignInState> {
        guard case .confirmingApp(let proven, let app) = self else { return .refused(.notAllowedNow) }
        if let refusal = situation.refusalToRegister(.app, proven) { return .refused(refusal) }
        let judgement: StepSituation.AppCodeJudgement<SignInState> = situation.judgeFirstCode(
            digits, of: AppSecret(app.secret), shownAt: app.shownAt, target: target, recording: .secondFactorFailed,
            user: proven.account.user)
        switch judgement {
        case .refused(let decision): return decision
        case .right(let clock, let row):
            return Self.registering(
                .app(EnrolledApp(sealedSecret: sealed, clock: clock)), for: proven, id: app.method, row: row,
                in: situation)
        }
    }

    /// Registers the method with the proofs of `before`, and ends the sessions and flows that began with fewer proofs
    /// (`SEC-ENR-6`).
    private static func registering(
        _ contact: Contact, for before: Authentication, newMethod: UUID, row: FlowRow, effects: [FlowEffect],
        in situation: StepSituation
    ) -> Decision<SignInState> {
        registering(
            StrongMethod.Kind(contact), for: before, id: newMethod, row: row, effects: effects, in: situation)
    }

    /// The same, for a method of any kind.
    private static func registering(
        _ kind: StrongMethod.Kind, name: String? = nil, for before: Authentication, id: UUID, row: FlowRow,
        effects: [FlowEffect] = [], in situation: StepSituation
    ) -> Decision<SignInState> {
        let user = before.account.user
        guard let account = situation.account else { return .refused(.unusableToken) }
        let strength = before.enrolmentStrength(of: account)
        let method = StrongMethod(
            id: id, kind: kind, provenAt: situation.now,
            enrolment: Enrolment(strength, authenticatedAt: before.authenticatedAt), name: name)
        var proven = before.proving(method, at: situation.now)
        proven.registered = method.contact ?? proven.registered
        // This flow continues; all other flows of the user have ended.
        proven.account = before.account.afterChange
        return Decision(
            .accepted(.signIn), next: .authenticated(proven), row: row,
            effects: effects + [
                .addStrongMethod(method, to: user),
                .record(.methodRegistered, user: user, detail: method.enrolmentDetail),
                .write(.endFlows(user)), .count(.methodEnrolled, of: .account),
            ]
                + (proven.factors > 1
                    ? [
                        .write(
                            .revokeRefreshFamilies(
                                user, keepingTwoFactors: true, except: before.browserSession, at: situation.now))
                    ] : [])
                + situation.notices(.methodRegistered, about: [method]))
    }
}

extension StepSituation {
    /// What the user can register so that the sign-in reaches its level, if the proofs allow it.
    fileprivate func registrable(by proven: Authentication) -> Set<RegistrableMethod> {
        account.map { proven.registrable(for: $0, demandOfMethods) } ?? []
    }

    /// Why these proofs do not allow a passkey or an app to be registered. In every mode the first method needs a code to the own
    /// mailbox: a password alone must not become two factors (`SEC-ENR-2`).
    ///
    /// - Parameter method: An app or a passkey.
    fileprivate func refusalToRegister(_ method: RegistrableMethod, _ proven: Authentication) -> Refusal? {
        guard registrable(by: proven).contains(method) else { return .methodNotAllowed }
        if let refusal = refusalToRegister(proven, nil) { return refusal }
        return account?.secondFactors.isEmpty != true || proven.hasCodeOfOwnAddress ? nil : .blockedContact
    }

    /// Why these proofs do not allow `contact` to be registered; nil when they do (design record 0005).
    ///
    /// - Parameter contact: Nil for anything but a mailbox.
    fileprivate func refusalToRegister(_ proven: Authentication, _ contact: Contact?) -> Refusal? {
        // Before a secret is shown, a code is sent or one is judged (SEC-ENR-13).
        if let wait = waitForEnrolment { return .throttled(retryAfter: wait) }
        // The proofs must be fresh (SEC-MFA-4).
        guard now.timeIntervalSince(proven.authenticatedAt) <= Double(settings.provenIdleLifetime) else {
            return .expiredToken
        }
        guard let account else { return .notAllowedNow }
        // What does not bring the sign-in to its level is not asked for here.
        if proven.sought != nil, let contact,
            !registrable(by: proven).contains(contact.phone == nil ? .mailbox : .phone)
        {
            return .invalidContact
        }
        // An account with a method requires a proof by a usable method, at the account's level, even when another flow
        // registered the method (SEC-ENR-3).
        guard account.secondFactors.isEmpty else {
            return proven.provesMethod(of: account) ? nil : .notAllowedNow
        }
        // The first method requires a proof that the account could already give: its own mailbox (SEC-ENR-2).
        switch enrolment {
        // A password alone has no text sent to any number (SEC-SMS-3).
        case .compatible where contact?.email == nil: return proven.hasCodeOfOwnAddress ? nil : .blockedContact
        case .compatible: return nil
        // Compare the exact address: an address with another tag may belong to another person (SEC-ID-3).
        case .proven:
            return proven.hasCodeOfOwnAddress || contact?.key == proven.email.key.bytes ? nil : .blockedContact
        }
    }
}
