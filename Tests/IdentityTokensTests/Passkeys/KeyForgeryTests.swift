import Crypto
import CryptoExtras
import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation
import Testing

/// COSE keys (RFC 9053) that the server must not take, and those that it must.
@Suite("Keys of passkeys") struct KeyForgeryTests {
    private static let point = P256Authenticator.shared.key.publicKey.rawRepresentation
    private static let x = Data(point.prefix(32))
    private static let y = Data(point.suffix(32))
    private static let edwards = Curve25519.Signing.PrivateKey()
    private static let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

    private static func ec(_ changes: [(Int, CBORItem?)] = [], adding more: [(Int, CBORItem)] = []) -> CBORItem {
        changed(
            [(1, .integer(2)), (3, .integer(-7)), (-1, .integer(1)), (-2, .bytes(x)), (-3, .bytes(y))], changes, more)
    }

    private static func ed(_ changes: [(Int, CBORItem?)] = [], adding more: [(Int, CBORItem)] = []) -> CBORItem {
        changed(
            [
                (1, .integer(1)), (3, .integer(-8)), (-1, .integer(6)),
                (-2, .bytes(edwards.publicKey.rawRepresentation)),
            ],
            changes, more)
    }

    private static func rs(_ changes: [(Int, CBORItem?)] = [], adding more: [(Int, CBORItem)] = []) -> CBORItem {
        changed(
            [(1, .integer(3)), (3, .integer(-257)), (-1, .bytes(modulus)), (-2, .bytes(Data([1, 0, 1])))], changes, more
        )
    }

    private static func changed(
        _ members: [(Int, CBORItem)], _ changes: [(Int, CBORItem?)], _ more: [(Int, CBORItem)]
    ) -> CBORItem {
        var members = members
        for (label, value) in changes {
            guard let index = members.firstIndex(where: { $0.0 == label }) else { continue }
            if let value { members[index].1 = value } else { members.remove(at: index) }
        }
        return .integers(members + more)
    }

    /// The modulus of a real key of 2,048 bits.
    private static let modulus: Data = (try? rsa?.publicKey.getKeyPrimitives().modulus).map { Data($0) } ?? Data()

    @Test(
        "a key of each algorithm is taken, in its two numbers where it has two",
        arguments: [
            ("ES256", ec()), ("ESP256", ec([(3, .integer(-9))])), ("EdDSA", ed()),
            ("Ed25519", ed([(3, .integer(-19))])),
            ("RS256", rs()), ("another order", .map([CBORItem.Entry(.integer(3), .integer(-7))] + ecEntries)),
        ])
    func takes(_ name: String, _ key: CBORItem) throws {
        let key = try PasskeyKey(cose: Data(key.encoded))
        #expect(Ceremony.signatures.isUsable(key))
    }

    private static let ecEntries = [
        CBORItem.Entry(.integer(-3), .bytes(y)), .init(.integer(-2), .bytes(x)), .init(.integer(-1), .integer(1)),
        .init(.integer(1), .integer(2)),
    ]

    @Test("the algorithms are offered in this order")
    func offers() {
        #expect(PasskeyKey.algorithms == [-8, -7, -257])
    }

    @Test("SEC-PK-8: a key with another member, length, curve or algorithm is refused", arguments: forged)
    func refuses(_ forged: ForgedKey) {
        let key: PasskeyKey
        do {
            key = try PasskeyKey(cose: Data(forged.key.encoded))
        } catch {
            #expect(forged.faults.contains(error))
            return
        }
        // The bytes have the form of a key; the library must find that it is none.
        #expect(forged.isForm && !Ceremony.signatures.isUsable(key))
    }

    @Test("SEC-PK-8: a registration with a forged key is refused", arguments: forged)
    func refusesRegistration(_ forged: ForgedKey) {
        #expect {
            _ = try RegistrationDraft { $0.key = forged.key }.verified()
        } throws: { error in
            guard let fault = error as? PasskeyFault else { return false }
            return forged.faults.contains(fault)
        }
    }

    struct ForgedKey: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: CBORItem
        /// Whether the form is right, so that only the library can refuse it.
        var isForm = false
        /// The faults that fit: a key may be wrong in more than one way.
        var faults: Set<PasskeyFault> = [.unusableKey]
    }

    @Test("SEC-PK-8: there are at least 40 forged keys")
    func countsForgeries() {
        #expect(Self.forged.count >= 40)
    }

    private static let forged: [ForgedKey] = forgedCurves + forgedEdwards + forgedRSA + forgedShapes

    private static let forgedCurves: [ForgedKey] = [
        ForgedKey(testDescription: "a point off the curve", key: ec([(-2, .bytes(y))]), isForm: true),
        ForgedKey(testDescription: "the point of zeros", key: ec([(-2, zeros(32)), (-3, zeros(32))]), isForm: true),
        ForgedKey(testDescription: "x above the field", key: ec([(-2, ones(32))]), isForm: true),
        ForgedKey(testDescription: "one bit of y", key: ec([(-3, .bytes(y.with { $0[0] ^= 1 }))]), isForm: true),
        ForgedKey(testDescription: "y is a sign: compressed", key: ec([(-3, .bool(true))])),
        ForgedKey(testDescription: "no y", key: ec([(-3, nil)])),
        ForgedKey(testDescription: "no x", key: ec([(-2, nil)])),
        ForgedKey(testDescription: "x of 31 bytes", key: ec([(-2, .bytes(x.dropLast()))])),
        ForgedKey(testDescription: "x of 33 bytes", key: ec([(-2, .bytes([0] + x))])),
        ForgedKey(testDescription: "y of 31 bytes", key: ec([(-3, .bytes(y.dropLast()))])),
        ForgedKey(testDescription: "y of no bytes", key: ec([(-3, zeros(0))])),
        ForgedKey(testDescription: "x is a text", key: ec([(-2, .text(String(repeating: "x", count: 32)))])),
        ForgedKey(testDescription: "x is a number", key: ec([(-2, .integer(7))])),
        ForgedKey(testDescription: "the curve P-384", key: ec([(-1, .integer(2))])),
        ForgedKey(testDescription: "the curve P-521", key: ec([(-1, .integer(3))])),
        ForgedKey(testDescription: "the curve secp256k1", key: ec([(-1, .integer(8))])),
        ForgedKey(testDescription: "the curve Ed25519 with P-256", key: ec([(-1, .integer(6))])),
        ForgedKey(testDescription: "no curve", key: ec([(-1, nil)])),
        ForgedKey(testDescription: "the curve as a name", key: ec([(-1, .text("P-256"))])),
        ForgedKey(testDescription: "an octet key pair with P-256", key: ec([(1, .integer(1))])),
        ForgedKey(testDescription: "a symmetric key", key: ec([(1, .integer(4))])),
        ForgedKey(testDescription: "no key type", key: ec([(1, nil)])),
        ForgedKey(testDescription: "the key type as a name", key: ec([(1, .text("EC2"))])),
        ForgedKey(testDescription: "the private part", key: ec(adding: [(-4, ones(32))])),
        ForgedKey(testDescription: "a key id", key: ec(adding: [(2, ones(4))])),
        ForgedKey(testDescription: "operations", key: ec(adding: [(4, .array([.integer(2)]))])),
        ForgedKey(testDescription: "x twice", key: ec(adding: [(-2, .bytes(x))]), faults: malformed),
        ForgedKey(testDescription: "the algorithm twice", key: ec(adding: [(3, .integer(-7))]), faults: malformed),
        ForgedKey(testDescription: "ES384", key: ec([(3, .integer(-35))]), faults: algorithm),
        ForgedKey(testDescription: "ES512", key: ec([(3, .integer(-36))]), faults: algorithm),
        ForgedKey(testDescription: "ES256K", key: ec([(3, .integer(-47))]), faults: algorithm),
        ForgedKey(testDescription: "algorithm 7", key: ec([(3, .integer(7))]), faults: algorithm),
        ForgedKey(testDescription: "algorithm 0", key: ec([(3, .integer(0))]), faults: algorithm),
        ForgedKey(testDescription: "ML-DSA-65", key: ec([(3, .integer(-49))]), faults: algorithm),
        ForgedKey(testDescription: "no algorithm", key: ec([(3, nil)]), faults: algorithm),
        ForgedKey(testDescription: "the algorithm as a name", key: ec([(3, .text("ES256"))]), faults: algorithm),
        ForgedKey(testDescription: "a curve's point for EdDSA", key: ec([(3, .integer(-8))])),
        ForgedKey(testDescription: "a curve's point for RS256", key: ec([(3, .integer(-257))])),
    ]
    private static let malformed: Set<PasskeyFault> = [.unusableKey, .malformedAuthenticatorData]
    private static let algorithm: Set<PasskeyFault> = [.unsupportedAlgorithm]

    private static let forgedEdwards: [ForgedKey] = [
        ForgedKey(testDescription: "Ed25519 of 31 bytes", key: ed([(-2, zeros(31))])),
        ForgedKey(testDescription: "Ed25519 of 33 bytes", key: ed([(-2, zeros(33))])),
        ForgedKey(testDescription: "Ed448's length", key: ed([(-2, ones(57))])),
        ForgedKey(testDescription: "the curve X25519", key: ed([(-1, .integer(4))])),
        ForgedKey(testDescription: "the curve Ed448", key: ed([(-1, .integer(7))])),
        ForgedKey(testDescription: "the curve P-256 with Ed25519", key: ed([(-1, .integer(1))])),
        ForgedKey(testDescription: "Ed25519 with a y", key: ed(adding: [(-3, ones(32))])),
        ForgedKey(testDescription: "Ed25519 with the private part", key: ed(adding: [(-4, ones(32))])),
        ForgedKey(testDescription: "Ed25519 as ES256", key: ed([(3, .integer(-7))])),
        ForgedKey(testDescription: "Ed25519 as a point", key: ed([(1, .integer(2))])),
        ForgedKey(testDescription: "no x of Ed25519", key: ed([(-2, nil)])),
        ForgedKey(testDescription: "algorithm Ed448", key: ed([(3, .integer(-53))]), faults: algorithm),
    ]

    private static let forgedRSA: [ForgedKey] = [
        ForgedKey(testDescription: "a modulus of 1,024 bits", key: rs([(-1, ones(128))])),
        ForgedKey(testDescription: "a modulus of 2,040 bits", key: rs([(-1, ones(255))])),
        ForgedKey(
            testDescription: "a modulus of 2,047 bits", key: rs([(-1, .bytes(modulus.with { $0[0] = 0x7F }))]),
            isForm: true),
        ForgedKey(
            testDescription: "a modulus with a zero in front", key: rs([(-1, .bytes([0] + modulus))])),
        ForgedKey(testDescription: "a modulus of zeros", key: rs([(-1, zeros(256))])),
        ForgedKey(
            testDescription: "an even modulus", key: rs([(-1, .bytes(modulus.with { $0[255] ^= 1 }))]), isForm: true),
        ForgedKey(testDescription: "a modulus of 4,104 bits", key: rs([(-1, ones(513))])),
        ForgedKey(testDescription: "a modulus of 8,192 bits", key: rs([(-1, ones(1_024))])),
        ForgedKey(testDescription: "the exponent 1", key: rs([(-2, .bytes(Data([1])))])),
        ForgedKey(testDescription: "the exponent 3", key: rs([(-2, .bytes(Data([3])))])),
        ForgedKey(testDescription: "the exponent 17", key: rs([(-2, .bytes(Data([17])))])),
        ForgedKey(testDescription: "the exponent 65,536", key: rs([(-2, .bytes(Data([1, 0, 0])))])),
        ForgedKey(testDescription: "an exponent with a zero in front", key: rs([(-2, .bytes(Data([0, 1, 0, 1])))])),
        ForgedKey(testDescription: "a large exponent", key: rs([(-2, ones(256))])),
        ForgedKey(testDescription: "no exponent", key: rs([(-2, nil)])),
        ForgedKey(testDescription: "the exponent as a number", key: rs([(-2, .integer(65_537))])),
        ForgedKey(testDescription: "the private exponent", key: rs(adding: [(-3, ones(256))])),
        ForgedKey(testDescription: "RSA as a curve's point", key: rs([(1, .integer(2))])),
        ForgedKey(testDescription: "RSA without a key type", key: rs([(1, nil)])),
        ForgedKey(testDescription: "RS1", key: rs([(3, .integer(-65_535))]), faults: algorithm),
        ForgedKey(testDescription: "RS512", key: rs([(3, .integer(-259))]), faults: algorithm),
        ForgedKey(testDescription: "PS256", key: rs([(3, .integer(-37))]), faults: algorithm),
        ForgedKey(testDescription: "RSA as ES256", key: rs([(3, .integer(-7))])),
    ]

    private static let forgedShapes: [ForgedKey] = [
        ForgedKey(
            testDescription: "an empty map", key: .map([]),
            faults: [.unusableKey, .unsupportedAlgorithm, .malformedAuthenticatorData]),
        ForgedKey(testDescription: "a list", key: .array([.integer(2)]), faults: malformed),
        ForgedKey(testDescription: "bytes", key: .bytes([4] + point), faults: malformed),
        ForgedKey(testDescription: "null", key: .raw([0xF6]), faults: malformed),
        ForgedKey(
            testDescription: "the labels as text", key: .texts([("1", .integer(2)), ("3", .integer(-7))]),
            faults: [.unusableKey, .unsupportedAlgorithm, .malformedAuthenticatorData]),
        ForgedKey(
            testDescription: "a text label more",
            key: .map([CBORItem.Entry(.text("a"), .integer(1)), .init(.integer(3), .integer(-7))] + ecEntries)),
        ForgedKey(
            testDescription: "an array of its items", key: .array([.integer(2), .integer(-7), .integer(1)]),
            faults: malformed),
    ]

    private static func zeros(_ count: Int) -> CBORItem { .bytes(Data(repeating: 0, count: count)) }
    private static func ones(_ count: Int) -> CBORItem { .bytes(Data(repeating: 0xFF, count: count)) }

    @Test("SEC-PK-8: no bytes behind or missing bytes of a key are accepted")
    func refusesOtherLengths() {
        for key in [Self.ec(), Self.ed(), Self.rs()] {
            let bytes = Data(key.encoded)
            #expect(throws: PasskeyFault.self) { _ = try PasskeyKey(cose: bytes + [0]) }
            for count in 0..<bytes.count {
                #expect(throws: PasskeyFault.self, "\(count) bytes") { _ = try PasskeyKey(cose: bytes.prefix(count)) }
            }
        }
    }

    @Test("a signature of each algorithm verifies, and not with the key of another")
    func verifiesEachAlgorithm() throws {
        let message = Data("authenticator data and a hash".utf8)
        let rsa = try #require(Self.rsa)
        let signed: [(PasskeyKey, Data)] = [
            (try PasskeyKey(cose: Data(Self.ec().encoded)), try P256Authenticator.shared.sign(message)),
            (try PasskeyKey(cose: Data(Self.ed().encoded)), try Self.edwards.signature(for: message)),
            (
                try PasskeyKey(cose: Data(Self.rs().encoded)),
                try rsa.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
            ),
        ]
        for (index, (key, _)) in signed.enumerated() {
            for (other, (_, signature)) in signed.enumerated() {
                #expect(Ceremony.signatures.isValid(signature, over: message, by: key) == (index == other))
            }
        }
        let pss = try rsa.signature(for: SHA256.hash(data: message), padding: .PSS).rawRepresentation
        #expect(!Ceremony.signatures.isValid(pss, over: message, by: signed[2].0))
    }
}
