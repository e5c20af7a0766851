package import PortableFoundation

/// A passkey with its private key.
package struct SoftCredential: Hashable, Sendable, Codable {
    /// 32 random bytes.
    package var id: Data
    package var relyingPartyID: String
    /// The server's handle of the account, 1 to 64 bytes.
    package var userHandle: Data
    package var username: String
    package var displayName: String
    /// The private key of P-256, 32 bytes.
    package var privateKey: Data
    /// The count of the last signature; 0 after registration.
    package var signatureCount: UInt32

    package init(
        id: Data, relyingPartyID: String, userHandle: Data, username: String, displayName: String,
        privateKey: Data,
        signatureCount: UInt32 = 0
    ) {
        self.id = id
        self.relyingPartyID = relyingPartyID
        self.userHandle = userHandle
        self.username = username
        self.displayName = displayName
        self.privateKey = privateKey
        self.signatureCount = signatureCount
    }
}

extension SoftCredential: CustomStringConvertible, CustomReflectable {
    /// Without the private key.
    package var description: String { "SoftCredential(\(relyingPartyID))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
