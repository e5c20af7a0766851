import PortableFoundation

/// Why a sign-in did not begin, or is over. An error that the user can correct is an ``Outcome/retry(_:_:)`` instead.
public enum SignInError: NativeAuthFailure, FlowFailure {
    /// No account has this username.
    case userNotFound(ErrorDetails)
    /// The username is empty or not valid.
    case invalidUsername(ErrorDetails)
    /// The password given at the start is empty, or is not the user's.
    case invalidCredentials(ErrorDetails)
    /// The user's sign-in method is blocked because of its reputation.
    case authMethodBlocked(ErrorDetails)
    /// A scope is reserved, unknown or not consented to.
    case invalidScope(ErrorDetails)
    /// The flow took too long: start again.
    case expired(ErrorDetails)
    /// The server requires the user to continue in a browser.
    case browserRequired(ErrorDetails)
    /// Sign-in cannot follow directly, because the server gave no token for it: sign in separately.
    case notAvailable(ErrorDetails)
    /// The call failed for a reason unrelated to the user's input.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .userNotFound(let details), .invalidUsername(let details), .invalidCredentials(let details),
            .authMethodBlocked(let details), .invalidScope(let details), .expired(let details),
            .browserRequired(let details), .notAvailable(let details):
            details
        case .service(let error):
            error.details
        }
    }

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch error {
            case .userNotFound: .userNotFound(details)
            case .invalidUsername: .invalidUsername(details)
            case .invalidCredentials, .invalidPassword: .invalidCredentials(details)
            case .authMethodBlocked, .verificationContactBlocked: .authMethodBlocked(details)
            case .invalidScope: .invalidScope(details)
            case .expired: .expired(details)
            case .browserRequired: .browserRequired(details)
            case .notAvailable: .notAvailable(details)
            case .userAlreadyExists, .userDoesNotHavePassword, .invalidAttributes, .incorrectCode, .invalidInput,
                .unexpectedReply, .registrationRequired, .mfaRequired, .signInRequired, .throttled, .network,
                .indeterminate, .stateAlreadyUsed, .cancelled, .invalidConfiguration, .general:
                .service(ServiceError(error))
            }
    }
}

/// Why the user's password was refused. The step stays usable.
public enum PasswordRefusal: NativeAuthFailure {
    /// The password is empty or wrong. `attempts` is the number of passwords refused on this step so far.
    case incorrectPassword(attempts: Int, ErrorDetails)
    /// The call failed for a reason unrelated to the password.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .incorrectPassword(_, let details): details
        case .service(let error): error.details
        }
    }
}

extension PasswordRefusal: StepRefusal {
    init?(_ error: NativeAuthError, attempts: Int) {
        switch error {
        case .invalidPassword, .invalidCredentials:
            self = .incorrectPassword(attempts: attempts + 1, error.reporting)
        case _: self.init(unrelated: error)
        }
    }

    var attempts: Int? {
        if case .incorrectPassword(let attempts, _) = self { attempts } else { nil }
    }
}
