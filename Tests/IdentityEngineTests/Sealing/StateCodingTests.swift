import Foundation
import NativeAuthCore
import Testing

@testable import IdentityEngine

/// Sealed values can be decoded again, and nothing else can.
@Suite("Coding of states")
struct StateCodingTests {
    private struct Everything: Codable, Hashable {
        enum Kind: Codable, Hashable {
            case plain
            case single(Int)
            case named(text: String, flags: [Bool?])
        }

        struct Empty: Codable, Hashable {}

        var kinds: [Kind]
        var integers: [Int]
        var date: Date
        var id: UUID
        var data: Data
        var texts: [String: String]
        var attributes: [String: AttributeValue]
        var missing: Int?
        var nested: [[Empty]]
        var number: UInt32
        var capabilities: [Capability]
    }

    private static let everything = Everything(
        kinds: [.plain, .single(-1), .named(text: "ü\u{0}😀", flags: [true, nil, false]), .plain],
        integers: [0, 23, 24, 255, 256, 65_535, 65_536, .max, -1, -24, -25, -256, -257, .min],
        date: Date(timeIntervalSince1970: 1_768_464_000.123), id: UUID(), data: Data([0, 255, 1]),
        texts: ["a": "", "b": String(repeating: "x", count: 70_000)],
        attributes: ["city": "Lund", "age": 41, "member": true], missing: nil, nested: [[], [.init(), .init()]],
        number: .max, capabilities: [.mfaRequired])

    @Test("what was written reads back, whatever its shape")
    func roundTrip() throws {
        let coded = try StateCoding.encode(Self.everything)
        let read: Everything? = StateCoding.decode(coded)
        #expect(read == Self.everything)
        // The padding that hides the length is not read.
        let padded: Everything? = StateCoding.decode(coded + Data(count: 500))
        #expect(padded == Self.everything)
    }

    @Test("the bytes are those of RFC 8949")
    func knownBytes() throws {
        struct Small: Codable {
            var a = 1
            var b = [true, false]
            var c = "ü"
            var d = -500
        }
        #expect(
            try StateCoding.encode(Small()).map { String($0, radix: 16) }.joined(separator: " ")
                == "bf 61 61 1 61 62 9f f5 f4 ff 61 63 62 c3 bc 61 64 39 1 f3 ff")
    }

    @Test("equal values give equal bytes, in whatever order their attributes were set")
    func equalBytes() throws {
        let names = (0..<40).map { "attribute\($0)" }
        var one: [String: AttributeValue] = [:]
        var other: [String: AttributeValue] = [:]
        other.reserveCapacity(500)
        for name in names { one[name] = 1 }
        for name in names.reversed() { other[name] = 1 }
        #expect(try StateCoding.encode(one) == StateCoding.encode(other))
    }

    @Test("no part of a value reads as a value, and no altered byte traps")
    func damage() throws {
        var small = Self.everything
        small.texts = ["a": "b"]
        let coded = try StateCoding.encode(small)
        for count in 0..<coded.count {
            let cut: Everything? = StateCoding.decode(coded.prefix(count))
            #expect(cut == nil)
        }
        var different = 0
        for index in coded.indices {
            for bit in 0..<8 {
                var altered = coded
                altered[index] ^= 1 << bit
                let read: Everything? = StateCoding.decode(altered)
                if read != small { different += 1 }
            }
        }
        // The seal detects changes; here a changed bit in the name of an optional key makes no difference.
        #expect(different > coded.count * 7)
    }

    @Test("what lies too deep, is too long or is of another kind is refused")
    func refusals() throws {
        for bytes: [UInt8] in [
            [], [0xFF], [0x9F], [0xBF, 0x00, 0x00, 0xFF], [0xBF, 0x61, 0x61, 0xFF],
            [0x1B, 255, 255, 255, 255, 255, 255, 255, 255],
            [0x7B, 127, 255, 255, 255, 255, 255, 255, 255], [0x62, 0x61], [0x5C], [0xC0], [0xF7], [0xFB, 0],
            Array(repeating: 0x9F, count: 100_000),
        ] {
            #expect(CBORItems(Data(bytes)) == nil)
        }
        let flat = [UInt8](repeating: 0x9F, count: 31) + Array(repeating: 0xFF, count: 31)
        #expect(CBORItems(Data(flat)) != nil)
        #expect(CBORItems(Data([0x9F] + flat + [0xFF])) != nil)
        #expect(CBORItems(Data([0x9F, 0x9F] + flat + [0xFF, 0xFF])) == nil)
        // Bytes that are no UTF-8 are no text.
        let text: String? = StateCoding.decode(Data([0x61, 0xFF]))
        #expect(text == nil)
        let number: Int? = StateCoding.decode(Data([0x61, 0x61]))
        #expect(number == nil)
        let tooLarge: UInt32? = StateCoding.decode(Data([0x1B, 0, 0, 0, 1, 0, 0, 0, 0]))
        #expect(tooLarge == nil)
    }
}
