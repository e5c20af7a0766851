import IdentityEngine
import IdentityMail
import PortableFoundation
import Yams

/// What a tenant document says about the tenant's mails, with its lines (docs/operate/mails.md).
struct ReadMail {
    let mail: TenantMail
    private let members: YAMLMembers

    /// The name in `texts` of what all mails with a code have.
    static let allCodes = "code"

    /// Reads the members. A faulty value is replaced by a placeholder that is never used.
    init(_ members: YAMLMembers, _ faults: YAMLFaults) {
        self.members = members
        var mail = TenantMail()
        mail.sender = Self.address("sender", of: members, mustSend: true)
        mail.senderName = Self.name("senderName", of: members)
        mail.replyTo = Self.address("replyTo", of: members)
        mail.language = members.choice("language")
        if let text = members.text("logo") {
            mail.logo = Data(base64Encoded: text.filter { !$0.isWhitespace }).flatMap { TenantMail.Logo($0) }
            if mail.logo == nil {
                members.add(
                    "logo must be a PNG or JPEG file of at most \(TenantMail.Logo.maximumBytes / 1024) KiB in base64.",
                    at: "logo")
            }
        }
        if let colours = members.members("colours", of: "the member colours") {
            for colour in TenantMail.Colour.allCases {
                mail.colours[colour] = ReadPages.hexText(colour.rawValue, of: colours)
            }
            colours.end()
        }
        if let languages = members.members("texts", of: "the member texts") {
            for language in MailLanguage.allCases {
                guard let entry = languages.members(language.rawValue, of: "the entry of a language") else { continue }
                mail.texts[language] = Self.texts(entry)
            }
            languages.end()
        }
        if let templates = members.members("templates", of: "the member templates") {
            for part in TenantMail.Part.allCases {
                guard let template = templates.text(part.rawValue) else { continue }
                mail.templates[part] = template
                do throws(MailTemplate.Fault) {
                    try MailTemplate.check(template, as: part)
                } catch {
                    templates.add(
                        "\(part.rawValue), line \(error.line) of it: it \(error.sentence).", at: part.rawValue)
                }
            }
            templates.end()
        }
        members.end()
        self.mail = mail
    }

    private static func texts(_ members: YAMLMembers) -> [TenantMail.Text: String] {
        var texts: [TenantMail.Text: String] = [:]
        for purpose in [nil] + MailContent.Purpose.allCases.map(Optional.some) {
            let name = purpose?.rawValue ?? allCodes
            guard let entry = members.members(name, of: "the entry of a mail") else { continue }
            for role in TenantMail.Text.Role.allCases where role.isPart(of: purpose) {
                guard let sentence = entry.text(role.rawValue) else { continue }
                texts[.init(purpose, role)] = sentence
                do throws(MailTemplate.Fault) {
                    try MailTemplate.check(sentence: sentence)
                } catch {
                    entry.add("\(role.rawValue) \(error.sentence).", at: role.rawValue)
                }
            }
            entry.end()
        }
        members.end()
        return texts
    }

    private static func address(_ name: String, of members: YAMLMembers, mustSend: Bool = false) -> String? {
        guard let text = members.text(name) else { return nil }
        do throws(MailFormatError) {
            let address = try MailAddress(text)
            if mustSend, !address.canSend { members.add("the domain of \(name) is longer than 217 bytes.", at: name) }
        } catch {
            members.add("\(name) must be a mail address such as no-reply@harbour.example.com.", at: name)
        }
        return text
    }

    private static func name(_ name: String, of members: YAMLMembers) -> String? {
        guard let text = members.text(name) else { return nil }
        if !(1...256).contains(text.utf8.count) || Terminal.harmless(text) != text {
            members.add("\(name) must have 1 to 256 bytes and no line end or control character.", at: name)
        }
        return text
    }

    /// Adds warnings about valid settings that readers suffer from.
    func advise(_ advice: YAMLFaults) {
        func contrast(_ one: TenantMail.Colour, _ other: TenantMail.Colour) -> Double? {
            guard let first = HexColour(mail.colours[one] ?? one.usual),
                let second = HexColour(mail.colours[other] ?? other.usual)
            else { return nil }
            return first.contrast(to: second)
        }
        for (text, behind) in [(TenantMail.Colour.text, TenantMail.Colour.panel), (.code, .codePanel)] {
            guard let ratio = contrast(text, behind), ratio < 4.5 else { continue }
            let shown = (ratio * 10).rounded(.down) / 10
            advice.add(
                "the colour of \(text.rawValue) on that of \(behind.rawValue) has a contrast of \(shown) to 1; 4.5 is needed to read it well.",
                line: members.line(of: "colours"))
        }
        let words = mail.texts.values.flatMap(\.values) + mail.templates.values
        if words.contains(where: { word in
            ["://", "www.", "href"].contains { word.lowercased().utf8.contains($0.utf8) }
        }) {
            advice.add(
                "a mail has a link. Readers of mails with codes are safer when they never click one: say where in your app to look.",
                line: members.line)
        }
    }
}

extension TenantMail.Text.Role {
    /// Whether a mail can have the sentence: a notice has no code.
    fileprivate func isPart(of purpose: MailContent.Purpose?) -> Bool {
        switch self {
        case .subject, .text, .advice: true
        case .label, .validity, .secrecy: purpose?.hasCode ?? true
        }
    }
}
