import Foundation
import IdentityEngine
import Testing

@Suite struct EmailAddressTests {
    /// Valid addresses.
    static let accepted: [String] =
        [
            "ada@example.com", "Ada@Example.COM", "ada.lovelace@example.com", "a.b.c.d@example.com", "a@b.co",
            "ada+news@example.com", "ada+@example.com", "+ada@example.com", "ada-k@example.com", "ada-@example.com",
            "ada_k@example.com", "_@example.com", "1234567890@example.com", "ada@mail.example.com",
            "ada@a.b.c.d.example.com",
            "ada@example-one.com", "ada@1and1.com", "ada@123.com", "ada@1.2.3.com", "ada@a-b-c.example", "ada@x.museum",
            "o'neil@example.com", "ada=k@example.com", "ada~k@example.com", "ada/k@example.com",
            "'+-/=^_{}~@example.com", "=ada@example.com", "+ADw-ada@example.com", "ada@xn--bcher-kva.example",
            "ada@XN--BCHER-KVA.example", "ada@example.xn--p1ai",
            "ada@xn--a.com", " ada@example.com", "ada@example.com ", "\t ada@example.com \t", "ada@e.x.com",
            "ada@a.aa", "ADA@EXAMPLE.COM", "a=b=c/d/e@example.com", "ada@e.x-m-p.com", "ada@x--y.com", "ada@abc--d.com",
            String(repeating: "a", count: 64) + "@example.com",
            "ada@" + String(repeating: "a", count: 63) + ".com",
            "a@" + String(repeating: String(repeating: "d", count: 49) + ".", count: 5) + "co",
        ]
        + "'+-/=^_{}~".map { "a\($0)b@example.com" }
        + (1...8).map { "ada@" + String(repeating: "sub.", count: $0) + "example.com" }

    /// Texts that are not addresses, or are addresses only to some parsers.
    static let refused: [String] =
        structure + lengths + domains + unicode + splitting + encodedWords + injections + controls

    /// Addresses that were accepted earlier; their accounts stay valid.
    static let formerlyAccepted =
        ["-ada@example.com", "/ada@example.com", "~ada@example.com", "-@example.com", "#$&'*+-/=^?_`{|}~@example.com"]
        + "#$&*?`|".flatMap { ["a\($0)b@example.com", "\($0)@example.com", " a\($0)@example.com"] }

    static let structure = [
        "", " ", "@", "ada", "example.com", "ada@", "@example.com", "ada@@example.com", "ada@b@example.com",
        "ada@example.com@evil.example", "ada@evil.example@example.com", ".ada@example.com", "ada.@example.com",
        "ada..k@example.com", "..@example.com", ".@example.com", "ada @example.com", "ada@ example.com",
        "ada@example .com",
        "a da@example.com", "ada@exam ple.com", "ada\u{A0}@example.com", "ada,k@example.com", "ada;k@example.com",
        "ada:k@example.com", "ada<k@example.com", "ada>k@example.com", "ada(k@example.com", "ada)k@example.com",
        "ada[k@example.com", "ada]k@example.com", "ada\\k@example.com", "ada\"k@example.com", "\u{A0}ada@example.com",
        "ada@example.com\u{A0}", "ada@example.com\u{2028}", "\u{FEFF}ada@example.com",
    ]

    static let lengths = [
        String(repeating: "a", count: 65) + "@example.com",
        "ada@" + String(repeating: "a", count: 64) + ".com",
        // 255 bytes in all.
        "ab@" + String(repeating: String(repeating: "d", count: 49) + ".", count: 5) + "co",
        // A domain of 254 bytes.
        "a@" + String(repeating: String(repeating: "d", count: 49) + ".", count: 5) + "comm",
        String(repeating: " ", count: 1100) + "ada@example.com",
        String(repeating: "a", count: 1_000_000) + "@example.com",
        "ada@" + String(repeating: "a.", count: 500_000) + "com",
        "a" + String(repeating: "\u{301}", count: 30_000) + "@example.com",
    ]

    static let domains = [
        "ada@localhost", "ada@com", "ada@.com", "ada@example.", "ada@example.com.", "ada@.example.com",
        "ada@example..com",
        "ada@-example.com", "ada@example-.com", "ada@example.-com", "ada@example.com-", "ada@exa_mple.com",
        "ada@exam!ple.com",
        "ada@[127.0.0.1]", "ada@[IPv6:::1]", "ada@[IPv6:2001:db8::1]", "ada@127.0.0.1", "ada@2130706433",
        "ada@0x7f.0.0.1",
        "ada@0177.0.0.1", "ada@1.2", "ada@example.123", "ada@example.1com", "ada@example.0x7f", "ada@::1",
        "ada@example.com:25",
        "ada@example.com/", "ada@example.com#x", "ada@example.com?x", "ada@exam%70le.com", "ada@example%2ecom",
        "ada@*.com",
        "ada@ab--cd.com", "ada@zz--x.com", "ada@xn--.com", "ada@xn--a-.com", "ada@xn---.com", "ada@-xn--a.com",
        "ada@exämple.com",
        "ada@bücher.example", "ada@例え.jp", "ada@\u{5D0}.com",
    ]

    /// Letters that lowering, folding or a narrower type would turn into ASCII, on either side.
    static let unicode =
        [
            "\u{212A}", "\u{131}", "\u{130}", "\u{17F}", "\u{DF}", "\u{1E9E}", "\u{FB00}", "\u{FB01}", "\u{FF41}",
            "\u{FF21}",
            "\u{2170}", "\u{24D0}", "\u{1D400}", "\u{430}", "\u{3B1}", "\u{AA}", "\u{BA}", "\u{B9}", "\u{2080}",
            "e\u{301}",
            "\u{E9}", "\u{200B}", "\u{200D}", "\u{AD}", "\u{202E}", "\u{FE0F}", "\u{34F}", "\u{E0061}", "\u{FFFD}",
            "\u{1F600}",
        ].flatMap { ["a\($0)@example.com", "\($0)a@example.com", "ada@ex\($0)mple.com", "ada@example.c\($0)"] }
        // Other dots and other at signs.
        + ["\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "\u{B7}"].map { "ada@example\($0)com" }
        + ["\u{FF20}", "\u{FE6B}", "\u{40}\u{301}", "\u{40}\u{20E3}"].map { "ada\($0)example.com" }

    /// Characters whose low byte is one that a mail header or the envelope gives a meaning (unicode overflow).
    static let splitting =
        [0x100, 0x200, 0x300, 0x1E00, 0x2500, 0x10300].flatMap { plane in
            "@ <>,;\"\n".unicodeScalars.compactMap { Unicode.Scalar(UInt32(plane) + $0.value) }.map {
                "ada\($0)evil.example@example.com"
            }
        }
        + [
            "ada%evil.example@example.com", "evil.example!ada@example.com", "ada%40evil.example@example.com",
            "@evil.example:ada@example.com", "@a.example,@b.example:ada@example.com", "ada@evil.example(@example.com",
            "ada(@evil.example)@example.com", "(comment)ada@example.com", "ada(comment)@example.com",
            "ada@(comment)example.com", "ada@example.com(comment)", "\"ada\"@example.com",
            "\"ada@evil.example\"@example.com",
            "\"ada@evil.example> \"@example.com", "\"ada\\\"@evil.example\"@example.com", "\"\"@example.com",
            "ada\\@evil.example@example.com", "<ada@example.com>", "Ada <ada@example.com>",
            "ada@evil.example<ada@example.com>",
            "ada@evil.example,ada@example.com", "ada@evil.example;ada@example.com", "ada@evil.example ada@example.com",
            "mailto:ada@example.com", "ada@example.com>", "ada@example.com>ORCPT=evil", "ada@example.com,",
            "group:ada@example.com;", "ada@evil.example\\@example.com", "ada@[evil.example]@example.com",
            "&lt;ada@example.com", "ada&#64;evil.example@example.com", "ada@xn--42c.evil.example@example.com",
        ]
        + "!%".map { "a\($0)b@example.com" }

    static let encodedWords =
        ["utf-8", "iso-8859-1", "utf-7", "x"].flatMap { charset in
            ["q", "Q", "b", "B"].flatMap { encoding in
                [
                    "=?\(charset)?\(encoding)?=41=42?=@example.com",
                    "=?\(charset)?\(encoding)?ada=40evil.example=3E?=@example.com",
                ]
            }
        } + [
            "=?x@example.com", "x?=@example.com", "a=?b@example.com", "a?=b@example.com", "ada@=?utf-8?q?x?=.com",
            "?=?@example.com",
        ]

    static let injections = [
        "\r\nRCPT TO:<evil@evil.example>", "\nBcc: evil@evil.example", "\r\n.\r\nQUIT", "%0d%0aBcc:evil@evil.example",
        "\r\n",
        "\n", "\r", "\u{0}", "\u{0}.evil.example", "> SIZE=1", "\" NOTIFY=NEVER", "\u{85}", "\u{B}", "\u{C}",
    ].flatMap { ["ada@example.com\($0)", "ada\($0)@example.com", "\($0)ada@example.com"] }

    static let controls = (Array(0...0x1F) + [0x7F] + Array(0x80...0x9F)).flatMap { code -> [String] in
        guard let scalar = Unicode.Scalar(UInt32(code)) else { return [] }
        return ["a\(scalar)da@example.com", "ada@ex\(scalar)ample.com"]
    }

    @Test("SEC-ID-1: the corpus contains 400 addresses or more, each once")
    func theCorpusIsLargeEnough() {
        let all = (Self.accepted + Self.refused).map { Array($0.utf8) }
        #expect(Set(all).count >= 400)
        #expect(Set(all).count >= all.count - 5)
    }

    @Test("SEC-ID-1: every good address of the corpus is accepted")
    func everyGoodAddressIsAccepted() {
        for text in Self.accepted {
            #expect(EmailAddress(text) != nil, "\(text.debugDescription)")
        }
    }

    @Test("SEC-ID-1, SEC-ID-2: every other text of the corpus is refused")
    func everyOtherTextIsRefused() {
        for text in Self.refused {
            #expect(EmailAddress(text) == nil, "\(text.prefix(100).debugDescription)")
        }
    }

    @Test("Local parts that a mail server's programs could misread are refused, and restored from the store")
    func dangerousLocalPartsAreRefused() throws {
        for text in Self.formerlyAccepted {
            #expect(EmailAddress(text) == nil, "\(text)")
            let stored = try #require(EmailAddress(stored: text))
            #expect(try JSONDecoder().decode(EmailAddress.self, from: JSONEncoder().encode(stored)) == stored)
        }
        for text in Self.accepted { #expect(EmailAddress(stored: text) == EmailAddress(text)) }
        for text in Self.refused { #expect(EmailAddress(stored: text) == nil, "\(text.prefix(100).debugDescription)") }
    }

    @Test("SEC-ID-1: length limits are exact to the byte")
    func lengthsHoldToTheByte() throws {
        let longest = "a@" + String(repeating: String(repeating: "d", count: 49) + ".", count: 5) + "co"
        #expect(longest.utf8.count == 254)
        #expect(EmailAddress(longest) != nil)
        #expect(EmailAddress("a" + longest) == nil)
        #expect(EmailAddress("  " + longest + "  ")?.display == longest)
    }

    @Test("SEC-ID-3: the key is the address in ASCII lower case; tags and dots are kept")
    func theKeyIsLowerCaseAndKeepsTagsAndDots() throws {
        let address = try #require(EmailAddress(" Ada.K+News@Example.COM "))
        #expect(address.display == "Ada.K+News@Example.COM")
        #expect(address.key.bytes == Data("ada.k+news@example.com".utf8))
        #expect(address.localPart == "Ada.K+News")
        #expect(address.identifier == LoginIdentifier(kind: .email, key: address.key, display: address.display))
        #expect(EmailAddress("ada.k@example.com")?.key != EmailAddress("adak@example.com")?.key)
        #expect(EmailAddress("ada@example.com")?.key != EmailAddress("ada+1@example.com")?.key)
        #expect(EmailAddress("ada@xn--bcher-kva.example")?.key != EmailAddress("ada@bcher.example")?.key)
    }

    @Test("SEC-ID-4: mail keeps the local part as typed and lowers the domain")
    func mailKeepsTheLocalPart() throws {
        #expect(try #require(EmailAddress("Ada.K@Example.COM")).address == "Ada.K@example.com")
        for text in Self.accepted {
            let address = try #require(EmailAddress(text))
            #expect(EmailAddress(address.address)?.key == address.key)
            #expect(address.address.utf8.filter { $0 == UInt8(ascii: "@") }.count == 1)
        }
    }

    @Test("SEC-ID-3: Kelvin sign, dotless i, long s, sharp s and fullwidth letters are refused, not folded")
    func lookAlikesAreRefused() {
        for letter in ["\u{212A}", "\u{131}", "\u{17F}", "\u{DF}", "\u{FF41}"] {
            #expect(EmailAddress("\(letter)@example.com") == nil)
            #expect(EmailAddress("ada@\(letter).com") == nil)
        }
    }

    @Test("SEC-ID-3: over 100 000 random inputs, the normal form of a normal form is itself")
    func normalisingIsIdempotent() throws {
        var random = SeededGenerator(seed: 0x1D3)
        let pieces = [
            "a", "K", "z", "Z9", ".", "-", "+", "_", "@", "@", "=", "?", "%", "xn--", "Example", "com", ".com", " ",
            "\t",
            "\u{212A}", "\u{131}", "\u{FF20}", "e\u{301}", "\u{0}", "\r", "\"", "(", "[",
        ]
        var addresses = 0
        for round in 0..<100_000 {
            let noise = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                // Every second input is made of harmless pieces, so that many are addresses.
                round.isMultiple(of: 2)
                    ? pieces[Int.random(in: 0..<8, using: &random)]
                    : pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let text = round.isMultiple(of: 3) ? noise : noise + "@Mail.Example" + noise.filter { $0 != " " } + ".COM"
            guard let address = EmailAddress(text) else { continue }
            addresses += 1
            let again = try #require(EmailAddress(String(decoding: address.key.bytes, as: UTF8.self)))
            #expect(again.key == address.key)
            #expect(again.key.bytes == Data(again.display.utf8))
            #expect(try #require(EmailAddress(address.address)).address == address.address)
        }
        #expect(addresses > 5_000)
    }

    @Test("SEC-ID-5, SEC-SWIFT-2: a megabyte of combining marks costs nothing")
    func aMegabyteOfMarksCostsNothing() {
        let text = "a" + String(repeating: "\u{301}\u{316}", count: 250_000) + "@example.com"
        let started = processorSeconds()
        #expect(EmailAddress(text) == nil)
        #expect(processorSeconds() - started < 0.01)
    }

    @Test(
        "A hint shows a few letters and always three stars",
        arguments: [
            ("diana@example.com", "d***a@ex***le.com"), ("Diana@Example.com", "D***a@ex***le.com"),
            ("d@contoso.com", "***@co***so.com"), ("di@contoso.com", "d***@co***so.com"),
            ("dia@contoso.com", "d***@co***so.com"),
            ("dian@contoso.com", "d***n@co***so.com"), ("diana@b.co", "d***a@***.co"), ("diana@bc.co", "d***a@b***.co"),
            ("diana@abcde.co", "d***a@a***.co"), ("diana@abcdef.co", "d***a@ab***ef.co"),
            ("diana@mail.example.co.uk", "d***a@ma***co.uk"),
        ])
    func aHintShowsAFewLetters(_ text: String, _ hint: String) throws {
        #expect(try #require(EmailAddress(text)).masked == hint)
    }

    @Test("A hint never contains the address")
    func aHintNeverHoldsTheAddress() throws {
        for text in Self.accepted {
            let address = try #require(EmailAddress(text))
            let hint = address.masked.split(separator: "@")
            #expect(hint.count == 2)
            #expect(hint.allSatisfy { $0.contains("***") })
            let shown = address.masked.filter { $0 != "*" }.count
            #expect(shown < address.address.count)
        }
    }

    @Test("Coding keeps the text and refuses what is no address")
    func codingKeepsTheTextAndRefusesWhatIsNoAddress() throws {
        let address = try #require(EmailAddress("Ada@Example.com"))
        let data = try JSONEncoder().encode([address])
        #expect(String(decoding: data, as: UTF8.self) == #"["Ada@Example.com"]"#)
        #expect(try JSONDecoder().decode([EmailAddress].self, from: data) == [address])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([EmailAddress].self, from: Data(#"["ada@@example.com"]"#.utf8))
        }
    }
}
