package import NIOCore
import NIOHTTPTypes
import NativeAuthCore

/// Closes connections of a source that has a hundred already (`SEC-NET-6`). A trusted proxy and an unlimited network bring many
/// clients, and are not counted.
package final class ConnectionsPerSource: Sendable {
    private let limit: Int
    private let exempt: [NetworkList]
    private let counts = Locked<[SourceAddress.Network: Int]>([:])

    /// Nil where the perimeter has no limits.
    package init?(within perimeter: Perimeter, limit: Int = 100) {
        guard perimeter.limits != nil else { return nil }
        self.limit = limit
        exempt = [perimeter.trustedProxies.networks, perimeter.unlimitedNetworks]
    }

    /// For one connection.
    package func handler() -> any RemovableChannelHandler & ChannelInboundHandler {
        Handler(self)
    }

    /// The source of a connection that is counted.
    private func source(of address: SocketAddress?) -> SourceAddress.Network? {
        guard let peer = IPAddress(address), !exempt.contains(where: { $0.contains(peer) }) else { return nil }
        return SourceAddress(peer).networks.first
    }

    private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart

        private let connections: ConnectionsPerSource
        /// Whose connection this is, once it counts.
        private var source: SourceAddress.Network?

        init(_ connections: ConnectionsPerSource) {
            self.connections = connections
        }

        func handlerAdded(context: ChannelHandlerContext) {
            source = connections.source(of: context.channel.remoteAddress)
            guard let source else { return }
            let isAdmitted = connections.counts.withLock { counts in
                guard counts[source, default: 0] < connections.limit else { return false }
                counts[source, default: 0] += 1
                return true
            }
            if !isAdmitted {
                self.source = nil
                context.channel.close(promise: nil)
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            guard let source else { return }
            connections.counts.withLock { counts in
                counts[source, default: 0] -= 1
                if counts[source] == 0 { counts[source] = nil }
            }
        }
    }
}
