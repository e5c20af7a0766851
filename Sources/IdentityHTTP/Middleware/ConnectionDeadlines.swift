import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Closes connections that keep the server waiting: 10 s for the first head, 15 s for a body, 60 s between requests
/// (`SEC-NET-6`). A client that sends a byte now and then gains nothing: each deadline runs from the start of what is awaited.
package final class ConnectionDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    private var deadline: Scheduled<Void>?

    package init() {}

    package func handlerAdded(context: ChannelHandlerContext) {
        expect(within: .seconds(10), context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: expect(within: .seconds(15), context)
        case .body: break
        // The answer takes its time and then the next request may; both together stay below the idle limit.
        case .end: expect(within: .seconds(60), context)
        }
        context.fireChannelRead(data)
    }

    private func expect(within time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
