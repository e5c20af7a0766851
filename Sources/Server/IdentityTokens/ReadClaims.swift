import IdentityEngine
import JWTKit
import NativeAuthCore
import PortableFoundation

/// A token in compact form (RFC 7515 section 3.1) that is not verified yet.
struct CompactToken: Sendable {
    /// The longest token in bytes; issued tokens are much shorter.
    static let longest = 16_384

    let text: String
    /// The encoded header.
    let header: String
    let payload: Data

    /// - Throws: ``TokenVerificationError/malformed`` for anything except three parts of canonical base64url.
    init(_ token: Secret<String>) throws(TokenVerificationError) {
        text = token.reveal()
        guard text.utf8.count <= Self.longest else { throw .malformed }
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        // Check the signature's text too, so that a token has only one spelling.
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), let payload = Base64URL.decode(parts[1]),
            Base64URL.decode(parts[2]) != nil
        else { throw .malformed }
        header = parts[0]
        self.payload = payload
    }

    /// The claim `tid`, not verified.
    var claimedTenant: TenantID? {
        struct Claims: Decodable { let tid: String }
        do {
            return UUID(uuidString: try JSONDecoder().decode(Claims.self, from: payload).tid).map { TenantID($0) }
        } catch {
            return nil
        }
    }

    /// The claims `azp` and `tid`, not verified.
    var claimedApplication: (client: ClientID, tenant: TenantID)? {
        struct Claims: Decodable { let azp, tid: String }
        do {
            let claims = try JSONDecoder().decode(Claims.self, from: payload)
            guard let client = ClientID(claims.azp), let tenant = UUID(uuidString: claims.tid) else { return nil }
            return (client, TenantID(tenant))
        } catch {
            return nil
        }
    }

    /// Whether the claims are written as this package writes them. Two readers could understand a repeated name
    /// differently (`SEC-TOK-2`).
    var hasCanonicalPayload: Bool {
        do {
            return try JSONEncoder.sorted.encode(JSONDecoder().decode(JSONValue.self, from: payload)) == payload
        } catch {
            // Not JSON, or a kind of value that is never issued: the answer is the same.
            return false
        }
    }
}

/// The claims of an access token with a verified signature.
struct ReadClaims: JWTPayload {
    let iss, sub, aud, azp, tid, oid, scp, jti, ver: String
    let iat, nbf, exp, authTime: Int
    let amr: [String]
    let acrs: [String]?
    let sid, fam: String?
    let credentialVersion: Int?
    let cnf: Confirmation?

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, azp, tid, oid, scp, jti, ver, iat, nbf, exp, amr, acrs, sid, fam, cnf
        case authTime = "auth_time"
        case credentialVersion = "cred_ver"
    }

    /// Does nothing: the caller checks times and issuer later.
    func verify(using algorithm: some JWTAlgorithm) {}

    /// The tolerated clock difference, in seconds (`SEC-TOK-13`).
    static let skew = 60

    func accessToken(now: Date) throws(TokenVerificationError) -> VerifiedAccessToken {
        guard ver == "2.0", let user = UUID(uuidString: oid), let client = ClientID(azp), nbf <= exp, iat <= exp else {
            throw .malformed
        }
        let session = (fam ?? sid).flatMap { UUID(uuidString: $0) }
        guard (session == nil) == (sid == nil) else { throw .malformed }
        try Self.checkTimes(exp: exp, start: max(nbf, iat), now: now)
        return VerifiedAccessToken(
            user: UserID(user), client: client, audience: aud,
            scopes: scp.split(separator: " ").map(String.init), methods: amr, contexts: acrs ?? [], subject: sub,
            sessionID: session, credentialVersion: credentialVersion, tokenID: jti,
            authenticatedAt: Date(timeIntervalSince1970: TimeInterval(authTime)),
            issuedAt: Date(timeIntervalSince1970: TimeInterval(iat)),
            expiresAt: Date(timeIntervalSince1970: TimeInterval(exp)), key: cnf?.jkt)
    }

    /// Compares as times: adding to a number of the token could overflow.
    static func checkTimes(exp: Int, start: Int, now: Date) throws(TokenVerificationError) {
        let skew = TimeInterval(Self.skew)
        guard now < Date(timeIntervalSince1970: TimeInterval(exp)) + skew else { throw .expired }
        guard Date(timeIntervalSince1970: TimeInterval(start)) <= now + skew else { throw .notYetValid }
    }
}

/// The claims of an ID token with a verified signature, as far as a hint needs them.
struct ReadIDClaims: ReadToken {
    static let type = TokenType.idToken

    let iss, sub, aud, tid: String
    let sid: String?

    var issuer: String { iss }
    var tenant: String { tid }

    /// Does nothing: a hint may be older than its validity (OpenID Connect RP-Initiated Logout 1.0 section 2).
    func verify(using algorithm: some JWTAlgorithm) {}
}

/// The JSON values that a token of this package can contain.
private enum JSONValue: Codable {
    case text(String)
    case number(Int)
    case boolean(Bool)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<Value: Decodable>(_ type: Value.Type) throws -> Value? {
            do {
                return try container.decode(type)
            } catch DecodingError.typeMismatch {
                return nil
            }
        }
        if let text = try value(String.self) {
            self = .text(text)
        } else if let number = try value(Int.self) {
            self = .number(number)
        } else if let flag = try value(Bool.self) {
            self = .boolean(flag)
        } else if let list = try value([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .boolean(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}
