import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

@Suite("The source of audit lines") struct AuditSourceTests {
    @Test("SEC-AUD-1: lines have a keyed pseudonym of the source, the same for one address, and never the address")
    func theSourceIsAPseudonym() async throws {
        try await withIdentityServer { server in
            func signUp(_ name: String, from address: String) async throws -> String? {
                let transport = InProcessTransport(
                    routes: server.routes(), within: AccessPolicy(), peer: IPAddress(address))
                let client = WireClient(transport: transport, clientID: server.client().clientID)
                _ = try await client.challenge(client.start("\(name)@example.com").token)
                return try await server.rows("SELECT hex(source) FROM audit ORDER BY seq DESC LIMIT 1").first?.first
                    ?? nil
            }
            let (first, again, other) = (
                try await signUp("a", from: "192.0.2.1"), try await signUp("b", from: "192.0.2.1"),
                try await signUp("c", from: "192.0.2.2")
            )
            #expect(first?.count == 32 && first == again && first != other, "\(String(describing: first))")
            #expect(first?.contains("C0000201") == false)
            #expect(try await server.rows("SELECT COUNT(*) FROM audit WHERE detail LIKE '%192.0.2%'") == [["0"]])
        }
    }
}
