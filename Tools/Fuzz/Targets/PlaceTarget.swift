import Foundation
import IdentityHTTP
import IdentityMail
import IdentityStorePostgres
import NativeAuthCore

/// URLs of a configuration: the database's, the mail server's, the authority's. None shows its password, however
/// mistyped, and only this machine gets unencrypted mail (`SEC-LOG-1`, `SEC-MAIL-5`).
struct PlaceTarget: Target {
    static let name = "urls"

    private static let secret = "hunter2"
    private let mutator = Mutator(
        [
            "db.example:5432/identity?sslmode=require", "a.example:1,b.example:2/identity", "[::1]:5432/",
            "/identity?host=/run/x",
            "localhost:25", "127.0.0.1:1025", "mail.example", "contoso.ciamlogin.com/contoso.onmicrosoft.com", "[::1]",
            "127.1:25/",
        ],
        words: [
            ":", "/", "?", "#", "@", "[", "]", "%", "%00", "%2F", "%40", "&", "=", ",", " ", "\0", "\n", "\\", "..",
            "é", "localhost",
            "127.0.0.1", "127.0.0.1.example", "0.0.0.0", "::ffff:127.0.0.1", "0x7f000001", "127.000.0.1", ":65536",
            ":0", ":-1", ":+5",
            "host=", "port=1", "user=a", "dbname=", "options=-c", "sslmode=disable", "xn--", "１２７.0.0.1",
        ], bytes: [[0xFF]], long: 1_100)

    func input(_ chance: inout Chance) -> [UInt8] {
        let scheme = chance.pick(["postgresql", "postgres", "smtp", "smtps", "SMTP", "https", "http", "file", ""])
        let user = chance.pick(["", "dana@", "dana:\(Self.secret)@", ":\(Self.secret)@", "\(Self.secret)@"])
        let mistyped = chance.pick([
            "a/\(Self.secret)", "a?\(Self.secret)", "a#\(Self.secret)", "a@\(Self.secret)", "1/\(Self.secret)",
        ])
        let login = chance.percent(50) ? user : "dana:\(mistyped)@"
        return Array("\(scheme)://\(login)".utf8) + mutator.input(&chance)
    }

    func check(_ input: [UInt8]) throws -> Bool {
        let text = input.lenientText
        var isAccepted = false
        if let place = PostgresEndpoint(url: text) {
            isAccepted = true
            try demand(!place.description.contains(Self.secret), "the place shows the password: \(place.description)")
        }
        do {
            let server = try SMTPTransport(url: text)
            isAccepted = true
            let host = URLComponents(string: text)?.host ?? ""
            try demand(server.security != .none || Self.isThisMachine(host), "mail would go to \(host) in the clear")
        } catch let error as SMTPConfigurationError {
            try demand(!error.description.contains(Self.secret), "the error shows the password")
        }
        if let url = URL(string: text) {
            do {
                let authority = try Authority(url: url)
                isAccepted = true
                let isSecure = authority.url.scheme == "https"
                let host = authority.url.host ?? ""
                try demand(isSecure || Self.isThisMachine(host), "tokens would go to \(host) in the clear")
                try demand(authority.url.user == nil && authority.url.password == nil, "the authority keeps a password")
            } catch let error as AuthorityError {
                try demand(!"\(error)".contains(Self.secret), "the error shows the password")
            }
        }
        return isAccepted
    }

    private static func isThisMachine(_ host: String) -> Bool {
        let bare = host.filter { $0 != "[" && $0 != "]" }
        // For programs that parse octal numbers, 127.0.0.010 is this machine too.
        let isOctal = bare.hasPrefix("127.") && bare.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
        return host.lowercased() == "localhost" || IPAddress(bare)?.isLoopback == true || isOctal
    }
}
