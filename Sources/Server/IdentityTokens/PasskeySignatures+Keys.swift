import Crypto
import CryptoExtras
package import IdentityEngine
package import PortableFoundation

/// Checks keys and signatures of passkeys with swift-crypto.
package struct KeyedPasskeySignatures: PasskeySignatures {
    package init() {}

    package func isUsable(_ key: PasskeyKey) -> Bool { PublicKey(key) != nil }

    package func isValid(_ signature: Data, over message: Data, by key: PasskeyKey) -> Bool {
        switch PublicKey(key) {
        case .p256(let key):
            do {
                return key.isValidSignature(try .init(derRepresentation: signature), for: message)
            } catch {
                // Not DER of two numbers.
                return false
            }
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .rsa(let key):
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        case nil: return false
        }
    }
}

/// The key of the library.
private enum PublicKey {
    case p256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)

    /// In bits. The library has no upper limit that is low enough.
    private static let modulusSizes = 2_048...4_096

    /// Nil for a key that is not usable.
    init?(_ key: PasskeyKey) {
        do {
            switch key {
            case .p256(let x963): self = .p256(try P256.Signing.PublicKey(x963Representation: x963))
            case .ed25519(let bytes):
                guard !Self.hasSmallOrder(bytes) else { return nil }
                self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bytes))
            case .rsa(let modulus, let exponent):
                guard let first = modulus.first, let last = modulus.last, first != 0, last & 1 == 1,
                    Self.modulusSizes.contains(modulus.count * 8 - first.leadingZeroBitCount)
                else { return nil }
                self = .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
            }
        } catch {
            // Not a key of this algorithm.
            return nil
        }
    }

    /// Whether it is one of the few points with which a signature can be made without a private key.
    private static func hasSmallOrder(_ key: Data) -> Bool {
        guard key.count == 32, let last = key.last else { return false }
        // The highest bit is the sign of the other coordinate.
        return smallOrders.contains(key.dropLast() + [last & 0x7F])
    }

    /// The coordinates y of the eight points whose order divides 8, little-endian, and second forms of two of them.
    private static let smallOrders: Set<Data> = [
        Data(repeating: 0, count: 32),
        Data([0x01]) + Data(repeating: 0, count: 31),
        Data([0xEC]) + Data(repeating: 0xFF, count: 30) + Data([0x7F]),
        Data([0xED]) + Data(repeating: 0xFF, count: 30) + Data([0x7F]),
        Data([0xEE]) + Data(repeating: 0xFF, count: 30) + Data([0x7F]),
        Data([
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ]),
        Data([
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ]),
    ]
}
