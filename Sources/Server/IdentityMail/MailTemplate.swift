package import IdentityEngine
import Mustache
import PortableFoundation

/// Checks the templates and sentences of a tenant when its document is read, so that no mail fails for them later
/// (docs/operate/mails.md).
package enum MailTemplate {
    /// Why a template is refused: a sentence about it, without its name, and the line in the template.
    package struct Fault: Error, Hashable, Sendable {
        package var sentence: String
        package var line: Int

        package init(_ sentence: String, line: Int = 1) {
            (self.sentence, self.line) = (sentence, line)
        }
    }

    /// The longest template, and the longest sentence, in bytes.
    package static let longest = 32 * 1024
    package static let longestSentence = 1_000
    private static let mostSections = 100
    /// Mail programs cut longer mails.
    static let longestPart = 100_000

    /// What a sentence can name.
    static let sentenceNames = ["organisation", "minutes", "single", "days", "oneDay"]
    /// What a template can name.
    static let templateNames = [
        "organisation", "language", "direction", "subject", "text", "advice", "hasCode", "code", "label", "validity",
        "secrecy",
        "hasDetails", "details", "name", "value", "hasLogo", "logo",
    ]

    /// Checks a sentence: a line of text.
    package static func check(sentence: String) throws(Fault) {
        guard !sentence.utf8.isEmpty, sentence.utf8.count <= longestSentence else {
            throw Fault("must have 1 to \(longestSentence) bytes")
        }
        guard
            sentence.unicodeScalars.allSatisfy({
                $0.value >= 0x20 && $0.value != 0x7F && $0.properties.generalCategory != .control
            })
        else { throw Fault("must be one line without control characters") }
        try check(tagsOf: sentence, among: sentenceNames)
        guard (try? MustacheTemplate(string: sentence)) != nil else { throw Fault("has a section that is not closed") }
    }

    /// Checks a whole template: its tags, what it must show, what it must not fetch, and its length.
    package static func check(_ template: String, as part: TenantMail.Part) throws(Fault) {
        guard !template.utf8.isEmpty, template.utf8.count <= longest else {
            throw Fault("must have 1 to \(longest) bytes")
        }
        guard
            template.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control || "\n\t".unicodeScalars.contains($0)
            })
        else { throw Fault("must have no control characters besides tabs and ends of lines") }
        try check(tagsOf: template, among: templateNames)
        var mail = TenantMail()
        mail.templates[part] = template
        for purpose in [MailContent.Purpose.signUp, .methodRegistered] {
            let shown = try probe(mail, part, purpose)
            try check(shown, as: part)
        }
    }

    /// A mail whose values can be found again in the template's part.
    private static func probe(
        _ mail: TenantMail, _ part: TenantMail.Part, _ purpose: MailContent.Purpose
    ) throws(Fault) -> (words: String, needed: [String]) {
        let hasCode = purpose == .signUp
        let names = ["text", "advice"] + (hasCode ? ["code", "label", "validity", "secrecy"] : ["name", "value"])
        // About as long as the sentences are, so that the mail is as long as mails will be.
        func value(_ name: String) -> String { "<\(name)>" + String(repeating: " ", count: 150) }
        let context = MailRenderer.Context(
            language: .english, organisation: value("organisation"), subject: value("subject"), text: value("text"),
            advice: value("advice"), code: hasCode ? "<code>" : nil, label: value("label"), validity: value("validity"),
            secrecy: value("secrecy"),
            details: hasCode ? [] : [["name": value("name"), "value": value("value")]])
        do {
            let words = try MailRenderer.part(part, of: mail, context)
            return (words, names)
        } catch {
            throw Fault("has a section that is not closed")
        }
    }

    private static func check(
        _ shown: (words: String, needed: [String]), as part: TenantMail.Part
    ) throws(Fault) {
        guard shown.words.utf8.count <= longestPart else {
            throw Fault("makes a mail of more than \(longestPart) bytes, which mail programs cut")
        }
        for name in shown.needed {
            let value = "<\(name)>"
            switch part {
            case .plain:
                guard shown.words.contains(value) else { throw Fault("does not show {{\(name)}}") }
            case .html:
                guard !shown.words.contains(value) else {
                    throw Fault("shows {{\(name)}} without escaping; write it with two braces")
                }
                guard shown.words.contains("&lt;\(name)&gt;") else { throw Fault("does not show {{\(name)}}") }
            }
        }
        guard part == .html else { return }
        let words = shown.words.lowercased()
        for word in ["<script", "<iframe", "<form", "<link", "<object", "<embed", "@import"] where words.contains(word)
        {
            throw Fault("has “\(word)”, which mails must not have")
        }
        guard !words.contains(Self.fetches) else {
            throw Fault(
                "lets the mail program fetch something, which tells who has read the mail; the logo is a part of the mail"
            )
        }
    }

    /// An attribute or a style whose address is elsewhere.
    private static var fetches: Regex<Substring> {
        /(?:src|srcset|background|poster|data)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//
    }

    /// Refuses tags that the renderer would take in another way than the page about mails says.
    private static func check(tagsOf template: String, among names: [String]) throws(Fault) {
        var rest = Substring(template)
        var line = 1
        var sections = 0
        while let start = rest.firstRange(of: "{{") {
            line += rest[..<start.lowerBound].count { $0 == "\n" }
            rest = rest[start.upperBound...]
            let isTriple = rest.first == "{"
            guard let end = rest.firstRange(of: isTriple ? "}}}" : "}}") else {
                throw Fault("has a {{ without }}", line: line)
            }
            let tag = rest[..<end.lowerBound].dropFirst(isTriple ? 1 : 0)
            line += tag.count { $0 == "\n" }
            rest = rest[end.upperBound...]
            if !isTriple, tag.first == "!" { continue }
            let marks: [Character] = ["#", "^", "/", "&"]
            let hasMark = !isTriple && tag.first.map(marks.contains) ?? false
            let name = tag.dropFirst(hasMark ? 1 : 0).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            // Sections in sections are read and written by recursion.
            if hasMark, tag.first == "#" || tag.first == "^" { sections += 1 }
            guard sections <= mostSections else { throw Fault("has more than \(mostSections) sections", line: line) }
            guard names.contains(name) else {
                throw Fault(
                    "has {{\(String(tag.prefix(40)))}}; it can have: \(names.joined(separator: ", "))", line: line)
            }
        }
    }
}
