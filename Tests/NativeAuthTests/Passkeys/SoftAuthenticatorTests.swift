import Crypto
import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import SoftPasskeys
import Testing

private let host = "login.example.org"
private let challenge = Data(repeating: 3, count: 32)

private func creation(user: UInt8 = 1, excluded: [Data] = [], algorithm: Int = -7) throws -> PasskeyCreation {
    let list = excluded.map { "{\"type\":\"public-key\",\"id\":\"\(Base64URL.encode($0))\"}" }.joined(separator: ",")
    return try PasskeyCreation(
        json: """
            {"rp":{"id":"\(host)","name":"Example"},"challenge":"\(Base64URL.encode(challenge))","timeout":300000,
            "user":{"id":"\(Base64URL.encode([user, 0]))","name":"user\(user)","displayName":""},
            "pubKeyCredParams":[{"type":"public-key","alg":\(algorithm)}],"excludeCredentials":[\(list)],
            "authenticatorSelection":{"residentKey":"required","requireResidentKey":true,"userVerification":"required"},
            "attestation":"none"}
            """)
}

private func request(host: String = host, allowed: [Data] = []) throws -> PasskeyRequest {
    let list = allowed.map { "{\"type\":\"public-key\",\"id\":\"\(Base64URL.encode($0))\"}" }.joined(separator: ",")
    return try PasskeyRequest(
        json: """
            {"rpId":"\(host)","challenge":"\(Base64URL.encode(challenge))","timeout":300000,
            "userVerification":"required","allowCredentials":[\(list)]}
            """)
}

/// Parts of an answer that a server checks.
private struct Checks {
    var digest: Data
    var flags: UInt8
    var count: UInt32
    var client: [String: JSONValue]

    init(authenticatorData: Data, clientData: Data) throws {
        let bytes = Data(authenticatorData)
        digest = bytes.prefix(32)
        flags = bytes[32]
        count = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        client = try WireJSON.decode(from: clientData)
    }

    init(_ assertion: PasskeyAssertion) throws {
        try self.init(
            authenticatorData: assertion.authenticatorData, clientData: assertion.clientDataJSON)
    }
}

@Suite("An authenticator in software")
struct SoftAuthenticatorTests {
    private let authenticator = SoftAuthenticator()

    private func isSigned(_ assertion: PasskeyAssertion) throws -> Bool {
        let credential = try #require(authenticator.state.credentials.first { $0.id == assertion.credentialID })
        let key = try P256.Signing.PrivateKey(rawRepresentation: credential.privateKey).publicKey
        let signature = try P256.Signing.ECDSASignature(derRepresentation: assertion.signature)
        let signed = assertion.authenticatorData + Data(SHA256.hash(data: assertion.clientDataJSON))
        return key.isValidSignature(signature, for: signed)
    }

    @Test func theAttestationObjectIsThatOfTheSpecification() async throws {
        authenticator.behaviour.isBackupEligible = true
        authenticator.behaviour.isBackedUp = true
        let registration = try await authenticator.create(try creation())
        let credential = try #require(authenticator.state.credentials.first)
        let key = try P256.Signing.PrivateKey(rawRepresentation: credential.privateKey).publicKey
            .rawRepresentation
        // Written by hand after CTAP2 and RFC 9053: {"fmt": "none", "attStmt": {}, "authData": 164 bytes}.
        var expected = Data([0xA3, 0x63]) + Data("fmt".utf8) + Data([0x64]) + Data("none".utf8)
        expected +=
            Data([0x67]) + Data("attStmt".utf8) + Data([0xA0, 0x68]) + Data("authData".utf8)
            + Data([0x58, 164])
        expected +=
            Data(SHA256.hash(data: Data(host.utf8))) + Data([0x5D, 0, 0, 0, 0]) + Data(count: 16)
        expected += Data([0, 32]) + credential.id
        expected += Data([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]) + key.prefix(32)
        expected += Data([0x22, 0x58, 0x20]) + key.suffix(32)
        #expect(registration.attestationObject == expected)
        #expect(registration.credentialID == credential.id)
        #expect(registration.transports == ["internal"])
        #expect(
            String(decoding: registration.clientDataJSON, as: UTF8.self) == """
                {"type":"webauthn.create","challenge":"\(Base64URL.encode(challenge))","origin":"https://\(host)",\
                "crossOrigin":false}
                """)
    }

    @Test func anAssertionIsSigned() async throws {
        _ = try await authenticator.create(try creation())
        let assertion = try await authenticator.get(try request(), style: .modal)
        let checks = try Checks(assertion)
        #expect(try isSigned(assertion))
        #expect(assertion.userHandle == Data([1, 0]))
        #expect(assertion.authenticatorData.count == 37)
        #expect(checks.digest == Data(SHA256.hash(data: Data(host.utf8))))
        #expect(checks.flags == 0x05)
        #expect(checks.count == 0)
        #expect(checks.client["type"] == .string("webauthn.get"))
        #expect(checks.client["challenge"] == .string(Base64URL.encode(challenge)))
        #expect(checks.client["crossOrigin"] == .boolean(false))
    }

    @Test func anExcludedPasskeyIsAlreadyRegistered() async throws {
        let first = try await authenticator.create(try creation())
        await #expect(throws: PasskeyError.alreadyRegistered) {
            try await authenticator.create(try creation(excluded: [Data([1]), first.credentialID]))
        }
        // Without the list the passkey of the same account is replaced; another account gets a second one.
        let second = try await authenticator.create(try creation())
        let other = try await authenticator.create(
            try creation(user: 2, excluded: [first.credentialID]))
        #expect(authenticator.state.credentials.map(\.id) == [second.credentialID, other.credentialID])
    }

    @Test func onlyAnAllowedPasskeyAnswers() async throws {
        await #expect(throws: PasskeyError.noPasskeyHere) { try await authenticator.get(try request(), style: .modal) }
        let first = try await authenticator.create(try creation(user: 1))
        let second = try await authenticator.create(try creation(user: 2))
        func answer(_ allowed: [Data] = []) async throws -> Data {
            try await authenticator.get(try request(allowed: allowed), style: .immediate).credentialID
        }
        #expect(try await answer() == second.credentialID)
        #expect(try await answer([first.credentialID]) == first.credentialID)
        await #expect(throws: PasskeyError.noPasskeyHere) { try await answer([Data([1])]) }
        await #expect(throws: PasskeyError.noPasskeyHere) {
            try await authenticator.get(try request(host: "example.org"), style: .modal)
        }
        authenticator.behaviour.chosenUsername = "user1"
        #expect(try await answer() == first.credentialID)
    }

    @Test func onlyES256IsSupported() async throws {
        await #expect(throws: PasskeyError.unsupported) { try await authenticator.create(try creation(algorithm: -8)) }
    }

    @Test func theUserMayCancel() async throws {
        _ = try await authenticator.create(try creation())
        authenticator.behaviour.whenAsked = .cancel
        await #expect(throws: PasskeyError.cancelled) { try await authenticator.create(try creation(user: 2)) }
        await #expect(throws: PasskeyError.cancelled) { try await authenticator.get(try request(), style: .modal) }
        authenticator.behaviour.whenAsked = .fail(.notInteractive)
        await #expect(throws: PasskeyError.notInteractive) { try await authenticator.get(try request(), style: .modal) }
        #expect(authenticator.state.credentials.count == 1)
    }

    @Test func signaturesAreCountedInTheState() async throws {
        _ = try await authenticator.create(try creation())
        authenticator.behaviour.counter = .increasing
        #expect(try Checks(try await authenticator.get(try request(), style: .modal)).count == 1)
        // A tool keeps the state in a file.
        let kept = try JSONDecoder().decode(
            SoftAuthenticator.State.self, from: try JSONEncoder().encode(authenticator.state))
        #expect(kept == authenticator.state)
        let next = SoftAuthenticator(state: kept, behaviour: authenticator.behaviour)
        #expect(try Checks(try await next.get(try request(), style: .modal)).count == 2)
    }

    @Test(arguments: SoftBehaviour.Lie.allCases)
    func eachLieChangesOneStatement(_ lie: SoftBehaviour.Lie) async throws {
        _ = try await authenticator.create(try creation())
        let honest = try Checks(try await authenticator.get(try request(), style: .modal))
        authenticator.behaviour.lies = [lie]
        let assertion = try await authenticator.get(try request(), style: .modal)
        let told = try Checks(assertion)
        let changed = Set(told.client.filter { $0.value != honest.client[$0.key] }.keys)
        #expect((told.digest != honest.digest) == (lie == .wrongRelyingParty))
        #expect(try isSigned(assertion) == (lie != .badSignature))
        #expect(
            (assertion.userHandle == Data([1, 0])) == (lie != .foreignUserHandle && lie != .noUserHandle))
        switch lie {
        case .wrongRelyingParty, .badSignature, .foreignUserHandle: #expect(changed.isEmpty)
        case .noUserHandle: #expect(assertion.userHandle == nil)
        case .wrongType: #expect(changed == ["type"])
        case .wrongChallenge: #expect(changed == ["challenge"])
        case .crossOrigin: #expect(changed == ["crossOrigin"])
        case .topOrigin: #expect(changed == ["topOrigin"])
        }
    }

    @Test func flagsAndOriginAreThoseOfTheBehavior() async throws {
        _ = try await authenticator.create(try creation())
        authenticator.behaviour.isUserVerified = false
        authenticator.behaviour.isUserPresent = false
        authenticator.behaviour.isBackedUp = true
        authenticator.behaviour.origin = "android:apk-key-hash:\"x"
        authenticator.behaviour.claimedUserHandle = Data([5])
        authenticator.behaviour.counter = .fixed(300)
        let assertion = try await authenticator.get(try request(), style: .modal)
        let checks = try Checks(assertion)
        #expect(checks.flags == 0x10)
        #expect(checks.count == 300)
        #expect(checks.client["origin"] == .string("android:apk-key-hash:\"x"))
        #expect(assertion.userHandle == Data([5]))
    }
}
