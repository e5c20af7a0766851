package import NativeAuthCore

/// Why a new password is refused, in the order of the checks (`SEC-PWD-1`, docs/protocol.md §10).
package enum PasswordFault: Hashable, Sendable, Codable, CaseIterable {
    /// A character that is not printing ASCII.
    case invalid
    /// Fewer than 8 characters.
    case tooShort
    /// More than 256 characters.
    case tooLong
    /// Fewer than three of the four classes: lower-case, upper-case, digit, symbol.
    case tooWeak
    /// Common, made of listed terms, or of the user's own data.
    case banned
    /// The current password. ``PasswordPolicy`` never returns it: it is the last check, it needs the hasher, and only a
    /// password reset makes it.
    case recentlyUsed
}

/// Data about the user who chooses a password; the password must not contain any of it.
package struct PasswordContext: Hashable, Sendable {
    /// The part of the address before the `@`.
    package var emailLocalPart: String?
    package var alias: String?
    /// Display, given and family names.
    package var names: [String]
    /// The tenant's display name.
    package var tenantName: String?

    package init(
        emailLocalPart: String? = nil, alias: String? = nil, names: [String] = [], tenantName: String? = nil
    ) {
        self.emailLocalPart = emailLocalPart
        self.alias = alias
        self.names = names
        self.tenantName = tenantName
    }
}

/// A fault in a list of custom banned terms; a server does not start with it.
package enum BannedTermsError: Error, Equatable, CustomStringConvertible {
    /// More than ``PasswordPolicy/mostBannedTerms``.
    case tooMany(Int)
    /// Not 4 to 64 characters of printing ASCII.
    case unusable(String)

    package var description: String {
        switch self {
        case .tooMany(let count):
            "\(count) banned password terms; the most is \(PasswordPolicy.mostBannedTerms)."
        case .unusable(let term):
            "The banned password term \"\(term)\" cannot be used; a term has 4 to 64 ASCII characters."
        }
    }
}

/// The rules for accepted passwords: the profile `entra` of `SEC-PWD-1` to `SEC-PWD-4`.
///
/// A password has 8 to 256 characters of A–Z, a–z, 0–9, blank and the ASCII symbols, from at least three of the four
/// classes; a blank has no class. Then points are counted in the password in lower case, with 0, 1, $ and @ read as o,
/// l, s and a: each listed term in it counts one point, even with one wrong character, and so does every other
/// character. A password with fewer than five points is banned. So is a password that contains a name, alias, local
/// part or tenant name of four or more characters; alias and local part are also looked for backwards.
///
/// The password is never changed, trimmed or truncated.
package struct PasswordPolicy: Sendable {
    /// The largest number of custom terms.
    package static let mostBannedTerms = 1000
    /// A longer input, in UTF-8 bytes, is refused without further checks (`SEC-SWIFT-2`).
    package static let longestInput = 1024

    private static let lengths = 8...256
    private static let leastPoints = 5
    private static let builtIn = PasswordTerms(
        (CommonPasswords.terms.utf8.split { $0 == 0x20 || $0 == 0x0A }
            + CommonPasswords.passwords.utf8.split { $0 == 0x20 || $0 == 0x0A }).map(normalized))

    private let lists: [PasswordTerms]

    /// The policy with only the built-in list.
    package init() {
        lists = [Self.builtIn]
    }

    /// The policy with the built-in list and the tenant's own terms.
    ///
    /// - Parameter terms: At most ``mostBannedTerms``, each of 4 to 64 characters of printing ASCII, in any letter
    ///   case.
    /// - Throws: ``BannedTermsError`` for a list that breaks these rules.
    package init(bannedTerms terms: [String]) throws(BannedTermsError) {
        guard terms.count <= Self.mostBannedTerms else { throw .tooMany(terms.count) }
        let usable = PasswordTerms.shortest...64
        for term in terms where !usable.contains(term.utf8.count) || !term.utf8.allSatisfy(Self.isAllowed) {
            throw .unusable(term)
        }
        lists = [Self.builtIn, PasswordTerms(terms.map { Self.normalized($0.utf8) })]
    }

    /// The first rule that `password` breaks, or nil.
    ///
    /// A password of more than ``longestInput`` bytes is too long, whatever its characters.
    package func check(_ password: Secret<String>, context: PasswordContext) -> PasswordFault? {
        let text = password.reveal().utf8
        guard text.count <= Self.longestInput else { return .tooLong }
        let bytes = Array(text)
        guard bytes.allSatisfy(Self.isAllowed) else { return .invalid }
        if bytes.count < Self.lengths.lowerBound { return .tooShort }
        if bytes.count > Self.lengths.upperBound { return .tooLong }
        if Set(bytes.compactMap(CharacterClass.init)).count < 3 { return .tooWeak }
        let normal = Self.normalized(bytes)
        if Self.isPersonal(normal, context) { return .banned }
        if PasswordTerms.points(of: normal, lists: lists, limit: Self.leastPoints) < Self.leastPoints { return .banned }
        return nil
    }

    /// The normal form in which terms and passwords are compared (`SEC-PWD-3`).
    static func normalized(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 0x20
            case UInt8(ascii: "0"): UInt8(ascii: "o")
            case UInt8(ascii: "1"): UInt8(ascii: "l")
            case UInt8(ascii: "$"): UInt8(ascii: "s")
            case UInt8(ascii: "@"): UInt8(ascii: "a")
            default: byte
            }
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte)
    }

    /// Whether the password contains the user's own data (`SEC-PWD-3`, `SEC-PWD-4`). Each word of a name counts too,
    /// because users choose single words.
    private static func isPersonal(_ password: [UInt8], _ context: PasswordContext) -> Bool {
        let identifiers = [context.emailLocalPart, context.alias].compactMap { $0.map { normalized($0.utf8) } }
        let names = (context.names + [context.tenantName].compactMap(\.self)).flatMap { name in
            let whole = normalized(name.utf8)
            return [whole] + whole.split(separator: 0x20).map(Array.init)
        }
        let terms = identifiers + identifiers.map { $0.reversed() } + names
        return terms.contains { $0.count >= PasswordTerms.shortest && password.contains($0) }
    }
}

/// The character classes; a password needs three.
private enum CharacterClass: Hashable {
    case lowerCase
    case upperCase
    case digit
    case symbol

    /// Nil for a blank. `byte` is printing ASCII.
    init?(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lowerCase
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upperCase
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
        case UInt8(ascii: " "): return nil
        default: self = .symbol
        }
    }
}

extension [UInt8] {
    /// Whether these bytes contain `part`.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        return (0...count - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
    }
}
