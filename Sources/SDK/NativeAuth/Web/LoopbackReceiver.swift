import NativeAuthCore

#if canImport(FoundationNetworking)
    package import Foundation
#else
    package import PortableFoundation
#endif

/// Waits on a port of this machine for the one request that answers a page. A thread of its own serves it, asleep in
/// `poll` between events.
package final class LoopbackReceiver: Sendable {
    /// The bounds of a wait.
    package struct Limits: Sendable {
        /// The longest request, in bytes.
        package var requestSize = 16_384
        /// For a whole request, in milliseconds.
        package var connectionTime = 5_000
        /// For the whole wait, in milliseconds.
        package var totalTime = 300_000
        /// With more, the oldest is closed.
        package var connections = 32

        package init() {}
    }

    let port: Int
    private let host: String
    private let limits: Limits
    private let listeners: [Socket]
    /// Two ends of a pipe: a byte in it ends the thread.
    private let wake: (reader: Socket, writer: Socket)
    private let result = Race<URL>()
    private let isStarted = Locked(false)

    /// Takes the port of `callback`, or a free one when it has none.
    ///
    /// - Throws: ``WebAuthenticationError/couldNotShow(_:)`` when the port is taken.
    package init(for callback: URL, limits: Limits) throws(WebAuthenticationError) {
        self.limits = limits
        host = callback.host(percentEncoded: true)?.lowercased() ?? ""
        var listeners: [Socket] = []
        var port = callback.port ?? 0
        let families: [Socket.Family] =
            switch host {
            case "localhost": [.v4, .v6]
            case "[::1]", "::1": [.v6]
            case _: [.v4]
            }
        // A port that is free for one address may be taken for the other.
        for _ in 0..<(port == 0 ? 16 : 1) {
            listeners = []
            var chosen = port
            for family in families {
                // A machine may have no IPv6; then nothing else can listen there either.
                if family == .v6, !listeners.isEmpty, !Socket.hasIPv6Loopback { continue }
                guard let socket = Socket.listener(family, host, port: chosen), let number = socket.port else { break }
                listeners.append(socket)
                chosen = number
            }
            let expected = families.count == 2 && !Socket.hasIPv6Loopback ? 1 : families.count
            if listeners.count == expected {
                port = chosen
                break
            }
            listeners = []
        }
        guard !listeners.isEmpty, let wake = Socket.pipe() else {
            throw .couldNotShow("The port \(port == 0 ? "" : "\(port) ")for the answer cannot be opened.")
        }
        self.listeners = listeners
        self.port = port
        self.wake = wake
    }

    /// Ends the wait with `result`, unless it has ended.
    func end(with result: Result<URL, WebAuthenticationError>) {
        self.result.end(with: result.mapError { $0 as any Error })
        wake.writer.send([0])
    }

    /// Waits for the address that answers `request`. Once only.
    package func answer(to request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
        Thread.detachNewThread { [self] in
            serve(request)
            // No effect after an answer.
            result.end(with: .failure(WebAuthenticationError.timedOut))
        }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { result.begin($0) }
            } onCancel: {
                end(with: .failure(.cancelled))
            }
        } catch {
            throw error as? WebAuthenticationError ?? .cancelled
        }
    }

    // MARK: Connections

    private struct Connection {
        let socket: Socket
        var received: [UInt8] = []
        var deadline: Int
        /// Whether it got its answer: what else arrives is dropped, so that the close does not destroy the answer.
        var isAnswered = false
    }

    private func serve(_ request: WebAuthenticationRequest) {
        let end = Self.now + limits.totalTime
        var connections: [Connection] = []
        while true {
            let next = connections.map(\.deadline).min().map { min($0, end) } ?? end
            let waiting = [wake.reader] + listeners + connections.map(\.socket)
            guard let ready = Socket.poll(waiting, milliseconds: max(0, next - Self.now)), !ready[0], Self.now < end
            else { break }
            let isReady = ready.dropFirst(1 + listeners.count)
            var url: URL?
            connections = zip(connections, isReady).compactMap { connection, isReady in
                var connection = connection
                guard Self.now < connection.deadline else { return nil }
                guard isReady else { return connection }
                return receive(&connection, request, &url) ? connection : nil
            }
            if let url {
                result.end(with: .success(url))
                break
            }
            for (listener, isReady) in zip(listeners, ready.dropFirst()) where isReady {
                guard let socket = listener.accept() else {
                    // The process may have no descriptors left; the connection stays in the queue.
                    _ = Socket.poll([wake.reader], milliseconds: 100)
                    continue
                }
                // The newest ones stay: a program that holds many open must not keep the browser out.
                if connections.count >= limits.connections { connections.removeFirst() }
                connections.append(Connection(socket: socket, deadline: Self.now + limits.connectionTime))
            }
        }
        for listener in listeners { listener.close() }
    }

    /// Reads what has arrived; answers a request that is complete. Returns whether the connection stays open.
    private func receive(
        _ connection: inout Connection, _ request: WebAuthenticationRequest, _ url: inout URL?
    ) -> Bool {
        guard let bytes = connection.socket.receive(), !bytes.isEmpty else { return false }
        guard !connection.isAnswered else { return true }
        connection.received += bytes
        let reply: LoopbackReply
        switch LoopbackMessage.read(connection.received, limit: limits.requestSize) {
        case nil: return true
        case .failure(let refusal)?: reply = refusal
        case .success(let message)?:
            switch message.answer(to: request, at: "\(host):\(port)") {
            case .success(let answer): (reply, url) = (.done, answer)
            case .failure(let refusal): reply = refusal
            }
        }
        connection.socket.send(Array(reply.text.utf8))
        connection.socket.finish()
        connection.isAnswered = true
        connection.deadline = min(connection.deadline, Self.now + 1_000)
        return true
    }

    /// Milliseconds on a clock that users cannot set.
    private static var now: Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
    private static let start = ContinuousClock.now
}
