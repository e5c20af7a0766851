package import NativeAuthCore
package import PortableFoundation

/// What a user allowed at a provider, to be ended there: the identity was removed, or the account deleted (`SEC-FED-14`).
package struct GrantRevocation: Hashable, Sendable {
    package var tenant: TenantID
    /// The method that is gone.
    package var method: UUID
    package var user: UserID
    /// The sealed ``ProviderGrant``.
    package var grant: Data
    /// The attempts before this one.
    package var attempts: Int

    package init(tenant: TenantID, method: UUID, user: UserID, grant: Data, attempts: Int) {
        self.tenant = tenant
        self.method = method
        self.user = user
        self.grant = grant
        self.attempts = attempts
    }
}

/// The queue of what is to be ended at providers. The transaction that removes an identity writes the row; one that links the same
/// identity again removes it.
package protocol RevocationStore: Sendable {
    /// Leases at most `count` rows until `end`, the longest due first. A row is leased by one node at a time.
    func leaseRevocations(_ count: Int, now: Date, until end: Date) async throws(StoreError) -> [GrantRevocation]

    /// Removes the row: it is done, or given up, as the event says.
    func endRevocation(_ revocation: GrantRevocation, recording event: AuditEvent) async throws(StoreError)

    /// Sets when the row is due again. Does nothing when another node has leased it meanwhile.
    func postponeRevocation(_ revocation: GrantRevocation, until due: Date) async throws(StoreError)
}
