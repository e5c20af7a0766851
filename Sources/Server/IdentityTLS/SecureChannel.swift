import HummingbirdCore
import HummingbirdHTTP2
package import IdentityHTTP
package import Logging
package import NIOCore
import NIOHTTP2
import NIOSSL

/// A connection over TLS, with HTTP/2 where the client offers it by ALPN (RFC 7301), else HTTP/1.1 with the limits of the
/// plain listener.
///
/// Hummingbird's own channel for this has its plain HTTP/1.1 inside and one certificate for its whole life.
package struct SecureChannel: ServerChildChannel {
    package struct Value: ServerChildChannelValue {
        fileprivate let negotiated: EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Channel.Value>>
        package let channel: any Channel
    }

    private let certificate: ListenerCertificate
    private let http1: StrictHTTP1Channel
    private let http2: HTTP2Channel
    /// Counts the connections per source before their handshake, and the requests under way.
    private let counter: (@Sendable () -> any ConnectionCounter)?

    /// - Parameters:
    ///   - http1: The plain channel.
    ///   - counter: Makes the handler that comes first.
    package init(
        _ certificate: ListenerCertificate, over http1: StrictHTTP1Channel,
        counter: (@Sendable () -> any ConnectionCounter)?
    ) {
        self.certificate = certificate
        self.http1 = http1
        self.counter = counter
        http2 = HTTP2Channel(
            responder: http1.http1.responder,
            configuration: .init(
                idleTimeout: .seconds(60), gracefulCloseTimeout: .seconds(20),
                streamConfiguration: .init(additionalChannelHandlers: [HTTP2StreamHandler()])))
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            let pipeline = channel.pipeline.syncOperations
            let counter = counter?()
            if let counter { try pipeline.addHandler(counter) }
            try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
            try pipeline.addHandler(SecureDeadlines(counter))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2AsyncSecureUpgrade { channel in
            http1.setup(channel: channel, logger: logger)
        } http2ConnectionInitializer: { channel in
            http2.setup(channel: channel, logger: logger)
        }
        .map { Value(negotiated: $0, channel: channel) }
    }

    package func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let channel): await http1.handle(value: channel, logger: logger)
            case .http2(let channel): await http2.handle(value: channel, logger: logger)
            }
        } catch {
            // A client that does not trust the certificate, an old version, a scanner: a day of the internet has many.
            logger.debug("a connection had no TLS", metadata: ["cause": "\(type(of: error))"])
        }
    }
}
