package import NativeAuthCore
package import PortableFoundation

// What users allow applications of other organisations (OIDC-26).
extension Engine {
    /// Whether a user has yet to allow what an application asks for. The tenant's own applications ask for nothing.
    func lacksConsent(
        to scopes: [String], of user: UserID, for client: Client, in tenant: Tenant
    ) async throws(EngineError) -> Bool {
        guard client.web.isThirdParty else { return false }
        return try await !consents(of: user, in: tenant.id).contains { $0.client == client.id && $0.covers(scopes) }
    }

    /// The same for the user of a session.
    package func lacksConsent(
        _ request: AuthorizationRequest, as signIn: BrowserSignIn?, to client: Client, in tenant: Tenant
    ) async throws(EngineError) -> Bool {
        guard let signIn else { return client.web.isThirdParty }
        return try await lacksConsent(to: request.scopes, of: signIn.account.user.id, for: client, in: tenant)
    }

    /// Keeps what a user has just allowed.
    func noteConsent(
        to request: AuthorizationRequest, of user: UserID, in context: RequestContext
    ) async throws(EngineError) {
        guard try await lacksConsent(to: request.scopes, of: user, for: context.client, in: context.tenant) else {
            return
        }
        let consent = Consent(
            user: user, client: context.client.id, scopes: request.scopes, givenAt: context.now)
        let event = event(
            .consentGiven, user: user, detail: consent.scopes.joined(separator: " "), of: nil, in: context)
        do {
            try await ports.browsers.give(consent, in: context.tenant.id, recording: event)
        } catch {
            throw .store(error)
        }
    }

    /// What a user allowed, the newest first.
    package func consents(of user: UserID, in tenant: TenantID) async throws(EngineError) -> [Consent] {
        do {
            return try await ports.browsers.consents(of: user, in: tenant)
        } catch {
            throw .store(error)
        }
    }

    /// Takes a consent back: the application's sessions end, and it asks again.
    package func withdrawConsent(
        to client: ClientID, of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let event = AuditEvent(
            .consentWithdrawn, at: now, tenant: caller.tenant.id, client: client, user: caller.user,
            source: source.map { auditSource($0, caller.tenant.id) })
        do {
            let had = try await ports.browsers.withdrawConsent(
                of: caller.user, to: client, in: caller.tenant.id, at: now, recording: event)
            return had ? .accepted(()) : .refused(.notFound)
        } catch {
            throw .store(error)
        }
    }
}
