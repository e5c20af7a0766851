import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The resource servers that may introspect tokens, each identified by the audience of its tokens and its own secret
/// (RFC 7662 section 2.1).
///
/// A resource server authenticates with HTTP Basic: the percent-encoded audience is the name, the secret is the
/// password (RFC 6749 section 2.3.1). It learns only about tokens for that audience.
package struct ResourceServers: Sendable {
    /// The faults of a list, one sentence each, without any secret.
    package struct Invalid: Error, Hashable {
        package var problems: [String]
    }

    /// The development profile: every audience, all with the secret `development`.
    package static let development = ResourceServers(digests: [:], digestOfOthers: digest("development"))

    /// The secrets by audience, as digests: the time of a comparison reveals neither length nor content of a secret.
    private let digests: [String: Data]
    /// The secret of every other audience; nil when no other audience may introspect.
    private let digestOfOthers: Data?

    private init(digests: [String: Data], digestOfOthers: Data?) {
        self.digests = digests
        self.digestOfOthers = digestOfOthers
    }

    /// Parses a list.
    ///
    /// - Parameters:
    ///   - list: `AUDIENCE=SECRET`, with blanks between the entries. An audience is 1 to 256 characters of printing
    ///     ASCII without `=`, such as `api://orders`; a secret 1 to 256 characters of `A–Z a–z 0–9 - . _ ~`, which need
    ///     no encoding.
    ///   - needsStrongSecrets: Whether a secret must have 32 characters or more and look random (`SEC-PRF-4`).
    /// - Throws: ``Invalid`` with all problems together.
    package init(_ list: String, needsStrongSecrets: Bool) throws(Invalid) {
        var problems: [String] = []
        var digests: [String: Data] = [:]
        let entries = list.split { $0 == " " || $0 == "\t" || $0.isNewline }
        if entries.isEmpty { problems.append("it must be AUDIENCE=SECRET, with blanks between several") }
        for (number, entry) in entries.enumerated() {
            let parts = entry.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, Self.isAudience(parts[0]) else {
                // Do not show the entry: it may be a secret.
                problems.append("entry \(number + 1) is not AUDIENCE=SECRET")
                continue
            }
            let (audience, secret) = (String(parts[0]), String(parts[1]))
            guard Self.isSecret(secret) else {
                problems.append("the secret of \(audience) must consist of A–Z, a–z, 0–9, -, ., _ and ~")
                continue
            }
            if needsStrongSecrets, !SecretStrength.isEnough(secret) {
                problems.append(
                    "the secret of \(audience) must be \(SecretStrength.shortest) random characters or more, as openssl rand -hex 32 gives"
                )
            }
            let digest = Self.digest(secret)
            if digests.values.contains(digest) { problems.append("\(audience) has the secret of another audience") }
            if digests.updateValue(digest, forKey: audience) != nil { problems.append("\(audience) is named twice") }
        }
        guard problems.isEmpty else { throw Invalid(problems: problems) }
        self.init(digests: digests, digestOfOthers: nil)
    }

    /// The audience of the resource server that sent these credentials; nil when the audience is unknown or the secret
    /// is wrong.
    ///
    /// - Parameter credentials: The part of the header after `Basic ` (RFC 7617 section 2).
    func audience(authenticatedBy credentials: String) -> String? {
        guard let decoded = Data(base64Encoded: credentials), let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let audience = Self.audience(named: decoded[..<colon])
        else { return nil }
        let given = Self.digest(decoded[(colon + 1)...])
        guard let digest = digests[audience] ?? digestOfOthers, Vault.areEqual(given, digest) else { return nil }
        return audience
    }

    private static func audience(named name: Data) -> String? {
        do {
            let names = try FormFields(decoding: name).names
            return names.count == 1 ? names.first.flatMap { isAudience($0) ? $0 : nil } : nil
        } catch {
            // Text that is not percent-encoded names no audience.
            return nil
        }
    }

    private static func isAudience(_ text: some StringProtocol) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func isSecret(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._~".utf8.contains(byte)
            }
    }

    private static func digest(_ secret: some Sequence<UInt8>) -> Data { Vault.fingerprint([Data(secret)]) }

    private static func digest(_ secret: String) -> Data { digest(secret.utf8) }
}
