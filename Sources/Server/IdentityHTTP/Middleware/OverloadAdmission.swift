import HTTPTypes
import IdentityEngine
import Logging
import NIOCore
import NIOHTTP1
import NativeAuthCore
import NativeAuthWire

/// Refuses the first step of a flow on arrival, on the event loop, while the node has no room for newcomers
/// (`REL-OVR-1`).
///
/// Under ten times the load, nine of ten requests are such steps, and the time for each is taken from the admitted
/// steps. So they are refused directly behind the parser: no task, no router, no parsing of their form. A request takes a
/// place when all of it has come: a client that keeps its body back keeps no other client out.
final class OverloadAdmission: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let admission: StepAdmission
    private let guardian: RequestGuard
    private let isHTTPSOnly: Bool
    private let logger: Logger
    /// The number of requests of this connection that were passed on and are not fully answered. Answers keep the order
    /// of requests, so this handler answers nothing meanwhile.
    private var underWay = 0
    /// Whether the request under way is an admitted first step.
    private var isLetIn = false
    /// A request that is arriving: its head, and what has come of its body, in one piece however it came.
    private typealias Arriving = (head: HTTPRequestHead, body: ByteBuffer)
    /// The first step that is arriving.
    private var arriving: Arriving?
    /// Whether a request of the present read was refused.
    private var hasRefused = false

    /// - Parameters:
    ///   - guardian: Makes the refusals.
    ///   - isHTTPSOnly: ``AccessPolicy/isHTTPSOnly``.
    init(_ admission: StepAdmission, guardian: RequestGuard, isHTTPSOnly: Bool, logger: Logger) {
        self.admission = admission
        self.guardian = guardian
        self.isHTTPSOnly = isHTTPSOnly
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if underWay == 0, Self.beginsFlow(head) {
                arriving = (head, ByteBuffer())
            } else {
                underWay += 1
                context.fireChannelRead(data)
            }
        case .body(let bytes):
            guard arriving != nil else { return context.fireChannelRead(data) }
            arriving?.body.writeImmutableBuffer(bytes)
            // The router refuses a body that is longer than any step's, without waiting for its end.
            if let request = arriving, request.body.readableBytes > RequestGuard.longestBody { pass(request, context) }
        case .end:
            guard let request = arriving else { return context.fireChannelRead(data) }
            isLetIn = admission.letIn()
            if isLetIn {
                pass(request, context)
                context.fireChannelRead(data)
            } else {
                arriving = nil
                refuse(request.head, context)
            }
        }
    }

    /// A request that the parser cannot read to its end is the router's, which answers with the documented error.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let request = arriving { pass(request, context) }
        context.fireErrorCaught(error)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        hasRefused = false
        context.fireChannelReadComplete()
    }

    private func pass(_ request: Arriving, _ context: ChannelHandlerContext) {
        arriving = nil
        underWay += 1
        context.fireChannelRead(wrapInboundOut(.head(request.head)))
        if request.body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(request.body))) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            underWay -= 1
            leave()
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        guard isLetIn else { return }
        isLetIn = false
        admission.leave()
    }

    private func refuse(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // A client that sends requests without reading the answers would fill the memory. One that sends several at once
        // would hold the event loop, whose other connections wait.
        guard !hasRefused, context.channel.isWritable else { return context.close(promise: nil) }
        hasRefused = true
        if admission.countRefusal() {
            logger.warning(
                "there is more to do than this node can; sign-ups, sign-ins and resets that would begin are refused")
        }
        let reply = guardian.refusal(toClientRequest: head.headers.first(name: WireHeader.clientRequestID))
        var headers = HTTPHeaders(
            RequestGuard.headers(of: reply, isHTTPSOnly: isHTTPSOnly).map { ($0.name.rawName, $0.value) })
        headers.add(name: "content-length", value: "\(reply.body.count)")
        if !head.isKeepAlive || guardian.readiness.isDraining { headers.add(name: "connection", value: "close") }
        let response = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: reply.status), headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: reply.body)))), promise: nil)
        guard !head.isKeepAlive else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        let ended = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        ended.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: ended)
    }

    /// Whether the request is a first step in the usual spelling. Other spellings take the normal path and are refused
    /// there.
    private static func beginsFlow(_ head: HTTPRequestHead) -> Bool {
        let path = head.uri.utf8
        guard head.method == .POST, path.first == UInt8(ascii: "/"),
            let slash = path.dropFirst().firstIndex(of: UInt8(ascii: "/"))
        else { return false }
        let endpoint = path[path.index(after: slash)...].prefix { $0 != UInt8(ascii: "?") }
        return firstSteps.contains { $0.utf8.elementsEqual(endpoint) }
    }

    private static let firstSteps = V1Endpoint.allCases.filter(\.beginsFlow).map(\.rawValue)
}
