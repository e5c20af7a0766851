import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

/// The page that a sign-in shows, as the server reads its address.
struct ShownPage: Sendable {
    let url: URL
    let callback: URL
    let session: WebSession
    let query: [String: String]

    init(_ request: WebAuthenticationRequest) throws {
        url = request.url
        callback = request.callback
        session = request.session
        let form = try FormFields(
            decoding: (URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? "").utf8)
        query = try Dictionary(uniqueKeysWithValues: form.names.map { ($0, try form.single($0) ?? "") })
    }

    subscript(name: String) -> String { query[name] ?? "" }

    /// The callback with these parameters.
    func answer(_ parameters: [String: String?], fragment: Bool = false) -> URL {
        var form = FormFields()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        if fragment { return URL(string: "\(callback)#\(form.encoded)") ?? callback }
        return callback.adding(form) ?? callback
    }

    /// The right answer.
    func code(_ changes: [String: String?] = [:], fragment: Bool = false) -> URL {
        answer(
            ["code": "C1", "state": self["state"], "iss": WebServer.issuer].merging(changes) { $1 }, fragment: fragment)
    }
}

/// A user agent of a test.
struct StubAuthenticator: WebAuthenticator {
    let answer: @Sendable (ShownPage) async throws -> URL

    init(_ answer: @escaping @Sendable (ShownPage) async throws -> URL = { $0.code() }) {
        self.answer = answer
    }

    func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
        do {
            return try await answer(ShownPage(request))
        } catch {
            throw error as? WebAuthenticationError ?? .couldNotShow("\(error)")
        }
    }
}

/// A server whose discovery document and tokens a test chooses. It records the pages of its authenticator too.
final class WebServer: HTTPTransport {
    static let origin = "https://login.example.com"
    static let issuer = "\(origin)/TID/v2.0"

    /// Members of the ID token, besides the usual ones; nil removes one. Values are JSON.
    private let claims: [String: String?]
    private let scope: String?
    private let document: String?
    private let refusal: Stub?
    private let uid: String
    private let state = Mutex((pages: [ShownPage](), requests: [TransportRequest]()))

    init(
        claims: [String: String?] = [:], scope: String? = nil, document: String? = WebServer.document(),
        refusal: Stub? = nil, uid: String = "OID"
    ) {
        self.claims = claims
        self.scope = scope
        self.document = document
        self.refusal = refusal
        self.uid = uid
    }

    static func document(_ more: String = #","authorization_response_iss_parameter_supported":true"#) -> String {
        """
        {"issuer":"\(issuer)","authorization_endpoint":"\(origin)/TID/oauth2/v2.0/authorize?p=1",\
        "end_session_endpoint":"\(origin)/TID/oauth2/v2.0/logout","token_endpoint":"t","jwks_uri":"j"\(more)}
        """
    }

    var pages: [ShownPage] { state.withLock { $0.pages } }
    var requests: [TransportRequest] { state.withLock { $0.requests } }
    /// The forms that were posted to the token endpoint.
    var redemptions: [[String: String]] {
        get throws {
            try requests.filter { $0.url.path().hasSuffix("/oauth2/v2.0/token") }.map { request in
                let form = try FormFields(decoding: request.body)
                return try Dictionary(uniqueKeysWithValues: form.names.map { ($0, try form.single($0) ?? "") })
            }
        }
    }

    func shows(_ page: ShownPage) { state.withLock { $0.pages.append(page) } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        state.withLock { $0.requests.append(request) }
        if request.method == "GET" {
            guard let document else { return TransportResponse(status: 404, body: Data("no".utf8)) }
            return TransportResponse(status: 200, body: Data(document.utf8))
        }
        if let refusal {
            if let failure = refusal.failure { throw failure }
            return TransportResponse(status: refusal.status, body: Data(refusal.json.utf8))
        }
        var members: [String: String] = [
            "iss": "\"\(Self.issuer)\"", "sub": "\"SUB\"", "aud": "\"\(clientID)\"", "oid": "\"OID\"", "tid": "\"TID\"",
            "exp": "\(Int(start.timeIntervalSince1970) + 3600)", "iat": "\(Int(start.timeIntervalSince1970))",
            "auth_time": "\(Int(start.timeIntervalSince1970))", "preferred_username": "\"dana@example.com\"",
            "nonce": "\"\(pages.last?["nonce"] ?? "")\"",
        ]
        for (name, value) in claims { members[name] = value }
        let json = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let requested = try redemptions.last?["scope"] ?? ""
        let idToken = claims["id_token"] == .some(nil) ? "" : #","id_token":"e30.\#(Base64URL.encode(json.utf8)).c2ln""#
        return TransportResponse(
            status: 200,
            body: Data(
                """
                {"token_type":"Bearer","expires_in":3600,"scope":"\(scope ?? requested)","access_token":"AT1",\
                "refresh_token":"RT1","client_info":"\(ClientInfo(uid: uid, utid: "TID").encoded)"\(idToken)}
                """.utf8))
    }
}

let webRedirect = URL(string: "msauth.com.example.app://auth") ?? URL(fileURLWithPath: "/")

/// The settings of a test's client, and the address at which its pages end.
struct WebSetup: Sendable {
    var configure: @Sendable (inout NativeAuthConfiguration) -> Void = { _ in }
    var answer: @Sendable (ShownPage) async throws -> URL = { $0.code() }
}

/// Runs `body` with a client of `server`.
func withWeb(
    _ server: WebServer = WebServer(), with setup: WebSetup = WebSetup(),
    _ body: (NativeAuthClient, WebServer) async throws -> Void
) async throws {
    let authority = try Authority(url: try #require(URL(string: "\(WebServer.origin)/TID")))
    try await withClient([]) {
        $0.transport = server
        $0.authority = authority
        $0.redirectURI = webRedirect
        $0.sleep = { _ in }
        $0.webAuthenticator = StubAuthenticator { page in
            server.shows(page)
            return try await setup.answer(page)
        }
        setup.configure(&$0)
    } _: { client, _ in
        try await body(client, server)
    }
}
