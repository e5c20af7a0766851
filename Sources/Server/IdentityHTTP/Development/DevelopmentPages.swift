import HTTPTypes
import Hummingbird
package import IdentityEngine
import NIOCore
import NativeAuthWire
package import PortableFoundation

/// The pages of the development profile: a home page for the first steps, and the inbox with every code that was sent.
/// They do not exist in production (`SEC-PRF-1`).
package struct DevelopmentPages: Sendable {
    /// The mails to one address or to all, newest first, each with the members of design record 0014: `to`, `subject`,
    /// `code`, `text`, `sentAt`.
    package typealias Inbox = @Sendable (_ recipient: String?) async -> any Encodable & Sendable

    /// An ID token of the provider that this server plays.
    package typealias ProviderTokens =
        @Sendable (
            _ email: String, _ nonce: String, _ client: String, _ now: Date
        ) throws -> String

    let baseURL: String
    let tenants: @Sendable () -> TenantDirectory
    private let mails: Inbox
    private let calls: DevelopmentCalls?
    let samples: MailSample.Source?
    let provider: ProviderTokens?
    /// Nil: only this machine reaches the pages.
    let lock: InboxLock?
    /// The unknown attribute names that apps sent, for the home page.
    let unknownAttributes = UnknownAttributeList()

    /// - Parameters:
    ///   - baseURL: The server's base URL as clients use it, without a trailing slash.
    ///   - tenants: Returns the current tenants for the home page.
    ///   - mails: The mails of the inbox.
    ///   - calls: The calls of receivers; nil: there is no page of them.
    ///   - samples: The mails of a tenant; nil: there is no page of them.
    ///   - provider: Makes the tokens of the sample provider; nil: there is none.
    ///   - lock: Asks for a code before the pages below `/dev`, but not before the sample API, which apps call.
    package init(
        baseURL: String, tenants: @escaping @Sendable () -> TenantDirectory, mails: @escaping Inbox,
        calls: DevelopmentCalls? = nil, samples: MailSample.Source? = nil, provider: ProviderTokens? = nil,
        lock: InboxLock? = nil
    ) {
        self.baseURL = baseURL
        self.tenants = tenants
        self.mails = mails
        self.calls = calls
        self.samples = samples
        self.provider = provider
        self.lock = lock
    }

    func home() -> Response { Self.html(homePage(of: tenants().entries)) }

    func inbox() -> Response { Self.html(Self.inboxPage) }

    func inboxJSON(_ request: Request) async -> Response {
        let mails = await mails(request.uri.queryParameters["to"].map { String($0) })
        do {
            return Response(
                status: .ok,
                headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try WireJSON.encode(mails))))
        } catch {
            return Response(status: .internalServerError)
        }
    }

    func hooks() -> Response { Self.html(hooksPage(calls?.last() ?? [])) }

    /// Sends the request of a call again, then shows the page: POST, 303, GET. A page of another site cannot ask for it.
    func sendAgain(_ request: Request) async throws -> Response {
        try refuseOtherSites(request)
        let form = try await IdentityRoutes.form(of: request)
        let given: String?
        do {
            given = try form.single("call")
        } catch {
            throw RequestFault.malformed(error)
        }
        guard let number = given.flatMap({ Int($0) }) else { throw RequestFault.invalid(parameter: "call") }
        await calls?.again(number)
        return Response(status: .seeOther, headers: [.location: "/dev/hooks", .cacheControl: "no-store"])
    }

    /// - Throws: ``RequestFault/misdirected`` for a request that a page of another site made.
    func refuseOtherSites(_ request: Request) throws {
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == nil || site == "same-origin" else { throw RequestFault.misdirected }
        // A browser that does not say the first says the second.
        if site == nil, let origin = request.headers[.origin], origin != baseURL { throw RequestFault.misdirected }
    }

    static func html(_ page: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6572;--line:#d9dee4;--paper:#fff;--tint:#f4f6f9;--accent:#b4531a}
        @media(prefers-color-scheme:dark){:root{--ink:#e8ebef;--soft:#a2adba;--line:#333c47;--paper:#14181d;--tint:#1d232a;--accent:#f09a5f}}
        *{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
        main{max-width:860px;margin:0 auto;padding:32px 20px 64px}header{display:flex;gap:14px;align-items:center}
        h1{font-size:28px;margin:0}h2{font-size:18px;margin:34px 0 10px}a{color:var(--accent)}
        .badge{margin:0;padding:2px 10px;border:1px solid var(--accent);border-radius:99px;color:var(--accent);font-size:13px}
        code{overflow-wrap:anywhere}code,pre{font:13.5px/1.5 ui-monospace,Menlo,Consolas,monospace}pre{background:var(--tint);border:1px solid var(--line);border-radius:8px;padding:14px;overflow:auto}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14.5px}th,td{text-align:left;padding:8px 14px 8px 0;border-bottom:1px solid var(--line)}
        th{color:var(--soft);font-weight:500}.note{color:var(--soft);font-size:14.5px}
        .mail{border:1px solid var(--line);border-radius:10px;padding:14px 18px;margin:14px 0}.mail.new{border-color:var(--accent)}
        .mail h3{margin:0;font-size:16px;font-weight:600}.mail .meta{color:var(--soft);font-size:14px;margin:2px 0 8px}
        .code{font:600 30px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:3px;user-select:all;margin:6px 0}
        details{color:var(--soft);font-size:14.5px}.empty{color:var(--soft);border:1px dashed var(--line);border-radius:10px;padding:28px;text-align:center}
        """
}
