import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
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
    /// ``NativeAuthError/invalidConfiguration(_:)``.
    public init(_ configuration: NativeAuthConfiguration) {
        self.init(configuration, environment: ProcessInfo.processInfo.environment)
    }

    /// As ``init(_:)``, with the environment variables given.
    package init(_ configuration: NativeAuthConfiguration, environment: [String: String]) {
        let api = V1Client(configuration: configuration, environment: environment)
        self.api = api
        sessions = Sessions(api: api)
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

    /// An access token for `account`: a kept one with more than 300 s to live, or a new one from the server.
    ///
    /// At most one request for a new token of an account is under way at a time; callers who want the same share its answer
    /// (`SDK-REF-1`). A caller whose task is cancelled returns at once; the answer is kept all the same, as it may hold the only
    /// refresh token that is good from then on.
    ///
    /// - Parameters:
    ///   - account: A signed-in user.
    ///   - scopes: The scopes the token must have, of one resource; nil or none for those of the sign-in, as far as the server
    ///     grants them. A kept token with more scopes will do. The reserved scopes `openid`, `profile` and `offline_access` are
    ///     added and must not be listed.
    ///   - claims: A claims request, JSON as text, that the token must answer; asks the server in any case.
    ///   - forceRefresh: Asks the server in any case.
    ///   - correlationID: Stands in the server's log; nil for a new one.
    /// - Throws: ``NativeAuthError/signInRequired(_:)`` when `account` is not signed in any more,
    ///   ``NativeAuthError/expired(_:)`` when the server ended the session, each time until the user signs in again or out, ``NativeAuthError/mfaRequired(_:)`` when it wants a
    ///   second factor, for which the user has to sign in again, ``NativeAuthError/invalidScope(_:)``,
    ///   ``NativeAuthError/throttled(retryAfter:_:)``, ``NativeAuthError/network(_:underlying:)``, and others. Only
    ///   `signInRequired` and `expired` mean that the session has ended.
    public func accessToken(
        for account: Account, scopes: [String]? = nil, claims: String? = nil, forceRefresh: Bool = false,
        correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> AccessToken {
        try await sessions.accessToken(
            homeAccountID: account.homeAccountID, scopes: scopes ?? [], claims: claims, forceRefresh: forceRefresh,
            correlationID: correlationID ?? makeCorrelationID())
    }

    /// A new correlation ID, for a caller that has to know it before the first request.
    package func makeCorrelationID() -> UUID {
        api.configuration.makeCorrelationID()
    }

    /// Forgets all users of this application and their tokens on this device. The session in a browser, if any, is not ended.
    ///
    /// The tokens are gone when this returns (`SDK-STO-5`), or ``NativeAuthConfiguration/onTokenCacheProblem`` tells why they
    /// are not. Then the server is told in the background, as with ``signOutAndRevoke(_:)``; what comes of it is not known.
    public func signOut() {
        signOut(homeAccountID: nil)
    }

    /// As ``signOut()``, for one of several users.
    public func signOut(_ account: Account) {
        signOut(homeAccountID: account.homeAccountID)
    }

    private func signOut(homeAccountID: String?) {
        let removed: [Session]
        do throws(TokenCacheError) {
            removed = try sessions.store.remove(homeAccountID)
        } catch {
            // The store has reported it. Without the cache there is nothing to revoke with.
            return
        }
        guard !removed.isEmpty else { return }
        Task { [sessions] in
            do throws(NativeAuthError) {
                _ = try await sessions.revoke(removed)
            } catch {
                // Best effort: the user is signed out here, whatever the server has heard of it.
            }
        }
    }

    /// As ``signOut()`` or ``signOut(_:)``, and waits until the server has ended the refresh tokens too (RFC 7009).
    ///
    /// - Parameter account: The user; nil for all.
    /// - Returns: Whether the server ended them; false also when it offers no way, as the vendor's cloud, or there was nothing
    ///   to end.
    /// - Throws: ``NativeAuthError/general(_:)`` when the token cache could not be written, and nothing was sent;
    ///   ``NativeAuthError/network(_:underlying:)``, ``NativeAuthError/cancelled(_:)`` and others when the tokens are gone here
    ///   and the server could not be told.
    public func signOutAndRevoke(_ account: Account? = nil) async throws(NativeAuthError) -> Bool {
        let removed: [Session]
        do throws(TokenCacheError) {
            removed = try sessions.store.remove(account?.homeAccountID)
        } catch {
            let message = "The token cache could not be changed: \(error)."
            throw .general(.init(correlationID: makeCorrelationID(), message: message, canRetry: true))
        }
        return try await sessions.revoke(removed)
    }
}
