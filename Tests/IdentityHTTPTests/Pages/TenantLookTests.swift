import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// A tenant's logo, colours, links and sentences on its pages.
@Suite("A tenant's look of the pages")
struct TenantLookTests {
    private let party = TestRelyingParty(.emailPassword)
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 2])

    private func withServer(
        _ change: (inout TenantPages) -> Void, _ body: (IdentityTestServer) async throws -> Void
    ) async throws {
        var entry = try #require(TenantDirectory.development.entries.first)
        change(&entry.tenant.pages)
        let directory = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        try await body(server)
    }

    @Test("Logo, colours, links and sentences are on the page, as text, and the policy stays")
    func thePage() async throws {
        try await withServer { pages in
            pages.logo = TenantMail.Logo(Self.png)
            pages.darkLogo = TenantMail.Logo(Self.jpeg)
            pages.colours[.light] = ["#0b57d0"].compactMap { HexColour($0) }.reduce(into: [:]) { $0[.accent] = $1 }
            pages.links = [.privacy: "https://harbour.example.com/p?a=1&b=\u{27}"]
            pages.texts[.english] = [.signIn: "Hello <b>you</b>", .help: "</footer><script>alert(1)</script>"]
        } _: { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path())
            #expect(browser.title == "Hello <b>you</b>")
            #expect(!browser.html.contains("<b>") && !browser.html.contains("<script>"))
            #expect(
                browser.html.contains(
                    "href=\"https://harbour.example.com/p?a=1&amp;b=&#39;\" target=\"_blank\" rel=\"noopener noreferrer\">Privacy"
                ))
            #expect(browser.html.contains("alt=\"Contoso\""))
            let policy = try #require(browser.headers["content-security-policy"])
            #expect(policy.contains("style-src 'self'") && policy.contains("img-src 'self'"))
            for (ending, type, bytes) in [
                (".png", "image/png", Self.png), ("-dark.png", "image/jpeg", Self.jpeg),
                (".css", "text/css; charset=utf-8", nil),
            ] {
                let all = browser.html.split(separator: "\"").filter { $0.contains("/theme/") && $0.hasSuffix(ending) }
                let path = try #require(all.first { ending != ".png" || !$0.hasSuffix("-dark.png") })
                let answer = try await server.client().get(String(path))
                #expect(answer.status == 200 && answer.headers["content-type"] == type)
                #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
                #expect(answer.headers["set-cookie"] == nil)
                if let bytes {
                    #expect(answer.body == bytes)
                } else {
                    #expect(String(decoding: answer.body, as: UTF8.self).contains("--accent:#0b57d0;"))
                }
            }
            // A page in another language has its own title.
            try await browser.get(party.path(["ui_locales": "da"]))
            #expect(browser.title == PageLanguage(["da"], accepted: nil)(.signIn) && !browser.html.contains("alert(1)"))
        }
    }

    @Test("An error's page has the tenant's look too, and leads to the homepage of an application that is known")
    func errors() async throws {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.pages.logo = TenantMail.Logo(Self.png)
        for index in entry.applications.indices {
            entry.applications[index].web.homepage = "https://app.example/?a=1&b=2"
        }
        let directory = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        let browser = TestBrowser(server)
        for (changes, leadsHome) in [
            (["redirect_uri": "https://evil.example/"], true), (["client_id": UUID().uuidString.lowercased()], false),
        ] {
            try await browser.get(party.path(changes))
            #expect(browser.status == 400 && browser.html.contains("alt=\"Contoso\""))
            #expect(browser.html.contains("href=\"https://app.example/?a=1&amp;b=2\"") == leadsHome)
            #expect(!browser.html.contains("evil.example"))
        }
        try await browser.get("/nowhere/oauth2/v2.0/authorize")
        #expect(browser.status == 404 && !browser.html.contains("Contoso"))
    }

    @Test("A style of another version is not kept, and other names are not there")
    func names() async throws {
        try await withServer {
            $0.colours[.dark] = [:]
        } _: { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path())
            #expect(!browser.html.contains("/theme/") && !browser.html.contains("<footer"))
        }
        try await withServer {
            $0.logo = TenantMail.Logo(Self.png)
        } _: { server in
            let old = try await server.client().get("/contoso/theme/0000000000000000.png")
            #expect(old.status == 200 && old.headers["cache-control"] == "no-store")
            for name in ["0.svg", "0-dark.png", "0-dark.css", "0", "%00.gif"] {
                #expect(try await server.client().get("/contoso/theme/\(name)").status == 404, "\(name)")
            }
            #expect(try await server.client().get("/fabrikam-none/theme/0.png").status != 200)
        }
    }
}
