import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// `levels` of a tenant file.
@Suite("Levels of a tenant file", .timeLimit(.minutes(1)))
struct TenantLevelsFileTests {
    private static let members = """
            authenticatorApps: true
            passkeys: {domain: harbour.example.com}
            levels:
              - level: l2p
                maxAge: 600
                contexts: [c4, c5]
              - level: l2
                applications: [7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7]
              - {level: l1m, scopes: [api://orders/Orders.Pay, "api://stock/*"], groups: [0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c11]}
              - {level: l1, maxAge: 86400, applications: [7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7]}
            applications:
        """

    private func document(_ members: String) -> String {
        TenantFileTests.small.replacing("    applications:", with: members)
    }

    @Test("What export writes of levels, apply reads, and the difference names them")
    func theySurviveTheirText() throws {
        let directory = try TenantFile(document(Self.members), named: "levels").directory
        let rules = try #require(directory.entries.first?.tenant.levels)
        let app = try #require(ClientID("7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7"))
        #expect(
            rules == [
                LevelRule(level: .phishingResistant, maximumAge: 600, contexts: ["c4", "c5"]),
                LevelRule(level: .twoFactors, applications: [app]),
                LevelRule(
                    level: .mailed, scopes: ["api://orders/Orders.Pay", "api://stock/*"],
                    groups: [try #require(UUID(uuidString: "0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c11"))]),
                LevelRule(level: .oneFactor, maximumAge: 86_400, applications: [app]),
            ])
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let before = try TenantFile(TenantFileTests.small, named: "before").directory
        let lines = TenantDifference(from: before, to: directory, users: [:]).lines
        #expect(lines.contains { $0.contains("+ rule of levels") && $0.contains("l2p") }, "\(lines)")
    }

    @Test("Faults of levels are told together, each with its line")
    func faultsHaveLines() {
        let text = document(
            """
                levels:
                  - {level: l3, contexts: [c1]}
                  - {contexts: [c0, c1, c1, C2]}
                  - {level: l1, contexts: [c3]}
                  - {level: l1m}
                  - {level: l1m, maxAge: 10, applications: [7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f8]}
                  - {level: l1m, scopes: ["*", openid, "a b"], groups: [cashiers], colour: red}
                  - {level: l2r, contexts: [c6]}
                  - {level: l2, contexts: [c7]}
                  - {level: l2p, contexts: [c8]}
                  - {level: l1, maxAge: null, contexts: [c9]}
                  - {level: l1m, contexts: null}
                  - {level: l1m, applications: [7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7]}
                applications:
            """)
        let faults = TenantFile.faults(text)
        let expected = [
            "l3", "needs level", "“c0” is no context", "“C2” is no context", "“c1” is there twice",
            "give the rule a maxAge",
            "needs contexts, applications, scopes or groups", "maxAge", "is no clientId of the tenant",
            "“*” is no scope of an API", "“openid” is no scope of an API", "a b", "groups has “cashiers”", "colour",
            "can reach l2r: it has neither sms nor",
            "can reach l2: it has neither", "can reach l2p: it has no passkeys",
            "cannot reach l1m without passkeys, sms or authenticatorApps",
        ]
        for words in expected { #expect(faults.contains { $0.contains(words) }, "\(words): \(faults)") }
        #expect(faults.allSatisfy { $0.hasPrefix("t.yaml:") }, "\(faults)")
        let many = (1...51).map { "- {level: l1m, contexts: [c\($0)]}" }.joined(separator: "\n      ")
        let crowded = TenantFile.faults(document("    levels:\n      \(many)\n    applications:"))
        #expect(crowded.contains { $0.contains("at most 50") }, "\(crowded)")
    }
}
