import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// A registration that breaks one rule of WebAuthn section 7.1, and the fault that it must have.
struct RefusedRegistration: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: PasskeyFault
    let change: @Sendable (inout RegistrationDraft) -> Void

    init(_ name: String, _ fault: PasskeyFault, _ change: @escaping @Sendable (inout RegistrationDraft) -> Void) {
        (testDescription, self.fault, self.change) = (name, fault, change)
    }
}

/// The registration of a passkey (WebAuthn section 7.1): one broken rule each.
@Suite("Registration of passkeys") struct RegistrationRefusalTests {
    @Test("a valid registration gives what the server keeps of it")
    func accepts() throws {
        let draft = RegistrationDraft {
            $0.common.flags = 0x5D
            $0.common.count = 7
        }
        let passkey = try draft.verified()
        #expect(passkey.credentialID == draft.credentialID)
        #expect(passkey.userHandle == Ceremony.userHandle)
        #expect(passkey.publicKey == Data(draft.key.encoded))
        #expect(passkey.relyingPartyID == "example.org")
        #expect(passkey.signatureCount == 7)
        #expect(passkey.isBackupEligible)
        #expect(passkey.isBackedUp)
        #expect(passkey.authenticatorModel == Ceremony.model)
        #expect(passkey.transports == ["internal", "hybrid"])
    }

    /// What the specification leaves open to clients and authenticators must not be refused.
    private static let accepted: [(String, @Sendable (inout RegistrationDraft) -> Void)] = [
        ("a member of the client data that nobody knows", { $0.common.set("later", #"{"a":[1,2,{"b":null}]}"#) }),
        ("client data in another order", { $0.common.clientMembers.reverse() }),
        ("no crossOrigin", { $0.common.set("crossOrigin", nil) }),
        ("a byte order mark", { $0.common.clientData = Data([0xEF, 0xBB, 0xBF]) + $0.common.clientBytes }),
        ("white space", { $0.common.clientData = Data(" \n".utf8) + $0.common.clientBytes + Data("\n ".utf8) }),
        ("reserved bit 1", { $0.common.flags |= 0x02 }),
        ("reserved bit 5", { $0.common.flags |= 0x20 }),
        ("backup eligible and not backed up", { $0.common.flags |= 0x08 }),
        (
            "extension outputs",
            {
                $0.common.flags |= 0x80
                $0.common.extensions = extensions
            }
        ),
        ("the longest id", { $0.credentialID = Data(repeating: 9, count: 1_023) }),
        ("the shortest id", { $0.credentialID = Data(repeating: 9, count: 16) }),
        (
            "a packed attestation by the credential's key",
            {
                $0.format = .text("packed")
                $0.statement = nil
            }
        ),
        ("no transports", { $0.transports = [] }),
        ("client data of 4,096 bytes", { $0.common.clientData = padded($0.common, to: 4_096) }),
    ]
    private static let extensions = CBORItem.texts([("credProtect", .integer(2))]).encoded

    @Test("a registration within the rules is accepted", arguments: accepted.indices)
    func acceptsVariants(_ index: Int) throws {
        #expect(throws: Never.self, "\(Self.accepted[index].0)") {
            _ = try RegistrationDraft(Self.accepted[index].1).verified()
        }
    }

    private static func padded(_ ceremony: Ceremony, to count: Int) -> Data {
        let empty = ceremony.with { $0.set("pad", "\"\"") }.clientBytes.count
        return ceremony.with { $0.set("pad", "\"\(String(repeating: "x", count: count - empty))\"") }.clientBytes
    }

    @Test(
        "SEC-PK-2 SEC-PK-3: client data of a registration with one fault is refused", arguments: clientData)
    func refusesClientData(_ case: RefusedRegistration) {
        #expect(throws: `case`.fault) { _ = try RegistrationDraft(`case`.change).verified() }
    }

    private static let clientData: [RefusedRegistration] = [
        .init("no object", .malformedClientData) {
            $0.common.clientData = Data(#"["webauthn.create", "and more"]"#.utf8)
        },
        .init("a text", .malformedClientData) { $0.common.clientData = Data(#""webauthn.create and more""#.utf8) },
        .init("cut off", .malformedClientData) { $0.common.clientData = $0.common.clientBytes.dropLast() },
        .init("a second object", .malformedClientData) {
            $0.common.clientData = $0.common.clientBytes + Data("{}".utf8)
        },
        .init("a zero byte behind", .malformedClientData) { $0.common.clientData = $0.common.clientBytes + [0] },
        .init("two byte order marks", .malformedClientData) {
            $0.common.clientData = Data([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF]) + $0.common.clientBytes
        },
        .init("UTF-16", .malformedClientData) {
            $0.common.clientData = Data([0xFE, 0xFF]) + $0.common.clientBytes.flatMap { [0, $0] }
        },
        .init("no UTF-8", .malformedClientData) {
            let broken = "\"later\":\"".utf8 + [0xC3, 0x28] + "\",".utf8
            $0.common.clientData = Data("{".utf8) + broken + $0.common.clientBytes.dropFirst()
        },
        .init("an overlong form", .malformedClientData) {
            let broken = "\"later\":\"".utf8 + [0xC0, 0xAF] + "\",".utf8
            $0.common.clientData = Data("{".utf8) + broken + $0.common.clientBytes.dropFirst()
        },
        .init("a control character in a text", .malformedClientData) {
            $0.common.clientMembers.append(("later", "\"a\u{1}b\""))
        },
        .init("a line break in a text", .malformedClientData) {
            $0.common.clientMembers.append(("later", "\"a\nb\""))
        },
        .init("half of a surrogate pair", .malformedClientData) {
            $0.common.clientMembers.append(("later", #""\ud83d""#))
        },
        .init("an unknown escape", .malformedClientData) {
            $0.common.clientMembers.append(("later", #""\x61""#))
        },
        .init("a number with a zero in front", .malformedClientData) { $0.common.set("later", "01") },
        .init("a number that is none", .malformedClientData) { $0.common.set("later", "NaN") },
        .init("single quotes", .malformedClientData) { $0.common.set("later", "'a'") },
        .init("a comma behind the last member", .malformedClientData) {
            $0.common.clientData = $0.common.clientBytes.dropLast() + Data(",}".utf8)
        },
        .init("a comment", .malformedClientData) { $0.common.clientData = $0.common.clientBytes + Data("// x".utf8) },
        .init("type twice", .malformedClientData) { $0.common.clientMembers.append(("type", #""webauthn.create""#)) },
        .init("origin twice", .malformedClientData) {
            $0.common.clientMembers.insert(("origin", #""https://evil.example""#), at: 0)
        },
        .init("challenge twice", .malformedClientData) {
            $0.common.clientMembers.append(("challenge", $0.common.clientMembers[1].value))
        },
        .init("origin twice, once escaped", .malformedClientData) {
            $0.common.clientMembers.append((#"\u006frigin"#, #""https://evil.example""#))
        },
        .init("an unknown member twice", .malformedClientData) {
            $0.common.clientMembers += [("later", "1"), ("later", "2")]
        },

        .init("type of an assertion", .wrongType) { $0.common.set("type", #""webauthn.get""#) },
        .init("type of a payment", .wrongType) { $0.common.set("type", #""payment.get""#) },
        .init("type in capitals", .wrongType) { $0.common.set("type", #""WebAuthn.create""#) },
        .init("type with a blank", .wrongType) { $0.common.set("type", #""webauthn.create ""#) },
        .init("type with a zero", .wrongType) { $0.common.set("type", #""webauthn.create\u0000""#) },
        .init("type is empty", .wrongType) { $0.common.set("type", #""""#) },
        .init("no type", .wrongType) { $0.common.set("type", nil) },
        .init("type is null", .wrongType) { $0.common.set("type", "null") },
        .init("type is a list", .wrongType) { $0.common.set("type", #"["webauthn.create"]"#) },
        .init("type under another name", .wrongType) {
            $0.common.set("type", nil)
            $0.common.set("Type", #""webauthn.create""#)
        },

        .init("another challenge", .wrongChallenge) {
            $0.common.set("challenge", "\"\(Base64URL.encode(Data(repeating: 1, count: 32)))\"")
        },
        .init("a shorter challenge", .wrongChallenge) {
            $0.common.set("challenge", "\"\(Base64URL.encode(Ceremony.challenge.dropLast()))\"")
        },
        .init("a longer challenge", .wrongChallenge) {
            $0.common.set("challenge", "\"\(Base64URL.encode(Ceremony.challenge + [0]))\"")
        },
        .init("no challenge", .wrongChallenge) { $0.common.set("challenge", nil) },
        .init("an empty challenge", .wrongChallenge) { $0.common.set("challenge", #""""#) },
        .init("a null challenge", .wrongChallenge) { $0.common.set("challenge", "null") },
        .init("a challenge with padding", .wrongChallenge) {
            $0.common.set("challenge", "\"\(Base64URL.encode(Ceremony.challenge))=\"")
        },
        .init("a challenge with stray bits", .wrongChallenge) {
            $0.common.set("challenge", "\"\(stray(Base64URL.encode(Ceremony.challenge)))\"")
        },
        .init("a challenge in the other alphabet", .wrongChallenge) {
            $0.common.set("challenge", "\"\(Ceremony.challenge.base64EncodedString())\"")
        },

        .init("cross-origin", .crossOrigin) { $0.common.set("crossOrigin", "true") },
        .init("cross-origin as text", .crossOrigin) { $0.common.set("crossOrigin", #""true""#) },
        .init("cross-origin as a number", .crossOrigin) { $0.common.set("crossOrigin", "1") },
        .init("cross-origin with a top origin", .crossOrigin) {
            $0.common.set("crossOrigin", "true")
            $0.common.set("topOrigin", #""https://example.org""#)
        },
        .init("a top origin, not cross-origin", .topOrigin) {
            $0.common.set("topOrigin", #""https://example.org""#)
        },
        .init("a top origin and no crossOrigin", .topOrigin) {
            $0.common.set("crossOrigin", nil)
            $0.common.set("topOrigin", #""https://example.com""#)
        },
        .init("an empty top origin", .topOrigin) { $0.common.set("topOrigin", #""""#) },
        .init("a null top origin", .topOrigin) { $0.common.set("topOrigin", "null") },
    ]

    /// Base64url text with another last character that stands for the same bytes.
    static func stray(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let index = alphabet.firstIndex(of: last), text.count % 4 != 0 else { return text }
        return text.dropLast() + String(alphabet[index | 1])
    }

    @Test(
        "SEC-PK-4 SEC-PK-5 SEC-PK-6: authenticator data of a registration with one fault is refused",
        arguments: authenticatorData)
    func refusesAuthenticatorData(_ case: RefusedRegistration) {
        #expect(throws: `case`.fault) { _ = try RegistrationDraft(`case`.change).verified() }
    }

    private static let authenticatorData: [RefusedRegistration] = [
        .init("another relying party", .wrongRelyingParty) {
            $0.common.relyingPartyHash = Data(SHA256.hash(data: Data("example.com".utf8)))
        },
        .init("a sub-domain as the relying party", .wrongRelyingParty) {
            $0.common.relyingPartyHash = Data(SHA256.hash(data: Data("login.example.org".utf8)))
        },
        .init("the origin as the relying party", .wrongRelyingParty) {
            $0.common.relyingPartyHash = Data(SHA256.hash(data: Data("https://example.org".utf8)))
        },
        .init("one bit of the hash", .wrongRelyingParty) { $0.common.relyingPartyHash[31] ^= 1 },
        .init("no user presence", .userNotPresent) { $0.common.flags = 0x44 },
        .init("no user verification", .userNotVerified) { $0.common.flags = 0x41 },
        .init("neither", .userNotPresent) { $0.common.flags = 0x40 },
        .init("backed up and not eligible", .wrongBackupState) { $0.common.flags = 0x55 },
        .init("no credential", .malformedAuthenticatorData) { $0.common.flags = 0x05 },
        .init("no credential by the flags", .malformedAuthenticatorData) {
            $0.authenticatorData = RegistrationDraft().authenticatorBytes.with { $0[32] = 0x05 }
        },
        .init("extensions by the flags alone", .malformedAuthenticatorData) { $0.common.flags = 0xC5 },
        .init("extensions without the flag", .malformedAuthenticatorData) { $0.common.extensions = extensions },
        .init("an empty extension map without the flag", .malformedAuthenticatorData) { $0.common.extensions = [0xA0] },
        .init("extensions that are no map", .malformedAuthenticatorData) {
            $0.common.flags = 0xC5
            $0.common.extensions = [0x80]
        },
        .init("a byte behind", .malformedAuthenticatorData) { $0.common.trailing = [0] },
        .init("a byte behind the extensions", .malformedAuthenticatorData) {
            $0.common.flags = 0xC5
            $0.common.extensions = extensions
            $0.common.trailing = [0xA0]
        },
        .init("an id of 15 bytes", .wrongCredentialID) { $0.credentialID = Data(repeating: 9, count: 15) },
        .init("an id of no bytes", .wrongCredentialID) { $0.writtenLength = 0 },
        .init("a longer id than there are bytes", .malformedAuthenticatorData) { $0.writtenLength = 1_000 },
        .init("the longest length", .wrongCredentialID) { $0.writtenLength = .max },
        .init("another id than that of the response", .wrongCredentialID) {
            $0.authenticatorData =
                RegistrationDraft { $0.credentialID = Data(repeating: 8, count: 32) }.authenticatorBytes
        },
        .init("an id that begins with that of the response", .wrongCredentialID) {
            $0.authenticatorData =
                RegistrationDraft { $0.credentialID = P256Authenticator.shared.credentialID + [1] }.authenticatorBytes
        },
    ]

    @Test("SEC-PK-7: authenticator data that ends at any earlier place is refused")
    func refusesShortAuthenticatorData() {
        let whole = RegistrationDraft {
            $0.common.flags = 0xC5
            $0.common.extensions = Self.extensions
        }
        .authenticatorBytes
        for count in 0..<whole.count {
            #expect(throws: PasskeyFault.self, "\(count) bytes") {
                _ = try RegistrationDraft { $0.authenticatorData = whole.prefix(count) }.verified()
            }
        }
    }
}

extension Data {
    /// A copy with a change.
    func with(_ change: (inout Data) -> Void) -> Data {
        var copy = self
        change(&copy)
        return copy
    }
}
