import Foundation
import MSAL

/// One call of a delegate method, in a form that a test can compare.
struct Callback: Sendable, CustomStringConvertible {
    /// The method's bare name.
    let name: String
    var error: MSALNativeAuthError?
    /// The new state, or the result, if the method was given one.
    var state: (any AnyObject & Sendable)?
    /// The other arguments, as text.
    var detail = ""

    /// The flags of the error that are true, without `is`; empty when there is no error.
    var flags: Set<String> { error?.flags ?? [] }

    /// Name, flags, `+` for a state or `-` for none, arguments; for an error its codes and its text as well.
    var summary: String {
        var parts = [name] + flags.sorted() + [state == nil ? "-" : "+"]
        if !detail.isEmpty { parts.append(detail) }
        if let error { parts.append("\(error.errorCodes) \(error.errorDescription ?? "nothing")") }
        return parts.joined(separator: " ")
    }

    var description: String { summary }
}

/// Receives callbacks one by one.
final class Mailbox {
    private let stream: AsyncStream<Callback>
    private let continuation: AsyncStream<Callback>.Continuation
    private(set) var count = 0

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func receive(_ callback: Callback) {
        count += 1
        continuation.yield(callback)
    }

    func receive(
        _ name: String, _ error: MSALNativeAuthError? = nil, _ state: (any AnyObject & Sendable)? = nil,
        detail: String = ""
    ) {
        receive(Callback(name: name, error: error, state: state, detail: detail))
    }

    /// The next callback. The suite's time limit ends the wait for a callback that never comes.
    func next() async throws -> Callback {
        for await callback in stream { return callback }
        throw CancellationError()
    }
}

/// Records errors: the methods that a delegate must implement, of every delegate protocol.
protocol ErrorRecorder: SignUpStartDelegate, SignUpVerifyCodeDelegate, SignUpResendCodeDelegate,
    SignUpPasswordRequiredDelegate, SignUpAttributesRequiredDelegate, SignInStartDelegate, SignInVerifyCodeDelegate,
    SignInResendCodeDelegate, SignInPasswordRequiredDelegate, SignInAfterSignUpDelegate,
    SignInAfterResetPasswordDelegate, ResetPasswordStartDelegate, ResetPasswordVerifyCodeDelegate,
    ResetPasswordResendCodeDelegate, ResetPasswordRequiredDelegate, MFARequestChallengeDelegate,
    MFASubmitChallengeDelegate, MFAGetAuthMethodsDelegate, RegisterStrongAuthChallengeDelegate,
    RegisterStrongAuthSubmitChallengeDelegate, CredentialsDelegate
{
    var mailbox: Mailbox { get }
}

/// Implements only the required methods: callbacks that several protocols share are missing several times.
final class ErrorsOnlyDelegate: ErrorRecorder {
    let mailbox = Mailbox()
}

extension ErrorRecorder {
    @MainActor func onSignUpStartError(error: SignUpStartError) {
        mailbox.receive("onSignUpStartError", error)
    }

    @MainActor func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) {
        mailbox.receive("onSignUpVerifyCodeError", error, newState)
    }

    @MainActor func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?) {
        mailbox.receive("onSignUpResendCodeError", error, newState)
    }

    @MainActor func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?)
    {
        mailbox.receive("onSignUpPasswordRequiredError", error, newState)
    }

    @MainActor func onSignUpAttributesRequiredError(error: AttributesRequiredError) {
        mailbox.receive("onSignUpAttributesRequiredError", error)
    }

    @MainActor func onSignInStartError(error: SignInStartError) {
        mailbox.receive("onSignInStartError", error)
    }

    @MainActor func onSignInVerifyCodeError(error: VerifyCodeError, newState: SignInCodeRequiredState?) {
        mailbox.receive("onSignInVerifyCodeError", error, newState)
    }

    @MainActor func onSignInResendCodeError(error: ResendCodeError, newState: SignInCodeRequiredState?) {
        mailbox.receive("onSignInResendCodeError", error, newState)
    }

    @MainActor func onSignInPasswordRequiredError(error: PasswordRequiredError, newState: SignInPasswordRequiredState?)
    {
        mailbox.receive("onSignInPasswordRequiredError", error, newState)
    }

    @MainActor func onSignInAfterSignUpError(error: SignInAfterSignUpError) {
        mailbox.receive("onSignInAfterSignUpError", error)
    }

    @MainActor func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError) {
        mailbox.receive("onSignInAfterResetPasswordError", error)
    }

    @MainActor func onResetPasswordStartError(error: ResetPasswordStartError) {
        mailbox.receive("onResetPasswordStartError", error)
    }

    @MainActor func onResetPasswordVerifyCodeError(error: VerifyCodeError, newState: ResetPasswordCodeRequiredState?) {
        mailbox.receive("onResetPasswordVerifyCodeError", error, newState)
    }

    @MainActor func onResetPasswordResendCodeError(error: ResendCodeError, newState: ResetPasswordCodeRequiredState?) {
        mailbox.receive("onResetPasswordResendCodeError", error, newState)
    }

    @MainActor func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?) {
        mailbox.receive("onResetPasswordRequiredError", error, newState)
    }

    @MainActor func onMFARequestChallengeError(error: MFARequestChallengeError, newState: MFARequiredState?) {
        mailbox.receive("onMFARequestChallengeError", error, newState)
    }

    @MainActor func onMFASubmitChallengeError(error: MFASubmitChallengeError, newState: MFARequiredState?) {
        mailbox.receive("onMFASubmitChallengeError", error, newState)
    }

    @MainActor func onMFAGetAuthMethodsError(error: MFAGetAuthMethodsError, newState: MFARequiredState?) {
        mailbox.receive("onMFAGetAuthMethodsError", error, newState)
    }

    @MainActor func onRegisterStrongAuthChallengeError(
        error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?
    ) {
        mailbox.receive("onRegisterStrongAuthChallengeError", error, newState)
    }

    @MainActor func onRegisterStrongAuthSubmitChallengeError(
        error: RegisterStrongAuthSubmitChallengeError, newState: RegisterStrongAuthVerificationRequiredState?
    ) {
        mailbox.receive("onRegisterStrongAuthSubmitChallengeError", error, newState)
    }

    @MainActor func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) {
        mailbox.receive("onAccessTokenRetrieveError", error)
    }
}

/// Implements every method of every delegate protocol, but the older forms of a callback that has two.
final class FullDelegate: ErrorRecorder {
    let mailbox = Mailbox()
}

extension FullDelegate {
    // MARK: Sign-up

    func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive("onSignUpCodeRequired", nil, newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive(
            "onSignUpResendCodeCodeRequired", nil, newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onSignUpAttributesInvalid(attributeNames: [String]) {
        mailbox.receive("onSignUpAttributesInvalid", detail: attributeNames.joined(separator: " "))
    }

    func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState) {
        mailbox.receive("onSignUpAttributesInvalid", nil, newState, detail: attributeNames.joined(separator: " "))
    }

    func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        let detail = attributes.map { "\($0.name):\($0.type):\($0.required):\($0.regex ?? "-")" }
        mailbox.receive("onSignUpAttributesRequired", nil, newState, detail: detail.joined(separator: " "))
    }

    func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState) {
        mailbox.receive("onSignUpPasswordRequired", nil, newState)
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        mailbox.receive("onSignUpCompleted", nil, newState)
    }

    // MARK: Sign-in

    func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive("onSignInCodeRequired", nil, newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onSignInResendCodeCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive(
            "onSignInResendCodeCodeRequired", nil, newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onSignInPasswordRequired(newState: SignInPasswordRequiredState) {
        mailbox.receive("onSignInPasswordRequired", nil, newState)
    }

    func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) {
        mailbox.receive("onSignInAwaitingMFA", nil, newState, detail: text(of: authMethods))
    }

    func onSignInStrongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState) {
        mailbox.receive("onSignInStrongAuthMethodRegistration", nil, newState, detail: text(of: authMethods))
    }

    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        mailbox.receive("onSignInCompleted", nil, result)
    }

    // MARK: Password reset

    func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        mailbox.receive(
            "onResetPasswordCodeRequired", nil, newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        mailbox.receive(
            "onResetPasswordResendCodeRequired", nil, newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onPasswordRequired(newState: ResetPasswordRequiredState) {
        mailbox.receive("onPasswordRequired", nil, newState)
    }

    func onResetPasswordCompleted(newState: SignInAfterResetPasswordState) {
        mailbox.receive("onResetPasswordCompleted", nil, newState)
    }

    // MARK: Second factor and registration

    func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive(
            "onMFARequestChallengeVerificationRequired", nil, newState,
            detail: "\(sentTo) \(channelTargetType) \(codeLength)")
    }

    func onMFARequestChallengeSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState) {
        mailbox.receive("onMFARequestChallengeSelectionRequired", nil, newState, detail: text(of: authMethods))
    }

    func onMFAGetAuthMethodsSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState) {
        mailbox.receive("onMFAGetAuthMethodsSelectionRequired", nil, newState, detail: text(of: authMethods))
    }

    func onRegisterStrongAuthVerificationRequired(
        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        let detail = "\(result.sentTo) \(result.channelTargetType) \(result.codeLength)"
        mailbox.receive("onRegisterStrongAuthVerificationRequired", nil, result.newState, detail: detail)
    }

    // MARK: Tokens

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        mailbox.receive("onAccessTokenRetrieveCompleted", nil, result)
    }

    private func text(of methods: [MSALAuthMethod]) -> String {
        methods.map { "\($0.id):\($0.challengeType):\($0.channelTargetType):\($0.loginHint ?? "-")" }
            .joined(separator: " ")
    }
}

extension MSALNativeAuthError {
    /// The flags that are true, without `is`.
    fileprivate var flags: Set<String> {
        let all: [(String, Bool)] =
            switch self {
            case let error as MSALNativeAuthGenericError:
                [("browserRequired", error.isBrowserRequired)]
            case let error as SignUpStartError:
                [
                    ("browserRequired", error.isBrowserRequired), ("userAlreadyExists", error.isUserAlreadyExists),
                    ("invalidPassword", error.isInvalidPassword), ("invalidUsername", error.isInvalidUsername),
                    ("invalidAttributes", error.isInvalidAttributes),
                ]
            case let error as SignInStartError:
                [
                    ("browserRequired", error.isBrowserRequired), ("userNotFound", error.isUserNotFound),
                    ("invalidCredentials", error.isInvalidCredentials), ("invalidUsername", error.isInvalidUsername),
                ]
            case let error as ResetPasswordStartError:
                [
                    ("browserRequired", error.isBrowserRequired), ("userNotFound", error.isUserNotFound),
                    ("userDoesNotHavePassword", error.isUserDoesNotHavePassword),
                    ("invalidUsername", error.isInvalidUsername),
                ]
            case let error as VerifyCodeError:
                [("browserRequired", error.isBrowserRequired), ("invalidCode", error.isInvalidCode)]
            case let error as PasswordRequiredError:
                [("browserRequired", error.isBrowserRequired), ("invalidPassword", error.isInvalidPassword)]
            case let error as MFARequestChallengeError:
                [("browserRequired", error.isBrowserRequired), ("authMethodBlocked", error.isAuthMethodBlocked)]
            case let error as MFASubmitChallengeError:
                [("browserRequired", error.isBrowserRequired), ("invalidChallenge", error.isInvalidChallenge)]
            case let error as RegisterStrongAuthChallengeError:
                [
                    ("browserRequired", error.isBrowserRequired), ("invalidInput", error.isInvalidInput),
                    ("verificationContactBlocked", error.isVerificationContactBlocked),
                ]
            case let error as RegisterStrongAuthSubmitChallengeError:
                [("browserRequired", error.isBrowserRequired), ("invalidChallenge", error.isInvalidChallenge)]
            case let error as RetrieveAccessTokenError:
                [
                    ("browserRequired", error.isBrowserRequired),
                    ("refreshTokenExpired", error.isRefreshTokenExpired), ("invalidScope", error.isInvalidScope),
                ]
            default:
                [("unknownToTheRecorder", true)]
            }
        return Set(all.filter(\.1).map(\.0))
    }
}
