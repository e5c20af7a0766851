import Dispatch
import Foundation
import MSAL
import NativeAuth
import Testing

/// The queue that code runs on. The main queue does not always have its own thread, so threads say nothing.
private let mainQueue = DispatchSpecificKey<Bool>()
private var isMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueue) == true }

/// The rules of every callback: its time, its queue, and the replacement for a callback that the app leaves out.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DelegateTests {
    // MARK: Callbacks that are left out

    /// A callback that is needed, the error method that is called instead, and the replies that lead to it.
    struct Missing: Sendable, CustomTestStringConvertible {
        let name: String
        let error: String
        let call: @MainActor @Sendable (ErrorsOnlyDelegate) async throws -> Void

        var testDescription: String { "\(name), \(error)" }

        init(
            _ name: String, _ error: String,
            _ call: @escaping @MainActor @Sendable (ErrorsOnlyDelegate) async throws -> Void
        ) {
            self.name = name
            self.error = error
            self.call = call
        }
    }

    nonisolated static let missing: [Missing] =
        missingInSignUp + missingInSignIn + missingAfterwards + missingInReset + missingBeyondTheFirstFactor

    nonisolated static let missingInSignUp: [Missing] =
        [
            Missing("onSignUpCodeRequired", "onSignUpStartError") {
                try Fixture(.token("a"), .code("b")).app
                    .signUp(parameters: .init(username: "dana@example.com"), delegate: $0)
            },
            Missing("onSignUpResendCodeCodeRequired", "onSignUpResendCodeError") {
                try await Fixture.waitingForCode([.code("x")]).1.resendCode(delegate: $0)
            },
        ]
        + [
            ("onSignUpCompleted", [.token("x")]),
            ("onSignUpPasswordRequired", [.credentialRequired, .passwordWanted]),
            ("onSignUpAttributesRequired", [.attributesRequired]),
        ].map { (name: String, replies: [Reply]) in
            Missing(name, "onSignUpVerifyCodeError") {
                try await Fixture.waitingForCode(replies).1.submitCode(code: "12345678", delegate: $0)
            }
        }
        + [("onSignUpCompleted", .token("x")), ("onSignUpAttributesRequired", .attributesRequired)]
        .map { (name: String, reply: Reply) in
            Missing(name, "onSignUpPasswordRequiredError") {
                try await Fixture.waitingForPassword([reply]).1.submitPassword(password: "correct horse", delegate: $0)
            }
        }
        + [
            ("onSignUpCompleted", .token("x")), ("onSignUpAttributesRequired", .attributesRequired),
            ("onSignUpAttributesInvalid", .invalidAttributes),
        ].map { (name: String, reply: Reply) in
            Missing(name, "onSignUpAttributesRequiredError") {
                try await Fixture.waitingForAttributes([reply]).1.submitAttributes(attributes: [:], delegate: $0)
            }
        }

    /// The possible results of every token request of a sign-in.
    nonisolated static let outcomes: [(String, [Reply])] = [
        ("onSignInCompleted", [.tokens()]), ("onSignInAwaitingMFA", [.mfaRequired, .methods()]),
        ("onSignInStrongAuthMethodRegistration", [.registrationRequired, .methods()]),
    ]

    nonisolated static let missingInSignIn: [Missing] =
        [
            Missing("onSignInCodeRequired", "onSignInStartError") {
                try Fixture(.token("a"), .code("b")).app
                    .signIn(parameters: .init(username: "dana@example.com"), delegate: $0)
            },
            Missing("onSignInPasswordRequired", "onSignInStartError") {
                try Fixture(.token("a"), .passwordWanted).app
                    .signIn(parameters: .init(username: "dana@example.com"), delegate: $0)
            },
            Missing("onSignInResendCodeCodeRequired", "onSignInResendCodeError") {
                try await Fixture.waitingForSignInCode([.code("x")]).1.resendCode(delegate: $0)
            },
        ]
        + outcomes.map { name, replies in
            Missing(name, "onSignInStartError") {
                let parameters = MSALNativeAuthSignInParameters(username: "dana@example.com")
                parameters.password = "correct horse"
                try Fixture([.token("a"), .passwordWanted] + replies).app.signIn(parameters: parameters, delegate: $0)
            }
        }
        + outcomes.map { name, replies in
            Missing(name, "onSignInVerifyCodeError") {
                try await Fixture.waitingForSignInCode(replies).1.submitCode(code: "12345678", delegate: $0)
            }
        }
        + outcomes.map { name, replies in
            Missing(name, "onSignInPasswordRequiredError") {
                try await Fixture.waitingForSignInPassword(replies).1
                    .submitPassword(password: "correct horse", delegate: $0)
            }
        }

    nonisolated static let missingAfterwards: [Missing] =
        outcomes.map { name, replies in
            Missing(name, "onSignInAfterSignUpError") {
                try await Fixture.done(replies).1.signIn(parameters: .init(), delegate: $0)
            }
        }
        + outcomes.map { name, replies in
            Missing(name, "onSignInAfterResetPasswordError") {
                try await Fixture.reset(replies).1.signIn(parameters: .init(), delegate: $0)
            }
        }
        + [
            Missing("onAccessTokenRetrieveCompleted", "onAccessTokenRetrieveError") {
                try await Fixture.signedIn([]).1.getAccessToken(parameters: .init(), delegate: $0)
            }
        ]

    nonisolated static let missingInReset: [Missing] = [
        Missing("onResetPasswordCodeRequired", "onResetPasswordStartError") {
            try Fixture(.token("a"), .code("b")).app
                .resetPassword(parameters: .init(username: "dana@example.com"), delegate: $0)
        },
        Missing("onResetPasswordResendCodeRequired", "onResetPasswordResendCodeError") {
            try await Fixture.waitingForResetCode([.code("x")]).1.resendCode(delegate: $0)
        },
        Missing("onPasswordRequired", "onResetPasswordVerifyCodeError") {
            try await Fixture.waitingForResetCode([.newPasswordWanted("x")]).1
                .submitCode(code: "12345678", delegate: $0)
        },
        Missing("onResetPasswordCompleted", "onResetPasswordRequiredError") {
            try await Fixture.waitingForNewPassword([.submitted, .polled("succeeded")]).1
                .submitPassword(password: "correct horse", delegate: $0)
        },
    ]

    nonisolated static let missingBeyondTheFirstFactor: [Missing] = [
        Missing("onMFARequestChallengeVerificationRequired", "onMFARequestChallengeError") {
            try await Fixture.awaitingMFA([.code("x")], methods: 1).1.requestChallenge(delegate: $0)
        },
        Missing("onMFARequestChallengeSelectionRequired", "onMFARequestChallengeError") {
            try await Fixture.awaitingMFA([]).1.requestChallenge(delegate: $0)
        },
        Missing("onSignInCompleted", "onMFASubmitChallengeError") {
            try await Fixture.waitingForMFACode([.tokens()]).1.submitChallenge(challenge: "12345678", delegate: $0)
        },
        Missing("onRegisterStrongAuthVerificationRequired", "onRegisterStrongAuthChallengeError") {
            let (_, state, method) = try await Fixture.registering([.registrationCode("x")])
            state.challengeAuthMethod(parameters: .init(authMethod: method), delegate: $0)
        },
        Missing("onSignInCompleted", "onRegisterStrongAuthChallengeError") {
            let (_, state, method) = try await Fixture.registering([.preverified("x"), .token("y"), .tokens()])
            state.challengeAuthMethod(parameters: .init(authMethod: method), delegate: $0)
        },
        Missing("onSignInCompleted", "onRegisterStrongAuthSubmitChallengeError") {
            let (_, state, _) = try await Fixture.waitingForRegistrationCode([.token("y"), .tokens()])
            state.submitChallenge(challenge: "12345678", delegate: $0)
        },
    ]

    @Test("A callback that is left out is an error of the same delegate", arguments: missing)
    func aCallbackThatIsLeftOutIsAnError(_ row: Missing) async throws {
        let delegate = ErrorsOnlyDelegate()
        try await row.call(delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.name == row.error)
        #expect(callback.flags.isEmpty)
        #expect(callback.state == nil)
        #expect(callback.error?.errorDescription == "The delegate does not implement \(row.name)")
        #expect(callback.error?.errorCodes == [])
        #expect(callback.error?.errorUri == nil)
        #expect(callback.error?.correlationId == Fixture.correlationID)
        #expect(delegate.mailbox.count == 1)
    }

    @Test func invalidAttributesWithoutTheirCallbackAreAFlagOfTheError() async throws {
        let delegate = ErrorsOnlyDelegate()
        let fixture = try Fixture(.invalidAttributes)
        fixture.app.signUp(parameters: .init(username: "dana@example.com"), delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.summary == "onSignUpStartError invalidAttributes - [7] Invalid attributes: city, flatusername")
        #expect(delegate.mailbox.count == 1)
    }

    @Test func aSignInWithoutItsCallbackStillSignsIn() async throws {
        let delegate = ErrorsOnlyDelegate()
        let (fixture, state) = try await Fixture.done([.tokens()])
        state.signIn(parameters: .init(), delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignInAfterSignUpError")
        #expect(fixture.app.getNativeAuthUserAccount()?.account.username == "dana@example.com")
    }

    @Test func aCallbackThatIsLeftOutDoesNotSpoilTheNextOne() async throws {
        let (_, state) = try await Fixture.waitingForCode([.code("x"), .code("y")])
        let bare = ErrorsOnlyDelegate()
        state.resendCode(delegate: bare)
        _ = try await bare.mailbox.next()
        let full = FullDelegate()
        state.resendCode(delegate: full)
        #expect(try await full.mailbox.next().name == "onSignUpResendCodeCodeRequired")
    }

    // MARK: When and where

    @Test func theCallReturnsBeforeTheCallback() async throws {
        let delegate = FullDelegate()
        let fixture = try Fixture(.error("user_already_exists"))
        fixture.app.signUp(parameters: .init(username: "dana@example.com"), delegate: delegate)
        #expect(delegate.mailbox.count == 0)
        _ = try await delegate.mailbox.next()
        #expect(delegate.mailbox.count == 1)
    }

    @Test func whatIsFoundLocallyIsReportedLaterToo() async throws {
        let delegate = FullDelegate()
        try Fixture().app.signUp(parameters: .init(username: ""), delegate: delegate)
        #expect(delegate.mailbox.count == 0)
        _ = try await delegate.mailbox.next()
        #expect(delegate.mailbox.count == 1)
    }

    @Test func callsFromAnotherThreadAreAnsweredOnTheMainQueue() async throws {
        DispatchQueue.main.setSpecific(key: mainQueue, value: true)
        /// Written by an app that knows nothing of actors.
        final class Watcher: SignUpStartDelegate {
            let (queues, found) = AsyncStream<Bool>.makeStream()

            nonisolated func onSignUpStartError(error: SignUpStartError) {
                found.yield(isMainQueue)
            }
        }

        @concurrent func callElsewhere(_ app: MSALNativeAuthPublicClientApplication) async -> Bool? {
            #expect(!isMainQueue)
            let watcher = Watcher()
            app.signUp(parameters: MSALNativeAuthSignUpParameters(username: ""), delegate: watcher)
            for await isMain in watcher.queues { return isMain }
            return nil
        }

        #expect(await callElsewhere(try Fixture().app) == true)
    }

    @Test func theDelegateIsHeldUntilTheCallbackAndNotLonger() async throws {
        let fixture = try Fixture(.error("user_already_exists"))
        weak var delegate: FullDelegate?
        let mailbox: Mailbox
        do {
            let temporary = FullDelegate()
            delegate = temporary
            mailbox = temporary.mailbox
            fixture.app.signUp(parameters: .init(username: "dana@example.com"), delegate: temporary)
        }
        #expect(delegate != nil)
        _ = try await mailbox.next()
        #expect(delegate == nil)
    }

    @Test func theStateIsHeldUntilTheCallback() async throws {
        let delegate = FullDelegate()
        do {
            let (_, state) = try await Fixture.waitingForCode([.token("x")])
            state.submitCode(code: "12345678", delegate: delegate)
        }
        #expect(try await delegate.mailbox.next().name == "onSignUpCompleted")
    }

    @Test("SDK-STATE-1: of two calls on one state at once one is sent, and each has its callback")
    func aDoubleTapIsOneRequest() async throws {
        let (fixture, state) = try await Fixture.waitingForSignInCode([.tokens()])
        let (first, second) = (FullDelegate(), FullDelegate())
        state.submitCode(code: "12345678", delegate: first)
        state.submitCode(code: "12345678", delegate: second)
        let callbacks = [try await first.mailbox.next(), try await second.mailbox.next()]
        #expect(Set(callbacks.map(\.name)) == ["onSignInCompleted", "onSignInVerifyCodeError"])
        let refused = try #require(callbacks.first { $0.error != nil })
        #expect(refused.flags.isEmpty && refused.state == nil)
        #expect(await fixture.server.unused == 0)
    }

    @Test("SDK-STATE-1: a state that led on is not usable again, and no request is sent")
    func aUsedStateIsRefused() async throws {
        let (fixture, state) = try await Fixture.done([.tokens()])
        let delegate = FullDelegate()
        state.signIn(parameters: .init(), delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignInCompleted")
        let before = await fixture.server.requests.count
        state.signIn(parameters: .init(), delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignInAfterSignUpError")
        #expect(await fixture.server.requests.count == before)
    }

    // MARK: What is checked before any request

    @Test(arguments: [
        ("", nil, "onSignUpStartError invalidUsername - [] Invalid username"),
        ("", "", "onSignUpStartError invalidUsername - [] Invalid username"),
        ("dana@example.com", "", "onSignUpStartError invalidPassword - [] Invalid password"),
    ])
    func emptyUserNamesAndPasswordsAreRefused(
        _ username: String, _ password: String?, _ expected: String
    ) async throws {
        let fixture = try Fixture()
        let delegate = FullDelegate()
        let parameters = MSALNativeAuthSignUpParameters(username: username)
        parameters.password = password
        parameters.attributes = username.isEmpty ? ["song": Date()] : nil
        fixture.app.signUp(parameters: parameters, delegate: delegate)
        #expect(try await delegate.mailbox.next().summary == expected)
        #expect(await fixture.server.requests.isEmpty)
    }

    @Test(arguments: [
        ("", nil, "onSignInStartError invalidUsername - [] Invalid username"),
        ("", "", "onSignInStartError invalidUsername - [] Invalid username"),
        ("dana@example.com", "", "onSignInStartError invalidCredentials - [] Invalid credentials"),
    ])
    func anEmptySignInIsRefused(_ username: String, _ password: String?, _ expected: String) async throws {
        let fixture = try Fixture()
        let delegate = FullDelegate()
        let parameters = MSALNativeAuthSignInParameters(username: username)
        parameters.password = password
        fixture.app.signIn(parameters: parameters, delegate: delegate)
        #expect(delegate.mailbox.count == 0)
        #expect(try await delegate.mailbox.next().summary == expected)
        #expect(await fixture.server.requests.isEmpty)
    }

    @Test func anEmptyUserNameOfAResetIsRefused() async throws {
        let fixture = try Fixture()
        let delegate = FullDelegate()
        fixture.app.resetPassword(parameters: .init(username: ""), delegate: delegate)
        let expected = "onResetPasswordStartError invalidUsername - [] Invalid username"
        #expect(try await delegate.mailbox.next().summary == expected)
        #expect(await fixture.server.requests.isEmpty)
    }

    /// A call on a state with an empty argument; returns the state and the server.
    struct Empty: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @MainActor @Sendable (FullDelegate) async throws -> (ScriptedTransport, any AnyObject)

        init(
            _ expected: String,
            _ call: @escaping @MainActor @Sendable (FullDelegate) async throws -> (ScriptedTransport, any AnyObject)
        ) {
            testDescription = expected
            self.call = call
        }
    }

    nonisolated static let empty: [Empty] = [
        Empty("onSignUpVerifyCodeError invalidCode + [] Invalid code") {
            let (fixture, state) = try await Fixture.waitingForCode([])
            state.submitCode(code: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onSignInVerifyCodeError invalidCode + [] Invalid code") {
            let (fixture, state) = try await Fixture.waitingForSignInCode([])
            state.submitCode(code: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onResetPasswordVerifyCodeError invalidCode + [] Invalid code") {
            let (fixture, state) = try await Fixture.waitingForResetCode([])
            state.submitCode(code: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onSignUpPasswordRequiredError invalidPassword + [] Invalid password") {
            let (fixture, state) = try await Fixture.waitingForPassword([])
            state.submitPassword(password: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onSignInPasswordRequiredError invalidPassword + [] Invalid password") {
            let (fixture, state) = try await Fixture.waitingForSignInPassword([])
            state.submitPassword(password: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onResetPasswordRequiredError invalidPassword + [] Invalid password") {
            let (fixture, state) = try await Fixture.waitingForNewPassword([])
            state.submitPassword(password: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onMFASubmitChallengeError invalidChallenge + [] Invalid challenge") {
            let (fixture, state) = try await Fixture.waitingForMFACode([])
            state.submitChallenge(challenge: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onRegisterStrongAuthSubmitChallengeError invalidChallenge + [] Invalid challenge") {
            let (fixture, state, _) = try await Fixture.waitingForRegistrationCode([])
            state.submitChallenge(challenge: "", delegate: $0)
            return (fixture.server, state)
        },
        Empty("onRegisterStrongAuthChallengeError invalidInput + [] Invalid input") {
            let (fixture, state, method) = try await Fixture.registering([])
            state.challengeAuthMethod(
                parameters: .init(authMethod: method, verificationContact: ""), delegate: $0)
            return (fixture.server, state)
        },
    ]

    @Test("What is empty is refused without a request, and the state stays", arguments: empty)
    func whatIsEmptyIsRefused(_ row: Empty) async throws {
        let delegate = FullDelegate()
        let (server, state) = try await row.call(delegate)
        #expect(delegate.mailbox.count == 0)
        let before = await server.requests.count
        let callback = try await delegate.mailbox.next()
        #expect(callback.summary == row.testDescription)
        #expect(callback.state === state)
        #expect(await server.requests.count == before)
    }

    @Test func anEmptyContactKeepsAStateAfterACodeToo() async throws {
        let (fixture, state, method) = try await Fixture.waitingForRegistrationCode([])
        let delegate = FullDelegate()
        state.challengeAuthMethod(parameters: .init(authMethod: method, verificationContact: ""), delegate: delegate)
        let expected = "onRegisterStrongAuthChallengeError invalidInput + [] Invalid input"
        #expect(try await delegate.mailbox.next().summary == expected)
        #expect(await fixture.server.unused == 0)
    }

    @Test func anEmptyDictionaryOfAttributesGoesToTheServer() async throws {
        let (fixture, state) = try await Fixture.waitingForAttributes([.attributesRequired])
        let delegate = FullDelegate()
        state.submitAttributes(attributes: [:], delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignUpAttributesRequired")
        #expect(await fixture.server.form()["attributes"] == "{}")
    }

    // MARK: Attributes

    private func sent(_ attributes: [String: Any]) async throws -> NSDictionary? {
        let fixture = try Fixture(.token("a"), .code("b"))
        _ = try await fixture.start(attributes: attributes)
        let json = try #require(await fixture.server.form(0)["attributes"])
        return try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary
    }

    @Test func textNumbersAndBooleansAreSentAsSuch() async throws {
        let optional: String? = "Aarhus"
        let attributes: [String: Any] = [
            "city": optional as Any, "age": 44, "small": UInt8(7), "news": true, "boxed": NSNumber(value: 5),
            "boxedFlag": NSNumber(value: true), "flatusername": "dana",
        ]
        let expected: NSDictionary = [
            "city": "Aarhus", "age": 44, "small": 7, "news": true, "boxed": 5, "boxedFlag": true,
            "flatusername": "dana",
        ]
        #expect(try await sent(attributes) == expected)
    }

    @Test func otherAttributesAreNamedInAnErrorAndNothingIsSent() async throws {
        let nothing: String? = nil
        let attributes: [String: Any] = [
            "city": "Aarhus", "born": Date(), "ratio": 0.5, "list": ["a"], "none": nothing as Any, "huge": UInt64.max,
            "boxed": NSNumber(value: 0.5),
        ]
        let fixture = try Fixture()
        let callback = try await fixture.start(attributes: attributes)
        #expect(callback.name == "onSignUpStartError")
        #expect(callback.flags.isEmpty)
        #expect(callback.error?.errorDescription?.hasSuffix(": born, boxed, huge, list, none, ratio") == true)
        #expect(await fixture.server.requests.isEmpty)
    }

    @Test func attributesOfALaterPageAreCheckedTheSameWay() async throws {
        let (fixture, state) = try await Fixture.waitingForAttributes([])
        let delegate = FullDelegate()
        state.submitAttributes(attributes: ["born": Date()], delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.name == "onSignUpAttributesRequiredError")
        #expect(callback.error?.errorDescription?.hasSuffix(": born") == true)
        #expect(await fixture.server.requests.count == 3)
    }

    // MARK: Parameters

    @Test func parametersAreReadBeforeTheCallReturns() async throws {
        let fixture = try Fixture(.token("a"), .code("b"))
        let delegate = FullDelegate()
        let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
        parameters.password = "correct horse"
        let correlationID = UUID()
        parameters.correlationId = correlationID
        fixture.app.signUp(parameters: parameters, delegate: delegate)
        parameters.username = "eve@example.com"
        parameters.password = nil
        _ = try await delegate.mailbox.next()
        let form = await fixture.server.form(0)
        #expect(form["username"] == "dana@example.com")
        #expect(form["password"] == "correct horse")
        #expect(await fixture.server.requests[0].headers["client-request-id"] == correlationID.uuidString)
    }

    @Test func theParametersOfASignInAreReadBeforeTheCallReturns() async throws {
        let fixture = try Fixture(.token("a"), .passwordWanted, .tokens())
        let delegate = FullDelegate()
        let parameters = MSALNativeAuthSignInParameters(username: "dana@example.com")
        parameters.password = "correct horse"
        parameters.scopes = ["api://orders/read"]
        let claims = MSALClaimsRequest(
            jsonString: #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#, error: nil)
        parameters.claimsRequest = claims
        let correlationID = UUID()
        parameters.correlationId = correlationID
        fixture.app.signIn(parameters: parameters, delegate: delegate)
        parameters.username = "eve@example.com"
        parameters.password = nil
        parameters.scopes = nil
        try claims.removeClaimRequest(withName: "acrs", target: .accessToken)
        #expect(try await delegate.mailbox.next().name == "onSignInCompleted")
        let form = await fixture.server.form()
        #expect(form["username"] == "dana@example.com")
        #expect(form["password"] == "correct horse")
        #expect(form["scope"] == "api://orders/read openid profile offline_access")
        #expect(form["claims"] == #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
        for request in await fixture.server.requests {
            #expect(request.headers["client-request-id"] == correlationID.uuidString)
        }
    }
}
