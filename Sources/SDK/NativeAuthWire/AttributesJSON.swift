package import NativeAuthCore

/// Why the form field `attributes` cannot be parsed (`SEC-NET-8`).
package enum AttributesJSONError: Error, Hashable, Sendable {
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// Not JSON, or not one object.
    case malformed
    /// A name occurs twice in one object.
    case duplicate(String)
    /// A name is longer than ``AttributesJSON/maximumNameLength``.
    case nameTooLong
    /// More than two levels of arrays and objects.
    case tooDeep
    /// The text contains half of a surrogate pair.
    case loneSurrogate
    /// The text contains the character U+0000.
    case nul
}

/// The form field `attributes`: one flat JSON object as text (docs/protocol.md §2.1, §11).
package enum AttributesJSON {
    /// The longest name, in bytes.
    package static let maximumNameLength = 256

    /// A member of the object.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var content: Content
    }

    /// The content of a member.
    package enum Content: Hashable, Sendable {
        case value(AttributeValue)
        case null
        /// An array, an object, a fraction, or a whole number outside the range: the attribute must be refused
        /// by name.
        case wrongType
    }

    /// Decodes the members in order.
    package static func decode(_ text: String) throws(AttributesJSONError) -> [Member] {
        var reader = Reader(bytes: Array(text.utf8))
        return try reader.document()
    }

    /// The object for `attributes`, members sorted by name.
    package static func encode(_ attributes: [String: AttributeValue]) -> String {
        var object = JSONObjectText()
        for (name, value) in attributes { object.add(name, value) }
        return String(decoding: object.bytes, as: UTF8.self)
    }
}

/// A JSON reader for objects of scalars. Works on bytes throughout (`SEC-SWIFT-1`).
private struct Reader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func document() throws(AttributesJSONError) -> [AttributesJSON.Member] {
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .byteOrderMark }
        skipBlanks()
        let members = try object(depth: 1)
        skipBlanks()
        guard next == nil else { throw .malformed }
        return members
    }

    private mutating func object(depth: Int) throws(AttributesJSONError) -> [AttributesJSON.Member] {
        try expect("{")
        var members: [AttributesJSON.Member] = []
        // Compare as text, not as bytes: two spellings that a dictionary treats as one name are one name.
        var names: Set<String> = []
        skipBlanks()
        if take("}") { return members }
        repeat {
            skipBlanks()
            let name = try string(limit: AttributesJSON.maximumNameLength)
            guard names.insert(name).inserted else { throw .duplicate(name) }
            skipBlanks()
            try expect(":")
            members.append(.init(name: name, content: try value(depth: depth)))
            skipBlanks()
        } while take(",")
        try expect("}")
        return members
    }

    private mutating func array(depth: Int) throws(AttributesJSONError) {
        try expect("[")
        skipBlanks()
        if take("]") { return }
        repeat {
            _ = try value(depth: depth)
            skipBlanks()
        } while take(",")
        try expect("]")
    }

    private mutating func value(depth: Int) throws(AttributesJSONError) -> AttributesJSON.Content {
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): return .value(.string(try string(limit: .max)))
        case UInt8(ascii: "t"):
            try expect("true")
            return .value(.boolean(true))
        case UInt8(ascii: "f"):
            try expect("false")
            return .value(.boolean(false))
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        case UInt8(ascii: "{"):
            guard depth < 2 else { throw .tooDeep }
            _ = try object(depth: depth + 1)
            return .wrongType
        case UInt8(ascii: "["):
            guard depth < 2 else { throw .tooDeep }
            try array(depth: depth + 1)
            return .wrongType
        case _:
            return try number()
        }
    }

    /// Parses a number (RFC 8259 section 6).
    private mutating func number() throws(AttributesJSONError) -> AttributesJSON.Content {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        let isWhole = next != UInt8(ascii: ".") && next != UInt8(ascii: "e") && next != UInt8(ascii: "E")
        let text = bytes[start..<position]
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        guard isWhole, let whole = Int(String(decoding: text, as: UTF8.self)) else { return .wrongType }
        return .value(.integer(whole))
    }

    private mutating func digits() throws(AttributesJSONError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw .malformed }
    }

    private mutating func string(limit: Int) throws(AttributesJSONError) -> String {
        try expect("\"")
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
                return text
            case UInt8(ascii: "\\"): content += try escape()
            case 0: throw .nul
            case 0..<0x20: throw .malformed
            default: content.append(byte)
            }
            guard content.count <= limit else { throw .nameTooLong }
        }
        throw .malformed
    }

    /// The character of the escape after a backslash.
    private mutating func escape() throws(AttributesJSONError) -> [UInt8] {
        guard let byte = next else { throw .malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw .malformed
        }
    }

    private mutating func unicodeEscape() throws(AttributesJSONError) -> [UInt8] {
        let first = try codeUnit()
        var units = [first]
        if UTF16.isLeadSurrogate(first) {
            guard take("\\"), take("u") else { throw .loneSurrogate }
            units.append(try codeUnit())
        }
        guard first != 0 else { throw .nul }
        guard let text = String(validating: units, as: UTF16.self) else { throw .loneSurrogate }
        return Array(text.utf8)
    }

    private mutating func codeUnit() throws(AttributesJSONError) -> UInt16 {
        guard position + 4 <= bytes.count else { throw .malformed }
        let digits = bytes[position..<position + 4]
        let isHexadecimal = digits.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
        guard isHexadecimal, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw .malformed
        }
        position += 4
        return unit
    }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ literal: StaticString) throws(AttributesJSONError) {
        let expected = String(describing: literal).utf8
        guard bytes[position...].starts(with: expected) else { throw .malformed }
        position += expected.count
    }
}
