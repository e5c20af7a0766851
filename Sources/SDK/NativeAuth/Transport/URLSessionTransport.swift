import NativeAuthCore

#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
    import Security
#endif

/// Sends requests with its own `URLSession`: nothing on disk, no cookies, no cache, no stored credentials, no
/// redirects; 10 s for the connection and 30 s in total (`SDK-NET-2`, `SDK-NET-4`); https, or http to this machine; the
/// system's certificate check, which an app cannot bypass (`SDK-NET-1`). Debug builds also accept the one certificate that the
/// environment variable `NATIVE_AUTH_EMULATOR` names by its fingerprint, at its address.
public struct URLSessionTransport: HTTPTransport {
    private let connection: Connection

    /// Makes a transport. Copies share connections.
    public init() {
        self.init(connectTimeout: .seconds(10))
    }

    /// The same as ``init()``, with other limits for the connection and in total.
    package init(connectTimeout: Duration, timeout: Duration = .seconds(30)) {
        connection = Connection(Exchanges(connectTimeout: connectTimeout, timeout: timeout))
    }

    /// Whether a watch for overdue requests is running. It ends soon after the last request.
    package var isWatching: Bool { connection.isWatching }

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
        urlRequest.allHTTPHeaderFields = request.headers
        if !request.body.isEmpty { urlRequest.httpBody = request.body }
        return try await connection.send(urlRequest)
    }
}

/// Whether `error` proves that no byte of the request was sent, because there was no connection. A lost connection or a
/// time-out does not prove it.
func provesNothingWasSent(_ error: any Error) -> Bool {
    guard let error = error as? URLError else { return false }
    if TLSFault(error) != nil { return true }
    let codes: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
        .internationalRoamingOff, .callIsActive, .dataNotAllowed, .appTransportSecurityRequiresSecureConnection,
    ]
    return codes.contains(error.code)
}

/// A session, which keeps its delegate alive until it is invalidated, which happens with the last transport.
private final class Connection: Sendable {
    /// The serial queue on which all sessions call their delegates. One queue is enough, because each call is short. It
    /// uses a Dispatch queue, which costs less than an operation queue's own and is not kept alive by it.
    private static let callbacks: OperationQueue = {
        let callbacks = OperationQueue()
        callbacks.maxConcurrentOperationCount = 1
        callbacks.underlyingQueue = serial
        return callbacks
    }()
    private static let serial = DispatchQueue(label: "NativeAuth.URLSessionTransport")

    private let exchanges: Exchanges
    private let session: URLSession

    init(_ exchanges: Exchanges) {
        self.exchanges = exchanges
        session = URLSession(
            configuration: URLSessionTransport.sessionConfiguration, delegate: exchanges,
            delegateQueue: Self.callbacks)
    }

    deinit {
        session.finishTasksAndInvalidate()
        exchanges.stopWatching()
    }

    var isWatching: Bool { exchanges.isWatching }

    func send(_ request: URLRequest) async throws -> TransportResponse {
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.begin(task, continuation)
                // Cancelled before the exchange was registered, so the handler below found nothing to abandon.
                if Task.isCancelled {
                    exchanges.abandon(task, with: CancellationError())
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            exchanges.abandon(task, with: CancellationError())
        }
    }
}

/// The received data by task, and a watch that ends overdue exchanges. A session has no limit for the connection, and
/// on Linux none in total.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange: Sendable {
        let task: URLSessionTask
        let continuation: CheckedContinuation<TransportResponse, any Error>
        let start: ContinuousClock.Instant
        /// When the watch checks the exchange.
        var deadline: ContinuousClock.Instant
        var body = Data()
    }

    private struct State: Sendable {
        var running: [Int: Exchange] = [:]
        /// One watch for all exchanges, because a task for each costs more than the rest of the bookkeeping. It sleeps
        /// until the earliest deadline, and ends when no exchange is running.
        var watch: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let connectTimeout: Duration
    private let timeout: Duration

    init(connectTimeout: Duration, timeout: Duration) {
        self.connectTimeout = connectTimeout
        self.timeout = timeout
    }

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        let start = ContinuousClock.now
        let exchange = Exchange(
            task: task, continuation: continuation, start: start, deadline: start + connectTimeout)
        state.withLock { state in
            state.running[task.taskIdentifier] = exchange
            if state.watch == nil { state.watch = Task { await watch() } }
        }
    }

    /// Ends an exchange; does nothing if it has already ended.
    private func end(_ task: URLSessionTask, with result: Result<TransportResponse, any Error>) {
        remove(task)?.continuation.resume(with: result)
    }

    /// Ends an exchange at once (`SDK-CANCEL-1`), before the session is told: the session would report its own error
    /// and may take longer. Does nothing if the exchange has already ended.
    func abandon(_ task: URLSessionTask, with error: any Error) {
        guard let exchange = remove(task) else { return }
        exchange.continuation.resume(throwing: error)
        task.cancel()
    }

    private func remove(_ task: URLSessionTask) -> Exchange? {
        state.withLock { $0.running.removeValue(forKey: task.taskIdentifier) }
    }

    // MARK: Time limits

    var isWatching: Bool { state.withLock { $0.watch != nil } }

    func stopWatching() {
        state.withLock { $0.watch }?.cancel()
    }

    private func watch() async {
        while let deadline = endOverdue(at: .now) {
            do {
                try await Task.sleep(until: deadline, clock: .continuous)
            } catch {
                return
            }
        }
    }

    /// Ends overdue exchanges, and returns when to check again; nil, which ends the watch, when no exchange is running.
    ///
    /// The next check is never later than the connection limit: a request that begins meanwhile is not due earlier.
    private func endOverdue(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let due = state.withLock { state in state.running.values.filter { $0.deadline <= now } }
        for exchange in due {
            let task = exchange.task
            let end = exchange.start + timeout
            // While nothing was sent or received, there may be no connection.
            if task.countOfBytesSent == 0, task.response == nil {
                abandon(task, with: TransportError.connectTimedOut)
            } else if end <= now {
                abandon(task, with: URLError(.timedOut))
            } else {
                state.withLock { $0.running[task.taskIdentifier]?.deadline = end }
            }
        }
        return state.withLock { state in
            let next = state.running.values.map(\.deadline).min()
            if next == nil { state.watch = nil }
            return next.map { min($0, now + connectTimeout) }
        }
    }

    // MARK: Delegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    // Not verified on this platform: it needs a device. Elsewhere the system's session has no such call.
    #if DEBUG && canImport(Darwin)
        private static let pinned = PinnedCertificate(emulator: ProcessInfo.processInfo.environment[Emulator.variable])

        /// Accepts the pinned certificate of a development server; the system judges every other one.
        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust,
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let own = chain.first,
                Self.pinned?.accepts(SecCertificateCopyData(own) as Data, of: space.host, port: space.port) == true
            else { return completionHandler(.performDefaultHandling, nil) }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    #endif

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            state.running[dataTask.taskIdentifier]?.body.append(data)
            return (state.running[dataTask.taskIdentifier]?.body.count ?? 0) > TransportResponse.maximumBodySize
        }
        if isTooLarge {
            abandon(dataTask, with: TransportError.responseTooLarge)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error {
            end(task, with: .failure(error))
        } else if let response = task.response as? HTTPURLResponse {
            let body = state.withLock { $0.running[task.taskIdentifier]?.body } ?? Data()
            var headers: [String: String] = [:]
            for case (let name as String, let value as String) in response.allHeaderFields {
                headers[name.lowercased()] = value
            }
            end(task, with: .success(TransportResponse(status: response.statusCode, lowercased: headers, body: body)))
        } else {
            end(task, with: .failure(TransportError.notHTTP))
        }
    }
}
