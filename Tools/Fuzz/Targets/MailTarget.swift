import Foundation
import IdentityEngine
import IdentityMail

/// The builder of messages (`SEC-MAIL-3`, `SEC-MAIL-4`): a strict parser finds one message, with the intended headers
/// and texts, or nothing was built.
struct MailTarget: Target {
    static let name = "mail"
    static let share = (release: 100, debug: 10)

    private static let purposes: [MailContent.Purpose] = [
        .signUp, .signIn, .passwordReset, .secondFactor, .registration, .passwordChanged, .methodRegistered,
    ]
    private let renderer: MailRenderer
    private let names = Mutator(
        ["Contoso", "Blåbær & Sønner A/S", "株式会社コントソ", "=?UTF-8?B?QQ==?=", "\"Contoso\" <a@b.example>", "."],
        words: [
            "\r\n", "\r", "\n", "\r\nBcc: eve@example.com", "\r\n\r\n.\r\n", "\r\n.\r\n", ".", "..", "\0", "\u{B}",
            "\u{85}", "\u{2028}",
            "=?", "?=", "=?utf-8?q?a?=", "\"", "\\", "<", ">", "(", ",", ":", ";", "=", "=0D=0A", "{{code}}",
            "{{{organisation}}}", "{{#x}}",
            "<script>", "&", "é", "e\u{301}", "😀", "\u{202E}", "\u{FEFF}", "%n", String(repeating: "長", count: 30),
            String(repeating: "a", count: 998), " ", "\t", "--=_1",
        ], bytes: [[0xFF], [0xC3]], long: 4_096)
    private let addresses = Mutator(
        ["dana@example.com", "o'neil+x@example.com", "a@b"],
        words: [
            "\r\n", "\n", "\0", ">", "<", " ", "@", ",", ";", "\"", "\\", ">\r\nRCPT TO:<eve@example.com", "é", "%",
            "!", "=?", "(", "[", "]",
            "..", "-", "xn--", "\u{FF20}", " SIZE=1", " BODY=8BITMIME",
        ])

    init() throws {
        renderer = MailRenderer()
    }

    /// Two bytes to choose by; then organisation and recipient, and a byte 0xFE between them.
    func input(_ chance: inout Chance) -> [UInt8] {
        let recipient = chance.percent(60) ? Array("dana@example.com".utf8) : addresses.input(&chance)
        return chance.bytes(2) + names.input(&chance) + [0xFE] + recipient
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard input.count >= 2, let cut = input.lastIndex(of: 0xFE), cut >= 2 else { return false }
        let purpose = Self.purposes[Int(input[0]) % Self.purposes.count]
        let isNotice = purpose == .passwordChanged || purpose == .methodRegistered
        let organisation = Array(input[2..<cut]).lenientText
        let recipient = Array(input[(cut + 1)...]).lenientText
        let content = MailContent(
            purpose: purpose, recipient: recipient, code: isNotice ? nil : "01234567", minutesValid: isNotice ? 0 : 10,
            language: MailLanguage.allCases[Int(input[1]) % MailLanguage.allCases.count], organisation: organisation,
            sentAt: Date(timeIntervalSince1970: 1_800_000_000))
        let mail: RenderedMail
        do {
            mail = try renderer.render(
                content, id: "1", letterhead: Letterhead(sender: MailAddress("no-reply@contoso.example")))
        } catch is MailFormatError {
            return false
        }
        try demand(mail.recipient.text.utf8.elementsEqual(recipient.utf8), "the envelope has another recipient")
        try demand(
            recipient.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>()[],;:\\\"".utf8.contains($0) },
            "odd bytes in the envelope")
        let message = try Message(mail.message)
        let words = try renderer.words(of: content)
        let expected = [
            "Date", "From", "To", "Message-ID", "Subject", "Auto-Submitted", "X-Auto-Response-Suppress",
            "Content-Language", "MIME-Version",
            "Content-Type",
        ]
        try demand(message.headers.map(\.name) == expected, "other headers: \(message.headers.map(\.name))")
        try demand(message.headers[2].value == "<\(recipient)>", "another recipient in the header")
        let from = message.headers[1].value
        try demand(from.hasSuffix(" <no-reply@contoso.example>"), "another sender in the header")
        let phrase = String(from.dropLast(" <no-reply@contoso.example>".count))
        try demand(
            Message.decoded(phrase).utf8.elementsEqual(organisation.utf8), "another name of the sender: \(phrase)")
        let subject = Message.decoded(message.headers[4].value)
        try demand(subject.utf8.elementsEqual(words.subject.utf8), "another subject: \(subject)")
        try demand(message.parts.count == 2, "\(message.parts.count) parts")
        try demand(message.parts[0].utf8.elementsEqual((words.text + "\r\n").lines), "another text")
        try demand(message.parts[1].utf8.elementsEqual((words.html + "\r\n").lines), "another page")
        return true
    }
}

extension String {
    /// With CR LF at the ends of lines.
    fileprivate var lines: [UInt8] {
        utf8.reduce(into: []) { lines, byte in
            if byte == 0x0A, lines.last != 0x0D { lines.append(0x0D) }
            lines.append(byte)
        }
    }
}

/// A message of RFC 5322 as a strict reader takes it apart.
private struct Message {
    var headers: [(name: String, value: String)] = []
    /// Decoded.
    var parts: [String] = []

    init(_ bytes: [UInt8]) throws(Finding) {
        // On the wire, with dots doubled, the message ends only at its end.
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        for byte in bytes {
            try demand(byte != 0 && byte < 0x80, "a byte that is no ASCII")
            if byte == 0x0A {
                try demand(line.last == 0x0D, "a line feed alone")
                lines.append(line.dropLast())
                line = []
            } else {
                try demand(line.last != 0x0D, "a carriage return alone")
                line.append(byte)
            }
        }
        try demand(line.isEmpty && lines.allSatisfy { $0.count <= 998 }, "no end of the last line, or a long one")
        try demand(!lines.contains([0x2E]), "a dot alone on a line")
        guard let end = lines.firstIndex(of: []) else { throw Finding("no end of the headers") }
        for line in lines[..<end].map(\.lenientText) {
            if line.first == " " {
                guard !headers.isEmpty, !line.allSatisfy({ $0 == " " }) else { throw Finding("a fold of nothing") }
                headers[headers.count - 1].value += line
            } else {
                guard let colon = line.firstIndex(of: ":") else { throw Finding("a line that is no header") }
                headers.append((String(line[..<colon]), String(line[colon...].dropFirst(2))))
            }
        }
        try read(Array(lines[(end + 1)...]))
    }

    private mutating func read(_ body: [[UInt8]]) throws(Finding) {
        let boundary = Array("--=_1".utf8)
        let marks = body.indices.filter { body[$0].starts(with: boundary) }
        try demand(
            marks.count == 3 && marks.first == 0 && body[marks[2]] == boundary + Array("--".utf8),
            "other parts than two")
        for (begin, end) in zip(marks, marks.dropFirst()) {
            guard let blank = body[begin..<end].firstIndex(of: []) else { throw Finding("no end of a part's headers") }
            // The line break before a boundary belongs to the boundary.
            parts.append(try Self.quotedPrintable(Array(body[(blank + 1)..<(end - 1)])) + "\r\n")
        }
    }

    private static func quotedPrintable(_ lines: [[UInt8]]) throws(Finding) -> String {
        var bytes: [UInt8] = []
        for (number, line) in lines.enumerated() {
            try demand(line.count <= 76 && line.last != 0x20 && line.last != 0x09, "a long line, or a blank at its end")
            var rest = line[...]
            var isSoft = false
            while let byte = rest.popFirst() {
                guard byte == 0x3D else {
                    bytes.append(byte)
                    continue
                }
                if rest.isEmpty {
                    isSoft = true
                } else {
                    guard let value = UInt8(Array(rest.prefix(2)).lenientText, radix: 16) else {
                        throw Finding("no escape")
                    }
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                }
            }
            if !isSoft, number < lines.count - 1 { bytes += [0x0D, 0x0A] }
        }
        guard let text = bytes.text else { throw Finding("no UTF-8") }
        return text
    }

    /// A quoted string, encoded words, or plain text.
    static func decoded(_ value: String) -> String {
        if value.hasPrefix("\""), value.hasSuffix("\""), value.utf8.count >= 2 {
            return String(value.dropFirst().dropLast())
        }
        guard value.hasPrefix("=?UTF-8?B?") else { return value }
        let bytes = value.split(separator: " ").reduce(into: Data()) { bytes, word in
            bytes += Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data("?".utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
