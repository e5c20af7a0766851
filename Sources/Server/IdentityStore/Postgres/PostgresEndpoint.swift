import CLibPQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The address of a database: a libpq URL, with several hosts, `target_session_attrs`, certificates and all other libpq
/// parameters (PostgreSQL documentation, “Connection URIs”).
package struct PostgresEndpoint: Sendable, CustomStringConvertible {
    private let url: String
    /// Hosts and database, without user and password.
    package let description: String

    /// Nil when libpq cannot parse the URL. Its reason is not reported, because it quotes the URL and so the password.
    package init?(url: String) {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else { return nil }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &problem) else {
            PQfreemem(problem)
            return nil
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.url = url
        let (hosts, ports, database) = (values["host"] ?? "", values["port"] ?? "", values["dbname"] ?? "")
        // A password with a slash or similar that is not percent-encoded ends up in port or database, which are shown.
        guard ports.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2C }), !(hosts + database).contains("@")
        else { return nil }
        description = "postgresql://\(hosts)\(ports.isEmpty ? "" : ":" + ports)/\(database)"
    }

    /// The defaults for parameters that the URL does not set: a dead server is detected within seconds, and among
    /// several hosts the writable one is used.
    private static let defaults = [
        ("connect_timeout", "2"), ("target_session_attrs", "read-write"), ("application_name", "native-auth"),
        ("client_encoding", "UTF8"), ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "10000"),
    ]

    /// Connects, or fails; blocks. Nil when there is no memory. The caller ends the connection with `PQfinish`.
    func connect() -> OpaquePointer? {
        // Later parameters override earlier ones, and `dbname` may be a whole URL.
        let words = Self.defaults + [("dbname", url)]
        var keywords = words.map { UnsafePointer<CChar>(strdup($0.0)) } + [nil]
        var values = words.map { UnsafePointer<CChar>(strdup($0.1)) } + [nil]
        defer { for word in keywords + values { free(UnsafeMutablePointer(mutating: word)) } }
        return PQconnectdbParams(&keywords, &values, 1)
    }
}
