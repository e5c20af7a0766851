import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Testing

private let user = "dahlia@example.com"

extension Stub {
    /// An e-mail address and a number to choose from.
    static func methods(_ endpoint: V1Endpoint, _ token: String = "T4") -> Stub {
        Stub(
            endpoint, 200,
            """
            {"continuation_token":"\(token)","methods":[
            {"id":"M1","challenge_type":"oob","challenge_channel":"email","login_hint":"d***a@e***e.com"},
            {"id":"M2","challenge_type":"brand_new","challenge_channel":"pigeon"}]}
            """)
    }
}

/// Reaches the choice of a second factor, after four requests.
func withMFA(
    _ script: [Stub],
    _ body: (MFAState, NativeAuthClient, ScriptedTransport) async throws -> Void
) async throws {
    try await withClient([.initiated, .password("T2"), .mfaRequired, .methods(.signInIntrospect)] + script) {
        client, transport in
        let step = try await client.startSignIn(
            username: user, password: "secret", scopes: ["Orders.Read"], claims: SignInTests.claims)
        guard case .next(.mfaRequired(let state)) = step else {
            Issue.record("No second factor wanted: \(step)")
            return
        }
        try await body(state, client, transport)
    }
}

@Suite("Second factor")
struct MFATests {
    @Test func theCodeOfTheSecondFactorBringsTheTokensThatWereAskedFor() async throws {
        try await withMFA([.code(.signInChallenge, "T5"), .tokens()]) { state, client, transport in
            #expect(state.correlationID == correlation)
            #expect(state.methods.map(\.id) == ["M1", "M2"])
            #expect(state.methods.map(\.challengeType) == ["oob", "brand_new"])
            #expect(state.methods.map(\.channel) == ["email", "pigeon"])
            #expect(state.methods.map(\.loginHint) == ["d***a@e***e.com", nil])
            #expect(client.currentAccount() == nil)

            let code = try await state.requestChallenge(state.methods[0])
            #expect(code.code.sentTo == "d***a@e***e.com" && code.code.channel == "email" && code.code.length == 8)
            #expect(
                code.code.resendInterval == 300 && code.choice.correlationID == correlation
                    && code.choice.methods == state.methods)
            #expect(try await code.submit(code: "12345678").homeAccountID == "UID.UTID")
            #expect(client.currentAccount()?.username == user)

            #expect(try transport.form(3) == ["client_id": clientID, "continuation_token": "T3"])
            #expect(
                try transport.form(4) == [
                    "client_id": clientID, "continuation_token": "T4", "challenge_type": challengeTypeWords, "id": "M1",
                ])
            #expect(
                try transport.form(5) == [
                    "client_id": clientID, "grant_type": "mfa_oob", "continuation_token": "T5", "oob": "12345678",
                    "scope": SignInTests.scopes, "client_info": "true", "claims": SignInTests.claims,
                ])
        }
    }

    @Test func aMethodMayBeChosenAgainFromEitherStepAndEveryCodeBelongsToItsStep() async throws {
        let script: [Stub] = [
            .code(.signInChallenge, "T5"), .code(.signInChallenge, "T6", channel: "sms"),
            .code(.signInChallenge, "T7"), .wrongCode, .tokens(),
        ]
        try await withMFA(script) { state, _, transport in
            let first = try await state.requestChallenge(state.methods[0])
            let second = try await state.requestChallenge(state.methods[1])
            #expect(second.code.channel == "sms")
            _ = try await first.choice.requestChallenge(state.methods[0])
            let wrong = try await error { () throws(NativeAuthError) in try await second.submit(code: "1") }
            #expect(kind(wrong) == "incorrectCode" && wrong.details.canRetry)
            _ = try await first.submit(code: "2")
            #expect(
                try (4..<9).map { try transport.form($0)["continuation_token"] } == ["T4", "T4", "T5", "T6", "T5"])
            #expect(try (4..<7).map { try transport.form($0)["id"] } == ["M1", "M2", "M1"])
        }
    }

    @Test("docs/sdk-surface.md §12.3: a second factor may follow a sign-up")
    func afterSignUp() async throws {
        let script: [Stub] = [
            .started, .codeSent("T2"), .created(), .mfaRequired, .methods(.signInIntrospect),
            .code(.signInChallenge, "T5"), .tokens(),
        ]
        try await withClient(script) { client, transport in
            let code = try await client.startSignUp(username: user)
            guard case .completed(let completed) = try await code.submit(code: "1"),
                case .mfaRequired(let state) = try await completed.signIn(
                    scopes: ["Orders.Read"], claims: SignInTests.claims)
            else {
                Issue.record("Other steps.")
                return
            }
            _ = try await state.requestChallenge(state.methods[0]).submit(code: "2")
            #expect(try transport.form(6)["scope"] == SignInTests.scopes)
            #expect(try transport.form(6)["claims"] == SignInTests.claims)
        }
    }

    // MARK: docs/sdk-surface.md §3.6

    static let challengeRows: [Row] =
        [
            Row(
                Stub(.signInChallenge, 200, SignUpTests.redirect), is: "browserRequired", canRetry: true,
                message: "Use the web"),
            Row(
                .refusal(.signInChallenge, "access_denied", suberror: "provider_blocked_by_rep", codes: [550024]),
                is: "authMethodBlocked", canRetry: true),
            Row(
                .refusal(.signInChallenge, "access_denied", suberror: "provider_blocked_by_admin"), is: "general",
                canRetry: true),
            Row(.refusal(.signInChallenge, "access_denied"), is: "general", canRetry: true),
            Row(
                .refusal(.signInChallenge, "invalid_request", suberror: "introspect_required"), is: "general",
                canRetry: true),
            Row(.refusal(.signInChallenge, "invalid_grant"), is: "general", canRetry: true),
            Row(.refusal(.signInChallenge, "expired_token", codes: [552003]), is: "expired", canRetry: true),
            Row(.refusal(.signInChallenge, "brand_new"), is: "general", canRetry: true),
            Row(.password("T5"), is: "general", message: "Unexpected challenge type"),
            Row(
                Stub(.signInChallenge, 200, #"{"continuation_token":"T5"}"#), is: "general",
                message: "Unexpected challenge type"),
        ]
        + (Stub.garbage(.signInChallenge) + Stub.incompleteCodes(.signInChallenge)).map {
            Row($0, is: "unexpectedReply", canRetry: true, message: SignUpTests.unexpected)
        }

    @Test("Request for a challenge: every row of the table", arguments: challengeRows)
    func challenge(_ row: Row) async throws {
        try await withMFA(row.answers) { state, _, _ in
            row.check(
                try await error { () throws(NativeAuthError) in try await state.requestChallenge(state.methods[0]) })
        }
        try await withMFA([.code(.signInChallenge, "T5")] + row.answers) { state, _, _ in
            let code = try await state.requestChallenge(state.methods[0])
            row.check(
                try await error { () throws(NativeAuthError) in try await code.choice.requestChallenge(state.methods[0])
                })
        }
    }

    static let submitRows: [Row] =
        [
            Row(.wrongCode, is: "incorrectCode", canRetry: true),
            Row(Stub(.token, 200, SignUpTests.redirect), is: "browserRequired", canRetry: true, message: "Use the web"),
            Row(.wrongPassword, is: "general", canRetry: true),
            Row(.refusal(.token, "invalid_grant"), is: "general", canRetry: true),
            Row(.refusal(.token, "invalid_grant", codes: [50034]), is: "userNotFound", canRetry: true),
            Row(.refusal(.token, "invalid_scope", codes: [70011]), is: "invalidScope", canRetry: true),
            Row(.refusal(.token, "expired_token", codes: [552003]), is: "expired", canRetry: true),
            Row(.refusal(.token, "brand_new"), is: "general", canRetry: true),
            Row(.mfaRequired, is: "mfaRequired"),
            Row(.registrationRequired, is: "registrationRequired"),
        ] + Stub.garbage(.token).map { Row($0, is: "unexpectedReply", canRetry: true, message: SignUpTests.unexpected) }

    @Test("Submission: every row of the table", arguments: submitRows)
    func submit(_ row: Row) async throws {
        try await withMFA([.code(.signInChallenge, "T5")] + row.answers) { state, client, _ in
            let code = try await state.requestChallenge(state.methods[0])
            row.check(try await error { () throws(NativeAuthError) in try await code.submit(code: "1") })
            #expect(client.currentAccount() == nil)
        }
    }

    @Test func anEmptyCodeIsRefusedWithoutARequest() async throws {
        try await withMFA([.code(.signInChallenge, "T5")]) { state, _, transport in
            let code = try await state.requestChallenge(state.methods[0])
            let refused = try await error { () throws(NativeAuthError) in try await code.submit(code: "") }
            #expect(kind(refused) == "incorrectCode" && refused.details.canRetry)
            #expect(transport.requests.count == 5)
        }
    }
}
