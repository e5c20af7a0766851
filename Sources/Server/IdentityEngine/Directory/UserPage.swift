package import NativeAuthCore
package import PortableFoundation

/// A page of a tenant's users, as an operator asks for it.
package struct UserPageRequest: Hashable, Sendable {
    /// Nil finds all users.
    package var condition: UserCondition?
    /// Nil: the order of the index that finds the users.
    package var order: UserOrder?
    /// The end of the page before, of a search that is alike; nil for the first page.
    package var after: UserPosition?
    /// The length of a page, 1 to 1,000.
    package var limit: Int
    /// Whether to find the users that an operator deleted and can restore, in place of all others.
    package var isDeleted: Bool

    package init(
        _ condition: UserCondition? = nil, order: UserOrder? = nil, after: UserPosition? = nil, limit: Int,
        isDeleted: Bool = false
    ) {
        self.condition = condition
        self.order = order
        self.after = after
        self.limit = limit
        self.isDeleted = isDeleted
    }
}

/// The place of a user in an order, with the id as the last criterion. Each order has one case.
package enum UserPosition: Hashable, Sendable, Codable {
    case id(UserID)
    case creation(Date, UserID)
    /// An attribute's text, as the index has it.
    case text(String, UserID)
    /// The normal form of the e-mail address.
    case address(LoginIdentifier.Key)
}

package struct UserPage: Hashable, Sendable {
    package var users: [UserAccount]
    /// Where the next page begins; nil when no more users follow.
    package var next: UserPosition?

    package init(users: [UserAccount], next: UserPosition?) {
        self.users = users
        self.next = next
    }
}

/// What only operators ask.
package protocol DirectoryStore: GroupStore {
    /// A page of users, each found through an index.
    func users(_ request: UserPageRequest, in tenant: TenantID) async throws(StoreError) -> UserPage
    /// How many users meet the condition. It reads an entry of an index for each.
    func countUsers(where condition: UserCondition?, isDeleted: Bool, in tenant: TenantID) async throws(StoreError)
        -> Int
    /// A page of the audit trail. The work for a page is bounded, whatever the query.
    func auditPage(_ query: AuditQuery, in tenant: TenantID) async throws(StoreError) -> AuditPage
}
