#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Carries requests to the server. ``URLSessionTransport`` is the one for apps; tests write their own.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns the answer, whatever its status.
    ///
    /// Must not follow redirects, repeat the request, or keep cookies (`SDK-NET-2`, `SDK-NET-4`), and must throw soon after
    /// its task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request. It prints without its body, which holds secrets (`SDK-LOG-1`).
public struct TransportRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// `POST`, or `GET` for the discovery document.
    public var method: String
    /// Where it goes.
    public var url: URL
    /// By name; every name occurs once, without regard to letter case.
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

/// An answer. It prints without its body, which holds secrets (`SDK-LOG-1`).
public struct TransportResponse: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The largest body that is read, in bytes (`SDK-NET-3`).
    public static let maximumBodySize = 1_048_576

    /// The HTTP status.
    public var status: Int
    /// By name in lower case.
    public var headers: [String: String]
    /// The whole body, at most ``maximumBodySize`` bytes.
    public var body: Data

    /// Describes an answer; the names of `headers` are put in lower case.
    public init(status: Int, headers: [String: String] = [:], body: Data) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = body
    }

    /// As ``init(status:headers:body:)``, where the names are in lower case already.
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
    /// Neither https nor http to this machine (`SDK-NET-1`).
    case insecureURL
    /// The answer is larger than ``TransportResponse/maximumBodySize``.
    case responseTooLarge
    /// The answer is not HTTP.
    case notHTTP
    /// There was no connection within 10 s (`SDK-NET-2`).
    case connectTimedOut
    /// The request may have arrived, but the answer did not; or a transport took more than 40 s.
    case noAnswer
}
