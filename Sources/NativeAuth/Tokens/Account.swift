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
        idTokenClaims = session.idToken.flatMap(IDToken.claims) ?? [:]
        secretIDToken = session.idToken.map { Secret($0) }
        self.client = client
    }

    /// The ID token as the server gave it, if there is one.
    public var idToken: String? { secretIDToken?.reveal() }

    /// As ``NativeAuthClient/accessToken(for:scopes:claims:forceRefresh:correlationID:)``.
    public func accessToken(
        scopes: [String]? = nil, forceRefresh: Bool = false
    ) async throws(NativeAuthError) -> AccessToken {
        try await client.accessToken(for: self, scopes: scopes, forceRefresh: forceRefresh)
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
    public var accessToken: String { secret.reveal() }
    /// The refresh token of the session, if the server gave one.
    public var refreshToken: String? { refreshSecret?.reveal() }
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
