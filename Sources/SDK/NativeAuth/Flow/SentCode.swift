public import PortableFoundation

/// A code that was sent to the user, or that an authenticator app shows. Its description contains neither the address nor the number (`SDK-LOG-1`).
public struct SentCode: Hashable, Sendable, Codable {
    /// The address or number of the target, masked except at the registration of a method; or the name of the app.
    public let sentTo: String
    /// `email`, `sms`, `totp` for an authenticator app and `recovery_code` for a recovery code, which are not sent; unknown values are kept.
    public let channel: String
    /// The number of the code's characters.
    public let length: Int
    /// Seconds to wait before asking for another code, if the server states it.
    public let resendInterval: Int?
    /// When the server's answer arrived, on the device's clock.
    public let sentAt: Date
    /// Seconds for which the server can remember this device, so that it asks for no second factor. Nil when it cannot, and for codes of
    /// a first factor.
    public let rememberableFor: Int?

    init(
        sentTo: String, channel: String, length: Int, resendInterval: Int?, sentAt: Date, rememberableFor: Int? = nil
    ) {
        self.sentTo = sentTo
        self.channel = channel
        self.length = length
        self.resendInterval = resendInterval
        self.sentAt = sentAt
        self.rememberableFor = rememberableFor
    }

    /// When another code may be asked for, if the server states it. A hint for the screen: the server decides.
    public var resendAllowedAt: Date? {
        resendInterval.map { sentAt.addingTimeInterval(Double($0)) }
    }

    /// A possible mistake in `text` as this code, before it is sent; nil when there is none. Blanks and hyphens do not count, as at
    /// the server. Only a hint: submit the text anyway if the user insists.
    public func hint(for text: String) -> CodeHint? {
        let typed = text.filter { $0 != " " && $0 != "-" }
        // A recovery code has letters, too.
        let isDigits = channel != "recovery_code"
        guard typed.allSatisfy({ $0.isASCII && ($0.isNumber || !isDigits && $0.isLetter) }) else { return .notDigits }
        if typed.count < length { return .tooShort(missing: length - typed.count) }
        return typed.count > length ? .tooLong(by: typed.count - length) : nil
    }
}

extension SentCode: CustomStringConvertible, CustomReflectable {
    public var description: String { "SentCode(\(channel), \(length) characters)" }
    public var customMirror: Mirror { Mirror(self, children: ["channel": channel, "length": length]) }
}
