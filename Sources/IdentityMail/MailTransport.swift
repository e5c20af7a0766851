import CCurl

/// Hands a mail to a mail server.
package protocol MailTransport: Sendable {
    /// Returns once the server has taken responsibility for the mail.
    func send(_ message: RenderedMail) async throws(MailTransportError)
    /// Talks to the mail server as for a mail from `sender`, and ends before a recipient is named. A failure is of no interest.
    func greet(from sender: MailAddress) async
}

/// Why a mail was not taken. Neither the text nor the cases hold an address, a credential or words of the server.
package enum MailTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It may work later.
    case temporary(Cause)
    /// The server refused the sender, the recipient or the message for good, with this reply code, 500 to 599
    /// (RFC 5321 section 4.2.1).
    case permanent(replyCode: Int)

    /// Why a mail was not taken now.
    package enum Cause: Hashable, Sendable {
        /// The server refused for now, with this reply code.
        case reply(Int)
        /// No connection, or it broke.
        case unreachable
        case timedOut
        /// TLS is required and could not be had, or the server's certificate or name does not hold.
        case insecure
        /// The server did not take the credentials. The mail waits, because an operator can mend that.
        case unauthenticated
        /// The task was cancelled.
        case cancelled
        /// Anything else that libcurl reports, by its number.
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
        }
    }
}
