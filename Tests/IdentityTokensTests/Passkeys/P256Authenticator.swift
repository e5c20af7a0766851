import Crypto
import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// What a test changes of a valid ceremony. Each property begins with what the server expects.
struct Ceremony: Sendable {
    static let relyingParty = RelyingParty(id: "example.org", origins: ["https://example.org"])
    static let challenge = Data((0..<32).map { UInt8(0xC0 ^ $0) })
    static let userHandle = Data(repeating: 0x55, count: 32)
    static let model = Data((1...16).map { UInt8($0) })
    static let signatures = KeyedPasskeySignatures()

    var authenticator = P256Authenticator.shared
    /// The JSON text of each member of the client data, in order.
    var clientMembers: [(name: String, value: String)]
    /// The client data; nil means that it is made from ``clientMembers``.
    var clientData: Data?

    var relyingPartyHash = Data(SHA256.hash(data: Data("example.org".utf8)))
    var flags: UInt8
    var count: UInt32 = 0
    /// Put behind the key, or behind the count in an assertion.
    var extensions: [UInt8] = []
    var trailing: [UInt8] = []

    init(type: String, flags: UInt8) {
        clientMembers = [
            ("type", "\"\(type)\""), ("challenge", "\"\(Base64URL.encode(Self.challenge))\""),
            ("origin", "\"https://example.org\""), ("crossOrigin", "false"),
        ]
        self.flags = flags
    }

    /// Sets the JSON text of a member of the client data; nil leaves the member out.
    mutating func set(_ name: String, _ value: String?) {
        if let index = clientMembers.firstIndex(where: { $0.name == name }) {
            if let value { clientMembers[index].value = value } else { clientMembers.remove(at: index) }
        } else if let value {
            clientMembers.append((name, value))
        }
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    var clientBytes: Data {
        clientData ?? Data("{\(clientMembers.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ","))}".utf8)
    }

    /// The part of the authenticator data that both ceremonies have.
    var head: Data {
        relyingPartyHash + [flags] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * UInt32($0))) }
    }
}

/// A passkey in memory: a P-256 key and an id.
struct P256Authenticator: Sendable {
    static let shared = P256Authenticator()

    let key = P256.Signing.PrivateKey()
    let credentialID = Data((0..<32).map { UInt8(200 - $0) })

    /// The COSE key (RFC 9053 §7.1.1).
    var publicKey: CBORItem { .integers(Self.members(key.publicKey)) }

    static func members(_ key: P256.Signing.PublicKey, algorithm: Int = -7) -> [(Int, CBORItem)] {
        let point = key.rawRepresentation
        return [
            (1, .integer(2)), (3, .integer(algorithm)), (-1, .integer(1)), (-2, .bytes(Data(point.prefix(32)))),
            (-3, .bytes(Data(point.suffix(32)))),
        ]
    }

    func sign(_ message: Data) throws -> Data { try key.signature(for: message).derRepresentation }
}

/// A registration that a test can forge in any part.
struct RegistrationDraft: Sendable {
    var common = Ceremony(type: "webauthn.create", flags: 0x45)
    var credentialID = P256Authenticator.shared.credentialID
    /// The length that is written; nil means the length of ``credentialID``.
    var writtenLength: UInt16?
    var model = Ceremony.model
    var key = P256Authenticator.shared.publicKey
    var format: CBORItem = .text("none")
    /// The attestation statement; nil means a packed one by the credential's own key.
    var statement: CBORItem? = .map([])
    var algorithmOfStatement = -7
    /// The authenticator data and the attestation object; nil means those made from the other properties.
    var authenticatorData: Data?
    var attestationObject: Data?
    var afterObject: [UInt8] = []
    var transports: [String] = ["internal", "hybrid"]

    init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }

    var authenticatorBytes: Data {
        if let authenticatorData { return authenticatorData }
        guard common.flags & 0x40 != 0 else { return common.head + common.extensions + common.trailing }
        let length = writtenLength ?? UInt16(credentialID.count)
        return common.head + model + [UInt8(length >> 8), UInt8(length & 0xFF)] + credentialID + key.encoded
            + common.extensions + common.trailing
    }

    func objectBytes() throws -> Data {
        if let attestationObject { return attestationObject }
        let signed = authenticatorBytes + Data(SHA256.hash(data: common.clientBytes))
        let statement =
            try statement
            ?? .texts([
                ("alg", .integer(algorithmOfStatement)), ("sig", .bytes(try common.authenticator.sign(signed))),
            ])
        let object = CBORItem.texts([
            ("fmt", format), ("attStmt", statement), ("authData", .bytes(authenticatorBytes)),
        ])
        return Data(object.encoded + afterObject)
    }

    func json() throws -> String {
        ResponseJSON.registration(
            id: Base64URL.encode(credentialID), clientData: Base64URL.encode(common.clientBytes),
            attestationObject: Base64URL.encode(try objectBytes()), transports: transports)
    }

    func verified(by relyingParty: RelyingParty = Ceremony.relyingParty) throws -> EnrolledPasskey {
        try relyingParty.verify(
            try PasskeyRegistration(json: try json()), userHandle: Ceremony.userHandle,
            signatures: Ceremony.signatures, isChallenge: { $0 == Ceremony.challenge })
    }
}

/// An assertion that a test can forge in any part.
struct AssertionDraft: Sendable {
    var common = Ceremony(type: "webauthn.get", flags: 0x05)
    var credentialID = P256Authenticator.shared.credentialID
    var userHandle: Data? = Ceremony.userHandle
    /// The authenticator data; nil means that made from the other properties.
    var authenticatorData: Data?
    /// The signature; nil means a valid one.
    var signature: Data?

    init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }

    var authenticatorBytes: Data { authenticatorData ?? common.head + common.extensions + common.trailing }

    func signatureBytes() throws -> Data {
        try signature
            ?? common.authenticator.sign(authenticatorBytes + Data(SHA256.hash(data: common.clientBytes)))
    }

    func json() throws -> String {
        ResponseJSON.assertion(
            id: Base64URL.encode(credentialID), clientData: Base64URL.encode(common.clientBytes),
            authenticatorData: Base64URL.encode(authenticatorBytes),
            signature: Base64URL.encode(try signatureBytes()), userHandle: userHandle.map { Base64URL.encode($0) })
    }

    func verified(
        of passkey: EnrolledPasskey, by relyingParty: RelyingParty = Ceremony.relyingParty
    ) throws -> PasskeyUse {
        try relyingParty.verify(
            try PasskeyAssertion(json: try json()), of: passkey, signatures: Ceremony.signatures,
            isChallenge: { $0 == Ceremony.challenge })
    }
}

/// Responses as a browser writes them (WebAuthn section 5.1), from parts that need not be valid.
enum ResponseJSON {
    static func registration(
        id: String, rawID: String? = nil, type: String = "public-key", clientData: String, attestationObject: String,
        transports: [String] = ["internal"]
    ) -> String {
        let transports = transports.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"id":"\(id)","rawId":"\(rawID ?? id)","type":"\(type)","authenticatorAttachment":"platform",\
            "response":{"clientDataJSON":"\(clientData)","attestationObject":"\(attestationObject)",\
            "transports":[\(transports)]},"clientExtensionResults":{"credProps":{"rk":true}}}
            """
    }

    static func assertion(
        id: String, rawID: String? = nil, type: String = "public-key", clientData: String, authenticatorData: String,
        signature: String, userHandle: String?
    ) -> String {
        let userHandle = userHandle.map { ",\"userHandle\":\"\($0)\"" } ?? ""
        return """
            {"id":"\(id)","rawId":"\(rawID ?? id)","type":"\(type)","authenticatorAttachment":"platform",\
            "response":{"clientDataJSON":"\(clientData)","authenticatorData":"\(authenticatorData)",\
            "signature":"\(signature)"\(userHandle)},"clientExtensionResults":{}}
            """
    }
}
