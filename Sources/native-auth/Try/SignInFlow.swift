import NativeAuth
import NativeAuthCore

/// Sign-in with a password or a code, then whatever second factor the server wants.
extension TryConversation {
    /// - Parameter form: What is known already; a claims request for a sign-in that must prove more than usual.
    mutating func signIn(_ form: SignInForm) async throws(TryEnd) {
        dialog.begin("Sign in")
        let client = place.client
        var form = form
        while true {
            if form.username.isEmpty { form.username = try await dialog.username() }
            let subject = TrySubject(activity: "sign-in", name: form.username)
            let start = try await sending(subject) { [form] () async throws(NativeAuthError) in
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
                    // The server asks for it.
                    form.password = nil
                case .expired:
                    try dialog.refused(words(error, subject))
                    try await dialog.pause("Press Enter to start again")
                case _: throw end(error, subject)
                }
            }
        }
    }

    /// Gives what the server asks for until somebody is signed in, or the server refuses for good.
    mutating func proceed(
        from first: Result<SignInStep, NativeAuthError>, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, NativeAuthError> {
        var step = first
        while true {
            switch step {
            case .success(.codeRequired(let state)): step = try await enter(CodeStep(state), subject)
            case .success(.passwordRequired(let state)): step = try await enterPassword(state, subject)
            case .success(.mfaRequired(let state)): return try await proveSecondFactor(state, subject)
            case .success(.registrationRequired(let state)): return try await registerMethod(state, subject)
            case .success(.completed(let account)): return .success(account)
            case .failure(let error): return .failure(error)
            }
        }
    }

    private func enterPassword(
        _ state: SignInPasswordRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<SignInStep, NativeAuthError> {
        var isFirst = true
        while true {
            let password = try await dialog.password(.own(username: subject.name), isFirst: isFirst)
            let submitted = try await result(subject) { () async throws(NativeAuthError) in
                try await state.submit(password: password.reveal())
            }
            guard case .failure(let error) = submitted, case .invalidPassword = error else { return submitted }
            try dialog.refused(words(error, subject))
            isFirst = false
        }
    }

    // MARK: Second factor

    private mutating func proveSecondFactor(
        _ state: MFARequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, NativeAuthError> {
        dialog.note("A second factor is needed.")
        while true {
            let method = try await dialog.method(from: state.methods)
            let sent = try await sending(subject) { () async throws(NativeAuthError) in
                try await state.requestChallenge(method)
            }
            switch sent {
            case .success(let codeRequired): return try await enter(CodeStep(codeRequired, method), subject)
            case .failure(let error) where state.methods.count > 1 && error.details.canRetry:
                try dialog.refused(words(error, subject))
            case .failure(let error): return .failure(error)
            }
        }
    }

    private mutating func registerMethod(
        _ state: RegistrationRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, NativeAuthError> {
        dialog.note("A second factor is needed, and there is none yet. Register one now.")
        while true {
            let method = try await dialog.method(from: state.methods)
            let contact = try await dialog.contact(for: method)
            let sent = try await sending(subject) { () async throws(NativeAuthError) in
                CodeStep.Resent(
                    try await state.requestChallenge(method, contact: contact), method, contact: contact)
            }
            switch sent {
            case .success(.sent(let step)): return try await enter(step, subject)
            case .success(.done(let account)):
                dialog.note("\(Terminal.harmless(contact)) was verified a moment ago, so it needs no code.")
                return .success(account)
            case .failure(let error):
                switch error {
                case .invalidInput, .verificationContactBlocked: try dialog.refused(words(error, subject))
                case _: return .failure(error)
                }
            }
        }
    }
}
