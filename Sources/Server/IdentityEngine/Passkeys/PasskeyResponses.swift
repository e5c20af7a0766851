package import PortableFoundation

/// The response of an authenticator that made a passkey: a `RegistrationResponseJSON` (WebAuthn Level 3 section 5.1.8).
package struct PasskeyRegistration: Hashable, Sendable {
    /// 16 to 1,023 bytes.
    package let credentialID: Data
    /// The client data as it was received, 20 to 4,096 bytes of JSON.
    package let clientData: Data
    /// At most 12,288 bytes of CBOR.
    package let attestationObject: Data
    /// At most 8 names of 1 to 16 letters, digits, hyphens and underscores. Empty if the client tells none.
    package let transports: [String]

    /// Reads the response. ``RelyingParty/verify(_:userHandle:signatures:isChallenge:)`` verifies it.
    ///
    /// - Parameter json: At most 16 KiB. Unknown members are ignored.
    /// - Throws: ``PasskeyFault/wrongSize``, ``PasskeyFault/malformedJSON``, ``PasskeyFault/malformedResponse``,
    ///   ``PasskeyFault/differentIDs``, or ``PasskeyFault/wrongCredentialID`` for an id of a wrong size.
    package init(json: String) throws(PasskeyFault) {
        let response = try PasskeyResponseJSON(json)
        credentialID = response.credentialID
        clientData = try response.bytes("clientDataJSON", ClientData.sizes)
        attestationObject = try response.bytes("attestationObject", Attestation.sizes)
        transports = try response.transports()
    }

    /// The challenge in the client data, by which the caller finds its record; nil if they are not readable.
    package var challenge: Data? { ClientData.challenge(in: clientData) }
}

/// The response of an authenticator that used a passkey: an `AuthenticationResponseJSON` (WebAuthn Level 3 section
/// 5.1.8).
package struct PasskeyAssertion: Hashable, Sendable {
    /// 16 to 1,023 bytes.
    package let credentialID: Data
    /// The client data as it was received, 20 to 4,096 bytes of JSON.
    package let clientData: Data
    /// 37 to 1,024 bytes.
    package let authenticatorData: Data
    /// 8 to 512 bytes.
    package let signature: Data
    /// The handle of the account, 1 to 64 bytes; nil if the client tells none.
    package let userHandle: Data?

    /// Reads the response. ``RelyingParty/verify(_:of:signatures:isChallenge:)`` verifies it.
    ///
    /// - Parameter json: At most 16 KiB. Unknown members are ignored.
    /// - Throws: ``PasskeyFault/wrongSize``, ``PasskeyFault/malformedJSON``, ``PasskeyFault/malformedResponse``,
    ///   ``PasskeyFault/differentIDs``, or ``PasskeyFault/wrongCredentialID`` for an id of a wrong size.
    package init(json: String) throws(PasskeyFault) {
        let response = try PasskeyResponseJSON(json)
        credentialID = response.credentialID
        clientData = try response.bytes("clientDataJSON", ClientData.sizes)
        authenticatorData = try response.bytes("authenticatorData", AuthenticatorData.assertionSizes)
        signature = try response.bytes("signature", 8...512)
        userHandle = try response.optionalBytes("userHandle", 1...64)
    }

    /// The challenge in the client data, by which the caller finds its record; nil if they are not readable.
    package var challenge: Data? { ClientData.challenge(in: clientData) }
}
