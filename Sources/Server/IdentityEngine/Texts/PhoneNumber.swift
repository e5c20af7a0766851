import NativeAuthCore
import PortableFoundation

/// A telephone number that can get a text message (`SEC-SMS-1`): `+` and 8 to 15 ASCII digits (ITU-T E.164), in an area that
/// exists, with as many digits as numbers of that area have. Whether it exists, only a text tells.
package struct PhoneNumber: Hashable, Sendable {
    /// Such as `+15555550123`: also how it is stored and compared.
    package let text: String
    package let area: CallingArea

    /// A number as a user types it, with the code of its country: blanks, `-`, `.`, `(` and `)` are left out, and a leading
    /// `00` is read as `+`.
    ///
    /// Nil when the text is not exactly one number.
    package init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        // Written so where a country has a 0 in front of numbers that are called from inside it.
        let typed = typed.replacing("(0)", with: "")
        var digits = ""
        var hasPlus = false
        for scalar in typed.unicodeScalars {
            switch scalar {
            case "0"..."9": digits.unicodeScalars.append(scalar)
            case "+" where digits.isEmpty && !hasPlus: hasPlus = true
            case " ", "-", ".", "(", ")", "\u{A0}": continue
            case _: return nil
            }
        }
        if !hasPlus {
            guard digits.hasPrefix("00") else { return nil }
            digits.removeFirst(2)
        }
        self.init(stored: "+" + digits)
    }

    /// A number as ``text`` has it. Nil when the text is none.
    package init?(stored text: String) {
        let digits = text.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (8...15).contains(digits.utf8.count),
            digits.utf8.allSatisfy(\.isASCIIDigit), let area = CallingArea.of(digits),
            area.digits.contains(digits.utf8.count),
            area.allowsZero || digits.dropFirst(area.prefix.utf8.count).first != "0"
        else { return nil }
        self.text = text
        self.area = area
    }

    /// The number without its last four digits: who rents numbers to be texted has neighbours (`SEC-SMS-5`).
    package var neighbourhood: String { String(text.dropLast(4)) }

    /// The country's code, a star for each digit that is hidden, and the last digit: `+49********3`.
    package var masked: String {
        let shown = 1 + area.prefix.utf8.count
        return text.prefix(shown) + String(repeating: "*", count: text.utf8.count - shown - 1) + text.suffix(1)
    }
}

extension String {
    /// Whether it is written as a telephone number, and is none that can be texted: mostly the code of the country is missing. No
    /// account has such a name.
    package var isNumberWithoutCountry: Bool {
        utf8.contains(where: \.isASCIIDigit)
            && utf8.allSatisfy { $0.isASCIIDigit || " -.()+".utf8.contains($0) } && PhoneNumber(self) == nil
    }
}

/// Encoded as its text; decoding throws for text that is not a number.
extension PhoneNumber: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = PhoneNumber(stored: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a telephone number")
        }
        self = number
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
