package import NativeAuthCore

/// `POST oauth2/v2.0/devicecode` (RFC 8628 §3.1).
package struct DeviceAuthorizationRequest: FormRequest {
    package var clientID: String?
    /// The words of `scope`, not validated.
    package var scopes: [String]?
    /// A claims request: JSON as text.
    package var claims: String?
    package var clientSecret: Secret<String>?
    package var clientAssertionType: String?
    package var clientAssertion: Secret<String>?

    package init(clientID: String?, scopes: [String]?, claims: String? = nil) {
        self.clientID = clientID
        self.scopes = scopes
        self.claims = claims
    }

    package init() {}

    package mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.word(.clientID, &clientID)
        try coder.list(.scope, &scopes)
        try coder.single(.claims, &claims)
        try coder.secret(.clientSecret, &clientSecret)
        try coder.word(.clientAssertionType, &clientAssertionType)
        try coder.secret(.clientAssertion, &clientAssertion)
    }
}

/// The codes of a device that waits for its user (RFC 8628 §3.2).
package struct DeviceAuthorizationReply: Hashable, Sendable, Codable {
    @WireSecret package var deviceCode: Secret<String>?
    package var userCode: String
    package var verificationURI: String
    /// Seconds.
    package var expiresIn: Int
    /// Seconds.
    package var interval: Int
    /// What a device without words of its own can show.
    package var message: String

    package init(
        deviceCode: Secret<String>, userCode: String, verificationURI: String, expiresIn: Int, interval: Int,
        message: String
    ) {
        _deviceCode = WireSecret(wrappedValue: deviceCode)
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.expiresIn = expiresIn
        self.interval = interval
        self.message = message
    }

    private enum CodingKeys: String, CodingKey {
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case expiresIn = "expires_in"
        case interval
        case message
    }
}
