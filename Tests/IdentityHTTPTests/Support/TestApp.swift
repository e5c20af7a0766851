import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// An authenticator app of a test.
struct TestApp {
    var secret: AppSecret

    /// The app that is shown the secret of an answer.
    init(_ offered: WireAnswer) throws {
        try self.init(key: #require(offered.text("secretKey"), "\(offered)"))
    }

    /// - Parameter key: Base32.
    init(key: String) throws {
        secret = try #require(AppSecret(base32: key))
    }

    func code(at date: Date, later steps: Int = 0) -> String {
        secret.code(at: AppSecret.step(at: date) + steps).reveal()
    }

    /// Adds an app to the account of the caller, with the own mailbox first where the server asks for that; time goes on so that
    /// its next code is another one.
    static func add(to caller: AccountCaller) async throws -> TestApp {
        let path = AccountCaller.beta + "/nativeAuth."
        var offered = try await caller.send("POST", path + "addAuthenticatorApp", "{}")
        if offered.text("secretKey") == nil {
            let token = try #require(offered.text("continuationToken"), "\(offered)")
            let code = try #require(try await caller.server.mailbox.mails().first?.code)
            offered = try await caller.send(
                "POST", path + "confirmAuthenticatorApp", #"{"continuationToken":"\#(token)","code":"\#(code)"}"#)
        }
        let app = try TestApp(offered)
        let token = try #require(offered.text("continuationToken"))
        let answer = try await caller.send(
            "POST", path + "confirmAuthenticatorApp",
            #"{"continuationToken":"\#(token)","code":"\#(app.code(at: caller.server.clock.now))"}"#)
        #expect(answer.status == 204, "\(answer)")
        caller.server.clock.advance(by: 61)
        return app
    }

    /// The id of the only app.
    func id(of caller: AccountCaller) async throws -> String {
        let listed = try await caller.send("GET", AccountCaller.me + "/authentication/softwareOathMethods")
        return try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)")
    }

    /// Answers a `mfa_required` with a code of the app.
    func give(
        to required: WireAnswer, _ client: WireClient, _ server: IdentityTestServer, code: String? = nil,
        claims: String? = WireClient.claims, scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        let sent = try await client.signInChallenge(required.token, id: try await method(required, client))
        return try await client.token(
            code: code ?? self.code(at: server.clock.now), sent.token, grant: "mfa_oob", claims: claims, scope: scope)
    }

    /// The id of the app among the methods.
    func method(_ required: WireAnswer, _ client: WireClient) async throws -> String {
        let listed = try await client.introspect(required.token)
        let app = listed["methods"]?.array.first { $0["challenge_channel"] == "totp" }
        return try #require(app?["id"]?.string, "\(listed)")
    }

    /// Signs a user of codes in with mailbox and app.
    func signIn(
        withCode email: String, to server: IdentityTestServer, scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        let required = try await server.signInWithCode(email, claims: WireClient.claims, scope: scope)
        return try await give(to: required, server.client(), server, scope: scope)
    }
}
