#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds a free port: the base URL, and so the issuer, must be known before the listener starts.
enum FreePort {
    static func any(on host: String) throws(StartFailure) -> Int {
        let isIPv6 = host == "::1"
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw .unavailable("No socket can be had.") }
        defer { close(descriptor) }
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            return try bound(descriptor, &address, port: \.sin6_port)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try bound(descriptor, &address, port: \.sin_port)
    }

    private static func bound<Address>(
        _ descriptor: Int32, _ address: inout Address, port: KeyPath<Address, in_port_t>
    ) throws(StartFailure) -> Int {
        var size = socklen_t(MemoryLayout<Address>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard isBound else { throw .unavailable("No free port can be had.") }
        return Int(address[keyPath: port].bigEndian)
    }

    static var streamType: Int32 {
        #if canImport(Darwin)
            SOCK_STREAM
        #else
            Int32(SOCK_STREAM.rawValue)
        #endif
    }
}
