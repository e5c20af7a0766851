import Foundation
import MSAL
import NativeAuthCore
import Testing

/// A call that an app makes, at the point of a flow where it can make it.
enum Operation: Sendable {
    case signUpStart
    case signUpResend
    case signUpCode
    case signUpPassword
    /// `isSendable` false: with a value that no request can carry.
    case signUpAttributes(isSendable: Bool = true)
    case signInStart(password: String? = nil)
    case signInResend
    case signInCode
    case signInPassword
    /// `hasToken` false: the server gave no token at the end of the sign-up.
    case signInAfterSignUp(hasToken: Bool = true)
    /// `hasToken` false: the server gave no token at the end of the reset.
    case signInAfterReset(hasToken: Bool = true)
    /// Without naming a method; the user has one or more.
    case mfaChallenge(methods: Int = 1)
    case mfaCode
    case registrationChallenge
    case registrationCode
    case resetStart
    case resetResend
    case resetCode
    case resetPassword
    case accessToken(scopes: [String]? = nil, forceRefresh: Bool = true, showsRefreshToken: Bool = false)

    static let all: [Operation] = [
        .signUpStart, .signUpResend, .signUpCode, .signUpPassword, .signUpAttributes(), .signInStart(),
        .signInResend, .signInCode, .signInPassword, .signInAfterSignUp(), .signInAfterReset(), .mfaChallenge(),
        .mfaCode, .registrationChallenge, .registrationCode, .resetStart, .resetResend, .resetCode, .resetPassword,
        .accessToken(),
    ]

    /// The method that a delegate of this call must implement, and the class of its error.
    var failure: (callback: String, error: MSALNativeAuthError.Type) {
        switch self {
        case .signUpStart: ("onSignUpStartError", SignUpStartError.self)
        case .signUpResend: ("onSignUpResendCodeError", ResendCodeError.self)
        case .signUpCode: ("onSignUpVerifyCodeError", VerifyCodeError.self)
        case .signUpPassword: ("onSignUpPasswordRequiredError", PasswordRequiredError.self)
        case .signUpAttributes: ("onSignUpAttributesRequiredError", AttributesRequiredError.self)
        case .signInStart: ("onSignInStartError", SignInStartError.self)
        case .signInResend: ("onSignInResendCodeError", ResendCodeError.self)
        case .signInCode: ("onSignInVerifyCodeError", VerifyCodeError.self)
        case .signInPassword: ("onSignInPasswordRequiredError", PasswordRequiredError.self)
        case .signInAfterSignUp: ("onSignInAfterSignUpError", SignInAfterSignUpError.self)
        case .signInAfterReset: ("onSignInAfterResetPasswordError", SignInAfterResetPasswordError.self)
        case .mfaChallenge: ("onMFARequestChallengeError", MFARequestChallengeError.self)
        case .mfaCode: ("onMFASubmitChallengeError", MFASubmitChallengeError.self)
        case .registrationChallenge: ("onRegisterStrongAuthChallengeError", RegisterStrongAuthChallengeError.self)
        case .registrationCode:
            ("onRegisterStrongAuthSubmitChallengeError", RegisterStrongAuthSubmitChallengeError.self)
        case .resetStart: ("onResetPasswordStartError", ResetPasswordStartError.self)
        case .resetResend: ("onResetPasswordResendCodeError", ResendCodeError.self)
        case .resetCode: ("onResetPasswordVerifyCodeError", VerifyCodeError.self)
        case .resetPassword: ("onResetPasswordRequiredError", PasswordRequiredError.self)
        case .accessToken: ("onAccessTokenRetrieveError", RetrieveAccessTokenError.self)
        }
    }

    /// How the result for a redirect differs from the vendor's.
    var noteAboutRedirect: String? {
        switch self {
        case .signUpCode, .signUpPassword, .signUpAttributes: "no success"
        case .accessToken: "the flag is true"
        case .signUpStart, .signUpResend, .signInStart, .signInResend, .signInCode, .signInPassword,
            .signInAfterSignUp, .signInAfterReset, .mfaChallenge, .mfaCode, .registrationChallenge, .registrationCode,
            .resetStart, .resetResend, .resetCode, .resetPassword:
            nil
        }
    }

    /// Brings a flow to the point where the call is possible, makes it, and answers it with `replies`. Then it releases
    /// the object of the call.
    @MainActor
    func perform(_ replies: [Reply]) async throws -> (Fixture, FullDelegate) {
        let delegate = FullDelegate()
        func on<Started>(_ started: (Fixture, Started), call: (Started) -> Void) -> (Fixture, FullDelegate) {
            call(started.1)
            return (started.0, delegate)
        }
        func onApplication(
            call: (MSALNativeAuthPublicClientApplication) -> Void
        ) throws -> (Fixture, FullDelegate) {
            let fixture = try Fixture(replies)
            return on((fixture, fixture.app), call: call)
        }
        let (user, code, password) = (Words.user, "12345678", "correct horse")
        switch self {
        case .signUpStart:
            return try onApplication { $0.signUp(parameters: .init(username: user), delegate: delegate) }
        case .signUpResend:
            return on(try await Fixture.waitingForCode(replies)) { $0.resendCode(delegate: delegate) }
        case .signUpCode:
            return on(try await Fixture.waitingForCode(replies)) { $0.submitCode(code: code, delegate: delegate) }
        case .signUpPassword:
            return on(try await Fixture.waitingForPassword(replies)) {
                $0.submitPassword(password: password, delegate: delegate)
            }
        case .signUpAttributes(let isSendable):
            return on(try await Fixture.waitingForAttributes(replies)) {
                let city: Any = isSendable ? "Aarhus" : Date()
                $0.submitAttributes(attributes: ["city": city], delegate: delegate)
            }
        case .signInStart(let password):
            return try onApplication {
                let parameters = MSALNativeAuthSignInParameters(username: user)
                parameters.password = password
                $0.signIn(parameters: parameters, delegate: delegate)
            }
        case .signInResend:
            return on(try await Fixture.waitingForSignInCode(replies)) { $0.resendCode(delegate: delegate) }
        case .signInCode:
            return on(try await Fixture.waitingForSignInCode(replies)) {
                $0.submitCode(code: code, delegate: delegate)
            }
        case .signInPassword:
            return on(try await Fixture.waitingForSignInPassword(replies)) {
                $0.submitPassword(password: password, delegate: delegate)
            }
        case .signInAfterSignUp(let hasToken):
            return on(try await Fixture.done(replies, token: hasToken ? .token("ct-done") : .ok("{}"))) {
                $0.signIn(parameters: .init(), delegate: delegate)
            }
        case .signInAfterReset(let hasToken):
            let last = Reply.polled("succeeded", token: hasToken ? "ct-reset" : nil)
            return on(try await Fixture.reset(replies, poll: last)) {
                $0.signIn(parameters: .init(), delegate: delegate)
            }
        case .mfaChallenge(let methods):
            return on(try await Fixture.awaitingMFA(replies, methods: methods)) {
                $0.requestChallenge(delegate: delegate)
            }
        case .mfaCode:
            return on(try await Fixture.waitingForMFACode(replies)) {
                $0.submitChallenge(challenge: code, delegate: delegate)
            }
        case .registrationChallenge:
            let (fixture, state, method) = try await Fixture.registering(replies)
            return on((fixture, state)) {
                $0.challengeAuthMethod(parameters: .init(authMethod: method), delegate: delegate)
            }
        case .registrationCode:
            let (fixture, state, _) = try await Fixture.waitingForRegistrationCode(replies)
            return on((fixture, state)) { $0.submitChallenge(challenge: code, delegate: delegate) }
        case .resetStart:
            return try onApplication { $0.resetPassword(parameters: .init(username: user), delegate: delegate) }
        case .resetResend:
            return on(try await Fixture.waitingForResetCode(replies)) { $0.resendCode(delegate: delegate) }
        case .resetCode:
            return on(try await Fixture.waitingForResetCode(replies)) {
                $0.submitCode(code: code, delegate: delegate)
            }
        case .resetPassword:
            return on(try await Fixture.waitingForNewPassword(replies)) {
                $0.submitPassword(password: password, delegate: delegate)
            }
        case .accessToken(let scopes, let forceRefresh, let showsRefreshToken):
            return on(try await Fixture.signedIn(replies)) {
                let parameters = MSALNativeAuthGetAccessTokenParameters()
                parameters.scopes = scopes
                parameters.forceRefresh = forceRefresh
                parameters.returnRefreshToken = showsRefreshToken
                $0.getAccessToken(parameters: parameters, delegate: delegate)
            }
        }
    }
}

extension Fixture {
    /// The next value of `state`: the continuation token of its next request, `no token` for a state that sends none;
    /// for a result the user or the tokens. Nil without a state.
    @MainActor
    func token(of state: (any AnyObject & Sendable)?) async throws -> String? {
        guard let state else { return nil }
        if let result = state as? MSALNativeAuthUserAccountResult { return result.account.username }
        if let result = state as? MSALNativeAuthTokenResult {
            return [result.accessToken, result.refreshToken].compactMap(\.self).joined(separator: " ")
        }
        let (_, _, method) = try await Fixture.registering([])
        let before = await server.requests.count
        await server.add(.error("something_new"))
        let delegate = FullDelegate()
        switch state {
        case let state as SignUpCodeRequiredState: state.resendCode(delegate: delegate)
        case let state as SignUpPasswordRequiredState: state.submitPassword(password: "p", delegate: delegate)
        case let state as SignUpAttributesRequiredState: state.submitAttributes(attributes: [:], delegate: delegate)
        case let state as SignInAfterSignUpState: state.signIn(parameters: .init(), delegate: delegate)
        case let state as SignInCodeRequiredState: state.resendCode(delegate: delegate)
        case let state as SignInPasswordRequiredState: state.submitPassword(password: "p", delegate: delegate)
        case let state as AwaitingMFAState: state.requestChallenge(authMethod: method, delegate: delegate)
        case let state as MFARequiredState: state.requestChallenge(authMethod: method, delegate: delegate)
        case let state as RegisterStrongAuthState:
            state.challengeAuthMethod(parameters: .init(authMethod: method), delegate: delegate)
        case let state as RegisterStrongAuthVerificationRequiredState:
            state.submitChallenge(challenge: "1", delegate: delegate)
        case let state as ResetPasswordCodeRequiredState: state.resendCode(delegate: delegate)
        case let state as ResetPasswordRequiredState: state.submitPassword(password: "p", delegate: delegate)
        case let state as SignInAfterResetPasswordState: state.signIn(parameters: .init(), delegate: delegate)
        default: Issue.record("\(type(of: state)) is no state")
        }
        _ = try await delegate.mailbox.next()
        guard await server.requests.count == before + 1 else { return "no token" }
        return await server.form()["continuation_token"]
    }
}

/// What an app sees of a call.
struct CallbackOutcome: Hashable, Sendable, CustomTestStringConvertible {
    var callback: String
    /// The class of the error; nil without an error.
    var error: String?
    /// All flags of the error that are true; every other one is false.
    var flags: Set<String> = []
    var text: String?
    var codes: [Int] = []
    /// The arguments of the callback other than error and state.
    var detail = ""
    /// The next value of its state, from ``Fixture/token(of:)``; nil without a state.
    var state: String?

    var testDescription: String {
        let parts: [String?] = [callback, error, flags.sorted().joined(separator: " "), text, "\(codes)", detail]
        return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ") + ", state: \(state ?? "none")"
    }
}

/// One line of a mapping table, or one of the replies that a line sums up.
struct Mapping: Sendable, CustomTestStringConvertible {
    /// The expected callback of the line.
    enum Expected: Sendable {
        case callback(String, String, state: String?)
        case failure(flag: String?, text: String, codes: [Int], state: String?)

        /// `name` with the other arguments `detail`.
        static func calls(_ name: String, _ detail: String = "", state: String? = nil) -> Expected {
            .callback(name, detail, state: state)
        }

        /// The error callback of the call; `flag` nil means a general error.
        static func fails(
            _ flag: String? = nil, _ text: String = "said", _ codes: [Int] = [7], state: String? = nil
        ) -> Expected {
            .failure(flag: flag, text: text, codes: codes, state: state)
        }
    }

    fileprivate(set) var table = ""
    let row: Int
    let given: String
    /// The deliberate difference of this module from the line.
    let ours: String?
    let operation: Operation
    let replies: [Reply]
    let expected: Expected

    var testDescription: String {
        "\(table), row \(row): \(given)" + (ours.map { " (unlike the vendor: \($0))" } ?? "")
    }

    private var outcome: CallbackOutcome {
        switch expected {
        case .callback(let name, let detail, let state):
            CallbackOutcome(callback: name, detail: detail, state: state)
        case .failure(let flag, let text, let codes, let state):
            CallbackOutcome(
                callback: operation.failure.callback, error: "\(operation.failure.error)",
                flags: Set([flag].compactMap(\.self)), text: text, codes: codes, state: state)
        }
    }

    /// Makes the call, once with the client's correlation ID and once with one that the server answers with.
    @MainActor
    func check(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await check(replies, correlationID: Fixture.correlationID, sourceLocation)
        guard var last = replies.last, !last.breaks else { return }
        let theirs = UUID()
        last.headers["client-request-id"] = theirs.uuidString
        try await check(replies.dropLast() + [last], correlationID: theirs, sourceLocation)
    }

    @MainActor
    private func check(_ replies: [Reply], correlationID: UUID, _ sourceLocation: SourceLocation) async throws {
        let (fixture, delegate) = try await operation.perform(replies)
        let callback = try await delegate.mailbox.next()
        #expect(await fixture.server.unused == 0, "Not all replies were asked for", sourceLocation: sourceLocation)
        if let error = callback.error {
            #expect(error.correlationId == correlationID, sourceLocation: sourceLocation)
            #expect(error.localizedDescription == error.errorDescription, sourceLocation: sourceLocation)
        }
        let state = try await fixture.token(of: callback.state)
        let outcome = CallbackOutcome(
            callback: callback.name, error: callback.error.map { "\(type(of: $0))" }, flags: callback.flags,
            text: callback.error?.errorDescription, codes: callback.error?.errorCodes ?? [], detail: callback.detail,
            state: self.outcome.state == Words.anyState ? Words.anyState : state)
        #expect(outcome == self.outcome, sourceLocation: sourceLocation)
        #expect(delegate.mailbox.count == 1, "One call, one callback", sourceLocation: sourceLocation)
    }
}

/// A mapping table of the reference.
struct MappingTable: Sendable, CustomTestStringConvertible {
    let section: String
    let name: String
    /// How many lines the table has, counted in the reference.
    let rowCount: Int
    let mappings: [Mapping]

    init(_ section: String, _ name: String, rows: Int, _ mappings: [Mapping]...) {
        self.section = section
        self.name = name
        rowCount = rows
        self.mappings = mappings.flatMap(\.self).map { mapping in
            var mapping = mapping
            mapping.table = "\(section) \(name)"
            return mapping
        }
    }

    var testDescription: String { "\(section) \(name)" }
}

extension Operation {
    /// A line about this call, with one reply for each request.
    func row(
        _ row: Int, _ given: String, _ replies: Reply..., ours: String? = nil, expect expected: Mapping.Expected
    ) -> Mapping {
        self.row(row, given, replies: replies, ours: ours, expect: expected)
    }

    func row(
        _ row: Int, _ given: String, replies: [Reply], ours: String? = nil, expect expected: Mapping.Expected
    ) -> Mapping {
        Mapping(row: row, given: given, ours: ours, operation: self, replies: replies, expected: expected)
    }

    /// A line about several values of `error`, all with the same outcome; after `first`.
    func rows(
        _ row: Int, errors: [String], after first: [Reply] = [], ours: String? = nil, expect expected: Mapping.Expected
    ) -> [Mapping] {
        errors.map { self.row(row, $0, replies: first + [.error($0)], ours: ours, expect: expected) }
    }

    /// A line about several values of `suberror` of `invalid_grant`, all with the same outcome; after `first`.
    func rows(
        _ row: Int, suberrors: [String], after first: [Reply] = [], ours: String? = nil,
        expect expected: Mapping.Expected
    ) -> [Mapping] {
        suberrors.map {
            self.row(row, $0, replies: first + [.error("invalid_grant", $0)], ours: ours, expect: expected)
        }
    }

    /// A line about several sequences of replies, all with the same outcome.
    func rows(
        _ row: Int, _ given: [(String, [Reply])], ours: String? = nil, expect expected: Mapping.Expected
    ) -> [Mapping] {
        given.map { self.row(row, $0.0, replies: $0.1, ours: ours, expect: expected) }
    }
}

/// Texts that the tables define, and this module's texts otherwise.
enum Words {
    static let unreadable = "Unexpected response body received"
    static let wrongStep = "Unexpected challenge type"
    static let unreachable = "The server cannot be reached"
    static let lost = "The answer was lost; whether the server acted on the request is not known."
    static let code = "d***a@ex***le.com email 8"
    static let contact = "dana@home.example email 8"
    static let methods = "m-1:oob:email:d***a@ex***le.com m-2:oob:sms:-"
    static let attributes = "country:string:true:- city:string:false:^.*$"
    static let user = "dana@example.com"
    /// For a line that says nothing about the state.
    static let anyState = "any"
    static let secondFactor = "A second factor is needed; sign the user in again. said"
    static let passwordSuberrors = [
        "password_too_weak", "password_too_short", "password_too_long", "password_is_invalid",
        "password_recently_used", "password_banned",
    ]
}

extension Mapping.Expected {
    static let unreadable = fails(nil, Words.unreadable, [])
    static let wrongStep = fails(nil, Words.wrongStep, [])
    static let noAnswer = fails(nil, Words.lost, [])
    static let browser = fails("browserRequired", "because", [])
    static let signedIn = calls("onSignInCompleted", state: Words.user)
}

extension Reply {
    /// A refusal with several numbers.
    static func error(_ error: String, codes: [Int]) -> Reply {
        refused(#"{"error":"\#(error)","error_description":"said","error_codes":\#(codes)}"#)
    }

    /// A challenge that was answered with a code, but for one field.
    static func code(without field: String) -> Reply {
        let fields = [
            ("challenge_type", #""oob""#), ("continuation_token", #""b""#), ("challenge_channel", #""email""#),
            ("challenge_target_label", #""d***a@ex***le.com""#), ("code_length", "8"),
        ]
        return ok("{" + fields.filter { $0.0 != field }.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}")
    }

    static let notJSON = refused("<html>")
    static let wrongCode = error("invalid_grant", "invalid_oob_value", code: 50_181)
    static let attributesUnlisted = error("attributes_required", more: #""continuation_token":"x""#)
    static let credentialUnmarked = error("credential_required")
    static let mfaUnmarked = error("invalid_grant", "mfa_required", code: 50_076)
    static let registrationUnmarked = error("invalid_grant", "registration_required", code: 50_079)
    /// Tokens with an ID token of these claims.
    static func idToken(_ claims: String) -> Reply {
        let idToken = "e30.\(Base64URL.encode(Data(claims.utf8))).c2ln"
        return ok(
            #"{"token_type":"Bearer","access_token":"at-1","refresh_token":"rt-1","expires_in":3600,"#
                + #""id_token":"\#(idToken)"}"#)
    }

    /// Tokens that do not name their user.
    static let tokensOfNobody = ok(#"{"token_type":"Bearer","access_token":"at-1","expires_in":3600}"#)
}
