import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// A signed-in user at the directory API.
struct AccountCaller {
    static let me = "/graph/v1.0/me"
    static let beta = "/graph/beta/me"
    static let scope = "openid profile offline_access User.ReadWrite"

    var server: IdentityTestServer
    var token: String
    /// Empty when the sign-in asked for none.
    var refreshToken: String

    init(server: IdentityTestServer, token: String) {
        self.server = server
        self.token = token
        refreshToken = ""
    }

    init(_ answer: WireAnswer, _ server: IdentityTestServer) throws {
        self.server = server
        token = try #require(answer.text("access_token"), "\(answer)")
        refreshToken = answer.text("refresh_token") ?? ""
    }

    static func withPassword(
        _ server: IdentityTestServer, _ email: String = IdentityTestServer.email,
        password: String = WireClient.password, scope: String = scope
    ) async throws -> AccountCaller {
        try AccountCaller(try await server.signIn(email, password: password, scope: scope), server)
    }

    static func withCode(_ server: IdentityTestServer, _ email: String) async throws -> AccountCaller {
        try AccountCaller(try await server.signInWithCode(email, scope: scope), server)
    }

    func send(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        let client = server.client()
        var fields = ["authorization": "Bearer \(token)"].merging(headers) { $1 }
        if body != nil { fields["content-type"] = "application/json" }
        return try await client.send(client.request(method, path, headers: fields, body: Data((body ?? "").utf8)))
    }

    var isLive: Bool {
        get async throws { try await send("GET", Self.me).status == 200 }
    }

    /// Proves a new contact, after the own mailbox where the server asks for that.
    ///
    /// - Returns: The status of the last answer.
    func prove(_ address: String, by begin: String, _ confirm: String) async throws -> Int {
        var body = #"{"emailAddress":"\#(address)"}"#
        while true {
            let begun = try await send("POST", Self.beta + "/nativeAuth.\(begin)", body)
            guard let token = begun.text("continuationToken") else { return begun.status }
            let newest = try #require(try await server.mailbox.mails().first)
            let code = try #require(newest.code)
            let answer = try await send(
                "POST", Self.beta + "/nativeAuth.\(confirm)", #"{"continuationToken":"\#(token)","code":"\#(code)"}"#)
            guard let next = answer.text("continuationToken") else { return answer.status }
            body = #"{"continuationToken":"\#(next)"}"#
        }
    }

    func changeEmail(to address: String) async throws -> Int {
        try await prove(address, by: "changeEmail", "confirmEmail")
    }

    /// Takes back the last change with the code that was mailed to `old`.
    static func takeBack(_ server: IdentityTestServer, toldTo old: String) async throws -> Int {
        let mail = try #require(
            try await server.mailbox.mails().first { $0.purpose == .emailChanged && $0.to == old })
        let client = server.client()
        return try await client.send(
            client.request(
                "POST", "/graph/beta/nativeAuth.undoEmailChange", headers: ["content-type": "application/json"],
                body: Data(#"{"tenant":"contoso","code":"\#(try #require(mail.code))"}"#.utf8))
        ).status
    }
}
