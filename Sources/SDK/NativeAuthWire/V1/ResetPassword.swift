package import NativeAuthCore

extension V1 {
    /// Requests and replies of the password reset (docs/protocol.md §4.8).
    package enum ResetPassword {}
}

extension V1.ResetPassword {
    /// `POST resetpassword/v1.0/start` (docs/protocol.md §4.8.1): the form of sign-in's start.
    package typealias StartRequest = V1.SignIn.InitiateRequest
    /// `POST resetpassword/v1.0/challenge` (docs/protocol.md §4.8.2): the form of sign-up's.
    package struct ChallengeRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// The words of `challenge_type`, not validated; may be missing.
        package var challengeTypes: [String]?

        package init(clientID: String?, continuationToken: Secret<String>?, challengeTypes: [String]? = nil) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.challengeTypes = challengeTypes
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.list(.challengeType, &challengeTypes)
        }
    }
    /// `POST resetpassword/v1.0/poll_completion` (docs/protocol.md §4.8.5): only the token.
    package typealias PollCompletionRequest = V1.SignIn.IntrospectRequest

    /// `POST resetpassword/v1.0/continue`: submits the code (docs/protocol.md §4.8.3).
    package struct ContinueRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// ``GrantType/oob``.
        package var grantType: GrantType?
        package var oob: Secret<String>?

        package init(
            clientID: String?, continuationToken: Secret<String>?, grantType: GrantType?, oob: Secret<String>? = nil
        ) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.grantType = grantType
            self.oob = oob
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.word(.grantType, &grantType)
            try coder.secret(.oob, &oob)
        }
    }

    /// `POST resetpassword/v1.0/submit` (docs/protocol.md §4.8.4).
    package struct SubmitRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        package var newPassword: Secret<String>?

        package init(clientID: String?, continuationToken: Secret<String>?, newPassword: Secret<String>?) {
            self.clientID = clientID
            self.continuationToken = continuationToken
            self.newPassword = newPassword
        }

        package init() {}

        package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.word(.clientID, &clientID)
            try coder.secret(.continuationToken, &continuationToken)
            try coder.secret(.newPassword, &newPassword)
        }
    }

    /// The code was right (docs/protocol.md §4.8.3).
    package struct ContinueReply: Hashable, Sendable, Codable {
        @WireSecret package var continuationToken: Secret<String>?
        /// Seconds left to submit the password, at most 600.
        package var expiresIn: Int?

        package init(continuationToken: Secret<String>?, expiresIn: Int?) {
            self.continuationToken = continuationToken
            self.expiresIn = expiresIn
        }

        private enum CodingKeys: String, CodingKey {
            case continuationToken = "continuation_token"
            case expiresIn = "expires_in"
        }
    }

    /// The password was accepted (docs/protocol.md §4.8.4).
    package struct SubmitReply: Hashable, Sendable, Codable {
        @WireSecret package var continuationToken: Secret<String>?
        /// Seconds to wait between polls.
        package var pollInterval: Int?

        package init(continuationToken: Secret<String>?, pollInterval: Int?) {
            self.continuationToken = continuationToken
            self.pollInterval = pollInterval
        }

        private enum CodingKeys: String, CodingKey {
            case continuationToken = "continuation_token"
            case pollInterval = "poll_interval"
        }
    }

    /// The progress of the reset (docs/protocol.md §4.8.5).
    package struct PollCompletionReply: Hashable, Sendable, Codable {
        package var status: Status
        /// With ``Status/succeeded`` for the token endpoint; with ``Status/failed`` for another submission.
        @WireSecret package var continuationToken: Secret<String>?

        package init(status: Status, continuationToken: Secret<String>? = nil) {
            self.status = status
            self.continuationToken = continuationToken
        }

        /// The member `status`. Open: unlisted values are kept.
        package struct Status: RawRepresentable, Hashable, Sendable, Codable {
            package var rawValue: String

            package init(rawValue: String) {
                self.rawValue = rawValue
            }

            package static let failed = Self(rawValue: "failed")
            package static let inProgress = Self(rawValue: "in_progress")
            package static let notStarted = Self(rawValue: "not_started")
            package static let succeeded = Self(rawValue: "succeeded")
        }

        private enum CodingKeys: String, CodingKey {
            case status
            case continuationToken = "continuation_token"
        }
    }
}
