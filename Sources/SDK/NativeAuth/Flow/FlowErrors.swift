import PortableFoundation

/// Why a call failed for a reason unrelated to the user's input.
public enum ServiceError: NativeAuthFailure {
    /// The server accepts no more requests for now; with the seconds to wait, at most 3600, if it states them
    /// (`SDK-RETRY-3`).
    case throttled(retryAfter: Int?, ErrorDetails)
    /// The server cannot be reached.
    case unreachable(ErrorDetails, underlying: any Error)
    /// The connection was lost before the answer arrived, or the answer was not final: it is unknown whether the server
    /// acted on the request (`SDK-RETRY-2`).
    case indeterminate(ErrorDetails)
    /// The task was cancelled.
    case cancelled(ErrorDetails)
    /// The client was set up wrongly; nothing was sent.
    case invalidConfiguration(ErrorDetails)
    /// An answer that this library does not know, or that makes no sense here; the server's words and numbers are kept.
    case unexpected(ErrorDetails)

    public var details: ErrorDetails {
        switch self {
        case .throttled(_, let details), .unreachable(let details, _), .indeterminate(let details),
            .cancelled(let details), .invalidConfiguration(let details), .unexpected(let details):
            details
        }
    }

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch error {
            case .throttled(let retryAfter, _): .throttled(retryAfter: retryAfter, details)
            case .network(_, let underlying): .unreachable(details, underlying: underlying)
            case .indeterminate: .indeterminate(details)
            case .cancelled: .cancelled(details)
            case .invalidConfiguration: .invalidConfiguration(details)
            case .browserRequired, .userAlreadyExists, .userNotFound, .invalidUsername, .invalidPassword,
                .invalidCredentials, .userDoesNotHavePassword, .invalidAttributes, .incorrectCode, .invalidInput,
                .authMethodBlocked, .verificationContactBlocked, .expired, .unexpectedReply, .notAvailable,
                .registrationRequired, .mfaRequired, .invalidScope, .signInRequired, .stateAlreadyUsed, .general:
                .unexpected(details)
            }
    }
}

/// Why a sign-up did not begin, or is over. An error that the user can correct is an ``Outcome/retry(_:_:)`` instead.
public enum SignUpError: NativeAuthFailure {
    /// An account with this e-mail address or alias already exists.
    case userAlreadyExists(ErrorDetails)
    /// The username is empty or not an e-mail address.
    case invalidUsername(ErrorDetails)
    /// The password given at the start breaks a rule; the server may report this only after a right code.
    case invalidPassword(PasswordRule, ErrorDetails)
    /// Attributes given at the start break their rules.
    case invalidAttributes([AttributeProblem], ErrorDetails)
    /// The flow took too long: start again.
    case expired(ErrorDetails)
    /// The server requires the user to continue in a browser.
    case browserRequired(ErrorDetails)
    /// The call failed for a reason unrelated to the user's input.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .userAlreadyExists(let details), .invalidUsername(let details), .invalidPassword(_, let details),
            .invalidAttributes(_, let details), .expired(let details), .browserRequired(let details):
            details
        case .service(let error):
            error.details
        }
    }

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch error {
            case .userAlreadyExists: .userAlreadyExists(details)
            case .invalidUsername: .invalidUsername(details)
            case .invalidPassword: .invalidPassword(PasswordRule(details), details)
            case .invalidAttributes(let names, _):
                .invalidAttributes(names.map { AttributeProblem(name: $0, attribute: nil, hint: nil) }, details)
            case .expired: .expired(details)
            case .browserRequired: .browserRequired(details)
            case .userNotFound, .invalidCredentials, .userDoesNotHavePassword, .incorrectCode, .invalidInput,
                .authMethodBlocked, .verificationContactBlocked, .unexpectedReply, .notAvailable,
                .registrationRequired, .mfaRequired, .invalidScope, .signInRequired, .throttled, .network,
                .indeterminate, .stateAlreadyUsed, .cancelled, .invalidConfiguration, .general:
                .service(ServiceError(error))
            }
    }
}

/// Why a sign-in did not begin, or is over. An error that the user can correct is an ``Outcome/retry(_:_:)`` instead.
public enum SignInError: NativeAuthFailure {
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

/// Why a password reset did not begin, or is over. An error that the user can correct is an ``Outcome/retry(_:_:)``
/// instead.
public enum ResetPasswordError: NativeAuthFailure {
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
