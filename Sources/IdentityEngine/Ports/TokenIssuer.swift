package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Who signed in, how, and for what: all that tokens say.
package struct TokenSubject: Hashable, Sendable {
    package var tenant: TenantID
    package var client: ClientID
    package var user: User
    /// The audience of the access token: a resource such as `api://orders`, or the client id when only OpenID scopes
    /// were granted.
    package var audience: String
    /// The granted scopes of the resource, in the access token's `scp`.
    package var scopes: [String]
    /// The granted OpenID scopes: any of `openid profile offline_access email`.
    package var openIDScopes: [String]
    /// When the user proved who they are.
    package var authenticatedAt: Date
    /// How (RFC 8176): `otp`, `pwd`; `mfa` beside them only for two factors that are not one mailbox (`SEC-MFA-3`).
    package var methods: [String]
    /// The authentication contexts that were satisfied, such as `c4`; the access token's `acrs` (native-auth-v1 §6.3).
    package var contexts: [String]
    /// The family of refresh tokens that the tokens belong to, if there is one; `sid` of both tokens.
    package var sessionID: UUID?
    package var issuedAt: Date
    /// The life of both tokens in seconds.
    package var lifetime: Int
    /// The token's own id, `jti` and `uti`.
    package var tokenID: UUID
    /// The base URL of the server, without a trailing slash; the issuer is this, the tenant id and `v2.0`.
    package var issuer: String

    package init(
        tenant: TenantID, client: ClientID, user: User, audience: String, scopes: [String], openIDScopes: [String],
        authenticatedAt: Date, methods: [String], contexts: [String] = [], sessionID: UUID? = nil, issuedAt: Date,
        lifetime: Int, tokenID: UUID, issuer: String
    ) {
        self.tenant = tenant
        self.client = client
        self.user = user
        self.audience = audience
        self.scopes = scopes
        self.openIDScopes = openIDScopes
        self.authenticatedAt = authenticatedAt
        self.methods = methods
        self.contexts = contexts
        self.sessionID = sessionID
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.tokenID = tokenID
        self.issuer = issuer
    }
}

/// Signed tokens, compact form.
package struct SignedTokens: Sendable {
    package var accessToken: Secret<String>
    /// Only when `openid` was granted.
    package var idToken: Secret<String>?

    package init(accessToken: Secret<String>, idToken: Secret<String>?) {
        self.accessToken = accessToken
        self.idToken = idToken
    }
}

/// What an access token says, after every check of ``TokenIssuer/verify(_:for:issuer:now:)``.
package struct VerifiedAccessToken: Hashable, Sendable {
    /// Claim `oid`.
    package var user: UserID
    /// Claim `azp`: the application that the token was given to.
    package var client: ClientID
    /// Claim `aud`. Who accepts a token checks that this is meant for them.
    package var audience: String
    /// Claim `scp`, in its order.
    package var scopes: [String]
    /// Claim `amr`.
    package var methods: [String]
    /// Claim `acrs`; empty when the token has none.
    package var contexts: [String]
    /// Claim `sub`: another one in every application.
    package var subject: String
    /// Claim `sid`: the family of refresh tokens.
    package var sessionID: UUID?
    /// Claim `jti`.
    package var tokenID: String
    /// Whole seconds.
    package var issuedAt: Date
    /// Whole seconds. The token may have been accepted up to 60 s after it.
    package var expiresAt: Date

    package init(
        user: UserID, client: ClientID, audience: String, scopes: [String], methods: [String], contexts: [String],
        subject: String, sessionID: UUID?, tokenID: String, issuedAt: Date, expiresAt: Date
    ) {
        self.user = user
        self.client = client
        self.audience = audience
        self.scopes = scopes
        self.methods = methods
        self.contexts = contexts
        self.subject = subject
        self.sessionID = sessionID
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

/// Why tokens could not be signed.
package enum TokenIssuerError: Error {
    /// No signing key can be had now.
    case unavailable(any Error)
}

/// Why a token is not accepted. All but the last mean the same to who sent it: the token is no good.
package enum TokenVerificationError: Error {
    /// No signed token in compact form, longer than any that is issued, or its claims are not those of an access token.
    case malformed
    /// Its header is none that a key of this tenant writes: another tenant's or a revoked key, another algorithm, or
    /// header parameters that are never issued.
    case unknownKey
    /// A key of this tenant made no such signature.
    case wrongSignature
    /// Signed by this tenant, but no access token: an ID token (`SEC-TOK-4`).
    case wrongType
    /// Issued by another server, or for another tenant.
    case wrongIssuer
    /// Its time is over, by more than the allowance of 60 s (`SEC-TOK-13`).
    case expired
    /// Its time has not come, by more than the allowance of 60 s.
    case notYetValid
    /// No keys can be had now; the token may be a good one.
    case unavailable(any Error)
}

/// Signs tokens with the tenant's active key, and checks those that it signed.
package protocol TokenIssuer: Sendable {
    /// Signs an access token, and an ID token when `openid` is among the scopes.
    func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens
    /// Checks key, algorithm, type, signature, issuer, tenant and times of an access token, and only then reads it
    /// (`SEC-TOK-2…4`). Who the token is meant for, and whether its user may still come in, the caller checks.
    ///
    /// - Parameters:
    ///   - tenant: Whose keys and issuer the token must have.
    ///   - issuer: The base URL of the server, as in ``TokenSubject/issuer``.
    ///   - now: The time to judge `nbf`, `iat` and `exp` by, with an allowance of 60 s each.
    func verify(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedAccessToken
    /// The tenant's public keys as a JSON Web Key Set (RFC 7517 section 5), UTF-8 JSON: the one that signs, the one
    /// that will sign next, and those whose tokens may still be about (`SEC-TOK-5`).
    func jwks(for tenant: TenantID) async throws(TokenIssuerError) -> Data
}

/// A signing key as stored: the private part sealed (`SEC-TOK-6`).
package struct SigningKeyRecord: Hashable, Sendable {
    package enum Algorithm: String, Hashable, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    package var tenant: TenantID
    /// Random, 128 bits, base64url.
    package var kid: String
    package var algorithm: Algorithm
    /// The private key, PKCS #8 DER, sealed under the master key.
    package var sealedPrivateKey: Data
    package var createdAt: Date
    /// From when on the key signs, until a key with a later time does. It is published before (`SEC-TOK-5`).
    package var activeFrom: Date

    /// - Parameter activeFrom: From ``createdAt`` on when nil.
    package init(
        tenant: TenantID, kid: String, algorithm: Algorithm, sealedPrivateKey: Data, createdAt: Date,
        activeFrom: Date? = nil
    ) {
        self.tenant = tenant
        self.kid = kid
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
        self.activeFrom = activeFrom ?? createdAt
    }
}

/// Keeps signing keys.
package protocol KeyStore: Sendable {
    /// All keys of the tenant, those that sign from later on first.
    func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord]
    /// Reads the tenant's keys, and makes them what `decide` says, as one atomic step: two callers, of two processes
    /// too, come one after the other, and the second one decides on what the first one left.
    ///
    /// - Parameters:
    ///   - event: Written to the audit trail by the same transaction if it changes keys (`SEC-AUD-1`), with their ids as
    ///     detail: `+` before one that came or signs at another time, `-` before one that went.
    ///   - decide: Gets the keys as ``signingKeys(for:)`` gives them. Returns those that stand afterwards, in
    ///     any order: new ones, old ones, of which only ``SigningKeyRecord/activeFrom`` may differ, and those it leaves
    ///     out are deleted. Nil leaves everything as it is. May be called more than once.
    /// - Returns: The keys that stand afterwards, as ``signingKeys(for:)`` gives them.
    func updateSigningKeys(
        for tenant: TenantID, recording event: AuditEvent?,
        decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord]
}

extension KeyStore {
    /// The same without a word in the audit trail.
    package func updateSigningKeys(
        for tenant: TenantID, decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord] {
        try await updateSigningKeys(for: tenant, recording: nil, decide: decide)
    }

    /// Stores `record` unless the tenant has a key of that algorithm already; returns the keys that stand then. Two
    /// nodes that start together end with the same key.
    package func insertFirstSigningKey(_ record: SigningKeyRecord) async throws(StoreError) -> [SigningKeyRecord] {
        try await updateSigningKeys(for: record.tenant) { present in
            present.contains { $0.algorithm == record.algorithm } ? nil : present + [record]
        }
    }
}
