public import Foundation

/// Hides its content from `dump`, debuggers and test reports, because it contains a name or a password. The description
/// is the default of every object, without content too.
protocol Redacted: CustomReflectable {}

extension Redacted {
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

/// The parameters of a sign-up.
public final class MSALNativeAuthSignUpParameters: NSObject, Redacted {
    /// The e-mail address; it becomes the account's sign-in name.
    public var username: String
    /// The password, when the user flow takes one at the start.
    public var password: String?
    /// Attributes by their programmable names. A value is text, a whole number or a boolean; the alias is
    /// `flatusername`.
    public var attributes: [String: Any]?
    /// The identifier of the flow in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters with the one value that every sign-up needs.
    public init(username: String) {
        self.username = username
    }
}

/// The parameters of a sign-in.
public final class MSALNativeAuthSignInParameters: NSObject, Redacted {
    /// The e-mail address or the alias.
    public var username: String
    /// The password, to sign in without being asked for it; nil to be asked for a code or the password.
    public var password: String?
    /// Scopes besides `openid`, `profile` and `offline_access`, which are always requested.
    public var scopes: [String]?
    /// Claims to request in the tokens.
    public var claimsRequest: MSALClaimsRequest?
    /// The identifier of the flow in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters with the one value that every sign-in needs.
    public init(username: String) {
        self.username = username
    }
}

/// The parameters of a password reset.
public final class MSALNativeAuthResetPasswordParameters: NSObject, Redacted {
    /// The e-mail address or the alias.
    public var username: String
    /// The identifier of the flow in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters with the one value that every reset needs.
    public init(username: String) {
        self.username = username
    }
}

/// The parameters of the sign-in after a sign-up.
public final class MSALNativeAuthSignInAfterSignUpParameters: NSObject {
    /// Scopes besides `openid`, `profile` and `offline_access`, which are always requested.
    public var scopes: [String]?
    /// Claims to request in the tokens.
    public var claimsRequest: MSALClaimsRequest?

    /// Parameters with no optional values.
    public override init() {}
}

/// The parameters of the sign-in after a password reset.
public final class MSALNativeAuthSignInAfterResetPasswordParameters: NSObject {
    /// Scopes besides `openid`, `profile` and `offline_access`, which are always requested.
    public var scopes: [String]?
    /// Claims to request in the tokens.
    public var claimsRequest: MSALClaimsRequest?

    /// Parameters with no optional values.
    public override init() {}
}

/// The strong authentication method to register.
public final class MSALNativeAuthChallengeAuthMethodParameters: NSObject, Redacted {
    /// One of the methods that came with the state.
    public let authMethod: MSALAuthMethod
    /// The address or number to register; nil for the one that the server suggests, ``MSALAuthMethod/loginHint``.
    public var verificationContact: String?

    /// Parameters with a contact of the user's choice.
    public init(authMethod: MSALAuthMethod, verificationContact: String) {
        self.authMethod = authMethod
        self.verificationContact = verificationContact
    }

    /// The form of the releases from 2.0 up to 2.5: the contact is set afterwards, or is the one that the server
    /// suggests.
    public init(authMethod: MSALAuthMethod) {
        self.authMethod = authMethod
    }
}

/// The parameters for an access token.
public final class MSALNativeAuthGetAccessTokenParameters: NSObject {
    /// Whether to ask the server even when the cache has a valid token.
    public var forceRefresh = false
    /// Whether the result contains the refresh token.
    public var returnRefreshToken = false
    /// The scopes that the token must have; nil or empty for the scopes of the sign-in.
    public var scopes: [String]?
    /// Claims to request in the token; a request for claims always goes to the server.
    public var claimsRequest: MSALClaimsRequest?
    /// The identifier of the request in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters with no optional values.
    public override init() {}
}
