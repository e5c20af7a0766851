package import IdentityEngine
import Mustache
import NativeAuthCore
import PortableFoundation

/// The texts of a mail, before they are put into a message.
package struct MailText: Hashable, Sendable {
    package var subject: String
    /// The plain-text part; lines end with LF, and the code, if there is one, has its own line.
    package var text: String
    /// The HTML part; lines end with LF.
    package var html: String
}

/// Writes mails (`SEC-MAIL-7`): the organisation, why the code was sent, the code, how long it is valid, and that it
/// must not be shared; or, in a notice, the change of the account and the advice for the reader (`SEC-SSPR-5`,
/// `SEC-MFA-4`). No mail contains a link, text that the user typed, or content that a mail program would fetch.
package struct MailRenderer: Sendable {
    /// Everything that the texts of a mail depend on, except its code.
    private struct Facts: Hashable, Sendable {
        var purpose: MailContent.Purpose
        var language: MailLanguage
        var organisation: String
        var minutesValid: Int
        /// The details of a notice about methods, with its time.
        var details: Details?
    }

    private struct Details: Hashable, Sendable {
        var occasion: MailContent.Occasion
        var at: Date
    }

    /// Rendered texts, split at the place of the code.
    private struct Frame: Sendable {
        var subject: String
        var text: [String]
        var html: [String]

        func words(code: String?) -> MailText {
            let code = code ?? ""
            return MailText(subject: subject, text: text.joined(separator: code), html: html.joined(separator: code))
        }
    }

    /// The placeholder for the code during rendering. No organisation's name contains it, because a header with it
    /// would be refused.
    private static let codeMark: Character = "\0"
    /// The largest number of cached mails, of 3 KB each.
    private static let mostFrames = 1_024

    private let plain: MustacheTemplate
    private let html: MustacheTemplate
    /// The cached mails: mails of a tenant differ only in their codes.
    private let frames = Locked<[Facts: Frame]>([:])

    /// - Throws: `MustacheTemplate.ParserError` if a layout of this file is malformed, which a test excludes.
    package init() throws {
        plain = try MustacheTemplate(string: Self.plainLayout)
        html = try MustacheTemplate(string: Self.htmlLayout)
    }

    /// The texts of a mail.
    ///
    /// - Throws: ``MailFormatError/code`` when the purpose needs a code and the content has none, or the reverse, or
    ///   when the code does not consist of digits; `MustacheTemplate.ParserError`, as ``init()``.
    package func words(of content: MailContent) throws -> MailText {
        let facts = Facts(
            purpose: content.purpose, language: content.language, organisation: content.organisation,
            minutesValid: content.minutesValid,
            details: content.occasion.map { Details(occasion: $0, at: content.sentAt) })
        let phrases = MailPhrases(in: content.language)
        let opening = phrases.opening(of: content.purpose)
        guard opening.hasCode == (content.code != nil) else { throw MailFormatError.code }
        // Anything except digits would have to be escaped in HTML.
        guard content.code?.utf8.allSatisfy({ (0x30...0x39).contains($0) }) != false else { throw MailFormatError.code }
        if let frame = frames.withLock({ $0[facts] }) { return frame.words(code: content.code) }
        let frame = try render(facts, opening, phrases)
        // Not cached: these notices are rare and all differ.
        guard facts.details == nil else { return frame.words(code: content.code) }
        frames.withLock { frames in
            if frames.count >= Self.mostFrames { frames.removeAll() }
            frames[facts] = frame
        }
        return frame.words(code: content.code)
    }

    private func render(_ facts: Facts, _ opening: MailPhrases.Opening, _ phrases: MailPhrases) throws -> Frame {
        let days = facts.minutesValid / 1_440
        let values: [String: Any] = [
            "organisation": facts.organisation, "minutes": facts.minutesValid, "single": facts.minutesValid == 1,
            "days": days, "oneDay": days == 1,
        ]
        func sentence(_ template: String) throws -> String {
            try MustacheTemplate(string: template).render(values)
        }
        let subject = try sentence(opening.subject)
        let context: [String: Any] = [
            "language": facts.language.rawValue, "organisation": facts.organisation, "hasCode": opening.hasCode,
            "code": String(Self.codeMark), "subject": subject, "purpose": try sentence(opening.sentence),
            "label": phrases.label, "validity": try sentence(opening.validity ?? phrases.validity),
            "secrecy": try sentence(phrases.secrecy), "unasked": try sentence(opening.unasked),
            "hasDetails": facts.details != nil,
            "details": facts.details.map { lines(of: $0, phrases.methods) } ?? [],
        ]
        func cut(_ words: String) -> [String] {
            words.split(separator: Self.codeMark, omittingEmptySubsequences: false).map(String.init)
        }
        return Frame(subject: subject, text: cut(plain.render(context)), html: cut(html.render(context)))
    }

    /// The lines about the change of methods, with its time and network (`SEC-ENR-5`).
    private func lines(of details: Details, _ phrases: MethodPhrases) -> [[String: String]] {
        let time = details.at.formatted(Date.ISO8601FormatStyle(dateTimeSeparator: .space)).replacing("Z", with: " UTC")
        var lines = [(phrases.method, details.occasion.methods.joined(separator: ", ")), (phrases.time, time)]
        if let network = details.occasion.network { lines.append((phrases.network, network)) }
        return lines.map { ["name": $0, "value": $1] }
    }

    /// The whole message. The same mail always renders to the same bytes, including its `Message-ID`, so that a
    /// duplicate can be recognised (`SEC-MAIL-2`).
    ///
    /// - Parameters:
    ///   - words: The texts of `content`, if they are already rendered.
    ///   - id: The local part of the `Message-ID`.
    ///   - sender: The sender's address; the organisation's name is shown beside it.
    /// - Throws: ``MailFormatError`` for an address or a name that is not allowed in a header, and the errors of
    ///   ``words(of:)``.
    package func render(
        _ content: MailContent, words: MailText? = nil, id: String, sender: MailAddress
    ) throws -> RenderedMail {
        let recipient = try MailAddress(content.recipient)
        let messageID = try MailAddress("\(id)@\(sender.domain)")
        let words = try words ?? self.words(of: content)
        // Quoted-printable never writes "=_", so the boundary cannot occur in a part.
        let boundary = "=_\(id)"
        var message = "Date: \(MIME.date(content.sentAt))\r\n"
        message += try MIME.header("From", address: sender, displayName: content.organisation)
        message += "To: <\(recipient.text)>\r\n"
        message += "Message-ID: <\(messageID.text)>\r\n"
        message += try MIME.header("Subject", text: words.subject)
        message += "Auto-Submitted: auto-generated\r\n"
        message += "Content-Language: \(content.language.rawValue)\r\n"
        message += "MIME-Version: 1.0\r\n"
        message += "Content-Type: multipart/alternative; boundary=\"\(boundary)\"\r\n\r\n"
        for (type, body) in [("plain", words.text), ("html", words.html)] {
            message += "--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\n"
            message += "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
            message += MIME.quotedPrintable(body) + "\r\n"
        }
        message += "--\(boundary)--\r\n"
        return try RenderedMail(sender: sender, recipient: recipient, message: Array(message.utf8))
    }

    private static let plainLayout = """
        {{{organisation}}}

        {{{purpose}}}

        {{#hasCode}}
        {{{label}}}

        {{{code}}}

        {{{validity}}}
        {{{secrecy}}}

        {{/hasCode}}
        {{#hasDetails}}
        {{#details}}
        {{{name}}}: {{{value}}}
        {{/details}}

        {{/hasDetails}}
        {{{unasked}}}
        """

    private static let htmlLayout = """
        <!DOCTYPE html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{subject}}</title>
        </head>
        <body style="margin:0;padding:0;background:#f3f4f6;">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6;">
        <tr><td align="center" style="padding:32px 16px;">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;\
        background:#ffffff;border:1px solid #e5e7eb;border-radius:12px;\
        font-family:-apple-system,'Segoe UI',Roboto,'Hiragino Sans','Noto Sans JP',Helvetica,Arial,sans-serif;\
        font-size:16px;line-height:1.5;color:#1f2937;">
        <tr><td style="padding:28px 32px 0;font-size:14px;font-weight:600;color:#6b7280;">{{organisation}}</td></tr>
        <tr><td style="padding:12px 32px 0;">{{purpose}}</td></tr>
        {{#hasCode}}
        <tr><td style="padding:24px 32px 0;font-size:14px;color:#6b7280;">{{label}}</td></tr>
        <tr><td style="padding:8px 32px 0;">
        <div style="padding:16px;background:#eef2ff;border-radius:8px;text-align:center;\
        font-family:'SF Mono',Menlo,Consolas,monospace;font-size:32px;font-weight:700;letter-spacing:6px;\
        color:#1e1b4b;">{{code}}</div>
        </td></tr>
        <tr><td style="padding:16px 32px 0;">{{validity}}</td></tr>
        <tr><td style="padding:8px 32px 0;font-weight:600;">{{secrecy}}</td></tr>
        {{/hasCode}}
        {{#details}}
        <tr><td style="padding:8px 32px 0;font-size:14px;"><span style="color:#6b7280;">{{name}}:</span> {{value}}</td></tr>
        {{/details}}
        <tr><td style="padding:24px 32px 28px;font-size:13px;color:#6b7280;">{{unasked}}</td></tr>
        </table>
        </td></tr>
        </table>
        </body>
        </html>
        """
}
