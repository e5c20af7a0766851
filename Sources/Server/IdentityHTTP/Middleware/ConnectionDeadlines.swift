import NIOCore
import NIOHTTP1

/// Closes connections that make the server wait: 10 s for the first head, 15 s for a body, 60 s between requests
/// (`SEC-NET-6`). Sending a byte from time to time does not help a client: each deadline starts when the wait starts.
final class ConnectionDeadlines: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// When the connection is closed unless data arrives.
    private var deadline: NIODeadline = .distantFuture
    /// When the deadline is checked next, never later than the deadline. On a busy connection the check sometimes comes
    /// too early; it is not moved for each request.
    ///
    /// The check is never cancelled: to find a scheduled task, an event loop searches all of them, so ten thousand
    /// connections that end at once would block it for seconds. The task holds nothing of a connection that has ended.
    private var alarm: NIODeadline?
    /// Nil once the connection has ended.
    private var channel: (any Channel)?

    init() {}

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        expect(within: .seconds(10), context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: expect(within: .seconds(15), context)
        case .body: break
        // The answer and the wait for the next request share this limit; together they stay below the idle limit.
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
            // A check that was set for an earlier time has replaced this one.
            guard let self, let channel, alarm == time else { return }
            guard loop.now < deadline else { return channel.close(promise: nil) }
            setAlarm(at: deadline, loop)
        }
    }
}
