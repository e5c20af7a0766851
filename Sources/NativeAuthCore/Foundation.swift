// One place that chooses the Foundation this package needs: on Linux FoundationEssentials, which is small; Apple's SDKs
// ship it inside Foundation.
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Base64url without padding (RFC 4648 section 5).
public enum Base64URL {
    /// Encodes `bytes`.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let standard = Data(bytes).base64EncodedData()
        return String(
            decoding: standard.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case _: byte
                }
            }, as: UTF8.self)
    }

    /// Decodes `text`; nil for anything but canonical, unpadded base64url.
    public static func decode(_ text: String) -> Data? {
        let utf8 = text.utf8
        guard
            utf8.allSatisfy({
                ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x61 && $0 <= 0x7A) || $0 == 0x2D
                    || $0 == 0x5F
            })
        else { return nil }
        var standard = Data(
            utf8.map { byte in
                switch byte {
                case UInt8(ascii: "-"): UInt8(ascii: "+")
                case UInt8(ascii: "_"): UInt8(ascii: "/")
                case _: byte
                }
            })
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - utf8.count % 4) % 4))
        guard let data = Data(base64Encoded: standard), encode(data) == text else { return nil }
        return data
    }
}

extension UUID {
    /// The UUID of this text: 32 hexadecimal digits in either letter case, in groups of 8, 4, 4, 4 and 12 with hyphens between
    /// them (RFC 9562 section 4); nil for anything else. Foundation takes a blank or a sign for a digit.
    package init?(text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isHexadecimal = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        }
        guard text.utf8.count == 36, groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy(isHexadecimal)
        else { return nil }
        self.init(uuidString: text)
    }

    /// The UUID with these 16 bytes; nil for any other number of them.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
