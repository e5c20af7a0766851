package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1

/// Refuses requests whose length or host two readers could understand differently (`SEC-NET-11`, RFC 9112 sections 3.2
/// and 6.3): behind a proxy with the other reading, such a request could hide a second one. The parser refuses most of
/// them, and the listener answers its errors with 400 and closes the connection; this handler refuses the rest.
final class RequestFraming: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After a refusal, the position where the next request begins cannot be trusted.
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.hasOneLength(head) || !Self.hasOneHost(head) {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.unknown)
        } else {
            context.fireChannelRead(data)
        }
    }

    /// Whether the request has exactly one length. `chunked` is the only transfer coding that this server reads, from
    /// HTTP/1.1 on and without a length besides.
    private static func hasOneLength(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        guard !codings.isEmpty else { return lengths.count <= 1 }
        return lengths.isEmpty && codings.count == 1 && codings[0].lowercased() == "chunked"
            && head.version != .http1_0
    }

    /// Whether the request has exactly one `Host`, which an absolute URL must repeat. Of the other forms of a target,
    /// `*` matches no route here.
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

    /// Whether the text is a host with an optional port, without user, list or blank.
    private static func isAuthority(_ text: String) -> Bool {
        guard let host = HostAndPort.host(of: text[...]), !host.isEmpty else { return false }
        return host.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || ".-_~:%".utf8.contains($0)
        }
    }
}

/// Hummingbird's HTTP/1.1 channel with the handlers that must be directly behind the parser: ``RequestFraming``, which
/// needs to see both hosts, deadlines, and the gate.
package struct StrictHTTP1Channel: ServerChildChannel {
    package let http1: HTTP1Channel
    /// Makes the gate; nil when newcomers are not limited.
    let gate: (@Sendable () -> OverloadAdmission)?

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            // Each handler is inserted directly behind the parser, so the last one reads first.
            if let gate { try pipeline.addHandler(gate(), position: .after(parser)) }
            try pipeline.addHandler(RequestFraming(), position: .after(parser))
            try pipeline.addHandler(ConnectionDeadlines(), position: .after(parser))
            return value
        }
    }

    package func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http1.handle(value: value, logger: logger)
    }
}
