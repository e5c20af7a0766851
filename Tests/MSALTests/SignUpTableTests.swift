import Foundation
import MSAL
import Testing

private let unreadable = "[] Unexpected response body received"
private let passwordSuberrors = [
    "password_too_weak", "password_too_short", "password_too_long", "password_is_invalid", "password_recently_used",
    "password_banned",
]

/// The replies that each step can get, and the one callback that follows.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SignUpTableTests {
    nonisolated static let startRows: [Row] =
        [
            Row(
                "a code was sent", .token("a"), .code("b"),
                expect: "onSignUpCodeRequired + d***a@ex***le.com email 8"),
            Row("redirect", .redirect, expect: "onSignUpStartError browserRequired - [] because"),
            Row(
                "redirect without a reason", .bareRedirect,
                expect: "onSignUpStartError browserRequired - "
                    + "[] A browser is needed to go on: acquire the token interactively"),
            Row("no token", .ok("{}"), expect: "onSignUpStartError - \(unreadable)"),
            Row(
                "invalid attributes", .invalidAttributes, expect: "onSignUpAttributesInvalid - city flatusername"),
            Row(
                "invalid attributes without names", .invalidAttributesUnnamed,
                expect: "onSignUpStartError - [7] said"),
            Row("bare invalid_grant", .error("invalid_grant"), expect: "onSignUpStartError - [7] said"),
            Row("unknown suberror", .error("invalid_grant", "new"), expect: "onSignUpStartError - [7] said"),
            Row(
                "the user exists", .error("user_already_exists", code: 1_003_037),
                expect: "onSignUpStartError userAlreadyExists - [1003037] said"),
            Row(
                "the user exists, and the server says no more", .refused(#"{"error":"user_already_exists"}"#),
                expect: "onSignUpStartError userAlreadyExists - [] User already exists"),
            Row(
                "the username is none",
                .refused(
                    #"{"error":"invalid_request","error_codes":[90100],"error_description":"#
                        + #""AADSTS90100: username parameter is empty or not valid."}"#),
                expect: "onSignUpStartError invalidUsername - "
                    + "[90100] AADSTS90100: username parameter is empty or not valid."),
            Row("another 90100", .error("invalid_request", code: 90_100), expect: "onSignUpStartError - [90100] said"),
            Row(
                "challenge: redirect", .token("a"), .redirect,
                expect: "onSignUpStartError browserRequired - [] because"),
            Row(
                "challenge: a password is wanted first", .token("a"), .passwordWanted,
                expect: "onSignUpStartError - [] Unexpected challenge type"),
            Row(
                "challenge: a field is missing", .token("a"),
                .ok(#"{"challenge_type":"oob","continuation_token":"b","challenge_channel":"email","code_length":8}"#),
                expect: "onSignUpStartError - \(unreadable)"),
            Row(
                "challenge: an unknown type", .token("a"), .ok(#"{"challenge_type":"song","continuation_token":"b"}"#),
                expect: "onSignUpStartError - \(unreadable)"),
            Row(
                "challenge: refused", .token("a"), .error("expired_token"), expect: "onSignUpStartError - [7] said"),
            Row("a page of HTML", Reply(status: 400, body: "<html>"), expect: "onSignUpStartError - \(unreadable)"),
            Row("status 500", Reply(status: 500, body: "{}"), expect: "onSignUpStartError - \(unreadable)"),
            Row("no connection", .broken, expect: "onSignUpStartError - [] The server cannot be reached"),
        ]
        + passwordSuberrors.map {
            Row($0, .error("invalid_grant", $0), expect: "onSignUpStartError invalidPassword - [7] said")
        }
        + [
            "attributes_required", "unauthorized_client", "unsupported_challenge_type", "unsupported_auth_method",
            "invalid_request", "something_new",
        ].map { Row($0, .error($0), expect: "onSignUpStartError - [7] said") }

    @Test("Each reply to the start has its callback", arguments: startRows)
    func eachReplyToTheStartHasItsCallback(_ row: Row) async throws {
        let fixture = try Fixture(row.replies)
        #expect(try await fixture.start().summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    nonisolated static let resendRows: [Row] =
        [
            Row(
                "a new code", .code("ct-new"), expect: "onSignUpResendCodeCodeRequired + d***a@ex***le.com email 8"),
            Row("redirect", .redirect, expect: "onSignUpResendCodeError browserRequired - [] because"),
            Row(
                "a password is wanted", .passwordWanted,
                expect: "onSignUpResendCodeError - [] Unexpected challenge type"),
            Row(
                "missing fields", .ok(#"{"challenge_type":"oob","continuation_token":"b"}"#),
                expect: "onSignUpResendCodeError - \(unreadable)"),
            Row("unknown error", .error("something_new"), expect: "onSignUpResendCodeError - [7] said"),
            Row("status 404", Reply(status: 404, body: "{}"), expect: "onSignUpResendCodeError - \(unreadable)"),
            Row("no connection", .broken, expect: "onSignUpResendCodeError - [] The server cannot be reached"),
        ]
        + ["invalid_request", "unauthorized_client", "unsupported_challenge_type", "expired_token"].map {
            Row($0, .error($0), expect: "onSignUpResendCodeError + [7] said")
        }

    @Test("Each reply to a resend has its callback", arguments: resendRows)
    func eachReplyToAResendHasItsCallback(_ row: Row) async throws {
        let (fixture, state) = try await Fixture.waitingForCode(row.replies)
        let delegate = FullDelegate()
        state.resendCode(delegate: delegate)
        #expect(try await delegate.mailbox.next().summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    nonisolated static let codeRows: [Row] =
        [
            Row("done", .token("ct-done"), expect: "onSignUpCompleted +"),
            Row("done, without a token", .ok("{}"), expect: "onSignUpCompleted +"),
            Row("redirect", .redirect, expect: "onSignUpVerifyCodeError browserRequired - [] because"),
            Row(
                "a password is wanted", .credentialRequired, .passwordWanted, expect: "onSignUpPasswordRequired +"),
            Row(
                "a password is wanted, then redirect", .credentialRequired, .redirect,
                expect: "onSignUpVerifyCodeError browserRequired - [] because"),
            Row(
                "a password is wanted, then a code", .credentialRequired, .code("x"),
                expect: "onSignUpVerifyCodeError - [] Unexpected challenge type"),
            Row(
                "a password is wanted, then a refusal", .credentialRequired, .error("expired_token"),
                expect: "onSignUpVerifyCodeError - [7] said"),
            Row(
                "a password is wanted, without a token", .error("credential_required"),
                expect: "onSignUpVerifyCodeError - \(unreadable)"),
            Row(
                "attributes are wanted", .attributesRequired,
                expect: "onSignUpAttributesRequired + country:string:true:- city:string:false:^.*$"),
            Row(
                "attributes are wanted, without a list",
                .error("attributes_required", more: #""continuation_token":"x""#),
                expect: "onSignUpVerifyCodeError - \(unreadable)"),
            Row(
                "wrong code", .error("invalid_grant", "invalid_oob_value", code: 50_181),
                expect: "onSignUpVerifyCodeError invalidCode + [50181] said"),
            Row(
                "the password of the start is refused without a word",
                .refused(#"{"error":"invalid_grant","suberror":"password_banned"}"#),
                expect: "onSignUpVerifyCodeError invalidCode + [] Invalid password: password_banned"),
            Row("invalid attributes", .invalidAttributes, expect: "onSignUpVerifyCodeError - [7] said"),
            Row("not JSON", Reply(status: 400, body: ""), expect: "onSignUpVerifyCodeError - \(unreadable)"),
            Row("no connection", .broken, expect: "onSignUpVerifyCodeError - [] The server cannot be reached"),
        ]
        + passwordSuberrors.map {
            Row(
                "the password of the start: \($0)", .error("invalid_grant", $0, code: 399_246),
                expect: "onSignUpVerifyCodeError invalidCode + [399246] said")
        }
        + [
            "expired_token", "user_already_exists", "unauthorized_client", "invalid_request", "invalid_grant",
            "verification_required", "something_new",
        ].map { Row($0, .error($0), expect: "onSignUpVerifyCodeError - [7] said") }

    @Test("Each reply to a code has its callback", arguments: codeRows)
    func eachReplyToACodeHasItsCallback(_ row: Row) async throws {
        let (fixture, state) = try await Fixture.waitingForCode(row.replies)
        let delegate = FullDelegate()
        state.submitCode(code: "12345678", delegate: delegate)
        #expect(try await delegate.mailbox.next().summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    nonisolated static let passwordRows: [Row] =
        [
            Row("done", .token("ct-done"), expect: "onSignUpCompleted +"),
            Row("redirect", .redirect, expect: "onSignUpPasswordRequiredError browserRequired - [] because"),
            Row(
                "attributes are wanted", .attributesRequired,
                expect: "onSignUpAttributesRequired + country:string:true:- city:string:false:^.*$"),
            Row(
                "a word about a code", .error("invalid_grant", "invalid_oob_value"),
                expect: "onSignUpPasswordRequiredError + [7] said"),
            Row("a password again", .credentialRequired, expect: "onSignUpPasswordRequiredError - [55103] said"),
            Row("invalid attributes", .invalidAttributes, expect: "onSignUpPasswordRequiredError - [7] said"),
            Row("no connection", .broken, expect: "onSignUpPasswordRequiredError - [] The server cannot be reached"),
        ]
        + passwordSuberrors.map {
            Row($0, .error("invalid_grant", $0), expect: "onSignUpPasswordRequiredError invalidPassword + [7] said")
        }
        + ["expired_token", "user_already_exists", "invalid_grant", "something_new"].map {
            Row($0, .error($0), expect: "onSignUpPasswordRequiredError - [7] said")
        }

    @Test("Each reply to a password has its callback", arguments: passwordRows)
    func eachReplyToAPasswordHasItsCallback(_ row: Row) async throws {
        let (fixture, state) = try await Fixture.waitingForPassword(row.replies)
        let delegate = FullDelegate()
        state.submitPassword(password: "correct horse", delegate: delegate)
        #expect(try await delegate.mailbox.next().summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    nonisolated static let attributeRows: [Row] =
        [
            Row("done", .token("ct-done"), expect: "onSignUpCompleted +"),
            Row("redirect", .redirect, expect: "onSignUpAttributesRequiredError browserRequired - [] because"),
            Row(
                "more attributes are wanted", .attributesRequired,
                expect: "onSignUpAttributesRequired + country:string:true:- city:string:false:^.*$"),
            Row("invalid attributes", .invalidAttributes, expect: "onSignUpAttributesInvalid + city flatusername"),
            Row(
                "invalid attributes without names", .invalidAttributesUnnamed,
                expect: "onSignUpAttributesRequiredError - \(unreadable)"),
            Row("no connection", .broken, expect: "onSignUpAttributesRequiredError - [] The server cannot be reached"),
        ]
        + ["expired_token", "user_already_exists", "invalid_grant", "credential_required", "something_new"].map {
            Row(
                $0, .error($0, more: #""continuation_token":"x""#),
                expect: "onSignUpAttributesRequiredError - [7] said")
        }

    @Test("Each reply to attributes has its callback", arguments: attributeRows)
    func eachReplyToAttributesHasItsCallback(_ row: Row) async throws {
        let (fixture, state) = try await Fixture.waitingForAttributes(row.replies)
        let delegate = FullDelegate()
        state.submitAttributes(attributes: ["city": "Aarhus"], delegate: delegate)
        #expect(try await delegate.mailbox.next().summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    nonisolated static let signInRows: [Row] = [
        Row("signed in", .tokens(), expect: "onSignInCompleted +"),
        Row("redirect", .redirect, expect: "onSignInAfterSignUpError browserRequired - [] because"),
        Row(
            "a second factor is wanted",
            .error("invalid_grant", "mfa_required", code: 50_076, more: #""continuation_token":"x""#),
            expect: "onSignInAfterSignUpError - [50076] said"),
        Row(
            "a registration is wanted",
            .error("invalid_grant", "registration_required", code: 50_079, more: #""continuation_token":"x""#),
            expect: "onSignInAfterSignUpError - [50079] said"),
        Row("the user is gone", .error("user_not_found"), expect: "onSignInAfterSignUpError - [7] said"),
        Row("expired", .error("expired_token"), expect: "onSignInAfterSignUpError - [7] said"),
        Row("tokens of nobody", .ok(#"{"token_type":"Bearer"}"#), expect: "onSignInAfterSignUpError - \(unreadable)"),
        Row("no connection", .broken, expect: "onSignInAfterSignUpError - [] The server cannot be reached"),
    ]

    @Test("Each reply to the sign-in after a sign-up has its callback", arguments: signInRows)
    func eachReplyToTheSignInHasItsCallback(_ row: Row) async throws {
        let (fixture, state) = try await Fixture.done(row.replies)
        let delegate = FullDelegate()
        state.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: delegate)
        #expect(try await delegate.mailbox.next().summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    @Test func aSignUpWithoutATokenCannotSignInAndAsksNoServer() async throws {
        let (fixture, state) = try await Fixture.done([], token: .ok("{}"))
        let delegate = FullDelegate()
        state.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.name == "onSignInAfterSignUpError")
        #expect(callback.error?.errorDescription?.contains("not available") == true)
        #expect(await fixture.server.requests.count == 3)
    }

    // MARK: States

    @Test func aWrongCodeLeavesTheStateUsableWithItsOldToken() async throws {
        let wrong = Reply.error("invalid_grant", "invalid_oob_value")
        let (fixture, state) = try await Fixture.waitingForCode([wrong, .token("ct-done")])
        let delegate = FullDelegate()
        state.submitCode(code: "00000000", delegate: delegate)
        let retry = try #require(try await delegate.mailbox.next().state as? SignUpCodeRequiredState)
        retry.submitCode(code: "12345678", delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignUpCompleted")
        let form = await fixture.server.form()
        #expect(form["continuation_token"] == "ct-code")
        #expect(form["oob"] == "12345678")
    }

    @Test func aResendMovesOnToTheNewToken() async throws {
        let (fixture, state) = try await Fixture.waitingForCode([.code("ct-new"), .token("ct-done")])
        let delegate = FullDelegate()
        state.resendCode(delegate: delegate)
        let resent = try #require(try await delegate.mailbox.next().state as? SignUpCodeRequiredState)
        resent.submitCode(code: "12345678", delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignUpCompleted")
        #expect(await fixture.server.form()["continuation_token"] == "ct-new")
    }

    @Test func invalidAttributesLeaveTheStateUsableWithItsOldToken() async throws {
        let (fixture, state) = try await Fixture.waitingForAttributes([.invalidAttributes, .token("ct-done")])
        let delegate = FullDelegate()
        state.submitAttributes(attributes: ["city": ""], delegate: delegate)
        let retry = try #require(try await delegate.mailbox.next().state as? SignUpAttributesRequiredState)
        retry.submitAttributes(attributes: ["city": "Aarhus"], delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignUpCompleted")
        #expect(await fixture.server.form()["continuation_token"] == "ct-attributes")
    }

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

    @Test func theCorrelationIDOfTheServerReplacesOurs() async throws {
        let theirs = UUID()
        var reply = Reply.error("user_already_exists")
        reply.headers = ["client-request-id": theirs.uuidString]
        let callback = try await Fixture(reply).start()
        #expect(callback.error?.correlationId == theirs)
    }

    @Test func theErrorCarriesCorrelationIDAndAddress() async throws {
        let reply = Reply.error("user_already_exists", more: #""error_uri":"https://example.com/why""#)
        let error = try #require(try await Fixture(reply).start().error)
        #expect(error.correlationId == Fixture.correlationID)
        #expect(error.errorUri == "https://example.com/why")
        #expect(error.localizedDescription == "said")
        #expect((error as any Error).localizedDescription == "said")
    }
}
