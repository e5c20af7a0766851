public import NativeAuthCore
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

/// Why attributes were refused. The step stays usable.
public enum AttributesRefusal: NativeAuthFailure {
    /// These attributes break their rules.
    case invalidAttributes([AttributeProblem], ErrorDetails)
    /// Another account already has the alias, ``AttributeName/flatUsername``.
    case aliasTaken(ErrorDetails)
    /// The call failed for a reason unrelated to the attributes.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .invalidAttributes(_, let details), .aliasTaken(let details): details
        case .service(let error): error.details
        }
    }
}

/// Why no code was sent with the method that the user chose. The step stays usable: choose another method.
public enum MethodRefusal: NativeAuthFailure {
    /// The method or the contact is blocked because of its reputation.
    case blocked(ErrorDetails)
    /// The contact is empty, or is neither an e-mail address nor a telephone number.
    case invalidContact(ErrorDetails)
    /// The call failed for a reason unrelated to the choice.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .blocked(let details), .invalidContact(let details): details
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

/// An attribute that the server refused.
public struct AttributeProblem: Hashable, Sendable {
    /// The programmable name.
    public let name: String
    /// The server's description of the attribute, if it sent one.
    public let attribute: RequiredAttribute?
    /// The possible mistake, as far as this library can see it; nil when the server did not state the rule.
    public let hint: AttributeHint?

    init(name: String, attribute: RequiredAttribute?, hint: AttributeHint?) {
        self.name = name
        self.attribute = attribute
        self.hint = hint
    }

    init(name: String, required: [RequiredAttribute], submitted: [String: AttributeValue]) {
        let attribute = required.first { $0.name == name }
        self.init(name: name, attribute: attribute, hint: attribute?.hint(for: submitted[name]))
    }
}

// MARK: - From the errors of all flows

// Each initialiser separates the refusals of one kind of step from errors that end the flow; it returns nil for the
// latter.

extension ServiceError {
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

extension CodeRefusal {
    init?(_ error: NativeAuthError, attempts: Int) {
        switch error {
        case .incorrectCode: self = .incorrectCode(attempts: attempts + 1, error.reporting)
        case .authMethodBlocked, .verificationContactBlocked: self = .blocked(error.reporting)
        case _:
            guard let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }

    var attempts: Int? {
        if case .incorrectCode(let attempts, _) = self { attempts } else { nil }
    }
}

extension PasswordRefusal {
    init?(_ error: NativeAuthError, attempts: Int) {
        switch error {
        case .invalidPassword, .invalidCredentials:
            self = .incorrectPassword(attempts: attempts + 1, error.reporting)
        case _:
            guard let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }

    var attempts: Int? {
        if case .incorrectPassword(let attempts, _) = self { attempts } else { nil }
    }
}

extension NewPasswordRefusal {
    init?(_ error: NativeAuthError) {
        switch error {
        case .invalidPassword: self = .invalidPassword(PasswordRule(error.details), error.reporting)
        case _:
            guard let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }
}

extension AttributesRefusal {
    init?(_ error: NativeAuthError, required: [RequiredAttribute], submitted: [String: AttributeValue]) {
        switch error {
        case .invalidAttributes(let names, _):
            let problems = names.map { AttributeProblem(name: $0, required: required, submitted: submitted) }
            self = .invalidAttributes(problems, error.reporting)
        // The address was proven to be the user's own; only the alias can belong to another account.
        case .userAlreadyExists where submitted[AttributeName.flatUsername] != nil:
            self = .aliasTaken(error.reporting)
        case _:
            guard let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }
}

extension MethodRefusal {
    init?(_ error: NativeAuthError) {
        switch error {
        case .authMethodBlocked, .verificationContactBlocked: self = .blocked(error.reporting)
        case .invalidInput: self = .invalidContact(error.reporting)
        case _:
            // A contact that was verified before is spent together with its token, whatever the error.
            guard error.details.canRetry, let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }
}
