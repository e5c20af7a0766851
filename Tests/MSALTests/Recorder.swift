import Foundation
import MSAL

/// One call of a delegate method, in a form that a test can compare.
struct Callback: Sendable, CustomStringConvertible {
    /// The method's bare name.
    let name: String
    /// The flags of the error that are true, without `is`; empty when there is no error.
    var flags: Set<String> = []
    var error: MSALNativeAuthError?
    /// The new state, if the method was given one.
    var state: (any AnyObject & Sendable)?
    /// The other arguments, as text.
    var detail = ""

    var description: String {
        let error = error.map { " \($0.errorDescription ?? "") \($0.errorCodes)" } ?? ""
        return "\(name) \(flags.sorted()) state: \(state.map { "\(type(of: $0))" } ?? "none") \(detail)\(error)"
    }
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

    /// The next callback. The time limit of the suite ends a wait for one that never comes.
    func next() async throws -> Callback {
        for await callback in stream { return callback }
        throw CancellationError()
    }
}

/// Implements every method of every delegate protocol.
final class FullDelegate {
    let mailbox = Mailbox()
}

extension FullDelegate: SignUpStartDelegate {
    func onSignUpStartError(error: SignUpStartError) {
        mailbox.receive(Callback(name: "onSignUpStartError", flags: error.flags, error: error))
    }

    func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive(
            Callback(
                name: "onSignUpCodeRequired", state: newState, detail: "\(sentTo) \(channelTargetType) \(codeLength)"))
    }

    func onSignUpAttributesInvalid(attributeNames: [String]) {
        mailbox.receive(Callback(name: "onSignUpAttributesInvalid", detail: attributeNames.joined(separator: " ")))
    }
}

extension FullDelegate: SignUpVerifyCodeDelegate {
    func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) {
        mailbox.receive(
            Callback(name: "onSignUpVerifyCodeError", flags: error.flags, error: error, state: newState))
    }

    func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        let detail = attributes.map { "\($0.name):\($0.type):\($0.required):\($0.regex ?? "-")" }
        mailbox.receive(
            Callback(
                name: "onSignUpAttributesRequired", state: newState, detail: detail.joined(separator: " ")))
    }

    func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState) {
        mailbox.receive(Callback(name: "onSignUpPasswordRequired", state: newState))
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        mailbox.receive(Callback(name: "onSignUpCompleted", state: newState))
    }
}

extension FullDelegate: SignUpResendCodeDelegate {
    func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?) {
        mailbox.receive(
            Callback(name: "onSignUpResendCodeError", flags: error.flags, error: error, state: newState))
    }

    func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        mailbox.receive(
            Callback(
                name: "onSignUpResendCodeCodeRequired", state: newState,
                detail: "\(sentTo) \(channelTargetType) \(codeLength)"))
    }
}

extension FullDelegate: SignUpPasswordRequiredDelegate {
    func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?) {
        mailbox.receive(
            Callback(name: "onSignUpPasswordRequiredError", flags: error.flags, error: error, state: newState))
    }
}

extension FullDelegate: SignUpAttributesRequiredDelegate {
    func onSignUpAttributesRequiredError(error: AttributesRequiredError) {
        mailbox.receive(Callback(name: "onSignUpAttributesRequiredError", flags: error.flags, error: error))
    }

    func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState) {
        mailbox.receive(
            Callback(
                name: "onSignUpAttributesInvalid", state: newState, detail: attributeNames.joined(separator: " ")))
    }
}

extension FullDelegate: SignInAfterSignUpDelegate {
    func onSignInAfterSignUpError(error: SignInAfterSignUpError) {
        mailbox.receive(Callback(name: "onSignInAfterSignUpError", flags: error.flags, error: error))
    }

    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        mailbox.receive(Callback(name: "onSignInCompleted", state: result))
    }
}

extension FullDelegate: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) {
        mailbox.receive(Callback(name: "onAccessTokenRetrieveError", flags: error.flags, error: error))
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        mailbox.receive(Callback(name: "onAccessTokenRetrieveCompleted", state: result))
    }
}

/// Implements what must be implemented and nothing else, for all protocols in one class: the callbacks that several of them
/// share are missing several times.
final class ErrorsOnlyDelegate: SignUpStartDelegate, SignUpVerifyCodeDelegate, SignUpResendCodeDelegate,
    SignUpPasswordRequiredDelegate, SignUpAttributesRequiredDelegate, SignInAfterSignUpDelegate, CredentialsDelegate
{
    let mailbox = Mailbox()

    func onSignUpStartError(error: SignUpStartError) {
        mailbox.receive(Callback(name: "onSignUpStartError", flags: error.flags, error: error))
    }

    func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) {
        mailbox.receive(
            Callback(name: "onSignUpVerifyCodeError", flags: error.flags, error: error, state: newState))
    }

    func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?) {
        mailbox.receive(
            Callback(name: "onSignUpResendCodeError", flags: error.flags, error: error, state: newState))
    }

    func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?) {
        mailbox.receive(
            Callback(name: "onSignUpPasswordRequiredError", flags: error.flags, error: error, state: newState))
    }

    func onSignUpAttributesRequiredError(error: AttributesRequiredError) {
        mailbox.receive(Callback(name: "onSignUpAttributesRequiredError", flags: error.flags, error: error))
    }

    func onSignInAfterSignUpError(error: SignInAfterSignUpError) {
        mailbox.receive(Callback(name: "onSignInAfterSignUpError", flags: error.flags, error: error))
    }

    func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) {
        mailbox.receive(Callback(name: "onAccessTokenRetrieveError", flags: error.flags, error: error))
    }
}

// MARK: - Flags

private func names(_ flags: [(String, Bool)]) -> Set<String> {
    Set(flags.filter(\.1).map(\.0))
}

extension SignUpStartError {
    var flags: Set<String> {
        names([
            ("browserRequired", isBrowserRequired), ("userAlreadyExists", isUserAlreadyExists),
            ("invalidPassword", isInvalidPassword), ("invalidUsername", isInvalidUsername),
            ("invalidAttributes", isInvalidAttributes),
        ])
    }
}

extension VerifyCodeError {
    var flags: Set<String> { names([("browserRequired", isBrowserRequired), ("invalidCode", isInvalidCode)]) }
}

extension PasswordRequiredError {
    var flags: Set<String> { names([("browserRequired", isBrowserRequired), ("invalidPassword", isInvalidPassword)]) }
}

extension MSALNativeAuthGenericError {
    var flags: Set<String> { names([("browserRequired", isBrowserRequired)]) }
}

extension RetrieveAccessTokenError {
    var flags: Set<String> {
        names([
            ("browserRequired", isBrowserRequired), ("refreshTokenExpired", isRefreshTokenExpired),
            ("invalidScope", isInvalidScope),
        ])
    }
}
