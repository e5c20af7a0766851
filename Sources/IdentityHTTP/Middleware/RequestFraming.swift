import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Refuses requests whose length or host two readers could take for different ones (`SEC-NET-11`, RFC 9112 sections 3.2 and 6.3):
/// behind a proxy that reads them the other way, a second request could hide in them. The parser refuses most by itself, and the
/// listener answers 400 and closes the connection for its errors; this adds the cases that it lets through.
final class RequestFraming: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing that follows on the connection can be trusted to begin where it seems to.
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.hasOneLength(head) || !Self.hasOneHost(head) {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.unknown)
        } else {
            context.fireChannelRead(data)
        }
    }

    /// `chunked` is the one coding that this server reads, since HTTP/1.1 and without a length beside it.
    private static func hasOneLength(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        guard !codings.isEmpty else { return lengths.count <= 1 }
        return lengths.isEmpty && codings.count == 1 && codings[0].lowercased() == "chunked"
            && head.version != .http1_0
    }

    /// One `Host`, which an absolute URL repeats. Of the other forms of a target, `*` asks for nothing that is here.
    private static func hasOneHost(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0 else { return false }
        guard hosts.allSatisfy(isAuthority) else { return false }
        if head.uri.utf8.first == UInt8(ascii: "/") { return true }
        let uri = head.uri.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { uri.hasPrefix($0) }) else { return false }
        let authority = uri.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        return hosts.first?.lowercased() == String(authority)
    }

    /// A host and perhaps a port; no user, list or blank.
    private static func isAuthority(_ text: String) -> Bool {
        guard let host = HostAndPort.host(of: text[...]), !host.isEmpty else { return false }
        return host.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || ".-_~:%".utf8.contains($0)
        }
    }
}

/// HTTP/1.1 as Hummingbird speaks it, with what has to be close to the parser right behind it: ``RequestFraming``, where both hosts
/// are still to be seen, deadlines, and the gate.
struct StrictHTTP1Channel: ServerChildChannel {
    let http1: HTTP1Channel
    /// Nil where everybody has room.
    let gate: (@Sendable () -> NewcomerGate)?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            // Each is put right behind the parser, so the last one is the first to read.
            if let gate { try pipeline.addHandler(gate(), position: .after(parser)) }
            try pipeline.addHandler(RequestFraming(), position: .after(parser))
            try pipeline.addHandler(ConnectionDeadlines(), position: .after(parser))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http1.handle(value: value, logger: logger)
    }
}
