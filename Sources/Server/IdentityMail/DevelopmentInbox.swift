package import PortableFoundation

/// A mail that a mail server accepted, as the inbox of the development profile shows it (design record 0014). It
/// contains a code in the clear; its description omits it.
package struct DeliveredMail: Hashable, Sendable, Encodable, CustomStringConvertible {
    /// The recipient.
    package var to: String
    package var subject: String
    /// Nil in a notice; the JSON then says `null`.
    package var code: String?
    /// The plain-text part.
    package var text: String
    package var sentAt: Date

    private enum Key: String, CodingKey {
        case to
        case subject
        case code
        case text
        case sentAt
    }

    /// Encodes `sentAt` as RFC 3339 text in UTC with milliseconds, such as `2025-02-13T09:05:00.250Z`, regardless of
    /// the encoder's settings.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(to, forKey: .to)
        try container.encode(subject, forKey: .subject)
        try container.encode(code, forKey: .code)
        try container.encode(text, forKey: .text)
        try container.encode(
            sentAt.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), forKey: .sentAt)
    }

    package var description: String { "‹redacted›" }
}

/// The newest 1 000 mails sent since the start; development profile only.
package actor DevelopmentInbox {
    private static let capacity = 1_000
    private var newestFirst: [DeliveredMail] = []
    /// Increases with every mail, so that a page can detect a new one.
    package private(set) var changes = 0

    package init() {}

    /// Adds a mail, and drops the oldest above the capacity.
    package func record(_ mail: DeliveredMail) {
        newestFirst.insert(mail, at: 0)
        if newestFirst.count > Self.capacity { newestFirst.removeLast() }
        changes += 1
    }

    /// The mails, newest first.
    ///
    /// - Parameter address: The recipient, compared without regard to the case of ASCII letters; nil for all mails.
    package func mails(to address: String? = nil) -> [DeliveredMail] {
        guard let address else { return newestFirst }
        let wanted = Self.folded(address)
        return newestFirst.filter { Self.folded($0.to) == wanted }
    }

    private static func folded(_ address: String) -> [UInt8] {
        address.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
