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

        package init(
            clientID: String?, username: String?, challengeTypes: [String]?, capabilities: [String]? = nil
        ) {
            self.clientID = clientID
            self.username = username
            self.challengeTypes = challengeTypes
            self.capabilities = capabilities
        }

        package init(form: FormFields) throws(FormError) {
            clientID = try form.word(.clientID)
            username = try form.single(.username)
            challengeTypes = try form.list(.challengeType)
            capabilities = try form.capabilities()
        }

        package var form: FormFields {
            var form = FormFields()
            form.append(.clientID, clientID)
            form.append(.username, username)
            form.append(.challengeType, challengeTypes)
            form.append(.capabilities, capabilities)
            return form
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

        package init(form: FormFields) throws(FormError) {
            clientID = try form.word(.clientID)
            continuationToken = try form.secret(.continuationToken)
            challengeTypes = try form.list(.challengeType)
            id = try form.single(.id)
        }

        package var form: FormFields {
            var form = FormFields()
            form.append(.clientID, clientID)
            form.append(.continuationToken, continuationToken)
            form.append(.challengeType, challengeTypes)
            form.append(.id, id)
            return form
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

        package init(form: FormFields) throws(FormError) {
            clientID = try form.word(.clientID)
            continuationToken = try form.secret(.continuationToken)
        }

        package var form: FormFields {
            var form = FormFields()
            form.append(.clientID, clientID)
            form.append(.continuationToken, continuationToken)
            return form
        }
    }
}

extension FormFields {
    /// The words of `capabilities`. An older edition of the reference calls it `capability` and separates by commas
    /// (docs/protocol.md §16).
    func capabilities() throws(FormError) -> [String]? {
        let capability = try list(.capability, alsoAtCommas: true)
        let capabilities = try list(.capabilities, alsoAtCommas: true)
        guard capability == nil || capabilities == nil else { throw .repeated("capabilities") }
        return capabilities ?? capability
    }
}
