package import NativeAuthCore
package import PortableFoundation

// What the server tells a resource server, or the application itself, about an access token.
extension Engine {
    /// A live access token and its user.
    package struct LiveToken: Sendable {
        package var claims: VerifiedAccessToken
        package var account: UserAccount

        package var user: User { account.user }
    }

    /// The token's claims and user if the token is live now: signed by this tenant, within its validity, its user
    /// neither deleted nor disabled, its session not revoked, and not older than the user's credentials (`SEC-TOK-13`,
    /// RFC 7662 section 4).
    ///
    /// - Returns: Nil for any other token; only the log says why.
    /// - Throws: ``EngineError`` when the server cannot decide now.
    package func live(
        _ accessToken: Secret<String>, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> LiveToken? {
        guard let claims = try await verified(accessToken, for: tenant, now: now) else { return nil }
        let account: UserAccount?
        do {
            account = try await ports.users.account(claims.user, in: tenant.id)
        } catch {
            throw .store(error)
        }
        guard let account, account.disabledAt == nil else { return nil }
        // Without a version only the time tells, in whole seconds, so the time of the change is rounded down too.
        let isOlder =
            claims.credentialVersion.map { $0 < account.tokensFromVersion }
            ?? (claims.issuedAt.timeIntervalSince1970
                < account.credentialsChangedAt.timeIntervalSince1970.rounded(.down))
        guard let session = claims.sessionID else {
            return isOlder ? nil : LiveToken(claims: claims, account: account)
        }
        guard let family = try await refreshFamily(session, in: tenant.id), family.revokedAt == nil,
            family.user == account.user.id
        else { return nil }
        // The change of the credentials kept this session.
        let isKept = family.keptAt.map { $0 >= account.credentialsChangedAt } ?? false
        return isOlder && !isKept ? nil : LiveToken(claims: claims, account: account)
    }

    /// The application's own claims about the user of a token, for userinfo. The application is that of the token.
    package func userinfoClaims(
        of token: LiveToken, in tenant: Tenant
    ) async throws(EngineError) -> [String: ClaimValue] {
        try await application(token.claims.client, in: tenant)?.claims(about: token.user, in: .userinfo) ?? [:]
    }

    /// The claims of an access token that this tenant signed and that is valid at `now`; nil for any other token.
    func verified(
        _ accessToken: Secret<String>, for tenant: Tenant, now: Date
    ) async throws(EngineError) -> VerifiedAccessToken? {
        do {
            return try await ports.issuer.verify(accessToken, for: tenant.id, issuer: settings.baseURL, now: now)
        } catch {
            switch error {
            case .unavailable(let cause): throw .tokens(.unavailable(cause))
            case .malformed, .unknownKey, .wrongSignature, .wrongType, .wrongIssuer, .expired, .notYetValid: return nil
            }
        }
    }
}
