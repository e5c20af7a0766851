public import PortableFoundation

/// Sends requests to the server. Apps use ``URLSessionTransport``; tests write their own.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns the answer with any status.
    ///
    /// Must not follow redirects, repeat the request, or keep cookies (`SDK-NET-2`, `SDK-NET-4`), and must throw soon
    /// after its task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request. Its description omits the body, which contains secrets (`SDK-LOG-1`).
public struct TransportRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// `POST`, or `GET` for the discovery document.
    public var method: String
    /// The target of the request.
    public var url: URL
    /// The headers by name; every name occurs once, regardless of letter case.
    public var headers: [String: String]
    /// The whole body.
    public var body: Data

    /// Describes a request.
    public init(method: String, url: URL, headers: [String: String], body: Data) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    public var description: String { "\(method) \(url) (\(body.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url]) }
}

/// An answer. Its description omits the body, which contains secrets (`SDK-LOG-1`).
public struct TransportResponse: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The largest body that is read, in bytes (`SDK-NET-3`).
    public static let maximumBodySize = 1_048_576

    /// The HTTP status.
    public var status: Int
    /// The headers, by name in lower case.
    public var headers: [String: String]
    /// The whole body, at most ``maximumBodySize`` bytes.
    public var body: Data

    /// Describes an answer; the names of `headers` are converted to lower case.
    public init(status: Int, headers: [String: String] = [:], body: Data) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = body
    }

    /// The same as ``init(status:headers:body:)``, for names that are already in lower case.
    init(status: Int, lowercased headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public var description: String { "\(status) (\(body.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

/// Why ``URLSessionTransport`` refused to send, or to read; other transports may throw these too.
public enum TransportError: Error, Hashable, Sendable {
    /// The URL is neither https nor http to this machine (`SDK-NET-1`).
    case insecureURL
    /// The answer is larger than ``TransportResponse/maximumBodySize``.
    case responseTooLarge
    /// The answer is not HTTP.
    case notHTTP
    /// There was no connection within 10 s (`SDK-NET-2`).
    case connectTimedOut
    /// The request may have arrived, but no answer came; or a transport took more than 40 s.
    case noAnswer
}
