package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

/// The keys of identity providers, and the check of their tokens (`SEC-FED-12`).
///
/// A provider's documents are fetched once for all requests that wait for them, at most every five minutes for a key that is not
/// there, and are used for a day; when the provider is down, for seven.
package actor ProviderKeys: IdentityProviders {
    /// For how long documents are used without a new look, in seconds, and for how long when there is no new one.
    private static let (freshness, longestUse): (TimeInterval, TimeInterval) = (86_400, 7 * 86_400)
    /// The least time between two looks for a key that is not there, and between two looks at a provider that is down.
    private static let (lookInterval, faultInterval): (TimeInterval, TimeInterval) = (300, 10)

    private struct Entry {
        var known: ProviderMetadata?
        /// When the documents were fetched, and when this was last tried.
        var fetchedAt = Date.distantPast
        var triedAt = Date.distantPast
        var fetch: Task<Result<ProviderMetadata, ProviderDocumentFault>, Never>?
    }

    private let documents: any ProviderDocuments
    private let onFault: @Sendable (_ provider: IdentityProvider, ProviderDocumentFault) -> Void
    private var entries: [String: Entry] = [:]

    /// - Parameter onFault: Is told that a provider's documents cannot be used, once for each fetch of them.
    package init(
        _ documents: any ProviderDocuments,
        onFault: @escaping @Sendable (_ provider: IdentityProvider, ProviderDocumentFault) -> Void = { _, _ in }
    ) {
        self.documents = documents
        self.onFault = onFault
    }

    package func claims(
        of token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> IdentityClaims {
        let payload = try await payload(of: token, from: provider, now: now)
        guard let claims = KeyRing.decoded(ProviderClaims.self, payload) else { throw .refused(.malformed) }
        return claims.asClaims
    }

    package func notice(
        _ token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> ProviderNotice {
        let payload = try await payload(of: token, from: provider, now: now)
        guard let claims = KeyRing.decoded(NoticeClaims.self, payload),
            let event = KeyRing.decoded(NoticeEvent.self, Data(claims.events.utf8))
        else { throw .refused(.malformed) }
        return ProviderNotice(
            issuer: claims.iss, audiences: claims.aud.all,
            issuedAt: claims.iat.map { Date(timeIntervalSince1970: $0) }, type: event.type, subject: event.sub,
            happenedAt: event.time.map { Date(timeIntervalSince1970: $0 / 1_000) })
    }

    /// The claims of a token, as bytes, whose signature is right.
    private func payload(
        of token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> Data {
        let presented: PresentedIDToken
        do throws(IdentityFault) {
            presented = try PresentedIDToken(token)
        } catch {
            throw .refused(error)
        }
        guard var metadata = await metadata(of: provider, olderThan: Self.freshness, now: now) else {
            throw .unavailable
        }
        if !metadata.hasKey(for: presented) {
            // The provider may have changed its keys a moment ago.
            metadata = await self.metadata(of: provider, olderThan: Self.lookInterval, now: now) ?? metadata
        }
        do throws(IdentityFault) {
            return try presented.payload(signedByOneOf: metadata)
        } catch {
            throw .refused(error)
        }
    }

    package func browserEndpoint(of provider: IdentityProvider, now: Date) async -> ProviderBrowserEndpoint? {
        let metadata = await metadata(of: provider, olderThan: Self.freshness, now: now)
        return metadata?.authorizationEndpoint.map {
            ProviderBrowserEndpoint(address: $0, namesIssuer: metadata?.namesIssuer ?? false)
        }
    }

    package func tokens(
        for code: ProviderCode, of client: String, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> ProviderTokens {
        guard let credential = provider.credential(of: client),
            let endpoint = await metadata(of: provider, olderThan: Self.freshness, now: now)?.tokenEndpoint
        else { throw .unavailable }
        let answer: Data
        do {
            answer = try await documents.exchange(
                ProviderCodeExchange(
                    endpoint: endpoint, code: code, client: ProviderClient(id: client, credential: credential), now: now
                ))
        } catch {
            switch error {
            case .unavailable: throw .unavailable
            case .refused: throw .refused(.wrongCode)
            }
        }
        guard let reply = KeyRing.decoded([String: JSONValue].self, answer), let token = reply["id_token"]?.string
        else {
            throw .refused(.malformed)
        }
        return ProviderTokens(
            idToken: Secret(token), refreshToken: reply["refresh_token"]?.string.map { Secret($0) })
    }

    package func revoke(
        _ grant: ProviderGrant, at provider: IdentityProvider, now: Date
    ) async throws(ProviderFault) {
        guard let credential = provider.credential(of: grant.client) else { throw .refused }
        guard let metadata = await metadata(of: provider, olderThan: Self.freshness, now: now) else {
            throw .unavailable
        }
        guard let endpoint = metadata.revocationEndpoint else { throw .refused }
        try await documents.revoke(
            ProviderRevocation(
                endpoint: endpoint, token: grant.token,
                client: ProviderClient(id: grant.client, credential: credential), now: now))
    }

    /// What the provider publishes, fetched anew when it is older than `age`. Nil when nothing can be had.
    private func metadata(
        of provider: IdentityProvider, olderThan age: TimeInterval, now: Date
    ) async -> ProviderMetadata? {
        var entry = entries[provider.issuer] ?? Entry()
        let isFresh = entry.known != nil && now.timeIntervalSince(entry.fetchedAt) < age
        let wait = age == Self.lookInterval ? Self.lookInterval : Self.faultInterval
        if isFresh || entry.fetch == nil && now.timeIntervalSince(entry.triedAt) < wait {
            return usable(entry, now: now)
        }
        let fetch =
            entry.fetch
            ?? Task { [documents] in
                await ProviderMetadata.fetched(of: provider.issuer, from: documents)
            }
        let isOwn = entry.fetch == nil
        if isOwn {
            (entry.fetch, entry.triedAt) = (fetch, now)
            entries[provider.issuer] = entry
        }
        let found = await fetch.value
        var ended = entries[provider.issuer] ?? entry
        ended.fetch = nil
        switch found {
        case .success(let found):
            (ended.known, ended.fetchedAt) = (found, now)
            if isOwn, found.keys.isEmpty { onFault(provider, .noKey) }
        case .failure(let fault): if isOwn { onFault(provider, fault) }
        }
        entries[provider.issuer] = ended
        return usable(ended, now: now)
    }

    private func usable(_ entry: Entry, now: Date) -> ProviderMetadata? {
        now.timeIntervalSince(entry.fetchedAt) < Self.longestUse ? entry.known : nil
    }
}

/// Why a provider's documents cannot be used. The text is for the server's log, and has nothing of the documents.
package enum ProviderDocumentFault: String, Error, CaseIterable {
    case notFetched = "a document cannot be fetched"
    case malformed = "the discovery document has not the members that are needed"
    case otherIssuer = "the discovery document is that of another issuer"
    case insecureAddress = "the address of the keys does not begin with https"
    case malformedKeys = "the keys cannot be read"
    case noKey = "no key is of a kind that is read"
}

/// What a provider publishes: endpoints and keys (OpenID Connect Discovery 1.0 section 3).
private struct ProviderMetadata: Sendable {
    var authorizationEndpoint: String?
    var tokenEndpoint: String?
    /// Where refresh tokens are ended (RFC 7009, RFC 8414).
    var revocationEndpoint: String?
    /// Whether the answer of the authorization endpoint names the issuer (RFC 9207).
    var namesIssuer: Bool
    var keys: [PublishedKey]

    /// How many keys of a provider are read.
    private static let mostKeys = 32

    /// - Returns: The reason when the documents cannot be had, or are not those of the issuer.
    static func fetched(
        of issuer: String, from documents: any ProviderDocuments
    ) async -> Result<ProviderMetadata, ProviderDocumentFault> {
        do throws(ProviderFault) {
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            let text = try await documents.document(at: base + "/.well-known/openid-configuration")
            guard let found = KeyRing.decoded(DiscoveryDocument.self, text) else { return .failure(.malformed) }
            guard found.issuer.utf8.elementsEqual(issuer.utf8) else { return .failure(.otherIssuer) }
            guard isSecure(found.keys, like: issuer) else { return .failure(.insecureAddress) }
            let list = try await documents.document(at: found.keys)
            guard let set = KeyRing.decoded(PublishedKeys.self, list) else { return .failure(.malformedKeys) }
            let keys = Array(set.keys.compactMap(\.key).prefix(mostKeys))
            let metadata = ProviderMetadata(
                authorizationEndpoint: found.authorizationEndpoint.flatMap { isSecure($0, like: issuer) ? $0 : nil },
                tokenEndpoint: found.tokenEndpoint.flatMap { isSecure($0, like: issuer) ? $0 : nil },
                revocationEndpoint: found.revocationEndpoint.flatMap { isSecure($0, like: issuer) ? $0 : nil },
                namesIssuer: found.namesIssuer ?? false,
                keys: keys)
            return .success(metadata)
        } catch {
            return .failure(.notFetched)
        }
    }

    /// Only a provider without TLS, which development allows, may have addresses without it. Addresses go into fields of
    /// answers and into pages.
    private static func isSecure(_ address: String, like issuer: String) -> Bool {
        let isWeb = address.hasPrefix("https://") || (issuer.hasPrefix("http://") && address.hasPrefix("http://"))
        return isWeb && address.utf8.count <= 1_024
            && address.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }
    }

    func hasKey(for token: PresentedIDToken) -> Bool { keys.contains { $0.fits(token) } }

    func isSigned(_ token: PresentedIDToken) -> Bool {
        keys.contains { $0.fits(token) && $0.key.isValid(token.signature, of: token.message) }
    }
}

private struct DiscoveryDocument: Decodable {
    let issuer, keys: String
    let authorizationEndpoint, tokenEndpoint, revocationEndpoint: String?
    let namesIssuer: Bool?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case keys = "jwks_uri"
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case namesIssuer = "authorization_response_iss_parameter_supported"
    }
}

/// A JWK Set (RFC 7517 section 5). Keys of kinds that are not read are left out.
private struct PublishedKeys: Decodable {
    let keys: [Entry]

    struct Entry: Decodable {
        let key: PublishedKey?

        init(from decoder: any Decoder) throws {
            do {
                key = try PublishedKey(from: decoder)
            } catch {
                // Another kind of key is no fault of the set.
                key = nil
            }
        }
    }
}

private struct PublishedKey: Decodable, Sendable {
    let id: String?
    let key: ProofPublicKey

    private enum CodingKeys: String, CodingKey { case kid, use, alg }

    /// - Throws: For a key that verifies no accepted signature.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .kid)
        guard let key = try ProofKey(from: decoder).publicKey,
            try container.decodeIfPresent(String.self, forKey: .use) ?? "sig" == "sig",
            try container.decodeIfPresent(String.self, forKey: .alg) ?? key.algorithm.rawValue
                == key.algorithm.rawValue
        else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "another key"))
        }
        self.key = key
    }

    /// Whether the header names the key. The kind of the key decides the algorithm.
    func fits(_ token: PresentedIDToken) -> Bool {
        key.algorithm == token.algorithm && (token.keyID == nil || token.keyID == id)
    }
}

/// An ID token whose signature is not checked yet.
private struct PresentedIDToken {
    let algorithm: ProofAlgorithm
    let keyID: String?
    let message: Data
    let signature: Data
    private let payload: Data

    init(_ text: Secret<String>) throws(IdentityFault) {
        let token: CompactToken
        do {
            token = try CompactToken(text)
        } catch {
            throw .malformed
        }
        guard let header = Base64URL.decode(token.header).flatMap({ KeyRing.decoded(Header.self, $0) }),
            let end = token.text.utf8.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64URL.decode(String(token.text[token.text.utf8.index(after: end)...]))
        else { throw .malformed }
        guard let algorithm = ProofAlgorithm(rawValue: header.alg), !header.bringsKeys else {
            throw .forbiddenAlgorithm
        }
        self.algorithm = algorithm
        keyID = header.kid
        message = Data(token.text[..<end].utf8)
        self.signature = signature
        payload = token.payload
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        /// Whether the token names or has keys of its own, or has rules that a reader must know.
        let bringsKeys: Bool

        private enum CodingKeys: String, CodingKey { case alg, kid, crit, jku, jwk, x5u, x5c }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try container.decode(String.self, forKey: .alg)
            kid = try container.decodeIfPresent(String.self, forKey: .kid)
            bringsKeys = [CodingKeys.crit, .jku, .jwk, .x5u, .x5c].contains { container.contains($0) }
        }
    }

    /// - Throws: ``IdentityFault``. Nothing of the claims is read before the signature is right.
    func payload(signedByOneOf metadata: ProviderMetadata) throws(IdentityFault) -> Data {
        guard metadata.hasKey(for: self) else { throw .unknownKey }
        guard metadata.isSigned(self) else { throw .wrongSignature }
        return payload
    }
}

/// The claims of a notice of Apple's. The event is JSON as text.
private struct NoticeClaims: Decodable {
    let iss, events: String
    let aud: AssertionClaims.Audience
    let iat: Double?
}

private struct NoticeEvent: Decodable {
    let type, sub: String
    /// In milliseconds.
    let time: Double?

    private enum CodingKeys: String, CodingKey {
        case type, sub
        case time = "event_time"
    }
}

/// The claims of a provider's ID token.
private struct ProviderClaims: Decodable {
    let iss, sub: String
    let aud: AssertionClaims.Audience
    let azp: String?
    let exp: Double
    let iat, nbf: Double?
    let nonce, email: String?
    let isEmailVerified: Flag?
    let hd, givenName, familyName: String?
    let acr: Lenient<String>?
    let amr: Lenient<[String]>?
    let authTime: Lenient<Double>?

    private enum CodingKeys: String, CodingKey {
        case iss, sub, aud, azp, exp, iat, nbf, nonce, email, hd, acr, amr
        case authTime = "auth_time"
        case isEmailVerified = "email_verified"
        case givenName = "given_name"
        case familyName = "family_name"
    }

    /// A claim that says nothing when it has another form: most tenants do not look at it, and no sign-in ends by it.
    struct Lenient<Value: Decodable & Sendable>: Decodable, Sendable {
        let value: Value?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                value = try container.decode(Value.self)
            } catch is DecodingError {
                value = nil
            }
        }
    }

    /// A truth value, or the text of one, as Apple writes it.
    struct Flag: Decodable {
        let isTrue: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                isTrue = try container.decode(Bool.self)
            } catch DecodingError.typeMismatch {
                isTrue = try container.decode(String.self) == "true"
            }
        }
    }

    var asClaims: IdentityClaims {
        return IdentityClaims(
            issuer: iss, subject: sub, audiences: aud.all, authorizedParty: azp,
            expiresAt: Date(timeIntervalSince1970: exp), issuedAt: iat.map { Date(timeIntervalSince1970: $0) },
            notBefore: nbf.map { Date(timeIntervalSince1970: $0) }, nonce: nonce, email: email,
            isEmailVerified: isEmailVerified?.isTrue ?? false, hostedDomain: hd, givenName: givenName,
            familyName: familyName, context: acr?.value, methods: amr?.value ?? [],
            authenticatedAt: (authTime?.value).map { Date(timeIntervalSince1970: $0) })
    }
}
