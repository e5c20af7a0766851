package import NativeAuthCore
import PortableFoundation

// The steps of a signed-in user that compare a password or prove a mailbox, on the same way as those of a sign-in. Each
// has two parts: the engine prepares what takes time, and the state decides, inside the transaction.

/// What a signed-in user asks for; the access token is the first proof.
package enum AccountCommand: Sendable {
    /// Change the password, or give a user of codes the first one: then there is no current one.
    ///
    /// - Parameter form: A random text of the form, which a repeated request has, too; empty when the caller has no form.
    case changePassword(current: Secret<String>?, new: Secret<String>, keepsOtherSessions: Bool, form: String = "")
    /// Make an address the account's e-mail address, or a method of the second factor.
    case addContact(String, ContactChange.Kind)
    /// Make a telephone number a method of the second factor.
    case addPhone(String)
    /// Add an authenticator app.
    case addApp
    /// Add a passkey. `isUpgrade`: silently, after a sign-in with a password.
    case addPasskey(isUpgrade: Bool = false)
    /// Link an account at the provider with this id. `isWeb`: the account page asks it, and not an app.
    case addIdentity(String, isWeb: Bool)

    var traits: CommandTraits {
        switch self {
        case .changePassword(let current, _, _, _):
            CommandTraits(hashesPassword: true, compares: current == nil ? nil : .password)
        case .addContact, .addPhone, .addApp, .addPasskey, .addIdentity: CommandTraits(beginsFlow: true)
        }
    }
}

extension Engine {
    func begin(
        _ command: AccountCommand, of caller: DirectoryCaller, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        guard let own = EmailAddress(stored: caller.account.user.email) else {
            throw .broken("an account has no address")
        }
        let version = caller.account.credentialVersion
        switch command {
        case .changePassword(let current, let new, let keepsOthers, let form):
            if let answer = try await repeatedChange(
                current, to: new, keepsOthers, form, of: caller, own, in: context)
            {
                return answer
            }
            let step = try step(under: version, [current, new], keepsOthers, form, of: caller, own, in: context)
            return try await changePassword(current, to: new, of: caller, keepsOthers: keepsOthers, step)
        case .addContact(let text, let kind):
            guard let email = EmailAddress(text) else { return context.outcome(.refused(.invalidContact)) }
            // A method that only a password makes a second factor would lock a user of codes out.
            guard kind == .email || caller.account.passwordHash != nil else {
                return context.outcome(.refused(.passwordNotUsed))
            }
            return try await begin(kind, .mailbox(email), of: caller, own, in: context)
        case .addPhone(let text):
            guard let number = PhoneNumber(text) else { return context.outcome(.refused(.invalidContact)) }
            if let refusal = refusal(ofNew: number, of: caller, in: context) {
                return context.outcome(.refused(refusal))
            }
            return try await begin(.method, .phone(number), of: caller, own, in: context)
        case .addApp:
            guard context.tenant.offersApps, caller.account.strongMethods.count(where: \.isApp) < NewApp.most else {
                return context.outcome(.refused(.methodNotAllowed))
            }
            let proven = proven(by: caller, own)
            let new = NewApp(
                proven: proven, strength: strength(caller, proven),
                session: caller.session, method: ports.randomness.uuid(),
                secret: AppSecret(drawnBy: ports.randomness).bytes.reveal())
            // The first method beside the password needs the account's own mailbox (SEC-ENR-2).
            guard caller.hasJustProvenFirmTwo || proven.hasCodeOfOwnAddress || !needsMailbox(caller, in: context) else {
                return try await challengeAccount(
                    caller.user, firstStep(.provingOwnForApp(new), of: caller, in: context))
            }
            return try await offer(new, firstStep(.provingOwnForApp(new), of: caller, in: context))
        case .addPasskey(let isUpgrade):
            let passkeys = caller.account.passkeys
            guard context.tenant.passkeys != nil, passkeys.count < NewPasskey.most else {
                return context.outcome(.refused(.methodNotAllowed))
            }
            if isUpgrade, caller.lackOfUpgrade(now: context.now) != nil {
                return context.outcome(.refused(.secondFactorNeeded))
            }
            let proven = proven(by: caller, own)
            var new = NewPasskey(
                proven: proven, strength: strength(caller, proven), session: caller.session,
                userHandle: passkeys.first?.userHandle ?? Data(ports.randomness.bytes(32)))
            new.isUpgrade = isUpgrade ? true : nil
            let step = firstStep(.provingOwnForPasskey(new), of: caller, in: context)
            // In every mode: a passkey is two factors, and a password alone must not become that (SEC-ENR-2).
            guard caller.hasJustProvenFirmTwo || proven.hasCodeOfOwnAddress else {
                return try await challengeAccount(caller.user, step)
            }
            return try await offer(new, step)
        case .addIdentity(let id, let isWeb):
            guard let provider = context.tenant.provider(id), !provider.clients(isWeb: isWeb).isEmpty else {
                return context.outcome(.refused(.providerNotOffered))
            }
            guard caller.account.hasRoomForIdentity else { return context.outcome(.refused(.methodNotAllowed)) }
            let proven = proven(by: caller, own)
            let new = NewIdentity(
                provider: id, isWeb: isWeb, proven: proven,
                strength: caller.usedRecoveryCode
                    ? .recoveryCode
                    : !caller.hasFirmFactors
                        ? proven.enrolmentStrength
                            // Who had the mailbox for a moment can have both factors.
                        : caller.account.hasYoungFactorOfMailbox(at: context.now) ? .mailbox : .twoFactors,
                session: caller.session)
            let step = firstStep(.provingOwnForIdentity(new), of: caller, in: context)
            // In every mode: an identity stays when the password changes, so a password alone must not add one. Two factors do not
            // either where the mailbox was never proven: another person may have set the password (SEC-FED-10).
            let isProven = caller.account.emailProvenAt != nil && caller.hasJustProvenFirmTwo
            guard isProven || proven.hasCodeOfOwnAddress else { return try await challengeAccount(caller.user, step) }
            return try await offer(new, step)
        }
    }

    /// Begins to prove a new contact, after the own mailbox where that is to be proven first.
    private func begin(
        _ kind: ContactChange.Kind, _ contact: Contact, of caller: DirectoryCaller, _ own: EmailAddress,
        in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let proven = proven(by: caller, own)
        let change = ContactChange(
            kind: kind, contact: contact, proven: proven, hasTwoFactors: caller.hasFirmFactors,
            isRecovering: caller.usedRecoveryCode, isOfCodes: caller.account.passwordHash == nil,
            session: caller.session)
        if let refusal = refusal(of: change, in: context) { return context.outcome(.refused(refusal)) }
        // The mode of enrolment speaks of methods alone: an address is never changed by a password alone. A thief must not
        // have texts sent either (SEC-SMS-3).
        let asksForMailbox = kind == .email || contact.phone != nil || needsMailbox(caller, in: context)
        let needsOwn =
            asksForMailbox && !caller.hasJustProvenFirmTwo && !proven.hasCodeOfOwnAddress
            && contact.key != own.key.bytes
        let state: AccountState = needsOwn ? .provingOwn(change) : .provingNew(change)
        return try await challengeAccount(caller.user, firstStep(state, of: caller, in: context))
    }

    /// What the caller's session has proven.
    private func proven(by caller: DirectoryCaller, _ own: EmailAddress) -> Authentication {
        Authentication(
            account: .account(caller.user, credentialVersion: caller.account.credentialVersion), email: own,
            origin: .signIn, knowsPassword: caller.proof.methods.contains("pwd"),
            passwordIsFromReset: caller.account.passwordIsFromReset,
            mailboxes: caller.hasJustProvenOwnMailbox ? [own] : [],
            authenticatedAt: caller.proof.authenticatedAt, capabilities: [])
    }

    /// Whether a new method needs a code to the own mailbox: a recovery code and a password alone add none in any mode.
    private func needsMailbox(_ caller: DirectoryCaller, in context: RequestContext) -> Bool {
        context.enrolment == .proven || caller.usedRecoveryCode
    }

    /// The proofs under which an app is enrolled. A user of codes has nothing but the mailbox: the app is a factor beside it
    /// (design record 0040).
    private func strength(_ caller: DirectoryCaller, _ proven: Authentication) -> Enrolment.Strength {
        let account = caller.account
        if caller.usedRecoveryCode { return .recoveryCode }
        if caller.hasFirmFactors { return .twoFactors }
        return account.passwordHash == nil ? .codes : proven.enrolmentStrength
    }

    /// The first step of a flow that a session begins.
    private func firstStep(_ state: AccountState, of caller: DirectoryCaller, in context: RequestContext) -> Step {
        let secret = Data(caller.proof.secret.reveal().utf8)
        let flow = ports.randomness.uuid(at: context.now)
        return Step(
            context: context, envelope: envelope(flow, state, context), secret: secret,
            requestDigest: Vault.fingerprint([secret, Data(flow.uuidString.utf8)]))
    }

    /// Shows the secret of a new app. Nothing is written: until a code confirms it, it is in the token alone.
    private func offer(_ new: NewApp, _ step: Step) async throws(EngineError) -> Outcome {
        let offer = offer(of: AppSecret(new.secret), to: new.proven.email, in: step.context)
        return try await run(step, keepsAnswer: false) { situation in
            var new = new
            new.shownAt = situation.now
            return Decision<AccountState>(.accepted(.enrolApp(offer)), next: .confirmingApp(new)).map(FlowState.account)
        }
    }

    /// What the user is shown of an app's secret.
    func offer(of secret: AppSecret, to email: EmailAddress, in context: RequestContext) -> AppOffer {
        AppOffer(
            secret: secret.base32,
            address: secret.address(issuer: context.tenant.displayName, account: email.address))
    }

    /// The step of a change of the password. The same request is the same flow, so that a repeated one finds the first answer
    /// (`REL-IDEM`).
    private func step(
        under version: Int, _ passwords: [Secret<String>?], _ keepsOthers: Bool, _ form: String,
        of caller: DirectoryCaller, _ own: EmailAddress, in context: RequestContext
    ) throws(EngineError) -> Step {
        let secret = Data(caller.proof.secret.reveal().utf8)
        let digest = Vault.fingerprint(
            [secret]
                + (passwords.map { $0?.reveal() ?? "" } + ["\(keepsOthers) \(version)", form]).map { Data($0.utf8) })
        let mark = vault.digest(.replay, tenant: context.tenant.id, [Data("account".utf8), digest])
        guard let flow = UUID(bytes: mark.prefix(16)) else { throw .broken("a digest is too short") }
        let state = AccountState.changingPassword(.account(caller.user, credentialVersion: version), own)
        return Step(context: context, envelope: envelope(flow, state, context), secret: secret, requestDigest: digest)
    }

    /// The first answer to a change of the password. It changed the credentials; the same change later, after another one, is
    /// another flow.
    private func repeatedChange(
        _ current: Secret<String>?, to new: Secret<String>, _ keepsOthers: Bool, _ form: String,
        of caller: DirectoryCaller, _ own: EmailAddress, in context: RequestContext
    ) async throws(EngineError) -> Outcome? {
        let version = caller.account.credentialVersion
        guard version > 0 else { return nil }
        return try await firstAnswer(
            to: try step(under: version - 1, [current, new], keepsOthers, form, of: caller, own, in: context))
    }

    /// The session of a request that repeats the change of the password a moment ago, by which it got another cookie: the
    /// second half of a double click still has the old one, and the passwords; nil for any other request. A thief of the old
    /// cookie does not know the random text of the form, so that no guess at the new password is answered here
    /// (`SEC-RATE-5`).
    ///
    /// - Parameters:
    ///   - form: The random text of the form.
    ///   - session: The id of the session.
    ///   - cookie: The old cookie.
    package func sessionOfRepeatedChange(
        _ current: Secret<String>?, to new: Secret<String>, form: String, session: String, cookie: Secret<String>,
        in context: CallerContext
    ) async throws(EngineError) -> BrowserSession? {
        guard !form.isEmpty, case .found(let tenant, let client) = try await resolve(context),
            let signIn = try await browserSignIn(
                renewedCookie(after: cookie, in: tenant.id), in: tenant, now: context.now),
            signIn.session.id.text == session, let own = EmailAddress(stored: signIn.account.user.email)
        else { return nil }
        let caller = DirectoryCaller(
            tenant: tenant, client: client, account: signIn.account, proof: AccountProof(signIn.session, cookie: cookie)
        )
        let answer = try await repeatedChange(
            current, to: new, false, form, of: caller, own, in: self.context(of: context, tenant, client))
        guard case .accepted = answer?.verdict else { return nil }
        return signIn.session
    }

    private func envelope(_ flow: UUID, _ state: AccountState, _ context: RequestContext) -> FlowEnvelope {
        FlowEnvelope(
            flow: flow, startedAt: context.now, revision: 0,
            expiresAt: context.now.addingTimeInterval(Double(settings.provenIdleLifetime)), state: .account(state))
    }

    private func refusal(of change: ContactChange, in context: RequestContext) -> Refusal? {
        switch change.kind {
        case .email: change.contact.key == change.proven.email.key.bytes ? .invalidContact : nil
        // The account's own mailbox would be no second factor (SEC-MFA-3).
        case .method:
            context.userFlow.requiresDistinctMailbox && (change.contact.email.map(change.proven.isOwn) ?? false)
                ? .invalidContact : nil
        }
    }

    /// Why the user cannot add the telephone; nil when it is possible.
    private func refusal(
        ofNew number: PhoneNumber, of caller: DirectoryCaller, in context: RequestContext
    ) -> Refusal? {
        guard let texts = texts(of: context.tenant) else { return .methodNotAllowed }
        guard texts.allows(number) else { return .blockedContact }
        // The same number again takes its old place.
        let others = caller.account.strongMethods.filter { $0.isPhone && $0.contact?.phone != number }
        return others.count < ContactChange.mostPhones ? nil : .methodNotAllowed
    }
}

extension Engine {
    /// The stored answer to this request; nil when it was not answered yet.
    private func firstAnswer(to step: Step) async throws(EngineError) -> Outcome? {
        try await transaction(step, StepReads(), RateLimitKeys()) { facts throws(EngineError) in
            (nil, facts.sealedAnswer.flatMap { openAnswer($0, of: step) })
        }
    }

    /// Compares the current password, after the right to compare is committed, and takes the new one.
    private func changePassword(
        _ current: Secret<String>?, to new: Secret<String>, of caller: DirectoryCaller, keepsOthers: Bool, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        let tenant = context.tenant.id
        let guess = current.map { current in
            vault.passingDigest(
                .counter, tenant: tenant,
                [Data("password".utf8), Data(caller.user.description.utf8), Data(current.reveal().utf8)])
        }
        let admission: PasswordAdmission =
            if let guess { try await admit(guess: guess, step) } else { try await admit(step) }
        let admitted: StepSituation
        let comparing: Bool
        switch admission {
        case .answered(let outcome): return outcome
        case .admitted(let situation, let mayCompare): (admitted, comparing) = (situation, mayCompare)
        }
        guard let account = admitted.account else { return step.refused(.unusableToken) }
        var isRight = false
        switch (account.passwordHash, current) {
        case (let stored?, let current?):
            if comparing {
                isRight = try await verify(current, against: stored)
            } else {
                // Takes the same time as a comparison (SEC-PWD-11).
                _ = try await hash(current)
            }
        // A user of codes gets a first password where the application lets users sign in with one.
        case (nil, nil):
            guard context.userFlow.method == .emailPassword else { return step.refused(.passwordNotUsed) }
            isRight = true
        case (nil, _?): return step.refused(.passwordNotUsed)
        case (_?, nil): return step.refused(.incorrectPassword)
        }
        // The policy's answer tells nothing about the current password.
        var fault: PasswordFault?
        if isRight {
            fault = check(
                new, emailLocalPart: EmailAddress(stored: account.user.email)?.localPart ?? "",
                alias: account.user.alias, attributes: account.user.attributes, in: context.tenant)
            if fault == nil, current?.reveal() == new.reveal() { fault = .recentlyUsed }
        }
        let prepared = isRight && fault == nil ? try await hash(new) : nil
        let refused = fault
        let session = caller.session
        // The session has a new cookie from here on (SEC-WEB-5): a thief of the old one is out, too.
        let staying = caller.staying(
            after: account.credentialVersion, cookie: renewedCookie(after: caller.proof.secret, in: tenant),
            at: context.now)
        let right = isRight
        let provesMailbox = caller.proof.methods.contains("otp")
        return try await run(step, reading: StepReads(hasLockout: current != nil)) { situation in
            AccountState.changing(
                to: prepared, fault: refused, passwordIsRight: right, guess: comparing ? guess : nil,
                keepsOthers: keepsOthers, session: session, staying: staying, own: step.state.recipient?.email,
                provesMailbox: provesMailbox, in: situation
            ).map(FlowState.account)
        }
    }
}

extension AccountState {
    /// Decides on a compared password.
    ///
    /// - Parameters:
    ///   - hash: The hash of the new password; nil when it is refused.
    ///   - guess: The keyed digest of the current password, if it was compared.
    ///   - session: The session that asks, which stays.
    ///   - staying: What keeps it when it is a browser's.
    ///   - provesMailbox: Whether that session has proven a mailbox. After many wrong passwords a password alone is not
    ///     enough here either (`SEC-LOCK-6`).
    static func changing(
        to hash: PasswordHash?, fault: PasswordFault?, passwordIsRight: Bool, guess: Data?, keepsOthers: Bool,
        session: UUID?, staying: [Effect], own: EmailAddress?, provesMailbox: Bool, in situation: StepSituation
    ) -> Decision<AccountState> {
        guard let account = situation.account, let own else { return .refused(.unusableToken) }
        let user = account.user.id
        let compared = situation.concluding(guess, isRight: passwordIsRight)
        guard passwordIsRight else {
            return Decision(
                .refused(.incorrectPassword), row: situation.row,
                effects: compared + situation.recordingWrongPassword(of: user, detail: "change", warning: own))
        }
        guard guess == nil || provesMailbox || !situation.needsMailbox else {
            return Decision(.refused(.secondFactorNeeded), row: situation.row, effects: compared)
        }
        guard let hash else {
            return Decision(
                .refused(.unacceptablePassword(fault ?? .invalid)), row: situation.row, effects: compared)
        }
        var row = situation.row
        row.revision += 1
        row.isEnded = true
        // A first password counts as the mailbox that it came from, until another factor is proven.
        let countsAsMailbox = account.passwordHash == nil || account.passwordIsFromReset
        return Decision(
            .accepted(.accountChanged), row: row,
            effects: compared + [
                .write(.changePassword(user, hash, fromReset: countsAsMailbox, at: situation.now)),
                .write(
                    keepsOthers
                        ? .keepRefreshFamilies(user, at: situation.now)
                        : .revokeRefreshFamilies(user, except: session, at: situation.now)),
                .record(.passwordChanged, user: user), .mailNotice(.passwordChanged, to: own),
            ] + staying.map { .write($0) } + situation.endingMigration)
    }
}

extension Engine {
    /// Sends the code of a change of contact, for the first time or again.
    func challengeAccount(_ user: UserID, _ step: Step) async throws(EngineError) -> Outcome {
        guard case .account(let state) = step.state, step.user == user else { return step.refused(.unusableToken) }
        if case .creatingPasskey(let new) = state { return try await offer(new, step) }
        if case .linkingIdentity(let new) = state { return try await offer(new, step) }
        let (purpose, recipient) = (state.purpose, state.recipient)
        let digits = drawCode()
        return try await run(step, reading: StepReads(code: .sending(purpose)), keepsAnswer: false) { situation in
            let fresh = freshCode(digits, situation, step, to: recipient, for: purpose)
            return state.challenging(with: fresh, in: situation).map(FlowState.account)
        }
    }
}

extension AccountState {
    /// Sends a code, for the first time or again.
    func challenging(with fresh: FreshCode, in situation: StepSituation) -> Decision<AccountState> {
        switch self {
        case .changingPassword, .confirmingApp, .creatingPasskey, .linkingIdentity: return .refused(.notAllowedNow)
        case .provingOwn, .provingNew, .provingOwnForApp, .provingOwnForPasskey, .provingOwnForIdentity:
            return situation.sendCode(fresh, to: recipient, for: purpose, next: self) {
                .proveAddress(
                    situation.delivery(
                        to: recipient.masked, resendIn: $0, length: $1, channel: recipient.channel))
            }
        }
    }
}

extension Engine {
    /// Judges the code, and makes the change when the new contact is proven.
    func submitAccountCode(
        _ code: Secret<String>, of user: UserID, _ step: Step
    ) async throws(EngineError) -> Outcome {
        guard case .account(let state) = step.state, step.user == user else { return step.refused(.unusableToken) }
        if case .confirmingApp(let new) = state { return try await confirm(new, by: code, step) }
        guard let digits = digits(of: code) else { return step.refused(.incorrectCode) }
        let (purpose, recipient, tenant) = (state.purpose, state.recipient, step.context.tenant.id)
        let now = step.context.now
        let undoCode = Secret(ports.randomness.digits(Self.undoDigits))
        let method = ports.randomness.uuid()
        var offer: AppOffer?
        if case .provingOwnForApp(let new) = state {
            offer = self.offer(of: AppSecret(new.secret), to: new.proven.email, in: step.context)
        }
        let shown = offer
        var nonce: FreshNonce?
        if case .provingOwnForIdentity(let new) = state {
            guard step.context.tenant.provider(new.provider) != nil else { return step.refused(.providerNotOffered) }
            nonce = drawNonce(for: new.provider, step)
        }
        let fresh = drawChallenge(.create, step)
        let party = relyingParty(of: step.context.tenant)
        let organisation = step.context.tenant.displayName
        let names = recipient.email.map { [$0.key] } ?? []
        let reads = StepReads(identifiers: names, sendsNotice: true, code: .judging(purpose, digits))
        return try await run(step, reading: reads) { [nonce] situation in
            state.submitting(
                code: { matches(digits, $0, situation, step, to: recipient, for: purpose) }, newMethod: method,
                offering: shown, nonce: nonce,
                asking: { new, row, effects in
                    party.map {
                        AccountState.offering(
                            new, fresh, $0, named: organisation, row: row, effects: effects, in: situation)
                    }
                },
                replacing: { new, old in
                    let until = now.addingTimeInterval(Double(settings.emailUndoLifetime))
                    return [
                        .write(.releaseNames([mark(of: new.key, in: tenant)])),
                        .write(.holdName(ReservedName(mark: mark(of: old.key, in: tenant), user: user, until: until))),
                        .write(
                            .offerUndo(
                                EmailUndo(
                                    codeDigest: undoDigest(undoCode, in: tenant), user: user, old: old, changedAt: now,
                                    until: until))), .mailUndo(undoCode, to: old),
                    ]
                }, in: situation
            ).map(FlowState.account)
        }
    }
}

extension AccountState {
    /// Submits the code that was sent to the mailbox of this state.
    ///
    /// - Parameters:
    ///   - offer: The secret of the app that is added, if one is.
    ///   - nonce: The nonce for the provider whose account is linked, if one is.
    ///   - asking: Asks for the passkey that is added; nil when the tenant has none any more.
    ///   - replacing: What keeps the old address for its owner.
    func submitting(
        code matches: (CodeRecord) -> Bool, newMethod: UUID, offering offer: AppOffer?, nonce: FreshNonce?,
        asking: (NewPasskey, FlowRow, [FlowEffect]) -> Decision<AccountState>?,
        replacing: (_ new: EmailAddress, _ old: EmailAddress) -> [FlowEffect],
        in situation: StepSituation
    ) -> Decision<AccountState> {
        let user = account.user
        switch situation.judgeCode(of: recipient, user: user, matches: matches)
            as StepSituation.CodeJudgement<AccountState>
        {
        case .refused(let decision): return decision
        case .proven(var row, let effects):
            switch self {
            case .changingPassword, .confirmingApp, .creatingPasskey, .linkingIdentity:
                return .refused(.notAllowedNow)
            case .provingOwnForIdentity(var new):
                guard let nonce else { return .refused(.notAllowedNow) }
                new.proven.mailboxes.append(new.proven.email)
                if ![.recoveryCode, .twoFactors].contains(new.strength) { new.strength = new.proven.enrolmentStrength }
                return AccountState.offering(new, nonce, row: row, effects: effects)
            case .provingOwnForPasskey(var new):
                guard let account = situation.account else { return .refused(.notAllowedNow) }
                new.proven.mailboxes.append(new.proven.email)
                new.strength = account.strength(new.strength, with: new.proven)
                return asking(new, row, effects) ?? .refused(.methodNotAllowed)
            case .provingOwnForApp(var new):
                guard let offer, let account = situation.account else { return .refused(.notAllowedNow) }
                new.proven.mailboxes.append(new.proven.email)
                new.strength = account.strength(new.strength, with: new.proven)
                new.shownAt = situation.now
                return Decision(
                    .accepted(.enrolApp(offer)), next: .confirmingApp(new), row: row, effects: effects)
            case .provingOwn(var change):
                change.proven.mailboxes.append(change.proven.email)
                return Decision(
                    .accepted(.requestChallenge), next: .provingNew(change), row: row, effects: effects)
            case .provingNew(let change):
                row.isEnded = true
                switch change.kind {
                case .email:
                    // Told only now: until here a taken address is answered as a free one (SEC-ENUM-3).
                    guard let new = change.contact.email else { return .refused(.notAllowedNow) }
                    guard !situation.taken.contains(new.key) else {
                        return Decision(.refused(.userAlreadyExists), row: row, effects: effects)
                    }
                    return Decision(
                        .accepted(.accountChanged), row: row,
                        effects: effects + situation.effects(of: new, replacing: change.proven.email, of: user)
                            + replacing(new, change.proven.email))
                case .method:
                    if let wait = situation.waitForEnrolment {
                        return Decision(.refused(.throttled(retryAfter: wait)), row: row, effects: effects)
                    }
                    return Decision(
                        .accepted(.accountChanged), row: row,
                        effects: effects + situation.effects(ofNewMethod: change, id: newMethod))
                }
            }
        }
    }
}

extension UserAccount {
    /// The proofs under which a method is enrolled once the own mailbox is proven, too.
    fileprivate func strength(_ before: Enrolment.Strength, with proven: Authentication) -> Enrolment.Strength {
        if [.recoveryCode, .twoFactors].contains(before) { return before }
        return passwordHash == nil ? .codes : proven.enrolmentStrength
    }
}

extension StepSituation {
    /// The new address takes the old one's place, also among the methods of the second factor.
    fileprivate func effects(of address: EmailAddress, replacing old: EmailAddress, of user: UserID) -> [FlowEffect] {
        let moved = account?.strongMethods.first { $0.email?.key == old.key }
        let method: [FlowEffect] =
            moved.map { old in
                var new = old
                new.kind = .mailbox(address)
                return [.write(.removeStrongMethods([old.id], of: user)), .write(.addStrongMethod(new, to: user))]
            } ?? []
        // What the old mailbox alone linked does not move along.
        let resting = account?.identitiesOfMailbox ?? []
        return [
            .write(.replaceName(.email, with: address.identifier, of: user, at: now)), .write(.endFlows(user)),
            .record(.emailChanged, user: user),
        ] + method
            + (resting.isEmpty
                ? []
                : [
                    .write(.setSuspension(resting.map(\.id), of: user, now)),
                    .record(.methodsSuspended, user: user, detail: "\(resting.count)"),
                ] + notices(.methodSuspended, about: resting))
    }

    /// The same as in a sign-in that registers a method (`SEC-ENR-6`); the session that asked has proven both.
    fileprivate func effects(ofNewMethod change: ContactChange, id: UUID) -> [FlowEffect] {
        let user = change.proven.account.user
        let method = StrongMethod(
            id: id, contact: change.contact, provenAt: now,
            enrolment: Enrolment(change.strength, authenticatedAt: change.proven.authenticatedAt))
        let factors = change.proven.proving(change.contact, enrolledUnder: change.strength).factors
        return [
            .addStrongMethod(method, to: user),
            .record(.methodRegistered, user: user, detail: method.enrolmentDetail), .write(.endFlows(user)),
            .count(.methodEnrolled, of: .account),
        ]
            + (factors > 1
                ? [.write(.revokeRefreshFamilies(user, keepingTwoFactors: true, except: change.session, at: now))] : [])
            + notices(.methodRegistered, about: [change.contact.masked])
    }
}
