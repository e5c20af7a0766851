package import IdentityEngine
package import NativeAuthCore
import PortableFoundation
import Synchronization

/// The tokens by which receivers know this server: signed with the tenant's key, for the receiver as audience.
package final class HookTokens: Sendable {
    /// The `azp` of the tokens: the number by which receivers written for the vendor know its callers (docs/protocol.md
    /// §20.1).
    package static let caller = ClientID(
        UUID(
            uuid: (
                0x99, 0x04, 0x5F, 0xE1, 0x76, 0x39, 0x4A, 0x75, 0x9D, 0x4A, 0x57, 0x7B, 0x6C, 0xA3, 0x81, 0x0F
            )))

    /// Seconds that a token is valid, and that it is used again.
    private static let (lifetime, use) = (600, 60.0)

    private struct Key: Hashable {
        var tenant: TenantID
        var audience: UUID
    }

    private struct Known {
        var token: Secret<String>
        var issuedAt: Date
    }

    private let issuer: any TokenIssuer
    private let baseURL: String
    private let randomness: any Randomness
    private let known = Mutex<[Key: Known]>([:])

    /// - Parameters:
    ///   - issuer: Signs the tokens with the tenant's key.
    ///   - baseURL: The server's own base URL, without a trailing slash.
    package init(issuer: any TokenIssuer, baseURL: String, randomness: any Randomness) {
        self.issuer = issuer
        self.baseURL = baseURL
        self.randomness = randomness
    }

    /// A token for a receiver; one is used for a minute.
    func token(
        of tenant: TenantID, for audience: UUID, now: Date
    ) async throws(TokenIssuerError) -> Secret<String> {
        let key = Key(tenant: tenant, audience: audience)
        func isFresh(_ known: Known) -> Bool { (0..<Self.use).contains(now.timeIntervalSince(known.issuedAt)) }
        if let found = known.withLock({ $0[key] }), isFresh(found) { return found.token }
        let token = try await issuer.sign(
            DaemonTokenSubject(
                tenant: tenant, daemon: Self.caller, audience: audience.text, roles: [], isProvenByAssertion: false,
                issuedAt: now, lifetime: Self.lifetime, tokenID: randomness.uuid(), issuer: baseURL))
        known.withLock { known in
            known = known.filter { isFresh($0.value) }
            known[key] = Known(token: token, issuedAt: now)
        }
        return token
    }

    /// The header fields of a call, without those of its body.
    static func headers(_ token: Secret<String>) -> [String] {
        ["Accept: application/json", "User-Agent: native-auth", "Authorization: Bearer \(token.reveal())"]
    }
}
