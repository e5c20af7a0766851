public import PortableFoundation

/// Why text is not the address of a tenant. Its description is a sentence for developers.
public enum AuthorityError: Error, Hashable, Sendable {
    /// The tenant subdomain is not a DNS label: letters, digits and inner hyphens, 1 to 63 of them.
    case invalidSubdomain
    /// Not an absolute URL with a host, or a URL whose path contains an empty segment, `.`, `..`, an encoded separator
    /// or an encoded control character.
    case malformed
    /// Neither https nor http to this machine (`SDK-NET-1`).
    case insecure
    /// The URL contains a user name or a password (`SDK-AUTH-1`).
    case containsCredentials
    /// The path is empty, so the URL names a server but no tenant. Hosts such as `contoso.ciamlogin.com` need no path.
    case missingTenant
}

extension AuthorityError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .invalidSubdomain:
            "The tenant's subdomain is not a DNS label: letters, digits and inner hyphens, 1 to 63 of them."
        case .malformed:
            "The authority is not the URL of a tenant, such as https://login.example.com/contoso.onmicrosoft.com."
        case .insecure: "The authority is neither https nor http on this machine."
        case .containsCredentials: "The authority contains a user name or a password."
        case .missingTenant:
            "The authority names no tenant: end it with the tenant's subdomain, domain or id, as in"
                + " https://login.example.com/contoso.onmicrosoft.com."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// The base URL of a tenant's endpoints, such as `https://contoso.ciamlogin.com/contoso.onmicrosoft.com`
/// (docs/protocol.md §1.1).
///
/// Scheme and host are in lower case; there is no query, fragment, user name, trailing slash or usual port
/// (`SDK-AUTH-1`).
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The normalised URL.
    public let url: URL

    /// The tenant in the vendor's cloud with this subdomain: `contoso` for `https://contoso.ciamlogin.com`.
    ///
    /// - Throws: ``AuthorityError/invalidSubdomain``.
    public init(tenantSubdomain: String) throws(AuthorityError) {
        guard Self.isLabel(tenantSubdomain), let url = URL(string: "https://\(tenantSubdomain).ciamlogin.com") else {
            throw .invalidSubdomain
        }
        try self.init(url: url)
    }

    /// A tenant at any address: `https://host/tenant`, or `http://127.0.0.1:8765/tenant` on this machine.
    ///
    /// Query and fragment are removed. A host such as `contoso.ciamlogin.com` without a path gets the tenant's default
    /// domain as its path; any other host needs a path that names the tenant.
    ///
    /// - Throws: ``AuthorityError``, such as ``AuthorityError/missingTenant`` for `https://login.example.com`.
    public init(url: URL) throws(AuthorityError) {
        let url = try Self.normalised(url)
        guard !url.path(percentEncoded: true).isEmpty else { throw .missingTenant }
        self.url = url
    }

    /// The normalised base URL of a server, with or without a path, by the rules for authorities.
    ///
    /// - Throws: ``AuthorityError``, but never ``AuthorityError/missingTenant``.
    package static func normalised(_ url: URL) throws(AuthorityError) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme?.lowercased(), let host = components.encodedHost?.lowercased(),
            isHost(host), !(components.port.map { $0 < 1 || $0 > 65_535 } ?? false)
        else { throw .malformed }
        guard components.user == nil, components.password == nil else { throw .containsCredentials }
        guard scheme == "https" || (scheme == "http" && isLoopback(host)) else { throw .insecure }

        var path = components.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.allSatisfy(isPlainSegment) else { throw .malformed }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if path.isEmpty, labels.count >= 3, labels[1] == "ciamlogin" {
            path = "/\(labels[0]).onmicrosoft.com"
        }

        components.scheme = scheme
        if components.port == (scheme == "https" ? 443 : 80) { components.port = nil }
        components.encodedHost = host
        components.percentEncodedPath = path
        components.query = nil
        components.fragment = nil
        guard let url = components.url else { throw .malformed }
        return url
    }

    /// The address of an endpoint, given its path after the tenant without a leading slash.
    public func endpoint(_ path: String) -> URL {
        url.appending(path: path)
    }

    /// The host in lower case, with the port if one is given.
    public var environment: String {
        let host = URLComponents(url: url, resolvingAgainstBaseURL: false)?.encodedHost ?? ""
        return url.port.map { "\(host):\($0)" } ?? host
    }

    public var description: String { url.absoluteString }

    /// The tenant's name in the path: its id, domain or subdomain.
    package var tenant: String {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.path.split(separator: "/").last.map(String.init) ?? ""
    }

    /// The address of a path of the directory API: below `/graph` of the server's base URL, or on the vendor's own host.
    ///
    /// - Parameters:
    ///   - path: With the API's version, such as `/v1.0/me`; percent-encoded.
    ///   - query: Percent-encoded.
    package func directory(_ path: String, query: String? = nil) -> URL {
        let vendor = URLComponents(string: "https://graph.microsoft.com")
        guard var components = isVendorCloud ? vendor : URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            return url
        }
        // The last segment of the authority is the tenant, which the token names here.
        let base = components.percentEncodedPath.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        components.percentEncodedPath = (isVendorCloud ? "" : base + "/graph") + path
        components.percentEncodedQuery = query
        return components.url ?? url
    }

    /// Whether the host is a tenant's host in the vendor's cloud, `{subdomain}.ciamlogin.com`.
    package var isVendorCloud: Bool {
        let labels = environment.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 3 && labels[1] == "ciamlogin" && labels[2] == "com"
    }

    /// The same tenant path below another base URL.
    package func moved(to base: URL) throws(AuthorityError) -> Authority {
        let base = try Self.normalised(base)
        guard let url = URL(string: base.absoluteString + url.path(percentEncoded: true)) else { throw .malformed }
        return try Authority(url: url)
    }

    /// Whether `host` names this machine: `localhost`, `127.x.y.z` or `[::1]`.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.count <= 3 && $0.utf8.allSatisfy(isDigit) && (UInt8($0) != nil) }
    }

    private static func isLabel(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...63).contains(bytes.count) && bytes.first != UInt8(ascii: "-") && bytes.last != UInt8(ascii: "-")
            && bytes.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether `url` is https, or http to this machine: a URL that requests may use (`SDK-NET-1`).
    package static func isSecure(_ url: URL) -> Bool {
        let scheme = url.scheme?.lowercased()
        return scheme == "https"
            || (scheme == "http" && isLoopback(url.host(percentEncoded: true)?.lowercased() ?? ""))
    }

    /// Whether `url` has this authority's scheme, host and port (`SDK-AUTH-1`).
    package func sharesOrigin(with url: URL) -> Bool {
        func origin(_ url: URL) -> [String?] {
            let scheme = url.scheme?.lowercased()
            let port = url.port ?? (scheme == "https" ? 443 : 80)
            return [scheme, url.host(percentEncoded: true)?.lowercased(), String(port)]
        }
        return Self.isSecure(url) && url.user == nil && url.password == nil && origin(url) == origin(self.url)
    }

    /// Whether the host is a name of labels, or an address; IPv6 addresses are in brackets.
    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.utf8.dropFirst().dropLast().allSatisfy { isDigit($0) || isLetter($0) || ":.".utf8.contains($0) }
        }
        return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.allSatisfy { isDigit($0) || isLetter($0) || "-_".utf8.contains($0) }
        }
    }

    /// Whether the segment is not empty, `.` or `..` and has no separator or control character, which the server might
    /// read differently.
    private static func isPlainSegment(_ segment: Substring) -> Bool {
        let segment = segment.lowercased()
        guard !["", ".", ".."].contains(segment.replacing("%2e", with: ".")) else { return false }
        return !["%2f", "%5c", "%7f", "%0", "%1", "\\"].contains { segment.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
