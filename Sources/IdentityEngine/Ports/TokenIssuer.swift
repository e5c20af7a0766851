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
    /// The audience of the access token: a resource such as `api://orders`, or the client id when only OpenID scopes were
    /// granted.
    package var audience: String
    /// The granted scopes of the resource, in the access token's `scp`.
    package var scopes: [String]
    /// The granted OpenID scopes: any of `openid profile offline_access email`.
    package var openIDScopes: [String]
    /// When the user proved who they are.
    package var authenticatedAt: Date
    /// How (RFC 8176): `otp`, `pwd`.
    package var methods: [String]
    package var issuedAt: Date
    /// The life of both tokens in seconds.
    package var lifetime: Int
    /// The token's own id, `jti` and `uti`.
    package var tokenID: UUID
    /// The base URL of the server, without a trailing slash; the issuer is this, the tenant id and `v2.0`.
    package var issuer: String

    package init(
        tenant: TenantID, client: ClientID, user: User, audience: String, scopes: [String], openIDScopes: [String],
        authenticatedAt: Date, methods: [String], issuedAt: Date, lifetime: Int, tokenID: UUID, issuer: String
    ) {
        self.tenant = tenant
        self.client = client
        self.user = user
        self.audience = audience
        self.scopes = scopes
        self.openIDScopes = openIDScopes
        self.authenticatedAt = authenticatedAt
        self.methods = methods
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

/// Why tokens could not be signed.
package enum TokenIssuerError: Error {
    /// No signing key can be had now.
    case unavailable(any Error)
}

/// Signs tokens with the tenant's active key.
package protocol TokenIssuer: Sendable {
    /// Signs an access token, and an ID token when `openid` is among the scopes.
    func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens
    /// The tenant's public keys as a JSON Web Key Set (RFC 7517 section 5), UTF-8 JSON.
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

    package init(tenant: TenantID, kid: String, algorithm: Algorithm, sealedPrivateKey: Data, createdAt: Date) {
        self.tenant = tenant
        self.kid = kid
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
    }
}

/// Keeps signing keys.
package protocol KeyStore: Sendable {
    /// All keys of the tenant, newest first.
    func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord]
    /// Stores `record` unless the tenant has a key of that algorithm already; returns the keys that stand then. Two nodes
    /// that start together end with the same key.
    func insertFirstSigningKey(_ record: SigningKeyRecord) async throws(StoreError) -> [SigningKeyRecord]
}
