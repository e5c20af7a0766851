import NativeAuthCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A descriptor that is closed when it is deallocated.
final class Socket: Sendable {
    enum Family {
        case v4, v6
    }

    private let descriptor: Locked<Int32>

    private init?(_ descriptor: Int32) {
        guard descriptor >= 0 else { return nil }
        self.descriptor = Locked(descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { close() }

    func close() {
        let number = descriptor.withLock { number in
            defer { number = -1 }
            return number
        }
        if number >= 0 { Self.close(number) }
    }

    private static func close(_ number: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(number)
        #elseif canImport(Musl)
            _ = Musl.close(number)
        #else
            _ = Darwin.close(number)
        #endif
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
    #if canImport(Darwin)
        private static let noSignal: Int32 = 0
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    /// Whether this machine has the address `::1`.
    static var hasIPv6Loopback: Bool { listener(.v6, "::1", port: 0) != nil }

    /// A listener on a loopback address; a port of 0 is any free one. Without `SO_REUSEADDR`, so that no other program can
    /// share the port.
    static func listener(_ family: Family, _ host: String, port: Int) -> Socket? {
        guard let port = UInt16(exactly: port) else { return nil }
        switch family {
        case .v4:
            guard let socket = Socket(makeSocket(AF_INET)) else { return nil }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            // `127.x.y.z`, or a name of it.
            if inet_pton(AF_INET, host, &address.sin_addr) != 1 {
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            }
            return socket.listens(at: &address) ? socket : nil
        case .v6:
            guard let socket = Socket(makeSocket(AF_INET6)) else { return nil }
            var only: Int32 = 1
            _ = setsockopt(
                socket.descriptor.withLock(\.self), Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only,
                socklen_t(MemoryLayout<Int32>.size))
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return socket.listens(at: &address) ? socket : nil
        }
    }

    private static func makeSocket(_ family: Int32) -> Int32 {
        let number = socket(family, stream, 0)
        #if canImport(Darwin)
            var isOn: Int32 = 1
            _ = setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return number
    }

    private func listens<Address>(at address: inout Address) -> Bool {
        let number = descriptor.withLock(\.self)
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) == 0 }
        } && listen(number, 16) == 0
    }

    /// Two sockets that are connected to each other.
    static func pipe() -> (reader: Socket, writer: Socket)? {
        var numbers: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, stream, 0, &numbers) == 0, let reader = Socket(numbers[0]),
            let writer = Socket(numbers[1])
        else { return nil }
        return (reader, writer)
    }

    /// The port of a listener.
    var port: Int? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let number = descriptor.withLock(\.self)
        let isFound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) == 0 }
        }
        // Both families have the port at the same place.
        return isFound ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }

    func accept() -> Socket? {
        #if canImport(Glibc)
            Socket(Glibc.accept(descriptor.withLock(\.self), nil, nil))
        #elseif canImport(Musl)
            Socket(Musl.accept(descriptor.withLock(\.self), nil, nil))
        #else
            Socket(Darwin.accept(descriptor.withLock(\.self), nil, nil))
        #endif
    }

    /// What has arrived; empty at the end; nil when the connection broke.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor.withLock(\.self), &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Sends a few bytes, which fit into an empty buffer of the system.
    func send(_ bytes: [UInt8]) {
        let number = descriptor.withLock(\.self)
        #if canImport(Glibc)
            _ = Glibc.send(number, bytes, bytes.count, Self.noSignal)
        #elseif canImport(Musl)
            _ = Musl.send(number, bytes, bytes.count, Self.noSignal)
        #else
            _ = Darwin.send(number, bytes, bytes.count, Self.noSignal)
        #endif
    }

    /// Tells the other side that nothing more comes.
    func finish() {
        _ = shutdown(descriptor.withLock(\.self), Int32(SHUT_WR))
    }

    /// Waits, and returns for each socket whether something happened; nil when waiting failed.
    static func poll(_ sockets: [Socket], milliseconds: Int) -> [Bool]? {
        var entries = sockets.map { pollfd(fd: $0.descriptor.withLock(\.self), events: Int16(POLLIN), revents: 0) }
        let count = nfds_t(entries.count)
        #if canImport(Glibc)
            let result = Glibc.poll(&entries, count, Int32(clamping: milliseconds))
        #elseif canImport(Musl)
            let result = Musl.poll(&entries, count, Int32(clamping: milliseconds))
        #else
            let result = Darwin.poll(&entries, count, Int32(clamping: milliseconds))
        #endif
        if result < 0 && errno != EINTR { return nil }
        return result <= 0 ? entries.map { _ in false } : entries.map { $0.revents != 0 }
    }
}
