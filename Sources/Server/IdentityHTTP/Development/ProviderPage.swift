import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The sample provider of the development tenant: a page for browsers that signs in the address that the developer types, and the same for apps.
extension DevelopmentPages {
    package static let providerPath = "/dev/provider"

    /// Whether a tenant in force has the provider.
    var hasProvider: Bool { tenants().entries.contains { $0.tenant.providers.contains(.sample) } }

    /// Where the sample provider sends browsers back to: nowhere else.
    private var providerCallback: String {
        "\(baseURL)/\(TenantID.development)/federation/\(IdentityProvider.sample.id)/callback"
    }

    /// What a browser brings to the page (OpenID Connect Core 1.0 section 3.1.2.1), as far as the page needs it.
    private struct Question {
        var state, nonce: String

        /// - Throws: ``RequestFault`` when the request is not one of this server's own pages.
        init(_ fields: FormFields, callback: String) throws {
            let address: String?
            do throws(FormError) {
                address = try fields.single("redirect_uri")
                state = try fields.single("state") ?? ""
                nonce = try fields.single("nonce") ?? ""
            } catch {
                throw RequestFault.malformed(error)
            }
            guard address == callback else { throw RequestFault.invalid(parameter: "redirect_uri") }
            guard (1...128).contains(state.utf8.count) else { throw RequestFault.invalid(parameter: "state") }
            guard (1...128).contains(nonce.utf8.count) else { throw RequestFault.invalid(parameter: "nonce") }
        }
    }

    /// Asks who the user is at the provider.
    func askAtProvider(_ request: Request) throws -> Response {
        guard hasProvider else { throw RequestFault.unknownPath }
        let fields: FormFields
        do {
            fields = try FormFields(decoding: (request.uri.query ?? "").utf8)
        } catch {
            throw RequestFault.malformed(error)
        }
        // Opened by hand: there is no sign-in to go on with.
        if (request.uri.query ?? "").isEmpty {
            return Response(
                status: .seeOther,
                headers: [.location: "\(baseURL)/\(TenantID.development)/account", .cacheControl: "no-store"])
        }
        let question = try Question(fields, callback: providerCallback)
        return Self.html(
            """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Sample ID</title><style>\(Self.style)
            form{display:grid;gap:14px;max-width:380px;margin:22px 0}label{display:grid;gap:4px}
            input,button{font:inherit;padding:9px 12px;border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink)}
            button{border-color:var(--accent);color:var(--accent)}button.quiet{border-color:var(--line);color:var(--soft)}
            </style></head><body><main>
            <header><h1>Sample ID</h1><p class="badge">development profile</p></header>
            <p>This page plays an identity provider, such as Apple or Google. It asks for no proof. Who are you there?</p>
            <form method="post" action="\(Self.providerPath)">
            <input type="hidden" name="redirect_uri" value="\(Self.escaped(providerCallback))">
            <input type="hidden" name="state" value="\(Self.escaped(question.state))">
            <input type="hidden" name="nonce" value="\(Self.escaped(question.nonce))">
            <label>E-mail address <input name="email" type="email" value="dana@example.com" required autofocus></label>
            <button name="answer" value="agree">Go on as this person</button>
            <button class="quiet" name="answer" value="cancel" formnovalidate>Cancel</button>
            </form>
            <p class="note">Sample ID speaks for addresses of <code>example.com</code>: a new user needs no code, and a user who has an
            account proves it once. Any other address you type again on the next page, and prove it with a code.</p>
            </main></body></html>
            """)
    }

    /// Sends the browser back with the answer: POST, 303, GET.
    func answerOfProvider(_ request: Request, now: Date) async throws -> Response {
        try refuseOtherSites(request)
        let form = try await IdentityRoutes.form(of: request)
        let question = try Question(form, callback: providerCallback)
        var answer = FormFields()
        if try Self.field("answer", of: form) == "agree" {
            answer.append(
                "code",
                try providerToken(
                    form, nonce: question.nonce, client: IdentityProvider.sample.web?.clientID ?? "", now: now))
        } else {
            answer.append("error", "access_denied")
        }
        answer.append("state", question.state)
        answer.append("iss", IdentityProvider.sample.issuer)
        return Response(
            status: .seeOther,
            headers: [.location: "\(providerCallback)?\(answer.encoded)", .cacheControl: "no-store"])
    }

    /// What an app gets from a provider on the device: `email` and `nonce` for an ID token.
    func tokenOfProvider(_ request: Request, now: Date) async throws -> Response {
        try refuseOtherSites(request)
        let form = try await IdentityRoutes.form(of: request)
        let nonce = try Self.field("nonce", of: form) ?? ""
        guard (1...128).contains(nonce.utf8.count) else { throw RequestFault.invalid(parameter: "nonce") }
        let token = try providerToken(
            form, nonce: nonce, client: IdentityProvider.sample.nativeClients.first ?? "", now: now)
        return Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try WireJSON.encode(["id_token": token]))))
    }

    private func providerToken(_ form: FormFields, nonce: String, client: String, now: Date) throws -> String {
        guard let email = try Self.field("email", of: form).flatMap({ EmailAddress($0) }) else {
            throw RequestFault.invalid(parameter: "email")
        }
        guard let provider, hasProvider else { throw RequestFault.unknownPath }
        return try provider(email.display, nonce, client, now)
    }

    private static func field(_ name: String, of form: FormFields) throws -> String? {
        do {
            return try form.single(name)
        } catch {
            throw RequestFault.malformed(error)
        }
    }
}
