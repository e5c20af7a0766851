import Hummingbird
import IdentityEngine
import NativeAuthWire

// Every mail in every language, as users get it.
extension DevelopmentPages {
    /// The page of all mails of a tenant in a language, or with `mail` in the query, one of them.
    func mailGallery(_ request: Request) throws -> Response {
        let entries = tenants().entries
        let query = request.uri.queryParameters
        let wanted = query["tenant"].map { String($0) }
        guard let tenant = entries.first(where: { $0.tenant.subdomain == wanted })?.tenant ?? entries.first?.tenant,
            let samples
        else { return Response(status: .notFound) }
        let language = query["language"].flatMap { MailLanguage(rawValue: String($0)) } ?? tenant.mailLanguage()
        let mails = try samples(tenant, language)
        if let mail = query["mail"].map({ String($0) }) {
            return mails.first { $0.purpose.rawValue == mail }?.page ?? Response(status: .notFound)
        }
        func address(_ tenant: Tenant, _ language: MailLanguage, mail: MailSample? = nil) -> String {
            let mail = mail.map { "&amp;mail=\($0.purpose.rawValue)" } ?? ""
            return "/dev/mails?tenant=\(Self.escaped(tenant.subdomain))&amp;language=\(language.rawValue)\(mail)"
        }
        func choice(_ href: String, _ title: String, isChosen: Bool) -> String {
            isChosen ? "<li><b aria-current=\"true\">\(title)</b></li>" : "<li><a href=\"\(href)\">\(title)</a></li>"
        }
        let languages = MailLanguage.allCases.map { other in
            choice(
                address(tenant, other), "<span lang=\"\(other.rawValue)\">\(other.title)</span>",
                isChosen: other == language)
        }
        let choices =
            entries.count < 2
            ? []
            : entries.map { entry in
                choice(
                    address(entry.tenant, language), Self.escaped(entry.tenant.displayName),
                    isChosen: entry.tenant == tenant)
            }
        let direction = language.isRightToLeft ? "rtl" : "ltr"
        let cards = mails.map { mail in
            """
            <article class="mail"><h3>\(mail.occasion)</h3>
            <p class="meta" lang="\(language.rawValue)" dir="\(direction)">\(Self.escaped(mail.subject))</p>
            <iframe title="\(mail.occasion)" loading="lazy" sandbox src="\(address(tenant, language, mail: mail))"></iframe>
            <details><summary>Text</summary><pre lang="\(language.rawValue)" dir="\(direction)">\(Self.escaped(mail.text))</pre></details>
            </article>
            """
        }
        return Self.html(
            """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Mails</title><style>\(Self.style)
            .choices{display:flex;flex-wrap:wrap;gap:4px 14px;list-style:none;margin:8px 0;padding:0}
            .gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,380px),1fr));gap:18px}.gallery .mail{margin:0}
            main{max-width:1280px}iframe{width:100%;height:500px;border:1px solid var(--line);border-radius:8px;background:#fff}
            </style></head><body><main>
            <header><h1>Mails of \(Self.escaped(tenant.displayName))</h1></header>
            <p>Every mail that a user can get, with a made-up code. The tenant's document can change sender, logo, colours and texts.
            <a href="/dev/inbox">Inbox</a>, <a href="/">home page</a>.</p>
            \(choices.isEmpty ? "" : "<nav aria-label=\"Tenant\"><ul class=\"choices\">\(choices.joined())</ul></nav>")
            <nav aria-label="Language"><ul class="choices">\(languages.joined())</ul></nav>
            <div class="gallery">\(cards.joined(separator: "\n"))</div>
            </main></body></html>
            """)
    }
}
