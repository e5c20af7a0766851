import HTTPTypes
import Hummingbird
package import IdentityEngine
import NIOCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pages of the development profile: a home page that gets a newcomer going, and the inbox with every code that was sent.
/// In production they do not exist (`SEC-PRF-1`).
package struct DevelopmentPages: Sendable {
    /// The mails to one address or to all, newest first; each with the members of design §5: `to`, `subject`, `code`, `text`,
    /// `sentAt`.
    package typealias Inbox = @Sendable (_ recipient: String?) async -> any Encodable & Sendable

    private let homePage: String
    private let mails: Inbox

    /// - Parameters:
    ///   - applications: What the home page lists.
    ///   - mails: What the inbox shows.
    package init(
        baseURL: String, tenant: Tenant, applications: [Client],
        mails: @escaping Inbox
    ) {
        homePage = Self.homePage(baseURL: baseURL, tenant: tenant, applications: applications)
        self.mails = mails
    }

    func home() -> Response { Self.html(homePage) }

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

    private static func html(_ page: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private static func homePage(baseURL: String, tenant: Tenant, applications: [Client]) -> String {
        let rows = applications.map { client in
            let method =
                switch client.userFlow.method {
                case .emailOneTimePasscode: "E-mail one-time passcode"
                case .emailPassword: "E-mail and password"
                }
            let required = client.userFlow.attributes.filter(\.isRequired).map(\.name)
            let attributes = required.isEmpty ? "none" : required.joined(separator: ", ")
            return """
                <tr><td><code>\(client.id)</code></td><td>\(method)</td><td>\(escaped(attributes))</td></tr>
                """
        }.joined(separator: "\n")
        let client = applications.first.map { "\($0.id)" } ?? ""
        let authority = "\(baseURL)/\(tenant.domain)"
        let swift = """
            import MSAL

            let authority = try MSALCIAMAuthority(
                url: URL(string: "\(authority)")!, validateFormat: false)
            let nativeAuth = try MSALNativeAuthPublicClientApplication(
                nativeAuthConfiguration: .init(
                    clientId: "\(client)",
                    authority: authority, challengeTypes: [.OOB]))

            let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
            nativeAuth.signUp(parameters: parameters, delegate: self)
            """
        let curl = """
            curl -s \(authority)/signup/v1.0/start \\
              -d client_id=\(client) \\
              -d 'challenge_type=oob redirect' -d username=dana@example.com
            """
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>native-auth: development server</title><style>\(style)</style></head><body><main>
            <header><h1>native-auth</h1><p class="badge">development profile</p></header>
            <p>An identity server for native authentication is running here. Sign somebody up from your app, and read the code in
            the <a href="/dev/inbox">development inbox</a>.</p>
            <h2>Tenant</h2>
            <dl><dt>Base URL</dt><dd><code>\(escaped(baseURL))</code></dd>
            <dt>Subdomain</dt><dd><code>\(escaped(tenant.subdomain))</code></dd>
            <dt>Domain</dt><dd><code>\(escaped(tenant.domain))</code></dd>
            <dt>Tenant id</dt><dd><code>\(tenant.id)</code></dd></dl>
            <h2>Applications</h2>
            <div class="scroll"><table><thead><tr><th>Client id</th><th>Users sign in with</th><th>Required attributes</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            <p class="note">All of them also take the optional built-in attributes and the alias <code>flatusername</code>.</p>
            <h2>From Swift</h2><pre>\(escaped(swift))</pre>
            <p class="note">Code that names the subdomain only (<code>tenantSubdomain: "\(escaped(tenant.subdomain))"</code>) runs unchanged in a
            debug build with <code>NATIVE_AUTH_EMULATOR=\(escaped(baseURL))</code> in its environment.</p>
            <h2>From a shell</h2><pre>\(escaped(curl))</pre>
            <h2>Documents</h2>
            <ul><li><a href="/\(escaped(tenant.domain))/\(MetadataEndpoint.openIDConfiguration.rawValue)">OpenID Connect discovery</a></li>
            <li><a href="/\(escaped(tenant.domain))/\(MetadataEndpoint.jsonWebKeys.rawValue)">Public keys</a></li>
            <li><a href="/dev/inbox.json">Inbox as JSON</a> (<code>?to=ADDRESS</code> for one mailbox)</li></ul>
            <h2>An API to call</h2>
            <p><code>GET /dev/api/\(escaped(tenant.domain))</code> takes an access token and says hello. With <code>?acrs=c1</code> it wants a second
            factor: the app then signs in with a claims request for that context.</p>
            </main></body></html>
            """
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6572;--line:#d9dee4;--paper:#fff;--tint:#f4f6f9;--accent:#b4531a}
        @media(prefers-color-scheme:dark){:root{--ink:#e8ebef;--soft:#a2adba;--line:#333c47;--paper:#14181d;--tint:#1d232a;--accent:#f09a5f}}
        *{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
        main{max-width:860px;margin:0 auto;padding:32px 20px 64px}header{display:flex;gap:14px;align-items:center}
        h1{font-size:28px;margin:0}h2{font-size:18px;margin:34px 0 10px}a{color:var(--accent)}
        .badge{margin:0;padding:2px 10px;border:1px solid var(--accent);border-radius:99px;color:var(--accent);font-size:13px}
        code,pre{font:13.5px/1.5 ui-monospace,Menlo,Consolas,monospace}pre{background:var(--tint);border:1px solid var(--line);border-radius:8px;padding:14px;overflow:auto}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14.5px}th,td{text-align:left;padding:8px 14px 8px 0;border-bottom:1px solid var(--line)}
        th{color:var(--soft);font-weight:500}.note{color:var(--soft);font-size:14.5px}
        .mail{border:1px solid var(--line);border-radius:10px;padding:14px 18px;margin:14px 0}.mail.new{border-color:var(--accent)}
        .mail h3{margin:0;font-size:16px;font-weight:600}.mail .meta{color:var(--soft);font-size:14px;margin:2px 0 8px}
        .code{font:600 30px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:3px;user-select:all;margin:6px 0}
        details{color:var(--soft);font-size:14.5px}.empty{color:var(--soft);border:1px dashed var(--line);border-radius:10px;padding:28px;text-align:center}
        """

    private static let inboxPage = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>Development inbox</title><style>\(style)</style></head><body><main>
        <header><h1>Development inbox</h1><p class="badge" id="state">watching</p></header>
        <p>Every mail that the mail server took, newest first. New ones appear by themselves. <a href="/">Back to the server's home page</a></p>
        <div id="mails" aria-live="polite"><p class="empty">No mail yet. Start a sign-up and it will show up here.</p></div>
        <script>
        // Values are set as text, never as markup.
        let known = null;
        function element(name, className, text) {
          const e = document.createElement(name); if (className) e.className = className;
          if (text !== undefined) e.textContent = text; return e;
        }
        function show(mails) {
          const list = document.getElementById('mails');
          const keys = mails.map(m => m.to + m.sentAt + m.subject + m.code);
          if (known && keys.join() === known.join()) return;
          const fresh = new Set(known === null ? [] : keys.filter(k => !known.includes(k)));
          known = keys;
          if (!mails.length) return;
          list.replaceChildren(...mails.map((m, i) => {
            const card = element('article', 'mail' + (fresh.has(keys[i]) ? ' new' : ''));
            const details = element('details'); details.append(element('summary', '', 'Text'), element('pre', '', m.text));
            card.append(element('h3', '', m.subject), element('p', 'meta', 'to ' + m.to + ', ' + new Date(m.sentAt).toLocaleString()),
              ...(m.code === null ? [] : [element('p', 'code', m.code)]), details);
            return card;
          }));
        }
        async function poll() {
          const state = document.getElementById('state');
          try {
            show(await (await fetch('/dev/inbox.json')).json()); state.textContent = 'watching';
          } catch { state.textContent = 'server gone'; }
          setTimeout(poll, 1000);
        }
        poll();
        </script></main></body></html>
        """
}
