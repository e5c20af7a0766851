import Foundation
import NativeAuthCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with a `URLSession` of its own: nothing on disk, no cookies, no cache, no stored credentials, no
/// redirects, 30 s at most (`SDK-NET-2`, `SDK-NET-4`); https, or http to this machine (`SDK-NET-1`).
public struct URLSessionTransport: HTTPTransport {
    private let connection: Connection

    /// Makes a transport. Copies share connections.
    public init() {
        connection = Connection()
    }

    /// - Throws: ``TransportError``, `CancellationError`, or the `URLError` of the session.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let scheme = request.url.scheme?.lowercased()
        let isLoopback = Authority.isLoopback(request.url.host(percentEncoded: true)?.lowercased() ?? "")
        guard scheme == "https" || (scheme == "http" && isLoopback) else { throw TransportError.insecureURL }
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        urlRequest.httpShouldHandleCookies = false
        for (name, value) in request.headers {
            urlRequest.setValue(value, forHTTPHeaderField: name)
        }
        if !request.body.isEmpty { urlRequest.httpBody = request.body }
        return try await connection.send(urlRequest)
    }
}

/// A session, which keeps its delegate alive until it is told to stop: that is when the last transport is gone.
private final class Connection: Sendable {
    private let exchanges = Exchanges()
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 30
        configuration.timeoutIntervalForResource = 30
        #if !canImport(FoundationNetworking)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    func send(_ request: URLRequest) async throws -> TransportResponse {
        let task = session.dataTask(with: request)
        let identifier = task.taskIdentifier
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.begin(identifier, continuation)
                // Cancelled before the exchange was known, so the handler below found nothing to end.
                if Task.isCancelled {
                    exchanges.end(identifier, with: .failure(CancellationError()))
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            // Ends the wait at once (`SDK-CANCEL-1`): the session may take longer to report.
            exchanges.end(identifier, with: .failure(CancellationError()))
            task.cancel()
        }
    }
}

/// What has arrived so far, by task.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange: Sendable {
        let continuation: CheckedContinuation<TransportResponse, any Error>
        var body = Data()
    }

    private let running = Locked<[Int: Exchange]>([:])

    func begin(_ identifier: Int, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        running.withLock { $0[identifier] = Exchange(continuation: continuation) }
    }

    /// Ends an exchange; nothing if it has ended already.
    func end(_ identifier: Int, with result: Result<TransportResponse, any Error>) {
        running.withLock { $0.removeValue(forKey: identifier) }?.continuation.resume(with: result)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = running.withLock { running in
            running[dataTask.taskIdentifier]?.body.append(data)
            return (running[dataTask.taskIdentifier]?.body.count ?? 0) > TransportResponse.maximumBodySize
        }
        if isTooLarge {
            end(dataTask.taskIdentifier, with: .failure(TransportError.responseTooLarge))
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let identifier = task.taskIdentifier
        if let error {
            end(identifier, with: .failure(error))
        } else if let response = task.response as? HTTPURLResponse {
            let body = running.withLock { $0[identifier]?.body } ?? Data()
            var headers: [String: String] = [:]
            for case (let name as String, let value as String) in response.allHeaderFields {
                headers[name] = value
            }
            end(
                identifier,
                with: .success(TransportResponse(status: response.statusCode, headers: headers, body: body)))
        } else {
            end(identifier, with: .failure(TransportError.notHTTP))
        }
    }
}
