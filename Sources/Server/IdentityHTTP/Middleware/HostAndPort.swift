/// A host with an optional port, as `Host` and `X-Forwarded-For` write them: `host`, `host:port`, `[IPv6]`,
/// `[IPv6]:port` or, without a port, a bare IPv6 address.
enum HostAndPort {
    /// The host without brackets; nil when the text has another form.
    static func host(of text: Substring) -> Substring? {
        // Bytes, because characters take ten times as long, and every request's host is read.
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = text[bytes.index(after: text.startIndex)..<end]
            let rest = text[bytes.index(after: end)...]
            return host.utf8.contains(UInt8(ascii: ":")) && (rest.isEmpty || isPort(rest)) ? host : nil
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return text }
        let rest = text[colon...]
        if rest.utf8.dropFirst().contains(UInt8(ascii: ":")) { return text }
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
        text.utf8.count <= 6 && text.utf8.first == UInt8(ascii: ":")
            && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
