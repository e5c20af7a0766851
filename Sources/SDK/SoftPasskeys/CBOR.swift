import PortableFoundation

/// The CBOR that an authenticator writes (RFC 8949), in the canonical form of CTAP2 when the caller gives the members
/// of maps in that form's order.
indirect enum CBOR {
    case integer(Int)
    case bytes(Data)
    case text(String)
    case map([(key: CBOR, value: CBOR)])

    var encoded: Data {
        switch self {
        case .integer(let number):
            // Type 1 holds -1 - number, which is the complement.
            number < 0 ? Self.head(1, UInt64(bitPattern: Int64(~number))) : Self.head(0, UInt64(number))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Data(text.utf8)
        case .map(let members):
            members.reduce(into: Self.head(5, UInt64(members.count))) {
                $0 += $1.key.encoded + $1.value.encoded
            }
        }
    }

    /// The first bytes of an item: its type and its length or value, in as few bytes as possible.
    private static func head(_ type: UInt8, _ value: UInt64) -> Data {
        let type = type << 5
        return switch value {
        case 0..<24: Data([type | UInt8(value)])
        case 24...0xFF: Data([type | 24, UInt8(value)])
        case 0x100...0xFFFF: Data([type | 25]) + bigEndian(value, bytes: 2)
        case 0x1_0000...0xFFFF_FFFF: Data([type | 26]) + bigEndian(value, bytes: 4)
        case _: Data([type | 27]) + bigEndian(value, bytes: 8)
        }
    }

    /// The lowest bytes of `value`, the highest of them first.
    static func bigEndian(_ value: UInt64, bytes: Int) -> Data {
        Data((0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
