package import PortableFoundation

/// The public key of a passkey, of an algorithm that the server takes.
///
/// The lengths of its parts are checked; ``PasskeySignatures/isUsable(_:)`` checks the rest.
package enum PasskeyKey: Hashable, Sendable {
    /// A key of ES256: 04 and the two coordinates, 65 bytes (ANSI X9.63).
    case p256(x963: Data)
    /// A key of EdDSA with the curve Ed25519, 32 bytes (RFC 8032).
    case ed25519(Data)
    /// A key of RS256: a modulus of 256 to 512 bytes without leading zeros, and the exponent 01 00 01; big-endian.
    case rsa(modulus: Data, exponent: Data)

    /// The COSE numbers of the algorithms that the server offers, the preferred one first: EdDSA, ES256, RS256.
    package static let algorithms = [-8, -7, -257]

    /// Reads a COSE key (RFC 9053): exactly the members of its type and its algorithm, in any order.
    ///
    /// Takes the numbers in ``algorithms``, and -9 and -19, which mean the same as -7 and -8 (RFC 9864).
    ///
    /// - Throws: ``PasskeyFault/unsupportedAlgorithm``, or ``PasskeyFault/unusableKey``, also for bytes after the key.
    package init(cose: Data) throws(PasskeyFault) {
        self = try COSEKey(cose).key
    }
}

/// Checks keys and signatures of passkeys. Module IdentityTokens implements it.
package protocol PasskeySignatures: Sendable {
    /// Whether `key` is a key of its algorithm: a point of the curve P-256, or a modulus of 2,048 to 4,096 bits.
    func isUsable(_ key: PasskeyKey) -> Bool
    /// Whether `signature` was made with the private part of `key` over `message`. False for a key that is not usable.
    ///
    /// - Parameter signature: For ES256 in DER form; for EdDSA 64 bytes; for RS256 as long as the modulus.
    func isValid(_ signature: Data, over message: Data, by key: PasskeyKey) -> Bool
}

/// A COSE key with the number of its algorithm.
struct COSEKey {
    let algorithm: Int
    let key: PasskeyKey

    private enum Label {
        static let type = CTAPReader.Key.integer(1)
        static let algorithm = CTAPReader.Key.integer(3)
        static let curve = CTAPReader.Key.integer(-1)
        static let x = CTAPReader.Key.integer(-2)
        static let y = CTAPReader.Key.integer(-3)
        static let modulus = CTAPReader.Key.integer(-1)
        static let exponent = CTAPReader.Key.integer(-2)
    }

    /// In bytes, for 2,048 to 4,096 bits. A check with a longer modulus would cost the server too much time.
    private static let modulusSizes = 256...512

    /// See ``PasskeyKey/init(cose:)``.
    init(_ bytes: Data) throws(PasskeyFault) {
        guard case .map(let members) = CTAPReader.value(of: bytes) else { throw .unusableKey }
        guard case .integer(let algorithm) = members[Label.algorithm] else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        let type = members[Label.type]
        let curve = members[Label.curve]
        switch algorithm {
        case -7, -9:
            // A compressed point has a boolean in place of the second coordinate.
            guard members.count == 5, type == .integer(2), curve == .integer(1),
                case .bytes(let x) = members[Label.x], x.count == 32,
                case .bytes(let y) = members[Label.y], y.count == 32
            else { throw .unusableKey }
            key = .p256(x963: Data([0x04]) + x + y)
        case -8, -19:
            guard members.count == 4, type == .integer(1), curve == .integer(6),
                case .bytes(let x) = members[Label.x], x.count == 32
            else { throw .unusableKey }
            key = .ed25519(x)
        case -257:
            guard members.count == 4, type == .integer(3), case .bytes(let modulus) = members[Label.modulus],
                Self.modulusSizes.contains(modulus.count), modulus.first != 0,
                case .bytes(let exponent) = members[Label.exponent], exponent == Data([0x01, 0x00, 0x01])
            else { throw .unusableKey }
            key = .rsa(modulus: modulus, exponent: exponent)
        case _: throw .unsupportedAlgorithm
        }
    }
}
