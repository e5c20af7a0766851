import IdentityEngine
import Testing

/// Telephone numbers, as users type them and as they are stored.
@Suite("Telephone numbers") struct PhoneNumberTests {
    private static func entries(_ table: String) -> [(number: String, region: String)] {
        table.split(separator: ",").compactMap { entry in
            let parts = entry.split(whereSeparator: \.isWhitespace).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    /// Regions that share the code and the lengths of another one are of its area.
    private static let shared: [String: String] = [
        "CA": "US", "SJ": "NO", "AX": "FI", "VA": "IT", "EH": "MA", "YT": "RE", "BL": "GP", "MF": "GP", "BQ": "CW",
        "CC": "AU", "CX": "AU", "TA": "SH",
    ]

    @Test("SEC-SMS-1: an example of each region is a number of its area, which others have made")
    func examples() throws {
        let entries = Self.entries(PhoneNumberTable.accepted)
        try #require(entries.count > 200)
        for (text, region) in entries {
            let number = PhoneNumber(text)
            #expect(number != nil, "\(text) of \(region)")
            // Some islands have the prefix of the country that they belong to, with an example that is not in our table.
            let country = number?.area.country
            let isKnown = country == Self.shared[region] ?? region || ["GG", "JE", "IM", "KZ"].contains(region)
            #expect(isKnown, "\(text): \(region), and \(country ?? "none")")
        }
    }

    @Test("SEC-SMS-1: numbers with more or fewer digits than the region has are none")
    func lengths() throws {
        let entries = Self.entries(PhoneNumberTable.refused)
        try #require(entries.count > 200)
        // These areas have mobile numbers of many lengths, which a table of the least and the most lets pass.
        let wide = entries.filter { PhoneNumber($0.number) != nil }
        #expect(wide.count <= 12, "\(wide)")
    }

    @Test(
        "SEC-SMS-1: what users type around the digits is left out",
        arguments: [
            ("+49 151 2345-6789", "+4915123456789"), ("0049 (151) 2345.6789", "+4915123456789"),
            ("+1 5555550123", "+15555550123"), ("+1\u{A0}555\u{A0}555\u{A0}0123", "+15555550123"),
            ("  +353 85 012 3456 ", "+353850123456"), ("+49 (0)151 2345 6789", "+4915123456789"),
            ("+225 01 23 45 67 89", "+2250123456789"),
        ])
    func typed(_ text: String, _ stored: String) {
        #expect(PhoneNumber(text)?.text == stored)
    }

    @Test(
        "SEC-SMS-1: anything else is no number",
        arguments: [
            "", "+", "+123", "123", "+0123456789", "5555550123", "0151 23456789", "tel:+15555550123", "+1555555012a",
            "+٤٩١٥١٢٣٤٥٦٧٨٩", "+1 555 555 0123 ext 4", "++15555550123", "1+5555550123", "+15555550123,+15555550124",
            "+1555555012345678", "+999123456789", "+15555550123\n", "+1555\u{202E}5550123", "dana@example.com",
            "+1;5555550123", "+49 0151 23456789", "+43 0664 1234567", "+49(0151)23456789", "＋15555550123",
            String(repeating: "1", count: 65), "+49%20151",
        ])
    func refused(_ text: String) {
        #expect(PhoneNumber(text) == nil)
    }

    @Test("SEC-SMS-2: the longest prefix decides; satellites, premium and personal numbers have no country")
    func areas() throws {
        #expect(PhoneNumber("+18765550123")?.area.country == "JM")
        #expect(PhoneNumber("+12125550123")?.area.prefix == "1")
        #expect(PhoneNumber("+77012345678")?.area.country == "KZ")
        #expect(PhoneNumber("+79012345678")?.area.country == "RU")
        #expect(PhoneNumber("+447624123456")?.area.country == "IM")
        let settings = TextSettings(areas: CallingArea.all.union(["870", "1900", "4470"]), brand: "Contoso")
        for text in ["+8701234567890", "+8811234567890", "+8821234567", "+19005550123", "+447012345678"] {
            let number = try #require(PhoneNumber(text))
            #expect(number.area.country == nil && !settings.allows(number), "\(text)")
        }
        let only = TextSettings(areas: ["1"], brand: "Contoso")
        #expect(only.allows(try #require(PhoneNumber("+12125550123"))))
        #expect(!only.allows(try #require(PhoneNumber("+18765550123"))))
    }

    @Test("SEC-SMS-1: a stored number reads as itself, whatever was typed; a mask tells the country and one digit")
    func idempotence() throws {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("+0123456789 -.()\u{A0}abc")
        var count = 0
        for _ in 0..<100_000 {
            let length = Int.random(in: 1...20, using: &generator)
            let text =
                "+" + String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
            guard let number = PhoneNumber(text) else { continue }
            count += 1
            #expect(PhoneNumber(number.text) == number && PhoneNumber(stored: number.text) == number)
            #expect(number.masked.utf8.count == number.text.utf8.count)
        }
        #expect(count > 100)
        #expect(PhoneNumber("+353850123456")?.masked == "+353********6")
    }
}
