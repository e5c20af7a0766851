import MSAL
import Testing

/// The replies that each step of a second factor can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct MFATableTests {
    nonisolated static let tables = [table]

    nonisolated static let table: MappingTable = {
        let challenge = Operation.mfaChallenge()
        let submit = Operation.mfaCode
        let browser = { Mapping.Expected.fails("browserRequired", "because", [], state: $0) }
        let unreadable = { Mapping.Expected.fails(nil, Words.unreadable, [], state: $0) }
        let noAnswer = { Mapping.Expected.fails(nil, Words.lost, [], state: $0) }
        return MappingTable(
            "§3.6", "second factor", rows: 11,
            [
                challenge.row(
                    1, "a code was sent", .code("ct-challenge"),
                    expect: .calls("onMFARequestChallengeVerificationRequired", Words.code, state: "ct-challenge")),
                challenge.row(2, "redirect", .redirect, expect: browser("ct-methods")),
                challenge.row(
                    3, "the method is blocked", .blocked,
                    expect: .fails(
                        "authMethodBlocked", "The authentication method is blocked; choose another one. said",
                        [550_024], state: "ct-methods")),
                challenge.row(4, "not JSON", .notJSON, expect: unreadable("ct-methods")),
                challenge.row(
                    4, "a missing field", .code(without: "continuation_token"), expect: unreadable("ct-methods")),
                challenge.row(4, "no connection", .broken, expect: noAnswer("ct-methods")),
            ],
            challenge.rows(
                4,
                errors: [
                    "invalid_request", "unauthorized_client", "invalid_grant", "expired_token",
                    "unsupported_challenge_type", "access_denied", "something_new",
                ], expect: .fails(state: "ct-methods")),
            [
                challenge.row(5, "a password is wanted", .passwordWanted, expect: .wrongStep),
                Operation.mfaChallenge(methods: 2)
                    .row(
                        6, "several methods and none chosen", ours: "the methods are known, and no request is needed",
                        expect: .calls("onMFARequestChallengeSelectionRequired", Words.methods, state: "ct-methods")),
                submit.row(7, "signed in", .tokens(), expect: .signedIn),
                submit.row(
                    8, "wrong code", .wrongCode,
                    expect: .fails("invalidChallenge", "said", [50_181], state: "ct-challenge")),
                submit.row(9, "redirect", .redirect, expect: browser("ct-challenge")),
                submit.row(10, "not JSON", .notJSON, expect: unreadable("ct-challenge")),
                submit.row(10, "no ID token", .tokensOfNobody, expect: unreadable("ct-challenge")),
                submit.row(10, "no connection", .broken, expect: noAnswer("ct-challenge")),
            ],
            submit.rows(
                10,
                errors: [
                    "invalid_request", "unauthorized_client", "invalid_client", "invalid_grant", "expired_token",
                    "invalid_scope", "user_not_found", "something_new",
                ], expect: .fails(state: "ct-challenge")),
            [
                submit.row(
                    11, "a second factor again", .mfaRequired, expect: .fails(nil, Words.secondFactor, [50_076])),
                submit.row(11, "a registration", .registrationRequired, expect: .fails(nil, "said", [50_079])),
            ])
    }()

    @Test("docs/sdk-surface.md §3.6: second factor", arguments: table.mappings)
    func secondFactor(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    @Test("docs/sdk-surface.md §3.6: the challenge names the method")
    func theChallengeNamesTheMethod() async throws {
        let (fixture, delegate) = try await Operation.mfaChallenge().perform([.code("ct-challenge")])
        _ = try await delegate.mailbox.next()
        #expect(await fixture.server.form()["id"] == "m-1")
    }
}
