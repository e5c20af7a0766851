package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func names(ofIdentity key: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> Data? {
        try await read { session in
            try session.rows(
                of: "identity_names",
                "SELECT content FROM identity_names WHERE tenant = ? AND credential = ? AND until > ?",
                [tenant, key, now]
            ).get().first?.value("content")
        }
    }
}

extension SQLSession {
    func keep(_ names: NamesOfIdentity, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO identity_names (tenant, credential, content, until) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant, credential) DO UPDATE SET content = excluded.content, until = excluded.until
            """, [tenant, names.key, names.sealed, names.until])
    }
}
