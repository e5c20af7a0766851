package import Hummingbird
package import HummingbirdCore
package import Logging
import NIOCore

/// The public listener: Hummingbird with this project's limits.
package enum IdentityServer {
    /// An application that serves `routes`.
    ///
    /// - Parameters:
    ///   - policy: The rules for requests from outside.
    ///   - port: The port; 0 takes any free port.
    ///   - secured: Puts TLS around the plain channel; nil: none.
    ///   - onRunning: Called with the bound port once requests are accepted.
    package static func application(
        _ routes: IdentityRoutes, within policy: AccessPolicy, host: String, port: Int, logger: Logger,
        secured: Securing? = nil, onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let gate = policy.admission.map { admission in
            { @Sendable () -> OverloadAdmission in
                OverloadAdmission(
                    admission, guardian: routes.guardian, isHTTPSOnly: policy.isHTTPSOnly, logger: logger)
            }
        }
        return application(
            policy.responder(for: routes), host: host, port: port, logger: logger, gate: gate,
            connections: ConnectionsPerSource(within: policy, guardian: routes.guardian), secured: secured,
            onRunning: onRunning)
    }

    /// Makes the channel of a connection over TLS from the plain one, and from a handler that counts connections per
    /// source before their handshake.
    package typealias Securing =
        @Sendable (StrictHTTP1Channel, (@Sendable () -> any ConnectionCounter)?) -> any ServerChildChannel

    /// The listener alone, which answers every request with an empty JSON object: measures the cost of HTTP itself.
    package static func emptyApplication(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let responder = CallbackResponder { (_: Request, _: IdentityRequestContext) in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "{}")))
        }
        return application(
            responder, host: host, port: port, logger: logger, onRunning: onRunning)
    }

    private static func application<Responder: HTTPResponder>(
        _ responder: Responder, host: String, port: Int, logger: Logger,
        gate: (@Sendable () -> OverloadAdmission)? = nil, connections: ConnectionsPerSource? = nil,
        secured: Securing? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let channel = HTTP1Channel.Configuration(
            // Over TLS, connections are counted before.
            additionalChannelHandlers: secured == nil ? connections.map { [$0.handler()] } ?? [] : [],
            // One byte more than the guard allows, so that the guard can give its documented answer; the parser has a
            // hard limit above.
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 2 * RequestGuard.longestHeaders,
                maxHeaderListSize: 4 * RequestGuard.longestHeaders,
                maxHeaderFieldCount: 2 * RequestGuard.mostHeaders))
        return Application(
            responder: responder,
            server: HTTPServerBuilder { responder -> any ServerChildChannel in
                let plain = StrictHTTP1Channel(
                    http1: HTTP1Channel(responder: responder, configuration: channel), gate: gate)
                guard let secured else { return plain }
                return secured(plain, connections.map { connections in { @Sendable in connections.countingHandler() } })
            },
            configuration: .init(
                address: .hostname(host, port: port), serverName: nil,
                // When the queue is full, the client's kernel retries the connection after one second or more.
                backlog: 4_096,
                availableConnectionsDelegate: MaximumAvailableConnections(ConnectionsPerSource.most)),
            onServerRunning: { channel in
                await PromptAccept.add(to: channel, logger: logger)
                await onRunning(channel.localAddress?.port ?? port)
            },
            logger: logger)
    }
}
