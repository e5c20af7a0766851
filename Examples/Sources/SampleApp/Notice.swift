import Foundation
import NativeAuth

/// What to tell the user, and what to offer them. All words of the app are in this file, ready to be translated.
struct Notice: Hashable {
    enum Suggestion: Hashable {
        case signIn, signUp, resetPassword, newCode, browser
    }

    let text: String
    let suggestion: Suggestion?

    init(_ text: String, _ suggestion: Suggestion? = nil) {
        self.text = text
        self.suggestion = suggestion
    }

    /// Also right when it was asked for too soon, for which a server sends none.
    static let newCode = Notice("The newest code in your mail is the one that counts.")
    static let passwordUnused = Notice("You need no password here: we have sent you a code.")
    static let accountCreated = Notice("Your account is ready. Please sign in.", .signIn)
    static let passwordChanged = Notice("Your password is changed. Please sign in.", .signIn)
    static let saved = Notice("Saved.")
    static let passwordIsChanged = Notice("Your password is changed. Your other devices have to sign in again.")
    static let emailIsChanged = Notice("Your address is changed. We have written to the old one, too.")
    static let accountDeleted = Notice("Your account is deleted.")
    static let accountKept = Notice("Your account stays.")
    static let signedOutHereOnly = Notice("You are signed out on this device.")
    static func accountWillBeDeleted(on date: Date) -> Notice {
        let day = date.formatted(.iso8601.year().month().day())
        return Notice("Your account will be deleted on \(day). Sign in before that day and choose to keep it.", .signIn)
    }
    private static let expired = Notice("That took too long. Please start again.")
    private static let browser = Notice("Please continue in your browser.", .browser)

    /// For what is not the user's fault, nor to be mended by them: their support finds the number in the server's log.
    private init(reporting details: ErrorDetails) {
        self.init("Something went wrong. If it happens again, tell us this number: \(details.correlationID).")
    }
}

// MARK: - Nothing to do with what the user gave

extension Notice {
    /// Nil for what the user stopped themselves.
    init?(_ error: ServiceError) {
        switch error {
        case .throttled(let seconds?, _): self.init("Too many attempts. Please try again in \(seconds) seconds.")
        case .throttled(nil, _): self.init("Too many attempts. Please try again later.")
        case .unreachable: self.init("There is no connection. Please try again.")
        case .indeterminate: self.init("The connection was lost. Please try again: nothing is done twice.")
        case .cancelled: return nil
        case .invalidConfiguration(let details), .unexpected(let details): self.init(reporting: details)
        }
    }
}

// MARK: - Why a step is still there

extension Notice {
    init?(_ refusal: CodeRefusal) {
        switch refusal {
        case .incorrectCode(let attempts, _) where attempts >= 5:
            self.init("The code is wrong, or too old. Please ask for a new one.", .newCode)
        case .incorrectCode: self.init("The code is wrong, or too old.")
        case .blocked: self.init("No code can be sent there.")
        case .service(let error): self.init(error)
        }
    }

    init?(_ refusal: PasswordRefusal) {
        switch refusal {
        case .incorrectPassword: self.init("The password is wrong.", .resetPassword)
        case .service(let error): self.init(error)
        }
    }

    init?(_ refusal: NewPasswordRefusal) {
        switch refusal {
        case .invalidPassword(let rule, _): self.init(rule.text)
        case .service(let error): self.init(error)
        }
    }

    init?(_ refusal: AttributesRefusal) {
        switch refusal {
        case .invalidAttributes(let problems, _): self.init(problems.map(\.text).joined(separator: " "))
        case .aliasTaken: self.init("This user name is taken already.")
        case .service(let error): self.init(error)
        }
    }

    init?(_ refusal: MethodRefusal) {
        switch refusal {
        case .blocked: self.init("No code can be sent there. Please choose another way.")
        case .invalidContact: self.init("No code can be sent to this address.")
        case .service(let error): self.init(error)
        }
    }
}

// MARK: - Why a flow is over

extension Notice {
    init?(_ error: SignUpError) {
        switch error {
        case .userAlreadyExists: self.init("You have an account already.", .signIn)
        case .invalidUsername: self.init("This is not an e-mail address.")
        case .invalidPassword(let rule, _): self.init(rule.text)
        case .invalidAttributes(let problems, _): self.init(problems.map(\.text).joined(separator: " "))
        case .expired: self = .expired
        case .browserRequired: self = .browser
        case .service(let error): self.init(error)
        }
    }

    init?(_ error: SignInError) {
        switch error {
        case .userNotFound: self.init("There is no account with this address.", .signUp)
        case .invalidUsername: self.init("This is not an e-mail address.")
        case .invalidCredentials: self.init("The password is wrong.", .resetPassword)
        case .authMethodBlocked: self.init("No code can be sent there.")
        case .expired: self = .expired
        case .browserRequired: self = .browser
        case .notAvailable: self.init("Please sign in.", .signIn)
        case .invalidScope(let details): self.init(reporting: details)
        case .service(let error): self.init(error)
        }
    }

    init?(_ error: ResetPasswordError) {
        switch error {
        case .userNotFound: self.init("There is no account with this address.", .signUp)
        case .invalidUsername: self.init("This is not an e-mail address.")
        case .userDoesNotHavePassword: self.init("You have no password: you sign in with a code.", .signIn)
        case .notConfirmed: self.init("This takes long. Please sign in with the new password.", .signIn)
        case .expired: self = .expired
        case .browserRequired: self = .browser
        case .service(let error): self.init(error)
        }
    }

    init?(_ error: TokenError) {
        switch error {
        case .signInRequired, .sessionEnded: self.init("Please sign in again.", .signIn)
        case .secondFactorRequired: self.init("Please sign in again to prove that it is you.", .signIn)
        case .browserRequired: self = .browser
        case .notCached: self.init("There is no connection. Please try again.")
        case .scopesRefused(_, let details): self.init(reporting: details)
        case .service(let error): self.init(error)
        }
    }

    init?(_ error: AccountError) {
        switch error {
        case .signInRequired: self.init("Please sign in again.", .signIn)
        case .secondFactorRequired, .proofRequired: self.init("Please sign in again to prove that it is you.", .signIn)
        case .notAllowed(let name?, _): self.init("\(AttributeName.label(name)) cannot be changed.")
        case .notAllowed(nil, let details): self.init(reporting: details)
        case .invalidAttribute(let name?, _): self.init("\(AttributeName.label(name)) is not accepted.")
        case .invalidAttribute(nil, let details): self.init(reporting: details)
        case .nameTaken: self.init("Another account has this name.")
        case .incorrectPassword: self.init("The current password is wrong.", .resetPassword)
        case .invalidPassword(let rule, _): self.init(rule.text)
        case .invalidContact: self.init("No code can be sent to this address.")
        case .incorrectCode: self.init("The code is wrong, or too old.")
        case .changedMeanwhile: self.init("Another device has changed your account. Please look again.")
        case .notFound: self.init("It is gone already.")
        case .lastMethod: self.init("Your account needs a second factor, and this is the last one.")
        case .expired: self = .expired
        case .service(let error): self.init(error)
        }
    }

    init?(_ error: SignOutError) {
        switch error {
        case .stillSignedIn: self.init("You are still signed in. Please try again.")
        case .notRevoked: self = .signedOutHereOnly
        }
    }
}

// MARK: - Rules and hints

extension PasswordRule {
    var text: String {
        switch self {
        case .empty: "Please choose a password."
        case .tooShort: "The password is too short."
        case .tooLong: "The password is too long."
        case .tooWeak: "The password needs three of these: small letters, capital letters, digits, symbols."
        case .banned: "The password is too easy to guess."
        case .recentlyUsed: "You had this password before."
        case .notAllowed: "The password has characters that are not allowed."
        }
    }
}

extension AttributeProblem {
    var text: String {
        hint?.text(for: name) ?? "\(AttributeName.label(name)) is not accepted."
    }
}

extension AttributeHint {
    func text(for name: String) -> String {
        switch self {
        case .missing: "\(AttributeName.label(name)) is missing."
        case .wrongType(expected: "integer"): "\(AttributeName.label(name)) must be a number."
        case .wrongType: "\(AttributeName.label(name)) must be yes or no."
        case .patternMismatch: "\(AttributeName.label(name)) does not look right."
        }
    }
}

extension AttributeName {
    /// What the app calls an attribute; those that it does not know keep their programmable names.
    static func label(_ name: String) -> String {
        let labels = [
            displayName: "Name", city: "City", country: "Country", postalCode: "Postal code", givenName: "First name",
            surname: "Last name",
            flatUsername: "User name",
        ]
        return labels[name] ?? name
    }
}

extension EmailHint {
    var text: String {
        switch self {
        case .noAt: "There is one @ in an address."
        case .noName: "Something is missing before the @."
        case .noDomain: "Something is missing after the @."
        case .badCharacter: "There is a character that no address has."
        }
    }
}

extension CodeHint {
    var text: String {
        switch self {
        case .tooShort(let missing): "\(missing) more."
        case .tooLong(let count): "\(count) too many."
        case .notDigits: "A code has digits only."
        }
    }
}

extension SentCode {
    /// For a countdown beside the button that sends another code; the screen says what time it is. 0: now.
    func secondsUntilResend(at now: Date) -> Int {
        max(0, Int((resendAllowedAt ?? sentAt).timeIntervalSince(now).rounded(.up)))
    }
}
