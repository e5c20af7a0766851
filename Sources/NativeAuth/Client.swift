import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs users up, and keeps the session of the one who is signed in.
///
/// A client is a value; copies share the session. Each step of a flow is a value too: it stays usable after an error, and
/// may be used more than once.
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

    /// The user who is signed in, from the token cache; nil when there is none. Asks no server.
    public func currentAccount() -> Account? {
        sessions.current().map { Account($0, client: self) }
    }

    /// An access token for `account`: a kept one with more than 300 s to live, or a new one from the server.
    ///
    /// At most one request for a new token is under way at a time; callers who want the same share its answer.
    ///
    /// - Parameters:
    ///   - account: The signed-in user.
    ///   - scopes: The scopes the token must have, of one resource; nil or none for those of the last token. The reserved
    ///     scopes `openid`, `profile` and `offline_access` are added and must not be listed.
    ///   - claims: A claims request, JSON as text, that the token must answer; asks the server in any case.
    ///   - forceRefresh: Asks the server in any case.
    ///   - correlationID: Stands in the server's log; nil for a new one.
    /// - Throws: ``NativeAuthError/signInRequired(_:)`` when somebody else or nobody is signed in,
    ///   ``NativeAuthError/expired(_:)`` when the server ended the session, ``NativeAuthError/invalidScope(_:)``, and
    ///   others.
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

    /// Forgets the signed-in user and all tokens on this device. The session in a browser, if any, is not ended.
    public func signOut() {
        sessions.clear()
    }
}
