import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// One sign-in or sign-out in a browser.
struct WebExchange {
    let client: NativeAuthClient
    let authenticator: (any WebAuthenticator)?
    let correlationID: UUID

    init(_ client: NativeAuthClient, _ authenticator: (any WebAuthenticator)?, _ correlationID: UUID?) {
        self.client = client
        self.authenticator = authenticator ?? client.api.configuration.webAuthenticator
        self.correlationID = correlationID ?? client.makeCorrelationID()
    }

    private var configuration: NativeAuthConfiguration { client.api.configuration }

    /// Runs `body` unless another one is running.
    func alone<Value>(
        _ body: (WebExchange) async throws(WebSignInError) -> Value
    ) async throws(WebSignInError) -> Value {
        let isOpen = client.sessions.isBrowserOpen
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = true }
            return isOpen
        }
        guard !wasOpen else { throw .busy(details("Another page is open.")) }
        defer { isOpen.withLock { $0 = false } }
        return try await body(self)
    }

    func signIn(_ options: WebSignInOptions) async throws(WebSignInError) -> NativeAuthClient.WebResult {
        let refused = options.extraParameters.keys.filter { AuthorizationQuery.reserved.contains($0.lowercased()) }
        guard refused.isEmpty else {
            throw misconfigured("The parameters \(refused.sorted().joined(separator: ", ")) cannot be replaced.")
        }
        let callback = try callback()
        let document = try await document()
        let attempt = WebAttempt(random: configuration.randomBytes)
        let query = query(options, attempt)
        let request = WebAuthenticationRequest(
            page: try endpoint(document?.authorizationEndpoint, path: "oauth2/v2.0/authorize"), callback: callback,
            session: options.session, state: attempt.state
        ) { callback in
            var query = query
            query.redirectURI = callback.absoluteString
            return query.form
        }
        let (answer, redirectURI) = try read(try await show(request), of: request, attempt, document)
        let code = try code(of: answer)
        let requested = OIDCScopes.requesting(options.scopes)
        let reply = try await redeem(
            CodeRedemption(
                clientID: configuration.clientID, code: code, redirectURI: redirectURI.absoluteString,
                codeVerifier: attempt.verifier, scopes: requested, claims: options.claims))
        return try await keep(reply, requested: requested, issuer: document?.issuer, options, attempt)
    }

    private func query(_ options: WebSignInOptions, _ attempt: WebAttempt) -> AuthorizationQuery {
        var query = AuthorizationQuery(
            clientID: configuration.clientID, redirectURI: "",
            scopes: OIDCScopes.requesting(options.scopes + options.scopesToConsent), state: attempt.state,
            nonce: attempt.nonce, codeChallenge: attempt.challenge)
        query.prompt = options.prompt.word
        query.loginHint = (options.username ?? options.account?.username).map { Secret($0) }
        query.claims = options.claims
        query.maxAge = options.maxAge.map { max(0, Int($0.components.seconds)) }
        query.uiLocales = options.languages
        query.correlationID = correlationID
        query.extra = options.extraParameters
        return query
    }

    /// Checks that the answer belongs to this request and this server, before anything in it is used.
    private func read(
        _ url: URL, of request: WebAuthenticationRequest, _ attempt: WebAttempt, _ document: OpenIDConfiguration?
    ) throws(WebSignInError) -> (AuthorizationAnswer, redirectURI: URL) {
        // The port of a callback on this machine is known only now. A wrong one fails at the server, which compares the
        // redirect URI of the redemption with that of the page (RFC 6749 §4.1.3).
        let isFree = request.callback.isLoopback && request.callback.port == nil
        guard url.isAddress(of: request.callback, anyPort: isFree) else { throw rejected(.address) }
        let answer: AuthorizationAnswer
        do throws(FormError) {
            answer = try AuthorizationAnswer(url: url)
        } catch {
            throw rejected(.malformed)
        }
        guard answer.state.map(attempt.state.matches) ?? false else { throw rejected(.state) }
        let authority = client.api.effectiveAuthority
        let isIssuer =
            switch (answer.issuer, document) {
            case (let issuer?, let document?): issuer == document.issuer
            case (let issuer?, nil): authority.isOwnIssuer(issuer)
            case (nil, let document): document?.authorizationResponseIssParameterSupported != true
            }
        guard isIssuer else { throw rejected(.issuer) }
        guard isFree, let port = url.port else { return (answer, request.callback) }
        return (answer, request.moved(toPort: port).callback)
    }

    private func code(of answer: AuthorizationAnswer) throws(WebSignInError) -> Secret<String> {
        var details = ErrorDetails(
            correlationID: correlationID, errorCodes: answer.errorCodes, message: answer.errorDescription,
            errorURI: answer.errorURI, error: answer.error, suberror: answer.suberror)
        switch (answer.code, answer.error) {
        case (let code?, nil): return code
        case (_?, _?), (nil, nil): throw rejected(.malformed)
        case (nil, "access_denied"):
            details.reason = "The user cancelled."
            throw .cancelled(by: .user, details)
        case (nil, "interaction_required"), (nil, "login_required"), (nil, "account_selection_required"),
            (nil, "consent_required"):
            throw .interactionRequired(details)
        case (nil, "temporarily_unavailable"):
            throw .service(.throttled(retryAfter: nil, details))
        case (nil, _?):
            details.reason = "The server refused the request."
            throw .service(.unexpected(details))
        }
    }

    /// Redeems the code, once: a repeated redemption of a code ends the session that it began (RFC 6749 §4.1.2).
    private func redeem(_ redemption: CodeRedemption) async throws(WebSignInError) -> TokenReply {
        var correlationID = correlationID
        let answer: V1Answer<TokenReply>
        do throws(NativeAuthError) {
            answer = try await client.api.send(form: redemption.form, to: .token, correlationID: &correlationID)
        } catch {
            throw failure(error)
        }
        switch answer {
        case .success(let reply): return reply
        case .redirect: throw failure(.unexpectedReply(details(V1Client.unexpectedReply)))
        case .refusal(let refusal):
            let details = ErrorDetails(refusal, correlationID: correlationID, canRetry: false)
            if refusal.error.rawValue == "interaction_required" { throw .interactionRequired(details) }
            throw failure(NativeAuthError(refusal, details: details))
        }
    }

    /// Checks the ID token and the user, and stores the session.
    private func keep(
        _ reply: TokenReply, requested: [String], issuer: String?, _ options: WebSignInOptions, _ attempt: WebAttempt
    ) async throws(WebSignInError) -> NativeAuthClient.WebResult {
        let sessions = client.sessions
        let found: (session: Session, claims: [String: JSONValue])?
        do throws(NativeAuthError) {
            found = try await sessions.session(
                of: reply, requested: requested, username: options.username ?? "", correlationID: correlationID)
        } catch {
            throw failure(error)
        }
        guard let found else { throw rejected(.idToken) }
        let claims = found.claims
        var session = found.session
        let now = client.api.serverClock.now(at: configuration.moment)
        let fault = IDToken.fault(
            claims, clientID: configuration.clientID, issuer: issuer, nonce: attempt.nonce, maxAge: options.maxAge,
            now: now)
        if let fault { throw rejected(fault) }
        guard let token = session.tokens.last else {
            throw failure(.unexpectedReply(details(V1Client.unexpectedReply)))
        }
        guard options.allowsOtherUser || options.isUser(session, claims) else {
            // No copy of the tokens remains here; end them at the server too.
            _ = sessions.revocation(of: [session])
            throw .otherUser(Account(session, client: client), details("Another user signed in."))
        }
        let declined = token.missing(options.scopes)
        // Later refreshes must not ask for them again.
        session.requested.removeAll(where: declined.contains)
        session.tokens = session.tokens.map { token in
            var token = token
            token.requested = session.requested
            return token
        }
        guard !Task.isCancelled else { throw cancelled() }
        let account = Account(sessions.keep(session), client: client)
        guard declined.isEmpty else {
            throw .declinedScopes(
                declined, granted: token.scopes, account, details("Not every scope was granted."))
        }
        return .init(account: account, token: AccessToken(token, refreshToken: session.refreshToken))
    }

    // MARK: Sign-out

    func signOut(_ account: Account) async throws(WebSignInError) {
        let callback = try callback()
        let document = try await document()
        let attempt = WebAttempt(random: configuration.randomBytes)
        let clientID = configuration.clientID
        let hint = account.idToken.map { Secret($0) }
        let request = WebAuthenticationRequest(
            page: try endpoint(document?.endSessionEndpoint, path: "oauth2/v2.0/logout"), callback: callback,
            session: .shared, state: attempt.state
        ) { callback in
            EndSessionQuery(
                clientID: clientID, idTokenHint: hint, postLogoutRedirectURI: callback.absoluteString,
                state: attempt.state
            ).form
        }
        do throws(WebSignInError) {
            // The address has nothing that this needs.
            _ = try await show(request)
        } catch .cancelled(by: .user, _) {
            return
        }
    }

    // MARK: Parts

    /// The redirect URI.
    private func callback() throws(WebSignInError) -> URL {
        guard let url = configuration.redirectURI ?? SystemBrowser.redirectURI, let scheme = url.scheme?.lowercased()
        else { throw misconfigured("The redirect URI is no address.") }
        guard url.fragment == nil, url.user == nil, url.password == nil, scheme != "http" || url.isLoopback else {
            throw misconfigured(
                "A redirect URI has neither a fragment nor a user name, and is http only on this machine.")
        }
        return url
    }

    private func document() async throws(WebSignInError) -> OpenIDConfiguration? {
        do throws(NativeAuthError) {
            _ = try client.api.authority(correlationID)
            return try await client.sessions.documentIfAny(correlationID)
        } catch {
            throw failure(error)
        }
    }

    /// The address of a page: the one in the discovery document, at the origin of the authority or of its issuer
    /// (`SDK-AUTH-2`), otherwise the standard path.
    private func endpoint(_ named: String?, path: String) throws(WebSignInError) -> URL {
        let authority = client.api.effectiveAuthority
        guard let named else { return authority.endpoint(path) }
        guard let url = URL(string: named), authority.isOwnIssuer(named) || authority.mayName(named) else {
            throw failure(.unexpectedReply(details("A page of the discovery document has another origin.")))
        }
        return url
    }

    private func show(_ request: WebAuthenticationRequest) async throws(WebSignInError) -> URL {
        let authenticator = authenticator ?? SystemBrowser.authenticator
        do {
            return try await abandonable { try await authenticator.authenticate(request) }
        } catch {
            guard !Task.isCancelled, let error = error as? WebAuthenticationError else { throw cancelled() }
            switch error {
            case .cancelled: throw .cancelled(by: .user, details("The user closed the page."))
            case .timedOut: throw .cancelled(by: .user, details("The user did not finish in time."))
            case .couldNotShow(let reason): throw .couldNotShow(details(reason))
            }
        }
    }

    private func details(_ message: String) -> ErrorDetails {
        ErrorDetails(correlationID: correlationID, message: message)
    }

    private func rejected(_ fault: WebAnswerFault) -> WebSignInError {
        .answerRejected(fault, details(fault.sentence))
    }

    private func misconfigured(_ message: String) -> WebSignInError {
        .service(.invalidConfiguration(details(message)))
    }

    private func cancelled() -> WebSignInError {
        .cancelled(by: .program, details("The task was cancelled."))
    }

    private func failure(_ error: NativeAuthError) -> WebSignInError {
        if case .cancelled = error { return cancelled() }
        return .service(ServiceError(error))
    }
}

extension WebSignInOptions {
    /// Whether the user who signed in is the given one. An alias proves nothing: the ID token has the e-mail address.
    fileprivate func isUser(_ session: Session, _ claims: [String: JSONValue]) -> Bool {
        if let account { return account.homeAccountID == session.homeAccountID }
        guard let username, username.contains("@") else { return true }
        return [session.username, claims["email"]?.string].contains { $0?.lowercased() == username.lowercased() }
    }
}
