package import NativeAuthCore
import PortableFoundation

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
    /// The longest address, in bytes, as with the vendor.
    package static let maximumBytes = 256

    /// The kind of the registered address that the redirect address of a request is; nil when it is none of them.
    ///
    /// Addresses are compared byte for byte (RFC 9700 section 4.1.3). Only an app's `http` address of this machine
    /// matches with any port (RFC 8252 section 7.3), `localhost` included, and with a `/` behind it when it has no path.
    package func accepts(_ address: String) -> Kind? {
        guard (1...Self.maximumBytes).contains(address.utf8.count) else { return nil }
        // No document has an address in two lists. Were there one, the kind with the strictest rules would count.
        for kind in [Kind.web, .spa, .publicClient] where self[kind].contains(where: { Self.areSame($0, address) }) {
            return kind
        }
        guard let asked = Loopback(address) else { return nil }
        let isRegistered = self[.publicClient].contains { registered in
            guard let registered = Loopback(registered), Self.areSame(registered.host, asked.host) else { return false }
            return Self.areSame(registered.rest, asked.rest) || (registered.rest.isEmpty && asked.rest == "/")
        }
        return isRegistered ? .publicClient : nil
    }

    /// Why an address cannot be beside those that are there, as the end of a sentence; nil when it can.
    package func fault(adding address: String, to kind: Kind) -> String? {
        if self[kind].contains(address) { return "is there twice" }
        if let other = Kind.allCases.first(where: { self[$0].contains(address) }) {
            return "is in \(other.rawValue) too; an address has one kind"
        }
        if self[kind].count >= Self.maximumCount {
            return "is one too many; \(kind.rawValue) has at most \(Self.maximumCount) addresses"
        }
        // The port of an app's address is free, so that one of the two would be enough.
        guard kind == .publicClient, let added = Loopback(address) else { return nil }
        let twin = self[kind].first { other in
            Loopback(other).map { $0.host == added.host && $0.rest == added.rest } ?? false
        }
        return twin.map { "differs from \($0) in the port only, and any port matches" }
    }

    /// The equality of strings compares by Unicode's canonical form.
    private static func areSame(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    /// Why an address cannot be registered, as the end of a sentence; nil when it can. Addresses are compared as texts
    /// (RFC 9700 section 4.1.3), so that none has a wildcard.
    ///
    /// The scheme of an app has a dot, as the name of a domain that its maker owns, so that no other app has it by chance
    /// (RFC 8252 section 7.1). The vendor takes schemes without a dot too; here only the one that its SDK for iOS uses by
    /// default, `msal` and the client id of the application itself. The vendor's `urn:ietf:wg:oauth:2.0:oob` is refused.
    package static func fault(_ address: String, of kind: Kind, client: ClientID) -> String? {
        let utf8 = address.utf8
        guard (1...maximumBytes).contains(utf8.count), utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = address.firstIndex(of: ":"), let scheme = Self.scheme(address[..<colon])
        else {
            return
                "must be an address of at most \(maximumBytes) printable ASCII characters, such as https://app.example.com/done"
        }
        guard !address.contains("#"), !address.contains("*") else { return "must have no fragment and no wildcard" }
        guard !address.contains(where: { #"\"<>^`{|}"#.contains($0) }) else {
            return "must have no backslash, quotation mark, bracket or brace: programs read them differently"
        }
        let rest = address[address.index(after: colon)...]
        let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?".contains($0) } : ""
        guard !authority.contains("@") else { return "must name no user" }
        if let fault = pathFault(rest.dropFirst(authority.isEmpty ? 0 : 2 + authority.count)) { return fault }
        switch scheme {
        case "https": return host(of: authority) == nil ? "must name a host" : nil
        case "http":
            guard let host = host(of: authority) else { return "must name a host" }
            return Loopback.hosts.contains(host) ? nil : "must begin with https; http is for this machine only"
        case let scheme where dangerous.contains(scheme): return "must not begin with \(scheme)"
        case _ where kind != .publicClient: return "must begin with https"
        case let scheme where isOwn(scheme) || address[..<colon] == "msal\(client)":
            return rest.isEmpty ? "must have something behind its scheme, such as //auth" : nil
        case _: return "must begin with https, a scheme with a dot such as com.example.app, or msal\(client)"
        }
    }

    /// Whether the scheme has the form of a domain: labels with a dot between them.
    private static func isOwn(_ scheme: String) -> Bool {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
    }

    /// - Parameter text: Path and query, or all of an address behind the scheme that has no host.
    private static func pathFault(_ text: Substring) -> String? {
        let path = text.prefix { $0 != "?" }.lowercased()
        // Servers and browsers resolve these, so that the address is another one than its text.
        let segments = path.replacing("%2e", with: ".").split(separator: "/")
        guard !segments.contains("."), !segments.contains("..") else { return "must have no “.” or “..” in its path" }
        let codes = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
        let isWhole = codes.allSatisfy { $0.count > 1 && $0.prefix(2).allSatisfy(\.isHexDigit) }
        return isWhole ? nil : "must have two digits, 0 to F, behind each percent sign"
    }

    /// Why pages of an origin cannot be let in, as the end of a sentence; nil when they can. Origins are compared as
    /// texts, so that they have the form that browsers send (RFC 6454 section 6.2).
    package static func fault(origin: String) -> String? {
        let rule = "must be an origin as browsers send it, such as https://app.example.com or http://localhost:3000"
        guard (1...maximumBytes).contains(origin.utf8.count), origin.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = origin.firstIndex(of: ":"), origin[colon...].hasPrefix("://")
        else { return rule }
        let (scheme, authority) = (origin[..<colon], origin[colon...].dropFirst(3))
        guard scheme == "https" || scheme == "http", let host = host(of: authority), authority.hasPrefix(host) else {
            return rule
        }
        let port = authority.dropFirst(host.count + 1)
        guard port != (scheme == "https" ? "443" : "80") else { return rule }
        return scheme == "https" || Loopback.hosts.contains(host)
            ? nil : "must begin with https; http is for this machine only"
    }

    /// An `http` address of this machine, without its port. Capital letters make it another address.
    private struct Loopback {
        static let hosts = ["localhost", "127.0.0.1", "[::1]"]

        var host: String
        /// Path and query, as they are.
        var rest: Substring

        init?(_ address: String) {
            guard address.hasPrefix("http://"), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !address.contains("#"), !address.contains("\\")
            else { return nil }
            let text = address.dropFirst(7)
            let authority = text.prefix { !"/?".contains($0) }
            guard let host = RedirectAddresses.host(of: authority), Self.hosts.contains(host), authority.hasPrefix(host)
            else { return nil }
            (self.host, rest) = (host, text.dropFirst(authority.count))
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
            guard port.first == ":", (1...5).contains(digits.utf8.count), digits.first != "0",
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
