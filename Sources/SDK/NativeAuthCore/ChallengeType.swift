/// How a user can prove their identity, as listed in the parameter `challenge_type` (docs/protocol.md §3.2).
public enum ChallengeType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A one-time passcode, sent out of band.
    case oneTimePasscode = "oob"
    /// A password.
    case password
    /// A passkey (WebAuthn). A word of this server: a client that does not list it never meets it.
    case passkey
    /// An authenticator app that the user registers in a sign-in. A word of this server, which gives it only to clients that list it; other
    /// servers refuse it. For a code of an app that the user already has, list ``oneTimePasscode``.
    case authenticatorApp = "totp"
    /// The user's account at a provider of another organisation, such as Apple or Google. A word of this server: a client that does
    /// not list it never meets it.
    case federated
    /// The web; every client must accept it.
    case redirect
}

/// A requirement beyond the first factor that a client can handle, as listed in the parameter `capabilities`
/// (docs/protocol.md §3.3).
public enum Capability: String, Hashable, Sendable, Codable, CaseIterable {
    /// The client can ask for a second factor.
    case mfaRequired = "mfa_required"
    /// The client can register a strong authentication method.
    case registrationRequired = "registration_required"
}
