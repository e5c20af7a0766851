import PortableFoundation

/// A CBOR item to be encoded, and raw bytes in the place of one: what is not well formed must be written, too.
indirect enum CBORItem: Sendable {
    case integer(Int)
    case bytes(Data)
    case text(String)
    case array([CBORItem])
    case map([Entry])
    case bool(Bool)
    /// Bytes that need not be CBOR.
    case raw([UInt8])

    struct Entry: Sendable {
        let key, value: CBORItem

        init(_ key: CBORItem, _ value: CBORItem) {
            self.key = key
            self.value = value
        }
    }

    /// Entries in this order, whose keys are texts.
    static func texts(_ entries: [(String, CBORItem)]) -> CBORItem {
        .map(entries.map { Entry(.text($0.0), $0.1) })
    }

    /// Entries in this order, whose keys are integers, as in a COSE key.
    static func integers(_ entries: [(Int, CBORItem)]) -> CBORItem {
        .map(entries.map { Entry(.integer($0.0), $0.1) })
    }

    var encoded: [UInt8] {
        switch self {
        case .integer(let value) where value < 0: Self.head(1, UInt64(-1 - value))
        case .integer(let value): Self.head(0, UInt64(value))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let entries):
            Self.head(5, UInt64(entries.count)) + entries.flatMap { $0.key.encoded + $0.value.encoded }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .raw(let bytes): bytes
        }
    }

    /// The head of an item in its shortest form (RFC 8949 §3).
    static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        switch argument {
        case 0..<24: [major << 5 | UInt8(argument)]
        case 24...0xFF: head(major, argument, bytes: 1)
        case 0x100...0xFFFF: head(major, argument, bytes: 2)
        case 0x1_0000...0xFFFF_FFFF: head(major, argument, bytes: 4)
        case _: head(major, argument, bytes: 8)
        }
    }

    /// The head of an item whose argument has 1, 2, 4 or 8 bytes, whether or not it needs them.
    static func head(_ major: UInt8, _ argument: UInt64, bytes: Int) -> [UInt8] {
        let information: UInt8 =
            switch bytes {
            case 1: 24
            case 2: 25
            case 4: 26
            case _: 27
            }
        return [major << 5 | information]
            + (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * $0)) }
    }
}

extension Data {
    /// The bytes of hexadecimal digits; white space between them is skipped. Anything else ends the reading.
    init(digits text: String) {
        let digits = text.utf8.compactMap { byte -> UInt8? in
            Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
        }
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

/// A seeded generator (Steele, Lea and Flood, 2014), so that a failure can be repeated.
struct SeededMutations: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// The bytes after one to four changes: a bit, a byte, a part left out, doubled, or put in.
    mutating func mutated(_ bytes: Data) -> Data {
        var bytes = Array(bytes)
        for _ in 0...below(4) {
            guard !bytes.isEmpty else { return Data(bytes) }
            let place = below(bytes.count)
            switch below(6) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.removeSubrange(place..<Swift.min(bytes.count, place + 1 + below(8)))
            case 3: bytes.removeSubrange(place...)
            case 4: bytes.insert(contentsOf: bytes[place..<Swift.min(bytes.count, place + 1 + below(8))], at: place)
            case _:
                let heads: [[UInt8]] = [
                    [0x9F], [0xBF], [0x5F], [0xFF], [0xC0], [0xF9, 0, 0],
                    [0x1B, 255, 255, 255, 255, 255, 255, 255, 255],
                    [0x5B, 127, 255, 255, 255, 255, 255, 255, 255], [0x9A, 255, 255, 255, 255],
                    [0xBA, 127, 255, 255, 255],
                ]
                bytes.insert(contentsOf: heads[below(heads.count)], at: place)
            }
        }
        return Data(bytes)
    }
}
