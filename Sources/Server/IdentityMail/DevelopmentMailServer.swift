import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A small SMTP server (RFC 5321) on this machine that counts mails and discards them.
///
/// The development profile has no mail server, but its mails still take the full path over a socket.
/// ``DevelopmentInbox`` shows their content.
package final class DevelopmentMailServer: Service {
    /// The largest size of a message, in bytes.
    static let sizeLimit = 1 << 20

    /// The port that the server listens on.
    package let port: Int
    private let channel: any Channel
    private let connections: Connections

    private init(channel: any Channel, port: Int, connections: Connections) {
        self.channel = channel
        self.port = port
        self.connections = connections
    }

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - host: A loopback address, as digits.
    ///   - port: The port; 0 for any free port.
    /// - Throws: `IOError` when the port is in use, `SocketAddressError` and `ChannelError` for a host of another kind.
    package static func start(host: String = "127.0.0.1", port: Int = 0) async throws -> DevelopmentMailServer {
        guard host.hasPrefix("127.") || host == "::1" else { throw SocketAddressError.unsupported }
        let address = try SocketAddress(ipAddress: host, port: port)
        let connections = Connections()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SMTPHandler(connections))
                }
            }
            .bind(to: address).get()
        guard let port = channel.localAddress?.port else {
            try await channel.close()
            throw SocketAddressError.unsupported
        }
        return DevelopmentMailServer(channel: channel, port: port, connections: connections)
    }

    /// The number of accepted mails.
    package var acceptedCount: Int { connections.acceptedCount }

    /// Stops listening and ends the connections; a second call does nothing.
    package func shutdown() async throws {
        do {
            try await channel.close()
        } catch ChannelError.alreadyClosed {}
        connections.closeAll()
    }

    package func run() async throws {
        do {
            try await gracefulShutdown()
        } catch is CancellationError {
            // Cancelled or asked to stop: in both cases, stop.
        }
        try await shutdown()
    }
}

/// The open connections, and the count of mails over all of them.
private final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var accepted = 0
    }

    private let state = Mutex(State())

    var acceptedCount: Int { state.withLock { $0.accepted } }

    func countMail() {
        state.withLock { $0.accepted += 1 }
    }

    func add(_ channel: any Channel) {
        state.withLock { $0.open[ObjectIdentifier(channel)] = channel }
        channel.closeFuture.whenComplete { _ in self.remove(channel) }
    }

    func closeAll() {
        let channels = state.withLock { $0.open.values.map { $0 } }
        for channel in channels { channel.close(promise: nil) }
    }

    private func remove(_ channel: any Channel) {
        state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
    }
}

/// One SMTP session, used only on its channel's event loop.
private final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// No EHLO or HELO yet.
        case greeted
        case ready
        /// After MAIL.
        case hasSender
        /// After RCPT.
        case hasRecipient
        /// After DATA; counts the received bytes.
        case receiving(bytes: Int)
    }

    private enum Verb: String {
        case ehlo, helo, mail, rcpt, data, rset, noop, quit
    }

    /// The longest line: text, its doubled dot and CR LF (RFC 5321 section 4.5.3.1.6).
    private static let longestLine = 1_001

    private var state = State.greeted
    /// What came after the last whole line.
    private var rest: [UInt8] = []
    /// After QUIT, or a line that is too long.
    private var isOver = false
    private let connections: Connections

    init(_ connections: Connections) {
        self.connections = connections
    }

    func channelActive(context: ChannelHandlerContext) {
        reply("220 localhost ready", context)
    }

    /// Splits the stream only at CR LF: a lone CR or LF is part of a line (RFC 5321 section 2.3.8).
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        rest += unwrapInboundIn(data).readableBytesView
        var lines = rest[...]
        while !isOver, let end = Self.endOfLine(in: lines) {
            guard end + 2 - lines.startIndex <= Self.longestLine else { return giveUp(context) }
            let line = lines[..<end]
            lines = lines[(end + 2)...]
            switch state {
            case .receiving(let bytes): receive(line, after: bytes, context)
            case .greeted, .ready, .hasSender, .hasRecipient: obey(line, context)
            }
        }
        rest = Array(lines)
        if !isOver, rest.count >= Self.longestLine { giveUp(context) }
    }

    private static func endOfLine(in bytes: ArraySlice<UInt8>) -> Int? {
        var searched = bytes
        while let lineFeed = searched.firstIndex(of: 0x0A) {
            if lineFeed > bytes.startIndex, bytes[lineFeed - 1] == 0x0D { return lineFeed - 1 }
            searched = bytes[(lineFeed + 1)...]
        }
        return nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The line is too long: the session cannot be resynchronised.
    private func giveUp(_ context: ChannelHandlerContext) {
        reply("500 line too long", context)
        end(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        isOver = true
        rest = []
        context.close(promise: nil)
    }

    private func receive(_ line: ArraySlice<UInt8>, after bytes: Int, _ context: ChannelHandlerContext) {
        guard line.count == 1, line.first == UInt8(ascii: ".") else {
            state = .receiving(bytes: bytes + line.count + 2)
            return
        }
        state = .ready
        if bytes > DevelopmentMailServer.sizeLimit {
            reply("552 message too big", context)
        } else {
            connections.countMail()
            reply("250 taken", context)
        }
    }

    private func obey(_ line: ArraySlice<UInt8>, _ context: ChannelHandlerContext) {
        let word = String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
        guard let verb = Verb(rawValue: word.lowercased()) else { return reply("500 unknown command", context) }
        switch (verb, state) {
        case (.ehlo, _):
            state = .ready
            reply("250-localhost\r\n250 SIZE \(DevelopmentMailServer.sizeLimit)", context)
        case (.helo, _):
            state = .ready
            reply("250 localhost", context)
        case (.mail, .ready): advance(to: .hasSender, context)
        case (.rcpt, .hasSender), (.rcpt, .hasRecipient): advance(to: .hasRecipient, context)
        case (.data, .hasRecipient):
            state = .receiving(bytes: 0)
            reply("354 send the mail", context)
        case (.rset, .greeted), (.noop, _): reply("250 ok", context)
        case (.rset, _): advance(to: .ready, context)
        case (.quit, _):
            reply("221 bye", context)
            end(context)
        case (.mail, _), (.rcpt, _), (.data, _): reply("503 not now", context)
        }
    }

    private func advance(to next: State, _ context: ChannelHandlerContext) {
        state = next
        reply("250 ok", context)
    }

    private func reply(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: text + "\r\n")), promise: nil)
    }
}
