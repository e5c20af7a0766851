import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Why a request about the user's own account failed. Nothing has changed, unless it is an
/// error of the service: a change whose answer was lost may have been made, and may be repeated.
public enum AccountError: NativeAuthFailure, FlowFailure {
    /// The user must sign in: there is no session any more, or the server does not accept its token.
    case signInRequired(ErrorDetails)
    /// The server requires a second factor first: the user must sign in with the same scopes.
    case secondFactorRequired(ErrorDetails)
    /// The user must prove who they are again, because the call could take the account away from them: begin
    /// ``Account/signInAgain(for:password:correlationID:)``, and repeat the call after it.
    case proofRequired(ProofDemand, ErrorDetails)
    /// The application may not ask for this, it takes no password, the user has none to add a method beside, may not add such a
    /// method or another one, or may not change the attribute; with its name, if it is about one.
    case notAllowed(attribute: String?, ErrorDetails)
    /// A value breaks a rule, or the attribute is unknown or may not be removed; with its name, if the server says it.
    case invalidAttribute(String?, ErrorDetails)
    /// Another account has this name, or had it a short time ago; with the attribute: `mail`, the alias, or
    /// `identities` for an account at a provider.
    case nameTaken(String?, ErrorDetails)
    /// The current password is wrong, or is missing though the account has one. Wrong ones count as at a sign-in.
    case incorrectPassword(ErrorDetails)
    /// The new password breaks this rule.
    case invalidPassword(PasswordRule, ErrorDetails)
    /// The address or number has a wrong form, or the account has it already.
    case invalidContact(ErrorDetails)
    /// The code is wrong, or was used, or has expired.
    case incorrectCode(ErrorDetails)
    /// Another device has changed the profile since it was read: read it again.
    case changedMeanwhile(ErrorDetails)
    /// The user has no such session or method any more.
    case notFound(ErrorDetails)
    /// The account needs a second factor, and this is its last method.
    case lastMethod(ErrorDetails)
    /// The change took too long, or the account has changed meanwhile: begin it again.
    case expired(ErrorDetails)
    /// The call failed for another reason.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .signInRequired(let details), .secondFactorRequired(let details), .proofRequired(_, let details),
            .notAllowed(_, let details), .invalidAttribute(_, let details), .nameTaken(_, let details),
            .incorrectPassword(let details), .invalidPassword(_, let details), .invalidContact(let details),
            .incorrectCode(let details), .changedMeanwhile(let details), .notFound(let details),
            .lastMethod(let details), .expired(let details):
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
        let word = reply?.error.details?.first?.code
        let details = ErrorDetails(
            correlationID: correlationID, message: reply?.error.message ?? V1Client.unexpectedReply,
            error: reply?.error.code, suberror: word)
        let target = reply?.error.target
        self =
            switch (response.status, word.flatMap(DirectoryErrorDetail.init)) {
            case (401, _): ProofDemand(response).map { .proofRequired($0, details) } ?? .signInRequired(details)
            case (403, .lastMethod): .lastMethod(details)
            case (403, _): .notAllowed(attribute: target, details)
            case (404, _) where reply != nil: .notFound(details)
            case (412, _): .changedMeanwhile(details)
            case (400, .passwordNotUsed), (400, .methodNotAllowed): .notAllowed(attribute: nil, details)
            case (400, .nameTaken): .nameTaken(target, details)
            case (400, .incorrectPassword): .incorrectPassword(details)
            case (400, .invalidContact): .invalidContact(details)
            case (400, .incorrectCode), (400, .codeExpired), (400, .tooManyCodes): .incorrectCode(details)
            case (400, .unusableToken): .expired(details)
            case (400, .passkeyInvalid): .service(.unexpected(details))
            case (400, nil)
            where word.map { WireSuberror.passwordRefusals.contains(WireSuberror(rawValue: $0)) } == true:
                .invalidPassword(PasswordRule(details), details)
            case (400, _) where reply != nil: .invalidAttribute(target, details)
            case (_, _): .service(.unexpected(details))
            }
    }

    /// For the steps, which know their refusals.
    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch error {
            case .signInRequired: .signInRequired(details)
            case .mfaRequired, .registrationRequired: .secondFactorRequired(details)
            case .userAlreadyExists: .nameTaken("mail", details)
            case .incorrectCode: .incorrectCode(details)
            case .invalidInput: .invalidContact(details)
            case .expired: .expired(details)
            case .browserRequired, .userNotFound, .invalidUsername, .invalidPassword, .invalidCredentials,
                .userDoesNotHavePassword, .invalidAttributes, .authMethodBlocked, .verificationContactBlocked,
                .unexpectedReply, .notAvailable, .invalidScope, .throttled, .network, .indeterminate,
                .stateAlreadyUsed, .cancelled, .invalidConfiguration, .general:
                .service(ServiceError(error))
            }
    }

    /// The error as one of all flows, for a step.
    var asNativeAuthError: NativeAuthError {
        switch self {
        case .signInRequired(let details): .signInRequired(details)
        case .secondFactorRequired(let details), .proofRequired(_, let details): .mfaRequired(details)
        case .nameTaken(_, let details): .userAlreadyExists(details)
        case .incorrectCode(let details): .incorrectCode(details)
        case .invalidContact(let details): .invalidInput(details)
        case .expired(let details): .expired(details)
        case .notAllowed(_, let details), .invalidAttribute(_, let details), .incorrectPassword(let details),
            .invalidPassword(_, let details), .changedMeanwhile(let details), .notFound(let details),
            .lastMethod(let details):
            .general(details)
        case .service(let error): error.asNativeAuthError
        }
    }
}

extension ServiceError {
    fileprivate var asNativeAuthError: NativeAuthError {
        var details = details
        details.canRetry = true
        return switch self {
        case .throttled(let seconds, _): .throttled(retryAfter: seconds, details)
        case .unreachable(_, let underlying): .network(details, underlying: underlying)
        case .indeterminate: .indeterminate(details)
        case .cancelled: .cancelled(details)
        case .invalidConfiguration: .invalidConfiguration(details)
        case .unexpected: .unexpectedReply(details)
        }
    }
}

/// What the user must prove again, as the server asked for it.
public struct ProofDemand: Hashable, Sendable {
    /// The claims request for the sign-in: JSON as text.
    let claims: String
    /// Whether the sign-in must include the second factor, because the account has one.
    public var needsSecondFactor: Bool { claims.contains("\"acrs\"") }

    /// The demand in the header `WWW-Authenticate`; nil when it holds none.
    init?(_ response: TransportResponse) {
        guard let header = response.headers["www-authenticate"], header.contains("insufficient_claims"),
            let start = header.firstRange(of: "claims=\"")?.upperBound,
            let encoded = header[start...].split(separator: "\"").first,
            let data = Data(base64Encoded: String(encoded)), let text = String(validating: data, as: UTF8.self)
        else { return nil }
        claims = text
    }
}
