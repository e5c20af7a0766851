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
/// backtracking (back references, look-around, lazy quantifiers) are refused when the configuration is read, and so are
/// patterns whose ``cost`` is too high: the C library writes counted repetitions out before it runs.
package struct AttributePattern: Hashable, Sendable {
    /// The pattern as configured; clients receive this text.
    package let source: String
    /// How large the pattern is when its repetitions are written out, about: 1 for each character or bracket, times the number
    /// of a counted repetition, times 4 for another one.
    package let cost: Int
    private let compiled: CompiledPattern

    /// The highest cost of a pattern. At it the C library takes about 20 ms and 10 MiB, once.
    package static let maximumCost = 300
    /// The largest number of a repetition, as in musl's library.
    static let maximumRepetition = 255
    /// The longest pattern in bytes.
    static let maximumLength = 512

    /// Nil when the syntax is not supported, or the pattern costs too much.
    package init?(_ source: String) {
        guard source.utf8.count <= Self.maximumLength, let posix = Self.translate(source),
            let cost = PatternCost.of(posix), cost <= Self.maximumCost, let compiled = CompiledPattern("^(\(posix))$")
        else { return nil }
        self.source = source
        self.cost = cost
        self.compiled = compiled
    }

    /// Whether the whole of `value` matches.
    package func matches(_ value: String) -> Bool {
        !value.utf8.contains(0) && compiled.matches(value)
    }

    package static func == (one: Self, other: Self) -> Bool { one.source == other.source }
    package func hash(into hasher: inout Hasher) { hasher.combine(source) }

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
        return posix
    }
}

/// A compiled pattern. The library takes a lock of its own while it runs one, so that threads can share it.
private final class CompiledPattern: @unchecked Sendable {
    private var regex = regex_t()

    init?(_ posix: String) {
        guard regcomp(&regex, posix, REG_EXTENDED | REG_NOSUB) == 0 else { return nil }
    }

    deinit { regfree(&regex) }

    func matches(_ value: String) -> Bool { regexec(&regex, value, 0, nil, 0) == 0 }
}

/// Reads a POSIX extended regular expression as far as its size is concerned.
private struct PatternCost {
    private static let deepest = 10
    private var rest: Substring.UTF8View
    private var depth = 0

    /// Nil for a repetition above ``AttributePattern/maximumRepetition``, for too many groups in each other, and for a text
    /// that is no expression.
    static func of(_ posix: String) -> Int? {
        var reader = PatternCost(rest: posix[...].utf8)
        guard let cost = reader.alternatives(), reader.rest.isEmpty else { return nil }
        return cost
    }

    private mutating func alternatives() -> Int? {
        var total = 0
        while let next = rest.first, next != UInt8(ascii: ")") {
            rest.removeFirst()
            let atom: Int
            switch next {
            case UInt8(ascii: "\\"):
                guard rest.popFirst() != nil else { return nil }
                atom = 1
            case UInt8(ascii: "["):
                guard bracket() else { return nil }
                atom = 1
            case UInt8(ascii: "("):
                depth += 1
                guard depth <= Self.deepest, let inner = alternatives(), rest.popFirst() == UInt8(ascii: ")") else {
                    return nil
                }
                depth -= 1
                atom = max(1, inner)
            case _: atom = 1
            }
            guard let times = repetitions() else { return nil }
            // Each factor is at most 1,020, and the sum is cut, so that nothing overflows.
            total = min(total + min(atom, 1_000_000) * times, 1_000_000)
        }
        return total
    }

    /// How often what stands in front is written out, by all quantifiers behind it.
    private mutating func repetitions() -> Int? {
        var times = 1
        while let next = rest.first, "*+?{".utf8.contains(next) {
            rest.removeFirst()
            guard next == UInt8(ascii: "{") else {
                times = min(times * 4, 1_000_000)
                continue
            }
            let text = String(decoding: rest.prefix { $0 != UInt8(ascii: "}") }, as: UTF8.self)
            rest = rest.dropFirst(text.utf8.count)
            guard rest.popFirst() != nil else { return nil }
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let possible = 0...AttributePattern.maximumRepetition
            guard (1...2).contains(parts.count), let least = parts[0].isEmpty ? 0 : Int(parts[0]),
                possible.contains(least)
            else { return nil }
            if parts.count == 2, parts[1].isEmpty {
                times = min(times * (least + 1) * 4, 1_000_000)
            } else {
                guard let most = parts.count == 1 ? least : Int(parts[1]), possible.contains(most) else { return nil }
                times = min(times * max(1, most), 1_000_000)
            }
        }
        return times
    }

    /// The rest of a bracket expression, in which `]` can stand first, and classes such as `[:alpha:]` inside.
    private mutating func bracket() -> Bool {
        if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
        while let next = rest.popFirst() {
            if next == UInt8(ascii: "]") { return true }
            guard next == UInt8(ascii: "["), let kind = rest.first, ":.=".utf8.contains(kind) else { continue }
            rest.removeFirst()
            while let inner = rest.popFirst() {
                if inner == kind, rest.first == UInt8(ascii: "]") {
                    rest.removeFirst()
                    break
                }
            }
        }
        return false
    }
}
