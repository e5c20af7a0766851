import Crypto
import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation
import Testing

/// The test vectors of WebAuthn Level 3 section 16 under this server's rules: user verification is required, embedded pages
/// are refused, and ES384, ES512 and Ed448 are not offered.
@Suite("Test vectors of WebAuthn") struct SpecificationVectorTests {
    /// What a registration and an assertion must give: nil means that they are accepted.
    private static let expected: [String: (registration: PasskeyFault?, assertion: PasskeyFault?)] = [
        "none ES256": (.userNotVerified, .userNotVerified),
        "self ES256": (nil, .userNotVerified),
        "crossOrigin": (.crossOrigin, .crossOrigin),
        "topOrigin": (.crossOrigin, .crossOrigin),
        "long credential id": (.userNotVerified, nil),
        "packed ES256": (nil, nil),
        "packed ES384": (.userNotVerified, .unsupportedAlgorithm),
        "packed ES512": (.unsupportedAlgorithm, .userNotVerified),
        "packed RS256": (nil, .userNotVerified),
        "packed Ed25519": (.userNotVerified, .userNotVerified),
        "packed Ed448": (.userNotVerified, .unsupportedAlgorithm),
        "tpm ES256": (nil, nil),
        "android-key ES256": (nil, .userNotVerified),
        "apple ES256": (.userNotVerified, .userNotVerified),
        "fido-u2f ES256": (.userNotVerified, .userNotVerified),
    ]
    private static let offered = SpecificationVector.all.filter { PasskeyKey.algorithms.contains($0.algorithm) }

    @Test("there are 15 vectors, twelve of them of an algorithm that the server offers")
    func countsVectors() {
        #expect(SpecificationVector.all.count == 15)
        #expect(Self.expected.count == 15)
        #expect(Self.offered.count == 12)
    }

    @Test("SEC-PK-3 SEC-PK-5: each registration gives what the rules say", arguments: SpecificationVector.all)
    func judgesRegistration(_ vector: SpecificationVector) throws {
        let expected = try #require(Self.expected[vector.name])
        if let fault = expected.registration {
            #expect(throws: fault) { _ = try vector.registered() }
            return
        }
        let passkey = try vector.registered()
        #expect(passkey == vector.passkey)
    }

    @Test("SEC-PK-3 SEC-PK-5: each assertion gives what the rules say", arguments: SpecificationVector.all)
    func judgesAssertion(_ vector: SpecificationVector) throws {
        let expected = try #require(Self.expected[vector.name])
        if let fault = expected.assertion {
            #expect(throws: fault) { _ = try vector.used() }
            return
        }
        let use = try vector.used()
        #expect(!use.hasSuspectCount)
        #expect(use.passkey.isBackedUp == (vector.useFlags & 0x10 != 0))
    }

    @Test("a registration that only lacks user verification is accepted once that bit is set", arguments: offered)
    func acceptsVerified(_ vector: SpecificationVector) throws {
        // A statement that is signed with the credential's own key covers the bit, and has it already.
        guard let expected = Self.expected[vector.name], expected.registration == .userNotVerified else { return }
        let passkey = try vector.registered { $0 | 0x04 }
        #expect(passkey == vector.passkey)
    }

    @Test("SEC-PK-6: with the other bits of the flags set or cleared no vector is accepted", arguments: offered)
    func refusesOtherFlags(_ vector: SpecificationVector) {
        for flags in [0x44, 0x41, 0x55, 0x05, 0xC5] as [UInt8] {
            #expect(throws: PasskeyFault.self, "flags \(flags)") { _ = try vector.registered { _ in flags } }
        }
    }

    @Test("SEC-PK-9: the signature of each assertion of an offered algorithm verifies", arguments: offered)
    func verifiesSignature(_ vector: SpecificationVector) throws {
        let key = try PasskeyKey(cose: vector.publicKey)
        let signatures = KeyedPasskeySignatures()
        #expect(signatures.isUsable(key))
        let (message, signature) = (vector.signedMessage, Data(digits: vector.signature))
        #expect(signatures.isValid(signature, over: message, by: key))
        for index in [0, message.count / 2, message.count - 1] {
            #expect(!signatures.isValid(signature, over: message.with { $0[index] ^= 1 }, by: key))
        }
        for index in signature.indices {
            #expect(!signatures.isValid(signature.with { $0[index] ^= 0x10 }, over: message, by: key), "byte \(index)")
        }
        #expect(!signatures.isValid(signature + [0], over: message, by: key))
        #expect(!signatures.isValid(signature.dropLast(), over: message, by: key))
        #expect(!signatures.isValid(Data(), over: message, by: key))
    }

    @Test("SEC-PK-9: no signature verifies with the key of another vector")
    func verifiesWithOwnKeyAlone() throws {
        let signatures = KeyedPasskeySignatures()
        for vector in Self.offered {
            for other in Self.offered where other.name != vector.name {
                let key = try PasskeyKey(cose: other.publicKey)
                #expect(!signatures.isValid(Data(digits: vector.signature), over: vector.signedMessage, by: key))
            }
        }
    }

    @Test("SEC-PK-8: a key of an algorithm that is not offered is refused")
    func refusesOtherAlgorithms() {
        for vector in SpecificationVector.all where !PasskeyKey.algorithms.contains(vector.algorithm) {
            #expect(throws: PasskeyFault.unsupportedAlgorithm) { _ = try PasskeyKey(cose: vector.publicKey) }
        }
    }
}

extension SpecificationVector {
    private static let relyingParty = RelyingParty(id: "example.org", origins: ["https://example.org"])

    /// The authenticator data are the last member of the registration's object, and the key is their last part.
    var publicKey: Data {
        let (object, id) = (Data(digits: attestationObject), Data(digits: credentialID))
        guard let range = object.firstRange(of: id) else { return Data() }
        return Data(object[range.upperBound...])
    }

    var signedMessage: Data {
        Data(digits: authenticatorData) + Data(SHA256.hash(data: Data(useClientData.utf8)))
    }

    /// What the registration holds, read without the code under test.
    var passkey: EnrolledPasskey {
        let (object, id) = (Data(digits: attestationObject), Data(digits: credentialID))
        let start = object.firstRange(of: id)?.lowerBound ?? 18
        return EnrolledPasskey(
            credentialID: id, userHandle: Ceremony.userHandle, publicKey: publicKey, relyingPartyID: "example.org",
            signatureCount: 0, isBackupEligible: flags & 0x08 != 0, isBackedUp: flags & 0x10 != 0,
            authenticatorModel: Data(object[(start - 18)..<(start - 2)]), transports: ["internal"])
    }

    /// - Parameter flags: The flags to put in place of those of the vector.
    func registered(_ flags: (UInt8) -> UInt8 = { $0 }) throws -> EnrolledPasskey {
        var object = Data(digits: attestationObject)
        let start = try #require(object.firstRange(of: Data(SHA256.hash(data: Data("example.org".utf8)))))
        #expect(object[start.upperBound] == self.flags)
        object[start.upperBound] = flags(self.flags)
        let json = ResponseJSON.registration(
            id: Base64URL.encode(Data(digits: credentialID)), clientData: Base64URL.encode(Data(clientData.utf8)),
            attestationObject: Base64URL.encode(object))
        return try Self.relyingParty.verify(
            try PasskeyRegistration(json: json), userHandle: Ceremony.userHandle, signatures: KeyedPasskeySignatures(),
            isChallenge: { $0 == Data(digits: challenge) })
    }

    func used() throws -> PasskeyUse {
        let json = ResponseJSON.assertion(
            id: Base64URL.encode(Data(digits: credentialID)), clientData: Base64URL.encode(Data(useClientData.utf8)),
            authenticatorData: Base64URL.encode(Data(digits: authenticatorData)),
            signature: Base64URL.encode(Data(digits: signature)), userHandle: nil)
        return try Self.relyingParty.verify(
            try PasskeyAssertion(json: json), of: passkey, signatures: KeyedPasskeySignatures(),
            isChallenge: { $0 == Data(digits: useChallenge) })
    }
}
