package import NativeAuthCore
package import PortableFoundation

/// A session of a user, as the user sees it.
package struct SessionSummary: Hashable, Sendable {
    package var family: RefreshFamily
    /// The name of the application; nil when the tenant has it no longer.
    package var application: String?
    /// Whether the request was made with a token of this session.
    package var isCurrent: Bool
}

// Where a user is signed in, and the end of it.
extension Engine {
    /// The living sessions of the caller, the last used first.
    package func sessions(
        of caller: DirectoryCaller, now: Date
    ) async throws(EngineError) -> [SessionSummary] {
        try await sessions(of: caller.user, in: caller.tenant.id, current: caller.session, now: now)
    }

    /// The living sessions of a user, the last used first.
    ///
    /// - Parameter current: The session of the request; nil for an operator.
    package func sessions(
        of user: UserID, in tenant: TenantID, current: UUID?, now: Date
    ) async throws(EngineError) -> [SessionSummary] {
        do {
            var summaries: [SessionSummary] = []
            for family in try await ports.refresh.sessions(of: user, in: tenant, now: now) {
                let application = try await ports.clients.client(family.client, in: tenant)
                summaries.append(
                    SessionSummary(
                        family: family, application: application?.displayName, isCurrent: family.id == current))
            }
            return summaries
        } catch {
            throw .store(error)
        }
    }

    /// The sessions that a request ends.
    package enum EndedSessions: Hashable, Sendable {
        case one(UUID)
        /// All but the session of the request.
        case others
        case all
    }

    /// Ends sessions: their refresh tokens and access tokens are refused from now on.
    ///
    /// - Returns: Refused with ``DirectoryRefusal/notFound`` when the user has no such living session.
    package func end(
        _ sessions: EndedSessions, of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        // An application that was signed in by a browser would be again, without a question, while the browser is.
        var browser: UUID?
        if case .one(let id) = sessions {
            guard let family = try await refreshFamily(id, in: caller.tenant.id), family.user == caller.user,
                family.revokedAt == nil, family.expiresAt > now
            else { return .refused(.notFound) }
            browser = family.browserSession
        }
        let detail =
            switch sessions {
            case .one: "one"
            case .others: "others"
            case .all: "all"
            }
        let event = event(.sessionsEnded, of: caller, detail: detail, from: source, at: now)
        return try await change(caller) { [browser] account, _ in
            let id = account.user.id
            let effects: [Effect] =
                switch sessions {
                case .one(let session):
                    [.revokeRefreshFamily(session, of: id, at: now)]
                        + (browser.map { [.endBrowserSession($0, of: id, at: now)] } ?? [])
                // Tokens without a session end, too.
                case .others:
                    [.changeCredentials(id, at: now), .revokeRefreshFamilies(id, except: caller.session, at: now)]
                case .all: [.changeCredentials(id, at: now), .revokeRefreshFamilies(id, at: now)]
                }
            return (effects + [.record(event)], .accepted(()))
        }
    }
}

// The methods of the second factor.
extension Engine {
    /// Names a method; nil removes the name.
    ///
    /// - Parameter name: 1 to 64 characters without control characters; another one is refused.
    package func renameMethod(
        _ method: UUID, to name: String?, of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard name.map(StrongMethod.isName) ?? true else { return .refused(.invalidValue("displayName")) }
        let event = event(.methodRenamed, of: caller, from: source, at: now)
        return try await change(caller) { account, _ in
            guard let known = account.strongMethods.first(where: { $0.id == method }) else {
                return ([], .refused(.notFound))
            }
            guard known.name != name else { return ([], .accepted(())) }
            return ([.renameMethod(method, of: account.user.id, name), .record(event)], .accepted(()))
        }
    }

    /// Removes a method, and tells each mailbox of the user. Sessions that were begun elsewhere end.
    package func removeMethod(
        _ method: UUID, of caller: DirectoryCaller, language: MailLanguage?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let isRequiredHere = caller.client.requiresSecondFactor || caller.client.userFlow.requiresSecondFactor
        let event = event(.methodsForgotten, of: caller, detail: "1 by user", from: source, at: now)
        var notices: [Effect] = []
        for email in caller.account.noticeChannels {
            notices.append(
                try notice(
                    .methodRemoved, to: email, in: caller.tenant, user: caller.user, language: language, at: now))
        }
        let mails = notices
        return try await change(caller) { account, _ in
            guard account.strongMethods.contains(where: { $0.id == method }) else {
                return ([], .refused(.notFound))
            }
            guard account.strongMethods.count > 1 || !(isRequiredHere || account.requiresSecondFactor) else {
                return ([], .refused(.lastMethod))
            }
            let id = account.user.id
            return (
                [
                    .removeStrongMethods([method], of: id), .changeCredentials(id, at: now),
                    .revokeRefreshFamilies(id, except: caller.session, at: now), .record(event),
                ] + mails, .accepted(())
            )
        }
    }
}
