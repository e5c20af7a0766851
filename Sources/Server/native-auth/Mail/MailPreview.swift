import IdentityEngine
import IdentityHTTP
import IdentityMail

/// The mails of a tenant, with made-up codes, for people who look at them.
enum MailPreview {
    private static let renderer = MailRenderer()

    /// All mails in a language.
    static let samples: MailSample.Source = { tenant, language in
        try MailContent.Purpose.allCases.map { try sample(of: $0, for: tenant, in: language) }
    }

    static func sample(
        of purpose: MailContent.Purpose, for tenant: Tenant, in language: MailLanguage
    ) throws -> MailSample {
        let words = try renderer.words(of: .sample(of: purpose, for: tenant, in: language), as: tenant.mail)
        return MailSample(
            purpose: purpose, occasion: purpose.occasion, subject: words.subject, text: words.text,
            html: words.html.replacing(MailRenderer.logoURL, with: tenant.mail.logo?.dataURL ?? ""))
    }
}
