import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The claims that both tokens of a subject have (docs/protocol.md §6.3, `SEC-TOK-1`). Times are whole seconds since
/// 1970.
struct CommonClaims: Sendable {
    let iss: String
    /// Different in every application, and always the same in one.
    let sub: String
    let tid: String
    let oid: String
    let iat: Int
    let exp: Int
    let authTime: Int
    let amr: [String]
    let acr: String?
    let sid: String?
    let uti: String

    init(_ subject: TokenSubject, pairwiseSubject: String) {
        iss = Self.issuer(subject.issuer, subject.tenant)
        sub = pairwiseSubject
        tid = subject.tenant.description
        oid = subject.user.id.description
        // Rounded down: a token must not come from the future.
        iat = Int(subject.issuedAt.timeIntervalSince1970.rounded(.down))
        exp = iat + subject.lifetime
        authTime = Int(subject.authenticatedAt.timeIntervalSince1970.rounded(.down))
        amr = subject.methods + subject.statedMethods.filter { !subject.methods.contains($0) }
        acr = Self.context(of: amr)
        sid = (subject.logoutID ?? subject.sessionID)?.text
        uti = subject.tokenID.text
    }

    /// The claim `acr`. Satisfied contexts do not prove two factors: both proofs may have used one mailbox (`SEC-MFA-3`).
    static func context(of methods: [String]) -> String? { methods.contains("mfa") ? "mfa" : nil }

    /// The claim `iss`: the base URL of the server, the tenant's id and the version.
    static func issuer(_ baseURL: String, _ tenant: TenantID) -> String {
        "\(baseURL)/\(tenant)/v2.0"
    }
}

/// The key that a token is bound to (RFC 7800 section 3.1, RFC 9449 section 6.1).
struct Confirmation: Codable, Sendable {
    /// Its thumbprint.
    let jkt: String
}

/// The claims of an access token: a JWT of RFC 9068 with the names of the vendor's version 2.0. No e-mail address and no
/// names, unless the application's own claims add them. What is signed cannot be decoded (`SEC-TOK-3`).
struct AccessTokenClaims: JSONObjectWritable {
    let claims: CommonClaims
    let subject: TokenSubject

    func write(to object: inout JSONObjectText) throws {
        // First: what the server says of the same name counts.
        object.add(subject.accessClaims)
        let amr = subject.accessStatesOwnAlone ? subject.methods : claims.amr
        object.add("acr", CommonClaims.context(of: amr))
        object.add("acrs", subject.contexts.isEmpty ? nil : subject.contexts)
        object.add("amr", amr)
        object.add("aud", subject.audience)
        object.add("auth_time", claims.authTime)
        object.add("azp", subject.client.description)
        try object.add("cnf", encoding: subject.key.map(Confirmation.init))
        object.add("cred_ver", subject.credentialVersion)
        object.add("exp", claims.exp)
        object.add("fam", subject.logoutID.flatMap { _ in subject.sessionID?.text })
        object.add("groups", subject.accessHasGroups ? subject.groups?.map(\.text) : nil)
        object.add("iat", claims.iat)
        object.add("iss", claims.iss)
        object.add("jti", claims.uti)
        object.add("nbf", claims.iat)
        object.add("oid", claims.oid)
        object.add("roles", subject.accessRoles.isEmpty ? nil : subject.accessRoles)
        // A token without a resource gives access to the user's own data, within its OpenID scopes.
        object.add("scp", (subject.scopes.isEmpty ? subject.openIDScopes : subject.scopes).joined(separator: " "))
        object.add("sid", claims.sid)
        object.add("sub", claims.sub)
        object.add("tid", claims.tid)
        object.add("uti", claims.uti)
        object.add("ver", "2.0")
    }
}

/// The claims of an ID token (OpenID Connect Core section 2). The directory id and the names of the user are present
/// only with the scope `profile`, the address as `email` only with the scope `email`. What is signed cannot be decoded
/// (`SEC-TOK-3`).
struct IDTokenClaims: JSONObjectWritable {
    let claims: CommonClaims
    let subject: TokenSubject

    func write(to object: inout JSONObjectText) {
        // First: what the server says of the same name counts.
        object.add(subject.idClaims)
        let profile = subject.openIDScopes.contains("profile") ? subject.user : nil
        let (givenName, familyName) = (profile?.text("givenName"), profile?.text("surname"))
        let parts = [givenName, familyName].compactMap(\.self)
        object.add("acr", claims.acr)
        object.add("amr", claims.amr)
        object.add("aud", subject.client.description)
        object.add("auth_time", claims.authTime)
        object.add("email", subject.openIDScopes.contains("email") ? subject.user.email : nil)
        object.add("exp", claims.exp)
        object.add("family_name", familyName)
        object.add("given_name", givenName)
        object.add("groups", subject.groups?.map(\.text))
        object.add("iat", claims.iat)
        object.add("iss", claims.iss)
        object.add("name", profile?.text("displayName") ?? (parts.isEmpty ? nil : parts.joined(separator: " ")))
        object.add("nbf", claims.iat)
        object.add("nonce", subject.nonce)
        object.add("oid", profile == nil ? nil : claims.oid)
        object.add("preferred_username", profile?.email)
        object.add("roles", subject.idRoles.isEmpty ? nil : subject.idRoles)
        object.add("sid", claims.sid)
        object.add("sub", claims.sub)
        object.add("tid", claims.tid)
        object.add("uti", claims.uti)
        object.add("ver", "2.0")
    }
}

extension User {
    /// The attribute as text; nil when it is missing or empty.
    fileprivate func text(_ attribute: String) -> String? {
        guard let text = attributes[attribute]?.description, !text.isEmpty else { return nil }
        return text
    }
}
