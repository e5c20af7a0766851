import NIOCore
import NIOHTTP1
import NIOPosix

/// A request of a load: a form with POST, or a GET when there is no form.
struct LoadRequest: Sendable {
    /// The name under which the request's figures are reported.
    let step: String
    let path: String
    let form: String?
    /// Header fields besides those of every request.
    var headers: [(name: String, value: String)] = []
    /// Whether ``form`` is JSON.
    var isJSON = false
}

/// The reply to a request.
struct LoadReply: Sendable {
    let status: UInt
    let headers: HTTPHeaders
    let body: ByteBuffer

    /// Whether the server refused the request because of overload.
    var isShed: Bool { status == 429 || status == 503 }

    /// The text of the member `name` of the body, a flat JSON object whose texts need no escapes, as tokens do not.
    ///
    /// - Parameter mark: The member that it comes after, for a name that the body has more than once.
    func text(_ name: String, after mark: String) -> String? {
        let text = String(buffer: body)
        guard let start = text.firstRange(of: mark)?.upperBound else { return nil }
        return LoadReply(status: status, headers: headers, body: ByteBuffer(string: String(text[start...]))).text(name)
    }

    /// The same of the whole body.
    func text(_ name: String) -> String? {
        let opening = Array("\(name)\":\"".utf8)
        let quote = UInt8(ascii: "\"")
        // From quote to quote: `firstRange(of:)` of the standard library took a fifth of a load's processor time, which
        // the server then lacked.
        return body.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while let next = rest.firstIndex(of: quote) {
                rest = rest[(next + 1)...]
                guard rest.starts(with: opening) else { continue }
                rest = rest.dropFirst(opening.count)
                return rest.firstIndex(of: quote).map { String(decoding: rest[..<$0], as: UTF8.self) }
            }
            return nil
        }
    }
}

/// Why a request has no reply.
enum LoadFailure: Error {
    case closed
}

/// A kept-open connection with one request at a time. Use it only on its event loop.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let host: String
    private var context: ChannelHandlerContext?
    private var status: UInt = 0
    private var headers = HTTPHeaders()
    private var body = ByteBuffer()
    private var isLast = false
    private var onReply: ((Result<LoadReply, LoadFailure>) -> Void)?

    init(host: String) {
        self.host = host
    }

    /// False once the server has closed the connection or announced that it will.
    var isOpen: Bool { context != nil && !isLast }

    func send(_ request: LoadRequest, _ onReply: @escaping (Result<LoadReply, LoadFailure>) -> Void) {
        guard let context, !isLast else { return onReply(.failure(.closed)) }
        self.onReply = onReply
        var head = HTTPRequestHead(version: .http1_1, method: request.form == nil ? .GET : .POST, uri: request.path)
        head.headers.add(name: "host", value: host)
        for field in request.headers { head.headers.add(name: field.name, value: field.value) }
        guard let form = request.form else {
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        head.headers.add(
            name: "content-type", value: request.isJSON ? "application/json" : "application/x-www-form-urlencoded")
        head.headers.add(name: "content-length", value: "\(form.utf8.count)")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: form)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func close() {
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = head.status.code
            headers = head.headers
            isLast = !head.isKeepAlive
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end:
            let reply = LoadReply(status: status, headers: headers, body: body)
            // Use a new buffer: the reply keeps the old one.
            body = ByteBuffer()
            finish(.success(reply))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        finish(.failure(.closed))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func finish(_ result: Result<LoadReply, LoadFailure>) {
        guard let onReply else { return }
        self.onReply = nil
        onReply(result)
    }
}
