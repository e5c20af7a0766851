import MSAL
import Testing

/// The replies that each step of the registration of a strong method can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct RegistrationTableTests {
    nonisolated static let tables = [table]

    nonisolated static let table: MappingTable = {
        let challenge = Operation.registrationChallenge
        let submit = Operation.registrationCode
        let verified = Reply.preverified("ct-verified")
        let kept = "what went wrong is kept"
        return MappingTable(
            "§3.7", "registration of a strong method", rows: 12,
            [
                challenge.row(
                    1, "a code was sent", .registrationCode("ct-challenge"),
                    expect: .calls("onRegisterStrongAuthVerificationRequired", Words.contact, state: "ct-challenge")),
                challenge.row(2, "verified before", verified, .token("x"), .tokens(), expect: .signedIn),
                challenge.row(
                    3, "verified before, refused", verified, .error("expired_token"), ours: kept, expect: .fails()),
                challenge.row(
                    3, "verified before, wrong code", verified, .wrongCode, ours: kept,
                    expect: .fails(nil, "said", [50_181])),
                challenge.row(3, "verified before, redirect", verified, .redirect, ours: kept, expect: .browser),
                challenge.row(3, "verified before, not JSON", verified, .notJSON, ours: kept, expect: .unreadable),
                challenge.row(3, "verified before, no token", verified, .ok("{}"), ours: kept, expect: .unreadable),
                challenge.row(
                    3, "verified before, no connection", verified, .broken, ours: kept,
                    expect: .noAnswer),
                challenge.row(
                    3, "verified before, no tokens", verified, .token("x"), .error("invalid_grant"), ours: kept,
                    expect: .fails()),
                challenge.row(
                    3, "verified before, redirect instead of tokens", verified, .token("x"), .redirect, ours: kept,
                    expect: .browser),
                challenge.row(
                    3, "verified before, a second factor instead of tokens", verified, .token("x"), .mfaRequired,
                    ours: kept, expect: .fails(nil, Words.secondFactor, [50_076])),
                challenge.row(4, "redirect", .redirect, expect: .browser),
                challenge.row(
                    5, "the contact is blocked", .blocked,
                    expect: .fails(
                        "verificationContactBlocked",
                        "The verification contact is blocked; choose another one. said", [550_024],
                        state: "ct-methods")),
                challenge.row(
                    6, "the contact is none", .error("invalid_request", codes: [901_001]),
                    expect: .fails("invalidInput", "said", [901_001], state: "ct-methods")),
                challenge.row(
                    6, "the contact is none, and that not first", .error("invalid_request", codes: [7, 901_001]),
                    expect: .fails("invalidInput", "said", [7, 901_001], state: "ct-methods")),
                challenge.row(
                    7, "a password is wanted", .passwordWanted,
                    expect: .fails(nil, Words.wrongStep, [], state: "ct-methods")),
                challenge.row(
                    7, "a missing field", .ok(#"{"challenge_type":"oob","continuation_token":"x"}"#),
                    expect: .fails(nil, Words.unreadable, [], state: "ct-methods")),
                challenge.row(
                    7, "not JSON", .notJSON, expect: .fails(nil, Words.unreadable, [], state: "ct-methods")),
                challenge.row(
                    7, "no connection", .broken, expect: .fails(nil, Words.lost, [], state: "ct-methods")),
            ],
            challenge.rows(
                7,
                errors: ["invalid_request", "access_denied", "expired_token", "invalid_grant", "something_new"],
                expect: .fails(state: "ct-methods")),
            [
                submit.row(8, "signed in", .token("x"), .tokens(), expect: .signedIn),
                submit.row(
                    9, "wrong code", .wrongCode,
                    expect: .fails("invalidChallenge", "said", [50_181], state: "ct-challenge")),
                submit.row(10, "redirect", .redirect, expect: .browser),
                submit.row(
                    11, "not JSON", .notJSON, expect: .fails(nil, Words.unreadable, [], state: "ct-challenge")),
                submit.row(
                    11, "no token", .ok("{}"), expect: .fails(nil, Words.unreadable, [], state: "ct-challenge")),
                submit.row(
                    11, "no connection", .broken, expect: .fails(nil, Words.lost, [], state: "ct-challenge")),
            ],
            submit.rows(
                11, errors: ["invalid_grant", "invalid_request", "expired_token", "something_new"],
                expect: .fails(state: "ct-challenge")),
            submit.rows(
                12, errors: ["invalid_grant", "expired_token", "invalid_scope", "user_not_found", "something_new"],
                after: [.token("x")], expect: .fails()),
            [
                submit.row(
                    12, "redirect instead of tokens", .token("x"), .redirect, ours: "the flag is true",
                    expect: .browser),
                submit.row(12, "tokens not JSON", .token("x"), .notJSON, expect: .unreadable),
                submit.row(12, "no ID token", .token("x"), .tokensOfNobody, expect: .unreadable),
                submit.row(
                    12, "wrong code instead of tokens", .token("x"), .wrongCode,
                    expect: .fails(nil, "said", [50_181])),
                submit.row(
                    12, "a second factor instead of tokens", .token("x"), .mfaRequired,
                    expect: .fails(nil, Words.secondFactor, [50_076])),
                submit.row(
                    12, "a registration instead of tokens", .token("x"), .registrationRequired,
                    expect: .fails(nil, "said", [50_079])),
                submit.row(
                    12, "no connection for tokens", .token("x"), .broken,
                    ours: "after a lost answer the state may be used again, SDK-RETRY-2",
                    expect: .fails(nil, Words.lost, [], state: "ct-challenge")),
            ])
    }()

    @Test("docs/sdk-surface.md §3.7: registration of a strong method", arguments: table.mappings)
    func registrationOfAStrongMethod(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    @Test("docs/sdk-surface.md §3.7, §12.3: scopes and claims of the sign-in are asked for after a registration")
    func scopesAndClaimsSurviveARegistration() async throws {
        let (fixture, state, _) = try await Fixture.waitingForRegistrationCode(
            [.token("x"), .tokens(scope: "api://orders/read openid profile offline_access")],
            scopes: ["api://orders/read"], claims: #"{"id_token":{}}"#)
        let delegate = FullDelegate()
        state.submitChallenge(challenge: "12345678", delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignInCompleted")
        let form = await fixture.server.form()
        #expect(form["scope"] == "api://orders/read openid profile offline_access")
        #expect(form["claims"] == #"{"id_token":{}}"#)
    }
}
