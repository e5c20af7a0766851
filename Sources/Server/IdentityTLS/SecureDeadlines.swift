import HTTPTypes
import IdentityHTTP
import NIOCore
import NIOHTTPTypes
import NIOTLS

/// The deadlines of a connection over TLS that HTTP/1.1 has elsewhere (`SEC-NET-6`): 10 s for the handshake; of each request
/// over HTTP/2, 15 s for the body and 60 s for the answer; 70 s without a request. A handler of the connection, behind that
/// of TLS.
final class SecureDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Stage {
        case handshake(NIODeadline)
        case http1
        /// Without a request since then.
        case idle(NIODeadline)
        case busy
    }

    private let counter: (any ConnectionCounter)?
    private var stage = Stage.http1
    /// Streams with the time at which they are closed; those of the connection, which has one event loop.
    private var streams: [ObjectIdentifier: (deadline: NIODeadline, channel: any Channel)] = [:]
    /// How long the connection may be without a request: less once the node ends.
    private var patience = TimeAmount.seconds(70)
    /// Nil once the connection has ended.
    private var channel: (any Channel)?
    /// When the next look is. Others that were set for a later time do nothing; see ``ConnectionDeadlines``.
    private var alarm: NIODeadline?

    init(_ counter: (any ConnectionCounter)?) { self.counter = counter }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        stage = .handshake(context.eventLoop.now + .seconds(10))
        look(within: .seconds(2), context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel = nil
        for _ in streams { counter?.endStream() }
        streams = [:]
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            stage = negotiated == "h2" ? .idle(context.eventLoop.now) : .http1
            look(within: .seconds(10), context.eventLoop)
        case is ChannelShouldQuiesceEvent:
            patience = .seconds(3)
            look(within: .seconds(2), context.eventLoop)
        case _: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// - Returns: False when the source has as many requests under way as it may.
    fileprivate func begin(_ stream: any Channel) -> Bool {
        guard counter?.beginStream() ?? true else { return false }
        stage = .busy
        expect(stream, within: .seconds(15))
        return true
    }

    fileprivate func expect(_ stream: any Channel, within time: TimeAmount) {
        streams[ObjectIdentifier(stream)] = (stream.eventLoop.now + time, stream)
        look(within: .seconds(2), stream.eventLoop)
    }

    fileprivate func end(_ stream: any Channel) {
        guard streams.removeValue(forKey: ObjectIdentifier(stream)) != nil else { return }
        counter?.endStream()
        if streams.isEmpty { stage = .idle(stream.eventLoop.now) }
    }

    /// Looks again in that time, or earlier: one look of a connection, however many streams it has.
    private func look(within time: TimeAmount, _ loop: any EventLoop) {
        let next = loop.now + time
        if let alarm, alarm <= next { return }
        alarm = next
        loop.assumeIsolated().scheduleTask(deadline: next) { [weak self] in
            guard let self, alarm == next else { return }
            alarm = nil
            check(loop)
        }
    }

    private func check(_ loop: any EventLoop) {
        guard let channel else { return }
        switch stage {
        case .http1: return
        case .handshake(let deadline):
            guard deadline > loop.now else { return channel.close(promise: nil) }
            look(within: .seconds(2), loop)
        case .idle(let start):
            guard start + patience > loop.now else { return channel.close(promise: nil) }
            look(within: patience < .seconds(70) ? .seconds(2) : .seconds(10), loop)
        case .busy:
            for (deadline, stream) in streams.values where deadline <= loop.now { stream.close(promise: nil) }
            look(within: .seconds(2), loop)
        }
    }
}

/// The part of ``SecureDeadlines`` in a stream, and what HTTP/2 forbids or makes expensive.
final class HTTP2StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var deadlines: SecureDeadlines?
    private var isRefused = false

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            deadlines = try context.channel.parent?.pipeline.syncOperations.handler(type: SecureDeadlines.self)
            // A stream without deadlines must not be.
            guard let deadlines, deadlines.begin(context.channel) else { return refuse(context) }
        } catch {
            refuse(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadlines?.end(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            guard Self.isUnambiguous(&head) else { return refuse(context) }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: context.fireChannelRead(data)
        case .end:
            deadlines?.expect(context.channel, within: .seconds(60))
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        // A field of HTTP/1.1 (RFC 9113 section 8.2.2). A node that ends sends GOAWAY instead.
        head.headerFields[.connection] = nil
        // The client says how large the table of fields is, and each answer would search it: nothing goes into it.
        head.headerFields = HTTPFields(
            head.headerFields.map { field in
                var field = field
                field.indexingStrategy = .avoid
                return field
            })
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        context.close(promise: nil)
    }

    /// Whether the request names one host and a path (RFC 9113 section 8.3.1), as ``RequestFraming`` asks of HTTP/1.1.
    private static func isUnambiguous(_ head: inout HTTPRequest) -> Bool {
        let hosts = head.headerFields[values: .host]
        if head.authority == nil, hosts.count == 1 { head.authority = hosts[0] }
        return hosts.allSatisfy { $0 == head.authority } && hosts.count <= 1 && head.path?.first == "/"
    }
}

extension HTTPField.Name {
    /// The literal is a token of RFC 9110, so it is not nil.
    fileprivate static let host = Self("Host")!
}
