/// Why a mail could not be built (`SEC-MAIL-3`, `SEC-MAIL-4`). It names the faulty part, never its value.
package enum MailFormatError: Error, Hashable, Sendable {
    /// Not an address in the plain form of ``MailAddress``.
    case address
    /// The value of the named header contains a control character.
    case header(String)
    /// A line is not ASCII text of at most 998 bytes that ends with CR LF.
    case line
    /// A code is missing although the purpose needs one, or present although it must not be.
    case code
}

/// A mail address that is safe in an envelope and in a header: a dot-atom of at most 64 bytes, `@`, and a host name of
/// at most 253; all ASCII, no quotes, comments, blanks or control characters, at most 254 bytes in all (RFC 5321
/// section 4.1.2, `SEC-MAIL-3`).
///
/// The bytes are not changed: the mail server gets exactly the verified address.
package struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    package let text: String
    /// The part after `@`.
    package let domain: String

    /// The sender of mails whose tenant is gone; no mail reaches it.
    package static let none = MailAddress(unchecked: "no-reply", at: "localhost.localdomain")

    private init(unchecked local: String, at domain: String) {
        text = "\(local)@\(domain)"
        self.domain = domain
    }

    /// - Throws: ``MailFormatError/address``.
    package init(_ text: String) throws(MailFormatError) {
        let bytes = Array(text.utf8.prefix(255))
        let sides = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard bytes.count <= 254, sides.count == 2, Self.isDotAtom(sides[0]), Self.isHostName(sides[1]) else {
            throw .address
        }
        self.text = text
        domain = String(decoding: sides[1], as: UTF8.self)
    }

    /// Whether mails can be sent from it: their `Message-ID` has an id and its domain in 254 bytes.
    package var canSend: Bool { domain.utf8.count <= 217 }

    /// Redacted: an address is personal data, which logs do not show (`SEC-LOG-2`).
    package var description: String { "‹redacted›" }

    private static func isDotAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
        let atoms = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return bytes.count <= 64 && atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
    }

    private static func isHostName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return bytes.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
            }
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
