package import NativeAuthCore

extension V1 {
    /// Requests and replies of the password reset (docs/protocol.md §4.8).
    package enum ResetPassword {}
}

extension V1.ResetPassword {
    /// `POST resetpassword/v1.0/start` (docs/protocol.md §4.8.1): the form of sign-in's start.
    package typealias StartRequest = V1.SignIn.InitiateRequest
    /// `POST resetpassword/v1.0/challenge` (docs/protocol.md §4.8.2): the form of sign-up's.
    package typealias ChallengeRequest = V1.SignUp.ChallengeRequest
    /// `POST resetpassword/v1.0/poll_completion` (docs/protocol.md §4.8.5): only the token.
    package typealias PollCompletionRequest = V1.SignIn.IntrospectRequest

    /// `POST resetpassword/v1.0/continue`: submits the code (docs/protocol.md §4.8.3).
    package struct ContinueRequest: FormRequest {
        package var clientID: String?
        package var continuationToken: Secret<String>?
        /// ``GrantType/oob``; for the registration of a method also ``GrantType/continuationToken``.
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

        package init(form: FormFields) throws(FormError) {
            clientID = try form.word(.clientID)
            continuationToken = try form.secret(.continuationToken)
            grantType = try form.word(.grantType).map(GrantType.init(rawValue:))
            oob = try form.secret(.oob)
        }

        package var form: FormFields {
            var form = FormFields()
            form.append(.clientID, clientID)
            form.append(.continuationToken, continuationToken)
            form.append(.grantType, grantType?.rawValue)
            form.append(.oob, oob)
            return form
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

        package init(form: FormFields) throws(FormError) {
            clientID = try form.word(.clientID)
            continuationToken = try form.secret(.continuationToken)
            newPassword = try form.secret(.newPassword)
        }

        package var form: FormFields {
            var form = FormFields()
            form.append(.clientID, clientID)
            form.append(.continuationToken, continuationToken)
            form.append(.newPassword, newPassword)
            return form
        }
    }

    /// The code was right (docs/protocol.md §4.8.3).
    package struct ContinueReply: Hashable, Sendable {
        package var continuationToken: Secret<String>?
        /// Seconds left to submit the password, at most 600.
        package var expiresIn: Int?

        package init(continuationToken: Secret<String>?, expiresIn: Int?) {
            self.continuationToken = continuationToken
            self.expiresIn = expiresIn
        }
    }

    /// The password was accepted (docs/protocol.md §4.8.4).
    package struct SubmitReply: Hashable, Sendable {
        package var continuationToken: Secret<String>?
        /// Seconds to wait between polls.
        package var pollInterval: Int?

        package init(continuationToken: Secret<String>?, pollInterval: Int?) {
            self.continuationToken = continuationToken
            self.pollInterval = pollInterval
        }
    }

    /// The progress of the reset (docs/protocol.md §4.8.5).
    package struct PollCompletionReply: Hashable, Sendable {
        package var status: Status
        /// With ``Status/succeeded`` for the token endpoint; with ``Status/failed`` for another submission.
        package var continuationToken: Secret<String>?

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
    }
}

// MARK: - Coding

extension V1.ResetPassword.ContinueReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
        case expiresIn = "expires_in"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        continuationToken = try container.secretIfPresent(.continuationToken)
        expiresIn = try container.decodeIfPresent(Int.self, forKey: .expiresIn)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(continuationToken, forKey: .continuationToken)
        try container.encodeIfPresent(expiresIn, forKey: .expiresIn)
    }
}

extension V1.ResetPassword.SubmitReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
        case pollInterval = "poll_interval"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        continuationToken = try container.secretIfPresent(.continuationToken)
        pollInterval = try container.decodeIfPresent(Int.self, forKey: .pollInterval)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(continuationToken, forKey: .continuationToken)
        try container.encodeIfPresent(pollInterval, forKey: .pollInterval)
    }
}

extension V1.ResetPassword.PollCompletionReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case status
        case continuationToken = "continuation_token"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Status.self, forKey: .status)
        continuationToken = try container.secretIfPresent(.continuationToken)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encodeIfPresent(continuationToken, forKey: .continuationToken)
    }
}
