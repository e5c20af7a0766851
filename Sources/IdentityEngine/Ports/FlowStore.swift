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
    /// How many guesses were compared with it.
    package var attempts: Int
    package var sentAt: Date
    package var expiresAt: Date

    package init(digest: Data, attempts: Int = 0, sentAt: Date, expiresAt: Date) {
        self.digest = digest
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
}

/// What is counted over 24 hours for a subject, across all flows. A subject is a keyed digest of an address, so the table
/// tells nobody who it is about.
package enum CountedEvent: String, Hashable, Sendable, CaseIterable {
    /// `SEC-OTP-5`.
    case wrongCode
    /// `SEC-OTP-12`.
    case codeMailed
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

/// What a step wants to know of the database before it decides.
package struct StepQuery: Hashable, Sendable {
    package var tenant: TenantID
    package var flow: UUID
    /// The digest under which a replay record would stand.
    package var requestDigest: Data
    /// The login identifiers whose owner matters.
    package var identifiers: [LoginIdentifier.Key]
    /// Whose counted events matter; nil when limits over time are off.
    package var subject: Data?
    package var now: Date

    package init(
        tenant: TenantID, flow: UUID, requestDigest: Data, identifiers: [LoginIdentifier.Key] = [],
        subject: Data? = nil, now: Date
    ) {
        self.tenant = tenant
        self.flow = flow
        self.requestDigest = requestDigest
        self.identifiers = identifiers
        self.subject = subject
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
    /// When each event happened to the subject in the last 24 hours, oldest first.
    package var counted: [CountedEvent: [Date]]

    package init(
        row: FlowRow?, sealedAnswer: Data? = nil, taken: Set<LoginIdentifier.Key> = [],
        counted: [CountedEvent: [Date]] = [:]
    ) {
        self.row = row
        self.sealedAnswer = sealedAnswer
        self.taken = taken
        self.counted = counted
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

    /// Removes what has expired: flow rows, replay records, mails that were never sent.
    ///
    /// - Returns: How many rows went.
    func removeExpired(now: Date) async throws(StoreError) -> Int

    /// Whether the database accepts writes; for `/readyz`. Touches no table that grows.
    func checkWritable() async throws(StoreError)
}
