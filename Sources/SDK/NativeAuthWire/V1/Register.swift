package import NativeAuthCore

extension V1 {
    /// Requests and replies of the registration of a strong authentication method (docs/protocol.md §4.9).
    package enum Register {}
}

extension V1.Register {
    /// `POST register/v1.0/introspect`: asks for the methods (docs/protocol.md §4.9.1); the form of sign-in's.
    package typealias IntrospectRequest = V1.SignIn.IntrospectRequest
    /// `POST register/v1.0/continue`: submits the code or the passkey, or continues without one (docs/protocol.md
    /// §4.9.3).
    package struct ContinueRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// ``GrantType/oob``, ``GrantType/continuationToken``, ``GrantType/passkey`` or ``GrantType/totp``.
        package var grantType: GrantType?
        package var oob: Secret<String>?
        /// The answer of the authenticator that made a passkey, a JSON text (WebAuthn section 5.1).
        package var credential: Secret<String>?
        /// A code that the authenticator app shows.
        package var totp: Secret<String>?

        package init(
            clientID: String?, continuationToken: Secret<String>?, grantType: GrantType?, oob: Secret<String>? = nil,
            credential: Secret<String>? = nil, totp: Secret<String>? = nil
        ) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.grantType = grantType
            self.oob = oob
            self.credential = credential
            self.totp = totp
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.word(.grantType, &grantType)
            try coder.secret(.oob, &oob)
            try coder.secret(.credential, &credential)
            try coder.secret(.totp, &totp)
        }
    }

    /// `POST register/v1.0/challenge`: sends a code to the contact (docs/protocol.md §4.9.2).
    package struct ChallengeRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// ``IntrospectReply/Method/challengeType``, not validated.
        package var challengeType: String?
        /// The e-mail address or telephone number.
        package var challengeTarget: String?
        /// `email` or `sms`, not validated; may be missing.
        package var challengeChannel: String?

        package init(
            clientID: String?, continuationToken: Secret<String>?, challengeType: String?, challengeTarget: String?,
            challengeChannel: String? = nil
        ) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.challengeType = challengeType
            self.challengeTarget = challengeTarget
            self.challengeChannel = challengeChannel
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.word(.challengeType, &challengeType)
            try coder.single(.challengeTarget, &challengeTarget)
            try coder.word(.challengeChannel, &challengeChannel)
        }
    }

    /// A code was sent, or none is needed (docs/protocol.md §4.9.2).
    package struct ChallengeReply: Hashable, Sendable, Codable {
        /// Open: only here ``preverified`` occurs.
        package var challengeType: String
        @WireSecret package var continuationToken: Secret<String>?
        /// The contact, not masked.
        package var challengeTarget: String?
        /// `email` or `sms`.
        package var challengeChannel: String?
        /// The number of characters of the code.
        package var codeLength: Int?
        /// Seconds to wait before asking for another code.
        package var interval: Int?
        /// `prompt`.
        package var bindingMethod: String?
        /// What an authenticator needs to make a passkey (WebAuthn section 5.1).
        package var publicKey: JSONValue?
        /// The secret for an authenticator app, base32 without padding.
        @WireSecret package var secret: Secret<String>?
        /// The same as an address of the scheme `otpauth`.
        @WireSecret package var otpauthURI: Secret<String>?
        /// `SHA1`.
        package var algorithm: String?
        /// The same as ``codeLength``.
        package var digits: Int?
        /// Seconds after which the app shows another code: 30.
        package var period: Int?

        /// The contact was verified in the sign-up just before.
        package static let preverified = "preverified"

        package init(
            challengeType: String, continuationToken: Secret<String>?, challengeTarget: String? = nil,
            challengeChannel: String? = nil, codeLength: Int? = nil, interval: Int? = nil, bindingMethod: String? = nil,
            publicKey: JSONValue? = nil, secret: Secret<String>? = nil, otpauthURI: Secret<String>? = nil,
            algorithm: String? = nil, digits: Int? = nil, period: Int? = nil
        ) {
            self.challengeType = challengeType
            self.continuationToken = continuationToken
            self.challengeTarget = challengeTarget
            self.challengeChannel = challengeChannel
            self.codeLength = codeLength
            self.interval = interval
            self.bindingMethod = bindingMethod
            self.publicKey = publicKey
            self.secret = secret
            self.otpauthURI = otpauthURI
            self.algorithm = algorithm
            self.digits = digits
            self.period = period
        }

        private enum CodingKeys: String, CodingKey {
            case challengeType = "challenge_type"
            case continuationToken = "continuation_token"
            case challengeTarget = "challenge_target"
            case challengeChannel = "challenge_channel"
            case codeLength = "code_length"
            case interval
            case bindingMethod = "binding_method"
            case publicKey = "public_key"
            case secret
            case otpauthURI = "otpauth_uri"
            case algorithm
            case digits
            case period
        }
    }
}

/// The methods of a second factor, or those that can be registered (docs/protocol.md §4.6, §4.9.1).
package struct IntrospectReply: Hashable, Sendable, Codable {
    @WireSecret package var continuationToken: Secret<String>?
    package var methods: [Method]?

    package init(continuationToken: Secret<String>?, methods: [Method]?) {
        self.continuationToken = continuationToken
        self.methods = methods
    }

    /// A way to receive a code.
    package struct Method: Hashable, Sendable, Codable {
        package var id: String
        /// `oob`; open.
        package var challengeType: String
        /// `email` or `sms`; open.
        package var challengeChannel: String
        /// The masked address of a second factor; for a method to register, the account's whole address.
        package var loginHint: String?

        package init(id: String, challengeType: String, challengeChannel: String, loginHint: String? = nil) {
            self.id = id
            self.challengeType = challengeType
            self.challengeChannel = challengeChannel
            self.loginHint = loginHint
        }

        private enum CodingKeys: String, CodingKey {
            case id
            case challengeType = "challenge_type"
            case challengeChannel = "challenge_channel"
            case loginHint = "login_hint"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
        case methods
    }
}
