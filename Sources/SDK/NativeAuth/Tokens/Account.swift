import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// A user who was signed in when this value was made. Its description contains no personal data and no token
/// (`SDK-LOG-1`).
public struct Account: Sendable {
    /// The e-mail address, from the ID token's `preferred_username`.
    public let username: String
    /// `{objectID}.{tenantID}`.
    public let homeAccountID: String
    /// The host of the authority, with its port if it has one; the emulator's host when requests go to an emulator.
    public let environment: String
    /// The identifier of the user in the directory.
    public let objectID: String
    /// The identifier of the tenant.
    public let tenantID: String
    /// Whether the server has ended the session: the user must sign in again.
    public let hasEnded: Bool
    /// The claims of the ID token; empty when there is none.
    public let idTokenClaims: [String: JSONValue]
    private let secretIDToken: Secret<String>?
    package let client: NativeAuthClient

    init(_ session: Session, client: NativeAuthClient) {
        username = session.username
        homeAccountID = session.homeAccountID
        environment = client.api.effectiveAuthority.environment
        objectID = session.objectID
        tenantID = session.tenantID
        hasEnded = session.hasEnded
        idTokenClaims = session.idToken.flatMap(IDToken.claims) ?? [:]
        secretIDToken = session.idToken.map { Secret($0) }
        self.client = client
    }

    /// The ID token as the server issued it, if there is one.
    public var idToken: String? { secretIDToken?.reveal() }

    /// An access token of the user.
    ///
    /// At most one request for a new token of an account runs at a time; callers with the same request share its answer
    /// (`SDK-REF-1`). A caller whose task is cancelled returns at once. The request continues and its answer is stored,
    /// because the answer may hold the session's only valid refresh token (`SDK-CANCEL-1`).
    ///
    /// - Parameters:
    ///   - scopes: The scopes the token must have, of one resource; an empty list for the scopes of the sign-in, as far
    ///     as the server grants them. A cached token with more scopes is accepted. The reserved scopes `openid`,
    ///     `profile` and `offline_access` are added and must not be listed.
    ///   - claims: A claims request, JSON as text, that the token must answer. No cached token is known to answer one,
    ///     so the call always asks the server; under ``TokenPolicy/cached`` it fails.
    ///   - policy: When to ask the server.
    ///   - correlationID: Identifies the request in the server's log; nil for a new ID.
    public func accessToken(
        scopes: [String] = [], claims: String? = nil, policy: TokenPolicy = .refreshIfNeeded,
        correlationID: UUID? = nil
    ) async throws(TokenError) -> AccessToken {
        let correlationID = correlationID ?? client.makeCorrelationID()
        do throws(NativeAuthError) {
            switch policy {
            case .refreshIfNeeded, .force:
                return try await client.accessToken(
                    for: self, scopes: scopes, claims: claims, forceRefresh: policy == .force,
                    correlationID: correlationID)
            case .cached:
                let token = try client.sessions.keptToken(
                    homeAccountID: homeAccountID, scopes: scopes, correlationID: correlationID)
                if claims == nil, let token { return token }
            }
        } catch {
            throw TokenError(error)
        }
        throw .notCached(.init(correlationID: correlationID, message: "No kept token will do."))
    }
}

/// When the SDK asks the server for an access token.
public enum TokenPolicy: Hashable, Sendable {
    /// Never: returns a cached token that is still valid, or fails with ``TokenError/notCached(_:)``. Use it when there
    /// is no network or no time.
    case cached
    /// When no cached token is valid for more than 300 s.
    case refreshIfNeeded
    /// Always, for example after an API refused the cached token.
    case force
}

/// Why there is no access token.
public enum TokenError: NativeAuthFailure {
    /// The user is not signed in here, or no longer, or the server never issued a refresh token: the user must sign in.
    case signInRequired(ErrorDetails)
    /// The server ended the session, for example after a password reset: the user must sign in. Every call fails with
    /// this error until the user signs in or out.
    case sessionEnded(ErrorDetails)
    /// The server requires a second factor, which a refresh cannot give: the user must sign in with the same scopes and
    /// claims. The session continues for everything else.
    case secondFactorRequired(ErrorDetails)
    /// The server requires the user to continue in a browser. The session continues for everything else.
    case browserRequired(ErrorDetails)
    /// These scopes are reserved, unknown, not consented to, or not granted. When the server does not name them, the
    /// list has all requested scopes.
    case scopesRefused([String], ErrorDetails)
    /// No cached token is suitable, and the policy is ``TokenPolicy/cached``.
    case notCached(ErrorDetails)
    /// The call failed for another reason. The session continues.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .signInRequired(let details), .sessionEnded(let details), .secondFactorRequired(let details),
            .browserRequired(let details), .scopesRefused(_, let details), .notCached(let details):
            details
        case .service(let error):
            error.details
        }
    }

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch error {
            case .signInRequired: .signInRequired(details)
            case .expired: .sessionEnded(details)
            case .mfaRequired, .registrationRequired: .secondFactorRequired(details)
            case .browserRequired: .browserRequired(details)
            case .invalidScope: .scopesRefused(details.scopes, details)
            case .userAlreadyExists, .userNotFound, .invalidUsername, .invalidPassword, .invalidCredentials,
                .userDoesNotHavePassword, .invalidAttributes, .incorrectCode, .invalidInput, .authMethodBlocked,
                .verificationContactBlocked, .unexpectedReply, .notAvailable, .throttled, .network, .indeterminate,
                .stateAlreadyUsed, .cancelled, .invalidConfiguration, .general:
                .service(ServiceError(error))
            }
    }
}

extension Account: CustomStringConvertible, CustomReflectable {
    public var description: String { "Account(\(homeAccountID))" }
    public var customMirror: Mirror { Mirror(self, children: ["homeAccountID": homeAccountID]) }
}

/// An access token for a resource. Its description is redacted.
public struct AccessToken: Hashable, Sendable {
    /// The granted scopes.
    public let scopes: [String]
    /// When the token expires, on the device's clock. The SDK itself measures elapsed time (`SDK-TIME-1`).
    public let expiresOn: Date
    private let secret: Secret<String>
    private let refreshSecret: Secret<String>?

    init(_ token: Session.Token, refreshToken: String?) {
        scopes = token.scopes
        expiresOn = token.obtainedOn.addingTimeInterval(token.lifetime)
        secret = Secret(token.accessToken)
        refreshSecret = refreshToken.map { Secret($0) }
    }

    /// The token, for the header `Authorization: Bearer …`.
    public var value: String { secret.reveal() }
    /// The refresh token of the session, if the server issued one. No app needs it: using it elsewhere ends the
    /// session.
    package var refreshToken: String? { refreshSecret?.reveal() }
}
