import Foundation
import MSAL
import NativeAuth
import Testing

/// Stands in for the outlets of a view controller.
final class Outlet {
    let (texts, shown) = AsyncStream<String>.makeStream()
    var text: String? {
        didSet { shown.yield(text ?? "") }
    }

    func next() async -> String? {
        for await text in texts { return text }
        return nil
    }
}

/// A screen of an app. Calls that a tutorial deprecates go through this protocol, so that the tests build without
/// warnings.
protocol SignUpScreen: AnyObject {
    var nativeAuth: MSALNativeAuthPublicClientApplication! { get set }
    var result: Outlet { get }
    func signUpPressed()
}

// MARK: - The shape of the oldest tutorial: a user name, nothing else

final class UserNameScreen: SignUpScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var email = "dana@example.com"
    var userSuppliedCode = "12345678"
    var lastState: SignUpCodeRequiredState?
    var done: SignInAfterSignUpState?

    @available(*, deprecated)
    func signUpPressed() {
        nativeAuth.signUp(username: email, delegate: self)
    }

    func submitPressed() {
        lastState?.submitCode(code: userSuppliedCode, delegate: self)
    }

    @available(*, deprecated)
    func signInPressed() {
        done?.signIn(delegate: self)
    }
}

extension UserNameScreen: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        result.text = error.isUserAlreadyExists ? "taken" : "failed: \(error.errorDescription ?? "no description")"
    }

    func onSignUpCodeRequired(
        newState: MSAL.SignUpCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        lastState = newState
        result.text = "sent to \(sentTo)"
    }
}

extension UserNameScreen: SignUpVerifyCodeDelegate {
    func onSignUpVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignUpCodeRequiredState?) {
        result.text = "refused: \(error.errorDescription ?? "no description")"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        done = newState
        result.text = "done"
    }
}

extension UserNameScreen: SignInAfterSignUpDelegate {
    func onSignInAfterSignUpError(error: MSAL.SignInAfterSignUpError) {
        result.text = "not in: \(error.errorDescription ?? "no description")"
    }

    @available(*, deprecated)
    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        self.result.text = "in: \(result.account.username ?? "no user")"
        result.getAccessToken(delegate: self)
    }
}

extension UserNameScreen: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        result.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        self.result.text = result.accessToken
    }
}

// MARK: - The shape of the middle tutorials: user name, password and attributes as arguments; three flags

final class ArgumentsScreen: SignUpScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var email = "dana@example.com"
    var password: String?
    var hasAttributes = false

    @available(*, deprecated)
    func signUpPressed() {
        let attributes = [
            "country": "Denmark",
            "city": "Aarhus",
        ]
        switch (password, hasAttributes) {
        case (let password?, true):
            nativeAuth.signUp(username: email, password: password, attributes: attributes, delegate: self)
        case (let password?, false):
            nativeAuth.signUp(username: email, password: password, delegate: self)
        case (nil, true):
            nativeAuth.signUp(username: email, attributes: attributes, delegate: self)
        case (nil, false):
            nativeAuth.signUp(username: email, delegate: self)
        }
    }
}

extension ArgumentsScreen: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        if error.isUserAlreadyExists {
            result.text = "taken"
        } else if error.isInvalidPassword {
            result.text = "bad password"
        } else if error.isInvalidUsername {
            result.text = "bad username"
        } else {
            result.text = "failed: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignUpCodeRequired(
        newState: MSAL.SignUpCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        result.text = "sent to \(sentTo)"
    }

    func onSignUpAttributesInvalid(attributeNames: [String]) {
        result.text = "bad attributes: \(attributeNames)"
    }
}

// MARK: - The shape of the newer tutorials: a parameter object; attributes on pages; the one-argument callback

final class ParametersScreen: SignUpScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var codeState: SignUpCodeRequiredState?
    var attributesState: SignUpAttributesRequiredState?

    func signUpPressed() {
        let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
        parameters.password = "correct horse"
        nativeAuth.signUp(parameters: parameters, delegate: self)
    }
}

extension ParametersScreen: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        result.text = "failed: \(error.errorDescription ?? "no description")"
    }

    func onSignUpCodeRequired(
        newState: MSAL.SignUpCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        codeState = newState
        result.text = "sent to \(sentTo)"
    }
}

extension ParametersScreen: SignUpVerifyCodeDelegate {
    func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState) {
        attributesState = newState
        result.text = "attributes, please"
    }

    func onSignUpVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignUpCodeRequiredState?) {
        result.text = "refused: \(error.errorDescription ?? "no description")"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        result.text = "done"
    }
}

/// The page that follows; a class of its own, because it declares two of the same callbacks.
final class AttributesPage: SignUpAttributesRequiredDelegate {
    let result: Outlet
    var attributesState: SignUpAttributesRequiredState?

    init(result: Outlet) {
        self.result = result
    }

    func onSignUpAttributesRequiredError(error: AttributesRequiredError) {
        result.text = "attributes failed: \(error.errorDescription ?? "no description")"
    }

    func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        attributesState = newState
        result.text = "more attributes: \(attributes.map(\.name))"
    }

    func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState) {
        attributesState = newState
        result.text = "bad attributes: \(attributeNames)"
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        result.text = "done"
    }
}

// MARK: - The shape of the newest tutorial: the alias, whose errors are flags

final class AliasScreen: SignUpScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()

    func signUpPressed() {
        let attributes: [String: Any] = ["flatusername": "dana"]
        let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
        parameters.attributes = attributes
        nativeAuth.signUp(parameters: parameters, delegate: self)
    }
}

extension AliasScreen: SignUpStartDelegate {
    func onSignUpStartError(error: MSAL.SignUpStartError) {
        if error.isUserAlreadyExists {
            result.text = "taken"
        } else if error.isInvalidAttributes {
            result.text = "bad alias: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignUpCodeRequired(
        newState: MSAL.SignUpCodeRequiredState, sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType, codeLength: Int
    ) {
        result.text = "sent to \(sentTo)"
    }
}

// MARK: - They behave as their tutorials say

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TutorialTests {
    private func open<Screen: SignUpScreen>(_ screen: Screen, _ replies: Reply...) throws -> (Screen, ScriptedTransport)
    {
        let fixture = try Fixture(replies)
        screen.nativeAuth = fixture.app
        (screen as any SignUpScreen).signUpPressed()
        return (screen, fixture.server)
    }

    @Test func theOldestShapeSignsUp() async throws {
        let (screen, server) = try open(UserNameScreen(), .token("a"), .code("b"), .token("c"))
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        screen.submitPressed()
        #expect(await screen.result.next() == "done")
        #expect(await server.form()["oob"] == "12345678")
    }

    @Test func theOldestShapeSignsInAfterwards() async throws {
        let (screen, _) = try open(UserNameScreen(), .token("a"), .code("b"), .token("c"), .tokens())
        _ = await screen.result.next()
        screen.submitPressed()
        _ = await screen.result.next()
        let done = try #require(screen.done)
        done.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: screen)
        #expect(await screen.result.next() == "in: dana@example.com")
        #expect(await screen.result.next() == "at-1")
    }

    @Test func theOldestShapeTellsATakenName() async throws {
        let (screen, _) = try open(UserNameScreen(), .error("user_already_exists"))
        #expect(await screen.result.next() == "taken")
    }

    @Test func theOldestShapeTellsAWrongCode() async throws {
        let (screen, _) = try open(
            UserNameScreen(), .token("a"), .code("b"), .error("invalid_grant", "invalid_oob_value"))
        _ = await screen.result.next()
        screen.submitPressed()
        #expect(await screen.result.next() == "refused: said")
    }

    @Test(arguments: [nil, "correct horse"], [false, true])
    func argumentsReachTheServer(_ password: String?, _ hasAttributes: Bool) async throws {
        let screen = ArgumentsScreen()
        screen.password = password
        screen.hasAttributes = hasAttributes
        let (_, server) = try open(screen, .token("a"), .code("b"))
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        let form = await server.form(0)
        #expect(form["password"] == password)
        #expect((form["attributes"] != nil) == hasAttributes)
    }

    nonisolated static let startErrors: [(Reply, String)] = [
        (.error("user_already_exists"), "taken"),
        (.error("invalid_grant", "password_too_weak"), "bad password"),
        (
            .refused(
                #"{"error":"invalid_request","error_codes":[90100],"error_description":"#
                    + #""username parameter is empty or not valid"}"#), "bad username"
        ),
        (.error("unauthorized_client"), "failed: said"),
        (.invalidAttributes, #"bad attributes: ["city", "flatusername"]"#),
    ]

    @Test(arguments: startErrors)
    func theFlagsTellErrorsApart(_ reply: Reply, _ expected: String) async throws {
        let (screen, _) = try open(ArgumentsScreen(), reply)
        #expect(await screen.result.next() == expected)
    }

    @Test func theOneArgumentCallbackIsCalledAndTheFlowGoesOnPageByPage() async throws {
        let (screen, server) = try open(
            ParametersScreen(), .token("a"), .code("b"), .attributesRequired, .attributesRequired, .invalidAttributes,
            .token("d"))
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        screen.codeState?.submitCode(code: "12345678", delegate: screen)
        #expect(await screen.result.next() == "attributes, please")

        let page = AttributesPage(result: screen.result)
        screen.attributesState?.submitAttributes(attributes: ["country": "Denmark"], delegate: page)
        #expect(await screen.result.next() == #"more attributes: ["country", "city"]"#)
        page.attributesState?.submitAttributes(attributes: ["city": ""], delegate: page)
        #expect(await screen.result.next() == #"bad attributes: ["city", "flatusername"]"#)
        page.attributesState?.submitAttributes(attributes: ["city": "Aarhus"], delegate: page)
        #expect(await screen.result.next() == "done")
        #expect(await server.unused == 0)
    }

    @Test func theFormWithTwoArgumentsWinsOverTheOneWithOne() async throws {
        final class Both: SignUpVerifyCodeDelegate {
            let result = Outlet()

            func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) {
                result.text = "refused"
            }

            func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState) {
                result.text = "one"
            }

            func onSignUpAttributesRequired(
                attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
            ) {
                result.text = "two"
            }
        }
        let delegate = Both()
        try await Fixture.waitingForCode([.attributesRequired]).1.submitCode(code: "12345678", delegate: delegate)
        #expect(await delegate.result.next() == "two")
    }

    @Test func theNewestShapeTellsAnInvalidAliasAndATakenOne() async throws {
        let (invalid, server) = try open(AliasScreen(), .invalidAttributes)
        #expect(await invalid.result.next() == "bad alias: Invalid attributes: city, flatusername")
        #expect(await server.form()["attributes"] == #"{"flatusername":"dana"}"#)
        let (taken, _) = try open(AliasScreen(), .error("user_already_exists"))
        #expect(await taken.result.next() == "taken")
    }
}
