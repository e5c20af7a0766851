/// An endpoint of the native authentication API, version 1 (docs/protocol.md §1.2). Its raw value is the path after the
/// tenant segment, without a leading slash. All take `POST`.
package enum V1Endpoint: String, CaseIterable, Codable, Hashable, Sendable {
    case signUpStart = "signup/v1.0/start"
    case signUpChallenge = "signup/v1.0/challenge"
    case signUpContinue = "signup/v1.0/continue"
    case signInInitiate = "oauth2/v2.0/initiate"
    case signInChallenge = "oauth2/v2.0/challenge"
    case signInIntrospect = "oauth2/v2.0/introspect"
    case token = "oauth2/v2.0/token"
    case resetPasswordStart = "resetpassword/v1.0/start"
    case resetPasswordChallenge = "resetpassword/v1.0/challenge"
    case resetPasswordContinue = "resetpassword/v1.0/continue"
    case resetPasswordSubmit = "resetpassword/v1.0/submit"
    case resetPasswordPollCompletion = "resetpassword/v1.0/poll_completion"
    case registerIntrospect = "register/v1.0/introspect"
    case registerChallenge = "register/v1.0/challenge"
    case registerContinue = "register/v1.0/continue"
}

/// The documents that describe a tenant to OpenID Connect clients, its web endpoints, and its token endpoints
/// (docs/protocol.md §1.3). Raw values are paths after the tenant segment, without a leading slash.
package enum MetadataEndpoint: String, CaseIterable, Sendable {
    case openIDConfiguration = "v2.0/.well-known/openid-configuration"
    case jsonWebKeys = "discovery/v2.0/keys"
    case authorize = "oauth2/v2.0/authorize"
    case logout = "oauth2/v2.0/logout"
    /// Where an application leaves an authorization request before the browser comes (RFC 9126).
    case pushedAuthorization = "oauth2/v2.0/par"
    /// Where a device without a browser gets its codes (RFC 8628 §3.1).
    case deviceAuthorization = "oauth2/v2.0/devicecode"
    /// The page that asks for the code of a device: short, because people type it.
    case devicePage = "device"
    /// Revokes a refresh token (RFC 7009).
    case revocation = "oauth2/v2.0/revoke"
    /// Describes a token to a resource server (RFC 7662); the usual name belongs to ``V1Endpoint/signInIntrospect``.
    case tokenIntrospection = "oauth2/v2.0/tokeninfo"
    /// Describes the user to the holder of an access token (OpenID Connect Core 1.0 §5.3).
    case userInfo = "oidc/userinfo"
}

/// Names of the headers that both ends use, in lower case (docs/protocol.md §2.2, §2.3).
package enum WireHeader {
    /// The correlation ID of the flow, a UUID; sent by the client, echoed by the server.
    package static let clientRequestID = "client-request-id"
    /// `true` asks for the echo.
    package static let returnClientRequestID = "return-client-request-id"
    /// The correlation ID again, under the name that browser clients read.
    package static let requestID = "x-ms-request-id"
    package static let clientSKU = "x-client-sku"
    package static let clientVersion = "x-client-ver"
    package static let clientOS = "x-client-os"
    package static let clientCPU = "x-client-cpu"
    /// The model of the device.
    package static let clientDevice = "x-client-dm"
}
