package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func push(_ request: PushedRequest, most: Int, now: Date) async throws(StoreError) -> Bool {
        try await write([]) { session in
            let waiting = try session.rows(
                of: "pushed_requests",
                "SELECT COUNT(*) AS number FROM pushed_requests WHERE tenant = ? AND client = ? AND until > ?",
                [request.tenant, request.client, now])
            guard try waiting.get().first?.value("number", as: Int.self) ?? 0 < most else { return false }
            try session.run(
                "INSERT INTO pushed_requests (tenant, digest, client, content, until) VALUES (?, ?, ?, ?, ?)",
                [request.tenant, request.digest, request.client, request.content, request.until])
            return true
        }
    }

    package func takePushedRequest(
        _ digest: Data, of client: ClientID, in tenant: TenantID
    ) async throws(StoreError) -> PushedRequest? {
        // Made-up references cost a look.
        let found: PushedRequest? = try await read { session in
            let rows = try session.rows(
                of: "pushed_requests",
                "SELECT * FROM pushed_requests WHERE tenant = ? AND digest = ? AND client = ?",
                [tenant, digest, client])
            return try rows.get().first.map { row in
                PushedRequest(
                    tenant: tenant, digest: digest, client: client, content: try row.value("content"),
                    until: try row.value("until"))
            }
        }
        guard let found else { return nil }
        let taken = try await write([]) { session in
            try session.change(
                "DELETE FROM pushed_requests WHERE tenant = ? AND digest = ? AND client = ?",
                [tenant, digest, client])
        }
        return taken == 1 ? found : nil
    }
}
