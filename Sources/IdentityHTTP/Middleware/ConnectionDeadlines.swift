package import NIOCore
package import NIOHTTP1

/// Closes connections that keep the server waiting: 10 s for the first head, 15 s for a body, 60 s between requests
/// (`SEC-NET-6`). A client that sends a byte now and then gains nothing: each deadline runs from the start of what is awaited.
package final class ConnectionDeadlines: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart

    /// When the connection is closed, unless something comes.
    private var deadline: NIODeadline = .distantFuture
    /// Rings no later than the deadline. On a busy connection it rings too early now and then, and is not moved for each request.
    private var alarm: (time: NIODeadline, scheduled: Scheduled<Void>)?

    package init() {}

    package func handlerAdded(context: ChannelHandlerContext) {
        expect(within: .seconds(10), context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.scheduled.cancel()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        alarm?.scheduled.cancel()
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
        deadline = context.eventLoop.now + time
        if let alarm, alarm.time <= deadline { return }
        alarm?.scheduled.cancel()
        setAlarm(context.channel, context.eventLoop)
    }

    private func setAlarm(_ channel: any Channel, _ loop: any EventLoop) {
        let scheduled = loop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            guard loop.now < deadline else { return channel.close(promise: nil) }
            setAlarm(channel, loop)
        }
        alarm = (deadline, scheduled)
    }
}
