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

    private func faults(_ lines: String) -> [String] { TenantFile.faults(file(lines)) }

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
                backChannelLogoutUri: https://shop.example.com/callback?logout=backchannel
                frontChannelLogoutUri: https://shop.example.com/out
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
        #expect(client.web.backChannelLogout == "https://shop.example.com/callback?logout=backchannel")
        #expect(client.web.frontChannelLogout == "https://shop.example.com/out")
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

    @Test(
        "OIDC-25, SEC-NET-13: a fault of a logout address is told with its line",
        arguments: [
            ("backChannelLogoutUri: http://shop.example.com/out", "must begin with https; http is for this machine"),
            ("backChannelLogoutUri: http://169.254.169.254/latest/meta-data", "must begin with https"),
            ("backChannelLogoutUri: ftp://shop.example.com/out", "must not begin with ftp"),
            ("backChannelLogoutUri: https://user:word@shop.example.com/out", "must name no user"),
            ("backChannelLogoutUri: https://shop.example.com/out#part", "must have no fragment"),
            ("backChannelLogoutUri: com.example.shop://out", "must begin with https"),
            ("frontChannelLogoutUri: https://other.example.com/out", "must have scheme, host and port of a redirect"),
            ("frontChannelLogoutUri: https://shop.example.com:8443/out", "must have scheme, host and port"),
            ("frontChannelLogoutUri: http://shop.example.com/out", "must begin with https"),
            ("frontChannelLogoutUri: https://shop.example.com.evil.example/out", "must have scheme, host and port"),
            ("frontChannelLogoutUri: https://shop.example.com/out?sid=1", "must have no iss and no sid"),
            ("frontChannelLogoutUri: https://shop.example.com/out?a=1&%73i%64=1", "must have no iss and no sid"),
            ("frontChannelLogoutUri: https://shop.example.com/out?%69ss", "must have no iss and no sid"),
            ("frontChannelLogoutUri: \"https://shop.example.com/out;\\\" x\"", "printable ASCII"),
            ("frontChannelLogoutUri: \"javascript:alert(1)\"", "must not begin with javascript"),
        ])
    func logoutFaults(_ line: String, _ part: String) {
        let told = faults("\(line)\n\(Self.server)\n\(Self.secret)\nnativeAuthentication: false")
        #expect(told.count == 1 && told[0].contains("t.yaml:10: ") && told[0].contains(part), "\(told)")
        let bare = faults(line.replacing(/: .*/, with: ": https://shop.example.com/out"))
        #expect(bare.count == 1 && bare[0].contains("is for an application with redirectUris"), "\(bare)")
    }

    @Test("SEC-NET-13: check warns of a logout address that only a development server calls")
    func logoutWarning() throws {
        let server = "\(Self.server)\n\(Self.secret)\nnativeAuthentication: false\n"
        #expect(try warnings(server + "backChannelLogoutUri: https://shop.example.com/out").isEmpty)
        let told = try warnings(server + "backChannelLogoutUri: http://localhost:8080/out")
        #expect(told.count == 1 && told[0].contains("a production server calls https only"), "\(told)")
        for host in ["10.1.2.3", "127.0.0.1:8443", "169.254.169.254", "[fd00::1]", "[::1]:8443", "192.168.0.4"] {
            let told = try warnings(server + "backChannelLogoutUri: https://\(host)/out")
            #expect(told.count == 1 && told[0].contains("only if it is in its --hook-networks"), "\(host): \(told)")
        }
        for host in ["1.1.1.1", "[2606:4700::1111]:8443", "10.example.com"] {
            #expect(try warnings(server + "backChannelLogoutUri: https://\(host)/out").isEmpty, "\(host)")
        }
    }

    @Test("A faulty redirect address causes no second fault about what depends on it, and a member is listed once")
    func oneFault() {
        let told = faults(
            """
            redirectUris: {web: [https://*.example.com/done]}
            backChannelLogoutUri: https://shop.example.com/out
            frontChannelLogoutUri: https://shop.example.com/gone
            nativeAuthentication: false
            """)
        #expect(told.count == 1 && told[0].contains("*.example.com"), "\(told)")
        let both = faults(
            """
            redirectUris: {web: [https://*.example.com/done]}
            backChannelLogoutUri: ftp://shop.example.com/out
            """)
        #expect(both.count == 2 && both[1].contains("must not begin with ftp"), "\(both)")
        let unknown = faults("redirects: []")
        #expect(unknown.count == 1 && unknown[0].components(separatedBy: "signIn").count == 2, "\(unknown)")
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
