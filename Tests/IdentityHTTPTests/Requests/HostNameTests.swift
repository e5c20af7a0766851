import HTTPTypes
import Hummingbird
import NativeAuthTesting
import NativeAuthWire
import Testing

@testable import IdentityHTTP

@Suite("By which names the server may be asked") struct HostNameTests {
    @Test(
        "SEC-RATE-2, SEC-NET-3: a client that is gone has no source: it passes neither limits nor the check of the proxy"
    )
    func aClientThatIsGone() async throws {
        try await withIdentityServer { server in
            let proxies = try TrustedProxies(NetworkList("127.0.0.1"))
            for policy in [
                AccessPolicy(limits: SourceLimits()), AccessPolicy(trustedProxies: proxies, isBehindProxy: true),
            ] {
                let outside = try Outside(server, policy)
                let path = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
                #expect(try await outside.sendFromGone(.post, path).status.code == 503)
                #expect(try await outside.sendFromGone(.get, "/livez").status.code == 503)
            }
        }
    }

    @Test(
        "SEC-NET-1: slashes too many make no other path of the inbox, the console or a health check",
        arguments: ["", "/", "//"])
    func slashes(_ more: String) {
        let policy = AccessPolicy(hosts: ["tunnel.example"], inboxHosts: [])
        for path in ["/dev/inbox", "/dev", "/console", "/console/users", "/dev/\(more)hooks"] {
            #expect(!policy.answers(to: "tunnel.example", at: more + path))
            #expect(policy.answers(to: "localhost", at: more + path))
        }
        for path in ["/dev/api/contoso", "/dev\(more)/api", "/contoso/dev/inbox", "/devious", "/"] {
            #expect(policy.answers(to: "tunnel.example", at: more + path))
        }
        for path in ["/livez", "/readyz", "/livez/"] { #expect(policy.answers(to: "other.example", at: more + path)) }
        for path in ["/livez/x", "/livezz", "/x/livez"] {
            #expect(!policy.answers(to: "other.example", at: more + path))
        }
    }

    @Test("An answer to HEAD has no body")
    func head() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server)
            let request = HTTPRequest(method: .head, scheme: "http", authority: "identity.test", path: "/livez")
            let answer = try await outside.send(request, from: nil)
            #expect(answer.body.contentLength == 0 && answer.headers[.contentLength] != "0")
        }
    }

    @Test(
        "SEC-NET-3: behind a proxy that does TLS, only what came to that proxy by https is answered",
        arguments: [
            ("127.0.0.1", ["https"], 400), ("127.0.0.1", ["http, https"], 400), ("127.0.0.1", ["http", "HTTPS "], 400),
            ("127.0.0.1", ["http"], 421), ("127.0.0.1", [], 421), ("127.0.0.1", ["https, http"], 421),
            ("127.0.0.1", ["https", ""], 421), ("127.0.0.1", ["httpsx"], 421), ("192.0.2.9", ["https"], 421),
            ("192.0.2.9", [], 421),
        ])
    func behindAProxy(peer: String, schemes: [String], status: Int) async throws {
        try await withIdentityServer { server in
            let proxies = try TrustedProxies(NetworkList("127.0.0.1"))
            let outside = try Outside(
                server, AccessPolicy(trustedProxies: proxies, isBehindProxy: true, isHTTPSOnly: true))
            let path = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
            let answer = try await outside.post(
                path, from: peer,
                headers: schemes.isEmpty ? [:] : ["x-forwarded-proto": schemes.joined(separator: ", ")])
            #expect(answer.status.code == status)
            #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000")
            // A check of the node's health comes from where it likes.
            #expect(try await outside.get("/livez", from: peer).status.code == 200)
        }
    }

    @Test(
        "SEC-NET-1: the pages answer to the names of loopback and the listed ones, at any port",
        arguments: [
            "127.0.0.1", "127.0.0.1:8765", "127.0.0.1:1", "127.255.0.9:80", "localhost", "LocalHost:8765", "localhost:",
            "[::1]", "[::1]:8765", "identity.test", "identity.test:443", "IDENTITY.test",
        ])
    func ownNamesAreAnswered(_ host: String) async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(hosts: ["identity.test"], inboxHosts: ["identity.test"]))
            for path in ["/", "/dev/inbox", "/dev/inbox.json"] {
                #expect(try await outside.get(path, host: host).status == .ok, "\(path)")
            }
        }
    }

    @Test(
        "SEC-NET-1: by any other name they answer 421 with the documented JSON, without a redirect",
        arguments: [
            "evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "xlocalhost",
            "localhost.",
            "identity.test.evil.example", "evil-identity.test", "identity.test@evil.example", "localhost@evil.example",
            "localhost:80@evil.example", "evil.example#localhost", "localhost, evil.example", "128.0.0.1", "10.0.0.1",
            "0.0.0.0", "[::]", "[::2]", "[2001:db8::1]:8765", "2130706433", "0x7f.1", "127.1", "[127.0.0.1]", "[::1",
            "[::1]evil.example", "127.0.0.1:80:80", "localhost:8765x", "localhost:123456", "", ":8765", " ",
            String(repeating: "a", count: 5_000), nil,
        ])
    func otherNamesAreMisdirected(_ host: String?) async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(hosts: ["identity.test"], inboxHosts: ["identity.test"]))
            for path in [
                "/", "//", "/?a=b", "/dev/inbox", "//dev//inbox", "/dev/inbox.json?to=a", "/dev", "/dev/nothing",
                "/dev/hooks", "/dev/provider", "/dev/provider/token",
            ] {
                let answer = try await outside.get(path, host: host)
                #expect(answer.status.code == 421, "\(path)")
                #expect(answer.headers[.location] == nil)
                #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
            }
        }
    }

    @Test("SEC-NET-1: the API answers to its own names only, and health checks to any or none")
    func theAPIHasNames() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(hosts: ["identity.test"], inboxHosts: []))
            let discovery = "/contoso/v2.0/.well-known/openid-configuration"
            let start = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
            for host in ["identity.test", "Identity.Test:443", "localhost:8765", "127.0.0.1", "[::1]:8765"] {
                let answer = try await outside.get(discovery, host: host)
                #expect(answer.status == .ok, "\(host)")
                #expect(try await outside.post(start, host: host).status == .badRequest, "\(host)")
            }
            for host in [
                "evil.example", "identity.test.evil.example", "xidentity.test", "identity.test@evil.example",
                "10.0.0.1",
                "identity.test:80:80", "", nil,
            ] {
                for answer in [
                    try await outside.get(discovery, host: host), try await outside.post(start, host: host),
                    try await outside.get("/contoso/nothing", host: host),
                    try await outside.get("/dev/api/contoso", host: host),
                    try await outside.get("//livez//x", host: host),
                ] {
                    #expect(answer.status.code == 421, "\(host ?? "none")")
                    #expect(answer.headers[.location] == nil)
                }
                for check in ["/livez", "/readyz", "/livez?a=b"] {
                    #expect(try await outside.get(check, host: host).status == .ok, "\(check) \(host ?? "none")")
                }
            }
        }
    }

    @Test("The name of a tunnel does not see the inbox unless it is listed for it, and sees everything else")
    func aTunnelDoesNotSeeTheInbox() async throws {
        try await withIdentityServer { server in
            for (listed, status) in [(Set<String>(), 421), (["tunnel.example"], 200)] {
                let outside = try Outside(server, AccessPolicy(hosts: ["tunnel.example"], inboxHosts: listed))
                for path in ["/dev/inbox", "/dev/inbox.json", "//dev//inbox.json?to=a"] {
                    #expect(try await outside.get(path, host: "tunnel.example").status.code == status, "\(path)")
                    #expect(try await outside.get(path, host: "localhost:8765").status == .ok, "\(path)")
                }
                #expect(try await outside.get("/", host: "tunnel.example").status == .ok)
                #expect(try await outside.get("/dev/api/contoso", host: "tunnel.example").status == .unauthorized)
            }
        }
    }

    @Test("SEC-NET-1: an absolute request target is judged as well")
    func absoluteTargets() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(hosts: [], inboxHosts: []))
            for path in ["/dev/inbox", "/contoso/v2.0/.well-known/openid-configuration"] {
                #expect(try await outside.get("http://evil.example\(path)", host: "localhost").status.code == 421)
                #expect(try await outside.get("http://localhost\(path)", host: "evil.example").status.code == 421)
                #expect(try await outside.get("http://localhost\(path)", host: "localhost").status == .ok)
            }
        }
    }
}
