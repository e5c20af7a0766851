package import PortableFoundation

/// How a tenant's mails differ from those that we ship (docs/operate/mails.md). Every value was checked when the document
/// was read.
package struct TenantMail: Hashable, Sendable {
    /// The sender's address; nil: that of the server's settings.
    package var sender: String?
    /// The name beside the sender's address; nil: the tenant's.
    package var senderName: String?
    /// Where answers of readers go; nil: to the sender.
    package var replyTo: String?
    /// The language of readers who ask for none that we have; nil: English.
    package var language: MailLanguage?
    package var logo: Logo?
    /// Of the parts of the built-in layout.
    package var colours: [Colour: String] = [:]
    package var texts: [MailLanguage: [Text: String]] = [:]
    /// Templates of the tenant, in place of the built-in layouts.
    package var templates: [Part: String] = [:]

    package init() {}

    package static let unchanged = TenantMail()

    /// A picture that is part of the mail: no mail program fetches anything.
    package struct Logo: Hashable, Sendable {
        /// In this order, the bytes of the file begin with the bytes of ``signature``.
        package enum Form: String, Hashable, Sendable, CaseIterable {
            case png = "image/png"
            case jpeg = "image/jpeg"

            package var signature: [UInt8] {
                switch self {
                case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
                case .jpeg: [0xFF, 0xD8, 0xFF]
                }
            }
        }

        package let form: Form
        package let bytes: Data

        /// Each mail contains it, and a tenant document all of them.
        package static let maximumBytes = 24 * 1024

        /// Nil when the bytes are neither a PNG nor a JPEG file, or too many.
        package init?(_ bytes: Data) {
            let form = Form.allCases.first { bytes.starts(with: $0.signature) }
            guard let form, bytes.count <= Self.maximumBytes else { return nil }
            (self.form, self.bytes) = (form, bytes)
        }

        /// The picture as an address for a page of ours.
        package var dataURL: String { "data:\(form.rawValue);base64,\(bytes.base64EncodedString())" }
    }

    /// A part of the built-in layout that has a colour.
    package enum Colour: String, Hashable, Sendable, CaseIterable {
        /// Behind the mail, and behind its text.
        case page, panel
        case text
        /// The code, and behind it.
        case code, codePanel
    }

    /// The two parts of every mail.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        case plain, html
    }

    /// The place of a sentence in mails.
    package struct Text: Hashable, Sendable {
        package enum Role: String, Hashable, Sendable, CaseIterable {
            case subject
            /// The reason for the mail.
            case text
            /// For a reader who did not cause the mail.
            case advice
            case label, validity, secrecy
        }

        /// The mails that have the sentence; nil: all mails with a code.
        package var purpose: MailContent.Purpose?
        package var role: Role

        package init(_ purpose: MailContent.Purpose?, _ role: Role) {
            (self.purpose, self.role) = (purpose, role)
        }
    }

    // The parts that are long are compared, and not hashed: a mail is looked up by its tenant's settings.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(sender)
        hasher.combine(language)
        hasher.combine(logo?.bytes.count)
        hasher.combine(texts.count)
    }
}
