import Foundation
import MSAL
import NativeAuth
import NativeAuthCore
import Testing

/// An answer of the scripted server.
struct Reply: Sendable {
    var status: Int
    var body: String
    var headers: [String: String] = [:]
    /// Instead of an answer: the connection breaks.
    var breaks = false

    static func ok(_ body: String) -> Reply { Reply(status: 200, body: body) }
    static func refused(_ body: String) -> Reply { Reply(status: 400, body: body) }
    static let broken = Reply(status: 0, body: "", breaks: true)

    /// A refusal with `error_codes` [`code`] and the description `said`.
    static func error(_ error: String, _ suberror: String? = nil, code: Int = 7, more: String = "") -> Reply {
        let suberror = suberror.map { #","suberror":"\#($0)""# } ?? ""
        let more = more.isEmpty ? "" : ",\(more)"
        return refused(
            #"{"error":"\#(error)"\#(suberror),"error_description":"said","error_codes":[\#(code)]\#(more)}"#)
    }

    static func token(_ token: String) -> Reply { ok(#"{"continuation_token":"\#(token)"}"#) }
    static let redirect = ok(#"{"challenge_type":"redirect","redirect_reason":"because"}"#)
    static let bareRedirect = ok(#"{"challenge_type":"redirect"}"#)

    static func code(_ token: String) -> Reply {
        ok(
            #"{"challenge_type":"oob","continuation_token":"\#(token)","challenge_channel":"email","#
                + #""challenge_target_label":"d***a@ex***le.com","code_length":8}"#)
    }

    static let passwordWanted = ok(#"{"challenge_type":"password","continuation_token":"ct-password"}"#)
    static let credentialRequired = error(
        "credential_required", code: 55_103, more: #""continuation_token":"ct-credential""#)
    static let attributesRequired = error(
        "attributes_required", code: 55_106,
        more: #""continuation_token":"ct-attributes","required_attributes":["#
            + #"{"name":"country","type":"string","required":true},"#
            + #"{"name":"city","type":"string","required":false,"options":{"regex":"^.*$"}}]"#)
    static let invalidAttributes = error(
        "invalid_grant", "attribute_validation_failed",
        more: #""invalid_attributes":[{"name":"city"},{"name":"flatusername"}]"#)
    static let invalidAttributesUnnamed = error("invalid_grant", "attribute_validation_failed")

    /// Tokens of dana@example.com; `number` tells one ID token and access token from the next.
    static func tokens(_ number: Int = 1, scope: String = "openid profile offline_access", lifetime: Int = 3600)
        -> Reply
    {
        let claims =
            #"{"preferred_username":"dana@example.com","oid":"o","tid":"t","number":\#(number),"list":[true,null]}"#
        let info = Base64URL.encode(Data(#"{"uid":"o","utid":"t"}"#.utf8))
        let idToken = "e30.\(Base64URL.encode(Data(claims.utf8))).c2ln"
        return ok(
            #"{"token_type":"Bearer","scope":"\#(scope)","expires_in":\#(lifetime),"access_token":"at-\#(number)","#
                + #""refresh_token":"rt-\#(number)","id_token":"\#(idToken)","client_info":"\#(info)"}"#)
    }
}

/// Answers requests one after the other.
actor ScriptedTransport: HTTPTransport {
    private var replies: [Reply]
    private(set) var requests: [TransportRequest] = []

    init(_ replies: [Reply]) {
        self.replies = replies
    }

    func add(_ reply: Reply...) {
        replies += reply
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.append(request)
        guard !replies.isEmpty else {
            Issue.record("There is no answer for \(request.url)")
            throw URLError(.badServerResponse)
        }
        let reply = replies.removeFirst()
        if reply.breaks { throw URLError(.networkConnectionLost) }
        return TransportResponse(status: reply.status, headers: reply.headers, body: Data(reply.body.utf8))
    }

    /// The fields of a request's form, the last one's by default.
    func form(_ index: Int? = nil) -> [String: String] {
        guard let request = index.map({ requests[$0] }) ?? requests.last else { return [:] }
        var components = URLComponents()
        components.percentEncodedQuery = String(decoding: request.body, as: UTF8.self).replacing("+", with: "%20")
        let items = components.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// How many answers nobody asked for.
    var unused: Int { replies.count }
}

/// An app with a scripted server and a delegate that implements everything.
struct Fixture {
    static let correlationID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    let app: MSALNativeAuthPublicClientApplication
    let server: ScriptedTransport

    init(_ replies: Reply...) throws {
        try self.init(replies)
    }

    init(_ replies: [Reply]) throws {
        server = ScriptedTransport(replies)
        var configuration = NativeAuthConfiguration(
            clientID: "00001111-aaaa-2222-bbbb-3333cccc4444", authority: try Authority(tenantSubdomain: "contoso"),
            challengeTypes: [.oneTimePasscode, .password])
        configuration.transport = server
        configuration.makeCorrelationID = { Self.correlationID }
        app = MSALNativeAuthPublicClientApplication(configuration)
    }

    /// Starts a sign-up of dana@example.com.
    @MainActor
    func start(
        _ delegate: FullDelegate = FullDelegate(), password: String? = nil, attributes: [String: Any]? = nil
    ) async throws -> Callback {
        let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
        parameters.password = password
        parameters.attributes = attributes
        app.signUp(parameters: parameters, delegate: delegate)
        return try await delegate.mailbox.next()
    }

    /// A sign-up that waits for its code, with the token `ct-code`.
    @MainActor
    static func waitingForCode(_ replies: [Reply]) async throws -> (Fixture, SignUpCodeRequiredState) {
        let fixture = try Fixture([.token("ct-start"), .code("ct-code")] + replies)
        return (fixture, try #require(try await fixture.start().state as? SignUpCodeRequiredState))
    }

    /// A sign-up that waits for a password, with the token `ct-password`.
    @MainActor
    static func waitingForPassword(_ replies: [Reply]) async throws -> (Fixture, SignUpPasswordRequiredState) {
        let (fixture, state) = try await waitingForCode([.credentialRequired, .passwordWanted] + replies)
        let delegate = FullDelegate()
        state.submitCode(code: "12345678", delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? SignUpPasswordRequiredState))
    }

    /// A sign-up that waits for attributes, with the token `ct-attributes`.
    @MainActor
    static func waitingForAttributes(_ replies: [Reply]) async throws -> (Fixture, SignUpAttributesRequiredState) {
        let (fixture, state) = try await waitingForCode([.attributesRequired] + replies)
        let delegate = FullDelegate()
        state.submitCode(code: "12345678", delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? SignUpAttributesRequiredState))
    }

    /// A sign-up that is done, with the token `ct-done`.
    @MainActor
    static func done(_ replies: [Reply], token: Reply = .token("ct-done")) async throws -> (
        Fixture, SignInAfterSignUpState
    ) {
        let (fixture, state) = try await waitingForCode([token] + replies)
        let delegate = FullDelegate()
        state.submitCode(code: "12345678", delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? SignInAfterSignUpState))
    }

    /// A user who is signed in.
    @MainActor
    static func signedIn(
        _ replies: [Reply], tokens: Reply = .tokens()
    ) async throws -> (Fixture, MSALNativeAuthUserAccountResult) {
        let (fixture, state) = try await done([tokens] + replies)
        let delegate = FullDelegate()
        state.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? MSALNativeAuthUserAccountResult))
    }
}

/// One row of a table: what the server says, and which callback follows.
struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let replies: [Reply]
    /// The callback as ``Callback/summary`` tells it.
    let expected: String

    init(_ name: String, _ replies: Reply..., expect expected: String) {
        testDescription = name
        self.replies = replies
        self.expected = expected
    }
}

extension Callback {
    /// Name, flags, `+` for a state or `-` for none, arguments; for an error its codes and its text as well.
    var summary: String {
        var parts = [name] + flags.sorted() + [state == nil ? "-" : "+"]
        if !detail.isEmpty { parts.append(detail) }
        if let error { parts.append("\(error.errorCodes) \(error.errorDescription ?? "nothing")") }
        return parts.joined(separator: " ")
    }
}
