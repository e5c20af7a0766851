/// Why a ``PasskeyAuthenticator`` made no passkey or signed nothing.
public enum PasskeyError: Error, Hashable, Sendable {
    /// The user closed the sheet, or the task was cancelled.
    case cancelled
    /// This device has no passkey that the server allows. Offer another way to sign in.
    case noPasskeyHere
    /// This device has a passkey of this account already.
    case alreadyRegistered
    /// The app is not associated with the relying party, whose host name this is. On Apple's systems the app needs the
    /// entitlement `webcredentials:` with the host name, and the host has to serve
    /// `/.well-known/apple-app-site-association`.
    case domainNotAssociated(String)
    /// The system may not show a sheet now: for example, the app is in the background.
    case notInteractive
    /// This system cannot do what the server asks for.
    case unsupported
    /// The options of the server lack this member, or its value is malformed (`SEC-PK-22`). The text is a path, such as
    /// `rp.id` or `pubKeyCredParams[0].alg`; `options` stands for the whole text.
    case unusableOptions(String)
    /// Another failure, with a text for developers.
    case failed(String)
}
