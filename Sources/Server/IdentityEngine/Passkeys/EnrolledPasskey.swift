package import PortableFoundation

/// A passkey as the server keeps it. Nothing in it is secret.
package struct EnrolledPasskey: Hashable, Sendable, Codable {
    /// 16 to 1,023 bytes, chosen by the authenticator. Unique in a tenant (`SEC-PK-11`).
    package var credentialID: Data
    /// The handle of the account, 1 to 64 bytes.
    package var userHandle: Data
    /// The COSE key as the server received it; ``PasskeyKey/init(cose:)`` reads it.
    package var publicKey: Data
    /// The id of the relying party for which the passkey was made.
    package var relyingPartyID: String
    /// The highest signature count of an accepted response. Passkeys that are synchronised always send 0.
    package var signatureCount: UInt32
    /// Whether the passkey may be copied to other devices. Never changes.
    package var isBackupEligible: Bool
    /// Whether the passkey had a copy at its last use.
    package var isBackedUp: Bool
    /// The AAGUID, 16 bytes: which model of authenticator made the passkey. A hint for a name, never a reason to trust.
    package var authenticatorModel: Data
    /// How a browser reaches the authenticator, for example "internal" or "hybrid". At most 8 names of 1 to 16 bytes.
    package var transports: [String]

    package init(
        credentialID: Data, userHandle: Data, publicKey: Data, relyingPartyID: String,
        signatureCount: UInt32,
        isBackupEligible: Bool, isBackedUp: Bool, authenticatorModel: Data, transports: [String]
    ) {
        self.credentialID = credentialID
        self.userHandle = userHandle
        self.publicKey = publicKey
        self.relyingPartyID = relyingPartyID
        self.signatureCount = signatureCount
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.authenticatorModel = authenticatorModel
        self.transports = transports
    }
}

/// The result of an accepted assertion: the passkey with its new state, and what the caller has to report.
package struct PasskeyUse: Hashable, Sendable {
    /// The passkey with the new backup state, and with the new signature count if it is greater than the stored one.
    package var passkey: EnrolledPasskey
    /// Whether the signature count did not grow, as after a copy of the key was used (`SEC-PK-12`). False if both
    /// counts are 0.
    package var hasSuspectCount: Bool
    /// Whether the passkey had a copy at its use before, and has none now.
    package var lostBackup: Bool
    /// Whether the passkey had no copy at its use before, and has one now.
    package var gainedBackup: Bool

    package init(
        passkey: EnrolledPasskey, hasSuspectCount: Bool, lostBackup: Bool, gainedBackup: Bool
    ) {
        self.passkey = passkey
        self.hasSuspectCount = hasSuspectCount
        self.lostBackup = lostBackup
        self.gainedBackup = gainedBackup
    }
}
