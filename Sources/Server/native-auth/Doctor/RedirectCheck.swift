import NativeAuth
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Asks the authorization endpoint whether the application may send browsers back to an address. The request has no cookie and allows
/// no page (`prompt=none`), so that it does nothing: a server sends the refusal only to a registered address.
struct RedirectCheck {
    let configuration: NativeAuthConfiguration
    let redirect: String

    private static let about = "redirect address"
    private static let example = "such as http://127.0.0.1 for a program of this machine, or msauth.BUNDLE-ID://auth"

    func check(_ notes: Notebook) async {
        guard isAddress(notes) else { return }
        do {
            let response = try await configuration.transport.send(
                TransportRequest(method: "GET", url: try question(), headers: ["accept": "text/html"], body: Data()))
            judge(response, notes)
        } catch {
            let remedy = ErrorRemedy(ClientCondition(transport: error))
            notes.problem(Self.about, remedy.cause, remedy.remedy)
        }
    }

    /// Whether the text can be a redirect address at all (RFC 6749 section 3.1.2, RFC 8252 section 7).
    private func isAddress(_ notes: Notebook) -> Bool {
        guard let url = URL(string: redirect), let scheme = url.scheme?.lowercased() else {
            notes.problem(Self.about, "“\(redirect)” is not a URL.", "Give what the app gives, \(Self.example).")
            return false
        }
        if redirect.contains("#") {
            notes.problem(Self.about, "“\(redirect)” has a fragment.", "Leave out the # and what follows it.")
            return false
        }
        switch scheme {
        case "https": return true
        case "http":
            if Authority.isLoopback(url.host()?.lowercased() ?? "") { return true }
            notes.problem(Self.about, "“\(redirect)” is http on another machine.", "Use https.")
            return false
        case _:
            notes.hint(
                Self.about, "The system opens the app by the scheme \(scheme).",
                "Name it under CFBundleURLTypes in the app's Info.plist, unless the SDK's own session opens the browser."
            )
            return true
        }
    }

    private func question() throws -> URL {
        var form = FormFields()
        for (name, value) in [
            ("client_id", configuration.clientID), ("redirect_uri", redirect), ("response_type", "code"),
            ("scope", "openid"), ("prompt", "none"), ("nonce", "doctor"), ("code_challenge_method", "S256"),
            // Of RFC 7636, appendix B: no code comes of it.
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ] {
            form.append(name, value)
        }
        let address = "\(configuration.authority.endpoint("oauth2/v2.0/authorize").absoluteString)?\(form.encoded)"
        guard let url = URL(string: address) else { throw TransportError.insecureURL }
        return url
    }

    private func judge(_ response: TransportResponse, _ notes: Notebook) {
        let location = response.headers["location"] ?? ""
        let mark = location.firstIndex { $0 == "?" || $0 == "#" } ?? location.endIndex
        if (300..<400).contains(response.status), location[..<mark] == redirect.prefix(while: { $0 != "?" }) {
            let error = URLComponents(string: location)?.queryItems?.first { $0.name == "error" }?.value ?? ""
            if error == "unauthorized_client" {
                notes.problem(Self.about, "The application may not use the server's pages.", "See its registration.")
            } else {
                notes.ok(Self.about, "browsers come back to \(redirect)")
            }
            return
        }
        switch response.status {
        case 404:
            notes.problem(
                Self.about, "The server has no pages of its own for this tenant.",
                "Use a server with an authorization endpoint.")
        case 300..<400:
            notes.problem(
                Self.about, "The server sends browsers to \(location.prefix { $0 != "?" }).",
                "See the authority: another service answers there.")
        case _:
            notes.problem(
                Self.about, "\(redirect) is not registered for the application (status \(response.status)).",
                "Add it to the application's redirectUris, letter by letter; under publicClient the port of a loopback address may differ."
            )
        }
    }
}
