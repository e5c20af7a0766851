package import NativeAuthCore
package import PortableFoundation

/// The parameters of a request to the authorization endpoint (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core 1.0
/// §3.1.2.1).
package struct AuthorizationQuery: Hashable, Sendable {
    package var clientID: String
    package var redirectURI: String
    package var scopes: [String]
    package var state: Secret<String>
    package var nonce: Secret<String>
    /// ``CodeVerifier/challenge``.
    package var codeChallenge: String
    /// `query`, `fragment` or `form_post`; nil for the server's default, which is `query`.
    package var responseMode: String?
    package var prompt: String?
    /// Personal data.
    package var loginHint: Secret<String>?
    /// A claims request: JSON as text (OpenID Connect Core 1.0 §5.5).
    package var claims: String?
    /// Seconds.
    package var maxAge: Int?
    package var uiLocales: [String]?
    /// Identifies the sign-in in the server's log (docs/protocol.md §2.2).
    package var correlationID: UUID?
    /// Parameters of the app, after all others.
    package var extra: [String: String] = [:]

    /// The names that ``extra`` must not have: those of this request, and those that would replace it.
    package static let reserved: Set<String> = [
        "client-request-id", "client_id", "client_info", "claims", "code_challenge", "code_challenge_method",
        "login_hint", "max_age",
        "nonce", "prompt", "redirect_uri", "request", "request_uri", "response_mode", "response_type", "scope",
        "state", "ui_locales",
    ]

    package init(
        clientID: String, redirectURI: String, scopes: [String], state: Secret<String>, nonce: Secret<String>,
        codeChallenge: String
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.state = state
        self.nonce = nonce
        self.codeChallenge = codeChallenge
    }

    package var form: FormFields {
        var form = FormFields()
        form.append("client_id", clientID)
        form.append("response_type", "code")
        form.append("redirect_uri", redirectURI)
        form.append("scope", scopes)
        form.append("state", state)
        form.append("nonce", nonce)
        form.append("code_challenge", codeChallenge)
        form.append("code_challenge_method", "S256")
        form.append("response_mode", responseMode)
        form.append("prompt", prompt)
        form.append("login_hint", loginHint)
        form.append("claims", claims)
        form.append("max_age", maxAge.map { String($0) })
        form.append("ui_locales", uiLocales)
        form.append("client_info", "1")
        form.append("client-request-id", correlationID?.text)
        for (name, value) in extra.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }
}

/// The parameters of an authorization endpoint's answer (RFC 6749 §4.1.2, RFC 9207 §2). Empty values count as missing.
package struct AuthorizationAnswer: Hashable, Sendable {
    package var code: Secret<String>?
    package var state: Secret<String>?
    package var issuer: String?
    package var error: String?
    package var errorDescription: String?
    package var errorURI: String?
    package var suberror: String?

    /// Reads the answer from the address that the browser was sent to: its query, its fragment, or both.
    ///
    /// - Throws: ``FormError``, for example ``FormError/repeated(_:)`` for a parameter that occurs twice, also once in
    ///   each part (RFC 6749 §3.1).
    package init(url: URL) throws(FormError) {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let parts = [components?.percentEncodedQuery, components?.percentEncodedFragment].compactMap(\.self)
        try self.init(form: FormFields(decoding: parts.joined(separator: "&").utf8))
    }

    /// Reads the answer from form parameters, as the response mode `form_post` sends them.
    ///
    /// - Throws: The same as ``init(url:)``.
    package init(form: FormFields) throws(FormError) {
        code = try form.secret("code").flatMap { $0.reveal().isEmpty ? nil : $0 }
        state = try form.secret("state").flatMap { $0.reveal().isEmpty ? nil : $0 }
        issuer = try Self.text("iss", form)
        error = try Self.text("error", form)
        errorDescription = try Self.text("error_description", form)
        errorURI = try Self.text("error_uri", form)
        suberror = try Self.text("suberror", form)
    }

    private static func text(_ name: String, _ form: FormFields) throws(FormError) -> String? {
        try form.single(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The server's numbers in ``errorDescription``: the digits after each `AADSTS` (docs/protocol.md §14.2).
    package var errorCodes: [Int] {
        (errorDescription ?? "").split(separator: "AADSTS", omittingEmptySubsequences: false).dropFirst()
            .compactMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    }
}

/// `POST oauth2/v2.0/token` with the grant `authorization_code` (RFC 6749 §4.1.3, RFC 7636 §4.5).
package struct CodeRedemption: Hashable, Sendable {
    package var clientID: String
    package var code: Secret<String>
    /// Byte for byte as in the authorization request.
    package var redirectURI: String
    package var codeVerifier: Secret<String>
    package var scopes: [String]
    package var claims: String?

    package init(
        clientID: String, code: Secret<String>, redirectURI: String, codeVerifier: Secret<String>, scopes: [String],
        claims: String? = nil
    ) {
        self.clientID = clientID
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
        self.scopes = scopes
        self.claims = claims
    }

    package var form: FormFields {
        var form = FormFields()
        form.append("client_id", clientID)
        form.append("grant_type", GrantType.authorizationCode.rawValue)
        form.append("code", code)
        form.append("redirect_uri", redirectURI)
        form.append("code_verifier", codeVerifier)
        form.append("scope", scopes)
        form.append("client_info", "1")
        form.append("claims", claims)
        return form
    }
}

/// The parameters of a request to the end-session endpoint (OpenID Connect RP-Initiated Logout 1.0, section 2).
package struct EndSessionQuery: Hashable, Sendable {
    package var clientID: String
    package var idTokenHint: Secret<String>?
    package var postLogoutRedirectURI: String
    package var state: Secret<String>

    package init(
        clientID: String, idTokenHint: Secret<String>?, postLogoutRedirectURI: String, state: Secret<String>
    ) {
        self.clientID = clientID
        self.idTokenHint = idTokenHint
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.state = state
    }

    package var form: FormFields {
        var form = FormFields()
        form.append("client_id", clientID)
        form.append("id_token_hint", idTokenHint)
        form.append("post_logout_redirect_uri", postLogoutRedirectURI)
        form.append("state", state)
        return form
    }
}

extension URL {
    /// The address with the parameters of `form` after those that it has (RFC 6749 §3.1); nil when it is malformed.
    package func adding(_ form: FormFields) -> URL? {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        // Not every server reads `+` in a query as a space; `%20` is one for all.
        let parts = [components.percentEncodedQuery, form.encoded.replacing("+", with: "%20")]
        components.percentEncodedQuery = parts.compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: "&")
        return components.url
    }
}
