import Foundation
import NativeAuthCore
import Testing

@Suite("Bytes and text")
struct BytesAndTextTests {
    @Test("Base64url of 0 to 70 bytes, and of every byte, as Foundation writes it but for alphabet and padding")
    func base64URL() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length &* 11) }
            let expected = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(Base64URL.encode(bytes) == expected)
            #expect(Base64URL.decode(expected) == Data(bytes))
        }
        let all = Array(UInt8.min...UInt8.max)
        #expect(Base64URL.decode(Base64URL.encode(all)).map(Array.init) == all)
    }

    @Test("A text from bytes is the one of the standard library, for every two bytes and for what is not UTF-8")
    func utf8() {
        var samples: [[UInt8]] = [
            [], Array("plain".utf8), Array("é🚢\u{FFFD}".utf8), [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xFF, 0xEF, 0xBF, 0xBD], [0x41, 0x80],
        ]
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max { samples.append([first, second]) }
        }
        for bytes in samples where String(utf8: bytes[...]) != String(validating: bytes, as: UTF8.self) {
            Issue.record("\(bytes)")
        }
    }
}
