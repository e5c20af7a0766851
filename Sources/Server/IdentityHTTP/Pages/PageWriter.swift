import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import PortableFoundation

/// A hosted page: a card with a title, a text and forms.
struct HostedPage: Sendable {
    var language: PageLanguage
    var brand: PageBrand
    var title: PagePhrase
    var body: HTML
    /// What the page says first, before its form.
    var problem: HostedProblem?
    var notice: PagePhrase?
    /// The scheme of an app that the form's answer may lead to.
    var formTarget: String?
    /// The address that the page leads to by itself.
    var refresh: String?
    /// Seconds before it does.
    var refreshDelay = 0
    /// The addresses that frames which are not shown open.
    var frames: [String] = []
    var isSubmittedByScript = false
    /// Whether the card has room for lists.
    var isWide = false

    func response(_ status: HTTPResponse.Status = .ok) -> Response {
        let direction = language.language.isRightToLeft ? "rtl" : "ltr"
        let heading = brand.title(title, in: language)
        let noticeText: HTML? = notice.map { "<p class=\"notice\" role=\"status\">\(language($0))</p>" }
        let full =
            (problem == nil ? "" : "\(language(.errorPrefix)): ") + heading
            + (brand.name.isEmpty ? "" : " – \(brand.name)")
        // They may run scripts, and neither move this page on nor open windows.
        let framed = frames.map { address -> HTML in
            "<iframe hidden sandbox=\"allow-scripts allow-same-origin\" src=\"\(address)\"></iframe>"
        }
        let html: HTML = """
            <!doctype html>
            <html lang="\(language.language.rawValue)" dir="\(direction)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(full)</title>
            <link rel="stylesheet" href="\(HostedAsset.style.path)">\(brand.style)
            <script src="\(HostedAsset.script.path)" defer></script>
            </head><body><main class="card\(" wide", if: isWide)">
            \(brand.head)
            <h1>\(heading)</h1>
            \(problem.map(summary))
            \(noticeText)
            \(body)
            \(brand.foot(in: language))\(framed)
            </main></body></html>

            """
        var response = Response(
            status: status, headers: Self.headers(formTarget: formTarget, frames: frames),
            body: ResponseBody(byteBuffer: ByteBuffer(string: html.text)))
        if let refresh { response.headers[HostedHeader.refresh] = "\(refreshDelay); url=\(refresh)" }
        return response
    }

    private func summary(_ problem: HostedProblem) -> HTML {
        let sentence = language(problem.phrase)
        guard let field = problem.field else {
            return "<div class=\"problem\" role=\"alert\"><p>\(sentence)</p></div>"
        }
        return "<div class=\"problem\" role=\"alert\"><p><a id=\"problem\" href=\"#\(field)\">\(sentence)</a></p></div>"
    }

    /// SEC-WEB-2, SEC-WEB-12.
    static func headers(formTarget: String?, frames: [String] = []) -> HTTPFields {
        let origins = Set(frames.compactMap { RedirectAddresses.origin(of: $0) }).sorted()
        let sources = origins.isEmpty ? "" : "frame-src \(origins.joined(separator: " ")); "
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy: policy(
                forms: "\(sources)form-action 'self'\(formTarget.map { " \($0)" } ?? ""); "),
            ConsoleHeader.referrerPolicy: "same-origin",
        ]
        headers[HostedHeader.frameOptions] = "DENY"
        headers[HostedHeader.openerPolicy] = "same-origin"
        headers[HostedHeader.resourcePolicy] = "same-origin"
        headers[HostedHeader.permissionsPolicy] =
            "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()"
        return headers
    }

    static func policy(forms: String) -> String {
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \(forms)base-uri 'none'; frame-ancestors 'none'"
    }

    // MARK: - Parts

    /// A labelled input. The name is the id, too.
    ///
    /// - Parameter attributes: Further attributes.
    func field(
        _ name: String, _ label: PagePhrase, type: String = "text", value: String = "", autocomplete: String,
        hint: PagePhrase? = nil, isRequired: Bool = true, isReadOnly: Bool = false, isFirst: Bool = false,
        attributes: HTML = ""
    ) -> HTML {
        let isBad = problem?.field == name
        let descriptions = (isBad ? ["problem"] : []) + (hint == nil ? [] : ["\(name)-hint"])
        let describedBy: HTML? =
            descriptions.isEmpty ? nil : " aria-describedby=\"\(descriptions.joined(separator: " "))\""
        // The script makes a button of it that shows the password.
        let showing: HTML? = type == "password" ? " data-show=\"\(language(.showPassword))\"" : nil
        let hintText: HTML? = hint.map { "<p class=\"hint\" id=\"\(name)-hint\">\(language($0))</p>" }
        let optional: HTML? =
            isRequired ? nil : " <span class=\"optional\">(\(language(.optional)))</span>"
        return """
            <div class="field"><label for="\(name)">\(language(label))\(optional)</label>
            \(hintText)
            <input id="\(name)" name="\(name)" type="\(type)" value="\(value)" autocomplete="\(autocomplete)"\
            \(describedBy)\(showing)\(" required", if: isRequired)\(" readonly", if: isReadOnly)\(" autofocus", if: isBad || isFirst && problem == nil)\
            \(" aria-invalid=\"true\"", if: isBad)\(attributes)></div>
            """
    }

    func button(_ action: String, _ phrase: PagePhrase, isPrimary: Bool = false, skipsChecks: Bool = false) -> HTML {
        let kind = isPrimary ? "primary" : "quiet"
        return
            "<button class=\"\(kind)\" name=\".action\" value=\"\(action)\"\(" formnovalidate", if: skipsChecks)>\(language(phrase))</button>"
    }
}

enum HostedHeader {
    /// The literals are tokens of RFC 9110, so none of these is nil.
    static let refresh = HTTPField.Name("Refresh")!
    static let frameOptions = HTTPField.Name("X-Frame-Options")!
    static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}

/// The style and the script of hosted pages. Their names change with their content, so browsers keep them.
enum HostedAsset: CaseIterable {
    case style
    case script

    private static let names = (
        style: name(PackageResources.pages_css, "css"), script: name(PackageResources.pages_js, "js")
    )

    var path: String {
        switch self {
        case .style: "/web/\(Self.names.style)"
        case .script: "/web/\(Self.names.script)"
        }
    }

    var response: Response {
        let (bytes, type) =
            switch self {
            case .style: (PackageResources.pages_css, "text/css; charset=utf-8")
            case .script: (PackageResources.pages_js, "text/javascript; charset=utf-8")
            }
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func name(_ bytes: [UInt8], _ kind: String) -> String {
        "pages-\(Vault.checksum(Data(bytes)).prefix(6).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()).\(kind)"
    }
}
