import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// `sms` of a tenant file.
@Suite("Text messages of a tenant file", .timeLimit(.minutes(1)))
struct TenantTextsFileTests {
    private func file(_ members: String) throws -> TenantFile {
        let document = TenantFileTests.small.replacing(
            "    applications:", with: "    sms: {callingCodes: [49], name: Harbour\(members)}\n    applications:")
        return try TenantFile(document, named: "texts")
    }

    private func problems(_ members: String) -> String {
        do {
            _ = try file(members)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("SEC-SMS-7: numbers sign in only where the costs are limited; what export writes, apply reads")
    func signIn() throws {
        let read = try file(", prices: {others: 0.08}, costPerDay: 5, signIn: true")
        let texts = try #require(read.directory.entries.first?.tenant.texts)
        #expect(texts.signsIn && texts.costPerDay == 5_000_000)
        let again = try TenantFile(TenantText.document(read.directory), named: "again")
        #expect(again.directory.entries.first?.tenant.texts == texts)
        #expect(try file("").directory.entries.first?.tenant.texts?.signsIn == false)
        #expect(problems(", signIn: true").contains("signIn needs costPerDay or costPerMonth"))
        #expect(problems(", signIn: perhaps").contains("signIn"))
    }

    @Test("SEC-SMS-2: check warns of numbers that sign in from every country, and of no shorter list")
    func everyCountry() throws {
        func warnings(_ signsIn: Bool, _ areas: Set<String>) throws -> [String] {
            var directory = try file(", prices: {others: 0.08}, costPerDay: 5, signIn: \(signsIn)").directory.entries
            directory[0].tenant.texts?.areas = areas
            let text = try TenantText.document(TenantDirectory(directory))
            return try TenantFile(text, named: "all").warnings.filter { $0.contains("every calling code") }
        }
        #expect(try warnings(true, CallingArea.all).count == 1)
        #expect(try warnings(false, CallingArea.all).isEmpty)
        #expect(try warnings(true, CallingArea.all.subtracting(["49"])).isEmpty)
    }
}
