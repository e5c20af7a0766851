package import NativeAuthCore
package import PortableFoundation

/// What waits for a browser to come: an authorization request that an application left (RFC 9126), or an app's ticket (design
/// record 0038).
package struct PushedRequest: Hashable, Sendable {
    package var tenant: TenantID
    /// SHA-256 of the reference, 32 bytes.
    package var digest: Data
    package var client: ClientID
    /// The parameters, sealed under a key that is derived from the reference: they name users.
    package var content: Data
    package var until: Date

    package init(tenant: TenantID, digest: Data, client: ClientID, content: Data, until: Date) {
        self.tenant = tenant
        self.digest = digest
        self.client = client
        self.content = content
        self.until = until
    }
}

/// Stores authorization requests that applications pushed.
package protocol PushedRequestStore: Sendable {
    /// Stores a request, unless `most` of its application wait already.
    ///
    /// - Returns: Whether it is stored.
    func push(_ request: PushedRequest, most: Int, now: Date) async throws(StoreError) -> Bool

    /// Takes a request of an application away: one caller gets it, also on several nodes. It may have ended by time.
    func takePushedRequest(
        _ digest: Data, of client: ClientID, in tenant: TenantID
    ) async throws(StoreError) -> PushedRequest?
}
