import Foundation
import IdentityEngine
import IdentityHTTP

/// The `$filter` of the directory (`SEC-ADM-7`): what is read stays within its limits, and is the same filter when it is
/// written and read again.
struct FilterTarget: Target {
    static let name = "filters"

    private let users = UserProperties(
        domain: "contoso.onmicrosoft.com",
        attributes: ["extension_memberNumber": .integer, "extension_plan": .string, "newsletter": .boolean])
    private let mutator = Mutator(
        [
            "identities/any(c:c/issuerAssignedId eq 'a@b.c' and c/issuer eq 'contoso.onmicrosoft.com')",
            "startsWith(displayName,'O''Neil') or not (mail ne 'dana@example.com' and accountEnabled eq true)",
            "createdDateTime ge 2026-11-22T23:10:00.125+01:00 and createdDateTime lt 2026-12-01",
            "id in ('0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', 0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d)",
            "extension_0123456789abcdef0123456789abcdef_memberNumber eq -7 or newsletter ne null",
            "userPrincipalName eq '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d@contoso.onmicrosoft.com'",
            "((((((((((city eq 'a'))))))))))",
            "endsWith(mail,'@example.com') and signInActivity/lastSignInDateTime le null",
        ],
        words: [
            "(", ")", "'", "''", ",", "/", ":", " ", "\t", " and ", " or ", "not ", " eq ", " in ", "null", "TRUE",
            "any(x:",
            "all(", "-", "--", ";", "/*", "\"", "%", "\0", "\n", "’", "é", "e\u{301}", "99999999999999999999", "1.5",
            "9999-12-31T23:59:59.999999999999-14:00", "0001-01-01T00:00:00+14:00", String(repeating: "(", count: 11),
            String(repeating: "not ", count: 11), String(repeating: "city eq 'a' or ", count: 50),
        ], bytes: [[0xFF], [0xED, 0xA0, 0x80]], long: 8 * 1024)

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        guard let text = input.text else { return false }
        let filter: ODataFilter
        do throws(ODataFault) {
            filter = try ODataFilter(text)
        } catch {
            if case .malformed(let position) = error {
                try demand((0...input.count).contains(position), "the error is at \(position)")
            }
            return false
        }
        try demand(input.count <= ODataFilter.maximumLength, "a longer filter is read")
        try demand(Self.terms(filter) <= ODataFilter.maximumTerms, "more terms are read")
        if let written = Self.text(filter), written.utf8.count <= ODataFilter.maximumLength {
            var again: ODataFilter?
            do throws(ODataFault) {
                again = try ODataFilter(written)
            } catch {
                // More parentheses are written than were read.
                try demand(error == .tooMuch, "written it is refused: \(error)")
            }
            try demand(again == nil || again == filter, "written and read again it is another filter")
        }
        do throws(ODataFault) {
            _ = try users.condition(filter)
            return true
        } catch {
            guard case .unsupported(let property) = error else { throw Finding("\(error)") }
            try demand(text.contains(property), "another property is refused")
            return false
        }
    }

    private static func terms(_ filter: ODataFilter) -> Int {
        switch filter {
        case .all(let filters), .any(let filters): filters.map(terms).reduce(0, +)
        case .not(let filter), .lambda(_, _, _, let filter): terms(filter)
        case .isOneOf(_, let literals): literals.count
        case .comparison, .call: 1
        }
    }

    /// Nil with a date that cannot be written exactly.
    private static func text(_ filter: ODataFilter) -> String? {
        switch filter {
        case .all(let filters): joined(filters.map(text), by: " and ").map { "(\($0))" }
        case .any(let filters): joined(filters.map(text), by: " or ").map { "(\($0))" }
        case .not(let filter): text(filter).map { "not \($0)" }
        case .comparison(let path, let comparison, let literal):
            text(literal).map { "\(text(path)) \(comparison.rawValue) \($0)" }
        case .isOneOf(let path, let literals):
            joined(literals.map(text), by: ",").map { "\(text(path)) in (\($0))" }
        case .call(let function, let path, let value): "\(function.rawValue)(\(text(path)),\(quoted(value)))"
        case .lambda(let path, let quantifier, let variable, let body):
            text(body).map { "\(text(path))/\(quantifier.rawValue)(\(variable):\($0))" }
        }
    }

    private static func text(_ literal: ODataLiteral) -> String? {
        switch literal {
        case .null: return "null"
        case .flag(let flag): return "\(flag)"
        case .integer(let number): return "\(number)"
        case .text(let text): return quoted(text)
        case .guid(let id): return id.uuidString
        case .date(let date):
            let seconds = date.timeIntervalSince1970
            return seconds == seconds.rounded() && seconds.magnitude < 4e9 ? date.ISO8601Format() : nil
        }
    }

    private static func text(_ path: ODataPath) -> String { path.names.joined(separator: "/") }

    private static func quoted(_ text: String) -> String {
        "'" + text.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
    }

    private static func joined(_ texts: [String?], by separator: String) -> String? {
        texts.contains(nil) ? nil : texts.compactMap { $0 }.joined(separator: separator)
    }
}
