package import NativeAuthCore
package import PortableFoundation

// Who asks the directory, and what that access token is a proof of (docs/protocol.md §18.1).

/// Why the directory refuses a request. Nothing has changed.
package enum DirectoryRefusal: Hashable, Sendable {
    /// No token, or none that is live, or one for another audience.
    case invalidToken
    /// The token has none of the scopes that the request needs.
    case insufficientScope
    /// The application may not be used.
    case applicationDisabled
    /// The user must sign in again: the last sign-in is too old, or lacks a factor that the account has.
    case proofNeeded(secondFactor: Bool)
    /// The directory has no such property.
    case unknownProperty(String)
    /// The user may not change this property.
    case readOnlyProperty(String)
    /// The value breaks the property's rules, or may not be removed.
    case invalidValue(String)
    /// Another account has this name, or had it a short time ago.
    case nameTaken(String)
    /// The profile is another one than the client has read.
    case changedMeanwhile
    /// The user has no such object.
    case notFound
    /// The user needs a second factor, and this is the last method.
    case lastMethod
    /// Two operators must stand behind it, and this one does already, or is no person (`SEC-ENR-12`).
    case anotherOperatorNeeded
    /// The address needs another operator, and the other changes do not.
    case addressAlone
    /// As many deeds wait for this user as may.
    case tooManyRequests
    /// A step of a flow was refused.
    case step(Refusal)
}

/// The result of a request to the directory.
package enum DirectoryAnswer<Value: Sendable>: Sendable {
    case accepted(Value)
    case refused(DirectoryRefusal)
}

/// What a request about an account brings as its first proof.
struct AccountProof: Sendable {
    enum Session: Sendable {
        /// The refresh tokens beside an access token; nil when it has none.
        case family(UUID?)
        case browser(BrowserSession)
    }

    var session: Session
    /// The access token, or the cookie: what a repeated request is told by.
    var secret: Secret<String>
    /// As the claim `amr`.
    var methods: [String]
    /// When the user proved who they are.
    var authenticatedAt: Date
    /// Whether the session is that of the sign-in itself. One that a refresh continued proves no mailbox and no second factor
    /// for a new contact (`SEC-ENR-3`).
    var isOfSignIn: Bool
    /// ``DirectoryCaller/limitKey``.
    var limitKey: Data

    init(_ live: Engine.LiveToken, token: Secret<String>) {
        let claims = live.claims
        session = .family(claims.sessionID)
        secret = token
        methods = claims.methods
        // An app's ticket proves no user, here either.
        authenticatedAt = live.isOfTicket ? .distantPast : claims.authenticatedAt
        isOfSignIn = live.isOfSignIn
        limitKey =
            claims.sessionID.map { Data($0.text.utf8) } ?? Vault.fingerprint([Data(claims.tokenID.utf8)])
    }

    init(_ session: BrowserSession, cookie: Secret<String>) {
        self.session = .browser(session)
        secret = cookie
        isOfSignIn = true
        methods = session.authentication.methods
        let handover = session.authentication.handover
        // An app's ticket proves no user: what wants a fresh proof wants a sign-in in this browser.
        authenticatedAt = handover == nil ? session.authentication.authenticatedAt : .distantPast
        // Who has the cookie alone cannot sign in again: the owner can, and has a budget of their own from then on.
        limitKey = Data(
            "\((handover?.family ?? session.id).text)/\(Int(session.authentication.authenticatedAt.timeIntervalSince1970))"
                .utf8)
    }
}

/// The user of an access token for the directory, with the token's application; or of a browser's session, with the account
/// page.
package struct DirectoryCaller: Sendable {
    package let tenant: Tenant
    let client: Client
    package let account: UserAccount
    let proof: AccountProof

    /// The user of the request.
    package var user: UserID { account.user.id }
    /// The tenant's id, as the first segment of a path.
    package var tenantName: String { tenant.id.description }
    package var application: ClientID { client.id }
    /// The session of the request, as the key of a limit: a thief's session does not use up what the owner's may do. A
    /// token without a session counts alone, and so does a browser's session from each sign-in on.
    package var limitKey: Data { proof.limitKey }
    /// The session of the token, if it has one, or of the browser.
    package var session: UUID? {
        switch proof.session {
        case .family(let id): id
        case .browser(let session): session.id
        }
    }

    /// The effects by which the browser's session that asks stays when the credentials change in the same transaction: the
    /// families of an app have their own way.
    ///
    /// - Parameters:
    ///   - version: The version of the credentials before the change.
    ///   - cookie: The session's new cookie; nil: it keeps the one that it has.
    func staying(after version: Int, cookie: Secret<String>? = nil, at now: Date) -> [Effect] {
        guard case .browser(var session) = proof.session else { return [] }
        session.authentication.account = .account(user, credentialVersion: version + 1)
        session.seenAt = now
        if let cookie { session.digest = Engine.digest(ofCookie: cookie) }
        return [.openBrowserSession(session, replacing: session.id)]
    }

    /// How old the sign-in may be, in seconds, for what takes the account away from its user.
    package static let proofLifetime = 600.0

    /// Why the session is not proof enough for what could take the account away from its user: a new contact, a method,
    /// deletion. Nil when it is.
    ///
    /// An account with a method of the second factor asks for that, even a suspended one and whatever the application
    /// requires: otherwise a password alone could replace the factor that protects the account (`SEC-ENR-3`).
    ///
    /// - Parameter adding: Whether a method is added, which a recovery code proves the right to: nothing else is left to its
    ///   user (`SEC-REC-6`).
    package func lackOfProof(adding: Bool = false, now: Date) -> DirectoryRefusal? {
        let isOld = now.timeIntervalSince(proof.authenticatedAt) > Self.proofLifetime
        if isOld { return .proofNeeded(secondFactor: demandedFactor == .second) }
        return adding && usedRecoveryCode ? nil : lackOfFactor
    }

    /// Whether a recovery code was one of the session's two factors, or a method that one enrolled a short time ago.
    package var usedRecoveryCode: Bool { proof.methods.contains(Assurance.recoveryWord) }

    /// The same without the age of the sign-in.
    package var lackOfFactor: DirectoryRefusal? {
        switch demandedFactor {
        case nil: nil
        case .second: proof.methods.contains("mfa") ? nil : .proofNeeded(secondFactor: true)
        case .mailboxItself: provesOwnMailbox ? nil : .proofNeeded(secondFactor: false)
        case .ownMailbox:
            proof.methods.contains("mfa") || provesOwnMailbox ? nil : .proofNeeded(secondFactor: false)
        }
    }

    /// Whether the session has proven two factors.
    var hasTwoFactors: Bool { proof.methods.contains("mfa") }

    /// The same, in the sign-in itself: a stolen refresh token adds no contact of its thief.
    var hasJustProvenTwo: Bool { hasTwoFactors && proof.isOfSignIn }

    /// Two factors of which none is a method that a password alone may have added (``EnrolmentMode/compatible``): what such a
    /// method proves is no more than that password.
    var hasFirmFactors: Bool { hasTwoFactors && !account.hasFactorOfPassword }

    /// The same, in the sign-in itself.
    var hasJustProvenFirmTwo: Bool { hasFirmFactors && proof.isOfSignIn }

    /// Whether the session has proven the mailbox that the account has now, and not one that it had before.
    var provesOwnMailbox: Bool {
        let isReplaced =
            account.emailProvenAt.map { $0 > account.user.createdAt && proof.authenticatedAt < $0 } ?? false
        // Beside an identity the code may be one of an app or of another mailbox.
        let isOther =
            proof.methods.contains("fed") && account.secondFactors.contains { $0.isApp || $0.email != nil }
        return proof.methods.contains("otp") && !isReplaced && !isOther
    }

    /// Whether a code reached that mailbox in the sign-in itself. Beside a second factor the code may be another one.
    var hasJustProvenOwnMailbox: Bool {
        provesOwnMailbox && proof.isOfSignIn && !hasTwoFactors && !account.hasStandIn
    }

    /// How old the sign-in may be when a passkey is made silently, in seconds (`SEC-PK-18`).
    package static let upgradeLifetime = 300.0

    /// Why no passkey may be made silently in this session; nil when it may.
    ///
    /// The user typed the password a moment ago, and has proven what each passkey needs: a password alone must not become two
    /// factors without a word (`SEC-ENR-2`). A recovery code is for users who have lost their devices.
    package func lackOfUpgrade(now: Date) -> DirectoryRefusal? {
        let isOfPassword = proof.methods.contains("pwd") && !proof.methods.contains("fed") && !usedRecoveryCode
        let isYoung = now.timeIntervalSince(proof.authenticatedAt) <= Self.upgradeLifetime
        guard isOfPassword, isYoung, proof.isOfSignIn, hasJustProvenFirmTwo || hasJustProvenOwnMailbox else {
            return .proofNeeded(secondFactor: demandedFactor == .second)
        }
        return nil
    }

    private enum DemandedFactor {
        case second
        case ownMailbox
        /// A code to it, whatever else was given.
        case mailboxItself
    }

    /// What an account with a second factor asks for besides a sign-in. Where no method can add a factor, because there is
    /// no password beside mailboxes or the password came from the mailbox of the only method, the account's mailbox is all
    /// that protects the account, and is what it asks for.
    private var demandedFactor: DemandedFactor? {
        if account.isHeldByMailbox(at: proof.authenticatedAt, in: tenant) { return .mailboxItself }
        guard account.requiresSecondFactor || !account.secondFactors.isEmpty else { return nil }
        guard let own = EmailAddress(stored: account.user.email) else { return .ownMailbox }
        return canGiveSecondFactor(of: account, by: own) { _ in true } ? .second : .ownMailbox
    }

    /// Whether a method that can be used now reaches the level, when another one is removed.
    func canGiveSecondFactor(
        of account: UserAccount, without removed: UUID, for level: Assurance.Level = .mailed
    ) -> Bool {
        guard let own = EmailAddress(stored: account.user.email) else { return false }
        return canGiveSecondFactor(of: account, by: own, for: level) { $0.id != removed && $0.suspendedAt == nil }
    }

    private func canGiveSecondFactor(
        of account: UserAccount, by own: EmailAddress, for level: Assurance.Level = .mailed,
        among isMeant: (StrongMethod) -> Bool
    ) -> Bool {
        let hasPassword = account.passwordHash != nil
        let first = Authentication(
            account: .account(user, credentialVersion: account.credentialVersion), email: own, origin: .signIn,
            knowsPassword: hasPassword, passwordIsFromReset: account.passwordIsFromReset,
            mailboxes: hasPassword ? [] : [own], authenticatedAt: proof.authenticatedAt, capabilities: [])
        return account.secondFactors.filter(isMeant).contains { method in
            switch method.kind {
            // For users of codes another code by mail is no second factor (docs/protocol.md §4.7).
            case .mailbox: hasPassword && first.proving(method, at: proof.authenticatedAt).assurance.level >= level
            case .phone, .app, .passkey, .recoveryCodes:
                first.proving(method, at: proof.authenticatedAt).assurance.level >= level
            case .identity: false
            // A newer node can ask for it; here the demand stays, and is not met by less.
            case .unknown: true
            }
        }
    }

    /// The language of mails about the account: the user's own, else that of the request, which a thief chooses.
    package func language(orElse asked: MailLanguage?) -> MailLanguage {
        tenant.mailLanguage(account.user.chosenMailLanguage, asked)
    }
}

extension Engine {
    /// The caller of a request to the directory: a live token of any tenant, for the directory, with one of `scopes`.
    package func directoryCaller(
        _ presented: PresentedToken, anyOf scopes: Set<String>, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DirectoryCaller> {
        let token = presented.token
        guard let id = ports.issuer.claimedTenant(of: token), let tenant = try await tenant(named: id.description),
            let live = try await live(token, in: tenant, now: now), live.claims.audience == ResourceScope.directory
        else { return .refused(.invalidToken) }
        if let fault = try await fault(of: presented, with: live.claims, in: tenant, now: now) {
            return .refused(.step(.unusableProof(fault)))
        }
        guard !scopes.isDisjoint(with: live.claims.scopes) else { return .refused(.insufficientScope) }
        do {
            guard let client = try await ports.clients.client(live.claims.client, in: tenant.id),
                // Its users would not see what they allow (OIDC-26).
                client.isOpen(for: .token), !client.web.isThirdParty
            else { return .refused(.applicationDisabled) }
            return .accepted(
                DirectoryCaller(
                    tenant: tenant, client: client, account: live.account,
                    proof: AccountProof(live, token: token)))
        } catch {
            throw .store(error)
        }
    }

    /// The application that an access token names, before any check. A token that lies about it is refused afterwards.
    package func application(
        claimedBy token: Secret<String>
    ) async throws(EngineError) -> Client? {
        guard let claimed = ports.issuer.claimedApplication(of: token) else { return nil }
        do {
            return try await ports.clients.client(claimed.client, in: claimed.tenant)
        } catch {
            throw .store(error)
        }
    }

    /// Whether an application of any tenant has pages of this origin.
    package func hasPages(ofOrigin origin: String) async throws(EngineError) -> Bool {
        do {
            return try await ports.clients.hasPages(ofOrigin: origin)
        } catch {
            throw .store(error)
        }
    }

    /// Changes the caller's account, if it is still as the access token was checked against.
    func change<Answer: Sendable>(
        _ caller: DirectoryCaller, names: [LoginIdentifier.Key] = [],
        decide: @escaping @Sendable (UserAccount, AccountFacts) -> (effects: [Effect], answer: DirectoryAnswer<Answer>)
    ) async throws(EngineError) -> DirectoryAnswer<Answer> {
        let tenant = caller.tenant.id
        do {
            return try await changeAccount(
                caller.user, in: tenant, names: names, marks: names.map { mark(of: $0, in: tenant) }
            ) { facts in
                // Checked again under the lock: the account may have been disabled, or its credentials changed.
                guard let account = facts.account, account.disabledAt == nil,
                    account.credentialVersion == caller.account.credentialVersion
                else { return ([], .refused(.invalidToken)) }
                return decide(account, facts)
            }
        } catch {
            throw .store(error)
        }
    }

    /// Changes an account outside a flow, and wakes the worker of mails when the change has one.
    func changeAccount<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key] = [], marks: [Data] = [],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        let (answer, hasMail) = try await ports.users.change(id, in: tenant, names: names, marks: marks) { facts in
            let (effects, answer) = decide(facts)
            let hasMail = effects.contains { if case .enqueueMail = $0 { true } else { false } }
            return (effects, (answer, hasMail))
        }
        if hasMail { ports.mail.notify() }
        return answer
    }

    /// An audit event of the caller.
    func event(
        _ kind: AuditEvent.Kind, of caller: DirectoryCaller, detail: String? = nil, from source: RequestSource?,
        at now: Date
    ) -> AuditEvent {
        AuditEvent(
            kind, at: now, tenant: caller.tenant.id, client: caller.client.id, user: caller.user, detail: detail,
            source: source.map { auditSource($0, caller.tenant.id) })
    }

    /// A notice about the account, outside a flow.
    ///
    /// - Parameters:
    ///   - user: Nil for the last notice of a user who is deleted.
    ///   - language: Nil: the tenant's.
    ///   - methods: The methods that the notice is about (`SEC-ENR-5`).
    ///   - source: Where the user asked from; nil when an operator did.
    func notice(
        _ purpose: MailContent.Purpose, to email: EmailAddress, in tenant: Tenant, user: UserID?,
        language: MailLanguage?, minutes: Int = 0, about methods: [StrongMethod] = [],
        from source: RequestSource? = nil, at now: Date
    ) throws(EngineError) -> Effect {
        try notice(
            purpose, to: email, in: tenant, user: user, language: language, minutes: minutes,
            aboutLabels: methods.map(\.label), from: source, at: now)
    }

    /// The same, by what the mail calls the methods.
    func notice(
        _ purpose: MailContent.Purpose, to email: EmailAddress, in tenant: Tenant, user: UserID?,
        language: MailLanguage?, minutes: Int = 0, aboutLabels labels: [String], from source: RequestSource? = nil,
        at now: Date
    ) throws(EngineError) -> Effect {
        let content = MailContent(
            purpose: purpose, recipient: email.address, code: nil, minutesValid: minutes,
            language: tenant.mailLanguage(language),
            organisation: tenant.displayName, sentAt: now,
            occasion: labels.isEmpty
                ? nil : MailContent.Occasion(methods: labels, network: source?.networkText))
        do {
            return .enqueueMail(
                try OutboxMail.sealing(
                    content, id: ports.randomness.uuid(at: now), tenant: tenant.id, flow: nil, user: user,
                    expiresAt: now.addingTimeInterval(Double(settings.noticeLifetime)), using: vault))
        } catch {
            throw .broken("a mail could not be sealed")
        }
    }

    /// The mark of a reserved login name.
    func mark(of name: LoginIdentifier.Key, in tenant: TenantID) -> Data {
        vault.digest(.counter, tenant: tenant, [Data("name at rest".utf8), name.bytes])
    }

    /// The mark of a user who was deleted.
    package func mark(ofDeleted user: UserID, in tenant: TenantID) -> Data {
        vault.digest(.counter, tenant: tenant, [Data("deleted user".utf8), Data(user.description.utf8)])
    }
}
