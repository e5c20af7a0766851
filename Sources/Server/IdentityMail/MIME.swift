import PortableFoundation

/// The parts of MIME that a mail needs. Each accepts any input safely, or refuses it.
enum MIME {
    /// A header line with its CR LF; short ASCII text stays as it is, other values are written as folded encoded words
    /// (RFC 2047).
    ///
    /// - Throws: ``MailFormatError/header(_:)`` for a control character in the value, including CR, LF and NUL, checked
    ///   on UTF-8 bytes (`SEC-MAIL-3`).
    static func header(_ name: String, text value: String) throws(MailFormatError) -> String {
        try header(name, isPlain(value) ? value : encodedWords(value), of: value)
    }

    /// A header line for an address with a display name.
    ///
    /// - Throws: The errors of ``header(_:text:)``.
    static func header(
        _ name: String, address: MailAddress, displayName: String
    ) throws(MailFormatError) -> String {
        let canBeQuoted = isPlain(displayName) && !displayName.utf8.contains { $0 == 0x22 || $0 == 0x5C }
        let phrase = canBeQuoted ? "\"\(displayName)\"" : encodedWords(displayName)
        return try header(name, "\(phrase)\r\n <\(address.text)>", of: displayName)
    }

    /// Quoted-printable (RFC 2045 section 6.7): ASCII lines of at most 76 bytes that end with CR LF.
    ///
    /// A dot at the beginning of a line is encoded, so that the text survives a server that does not undo dot-stuffing.
    ///
    /// - Parameter text: The text; its lines end with LF. A NUL stays as it is: it keeps the place of a digit.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 5 / 4)
        let bytes = Array(text.utf8)
        var column = 0
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A {
                output += [0x0D, 0x0A]
                column = 0
                continue
            }
            // A soft break begins a new line, which may also begin with a dot.
            func isLiteral() -> Bool {
                switch byte {
                case 0, 0x21...0x2D, 0x2F...0x3C, 0x3E...0x7E: true
                case 0x2E: column > 0
                case 0x20: index + 1 < bytes.count && bytes[index + 1] != 0x0A
                default: false
                }
            }
            if column + (isLiteral() ? 1 : 3) > 75 {
                output += [0x3D, 0x0D, 0x0A]
                column = 0
            }
            if isLiteral() {
                output.append(byte)
                column += 1
            } else {
                output += [0x3D, digit(byte >> 4), digit(byte & 15)]
                column += 3
            }
        }
        return output + [0x0D, 0x0A]
    }

    /// A body part of text.
    static func text(_ text: String, as subtype: String) -> [UInt8] {
        let type = "Content-Type: text/\(subtype); charset=utf-8\r\n"
        return Array("\(type)Content-Transfer-Encoding: quoted-printable\r\n\r\n".utf8) + quotedPrintable(text)
    }

    /// A body part of a picture that another part shows by its id (RFC 2392).
    static func picture(_ bytes: Data, as type: String, id: String) -> [UInt8] {
        let lines = bytes.base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        return Array(
            """
            Content-Type: \(type)\r
            Content-Transfer-Encoding: base64\r
            Content-ID: <\(id)>\r
            Content-Disposition: inline\r
            \r
            \(lines)\r

            """.utf8)
    }

    /// Body parts as one (RFC 2046 section 5.1).
    ///
    /// - Parameter boundary: What no part contains: quoted-printable and base64 never write `=_`.
    static func multipart(_ subtype: String, _ parts: [[UInt8]], boundary: String) -> [UInt8] {
        var body = Array("Content-Type: multipart/\(subtype); boundary=\"\(boundary)\"\r\n\r\n".utf8)
        for part in parts {
            body += "--\(boundary)\r\n".utf8
            body += part
            body += "\r\n".utf8
        }
        body += "--\(boundary)--\r\n".utf8
        return body
    }

    /// A time in the form `Thu, 13 Feb 2025 09:05:00 +0000` (RFC 5322 section 3.3).
    static func date(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
        func name(_ number: Int?, of names: [String]) -> String { names[((number ?? 1) - 1) % names.count] }
        func padded(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let weekday = name(parts.weekday, of: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"])
        let month = name(
            parts.month,
            of: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
        return "\(weekday), \(padded(parts.day)) \(month) \(parts.year ?? 1970) "
            + "\(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second)) +0000"
    }

    private static func header(
        _ name: String, _ encoded: String, of value: String
    ) throws(MailFormatError) -> String {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .header(name) }
        return "\(name): \(encoded)\r\n"
    }

    /// Whether the value is short enough for one line, ASCII, and cannot be read as an encoded word.
    private static func isPlain(_ value: String) -> Bool {
        value.utf8.count <= 60 && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !zip(value.utf8, value.utf8.dropFirst()).contains { $0 == 0x3D && $1 == 0x3F }
    }

    /// Encoded words, one per line, each short enough that a line with the header's name stays within 76 bytes; no word
    /// splits a character (RFC 2047 sections 2 and 5).
    private static func encodedWords(_ value: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in value.unicodeScalars {
            let bytes = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            if (words.last?.count ?? 0) + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// A hexadecimal digit.
    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
