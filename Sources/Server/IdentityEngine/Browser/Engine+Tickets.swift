package import NativeAuthCore
package import PortableFoundation

/// An app's request for a ticket: it takes a user who is signed in there to a page, signed in (RFC 8693).
package struct TicketRequest: Hashable, Sendable {
    /// The refresh token of the app. It stays valid.
    package var refreshToken: Secret<String>
    /// The application that the page is for, or the account page.
    package var target: ClientID
    /// The S256 challenge of the authorization request to come, 43 characters; nil for the account page alone.
    package var challenge: String?
    /// Whether a script of a page sent the request, by its `Origin`.
    package var isByPage = false

    package init(refreshToken: Secret<String>, target: ClientID, challenge: String?) {
        self.refreshToken = refreshToken
        self.target = target
        self.challenge = challenge
    }
}

/// A ticket, for one use in a browser.
package struct SessionTicket: Hashable, Sendable {
    /// 43 characters.
    package var text: Secret<String>
    /// Seconds.
    package var lifetime: Int

    package init(text: Secret<String>, lifetime: Int) {
        self.text = text
        self.lifetime = lifetime
    }
}

// The encoded form holds the ticket in the clear: only for `Vault.seal`.
extension SessionTicket: Codable {
    private enum Key: String, CodingKey {
        case text, lifetime
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        text = Secret(try values.decode(String.self, forKey: .text))
        lifetime = try values.decode(Int.self, forKey: .lifetime)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(text.reveal(), forKey: .text)
        try values.encode(lifetime, forKey: .lifetime)
    }
}

/// The bounds of a browser's session that an app has opened with a ticket (design record 0038). A sign-in in that browser ends
/// them.
package struct Handover: Hashable, Sendable, Codable {
    /// The session of the app: with it, this one ends.
    var family: UUID
    /// The applications that the tickets were for, and the account page; for any other the user signs in.
    var targets: [ClientID]
}

/// What a ticket in a browser's request leads to.
package enum TicketVerdict: Hashable, Sendable {
    /// It is none, or not for this request: the page goes on as it would without.
    case unusable
    /// The browser is signed in as the same user: its session stays as it is.
    case alreadySignedIn
    /// The browser has a new session.
    case opened(cookie: Secret<String>, BrowserSignIn)
    /// The user must say first that this browser is to be signed in.
    case asks(TicketQuestion)
}

/// A ticket that waits for the user's click; the browser holds it, sealed.
package struct TicketQuestion: Hashable, Sendable, Codable {
    var ticket: String
    /// The name of the app.
    package var app: String
    /// The address of the app's user.
    package var email: String
}

/// What a ticket stands for. The database holds it under a key that only the ticket gives.
private struct TicketGrant: Codable {
    var family: UUID
    var app: ClientID
    var challenge: String?
    /// The network of the app, as text.
    var network: String?
}

// Tickets: from a native session to one in the browser (design record 0038).
extension Engine {
    /// Seconds.
    package static let ticketLifetime = 60
    /// The seconds for the click of a user who is asked.
    static let ticketQuestionLifetime = 600
    /// The tickets for one application that wait at one time.
    package static let mostTickets = 20_000

    /// Gives a ticket for the session of a refresh token, which stays as it is.
    func exchange(_ request: TicketRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        let client = context.client
        let isAllowed =
            client.faultOfTickets == nil && !request.isByPage && client.web.opensInBrowser.contains(request.target)
        guard isAllowed, try await hasPages(request.target, in: context.tenant) else {
            return context.outcome(.refused(.ticketNotAllowed))
        }
        let found: (family: RefreshFamily, account: UserAccount)
        switch try await present(request.refreshToken, in: context) {
        case .success(let live): found = live
        case .failure(let refused): return context.outcome(.refused(refused.refusal))
        }
        let grant = TicketGrant(
            family: found.family.id, app: client.id, challenge: request.challenge,
            network: context.caller.source?.networkText)
        let ticket = try await keep(
            grant, for: request.target, in: context.tenant.id, lifetime: Self.ticketLifetime, now: context.now)
        guard let ticket else { return context.outcome(.refused(.throttled(retryAfter: Self.ticketLifetime))) }
        let event = event(.tokenIssued, user: found.account.user.id, detail: "browser ticket", of: nil, in: context)
        do {
            try await ports.flows.record(event)
        } catch {
            throw .store(error)
        }
        return context.outcome(.accepted(.ticket(SessionTicket(text: ticket, lifetime: Self.ticketLifetime))))
    }

    /// Whether a browser can open the target of a ticket.
    private func hasPages(_ target: ClientID, in tenant: Tenant) async throws(EngineError) -> Bool {
        if target == Client.accountPageID { return try await accountPage(of: tenant) != nil }
        return try await application(named: target, in: tenant)?.isOpen(for: .browser) == true
    }

    /// Takes the ticket of a browser's request, once.
    ///
    /// - Parameters:
    ///   - target: The application that the browser asks for, or the account page.
    ///   - challenge: The challenge of the authorization request; nil at the account page.
    ///   - signIn: The session of the browser.
    ///   - isDirect: Whether the browser says that no page led here. That is enough at the account page, which names the user
    ///     and leads nowhere else: a browser says it after a redirect of another site, too, and a user of another account
    ///     could be signed in by a short link.
    package func takeTicket(
        _ ticket: Secret<String>, for target: ClientID, challenge: String?, in tenant: Tenant,
        as signIn: BrowserSignIn?,
        isDirect: Bool, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> TicketVerdict {
        try await take(
            ticket, for: target, challenge: challenge, in: tenant, as: signIn,
            asks: !isDirect || signIn != nil || target != Client.accountPageID,
            from: source, now: now)
    }

    /// Takes a ticket after the user's click.
    package func confirm(
        _ question: TicketQuestion, for target: ClientID, challenge: String?, in tenant: Tenant,
        as signIn: BrowserSignIn?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> TicketVerdict {
        try await take(
            Secret(question.ticket), for: target, challenge: challenge, in: tenant, as: signIn, asks: false,
            from: source, now: now)
    }

    private func take(
        _ ticket: Secret<String>, for target: ClientID, challenge: String?, in tenant: Tenant,
        as signIn: BrowserSignIn?,
        asks: Bool, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> TicketVerdict {
        guard let grant = try await taken(ticket, for: target, in: tenant.id, now: now),
            grant.network == source?.networkText, grant.challenge == challenge,
            let app = try await application(named: grant.app, in: tenant), app.isOpen(for: .token),
            app.faultOfTickets == nil, app.web.opensInBrowser.contains(target),
            let (family, account) = try await session(of: grant.family, in: tenant.id),
            family.client == app.id, try await liveFamily(family.id, in: tenant.id, now: now) != nil,
            account.disabledAt == nil,
            var proofs = Authentication(of: family, account)
        else { return .unusable }
        if pagesTakePasskeys(of: tenant) { proofs.capabilities.append(.passkey) }
        if tenant.offersApps { proofs.capabilities.append(.authenticatorApp) }
        let isSame = signIn?.account.user.id == account.user.id
        let present = isSame ? signIn?.session : nil
        if let present, try await admits(present, to: target, now: now) { return .alreadySignedIn }
        if asks, !isSame || target != Client.accountPageID {
            // This one is used up; the browser gets another, which no address has.
            let next = try await keep(
                grant, for: target, in: tenant.id, lifetime: Self.ticketQuestionLifetime, now: now)
            guard let next else { return .unusable }
            return .asks(
                TicketQuestion(ticket: next.reveal(), app: app.displayName, email: account.user.email))
        }
        let cookie = Secret(Base64URL.encode(ports.randomness.bytes(32)))
        // Another ticket of the same app adds its target; the session gets no older life by it.
        let earlier = present?.authentication.handover.flatMap { $0.family == family.id ? $0.targets : nil } ?? []
        proofs.handover = Handover(family: family.id, targets: earlier.filter { $0 != target } + [target])
        let session = BrowserSession(
            id: present?.id ?? ports.randomness.uuid(), tenant: tenant.id, digest: Self.digest(ofCookie: cookie),
            authentication: proofs, createdAt: present?.createdAt ?? now, seenAt: now, isKept: false)
        let event = AuditEvent(
            .browserSignedIn, at: now, tenant: tenant.id, client: app.id, user: account.user.id,
            detail: "browser ticket", source: source.map { auditSource($0, tenant.id) })
        do {
            try await ports.browsers.openBrowserSession(session, replacing: signIn?.session.id, recording: event)
        } catch {
            throw .store(error)
        }
        return .opened(cookie: cookie, BrowserSignIn(session: session, account: account))
    }

    /// Whether a session counts for an application or the account page. That of a ticket is for its targets, as long as the
    /// session of its app lives.
    func admits(
        _ session: BrowserSession, to target: ClientID, now: Date
    ) async throws(EngineError) -> Bool {
        guard let handover = session.authentication.handover else { return true }
        guard handover.targets.contains(target) else { return false }
        return try await liveFamily(handover.family, in: session.tenant, now: now) != nil
    }

    /// The session, if it counts for an application or the account page.
    package func admitted(
        _ signIn: BrowserSignIn?, to target: ClientID, now: Date
    ) async throws(EngineError) -> BrowserSignIn? {
        guard let signIn, try await admits(signIn.session, to: target, now: now) else { return nil }
        return signIn
    }

    /// Stores what a new ticket stands for.
    ///
    /// - Returns: Nil when too many for the application wait.
    private func keep(
        _ grant: TicketGrant, for target: ClientID, in tenant: TenantID, lifetime: Int, now: Date
    ) async throws(EngineError) -> Secret<String>? {
        let ticket = Secret(Base64URL.encode(ports.randomness.bytes(32)))
        let content: Data
        do {
            content = try vault.seal(
                StateCoding.encode(grant), underSecret: Data(ticket.reveal().utf8),
                context: Self.ticketContext(target, tenant))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("a ticket could not be sealed")
        }
        let row = PushedRequest(
            tenant: tenant, digest: Self.digest(ofTicket: ticket), client: target, content: content,
            until: now.addingTimeInterval(Double(lifetime)))
        do {
            return try await ports.browsers.push(row, most: Self.mostTickets, now: now) ? ticket : nil
        } catch {
            throw .store(error)
        }
    }

    private func taken(
        _ ticket: Secret<String>, for target: ClientID, in tenant: TenantID, now: Date
    ) async throws(EngineError) -> TicketGrant? {
        guard ticket.reveal().utf8.count == 43 else { return nil }
        let row: PushedRequest?
        do {
            row = try await ports.browsers.takePushedRequest(Self.digest(ofTicket: ticket), of: target, in: tenant)
        } catch {
            throw .store(error)
        }
        guard let row, now < row.until else { return nil }
        do {
            return StateCoding.decode(
                try vault.open(
                    row.content, underSecret: Data(ticket.reveal().utf8),
                    context: Self.ticketContext(target, tenant)))
        } catch {
            return nil
        }
    }

    private func session(
        of family: UUID, in tenant: TenantID
    ) async throws(EngineError) -> (RefreshFamily, UserAccount)? {
        do {
            return try await ports.refresh.refreshSession(family, in: tenant)
        } catch {
            throw .store(error)
        }
    }

    private static func ticketContext(_ target: ClientID, _ tenant: TenantID) -> [Data] {
        [Data("ticket".utf8), Data(tenant.description.utf8), Data(target.description.utf8)]
    }

    private static func digest(ofTicket ticket: Secret<String>) -> Data {
        Vault.fingerprint([Data("browser ticket".utf8), Data(ticket.reveal().utf8)])
    }
}

extension Client {
    /// Why the application cannot have tickets, as the end of a sentence; nil when it can, or has none.
    package var faultOfTickets: String? {
        guard !web.opensInBrowser.isEmpty else { return nil }
        // The network of a server says nothing about the browser; a page has its browser, and keeps refresh tokens where
        // scripts read.
        if isConfidential { return "is for apps; one with a secret or a key runs on a server" }
        if !redirects[.spa].isEmpty { return "is for apps; one with an address in spa is a page" }
        if web.isThirdParty { return "is for applications of the own organisation" }
        return nil
    }
}

extension Authentication {
    /// The proofs of a native session, as far as its methods tell them: never more than were given, and sometimes less.
    ///
    /// - Returns: Nil when nothing remains, because the account has another mailbox since.
    init?(of family: RefreshFamily, _ account: UserAccount) {
        guard let email = EmailAddress(stored: account.user.email) else { return nil }
        let knowsPassword = family.methods.contains("pwd") && account.passwordHash != nil
        let isReplaced =
            account.emailProvenAt.map { $0 > account.user.createdAt && family.authenticatedAt < $0 } ?? false
        // Which mailbox it was is not known. The own one is the weakest: it counts once with a password that it reset, and not at
        // all where another is required. Who would gain by it: a method that rests, and the first method of an account, which a
        // code of the own mailbox allows (SEC-ENR-2). That one must be of this day.
        let enrolled = account.secondFactors
        let isHarmless =
            account.passwordHash == nil || !enrolled.isEmpty && enrolled.allSatisfy { $0.suspendedAt == nil }
        let gaveCode = family.methods.contains("otp") && isHarmless && !isReplaced
        guard knowsPassword || gaveCode else { return nil }
        self.init(
            account: .account(account.user.id, credentialVersion: account.credentialVersion), email: email,
            origin: .signIn, knowsPassword: knowsPassword, passwordIsFromReset: account.passwordIsFromReset,
            mailboxes: gaveCode ? [email] : [], authenticatedAt: family.authenticatedAt,
            capabilities: [.mfaRequired, .registrationRequired])
        // The password may count for more than it did when the app's user signed in.
        if methods.contains("mfa"), !family.methods.contains("mfa") { mailboxes = [] }
    }
}
