/// The HTML that a tenant's template may have: elements and attributes of a list, no script, nothing that a mail program
/// would fetch (`SEC-MAIL-7`). One look at each byte.
enum MailMarkup {
    private static let elements: Set<String> = [
        "html", "head", "title", "meta", "style", "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th",
        "caption",
        "col", "colgroup", "div", "span", "p", "h1", "h2", "h3", "h4", "h5", "h6", "b", "strong", "i", "em", "u",
        "small",
        "br", "hr", "img", "a", "ul", "ol", "li", "center", "font", "blockquote", "pre", "code", "sup", "sub",
        "section",
        "article", "header", "footer", "main",
    ]
    private static let attributes: Set<String> = [
        "style", "class", "id", "dir", "lang", "align", "valign", "width", "height", "bgcolor", "border", "cellpadding",
        "cellspacing", "role", "alt", "title", "colspan", "rowspan", "charset", "name", "content", "color", "face",
        "size",
        "type", "media", "href", "src", "aria-label", "aria-hidden",
    ]
    /// What a style must not have, in lower case: addresses, and the escapes that could hide one.
    private static let styleFaults = [
        "url", "\\", "&", "image", "src", "@import", "@font-face", "expression", "<", "attr(",
    ]

    /// The text between the tags.
    ///
    /// - Throws: ``MailTemplate/Fault`` for the first thing that is not allowed.
    static func text(of html: String) throws(MailTemplate.Fault) -> String {
        var reader = Reader(bytes: Array(html.utf8))
        var text: [UInt8] = []
        while let byte = reader.next() {
            guard byte == UInt8(ascii: "<"), let following = reader.peek else {
                text.append(byte)
                continue
            }
            switch following {
            case UInt8(ascii: "!"):
                if reader.skip("!--[") { throw fault("a comment that some mail programs read") }
                if reader.skip("!--") {
                    guard reader.skip(past: "-->") != nil else { throw fault("a comment without an end") }
                } else if reader.skip("!doctype") {
                    guard reader.skip(past: ">") != nil else { throw fault("a doctype without an end") }
                } else {
                    throw fault("<!")
                }
            case UInt8(ascii: "?"): throw fault("<?")
            case UInt8(ascii: "/"):
                _ = reader.next()
                let name = reader.name()
                guard elements.contains(name) else { throw fault("</\(name.prefix(40))>") }
                guard reader.skip(past: ">") != nil else { throw fault("a tag without an end") }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                let name = reader.name()
                guard elements.contains(name) else { throw fault("<\(name.prefix(40))>") }
                try check(attributesOf: name, &reader)
                if name == "style" || name == "title" {
                    guard let content = reader.skip(past: "</\(name)") else { throw fault("<\(name)> without an end") }
                    if name == "style" { try check(style: content) }
                    guard reader.skip(past: ">") != nil else { throw fault("a tag without an end") }
                }
            case _: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func fault(_ what: String) -> MailTemplate.Fault {
        MailTemplate.Fault("has \(what), which mails must not have (docs/operate/mails.md)")
    }

    private static func check(attributesOf element: String, _ reader: inout Reader) throws(MailTemplate.Fault) {
        while true {
            reader.skipBlanks(and: UInt8(ascii: "/"))
            guard let byte = reader.peek else { throw fault("a tag without an end") }
            if byte == UInt8(ascii: ">") {
                _ = reader.next()
                return
            }
            let name = reader.name()
            guard attributes.contains(name) else { throw fault("the attribute “\(name.prefix(40))”") }
            reader.skipBlanks()
            guard reader.peek == UInt8(ascii: "=") else { continue }
            _ = reader.next()
            reader.skipBlanks()
            guard let value = reader.value() else { throw fault("a tag without an end") }
            switch name {
            case "style": try check(style: value)
            case "src":
                guard element == "img", value == MailRenderer.logoURL else {
                    throw fault("a picture besides {{logo}}, which the mail program would fetch")
                }
            case "href":
                let isPlain = value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
                guard element == "a", isPlain, !value.contains("&#"),
                    ["https://", "mailto:", "#"].contains(where: value.lowercased().hasPrefix)
                else { throw fault("a link that is no https:// and no mailto: address") }
            case _: break
            }
        }
    }

    private static func check(style: String) throws(MailTemplate.Fault) {
        let style = style.lowercased()
        if let found = styleFaults.first(where: { style.utf8.contains($0.utf8) }) {
            throw fault("“\(found)” in a style")
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func next() -> UInt8? {
            guard let byte = peek else { return nil }
            position += 1
            return byte
        }

        private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }

        mutating func skipBlanks(and other: UInt8? = nil) {
            while let byte = peek, Self.isBlank(byte) || byte == other { position += 1 }
        }

        /// Up to a blank or a byte that ends a name, in lower case; at least one byte.
        mutating func name() -> String {
            let start = position
            while let byte = peek, !Self.isBlank(byte), !"/>=".utf8.contains(byte) || position == start {
                position += 1
            }
            return String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        }

        /// The value of an attribute; nil when it has no end.
        mutating func value() -> String? {
            guard let quote = peek else { return nil }
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                position += 1
                let start = position
                while let byte = next() {
                    if byte == quote { return String(decoding: bytes[start..<(position - 1)], as: UTF8.self) }
                }
                return nil
            }
            let start = position
            while let byte = peek, !Self.isBlank(byte), byte != UInt8(ascii: ">") { position += 1 }
            return peek == nil ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// Whether `word` was next, in any letter case.
        mutating func skip(_ word: String) -> Bool {
            guard isNext(word) else { return false }
            position += word.utf8.count
            return true
        }

        private func isNext(_ word: String) -> Bool {
            let end = position + word.utf8.count
            guard end <= bytes.count else { return false }
            return zip(bytes[position..<end], word.utf8).allSatisfy { byte, letter in
                byte == letter || ((0x41...0x5A).contains(byte) && byte + 0x20 == letter)
            }
        }

        /// What stands before `word`, and goes behind it; nil when it does not come.
        mutating func skip(past word: String) -> String? {
            let start = position
            while position < bytes.count {
                if isNext(word) {
                    let found = String(decoding: bytes[start..<position], as: UTF8.self)
                    position += word.utf8.count
                    return found
                }
                position += 1
            }
            return nil
        }
    }
}
