package import IdentityEngine
package import NativeAuthCore
import PortableFoundation

extension SQLStore {
    package func users(_ request: UserPageRequest, in tenant: TenantID) async throws(StoreError) -> UserPage {
        try await search { session in
            let plan = UserPlan(
                request.condition, order: request.order, isDeleted: request.isDeleted, in: tenant, session.dialect)
            // One more than asked for tells whether there is another page.
            let found = try session.rowsOnce(
                of: "users", plan.page(after: request.after, limit: request.limit + 1)
            ).get()
            let page = found.prefix(request.limit)
            let ids: [UserID] = try page.map { try $0.value("id") }
            let next = found.count > request.limit ? try page.last.map(plan.position) : nil
            return UserPage(users: try session.accounts(ids, in: tenant), next: next)
        }
    }

    package func countUsers(
        where condition: UserCondition?, isDeleted: Bool, in tenant: TenantID
    ) async throws(StoreError) -> Int {
        try await search { session in
            let plan = UserPlan(condition, order: nil, isDeleted: isDeleted, in: tenant, session.dialect)
            return try session.rowsOnce(of: "users", plan.count).get().first?.value("count") ?? 0
        }
    }
}

extension SQLSession {
    /// The accounts with these ids, in the same order, without those that are gone.
    fileprivate func accounts(_ ids: [UserID], in tenant: TenantID) throws -> [UserAccount] {
        // The statements for 50 accounts are sent together.
        try stride(from: 0, to: ids.count, by: 50).flatMap { start in
            let pending = try ids[start..<min(start + 50, ids.count)].map {
                try account("?", [$0], in: tenant, locking: "")
            }
            return try pending.compactMap { try $0.get() }
        }
    }
}
