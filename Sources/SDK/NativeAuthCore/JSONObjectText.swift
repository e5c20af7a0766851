package import PortableFoundation

/// The text of one JSON object (RFC 8259 section 4), for what nearly every request writes: an encoder takes three to four
/// times the instructions (`docs/design/0012-short-ways.md`).
///
/// The bytes are those of ``JSONEncoder/sorted``. A name that is added again keeps its last value; a nil value leaves
/// the earlier one.
package struct JSONObjectText: Sendable {
    private struct Member {
        var name: String
        /// Where the value stands in `values`.
        var value: Range<Int>
    }

    private var members: [Member] = []
    private var values: [UInt8] = []
    private var isSorted = true

    package init() {
        members.reserveCapacity(24)
        values.reserveCapacity(1_024)
    }

    /// Adds a text; nil adds nothing.
    package mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        add(name) { Self.append(text, to: &$0) }
    }

    /// Adds a whole number; nil adds nothing.
    package mutating func add(_ name: String, _ number: Int?) {
        guard let number else { return }
        add(name) { Self.append(number, to: &$0) }
    }

    /// Adds a truth value; nil adds nothing.
    package mutating func add(_ name: String, _ flag: Bool?) {
        guard let flag else { return }
        add(name) { $0.append(contentsOf: (flag ? "true" : "false").utf8) }
    }

    /// Adds an array of texts; nil adds nothing.
    package mutating func add(_ name: String, _ texts: [String]?) {
        add(name, texts) { Self.append($0, to: &$1) }
    }

    /// Adds an array of whole numbers; nil adds nothing.
    package mutating func add(_ name: String, _ numbers: [Int]?) {
        add(name, numbers) { Self.append($0, to: &$1) }
    }

    private mutating func add<Element>(
        _ name: String, _ elements: [Element]?, _ append: (Element, inout [UInt8]) -> Void
    ) {
        guard let elements else { return }
        add(name) { values in
            values.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { values.append(UInt8(ascii: ",")) }
                append(element, &values)
            }
            values.append(UInt8(ascii: "]"))
        }
    }

    /// Adds the value of an attribute.
    package mutating func add(_ name: String, _ value: AttributeValue) {
        switch value {
        case .string(let text): add(name, text)
        case .integer(let number): add(name, number)
        case .boolean(let flag): add(name, flag)
        }
    }

    /// Adds a value of any type, as an encoder writes it; nil adds nothing.
    ///
    /// - Throws: `EncodingError`.
    package mutating func add(_ name: String, encoding value: (some Encodable)?) throws {
        guard let value else { return }
        let encoded = try JSONEncoder.sorted.encode(value)
        add(name) { $0.append(contentsOf: encoded) }
    }

    private mutating func add(_ name: String, _ write: (inout [UInt8]) -> Void) {
        let start = values.count
        write(&values)
        if let last = members.last, !Self.precedes(last.name, name) { isSorted = false }
        members.append(Member(name: name, value: start..<values.count))
    }

    /// The text in UTF-8, members sorted by name. Made at each call.
    package var bytes: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(values.count + members.reduce(2) { $0 + $1.name.utf8.count + 4 })
        text.append(UInt8(ascii: "{"))
        for member in isSorted ? members : sortedMembers {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            Self.append(member.name, to: &text)
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: values[member.value])
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// The same as ``bytes``.
    package var data: Data { Data(copying: bytes) }

    /// Each name once, with its last value.
    private var sortedMembers: [Member] {
        var last: [[UInt8]: Member] = [:]
        for member in members { last[Array(member.name.utf8)] = member }
        return last.values.sorted { Self.precedes($0.name, $1.name) }
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func append(_ number: Int, to json: inout [UInt8]) {
        json.append(contentsOf: String(number).utf8)
    }

    private static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            // Most texts have nothing to escape, and are copied in one piece.
            var rest = bytes[...]
            while let index = rest.firstIndex(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
                json.append(contentsOf: rest[..<index])
                json.append(UInt8(ascii: "\\"))
                appendEscape(of: rest[index], to: &json)
                rest = rest[(index + 1)...]
            }
            json.append(contentsOf: rest)
        }
        json.append(UInt8(ascii: "\""))
    }

    /// What follows the backslash (RFC 8259 section 7).
    private static func appendEscape(of byte: UInt8, to json: inout [UInt8]) {
        switch byte {
        case 0x08: json.append(UInt8(ascii: "b"))
        case 0x09: json.append(UInt8(ascii: "t"))
        case 0x0A: json.append(UInt8(ascii: "n"))
        case 0x0C: json.append(UInt8(ascii: "f"))
        case 0x0D: json.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            let digits = String(byte, radix: 16)
            json.append(contentsOf: (digits.utf8.count == 1 ? "u000" : "u00").utf8)
            json.append(contentsOf: digits.utf8)
        case _: json.append(byte)
        }
    }
}

/// A value that is one JSON object, and names its members itself.
package protocol JSONObjectWritable {
    /// Adds each member that has a value.
    ///
    /// - Throws: `EncodingError`, from ``JSONObjectText/add(_:encoding:)`` alone.
    func write(to object: inout JSONObjectText) throws
}

extension JSONObjectWritable {
    /// All its members.
    package func json() throws -> JSONObjectText {
        var object = JSONObjectText()
        try write(to: &object)
        return object
    }
}

extension JSONEncoder {
    /// An encoder that gives equal bytes for equal values.
    package static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
