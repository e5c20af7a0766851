import HTTPTypes
import Hummingbird
import IdentityEngine
import IdentityHTTP
import Logging
import NIOCore
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import Testing

@Suite("Attributes and the alias over HTTP") struct AttributeTests {
    private static let prefix = TestDirectory.prefix

    private func json(_ attributes: [String: AttributeValue]) -> Fields {
        [("attributes", AttributesJSON.encode(attributes))]
    }

    /// Expects that exactly these attributes are named as invalid.
    private func expectInvalid(
        _ answer: WireAnswer, _ names: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectError(
            answer, "invalid_grant", 90_023, suberror: "attribute_validation_failed", sourceLocation: sourceLocation)
        let listed = (answer["invalid_attributes"]?.array ?? []).compactMap { $0["name"]?.string }
        #expect(listed.sorted() == names.sorted(), sourceLocation: sourceLocation)
    }

    // MARK: Built-in attributes

    private static let lengths: [(String, Int)] = [
        ("displayName", 256), ("givenName", 64), ("surname", 64), ("jobTitle", 128), ("country", 128), ("state", 128),
        ("city", 128), ("streetAddress", 1_024), ("postalCode", 40),
    ]

    @Test("docs/protocol.md §11.1: each built-in attribute has its longest value", arguments: lengths)
    func eachBuiltInHasItsLongestValue(_ name: String, _ length: Int) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            // Characters of one and of three bytes; the limit counts characters.
            for character in ["x", "あ"] where length * character.utf8.count <= 4_000 {
                let longest = String(repeating: character, count: length)
                #expect(try await client.start("a@example.com", json([name: .string(longest)])).status == 200)
                expectInvalid(
                    try await client.start("a@example.com", json([name: .string(longest + character)])), [name])
            }
        }
    }

    @Test("SEC-ATTR-2: a value has at most 4 000 bytes, whatever its length in characters")
    func aValueHasAtMost4000Bytes() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let emoji = String(repeating: "🚢", count: 1_000)
            #expect(try await client.start("a@example.com", json(["streetAddress": .string(emoji)])).status == 200)
            expectInvalid(
                try await client.start("a@example.com", json(["streetAddress": .string(emoji + "🚢")])),
                ["streetAddress"])
        }
    }

    @Test("SEC-ATTR-2: values are scalars of the attribute's type; every wrong one is named")
    func wrongTypesAreNamed() async throws {
        try await withIdentityServer { server in
            let wrong = #"""
                {"displayName":1,"givenName":true,"surname":null,"jobTitle":["a"],"country":{"a":"b"},"city":1.5,
                "state":"Jutland","streetAddress":1e400,"postalCode":99999999999999999999,"unknown":[1]}
                """#
            let answer = try await server.client().start("a@example.com", [("attributes", wrong)])
            expectInvalid(
                answer,
                [
                    "displayName", "givenName", "surname", "jobTitle", "country", "city", "streetAddress", "postalCode",
                ])
        }
    }

    @Test(
        "SEC-ATTR-4: values are data, and stored as they came",
        arguments: [
            "{{7*7}}", "<script>alert(1)</script>", "%n%s", "'; DROP TABLE users;--", "\u{202E}txt", "a\"b\\c", "ñ",
        ])
    func valuesAreData(_ value: String) async throws {
        try await withIdentityServer { server in
            expectSuccess(
                try await server.signUp(with: nil, json(["displayName": .string(value)])), ["continuation_token"])
            let stored = try await server.storedUsers().first?.attributes["displayName"]?.description
            #expect(stored.map { Array($0.utf8) } == Array(value.utf8))
        }
    }

    @Test(
        "SEC-ATTR-2: control characters and towers of marks are refused",
        arguments: ["a\nb", "\u{7F}", "\u{85}", "x\u{0}"])
    func controlCharactersAreRefused(_ value: String) async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().start("a@example.com", json(["city": .string(value)]))
            // A NUL makes the whole object unreadable (SEC-NET-8).
            expectInvalid(answer, [value.utf8.contains(0) ? "attributes" : "city"])
            let tower = "a" + String(repeating: "\u{301}", count: 31)
            expectInvalid(
                try await server.client().start("a@example.com", json(["city": .string(tower)])), ["city"])
        }
    }

    @Test("docs/protocol.md §11.4, SEC-ATTR-2: unknown names are ignored, up to 100 in all")
    func unknownNamesAreIgnored() async throws {
        try await withIdentityServer { server in
            var many: [String: AttributeValue] = ["city": "Aarhus"]
            for number in 0..<99 { many["extension_\(number)"] = "x" }
            let done = try await server.signUp(with: nil, json(many))
            expectSuccess(done, ["continuation_token"])
            #expect(try await server.storedUsers().map(\.attributes) == [["city": "Aarhus"]])
            many["one_too_many"] = "x"
            expectInvalid(try await server.client().start("b@example.com", json(many)), ["attributes"])
        }
    }

    @Test("In development the answer and the home page tell the names that were ignored")
    func ignoredNamesAreTold() async throws {
        try await withIdentityServer { server in
            let pages = DevelopmentPages(
                baseURL: server.baseURL, tenants: { .development }, mails: { _ in [String]() })
            let transport = InProcessTransport(routes: server.routes(development: pages))
            let client = WireClient(
                transport: transport,
                clientID: IdentityTestServer.Application.emailOneTimePasscodeWithAttributes.rawValue)
            let home = { String(decoding: try await client.get("/").body, as: UTF8.self) }
            #expect(try await !home().contains("Unknown attributes"))
            expectSuccess(try await client.start("b@example.com", json(["city": "Ribe"])), ["continuation_token"])

            // A success, …
            let started = try await client.start("a@example.com", json(["countri": "Danmark", "<b>\"\\": "x"]))
            expectSuccess(started, ["continuation_token", "description"])
            let hint = try #require(started.text("description"))
            #expect(hint.contains("'countri'") && hint.contains("country, state, city"), "\(hint)")
            #expect(!hint.contains("\"") && !hint.contains("\\"))
            // … a report of progress, the same each time it is asked for, …
            let sent = try await client.challenge(started.token)
            let asked = try await client.submit(code: server.mailbox.code(to: "a@example.com"), sent.token)
            #expect(asked.text("error_description")?.contains("'") == false)
            let page = #"{"city":"Ribe","cuntry":"Danmark"}"#
            let more = try await client.submit(attributes: page, asked.token)
            expectError(more, "attributes_required", 55_106, carriesToken: true)
            #expect(more.text("error_description")?.contains(" Ignored, as no attribute of this application") == true)
            let again = try await client.submit(attributes: page, asked.token)
            #expect(again.text("error_description")?.contains(" Ignored, as no attribute of this application") == true)
            // … and a refusal.
            let refused = try await client.start("a@example.com", json(["countri": "Danmark", "city": "\n"]))
            expectInvalid(refused, ["city"])
            #expect(refused.text("error_description")?.contains("'countri'") == true)

            let shown = try await home()
            for name in ["countri", "cuntry", "&lt;b&gt;&quot;"] { #expect(shown.contains("<code>\(name)"), "\(name)") }
            #expect(shown.contains("One-time passcode with attributes") && !shown.contains("<b>"))
            // It keeps twenty.
            for number in 0..<30 {
                _ = try await client.start("a@example.com", json(["unknown_\(number)": "x"]))
            }
            let last = try await home()
            #expect(last.contains("unknown_29") && last.contains("unknown_10"))
            #expect(!last.contains("unknown_9<") && !last.contains("countri<"))
        }
    }

    /// Starts a sign-up and returns the status.
    private func start(
        _ attributes: [String: AttributeValue], on server: IdentityTestServer, logging output: LogOutput
    ) async throws -> Int {
        let clock = server.clock
        let logger = Logger(label: "test", factory: { _ in LogLines(to: output) { clock.now } })
        var form = FormFields()
        form.append("client_id", IdentityTestServer.Application.emailOneTimePasscode.rawValue)
        form.append("username", "a@example.com")
        form.append("challenge_type", "oob redirect")
        form.append("attributes", AttributesJSON.encode(attributes))
        let head = HTTPRequest(
            method: .post, scheme: "https", authority: "identity.test", path: "/contoso/signup/v1.0/start",
            headerFields: [.contentType: WireClient.form])
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: form.encoded)))
        let answer = try await AccessPolicy().responder(for: server.routes())
            .respond(to: request, context: IdentityRequestContext(logger: logger))
        return answer.status.code
    }

    @Test("In any profile the log warns of names that were ignored, and contains none that could be a value")
    func ignoredNamesAreLogged() async throws {
        let lines = Locked("")
        let output = LogOutput(.text) { line in lines.withLock { $0 += line } }
        try await withIdentityServer { server in
            let known = try await start(["city": "Ribe"], on: server, logging: output)
            await output.flush()
            #expect(known == 200 && !lines.withLock { $0 }.contains("ignored"))
            let odd: [String: AttributeValue] = ["countri": "Danmark-Canary", "dana@example.com": "x", "a=b": "y"]
            let unknown = try await start(odd, on: server, logging: output)
            await output.flush()
            let log = lines.withLock { $0 }
            #expect(unknown == 200 && log.contains("warning unknown attribute names were ignored"))
            #expect(log.contains("names=countri") && log.contains("count=3"), "\(log)")
            #expect(!log.contains("dana") && !log.contains("a=b") && !log.contains("Canary"))
        }
        // Without the development pages the answer is the contract's.
        try await withIdentityServer { server in
            expectSuccess(
                try await server.client().start("a@example.com", json(["countri": "Danmark"])), ["continuation_token"])
        }
    }

    @Test("SEC-ATTR-1: the audit trail counts the names that were ignored")
    func ignoredNamesAreCounted() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let asked = try await server.signUp(with: client, json(["unknownCanary": "x", "another": "y"]))
            _ = try await client.submit(attributes: #"{"third":"z","city":"Aarhus","country":"Denmark"}"#, asked.token)
            #expect(
                try await server.rows("SELECT detail FROM audit WHERE kind = 'attribute.ignored'") == [["3"]])
            #expect(try await !server.snapshot().values.joined().joined().contains { $0?.contains("Canary") == true })
        }
    }

    @Test(
        "SEC-ATTR-1: reserved names are refused, in any letter case",
        arguments: [
            "id", "sub", "oid", "roles", "groups", "email_verified", "password", "tenant", "disabled", "createdAt",
            "created_by", "created", "mfaEnabled", "mfa", "ID", "Roles", "PASSWORD", "CreatedAt", "MFA_phone",
        ])
    func reservedNamesAreRefused(_ name: String) async throws {
        try await withIdentityServer { server in
            let before = try await server.snapshot()
            expectInvalid(try await server.client().start("a@example.com", json([name: "x", "other": "y"])), [name])
            #expect(try await server.snapshot() == before)
        }
    }

    @Test(
        "SEC-ATTR-1: a known name in another letter case, or with look-alike bytes, is refused and not ignored",
        arguments: [
            "City", "CITY", "displayname", "FlatUserName", "с\u{0456}ty", "ｃity", "city\u{200B}", "c\u{0131}ty",
            " city",
            "city ", "ci\u{0301}ty", "rol\u{0435}s", "ıd", "id\u{FEFF}", "\u{212A}ey",
        ])
    func lookAlikesAreRefused(_ name: String) async throws {
        try await withIdentityServer { server in
            expectInvalid(try await server.client().start("a@example.com", json([name: "x"])), [name])
        }
    }

    // MARK: Custom attributes

    @Test("docs/protocol.md §11.3: required attributes come with name, type and pattern")
    func requiredAttributesComeWithTypeAndPattern() async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        client.clientID = TestDirectory.custom
        let asked = try await server.signUp(with: client)
        expectError(asked, "attributes_required", 55_106, carriesToken: true)
        #expect(
            asked["required_attributes"] == [
                [
                    "name": .string("\(Self.prefix)LoyaltyNumber"), "type": "string", "required": true,
                    "options": ["regex": #"\d{6}"#],
                ],
                ["name": .string("\(Self.prefix)Newsletter"), "type": "boolean", "required": true],
                ["name": .string("\(Self.prefix)ShoeSize"), "type": "integer", "required": true],
            ])
        // Built-in attributes that this flow does not collect are unknown here.
        let done = try await client.submit(
            attributes: AttributesJSON.encode([
                "\(Self.prefix)LoyaltyNumber": "123456", "\(Self.prefix)Newsletter": "true",
                "\(Self.prefix)ShoeSize": 44, "city": "Aarhus",
            ]), asked.token)
        expectSuccess(done, ["continuation_token"])
        #expect(
            try await server.storedUsers().map(\.attributes) == [
                [
                    "\(Self.prefix)LoyaltyNumber": "123456", "\(Self.prefix)Newsletter": true,
                    "\(Self.prefix)ShoeSize": 44,
                ]
            ])
    }

    private static let customValues: [(String, String, Bool)] = [
        ("LoyaltyNumber", #""123456""#, true), ("LoyaltyNumber", #""12345""#, false),
        ("LoyaltyNumber", #""1234567""#, false), ("LoyaltyNumber", #""x123456""#, false),
        ("LoyaltyNumber", #""123456\n""#, false), ("LoyaltyNumber", "123456", false),
        ("LoyaltyNumber", #""١٢٣٤٥٦""#, false), ("LoyaltyNumber", #""""#, false), ("Newsletter", "true", true),
        ("Newsletter", "false", true), ("Newsletter", #""true""#, true), ("Newsletter", #""false""#, true),
        ("Newsletter", #""yes""#, false), ("Newsletter", "1", false), ("Newsletter", "null", false),
        ("ShoeSize", "44", true), ("ShoeSize", "-1", true), ("ShoeSize", #""44""#, true),
        ("ShoeSize", #""44.0""#, false),
        ("ShoeSize", "44.5", false), ("ShoeSize", "9223372036854775807", true),
        ("ShoeSize", "9223372036854775808", false), ("ShoeSize", "true", false), ("ShoeSize", #"" 44""#, false),
        ("Motto", #""""#, true), ("Motto", "\"" + String(repeating: "x", count: 250) + "\"", true),
        ("Motto", "\"" + String(repeating: "x", count: 251) + "\"", false),
        ("Motto", "\"" + String(repeating: "🚢", count: 250) + "\"", true),
    ]

    @Test(
        "docs/protocol.md §11.2, SEC-ATTR-2: custom attributes keep type, pattern and length", arguments: customValues)
    func customAttributesKeepTheirRules(_ name: String, _ value: String, _ isValid: Bool) async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        client.clientID = TestDirectory.custom
        let answer = try await client.start("a@example.com", [("attributes", "{\"\(Self.prefix)\(name)\":\(value)}")])
        if isValid {
            expectSuccess(answer, ["continuation_token"])
        } else {
            expectInvalid(answer, ["\(Self.prefix)\(name)"])
        }
    }

    @Test("SEC-ATTR-2: a pattern that would explode elsewhere is answered at once")
    func aPathologicalPatternIsQuick() async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        client.clientID = TestDirectory.custom
        let value = String(repeating: "a", count: 250)
        let started = processorSeconds()
        expectInvalid(
            try await client.start("a@example.com", json(["\(Self.prefix)Puzzle": .string(value)])),
            ["\(Self.prefix)Puzzle"])
        #expect(processorSeconds() - started < 2)
    }

    @Test(
        "docs/protocol.md §11.2: a hundred attributes of 250 characters fit; what no token can carry is refused at once"
    )
    func aHundredLongAttributesFit() async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        client.clientID = TestDirectory.wide
        func values(_ character: String) -> [String: AttributeValue] {
            Dictionary(
                uniqueKeysWithValues: (0..<100).map {
                    ("\(Self.prefix)A\($0)", .string(String(repeating: character, count: 250)))
                })
        }
        let done = try await server.signUp(with: client, json(values("x")))
        expectSuccess(done, ["continuation_token"])
        #expect(try await server.storedUsers().map(\.attributes) == [values("x")])

        // Twice as many bytes, sent unencoded so that the body stays below its limit.
        let fields: Fields = [
            ("client_id", TestDirectory.wide), ("username", "b@example.com"), ("challenge_type", "oob redirect"),
        ]
        let bytes = Array(AttributesJSON.encode(values("é")).utf8)
        let request = try Damage.raw("attributes", bytes).request(fields, to: .signUpStart, by: client)
        #expect(request.body.count < 64 * 1024)
        expectInvalid(try await client.send(request), ["attributes"])

        // They cannot come in two portions after the code was sent either.
        let sent = try await client.challenge(client.start("b@example.com", json(values("x"))).token)
        let names = Set((0..<26).map { "\(Self.prefix)A\($0)" })
        let page = Array(AttributesJSON.encode(values("あ").filter { names.contains($0.key) }).utf8)
        let more: Fields = [
            ("client_id", TestDirectory.wide), ("continuation_token", try sent.token), ("grant_type", "attributes"),
        ]
        let tooMuch = try Damage.raw("attributes", page).request(more, to: .signUpContinue, by: client)
        #expect(tooMuch.body.count < 64 * 1024)
        expectInvalid(try await client.send(tooMuch), ["attributes"])
        let code = try await server.mailbox.code(to: "b@example.com")
        expectSuccess(try await client.submit(code: code, sent.token), ["continuation_token"])
    }

    // MARK: The alias

    @Test(
        "SEC-ID-6: an alias keeps its grammar, or attribute_validation_failed names it",
        arguments: [
            ("dana", true), ("d4n", true), ("Dana.Berg-1_x", true), ("123a", true),
            (String(repeating: "a", count: 64), true),
            ("da", false), (String(repeating: "a", count: 65), false), (".dana", false), ("-dana", false),
            ("_dana", false),
            ("12345", false), ("dana@example.com", false), ("dana berg", false), ("dänä", false),
            ("\u{212A}irk", false),
            ("admin", false), ("Administrator", false), ("ROOT", false), ("support", false), ("postmaster", false),
            (" dana", false), ("dana/x", false), ("ｄana", false), ("dana\u{200B}", false),
        ])
    func anAliasKeepsItsGrammar(_ alias: String, _ isValid: Bool) async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().start("a@example.com", json(["flatusername": .string(alias)]))
            if isValid {
                expectSuccess(answer, ["continuation_token"])
            } else {
                expectInvalid(answer, ["flatusername"])
            }
        }
    }

    @Test("SEC-ID-6: the alias is checked on a later page too, by name and by owner")
    func theAliasIsCheckedLaterToo() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("a@example.com", json(["flatusername": "dana"]))
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let asked = try await server.signUp("b@example.com", with: client)
            func page(_ alias: String) -> String { #"{"country":"A","city":"B","flatusername":"\#(alias)"}"# }
            expectInvalid(try await client.submit(attributes: page("x@y.zz"), asked.token), ["flatusername"])
            expectError(
                try await client.submit(attributes: page("DANA"), asked.token), "user_already_exists", 1_003_037)
            expectSuccess(try await client.submit(attributes: page("dana2"), asked.token), ["continuation_token"])
        }
    }

    @Test("SEC-ID-6, SEC-ID-7: an alias is taken without regard to letter case", arguments: ["dana", "DANA", "Dana"])
    func anAliasIsTakenInAnyLetterCase(_ alias: String) async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("a@example.com", json(["flatusername": "Dana"]))
            let before = try await server.snapshot()
            expectError(
                try await server.client().start("b@example.com", json(["flatusername": .string(alias)])),
                "user_already_exists", 1_003_037)
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-ID-7: an alias of one tenant is free in another, and so is an address")
    func identifiersBelongToATenant() async throws {
        let server = try TestDirectory.server()
        _ = try await server.signUp("a@example.com", json(["flatusername": "dana"]))
        var fabrikam = server.client()
        fabrikam.tenant = "fabrikam"
        expectSuccess(
            try await server.signUp("a@example.com", with: fabrikam, json(["flatusername": "dana"])),
            ["continuation_token"])
        #expect(try await server.count("SELECT COUNT(DISTINCT tenant) FROM users") == 2)
    }

    // MARK: Hostile text

    @Test("SEC-SWIFT-2: 64 KB of combining marks in any field is answered at once, and never with 5xx")
    func towersOfMarksAreQuick() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            // Unencoded, two bytes each, just under the limit of a body.
            let marks = Array(String(repeating: "\u{301}\u{316}", count: 16_000).utf8)
            let fields: Fields = [
                ("client_id", try #require(client.clientID)), ("username", "a@example.com"),
                ("challenge_type", "oob redirect"),
                ("password", "x"), ("attributes", "{}"), ("capabilities", ""), ("continuation_token", "x"),
                ("grant_type", "oob"), ("oob", "1"), ("scope", "openid"), ("refresh_token", "x"), ("unknown", "x"),
            ]
            for endpoint in [V1Endpoint.signUpStart, .signUpChallenge, .signUpContinue, .token] {
                for (name, _) in fields {
                    let request = try Damage.raw(name, marks).request(fields, to: endpoint, by: client)
                    let started = processorSeconds()
                    let answer = try await client.send(request)
                    #expect(processorSeconds() - started < 2, "\(endpoint) \(name)")
                    #expect(answer.status < 500, "\(endpoint) \(name) \(answer)")
                }
            }
            for (prefix, suffix) in [("{\"city\":\"", "\"}"), ("{\"", "\":1}"), ("{\"a\":1,\"a", "\":1}")] {
                let value = Array(prefix.utf8) + marks + Array(suffix.utf8)
                let request = try Damage.raw("attributes", value).request(fields, to: .signUpStart, by: client)
                let started = processorSeconds()
                let answer = try await client.send(request)
                #expect(processorSeconds() - started < 2, "\(prefix)")
                #expect(answer.status == 400, "\(answer)")
            }
            let name = try Damage.rawName(marks).request(fields, to: .signUpStart, by: client)
            #expect(try await client.send(name).status == 400)
        }
    }
}
