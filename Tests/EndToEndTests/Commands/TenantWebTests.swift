import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// What applications of a tenant file are to the web.
@Suite("The web in a tenant file", .timeLimit(.minutes(2)))
struct TenantWebTests {
    private static let digest = Base64URL.encode(DaemonSecret.digest(of: Secret("a secret")))
    private static let key = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeXjfxQ5S0ZdEN+wAkWRGm6113m4e
        LH69wg3/2/5Qm8zpKGvaQCfwEAAWsyHKDqw5WVuMqciLU/mnvZR86brO9A==
        -----END PUBLIC KEY-----
        """
    private static let secret =
        "secrets: [{id: 00000000-0000-4000-8000-000000000001, hint: abc, sha256: \"\(digest)\", ends: 2099-01-31}]"
    private static let server = "redirectUris: {web: [https://shop.example.com/done]}"

    /// The small file, whose application also has these lines.
    private func file(_ lines: String) -> String {
        TenantFileTests.small + "\n" + lines.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
    }

    private func faults(_ lines: String) -> [String] {
        do throws(ServeSettings.Invalid) {
            _ = try TenantFile(file(lines), named: "t.yaml")
            return []
        } catch {
            return error.problems
        }
    }

    private func warnings(_ lines: String, now: Date = Date(timeIntervalSince1970: 1_800_000_000)) throws -> [String] {
        try TenantFile(file(lines), named: "t.yaml", now: now).warnings
    }

    @Test("OIDC-1: what the file says of the web is read, and what export writes of it is read as the same")
    func aWebApplicationSurvivesItsText() throws {
        let directory = try TenantFile(
            file(
                """
                redirectUris:
                  publicClient: [msauth.com.example.shop://auth, http://localhost]
                  spa: [http://localhost:3000/, http://localhost:3001/]
                  web: [https://shop.example.com/done]
                postLogoutRedirectUris: [https://shop.example.com/bye, com.example.shop:/bye]
                homepage: https://shop.example.com/
                allowedOrigins: [https://shop.example.com, http://localhost:3000]
                \(Self.secret)
                keys:
                  - id: 00000000-0000-4000-8000-000000000002
                    ends: 2099-01-31
                    publicKey: |
                \(Self.key.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
                requiresPKCE: false
                thirdParty: true
                """), named: "t.yaml"
        ).directory
        let client = try #require(directory.entries.first?.applications.first)
        #expect(client.redirects[.spa].count == 2 && client.isConfidential)
        #expect(client.web.postLogoutRedirects == ["https://shop.example.com/bye", "com.example.shop:/bye"])
        #expect(client.web.homepage == "https://shop.example.com/" && client.web.isThirdParty)
        #expect(client.web.allowedOrigins == ["https://shop.example.com", "http://localhost:3000"])
        #expect(client.web.secrets.map(\.digest) == [DaemonSecret.digest(of: Secret("a secret"))])
        #expect(client.web.keys.map(\.publicKey) == [Self.key + "\n"] && !client.web.requiresPKCE)
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let plain = try TenantFile(TenantFileTests.small, named: "small").directory
        #expect(plain.entries.first?.applications.first?.web == WebSettings(), "a file without these members")
        let difference = TenantDifference(from: plain, to: directory, users: [:])
        for line in [
            "homepage: default → https://shop.example.com/", "requiresPKCE: default → false",
            "thirdParty: default → true", "allowedOrigins: default → [https://shop.example.com, http://localhost:3000]",
        ] {
            #expect(difference.lines.contains { $0.contains(line) }, "\(difference.lines)")
        }
        #expect(difference.lines.contains { $0.contains("secrets: default → [{id: 00000000-") })
    }

    @Test(
        "SEC-OAUTH-2, OIDC-6: a fault of the web is told with its line",
        arguments: [
            (
                "redirectUris: {publicClient: [shop://auth]}",
                "the address “shop://auth” must begin with https, a scheme"
            ),
            ("redirectUris: {publicClient: [urn:ietf:wg:oauth:2.0:oob]}", "must begin with https, a scheme with a dot"),
            ("redirectUris: {publicClient: [http://localhost:1, http://localhost:2]}", "in the port only"),
            ("redirectUris: {spa: [https://a.example.com/], web: [https://a.example.com/]}", "is in spa too"),
            ("redirectUris: {web: [https://a.example.com/, https://a.example.com/]}", "is there twice"),
            ("redirectUris: {other: []}", "“other” is not known"),
            ("postLogoutRedirectUris: [http://a.example.com/]", "in postLogoutRedirectUris must begin with https"),
            ("postLogoutRedirectUris: [https://a.example.com/, https://a.example.com/]", "is there twice"),
            ("homepage: http://a.example.com/", "the homepage “http://a.example.com/” must begin with https"),
            ("homepage: javascript:alert(1)", "must not begin with javascript"),
            ("allowedOrigins: ['null']", "“null” in allowedOrigins must be an origin"),
            ("allowedOrigins: ['*']", "“*” in allowedOrigins must be an origin"),
            ("requiresPKCE: false", "a public application must use PKCE"),
            ("requiresPKCE: perhaps", "requiresPKCE must be true or false"),
            ("secrets: [{id: 7, sha256: x, ends: soon}]", "the id “7” is not a UUID"),
            (
                "keys: [{id: 00000000-0000-4000-8000-000000000002, publicKey: x, ends: 2099-01-01}]",
                "publicKey must be PEM"
            ),
        ])
    func webFaults(_ lines: String, _ part: String) {
        let told = faults(lines)
        #expect(told.contains { $0.contains("t.yaml:10: ") && $0.contains(part) }, "\(told)")
    }

    @Test("SEC-PRF-4: an application cannot have the development tenant's secret, nor more than 20")
    func forbiddenSecrets() {
        let development = Base64URL.encode(DaemonSecret.digestOfDevelopment)
        #expect(faults(Self.secret.replacing(Self.digest, with: development)).count == 1)
        let many = (10...30).map {
            "  - {id: 00000000-0000-4000-8000-0000000000\($0), sha256: \"\(Self.digest)\", ends: 2099-01-01}"
        }
        let told = faults("secrets:\n" + many.joined(separator: "\n"))
        #expect(told.count == 1 && told.first?.contains("an application has at most 20") == true, "\(told)")
    }

    @Test("OIDC-6, OIDC-10: check warns of a secret in the wrong place, of none, and of one that ends")
    func warningsOfTheWeb() throws {
        let server = Self.server + "\nnativeAuthentication: false"
        #expect(try warnings(server + "\n" + Self.secret).isEmpty)
        let app = try warnings(Self.server + "\n" + Self.secret)
        #expect(app.count == 1 && app[0].contains("needs a secret for every token"), "\(app)")
        #expect(try warnings("redirectUris: {publicClient: [http://localhost], spa: [https://a.example.com/]}").isEmpty)
        let wrong = try warnings("redirectUris: {spa: [https://a.example.com/]}\n" + Self.secret)
        #expect(
            wrong.count == 1 && wrong[0].contains("t.yaml:11: ") && wrong[0].contains("no address in web"), "\(wrong)")
        let none = try warnings(Self.server)
        #expect(none.count == 1 && none[0].contains("it is public and must use PKCE"), "\(none)")
        // 2099-01-30 and 2099-02-01.
        let soon = try warnings(
            server + "\n" + Self.secret, now: Date(timeIntervalSince1970: 4_073_414_400))
        #expect(soon.count == 1 && soon[0].contains("ends soon, at 2099-01-31"), "\(soon)")
        let late = try warnings(
            server + "\n" + Self.secret, now: Date(timeIntervalSince1970: 4_073_587_200))
        #expect(late.count == 2 && late[0].contains("has ended at 2099-01-31"), "\(late)")
        #expect(late[1].contains("its users cannot sign in on the web"))
        let origins = try warnings("nativeAuthentication: false\nallowedOrigins: [https://a.example.com]")
        #expect(origins.count == 1 && origins[0].contains("they have no effect"), "\(origins)")
    }

    @Test("The lines that daemon secret prints are those of an application, too")
    func aSecretOfAnApplication() async throws {
        let made = try await NativeAuthProcess.run(["daemon", "secret", "--days", "30"])
        let lines = made.output.split(separator: "\n").map(String.init)
        let text = try #require(lines.first)
        let read = try TenantFile(
            file(
                Self.server + "\nnativeAuthentication: false\nsecrets:\n"
                    + lines.dropFirst().map { "  \($0)" }.joined(separator: "\n")),
            named: "t.yaml")
        let client = try #require(read.directory.entries.first?.applications.first)
        #expect(read.warnings.isEmpty && client.web.secrets.map(\.digest) == [DaemonSecret.digest(of: Secret(text))])
    }
}
