public import Foundation
internal import NativeAuth
internal import NativeAuthCore

/// The channel of a one-time passcode.
///
/// A class with static members, so that the comparisons of every generation of apps compile: `isEmailType`,
/// `channel == .email`, and a `switch` with `case .email:`. Two values are equal when their ``value`` is equal without
/// regard to letter case.
public final class MSALNativeAuthChannelType: NSObject, Sendable {
    /// The server's word, such as `email` or `sms`.
    public let value: String

    init(value: String) {
        self.value = value
    }

    /// E-mail.
    public static let email = MSALNativeAuthChannelType(value: "email")
    /// A text message.
    public static let sms = MSALNativeAuthChannelType(value: "sms")
    /// A text message, under the name that releases before 1.6 used.
    public static let phone = sms

    /// Whether the code was sent by e-mail.
    public var isEmailType: Bool { self == .email }
    /// Whether the code was sent by text message.
    public var isSMSType: Bool { self == .sms }
    /// The same as ``isSMSType``, under the name of releases 1.6.0 to 2.4.3.
    public var isPhoneType: Bool { isSMSType }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? MSALNativeAuthChannelType)?.value.lowercased() == value.lowercased()
    }

    public override var hash: Int { value.lowercased().hashValue }
    public override var description: String { value }
}

/// An attribute that the server requires before it creates the account.
public final class MSALNativeAuthRequiredAttribute: NSObject, Sendable {
    /// The programmable name: the key to send the value under.
    public let name: String
    /// `string`, `boolean` or `integer`.
    public let type: String
    /// Whether the account needs this attribute.
    public let required: Bool
    /// The regular expression that a value must match as a whole, if there is one.
    public let regex: String?

    init(_ attribute: RequiredAttribute) {
        name = attribute.name
        type = attribute.type
        required = attribute.isRequired
        regex = attribute.regex
    }
}

/// A method to prove an identity beyond the first factor, as the server lists it.
public final class MSALAuthMethod: NSObject, Sendable {
    let method: AuthMethod

    init(_ method: AuthMethod) {
        self.method = method
    }

    /// The server's identifier of the method.
    public var id: String { method.id }
    /// `oob` for a one-time passcode, `password`, or a word that a later server introduces.
    public var challengeType: String { method.challengeType }
    /// The channel of the code.
    public var channelTargetType: MSALNativeAuthChannelType { MSALNativeAuthChannelType(value: method.channel) }
    /// The masked address, or one to suggest for a registration, if the server tells it.
    public var loginHint: String? { method.loginHint }
}

extension SentCode {
    /// The channel of the code.
    var channelType: MSALNativeAuthChannelType { MSALNativeAuthChannelType(value: channel) }
}
