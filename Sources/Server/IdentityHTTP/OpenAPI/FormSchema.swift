import NativeAuthCore
import NativeAuthWire

/// A grant of an endpoint, with the parameters that it needs besides those of every request.
struct DocumentedGrant {
    var type: GrantType
    var required: [FormParameter]

    init(_ type: GrantType, _ required: FormParameter...) {
        self.type = type
        self.required = required
    }
}

extension V1Endpoint {
    /// The parameters that every request of the endpoint needs.
    var required: [FormParameter] {
        switch self {
        case .signUpStart, .resetPasswordStart: [.clientID, .username, .challengeType]
        // A sign-in whose user the passkey or the provider names has no name.
        case .signInInitiate: [.clientID, .challengeType]
        // A daemon can name itself by HTTP Basic.
        case .token: [.grantType]
        case .signUpContinue, .resetPasswordContinue, .registerContinue: [.clientID, .continuationToken, .grantType]
        case .resetPasswordSubmit: [.clientID, .continuationToken, .newPassword]
        case .registerChallenge: [.clientID, .continuationToken, .challengeType]
        case .signUpChallenge, .signInChallenge, .signInIntrospect, .resetPasswordChallenge,
            .resetPasswordPollCompletion, .registerIntrospect:
            [.clientID, .continuationToken]
        }
    }

    /// The grants of the endpoint; empty when it has no `grant_type`.
    var grants: [DocumentedGrant] {
        switch self {
        case .signUpContinue:
            [
                DocumentedGrant(.oob, .oob), DocumentedGrant(.password, .password),
                DocumentedGrant(.attributes, .attributes),
            ]
        case .resetPasswordContinue: [DocumentedGrant(.oob, .oob)]
        case .registerContinue:
            [
                DocumentedGrant(.oob, .oob), DocumentedGrant(.continuationToken),
                DocumentedGrant(.passkey, .credential),
                DocumentedGrant(.totp, .totp),
            ]
        case .token:
            [
                DocumentedGrant(.continuationToken, .clientID, .continuationToken, .scope),
                DocumentedGrant(.password, .clientID, .continuationToken, .password, .scope),
                DocumentedGrant(.oob, .clientID, .continuationToken, .oob, .scope),
                DocumentedGrant(.mfaOOB, .clientID, .continuationToken, .oob, .scope),
                DocumentedGrant(.passkey, .clientID, .continuationToken, .credential, .scope),
                DocumentedGrant(.mfaPasskey, .clientID, .continuationToken, .credential, .scope),
                DocumentedGrant(.federated, .clientID, .continuationToken, .idToken, .scope),
                DocumentedGrant(.refreshToken, .clientID, .refreshToken),
                DocumentedGrant(.authorizationCode, .clientID, .code, .redirectURI),
                DocumentedGrant(.deviceCode, .clientID, .deviceCode),
                DocumentedGrant(
                    .tokenExchange, .clientID, .subjectToken, .subjectTokenType, .requestedTokenType, .audience),
                DocumentedGrant(.clientCredentials, .scope),
            ]
        case .signUpStart, .signUpChallenge, .signInInitiate, .signInChallenge, .signInIntrospect, .resetPasswordStart,
            .resetPasswordChallenge, .resetPasswordSubmit, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge:
            []
        }
    }

    /// The parameters of all requests of the endpoint.
    private var parameters: [FormParameter] {
        get throws(FormError) {
            let parameters = try requestType.parameters
            guard self == .token else { return parameters }
            let more = try ClientCredentialsRequest.parameters
            return parameters + more.filter { !parameters.contains($0) }
        }
    }

    /// The form of the endpoint.
    var formSchema: Schema {
        get throws(FormError) {
            var schema = Schema.form(try parameters, required: required)
            guard !grants.isEmpty else { return schema }
            schema.json["oneOf"] = .array(
                grants.map { grant in
                    var choice: [String: JSONValue] = [
                        "properties": .object([
                            FormParameter.grantType.rawValue: .object(["const": .string(grant.type.rawValue)])
                        ])
                    ]
                    if !grant.required.isEmpty { choice["required"] = .texts(grant.required.map(\.rawValue)) }
                    return .object(choice)
                })
            return schema
        }
    }
}

extension Schema {
    static func form(_ parameters: [FormParameter], required: [FormParameter]) -> Schema {
        func members(_ chosen: [FormParameter]) -> [String: Schema] {
            Dictionary(uniqueKeysWithValues: chosen.map { ($0.rawValue, $0.schema) })
        }
        return object(
            members(parameters.filter { required.contains($0) }),
            optional: members(parameters.filter { !required.contains($0) }))
    }

    /// Words with blanks between them.
    fileprivate static func words(of words: [String]) -> Schema {
        let word = "(\(words.joined(separator: "|")))"
        return text(matching: "^\(word)( \(word))*$")
    }
}

extension FormParameter {
    /// The values of the parameter, with an example of the development profile.
    var schema: Schema {
        let schema: Schema =
            switch self {
            case .clientID: .uuid.example("11112222-bbbb-3333-cccc-4444dddd5555")
            case .username: .filled.described("An e-mail address or an alias.").example("dana@example.com")
            case .password, .newPassword: .filled.example("Tulip-Harbour-42")
            case .attributes:
                .text.described("A flat JSON object, as text.").example(#"{"country":"Denmark","city":"Aarhus"}"#)
            case .challengeType:
                .words(of: ChallengeType.allCases.map(\.rawValue)).example("oob password redirect")
                    .described("What the app can do. At the start of a flow the list must contain redirect.")
            case .capabilities:
                .words(of: Capability.allCases.map(\.rawValue)).example("registration_required mfa_required")
            case .capability: .text
            case .continuationToken: .filled.described("The newest token of the flow.")
            case .grantType: .filled
            case .oob: .filled.described("The one-time passcode.").example("12345678")
            case .credential:
                .filled.described(
                    "The answer of a passkey, AuthenticationResponseJSON, or of the authenticator that made one, RegistrationResponseJSON (WebAuthn section 5.1), as text."
                )
            case .totp: .filled.described("The six digits that the authenticator app shows.").example("123456")
            case .scope: .text.described("Scopes with blanks between them.").example("openid offline_access")
            case .provider: .filled.described("A provider of the tenant, in place of a username.").example("apple")
            case .idToken: .filled.described("The provider's ID token, with the nonce of the challenge.")
            case .authorizationCode:
                .filled.described(
                    "The code that Apple gives the app besides the token: it is for the revocation later.")
            case .providerUser:
                .text.described("What the provider gave the app besides the token: JSON, as text.")
                    .example(#"{"givenName":"Dana","familyName":"Holm"}"#)
            case .refreshToken, .token, .id: .filled
            case .subjectToken: .filled.described("The refresh token of the app's session (RFC 8693 section 2.1).")
            case .subjectTokenType: .text.example(TokenExchange.refreshTokenType)
            case .requestedTokenType: .text.example(TokenExchange.ticketType)
            case .audience:
                .filled.described("The client id of the application that the page is for, or account.")
                    .example(TokenExchange.accountPage)
            case .codeChallenge:
                .filled.described("The S256 challenge of the authorization request to come (RFC 7636 section 4.2).")
            case .tokenTypeHint: .text.example("refresh_token")
            case .claims:
                .filled.described("A claims request: JSON, as text.")
                    .example(#"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
            case .clientInfo: .text.example("true")
            case .clientSecret: .filled.described("The secret of a daemon.").example("development")
            case .clientAssertion: .filled.described("A token signed with a key of the daemon (RFC 7523).")
            case .clientAssertionType: .text.example(ClientCredentialsRequest.assertionType)
            case .deviceProof:
                .filled.described(
                    "A proof of the device's key (RFC 9449 section 4.2) whose ath is of the continuation token.")
            case .rememberDevice:
                .text.described("true: the second factor is left out on the device from now on.").example("true")
            case .deviceCode: .filled.described("The code of a device (RFC 8628 section 3.4).")
            case .code: .filled.described("An authorization code (RFC 6749 section 4.1.3).")
            case .redirectURI:
                .filled.described("The address of the authorization request, byte for byte.")
                    .example("http://localhost/")
            case .codeVerifier: .filled.described("The verifier of PKCE (RFC 7636 section 4.5).")
            case .challengeTarget: .text.described("The e-mail address.").example("dana@example.org")
            case .challengeChannel: .text.example("email")
            }
        guard let longest else { return schema }
        return Schema(json: schema.json.merging(["maxLength": .integer(longest)]) { $1 })
    }
}
