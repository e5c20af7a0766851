import Crypto
import CryptoExtras
import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation
import Testing

/// Signatures in other forms than the one form of their algorithm, and keys with which anybody can sign.
@Suite("Signatures of passkeys") struct SignatureForgeryTests {
    private static let message = Data("authenticator data and a hash".utf8)
    private static let signatures = KeyedPasskeySignatures()

    /// The two numbers of a signature of ES256, 32 bytes each.
    private static let numbers: (r: [UInt8], s: [UInt8]) = {
        let raw = (try? P256Authenticator.shared.key.signature(for: message).rawRepresentation) ?? Data()
        return (Array(raw.prefix(32)), Array(raw.suffix(32)))
    }()

    /// A DER integer (X.690 section 8.3): a zero is put in front of a high bit, and zeros in front are left out.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let short = Array(bytes.drop { $0 == 0 })
        let content = short.first.map { $0 >= 0x80 } ?? true ? [0] + short : short
        return [0x02, UInt8(content.count)] + content
    }

    private static func sequence(_ content: [UInt8]) -> Data { Data([0x30, UInt8(content.count)] + content) }

    private static let der = sequence(integer(numbers.r) + integer(numbers.s))

    @Test("SEC-PK-9: a signature of ES256 in another form than DER is refused", arguments: forms)
    func refusesForms(_ name: String, _ signature: Data) throws {
        let key = PasskeyKey.p256(x963: P256Authenticator.shared.key.publicKey.x963Representation)
        try #require(Self.signatures.isValid(Self.der, over: Self.message, by: key))
        #expect(!Self.signatures.isValid(signature, over: Self.message, by: key), "\(name)")
    }

    private static let forms: [(String, Data)] = [
        ("nothing", Data()), ("raw", Data(numbers.r + numbers.s)), ("a byte behind", der + [0]),
        ("a byte behind in the sequence", sequence(integer(numbers.r) + integer(numbers.s) + [0])),
        ("three numbers", sequence(integer(numbers.r) + integer(numbers.s) + integer([1]))),
        ("one number", sequence(integer(numbers.r))), ("swapped", sequence(integer(numbers.s) + integer(numbers.r))),
        ("a set", Data([0x31]) + der.dropFirst()), ("a long length", Data([0x30, 0x81]) + der.dropFirst()),
        ("a longer length", Data([0x30, 0x82, 0]) + der.dropFirst()),
        ("an indefinite length", Data([0x30, 0x80]) + der.dropFirst(2) + [0, 0]),
        ("a zero too many in front", sequence(zeroInFront(numbers.r) + integer(numbers.s))),
        ("s with a zero too many in front", sequence(integer(numbers.r) + zeroInFront(numbers.s))),
        ("r is zero", sequence(integer([]) + integer(numbers.s))),
        ("s is zero", sequence(integer(numbers.r) + integer([]))),
        ("both are zero", sequence(integer([]) + integer([]))), ("both are one", sequence(integer([1]) + integer([1]))),
        ("empty numbers", sequence([0x02, 0, 0x02, 0])),
        ("numbers as bytes", sequence([0x04, 32] + numbers.r + [0x04, 32] + numbers.s)),
        ("negative numbers", sequence([0x02, 1, 0xFF, 0x02, 1, 0xFF])),
        ("r is the order", sequence(integer(order) + integer(numbers.s))),
        ("s is the order", sequence(integer(numbers.r) + integer(order))),
    ]

    private static func zeroInFront(_ bytes: [UInt8]) -> [UInt8] {
        let content = [0] + integer(bytes).dropFirst(2)
        return [0x02, UInt8(content.count)] + content
    }

    /// The order of the group of P-256 (FIPS 186-5).
    private static let order = [UInt8](
        Data(digits: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))

    @Test("SEC-PK-8: a key of Ed25519 whose point has a small order is not usable", arguments: smallOrders)
    func refusesSmallOrders(_ digits: String) throws {
        for sign in [0, 0x80] as [UInt8] {
            let bytes = Data(digits: digits).with { $0[31] |= sign }
            let key = PasskeyKey.ed25519(bytes)
            #expect(!Self.signatures.isUsable(key))
            // The neutral point and the number zero: a verifier that only calculates accepts it for some of these keys.
            for commitment in Self.smallOrders {
                let forged = Data(digits: commitment) + Data(repeating: 0, count: 32)
                #expect(!Self.signatures.isValid(forged, over: Self.message, by: key))
            }
            let registered = CBORItem.integers([
                (1, .integer(1)), (3, .integer(-8)), (-1, .integer(6)), (-2, .bytes(bytes)),
            ])
            #expect(throws: PasskeyFault.unusableKey) {
                _ = try RegistrationDraft { $0.key = registered }.verified()
            }
        }
    }

    /// The points whose order divides 8, and forms of them that are not canonical; the sign is added by the test.
    private static let smallOrders = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]

    @Test("SEC-PK-9: a signature of Ed25519 has one form")
    func refusesSecondForms() throws {
        let edwards = Curve25519.Signing.PrivateKey()
        let key = PasskeyKey.ed25519(edwards.publicKey.rawRepresentation)
        let signature = try edwards.signature(for: Self.message)
        #expect(Self.signatures.isValid(signature, over: Self.message, by: key))
        #expect(!Self.signatures.isValid(signature + [0], over: Self.message, by: key))
        #expect(!Self.signatures.isValid(signature.dropLast(), over: Self.message, by: key))
        #expect(!Self.signatures.isValid(Data(repeating: 0, count: 64), over: Self.message, by: key))
        // The second number and the order of the group: equal to the second number for who does not compare it first.
        let group = [UInt8](Data(digits: "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
        var (sum, carry) = (Array(signature), 0)
        for index in 0..<32 {
            let digit = Int(sum[32 + index]) + Int(group[index]) + carry
            (sum[32 + index], carry) = (UInt8(digit & 0xFF), digit >> 8)
        }
        #expect(!Self.signatures.isValid(Data(sum), over: Self.message, by: key))
    }

    @Test(
        "SEC-PK-8: a modulus of less than 2,048 or more than 4,096 bits, or an even one, is not usable",
        arguments: [
            (128, 0xFF, 0xFF), (255, 0xFF, 0xFF), (256, 0x7F, 0xFF), (513, 0x01, 0xFF), (1_024, 0xFF, 0xFF),
            (256, 0xFF, 0xFE),
            (256, 0x00, 0xFF),
        ] as [(Int, UInt8, UInt8)])
    func refusesModuli(_ count: Int, _ first: UInt8, _ last: UInt8) {
        let modulus = Data([first] + Array(repeating: 0xFF, count: count - 2) + [last])
        let key = PasskeyKey.rsa(modulus: modulus, exponent: Data([1, 0, 1]))
        #expect(!Self.signatures.isUsable(key))
        #expect(!Self.signatures.isValid(Data(repeating: 1, count: count), over: Self.message, by: key))
    }

    @Test("SEC-PK-9: a signature of RS256 is as long as the modulus, with SHA-256 and its padding")
    func refusesOtherPaddings() throws {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let primitives = try rsa.publicKey.getKeyPrimitives()
        let key = PasskeyKey.rsa(modulus: Data(primitives.modulus), exponent: Data([1, 0, 1]))
        #expect(Self.signatures.isUsable(key))
        let digest = SHA256.hash(data: Self.message)
        let signature = try rsa.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
        #expect(Self.signatures.isValid(signature, over: Self.message, by: key))
        let others = [
            signature + [0], [0] + signature, signature.dropLast(), Data(), Data(repeating: 0, count: 256),
            Data(repeating: 0, count: 255) + [1], Data(primitives.modulus),
            try rsa.signature(for: digest, padding: .PSS).rawRepresentation,
            try rsa.signature(for: Insecure.SHA1.hash(data: Self.message), padding: .insecurePKCS1v1_5)
                .rawRepresentation,
            try rsa.signature(for: SHA384.hash(data: Self.message), padding: .insecurePKCS1v1_5).rawRepresentation,
            try rsa.signature(for: SHA512.hash(data: Self.message), padding: .insecurePKCS1v1_5).rawRepresentation,
        ]
        for (index, other) in others.enumerated() {
            #expect(!Self.signatures.isValid(other, over: Self.message, by: key), "signature \(index)")
        }
    }
}
