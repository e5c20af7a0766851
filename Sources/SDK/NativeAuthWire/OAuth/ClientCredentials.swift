package import NativeAuthCore

/// `POST oauth2/v2.0/token` with `grant_type=client_credentials`: a daemon's request for a token of its own
/// (docs/protocol.md §19).
package struct ClientCredentialsRequest: FormRequest {
    /// The one value of `client_assertion_type` (RFC 7523 §2.2).
    package static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Absent with HTTP Basic.
    package var clientID: String?
    package var clientSecret: Secret<String>?
    package var clientAssertionType: String?
    package var clientAssertion: Secret<String>?
    /// The words of `scope`, not validated.
    package var scopes: [String]?

    package init(
        clientID: String?, clientSecret: Secret<String>? = nil, clientAssertionType: String? = nil,
        clientAssertion: Secret<String>? = nil, scopes: [String]? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clientAssertionType = clientAssertionType
        self.clientAssertion = clientAssertion
        self.scopes = scopes
    }

    package init() {}

    package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.word(.clientID, &clientID)
        try coder.constant(.grantType, GrantType.clientCredentials.rawValue)
        try coder.secret(.clientSecret, &clientSecret)
        try coder.word(.clientAssertionType, &clientAssertionType)
        try coder.secret(.clientAssertion, &clientAssertion)
        try coder.list(.scope, &scopes)
    }
}
