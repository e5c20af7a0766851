import PortableFoundation

/// What the authenticator says of a ceremony (WebAuthn Level 3 section 6.1). It is covered by the signature.
struct AuthenticatorData {
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let hasCredential = Flags(rawValue: 0x40)
        static let hasExtensions = Flags(rawValue: 0x80)
    }

    /// The bytes of a relying party's digest, the flags and the signature count.
    static let headerSize = 37
    /// In bytes, for one without a credential.
    static let assertionSizes = headerSize...1_024

    private let relyingPartyDigest: Data
    let flags: Flags
    let signatureCount: UInt32
    /// The bytes after the header: a credential and extensions, if the flags say so.
    private let rest: [UInt8]

    /// Reads the header.
    ///
    /// - Throws: ``PasskeyFault/malformedAuthenticatorData`` for fewer bytes than a header has.
    init(_ data: Data) throws(PasskeyFault) {
        let bytes = Array(data)
        guard bytes.count >= Self.headerSize else { throw .malformedAuthenticatorData }
        relyingPartyDigest = Data(bytes[0..<32])
        flags = Flags(rawValue: bytes[32])
        signatureCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        rest = Array(bytes[37...])
    }

    var isBackupEligible: Bool { flags.contains(.backupEligible) }
    var isBackedUp: Bool { flags.contains(.backedUp) }

    /// Steps 14 to 17 of WebAuthn section 7.1, which are steps 15 to 18 of section 7.2.
    ///
    /// - Parameter isSilent: Whether the user was not asked: then the user is neither present nor verified (`SEC-PK-18`).
    func check(relyingPartyID: String, isSilent: Bool = false) throws(PasskeyFault) {
        guard Vault.areEqual(relyingPartyDigest, Vault.checksum(Data(relyingPartyID.utf8))) else {
            throw .wrongRelyingParty
        }
        guard isSilent || flags.contains(.userPresent) else { throw .userNotPresent }
        guard isSilent || flags.contains(.userVerified) else { throw .userNotVerified }
        guard isBackupEligible || !isBackedUp else { throw .wrongBackupState }
    }

    /// The credential of a registration, with nothing after it but the announced extensions.
    ///
    /// - Throws: ``PasskeyFault/wrongCredentialID`` for an id of a wrong size, or
    ///   ``PasskeyFault/malformedAuthenticatorData``.
    func credential() throws(PasskeyFault) -> AttestedCredential {
        guard flags.contains(.hasCredential), rest.count >= 18 else { throw .malformedAuthenticatorData }
        let size = Int(rest[16]) << 8 | Int(rest[17])
        guard AttestedCredential.idSizes.contains(size) else { throw .wrongCredentialID }
        guard size <= rest.count - 18 else { throw .malformedAuthenticatorData }
        let keyAndExtensions = Data(rest[(18 + size)...])
        var reader = CTAPReader(keyAndExtensions)
        guard reader.value() != nil else { throw .malformedAuthenticatorData }
        let key = Data(keyAndExtensions.prefix(reader.position))
        try checkExtensions(&reader)
        return AttestedCredential(model: Data(rest[..<16]), id: Data(rest[18..<(18 + size)]), publicKey: key)
    }

    /// Checks that an assertion has no credential, and nothing after the header but the announced extensions.
    ///
    /// - Throws: ``PasskeyFault/malformedAuthenticatorData``.
    func checkWithoutCredential() throws(PasskeyFault) {
        guard !flags.contains(.hasCredential) else { throw .malformedAuthenticatorData }
        var reader = CTAPReader(Data(rest))
        try checkExtensions(&reader)
    }

    private func checkExtensions(_ reader: inout CTAPReader) throws(PasskeyFault) {
        if flags.contains(.hasExtensions) {
            guard case .map = reader.value() else { throw .malformedAuthenticatorData }
        }
        guard reader.isAtEnd else { throw .malformedAuthenticatorData }
    }
}

/// A new credential (WebAuthn Level 3 section 6.5.1).
struct AttestedCredential {
    /// In bytes.
    static let idSizes = 16...1_023

    /// The AAGUID, 16 bytes.
    let model: Data
    let id: Data
    /// The COSE key, not yet read.
    let publicKey: Data
}
