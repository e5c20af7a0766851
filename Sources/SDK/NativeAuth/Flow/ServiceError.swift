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
    /// The task was cancelled, or the ``FlowPrompts`` ended the flow.
    case cancelled(ErrorDetails)
    /// The client was set up wrongly, and nothing was sent; or the server asked a question that the ``FlowPrompts`` do
    /// not implement.
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
