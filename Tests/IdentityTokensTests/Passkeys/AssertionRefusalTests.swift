import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// An assertion that breaks one rule of WebAuthn section 7.2, and the fault that it must have. The signature is valid unless
/// the case forges it: the rule itself refuses, not the signature.
struct RefusedAssertion: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: PasskeyFault
    let change: @Sendable (inout AssertionDraft) -> Void

    init(_ name: String, _ fault: PasskeyFault, _ change: @escaping @Sendable (inout AssertionDraft) -> Void) {
        (testDescription, self.fault, self.change) = (name, fault, change)
    }
}

/// The use of a passkey (WebAuthn section 7.2): one broken rule each.
@Suite("Assertions of passkeys") struct AssertionRefusalTests {
    private static func passkey(flags: UInt8 = 0x45, count: UInt32 = 0) throws -> EnrolledPasskey {
        try RegistrationDraft {
            $0.common.flags = flags
            $0.common.count = count
        }.verified()
    }

    @Test("a valid assertion changes nothing of a passkey without a counter")
    func accepts() throws {
        let passkey = try Self.passkey()
        let use = try AssertionDraft().verified(of: passkey)
        #expect(use.passkey == passkey)
        #expect(!use.hasSuspectCount)
        #expect(!use.lostBackup)
        #expect(!use.gainedBackup)
    }

    @Test("an assertion within the rules is accepted", arguments: [0x05, 0x07, 0x25, 0x27] as [UInt8])
    func acceptsReservedFlags(_ flags: UInt8) throws {
        let passkey = try Self.passkey()
        #expect(throws: Never.self) { _ = try AssertionDraft { $0.common.flags = flags }.verified(of: passkey) }
    }

    @Test("an assertion without a user handle and with extension outputs is accepted")
    func acceptsExtensions() throws {
        let passkey = try Self.passkey()
        #expect(throws: Never.self) {
            _ = try AssertionDraft {
                $0.userHandle = nil
                $0.common.flags = 0x85
                $0.common.extensions = CBORItem.texts([("hmac-secret", .bytes(Data(repeating: 1, count: 32)))]).encoded
            }.verified(of: passkey)
        }
    }

    @Test("SEC-PK-2 to SEC-PK-6: an assertion with one fault is refused", arguments: refused)
    func refuses(_ case: RefusedAssertion) throws {
        let passkey = try Self.passkey()
        #expect(throws: `case`.fault) { _ = try AssertionDraft(`case`.change).verified(of: passkey) }
    }

    private static let refused: [RefusedAssertion] = [
        .init("no object", .malformedClientData) {
            $0.common.clientData = Data(#"["webauthn.get", "and so on"]"#.utf8)
        },
        .init("cut off", .malformedClientData) { $0.common.clientData = $0.common.clientBytes.dropLast() },
        .init("origin twice", .malformedClientData) {
            $0.common.clientMembers.append(("origin", #""https://evil.example""#))
        },
        .init("type of a registration", .wrongType) { $0.common.set("type", #""webauthn.create""#) },
        .init("type in capitals", .wrongType) { $0.common.set("type", #""webauthn.Get""#) },
        .init("no type", .wrongType) { $0.common.set("type", nil) },
        .init("another challenge", .wrongChallenge) {
            $0.common.set("challenge", "\"\(Base64URL.encode(Data(repeating: 1, count: 32)))\"")
        },
        .init("no challenge", .wrongChallenge) { $0.common.set("challenge", nil) },
        .init("a challenge with stray bits", .wrongChallenge) {
            $0.common.set("challenge", "\"\(RegistrationRefusalTests.stray(Base64URL.encode(Ceremony.challenge)))\"")
        },
        .init("no origin", .wrongOrigin) { $0.common.set("origin", nil) },
        .init("cross-origin", .crossOrigin) { $0.common.set("crossOrigin", "true") },
        .init("cross-origin as text", .crossOrigin) { $0.common.set("crossOrigin", #""true""#) },
        .init("a top origin", .topOrigin) { $0.common.set("topOrigin", #""https://example.org""#) },

        .init("another relying party", .wrongRelyingParty) {
            $0.common.relyingPartyHash = Data(SHA256.hash(data: Data("example.com".utf8)))
        },
        .init("no user presence", .userNotPresent) { $0.common.flags = 0x04 },
        .init("no user verification", .userNotVerified) { $0.common.flags = 0x01 },
        .init("no flag", .userNotPresent) { $0.common.flags = 0 },
        .init("backed up and not eligible", .wrongBackupState) { $0.common.flags = 0x15 },
        .init("eligible where it was not", .changedBackupEligibility) { $0.common.flags = 0x0D },
        .init("eligible and backed up where it was not", .changedBackupEligibility) { $0.common.flags = 0x1D },
        .init("a credential by the flags alone", .malformedAuthenticatorData) { $0.common.flags = 0x45 },
        .init("a credential", .malformedAuthenticatorData) {
            $0.common.flags = 0x45
            $0.common.trailing = Array(RegistrationDraft().authenticatorBytes.dropFirst(37))
        },
        .init("a credential without the flag", .malformedAuthenticatorData) {
            $0.common.trailing = Array(RegistrationDraft().authenticatorBytes.dropFirst(37))
        },
        .init("extensions by the flags alone", .malformedAuthenticatorData) { $0.common.flags = 0x85 },
        .init("extensions without the flag", .malformedAuthenticatorData) { $0.common.extensions = [0xA0] },
        .init("extensions that are a list", .malformedAuthenticatorData) {
            ($0.common.flags, $0.common.extensions) = (0x85, [0x80])
        },
        .init("a byte behind", .malformedAuthenticatorData) { $0.common.trailing = [0] },
        .init("a byte behind the extensions", .malformedAuthenticatorData) {
            ($0.common.flags, $0.common.extensions, $0.common.trailing) = (
                0x85, CBORItem.texts([("a", .integer(1))]).encoded, [0xA0]
            )
        },

        .init("another user handle", .wrongUser) { $0.userHandle = Data(repeating: 0x56, count: 32) },
        .init("the beginning of the user handle", .wrongUser) { $0.userHandle = Ceremony.userHandle.dropLast() },
        .init("another id", .wrongCredentialID) { $0.credentialID = Data(repeating: 1, count: 32) },

        .init("a signature by another key", .wrongSignature) { $0.common.authenticator = P256Authenticator() },
        .init("a signature of zeros", .wrongSignature) { $0.signature = Data(repeating: 0, count: 70) },
        .init("a signature of zero numbers", .wrongSignature) { $0.signature = Data([0x30, 6, 2, 1, 0, 2, 1, 0, 0]) },
        .init("a raw signature", .wrongSignature) {
            let signed = $0.authenticatorBytes + Data(SHA256.hash(data: $0.common.clientBytes))
            $0.signature = try? P256Authenticator.shared.key.signature(for: signed).rawRepresentation
        },
        .init("a signature of other client data", .wrongSignature) {
            let signed = $0.authenticatorBytes + Data(SHA256.hash(data: Data("{}".utf8)))
            $0.signature = try? P256Authenticator.shared.sign(signed)
        },
        .init("a signature of the client data, not of its hash", .wrongSignature) {
            $0.signature = try? P256Authenticator.shared.sign($0.authenticatorBytes + $0.common.clientBytes)
        },
        .init("a signature of the hash alone", .wrongSignature) {
            $0.signature = try? P256Authenticator.shared.sign(Data(SHA256.hash(data: $0.common.clientBytes)))
        },
        .init("a signature of client data without its byte order mark", .wrongSignature) {
            $0.signature = try? $0.signatureBytes()
            $0.common.clientData = Data([0xEF, 0xBB, 0xBF]) + $0.common.clientBytes
        },
        .init("a signature of client data in another order", .wrongSignature) {
            $0.signature = try? $0.signatureBytes()
            $0.common.clientMembers.reverse()
        },
    ]

    @Test("SEC-PK-4: a passkey of another relying party is refused, although the hash is right")
    func refusesOtherParty() throws {
        let other = RelyingParty(id: "example.com", origins: ["https://example.org"])
        let hash = Data(SHA256.hash(data: Data("example.com".utf8)))
        let passkey = try Self.passkey()
        // The hash is that of the caller's id, not of the record's; then the other way round.
        #expect(throws: PasskeyFault.wrongRelyingParty) {
            _ = try AssertionDraft { $0.common.relyingPartyHash = hash }.verified(of: passkey, by: other)
        }
        let theirs = try RegistrationDraft { $0.common.relyingPartyHash = hash }.verified(by: other)
        #expect(throws: PasskeyFault.wrongRelyingParty) { _ = try AssertionDraft().verified(of: theirs) }
    }

    @Test("SEC-PK-6: a passkey that was eligible for backup and is no longer is refused")
    func refusesLostEligibility() throws {
        let passkey = try Self.passkey(flags: 0x4D)
        #expect(throws: PasskeyFault.changedBackupEligibility) { _ = try AssertionDraft().verified(of: passkey) }
    }

    @Test(
        "SEC-PK-23: gaining and losing the backup is told and kept",
        arguments: [
            (0x4D, 0x0D, false, false), (0x4D, 0x1D, false, true), (0x5D, 0x0D, true, false),
            (0x5D, 0x1D, false, false),
        ] as [(UInt8, UInt8, Bool, Bool)])
    func tellsBackup(_ before: UInt8, _ now: UInt8, _ lost: Bool, _ gained: Bool) throws {
        let use = try AssertionDraft { $0.common.flags = now }.verified(of: try Self.passkey(flags: before))
        #expect(use.lostBackup == lost)
        #expect(use.gainedBackup == gained)
        #expect(use.passkey.isBackedUp == (now & 0x10 != 0))
        #expect(use.passkey.isBackupEligible)
    }

    @Test(
        "SEC-PK-12: a count that does not rise is told, and the stored count does not fall",
        arguments: [
            (0, 0, 0, false), (0, 7, 7, false), (5, 6, 6, false), (5, 5, 5, true), (5, 4, 5, true), (7, 0, 7, true),
            (0, .max, .max, false), (.max, 0, .max, true), (.max, .max, .max, true),
            (0x7FFF_FFFF, 0x8000_0000, 0x8000_0000, false),
        ] as [(UInt32, UInt32, UInt32, Bool)])
    func judgesCount(_ before: UInt32, _ now: UInt32, _ after: UInt32, _ isSuspect: Bool) throws {
        let use = try AssertionDraft { $0.common.count = now }.verified(of: try Self.passkey(count: before))
        #expect(use.passkey.signatureCount == after)
        #expect(use.hasSuspectCount == isSuspect)
    }

    @Test("SEC-PK-1: a registration is not taken for an assertion, nor the other way round")
    func refusesOtherCeremony() throws {
        let registration = try RegistrationDraft().json()
        #expect(throws: PasskeyFault.self) { _ = try PasskeyAssertion(json: registration) }
        let assertion = try AssertionDraft().json()
        #expect(throws: PasskeyFault.self) { _ = try PasskeyRegistration(json: assertion) }
    }

    @Test("SEC-PK-7: authenticator data of an assertion that ends at any earlier place is refused")
    func refusesShortAuthenticatorData() throws {
        let passkey = try Self.passkey()
        let whole = AssertionDraft {
            $0.common.flags = 0x85
            $0.common.extensions = CBORItem.texts([("a", .integer(1))]).encoded
        }.authenticatorBytes
        for count in 0..<whole.count {
            #expect(throws: PasskeyFault.self, "\(count) bytes") {
                _ = try AssertionDraft { $0.authenticatorData = whole.prefix(count) }.verified(of: passkey)
            }
        }
    }

    @Test("SEC-PK-9: no change of one byte of any of the three inputs is accepted")
    func refusesMutations() throws {
        let passkey = try Self.passkey()
        let draft = AssertionDraft()
        let (data, client) = (draft.authenticatorBytes, draft.common.clientBytes)
        let signature = try draft.signatureBytes()
        var random = SeededMutations(state: 0x5EC_9)
        var refused = 0
        for _ in 0..<1_000 {
            var (changedData, changedClient, changedSignature) = (data, client, signature)
            let (mask, which) = (UInt8(1 + random.below(255)), random.below(3))
            switch which {
            case 0: changedData[changedData.startIndex + random.below(data.count)] ^= mask
            case 1: changedClient[changedClient.startIndex + random.below(client.count)] ^= mask
            case _: changedSignature[changedSignature.startIndex + random.below(signature.count)] ^= mask
            }
            let forged = AssertionDraft {
                $0.authenticatorData = changedData
                $0.common.clientData = changedClient
                $0.signature = changedSignature
            }
            #expect(throws: PasskeyFault.self, "input \(which), mask \(mask)") { _ = try forged.verified(of: passkey) }
            refused += 1
        }
        #expect(refused == 1_000)
        #expect(throws: Never.self) { _ = try draft.verified(of: passkey) }
    }
}
