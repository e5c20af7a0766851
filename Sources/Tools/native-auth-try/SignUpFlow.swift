import NativeAuth
import NativeAuthCore

/// The sign-up with the public SDK, from the first question to the account, in the order of the tutorials.
extension TryConversation {
    private enum Attempt {
        case finished(Account)
        /// Start again after these questions; without questions, after a pause.
        case again(Set<SignUpForm.Question>)
    }

    /// - Parameters:
    ///   - form: The known values.
    ///   - questions: The missing values.
    mutating func signUp(
        _ form: SignUpForm, asking questions: Set<SignUpForm.Question>
    ) async throws(TryEnd) {
        dialog.begin("Sign up")
        var form = try await dialog.fill(form, asking: questions)
        while true {
            switch try await attempt(form) {
            case .finished(let account):
                self.account = account
                dialog.signedIn(account, .afterSignUp)
                return
            case .again(let questions) where questions.isEmpty:
                try await dialog.pause("Press Enter to start again")
            case .again(let questions):
                form = try await dialog.fill(form, asking: questions)
            }
        }
    }

    private mutating func attempt(_ form: SignUpForm) async throws(TryEnd) -> Attempt {
        let subject = TrySubject(activity: "sign-up", name: form.email, alias: form.alias)
        let client = place.client(withPassword: form.password != nil)
        try await expectCode()
        let start = try await begin(subject) { () async throws(SignUpError) in
            try await client.signUp(
                username: form.email, password: form.password?.reveal(), attributes: form.attributeValues)
        }
        switch consume start {
        case .failure(let error): return try remedy(for: error, form, subject, isStart: true)
        case .success(let step):
            let next = try await enter(step, subject) {
                (step: consuming SignUpCodeRequired, code) async throws(SignUpError) in
                try await step.submit(code: code)
            } resend: { (step: consuming SignUpCodeRequired) async throws(SignUpError) in
                try await step.resend()
            }
            return try await proceed(from: next, form, subject)
        }
    }

    /// Answers the server's requests until the account exists.
    private mutating func proceed(
        from first: consuming Result<SignUpStep, SignUpError>, _ form: SignUpForm, _ subject: TrySubject
    ) async throws(TryEnd) -> Attempt {
        var next = first
        while true {
            switch consume next {
            case .success(.passwordRequired(let step)):
                next = try await choosePassword(step, form, subject)
            case .success(.attributesRequired(let step)):
                next = try await giveAttributes(step, form, subject)
            case .success(.completed(let done)):
                return .finished(try await signIn(after: done, subject))
            case .failure(let error):
                return try remedy(for: error, form, subject)
            }
        }
    }

    private func choosePassword(
        _ step: consuming SignUpPasswordRequired, _ form: SignUpForm, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<SignUpStep, SignUpError> {
        try await submit(step, subject) { (refusal) async throws(TryEnd) in
            try await dialog.password(.chosen(form), isFirst: refusal == nil)
        } by: { (step: consuming SignUpPasswordRequired, password) async throws(SignUpError) in
            try await step.submit(password: password.reveal())
        }
    }

    /// Asks until the server accepts the attributes or requires something else; asks again only for refused ones.
    func giveAttributes(
        _ step: consuming SignUpAttributesRequired, _ form: SignUpForm, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<SignUpStep, SignUpError> {
        let required = step.info
        var values: [String: AttributeValue] = [:]
        return try await submit(step, subject) { (refusal) async throws(TryEnd) in
            let refused = refusal.map(TryWords.names(of:)) ?? []
            let again = required.filter { refused.contains($0.name) }
            let asked = again.isEmpty ? required : again
            for attribute in asked { values[attribute.name] = nil }
            values.merge(try await dialog.attributes(asked, form)) { $1 }
            return values
        } by: { (step: consuming SignUpAttributesRequired, values) async throws(SignUpError) in
            try await step.submit(values)
        }
    }

    mutating func signIn(
        after done: consuming SignUpCompleted, _ subject: TrySubject
    ) async throws(TryEnd) -> Account {
        let account = try await signIn(after: done, subject) {
            (done: consuming SignUpCompleted) async throws(SignInError) in try await done.signIn()
        }
        switch account {
        case .success(let account): return account
        case .failure(let error):
            throw .failed("The account was made, but the sign-in after it did not work. \(words(error, subject))")
        }
    }

    /// Prints the fault, and returns the questions before the next attempt.
    ///
    /// - Throws: ``TryEnd/failed(_:)`` or ``TryEnd/hopeless(_:)`` when no answer can help.
    private func remedy(
        for error: SignUpError, _ form: SignUpForm, _ subject: TrySubject, isStart: Bool = false
    ) throws(TryEnd) -> Attempt {
        let questions: Set<SignUpForm.Question>
        switch error {
        case .userAlreadyExists: questions = form.alias == nil ? [.email] : [.email, .alias]
        case .invalidUsername: questions = [.email]
        case .invalidPassword: questions = [.password]
        case .invalidAttributes(let problems, _): questions = Set(problems.map(SignUpForm.Question.init))
        case .expired: questions = []
        case .service(.unexpected(let details)) where details.error != nil && !TryWords.isWrongPlace(details):
            questions = isStart ? SignUpForm.Question.all : []
        case .browserRequired, .service: throw end(error, subject)
        }
        try dialog.refused(words(error, subject))
        return .again(questions)
    }
}

extension SignUpForm.Question {
    fileprivate init(_ problem: AttributeProblem) {
        self =
            switch problem.name {
            case AttributeName.flatUsername: .alias
            // The name that stands for all attributes (docs/protocol.md §11.4).
            case "attributes": .attributes
            case let name: .attribute(name)
            }
    }
}
