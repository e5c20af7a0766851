package import NativeAuthCore
package import PortableFoundation

// What the server tells a resource server, or the application itself, about an access token.
extension Engine {
    /// A live access token and its user.
    package struct LiveToken: Sendable {
        package var claims: VerifiedAccessToken
        package var account: UserAccount
        /// Whether the token is one of a sign-in: not of a refresh, and not of a session that an app's ticket opened.
        var isOfSignIn = true
        /// Whether it is of a session that an app's ticket opened.
        var isOfTicket = false

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
        if isOlder, !isKept { return nil }
        if let parent = family.parent, try await liveFamily(parent, in: tenant.id, now: now) == nil { return nil }
        return LiveToken(
            claims: claims, account: account,
            // Whole seconds, rounded down: a refresh is told a second after the sign-in at the latest.
            isOfSignIn: family.parent == nil && claims.issuedAt <= family.createdAt, isOfTicket: family.parent != nil)
    }

    /// A family that is neither revoked nor expired, and none of those that it hangs on; nil for others.
    func liveFamily(_ id: UUID, in tenant: TenantID, now: Date) async throws(EngineError) -> RefreshFamily? {
        var next: UUID? = id
        var first: RefreshFamily?
        // An app that a ticket opened can open another one; a chain that is longer than any that makes sense is not followed.
        for _ in 0..<8 {
            guard let id = next else { return first }
            guard let family = try await refreshFamily(id, in: tenant), family.revokedAt == nil, now < family.expiresAt
            else { return nil }
            first = first ?? family
            next = family.parent
        }
        return nil
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
