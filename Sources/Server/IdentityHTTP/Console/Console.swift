import HTTPTypes
import Hummingbird
package import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// The operators' page: what one needs to run the tenants, in a browser.
///
/// A request goes: router → ``admit(_:_:_:)`` says who asks and whether they may → a page of this folder asks the engine or
/// the store → ``HTML``. Each page works without script.
package struct Console: Sendable {
    /// What the console asks the database.
    package typealias Store = any DirectoryStore & ActivityStore & AuditStore

    /// The engine of the tenants.
    let engine: Engine
    let operators: Operators
    let store: Store
    let tenants: @Sendable () -> TenantDirectory
    /// Facts about this node, in the order of the page: name and value, none of them secret.
    let facts: @Sendable () async -> [Fact]
    let keys: Keys
    let editor: any TenantEditor
    /// The texts of all mails of a tenant in a language.
    let mailSamples: MailSample.Source
    /// In the development profile every visitor of this machine is the owner: the inbox shows all codes there anyway.
    let isDevelopment: Bool
    /// The address of the listener for apps, for snippets.
    let appBaseURL: String
    /// The address of the listener with the console.
    let baseURL: String
    let searches = SearchGate()
    /// In place of the cookie in the development profile, where visitors have none.
    private let developmentCookie: Secret<String>

    /// A fact about the node that answers.
    package struct Fact: Hashable, Sendable {
        package enum State: Hashable, Sendable {
            case good, bad, neutral
        }

        var group: String
        var name: String
        var value: String
        /// In place of the value.
        var date: Date?
        var state: State

        package init(_ group: String, _ name: String, _ value: String, _ state: State = .neutral) {
            self.group = group
            self.name = name
            self.value = value
            self.state = state
        }

        package init(_ group: String, _ name: String, _ date: Date) {
            self.init(group, name, "")
            self.date = date
        }
    }

    package init(
        engine: Engine, operators: Operators, store: Store, tenants: @escaping @Sendable () -> TenantDirectory,
        facts: @escaping @Sendable () async -> [Fact], keys: Keys, editor: any TenantEditor,
        mailSamples: @escaping MailSample.Source, isDevelopment: Bool,
        appBaseURL: String,
        baseURL: String
    ) {
        self.engine = engine
        self.operators = operators
        self.store = store
        self.tenants = tenants
        self.facts = facts
        self.keys = keys
        self.editor = editor
        self.mailSamples = mailSamples
        self.isDevelopment = isDevelopment
        self.appBaseURL = appBaseURL
        self.baseURL = baseURL
        developmentCookie = operators.cookie()
    }

    /// Who asks.
    struct Visitor: Sendable {
        /// Nil: not signed in.
        var role: OperatorRole?
        /// Nil in the development profile.
        var user: UserID?
        var email: String?
        /// When both factors were proven; nil in the development profile.
        var provenAt: Date?
        /// The value of the cookie, of a session or of a visitor who is not signed in.
        var cookie: Secret<String>
        /// Whether the visitor's browser has the cookie already.
        var hasCookie = true
        /// What each form of this visitor carries, so that a page of another site cannot send one.
        var formToken: String

        func may(_ route: ConsoleRoute) -> Bool {
            switch route.need {
            case .nothing: true
            case .session: role != nil
            case .permission(let permissions): role.map { !permissions.isDisjoint(with: $0.permissions) } ?? false
            case .owner: role == .owner
            }
        }
    }

    func visitor(_ request: Request, now: Date) async throws -> Visitor {
        guard !isDevelopment else {
            return Visitor(
                role: .owner, cookie: developmentCookie, formToken: Self.formToken(of: developmentCookie))
        }
        guard let cookie = Self.cookie(of: request) else {
            let new = operators.cookie()
            return Visitor(cookie: new, hasCookie: false, formToken: Self.formToken(of: new))
        }
        // A page that follows events asks without the operator.
        let isUse = request.headers[ConsoleHeader.background] == nil
        let found = try await operators.operatorSignedIn(by: cookie, isUse: isUse, now: now)
        return Visitor(
            role: found?.role, user: found?.user, email: found?.email, provenAt: found?.provenAt, cookie: cookie,
            formToken: Self.formToken(of: cookie))
    }

    /// A page where a sign-in begins: it gives the browser a cookie, to which the forms are bound.
    func gate(_ html: HTML, _ visitor: Visitor) -> Response {
        var response = Self.page(html)
        if !visitor.hasCookie { response.headers[.setCookie] = cookieField(visitor.cookie.reveal()) }
        return response
    }

    static func cookie(of request: Request) -> Secret<String>? { request.cookie(cookieName) }

    private static let cookieName = "console"

    /// `Secure` is left out where the listener speaks plain HTTP on loopback, since browsers do not all send such a cookie. It
    /// is of no use to another site (`SameSite`), and no script reads it.
    func cookieField(_ value: String, lifetime: Int? = nil) -> String {
        "\(Self.cookieName)=\(value); Path=/console; HttpOnly; SameSite=Strict"
            + (baseURL.hasPrefix("https:") ? "; Secure" : "") + (lifetime.map { "; Max-Age=\($0)" } ?? "")
    }

    /// A digest of the cookie, the same on all nodes: who does not have the cookie does not have it either.
    private static func formToken(of cookie: Secret<String>) -> String {
        Base64URL.encode(Vault.fingerprint([Data("console form".utf8), Data(cookie.reveal().utf8)]).prefix(16))
    }

    /// The visitor, if the route is for them.
    ///
    /// - Returns: A response in place of a visitor who has to sign in first.
    func admit(
        _ route: ConsoleRoute, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> (visitor: Visitor, elsewhere: Response?) {
        let visitor = try await visitor(request, now: context.trace.at)
        guard route.need != .nothing else { return (visitor, nil) }
        guard visitor.role != nil else {
            return (visitor, Self.redirect(to: Self.signInPath(for: request)))
        }
        guard visitor.may(route) else { throw ConsoleFault.forbidden }
        if route.needsFreshProof {
            // A download leaves a line in the trail, so another site cannot ask for one either.
            let site = Self.site(of: request)
            guard site == nil || site == "same-origin" || site == "none" else { throw RequestFault.misdirected }
            if !hasFreshProof(visitor, context) { return (visitor, Self.proveAgain(for: request)) }
        }
        return (visitor, nil)
    }

    /// Whether both factors were proven in the last ten minutes (`SEC-ADM-3`).
    func hasFreshProof(_ visitor: Visitor, _ context: IdentityRequestContext) -> Bool {
        visitor.provenAt.map { context.trace.at.timeIntervalSince($0) <= Operators.freshProof } ?? true
    }

    /// The sign-in page, which goes on to the page of the form or the link.
    static func proveAgain(for request: Request) -> Response {
        let page = request.headers[ConsoleHeader.referrer].flatMap { referrer in
            referrer.firstRange(of: "/console/").map { local(String(referrer[$0.lowerBound...])) }
        }
        return redirect(to: "/console/sign-in?again=1" + (page.map { "&" + query([("next", $0)]) } ?? ""))
    }

    private static func site(of request: Request) -> String? {
        HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    }

    /// The sign-in page, which goes on to what was asked for.
    private static func signInPath(for request: Request) -> String {
        guard request.method == .get, request.uri.path != "/console" else { return "/console/sign-in" }
        return "/console/sign-in?" + query([("next", local(request.uri.string))])
    }

    /// The form of a POST, if the visitor's own page sent it (`SEC-WEB-4`).
    func form(of request: Request, by visitor: Visitor) async throws -> FormFields {
        let site = Self.site(of: request)
        guard site == nil || site == "same-origin" else { throw RequestFault.misdirected }
        if let origin = request.headers[.origin], let authority = request.head.authority {
            guard origin == "http://\(authority)" || origin == "https://\(authority)" else {
                throw RequestFault.misdirected
            }
        }
        let form = try await IdentityRoutes.form(of: request)
        guard try Self.value("form", of: form) == visitor.formToken else { throw ConsoleFault.staleForm }
        return form
    }

    static func optional(_ name: String, of form: FormFields) throws -> String? {
        do {
            return try form.single(name)
        } catch {
            throw RequestFault.malformed(error)
        }
    }

    static func value(_ name: String, of form: FormFields) throws -> String {
        do {
            // Browsers end the lines of a text area with two characters.
            return (try form.single(name) ?? "").replacing("\r\n", with: "\n")
        } catch {
            throw RequestFault.malformed(error)
        }
    }

    /// The tenant of the path.
    func tenant(_ context: IdentityRequestContext) throws -> TenantDirectory.Entry {
        let name = try context.parameters.require("tenant").lowercased()
        let found = tenants().entries.first {
            [$0.tenant.subdomain, $0.tenant.domain, $0.tenant.id.description].contains(name)
        }
        guard let found else { throw ConsoleFault.missing }
        return found
    }

    func actor(_ visitor: Visitor, _ context: IdentityRequestContext) -> Operator {
        Operator(user: visitor.user, source: context.source?.forEngine)
    }

    // MARK: - Answers

    static func redirect(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
    }

    static func page(_ html: HTML, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                ConsoleHeader.referrerPolicy: "same-origin",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html.text)))
    }

    static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func download(_ bytes: some Sequence<UInt8>, named name: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A query of a URL: every byte but letters, digits and `-._~` is percent-encoded.
    static func query(_ pairs: [(String, String)]) -> String {
        pairs.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            case _:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why the console shows an error page, besides the faults that every route has.
enum ConsoleFault: Error, Hashable, Sendable, CaseIterable {
    /// The role does not allow it.
    case forbidden
    /// There is no such page, tenant, user or application.
    case missing
    /// The form is from before the sign-in or the restart.
    case staleForm
    /// What the form changes has changed in the meantime.
    case changedMeanwhile
}

enum ConsoleHeader {
    /// The literals are tokens of RFC 9110, so none of these is nil.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let referrer = HTTPField.Name("Referer")!
    static let background = HTTPField.Name("X-Console-Background")!
}
