package import NativeAuthCore
package import PortableFoundation

/// The claims of an ID token whose signature is right: by a key of the provider that it was verified for.
package struct IdentityClaims: Hashable, Sendable {
    package var issuer: String
    package var subject: String
    package var audiences: [String]
    package var authorizedParty: String?
    package var expiresAt: Date
    package var issuedAt: Date?
    package var notBefore: Date?
    package var nonce: String?
    package var email: String?
    /// Also from the text `true`, as Apple writes it.
    package var isEmailVerified: Bool
    /// Google's claim `hd`: the organisation that the account belongs to.
    package var hostedDomain: String?
    package var givenName: String?
    package var familyName: String?
    /// The claim `acr`: the class of the sign-in at the provider, in the provider's words.
    package var context: String?
    /// The claim `amr`: how the user signed in there.
    package var methods: [String]
    /// The claim `auth_time`: when the user signed in there.
    package var authenticatedAt: Date?

    package init(
        issuer: String, subject: String, audiences: [String], authorizedParty: String? = nil, expiresAt: Date,
        issuedAt: Date?, notBefore: Date? = nil, nonce: String?, email: String? = nil, isEmailVerified: Bool = false,
        hostedDomain: String? = nil, givenName: String? = nil, familyName: String? = nil, context: String? = nil,
        methods: [String] = [], authenticatedAt: Date? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audiences = audiences
        self.authorizedParty = authorizedParty
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.notBefore = notBefore
        self.nonce = nonce
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.hostedDomain = hostedDomain
        self.givenName = givenName
        self.familyName = familyName
        self.context = context
        self.methods = methods
        self.authenticatedAt = authenticatedAt
    }
}

/// Which check of an ID token failed, with the name in the audit trail. Clients are not told.
package enum IdentityFault: String, Error, Hashable, Sendable, CaseIterable {
    case malformed
    case forbiddenAlgorithm = "algorithm"
    case unknownKey = "unknown key"
    case wrongSignature = "signature"
    case wrongIssuer = "issuer"
    case wrongAudience = "audience"
    case expired
    case tooOld = "too old"
    case notYetValid = "not yet valid"
    case wrongNonce = "nonce"
    case wrongSubject = "subject"
    /// The nonce was not asked for, was used, or is older than ``IdentityNonce/lifetime``.
    case noNonce = "no nonce"
    /// The provider refused the code that a browser brought.
    case wrongCode = "code"
    /// The user's identity is suspended, or was removed a moment ago.
    case unusableIdentity = "unusable"
}

/// Asks identity providers, and checks the signatures of their tokens.
package protocol IdentityProviders: Sendable {
    /// The claims of `token`, whose signature is right.
    ///
    /// - Throws: ``IdentityVerificationFailure``.
    func claims(
        of token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> IdentityClaims

    /// Where browsers are sent to; nil when that cannot be known now.
    func browserEndpoint(of provider: IdentityProvider, now: Date) async -> ProviderBrowserEndpoint?

    /// The tokens for a code that a browser or an app brought (RFC 6749 section 4.1.3). Nothing of them is checked yet.
    func tokens(
        for code: ProviderCode, of client: String, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> ProviderTokens

    /// What a provider tells of a user on its own, as a signed token.
    ///
    /// - Throws: ``IdentityVerificationFailure``.
    func notice(
        _ token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> ProviderNotice

    /// Ends what the user allowed at the provider (RFC 7009).
    ///
    /// - Throws: ``ProviderFault``. A provider without an endpoint for it is one that refuses.
    func revoke(_ grant: ProviderGrant, at provider: IdentityProvider, now: Date) async throws(ProviderFault)
}

/// What a provider gives for a code.
package struct ProviderTokens: Sendable {
    package var idToken: Secret<String>
    /// Apple gives one to each client; others none without the scope for it.
    package var refreshToken: Secret<String>?

    package init(idToken: Secret<String>, refreshToken: Secret<String>? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
    }
}

/// Where a provider signs users in by a browser.
package struct ProviderBrowserEndpoint: Hashable, Sendable {
    package var address: String
    /// Whether its answers name the issuer (RFC 9207).
    package var namesIssuer: Bool

    package init(address: String, namesIssuer: Bool) {
        self.address = address
        self.namesIssuer = namesIssuer
    }
}

/// A code of a provider, with what its exchange needs besides.
package struct ProviderCode: Sendable {
    package var code: Secret<String>
    /// The address that the provider sent the browser back to; nil for a code that the provider gave to an app.
    package var redirect: String?
    /// The verifier of PKCE (RFC 7636).
    package var verifier: Secret<String>?

    package init(code: Secret<String>, redirect: String? = nil, verifier: Secret<String>? = nil) {
        self.code = code
        self.redirect = redirect
        self.verifier = verifier
    }
}

/// Why no claims are known.
package enum IdentityVerificationFailure: Error, Hashable, Sendable {
    /// The token proves nothing.
    case refused(IdentityFault)
    /// The provider's keys cannot be had now; the token may be right.
    case unavailable
}

/// For engines without providers.
package struct NoIdentityProviders: IdentityProviders {
    package init() {}
    package func claims(
        of token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> IdentityClaims {
        throw .unavailable
    }

    package func browserEndpoint(of provider: IdentityProvider, now: Date) async -> ProviderBrowserEndpoint? { nil }

    package func tokens(
        for code: ProviderCode, of client: String, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> ProviderTokens {
        throw .unavailable
    }

    package func notice(
        _ token: Secret<String>, from provider: IdentityProvider, now: Date
    ) async throws(IdentityVerificationFailure) -> ProviderNotice {
        throw .unavailable
    }

    package func revoke(
        _ grant: ProviderGrant, at provider: IdentityProvider, now: Date
    ) async throws(ProviderFault) {
        throw .refused
    }
}

/// What a provider's token says, once all of it is checked but the nonce, which the flow's row judges.
package struct VerifiedIdentity: Hashable, Sendable, Codable {
    /// The id that the method gets when the identity is linked.
    package var method: UUID
    package var identity: LinkedIdentity
    /// The mailbox that the provider has proven, and can speak for; nil: it knows none, or another one.
    package var mailbox: EmailAddress?
    /// Names, to be shown in the form of a sign-up.
    package var givenName: String?
    package var familyName: String?
    /// What the provider said of the strength, as far as it counts. Nil: nothing.
    package var stated: StatedStrength?
}

extension IdentityProvider {
    /// How far clocks may differ, in seconds.
    static let skew = 60.0
    /// How old a token may be, in seconds (`SEC-FED-2`).
    static let longestAge = 600.0

    /// Checks everything but signature and nonce.
    ///
    /// - Parameters:
    ///   - clients: The ids of which the token must name one, for this leg (`SEC-FED-4`).
    ///   - method: The id for the method, should the identity be linked.
    /// - Throws: ``IdentityFault``: the first check that failed.
    package func judge(
        _ claims: IdentityClaims, for clients: [String], method: UUID, now: Date
    ) throws(IdentityFault) -> VerifiedIdentity {
        guard ([issuer] + otherIssuers).contains(where: { Self.isSame($0, claims.issuer) }) else { throw .wrongIssuer }
        let own = clients.filter { client in claims.audiences.contains { Self.isSame($0, client) } }
        guard !own.isEmpty else { throw .wrongAudience }
        // Of several audiences one is the party that asked for the token, and it must be an own one (OpenID Connect Core 1.0
        // section 3.1.3.7). With one audience it may be another app of the same project.
        if claims.audiences.count > 1 {
            guard let party = claims.authorizedParty, clients.contains(where: { Self.isSame($0, party) }) else {
                throw .wrongAudience
            }
        }
        guard now.timeIntervalSince(claims.expiresAt) < Self.skew else { throw .expired }
        guard let issuedAt = claims.issuedAt else { throw .tooOld }
        guard now.timeIntervalSince(issuedAt) <= Self.longestAge else { throw .tooOld }
        guard issuedAt.timeIntervalSince(now) <= Self.skew else { throw .notYetValid }
        if let start = claims.notBefore, start.timeIntervalSince(now) > Self.skew { throw .notYetValid }
        guard LinkedIdentity.isSubject(claims.subject) else { throw .wrongSubject }
        let email = claims.email.flatMap { EmailAddress($0) }
        let stated: StatedStrength? =
            switch statement(of: claims, at: now) {
            case .stated(let stated): stated
            case .nothing, .stale: nil
            }
        return VerifiedIdentity(
            method: method,
            identity: LinkedIdentity(
                provider: id, providerName: displayName, issuer: issuer, subject: claims.subject, email: email?.address),
            mailbox: email.flatMap { speaks(for: $0, claims) ? $0 : nil },
            givenName: Self.name(claims.givenName), familyName: Self.name(claims.familyName), stated: stated)
    }

    /// Whether a token of the provider could be a proof of the mailbox. What Google and Apple host is not known: any.
    func maySpeak(for email: EmailAddress) -> Bool {
        switch authority {
        case .nothing: false
        case .everything, .google: true
        case .domains(let own): own.contains(Self.domain(of: email))
        }
    }

    private static func domain(of email: EmailAddress) -> String {
        String(decoding: email.address.utf8.drop { $0 != UInt8(ascii: "@") }.dropFirst(), as: UTF8.self).lowercased()
    }

    /// Whether the provider's word is a proof of the mailbox: it must say so, and be able to know (`SEC-FED-8`).
    private func speaks(for email: EmailAddress, _ claims: IdentityClaims) -> Bool {
        guard claims.isEmailVerified else { return false }
        let domain = Self.domain(of: email)
        return switch authority {
        case .nothing: false
        case .everything: true
        case .google: domain == "gmail.com" || claims.hostedDomain.map { $0.lowercased() == domain } ?? false
        case .domains(let own): own.contains(domain)
        }
    }

    /// A name that a form may show: at most 64 characters, without those that turn or hide text.
    private static func name(_ text: String?) -> String? { text.flatMap { StrongMethod.isName($0) ? $0 : nil } }

    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
