package import NativeAuthCore
package import PortableFoundation

/// The daemon of an access token for the directory.
package struct DaemonCaller: Sendable {
    package let tenant: Tenant
    package let daemon: Daemon
    /// The names of the directory's roles that both the token and the tenant's document give, so that taking a role
    /// away works at once.
    package let roles: Set<String>

    /// The daemon as the key of a limit.
    package var limitKey: Data { Data("\(tenant.id)/\(daemon.id)".utf8) }
}

extension Engine {
    /// A live token of a daemon.
    package struct LiveDaemonToken: Sendable {
        package var claims: VerifiedDaemonToken
        package var daemon: Daemon
        /// Those roles of the token that the tenant's document gives now, in the order of the token.
        package var roles: [String]
    }

    /// The daemon that asks the directory: with a live token of any tenant, for the directory. The caller checks the
    /// roles.
    package func daemonCaller(
        _ token: Secret<String>, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DaemonCaller> {
        guard let id = ports.issuer.claimedTenant(of: token), let tenant = try await tenant(named: id.description),
            let live = try await liveDaemon(token, in: tenant, now: now),
            live.claims.audience == ResourceScope.directory
        else { return .refused(.invalidToken) }
        return .accepted(DaemonCaller(tenant: tenant, daemon: live.daemon, roles: Set(live.roles)))
    }

    /// The token's claims and daemon if the token is live now: signed by this tenant for a daemon, within its validity,
    /// and the tenant has the daemon.
    ///
    /// - Returns: Nil for any other token, such as a user's.
    package func liveDaemon(
        _ token: Secret<String>, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> LiveDaemonToken? {
        let claims: VerifiedDaemonToken
        do {
            claims = try await ports.issuer.verifyDaemon(token, for: tenant.id, issuer: settings.baseURL, now: now)
        } catch {
            switch error {
            case .unavailable(let cause): throw .tokens(.unavailable(cause))
            case .malformed, .unknownKey, .wrongSignature, .wrongType, .wrongIssuer, .expired, .notYetValid: return nil
            }
        }
        guard let daemon = try await daemon(claims.daemon, in: tenant) else { return nil }
        let given = try await roles(of: daemon, for: claims.audience, in: tenant)
        return LiveDaemonToken(claims: claims, daemon: daemon, roles: claims.roles.filter(given.contains))
    }
}
