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

    package init(
        id: UserID, tenant: TenantID, client: ClientID, identifiers: [LoginIdentifier], passwordHash: PasswordHash?,
        attributes: [String: AttributeValue], createdAt: Date
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.identifiers = identifiers
        self.passwordHash = passwordHash
        self.attributes = attributes
        self.createdAt = createdAt
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
    /// When the account was disabled; nil when it is enabled.
    package var disabledAt: Date?
    /// Oldest first, including suspended methods.
    package var strongMethods: [StrongMethod]
    /// Whether the password was chosen in a reset, and no factor except the mailbox of that reset has been proven
    /// since: it then counts as that mailbox (design record 0005).
    package var passwordIsFromReset: Bool
    /// Whether every sign-in of this user needs a second factor, regardless of application and user flow.
    package var requiresSecondFactor: Bool

    package init(
        user: User, passwordHash: PasswordHash?, credentialVersion: Int = 0, credentialsChangedAt: Date,
        disabledAt: Date? = nil, strongMethods: [StrongMethod] = [], passwordIsFromReset: Bool = false,
        requiresSecondFactor: Bool = false
    ) {
        self.user = user
        self.passwordHash = passwordHash
        self.credentialVersion = credentialVersion
        self.credentialsChangedAt = credentialsChangedAt
        self.disabledAt = disabledAt
        self.strongMethods = strongMethods
        self.passwordIsFromReset = passwordIsFromReset
        self.requiresSecondFactor = requiresSecondFactor
    }

    /// The mailboxes that get notices about the account: its own address, and each mailbox of a method, without
    /// duplicates.
    package var noticeChannels: [EmailAddress] {
        ([EmailAddress(stored: user.email)].compactMap(\.self) + strongMethods.map(\.email)).reduce(into: []) {
            channels, email in
            if !channels.contains(where: { $0.mailbox == email.mailbox }) { channels.append(email) }
        }
    }
}

/// Reads users. ``FlowStore/step(_:decide:)`` writes them; this store disables them.
package protocol UserStore: Sendable {
    /// The account, or nil.
    func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount?
    /// The account with this login name, or nil.
    func account(named key: LoginIdentifier.Key, in tenant: TenantID) async throws(StoreError) -> UserAccount?
    /// Whether the user signed in from this network since `since` (`SEC-LOCK-3`).
    func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool
    /// Disables the account, or enables it when `date` is nil. Disabling counts as a change of the credentials and
    /// revokes the user's refresh tokens.
    ///
    /// - Returns: False when there is no such user.
    func setDisabled(
        _ date: Date?, _ id: UserID, in tenant: TenantID, event: AuditEvent
    ) async throws(StoreError) -> Bool
    /// The user, or nil.
    func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User?
    /// Deletes the user's methods of the second factor. It counts as a change of the credentials and revokes the user's
    /// refresh tokens. `mails` are added to the outbox in the same transaction.
    ///
    /// - Returns: False when there is no such user.
    func forgetStrongMethods(
        of id: UserID, in tenant: TenantID, at date: Date, event: AuditEvent, mails: [OutboxMail]
    ) async throws(StoreError) -> Bool
    /// Changes an operator's rule for one user's factors.
    ///
    /// - Returns: False when there is no such user.
    func setFactorRule(
        _ rule: FactorRule, of id: UserID, in tenant: TenantID, event: AuditEvent
    ) async throws(StoreError) -> Bool
    /// Reads the account, passes it to `decide`, and writes the attributes that it returns, in one transaction. A nil
    /// value deletes the attribute; an empty list changes nothing, and then no event is written.
    ///
    /// - Parameter decide: Must be pure and quick. It may run more than once, with a fresh account.
    func updateAttributes<Answer: Sendable>(
        of id: UserID, in tenant: TenantID,
        decide: @escaping @Sendable (UserAccount?) -> (changes: [AttributeChange], event: AuditEvent?, answer: Answer)
    ) async throws(StoreError) -> Answer
    /// The keys in `keys` that an account has.
    func taken(_ keys: [LoginIdentifier.Key], in tenant: TenantID) async throws(StoreError) -> Set<LoginIdentifier.Key>
    /// How many users the tenant has.
    func countUsers(in tenant: TenantID) async throws(StoreError) -> Int
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
    package enum Kind: String, Hashable, Sendable, Codable {
        case signUpStarted = "signup.started"
        case signUpCompleted = "signup.completed"
        case signUpRefused = "signup.refused"
        case codeSent = "otp.sent"
        case codeRefused = "otp.failed"
        case codesExhausted = "otp.exhausted"
        case codeVerified = "otp.verified"
        case tokenIssued = "token.issued"
        case tokenRefreshed = "token.refreshed"
        /// A refresh that added the scopes of another resource to the session; the detail lists them.
        case scopesGranted = "token.scopes_granted"
        case tokenReuseDetected = "token.reuse_detected"
        case tokenRevoked = "token.revoked"
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
        case factorRuleChanged = "mfa.rule_changed"
        case passwordTrusted = "password.trusted"
        case resetStarted = "reset.started"
        case resetCompleted = "reset.completed"
        case passwordChanged = "password.changed"
        case profileChanged = "profile.changed"
        case accountDisabled = "account.disabled"
        case accountEnabled = "account.enabled"
        case attributesIgnored = "attribute.ignored"
        case enumerationSuspected = "enumeration.suspected"
        case continuationTokenMisused = "continuation_token.misused"
        case mailFailed = "outbox.failed"
        case configChanged = "config.changed"
        case keyRotated = "key.rotated"
        case keyRevoked = "key.revoked"
        case backupMade = "backup.made"
        case restoreDone = "restore.done"
        case mailFlood = "outbox.flood"
    }

    package var kind: Kind
    package var at: Date
    package var tenant: TenantID
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
