import NativeAuth
import NativeAuthCore

/// Sign-up with the public SDK, from the first question to the account, in the order of the tutorials.
extension TryConversation {
    private enum Attempt {
        case finished(Account)
        /// Start again, after these questions; with none, after a pause.
        case again(Set<SignUpForm.Question>)
    }

    /// - Parameters:
    ///   - form: What is known already.
    ///   - questions: What is not.
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
        let start = try await sending(subject) { () async throws(NativeAuthError) in
            try await client.signUp(
                username: form.email, password: form.password?.reveal(), attributes: form.attributeValues)
        }
        let codeRequired: SignUpCodeRequired
        switch start {
        case .success(let first): codeRequired = first
        case .failure(let error): return try remedy(for: error, form, subject, isStart: true)
        }
        switch try await enter(CodeStep(codeRequired), subject) {
        case .success(let step): return try await proceed(from: step, form, subject)
        case .failure(let error): return try remedy(for: error, form, subject)
        }
    }

    private mutating func proceed(
        from first: SignUpStep, _ form: SignUpForm, _ subject: TrySubject
    ) async throws(TryEnd) -> Attempt {
        var step = first
        var isFirst = true
        while true {
            let next: Result<SignUpStep, NativeAuthError>
            switch step {
            case .passwordRequired(let state):
                let password = try await dialog.password(.chosen(form), isFirst: isFirst)
                next = try await result(subject) { () async throws(NativeAuthError) in
                    try await state.submit(password: password.reveal())
                }
            case .attributesRequired(let state):
                next = try await submitAttributes(state, form, subject)
            case .completed(let completed):
                return .finished(try await signIn(after: completed, subject))
            }
            switch next {
            case .success(let following):
                step = following
                isFirst = true
            case .failure(let error) where error.details.canRetry:
                try dialog.refused(words(error, subject))
                isFirst = false
            case .failure(let error): return try remedy(for: error, form, subject)
            }
        }
    }

    /// Asks until the server takes the attributes, or wants something else; of refused ones only those again.
    private func submitAttributes(
        _ state: SignUpAttributesRequired, _ form: SignUpForm, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<SignUpStep, NativeAuthError> {
        var values: [String: AttributeValue] = [:]
        var asked = state.required
        while true {
            for attribute in asked { values[attribute.name] = nil }
            values.merge(try await dialog.attributes(asked, form)) { $1 }
            let submitted = try await result(subject) { [values] () async throws(NativeAuthError) in
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
            try dialog.refused(words(error, subject))
        }
    }

    private mutating func signIn(
        after completed: SignUpCompleted, _ subject: TrySubject
    ) async throws(TryEnd) -> Account {
        let step = try await result(subject) { () async throws(NativeAuthError) in try await completed.signIn() }
        switch try await proceed(from: step, subject) {
        case .success(let account): return account
        case .failure(let error):
            throw .failed("The account was made, but the sign-in after it did not work. \(words(error, subject))")
        }
    }

    /// Says what is wrong, and finds what to ask before the next attempt.
    ///
    /// - Throws: ``TryEnd/failed(_:)`` or ``TryEnd/hopeless(_:)`` when no answer can help.
    private func remedy(
        for error: NativeAuthError, _ form: SignUpForm, _ subject: TrySubject, isStart: Bool = false
    ) throws(TryEnd) -> Attempt {
        let questions: Set<SignUpForm.Question>
        switch error {
        case .userAlreadyExists: questions = form.alias == nil ? [.email] : [.email, .alias]
        case .invalidUsername, .userNotFound: questions = [.email]
        case .invalidPassword, .invalidCredentials: questions = [.password]
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
            .userDoesNotHavePassword, .invalidInput, .authMethodBlocked, .verificationContactBlocked, .invalidScope,
            .signInRequired, .throttled, .network, .indeterminate, .stateAlreadyUsed, .cancelled,
            .invalidConfiguration:
            throw end(error, subject)
        }
        try dialog.refused(words(error, subject))
        return .again(questions)
    }
}
