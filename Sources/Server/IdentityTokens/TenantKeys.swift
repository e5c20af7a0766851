import IdentityEngine
import JWTKit
import NativeAuthCore
import PortableFoundation

/// The type of a signed token, header parameter `typ`.
enum TokenType: String, CaseIterable, Sendable {
    /// RFC 9068 section 2.1.
    case accessToken = "at+jwt"
    case idToken = "JWT"
    /// OpenID Connect Back-Channel Logout 1.0 section 2.4: no other token can be taken for one.
    case logoutToken = "logout+jwt"
}

/// The claims of a token that a tenant signed.
protocol ReadToken: JWTPayload {
    static var type: TokenType { get }
    /// Claim `iss`.
    var issuer: String { get }
    /// Claim `tid`.
    var tenant: String { get }
}

/// A tenant's opened keys, from one read of the store.
struct TenantKeys: Sendable {
    /// The records, in the order of the store.
    let records: [SigningKeyRecord]
    /// The opened keys by `kid`.
    let opened: [String: SigningKey]
    let readAt: Date
    /// All public keys, in the store's order, as a JSON Web Key Set.
    let jwks: Data
    /// Every encoded header that these keys write, with its token type.
    private let headers: [String: TokenType]
    /// The encoded headers by `kid` and token type.
    private let headersToWrite: [String: [TokenType: String]]
    private let collection = JWTKeyCollection()

    init(_ records: [SigningKeyRecord], opened: [String: SigningKey], readAt: Date) async throws {
        self.records = records
        self.opened = opened
        self.readAt = readAt
        let keys = records.compactMap { opened[$0.kid] }
        jwks = try JSONEncoder.sorted.encode(["keys": keys.map { try PublicJWK($0) }])
        var headers: [String: TokenType] = [:]
        var headersToWrite: [String: [TokenType: String]] = [:]
        for key in keys {
            for type in TokenType.allCases {
                let header = try JSONEncoder.sorted.encode(
                    ["alg": key.algorithm.rawValue, "kid": key.kid, "typ": type.rawValue])
                let encoded = Base64URL.encode(header)
                headers[encoded] = type
                headersToWrite[key.kid, default: [:]][type] = encoded
            }
            try await key.add(to: collection)
        }
        self.headers = headers
        self.headersToWrite = headersToWrite
    }

    /// Signs in JWS compact serialization (RFC 7515 section 7.1). JWTKit, which verifies tokens, takes nearly twice as
    /// long to sign with RSA.
    func sign(
        _ claims: some JSONObjectWritable, as type: TokenType, with key: SigningKeyRecord
    ) throws -> Secret<String> {
        guard let header = headersToWrite[key.kid]?[type], let privateKey = opened[key.kid]?.privateKey else {
            throw StoreError.corrupt("signing_keys")
        }
        let input = header + "." + Base64URL.encode(try claims.json().bytes)
        return Secret(input + "." + Base64URL.encode(try privateKey.signature(of: Data(input.utf8))))
    }

    /// The type of `token`, if one of these keys writes its header.
    ///
    /// The header is compared as text with the headers that are written here, so nothing in it is ever interpreted: the
    /// `kid` of a key implies the algorithm of that key, and any additional or other parameter (`none`, `jwk`, `jku`,
    /// `x5u`, `crit`, `zip`, `cty`, a repeated one) makes it a different text (`SEC-TOK-2`).
    func type(of token: CompactToken) -> TokenType? {
        headers[token.header]
    }

    /// Checks everything but the times, in an order in which nothing unsigned is read.
    func verify<Claims: ReadToken>(
        _ token: CompactToken, as type: Claims.Type = Claims.self, issuer: String, tenant: TenantID
    ) async throws(TokenVerificationError) -> Claims {
        guard let found = self.type(of: token) else { throw .unknownKey }
        guard found == Claims.type else { throw .wrongType }
        let claims: Claims
        do {
            claims = try await collection.verify(token.text, as: Claims.self)
        } catch let error as JWTError where error.errorType == .malformedToken {
            throw .malformed
        } catch {
            throw .wrongSignature
        }
        guard token.hasCanonicalPayload else { throw .malformed }
        guard claims.issuer == issuer, claims.tenant == tenant.description else { throw .wrongIssuer }
        return claims
    }
}
