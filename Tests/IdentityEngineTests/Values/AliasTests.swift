import Foundation
import IdentityEngine
import Testing

@Suite struct AliasTests {
    static let accepted = [
        "ada", "Ada", "ADA", "a.b", "a-b", "a_b", "a..b", "a--b", "a__b", "abc.", "abc-", "abc_", "1ab", "12a",
        "007bond",
        "ada.lovelace", "ada_lovelace-1815", "x0x", "0x0", "1-2", "1.2", "adm1n", "rooted", "supporter", "admin1",
        String(repeating: "a", count: 64), String(repeating: "9", count: 63) + "a",
    ]

    static let refused = [
        // Length, in bytes.
        "", "a", "ab", String(repeating: "a", count: 65), String(repeating: "a", count: 100_000),
        // First character.
        ".ada", "-ada", "_ada",
        // Characters.
        "ada@example.com", "ada@", "@ada", "a@b", "ada lovelace", " ada", "ada ", "ada\t", "ada\n", "ada\r\n",
        "ada\u{0}",
        "ada+b", "ada/b", "ada\\b", "ada%40b", "ada!b", "ada#b", "ada'b", "ada\"b", "ada<b", "ada,b", "ada;b", "ada:b",
        "ada*b", "ada=b", "ada?b", "ada~b",
        // Nothing outside ASCII is folded into it: ä, dotless i, Kelvin, long s, sharp s, fullwidth, combining,
        // fullwidth @.
        "ädam", "\u{131}da", "\u{212A}elvin", "\u{17F}un", "gro\u{DF}", "\u{FF41}da", "ada\u{301}", "ada\u{FF20}b",
        "\u{430}da", "ada\u{200B}", "ada\u{202E}",
        // Digits only.
        "123", "0000", "4915112345678", String(repeating: "1", count: 64),
        // Reserved, in any letter case.
        "admin", "Admin", "ADMIN", "administrator", "root", "support", "postmaster", "abuse", "hostmaster", "webmaster",
        "security", "system", "info", "help", "noreply", "no-reply", "NO-Reply",
    ]

    @Test("SEC-ID-6: an alias of the grammar is accepted", arguments: accepted)
    func anAliasOfTheGrammarIsAccepted(_ text: String) throws {
        let alias = try #require(Alias(text))
        #expect(alias.display == text)
        #expect(alias.identifier == LoginIdentifier(kind: .alias, key: alias.key, display: text))
    }

    @Test("SEC-ID-6: what is short, long, foreign, reserved or a number is refused", arguments: refused)
    func anythingElseIsRefused(_ text: String) {
        #expect(Alias(text) == nil)
    }

    @Test("SEC-ID-6: letter case does not tell aliases apart")
    func letterCaseDoesNotTellAliasesApart() throws {
        let lower = try #require(Alias("ada.k"))
        let upper = try #require(Alias("ADA.K"))
        let other = try #require(Alias("ada-k"))
        #expect(lower.key == upper.key)
        #expect(lower.key != other.key)
        #expect(lower.key.bytes == Data("ada.k".utf8))
    }

    @Test("SEC-ID-7: no alias has the key of an e-mail address")
    func noAliasHasTheKeyOfAnAddress() throws {
        for text in Self.accepted {
            let alias = try #require(Alias(text))
            #expect(!alias.key.bytes.contains(UInt8(ascii: "@")))
        }
    }
}
