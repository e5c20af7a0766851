import Foundation
import MSAL
import Testing

// The forms of the other tutorials of the series: one screen each, written like an app.

// MARK: - Sign-in with a parameter object, access token, sign-out

final class SignInScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var codeState: SignInCodeRequiredState?
    var passwordState: SignInPasswordRequiredState?
    var accountResult: MSALNativeAuthUserAccountResult?

    func signInPressed(password: String? = nil) {
        let parameters = MSALNativeAuthSignInParameters(username: "dana@example.com")
        parameters.password = password
        parameters.scopes = ["api://orders/read"]
        nativeAuth.signIn(parameters: parameters, delegate: self)
    }

    func tokenPressed() {
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.scopes = ["api://orders/read"]
        accountResult?.getAccessToken(parameters: parameters, delegate: self)
    }

    func signOutPressed() {
        accountResult?.signOut()
        accountResult = nativeAuth.getNativeAuthUserAccount()
    }
}

extension SignInScreen: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        if error.isUserNotFound {
            result.text = "no user"
        } else if error.isInvalidCredentials || error.isInvalidUsername {
            result.text = "wrong"
        } else {
            result.text = "failed: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignInCodeRequired(
        newState: MSAL.SignInCodeRequiredState, sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType, codeLength: Int
    ) {
        codeState = newState
        result.text = "sent to \(sentTo)"
    }

    func onSignInPasswordRequired(newState: SignInPasswordRequiredState) {
        passwordState = newState
        result.text = "password, please"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        accountResult = result
        self.result.text = "in: \(result.account.accountClaims?["preferred_username"] as? String ?? "no user")"
    }
}

extension SignInScreen: SignInVerifyCodeDelegate {
    func onSignInVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignInCodeRequiredState?) {
        codeState = newState
        result.text = error.isInvalidCode ? "wrong code" : "failed"
    }
}

extension SignInScreen: SignInPasswordRequiredDelegate {
    func onSignInPasswordRequiredError(
        error: MSAL.PasswordRequiredError, newState: MSAL.SignInPasswordRequiredState?
    ) {
        passwordState = newState
        result.text = error.isInvalidPassword ? "wrong password" : "failed"
    }
}

extension SignInScreen: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        result.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSAL.MSALNativeAuthTokenResult) {
        let isComplete = ["api://orders/read"].allSatisfy(result.scopes.contains)
        self.result.text = isComplete ? result.accessToken : "scopes are missing"
    }
}

// MARK: - Password reset, with the callback that has no argument, and the sign-in after it

final class ResetScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var codeState: ResetPasswordCodeRequiredState?
    var passwordState: ResetPasswordRequiredState?

    func resetPressed() {
        nativeAuth.resetPassword(parameters: .init(username: "dana@example.com"), delegate: self)
    }
}

extension ResetScreen: ResetPasswordStartDelegate {
    func onResetPasswordStartError(error: MSAL.ResetPasswordStartError) {
        result.text = error.isUserNotFound ? "no user" : error.isUserDoesNotHavePassword ? "no password" : "failed"
    }

    func onResetPasswordCodeRequired(
        newState: MSAL.ResetPasswordCodeRequiredState, sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType, codeLength: Int
    ) {
        codeState = newState
        result.text = "sent to \(sentTo)"
    }
}

extension ResetScreen: ResetPasswordVerifyCodeDelegate {
    func onResetPasswordVerifyCodeError(
        error: MSAL.VerifyCodeError, newState: MSAL.ResetPasswordCodeRequiredState?
    ) {
        codeState = newState
        result.text = error.isInvalidCode ? "wrong code" : "failed"
    }

    func onPasswordRequired(newState: MSAL.ResetPasswordRequiredState) {
        passwordState = newState
        result.text = "new password, please"
    }
}

extension ResetScreen: ResetPasswordRequiredDelegate {
    func onResetPasswordRequiredError(error: MSAL.PasswordRequiredError, newState: MSAL.ResetPasswordRequiredState?) {
        passwordState = newState
        result.text = error.isInvalidPassword ? "bad password" : "failed"
    }

    func onResetPasswordCompleted() {
        result.text = "reset"
    }
}

// MARK: - Second factor and registration, in the newest form

/// Everything in one class, as the tutorials have it.
final class SecondFactorScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var methods: [MSALAuthMethod] = []
    var mfaState: MFARequiredState?
    var registrationState: RegisterStrongAuthVerificationRequiredState?
    var contact = "dana@home.example"

    func signInPressed() {
        let parameters = MSALNativeAuthSignInParameters(username: "dana@example.com")
        parameters.password = "correct horse"
        var error: NSError?
        parameters.claimsRequest = MSALClaimsRequest(
            jsonString: #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#, error: &error)
        nativeAuth.signIn(parameters: parameters, delegate: self)
    }
}

extension SecondFactorScreen: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        result.text = "failed"
    }

    func onSignInAwaitingMFA(authMethods: [MSAL.MSALAuthMethod], newState: MSAL.AwaitingMFAState) {
        methods = authMethods
        result.text = "second factor: \(authMethods.map(\.id))"
        guard let authMethod = authMethods.first(where: { $0.channelTargetType.isEmailType }) else { return }
        newState.requestChallenge(authMethod: authMethod, delegate: self)
    }

    func onSignInStrongAuthMethodRegistration(
        authMethods: [MSAL.MSALAuthMethod], newState: MSAL.RegisterStrongAuthState
    ) {
        result.text = "register one of \(authMethods.map(\.id))"
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(
            authMethod: authMethods[0], verificationContact: contact)
        newState.challengeAuthMethod(parameters: parameters, delegate: self)
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        self.result.text = "in"
    }
}

extension SecondFactorScreen: MFARequestChallengeDelegate {
    func onMFARequestChallengeError(error: MSAL.MFARequestChallengeError, newState: MSAL.MFARequiredState?) {
        mfaState = newState
        result.text = error.isAuthMethodBlocked ? "blocked" : "failed"
    }

    func onMFARequestChallengeVerificationRequired(
        newState: MSAL.MFARequiredState, sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType, codeLength: Int
    ) {
        mfaState = newState
        result.text = "sent to \(sentTo)"
    }
}

extension SecondFactorScreen: MFASubmitChallengeDelegate {
    func onMFASubmitChallengeError(error: MSAL.MFASubmitChallengeError, newState: MSAL.MFARequiredState?) {
        mfaState = newState
        result.text = error.isInvalidChallenge ? "wrong code" : "failed"
    }
}

extension SecondFactorScreen: RegisterStrongAuthChallengeDelegate {
    func onRegisterStrongAuthChallengeError(
        error: MSAL.RegisterStrongAuthChallengeError, newState: MSAL.RegisterStrongAuthState?
    ) {
        result.text = error.isInvalidInput ? "bad contact" : "failed"
    }

    func onRegisterStrongAuthVerificationRequired(
        result: MSAL.MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        registrationState = result.newState
        self.result.text = "sent to \(result.sentTo)"
    }
}

extension SecondFactorScreen: RegisterStrongAuthSubmitChallengeDelegate {
    func onRegisterStrongAuthSubmitChallengeError(
        error: MSAL.RegisterStrongAuthSubmitChallengeError,
        newState: MSAL.RegisterStrongAuthVerificationRequiredState?
    ) {
        registrationState = newState
        result.text = error.isInvalidChallenge ? "wrong code" : "failed"
    }
}

// MARK: - The same in the form of the releases before 2.5, and user names as arguments

/// A screen that makes deprecated calls. The calls go through this protocol, so that the tests build without warnings.
protocol OldCalls {
    func signInPressed()
    func resetPressed()
    func methodsPressed()
}

final class OldScreen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let result = Outlet()
    var password: String?
    var awaitingState: AwaitingMFAState?
    var mfaState: MFARequiredState?
    var methods: [MSALAuthMethod] = []
    var codeState: ResetPasswordCodeRequiredState?
}

extension OldScreen: OldCalls {
    @available(*, deprecated)
    func signInPressed() {
        if let password {
            nativeAuth.signIn(username: "dana@example.com", password: password, delegate: self)
        } else {
            nativeAuth.signIn(username: "dana@example.com", delegate: self)
        }
    }

    @available(*, deprecated)
    func resetPressed() {
        nativeAuth.resetPassword(username: "dana@example.com", delegate: self)
    }

    @available(*, deprecated)
    func methodsPressed() {
        mfaState?.getAuthMethods(delegate: self)
    }
}

extension OldScreen: SignInStartDelegate {
    func onSignInStartError(error: SignInStartError) {
        result.text = "failed"
    }

    func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        result.text = "sent to \(sentTo)"
    }

    func onSignInAwaitingMFA(newState: AwaitingMFAState) {
        awaitingState = newState
        result.text = "second factor"
        newState.requestChallenge(delegate: self)
    }

    func onSignInStrongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState) {
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(authMethod: authMethods[0])
        parameters.verificationContact = "dana@home.example"
        newState.challengeAuthMethod(parameters: parameters, delegate: self)
    }

    @available(*, deprecated)
    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        self.result.text = "in"
        result.getAccessToken(scopes: ["api://orders/read"], delegate: self)
    }
}

extension OldScreen: MFARequestChallengeDelegate, MFASubmitChallengeDelegate, MFAGetAuthMethodsDelegate {
    func onMFARequestChallengeError(error: MFARequestChallengeError, newState: MFARequiredState?) {
        result.text = "no code"
    }

    func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mfaState = newState
        result.text = "sent to \(sentTo)"
    }

    func onMFARequestChallengeSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState) {
        methods = authMethods
        mfaState = newState
        result.text = "choose: \(authMethods.map(\.id))"
    }

    func onMFASubmitChallengeError(error: MFASubmitChallengeError, newState: MFARequiredState?) {
        result.text = "refused: \(error.errorDescription ?? "no description")"
    }

    func onMFAGetAuthMethodsError(error: MFAGetAuthMethodsError, newState: MFARequiredState?) {
        result.text = "no methods"
    }

    func onMFAGetAuthMethodsSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState) {
        result.text = "methods: \(authMethods.map(\.id))"
    }
}

extension OldScreen: RegisterStrongAuthChallengeDelegate {
    func onRegisterStrongAuthChallengeError(
        error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?
    ) {
        result.text = "not registered"
    }

    func onRegisterStrongAuthVerificationRequired(
        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        self.result.text = "registering \(result.sentTo)"
    }
}

extension OldScreen: ResetPasswordStartDelegate {
    func onResetPasswordStartError(error: ResetPasswordStartError) {
        result.text = "no reset"
    }

    func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        result.text = "sent to \(sentTo)"
    }
}

extension OldScreen: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) {
        result.text = "no token"
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        self.result.text = result.accessToken
    }
}

// MARK: - They behave as their tutorials say

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SeriesTests {
    private let scope = "api://orders/read openid profile offline_access"

    // MARK: Sign-in

    @Test func aCodeSignsInAndGetsAToken() async throws {
        let screen = SignInScreen()
        let fixture = try Fixture(
            .token("a"), .code("b"), .error("invalid_grant", "invalid_oob_value"), .tokens(scope: scope))
        screen.nativeAuth = fixture.app
        screen.signInPressed()
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        screen.codeState?.submitCode(code: "00000000", delegate: screen)
        #expect(await screen.result.next() == "wrong code")
        screen.codeState?.submitCode(code: "12345678", delegate: screen)
        #expect(await screen.result.next() == "in: dana@example.com")
        let form = await fixture.server.form()
        #expect(form["grant_type"] == "oob" && form["continuation_token"] == "b" && form["scope"] == scope)
        screen.tokenPressed()
        #expect(await screen.result.next() == "at-1")
        screen.signOutPressed()
        #expect(screen.accountResult == nil)
    }

    @Test func aPasswordIsAskedForWhenNoneWasGiven() async throws {
        let screen = SignInScreen()
        let fixture = try Fixture(
            .token("a"), .passwordWanted, .error("invalid_grant", code: 50_126), .tokens())
        screen.nativeAuth = fixture.app
        screen.signInPressed()
        #expect(await screen.result.next() == "password, please")
        screen.passwordState?.submitPassword(password: "wrong horse", delegate: screen)
        #expect(await screen.result.next() == "wrong password")
        screen.passwordState?.submitPassword(password: "correct horse", delegate: screen)
        #expect(await screen.result.next() == "in: dana@example.com")
    }

    @Test(
        arguments: [
            ([.error("user_not_found")], "no user"),
            ([.token("a"), .passwordWanted, .error("invalid_grant", code: 50_126)], "wrong"),
            ([.token("a"), .passwordWanted, .tokens()], "in: dana@example.com"),
            ([.token("a"), .code("b")], "sent to d***a@ex***le.com"),
        ] as [([Reply], String)])
    func aPasswordAtTheStartHasOneOutcome(_ replies: [Reply], _ expected: String) async throws {
        let screen = SignInScreen()
        screen.nativeAuth = try Fixture(replies).app
        screen.signInPressed(password: "correct horse")
        #expect(await screen.result.next() == expected)
    }

    // MARK: Password reset

    @Test func aResetSetsANewPasswordAndTheFormWithoutAnArgumentIsCalled() async throws {
        let screen = ResetScreen()
        let fixture = try Fixture(
            .token("a"), .code("b"), .error("invalid_grant", "invalid_oob_value"), .newPasswordWanted("c"),
            .error("invalid_grant", "password_too_weak"), .submitted, .polled("in_progress"), .polled("succeeded"))
        screen.nativeAuth = fixture.app
        screen.resetPressed()
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        screen.codeState?.submitCode(code: "00000000", delegate: screen)
        #expect(await screen.result.next() == "wrong code")
        screen.codeState?.submitCode(code: "12345678", delegate: screen)
        #expect(await screen.result.next() == "new password, please")
        screen.passwordState?.submitPassword(password: "weak", delegate: screen)
        #expect(await screen.result.next() == "bad password")
        screen.passwordState?.submitPassword(password: "correct horse", delegate: screen)
        #expect(await screen.result.next() == "reset")
        #expect(await fixture.server.unused == 0)
    }

    @Test func theSignInAfterAResetAsksForScopesAndClaims() async throws {
        let (fixture, state) = try await Fixture.reset([.tokens()])
        let parameters = MSALNativeAuthSignInAfterResetPasswordParameters()
        parameters.scopes = ["api://orders/read"]
        parameters.claimsRequest = MSALClaimsRequest(jsonString: #"{"id_token":{}}"#, error: nil)
        let delegate = FullDelegate()
        state.signIn(parameters: parameters, delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignInCompleted")
        let form = await fixture.server.form()
        #expect(form["continuation_token"] == "ct-reset" && form["scope"] == scope)
        #expect(form["claims"] == #"{"id_token":{}}"#)
    }

    // MARK: Second factor

    @Test func aSecondFactorSignsInWithTheClaimsOfTheStart() async throws {
        let screen = SecondFactorScreen()
        let fixture = try Fixture(
            .token("a"), .passwordWanted, .mfaRequired, .methods(), .code("c"),
            .error("invalid_grant", "invalid_oob_value"), .tokens())
        screen.nativeAuth = fixture.app
        screen.signInPressed()
        #expect(await screen.result.next() == #"second factor: ["m-1", "m-2"]"#)
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        #expect(await fixture.server.form()["id"] == "m-1")
        screen.mfaState?.submitChallenge(challenge: "00000000", delegate: screen)
        #expect(await screen.result.next() == "wrong code")
        screen.mfaState?.submitChallenge(challenge: "12345678", delegate: screen)
        #expect(await screen.result.next() == "in")
        let form = await fixture.server.form()
        #expect(form["grant_type"] == "mfa_oob" && form["continuation_token"] == "c")
        #expect(form["claims"] == #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
    }

    @Test func aBlockedMethodLeavesAStateToChooseAnotherOn() async throws {
        let screen = SecondFactorScreen()
        screen.nativeAuth = try Fixture(.token("a"), .passwordWanted, .mfaRequired, .methods(), .blocked, .code("c"))
            .app
        screen.signInPressed()
        _ = await screen.result.next()
        #expect(await screen.result.next() == "blocked")
        let state = try #require(screen.mfaState)
        state.submitChallenge(challenge: "12345678", delegate: screen)
        #expect(await screen.result.next() == "failed", "no code has been sent")
        state.requestChallenge(authMethod: screen.methods.last, delegate: screen)
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
    }

    @Test func aRegistrationSignsInWithTheClaimsOfTheStart() async throws {
        let screen = SecondFactorScreen()
        let fixture = try Fixture(
            .token("a"), .passwordWanted, .registrationRequired, .methods(), .registrationCode("c"),
            .error("invalid_grant", "invalid_oob_value"), .token("d"), .tokens())
        screen.nativeAuth = fixture.app
        screen.signInPressed()
        #expect(await screen.result.next() == #"register one of ["m-1", "m-2"]"#)
        #expect(await screen.result.next() == "sent to dana@home.example")
        #expect(await fixture.server.form()["challenge_target"] == "dana@home.example")
        screen.registrationState?.submitChallenge(challenge: "00000000", delegate: screen)
        #expect(await screen.result.next() == "wrong code")
        screen.registrationState?.submitChallenge(challenge: "12345678", delegate: screen)
        #expect(await screen.result.next() == "in")
        let form = await fixture.server.form()
        #expect(form["continuation_token"] == "d")
        #expect(form["claims"] == #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
    }

    @Test func aContactThatTheServerSuggestsIsTakenWhenTheAppNamesNone() async throws {
        let (fixture, state, method) = try await Fixture.registering([.registrationCode("c")])
        let delegate = FullDelegate()
        state.challengeAuthMethod(parameters: .init(authMethod: method), delegate: delegate)
        let callback = try await delegate.mailbox.next()
        #expect(callback.summary == "onRegisterStrongAuthVerificationRequired + dana@home.example email 8")
        #expect(await fixture.server.form()["challenge_target"] == "d***a@ex***le.com")
    }

    // MARK: The forms of older releases

    @Test(arguments: [nil, "correct horse"])
    func aUserNameAsAnArgumentSignsIn(_ password: String?) async throws {
        let screen = OldScreen()
        screen.password = password
        let fixture = try Fixture(
            password == nil
                ? [.token("a"), .code("b")] : [.token("a"), .passwordWanted, .tokens(), .tokens(2, scope: scope)])
        screen.nativeAuth = fixture.app
        (screen as any OldCalls).signInPressed()
        if password == nil {
            #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        } else {
            #expect(await screen.result.next() == "in")
            #expect(await screen.result.next() == "at-2")
        }
        #expect(await fixture.server.unused == 0)
    }

    @Test func aUserNameAsAnArgumentResets() async throws {
        let screen = OldScreen()
        screen.nativeAuth = try Fixture(.token("a"), .code("b")).app
        (screen as any OldCalls).resetPressed()
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
    }

    @Test func theOldFormOfASecondFactorTakesTheOnlyMethod() async throws {
        let screen = OldScreen()
        screen.password = "correct horse"
        let fixture = try Fixture(
            .token("a"), .passwordWanted, .mfaRequired, .methods(1), .code("c"), .tokens(scope: scope))
        screen.nativeAuth = fixture.app
        (screen as any OldCalls).signInPressed()
        #expect(await screen.result.next() == "second factor")
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        #expect(await fixture.server.form()["id"] == "m-1")
        (screen as any OldCalls).methodsPressed()
        #expect(await screen.result.next() == #"methods: ["m-1"]"#)
        screen.mfaState?.submitChallenge(challenge: "12345678", delegate: screen)
        #expect(await screen.result.next() == "in")
        #expect(await screen.result.next() == "at-1")
    }

    @Test func theOldFormOfASecondFactorLetsTheUserChoose() async throws {
        let screen = OldScreen()
        screen.password = "correct horse"
        let fixture = try Fixture(.token("a"), .passwordWanted, .mfaRequired, .methods(), .code("c"))
        screen.nativeAuth = fixture.app
        (screen as any OldCalls).signInPressed()
        #expect(await screen.result.next() == "second factor")
        #expect(await screen.result.next() == #"choose: ["m-1", "m-2"]"#)
        let state = try #require(screen.mfaState)
        state.submitChallenge(challenge: "12345678", delegate: screen)
        #expect(await screen.result.next() == "refused: No code has been asked for.")
        state.requestChallenge(authMethod: screen.methods.last, delegate: screen)
        #expect(await screen.result.next() == "sent to d***a@ex***le.com")
        #expect(await fixture.server.form()["id"] == "m-2")
    }

    @Test func theOldFormOfARegistrationSetsTheContactAfterwards() async throws {
        let screen = OldScreen()
        screen.password = "correct horse"
        let fixture = try Fixture(
            .token("a"), .passwordWanted, .registrationRequired, .methods(), .registrationCode("c"))
        screen.nativeAuth = fixture.app
        (screen as any OldCalls).signInPressed()
        #expect(await screen.result.next() == "registering dana@home.example")
        #expect(await fixture.server.form()["challenge_target"] == "dana@home.example")
    }

    /// All five delegates that may receive a second-factor callback call the older form when only that one exists.
    @Test func theOldCallbackOfASecondFactorIsCalledAfterASignUpAndAResetToo() async throws {
        final class Old: SignInAfterSignUpDelegate, SignInAfterResetPasswordDelegate {
            let result = Outlet()

            func onSignInAfterSignUpError(error: SignInAfterSignUpError) {
                result.text = "failed"
            }

            func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError) {
                result.text = "failed"
            }

            func onSignInAwaitingMFA(newState: AwaitingMFAState) {
                result.text = "second factor"
            }
        }
        let old = Old()
        try await Fixture.done([.mfaRequired, .methods()]).1.signIn(parameters: .init(), delegate: old)
        #expect(await old.result.next() == "second factor")
        try await Fixture.reset([.mfaRequired, .methods()]).1.signIn(parameters: .init(), delegate: old)
        #expect(await old.result.next() == "second factor")
    }

    @Test func noScopesInTheOldFormAreAnInvalidScope() async throws {
        let (fixture, result) = try await Fixture.signedIn([])
        let delegate = FullDelegate()
        (EmptyScopes(result: result) as any EmptyScopesCall).getAccessToken(delegate)
        let expected = "onAccessTokenRetrieveError invalidScope - [] Invalid scope"
        #expect(try await delegate.mailbox.next().summary == expected)
        #expect(await fixture.server.unused == 0)
    }
}

/// Like ``OldCalls``.
private protocol EmptyScopesCall {
    func getAccessToken(_ delegate: FullDelegate)
}

private struct EmptyScopes: EmptyScopesCall {
    let result: MSALNativeAuthUserAccountResult

    @available(*, deprecated)
    func getAccessToken(_ delegate: FullDelegate) {
        result.getAccessToken(scopes: [], delegate: delegate)
    }
}
