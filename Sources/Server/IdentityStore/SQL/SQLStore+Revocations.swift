package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func leaseRevocations(
        _ count: Int, now: Date, until end: Date
    ) async throws(StoreError) -> [GrantRevocation] {
        // Most seconds have none, and a reader holds up no writer.
        let isDue = try await read { session in
            try !session.rows(
                of: "revocations", "SELECT attempts FROM revocations WHERE due_at <= ? LIMIT 1", [now]
            ).get().isEmpty
        }
        guard isDue, count > 0 else { return [] }
        return try await write([.revocations]) { session in
            let due = try session.rows(
                of: "revocations",
                """
                SELECT tenant, method, "user", content, attempts FROM revocations WHERE due_at <= ? ORDER BY due_at LIMIT ?
                """, [now, count]
            ).get().map { row in
                GrantRevocation(
                    tenant: try row.value("tenant"), method: try row.value("method"), user: try row.value("user"),
                    grant: try row.value("content"), attempts: try row.value("attempts"))
            }
            for one in due {
                // Counted before the attempt: a node that dies during it has tried.
                try session.run(
                    "UPDATE revocations SET due_at = ?, attempts = attempts + 1 WHERE tenant = ? AND method = ?",
                    [end, one.tenant, one.method])
            }
            return due
        }
    }

    package func endRevocation(
        _ revocation: GrantRevocation, recording event: AuditEvent
    ) async throws(StoreError) {
        try await write([]) { session in
            let ended = try session.change(
                "DELETE FROM revocations WHERE tenant = ? AND method = ?", [revocation.tenant, revocation.method])
            if ended == 1 { try session.insert(event) }
        }
    }

    package func postponeRevocation(
        _ revocation: GrantRevocation, until due: Date
    ) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                "UPDATE revocations SET due_at = ? WHERE tenant = ? AND method = ? AND attempts = ?",
                [due, revocation.tenant, revocation.method, revocation.attempts + 1])
        }
    }
}

extension SQLSession {
    /// Queues the grants of identities whose rows are about to be deleted.
    ///
    /// - Parameter condition: Which methods of the tenant go.
    func queueRevocations(
        ofMethods condition: String, _ values: [any StoredValue], in tenant: TenantID
    ) throws {
        try run(
            """
            INSERT INTO revocations (tenant, method, "user", credential, content, attempts, due_at)
            SELECT tenant, id, "user", credential, secret, 0, 0 FROM strong_methods
            WHERE tenant = ? AND \(condition) AND kind = '\(StrongMethod.identityName)' AND secret IS NOT NULL
            ON CONFLICT (tenant, method) DO NOTHING
            """, [tenant] + values)
    }

    /// The identity is linked again: to end what the user allowed before would end what the user allows now.
    func forgetRevocations(of credential: Data, in tenant: TenantID) throws {
        try run("DELETE FROM revocations WHERE tenant = ? AND credential = ?", [tenant, credential])
    }

    /// Keeps what can be revoked, for an identity that has nothing.
    func keep(_ grant: Data, of method: UUID, of user: UserID, in tenant: TenantID) throws {
        try run(
            """
            UPDATE strong_methods SET secret = ?
            WHERE tenant = ? AND "user" = ? AND id = ? AND kind = '\(StrongMethod.identityName)' AND secret IS NULL
            """, [grant, tenant, user, method])
    }
}
