/// A tenant's text messages (docs/operate/texts.md). Every value was checked when the document was read.
package struct TextSettings: Hashable, Sendable {
    /// The prefixes of the areas whose numbers are texted, never empty (`SEC-SMS-2`).
    package var areas: Set<String>
    /// The name that a text begins with, of characters that a text has at no extra cost.
    package var brand: String
    /// The domain that the last line binds the code to, so that a device offers it there and nowhere else; nil: no such line.
    package var domain: String?
    /// What a text costs, in millionths of the tenant's currency, by the prefix of the area.
    package var prices: [String: Int]
    /// What a text costs to an area without a price.
    package var usualPrice: Int
    /// What all texts of a day, UTC, and of 30 days may cost, in millionths; nil: no limit (`SEC-SMS-7`).
    package var costPerDay: Int?
    package var costPerMonth: Int?
    /// Whether the receiver of the tenant's hook `otpSend` delivers texts, in place of the server's gateway.
    package var goesToHook: Bool
    /// Whether a number that is a method of an account signs in to it, by a code alone.
    package var signsIn: Bool

    package init(
        areas: Set<String>, brand: String, domain: String? = nil, prices: [String: Int] = [:], usualPrice: Int = 0,
        costPerDay: Int? = nil, costPerMonth: Int? = nil, goesToHook: Bool = false, signsIn: Bool = false
    ) {
        self.areas = areas
        self.brand = brand
        self.domain = domain
        self.prices = prices
        self.usualPrice = usualPrice
        self.costPerDay = costPerDay
        self.costPerMonth = costPerMonth
        self.goesToHook = goesToHook
        self.signsIn = signsIn
    }

    /// Whether numbers of the area are texted.
    package func allows(_ number: PhoneNumber) -> Bool {
        number.area.country != nil && areas.contains(number.area.prefix)
    }

    /// Whether costs are limited.
    package var hasCap: Bool { costPerDay != nil || costPerMonth != nil }

    /// What a text to the area costs, in millionths.
    package func price(of area: CallingArea) -> Int { prices[area.prefix] ?? usualPrice }

    /// The text: the same in every language, since only the code and the name of who asks are in it. The last line is that of
    /// domain-bound codes, which devices fill in only at that domain (`SEC-SMS-10`).
    package func message(with code: String) -> String {
        "\(brand): \(code)" + (domain.map { "\n\n@\($0) #\(code)" } ?? "")
    }

    /// The largest number of characters that one text of the GSM alphabet has.
    package static let longestMessage = 160

    /// Whether the characters are of the GSM alphabet and of ASCII, each one character of a text, with a sense in a name.
    package static func isBrand(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.first != " " && text.last != " "
            && text.utf8.allSatisfy { ($0.isASCIILetter || $0.isASCIIDigit || " &'()+,-.!".utf8.contains($0)) }
    }
}
