public import Foundation
internal import NativeAuth

/// The base of every error that a delegate receives.
///
/// Each concrete class has read-only flags; at most one of them is true, and none is for a general error.
public class MSALNativeAuthError: NSObject, LocalizedError, @unchecked Sendable {
    // Sendable holds because this class and its subclasses, all in this module and none of them open, have only
    // immutable stored properties of Sendable types; the compiler cannot check that for a class with subclasses.

    /// The kind of the error, from which all flags derive.
    enum Kind: Hashable, Sendable {
        case general, browserRequired
        case userAlreadyExists, userNotFound, userDoesNotHavePassword
        case invalidUsername, invalidPassword, invalidCredentials, invalidAttributes, invalidInput
        case invalidCode, invalidChallenge
        case authMethodBlocked, verificationContactBlocked
        case refreshTokenExpired, invalidScope
    }

    let kind: Kind
    private let message: String?

    /// The identifier of the request in the client's and the server's logs, for support.
    public let correlationId: UUID
    /// The server's numbers, such as 1003037; empty for an error that no server reported.
    public let errorCodes: [Int]
    /// An address with more about the error, when the server names one.
    public let errorUri: String?

    /// A description: the server's own text if there is one, otherwise a short English sentence. Never nil.
    public var errorDescription: String? { message ?? kind.text }

    /// The kinds that this class has a flag for; an error of another kind is a general error.
    class var kinds: Set<Kind> { [] }

    /// Translates `error`.
    ///
    /// - Parameters:
    ///   - error: The error of a step.
    ///   - kind: The kind, when it does not follow from `error` alone.
    ///   - message: The description, when it is not the default.
    init(_ error: NativeAuthError, kind: Kind? = nil, message: String? = nil) {
        let details = error.details
        self.kind = kind ?? error.kinds.first(where: Self.kinds.contains) ?? .general
        self.message = message ?? error.message(for: self.kind)
        correlationId = details.correlationID
        errorCodes = details.errorCodes
        errorUri = details.errorURI
    }

    public override var description: String {
        "\(type(of: self)): \(message ?? kind.text) Codes: \(errorCodes). Correlation ID: \(correlationId)"
    }
}

extension MSALNativeAuthError.Kind {
    /// The text for a case without a server description.
    var text: String {
        switch self {
        case .general: "General error"
        case .browserRequired: "A browser is needed to continue: acquire the token interactively"
        case .userAlreadyExists: "User already exists"
        case .userNotFound: "User does not exist"
        case .userDoesNotHavePassword: "The account has no password to reset"
        case .invalidUsername: "Invalid username"
        case .invalidPassword: "Invalid password"
        case .invalidCredentials: "Invalid credentials"
        case .invalidAttributes: "Invalid attributes"
        case .invalidInput: "Invalid input"
        case .invalidCode: "Invalid code"
        case .invalidChallenge: "Invalid challenge"
        case .authMethodBlocked: "The authentication method is blocked; choose another one."
        case .verificationContactBlocked: "The verification contact is blocked; choose another one."
        case .refreshTokenExpired: "Refresh token is expired"
        case .invalidScope: "Invalid scope"
        }
    }
}

extension NativeAuthError {
    /// The possible kinds of the error, best first: an error class takes the first that it has a flag for.
    fileprivate var kinds: [MSALNativeAuthError.Kind] {
        switch self {
        case .browserRequired: [.browserRequired]
        case .userAlreadyExists: [.userAlreadyExists]
        case .userNotFound: [.userNotFound]
        case .userDoesNotHavePassword: [.userDoesNotHavePassword]
        case .invalidUsername: [.invalidUsername]
        case .invalidPassword: [.invalidPassword, .invalidCredentials]
        case .invalidCredentials: [.invalidCredentials, .invalidPassword]
        case .invalidAttributes: [.invalidAttributes]
        case .invalidInput: [.invalidInput]
        case .incorrectCode: [.invalidCode, .invalidChallenge]
        case .authMethodBlocked: [.authMethodBlocked]
        case .verificationContactBlocked: [.verificationContactBlocked]
        case .expired: [.refreshTokenExpired]
        case .invalidScope: [.invalidScope]
        case .unexpectedReply, .notAvailable, .registrationRequired, .mfaRequired, .signInRequired, .network,
            .indeterminate, .throttled, .stateAlreadyUsed, .cancelled, .invalidConfiguration, .general:
            []
        }
    }

    /// The text of an error of `kind`: the server's; otherwise ours for a general error; otherwise nil, for the default
    /// text.
    fileprivate func message(for kind: MSALNativeAuthError.Kind) -> String? {
        if let advice { return [advice, details.message].compactMap(\.self).joined(separator: " ") }
        if isOnTheWay { return details.message ?? "The server cannot be reached" }
        let isUsual = details.error == nil && kind != .general && kind != .browserRequired
        return isUsual ? nil : details.message
    }

    /// Whether the request or its answer was lost on the network.
    private var isOnTheWay: Bool {
        switch self {
        case .network, .indeterminate: true
        case .browserRequired, .userAlreadyExists, .userNotFound, .userDoesNotHavePassword, .invalidUsername,
            .invalidPassword, .invalidCredentials, .invalidAttributes, .invalidInput, .incorrectCode,
            .authMethodBlocked, .verificationContactBlocked, .expired, .invalidScope, .unexpectedReply, .notAvailable,
            .registrationRequired, .mfaRequired, .signInRequired, .throttled, .stateAlreadyUsed, .cancelled,
            .invalidConfiguration, .general:
            false
        }
    }

    /// The correction of an error, when the server's text does not state it.
    private var advice: String? {
        if case .throttled(let seconds?, _) = self {
            "Too many requests; wait \(seconds) seconds."
        } else if case .authMethodBlocked = self {
            MSALNativeAuthError.Kind.authMethodBlocked.text
        } else if case .verificationContactBlocked = self {
            MSALNativeAuthError.Kind.verificationContactBlocked.text
        } else if case .mfaRequired = self {
            "A second factor is needed; sign the user in again."
        } else if details.errorCodes.contains(50_142) {
            // There is no separate case: the password must be changed (docs/sdk-surface.md §3.9).
            "The password must be reset first."
        } else {
            nil
        }
    }

    /// Whether the app may continue with the state that it called.
    var canRetry: Bool { details.canRetry }

    /// The same for flows that may have ended at the server: false after a failure on the network.
    var keepsState: Bool { canRetry && !isOnTheWay }

    /// A step that cannot follow the one before it.
    static func unexpectedStep(correlationID: UUID) -> NativeAuthError {
        .general(.init(correlationID: correlationID, message: "Unexpected challenge type"))
    }
}

/// An error of an operation without specific reasons.
public class MSALNativeAuthGenericError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
}

/// Why a sign-up did not start.
public final class SignUpStartError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> {
        [.browserRequired, .userAlreadyExists, .invalidPassword, .invalidUsername, .invalidAttributes]
    }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// An account with this e-mail address or alias already exists.
    public var isUserAlreadyExists: Bool { kind == .userAlreadyExists }
    /// The password is empty or breaks the tenant's rules.
    public var isInvalidPassword: Bool { kind == .invalidPassword }
    /// The username is empty or not an e-mail address.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
    /// An attribute, such as the alias, breaks its rule, and the delegate does not implement
    /// ``SignUpStartDelegate/onSignUpAttributesInvalid(attributeNames:)``; the description names the attributes.
    public var isInvalidAttributes: Bool { kind == .invalidAttributes }
}

/// Why a sign-in did not start.
public final class SignInStartError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .userNotFound, .invalidCredentials, .invalidUsername] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// No account has this e-mail address or alias.
    public var isUserNotFound: Bool { kind == .userNotFound }
    /// The password is empty, or is not the account's.
    public var isInvalidCredentials: Bool { kind == .invalidCredentials }
    /// The username is empty.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
}

/// Why a password reset did not start.
public final class ResetPasswordStartError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> {
        [.browserRequired, .userDoesNotHavePassword, .userNotFound, .invalidUsername]
    }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The account signs in with one-time passcodes, and has no password.
    public var isUserDoesNotHavePassword: Bool { kind == .userDoesNotHavePassword }
    /// No account has this e-mail address or alias.
    public var isUserNotFound: Bool { kind == .userNotFound }
    /// The username is empty.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
}

/// Why a code was not accepted.
public final class VerifyCodeError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .invalidCode] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The code is wrong or empty; also true when the server refuses, at this step, the password given at the start.
    /// The description and the codes say which.
    public var isInvalidCode: Bool { kind == .invalidCode }
}

extension VerifyCodeError {
    /// When a password given at the start of a sign-up is refused now, the error has the flag that apps know for this
    /// step; the text names the password.
    convenience init(signUp error: NativeAuthError) {
        guard case .invalidPassword(let details) = error else {
            self.init(error)
            return
        }
        let reason = details.message ?? "Invalid password: \(details.suberror ?? "refused")"
        self.init(error, kind: .invalidCode, message: reason)
    }
}

/// Why no new code was sent.
public final class ResendCodeError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why a password was not accepted.
public final class PasswordRequiredError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .invalidPassword] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The password is empty, breaks the tenant's rules, or, in a sign-in, is not the account's.
    public var isInvalidPassword: Bool { kind == .invalidPassword }
}

extension PasswordRequiredError {
    /// A wrong password of a sign-in has the default text, regardless of the server's text.
    convenience init(signIn error: NativeAuthError) {
        if case .invalidPassword = error {
            self.init(error, message: Kind.invalidPassword.text)
        } else {
            self.init(error)
        }
    }
}

/// Why attributes could not be sent, or the flow ended at them.
public final class AttributesRequiredError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why the sign-in after a sign-up failed. The account exists.
public final class SignInAfterSignUpError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why the sign-in after a password reset failed. The password is changed.
public final class SignInAfterResetPasswordError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why no code for the second factor was sent.
public final class MFARequestChallengeError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .authMethodBlocked] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The server does not support this method now; another one may work.
    public var isAuthMethodBlocked: Bool { kind == .authMethodBlocked }
}

/// Why a code of the second factor was not accepted.
public final class MFASubmitChallengeError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .invalidChallenge] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The code is wrong or empty.
    public var isInvalidChallenge: Bool { kind == .invalidChallenge }
}

/// Why the methods of the second factor are not known. For releases from 1.6 up to 2.5.
public final class MFAGetAuthMethodsError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why a strong authentication method could not be challenged.
public final class RegisterStrongAuthChallengeError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .invalidInput, .verificationContactBlocked] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The contact is empty, or is not an address of the method's channel.
    public var isInvalidInput: Bool { kind == .invalidInput }
    /// The server sends nothing to this contact; another one may work.
    public var isVerificationContactBlocked: Bool { kind == .verificationContactBlocked }
}

/// Why a strong authentication method was not registered.
public final class RegisterStrongAuthSubmitChallengeError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .invalidChallenge] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The code is wrong or empty.
    public var isInvalidChallenge: Bool { kind == .invalidChallenge }
}

/// Why there is no access token.
public final class RetrieveAccessTokenError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .refreshTokenExpired, .invalidScope] }
    /// The flow can continue only in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The refresh token is spent, revoked or expired: the user must sign in again.
    public var isRefreshTokenExpired: Bool { kind == .refreshTokenExpired }
    /// The scopes are empty where they must not be, or the server refuses them.
    public var isInvalidScope: Bool { kind == .invalidScope }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of the errors that initializers throw.
public let MSALErrorDomain = "MSALErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of an error's description in its `userInfo`.
public let MSALErrorDescriptionKey = "MSALErrorDescriptionKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the server's numbers, `[Int]`, in an error's `userInfo`.
public let MSALSTSErrorCodesKey = "MSALSTSErrorCodesKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the identifier in both logs, a `UUID`, in an error's `userInfo`.
public let MSALCorrelationIDKey = "MSALCorrelationIDKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of an ``MSALInternalError``, as its number, in an error's `userInfo`.
public let MSALInternalErrorCodeKey = "MSALInternalErrorCodeKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the server's word for the error, such as `server_error`, in an error's `userInfo`.
public let MSALOAuthErrorKey = "MSALOAuthErrorKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the scopes that were not granted, `[String]`, in an error's `userInfo`.
public let MSALDeclinedScopesKey = "MSALDeclinedScopesKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the scopes that were granted, `[String]`, in an error's `userInfo`.
public let MSALGrantedScopesKey = "MSALGrantedScopesKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the ``MSALResult`` with the granted scopes, in an error's `userInfo`.
public let MSALInvalidResultKey = "MSALInvalidResultKey"

/// The details of an error with the code ``MSALError/internal``.
public enum MSALInternalError: Int, Sendable {
    /// The scheme of the redirect URI is not in `CFBundleURLTypes` of the app's Info.plist.
    case redirectSchemeNotRegistered = -42001
    /// The redirect URI has a form that no server accepts.
    case invalidRedirectURI = -42011
    /// Another user than the given account signed in.
    case mismatchedUser = -42101
    /// The server refused the request; its word is the value of ``MSALOAuthErrorKey``.
    case authorizationFailed = -42104
    /// Another browser is open.
    case interactiveSessionAlreadyRunning = -42402
    /// The view controller is in no window.
    case noViewController = -42403
    /// The answer belongs to another request.
    case invalidState = -42501
    /// The answer has neither a code nor an error, or fails another check.
    case invalidResponse = -42600
}

/// The codes of errors in ``MSALErrorDomain``.
public enum MSALError: Int, Sendable {
    /// A value that the app passed is invalid, or another error; the description or ``MSALInternalErrorCodeKey`` says
    /// which.
    case `internal` = -50000
    /// The user must continue in a browser, or sign in again.
    case interactionRequired = -50002
    /// Not all scopes were granted.
    case serverDeclinedScopes = -50003
    /// The user closed or cancelled the page, or the task was cancelled.
    case userCanceled = -50005
    /// The server cannot be reached, or refused the request.
    case serverError = -50006
}

extension NSError {
    /// An error that an initializer throws.
    static func msal(
        _ description: String, internal code: MSALInternalError? = nil, underlying: (any Error)? = nil
    ) -> NSError {
        var userInfo: [String: Any] = [
            MSALErrorDescriptionKey: description, NSLocalizedDescriptionKey: description,
        ]
        userInfo[NSUnderlyingErrorKey] = underlying
        userInfo[MSALInternalErrorCodeKey] = code?.rawValue
        return NSError(domain: MSALErrorDomain, code: MSALError.internal.rawValue, userInfo: userInfo)
    }

    /// An error for a completion block.
    static func msal(_ error: NativeAuthError) -> NSError {
        let code: MSALError =
            switch error {
            case .browserRequired, .expired, .signInRequired, .mfaRequired, .registrationRequired: .interactionRequired
            case .invalidScope: .serverDeclinedScopes
            case .cancelled: .userCanceled
            case .userAlreadyExists, .userNotFound, .userDoesNotHavePassword, .invalidUsername, .invalidPassword,
                .invalidCredentials, .invalidAttributes, .invalidInput, .incorrectCode, .authMethodBlocked,
                .verificationContactBlocked, .unexpectedReply, .notAvailable, .network, .indeterminate, .throttled,
                .stateAlreadyUsed, .invalidConfiguration, .general:
                .serverError
            }
        let description = RetrieveAccessTokenError(error).errorDescription ?? ""
        return NSError(
            domain: MSALErrorDomain, code: code.rawValue,
            userInfo: [
                MSALErrorDescriptionKey: description, NSLocalizedDescriptionKey: description,
                MSALSTSErrorCodesKey: error.details.errorCodes, MSALCorrelationIDKey: error.details.correlationID,
            ])
    }
}
