import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// What a tenant file says of the hosted pages.
@Suite("The pages in a tenant file", .timeLimit(.minutes(1)))
struct TenantPagesFileTests {
    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC"

    /// The small file, with these lines as the tenant's pages.
    private func file(_ lines: String) -> String {
        TenantFileTests.small + "\n    pages:\n"
            + lines.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
    }

    private func faults(_ lines: String) -> [String] { TenantFile.faults(file(lines)) }

    @Test("What the file says of the pages is read, and what export writes of it is read as the same")
    func survivesItsText() throws {
        let directory = try TenantFile(
            file(
                """
                logo: \(Self.pixel)
                darkLogo: \(Self.pixel)
                colours: {accent: "#0b57d0", text: "#0b2239"}
                darkColours: {accent: "#8ab4f8"}
                links: {privacy: https://harbour.example.com/privacy, support: mailto:help@harbour.example.com}
                texts:
                  en: {signIn: Welcome back, help: "Questions? Ask us."}
                  da: {createAccount: Kom ombord}
                """), named: "t.yaml"
        ).directory
        let pages = try #require(directory.entries.first?.tenant.pages)
        #expect(pages.logo != nil && pages.darkLogo == pages.logo)
        #expect(pages.colours[.light]?[.accent]?.text == "#0b57d0" && pages.colours[.dark]?.count == 1)
        #expect(pages.links.count == 2 && pages.texts[.danish] == [.createAccount: "Kom ombord"])
        let again = try TenantFile(TenantText.document(directory), named: "again.yaml").directory
        #expect(again.entries == directory.entries)
        #expect(again.entries.first?.tenant.pagesVersion == directory.entries.first?.tenant.pagesVersion)
    }

    @Test(
        "A look that cannot be read or that is not the tenant's to give is a fault with its line",
        arguments: [
            ("colours: {accent: \"#9bbcf0\"}", "colours: accent on panel has a contrast of 1.9 to 1"),
            ("darkColours: {text: \"#333333\"}", "darkColours: text on panel has a contrast of"),
            ("colours: {accent: \"#fff\"}", "such as “#1f2937”: # and six digits, 0 to 9 and a to f"),
            ("colours: {accent: , page: \"#eaf1fb\"}", "accent has no value: # begins a comment"),
            ("colours: {accent: blue}", "accent must be a colour such as"), ("colours: {glow: \"#123456\"}", "glow"),
            ("logo: PHN2Zy8+", "logo must be a PNG or JPEG file"),
            ("darkLogo: \(pixel)", "darkLogo is for a tenant that has a logo"),
            ("links: {privacy: \"javascript:alert(1)\"}", "privacy must be an address that begins with https://"),
            ("links: {privacy: mailto:a@example.com}", "privacy must be an address"),
            ("links: {terms: http://example.com/}", "terms must be an address"),
            ("links: {terms: \"https://example.com/\\\"onclick\"}", "terms must be an address"),
            ("texts: {en: {signIn: \"\"}}", "signIn"),
            ("texts: {en: {signIn: \"a\\u202eb\"}}", "signIn must have 1 to 256"),
            ("texts: {en: {help: \"\(String(repeating: "x", count: 257))\"}}", "help must have 1 to 256"),
            ("texts: {tlh: {help: nuqneH}}", "tlh"),
        ])
    func faultsOfTheLook(_ lines: String, _ told: String) {
        let found = faults(lines)
        #expect(found.contains { $0.contains(told) && $0.hasPrefix("t.yaml:") }, "\(found)")
    }
}
