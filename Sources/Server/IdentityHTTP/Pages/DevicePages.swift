import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Devices without a browser (RFC 8628): the request of the device, and the page that asks a user for its code. From the code
// on, a flow of the usual pages signs the user in, and asks at its end (design record 0035).
extension IdentityRoutes {
    /// The device authorization endpoint (RFC 8628 section 3.1).
    func deviceCodes(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        var form = try await Self.form(of: request)
        if let refusal = try await authenticate(&form, request, context, isExchange: true) { return refusal }
        let asked = try V1Codec.device(form)
        var caller = caller(
            tenant: try context.parameters.require("tenant"), client: asked.client, request, context)
        caller.front = .token
        let start = try await context.admitted {
            try await engine.startDevice(asked.request, in: caller)
        }
        let ticket: DeviceTicket
        switch start {
        case .started(let begun): ticket = begun
        case .full: throw RequestFault.throttled(retryAfter: 60)
        case .refused(let refusal):
            let reply = V1Codec.reply(Outcome(.refused(refusal), trace: context.trace))
            context.errorCode.withLock { $0 = reply.errorCode }
            return RequestGuard.response(reply)
        }
        let tenant = try await tenant(context)
        let page = "\(engine.settings.baseURL)/\(tenant.subdomain)/\(MetadataEndpoint.devicePage.rawValue)"
        let reply = DeviceAuthorizationReply(
            deviceCode: ticket.deviceCode, userCode: ticket.userCode, verificationURI: page,
            expiresIn: ticket.lifetime, interval: ticket.interval,
            message: "Open \(page) in a browser, and enter the code \(ticket.userCode).")
        return Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try WireJSON.encode(reply))))
    }

    /// The page that asks for the code of a device. The code never comes in an address: a link that has it is what a
    /// phisher would send (`OIDC-28`).
    func device(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        try await paged(request, context) {
            let visit = try await visit(request, context)
            guard
                try await engine.applications(of: visit.tenant).contains(where: {
                    $0.web.allowsDeviceFlow && $0.isOpen(for: .browser)
                })
            else { throw RequestFault.unknownPath }
            guard request.method == .post else { return codePage(visit) }
            try Self.checkSite(request, baseURL: engine.settings.baseURL)
            let form = try await Self.pageForm(of: request)
            guard let browser = visit.cookies.browser else { throw HostedFault.noCookies }
            guard engine.isFormToken(try Console.value(".form", of: form), ["device", browser], in: visit.tenant.id)
            else { throw HostedFault.foreignForm }
            return try await begin(try Console.value("user-code", of: form), visit)
        }
    }

    /// Begins the flow of a device at the pages.
    private func begin(_ typed: String, _ visit: HostedVisit) async throws -> Response {
        var visit = visit
        try visit.context.checkGuesses(at: .userCode)
        // A text that no code looks like is a typing error, and no guess.
        guard let userCode = Engine.userCode(in: typed) else { return codePage(visit, problem: .wrongDeviceCode) }
        let asked = try await engine.deviceRequest(
            ofUserCode: userCode, in: visit.tenant, from: visit.context.source?.forEngine, now: visit.now)
        visit.context.countGuess(at: .userCode, isRight: asked != nil)
        guard let asked, let client = try await engine.application(named: asked.client, in: visit.tenant),
            client.isOpen(for: .browser), client.web.allowsDeviceFlow
        else { return codePage(visit, problem: .wrongDeviceCode) }
        visit.client = client
        let (verdict, _) = try await engine.authorize(asked, as: visit.signIn, in: visit.caller(client.id, .browser))
        // The user sees what the device is for before the answer, also one who is signed in.
        let isSignedIn = verdict == .confirm
        var flow = HostedFlow(
            asked, isSignedIn ? .confirm : .enterName(isSignUp: false), language: visit.language.language.rawValue,
            now: visit.now)
        if isSignedIn { flow.shown = visit.signIn?.account.user.id }
        return try store(flow, HostedHandle.new(visit.now, engine.ports.randomness), visit)
    }

    private func codePage(_ visit: HostedVisit, problem: PagePhrase? = nil) -> Response {
        let browser = visit.cookies.browser ?? Base64URL.encode(engine.ports.randomness.bytes(16))
        var page = HostedPage(
            language: visit.language, brand: visit.brand, title: .deviceTitle, body: "",
            problem: problem.map { HostedProblem(phrase: $0, field: "user-code") })
        // What was typed is not shown again: it is short, and a code that is wrong is read again from the device.
        page.body = """
            <p class="lead">\(visit.language(.deviceHelp))</p>
            <form method="post" action="\(visit.path)/\(MetadataEndpoint.devicePage.rawValue)">
            <input type="hidden" name=".form" value="\(engine.formToken(["device", browser], in: visit.tenant.id))">
            \(page.field("user-code", .code, autocomplete: "off", isFirst: true, attributes: " autocapitalize=\"characters\" spellcheck=\"false\" maxlength=\"24\""))
            \(page.button("next", .next, isPrimary: true))
            </form>
            """
        var response = page.response(problem == nil ? .ok : .unprocessableContent)
        if visit.cookies.browser == nil {
            response.headers.append(HTTPField(name: .setCookie, value: visit.cookies.settingBrowser(browser)))
        }
        return response
    }
}

extension HostedPage {
    /// What the user of a device is told before the answer: what shows the code, how long it has waited, and whether it is near
    /// (`OIDC-28`). A device's own words are not shown: a stranger may have chosen them.
    func asked(by device: DeviceReference, _ visit: HostedVisit) -> HTML {
        let text = language
        let minutes = max(1, Int(visit.now.timeIntervalSince(device.since) / 60))
        let place: HTML? = device.isInSameNetwork.map {
            "<li>\(text($0 ? .deviceSameNetwork : .deviceOtherNetwork))</li>"
        }
        return """
            <p>\(text(.deviceAsks(app: visit.application, code: device.userCode)))</p>
            <ul class="asked"><li>\(text(.deviceSince(minutes: minutes)))</li>\(place)</ul>
            <p class="notice">\(text(.deviceWarning))</p>
            """
    }

    /// The page after the answer.
    static func answered(_ end: HostedStep.DeviceEnd, _ visit: HostedVisit) -> Response {
        let text = visit.language
        // Who is surprised finds the way to sign the device out.
        let account: HTML? =
            end == .allowed
            ? "<p class=\"links\"><a class=\"button quiet\" href=\"\(visit.path(of: .sessions))\">\(text(.sessions))</a></p>"
            : nil
        let (title, help): (PagePhrase, PagePhrase) =
            switch end {
            case .allowed: (.deviceAllowed, .signedOutHelp)
            case .declined: (.deviceDeclined, .signedOutHelp)
            case .over: (.tookTooLong, .wrongDeviceCode)
            }
        return HostedPage(
            language: text, brand: visit.brand, title: title,
            body: "<p class=\"lead\">\(text(help))</p>\(account)"
        ).response()
    }
}
