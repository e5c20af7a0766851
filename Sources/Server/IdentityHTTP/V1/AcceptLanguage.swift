package import IdentityEngine

extension MailLanguage {
    /// The language that a reader prefers, from the request's `Accept-Language` (RFC 9110 section 12.5.4).
    ///
    /// The range with the highest weight that names a supported language decides, the earlier of two equal ones, as
    /// ``init(tag:)`` reads it. A weight of 0 excludes a language. The result is nil for a missing or malformed header, and
    /// for a header without a supported language; `*` names none. Malformed elements are skipped.
    ///
    /// - Parameter acceptLanguage: The field's value; only the first 1024 bytes are read.
    package init?(acceptLanguage: String?) {
        var best: (language: MailLanguage, weight: Int)?
        for element in Self.elements(of: acceptLanguage ?? "") {
            guard let candidate = Self.preference(element), candidate.weight > best?.weight ?? 0 else { continue }
            best = candidate
        }
        guard let best else { return nil }
        self = best.language
    }

    private static func elements(of header: String) -> [ArraySlice<UInt8>] {
        let limit = 1024
        let bytes = Array(header.utf8.prefix(limit + 1))
        var elements = bytes.split(separator: UInt8(ascii: ","))
        // The last element of a truncated header may be incomplete.
        if bytes.count > limit, !elements.isEmpty { elements.removeLast() }
        return elements
    }

    /// Nil for a malformed element and for an unsupported language.
    private static func preference(_ element: ArraySlice<UInt8>) -> (language: MailLanguage, weight: Int)? {
        let parts = element.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
        guard let range = parts.first, parts.count <= 2, let language = language(range) else { return nil }
        guard parts.count == 2 else { return (language, 1000) }
        return weight(parts[1]).map { (language, $0) }
    }

    private static func language(_ range: ArraySlice<UInt8>) -> MailLanguage? {
        let subtags = range.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard subtags.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) }) else { return nil }
        return MailLanguage(tag: String(decoding: range, as: UTF8.self))
    }

    /// `q=` and a number from 0 to 1 with at most three decimals, in thousandths.
    private static func weight(_ parameter: ArraySlice<UInt8>) -> Int? {
        let text = Array(parameter)
        guard (3...7).contains(text.count), text[0] | 0x20 == UInt8(ascii: "q"), text[1] == UInt8(ascii: "="),
            text.count == 3 || text[3] == UInt8(ascii: ".")
        else { return nil }
        var thousandths = 0
        for place in [2, 4, 5, 6] {
            guard place < text.count else {
                thousandths *= 10
                continue
            }
            guard (0x30...0x39).contains(text[place]) else { return nil }
            thousandths = thousandths * 10 + Int(text[place] - 0x30)
        }
        return thousandths <= 1000 ? thousandths : nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()[...]
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
