package import NativeAuthCore
package import PortableFoundation

/// What a finished flow gives in a browser, in place of tokens: a session and an authorization code (design record
/// 0033).
package struct BrowserFinish: Hashable, Sendable {
    package var request: AuthorizationRequest
    /// Whether the user chose to stay signed in.
    package var keepsSession: Bool
    /// The browser's session until now.
    package var present: BrowserSession?

    package init(request: AuthorizationRequest, keepsSession: Bool, present: BrowserSession?) {
        self.request = request
        self.keepsSession = keepsSession
        self.present = present
    }

    var digestContent: [Data] {
        [
            Data("browser".utf8), Data(request.redirect.utf8), Data((request.state ?? "").utf8),
            Data((request.nonce ?? "").utf8), Data((request.challenge ?? "").utf8),
        ]
    }
}

/// What the browser and the client get when a flow has ended.
package struct BrowserTicket: Hashable, Sendable {
    /// The value of the session's cookie: 43 characters; nil when the browser keeps the one that it has.
    package var cookie: Secret<String>?
    /// Seconds; nil: the cookie ends with the browser.
    package var cookieLifetime: Int?
    /// Nil for the account page, which is no client.
    package var code: Secret<String>?
    /// Whether the flow began with the session of the browser, and not with a name.
    package var isStepUp: Bool
    /// The cookie of the browser that is remembered from now on; nil: it is not.
    package var device: DeviceCookie?

    package init(
        cookie: Secret<String>?, cookieLifetime: Int? = nil, code: Secret<String>?, isStepUp: Bool = false
    ) {
        self.cookie = cookie
        self.cookieLifetime = cookieLifetime
        self.code = code
        self.isStepUp = isStepUp
    }
}

// The encoded form holds secrets in the clear: only for `Vault.seal`.
extension BrowserTicket: Codable {
    private enum Key: String, CodingKey {
        case cookie, cookieLifetime, code, isStepUp, device
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        cookie = try values.decodeIfPresent(String.self, forKey: .cookie).map { Secret($0) }
        cookieLifetime = try values.decodeIfPresent(Int.self, forKey: .cookieLifetime)
        code = try values.decodeIfPresent(String.self, forKey: .code).map { Secret($0) }
        isStepUp = try values.decode(Bool.self, forKey: .isStepUp)
        device = try values.decodeIfPresent(DeviceCookie.self, forKey: .device)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(cookie?.reveal(), forKey: .cookie)
        try values.encodeIfPresent(cookieLifetime, forKey: .cookieLifetime)
        try values.encodeIfPresent(code?.reveal(), forKey: .code)
        try values.encode(isStepUp, forKey: .isStepUp)
        try values.encodeIfPresent(device, forKey: .device)
    }
}

/// What a browser is known by where the user's second factor is left out.
package struct DeviceCookie: Hashable, Sendable {
    /// 43 characters.
    package var value: Secret<String>
    package var user: UserID
    /// Seconds.
    package var lifetime: Int
}

// The encoded form holds a secret in the clear: only for `Vault.seal`.
extension DeviceCookie: Codable {
    private enum Key: String, CodingKey {
        case value, user, lifetime
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        value = Secret(try values.decode(String.self, forKey: .value))
        user = try values.decode(UserID.self, forKey: .user)
        lifetime = try values.decode(Int.self, forKey: .lifetime)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(value.reveal(), forKey: .value)
        try values.encode(user, forKey: .user)
        try values.encode(lifetime, forKey: .lifetime)
    }
}

/// A session and a code, made before the transaction that writes them.
package struct PreparedBrowser: Hashable, Sendable {
    package var session: BrowserSession
    package var ticket: BrowserTicket
    /// The session that the browser had.
    package var replaced: UUID?

    package init(session: BrowserSession, ticket: BrowserTicket, replaced: UUID?) {
        self.session = session
        self.ticket = ticket
        self.replaced = replaced
    }
}

// A browser's sign-in: its session, and what an authorization request gets.
extension Engine {
    /// The live session of a cookie; nil when no user is signed in.
    package func browserSignIn(
        _ cookie: Secret<String>, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> BrowserSignIn? {
        let found: BrowserSignIn?
        do {
            found = try await ports.browsers.browserSignIn(Self.digest(ofCookie: cookie), in: tenant.id)
        } catch {
            throw .store(error)
        }
        guard let found, found.isLive(now) else { return nil }
        return found
    }

    /// Judges an authorization request, and issues the code when nothing is in its way.
    ///
    /// - Parameters:
    ///   - signIn: The browser's session.
    ///   - isConfirmed: Whether the user has just chosen to go on with it.
    package func authorize(
        _ request: AuthorizationRequest, as signIn: BrowserSignIn?, isConfirmed: Bool = false, in caller: CallerContext
    ) async throws(EngineError) -> (verdict: AuthorizationVerdict, code: Secret<String>?) {
        guard case .found(let tenant, let client) = try await resolve(caller) else { return (.signIn, nil) }
        let context = context(of: caller, tenant, client)
        let signIn = try await admitted(signIn, to: client.id, now: context.now)
        // Few requests name the user.
        let subject = (request.subject == nil ? nil : signIn).map {
            vault.pairwiseSubject(of: $0.account.user.id, for: client.id, in: tenant.id)
        }
        let lacksConsent = try await lacksConsent(request, as: signIn, to: client, in: tenant)
        var demand = try await factorDemand(
            request.contexts, scopes: request.scopes, of: signIn?.account.user.id, in: context)
        demand.wishedAge = request.maxAge
        var judged = signIn
        // Changes of the account ask for proofs of the account.
        if caller.front == .account, let proven = signIn?.session.authentication.withoutStatement {
            judged?.session.authentication = proven
        }
        let verdict = request.judged(
            judged, subject: subject, demand, allowsSignUp: context.userFlow.allowsSignUp,
            asksForConsent: lacksConsent, isConfirmed: isConfirmed, now: context.now)
        guard case .code(let contexts) = verdict, let signIn else { return (verdict, nil) }
        // A page that renews its tokens all night keeps no session alive (OIDC-14).
        if !request.prompts.contains(.none) { try await noteUse(of: signIn.session, now: context.now) }
        if caller.front == .account { return (verdict, nil) }
        if isConfirmed { try await noteConsent(to: request, of: signIn.account.user.id, in: context) }
        let code = try code(
            for: request, signIn.session, version: signIn.account.credentialVersion, contexts: contexts, demand,
            in: context)
        return (verdict, code)
    }

    /// Begins the flow that gives a signed-in user the factor that is missing.
    package func beginStepUp(
        _ signIn: BrowserSignIn, in caller: CallerContext
    ) async throws(EngineError) -> Outcome {
        guard case .found(let tenant, let client) = try await resolve(caller) else {
            return Outcome(.refused(.unknownClient), trace: caller.trace)
        }
        let context = context(of: caller, tenant, client)
        let whole = signIn.session.authentication
        var proven = caller.front == .account ? whole.withoutStatement : whole
        // The version changes also with what keeps sessions, such as a new address.
        proven.account = .account(signIn.account.user.id, credentialVersion: signIn.account.credentialVersion)
        proven.browserSession = signIn.session.id
        guard let begun = try begin(.signIn(.authenticated(proven)), in: context) else {
            throw .broken("the proofs of a session do not fit a token")
        }
        return begun
    }

    /// What an ID token that comes back as a hint says; nil for a token that this tenant did not sign.
    package func hint(
        _ idToken: Secret<String>, in tenant: Tenant
    ) async throws(EngineError) -> IDTokenHint? {
        do {
            return try await ports.issuer.verifyHint(idToken, for: tenant.id, issuer: settings.baseURL)
        } catch {
            switch error {
            case .unavailable(let cause): throw .tokens(.unavailable(cause))
            case .malformed, .unknownKey, .wrongSignature, .wrongType, .wrongIssuer, .expired, .notYetValid: return nil
            }
        }
    }

    /// Whether a hint is about the user, and the session, of a browser.
    package func isHint(_ hint: IDTokenHint, about signIn: BrowserSignIn) -> Bool {
        guard let id = hint.sessionID else { return false }
        let tenant = signIn.session.tenant
        return hint.subject == vault.pairwiseSubject(of: signIn.account.user.id, for: hint.client, in: tenant)
            && id == logoutID(of: signIn.session.id, for: hint.client, in: tenant)
    }

    /// Ends a session: the user signs out in the browser.
    ///
    /// - Returns: The applications that got tokens from it.
    package func endBrowserSession(
        _ session: BrowserSession, for client: ClientID?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> [ClientID] {
        let event = AuditEvent(
            .browserSignedOut, at: now, tenant: session.tenant, client: client,
            user: session.authentication.account.user, source: source.map { auditSource($0, session.tenant) })
        do {
            return try await ports.browsers.endBrowserSession(
                session.id, in: session.tenant, at: now, recording: event)
        } catch {
            throw .store(error)
        }
    }

    /// Tells an application that a session has ended; signed anew at each attempt (`OIDC-24`).
    package func logoutToken(_ logout: SessionLogout, now: Date) async throws(TokenIssuerError) -> Secret<String> {
        try await ports.issuer.sign(
            LogoutTokenSubject(
                tenant: logout.tenant, client: logout.client, user: logout.user,
                logoutID: logoutID(of: logout.browserSession, for: logout.client, in: logout.tenant), issuedAt: now,
                tokenID: ports.randomness.uuid(), issuer: settings.baseURL))
    }

    func noteUse(of session: BrowserSession, now: Date) async throws(EngineError) {
        guard now.timeIntervalSince(session.seenAt) >= BrowserSession.useInterval else { return }
        do {
            try await ports.browsers.noteUse(ofBrowserSession: session.id, in: session.tenant, at: now)
        } catch {
            throw .store(error)
        }
    }

    /// Makes the session and the code of a finished flow; the step writes the session.
    ///
    /// - Returns: Nil when the flow must not end here: it began with a session that the browser does not have any more, or the
    ///   request is about another user.
    func prepare(
        _ finish: BrowserFinish, _ proven: Authentication, _ account: UserAccount, contexts: [String],
        _ demand: FactorDemand, in context: RequestContext
    ) throws(EngineError) -> PreparedBrowser? {
        let isHinted = finish.request.subject.map {
            $0 == vault.pairwiseSubject(of: account.user.id, for: context.client.id, in: context.tenant.id)
        }
        guard isHinted != false, proven.browserSession == nil || proven.browserSession == finish.present?.id else {
            return nil
        }
        let cookie = Secret(Base64URL.encode(ports.randomness.bytes(32)))
        let present = finish.present
        // The session of the same user goes on under a new cookie: its applications keep their `sid`.
        let isSame = present?.authentication.account.user == account.user.id
        let isSameProof =
            isSame && present?.authentication.handover == nil
            && present?.authentication.authenticatedAt == proven.authenticatedAt
        let isStepUp = proven.browserSession != nil
        var proven = proven
        proven.browserSession = nil
        let session = BrowserSession(
            id: isSame ? present?.id ?? ports.randomness.uuid() : ports.randomness.uuid(), tenant: context.tenant.id,
            digest: Self.digest(ofCookie: cookie), authentication: proven,
            createdAt: isSameProof ? present?.createdAt ?? context.now : context.now, seenAt: context.now,
            isKept: finish.keepsSession || isSameProof && present?.isKept == true)
        let code =
            context.caller.front == .account
            ? nil
            : try code(
                for: finish.request, session, version: account.credentialVersion, contexts: contexts, demand,
                in: context)
        return PreparedBrowser(
            session: session,
            ticket: BrowserTicket(
                cookie: cookie, cookieLifetime: session.cookieLifetime, code: code,
                isStepUp: isStepUp),
            replaced: present?.id)
    }

    static func digest(ofCookie cookie: Secret<String>) -> Data {
        Vault.fingerprint([Data("browser session".utf8), Data(cookie.reveal().utf8)])
    }
}

extension BrowserSignIn {
    /// Whether the session is valid: neither ended by time, nor by a change of the credentials, nor by a disabled account.
    func isLive(_ now: Date) -> Bool {
        guard now < session.endsAt, account.disabledAt == nil else { return false }
        switch session.authentication.account {
        case .account(let user, let version): return user == account.user.id && version >= account.tokensFromVersion
        case .decoy: return false
        }
    }
}

// The state of hosted pages, which the browser holds.
extension Engine {
    /// Seals a page's state for one use: the place is the handle of its flow, with a word for what it is.
    package func seal(_ state: some Encodable, at place: [String], in tenant: TenantID) throws(EngineError) -> String {
        do {
            return Base64URL.encode(
                try vault.seal(
                    StateCoding.encode(state), for: .browserFlow, tenant: tenant, context: place.map { Data($0.utf8) }))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("the state of a page could not be sealed")
        }
    }

    /// - Returns: Nil for a text that no server of this database sealed for this place.
    package func open<State: Decodable>(
        _ sealed: String, at place: [String], in tenant: TenantID, as type: State.Type, now: Date
    ) async -> State? {
        guard let bytes = Base64URL.decode(sealed) else { return nil }
        await vault.loadKey(of: bytes, now: now)
        do {
            return StateCoding.decode(
                try vault.open(bytes, for: .browserFlow, tenant: tenant, context: place.map { Data($0.utf8) }))
        } catch {
            return nil
        }
    }

    /// What a form of a page carries, so that no other site can send it (`SEC-WEB-4`).
    package func formToken(_ parts: [String], in tenant: TenantID) -> String {
        Base64URL.encode(vault.keyedMAC(.browserFlow, tenant: tenant, parts.map { Data($0.utf8) }))
    }

    package func isFormToken(_ token: String, _ parts: [String], in tenant: TenantID) -> Bool {
        Base64URL.decode(token).map {
            vault.verifyMAC($0, of: .browserFlow, tenant: tenant, parts.map { Data($0.utf8) })
        } ?? false
    }
}
