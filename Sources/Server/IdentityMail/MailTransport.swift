import CCurl

/// Delivers a mail to a mail server.
package protocol MailTransport: Sendable {
    /// Returns once the server has taken responsibility for the mail.
    func send(_ message: RenderedMail) async throws(MailTransportError)
    /// Opens a session with the mail server as for a mail from `sender`, and ends it before naming a recipient.
    /// Failures are ignored.
    func greet(from sender: MailAddress) async
}

/// Why a mail was not accepted. Neither the text nor the cases contain an address, a credential or text of the server.
package enum MailTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A later attempt may succeed.
    case temporary(Cause)
    /// The server refused the sender or the message permanently, or the recipient for another reason than the mailbox, with
    /// this reply code, 500 to 599 (RFC 5321 section 4.2.1).
    case permanent(replyCode: Int)
    /// The recipient's mailbox does not exist, or takes no mail, permanently.
    case noMailbox(replyCode: Int)

    /// Why a mail was not accepted now.
    package enum Cause: Hashable, Sendable {
        /// The server refused temporarily, with this reply code.
        case reply(Int)
        /// No connection was possible, or it broke.
        case unreachable
        case timedOut
        /// TLS is required but not available, or the server's certificate or name is invalid.
        case insecure
        /// The server refused the credentials. The mail waits, because an operator can correct them.
        case unauthenticated
        /// The task was cancelled.
        case cancelled
        /// Any other libcurl error, by its number.
        case curl(UInt32)
    }

    package var description: String {
        switch self {
        case .temporary(.reply(let code)): "the mail server answered \(code), try later"
        case .temporary(.unreachable): "the mail server cannot be reached"
        case .temporary(.timedOut): "the mail server did not answer in time"
        case .temporary(.insecure): "no secure connection to the mail server"
        case .temporary(.unauthenticated): "the mail server did not accept the credentials"
        case .temporary(.cancelled): "sending was cancelled"
        case .temporary(.curl(let code)): String(cString: curl_easy_strerror(CURLcode(rawValue: code)))
        case .permanent(let code): "the mail server refused the mail with \(code)"
        case .noMailbox(let code): "the mail server refused the mailbox with \(code)"
        }
    }
}
