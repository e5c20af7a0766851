package import PortableFoundation

extension RelyingParty {
    /// Verifies that an authenticator made a passkey for this relying party (WebAuthn Level 3 section 7.1, steps 5 to
    /// 24).
    ///
    /// Requires user presence and user verification, and refuses a response of an embedded page. The caller has spent
    /// the challenge before, and stores the passkey afterwards; the store refuses a credential id that the tenant has
    /// already (step 26).
    ///
    /// - Parameters:
    ///   - userHandle: The handle of the account that the challenge was made for.
    ///   - isUpgrade: Whether the challenge is of ``PasskeyCeremony/upgrade``: then presence and verification of the user are not
    ///     required. Each use of the passkey requires both.
    ///   - isChallenge: Whether these bytes are the challenge of this ceremony. It compares in constant time.
    /// - Throws: The first check that fails.
    package func verify(
        _ registration: PasskeyRegistration, userHandle: Data, isUpgrade: Bool = false,
        signatures: any PasskeySignatures, isChallenge: (Data) -> Bool
    ) throws(PasskeyFault) -> EnrolledPasskey {
        try ClientData(registration.clientData).check(.registration, origins: origins, isChallenge: isChallenge)
        let clientDataDigest = Vault.checksum(registration.clientData)
        let attestation = try Attestation(registration.attestationObject)
        let data = try AuthenticatorData(attestation.authenticatorData)
        try data.check(relyingPartyID: id, isSilent: isUpgrade)
        let credential = try data.credential()
        guard credential.id == registration.credentialID else { throw .wrongCredentialID }
        let key = try COSEKey(credential.publicKey)
        // Step 20: an algorithm that was offered.
        guard PasskeyKey.algorithms.contains(key.algorithm) else { throw .unsupportedAlgorithm }
        guard signatures.isUsable(key.key) else { throw .unusableKey }
        try attestation.check(key: key, clientDataDigest: clientDataDigest, signatures: signatures)
        return EnrolledPasskey(
            credentialID: credential.id, userHandle: userHandle, publicKey: credential.publicKey, relyingPartyID: id,
            signatureCount: data.signatureCount, isBackupEligible: data.isBackupEligible, isBackedUp: data.isBackedUp,
            authenticatorModel: credential.model, transports: registration.transports)
    }

    /// Verifies that the holder of a passkey used it for this relying party (WebAuthn Level 3 section 7.2, steps 8 to
    /// 22).
    ///
    /// Requires user presence and user verification, and refuses a response of an embedded page. The caller has spent
    /// the challenge and found the passkey and its account before (step 6), and requires the user handle where the
    /// account was not known. A response with the handle or the credential id of another passkey is refused here, too.
    ///
    /// - Parameters:
    ///   - passkey: The stored passkey. One that was made for another relying party is refused.
    ///   - isChallenge: Whether these bytes are the challenge of this ceremony. It compares in constant time.
    /// - Returns: What to store with the effect of the sign-in, and what to report.
    /// - Throws: The first check that fails.
    package func verify(
        _ assertion: PasskeyAssertion, of passkey: EnrolledPasskey, signatures: any PasskeySignatures,
        isChallenge: (Data) -> Bool
    ) throws(PasskeyFault) -> PasskeyUse {
        guard assertion.credentialID == passkey.credentialID else { throw .wrongCredentialID }
        guard assertion.userHandle == nil || assertion.userHandle == passkey.userHandle else { throw .wrongUser }
        try ClientData(assertion.clientData).check(.assertion, origins: origins, isChallenge: isChallenge)
        let data = try AuthenticatorData(assertion.authenticatorData)
        guard passkey.relyingPartyID == id else { throw .wrongRelyingParty }
        try data.check(relyingPartyID: id)
        guard data.isBackupEligible == passkey.isBackupEligible else { throw .changedBackupEligibility }
        try data.checkWithoutCredential()
        let message = assertion.authenticatorData + Vault.checksum(assertion.clientData)
        let key = try PasskeyKey(cose: passkey.publicKey)
        guard signatures.isValid(assertion.signature, over: message, by: key) else { throw .wrongSignature }
        return PasskeyUse(of: passkey, data)
    }
}

extension PasskeyUse {
    /// The passkey after a use, by the authenticator data that were verified.
    fileprivate init(of stored: EnrolledPasskey, _ data: AuthenticatorData) {
        var passkey = stored
        passkey.signatureCount = max(stored.signatureCount, data.signatureCount)
        passkey.isBackedUp = data.isBackedUp
        let counts = data.signatureCount != 0 || stored.signatureCount != 0
        self.init(
            passkey: passkey, hasSuspectCount: counts && data.signatureCount <= stored.signatureCount,
            lostBackup: stored.isBackedUp && !data.isBackedUp, gainedBackup: !stored.isBackedUp && data.isBackedUp)
    }
}
