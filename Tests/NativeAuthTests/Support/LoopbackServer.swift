import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs `body` while a server on this machine answers every connection with the bytes of `answer`, regardless of the
/// request. An empty answer keeps the client waiting.
///
/// `body` receives the port, and a function that returns the bytes of the first connection, or nothing without a
/// connection.
func withLoopbackServer(
    _ answer: String, _ body: (Int, @escaping @Sendable () async -> String) async throws -> Void
) async throws {
    let server = LoopbackServer()
    let port = try server.start(answering: Array(answer.utf8))
    defer { server.stop() }
    try await body(port) { await server.received(waiting: answer.isEmpty) }
}

/// Sockets of the C library on a separate thread, because the tests of a client package need no server framework.
private final class LoopbackServer: Sendable {
    private struct State {
        var listener: Int32 = -1
        var connections: [Int32] = []
        var received = ""
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    struct Failure: Error {}
    private let state = Mutex(State())

    func start(answering answer: [UInt8]) throws -> Int {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard listener >= 0, isBound else { throw Failure() }
        state.withLock { $0.listener = listener }
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                serve(connection, answer)
            }
            #if !canImport(Darwin)
                // Only this thread closes it: a number that is free again can be the listener of another test, whose connection
                // this thread would then answer.
                close(listener)
            #endif
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ connection: Int32, _ answer: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        let waiters = state.withLock { state in
            state.connections.append(connection)
            if state.received.isEmpty { state.received = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        guard !answer.isEmpty else { return }
        var sent = 0
        while sent < answer.count {
            let written = answer[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Self.noSignal) }
            guard written > 0 else { break }
            sent += written
        }
        shutdown(connection, Int32(SHUT_WR))
    }

    #if canImport(Darwin)
        private static let noSignal: Int32 = 0
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    func received(waiting: Bool) async -> String {
        if waiting {
            await withCheckedContinuation { continuation in
                let isHere = state.withLock { state in
                    if state.received.isEmpty { state.waiters.append(continuation) }
                    return !state.received.isEmpty
                }
                if isHere { continuation.resume() }
            }
        }
        return state.withLock { $0.received }
    }

    func stop() {
        let (listener, connections) = state.withLock { ($0.listener, $0.connections) }
        // It ends the thread's `accept`, also one that is still to come.
        shutdown(listener, Int32(SHUT_RDWR))
        #if canImport(Darwin)
            // There only this ends it. Unverified on this platform.
            close(listener)
        #endif
        for connection in connections { close(connection) }
    }
}
