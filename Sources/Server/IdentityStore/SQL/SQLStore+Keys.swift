package import IdentityEngine
package import NativeAuthCore

extension SQLStore {
    package func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        try await read { try $0.signingKeys(for: tenant).get() }
    }

    package func updateSigningKeys(
        for tenant: TenantID, recording event: AuditEvent?,
        decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord] {
        try await write([.signingKeys(of: tenant)]) { session in
            let present = try session.signingKeys(for: tenant).get()
            guard let wanted = decide(present) else { return present }
            let gone = present.filter { old in !wanted.contains { $0.kid == old.kid } }
            for record in gone {
                try session.run("DELETE FROM signing_keys WHERE tenant = ? AND kid = ?", [tenant, record.kid])
            }
            for record in wanted {
                try session.run(
                    """
                    INSERT INTO signing_keys (tenant, kid, algorithm, sealed_private_key, created_at, active_from)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (tenant, kid) DO UPDATE SET active_from = excluded.active_from
                    WHERE signing_keys.active_from != excluded.active_from
                    """,
                    [
                        tenant, record.kid, record.algorithm, record.sealedPrivateKey, record.createdAt,
                        record.activeFrom,
                    ])
            }
            let now = try session.signingKeys(for: tenant).get()
            let changes = now.filter { !present.contains($0) }.map { "+\($0.kid)" } + gone.map { "-\($0.kid)" }
            if let event, !changes.isEmpty {
                try session.insert(
                    AuditEvent(event.kind, at: event.at, tenant: tenant, detail: changes.joined(separator: " ")))
            }
            return now
        }
    }
}

extension SQLSession {
    fileprivate func signingKeys(for tenant: TenantID) throws -> Pending<[SigningKeyRecord]> {
        try rows(
            of: "signing_keys",
            """
            SELECT kid, algorithm, sealed_private_key, created_at, active_from FROM signing_keys
            WHERE tenant = ? ORDER BY active_from DESC, created_at DESC, kid
            """, [tenant]
        ).map { rows in
            try rows.map { row in
                SigningKeyRecord(
                    tenant: tenant, kid: try row.value("kid"), algorithm: try row.value("algorithm"),
                    sealedPrivateKey: try row.value("sealed_private_key"), createdAt: try row.value("created_at"),
                    activeFrom: try row.value("active_from"))
            }
        }
    }
}
