import Foundation
import IdentityHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `X-Forwarded-For` and the list of trusted proxies (`SEC-NET-2`): no client can choose the address that limits are
/// counted for.
struct ProxyTarget: Target {
    static let name = "proxies"

    private static let peers = ["10.1.2.3", "203.0.113.7", "2001:db8::1", "::ffff:10.0.0.1", "::1", "198.51.100.1"]
    private let proxies: TrustedProxies
    private let mutator = Mutator(
        [
            "198.51.100.7", "198.51.100.7, 10.0.0.2", "[2001:db9::1]:443, 10.0.0.1:80", "10.0.0.1,10.0.0.2",
            "2001:db9::1%eth0",
            "unknown", "_hidden, 198.51.100.7", "\"198.51.100.7\"", "::ffff:198.51.100.7, 2001:db8::5",
            "10.0.0.0/8, 192.0.2.1",
        ],
        words: [
            ",", ", ", " ", "\t", ":", "::", "[", "]", "%25", "%eth0", "10.0.0.1", "192.0.2.9", "2001:db8::9",
            "2001:db9::9",
            "::ffff:192.0.2.9", "0x7f.1", "127.1", "2130706433", "01.2.3.4", "256.1.1.1", "1.2.3.4.5", ":80", ":99999",
            ":-1", "\0", "\n",
            "é", "\u{301}", "１０.0.0.1", "for=", ";", "/8", "/0", "/32", "/129", "*", "", "localhost",
        ], bytes: [[0xFF]], long: 10_240)

    init() throws {
        proxies = try TrustedProxies(NetworkList("10.0.0.0/8, 2001:db8::/32, ::1"))
    }

    /// A byte for the peer, and the header's values, a line feed between them.
    func input(_ chance: inout Chance) -> [UInt8] { chance.bytes(1) + mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        guard let first = input.first, let peer = IPAddress(Self.peers[Int(first) % Self.peers.count]) else {
            return false
        }
        let text = Array(input.dropFirst()).lenientText
        let fields = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try checkList(text)
        try checkAddress(text)
        let client = proxies.client(behind: peer, forwardedFor: fields)
        guard Self.isTrusted(peer) else {
            try demand(client == peer, "a peer that is no proxy speaks for another")
            return false
        }
        // Values that the client put in front do not count, once an address outside the proxies was found.
        if let client, client != peer {
            try demand(!Self.isTrusted(client), "a trusted machine is taken for the client")
            for prefix in ["192.0.2.66", "unknown", "é", "10.0.0.9", ""] {
                let more = proxies.client(behind: peer, forwardedFor: [prefix] + fields)
                let joined = proxies.client(
                    behind: peer, forwardedFor: [prefix + "," + (fields.first ?? "")] + fields.dropFirst())
                try demand(more == client && joined == client, "what stands in front changes the client")
            }
        }
        return client != nil && client != peer
    }

    private static func isTrusted(_ address: IPAddress) -> Bool {
        address.bytes.count == 4
            ? address.bytes[0] == 10
            : address.bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) || address.isLoopback
    }

    private func checkList(_ text: String) throws(Finding) {
        let list: TrustedProxies
        do throws(NetworkList.Invalid) {
            list = TrustedProxies(try NetworkList(text))
        } catch {
            return
        }
        try demand(
            !list.networks.isEmpty && !text.contains("*") && !text.contains("/0,"), "a list that trusts every address")
        for stranger in ["203.0.113.77", "2001:db9:ffff::77"] where !text.contains("203.") && !text.contains("2001:") {
            guard let stranger = IPAddress(stranger) else { continue }
            let believed = list.client(behind: stranger, forwardedFor: ["198.51.100.1"]) != stranger
            // Only a very wide range can contain them now.
            try demand(!believed || text.contains("/"), "a list of addresses trusts another one")
        }
    }

    /// A parsed address has one spelling in the C library's output, and parsing that output gives the same address.
    private func checkAddress(_ text: String) throws(Finding) {
        guard let address = IPAddress(text) else { return }
        var buffer = [CChar](repeating: 0, count: 64)
        let isV4 = address.bytes.count == 4
        guard inet_ntop(isV4 ? AF_INET : AF_INET6, address.bytes, &buffer, 64) != nil else {
            throw Finding("an address that cannot be written")
        }
        let written = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        try demand(IPAddress(written) == address, "an address is another one when it is read again")
        if isV4, !text.contains(":") { try demand(text == written, "an address of IPv4 in another spelling") }
    }
}
