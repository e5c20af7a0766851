package import IdentityEngine
package import NativeAuthCore
import PortableFoundation

extension KeyRing {
    package nonisolated func verify(
        _ assertion: Secret<String>, signedByOneOf keys: [DaemonKey]
    ) throws(AssertionFault) -> VerifiedAssertion {
        let token: CompactToken
        do {
            token = try CompactToken(assertion)
        } catch {
            throw .malformed
        }
        guard let header = Base64URL.decode(token.header).flatMap({ Self.decoded(AssertionHeader.self, $0) }),
            !header.isCritical, let algorithm = AssertionAlgorithm(rawValue: header.alg),
            let end = token.text.utf8.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64URL.decode(String(token.text[token.text.utf8.index(after: end)...]))
        else { throw .malformed }
        let message = Data(token.text[..<end].utf8)
        let isSigned = keys.contains { key in
            DaemonPublicKey(pem: key.publicKey)?.isValid(signature, of: message, by: algorithm) == true
        }
        guard isSigned else { throw .wrongSignature }
        // Nothing of the claims is read before.
        guard let claims = Self.decoded(AssertionClaims.self, token.payload), let read = VerifiedAssertion(claims)
        else { throw .malformed }
        return read
    }

    /// Nil for anything else than JSON of that shape.
    static func decoded<Value: Decodable>(_ type: Value.Type, _ json: Data) -> Value? {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            // The decoder's message would quote the token.
            return nil
        }
    }
}

/// The header of an assertion. All other parameters are ignored, such as a thumbprint `x5t` with padding.
struct AssertionHeader: Decodable {
    let alg: String
    /// Whether the header has the parameter `crit`, with any value.
    let isCritical: Bool

    private enum CodingKeys: String, CodingKey { case alg, crit }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        alg = try container.decode(String.self, forKey: .alg)
        isCritical = container.contains(.crit)
    }
}

/// The claims of an assertion. Times can have fractions of a second, as released clients send them.
struct AssertionClaims: Decodable {
    let iss, sub, jti: String
    let aud: Audience
    let exp: Double
    let nbf, iat: Double?

    /// One text or a list (RFC 7519 section 4.1.3).
    enum Audience: Decodable {
        case one(String)
        case several([String])

        var all: [String] {
            switch self {
            case .one(let audience): [audience]
            case .several(let audiences): audiences
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                self = .one(try container.decode(String.self))
            } catch DecodingError.typeMismatch {
                self = .several(try container.decode([String].self))
            }
        }
    }
}

extension VerifiedAssertion {
    /// The longest `jti`, in bytes.
    private static let longestID = 256

    /// - Returns: Nil when the assertion has no usable `jti`.
    fileprivate init?(_ claims: AssertionClaims) {
        guard (1...Self.longestID).contains(claims.jti.utf8.count) else { return nil }
        let audiences =
            switch claims.aud {
            case .one(let audience): [audience]
            case .several(let audiences): audiences
            }
        self.init(
            issuer: claims.iss, subject: claims.sub, audiences: audiences,
            expiresAt: Date(timeIntervalSince1970: claims.exp),
            notBefore: claims.nbf.map { Date(timeIntervalSince1970: $0) },
            issuedAt: claims.iat.map { Date(timeIntervalSince1970: $0) }, id: claims.jti)
    }
}
