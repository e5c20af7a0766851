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
