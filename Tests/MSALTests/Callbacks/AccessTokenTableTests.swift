import MSAL
import Testing

/// The sources of an access token, and the one callback that follows. In every line the app releases the account result
/// right after the call.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct AccessTokenTableTests {
    nonisolated static let tables = [table]

    nonisolated static let table: MappingTable = {
        let call = Operation.accessToken()
        let scoped = Operation.accessToken(scopes: ["api://orders/read"])
        let flag = "the flag is true"
        let succeeds = { Mapping.Expected.calls("onAccessTokenRetrieveCompleted", state: $0) }
        return MappingTable(
            "§3.9", "access token", rows: 6,
            [
                Operation.accessToken(forceRefresh: false).row(1, "from the cache", expect: succeeds("at-1")),
                call.row(1, "refreshed", .tokens(2), expect: succeeds("at-2")),
                scoped.row(
                    1, "refreshed for other scopes",
                    .tokens(2, scope: "api://orders/read openid profile offline_access"), expect: succeeds("at-2")),
                Operation.accessToken(forceRefresh: false, showsRefreshToken: true)
                    .row(1, "from the cache, with the refresh token", expect: succeeds("at-1 rt-1")),
                Operation.accessToken(showsRefreshToken: true)
                    .row(1, "refreshed, with the refresh token", .tokens(2), expect: succeeds("at-2 rt-2")),
                call.row(
                    2, "the session has ended", .error("invalid_grant", code: 70_008), ours: flag,
                    expect: .fails("refreshTokenExpired", "said", [70_008])),
                call.row(
                    2, "the session has ended, and the server says no more", .refused(#"{"error":"invalid_grant"}"#),
                    ours: flag, expect: .fails("refreshTokenExpired", "Refresh token is expired", [])),
                call.row(
                    2, "the refresh token has ended", .error("expired_refresh_token"), ours: flag,
                    expect: .fails("refreshTokenExpired")),
                call.row(2, "redirect", .redirect, ours: flag, expect: .browser),
                call.row(
                    2, "the scope is none", .error("invalid_scope", code: 70_011), ours: flag,
                    expect: .fails("invalidScope", "said", [70_011])),
                call.row(
                    2, "no consent", .error("invalid_grant", code: 65_001), ours: flag,
                    expect: .fails("invalidScope", "said", [65_001])),
                call.row(2, "not JSON", .notJSON, expect: .unreadable),
                call.row(2, "no tokens", .ok("{}"), expect: .unreadable),
                call.row(2, "no connection, twice", .broken, .broken, expect: .fails(nil, Words.unreachable, [])),
            ],
            call.rows(
                2, errors: ["invalid_request", "unauthorized_client", "invalid_client", "something_new"],
                expect: .fails()),
            ["invalid_grant", "interaction_required", "invalid_request"].map {
                call.row(
                    3, "a second factor, \($0)", .error($0, codes: [7, 50_076]),
                    expect: .fails(nil, Words.secondFactor, [7, 50_076]))
            },
            ["invalid_grant", "invalid_request"].map {
                call.row(
                    3, "the password must be reset, \($0)", .error($0, codes: [7, 50_142]),
                    expect: .fails(nil, "The password must be reset first. said", [7, 50_142]))
            },
            ["openid", "profile", "offline_access", "00001111-aaaa-2222-bbbb-3333cccc4444"].map {
                Operation.accessToken(scopes: [$0, "api://orders/read"])
                    .row(4, $0, ours: flag, expect: .fails("invalidScope", "Invalid scope", []))
            },
            [
                scoped.row(
                    5, "not every scope was granted", .tokens(2), ours: flag,
                    expect: .fails("invalidScope", "Invalid scope", [])),
                call.row(
                    6, "the account result is released meanwhile", .tokens(2), ours: "one callback always",
                    expect: succeeds("at-2")),
                call.row(
                    6, "the account result is released meanwhile, and the server refuses", .error("invalid_request"),
                    ours: "one callback always", expect: .fails()),
            ])
    }()

    @Test("docs/sdk-surface.md §3.9: access token", arguments: table.mappings)
    func accessToken(_ mapping: Mapping) async throws {
        try await mapping.check()
    }
}
