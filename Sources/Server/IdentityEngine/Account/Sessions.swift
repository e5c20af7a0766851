package import NativeAuthCore
package import PortableFoundation

/// A session of a user, as the user sees it: an application's refresh tokens, or a browser.
package struct SessionSummary: Hashable, Sendable {
    package var id: UUID
    /// The application; ``Client/accountPageID`` for a browser.
    package var client: ClientID
    /// The name of the application; nil when the tenant has it no longer, and for a browser.
    package var application: String?
    package var createdAt: Date
    package var lastUsedAt: Date
    /// The network of the last use, such as `192.0.2.0/24`.
    package var network: String?
    package var device: SessionDevice
    /// Whether it is a user's sign-in in a browser, for all applications of the tenant.
    package var isOfBrowser: Bool
    /// The browser by which an application was signed in; nil for another way, and for a browser itself.
    package var browser: UUID?
    /// Whether the request was made with this session.
    package var isCurrent: Bool

    init(_ family: RefreshFamily, application: String?, isCurrent: Bool) {
        id = family.id
        client = family.client
        self.application = application
        createdAt = family.createdAt
        lastUsedAt = family.lastUsedAt
        network = family.network
        device = family.device
        isOfBrowser = false
        browser = family.browserSession
        self.isCurrent = isCurrent
    }

    init(_ session: BrowserSession, isCurrent: Bool) {
        id = session.id
        client = Client.accountPageID
        createdAt = session.createdAt
        lastUsedAt = session.seenAt
        device = SessionDevice(model: "browser")
        isOfBrowser = true
        self.isCurrent = isCurrent
    }
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
                        family, application: application?.displayName, isCurrent: family.id == current))
            }
            for signIn in try await ports.browsers.browserSignIns(of: user, in: tenant) where signIn.isLive(now) {
                summaries.append(SessionSummary(signIn.session, isCurrent: signIn.session.id == current))
            }
            return summaries.sorted { $0.lastUsedAt > $1.lastUsedAt }
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

    /// Ends sessions: their refresh tokens and access tokens are refused from now on. The end of a browser's session is that
    /// of a sign-out there (`OIDC-23`).
    ///
    /// - Returns: Refused with ``DirectoryRefusal/notFound`` when the user has no such living session.
    package func end(
        _ sessions: EndedSessions, of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        var (isOfBrowser, browser) = (false, UUID?.none)
        if case .one(let id) = sessions {
            if try await isLive(browser: id, of: caller, now: now) {
                isOfBrowser = true
            } else {
                guard let family = try await refreshFamily(id, in: caller.tenant.id), family.user == caller.user,
                    family.revokedAt == nil, family.expiresAt > now
                else { return .refused(.notFound) }
                // An application that was signed in by a browser would be again, without a question, while the browser is.
                browser = family.browserSession
            }
        }
        let detail =
            switch sessions {
            case .one: "one"
            case .others: "others"
            case .all: "all"
            }
        let event = event(.sessionsEnded, of: caller, detail: detail, from: source, at: now)
        return try await change(caller) { [isOfBrowser, browser] account, _ in
            let id = account.user.id
            let effects: [Effect] =
                switch sessions {
                case .one(let session):
                    isOfBrowser
                        ? [.endBrowserSession(session, of: id, at: now)]
                        : [.revokeRefreshFamily(session, of: id, at: now)]
                            + (browser.map { [.endBrowserSession($0, of: id, at: now)] } ?? [])
                // Tokens without a session end, too.
                case .others:
                    [.changeCredentials(id, at: now), .revokeRefreshFamilies(id, except: caller.session, at: now)]
                        + caller.staying(after: account.credentialVersion, at: now)
                case .all: [.changeCredentials(id, at: now), .revokeRefreshFamilies(id, at: now)]
                }
            return (effects + [.record(event)], .accepted(()))
        }
    }

    private func isLive(
        browser id: UUID, of caller: DirectoryCaller, now: Date
    ) async throws(EngineError) -> Bool {
        do {
            guard let found = try await ports.browsers.browserSignIn(of: id, in: caller.tenant.id) else { return false }
            return found.account.user.id == caller.user && found.isLive(now)
        } catch {
            throw .store(error)
        }
    }
}

// The methods of the second factor.
extension Engine {
    /// Names a method; nil removes the name. Sign-ins show the name, so it needs the factors of the account, or the session that
    /// added the method a moment ago.
    ///
    /// - Parameter name: 1 to 64 characters without control characters; another one is refused.
    package func renameMethod(
        _ method: UUID, to name: String?, of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard name.map(StrongMethod.isName) ?? true else { return .refused(.invalidValue("displayName")) }
        let event = event(.methodRenamed, of: caller, from: source, at: now)
        return try await change(caller) { account, _ in
            let known = account.strongMethods.first { $0.id == method }
            // By the session that added it: another one with the same proofs signed in at another time.
            let isNew = known.map { method in
                method.firstUsedAt == nil && now.timeIntervalSince(method.provenAt) < DirectoryCaller.proofLifetime
                    && method.enrolment.authenticatedAt.map {
                        abs($0.timeIntervalSince(caller.proof.authenticatedAt)) < 1
                    } == true
            }
            if isNew != true, let refusal = caller.lackOfFactor { return ([], .refused(refusal)) }
            guard let known else { return ([], .refused(.notFound)) }
            guard known.name != name else { return ([], .accepted(())) }
            return ([.renameMethod(method, of: account.user.id, name), .record(event)], .accepted(()))
        }
    }

    /// Removes a method, and tells each mailbox of the user. Sessions that were begun elsewhere end.
    package func removeMethod(
        _ method: UUID, of caller: DirectoryCaller, language: MailLanguage?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let isRequiredHere = caller.client.requiresSecondFactor || caller.client.userFlow.requiresSecondFactor
        let rules = caller.tenant.levels
        let groups =
            rules.areAboutGroups ? Set(try await self.groups(of: caller.user, in: caller.tenant.id).map(\.id)) : []
        let demanded = rules.demand(of: caller.client.id, groups: groups, baseURL: settings.baseURL).level
        let event = event(.methodsForgotten, of: caller, detail: "1 by user", from: source, at: now)
        let removed = caller.account.strongMethods.filter { $0.id == method }
        var notices: [Effect] = []
        for email in caller.account.noticeChannels {
            notices.append(
                try notice(
                    .methodRemoved, to: email, in: caller.tenant, user: caller.user, language: language,
                    about: removed, from: source, at: now))
        }
        let mails = notices
        return try await change(caller) { account, _ in
            guard account.strongMethods.contains(where: { $0.id == method }) else {
                return ([], .refused(.notFound))
            }
            // A method that rests, or is no factor beside the first, is no way in. An identity is none of the factors that are
            // required, and never the last way in: each account gets codes by mail.
            guard
                removed.allSatisfy(\.isIdentity)
                    || caller.canGiveSecondFactor(of: account, without: method, for: max(demanded, .mailed))
                    || !(isRequiredHere || account.requiresSecondFactor || demanded > .oneFactor)
            else {
                return ([], .refused(.lastMethod))
            }
            let id = account.user.id
            return (
                [
                    .removeStrongMethods([method], of: id), .changeCredentials(id, at: now),
                    .revokeRefreshFamilies(id, except: caller.session, at: now), .record(event),
                ] + account.endingRecovery(without: [method])
                    + caller.staying(after: account.credentialVersion, at: now) + mails, .accepted(())
            )
        }
    }
}
