package import NativeAuthCore
import PortableFoundation

/// The parameter `grant_type`. Open: unlisted values are kept (docs/protocol.md §5.1).
package struct GrantType: RawRepresentable, Hashable, Sendable, Codable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Compares bytes. A comparison of strings sorts their combining marks, which takes 0.2 seconds for a value of 64 KB
    /// (`SEC-SWIFT-2`).
    package static func == (one: Self, other: Self) -> Bool { one.rawValue.utf8.elementsEqual(other.rawValue.utf8) }

    package static let attributes = Self(rawValue: "attributes")
    package static let authorizationCode = Self(rawValue: "authorization_code")
    /// Of daemons (docs/protocol.md §19).
    package static let clientCredentials = Self(rawValue: "client_credentials")
    /// Of devices without a browser (RFC 8628 §3.4).
    package static let deviceCode = Self(rawValue: "urn:ietf:params:oauth:grant-type:device_code")
    package static let federated = Self(rawValue: "federated")
    package static let continuationToken = Self(rawValue: "continuation_token")
    package static let mfaOOB = Self(rawValue: "mfa_oob")
    package static let mfaPasskey = Self(rawValue: "mfa_passkey")
    package static let passkey = Self(rawValue: "passkey")
    package static let oob = Self(rawValue: "oob")
    package static let password = Self(rawValue: "password")
    package static let refreshToken = Self(rawValue: "refresh_token")
    /// Of an authenticator app that is being registered.
    package static let totp = Self(rawValue: "totp")
    /// A refresh token for a ticket to the browser (RFC 8693 §2.1).
    package static let tokenExchange = Self(rawValue: "urn:ietf:params:oauth:grant-type:token-exchange")
}

extension V1 {
    /// `POST oauth2/v2.0/token`, for every grant (docs/protocol.md §4.7, §5).
    package struct TokenRequest: FormRequest {
        package var clientID: String?
        package var grantType: GrantType?
        package var continuationToken: Secret<String>?
        package var refreshToken: Secret<String>?
        package var password: Secret<String>?
        package var oob: Secret<String>?
        /// The answer of a passkey (WebAuthn section 5.1).
        package var credential: Secret<String>?
        /// The words of `scope`, not validated.
        package var scopes: [String]?
        package var username: String?
        /// The words of `challenge_type`, not validated.
        package var challengeTypes: [String]?
        /// `true` or `1` asks for ``ClientInfo``.
        package var clientInfo: String?
        /// A claims request: JSON as text.
        package var claims: String?
        /// An authorization code (RFC 6749 §4.1.3).
        package var code: Secret<String>?
        package var redirectURI: String?
        /// The verifier of PKCE (RFC 7636 §4.5).
        package var codeVerifier: Secret<String>?
        /// Of a device without a browser (RFC 8628 §3.4).
        package var deviceCode: Secret<String>?
        /// Of an exchange of tokens (RFC 8693 §2.1).
        package var exchange: TokenExchange?
        /// The token of a provider.
        package var idToken: Secret<String>?
        /// What the provider gave the app besides it: JSON as text.
        package var providerUser: String?
        /// Apple's code for the app.
        package var authorizationCode: Secret<String>?
        /// A proof of the device's key (RFC 9449 §4.2).
        package var deviceProof: Secret<String>?
        /// `true` asks to leave the second factor out on the device from now on.
        package var rememberDevice: String?

        package init(
            clientID: String?, grantType: GrantType?, continuationToken: Secret<String>? = nil,
            refreshToken: Secret<String>? = nil, password: Secret<String>? = nil, oob: Secret<String>? = nil,
            credential: Secret<String>? = nil, scopes: [String]? = nil, username: String? = nil,
            challengeTypes: [String]? = nil,
            clientInfo: String? = nil, claims: String? = nil, code: Secret<String>? = nil, redirectURI: String? = nil,
            codeVerifier: Secret<String>? = nil, deviceCode: Secret<String>? = nil, exchange: TokenExchange? = nil
        ) {
            self.clientID = clientID
            self.grantType = grantType
            self.continuationToken = continuationToken
            self.refreshToken = refreshToken
            self.password = password
            self.oob = oob
            self.credential = credential
            self.scopes = scopes
            self.username = username
            self.challengeTypes = challengeTypes
            self.clientInfo = clientInfo
            self.claims = claims
            self.code = code
            self.redirectURI = redirectURI
            self.codeVerifier = codeVerifier
            self.deviceCode = deviceCode
            self.exchange = exchange
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.word(.grantType, &grantType)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.secret(.refreshToken, &refreshToken)
            try coder.secret(.password, &password)
            try coder.secret(.oob, &oob)
            try coder.secret(.credential, &credential)
            try coder.list(.scope, &scopes)
            try coder.single(.username, &username)
            try coder.list(.challengeType, &challengeTypes)
            try coder.word(.clientInfo, &clientInfo)
            try coder.single(.claims, &claims)
            try coder.secret(.code, &code)
            try coder.single(.redirectURI, &redirectURI)
            try coder.secret(.codeVerifier, &codeVerifier)
            try coder.secret(.deviceCode, &deviceCode)
            var exchange = exchange ?? TokenExchange()
            try exchange.code(with: &coder)
            self.exchange = exchange == TokenExchange() ? nil : exchange
            try coder.secret(.idToken, &idToken)
            try coder.single(.providerUser, &providerUser)
            try coder.secret(.authorizationCode, &authorizationCode)
            try coder.secret(.deviceProof, &deviceProof)
            try coder.single(.rememberDevice, &rememberDevice)
        }
    }
}

/// The parameters of an exchange of tokens (RFC 8693 §2.1, docs/protocol.md §21.11).
package struct TokenExchange: Hashable, Sendable {
    /// The types of tokens that an exchange knows (RFC 8693 §3).
    package static let refreshTokenType = "urn:ietf:params:oauth:token-type:refresh_token"
    package static let ticketType = "urn:swift-native-auth:token-type:browser-ticket"
    /// The value of `audience` that stands for the account page.
    package static let accountPage = "account"

    package var subjectToken: Secret<String>?
    package var subjectTokenType: String?
    package var requestedTokenType: String?
    /// The application that a ticket is for: its client id, or ``accountPage``.
    package var audience: String?
    /// The S256 challenge of the authorization request to come (RFC 7636 §4.2).
    package var codeChallenge: String?

    package init() {}

    /// The exchange of a refresh token for a ticket.
    package init(ticketFor audience: String, refreshToken: Secret<String>, codeChallenge: String? = nil) {
        subjectToken = refreshToken
        subjectTokenType = Self.refreshTokenType
        requestedTokenType = Self.ticketType
        self.audience = audience
        self.codeChallenge = codeChallenge
    }

    mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.secret(.subjectToken, &subjectToken)
        try coder.single(.subjectTokenType, &subjectTokenType)
        try coder.single(.requestedTokenType, &requestedTokenType)
        try coder.single(.audience, &audience)
        try coder.single(.codeChallenge, &codeChallenge)
    }
}

/// Issued tokens (docs/protocol.md §6.1). Servers send all members; clients tolerate the absence of most.
package struct TokenReply: Hashable, Sendable, Decodable, JSONObjectWritable {
    /// `Bearer`, or `DPoP` for a token that is bound to a key.
    package var tokenType: String?
    /// Granted scopes, separated by blanks.
    package var scope: String?
    /// Seconds.
    @WireSeconds package var expiresIn: Int?
    /// Seconds.
    @WireSeconds package var extExpiresIn: Int?
    @WireSecret package var accessToken: Secret<String>?
    @WireSecret package var refreshToken: Secret<String>?
    @WireSecret package var idToken: Secret<String>?
    /// ``ClientInfo/encoded``.
    package var clientInfo: String?
    /// Of an exchange alone (RFC 8693 §2.2.1): ``TokenExchange/ticketType``; then `access_token` is the ticket.
    package var issuedTokenType: String?
    /// Seconds for which the second factor is left out on the device from now on; absent: it is asked for.
    package var deviceRememberedFor: Int?

    package init(
        tokenType: String? = "Bearer", scope: String?, expiresIn: Int?, extExpiresIn: Int? = nil,
        accessToken: Secret<String>?, refreshToken: Secret<String>?, idToken: Secret<String>?, clientInfo: String?
    ) {
        self.tokenType = tokenType
        self.scope = scope
        self.expiresIn = expiresIn
        self.extExpiresIn = extExpiresIn
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.clientInfo = clientInfo
    }

    private enum CodingKeys: String, CodingKey {
        case tokenType = "token_type"
        case scope
        case expiresIn = "expires_in"
        case extExpiresIn = "ext_expires_in"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case clientInfo = "client_info"
        case issuedTokenType = "issued_token_type"
        case deviceRememberedFor = "device_remembered_for"
    }

    package func write(to object: inout JSONObjectText) {
        object.add("access_token", accessToken?.reveal())
        object.add("client_info", clientInfo)
        object.add("device_remembered_for", deviceRememberedFor)
        object.add("expires_in", expiresIn)
        object.add("ext_expires_in", extExpiresIn)
        object.add("id_token", idToken?.reveal())
        object.add("issued_token_type", issuedTokenType)
        object.add("refresh_token", refreshToken?.reveal())
        object.add("scope", scope)
        object.add("token_type", tokenType)
    }
}

/// The user of the tokens: `client_info` of a token reply (docs/protocol.md §6.2).
package struct ClientInfo: Hashable, Sendable, Codable {
    /// The object ID of the user.
    package var uid: String
    /// The tenant ID.
    package var utid: String

    package init(uid: String, utid: String) {
        self.uid = uid
        self.utid = utid
    }

    /// Base64url of the JSON object, without padding.
    package var encoded: String {
        var object = JSONObjectText()
        object.add("uid", uid)
        object.add("utid", utid)
        return Base64URL.encode(object.bytes)
    }

    /// Decodes ``encoded``; nil for anything else.
    package init?(encoded: String) {
        guard let json = Base64URL.decode(encoded) else { return nil }
        do {
            self = try WireJSON.decode(from: json)
        } catch {
            // The member is optional for clients: one that cannot be decoded counts as absent.
            return nil
        }
    }
}
