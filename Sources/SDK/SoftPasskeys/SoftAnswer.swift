import Crypto
import NativeAuth
import NativeAuthCore
import PortableFoundation

/// Makes the bytes of one answer (WebAuthn Level 3 section 5.8.1 and section 6.1).
struct SoftAnswer {
    /// ES256, and its name with the curve.
    static let algorithms = [-7, -9]

    let behaviour: SoftBehaviour
    let relyingPartyID: String
    let challenge: Data

    func registration(
        of credential: SoftCredential, key: P256.Signing.PublicKey, algorithm: Int
    ) -> PasskeyRegistration {
        let point = key.rawRepresentation
        let coseKey = CBOR.map([
            (.integer(1), .integer(2)), (.integer(3), .integer(algorithm)), (.integer(-1), .integer(1)),
            (.integer(-2), .bytes(Data(point.prefix(32)))),
            (.integer(-3), .bytes(Data(point.suffix(32)))),
        ])
        let model = withUnsafeBytes(of: behaviour.model.uuid) { Data($0) }
        let length = CBOR.bigEndian(UInt64(credential.id.count), bytes: 2)
        let authenticatorData =
            authenticatorData(count: 0, hasKey: true) + model + length + credential.id + coseKey.encoded
        let attestation = CBOR.map([
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([])),
            (.text("authData"), .bytes(authenticatorData)),
        ])
        return PasskeyRegistration(
            credentialID: credential.id,
            clientDataJSON: clientData("webauthn.create", other: "webauthn.get"),
            attestationObject: attestation.encoded, transports: behaviour.transports)
    }

    func assertion(of credential: SoftCredential) throws(PasskeyError) -> PasskeyAssertion {
        let clientData = clientData("webauthn.get", other: "webauthn.create")
        let authenticatorData = authenticatorData(count: credential.signatureCount, hasKey: false)
        var signed = authenticatorData + Data(SHA256.hash(data: clientData))
        if behaviour.lies.contains(.badSignature) { signed.append(0) }
        let signature: Data
        do {
            let key = try P256.Signing.PrivateKey(rawRepresentation: credential.privateKey)
            signature = try key.signature(for: signed).derRepresentation
        } catch {
            throw .failed("The passkey's key cannot sign: \(error)")
        }
        return PasskeyAssertion(
            credentialID: credential.id, clientDataJSON: clientData, authenticatorData: authenticatorData,
            signature: signature, userHandle: userHandle(of: credential))
    }

    private func userHandle(of credential: SoftCredential) -> Data? {
        if behaviour.lies.contains(.noUserHandle) { return nil }
        if let handle = behaviour.claimedUserHandle { return handle }
        // The complement: as long as the true handle, and not one that a server has.
        return behaviour.lies.contains(.foreignUserHandle)
            ? Data(credential.userHandle.map { ~$0 }) : credential.userHandle
    }

    /// The client data in the order that every client writes (WebAuthn Level 3 section 5.8.1.1).
    private func clientData(_ type: String, other: String) -> Data {
        let lies = behaviour.lies
        let type = lies.contains(.wrongType) ? other : type
        let challenge = lies.contains(.wrongChallenge) ? Data(challenge.map { ~$0 }) : challenge
        let origin = behaviour.origin ?? "https://\(relyingPartyID)"
        let topOrigin = lies.contains(.topOrigin) ? ",\"topOrigin\":\"https://embedding.example\"" : ""
        return Data(
            """
            {"type":\(type.quotedAsJSON),"challenge":"\(Base64URL.encode(challenge))","origin":\(origin.quotedAsJSON),\
            "crossOrigin":\(lies.contains(.crossOrigin))\(topOrigin)}
            """.utf8)
    }

    /// The first 37 bytes: digest of the relying party's identifier, flags, count.
    private func authenticatorData(count: UInt32, hasKey: Bool) -> Data {
        let identifier =
            behaviour.lies.contains(.wrongRelyingParty) ? "other.\(relyingPartyID)" : relyingPartyID
        var flags: UInt8 = 0
        if behaviour.isUserPresent { flags |= 0x01 }
        if behaviour.isUserVerified { flags |= 0x04 }
        if behaviour.isBackupEligible { flags |= 0x08 }
        if behaviour.isBackedUp { flags |= 0x10 }
        if hasKey { flags |= 0x40 }
        return Data(SHA256.hash(data: Data(identifier.utf8))) + Data([flags])
            + CBOR.bigEndian(UInt64(count), bytes: 4)
    }
}
