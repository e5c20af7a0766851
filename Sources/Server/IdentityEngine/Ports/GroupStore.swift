package import NativeAuthCore
package import PortableFoundation

/// A group of users, by which APIs decide what a user may do.
package struct UserGroup: Hashable, Sendable {
    package var id: UUID
    /// For people, at most 256 bytes; two groups may have one name.
    package var displayName: String
    package var description: String
    package var createdAt: Date

    /// The largest number of groups of a tenant.
    package static let maximumCount = 1_000
    /// The largest number of groups of a user, so that a token can state all of them.
    package static let maximumPerUser = 100

    package init(id: UUID, displayName: String, description: String, createdAt: Date) {
        self.id = id
        self.displayName = displayName
        self.description = description
        self.createdAt = createdAt
    }
}

/// A change of a group or of its members.
package enum GroupChange: Hashable, Sendable {
    case create(UserGroup)
    /// Name and description.
    case edit(UUID, displayName: String?, description: String?)
    case delete(UUID)
    case add(UserID, to: UUID)
    case remove(UserID, from: UUID)
}

package enum GroupChangeResult: Hashable, Sendable {
    case done
    /// It was so already, and nothing is written.
    case unchanged
    /// There is no such group, user or member.
    case notFound
    /// The tenant has as many groups as it can, or the user is in as many.
    case full
}

/// Stores groups and who is in them.
package protocol GroupStore: Sendable {
    /// All groups of the tenant, by name and id; at most ``UserGroup/maximumCount``.
    func groups(in tenant: TenantID) async throws(StoreError) -> [UserGroup]
    /// Users of the group by id, without deleted ones.
    ///
    /// - Parameter after: The last user of the page before; nil: from the beginning.
    func members(
        of group: UUID, after user: UserID?, limit: Int, in tenant: TenantID
    ) async throws(StoreError) -> [UserID]
    /// Makes one change, all or nothing, with its line of the audit trail.
    func change(
        _ change: GroupChange, in tenant: TenantID, recording event: AuditEvent
    ) async throws(StoreError) -> GroupChangeResult
}
