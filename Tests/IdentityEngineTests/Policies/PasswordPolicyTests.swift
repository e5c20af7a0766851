import NativeAuthCore
import Testing

@testable import IdentityEngine

@Suite struct PasswordPolicyTests {
    static let policy = PasswordPolicy()

    static let invalid: [String] =
        [
            "é", "ß", "Ä", "ñ", "ø", "ı", "\u{212A}", "\u{FF21}", "\u{0}", "\t", "\n", "\r", "\u{7F}", "\u{1B}",
            "\u{A0}", "€", "日本",
        ]
        .flatMap { ["Xk7#pQ2m-vT9\($0)", "\($0)"] }
        + [
            "e\u{301}Xk7#pQ2m", "Xk7#pQ2m\r\nvT9", "👩‍👩‍👧Xk7#pQ2m", "пароль-Xk7", "Xk7#pQ2m\u{200B}", "password\u{0}",
            // Invalid comes before short, long, weak and banned.
            "é", "\u{0}\u{0}", String(repeating: "é", count: 300), "éaaaaaaaaa", "Password1!é",
        ]

    static let tooShort = [
        "", " ", "a", "aB", "aB3", "aB3$", "aB3$e", "aB3$eF", "aB3$eF7", "Xk7#pQ2", "       ", "1234567", "passwor",
        "PASSWOR",
        // Short comes before weak and banned.
        "aaaaaaa", "1", "Pass1!", "Admin1!", "contoso", "qwerty", "Qwer12!",
    ]

    static let tooLong: [String] =
        [257, 258, 300, 512, 1024].flatMap { count in
            // Long comes before weak and banned.
            [String(repeating: "aB3$", count: 256) + "aB3", String(repeating: "a", count: count)].map {
                String($0.prefix(count))
            }
        }
        + [
            String(repeating: "Password1!", count: 26),
            // Above 1 024 bytes nothing else is checked, so these are not called invalid.
            String(repeating: "a", count: 1025), String(repeating: "é", count: 513),
            String(repeating: "\u{0}", count: 100_000),
            "a" + String(repeating: "\u{301}", count: 100_000),
        ]

    static let tooWeak = [
        "aaaaaaaa", "abcdefgh", "ABCDEFGH", "12345678", "!!!!!!!!", "        ", "!@#$%^&*", "0987654321",
        "abcdEFGH", "abcd1234", "abcd!@#$", "ABCD1234", "ABCD!@#$", "1234!@#$", "Abcdefghij", "aBCDEFGHIJ",
        "abcdefghi1",
        "ABCDEFGHI1", "abcdefghi!", "ABCDEFGHI!", "123456789!", "correcthorsebatterystaple",
        "CorrectHorseBatteryStaple",
        // A blank has no class.
        "correct horse battery staple", "Correct Horse Battery Staple", "abcd 1234", "ABCD 1234", "1234 5678 !",
        "a b c d e ",
        "A b C d E f", "1 2 3 4 5 ", "    a1    ",
        // Weak comes before banned.
        "password", "PASSWORD", "Password", "password1", "passw0rd", "p@ssword", "qwertyuiop", "iloveyou", "letmein!",
        String(repeating: "a", count: 256), String(repeating: "a1", count: 128),
    ]

    static let banned = [
        // A common word, and the capital, digits and marks that people add.
        "Password1", "Password1!", "Password12", "Password123", "Password123!", "Password@1", "Password2024",
        "Password2024!",
        "PASSWORD1!", "pASSWORD1!", "1Password!", "!Password1", "123Password", "Welcome1", "Welcome123", "Welcome1!",
        "Welcome2025!", "Summer2024", "Summer2024!", "Winter2023!", "Spring2026", "Autumn2025!", "January2024",
        "Monday123!",
        "Dragon123!", "Monkey123", "Football1", "Football1!", "Baseball12", "Sunshine1!", "Princess1", "Superman1!",
        "Batman123!",
        "Iloveyou1!", "Letmein1!", "Master123!", "Shadow123", "Charlie1!", "Michael123", "Jordan23!", "Mustang1!",
        "Admin123!",
        "Admin@123", "Changeme1!", "Test1234!", "Temp1234!", "Secret123!", "Qwerty123", "Qwerty123!", "Qwerty1!",
        "Qwertyuiop1", "Asdf1234!", "Asdfghjkl1", "Zxcvbnm1", "1qaz@WSX", "!QAZ2wsx", "1q2w3e4R!", "Q1w2e3r4",
        "Abc12345!",
        "Abcd1234", "Aa123456", "Aa123456!", "A1b2c3d4", "Microsoft1!", "Windows10!", "Office365!", "Azure2024!",
        // Characters that stand for letters.
        "P@ssw0rd", "P@$$w0rd", "Pa$$w0rd1", "p@SSW0RD!", "Pa$$word1!", "We1c0me!1", "W3lcome1!", "$unshine1",
        "Dr@g0n123!",
        "F00tball1!", "1l0veY0u!", "Adm1n123!", "Passw0rd!",
        // One character changed, missing, put in between, or at an edge.
        "Passward1!", "Pasword1!", "Passwword1!", "Pass-word1!", "Pazsword1!", "Xassword1!", "Passworx1!", "Password!X",
        "XPassword1!",
        "Footbal1!", "Footballl1!", "Sunshinne1!", "Sunshime1!", "Welcom3!1", "Welcme123!",
        // Several parts.
        "PasswordPassword1", "Password-Qwerty1", "DragonDragonDragon1", "MonkeyMonkey12!", "Summer-Winter1",
        "FootballBaseball1!",
        "WelcomeWelcome1!", "Password1234", "Qwerty-Password-1", "Password12345678",
    ]

    static let accepted: [String] = [
        "Xk7#pQ2m", "Xk7#pQ2m-vT9", "aB3$eF7!", "zR4-kLm8q", "vT9xQ2mKp", "m2N-b4V_c6", "Gj5^wZ8&", "hU7*dS3(",
        "N8)fT2=q", "r+T5kW9z",
        "Y[3]x{7}q", "b|K4\\n:9", "u;T6'v,2", "d.G8?w/3", "e`J5~y\"7", "<kP4>zN9", "q@H7#c$2", "%fL6^tB&", "Wd9!hRzK",
        "Tr0ub4dor&3x", "blue-Horse-19-lamp", "Correct horse battery staple 7", "correct horse battery staple A1",
        "My dog ate 3 blue shoes!", "Nine Green Kites 44", "7 Purple-Trains at dawn", "kettle+Ocean+42+fern",
        "Wombat.Cider.Raft.9",
        "giraffe_TEAPOT_31_moss", "It rains in Oslo, 9 days", "zq8Lw2Xv", "pL0kM9jN8b", "8Hj#8Hj#", "aA1aA1aA1",
        "  aB3cD4  ",
        "Aa1        ", "aB3$ eF7! gH9", " Xk7#pQ2m", "Xk7#pQ2m ", "Password-in-a-long-sentence-7", "Qv7-Password-Zt4kw",
        "ContoS0Bl@nkf9!", "Quixotic-7-llama", "Umbra!Vexil9ky", "0x7F-b33f-Kd", "Jz4Jz4Jz4", "mN5%mN5%mN",
        "Rk-48-Lw-51",
        String(repeating: "aB3$", count: 64), "aB3" + String(repeating: "a", count: 253),
        String(repeating: "Password1!", count: 25),
    ]

    static let table: [(expected: PasswordFault?, passwords: [String])] = [
        (.invalid, invalid), (.tooShort, tooShort), (.tooLong, tooLong), (.tooWeak, tooWeak), (.banned, banned),
        (nil, accepted),
    ]

    @Test("SEC-PWD-1: the first broken rule is told, in the order invalid, short, long, weak, banned")
    func theFirstBrokenRuleIsTold() {
        for (expected, passwords) in Self.table {
            for password in passwords {
                let verdict = Self.policy.check(Secret(password), context: PasswordContext())
                #expect(verdict == expected, "\(password.prefix(80).debugDescription)")
            }
        }
        #expect(Set(Self.table.flatMap { $0.passwords.map { Array($0.utf8) } }).count >= 200)
    }

    @Test("SEC-PWD-1: all 95 printing ASCII characters are accepted, and no other byte")
    func printingASCIIIsAccepted() {
        for code in UInt8(0)...0x7F {
            let password = "Xk7#" + String(UnicodeScalar(code)) + "pQ2m-vT9"
            let isPrinting = (0x20...0x7E).contains(code)
            #expect(Self.policy.check(Secret(password), context: .init()) == (isPrinting ? nil : .invalid))
        }
    }

    @Test("SEC-PWD-1: length limits are exact to the character")
    func lengthsHoldToTheCharacter() {
        for (count, expected) in [(7, PasswordFault.tooShort), (8, nil), (256, nil), (257, .tooLong), (1024, .tooLong)]
        {
            let password = String(String(repeating: "aB3$eF7!", count: 129).prefix(count))
            #expect(Self.policy.check(Secret(password), context: .init()) == expected)
        }
    }

    @Test("SEC-PWD-1: three of the four classes are enough, any three")
    func anyThreeClassesAreEnough() {
        let classes = ["qzxv", "QZXV", "7294", "#-;^"]
        for mask in 0..<16 {
            let used = classes.indices.filter { mask & (1 << $0) != 0 }.map { classes[$0] }.joined()
            let password = used + String(repeating: used.isEmpty ? " " : String(used.prefix(1)), count: 12)
            let expected: PasswordFault? = mask.nonzeroBitCount >= 3 ? nil : .tooWeak
            #expect(Self.policy.check(Secret(password), context: .init()) == expected, "\(password)")
        }
    }

    // MARK: Listed terms

    @Test("SEC-PWD-3: the documented examples, with contoso and blank on the custom list")
    func theDocumentedExamples() throws {
        let policy = try PasswordPolicy(bannedTerms: ["contoso", "blank"])
        #expect(policy.check(Secret("C0ntos0Blank12"), context: .init()) == .banned)
        #expect(policy.check(Secret("ContoS0Bl@nkf9!"), context: .init()) == nil)
        #expect(Self.policy.check(Secret("C0ntos0Blank12"), context: .init()) == nil)
    }

    @Test("SEC-PWD-3: custom terms count in any spelling, and with one step of typing")
    func customTermsCount() throws {
        let policy = try PasswordPolicy(bannedTerms: ["Fabrikam", "W1dget"])
        for password in [
            "Fabrikam1!", "F@br1kam1", "fabrIKAM-99", "Fabrikan1!", "Fabrkam12!", "Fabri-kam1!", "Widget99!",
            "Wldget99!",
            "WldgetFabrikam1!",
        ] {
            #expect(policy.check(Secret(password), context: .init()) == .banned, "\(password)")
        }
        #expect(policy.check(Secret("Fabrikam1!x7"), context: .init()) == nil)
        #expect(Self.policy.check(Secret("Fabrikam1!"), context: .init()) == nil)
    }

    @Test("SEC-PWD-3: the custom list has 1 000 terms at most, each of 4 to 64 ASCII characters")
    func theCustomListIsBounded() throws {
        _ = try PasswordPolicy(bannedTerms: (0..<1000).map { "term\($0)" })
        #expect(throws: BannedTermsError.tooMany(1001)) {
            try PasswordPolicy(bannedTerms: (0..<1001).map { "term\($0)" })
        }
        for term in ["", "abc", "äöüß", "ab\ncd", String(repeating: "a", count: 65)] {
            #expect(throws: BannedTermsError.unusable(term)) { try PasswordPolicy(bannedTerms: ["good", term]) }
        }
        #expect(BannedTermsError.tooMany(1001).description.contains("1001"))
        #expect(BannedTermsError.unusable("abc").description.contains("\"abc\""))
    }

    @Test("SEC-PWD-3: the shipped list contains 3 000 passwords or more that only the list refuses")
    func theShippedListIsLargeEnough() {
        let listed = CommonPasswords.passwords.split(whereSeparator: \.isWhitespace).map(String.init)
        let withoutList: [String] = listed.filter { password in
            let classes = [
                password.contains(where: \.isLowercase), password.contains(where: \.isUppercase),
                password.contains(where: \.isNumber), password.contains { !$0.isLetter && !$0.isNumber },
            ]
            return (8...256).contains(password.count) && classes.filter(\.self).count >= 3
        }
        #expect(withoutList.count == listed.count)
        #expect(Set(listed.map { PasswordPolicy.normalized($0.utf8) }).count >= 3000)
        for password in listed {
            #expect(Self.policy.check(Secret(password), context: .init()) == .banned, "\(password)")
        }
    }

    @Test("SEC-PWD-3: the search counts what a search of every part would count")
    func theSearchCountsWhatASearchOfEveryPartWouldCount() {
        var random = SeededGenerator(seed: 0xBA11)
        func word(_ lengths: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: lengths, using: &random)).map { _ in
                UInt8(ascii: "a") + UInt8.random(in: 0...2, using: &random)
            }
        }
        var counts: [Int: Int] = [:]
        for _ in 0..<400 {
            let terms = (0..<6).map { _ in word(3...9) }
            let lists = [PasswordTerms(terms[..<3]), PasswordTerms(terms[3...])]
            let text = word(0...14)
            let points = PasswordTerms.points(of: text, lists: lists, limit: 5)
            #expect(points == min(Self.pointsByEveryPart(of: text, terms: terms), 5))
            counts[points, default: 0] += 1
        }
        // The comparison saw every outcome.
        #expect((1...5).allSatisfy { counts[$0, default: 0] > 5 })
    }

    /// The definition, slowly: the cheapest way to split `text` into terms, spelled with at most one edit, and
    /// characters.
    private static func pointsByEveryPart(of text: [UInt8], terms: [[UInt8]]) -> Int {
        let spellings = Set(
            terms.filter { $0.count >= 4 }.flatMap { term -> [[UInt8]] in
                guard term.count >= 6 else { return [term] }
                var spellings = [term]
                for index in term.indices {
                    spellings.append(Array(term[..<index] + term[(index + 1)...]))
                    for letter in "abc".utf8 {
                        spellings.append(Array(term[..<index] + [letter] + term[(index + 1)...]))
                        if index > 0 { spellings.append(Array(term[..<index] + [letter] + term[index...])) }
                    }
                }
                return spellings
            })
        var fewest = [0]
        for end in text.indices.map({ $0 + 1 }) {
            let parts = (0..<end).filter { $0 == end - 1 || spellings.contains(Array(text[$0..<end])) }
            fewest.append((parts.map { fewest[$0] }.min() ?? 0) + 1)
        }
        return fewest[text.count]
    }

    // MARK: What is known about the person

    @Test(
        "SEC-PWD-4: the alias and the local part, forwards and backwards, in any spelling",
        arguments: [
            ("Lovelace1815!", true), ("xx-lovelace-77-QQ", true), ("L0ve1@ce-77-QQzk", true),
            ("ECALEVOL-77-qqzk", true),
            ("7Ecalevol-Qq-77", true), ("Love-lace-77-QQzk", false), ("Lovelac-77-QQzkv", false),
        ])
    func aliasAndLocalPartAreRefused(_ password: String, _ isBanned: Bool) {
        for context in [PasswordContext(emailLocalPart: "lovelace"), PasswordContext(alias: "LoveLace")] {
            #expect(Self.policy.check(Secret(password), context: context) == (isBanned ? .banned : nil))
        }
        #expect(Self.policy.check(Secret("Zq8-vTr4#kWm"), context: .init(emailLocalPart: "lovelace")) == nil)
    }

    @Test("SEC-PWD-3: a name or the tenant's name of four characters or more, whole or one word of it")
    func namesAreRefused() {
        let context = PasswordContext(names: ["Poll", "Grace Brewster", "Bo"], tenantName: "Wingtip Toys")
        for password in ["p0LL23fb", "Xk-Brewster-72", "gr@ce-Xk7#q-2m", "WINGTIP-xk7-q2", "Xk7-t0y$-#q2mv"] {
            #expect(Self.policy.check(Secret(password), context: context) == .banned, "\(password)")
        }
        // Of the four, "Bo" is too short to count, and a name backwards does not count.
        for password in ["Bo-Xk7#pQ2m", "Xk7#-retsworb-Q2"] {
            #expect(Self.policy.check(Secret(password), context: context) == nil, "\(password)")
        }
        #expect(Self.policy.check(Secret("Bo Li-Xk7#pQ2m"), context: .init(names: ["Bo Li"])) == .banned)
    }

    @Test("SEC-PWD-4: three characters do not count, four do; the whole password may be one")
    func fourCharactersCount() {
        #expect(Self.policy.check(Secret("Xk7#pQ2m-adk"), context: .init(emailLocalPart: "adk")) == nil)
        #expect(Self.policy.check(Secret("Xk7#pQ2m-adkz"), context: .init(emailLocalPart: "adkz")) == .banned)
        #expect(Self.policy.check(Secret("Xk7#pQ2m"), context: .init(alias: "xk7#pq2m")) == .banned)
        #expect(Self.policy.check(Secret("Xk7#pQ2m"), context: .init(alias: "xk7#pq2mz")) == nil)
    }

    @Test("Names outside ASCII, empty or huge ones do no harm")
    func oddNamesDoNoHarm() {
        let huge = String(repeating: "a\u{301}", count: 10_000)
        let context = PasswordContext(
            emailLocalPart: "", alias: "", names: ["", "   ", "Åsa Öberg", huge], tenantName: "")
        #expect(Self.policy.check(Secret("Xk7#pQ2m-vT9"), context: context) == nil)
    }

    @Test("SEC-LOG-1: no fault contains the password")
    func noFaultHoldsThePassword() {
        #expect(
            PasswordFault.allCases.map { "\($0)" } == [
                "invalid", "tooShort", "tooLong", "tooWeak", "banned", "recentlyUsed",
            ])
    }

    @Test("SEC-PWD-3: a check of 256 characters takes 2 ms at most")
    func aCheckIsQuick() throws {
        let policy = try PasswordPolicy(bannedTerms: (0..<1000).map { "aaaab\($0)aaaa" })
        var random = SeededGenerator(seed: 0x256)
        let words = CommonPasswords.terms.split(whereSeparator: \.isWhitespace)
        var times: [Double] = []
        for round in 0..<200 {
            var password = "aB3$"
            while password.utf8.count < 256 {
                switch round % 4 {
                case 0: password.append(Character(UnicodeScalar(UInt8.random(in: 0x20...0x7E, using: &random))))
                case 1: password += words[Int.random(in: 0..<words.count, using: &random)]
                case 2: password += "a"
                // The longest terms of the list, repeated: the most positions where the search starts.
                case _: password += ["aaaab999aaaa", "1234567890", "qwertyuiop"][Int.random(in: 0..<3, using: &random)]
                }
            }
            let secret = Secret(String(password.prefix(256)))
            let started = processorSeconds()
            _ = policy.check(secret, context: .init(alias: "lovelace"))
            times.append(processorSeconds() - started)
        }
        times.sort()
        #if DEBUG
            let limit = 0.02  // unoptimised code
        #else
            let limit = 0.002
        #endif
        #expect(times[198] < limit, "median \(times[100]), p99 \(times[198])")
    }
}
