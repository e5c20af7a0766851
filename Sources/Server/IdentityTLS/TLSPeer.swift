import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import NativeAuthCore

/// A server as a TLS client sees it, trusted or not.
package struct TLSPeer: Sendable {
    /// Why there is no TLS connection.
    package enum Failure: Error, Sendable {
        /// The name has no address.
        case noAddress
        /// No address of the name accepts the connection.
        case unreachable
        /// The peer does not speak TLS, or none of the versions.
        case noTLS
        /// No complete handshake within ten seconds.
        case timedOut
    }

    package enum Version: Sendable {
        /// TLS 1.2 and 1.3, which servers here speak.
        case present
        /// TLS 1.0 and 1.1, which RFC 8996 forbids.
        case forbidden
    }

    /// The chain that the server sends; nil when it cannot be parsed.
    package let chain: CertificateChain?

    /// Whether a program accepts connections there, whatever it speaks.
    ///
    /// - Throws: ``Failure/noAddress``, ``Failure/unreachable``, or ``Failure/timedOut`` after five seconds without an answer.
    package static func reach(_ host: String, port: Int) async throws(Failure) {
        do {
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(5)).connect(host: host, port: port).get()
            channel.close(promise: nil)
        } catch let error as NIOConnectionError {
            guard let first = error.connectionErrors.first?.error else { throw .noAddress }
            if case ChannelError.connectTimeout = first { throw .timedOut }
            throw .unreachable
        } catch {
            throw .unreachable
        }
    }

    /// Connects, and looks at the certificates without a judgement.
    package static func meet(
        _ host: String, port: Int, speaking version: Version = .present
    ) async throws(Failure) -> TLSPeer {
        var configuration = TLSConfiguration.makeClientConfiguration()
        switch version {
        case .present: configuration.minimumTLSVersion = .tlsv12
        case .forbidden:
            configuration.minimumTLSVersion = .tlsv1
            configuration.maximumTLSVersion = .tlsv11
        }
        // Even with the callback below, the library would compare the names.
        configuration.certificateVerification = .noHostnameVerification
        let isAddress = host.contains(":") || host.wholeMatch(of: /[0-9.]+/) != nil
        let seen = Locked<[[UInt8]]>([])
        let channel: any Channel
        let handshake: EventLoopFuture<Void>
        do {
            let context = try NIOSSLContext(configuration: configuration)
            (channel, handshake) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(10))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let done = channel.eventLoop.makePromise(of: Void.self)
                        let tls = try NIOSSLClientHandler(
                            context: context, serverHostname: isAddress ? nil : host,
                            customVerificationCallback: { certificates, promise in
                                do {
                                    let chain = try certificates.map { try $0.toDERBytes() }
                                    seen.withLock { $0 = chain }
                                    promise.succeed(.certificateVerified)
                                } catch {
                                    promise.fail(error)
                                }
                            })
                        try channel.pipeline.syncOperations.addHandlers([tls, HandshakeEnd(done)])
                        return (channel, done.futureResult)
                    }
                }
        } catch let error as NIOConnectionError {
            throw error.connectionErrors.isEmpty ? .noAddress : .unreachable
        } catch {
            throw .unreachable
        }
        defer { channel.close(promise: nil) }
        do {
            try await handshake.get()
        } catch is HandshakeEnd.TooSlow {
            throw .timedOut
        } catch {
            throw .noTLS
        }
        // What does not parse here is reported as such by the caller.
        return TLSPeer(chain: try? CertificateChain(der: seen.withLock { $0 }))
    }
}

/// Completes a promise when the handshake ends, well or not.
private final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = Any

    struct TooSlow: Error {}
    struct Ended: Error {}

    private let done: EventLoopPromise<Void>
    private var deadline: Scheduled<Void>?

    init(_ done: EventLoopPromise<Void>) { self.done = done }

    func handlerAdded(context: ChannelHandlerContext) {
        let done = done
        deadline = context.eventLoop.scheduleTask(in: .seconds(10)) { done.fail(TooSlow()) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        done.fail(Ended())
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { done.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        done.fail(Ended())
        context.fireChannelInactive()
    }
}
