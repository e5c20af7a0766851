package import IdentityEngine
import Mustache
import NativeAuthCore

/// A mail's words, before they are put into a message.
package struct MailText: Hashable, Sendable {
    package var subject: String
    /// The plain part; lines end with LF, the code, if any, stands alone on one.
    package var text: String
    /// The HTML part; lines end with LF.
    package var html: String
}

/// Writes mails (`SEC-MAIL-7`): the organisation, why the code was sent, the code, how long it is valid, and that it is
/// for nobody else; or, in a notice, what happened to the account and what to do about it (`SEC-SSPR-5`, `SEC-MFA-4`).
/// There is no link in any of them, nothing that the user typed, and nothing that a mail program would have to fetch.
package struct MailRenderer: Sendable {
    private let plain: MustacheTemplate
    private let html: MustacheTemplate
    /// The phrases that were parsed already; there are only so many.
    private let sentences = Locked<[String: MustacheTemplate]>([:])

    /// - Throws: `MustacheTemplate.ParserError` if a layout of this file is malformed, which a test rules out.
    package init() throws {
        plain = try MustacheTemplate(string: Self.plainLayout)
        html = try MustacheTemplate(string: Self.htmlLayout)
    }

    /// The words of a mail.
    ///
    /// - Throws: ``MailFormatError/code`` for a purpose with a code when the content has none, or the other way round;
    ///   `MustacheTemplate.ParserError`, as ``init()``.
    package func words(of content: MailContent) throws -> MailText {
        let phrases = MailPhrases(in: content.language)
        let opening = phrases.opening(of: content.purpose)
        guard opening.hasCode == (content.code != nil) else { throw MailFormatError.code }
        let facts: [String: Any] = [
            "organisation": content.organisation, "minutes": content.minutesValid, "single": content.minutesValid == 1,
        ]
        func sentence(_ template: String) throws -> String {
            try parsed(template).render(facts)
        }
        let subject = try sentence(opening.subject)
        let context: [String: Any] = [
            "language": content.language.rawValue, "organisation": content.organisation, "hasCode": opening.hasCode,
            "code": content.code ?? "", "subject": subject, "purpose": try sentence(opening.sentence),
            "label": phrases.label, "validity": try sentence(phrases.validity),
            "secrecy": try sentence(phrases.secrecy), "unasked": try sentence(opening.unasked),
        ]
        return MailText(subject: subject, text: plain.render(context), html: html.render(context))
    }

    private func parsed(_ phrase: String) throws -> MustacheTemplate {
        if let known = sentences.withLock({ $0[phrase] }) { return known }
        let template = try MustacheTemplate(string: phrase)
        sentences.withLock { $0[phrase] = template }
        return template
    }

    /// The whole message. The same mail renders to the same bytes every time, its `Message-ID` included, so that a
    /// duplicate can be told (`SEC-MAIL-2`).
    ///
    /// - Parameters:
    ///   - words: Those of `content`, if they are at hand.
    ///   - id: The local part of the `Message-ID`.
    ///   - sender: Where the mail comes from; the organisation's name is shown beside it.
    /// - Throws: ``MailFormatError`` for an address or a name that must not stand in a header, and as ``words(of:)``.
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
        <tr><td style="padding:24px 32px 28px;font-size:13px;color:#6b7280;">{{unasked}}</td></tr>
        </table>
        </td></tr>
        </table>
        </body>
        </html>
        """
}
