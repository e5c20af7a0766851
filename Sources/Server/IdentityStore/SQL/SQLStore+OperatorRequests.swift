package import IdentityEngine
package import NativeAuthCore
import PortableFoundation

// Deeds that wait for operators, and the rule that makes them wait (`SEC-ENR-12`).
extension SQLStore {
    package func needsTwoOperators() async throws(StoreError) -> Bool {
        try await read { try $0.needsTwoOperators().get() }
    }

    package func setTwoOperators(
        _ isNeeded: Bool, recording event: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await write([.operators]) { session in
            guard try session.needsTwoOperators().get() != isNeeded else { return false }
            try session.run(
                """
                INSERT INTO operator_rules (tenant, needs_two) VALUES (?, ?)
                ON CONFLICT (tenant) DO UPDATE SET needs_two = excluded.needs_two
                """, [OperatorTenant.id, isNeeded], expecting: 1)
            if isNeeded {
                try session.run(
                    "DELETE FROM operator_invitations WHERE tenant = ? AND inviter IS NOT NULL", [OperatorTenant.id],
                    expecting: nil)
            }
            try session.insert(event)
            return true
        }
    }

    package func operatorRequests(in tenant: TenantID) async throws(StoreError) -> [OperatorRequest] {
        try await read { try $0.operatorRequests(of: nil, in: tenant).get() }
    }
}

extension SQLSession {
    func needsTwoOperators() throws -> Pending<Bool> {
        try rows(
            of: "operator_rules", "SELECT needs_two FROM operator_rules WHERE tenant = ?", [OperatorTenant.id]
        ).map { try $0.first?.value("needs_two") ?? false }
    }

    /// - Parameter user: Nil: those of all users of the tenant.
    func operatorRequests(of user: UserID?, in tenant: TenantID) throws -> Pending<[OperatorRequest]> {
        let values: [any StoredValue] = [tenant] + (user.map { [$0] } ?? [])
        return try rows(
            of: "operator_requests",
            """
            SELECT id, "user", deed, subject, requester, person, requested_at, expires_at FROM operator_requests
            WHERE tenant = ?\(user == nil ? "" : #" AND "user" = ?"#) ORDER BY requested_at, id
            """, values
        ).map { try $0.compactMap(Self.operatorRequest) }
    }

    /// - Returns: Nil for a deed of a newer version, which waits for a node that knows it.
    private static func operatorRequest(_ row: StoredRow) throws -> OperatorRequest? {
        guard let deed = ProofDeed(word: try row.value("deed"), subject: try row.value("subject")) else { return nil }
        return OperatorRequest(
            id: try row.value("id"), user: try row.value("user"), deed: deed, requester: try row.value("requester"),
            person: try row.value("person"), requestedAt: try row.value("requested_at"),
            expiresAt: try row.value("expires_at"))
    }

    func insert(_ request: OperatorRequest, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO operator_requests (tenant, id, "user", deed, subject, requester, person, requested_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, request.id, request.user, request.deed.word, request.deed.subject, request.requester,
                request.person, request.requestedAt, request.expiresAt,
            ])
    }

    func stand(_ person: UserID, behind id: UUID, of user: UserID, in tenant: TenantID) throws {
        try run(
            """
            UPDATE operator_requests SET person = ? WHERE tenant = ? AND id = ? AND "user" = ? AND person IS NULL
            """, [person, tenant, id, user], expecting: 1)
    }

    func closeRequest(_ id: UUID, of user: UserID, in tenant: TenantID) throws {
        try run(
            #"DELETE FROM operator_requests WHERE tenant = ? AND id = ? AND "user" = ?"#, [tenant, id, user],
            expecting: 1)
    }

    /// Ends requests that no one has confirmed in time, with a line of the audit trail each.
    ///
    /// - Returns: Their number.
    func expireOperatorRequests(now: Date, portion: Int) throws -> Int {
        let found = try rows(
            of: "operator_requests",
            """
            SELECT tenant, id, "user", deed, requester FROM operator_requests WHERE expires_at <= ?
            ORDER BY expires_at LIMIT ?
            """, [now, portion]
        ).get()
        var ended = 0
        for row in found {
            let (tenant, id, word): (TenantID, UUID, String) = (
                try row.value("tenant"), try row.value("id"), try row.value("deed")
            )
            // Confirmed or withdrawn since.
            guard
                try change("DELETE FROM operator_requests WHERE tenant = ? AND id = ?", [tenant, id]) == 1
            else { continue }
            ended += 1
            try insert(
                AuditEvent(
                    .operatorRequestExpired, at: now, tenant: tenant, client: try row.value("requester"),
                    user: try row.value("user"), detail: "\(word), \(id.text) by operator"))
        }
        return ended
    }
}
