/// A mail as sent: the envelope, and a complete message of RFC 5322.
package struct RenderedMail: Sendable {
    /// The envelope's sender, `MAIL FROM`.
    package let sender: MailAddress
    /// The envelope's only recipient, `RCPT TO`.
    package let recipient: MailAddress
    /// Headers and body: ASCII, every line at most 998 bytes and ended by CR LF, no other CR or LF, no NUL
    /// (`SEC-MAIL-4`). Dots at the beginning of lines are not doubled yet.
    package let message: [UInt8]

    /// - Throws: ``MailFormatError/line`` when `message` does not have the form of ``message``.
    package init(sender: MailAddress, recipient: MailAddress, message: [UInt8]) throws(MailFormatError) {
        var lineLength = 0
        var previous: UInt8 = 0
        for byte in message {
            switch byte {
            case 0x0A:
                guard previous == 0x0D else { throw .line }
                lineLength = 0
            case 0x01...0x7F:
                guard previous != 0x0D else { throw .line }
                lineLength += byte == 0x0D ? 0 : 1
                guard lineLength <= 998 else { throw .line }
            default: throw .line
            }
            previous = byte
        }
        guard previous == 0x0A else { throw .line }
        self.sender = sender
        self.recipient = recipient
        self.message = message
    }
}
