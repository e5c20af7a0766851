import NativeAuth
import NativeAuthCore

/// The source of answers for the sample app: a user at a terminal, or the flags of a script.
protocol TryDialog: Sendable {
    /// Prints the server and the data locations, before the first question.
    func introduce(_ place: TryPlace)
    /// Prints the title of a flow: `Sign in`.
    func begin(_ title: String)
    /// Prints a fact that needs no answer.
    func note(_ sentence: String)
    /// Prints names and values.
    func show(_ rows: [(name: String, value: String)])

    /// Asks `questions`, and returns `form` with the answers.
    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) async throws(TryEnd) -> SignUpForm
    /// Asks for the e-mail address or the alias.
    func username() async throws(TryEnd) -> String
    /// Asks for a password; `isFirst` is false after a refusal.
    func password(_ kind: PasswordKind, isFirst: Bool) async throws(TryEnd) -> Secret<String>
    /// Asks for the attributes that the server requires.
    func attributes(
        _ required: [RequiredAttribute], _ form: SignUpForm
    ) async throws(TryEnd) -> [String: AttributeValue]
    /// Prints the target of a code.
    func codeSent(_ code: SentCode, isResend: Bool, _ place: TryPlace)
    /// Prints that the code was read automatically.
    func codeTaken()
    /// Asks for the code that was sent.
    func code(_ sent: SentCode) async throws(TryEnd) -> CodeAnswer
    /// Asks for one of several ways to receive a code.
    func method(from methods: [AuthMethod]) async throws(TryEnd) -> AuthMethod
    /// Asks for the address or number to register; `method` may propose one.
    func contact(for method: AuthMethod) async throws(TryEnd) -> String
    /// Asks for an address: `question` says which.
    func address(_ question: String) async throws(TryEnd) -> String
    /// Asks for the telephone number that an account is to have.
    func newNumber() async throws(TryEnd) -> String
    /// Asks a second time before an account is deleted.
    func consentsToDeletion(of name: String) async throws(TryEnd) -> Bool
    /// Prints a text as it is.
    func print(_ text: String)
    /// Asks for one of `options`; returns its position.
    func choice(_ question: String, of options: [String]) async throws(TryEnd) -> Int
    /// Asks for the user's consent to `question`; Enter alone is a yes when `isUsual`. A script consents.
    func consents(to question: String, isUsual: Bool) async throws(TryEnd) -> Bool
    /// Prints a failure that the user can correct; ends a script.
    func refused(_ sentence: String) throws(TryEnd)
    /// Waits until the user is ready for `invitation`.
    func pause(_ invitation: String) async throws(TryEnd)

    func signedIn(_ account: Account, _ how: SignedIn)
}

extension TryDialog {
    func consents(to question: String) async throws(TryEnd) -> Bool {
        try await consents(to: question, isUsual: true)
    }
}

/// The kind of the password that is asked for.
enum PasswordKind: Sendable {
    /// The password of a new account; a script takes it from the form.
    case chosen(SignUpForm)
    /// The existing password of this user.
    case own(username: String)
    /// The new password of a reset.
    case new
}

/// How the user came to be signed in.
enum SignedIn {
    case afterSignUp
    case afterSignIn
    case afterReset
}

/// The user's input for the code.
enum CodeAnswer {
    case code(Secret<String>)
    case resend
}

/// The source of codes. A given code is used once, and a sent code is read once; after that the user is asked.
enum CodeSource {
    case dialog
    case inbox
    case given(Secret<String>)
}

/// The values of a sign-up.
struct SignUpForm: Sendable {
    enum Question: Hashable {
        case email
        case password
        case alias
        /// The usual attributes, and any others.
        case attributes
        case attribute(String)

        static let all: Set<Question> = [.email, .password, .alias, .attributes]
    }

    var email = ""
    var password: Secret<String>?
    var alias: String?
    /// The values as text, whatever their type.
    var attributes: [String: String] = [:]

    /// All attributes, including the alias. They are sent as text; the server knows their types.
    var attributeValues: [String: AttributeValue] {
        var values = attributes.mapValues { AttributeValue.string($0) }
        if let alias { values[AttributeName.flatUsername] = .string(alias) }
        return values
    }
}

/// The values of a sign-in; the dialog asks for missing ones.
struct SignInForm: Sendable {
    var username = ""
    var password: Secret<String>?
    /// A claims request, JSON as text.
    var claims: String?
}
