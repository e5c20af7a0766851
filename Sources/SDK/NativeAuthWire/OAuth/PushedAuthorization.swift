/// The answer to an authorization request that an application left (RFC 9126 §2.2).
package struct PushedAuthorizationReply: Hashable, Sendable, Codable {
    /// Stands for the request at the authorization endpoint, once.
    package var requestURI: String
    /// Seconds.
    package var expiresIn: Int

    package init(requestURI: String, expiresIn: Int) {
        self.requestURI = requestURI
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case requestURI = "request_uri"
        case expiresIn = "expires_in"
    }
}
