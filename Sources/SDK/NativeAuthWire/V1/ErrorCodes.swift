/// The member `error` of a refusal. Open: unlisted values are kept (docs/protocol.md §4, §14.1).
package struct WireErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let accessDenied = Self(rawValue: "access_denied")
    package static let attributesRequired = Self(rawValue: "attributes_required")
    package static let authNotSupported = Self(rawValue: "auth_not_supported")
    package static let authorizationPending = Self(rawValue: "authorization_pending")
    package static let credentialRequired = Self(rawValue: "credential_required")
    package static let expiredRefreshToken = Self(rawValue: "expired_refresh_token")
    package static let expiredToken = Self(rawValue: "expired_token")
    package static let invalidClient = Self(rawValue: "invalid_client")
    /// RFC 9449 §5.
    package static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    package static let invalidGrant = Self(rawValue: "invalid_grant")
    package static let invalidRequest = Self(rawValue: "invalid_request")
    package static let invalidScope = Self(rawValue: "invalid_scope")
    /// The error of an access token (RFC 6750 §3.1).
    package static let invalidToken = Self(rawValue: "invalid_token")
    package static let serverError = Self(rawValue: "server_error")
    package static let slowDown = Self(rawValue: "slow_down")
    package static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    package static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    package static let unsupportedAuthMethod = Self(rawValue: "unsupported_auth_method")
    package static let unsupportedChallengeType = Self(rawValue: "unsupported_challenge_type")
    package static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// The error of a revocation (RFC 7009 §2.2.1).
    package static let unsupportedTokenType = Self(rawValue: "unsupported_token_type")
    package static let userAlreadyExists = Self(rawValue: "user_already_exists")
    package static let userNotFound = Self(rawValue: "user_not_found")
    package static let verificationRequired = Self(rawValue: "verification_required")
}

/// The member `suberror` of a refusal. Open: unlisted values are kept (docs/protocol.md §14.1).
package struct WireSuberror: RawRepresentable, Hashable, Sendable, Codable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let attributeValidationFailed = Self(rawValue: "attribute_validation_failed")
    package static let basicAction = Self(rawValue: "basic_action")
    /// A word of this server: the token of a provider proves nothing.
    package static let idTokenInvalid = Self(rawValue: "id_token_invalid")
    /// A word of this server: an account has the address of the identity, and is to be proven.
    package static let linkRequired = Self(rawValue: "link_required")
    /// A word of this server: the keys of the provider cannot be had now.
    package static let providerUnavailable = Self(rawValue: "provider_unavailable")
    package static let introspectRequired = Self(rawValue: "introspect_required")
    package static let invalidOOBValue = Self(rawValue: "invalid_oob_value")
    package static let mfaRequired = Self(rawValue: "mfa_required")
    package static let nativeAuthAPIDisabled = Self(rawValue: "nativeauthapi_disabled")
    /// A word of this server: the answer of a passkey proves nothing.
    package static let passkeyInvalid = Self(rawValue: "passkey_invalid")
    /// A word of this server: no user of the tenant has the passkey of the answer.
    package static let passkeyUnknown = Self(rawValue: "passkey_unknown")
    package static let passwordBanned = Self(rawValue: "password_banned")
    package static let passwordIsInvalid = Self(rawValue: "password_is_invalid")
    package static let passwordRecentlyUsed = Self(rawValue: "password_recently_used")
    package static let passwordTooLong = Self(rawValue: "password_too_long")
    package static let passwordTooShort = Self(rawValue: "password_too_short")
    package static let passwordTooWeak = Self(rawValue: "password_too_weak")
    package static let providerBlockedByAdmin = Self(rawValue: "provider_blocked_by_admin")
    package static let providerBlockedByReputation = Self(rawValue: "provider_blocked_by_rep")
    package static let registrationRequired = Self(rawValue: "registration_required")

    /// The six words that refuse a password (docs/protocol.md §10).
    package static let passwordRefusals: Set<Self> = [
        .passwordBanned, .passwordIsInvalid, .passwordRecentlyUsed, .passwordTooLong, .passwordTooShort,
        .passwordTooWeak,
    ]
}

/// The numbers in `error_codes` (docs/protocol.md §13; docs/develop/endpoints.md has the table).
package enum AADSTSCode: Int, Hashable, Sendable, CaseIterable {
    case userNotFound = 50_034
    case accountLocked = 50_053
    case passwordExpired = 50_055
    case passwordAbsent = 50_056
    case accountDisabled = 50_057
    case strongAuthenticationEnrolmentRequired = 50_072
    case strongAuthenticationRequired = 50_074
    case multiFactorRequired = 50_076
    case multiFactorEnrolmentRequired = 50_079
    case credentialsWrong = 50_126
    case passwordChangeRequired = 50_142
    case grantRevoked = 50_173
    case codeWrong = 50_181
    case codeExpired = 50_184
    case clientLoop = 50_196
    case authorizationCodeUsed = 54_005
    case continuationTokenUnusable = 55_000
    case credentialRequired = 55_103
    case attributesRequired = 55_106
    case continuationTokenInvalid = 55_200
    case scopeNotConsented = 65_001
    case userDeclined = 65_004
    case grantInvalid = 70_000
    case applicationDisabled = 70_001
    case grantTypeUnsupported = 70_003
    case refreshTokenExpired = 70_008
    case scopeInvalid = 70_011
    case deviceCodePending = 70_016
    case deviceCodeInvalid = 70_018
    case deviceCodeExpired = 70_019
    case tenantNotFound = 90_002
    case parameterRequired = 90_014
    case requestInvalid = 90_023
    case temporarilyUnavailable = 90_033
    case tenantThrottled = 90_055
    case parameterEmptyOrInvalid = 90_100
    case emailInvalid = 90_101
    case passwordTooWeak = 399_246
    case wrongAuthenticationType = 400_002
    case credentialRecoveryUnsupported = 500_222
    case redirectAddressOther = 500_112
    case verifierWrong = 501_481
    case codeWrongForUser = 501_811
    case confidentialClient = 550_022
    case methodBlocked = 550_024
    case continuationTokenExpired = 552_003
    case applicationNotInTenant = 700_011
    case applicationNotFound = 700_016
    case assertionOutsideItsTime = 700_024
    case publicClientProof = 700_025
    case assertionInvalid = 700_027
    case refreshTokenInactive = 700_082
    case refreshTokenOfSinglePageApp = 700_084
    case noMoreCodes = 701_014
    case parameterMissing = 900_144
    case methodNotAllowed = 900_561
    case contactInvalid = 901_001
    case redirectMissing = 901_007
    case scopeNotDefault = 1_002_012
    case blockedByHook = 1_003_023
    case userAlreadyExists = 1_003_037
    case clientSecretInvalid = 7_000_215
    case clientProofMissing = 7_000_216
    case clientSecretExpired = 7_000_222
    case requestMalformed = 9_002_313
    case originNotAllowed = 9_002_326
    case originMissing = 9_002_327

    /// The numbers that mean “wait”: the client asked too often, and nothing has ended (docs/protocol.md §13).
    package static let waits: Set<Self> = [.clientLoop, .tenantThrottled, .noMoreCodes]

    /// The phrase that clients look for in the description beside ``parameterEmptyOrInvalid`` (docs/protocol.md §4.1).
    package static let usernamePhrase = "username parameter is empty or not valid"
    /// The same as ``usernamePhrase``, for the client ID.
    package static let clientIDPhrase = "client_id parameter is empty or not valid"
}
