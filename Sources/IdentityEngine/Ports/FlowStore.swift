package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What the database keeps of a running flow: only what must be counted (decision D2). All else is in the continuation token.
package struct FlowRow: Hashable, Sendable {
    /// How many times the flow made progress. A token of an older revision is spent.
    package var revision: Int
    /// The last code sent, if any.
    package var code: CodeRecord?
    /// How many codes were sent.
    package var codesSent: Int
    /// How many times a spent token was presented (`SEC-CT-4`).
    package var misuses: Int
    /// True once the flow can go no further; every token of it is refused.
    package var isEnded: Bool
    /// When the row may be removed: the hard end of the flow.
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

/// A code that was mailed: its keyed digest, never its digits (`SEC-OTP-7`).
package struct CodeRecord: Hashable, Sendable {
    /// HMAC-SHA-256, 32 bytes.
    package var digest: Data
    /// A keyed digest of where it went and why, 32 bytes: within the cool-down a code for somebody else is another code.
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

/// Something that a step writes besides the flow's row, in the same transaction.
package enum Effect: Hashable, Sendable {
    /// A user with identifiers, credential and attributes: all or nothing.
    case createUser(NewUser)
    /// A mail for the outbox.
    case enqueueMail(OutboxMail)
    /// A new family of refresh tokens.
    case openRefreshFamily(RefreshFamily)
    /// A line of the audit trail.
    case record(AuditEvent)
    /// One more occurrence of what is counted over time.
    case count(CountedEvent, subject: Data, at: Date)
    /// Nothing of it happened: a success clears the failures (`SEC-OTP-5`).
    case forget(CountedEvent, subject: Data)
    /// Another password: the credential version goes up by one, so that every open flow of the user ends (`SEC-CT-9`).
    case changePassword(UserID, PasswordHash, at: Date)
    /// The same password under newer parameters, unless somebody was faster: `old` must still be the stored one
    /// (`SEC-PWD-7`). The credential version stays.
    case upgradePassword(UserID, from: PasswordHash, to: PasswordHash)
    /// The password counts as a factor of its own again: something else was proven beside it.
    case trustPassword(UserID)
    /// Ends every family of refresh tokens of the user that is not revoked yet (`SEC-SSPR-5`, `SEC-TOK-10`).
    ///
    /// - Parameter keepingTwoFactors: Whether those stay whose sign-in gave two factors (`SEC-ENR-6`).
    case revokeRefreshFamilies(UserID, keepingTwoFactors: Bool = false, at: Date)
    /// The credential version goes up by one, so that every open flow of the user ends. Tokens stay.
    case endFlows(UserID)
    /// A further method for the second factor; one that has the same address already gives way.
    case addStrongMethod(StrongMethod, to: UserID)
    /// Takes these methods away.
    case removeStrongMethods([UUID], of: UserID)
    /// These methods are listed and cannot be used (`SEC-ENR-7`); nil: they can be used again.
    case setSuspension([UUID], of: UserID, Date?)
    /// The method was given for the first time.
    case noteFirstUse(UUID, of: UserID, at: Date)
    /// The failures of a subject as they stand now; nil: none (`SEC-LOCK-1`).
    case setLockout(Lockout?, subject: Data)
    /// How the slow lane stands that has this id; it belongs to no flow (docs/design/0013).
    case setSlowLane(FlowRow, UUID)
    /// A network from which the user signed in, as a keyed digest; the 20 newest are kept (`SEC-LOCK-3`).
    case rememberNetwork(Data, of: UserID, at: Date)
    /// Forgets all networks of the user (`SEC-ID-11`).
    case forgetNetworks(UserID)
}

/// What is counted over 24 hours for a subject, across all flows. A subject is a keyed digest of an address, so the table
/// tells nobody who it is about.
package enum CountedEvent: String, Hashable, Sendable, CaseIterable {
    /// `SEC-OTP-5`.
    case wrongCode
    /// `SEC-OTP-12`.
    case codeMailed
    /// Not counted any more; nodes of an older version beside this one still write it.
    case secondFactorMailed
    /// `SEC-LOCK-10`: the owner of an account was warned of guesses at its password.
    case warningMailed
    /// `SEC-ENR-5`: the user was told what happened to a method.
    case methodRegisteredMailed
    case methodRemovedMailed
    case methodSuspendedMailed
    case methodReactivatedMailed
    case methodFirstUsedMailed

    /// What is counted of a notice about methods; nil for other mails.
    package static func notice(_ purpose: MailContent.Purpose) -> CountedEvent? {
        switch purpose {
        case .methodRegistered: .methodRegisteredMailed
        case .methodRemoved: .methodRemovedMailed
        case .methodSuspended: .methodSuspendedMailed
        case .methodReactivated: .methodReactivatedMailed
        case .methodFirstUsed: .methodFirstUsedMailed
        case .signUp, .signIn, .passwordReset, .secondFactor, .registration, .passwordChanged, .accountExists,
            .signInLocked, .signedInAfterFailures:
            nil
        }
    }
}

/// The sealed answer of a step, kept so that the same request again gets the same answer (`REL-IDEM`).
package struct ReplayRecord: Hashable, Sendable {
    /// SHA-256 over the token and the request's content, 32 bytes.
    package var requestDigest: Data
    /// The answer, sealed under a key that only the request's token yields.
    package var sealedAnswer: Data
    package var expiresAt: Date

    package init(requestDigest: Data, sealedAnswer: Data, expiresAt: Date) {
        self.requestDigest = requestDigest
        self.sealedAnswer = sealedAnswer
        self.expiresAt = expiresAt
    }
}

/// Whose rows a new flow adds to, as keyed digests. Beyond the bounds the oldest rows go that have proven nothing, those without a
/// living code first: a stranger's flows do not drive out the owner's (`SEC-CT-7`, `SEC-OTP-15`). A flow whose row went is
/// as it was before its first code.
package struct FlowOwners: Hashable, Sendable {
    /// How many rows one identifier, and one source, may have that have proven nothing.
    package static let mostOfIdentifier = 20
    package static let mostOfSource = 200

    package var identifier: Data?
    package var source: Data?

    package init(identifier: Data? = nil, source: Data? = nil) {
        self.identifier = identifier
        self.source = source
    }
}

/// What a step wants to know of the database before it decides.
package struct StepQuery: Hashable, Sendable {
    package var tenant: TenantID
    package var flow: UUID
    /// The digest under which a replay record would stand.
    package var requestDigest: Data
    /// The login identifiers whose owner matters.
    package var identifiers: [LoginIdentifier.Key]
    /// The user whose account matters.
    package var user: UserID?
    /// Whose counted events matter; none when limits over time are off.
    package var subjects: [Data]
    /// Whose failures matter; nil when limits over time are off, and where no password is at stake.
    package var lockout: Data?
    /// The slow lane that matters, which has a row beside the flows.
    package var slowLane: UUID?
    /// How many mails the tenant may have in an hour; nil where it has no such limit, and where no mail is to be sent.
    package var mailsPerHour: Int?
    /// Whose flow it is, if its row is the first; nobody's when limits over time are off.
    package var owners: FlowOwners
    package var now: Date

    package init(
        tenant: TenantID, flow: UUID, requestDigest: Data, identifiers: [LoginIdentifier.Key] = [],
        user: UserID? = nil, subjects: [Data] = [], lockout: Data? = nil, slowLane: UUID? = nil,
        mailsPerHour: Int? = nil,
        owners: FlowOwners = FlowOwners(), now: Date
    ) {
        self.tenant = tenant
        self.flow = flow
        self.requestDigest = requestDigest
        self.identifiers = identifiers
        self.user = user
        self.subjects = subjects
        self.lockout = lockout
        self.slowLane = slowLane
        self.mailsPerHour = mailsPerHour
        self.owners = owners
        self.now = now
    }
}

/// What the database knew, read under the lock of the step's transaction.
package struct StepFacts: Hashable, Sendable {
    /// The flow's row; nil before the first step that counts.
    package var row: FlowRow?
    /// The sealed answer to this very request, if it was answered and the record has not expired.
    package var sealedAnswer: Data?
    /// Those of the asked identifiers that belong to somebody.
    package var taken: Set<LoginIdentifier.Key>
    /// The account of the asked user; nil when nobody was asked about, or there is none.
    package var account: UserAccount?
    /// When each event happened to each subject in the last 24 hours, oldest first.
    package var counted: [Data: [CountedEvent: [Date]]]
    /// The failures of the asked subject; nil when there were none.
    package var lockout: Lockout?
    /// The row of the asked slow lane; nil when it was not used lately.
    package var slowLane: FlowRow?
    /// When the first of the last so many mails of the tenant was written, if that is less than an hour ago. Mails of steps that
    /// run at the same time may not be counted yet.
    package var tenantMailsSince: Date?

    package init(
        row: FlowRow?, sealedAnswer: Data? = nil, taken: Set<LoginIdentifier.Key> = [], account: UserAccount? = nil,
        counted: [Data: [CountedEvent: [Date]]] = [:], lockout: Lockout? = nil, slowLane: FlowRow? = nil,
        tenantMailsSince: Date? = nil
    ) {
        self.row = row
        self.sealedAnswer = sealedAnswer
        self.taken = taken
        self.account = account
        self.counted = counted
        self.lockout = lockout
        self.slowLane = slowLane
        self.tenantMailsSince = tenantMailsSince
    }
}

/// Every row that a step writes; one transaction covers all (decision D4).
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

/// The one write path of flows.
package protocol FlowStore: Sendable {
    /// Reads the facts of `query`, lets `decide` judge them, and writes the change that it returns, in one transaction.
    ///
    /// Steps of one flow run one after another, and so do steps that ask about the same identifier: what `decide` sees
    /// still holds when its change is written. A nil change writes nothing. The result is returned after the commit is
    /// durable; when this function throws, nothing was written, or (a connection lost during commit) the caller repeats the
    /// request and finds the replay record.
    ///
    /// - Parameter decide: Pure and quick: it runs while the writer waits. It may run more than once, on fresh facts.
    /// - Throws: ``StoreError``, after the store's own retries.
    func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer

    /// Writes an audit line that belongs to no other change.
    func record(_ event: AuditEvent) async throws(StoreError)

    /// Removes what has expired: flow rows, replay records, mails that were never sent, failures older than a day.
    ///
    /// - Returns: How many rows went, those that go with another one not counted.
    func removeExpired(now: Date) async throws(StoreError) -> Int

    /// Whether the database accepts writes; for `/readyz`. Touches no table that grows.
    func checkWritable() async throws(StoreError)
}
