import NativeAuthWire
import PortableFoundation

/// Why a code was refused, or no new code was sent. The step stays usable.
public enum CodeRefusal: NativeAuthFailure {
    /// The code is empty or wrong. `attempts` is the number of codes refused on this step so far; after five wrong
    /// codes many servers require a new code (``SentCode/resendAllowedAt``).
    case incorrectCode(attempts: Int, ErrorDetails)
    /// The target of the code is blocked because of its reputation.
    case blocked(ErrorDetails)
    /// The call failed for a reason unrelated to the code. The code that was sent can still be submitted.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .incorrectCode(_, let details), .blocked(let details): details
        case .service(let error): error.details
        }
    }
}

/// Why a password that the user chose was refused. The step stays usable.
public enum NewPasswordRefusal: NativeAuthFailure {
    /// The password breaks this rule.
    case invalidPassword(PasswordRule, ErrorDetails)
    /// The call failed for a reason unrelated to the password.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .invalidPassword(_, let details): details
        case .service(let error): error.details
        }
    }
}

/// The rule that a password breaks (docs/protocol.md §10).
public enum PasswordRule: Hashable, Sendable {
    /// It is empty.
    case empty
    /// It has too few characters.
    case tooShort
    /// It has too many characters.
    case tooLong
    /// It is too easy to guess, or has too few kinds of characters.
    case tooWeak
    /// It contains a word that is not allowed, such as the name of the company.
    case banned
    /// The user has used it before.
    case recentlyUsed
    /// It contains characters that are not allowed, or breaks a rule that the server did not name.
    case notAllowed

    init(_ details: ErrorDetails) {
        self =
            switch details.suberror.map(WireSuberror.init(rawValue:)) {
            case .passwordTooShort: .tooShort
            case .passwordTooLong: .tooLong
            case .passwordTooWeak: .tooWeak
            case .passwordBanned: .banned
            case .passwordRecentlyUsed: .recentlyUsed
            case nil: .empty
            case _: .notAllowed
            }
    }
}

// MARK: - From the errors of all flows

/// A refusal of a step.
protocol StepRefusal: NativeAuthFailure {
    /// The refusal for `error`; nil when `error` ends the flow. `attempts` is the number of inputs that the step refused
    /// before.
    init?(_ error: NativeAuthError, attempts: Int)
    /// The number of inputs refused so far; nil when `self` is not about the input, or is not counted.
    var attempts: Int? { get }
    static func service(_ error: ServiceError) -> Self
}

extension StepRefusal {
    var attempts: Int? { nil }

    /// The refusal for an error that is unrelated to the input; nil when `error` ends the flow.
    init?(unrelated error: NativeAuthError) {
        guard let service = ServiceError(retrying: error) else { return nil }
        self = .service(service)
    }
}

extension ServiceError: StepRefusal {
    init?(_ error: NativeAuthError, attempts: Int) {
        self.init(retrying: error)
    }

    static func service(_ error: ServiceError) -> Self { error }

    /// Nil unless the same step can be tried again, also when the server no longer knows the flow.
    init?(retrying error: NativeAuthError) {
        switch error {
        // An answer that cannot be parsed, such as a gateway's page, is not the server's final answer.
        case .unexpectedReply:
            self.init(error)
        case .throttled, .network, .indeterminate, .cancelled, .general, .stateAlreadyUsed, .notAvailable:
            let details = error.details
            guard details.canRetry, !details.errorCodes.contains(AADSTSCode.continuationTokenInvalid.rawValue) else {
                return nil
            }
            self.init(error)
        case .browserRequired, .userAlreadyExists, .userNotFound, .invalidUsername, .invalidPassword,
            .invalidCredentials, .userDoesNotHavePassword, .invalidAttributes, .incorrectCode, .invalidInput,
            .authMethodBlocked, .verificationContactBlocked, .expired, .registrationRequired, .mfaRequired,
            .invalidScope, .signInRequired, .invalidConfiguration:
            return nil
        }
    }
}

extension CodeRefusal: StepRefusal {
    init?(_ error: NativeAuthError, attempts: Int) {
        switch error {
        case .incorrectCode: self = .incorrectCode(attempts: attempts + 1, error.reporting)
        case .authMethodBlocked, .verificationContactBlocked: self = .blocked(error.reporting)
        case _: self.init(unrelated: error)
        }
    }

    var attempts: Int? {
        if case .incorrectCode(let attempts, _) = self { attempts } else { nil }
    }
}

extension NewPasswordRefusal: StepRefusal {
    init?(_ error: NativeAuthError, attempts: Int = 0) {
        switch error {
        case .invalidPassword: self = .invalidPassword(PasswordRule(error.details), error.reporting)
        case _: self.init(unrelated: error)
        }
    }
}
