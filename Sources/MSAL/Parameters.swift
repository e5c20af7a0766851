public import Foundation

/// Shows none of its content to `dump`, debuggers and test reports, because it names a person or holds a password. Its
/// description is that of every object, without content too.
protocol Redacted: CustomReflectable {}

extension Redacted {
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

/// What a sign-up starts with.
public final class MSALNativeAuthSignUpParameters: NSObject, Redacted {
    /// The e-mail address; it becomes the account's sign-in name.
    public var username: String
    /// The password, when the user flow takes one at the start.
    public var password: String?
    /// Attributes by their programmable names. A value is text, a whole number or a boolean; the alias is `flatusername`.
    public var attributes: [String: Any]?
    /// The identifier of the flow in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters with the one value that every sign-up needs.
    public init(username: String) {
        self.username = username
    }
}

/// What a sign-in starts with.
public final class MSALNativeAuthSignInParameters: NSObject, Redacted {
    /// The e-mail address or the alias.
    public var username: String
    /// The password, to sign in without being asked for it; nil to be asked for a code or the password.
    public var password: String?
    /// Scopes beside `openid`, `profile` and `offline_access`, which are always asked for.
    public var scopes: [String]?
    /// Claims that the tokens should carry.
    public var claimsRequest: MSALClaimsRequest?
    /// The identifier of the flow in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters with the one value that every sign-in needs.
    public init(username: String) {
        self.username = username
    }
}

/// What a password reset starts with.
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

/// What the sign-in after a sign-up asks for.
public final class MSALNativeAuthSignInAfterSignUpParameters: NSObject {
    /// Scopes beside `openid`, `profile` and `offline_access`, which are always asked for.
    public var scopes: [String]?
    /// Claims that the tokens should carry.
    public var claimsRequest: MSALClaimsRequest?

    /// Parameters that ask for nothing in particular.
    public override init() {}
}

/// What the sign-in after a password reset asks for.
public final class MSALNativeAuthSignInAfterResetPasswordParameters: NSObject {
    /// Scopes beside `openid`, `profile` and `offline_access`, which are always asked for.
    public var scopes: [String]?
    /// Claims that the tokens should carry.
    public var claimsRequest: MSALClaimsRequest?

    /// Parameters that ask for nothing in particular.
    public override init() {}
}

/// Which strong authentication method to register.
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

    /// The form of the releases from 2.0 up to 2.5: the contact is set afterwards, or is the one that the server suggests.
    public init(authMethod: MSALAuthMethod) {
        self.authMethod = authMethod
    }
}

/// What an access token is asked for.
public final class MSALNativeAuthGetAccessTokenParameters: NSObject {
    /// Whether to ask the server even though a token that is good enough lies in the cache.
    public var forceRefresh = false
    /// Whether the result should show the refresh token.
    public var returnRefreshToken = false
    /// The scopes that the token must have; nil or empty for the ones of the sign-in.
    public var scopes: [String]?
    /// Claims that the token should carry; a request for claims always goes to the server.
    public var claimsRequest: MSALClaimsRequest?
    /// The identifier of the request in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters that ask for nothing in particular.
    public override init() {}
}
