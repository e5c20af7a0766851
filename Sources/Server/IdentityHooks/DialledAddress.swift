import CCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The addresses that a server of others may have (`SEC-NET-13`).
package enum DialledAddress {
    /// Whether an address, 4 or 16 bytes in network order, belongs to a public machine: none of the special ranges of
    /// the IANA registries (RFC 6890), such as loopback, private networks and the metadata service of clouds.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: !specialIPv4.contains { matches(bytes, $0.0, $0.1) }
        // Only 2000::/3 is assigned to machines (RFC 4291 section 2.4).
        case 16: matches(bytes, [0x20], 3) && !specialIPv6.contains { matches(bytes, $0.0, $0.1) }
        case _: false
        }
    }

    /// Whether the address is one of this machine: 127.0.0.0/8 or `::1`.
    package static func isLoopback(_ bytes: [UInt8]) -> Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    private static let specialIPv4: [([UInt8], Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]

    /// Inside 2000::/3: special assignments, documentation, and 6to4, which reaches any IPv4 address.
    private static let specialIPv6: [([UInt8], Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]

    private static func matches(_ bytes: [UInt8], _ network: [UInt8], _ length: Int) -> Bool {
        let padded = network + [UInt8](repeating: 0, count: bytes.count - network.count)
        return zip(bytes, padded).enumerated().allSatisfy { index, pair in
            (pair.0 ^ pair.1) >> (8 - min(max(length - 8 * index, 0), 8)) == 0
        }
    }

    /// The bytes of an address that libcurl is about to dial; nil for anything but IPv4 and IPv6. An IPv4 address in
    /// IPv6 form (RFC 4291 section 2.5.5.2) is given as IPv4.
    static func bytes(of address: UnsafeMutablePointer<curl_sockaddr>) -> [UInt8]? {
        withUnsafePointer(to: &address.pointee.addr) { pointer -> [UInt8]? in
            let raw = UnsafeRawPointer(pointer)
            switch address.pointee.family {
            case AF_INET:
                guard address.pointee.addrlen >= MemoryLayout<sockaddr_in>.size else { return nil }
                let place = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4
                return [UInt8](UnsafeRawBufferPointer(start: raw + place, count: 4))
            case AF_INET6:
                guard address.pointee.addrlen >= MemoryLayout<sockaddr_in6>.size else { return nil }
                let place = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                let bytes = [UInt8](UnsafeRawBufferPointer(start: raw + place, count: 16))
                let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
                return isMapped ? Array(bytes.suffix(4)) : bytes
            case _: return nil
            }
        }
    }

    static func socket(for address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let (family, type) = (address.pointee.family, address.pointee.socktype)
        #if canImport(Glibc)
            return Glibc.socket(family, type | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
        #elseif canImport(Musl)
            return Musl.socket(family, type | SOCK_CLOEXEC, address.pointee.protocol)
        #else
            // Unverified on this platform: close-on-exec is set after the call.
            let descriptor = Darwin.socket(family, type, address.pointee.protocol)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return descriptor
        #endif
    }
}
