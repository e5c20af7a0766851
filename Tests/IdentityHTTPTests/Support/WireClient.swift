import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// Parameters in order, repetitions allowed.
typealias Fields = [(name: String, value: String)]

/// A client that sends exactly what a test tells it to.
struct WireClient: Sendable {
    var transport: any HTTPTransport
    /// Put in front of the fields unless they name one themselves; nil sends none.
    var clientID: String?
    var tenant = "contoso.onmicrosoft.com"

    static let form = "application/x-www-form-urlencoded"

    func post(_ endpoint: V1Endpoint, _ fields: Fields, headers: [String: String] = [:]) async throws -> WireAnswer {
        try await send(request(endpoint, fields, headers: headers))
    }

    func request(
        _ endpoint: V1Endpoint, _ fields: Fields, headers: [String: String] = [:]
    ) throws -> TransportRequest {
        var form = FormFields()
        if !fields.contains(where: { $0.name == "client_id" }) { form.append("client_id", clientID) }
        for field in fields { form.append(field.name, field.value) }
        return try request(
            "POST", "/\(tenant)/\(endpoint.rawValue)",
            headers: ["content-type": Self.form].merging(headers) { $1 }, body: Data(form.encoded.utf8))
    }

    func request(
        _ method: String, _ path: String, headers: [String: String] = [:], body: Data = Data()
    ) throws -> TransportRequest {
        TransportRequest(
            method: method, url: try #require(URL(string: "https://identity.test\(path)")), headers: headers, body: body
        )
    }

    func send(_ request: TransportRequest) async throws -> WireAnswer {
        WireAnswer(try await transport.send(request))
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> WireAnswer {
        try await send(request("GET", path, headers: headers))
    }
}

// The steps of a sign-up, with what every client sends.
extension WireClient {
    static let challengeTypes = "oob password redirect"
    static let password = "Kr4ftig-Vinter#82"
    /// The members of a token reply to a sign-up or a sign-in.
    static let tokenMembers: Set<String> = [
        "token_type", "scope", "expires_in", "ext_expires_in", "access_token", "refresh_token", "id_token",
        "client_info",
    ]

    func start(_ username: String = "dana@example.com", _ more: Fields = []) async throws -> WireAnswer {
        try await post(
            .signUpStart, [("username", username), ("challenge_type", Self.challengeTypes)] + more)
    }

    func challenge(_ token: String, _ more: Fields = []) async throws -> WireAnswer {
        try await post(.signUpChallenge, [("continuation_token", token)] + more)
    }

    func submit(code: String, _ token: String) async throws -> WireAnswer {
        try await proceed(token, [("grant_type", "oob"), ("oob", code)])
    }

    func submit(password: String, _ token: String) async throws -> WireAnswer {
        try await proceed(token, [("grant_type", "password"), ("password", password)])
    }

    func submit(attributes: String, _ token: String) async throws -> WireAnswer {
        try await proceed(token, [("grant_type", "attributes"), ("attributes", attributes)])
    }

    func proceed(_ token: String, _ fields: Fields) async throws -> WireAnswer {
        try await post(.signUpContinue, [("continuation_token", token)] + fields)
    }

    func redeem(
        _ token: String, scope: String = "openid profile offline_access", headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        try await post(
            .token, [("grant_type", "continuation_token"), ("continuation_token", token), ("scope", scope)],
            headers: headers)
    }

    func refresh(
        _ token: String, scope: String? = nil, headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        try await post(
            .token,
            [("grant_type", "refresh_token"), ("refresh_token", token)] + (scope.map { [("scope", $0)] } ?? []),
            headers: headers)
    }

    /// Exchanges a refresh token for a ticket to the browser.
    ///
    /// - Parameter changes: Other values of parameters; nil leaves one out.
    func ticket(
        _ token: String, for target: String, challenge: String? = nil, _ changes: [String: String?] = [:],
        headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        var parameters: [String: String?] = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
            "subject_token_type": "urn:ietf:params:oauth:token-type:refresh_token",
            "requested_token_type": "urn:swift-native-auth:token-type:browser-ticket", "audience": target,
            "code_challenge": challenge,
        ]
        for (name, value) in changes { parameters[name] = value }
        return try await post(
            .token, parameters.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } },
            headers: headers)
    }
}

/// The server's answer.
struct WireAnswer: Hashable, Sendable, CustomStringConvertible {
    var status: Int
    var headers: [String: String]
    var body: Data
    /// The members of a JSON object; empty for anything else.
    var members: [String: JSON]

    init(_ response: TransportResponse) {
        status = response.status
        headers = response.headers
        body = response.body
        do {
            members = try JSONDecoder().decode([String: JSON].self, from: response.body)
        } catch {
            members = [:]
        }
    }

    subscript(member: String) -> JSON? { members[member] }

    /// The member's text; nil when it is no text.
    func text(_ member: String) -> String? {
        if case .string(let text)? = members[member] { text } else { nil }
    }

    /// The continuation token, which must be there.
    var token: String {
        get throws { try #require(text("continuation_token"), "\(self)") }
    }

    /// Whether the flow made progress: a success, or one of the errors that have the next token.
    var isProgress: Bool { status == 200 || members["continuation_token"] != nil }

    var description: String { "\(status) \(String(decoding: body.prefix(600), as: UTF8.self))" }
}

/// A JSON value.
enum JSON: Hashable, Sendable, Decodable {
    case string(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case array([JSON])
    case object([String: JSON])
    case null

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    subscript(member: String) -> JSON? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    var array: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var integer: Int? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    var string: String? {
        if case .string(let string) = self { string } else { nil }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Dictionary(elements) { $1 }) }
}

/// Checks a whole error reply: the shape of docs/protocol.md §3.5 and the row that is expected (`SEC-WIRE-1`).
func expectError(
    _ answer: WireAnswer, _ error: String, _ code: Int, suberror: String? = nil, status: Int = 400,
    carriesToken: Bool = false, _ label: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    let failed = Comment(rawValue: "\(label) \(answer)")
    guard answer.status == status, answer.text("error") == error else {
        Issue.record("expected \(status) \(error): \(failed)", sourceLocation: sourceLocation)
        return
    }
    #expect(answer.text("suberror") == suberror, failed, sourceLocation: sourceLocation)
    #expect(answer["error_codes"] == [.integer(code)], failed, sourceLocation: sourceLocation)
    #expect((answer["continuation_token"] != nil) == carriesToken, failed, sourceLocation: sourceLocation)
    let text = answer.text("error_description") ?? ""
    #expect(text.hasPrefix("AADSTS\(code): "), failed, sourceLocation: sourceLocation)
    for (label, member) in [("Trace ID", "trace_id"), ("Correlation ID", "correlation_id"), ("Timestamp", "timestamp")]
    {
        #expect(
            text.contains("\(label): \(answer.text(member) ?? "missing")"), failed, sourceLocation: sourceLocation)
    }
    for member in ["trace_id", "correlation_id"] {
        #expect(UUID(uuidString: answer.text(member) ?? "") != nil, failed, sourceLocation: sourceLocation)
    }
    #expect(
        (answer.text("timestamp") ?? "").wholeMatch(of: /\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}Z/) != nil, failed,
        sourceLocation: sourceLocation)
    let optional = [
        "suberror", "continuation_token", "required_attributes", "invalid_attributes", "unverified_attributes",
    ]
    let always = ["error", "error_description", "error_codes", "timestamp", "trace_id", "correlation_id"]
    #expect(
        Set(answer.members.keys).subtracting(optional) == Set(always), failed, sourceLocation: sourceLocation)
    expectHeaders(answer, sourceLocation: sourceLocation)
    #expect(
        answer.headers["client-request-id"] == answer.text("correlation_id"), failed, sourceLocation: sourceLocation)
}

/// Checks a success: no member of an error in it (docs/protocol.md §3.5), and no correlation ID (§2.3).
func expectSuccess(_ answer: WireAnswer, _ members: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(answer.status == 200, "\(answer)", sourceLocation: sourceLocation)
    #expect(Set(answer.members.keys) == members, "\(answer)", sourceLocation: sourceLocation)
    expectHeaders(answer, sourceLocation: sourceLocation)
}

/// Checks a redirect to the browser (docs/protocol.md §4.0), and its reason unless that is nil.
func expectRedirect(
    _ answer: WireAnswer, _ reason: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    expectSuccess(answer, ["challenge_type", "redirect_reason"], sourceLocation: sourceLocation)
    #expect(answer["challenge_type"] == "redirect", sourceLocation: sourceLocation)
    if let reason { #expect(answer["redirect_reason"] == .string(reason), sourceLocation: sourceLocation) }
}

/// The headers of every native reply (docs/protocol.md §2.3, `SEC-OAUTH-6`).
func expectHeaders(_ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
    let failed = Comment(rawValue: "\(answer.headers)")
    #expect(answer.headers["cache-control"] == "no-store", failed, sourceLocation: sourceLocation)
    #expect(
        answer.headers["content-type"] == "application/json; charset=utf-8", failed, sourceLocation: sourceLocation)
    #expect(answer.headers["x-content-type-options"] == "nosniff", failed, sourceLocation: sourceLocation)
    let correlationID = answer.headers["client-request-id"]
    #expect(UUID(uuidString: correlationID ?? "") != nil, failed, sourceLocation: sourceLocation)
    #expect(answer.headers["x-ms-request-id"] == correlationID, failed, sourceLocation: sourceLocation)
}
