import ArgumentParser
import NativeAuthCore

/// What `--flow` names.
enum TryFlow: String, CaseIterable, ExpressibleByArgument {
    case signUp = "sign-up"
    case signIn = "sign-in"
    case signInWithSecondFactor = "sign-in-mfa"
    case reset
}

/// The options of `try`, checked.
struct TryPlan: Sendable {
    enum Server: Sendable {
        case running(String)
        case own(ServeSettings)
    }

    var server: Server
    /// Whether nobody is asked.
    var isScript: Bool
    /// Nil: a person chooses.
    var flow: TryFlow?
    var form: SignUpForm
    /// What of the form was not given.
    var questions: Set<SignUpForm.Question>
    var newPassword: Secret<String>?
    var codes: CodeSource
    /// Whether the user of the flow is made first.
    var isPrepared: Bool

    /// Whom a sign-in or a reset is about; empty when nothing was given.
    var username: String { form.alias ?? form.email }
}
