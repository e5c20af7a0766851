import IdentityEngine
import IdentityStoreSQL
public import NativeAuthCore
public import PortableFoundation

extension TestTenant {
    /// What the server has stored about a user, for the assertions of a test.
    public struct StoredUser: Hashable, Sendable {
        /// The identifier of the user in the directory.
        public var id: String
        public var email: String
        public var alias: String?
        public var attributes: [String: AttributeValue]
        public var hasPassword: Bool
        /// The mailboxes and telephones registered as a second factor.
        public var secondFactors: [String]
        /// The number of sessions that have not ended.
        public var sessions: Int
        public var isDisabled: Bool
        /// When the account will be deleted; nil: never.
        public var deletionDueAt: Date?
    }

    /// The user with this e-mail address, read from the server's database; nil when there is none.
    public func storedUser(_ email: String) async throws(TestTenantError) -> StoredUser? {
        try await ready()
        guard let key = EmailAddress(stored: email)?.key else { return nil }
        do throws(StoreError) {
            guard let account = try await server.store.account(named: key, in: entry.tenant.id) else { return nil }
            let user = account.user
            let sessions = try await server.store.sessions(of: user.id, in: entry.tenant.id, now: clock.now)
            return StoredUser(
                id: user.id.description, email: user.email, alias: user.alias, attributes: user.attributes,
                hasPassword: account.passwordHash != nil,
                secondFactors: account.strongMethods.compactMap(\.contact?.address),
                sessions: sessions.count, isDisabled: account.disabledAt != nil, deletionDueAt: account.deletionDueAt)
        } catch {
            throw .database
        }
    }
}
