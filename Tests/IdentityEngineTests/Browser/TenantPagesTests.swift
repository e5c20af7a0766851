import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityEngine

/// The colours of a tenant's pages.
@Suite("Look of hosted pages")
struct TenantPagesTests {
    @Test(
        "A colour survives its text, and other texts are none", arguments: ["#000000", "#1f2937", "#ffffff", "#0b57d0"])
    func texts(_ text: String) {
        #expect(HexColour(text)?.text == text)
        for wrong in [String(text.dropFirst()), text + "0", text.replacing("#", with: "# "), "#+12345", "#12345g", ""] {
            #expect(HexColour(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Whatever colours a tenant names: if these can be read, all that are made of them can be")
    func everyColourCanBeRead() throws {
        var random = SystemRandomNumberGenerator()
        var readable = 0
        for _ in 0..<5_000 {
            var named: [TenantPages.Colour: HexColour] = [:]
            for colour in TenantPages.Colour.allCases where Bool.random(using: &random) {
                let digits = (0..<6).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }
                named[colour] = HexColour("#" + digits.joined())
            }
            for scheme in TenantPages.Scheme.allCases {
                let palette = TenantPages.Palette(scheme, named)
                guard palette.unreadable.isEmpty else { continue }
                readable += 1
                var values: [String: HexColour] = [:]
                for entry in palette.variables.split(separator: ";") {
                    let pair = entry.split(separator: ":")
                    values[String(pair[0])] = HexColour(String(pair[1]))
                }
                for (one, other, least) in [
                    ("ink", "card", 4.5), ("soft", "card", 4.5), ("accent", "card", 4.5), ("on-accent", "accent", 4.5),
                    ("on-accent", "accent-deep", 4.5), ("bad", "bad-wash", 4.5), ("edge", "card", 3),
                ] {
                    let found = try #require(values["--" + one]).contrast(to: #require(values["--" + other]))
                    // Texts are rounded to whole channels.
                    #expect(found > least - 0.1, "\(one) on \(other): \(found), \(named)")
                }
            }
        }
        #expect(readable > 100)
    }

    @Test("The usual colours can be read, and a tenant without colours has no style")
    func usualColours() {
        for scheme in TenantPages.Scheme.allCases { #expect(TenantPages.Palette(scheme, [:]).unreadable.isEmpty) }
        #expect(TenantPages.unchanged.style.isEmpty && TenantPages.unchanged.version == nil)
        var pages = TenantPages()
        pages.colours[.dark] = [.accent: HexColour("#8ab4f8")].compactMapValues { $0 }
        #expect(pages.style.hasPrefix("@media (prefers-color-scheme:dark){:root{--ink:#e8ebef;"))
        let version = pages.version
        pages.colours[.dark]?[.accent] = HexColour("#8ab4f9")
        #expect(pages.version != nil && pages.version != version)
    }
}
