import Crypto
import CryptoExtras
import IdentityEngine
import JWTKit
import NativeAuthCore
import PortableFoundation

/// An opened key and its id.
struct SigningKey: Sendable {
    /// The header parameter `kid` (RFC 7515 section 4.1.4).
    let kid: String
    let privateKey: PrivateKey

    var algorithm: SigningKeyRecord.Algorithm { privateKey.algorithm }

    /// Makes `collection` sign with this key.
    func add(to collection: JWTKeyCollection) async throws {
        let serializer = DefaultJWTSerializer(jsonEncoder: JSONEncoder.sorted)
        let kid = JWKIdentifier(string: kid)
        switch privateKey {
        case .rsa(let key):
            try await collection.add(
                rsa: Insecure.RSA.PrivateKey(backing: key), digestAlgorithm: .sha256, kid: kid, serializer: serializer)
        case .p256(let key):
            try await collection.add(ecdsa: ES256PrivateKey(backing: key), kid: kid, serializer: serializer)
        }
    }
}

/// The private part of a key. The type of the key decides the algorithm (`SEC-TOK-2`).
enum PrivateKey: Sendable {
    /// 2048 bits or more, for RS256 (RFC 7518 section 3.3).
    case rsa(_RSA.Signing.PrivateKey)
    /// For ES256 (RFC 7518 section 3.4).
    case p256(P256.Signing.PrivateKey)

    /// Makes a key from the crypto library's own generator; takes some 100 ms for RSA.
    init(generating algorithm: SigningKeyRecord.Algorithm) throws {
        switch algorithm {
        case .rs256: self = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        case .es256: self = .p256(P256.Signing.PrivateKey())
        }
    }

    /// Decodes PKCS #8 DER.
    ///
    /// - Throws: An error of the crypto library for other bytes, a key of another kind, or RSA of fewer than 2048 bits.
    init(pkcs8: Data, algorithm: SigningKeyRecord.Algorithm) throws {
        switch algorithm {
        case .rs256: self = .rsa(try _RSA.Signing.PrivateKey(derRepresentation: pkcs8))
        case .es256: self = .p256(try P256.Signing.PrivateKey(derRepresentation: pkcs8))
        }
    }

    /// PKCS #8 DER (RFC 5208), clear text.
    var pkcs8: Data {
        switch self {
        case .rsa(let key): key.pkcs8DERRepresentation
        case .p256(let key): key.derRepresentation
        }
    }

    /// The signature in the form of JWS (RFC 7518 sections 3.3 and 3.4).
    func signature(of message: Data) throws -> Data {
        let digest = SHA256.hash(data: message)
        switch self {
        case .rsa(let key): return try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(let key): return try key.signature(for: digest).rawRepresentation
        }
    }

    var algorithm: SigningKeyRecord.Algorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        }
    }
}

/// The public part of a key as a JSON Web Key (RFC 7517 section 4, RFC 7518 section 6); binary values are base64url.
struct PublicJWK: Encodable {
    let kty: String
    let use = "sig"
    let alg: String
    let kid: String
    var n: String?
    var e: String?
    var crv: String?
    var x: String?
    var y: String?

    init(_ key: SigningKey) throws {
        kid = key.kid
        alg = key.algorithm.rawValue
        switch key.privateKey {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            kty = "RSA"
            n = Base64URL.encode(numbers.modulus)
            e = Base64URL.encode(numbers.publicExponent)
        case .p256(let key):
            // The raw form is both coordinates, 32 bytes each.
            let point = key.publicKey.rawRepresentation
            kty = "EC"
            crv = "P-256"
            x = Base64URL.encode(point.prefix(32))
            y = Base64URL.encode(point.suffix(32))
        }
    }
}
