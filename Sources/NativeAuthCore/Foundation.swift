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
    /// The UUID with these 16 bytes; nil for any other number of them.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
