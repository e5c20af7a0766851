import IdentityEngine
import NativeAuthCore
import PortableFoundation

// What authenticators are asked for, as WebAuthn section 5.1 writes it: browsers and the platforms' libraries take it unchanged.

extension PasskeyCreationOffer {
    /// `PublicKeyCredentialCreationOptionsJSON`.
    var json: JSONValue {
        .object([
            "rp": .object(["id": .string(relyingPartyID), "name": .string(relyingPartyName)]),
            "user": .object([
                "id": .string(Base64URL.encode(userHandle)), "name": .string(username),
                "displayName": .string(displayName),
            ]),
            "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": .array(
                PasskeyKey.algorithms.map { .object(["type": .string("public-key"), "alg": .integer($0)]) }),
            "timeout": .integer(PasskeyCeremony.milliseconds),
            "excludeCredentials": .array(excluded.map(\.json)),
            "authenticatorSelection": .object([
                "residentKey": .string("required"), "requireResidentKey": .boolean(true),
                // An upgrade asks the user nothing. With `required` a browser refuses, and Apple's systems make a passkey without (design
                // record 0043).
                "userVerification": .string(isUpgrade == true ? "preferred" : "required"),
            ]), "attestation": .string("none"), "extensions": .object(["credProps": .boolean(true)]),
        ])
    }
}

extension PasskeyRequestOffer {
    /// `PublicKeyCredentialRequestOptionsJSON`.
    var json: JSONValue {
        .object([
            "rpId": .string(relyingPartyID), "challenge": .string(Base64URL.encode(challenge)),
            "timeout": .integer(PasskeyCeremony.milliseconds), "userVerification": .string("required"),
            "allowCredentials": .array(allowed.map(\.json)),
        ])
    }
}

extension PasskeyReference {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string("public-key"), "id": .string(Base64URL.encode(id)),
        ]
        if !transports.isEmpty { members["transports"] = .array(transports.map { .string($0) }) }
        return .object(members)
    }
}

extension PasskeyCeremony {
    fileprivate static var milliseconds: Int { lifetime * 1_000 }
}
