package import NativeAuthCore

extension V1 {
    /// Requests of sign-in and of its second factor (docs/protocol.md §4.4–§4.6).
    package enum SignIn {}
}

extension V1.SignIn {
    /// `POST oauth2/v2.0/initiate` (docs/protocol.md §4.4).
    package struct InitiateRequest: FormRequest {
        package var clientID: String?
        /// An e-mail address or an alias.
        package var username: String?
        /// The words of `challenge_type`, not validated.
        package var challengeTypes: [String]?
        /// The words of `capabilities`, not validated.
        package var capabilities: [String]?
        /// The provider that signs the user in, in place of a username.
        package var provider: String?

        package init(
            clientID: String?, username: String?, challengeTypes: [String]?, capabilities: [String]? = nil,
            provider: String? = nil
        ) {
            self.clientID = clientID
            self.username = username
            self.challengeTypes = challengeTypes
            self.capabilities = capabilities
            self.provider = provider
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.single(.username, &username)
            try coder.list(.challengeType, &challengeTypes)
            try coder.capabilities(&capabilities)
            try coder.single(.provider, &provider)
        }
    }

    /// `POST oauth2/v2.0/challenge`: sends a code, sends it again, or asks for the password (docs/protocol.md §4.5).
    package struct ChallengeRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// The words of `challenge_type`, not validated; may be missing.
        package var challengeTypes: [String]?
        /// The method of a second factor: ``IntrospectReply/Method/id``.
        package var id: String?

        package init(
            clientID: String?, continuationToken: Secret<String>?, challengeTypes: [String]? = nil, id: String? = nil
        ) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.challengeTypes = challengeTypes
            self.id = id
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.list(.challengeType, &challengeTypes)
            try coder.single(.id, &id)
        }
    }

    /// `POST oauth2/v2.0/introspect`: asks for the methods of a second factor (docs/protocol.md §4.6).
    package struct IntrospectRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?

        package init(clientID: String?, continuationToken: Secret<String>?) {
            self.clientID = clientID
            self.continuationToken = continuationToken
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
        }
    }
}
