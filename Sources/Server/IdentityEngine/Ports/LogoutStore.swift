package import NativeAuthCore
package import PortableFoundation

/// One application that is to be told that a browser session has ended.
package struct SessionLogout: Hashable, Sendable {
    package var tenant: TenantID
    package var client: ClientID
    package var user: UserID
    package var browserSession: UUID
    package var endedAt: Date
    /// The attempts before this one.
    package var attempts: Int

    package init(
        tenant: TenantID, client: ClientID, user: UserID, browserSession: UUID, endedAt: Date, attempts: Int
    ) {
        self.tenant = tenant
        self.client = client
        self.user = user
        self.browserSession = browserSession
        self.endedAt = endedAt
        self.attempts = attempts
    }

    /// What shares capacity: the calls of one application.
    package var lane: Data { withUnsafeBytes(of: client.uuid.uuid) { Data($0) } }
}

/// The queue of applications that are to be told of an end (`OIDC-25`). The transaction that ends a session writes a row for
/// each application that got tokens from it; whether the application has an address is known when the row is read.
package protocol LogoutStore: Sendable {
    /// Leases rows until `end`, the longest due first, as many as `room` allows. A row is leased by one node at a time.
    func leaseLogouts(_ room: MailRoom, now: Date, until end: Date) async throws(StoreError) -> [SessionLogout]

    /// Removes the row: the application was told, or has no address, or is given up, which the event records.
    func endLogout(_ logout: SessionLogout, recording event: AuditEvent?) async throws(StoreError)

    /// Sets when the row is due again. Does nothing when another node has leased it meanwhile.
    ///
    /// - Parameter attempts: How many there were until now.
    func postponeLogout(_ logout: SessionLogout, attempts: Int, until due: Date) async throws(StoreError)
}
