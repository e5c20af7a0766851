import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The attestation object of a registration (WebAuthn section 6.5.4, section 8): its form and its statement.
@Suite("Attestation of passkeys") struct AttestationTests {
    @Test("SEC-PK-13: a statement that is broken, unknown or refused refuses the registration", arguments: statements)
    func refusesStatement(_ case: RefusedRegistration) {
        #expect(throws: `case`.fault) { _ = try RegistrationDraft(`case`.change).verified() }
    }

    private static let statements: [RefusedRegistration] = [
        .init("none, and a statement", .wrongStatement) { $0.statement = .texts([("alg", .integer(-7))]) },
        .init("none, and a list", .malformedAttestation) { $0.statement = .array([]) },
        .init("android-safetynet", .unsupportedFormat) { $0.format = .text("android-safetynet") },
        .init("an unknown format", .unsupportedFormat) { $0.format = .text("later") },
        .init("an empty format", .unsupportedFormat) { $0.format = .text("") },
        .init("a format in capitals", .unsupportedFormat) { $0.format = .text("None") },
        .init("a format with a blank", .unsupportedFormat) { $0.format = .text("none ") },
        .init("a self attestation of nothing", .wrongStatement) {
            ($0.format, $0.statement) = (.text("packed"), .map([]))
        },
        .init("a self attestation without a signature", .wrongStatement) {
            ($0.format, $0.statement) = (.text("packed"), .texts([("alg", .integer(-7))]))
        },
        .init("a self attestation with an empty signature", .wrongStatement) {
            ($0.format, $0.statement) = (
                .text("packed"), .texts([("alg", .integer(-7)), ("sig", .bytes(Data()))])
            )
        },
        .init("a self attestation of another algorithm", .wrongStatement) {
            ($0.format, $0.statement, $0.algorithmOfStatement) = (.text("packed"), nil, -257)
        },
        .init("a self attestation by another key", .wrongStatement) {
            ($0.format, $0.statement, $0.common.authenticator) = (.text("packed"), nil, P256Authenticator())
        },
        .init("a self attestation of other client data", .wrongStatement) {
            let signed = $0.authenticatorBytes + Data(SHA256.hash(data: Data("{}".utf8)))
            let signature = (try? P256Authenticator.shared.sign(signed)) ?? Data()
            ($0.format, $0.statement) = (
                .text("packed"), .texts([("alg", .integer(-7)), ("sig", .bytes(signature))])
            )
        },
        .init("a self attestation with one member more", .wrongStatement) {
            let signed = $0.authenticatorBytes + Data(SHA256.hash(data: $0.common.clientBytes))
            let signature = (try? P256Authenticator.shared.sign(signed)) ?? Data()
            ($0.format, $0.statement) = (
                .text("packed"),
                .texts([("alg", .integer(-7)), ("sig", .bytes(signature)), ("later", .bool(true))])
            )
        },
        .init("a self attestation whose signature is a text", .wrongStatement) {
            ($0.format, $0.statement) = (
                .text("packed"), .texts([("alg", .integer(-7)), ("sig", .text("signature"))])
            )
        },
    ]

    @Test(
        "SEC-PK-13: a statement of a known format gives no trust and is not looked at",
        arguments: [
            "tpm", "android-key", "apple", "fido-u2f",
        ])
    func ignoresStatement(_ format: String) {
        #expect(throws: Never.self) {
            _ = try RegistrationDraft {
                $0.format = .text(format)
                $0.statement = .texts([("x5c", .array([.bytes(Data([0x30, 0]))])), ("sig", .bytes(Data([1])))])
            }.verified()
        }
    }

    @Test("SEC-PK-13: a packed statement with certificates and a compound one give no trust, and are not looked at")
    func ignoresCertificates() {
        let chain = CBORItem.texts([
            ("alg", .integer(-257)), ("sig", .bytes(Data([1]))), ("x5c", .array([.bytes(Data([0x30, 0]))])),
        ])
        #expect(throws: Never.self) {
            _ = try RegistrationDraft { ($0.format, $0.statement) = (.text("packed"), chain) }.verified()
        }
        let parts = CBORItem.array([.texts([("fmt", .text("packed")), ("attStmt", chain)]), .map([])])
        #expect(throws: Never.self) {
            _ = try RegistrationDraft { ($0.format, $0.statement) = (.text("compound"), parts) }.verified()
        }
        // A list is the form of a compound statement alone, and a map is not.
        for (format, statement) in [("packed", parts), ("apple", parts), ("compound", chain)] {
            #expect(throws: PasskeyFault.malformedAttestation) {
                _ = try RegistrationDraft { ($0.format, $0.statement) = (.text(format), statement) }.verified()
            }
        }
    }

    @Test("SEC-PK-7: an attestation object of another form is refused", arguments: objects)
    func refusesObject(_ case: RefusedRegistration) {
        #expect(throws: `case`.fault) { _ = try RegistrationDraft(`case`.change).verified() }
    }

    private static let none = CBORItem.text("none")
    private static let empty = CBORItem.map([])
    private static let data = CBORItem.bytes(RegistrationDraft().authenticatorBytes)

    private static func object(_ name: String, _ entries: [(String, CBORItem)]) -> RefusedRegistration {
        object(name, CBORItem.texts(entries).encoded)
    }

    private static func object(_ name: String, _ bytes: [UInt8]) -> RefusedRegistration {
        .init(name, .malformedAttestation) { $0.attestationObject = Data(bytes) }
    }

    private static let objects: [RefusedRegistration] = [
        object("no format", [("attStmt", empty), ("authData", data)]),
        object("no statement", [("fmt", none), ("authData", data)]),
        object("no authenticator data", [("fmt", none), ("attStmt", empty)]),
        object("one member more", [("fmt", none), ("attStmt", empty), ("authData", data), ("epAtt", .bool(false))]),
        object("another name", [("fmt", none), ("attStmt", empty), ("authdata", data)]),
        object("format twice", [("fmt", none), ("fmt", none), ("attStmt", empty), ("authData", data)]),
        object("data twice", [("fmt", none), ("attStmt", empty), ("authData", data), ("authData", data)]),
        object("a format of bytes", [("fmt", .bytes(Data("none".utf8))), ("attStmt", empty), ("authData", data)]),
        object("a number for the format", [("fmt", .integer(1)), ("attStmt", empty), ("authData", data)]),
        object("a text for the data", [("fmt", none), ("attStmt", empty), ("authData", .text("data"))]),
        object("a list of data", [("fmt", none), ("attStmt", empty), ("authData", .array([data]))]),
        object("a list", CBORItem.array([none, empty, data]).encoded),
        object("a text", CBORItem.text("none").encoded),
        object("a number", [0x01]),
        object("the form of CTAP", CBORItem.integers([(1, none), (2, data), (3, empty)]).encoded),
        object("a byte behind", RegistrationDraft().encodedObject + [0]),
        object("a second object behind", RegistrationDraft().encodedObject + RegistrationDraft().encodedObject),
        object("an empty map", [0xA0]),
    ]

    @Test("an attestation object in another order is accepted")
    func acceptsOrder() {
        let object = CBORItem.texts([("authData", Self.data), ("fmt", Self.none), ("attStmt", Self.empty)])
        #expect(throws: Never.self) {
            _ = try RegistrationDraft { $0.attestationObject = Data(object.encoded) }.verified()
        }
    }
}

extension RegistrationDraft {
    /// The attestation object with the statement `none`.
    var encodedObject: [UInt8] {
        CBORItem.texts([("fmt", .text("none")), ("attStmt", .map([])), ("authData", .bytes(authenticatorBytes))])
            .encoded
    }
}
