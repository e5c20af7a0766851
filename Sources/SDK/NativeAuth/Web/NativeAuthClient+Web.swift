package import PortableFoundation

extension NativeAuthClient {
    /// Signs a user in, or up, on the server's own pages in a browser: the authorization code flow with PKCE (RFC 6749
    /// §4.1, RFC 7636, RFC 8252). The account is the same as after a native sign-in.
    ///
    /// One sign-in or sign-out in a browser runs at a time. When the task is cancelled, the page is closed and nothing
    /// is stored.
    ///
    /// - Parameter options: What to ask for.
    /// - Returns: The account.
    /// - Throws: ``WebSignInError``.
    public func signInWithBrowser(_ options: WebSignInOptions = WebSignInOptions()) async throws(WebSignInError)
        -> Account
    {
        try await webSignIn(options).account
    }

    /// Continues a flow in a browser after an error that requires one, such as ``SignInError/browserRequired(_:)``: with
    /// the user name, the scopes and the claims of the flow. The flow starts from its beginning there.
    ///
    /// ```swift
    /// } catch .browserRequired(let details) {
    ///     account = try await client.signInWithBrowser(continuing: details)
    /// }
    /// ```
    ///
    /// The page suggests the user name of the flow. After a sign-up it may be changed there; otherwise another user is
    /// refused with ``WebSignInError/otherUser(_:_:)``.
    ///
    /// - Parameters:
    ///   - details: The details of the error. Those of any other error begin a sign-in without a user name.
    ///   - session: Whether the browser shares its cookies with the user's other pages.
    /// - Returns: The account.
    /// - Throws: ``WebSignInError``.
    public func signInWithBrowser(
        continuing details: ErrorDetails, session: WebSession = .ephemeral
    ) async throws(WebSignInError) -> Account {
        var options = WebSignInOptions()
        options.session = session
        options.correlationID = details.correlationID
        if let flow = details.browser {
            options.prompt = flow.prompt
            options.username = flow.username
            options.account = flow.homeAccountID.flatMap(account(homeAccountID:))
            options.allowsOtherUser = flow.prompt == .signUp
            options.scopes = flow.scopes
            options.claims = flow.claims
        }
        return try await signInWithBrowser(options)
    }

    /// Signs a user out here, as ``signOut(_:)`` does, and then ends the session of the server's pages in the browser
    /// (OpenID Connect RP-Initiated Logout 1.0). A user who closes the page is signed out here too.
    ///
    /// - Parameters:
    ///   - account: The user.
    ///   - session: That of the sign-in. An ephemeral one has ended with its page; then this shows nothing.
    /// - Throws: ``WebSignInError``. After ``WebSignInError/busy(_:)`` nothing has changed; after any other error the
    ///   user is signed out here, except when the token cache could not be changed
    ///   (``NativeAuthConfiguration/onTokenCacheProblem``).
    public func signOutWithBrowser(
        _ account: Account, session: WebSession = .shared
    ) async throws(WebSignInError) {
        try await webSignOut(account, session: session, correlationID: nil)
    }
}

// MARK: - Sign-in

extension NativeAuthClient {
    /// The account of a sign-in, and its access token.
    package struct WebResult: Sendable {
        package let account: Account
        package let token: AccessToken
    }

    /// The same as ``signInWithBrowser(_:)``, with the token.
    ///
    /// - Parameter authenticator: Nil for that of the configuration, or of the system.
    package func webSignIn(
        _ options: WebSignInOptions, showing authenticator: (any WebAuthenticator)? = nil
    ) async throws(WebSignInError) -> WebResult {
        let exchange = WebExchange(self, authenticator, options.correlationID)
        return try await exchange.alone { exchange throws(WebSignInError) in
            try await exchange.signIn(options)
        }
    }

    /// The same as ``signOutWithBrowser(_:session:)``, with a correlation ID.
    package func webSignOut(
        _ account: Account, session: WebSession, correlationID: UUID?,
        showing authenticator: (any WebAuthenticator)? = nil
    ) async throws(WebSignInError) {
        try await WebExchange(self, authenticator, correlationID).alone { exchange throws(WebSignInError) in
            signOut(account)
            guard session == .shared else { return }
            try await exchange.signOut(account)
        }
    }
}
