import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The sessions of a client's users, and their refreshes: one at a time for each account (`SDK-REF-1`).
actor Sessions {
    nonisolated let api: V1Client
    nonisolated let store: SessionStore
    nonisolated let deviceKeys: DeviceKeyStore
    /// The discovery document, after its first use.
    nonisolated let discovered = Locked<OpenIDConfiguration?>(nil)
    /// Whether a sign-in or sign-out in a browser is running (`SDK-WEB-2`).
    nonisolated let isBrowserOpen = Locked(false)
    private var flights: [String: Flight] = [:]
    private var waiters: [Int: CheckedContinuation<RefreshResult, Never>] = [:]
    private var nextWaiter = 0
    /// The uptime before which the server accepts no further request.
    private var pausedUntil = -Double.infinity

    private typealias RefreshResult = Result<AccessToken, NativeAuthError>

    /// A running refresh, and the callers that wait for it.
    private struct Flight {
        var scopes: [String]
        var claims: String?
        var waiters: [Int] = []
    }

    init(api: V1Client) {
        self.api = api
        store = SessionStore(api.configuration, authority: api.effectiveAuthority)
        deviceKeys = DeviceKeyStore(api.configuration, authority: api.effectiveAuthority)
    }

    /// Sends `continuation` every change from now on.
    nonisolated func listen(_ continuation: AsyncStream<SessionChange>.Continuation) {
        store.listeners.add(continuation) { [weak self, api] change in
            // A caller that changes the sessions keeps this object alive.
            guard let self else { return }
            continuation.yield(SessionChange(change, client: NativeAuthClient(api: api, sessions: self)))
        }
        // Read the cache once, so that changes by others from now on can be recognised.
        _ = store.sessions()
    }

    // MARK: Sign-in

    /// Stores a new session. Nil, and nothing is stored, when ``session(of:requested:username:correlationID:)`` is nil.
    ///
    /// - Throws: The error of the request for the discovery document, if it is needed to check the issuer.
    nonisolated func start(
        with reply: TokenReply, requested: [String], username: String, correlationID: UUID
    ) async throws(NativeAuthError) -> Session? {
        try await session(of: reply, requested: requested, username: username, correlationID: correlationID)
            .map { keep($0.session) }
    }

    /// The session of `reply`, not stored, and the claims of its ID token. Nil when the reply does not name the user, or
    /// its ID token is missing, cannot be decoded, or is not for this app and time (`SDK-AUTH-2`). Every request asks for
    /// an ID token: its scopes include `openid`.
    ///
    /// - Throws: The error of the request for the discovery document, if it is needed to check the issuer.
    nonisolated func session(
        of reply: TokenReply, requested: [String], username: String, correlationID: UUID
    ) async throws(NativeAuthError) -> (session: Session, claims: [String: JSONValue])? {
        let moment = api.configuration.moment
        let info = reply.clientInfo.flatMap(ClientInfo.init(encoded:))
        let claims = reply.idToken.flatMap { IDToken.claims($0.reveal()) }
        let issuer = try await namedIssuer(for: claims, correlationID)
        guard let claims, IDToken.isAcceptable(claims, expectation(subject: nil, namedIssuer: issuer, at: moment)),
            let objectID = info?.uid ?? claims["oid"]?.string ?? claims["sub"]?.string, !objectID.isEmpty,
            let tenantID = info?.utid ?? claims["tid"]?.string, !tenantID.isEmpty
        else { return nil }
        var session = Session(
            username: claims["preferred_username"]?.string ?? username, objectID: objectID, tenantID: tenantID,
            requested: requested)
        guard session.update(with: reply, requested: requested, at: moment) else { return nil }
        return (session, claims)
    }

    /// Stores a new session as the latest sign-in.
    nonisolated func keep(_ session: Session) -> Session {
        store.update { sessions in
            var session = session
            // Cannot overflow unless the stored number was made up.
            session.order = min(sessions.values.map(\.order).max() ?? 0, Int.max - 1) + 1
            sessions[session.homeAccountID] = session
            return session
        }
    }

    private nonisolated func expectation(
        subject: String?, namedIssuer: String?, at moment: Moment
    ) -> IDToken.Expectation {
        IDToken.Expectation(
            clientID: api.configuration.clientID, authority: api.effectiveAuthority, namedIssuer: namedIssuer,
            subject: subject, now: api.serverClock.now(at: moment))
    }

    // MARK: Access tokens

    func accessToken(
        homeAccountID: String, scopes: [String], claims: String?, forceRefresh: Bool, correlationID: UUID
    ) async throws(NativeAuthError) -> AccessToken {
        try refuseReserved(scopes, correlationID)
        let wanted = scopes.sorted()
        var forceRefresh = forceRefresh
        while true {
            guard let session = store.session(homeAccountID) else { throw Self.signInRequired(correlationID) }
            if !forceRefresh, claims == nil, let token = session.token(for: scopes, at: api.configuration.moment) {
                return AccessToken(token, refreshToken: session.refreshToken)
            }
            if let flight = flights[homeAccountID], flight.scopes != wanted || flight.claims != claims {
                // Another refresh would use the same refresh token: wait for the running one, whatever its result, and
                // look again.
                if case .failure(.cancelled(let details)) = await join(homeAccountID, correlationID) {
                    throw .cancelled(details)
                }
                continue
            }
            if flights[homeAccountID] == nil {
                // No caller would wait for it.
                guard !Task.isCancelled else { throw Self.cancelled(correlationID) }
                begin(session, scopes: wanted, claims: claims, correlationID: correlationID)
            }
            let outcome = await join(homeAccountID, correlationID)
            // The session ended, but the same user has signed in again meanwhile: use the new session; its token is new
            // enough.
            if outcome.tellsOfEnd, let next = store.session(homeAccountID), next.signIn != session.signIn {
                forceRefresh = false
                continue
            }
            return try outcome.get()
        }
    }

    /// The cached token, however short its validity; nil when there is no valid one.
    nonisolated func keptToken(
        homeAccountID: String, scopes: [String], correlationID: UUID
    ) throws(NativeAuthError) -> AccessToken? {
        try refuseReserved(scopes, correlationID)
        guard let session = store.session(homeAccountID) else { throw Self.signInRequired(correlationID) }
        return session.token(for: scopes, at: api.configuration.moment, margin: 0).map {
            AccessToken($0, refreshToken: session.refreshToken)
        }
    }

    private nonisolated func refuseReserved(_ scopes: [String], _ correlationID: UUID) throws(NativeAuthError) {
        let forbidden = OIDCScopes.reserved + [api.configuration.clientID.lowercased()]
        let refused = scopes.filter { forbidden.contains($0.lowercased()) }
        guard refused.isEmpty else {
            let message = "The scopes openid, profile, offline_access and the client ID are reserved."
            throw .invalidScope(refused, .init(correlationID: correlationID, message: message))
        }
    }

    /// Starts a refresh. It belongs to no caller: when a caller is cancelled, the answer must still be stored, because
    /// it may hold the only valid refresh token. Until then the old one stays (`SDK-CANCEL-1`).
    private func begin(_ session: Session, scopes: [String], claims: String?, correlationID: UUID) {
        flights[session.homeAccountID] = Flight(scopes: scopes, claims: claims)
        Task {
            let outcome = await store.renewing(session.homeAccountID) {
                await self.renewal(of: session, scopes: scopes, claims: claims, correlationID: correlationID)
            }
            let waiting = flights.removeValue(forKey: session.homeAccountID)?.waiters ?? []
            for waiter in waiting {
                waiters.removeValue(forKey: waiter)?.resume(returning: outcome)
            }
        }
    }

    /// Waits for the running refresh, or until the caller is cancelled.
    private func join(_ homeAccountID: String, _ correlationID: UUID) async -> RefreshResult {
        let waiter = nextWaiter
        nextWaiter += 1
        let cancelled = RefreshResult.failure(Self.cancelled(correlationID))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: cancelled)
                } else {
                    waiters[waiter] = continuation
                    flights[homeAccountID]?.waiters.append(waiter)
                }
            }
        } onCancel: {
            Task { await self.abandon(waiter, with: cancelled) }
        }
    }

    private func abandon(_ waiter: Int, with outcome: RefreshResult) {
        waiters.removeValue(forKey: waiter)?.resume(returning: outcome)
    }

    // MARK: Refresh

    private func renewal(
        of session: Session, scopes: [String], claims: String?, correlationID: UUID
    ) async -> RefreshResult {
        do throws(NativeAuthError) {
            return .success(try await renew(session, scopes: scopes, claims: claims, correlationID: correlationID))
        } catch {
            return .failure(error)
        }
    }

    private func renew(
        _ started: Session, scopes: [String], claims: String?, correlationID: UUID
    ) async throws(NativeAuthError) -> AccessToken {
        // While this client waited for its turn, others may have refreshed or ended the session (`SDK-STO-4`).
        guard var session = store.session(started.homeAccountID), session.signIn == started.signIn else {
            throw Self.signInRequired(correlationID)
        }
        if claims == nil, session.refreshToken != started.refreshToken,
            let fresh = session.token(for: scopes, at: api.configuration.moment), !started.tokens.contains(fresh)
        {
            return AccessToken(fresh, refreshToken: session.refreshToken)
        }
        // Before the request, so that no refresh token is spent on an answer that cannot be checked.
        _ = try await namedIssuer(for: session.idToken.flatMap(IDToken.claims), correlationID)
        // Each round except the last ends because another process was faster, which does not repeat endlessly.
        for _ in 0..<4 {
            guard let refreshToken = session.refreshToken else {
                throw session.hasEnded ? Self.ended(correlationID) : Self.signInRequired(correlationID)
            }
            let requested = scopes.isEmpty ? session.requested : OIDCScopes.requesting(scopes)
            var correlationID = correlationID
            switch try await ask(refreshToken, requested, claims, &correlationID) {
            case .success(let reply):
                return try await keep(
                    reply, for: session, wanted: scopes, requested: requested, correlationID: correlationID)
            case .redirect(let reason):
                var details = NativeAuthError.Details(correlationID: correlationID, message: reason)
                details.browser = BrowserFallback(
                    username: session.username, homeAccountID: session.homeAccountID, scopes: scopes, claims: claims)
                throw .browserRequired(details)
            case .refusal(let refusal):
                let error = Self.refreshError(refusal, requested, correlationID: correlationID)
                guard case .expired = error else { throw error }
                // Another process may have used the refresh token and stored its successor (`SDK-STO-4`).
                guard let newer = endSession(session) else { throw error }
                let fresh = newer.token(for: scopes, at: api.configuration.moment)
                if claims == nil, let fresh, !started.tokens.contains(fresh) {
                    return AccessToken(fresh, refreshToken: newer.refreshToken)
                }
                session = newer
            }
        }
        throw .general(
            .init(correlationID: correlationID, message: "Others renew the session all the time.", canRetry: true))
    }

    private func ask(
        _ refreshToken: String, _ scopes: [String], _ claims: String?, _ correlationID: inout UUID
    ) async throws(NativeAuthError) -> V1Answer<TokenReply> {
        let wait = pausedUntil - api.configuration.uptime()
        guard wait <= 0 else {
            let details = NativeAuthError.Details(
                correlationID: correlationID, message: "The server asked to wait.", canRetry: true)
            throw .throttled(retryAfter: Int(wait.rounded(.up)), details)
        }
        let request = V1.TokenRequest(
            clientID: api.configuration.clientID, grantType: .refreshToken, refreshToken: Secret(refreshToken),
            scopes: scopes, clientInfo: "1", claims: claims)
        do throws(NativeAuthError) {
            return try await api.sendRepeatably(request, to: .token, correlationID: &correlationID)
        } catch {
            if case .throttled(let seconds?, _) = error {
                pausedUntil = api.configuration.uptime() + Double(seconds)
            }
            throw error
        }
    }

    // MARK: The browser

    /// Asks for a ticket to the browser. The refresh token stays as it is.
    func ticket(
        homeAccountID: String, audience: String, codeChallenge: String?, correlationID: UUID
    ) async throws(NativeAuthError) -> Secret<String> {
        // A running refresh replaces the refresh token.
        while flights[homeAccountID] != nil {
            if case .failure(.cancelled(let details)) = await join(homeAccountID, correlationID) {
                throw .cancelled(details)
            }
        }
        guard let session = store.session(homeAccountID) else { throw Self.signInRequired(correlationID) }
        guard let refreshToken = session.refreshToken else {
            throw session.hasEnded ? Self.ended(correlationID) : Self.signInRequired(correlationID)
        }
        let request = V1.TokenRequest(
            clientID: api.configuration.clientID, grantType: .tokenExchange,
            exchange: TokenExchange(
                ticketFor: audience, refreshToken: Secret(refreshToken), codeChallenge: codeChallenge))
        var correlationID = correlationID
        let answer: V1Answer<TokenReply> = try await api.sendRepeatably(
            request, to: .token, correlationID: &correlationID)
        switch answer {
        case .success(let reply):
            guard reply.issuedTokenType == TokenExchange.ticketType, let ticket = reply.accessToken,
                !ticket.reveal().isEmpty
            else { break }
            return ticket
        case .redirect: break
        case .refusal(let refusal): throw Self.refreshError(refusal, [], correlationID: correlationID)
        }
        throw .unexpectedReply(.init(correlationID: correlationID, message: V1Client.unexpectedReply))
    }

    /// Removes the refresh token of `session`, which the server refused. When the stored session now has another
    /// refresh token, returns the stored session and removes nothing.
    private func endSession(_ session: Session) -> Session? {
        store.update { sessions in
            guard var kept = sessions[session.homeAccountID], kept.signIn == session.signIn else { return nil }
            if kept.refreshToken != session.refreshToken { return kept.refreshToken == nil ? nil : kept }
            kept.refreshToken = nil
            kept.hasEnded = true
            sessions[session.homeAccountID] = kept
            return nil
        }
    }

    /// Stores the result of a refresh, unless the user signed out or signed in again meanwhile.
    private func keep(
        _ reply: TokenReply, for session: Session, wanted: [String], requested: [String], correlationID: UUID
    ) async throws(NativeAuthError) -> AccessToken {
        let moment = api.configuration.moment
        let unexpected = NativeAuthError.unexpectedReply(
            .init(correlationID: correlationID, message: V1Client.unexpectedReply))
        // A refresh may come without an ID token; an ID token that cannot be decoded is an error.
        let claims = reply.idToken.map { IDToken.claims($0.reveal()) } ?? [:]
        let subject = session.idToken.flatMap(IDToken.claims)?["sub"]?.string
        let issuer = try await namedIssuer(for: claims, correlationID)
        guard let claims, reply.accessToken?.reveal().isEmpty == false,
            IDToken.isAcceptable(claims, expectation(subject: subject, namedIssuer: issuer, at: moment))
        else { throw unexpected }
        let outcome = store.update { sessions -> RefreshResult in
            guard var kept = sessions[session.homeAccountID], kept.signIn == session.signIn else {
                return .failure(Self.signInRequired(correlationID))
            }
            let newer = kept.refreshToken == session.refreshToken ? nil : kept.refreshToken
            guard kept.update(with: reply, requested: requested, at: moment), let token = kept.tokens.last else {
                return .failure(unexpected)
            }
            // Another process has refreshed meanwhile: its stored refresh token is the valid one.
            if let newer { kept.refreshToken = newer }
            // The user may have another address since.
            if let name = claims["preferred_username"]?.string { kept.username = name }
            sessions[session.homeAccountID] = kept
            // Without named scopes the rule of the sign-in applies: the app gets what the server grants.
            let declined = token.missing(wanted)
            guard declined.isEmpty else {
                let message = "Not every scope was granted."
                return .failure(.invalidScope(declined, .init(correlationID: correlationID, message: message)))
            }
            return .success(AccessToken(token, refreshToken: kept.refreshToken))
        }
        return try outcome.get()
    }

    /// `invalid_grant` ends the session, unless its number names a cause that a new sign-in does not solve
    /// (`SDK-REF-1`, docs/protocol.md §5.5, docs/sdk-surface.md §3.9).
    private static func refreshError(
        _ refusal: ErrorReply, _ requested: [String], correlationID: UUID
    ) -> NativeAuthError {
        let details = NativeAuthError.Details(refusal, correlationID: correlationID, canRetry: false)
        let codes = Set((refusal.errorCodes ?? []).compactMap(AADSTSCode.init(rawValue:)))
        if refusal.error == .invalidScope || !codes.isDisjoint(with: [.scopeNotConsented, .scopeInvalid]) {
            return .invalidScope(OIDCScopes.missing(requested, in: []), details)
        }
        let secondFactor: Set<AADSTSCode> = [
            .multiFactorRequired, .multiFactorEnrolmentRequired, .strongAuthenticationRequired,
            .strongAuthenticationEnrolmentRequired,
        ]
        if !codes.isDisjoint(with: secondFactor) { return .mfaRequired(details) }
        let isAboutUser = !codes.isDisjoint(with: [.passwordChangeRequired, .accountLocked])
        if refusal.error == .invalidGrant, refusal.suberror == nil, !isAboutUser { return .expired(details) }
        if refusal.error == .expiredRefreshToken { return .expired(details) }
        return .init(refusal, details: details)
    }

    private static func signInRequired(_ correlationID: UUID) -> NativeAuthError {
        .signInRequired(.init(correlationID: correlationID, message: "No user is signed in, or the session has ended."))
    }

    private static func cancelled(_ correlationID: UUID) -> NativeAuthError {
        .cancelled(.init(correlationID: correlationID, canRetry: true))
    }

    /// The error for a session that the server has ended, as long as the account is listed.
    private static func ended(_ correlationID: UUID) -> NativeAuthError {
        .expired(.init(correlationID: correlationID, message: "The server has ended the session."))
    }
}

extension NativeAuthError {
    fileprivate static func invalidScope(_ scopes: [String], _ details: Details) -> NativeAuthError {
        var details = details
        details.scopes = scopes
        return .invalidScope(details)
    }
}

extension Result where Failure == NativeAuthError {
    /// Whether the error means that the session has ended.
    fileprivate var tellsOfEnd: Bool {
        switch self {
        case .failure(.signInRequired), .failure(.expired): true
        case .failure, .success: false
        }
    }
}
