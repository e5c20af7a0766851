import NativeAuth
import NativeAuthCore

/// The sign-in with a password or a code, then the second factor that the server requires.
extension TryConversation {
    /// - Parameters:
    ///   - form: The known values; a claims request for a sign-in that must prove more than usual.
    ///   - title: Of the screen.
    ///   - client: Nil: the usual application.
    mutating func signIn(
        _ form: SignInForm, titled title: String = "Sign in", to client: NativeAuthClient? = nil
    ) async throws(TryEnd) {
        dialog.begin(title)
        let client = client ?? place.client
        var form = form
        while true {
            if form.username.isEmpty { form.username = try await dialog.username() }
            let subject = TrySubject(activity: "sign-in", name: form.username)
            try await expectCode()
            let start = try await begin(subject) { [form] () async throws(SignInError) in
                try await client.signIn(
                    username: form.username, password: form.password?.reveal(), claims: form.claims)
            }
            switch try await proceed(from: start, subject) {
            case .success(let account):
                self.account = account
                dialog.signedIn(account, .afterSignIn)
                return
            case .failure(let error):
                switch error {
                case .userNotFound, .invalidUsername:
                    try dialog.refused(words(error, subject))
                    form.username = ""
                case .invalidCredentials:
                    try dialog.refused(words(error, subject))
                    // The server asks for the password.
                    form.password = nil
                case .expired:
                    try dialog.refused(words(error, subject))
                    try await dialog.pause("Press Enter to start again")
                case .authMethodBlocked, .invalidScope, .browserRequired, .notAvailable, .service:
                    throw end(error, subject)
                }
            }
        }
    }

    /// Signs a user in to an application that demands a second factor, and can remember the device.
    mutating func signInStrictly(_ form: SignInForm) async throws(TryEnd) {
        let before = secondFactors
        do throws(TryEnd) {
            try await signIn(form, titled: "Sign in to an app that demands a second factor", to: place.strictClient)
        } catch {
            // A server with a document of its own may lack this application, and has the others.
            guard case .hopeless(let sentence) = error else { throw error }
            throw .failed(sentence)
        }
        if secondFactors == before { dialog.note("This device is remembered: no second factor was asked for.") }
    }

    /// Answers the server's requests until the user is signed in, or the server ends the flow.
    mutating func proceed(
        from start: consuming Result<SignInStep, SignInError>, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        switch consume start {
        case .success(.codeRequired(let step)):
            if step.isPasswordUnused { dialog.note("\(subject.name) signs in with codes; the password is not needed.") }
            let next = try await enter(step, subject) {
                (step: consuming SignInCodeRequired, code) async throws(SignInError) in
                try await step.submit(code: code)
            } resend: { (step: consuming SignInCodeRequired) async throws(SignInError) in
                try await step.resend()
            }
            return try await proceed(from: next, subject)
        case .success(.passwordRequired(let step)):
            let next = try await submit(step, subject) { (refusal) async throws(TryEnd) in
                try await dialog.password(.own(username: subject.name), isFirst: refusal == nil)
            } by: { (step: consuming SignInPasswordRequired, password) async throws(SignInError) in
                try await step.submit(password: password.reveal())
            }
            return try await proceed(from: next, subject)
        case .success(.mfaRequired(let step)): return try await proveSecondFactor(step, subject)
        case .success(.registrationRequired(let step)): return try await registerMethod(step, subject)
        case .success(.completed(let account)): return .success(account)
        case .failure(let error): return .failure(error)
        }
    }

    private mutating func proceed(
        from next: consuming Result<SignInNext, SignInError>, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        switch consume next {
        case .success(.mfaRequired(let step)): try await proveSecondFactor(step, subject)
        case .success(.registrationRequired(let step)): try await registerMethod(step, subject)
        case .success(.completed(let account)): .success(account)
        case .failure(let error): .failure(error)
        }
    }

    /// Signs the user in after a sign-up or a password reset.
    mutating func signIn<Step: FlowStep & ~Copyable>(
        after done: consuming Step, _ subject: TrySubject,
        _ signIn: (consuming Step) async throws(SignInError) -> Outcome<Step, SignInNext>
    ) async throws(TryEnd) -> Result<Account, SignInError> where Step.Refusal == ServiceError {
        switch try await act(done, subject, signIn) {
        case .success(.next(let next)): try await proceed(from: .success(next), subject)
        case .success(.retry(_, let refusal)): .failure(.service(refusal))
        case .failure(let error): .failure(error)
        }
    }

    // MARK: Second factor

    mutating func proveSecondFactor(
        _ step: consuming MFARequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        dialog.note("A second factor is needed.")
        secondFactors += 1
        let methods = step.info
        var method = methods[0]
        var chosen: AuthMethod?
        if methods.contains(where: \.isPasskey) {
            let first = try await choice(from: methods, isFirst: true)
            if first.isPasskey { return try await provePasskey(step, subject) }
            chosen = first
        }
        try await expectCode()
        let sent = try await submit(step, subject) { (refusal) async throws(TryEnd) in
            if let given = chosen {
                method = given
                chosen = nil
            } else {
                method = try await choice(from: methods, isFirst: refusal == nil)
            }
            return method
        } by: { (step: consuming MFARequired, method) async throws(SignInError) in
            try await step.requestCode(by: method)
        }
        switch consume sent {
        case .failure(let error): return .failure(error)
        case .success(let step):
            let remembers = try await remembersDevice(for: step.info.code.rememberableFor)
            let next = try await enter(step, subject) {
                (step: consuming MFACodeRequired, code) async throws(SignInError) in
                try await step.prove(code: code, rememberingDevice: remembers)
            } resend: { [method] (step: consuming MFACodeRequired) async throws(SignInError) in
                try await step.requestCode(by: method)
            }
            return try await proceed(from: next, subject)
        }
    }

    /// Whether the user wants this device to be remembered, where the server offers it.
    private func remembersDevice(for seconds: Int?) async throws(TryEnd) -> Bool {
        guard let seconds else { return false }
        return try await dialog.consents(
            to: "Do not ask for the second factor on this device for \(seconds / 86_400) days?", isUsual: false)
    }

    private mutating func provePasskey(
        _ step: consuming MFARequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        dialog.note("The passkey of this terminal is used.")
        let passkeys = passkeys
        let outcome: PasskeyOutcome
        do throws(SignInError) {
            outcome = try await step.verify(with: passkeys)
        } catch {
            return .failure(error)
        }
        switch consume outcome {
        case .completed(let account): return .success(account)
        case .retry(let again, let refusal):
            try dialog.refused(words(refusal, subject))
            try await dialog.pause("Press Enter to choose again")
            return try await proveSecondFactor(again, subject)
        }
    }

    private mutating func makePasskey(
        _ step: consuming RegistrationRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        let passkeys = passkeys
        let outcome: PasskeyRegistrationOutcome
        do throws(SignInError) {
            outcome = try await step.register(with: passkeys)
        } catch {
            return .failure(error)
        }
        switch consume outcome {
        case .completed(let account): return .success(account)
        case .retry(let again, let refusal):
            try dialog.refused(words(refusal, subject))
            try await dialog.pause("Press Enter to choose again")
            return try await registerMethod(again, subject)
        }
    }

    mutating func registerMethod(
        _ step: consuming RegistrationRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        dialog.note("No method of the account is enough here. Register one now.")
        secondFactors += 1
        let methods = step.info
        var contact = ""
        var chosen: AuthMethod?
        if methods.contains(where: { $0.isPasskey || $0.isAuthenticatorApp }) {
            let first = try await choice(from: methods, isFirst: true)
            if first.isPasskey { return try await makePasskey(step, subject) }
            if first.isAuthenticatorApp { return try await registerApp(step, subject) }
            chosen = first
        }
        try await expectCode()
        let sent = try await submit(step, subject) { (refusal) async throws(TryEnd) in
            let method: AuthMethod
            if let given = chosen {
                method = given
                chosen = nil
            } else {
                method = try await choice(from: methods, isFirst: true)
            }
            contact = try await dialog.contact(for: method)
            return (method, contact)
        } by: { (step: consuming RegistrationRequired, answer) async throws(SignInError) in
            try await step.requestCode(to: answer.1, by: answer.0)
        }
        switch consume sent {
        case .failure(let error): return .failure(error)
        case .success(.completed(let account)):
            dialog.note("\(Terminal.harmless(contact)) was verified a moment ago, so it needs no code.")
            return .success(account)
        case .success(.codeRequired(let step)):
            return try await enter(step, subject) {
                (step: consuming RegistrationCodeRequired, code) async throws(SignInError) in
                try await step.submit(code: code)
            } sendAgain: { (step: consuming RegistrationCodeRequired) async throws(SignInError) in
                switch try await step.resend() {
                case .retry(let step, let refusal): .retry(step, refusal)
                case .next(.codeRequired(let step)): .next(.sent(step))
                case .next(.completed(let account)): .next(.done(account))
                }
            }
        }
    }

    /// One of `methods`. A single method is used without a question; after a refusal the user may leave.
    private func choice(from methods: [AuthMethod], isFirst: Bool) async throws(TryEnd) -> AuthMethod {
        if !isFirst, methods.count == 1 { try await dialog.pause("Press Enter to try again") }
        return try await dialog.method(from: methods)
    }
}
