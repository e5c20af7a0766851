import NativeAuthCore
public import PortableFoundation

/// A new passkey, as an authenticator reports it. The SDK keeps nothing of it.
public struct PasskeyRegistration: Hashable, Sendable {
    /// The identifier of the passkey, 1 to 1,023 bytes.
    public var credentialID: Data
    /// The client data as the system made them: exactly the bytes that a signature covers, not the same JSON written anew.
    public var clientDataJSON: Data
    /// The attestation object (WebAuthn Level 3 section 6.5), with the public key. Never empty.
    public var attestationObject: Data
    /// How the authenticator is reached, such as `internal` or `hybrid`. Empty when the system does not tell.
    public var transports: [String]

    /// Makes a value of what a system's interface for passkeys returned.
    public init(
        credentialID: Data, clientDataJSON: Data, attestationObject: Data, transports: [String] = []
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
    }

    /// The `RegistrationResponseJSON` for the server (WebAuthn Level 3 section 5.1).
    package var json: String {
        let transports = transports.map(\.quotedAsJSON).joined(separator: ",")
        return PasskeyJSON.credential(
            credentialID,
            response: """
                {"clientDataJSON":"\(Base64URL.encode(clientDataJSON))",\
                "attestationObject":"\(Base64URL.encode(attestationObject))",\
                "transports":[\(transports)]}
                """)
    }
}

extension PasskeyRegistration: CustomStringConvertible, CustomReflectable {
    public var description: String { "PasskeyRegistration" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
