package import NativeAuthCore
package import PortableFoundation

/// What a user allowed an application of another organisation.
package struct Consent: Hashable, Sendable {
    package var user: UserID
    package var client: ClientID
    /// In order, without repetitions.
    package var scopes: [String]
    /// When the user last allowed something.
    package var givenAt: Date

    package init(user: UserID, client: ClientID, scopes: [String], givenAt: Date) {
        self.user = user
        self.client = client
        self.scopes = Set(scopes).sorted()
        self.givenAt = givenAt
    }

    func covers(_ asked: [String]) -> Bool { Set(asked).isSubset(of: scopes) }
}

/// Stores what users allowed applications.
package protocol ConsentStore: Sendable {
    /// What a user allowed, the newest first, at most 200.
    func consents(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [Consent]

    /// Adds the scopes of a consent to those of the same application before, with the event.
    func give(_ consent: Consent, in tenant: TenantID, recording event: AuditEvent) async throws(StoreError)

    /// Removes a consent, and ends the application's refresh tokens of the user, in one transaction with the event.
    ///
    /// - Returns: Whether there was one.
    func withdrawConsent(
        of user: UserID, to client: ClientID, in tenant: TenantID, at date: Date, recording event: AuditEvent
    ) async throws(StoreError) -> Bool
}
