import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

extension Console {
    /// All mails of the tenant, in the language of the query, or with `mail` in the query, the HTML part of one of them.
    func mails(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) throws -> Response {
        let tenant = try tenant(context).tenant
        let path = Self.path(.mails, tenant)
        let fields = try Self.queryFields(of: request)
        let language = MailLanguage(rawValue: try Self.value("language", of: fields)) ?? tenant.mailLanguage()
        let all = try mailSamples(tenant, language)
        let wanted = try Self.value("mail", of: fields)
        if let mail = all.first(where: { $0.purpose.rawValue == wanted }) { return mail.page }
        let languages: [HTML] = MailLanguage.allCases.map {
            "<li><a href=\"\(path)?language=\($0.rawValue)\"\(" aria-current=\"true\"", if: $0 == language) lang=\"\($0.rawValue)\">\($0.title)</a></li>"
        }
        let direction = language.isRightToLeft ? "rtl" : "ltr"
        let samples: [HTML] = all.enumerated().map { index, sample in
            """
            <section class="panel"><h2>\(sample.occasion)</h2>
            <article class="preview" aria-labelledby="mail-\(index)">
            <h3 id="mail-\(index)" lang="\(language.rawValue)" dir="\(direction)">\(sample.subject)</h3>
            <pre lang="\(language.rawValue)" dir="\(direction)">\(sample.text)</pre>
            </article>
            <p><a href="\(path)?language=\(language.rawValue)&amp;mail=\(sample.purpose.rawValue)">As mail programs show it</a></p></section>
            """
        }
        let page = shell(
            "Mails", .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), "Mails"))
            \(Self.head("Mails", lead: "What users get, with a made-up code. The user's app chooses the language; the tenant's document can change sender, logo, colours and texts.", actions: "<nav class=\"range\" aria-label=\"Language\"><ul>\(languages)</ul></nav>"))
            <div class="grid">\(samples)</div>
            """)
        return Self.page(page)
    }
}
