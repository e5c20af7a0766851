package import IdentityEngine
package import NIOCore
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IP address. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2) equals the IPv4
/// address, so that no source has two.
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// - Parameter text: An address such as `192.0.2.1` or `2001:db8::1`; no zone, port, bracket or blank.
    package init?(_ text: some StringProtocol) {
        let isPlausible = (2...45).contains(text.utf8.count) && text.utf8.allSatisfy { $0 != 0 && $0 != 0x25 }
        guard isPlausible else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, String(text), &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, String(text), &bytes) == 1 {
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    /// The remote end of a connection; nil when it is not an IP address.
    package init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    /// Whether the address belongs to this machine: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The address with all bits after the first `length` set to 0.
    func masked(_ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            byte & ~UInt8(truncatingIfNeeded: 0xFF >> min(max(length - 8 * index, 0), 8))
        }
    }
}

/// A host with an optional port, as `Host` and `X-Forwarded-For` write them: `host`, `host:port`, `[IPv6]`,
/// `[IPv6]:port` or, without a port, a bare IPv6 address.
enum HostAndPort {
    /// The host without brackets; nil when the text has another form.
    static func host(of text: Substring) -> Substring? {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            return host.contains(":") && (rest.isEmpty || isPort(rest)) ? host : nil
        }
        guard let colon = text.firstIndex(of: ":") else { return text }
        let rest = text[colon...]
        if rest.dropFirst().contains(":") { return text }
        return isPort(rest) ? text[..<colon] : nil
    }

    /// Whether `authority` is a name of loopback, or one of `others`, in lower case; nil `others` allow any name.
    static func isLoopback(_ authority: String, or others: Set<String>? = []) -> Bool {
        guard let others else { return true }
        guard let host = host(of: authority[...]) else { return false }
        // Fast path: most clients send this form.
        if host == "127.0.0.1" { return true }
        let name = host.lowercased()
        return name == "localhost" || others.contains(name) || IPAddress(host)?.isLoopback == true
    }

    /// Whether the text is a colon and at most five digits; RFC 3986 section 3.2.3 also allows no digits.
    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count <= 6 && text.first == ":" && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// A list of networks.
package struct NetworkList: Hashable, Sendable {
    /// A range of addresses, as in `10.0.0.0/8`.
    struct Block: Hashable, Sendable {
        /// 4 or 16 bytes; all bits after the length are 0.
        let network: [UInt8]
        /// The prefix length in bits.
        let length: Int

        func contains(_ address: IPAddress) -> Bool {
            address.bytes.count == network.count && address.masked(length) == network
        }
    }

    /// An item of the list that is not a range; the text is a sentence without a full stop.
    package struct Invalid: Error, Hashable {
        package var sentence: String
    }

    private(set) var blocks: [Block] = []

    package init() {}

    /// - Parameter list: Ranges in CIDR form (RFC 4632), or addresses, with commas between them.
    /// - Throws: ``Invalid`` for anything else, for `*` and `/0`, which would list every address, and for a range whose
    ///   address has bits beyond its length, because one of the two must be a mistake.
    package init(_ list: String) throws(Invalid) {
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            let text = item.trimmingBlanks()
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard text != "*" else { throw Invalid(sentence: "it must not contain *, which would list every address") }
            guard let first = parts.first, let address = IPAddress(first) else {
                throw Invalid(sentence: "it must be a list of IP addresses or ranges such as 10.0.0.0/8")
            }
            var length = address.bytes.count * 8
            if parts.count == 2 {
                let isDecimal =
                    (1...3).contains(parts[1].utf8.count) && parts[1].utf8.allSatisfy { (48...57).contains($0) }
                // In IPv6 notation of an IPv4 range, the length counts from the start of the IPv6 address.
                let offset = address.bytes.count == 4 && first.contains(":") ? 96 : 0
                guard isDecimal, let number = Int(parts[1]), (1...length).contains(number - offset) else {
                    throw Invalid(sentence: "the length after a slash must be from 1 to 32, or to 128 for IPv6")
                }
                length = number - offset
            }
            guard address.masked(length) == address.bytes else {
                throw Invalid(sentence: "the address of a range must have only zeros after its length")
            }
            blocks.append(Block(network: address.bytes, length: length))
        }
    }

    package var isEmpty: Bool { blocks.isEmpty }

    package func contains(_ address: IPAddress) -> Bool {
        blocks.contains { $0.contains(address) }
    }
}

/// The proxies whose `X-Forwarded-For` is trusted (`SEC-NET-2`). None by default.
package struct TrustedProxies: Hashable, Sendable {
    package let networks: NetworkList

    /// - Parameter networks: The networks of the trusted proxies; none by default.
    package init(_ networks: NetworkList = NetworkList()) {
        self.networks = networks
    }

    /// The source of a request: the peer, or behind trusted proxies the first address, from right to left, that is not
    /// a trusted proxy.
    ///
    /// Only values that a trusted machine wrote are read, so values that the client itself sent do not change the
    /// result. When every hop is trusted, the source is the peer: a machine inside the network could otherwise choose
    /// its source.
    ///
    /// - Parameter fields: The values of all `X-Forwarded-For` fields, in order.
    /// - Returns: Nil when a trusted proxy wrote a value that is not an address; the caller then uses the peer and logs
    ///   it.
    package func client(behind peer: IPAddress, forwardedFor fields: [String]) -> IPAddress? {
        guard networks.contains(peer) else { return peer }
        for field in fields.reversed() {
            for hop in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                guard let host = HostAndPort.host(of: hop.trimmingBlanks()), let address = IPAddress(host) else {
                    return nil
                }
                if !networks.contains(address) { return address }
            }
        }
        return peer
    }
}

/// The source of a request, as limits use it (`SEC-RATE-2`).
package struct SourceAddress: Hashable, Sendable {
    /// A network with its own budget.
    struct Network: Hashable, Sendable {
        /// 32, 64 or 48.
        let length: UInt8
        /// The first 8 bytes of the network at most, the rest 0.
        let prefix: UInt64
        /// The multiple of a single source's budget that the network has.
        let share: Int
    }

    package let address: IPAddress
    /// The networks of the source: the address for IPv4; for IPv6 both the /64 and the /48, because one customer
    /// commonly has a /64 and may have a /48.
    let networks: [Network]

    package init(_ address: IPAddress) {
        self.address = address
        let prefix = address.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        networks =
            address.bytes.count == 4
            ? [Network(length: 32, prefix: prefix, share: 1)]
            : [
                Network(length: 64, prefix: prefix, share: 1),
                Network(length: 48, prefix: prefix & ~0xFFFF, share: 8),
            ]
    }

    /// The network that is familiar or not: 3 bytes for IPv4, 7 for IPv6 (`SEC-LOCK-3`).
    package var prefix: [UInt8] {
        Array(address.bytes.prefix(address.bytes.count == 4 ? 3 : 7))
    }

    /// The source as the engine uses it.
    package var forEngine: RequestSource {
        let isIPv4 = address.bytes.count == 4
        return RequestSource(
            address: Data(isIPv4 ? address.bytes : Array(address.bytes.prefix(8))),
            ipv6Prefix48: isIPv4 ? nil : Data(address.bytes.prefix(6)), network: Data(prefix))
    }
}

extension Substring {
    /// The text without spaces and tabs at either end (RFC 9110 section 5.6.3).
    fileprivate func trimmingBlanks() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
