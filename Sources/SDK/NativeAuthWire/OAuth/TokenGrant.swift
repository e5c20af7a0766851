package import NativeAuthCore
import PortableFoundation

/// The parameter `grant_type`. Open: unlisted values are kept (docs/protocol.md §5.1).
package struct GrantType: RawRepresentable, Hashable, Sendable, Codable {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let attributes = Self(rawValue: "attributes")
    package static let authorizationCode = Self(rawValue: "authorization_code")
    /// Of daemons (docs/protocol.md §19).
    package static let clientCredentials = Self(rawValue: "client_credentials")
    package static let continuationToken = Self(rawValue: "continuation_token")
    package static let mfaOOB = Self(rawValue: "mfa_oob")
    package static let oob = Self(rawValue: "oob")
    package static let password = Self(rawValue: "password")
    package static let refreshToken = Self(rawValue: "refresh_token")
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
        /// The words of `scope`, not validated.
        package var scopes: [String]?
        package var username: String?
        /// The words of `challenge_type`, not validated.
        package var challengeTypes: [String]?
        /// `true` or `1` asks for ``ClientInfo``.
        package var clientInfo: String?
        /// A claims request: JSON as text.
        package var claims: String?

        package init(
            clientID: String?, grantType: GrantType?, continuationToken: Secret<String>? = nil,
            refreshToken: Secret<String>? = nil, password: Secret<String>? = nil, oob: Secret<String>? = nil,
            scopes: [String]? = nil, username: String? = nil, challengeTypes: [String]? = nil,
            clientInfo: String? = nil, claims: String? = nil
        ) {
            self.clientID = clientID
            self.grantType = grantType
            self.continuationToken = continuationToken
            self.refreshToken = refreshToken
            self.password = password
            self.oob = oob
            self.scopes = scopes
            self.username = username
            self.challengeTypes = challengeTypes
            self.clientInfo = clientInfo
            self.claims = claims
        }

        package init(form: FormFields) throws(FormError) {
            clientID = try form.word(.clientID)
            grantType = try form.word(.grantType).map(GrantType.init(rawValue:))
            continuationToken = try form.secret(.continuationToken)
            refreshToken = try form.secret(.refreshToken)
            password = try form.secret(.password)
            oob = try form.secret(.oob)
            scopes = try form.list(.scope)
            username = try form.single(.username)
            challengeTypes = try form.list(.challengeType)
            clientInfo = try form.word(.clientInfo)
            claims = try form.single(.claims)
        }

        package var form: FormFields {
            var form = FormFields()
            form.append(.clientID, clientID)
            form.append(.grantType, grantType?.rawValue)
            form.append(.continuationToken, continuationToken)
            form.append(.refreshToken, refreshToken)
            form.append(.password, password)
            form.append(.oob, oob)
            form.append(.scope, scopes)
            form.append(.username, username)
            form.append(.challengeType, challengeTypes)
            form.append(.clientInfo, clientInfo)
            form.append(.claims, claims)
            return form
        }
    }
}

/// Issued tokens (docs/protocol.md §6.1). Servers send all members; clients tolerate the absence of most.
package struct TokenReply: Hashable, Sendable {
    /// `Bearer`.
    package var tokenType: String?
    /// Granted scopes, separated by blanks.
    package var scope: String?
    /// Seconds.
    package var expiresIn: Int?
    /// Seconds.
    package var extExpiresIn: Int?
    package var accessToken: Secret<String>?
    package var refreshToken: Secret<String>?
    package var idToken: Secret<String>?
    /// ``ClientInfo/encoded``.
    package var clientInfo: String?

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
}

extension TokenReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case tokenType = "token_type"
        case scope
        case expiresIn = "expires_in"
        case extExpiresIn = "ext_expires_in"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case clientInfo = "client_info"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        /// The value of a number, or of text that is a number; both occur (docs/protocol.md §6.1).
        func seconds(_ key: CodingKeys) throws -> Int? {
            guard container.contains(key) else { return nil }
            do {
                return try container.decodeIfPresent(Int.self, forKey: key)
            } catch DecodingError.typeMismatch {
                guard let seconds = Int(try container.decode(String.self, forKey: key)) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: key, in: container, debugDescription: "Not a number of seconds.")
                }
                return seconds
            }
        }
        tokenType = try container.decodeIfPresent(String.self, forKey: .tokenType)
        scope = try container.decodeIfPresent(String.self, forKey: .scope)
        expiresIn = try seconds(.expiresIn)
        extExpiresIn = try seconds(.extExpiresIn)
        accessToken = try container.secretIfPresent(.accessToken)
        refreshToken = try container.secretIfPresent(.refreshToken)
        idToken = try container.secretIfPresent(.idToken)
        clientInfo = try container.decodeIfPresent(String.self, forKey: .clientInfo)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(tokenType, forKey: .tokenType)
        try container.encodeIfPresent(scope, forKey: .scope)
        try container.encodeIfPresent(expiresIn, forKey: .expiresIn)
        try container.encodeIfPresent(extExpiresIn, forKey: .extExpiresIn)
        try container.encodeIfPresent(accessToken, forKey: .accessToken)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try container.encodeIfPresent(idToken, forKey: .idToken)
        try container.encodeIfPresent(clientInfo, forKey: .clientInfo)
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

    /// Base64url of the JSON object, without padding. Both members are UUIDs, so nothing needs an escape.
    package var encoded: String {
        Base64URL.encode(#"{"uid":\#(AttributesJSON.quoted(uid)),"utid":\#(AttributesJSON.quoted(utid))}"#.utf8)
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
