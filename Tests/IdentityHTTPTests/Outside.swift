import HTTPTypes
import Hummingbird
import IdentityEngine
import IdentityHTTP
import Logging
import NIOCore
import NativeAuthTesting
import Testing

let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// A server as it looks through a listener, from an address of one's choice.
struct Outside {
    let routes: IdentityRoutes
    private let responder: any HTTPResponder<IdentityRequestContext>

    init(
        _ server: IdentityTestServer, _ perimeter: Perimeter = Perimeter(), readiness: Readiness? = nil
    ) throws {
        let entry = try #require(TenantDirectory.development.entries.first)
        routes = IdentityRoutes(
            engine: server.engine, clock: ServerClock(manual: server.clock),
            readiness: readiness ?? Readiness(flows: server.engine.ports.flows),
            development: DevelopmentPages(
                baseURL: server.baseURL, tenant: entry.tenant, applications: entry.applications,
                mails: { _ in [String]() }))
        responder = perimeter.responder(for: routes)
    }

    func get(_ path: String, from peer: String? = nil, host: String? = "127.0.0.1:8765") async throws -> Response {
        try await send(HTTPRequest(method: .get, scheme: "http", authority: host, path: path), from: peer)
    }

    /// Posts a form; every native step refuses an empty one with 400.
    func post(
        _ path: String, from peer: String? = nil, forwardedFor fields: [String] = [], type: String = WireClient.form,
        form: String = ""
    ) async throws -> Response {
        var headers: HTTPFields = [.contentType: type]
        let name = try #require(HTTPField.Name("x-forwarded-for"))
        for field in fields { headers.append(HTTPField(name: name, value: field)) }
        return try await send(
            HTTPRequest(method: .post, scheme: "http", authority: "identity.test", path: path, headerFields: headers),
            form, from: peer)
    }

    private func send(_ head: HTTPRequest, _ form: String = "", from peer: String?) async throws -> Response {
        try await responder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: form))),
            context: IdentityRequestContext(logger: quiet, peer: peer.flatMap { IPAddress($0) }))
    }
}
