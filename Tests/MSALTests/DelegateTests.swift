import Dispatch
import Foundation
import MSAL
import NativeAuth
import Testing

/// Which queue code runs on. The main queue has no thread of its own everywhere, so threads tell nothing.
private let mainQueue = DispatchSpecificKey<Bool>()
private var isMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueue) == true }

/// What holds for every callback: when, where, and what takes the place of one that the app leaves out.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DelegateTests {
    // MARK: Callbacks that are left out

    private func expectMissing(_ name: String, in callback: Callback, error: String) {
        #expect(callback.name == error)
        #expect(callback.flags.isEmpty)
        #expect(callback.state == nil)
        #expect(callback.error?.errorDescription?.contains(name) == true)
        #expect(callback.error?.errorCodes == [])
        #expect(callback.error?.errorUri == nil)
        #expect(callback.error?.correlationId == Fixture.correlationID)
    }

    @Test func aStartWithoutTheCallbackForACodeIsAnError() async throws {
        let delegate = ErrorsOnlyDelegate()
        let fixture = try Fixture(.token("a"), .code("b"))
        fixture.app.signUp(parameters: .init(username: "dana@example.com"), delegate: delegate)
        expectMissing("onSignUpCodeRequired", in: try await delegate.mailbox.next(), error: "onSignUpStartError")
    }

    @Test func invalidAttributesWithoutTheirCallbackAreAFlagOfTheError() async throws {
        let delegate = ErrorsOnlyDelegate()
        let fixture = try Fixture(.invalidAttributes)
        fixture.app.signUp(parameters: .init(username: "dana@example.com"), delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.summary == "onSignUpStartError invalidAttributes - [7] Invalid attributes: city, flatusername")
        #expect(delegate.mailbox.count == 1)
    }

    nonisolated static let afterCode: [(String, [Reply])] = [
        ("onSignUpCompleted", [.token("x")]), ("onSignUpPasswordRequired", [.credentialRequired, .passwordWanted]),
        ("onSignUpAttributesRequired", [.attributesRequired]),
    ]

    @Test(arguments: afterCode)
    func aCodeWithoutTheCallbackThatIsDueIsAnError(_ name: String, _ replies: [Reply]) async throws {
        let delegate = ErrorsOnlyDelegate()
        try await Fixture.waitingForCode(replies).1.submitCode(code: "12345678", delegate: delegate)
        expectMissing(name, in: try await delegate.mailbox.next(), error: "onSignUpVerifyCodeError")
    }

    @Test func aResendWithoutItsCallbackIsAnError() async throws {
        let delegate = ErrorsOnlyDelegate()
        try await Fixture.waitingForCode([.code("x")]).1.resendCode(delegate: delegate)
        expectMissing(
            "onSignUpResendCodeCodeRequired", in: try await delegate.mailbox.next(), error: "onSignUpResendCodeError")
    }

    nonisolated static let afterPassword: [(String, [Reply])] = [
        ("onSignUpCompleted", [.token("x")]), ("onSignUpAttributesRequired", [.attributesRequired]),
    ]

    @Test(arguments: afterPassword)
    func aPasswordWithoutTheCallbackThatIsDueIsAnError(_ name: String, _ replies: [Reply]) async throws {
        let delegate = ErrorsOnlyDelegate()
        try await Fixture.waitingForPassword(replies).1.submitPassword(password: "correct horse", delegate: delegate)
        expectMissing(name, in: try await delegate.mailbox.next(), error: "onSignUpPasswordRequiredError")
    }

    nonisolated static let afterAttributes: [(String, [Reply])] = [
        ("onSignUpCompleted", [.token("x")]), ("onSignUpAttributesRequired", [.attributesRequired]),
        ("onSignUpAttributesInvalid", [.invalidAttributes]),
    ]

    @Test(arguments: afterAttributes)
    func attributesWithoutTheCallbackThatIsDueAreAnError(_ name: String, _ replies: [Reply]) async throws {
        let delegate = ErrorsOnlyDelegate()
        try await Fixture.waitingForAttributes(replies).1.submitAttributes(attributes: [:], delegate: delegate)
        expectMissing(name, in: try await delegate.mailbox.next(), error: "onSignUpAttributesRequiredError")
    }

    @Test func aSignInWithoutItsCallbackIsAnErrorAndStillSignsIn() async throws {
        let delegate = ErrorsOnlyDelegate()
        let (fixture, state) = try await Fixture.done([.tokens()])
        state.signIn(parameters: .init(), delegate: delegate)
        expectMissing("onSignInCompleted", in: try await delegate.mailbox.next(), error: "onSignInAfterSignUpError")
        #expect(fixture.app.getNativeAuthUserAccount()?.account.username == "dana@example.com")
    }

    @Test func anAccessTokenWithoutItsCallbackIsAnError() async throws {
        let delegate = ErrorsOnlyDelegate()
        let (_, result) = try await Fixture.signedIn([])
        result.getAccessToken(parameters: .init(), delegate: delegate)
        expectMissing(
            "onAccessTokenRetrieveCompleted", in: try await delegate.mailbox.next(), error: "onAccessTokenRetrieveError"
        )
    }

    @Test func aCallbackThatIsLeftOutDoesNotSpoilTheNextOne() async throws {
        let (_, state) = try await Fixture.waitingForCode([.token("x"), .token("y")])
        let bare = ErrorsOnlyDelegate()
        state.submitCode(code: "12345678", delegate: bare)
        _ = try await bare.mailbox.next()
        let full = FullDelegate()
        state.submitCode(code: "12345678", delegate: full)
        #expect(try await full.mailbox.next().name == "onSignUpCompleted")
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

    @Test func twoCallsOnOneStateAreIndependent() async throws {
        let (_, state) = try await Fixture.waitingForCode([.token("x"), .token("y")])
        let first = FullDelegate()
        let second = FullDelegate()
        state.submitCode(code: "12345678", delegate: first)
        state.submitCode(code: "12345678", delegate: second)
        #expect(try await first.mailbox.next().name == "onSignUpCompleted")
        #expect(try await second.mailbox.next().name == "onSignUpCompleted")
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

    @Test func anEmptyCodeIsRefusedAndTheStateKept() async throws {
        let (fixture, state) = try await Fixture.waitingForCode([])
        let delegate = FullDelegate()
        state.submitCode(code: "", delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.summary == "onSignUpVerifyCodeError invalidCode + [] Invalid code")
        #expect(callback.state === state)
        #expect(await fixture.server.requests.count == 2)
    }

    @Test func anEmptyPasswordIsRefusedAndTheStateKept() async throws {
        let (fixture, state) = try await Fixture.waitingForPassword([])
        let delegate = FullDelegate()
        state.submitPassword(password: "", delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.summary == "onSignUpPasswordRequiredError invalidPassword + [] Invalid password")
        #expect(callback.state === state)
        #expect(await fixture.server.requests.count == 4)
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
}
