import NativeAuthCore
package import PortableFoundation

/// A proof of possession of a key (RFC 9449 section 4.2) whose signature fits the key that it names; nothing else is
/// checked yet.
package struct VerifiedProof: Hashable, Sendable {
    /// The thumbprint of the key (RFC 7638): SHA-256, base64url, 43 characters.
    package var key: String
    /// Claim `htm`.
    package var method: String
    /// Claim `htu`.
    package var target: String
    /// Claim `iat`, possibly with a fraction of a second.
    package var issuedAt: Date
    /// Claim `exp`.
    package var expiresAt: Date?
    /// Claim `nbf`.
    package var notBefore: Date?
    /// Claim `jti`.
    package var id: String
    /// Claim `ath`: the digest of the access token beside the proof.
    package var tokenDigest: String?

    package init(
        key: String, method: String, target: String, issuedAt: Date, expiresAt: Date? = nil, notBefore: Date? = nil,
        id: String, tokenDigest: String? = nil
    ) {
        self.key = key
        self.method = method
        self.target = target
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.notBefore = notBefore
        self.id = id
        self.tokenDigest = tokenDigest
    }
}

/// Why a proof of possession is refused (`SEC-OAUTH-9`). Nothing has changed.
package enum ProofFault: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// What is asked for is bound to a key, and the request has no proof.
    case missing
    /// Not one signed token in compact form, too long, of another type or algorithm, with an unusable or private key, or
    /// without a claim that it needs.
    case malformed
    /// The key of the proof did not sign it.
    case wrongSignature = "wrong signature"
    /// The proof is for another method or another address.
    case wrongTarget = "wrong target"
    /// Made too long ago, or in the future.
    case wrongTime = "wrong time"
    /// The proof is for another access token, or for none.
    case wrongToken = "wrong token"
    /// The proof was used before.
    case used
    /// What is asked for is bound to another key.
    case wrongKey = "wrong key"
    /// A public application's session that began without a key stays without one: a thief of its refresh token could bind it.
    case notBound = "not bound"
}

/// The algorithms of proofs (RFC 7518 section 3.1, RFC 8037 section 3.1).
package enum ProofAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case rs256 = "RS256"
    case edDSA = "EdDSA"
}

/// Verifies proofs of possession.
package protocol ProofVerifier: Sendable {
    /// Reads a proof that is signed by the key in its header: ES256, RS256 or EdDSA with Ed25519.
    ///
    /// - Throws: ``ProofFault/malformed`` or ``ProofFault/wrongSignature``.
    func verifyProof(_ proof: String) throws(ProofFault) -> VerifiedProof
}
