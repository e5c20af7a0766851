import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// The query options of a list of users (docs/protocol.md §18.6).
@Suite("Queries of users") struct UserQueryTests {
    private func query(_ text: String, isEventual: Bool = false) throws -> UserQuery {
        try UserQuery(text, isEventual: isEventual, of: .ofContoso)
    }

    private func expectRefusal(
        _ text: String, _ code: DirectoryErrorCode, isEventual: Bool = false, target: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let failure = #expect(throws: DirectoryFailure.self, sourceLocation: sourceLocation) {
            try query(text, isEventual: isEventual)
        }
        #expect(failure?.status == .badRequest, sourceLocation: sourceLocation)
        #expect(failure?.code == code, "\(String(describing: failure))", sourceLocation: sourceLocation)
        if let target { #expect(failure?.target == target, sourceLocation: sourceLocation) }
    }

    @Test("No option means the first hundred users by id")
    func defaults() throws {
        let all = try query("")
        #expect(all.condition == nil && all.select == nil && all.top == 100 && all.order == nil)
        #expect(!all.counts && all.skipToken == nil)
    }

    @Test(
        "Options have a dollar sign, an encoded one or none, and no letter case",
        arguments: [
            "$filter=city%20eq%20%27a%27&$top=5", "filter=city+eq+'a'&top=5", "%24filter=city eq 'a'&%24TOP=5",
            "$Filter=city%20eq%20'a'&$Top=05&api-version=1", "&$top=5&&$filter=city+eq+%27a%27&",
        ])
    func spellings(_ text: String) throws {
        let found = try query(text)
        #expect(found.condition == .attribute("city", .equals("a")))
        #expect(found.top == 5)
    }

    @Test("What the SDK sends is read: %20, %27 and %2F, raw commas, and a plus sign that is encoded")
    func whatTheSDKSends() throws {
        let filter =
            "$filter=identities/any(c:c%2FissuerAssignedId%20eq%20%27dana%2Btag%40example.com%27%20and%20c%2Fissuer%20eq%20%27mail%27)"
        let found = try query("\(filter)&$select=id,displayName,identities&$count=true&$top=2", isEventual: true)
        #expect(found.condition == .signsIn(as: "dana+tag@example.com", .code))
        #expect(found.select == ["id", "displayName", "identities"])
        #expect(found.top == 2 && found.counts)
        // A plus sign is a blank in a query.
        #expect(try query("$filter=mail eq 'dana+tag@example.com'").condition == .mail(.equals("dana tag@example.com")))
    }

    @Test("A page has 1 to 999 users")
    func pages() throws {
        for (text, top) in [
            ("1", 1), ("999", 999), ("1000", 999), ("99999999999999999999999", 999), ("007", 7),
        ] {
            #expect(try query("$top=\(text)").top == top)
        }
        for text in ["0", "-1", "", "x", "1.5", "1e3", "+1", "%2B1", "٣", "0x10", "1 ", "00"] {
            expectRefusal("$top=\(text)", .badRequest, target: "$top")
        }
    }

    @Test("The store offers two orders")
    func orders() throws {
        for (text, order) in [
            ("id", UserOrder.id), ("ID asc", .id), ("createdDateTime", .createdAscending),
            ("createdDateTime%20ASC", .createdAscending), ("createddatetime+desc", .createdDescending),
        ] {
            for name in ["$orderby", "$orderBy", "orderby"] {
                #expect(try query("\(name)=\(text)").order == order)
            }
        }
        for text in [
            "displayName", "displayName desc", "userPrincipalName", "id desc", "mail", "createdDateTime up",
            "createdDateTime desc,id", "id asc asc", "id;", "1", "'", "(select 1)", "id--", "id,id",
        ] {
            expectRefusal("$orderby=\(text)", .unsupportedQuery)
        }
        for text in ["", "%20"] { expectRefusal("$orderby=\(text)", .badRequest, target: "$orderby") }
    }

    @Test("Users are counted only with the header ConsistencyLevel: eventual")
    func counting() throws {
        #expect(try query("$count=true", isEventual: true).counts)
        #expect(try query("$count=TRUE", isEventual: true).counts)
        #expect(try !query("$count=true").counts)
        #expect(try !query("$count=false", isEventual: true).counts)
        for text in ["", "1", "yes", "null"] { expectRefusal("$count=\(text)", .badRequest, isEventual: true) }
    }

    @Test("A search asks how properties begin, and needs the header on the first page")
    func searching() throws {
        let (name, mail) = (UserCondition.attribute("displayName", .begins("Da")), UserCondition.mail(.begins("d@e")))
        for (text, condition) in [
            (#""displayName:Da""#, name), (#""DISPLAYNAME:Da" OR "mail:d@e""#, .any([name, mail])),
            (#""displayName:Da" and "mail:d@e""#, .all([name, mail])),
            (#""mail:d@e" OR "displayName:Da" AND "mail:d@e" OR "mail:d@e""#, .any([mail, .all([name, mail]), mail])),
            (#""displayName:a\"b\\c:d""#, .attribute("displayName", .begins(#"a"b\c:d"#))),
            (#""displayName:Da"OR"mail:d@e""#, .any([name, mail])),
        ] as [(String, UserCondition)] {
            #expect(try query("$search=\(text)", isEventual: true).condition == condition)
        }
        let both = try query(#"$search="displayName:Da"&$filter=accountEnabled eq true"#, isEventual: true)
        #expect(both.condition == .all([.isEnabled(true), name]))
        expectRefusal(#"$search="displayName:Da""#, .unsupportedQuery)
        #expect(try query(#"$search="displayName:Da"&$skiptoken=x"#).condition == name)
        for text in [#""id:1""#, #""createdDateTime:2026""#, #""newsletter:t""#, #"":x""#, #""é:x""#] {
            expectRefusal("$search=\(text)", .unsupportedQuery, isEventual: true)
        }
        for text in [
            "", "displayName:Da", "'displayName:Da'", "\"displayName:Da", "\"displayName:Da\\", "\"displayName:Da\\\"",
            "\"displayName\"", "\"displayName:\"", "\"Da\"", "\"\"", "\"", "\"displayName:a\" \"mail:b\"",
            "\"displayName:a\" OR", "OR \"displayName:a\"", "\"displayName:a\" XOR \"mail:b\"", "\"displayName:a\";",
            "“displayName:a”", "\"displayName:a\u{1}\"", "\"displayName:a%00\"", "(\"displayName:a\")",
        ] {
            expectRefusal("$search=\(text)", .badRequest, isEventual: true)
        }
        let many = Array(repeating: #""mail:a""#, count: 51).joined(separator: " OR ")
        expectRefusal("$search=\(many)", .badRequest, isEventual: true)
    }

    @Test("The names of $select are those of the request, each once")
    func selecting() throws {
        #expect(try query("$select=Id, givenName ,ID,extension_a_b").select == ["Id", "givenName", "extension_a_b"])
        let many = (0...100).map { "a\($0)" }.joined(separator: ",")
        for text in ["", ",", "id,", ",id", "id,,mail", "a b", "a;b", "a'b", "*", "é", many] {
            expectRefusal("$select=\(text)", .badRequest, target: "$select")
        }
    }

    @Test("An unknown option with a dollar sign is refused, another one is ignored")
    func unknownOptions() throws {
        for text in ["$skip=1", "$apply=x", "$deltatoken=x", "$format=json", "$", "$$top=1", "$filter%00=x"].dropLast()
        {
            expectRefusal(text, .unsupportedQuery)
        }
        #expect(try query("skip=1&x=y&=&a[]=1&$expand=manager&expand2").top == 100)
        #expect(try query("$expand=").top == 100)
    }

    @Test(
        "Repeated, long and badly encoded options are refused",
        arguments: [
            "$top=1&$top=1", "$top=1&top=1", "$top=1&$TOP=2", "$filter=city eq 'a'&filter=city eq 'a'",
            "$top[]=1&$top=2",
            "$filter=%", "$filter=%zz", "$filter=%ff", "$filter=%00", "$filter=a%00", "$filter=\u{1}", "$filter=",
            "$filter", "$skiptoken=", String(repeating: "a=1&", count: 65),
            "$filter=city eq '\(String(repeating: "a", count: 10_240))'",
        ])
    func badQueries(_ text: String) {
        // `$top[]` alone is an unknown option.
        expectRefusal(text, text.hasPrefix("$top[") ? .unsupportedQuery : .badRequest)
    }

    @Test("SEC-ADM-7: an answer repeats a property's name only if it is harmless, and never a value")
    func refusalsRepeatNothing() throws {
        let bad = try #require(throws: DirectoryFailure.self) { try query("$filter=endsWith(mail,'s3cret')") }
        #expect(
            bad.message
                == "Unsupported or invalid query filter clause specified for property 'mail' of resource 'User'.")
        #expect(bad.target == "mail")
        for filter in ["city eq 's3cret' s3cret", "s3cret-x eq 1", "$s3cret eq 1", "city eq 's3cret", "s3cret<x> eq 1"]
        {
            let bad = try #require(throws: DirectoryFailure.self) { try query("$filter=\(filter)") }
            #expect(!"\(bad.message) \(bad.target ?? "")".contains("s3cret"), "\(bad)")
        }
        let unknown = try #require(throws: DirectoryFailure.self) { try query("$s3cret<x>=1") }
        #expect(!"\(unknown.message) \(unknown.target ?? "")".contains("s3cret"))
    }

    @Test("The next page repeats the query and keeps its digest, and another query has another digest")
    func nextPages() throws {
        let texts = [
            "", "$filter=city eq 'a'", "$filter=city eq 'b'", "$filter=city eq 'a'&$orderby=createdDateTime",
            "$filter=city eq 'a'&$orderby=createdDateTime desc", #"$search="mail:a%26b""#,
            "$filter=mail eq 'a%2Bb@c.d'", "$filter=city eq '$100 %25 é'",
        ]
        let queries = try texts.map {
            try query("\($0)&$select=id,mail&$top=7&$count=true&$expand=x", isEventual: true)
        }
        #expect(Set(queries.map(\.fingerprint)).count == texts.count)
        for first in queries {
            let text = first.next("AQ_-")
            // As a client repeats it, without the header.
            let next = try query(text)
            #expect(next.condition == first.condition && next.order == first.order && next.top == 7)
            #expect(next.select == ["id", "mail"] && next.skipToken == "AQ_-" && !next.counts)
            #expect(next.fingerprint == first.fingerprint)
            #expect(text.contains("$skiptoken=AQ_-") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(next.next("x") == first.next("x"))
        }
        let page = try query("$top=1")
        #expect(try page.fingerprint == query("$select=id&$count=true").fingerprint)
    }
}
