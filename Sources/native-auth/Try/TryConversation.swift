import NativeAuth
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who answers the questions of a sign-up: a person at a terminal, or the flags of a script.
protocol TryDialog: Sendable {
    /// Says where everything goes, before the first question.
    func introduce(_ place: TryPlace)
    /// Asks `questions`, and returns `form` with the answers in it.
    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) async throws(TryEnd) -> SignUpForm
    /// Says where a code went.
    func codeSent(_ step: SignUpCodeRequired, isResend: Bool, place: TryPlace)
    /// Says that nobody has to type the code.
    func codeTaken()
    func code(length: Int) async throws(TryEnd) -> CodeAnswer
    /// Asks for the password that the server wants; not for the first time after one was refused.
    func password(_ form: SignUpForm, isFirst: Bool) async throws(TryEnd) -> String
    /// Asks for the attributes that the server wants.
    func attributes(
        _ required: [RequiredAttribute], _ form: SignUpForm
    ) async throws(TryEnd) -> [String: AttributeValue]
    /// Says what did not work and can be mended; ends a script.
    func refused(_ sentence: String) throws(TryEnd)
    /// Waits until the person is ready to do as `invitation` says.
    func pause(_ invitation: String) async throws(TryEnd)
    func finished(_ account: Account, email: String, place: TryPlace)
}

/// An end without a signed-in account.
enum TryEnd: Error {
    /// Ctrl-D, or the end of a file that stands for a person.
    case endOfInput
    /// Something that asking again does not mend; one sentence or two.
    case failed(String)

    var sentence: String {
        switch self {
        case .endOfInput: "The input ended before the sign-up did. No account was made."
        case .failed(let sentence): sentence
        }
    }
}

/// What a person typed for the code.
enum CodeAnswer {
    case code(Secret<String>)
    case resend
}

/// Where codes come from. What is given or read is used once; after that somebody is asked.
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

    /// The attribute that is a second name to sign in with.
    static let aliasName = "flatusername"

    var email = ""
    var password: Secret<String>?
    var alias: String?
    /// As text, whatever their type.
    var attributes: [String: String] = [:]

    /// All attributes, the alias among them. They travel as text; the server knows their types.
    var attributeValues: [String: AttributeValue] {
        var values = attributes.mapValues { AttributeValue.string($0) }
        if let alias { values[Self.aliasName] = .string(alias) }
        return values
    }
}

/// The server, tenant and application to sign up at.
struct TryPlace: Sendable {
    /// `http://127.0.0.1:8765`, without a slash at its end.
    let baseURL: String
    let authority: Authority
    let tenant: String
    /// Nil: one of the development tenant's two, by whether there is a password.
    let clientID: String?
    /// Where codes can be read; nil when the server is not a development one.
    let inbox: InboxReader?
    /// The data folder, when the server belongs to this command and ends with it.
    let ownData: String?

    private static let passcodeClient = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private static let passwordClient = "11112222-bbbb-3333-cccc-4444dddd5555"

    func client(for form: SignUpForm) -> NativeAuthClient {
        let clientID = clientID ?? (form.password == nil ? Self.passcodeClient : Self.passwordClient)
        return NativeAuthClient(
            NativeAuthConfiguration(
                clientID: clientID, authority: authority, challengeTypes: [.oneTimePasscode, .password]))
    }
}

/// A sign-up with the public SDK, from the first question to the account, in the order of the tutorials.
struct TryConversation {
    let place: TryPlace
    let dialog: any TryDialog
    var codes: CodeSource

    private enum Attempt {
        case finished
        /// Start again, after these questions; with none, after a pause.
        case again(Set<SignUpForm.Question>)
    }

    /// - Parameters:
    ///   - form: What is known already.
    ///   - questions: What is not.
    mutating func run(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) async throws(TryEnd) {
        dialog.introduce(place)
        var form = try await dialog.fill(form, asking: questions)
        while case .again(let questions) = try await attempt(form) {
            if questions.isEmpty {
                try await dialog.pause("Press Enter to start again")
            } else {
                form = try await dialog.fill(form, asking: questions)
            }
        }
    }

    private mutating func attempt(_ form: SignUpForm) async throws(TryEnd) -> Attempt {
        let client = place.client(for: form)
        let lastMail = try await lastMail(to: form)
        let start = try await result { () async throws(NativeAuthError) in
            try await client.signUp(
                username: form.email, password: form.password?.reveal(), attributes: form.attributeValues)
        }
        var state: SignUpCodeRequired
        switch start {
        case .success(let first): state = first
        case .failure(let error): return try remedy(for: error, form, isStart: true)
        }
        dialog.codeSent(state, isResend: false, place: place)

        var wrongCodes = 0
        while true {
            switch try await code(for: state, form, after: lastMail) {
            case .resend:
                let resent = try await result { [state] () async throws(NativeAuthError) in try await state.resend() }
                switch resent {
                case .success(let next):
                    state = next
                    wrongCodes = 0
                    dialog.codeSent(state, isResend: true, place: place)
                case .failure(let error) where error.details.canRetry && !TryWords.isOver(error.details):
                    try dialog.refused(words(error, form))
                case .failure(let error): return try remedy(for: error, form)
                }
            case .code(let code):
                let submitted = try await result { [state] () async throws(NativeAuthError) in
                    try await state.submit(code: code.reveal())
                }
                switch submitted {
                case .success(let step): return try await proceed(from: step, form)
                case .failure(let error) where error.details.canRetry:
                    wrongCodes += 1
                    let advice = wrongCodes < 3 ? "" : " " + TryWords.manyWrongCodes
                    try dialog.refused(words(error, form) + advice)
                case .failure(let error): return try remedy(for: error, form)
                }
            }
        }
    }

    private func proceed(from first: SignUpStep, _ form: SignUpForm) async throws(TryEnd) -> Attempt {
        var step = first
        var isFirst = true
        while true {
            let next: Result<SignUpStep, NativeAuthError>
            switch step {
            case .passwordRequired(let state):
                let password = Secret(try await dialog.password(form, isFirst: isFirst))
                next = try await result { () async throws(NativeAuthError) in
                    try await state.submit(password: password.reveal())
                }
            case .attributesRequired(let state):
                next = try await submitAttributes(state, form)
            case .completed(let completed):
                try await signIn(after: completed, form)
                return .finished
            }
            switch next {
            case .success(let following):
                step = following
                isFirst = true
            case .failure(let error) where error.details.canRetry:
                try dialog.refused(words(error, form))
                isFirst = false
            case .failure(let error): return try remedy(for: error, form)
            }
        }
    }

    /// Asks until the server takes the attributes, or wants something else; of refused ones only those again.
    private func submitAttributes(
        _ state: SignUpAttributesRequired, _ form: SignUpForm
    ) async throws(TryEnd) -> Result<SignUpStep, NativeAuthError> {
        var values: [String: AttributeValue] = [:]
        var asked = state.required
        while true {
            for attribute in asked { values[attribute.name] = nil }
            values.merge(try await dialog.attributes(asked, form)) { $1 }
            let submitted = try await result { [values] () async throws(NativeAuthError) in
                try await state.submit(values)
            }
            guard case .failure(let error) = submitted else { return submitted }
            var wrong: [RequiredAttribute] = []
            if case .invalidAttributes(let names, let details) = error, details.canRetry {
                wrong = state.required.filter { names.contains($0.name) }
                if wrong.isEmpty { wrong = state.required }
            } else if case .userAlreadyExists = error {
                wrong = state.required.filter { $0.name == SignUpForm.aliasName }
            }
            if wrong.isEmpty { return submitted }
            asked = wrong
            try dialog.refused(words(error, form))
        }
    }

    private func signIn(after completed: SignUpCompleted, _ form: SignUpForm) async throws(TryEnd) {
        let signedIn = try await result { () async throws(NativeAuthError) in try await completed.signIn() }
        switch signedIn {
        case .success(let account): dialog.finished(account, email: completed.username, place: place)
        case .failure(let error):
            throw .failed("The account was made, but the sign-in after it did not work. \(words(error, form))")
        }
    }

    // MARK: Codes

    private func lastMail(to form: SignUpForm) async throws(TryEnd) -> InboxReader.Mail? {
        switch codes {
        case .inbox: try await place.inbox?.newest(to: form.email)
        case .dialog, .given: nil
        }
    }

    private mutating func code(
        for state: SignUpCodeRequired, _ form: SignUpForm, after lastMail: InboxReader.Mail?
    ) async throws(TryEnd) -> CodeAnswer {
        let source = codes
        codes = .dialog
        switch source {
        case .dialog: return try await dialog.code(length: state.codeLength)
        case .given(let code): return .code(code)
        case .inbox:
            guard let inbox = place.inbox else {
                throw .failed(
                    "\(place.baseURL) has no development inbox, so --code-from-inbox cannot work there.")
            }
            let mail = try await inbox.mail(to: form.email, after: lastMail)
            dialog.codeTaken()
            return .code(Secret(mail.code))
        }
    }

    // MARK: Errors

    /// Does `action`, again and again while the server cannot be reached and the person wants to.
    private func result<Value>(
        _ action: () async throws(NativeAuthError) -> Value
    ) async throws(TryEnd) -> Result<Value, NativeAuthError> {
        while true {
            do throws(NativeAuthError) {
                return .success(try await action())
            } catch {
                if case .cancelled = error { throw .endOfInput }
                guard case .network = error else { return .failure(error) }
                try dialog.refused(words(error, .init()))
                try await dialog.pause("Press Enter to try again")
            }
        }
    }

    private func words(_ error: NativeAuthError, _ form: SignUpForm) -> String {
        TryWords.sentence(for: error, form, place)
    }

    /// Says what is wrong, and finds what to ask before the next attempt.
    ///
    /// - Throws: ``TryEnd/failed(_:)`` when no answer can help.
    private func remedy(
        for error: NativeAuthError, _ form: SignUpForm, isStart: Bool = false
    ) throws(TryEnd) -> Attempt {
        let sentence = words(error, form)
        let questions: Set<SignUpForm.Question>
        switch error {
        case .userAlreadyExists: questions = form.alias == nil ? [.email] : [.email, .alias]
        case .invalidUsername: questions = [.email]
        case .invalidPassword: questions = [.password]
        case .invalidAttributes(let names, _):
            questions = Set(
                names.map { name in
                    switch name {
                    case SignUpForm.aliasName: .alias
                    // The name that stands for all of them (native-auth-v1 §11.4).
                    case "attributes": .attributes
                    case _: .attribute(name)
                    }
                })
        case .general(let details) where !TryWords.isWrongPlace(details):
            questions = isStart ? SignUpForm.Question.all : []
        case .expired, .incorrectCode: questions = []
        case .general, .browserRequired, .unexpectedReply, .notAvailable, .registrationRequired, .mfaRequired,
            .invalidScope, .signInRequired, .network, .cancelled, .invalidConfiguration:
            throw .failed(sentence)
        }
        try dialog.refused(sentence)
        return .again(questions)
    }
}
