import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

extension Console {
    /// Pages that show each part of the look: titles, fields, a button, a problem, the foot.
    private enum Sample: String, CaseIterable {
        case signIn, createAccount, password, code, aboutYou, error

        var occasion: String {
            switch self {
            case .signIn: "The first page of a sign-in"
            case .createAccount: "The first page of a sign-up"
            case .password: "A new password"
            case .code: "A code that was wrong"
            case .aboutYou: "Attributes"
            case .error: "An error"
            }
        }
    }

    /// Links to the tenant's hosted pages, in the language of the query, or with `page` in the query one of them. Their forms do
    /// nothing.
    func pages(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) throws -> Response {
        let tenant = try tenant(context).tenant
        let path = Self.path(.pages, tenant)
        let fields = try Self.queryFields(of: request)
        let language = MailLanguage(rawValue: try Self.value("language", of: fields)) ?? tenant.mailLanguage()
        if let sample = Sample(rawValue: try Self.value("page", of: fields)) {
            return Self.show(sample, of: tenant, PageLanguage([language.rawValue], accepted: nil))
        }
        let languages: [HTML] = MailLanguage.allCases.map {
            "<li><a href=\"\(path)?language=\($0.rawValue)\"\(" aria-current=\"true\"", if: $0 == language) lang=\"\($0.rawValue)\">\($0.title)</a></li>"
        }
        let links: [HTML] = Sample.allCases.map {
            "<a class=\"button\" href=\"\(path)?language=\(language.rawValue)&amp;page=\($0.rawValue)\">\($0.occasion)</a>"
        }
        let page = shell(
            "Pages", .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), "Pages"))
            \(Self.head("Pages", lead: "What users see in a browser. The user's browser or the app chooses the language; the tenant's document can change logo, colours, links and some sentences.", actions: "<nav class=\"range\" aria-label=\"Language\"><ul>\(languages)</ul></nav>"))
            <section class="panel"><h2>Look at</h2><p class="actions">\(links)</p></section>
            """)
        return Self.page(page)
    }

    private static func show(_ sample: Sample, of tenant: Tenant, _ text: PageLanguage) -> Response {
        let app = tenant.displayName
        var page = HostedPage(
            language: text, brand: PageBrand(tenant, at: "/\(tenant.id)"), title: .signIn, body: "")
        let email: HTML = page.field("username", .email, type: "email", autocomplete: "off")
        let next = page.button("next", .next, isPrimary: true)
        func form(_ fields: HTML) -> HTML { "<form method=\"get\">\(fields)</form>" }
        switch sample {
        case .signIn:
            page.body = "<p class=\"lead\">\(text(.toApp(app)))</p>\(form("\(email)\(next)"))"
        case .createAccount:
            page.title = .createAccount
            page.body = "<p class=\"lead\">\(text(.toApp(app)))</p>\(form("\(email)\(next)"))"
        case .password:
            page.title = .choosePassword
            let field = page.field(
                "new-password", .newPassword, type: "password", autocomplete: "off", hint: .passwordRules)
            page.body = form("\(field)\(page.button("next", .goOn, isPrimary: true))\(page.button("cancel", .cancel))")
        case .code:
            page.title = .enterCode
            page.problem = HostedProblem(phrase: .wrongCode, field: "code")
            let field = page.field("code", .code, autocomplete: "off", attributes: " inputmode=\"numeric\"")
            page.body =
                "<p class=\"lead\">\(text(.codeSent(to: "d***a@example.com"))) \(text(.codeIsValid))</p>\(form("\(field)\(next)"))"
        case .aboutYou:
            page.title = .aboutYou
            let all = ["displayName", "city", "country"].map {
                page.field($0, .attribute($0), autocomplete: "off", isRequired: $0 != "city")
            }
            page.body = form("\(all)\(next)")
        case .error:
            page.title = .cannotGoOn
            page.body = "<p class=\"lead\">\(text(.wrongAddressHelp))</p>"
        }
        var response = page.response()
        response.headers[.contentSecurityPolicy] = HostedPage.policy(forms: "form-action 'none'; ")
        return response
    }
}
