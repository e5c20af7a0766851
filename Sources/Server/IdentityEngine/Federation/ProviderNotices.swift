package import NativeAuthCore
package import PortableFoundation

/// What a provider tells of a user on its own: Apple's notices to servers ("Processing changes for Sign in with Apple accounts").
/// Its signature is right.
package struct ProviderNotice: Hashable, Sendable {
    package var issuer: String
    package var audiences: [String]
    package var issuedAt: Date?
    /// The provider's word, such as `consent-revoked`.
    package var type: String
    package var subject: String
    /// When it happened; nil: the provider does not say.
    package var happenedAt: Date?

    package init(
        issuer: String, audiences: [String], issuedAt: Date?, type: String, subject: String, happenedAt: Date?
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.issuedAt = issuedAt
        self.type = type
        self.subject = subject
        self.happenedAt = happenedAt
    }

    /// Whether the user's account at the provider is no way in any more. `account-deleted` is an older word of Apple's.
    var endsIdentity: Bool { ["consent-revoked", "account-delete", "account-deleted"].contains(type) }
}

/// What became of a notice.
package enum NoticeVerdict: Hashable, Sendable {
    /// It is understood. Repeated, it changes nothing more.
    case taken
    /// It is none of the provider's, or for another organisation.
    case refused(IdentityFault)
    /// The provider's keys cannot be had now.
    case unavailable
}

extension Engine {
    /// Takes a notice: an identity that its user or Apple has ended is removed, its sessions end, and the mailboxes of the
    /// account are told. Every account keeps its mailbox as a way in (`SEC-FED-16`).
    package func take(
        notice token: Secret<String>, from provider: IdentityProvider, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> NoticeVerdict {
        let notice: ProviderNotice
        do throws(IdentityVerificationFailure) {
            notice = try await ports.identities.notice(token, from: provider, now: now)
        } catch {
            return switch error {
            case .refused(let fault): .refused(fault)
            case .unavailable: .unavailable
            }
        }
        guard notice.issuer.utf8.elementsEqual(provider.issuer.utf8) else { return .refused(.wrongIssuer) }
        let clients = provider.nativeClients + (provider.web.map { [$0.clientID] } ?? [])
        guard notice.audiences.contains(where: clients.contains) else { return .refused(.wrongAudience) }
        if let issuedAt = notice.issuedAt, issuedAt.timeIntervalSince(now) > IdentityProvider.skew {
            return .refused(.notYetValid)
        }
        guard notice.endsIdentity else { return .taken }
        let identity = LinkedIdentity(
            provider: provider.id, providerName: provider.displayName, issuer: provider.issuer, subject: notice.subject,
            email: nil)
        let found: UserAccount?
        do {
            found = try await ports.users.account(with: .identity(identity.key), in: tenant.id)
        } catch {
            throw .store(error)
        }
        // One that was linked after it happened is another consent.
        guard let found, let method = found.method(of: identity),
            notice.happenedAt.map({ $0 >= method.provenAt }) ?? true
        else { return .taken }
        var notices: [Effect] = []
        for email in found.noticeChannels {
            notices.append(
                try self.notice(
                    .methodRemoved, to: email, in: tenant, user: found.user.id,
                    language: tenant.mailLanguage(found.user.chosenMailLanguage), about: [method], at: now))
        }
        let (mails, id, user) = (notices, method.id, found.user.id)
        let event = AuditEvent(
            .methodsForgotten, at: now, tenant: tenant.id, user: user, detail: "1 by provider, \(provider.id)")
        try await change(user, in: tenant.id) { facts in
            guard let account = facts.account, account.strongMethods.contains(where: { $0.id == id }) else {
                return ([], ())
            }
            return (
                [
                    .removeStrongMethods([id], of: user), .changeCredentials(user, at: now),
                    .revokeRefreshFamilies(user, at: now), .record(event),
                ] + account.endingRecovery(without: [id]) + mails, ()
            )
        }
        return .taken
    }
}
