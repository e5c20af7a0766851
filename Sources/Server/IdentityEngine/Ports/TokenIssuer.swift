package import NativeAuthCore
package import PortableFoundation

/// The content of tokens: the user, the proofs and the granted scopes.
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
    /// The authentication methods (RFC 8176): `otp`, `pwd`; also `mfa` when two factors are not one mailbox
    /// (`SEC-MFA-3`).
    package var methods: [String]
    /// The satisfied authentication contexts, such as `c4`; the access token's `acrs` (docs/protocol.md §6.3).
    package var contexts: [String]
    /// The refresh-token family of the tokens, if there is one; `sid` of both tokens, if they have no other.
    package var sessionID: UUID?
    /// `sid` of both tokens of a browser session; the access token then states the family as `fam`.
    package var logoutID: UUID?
    /// The nonce of the authorization request, for the ID token.
    package var nonce: String?
    /// ``UserAccount/credentialVersion`` at the proof.
    package var credentialVersion: Int
    package var issuedAt: Date
    /// The lifetime of both tokens in seconds.
    package var lifetime: Int
    /// The token's own id, `jti` and `uti`.
    package var tokenID: UUID
    /// The base URL of the server, without a trailing slash; the issuer is this, the tenant id and `v2.0`.
    package var issuer: String
    /// The ids of the user's groups, for the claim `groups` of both tokens; nil: no such claim.
    package var groups: [UUID]?
    /// Whether the access token states them too; not where no reader decides by them.
    package var accessHasGroups: Bool
    /// The user's roles in the application, in the ID token; the claim is absent when there is none.
    package var idRoles: [String]
    /// The user's roles in the API that the access token is for; the claim is absent when there is none.
    package var accessRoles: [String]
    /// The application's own claims for the ID token, by name; their names are none of the server's.
    package var idClaims: [String: ClaimValue]
    /// The same for the access token.
    package var accessClaims: [String: ClaimValue]
    /// The thumbprint of the key that the access token is bound to, in its claim `cnf` (RFC 9449 section 6.1).
    package var key: String?
    /// The words of the user's provider, which the claim `amr` has besides ``methods``.
    package var statedMethods: [String] = []
    /// Whether the access token leaves them out: its reader decides by the account's own proofs.
    package var accessStatesOwnAlone = false

    package init(
        tenant: TenantID, client: ClientID, user: User, audience: String, scopes: [String], openIDScopes: [String],
        authenticatedAt: Date, methods: [String], contexts: [String] = [], sessionID: UUID? = nil,
        logoutID: UUID? = nil, nonce: String? = nil, credentialVersion: Int = 0, issuedAt: Date, lifetime: Int,
        tokenID: UUID, issuer: String,
        groups: [UUID]? = nil, accessHasGroups: Bool = true, idRoles: [String] = [], accessRoles: [String] = [],
        idClaims: [String: ClaimValue] = [:], accessClaims: [String: ClaimValue] = [:], key: String? = nil
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
        self.logoutID = logoutID
        self.nonce = nonce
        self.credentialVersion = credentialVersion
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.tokenID = tokenID
        self.issuer = issuer
        self.groups = groups
        self.accessHasGroups = accessHasGroups
        self.idRoles = idRoles
        self.accessRoles = accessRoles
        self.idClaims = idClaims
        self.accessClaims = accessClaims
        self.key = key
    }
}

/// Signed tokens in compact form.
package struct SignedTokens: Sendable {
    package var accessToken: Secret<String>
    /// Present only when `openid` was granted.
    package var idToken: Secret<String>?

    package init(accessToken: Secret<String>, idToken: Secret<String>?) {
        self.accessToken = accessToken
        self.idToken = idToken
    }
}

/// The claims of an access token, after every check of ``TokenIssuer/verify(_:for:issuer:now:)``.
package struct VerifiedAccessToken: Hashable, Sendable {
    /// Claim `oid`.
    package var user: UserID
    /// Claim `azp`: the application that received the token.
    package var client: ClientID
    /// Claim `aud`. A resource server that accepts a token checks that this is its own audience.
    package var audience: String
    /// Claim `scp`, in its order.
    package var scopes: [String]
    /// Claim `amr`.
    package var methods: [String]
    /// Claim `acrs`; empty when the token has none.
    package var contexts: [String]
    /// Claim `sub`: different in every application.
    package var subject: String
    /// Claim `fam`, or `sid` in tokens without it: the family of refresh tokens.
    package var sessionID: UUID?
    /// Claim `cred_ver`: the version of the user's credentials at the proof; nil in tokens of older servers.
    package var credentialVersion: Int?
    /// Claim `jti`.
    package var tokenID: String
    /// Claim `auth_time`, whole seconds: when the user proved who they are.
    package var authenticatedAt: Date
    /// Whole seconds.
    package var issuedAt: Date
    /// Whole seconds. A token is accepted up to 60 s after this time.
    package var expiresAt: Date
    /// Claim `cnf`: the thumbprint of the key that the token is bound to.
    package var key: String?

    package init(
        user: UserID, client: ClientID, audience: String, scopes: [String], methods: [String], contexts: [String],
        subject: String, sessionID: UUID?, credentialVersion: Int? = nil, tokenID: String, authenticatedAt: Date,
        issuedAt: Date, expiresAt: Date, key: String? = nil
    ) {
        self.user = user
        self.client = client
        self.audience = audience
        self.scopes = scopes
        self.methods = methods
        self.contexts = contexts
        self.subject = subject
        self.sessionID = sessionID
        self.credentialVersion = credentialVersion
        self.tokenID = tokenID
        self.authenticatedAt = authenticatedAt
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.key = key
    }
}

/// An ID token of this server as a hint about a user and an application.
package struct IDTokenHint: Hashable, Sendable {
    /// Claim `aud`.
    package var client: ClientID
    /// Claim `sub`: different in every application.
    package var subject: String
    /// Claim `sid`.
    package var sessionID: UUID?

    package init(client: ClientID, subject: String, sessionID: UUID?) {
        self.client = client
        self.subject = subject
        self.sessionID = sessionID
    }
}

/// The content of a daemon's token.
package struct DaemonTokenSubject: Hashable, Sendable {
    package var tenant: TenantID
    package var daemon: ClientID
    /// The resource, such as `api://orders`.
    package var audience: String
    /// The names of the daemon's roles for the resource; the claim is absent when there is none.
    package var roles: [String]
    /// Whether the daemon proved itself by an assertion, and not by a secret: `azpacr`.
    package var isProvenByAssertion: Bool
    package var issuedAt: Date
    /// Seconds.
    package var lifetime: Int
    /// The token's own id, `jti` and `uti`.
    package var tokenID: UUID
    /// The base URL of the server, as in ``TokenSubject/issuer``.
    package var issuer: String

    package init(
        tenant: TenantID, daemon: ClientID, audience: String, roles: [String], isProvenByAssertion: Bool,
        issuedAt: Date, lifetime: Int, tokenID: UUID, issuer: String
    ) {
        self.tenant = tenant
        self.daemon = daemon
        self.audience = audience
        self.roles = roles
        self.isProvenByAssertion = isProvenByAssertion
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.tokenID = tokenID
        self.issuer = issuer
    }
}

/// What a logout token says (OpenID Connect Back-Channel Logout 1.0 section 2.4).
package struct LogoutTokenSubject: Hashable, Sendable {
    /// In seconds; the specification asks for two minutes at most.
    package static let lifetime = 120

    package var tenant: TenantID
    package var client: ClientID
    package var user: UserID
    /// The `sid` of the application's tokens.
    package var logoutID: UUID
    package var issuedAt: Date
    package var tokenID: UUID
    /// The base URL of the server, as in ``TokenSubject/issuer``.
    package var issuer: String

    package init(
        tenant: TenantID, client: ClientID, user: UserID, logoutID: UUID, issuedAt: Date, tokenID: UUID, issuer: String
    ) {
        self.tenant = tenant
        self.client = client
        self.user = user
        self.logoutID = logoutID
        self.issuedAt = issuedAt
        self.tokenID = tokenID
        self.issuer = issuer
    }
}

/// The claims of a daemon's token, after every check of ``TokenIssuer/verifyDaemon(_:for:issuer:now:)``.
package struct VerifiedDaemonToken: Hashable, Sendable {
    /// Claims `azp`, `oid` and `sub`.
    package var daemon: ClientID
    /// Claim `aud`.
    package var audience: String
    /// Claim `roles`; empty when the token has none.
    package var roles: [String]
    /// Claim `jti`.
    package var tokenID: String
    /// Whole seconds.
    package var issuedAt: Date
    /// Whole seconds. A token is accepted up to 60 s after this time.
    package var expiresAt: Date

    package init(
        daemon: ClientID, audience: String, roles: [String], tokenID: String, issuedAt: Date, expiresAt: Date
    ) {
        self.daemon = daemon
        self.audience = audience
        self.roles = roles
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

/// Why tokens could not be signed.
package enum TokenIssuerError: Error {
    /// No signing key is available now.
    case unavailable(any Error)
}

/// Why a token is rejected. All cases except the last mean the same to the sender: the token is not valid.
package enum TokenVerificationError: Error {
    /// Not a signed token in compact form, longer than any issued token, or without the claims of an access token.
    case malformed
    /// The header does not match any key of this tenant: the key belongs to another tenant or is revoked, the algorithm
    /// differs, or the header has parameters that are never issued.
    case unknownKey
    /// The signature does not match the tenant's key.
    case wrongSignature
    /// Signed by this tenant, but another kind of token than asked for: an ID token, or an access token of a daemon
    /// where a user's is needed (`SEC-TOK-4`).
    case wrongType
    /// Issued by another server, or for another tenant.
    case wrongIssuer
    /// Expired by more than the tolerance of 60 s (`SEC-TOK-13`).
    case expired
    /// Not valid yet, by more than the tolerance of 60 s.
    case notYetValid
    /// No keys are available now; the token may be valid.
    case unavailable(any Error)
}

/// Signs tokens with the tenant's active key, and verifies tokens of this tenant, assertions of its
/// daemons, and proofs of possession.
package protocol TokenIssuer: AssertionVerifier, ProofVerifier {
    /// Signs an access token, and an ID token when `openid` is among the scopes.
    func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens
    /// Verifies key, algorithm, type, signature, issuer, tenant and times of an access token before it reads the claims
    /// (`SEC-TOK-2…4`). The caller checks the audience and whether the user may still sign in.
    ///
    /// - Parameters:
    ///   - tenant: The tenant whose keys and issuer the token must have.
    ///   - issuer: The base URL of the server, as in ``TokenSubject/issuer``.
    ///   - now: The time to compare `nbf`, `iat` and `exp` with, with a tolerance of 60 s each.
    func verify(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedAccessToken
    /// Verifies an ID token that comes back as a hint: its times are not checked.
    func verifyHint(
        _ idToken: Secret<String>, for tenant: TenantID, issuer: String
    ) async throws(TokenVerificationError) -> IDTokenHint
    /// Signs an access token of a daemon.
    func sign(_ subject: DaemonTokenSubject) async throws(TokenIssuerError) -> Secret<String>
    /// Signs a logout token. No check here accepts one.
    func sign(_ subject: LogoutTokenSubject) async throws(TokenIssuerError) -> Secret<String>
    /// The same checks as ``verify(_:for:issuer:now:)`` for a token of a daemon. Neither accepts the tokens of the other.
    /// The caller checks the audience and whether the tenant still has the daemon.
    func verifyDaemon(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedDaemonToken
    /// The tenant that an access token names, before any check: it says only whose keys to verify the token with.
    ///
    /// - Returns: Nil when the text is no token.
    func claimedTenant(of accessToken: Secret<String>) -> TenantID?
    /// The application that an access token names, with its tenant, before any check: it says only whether a page may read the
    /// answer.
    ///
    /// - Returns: Nil when the text is no token, or none that names one.
    func claimedApplication(of accessToken: Secret<String>) -> (client: ClientID, tenant: TenantID)?
    /// The tenant's public keys as a JSON Web Key Set (RFC 7517 section 5), UTF-8 JSON: the key that signs, the next
    /// key, and earlier keys whose tokens may still be valid (`SEC-TOK-5`).
    func jwks(for tenant: TenantID) async throws(TokenIssuerError) -> Data
}

/// A signing key as stored, with a sealed private part (`SEC-TOK-6`).
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
    /// When the key starts to sign, until a key with a later time does. It is published before (`SEC-TOK-5`).
    package var activeFrom: Date

    /// - Parameter activeFrom: Nil means ``createdAt``.
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

/// Stores signing keys.
package protocol KeyStore: Sendable {
    /// All keys of the tenant, the latest ``SigningKeyRecord/activeFrom`` first.
    func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord]
    /// Reads the tenant's keys and replaces them with the keys that `decide` returns, in one atomic step: two calls,
    /// also from two processes, run one after another, and the second sees the result of the first.
    ///
    /// - Parameters:
    ///   - event: Written to the audit trail in the same transaction if keys change (`SEC-AUD-1`), with their ids as
    ///     detail: `+` before a key that was added or has another start time, `-` before a key that was removed.
    ///   - decide: Receives the keys as ``signingKeys(for:)`` returns them. Returns the new set in any order: new keys,
    ///     and old keys, of which only ``SigningKeyRecord/activeFrom`` may differ; old keys that it leaves out are
    ///     deleted. Nil changes nothing. May be called more than once.
    /// - Returns: The keys after the change, as ``signingKeys(for:)`` returns them.
    func updateSigningKeys(
        for tenant: TenantID, recording event: AuditEvent?,
        decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord]
}

extension KeyStore {
    /// The same without an audit event.
    package func updateSigningKeys(
        for tenant: TenantID, decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord] {
        try await updateSigningKeys(for: tenant, recording: nil, decide: decide)
    }

    /// Stores `record` unless the tenant already has a key of that algorithm; returns the resulting keys. Two nodes
    /// that start together end with the same key.
    package func insertFirstSigningKey(_ record: SigningKeyRecord) async throws(StoreError) -> [SigningKeyRecord] {
        try await updateSigningKeys(for: record.tenant) { present in
            present.contains { $0.algorithm == record.algorithm } ? nil : present + [record]
        }
    }
}
