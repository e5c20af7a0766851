import NativeAuth
import NativeAuthCore

/// The password reset for a user who forgot the password.
extension TryConversation {
    /// - Parameter username: The e-mail address or the alias; the dialog asks for it when it is empty.
    mutating func resetPassword(username: String) async throws(TryEnd) {
        dialog.begin("Reset the password")
        var username = username
        while true {
            if username.isEmpty { username = try await dialog.username() }
            let subject = TrySubject(activity: "reset", name: username)
            switch try await reset(subject) {
            case .success(let done): return try await signIn(after: done, subject)
            case .failure(let error):
                switch error {
                case .userNotFound, .invalidUsername, .userDoesNotHavePassword:
                    try dialog.refused(words(error, subject))
                    username = ""
                case .expired:
                    try dialog.refused(words(error, subject))
                    try await dialog.pause("Press Enter to start again")
                case .notConfirmed, .browserRequired, .service:
                    throw end(error, subject)
                }
            }
        }
    }

    private mutating func reset(
        _ subject: TrySubject
    ) async throws(TryEnd) -> Result<PasswordResetCompleted, ResetPasswordError> {
        let client = place.client
        try await expectCode()
        let start = try await begin(subject) { () async throws(ResetPasswordError) in
            try await client.resetPassword(username: subject.name)
        }
        switch consume start {
        case .failure(let error): return .failure(error)
        case .success(let step):
            let next = try await enter(step, subject) {
                (step: consuming ResetPasswordCodeRequired, code) async throws(ResetPasswordError) in
                try await step.submit(code: code)
            } resend: { (step: consuming ResetPasswordCodeRequired) async throws(ResetPasswordError) in
                try await step.resend()
            }
            switch consume next {
            case .failure(let error): return .failure(error)
            case .success(let step): return try await choosePassword(step, subject)
            }
        }
    }

    private func choosePassword(
        _ step: consuming NewPasswordRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<PasswordResetCompleted, ResetPasswordError> {
        try await submit(step, subject) { (refusal) async throws(TryEnd) in
            try await dialog.password(.new, isFirst: refusal == nil)
        } by: { (step: consuming NewPasswordRequired, password) async throws(ResetPasswordError) in
            try await step.submit(password: password.reveal())
        }
    }

    private mutating func signIn(after done: consuming PasswordResetCompleted, _ subject: TrySubject)
        async throws(TryEnd)
    {
        dialog.note("The password is the new one. All sessions with the old one have ended.")
        let account = try await signIn(after: done, subject) {
            (done: consuming PasswordResetCompleted) async throws(SignInError) in try await done.signIn()
        }
        switch account {
        case .success(let account):
            self.account = account
            dialog.signedIn(account, .afterReset)
        case .failure(let error):
            throw .failed("The sign-in after it did not work; sign in with the new password. \(words(error, subject))")
        }
    }
}
