package import NativeAuthCore

/// `POST oauth2/v2.0/tokeninfo` (RFC 7662 §2.1): the form of a revocation.
package typealias TokenIntrospectionRequest = RevocationRequest

/// The data about a token that a resource server may get (RFC 7662 §2.2). For an inactive token it has no other member.
package struct TokenIntrospectionReply: Hashable, Sendable, Codable {
    package var active: Bool
    /// Separated by blanks.
    package var scope: String?
    package var clientID: String?
    /// The e-mail address of the user.
    package var username: String?
    /// `Bearer`, or `DPoP`.
    package var tokenType: String?
    /// Seconds since 1970.
    package var expiration: Int?
    /// Seconds since 1970.
    package var issuedAt: Int?
    package var subject: String?
    package var audience: String?
    package var issuer: String?
    /// The authentication contexts that were satisfied.
    package var authenticationContexts: [String]?
    /// The roles of a daemon.
    package var roles: [String]?
    /// The key that the token is bound to (RFC 9449 §6.2).
    package var confirmation: KeyConfirmation?

    package init(
        active: Bool, scope: String? = nil, clientID: String? = nil, username: String? = nil,
        tokenType: String? = nil, expiration: Int? = nil, issuedAt: Int? = nil, subject: String? = nil,
        audience: String? = nil, issuer: String? = nil, authenticationContexts: [String]? = nil,
        roles: [String]? = nil, confirmation: KeyConfirmation? = nil
    ) {
        self.active = active
        self.scope = scope
        self.clientID = clientID
        self.username = username
        self.tokenType = tokenType
        self.expiration = expiration
        self.issuedAt = issuedAt
        self.subject = subject
        self.audience = audience
        self.issuer = issuer
        self.authenticationContexts = authenticationContexts
        self.roles = roles
        self.confirmation = confirmation
    }

    /// The reply for every token that is unknown, foreign, spent, revoked or expired.
    package static let inactive = Self(active: false)

    private enum CodingKeys: String, CodingKey {
        case active, scope, username, roles
        case clientID = "client_id"
        case tokenType = "token_type"
        case expiration = "exp"
        case issuedAt = "iat"
        case subject = "sub"
        case audience = "aud"
        case issuer = "iss"
        case authenticationContexts = "acrs"
        case confirmation = "cnf"
    }
}

/// The key that a token is bound to, by its thumbprint (RFC 9449 §6).
package struct KeyConfirmation: Hashable, Sendable, Codable {
    package var thumbprint: String

    package init(thumbprint: String) {
        self.thumbprint = thumbprint
    }

    private enum CodingKeys: String, CodingKey {
        case thumbprint = "jkt"
    }
}

/// The claims of an access token's user: the answer of `oidc/userinfo` (OpenID Connect Core 1.0 §5.3.2).
package struct UserInfoReply: Hashable, Sendable, Decodable, JSONObjectWritable {
    /// The same as in the ID token.
    package var subject: String
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    package var preferredUsername: String?
    package var email: String?
    package var isEmailVerified: Bool?

    package init(
        subject: String, name: String? = nil, givenName: String? = nil, familyName: String? = nil,
        preferredUsername: String? = nil, email: String? = nil, isEmailVerified: Bool? = nil
    ) {
        self.subject = subject
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.preferredUsername = preferredUsername
        self.email = email
        self.isEmailVerified = isEmailVerified
    }

    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case preferredUsername = "preferred_username"
        case email
        case isEmailVerified = "email_verified"
    }

    package func write(to object: inout JSONObjectText) {
        object.add("email", email)
        object.add("email_verified", isEmailVerified)
        object.add("family_name", familyName)
        object.add("given_name", givenName)
        object.add("name", name)
        object.add("preferred_username", preferredUsername)
        object.add("sub", subject)
    }
}
