import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Hosted pages: a third way to the engine, beside the native endpoints. A form becomes a command, an outcome becomes a page,
// and the end of a flow is a session and an authorization code (design record 0033).
//
// GET authorize: the first page, or the answer. POST a page: one step of the engine, then 303 to GET the page of the new
// state. The state lies sealed in a cookie; the address holds a handle only.
extension IdentityRoutes {
    /// The authorization endpoint (RFC 6749 section 3.1, OpenID Connect Core 1.0 section 3.1.2.1).
    func authorize(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        try await paged(request, context) {
            if request.method == .post { return try await authorizeByPost(request, context) }
            let visit = try await visit(request, context)
            let fields: FormFields
            do {
                fields = try FormFields(decoding: (request.uri.query ?? "").utf8)
            } catch {
                throw HostedFault.authorize(.malformed)
            }
            return try await authorize(fields, visit)
        }
    }

    /// On a POST from another site the session's cookie does not travel; on the GET that follows it does (`OIDC-20`).
    private func authorizeByPost(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let form = try await Self.pageForm(of: request)
        let address = "\(request.uri.path)?\(form.encoded)"
        guard address.utf8.count <= RequestGuard.longestURI else { throw RequestFault.uriTooLong }
        return Self.seeOther(engine.settings.baseURL + address)
    }

    /// The fields of a form whose parameters may also be in a query.
    static func pageForm(of request: Request) async throws -> FormFields {
        guard MediaType.isForm(request.headers[.contentType]) else { throw RequestFault.wrongContentType }
        do {
            return try FormFields(decoding: try await RequestGuard.body(of: request).readableBytesView)
        } catch let error as FormError {
            throw RequestFault.malformed(error)
        }
    }

    private func authorize(_ asked: FormFields, _ visit: HostedVisit) async throws -> Response {
        let pushed = try await pushedFields(asked, visit)
        let fields = pushed ?? asked
        let (id, redirect): (ClientID, String)
        do throws(AuthorizePageFault) {
            (id, redirect) = try AuthorizeCodec.client(fields)
        } catch {
            throw HostedFault.authorize(error)
        }
        guard let client = try await engine.application(named: id, in: visit.tenant) else {
            throw HostedFault.authorize(.unknownClient)
        }
        guard client.isOpen(for: .browser) else { throw HostedFault.authorize(.notForBrowsers, from: client) }
        guard let kind = client.redirects.accepts(redirect) else {
            throw HostedFault.authorize(.redirectNotRegistered, from: client, redirect: redirect)
        }
        // From here on the client gets every error. A hint that is not ours says nothing.
        let hint = try await hint(fields, visit)
        let request: AuthorizationRequest
        do throws(AuthorizeError) {
            if client.web.requiresPushedRequests, pushed == nil {
                throw AuthorizeError.invalid("This application must push its requests (RFC 9126).")
            }
            request = try AuthorizeCodec.request(
                fields, client, redirect: redirect, kind: kind, baseURL: engine.settings.baseURL,
                hinted: hint.flatMap { $0.client == id ? $0.subject : nil })
        } catch {
            return answer(
                .error(error, to: AuthorizeCodec.answer(fields, redirect: redirect), issuer: visit.issuer),
                in: visit.language)
        }
        var visit = visit
        visit.client = client
        visit.language = Self.language(fields, visit)
        // A question of a ticket is one, too.
        let isSilent = request.prompts.contains(.none)
        let ticket = isSilent ? nil : try await take(asked, for: id, challenge: request.challenge, &visit)
        if case .asks(let question) = ticket {
            return try store(
                HostedFlow(
                    request, .fromApp(question), language: visit.language.language.rawValue, now: visit.now),
                HostedHandle.new(visit.now, engine.ports.randomness), visit)
        }
        // The ticket stays in no address.
        let isReloadable = pushed == nil && ticket == nil
        return opening(ticket, try await answer(request, isReloadable: isReloadable, visit), visit)
    }

    /// The answer to a request, or the page of its flow.
    ///
    /// - Parameter isReloadable: Whether the address of the request works again.
    private func answer(
        _ request: AuthorizationRequest, isReloadable: Bool, _ visit: HostedVisit
    ) async throws -> Response {
        let (verdict, code) = try await engine.authorize(
            request, as: visit.signIn, in: visit.caller(request.client, .browser))
        // A user who left the page of the used up codes comes back by the session that the sign-in began.
        let needsCodes =
            code == nil || request.prompts.contains(.none)
            ? false : try await visit.renewal(of: visit.signIn, cookie: nil) == .demanded
        if let code, !needsCodes {
            return answer(.code(code, to: request.answer, issuer: visit.issuer), in: visit.language)
        }
        let step: HostedStep
        switch verdict {
        case .refused(let refusal):
            return answer(
                .error(AuthorizeError(refusal), to: request.answer, issuer: visit.issuer), in: visit.language)
        case .signIn: step = .enterName(isSignUp: false)
        case .signUp: step = .enterName(isSignUp: true)
        case .confirm, .stepUp: step = .confirm
        case .code:
            guard needsCodes else { throw EngineError.broken("a verdict without its code") }
            step = .renewCodes(asks: false)
        }
        var flow = HostedFlow(
            request, step, language: visit.language.language.rawValue, now: visit.now)
        if step == .confirm { flow.shown = visit.signIn?.account.user.id }
        if needsCodes { flow.session = visit.signIn?.session.id }
        let handle = HostedHandle.new(visit.now, engine.ports.randomness)
        // The address works once: the page has one of its own, so that a reload finds it.
        if !isReloadable { return try store(flow, handle, visit) }
        return try await page(flow, handle, visit, isFirst: true)
    }

    /// The ID token that comes back as a hint; nil when there is none of ours.
    func hint(_ fields: FormFields, _ visit: HostedVisit) async throws -> IDTokenHint? {
        let text: String?
        do {
            text = try fields.single("id_token_hint")
        } catch {
            return nil
        }
        guard let text, !text.isEmpty else { return nil }
        return try await engine.hint(Secret(text), in: visit.tenant)
    }

    static func language(_ fields: FormFields, _ visit: HostedVisit) -> PageLanguage {
        do {
            return PageLanguage(try fields.list("ui_locales") ?? [], accepted: visit.accepted)
        } catch {
            return visit.language
        }
    }

    /// A page of a flow: GET shows its state, POST takes its step.
    func hosted(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        try await paged(request, context) {
            var visit = try await visit(request, context)
            let handle = try context.parameters.require("handle")
            guard HostedHandle.isHandle(handle) else { throw HostedFault.unknownFlow }
            if request.method == .post { return try await takeStep(request, handle, &visit) }
            guard let sealed = visit.cookies.flow(handle) else { throw HostedFault.unknownFlow }
            let flow = try await open(sealed, handle, "cookie", &visit)
            // The key of a new app is shown to the session that asked for it, as long as that lives.
            if flow.step.changesAccount, flow.session != visit.signIn?.session.id { throw HostedFault.unknownFlow }
            return try await page(flow, handle, visit)
        }
    }

    func open(
        _ sealed: String, _ handle: String, _ place: String, _ visit: inout HostedVisit
    ) async throws -> HostedFlow {
        let flow = await engine.open(
            sealed, at: [place, handle], in: visit.tenant.id, as: HostedFlow.self, now: visit.now)
        guard let flow else { throw HostedFault.unknownFlow }
        guard visit.now < flow.expiresAt else { throw HostedFault.tooOld }
        if flow.account != nil {
            guard let client = try await engine.accountPage(of: visit.tenant) else { throw HostedFault.unknownFlow }
            visit.client = client
        } else {
            guard let client = try await engine.application(named: flow.request.client, in: visit.tenant),
                client.isOpen(for: .browser),
                flow.request.device == nil
                    ? client.redirects.accepts(flow.request.redirect) != nil : client.web.allowsDeviceFlow
            else { throw HostedFault.authorize(.redirectNotRegistered) }
            visit.client = client
        }
        if let language = flow.language { visit.language = PageLanguage([language], accepted: visit.accepted) }
        return flow
    }

    private func takeStep(_ request: Request, _ handle: String, _ visit: inout HostedVisit) async throws -> Response {
        try Self.checkSite(request, baseURL: engine.settings.baseURL)
        let form = try await Self.pageForm(of: request)
        guard let browser = visit.cookies.browser else { throw HostedFault.noCookies }
        var flow: HostedFlow
        if let sealed = visit.cookies.flow(handle) {
            flow = try await open(sealed, handle, "cookie", &visit)
        } else if let sealed = try Console.optional(".flow", of: form) {
            flow = try await open(sealed, handle, "form", &visit)
        } else {
            throw HostedFault.unknownFlow
        }
        let number = try Console.value(".number", of: form)
        guard
            engine.isFormToken(
                try Console.value(".form", of: form), ["form", handle, number, browser], in: visit.tenant.id)
        else { throw HostedFault.foreignForm }
        // A form of an earlier page: its step is done.
        guard number == "\(flow.number)" else {
            return Self.seeOther("\(visit.path)/web/\(handle)?\(HostedNotice.again.rawValue)")
        }
        if flow.step == .enterName(isSignUp: false), try Console.value(".action", of: form) == "suggest" {
            let driver = HostedDriver(routes: self, visit: visit, request: request, handle: handle)
            guard let suggestion = try await driver.suggestion(in: flow) else {
                return Response(status: .noContent, headers: [.cacheControl: "no-store"])
            }
            var response = Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: suggestion.options)))
            for field in try fields(of: suggestion.flow, handle, visit) {
                response.headers.append(HTTPField(name: .setCookie, value: field))
            }
            return response
        }
        var ticket: TicketVerdict?
        if case .fromApp(let question) = flow.step {
            let answered = try await answer(question, by: form, &flow, handle, &visit)
            ticket = answered.verdict
            if let response = answered.response { return opening(ticket, response, visit) }
        }
        let driven = try await HostedDriver(routes: self, visit: visit, request: request, handle: handle).take(
            form, flow)
        return opening(ticket, try await respond(to: driven, form, flow, handle, visit), visit)
    }

    func respond(
        to driven: HostedResult, _ form: FormFields, _ flow: HostedFlow, _ handle: String, _ visit: HostedVisit
    ) async throws -> Response {
        switch driven {
        case .progress(var next):
            next.number = flow.number + 1
            return try store(next, handle, visit, notice: next.step == flow.step ? .sent : nil)
        case .refused(let problem, var same):
            let isFirst = visit.cookies.flow(handle) == nil
            // A refused passkey has a new challenge.
            let isOther = same.step != flow.step
            if isOther { same.number = flow.number + 1 }
            var response = try await page(same, handle, visit, problem: problem, typed: form, isFirst: isFirst)
            // The address is now that of the flow, so a reload must find it.
            if isFirst || isOther {
                for field in try fields(of: same, handle, visit) {
                    response.headers.append(HTTPField(name: .setCookie, value: field))
                }
            }
            return response
        case .finished(let ticket, var next):
            next.number = flow.number + 1
            next.token = nil
            guard let code = ticket.code else {
                return setting(ticket, try backToAccount(next, handle, visit), visit)
            }
            // A user who has just signed in may not have seen yet what another organisation's application asks for. The code
            // of the sign-in is then not given.
            // Nor has a user who answers a device: only their own answer ends that flow.
            let isAnswered = flow.step == .confirm || flow.step.isAboutCodes
            let signIn = isAnswered ? visit.signIn : try await self.signIn(after: ticket, visit)
            let consents = isAnswered ? false : try await asksForConsent(flow.request, as: signIn, visit)
            let asks = !isAnswered && (consents || flow.request.device != nil)
            let renewal = try await visit.renewal(of: signIn, cookie: ticket.cookie, at: flow.step)
            if asks || renewal != .none {
                next.step = renewal == .none ? .confirm : .renewCodes(asks: asks)
                next.shown = nil
                if flow.request.device == nil {
                    // The question is for this sign-in, which is as fresh as the client wants it; another one starts again.
                    next.session = signIn?.session.id
                    next.request.prompts.removeAll { $0 == .login }
                    next.request.maxAge = nil
                }
                return setting(ticket, try store(next, handle, visit), visit)
            }
            next.step = .answered(code: code.reveal(), at: visit.now)
            let answer = ClientAnswer.code(code, to: flow.request.answer, issuer: visit.issuer)
            let response =
                answer.isForProgram
                ? Self.leaving(answer.address, try fields(of: next, handle, visit)) : try store(next, handle, visit)
            return setting(ticket, response, visit)
        case .codes(let codes, let same):
            // The next form comes to the address of the flow, so the browser must have its state.
            var response = try await page(same, handle, visit, codes: codes)
            for field in try fields(of: same, handle, visit) {
                response.headers.append(HTTPField(name: .setCookie, value: field))
            }
            return response
        case .changed(var next):
            next.number = flow.number + 1
            next.token = nil
            // The page of the methods asks for the new method at once; the code of an app of this moment is spent.
            if case .addApp = flow.step { next.account = .overview }
            if case .createPasskey = flow.step { next.account = .overview }
            return try backToAccount(next, handle, visit, notice: .saved)
        case .gaveUp(let notice):
            return leave(flow, handle, visit, notice: notice)
        case .answered(let error): return try await end(flow, handle, visit, with: error)
        }
    }

    /// A flow ends without an answer of the engine: the client gets an error, and the account page is shown as it is.
    func end(
        _ flow: HostedFlow, _ handle: String, _ visit: HostedVisit, with error: AuthorizeError
    ) async throws -> Response {
        if flow.account != nil { return leave(flow, handle, visit, notice: nil) }
        var response = answer(
            .error(error, to: flow.request.answer, issuer: visit.issuer), in: visit.language,
            page: { HostedPage.moving(visit, to: $0) })
        for name in visit.cookies.endingFlow(handle) {
            response.headers.append(HTTPField(name: .setCookie, value: name))
        }
        return response
    }

    /// The end of a flow of the account page. The browser keeps the state, so that a second form, and the way back, find it.
    private func backToAccount(
        _ flow: HostedFlow, _ handle: String, _ visit: HostedVisit, notice: HostedNotice? = nil
    ) throws -> Response {
        var flow = flow
        flow.step = .answered(code: "", at: visit.now)
        var response = Self.seeOther(visit.path(of: flow.account ?? .overview, notice))
        for field in try fields(of: flow, handle, visit) {
            response.headers.append(HTTPField(name: .setCookie, value: field))
        }
        return response
    }

    /// The user cancels a flow of the account page, or it ends without a change.
    private func leave(
        _ flow: HostedFlow, _ handle: String, _ visit: HostedVisit, notice: HostedNotice?
    ) -> Response {
        // Without a session the account page would ask for the sign-in that the user has just cancelled.
        let isOut = notice == nil && visit.signIn == nil
        let address =
            isOut
            ? "\(visit.path)/\(MetadataEndpoint.logout.rawValue)"
            : visit.path(of: notice == nil ? .overview : flow.account ?? .overview, notice)
        var response = Self.seeOther(address)
        for field in visit.cookies.endingFlow(handle) {
            response.headers.append(HTTPField(name: .setCookie, value: field))
        }
        return response
    }

    /// The session that a browser has after a sign-in.
    private func signIn(after ticket: BrowserTicket, _ visit: HostedVisit) async throws -> BrowserSignIn? {
        guard let cookie = ticket.cookie else { return visit.signIn }
        return try await engine.browserSignIn(cookie, in: visit.tenant, now: visit.now)
    }

    private func asksForConsent(
        _ request: AuthorizationRequest, as signIn: BrowserSignIn?, _ visit: HostedVisit
    ) async throws -> Bool {
        guard let client = visit.client, client.web.isThirdParty else { return false }
        if request.prompts.contains(.consent) { return true }
        return try await engine.lacksConsent(request, as: signIn, to: client, in: visit.tenant)
    }

    private func setting(_ ticket: BrowserTicket, _ response: Response, _ visit: HostedVisit) -> Response {
        var response = response
        var fields: [String] = []
        if let cookie = ticket.cookie {
            fields.append(visit.cookies.settingSession(cookie, lifetime: ticket.cookieLifetime))
        }
        if let device = ticket.device { fields += visit.cookies.settingDevice(device) }
        for field in fields { response.headers.append(HTTPField(name: .setCookie, value: field)) }
        return response
    }

    /// Only our own pages send forms here (`SEC-WEB-4`, `SEC-WEB-20`).
    static func checkSite(_ request: Request, baseURL: String) throws {
        if let site = request.headers[HostedHeader.fetchSite], site != "same-origin" { throw HostedFault.foreignForm }
        guard let origin = request.headers[.origin] else { return }
        let own = baseURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        let asked = request.head.authority.map { "\(own.first ?? "")//\($0)" }
        guard origin == own.joined(separator: "/") || origin == asked else { throw HostedFault.foreignForm }
    }

    // MARK: - Answers

    /// - Parameter notice: What the next page says first.
    func store(
        _ flow: HostedFlow, _ handle: String, _ visit: HostedVisit, notice: HostedNotice? = nil
    ) throws -> Response {
        var response = Self.seeOther("\(visit.path)/web/\(handle)" + (notice.map { "?\($0.rawValue)" } ?? ""))
        for field in try fields(of: flow, handle, visit) {
            response.headers.append(HTTPField(name: .setCookie, value: field))
        }
        return response
    }

    private func fields(of flow: HostedFlow, _ handle: String, _ visit: HostedVisit) throws -> [String] {
        let sealed = try engine.seal(flow, at: ["cookie", handle], in: visit.tenant.id)
        guard let fields = visit.cookies.settingFlow(handle, sealed) else { throw HostedFault.tooMuch }
        return fields
    }

    static func seeOther(_ address: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: address, .cacheControl: "no-store", ConsoleHeader.referrerPolicy: "no-referrer"])
    }

    private static func leaving(_ address: String, _ cookies: [String]) -> Response {
        var response = seeOther(address)
        for field in cookies { response.headers.append(HTTPField(name: .setCookie, value: field)) }
        return response
    }

    /// The answer goes to the client: by a redirect, by a form, or, after a form of ours, by a page that moves on, since some
    /// browsers apply the form's policy to all redirects that follow it (`SEC-WEB-12`).
    ///
    /// - Parameter page: The page that moves on; nil for an answer without a form of ours before it.
    private func answer(
        _ answer: ClientAnswer, in language: PageLanguage, page: ((String) -> Response)? = nil
    ) -> Response {
        if answer.to.mode == .formPost { return HostedPage.posting(answer, in: language) }
        if !answer.isForProgram, let page { return page(answer.address) }
        return Self.seeOther(answer.address)
    }

    /// The page of a flow's state.
    func page(
        _ flow: HostedFlow, _ handle: String, _ visit: HostedVisit, problem: HostedProblem? = nil,
        typed: FormFields? = nil, isFirst: Bool = false, codes: [RecoveryCode] = []
    ) async throws -> Response {
        if case .atProvider(let trip) = flow.step, problem == nil { return HostedPage.leaving(visit, trip, handle) }
        if case .deviceAnswered(let end) = flow.step { return HostedPage.answered(end, visit) }
        if case .answered(let code, let date) = flow.step {
            if let part = flow.account { return Self.seeOther(visit.path(of: part)) }
            let answer = ClientAnswer.code(Secret(code), to: flow.request.answer, issuer: visit.issuer)
            guard visit.now.timeIntervalSince(date) < Engine.codeLifetime, !answer.isForProgram else {
                return HostedPage.done(visit)
            }
            return self.answer(answer, in: visit.language) { HostedPage.moving(visit, to: $0) }
        }
        let browser = visit.cookies.browser ?? Base64URL.encode(engine.ports.randomness.bytes(16))
        let form = HostedForm(
            action: "\(visit.path)/web/\(handle)",
            token: engine.formToken(["form", handle, "\(flow.number)", browser], in: visit.tenant.id),
            number: flow.number, flow: isFirst ? try engine.seal(flow, at: ["form", handle], in: visit.tenant.id) : nil)
        var response = HostedPage.of(
            flow, form, visit, problem: problem, typed: typed, notice: problem == nil ? visit.notice : nil, codes: codes
        ).response(problem == nil ? .ok : .unprocessableContent)
        if visit.cookies.browser == nil {
            response.headers.append(HTTPField(name: .setCookie, value: visit.cookies.settingBrowser(browser)))
        }
        return response
    }

    // MARK: - Around a request

    func visit(_ request: Request, _ context: IdentityRequestContext) async throws -> HostedVisit {
        guard let tenant = try await engine.tenant(named: try context.parameters.require("tenant")) else {
            throw HostedFault.unknownTenant
        }
        let cookies = HostedCookies(
            request, tenant: tenant.id, isSecure: engine.settings.baseURL.hasPrefix("https:"))
        let accepted = MailLanguage(acceptLanguage: request.headers[.acceptLanguage])
        var visit = HostedVisit(
            routes: self, request: request, context: context, tenant: tenant, cookies: cookies, accepted: accepted,
            language: PageLanguage([], accepted: accepted))
        if let cookie = cookies.session {
            visit.signIn = try await engine.browserSignIn(cookie, in: tenant, now: context.trace.at)
        }
        return visit
    }

    /// The look of an error's page; that of no tenant when the tenant cannot be read.
    private func brand(of context: IdentityRequestContext) async -> PageBrand {
        do {
            guard let name = context.parameters.get("tenant"), let tenant = try await engine.tenant(named: name) else {
                return .none
            }
            return PageBrand(tenant, at: HostedVisit.path(of: engine.settings.baseURL) + "/\(tenant.id)")
        } catch {
            return .none
        }
    }

    /// Turns faults into pages. Only failures of the server go on to the guard.
    func paged(
        _ request: Request, _ context: IdentityRequestContext, _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let fault as HostedFault {
            let refusal = PageRefusal(fault)
            if let refusal {
                context.logger.notice("an authorization request was refused", metadata: refusal.metadata)
            }
            return HostedPage.error(
                fault, request, context, await brand(of: context), detail: isDevelopment ? refusal?.sentence : nil)
        } catch let fault as RequestFault {
            return HostedPage.error(.request(fault), request, context, await brand(of: context))
        } catch let error as EngineError {
            switch error {
            case .broken: throw error
            case .store, .overloaded, .tokens, .hook:
                context.logger.warning("a page cannot be answered now", metadata: ["reason": "\(error)"])
                return HostedPage.error(.busy, request, context)
            }
        }
    }
}

/// One request of a browser to the pages of a tenant.
struct HostedVisit: Sendable {
    let routes: IdentityRoutes
    let request: Request
    let context: IdentityRequestContext
    let tenant: Tenant
    let cookies: HostedCookies
    let accepted: MailLanguage?
    var language: PageLanguage
    var client: Client?
    var signIn: BrowserSignIn?

    var now: Date { context.trace.at }
    var application: String { client?.displayName ?? tenant.displayName }
    /// The tenant's part of paths, by its id.
    var path: String { Self.path(of: routes.engine.settings.baseURL) + "/\(tenant.id)" }
    var brand: PageBrand { PageBrand(tenant, at: path) }
    /// Whether browsers can use the tenant's passkeys on these pages: passkeys are bound to a host.
    var offersPasskeys: Bool { routes.engine.pagesTakePasskeys(of: tenant) }
    /// Whether the number of a telephone is a name to sign in with.
    var takesNumbers: Bool { routes.engine.texts(of: tenant)?.signsIn == true }
    var issuer: String { "\(routes.engine.settings.baseURL)/\(tenant.id)/v2.0" }
    /// What the page says first, by the whole query.
    var notice: PagePhrase? { request.uri.query.flatMap { HostedNotice(rawValue: $0) }?.phrase }

    /// Where a provider sends the browser back to: an address of its own, so that no answer of another provider counts
    /// (`SEC-FED-5`).
    func callback(of provider: String) -> String {
        "\(routes.engine.settings.baseURL)/\(tenant.id)/federation/\(provider)/callback"
    }

    /// The path of a page of the account.
    func path(of part: AccountPart, _ notice: HostedNotice? = nil) -> String {
        "\(path)/account\(part.segment.map { "/\($0)" } ?? "")" + (notice.map { "?\($0.rawValue)" } ?? "")
    }

    func caller(_ flow: HostedFlow) -> CallerContext {
        caller(flow.request.client, flow.account == nil ? .browser : .account)
    }

    func caller(_ client: ClientID, _ front: CallerContext.Front) -> CallerContext {
        var caller = routes.caller(tenant: tenant.id.description, client: client, request, context)
        caller.front = front
        caller.language = language.language
        caller.device = SessionDevice(model: "browser", system: nil)
        if tenant.rememberedDays != nil { caller.deviceSecret = .cookies(cookies.devices) }
        return caller
    }

    /// The path of the base URL, without a slash at its end.
    static func path(of baseURL: String) -> String {
        let parts = baseURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 4 ? "/\(parts[3])" : ""
    }
}

/// The handle of a flow in the address of its pages: it begins with the time, so that the oldest is known, and says nothing
/// without the flow's cookie (`SEC-WEB-11`).
enum HostedHandle {
    static func new(_ now: Date, _ randomness: any Randomness) -> String {
        let time = UInt32(truncatingIfNeeded: Int(now.timeIntervalSince1970))
        let bytes = withUnsafeBytes(of: time.bigEndian) { Array($0) } + randomness.bytes(16)
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static func isHandle(_ text: String) -> Bool {
        text.utf8.count == 40 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// Why a page of an error is shown.
enum HostedFault: Error, Hashable, Sendable {
    case unknownTenant
    /// - Parameters:
    ///   - from: The application, once it is known: the page may lead to its homepage.
    ///   - redirect: The address that is not registered.
    case authorize(AuthorizePageFault, from: Client? = nil, redirect: String? = nil)
    /// This browser has no such flow.
    case unknownFlow
    case tooOld
    case noCookies
    /// The form is of another site, another browser or another flow.
    case foreignForm
    /// The state does not fit into cookies.
    case tooMuch
    case busy
    case request(RequestFault)
}
