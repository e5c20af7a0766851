import NativeAuthCore
import PortableFoundation

/// Splits a filter into tokens. Each byte is read once.
struct ODataTokens {
    enum Token: Hashable {
        /// A keyword, a property, a function or a variable.
        case name(String)
        /// Text in quotes, without them.
        case text(String)
        /// A number, a date or a GUID.
        case bare(String)
        case open, close, comma, slash, colon
        case end
    }

    private(set) var current = Token.end
    /// Where the current token begins, in bytes.
    private(set) var position = 0
    /// How many tokens were read.
    private(set) var count = 0
    private let length: Int
    private var rest: ArraySlice<UInt8>

    init(_ text: String) throws(ODataFault) {
        guard text.utf8.count <= ODataFilter.maximumLength else { throw .tooMuch }
        rest = Array(text.utf8)[...]
        length = rest.count
        try advance()
    }

    /// Reads the next token.
    mutating func advance() throws(ODataFault) {
        while let byte = rest.first, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { rest.removeFirst() }
        position = length - rest.count
        count += 1
        switch rest.first {
        case nil: current = .end
        case UInt8(ascii: "(")?: current = mark(.open)
        case UInt8(ascii: ")")?: current = mark(.close)
        case UInt8(ascii: ",")?: current = mark(.comma)
        case UInt8(ascii: "/")?: current = mark(.slash)
        case UInt8(ascii: ":")?: current = mark(.colon)
        case UInt8(ascii: "'")?: current = .text(try quoted())
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"):
            current = .bare(word { $0.isInName || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "+") })
        case let byte? where byte.isInName && byte != UInt8(ascii: "."):
            let word = word { $0.isInName }
            // A GUID may begin with a letter, and no name has a hyphen.
            current = word.utf8.contains(UInt8(ascii: "-")) ? .bare(word) : .name(word)
        case .some: throw .malformed(at: position)
        }
    }

    private mutating func mark(_ token: Token) -> Token {
        rest.removeFirst()
        return token
    }

    private mutating func word(_ belongs: (UInt8) -> Bool) -> String {
        let word = rest.prefix(while: belongs)
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    /// Text in quotes; a doubled quote stands for one.
    private mutating func quoted() throws(ODataFault) -> String {
        var text: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "'") {
                guard rest.first == byte else { return String(decoding: text, as: UTF8.self) }
                rest.removeFirst()
            }
            // No value has control characters, and a database may refuse a NUL.
            guard byte >= 0x20, byte != 0x7F else { throw .malformed(at: length - rest.count - 1) }
            text.append(byte)
        }
        throw .malformed(at: length)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isInName: Bool {
        isDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || "_.$-".utf8.contains(self)
    }
}

extension ODataLiteral {
    /// A number, a date or a GUID; nil for other text.
    init?(bare text: String) {
        if let guid = UUID(text: text) {
            self = .guid(guid)
        } else if text.utf8.first != UInt8(ascii: "+"), let number = Int(text) {
            self = .integer(number)
        } else if let date = Date(odata: text) {
            self = .date(date)
        } else {
            return nil
        }
    }
}

extension Date {
    /// A date with or without a time: `2026-11-22`, `2026-11-22T23:10Z`, `2026-11-22T23:10:00.125+01:00`. A date alone
    /// means its first moment in UTC. Nil for other text, and for days and times that do not exist.
    init?(odata text: String) {
        var digits = DigitReader(rest: Array(text.utf8)[...])
        guard let year = digits.number(4), digits.take("-"), let month = digits.number(2), digits.take("-"),
            let day = digits.number(2), year >= 1, (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        let midnight = Self.daysSince1970(year, month, day) * 86_400
        guard !digits.rest.isEmpty else {
            self.init(timeIntervalSince1970: Double(midnight))
            return
        }
        guard digits.take("T") || digits.take("t"), let hour = digits.number(2), digits.take(":"),
            let minute = digits.number(2), hour <= 23, minute <= 59
        else { return nil }
        var (second, fraction) = (0, 0.0)
        if digits.take(":") {
            guard let number = digits.number(2), number <= 59 else { return nil }
            second = number
            if digits.take(".") {
                guard let part = digits.fraction() else { return nil }
                fraction = part
            }
        }
        guard let offset = digits.offset(), digits.rest.isEmpty else { return nil }
        self.init(
            timeIntervalSince1970: Double(midnight + hour * 3_600 + minute * 60 + second - offset) + fraction)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        case _: 31
        }
    }

    /// In the Gregorian calendar. Years begin in March here, so that a leap day is the last of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}

private struct DigitReader {
    var rest: ArraySlice<UInt8>

    /// Exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let byte = rest.popFirst(), byte.isDigit else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    /// One to twelve digits behind a point.
    mutating func fraction() -> Double? {
        var (fraction, unit) = (0.0, 1.0)
        let digits = rest.prefix { $0.isDigit }
        guard (1...12).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        for digit in digits {
            fraction = fraction * 10 + Double(digit - UInt8(ascii: "0"))
            unit *= 10
        }
        return fraction / unit
    }

    /// `Z`, or hours and minutes, at most 14 hours; in seconds.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("-") ? -1 : 1
        guard sign == -1 || take("+"), let hours = number(2), take(":"), let minutes = number(2), minutes <= 59,
            hours * 60 + minutes <= 14 * 60
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }
}
