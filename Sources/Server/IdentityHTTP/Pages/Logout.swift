import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What a confirmed sign-out leads to, sealed in the form of its page.
private struct SignOutTarget: Codable, Sendable {
    /// The address of the client, with `state`; nil: our own page.
    var address: String?
    /// Whether the address is only offered as a link.
    var isLink: Bool
    var client: ClientID?
}

// Sign-out in the browser (OpenID Connect RP-Initiated Logout 1.0).
extension IdentityRoutes {
    /// Ends the browser's session: at once with a hint of this session, otherwise after a click, so that no other site can end
    /// it (`OIDC-21`).
    func logout(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        try await paged(request, context) {
            var visit = try await visit(request, context)
            let fields: FormFields
            if request.method == .post {
                fields = try await Self.pageForm(of: request)
                if let sealed = try Console.optional("target", of: fields) {
                    return try await confirmedSignOut(sealed, fields, request, visit)
                }
            } else {
                do throws(FormError) {
                    fields = try FormFields(decoding: (request.uri.query ?? "").utf8)
                } catch {
                    throw RequestFault.malformed(error)
                }
            }
            visit.language = Self.language(fields, visit)
            return try await logout(fields, visit)
        }
    }

    private func logout(_ fields: FormFields, _ visit: HostedVisit) async throws -> Response {
        let hint = try await hint(fields, visit)
        let hasHint = try Console.optional("id_token_hint", of: fields).map { !$0.isEmpty } ?? false
        let named = try Console.optional("client_id", of: fields)
        let back = try Console.optional("post_logout_redirect_uri", of: fields).flatMap { $0.isEmpty ? nil : $0 }
        var target = SignOutTarget(isLink: true)
        // A hint that is not ours, or of another application than the named one, is refused with its address.
        var isFaulty = hasHint && hint == nil
        var refusal: PageRefusal?
        if let named, let hint, ClientID(named) != hint.client { isFaulty = true }
        if !isFaulty {
            target.client = hint?.client ?? named.flatMap { ClientID($0) }
            if let back {
                let found = try await receiver(of: back, target.client, visit)
                if let found {
                    target.address = try Self.address(back, state: Console.optional("state", of: fields))
                    // Without a client in the request only an app's own address is the end of a sign-out: iOS sends no more.
                    target.isLink = !(target.client != nil || found.isOfNativeApp)
                } else {
                    isFaulty = true
                    refusal = try await self.refusal(of: back, target.client, visit)
                }
            }
        }
        guard let signIn = visit.signIn else {
            if isFaulty { return HostedPage.signedOut(visit, link: nil, .badRequest, detail: detail(refusal)) }
            return finished(target, visit)
        }
        guard !isFaulty, let hint, engine.isHint(hint, about: signIn) else {
            return try confirmation(
                isFaulty ? SignOutTarget(isLink: true) : target, visit, isFaulty ? .badRequest : .ok,
                detail: detail(refusal))
        }
        return try await signOut(signIn, target, visit)
    }

    /// Tells the log of an address that no application has registered for sign-outs.
    private func refusal(
        of address: String, _ client: ClientID?, _ visit: HostedVisit
    ) async throws -> PageRefusal {
        var application: Client?
        if let client { application = try await engine.application(named: client, in: visit.tenant) }
        let refusal = PageRefusal(signOutTo: address, of: application)
        visit.context.logger.notice("the way back from a sign-out was refused", metadata: refusal.metadata)
        return refusal
    }

    private func detail(_ refusal: PageRefusal?) -> String? { isDevelopment ? refusal?.sentence : nil }

    private func confirmedSignOut(
        _ sealed: String, _ form: FormFields, _ request: Request, _ visit: HostedVisit
    ) async throws -> Response {
        try Self.checkSite(request, baseURL: engine.settings.baseURL)
        guard let browser = visit.cookies.browser else { throw HostedFault.noCookies }
        guard
            engine.isFormToken(try Console.value("form", of: form), ["sign-out", browser], in: visit.tenant.id),
            let target = await engine.open(
                sealed, at: ["sign-out", browser], in: visit.tenant.id, as: SignOutTarget.self, now: visit.now)
        else { throw HostedFault.foreignForm }
        guard let signIn = visit.signIn else { return finished(target, visit) }
        return try await signOut(signIn, target, visit)
    }

    private func signOut(
        _ signIn: BrowserSignIn, _ target: SignOutTarget, _ visit: HostedVisit
    ) async throws -> Response {
        let told = try await engine.endBrowserSession(
            signIn.session, for: target.client, from: visit.context.source?.forEngine, now: visit.now)
        var response = finished(target, visit, try await frames(for: told, of: signIn, visit))
        // What was begun with the session, in whatever tab, ends with it.
        for field in [visit.cookies.endingSession] + visit.cookies.endingFlows {
            response.headers.append(HTTPField(name: .setCookie, value: field))
        }
        return response
    }

    /// What the browser opens so that applications end their own sessions (OpenID Connect Front-Channel Logout 1.0): the
    /// addresses of those that got tokens from the session, with what their ID tokens say.
    private func frames(
        for clients: [ClientID], of signIn: BrowserSignIn, _ visit: HostedVisit
    ) async throws -> [String] {
        guard !clients.isEmpty else { return [] }
        let tenant = visit.tenant.id
        let addresses = try await engine.applications(of: visit.tenant).compactMap { client -> String? in
            // Judged again: a document of an earlier version may be in force.
            guard clients.contains(client.id), let address = client.web.frontChannelLogout,
                client.fault(ofLogoutAddress: .front) == nil
            else { return nil }
            let id = engine.logoutID(of: signIn.session.id, for: client.id, in: tenant)
            return address + (address.contains("?") ? "&" : "?")
                + Console.query([("iss", visit.issuer), ("sid", id.text)])
        }
        return Array(addresses.prefix(Self.mostFrames))
    }

    /// A page of more frames than this would not load in time.
    static let mostFrames = 20

    private func finished(_ target: SignOutTarget, _ visit: HostedVisit, _ frames: [String] = []) -> Response {
        guard let address = target.address, !target.isLink else {
            return HostedPage.signedOut(visit, link: target.address, frames: frames)
        }
        guard frames.isEmpty else {
            return HostedPage.signedOut(visit, link: address, frames: frames, movesOn: true)
        }
        // After a form of ours a browser may stop at the form's policy; an app's address is listed there.
        return visit.request.method == .post && address.lowercased().hasPrefix("http")
            ? HostedPage.moving(visit, to: address) : Self.seeOther(address)
    }

    private func confirmation(
        _ target: SignOutTarget, _ visit: HostedVisit, _ status: HTTPResponse.Status, detail: String?
    ) throws -> Response {
        let browser = visit.cookies.browser ?? Base64URL.encode(engine.ports.randomness.bytes(16))
        let sealed = try engine.seal(target, at: ["sign-out", browser], in: visit.tenant.id)
        let token = engine.formToken(["sign-out", browser], in: visit.tenant.id)
        let text = visit.language
        var page = HostedPage(
            language: text, brand: visit.brand, title: .signOut,
            body: """
                <p class="lead">\(text(.signOutHelp(tenant: visit.tenant.displayName)))</p>
                <form method="post" action="\(visit.path)/\(MetadataEndpoint.logout.rawValue)">
                <input type="hidden" name="form" value="\(token)"><input type="hidden" name="target" value="\(sealed)">
                <button class="primary">\(text(.signOutButton))</button></form>
                \(HostedPage.fine(detail))
                <div class="more"><a class="button quiet" href="\(visit.path(of: .overview))">\(text(.cancel))</a></div>
                """)
        if let address = target.address, !address.lowercased().hasPrefix("http") {
            page.formTarget = address.prefix { $0 != ":" } + ":"
        }
        var response = page.response(status)
        if visit.cookies.browser == nil {
            response.headers.append(HTTPField(name: .setCookie, value: visit.cookies.settingBrowser(browser)))
        }
        return response
    }

    /// Whether an application of the tenant has registered the address for sign-outs: the named one, or any.
    private func receiver(
        of address: String, _ client: ClientID?, _ visit: HostedVisit
    ) async throws -> (client: ClientID, isOfNativeApp: Bool)? {
        var clients: [Client] = []
        if let client {
            if let found = try await engine.application(named: client, in: visit.tenant) { clients = [found] }
        } else {
            clients = try await engine.applications(of: visit.tenant)
        }
        for client in clients {
            if client.redirects.accepts(address) == .publicClient { return (client.id, true) }
            if client.web.postLogoutRedirects.contains(where: { $0.utf8.elementsEqual(address.utf8) }) {
                return (client.id, false)
            }
        }
        return nil
    }

    private static func address(_ back: String, state: String?) throws -> String {
        guard let state, !state.isEmpty else { return back }
        guard state.utf8.count <= AuthorizeCodec.longestState else { throw RequestFault.invalid(parameter: "state") }
        return back + (back.contains("?") ? "&" : "?") + Console.query([("state", state)])
    }
}

extension HostedPage {
    /// - Parameters:
    ///   - link: An address that the user can go on to.
    ///   - movesOn: Whether the page goes there by itself, after its frames have had time to load.
    static func signedOut(
        _ visit: HostedVisit, link: String?, _ status: HTTPResponse.Status = .ok, frames: [String] = [],
        movesOn: Bool = false, detail: String? = nil
    ) -> Response {
        let text = visit.language
        let go: HTML? = link.map {
            "<p class=\"links\"><a class=\"button quiet\" href=\"\($0)\">\(text(.goOn))</a></p>"
        }
        var page = HostedPage(
            language: text, brand: visit.brand, title: .signedOut,
            body: "<p class=\"lead\">\(text(.signedOutHelp))</p>\(fine(detail))\(go)")
        page.frames = frames
        if movesOn { (page.refresh, page.refreshDelay) = (link, 3) }
        var response = page.response(status)
        if !frames.isEmpty { response.headers[ConsoleHeader.referrerPolicy] = "no-referrer" }
        return response
    }
}
