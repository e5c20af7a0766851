import Foundation
import MSAL
import NativeAuth
import Testing

/// The replies that each step of a password reset can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ResetPasswordTableTests {
    nonisolated static let tables = [table]

    nonisolated static let table = MappingTable(
        "§3.8", "password reset", rows: 20, start, resend, code, password, poll)

    private nonisolated static let start: [Mapping] = {
        let call = Operation.resetStart
        let known = ["invalid_request", "unauthorized_client", "unsupported_challenge_type"]
        return [
            call.row(
                1, "a code was sent", .token("a"), .code("b"),
                expect: .calls("onResetPasswordCodeRequired", Words.code, state: "b")),
            call.row(2, "redirect", .redirect, expect: .browser),
            call.row(2, "redirect in reply to the challenge", .token("a"), .redirect, expect: .browser),
            call.row(
                3, "no such user", .error("user_not_found", code: 50_034),
                expect: .fails("userNotFound", "said", [50_034])),
            call.row(
                4, "no password", .error("invalid_request", code: 500_222),
                expect: .fails("userDoesNotHavePassword", "said", [500_222])),
            call.row(
                4, "no password, and the server says no more",
                .refused(#"{"error":"invalid_request","error_codes":[500222]}"#),
                expect: .fails("userDoesNotHavePassword", "The account has no password to reset", [500_222])),
            call.row(
                5, "no password, and that not first", .error("invalid_request", codes: [7, 500_222]),
                expect: .fails(nil, "said", [7, 500_222])),
            call.row(5, "no token", .ok("{}"), expect: .unreadable),
            call.row(5, "not JSON", .notJSON, expect: .unreadable),
            call.row(5, "no connection", .broken, expect: .noAnswer),
            call.row(5, "a missing field", .token("a"), .code(without: "code_length"), expect: .unreadable),
            call.row(6, "unknown error", .error("something_new"), ours: "the codes are kept", expect: .fails()),
            call.row(7, "a password is wanted", .token("a"), .passwordWanted, expect: .wrongStep),
            call.row(7, "no challenge type", .token("a"), .token("b"), expect: .wrongStep),
        ]
            + call.rows(5, errors: known, expect: .fails())
            + call.rows(5, errors: known + ["expired_token", "something_new"], after: [.token("a")], expect: .fails())
    }()

    private nonisolated static let resend: [Mapping] = {
        let call = Operation.resetResend
        let ours = "the state stays, as in a sign-in"
        return [
            call.row(
                8, "a new code", .code("ct-new"),
                expect: .calls("onResetPasswordResendCodeRequired", Words.code, state: "ct-new")),
            call.row(
                9, "redirect", .redirect, ours: ours,
                expect: .fails("browserRequired", "because", [], state: "ct-code")),
            call.row(9, "a password is wanted", .passwordWanted, expect: .wrongStep),
            call.row(
                9, "not JSON", .notJSON, ours: ours, expect: .fails(nil, Words.unreadable, [], state: "ct-code")),
            call.row(
                9, "no connection", .broken, ours: ours,
                expect: .fails(nil, Words.lost, [], state: "ct-code")),
        ]
            + call.rows(
                9,
                errors: [
                    "invalid_request", "unauthorized_client", "expired_token", "unsupported_challenge_type",
                    "something_new",
                ], ours: ours, expect: .fails(state: "ct-code"))
    }()

    private nonisolated static let code: [Mapping] = {
        let call = Operation.resetCode
        return [
            call.row(
                10, "right", .newPasswordWanted("ct-password"),
                expect: .calls("onPasswordRequired", state: "ct-password")),
            call.row(
                11, "wrong code", .wrongCode, expect: .fails("invalidCode", "said", [50_181], state: "ct-code")),
            call.row(12, "redirect", .redirect, expect: .browser),
            call.row(12, "no token", .ok("{}"), expect: .unreadable),
            call.row(12, "not JSON", .notJSON, expect: .unreadable),
            call.row(12, "no connection", .broken, expect: .noAnswer),
        ]
            + call.rows(
                12,
                errors: [
                    "invalid_request", "unauthorized_client", "invalid_grant", "expired_token",
                    "verification_required", "something_new",
                ], expect: .fails())
            + call.rows(12, suberrors: ["password_too_weak", "something_new"], expect: .fails())
    }()

    private nonisolated static let password: [Mapping] = {
        let call = Operation.resetPassword
        return [
            call.row(
                13, "taken, and polled for", .submitted, .polled("succeeded"),
                expect: .calls("onResetPasswordCompleted", state: "ct-reset")),
            call.row(15, "redirect", .redirect, expect: .browser),
            call.row(15, "no interval", .token("x"), expect: .unreadable),
            call.row(15, "no token", .ok(#"{"poll_interval":1}"#), expect: .unreadable),
            call.row(15, "not JSON", .notJSON, expect: .unreadable),
            call.row(15, "no connection", .broken, expect: .noAnswer),
        ]
            + call.rows(
                14, suberrors: Words.passwordSuberrors, expect: .fails("invalidPassword", state: "ct-password"))
            + call.rows(15, suberrors: ["invalid_oob_value", "something_new"], expect: .fails())
            + call.rows(
                15,
                errors: [
                    "invalid_request", "unauthorized_client", "expired_token", "invalid_grant", "something_new",
                ], expect: .fails())
    }()

    private nonisolated static let poll: [Mapping] = {
        let call = Operation.resetPassword
        let first = [Reply.submitted]
        let failed = "The server could not set the password."
        return [
            call.row(
                16, "succeeded", .submitted, .polled("succeeded"),
                expect: .calls("onResetPasswordCompleted", state: "ct-reset")),
            call.row(
                16, "succeeded, without a token", .submitted, .polled("succeeded", token: nil),
                expect: .calls("onResetPasswordCompleted", state: "no token")),
            call.row(
                17, "in progress and not started, then succeeded", .submitted, .polled("in_progress", token: nil),
                .polled("not_started", token: nil), .polled("in_progress", token: nil),
                .polled("not_started", token: nil), .polled("in_progress", token: nil), .polled("succeeded"),
                expect: .calls("onResetPasswordCompleted", state: "ct-reset")),
            call.row(
                18, "failed", .submitted, .polled("failed", token: nil), ours: "the text tells so",
                expect: .fails(nil, failed, [])),
            call.row(
                18, "failed, with a token", .submitted, .polled("failed", token: "ct-again"),
                ours: "the password may be submitted again, with the new token",
                expect: .fails(nil, failed, [], state: "ct-again")),
            call.row(
                18, "six polls", replies: first + Array(repeating: .polled("in_progress", token: nil), count: 6),
                ours: "the text tells so",
                expect: .fails(
                    nil, "The server did not finish in time; try to sign in with the new password.", [])),
            call.row(20, "redirect", .submitted, .redirect, expect: .browser),
            call.row(20, "not JSON", .submitted, .notJSON, expect: .unreadable),
            call.row(20, "no status", .submitted, .ok("{}"), expect: .unreadable),
            call.row(20, "an unknown status", .submitted, .polled("maybe"), expect: .unreadable),
            call.row(
                20, "no connection, four times", .submitted, .broken, .broken, .broken, .broken,
                expect: .fails(nil, Words.unreachable, [])),
        ]
            + call.rows(
                19, suberrors: Words.passwordSuberrors, after: first,
                expect: .fails("invalidPassword", state: "ct-submitted"))
            + call.rows(20, suberrors: ["invalid_oob_value", "something_new"], after: first, expect: .fails())
            + call.rows(
                20,
                errors: [
                    "invalid_request", "unauthorized_client", "expired_token", "invalid_grant", "something_new",
                ], after: first, expect: .fails())
            + call.rows(20, errors: ["user_not_found"], after: first, expect: .fails())
    }()

    @Test("docs/sdk-surface.md §3.8: password reset", arguments: table.mappings)
    func passwordReset(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    @Test("docs/sdk-surface.md §3.8: every poll has the token of the reply to the password")
    func everyPollHasTheSameToken() async throws {
        let replies: [Reply] = [.submitted, .polled("in_progress", token: "ct-other"), .polled("succeeded")]
        let (fixture, delegate) = try await Operation.resetPassword.perform(replies)
        #expect(try await delegate.mailbox.next().name == "onResetPasswordCompleted")
        let count = await fixture.server.requests.count
        for index in [count - 2, count - 1] {
            #expect(await fixture.server.requests[index].url.path.hasSuffix("/resetpassword/v1.0/poll_completion"))
            #expect(await fixture.server.form(index)["continuation_token"] == "ct-submitted")
        }
    }
}
