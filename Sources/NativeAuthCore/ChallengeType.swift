/// How a user can prove who they are, as listed in the parameter `challenge_type` (native-auth-v1 §3.2).
public enum ChallengeType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A one-time passcode, sent out of band.
    case oneTimePasscode = "oob"
    /// A password.
    case password
    /// The web; every client must accept it.
    case redirect
}

/// What a client can handle beyond the first factor, as listed in the parameter `capabilities` (native-auth-v1 §3.3).
public enum Capability: String, Hashable, Sendable, Codable, CaseIterable {
    /// The client can ask for a second factor.
    case mfaRequired = "mfa_required"
    /// The client can register a strong authentication method.
    case registrationRequired = "registration_required"
}
