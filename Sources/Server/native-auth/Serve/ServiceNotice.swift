import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the service manager that the server accepts requests, so that a start or a restart waits for it: the datagram of
/// `sd_notify(3)`, which needs no library.
enum ServiceNotice {
    /// Sends `READY=1` to the socket that `NOTIFY_SOCKET` names; does nothing without one.
    ///
    /// - Parameter socketName: A path, or a name that begins with `@`, which is in no file system.
    static func ready(_ socketName: String? = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]) {
        guard let socketName, let first = socketName.first, first == "/" || first == "@" else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socketName.utf8)
        if first == "@" { name[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        #if canImport(Darwin)
            let kind = SOCK_DGRAM
        #else
            let kind = Int32(SOCK_DGRAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = MemoryLayout<sockaddr_un>.size - room + name.count
        let message = Array("READY=1\n".utf8)
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, 0, $0, socklen_t(length))
            }
        }
    }
}
