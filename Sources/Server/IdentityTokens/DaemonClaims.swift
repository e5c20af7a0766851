import IdentityEngine
import JWTKit
import NativeAuthCore
import PortableFoundation

/// The claims of a daemon's token: a JWT of RFC 9068 with the names of the vendor's version 2.0 (docs/protocol.md
/// §19.3). It has no scopes, no methods and no session, because there is no user.
struct DaemonTokenClaims: JSONObjectWritable {
    let subject: DaemonTokenSubject

    func write(to object: inout JSONObjectText) {
        let daemon = subject.daemon.description
        // Rounded down: a token must not come from the future.
        let issued = Int(subject.issuedAt.timeIntervalSince1970.rounded(.down))
        object.add("aud", subject.audience)
        object.add("azp", daemon)
        object.add("azpacr", subject.isProvenByAssertion ? "2" : "1")
        object.add("exp", issued + subject.lifetime)
        object.add("iat", issued)
        object.add("idtyp", ReadDaemonClaims.type)
        object.add("iss", CommonClaims.issuer(subject.issuer, subject.tenant))
        object.add("jti", subject.tokenID.text)
        object.add("nbf", issued)
        object.add("oid", daemon)
        object.add("roles", subject.roles.isEmpty ? nil : subject.roles)
        object.add("sub", daemon)
        object.add("tid", subject.tenant.description)
        object.add("uti", subject.tokenID.text)
        object.add("ver", "2.0")
    }
}

/// The claims of a daemon's token with a verified signature.
struct ReadDaemonClaims: Codable, Sendable {
    /// The claim `idtyp` of a daemon's token. A user's token never has the claim: no claim of an application can have
    /// that name.
    static let type = "app"

    let iss, sub, aud, azp, tid, oid, jti, ver: String
    let iat, nbf, exp: Int
    let roles: [String]?

    func daemonToken(now: Date) throws(TokenVerificationError) -> VerifiedDaemonToken {
        // The subject of a user's token is no UUID.
        guard ver == "2.0", let daemon = ClientID(azp), sub == azp, oid == azp, nbf <= exp, iat <= exp else {
            throw .malformed
        }
        try ReadClaims.checkTimes(exp: exp, start: max(nbf, iat), now: now)
        return VerifiedDaemonToken(
            daemon: daemon, audience: aud, roles: roles ?? [], tokenID: jti,
            issuedAt: Date(timeIntervalSince1970: TimeInterval(iat)),
            expiresAt: Date(timeIntervalSince1970: TimeInterval(exp)))
    }
}

/// The claims of an access token of a user or a daemon. The claim `idtyp` distinguishes them.
enum ReadAccessToken: ReadToken {
    static let type = TokenType.accessToken

    case user(ReadClaims)
    case daemon(ReadDaemonClaims)

    private enum CodingKeys: String, CodingKey { case idtyp }

    init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .idtyp)
        self =
            type == ReadDaemonClaims.type
            ? .daemon(try ReadDaemonClaims(from: decoder)) : .user(try ReadClaims(from: decoder))
    }

    func encode(to encoder: any Encoder) throws {
        throw ReadOnly()
    }

    /// Does nothing: the caller checks times and issuer later.
    func verify(using algorithm: some JWTAlgorithm) {}

    var issuer: String {
        switch self {
        case .user(let claims): claims.iss
        case .daemon(let claims): claims.iss
        }
    }

    var tenant: String {
        switch self {
        case .user(let claims): claims.tid
        case .daemon(let claims): claims.tid
        }
    }

    /// Thrown when claims of this type are encoded: they are for reading.
    private struct ReadOnly: Error {}
}
