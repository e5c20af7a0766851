package import PortableFoundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// A chain of certificates, the server's own first, as a file has it or a server sends it.
package struct CertificateChain: Sendable {
    /// Why clients do not trust a chain.
    package enum Fault: Hashable, Sendable {
        case ended(Date)
        case notBegun(Date)
        /// It is for these names only.
        case otherNames([String])
        /// Its extended key usage excludes TLS servers.
        case notForServers
        /// It is its own authority.
        case signedItself
        /// The chain ends with an authority of its own, which this machine does not trust.
        case unknownAuthority(String)
        /// The chain has no certificate of this issuer, and this machine has none either.
        case issuerMissing(String)
    }

    private let certificates: [Certificate]
    private let own: Certificate

    /// - Throws: When the text has no certificate, or one that does not parse.
    package init?(pem: String) throws {
        try self.init(
            PEMDocument.parseMultiple(pemString: pem).filter { $0.discriminator == "CERTIFICATE" }
                .map { try Certificate(pemDocument: $0) })
    }

    /// - Throws: When a certificate does not parse.
    init?(der: [[UInt8]]) throws {
        try self.init(der.map { try Certificate(derEncoded: $0) })
    }

    private init?(_ certificates: [Certificate]) {
        guard let own = certificates.first else { return nil }
        (self.certificates, self.own) = (certificates, own)
    }

    /// When the first certificate of the chain to end does.
    package var end: Date { certificates.map(\.notValidAfter).min() ?? own.notValidAfter }

    /// Whether both have the same certificates in the same order.
    package func isSame(as other: CertificateChain) -> Bool { certificates == other.certificates }

    /// The names that the server's own certificate is for.
    package var names: [String] {
        // A certificate whose names do not parse has none that a client would accept.
        guard let names = try? own.extensions.subjectAlternativeNames else { return [] }
        return names.compactMap { name in
            switch name {
            case .dnsName(let name): name
            case .ipAddress(let address): Self.text(of: Array(address.bytes))
            case _: nil
            }
        }
    }

    /// All reasons for which a client on this machine would refuse the chain.
    ///
    /// - Parameters:
    ///   - host: The name or address that the client calls.
    ///   - authorities: Certificates in PEM to trust besides this machine's.
    package func faults(for host: String, at now: Date, trusting authorities: String? = nil) async throws -> [Fault] {
        var faults: [Fault] = []
        for certificate in certificates {
            if certificate.notValidAfter < now { faults.append(.ended(certificate.notValidAfter)) }
            if certificate.notValidBefore > now { faults.append(.notBegun(certificate.notValidBefore)) }
        }
        if await !isFor(host) { faults.append(.otherNames(names)) }
        if !isForServers { faults.append(.notForServers) }
        var roots = CertificateStore.systemTrustRoots
        if let authorities {
            try roots.append(
                contentsOf: PEMDocument.parseMultiple(pemString: authorities).map { try Certificate(pemDocument: $0) })
        }
        // At a time within its life, so that the time is one fault and not two.
        let time = min(max(now, own.notValidBefore), own.notValidAfter)
        var verifier = Verifier(rootCertificates: roots) { RFC5280Policy(fixedExpiryValidationTime: time) }
        let result = await verifier.validate(
            leaf: own, intermediates: CertificateStore(certificates.dropFirst()))
        if case .couldNotValidate = result, let fault = trustFault(isDated: !faults.contains(where: \.isAboutTime)) {
            faults.append(fault)
        }
        return faults
    }

    /// Whether the server's own certificate is for `host`, by the library's rules (RFC 6125 section 6).
    package func isFor(_ host: String) async -> Bool {
        // The library would take the common name in place of a name, and `*` for a name of one label; clients do neither.
        let dnsNames = names
        guard !dnsNames.isEmpty, host.contains(where: { ".:".contains($0) }) || dnsNames.contains(host.lowercased())
        else { return false }
        let isAddress = host.contains(":") || host.wholeMatch(of: /[0-9.]+/) != nil
        // A chain of the certificate alone, so that the name alone decides.
        var verifier = Verifier(rootCertificates: CertificateStore([own])) {
            AcceptedExtensions(verifyingCriticalExtensions: own.extensions.map(\.oid))
            ServerIdentityPolicy(serverHostname: isAddress ? nil : host, serverIP: isAddress ? host : nil)
        }
        switch await verifier.validate(leaf: own, intermediates: CertificateStore()) {
        case .validCertificate: return true
        case .couldNotValidate: return false
        }
    }

    private var isForServers: Bool {
        let usage: ExtendedKeyUsage?
        do {
            usage = try own.extensions.extendedKeyUsage
        } catch {
            // Clients refuse what they cannot parse.
            return false
        }
        // RFC 5280 section 4.2.1.12: without the extension every use is allowed.
        guard let usage else { return true }
        return usage.contains(.serverAuth) || usage.contains(.any)
    }

    private func trustFault(isDated: Bool) -> Fault? {
        var top = own
        for _ in certificates {
            guard top.issuer != top.subject, let issuer = certificates.first(where: { $0.subject == top.issuer }) else {
                break
            }
            top = issuer
        }
        if own.issuer == own.subject { return .signedItself }
        if top.issuer == top.subject { return .unknownAuthority("\(top.subject)") }
        // An intermediate or root that has ended has been reported.
        return isDated ? .issuerMissing("\(top.issuer)") : nil
    }

    private static func text(of address: [UInt8]) -> String {
        if address.count == 4 { return address.map { "\($0)" }.joined(separator: ".") }
        return stride(from: 0, to: address.count - 1, by: 2)
            .map { String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}

/// Lets other policies judge a certificate with these extensions, which the library refuses when no policy knows them.
private struct AcceptedExtensions: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        .meetsPolicy
    }
}

extension CertificateChain.Fault {
    fileprivate var isAboutTime: Bool {
        switch self {
        case .ended, .notBegun: true
        case .otherNames, .notForServers, .signedItself, .unknownAuthority, .issuerMissing: false
        }
    }
}
