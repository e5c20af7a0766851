package import NativeAuthCore

extension V1 {
    /// Requests of sign-up (docs/protocol.md §4.1–§4.3).
    package enum SignUp {}
}

extension V1.SignUp {
    /// `POST signup/v1.0/start` (docs/protocol.md §4.1).
    package struct StartRequest: FormRequest {
        package var clientID: String?
        package var username: String?
        package var password: Secret<String>?
        /// A JSON object as text; read it with ``AttributesJSON``.
        package var attributes: String?
        /// The words of `challenge_type`, not validated.
        package var challengeTypes: [String]?
        /// The words of `capabilities`, not validated.
        package var capabilities: [String]?

        package init(
            clientID: String?, username: String?, password: Secret<String>? = nil, attributes: String? = nil,
            challengeTypes: [String]?, capabilities: [String]? = nil
        ) {
            self.clientID = clientID
            self.username = username
            self.password = password
            self.attributes = attributes
            self.challengeTypes = challengeTypes
            self.capabilities = capabilities
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.single(.username, &username)
            try coder.secret(.password, &password)
            try coder.single(.attributes, &attributes)
            try coder.list(.challengeType, &challengeTypes)
            try coder.capabilities(&capabilities)
        }
    }

    /// `POST signup/v1.0/challenge`: sends a code, sends it again, or asks for the password (docs/protocol.md §4.2).
    package struct ChallengeRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// The words of `challenge_type`, not validated; may be missing.
        package var challengeTypes: [String]?
        /// The address of a sign-up that a provider began without one.
        package var challengeTarget: String?

        package init(
            clientID: String?, continuationToken: Secret<String>?, challengeTypes: [String]? = nil,
            challengeTarget: String? = nil
        ) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.challengeTypes = challengeTypes
            self.challengeTarget = challengeTarget
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.list(.challengeType, &challengeTypes)
            try coder.single(.challengeTarget, &challengeTarget)
        }
    }

    /// `POST signup/v1.0/continue`: submits a code, a password or attributes (docs/protocol.md §4.3).
    package struct ContinueRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// ``GrantType/oob``, ``GrantType/password`` or ``GrantType/attributes``.
        package var grantType: GrantType?
        package var oob: Secret<String>?
        package var password: Secret<String>?
        /// A JSON object as text; read it with ``AttributesJSON``.
        package var attributes: String?

        package init(
            clientID: String?, continuationToken: Secret<String>?, grantType: GrantType?, oob: Secret<String>? = nil,
            password: Secret<String>? = nil, attributes: String? = nil
        ) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.grantType = grantType
            self.oob = oob
            self.password = password
            self.attributes = attributes
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.word(.grantType, &grantType)
            try coder.secret(.oob, &oob)
            try coder.secret(.password, &password)
            try coder.single(.attributes, &attributes)
        }
    }
}
