import MSAL
import Testing

/// The replies that the sign-in after a sign-up or a password reset can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SignInAfterTableTests {
    nonisolated static let tables = [afterSignUp, afterReset]

    nonisolated static let afterSignUp = table(
        "sign-in after a sign-up", .signInAfterSignUp(), withoutToken: .signInAfterSignUp(hasToken: false))
    nonisolated static let afterReset = table(
        "sign-in after a reset", .signInAfterReset(), withoutToken: .signInAfterReset(hasToken: false))

    private nonisolated static func table(
        _ name: String, _ call: Operation, withoutToken: Operation
    ) -> MappingTable {
        MappingTable(
            "§3.4", name, rows: 6,
            [
                withoutToken.row(
                    1, "the state has no token, and nothing is sent",
                    expect: .fails(
                        nil, "Sign-in is not available at this point; use the standalone sign-in.", [])),
                call.row(2, "signed in", .tokens(), expect: .signedIn),
                call.row(
                    3, "a registration is wanted", .registrationRequired, .methods(),
                    expect: .calls("onSignInStrongAuthMethodRegistration", Words.methods, state: "ct-methods")),
                call.row(
                    4, "a second factor is wanted", .mfaRequired, .methods(1), ours: "the callback is called",
                    expect: .calls("onSignInAwaitingMFA", "m-1:oob:email:d***a@ex***le.com", state: "ct-methods")),
                call.row(5, "redirect", .redirect, expect: .browser),
                call.row(
                    5, "a registration is wanted, then redirect", .registrationRequired, .redirect, expect: .browser),
                call.row(5, "a second factor is wanted, then redirect", .mfaRequired, .redirect, expect: .browser),
                call.row(
                    6, "a registration is wanted, then refused", .registrationRequired, .error("expired_token"),
                    expect: .fails()),
                call.row(
                    6, "a second factor is wanted, then refused", .mfaRequired, .error("expired_token"),
                    expect: .fails()),
                call.row(6, "a second factor is wanted, without a token", .mfaUnmarked, expect: .unreadable),
                call.row(
                    6, "a registration is wanted, without a token", .registrationUnmarked, expect: .unreadable),
                call.row(6, "no ID token", .tokensOfNobody, expect: .unreadable),
                call.row(6, "not JSON", .notJSON, expect: .unreadable),
                call.row(6, "no connection", .broken, expect: .noAnswer),
                call.row(
                    6, "50126, a wrong password", .error("invalid_grant", code: 50_126),
                    expect: .fails(nil, "said", [50_126])),
                call.row(
                    6, "50034, no such user", .error("invalid_grant", code: 50_034),
                    expect: .fails(nil, "said", [50_034])),
            ],
            call.rows(6, suberrors: ["invalid_oob_value"], expect: .fails()),
            call.rows(
                6,
                errors: [
                    "user_not_found", "invalid_grant", "invalid_request", "unauthorized_client", "expired_token",
                    "something_new",
                ], expect: .fails()))
    }

    @Test("docs/sdk-surface.md §3.4: sign-in after a sign-up", arguments: afterSignUp.mappings)
    func signInAfterASignUp(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    @Test("docs/sdk-surface.md §3.4: sign-in after a reset", arguments: afterReset.mappings)
    func signInAfterAReset(_ mapping: Mapping) async throws {
        try await mapping.check()
    }
}
