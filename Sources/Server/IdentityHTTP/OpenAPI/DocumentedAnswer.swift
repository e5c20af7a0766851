import HTTPTypes
import NativeAuthWire

/// An answer in the OpenAPI document.
struct DocumentedAnswer {
    /// The body.
    enum Body {
        case none
        case json(Schema)
        case page
        case text
        case nativeError(V1Failure)
        case directoryError(DirectoryFailure)
    }

    /// The headers of answers that clients act on.
    enum Header: String, CaseIterable {
        case retryAfter = "Retry-After"
        case challenge = "WWW-Authenticate"
        case allow = "Allow"
        case version = "ETag"
    }

    var status: Int
    var text: String
    var body: Body
    var headers: [Header] = []

    init(_ status: Int, _ text: String, _ body: Body = .none, headers: [Header] = []) {
        (self.status, self.text, self.body, self.headers) = (status, text, body, headers)
    }

    /// An error of the native API.
    init(_ failure: V1Failure) {
        let words = [failure.error.rawValue, failure.suberror?.rawValue].compactMap { $0 }.joined(separator: ", ")
        self.init(failure.status, "\(words), \(failure.code.rawValue): \(failure.text)", .nativeError(failure))
        if failure.retryAfter != nil { headers.append(.retryAfter) }
        if failure.allow != nil { headers.append(.allow) }
    }

    /// An error of the directory.
    init(_ failure: DirectoryFailure) {
        let words = [failure.code.rawValue, failure.detail].compactMap { $0 }.joined(separator: ", ")
        self.init(failure.status.code, "\(words): \(failure.message)", .directoryError(failure))
        if failure.headers[.retryAfter] != nil { headers.append(.retryAfter) }
        if failure.headers[.allow] != nil { headers.append(.allow) }
        if failure.headers[.wwwAuthenticate] != nil { headers.append(.challenge) }
    }
}
