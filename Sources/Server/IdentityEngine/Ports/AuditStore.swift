package import NativeAuthCore
package import PortableFoundation

/// A line of the audit trail as the database holds it, including later changes to the database.
package struct AuditLine: Hashable, Sendable {
    /// The number that the database assigned; it increases within a tenant, with gaps.
    package var seq: Int
    /// The line's position in the tenant's chain, counted from 1; nil before it was sealed.
    package var position: Int?
    package var seal: Data?
    /// The line's other values, each in one unambiguous form.
    package var content: [Data]
    /// When the line was written; also part of the content.
    package var at: Date
    /// Also part of the content; nil for a line that was damaged.
    package var kind: AuditEvent.Kind?

    package init(seq: Int, position: Int?, seal: Data?, content: [Data], at: Date, kind: AuditEvent.Kind? = nil) {
        self.seq = seq
        self.position = position
        self.seal = seal
        self.content = content
        self.at = at
        self.kind = kind
    }
}

/// The start of a tenant's chain after lines were removed from its front.
package struct AuditStart: Hashable, Sendable {
    /// The position of the last removed line.
    package var position: Int
    /// The seal of that line.
    package var seal: Data
    /// A keyed digest of position and seal, so that the start cannot be moved without the key.
    package var anchor: Data

    package init(position: Int, seal: Data, anchor: Data) {
        self.position = position
        self.seal = seal
        self.anchor = anchor
    }
}

/// The end of a tenant's chain, and its start.
package struct AuditHead: Hashable, Sendable {
    /// The number of sealed lines, including removed ones.
    package var position: Int
    /// The seal of the last line.
    package var seal: Data
    /// A keyed digest of position and seal, so that the end cannot be moved without the key.
    package var anchor: Data
    /// The start of the chain; nil when no line was removed.
    package var start: AuditStart?

    package init(position: Int, seal: Data, anchor: Data, start: AuditStart? = nil) {
        self.position = position
        self.seal = seal
        self.anchor = anchor
        self.start = start
    }
}

/// The result of one pass of sealing.
package struct AuditSealing: Hashable, Sendable {
    /// The number of lines that were sealed.
    package var count = 0
    /// The new ends of the chains that grew.
    package var heads: [TenantID: AuditHead] = [:]
    /// The tenants whose chain was not continued because its stored end was changed.
    package var broken: [TenantID] = []
    /// Whether a tenant had as many lines as were sealed at once: more of them may wait.
    package var mayBeMore = false

    package init() {}
}

/// A change of the table of audit lines in a database that divides it into partitions.
package enum AuditPartitioning: Hashable, Sendable {
    /// The table became the first partition of a new one.
    case divided
    /// Lines go into a new partition, this one, because the one before is full.
    case begun(Int)
}

/// What became of the oldest full partition of the audit trail.
package enum AuditPartitionEnd: Hashable, Sendable {
    /// There is none, or some of its lines are kept for more than a week: lines are removed one by one.
    case distant
    /// It will be dropped within a week. Lines whose numbers are below `seq` wait for that.
    case near(seq: Int)
    /// It was dropped with this number of lines. Others could not use the table for at most this time and a commit.
    case dropped(lines: Int, Duration)
    /// A line of this tenant, or an end of its chain, was changed. Nothing was removed.
    case broken(TenantID)
}

/// Stores the audit trail; each line is written in the transaction of the change that it reports.
package protocol AuditStore: Sendable {
    /// Gives the oldest unsealed lines their position in their tenant's chain, in one atomic step: calls of several
    /// nodes run one after another.
    ///
    /// - Parameters:
    ///   - limit: The number of lines of each tenant.
    ///   - link: Returns a seal for each line and the new end; nil when the given end was changed.
    func sealAudit(
        limit: Int,
        link: @escaping @Sendable (AuditHead?, TenantID, [AuditLine]) -> (seals: [Data], head: AuditHead)?
    ) async throws(StoreError) -> AuditSealing

    /// Removes lines from the front of the tenant's chain: of the first `limit` lines, those before the first line
    /// written at `date` or later. One atomic step, never at the same time as sealing.
    ///
    /// - Parameters:
    ///   - seq: Lines with lower numbers stay, and those behind them.
    ///   - check: Receives the ends of the chain and the lines in order; returns the new start, or nil when the ends or
    ///     the lines were changed. Nothing is removed then.
    /// - Returns: The number of removed lines; nil when `check` returned nil.
    func cutAudit(
        of tenant: TenantID, before date: Date, sparing seq: Int, limit: Int,
        check: @escaping @Sendable (AuditHead, [AuditLine]) -> AuditStart?
    ) async throws(StoreError) -> Int?

    /// Divides the table into partitions if it is whole, and begins a new partition when the last one is full. For
    /// housekeeping; requests go on meanwhile.
    ///
    /// - Returns: What was changed; nil when there was nothing to do, another node does it, or the database has no
    ///   partitions.
    func partitionAudit() async throws(StoreError) -> AuditPartitioning?

    /// Drops the oldest full partition when its lines are past their tenants' times: in one step with the starts of the
    /// chains, after the same check of each line as ``cutAudit(of:before:sparing:limit:check:)`` makes. Cancellation
    /// ends the check.
    ///
    /// - Parameters:
    ///   - end: The time before which lines of a tenant are removed.
    ///   - check: As in ``cutAudit(of:before:sparing:limit:check:)``, for lines of this tenant.
    func dropAuditPartition(
        before end: @escaping @Sendable (TenantID) -> Date,
        check: @escaping @Sendable (TenantID, AuditHead, [AuditLine]) -> AuditStart?
    ) async throws(StoreError) -> AuditPartitionEnd

    /// The tenant's sealed lines after `position`, in the order of their positions.
    func auditLines(of tenant: TenantID, after position: Int, limit: Int) async throws(StoreError) -> [AuditLine]

    /// The end of the tenant's chain; nil before the first line was sealed.
    func auditHead(of tenant: TenantID) async throws(StoreError) -> AuditHead?

    /// The tenants that have a trail, including tenants that are no longer configured.
    func auditedTenants() async throws(StoreError) -> [TenantID]

    /// The number of the tenant's lines that are not sealed yet.
    func unsealedAuditLines(of tenant: TenantID) async throws(StoreError) -> Int

    /// The tenant's events after the line with the number `seq`, in the order in which they were written.
    func auditEvents(of tenant: TenantID, after seq: Int, limit: Int) async throws(StoreError) -> [RecordedEvent]
}

/// A decoded line of the audit trail.
package struct RecordedEvent: Hashable, Sendable {
    package var seq: Int
    /// The position in the chain; nil before it was sealed.
    package var position: Int?
    package var event: AuditEvent
    /// The profile of the server that wrote the line (`SEC-PRF-1`); nil for lines from before the profile was recorded.
    package var profile: String?

    package init(seq: Int, position: Int?, event: AuditEvent, profile: String? = nil) {
        self.seq = seq
        self.position = position
        self.event = event
        self.profile = profile
    }
}
