import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// Hooks and subscribers in a tenant file.
@Suite("Hooks of a tenant file", .timeLimit(.minutes(1)))
struct HookFileTests {
    /// The small file with these lines at its end.
    private func file(_ lines: String) -> String {
        TenantFileTests.small + "\n" + lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    }

    private static let application = "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7"
    private static let whole = """
        hooks:
          - id: 00000000-0000-4000-8000-000000000001
            displayName: Claims
            event: tokenIssuanceStart
            url: https://hooks.example.com/claims
            audience: 00000000-0000-4000-8000-0000000000aa
            applications: [\(application)]
            timeoutMilliseconds: 500
            retries: 0
            onFailure: proceed
            claims:
              - name: tier
              - {name: groups_of_app, from: groups, in: [access]}
          - id: 00000000-0000-4000-8000-000000000002
            displayName: Codes
            event: otpSend
            url: http://localhost:9000/codes
            audience: 00000000-0000-4000-8000-0000000000aa
        subscribers:
          - id: 00000000-0000-4000-8000-000000000003
            displayName: CRM
            url: https://crm.example.com/
            audience: 00000000-0000-4000-8000-0000000000aa
            events: [user.deleted]
        """

    @Test("What the file says of hooks is read, and what export writes of it is read as the same")
    func aHookSurvivesItsText() throws {
        let read = try TenantFile(file(Self.whole), named: "t.yaml")
        let tenant = try #require(read.directory.entries.first?.tenant)
        let hook = try #require(tenant.hooks.first)
        #expect(hook.timeout == 500 && hook.retries == 0 && hook.onFailure == .proceed)
        #expect(hook.applications?.map(\.description) == [Self.application])
        #expect(
            hook.claims == [
                HookClaim(name: "tier"), HookClaim(name: "groups_of_app", member: "groups", places: [.access]),
            ])
        let codes = try #require(tenant.hooks.last)
        #expect(codes.timeout == 1_000 && codes.retries == 1 && codes.onFailure == .block && codes.applications == nil)
        #expect(tenant.subscribers.first?.events == [.userDeleted])
        let written = try TenantText.document(read.directory)
        #expect(try TenantFile(written, named: "written").directory.entries == read.directory.entries, "\(written)")
        #expect(read.warnings.count == 1 && read.warnings[0].contains("“Codes” is http"), "\(read.warnings)")
        let before = try TenantFile(TenantFileTests.small, named: "before").directory
        let lines = TenantDifference(from: before, to: read.directory, users: [:]).lines
        #expect(lines.contains { $0.contains("+ hook Claims") && $0.contains("tokenIssuanceStart") }, "\(lines)")
        #expect(lines.contains { $0.contains("+ subscriber CRM") }, "\(lines)")
    }

    @Test(
        "Each fault of a hook is told",
        arguments: [
            ("url: https://hooks.example.com/claims", "url: http://hooks.example.com/", "must begin with https"),
            ("url: https://hooks.example.com/claims", "url: ftp://hooks.example.com/", "must begin with https"),
            ("url: https://hooks.example.com/claims", "url: https://u:p@hooks.example.com/", "no user"),
            ("url: https://hooks.example.com/claims", "url: 'https://hooks.example.com/a b'", "must be an address"),
            ("url: https://hooks.example.com/claims", "url: https://", "must be an address"),
            ("event: otpSend", "event: tokenIssuanceStart", "one hook for an event"),
            ("event: otpSend", "event: passwordExpired", "event is “passwordExpired”"),
            ("- name: tier", "- name: oid", "the server's own"),
            ("- name: tier", "- name: Email", "the server itself sets"),
            ("- name: tier", "- name: Groups_Of_App", "there twice"),
            ("in: [access]", "in: [userinfo]", "which asks no receiver"),
            ("timeoutMilliseconds: 500", "timeoutMilliseconds: 5000", "200 to 2000"),
            ("retries: 0", "retries: 2", "0 or 1"),
            ("onFailure: proceed", "onFailure: ignore", "onFailure is “ignore”"),
            ("applications: [\(application)]", "applications: [7]", "no application of the tenant"),
            ("applications: [\(application)]", "applications: []", "applications is empty"),
            (
                "audience: 00000000-0000-4000-8000-0000000000aa", "audience: \(application)",
                "clientId of an application"
            ),
            ("000000000002", "000000000001", "have the id"),
            (
                "audience: 00000000-0000-4000-8000-0000000000aa", "audience: 00000003-0000-0000-c000-000000000000",
                "directory"
            ),
            ("events: [user.deleted]", "events: [user.gone]", "events has “user.gone”"),
            ("events: [user.deleted]", "event: user.deleted", "is not known"),
        ])
    func faultsOfHooks(part: String, wrong: String, words: String) {
        let text = file(Self.whole)
        #expect(text.contains(part))
        let told = TenantFile.faults(text.replacing(part, with: wrong, maxReplacements: 1))
        #expect(told.contains { $0.contains(words) }, "\(told)")
    }

    private static let key = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA69+PEMZI9vUwe52hq2iJ
        tg8KQNtqD99QMqcvRAYaMtnMAxEtcPxkmJQQaamasGgdMjCIw8Kjciz6M1KcxXsY
        yHFeJdk5GWVXHVyVqEo4dcw2bn24LQs1wzL0EtMQ6VEwezGUB/dbVCuGULesVapS
        SUbFZDEQ81LAzUl8Q3RxAWcU52JetY54D29+477OuVyiSblY2BuVbUXnE33sPIXm
        73L1AvSlm9zkGOmoXYn2A9GS1lompEMFN8IocM3vLn3hqQEOBwc041CI5sMVxzHK
        r+WIEsF4CO6XVovrVKWEmh6yIMEaF9OjLxirFgrFEfz/tQWOmCik4voMU7gdGClJ
        rQIDAQAB
        -----END PUBLIC KEY-----
        """
    private static func passwords(_ key: String) -> String {
        """
        userAttributes:
          - {name: extension_toMove, type: boolean}
          - {name: extension_text}
        hooks:
          - id: 00000000-0000-4000-8000-000000000001
            displayName: Old shop
            event: passwordSubmit
            url: https://hooks.example.com/passwords
            audience: 00000000-0000-4000-8000-0000000000aa
            migrationAttribute: extension_toMove
            encryptionKey: |
        \(key.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
        """
    }

    @Test("A hook about passwords survives its text, and no user can set its attribute")
    func passwordHooks() throws {
        let text = file(Self.passwords(Self.key))
        let read = try TenantFile(text, named: "t.yaml")
        let hook = try #require(read.directory.entries.first?.tenant.hooks.first)
        #expect(hook.migration?.attribute == "extension_toMove")
        #expect(hook.migration?.encryptionKey.split(separator: "\n") == Self.key.split(separator: "\n"))
        let written = try TenantText.document(read.directory)
        #expect(try TenantFile(written, named: "written").directory.entries == read.directory.entries, "\(written)")
        func told(_ part: String, _ wrong: String) -> [String] {
            #expect(text.contains(part))
            return TenantFile.faults(text.replacing(part, with: wrong, maxReplacements: 1))
        }
        for (part, wrong, words) in [
            ("migrationAttribute: extension_toMove", "migrationAttribute: extension_text", "with the type boolean"),
            (
                "migrationAttribute: extension_toMove", "migrationAttribute: extension_none",
                "no attribute of userAttributes"
            ),
            ("migrationAttribute: extension_toMove", "migrationAttribute: city", "which a user flow collects"),
            ("migrationAttribute: extension_toMove", "migrationAttribute: City", "which a user flow collects"),
            ("        migrationAttribute: extension_toMove\n", "", "migrationAttribute"),
            ("event: passwordSubmit", "event: otpSend", "only a hook for passwordSubmit has encryptionKey"),
            ("encryptionKey: |", "onFailure: proceed\n        encryptionKey: |", "no onFailure proceed"),
            ("BEGIN PUBLIC KEY", "BEGIN PRIVATE KEY", "encryptionKey must be PEM"),
        ] {
            let told = told(part, wrong)
            #expect(told.contains { $0.contains(words) }, "\(wrong): \(told)")
        }
        let short = Self.key.replacing("AQEFAAOCAQ8AMIIBCgKCAQEA", with: "AQEFAAOCAQ8AMIIBCgKCAQEB")
        #expect(TenantFile.faults(file(Self.passwords(short))).contains { $0.contains("encryptionKey must be PEM") })
        let asleep = told("        migrationAttribute: extension_toMove\n", "        enabled: false\n")
        #expect(asleep.isEmpty, "\(asleep)")
        let collected = told(
            "userAttributes:",
            """
            userFlows:
                  - id: 00000000-0000-4000-8000-0000000000f1
                    displayName: Flow
                    signIn: emailPassword
                    attributes: [{name: extension_toMove, type: boolean}]
                userAttributes:
            """)
        #expect(collected.contains { $0.contains("which a user flow collects") }, "\(collected)")
    }

    @Test("A hook's claim cannot have the name of an application's, nor a daemon the id of the server's calls")
    func names() {
        let claimed = TenantFileTests.small + "\n        claims: [{name: Tier, attribute: city}]\n"
        let told = TenantFile.faults(
            claimed + Self.whole.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
        #expect(told.contains { $0.contains("has the claim “tier” already") }, "\(told)")
        let daemon = file("daemons: [{clientId: 99045fe1-7639-4a75-9d4a-577b6ca3810f, displayName: X}]")
        #expect(TenantFile.faults(daemon).contains { $0.contains("calls of hooks") })
    }
}
