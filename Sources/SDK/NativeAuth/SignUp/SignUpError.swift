public import NativeAuthCore
import PortableFoundation

/// Why a sign-up did not begin, or is over. An error that the user can correct is an ``Outcome/retry(_:_:)`` instead.
public enum SignUpError: NativeAuthFailure, FlowFailure {
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
        var details = error.reporting
        details.browser?.prompt = .signUp
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
