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

    /// A second factor is required: two methods, or the first `count` of them.
    static func methods(_ count: Int = 2, token: String = "ct-methods") -> Reply {
        let methods = [
            #"{"id":"m-1","challenge_type":"oob","challenge_channel":"email","login_hint":"d***a@ex***le.com"}"#,
            #"{"id":"m-2","challenge_type":"oob","challenge_channel":"sms"}"#,
        ].prefix(count).joined(separator: ",")
        return ok(#"{"continuation_token":"\#(token)","methods":[\#(methods)]}"#)
    }

    static let mfaRequired = error(
        "invalid_grant", "mfa_required", code: 50_076, more: #""continuation_token":"ct-mfa""#)
    static let registrationRequired = error(
        "invalid_grant", "registration_required", code: 50_079, more: #""continuation_token":"ct-register""#)
    static let blocked = error("access_denied", "provider_blocked_by_rep", code: 550_024)

    /// The answer to the challenge of a method that is to be registered.
    static func registrationCode(_ token: String) -> Reply {
        ok(
            #"{"challenge_type":"oob","continuation_token":"\#(token)","challenge_channel":"email","#
                + #""challenge_target":"dana@home.example","code_length":8,"binding_method":"prompt"}"#)
    }

    static func preverified(_ token: String) -> Reply {
        ok(#"{"challenge_type":"preverified","continuation_token":"\#(token)"}"#)
    }

    static func newPasswordWanted(_ token: String) -> Reply {
        ok(#"{"continuation_token":"\#(token)","expires_in":600}"#)
    }

    static let submitted = ok(#"{"continuation_token":"ct-submitted","poll_interval":1}"#)

    /// The answer to a poll: `succeeded`, `in_progress`, `not_started` or `failed`.
    static func polled(_ status: String, token: String? = "ct-reset") -> Reply {
        let token = token.map { #","continuation_token":"\#($0)""# } ?? ""
        return ok(#"{"status":"\#(status)"\#(token)}"#)
    }

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

    /// The number of unused answers.
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
        configuration.sleep = { _ in }
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

    /// A signed-in user.
    @MainActor
    static func signedIn(
        _ replies: [Reply], tokens: Reply = .tokens()
    ) async throws -> (Fixture, MSALNativeAuthUserAccountResult) {
        let (fixture, state) = try await done([tokens] + replies)
        let delegate = FullDelegate()
        state.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? MSALNativeAuthUserAccountResult))
    }

    // MARK: Sign-in

    /// Starts a sign-in of dana@example.com.
    @MainActor
    func signIn(password: String? = nil, scopes: [String]? = nil, claims: String? = nil) async throws -> Callback {
        let parameters = MSALNativeAuthSignInParameters(username: "dana@example.com")
        parameters.password = password
        parameters.scopes = scopes
        parameters.claimsRequest = claims.map { MSALClaimsRequest(jsonString: $0, error: nil) }
        let delegate = FullDelegate()
        app.signIn(parameters: parameters, delegate: delegate)
        return try await delegate.mailbox.next()
    }

    /// A sign-in that reached `State` with the first replies; its start got a password if one is given.
    @MainActor
    private static func signingIn<State>(
        to state: State.Type = State.self, by first: [Reply], then replies: [Reply], password: String? = nil,
        scopes: [String]? = nil, claims: String? = nil
    ) async throws -> (Fixture, State) {
        let fixture = try Fixture(first + replies)
        let callback = try await fixture.signIn(password: password, scopes: scopes, claims: claims)
        return (fixture, try #require(callback.state as? State))
    }

    /// A sign-in that waits for its code, with the token `ct-code`.
    @MainActor
    static func waitingForSignInCode(_ replies: [Reply]) async throws -> (Fixture, SignInCodeRequiredState) {
        try await signingIn(by: [.token("ct-start"), .code("ct-code")], then: replies)
    }

    /// A sign-in that waits for the password, with the token `ct-password`.
    @MainActor
    static func waitingForSignInPassword(_ replies: [Reply]) async throws -> (Fixture, SignInPasswordRequiredState) {
        try await signingIn(by: [.token("ct-start"), .passwordWanted], then: replies)
    }

    /// A sign-in that waits for the choice of a second factor among `methods`, with the token `ct-methods`.
    @MainActor
    static func awaitingMFA(
        _ replies: [Reply], methods: Int = 2, scopes: [String]? = nil, claims: String? = nil
    ) async throws -> (Fixture, AwaitingMFAState) {
        try await signingIn(
            by: [.token("ct-start"), .passwordWanted, .mfaRequired, .methods(methods)], then: replies,
            password: "correct horse", scopes: scopes, claims: claims)
    }

    /// A sign-in that waits for the code of the second factor, with the token `ct-challenge`.
    @MainActor
    static func waitingForMFACode(
        _ replies: [Reply], scopes: [String]? = nil, claims: String? = nil
    ) async throws -> (Fixture, MFARequiredState) {
        let (fixture, state) = try await awaitingMFA(
            [.code("ct-challenge")] + replies, methods: 1, scopes: scopes, claims: claims)
        let delegate = FullDelegate()
        state.requestChallenge(delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? MFARequiredState))
    }

    /// A sign-in that waits for a registration, with the token `ct-methods`; and the first method.
    @MainActor
    static func registering(
        _ replies: [Reply], scopes: [String]? = nil, claims: String? = nil
    ) async throws -> (Fixture, RegisterStrongAuthState, MSALAuthMethod) {
        final class Chooser: ErrorRecorder {
            let mailbox = Mailbox()
            var method: MSALAuthMethod?

            func onSignInStrongAuthMethodRegistration(
                authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState
            ) {
                method = authMethods.first
                mailbox.receive("onSignInStrongAuthMethodRegistration", nil, newState)
            }
        }
        let fixture = try Fixture([.token("ct-start"), .passwordWanted, .registrationRequired, .methods()] + replies)
        let parameters = MSALNativeAuthSignInParameters(username: "dana@example.com")
        parameters.password = "correct horse"
        parameters.scopes = scopes
        parameters.claimsRequest = claims.map { MSALClaimsRequest(jsonString: $0, error: nil) }
        let chooser = Chooser()
        fixture.app.signIn(parameters: parameters, delegate: chooser)
        let state = try #require(try await chooser.mailbox.next().state as? RegisterStrongAuthState)
        return (fixture, state, try #require(chooser.method))
    }

    /// A registration that waits for its code, with the token `ct-challenge`; and the method.
    @MainActor
    static func waitingForRegistrationCode(
        _ replies: [Reply], scopes: [String]? = nil, claims: String? = nil
    ) async throws -> (Fixture, RegisterStrongAuthVerificationRequiredState, MSALAuthMethod) {
        let (fixture, state, method) = try await registering(
            [.registrationCode("ct-challenge")] + replies, scopes: scopes, claims: claims)
        let delegate = FullDelegate()
        state.challengeAuthMethod(
            parameters: .init(authMethod: method, verificationContact: "dana@home.example"), delegate: delegate)
        let next = try await delegate.mailbox.next().state as? RegisterStrongAuthVerificationRequiredState
        return (fixture, try #require(next), method)
    }

    // MARK: Password reset

    /// Starts a password reset of dana@example.com.
    @MainActor
    func resetPassword() async throws -> Callback {
        let delegate = FullDelegate()
        app.resetPassword(parameters: .init(username: "dana@example.com"), delegate: delegate)
        return try await delegate.mailbox.next()
    }

    /// A reset that waits for its code, with the token `ct-code`.
    @MainActor
    static func waitingForResetCode(_ replies: [Reply]) async throws -> (Fixture, ResetPasswordCodeRequiredState) {
        let fixture = try Fixture([.token("ct-start"), .code("ct-code")] + replies)
        return (fixture, try #require(try await fixture.resetPassword().state as? ResetPasswordCodeRequiredState))
    }

    /// A reset that waits for the new password, with the token `ct-password`.
    @MainActor
    static func waitingForNewPassword(_ replies: [Reply]) async throws -> (Fixture, ResetPasswordRequiredState) {
        let (fixture, state) = try await waitingForResetCode([.newPasswordWanted("ct-password")] + replies)
        let delegate = FullDelegate()
        state.submitCode(code: "12345678", delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? ResetPasswordRequiredState))
    }

    /// A reset that is done, with the token `ct-reset`.
    @MainActor
    static func reset(
        _ replies: [Reply], poll: Reply = .polled("succeeded")
    ) async throws -> (Fixture, SignInAfterResetPasswordState) {
        let (fixture, state) = try await waitingForNewPassword([.submitted, poll] + replies)
        let delegate = FullDelegate()
        state.submitPassword(password: "correct horse", delegate: delegate)
        return (fixture, try #require(try await delegate.mailbox.next().state as? SignInAfterResetPasswordState))
    }
}
