import NativeAuthWire

/// A way to receive a code: as a second factor, or one that can be registered as such.
public struct AuthMethod: Hashable, Sendable, Codable {
    /// The server's identifier.
    public let id: String
    /// `oob`; an unknown value survives.
    public let challengeType: String
    /// `email` or `sms`; an unknown value survives.
    public let channel: String
    /// Where the code would go: of a second factor the masked address, of a method to register the address of the account.
    public let loginHint: String?

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
