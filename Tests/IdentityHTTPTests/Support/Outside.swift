import HTTPTypes
import Hummingbird
import IdentityEngine
import IdentityHTTP
import Logging
import NIOCore
import NIOEmbedded
import NativeAuthTesting
import Testing

let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// A server seen through a listener, from any source address.
struct Outside {
    let routes: IdentityRoutes
    private let responder: any HTTPResponder<IdentityRequestContext>
    private let logger: Logger

    init(
        _ server: IdentityTestServer, _ policy: AccessPolicy = AccessPolicy(), readiness: Readiness? = nil,
        logger: Logger = quiet, lock: InboxLock? = nil
    ) throws {
        self.logger = logger
        routes = IdentityRoutes(
            engine: server.engine, clock: ManualWallClock(manual: server.clock),
            readiness: readiness ?? Readiness(flows: server.engine.ports.flows),
            development: DevelopmentPages(
                baseURL: server.baseURL, tenants: { .development }, mails: { _ in [String]() }, lock: lock))
        responder = policy.responder(for: routes)
    }

    func get(_ path: String, from peer: String? = nil, host: String? = "127.0.0.1:8765") async throws -> Response {
        try await send(HTTPRequest(method: .get, scheme: "http", authority: host, path: path), from: peer)
    }

    /// Posts a form; every native step refuses an empty one with 400.
    func post(
        _ path: String, from peer: String? = nil, forwardedFor fields: [String] = [], type: String = WireClient.form,
        form: String = "", host: String? = "identity.test", headers more: [String: String] = [:]
    ) async throws -> Response {
        var headers: HTTPFields = [.contentType: type]
        let name = try #require(HTTPField.Name("x-forwarded-for"))
        for field in fields { headers.append(HTTPField(name: name, value: field)) }
        for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
        return try await send(
            HTTPRequest(method: .post, scheme: "http", authority: host, path: path, headerFields: headers),
            form, from: peer)
    }

    /// A request whose client has closed its connection before a task reads it: the socket has no address any more.
    func sendFromGone(_ method: HTTPRequest.Method, _ path: String) async throws -> Response {
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger)
        return try await responder.respond(
            to: Request(
                head: HTTPRequest(
                    method: method, scheme: "http", authority: "identity.test", path: path,
                    headerFields: [.contentType: WireClient.form]),
                body: RequestBody(buffer: ByteBuffer())),
            context: IdentityRequestContext(source: source))
    }

    func send(_ head: HTTPRequest, _ form: String = "", from peer: String?) async throws -> Response {
        try await responder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: form))),
            context: IdentityRequestContext(logger: logger, peer: peer.flatMap { IPAddress($0) }))
    }
}
