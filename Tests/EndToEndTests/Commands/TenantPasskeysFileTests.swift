import Foundation
import IdentityEngine
import Testing

@testable import native_auth

/// `passkeys` of a tenant file.
@Suite("Passkeys of a tenant file", .timeLimit(.minutes(1)))
struct TenantPasskeysFileTests {
    private static let certificate = (0..<32).map { "A" + String($0 % 10) }.joined(separator: ":")

    private static let members = """
            passkeys:
              domain: harbour.example.com
              origins: [https://login.harbour.example.com, "https://shop.harbour.example.com:8443"]
              appleApps: [A1B2C3D4E5.com.example.harbour]
              androidApps:
                - package: com.example.harbour
                  certificates: ["\(certificate)", "\(certificate.lowercased().replacing("a9", with: "ff"))"]
            applications:
        """

    private func document(_ members: String) -> String {
        TenantFileTests.small.replacing("    applications:", with: members)
    }

    @Test("SEC-PK-17: what export writes of passkeys, apply reads, and the difference names it")
    func theySurviveTheirText() throws {
        let directory = try TenantFile(document(Self.members), named: "passkeys").directory
        let passkeys = try #require(directory.entries.first?.tenant.passkeys)
        #expect(passkeys.relyingPartyID == "harbour.example.com" && passkeys.origins.count == 2)
        #expect(passkeys.appleApps == ["A1B2C3D4E5.com.example.harbour"])
        let app = try #require(passkeys.androidApps.first)
        #expect(app.package == "com.example.harbour" && app.certificates.count == 2)
        #expect(app.certificates.allSatisfy { $0.count == 32 } && app.certificates[0].prefix(2) == [0xA0, 0xA1])
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let before = try TenantFile(TenantFileTests.small, named: "before").directory
        let lines = TenantDifference(from: before, to: directory, users: [:]).lines
        #expect(lines.contains("    passkeys.domain: default → harbour.example.com"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("    passkeys.androidApps: default → [{package: com.example.harbour") })
    }

    @Test("Faults of passkeys are told together, each with its line")
    func faultsHaveLines() {
        let text = document(
            """
                passkeys:
                  domain: harbour.example.com
                  origins:
                    - http://login.harbour.example.com
                    - https://login.harbour.example.com/
                    - https://example.com
                    - https://evilharbour.example.com
                    - https://harbour.example.com
                    - http://localhost:3000
                    - https://a.harbour.example.com
                    - https://a.harbour.example.com
                  appleApps:
                    - com.example.harbour
                    - a1b2c3d4e5.com.example
                    - A1B2C3D4E5.
                  androidApps:
                    - package: harbour
                      certificates: []
                    - package: com.example.app
                      certificates: [AB:CD]
                    - package: com.example.app
                  colour: red
                applications:
            """)
        let expected = [
            "t.yaml:9: origins: “http://login.harbour.example.com” must begin with https",
            "t.yaml:10: origins: “https://login.harbour.example.com/” must be an origin as browsers send it",
            "t.yaml:11: origins: “https://example.com” must have the host harbour.example.com or a name below it",
            "t.yaml:12: origins: “https://evilharbour.example.com” must have the host",
            "t.yaml:13: origins: “https://harbour.example.com” is always an origin of the domain",
            "t.yaml:14: origins: “http://localhost:3000” must begin with https",
            "t.yaml:16: origins: “https://a.harbour.example.com” is listed twice",
            "t.yaml:18: appleApps: “com.example.harbour” must be the ten characters of your team",
            "t.yaml:19: appleApps: “a1b2c3d4e5.com.example” must be",
            "t.yaml:20: appleApps: “A1B2C3D4E5.” must be",
            "t.yaml:22: the package “harbour” must be a name such as",
            "t.yaml:23: an app of androidApps needs certificates",
            "t.yaml:25: certificates: “AB:CD” must be a SHA-256 as keytool prints it",
            "t.yaml:26: the package “com.example.app” is listed twice",
            "t.yaml:26: an app of androidApps needs certificates",
            "t.yaml:27: “colour” is not known. The member passkeys has: domain, origins, appleApps, androidApps",
        ]
        let told = TenantFile.faults(text)
        #expect(told.count == expected.count, "\(told)")
        for (sentence, beginning) in zip(told, expected) { #expect(sentence.hasPrefix(beginning), "\(sentence)") }
    }

    @Test(
        "A domain that no passkey can be bound to is refused",
        arguments: [
            "com", "192.0.2.1", "2001:db8::1", "Harbour.example.com", "harbour.example.com.", "-a.example.com",
            "https://harbour.example.com", "harbour.example.com:443", "localhost.", "a..example.com", "a_b.example.com",
            "*.example.com", String(repeating: "a", count: 64) + ".example.com",
        ])
    func badDomains(_ domain: String) {
        let told = TenantFile.faults(document("    passkeys: {domain: \"\(domain)\"}\n    applications:"))
        #expect(told.count == 1 && told[0].hasPrefix("t.yaml:6: passkeys: the domain"), "\(told)")
    }

    @Test("Passkeys need a domain; localhost is one for development, with pages of this machine, and check warns of it")
    func localhost() throws {
        #expect(
            TenantFile.faults(document("    passkeys:\n    applications:")).first?.contains("passkeys has no members")
                == true)
        let missing = TenantFile.faults(document("    passkeys: {appleApps: []}\n    applications:"))
        #expect(missing == ["t.yaml:6: “domain” is missing; the member passkeys needs it."], "\(missing)")
        let file = try TenantFile(
            document("    passkeys: {domain: localhost, origins: [\"http://localhost:3000\"]}\n    applications:"),
            named: "t.yaml")
        #expect(file.directory.entries.first?.tenant.passkeys?.origins == ["http://localhost:3000"])
        #expect(file.warnings.contains { $0.hasPrefix("t.yaml:6: the domain of passkeys is localhost") })
    }

    @Test("Two tenants have no passkeys of one domain")
    func oneDomainForOneTenant() throws {
        let one = document("    passkeys: {domain: harbour.example.com}\n    applications:")
        let other = one.replacing("tenants:\n", with: "").replacing("harbour\n", with: "quay\n")
            .replacing("  domain: harbour", with: "  domain: quay").replacing("0c2e6a3e", with: "1c2e6a3e")
        let told = TenantFile.faults(one + "\n" + other)
        #expect(told.count == 1 && told[0].contains("two tenants have passkeys of “harbour.example.com”"), "\(told)")
    }

    @Test("SEC-PK-17: tenant association writes the files for another server")
    func files() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        try Data(document(Self.members).utf8).write(to: file)
        func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
            try await NativeAuthProcess.run(
                ["tenant", "association", file.path, "--directory", folder.url.path] + arguments)
        }
        let place = folder.url.appending(path: "harbour.example.com/.well-known")
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() }
        let first = try await run([])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try names() == ["apple-app-site-association", "assetlinks.json", "webauthn"])
        #expect(try await run(["--base-url", "https://login.harbour.example.com"]).status == 0)
        #expect(try names() == ["apple-app-site-association", "assetlinks.json", "passkey-endpoints", "webauthn"])
        let apple = try String(contentsOf: place.appending(path: "apple-app-site-association"), encoding: .utf8)
        #expect(apple == #"{"webcredentials":{"apps":["A1B2C3D4E5.com.example.harbour"]}}"#)
        #expect(try await run(["--base-url", "login.harbour.example.com"]).status == 64)
    }
}
