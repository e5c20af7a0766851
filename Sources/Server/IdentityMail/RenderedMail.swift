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
        guard message.withUnsafeBufferPointer(Self.isWellFormed) else { throw .line }
        self.sender = sender
        self.recipient = recipient
        self.message = message
    }

    private static func isWellFormed(_ message: UnsafeBufferPointer<UInt8>) -> Bool {
        var lineStart = 0
        var previous: UInt8 = 0
        for index in message.indices {
            let byte = message[index]
            if byte == 0x0A {
                // The CR is not counted.
                guard previous == 0x0D, index - lineStart <= 999 else { return false }
                lineStart = index + 1
            } else {
                guard previous != 0x0D, byte != 0, byte < 0x80 else { return false }
            }
            previous = byte
        }
        return previous == 0x0A
    }
}
