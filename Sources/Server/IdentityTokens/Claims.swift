import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The claims that both tokens of a subject have (docs/protocol.md §6.3, `SEC-TOK-1`). Times are whole seconds since
/// 1970. What is signed cannot be decoded (`SEC-TOK-3`).
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
/// names, unless the application's own claims add them.
struct AccessTokenClaims: JSONObjectWritable {
    let iss, sub, aud, azp, tid, oid, scp: String
    let iat, nbf, exp, authTime: Int
    let amr: [String]
    let acrs, groups, roles: [String]?
    let acr, sid, fam: String?
    let credentialVersion: Int
    let jti, uti: String
    let ver: String
    let cnf: Confirmation?
    /// Those that the application gets besides.
    let own: [String: ClaimValue]

    init(_ claims: CommonClaims, _ subject: TokenSubject) {
        iss = claims.iss
        sub = claims.sub
        aud = subject.audience
        azp = subject.client.description
        tid = claims.tid
        oid = claims.oid
        // A token without a resource gives access to the user's own data, within its OpenID scopes.
        scp = (subject.scopes.isEmpty ? subject.openIDScopes : subject.scopes).joined(separator: " ")
        iat = claims.iat
        nbf = claims.iat
        exp = claims.exp
        authTime = claims.authTime
        amr = subject.accessStatesOwnAlone ? subject.methods : claims.amr
        acrs = subject.contexts.isEmpty ? nil : subject.contexts
        groups = subject.accessHasGroups ? subject.groups?.map(\.text) : nil
        roles = subject.accessRoles.isEmpty ? nil : subject.accessRoles
        acr = CommonClaims.context(of: amr)
        sid = claims.sid
        fam = subject.logoutID.flatMap { _ in subject.sessionID?.text }
        credentialVersion = subject.credentialVersion
        jti = claims.uti
        uti = claims.uti
        ver = "2.0"
        cnf = subject.key.map(Confirmation.init)
        own = subject.accessClaims
    }

    func write(to object: inout JSONObjectText) throws {
        object.add("acr", acr)
        object.add("acrs", acrs)
        object.add("amr", amr)
        object.add("aud", aud)
        object.add("auth_time", authTime)
        object.add("azp", azp)
        try object.add("cnf", encoding: cnf)
        object.add("cred_ver", credentialVersion)
        object.add("exp", exp)
        object.add("fam", fam)
        object.add("groups", groups)
        object.add("iat", iat)
        object.add("iss", iss)
        object.add("jti", jti)
        object.add("nbf", nbf)
        object.add("oid", oid)
        object.add("roles", roles)
        object.add("scp", scp)
        object.add("sid", sid)
        object.add("sub", sub)
        object.add("tid", tid)
        object.add("uti", uti)
        object.add("ver", ver)
        object.add(own)
    }
}

/// The claims of an ID token (OpenID Connect Core section 2). The directory id and the names of the user are present
/// only with the scope `profile`, the address as `email` only with the scope `email`.
struct IDTokenClaims: JSONObjectWritable {
    let iss, sub, aud, tid: String
    let iat, nbf, exp, authTime: Int
    let amr: [String]
    let groups, roles: [String]?
    let acr, sid, nonce: String?
    let uti: String
    let ver: String
    var oid: String?
    var preferredUsername: String?
    var name: String?
    var givenName: String?
    var familyName: String?
    var email: String?
    /// Those that the application gets besides.
    let own: [String: ClaimValue]

    init(_ claims: CommonClaims, _ subject: TokenSubject) {
        iss = claims.iss
        sub = claims.sub
        aud = subject.client.description
        tid = claims.tid
        iat = claims.iat
        nbf = claims.iat
        exp = claims.exp
        authTime = claims.authTime
        amr = claims.amr
        groups = subject.groups?.map(\.text)
        roles = subject.idRoles.isEmpty ? nil : subject.idRoles
        acr = claims.acr
        sid = claims.sid
        nonce = subject.nonce
        uti = claims.uti
        ver = "2.0"
        own = subject.idClaims
        if subject.openIDScopes.contains("profile") {
            oid = claims.oid
            preferredUsername = subject.user.email
            givenName = subject.user.text("givenName")
            familyName = subject.user.text("surname")
            let parts = [givenName, familyName].compactMap(\.self)
            name = subject.user.text("displayName") ?? (parts.isEmpty ? nil : parts.joined(separator: " "))
        }
        if subject.openIDScopes.contains("email") {
            email = subject.user.email
        }
    }

    func write(to object: inout JSONObjectText) {
        object.add("acr", acr)
        object.add("amr", amr)
        object.add("aud", aud)
        object.add("auth_time", authTime)
        object.add("email", email)
        object.add("exp", exp)
        object.add("family_name", familyName)
        object.add("given_name", givenName)
        object.add("groups", groups)
        object.add("iat", iat)
        object.add("iss", iss)
        object.add("name", name)
        object.add("nbf", nbf)
        object.add("nonce", nonce)
        object.add("oid", oid)
        object.add("preferred_username", preferredUsername)
        object.add("roles", roles)
        object.add("sid", sid)
        object.add("sub", sub)
        object.add("tid", tid)
        object.add("uti", uti)
        object.add("ver", ver)
        object.add(own)
    }
}

extension User {
    /// The attribute as text; nil when it is missing or empty.
    fileprivate func text(_ attribute: String) -> String? {
        guard let text = attributes[attribute]?.description, !text.isEmpty else { return nil }
        return text
    }
}
