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

    package init(form: FormFields) throws(FormError) {
        token = try form.secret(.token)
        tokenTypeHint = try form.word(.tokenTypeHint)
        clientID = try form.word(.clientID)
    }

    package var form: FormFields {
        var form = FormFields()
        form.append(.token, token)
        form.append(.tokenTypeHint, tokenTypeHint)
        form.append(.clientID, clientID)
        return form
    }
}
