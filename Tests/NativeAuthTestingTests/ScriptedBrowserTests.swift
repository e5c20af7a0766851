import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import Testing

@Suite("A scripted browser") struct ScriptedBrowserTests {
    /// A site of two forms and some redirects.
    private final class Site: HTTPTransport, Sendable {
        let requests = Locked<[TransportRequest]>([])
        private let ending: String

        /// - Parameter ending: How the site goes back: `redirect`, `refresh` or `form_post`.
        init(_ ending: String = "redirect") {
            self.ending = ending
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            requests.withLock { $0.append(request) }
            let form = try FormFields(decoding: request.body)
            let isSignedIn = request.headers["cookie"]?.contains("step=2") == true
            switch (request.method, request.url.path()) {
            case ("GET", "/authorize"):
                return redirect("/login?handle=1", cookies: "a=1; Path=/; Secure\nb=2; Path=/other")
            case ("GET", "/login") where isSignedIn:
                return page(
                    """
                    <!doctype html><html lang=en><head><title>Pass&#119;ord</title><style>p { color: red }</style></head><body>
                    <form method="get" action="/language"><select name="lang"><option value="da">Dansk<option value="en" selected>
                    English</select><button>Change</button></form><!-- <form> -->
                    <form method="post" action="password"><p>For <b>dana</b>@example.com</p>
                    <input type="hidden" name="csrf" value="x&amp;&quot;y"><input name=password type=password>
                    <input type="checkbox" name="keep" value="yes"><button name="action" value="next">Sign in</button>
                    <button name='action' value='cancel'>Cancel</button></form><a href="/forgot">Forgot?</a></body></html>
                    """)
            case ("GET", "/login"):
                return page(
                    """
                    <title>Name</title><form method=post action=/name><input name="username" value=""><textarea name="note">old</textarea>
                    <input type="submit" value="Next"></form><a href="/forgot">Forgot?</a>
                    """)
            case ("POST", "/name"):
                guard try form.single("username") == "dana@example.com", try form.single("note") == "old" else {
                    return redirect("/login")
                }
                return redirect("/login", cookies: "step=2; Path=/")
            case ("POST", "/password"):
                if try form.single("action") == "cancel" { return redirect("app://auth?error=access_denied&state=s") }
                guard try form.single("password") == "Tulip & Harbour", try form.single("csrf") == "x&\"y",
                    try form.single("keep") == "yes"
                else { return page("<title>Error</title><p>Wrong</p>", status: 422) }
                let answer = "app://auth?code=C&state=s"
                switch ending {
                case "refresh":
                    return TransportResponse(status: 200, headers: ["Refresh": "0; url=\(answer)"], body: Data())
                case "form_post":
                    return page(
                        "<form method=post action='app://auth'><input type=hidden name=code value=C><input type=hidden name=state value=s></form>"
                    )
                case _: return redirect(answer, cookies: "step=; Max-Age=0; Path=/")
                }
            case ("GET", "/forgot"):
                return page("<title>Forgotten</title><p>Too bad.</p>")
            case _:
                return TransportResponse(status: 404, body: Data("<title>None</title>".utf8))
            }
        }

        private func redirect(_ address: String, cookies: String? = nil) -> TransportResponse {
            var headers = ["Location": address]
            headers["Set-Cookie"] = cookies
            return TransportResponse(status: 303, headers: headers, body: Data())
        }

        private func page(_ html: String, status: Int = 200) -> TransportResponse {
            TransportResponse(status: status, headers: ["Content-Type": "text/html"], body: Data(html.utf8))
        }
    }

    private func open(
        _ site: Site, _ script: @escaping @Sendable (inout ScriptedPage) async throws -> Void
    ) async throws -> (URL, ScriptedBrowser) {
        let browser = ScriptedBrowser(transport: site)
        browser.fill(script)
        let answer = try await browser.open(
            try #require(URL(string: "https://login.example.com/authorize?x=1")),
            callback: try #require(URL(string: "app://auth")))
        return (answer, browser)
    }

    @Test(
        "it fills in forms by field name, keeps cookies and follows every way back",
        arguments: ["redirect", "refresh", "form_post"])
    func aWholeWalk(_ ending: String) async throws {
        let site = Site(ending)
        let (answer, browser) = try await open(site) { page in
            page["username"] = "dana@example.com"
            page["password"] = "Tulip & Harbour"
            page["keep"] = "yes"
            page["unknown"] = "ignored"
        }
        #expect(answer.query()?.contains("code=C") == true && answer.query()?.contains("state=s") == true)
        #expect(browser.titles.prefix(2) == ["Name", "Password"])
        let posts = site.requests.withLock { $0.filter { $0.method == "POST" } }
        #expect(posts.allSatisfy { $0.headers["origin"] == "https://login.example.com" })
        #expect(posts.last?.headers["cookie"] == "a=1; step=2", "a cookie of another path is not sent")
    }

    @Test("a page shows its text, its fields and its values, and a button or a link can be chosen")
    func whatAPageShows() async throws {
        let (answer, _) = try await open(Site()) { page in
            if page.title == "Name" {
                #expect(page.fields == ["username", "note"] && page["note"] == "old" && page.has("username"))
                page["username"] = "dana@example.com"
            } else {
                #expect(page.text.contains("For dana@example.com") && !page.text.contains("color"))
                #expect(page.fields == ["lang", "password", "keep"] && page["lang"] == "en" && page["keep"] == nil)
                #expect(throws: ScriptedBrowserError.self) { try page.press("Nothing") }
                #expect(throws: ScriptedBrowserError.self) { try page.follow("Nothing") }
                try page.press("Cancel")
            }
        }
        #expect(answer.query() == "error=access_denied&state=s")
    }

    @Test("a closed page is the user's, and a page without a form says what it is")
    func theOtherEnds() async throws {
        await #expect(throws: WebAuthenticationError.cancelled) { try await open(Site()) { $0.close() } }
        await #expect(throws: ScriptedBrowserError.nothingToSend(page: "Forgotten", "Too bad.")) {
            try await open(Site()) { if $0.title == "Name" { try $0.follow("Forgot?") } }
        }
        await #expect(throws: ScriptedBrowserError.self) { try await open(Site()) { _ in } }
    }

    @Test("it is the browser of a client: the client's errors are those of a real one (SDK-WEB-8)")
    func asAnAuthenticator() async throws {
        let tenant = try TestTenant()
        let browser = ScriptedBrowser(transport: Site())
        browser.fill { $0.close() }
        var configuration = tenant.configuration()
        configuration.webAuthenticator = browser
        configuration.redirectURI = URL(string: "app://auth")
        let client = NativeAuthClient(configuration)
        do throws(WebSignInError) {
            _ = try await client.signInWithBrowser()
            Issue.record("no error")
        } catch {
            guard case .cancelled(by: .user, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(browser.titles == ["None"])
        }
    }
}
