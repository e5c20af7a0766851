import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Why a request about the user's own account failed. Nothing has changed, unless it is an
/// error of the service: a change whose answer was lost may have been made, and may be repeated.
public enum AccountError: NativeAuthFailure {
    /// The user must sign in: there is no session any more, or the server does not accept its token.
    case signInRequired(ErrorDetails)
    /// The server requires a second factor first: the user must sign in with the same scopes.
    case secondFactorRequired(ErrorDetails)
    /// The application may not ask for this, or the user may not change the attribute; with its name, if it is about one.
    case notAllowed(attribute: String?, ErrorDetails)
    /// A value breaks a rule, or the attribute is unknown or may not be removed; with its name, if the server says it.
    case invalidAttribute(String?, ErrorDetails)
    /// Another device has changed the profile since it was read: read it again.
    case changedMeanwhile(ErrorDetails)
    /// The call failed for another reason.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .signInRequired(let details), .secondFactorRequired(let details), .notAllowed(_, let details),
            .invalidAttribute(_, let details), .changedMeanwhile(let details):
            details
        case .service(let error): error.details
        }
    }

    init(_ error: TokenError) {
        self =
            switch error {
            case .signInRequired(let details), .sessionEnded(let details): .signInRequired(details)
            case .secondFactorRequired(let details): .secondFactorRequired(details)
            case .scopesRefused(_, let details): .notAllowed(attribute: nil, details)
            case .browserRequired(let details), .notCached(let details): .service(.unexpected(details))
            case .service(let error): .service(error)
            }
    }

    /// - Parameter response: An answer of the directory that is no success.
    init(_ response: TransportResponse, correlationID: UUID) {
        let reply: DirectoryErrorReply?
        do {
            reply = try WireJSON.decode(from: response.body)
        } catch {
            reply = nil
        }
        let details = ErrorDetails(
            correlationID: correlationID, message: reply?.error.message ?? "Unexpected response body received",
            error: reply?.error.code)
        self =
            switch response.status {
            case 401: .signInRequired(details)
            case 403: .notAllowed(attribute: reply?.error.target, details)
            case 400 where reply != nil: .invalidAttribute(reply?.error.target, details)
            case 412: .changedMeanwhile(details)
            case _: .service(.unexpected(details))
            }
    }
}
