import Crypto
import CryptoExtras
package import IdentityEngine
import NativeAuthCore
import PortableFoundation

extension KeyRing {
    package nonisolated func verifyProof(_ proof: String) throws(ProofFault) -> VerifiedProof {
        guard proof.utf8.count <= ProofHeader.longestProof else { throw .malformed }
        let token: CompactToken
        do {
            token = try CompactToken(Secret(proof))
        } catch {
            throw .malformed
        }
        guard let header = Base64URL.decode(token.header).flatMap({ Self.decoded(ProofHeader.self, $0) }),
            header.typ == ProofHeader.type, !header.isCritical, let key = header.jwk.publicKey,
            key.algorithm.rawValue == header.alg, let end = proof.utf8.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64URL.decode(String(proof[proof.utf8.index(after: end)...]))
        else { throw .malformed }
        guard key.isValid(signature, of: Data(proof[..<end].utf8)) else { throw .wrongSignature }
        // Nothing of the claims is read before.
        guard let claims = Self.decoded(ProofClaims.self, token.payload),
            (1...ProofClaims.longestID).contains(claims.jti.utf8.count)
        else { throw .malformed }
        return VerifiedProof(
            key: key.thumbprint, method: claims.htm, target: claims.htu,
            issuedAt: Date(timeIntervalSince1970: claims.iat),
            expiresAt: claims.exp.map { Date(timeIntervalSince1970: $0) },
            notBefore: claims.nbf.map { Date(timeIntervalSince1970: $0) }, id: claims.jti, tokenDigest: claims.ath)
    }
}

/// The header of a proof (RFC 9449 section 4.2).
private struct ProofHeader: Decodable {
    static let type = "dpop+jwt"
    /// In bytes: one with RSA of 4096 bits has some 1,700.
    static let longestProof = 4_096

    let typ, alg: String
    let jwk: ProofKey
    /// Whether the header has the parameter `crit`, with any value.
    let isCritical: Bool

    private enum CodingKeys: String, CodingKey { case typ, alg, jwk, crit }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        typ = try container.decode(String.self, forKey: .typ)
        alg = try container.decode(String.self, forKey: .alg)
        jwk = try container.decode(ProofKey.self, forKey: .jwk)
        isCritical = container.contains(.crit)
    }
}

/// The claims of a proof.
private struct ProofClaims: Decodable {
    /// In bytes.
    static let longestID = 128

    let jti, htm, htu: String
    let iat: Double
    let exp, nbf: Double?
    let ath: String?
}

/// The key of a proof as a JSON Web Key (RFC 7517, RFC 7518 section 6, RFC 8037 section 2).
struct ProofKey: Decodable {
    private let kty: String
    private let crv, x, y, n, e: String?
    /// Whether it has a member of a private or a symmetric key.
    private let isSecret: Bool

    private enum CodingKeys: String, CodingKey {
        case kty, crv, x, y, n, e
        // Private and symmetric.
        case d, p, q, dp, dq, qi, oth, k
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kty = try container.decode(String.self, forKey: .kty)
        crv = try container.decodeIfPresent(String.self, forKey: .crv)
        x = try container.decodeIfPresent(String.self, forKey: .x)
        y = try container.decodeIfPresent(String.self, forKey: .y)
        n = try container.decodeIfPresent(String.self, forKey: .n)
        e = try container.decodeIfPresent(String.self, forKey: .e)
        isSecret = [CodingKeys.d, .p, .q, .dp, .dq, .qi, .oth, .k].contains { container.contains($0) }
    }

    /// The bytes of RSA moduli, of 2048 to 4096 bits: a longer one would cost the server more time than the sender.
    private static let modulusSizes = 256...512
    /// The bytes of RSA exponents, for the same reason.
    private static let exponentSizes = 1...4

    /// Nil for a private key, and for one that no accepted algorithm uses.
    var publicKey: ProofPublicKey? {
        guard !isSecret else { return nil }
        do {
            switch (kty, crv) {
            case ("EC", "P-256"):
                guard let x = Self.bytes(x, 32...32), let y = Self.bytes(y, 32...32) else { return nil }
                return .p256(try P256.Signing.PublicKey(rawRepresentation: x + y))
            case ("OKP", "Ed25519"):
                guard let x = Self.bytes(x, 32...32) else { return nil }
                return .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: x))
            case ("RSA", nil):
                // A leading zero would give one key several thumbprints.
                guard let n = Self.bytes(n, Self.modulusSizes), n.first != 0, let e = Self.bytes(e, Self.exponentSizes),
                    e.first != 0
                else { return nil }
                return .rsa(try _RSA.Signing.PublicKey(n: n, e: e), n: n, e: e)
            case _: return nil
            }
        } catch {
            // Not a key of this kind.
            return nil
        }
    }

    private static func bytes(_ text: String?, _ sizes: ClosedRange<Int>) -> Data? {
        guard let text, let bytes = Base64URL.decode(text), sizes.contains(bytes.count) else { return nil }
        return bytes
    }
}

/// A public key that verifies proofs. The kind of the key decides the algorithm.
enum ProofPublicKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey, n: Data, e: Data)

    var algorithm: ProofAlgorithm {
        switch self {
        case .p256: .es256
        case .ed25519: .edDSA
        case .rsa: .rs256
        }
    }

    func isValid(_ signature: Data, of message: Data) -> Bool {
        switch self {
        case .p256(let key):
            do {
                return key.isValidSignature(try .init(rawRepresentation: signature), for: message)
            } catch {
                // Not 64 bytes.
                return false
            }
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .rsa(let key, _, _):
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        }
    }

    /// RFC 7638 section 3: SHA-256 of the members that the key needs, in the order of their names.
    var thumbprint: String {
        let members =
            switch self {
            case .p256(let key):
                #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(key.rawRepresentation.prefix(32)))","#
                    + #""y":"\#(Base64URL.encode(key.rawRepresentation.suffix(32)))"}"#
            case .ed25519(let key):
                #"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(key.rawRepresentation))"}"#
            case .rsa(_, let n, let e): #"{"e":"\#(Base64URL.encode(e))","kty":"RSA","n":"\#(Base64URL.encode(n))"}"#
            }
        return Base64URL.encode(Data(SHA256.hash(data: Data(members.utf8))))
    }
}
