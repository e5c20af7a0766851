import Crypto
import NativeAuthCore
import PortableFoundation

/// The certificate of a development server on the local network, which no authority has signed: debug builds accept it by its
/// fingerprint, at the address of ``Emulator/variable`` alone. Release builds have no such code (`SDK-NET-1`).
struct PinnedCertificate: Hashable, Sendable {
    let host: String
    let port: Int
    /// The SHA-256 digest of the certificate in DER, 32 bytes.
    let fingerprint: [UInt8]

    /// - Parameter emulator: The value of ``Emulator/variable``, such as `https://192.168.1.7:8765#sha256:…` with 64 hexadecimal
    ///   digits, which may have colons between.
    /// - Returns: Nil when the value names no fingerprint, or its URL is not https.
    init?(emulator: String?) {
        let parts = (emulator ?? "").split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].lowercased().hasPrefix(Self.prefix), let url = URL(string: String(parts[0])),
            url.scheme?.lowercased() == "https", let host = url.host(percentEncoded: true)?.lowercased()
        else { return nil }
        let digits = parts[1].dropFirst(Self.prefix.count).filter { $0 != ":" }
        guard digits.utf8.count == 64 else { return nil }
        var fingerprint: [UInt8] = []
        var rest = Substring(digits)
        while !rest.isEmpty {
            guard rest.prefix(2).allSatisfy(\.isHexDigit), let byte = UInt8(rest.prefix(2), radix: 16) else {
                return nil
            }
            fingerprint.append(byte)
            rest = rest.dropFirst(2)
        }
        self.host = host
        port = url.port ?? 443
        self.fingerprint = fingerprint
    }

    private static let prefix = "sha256:"

    /// Whether a server's certificate is the pinned one, at the pinned address.
    ///
    /// - Parameter der: The server's own certificate, the first of its chain.
    func accepts(_ der: Data, of host: String, port: Int) -> Bool {
        host.lowercased() == self.host && port == self.port && Array(SHA256.hash(data: der)) == fingerprint
    }
}
