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
    private static let longestPart = 100_000
    /// A mail has a line for its method, one for its time, one for its network.
    private static let mostDetails = 3

    /// What a template of one kind can name.
    private struct Names {
        var values: [String]
        /// What decides about a part of the template.
        var conditions: [String]
        /// Whether a tag can leave a value as it is.
        var canBeRaw: Bool

        var all: String { (values + conditions).joined(separator: ", ") }

        static let sentence = Names(
            values: ["organisation", "minutes", "days"], conditions: ["single", "oneDay"], canBeRaw: true)
        static func template(_ part: TenantMail.Part) -> Names {
            Names(
                values: [
                    "organisation", "language", "direction", "subject", "text", "advice", "code", "label", "validity",
                    "secrecy",
                    "name", "value", "logo",
                ], conditions: ["hasCode", "hasDetails", "details", "hasLogo"], canBeRaw: part == .plain)
        }
    }

    // MARK: Sentences

    /// Checks a sentence: a line of text, with something to read whatever its numbers are.
    package static func check(sentence: String) throws(Fault) {
        guard (1...longestSentence).contains(sentence.utf8.count) else {
            throw Fault("must have 1 to \(longestSentence) bytes")
        }
        guard sentence.unicodeScalars.allSatisfy(isOfOneLine) else {
            throw Fault("must be one line without control characters and marks of direction")
        }
        try check(tagsOf: sentence, .sentence)
        for (minutes, days) in [(1, 0), (10, 0), (1_440, 1), (10_080, 7)] {
            let values: [String: Any] = [
                "organisation": "", "minutes": minutes, "single": minutes == 1, "days": days, "oneDay": days == 1,
            ]
            do {
                let words = try MailRenderer.plainTemplate(sentence).render(values)
                guard words.contains(where: { $0.isLetter || $0.isNumber }) else {
                    throw Fault("says nothing in some mails")
                }
            } catch let fault as Fault {
                throw fault
            } catch {
                throw Fault("cannot be read as a template")
            }
        }
    }

    private static func isOfOneLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        case .format: ![0x202A...0x202E, 0x2066...0x2069].contains { $0.contains(scalar.value) }
        case _: true
        }
    }

    // MARK: Templates

    /// Checks a whole template: its tags, what it must show in every kind of mail, its markup, and its length.
    package static func check(_ template: String, as part: TenantMail.Part) throws(Fault) {
        guard (1...longest).contains(template.utf8.count) else { throw Fault("must have 1 to \(longest) bytes") }
        guard
            template.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control || "\n\t".unicodeScalars.contains($0)
            })
        else { throw Fault("must have no control characters besides tabs and ends of lines") }
        try check(tagsOf: template, .template(part))
        for hasLogo in [false, true] {
            for (hasCode, details) in [(true, 0), (false, 0), (false, mostDetails)] {
                try check(template, as: part, hasLogo: hasLogo, hasCode: hasCode, details: details)
            }
        }
    }

    /// Checks one kind of mail, whose values can be found again.
    private static func check(
        _ template: String, as part: TenantMail.Part, hasLogo: Bool, hasCode: Bool, details: Int
    ) throws(Fault) {
        // About as long as the sentences are, so that the mail is as long as mails will be.
        func value(_ name: String) -> String { "<\(name)>" + String(repeating: " ", count: 150) }
        var mail = TenantMail()
        mail.templates[part] = template
        if hasLogo { mail.logo = .smallest }
        let context = MailRenderer.Context(
            language: .english, organisation: value("organisation"), subject: value("subject"), text: value("text"),
            advice: value("advice"), code: hasCode ? "<code>" : nil, label: value("label"), validity: value("validity"),
            secrecy: value("secrecy"),
            details: (0..<details).map { ["name": value("name\($0)"), "value": value("value\($0)")] })
        let words: String
        do {
            words = try MailRenderer.part(part, of: mail, context)
        } catch {
            throw Fault("cannot be read as a template")
        }
        guard words.utf8.count <= longestPart else {
            throw Fault("makes a mail of more than \(longestPart) bytes, which mail programs cut")
        }
        let shown: String
        switch part {
        case .plain: shown = words
        case .html: shown = try MailMarkup.text(of: words)
        }
        let needed =
            ["text", "advice"] + (hasCode ? ["code", "label", "validity", "secrecy"] : [])
            + (0..<details).flatMap { ["name\($0)", "value\($0)"] }
        for name in needed where !shown.contains(part == .plain ? "<\(name)>" : "&lt;\(name)&gt;") {
            let kind =
                "\(hasCode ? "with a code" : details > 0 ? "with details" : "without details")\(hasLogo ? " and a logo" : "")"
            throw Fault("does not show {{\(name.filter { !$0.isNumber })}} in mails \(kind)")
        }
    }

    /// Refuses tags that the renderer would take in another way than the page about mails says, and sections that could make
    /// a mail longer than its template: in a list is no other section.
    private static func check(tagsOf template: String, _ names: Names) throws(Fault) {
        var rest = Substring(template)
        var line = 1
        var sections = 0
        var open: [String] = []
        while let start = rest.firstRange(of: "{{") {
            line += rest[..<start.lowerBound].count { $0.isNewline }
            rest = rest[start.upperBound...]
            let isTriple = rest.first == "{"
            guard let end = rest.firstRange(of: isTriple ? "}}}" : "}}") else {
                throw Fault("has a {{ without }}", line: line)
            }
            let tag = rest[..<end.lowerBound].dropFirst(isTriple ? 1 : 0)
            rest = rest[end.upperBound...]
            if !isTriple, tag.first == "!" {
                line += tag.count { $0.isNewline }
                continue
            }
            let mark = isTriple ? nil : tag.first.flatMap { "#^/&".contains($0) ? $0 : nil }
            let name = String(
                tag.dropFirst(mark == nil ? 0 : 1).drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            guard (names.values + names.conditions).contains(name) else {
                throw Fault("has {{\(String(tag.prefix(40)))}}; it can have: \(names.all)", line: line)
            }
            switch mark {
            case "#", "^":
                guard names.conditions.contains(name) else {
                    throw Fault(
                        "has a section {{\(mark.map(String.init) ?? "")\(name)}}; sections are: \(names.conditions.joined(separator: ", "))",
                        line: line)
                }
                sections += 1
                guard sections <= mostSections else {
                    throw Fault("has more than \(mostSections) sections", line: line)
                }
                guard !open.contains("details") else { throw Fault("has a section inside details", line: line) }
                open.append(name)
            case "/":
                guard open.popLast() == name else {
                    throw Fault("ends a section {{\(name)}} that is not the last one", line: line)
                }
            case _:
                guard names.canBeRaw || (mark == nil && !isTriple) else {
                    throw Fault("shows {{\(name)}} without escaping; write it with two braces", line: line)
                }
            }
        }
        if let name = open.last { throw Fault("has a section {{\(name)}} that is not closed", line: line) }
    }
}

extension TenantMail.Logo {
    /// For checks of templates: any logo will do.
    fileprivate static var smallest: TenantMail.Logo? { TenantMail.Logo(Data(Form.png.signature)) }
}
