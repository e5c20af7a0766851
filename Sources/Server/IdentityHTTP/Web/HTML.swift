import NativeAuthCore

/// Markup. A literal is markup, and every text that is put into one is escaped: it is safe as content, and inside an
/// attribute with double quotes. A value of this type is put in as it is, so that no text becomes markup by mistake.
///
/// ```swift
/// let row: HTML = "<td title=\"\(name)\">\(name)</td>"
/// ```
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) {
        text = value
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }
        mutating func appendInterpolation(_ value: Substring) { text += HTML.escaped(String(value)) }
        mutating func appendInterpolation(_ value: Int) { text += String(value) }
        mutating func appendInterpolation(_ value: UserID) { text += value.description }
        mutating func appendInterpolation(_ value: ClientID) { text += value.description }
        mutating func appendInterpolation(_ value: TenantID) { text += value.description }
        mutating func appendInterpolation(_ value: HTML) { text += value.text }
        /// Nothing when the condition does not hold. A `?:` of two literals would be text, and be escaped.
        mutating func appendInterpolation(_ value: HTML, if condition: Bool) { if condition { text += value.text } }
        /// Nothing for nil.
        mutating func appendInterpolation(_ value: HTML?) { text += value?.text ?? "" }
        mutating func appendInterpolation(_ values: [HTML]) { for value in values { text += value.text } }
    }

    static func + (one: HTML, other: HTML) -> HTML { "\(one)\(other)" }

    private static func escaped(_ text: String) -> String {
        // Most texts need nothing.
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x00..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E: false
            case _: true
            }
        }
        if isPlain { return text }
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(character)
            // HTML allows no other control character, not even as a reference.
            case _ where character.value < 0x20: escaped += "\u{FFFD}"
            case _: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
