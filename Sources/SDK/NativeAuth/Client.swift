import NativeAuthCore
package import PortableFoundation

/// Signs users up and in, and keeps the sessions of signed-in users.
///
/// A client is a value; copies share the sessions. Each step of a flow is a value too: it stays usable after an error;
/// after a success neither it nor a copy of it can be used again (`SDK-STATE-1`).
public struct NativeAuthClient: Sendable {
    let api: V1Client
    let sessions: Sessions

    /// Makes a client for the application and tenant of `configuration`.
    ///
    /// In debug builds the environment variable `NATIVE_AUTH_EMULATOR`, a base URL, replaces
    /// `https://{subdomain}.ciamlogin.com`. A wrong value is reported by the first step, as
    /// ``ServiceError/invalidConfiguration(_:)``.
    public init(_ configuration: NativeAuthConfiguration) {
        self.init(configuration, environment: ClientEnvironment.current)
    }

    /// The same as ``init(_:)``, with the given environment variables.
    package init(_ configuration: NativeAuthConfiguration, environment: [String: String]) {
        let api = V1Client(configuration: configuration.hosted, environment: environment)
        self.api = api
        sessions = Sessions(api: api)
    }

    init(api: V1Client, sessions: Sessions) {
        self.api = api
        self.sessions = sessions
    }

    /// The users who are signed in to this application, from the token cache; the latest sign-in comes first. Sends no
    /// request.
    ///
    /// A cache that cannot be read counts as empty; ``NativeAuthConfiguration/onTokenCacheProblem`` receives the
    /// reason.
    public func accounts() -> [Account] {
        sessions.store.sessions().map { Account($0, client: self) }
    }

    /// The user who signed in last, from the token cache; nil when no user is signed in. Sends no request.
    public func currentAccount() -> Account? {
        sessions.store.sessions().first.map { Account($0, client: self) }
    }

    /// The user with this ``Account/homeAccountID``, from the token cache; nil when that user is not signed in. Sends
    /// no request.
    public func account(homeAccountID: String) -> Account? {
        sessions.store.session(homeAccountID).map { Account($0, client: self) }
    }

    /// The same as ``Account/accessToken(scopes:claims:policy:correlationID:)``, with the errors of all flows.
    ///
    /// `@concurrent`, because optimised builds of Swift 6.3.1 do not return to the caller's actor when a function only
    /// rethrows the error of an actor.
    @concurrent
    package func accessToken(
        for account: Account, scopes: [String]? = nil, claims: String? = nil, forceRefresh: Bool = false,
        correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> AccessToken {
        try await sessions.accessToken(
            homeAccountID: account.homeAccountID, scopes: scopes ?? [], claims: claims, forceRefresh: forceRefresh,
            correlationID: correlationID ?? makeCorrelationID())
    }

    /// All changes of the sessions from now on, in order, each sent after the token cache has stored it. Each use of
    /// this property makes a separate listener. It misses no change, and ends when its task is cancelled or when the
    /// client, its copies and its accounts are deallocated.
    ///
    /// ```swift
    /// for await change in client.sessionChanges {
    ///     switch change { … }
    /// }
    /// ```
    ///
    /// A change made by another process, or by another client with the same cache, is sent when this client next reads
    /// the cache.
    public var sessionChanges: AsyncStream<SessionChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionChange.self)
        sessions.listen(continuation)
        return stream
    }

    /// The user agent of the configuration, if it names one.
    package var webAuthenticator: (any WebAuthenticator)? { api.configuration.webAuthenticator }

    /// A new correlation ID, for a caller that needs it before the first request.
    package func makeCorrelationID() -> UUID {
        api.configuration.makeCorrelationID()
    }

    /// Signs all users of this application out on this device, in all processes that share the token cache.
    ///
    /// When this returns, the tokens are removed (`SDK-STO-5`), or ``NativeAuthConfiguration/onTokenCacheProblem`` has
    /// received the reason why not. Then the client revokes the sessions at the server in the background, as
    /// ``signOutAndRevoke()`` does; the result is not reported.
    public func signOut() {
        signOut(homeAccountID: nil)
    }

    /// The same as ``signOut()``, for one user.
    public func signOut(_ account: Account) {
        signOut(homeAccountID: account.homeAccountID)
    }

    private func signOut(homeAccountID: String?) {
        do throws(TokenCacheError) {
            let removed = try sessions.store.remove(homeAccountID)
            if !removed.isEmpty { _ = sessions.revocation(of: removed) }
        } catch {
            // The store has reported the error. Without the cache there are no tokens to revoke.
        }
    }

    /// Signs all users of this application out on this device, as ``signOut()`` does, and at the server, which revokes
    /// the refresh tokens and so every copy of them (RFC 7009).
    ///
    /// Sessions that a user began on other devices continue: no standard lets an app end those. At this package's
    /// server a password reset ends them all.
    ///
    /// When the task is cancelled, this stops waiting; the request to the server continues.
    ///
    /// - Returns: The server's result.
    @discardableResult
    public func signOutAndRevoke() async throws(SignOutError) -> Revocation {
        try await signOutAndRevoke(homeAccountID: nil)
    }

    /// The same as ``signOutAndRevoke()``, for one user.
    @discardableResult
    public func signOutAndRevoke(_ account: Account) async throws(SignOutError) -> Revocation {
        try await signOutAndRevoke(homeAccountID: account.homeAccountID)
    }

    private func signOutAndRevoke(homeAccountID: String?) async throws(SignOutError) -> Revocation {
        let correlationID = makeCorrelationID()
        let removed: [Session]
        do throws(TokenCacheError) {
            removed = try sessions.store.remove(homeAccountID)
        } catch {
            let message = "The token cache could not be changed: \(error)."
            throw .stillSignedIn(error, .init(correlationID: correlationID, message: message))
        }
        let revocation = sessions.revocation(of: removed)
        let outcome: Result<Revocation, NativeAuthError>
        do {
            outcome = try await abandonable { await revocation.value }
        } catch {
            // Waiting ends early only when the task is cancelled.
            outcome = .failure(.cancelled(.init(correlationID: correlationID)))
        }
        do throws(NativeAuthError) {
            return try outcome.get()
        } catch {
            throw .notRevoked(ServiceError(error))
        }
    }
}

/// The server's result of a sign-out.
public enum Revocation: Hashable, Sendable {
    /// The server revoked the refresh tokens.
    case revoked
    /// The server names no revocation endpoint, as in the vendor's cloud: the refresh tokens are deleted here, and
    /// expire.
    case notOffered
    /// No user was signed in, or the session had already ended.
    case nothingToRevoke
}

/// Why a sign-out is incomplete.
public enum SignOutError: NativeAuthFailure {
    /// The token cache could not be changed, so the user is still signed in. The server got no request.
    case stillSignedIn(TokenCacheError, ErrorDetails)
    /// The user is signed out here, but the server did not confirm that it ended the session.
    case notRevoked(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .stillSignedIn(_, let details): details
        case .notRevoked(let error): error.details
        }
    }
}
