/// Makes passkeys and signs in with them: the device or the password manager of the user.
///
/// Apps on Apple's systems use `PlatformPasskeys`; tests use `SoftPasskeys` of the module `NativeAuthTesting`. An app
/// for another system writes its own, around that system's interface for passkeys (WebAuthn Level 3).
public protocol PasskeyAuthenticator: Sendable {
    /// Makes a passkey for the account of `options` on this device.
    ///
    /// It must verify the user, and must not make a second passkey where one of
    /// ``PasskeyCreation/excludedCredentials`` is already. When its task is cancelled it must close what it shows, and
    /// end with ``PasskeyError/cancelled``.
    ///
    /// - Throws: ``PasskeyError``.
    func create(_ options: PasskeyCreation) async throws(PasskeyError) -> PasskeyRegistration

    /// Makes a passkey in this style. Without a function of its own, a device makes none in the style
    /// ``PasskeyCreationStyle/conditional``: the error is ``PasskeyError/unsupported``.
    ///
    /// - Throws: ``PasskeyError``.
    func create(
        _ options: PasskeyCreation, style: PasskeyCreationStyle
    ) async throws(PasskeyError) -> PasskeyRegistration

    /// Signs the challenge of `options` with a passkey that the user chooses.
    ///
    /// It must verify the user, and must use one of ``PasskeyRequest/allowedCredentials`` unless that list is empty.
    /// When its task is cancelled it must close what it shows, and end with ``PasskeyError/cancelled``.
    ///
    /// - Throws: ``PasskeyError``.
    func get(_ options: PasskeyRequest, style: PasskeyStyle) async throws(PasskeyError) -> PasskeyAssertion
}

extension PasskeyAuthenticator {
    public func create(
        _ options: PasskeyCreation, style: PasskeyCreationStyle
    ) async throws(PasskeyError) -> PasskeyRegistration {
        switch style {
        case .modal: try await create(options)
        case .conditional: throw .unsupported
        }
    }
}

/// How the user is asked to make a passkey.
public enum PasskeyCreationStyle: Hashable, Sendable {
    /// A sheet over the app.
    case modal
    /// Nothing is shown: the password manager that has just filled in the user's password makes a passkey beside it, or declines. It
    /// need not verify the user.
    case conditional
}

/// How the user is asked for a passkey.
public enum PasskeyStyle: Hashable, Sendable {
    /// A sheet over the app. It may offer passkeys of other devices, such as a phone or a security key.
    case modal
    /// A sheet over the app, only when this device has a passkey. Otherwise the call ends with
    /// ``PasskeyError/noPasskeyHere`` and shows nothing.
    case immediate
    /// A suggestion above the keyboard, in the field for the username. The call waits until the user chooses it: begin
    /// it when the screen appears, and cancel its task before another call.
    case autofill
}
