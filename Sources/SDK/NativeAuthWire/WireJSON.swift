package import NativeAuthCore
package import PortableFoundation

/// Encodes and decodes all JSON bodies.
package enum WireJSON {
    /// Why a body is refused before it is decoded.
    package enum Failure: Error, Hashable, Sendable {
        /// More than 16 levels of arrays and objects (`SDK-NET-3`).
        case tooDeep
        /// A NUL byte, as all JSON has that is not UTF-8 but UTF-16 or UTF-32 (RFC 8259 section 8.1). The decoder reads those,
        /// and the depth of their bytes says nothing of theirs.
        case notUTF8
    }

    /// Encodes `value`. Equal values give equal bytes: members are sorted, slashes are not escaped.
    package static func encode(_ value: some Encodable) throws -> Data {
        try JSONEncoder.sorted.encode(value)
    }

    /// The same for a reply that writes its members itself.
    package static func encode(_ value: some JSONObjectWritable) throws -> Data { try value.json().data }

    /// Decodes `body` as a `Value`; unknown members are ignored.
    ///
    /// - Throws: ``Failure`` or `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from body: Data) throws -> Value {
        guard !body.withUnsafeBytes({ $0.contains(0) }) else { throw Failure.notUTF8 }
        guard body.withUnsafeBytes(depth) <= 16 else { throw Failure.tooDeep }
        return try JSONDecoder().decode(type, from: body)
    }

    /// The deepest nesting; text between quotation marks does not count.
    private static func depth(of body: UnsafeRawBufferPointer) -> Int {
        var (depth, deepest, inString, escaped) = (0, 0, false, false)
        for byte in body {
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                inString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                deepest = max(deepest, depth)
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
        }
        return deepest
    }
}
