import NativeAuth

/// An error or a refusal of the SDK, with the sample app's message for it.
protocol TryFailure: NativeAuthFailure {
    /// The service error, when the failure is unrelated to the user's input.
    var service: ServiceError? { get }
    /// The message for a user who does not know the API.
    func words(_ subject: TrySubject, _ place: TryPlace) -> String
}

// MARK: - Errors that end a flow

extension SignUpError: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .userAlreadyExists:
            subject.alias.map { "An account with \(subject.shownName) or the alias \($0) exists already. Take others." }
                ?? "An account with \(subject.shownName) exists already. Take another address."
        case .invalidUsername: subject.notAnAddress
        case .invalidPassword(let rule, _): TryWords.sentence(for: rule)
        case .invalidAttributes(let problems, _): TryWords.sentence(for: problems)
        case .expired: subject.expired
        case .browserRequired(let details): subject.browserRequired(details)
        case .service(let error): error.words(subject, place)
        }
    }
}

extension SignInError: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .userNotFound: subject.unknown
        case .invalidUsername: subject.notAnAddress
        case .invalidCredentials: subject.wrongPassword
        case .authMethodBlocked: "The server has blocked that address or number."
        case .invalidScope: "The server does not grant what the app asks for."
        case .expired: subject.expired
        case .browserRequired(let details): subject.browserRequired(details)
        case .notAvailable: "The server gave nothing to sign in with."
        case .service(let error): error.words(subject, place)
        }
    }
}

extension ResetPasswordError: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .userNotFound: subject.unknown
        case .invalidUsername: subject.notAnAddress
        case .userDoesNotHavePassword:
            "\(subject.shownName) signs in with codes and has no password to reset: just sign in."
        case .notConfirmed: "The server did not say in time that the password holds: try to sign in with it."
        case .expired: subject.expired
        case .browserRequired(let details): subject.browserRequired(details)
        case .service(let error): error.words(subject, place)
        }
    }
}

extension TokenError: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .signInRequired, .sessionEnded: "The session of \(subject.shownName) has ended. Sign in again."
        case .secondFactorRequired: "The server wants a second factor for that. Sign in again."
        case .browserRequired(let details): subject.browserRequired(details)
        case .scopesRefused: "The server does not grant what the app asks for."
        case .notCached: "There is no token here."
        case .service(let error): error.words(subject, place)
        }
    }
}

extension ServiceError: TryFailure {
    var service: ServiceError? { self }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .throttled(let seconds?, _): "The server is busy; try again in \(seconds) s."
        case .throttled(nil, _): "The server is busy; try again later."
        case .unreachable: TryWords.unreachable(place.baseURL)
        case .indeterminate: "The connection to \(place.baseURL) was lost before the answer came."
        case .cancelled: "Stopped."
        case .invalidConfiguration(let details): details.message ?? "The app is set up wrongly."
        case .unexpected(let details): TryWords.sentence(forUnexpected: details, subject, place)
        }
    }
}

// MARK: - Refusals that keep the step usable

extension CodeRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .incorrectCode(_, let details) where details.errorCodes.contains(TryWords.codeExpired):
            "That code is too old; a new one is needed."
        // The server does not report when it stops comparing (`SEC-OTP-3`).
        case .incorrectCode(let attempts, _) where attempts >= 3:
            "That is not the code either. After a few wrong ones the server takes none any more: type r for a new one; for an app, b, and begin again."
        case .incorrectCode:
            "That is not the code. A mailed one is in the newest mail; an app shows its own, and each works once."
        case .blocked: "The server has blocked that address or number."
        case .service(let error): error.words(subject, place)
        }
    }
}

extension PasswordRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .incorrectPassword(1, _): subject.wrongPassword
        case .incorrectPassword(let attempts, _):
            "That is not the password of \(subject.shownName) either (\(attempts) tries). Who has forgotten it can reset it."
        case .service(let error): error.words(subject, place)
        }
    }
}

extension NewPasswordRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .invalidPassword(let rule, _): TryWords.sentence(for: rule)
        case .service(let error): error.words(subject, place)
        }
    }
}

extension AttributesRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .invalidAttributes(let problems, _): TryWords.sentence(for: problems)
        case .aliasTaken: "An account with that alias exists already. Take another one."
        case .service(let error): error.words(subject, place)
        }
    }
}

extension MethodRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .blocked: "The server has blocked that address or number."
        case .invalidContact: "The server does not take that as an address or number."
        case .service(let error): error.words(subject, place)
        }
    }
}

extension WebSignInError: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .cancelled: "The page was left, or no answer came within five minutes."
        case .busy: "Another sign-in in a browser is running."
        case .couldNotShow(let details):
            details.message.map { "No browser opened: \(Terminal.harmless($0))" } ?? "No browser opened."
        case .interactionRequired: "The server has a question, which this request does not allow."
        case .answerRejected: "The answer was not the one to this request. Nothing was stored."
        case .declinedScopes: "The server does not grant what the app asks for."
        case .otherUser(let account, _):
            "The page signed \(Terminal.harmless(account.username)) in, and not the user who began here. Nothing was stored."
        case .service(let error): error.words(subject, place)
        }
    }
}

// MARK: - Shared messages

extension TrySubject {
    var shownName: String { Terminal.harmless(name) }

    fileprivate var unknown: String { "No account has the name \(shownName). Check the name, or sign up with it." }
    fileprivate var notAnAddress: String { "The server does not take \(shownName) as an e-mail address." }
    fileprivate var wrongPassword: String {
        "That is not the password of \(shownName). Who has forgotten it can reset it."
    }
    fileprivate var expired: String { "This \(activity) took too long and has ended. Start again." }

    fileprivate func browserRequired(_ details: ErrorDetails) -> String {
        "The server wants this \(activity) to go on in a browser."
            + (details.message.map { " Its reason: \(Terminal.harmless($0))." } ?? "")
    }
}
