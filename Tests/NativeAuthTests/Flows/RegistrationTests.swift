import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Testing

private let user = "dahlia@example.com"

extension Stub {
    static func contactCode(_ token: String) -> Stub {
        Stub(
            .registerChallenge, 200,
            """
            {"challenge_type":"oob","continuation_token":"\(token)","challenge_channel":"email",
            "challenge_target":"dana@example.com","code_length":6,"binding_method":"prompt"}
            """)
    }

    static let preverified = Stub(
        .registerChallenge, 200, #"{"challenge_type":"preverified","continuation_token":"T5"}"#)
    static let registered = Stub(.registerContinue, 200, #"{"continuation_token":"T6"}"#)
    static let wrongContactCode = refusal(
        .registerContinue, "invalid_grant", suberror: "invalid_oob_value", codes: [50181])
}

/// Reaches the choice of a method, after four requests.
func withRegistration(
    _ script: [Stub],
    _ body: (RegistrationState, NativeAuthClient, ScriptedTransport) async throws -> Void
) async throws {
    let reach: [Stub] = [.initiated, .password("T2"), .registrationRequired, .methods(.registerIntrospect)]
    try await withClient(reach + script) { client, transport in
        let step = try await client.startSignIn(
            username: user, password: "secret", scopes: ["Orders.Read"], claims: SignInTests.claims)
        guard case .next(.registrationRequired(let state)) = step else {
            Issue.record("No registration wanted: \(step)")
            return
        }
        try await body(state, client, transport)
    }
}

extension RegistrationState {
    /// Sends a code to the first method.
    func code() async throws -> RegistrationCodeState {
        guard case .codeRequired(let code) = try await requestChallenge(methods[0], contact: "dana@example.com") else {
            throw ScriptedTransport.Unscripted()
        }
        return code
    }
}

@Suite("Registration of a strong method")
struct RegistrationTests {
    static let tokenForm = [
        "client_id": clientID, "grant_type": "continuation_token", "continuation_token": "T6",
        "scope": SignInTests.scopes, "client_info": "true", "claims": SignInTests.claims,
        "challenge_type": challengeTypeWords,
    ]

    @Test(
        "docs/sdk-surface.md §12.3: a registered contact brings the tokens, with the scopes and claims of the sign-in")
    func aContactIsRegistered() async throws {
        try await withRegistration([.contactCode("T5"), .registered, .tokens()]) { state, client, transport in
            #expect(state.methods.map(\.id) == ["M1", "M2"] && state.correlationID == correlation)
            let code = try await state.code()
            #expect(code.code.sentTo == "dana@example.com" && code.code.channel == "email" && code.code.length == 6)
            #expect(code.choice.methods == state.methods && code.choice.correlationID == correlation)
            #expect(try await code.submit(code: "123456").homeAccountID == "UID.UTID")
            #expect(client.currentAccount()?.username == user)

            #expect(try transport.form(3) == ["client_id": clientID, "continuation_token": "T3"])
            #expect(
                try transport.form(4) == [
                    "client_id": clientID, "continuation_token": "T4", "challenge_type": "oob",
                    "challenge_target": "dana@example.com", "challenge_channel": "email",
                ])
            #expect(
                try transport.form(5) == [
                    "client_id": clientID, "continuation_token": "T5", "grant_type": "oob", "oob": "123456",
                ])
            #expect(try transport.form(6) == Self.tokenForm)
        }
    }

    @Test func aContactVerifiedBeforeNeedsNoCode() async throws {
        try await withRegistration([.preverified, .registered, .tokens()]) { state, client, transport in
            guard case .completed(let account) = try await state.requestChallenge(state.methods[0], contact: user)
            else {
                Issue.record("A code is wanted.")
                return
            }
            #expect(account.homeAccountID == client.currentAccount()?.homeAccountID)
            #expect(
                try transport.form(5) == [
                    "client_id": clientID, "continuation_token": "T5", "grant_type": "continuation_token",
                ])
            #expect(try transport.form(6) == Self.tokenForm)
        }
    }

    @Test func anotherContactMayBeChosenFromEitherStep() async throws {
        let script: [Stub] = [
            .contactCode("T5"), .contactCode("T6"), .contactCode("T7"), .wrongContactCode, .registered, .tokens(),
        ]
        try await withRegistration(script) { state, _, transport in
            let first = try await state.code()
            _ = try await first.choice.requestChallenge(state.methods[1], contact: "+4512345678")
            _ = try await state.requestChallenge(state.methods[0], contact: "other@example.com")
            let wrong = try await error { () throws(NativeAuthError) in try await first.submit(code: "1") }
            #expect(kind(wrong) == "incorrectCode" && wrong.details.canRetry)
            _ = try await first.submit(code: "2")
            #expect(
                try (4..<9).map { try transport.form($0)["continuation_token"] } == ["T4", "T5", "T4", "T5", "T5"])
            #expect(try transport.form(5)["challenge_type"] == "brand_new")
            #expect(try transport.form(5)["challenge_target"] == "+4512345678")
            #expect(try transport.form(5)["challenge_channel"] == "pigeon")
        }
    }

    // MARK: docs/sdk-surface.md §3.7

    static let challengeRows: [Row] =
        [
            Row(Stub(.registerChallenge, 200, SignUpTests.redirect), is: "browserRequired", message: "Use the web"),
            Row(
                .refusal(.registerChallenge, "access_denied", suberror: "provider_blocked_by_rep", codes: [550024]),
                is: "verificationContactBlocked", canRetry: true),
            Row(
                .refusal(.registerChallenge, "access_denied", suberror: "provider_blocked_by_admin"), is: "general",
                canRetry: true),
            Row(
                .refusal(.registerChallenge, "invalid_request", codes: [901001]), is: "invalidInput", canRetry: true),
            Row(
                .refusal(.registerChallenge, "invalid_request", codes: [1, 901001]), is: "invalidInput", canRetry: true),
            Row(.refusal(.registerChallenge, "invalid_grant", codes: [901001]), is: "general", canRetry: true),
            Row(.refusal(.registerChallenge, "invalid_request"), is: "general", canRetry: true),
            Row(.refusal(.registerChallenge, "expired_token"), is: "expired", canRetry: true),
            Row(
                Stub(.registerChallenge, 200, #"{"challenge_type":"oob","continuation_token":"T5"}"#),
                is: "unexpectedReply", canRetry: true, message: SignUpTests.unexpected),
            Row(
                .password("T5", .registerChallenge), is: "general", canRetry: true, message: "Unexpected challenge type"
            ),
            Row(
                Stub(.registerChallenge, 200, #"{"continuation_token":"T5"}"#), is: "unexpectedReply", canRetry: true,
                message: SignUpTests.unexpected),
            // The way of a contact that was verified before.
            Row(
                Stub(.registerChallenge, 200, #"{"challenge_type":"preverified"}"#), is: "unexpectedReply",
                message: SignUpTests.unexpected),
            Row(
                .preverified, Stub(.registerContinue, 200, SignUpTests.redirect), is: "browserRequired",
                message: "Use the web"),
            Row(.preverified, .refusal(.registerContinue, "invalid_request"), is: "general"),
            Row(.preverified, .wrongContactCode, is: "general"),
            Row(
                .preverified, .registered, Stub(.token, 200, SignUpTests.redirect), is: "browserRequired",
                message: "Use the web"),
            Row(.preverified, .registered, .refusal(.token, "invalid_grant"), is: "general"),
            Row(.preverified, .registered, .mfaRequired, is: "mfaRequired"),
        ]
        + Stub.garbage(.registerChallenge).map {
            Row($0, is: "unexpectedReply", canRetry: true, message: SignUpTests.unexpected)
        }

    @Test("Request for a challenge: every row of the table", arguments: challengeRows)
    func challenge(_ row: Row) async throws {
        try await withRegistration(row.answers) { state, _, _ in
            row.check(
                try await error { () throws(NativeAuthError) in
                    try await state.requestChallenge(state.methods[0], contact: user)
                })
        }
        try await withRegistration([.contactCode("T5")] + row.answers) { state, _, _ in
            let code = try await state.code()
            row.check(
                try await error { () throws(NativeAuthError) in
                    try await code.choice.requestChallenge(state.methods[0], contact: user)
                })
        }
    }

    static let submitRows: [Row] =
        [
            Row(.wrongContactCode, is: "incorrectCode", canRetry: true),
            Row(Stub(.registerContinue, 200, SignUpTests.redirect), is: "browserRequired", message: "Use the web"),
            Row(.refusal(.registerContinue, "invalid_grant"), is: "general", canRetry: true),
            Row(.refusal(.registerContinue, "invalid_request"), is: "general", canRetry: true),
            Row(.refusal(.registerContinue, "expired_token", codes: [552003]), is: "expired", canRetry: true),
            Row(.refusal(.registerContinue, "brand_new"), is: "general", canRetry: true),
            Row(
                Stub(.registerContinue, 200, "{}"), is: "unexpectedReply", canRetry: true,
                message: SignUpTests.unexpected),
            Row(.registered, Stub(.token, 200, SignUpTests.redirect), is: "browserRequired", message: "Use the web"),
            Row(.registered, .refusal(.token, "invalid_grant"), is: "general"),
            Row(.registered, .wrongPassword, is: "general"),
            Row(.registered, .wrongCode, is: "general"),
            Row(.registered, .refusal(.token, "expired_token"), is: "expired"),
            Row(.registered, .mfaRequired, is: "mfaRequired"),
            Row(.registered, .registrationRequired, is: "registrationRequired"),
            Row(.registered, Stub(.token, 200, "{}"), is: "unexpectedReply", message: SignUpTests.unexpected),
        ]
        + Stub.garbage(.registerContinue).map {
            Row($0, is: "unexpectedReply", canRetry: true, message: SignUpTests.unexpected)
        }

    @Test("Submission: every row of the table", arguments: submitRows)
    func submit(_ row: Row) async throws {
        try await withRegistration([.contactCode("T5")] + row.answers) { state, client, _ in
            let code = try await state.code()
            row.check(try await error { () throws(NativeAuthError) in try await code.submit(code: "1") })
            #expect(client.currentAccount() == nil)
        }
    }

    @Test func emptyInputIsRefusedWithoutARequest() async throws {
        try await withRegistration([.contactCode("T5")]) { state, _, transport in
            let contact = try await error { () throws(NativeAuthError) in
                try await state.requestChallenge(state.methods[0], contact: "")
            }
            #expect(kind(contact) == "invalidInput" && contact.details.canRetry)
            let code = try await state.code()
            let empty = try await error { () throws(NativeAuthError) in try await code.submit(code: "") }
            #expect(kind(empty) == "incorrectCode" && empty.details.canRetry)
            #expect(transport.requests.count == 5)
        }
    }
}
