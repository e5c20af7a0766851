import IdentityEngine
import IdentityHTTP
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// Every kind of request that the server accepts, ready to be sent.
enum Call: String, CaseIterable, Sendable {
    case start
    case challenge
    case submitCode
    case submitPassword
    case submitAttributes
    case redeem
    case refresh

    var endpoint: V1Endpoint {
        switch self {
        case .start: .signUpStart
        case .challenge: .signUpChallenge
        case .submitCode, .submitPassword, .submitAttributes: .signUpContinue
        case .redeem, .refresh: .token
        }
    }

    /// The parameters without which the call is refused.
    var required: [String] {
        switch self {
        case .start: ["client_id", "username", "challenge_type"]
        case .challenge: ["client_id", "continuation_token"]
        case .submitCode: ["client_id", "continuation_token", "grant_type", "oob"]
        case .submitPassword: ["client_id", "continuation_token", "grant_type", "password"]
        case .submitAttributes: ["client_id", "continuation_token", "grant_type", "attributes"]
        case .redeem: ["client_id", "continuation_token", "grant_type", "scope"]
        case .refresh: ["client_id", "grant_type", "refresh_token"]
        }
    }

    var optional: [String] {
        switch self {
        case .start: ["password", "attributes", "capabilities"]
        case .challenge: ["challenge_type"]
        case .submitCode, .submitPassword, .submitAttributes: []
        case .redeem: ["username", "client_info", "claims"]
        case .refresh: ["scope"]
        }
    }

    /// Brings a server to the point where the call is possible, and returns its parameters, `client_id` included.
    func fields(on server: IdentityTestServer) async throws -> Fields {
        let client = ("client_id", IdentityTestServer.Application.emailPasswordWithAttributes.rawValue)
        func progress(_ stage: Stage) async throws -> (Progress, Fields) {
            let progress = try await server.progress(to: stage)
            return (progress, [client, ("continuation_token", try progress.token(stage))])
        }
        switch self {
        case .start:
            return [
                client, ("username", "dana@example.com"), ("challenge_type", WireClient.challengeTypes),
                ("password", WireClient.password), ("attributes", #"{"displayName":"Ann"}"#),
                ("capabilities", "mfa_required registration_required"),
            ]
        case .challenge:
            return try await progress(.started).1 + [("challenge_type", WireClient.challengeTypes)]
        case .submitCode:
            let (progress, fields) = try await progress(.awaitingCode)
            return fields + [("grant_type", "oob"), ("oob", progress.code)]
        case .submitPassword:
            return try await progress(.awaitingPassword).1
                + [("grant_type", "password"), ("password", WireClient.password)]
        case .submitAttributes:
            return try await progress(.awaitingAttributes).1
                + [("grant_type", "attributes"), ("attributes", IdentityTestServer.address)]
        case .redeem:
            return try await progress(.completed).1 + [
                ("grant_type", "continuation_token"), ("scope", "openid offline_access"),
                ("username", "dana@example.com"), ("client_info", "true"), ("claims", "{}"),
            ]
        case .refresh:
            let (progress, _) = try await progress(.completed)
            let tokens = try await progress.client.redeem(progress.token(.completed))
            return [
                client, ("grant_type", "refresh_token"),
                ("refresh_token", try #require(tokens.text("refresh_token"))), ("scope", "openid offline_access"),
            ]
        }
    }
}

/// The damage to a valid request.
enum Damage: Sendable, CustomStringConvertible {
    case missing(String)
    case value(String, String)
    case repeated(String)
    case array(String)
    case added(String)
    case query(String)
    /// Replaces the encoded value by raw text.
    case raw(String, [UInt8])
    case rawName([UInt8])
    case fields(Int)
    case bytes(Int)
    case contentType(String?)
    case method(String)
    case tenant(String)
    case manyHeaders
    case longHeader
    case longURI
    case header(String, String)

    var description: String {
        switch self {
        case .missing(let name): "without \(name)"
        case .value(let name, let value): "\(name)=\(value.prefix(40))"
        case .repeated(let name): "\(name) twice"
        case .array(let name): "\(name)[]"
        case .added(let text): "with \(text)"
        case .query(let text): "?\(text)"
        case .raw(let name, let bytes): "\(name)=bytes \(bytes)"
        case .rawName(let bytes): "name=bytes \(bytes)"
        case .fields(let count): "\(count) fields"
        case .bytes(let count): "\(count) bytes"
        case .contentType(let type): "content-type \(type ?? "none")"
        case .method(let method): method
        case .tenant(let name): "tenant \(name.prefix(40))"
        case .manyHeaders: "101 headers"
        case .longHeader: "16 KiB of headers"
        case .longURI: "a URI of 8 KiB"
        case .header(let name, _): "with \(name)"
        }
    }

    func request(_ fields: Fields, to endpoint: V1Endpoint, by client: WireClient) throws -> TransportRequest {
        var (fields, client) = (fields, client)
        client.clientID = nil
        var headers: [String: String] = [:]
        var suffix: [UInt8] = []
        var query = ""
        var method = "POST"
        switch self {
        case .missing(let name): fields.removeAll { $0.name == name }
        case .value(let name, let value):
            fields.removeAll { $0.name == name }
            fields.append((name, value))
        case .repeated(let name):
            fields.append((name, fields.first { $0.name == name }?.value ?? ""))
        case .array(let name):
            let value = fields.first { $0.name == name }?.value ?? ""
            fields.removeAll { $0.name == name }
            fields.append(("\(name)[]", value))
        case .added(let text): suffix = Array("&\(text)".utf8)
        case .query(let text): query = "?\(text)"
        case .raw(let name, let bytes):
            fields.removeAll { $0.name == name }
            suffix = Array("&\(name)=".utf8) + bytes
        case .rawName(let bytes): suffix = Array("&".utf8) + bytes + Array("=1".utf8)
        case .fields(let count):
            while fields.count < count { fields.append(("unknown\(fields.count)", "1")) }
        case .bytes(let count):
            let length = try client.request(endpoint, fields).body.count
            suffix = Array("&pad=".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: count - length - 5)
        case .contentType(let type): headers["content-type"] = type ?? ""
        case .method(let name): method = name
        case .tenant(let name): client.tenant = name
        case .manyHeaders: for number in 0..<100 { headers["x-test-\(number)"] = "1" }
        case .longHeader: headers["x-test"] = String(repeating: "x", count: 16 * 1024)
        case .header(let name, let value): headers[name] = value
        case .longURI: query = "?dc=" + String(repeating: "x", count: 8 * 1024)
        }
        var request = try client.request(endpoint, fields, headers: headers)
        if case .contentType(nil) = self { request.headers["content-type"] = nil }
        request.body += Data(suffix)
        request.method = method
        request.url = try #require(URL(string: request.url.absoluteString + query))
        return request
    }
}

/// A row of the error table of requests.
struct ErrorRow: Sendable, CustomTestStringConvertible {
    var call: Call
    var damage: Damage
    var error = "invalid_request"
    var suberror: String?
    var code: Int
    var status = 400
    var phrase: String?

    var testDescription: String { "\(call.rawValue): \(damage)" }
}

@Suite("Requests that are refused") struct RequestErrorTests {
    private static let phrases = [
        "client_id": "client_id parameter is empty or not valid",
        "username": "username parameter is empty or not valid",
    ]

    /// docs/protocol.md §4.0, §4.1, §13.
    private static func presence(_ call: Call) -> [ErrorRow] {
        var rows: [ErrorRow] = []
        for name in call.required {
            // Clients look for 90100 and its phrase whether these two are missing, empty or malformed.
            rows.append(
                ErrorRow(
                    call: call, damage: .missing(name), code: phrases[name] == nil ? 900_144 : 90_100,
                    phrase: phrases[name] ?? name))
            switch name {
            case "attributes":
                rows.append(
                    ErrorRow(
                        call: call, damage: .value(name, ""), error: "invalid_grant",
                        suberror: "attribute_validation_failed", code: 90_023))
            case "scope":
                rows.append(ErrorRow(call: call, damage: .value(name, ""), error: "invalid_scope", code: 70_011))
            default:
                rows.append(
                    ErrorRow(
                        call: call, damage: .value(name, ""), code: 90_100,
                        phrase: "\(name) parameter is empty or not valid"))
            }
        }
        if call == .start {
            rows.append(ErrorRow(call: call, damage: .value("password", ""), code: 90_100))
        }
        return rows
    }

    /// `SEC-NET-9`.
    private static func repetition(_ call: Call) -> [ErrorRow] {
        (call.required + call.optional).flatMap { name in
            [
                ErrorRow(call: call, damage: .repeated(name), code: 9_002_313, phrase: name),
                ErrorRow(call: call, damage: .array(name), code: 9_002_313, phrase: name),
            ]
        } + [
            ErrorRow(call: call, damage: .added("client_id%5B0%5D=x"), code: 9_002_313),
            ErrorRow(call: call, damage: .query("client_id=x"), code: 9_002_313),
            ErrorRow(call: call, damage: .query("client%5Fid=x"), code: 9_002_313),
            ErrorRow(call: call, damage: .query("dc=1&continuation_token=x"), code: 9_002_313),
            ErrorRow(call: call, damage: .query("password[]=x"), code: 9_002_313),
        ]
    }

    /// `SEC-NET-9`.
    private static func encoding(_ call: Call) -> [ErrorRow] {
        let broken: [[UInt8]] = [
            Array("%".utf8), Array("%4".utf8), Array("%zz".utf8), Array("%4g".utf8), Array("%%41".utf8),
            Array("%C3".utf8), Array("%C3%28".utf8), Array("%ED%A0%80".utf8), Array("%F8%88%80%80%80".utf8),
            Array("%C0%80".utf8), [0xFF], Array("%00".utf8), Array("a%00b".utf8), [0], [0x0A], [0x7F],
        ]
        return broken.flatMap { bytes in
            [
                ErrorRow(call: call, damage: .raw("client_id", bytes), code: 9_002_313),
                ErrorRow(call: call, damage: .raw("unknown", bytes), code: 9_002_313),
                ErrorRow(call: call, damage: .rawName(bytes), code: 9_002_313),
            ]
        }
    }

    /// `SEC-NET-5`, `SEC-NET-7`, `SEC-NET-9`.
    private static func limits(_ call: Call) -> [ErrorRow] {
        let types = [
            nil, "", "application/json", "multipart/form-data; boundary=x", "text/plain",
            "application/x-www-form-urlencoded; charset=iso-8859-1", "application/x-www-form-urlencoded; boundary=x",
            "application/x-www-form-urlencodedx", "application/x-www-form-urlencoded, text/plain",
            "application/x-www-form-url encoded",
        ]
        return types.map { ErrorRow(call: call, damage: .contentType($0), code: 9_002_313, status: 415) }
            + ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"].map {
                ErrorRow(call: call, damage: .method($0), code: 900_561, status: 405)
            }
            + [
                ErrorRow(call: call, damage: .fields(65), code: 9_002_313),
                ErrorRow(call: call, damage: .bytes(64 * 1024 + 1), code: 9_002_313, status: 413),
                ErrorRow(call: call, damage: .bytes(2 * 1024 * 1024), code: 9_002_313, status: 413),
                ErrorRow(call: call, damage: .manyHeaders, code: 9_002_313, status: 431),
                ErrorRow(call: call, damage: .longHeader, code: 9_002_313, status: 431),
                ErrorRow(call: call, damage: .longURI, code: 9_002_313, status: 414),
            ]
    }

    /// docs/protocol.md §3.6, §4.0.
    private static func parties(_ call: Call) -> [ErrorRow] {
        let malformed = [
            "abc", "33334444-dddd-5555-eeee-6666ffff777", "33334444-dddd-5555-eeee-6666ffff77777",
            "33334444-dddd-5555-eeee-6666ffff777g", "{33334444-dddd-5555-eeee-6666ffff7777}",
            "33334444dddd5555eeee6666ffff7777", " 33334444-dddd-5555-eeee-6666ffff7777",
            String(repeating: "3", count: 60_000),
        ]
        return malformed.map {
            ErrorRow(call: call, damage: .value("client_id", $0), code: 90_100, phrase: phrases["client_id"])
        }
            + [
                ErrorRow(
                    call: call, damage: .value("client_id", "99999999-9999-9999-9999-999999999999"),
                    error: "unauthorized_client", code: 700_016),
                ErrorRow(
                    call: call, damage: .value("client_id", TestDirectory.disabled), error: "invalid_client",
                    suberror: "nativeauthapi_disabled", code: 70_001),
            ]
            + ["nowhere.onmicrosoft.com", "contoso.example", "aaaabbbb-0000-cccc-1111-dddd2222eeef", "%00", "%20"].map {
                ErrorRow(call: call, damage: .tenant($0), code: 90_002)
            } + [ErrorRow(call: call, damage: .tenant(String(repeating: "x", count: 300)), code: 90_002)]
    }

    /// docs/protocol.md §3.2, §3.3, §4.7, §5.7 and `SEC-NET-10`.
    private static func words(_ call: Call) -> [ErrorRow] {
        func many(_ word: String, _ count: Int) -> String {
            Array(repeating: word, count: count).joined(separator: " ")
        }
        let lists = [
            ErrorRow(
                call: call, damage: .value("challenge_type", "oob password"), error: "unsupported_challenge_type",
                code: 901_007),
            ErrorRow(call: call, damage: .value("challenge_type", "oob password redirect sms"), code: 90_100),
            ErrorRow(call: call, damage: .value("challenge_type", "OOB password redirect"), code: 90_100),
            ErrorRow(call: call, damage: .value("challenge_type", "oob,password,redirect"), code: 90_100),
            ErrorRow(call: call, damage: .value("challenge_type", many("redirect", 17)), code: 90_100),
            ErrorRow(call: call, damage: .value("challenge_type", String(repeating: "o", count: 65)), code: 90_100),
            ErrorRow(call: call, damage: .value("challenge_type", "   "), code: 90_100),
        ]
        switch call {
        case .start:
            return lists + [
                ErrorRow(call: call, damage: .value("capabilities", "mfa_required telepathy"), code: 90_100),
                ErrorRow(call: call, damage: .value("capabilities", "MFA_REQUIRED"), code: 90_100),
                ErrorRow(call: call, damage: .value("capabilities", many("mfa_required", 17)), code: 90_100),
                ErrorRow(call: call, damage: .added("capability=mfa_required"), code: 9_002_313),
            ]
        case .challenge: return lists
        case .submitCode, .submitPassword, .submitAttributes:
            return ["continuation_token", "otp", "OOB", "refresh_token", "mfa_oob"].map {
                ErrorRow(call: call, damage: .value("grant_type", $0), code: 90_100)
            }
        case .redeem, .refresh:
            return [
                "device_code", "Client_Credentials", "Refresh_Token",
                "urn:ietf:params:oauth:grant-type:saml2-bearer",
            ].map {
                ErrorRow(
                    call: call, damage: .value("grant_type", $0), error: "unsupported_grant_type", code: 70_003)
            }
                + [
                    "openid \"x\"", "openid a/b", "openid /read", "api://a/x api://b/x", many("openid", 17),
                    "openid api://" + String(repeating: "x", count: 256), "openid Größe",
                ].map {
                    ErrorRow(call: call, damage: .value("scope", $0), error: "invalid_scope", code: 70_011)
                }
        }
    }

    /// Sends every row to one server, on which nothing may change, so that the undamaged request still works at the
    /// end: then the rows were refused only because of the damage.
    private func expectRefusals(_ rows: [ErrorRow], of call: Call) async throws {
        let server = try TestDirectory.server()
        let fields = try await call.fields(on: server)
        let client = server.client(.emailPasswordWithAttributes)
        let before = try await server.snapshot()
        for row in rows {
            let request = try row.damage.request(fields, to: call.endpoint, by: client)
            let answer = try await client.send(request)
            if request.method == "HEAD" {
                #expect(answer.status == 405 && answer.body.isEmpty, "\(answer)")
            } else {
                expectError(
                    answer, row.error, row.code, suberror: row.suberror, status: row.status, row.testDescription)
            }
            if let phrase = row.phrase {
                #expect(answer.text("error_description")?.contains(phrase) == true, "\(row.testDescription) \(answer)")
            }
            #expect(answer.headers["allow"] == (row.status == 405 ? "POST" : nil), "\(row.testDescription)")
            #expect(try await server.snapshot() == before, "\(row.testDescription) changed something")
        }
        let undamaged = try await client.post(call.endpoint, fields)
        #expect(undamaged.isProgress, "\(undamaged)")
    }

    @Test("docs/protocol.md §4.0: a parameter that is missing or empty is named", arguments: Call.allCases)
    func aMissingOrEmptyParameterIsNamed(_ call: Call) async throws {
        try await expectRefusals(Self.presence(call), of: call)
    }

    @Test("SEC-NET-9: a known parameter twice, as an array or in the URL is refused", arguments: Call.allCases)
    func aParameterIsGivenOnceAndInTheBody(_ call: Call) async throws {
        try await expectRefusals(Self.repetition(call), of: call)
    }

    @Test("SEC-NET-9: percent-encoding is strict, text is UTF-8 without NUL", arguments: Call.allCases)
    func brokenEncodingIsRefused(_ call: Call) async throws {
        try await expectRefusals(Self.encoding(call), of: call)
    }

    @Test("SEC-NET-5, SEC-NET-7: size, number, media type and method are limited", arguments: Call.allCases)
    func limitsAreKept(_ call: Call) async throws {
        try await expectRefusals(Self.limits(call), of: call)
    }

    @Test("docs/protocol.md §3.6, §4.0: unknown tenants and clients are told apart", arguments: Call.allCases)
    func unknownPartiesAreRefused(_ call: Call) async throws {
        try await expectRefusals(Self.parties(call), of: call)
    }

    @Test("SEC-NET-10: unknown words and long lists are refused", arguments: Call.allCases)
    func unknownWordsAreRefused(_ call: Call) async throws {
        try await expectRefusals(Self.words(call), of: call)
    }

    @Test("SEC-NET-5, SEC-NET-9: 64 fields and 64 KiB are accepted", arguments: Call.allCases)
    func theLimitsThemselvesAreAccepted(_ call: Call) async throws {
        for damage in [Damage.fields(64), .bytes(64 * 1024)] {
            let server = try TestDirectory.server()
            let client = server.client(.emailPasswordWithAttributes)
            let fields = try await call.fields(on: server)
            let answer = try await client.send(damage.request(fields, to: call.endpoint, by: client))
            #expect(answer.isProgress, "\(damage) \(answer)")
        }
    }

    @Test(
        "docs/protocol.md §2.1: harmless differences are tolerated",
        arguments: [
            Damage.contentType("application/x-www-form-urlencoded;charset=utf-8"),
            .contentType("Application/X-WWW-Form-Urlencoded; Charset=UTF-8"),
            .contentType(#"application/x-www-form-urlencoded ; charset="utf-8""#),
            .added("unknown=1&unknown=2&other[]=3"), .added("&&="), .added("nca=1"), .query("dc=ESTS-PUB-WUS"),
            .added("claims=%7B%7D"), .added("redirect_uri=msauth%3A%2F%2Fx"),
        ])
    func harmlessDifferencesAreTolerated(_ damage: Damage) async throws {
        for call in [Call.start, .challenge] {
            let server = try TestDirectory.server()
            let client = server.client(.emailPasswordWithAttributes)
            let fields = try await call.fields(on: server)
            let answer = try await client.send(damage.request(fields, to: call.endpoint, by: client))
            #expect(answer.status == 200, "\(damage) \(answer)")
        }
    }

    @Test(
        "docs/protocol.md §1.1: the tenant is found by domain, subdomain and id, in any letter case",
        arguments: [
            "contoso.onmicrosoft.com", "Contoso.OnMicrosoft.COM", "contoso", "CONTOSO",
            "aaaabbbb-0000-cccc-1111-dddd2222eeee", "AAAABBBB-0000-CCCC-1111-DDDD2222EEEE",
        ])
    func theTenantIsFoundByEachOfItsNames(_ tenant: String) async throws {
        try await withIdentityServer { server in
            // The token of a flow that began under one name is valid under every other.
            let started = try await server.client().start()
            var client = server.client()
            client.tenant = tenant
            #expect(try await client.challenge(started.token).status == 200)
            #expect(try await client.start("other@example.com").status == 200)
            #expect(try await client.get("/\(tenant)/v2.0/.well-known/openid-configuration").status == 200)
        }
    }

    @Test("docs/protocol.md §2.1: a client id counts in either letter case, with blanks behind a word")
    func lettersOfTheClientIDCountInEitherCase() async throws {
        try await withIdentityServer { server in
            var client = server.client()
            client.clientID = client.clientID.map { $0.uppercased() + "  " }
            let sent = try await client.challenge(client.start().token)
            let answer = try await client.proceed(
                sent.token, [("grant_type", "oob "), ("oob", server.mailbox.code(to: "dana@example.com"))])
            #expect(answer.status == 200)
        }
    }

    @Test(
        "SEC-NET-8: attributes are one flat JSON object in clean UTF-8",
        arguments: [
            "", " ", "x", "[]", "null", "1", #""a""#, "{", "{}x", "{}{}", "\u{FEFF}{}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":1,}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":1 "b":2}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":.5}"#,
            #"{"a":1.}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"city":"A","city":"B"}"#,
            #"{"city":"A","\u0063ity":"B"}"#, #"{"a":"\u0000"}"#, #"{"a":"\ud800"}"#, #"{"a":"\udc00\ud800"}"#,
            #"{"a":"\x"}"#, #"{"a":[[1]]}"#, #"{"a":{"b":{"c":1}}}"#, "{\"a\":\"\t\"}", "//\n{}", "{}//",
        ])
    func attributesAreAFlatObject(_ json: String) async throws {
        try await withIdentityServer { server in
            let before = try await server.snapshot()
            let answer = try await server.client().post(
                .signUpStart,
                [("username", "a@example.com"), ("challenge_type", "oob redirect"), ("attributes", json)])
            expectError(answer, "invalid_grant", 90_023, suberror: "attribute_validation_failed")
            #expect(answer["invalid_attributes"] == [["name": "attributes"]])
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("docs/protocol.md §3.2: an order of words, and words twice, do not matter")
    func theOrderOfWordsDoesNotMatter() async throws {
        try await withIdentityServer { server in
            for list in ["redirect oob password", "redirect  redirect oob oob password", "oob redirect"] {
                let answer = try await server.client().post(
                    .signUpStart, [("username", "a@example.com"), ("challenge_type", list)])
                expectSuccess(answer, ["continuation_token"])
            }
        }
    }

    @Test("docs/protocol.md §2.3: the client's correlation ID comes back, in lower case, in headers and errors")
    func theCorrelationIDComesBack() async throws {
        try await withIdentityServer { server in
            let sent = "8A1C3F7E-0B2D-4E5F-9A6B-7C8D9E0F1A2B"
            for username in ["dana@example.com", "nobody"] {
                let answer = try await server.client().post(
                    .signUpStart, [("username", username), ("challenge_type", "oob redirect")],
                    headers: ["client-request-id": sent])
                #expect(answer.headers["client-request-id"] == sent.lowercased())
                #expect(answer.headers["x-ms-request-id"] == sent.lowercased())
                #expect(answer["correlation_id"] == (answer.status == 200 ? nil : .string(sent.lowercased())))
            }
        }
    }

    @Test(
        "docs/protocol.md §2.3: a correlation ID that is no UUID is replaced",
        arguments: [
            "x", "{8A1C3F7E-0B2D-4E5F-9A6B-7C8D9E0F1A2B}", "8A1C3F7E0B2D4E5F9A6B7C8D9E0F1A2B",
            "8A1C3F7E-0B2D-4E5F-9A6B-7C8D9E0F1A2G", String(repeating: "a", count: 4_000),
        ])
    func aMalformedCorrelationIDIsReplaced(_ sent: String) async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().post(
                .signUpStart, [("username", "x"), ("challenge_type", "oob redirect")],
                headers: ["client-request-id": sent])
            expectError(answer, "invalid_request", 90_100)
            #expect(answer.headers["client-request-id"] != sent.lowercased())
            #expect(!answer.description.contains(sent))
        }
    }

    @Test("docs/protocol.md §3.5: the time in an error is the server's, in its own format")
    func theTimeInAnErrorIsTheServers() async throws {
        try await withIdentityServer { server in
            server.clock.advance(by: 12.75)
            let answer = try await server.client().start("x")
            #expect(answer["timestamp"] == "2027-01-15 08:00:12Z")
        }
    }

    @Test(
        "SEC-NET-7: empty segments of a path do not lead past the endpoint's checks",
        arguments: ["/contoso/signup/v1.0/start/", "/contoso//signup/v1.0/start", "//contoso/signup/v1.0/start"])
    func emptySegmentsDoNotMatter(_ path: String) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let headers = ["content-type": WireClient.form]
            let get = try await client.send(client.request("GET", path, headers: headers))
            expectError(get, "invalid_request", 900_561, status: 405)
            let json = try await client.send(
                client.request("POST", path, headers: ["content-type": "application/json"], body: Data("{}".utf8)))
            expectError(json, "invalid_request", 9_002_313, status: 415)
            let empty = try await client.send(client.request("POST", path, headers: headers))
            expectError(empty, "invalid_request", 90_100)
        }
    }

    @Test(
        "SEC-NET-14: what is not there answers 404 with the documented JSON and no detail",
        arguments: [
            "/", "/contoso", "/contoso/signup/v1.0/nothing", "/contoso/oauth/v2.0/token",
            "/contoso/resetpassword/v1.0/complete", "/dev/inbox", "/dev/inbox.json", "/dev/hooks",
            "/../etc/passwd", "/contoso/%2e%2e/livez",
        ])
    func whatIsNotThereAnswers404(_ path: String) async throws {
        try await withIdentityServer { server in
            for method in ["GET", "POST"] {
                let client = server.client()
                let answer = try await client.send(
                    client.request(method, path, headers: ["content-type": WireClient.form], body: Data("a=1".utf8)))
                expectError(answer, "invalid_request", 90_023, status: 404)
            }
        }
    }
}
