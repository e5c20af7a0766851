import NativeAuth
import NativeAuthCore
import SoftPasskeys

/// Passkeys. A terminal has no authenticator, so the program plays the user's device: it keeps the passkeys until it ends.
extension TryConversation {
    /// Signs a user in with a passkey of this terminal, without a name.
    mutating func signInWithPasskey() async throws(TryEnd) {
        dialog.begin("Sign in with a passkey")
        let (client, passkeys) = (place.client, passkeys)
        let subject = TrySubject(activity: "sign-in", name: "")
        let start = try await begin(subject) { () async throws(PasskeySignInError) in
            try await client.signIn(with: passkeys)
        }
        switch consume start {
        case .success(.completed(let account)): signedInWithPasskey(account)
        case .success(.mfaRequired): throw .failed(Self.needsMore)
        case .success(.registrationRequired): throw .failed(Self.needsMore)
        case .failure(.signIn(let error)): throw end(error, subject)
        case .failure(let error): try dialog.refused(words(error, subject))
        }
    }

    private static let needsMore = "The server asks for more than a passkey here. Sign in in another way."

    private mutating func signedInWithPasskey(_ account: Account) {
        self.account = account
        dialog.note("The passkey said who you are, and counts as two factors.")
        dialog.signedIn(account, .afterSignIn)
    }

    /// Adds a passkey of this terminal to the account.
    mutating func addPasskey(to account: Account) async throws(TryEnd) {
        // A code can be there before the answer.
        try await expectCode()
        let next = try await call { () async throws(AccountError) in try await account.addPasskey() }
        guard let next else { return }
        let subject = TrySubject(activity: "change", name: account.username)
        switch consume next {
        case .passkeyRequired(let step): try await make(step, subject)
        case .codeRequired(let step):
            let proven = try await enter(step, subject) {
                (step: consuming PasskeyMailboxCodeRequired, code) async throws(AccountError) in
                try await step.submit(code: code)
            } resend: { (step: consuming PasskeyMailboxCodeRequired) async throws(AccountError) in
                try await step.resend()
            }
            switch consume proven {
            case .success(let step): try await make(step, subject)
            case .failure(let error): try dialog.refused(words(error, subject))
            }
        }
    }

    private mutating func make(
        _ step: consuming NewPasskeyRequired, _ subject: TrySubject
    ) async throws(TryEnd) {
        let passkeys = passkeys
        let made = try await act(step, subject) { (step: consuming NewPasskeyRequired) async throws(AccountError) in
            try await step.create(with: passkeys, name: "This terminal")
        }
        switch consume made {
        case .success(.next):
            dialog.note("Until this program ends, “use a passkey to sign in” needs no name and no password.")
        case .success(.retry(_, let refusal)): try dialog.refused(words(refusal, subject))
        case .failure(let error): try dialog.refused(words(error, subject))
        }
    }
}

extension PasskeyError {
    /// What the user is told.
    fileprivate var sentence: String {
        switch self {
        case .cancelled: "You did not use the passkey."
        case .noPasskeyHere: "This terminal has no passkey for the server yet. Add one on the screen “my account”."
        case .alreadyRegistered: "This terminal has a passkey for this account already."
        case .domainNotAssociated(let domain): "The app is not associated with \(Terminal.harmless(domain))."
        case .notInteractive, .unsupported: "Passkeys cannot be used here."
        case .unusableOptions(let member): "The server's options have no usable \(Terminal.harmless(member))."
        case .failed(let reason): Terminal.harmless(reason)
        }
    }
}

extension PasskeySignInError: TryFailure {
    var service: ServiceError? { if case .signIn(.service(let error)) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .device(let error, _): error.sentence
        case .notAccepted(nil, _): "The server did not accept the passkey."
        case .notAccepted: "The server has no such passkey: it was removed from the account. Use another way."
        case .signIn(let error): error.words(subject, place)
        }
    }
}

extension PasskeyRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .device(let error, _): error.sentence
        case .notAccepted: "The server did not accept the passkey."
        case .service(let error): error.words(subject, place)
        }
    }
}
