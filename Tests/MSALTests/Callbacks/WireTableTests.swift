import Foundation
import MSAL
import NativeAuth
import Testing

/// The rules for the replies to all calls, and the content of the requests.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct WireTableTests {
    nonisolated static let tables = [replies, results]

    // MARK: Replies to all calls

    nonisolated static let replies = MappingTable(
        "§3.2", "replies to all calls", rows: 7, Operation.all.flatMap(replies(to:)), refreshes)

    private nonisolated static func replies(to call: Operation) -> [Mapping] {
        let name = "\(call.failure.callback)"
        var isRefresh = false
        if case .accessToken = call { isRefresh = true }
        let unreadable = Mapping.Expected.fails(nil, Words.unreadable, [], state: Words.anyState)
        let noAnswer = Mapping.Expected.fails(
            nil, isRefresh ? Words.unreachable : Words.lost, [], state: Words.anyState)
        func refused(_ status: Int) -> Reply {
            var reply = Reply.error("unauthorized_client")
            reply.status = status
            return reply
        }
        return [
            call.row(
                1, "200 with a redirect, \(name)", .redirect,
                ours: call.noteAboutRedirect,
                expect: .fails("browserRequired", "because", [], state: Words.anyState)),
            call.row(2, "400, \(name)", refused(400), expect: .fails(state: Words.anyState)),
            call.row(2, "401, \(name)", refused(401), expect: .fails(state: Words.anyState)),
            call.row(
                3, "500, \(name)", Reply(status: 500, body: "{}"), ours: "not repeated, SDK-RETRY-1",
                expect: unreadable),
            call.row(
                4, "no connection, \(name)", replies: Array(repeating: .broken, count: isRefresh ? 2 : 1),
                ours: isRefresh ? nil : "not repeated, SDK-RETRY-1", expect: noAnswer),
            call.row(
                3, "502, \(name)", Reply(status: 502, body: ""), ours: "not repeated, SDK-RETRY-1", expect: noAnswer),
            call.row(
                5, "429, \(name)", Reply(status: 429, body: "", headers: ["retry-after": "30"]),
                ours: "the text tells how long to wait, SDK-RETRY-3",
                expect: .fails(nil, "Too many requests; wait 30 seconds.", [], state: Words.anyState)),
            call.row(5, "404, \(name)", Reply(status: 404, body: "{}"), expect: unreadable),
            call.row(5, "200 with HTML, \(name)", .ok("<html>"), expect: unreadable),
            call.row(5, "200 with a list, \(name)", .ok("[1]"), expect: unreadable),
            call.row(5, "400 with HTML, \(name)", .notJSON, expect: unreadable),
            call.row(5, "400 without an error, \(name)", .refused("{}"), expect: unreadable),
            call.row(
                5, "302, \(name)", Reply(status: 302, body: "", headers: ["location": "https://example.com/"]),
                ours: "never followed, and the text tells so, SDK-NET-4",
                expect: .fails(
                    nil, "The server redirects; that is not followed (SDK-NET-4).", [], state: Words.anyState)),
            call.row(6, "an unknown error, \(name)", .error("something_new"), expect: .fails(state: Words.anyState)),
            call.row(
                7, "an unknown suberror, \(name)", .error("invalid_grant", "something_new"),
                expect: .fails(state: Words.anyState)),
        ]
    }

    /// A refresh may be repeated.
    private nonisolated static let refreshes: [Mapping] = {
        let call = Operation.accessToken()
        let succeeds = Mapping.Expected.calls("onAccessTokenRetrieveCompleted", state: "at-2")
        return [
            call.row(3, "503, then tokens", Reply(status: 503, body: ""), .tokens(2), expect: succeeds),
            call.row(4, "no connection, then tokens", .broken, .tokens(2), expect: succeeds),
        ]
    }()

    @Test("docs/sdk-surface.md §3.2: replies to all calls", arguments: replies.mappings)
    func repliesToAllCalls(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Results

    nonisolated static let results: MappingTable = {
        let methods = "m-1:oob:email:d***a@ex***le.com"
        let blocked = (
            method: "The authentication method is blocked; choose another one. said",
            contact: "The verification contact is blocked; choose another one. said"
        )
        let clientID = "client_id parameter is empty or not valid"
        let username = "username parameter is empty or not valid"
        func empty(_ text: String) -> Reply {
            .refused(#"{"error":"invalid_request","error_codes":[90100],"error_description":"\#(text)"}"#)
        }
        let withPassword = Operation.signInStart(password: "correct horse")
        let first = [Reply.token("a"), .passwordWanted]
        return MappingTable(
            "docs/protocol.md §14.2", "results", rows: 24,
            Operation.signUpStart.rows(1, errors: ["user_already_exists"], expect: .fails("userAlreadyExists")),
            [
                Operation.signUpStart.row(
                    2, "the username is none", empty(username), expect: .fails("invalidUsername", username, [90_100])),
                Operation.signUpStart.row(
                    3, "the client ID is none", empty(clientID), expect: .fails(nil, clientID, [90_100])),
            ],
            Operation.signUpStart.rows(4, suberrors: Words.passwordSuberrors, expect: .fails("invalidPassword")),
            [
                Operation.signUpStart.row(
                    5, "invalid attributes", .invalidAttributes,
                    expect: .calls("onSignUpAttributesInvalid", "city flatusername")),
                Operation.signUpCode.row(
                    6, "wrong code", .wrongCode, expect: .fails("invalidCode", "said", [50_181], state: "ct-code")),
            ],
            Operation.signUpPassword.rows(
                7, suberrors: Words.passwordSuberrors, expect: .fails("invalidPassword", state: "ct-password")),
            [
                Operation.signUpAttributes().row(
                    8, "invalid attributes", .invalidAttributes,
                    expect: .calls("onSignUpAttributesInvalid", "city flatusername", state: "ct-attributes"))
            ],
            [Operation.signUpCode, .signUpPassword, .signUpAttributes(), .resetCode].flatMap {
                $0.rows(9, errors: ["verification_required"], expect: .fails())
            },
            [Operation.signInStart(), .resetStart].flatMap {
                $0.rows(10, errors: ["user_not_found"], expect: .fails("userNotFound"))
            },
            [
                Operation.resetStart.row(
                    11, "no password", .error("invalid_request", code: 500_222),
                    expect: .fails("userDoesNotHavePassword", "said", [500_222])),
                withPassword.row(
                    12, "wrong password at the start", replies: first + [.error("invalid_grant", code: 50_126)],
                    expect: .fails("invalidCredentials", "said", [50_126])),
                Operation.signInPassword.row(
                    12, "wrong password", .error("invalid_grant", code: 50_126),
                    expect: .fails("invalidPassword", "Invalid password", [50_126], state: "ct-password")),
                withPassword.row(
                    13, "no such user", replies: first + [.error("invalid_grant", code: 50_034)],
                    expect: .fails("userNotFound", "said", [50_034])),
                Operation.signInCode.row(
                    14, "wrong code", .wrongCode, expect: .fails("invalidCode", "said", [50_181], state: "ct-code")),
                Operation.mfaCode.row(
                    14, "wrong code of a second factor", .wrongCode,
                    expect: .fails("invalidChallenge", "said", [50_181], state: "ct-challenge")),
                withPassword.row(
                    15, "a second factor, without a token", replies: first + [.mfaUnmarked], expect: .unreadable),
            ],
            [Operation.signInAfterSignUp(), .signInAfterReset()].map {
                $0.row(
                    16, "a second factor afterwards", .mfaRequired, .methods(1), ours: "the callback is called",
                    expect: .calls("onSignInAwaitingMFA", methods, state: "ct-methods"))
            },
            [
                withPassword.row(
                    17, "the password must be reset", replies: first + [.error("invalid_request", code: 50_142)],
                    expect: .fails(nil, "The password must be reset first. said", [50_142])),
                Operation.mfaChallenge().row(
                    18, "the method is blocked", .blocked,
                    expect: .fails("authMethodBlocked", blocked.method, [550_024], state: "ct-methods")),
                Operation.registrationChallenge.row(
                    19, "the contact is blocked", .blocked,
                    expect: .fails("verificationContactBlocked", blocked.contact, [550_024], state: "ct-methods")),
                Operation.registrationChallenge.row(
                    20, "the contact is none", .error("invalid_request", code: 901_001),
                    expect: .fails("invalidInput", "said", [901_001], state: "ct-methods")),
                Operation.registrationCode.row(
                    21, "wrong code of a registration", .wrongCode,
                    expect: .fails("invalidChallenge", "said", [50_181], state: "ct-challenge")),
            ],
            Operation.all.map {
                $0.row(
                    22, "redirect, \($0.failure.callback)", .redirect, ours: $0.noteAboutRedirect,
                    expect: .fails("browserRequired", "because", [], state: Words.anyState))
            },
            Operation.all.map {
                $0.row(
                    23, "undecodable, \($0.failure.callback)", .notJSON,
                    expect: .fails(nil, Words.unreadable, [], state: Words.anyState))
            },
            [
                Operation.resetStart.row(24, "no challenge type", .token("a"), .token("b"), expect: .wrongStep),
                Operation.resetStart.row(24, "a password is wanted", .token("a"), .passwordWanted, expect: .wrongStep),
            ])
    }()

    @Test("docs/protocol.md §14.2: results", arguments: results.mappings)
    func resultsOfTheProtocol(_ mapping: Mapping) async throws {
        try await mapping.check()
    }

    // MARK: Requests

    /// A line of the table of endpoints: the fields of a request's body, some with their value.
    struct Body: Sendable, CustomTestStringConvertible {
        let row: Int
        let path: String
        let call: Operation
        let replies: [Reply]
        let fields: String

        init(_ row: Int, _ path: String, _ call: Operation, _ replies: Reply..., fields: String) {
            self.row = row
            self.path = path
            self.call = call
            self.replies = replies
            self.fields = fields
        }

        var testDescription: String { "§3.2 endpoints, row \(row): \(path), \(fields)" }
    }

    nonisolated static let bodies: [Body] = {
        let refused = Reply.error("something_new")
        let withPassword = Operation.signInStart(password: "correct horse")
        let token = "client_id continuation_token scope client_info=true"
        return [
            Body(1, "/signup/v1.0/start", .signUpStart, refused, fields: "client_id username challenge_type"),
            Body(
                2, "/signup/v1.0/challenge", .signUpResend, refused,
                fields: "client_id continuation_token challenge_type"),
            Body(
                3, "/signup/v1.0/continue", .signUpCode, refused,
                fields: "client_id continuation_token grant_type=oob oob"),
            Body(
                3, "/signup/v1.0/continue", .signUpPassword, refused,
                fields: "client_id continuation_token grant_type=password password"),
            Body(
                3, "/signup/v1.0/continue", .signUpAttributes(), refused,
                fields: #"client_id continuation_token grant_type=attributes attributes={"city":"Aarhus"}"#),
            Body(
                4, "/oauth2/v2.0/initiate", .signInStart(), refused, fields: "client_id username challenge_type"),
            Body(
                5, "/oauth2/v2.0/challenge", .signInResend, refused,
                fields: "client_id continuation_token challenge_type"),
            Body(
                5, "/oauth2/v2.0/challenge", .mfaChallenge(), refused,
                fields: "client_id continuation_token challenge_type id=m-1"),
            Body(
                6, "/oauth2/v2.0/introspect", .signInPassword, .mfaRequired, refused,
                fields: "client_id continuation_token=ct-mfa"),
            Body(
                7, "/oauth2/v2.0/token", withPassword, .token("a"), .passwordWanted, refused,
                fields: "\(token) grant_type=password username password challenge_type"),
            Body(
                7, "/oauth2/v2.0/token", .signInPassword, refused,
                fields: "\(token) grant_type=password username password challenge_type"),
            Body(7, "/oauth2/v2.0/token", .signInCode, refused, fields: "\(token) grant_type=oob oob"),
            Body(7, "/oauth2/v2.0/token", .mfaCode, refused, fields: "\(token) grant_type=mfa_oob oob"),
            Body(
                7, "/oauth2/v2.0/token", .signInAfterSignUp(), refused,
                fields: "\(token) grant_type=continuation_token username challenge_type"),
            Body(
                7, "/oauth2/v2.0/token", .signInAfterReset(), refused,
                fields: "\(token) grant_type=continuation_token username challenge_type"),
            Body(
                7, "/oauth2/v2.0/token", .registrationCode, .token("x"), refused,
                fields: "\(token) grant_type=continuation_token challenge_type"),
            Body(
                7, "/oauth2/v2.0/token", .accessToken(), refused,
                fields: "client_id grant_type=refresh_token refresh_token=rt-1 scope client_info"),
            Body(
                8, "/register/v1.0/introspect", .signInPassword, .registrationRequired, refused,
                fields: "client_id continuation_token=ct-register"),
            Body(
                9, "/register/v1.0/challenge", .registrationChallenge, refused,
                fields: "client_id continuation_token challenge_type=oob challenge_target challenge_channel=email"),
            Body(
                10, "/register/v1.0/continue", .registrationCode, refused,
                fields: "client_id continuation_token grant_type=oob oob"),
            Body(
                10, "/register/v1.0/continue", .registrationChallenge, .preverified("x"), refused,
                fields: "client_id continuation_token=x grant_type=continuation_token"),
            Body(
                11, "/resetpassword/v1.0/start", .resetStart, refused, fields: "client_id username challenge_type"),
            Body(
                12, "/resetpassword/v1.0/challenge", .resetResend, refused,
                fields: "client_id continuation_token challenge_type"),
            Body(
                13, "/resetpassword/v1.0/continue", .resetCode, refused,
                fields: "client_id continuation_token grant_type=oob oob"),
            Body(
                14, "/resetpassword/v1.0/submit", .resetPassword, refused,
                fields: "client_id continuation_token new_password"),
            Body(
                15, "/resetpassword/v1.0/poll_completion", .resetPassword, .submitted, refused,
                fields: "client_id continuation_token=ct-submitted"),
        ]
    }()

    @Test("docs/sdk-surface.md §3.2: the bodies of the requests", arguments: bodies)
    func theBodiesOfTheRequests(_ body: Body) async throws {
        let (fixture, delegate) = try await body.call.perform(body.replies)
        _ = try await delegate.mailbox.next()
        let request = try #require(await fixture.server.requests.last)
        #expect(request.method == "POST")
        #expect(request.url.path.hasSuffix(body.path))
        let form = await fixture.server.form()
        let expected = body.fields.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        #expect(Set(form.keys) == Set(expected.compactMap(\.first)))
        for field in expected where field.count == 2 {
            #expect(form[field[0]] == field[1])
        }
    }
}
