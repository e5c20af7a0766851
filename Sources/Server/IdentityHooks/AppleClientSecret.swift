import Crypto
package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

/// The secret of a client at Apple: a token of the developer's team, signed with one of its keys (Apple's documentation, "Creating a
/// client secret"). It is made anew for each exchange of a code, so that none has an end that an operator must know.
package struct AppleClientSecret: Sendable {
    /// For how long a secret is valid, in seconds. Apple allows six months.
    private static let lifetime = 300
    private static let audience = "https://appleid.apple.com"

    private let key: P256.Signing.PrivateKey
    private let name: IdentityProvider.AppleKey

    /// - Parameter file: The file that Apple gives for the key (`.p8`): PEM of PKCS#8 (RFC 7468 section 10), or the text between its
    ///   first and its last line, with any line breaks, also as `\n` in one line.
    /// - Returns: Nil when this is no key for ES256.
    package init?(_ file: Secret<String>, _ name: IdentityProvider.AppleKey) {
        let text = file.reveal().replacing("-----BEGIN PRIVATE KEY-----", with: "")
            .replacing("-----END PRIVATE KEY-----", with: "").replacing("\\n", with: "").filter { !$0.isWhitespace }
        guard let bytes = Data(base64Encoded: text) else { return nil }
        do {
            key = try P256.Signing.PrivateKey(derRepresentation: bytes)
        } catch {
            return nil
        }
        self.name = name
    }

    /// The secret of a client (RFC 7519, RFC 7518 section 3.4).
    ///
    /// - Parameter client: The id of the pages at Apple, a Services ID.
    /// - Throws: The errors of the signature, which input does not cause.
    package func token(for client: String, now: Date) throws -> Secret<String> {
        let issued = Int(now.timeIntervalSince1970)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func part(_ members: [String: JSONValue]) throws -> String { Base64URL.encode(try encoder.encode(members)) }
        let header = try part(["alg": .string("ES256"), "kid": .string(name.key)])
        let claims = try part([
            "iss": .string(name.team), "sub": .string(client), "aud": .string(Self.audience),
            "iat": .integer(issued), "exp": .integer(issued + Self.lifetime),
        ])
        let message = "\(header).\(claims)"
        let signature = try key.signature(for: Data(message.utf8))
        return Secret("\(message).\(Base64URL.encode(signature.rawRepresentation))")
    }
}
