import Crypto
package import PortableFoundation
import SwiftASN1
import X509

/// A certificate for one IPv4 address that no authority has signed: clients trust it by its fingerprint (design record 0031).
package struct SelfSignedCertificate: Sendable {
    /// The certificate and its P-256 key, in PEM.
    package let certificate: String
    package let key: String

    /// How long it is valid; clients of Apple refuse more than 398 days of a certificate that users add.
    private static let lifetime: TimeInterval = 365 * 86_400

    /// - Parameter address: An IPv4 address, the only name in the certificate (RFC 5280 section 4.2.1.6).
    /// - Throws: The library's error; none is known for an address.
    package init(for address: String, now: Date) throws {
        let privateKey = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("native-auth serve --lan") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(privateKey.publicKey),
            // A phone's clock may be behind.
            notValidBefore: now.addingTimeInterval(-86_400), notValidAfter: now.addingTimeInterval(Self.lifetime),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .ipAddress(
                        ASN1OctetString(
                            contentBytes: ArraySlice(address.split(separator: ".").compactMap { UInt8($0) })))
                ])
            }, issuerPrivateKey: .init(privateKey))
        self.certificate = try certificate.serializeAsPEM().pemString + "\n"
        key = privateKey.pemRepresentation + "\n"
    }
}
