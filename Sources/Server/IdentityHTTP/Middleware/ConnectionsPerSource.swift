import HTTPTypes
import Metrics
package import NIOCore
import NIOHTTPTypes
import NativeAuthCore

/// The first handler of a connection over TLS: counts it for its source, and the requests that it has under way.
package protocol ConnectionCounter: ChannelHandler {
    /// - Returns: False when the source has as many as it may.
    func beginStream() -> Bool
    func endStream()
}

/// Closes new connections of a source that already has a hundred (`SEC-NET-6`).
///
/// Trusted proxies and unlimited networks carry many clients and share one limit instead. Above that limit a connection
/// gets answers only to health checks: a client that fills a proxy's connections must not make the node look dead.
final class ConnectionsPerSource: Sendable {
    /// The largest number of connections of a node; further connections wait until one has ended.
    static let most = 10_000

    private enum Place {
        case source(SourceAddress.Network)
        case shared
        /// Counted as shared; lives for two seconds and answers only health checks.
        case spare
        case none
    }

    private struct Counts {
        var sources: [SourceAddress.Network: Int] = [:]
        var shared = 0
        /// Requests over HTTP/2 that are under way.
        var streams: [SourceAddress.Network: Int] = [:]
    }

    private let limit: Int
    private let sharedLimit: Int
    private let exempt: [NetworkList]
    private let guardian: RequestGuard
    private let isHTTPSOnly: Bool
    private let counts = Locked(Counts())
    private let open = Meter(label: "native_auth_connections")

    /// Nil when the policy has no limits.
    ///
    /// - Parameters:
    ///   - guardian: Makes the refusals.
    ///   - sharedLimit: The limit for all proxies and unlimited networks together; the rest of ``most`` is for health
    ///     checks.
    init?(within policy: AccessPolicy, guardian: RequestGuard, limit: Int = 100, sharedLimit: Int = 9_000) {
        guard policy.limits != nil else { return nil }
        self.limit = limit
        self.sharedLimit = sharedLimit
        self.guardian = guardian
        isHTTPSOnly = policy.isHTTPSOnly
        exempt = [policy.trustedProxies.networks, policy.unlimitedNetworks]
    }

    /// A handler for one connection.
    func handler() -> any RemovableChannelHandler & ChannelInboundHandler {
        Handler(self)
    }

    /// A handler for one connection whose requests are not readable yet: without a place, the connection ends.
    func countingHandler() -> any ConnectionCounter { CountingHandler(self) }

    /// Counts a connection; nil when there is no place for it.
    private func place(for address: SocketAddress?) -> Place? {
        guard let peer = IPAddress(address) else { return Place.none }
        let isExempt = exempt.contains { $0.contains(peer) }
        let source = SourceAddress(peer).networks.first
        return counts.withLock { counts in
            if isExempt {
                counts.shared += 1
                open.increment()
                return counts.shared > sharedLimit ? .spare : .shared
            }
            guard let source else { return Place.none }
            guard counts.sources[source, default: 0] < limit else { return nil }
            counts.sources[source, default: 0] += 1
            open.increment()
            return .source(source)
        }
    }

    private func leave(_ place: Place) {
        counts.withLock { counts in
            switch place {
            case .source(let source):
                counts.sources[source, default: 0] -= 1
                if counts.sources[source] == 0 { counts.sources[source] = nil }
                open.decrement()
            case .shared, .spare:
                counts.shared -= 1
                open.decrement()
            case .none: break
            }
        }
    }

    /// The largest number of requests over HTTP/2 that a source has under way on all its connections.
    private static let mostStreams = 200

    private final class CountingHandler: ChannelInboundHandler, ConnectionCounter {
        typealias InboundIn = ByteBuffer

        private let connections: ConnectionsPerSource
        private var place = Place.none
        /// Kept when the place is given back: streams may end after their connection.
        private var source: SourceAddress.Network?
        private var streams = 0

        init(_ connections: ConnectionsPerSource) { self.connections = connections }

        func handlerAdded(context: ChannelHandlerContext) {
            place = connections.place(for: context.channel.remoteAddress) ?? .none
            if case .source(let network) = place { source = network }
            switch place {
            case .source, .shared: break
            case .spare, .none: context.channel.close(promise: nil)
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            connections.leave(place)
            place = .none
        }

        func beginStream() -> Bool {
            guard case .source(let source) = place else { return true }
            return connections.counts.withLock { counts in
                guard counts.streams[source, default: 0] < mostStreams else { return false }
                counts.streams[source, default: 0] += 1
                streams += 1
                return true
            }
        }

        func endStream() {
            guard streams > 0, let source else { return }
            streams -= 1
            connections.counts.withLock { counts in
                counts.streams[source, default: 1] -= 1
                if counts.streams[source] == 0 { counts.streams[source] = nil }
            }
        }
    }

    private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private let connections: ConnectionsPerSource
        private var place = Place.none
        private var isRefused = false

        init(_ connections: ConnectionsPerSource) {
            self.connections = connections
        }

        func handlerAdded(context: ChannelHandlerContext) {
            guard let place = connections.place(for: context.channel.remoteAddress) else {
                context.channel.close(promise: nil)
                return
            }
            self.place = place
            guard case .spare = place else { return }
            let channel = context.channel
            // Not cancelled when the connection ends earlier, see ``ConnectionDeadlines``.
            context.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            connections.leave(place)
            place = .none
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .spare = place else { return context.fireChannelRead(data) }
            guard !isRefused else { return }
            if case .head(let head) = unwrapInboundIn(data), !Self.isHealthCheck(head) {
                // The body of the request may never arrive.
                isRefused = true
                refuse(head, context)
            } else {
                context.fireChannelRead(data)
            }
        }

        private static func isHealthCheck(_ head: HTTPRequest) -> Bool {
            let path = head.path.map { $0.prefix { $0 != "?" } }
            return head.method == .get && (path == "/livez" || path == "/readyz")
        }

        private func refuse(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
            let reply = connections.guardian.refusal(
                toClientRequest: head.headerFields[IdentityHeader.clientRequestID])
            var fields = RequestGuard.fields(of: reply, isHTTPSOnly: connections.isHTTPSOnly)
            fields[.connection] = "close"
            fields[.contentLength] = "\(reply.body.count)"
            let response = HTTPResponse(status: .init(code: reply.status), headerFields: fields)
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: reply.body))), promise: nil)
            let ended = context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            ended.futureResult.whenComplete { _ in channel.close(promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: ended)
        }
    }
}
