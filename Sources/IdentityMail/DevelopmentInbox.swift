#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A mail that a mail server took, as the inbox of the development profile shows it (design §5). It holds a code in the
/// clear; its description does not show it.
package struct DeliveredMail: Hashable, Sendable, Encodable, CustomStringConvertible {
    /// The recipient.
    package var to: String
    package var subject: String
    /// Nil in a notice; the JSON then says `null`.
    package var code: String?
    /// The plain part.
    package var text: String
    package var sentAt: Date

    package init(to: String, subject: String, code: String?, text: String, sentAt: Date) {
        self.to = to
        self.subject = subject
        self.code = code
        self.text = text
        self.sentAt = sentAt
    }

    private enum Key: String, CodingKey {
        case to
        case subject
        case code
        case text
        case sentAt
    }

    /// `sentAt` is text of RFC 3339 in UTC with milliseconds, such as `2025-02-13T09:05:00.250Z`, whatever the encoder
    /// is set to.
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

/// The mails that were sent since the start, for the development profile only: the newest 1 000.
package actor DevelopmentInbox {
    private static let capacity = 1_000
    private var newestFirst: [DeliveredMail] = []
    /// Grows with every mail, so that a page can tell whether there is something new.
    package private(set) var changes = 0

    package init() {}

    /// Puts a mail on top and drops the oldest when there are too many.
    package func record(_ mail: DeliveredMail) {
        newestFirst.insert(mail, at: 0)
        if newestFirst.count > Self.capacity { newestFirst.removeLast() }
        changes += 1
    }

    /// The mails, newest first.
    ///
    /// - Parameter address: Only those to this address, the case of ASCII letters ignored; nil for all.
    package func mails(to address: String? = nil) -> [DeliveredMail] {
        guard let address else { return newestFirst }
        let wanted = Self.folded(address)
        return newestFirst.filter { Self.folded($0.to) == wanted }
    }

    private static func folded(_ address: String) -> [UInt8] {
        address.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
