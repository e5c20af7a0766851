package import NativeAuthCore
package import PortableFoundation

// Who asks the directory, and what that access token is a proof of (docs/protocol.md §18.1).

/// Why the directory refuses a request. Nothing has changed.
package enum DirectoryRefusal: Hashable, Sendable {
    /// No token, or none that is live, or one for another audience.
    case invalidToken
    /// The token has none of the scopes that the request needs.
    case insufficientScope
    /// The application may not be used.
    case applicationDisabled
    /// The user must sign in again: the last sign-in is too old, or lacks a factor that the account has.
    case proofNeeded(secondFactor: Bool)
    /// The directory has no such property.
    case unknownProperty(String)
    /// The user may not change this property.
    case readOnlyProperty(String)
    /// The value breaks the property's rules, or may not be removed.
    case invalidValue(String)
    /// Another account has this name, or had it a short time ago.
    case nameTaken(String)
    /// The profile is another one than the client has read.
    case changedMeanwhile
    /// The user has no such object.
    case notFound
    /// The user needs a second factor, and this is the last method.
    case lastMethod
    /// A step of a flow was refused.
    case step(Refusal)
}

/// The result of a request to the directory.
package enum DirectoryAnswer<Value: Sendable>: Sendable {
    case accepted(Value)
    case refused(DirectoryRefusal)
}

/// The user of an access token for the directory, with the token's application.
package struct DirectoryCaller: Sendable {
    package let tenant: Tenant
    let client: Client
    package let account: UserAccount
    let claims: VerifiedAccessToken
    let token: Secret<String>

    /// The user of the request.
    package var user: UserID { account.user.id }
    /// The tenant's id, as the first segment of a path.
    package var tenantName: String { tenant.id.description }
    package var application: ClientID { client.id }
    /// The user of the request, as the key of a limit: 16 bytes.
    package var limitKey: Data { withUnsafeBytes(of: account.user.id.uuid.uuid) { Data($0) } }
    /// The session of the token, if it has one.
    package var session: UUID? { claims.sessionID }

    /// How old the sign-in may be, in seconds, for what takes the account away from its user.
    package static let proofLifetime = 600.0

    /// Why the session is not proof enough for what could take the account away from its user: a new contact, a method,
    /// deletion. Nil when it is.
    ///
    /// An account with a method of the second factor asks for that, even a suspended one and whatever the application
    /// requires: otherwise a password alone could replace the factor that protects the account (`SEC-ENR-3`).
    package func lackOfProof(now: Date) -> DirectoryRefusal? {
        let needsSecond = account.requiresSecondFactor || !account.strongMethods.isEmpty
        let isOld = now.timeIntervalSince(claims.authenticatedAt) > Self.proofLifetime
        guard isOld || needsSecond && !claims.methods.contains("mfa") else { return nil }
        return .proofNeeded(secondFactor: needsSecond)
    }
}

extension Engine {
    /// The caller of a request to the directory: a live token of any tenant, for the directory, with one of `scopes`.
    package func directoryCaller(
        _ token: Secret<String>, anyOf scopes: Set<String>, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DirectoryCaller> {
        guard let id = ports.issuer.claimedTenant(of: token), let tenant = try await tenant(named: id.description),
            let live = try await live(token, in: tenant, now: now), live.claims.audience == ResourceScope.directory
        else { return .refused(.invalidToken) }
        guard !scopes.isDisjoint(with: live.claims.scopes) else { return .refused(.insufficientScope) }
        do {
            guard let client = try await ports.clients.client(live.claims.client, in: tenant.id),
                client.isNativeAuthEnabled
            else { return .refused(.applicationDisabled) }
            return .accepted(
                DirectoryCaller(
                    tenant: tenant, client: client, account: live.account, claims: live.claims, token: token))
        } catch {
            throw .store(error)
        }
    }

    /// Changes the caller's account, if it is still as the access token was checked against.
    func change<Answer: Sendable>(
        _ caller: DirectoryCaller, names: [LoginIdentifier.Key] = [],
        decide: @escaping @Sendable (UserAccount, AccountFacts) -> (effects: [Effect], answer: DirectoryAnswer<Answer>)
    ) async throws(EngineError) -> DirectoryAnswer<Answer> {
        let tenant = caller.tenant.id
        do {
            return try await ports.users.change(
                caller.user, in: tenant, names: names, marks: names.map { mark(of: $0, in: tenant) }
            ) { facts in
                // Checked again under the lock: the account may have been disabled, or its credentials changed.
                guard let account = facts.account, account.disabledAt == nil,
                    account.credentialVersion == caller.account.credentialVersion
                else { return ([], .refused(.invalidToken)) }
                return decide(account, facts)
            }
        } catch {
            throw .store(error)
        }
    }

    /// An audit event of the caller.
    func event(
        _ kind: AuditEvent.Kind, of caller: DirectoryCaller, detail: String? = nil, from source: RequestSource?,
        at now: Date
    ) -> AuditEvent {
        AuditEvent(
            kind, at: now, tenant: caller.tenant.id, client: caller.client.id, user: caller.user, detail: detail,
            source: source.map { auditSource($0, caller.tenant.id) })
    }

    /// A notice about the account, outside a flow.
    ///
    /// - Parameter user: Nil for the last notice of a user who is deleted.
    func notice(
        _ purpose: MailContent.Purpose, to email: EmailAddress, in tenant: Tenant, user: UserID?,
        language: MailLanguage, at now: Date
    ) throws(EngineError) -> Effect {
        let content = MailContent(
            purpose: purpose, recipient: email.address, code: nil, minutesValid: 0, language: language,
            organisation: tenant.displayName, sentAt: now)
        do {
            return .enqueueMail(
                try OutboxMail.sealing(
                    content, id: ports.randomness.uuid(at: now), tenant: tenant.id, flow: nil, user: user,
                    expiresAt: now.addingTimeInterval(Double(settings.noticeLifetime)), using: vault))
        } catch {
            throw .broken("a mail could not be sealed")
        }
    }

    /// The mark of a login name at rest.
    func mark(of name: LoginIdentifier.Key, in tenant: TenantID) -> Data {
        vault.digest(.counter, tenant: tenant, [Data("name at rest".utf8), name.bytes])
    }

    /// The mark of a user who was deleted.
    package func mark(ofDeleted user: UserID, in tenant: TenantID) -> Data {
        vault.digest(.counter, tenant: tenant, [Data("deleted user".utf8), Data(user.description.utf8)])
    }
}
