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

/// The sender of a tenant's mails, and their look.
package struct Letterhead: Sendable {
    /// The sender's address; a name is shown beside it.
    package var sender: MailAddress
    package var mail: TenantMail

    package init(sender: MailAddress, mail: TenantMail = .unchanged) {
        (self.sender, self.mail) = (sender, mail)
    }
}

/// Writes mails (`SEC-MAIL-7`): the organisation, why the code was sent, the code, how long it is valid, and that it
/// must not be shared; or, in a notice, the change of the account and the advice for the reader (`SEC-SSPR-5`,
/// `SEC-MFA-4`). No mail contains a link, text that the user typed, or content that a mail program would fetch.
package struct MailRenderer: Sendable {
    /// Everything that the texts of a mail depend on, except its code.
    private struct Facts: Hashable, Sendable {
        var mail: TenantMail
        var purpose: MailContent.Purpose
        var language: MailLanguage
        var organisation: String
        var minutesValid: Int
        /// The number of the code's digits; 0 without a code.
        var codeLength: Int
        /// The details of a notice about methods, with its time.
        var details: Details?
    }

    private struct Details: Hashable, Sendable {
        var occasion: MailContent.Occasion
        var at: Date
    }

    /// A mail without its code.
    fileprivate struct Frame: Sendable {
        var subject: String
        /// The texts, split at the places of the code.
        var text: [String]
        var html: [String]
        /// The same as parts of a message.
        let plainPart: FramedPart
        let htmlPart: FramedPart

        init(subject: String, text: [String], html: [String], codeLength: Int) {
            (self.subject, self.text, self.html) = (subject, text, html)
            let marks = String(repeating: MailRenderer.codeMark, count: codeLength)
            plainPart = FramedPart(MIME.text(text.joined(separator: marks), as: "plain"))
            htmlPart = FramedPart(MIME.text(html.joined(separator: marks), as: "html"))
        }

        var size: Int { (text + html).reduce(plainPart.bytes.count + htmlPart.bytes.count) { $0 + $1.utf8.count } }
    }

    /// An encoded part of a message with a NUL for each digit of the code: how the rest is encoded depends only on the
    /// number of the digits.
    fileprivate struct FramedPart: Sendable {
        let bytes: [UInt8]
        private let marks: [Int]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            marks = bytes.indices.filter { bytes[$0] == 0 }
        }

        func filled(with code: [UInt8]) -> [UInt8] {
            var filled = bytes
            for (number, mark) in marks.enumerated() { filled[mark] = code[number % code.count] }
            return filled
        }
    }

    /// A mail of one account: its frame, and its code.
    package struct Letter: Sendable {
        fileprivate let frame: Frame
        fileprivate let code: String

        package var subject: String { frame.subject }
        /// The text of the plain part.
        package var text: String { frame.text.joined(separator: code) }

        var words: MailText {
            MailText(subject: subject, text: text, html: frame.html.joined(separator: code))
        }
    }

    /// The placeholder for the code during rendering. No organisation's name contains it, because a header with it
    /// would be refused.
    fileprivate static let codeMark: Character = "\0"
    /// How many bytes of mails are cached; one of our own layout has 3 KB.
    private static let mostCached = 4 * 1024 * 1024
    /// The name of the logo's part (RFC 2392). It may be the same in all mails.
    package static let logoURL = "cid:\(logoID)"
    private static let logoID = "logo@native-auth.invalid"

    private struct Cache: Sendable {
        var frames: [Facts: Frame] = [:]
        var bytes = 0
    }

    /// The cached mails: mails of a tenant differ only in their codes.
    private let cache = Locked(Cache())

    package init() {}

    /// The texts of a mail.
    ///
    /// - Parameter mail: The settings of the tenant.
    /// - Throws: ``MailFormatError/code`` when the purpose needs a code and the content has none, or the reverse, or
    ///   when the code does not consist of digits; `MustacheTemplate.ParserError` for a malformed template, which the
    ///   check of the tenant's document and the tests exclude.
    package func words(of content: MailContent, as mail: TenantMail = .unchanged) throws -> MailText {
        try letter(of: content, as: mail).words
    }

    /// The same as ``words(of:as:)``, for ``render(_:letter:id:letterhead:)``.
    package func letter(of content: MailContent, as mail: TenantMail = .unchanged) throws -> Letter {
        let facts = Facts(
            mail: mail, purpose: content.purpose, language: content.language, organisation: content.organisation,
            minutesValid: content.minutesValid, codeLength: content.code?.utf8.count ?? 0,
            details: content.occasion.map { Details(occasion: $0, at: content.sentAt) })
        let phrases = MailPhrases(in: content.language)
        let sentences = phrases.sentences(of: content.purpose).changed(
            by: mail.texts[content.language] ?? [:], for: content.purpose)
        guard (sentences.code != nil) == (content.code != nil) else { throw MailFormatError.code }
        // Anything except digits would have to be escaped in HTML.
        guard content.code?.utf8.allSatisfy({ (0x30...0x39).contains($0) }) != false else { throw MailFormatError.code }
        let code = content.code ?? ""
        if let frame = cache.withLock({ $0.frames[facts] }) { return Letter(frame: frame, code: code) }
        let frame = try render(facts, sentences, phrases)
        // Not cached: these notices are rare and all differ.
        guard facts.details == nil else { return Letter(frame: frame, code: code) }
        cache.withLock { cache in
            if cache.bytes > Self.mostCached { cache = Cache() }
            cache.frames[facts] = frame
            cache.bytes += frame.size
        }
        return Letter(frame: frame, code: code)
    }

    private func render(
        _ facts: Facts, _ sentences: MailPhrases.Sentences, _ phrases: MailPhrases
    ) throws -> Frame {
        let days = facts.minutesValid / 1_440
        let values: [String: Any] = [
            "organisation": facts.organisation, "minutes": facts.minutesValid, "single": facts.minutesValid == 1,
            "days": days, "oneDay": days == 1,
        ]
        func sentence(_ template: String) throws -> String {
            try Self.plainTemplate(template).render(values)
        }
        let context = Context(
            language: facts.language, organisation: facts.organisation, subject: try sentence(sentences.subject),
            text: Self.naming(
                facts.details.map { kinds(in: $0, phrases) } ?? [], in: facts.language,
                text: try sentence(sentences.text), subject: try sentence(sentences.subject)),
            advice: try sentence(sentences.advice),
            code: sentences.code.map { _ in String(Self.codeMark) }, label: try sentence(sentences.code?.label ?? ""),
            validity: try sentence(sentences.code?.validity ?? ""),
            secrecy: try sentence(sentences.code?.secrecy ?? ""),
            details: facts.details.map { lines(of: $0, phrases) } ?? [])
        func cut(_ words: String) -> [String] {
            words.split(separator: Self.codeMark, omittingEmptySubsequences: false).map(String.init)
        }
        return Frame(
            subject: context.subject, text: cut(try Self.part(.plain, of: facts.mail, context)),
            html: cut(try Self.part(.html, of: facts.mail, context)), codeLength: facts.codeLength)
    }

    /// What a layout shows.
    struct Context {
        var language: MailLanguage
        var organisation: String
        var subject: String
        var text: String
        var advice: String
        var code: String?
        var label: String
        var validity: String
        var secrecy: String
        /// Each with `name` and `value`.
        var details: [[String: String]]
    }

    /// A part of a mail, in the tenant's layout or ours.
    static func part(_ part: TenantMail.Part, of mail: TenantMail, _ context: Context) throws -> String {
        var values: [String: Any] = [
            "language": context.language.rawValue, "direction": context.language.isRightToLeft ? "rtl" : "ltr",
            "organisation": context.organisation, "subject": context.subject, "text": context.text,
            "advice": context.advice,
            "hasCode": context.code != nil, "code": context.code ?? "", "label": context.label,
            "validity": context.validity, "secrecy": context.secrecy, "hasDetails": !context.details.isEmpty,
            "details": context.details, "hasLogo": mail.logo != nil, "logo": logoURL,
        ]
        switch part {
        case .plain: return try plainTemplate(mail.templates[.plain] ?? plainLayout).render(values)
        case .html:
            for colour in TenantMail.Colour.allCases {
                values[colour.rawValue + "Colour"] = mail.colours[colour] ?? colour.usual
            }
            // What is less important has the colour of the text on a panel of another colour, where ours might not be read.
            let isOwn = mail.colours[.panel] != nil || mail.colours[.text] != nil
            values["softColour"] = isOwn ? values["textColour"] : "#6b7280"
            return try MustacheTemplate(string: mail.templates[.html] ?? htmlLayout).render(values)
        }
    }

    /// A template of plain text: nothing in it is escaped.
    static func plainTemplate(_ template: String) throws -> MustacheTemplate {
        try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + template)
    }

    /// The methods of a notice that are no mailboxes, in the reader's language.
    private func kinds(in details: Details, _ phrases: MailPhrases) -> [String] {
        details.occasion.methods.compactMap { Self.kind($0, phrases) }
    }

    private static func kind(_ label: String, _ phrases: MailPhrases) -> String? {
        switch label {
        case StrongMethod.appLabel: phrases.authenticatorApp
        case StrongMethod.passkeyLabel: phrases.passkey
        case StrongMethod.recoveryCodesLabel: phrases.recoveryCodes
        // A masked telephone number says what it is; its plus sign stays in front in each direction of writing.
        case _ where label.hasPrefix("+") && !label.contains("@"): "\u{2066}\(label)\u{2069}"
        // An identity is called as its provider is; an address has an at sign, and the number of codes its own words.
        case _ where !label.contains("@") && !label.hasPrefix(StrongMethod.codesLeftLabel): label
        case _: nil
        }
    }

    /// The sentence about methods: `text` speaks of mailboxes, and the subject of methods of any kind, whose names follow it.
    private static func naming(_ kinds: [String], in language: MailLanguage, text: String, subject: String) -> String {
        guard !kinds.isEmpty else { return text }
        let isWide = text.hasSuffix("。")
        let colon = isWide ? "：" : language == .french ? "\u{A0}: " : ": "
        return subject + colon + kinds.joined(separator: ", ") + (isWide ? "。" : ".")
    }

    /// The lines about the change of methods, with its time and network (`SEC-ENR-5`).
    private func lines(of details: Details, _ phrases: MailPhrases) -> [[String: String]] {
        let time = details.at.formatted(Date.ISO8601FormatStyle(dateTimeSeparator: .space)).replacing("Z", with: " UTC")
        let others = details.occasion.methods.filter { Self.kind($0, phrases) == nil }
        let left = StrongMethod.codesLeftLabel + ": "
        let (counts, mailboxes) = (others.filter { $0.hasPrefix(left) }, others.filter { !$0.hasPrefix(left) })
        var lines = counts.map { (phrases.recoveryCodesLeft, String($0.dropFirst(left.count))) }
        if !mailboxes.isEmpty { lines.append((phrases.methodLabel, mailboxes.joined(separator: ", "))) }
        lines.append((phrases.timeLabel, time))
        if let network = details.occasion.network { lines.append((phrases.networkLabel, network)) }
        return lines.map { ["name": $0, "value": $1] }
    }

    /// The whole message. The same mail always renders to the same bytes, including its `Message-ID`, so that a
    /// duplicate can be recognised (`SEC-MAIL-2`).
    ///
    /// - Parameters:
    ///   - letter: The mail of `content`, if it was rendered already.
    ///   - id: The local part of the `Message-ID`.
    ///   - letterhead: The sender, and the settings of the tenant.
    /// - Throws: ``MailFormatError`` for an address or a name that is not allowed in a header, and the errors of
    ///   ``words(of:as:)``.
    package func render(
        _ content: MailContent, letter: Letter? = nil, id: String, letterhead: Letterhead
    ) throws -> RenderedMail {
        let (sender, mail) = (letterhead.sender, letterhead.mail)
        let recipient = try MailAddress(content.recipient)
        let messageID = try MailAddress("\(id)@\(sender.domain)")
        let letter = try letter ?? self.letter(of: content, as: mail)
        var head = "Date: \(MIME.date(content.sentAt))\r\n"
        head += try MIME.header("From", address: sender, displayName: mail.senderName ?? content.organisation)
        if let replyTo = mail.replyTo { head += "Reply-To: <\(try MailAddress(replyTo).text)>\r\n" }
        head += "To: <\(recipient.text)>\r\n"
        head += "Message-ID: <\(messageID.text)>\r\n"
        head += try MIME.header("Subject", text: letter.subject)
        // RFC 3834 section 5, and what mail servers of the largest vendor follow: no answers of absence.
        head += "Auto-Submitted: auto-generated\r\n"
        head += "X-Auto-Response-Suppress: All\r\n"
        head += "Content-Language: \(content.language.rawValue)\r\n"
        head += "MIME-Version: 1.0\r\n"
        let code = Array(letter.code.utf8)
        let plain = letter.frame.plainPart.filled(with: code)
        var html = letter.frame.htmlPart.filled(with: code)
        // Only a mail that shows the logo has it.
        if let logo = mail.logo, letter.frame.html.contains(where: { $0.contains(Self.logoURL) }) {
            html = MIME.multipart(
                "related", [html, MIME.picture(logo.bytes, as: logo.form.rawValue, id: Self.logoID)],
                boundary: "=_logo-\(id)")
        }
        let message = Array(head.utf8) + MIME.multipart("alternative", [plain, html], boundary: "=_\(id)")
        return try RenderedMail(sender: sender, recipient: recipient, message: message)
    }

    private static let plainLayout = """
        {{{organisation}}}

        {{{text}}}

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
        {{{advice}}}
        """

    private static let htmlLayout = """
        <!DOCTYPE html>
        <html lang="{{language}}" dir="{{direction}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{subject}}</title>
        </head>
        <body style="margin:0;padding:0;background:{{pageColour}};">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:{{pageColour}};">
        <tr><td align="center" style="padding:32px 16px;">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;\
        background:{{panelColour}};border:1px solid #e5e7eb;border-radius:12px;\
        font-family:-apple-system,'Segoe UI',Roboto,'Hiragino Sans','Noto Sans JP',Helvetica,Arial,sans-serif;\
        font-size:16px;line-height:1.5;color:{{textColour}};">
        <tr><td style="padding:28px 32px 0;font-size:14px;font-weight:600;color:{{softColour}};">\
        {{#hasLogo}}<img src="{{logo}}" alt="{{organisation}}" height="40" style="display:block;height:40px;width:auto;border:0;">\
        {{/hasLogo}}{{^hasLogo}}{{organisation}}{{/hasLogo}}</td></tr>
        <tr><td style="padding:12px 32px 0;">{{text}}</td></tr>
        {{#hasCode}}
        <tr><td style="padding:24px 32px 0;font-size:14px;color:{{softColour}};">{{label}}</td></tr>
        <tr><td style="padding:8px 32px 0;">
        <div dir="ltr" style="padding:16px;background:{{codePanelColour}};border-radius:8px;text-align:center;\
        font-family:'SF Mono',Menlo,Consolas,monospace;font-size:32px;font-weight:700;letter-spacing:6px;\
        color:{{codeColour}};">{{code}}</div>
        </td></tr>
        <tr><td style="padding:16px 32px 0;">{{validity}}</td></tr>
        <tr><td style="padding:8px 32px 0;font-weight:600;">{{secrecy}}</td></tr>
        {{/hasCode}}
        {{#details}}
        <tr><td style="padding:8px 32px 0;font-size:14px;"><span style="color:{{softColour}};">{{name}}:</span> {{value}}</td></tr>
        {{/details}}
        <tr><td style="padding:24px 32px 28px;font-size:13px;color:{{softColour}};">{{advice}}</td></tr>
        </table>
        </td></tr>
        </table>
        </body>
        </html>
        """
}

extension TenantMail.Colour {
    /// The colour of the built-in layout.
    package var usual: String {
        switch self {
        case .page: "#f3f4f6"
        case .panel: "#ffffff"
        case .text: "#1f2937"
        case .code: "#1e1b4b"
        case .codePanel: "#eef2ff"
        }
    }
}
