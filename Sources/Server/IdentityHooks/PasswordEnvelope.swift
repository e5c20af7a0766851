import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import SwiftASN1
import X509

/// The RSA key of a receiver that judges passwords.
package struct EncryptionKey {
    private let key: _RSA.Encryption.PublicKey

    /// The longest PEM text in bytes: a certificate with RSA of 8192 bits has about 3,500.
    private static let longest = 16_384

    /// Reads PEM of a SubjectPublicKeyInfo (RFC 7468 section 13) or of one certificate (section 5), whose dates and issuer
    /// do not matter.
    ///
    /// - Returns: Nil for any other text, for another kind of key, and for RSA of fewer than 2048 bits.
    package init?(pem: String) {
        guard pem.utf8.count <= Self.longest else { return nil }
        do {
            let documents = try PEMDocument.parseMultiple(pemString: pem)
            guard let document = documents.first, documents.count == 1 else { return nil }
            switch document.discriminator {
            case "PUBLIC KEY": key = try _RSA.Encryption.PublicKey(derRepresentation: document.derBytes)
            case "CERTIFICATE":
                let certified = _RSA.Signing.PublicKey(try Certificate(pemDocument: document).publicKey)
                guard let certified else { return nil }
                key = try _RSA.Encryption.PublicKey(derRepresentation: certified.derRepresentation)
            case _: return nil
            }
        } catch {
            // The libraries' errors do not say more than that the text is neither.
            return nil
        }
    }

    /// Encrypts a text for the receiver: a JWE in compact form (RFC 7516 section 3.1) with `RSA-OAEP-256` and `A256GCM`
    /// (RFC 7518 sections 4.3 and 5.3).
    func sealed(_ text: String, of type: String, _ randomness: any Randomness) throws -> String {
        let header = Base64URL.encode(Data(#"{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":"\#(type)"}"#.utf8))
        let content = SymmetricKey(data: randomness.bytes(32))
        let box = try AES.GCM.seal(
            Data(text.utf8), using: content, nonce: AES.GCM.Nonce(data: randomness.bytes(12)),
            authenticating: Data(header.utf8))
        let wrapped = try content.withUnsafeBytes { try key.encrypt(Data($0), padding: .PKCS1_OAEP_SHA256) }
        return [header, Base64URL.encode(wrapped), Base64URL.encode(Data(box.nonce)), Base64URL.encode(box.ciphertext)]
            .joined(separator: ".") + "." + Base64URL.encode(box.tag)
    }
}

/// A password as it travels to a receiver: an unsigned JWT (RFC 7519 section 6) inside a JWE. The bearer token of the call
/// says who sends it.
struct PasswordEnvelope {
    private struct Claims: Encodable {
        let password: String
        let username: String
        let nonce: String

        enum CodingKeys: String, CodingKey {
            case password = "user-password"
            case username, nonce
        }
    }

    /// What the receiver must return, so that an answer to another call is not taken for this one's.
    let nonce: String
    /// Five parts with dots between.
    let jwe: String

    /// - Throws: ``HookFailure/noToken`` when the hook has no usable key, which its document's check excludes.
    init(_ submitted: SubmittedPassword, for hook: Hook, _ randomness: any Randomness) throws(HookFailure) {
        guard let key = hook.migration.flatMap({ EncryptionKey(pem: $0.encryptionKey) }) else { throw .noToken }
        nonce = randomness.uuid().text
        do {
            let claims = try JSONEncoder().encode(
                Claims(password: submitted.password.reveal(), username: submitted.user.email, nonce: nonce))
            let header = Base64URL.encode(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))
            jwe = try key.sealed("\(header).\(Base64URL.encode(claims)).", of: "JWT", randomness)
        } catch {
            // Do not pass the error on: it may quote what was encrypted.
            throw .noToken
        }
    }
}
