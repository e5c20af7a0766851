import Hummingbird
package import IdentityEngine
import NIOCore

/// A mail as the users of a tenant get it, with a made-up code.
package struct MailSample: Hashable, Sendable {
    package var purpose: MailContent.Purpose
    /// When the mail is sent.
    package var occasion: String
    package var subject: String
    package var text: String
    /// The HTML part, which shows the logo by a `data:` address.
    package var html: String

    package init(purpose: MailContent.Purpose, occasion: String, subject: String, text: String, html: String) {
        self.purpose = purpose
        self.occasion = occasion
        self.subject = subject
        self.text = text
        self.html = html
    }

    /// All mails of a tenant in a language.
    package typealias Source = @Sendable (Tenant, MailLanguage) throws -> [MailSample]

    /// The HTML part as a page. It runs nothing and loads nothing, whatever the tenant's template has.
    var page: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}
