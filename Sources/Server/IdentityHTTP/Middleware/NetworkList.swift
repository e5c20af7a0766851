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

extension NetworkList {
    /// Whether the list covers half or more of the addresses of IPv4, of IPv6, or of the eighth of IPv6 that is in use
    /// (2000::/3, RFC 4291 section 2.4). Such a list contains networks of strangers, in one range or in several.
    package var coversHalf: Bool {
        let inUse = Block(network: [0x20] + [UInt8](repeating: 0, count: 15), length: 3)
        // When two ranges overlap, one contains the other, so the outermost ranges share no address.
        let outermost = Set(blocks).filter { block in
            !blocks.contains { $0 != block && $0.holds(block) }
        }
        func share(_ blocks: some Sequence<Block>, ofBits length: Int) -> Double {
            blocks.reduce(0) { $0 + Double(sign: .plus, exponent: length - $1.length, significand: 1) }
        }
        let (ipv4, ipv6) = (outermost.filter { $0.network.count == 4 }, outermost.filter { $0.network.count == 16 })
        return share(ipv4, ofBits: 0) >= 0.5 || share(ipv6, ofBits: 0) >= 0.5 || ipv6.contains { $0.holds(inUse) }
            || share(ipv6.filter { inUse.holds($0) }, ofBits: inUse.length) >= 0.5
    }
}

extension NetworkList.Block {
    /// Whether this range contains every address of `other`.
    fileprivate func holds(_ other: Self) -> Bool {
        guard other.network.count == network.count, other.length >= length else { return false }
        return zip(network, other.network).enumerated().allSatisfy { index, bytes in
            (bytes.0 ^ bytes.1) >> (8 - min(max(length - 8 * index, 0), 8)) == 0
        }
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

extension Substring {
    /// The text without spaces and tabs at either end (RFC 9110 section 5.6.3).
    func trimmingBlanks() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
