import Crypto
package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

/// The identity provider that a development server plays, so that sign-in by a provider can be tried without one. It signs in any user
/// without a proof, as the inbox shows every code. The server asks it in its own process, and never over the network: what it publishes
/// has no address. Production has none (`SEC-PRF-1`).
package struct SampleProvider: ProviderDocuments {
    private let provider = IdentityProvider.sample
    private let signer: ProviderSigner
    private let page: String
    private let others: any ProviderDocuments

    /// - Parameters:
    ///   - vault: Its master key decides the key of the tokens, so that the servers of one database have the same.
    ///   - page: The address of the page that signs in, for browsers.
    ///   - others: Fetches the documents of all other providers.
    /// - Throws: What the crypto library throws for a digest that is no key of the curve: one master key of four thousand million.
    package init(_ vault: Vault, page: String, others: any ProviderDocuments) throws {
        self.page = page
        self.others = others
        let seed = vault.digest(.sampleProvider, tenant: .development, [])
        signer = ProviderSigner(try P256.Signing.PrivateKey(rawRepresentation: seed))
    }

    /// Signs the owner of an address in. The same address is the same person.
    ///
    /// - Parameters:
    ///   - client: The audience.
    ///   - email: Stated as verified.
    /// - Throws: What the coder or the crypto library throws.
    package func idToken(for email: String, nonce: String, client: String, now: Date) throws -> String {
        let time = Int(now.timeIntervalSince1970)
        return try signer.token([
            "iss": .string(provider.issuer), "aud": .string(client), "sub": .string(Self.subject(of: email)),
            "iat": .integer(time), "exp": .integer(time + 600), "auth_time": .integer(time),
            "nonce": .string(nonce), "email": .string(email), "email_verified": .boolean(true),
        ])
    }

    private static func subject(of email: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(email.lowercased().utf8)).prefix(16))
    }

    // MARK: What the server asks

    package func document(at url: String) async throws(ProviderFault) -> Data {
        guard url.hasPrefix(provider.issuer + "/") else { return try await others.document(at: url) }
        let members: [String: JSONValue] =
            switch url.dropFirst(provider.issuer.count) {
            case "/.well-known/openid-configuration":
                ProviderSigner.discovery(of: provider.issuer, authorizationEndpoint: page)
            case "/keys": signer.keys
            case _: throw .refused
            }
        return try Self.json(members)
    }

    /// A code of this provider is its ID token: nothing is kept in between, and the nonce in it serves once.
    package func exchange(_ request: ProviderCodeExchange) async throws(ProviderFault) -> Data {
        guard request.endpoint.hasPrefix(provider.issuer + "/") else { return try await others.exchange(request) }
        return try Self.json(["id_token": .string(request.code.code.reveal())])
    }

    package func revoke(_ request: ProviderRevocation) async throws(ProviderFault) {
        guard request.endpoint.hasPrefix(provider.issuer + "/") else { return try await others.revoke(request) }
    }

    private static func json(_ members: [String: JSONValue]) throws(ProviderFault) -> Data {
        do {
            return try JSONEncoder().encode(members)
        } catch {
            throw .refused
        }
    }
}
