import IdentityEngine
import NativeAuthCore

// The forms of replies of the native API and of OAuth (docs/protocol.md §4, §6). `OpenAPITests` compares them with answers.
extension Schema {
    static let token = Schema.text.described("The token of the next step.")

    static let nativeError = object(
        [
            "error": text,
            "error_description": text.described("For developers. Its words may change: decide by the other members."),
            "error_codes": list(of: whole), "timestamp": text, "trace_id": uuid, "correlation_id": uuid,
        ],
        optional: [
            "suberror": text, "continuation_token": token.described("Present when the flow continues."),
            "required_attributes": list(of: requiredAttribute),
            "invalid_attributes": list(of: object(["name": text])),
            "unverified_attributes": list(of: object(["name": text])),
        ])

    private static let requiredAttribute = object(
        ["name": text, "type": text, "required": flag], optional: ["options": object([:], optional: ["regex": text])])

    static let method = object(
        [
            "id": text, "challenge_type": words(["oob", "passkey"]),
            "challenge_channel": words(
                ["email"] + [CodeChannel.textMessage, .authenticatorApp, .recoveryCode, .passkey].map(\.rawValue)),
        ],
        optional: [
            "login_hint": text.described(
                "What the user knows the method by; missing for a telephone that is to be registered.")
        ])

    static let passkeyReference = object(
        ["type": words(["public-key"]), "id": text], optional: ["transports": list(of: text)])

    static let tokens = object(
        [
            "token_type": words(["Bearer", "DPoP"]), "scope": text, "expires_in": whole, "ext_expires_in": whole,
            "access_token": text, "client_info": text,
        ], optional: ["refresh_token": text, "id_token": text])

    /// OpenID Connect Discovery 1.0 section 3.
    static let openIDConfiguration = object(
        [
            "issuer": url, "authorization_endpoint": url, "token_endpoint": url, "jwks_uri": url,
            "userinfo_endpoint": url, "revocation_endpoint": url, "response_types_supported": list(of: text),
            "grant_types_supported": list(of: text), "subject_types_supported": list(of: text),
            "id_token_signing_alg_values_supported": list(of: text), "scopes_supported": list(of: text),
            "claims_supported": list(of: text), "token_endpoint_auth_methods_supported": list(of: text),
            "revocation_endpoint_auth_methods_supported": list(of: text),
            "end_session_endpoint": url, "device_authorization_endpoint": url,
            "pushed_authorization_request_endpoint": url, "require_pushed_authorization_requests": flag,
            "response_modes_supported": list(of: text),
            "code_challenge_methods_supported": list(of: text),
            "authorization_response_iss_parameter_supported": flag, "claims_parameter_supported": flag,
            "request_parameter_supported": flag, "request_uri_parameter_supported": flag,
            "prompt_values_supported": list(of: text), "ui_locales_supported": list(of: text),
            "backchannel_logout_supported": flag, "backchannel_logout_session_supported": flag,
            "frontchannel_logout_supported": flag, "frontchannel_logout_session_supported": flag,
            "dpop_signing_alg_values_supported": list(of: text),
        ],
        optional: [
            "introspection_endpoint": url, "introspection_endpoint_auth_methods_supported": list(of: text),
            "token_endpoint_auth_signing_alg_values_supported": list(of: text),
        ])

    /// The parameters of the authorization endpoint, with those that prove a confidential application.
    static let pushedRequest = object(
        ["response_type": words(["code"]), "redirect_uri": text, "scope": text],
        optional: Dictionary(
            uniqueKeysWithValues: [
                "client_id", "response_mode", "code_challenge", "code_challenge_method", "state", "nonce", "prompt",
                "max_age", "login_hint", "id_token_hint", "claims", "ui_locales", "client_secret", "client_assertion",
                "client_assertion_type", "dpop_jkt",
            ].map { ($0, Schema.text as Schema) }))

    /// RFC 7517 section 4.
    static let key = object(
        ["kty": words(["EC", "RSA"]), "kid": text, "alg": words(["ES256", "RS256"]), "use": words(["sig"])],
        optional: ["n": text, "e": text, "crv": text, "x": text, "y": text])

    /// RFC 7662 section 2.2.
    static let tokenDescription = object(
        ["active": flag],
        optional: [
            "scope": text, "client_id": uuid, "username": text, "token_type": words(["Bearer", "DPoP"]), "exp": whole,
            "iat": whole, "sub": text, "aud": text, "iss": url, "acrs": list(of: text),
            "roles": list(of: text), "cnf": object(["jkt": text]),
        ])

    /// OpenID Connect Core 1.0 section 5.3.2.
    static let userInfo = Schema(
        json: object(
            ["sub": text],
            optional: [
                "name": text, "given_name": text, "family_name": text, "preferred_username": text, "email": text,
                "email_verified": flag,
            ]
        ).json.merging(["additionalProperties": .boolean(true)]) { $1 }
    ).described("The application's own claims stand beside these.")
}
