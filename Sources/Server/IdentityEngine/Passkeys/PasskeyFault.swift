/// The check of a passkey's response that failed.
///
/// Only the audit trail tells it: the answer on the wire is the same for every failed check (`SEC-PK-20`).
package enum PasskeyFault: String, Error, Hashable, Sendable, CaseIterable {
    // The JSON of a response.
    case wrongSize = "wrong size"
    case malformedJSON = "malformed JSON"
    case malformedResponse = "malformed response"
    case differentIDs = "id and rawId differ"

    // The client data.
    case malformedClientData = "malformed client data"
    case wrongType = "wrong type"
    case wrongChallenge = "wrong challenge"
    case wrongOrigin = "wrong origin"
    case crossOrigin = "cross origin"
    case topOrigin = "top origin"

    // The attestation object and the authenticator data.
    case malformedAttestation = "malformed attestation object"
    case malformedAuthenticatorData = "malformed authenticator data"
    case wrongRelyingParty = "wrong relying party"
    case userNotPresent = "user not present"
    case userNotVerified = "user not verified"
    case wrongBackupState = "backed up without being eligible"
    case changedBackupEligibility = "changed backup eligibility"
    case wrongCredentialID = "wrong credential id"

    // The key, the attestation statement and the signature.
    case unsupportedAlgorithm = "unsupported algorithm"
    case unusableKey = "unusable key"
    case unsupportedFormat = "unsupported attestation format"
    case wrongStatement = "wrong attestation statement"
    case wrongSignature = "wrong signature"

    // What the server knows of the challenge, the passkey and its account.
    case expiredChallenge = "expired challenge"
    case wrongUser = "wrong user"
    case unknownPasskey = "unknown passkey"
    case unusablePasskey = "unusable passkey"
    case duplicatePasskey = "duplicate passkey"
}
