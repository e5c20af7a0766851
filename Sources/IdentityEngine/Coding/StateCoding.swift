#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How states, outcomes, answers and mails are written before they are sealed: CBOR (RFC 8949), which takes a fifth of the time of
/// JSON and fewer bytes. Equal values give equal bytes.
///
/// Maps and arrays are of indefinite length, a UUID is a string of 16 bytes, a date the floating-point number of its seconds since
/// 2001. What Codable can ask for beyond the types of this module is not there: two containers of one value, class hierarchies,
/// numbers that are neither `Int` nor `UInt32`.
enum StateCoding {
    /// How deep values may lie in each other.
    static let deepest = 32

    static func encode(_ value: some Encodable) throws(EngineError) -> Data {
        let bytes = CBORBytes()
        do {
            try CBORWriter(bytes: bytes, level: 0).write(value)
        } catch {
            throw .broken("a value could not be encoded")
        }
        return Data(bytes.bytes)
    }

    /// Nil for what this version cannot read. What follows the value is not looked at.
    static func decode<Value: Decodable>(_ data: Data) -> Value? {
        guard let items = CBORItems(data) else { return nil }
        do {
            return try CBORReader(items: items, position: 0).read(Value.self)
        } catch {
            // Nil says it all: an error would quote what was sealed.
            return nil
        }
    }
}

/// The first bytes of CBOR's items.
enum CBORMark {
    static let major: UInt8 = 0b1110_0000
    static let unsigned: UInt8 = 0x00
    static let negative: UInt8 = 0x20
    static let bytes: UInt8 = 0x40
    static let text: UInt8 = 0x60
    static let array: UInt8 = 0x9F
    static let map: UInt8 = 0xBF
    static let `false`: UInt8 = 0xF4
    static let `true`: UInt8 = 0xF5
    static let null: UInt8 = 0xF6
    static let double: UInt8 = 0xFB
    static let end: UInt8 = 0xFF
}

/// What cannot be coded.
struct StateCodingError: Error {}
