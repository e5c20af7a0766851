package import NativeAuthCore

/// Why a form body cannot be parsed (`SEC-NET-9`).
package enum FormError: Error, Hashable, Sendable {
    /// More than ``FormFields/maximumCount`` pairs.
    case tooManyFields
    /// A `%` without two hexadecimal digits, or a control character.
    case malformedEncoding
    /// The decoded bytes are not UTF-8.
    case notUTF8
    /// A NUL byte, plain or encoded.
    case nul
    /// A name or value is longer than allowed.
    case tooLong
    /// A known parameter occurs twice, or in the form `name[…]`.
    case repeated(String)
}

/// The name/value pairs of an `application/x-www-form-urlencoded` body, in order and with repetitions.
///
/// Its description shows only their number, because they contain passwords and codes (`SEC-LOG-1`).
package struct FormFields: Hashable, Sendable {
    /// The largest number of pairs in a body.
    package static let maximumCount = 64
    /// The longest name, in bytes once decoded.
    package static let maximumNameLength = 256

    private struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    private var fields: [Field] = []

    /// The pairs with other names.
    package func without(_ names: Set<String>) -> FormFields {
        var kept = self
        kept.fields.removeAll { names.contains($0.name) }
        return kept
    }

    /// An empty form.
    package init() {}

    /// All pairs in order.
    package var pairs: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// The names in order, repetitions included.
    package var names: [String] { fields.map(\.name) }

    /// Adds a pair; does nothing when `value` is nil.
    package mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        fields.append(Field(name: name, value: value))
    }

    /// Adds a pair with a secret value; does nothing when it is nil.
    package mutating func append(_ name: String, _ value: Secret<String>?) {
        append(name, value?.reveal())
    }

    /// Adds a list, with its items separated by blanks; does nothing when it is nil.
    package mutating func append(_ name: String, _ list: [String]?) {
        append(name, list?.joined(separator: " "))
    }
}

// MARK: - Reading parameters

extension FormFields {
    /// The value of `name`: nil when it is missing, `""` when it is empty.
    ///
    /// - Throws: ``FormError/repeated(_:)`` when the name occurs twice, or as an array (`name[]`, `name[0]`).
    package func single(_ name: String) throws(FormError) -> String? {
        var found: String?
        let length = name.utf8.count
        for field in fields where field.name.utf8.count >= length && field.name.utf8.starts(with: name.utf8) {
            let rest = field.name.utf8.dropFirst(length)
            if rest.isEmpty, found == nil {
                found = field.value
            } else if rest.isEmpty || rest.first == UInt8(ascii: "[") {
                throw .repeated(name)
            }
        }
        return found
    }

    /// The same as ``single(_:)``, for a value that must not be printed.
    package func secret(_ name: String) throws(FormError) -> Secret<String>? {
        try single(name).map { Secret($0) }
    }

    /// The same as ``single(_:)``, without trailing blanks: a published sample sends them (docs/protocol.md §4.3).
    package func word(_ name: String) throws(FormError) -> String? {
        guard let value = try single(name) else { return nil }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var end = value.utf8.endIndex
        while end > value.utf8.startIndex, isBlank(value.utf8[value.utf8.index(before: end)]) {
            end = value.utf8.index(before: end)
        }
        return String(value[..<end])
    }

    /// The same as ``single(_:)``, split at blanks: nil when missing, empty when there is no item. No further
    /// validation.
    package func list(_ name: String, alsoAtCommas: Bool = false) throws(FormError) -> [String]? {
        guard let value = try single(name) else { return nil }
        let items = value.utf8.split { byte in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || (alsoAtCommas && byte == UInt8(ascii: ","))
        }
        return items.map { String(Substring($0)) }
    }
}

// MARK: - Bytes

extension FormFields {
    /// The body: UTF-8, percent-encoded, a space as `+`.
    package var encoded: String {
        var bytes: [UInt8] = []
        for field in fields {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            Self.encode(field.name, into: &bytes)
            bytes.append(UInt8(ascii: "="))
            Self.encode(field.value, into: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Parses a body strictly (`SEC-NET-9`). `+` and `%20` are spaces; empty pairs are skipped; a pair without `=` has
    /// an empty value; bytes above ASCII and plain spaces, which `curl -d` sends unencoded, need no encoding.
    ///
    /// - Parameters:
    ///   - bytes: The whole body.
    ///   - maximumValueLength: The longest value, in bytes once decoded.
    package init(decoding bytes: some Collection<UInt8>, maximumValueLength: Int = 65_536) throws(FormError) {
        // Convert to an array first: generic code costs a call for each byte here.
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            defer { start = end + 1 }
            guard start < end else { continue }
            guard fields.count < Self.maximumCount else { throw .tooManyFields }
            let nameEnd = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
            let value = bytes[min(nameEnd + 1, end)..<end]
            fields.append(
                Field(
                    name: try Self.decode(bytes[start..<nameEnd], limit: Self.maximumNameLength),
                    value: try Self.decode(value, limit: maximumValueLength)))
        }
    }

    private static func encode(_ text: String, into encoded: inout [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value }
        // A token needs no encoding.
        if text.utf8.allSatisfy(isUnreserved) {
            encoded.append(contentsOf: text.utf8)
            return
        }
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else if byte == UInt8(ascii: " ") {
                encoded.append(UInt8(ascii: "+"))
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
            }
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func decode(_ encoded: ArraySlice<UInt8>, limit: Int) throws(FormError) -> String {
        // Most names and values, and all tokens, need no encoding.
        let isEncoded = encoded.contains { byte in
            byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+")
        }
        if !isEncoded, encoded.count <= limit {
            guard let text = String(utf8: encoded) else { throw .notUTF8 }
            return text
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(min(encoded.count, limit))
        var iterator = encoded.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexadecimal), let low = iterator.next().flatMap(hexadecimal)
                else { throw .malformedEncoding }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+"):
                decoded.append(UInt8(ascii: " "))
            case 0:
                throw .nul
            case 0..<0x20, 0x7F:
                throw .malformedEncoding
            default:
                decoded.append(byte)
            }
            guard decoded.count <= limit else { throw .tooLong }
        }
        guard !decoded.contains(0) else { throw .nul }
        guard let text = String(utf8: decoded[...]) else { throw .notUTF8 }
        return text
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    package var description: String { "FormFields(\(fields.count))" }
    package var customMirror: Mirror { Mirror(self, children: ["count": fields.count]) }
}
