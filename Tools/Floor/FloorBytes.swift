import Foundation
import NIOCore

/// Random bytes of the system, fetched 4 KiB at a time: a call to the kernel for each value costs more than the value.
struct RandomPool {
    private var pool = [UInt8](repeating: 0, count: 4_096)
    private var next = 4_096

    /// - Parameter count: At most 4,096.
    mutating func bytes(_ count: Int) -> [UInt8] {
        if next + count > pool.count {
            var filled = 0
            while filled < pool.count {
                // The kernel gives at most 256 bytes at once (getentropy(3)).
                let part = min(256, pool.count - filled)
                let status = pool.withUnsafeMutableBytes { getentropy($0.baseAddress! + filled, part) }
                precondition(status == 0, "the system gives no random bytes")
                filled += part
            }
            next = 0
        }
        defer { next += count }
        return Array(pool[next..<(next + count)])
    }

    /// A random UUID of version 4.
    mutating func uuid() -> [UInt8] { marked(4, bytes(16)) }

    /// A UUID of version 7: rows of the same time are neighbours.
    mutating func uuid(at milliseconds: Int64) -> [UInt8] {
        var bytes = bytes(16)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> Int64(40 - 8 * index)) }
        return marked(7, bytes)
    }

    private func marked(_ version: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }
}

/// The form of bytes in texts.
enum Text {
    private static let hexadecimal = Array("0123456789abcdef".utf8)
    private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in base64.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// A UUID in its usual form, 36 characters.
    static func uuid(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(0x2D) }
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 15)])
        }
        return text
    }

    /// Two hexadecimal digits for each byte.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = bytes.flatMap { [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The 16 bytes of a UUID in its usual form; nil for other texts.
    static func uuid(parsing text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text where character != 0x2D {
            guard let digit = hexadecimal.firstIndex(of: character | 0x20) else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        return bytes.count == 16 ? bytes : nil
    }

    /// Base64url without padding (RFC 4648 section 5).
    static func base64URL(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let count = bytes.count
        return [UInt8](unsafeUninitializedCapacity: (count * 4 + 2) / 3) { text, written in
            var bits: UInt32 = 0
            var held = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                held += 8
                while held >= 6 {
                    held -= 6
                    text[written] = base64[Int(bits >> UInt32(held) & 63)]
                    written += 1
                }
            }
            if held > 0 {
                text[written] = base64[Int(bits << UInt32(6 - held) & 63)]
                written += 1
            }
        }
    }

    /// The bytes of a text in base64url; nil for other texts.
    static func bytes(ofBase64URL text: [UInt8]) -> [UInt8]? {
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, written in
            var bits: UInt32 = 0
            var held = 0
            for character in text {
                let value = values[Int(character)]
                guard value != 0xFF else {
                    isValid = false
                    return
                }
                bits = bits << 6 | UInt32(value)
                held += 6
                if held >= 8 {
                    held -= 8
                    bytes[written] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
                    written += 1
                }
            }
        }
        return isValid ? bytes : nil
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The decimal digits of a number that is not negative.
    mutating func append(decimal number: Int64) {
        if number >= 10 { append(decimal: number / 10) }
        append(0x30 + UInt8(number % 10))
    }
}

/// The fields of a form (`application/x-www-form-urlencoded`), found in the body each time: a step reads four or five.
struct Form {
    private let body: ByteBuffer

    init(_ body: ByteBuffer) {
        self.body = body
    }

    /// The decoded value of a field; nil when the form has none.
    subscript(name: StaticString) -> [UInt8]? {
        body.withUnsafeReadableBytes { bytes in
            let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 0x26) ?? bytes.count
                let value = start + name.count + 1
                if value <= end, bytes[value - 1] == 0x3D, bytes[start..<(value - 1)].elementsEqual(name) {
                    return Self.decoded(bytes[value..<end])
                }
                start = end + 1
            }
            return nil
        }
    }

    private static func decoded(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        guard text.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return Array(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case 0x2B: bytes.append(0x20)
            case 0x25 where index + 2 < text.endIndex:
                bytes.append(digit(text[index + 1]) << 4 | digit(text[index + 2]))
                index += 2
            case let byte: bytes.append(byte)
            }
            index += 1
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8 {
        character <= 0x39 ? character & 0x0F : (character & 0x0F) + 9
    }
}
