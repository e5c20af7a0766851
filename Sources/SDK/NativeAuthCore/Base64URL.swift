public import PortableFoundation

/// Base64url without padding (RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Encodes `bytes`. Written here because Foundation's has another alphabet and padding, and each JWT has three such
    /// parts.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            alphabet.withUnsafeBufferPointer { alphabet in
                bytes.withUnsafeBufferPointer { bytes in
                    var written = 0
                    func append(_ group: UInt32, from shift: UInt32) {
                        text[written] = alphabet[Int(group >> shift & 63)]
                        written += 1
                    }
                    var index = 0
                    while index + 3 <= bytes.count {
                        let group =
                            UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                        append(group, from: 18)
                        append(group, from: 12)
                        append(group, from: 6)
                        append(group, from: 0)
                        index += 3
                    }
                    let rest = bytes.count - index
                    guard rest > 0 else { return written }
                    let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
                    append(group, from: 18)
                    append(group, from: 12)
                    if rest == 2 { append(group, from: 6) }
                    return written
                }
            }
        }
    }

    /// Decodes `text`; nil for anything except canonical, unpadded base64url.
    public static func decode(_ text: String) -> Data? {
        var standard = Array(text.utf8)
        var last: UInt8 = 0
        for index in standard.indices {
            switch standard[index] {
            case let byte where (0x41...0x5A).contains(byte): last = byte - 0x41
            case let byte where (0x61...0x7A).contains(byte): last = byte - 0x61 + 26
            case let byte where (0x30...0x39).contains(byte): last = byte - 0x30 + 52
            case UInt8(ascii: "-"): (standard[index], last) = (UInt8(ascii: "+"), 62)
            case UInt8(ascii: "_"): (standard[index], last) = (UInt8(ascii: "/"), 63)
            case _: return nil
            }
        }
        // The last character's unused bits are zero; otherwise several texts would give the same bytes.
        switch standard.count % 4 {
        case 0: break
        case 2 where last & 0b1111 == 0: standard += [UInt8(ascii: "="), UInt8(ascii: "=")]
        case 3 where last & 0b11 == 0: standard.append(UInt8(ascii: "="))
        case _: return nil
        }
        return Data(base64Encoded: Data(standard))
    }
}

extension UUID {
    /// The UUID of this text: 32 hexadecimal digits in either letter case, in groups of 8, 4, 4, 4 and 12 with hyphens
    /// between them (RFC 9562 section 4); nil for anything else. Foundation's parser accepts a blank or a sign as a
    /// digit.
    package init?(text: String) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWhole = withUnsafeMutableBytes(of: &uuid) { Self.parse(text, into: $0) }
        guard isWhole else { return nil }
        self.init(uuid: uuid)
    }

    private static func parse(_ text: String, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard text.utf8.count == 36 else { return false }
        var filled = 0
        var high: UInt8?
        var position = 0
        for byte in text.utf8 {
            defer { position += 1 }
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return false }
                continue
            }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            case _: return false
            }
            if let first = high {
                bytes[filled] = first << 4 | digit
                filled += 1
                high = nil
            } else {
                high = digit
            }
        }
        return true
    }

    /// 32 hexadecimal digits in lower case, with hyphens: the input form of ``init(text:)``.
    package var text: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
        return String(unsafeUninitializedCapacity: 36) { text in
            var position = 0
            func append(_ character: UInt8) {
                text[position] = character
                position += 1
            }
            withUnsafeBytes(of: uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
                    append(digit(byte >> 4))
                    append(digit(byte & 0xF))
                }
            }
            return position
        }
    }

    /// The UUID with these 16 bytes; nil for another number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
