import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// What the connections of one event loop share. Used on that loop.
final class FloorLoop {
    /// The development tenant `contoso`.
    static let tenant = Text.uuid(parsing: Array("aaaabbbb-0000-cccc-1111-dddd2222eeee".utf8)) ?? []
    static let tenantText = Text.uuid(tenant)

    let number: Int
    let eventLoop: any EventLoop
    let keys: FloorKeys
    let store: any FloorStore
    /// With SQLite.
    let reader: SQLiteReader?
    let hashing: NIOThreadPool
    var random = RandomPool()
    var clock = FloorClock()
    var mails: MailSender?
    /// The value of the claim `iss`, once the port is known.
    var issuer: [UInt8] = []

    init(
        number: Int, eventLoop: any EventLoop, keys: FloorKeys, store: any FloorStore, reader: SQLiteReader?,
        hashing: NIOThreadPool
    ) {
        self.number = number
        self.eventLoop = eventLoop
        self.keys = keys
        self.store = store
        self.reader = reader
        self.hashing = hashing
    }

    /// Writes that a mail was sent.
    func finish(_ mail: Mail) {
        var rows = StepRows()
        rows.run(.finishMail, .integer(clock.now), .bytes(Self.tenant), .bytes(mail.id))
        store.write(
            WriteJob(rows: rows, loop: number) { isDurable in
                guard isDurable else { giveUp("a mail was sent, and that cannot be written") }
            })
    }
}

/// The time, and its texts, written once a second.
struct FloorClock {
    private var second = 0
    private(set) var httpDate = ""
    private(set) var mailDate: [UInt8] = []

    /// Milliseconds since 1970.
    var now: Int64 {
        mutating get {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            if time.tv_sec != second {
                second = time.tv_sec
                httpDate = Self.text(second, "%a, %d %b %Y %H:%M:%S GMT")
                mailDate = Array(Self.text(second, "%a, %d %b %Y %H:%M:%S +0000").utf8)
            }
            return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        }
    }

    private static func text(_ second: Int, _ format: String) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            let count = strftime(text.baseAddress, 64, format, &parts)
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[..<count]), as: UTF8.self)
        }
    }
}

/// One connection of a client, with one request at a time.
final class FloorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let loop: FloorLoop
    /// The digest that stands for the client's address in the audit trail.
    private(set) var source: [UInt8] = []
    private var context: ChannelHandlerContext?
    private var path = ""
    private var body = ByteBuffer()
    private var isLast = false

    init(_ loop: FloorLoop) {
        self.loop = loop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        source = Array(loop.keys.digest([Array("source".utf8), [127, 0, 0, 1]]).prefix(16))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            path = head.uri
            isLast = !head.isKeepAlive
            body = ByteBuffer()
        case .body(var part):
            if body.readableBytes == 0 { body = part } else { body.writeBuffer(&part) }
        case .end: StepRequest(handler: self, form: Form(body), now: loop.clock.now).take(path)
        }
    }

    func reply(_ status: HTTPResponseStatus, _ json: [UInt8], isEmptyHandler: Bool = false) {
        guard let context else { return }
        var headers: HTTPHeaders
        if isEmptyHandler {
            headers = ["content-type": "application/json"]
        } else {
            let id = String(decoding: Text.uuid(loop.random.uuid()), as: UTF8.self)
            headers = [
                "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff", "client-request-id": id, "x-ms-request-id": id,
            ]
        }
        headers.add(name: "Content-Length", value: "\(json.count)")
        headers.add(name: "Date", value: loop.clock.httpDate)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: json)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isLast { context.close(promise: nil) }
    }
}
