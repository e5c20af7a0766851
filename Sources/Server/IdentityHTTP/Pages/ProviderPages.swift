import Hummingbird
import IdentityEngine
import Logging
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The way back from a provider of another organisation (design record 0044).
extension IdentityRoutes {
    /// A provider's answer in the browser (RFC 6749 section 4.1.2). The flow is that of the browser's cookie, whose state the
    /// answer must have; the answer belongs to the provider whose address this is.
    func providerCallback(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        try await paged(request, context) {
            if request.method == .post { return try await providerCallbackByPost(request, context) }
            var visit = try await visit(request, context)
            let answer = try ProviderAnswer(request.uri.query ?? "")
            let handle = String(answer.state.prefix { $0 != "." })
            guard HostedHandle.isHandle(handle), let sealed = visit.cookies.flow(handle) else {
                throw HostedFault.unknownFlow
            }
            let flow = try await open(sealed, handle, "cookie", &visit)
            guard case .atProvider(let trip) = flow.step,
                trip.provider == (try context.parameters.require("provider")),
                Vault.areEqual(Data(trip.state.utf8), Data(answer.state.utf8))
            else { throw HostedFault.unknownFlow }
            var code = answer.code
            // The answer of another provider, sent here (RFC 9207 section 2.4).
            if await !isIssuer(answer.issuer, of: trip, visit) {
                context.logger.warning(
                    "a provider's answer names another issuer", metadata: ["provider": "\(trip.provider)"])
                code = nil
            }
            var names: ProviderNames?
            if let sealed = answer.names {
                names = await engine.open(
                    sealed, at: ["names", answer.state], in: visit.tenant.id, as: ProviderNames.self, now: visit.now)
            }
            let driver = HostedDriver(routes: self, visit: visit, request: request, handle: handle)
            return try await respond(
                to: driver.comeBack(from: trip, with: code, names, flow), FormFields(), flow, handle, visit)
        }
    }

    /// What a provider tells of a user on its own: JSON with a signed token as `payload` (`SEC-FED-14`). What is refused and what
    /// is told twice change nothing.
    func providerNotice(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        guard let tenant = try await engine.tenant(named: try context.parameters.require("tenant")),
            let provider = tenant.provider(try context.parameters.require("provider")), provider.isApple
        else { throw RequestFault.unknownPath }
        let body = try await RequestGuard.body(of: request)
        // A body of another shape is answered; what was wrong in it concerns its sender alone.
        guard let notice = try? WireJSON.decode(NoticeBody.self, from: Data(body.readableBytesView)) else {
            return Response(status: .badRequest)
        }
        let verdict = try await engine.take(
            notice: Secret(notice.payload), from: provider, in: tenant, now: context.trace.at)
        switch verdict {
        case .taken: return Response(status: .ok)
        case .unavailable: return Response(status: .serviceUnavailable)
        case .refused(let fault):
            context.logger.warning(
                "a provider's notice is refused",
                metadata: ["provider": "\(provider.id)", "reason": "\(fault.rawValue)"])
            return Response(status: .badRequest)
        }
    }

    private struct NoticeBody: Decodable {
        let payload: String
    }

    private func isIssuer(_ issuer: String?, of trip: ProviderTrip, _ visit: HostedVisit) async -> Bool {
        guard let provider = visit.tenant.provider(trip.provider),
            let endpoint = await engine.ports.identities.browserEndpoint(of: provider, now: visit.now)
        else { return false }
        guard let issuer else { return !endpoint.namesIssuer }
        return issuer.utf8.elementsEqual(provider.issuer.utf8)
    }

    /// On a POST from another site the flow's cookie does not travel; on the GET that follows it does (`SEC-FED-6`). The names that
    /// Apple posts once are sealed in the address, so that no history and no log has them.
    private func providerCallbackByPost(_ request: Request, _ context: IdentityRequestContext) async throws -> Response
    {
        guard let tenant = try await engine.tenant(named: try context.parameters.require("tenant")) else {
            throw HostedFault.unknownTenant
        }
        let form = try await Self.pageForm(of: request)
        var answer = try ProviderAnswer(form.encoded)
        if tenant.provider(try context.parameters.require("provider"))?.isApple == true,
            let names = try ProviderNames(apple: Console.optional("user", of: form))
        {
            answer.names = try engine.seal(names, at: ["names", answer.state], in: tenant.id)
        }
        let address = "\(request.uri.path)?\(answer.form.encoded)"
        guard address.utf8.count <= RequestGuard.longestURI else { throw RequestFault.uriTooLong }
        return Self.seeOther(engine.settings.baseURL + address)
    }
}

/// What a provider sends back.
struct ProviderAnswer {
    var state: String
    /// Nil: the provider did not sign the user in.
    var code: Secret<String>?
    var issuer: String?
    /// The user's names, sealed; nil: the provider gave none.
    var names: String?

    /// - Throws: ``HostedFault/unknownFlow`` for an answer without a state, and ``RequestFault/malformed(_:)``.
    init(_ text: String) throws {
        do throws(FormError) {
            let fields = try FormFields(decoding: text.utf8)
            state = try fields.single("state") ?? ""
            issuer = try fields.single("iss")
            names = try fields.single("names")
            let error = try fields.single("error")
            code = error == nil ? try fields.secret("code") : nil
        } catch {
            throw RequestFault.malformed(error)
        }
        guard !state.isEmpty, state.utf8.count <= 128, code?.reveal().utf8.count ?? 0 <= 4_096 else {
            throw HostedFault.unknownFlow
        }
        if code?.reveal().isEmpty == true { code = nil }
    }

    /// The same in an address of ours.
    var form: FormFields {
        var form = FormFields()
        form.append("state", state)
        if let code { form.append("code", code.reveal()) } else { form.append("error", "refused") }
        form.append("iss", issuer)
        form.append("names", names)
        return form
    }
}

/// The names that Apple posts beside the first token of a user, unsigned: as good as what a user could type.
struct ProviderNames: Codable, Sendable {
    var givenName: String?
    var familyName: String?

    /// - Parameter text: JSON, such as `{"name":{"firstName":"Dana","lastName":"Holm"},"email":"…"}`. What is of another form has no
    ///   names.
    init?(apple text: String?) {
        struct User: Decodable {
            struct Name: Decodable {
                let firstName: String?
                let lastName: String?
            }
            let name: Name?
        }
        // The names are optional: an error in them ends no sign-up.
        guard let text, text.utf8.count <= 1_024,
            let name = try? WireJSON.decode(User.self, from: Data(text.utf8)).name
        else { return nil }
        (givenName, familyName) = (name.firstName, name.lastName)
    }
}

extension HostedPage {
    /// The buttons of the providers that the pages offer.
    func providerButtons(_ visit: HostedVisit) -> HTML? {
        let buttons = visit.tenant.providers.filter { $0.web != nil }.map { provider -> HTML in
            "<button class=\"quiet\" name=\".provider\" value=\"\(provider.id)\" formnovalidate>\(language(.continueWith(provider.displayName)))</button>"
        }
        return buttons.isEmpty ? nil : "\(buttons)"
    }

    /// Sends the browser to a provider. The page is one of ours, since some browsers apply a form's policy to the redirects that
    /// follow it (`SEC-WEB-12`).
    static func leaving(_ visit: HostedVisit, _ trip: ProviderTrip, _ handle: String) -> Response {
        let text = visit.language
        let page = HostedPage(
            language: text, brand: visit.brand, title: .movingOn,
            body: """
                <p class="links"><a class="button primary" href="\(trip.address)">\(text(.continueWith(trip.name)))</a></p>
                """, refresh: trip.address)
        var response = page.response()
        response.headers[ConsoleHeader.referrerPolicy] = "no-referrer"
        return response
    }
}
