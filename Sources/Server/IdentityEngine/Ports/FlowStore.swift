package import NativeAuthCore
package import PortableFoundation

/// The database row of a running flow: only the data that must be counted (design record 0014). The continuation token
/// holds the rest.
package struct FlowRow: Hashable, Sendable {
    /// How many times the flow made progress. A token of an older revision is spent.
    package var revision: Int
    /// The last code sent, if any.
    package var code: CodeRecord?
    /// How many codes were sent.
    package var codesSent: Int
    /// How many times a spent token was presented (`SEC-CT-4`).
    package var misuses: Int
    /// True once the flow cannot continue; each of its tokens is refused.
    package var isEnded: Bool
    /// When the row may be removed: the flow's hard end.
    package var expiresAt: Date

    package init(
        revision: Int = 0, code: CodeRecord? = nil, codesSent: Int = 0, misuses: Int = 0, isEnded: Bool = false,
        expiresAt: Date
    ) {
        self.revision = revision
        self.code = code
        self.codesSent = codesSent
        self.misuses = misuses
        self.isEnded = isEnded
        self.expiresAt = expiresAt
    }
}

/// A mailed code: its keyed digest, never its digits (`SEC-OTP-7`).
package struct CodeRecord: Hashable, Sendable {
    /// HMAC-SHA-256, 32 bytes.
    package var digest: Data
    /// A keyed digest of recipient and purpose, 32 bytes: the cool-down does not apply to a code for another recipient.
    package var target: Data
    /// How many guesses were compared with it.
    package var attempts: Int
    package var sentAt: Date
    package var expiresAt: Date

    package init(digest: Data, target: Data, attempts: Int = 0, sentAt: Date, expiresAt: Date) {
        self.digest = digest
        self.target = target
        self.attempts = attempts
        self.sentAt = sentAt
        self.expiresAt = expiresAt
    }
}

/// A change that a step writes besides the flow's row, in the same transaction.
package enum Effect: Hashable, Sendable {
    /// Creates a user with identifiers, credential and attributes, all or nothing.
    case createUser(NewUser)
    /// Adds a mail to the outbox.
    case enqueueMail(OutboxMail)
    /// Notes a text that is sent, and what it costs.
    case noteText(SentText)
    /// Notes that the texts of a flow to a number, of this digest, have brought a right code.
    case noteVerifiedTexts(UUID, number: Data, at: Date)
    /// Makes an area rest from texts, or all of the tenant (``TextHistory/everyArea``).
    case pauseTexts(String, TextHistory.Pause)
    /// Adds a family of refresh tokens.
    case openRefreshFamily(RefreshFamily)
    /// Adds a browser session, in place of the one that the browser had. When that was another user's, its families without
    /// `offline_access` end.
    case openBrowserSession(BrowserSession, replacing: UUID?)
    /// Ends a browser session of the user, if there is one, and its families without `offline_access`.
    case endBrowserSession(UUID, of: UserID, at: Date)
    /// Adds a line to the audit trail.
    case record(AuditEvent)
    /// Adds one occurrence of an event that is counted over time.
    case count(CountedEvent, subject: Data, at: Date)
    /// Deletes the occurrences of an event: a success clears the failures (`SEC-OTP-5`).
    case forget(CountedEvent, subject: Data)
    /// Changes the password. The credential version increases by one, so that every open flow of the user ends
    /// (`SEC-CT-9`).
    ///
    /// - Parameter fromReset: Whether only the mailbox was proven: the password then counts as that mailbox.
    case changePassword(UserID, PasswordHash, fromReset: Bool = true, at: Date)
    /// Stores the same password under newer parameters, if `from` is still the stored hash (`SEC-PWD-7`). The
    /// credential version stays.
    case upgradePassword(UserID, from: PasswordHash, to: PasswordHash)
    /// Stores the hash of the password that the user has had in another system. The credential version stays: the user's
    /// password is the same as before.
    case movePassword(UserID, PasswordHash)
    /// Lets the password count as a separate factor again: the user has proven another factor besides it.
    case trustPassword(UserID)
    /// Revokes every refresh-token family of the user that is not revoked yet, and ends the browser sessions (`SEC-SSPR-5`,
    /// `SEC-TOK-10`).
    ///
    /// - Parameter keepingTwoFactors: Whether to keep those whose sign-in gave two factors (`SEC-ENR-6`).
    /// - Parameter session: A family or a browser session to keep; its access tokens stay valid, too, when the credentials change in the same
    ///   transaction.
    case revokeRefreshFamilies(UserID, keepingTwoFactors: Bool = false, except: UUID? = nil, at: Date)
    /// Keeps all families of the user, with their access tokens, when the credentials change in the same transaction.
    case keepRefreshFamilies(UserID, at: Date)
    /// Revokes one family of the user, if it is not revoked yet.
    case revokeRefreshFamily(UUID, of: UserID, at: Date)
    /// Removes the password. It counts as a change of the credentials.
    case removePassword(UserID, at: Date)
    /// Increases the credential version by one, so that every open flow of the user ends. Tokens stay valid.
    case endFlows(UserID)
    /// The same, and ends the access tokens that were issued before.
    case changeCredentials(UserID, at: Date)
    /// Changes or deletes attributes.
    case setAttributes([AttributeChange], of: UserID)
    /// Disables the account, or enables it.
    case setDisabled(UserID, Date?)
    /// Whether every sign-in of the user needs a second factor.
    case requireSecondFactor(Bool, of: UserID)
    /// Replaces the user's name of this kind; nil removes it.
    case replaceName(LoginIdentifier.Kind, with: LoginIdentifier?, of: UserID, proof: EmailProof = .byCode, at: Date)
    /// Keeps a name from other accounts; it replaces an earlier entry.
    case holdName(ReservedName)
    /// Lets everyone have these names again.
    case releaseNames([Data])
    /// Gives the owner of the old address the right to take a change of the address back.
    case offerUndo(EmailUndo)
    /// Ends that right for the changes of the user's address since a date.
    case forgetUndos(UserID, since: Date)
    /// When the account is to be deleted; nil: never.
    case scheduleDeletion(UserID, Date?)
    /// When an operator deleted the account, which can be restored; nil: it is not deleted.
    case setDeleted(UserID, Date?)
    /// Deletes the user with everything that is stored about the user, and remembers the mark.
    case deleteUser(UserID, mark: Data, at: Date)
    /// Sets the name that the user gave a method.
    case renameMethod(UUID, of: UserID, String?)
    /// Adds a method for the second factor; it replaces a method with the same address.
    case addStrongMethod(StrongMethod, to: UserID)
    /// Removes these methods.
    case removeStrongMethods([UUID], of: UserID)
    /// Suspends these methods: they are listed but cannot be used (`SEC-ENR-7`). Nil: they can be used again.
    case setSuspension([UUID], of: UserID, Date?)
    /// Records that the method was used.
    case noteUse(UUID, of: UserID, at: Date)
    /// Stores the clock of an authenticator app after an accepted code. It is a fault when the code's step is not after the
    /// stored one: the code would be accepted twice (`SEC-TOTP-2`).
    case spendStep(UUID, of: UserID, AppClock)
    /// What can be revoked at the provider of an identity, sealed (``LinkedIdentity/grant``).
    case keepGrant(Data, method: UUID, of: UserID)
    /// What a provider said of a user who has no account yet; it replaces what it said before. It ends when the identity is
    /// linked.
    case keepNames(NamesOfIdentity)
    /// Stores what a sign-in changed in a passkey. It is a fault when `from` is not the stored value.
    case updatePasskey(UUID, of: UserID, from: EnrolledPasskey, to: EnrolledPasskey)
    /// Stores the recovery codes of the user; nil removes them.
    ///
    /// - Parameter replacing: What is stored now; anything else is a fault, since a code would be spent twice (`SEC-REC-3`).
    ///   Nil: whatever it is.
    case setRecovery(RecoverySet?, of: UserID, replacing: RecoverySet?)
    /// Stores the failures of a subject; nil deletes them (`SEC-LOCK-1`).
    case setLockout(Lockout?, subject: Data)
    /// Stores the row of the slow lane with this id; it belongs to no flow (docs/design/0013).
    case setSlowLane(FlowRow, UUID)
    /// Remembers a network from which the user signed in, as a keyed digest; the 20 newest are kept (`SEC-LOCK-3`).
    case rememberNetwork(Data, of: UserID, at: Date)
    /// Deletes all remembered networks of the user (`SEC-ID-11`).
    case forgetNetworks(UserID)
    /// Remembers a device; the newest are kept (``RememberedDevice/most``). The same device of the user gets the new mark in other
    /// applications, too.
    ///
    /// - Parameter replacing: The marks that the device had until now.
    case rememberDevice(RememberedDevice, replacing: [Data] = [])
    /// Notes that a sign-in left the second factor out because of the device.
    case noteDeviceUse(UUID, of: UserID, at: Date)
    /// Forgets a device of the user; nil: all of them.
    case forgetDevices(UserID, UUID?)
    /// A deed waits for operators (`SEC-ENR-12`).
    case openOperatorRequest(OperatorRequest)
    /// The first person stands behind a deed that a daemon or a command asked for. Another one before is a fault.
    case standBehindOperatorRequest(UUID, of: UserID, UserID)
    /// A deed waits no longer. It is a fault when it did not.
    case closeOperatorRequest(UUID, of: UserID)
}

/// An event that is counted over 24 hours for a subject, across all flows. A subject is a keyed digest of an address,
/// so the table does not identify it.
package enum CountedEvent: String, Hashable, Sendable, CaseIterable {
    /// `SEC-OTP-5`.
    case wrongCode
    /// `SEC-OTP-12`.
    case codeMailed
    /// `SEC-MAIL-8`: the mail server refused a mail because of its recipient.
    case mailRefused
    /// No longer counted; nodes of an older version still write it.
    case secondFactorMailed
    /// `SEC-LOCK-10`: the owner of an account was warned of guesses at its password.
    case warningMailed
    /// `SEC-TOTP-4`: wrong codes of authenticator apps, from networks that the user has signed in from and from others.
    case wrongAppCode
    case wrongAppCodeOfStranger
    /// `SEC-REC-4`: guesses at recovery codes, right ones included.
    case recoveryCodeTried
    /// `SEC-ENR-13`: methods that were added.
    case methodEnrolled
    /// `SEC-ENR-5`: the user was told what happened to a method.
    case methodRegisteredMailed
    case methodRemovedMailed
    case methodSuspendedMailed
    case methodReactivatedMailed
    case methodFirstUsedMailed

    /// The event that a notice about methods counts as; nil for other mails.
    package static func notice(_ purpose: MailContent.Purpose) -> CountedEvent? {
        switch purpose {
        case .methodRegistered: .methodRegisteredMailed
        case .methodRemoved: .methodRemovedMailed
        case .methodSuspended: .methodSuspendedMailed
        case .methodReactivated: .methodReactivatedMailed
        // A first use is always told, so it needs no count: the notice of a suspect passkey uses its name, which nodes of an older
        // version know.
        case .methodFirstUsed, .passkeySuspect: .methodFirstUsedMailed
        case .signUp, .signIn, .passwordReset, .secondFactor, .registration, .passwordChanged, .accountExists,
            .signInLocked, .signedInAfterFailures, .accountChange, .emailChange, .emailChanged, .emailChangeUndone,
            .emailReplaced, .resetRequired, .accountDeleted, .deletionScheduled,
            .recoveryCodeUsed:
            nil
        }
    }
}

/// The sealed answer of a step, stored so that a repeated request gets the same answer (`REL-IDEM`).
package struct ReplayRecord: Hashable, Sendable {
    /// SHA-256 over the token and the request's content, 32 bytes.
    package var requestDigest: Data
    /// The answer, sealed under a key derived from the request's token alone.
    package var sealedAnswer: Data
    package var expiresAt: Date

    package init(requestDigest: Data, sealedAnswer: Data, expiresAt: Date) {
        self.requestDigest = requestDigest
        self.sealedAnswer = sealedAnswer
        self.expiresAt = expiresAt
    }
}

/// What the row of a new flow counts for, as keyed digests. Above the limits, the oldest rows without a proof
/// are removed, rows without a living code first: the flows of unknown clients do not push out the owner's flows
/// (`SEC-CT-7`, `SEC-OTP-15`). A flow whose row was removed is in its state before the first code.
package struct FlowQuotaKeys: Hashable, Sendable {
    /// The largest number of rows without a proof for one identifier and for one source.
    package static let mostOfIdentifier = 20
    package static let mostOfSource = 200

    package var identifier: Data?
    package var source: Data?

    package init(identifier: Data? = nil, source: Data? = nil) {
        self.identifier = identifier
        self.source = source
    }
}

/// The data that a step reads from the database before it decides.
package struct StepQuery: Hashable, Sendable {
    package var tenant: TenantID
    package var flow: UUID
    /// The digest under which a replay record is stored.
    package var requestDigest: Data
    /// The login names whose owners the step needs.
    package var identifiers: [LoginIdentifier.Key]
    /// The digests of those names, to find the reserved ones.
    package var marks: [Data]
    /// The user whose account the step needs.
    package var user: UserID?
    /// The subjects whose events the step needs; empty when limits over time are off.
    package var subjects: [Data]
    /// The subject whose failures the step needs; nil when limits over time are off, or when the step compares no
    /// password.
    package var lockout: Data?
    /// The slow lane that the step needs; its row is separate from flow rows.
    package var slowLane: UUID?
    /// The number of mails that the tenant may have in an hour; nil when it has no such limit or the step sends no
    /// mail.
    package var mailsPerHour: Int?
    /// The text that the step may send; nil for none.
    package var texts: TextQuery?
    /// The passkey or the identity that the step adds; the store says whether a user of the tenant has it.
    package var credential: MethodCredential?
    /// Whether the step needs what the tenant has spent on texts.
    package var readsTextCosts = false
    /// The remembered device of ``user`` that stands for the second factor.
    package var device: UUID?
    /// The owners of the flow's first row; none when limits over time are off.
    package var quotas: FlowQuotaKeys
    package var now: Date

    package init(
        tenant: TenantID, flow: UUID, requestDigest: Data, identifiers: [LoginIdentifier.Key] = [],
        marks: [Data] = [], user: UserID? = nil, subjects: [Data] = [], lockout: Data? = nil, slowLane: UUID? = nil,
        mailsPerHour: Int? = nil,
        quotas: FlowQuotaKeys = FlowQuotaKeys(), now: Date
    ) {
        self.tenant = tenant
        self.flow = flow
        self.requestDigest = requestDigest
        self.identifiers = identifiers
        self.marks = marks
        self.user = user
        self.subjects = subjects
        self.lockout = lockout
        self.slowLane = slowLane
        self.mailsPerHour = mailsPerHour
        self.quotas = quotas
        self.now = now
    }
}

/// The facts from the database, read under the lock of the step's transaction.
package struct StepFacts: Hashable, Sendable {
    /// The flow's row; nil before the first step that counts.
    package var row: FlowRow?
    /// The sealed answer to the same request, if it was answered and the record has not expired.
    package var sealedAnswer: Data?
    /// The queried login names that an account has.
    package var taken: Set<LoginIdentifier.Key>
    /// The queried names that are reserved.
    package var reserved: [ReservedName]
    /// The account of the queried user; nil when the query names no user, or the user does not exist.
    package var account: UserAccount?
    /// The times of each event of each subject in the last 24 hours, oldest first.
    package var counted: [Data: [CountedEvent: [Date]]]
    /// The failures of the queried subject; nil when it has none.
    package var lockout: Lockout?
    /// The row of the queried slow lane; nil when it was not used recently.
    package var slowLane: FlowRow?
    /// The time of the oldest of the tenant's last N mails, where N is its hourly limit; nil when that is an hour ago
    /// or more. Mails of concurrent steps may not be counted yet: on PostgreSQL up to 16 for each connection that shares
    /// transactions.
    package var tenantMailsSince: Date?
    /// What the tenant has sent as texts; nil when the step sends none. Of ``StepQuery/readsTextCosts``, the costs alone.
    package var textHistory: TextHistory?
    /// Whether a user of the tenant has ``StepQuery/credential``.
    package var isCredentialTaken = false
    /// Whether ``StepQuery/device`` is remembered.
    package var isDeviceRemembered = false

    package init(
        row: FlowRow?, sealedAnswer: Data? = nil, taken: Set<LoginIdentifier.Key> = [], reserved: [ReservedName] = [],
        account: UserAccount? = nil,
        counted: [Data: [CountedEvent: [Date]]] = [:], lockout: Lockout? = nil, slowLane: FlowRow? = nil,
        tenantMailsSince: Date? = nil
    ) {
        self.row = row
        self.sealedAnswer = sealedAnswer
        self.taken = taken
        self.reserved = reserved
        self.account = account
        self.counted = counted
        self.lockout = lockout
        self.slowLane = slowLane
        self.tenantMailsSince = tenantMailsSince
    }
}

/// Every row that a step writes, in one transaction (design record 0014).
package struct FlowChange: Hashable, Sendable {
    package var row: FlowRow
    package var effects: [Effect]
    package var replay: ReplayRecord?

    package init(row: FlowRow, effects: [Effect] = [], replay: ReplayRecord? = nil) {
        self.row = row
        self.effects = effects
        self.replay = replay
    }
}

/// The only write path of flows.
package protocol FlowStore: Sendable {
    /// Reads the facts of `query`, passes them to `decide`, and writes the change that it returns, in one transaction.
    ///
    /// Steps of one flow run one after another, and so do steps that query the same identifier or account: the facts are
    /// still true when the change is written. A nil change writes nothing. The function returns after the commit is durable.
    /// When it throws, nothing was written; or the connection was lost during the commit, and the client's repeated
    /// request finds the replay record.
    ///
    /// - Parameter decide: Must be pure and quick, because the writer waits for it. It may run more than once, with
    ///   fresh facts.
    /// - Throws: ``StoreError``, after the store's own retries.
    func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer

    /// Writes an audit line that belongs to no other change.
    func record(_ event: AuditEvent) async throws(StoreError)

    /// Removes expired data: flow rows, replay records, mails that were never sent, failures older than a day.
    ///
    /// - Returns: The number of removed rows, without rows that are removed because they depend on another row.
    func removeExpired(now: Date) async throws(StoreError) -> Int

    /// Throws when the database does not accept writes; for `/readyz`. Touches no table that grows.
    func checkWritable() async throws(StoreError)
}
