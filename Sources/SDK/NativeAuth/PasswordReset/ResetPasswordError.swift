import PortableFoundation

/// Why a password reset did not begin, or is over. An error that the user can correct is an ``Outcome/retry(_:_:)``
/// instead.
public enum ResetPasswordError: NativeAuthFailure, FlowFailure {
    /// No account has this username.
    case userNotFound(ErrorDetails)
    /// The username is empty or not valid.
    case invalidUsername(ErrorDetails)
    /// The user signs in with one-time passcodes: there is no password to reset.
    case userDoesNotHavePassword(ErrorDetails)
    /// The server accepted the password, but did not confirm in time that it is set: try to sign in with it.
    case notConfirmed(ErrorDetails)
    /// The flow took too long: start again.
    case expired(ErrorDetails)
    /// The server requires the user to continue in a browser.
    case browserRequired(ErrorDetails)
    /// The call failed for a reason unrelated to the user's input.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .userNotFound(let details), .invalidUsername(let details), .userDoesNotHavePassword(let details),
            .notConfirmed(let details), .expired(let details), .browserRequired(let details):
            details
        case .service(let error):
            error.details
        }
    }

    /// Why a new password was not set, when the step is over.
    init(setting error: NativeAuthError) {
        if case .indeterminate = error { self = .notConfirmed(error.reporting) } else { self.init(error) }
    }

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch error {
            case .userNotFound: .userNotFound(details)
            case .invalidUsername: .invalidUsername(details)
            case .userDoesNotHavePassword: .userDoesNotHavePassword(details)
            case .expired: .expired(details)
            case .browserRequired: .browserRequired(details)
            case .userAlreadyExists, .invalidPassword, .invalidCredentials, .invalidAttributes, .incorrectCode,
                .invalidInput, .authMethodBlocked, .verificationContactBlocked, .unexpectedReply, .notAvailable,
                .registrationRequired, .mfaRequired, .invalidScope, .signInRequired, .throttled, .network,
                .indeterminate, .stateAlreadyUsed, .cancelled, .invalidConfiguration, .general:
                .service(ServiceError(error))
            }
    }
}
