package import NativeAuthCore
package import PortableFoundation

/// A login name of a user: an e-mail address or an alias.
package struct LoginIdentifier: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable {
        case email
        case alias
    }

    /// The normal form as bytes, unique in a tenant over both kinds (`SEC-ID-7`, `SEC-SWIFT-3`).
    package struct Key: Hashable, Sendable, Codable {
        package var bytes: Data

        package init(bytes: Data) {
            self.bytes = bytes
        }
    }

    package var kind: Kind
    package var key: Key
    /// As the user typed it, for display only (`SEC-ID-4`).
    package var display: String

    package init(kind: Kind, key: Key, display: String) {
        self.kind = kind
        self.key = key
        self.display = display
    }
}

/// A user to be created: the transaction stores everything here, or nothing.
package struct NewUser: Hashable, Sendable {
    package var id: UserID
    package var tenant: TenantID
    /// The application through which the user signed up.
    package var client: ClientID
    /// One e-mail address, and at most one alias.
    package var identifiers: [LoginIdentifier]
    /// Nil for users who sign in with a one-time passcode.
    package var passwordHash: PasswordHash?
    package var attributes: [String: AttributeValue]
    package var createdAt: Date
    package var emailProof: EmailProof

    package init(
        id: UserID, tenant: TenantID, client: ClientID, identifiers: [LoginIdentifier], passwordHash: PasswordHash?,
        attributes: [String: AttributeValue], createdAt: Date, emailProof: EmailProof = .byCode
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.identifiers = identifiers
        self.passwordHash = passwordHash
        self.attributes = attributes
        self.createdAt = createdAt
        self.emailProof = emailProof
    }
}

/// How an account came to its e-mail address.
package enum EmailProof: String, Hashable, Sendable {
    /// A code was mailed to the address.
    case byCode = "email one-time passcode"
    /// An operator gave it; nothing proves it yet.
    case byOperator = "operator"
    /// A provider that speaks for the address has proven it.
    case byProvider = "identity provider"
    /// It came with an import, which says whether another system had proven it.
    case byImport = "import"

    /// Whether the address was proven when it was stored.
    package var isProof: Bool {
        switch self {
        case .byCode, .byProvider: true
        case .byOperator, .byImport: false
        }
    }
}

/// A user, with the data for tokens and pages.
package struct User: Hashable, Sendable {
    package var id: UserID
    package var tenant: TenantID
    /// The address as typed at sign-up; mail goes here.
    package var email: String
    package var alias: String?
    package var hasPassword: Bool
    package var attributes: [String: AttributeValue]
    package var createdAt: Date

    package init(
        id: UserID, tenant: TenantID, email: String, alias: String?, hasPassword: Bool,
        attributes: [String: AttributeValue], createdAt: Date
    ) {
        self.id = id
        self.tenant = tenant
        self.email = email
        self.alias = alias
        self.hasPassword = hasPassword
        self.attributes = attributes
        self.createdAt = createdAt
    }
}

/// A user with the data for sign-ins.
package struct UserAccount: Hashable, Sendable {
    package var user: User
    /// Nil for users who sign in with a one-time passcode.
    package var passwordHash: PasswordHash?
    /// Increases by one with every change of the credentials. A flow that began under another version has ended
    /// (`SEC-CT-9`).
    package var credentialVersion: Int
    /// When it last increased, or when the account was created. Tokens issued before this time are no longer live
    /// (`SEC-TOK-13`).
    package var credentialsChangedAt: Date
    /// When the account was disabled, or deleted by an operator; nil when it can be used.
    package var disabledAt: Date?
    /// Access tokens that were issued under an earlier version of the credentials are no longer live (`SEC-TOK-13`).
    package var tokensFromVersion: Int
    /// When a code proved the present address; nil for an address that an operator gave.
    package var emailProvenAt: Date?
    /// Oldest first, including suspended methods.
    package var strongMethods: [StrongMethod]
    /// The user's recovery codes, used ones excluded; nil: none were made.
    package var recovery: RecoverySet?
    /// Whether the password was chosen in a reset, and no factor except the mailbox of that reset has been proven
    /// since: it then counts as that mailbox (design record 0005).
    package var passwordIsFromReset: Bool
    /// Whether every sign-in of this user needs a second factor, regardless of application and user flow.
    package var requiresSecondFactor: Bool
    /// When the account will be deleted, as its user wants; nil: never. Until then the user can keep it.
    package var deletionDueAt: Date?
    /// When an operator deleted the account, who can restore it until ``deletionDueAt``; nil for all others.
    package var deletedAt: Date?

    package init(
        user: User, passwordHash: PasswordHash?, credentialVersion: Int = 0, credentialsChangedAt: Date,
        tokensFromVersion: Int = 0, emailProvenAt: Date? = nil, disabledAt: Date? = nil,
        strongMethods: [StrongMethod] = [], recovery: RecoverySet? = nil, passwordIsFromReset: Bool = false,
        requiresSecondFactor: Bool = false, deletionDueAt: Date? = nil, deletedAt: Date? = nil
    ) {
        self.user = user
        self.passwordHash = passwordHash
        self.credentialVersion = credentialVersion
        self.credentialsChangedAt = credentialsChangedAt
        self.tokensFromVersion = tokensFromVersion
        self.emailProvenAt = emailProvenAt
        self.disabledAt = disabledAt
        self.strongMethods = strongMethods
        self.recovery = recovery
        self.passwordIsFromReset = passwordIsFromReset
        self.requiresSecondFactor = requiresSecondFactor
        self.deletionDueAt = deletionDueAt
        self.deletedAt = deletedAt
    }

    /// Whether a code of a session may have gone to a mailbox that counts as the own one and is another: one that the own
    /// mailbox alone enrolled (`SEC-ENR-8`).
    var hasStandIn: Bool { secondFactors.contains { $0.enrolment.strength == .mailbox } }

    /// The effects that end the recovery codes when methods are removed: they are spares for other methods, and go with the
    /// last one. They also go with one that a code enrolled: the owner who removes it did not add it.
    func endingRecovery(without removed: [UUID]) -> [Effect] {
        let isOver =
            secondFactors.allSatisfy { removed.contains($0.id) }
            || strongMethods.contains { removed.contains($0.id) && $0.enrolment.strength == .recoveryCode }
        return isOver ? endingRecovery : []
    }

    /// The effects that end the recovery codes, if there are some.
    var endingRecovery: [Effect] {
        recovery == nil ? [] : [.setRecovery(nil, of: user.id, replacing: nil)]
    }

    /// The mailboxes that get notices about the account: its own address, and each mailbox of a method, without
    /// duplicates.
    package var noticeChannels: [EmailAddress] {
        ([EmailAddress(stored: user.email)].compactMap(\.self) + strongMethods.compactMap(\.email)).reduce(into: []) {
            channels, email in
            if !channels.contains(where: { $0.mailbox == email.mailbox }) { channels.append(email) }
        }
    }
}

/// What a change of an account reads, under the account's lock.
package struct AccountFacts: Hashable, Sendable {
    /// Nil when there is no such user.
    package var account: UserAccount?
    /// The queried login names that an account has.
    package var taken: Set<LoginIdentifier.Key>
    /// The queried names that are reserved.
    package var reserved: [ReservedName]
    /// The rights to take back a change of the account's address.
    package var undos: [EmailUndo]
    /// What operators want to do and that waits for others, also when its time is over.
    package var requests: [OperatorRequest] = []
    /// Whether two operators must stand behind a ``ProofDeed``.
    package var needsTwoOperators = false

    package init(
        account: UserAccount?, taken: Set<LoginIdentifier.Key> = [], reserved: [ReservedName] = [],
        undos: [EmailUndo] = []
    ) {
        self.account = account
        self.taken = taken
        self.reserved = reserved
        self.undos = undos
    }
}

/// A login name that an account gave up, kept from other accounts for a time (`SEC-ID-8`).
package struct ReservedName: Hashable, Sendable {
    /// A keyed digest of the name, 32 bytes: the table does not contain the name.
    package var mark: Data
    /// The user who may take the name back; nil when that user was deleted.
    package var user: UserID?
    package var until: Date

    package init(mark: Data, user: UserID?, until: Date) {
        self.mark = mark
        self.user = user
        self.until = until
    }
}

/// The right to take back a change of the e-mail address, for the reader of a mail to the old address.
package struct EmailUndo: Hashable, Sendable {
    /// A keyed digest of the code, 32 bytes.
    package var codeDigest: Data
    package var user: UserID
    /// The address before the change.
    package var old: EmailAddress
    package var changedAt: Date
    package var until: Date

    package init(codeDigest: Data, user: UserID, old: EmailAddress, changedAt: Date, until: Date) {
        self.codeDigest = codeDigest
        self.user = user
        self.old = old
        self.changedAt = changedAt
        self.until = until
    }
}

/// Reads users, and changes one outside a flow. ``FlowStore/step(_:decide:)`` writes what flows change.
package protocol UserStore: Sendable {
    /// The account, or nil.
    func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount?
    /// The account that has the passkey or the identity, or nil.
    func account(with credential: MethodCredential, in tenant: TenantID) async throws(StoreError) -> UserAccount?
    /// The account that proved the number last, also where it is suspended; or nil.
    func account(withPhone number: PhoneNumber, in tenant: TenantID) async throws(StoreError) -> UserAccount?
    /// What a provider said of the user of this identity (``Effect/keepNames(_:)``), sealed; nil when it is not known any more.
    func names(ofIdentity key: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> Data?
    /// The account with this login name, or nil.
    func account(named key: LoginIdentifier.Key, in tenant: TenantID) async throws(StoreError) -> UserAccount?
    /// Whether the user signed in from this network since `since` (`SEC-LOCK-3`).
    func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool
    /// The user, or nil.
    func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User?
    /// Reads the account, passes it to `decide`, and writes the effects that it returns, in one transaction. No effects
    /// write nothing.
    ///
    /// - Parameters:
    ///   - names: The names that the change is about; concurrent changes of the same name run one after another.
    ///   - marks: The digests of those names, to find the reserved ones.
    ///   - decide: Must be pure and quick. It may run more than once, with fresh facts.
    func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key], marks: [Data],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer
    /// The keys in `keys` that an account has, and the names in `marks` that are reserved.
    func taken(
        _ keys: [LoginIdentifier.Key], marks: [Data], in tenant: TenantID
    ) async throws(StoreError) -> (keys: Set<LoginIdentifier.Key>, reserved: [ReservedName])
    /// The right with this code; nil when there is none or it has ended.
    func emailUndo(_ codeDigest: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> EmailUndo?
    /// The rights of a user's earlier addresses that have not ended.
    func emailUndos(of user: UserID, in tenant: TenantID, now: Date) async throws(StoreError) -> [EmailUndo]
    /// Whether a user with this mark was deleted.
    func isDeleted(_ mark: Data, in tenant: TenantID) async throws(StoreError) -> Bool
    /// Users whose deletion is due, the longest due first.
    func usersToDelete(
        now: Date, limit: Int
    ) async throws(StoreError) -> [(tenant: TenantID, user: UserID)]
    /// The events of the audit trail about the user, the newest first.
    func events(of user: UserID, in tenant: TenantID, limit: Int) async throws(StoreError) -> [RecordedEvent]
    /// The groups of the user, by id.
    func groups(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [UserGroup]
    /// The password of a user whose place follows that of `id`, with the first place after the last; nil when no user has a
    /// password. Places are spread evenly, so a kind of password is as common among such answers as among the users
    /// (`SEC-PWD-11`).
    func passwordHash(near id: UserID, in tenant: TenantID) async throws(StoreError) -> PasswordHash?
    /// The devices on which the user's second factor is left out, also those whose time is over, at most
    /// ``RememberedDevice/most``.
    func rememberedDevices(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [RememberedDevice]
    /// Whether two operators must stand behind a ``ProofDeed``.
    func needsTwoOperators() async throws(StoreError) -> Bool
    /// The deeds that wait for operators, also those whose time is over, the oldest first.
    func operatorRequests(in tenant: TenantID) async throws(StoreError) -> [OperatorRequest]
    /// How many users the tenant has.
    func countUsers(in tenant: TenantID) async throws(StoreError) -> Int
}

extension UserStore {
    /// The same without names.
    package func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID,
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await change(id, in: tenant, names: [], marks: [], decide: decide)
    }

    /// Writes the effects if there is such a user.
    ///
    /// - Returns: Whether there is one.
    package func change(
        _ id: UserID, in tenant: TenantID, _ effects: [Effect]
    ) async throws(StoreError) -> Bool {
        try await change(id, in: tenant) { facts in
            facts.account == nil ? ([], false) : (effects, true)
        }
    }

    /// Disables the account, or enables it when `date` is nil. Disabling counts as a change of the credentials and
    /// revokes the user's refresh tokens.
    ///
    /// - Returns: False when there is no such user.
    package func setDisabled(
        _ date: Date?, _ id: UserID, in tenant: TenantID, event: AuditEvent
    ) async throws(StoreError) -> Bool {
        let ending: [Effect] =
            date.map { [.changeCredentials(id, at: $0), .revokeRefreshFamilies(id, at: $0)] } ?? []
        return try await change(id, in: tenant, [.setDisabled(id, date)] + ending + [.record(event)])
    }

    /// Deletes the user's methods of the second factor. It counts as a change of the credentials and revokes the user's
    /// refresh tokens. `mails` are added to the outbox in the same transaction.
    ///
    /// - Returns: False when there is no such user.
    package func forgetStrongMethods(
        of id: UserID, in tenant: TenantID, at date: Date, event: AuditEvent, mails: [OutboxMail]
    ) async throws(StoreError) -> Bool {
        try await change(id, in: tenant) { facts in
            guard let account = facts.account else { return ([], false) }
            let effects: [Effect] =
                [
                    .removeStrongMethods(account.secondFactors.map(\.id), of: id), .changeCredentials(id, at: date),
                    .revokeRefreshFamilies(id, at: date),
                ] + account.endingRecovery(without: account.secondFactors.map(\.id))
            return (effects + mails.map { .enqueueMail($0) } + [.record(event)], true)
        }
    }

    /// Changes an operator's rule for one user's factors.
    ///
    /// - Returns: False when there is no such user.
    package func setFactorRule(
        _ rule: FactorRule, of id: UserID, in tenant: TenantID, event: AuditEvent
    ) async throws(StoreError) -> Bool {
        switch rule {
        case .requiresSecondFactor(let isRequired):
            try await change(id, in: tenant, [.requireSecondFactor(isRequired, of: id), .record(event)])
        case .trustsPassword: try await change(id, in: tenant, [.trustPassword(id), .record(event)])
        }
    }
}

/// A new value of an attribute of a user.
package struct AttributeChange: Hashable, Sendable {
    package var name: String
    /// Nil deletes the attribute.
    package var value: AttributeValue?

    package init(_ name: String, _ value: AttributeValue?) {
        self.name = name
        self.value = value
    }
}

/// An operator's rule for one user's factors.
package enum FactorRule: Hashable, Sendable {
    /// Whether every sign-in of the user needs a second factor.
    case requiresSecondFactor(Bool)
    /// Makes the password count as a separate factor, though it came from a reset: the operator has verified its owner.
    case trustsPassword
}

/// A line of the audit trail: an event, never the value of a secret or of personal data.
package struct AuditEvent: Hashable, Sendable, Codable {
    /// The event, with the names of `SEC-AUD-1`.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case signUpStarted = "signup.started"
        case signUpCompleted = "signup.completed"
        case signUpRefused = "signup.refused"
        case codeSent = "otp.sent"
        case codeRefused = "otp.failed"
        case codesExhausted = "otp.exhausted"
        /// Texts cost most of what they may, or an area or all of them rest (`SEC-SMS-6`, `SEC-SMS-7`).
        case textAlarm = "sms.alarm"
        case codeVerified = "otp.verified"
        case tokenIssued = "token.issued"
        case tokenRefreshed = "token.refreshed"
        /// A refresh that added the scopes of another resource to the session; the detail lists them.
        case scopesGranted = "token.scopes_granted"
        case tokenReuseDetected = "token.reuse_detected"
        case tokenRevoked = "token.revoked"
        /// An application exchanged an authorization code.
        case codeRedeemed = "code.redeemed"
        /// A user allowed a device without a browser.
        case deviceAllowed = "device.allowed"
        case deviceDeclined = "device.declined"
        /// A user allowed an application of another organisation what it asked for; the detail lists the scopes.
        case consentGiven = "consent.given"
        case consentWithdrawn = "consent.withdrawn"
        /// A confidential application did not prove who it is; the detail says how it tried.
        case clientRefused = "client.auth_failed"
        /// A user signed out in the browser.
        case browserSignedOut = "logout.requested"
        /// An app signed its user in, in a browser.
        case browserSignedIn = "browser.signed_in"
        /// An application could not be told that a browser session has ended.
        case logoutUndelivered = "logout.undelivered"
        /// What a user allowed at a provider was ended there; or the server has given up.
        case identityRevoked = "identity.revoked"
        case signInSucceeded = "signin.succeeded"
        case signInFailed = "signin.failed"
        case signInLocked = "signin.locked"
        case secondFactorRequired = "mfa.required"
        case secondFactorPassed = "mfa.passed"
        case secondFactorFailed = "mfa.failed"
        case methodRegistered = "mfa.registered"
        case methodsForgotten = "mfa.removed"
        case methodsSuspended = "mfa.suspended"
        case methodReactivated = "mfa.reactivated"
        /// A passkey may have a copy that it should not have, or has lost its backup.
        case passkeySuspect = "passkey.suspect"
        case factorRuleChanged = "mfa.rule_changed"
        case passwordTrusted = "password.trusted"
        case resetStarted = "reset.started"
        case resetCompleted = "reset.completed"
        case passwordChanged = "password.changed"
        /// The account is not to be moved from another system any more; the detail says whether its password came from there.
        case passwordMoved = "password.moved"
        case profileChanged = "profile.changed"
        case emailChanged = "email.changed"
        /// The owner of the old address took the change back.
        case emailChangeUndone = "email.change_undone"
        case methodRenamed = "mfa.renamed"
        /// A provider's identity has the address of an account, which is to be proven first; the detail is the provider's id.
        case linkRequired = "identity.link_required"
        /// The user ended sessions on the account page.
        case sessionsEnded = "session.ended"
        /// The second factor is left out on a device of the user for a time; the detail is the level of what was given.
        case deviceRemembered = "device.remembered"
        case deviceForgotten = "device.forgotten"
        case dataExported = "account.exported"
        case deletionScheduled = "account.deletion_scheduled"
        case deletionCancelled = "account.deletion_cancelled"
        case accountDeleted = "account.deleted"
        /// An operator created the account; a sign-up is ``signUpCompleted``.
        case accountCreated = "account.created"
        case accountDisabled = "account.disabled"
        case accountEnabled = "account.enabled"
        /// An operator took back the deletion of the account.
        case accountRestored = "account.restored"
        case attributesIgnored = "attribute.ignored"
        case enumerationSuspected = "enumeration.suspected"
        case continuationTokenMisused = "continuation_token.misused"
        case mailFailed = "outbox.failed"
        case configChanged = "config.changed"
        case keyRotated = "key.rotated"
        case keyRevoked = "key.revoked"
        case backupMade = "backup.made"
        case restoreDone = "restore.done"
        /// An operator imported users; the detail says how many.
        case usersImported = "users.imported"
        /// An operator exported all users; the detail says how many.
        case usersExported = "users.exported"
        case mailFlood = "outbox.flood"
        /// A daemon got a token; the detail says by what proof.
        case daemonSignedIn = "daemon.token_issued"
        /// A daemon's proof failed; the detail says why.
        case daemonRefused = "daemon.refused"
        /// The four are in the trail of the operators' tenant; the detail says which role.
        case operatorInvited = "operator.invited"
        case invitationWithdrawn = "operator.invitation_withdrawn"
        case operatorAdded = "operator.added"
        case operatorChanged = "operator.changed"
        case operatorRemoved = "operator.removed"
        /// A deed that waits for another operator; the detail says which, and names the request.
        case operatorRequestMade = "operator.request_made"
        case operatorRequestConfirmed = "operator.request_confirmed"
        case operatorRequestWithdrawn = "operator.request_withdrawn"
        case operatorRequestExpired = "operator.request_expired"
        /// Two operators must stand behind such deeds from now on, or need not any more.
        case operatorRuleChanged = "operator.rule_changed"
        /// An operator took a copy of lines of the audit trail.
        case auditExported = "audit.exported"
        /// The detail of the five is the id of the group.
        case groupCreated = "group.created"
        case groupChanged = "group.changed"
        case groupDeleted = "group.deleted"
        case groupMemberAdded = "group.member_added"
        case groupMemberRemoved = "group.member_removed"
    }

    package var kind: Kind
    package var at: Date
    package var tenant: TenantID
    /// Who acts: the application of the user, or the daemon or the operator who does it to the user.
    package var client: ClientID?
    package var flow: UUID?
    package var user: UserID?
    /// A count, or a reason from a fixed list; never text of a request.
    package var detail: String?
    /// A keyed pseudonym of the request's source address, the same for the same address; nil within a process and for
    /// commands (`SEC-AUD-1`).
    package var source: Data?

    package init(
        _ kind: Kind, at: Date, tenant: TenantID, client: ClientID? = nil, flow: UUID? = nil, user: UserID? = nil,
        detail: String? = nil, source: Data? = nil
    ) {
        self.kind = kind
        self.at = at
        self.tenant = tenant
        self.client = client
        self.flow = flow
        self.user = user
        self.detail = detail
        self.source = source
    }
}
