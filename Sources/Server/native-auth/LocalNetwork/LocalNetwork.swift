import CHost
import IdentityEngine
import IdentityHTTP
import IdentityTLS
import NativeAuthCore
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A development server that phones in the same room reach: `serve --lan` (design record 0031).
struct LocalNetwork: Sendable {
    /// This machine's address there, IPv4.
    let address: String
    let certificateFile: String
    let certificate: ListenerCertificate
    /// The SHA-256 digest of the certificate, by which an app trusts it.
    let fingerprint: [UInt8]
    let lock: InboxLock

    /// Takes the address and the certificate in the data folder; makes a certificate when there is none for this address that lasts
    /// for a month.
    ///
    /// - Parameters:
    ///   - host: The address to use; nil: the one that packets to other networks leave by, else the first private one.
    ///   - dataFolder: The folder of database and master key; made when it is missing.
    init(host: String?, dataFolder: String, randomness: any Randomness, now: Date) async throws(StartFailure) {
        guard let address = host ?? Self.ownAddress else {
            throw .unavailable(
                "This machine has no address in a local network; is it connected? --host ADDRESS takes one that --lan does not find."
            )
        }
        self.address = address
        let folder = try DataFolder(dataFolder).path
        let (chain, key) = ("\(folder)/lan.pem", "\(folder)/lan.key")
        certificateFile = chain
        if !(await Self.isUsable(chain, key, for: address, now: now)) {
            try Self.make(chain, key, for: address, now: now)
        }
        do throws(ListenerCertificate.Fault) {
            certificate = try ListenerCertificate(certificates: chain, key: key)
        } catch {
            throw .inputOutput("--lan: \(error.sentence).")
        }
        guard let fingerprint = certificate.fingerprint else {
            throw .inputOutput("--lan: \(chain) has no certificate that can be written again.")
        }
        self.fingerprint = fingerprint
        lock = InboxLock(
            randomness, fingerprint: "sha256:" + fingerprint.map { Self.hexadecimal($0) }.joined(),
            certificateFile: chain)
    }

    /// Whether an address is one of a local network: RFC 1918, or RFC 3927 for machines without a router.
    static func isLocal(_ address: String) -> Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, let first = parts[0], let second = parts[1], parts.allSatisfy({ $0 != nil }) else {
            return false
        }
        return first == 10 || (first == 172 && (16...31).contains(second)) || (first == 192 && second == 168)
            || (first == 169 && second == 254)
    }

    private static var ownAddress: String? {
        var text = [CChar](repeating: 0, count: 16)
        guard chost_local_address(&text, Int32(text.count)) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isUsable(_ chain: String, _ key: String, for address: String, now: Date) async -> Bool {
        do throws(ListenerCertificate.Fault) {
            let certificate = try ListenerCertificate(certificates: chain, key: key)
            return await certificate.isFor(address) && certificate.end > now.addingTimeInterval(30 * 86_400)
        } catch {
            return false
        }
    }

    private static func make(_ chain: String, _ key: String, for address: String, now: Date) throws(StartFailure) {
        let made: SelfSignedCertificate
        do {
            made = try SelfSignedCertificate(for: address, now: now)
        } catch {
            throw .unavailable("A certificate for \(address) cannot be made: \(type(of: error)).")
        }
        for (path, text) in [(chain, made.certificate), (key, made.key)] {
            unlink(path)
            do throws(PrivateFile.Failure) {
                try PrivateFile.make(path, of: Array(text.utf8))
            } catch {
                switch error {
                case .exists: throw .unavailable("Another server makes \(path) at this moment.")
                case .failed(let reason): throw .inputOutput("\(path) cannot be made: \(reason).")
                }
            }
        }
    }

    // MARK: For the terminal

    /// `NATIVE_AUTH_EMULATOR` of an app: the base URL, and the digest of the certificate as its fragment.
    func emulator(_ baseURL: String) -> String { "\(baseURL)#\(lock.fingerprint)" }

    /// The digest as browsers show it.
    var shownFingerprint: String { fingerprint.map { Self.hexadecimal($0).uppercased() }.joined(separator: ":") }

    /// The code of the inbox in two groups.
    var shownCode: String {
        let code = lock.code.reveal()
        return "\(code.prefix(4)) \(code.suffix(4))"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
