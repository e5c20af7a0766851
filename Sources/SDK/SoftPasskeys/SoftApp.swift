import Crypto
package import PortableFoundation

/// An authenticator app in software: it shows the codes of a key (RFC 6238 with SHA-1, six digits and 30 seconds). For a terminal
/// that plays the user's telephone, and for loads.
package struct SoftApp: Sendable {
    private let secret: SymmetricKey
    /// The period whose code was shown last: servers take each once.
    private var shown = 0

    /// - Parameter key: In base32 without padding and blanks (RFC 4648 section 6); nil for other text.
    package init?(key: String) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, bits, count) = ([UInt8](), 0, 0)
        for letter in key.utf8 {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            (bits, count) = (bits << 5 | value, count + 5)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 255))
                bits &= 1 << count - 1
            }
        }
        guard !bytes.isEmpty else { return nil }
        secret = SymmetricKey(data: bytes)
    }

    /// The code of the period; when it was shown already, that of the next one, which servers take 30 seconds early.
    package mutating func code(at time: Date) -> String {
        shown = max(Int(time.timeIntervalSince1970) / 30, shown + 1)
        let counter = withUnsafeBytes(of: UInt64(shown).bigEndian) { Data($0) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: secret))
        let offset = Int(mac[mac.count - 1] & 15)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = "\(number % 1_000_000)"
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
