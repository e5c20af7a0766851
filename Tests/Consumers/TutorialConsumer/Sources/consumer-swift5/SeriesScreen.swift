import MSAL

/// A screen of the later tutorials, for users who exist. Like those of the tutorials, it carries no annotation.
class SeriesScreen: Screen {
    let challengeTextField = TextField()
    /// Where a method is to be registered.
    var verificationContact = ""
    /// Claims that the sign-in asks for.
    var claims: String?

    var signInCodeState: SignInCodeRequiredState?
    var signInPasswordState: SignInPasswordRequiredState?
    var resetCodeState: ResetPasswordCodeRequiredState?
    var resetPasswordState: ResetPasswordRequiredState?
    var resetState: SignInAfterResetPasswordState?
    var mfaState: MFARequiredState?
    var registrationState: RegisterStrongAuthVerificationRequiredState?

    func submitPasswordPressed(_: Any) {}
    func resetPasswordPressed(_: Any) {}
    func submitChallengePressed(_: Any) {}
    func getTokenPressed(_: Any) {}
    func signOutPressed(_: Any) {}
}
