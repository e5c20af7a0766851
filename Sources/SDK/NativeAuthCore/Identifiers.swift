public import PortableFoundation

/// The opaque handle of a running flow, as the client sees it: base64url text, at most 2 KiB for a flow without
/// attributes and 56 KiB with a hundred of the longest.
///
/// It is a credential: a client that holds it can continue the flow. Its description is redacted.
public struct ContinuationToken: Hashable, Sendable {
    /// The text in requests and replies.
    public let secret: Secret<String>

    /// Wraps the text of a reply's or a request's `continuation_token`.
    public init(_ text: String) {
        secret = Secret(text)
    }
}

/// The directory identifier of a tenant, a UUID; the claim `tid`.
public struct TenantID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The UUID.
    public let uuid: UUID

    /// Wraps a UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Lower-case, as in URLs and claims.
    public var description: String { uuid.text }
}

/// The identifier of a registered application, a UUID; `client_id` on the wire and `aud` of its ID tokens.
public struct ClientID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The UUID.
    public let uuid: UUID

    /// Wraps a UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Parses UUID text in either letter case; nil for other text.
    public init?(_ text: String) {
        guard let uuid = UUID(text: text) else { return nil }
        self.uuid = uuid
    }

    /// Lower-case, as in claims.
    public var description: String { uuid.text }
}

/// The directory identifier of a user, a random UUID, never reused (`SEC-ENUM-7`, `SEC-ID-8`); the claim `oid`.
public struct UserID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The UUID.
    public let uuid: UUID

    /// Wraps a UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Lower-case, as in claims.
    public var description: String { uuid.text }
}
