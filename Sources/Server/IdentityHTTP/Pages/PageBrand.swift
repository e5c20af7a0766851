import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import PortableFoundation

/// What a tenant gives its hosted pages: a name, and what differs from the usual look.
struct PageBrand: Sendable {
    var name: String
    var pages: TenantPages
    /// The path of the tenant's style and pictures, without the ending; nil when it has none.
    var theme: String?

    /// On pages that belong to no tenant.
    static let none = PageBrand(name: "", pages: .unchanged)

    init(name: String, pages: TenantPages, theme: String? = nil) {
        self.name = name
        self.pages = pages
        self.theme = theme
    }

    /// - Parameter path: The tenant's part of paths.
    init(_ tenant: Tenant, at path: String) {
        self.init(
            name: tenant.displayName, pages: tenant.pages,
            theme: tenant.pagesVersion.map { "\(path)/theme/\($0)" })
    }

    var style: HTML? {
        guard let theme, !pages.colours.isEmpty else { return nil }
        return "<link rel=\"stylesheet\" href=\"\(theme).css\">"
    }

    /// The top of a page.
    var head: HTML? {
        guard let theme, pages.logo != nil else { return name.isEmpty ? nil : "<p class=\"brand\">\(name)</p>" }
        let dark: HTML? =
            pages.darkLogo == nil
            ? nil : "<source srcset=\"\(theme)-dark.png\" media=\"(prefers-color-scheme:dark)\">"
        return "<p class=\"brand\"><picture>\(dark)<img src=\"\(theme).png\" alt=\"\(name)\"></picture></p>"
    }

    /// The tenant's own title of a page.
    func title(_ phrase: PagePhrase, in language: PageLanguage) -> String {
        let text: TenantPages.Text? =
            switch phrase {
            case .signIn: .signIn
            case .createAccount: .createAccount
            case _: nil
            }
        return text.flatMap { pages.texts[language.language]?[$0] } ?? language(phrase)
    }

    /// The foot of a page. Links open beside it: what was typed stays.
    func foot(in language: PageLanguage) -> HTML? {
        let help: HTML? = pages.texts[language.language]?[.help].map { "<p>\($0)</p>" }
        let links = TenantPages.Link.allCases.compactMap { link -> HTML? in
            guard let address = pages.links[link] else { return nil }
            let phrase: PagePhrase =
                switch link {
                case .privacy: .privacy
                case .terms: .terms
                case .support: .support
                }
            return
                "<li><a href=\"\(address)\" target=\"_blank\" rel=\"noopener noreferrer\">\(language(phrase))</a></li>"
        }
        guard help != nil || !links.isEmpty else { return nil }
        let list: HTML? = links.isEmpty ? nil : "<ul>\(links)</ul>"
        return "<footer class=\"foot\">\(help)\(list)</footer>"
    }
}

// The style and the pictures of a tenant.
extension IdentityRoutes {
    /// `VERSION.css`, `VERSION.png` and `VERSION-dark.png`. A picture is told by its bytes: the ending says nothing of its form.
    /// Another node can have newer settings for a moment: an old name gets what is there now, and is not kept.
    func theme(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let tenant = try await tenant(context)
        let name = try context.parameters.require("name")
        guard let dot = name.lastIndex(of: ".") else { throw RequestFault.unknownPath }
        let isDark = name[..<dot].hasSuffix("-dark")
        let version = isDark ? name[..<dot].dropLast(5) : name[..<dot]
        let pages = tenant.pages
        let bytes: ByteBuffer
        let type: String
        switch (name[dot...], isDark) {
        case (".css", false): (bytes, type) = (ByteBuffer(string: pages.style), "text/css; charset=utf-8")
        case (".png", _):
            guard let logo = isDark ? pages.darkLogo : pages.logo else { throw RequestFault.unknownPath }
            (bytes, type) = (ByteBuffer(bytes: logo.bytes), logo.form.rawValue)
        case _: throw RequestFault.unknownPath
        }
        let isCurrent = tenant.pagesVersion.map { $0 == version } ?? false
        var headers: HTTPFields = [
            .contentType: type, .cacheControl: isCurrent ? "public, max-age=31536000, immutable" : "no-store",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
        ]
        headers[HostedHeader.resourcePolicy] = "same-origin"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
