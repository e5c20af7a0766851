import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

extension Console {
    /// A mail as the users of a tenant get it.
    package struct MailSample: Hashable, Sendable {
        var occasion: String
        var subject: String
        var text: String

        package init(occasion: String, subject: String, text: String) {
            self.occasion = occasion
            self.subject = subject
            self.text = text
        }
    }

    /// All mails of the tenant, in the language of the query.
    func mails(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let tenant = try tenant(context).tenant
        let path = Self.path(.mails, tenant)
        let language =
            MailLanguage(rawValue: try Self.value("language", of: try Self.queryFields(of: request))) ?? .english
        let languages: [HTML] = MailLanguage.allCases.map {
            "<li><a href=\"\(path)?language=\($0.rawValue)\"\(" aria-current=\"true\"", if: $0 == language)>\($0.title)</a></li>"
        }
        let samples: [HTML] = try mailTexts(tenant, language).enumerated().map { index, sample in
            """
            <section class="panel"><h2>\(sample.occasion)</h2>
            <article class="preview" aria-labelledby="mail-\(index)">
            <h3 id="mail-\(index)" lang="\(language.rawValue)">\(sample.subject)</h3>
            <pre lang="\(language.rawValue)">\(sample.text)</pre>
            </article></section>
            """
        }
        return shell(
            "Mails", .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), "Mails"))
            \(Self.head("Mails", lead: "What users get, with a made-up code. The user's app chooses the language.", actions: "<nav class=\"range\" aria-label=\"Language\"><ul>\(languages)</ul></nav>"))
            <div class="grid">\(samples)</div>
            """)
    }
}

extension MailLanguage {
    fileprivate var title: String {
        switch self {
        case .english: "English"
        case .danish: "Dansk"
        case .dutch: "Nederlands"
        case .french: "Français"
        case .japanese: "日本語"
        }
    }
}
