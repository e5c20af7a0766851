import IdentityEngine
import JWTKit
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a signed token is, header parameter `typ`.
enum TokenType: String, CaseIterable, Sendable {
    /// RFC 9068 section 2.1.
    case accessToken = "at+jwt"
    case idToken = "JWT"
}

/// A tenant's opened keys, as they were read once.
struct TenantKeys: Sendable {
    /// In the order of the store.
    let records: [SigningKeyRecord]
    /// By `kid`.
    let opened: [String: SigningKey]
    let readAt: Date
    /// All public keys, in the store's order, as a JSON Web Key Set.
    let jwks: Data
    /// Every header that these keys write, encoded, and what it stands in front of.
    private let headers: [String: TokenType]
    /// The same the other way round, by `kid`.
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

    /// JWS compact serialization (RFC 7515 section 7.1). JWTKit, which checks tokens, takes nearly twice as long to sign with RSA.
    func sign(
        _ claims: some Encodable, as type: TokenType, with key: SigningKeyRecord
    ) throws -> Secret<String> {
        guard let header = headersToWrite[key.kid]?[type], let privateKey = opened[key.kid]?.privateKey else {
            throw StoreError.corrupt("signing_keys")
        }
        let input = header + "." + Base64URL.encode(try JSONEncoder.sorted.encode(claims))
        return Secret(input + "." + Base64URL.encode(try privateKey.signature(of: Data(input.utf8))))
    }

    /// What `token` says it is, if one of these keys writes such a header.
    ///
    /// The header is compared as text with those that are written here, so nothing in it is ever obeyed: the `kid` of a
    /// key means the algorithm of that key, and any more or other parameter (`none`, `jwk`, `jku`, `x5u`, `crit`,
    /// `zip`, `cty`, one of them twice) makes it another text (`SEC-TOK-2`).
    func type(of token: CompactToken) -> TokenType? {
        headers[token.header]
    }

    /// Checks everything, in an order in which nothing is read that is not signed.
    func verify(
        _ token: CompactToken, issuer: String, tenant: TenantID, now: Date
    ) async throws(TokenVerificationError) -> VerifiedAccessToken {
        switch type(of: token) {
        case .accessToken: break
        case .idToken: throw .wrongType
        case nil: throw .unknownKey
        }
        let claims: ReadClaims
        do {
            claims = try await collection.verify(token.text, as: ReadClaims.self)
        } catch let error as JWTError where error.errorType == .malformedToken {
            throw .malformed
        } catch {
            throw .wrongSignature
        }
        guard token.hasCanonicalPayload else { throw .malformed }
        guard claims.iss == issuer, claims.tid == tenant.description else { throw .wrongIssuer }
        return try claims.accessToken(now: now)
    }
}
