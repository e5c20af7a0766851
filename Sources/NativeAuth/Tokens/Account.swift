import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A user who is signed in, as of the moment it was made. It prints no personal data and no token (`SDK-LOG-1`).
public struct Account: Sendable {
    /// The e-mail address, from the ID token's `preferred_username`.
    public let username: String
    /// `{objectID}.{tenantID}`.
    public let homeAccountID: String
    /// The host of the authority, with its port if it has one; the emulator's while requests go there.
    public let environment: String
    /// The identifier of the user in the directory.
    public let objectID: String
    /// The identifier of the tenant.
    public let tenantID: String
    /// Whether the server has ended the session: the user has to sign in again.
    public let hasEnded: Bool
    /// The claims of the ID token; empty without one.
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

    /// The ID token as the server gave it, if there is one.
    public var idToken: String? { secretIDToken?.reveal() }

    /// An access token of the user.
    ///
    /// At most one request for a new token of an account is under way at a time; callers who want the same share its answer
    /// (`SDK-REF-1`). A caller whose task is cancelled returns at once. The request goes on and its answer is kept all the same:
    /// that is no write of the caller's but of the session, whose only good refresh token it may hold from then on
    /// (`SDK-CANCEL-1`).
    ///
    /// - Parameters:
    ///   - scopes: The scopes the token must have, of one resource; none for those of the sign-in, as far as the server grants
    ///     them. A kept token with more scopes will do. The reserved scopes `openid`, `profile` and `offline_access` are added
    ///     and must not be listed.
    ///   - claims: A claims request, JSON as text, that the token must answer. No kept token is known to answer one, so it asks
    ///     the server in any case, but under ``TokenPolicy/cached``, where it fails.
    ///   - policy: When to ask the server.
    ///   - correlationID: Stands in the server's log; nil for a new one.
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

/// When to ask the server for an access token.
public enum TokenPolicy: Hashable, Sendable {
    /// Never: a kept token as long as it lives, or ``TokenError/notCached(_:)``. For when there is no network, or no time.
    case cached
    /// When no kept token has more than 300 s to live.
    case refreshIfNeeded
    /// In any case, such as after an API refused the kept token.
    case force
}

/// Why there is no access token.
public enum TokenError: NativeAuthFailure {
    /// The user is not signed in here, or no more, or the server never gave a refresh token: the user has to sign in.
    case signInRequired(ErrorDetails)
    /// The server ended the session, such as after a password reset: the user has to sign in. Every call says so until they do,
    /// or sign out.
    case sessionEnded(ErrorDetails)
    /// The server wants a second factor, which a renewal cannot give: the user has to sign in with the same scopes and claims.
    /// The session goes on for everything else.
    case secondFactorRequired(ErrorDetails)
    /// The server wants the user to go on in a browser. The session goes on for everything else.
    case browserRequired(ErrorDetails)
    /// These scopes are reserved, unknown, not consented to, or not granted. Where the server does not say which, they are all
    /// that were asked for.
    case scopesRefused([String], ErrorDetails)
    /// No kept token will do, and the policy is ``TokenPolicy/cached``.
    case notCached(ErrorDetails)
    /// It failed for other reasons. The session goes on.
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

/// A token to call a resource with. It prints redacted.
public struct AccessToken: Hashable, Sendable {
    /// What was granted.
    public let scopes: [String]
    /// When it ends, on the device's clock. The SDK itself goes by time that has passed (`SDK-TIME-1`).
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
    /// The refresh token of the session, if the server gave one. No app needs it: a use of it elsewhere ends the session.
    package var refreshToken: String? { refreshSecret?.reveal() }
}

/// A JSON value, such as a claim.
public enum JSONValue: Hashable, Sendable, Codable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The text, if it is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }
}
