import NativeAuthCore
public import PortableFoundation

/// A signature of a passkey, as an authenticator reports it. It is good for one sign-in. Until the server has seen it, it is a
/// credential: its description tells nothing of it (`SDK-LOG-1`).
public struct PasskeyAssertion: Hashable, Sendable {
    /// The identifier of the passkey, 1 to 1,023 bytes.
    public var credentialID: Data
    /// The client data as the system made them: exactly the bytes that the signature covers, not the same JSON written anew.
    public var clientDataJSON: Data
    /// What the authenticator signed, before the digest of the client data (WebAuthn Level 3 section 6.1).
    public var authenticatorData: Data
    /// The signature, in the form of the passkey's algorithm: for ES256 it is DER.
    public var signature: Data
    /// The server's handle of the account, 1 to 64 bytes; nil when the authenticator does not tell.
    public var userHandle: Data?

    /// Makes a value of what a system's interface for passkeys returned.
    public init(
        credentialID: Data, clientDataJSON: Data, authenticatorData: Data, signature: Data,
        userHandle: Data? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// The `AuthenticationResponseJSON` for the server (WebAuthn Level 3 section 5.1).
    package var json: String {
        let handle = userHandle.map { ",\"userHandle\":\"\(Base64URL.encode($0))\"" } ?? ""
        return PasskeyJSON.credential(
            credentialID,
            response: """
                {"clientDataJSON":"\(Base64URL.encode(clientDataJSON))",\
                "authenticatorData":"\(Base64URL.encode(authenticatorData))",\
                "signature":"\(Base64URL.encode(signature))"\(handle)}
                """)
    }
}

extension PasskeyAssertion: CustomStringConvertible, CustomReflectable {
    public var description: String { "PasskeyAssertion" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
