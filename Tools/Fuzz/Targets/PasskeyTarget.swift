import Foundation
import IdentityEngine
import IdentityTokens
import NativeAuth
import NativeAuthCore
import SoftPasskeys

/// Modified answers of authenticators (`SEC-PK-7`, `SEC-PK-9`): the JSON as an app sends it, and in it the bytes of an attestation
/// object, of authenticator data, of client data and of a signature. An accepted assertion has the bytes that the passkey signed; an
/// accepted registration has a usable key and the challenge.
struct PasskeyTarget: Target {
    static let name = "passkeys"
    static let share = (release: 100, debug: 25)

    private static let challenge = Data(0..<32)
    private static let party = RelyingParty(id: "example.org", origins: ["https://example.org"])
    private static let handle = Data(repeating: 7, count: 32)
    private let made: NativeAuth.PasskeyRegistration
    private let given: NativeAuth.PasskeyAssertion
    private let passkey: EnrolledPasskey
    private let signatures = KeyedPasskeySignatures()
    private let json: Mutator
    private let binary: Mutator

    init() async throws {
        let device = SoftAuthenticator()
        let challenge = Base64URL.encode(Self.challenge)
        made = try await device.create(
            PasskeyCreation(
                json: """
                    {"rp":{"id":"example.org","name":"Example"},"user":{"id":"\(Base64URL.encode(Self.handle))",
                    "name":"ana@example.org","displayName":"Ana"},"challenge":"\(challenge)","timeout":300000,
                    "pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[],"attestation":"none",
                    "authenticatorSelection":{"residentKey":"required","requireResidentKey":true,
                    "userVerification":"required"}}
                    """))
        given = try await device.get(
            PasskeyRequest(
                json: """
                    {"rpId":"example.org","challenge":"\(challenge)","timeout":300000,"allowCredentials":[],
                    "userVerification":"required"}
                    """), style: .modal)
        passkey = try Self.party.verify(
            IdentityEngine.PasskeyRegistration(json: made.json), userHandle: Self.handle, signatures: signatures,
            isChallenge: { $0 == Self.challenge })
        json = Mutator(
            [made.json, given.json],
            words: [
                "{", "}", "[", "]", "\"", ",", "null", "true", "1e400", "\"type\":\"public-key\"", "\"id\":",
                "\"rawId\":", "=", "==",
                "\\u0000", "\\ud800", "\"transports\":[\"usb\"]", "\"userHandle\":null",
                String(repeating: "[", count: 40),
                String(repeating: "A", count: 2_000),
            ], bytes: [[0xFF], [0xEF, 0xBB, 0xBF]], long: 16_384)
        binary = Mutator(
            [
                [UInt8](made.attestationObject), [UInt8](given.authenticatorData), [UInt8](given.clientDataJSON),
                [UInt8](given.signature),
            ],
            words: [
                "webauthn.create", "webauthn.get", "\"crossOrigin\":true", "\"topOrigin\":\"https://example.com\"",
                "https://example.org", "\"type\":\"webauthn.get\",", "fmt", "attStmt", "authData", "packed", "alg",
                "sig",
            ],
            bytes: [
                [0xA0], [0xA1], [0xBF], [0xFF], [0x9F], [0x5F], [0x7F], [0xF6], [0xF9, 0x7C, 0x00], [0xC0],
                [0x18, 0x05],
                [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                [0x9B, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00],
                [0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                [0x03, 0x39, 0x01, 0x00], [0x03, 0x27], [0x20, 0x06], [0x00, 0x00], [0xFF, 0xFF],
            ])
    }

    /// A byte for the part that is modified, and the part.
    func input(_ chance: inout Chance) -> [UInt8] {
        let part = UInt8(chance.below(6))
        return [part]
            + (part < 2 ? json.input(&chance) : binary.mutated(binary.seeds[Int(part == 5 ? 2 : part - 2)], &chance))
    }

    func check(_ input: [UInt8]) async throws -> Bool {
        guard let part = input.first else { return false }
        let bytes = Data(input.dropFirst())
        var (made, given) = (made, given)
        switch part {
        case 0, 1:
            let text = [UInt8](bytes).lenientText
            return try checkRegistration(text) || checkAssertion(text)
        case 2:
            made = NativeAuth.PasskeyRegistration(
                credentialID: made.credentialID, clientDataJSON: made.clientDataJSON, attestationObject: bytes,
                transports: made.transports)
            return try checkRegistration(made.json)
        case 5:
            made = NativeAuth.PasskeyRegistration(
                credentialID: made.credentialID, clientDataJSON: bytes, attestationObject: made.attestationObject,
                transports: made.transports)
            return try checkRegistration(made.json)
        case let part:
            given = NativeAuth.PasskeyAssertion(
                credentialID: given.credentialID, clientDataJSON: part == 4 ? bytes : given.clientDataJSON,
                authenticatorData: part == 3 ? bytes : given.authenticatorData, signature: given.signature,
                userHandle: given.userHandle)
            return try checkAssertion(given.json)
        }
    }

    private func checkRegistration(_ text: String) throws -> Bool {
        let answer: IdentityEngine.PasskeyRegistration
        let accepted: EnrolledPasskey
        do throws(PasskeyFault) {
            answer = try IdentityEngine.PasskeyRegistration(json: text)
            accepted = try Self.party.verify(
                answer, userHandle: Self.handle, signatures: signatures, isChallenge: { $0 == Self.challenge })
        } catch {
            return false
        }
        try demand(answer.challenge == Self.challenge, "a registration with another challenge is accepted")
        try demand(signatures.isUsable(try PasskeyKey(cose: accepted.publicKey)), "a useless key is accepted")
        try demand((16...1_023).contains(accepted.credentialID.count), "an id of a wrong length is accepted")
        return true
    }

    private func checkAssertion(_ text: String) throws -> Bool {
        let answer: IdentityEngine.PasskeyAssertion
        do throws(PasskeyFault) {
            answer = try IdentityEngine.PasskeyAssertion(json: text)
            _ = try Self.party.verify(
                answer, of: passkey, signatures: signatures, isChallenge: { $0 == Self.challenge })
        } catch {
            return false
        }
        try demand(
            answer.clientData == given.clientDataJSON && answer.authenticatorData == given.authenticatorData,
            "an assertion over other bytes is accepted")
        return true
    }
}
