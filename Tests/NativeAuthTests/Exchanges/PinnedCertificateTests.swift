import Crypto
import Foundation
import Testing

@testable import NativeAuth

@Suite("SDK-NET-1: the pinned certificate of a development server, design record 0031")
struct PinnedCertificateTests {
    private static let certificate = Data("a certificate in DER".utf8)
    private static let digits = SHA256.hash(data: certificate).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()

    @Test("The certificate is accepted at its address alone, and no other certificate there")
    func accepts() throws {
        let pinned = try #require(PinnedCertificate(emulator: "https://192.168.1.7:8765#sha256:\(Self.digits)"))
        #expect(pinned.accepts(Self.certificate, of: "192.168.1.7", port: 8765))
        #expect(!pinned.accepts(Self.certificate, of: "192.168.1.8", port: 8765))
        #expect(!pinned.accepts(Self.certificate, of: "192.168.1.7", port: 443))
        #expect(!pinned.accepts(Self.certificate + Data([0]), of: "192.168.1.7", port: 8765))
        #expect(!pinned.accepts(Data(), of: "192.168.1.7", port: 8765))
    }

    @Test("The digits may be those of a browser, and the port that of https")
    func forms() throws {
        let colons = stride(from: 0, to: 64, by: 2).map { Self.digits.uppercased().dropFirst($0).prefix(2) }
            .joined(separator: ":")
        let pinned = try #require(PinnedCertificate(emulator: "HTTPS://Laptop.local/auth#SHA256:\(colons)"))
        #expect(pinned.accepts(Self.certificate, of: "laptop.local", port: 443))
    }

    @Test(
        "Anything else pins nothing",
        arguments: [
            nil, "", "https://192.168.1.7:8765", "https://192.168.1.7:8765#", "https://192.168.1.7:8765#sha256:",
            "https://192.168.1.7:8765#sha256:abcd", "https://192.168.1.7:8765#\(digits)",
            "https://192.168.1.7:8765#sha1:\(digits)", "https://192.168.1.7:8765#sha256:\(digits)00",
            "https://192.168.1.7:8765#sha256:+\(digits.dropFirst())", "https://192.168.1.7:8765#sha256:\(digits)#",
            "http://127.0.0.1:8765#sha256:\(digits)", "sha256:\(digits)", "#sha256:\(digits)",
        ])
    func pinsNothing(_ value: String?) {
        #expect(PinnedCertificate(emulator: value) == nil)
    }
}
