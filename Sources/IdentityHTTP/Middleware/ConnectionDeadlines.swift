package import NIOCore
package import NIOHTTP1

/// Closes connections that keep the server waiting: 10 s for the first head, 15 s for a body, 60 s between requests
/// (`SEC-NET-6`). A client that sends a byte now and then gains nothing: each deadline runs from the start of what is awaited.
package final class ConnectionDeadlines: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart

    /// When the connection is closed, unless something comes.
    private var deadline: NIODeadline = .distantFuture
    /// When it is looked at next, no later than the deadline. On a busy connection that is too early now and then, and is not moved for
    /// each request.
    ///
    /// It is never cancelled: an event loop looks through all that is scheduled to find one, so ten thousand connections that end at
    /// once would keep it from all else for seconds. It holds nothing of a connection that has ended.
    private var alarm: NIODeadline?
    /// Nil once the connection has ended.
    private var channel: (any Channel)?

    package init() {}

    package func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        expect(within: .seconds(10), context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        channel = nil
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
        deadline = context.eventLoop.now + time
        if let alarm, alarm <= deadline { return }
        setAlarm(at: deadline, context.eventLoop)
    }

    private func setAlarm(at time: NIODeadline, _ loop: any EventLoop) {
        alarm = time
        loop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            // One that was set for an earlier time has taken this one's place.
            guard let self, let channel, alarm == time else { return }
            guard loop.now < deadline else { return channel.close(promise: nil) }
            setAlarm(at: deadline, loop)
        }
    }
}
