/// The addresses that an application is reached at after a step in a browser, by the kind of program that is there.
package struct RedirectAddresses: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// An app of a phone or a desk: also schemes of its own, and `http` to this machine.
        case publicClient
        /// A page that has no server.
        case spa
        /// A program on a server.
        case web
    }

    /// Each list in its order, without repetition.
    package var all: [Kind: [String]]

    package init(_ all: [Kind: [String]] = [:]) {
        self.all = all.filter { !$0.value.isEmpty }
    }

    package subscript(_ kind: Kind) -> [String] { all[kind] ?? [] }

    /// The largest number of addresses of a kind.
    package static let maximumCount = 50

    /// Why an address cannot be registered, as the end of a sentence; nil when it can. Addresses are compared as texts
    /// (RFC 9700 section 4.1.3), so that none has a wildcard.
    package static func fault(_ address: String, of kind: Kind) -> String? {
        let utf8 = address.utf8
        guard (1...512).contains(utf8.count), utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = address.firstIndex(of: ":"), let scheme = Self.scheme(address[..<colon])
        else {
            return "must be an address of at most 512 printable ASCII characters, such as https://app.example.com/done"
        }
        guard !address.contains("#"), !address.contains("*") else { return "must have no fragment and no wildcard" }
        guard !address.contains(where: { #"\"<>^`{|}"#.contains($0) }) else {
            return "must have no backslash, quotation mark, bracket or brace: programs read them differently"
        }
        let rest = address[address.index(after: colon)...]
        let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?".contains($0) } : ""
        guard !authority.contains("@") else { return "must name no user" }
        switch scheme {
        case "https": return host(of: authority) == nil ? "must name a host" : nil
        case "http":
            guard let host = host(of: authority) else { return "must name a host" }
            let isHere = ["localhost", "127.0.0.1", "[::1]"].contains(host)
            return isHere ? nil : "must begin with https; http is for this machine only"
        case let scheme where dangerous.contains(scheme): return "must not begin with \(scheme)"
        case _: return kind == .publicClient ? nil : "must begin with https"
        }
    }

    /// Schemes that a browser or a system runs, or takes apart, itself.
    private static let dangerous: Set<String> = [
        "javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "view-source", "feed",
        "livescript", "filesystem", "jar", "mhtml", "intent", "ms-msdt", "chrome", "resource", "smb",
    ]

    /// The host in small letters: a name of letters, digits, hyphens, underscores and dots, or an IPv6 address in brackets; with
    /// nothing behind it, or a port. Nil for anything else, which programs read differently.
    private static func host(of authority: Substring) -> String? {
        let isAddress = authority.hasPrefix("[")
        let end =
            isAddress ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
        guard !isAddress || end != nil else { return nil }
        let (host, port) = (authority[..<(end ?? authority.endIndex)], authority[(end ?? authority.endIndex)...])
        if !port.isEmpty {
            let digits = port.dropFirst()
            guard port.first == ":", (1...5).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
                (1...65_535).contains(number)
            else { return nil }
        }
        let name = host.lowercased()
        if isAddress {
            let isIPv6 = name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.".contains($0) }
            return isIPv6 && name.count { $0 == ":" } >= 2 ? name : nil
        }
        let isName = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "._-".utf8.contains($0)
        }
        return isName && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
            ? name : nil
    }

    /// A scheme in lower case (RFC 3986 section 3.1).
    private static func scheme(_ text: Substring) -> String? {
        let isFirst = text.utf8.first.map { (0x41...0x5A).contains($0 & 0xDF) } ?? false
        let isScheme = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || "+-.".utf8.contains($0)
        }
        return isFirst && isScheme ? text.lowercased() : nil
    }
}
