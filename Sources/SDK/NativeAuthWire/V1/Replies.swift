package import NativeAuthCore

/// The success of a step that only advances the flow (docs/protocol.md §4.1, §4.3).
package struct ContinuationReply: Hashable, Sendable {
    /// Servers always send it; clients tolerate its absence after the last step of sign-up (docs/protocol.md §16, row
    /// 18).
    @WireSecret package var continuationToken: Secret<String>?
    /// A hint for the developer, from a server in its development profile; clients ignore it.
    package var description: String?

    package init(continuationToken: Secret<String>?, description: String? = nil) {
        self.continuationToken = continuationToken
        self.description = description
    }
}

/// The answer to a challenge: a code was sent, or a password is required (docs/protocol.md §4.2).
package struct ChallengeReply: Hashable, Sendable, Decodable, JSONObjectWritable {
    /// Servers always send it.
    package var challengeType: ChallengeType?
    @WireSecret package var continuationToken: Secret<String>?
    /// `email` or `sms`.
    package var challengeChannel: String?
    /// The masked address that the code was sent to.
    package var challengeTargetLabel: String?
    /// The number of characters of the code.
    package var codeLength: Int?
    /// Seconds to wait before asking for another code.
    package var interval: Int?
    /// `prompt`.
    package var bindingMethod: String?
    /// What an authenticator needs to sign with a passkey: `PublicKeyCredentialRequestOptionsJSON` (WebAuthn section 5.1).
    package var publicKey: JSONValue?
    /// The provider that is to sign the user in.
    package var provider: String?
    /// What the app hands to the provider, unchanged.
    package var nonce: String?
    /// How long the nonce is valid, in seconds.
    package var expiresIn: Int?
    /// For how many seconds the second factor can be left out on this device, if the user wants that.
    package var rememberDeviceFor: Int?

    package init(
        challengeType: ChallengeType?, continuationToken: Secret<String>?, challengeChannel: String? = nil,
        challengeTargetLabel: String? = nil, codeLength: Int? = nil, interval: Int? = nil, bindingMethod: String? = nil,
        publicKey: JSONValue? = nil, provider: String? = nil, nonce: String? = nil, expiresIn: Int? = nil
    ) {
        self.challengeType = challengeType
        self.continuationToken = continuationToken
        self.challengeChannel = challengeChannel
        self.challengeTargetLabel = challengeTargetLabel
        self.codeLength = codeLength
        self.interval = interval
        self.bindingMethod = bindingMethod
        self.publicKey = publicKey
        self.provider = provider
        self.nonce = nonce
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
        case provider, nonce
        case expiresIn = "expires_in"
        case rememberDeviceFor = "remember_device_for"
        case challengeType = "challenge_type"
        case continuationToken = "continuation_token"
        case challengeChannel = "challenge_channel"
        case challengeTargetLabel = "challenge_target_label"
        case codeLength = "code_length"
        case interval
        case bindingMethod = "binding_method"
    }

    package func write(to object: inout JSONObjectText) throws {
        object.add("binding_method", bindingMethod)
        object.add("challenge_channel", challengeChannel)
        object.add("challenge_target_label", challengeTargetLabel)
        object.add("challenge_type", challengeType?.rawValue)
        object.add("code_length", codeLength)
        object.add("continuation_token", continuationToken?.reveal())
        object.add("expires_in", expiresIn)
        object.add("interval", interval)
        object.add("nonce", nonce)
        object.add("provider", provider)
        try object.add("public_key", encoding: publicKey)
        object.add("remember_device_for", rememberDeviceFor)
    }
}

/// The success that sends the user to a browser (docs/protocol.md §3.4).
package struct RedirectReply: Hashable, Sendable {
    /// The reason, in the server's text.
    package var redirectReason: String?

    package init(redirectReason: String? = nil) {
        self.redirectReason = redirectReason
    }
}

/// The two members by which a client recognises a redirect at any endpoint (docs/protocol.md §2.5: a `challenge_type`
/// that is not one of the three words makes the whole reply unreadable).
package struct ReplyHead: Hashable, Sendable, Decodable {
    /// Nil when missing, and for the further word that a registration may answer.
    package var challengeType: ChallengeType?
    package var redirectReason: String?

    private enum CodingKeys: String, CodingKey {
        case challengeType = "challenge_type"
        case redirectReason = "redirect_reason"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let word = try container.decodeIfPresent(String.self, forKey: .challengeType)
        challengeType =
            word == V1.Register.ChallengeReply.preverified
            ? nil : try container.decodeIfPresent(ChallengeType.self, forKey: .challengeType)
        redirectReason = try container.decodeIfPresent(String.self, forKey: .redirectReason)
    }
}

/// A refusal (docs/protocol.md §3.5). Sent with status 400.
package struct ErrorReply: Hashable, Sendable, Decodable, JSONObjectWritable {
    package var error: WireErrorCode
    package var suberror: WireSuberror?
    /// `AADSTS<number>: text`, then lines with trace ID, correlation ID and time.
    package var errorDescription: String?
    /// Never empty when sent (docs/protocol.md §14.3).
    package var errorCodes: [Int]?
    package var errorURI: String?
    package var innerErrors: [InnerError]?
    /// `YYYY-MM-DD HH:MM:SSZ`.
    package var timestamp: String?
    package var traceID: String?
    package var correlationID: String?
    /// Present only when the flow continues.
    @WireSecret package var continuationToken: Secret<String>?
    @WireAttributes package var requiredAttributes: [RequiredAttribute]?
    package var invalidAttributes: [AttributeName]?
    package var unverifiedAttributes: [AttributeName]?

    /// An error inside an error.
    package struct InnerError: Hashable, Sendable, Codable {
        package var error: String?
        package var errorDescription: String?

        private enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }

    /// An attribute with only its name.
    package struct AttributeName: Hashable, Sendable, Codable {
        package var name: String

        package init(name: String) {
            self.name = name
        }
    }

    package init(
        error: WireErrorCode, suberror: WireSuberror? = nil, errorDescription: String? = nil,
        errorCodes: [Int]? = nil, errorURI: String? = nil, innerErrors: [InnerError]? = nil, timestamp: String? = nil,
        traceID: String? = nil, correlationID: String? = nil, continuationToken: Secret<String>? = nil,
        requiredAttributes: [RequiredAttribute]? = nil, invalidAttributes: [AttributeName]? = nil,
        unverifiedAttributes: [AttributeName]? = nil
    ) {
        self.error = error
        self.suberror = suberror
        self.errorDescription = errorDescription
        self.errorCodes = errorCodes
        self.errorURI = errorURI
        self.innerErrors = innerErrors
        self.timestamp = timestamp
        self.traceID = traceID
        self.correlationID = correlationID
        self.continuationToken = continuationToken
        self.requiredAttributes = requiredAttributes
        self.invalidAttributes = invalidAttributes
        self.unverifiedAttributes = unverifiedAttributes
    }

    private enum CodingKeys: String, CodingKey {
        case error
        case suberror
        case errorDescription = "error_description"
        case errorCodes = "error_codes"
        case errorURI = "error_uri"
        case innerErrors = "inner_errors"
        case timestamp
        case traceID = "trace_id"
        case correlationID = "correlation_id"
        case continuationToken = "continuation_token"
        case requiredAttributes = "required_attributes"
        case invalidAttributes = "invalid_attributes"
        case unverifiedAttributes = "unverified_attributes"
    }

    package func write(to object: inout JSONObjectText) throws {
        object.add("continuation_token", continuationToken?.reveal())
        object.add("correlation_id", correlationID)
        object.add("error", error.rawValue)
        object.add("error_codes", errorCodes)
        object.add("error_description", errorDescription)
        object.add("error_uri", errorURI)
        try object.add("inner_errors", encoding: innerErrors)
        try object.add("invalid_attributes", encoding: invalidAttributes)
        try object.add("required_attributes", encoding: requiredAttributes.map { _ in _requiredAttributes })
        object.add("suberror", suberror?.rawValue)
        object.add("timestamp", timestamp)
        object.add("trace_id", traceID)
        try object.add("unverified_attributes", encoding: unverifiedAttributes)
    }
}

// MARK: - Coding

extension ContinuationReply: Decodable, JSONObjectWritable {
    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        _continuationToken = try container.decode(WireSecret.self, forKey: .continuationToken)
    }

    package func write(to object: inout JSONObjectText) {
        object.add("continuation_token", continuationToken?.reveal())
        object.add("description", description)
    }
}

extension RedirectReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case challengeType = "challenge_type"
        case redirectReason = "redirect_reason"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(ChallengeType.self, forKey: .challengeType) == .redirect else {
            throw DecodingError.dataCorruptedError(
                forKey: .challengeType, in: container, debugDescription: "Not a redirect.")
        }
        redirectReason = try container.decodeIfPresent(String.self, forKey: .redirectReason)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ChallengeType.redirect, forKey: .challengeType)
        try container.encodeIfPresent(redirectReason, forKey: .redirectReason)
    }
}
