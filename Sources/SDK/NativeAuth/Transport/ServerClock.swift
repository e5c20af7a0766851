import NativeAuthCore
package import PortableFoundation

/// The server's time, from the header `Date` of its last answer: an estimate for comparing the server's times when the
/// device's clock may be wrong (`SDK-TIME-1`).
final class ServerClock: Sendable {
    private let last = Locked<(date: Date, uptime: Double)?>(nil)

    func learn(from response: TransportResponse, at moment: Moment) {
        guard let date = response.headers["date"].flatMap(HTTPDate.parse) else { return }
        last.withLock { $0 = (date, moment.uptime) }
    }

    /// The estimated server time; the device's time until an answer had a date.
    func now(at moment: Moment) -> Date {
        last.withLock { last in
            last.map { $0.date.addingTimeInterval(moment.uptime - $0.uptime) } ?? moment.date
        }
    }
}

/// Parses dates such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that senders may use (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    package static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].count == 4, words[0].last == ",", words[5] == "GMT",
            let day = number(words[1], digits: 2, in: 1...31), let month = months.firstIndex(of: String(words[2])),
            let year = number(words[3], digits: 4, in: 1970...9999)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2, in: 0...23),
            let minute = number(time[1], digits: 2, in: 0...59), let second = number(time[2], digits: 2, in: 0...60)
        else { return nil }
        // The number of the day since 1970 in the Gregorian calendar; a year that begins in March ends with the leap
        // day.
        let (y, m) = month < 2 ? (year - 1, month + 10) : (year, month - 2)
        let days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 719_469
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func number(_ text: Substring, digits: Int, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
            range.contains(value)
        else { return nil }
        return value
    }
}
