import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Signs users up and in, and keeps the sessions of those who are signed in.
///
/// A client is a value; copies share the sessions. Each step of a flow is a value too: it stays usable after an error, and is
/// used up once it has succeeded, copies included (`SDK-STATE-1`).
public struct NativeAuthClient: Sendable {
    let api: V1Client
    let sessions: Sessions

    /// Makes a client for the application and tenant of `configuration`.
    ///
    /// In debug builds the environment variable `NATIVE_AUTH_EMULATOR`, a base URL, takes the place of
    /// `https://{subdomain}.ciamlogin.com`. A wrong value is reported by the first step, as
    /// ``ServiceError/invalidConfiguration(_:)``.
    public init(_ configuration: NativeAuthConfiguration) {
        self.init(configuration, environment: ProcessInfo.processInfo.environment)
    }

    /// As ``init(_:)``, with the environment variables given.
    package init(_ configuration: NativeAuthConfiguration, environment: [String: String]) {
        let api = V1Client(configuration: configuration.hosted, environment: environment)
        self.api = api
        sessions = Sessions(api: api)
    }

    init(api: V1Client, sessions: Sessions) {
        self.api = api
        self.sessions = sessions
    }

    /// The users who are signed in to this application, from the token cache; who signed in last comes first. Asks no server.
    ///
    /// A cache that cannot be read counts as empty; ``NativeAuthConfiguration/onTokenCacheProblem`` tells why.
    public func accounts() -> [Account] {
        sessions.store.sessions().map { Account($0, client: self) }
    }

    /// The user who signed in last, from the token cache; nil when nobody is signed in. Asks no server.
    public func currentAccount() -> Account? {
        sessions.store.sessions().first.map { Account($0, client: self) }
    }

    /// The user with this ``Account/homeAccountID``, from the token cache; nil when they are not signed in. Asks no server.
    public func account(homeAccountID: String) -> Account? {
        sessions.store.session(homeAccountID).map { Account($0, client: self) }
    }

    /// As ``Account/accessToken(scopes:claims:policy:correlationID:)``, in the vocabulary of all flows.
    ///
    /// `@concurrent`, because optimised builds of Swift 6.3.1 lose the way back to a caller's actor where a function only passes
    /// on what an actor throws.
    @concurrent
    package func accessToken(
        for account: Account, scopes: [String]? = nil, claims: String? = nil, forceRefresh: Bool = false,
        correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> AccessToken {
        try await sessions.accessToken(
            homeAccountID: account.homeAccountID, scopes: scopes ?? [], claims: claims, forceRefresh: forceRefresh,
            correlationID: correlationID ?? makeCorrelationID())
    }

    /// What becomes of the sessions from now on, in order, told after the token cache has it. Each use of this property is a
    /// listener of its own, which misses nothing and ends when its task is cancelled, or when the client, its copies and its
    /// accounts are gone.
    ///
    /// ```swift
    /// for await change in client.sessionChanges {
    ///     switch change { … }
    /// }
    /// ```
    ///
    /// What another process, or another client with the same cache, changed shows when this client next reads the cache.
    public var sessionChanges: AsyncStream<SessionChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionChange.self)
        sessions.listen(continuation)
        return stream
    }

    /// A new correlation ID, for a caller that has to know it before the first request.
    package func makeCorrelationID() -> UUID {
        api.configuration.makeCorrelationID()
    }

    /// Signs everybody of this application out here: on this device, in all processes that share the token cache.
    ///
    /// The tokens are gone when this returns (`SDK-STO-5`), or ``NativeAuthConfiguration/onTokenCacheProblem`` tells why they
    /// are not. Then the server is told in the background, as with ``signOutAndRevoke()``; what comes of it is not known.
    public func signOut() {
        signOut(homeAccountID: nil)
    }

    /// As ``signOut()``, for one user.
    public func signOut(_ account: Account) {
        signOut(homeAccountID: account.homeAccountID)
    }

    private func signOut(homeAccountID: String?) {
        do throws(TokenCacheError) {
            let removed = try sessions.store.remove(homeAccountID)
            if !removed.isEmpty { _ = sessions.revocation(of: removed) }
        } catch {
            // The store has reported it. Without the cache there is nothing to revoke with.
        }
    }

    /// Signs everybody of this application out wherever their sessions are: here, as ``signOut()``, and at the server, which
    /// ends the refresh tokens, and so every copy of them (RFC 7009).
    ///
    /// Sessions that a user began on other devices go on, as no standard lets an app end those; at this package's server a
    /// password reset ends them all.
    ///
    /// When the task is cancelled, this stops to wait; the server is told all the same.
    ///
    /// - Returns: What the server did.
    @discardableResult
    public func signOutAndRevoke() async throws(SignOutError) -> Revocation {
        try await signOutAndRevoke(homeAccountID: nil)
    }

    /// As ``signOutAndRevoke()``, for one user.
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
            // Waiting ends early for no other reason.
            outcome = .failure(.cancelled(.init(correlationID: correlationID)))
        }
        do throws(NativeAuthError) {
            return try outcome.get()
        } catch {
            throw .notRevoked(ServiceError(error))
        }
    }
}

/// What the server did at a sign-out.
public enum Revocation: Hashable, Sendable {
    /// It ended the refresh tokens.
    case revoked
    /// It names no address for that, as the vendor's cloud: the refresh tokens are forgotten, and run out by themselves.
    case notOffered
    /// Nobody was signed in, or the session had ended before.
    case nothingToRevoke
}

/// Why a sign-out is not whole.
public enum SignOutError: NativeAuthFailure {
    /// The token cache could not be changed, so the user is still signed in. The server was not told.
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
