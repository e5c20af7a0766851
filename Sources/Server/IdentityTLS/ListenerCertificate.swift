import Crypto
import NIOSSL
import NativeAuthCore
package import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The certificate chain and the private key of a listener, from two files in PEM. Both are read again when a file
/// changes, so that a renewed certificate needs no restart: a connection has the certificate of its beginning.
package final class ListenerCertificate: Sendable {
    /// Why the files give no certificate, as a sentence without a full stop.
    package struct Fault: Error, Hashable {
        package var sentence: String
    }

    /// What changes when a file is replaced.
    private struct Version: Hashable {
        var size: Int?
        var changed: Date?
        var inode: Int?
        var mode: Int?
        var owner: Int?

        init(_ path: String) {
            let facts = ListenerCertificate.facts(of: path)
            size = facts?[.size] as? Int
            changed = facts?[.modificationDate] as? Date
            inode = facts?[.systemFileNumber] as? Int
            mode = facts?[.posixPermissions] as? Int
            owner = facts?[.ownerAccountID] as? Int
        }
    }

    private struct State {
        var context: NIOSSLContext
        var own: NIOSSLCertificate
        /// Nil when another library than that of TLS cannot parse it.
        var chain: CertificateChain?
        var seen: [Version]
    }

    private let files: [String]
    private let state: Locked<State>

    /// - Parameters:
    ///   - certificates: The path of the chain, the server's own certificate first.
    ///   - key: The path of its private key, without a passphrase.
    package init(certificates: String, key: String) throws(Fault) {
        files = [certificates, key]
        let seen = files.map(Version.init)
        let (context, own, chain) = try Self.read(certificates, key)
        state = Locked(State(context: context, own: own, chain: chain, seen: seen))
    }

    /// The TLS settings with the present certificate.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// When the server's own certificate ends.
    package var end: Date { Date(timeIntervalSince1970: TimeInterval(state.withLock { $0.own }.notValidAfter)) }

    /// The SHA-256 digest of the server's own certificate, which browsers call its fingerprint; nil when the library cannot write it.
    package var fingerprint: [UInt8]? {
        do {
            return try Array(SHA256.hash(data: state.withLock { $0.own }.toDERBytes()))
        } catch {
            return nil
        }
    }

    /// Whether the server's own certificate is for a name that clients call; true when that is not known.
    package func isFor(_ host: String) async -> Bool {
        await state.withLock { $0.chain }?.isFor(host) ?? true
    }

    /// Reads the files again if one has changed since they were last read.
    ///
    /// - Returns: Whether new connections have another certificate now.
    /// - Throws: ``Fault`` for files that do not fit; the certificate before stays. The next call tries again only after
    ///   another change.
    package func renew() throws(Fault) -> Bool {
        let seen = files.map(Version.init)
        guard state.withLock({ $0.seen != seen }) else { return false }
        state.withLock { $0.seen = seen }
        let (context, own, chain) = try Self.read(files[0], files[1])
        state.withLock { ($0.context, $0.own, $0.chain) = (context, own, chain) }
        return true
    }

    private static func read(_ certificates: String, _ key: String) throws(Fault) -> (
        NIOSSLContext, own: NIOSSLCertificate, chain: CertificateChain?
    ) {
        for path in [certificates, key] {
            guard let facts = facts(of: path) else {
                // Also a folder on the way may be closed to this user.
                let reason =
                    FileManager.default.fileExists(atPath: path) ? "this user may not read it" : "there is no such file"
                throw Fault(sentence: "\(shown(path)) cannot be read: \(reason)")
            }
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw Fault(sentence: "\(shown(path)) cannot be read: this user may not read it")
            }
            // Anything else could keep the reader waiting.
            guard facts[.type] as? FileAttributeType == .typeRegular, facts[.size] as? Int ?? .max <= 1 << 20 else {
                throw Fault(sentence: "\(shown(path)) is no file of at most 1 MiB")
            }
            guard path != key || (facts[.posixPermissions] as? Int ?? 0) & 0o007 == 0 else {
                throw Fault(sentence: "every user of this machine may open \(shown(path)); chmod o-rwx")
            }
            let owner = facts[.ownerAccountID] as? Int
            guard path != key || owner == 0 || owner == Int(geteuid()) else {
                throw Fault(sentence: "\(shown(path)) belongs to another user; it must belong to root or to this user")
            }
        }
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificates)
        } catch {
            throw Fault(sentence: "\(shown(certificates)) has no certificate in PEM")
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
        } catch {
            throw Fault(sentence: "\(shown(key)) has no private key in PEM without a passphrase")
        }
        guard let own = chain.first else { throw Fault(sentence: "\(shown(certificates)) has no certificate in PEM") }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        // `SEC-NET-3`. Those of TLS 1.3 are the library's; of TLS 1.2, only with forward secrecy and AEAD, which are also all
        // that HTTP/2 may use (RFC 9113 section 9.2.2).
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.applicationProtocols = ["h2", "http/1.1"]
        // The library compares the chain and the key here.
        do {
            let context = try NIOSSLContext(configuration: configuration)
            return (context, own, parsed(chain))
        } catch {
            throw Fault(sentence: "the first certificate of \(shown(certificates)) is not for the key in \(shown(key))")
        }
    }

    private static func parsed(_ chain: [NIOSSLCertificate]) -> CertificateChain? {
        do {
            return try CertificateChain(der: chain.map { try $0.toDERBytes() })
        } catch {
            // Clients may parse it all the same; then its names are not known here.
            return nil
        }
    }

    /// Nil for a file that is gone, whose reading says so.
    private static func facts(of path: String) -> [FileAttributeKey: Any]? {
        try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path)
    }

    /// A path in a sentence: no control characters, and not endless.
    private static func shown(_ path: String) -> String {
        String(
            String.UnicodeScalarView(path.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }).prefix(256))
    }
}
