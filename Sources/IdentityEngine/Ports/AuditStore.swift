package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A line of the audit trail as the database has it, whatever somebody may have made of it.
package struct AuditLine: Hashable, Sendable {
    /// The number that the database gave it; rises within a tenant, with gaps.
    package var seq: Int
    /// Its place in the tenant's chain, counted from 1; nil before it was sealed.
    package var position: Int?
    package var seal: Data?
    /// All else that it says, each value in one unambiguous form.
    package var content: [Data]
    /// When it was written, also part of the content.
    package var at: Date

    package init(seq: Int, position: Int?, seal: Data?, content: [Data], at: Date) {
        self.seq = seq
        self.position = position
        self.seal = seal
        self.content = content
        self.at = at
    }
}

/// Where a tenant's chain begins once lines were removed from its front.
package struct AuditStart: Hashable, Sendable {
    /// The place of the last line that was removed.
    package var position: Int
    /// Its seal.
    package var seal: Data
    /// A keyed digest of the two, so that nobody without the key can move the beginning.
    package var anchor: Data

    package init(position: Int, seal: Data, anchor: Data) {
        self.position = position
        self.seal = seal
        self.anchor = anchor
    }
}

/// The end of a tenant's chain, and its beginning.
package struct AuditHead: Hashable, Sendable {
    /// How many lines were sealed.
    package var position: Int
    /// The seal of the last one.
    package var seal: Data
    /// A keyed digest of the two, so that nobody without the key can move the end.
    package var anchor: Data
    /// Nil: no line was removed.
    package var start: AuditStart?

    package init(position: Int, seal: Data, anchor: Data, start: AuditStart? = nil) {
        self.position = position
        self.seal = seal
        self.anchor = anchor
        self.start = start
    }
}

/// What one pass of sealing did.
package struct AuditSealing: Hashable, Sendable {
    /// How many lines were sealed.
    package var count = 0
    /// The new ends of the chains that grew.
    package var heads: [TenantID: AuditHead] = [:]
    /// Tenants whose chain was not continued, because its end is not as it was left.
    package var broken: [TenantID] = []

    package init() {}
}

/// Keeps the audit trail; its lines are written with what they tell of.
package protocol AuditStore: Sendable {
    /// Gives the oldest lines that are not sealed their place in their tenant's chain, as one atomic step: callers of several
    /// nodes come one after the other.
    ///
    /// - Parameters:
    ///   - limit: How many lines of each tenant.
    ///   - link: Gives each of the contents its seal, and the new end; nil when the end that it gets is not what was left there.
    func sealAudit(
        limit: Int,
        link: @escaping @Sendable (AuditHead?, TenantID, [AuditLine]) -> (seals: [Data], head: AuditHead)?
    ) async throws(StoreError) -> AuditSealing

    /// Removes lines from the front of the tenant's chain: of the first `limit` those that stand before any that was written at
    /// `date` or later. One atomic step, never at the same time as sealing.
    ///
    /// - Parameter check: Gets the ends of the chain, and the lines in order; gives the new beginning, or nil when they are not as
    ///   they were left. Nothing is removed then.
    /// - Returns: How many lines went; nil when `check` gave nil.
    func cutAudit(
        of tenant: TenantID, before date: Date, limit: Int,
        check: @escaping @Sendable (AuditHead, [AuditLine]) -> AuditStart?
    ) async throws(StoreError) -> Int?

    /// The sealed lines of the tenant behind the place `position`, in the order of their places.
    func auditLines(of tenant: TenantID, after position: Int, limit: Int) async throws(StoreError) -> [AuditLine]

    /// The end of the tenant's chain; nil before the first line was sealed.
    func auditHead(of tenant: TenantID) async throws(StoreError) -> AuditHead?

    /// The tenants that have a trail, those too that are configured no longer.
    func auditedTenants() async throws(StoreError) -> [TenantID]

    /// How many lines of the tenant are not sealed yet.
    func unsealedAuditLines(of tenant: TenantID) async throws(StoreError) -> Int

    /// What the tenant's trail says behind the line with the number `seq`, in the order in which it was written.
    func auditEvents(of tenant: TenantID, after seq: Int, limit: Int) async throws(StoreError) -> [RecordedEvent]
}

/// A line of the audit trail, read.
package struct RecordedEvent: Hashable, Sendable {
    package var seq: Int
    /// Its place in the chain; nil before it was sealed.
    package var position: Int?
    package var event: AuditEvent
    /// The profile of the server that wrote it (`SEC-PRF-1`); nil for a line from before it was written down.
    package var profile: String?

    package init(seq: Int, position: Int?, event: AuditEvent, profile: String? = nil) {
        self.seq = seq
        self.position = position
        self.event = event
        self.profile = profile
    }
}
