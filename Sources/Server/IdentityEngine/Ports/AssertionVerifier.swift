package import NativeAuthCore
package import PortableFoundation

/// The claims of an assertion (RFC 7523 section 3) whose signature is right; nothing else is checked yet.
package struct VerifiedAssertion: Hashable, Sendable {
    /// Claim `iss`.
    package var issuer: String
    /// Claim `sub`.
    package var subject: String
    /// Claim `aud`: one text, or a list.
    package var audiences: [String]
    /// Claim `exp`, possibly with a fraction of a second.
    package var expiresAt: Date
    /// Claim `nbf`.
    package var notBefore: Date?
    /// Claim `iat`.
    package var issuedAt: Date?
    /// Claim `jti`.
    package var id: String

    package init(
        issuer: String, subject: String, audiences: [String], expiresAt: Date, notBefore: Date? = nil,
        issuedAt: Date? = nil, id: String
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audiences = audiences
        self.expiresAt = expiresAt
        self.notBefore = notBefore
        self.issuedAt = issuedAt
        self.id = id
    }
}

/// Why an assertion is rejected.
package enum AssertionFault: String, Error, Hashable, Sendable, CaseIterable {
    /// Not a signed token in compact form, too long, with an unknown algorithm or a critical header parameter, or
    /// without a claim that it needs.
    case malformed
    /// No key of the daemon that is valid now verifies the signature.
    case wrongSignature = "wrong signature"
    /// Issuer and subject are not both the daemon.
    case wrongSubject = "wrong subject"
    /// The assertion is for another server or tenant.
    case wrongAudience = "wrong audience"
    /// Expired, not valid yet, or valid for longer than an hour.
    case wrongTime = "wrong time"
    /// The assertion was used before.
    case used
}

/// Verifies the signature of assertions.
package protocol AssertionVerifier: Sendable {
    /// Reads an assertion that one of `keys` signed, with RS256, PS256 or ES256. Unknown header parameters are ignored,
    /// `crit` is refused (RFC 7515 section 4.1.11).
    ///
    /// - Throws: ``AssertionFault/malformed`` or ``AssertionFault/wrongSignature``.
    func verify(
        _ assertion: Secret<String>, signedByOneOf keys: [DaemonKey]
    ) throws(AssertionFault) -> VerifiedAssertion
}

/// Remembers used assertions and used proofs of possession, so that each is used once (RFC 7523 section 3, number 7;
/// RFC 9449 section 11.1).
package protocol AssertionStore: Sendable {
    /// Marks an assertion as used, and writes `event` if there is one, in one transaction. Of several calls with the same mark, also
    /// from several nodes, one succeeds.
    ///
    /// - Parameters:
    ///   - mark: A keyed digest that stands for the assertion, 32 bytes.
    ///   - end: When the assertion is not valid any more; the mark is forgotten then.
    /// - Returns: False when the assertion was used before; nothing is written then.
    func useAssertion(
        _ mark: Data, in tenant: TenantID, until end: Date, recording event: AuditEvent?
    ) async throws(StoreError) -> Bool
}
