package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore

/// The public listener: Hummingbird with this project's limits.
package enum IdentityServer {
    /// An application that serves `routes`.
    ///
    /// - Parameters:
    ///   - perimeter: Who may come in, and how often.
    ///   - port: 0 takes any free one.
    ///   - onRunning: Called with the bound port once requests are accepted.
    package static func application(
        _ routes: IdentityRoutes, within perimeter: Perimeter, host: String, port: Int, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let connections = ConnectionsPerSource(within: perimeter)
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: connections.map { [$0.handler(), ConnectionDeadlines()] } ?? [
                ConnectionDeadlines()
            ],
            // One byte more than the guard allows, so that its documented answer is given, up to a hard end.
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 2 * RequestGuard.longestHeaders,
                maxHeaderListSize: 4 * RequestGuard.longestHeaders,
                maxHeaderFieldCount: 2 * RequestGuard.mostHeaders))
        return Application(
            responder: perimeter.responder(for: routes),
            server: HTTPServerBuilder { responder in
                StrictHTTP1Channel(http1: HTTP1Channel(responder: responder, configuration: channel))
            },
            configuration: .init(
                address: .hostname(host, port: port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(10_000)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger)
    }
}
