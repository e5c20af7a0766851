#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A regular expression for attribute values, run by the C library's engine. Its time depends on the length of the
/// value, not on an attacker's choice of characters (`SEC-ATTR-2`).
///
/// The syntax is POSIX extended, plus `\d`, `\w`, `\s` and `(?:…)` of the common dialect. Patterns that would need
/// backtracking (back references, look-around, lazy quantifiers) are refused when the configuration is read.
package struct AttributePattern: Hashable, Sendable {
    /// The pattern as configured; clients receive this text.
    package let source: String
    private let posix: String

    /// Nil when the syntax is not supported.
    package init?(_ source: String) {
        guard let posix = Self.translate(source) else { return nil }
        self.source = source
        self.posix = posix
        guard matches("") != nil else { return nil }
    }

    /// Whether the whole of `value` matches; nil when the pattern does not compile.
    package func matches(_ value: String) -> Bool? {
        guard !value.utf8.contains(0) else { return false }
        var compiled = regex_t()
        guard regcomp(&compiled, posix, REG_EXTENDED | REG_NOSUB) == 0 else { return nil }
        defer { regfree(&compiled) }
        return regexec(&compiled, value, 0, nil, 0) == 0
    }

    private static func translate(_ source: String) -> String? {
        var posix = ""
        var inBrackets = false
        var characters = Array(source)[...]
        while let character = characters.popFirst() {
            switch character {
            case "\\":
                guard let escaped = characters.popFirst() else { return nil }
                switch escaped {
                case "d": posix += inBrackets ? "0-9" : "[0-9]"
                case "w": posix += inBrackets ? "A-Za-z0-9_" : "[A-Za-z0-9_]"
                case "s": posix += inBrackets ? " \t\r\n" : "[ \t\r\n]"
                case _ where escaped.isLetter || escaped.isNumber: return nil
                case "]", "^", "-":
                    // POSIX has no escapes inside brackets; these three would mean something else there.
                    if inBrackets { return nil }
                    posix += "\\\(escaped)"
                default: posix += inBrackets ? "\(escaped)" : "\\\(escaped)"
                }
            case "[":
                inBrackets = true
                posix.append(character)
            case "]":
                inBrackets = false
                posix.append(character)
            case "(" where !inBrackets && characters.first == "?":
                guard characters.dropFirst().first == ":" else { return nil }
                characters.removeFirst(2)
                posix += "("
            case "?" where !inBrackets && (posix.last.map { "*+?}".contains($0) } ?? false):
                return nil
            default: posix.append(character)
            }
        }
        return "^(\(posix))$"
    }
}
