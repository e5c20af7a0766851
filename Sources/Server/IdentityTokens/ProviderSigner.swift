package import Crypto
import IdentityEngine
package import NativeAuthCore
import PortableFoundation

/// An identity provider's side of its tokens, for those that this package plays: a key, the documents that publish it, and ID tokens.
package struct ProviderSigner: Sendable {
    private let key: P256.Signing.PrivateKey

    package init(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) { self.key = key }

    private var keyID: String { Base64URL.encode(SHA256.hash(data: key.publicKey.rawRepresentation).prefix(8)) }

    /// The members of a discovery document (OpenID Connect Discovery 1.0 section 3).
    ///
    /// - Parameter authorizationEndpoint: Nil: `/authorize` of the issuer.
    package static func discovery(of issuer: String, authorizationEndpoint: String? = nil) -> [String: JSONValue] {
        [
            "issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys"),
            "authorization_endpoint": .string(authorizationEndpoint ?? issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "revocation_endpoint": .string(issuer + "/revoke"),
            "authorization_response_iss_parameter_supported": .boolean(true),
        ]
    }

    /// The members of a JWK Set with the key (RFC 7517 section 5).
    package var keys: [String: JSONValue] {
        let point = key.publicKey.rawRepresentation
        return [
            "keys": .array([
                .object([
                    "kty": .string("EC"), "crv": .string("P-256"), "use": .string("sig"), "alg": .string("ES256"),
                    "kid": .string(keyID), "x": .string(Base64URL.encode(point.prefix(32))),
                    "y": .string(Base64URL.encode(point.suffix(32))),
                ])
            ])
        ]
    }

    /// A token: JWS in its compact form, with ES256. Null leaves a member out.
    ///
    /// - Parameters:
    ///   - header: Members that take the place of the usual ones, or are added to them.
    ///   - otherKey: Signs in place of the provider's.
    /// - Throws: What the coder or the crypto library throws.
    package func token(
        _ claims: [String: JSONValue], header: [String: JSONValue] = [:], otherKey: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        func part(_ values: [String: JSONValue]) throws -> String {
            Base64URL.encode(try JSONEncoder().encode(values.filter { $0.value != .null }))
        }
        let head: [String: JSONValue] = ["alg": .string("ES256"), "kid": .string(keyID)]
        let message = try part(head.merging(header) { $1 }) + "." + part(claims)
        let signature = try (otherKey ?? key).signature(for: Data(message.utf8)).rawRepresentation
        return message + "." + Base64URL.encode(signature)
    }
}
