import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Accepts connections on the event loop, however busy the tasks are (`REL-OVR-1`).
///
/// Without it the server asks for more connections when a task has taken the last ten, and under load that task waits behind all steps:
/// of 2,000 connections that come at once the last would be accepted after a second. A connection that is accepted has its first
/// requests answered on the event loop, by ``OverloadAdmission`` when there is no room. The most connections are those of
/// ``ConnectionsPerSource/most``, as before.
final class PromptAccept: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        context.read()
    }

    /// Adds it to the channel of a listener.
    static func add(to listener: any Channel, logger: Logger) async {
        do {
            try await listener.eventLoop.submit { try add(to: listener.pipeline.syncOperations) }.get()
        } catch {
            logger.warning("connections are accepted slowly under load", metadata: ["cause": "\(type(of: error))"])
        }
    }

    /// Behind the limit of connections, which it asks.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let limit = try pipeline.context(
            handlerType: AvailableConnectionsChannelHandler<MaximumAvailableConnections>.self)
        try pipeline.addHandler(PromptAccept(), position: .after(limit.handler))
    }
}
