package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func useAssertion(
        _ mark: Data, in tenant: TenantID, until end: Date, recording event: AuditEvent?
    ) async throws(StoreError) -> Bool {
        try await write([]) { session in
            // The key of the table decides between parallel uses: a second insertion waits for the first.
            let inserted = try session.change(
                """
                INSERT INTO used_assertions (tenant, mark, until) VALUES (?, ?, ?) ON CONFLICT (tenant, mark) DO NOTHING
                """, [tenant, mark, end])
            guard inserted == 1 else { return false }
            if let event { try session.insert(event) }
            return true
        }
    }
}
