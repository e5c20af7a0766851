import NativeAuth
import NativeAuthCore

/// Who answers the questions of the sample app: a person at a terminal, or the flags of a script.
protocol TryDialog: Sendable {
    /// Says where everything goes, before the first question.
    func introduce(_ place: TryPlace)
    /// Says what begins: `Sign in`.
    func begin(_ title: String)
    /// Says a fact that needs no answer.
    func note(_ sentence: String)
    /// Shows names and values.
    func show(_ rows: [(name: String, value: String)])

    /// Asks `questions`, and returns `form` with the answers in it.
    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) async throws(TryEnd) -> SignUpForm
    /// Asks for the e-mail address or the alias.
    func username() async throws(TryEnd) -> String
    /// Asks for a password; not for the first time after one was refused.
    func password(_ kind: PasswordKind, isFirst: Bool) async throws(TryEnd) -> Secret<String>
    /// Asks for the attributes that the server wants.
    func attributes(
        _ required: [RequiredAttribute], _ form: SignUpForm
    ) async throws(TryEnd) -> [String: AttributeValue]
    /// Says where a code went.
    func codeSent(_ code: SentCode, isResend: Bool, _ place: TryPlace)
    /// Says that nobody has to type the code.
    func codeTaken()
    /// Asks for the code that was sent.
    func code(_ sent: SentCode) async throws(TryEnd) -> CodeAnswer
    /// Asks for one of several ways to receive a code.
    func method(from methods: [AuthMethod]) async throws(TryEnd) -> AuthMethod
    /// Asks for the address or number to register; `method` may propose one.
    func contact(for method: AuthMethod) async throws(TryEnd) -> String
    /// Asks for one of `options`; returns its position.
    func choice(_ question: String, of options: [String]) async throws(TryEnd) -> Int
    /// Asks whether to do as `question` says.
    func consents(to question: String) async throws(TryEnd) -> Bool
    /// Says what did not work and can be mended; ends a script.
    func refused(_ sentence: String) throws(TryEnd)
    /// Waits until the person is ready to do as `invitation` says.
    func pause(_ invitation: String) async throws(TryEnd)

    func signedIn(_ account: Account, _ how: SignedIn)
}

/// Which password is asked for.
enum PasswordKind: Sendable {
    /// For a new account; the one of the form, for a script that has it.
    case chosen(SignUpForm)
    /// The password that this user has.
    case own(username: String)
    /// Instead of the forgotten one.
    case new
}

/// How somebody came to be signed in.
enum SignedIn {
    case afterSignUp
    case afterSignIn
    case afterReset
}

/// What a person typed for the code.
enum CodeAnswer {
    case code(Secret<String>)
    case resend
}

/// Where codes come from. What is given is used once, and a sent code is read once; after that somebody is asked.
enum CodeSource {
    case dialog
    case inbox
    case given(Secret<String>)
}

/// What somebody signs up with.
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
    /// As text, whatever their type.
    var attributes: [String: String] = [:]

    /// All attributes, the alias among them. They travel as text; the server knows their types.
    var attributeValues: [String: AttributeValue] {
        var values = attributes.mapValues { AttributeValue.string($0) }
        if let alias { values[AttributeName.flatUsername] = .string(alias) }
        return values
    }
}

/// What somebody signs in with; what is missing is asked for.
struct SignInForm: Sendable {
    var username = ""
    var password: Secret<String>?
    /// A claims request, JSON as text.
    var claims: String?
}
