/// A parameter of a form (docs/protocol.md §2.1). Its raw value is its name.
package enum FormParameter: String, CaseIterable, Sendable {
    case attributes
    case audience
    /// What Apple gives an app besides the token.
    case authorizationCode = "authorization_code"
    case capabilities
    /// An older name of ``capabilities`` (docs/protocol.md §16).
    case capability
    case challengeChannel = "challenge_channel"
    case challengeTarget = "challenge_target"
    case challengeType = "challenge_type"
    case claims
    case clientAssertion = "client_assertion"
    case clientAssertionType = "client_assertion_type"
    case clientID = "client_id"
    case clientInfo = "client_info"
    case clientSecret = "client_secret"
    case code
    case codeChallenge = "code_challenge"
    case codeVerifier = "code_verifier"
    case continuationToken = "continuation_token"
    /// The answer of a passkey: JSON as text (WebAuthn section 5.1).
    case credential
    case deviceCode = "device_code"
    /// A proof of the device's key (RFC 9449 §4.2), for a second factor that is left out there.
    case deviceProof = "device_proof"
    case grantType = "grant_type"
    case id
    /// The token of a provider (OpenID Connect Core 1.0 §2).
    case idToken = "id_token"
    case newPassword = "new_password"
    case oob
    case password
    /// A provider that signs users in, by its id in the tenant's document.
    case provider
    /// What a provider gave the app besides the token: a JSON object with `givenName` and `familyName`, as text.
    case providerUser = "provider_user"
    case redirectURI = "redirect_uri"
    case refreshToken = "refresh_token"
    /// Whether the second factor is left out on the device from now on: `true`.
    case rememberDevice = "remember_device"
    case requestedTokenType = "requested_token_type"
    case scope
    case subjectToken = "subject_token"
    case subjectTokenType = "subject_token_type"
    case token
    case tokenTypeHint = "token_type_hint"
    /// A code of an authenticator app.
    case totp
    case username

    /// The longest value that an endpoint accepts, in bytes; nil: only the limit of every value.
    package var longest: Int? {
        switch self {
        case .oob, .totp: 256
        case .credential, .idToken: 16_384
        case .provider: 32
        case .providerUser, .authorizationCode: 1_024
        case .refreshToken, .subjectToken: 1_024
        case .id: 64
        case .claims, .deviceProof: 2_048
        case .code: 8_192
        case .codeVerifier, .deviceCode: 256
        case .redirectURI: 2_048
        case .attributes, .audience, .codeChallenge, .capabilities, .capability, .challengeChannel, .challengeTarget,
            .challengeType,
            .clientAssertion, .clientAssertionType, .clientID, .clientInfo, .clientSecret, .continuationToken,
            .grantType, .newPassword, .password, .rememberDevice, .requestedTokenType, .scope, .subjectTokenType,
            .token, .tokenTypeHint,
            .username:
            nil
        }
    }
}

extension FormRequest {
    /// The parameters that the request has: those that remain of a form with all of them.
    package static var parameters: [FormParameter] {
        get throws(FormError) {
            var form = FormFields()
            for parameter in FormParameter.allCases where parameter != .capability {
                form.append(parameter.rawValue, "x")
            }
            return try Self(form: form).form.names.compactMap(FormParameter.init(rawValue:))
        }
    }
}

extension V1Endpoint {
    /// The type of the endpoint's form.
    package var requestType: any FormRequest.Type {
        switch self {
        case .signUpStart: V1.SignUp.StartRequest.self
        case .signUpChallenge: V1.SignUp.ChallengeRequest.self
        case .signUpContinue: V1.SignUp.ContinueRequest.self
        case .signInInitiate: V1.SignIn.InitiateRequest.self
        case .signInChallenge: V1.SignIn.ChallengeRequest.self
        case .signInIntrospect: V1.SignIn.IntrospectRequest.self
        case .token: V1.TokenRequest.self
        case .resetPasswordStart: V1.ResetPassword.StartRequest.self
        case .resetPasswordChallenge: V1.ResetPassword.ChallengeRequest.self
        case .resetPasswordContinue: V1.ResetPassword.ContinueRequest.self
        case .resetPasswordSubmit: V1.ResetPassword.SubmitRequest.self
        case .resetPasswordPollCompletion: V1.ResetPassword.PollCompletionRequest.self
        case .registerIntrospect: V1.Register.IntrospectRequest.self
        case .registerChallenge: V1.Register.ChallengeRequest.self
        case .registerContinue: V1.Register.ContinueRequest.self
        }
    }
}
