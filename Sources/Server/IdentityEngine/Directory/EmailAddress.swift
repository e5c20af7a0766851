import NativeAuthCore
import PortableFoundation

/// A validated e-mail address (`SEC-ID-1` to `SEC-ID-5`).
///
/// The local part is an RFC 5321 dot-string of at most 64 bytes. It has no `%` and `!`, which some mail servers read as
/// a route, and no encoded-word marks (RFC 2047). It has nothing that a mail server's programs could take for an
/// option, a path or a command: no `|`, `` ` ``, `$`, `&`, `#`, `?`, `*`, and no `-`, `/` or `~` at its beginning. The
/// domain has two or more labels of letters, digits and hyphens, the last of which begins with a letter, and at most
/// 253 bytes. The whole has at most 254 bytes (RFC 5321 §4.5.3.1). Blanks and tabs around it are removed.
///
/// Everything is ASCII. An internationalised domain is accepted as A-labels (`xn--…`, RFC 5890), which mail clients
/// show and send, and refused in Unicode: mapping it needs the tables of UTS #46, and a wrong mapping would send mail
/// to another owner's domain.
package struct EmailAddress: Hashable, Sendable {
    /// As the user typed it, for display only (`SEC-ID-4`).
    package let display: String
    /// The address in ASCII lower case, by which addresses are compared. Tags after a plus sign and dots are kept
    /// (`SEC-ID-3`).
    package let key: LoginIdentifier.Key

    /// Nil when the text is not exactly one address.
    package init?(_ text: String) {
        self.init(stored: text)
        guard Self.isHarmless(localPart) else { return nil }
    }

    /// An address that was accepted before (from the store or a flow), or a login name. It may contain the characters
    /// that ``init(_:)`` refuses for the mail server's protection: earlier versions allowed them, and those accounts
    /// stay valid.
    ///
    /// Nil when the text is not exactly one address.
    package init?(stored text: String) {
        // Work on bytes, and check their number first: nothing here depends on Unicode comparison (SEC-SWIFT-1,
        // SEC-SWIFT-2).
        guard text.utf8.count <= 1024 else { return nil }
        let bytes = Self.trimmed(Array(text.utf8))
        guard bytes.count <= 254, let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            Self.isLocalPart(bytes[..<at]), Self.isDomain(bytes[(at + 1)...])
        else { return nil }
        display = String(decoding: bytes, as: UTF8.self)
        key = LoginIdentifier.Key(bytes: Data(bytes.map(\.asciiLowercased)))
    }

    /// The part before the `@`, as typed.
    package var localPart: String {
        String(decoding: display.utf8.prefix { $0 != UInt8(ascii: "@") }, as: UTF8.self)
    }

    /// The address for mail: the local part as typed, because its letter case may matter to the receiver, and the
    /// domain in lower case.
    package var address: String {
        localPart + "@" + String(decoding: domain, as: UTF8.self)
    }

    /// The login name of the user.
    package var identifier: LoginIdentifier {
        LoginIdentifier(kind: .email, key: key, display: display)
    }

    /// A hint such as `d***a@ex***le.com` for a reply (docs/protocol.md §9): never the whole address, and always three
    /// stars, so that it hides lengths.
    package var masked: String {
        let lastDot = domain.lastIndex(of: UInt8(ascii: ".")) ?? domain.endIndex
        let local = Self.masked(Array(localPart.utf8), keeping: 1)
        let domain = Self.masked(Array(domain[..<lastDot]), keeping: 2)
        return local + "@" + domain + String(decoding: self.domain[lastDot...], as: UTF8.self)
    }

    private var domain: ArraySlice<UInt8> {
        Array(key.bytes).drop { $0 != UInt8(ascii: "@") }.dropFirst()
    }

    /// The first and last `count` characters around the stars; fewer when that would hide two characters or fewer.
    private static func masked(_ bytes: [UInt8], keeping count: Int) -> String {
        let (first, last) =
            if bytes.count > 2 * count + 1 { (count, count) } else if bytes.count > 1 { (1, 0) } else { (0, 0) }
        return String(decoding: bytes.prefix(first), as: UTF8.self) + "***"
            + String(decoding: bytes.suffix(last), as: UTF8.self)
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let tail = bytes.drop(while: isBlank)
        return tail[..<(tail.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? tail.startIndex)]
    }

    /// Whether the local part is harmless to programs behind a mail server that pass it on carelessly: none can take it
    /// for an option, a path, a pipe or a shell command. The default configurations of Exim and Postfix refuse most of
    /// these characters as well.
    private static func isHarmless(_ localPart: String) -> Bool {
        !localPart.utf8.contains { "|`$&#?*".utf8.contains($0) }
            && !(localPart.utf8.first.map { "-/~".utf8.contains($0) } ?? true)
    }

    private static func isLocalPart(_ bytes: ArraySlice<UInt8>) -> Bool {
        let marks = Set("#$&'*+-/=?^_`{|}~".utf8)
        let equalsSign = UInt8(ascii: "=")
        let questionMark = UInt8(ascii: "?")
        return bytes.count <= 64
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || marks.contains($0) }
            }
            && !zip(bytes, bytes.dropFirst()).contains { pair in
                pair == (equalsSign, questionMark) || pair == (questionMark, equalsSign)
            }
    }

    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // A last label that begins with a digit would make an IPv4 address look like a domain.
        return bytes.count <= 253 && labels.count >= 2 && labels.allSatisfy(isLabel)
            && labels.last?.first?.isASCIILetter == true
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen,
            label.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == hyphen })
        else { return false }
        // Labels with hyphens in the third and fourth place are reserved (RFC 5890 section 2.3.1); only `xn--` has a
        // meaning.
        let isReserved = label.dropFirst(2).starts(with: [hyphen, hyphen])
        return !isReserved || label.prefix(2).map(\.asciiLowercased) == Array("xn".utf8)
    }
}

/// Encoded as its display text; decoding throws for text that is not an address.
extension EmailAddress: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let address = EmailAddress(stored: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an e-mail address")
        }
        self = address
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(display)
    }
}

extension UInt8 {
    /// A–Z as a–z, other bytes unchanged. `lowercased()` would map letters of other scripts to ASCII.
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
    var isASCIILetter: Bool { (0x61...0x7A).contains(asciiLowercased) }
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
