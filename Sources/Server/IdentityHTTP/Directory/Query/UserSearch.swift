import IdentityEngine

/// A `$search`: clauses such as `"displayName:abc"`, with `AND` and `OR` between them; `AND` binds tighter. A clause
/// means that the property begins with the text.
enum UserSearch {
    static func condition(_ text: String, of users: UserProperties) throws(ODataFault) -> UserCondition {
        guard text.utf8.count <= ODataFilter.maximumLength else { throw .tooMuch }
        let length = text.utf8.count
        var rest = Array(text.utf8)[...]
        var (alternatives, together, terms): ([UserCondition], [UserCondition], Int) = ([], [], 0)
        while true {
            terms += 1
            guard terms <= ODataFilter.maximumTerms else { throw .tooMuch }
            together.append(try clause(&rest, length, users))
            let position = length - rest.count
            let word = word(&rest)
            switch word {
            case "and": break
            case "or", "":
                alternatives.append(together.count == 1 ? together[0] : .all(together))
                together = []
                guard word.isEmpty else { break }
                guard rest.isEmpty else { throw .malformed(at: length - rest.count) }
                return alternatives.count == 1 ? alternatives[0] : .any(alternatives)
            case _: throw .malformed(at: position)
            }
        }
    }

    /// Text in double quotes, in which a backslash makes the next character plain.
    private static func clause(
        _ rest: inout ArraySlice<UInt8>, _ length: Int, _ users: UserProperties
    ) throws(ODataFault) -> UserCondition {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        let begin = length - rest.count
        guard rest.popFirst() == UInt8(ascii: "\"") else { throw .malformed(at: begin) }
        var text: [UInt8] = []
        while var byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                guard let plain = rest.popFirst() else { throw .malformed(at: length) }
                byte = plain
            }
            guard byte >= 0x20, byte != 0x7F else { throw .malformed(at: length - rest.count - 1) }
            text.append(byte)
            // The closing quote must follow.
            guard !rest.isEmpty else { throw .malformed(at: length) }
        }
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { throw .malformed(at: begin) }
        return try users.beginning(
            String(decoding: parts[0], as: UTF8.self), with: String(decoding: parts[1], as: UTF8.self))
    }

    /// The word before the next clause, in lower case; empty when there is none.
    private static func word(_ rest: inout ArraySlice<UInt8>) -> String {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        let word = rest.prefix { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self).lowercased()
    }
}
