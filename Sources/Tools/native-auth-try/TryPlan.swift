import ArgumentParser
import NativeAuthCore

/// A value of `--flow`.
enum TryFlow: String, CaseIterable, ExpressibleByArgument {
    case signUp = "sign-up"
    case signIn = "sign-in"
    case signInWithSecondFactor = "sign-in-mfa"
    case reset
    case account
    case methods
}

/// The options, checked.
struct TryPlan: Sendable {
    enum Server: Sendable {
        case running(String)
        case own(OwnServer.Settings)
    }

    var server: Server
    /// Whether the flags answer all questions.
    var isScript: Bool
    /// Nil: the user chooses.
    var flow: TryFlow?
    var form: SignUpForm
    /// The values of the form that were not given.
    var questions: Set<SignUpForm.Question>
    var newPassword: Secret<String>?
    var codes: CodeSource
    /// Whether the user of the flow is created first.
    var isPrepared: Bool

    /// The user name of a sign-in or a reset; empty when it was not given.
    var username: String { form.alias ?? form.email }
}
