import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// `providers` of a tenant file.
@Suite("Providers of a tenant file", .timeLimit(.minutes(1)))
struct TenantProvidersFileTests {
    private static let members = """
            providers:
              - kind: apple
                nativeClients: [com.example.harbour]
                web: {clientId: com.example.pages}
                keyFrom: PROVIDER_APPLE
                teamId: A1B2C3D4E5
                keyId: F6G7H8J9K0
              - kind: google
                id: g
                displayName: Google Mail
                nativeClients: ["1-a.apps.example", "2-b.apps.example"]
                web: {clientId: 3-c.apps.example, secretFrom: PROVIDER_GOOGLE}
              - kind: openID
                id: harbour
                displayName: Harbour ID
                issuer: https://id.harbour.example
                web: {clientId: pages}
                domains: [harbour.example, ship.example]
            applications:
        """

    private func document(_ members: String) -> String {
        TenantFileTests.small.replacing("    applications:", with: members)
    }

    @Test("SEC-PRF-4: no document has the provider that a development server plays")
    func theSampleIsNone() throws {
        let text = document(Self.members.replacing("https://id.harbour.example", with: IdentityProvider.sample.issuer))
        #expect(throws: ServeSettings.Invalid.self) { try TenantFile(text, named: "sample") }
        // Another address of this machine is one of a developer's own, and check says what it is worth in production.
        let own = document(Self.members.replacing("https://id.harbour.example", with: "http://127.0.0.1:9000"))
        let told = try TenantFile(own, named: "own").warnings.filter { $0.contains("without TLS") }
        #expect(told.count == 1 && told[0].contains("Harbour ID"), "\(told)")
        #expect(try TenantFile(document(Self.members), named: "t").warnings.allSatisfy { !$0.contains("without TLS") })
    }

    @Test("SEC-FED-1: what export writes of providers, apply reads, and the difference names them")
    func theySurviveTheirText() throws {
        let directory = try TenantFile(document(Self.members), named: "providers").directory
        let providers = try #require(directory.entries.first?.tenant.providers)
        #expect(providers.map(\.id) == ["apple", "g", "harbour"])
        #expect(providers.map(\.displayName) == ["Apple", "Google Mail", "Harbour ID"])
        #expect(providers[0].issuer == "https://appleid.apple.com" && providers[0].authority == .everything)
        #expect(providers[1].authority == .google && providers[1].otherIssuers == ["accounts.google.com"])
        #expect(
            providers[0].credential(of: "com.example.pages")
                == .appleKey(.init(variable: "PROVIDER_APPLE", team: "A1B2C3D4E5", key: "F6G7H8J9K0")))
        #expect(providers[0].credential(of: "com.example.harbour") == providers[0].credential(of: "com.example.pages"))
        #expect(providers[0].credential(of: "com.example.other") == nil)
        #expect(
            providers[1].web?.credential == .secret(variable: "PROVIDER_GOOGLE")
                && providers[1].nativeClients.count == 2)
        #expect(providers[2].authority == .domains(["harbour.example", "ship.example"]))
        #expect(providers[2].web?.clientID == "pages" && providers[2].nativeClients.isEmpty)
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let before = try TenantFile(TenantFileTests.small, named: "before").directory
        let lines = TenantDifference(from: before, to: directory, users: [:]).lines
        #expect(lines.contains("    + provider Apple (apple): https://appleid.apple.com"), "\(lines)")
    }

    @Test(
        "SEC-FED-8: faults of providers are told together, each with its line; none gets more authority than it states")
    func faultsHaveLines() {
        let text = document(
            """
                providers:
                  - kind: openID
                    id: Big
                    displayName: ""
                    issuer: http://id.harbour.example
                    nativeClients: ["a b", c, c]
                    domains: ["Harbour.example", harbour.example, harbour.example, "-"]
                    web: {clientId: x, secretFrom: HOME, colour: red}
                  - kind: openID
                    id: apple
                    displayName: Not Apple
                    issuer: https://appleid.apple.com
                    nativeClients: [c]
                  - kind: apple
                    nativeClients: [c]
                  - kind: openID
                    id: late
                    displayName: Late
                    issuer: https://id.example/?a=b
                  - nativeClients: [c]
                  - kind: yahoo
                    nativeClients: [c]
                    size: 7
                applications:
            """)
        let faults = TenantFile.faults(text)
        let expected = [
            "small letters, digits and hyphens", "displayName must have 1 to 64", "must begin with https://",
            "nativeClients: “a b”", "nativeClients: “c” is listed twice", "domains: “Harbour.example”",
            "domains: “harbour.example” is listed twice", "domains: “-”", "begins with PROVIDER_", "colour",
            "has a kind of its own: write kind: apple", "two providers have the id “apple”",
            "a provider needs nativeClients", "a provider needs kind", "yahoo", "size",
        ]
        for words in expected { #expect(faults.contains { $0.contains(words) }, "\(words): \(faults)") }
        #expect(faults.allSatisfy { $0.hasPrefix("t.yaml:") }, "\(faults)")
    }

    private static let strength = document(
        of: """
                    strength:
                      acr:
                        - {value: "urn:harbour:two", level: l2}
                        - {value: phr, level: l2p}
                      amr:
                        - {value: otp, level: l1m}
                        - {value: sms, level: l2r}
            """)

    private static func document(of strength: String) -> String {
        TenantFileTests.small.replacing(
            "    applications:",
            with: members.replacing(
                "        domains: [harbour.example, ship.example]",
                with: "        domains: [harbour.example, ship.example]\n" + strength))
    }

    @Test("SEC-FED-13: what a provider's words mean is read and written, and only an acr is more than l2")
    func strength() throws {
        let directory = try TenantFile(Self.strength, named: "providers").directory
        let provider = try #require(directory.entries.first?.tenant.providers.last)
        #expect(
            provider.strength
                == ProviderStrength(
                    byContext: [.init("urn:harbour:two", .twoFactors), .init("phr", .phishingResistant)],
                    byMethod: [.init("otp", .mailed), .init("sms", .restricted)]))
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let faults = TenantFile.faults(
            Self.document(
                of: """
                            strength:
                              acr:
                                - {value: "a b", level: l2}
                                - {value: c, level: l3}
                                - {value: d, level: l2}
                                - {value: d, level: l1m}
                                - {level: l2}
                                - {value: e, level: l1}
                              amr:
                                - {value: hwk, level: l2p}
                                - {value: mfa, level: l2, colour: red}
                              times: 7
                    """))
        let expected = [
            "1 to 255 visible", "level is “l3”", "“d” twice", "“value” is missing", "level is “l1”",
            "“hwk” can mean l2 at most", "“colour”", "“times”",
        ]
        for words in expected { #expect(faults.contains { $0.contains(words) }, "\(words): \(faults)") }
        #expect(faults.count == expected.count, "\(faults)")
        let empty = TenantFile.faults(Self.document(of: "        strength: {}"))
        #expect(empty.contains { $0.contains("strength needs acr or amr") }, "\(empty)")
        // Apple and Google say nothing of the kind.
        let apple = TenantFile.faults(
            document(
                Self.members.replacing(
                    "        keyId: F6G7H8J9K0",
                    with: "        keyId: F6G7H8J9K0\n        strength: {acr: [{value: x, level: l2}]}")))
        #expect(apple.contains { $0.contains("“strength” is not known") }, "\(apple)")
    }

    @Test("SEC-FED-14: the start names a secret that is missing, and one that is no key, and never its value")
    func warnings() throws {
        let tenants = try TenantFile(document(Self.members), named: "t.yaml").directory.entries.map(\.tenant)
        func warnings(_ environment: [String: String]) -> [String] {
            ProviderSecrets.warnings(of: tenants) { name in environment[name].map { Secret($0) } }
        }
        let none = warnings([:])
        #expect(none.count == 2 && none.allSatisfy { $0.contains("is not set") }, "\(none)")
        #expect(none.contains { $0.contains("provider apple: the environment variable PROVIDER_APPLE") }, "\(none)")
        let wrong = warnings(["PROVIDER_GOOGLE": "s3cret", "PROVIDER_APPLE": "no-key-at-all"])
        #expect(
            wrong.count == 1 && wrong[0].contains("no private key") && !wrong[0].contains("no-key-at-all"), "\(wrong)")
    }

    @Test(
        "SEC-FED-5: no provider gets the secret of another one, and a secret in the place of its name is not repeated")
    func secretsStayApart() {
        let faults = TenantFile.faults(
            document(
                """
                    providers:
                      - kind: google
                        web: {clientId: pages, secretFrom: PROVIDER_SHARED}
                      - kind: openID
                        id: thief
                        displayName: Thief
                        issuer: https://thief.example
                        web: {clientId: pages, secretFrom: PROVIDER_SHARED}
                      - kind: openID
                        id: late
                        displayName: Late
                        issuer: https://late.example
                        keyFrom: PROVIDER_LATE
                        web: {clientId: pages, secretFrom: GOCSPX-not-a-name}
                      - kind: apple
                        keyFrom: PROVIDER_B
                        teamId: short
                        keyId: F6G7H8J9K0
                        web: {clientId: pages, secretFrom: PROVIDER_A}
                    applications:
                """))
        #expect(faults.count == 5, "\(faults)")
        #expect(
            faults.contains { $0.contains("“keyFrom”") } && faults.contains { $0.contains("not both") }, "\(faults)")
        #expect(faults.contains { $0.contains("teamId must have ten") }, "\(faults)")
        #expect(faults.contains { $0.contains("PROVIDER_SHARED") && $0.contains("another issuer") }, "\(faults)")
        #expect(!faults.contains { $0.contains("GOCSPX") }, "\(faults)")
    }
}
