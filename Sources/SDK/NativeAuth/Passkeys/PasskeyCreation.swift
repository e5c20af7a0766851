import NativeAuthCore
public import PortableFoundation

/// What the server asks for when a passkey is made: the `PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3
/// section 5.1.8.
///
/// Only the server makes these options: an app chooses neither the relying party nor the account. The server always
/// requires a discoverable passkey, no attestation and, except in the style ``PasskeyCreationStyle/conditional``, the
/// verification of the user.
public struct PasskeyCreation: Hashable, Sendable {
    /// The host name that the passkey belongs to, in lower case: `rp.id`.
    public let relyingPartyID: String
    /// The name of the relying party for the user, 1 to 256 bytes: `rp.name`.
    public let relyingPartyName: String
    /// The server's handle of the account, 1 to 64 bytes without personal data: `user.id`.
    public let userHandle: Data
    /// The login name that a list of passkeys shows, 1 to 1,024 bytes: `user.name`.
    public let username: String
    /// The name of the user, up to 1,024 bytes; may be empty: `user.displayName`.
    public let displayName: String
    /// The random bytes that the answer contains, 16 to 128 bytes.
    public let challenge: Data
    /// The COSE algorithms that the server takes, the preferred one first; 1 to 32 numbers, such as -7 for ES256.
    public let algorithms: [Int]
    /// The identifiers of the account's passkeys, up to 64: a device that has one of them makes no other.
    public let excludedCredentials: [Data]
    /// How long the user has, in seconds; above 0, up to 3,600.
    public let timeout: TimeInterval
    /// The options as the server sent them, for a system that takes JSON, such as Android.
    public let json: String

    /// Reads the JSON of a server. Members that this SDK does not use are ignored.
    ///
    /// - Throws: ``PasskeyError/unusableOptions(_:)`` with the path of the first member that is missing or malformed:
    ///   there are no defaults (`SEC-PK-22`).
    package init(json: String, style: PasskeyCreationStyle = .modal) throws(PasskeyError) {
        let options = try PasskeyOptionsReader(json: json)
        let relyingParty = try options.object("rp")
        let user = try options.object("user")
        let selection = try options.object("authenticatorSelection")
        relyingPartyID = try relyingParty.hostName("id")
        relyingPartyName = try relyingParty.text("name", bytes: 1...256)
        userHandle = try user.data("id", bytes: 1...64)
        username = try user.text("name", bytes: 1...1_024)
        displayName = try user.text("displayName", bytes: 0...1_024)
        challenge = try options.challenge()
        algorithms = try options.algorithms()
        excludedCredentials = try options.credentials("excludeCredentials")
        timeout = try options.timeout()
        try selection.require("residentKey", .string("required"))
        try selection.require("requireResidentKey", .boolean(true))
        switch style {
        case .modal: try selection.require("userVerification", .string("required"))
        case .conditional: try selection.require("userVerification", .string("preferred"))
        }
        try options.require("attestation", .string("none"))
        self.json = json
    }
}

extension PasskeyCreation: CustomStringConvertible, CustomReflectable {
    /// Without the names of the user (`SDK-LOG-1`).
    public var description: String { "PasskeyCreation(\(relyingPartyID))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
