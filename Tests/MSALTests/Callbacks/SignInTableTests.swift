import MSAL
import Testing

/// The replies that each step of a sign-in can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SignInTableTests {
    nonisolated static let tables = [start, tokensAtStart, tokensForPassword, tokensForCode, resend]

    // MARK: Start

    nonisolated static let start: MappingTable = {
        let call = Operation.signInStart()
        let withPassword = Operation.signInStart(password: "correct horse")
        return MappingTable(
            "§3.5", "start of a sign-in", rows: 10,
            [
                call.row(1, "redirect", .redirect, expect: .browser),
                call.row(
                    2, "no such user", .error("user_not_found", code: 50_034),
                    expect: .fails("userNotFound", "said", [50_034])),
                call.row(
                    2, "no such user, and the server says no more", .refused(#"{"error":"user_not_found"}"#),
                    expect: .fails("userNotFound", "User does not exist", [])),
                call.row(3, "no token", .ok("{}"), expect: .unreadable),
                call.row(3, "not JSON", .notJSON, expect: .unreadable),
                call.row(3, "no connection", .broken, expect: .noAnswer),
            ],
            call.rows(
                3, errors: ["invalid_request", "unauthorized_client", "unsupported_challenge_type", "something_new"],
                expect: .fails()),
            [call, withPassword].map {
                $0.row(
                    4, "a code was sent", .token("a"), .code("b"),
                    expect: .calls("onSignInCodeRequired", Words.code, state: "b"))
            },
            [
                call.row(
                    5, "a password is wanted", .token("a"), .passwordWanted,
                    expect: .calls("onSignInPasswordRequired", state: "ct-password")),
                withPassword.row(
                    6, "a password is wanted, and there is one", .token("a"), .passwordWanted, .tokens(),
                    expect: .signedIn),
                call.row(7, "redirect in reply to the challenge", .token("a"), .redirect, expect: .browser),
                call.row(
                    8, "no challenge type", .token("a"), .token("b"), expect: .wrongStep),
                call.row(
                    9, "blocked", .token("a"), .blocked,
                    expect: .fails(
                        nil, "The authentication method is blocked; choose another one. said", [550_024])),
                call.row(10, "not JSON", .token("a"), .notJSON, expect: .unreadable),
                call.row(
                    10, "an unknown challenge", .token("a"),
                    .ok(#"{"challenge_type":"song","continuation_token":"b"}"#), expect: .unreadable),
                call.row(
                    10, "access denied for another reason", .token("a"), .error("access_denied", "something_new"),
                    expect: .fails()),
            ],
            ["continuation_token", "challenge_channel", "challenge_target_label", "code_length"].map {
                call.row(10, "no \($0)", .token("a"), .code(without: $0), expect: .unreadable)
            },
            call.rows(
                10,
                errors: [
                    "invalid_request", "unauthorized_client", "invalid_grant", "expired_token",
                    "unsupported_challenge_type", "access_denied", "something_new",
                ], after: [.token("a")], expect: .fails()))
    }()

    @Test("docs/sdk-surface.md §3.5: start of a sign-in", arguments: start.mappings)
    func startOfASignIn(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Token replies

    /// The three columns of the table: a call that ends in a request for tokens, and what it makes of a reply.
    private struct Column {
        var call: Operation
        /// The replies before the one to the request for tokens.
        var before: [Reply] = []
        /// What the state of an error goes on with.
        var state: String?
        /// The flag for a wrong code, and so on.
        var wrongCode: String?
        var wrongPassword: String?
        var noSuchUser: String?
    }

    nonisolated static let tokensAtStart = table(
        "tokens, password at the start",
        Column(
            call: .signInStart(password: "correct horse"), before: [.token("a"), .passwordWanted],
            wrongPassword: "invalidCredentials", noSuchUser: "userNotFound"))
    nonisolated static let tokensForPassword = table(
        "tokens, password", Column(call: .signInPassword, state: "ct-password", wrongPassword: "invalidPassword"))
    nonisolated static let tokensForCode = table(
        "tokens, code", Column(call: .signInCode, state: "ct-code", wrongCode: "invalidCode"))

    private nonisolated static func table(_ name: String, _ column: Column) -> MappingTable {
        let isPassword = column.wrongPassword == "invalidPassword"
        let isCode = column.wrongCode != nil
        func row(
            _ row: Int, _ given: String, _ replies: Reply..., ours: String? = nil, expect expected: Mapping.Expected
        ) -> Mapping {
            column.call.row(row, given, replies: column.before + replies, ours: ours, expect: expected)
        }
        func fails(_ flag: String? = nil, _ text: String = "said", _ codes: [Int] = [7]) -> Mapping.Expected {
            .fails(flag, text, codes, state: column.state)
        }
        let unreadable = fails(nil, Words.unreadable, [])
        let browser = fails("browserRequired", "because", [])
        let demands: [(String, Reply, Reply, String)] = [
            ("a second factor", .mfaRequired, .mfaUnmarked, "onSignInAwaitingMFA"),
            ("a registration", .registrationRequired, .registrationUnmarked, "onSignInStrongAuthMethodRegistration"),
        ]
        let demandRows = demands.enumerated().flatMap { index, demand in
            let (what, reply, unmarked, callback) = demand
            return [
                row(4 + index, what, reply, .methods(), expect: .calls(callback, Words.methods, state: "ct-methods")),
                row(6, "\(what), then refused", reply, .error("expired_token"), expect: .fails()),
                row(6, "\(what), then redirect", reply, .redirect, expect: .browser),
                row(6, "\(what), then not JSON", reply, .notJSON, expect: .unreadable),
                row(
                    6, "\(what), then no methods", reply, .ok(#"{"continuation_token":"x","methods":[]}"#),
                    expect: .unreadable),
                row(
                    6, "\(what), then no connection", reply, .broken,
                    ours: column.state == nil ? nil : "after a lost answer the state may be used again, SDK-RETRY-2",
                    expect: fails(nil, Words.lost, [])),
                row(7, "\(what), without a token", unmarked, expect: unreadable),
            ]
        }
        return MappingTable(
            "§3.5", name, rows: 14,
            [
                row(1, "signed in", .tokens(), expect: .signedIn),
                row(
                    2, "no ID token", .tokensOfNobody, ours: "the text tells what is wrong", expect: unreadable),
                row(
                    2, "an ID token for another app", .idToken(#"{"aud":"another","oid":"o","tid":"t"}"#),
                    ours: "the text tells what is wrong", expect: unreadable),
                row(
                    2, "an ID token that has ended", .idToken(#"{"exp":1000,"oid":"o","tid":"t"}"#),
                    ours: "the text tells what is wrong", expect: unreadable),
                row(3, "redirect", .redirect, expect: browser),
            ],
            demandRows,
            [
                row(
                    8, "wrong code", .wrongCode, expect: fails(column.wrongCode, "said", [50_181])),
                row(
                    9, "wrong password", .error("invalid_grant", code: 50_126),
                    expect: fails(column.wrongPassword, isPassword ? "Invalid password" : "said", [50_126])),
                row(
                    10, "no such user, 50034", .error("invalid_grant", code: 50_034),
                    expect: fails(column.noSuchUser, "said", [50_034])),
                row(10, "no such user", .error("user_not_found"), expect: fails(column.noSuchUser)),
                row(
                    11, "bare invalid_grant", .error("invalid_grant"),
                    ours: isCode ? "text and codes are kept" : nil, expect: fails()),
                row(
                    11, "invalid_grant without a number", .refused(#"{"error":"invalid_grant"}"#),
                    expect: fails(nil, "General error", [])),
                row(
                    11, "a wrong password that does not come first", .error("invalid_grant", codes: [7, 50_126]),
                    ours: isCode ? "text and codes are kept" : nil, expect: fails(nil, "said", [7, 50_126])),
                row(
                    11, "no such user, and that not first", .error("invalid_grant", codes: [7, 50_034]),
                    ours: isCode ? "text and codes are kept" : nil, expect: fails(nil, "said", [7, 50_034])),
                row(12, "invalid_request", .error("invalid_request"), expect: fails()),
                row(
                    12, "the password must be reset", .error("invalid_request", codes: [7, 50_142]),
                    expect: fails(nil, "The password must be reset first. said", [7, 50_142])),
            ],
            [
                "invalid_client", "unauthorized_client", "expired_token", "unsupported_challenge_type",
                "invalid_scope", "authorization_pending", "slow_down", "expired_refresh_token",
            ].map { row(13, $0, .error($0), expect: fails()) },
            [
                row(14, "unknown error", .error("something_new"), expect: fails()),
                row(14, "not JSON", .notJSON, expect: unreadable),
                row(14, "no connection", .broken, expect: fails(nil, Words.lost, [])),
            ])
    }

    @Test("docs/sdk-surface.md §3.5: tokens, password at the start", arguments: tokensAtStart.mappings)
    func tokensForThePasswordAtTheStart(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    @Test("docs/sdk-surface.md §3.5: tokens, password", arguments: tokensForPassword.mappings)
    func tokensForThePassword(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    @Test("docs/sdk-surface.md §3.5: tokens, code", arguments: tokensForCode.mappings)
    func tokensForTheCode(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Another code

    nonisolated static let resend: MappingTable = {
        let call = Operation.signInResend
        return MappingTable(
            "§3.5", "another code of a sign-in", rows: 4,
            [
                call.row(
                    1, "a new code", .code("ct-new"),
                    expect: .calls("onSignInResendCodeCodeRequired", Words.code, state: "ct-new")),
                call.row(
                    2, "redirect", .redirect, expect: .fails("browserRequired", "because", [], state: "ct-code")),
                call.row(3, "not JSON", .notJSON, expect: .fails(nil, Words.unreadable, [], state: "ct-code")),
                call.row(
                    3, "a missing field", .code(without: "code_length"),
                    expect: .fails(nil, Words.unreadable, [], state: "ct-code")),
                call.row(
                    3, "no connection", .broken, expect: .fails(nil, Words.lost, [], state: "ct-code")),
            ],
            call.rows(
                3,
                errors: [
                    "invalid_request", "unauthorized_client", "invalid_grant", "expired_token",
                    "unsupported_challenge_type", "access_denied", "user_not_found", "something_new",
                ], expect: .fails(state: "ct-code")),
            [
                call.row(4, "a password is wanted", .passwordWanted, expect: .wrongStep)
            ])
    }()

    @Test("docs/sdk-surface.md §3.5: another code of a sign-in", arguments: resend.mappings)
    func anotherCodeOfASignIn(_ mapping: Mapping) async throws {
        try await mapping.check()
    }
}
