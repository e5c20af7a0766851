/// The discovery document (docs/protocol.md §1.3, OpenID Connect Discovery 1.0 §3).
package struct OpenIDConfiguration: Hashable, Sendable, Codable {
    package var issuer: String
    package var authorizationEndpoint: String
    package var tokenEndpoint: String
    package var jwksURI: String
    package var endSessionEndpoint: String?
    /// RFC 9126 §5.
    package var pushedAuthorizationRequestEndpoint: String?
    package var requirePushedAuthorizationRequests: Bool?
    /// RFC 8628 §4.
    package var deviceAuthorizationEndpoint: String?
    package var userinfoEndpoint: String?
    /// RFC 8414 §2.
    package var revocationEndpoint: String?
    /// RFC 8414 §2.
    package var introspectionEndpoint: String?
    package var responseTypesSupported: [String]?
    package var responseModesSupported: [String]?
    package var grantTypesSupported: [String]?
    package var subjectTypesSupported: [String]?
    package var idTokenSigningAlgValuesSupported: [String]?
    package var scopesSupported: [String]?
    package var claimsSupported: [String]?
    package var tokenEndpointAuthMethodsSupported: [String]?
    /// The algorithms of assertions (RFC 8414 §2).
    package var tokenEndpointAuthSigningAlgValuesSupported: [String]?
    /// RFC 8414 §2.
    package var revocationEndpointAuthMethodsSupported: [String]?
    /// RFC 8414 §2.
    package var introspectionEndpointAuthMethodsSupported: [String]?
    package var codeChallengeMethodsSupported: [String]?
    /// Whether authorization answers have `iss` (RFC 9207 §3).
    package var authorizationResponseIssParameterSupported: Bool?
    package var claimsParameterSupported: Bool?
    package var requestParameterSupported: Bool?
    /// Counts as true when it is absent.
    package var requestURIParameterSupported: Bool?
    /// Initiating User Registration via OpenID Connect 1.0.
    package var promptValuesSupported: [String]?
    package var uiLocalesSupported: [String]?
    /// OpenID Connect Back-Channel Logout 1.0 section 2.1.
    package var backchannelLogoutSupported: Bool?
    package var backchannelLogoutSessionSupported: Bool?
    /// OpenID Connect Front-Channel Logout 1.0 section 3.
    package var frontchannelLogoutSupported: Bool?
    package var frontchannelLogoutSessionSupported: Bool?
    /// RFC 9449 §5.1.
    package var dpopSigningAlgValuesSupported: [String]?

    package init(
        issuer: String, authorizationEndpoint: String, tokenEndpoint: String, jwksURI: String,
        endSessionEndpoint: String? = nil, userinfoEndpoint: String? = nil, revocationEndpoint: String? = nil,
        introspectionEndpoint: String? = nil, responseTypesSupported: [String]? = nil,
        responseModesSupported: [String]? = nil, grantTypesSupported: [String]? = nil,
        subjectTypesSupported: [String]? = nil, idTokenSigningAlgValuesSupported: [String]? = nil,
        scopesSupported: [String]? = nil, claimsSupported: [String]? = nil,
        tokenEndpointAuthMethodsSupported: [String]? = nil,
        tokenEndpointAuthSigningAlgValuesSupported: [String]? = nil,
        revocationEndpointAuthMethodsSupported: [String]? = nil,
        introspectionEndpointAuthMethodsSupported: [String]? = nil, codeChallengeMethodsSupported: [String]? = nil
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.jwksURI = jwksURI
        self.endSessionEndpoint = endSessionEndpoint
        self.userinfoEndpoint = userinfoEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.introspectionEndpoint = introspectionEndpoint
        self.responseTypesSupported = responseTypesSupported
        self.responseModesSupported = responseModesSupported
        self.grantTypesSupported = grantTypesSupported
        self.subjectTypesSupported = subjectTypesSupported
        self.idTokenSigningAlgValuesSupported = idTokenSigningAlgValuesSupported
        self.scopesSupported = scopesSupported
        self.claimsSupported = claimsSupported
        self.tokenEndpointAuthMethodsSupported = tokenEndpointAuthMethodsSupported
        self.tokenEndpointAuthSigningAlgValuesSupported = tokenEndpointAuthSigningAlgValuesSupported
        self.revocationEndpointAuthMethodsSupported = revocationEndpointAuthMethodsSupported
        self.introspectionEndpointAuthMethodsSupported = introspectionEndpointAuthMethodsSupported
        self.codeChallengeMethodsSupported = codeChallengeMethodsSupported
    }

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case endSessionEndpoint = "end_session_endpoint"
        case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
        case requirePushedAuthorizationRequests = "require_pushed_authorization_requests"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case userinfoEndpoint = "userinfo_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case introspectionEndpoint = "introspection_endpoint"
        case responseTypesSupported = "response_types_supported"
        case responseModesSupported = "response_modes_supported"
        case grantTypesSupported = "grant_types_supported"
        case subjectTypesSupported = "subject_types_supported"
        case idTokenSigningAlgValuesSupported = "id_token_signing_alg_values_supported"
        case scopesSupported = "scopes_supported"
        case claimsSupported = "claims_supported"
        case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
        case tokenEndpointAuthSigningAlgValuesSupported = "token_endpoint_auth_signing_alg_values_supported"
        case revocationEndpointAuthMethodsSupported = "revocation_endpoint_auth_methods_supported"
        case introspectionEndpointAuthMethodsSupported = "introspection_endpoint_auth_methods_supported"
        case codeChallengeMethodsSupported = "code_challenge_methods_supported"
        case authorizationResponseIssParameterSupported = "authorization_response_iss_parameter_supported"
        case claimsParameterSupported = "claims_parameter_supported"
        case requestParameterSupported = "request_parameter_supported"
        case requestURIParameterSupported = "request_uri_parameter_supported"
        case promptValuesSupported = "prompt_values_supported"
        case uiLocalesSupported = "ui_locales_supported"
        case backchannelLogoutSupported = "backchannel_logout_supported"
        case backchannelLogoutSessionSupported = "backchannel_logout_session_supported"
        case frontchannelLogoutSupported = "frontchannel_logout_supported"
        case frontchannelLogoutSessionSupported = "frontchannel_logout_session_supported"
        case dpopSigningAlgValuesSupported = "dpop_signing_alg_values_supported"
    }
}
