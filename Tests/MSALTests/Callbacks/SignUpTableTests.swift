import Foundation
import MSAL
import Testing

/// The replies that each step of a sign-up can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SignUpTableTests {
    nonisolated static let tables = [start, resend, submitCode, submitPassword, submitAttributes]

    // MARK: Start

    nonisolated static let start: MappingTable = {
        let call = Operation.signUpStart
        return MappingTable(
            "§3.3", "start of a sign-up", rows: 12,
            [
                call.row(
                    1, "a code was sent", .token("a"), .code("b"),
                    expect: .calls("onSignUpCodeRequired", Words.code, state: "b")),
                call.row(2, "redirect", .redirect, expect: .browser),
                call.row(
                    2, "redirect without a reason", .bareRedirect,
                    expect: .fails(
                        "browserRequired", "A browser is needed to continue: acquire the token interactively", [])),
                call.row(3, "no token", .ok("{}"), expect: .unreadable),
                call.row(
                    4, "invalid attributes", .invalidAttributes,
                    expect: .calls("onSignUpAttributesInvalid", "city flatusername")),
                call.row(5, "invalid attributes without a list", .invalidAttributesUnnamed, expect: .fails()),
                call.row(
                    5, "an empty list of invalid attributes",
                    .error("invalid_grant", "attribute_validation_failed", more: #""invalid_attributes":[]"#),
                    expect: .fails()),
            ],
            call.rows(6, suberrors: Words.passwordSuberrors, expect: .fails("invalidPassword")),
            call.rows(7, suberrors: ["invalid_oob_value", "something_new"], expect: .fails()),
            [
                call.row(7, "bare invalid_grant", .error("invalid_grant"), expect: .fails()),
                call.row(
                    8, "the user exists", .error("user_already_exists", code: 1_003_037),
                    expect: .fails("userAlreadyExists", "said", [1_003_037])),
                call.row(
                    8, "the user exists, and the server says no more", .refused(#"{"error":"user_already_exists"}"#),
                    expect: .fails("userAlreadyExists", "User already exists", [])),
                call.row(
                    9, "the username is none",
                    .refused(
                        #"{"error":"invalid_request","error_codes":[90100],"error_description":"#
                            + #""AADSTS90100: username parameter is empty or not valid."}"#),
                    expect: .fails(
                        "invalidUsername", "AADSTS90100: username parameter is empty or not valid.", [90_100])),
                call.row(
                    10, "90100 about something else", .error("invalid_request", code: 90_100),
                    expect: .fails(nil, "said", [90_100])),
                call.row(
                    10, "90100 not first",
                    .refused(
                        #"{"error":"invalid_request","error_codes":[7,90100],"error_description":"#
                            + #""username parameter is empty or not valid"}"#),
                    expect: .fails(nil, "username parameter is empty or not valid", [7, 90_100])),
            ],
            call.rows(
                10,
                errors: [
                    "attributes_required", "unauthorized_client", "unsupported_challenge_type",
                    "unsupported_auth_method", "invalid_request", "something_new",
                ], expect: .fails()),
            [
                call.row(11, "redirect in reply to the challenge", .token("a"), .redirect, expect: .browser),
                call.row(12, "a password is wanted", .token("a"), .passwordWanted, expect: .wrongStep),
                call.row(
                    12, "an unknown challenge", .token("a"),
                    .ok(#"{"challenge_type":"song","continuation_token":"b"}"#), expect: .unreadable),
            ],
            ["continuation_token", "challenge_channel", "challenge_target_label", "code_length"].map {
                call.row(12, "no \($0)", .token("a"), .code(without: $0), expect: .unreadable)
            },
            call.rows(
                12,
                errors: [
                    "invalid_request", "unauthorized_client", "unsupported_challenge_type", "expired_token",
                    "something_new",
                ], after: [.token("a")], expect: .fails()))
    }()

    @Test("docs/sdk-surface.md §3.3: start of a sign-up", arguments: start.mappings)
    func startOfASignUp(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Code

    nonisolated static let resend: MappingTable = {
        let call = Operation.signUpResend
        let ours = "the code that was sent before still counts"
        return MappingTable(
            "§3.3", "another code of a sign-up", rows: 4,
            [
                call.row(
                    1, "a new code", .code("ct-new"),
                    expect: .calls("onSignUpResendCodeCodeRequired", Words.code, state: "ct-new"))
            ],
            call.rows(
                2, errors: ["invalid_request", "unauthorized_client", "unsupported_challenge_type", "expired_token"],
                expect: .fails(state: "ct-code")),
            [
                call.row(
                    3, "redirect", .redirect, ours: ours,
                    expect: .fails("browserRequired", "because", [], state: "ct-code")),
                call.row(4, "a password is wanted", .passwordWanted, expect: .wrongStep),
                call.row(
                    4, "a missing field", .code(without: "code_length"), ours: ours,
                    expect: .fails(nil, Words.unreadable, [], state: "ct-code")),
                call.row(
                    4, "unknown error", .error("something_new"), ours: ours, expect: .fails(state: "ct-code")),
                call.row(
                    4, "not JSON", .notJSON, ours: ours, expect: .fails(nil, Words.unreadable, [], state: "ct-code")),
                call.row(
                    4, "no connection", .broken, ours: ours,
                    expect: .fails(nil, Words.lost, [], state: "ct-code")),
            ])
    }()

    @Test("docs/sdk-surface.md §3.3: another code of a sign-up", arguments: resend.mappings)
    func anotherCodeOfASignUp(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    nonisolated static let submitCode: MappingTable = {
        let call = Operation.signUpCode
        return MappingTable(
            "§3.3", "code of a sign-up", rows: 12,
            [
                call.row(1, "done", .token("ct-done"), expect: .calls("onSignUpCompleted", state: "ct-done")),
                call.row(
                    1, "done, without a token", .ok("{}"), expect: .calls("onSignUpCompleted", state: "no token")),
                call.row(1, "redirect", .redirect, ours: "no success", expect: .browser),
                call.row(
                    2, "a password is wanted", .credentialRequired, .passwordWanted,
                    expect: .calls("onSignUpPasswordRequired", state: "ct-password")),
                call.row(
                    3, "a password is wanted, then redirect", .credentialRequired, .redirect, expect: .browser),
                call.row(
                    4, "a password is wanted, then a code", .credentialRequired, .code("x"), expect: .wrongStep),
            ],
            call.rows(
                5, errors: ["expired_token", "something_new"], after: [.credentialRequired], ours: "the text is kept",
                expect: .fails()),
            [
                call.row(
                    6, "attributes are wanted", .attributesRequired,
                    expect: .calls("onSignUpAttributesRequired", Words.attributes, state: "ct-attributes")),
                call.row(
                    7, "wrong code", .wrongCode,
                    expect: .fails("invalidCode", "said", [50_181], state: "ct-code")),
            ],
            call.rows(8, suberrors: Words.passwordSuberrors, expect: .fails("invalidCode", state: "ct-code")),
            [
                call.row(
                    8, "the password of the start is refused without a word",
                    .refused(#"{"error":"invalid_grant","suberror":"password_banned"}"#),
                    ours: "the text tells the real reason",
                    expect: .fails("invalidCode", "Invalid password: password_banned", [], state: "ct-code")),
                call.row(9, "invalid attributes", .invalidAttributes, expect: .fails()),
            ],
            call.rows(
                10,
                errors: [
                    "expired_token", "user_already_exists", "unauthorized_client", "invalid_request", "invalid_grant",
                ], expect: .fails()),
            call.rows(11, errors: ["verification_required"], ours: "text and codes are kept", expect: .fails()),
            [
                call.row(12, "a password is wanted, without a token", .credentialUnmarked, expect: .unreadable),
                call.row(12, "attributes are wanted, without a list", .attributesUnlisted, expect: .unreadable),
                call.row(
                    12, "attributes are wanted, without a token",
                    .error(
                        "attributes_required",
                        more: #""required_attributes":[{"name":"a","type":"string","required":true}]"#),
                    expect: .unreadable),
                call.row(12, "unknown error", .error("something_new"), expect: .fails()),
                call.row(12, "not JSON", .notJSON, expect: .unreadable),
                call.row(12, "no connection", .broken, expect: .noAnswer),
            ])
    }()

    @Test("docs/sdk-surface.md §3.3: code of a sign-up", arguments: submitCode.mappings)
    func codeOfASignUp(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Password

    nonisolated static let submitPassword: MappingTable = {
        let call = Operation.signUpPassword
        return MappingTable(
            "§3.3", "password of a sign-up", rows: 5,
            [
                call.row(1, "done", .token("ct-done"), expect: .calls("onSignUpCompleted", state: "ct-done")),
                call.row(1, "redirect", .redirect, ours: "no success", expect: .browser),
                call.row(
                    2, "attributes are wanted", .attributesRequired,
                    expect: .calls("onSignUpAttributesRequired", Words.attributes, state: "ct-attributes")),
            ],
            call.rows(3, suberrors: Words.passwordSuberrors, expect: .fails("invalidPassword", state: "ct-password")),
            call.rows(4, suberrors: ["invalid_oob_value"], expect: .fails(state: "ct-password")),
            [
                call.row(5, "a password again", .credentialRequired, expect: .fails(nil, "said", [55_103])),
                call.row(5, "invalid attributes", .invalidAttributes, expect: .fails()),
                call.row(5, "invalid attributes without a list", .invalidAttributesUnnamed, expect: .unreadable),
                call.row(5, "attributes are wanted, without a list", .attributesUnlisted, expect: .unreadable),
                call.row(5, "not JSON", .notJSON, expect: .unreadable),
                call.row(5, "no connection", .broken, expect: .noAnswer),
            ],
            call.rows(
                5,
                errors: [
                    "expired_token", "user_already_exists", "unauthorized_client", "invalid_request", "invalid_grant",
                    "verification_required", "something_new",
                ], expect: .fails()))
    }()

    @Test("docs/sdk-surface.md §3.3: password of a sign-up", arguments: submitPassword.mappings)
    func passwordOfASignUp(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Attributes

    nonisolated static let submitAttributes: MappingTable = {
        let call = Operation.signUpAttributes()
        return MappingTable(
            "§3.3", "attributes of a sign-up", rows: 5,
            [
                call.row(1, "done", .token("ct-done"), expect: .calls("onSignUpCompleted", state: "ct-done")),
                call.row(1, "redirect", .redirect, ours: "no success", expect: .browser),
                call.row(
                    2, "more attributes are wanted",
                    .error(
                        "attributes_required",
                        more: #""continuation_token":"ct-more","required_attributes":["#
                            + #"{"name":"country","type":"string","required":true},"#
                            + #"{"name":"city","type":"string","required":false,"options":{"regex":"^.*$"}}]"#),
                    expect: .calls("onSignUpAttributesRequired", Words.attributes, state: "ct-more")),
                call.row(
                    3, "invalid attributes", .invalidAttributes,
                    expect: .calls("onSignUpAttributesInvalid", "city flatusername", state: "ct-attributes")),
                call.row(4, "invalid attributes without a list", .invalidAttributesUnnamed, expect: .unreadable),
                call.row(4, "attributes are wanted, without a list", .attributesUnlisted, expect: .unreadable),
                call.row(4, "a password is wanted", .credentialRequired, expect: .fails(nil, "said", [55_103])),
                call.row(4, "not JSON", .notJSON, expect: .unreadable),
                call.row(4, "no connection", .broken, expect: .noAnswer),
            ],
            call.rows(4, suberrors: ["invalid_oob_value", "password_too_weak"], expect: .fails()),
            call.rows(
                4,
                errors: [
                    "expired_token", "user_already_exists", "unauthorized_client", "invalid_request", "invalid_grant",
                    "verification_required", "something_new",
                ], expect: .fails()),
            [
                Operation.signUpAttributes(isSendable: false)
                    .row(
                        5, "an attribute that no request can carry", ours: "the text names it",
                        expect: .fails(
                            nil, "Attributes are text, whole numbers or booleans; these are not: city", []))
            ])
    }()

    @Test("docs/sdk-surface.md §3.3: attributes of a sign-up", arguments: submitAttributes.mappings)
    func attributesOfASignUp(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Beside the tables

    @Test func aPasswordAndThenAttributesFollowEachOther() async throws {
        let (fixture, state) = try await Fixture.waitingForPassword([.attributesRequired, .token("ct-done")])
        let delegate = FullDelegate()
        state.submitPassword(password: "correct horse", delegate: delegate)
        let next = try #require(try await delegate.mailbox.next().state as? SignUpAttributesRequiredState)
        #expect(await fixture.server.form()["continuation_token"] == "ct-password")
        next.submitAttributes(attributes: ["city": "Aarhus"], delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignUpCompleted")
        #expect(await fixture.server.form()["continuation_token"] == "ct-attributes")
    }

    @Test func theErrorCarriesItsAddress() async throws {
        let reply = Reply.error("user_already_exists", more: #""error_uri":"https://example.com/why""#)
        let error = try #require(try await Fixture(reply).start().error)
        #expect(error.errorUri == "https://example.com/why")
        #expect((error as any Error).localizedDescription == "said")
    }
}
