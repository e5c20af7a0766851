import PortableFoundation

/// Why a request of a flow failed, in one type for all flows. Apps see the errors that can occur at their step:
/// ``SignUpError``, ``SignInError``, ``ResetPasswordError``, ``TokenError``, and the refusals of the steps.
///
/// Every case has ``ErrorDetails``; its `canRetry` says whether the same state can be used again.
package enum NativeAuthError: Error, Sendable {
    package typealias Details = ErrorDetails

    /// The server requires the user to continue in a browser.
    case browserRequired(Details)
    /// An account with this e-mail address or alias already exists.
    case userAlreadyExists(Details)
    /// No account has this username.
    case userNotFound(Details)
    /// The username is empty or not an e-mail address.
    case invalidUsername(Details)
    /// The password is empty, wrong, or breaks a rule; `suberror` names the rule.
    case invalidPassword(Details)
    /// The password given at the start of a sign-in is empty, or is not the user's.
    case invalidCredentials(Details)
    /// The user signs in with one-time passcodes: there is no password to reset.
    case userDoesNotHavePassword(Details)
    /// These attributes break their rules.
    case invalidAttributes(names: [String], Details)
    /// The one-time passcode is empty or wrong.
    case incorrectCode(Details)
    /// The contact to register is empty, or is neither an e-mail address nor a telephone number.
    case invalidInput(Details)
    /// The second factor is blocked because of its reputation: choose another one.
    case authMethodBlocked(Details)
    /// The contact to register is blocked because of its reputation: choose another one.
    case verificationContactBlocked(Details)
    /// The flow took too long, or the session has ended at the server: start again.
    case expired(Details)
    /// The answer does not follow this protocol.
    case unexpectedReply(Details)
    /// Sign-in cannot follow directly, because the server gave no token for it: sign in separately.
    case notAvailable(Details)
    /// The user must first register a strong authentication method, at a point where no step for that can follow.
    case registrationRequired(Details)
    /// The server requires a second factor, at a point where no step for that can follow.
    case mfaRequired(Details)
    /// A scope is reserved, unknown or not consented to.
    case invalidScope(Details)
    /// No user is signed in, or the session cannot be refreshed: sign in again.
    case signInRequired(Details)
    /// The server accepts no more requests for now; with the seconds to wait, at most 3600, if it states them
    /// (`SDK-RETRY-3`).
    case throttled(retryAfter: Int?, Details)
    /// The server cannot be reached; the same step may be tried again.
    case network(Details, underlying: any Error)
    /// The connection was lost before the answer arrived, or the answer was not final: it is unknown whether the server
    /// acted on the request (`SDK-RETRY-2`). `canRetry` says whether the same step can be tried again.
    case indeterminate(Details)
    /// The step has already succeeded, or is running now; nothing was sent (`SDK-STATE-1`).
    case stateAlreadyUsed(Details)
    /// The task was cancelled.
    case cancelled(Details)
    /// The client was set up wrongly; nothing was sent.
    case invalidConfiguration(Details)
    /// Any other error.
    case general(Details)

    /// The details of the error.
    package var details: Details {
        switch self {
        case .browserRequired(let details), .userAlreadyExists(let details), .userNotFound(let details),
            .invalidUsername(let details), .invalidPassword(let details), .invalidCredentials(let details),
            .userDoesNotHavePassword(let details), .invalidAttributes(_, let details), .incorrectCode(let details),
            .invalidInput(let details), .authMethodBlocked(let details), .verificationContactBlocked(let details),
            .expired(let details), .unexpectedReply(let details), .notAvailable(let details),
            .registrationRequired(let details), .mfaRequired(let details), .invalidScope(let details),
            .signInRequired(let details), .throttled(_, let details), .network(let details, _),
            .indeterminate(let details), .stateAlreadyUsed(let details), .cancelled(let details),
            .invalidConfiguration(let details), .general(let details):
            details
        }
    }

    /// The same error with another `canRetry`.
    func with(canRetry: Bool) -> NativeAuthError {
        var details = details
        details.canRetry = canRetry
        return switch self {
        case .browserRequired: .browserRequired(details)
        case .userAlreadyExists: .userAlreadyExists(details)
        case .userNotFound: .userNotFound(details)
        case .invalidUsername: .invalidUsername(details)
        case .invalidPassword: .invalidPassword(details)
        case .invalidCredentials: .invalidCredentials(details)
        case .userDoesNotHavePassword: .userDoesNotHavePassword(details)
        case .invalidAttributes(let names, _): .invalidAttributes(names: names, details)
        case .incorrectCode: .incorrectCode(details)
        case .invalidInput: .invalidInput(details)
        case .authMethodBlocked: .authMethodBlocked(details)
        case .verificationContactBlocked: .verificationContactBlocked(details)
        case .expired: .expired(details)
        case .unexpectedReply: .unexpectedReply(details)
        case .notAvailable: .notAvailable(details)
        case .registrationRequired: .registrationRequired(details)
        case .mfaRequired: .mfaRequired(details)
        case .invalidScope: .invalidScope(details)
        case .signInRequired: .signInRequired(details)
        case .throttled(let retryAfter, _): .throttled(retryAfter: retryAfter, details)
        case .network(_, let underlying): .network(details, underlying: underlying)
        case .indeterminate: .indeterminate(details)
        case .stateAlreadyUsed: .stateAlreadyUsed(details)
        case .cancelled: .cancelled(details)
        case .invalidConfiguration: .invalidConfiguration(details)
        case .general: .general(details)
        }
    }
}

extension NativeAuthError: CustomStringConvertible, LocalizedError {
    /// The same as ``description``.
    package var errorDescription: String? { description }

    /// A sentence for developers.
    package var description: String { reporting.description }

    /// The error as a sentence.
    private var reason: String {
        switch self {
        case .browserRequired: "The user has to continue in a browser."
        case .userAlreadyExists: "The user already exists."
        case .userNotFound: "The user does not exist."
        case .invalidUsername: "The username is not valid."
        case .invalidPassword: "The password is not valid."
        case .invalidCredentials: "The username or the password is not correct."
        case .userDoesNotHavePassword: "The user has no password."
        case .invalidAttributes(let names, _): "Attributes are not valid: \(names.joined(separator: ", "))."
        case .incorrectCode: "The code is not correct."
        case .invalidInput: "The contact is not valid."
        case .authMethodBlocked: "The authentication method is blocked."
        case .verificationContactBlocked: "The contact is blocked."
        case .expired: "The flow or session has expired."
        case .unexpectedReply: "The answer is not one of this protocol."
        case .notAvailable: "Sign-in cannot follow directly."
        case .registrationRequired: "A strong authentication method has to be registered."
        case .mfaRequired: "A second factor is required."
        case .invalidScope: "A scope is not valid."
        case .signInRequired: "The user has to sign in."
        case .throttled(nil, _): "The server takes no more requests for now."
        case .throttled(let seconds?, _): "The server takes no more requests for \(seconds) s."
        case .network: "The server cannot be reached."
        case .indeterminate: "Whether the server acted on the request is not known."
        case .stateAlreadyUsed: "The step has been used already."
        case .cancelled: "The task was cancelled."
        case .invalidConfiguration: "The client is not set up correctly."
        case .general: "The server refused the request."
        }
    }

    /// The details for the app, with the sentence for the error.
    var reporting: ErrorDetails {
        var details = details
        details.reason = reason
        details.condition = condition
        return details
    }
}
