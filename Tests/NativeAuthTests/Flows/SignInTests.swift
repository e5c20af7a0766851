import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Testing

private let user = "dahlia@example.com"
/// The parameter `challenge_type` of the client of these tests.
let challengeTypeWords = "oob password redirect"

/// The account at the end of a sign-in.
func signedIn(_ step: SignInNextState, sourceLocation: SourceLocation = #_sourceLocation) throws -> Account {
    guard case .completed(let account) = step else {
        Issue.record("Not signed in: \(step)", sourceLocation: sourceLocation)
        throw ScriptedTransport.Unscripted()
    }
    return account
}

/// As above, when the password was given at the start.
func signedIn(_ start: SignInFirstState, sourceLocation: SourceLocation = #_sourceLocation) throws -> Account {
    guard case .next(let step) = start else {
        Issue.record("Not signed in: \(start)", sourceLocation: sourceLocation)
        throw ScriptedTransport.Unscripted()
    }
    return try signedIn(step, sourceLocation: sourceLocation)
}

extension Stub {
    static let initiated = Stub(.signInInitiate, 200, #"{"continuation_token":"T1"}"#)

    /// A code was sent, by any endpoint that sends a masked target.
    static func code(_ endpoint: V1Endpoint, _ token: String, channel: String = "email") -> Stub {
        Stub(
            endpoint, 200,
            """
            {"challenge_type":"oob","continuation_token":"\(token)","challenge_channel":"\(channel)",
            "challenge_target_label":"d***a@e***e.com","code_length":8,"interval":300,"binding_method":"prompt"}
            """)
    }

    static func password(_ token: String, _ endpoint: V1Endpoint = .signInChallenge) -> Stub {
        Stub(endpoint, 200, #"{"challenge_type":"password","continuation_token":"\#(token)"}"#)
    }

    static let wrongPassword = refusal(.token, "invalid_grant", codes: [50126])
    static let wrongCode = refusal(.token, "invalid_grant", suberror: "invalid_oob_value", codes: [50181])
    static let mfaRequired = refusal(
        .token, "invalid_grant", suberror: "mfa_required", codes: [50076], more: #","continuation_token":"T3""#)
    static let registrationRequired = refusal(
        .token, "invalid_grant", suberror: "registration_required", codes: [50079], more: #","continuation_token":"T3""#
    )

    /// Answers that no endpoint gives (docs/protocol.md §14.2).
    static func garbage(_ endpoint: V1Endpoint) -> [Stub] {
        [
            Stub(endpoint, 200, ""), Stub(endpoint, 200, "[]"), Stub(endpoint, 200, "nonsense"),
            Stub(endpoint, 200, #"{"continuation_token":7}"#),
            Stub(endpoint, 200, #"{"continuation_token":"T","challenge_type":"OOB"}"#),
            Stub(endpoint, 201, #"{"continuation_token":"T"}"#), Stub(endpoint, 400, ""), Stub(endpoint, 400, "{}"),
            Stub(endpoint, 400, #"{"error":7}"#), Stub(endpoint, 400, #"{"error":"a","error_codes":["1"]}"#),
            Stub(endpoint, 403, #"{"error":"access_denied"}"#), Stub(endpoint, 404, #"{"error":"invalid_request"}"#),
            Stub(endpoint, 500, #"{"error":"server_error"}"#),
        ]
    }

    /// A code that was sent, with one thing missing.
    static func incompleteCodes(_ endpoint: V1Endpoint) -> [Stub] {
        SignUpTests.incompleteChallenges.map { stub in
            var stub = stub
            stub.endpoint = endpoint
            return stub
        }
    }
}

typealias Row = SignUpTests.Row

@Suite("Sign-in")
struct SignInTests {
    static let scopes = "Orders.Read openid profile offline_access"
    static let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#

    @Test func aPasswordGivenAtTheStartIsUsedInTheSameCall() async throws {
        try await withClient([.initiated, .password("T2"), .tokens()]) {
            $0.capabilities = [.registrationRequired, .mfaRequired]
        } _: { client, transport in
            let step = try await client.startSignIn(
                username: user, password: " Tr&b+9 ", scopes: ["Orders.Read"], claims: Self.claims)
            #expect(try signedIn(step).homeAccountID == "UID.UTID")
            #expect(client.currentAccount()?.username == user)
            #expect(
                try transport.form(0) == [
                    "client_id": clientID, "username": user, "challenge_type": challengeTypeWords,
                    "capabilities": "mfa_required registration_required",
                ])
            #expect(
                try transport.form(1) == [
                    "client_id": clientID, "continuation_token": "T1", "challenge_type": challengeTypeWords,
                ])
            #expect(
                try transport.form(2) == [
                    "client_id": clientID, "grant_type": "password", "continuation_token": "T2",
                    "password": " Tr&b+9 ", "scope": Self.scopes, "username": user,
                    "challenge_type": challengeTypeWords,
                    "client_info": "true", "claims": Self.claims,
                ])
        }
    }

    @Test func thePasswordIsAskedForWhenItIsNotGiven() async throws {
        try await withClient([.initiated, .password("T2"), .wrongPassword, .tokens()]) { client, transport in
            guard case .passwordRequired(let state) = try await client.startSignIn(username: "Dahlia.99") else {
                Issue.record("Another step.")
                return
            }
            #expect(state.correlationID == correlation)
            let wrong = try await error { () throws(NativeAuthError) in try await state.submit(password: "a") }
            #expect(kind(wrong) == "invalidPassword" && wrong.details.canRetry && wrong.details.errorCodes == [50126])
            #expect(try signedIn(await state.submit(password: "b")).objectID == "UID")
            #expect(try transport.form(0)["username"] == "Dahlia.99")
            #expect(try transport.form(2)["continuation_token"] == "T2")
            #expect(try transport.form(3)["continuation_token"] == "T2")
            #expect(try transport.form(3)["claims"] == nil)
        }
    }

    @Test(arguments: [nil, "a password"])
    func aUserWithoutPasswordIsOfferedTheCode(_ password: String?) async throws {
        let script: [Stub] = [.initiated, .code(.signInChallenge, "T2"), .wrongCode, .tokens()]
        try await withClient(script) { client, transport in
            let step = try await client.startSignIn(
                username: user, password: password, scopes: ["Orders.Read"], claims: Self.claims)
            guard case .codeRequired(let state) = step else {
                Issue.record("Another step.")
                return
            }
            #expect(state.code.sentTo == "d***a@e***e.com" && state.code.channel == "email")
            #expect(state.code.length == 8 && state.code.resendInterval == 300 && state.correlationID == correlation)
            let wrong = try await error { () throws(NativeAuthError) in try await state.submit(code: "1") }
            #expect(kind(wrong) == "incorrectCode" && wrong.details.canRetry)
            _ = try signedIn(await state.submit(code: "2"))
            #expect(
                try transport.form(3) == [
                    "client_id": clientID, "grant_type": "oob", "continuation_token": "T2", "oob": "2",
                    "scope": Self.scopes, "client_info": "true", "claims": Self.claims,
                ])
            #expect(transport.requests.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("password=") })
        }
    }

    @Test func afterAResendBothStatesWorkWithTheirOwnToken() async throws {
        let script: [Stub] = [
            .initiated, .code(.signInChallenge, "T2"), .code(.signInChallenge, "T2b"),
            .refusal(.signInChallenge, "invalid_request"), .tokens(), .tokens(),
        ]
        try await withClient(script) { client, transport in
            guard case .codeRequired(let first) = try await client.startSignIn(username: user) else { return }
            let second = try await first.resend()
            let refused = try await error { () throws(NativeAuthError) in try await second.resend() }
            #expect(kind(refused) == "general" && refused.details.canRetry)
            _ = try await first.submit(code: "1")
            _ = try await second.submit(code: "1")
            #expect(try (2..<6).map { try transport.form($0)["continuation_token"] } == ["T2", "T2b", "T2", "T2b"])
        }
    }

    @Test func theServersCorrelationIDIsTakenOver() async throws {
        let other = UUID()
        var challenge = Stub.code(.signInChallenge, "T2")
        challenge.headers["client-request-id"] = other.uuidString
        try await withClient([.initiated, challenge]) { client, transport in
            let own = UUID()
            guard case .codeRequired(let state) = try await client.startSignIn(username: user, correlationID: own)
            else {
                return
            }
            #expect(state.correlationID == other)
            #expect(transport.requests.map { $0.headers["client-request-id"] } == [own.uuidString, own.uuidString])
        }
    }

    // MARK: docs/sdk-surface.md §3.5

    static let unexpected = SignUpTests.unexpected
    static let redirect = SignUpTests.redirect

    static let startRows: [Row] =
        [
            Row(Stub(.signInInitiate, 200, redirect), is: "browserRequired", message: "Use the web"),
            Row(.refusal(.signInInitiate, "user_not_found", codes: [50034]), is: "userNotFound"),
            Row(
                .refusal(
                    .signInInitiate, "invalid_request", codes: [90100],
                    text: "AADSTS90100: username parameter is empty or not valid."),
                is: "general", message: "AADSTS90100: username parameter is empty or not valid."),
            Row(.refusal(.signInInitiate, "invalid_client", suberror: "nativeauthapi_disabled"), is: "general"),
            Row(.refusal(.signInInitiate, "unauthorized_client", status: 401), is: "general"),
            Row(.refusal(.signInInitiate, "unsupported_challenge_type"), is: "general"),
            Row(.refusal(.signInInitiate, "brand_new"), is: "general"),
            Row(Stub(.signInInitiate, 200, "{}"), is: "unexpectedReply", message: unexpected),
            Row(.initiated, Stub(.signInChallenge, 200, redirect), is: "browserRequired", message: "Use the web"),
            Row(
                .initiated, Stub(.signInChallenge, 200, #"{"continuation_token":"T2"}"#), is: "general",
                message: "Unexpected challenge type"),
            Row(
                .initiated, Stub(.signInChallenge, 200, #"{"challenge_type":"password"}"#), is: "unexpectedReply",
                message: unexpected),
            Row(
                .initiated, .refusal(.signInChallenge, "access_denied", suberror: "provider_blocked_by_rep"),
                is: "authMethodBlocked"),
            Row(
                .initiated, .refusal(.signInChallenge, "access_denied", suberror: "provider_blocked_by_admin"),
                is: "general"),
            Row(.initiated, .refusal(.signInChallenge, "invalid_grant"), is: "general"),
            Row(.initiated, .refusal(.signInChallenge, "expired_token", codes: [552003]), is: "expired"),
        ]
        + Stub.incompleteCodes(.signInChallenge).map { Row(.initiated, $0, is: "unexpectedReply", message: unexpected) }
        + Stub.garbage(.signInInitiate).map { Row($0, is: "unexpectedReply", message: unexpected) }
        + Stub.garbage(.signInChallenge).map { Row(.initiated, $0, is: "unexpectedReply", message: unexpected) }

    @Test("Start: every row of the table", arguments: startRows)
    func start(_ row: Row) async throws {
        try await withClient(row.answers) { client, _ in
            row.check(
                try await error { () throws(NativeAuthError) in
                    try await client.startSignIn(username: user, password: "secret")
                })
            #expect(client.currentAccount() == nil)
        }
    }

    /// An answer of the token endpoint, and the resulting error at the start, at the password and at the code.
    struct TokenRow: Sendable, CustomTestStringConvertible {
        let answers: [Stub]
        let kinds: (start: String, password: String, code: String)
        var message: String?
        /// Whether the step stays usable.
        var canRetry = true
        var testDescription: String { "\(answers.map { "\($0.status) \($0.json.prefix(60))" }) is \(kinds)" }

        init(_ answers: Stub..., is kind: String, message: String? = "Server text", canRetry: Bool = true) {
            self.init(answers, (kind, kind, kind), message: message, canRetry: canRetry)
        }

        init(
            _ answers: [Stub], _ kinds: (String, String, String), message: String? = "Server text",
            canRetry: Bool = true
        ) {
            self.answers = answers
            self.kinds = kinds
            self.message = message
            self.canRetry = canRetry
        }
    }

    static let tokenRows: [TokenRow] =
        [
            TokenRow(Stub(.token, 200, redirect), is: "browserRequired", message: "Use the web"),
            TokenRow([.wrongPassword], ("invalidCredentials", "invalidPassword", "general")),
            TokenRow([.wrongCode], ("general", "general", "incorrectCode")),
            TokenRow(.refusal(.token, "invalid_grant", codes: [50034]), is: "userNotFound"),
            TokenRow(.refusal(.token, "user_not_found", codes: [50034]), is: "userNotFound"),
            TokenRow(.refusal(.token, "invalid_grant", codes: [1, 50126]), is: "general"),
            TokenRow(.refusal(.token, "invalid_request", codes: [50126]), is: "general"),
            TokenRow(.refusal(.token, "invalid_grant", codes: [50053]), is: "general"),
            TokenRow(.refusal(.token, "invalid_grant", codes: [400002]), is: "general"),
            TokenRow(.refusal(.token, "invalid_grant", codes: [65001]), is: "invalidScope"),
            TokenRow(.refusal(.token, "invalid_grant", codes: []), is: "general"),
            TokenRow(.refusal(.token, "invalid_grant", suberror: "brand_new"), is: "general"),
            TokenRow(.refusal(.token, "invalid_request", codes: [50142]), is: "general"),
            TokenRow(.refusal(.token, "invalid_client", suberror: "nativeauthapi_disabled"), is: "general"),
            TokenRow(.refusal(.token, "unauthorized_client"), is: "general"),
            TokenRow(.refusal(.token, "expired_token", codes: [552003]), is: "expired"),
            TokenRow(.refusal(.token, "unsupported_challenge_type"), is: "general"),
            TokenRow(.refusal(.token, "invalid_scope", codes: [70011]), is: "invalidScope"),
            TokenRow(.refusal(.token, "authorization_pending"), is: "general"),
            TokenRow(.refusal(.token, "slow_down"), is: "general"),
            TokenRow(.refusal(.token, "expired_refresh_token"), is: "general"),
            TokenRow(.refusal(.token, "brand_new"), is: "general"),
            TokenRow(
                .refusal(.token, "invalid_grant", suberror: "mfa_required"), is: "unexpectedReply", message: unexpected),
            TokenRow(
                .refusal(.token, "invalid_grant", suberror: "registration_required"), is: "unexpectedReply",
                message: unexpected),
            TokenRow(Stub(.token, 200, "{}"), is: "unexpectedReply", message: unexpected),
            TokenRow(Stub(.token, 200, #"{"access_token":"a"}"#), is: "unexpectedReply", message: unexpected),
            // The introspection that follows automatically: the step before it is over.
            TokenRow(
                .mfaRequired, Stub(.signInIntrospect, 200, redirect), is: "browserRequired", message: "Use the web",
                canRetry: false),
            TokenRow(.mfaRequired, .refusal(.signInIntrospect, "invalid_request"), is: "general", canRetry: false),
            TokenRow(
                .mfaRequired, Stub(.signInIntrospect, 200, #"{"continuation_token":"T4","methods":[]}"#),
                is: "unexpectedReply", message: unexpected, canRetry: false),
            TokenRow(
                .registrationRequired, Stub(.registerIntrospect, 200, redirect), is: "browserRequired",
                message: "Use the web", canRetry: false),
            TokenRow(
                .registrationRequired, .refusal(.registerIntrospect, "expired_token"), is: "expired", canRetry: false),
            TokenRow(
                .registrationRequired, Stub(.registerIntrospect, 200, #"{"continuation_token":"T4"}"#),
                is: "unexpectedReply", message: unexpected, canRetry: false),
        ] + Stub.garbage(.token).map { TokenRow($0, is: "unexpectedReply", message: unexpected) }

    @Test("Token: every row of the table, at every step", arguments: tokenRows)
    func token(_ row: TokenRow) async throws {
        try await withClient([.initiated, .password("T2")] + row.answers) { client, _ in
            let found = try await error { () throws(NativeAuthError) in
                try await client.startSignIn(username: user, password: "secret")
            }
            #expect(kind(found) == row.kinds.start && found.details.message == row.message)
            #expect(client.currentAccount() == nil)
        }
        try await withClient([.initiated, .password("T2")] + row.answers) { client, _ in
            guard case .passwordRequired(let state) = try await client.startSignIn(username: user) else { return }
            let found = try await error { () throws(NativeAuthError) in try await state.submit(password: "secret") }
            #expect(kind(found) == row.kinds.password && found.details.message == row.message)
            #expect(found.details.canRetry == row.canRetry)
        }
        try await withClient([.initiated, .code(.signInChallenge, "T2")] + row.answers) { client, _ in
            guard case .codeRequired(let state) = try await client.startSignIn(username: user) else { return }
            let found = try await error { () throws(NativeAuthError) in try await state.submit(code: "1") }
            #expect(kind(found) == row.kinds.code && found.details.message == row.message)
            #expect(found.details.canRetry == row.canRetry)
        }
    }

    static let resendRows: [Row] =
        [
            Row(Stub(.signInChallenge, 200, redirect), is: "browserRequired", canRetry: true, message: "Use the web"),
            Row(.password("T3"), is: "general", message: "Unexpected challenge type"),
            Row(.refusal(.signInChallenge, "invalid_request", codes: [701014]), is: "throttled", canRetry: true),
            Row(.refusal(.signInChallenge, "expired_token"), is: "expired", canRetry: true),
            Row(
                .refusal(.signInChallenge, "access_denied", suberror: "provider_blocked_by_rep"),
                is: "authMethodBlocked", canRetry: true),
            Row(.refusal(.signInChallenge, "brand_new"), is: "general", canRetry: true),
        ]
        + (Stub.garbage(.signInChallenge) + Stub.incompleteCodes(.signInChallenge)).map {
            Row($0, is: "unexpectedReply", canRetry: true, message: unexpected)
        }

    @Test("Resend: every row of the table", arguments: resendRows)
    func resend(_ row: Row) async throws {
        try await withClient([.initiated, .code(.signInChallenge, "T2")] + row.answers) { client, transport in
            guard case .codeRequired(let state) = try await client.startSignIn(username: user) else { return }
            row.check(try await error { () throws(NativeAuthError) in try await state.resend() })
            #expect(try transport.form(2)["continuation_token"] == "T2")
        }
    }

    @Test func detailsCarryWhatTheServerSaid() async throws {
        let refusal = Stub.refusal(
            .token, "invalid_grant", suberror: "brand_new", codes: [50126, 1], more: #","error_uri":"https://e.test/1""#
        )
        try await withClient([.initiated, .password("T2"), refusal]) { client, _ in
            let error = try await error { () throws(NativeAuthError) in
                try await client.startSignIn(username: user, password: "a")
            }
            #expect(kind(error) == "invalidCredentials")
            #expect(
                error.details
                    == .init(
                        correlationID: correlation, errorCodes: [50126, 1], message: "Server text",
                        errorURI: "https://e.test/1", error: "invalid_grant", suberror: "brand_new"))
        }
    }

    // MARK: docs/sdk-surface.md §5

    @Test func emptyInputIsRefusedWithoutARequest() async throws {
        try await withClient([.initiated, .password("T2"), .initiated, .code(.signInChallenge, "T2")]) {
            client, transport in
            let name = try await error { () throws(NativeAuthError) in
                try await client.startSignIn(username: "", password: "")
            }
            #expect(kind(name) == "invalidUsername")
            let password = try await error { () throws(NativeAuthError) in
                try await client.startSignIn(username: user, password: "")
            }
            #expect(kind(password) == "invalidCredentials")
            #expect(transport.requests.isEmpty)

            guard case .passwordRequired(let first) = try await client.startSignIn(username: user),
                case .codeRequired(let second) = try await client.startSignIn(username: user)
            else {
                Issue.record("Other steps.")
                return
            }
            let later = try await error { () throws(NativeAuthError) in try await first.submit(password: "") }
            #expect(kind(later) == "invalidPassword" && later.details.canRetry)
            let code = try await error { () throws(NativeAuthError) in try await second.submit(code: "") }
            #expect(kind(code) == "incorrectCode" && code.details.canRetry)
            #expect(transport.requests.count == 4)
        }
    }

    @Test func anotherStepThanTheLastFailsATestThatWantsTheAccount() async {
        await withKnownIssue {
            try await withClient([.initiated, .password("T2")]) { client, _ in
                _ = try signedIn(await client.startSignIn(username: user))
            }
        }
    }
}
