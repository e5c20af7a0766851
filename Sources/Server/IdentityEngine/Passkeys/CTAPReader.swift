package import PortableFoundation

/// Reads the CBOR that authenticators write (RFC 8949, in the canonical form of CTAP 2.1 section 8).
///
/// Accepts integers, byte strings, texts, arrays, maps, false, true and null. The names of a map may have any order.
/// Refuses indefinite lengths, integers and lengths that have a shorter form, integers outside of `Int`, texts that are
/// not UTF-8, a name twice in a map, tags, floating-point numbers and all other values (`SEC-PK-7`).
package struct CTAPReader {
    /// A name in a map.
    package enum Key: Hashable, Sendable {
        case integer(Int)
        case text(String)
    }

    package indirect enum Value: Hashable, Sendable {
        case integer(Int)
        case bytes(Data)
        case text(String)
        case array([Value])
        case map([Key: Value])
        case boolean(Bool)
        case null

        /// The number of arrays and maps around the innermost value.
        package var depth: Int {
            switch self {
            case .integer, .bytes, .text, .boolean, .null: 0
            case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
            case .map(let members): 1 + (members.values.map(\.depth).max() ?? 0)
            }
        }
    }

    /// How many arrays and maps may be around a value.
    package static let deepest = 4
    /// How many values an array, and how many names a map may have.
    package static let mostItems = 64

    private let bytes: [UInt8]
    /// How many bytes were read.
    package private(set) var position = 0

    package init(_ data: Data) {
        bytes = Array(data)
    }

    package var isAtEnd: Bool { position == bytes.count }

    /// The value that `data` consists of; nil for anything else, also for bytes after it.
    package static func value(of data: Data, deepest: Int = Self.deepest) -> Value? {
        var reader = CTAPReader(data)
        guard let value = reader.value(deepest: deepest), reader.isAtEnd else { return nil }
        return value
    }

    /// Reads the next value; ``position`` is then the place after it. Nil if there is none that this reader accepts.
    package mutating func value(deepest: Int = Self.deepest) -> Value? {
        guard let head = take(1)?.first else { return nil }
        switch head {
        case 0xF4: return .boolean(false)
        case 0xF5: return .boolean(true)
        case 0xF6: return .null
        case _: break
        }
        guard let argument = argument(head & 0x1F) else { return nil }
        switch head >> 5 {
        case 0: return .integer(argument)
        case 1: return .integer(-1 - argument)
        case 2: return take(argument).map { .bytes(Data($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4: return array(argument, deepest)
        case 5: return map(argument, deepest)
        case _: return nil
        }
    }

    private mutating func array(_ count: Int, _ deepest: Int) -> Value? {
        guard deepest > 0, count <= Self.mostItems else { return nil }
        var values: [Value] = []
        for _ in 0..<count {
            guard let value = value(deepest: deepest - 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private mutating func map(_ count: Int, _ deepest: Int) -> Value? {
        guard deepest > 0, count <= Self.mostItems else { return nil }
        var members: [Key: Value] = [:]
        for _ in 0..<count {
            guard let key = key(), let value = value(deepest: deepest - 1),
                members.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        return .map(members)
    }

    private mutating func key() -> Key? {
        switch value(deepest: 0) {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .bytes, .array, .map, .boolean, .null, nil: nil
        }
    }

    /// The number in or after a first byte whose low 5 bits are `bits`; not negative.
    private mutating func argument(_ bits: UInt8) -> Int? {
        switch bits {
        case 0...23: Int(bits)
        case 24: number(of: 1, atLeast: 24)
        case 25: number(of: 2, atLeast: 0x100)
        case 26: number(of: 4, atLeast: 0x1_0000)
        case 27: number(of: 8, atLeast: 0x1_0000_0000)
        case _: nil
        }
    }

    /// A big-endian number of `size` bytes; nil for a smaller one than `least`, which has a shorter form.
    private mutating func number(of size: Int, atLeast least: UInt64) -> Int? {
        guard let number = take(size)?.reduce(UInt64(0), { $0 << 8 | UInt64($1) }), number >= least else { return nil }
        return Int(exactly: number)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<(position + count)]
    }
}
