import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

private let user = "dahlia@example.com"

extension Stub {
    static let resetStarted = Stub(.resetPasswordStart, 200, #"{"continuation_token":"T1"}"#)
    static let resetCode = code(.resetPasswordChallenge, "T2")
    static let resetContinued = Stub(.resetPasswordContinue, 200, #"{"continuation_token":"T3","expires_in":600}"#)
    static let resetWrongCode = refusal(
        .resetPasswordContinue, "invalid_grant", suberror: "invalid_oob_value", codes: [50181])

    static func resetSubmitted(_ token: String = "T4", interval: Int = 2) -> Stub {
        Stub(.resetPasswordSubmit, 200, #"{"continuation_token":"\#(token)","poll_interval":\#(interval)}"#)
    }

    static func poll(_ status: String, token: String? = nil) -> Stub {
        let token = token.map { #","continuation_token":"\#($0)""# } ?? ""
        return Stub(.resetPasswordPollCompletion, 200, #"{"status":"\#(status)"\#(token)}"#)
    }

    static let done = poll("succeeded", token: "T5")
}

/// Does not wait, and records the requested waits.
final class Sleeps: Sendable {
    private let durations = Mutex<[Duration]>([])
    var all: [Duration] { durations.withLock(\.self) }

    func sleep(_ duration: Duration) {
        durations.withLock { $0.append(duration) }
    }
}

/// Runs `body` with a client that never waits.
private func withSleeps(
    _ script: [Stub], _ body: (NativeAuthClient, ScriptedTransport, Sleeps) async throws -> Void
) async throws {
    let sleeps = Sleeps()
    try await withClient(script) {
        $0.sleep = { sleeps.sleep($0) }
    } _: { client, transport in
        try await body(client, transport, sleeps)
    }
}

/// Reaches the choice of a new password, after three requests.
private func withNewPassword(
    _ script: [Stub], _ body: (NewPasswordState, ScriptedTransport, Sleeps) async throws -> Void
) async throws {
    try await withSleeps([.resetStarted, .resetCode, .resetContinued] + script) { client, transport, sleeps in
        let code = try await client.startResetPassword(username: user)
        try await body(try await code.submit(code: "1"), transport, sleeps)
    }
}

@Suite("Password reset")
struct ResetPasswordTests {
    @Test func aNewPasswordIsSetAndTheUserSignedIn() async throws {
        let script: [Stub] = [.resetStarted, .resetCode, .resetContinued, .resetSubmitted(), .done, .tokens()]
        try await withClient(script) {
            $0.capabilities = [.mfaRequired]
        } _: { client, transport in
            let code = try await client.startResetPassword(username: user)
            #expect(code.code.sentTo == "d***a@e***e.com" && code.code.channel == "email" && code.code.length == 8)
            #expect(code.code.resendInterval == 300 && code.correlationID == correlation)
            let password = try await code.submit(code: "12345678")
            #expect(password.expiresIn == 600 && password.correlationID == correlation)
            let completed = try await password.submit(password: " Tr&b+9 ")
            #expect(completed.username == user && completed.isSignInAvailable && completed.correlationID == correlation)
            let account = try signedIn(
                await completed.signIn(scopes: ["Orders.Read"], claims: SignInTests.claims))
            #expect(account.homeAccountID == "UID.UTID")

            #expect(
                try transport.form(0) == [
                    "client_id": clientID, "username": user, "challenge_type": challengeTypeWords,
                    "capabilities": "mfa_required",
                ])
            #expect(
                try transport.form(1) == [
                    "client_id": clientID, "continuation_token": "T1", "challenge_type": challengeTypeWords,
                ])
            #expect(
                try transport.form(2) == [
                    "client_id": clientID, "continuation_token": "T2", "grant_type": "oob", "oob": "12345678",
                ])
            #expect(
                try transport.form(3) == [
                    "client_id": clientID, "continuation_token": "T3", "new_password": " Tr&b+9 ",
                ])
            #expect(try transport.form(4) == ["client_id": clientID, "continuation_token": "T4"])
            #expect(
                try transport.form(5) == [
                    "client_id": clientID, "grant_type": "continuation_token", "continuation_token": "T5",
                    "scope": SignInTests.scopes, "username": user, "challenge_type": challengeTypeWords,
                    "client_info": "true",
                    "claims": SignInTests.claims,
                ])
        }
    }

    @Test func aRefusedResendLeavesTheStepUsable() async throws {
        let script: [Stub] = [
            .resetStarted, .resetCode, .refusal(.resetPasswordChallenge, "invalid_request", codes: [701014]),
            .code(.resetPasswordChallenge, "T2b"), .resetWrongCode, .resetContinued, .resetContinued,
        ]
        try await withClient(script) { client, transport in
            let first = try await client.startResetPassword(username: user)
            _ = try await error { () throws(NativeAuthError) in try await first.resend() }
            let second = try await first.resend()
            let wrong = try await error { () throws(NativeAuthError) in try await second.submit(code: "1") }
            #expect(kind(wrong) == "incorrectCode" && wrong.details.canRetry)
            _ = try await second.submit(code: "2")
            _ = try await first.submit(code: "2")
            #expect(
                try (2..<7).map { try transport.form($0)["continuation_token"] } == ["T2", "T2", "T2b", "T2b", "T2"])
        }
    }

    @Test func withoutATokenTheSignInAfterwardsSendsNothing() async throws {
        try await withNewPassword([.resetSubmitted(), .poll("succeeded")]) { state, transport, _ in
            let completed = try await state.submit(password: "b")
            #expect(!completed.isSignInAvailable)
            let refused = try await error { () throws(NativeAuthError) in try await completed.signIn() }
            #expect(kind(refused) == "notAvailable")
            #expect(transport.requests.count == 5)
        }
    }

    @Test("docs/sdk-surface.md §12.3: a second factor and a registration may follow a reset")
    func moreMayFollow() async throws {
        let script: [Stub] = [
            .resetSubmitted(), .done, .mfaRequired, .methods(.signInIntrospect), .resetStarted, .resetCode,
            .resetContinued, .resetSubmitted(), .done, .registrationRequired, .methods(.registerIntrospect),
        ]
        try await withSleeps([.resetStarted, .resetCode, .resetContinued] + script) { client, _, _ in
            for expected in ["mfaRequired", "registrationRequired"] {
                let code = try await client.startResetPassword(username: user)
                let completed = try await code.submit(code: "1").submit(password: "b")
                let step = try await completed.signIn()
                #expect(Mirror(reflecting: step).children.first?.label == expected)
            }
        }
    }

    // MARK: Polling

    @Test(
        "The first poll is sent at once, the others at the interval of the server, 1 to 15 s",
        arguments: [(2, 2), (0, 1), (-7, 1), (15, 15), (3600, 15), (Int.max, 15)])
    func interval(_ interval: Int, _ expected: Int) async throws {
        let script: [Stub] = [
            .resetSubmitted(interval: interval), .poll("not_started"), .poll("in_progress"), .done,
        ]
        try await withNewPassword(script) { state, transport, sleeps in
            _ = try await state.submit(password: "b")
            #expect(sleeps.all == [.seconds(expected), .seconds(expected)])
            #expect(try (4..<7).map { try transport.form($0)["continuation_token"] } == ["T4", "T4", "T4"])
        }
    }

    @Test func theSixthPollIsTheLast() async throws {
        let polls = Array(repeating: Stub.poll("in_progress"), count: 6)
        try await withNewPassword([.resetSubmitted()] + polls) { state, transport, sleeps in
            let failure = try await error { () throws(NativeAuthError) in try await state.submit(password: "b") }
            #expect(kind(failure) == "indeterminate" && !failure.details.canRetry)
            #expect(transport.requests.count == 10)
            #expect(sleeps.all.count == 5)
        }
        try await withNewPassword([.resetSubmitted()] + polls.dropLast() + [.done]) { state, _, _ in
            _ = try await state.submit(password: "b")
        }
    }

    @Test(
        "SDK-RETRY-1: a poll without answer is repeated, three times at most, after 0.5 to 4 s",
        arguments: [
            Stub(.resetPasswordPollCompletion, failing: URLError(.networkConnectionLost)),
            Stub(.resetPasswordPollCompletion, failing: URLError(.cannotConnectToHost)),
        ])
    func repetition(_ broken: Stub) async throws {
        let script = [.resetSubmitted(), broken, broken, broken, .done]
        try await withNewPassword(script) { state, transport, sleeps in
            _ = try await state.submit(password: "b")
            #expect(sleeps.all.count == 3)
            #expect(sleeps.all.allSatisfy { (Duration.milliseconds(500)...Duration.seconds(4)).contains($0) })
            #expect(Set(transport.requests.dropFirst(4).map(\.body)).count == 1)
        }
        try await withNewPassword([.resetSubmitted(), broken, broken, broken, broken]) { state, _, _ in
            let failure = try await error { () throws(NativeAuthError) in try await state.submit(password: "b") }
            #expect(["network", "indeterminate"].contains(kind(failure)) && failure.details.canRetry)
        }
    }

    @Test("SDK-RETRY-1: no other request of a reset is repeated")
    func othersAreNotRepeated() async throws {
        let lost = { (endpoint: V1Endpoint) in Stub(endpoint, failing: URLError(.networkConnectionLost)) }
        for script in [
            [lost(.resetPasswordStart)], [.resetStarted, lost(.resetPasswordChallenge)],
            [.resetStarted, .resetCode, lost(.resetPasswordContinue)],
            [.resetStarted, .resetCode, .resetContinued, lost(.resetPasswordSubmit)],
        ] {
            try await withClient(script) { client, transport in
                let failure = try await error { () throws(NativeAuthError) in
                    try await client.startResetPassword(username: user).submit(code: "1").submit(password: "b")
                }
                #expect(kind(failure) == "indeterminate" && failure.details.canRetry)
                #expect(transport.requests.count == script.count)
            }
        }
    }

    @Test("SDK-CANCEL-1: cancelling ends the wait between polls")
    func cancellation() async throws {
        let script: [Stub] = [.resetStarted, .resetCode, .resetContinued, .resetSubmitted(), .poll("in_progress")]
        let (asleep, signal) = AsyncStream.makeStream(of: Void.self)
        try await withClient(script) {
            $0.sleep = { _ in
                signal.finish()
                try await Task.sleep(for: .seconds(3600))
            }
        } _: { client, transport in
            let state = try await client.startResetPassword(username: user).submit(code: "1")
            let task = Task { try await error { () throws(NativeAuthError) in try await state.submit(password: "b") } }
            for await _ in asleep {}
            task.cancel()
            #expect(try await kind(task.value) == "cancelled")
            #expect(transport.requests.count == 5)
        }
    }

    // MARK: docs/sdk-surface.md §3.8

    static let startRows: [Row] =
        [
            Row(Stub(.resetPasswordStart, 200, SignUpTests.redirect), is: "browserRequired", message: "Use the web"),
            Row(.refusal(.resetPasswordStart, "user_not_found", codes: [50034]), is: "userNotFound"),
            Row(.refusal(.resetPasswordStart, "invalid_request", codes: [500222]), is: "userDoesNotHavePassword"),
            Row(.refusal(.resetPasswordStart, "invalid_request", codes: [1, 500222]), is: "general"),
            Row(.refusal(.resetPasswordStart, "invalid_grant", codes: [500222]), is: "general"),
            Row(.refusal(.resetPasswordStart, "invalid_request", codes: [90100]), is: "general"),
            Row(.refusal(.resetPasswordStart, "unauthorized_client"), is: "general"),
            Row(.refusal(.resetPasswordStart, "unsupported_challenge_type"), is: "general"),
            Row(.refusal(.resetPasswordStart, "brand_new", codes: [7]), is: "general"),
            Row(
                Stub(.resetPasswordStart, 200, "{}"), is: "unexpectedReply", message: SignUpTests.unexpected),
            Row(
                .resetStarted, Stub(.resetPasswordChallenge, 200, SignUpTests.redirect), is: "browserRequired",
                message: "Use the web"),
            Row(
                .resetStarted, .password("T2", .resetPasswordChallenge), is: "general",
                message: "Unexpected challenge type"),
            Row(
                .resetStarted, Stub(.resetPasswordChallenge, 200, #"{"continuation_token":"T2"}"#), is: "general",
                message: "Unexpected challenge type"),
            Row(.resetStarted, .refusal(.resetPasswordChallenge, "invalid_request"), is: "general"),
            Row(.resetStarted, .refusal(.resetPasswordChallenge, "expired_token"), is: "expired"),
        ]
        + Stub.incompleteCodes(.resetPasswordChallenge).map {
            Row(.resetStarted, $0, is: "unexpectedReply", message: SignUpTests.unexpected)
        } + Stub.garbage(.resetPasswordStart).map { Row($0, is: "unexpectedReply", message: SignUpTests.unexpected) }

    @Test("Start: every row of the table", arguments: startRows)
    func start(_ row: Row) async throws {
        try await withClient(row.answers) { client, _ in
            let found = try await error { () throws(NativeAuthError) in
                try await client.startResetPassword(username: user)
            }
            row.check(found)
            if case .general = found, row.answers.count == 1 { #expect(!found.details.errorCodes.isEmpty) }
        }
    }

    static let resendRows: [Row] =
        [
            Row(
                Stub(.resetPasswordChallenge, 200, SignUpTests.redirect), is: "browserRequired", canRetry: true,
                message: "Use the web"),
            Row(
                .refusal(.resetPasswordChallenge, "invalid_request", codes: [701014]), is: "throttled", canRetry: true),
            Row(.refusal(.resetPasswordChallenge, "brand_new"), is: "general", canRetry: true),
            Row(.password("T3", .resetPasswordChallenge), is: "general", message: "Unexpected challenge type"),
        ]
        + (Stub.garbage(.resetPasswordChallenge) + Stub.incompleteCodes(.resetPasswordChallenge)).map {
            Row($0, is: "unexpectedReply", canRetry: true, message: SignUpTests.unexpected)
        }

    @Test("Resend: every row of the table", arguments: resendRows)
    func resend(_ row: Row) async throws {
        try await withClient([.resetStarted, .resetCode] + row.answers) { client, _ in
            let code = try await client.startResetPassword(username: user)
            row.check(try await error { () throws(NativeAuthError) in try await code.resend() })
        }
    }

    static let codeRows: [Row] =
        [
            Row(.resetWrongCode, is: "incorrectCode", canRetry: true),
            Row(
                Stub(.resetPasswordContinue, 200, SignUpTests.redirect), is: "browserRequired", message: "Use the web"),
            Row(.refusal(.resetPasswordContinue, "invalid_grant"), is: "general"),
            Row(.refusal(.resetPasswordContinue, "invalid_request", codes: [55200]), is: "general"),
            Row(.refusal(.resetPasswordContinue, "expired_token", codes: [552003]), is: "expired"),
            Row(.refusal(.resetPasswordContinue, "verification_required"), is: "general"),
            Row(.refusal(.resetPasswordContinue, "brand_new"), is: "general"),
            Row(Stub(.resetPasswordContinue, 200, "{}"), is: "unexpectedReply", message: SignUpTests.unexpected),
        ] + Stub.garbage(.resetPasswordContinue).map { Row($0, is: "unexpectedReply", message: SignUpTests.unexpected) }

    @Test("Code: every row of the table", arguments: codeRows)
    func code(_ row: Row) async throws {
        try await withClient([.resetStarted, .resetCode] + row.answers) { client, _ in
            let code = try await client.startResetPassword(username: user)
            row.check(try await error { () throws(NativeAuthError) in try await code.submit(code: "1") })
        }
    }

    static let passwordRows: [Row] =
        [
            Row(Stub(.resetPasswordSubmit, 200, SignUpTests.redirect), is: "browserRequired", message: "Use the web"),
            Row(.refusal(.resetPasswordSubmit, "invalid_grant"), is: "general"),
            Row(.refusal(.resetPasswordSubmit, "invalid_request", suberror: "password_too_weak"), is: "general"),
            Row(.refusal(.resetPasswordSubmit, "expired_token", codes: [552003]), is: "expired"),
            Row(.refusal(.resetPasswordSubmit, "brand_new"), is: "general"),
            Row(
                Stub(.resetPasswordSubmit, 200, #"{"poll_interval":2}"#), is: "unexpectedReply",
                message: SignUpTests.unexpected),
            Row(
                Stub(.resetPasswordSubmit, 200, #"{"continuation_token":"T4"}"#), is: "unexpectedReply",
                message: SignUpTests.unexpected),
            // The polls that follow automatically.
            Row(
                .resetSubmitted(), Stub(.resetPasswordPollCompletion, 200, SignUpTests.redirect), is: "browserRequired",
                message: "Use the web"),
            Row(.resetSubmitted(), .poll("failed"), is: "general", message: "The server could not set the password."),
            Row(.resetSubmitted(), .poll("newer"), is: "unexpectedReply", message: SignUpTests.unexpected),
            Row(
                .resetSubmitted(), Stub(.resetPasswordPollCompletion, 200, "{}"), is: "unexpectedReply",
                message: SignUpTests.unexpected),
            Row(.resetSubmitted(), .refusal(.resetPasswordPollCompletion, "user_not_found"), is: "userNotFound"),
            Row(.resetSubmitted(), .refusal(.resetPasswordPollCompletion, "expired_token"), is: "expired"),
            Row(.resetSubmitted(), .refusal(.resetPasswordPollCompletion, "invalid_grant"), is: "general"),
            Row(
                .resetSubmitted(), .poll("in_progress"), .refusal(.resetPasswordPollCompletion, "brand_new"),
                is: "general"),
        ]
        + SignUpTests.passwordSuberrors.flatMap { suberror in
            [
                Row(
                    .refusal(.resetPasswordSubmit, "invalid_grant", suberror: suberror), is: "invalidPassword",
                    canRetry: true),
                Row(
                    .resetSubmitted(), .refusal(.resetPasswordPollCompletion, "invalid_grant", suberror: suberror),
                    is: "invalidPassword", canRetry: true),
            ]
        } + Stub.garbage(.resetPasswordSubmit).map { Row($0, is: "unexpectedReply", message: SignUpTests.unexpected) }
        + Stub.garbage(.resetPasswordPollCompletion).map {
            Row(.resetSubmitted(), $0, is: "unexpectedReply", message: SignUpTests.unexpected)
        }

    @Test("New password: every row of the table", arguments: passwordRows)
    func password(_ row: Row) async throws {
        try await withNewPassword(row.answers) { state, _, _ in
            row.check(try await error { () throws(NativeAuthError) in try await state.submit(password: "b") })
        }
    }

    @Test func afterALateRefusalTheNextPasswordHasTheTokenOfTheSubmission() async throws {
        let weak = Stub.refusal(.resetPasswordPollCompletion, "invalid_grant", suberror: "password_banned")
        try await withNewPassword([.resetSubmitted(), weak, .resetSubmitted("T6"), .done]) { state, transport, _ in
            _ = try await error { () throws(NativeAuthError) in try await state.submit(password: "a") }
            _ = try await state.submit(password: "b")
            #expect(try transport.form(5)["continuation_token"] == "T4")
            #expect(try transport.form(6)["continuation_token"] == "T6")
        }
    }

    @Test func afterAFailureWithATokenThePasswordMayBeSubmittedAgainWithIt() async throws {
        let script: [Stub] = [.resetSubmitted(), .poll("failed", token: "T7"), .resetSubmitted("T8"), .done]
        try await withNewPassword(script) { state, transport, _ in
            let failure = try await error { () throws(NativeAuthError) in try await state.submit(password: "b") }
            #expect(kind(failure) == "general" && failure.details.canRetry)
            _ = try await state.submit(password: "b")
            #expect(try transport.form(5)["continuation_token"] == "T7")
        }
    }

    @Test("SDK-RETRY-2: after a lost connection the same password is sent with the same token")
    func theSameRequestAgain() async throws {
        let lost = Stub(.resetPasswordSubmit, failing: URLError(.networkConnectionLost))
        try await withNewPassword([lost, .resetSubmitted(), .done]) { state, transport, _ in
            _ = try await error { () throws(NativeAuthError) in try await state.submit(password: "b") }
            _ = try await state.submit(password: "b")
            #expect(transport.requests[3].body == transport.requests[4].body)
        }
    }

    @Test func emptyInputIsRefusedWithoutARequest() async throws {
        try await withNewPassword([]) { state, transport, _ in
            let empty = try await error { () throws(NativeAuthError) in try await state.submit(password: "") }
            #expect(kind(empty) == "invalidPassword" && empty.details.canRetry)
            #expect(transport.requests.count == 3)
        }
        try await withClient([.resetStarted, .resetCode]) { client, transport in
            let name = try await error { () throws(NativeAuthError) in try await client.startResetPassword(username: "")
            }
            #expect(kind(name) == "invalidUsername")
            let code = try await client.startResetPassword(username: user)
            let empty = try await error { () throws(NativeAuthError) in try await code.submit(code: "") }
            #expect(kind(empty) == "incorrectCode" && empty.details.canRetry)
            #expect(transport.requests.count == 2)
        }
    }
}
