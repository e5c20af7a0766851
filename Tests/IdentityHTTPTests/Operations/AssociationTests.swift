import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// The files that tie apps and pages to a tenant's passkeys.
@Suite("Association files") struct AssociationTests {
    private static let tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
    private static let certificates = [Array(UInt8(0)..<32), Array(repeating: UInt8(0xFE), count: 32)]
    private static let all = PasskeySettings(
        relyingPartyID: "harbour.example.com",
        origins: ["https://login.harbour.example.com", "https://shop.harbour.example.com:8443"],
        appleApps: ["A1B2C3D4E5.com.example.harbour", "A1B2C3D4E5.com.example.quay"],
        androidApps: [.init(package: "com.example.harbour", certificates: certificates)])

    /// The development tenant with these passkeys.
    private static func server(
        _ passkeys: PasskeySettings?, adjust: (inout TenantDirectory.Entry) -> Void = { _ in }
    ) throws -> IdentityTestServer {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.passkeys = passkeys
        adjust(&entry)
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = TenantDirectory([entry])
        }
    }

    private func fetch(
        _ name: String, _ server: IdentityTestServer, host: String = "harbour.example.com"
    ) async throws -> TransportResponse {
        try await server.transport.send(
            TransportRequest(
                method: "GET", url: try #require(URL(string: "https://\(host)/.well-known/\(name)")), headers: [:],
                body: Data()))
    }

    @Test(
        "SEC-PK-17: the four files come from the tenant's document",
        arguments: [
            (
                "apple-app-site-association",
                #"{"webcredentials":{"apps":["A1B2C3D4E5.com.example.harbour","A1B2C3D4E5.com.example.quay"]}}"#
            ),
            (
                "assetlinks.json",
                #"[{"relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"],"#
                    + #""target":{"namespace":"android_app","package_name":"com.example.harbour","sha256_cert_fingerprints":["#
                    + #""00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F","#
                    + #""FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE:FE"]}}]"#
            ),
            (
                "webauthn",
                #"{"origins":["https://login.harbour.example.com","https://shop.harbour.example.com:8443"]}"#
            ),
            (
                "passkey-endpoints",
                #"{"enroll":"https://identity.test/\#(tenant)/account","manage":"https://identity.test/\#(tenant)/account"}"#
            ),
        ])
    func golden(_ name: String, _ content: String) async throws {
        for host in ["harbour.example.com", "HARBOUR.example.com"] {
            let answer = try await fetch(name, Self.server(Self.all), host: host)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.headers["cache-control"] == "max-age=3600")
            #expect(String(decoding: answer.body, as: UTF8.self) == content)
        }
    }

    @Test("SEC-PK-17: a file that would tell nothing is not there, nor is any at another host or without passkeys")
    func nothingToTell() async throws {
        let bare = try Self.server(PasskeySettings(relyingPartyID: "harbour.example.com"))
        for file in AssociationFile.allCases {
            let answer = try await fetch(file.rawValue, bare)
            #expect(answer.status == (file == .endpoints ? 200 : 404), "\(file)")
            for host in ["login.harbour.example.com", "example.com", "identity.test", "harbour.example.com.evil.test"] {
                #expect(try await fetch(file.rawValue, Self.server(Self.all), host: host).status == 404, "\(host)")
            }
            #expect(try await fetch(file.rawValue, Self.server(nil)).status == 404)
        }
        #expect(try await fetch("security.txt", Self.server(Self.all)).status == 404)
    }

    @Test("A tenant whose applications use no hosted pages has passkeys and no page for them")
    func noAccountPage() async throws {
        let server = try Self.server(Self.all) { entry in
            for index in entry.applications.indices { entry.applications[index].redirects = RedirectAddresses() }
        }
        #expect(String(decoding: try await fetch("passkey-endpoints", server).body, as: UTF8.self) == "{}")
    }

    @Test("SEC-NET-1: the files answer to the domains of passkeys, which no other path does")
    func namesOfTheListener() async throws {
        let outside = try Outside(Self.server(Self.all), AccessPolicy(hosts: ["identity.test"], inboxHosts: []))
        for host in ["harbour.example.com", "Harbour.Example.com:443"] {
            for file in AssociationFile.allCases {
                #expect(try await outside.get(file.path, host: host).status == .ok, "\(file) \(host)")
            }
            for path in ["/contoso/v2.0/.well-known/openid-configuration", "/", "/.well-known/security.txt"] {
                #expect(try await outside.get(path, host: host).status.code == 421, "\(path) \(host)")
            }
        }
        for host in ["evil.example", "identity.test", "", nil, "harbour.example.com:80:80"] {
            #expect(try await outside.get("/.well-known/webauthn", host: host).status == .notFound, "\(host ?? "none")")
        }
    }
}
