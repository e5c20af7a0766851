import HTTPTypes
package import Hummingbird
package import IdentityEngine
package import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NativeAuthCore
import NativeAuthWire
import PortableFoundation
import Tracing

/// The data that every request carries through the router.
package struct IdentityRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request's trace, with its one reading of the clock. Set by ``RequestGuard``.
    package var trace: Trace
    /// The remote end of the connection; nil for a request over no socket, and for a client that has closed already.
    package var peer: IPAddress?
    /// Whether the request came over a socket.
    private(set) var isRemote = false
    /// The source of the request: the peer, or a client behind a trusted proxy. Set by ``RequestGuard``; nil when
    /// ``peer`` is nil.
    var source: SourceAddress?
    /// Set by the listener, before the router.
    package var policy = AccessPolicy()
    /// The server that answers. Set by the listener, before the router.
    package var routes: IdentityRoutes?
    /// The number of the answered error, for the log; nil when there is none.
    let errorCode = Locked<Int?>(nil)

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        trace = .unset
        peer = IPAddress(source.channel.remoteAddress)
        isRemote = true
    }

    /// A context for a request over no socket.
    ///
    /// - Parameter peer: For tests: the assumed peer.
    package init(logger: Logger, peer: IPAddress? = nil) {
        struct Source: RequestContextSource {
            let logger: Logger
        }
        coreContext = .init(source: Source(logger: logger))
        trace = .unset
        self.peer = peer
    }

    /// The server that answers.
    func server() throws(RequestFault) -> IdentityRoutes {
        guard let routes else { throw .broken }
        return routes
    }
}

/// The outermost middleware: sets a request's trace and source, enforces the limits, turns every error into the
/// documented JSON, and writes one log line.
///
/// The log line holds the route's template, the status, the error number, the duration and the trace ID. Of the
/// client's input it holds only the request's name, if that is a harmless word (`SEC-LOG-1` to `SEC-LOG-3`).
struct RequestGuard: RouterMiddleware {
    typealias Context = IdentityRequestContext

    /// `SEC-NET-5`.
    static let longestBody = 64 * 1024
    static let longestHeaders = 16 * 1024
    static let mostHeaders = 100
    static let longestURI = 8 * 1024

    let randomness: any Randomness
    let clock: any WallClock
    let readiness: Readiness
    /// Whether errors below `/console` are pages.
    var hasConsole = false
    /// Whether requests are traced, through swift-distributed-tracing.
    var tracesRequests = false

    /// For a year (RFC 6797).
    private static let httpsOnly = "max-age=31536000"

    private static let storeFailures = Counter(label: "native_auth_store_failures")

    /// The refusal of a first step without a free place, made on the event loop, with the same content as from
    /// ``handle(_:context:next:)``.
    ///
    /// - Parameter id: The client's name for the request, if it sent one.
    func refusal(toClientRequest id: String?) -> V1Codec.Reply {
        V1Codec.reply(.unavailable(retryAfter: seconds(1...3)), trace: trace(ofClientRequest: id))
    }

    /// The methods of RFC 9110 section 9 that a route may have.
    static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

    /// The refusal of another method, before a route is looked for.
    func refusal(toMethodOf request: Request) -> Response {
        let id = request.headers[IdentityHeader.clientRequestID]
        return Self.response(
            V1Codec.reply(
                .wrongMethod(allowed: "GET, HEAD, POST, PUT, PATCH, DELETE"), trace: trace(ofClientRequest: id)))
    }

    private func trace(ofClientRequest id: String?) -> Trace {
        Trace(
            id: randomness.uuid(), correlationID: id.flatMap { UUID(text: $0) } ?? randomness.uuid(), at: clock.now)
    }

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let route = context.endpointPath ?? "none"
        var context = context
        context.trace = trace(ofClientRequest: request.headers[IdentityHeader.clientRequestID])
        guard tracesRequests, !AccessPolicy.isHealthCheck(route) else {
            return await answer(request, context, next)
        }
        var parent = ServiceContext.topLevel
        // Which trace a request belongs to is said by the operator's proxy, and not by a client.
        if let peer = context.peer, context.policy.trustedProxies.networks.contains(peer) {
            InstrumentationSystem.tracer.extract(request.headers, into: &parent, using: HeaderFields())
        }
        let span = startSpan("\(request.method) \(route)", context: parent, ofKind: .server)
        InstrumentationSystem.tracer.inject(span.context, into: &context.trace.span, using: SpanText())
        let response = await ServiceContext.withValue(span.context) { await answer(request, context, next) }
        span.updateAttributes { attributes in
            attributes["http.request.method"] = request.method.rawValue
            attributes["http.route"] = route
            attributes["http.response.status_code"] = response.status.code
            attributes["native_auth.trace_id"] = context.trace.id.text
            if let code = context.errorCode.withLock({ $0 }) { attributes["native_auth.error"] = code }
        }
        if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        // What a limit refused leaves no span: a flood would fill the queue.
        if response.status != .tooManyRequests { span.end() }
        return response
    }

    /// Finds `traceparent` among the fields of a request.
    private struct HeaderFields: Extractor {
        func extract(key: String, from carrier: HTTPFields) -> String? { HTTPField.Name(key).flatMap { carrier[$0] } }
    }

    /// Writes `traceparent` alone.
    private struct SpanText: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout String?) {
            if key == "traceparent" { carrier = value }
        }
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: @concurrent (Request, Context) async throws -> Response
    ) async -> Response {
        let started = ContinuousClock.now
        var context = context
        context.logger[metadataKey: "trace"] = "\(context.trace.id.text)"

        var response: Response
        do {
            try Self.checkLimits(request)
            context.source = source(of: request, context)
            try checkPolicy(request, context)
            // Probes and documents have no effect that could come too late.
            if [.post, .patch, .delete].contains(request.method), readiness.isBackFromPause() {
                throw RequestFault.unavailable(retryAfter: seconds(1...3))
            }
            response = try await next(request, context)
        } catch {
            response = reply(to: error, request, context)
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        if context.policy.isHTTPSOnly { response.headers[.strictTransportSecurity] = Self.httpsOnly }
        // The fields of an answer to HEAD are those of GET; it has no body (RFC 9110 section 9.3.2).
        if request.method == .head {
            let length = response.headers[.contentLength]
            response.body = ResponseBody()
            response.headers[.contentLength] = length
        }
        // Tells a proxy to send nothing more over this connection, which ends soon (`REL-SHUT-1`).
        if readiness.isDraining { response.headers[.connection] = "close" }
        log(request, context, response.status, ContinuousClock.now - started)
        return response
    }

    /// The answer in the form of the API that the request is for.
    func reply(to error: any Error, _ request: Request, _ context: Context) -> Response {
        let failure = error as? DirectoryFailure
        if let failure { return DirectoryCodec.response(failure, trace: context.trace) }
        if let fault = error as? ConsoleFault { return Console.page(for: fault) }
        let fault = fault(for: error, context)
        if hasConsole, request.uri.path == "/console" || request.uri.path.hasPrefix("/console/") {
            return Console.page(for: fault, trace: context.trace)
        }
        if HostedPage.isPage(request.uri.path) { return HostedPage.error(.request(fault), request, context) }
        if request.uri.path.hasPrefix("/graph/") {
            return DirectoryCodec.response(DirectoryFailure(fault), trace: context.trace)
        }
        let reply = V1Codec.reply(fault, trace: context.trace)
        context.errorCode.withLock { $0 = reply.errorCode }
        return Self.response(reply)
    }

    private func log(
        _ request: Request, _ context: Context, _ status: HTTPResponse.Status, _ time: Duration
    ) {
        let route = context.endpointPath ?? "none"
        // Proxies send health checks about twice a second.
        let isDull = ["/livez", "/readyz"].contains(route) && status == .ok
        var metadata: Logger.Metadata = [
            "method": "\(request.method)", "route": "\(route)", "status": .stringConvertible(status.code),
            // Rounded to microseconds.
            "ms": .stringConvertible(((time / .milliseconds(1)) * 1_000).rounded() / 1_000),
            "client-request-id": "\(Self.clientRequestID(of: request) ?? context.trace.correlationID.text)",
        ]
        if let code = context.errorCode.withLock({ $0 }) { metadata["error"] = .stringConvertible(code) }
        context.logger.log(level: isDull ? .debug : .info, "request", metadata: metadata)
    }

    /// The client's name for its request, if it may appear in a log: at most 64 ASCII letters, digits, `.`, `_` and
    /// `-`, as in a UUID.
    private static func clientRequestID(of request: Request) -> String? {
        guard let id = request.headers[IdentityHeader.clientRequestID], (1...64).contains(id.utf8.count) else {
            return nil
        }
        let isHarmless = id.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "._-".utf8.contains($0)
        }
        return isHarmless ? id : nil
    }

    /// Turns a codec's reply into a response, with the headers that clients use for correlation (docs/protocol.md
    /// §2.3).
    static func response(_ reply: V1Codec.Reply) -> Response {
        Response(
            status: .init(code: reply.status), headers: fields(of: reply),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
    }

    static func fields(of reply: V1Codec.Reply, isHTTPSOnly: Bool = false) -> HTTPFields {
        HTTPFields(headers(of: reply, isHTTPSOnly: isHTTPSOnly).map { HTTPField(name: $0, value: $1) })
    }

    /// - Parameter isHTTPSOnly: ``AccessPolicy/isHTTPSOnly``, for an answer that ``handle(_:context:next:)`` does not see.
    static func headers(
        of reply: V1Codec.Reply, isHTTPSOnly: Bool = false
    ) -> [(name: HTTPField.Name, value: String)] {
        let correlationID = reply.trace.correlationID.text
        var headers: [(name: HTTPField.Name, value: String)] = [
            (.contentType, "application/json; charset=utf-8"), (.cacheControl, "no-store"),
            (.xContentTypeOptions, "nosniff"),
            (IdentityHeader.clientRequestID, correlationID), (IdentityHeader.requestID, correlationID),
        ]
        if let seconds = reply.retryAfter { headers.append((.retryAfter, "\(seconds)")) }
        if let methods = reply.allow { headers.append((.allow, methods)) }
        if isHTTPSOnly { headers.append((.strictTransportSecurity, httpsOnly)) }
        return headers
    }

    /// Reads the body, at most 64 KiB, counted while it arrives.
    static func body(of request: Request) async throws -> ByteBuffer {
        var request = request
        return try await collectBody(of: &request)
    }

    /// The same; the request keeps the body.
    @discardableResult
    static func collectBody(of request: inout Request) async throws -> ByteBuffer {
        do {
            return try await request.collectBody(upTo: longestBody)
        } catch is NIOTooManyBytesError {
            throw RequestFault.bodyTooLarge
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw RequestFault.bodyTooLarge
        } catch is HTTPParserError {
            // Invalid chunks (SEC-NET-11).
            throw RequestFault.malformed(.malformedEncoding)
        }
    }

    private static func checkLimits(_ request: Request) throws {
        guard request.head.path?.utf8.count ?? 0 <= longestURI else { throw RequestFault.uriTooLong }
        var size = 0
        for field in request.headers { size += field.name.rawName.utf8.count + field.value.utf8.count }
        guard request.headers.count <= mostHeaders, size <= longestHeaders else { throw RequestFault.headersTooLarge }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > longestBody {
            throw RequestFault.bodyTooLarge
        }
    }

    /// The source of the request (`SEC-NET-2`).
    private func source(of request: Request, _ context: Context) -> SourceAddress? {
        guard let peer = context.peer else { return nil }
        let client = context.policy.trustedProxies.client(
            behind: peer, forwardedFor: request.headers[values: IdentityHeader.forwardedFor])
        if client == nil {
            context.logger.warning("a trusted proxy sent an X-Forwarded-For that is no list of addresses")
        }
        return SourceAddress(client ?? peer)
    }

    /// Checks the host name (`SEC-NET-1`) and the limits per source, before anything is read or hashed.
    private func checkPolicy(_ request: Request, _ context: Context) throws(RequestFault) {
        // Use the router's template when there is one: the router ignores doubled slashes, so this check must too.
        // Where there is no console, its paths are those of any unknown page: their host names are checked, and nothing tells.
        let isConsole = request.uri.path.hasPrefix("/console")
        let path = context.endpointPath ?? (isConsole && !hasConsole ? "/" : request.uri.path)
        let hosts = [request.head.authority ?? ""] + (request.uri.host.map { [$0] } ?? [])
        guard hosts.allSatisfy({ context.policy.answers(to: $0, at: path) }) else { throw .misdirected }
        // A client that is gone has no source that limits could count, and reads no answer.
        guard !context.isRemote || context.peer != nil else { throw .unavailable(retryAfter: 1) }
        guard context.policy.admits(request, from: context.peer) || AccessPolicy.isHealthCheck(path) else {
            context.logger.warning("a request did not come from the proxy by https")
            throw .misdirected
        }
        guard let limits = context.policy.limits, let source = context.source,
            !context.policy.unlimitedNetworks.contains(source.address)
        else { return }
        let group = context.endpointPath.flatMap { LimitGroup(route: $0) } ?? .step
        try limits.admit(group, from: source, now: context.trace.at)
    }

    /// A random number of seconds, so that waiting clients do not all return at the same moment (`REL-DB-1`).
    private func seconds(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + randomness.bytes(1).reduce(0) { Int($1) % range.count + $0 }
    }

    /// The row of the error table for an error. The cause of a failure goes to the log, without values or secrets.
    private func fault(for error: any Error, _ context: Context) -> RequestFault {
        if let fault = error as? RequestFault { return fault }
        if let error = error as? EngineError {
            switch error {
            case .overloaded:
                return .unavailable(retryAfter: seconds(1...3))
            case .store(let cause):
                Self.storeFailures.increment()
                context.logger.error("the store failed", metadata: ["cause": "\(cause.logText)"])
                return .unavailable(retryAfter: seconds(2...10))
            case .tokens:
                context.logger.error("no signing key can be had")
                return .unavailable(retryAfter: seconds(2...10))
            case .hook:
                // The receiver's port has logged it.
                return .unavailable(retryAfter: seconds(2...10))
            case .broken(let what):
                context.logger.critical("broken", metadata: ["what": "\(what)"])
                return .broken
            }
        }
        if let error = error as? HTTPError {
            if error.status == .notFound { return .unknownPath }
            if error.status == .contentTooLarge { return .bodyTooLarge }
            if (400..<500).contains(error.status.code) { return .malformed(.malformedEncoding) }
        }
        context.logger.error("unexpected error", metadata: ["type": "\(type(of: error))"])
        return .broken
    }
}

extension IdentityHeader {
    /// The literal is a token of RFC 9110, so it is not nil.
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}

extension Trace {
    private static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    /// The trace before ``RequestGuard`` has seen the request.
    fileprivate static let unset = Trace(id: zero, correlationID: zero, at: .distantPast)
}
