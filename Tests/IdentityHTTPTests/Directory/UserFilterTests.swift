import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityHTTP

extension UserProperties {
    /// A tenant with an attribute of each type.
    static let ofContoso = UserProperties(
        domain: "contoso.onmicrosoft.com",
        attributes: [
            "extension_memberNumber": .integer, "extension_plan": .string, "newsletter": .boolean,
            "extension_\(applicationDigits)_loyalty": .string, "flatusername": .string, "mail": .integer,
        ])
    static let applicationDigits = "0123456789abcdef0123456789abcdef"

    func condition(_ text: String) throws(ODataFault) -> UserCondition { try condition(ODataFilter(text)) }
}

/// What `$filter` means (docs/protocol.md §18.6).
@Suite("Filters of users") struct UserFilterTests {
    private static let id = UUID(text: "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d") ?? UUID()
    private static let user = UserCondition.hasID(UserID(id))
    private static func at(_ seconds: Double) -> UserCondition {
        .createdSince(Date(timeIntervalSince1970: 1_795_389_000 + seconds))
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var filter: String
        var condition: UserCondition
        var testDescription: String { filter }

        init(_ filter: String, _ condition: UserCondition) {
            (self.filter, self.condition) = (filter, condition)
        }
    }

    static let identities: [Row] = [
        .init(
            "identities/any(c:c/issuerAssignedId eq 'a@b.c' and c/issuer eq 'contoso.onmicrosoft.com')",
            .signsIn(as: "a@b.c", .local)),
        .init("identities/any(id:id/issuer eq 'x' and id/issuerAssignedId eq 'dana')", .signsIn(as: "dana", .local)),
        .init("identities/any(c:c/issuerAssignedId eq 'a@b.c' and c/issuer eq 'mail')", .signsIn(as: "a@b.c", .code)),
        .init(
            "Identities/ANY( X : x/IssuerAssignedID EQ 'a@b.c' AND x/ISSUER eq 'Mail' )", .signsIn(as: "a@b.c", .code)),
        .init(
            "identities/any(c:c/issuerAssignedId eq '4711' and c/issuer eq 'Google.com')",
            .hasIdentity(LinkedIdentity.key(issuer: "https://accounts.google.com", subject: "4711"))),
        .init(
            "identities/any(c:c/issuerAssignedId eq 'a.B' and c/issuer eq 'https://Login.quay.example.com')",
            .hasIdentity(LinkedIdentity.key(issuer: "https://Login.quay.example.com", subject: "a.B"))),
        .init("identities/any(c:(c/issuerAssignedId eq 'o''x' and c/issuer eq ''))", .signsIn(as: "o'x", .local)),
        .init(
            "not identities/any(c:c/issuerAssignedId eq 'a' and c/issuer eq 'b')", .not(.signsIn(as: "a", .local))),
    ]

    static let names: [Row] = [
        .init("mail eq 'dana@example.com'", .mail(.equals("dana@example.com"))),
        .init("mail ne 'dana@example.com'", .not(.mail(.equals("dana@example.com")))),
        .init("mail in ('a@b.c','d@e.f')", .any([.mail(.equals("a@b.c")), .mail(.equals("d@e.f"))])),
        .init("mail in ('a@b.c')", .mail(.equals("a@b.c"))),
        .init("startsWith(mail,'dana')", .mail(.begins("dana"))),
        .init("startswith(mail, '')", .everyone(true)),
        .init("mail eq null", .everyone(false)),
        .init("mail ne null", .not(.everyone(false))),
        .init("userPrincipalName eq '\(id.text)@contoso.onmicrosoft.com'", user),
        .init("userprincipalname eq '\(id.text.uppercased())@Contoso.OnMicrosoft.com'", user),
        .init("userPrincipalName in ('\(id.text)@contoso.onmicrosoft.com','x')", .any([user, .everyone(false)])),
        .init("userPrincipalName eq 'dana@contoso.onmicrosoft.com'", .everyone(false)),
        .init("userPrincipalName eq '\(id.text)@fabrikam.onmicrosoft.com'", .everyone(false)),
        .init("userPrincipalName eq '\(id.text)'", .everyone(false)),
        .init("id eq '\(id.text)'", user),
        .init("id eq \(id.text)", user),
        .init("id eq abcdefab-cdef-4bcd-8fab-cdefabcdefab", .hasID(UserID(letters))),
        .init("id ne '\(id.text)'", .not(user)),
        .init("id in ('\(id.text)', \(id.text))", .any([user, user])),
        .init("id eq 'me'", .everyone(false)),
    ]
    /// Begins like a name.
    private static let letters = UUID(text: "abcdefab-cdef-4bcd-8fab-cdefabcdefab") ?? UUID()

    static let texts: [Row] = [
        "displayName", "givenName", "surname", "city", "country", "state", "jobTitle", "postalCode", "streetAddress",
        "preferredLanguage",
    ].flatMap { name -> [Row] in
        [
            .init("\(name) eq 'O''Neil'", .attribute(name, .equals("O'Neil"))),
            .init("\(name.uppercased()) ne 'a'", .not(.attribute(name, .equals("a")))),
            .init("\(name) in ('a','b')", .any([.attribute(name, .equals("a")), .attribute(name, .equals("b"))])),
            .init("startsWith(\(name),'Da')", .attribute(name, .begins("Da"))),
            .init("startsWith(\(name),'')", .not(.lacksAttribute(name))),
            .init("\(name) eq null", .lacksAttribute(name)),
            .init("\(name) ne null", .not(.lacksAttribute(name))),
            .init("\(name) in ('a',null)", .any([.attribute(name, .equals("a")), .lacksAttribute(name)])),
        ]
    }

    static let others: [Row] = [
        .init("createdDateTime ge 2026-11-22T23:10:00Z", at(0)),
        .init("createdDateTime gt 2026-11-22T23:10:00Z", at(1)),
        .init("createdDateTime lt 2026-11-22T23:10:00Z", .not(at(0))),
        .init("createdDateTime le 2026-11-22T23:10:00Z", .not(at(1))),
        .init("createdDateTime eq 2026-11-22T23:10:00Z", .all([at(0), .not(at(1))])),
        .init("createdDateTime ne 2026-11-22T23:10:00Z", .not(.all([at(0), .not(at(1))]))),
        .init("createdDateTime ge 2026-11-22T23:10:00.5000000Z", at(1)),
        .init("createdDateTime le 2026-11-22T23:10:00.999Z", .not(at(1))),
        .init("createdDateTime eq 2026-11-22T23:10:00.5Z", .everyone(false)),
        .init("createddatetime ge 2026-11-23t00:10:00+01:00", at(0)),
        .init("createdDateTime ge 2026-11-22T18:40-04:30", at(0)),
        .init("createdDateTime ge 2026-11-22", at(-83_400)),
        .init("accountEnabled eq true", .isEnabled(true)),
        .init("accountEnabled eq FALSE", .isEnabled(false)),
        .init("accountEnabled ne true", .not(.isEnabled(true))),
        .init("accountEnabled in (true,false)", .any([.isEnabled(true), .isEnabled(false)])),
        .init("userType eq 'member'", .everyone(true)),
        .init("userType eq 'Guest'", .everyone(false)),
        .init("userType ne 'Guest'", .not(.everyone(false))),
        .init("creationType eq 'LocalAccount'", .everyone(true)),
        .init("creationType eq null", .everyone(false)),
        .init("creationType in ('Invitation','EmailVerified')", .any([.everyone(false), .everyone(false)])),
    ]

    private static let long = "extension_\(UserProperties.applicationDigits)_"
    static let extensions: [Row] = [
        .init("extension_memberNumber eq 7", .attributeIs("extension_memberNumber", 7)),
        .init("\(long)memberNumber eq -7", .attributeIs("extension_memberNumber", -7)),
        .init(
            "\(long.uppercased())MEMBERNUMBER eq 9223372036854775807",
            .attributeIs("extension_memberNumber", .integer(.max))),
        .init("\(long)newsletter eq true", .attributeIs("newsletter", true)),
        .init("newsletter ne true", .not(.attributeIs("newsletter", true))),
        .init("newsletter eq null", .lacksAttribute("newsletter")),
        .init("\(long)plan eq 'gold'", .attribute("extension_plan", .equals("gold"))),
        .init("startsWith(\(long)plan,'go')", .attribute("extension_plan", .begins("go"))),
        .init("\(long)loyalty ne 'x'", .not(.attribute("\(long)loyalty", .equals("x")))),
    ]

    private static let (a, b, c) = (
        UserCondition.attribute("city", .equals("a")), UserCondition.attribute("city", .equals("b")),
        UserCondition.attribute("city", .equals("c"))
    )
    static let combinations: [Row] = [
        .init("city eq 'a' and city eq 'b' and city eq 'c'", .all([a, b, c])),
        .init("city eq 'a' or city eq 'b' and city eq 'c'", .any([a, .all([b, c])])),
        .init("(city eq 'a' or city eq 'b') and city eq 'c'", .all([.any([a, b]), c])),
        .init("NOT(city eq 'a') Or not city eq 'b'", .any([.not(a), .not(b)])),
        .init("not (not (city eq 'a'))", .not(.not(a))),
        .init("city\teq'a'  and\tcity eq 'b'", .all([a, b])),
        .init("((((((((((city eq 'a'))))))))))", a),
    ]

    @Test(
        "Each question that the directory answers has its condition",
        arguments: [identities, names, texts, others, extensions, combinations].flatMap { $0 })
    func aFilterHasItsCondition(_ row: Row) throws {
        #expect(try UserProperties.ofContoso.condition(row.filter) == row.condition)
    }

    @Test(
        "Text in quotes is kept as it is, whatever it looks like",
        arguments: [
            "", " ", "''", "%", "_", "\\", "\"", "--", ";", "/*", "*/", "' or 1 eq 1", "x'); DROP TABLE users; --",
            "’", "‘", "＇", "ʼ", "\u{301}", "é", "e\u{301}", "😀", "\u{202E}", "a\u{85}b", "%27",
            "$select", "null", "true", "{0}", "${x}", "\u{FEFF}",
        ])
    func quotedTextIsKept(_ text: String) throws {
        let quoted = text.replacing("'", with: "''")
        guard
            case .attribute("city", .equals(let value)) = try UserProperties.ofContoso.condition("city eq '\(quoted)'")
        else {
            Issue.record("another condition")
            return
        }
        #expect(Array(value.utf8) == Array(text.utf8))
    }

    @Test(
        "SEC-ADM-7: what is not one filter is refused as badly written",
        arguments: [
            "", " ", "city", "city eq", "city eq 'a", "city eq a'", "city eq 'a'' ", "eq 'a'", "city eq 'a' and", "and",
            "city eq 'a' city eq 'b'", "(city eq 'a'", "city eq 'a')", "()", "not", "not()", "city eq eq",
            "city eq city",
            "city eq ('a')", "city in 'a'", "city in ()", "city in ('a',)", "city in ('a' 'b')", "city in (,'a')",
            "city is 'a'", "city = 'a'", "city == 'a'", "'a' eq city", "1 eq 1", "true", "city eq \"a\"", "city eq ‘a’",
            "city eq ’a’", "city eq 'a';", "city eq 'a' -- x", "city eq 'a' # x", "city eq 'a' /* x */",
            "city eq 'a' or 1=1", "city eq 'a'\0", "city eq 'a\0b'", "city eq 'a\nb'", "city\neq 'a'",
            "city eq 'a\u{7F}'",
            "çity eq 'a'", "ｃity eq 'a'", "city eq 'a' and\u{A0}city eq 'b'", "city/ eq 'a'", "/city eq 'a'",
            "city eq 1.5",
            "city eq 1e3", "city eq 0x1F", "city eq +1", "city eq - 1", "extension_memberNumber eq 9223372036854775808",
            "extension_memberNumber eq -9223372036854775809", "city eq 99999999999999999999999999999999999999",
            "startsWith(city)", "startsWith(city,)", "startsWith(city,'a'", "startsWith(city 'a')",
            "startsWith('a',city)", "startsWith(city,null)", "startsWith(city,city)", "startsWith(city,'a') eq",
            "startsWith(city,'a','b')", "startsWith()", "startsWith", "identities/any", "identities/any(",
            "identities/any(x)", "identities/any(x:)", "identities/any(:x/a eq 'a')", "identities/any(x:x/a eq 'a'",
            "identities/any(x:x/issuer)", "city eq 'a' % 2", "createdDateTime ge 2026-11-22T23:10:00",
            "createdDateTime ge 2026-13-01T00:00:00Z", "createdDateTime ge 2026-02-29T00:00:00Z",
            "createdDateTime ge 2026-11-22T24:00:00Z", "createdDateTime ge 2026-11-22T23:60:00Z",
            "createdDateTime ge 2026-11-22T23:10:60Z", "createdDateTime ge 2026-11-22T23:10:00+15:00",
            "createdDateTime ge 2026-11-22T23:10:00.Z", "createdDateTime ge 2026-11-22T23:10:00.0000000000001Z",
            "createdDateTime ge 2026-11-22T23:10:00 01:00", "createdDateTime ge 22-11-2026",
            "createdDateTime ge 2026-11-2", "createdDateTime ge 0000-01-01", "createdDateTime ge 12026-11-22",
            "createdDateTime ge -2026-11-22", "id eq 0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4", "id eq 0a1b2c3d4e5f4a6b8c7d",
            "id eq guid'0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'", "createdDateTime ge datetime'2026-11-22T23:10:00'",
        ])
    func badSyntaxIsRefused(_ filter: String) {
        let error = #expect(throws: ODataFault.self) { try UserProperties.ofContoso.condition(filter) }
        guard case .malformed(let position)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((0...filter.utf8.count).contains(position))
    }

    struct Unsupported: CustomTestStringConvertible, Sendable {
        var filter: String
        var property: String
        var testDescription: String { filter }

        init(_ filter: String, _ property: String) {
            (self.filter, self.property) = (filter, property)
        }
    }

    static let unsupported: [Unsupported] =
        [
            "mail", "displayName", "userPrincipalName", "id", "accountEnabled", "userType", "creationType",
            "newsletter",
            "createdDateTime",
        ].flatMap { name -> [Unsupported] in
            [
                .init("endsWith(\(name),'a')", name), .init("contains(\(name),'a')", name),
                .init("\(name) eq 7", name), .init("\(name) ge 'a'", name), .init("\(name) le null", name),
                .init("\(name)/x eq 'a'", name), .init("\(name)/any(x:x eq 'a')", name), .init("\(name) has 'a'", name),
                .init("\(name)/any()", name), .init("\(name)/$count eq 1", name),
            ]
        } + [
            .init("startsWith(userPrincipalName,'a')", "userPrincipalName"), .init("startsWith(id,'a')", "id"),
            .init("startsWith(newsletter,'a')", "newsletter"), .init("startsWith(userType,'M')", "userType"),
            .init("mail eq true", "mail"), .init("accountEnabled eq 'true'", "accountEnabled"),
            .init("newsletter eq 'true'", "newsletter"),
            .init("extension_memberNumber eq '7'", "extension_memberNumber"),
            .init("extension_memberNumber ge 7", "extension_memberNumber"),
            .init("createdDateTime ge '2026-11-22T23:10:00Z'", "createdDateTime"),
            .init("displayName eq 2026-11-22", "displayName"), .init("displayName eq \(id.text)", "displayName"),
            .init("mail in ('a',7)", "mail"), .init("flatusername eq 'dana'", "flatusername"),
            .init("otherMails/any(x:x eq 'a')", "otherMails"), .init("passwordHash eq 'a'", "passwordHash"),
            .init("signInActivity/lastSignInDateTime le 2026-11-22T23:10:00Z", "signInActivity"),
            .init("tolower(displayName) eq 'a'", "tolower"), .init("substringof('a',displayName)", "substringof"),
            .init(
                "extension_\(UserProperties.applicationDigits)_other eq 'a'",
                "extension_\(UserProperties.applicationDigits)_other"),
            .init(
                "extension_\(UserProperties.applicationDigits)_city eq 'a'",
                "extension_\(UserProperties.applicationDigits)_city"),
            .init("extension_0123_plan eq 'a'", "extension_0123_plan"), .init("extension_ eq 'a'", "extension_"),
            .init("identities/all(x:x/issuer eq 'a' and x/issuerAssignedId eq 'b')", "identities"),
            .init("identities/any(x:x/issuer eq 'mail')", "identities"),
            .init("identities/any(x:x/issuerAssignedId eq 'a')", "identities"),
            .init("identities/any(x:x/issuerAssignedId eq 'a' or x/issuer eq 'mail')", "identities"),
            .init("identities/any(x:x/issuerAssignedId ne 'a' and x/issuer eq 'mail')", "identities"),
            .init("identities/any(x:x/issuerAssignedId eq 'a' and x/issuerAssignedId eq 'b')", "identities"),
            .init("identities/any(x:y/issuerAssignedId eq 'a' and x/issuer eq 'b')", "identities"),
            .init("identities/any(x:issuerAssignedId eq 'a' and issuer eq 'b')", "identities"),
            .init("identities/any(x:x/issuerAssignedId eq 'a' and x/issuer eq null)", "identities"),
            .init(
                "identities/any(x:x/issuerAssignedId eq 'a' and x/issuer eq 'b' and x/signInType eq 'c')", "identities"),
            .init("identities/any(x:startsWith(x/issuerAssignedId,'a') and x/issuer eq 'b')", "identities"),
            .init("identities eq 'a'", "identities"), .init("city eq 'a' and password eq 'b'", "password"),
            .init("not (endsWith(mail,'.com'))", "mail"), .init("$it eq 'a'", "$it"),
        ]

    @Test("What the store has no index for is refused, and the property is named", arguments: unsupported)
    func otherQuestionsAreUnsupported(_ row: Unsupported) {
        #expect(throws: ODataFault.unsupported(property: row.property)) {
            try UserProperties.ofContoso.condition(row.filter)
        }
    }

    @Test("Another application's long name is no attribute of this tenant")
    func aLongNameHasItsApplication() throws {
        let attributes = ["extension_plan": AttributeDefinition.ValueType.string]
        let digits = UserProperties.applicationDigits
        let mine = UserProperties(domain: "a.b", attributes: attributes, extensionApplication: digits.uppercased())
        #expect(try mine.condition("extension_\(digits)_plan eq 'a'") == .attribute("extension_plan", .equals("a")))
        let other = UserProperties(
            domain: "a.b", attributes: attributes, extensionApplication: String(digits.reversed()))
        #expect(throws: ODataFault.unsupported(property: "extension_\(digits)_plan")) {
            try other.condition("extension_\(digits)_plan eq 'a'")
        }
    }

    @Test("SEC-ADM-7: a filter is at most 8 KiB long, ten levels deep, and has fifty terms")
    func limitsHold() throws {
        let users = UserProperties.ofContoso
        func text(_ bytes: Int) -> String { "city eq '\(String(repeating: "a", count: bytes - 10))'" }
        _ = try users.condition(text(8_192))
        for length in [8_193, 10_240, 1_000_000] {
            #expect(throws: ODataFault.tooMuch) { try users.condition(text(length)) }
        }
        for (open, close) in [("(", ")"), ("not ", ""), ("x/any(y:", ")")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "city eq 'a'" + String(repeating: close, count: depth)
            }
            _ = try ODataFilter(nested(10))
            for depth in [11, 100, 400] {
                #expect(throws: ODataFault.tooMuch, "\(open) \(depth)") { try ODataFilter(nested(depth)) }
            }
        }
        #expect(throws: ODataFault.tooMuch) { try ODataFilter(String(repeating: "(", count: 8_192)) }
        func joined(_ count: Int) -> String { Array(repeating: "city eq 'a'", count: count).joined(separator: " or ") }
        func list(_ count: Int) -> String {
            "city in (\(Array(repeating: "'a'", count: count).joined(separator: ",")))"
        }
        for many in [joined, list] {
            _ = try users.condition(many(50))
            #expect(throws: ODataFault.tooMuch) { try users.condition(many(51)) }
        }
        _ = try users.condition("\(joined(25)) or \(list(25))")
        #expect(throws: ODataFault.tooMuch) { try users.condition("\(joined(25)) or \(list(26))") }
    }

    @Test(
        "SEC-ADM-7: 20 000 random walks of tokens never trap, and read each token once",
        arguments: [1, 2, 3, 4] as [UInt64])
    func randomWalksEnd(_ seed: UInt64) {
        let words = [
            "city", "mail", "identities", "any", "all", "x", "eq", "ne", "ge", "in", "and", "or", "not", "startsWith",
            "endsWith", "has", "null", "true", "(", ")", ",", "/", ":", "'", "''", "'a'", "'", "\"", "-", "--", "+",
            ".",
            "1", "-1", "99999999999999999999", "2026-11-22T23:10:00Z", "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d", "$count",
            "\0", "\n", "é", "’", ";", "%", "[", "id", "createdDateTime", "x/issuer", "identities/any(x:",
            "identities/any(c:c/issuerAssignedId eq 'a' and c/issuer eq 'b')", "city eq 'a'", "(city eq 'a' or",
        ]
        var random = Seeded(state: seed)
        var accepted = 0
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...40, using: &random)
            let gap = Bool.random(using: &random) ? " " : ""
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: gap)
            do throws(ODataFault) {
                var parser = try ODataParser(text)
                defer { #expect(parser.tokens.count <= text.utf8.count + 1, "seed \(seed): \(text)") }
                _ = try UserProperties.ofContoso.condition(parser.filter())
                accepted += 1
            } catch {
                guard case .malformed(let position) = error else { continue }
                #expect((0...text.utf8.count).contains(position), "seed \(seed): \(text)")
            }
        }
        #expect(accepted > 0, "seed \(seed)")
    }
}
