import NativeAuthCore

#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// Sends requests with a `URLSession` of its own: nothing on disk, no cookies, no cache, no stored credentials, no redirects;
/// 10 s for the connection and 30 s for the whole (`SDK-NET-2`, `SDK-NET-4`); https, or http to this machine; the system's
/// trust, with no way around it (`SDK-NET-1`).
public struct URLSessionTransport: HTTPTransport {
    private let connection: Connection

    /// Makes a transport. Copies share connections.
    public init() {
        self.init(connectTimeout: .seconds(10))
    }

    /// As ``init()``, with another limit for the connection.
    package init(connectTimeout: Duration) {
        connection = Connection(connectTimeout: connectTimeout)
    }

    /// The settings of the session.
    package static var sessionConfiguration: URLSessionConfiguration {
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
        return configuration
    }

    /// - Throws: ``TransportError``, `CancellationError`, or the `URLError` of the session.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard Authority.isSecure(request.url) else { throw TransportError.insecureURL }
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

/// Whether `error` says that no byte of the request can have left: there was no connection. A lost connection or a time-out
/// says nothing about that.
func provesNothingWasSent(_ error: any Error) -> Bool {
    guard let error = error as? URLError else { return false }
    let codes: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
        .internationalRoamingOff, .callIsActive, .dataNotAllowed, .secureConnectionFailed,
        .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
        .appTransportSecurityRequiresSecureConnection,
    ]
    return codes.contains(error.code)
}

/// A session, which keeps its delegate alive until it is told to stop: that is when the last transport is gone.
private final class Connection: Sendable {
    private let exchanges = Exchanges()
    private let session: URLSession
    private let connectTimeout: Duration

    init(connectTimeout: Duration) {
        self.connectTimeout = connectTimeout
        session = URLSession(
            configuration: URLSessionTransport.sessionConfiguration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    func send(_ request: URLRequest) async throws -> TransportResponse {
        let task = session.dataTask(with: request)
        let identifier = task.taskIdentifier
        // A session has no limit of its own for the connection. As long as nothing was sent or received there may be none.
        let deadline = Task { [exchanges, connectTimeout] in
            try await Task.sleep(for: connectTimeout)
            guard task.countOfBytesSent == 0, task.response == nil else { return }
            exchanges.end(identifier, with: .failure(TransportError.connectTimedOut))
            task.cancel()
        }
        defer { deadline.cancel() }
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
