import HTTPTypes
import Hummingbird
package import IdentityHTTP
import Logging
import NIOCore
package import NativeAuth
import PortableFoundation

/// Sends requests to the production router without a socket.
package struct InProcessTransport: HTTPTransport {
    private let responder: any HTTPResponder<IdentityRequestContext>
    private let logger: Logger
    private let peer: IPAddress?

    /// - Parameters:
    ///   - policy: The limits per source; none by default.
    ///   - peer: The source of the requests; nil for requests from within the process.
    package init(routes: IdentityRoutes, within policy: AccessPolicy = AccessPolicy(), peer: IPAddress? = nil) {
        self.peer = peer
        responder = policy.responder(for: routes)
        logger = Logger(label: "identity-test-server", factory: { _ in SwiftLogNoOpLogHandler() })
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        var headers = HTTPFields()
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        let path = (components?.percentEncodedPath ?? "/") + (components?.percentEncodedQuery.map { "?\($0)" } ?? "")
        let head = HTTPRequest(
            method: HTTPRequest.Method(rawValue: request.method) ?? .post, scheme: "https",
            authority: request.url.host(), path: path, headerFields: headers)
        let response = try await responder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body))),
            context: IdentityRequestContext(logger: logger, peer: peer))
        let collector = Collector()
        try await response.body.write(collector)
        var fields: [String: String] = [:]
        for field in response.headers {
            let name = field.name.canonicalName
            // A browser in a test needs every cookie; no cookie contains a line feed.
            let earlier = name == "set-cookie" ? fields[name].map { $0 + "\n" } ?? "" : ""
            fields[name] = earlier + field.value
        }
        return TransportResponse(
            status: response.status.code,
            headers: fields,
            body: Data(collector.bytes.value.readableBytesView))
    }

    /// Takes a response's body as it is written.
    private struct Collector: ResponseBodyWriter {
        final class Bytes: @unchecked Sendable {
            // One writer writes it, in the task that reads it afterwards; never at the same time.
            var value = ByteBuffer()
        }

        let bytes = Bytes()

        @concurrent
        func write(_ buffer: ByteBuffer) async throws {
            bytes.value.writeImmutableBuffer(buffer)
        }

        @concurrent
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
