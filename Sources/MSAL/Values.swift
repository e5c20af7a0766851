public import Foundation
internal import NativeAuthCore

/// The way a one-time passcode travelled.
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

    /// Whether the code went by e-mail.
    public var isEmailType: Bool { self == .email }
    /// Whether the code went by text message.
    public var isSMSType: Bool { self == .sms }
    /// The same as ``isSMSType``, under the name of releases 1.6.0 to 2.4.3.
    public var isPhoneType: Bool { isSMSType }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? MSALNativeAuthChannelType)?.value.lowercased() == value.lowercased()
    }

    public override var hash: Int { value.lowercased().hashValue }
    public override var description: String { value }
}

/// An attribute that the server wants before it makes the account.
public final class MSALNativeAuthRequiredAttribute: NSObject, Sendable {
    /// The programmable name: the key to send the value under.
    public let name: String
    /// `string`, `boolean` or `integer`.
    public let type: String
    /// Whether the account cannot be made without it.
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

/// A way to prove a second factor, as the server lists it.
public final class MSALAuthMethod: NSObject, Sendable {
    /// The server's identifier of the method.
    public let id: String
    /// `oob` for a one-time passcode, `password`, or a word that a later server introduces.
    public let challengeType: String
    /// Where a code would go.
    public let channelTargetType: MSALNativeAuthChannelType
    /// The masked address, if the server tells it.
    public let loginHint: String?

    init(id: String, challengeType: String, channelTargetType: MSALNativeAuthChannelType, loginHint: String?) {
        self.id = id
        self.challengeType = challengeType
        self.channelTargetType = channelTargetType
        self.loginHint = loginHint
    }
}

/// The state of a sign-in that waits for a second factor. It has no public initializer.
public final class AwaitingMFAState: NSObject, Sendable {
    override init() {}
}

/// The state of a sign-in that waits for a strong authentication method to be registered. It has no public initializer.
public final class RegisterStrongAuthState: NSObject, Sendable {
    override init() {}
}

#if !canImport(ObjectiveC)
    /// What `error: &error` and `error: nil` convert to; Apple's Foundation declares it there.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// Claims that a token should carry, as the JSON object of OpenID Connect Core section 5.5.
public final class MSALClaimsRequest: NSObject, Sendable {
    private let json: String?

    /// A request for no particular claim.
    public override init() {
        json = nil
    }

    /// Takes over a claims request.
    ///
    /// - Parameters:
    ///   - jsonString: A JSON object.
    ///   - error: Receives an error in ``MSALErrorDomain`` when `jsonString` is not a JSON object; the request is then empty.
    public init(jsonString: String, error: NSErrorPointer) {
        do {
            guard try JSONSerialization.jsonObject(with: Data(jsonString.utf8)) is [String: Any] else {
                throw CocoaError(.propertyListReadCorrupt)
            }
            json = jsonString
        } catch let reason {
            json = nil
            error?.pointee = .msal("The claims request is not a JSON object.", underlying: reason)
        }
    }

    /// The JSON text to send, or nil when nothing is requested.
    public func jsonString() -> String? { json }
}
