import NativeAuth
import NativeAuthCore

/// A new password for somebody who forgot theirs.
extension TryConversation {
    /// - Parameter username: The e-mail address or the alias; asked for when it is empty.
    mutating func resetPassword(username: String) async throws(TryEnd) {
        dialog.begin("Reset the password")
        let client = place.client
        var username = username
        while true {
            if username.isEmpty { username = try await dialog.username() }
            let subject = TrySubject(activity: "reset", name: username)
            let start = try await sending(subject) { [username] () async throws(NativeAuthError) in
                try await client.resetPassword(username: username)
            }
            let outcome: Result<NewPasswordRequired, NativeAuthError> =
                switch start {
                case .success(let state): try await enter(CodeStep(state), subject)
                case .failure(let error): .failure(error)
                }
            switch outcome {
            case .success(let state):
                let completed = try await choosePassword(state, subject)
                return try await signIn(after: completed, subject)
            case .failure(let error):
                switch error {
                case .userNotFound, .invalidUsername, .userDoesNotHavePassword:
                    try dialog.refused(words(error, subject))
                    username = ""
                case .expired:
                    try dialog.refused(words(error, subject))
                    try await dialog.pause("Press Enter to start again")
                case _: throw end(error, subject)
                }
            }
        }
    }

    private func choosePassword(
        _ state: NewPasswordRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> PasswordResetCompleted {
        var isFirst = true
        while true {
            let password = try await dialog.password(.new, isFirst: isFirst)
            let submitted = try await result(subject) { () async throws(NativeAuthError) in
                try await state.submit(password: password.reveal())
            }
            switch submitted {
            case .success(let completed): return completed
            case .failure(let error) where error.details.canRetry: try dialog.refused(words(error, subject))
            case .failure(let error): throw end(error, subject)
            }
            isFirst = false
        }
    }

    private mutating func signIn(after completed: PasswordResetCompleted, _ subject: TrySubject) async throws(TryEnd) {
        dialog.note("The password is the new one. Whoever was signed in with the old one is signed out.")
        let step = try await result(subject) { () async throws(NativeAuthError) in try await completed.signIn() }
        switch try await proceed(from: step, subject) {
        case .success(let account):
            self.account = account
            dialog.signedIn(account, .afterReset)
        case .failure(let error):
            throw .failed("The sign-in after it did not work; sign in with the new password. \(words(error, subject))")
        }
    }
}
