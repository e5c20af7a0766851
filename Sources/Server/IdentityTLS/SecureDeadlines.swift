import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOTLS

/// The deadlines of a connection over TLS that HTTP/1.1 has elsewhere (`SEC-NET-6`): 10 s for the handshake; of each request
/// over HTTP/2, 15 s for the body and 60 s for the answer. A handler of the connection, behind that of TLS.
final class SecureDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Streams with the time at which they are closed; those of the connection, which has one event loop.
    private var streams: [ObjectIdentifier: (deadline: NIODeadline, channel: any Channel)] = [:]
    private var handshake: NIODeadline?
    /// Nil once the connection has ended.
    private var channel: (any Channel)?
    private var isWatching = false

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        handshake = context.eventLoop.now + .seconds(10)
        watch(context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel = nil
        streams = [:]
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { handshake = nil }
        context.fireUserInboundEventTriggered(event)
    }

    fileprivate func expect(_ stream: any Channel, within time: TimeAmount) {
        streams[ObjectIdentifier(stream)] = (stream.eventLoop.now + time, stream)
        watch(stream.eventLoop)
    }

    fileprivate func forget(_ stream: any Channel) { streams[ObjectIdentifier(stream)] = nil }

    /// Looks every 2 s while there is something to wait for: one task of a connection, however many streams it has.
    private func watch(_ loop: any EventLoop) {
        guard !isWatching, channel != nil, handshake != nil || !streams.isEmpty else { return }
        isWatching = true
        loop.assumeIsolated().scheduleTask(in: .seconds(2)) { [weak self] in
            guard let self else { return }
            isWatching = false
            if let handshake, handshake <= loop.now { return channel?.close(promise: nil) ?? () }
            for (deadline, stream) in streams.values where deadline <= loop.now { stream.close(promise: nil) }
            watch(loop)
        }
    }
}

/// The part of ``SecureDeadlines`` in a stream, and what HTTP/2 forbids in answers.
final class HTTP2StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var deadlines: SecureDeadlines?

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            deadlines = try context.channel.parent?.pipeline.syncOperations.handler(type: SecureDeadlines.self)
            deadlines?.expect(context.channel, within: .seconds(15))
        } catch {
            // A stream without deadlines must not be.
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadlines?.forget(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { deadlines?.expect(context.channel, within: .seconds(60)) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        // A field of HTTP/1.1 (RFC 9113 section 8.2.2). A node that ends sends GOAWAY instead.
        head.headerFields[.connection] = nil
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
