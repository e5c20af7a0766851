import NativeAuthCore
import PortableFoundation

/// A login name besides the e-mail address (`SEC-ID-6`).
///
/// 3 to 64 characters: an ASCII letter or digit, then letters, digits, dots, hyphens and underscores. Not digits only,
/// which would look like a telephone number, and not a name that looks like the tenant's own staff or that RFC 2142
/// reserves.
///
/// Aliases and e-mail addresses share one space of keys (`SEC-ID-7`). An alias has no `@` and an address always has
/// one, so no alias can equal an address.
package struct Alias: Hashable, Sendable {
    /// As the user typed it.
    package let display: String
    /// In ASCII lower case: aliases that differ only in letter case are the same.
    package let key: LoginIdentifier.Key

    /// Nil when the text breaks these rules; blanks around it are not removed.
    package init?(_ text: String) {
        guard (3...64).contains(text.utf8.count) else { return nil }
        let bytes = text.utf8.map(\.asciiLowercased)
        let marks = Set("._-".utf8)
        guard bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || marks.contains($0) }),
            let first = bytes.first, !marks.contains(first), !bytes.allSatisfy(\.isASCIIDigit),
            !Self.reserved.contains(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        display = text
        key = LoginIdentifier.Key(bytes: Data(bytes))
    }

    /// The rules, as the end of a sentence about an alias.
    package static let rules = """
        has 3 to 64 of the letters a to z, digits, dots, hyphens and underscores, begins with a letter or digit, is not all \
        digits, and is no reserved word such as admin
        """

    /// The login name of the user.
    package var identifier: LoginIdentifier {
        LoginIdentifier(kind: .alias, key: key, display: display)
    }

    private static let reserved: Set<String> = [
        "abuse", "account", "accounts", "admin", "administrator", "anonymous", "billing", "compliance", "contact",
        "daemon", "everyone", "ftp", "guest", "help", "helpdesk", "hostmaster", "info", "legal", "mailer-daemon",
        "marketing", "moderator", "news", "no-reply", "no.reply", "no_reply", "nobody", "noc", "noreply", "null",
        "official", "operator", "owner", "postmaster", "privacy", "root", "sales", "security", "self", "service",
        "staff",
        "superuser", "support", "sysadmin", "system", "team", "undefined", "usenet", "user", "uucp", "webmaster", "www",
    ]
}
