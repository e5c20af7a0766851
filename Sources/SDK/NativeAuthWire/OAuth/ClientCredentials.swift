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

    package init(form: FormFields) throws(FormError) {
        clientID = try form.word(.clientID)
        clientSecret = try form.secret(.clientSecret)
        clientAssertionType = try form.word(.clientAssertionType)
        clientAssertion = try form.secret(.clientAssertion)
        scopes = try form.list(.scope)
    }

    package var form: FormFields {
        var form = FormFields()
        form.append(.clientID, clientID)
        form.append(.grantType, GrantType.clientCredentials.rawValue)
        form.append(.clientSecret, clientSecret)
        form.append(.clientAssertionType, clientAssertionType)
        form.append(.clientAssertion, clientAssertion)
        form.append(.scope, scopes)
        return form
    }
}
