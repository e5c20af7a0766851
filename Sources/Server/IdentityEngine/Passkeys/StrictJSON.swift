package import NativeAuthCore
import PortableFoundation

/// Reads JSON (RFC 8259), and refuses what different readers understand differently.
///
/// Foundation's decoder accepts a name twice in an object and takes one of the values. This reader refuses it. It also
/// refuses half of a surrogate pair, bytes that are not UTF-8, and a value inside more than ``deepest`` objects and
/// arrays.
package struct StrictJSON {
    /// How many objects and arrays may be around a value.
    package static let deepest = 16

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value that `text` consists of, with white space around it; nil for anything else. No byte order mark may be
    /// before it.
    package static func value(of text: some Sequence<UInt8>) -> JSONValue? {
        let bytes = Array(text)
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = StrictJSON(bytes)
        guard let value = reader.value(deepest: deepest) else { return nil }
        reader.skipSpace()
        return reader.position == bytes.count ? value : nil
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// Whether the next bytes are those of `text`; if so, they are read.
    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        let isNext = text.withUTF8Buffer { $0.elementsEqual(bytes[position..<(position + count)]) }
        if isNext { position += count }
        return isNext
    }

    private mutating func value(deepest: Int) -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(deepest)
        case UInt8(ascii: "["): return array(deepest)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        case _: return number()
        }
    }

    private mutating func object(_ deepest: Int) -> JSONValue? {
        guard deepest > 0, take("{") else { return nil }
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard let name = string() else { return nil }
            skipSpace()
            guard take(":"), let value = value(deepest: deepest - 1), members.updateValue(value, forKey: name) == nil
            else { return nil }
            skipSpace()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(_ deepest: Int) -> JSONValue? {
        guard deepest > 0, take("[") else { return nil }
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(values) }
        repeat {
            guard let value = value(deepest: deepest - 1) else { return nil }
            values.append(value)
            skipSpace()
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(scalar).utf8)
            case 0..<0x20: return nil
            case _: text.append(byte)
            }
        }
        return nil
    }

    /// The character that the bytes after a backslash stand for.
    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = codeUnit() else { return nil }
            guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) }
            guard take("\\u"), let low = codeUnit(), (0xDC00...0xDFFF).contains(low) else { return nil }
            return Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        case _: return nil
        }
    }

    /// Four hexadecimal digits.
    private mutating func codeUnit() -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { return nil }
            position += 1
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: unit = unit << 4 | UInt32(byte - 0x41 + 10)
            case 0x61...0x66: unit = unit << 4 | UInt32(byte - 0x61 + 10)
            case _: return nil
            }
        }
        return unit
    }

    private mutating func number() -> JSONValue? {
        let start = position
        _ = take("-")
        if !take("0") { guard takeDigits() else { return nil } }
        if take(".") { guard takeDigits() else { return nil } }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard takeDigits() else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return Int(text).map { .integer($0) } ?? Double(text).map { .number($0) }
    }

    private mutating func takeDigits() -> Bool {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }
}
