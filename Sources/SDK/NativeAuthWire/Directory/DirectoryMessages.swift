/// The paths of the directory API below a server's base URL (docs/protocol.md §18).
package enum DirectoryEndpoint: String, Hashable, Sendable, CaseIterable {
    case me = "graph/v1.0/me"
}

/// The codes of the directory's errors (docs/protocol.md §18.3).
package enum DirectoryErrorCode: String, Hashable, Sendable, Codable, CaseIterable {
    case badRequest = "Request_BadRequest"
    case invalidToken = "InvalidAuthenticationToken"
    case denied = "Authorization_RequestDenied"
    case notFound = "Request_ResourceNotFound"
    case preconditionFailed = "PreconditionFailed"
    case tooManyRequests = "TooManyRequests"
    case unavailable = "serviceNotAvailable"
}

/// An error of the directory.
package struct DirectoryErrorReply: Codable, Hashable, Sendable {
    package struct Failure: Codable, Hashable, Sendable {
        package var code: String
        /// For developers; clients decide by the code.
        package var message: String
        /// The property that the error is about.
        package var target: String?
        package var innerError: Inner?
    }

    package struct Inner: Codable, Hashable, Sendable {
        /// UTC, whole seconds, such as `2026-11-22T23:10:00`.
        package var date: String
        package var requestID: String
        package var clientRequestID: String

        private enum CodingKeys: String, CodingKey {
            case date
            case requestID = "request-id"
            case clientRequestID = "client-request-id"
        }

        package init(date: String, requestID: String, clientRequestID: String) {
            self.date = date
            self.requestID = requestID
            self.clientRequestID = clientRequestID
        }
    }

    package var error: Failure

    package init(code: DirectoryErrorCode, message: String, target: String? = nil, innerError: Inner? = nil) {
        error = Failure(code: code.rawValue, message: message, target: target, innerError: innerError)
    }
}
