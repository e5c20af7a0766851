#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A code that is on its way to the user. It prints neither the address nor the number (`SDK-LOG-1`).
public struct SentCode: Hashable, Sendable, Codable {
    /// The address or number it went to; masked, but at the registration of a method.
    public let sentTo: String
    /// `email` or `sms`; an unknown value survives.
    public let channel: String
    /// How many characters the code has.
    public let length: Int
    /// Seconds to wait before another code may be asked for, if the server says.
    public let resendInterval: Int?
    /// When the server's answer came, on the device's clock.
    public let sentAt: Date

    /// From when on another code may be asked for, if the server says. A hint for the screen: the server decides.
    public var resendAllowedAt: Date? {
        resendInterval.map { sentAt.addingTimeInterval(Double($0)) }
    }

    /// What looks wrong with `text` as this code, before it is sent; nil when nothing does. A hint, never a gate: submit it all
    /// the same if the user insists.
    public func hint(for text: String) -> CodeHint? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return .notDigits }
        if text.count < length { return .tooShort(missing: length - text.count) }
        return text.count > length ? .tooLong(by: text.count - length) : nil
    }
}

extension SentCode: CustomStringConvertible, CustomReflectable {
    public var description: String { "SentCode(\(channel), \(length) characters)" }
    public var customMirror: Mirror { Mirror(self, children: ["channel": channel, "length": length]) }
}
