import IdentityEngine
import PortableFoundation
import Yams

/// What a tenant document says about text messages (docs/operate/texts.md).
enum ReadTexts {
    /// The largest price of a text, and the greatest limit of costs, in units of the currency.
    private static let mostExpensive = 1_000.0
    private static let highestCap = 1_000_000_000.0

    /// Reads the members. A faulty value is replaced by a placeholder that is never used.
    static func texts(_ members: YAMLMembers, of displayName: String) -> TextSettings {
        var areas: Set<String> = []
        for (text, line) in members.texts("callingCodes", mayBeEmpty: false) {
            let prefix = withoutPlus(text)
            switch CallingArea.named(prefix) {
            case let area? where area.country != nil: areas.insert(prefix)
            case _?: members.add("callingCodes: +\(shown(prefix)) is no country; it is never texted.", line: line)
            case nil:
                members.add(
                    "callingCodes: “\(shown(text))” is no calling code such as 49, or 1 for the United States and Canada.",
                    line: line)
            }
        }
        if !members.has("callingCodes") {
            members.add("sms needs callingCodes: the countries whose numbers are texted.", at: "callingCodes")
        }
        let name = members.text("name")
        let brand = name ?? displayName
        if !TextSettings.isBrand(brand) {
            members.add(
                name == nil
                    ? "sms needs a name: the tenant's displayName has characters that make a text cost twice, or more than 40."
                    : "name must have 1 to 40 of the characters A-Z, a-z, 0-9, blank and &'()+,-.!.", at: "name")
        }
        var texts = TextSettings(areas: areas, brand: brand)
        if let domain = members.text("domain") {
            texts.domain = domain
            if !isDomain(domain) {
                members.add("domain must be a host name such as login.harbour.example.com.", at: "domain")
            }
        }
        if texts.message(with: String(repeating: "0", count: 12)).utf8.count > TextSettings.longestMessage {
            members.add(
                "name and domain make a text longer than \(TextSettings.longestMessage) characters.", at: "domain")
        }
        if let prices = members.members("prices", of: "the member prices") {
            for prefix in prices.names {
                guard let price = amount(prefix, of: prices, mostExpensive) else { continue }
                if prefix == "others" {
                    texts.usualPrice = price
                } else if !areas.contains(withoutPlus(prefix)) {
                    prices.add("“\(shown(prefix))” is none of callingCodes, and not others.", at: prefix)
                } else {
                    texts.prices[withoutPlus(prefix)] = price
                }
            }
            prices.end()
        }
        texts.costPerDay = amount("costPerDay", of: members, highestCap)
        texts.costPerMonth = amount("costPerMonth", of: members, highestCap)
        if texts.costPerDay != nil || texts.costPerMonth != nil, texts.usualPrice == 0,
            areas.contains(where: { texts.prices[$0, default: 0] == 0 })
        {
            let missing = areas.filter { texts.prices[$0, default: 0] == 0 }.sorted().joined(separator: ", ")
            members.add(
                "a limit of costs needs a price above 0 for each of callingCodes; missing: \(missing) (or give others).",
                at: "prices")
        }
        texts.goesToHook = members.flag("byHook") ?? false
        texts.signsIn = members.flag("signIn") ?? false
        if texts.signsIn, !texts.hasCap {
            members.add(
                "signIn needs costPerDay or costPerMonth: who types the numbers of others causes texts.", at: "signIn")
        }
        members.end()
        return texts
    }

    /// An amount of money in millionths.
    private static func amount(_ name: String, of members: YAMLMembers, _ most: Double) -> Int? {
        guard let text = members.text(name) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }), let value = Double(text),
            value >= 0, value <= most
        else {
            members.add("\(name) must be an amount from 0 to \(Int(most)), such as 0.075.", at: name)
            return nil
        }
        return Int((value * 1_000_000).rounded())
    }

    private static func withoutPlus(_ text: String) -> String { text.hasPrefix("+") ? String(text.dropFirst()) : text }

    private static func shown(_ text: String) -> String { SettingsReader.shown(text) }

    private static func isDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 100 && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
    }

    /// An amount as a document has it: without zeros at the end.
    static func text(of millionths: Int) -> String {
        let (whole, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest != 0 else { return "\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
