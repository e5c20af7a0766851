public import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a code was not taken, or no new one sent. The step is alive.
public enum CodeRefusal: NativeAuthFailure {
    /// The code is empty or wrong. So many codes were refused on this step so far; after five wrong ones many servers want a
    /// new code (``SentCode/resendAllowedAt``).
    case incorrectCode(attempts: Int, ErrorDetails)
    /// The place the code should go to is blocked because of its reputation.
    case blocked(ErrorDetails)
    /// It failed for reasons that have nothing to do with the code. The one that was sent may still be submitted.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .incorrectCode(_, let details), .blocked(let details): details
        case .service(let error): error.details
        }
    }
}

/// Why the password of a user was not taken. The step is alive.
public enum PasswordRefusal: NativeAuthFailure {
    /// The password is empty or wrong. So many were refused on this step so far.
    case incorrectPassword(attempts: Int, ErrorDetails)
    /// It failed for reasons that have nothing to do with the password.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .incorrectPassword(_, let details): details
        case .service(let error): error.details
        }
    }
}

/// Why a password that the user chose was not taken. The step is alive.
public enum NewPasswordRefusal: NativeAuthFailure {
    /// The password breaks this rule.
    case invalidPassword(PasswordRule, ErrorDetails)
    /// It failed for reasons that have nothing to do with the password.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .invalidPassword(_, let details): details
        case .service(let error): error.details
        }
    }
}

/// Why attributes were not taken. The step is alive.
public enum AttributesRefusal: NativeAuthFailure {
    /// These attributes break their rules.
    case invalidAttributes([AttributeProblem], ErrorDetails)
    /// Somebody has the alias, ``AttributeName/flatUsername``, already.
    case aliasTaken(ErrorDetails)
    /// It failed for reasons that have nothing to do with the attributes.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .invalidAttributes(_, let details), .aliasTaken(let details): details
        case .service(let error): error.details
        }
    }
}

/// Why no code was sent by the method that the user chose. The step is alive: choose another one.
public enum MethodRefusal: NativeAuthFailure {
    /// The method or the contact is blocked because of its reputation.
    case blocked(ErrorDetails)
    /// The contact is empty, or no e-mail address or telephone number.
    case invalidContact(ErrorDetails)
    /// It failed for reasons that have nothing to do with the choice.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .blocked(let details), .invalidContact(let details): details
        case .service(let error): error.details
        }
    }
}

/// The rule that a password breaks (native-auth-v1 §10).
public enum PasswordRule: Hashable, Sendable {
    /// It is empty.
    case empty
    /// It has too few characters.
    case tooShort
    /// It has too many characters.
    case tooLong
    /// It is too easy to guess, or has too few kinds of characters.
    case tooWeak
    /// It has a word in it that is not allowed, such as the name of the company.
    case banned
    /// The user had it before.
    case recentlyUsed
    /// It has characters that are not allowed, or breaks a rule that the server did not name.
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

/// An attribute that the server did not take.
public struct AttributeProblem: Hashable, Sendable {
    /// The programmable name.
    public let name: String
    /// What the server had said that the attribute must be like, if it had.
    public let attribute: RequiredAttribute?
    /// What looks wrong, as far as can be seen here; nil when the server has a rule that it did not tell.
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

// MARK: - From the vocabulary of all flows

// Each tells the refusals of one kind of step from what ends the flow; nil for the latter.

extension ServiceError {
    /// Nil unless the same step may be tried again; so where the server knows the flow no more.
    init?(retrying error: NativeAuthError) {
        switch error {
        // What nobody can read, such as the page of a gateway, is not the server's last word.
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
        // The address was proven to be the user's own; what can be somebody else's is the alias.
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
            // A contact that was verified before is spent with its token, whatever came then.
            guard error.details.canRetry, let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }
}
