import Foundation
import IdentityEngine
import MSAL
import NativeAuth
import NativeAuthTesting
import Testing

/// The main paths through the delegates of `MSAL`, with the real server: nothing here is scripted.
@MainActor
@Suite("Delegates against the server in the same process", .timeLimit(.minutes(2)))
struct InProcessDelegateTests {
    private let delegate = FullDelegate()

    private func next(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Callback {
        let callback = try await delegate.mailbox.next()
        #expect(callback.name == name, "\(callback)", sourceLocation: sourceLocation)
        return callback
    }

    /// The next callback, whose state must be of this type.
    private func state<State>(
        _ name: String, _ type: State.Type = State.self, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> State {
        try #require(
            try await next(name, sourceLocation: sourceLocation).state as? State, sourceLocation: sourceLocation)
    }

    private func live(_ callback: Callback, in world: InProcess) async throws -> [String]? {
        let result = try #require(callback.state as? MSALNativeAuthTokenResult)
        #expect(result.refreshToken == nil, "it was not asked for")
        let tenant = try #require(try await world.server.engine.ports.clients.tenant(named: "contoso"))
        let live = try await world.server.engine.live(
            Secret(result.accessToken), in: tenant, now: world.server.clock.now)
        return live?.claims.methods
    }

    // MARK: First factor

    @Test("sign-up with all at the start, sign-in after it, a token, and sign-out", arguments: Form.allCases)
    func signUp(_ form: Form) async throws {
        let world = try InProcess()
        let calls = form.calls(on: .init(try world.configuration(.emailPasswordWithAttributes)), delegate)
        calls.signUp(InProcess.email, InProcess.password, ["country": "Danmark", "city": "Ribe"])
        let code: SignUpCodeRequiredState = try await state("onSignUpCodeRequired")
        code.resendCode(delegate: delegate)
        let resent: SignUpCodeRequiredState = try await state("onSignUpResendCodeCodeRequired")
        resent.submitCode(code: try await world.wrongCode(), delegate: delegate)
        let wrong = try await next("onSignUpVerifyCodeError")
        #expect(wrong.flags == ["invalidCode"])
        let again = try #require(wrong.state as? SignUpCodeRequiredState)
        again.submitCode(code: try await world.code(), delegate: delegate)
        calls.signIn(after: try await state("onSignUpCompleted", SignInAfterSignUpState.self))
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        #expect(result.account.username == InProcess.email)
        calls.getAccessToken(of: result)
        #expect(try await live(next("onAccessTokenRetrieveCompleted"), in: world) == ["pwd", "otp", "mfa"])
        result.signOut()
        #expect(calls.app.getNativeAuthUserAccount() == nil)
        calls.getAccessToken(of: result)
        _ = try await next("onAccessTokenRetrieveError")
    }

    @Test("sign-in with the number of a telephone: the code comes as a text message", arguments: Form.allCases)
    func signInWithNumber(_ form: Form) async throws {
        let world = try InProcess { $0.hasTextGateway = true }
        try await world.signUp()
        try await world.givePhone("+15555550123")
        let calls = form.calls(on: .init(try world.configuration(.emailPassword)), delegate)
        calls.signIn("+1 (555) 555-0199", nil)
        #expect(try await next("onSignInStartError").flags == ["userNotFound"])
        calls.signIn("+1 (555) 555-0123", nil)
        let sent = try await next("onSignInCodeRequired")
        #expect(sent.detail == "+1*********3 sms 8", "\(sent)")
        let step = try #require(sent.state as? SignInCodeRequiredState)
        step.submitCode(code: try await world.code("+15555550123"), delegate: delegate)
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        #expect(result.account.username == InProcess.email)
        calls.getAccessToken(of: result)
        #expect(try await live(next("onAccessTokenRetrieveCompleted"), in: world) == ["sms"])
    }

    @Test("sign-in with a password at the start and later", arguments: Form.allCases)
    func signInWithPassword(_ form: Form) async throws {
        let world = try InProcess()
        try await world.signUp(alias: "dana.42")
        let calls = form.calls(on: .init(try world.configuration(.emailPassword)), delegate)
        calls.signIn(InProcess.email, "Wrong-Tulip-42")
        let refused = try await next("onSignInStartError")
        #expect(refused.flags == ["invalidCredentials"] && refused.error?.errorCodes == [50126])
        calls.signIn("erik@example.com", nil)
        #expect(try await next("onSignInStartError").flags == ["userNotFound"])
        calls.signIn("dana.42", nil)
        let step: SignInPasswordRequiredState = try await state("onSignInPasswordRequired")
        step.submitPassword(password: "Wrong-Tulip-42", delegate: delegate)
        let wrong = try await next("onSignInPasswordRequiredError")
        #expect(wrong.flags == ["invalidPassword"])
        let again = try #require(wrong.state as? SignInPasswordRequiredState)
        again.submitPassword(password: InProcess.password, delegate: delegate)
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        #expect(result.account.username == InProcess.email)
        #expect(calls.app.getNativeAuthUserAccount()?.account == result.account)
        calls.signIn(InProcess.email, InProcess.password)
        _ = try await next("onSignInCompleted")
    }

    @Test("sign-in with a code: sent again, wrong, right", arguments: Form.allCases)
    func signInWithCode(_ form: Form) async throws {
        let world = try InProcess()
        try await world.signUpWithCode()
        let calls = form.calls(on: .init(try world.configuration(.emailOneTimePasscode)), delegate)
        calls.signIn(InProcess.email, nil)
        let sent = try await next("onSignInCodeRequired")
        #expect(sent.detail.hasSuffix(" 8") && !sent.detail.contains(InProcess.email))
        try #require(sent.state as? SignInCodeRequiredState).resendCode(delegate: delegate)
        let step: SignInCodeRequiredState = try await state("onSignInResendCodeCodeRequired")
        step.submitCode(code: try await world.wrongCode(), delegate: delegate)
        let wrong = try await next("onSignInVerifyCodeError")
        #expect(wrong.flags == ["invalidCode"])
        let again = try #require(wrong.state as? SignInCodeRequiredState)
        again.submitCode(code: try await world.code(), delegate: delegate)
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        calls.getAccessToken(of: result)
        #expect(try await live(next("onAccessTokenRetrieveCompleted"), in: world) == ["otp"])
    }

    // MARK: Reset

    @Test("reset: wrong code, current password, new one, and sign-in after it", arguments: Form.allCases)
    func reset(_ form: Form) async throws {
        let world = try InProcess()
        try await world.signUp()
        try await world.signUpWithCode("erik@example.com")
        let calls = form.calls(on: .init(try world.configuration(.emailPassword)), delegate)
        calls.resetPassword("nobody@example.com")
        #expect(try await next("onResetPasswordStartError").flags == ["userNotFound"])
        calls.resetPassword("erik@example.com")
        #expect(try await next("onResetPasswordStartError").flags == ["userDoesNotHavePassword"])
        calls.resetPassword(InProcess.email)
        let code: ResetPasswordCodeRequiredState = try await state("onResetPasswordCodeRequired")
        code.resendCode(delegate: delegate)
        let resent: ResetPasswordCodeRequiredState = try await state("onResetPasswordResendCodeRequired")
        resent.submitCode(code: try await world.wrongCode(), delegate: delegate)
        let wrong = try await next("onResetPasswordVerifyCodeError")
        #expect(wrong.flags == ["invalidCode"])
        let again = try #require(wrong.state as? ResetPasswordCodeRequiredState)
        again.submitCode(code: try await world.code(), delegate: delegate)
        let choose: ResetPasswordRequiredState = try await state("onPasswordRequired")
        choose.submitPassword(password: InProcess.password, delegate: delegate)
        let current = try await next("onResetPasswordRequiredError")
        #expect(current.flags == ["invalidPassword"])
        let better = try #require(current.state as? ResetPasswordRequiredState)
        better.submitPassword(password: InProcess.newPassword, delegate: delegate)
        calls.signIn(after: try await state("onResetPasswordCompleted", SignInAfterResetPasswordState.self))
        _ = try await next("onSignInCompleted")
        calls.signIn(InProcess.email, InProcess.password)
        #expect(try await next("onSignInStartError").flags == ["invalidCredentials"])
        calls.signIn(InProcess.email, InProcess.newPassword)
        _ = try await next("onSignInCompleted")
    }

    // MARK: Second factor and registration

    @Test("a second factor that a claim demands: no method named, another one, wrong code, right code")
    func secondFactor() async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        try await world.addMethod("dana@work.example")
        let app = MSALNativeAuthPublicClientApplication(
            try world.configuration(.emailPassword, can: [.mfaRequired, .registrationRequired]))
        let parameters = MSALNativeAuthSignInParameters(username: InProcess.email)
        parameters.password = InProcess.password
        parameters.claimsRequest = MSALClaimsRequest(jsonString: InProcess.claims, error: nil)
        app.signIn(parameters: parameters, delegate: delegate)
        let awaiting = try await next("onSignInAwaitingMFA")
        #expect(awaiting.detail.split(separator: " ").count == 2)
        let waiting = try #require(awaiting.state as? AwaitingMFAState)
        waiting.requestChallenge(authMethod: nil, delegate: delegate)
        let selection: MFARequiredState = try await state("onMFARequestChallengeSelectionRequired")
        (OldMethods(state: selection) as any OldMethodsCall).getAuthMethods(delegate)
        let listed = try await next("onMFAGetAuthMethodsSelectionRequired")
        #expect(listed.detail == awaiting.detail)

        let methods = try await methods(world, app)
        waiting.requestChallenge(authMethod: methods[1], delegate: delegate)
        let first: MFARequiredState = try await state("onMFARequestChallengeVerificationRequired")
        first.submitChallenge(challenge: try await world.wrongCode("dana@work.example"), delegate: delegate)
        let wrong = try await next("onMFASubmitChallengeError")
        #expect(wrong.flags == ["invalidChallenge"])
        let again = try #require(wrong.state as? MFARequiredState)
        again.requestChallenge(authMethod: methods[0], delegate: delegate)
        let second: MFARequiredState = try await state("onMFARequestChallengeVerificationRequired")
        second.submitChallenge(challenge: try await world.code(InProcess.contact), delegate: delegate)
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        result.getAccessToken(parameters: .init(), delegate: delegate)
        #expect(try await live(next("onAccessTokenRetrieveCompleted"), in: world) == ["pwd", "otp", "mfa"])
    }

    @Test(
        "SEC-TOTP-9: an app that knows mail and texts alone gives the code of an authenticator app, and a recovery code"
    )
    func codesThatTheUserHas() async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        let (secret, recovery) = try await world.giveApp()
        let app = MSALNativeAuthPublicClientApplication(
            try world.configuration(.emailPassword, can: [.mfaRequired, .registrationRequired]))
        let parameters = MSALNativeAuthSignInParameters(username: InProcess.email)
        parameters.password = InProcess.password
        parameters.claimsRequest = MSALClaimsRequest(jsonString: InProcess.claims, error: nil)
        for channel in ["totp", "recovery_code"] {
            app.signIn(parameters: parameters, delegate: delegate)
            let waiting: AwaitingMFAState = try await state("onSignInAwaitingMFA")
            let methods = try await methods(world, app)
            #expect(methods.map(\.channelTargetType.value) == ["totp", "email", "recovery_code"])
            let method = try #require(methods.first { $0.channelTargetType.value == channel })
            #expect(!method.channelTargetType.isEmailType && !method.channelTargetType.isSMSType)
            waiting.requestChallenge(authMethod: method, delegate: delegate)
            let sent = try await next("onMFARequestChallengeVerificationRequired")
            let required = try #require(sent.state as? MFARequiredState)
            let code =
                channel == "totp" ? secret.code(at: AppSecret.step(at: world.server.clock.now)) : recovery.shown
            required.submitChallenge(challenge: code.reveal(), delegate: delegate)
            let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
            result.getAccessToken(parameters: .init(), delegate: delegate)
            let proven = channel == "totp" ? ["pwd", "otp", "mfa"] : ["pwd", "recovery"]
            #expect(try await live(next("onAccessTokenRetrieveCompleted"), in: world) == proven)
        }
    }

    /// The methods themselves, which the recorder keeps as text only.
    private func methods(
        _ world: InProcess, _ app: MSALNativeAuthPublicClientApplication
    ) async throws -> [MSALAuthMethod] {
        final class Methods: SignInStartDelegate {
            let (stream, found) = AsyncStream<[MSALAuthMethod]>.makeStream()

            func onSignInStartError(error: SignInStartError) {
                found.finish()
            }

            func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) {
                found.yield(authMethods)
            }
        }
        let delegate = Methods()
        let parameters = MSALNativeAuthSignInParameters(username: InProcess.email)
        parameters.password = InProcess.password
        parameters.claimsRequest = MSALClaimsRequest(jsonString: InProcess.claims, error: nil)
        app.signIn(parameters: parameters, delegate: delegate)
        for await methods in delegate.stream { return methods }
        throw CancellationError()
    }

    @Test("the oldest form of a second factor, which names no method and knows no methods")
    func theOldestSecondFactor() async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        let screen = OldScreen()
        screen.nativeAuth = MSALNativeAuthPublicClientApplication(try world.configuration(.demanding))
        screen.password = InProcess.password
        (screen as any OldCalls).signInPressed()
        #expect(await screen.result.next() == "second factor")
        #expect(await screen.result.next()?.hasPrefix("sent to ") == true)
        let state = try #require(screen.mfaState)
        state.submitChallenge(challenge: try await world.code(InProcess.contact), delegate: screen)
        #expect(await screen.result.next() == "in")
    }

    @Test("registering a method: a bad contact, wrong code, another contact, right code", arguments: Form.allCases)
    func registration(_ form: Form) async throws {
        let world = try InProcess()
        try await world.signUp()
        let chooser = Registrar(delegate)
        let app = MSALNativeAuthPublicClientApplication(try world.configuration(.demanding))
        form.calls(on: app, chooser).signIn(InProcess.email, InProcess.password)
        let start: RegisterStrongAuthState = try await state("onSignInStrongAuthMethodRegistration")
        let method = try #require(chooser.methods.first)
        #expect(method.loginHint == InProcess.email)
        start.challengeAuthMethod(
            parameters: form.parameters(of: method, contact: "no address"), delegate: delegate)
        let bad = try await next("onRegisterStrongAuthChallengeError")
        #expect(bad.flags == ["invalidInput"])
        let usable = try #require(bad.state as? RegisterStrongAuthState)
        usable.challengeAuthMethod(
            parameters: form.parameters(of: method, contact: "dana@work.example"), delegate: delegate)
        let sent: RegisterStrongAuthVerificationRequiredState = try await state(
            "onRegisterStrongAuthVerificationRequired")
        sent.submitChallenge(challenge: try await world.wrongCode("dana@work.example"), delegate: delegate)
        let wrong = try await next("onRegisterStrongAuthSubmitChallengeError")
        #expect(wrong.flags == ["invalidChallenge"])
        let again = try #require(wrong.state as? RegisterStrongAuthVerificationRequiredState)
        again.challengeAuthMethod(
            parameters: form.parameters(of: method, contact: InProcess.contact), delegate: delegate)
        let other: RegisterStrongAuthVerificationRequiredState = try await state(
            "onRegisterStrongAuthVerificationRequired")
        other.submitChallenge(challenge: try await world.code(InProcess.contact), delegate: delegate)
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        result.getAccessToken(parameters: .init(), delegate: delegate)
        #expect(try await live(next("onAccessTokenRetrieveCompleted"), in: world) == ["pwd", "otp", "mfa"])
        #expect(try await world.server.rows("SELECT email FROM strong_methods") == [[InProcess.contact]])
    }

    @Test("after a sign-up the address that the server suggests is verified already", arguments: Form.allCases)
    func preverified(_ form: Form) async throws {
        let world = try InProcess()
        let chooser = Registrar(delegate)
        let app = MSALNativeAuthPublicClientApplication(try world.configuration(.demanding))
        let calls = form.calls(on: app, chooser)
        calls.signUp(InProcess.email, InProcess.password, nil)
        let code: SignUpCodeRequiredState = try await state("onSignUpCodeRequired")
        code.submitCode(code: try await world.code(), delegate: delegate)
        calls.signIn(after: try await state("onSignUpCompleted", SignInAfterSignUpState.self))
        let start: RegisterStrongAuthState = try await state("onSignInStrongAuthMethodRegistration")
        let method = try #require(chooser.methods.first)
        start.challengeAuthMethod(parameters: .init(authMethod: method), delegate: delegate)
        _ = try await next("onSignInCompleted")
        #expect(try await world.server.rows("SELECT email FROM strong_methods") == [[InProcess.email]])
    }

    @Test(
        "without the capability the browser is needed, at the start, after the password, and after a reset",
        arguments: Form.allCases)
    func missingCapability(_ form: Form) async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        let app = MSALNativeAuthPublicClientApplication(try world.configuration(.demanding, can: []))
        let calls = form.calls(on: app, delegate)
        calls.signIn(InProcess.email, InProcess.password)
        #expect(try await next("onSignInStartError").flags == ["browserRequired"])
        calls.signIn(InProcess.email, nil)
        let step: SignInPasswordRequiredState = try await state("onSignInPasswordRequired")
        step.submitPassword(password: InProcess.password, delegate: delegate)
        #expect(try await next("onSignInPasswordRequiredError").flags == ["browserRequired"])
        calls.resetPassword(InProcess.email)
        let code: ResetPasswordCodeRequiredState = try await state("onResetPasswordCodeRequired")
        code.submitCode(code: try await world.code(), delegate: delegate)
        let choose: ResetPasswordRequiredState = try await state("onPasswordRequired")
        choose.submitPassword(password: InProcess.newPassword, delegate: delegate)
        calls.signIn(after: try await state("onResetPasswordCompleted", SignInAfterResetPasswordState.self))
        let error = try #require(try await next("onSignInAfterResetPasswordError").error)
        #expect((error as? SignInAfterResetPasswordError)?.isBrowserRequired == true)
        #expect(app.getNativeAuthUserAccount() == nil)
    }

    @Test("an account that is locked, and a session that a reset ended, are told as they are")
    func lockedAndEnded() async throws {
        let world = try InProcess { $0.limits = .init() }
        try await world.signUp()
        let calls = Form.parameters.calls(on: .init(try world.configuration(.emailPassword)), delegate)
        calls.signIn(InProcess.email, InProcess.password)
        let result: MSALNativeAuthUserAccountResult = try await state("onSignInCompleted")
        for number in 1...10 {
            calls.signIn(InProcess.email, "Wrong-Tulip-\(number)")
            #expect(try await next("onSignInStartError").flags == ["invalidCredentials"])
        }
        calls.signIn(InProcess.email, InProcess.password)
        let locked = try await next("onSignInStartError")
        #expect(locked.flags == [] && locked.error?.errorCodes == [50053])
        calls.resetPassword(InProcess.email)
        let code: ResetPasswordCodeRequiredState = try await state("onResetPasswordCodeRequired")
        code.submitCode(code: try await world.code(), delegate: delegate)
        let choose: ResetPasswordRequiredState = try await state("onPasswordRequired")
        choose.submitPassword(password: InProcess.newPassword, delegate: delegate)
        _ = try await next("onResetPasswordCompleted")
        calls.getAccessToken(of: result)
        #expect(try await next("onAccessTokenRetrieveError").flags == ["refreshTokenExpired"])
    }
}

// MARK: - Two forms of the same calls

/// The calls of an app in the current form, and in the form of releases before 2.0.
enum Form: CaseIterable, Sendable {
    case parameters, arguments

    func calls(
        on app: MSALNativeAuthPublicClientApplication, _ delegate: any AppDelegate
    ) -> any AppCalls {
        switch self {
        case .parameters: ParameterCalls(app: app, delegate: delegate)
        case .arguments: ArgumentCalls(app: app, delegate: delegate)
        }
    }

    /// The contact with the others, or set afterwards.
    func parameters(of method: MSALAuthMethod, contact: String) -> MSALNativeAuthChallengeAuthMethodParameters {
        switch self {
        case .parameters:
            return .init(authMethod: method, verificationContact: contact)
        case .arguments:
            let parameters = MSALNativeAuthChallengeAuthMethodParameters(authMethod: method)
            parameters.verificationContact = contact
            return parameters
        }
    }
}

typealias AppDelegate = SignUpStartDelegate & SignInStartDelegate & SignInAfterSignUpDelegate
    & SignInAfterResetPasswordDelegate & ResetPasswordStartDelegate & CredentialsDelegate

/// Deprecated calls go through this protocol, so that the tests build without warnings.
protocol AppCalls {
    var app: MSALNativeAuthPublicClientApplication { get }
    func signUp(_ username: String, _ password: String?, _ attributes: [String: Any]?)
    func signIn(_ username: String, _ password: String?)
    func signIn(after state: SignInAfterSignUpState)
    func signIn(after state: SignInAfterResetPasswordState)
    func resetPassword(_ username: String)
    func getAccessToken(of result: MSALNativeAuthUserAccountResult)
}

private struct ParameterCalls: AppCalls {
    let app: MSALNativeAuthPublicClientApplication
    let delegate: any AppDelegate

    func signUp(_ username: String, _ password: String?, _ attributes: [String: Any]?) {
        let parameters = MSALNativeAuthSignUpParameters(username: username)
        parameters.password = password
        parameters.attributes = attributes
        app.signUp(parameters: parameters, delegate: delegate)
    }

    func signIn(_ username: String, _ password: String?) {
        let parameters = MSALNativeAuthSignInParameters(username: username)
        parameters.password = password
        app.signIn(parameters: parameters, delegate: delegate)
    }

    func signIn(after state: SignInAfterSignUpState) {
        state.signIn(parameters: .init(), delegate: delegate)
    }

    func signIn(after state: SignInAfterResetPasswordState) {
        state.signIn(parameters: .init(), delegate: delegate)
    }

    func resetPassword(_ username: String) {
        app.resetPassword(parameters: .init(username: username), delegate: delegate)
    }

    func getAccessToken(of result: MSALNativeAuthUserAccountResult) {
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.forceRefresh = true
        result.getAccessToken(parameters: parameters, delegate: delegate)
    }
}

private struct ArgumentCalls: AppCalls {
    let app: MSALNativeAuthPublicClientApplication
    let delegate: any AppDelegate

    @available(*, deprecated)
    func signUp(_ username: String, _ password: String?, _ attributes: [String: Any]?) {
        app.signUp(username: username, password: password, attributes: attributes, delegate: delegate)
    }

    @available(*, deprecated)
    func signIn(_ username: String, _ password: String?) {
        app.signIn(username: username, password: password, delegate: delegate)
    }

    @available(*, deprecated)
    func signIn(after state: SignInAfterSignUpState) {
        state.signIn(delegate: delegate)
    }

    @available(*, deprecated)
    func signIn(after state: SignInAfterResetPasswordState) {
        state.signIn(delegate: delegate)
    }

    @available(*, deprecated)
    func resetPassword(_ username: String) {
        app.resetPassword(username: username, delegate: delegate)
    }

    @available(*, deprecated)
    func getAccessToken(of result: MSALNativeAuthUserAccountResult) {
        result.getAccessToken(forceRefresh: true, delegate: delegate)
    }
}

private protocol OldMethodsCall {
    func getAuthMethods(_ delegate: FullDelegate)
}

private struct OldMethods: OldMethodsCall {
    let state: MFARequiredState

    @available(*, deprecated)
    func getAuthMethods(_ delegate: FullDelegate) {
        state.getAuthMethods(delegate: delegate)
    }
}

/// Keeps the methods that can be registered, and passes everything on to a recorder.
@MainActor
final class Registrar: SignUpStartDelegate, SignInStartDelegate, SignInAfterSignUpDelegate,
    SignInAfterResetPasswordDelegate, ResetPasswordStartDelegate, CredentialsDelegate
{
    private let recorder: FullDelegate
    private(set) var methods: [MSALAuthMethod] = []

    init(_ recorder: FullDelegate) {
        self.recorder = recorder
    }

    func onSignUpStartError(error: SignUpStartError) { recorder.onSignUpStartError(error: error) }
    func onSignInStartError(error: SignInStartError) { recorder.onSignInStartError(error: error) }
    func onSignInAfterSignUpError(error: SignInAfterSignUpError) { recorder.onSignInAfterSignUpError(error: error) }
    func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError) {
        recorder.onSignInAfterResetPasswordError(error: error)
    }
    func onResetPasswordStartError(error: ResetPasswordStartError) { recorder.onResetPasswordStartError(error: error) }
    func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) {
        recorder.onAccessTokenRetrieveError(error: error)
    }

    func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        recorder.onSignUpCodeRequired(
            newState: newState, sentTo: sentTo, channelTargetType: channelTargetType, codeLength: codeLength)
    }

    func onSignInStrongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState) {
        methods = authMethods
        recorder.onSignInStrongAuthMethodRegistration(authMethods: authMethods, newState: newState)
    }
}
