import NativeAuth
import PortableFoundation
import SoftPasskeys

/// Authenticator apps. Where codes come from the inbox, the program plays the app, too.
extension TryConversation {
    /// Shows the key of a new authenticator app.
    mutating func show(_ key: AuthenticatorKey) {
        dialog.note("Add this key to your authenticator app: \(key.groupedKey)")
        dialog.note("Or show the app a QR code of this address, or open it on the phone: \(key.url.absoluteString)")
        if case .inbox = codes { app = SoftApp(key: key.key) }
    }

    /// Registers an authenticator app in a sign-in that needs one.
    mutating func registerApp(
        _ step: consuming RegistrationRequired, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Account, SignInError> {
        let asked = try await act(step, subject) { (step: consuming RegistrationRequired) async throws(SignInError) in
            try await step.requestAuthenticatorKey()
        }
        switch consume asked {
        case .failure(let error): return .failure(error)
        case .success(.retry(let again, let refusal)):
            try dialog.refused(words(refusal, subject))
            try await dialog.pause("Press Enter to choose again")
            return try await registerMethod(again, subject)
        case .success(.next(let shown)):
            show(shown.info)
            return try await enter(shown, subject) {
                (step: consuming RegistrationAppRequired, code) async throws(SignInError) in
                try await step.submit(code: code)
            } resend: { (step: consuming RegistrationAppRequired) async throws(SignInError) in
                .next(step)
            }
        }
    }
}
