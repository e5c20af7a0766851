public import Foundation
internal import NativeAuth

/// The base of every error that a delegate receives.
///
/// Each concrete class has read-only flags; at most one of them is true, and none is for a general error.
public class MSALNativeAuthError: NSObject, LocalizedError, @unchecked Sendable {
    // Sendable holds because this class and its subclasses, all in this module and none of them open, have immutable
    // stored properties of Sendable types only; the compiler cannot see that for a class with subclasses.

    /// The one fact that all flags are views of.
    enum Kind: Hashable, Sendable {
        case general, browserRequired
        case userAlreadyExists, invalidUsername, invalidPassword, invalidAttributes
        case invalidCode
        case refreshTokenExpired, invalidScope

        init(_ error: NativeAuthError) {
            self =
                switch error {
                case .browserRequired: .browserRequired
                case .userAlreadyExists: .userAlreadyExists
                case .invalidUsername: .invalidUsername
                case .invalidPassword: .invalidPassword
                case .invalidAttributes: .invalidAttributes
                case .incorrectCode: .invalidCode
                case .expired: .refreshTokenExpired
                case .invalidScope: .invalidScope
                case .unexpectedReply, .notAvailable, .registrationRequired, .mfaRequired, .signInRequired, .network,
                    .cancelled, .invalidConfiguration, .general:
                    .general
                }
        }
    }

    let kind: Kind
    private let message: String?

    /// The identifier under which client and server log the request, for a support case.
    public let correlationId: UUID
    /// The server's numbers, such as 1003037; empty for an error that no server reported.
    public let errorCodes: [Int]
    /// An address with more about the error, when the server names one.
    public let errorUri: String?

    /// What happened: the server's own words when there are some, otherwise a short English sentence. Never nil.
    public var errorDescription: String? { message ?? kind.text }

    /// The kinds that this class has a flag for; an error of another kind is a general one to it.
    class var kinds: Set<Kind> { [] }

    /// Translates `error`.
    ///
    /// - Parameters:
    ///   - error: Why a step did not succeed.
    ///   - kind: The kind, where it does not follow from `error` alone.
    ///   - message: The description, where it is not the usual one.
    init(_ error: NativeAuthError, kind: Kind? = nil, message: String? = nil) {
        let kind = kind ?? Kind(error)
        let details = error.details
        self.kind = Self.kinds.contains(kind) ? kind : .general
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
    /// The words for a case that the server said nothing about.
    var text: String {
        switch self {
        case .general: "General error"
        case .browserRequired: "A browser is needed to go on: acquire the token interactively"
        case .userAlreadyExists: "User already exists"
        case .invalidUsername: "Invalid username"
        case .invalidPassword: "Invalid password"
        case .invalidAttributes: "Invalid attributes"
        case .invalidCode: "Invalid code"
        case .refreshTokenExpired: "Refresh token is expired"
        case .invalidScope: "Invalid scope"
        }
    }
}

extension NativeAuthError {
    /// The text of an error of `kind`: the server's; otherwise ours for a general error; otherwise nil, for the usual text.
    fileprivate func message(for kind: MSALNativeAuthError.Kind) -> String? {
        if case .network = self { return "The server cannot be reached" }
        let isUsual = details.error == nil && kind != .general && kind != .browserRequired
        return isUsual ? nil : details.message
    }

    /// Whether the app may go on with the state that it called: never after a failure on the way to the server.
    var keepsState: Bool {
        switch self {
        case .network, .cancelled: false
        case .browserRequired, .userAlreadyExists, .invalidUsername, .invalidPassword, .invalidAttributes,
            .incorrectCode, .expired, .unexpectedReply, .notAvailable, .registrationRequired, .mfaRequired,
            .invalidScope, .signInRequired, .invalidConfiguration, .general:
            details.canRetry
        }
    }
}

/// An error of an operation that knows no reason of its own.
public class MSALNativeAuthGenericError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired] }
    /// The flow can only go on in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
}

/// Why a sign-up did not start.
public final class SignUpStartError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> {
        [.browserRequired, .userAlreadyExists, .invalidPassword, .invalidUsername, .invalidAttributes]
    }
    /// The flow can only go on in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// Somebody has an account with this e-mail address or this alias.
    public var isUserAlreadyExists: Bool { kind == .userAlreadyExists }
    /// The password is empty or breaks the tenant's rules.
    public var isInvalidPassword: Bool { kind == .invalidPassword }
    /// The username is empty or no e-mail address.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
    /// An attribute, such as the alias, breaks its rule, and the delegate does not implement
    /// ``SignUpStartDelegate/onSignUpAttributesInvalid(attributeNames:)``; the description names the attributes.
    public var isInvalidAttributes: Bool { kind == .invalidAttributes }
}

/// Why a code was not accepted.
public final class VerifyCodeError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .invalidCode] }
    /// The flow can only go on in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The code is wrong or empty; also true when the server refuses, at this step, the password given at the start. The
    /// description and the codes tell which.
    public var isInvalidCode: Bool { kind == .invalidCode }
}

extension VerifyCodeError {
    /// A password that was given at the start and is refused now keeps the flag that apps know for this step; the text tells.
    convenience init(refusal error: NativeAuthError) {
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
    /// The flow can only go on in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The password is empty or breaks the tenant's rules.
    public var isInvalidPassword: Bool { kind == .invalidPassword }
}

/// Why attributes could not be sent, or the flow ended at them.
public final class AttributesRequiredError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why the sign-in after a sign-up failed. The account exists all the same.
public final class SignInAfterSignUpError: MSALNativeAuthGenericError, @unchecked Sendable {}

/// Why there is no access token.
public final class RetrieveAccessTokenError: MSALNativeAuthError, @unchecked Sendable {
    override class var kinds: Set<Kind> { [.browserRequired, .refreshTokenExpired, .invalidScope] }
    /// The flow can only go on in a browser.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The refresh token is spent, revoked or too old: the user must sign in again.
    public var isRefreshTokenExpired: Bool { kind == .refreshTokenExpired }
    /// The scopes are empty where they must not be, or the server refuses them.
    public var isInvalidScope: Bool { kind == .invalidScope }
}

extension RetrieveAccessTokenError {
    /// Two refusals say more when it is told what mends them.
    convenience init(refusal error: NativeAuthError) {
        let advice: String? =
            if error.details.errorCodes.contains(50_076) {
                "A second factor is needed; sign the user in again."
            } else if error.details.errorCodes.contains(50_142) {
                "The password must be reset first."
            } else {
                nil
            }
        let text = advice.map { [$0, error.details.message].compactMap(\.self).joined(separator: " ") }
        self.init(error, message: text)
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of the errors that initializers throw.
public let MSALErrorDomain = "MSALErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of an error's description in its `userInfo`.
public let MSALErrorDescriptionKey = "MSALErrorDescriptionKey"

/// The codes of errors in ``MSALErrorDomain``.
public enum MSALError: Int, Sendable {
    /// A value that the app passed cannot be used; the description tells which.
    case `internal` = -50000
}

extension NSError {
    /// An error that an initializer throws.
    static func msal(_ description: String, underlying: (any Error)? = nil) -> NSError {
        var userInfo: [String: Any] = [
            MSALErrorDescriptionKey: description, NSLocalizedDescriptionKey: description,
        ]
        userInfo[NSUnderlyingErrorKey] = underlying
        return NSError(domain: MSALErrorDomain, code: MSALError.internal.rawValue, userInfo: userInfo)
    }
}
