import IdentityEngine
import PortableFoundation

/// The source of a request, as limits use it (`SEC-RATE-2`).
struct SourceAddress: Hashable, Sendable {
    /// A network with its own budget.
    struct Network: Hashable, Sendable {
        /// 32, 64 or 48.
        let length: UInt8
        /// The first 8 bytes of the network at most, the rest 0.
        let prefix: UInt64
        /// The multiple of a single source's budget that the network has.
        let share: Int
    }

    let address: IPAddress
    /// The networks of the source: the address for IPv4; for IPv6 both the /64 and the /48, because one customer
    /// commonly has a /64 and may have a /48.
    let networks: [Network]

    init(_ address: IPAddress) {
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
    var prefix: [UInt8] {
        Array(address.bytes.prefix(address.bytes.count == 4 ? 3 : 7))
    }

    /// The source as the engine uses it.
    var forEngine: RequestSource {
        let isIPv4 = address.bytes.count == 4
        return RequestSource(
            address: Data(isIPv4 ? address.bytes : Array(address.bytes.prefix(8))),
            ipv6Prefix48: isIPv4 ? nil : Data(address.bytes.prefix(6)), network: Data(prefix))
    }
}
