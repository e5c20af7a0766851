import GRDB
package import IdentityEngine
package import NativeAuthCore

extension SQLiteStore: KeyStore {
    package func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        try await read { try $0.signingKeys(for: tenant) }
    }

    package func insertFirstSigningKey(
        _ record: SigningKeyRecord
    ) async throws(StoreError) -> [SigningKeyRecord] {
        try await writer.write { db in
            let present = try db.signingKeys(for: record.tenant)
            if present.contains(where: { $0.algorithm == record.algorithm }) { return present }
            try db.run(
                "INSERT INTO signing_keys (tenant, kid, algorithm, sealed_private_key, created_at) VALUES (?, ?, ?, ?, ?)",
                [record.tenant, record.kid, record.algorithm, record.sealedPrivateKey, record.createdAt])
            return try db.signingKeys(for: record.tenant)
        }
    }
}

extension Database {
    fileprivate func signingKeys(for tenant: TenantID) throws -> [SigningKeyRecord] {
        try rows(
            of: "signing_keys",
            """
            SELECT kid, algorithm, sealed_private_key, created_at FROM signing_keys
            WHERE tenant = ? ORDER BY created_at DESC, kid
            """, [tenant]
        ).map { row in
            SigningKeyRecord(
                tenant: tenant, kid: try row.value("kid"), algorithm: try row.value("algorithm"),
                sealedPrivateKey: try row.value("sealed_private_key"), createdAt: try row.value("created_at"))
        }
    }
}
