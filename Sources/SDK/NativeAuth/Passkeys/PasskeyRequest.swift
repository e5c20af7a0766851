import NativeAuthCore
public import PortableFoundation

/// What the server asks for when a user signs in with a passkey: the `PublicKeyCredentialRequestOptionsJSON` of
/// WebAuthn Level 3 section 5.1.9.
///
/// Only the server makes these options: an app does not choose the relying party. The server always requires the
/// verification of the user.
public struct PasskeyRequest: Hashable, Sendable {
    /// The host name that the passkey belongs to, in lower case: `rpId`.
    public let relyingPartyID: String
    /// The random bytes that the passkey signs, 16 to 128 bytes.
    public let challenge: Data
    /// The identifiers of the passkeys that may answer, up to 64. Empty: any passkey of the relying party.
    public let allowedCredentials: [Data]
    /// How long the user has, in seconds; above 0, up to 3,600.
    public let timeout: TimeInterval
    /// The options as the server sent them, for a system that takes JSON, such as Android.
    public let json: String

    /// Reads the JSON of a server. Members that this SDK does not use are ignored.
    ///
    /// - Throws: ``PasskeyError/unusableOptions(_:)`` with the path of the first member that is missing or malformed:
    ///   there are no defaults (`SEC-PK-22`).
    package init(json: String) throws(PasskeyError) {
        let options = try PasskeyOptionsReader(json: json)
        relyingPartyID = try options.hostName("rpId")
        challenge = try options.challenge()
        allowedCredentials = try options.credentials("allowCredentials")
        timeout = try options.timeout()
        try options.require("userVerification", .string("required"))
        self.json = json
    }
}

extension PasskeyRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "PasskeyRequest(\(relyingPartyID))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
