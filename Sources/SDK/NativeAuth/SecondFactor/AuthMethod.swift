import NativeAuthWire

/// A method of the second factor, or one that can be registered.
public struct AuthMethod: Hashable, Sendable, Codable {
    /// The server's identifier.
    public let id: String
    /// `oob`, `passkey`, or `totp` for an authenticator app to register; unknown values are kept.
    public let challengeType: String
    /// `email`, `sms`, `totp` for an authenticator app, which shows the code, or `recovery_code` for one of the
    /// codes that the user kept; unknown values are kept.
    public let channel: String
    /// The target of the code: the masked address or telephone number of a second factor, the name of an app, or the account's
    /// address for a method to register. Nil for a telephone to register, whose number the user types with the code of its
    /// country.
    public let loginHint: String?

    /// Whether the method is an authenticator app. In ``MFARequired`` it is one that the user has, whose code is asked for like one that was
    /// sent; in ``RegistrationRequired`` one to add with ``RegistrationRequired/requestAuthenticatorKey()``.
    public var isAuthenticatorApp: Bool { channel == "totp" }

    init(_ method: IntrospectReply.Method) {
        id = method.id
        challengeType = method.challengeType
        channel = method.challengeChannel
        loginHint = method.loginHint
    }
}

extension AuthMethod: CustomStringConvertible, CustomReflectable {
    public var description: String { "AuthMethod(\(id), \(channel))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "channel": channel]) }
}
