import Crypto
import CryptoExtras
package import IdentityEngine
import PortableFoundation

/// A public key that verifies a daemon's assertions.
enum DaemonPublicKey: Sendable {
    /// 2048 bits or more, for RS256 and PS256 (RFC 7518 sections 3.3 and 3.5).
    case rsa(_RSA.Signing.PublicKey)
    /// For ES256 (RFC 7518 section 3.4).
    case p256(P256.Signing.PublicKey)

    /// The longest PEM text in bytes: RSA of 8192 bits has about 1,500.
    private static let longest = 4_096

    /// Reads PEM of a SubjectPublicKeyInfo (RFC 7468 section 13), `-----BEGIN PUBLIC KEY-----`; certificates are not
    /// read.
    ///
    /// - Returns: Nil for any other text, for another kind of key, and for RSA of fewer than 2048 bits.
    init?(pem: String) {
        guard pem.utf8.count <= Self.longest, pem.contains("BEGIN PUBLIC KEY") else { return nil }
        do {
            self = .p256(try P256.Signing.PublicKey(pemRepresentation: pem))
        } catch {
            do {
                self = .rsa(try _RSA.Signing.PublicKey(pemRepresentation: pem))
            } catch {
                // The libraries' errors do not say more than that the key is of neither kind.
                return nil
            }
        }
    }

    func isValid(_ signature: Data, of message: Data, by algorithm: AssertionAlgorithm) -> Bool {
        let digest = SHA256.hash(data: message)
        switch (self, algorithm) {
        case (.rsa(let key), .rs256):
            return key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        case (.rsa(let key), .ps256):
            return key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: .PSS)
        case (.p256(let key), .es256):
            do {
                return key.isValidSignature(try .init(rawRepresentation: signature), for: digest)
            } catch {
                // Not 64 bytes.
                return false
            }
        case (.rsa, .es256), (.p256, .rs256), (.p256, .ps256): return false
        }
    }
}

/// The accepted algorithms of assertions (RFC 7518 section 3.1).
enum AssertionAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
}

extension DaemonKey {
    /// Whether a text is a public key that can verify assertions: PEM of a SubjectPublicKeyInfo, RSA of 2048 bits or
    /// more, or P-256.
    package static func isPublicKey(_ pem: String) -> Bool { DaemonPublicKey(pem: pem) != nil }
}
