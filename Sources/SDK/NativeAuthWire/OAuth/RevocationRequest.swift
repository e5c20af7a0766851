package import NativeAuthCore

/// `POST oauth2/v2.0/revoke` (RFC 7009 §2.1). The answer has no body.
package struct RevocationRequest: FormRequest {
    package var token: Secret<String>?
    /// `refresh_token` or `access_token`; only a hint, not validated.
    package var tokenTypeHint: String?
    package var clientID: String?

    package init(token: Secret<String>?, tokenTypeHint: String? = nil, clientID: String?) {
        self.token = token
        self.tokenTypeHint = tokenTypeHint
        self.clientID = clientID
    }

    package init() {}

    package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.secret(.token, &token)
        try coder.word(.tokenTypeHint, &tokenTypeHint)
        try coder.word(.clientID, &clientID)
    }
}
