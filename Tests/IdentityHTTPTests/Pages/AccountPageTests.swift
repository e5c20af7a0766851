import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// The account page: what a user does there, and what others cannot do with it.
@Suite("Account page of the hosted pages")
struct AccountPageTests {
    private static let page = "/contoso/account"
    private static let newPassword = "Another-Day-42"
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"

    private func signedIn(_ server: IdentityTestServer, _ email: String? = nil) async throws -> TestBrowser {
        let browser = TestBrowser(server)
        try await browser.signUp(email ?? self.email, at: server, for: party)
        return browser
    }

    /// The token of an app of the same user, for the account API.
    private func caller(_ server: IdentityTestServer) async throws -> AccountCaller {
        try await .withPassword(server, email, password: TestBrowser.password)
    }

    private func isSignedIn(_ browser: TestBrowser) async throws -> Bool {
        try await browser.get(Self.page)
        return browser.title == "Your account"
    }

    private func attribute(_ name: String, _ server: IdentityTestServer) async throws -> AttributeValue? {
        try await server.storedUsers().first { $0.email == email }?.attributes[name]
    }

    private static func grace(days: Int) throws -> IdentityTestServer {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.deletionGraceDays = days
        let directory = TenantDirectory([contoso])
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.clients = directory
        }
    }

    // MARK: - The way in

    @Test("A browser without a session signs in, and comes back to the page that it asked for")
    func theWayIn() async throws {
        try await withIdentityServer { server in
            _ = try await signedIn(server)
            let browser = TestBrowser(server)
            try await browser.get(Self.page + "/sessions")
            #expect(browser.title == "Sign in" && !browser.html.contains("Create an account"))
            try await browser.submit(["username": email])
            try await browser.submit(["password": TestBrowser.password], follows: false)
            #expect(browser.status == 303)
            let location = try #require(browser.location)
            #expect(location.hasSuffix("/account/sessions") && !location.contains("?"))
            try await browser.get(location)
            #expect(browser.title == "Where you are signed in" && browser.status == 200)
            #expect(browser.headers["cache-control"] == "no-store")
            #expect(try await server.count("SELECT COUNT(*) FROM presented_codes") == 0)
        }
    }

    @Test("SEC-WEB-17: who cancels the sign-in is told to be signed out, and who cancels a proof sees the account")
    func cancelling() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(Self.page)
            try await browser.submit([:], action: "cancel")
            #expect(browser.title == "You are signed out")
            try await browser.signUp(email, at: server, for: party)
            server.clock.advance(by: 601)
            try await browser.get(Self.page + "/email")
            #expect(browser.title == "Confirm that it is you")
            try await browser.submit([:], action: "cancel")
            #expect(browser.title == "Your account")
        }
    }

    @Test("OIDC-2: no client has the id of the account page, and the page gives no code that can be redeemed")
    func noClient() async throws {
        try await withIdentityServer { server in
            let id = Client.accountPageID.description
            let browser = TestBrowser(server)
            try await browser.get(
                TestRelyingParty(client: id, redirect: "https://identity.test/contoso/account").path())
            #expect(browser.status == 400 && browser.title == "We cannot go on")
            let answer = try await server.client(id: id).initiate(email)
            #expect(answer.status == 400)
        }
    }

    @Test("The paths of the account page are its own", arguments: ["/overview", "/nothing", "/Data", "/data/x"])
    func unknownPaths(_ path: String) async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + path)
            #expect(browser.status == 404)
        }
    }

    @Test("A tenant whose applications use no hosted pages has no account page")
    func nativeTenant() async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        for index in contoso.applications.indices { contoso.applications[index].redirects = RedirectAddresses() }
        let directory = TenantDirectory([contoso])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        let browser = TestBrowser(server)
        for path in ["", "/data", "/ended"] {
            try await browser.get(Self.page + path)
            #expect(browser.status == 404 && browser.forms.isEmpty)
        }
    }

    @Test("The page demands what all applications demand, and keeps from users what one of them keeps")
    func theRules() throws {
        func attribute(_ name: String, isRequired: Bool = false, userMayChange: Bool) -> AttributeDefinition {
            AttributeDefinition(name: name, isRequired: isRequired, userMayChange: userMayChange)
        }
        var contoso = try #require(TenantDirectory.development.entries.first)
        var (one, other) = (contoso.applications[0], contoso.applications[1])
        one.userFlow = UserFlow(
            method: .emailOneTimePasscode,
            attributes: [attribute("city", userMayChange: true), attribute("tier", userMayChange: true)],
            requiresSecondFactor: true)
        other.userFlow = UserFlow(
            method: .emailPassword,
            attributes: [
                attribute("city", isRequired: true, userMayChange: true), attribute("tier", userMayChange: false),
            ])
        other.enumeration = .strict
        contoso.applications = [one, other]
        let page = Client.accountPage(of: contoso, usually: .compat)
        #expect(page.userFlow.method == .emailPassword && !page.userFlow.allowsSignUp)
        #expect(page.enumeration == .strict && !page.requiresSecondFactor && !page.userFlow.requiresSecondFactor)
        #expect(page.userFlow.attributes.map(\.name) == ["city", "tier"])
        #expect(page.userFlow.attributes.map(\.isRequired) == [true, false])
        #expect(page.userFlow.attributes.map(\.userMayChange) == [true, false])
        other.requiresSecondFactor = true
        contoso.applications = [one, other]
        #expect(Client.accountPage(of: contoso, usually: .compat).requiresSecondFactor)
    }

    // MARK: - Data

    @Test("The user changes the own data by the rules of the account API, and a script in it is text")
    func data() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/data")
            #expect(browser.title == "Your data")
            try await browser.submit(["displayName": "<script>alert(1)</script>\"'&"], action: "save")
            #expect(browser.title == "Your data" && browser.html.contains("The change is saved."))
            #expect(browser.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
            #expect(try await attribute("displayName", server) == .string("<script>alert(1)</script>\"'&"))
            try await browser.get(Self.page)
            #expect(browser.html.contains("&lt;script&gt;") && !browser.html.contains("<script>alert"))
            // A name cannot be taken away, as in the API, and the other fields stay as they were typed.
            try await browser.get(Self.page + "/data")
            try await browser.submit(["displayName": ""], action: "save")
            #expect(browser.status == 422 && browser.problem == "Check this: Name.")
            #expect(try await server.audited(.profileChanged) == 1)
        }
    }

    @Test("Of two tabs the second is told that the data has changed, and can save after a look")
    func twoTabs() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/data")
            let old = try #require(browser.forms.first { $0.names.contains("displayName") })
            func fields(_ name: String) -> [(String, String)] {
                old.fields.map { ($0.0, $0.0 == "displayName" ? name : $0.1) } + [(".action", "save")]
            }
            try await browser.post(old.action, fields("Dana"))
            #expect(browser.status == 200)
            // The same form twice is one change.
            try await browser.post(old.action, fields("Dana"))
            #expect(browser.status == 200)
            #expect(try await server.audited(.profileChanged) == 1)
            try await browser.post(old.action, fields("Erik"))
            #expect(browser.status == 422 && browser.problem?.contains("changed somewhere else") == true)
            #expect(browser.html.contains("value=\"Erik\""))
            #expect(try await attribute("displayName", server) == .string("Dana"))
            try await browser.submit(["displayName": "Erik"], action: "save")
            #expect(try await attribute("displayName", server) == .string("Erik"))
        }
    }

    // MARK: - Sessions

    /// Sends the form of one entry.
    private func end(_ session: String, in browser: TestBrowser) async throws {
        let form = try #require(
            browser.forms.first { $0.fields.contains { $0.0 == "session" && $0.1 == session } }, "no such entry")
        try await browser.post(form.action, form.fields + [(".action", "end")])
    }

    private func entries(_ browser: TestBrowser) -> [String] {
        browser.forms.compactMap { $0.fields.first { $0.0 == "session" }?.1 }
    }

    @Test("SEC-WEB-21: the user sees the browsers and the apps, and ends one, the others, all, or this one")
    func sessions() async throws {
        try await withIdentityServer { server in
            let (browser, other) = (try await signedIn(server), TestBrowser(server))
            server.clock.advance(by: 1)
            try await other.signIn(email, for: party)
            let app = try await caller(server)
            try await browser.get(Self.page + "/sessions")
            #expect(entries(browser).count == 3 && browser.html.components(separatedBy: "This browser").count == 2)
            let ids = try await server.rows(
                "SELECT lower(hex(id)) FROM browser_sessions ORDER BY created_at"
            ).compactMap { $0.first ?? nil }
            let foreign = try #require(entries(browser).first { $0.replacing("-", with: "") == ids.last })
            try await end(foreign, in: browser)
            #expect(browser.title == "Where you are signed in" && entries(browser).count == 2)
            #expect(try await !isSignedIn(other))
            #expect(try await app.isLive)
            // All others: the app is out, the browser stays under the cookie that it has.
            let cookies = browser.cookies
            try await browser.submit([:], action: "others")
            #expect(browser.title == "Where you are signed in" && entries(browser).count == 1)
            #expect(try await !app.isLive)
            #expect(browser.cookies == cookies)
            #expect(try await isSignedIn(browser))
            try await other.get(Self.page)
            try await other.submit(["username": email])
            try await other.submit(["password": TestBrowser.password])
            // Everywhere, this browser included.
            try await browser.get(Self.page + "/sessions")
            try await browser.submit([:], action: "all")
            #expect(browser.title == "You are signed out")
            #expect(browser.cookies.keys.allSatisfy { $0.contains("-b-") })
            #expect(try await !isSignedIn(other))
            #expect(try await !isSignedIn(browser))
            #expect(try await server.audited(.sessionsEnded) == 3)
        }
    }

    @Test("SEC-WEB-21: a sign-out here leaves the other browser signed in, and Back shows nothing of the account")
    func signOutHere() async throws {
        try await withIdentityServer { server in
            let (browser, other) = (try await signedIn(server), TestBrowser(server))
            try await other.signIn(email, for: party)
            try await browser.get(Self.page)
            try await browser.submit([:], action: "here")
            #expect(browser.title == "You are signed out")
            for part in ["", "/data", "/email", "/sessions", "/methods", "/deletion"] {
                try await browser.get(Self.page + part)
                #expect(browser.title == "Sign in" && !browser.html.contains(email))
            }
            #expect(try await isSignedIn(other))
        }
    }

    @Test("The account API lists the browsers, ends them by id, and has them in the export")
    func sessionsOfTheAPI() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            let app = try await caller(server)
            let listed = try await app.send("GET", AccountCaller.beta + "/nativeAuthSessions")["value"]?.array ?? []
            #expect(listed.count == 2)
            let entry = try #require(listed.first { $0["deviceModel"]?.string == "browser" })
            #expect(entry["appId"]?.string == Client.accountPageID.description && entry["isCurrent"] == .boolean(false))
            let copy = try await app.send("GET", AccountCaller.beta + "/nativeAuth.export")
            #expect(copy["sessions"]?.array.count == 2)
            let id = try #require(entry["id"]?.string)
            let path = AccountCaller.beta + "/nativeAuthSessions/\(id)"
            #expect(try await app.send("DELETE", path).status == 204)
            #expect(try await app.send("DELETE", path).status == 404)
            #expect(try await !isSignedIn(browser))
            #expect(try await app.isLive)
        }
    }

    @Test("OIDC-23: the end of an application that this browser signed in is a sign-out here")
    func endingTheOwn() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            _ = try await party.redeem(try #require(browser.answer["code"]), at: server)
            try await browser.get(Self.page + "/sessions")
            #expect(browser.html.components(separatedBy: "This browser").count == 3)
            let family = try #require(
                try await server.rows("SELECT lower(hex(id)) FROM refresh_families").first?.first ?? nil)
            try await end(
                try #require(entries(browser).first { $0.replacing("-", with: "") == family }), in: browser)
            #expect(browser.title == "You are signed out")
            #expect(try await !isSignedIn(browser))
        }
    }

    @Test("A session or a method of another user is not there, by whatever form")
    func idsOfOthers() async throws {
        try await withIdentityServer { server in
            let (browser, other) = (try await signedIn(server), try await signedIn(server, "erik@example.com"))
            try await other.get(Self.page + "/sessions")
            let foreign = try #require(entries(other).first)
            try await browser.get(Self.page + "/sessions")
            let form = try #require(browser.forms.first { $0.names.contains("session") })
            for id in [foreign, UUID().uuidString, "x", ""] {
                let fields = form.fields.map { ($0.0, $0.0 == "session" ? id : $0.1) } + [(".action", "end")]
                try await browser.post(form.action, fields)
                #expect(browser.status == 200 && browser.title == "Where you are signed in")
            }
            #expect(try await isSignedIn(other))
            try await browser.get(Self.page + "/methods")
            let adding = try #require(browser.forms.first { $0.names.contains("contact") })
            for action in ["remove", "rename"] {
                try await browser.post(
                    adding.action,
                    adding.fields + [("method", foreign), ("name", "x"), (".action", action)])
                #expect(browser.title == "Sign-in methods" && !browser.html.contains("The change is saved."))
            }
        }
    }

    // MARK: - Password

    @Test(
        "SEC-WEB-5, SEC-WEB-25: the password changes with the present one; all else is signed out, and the cookie is new"
    )
    func password() async throws {
        try await withIdentityServer { server in
            let (browser, other) = (try await signedIn(server), TestBrowser(server))
            try await other.signIn(email, for: party)
            let app = try await caller(server)
            // The present password is the proof, however old the session is.
            server.clock.advance(by: 1_200)
            try await browser.get(Self.page + "/password")
            #expect(browser.title == "Change your password")
            try await browser.submit(
                ["password": "Wrong-Day-41", "new-password": Self.newPassword], action: "change")
            #expect(browser.status == 422 && browser.problem == "This is not the right password.")
            #expect(!browser.html.contains("Wrong-Day-41") && !browser.html.contains(Self.newPassword))
            try await browser.submit(["password": TestBrowser.password, "new-password": "short"], action: "change")
            #expect(browser.status == 422 && browser.problem?.contains("too short") == true)
            let stolen = TestBrowser(server)
            stolen.cookies = browser.cookies
            try await browser.submit(
                ["password": TestBrowser.password, "new-password": Self.newPassword], action: "change")
            #expect(browser.title == "Your account" && browser.html.contains("Your password is changed."))
            #expect(try await isSignedIn(browser))
            #expect(try await !isSignedIn(stolen))
            #expect(try await !isSignedIn(other))
            #expect(try await !app.isLive)
            #expect(try await server.mailbox.mails().filter { $0.purpose == .passwordChanged }.count == 1)
            _ = try await AccountCaller.withPassword(server, email, password: Self.newPassword)
        }
    }

    @Test("A double click on the password's form is one change, and does not sign the user out")
    func passwordTwice() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/password")
            let form = try #require(browser.forms.first { $0.names.contains("new-password") })
            let fields =
                form.fields.map { name, value in
                    (
                        name,
                        name == "password"
                            ? TestBrowser.password : name == "new-password" ? Self.newPassword : value
                    )
                } + [(".action", "change")]
            let (action, cookies) = (form.action, browser.cookies)
            let answers = try await withThrowingTaskGroup(of: (status: Int, cookies: [String: String]).self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let one = TestBrowser(server)
                        one.cookies = cookies
                        try await one.post(action, fields, follows: false)
                        return (one.status, one.cookies)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status) == [303, 303])
            #expect(try await server.audited(.passwordChanged) == 1)
            // Whichever answer the browser shows, it is signed in.
            for answer in answers {
                browser.cookies = answer.cookies
                #expect(try await isSignedIn(browser))
            }
        }
    }

    @Test(
        "SEC-WEB-5, SEC-RATE-5: a thief of the old cookie gets no session after the change, and learns no password from repeated forms"
    )
    func passwordByAThief() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            // The thief has the cookies, a form of the session, and the old password.
            let thief = TestBrowser(server)
            thief.cookies = browser.cookies
            try await thief.get(Self.page + "/password")
            let form = try #require(thief.forms.first { $0.names.contains("new-password") })
            try await browser.get(Self.page + "/password")
            try await browser.submit(
                ["password": TestBrowser.password, "new-password": Self.newPassword], action: "change")
            #expect(try await isSignedIn(browser))
            let old = thief.cookies
            var answers: Set<String> = []
            for (guess, once) in [
                ("Wrong-Day-41", nil), (Self.newPassword, nil), (Self.newPassword, ""), (Self.newPassword, "AAAA"),
            ] as [(String, String?)] {
                let given = ["password": TestBrowser.password, "new-password": guess, ".once": once]
                thief.cookies = old
                try await thief.post(
                    form.action,
                    form.fields.map { ($0.0, given[$0.0].flatMap(\.self) ?? $0.1) } + [(".action", "change")],
                    follows: false)
                answers.insert("\(thief.status) \(thief.location ?? "")")
                #expect(thief.setCookies.isEmpty && thief.cookies == old)
            }
            #expect(answers.count == 1)
            #expect(try await !isSignedIn(thief))
            #expect(try await server.audited(.passwordChanged) == 1)
        }
    }

    // MARK: - What needs a proof

    @Test(
        "SEC-WEB-25, SEC-MFA-4: an unattended session changes no address, no method, and deletes nothing",
        arguments: ["/email", "/methods", "/deletion"])
    func unattended(_ part: String) async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + part)
            let form = try #require(browser.forms.first)
            server.clock.advance(by: 601)
            let mails = try await server.mailbox.mails().count
            for action in ["change", "add", "remove", "rename", "delete"] {
                try await browser.post(
                    form.action,
                    form.fields.filter { $0.0 != "contact" } + [("contact", "thief@example.org"), (".action", action)])
                #expect(browser.title == "Confirm that it is you", "\(action)")
            }
            #expect(try await server.mailbox.mails().count == mails)
            #expect(try await server.users() == 1)
            // The password is asked for, and leads back.
            try await browser.submit([:])
            #expect(browser.title == "Enter your password")
            try await browser.submit(["password": TestBrowser.password])
            #expect(browser.status == 200 && browser.title != "Confirm that it is you" && browser.title != "Sign in")
            #expect(browser.html.contains(".session"))
        }
    }

    @Test("SEC-WEB-25: the proof is of the same user: another one cannot end the flow")
    func anotherUserProves() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            _ = try await signedIn(server, "erik@example.com")
            server.clock.advance(by: 601)
            try await browser.get(Self.page + "/email")
            try await browser.submit([:])
            try await browser.submit([:], action: "restart")
            try await browser.submit(["username": "erik@example.com"])
            try await browser.submit(["password": TestBrowser.password])
            #expect(browser.title != "Change your e-mail address")
            try await browser.get(Self.page)
            #expect(browser.html.contains(email) && !browser.html.contains("erik@example.com"))
        }
    }

    @Test("SEC-WEB-25: a new address is proven by its code; the old one hears of it, and can take it back")
    func address() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/email")
            for (typed, problem) in [
                ("", "Please fill in this field."),
                ("dana", "Enter an e-mail address, such as name@example.com."),
                (email, "This is no e-mail address, or your account has it already."),
            ] {
                try await browser.submit(["contact": typed], action: "change")
                #expect(browser.status == 422 && browser.problem == problem)
                #expect(browser.html.contains("value=\"\(typed)\""))
            }
            try await browser.submit(["contact": "new@example.org"], action: "change")
            #expect(browser.title == "Check your mail" && browser.html.contains("n***"))
            try await browser.submit(["code": "00000000"])
            #expect(browser.status == 422)
            try await browser.submit(["code": try await server.mailbox.code(to: "new@example.org")])
            #expect(browser.title == "Change your e-mail address" && browser.html.contains("The change is saved."))
            #expect(browser.html.contains("new@example.org"))
            #expect(try await server.storedUsers().map(\.email) == ["new@example.org"])
            #expect(try await isSignedIn(browser))
            #expect(try await AccountCaller.takeBack(server, toldTo: email) == 204)
            #expect(try await !isSignedIn(browser))
        }
    }

    @Test("SEC-ENUM-3: a taken address is told only to who has its code, and the form of a done change changes nothing")
    func takenAddress() async throws {
        try await withIdentityServer { server in
            _ = try await signedIn(server, "erik@example.com")
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/email")
            try await browser.submit(["contact": "erik@example.com"], action: "change")
            #expect(browser.title == "Check your mail")
            let form = try #require(browser.forms.first { $0.names.contains("code") })
            try await browser.submit(["code": try await server.mailbox.code(to: "erik@example.com")])
            #expect(browser.html.contains("There is another account with this address."))
            try await browser.post(form.action, form.fields + [(".action", "next")])
            #expect(browser.status == 400)
            #expect(Set(try await server.storedUsers().map(\.email)) == [email, "erik@example.com"])
        }
    }

    @Test("A method is added with a code, named, and removed; each mailbox hears of it, and the session stays")
    func methods() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            let app = try await caller(server)
            try await browser.get(Self.page + "/methods")
            try await browser.submit(["contact": "second@example.org"], action: "add")
            #expect(browser.title == "Check your mail")
            try await browser.submit(["code": try await server.mailbox.code(to: "second@example.org")])
            let masked = try #require(EmailAddress("second@example.org")).masked
            #expect(browser.title == "Sign-in methods" && browser.html.contains(masked))
            // An app that has proven one factor only is out (SEC-ENR-6).
            #expect(try await !app.isLive)
            try await browser.submit(["name": "<b>Work</b>"], action: "rename")
            #expect(browser.html.contains("&lt;b&gt;Work&lt;/b&gt;") && !browser.html.contains("<b>Work"))
            try await browser.submit(["name": String(repeating: "x", count: 65)], action: "rename")
            #expect(browser.status == 422)
            try await browser.get(Self.page + "/methods")
            let form = try #require(browser.forms.first { $0.names.contains("method") && !$0.names.contains("name") })
            try await browser.post(form.action, form.fields + [(".action", "remove")])
            #expect(browser.title == "Sign-in methods" && !browser.html.contains(masked))
            try await browser.post(form.action, form.fields + [(".action", "remove")])
            #expect(browser.title == "Sign-in methods" && browser.status == 200)
            #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
            #expect(try await isSignedIn(browser))
            #expect(try await server.mailbox.mails().contains { $0.purpose == .methodRemoved })
        }
    }

    @Test(
        "SEC-ENR-3: an account with a second factor asks for it before the password, the address or the methods change")
    func secondFactor() async throws {
        try await withIdentityServer { server in
            let owner = try await signedIn(server)
            try await owner.get(Self.page + "/methods")
            try await owner.submit(["contact": "second@example.org"], action: "add")
            try await owner.submit(["code": try await server.mailbox.code(to: "second@example.org")])
            // A thief of the password alone.
            let thief = TestBrowser(server)
            try await thief.signIn(email, for: party)
            for part in ["/password", "/email", "/methods", "/deletion"] {
                try await thief.get(Self.page + part)
                #expect(thief.title == "Confirm that it is you", "\(part)")
            }
            server.clock.advance(by: 61)
            try await thief.submit([:])
            #expect(thief.title == "Check your mail")
            // The owner gives it, and goes on.
            try await thief.submit(["code": try await server.mailbox.code(to: "second@example.org")])
            #expect(thief.title == "Delete your account")
        }
    }

    // MARK: - Copy and end

    @Test("The copy is the export of the account API, as a file, and only by the page's own form")
    func copy() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/copy")
            try await browser.submit([:], action: "download")
            #expect(browser.status == 200)
            #expect(browser.headers["content-disposition"] == "attachment; filename=\"account.json\"")
            #expect(browser.headers["content-type"]?.hasPrefix("application/json") == true)
            #expect(browser.headers["cache-control"] == "no-store")
            #expect(browser.html.contains("\"mail\":\"\(email)\"") && browser.html.contains("\"browser\""))
        }
    }

    @Test("The account is deleted at once; a second click says the same, and the address is free")
    func deletion() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/deletion")
            for typed in ["", "x", "erik@example.com", "dana@example.co"] {
                try await browser.submit(["contact": typed], action: "delete")
                #expect(browser.status == 422 && browser.title == "Delete your account", "\(typed)")
                #expect(browser.html.contains("To confirm, type the e-mail address of your account."))
            }
            #expect(try await server.users() == 1)
            let form = try #require(browser.forms.first)
            let fields = form.fields.map { $0.0 == "contact" ? ("contact", " \(email.uppercased()) ") : $0 }
            try await browser.post(form.action, fields + [(".action", "delete")])
            #expect(browser.title == "Your account is deleted")
            #expect(browser.cookies.keys.allSatisfy { $0.contains("-b-") })
            #expect(try await server.users() == 0)
            try await browser.post(form.action, fields + [(".action", "delete")])
            #expect(browser.title == "Your account is deleted")
            #expect(try await server.mailbox.mails().filter { $0.purpose == .accountDeleted }.count == 1)
            try await browser.get(Self.page)
            #expect(browser.title == "Sign in")
        }
    }

    @Test("With a grace the account is kept by a click after a new sign-in, until the day comes")
    func deletionWithGrace() async throws {
        let server = try Self.grace(days: 7)
        let browser = try await signedIn(server)
        try await browser.get(Self.page + "/deletion")
        #expect(browser.html.contains("7 days"))
        try await browser.submit(["contact": email], action: "delete")
        #expect(browser.title == "Your account will be deleted")
        #expect(try await !isSignedIn(browser))
        try await browser.submit(["username": email])
        try await browser.submit(["password": TestBrowser.password])
        #expect(browser.title == "Your account" && browser.html.contains("Your account will be deleted"))
        try await browser.submit([:], action: "keep")
        #expect(browser.title == "Your account" && !browser.html.contains("Your account will be deleted"))
        #expect(try await server.audited(.deletionCancelled) == 1)
    }

    // MARK: - Others

    @Test(
        "SEC-WEB-4, SEC-WEB-20: a form of another site, browser, session or page of the account changes nothing",
        arguments: ["/data", "/password", "/sessions", "/copy", "/deletion"])
    func foreignForms(_ part: String) async throws {
        try await withIdentityServer { server in
            let (browser, other) = (try await signedIn(server), try await signedIn(server, "erik@example.com"))
            try await browser.get(Self.page + part)
            let form = try #require(browser.forms.first)
            let fields = form.fields + [(".action", "delete")]
            let before = try await server.snapshot()
            for headers in [
                ["origin": "https://evil.example"], ["origin": "null"], ["sec-fetch-site": "cross-site"],
                ["sec-fetch-site": "same-site"],
            ] {
                try await browser.post(form.action, fields, headers: headers)
                #expect(browser.status == 403)
            }
            for name in [".form", ".session", ".user"] {
                for value in ["", "AAAA"] {
                    try await browser.post(form.action, fields.map { $0.0 == name ? (name, value) : $0 })
                    #expect(browser.status == 403, "\(name)")
                }
            }
            // Another browser, another page, another tenant.
            try await other.post(form.action, fields)
            #expect(other.status == 403)
            try await browser.post(Self.page + (part == "/data" ? "/password" : "/data"), fields)
            #expect(browser.status == 403)
            try await browser.post(form.action.replacing("aaaabbbb", with: "bbbbaaaa"), fields)
            #expect(browser.status == 404)
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-WEB-8: a session and a form of one tenant are none at another, under whatever name of a cookie")
    func otherTenant() async throws {
        let contoso = try #require(TenantDirectory.development.entries.first)
        var fabrikam = contoso
        fabrikam.tenant.id = TenantID(try #require(UUID(uuidString: "bbbbcccc-1111-dddd-2222-eeee3333ffff")))
        fabrikam.tenant.subdomain = "fabrikam"
        fabrikam.tenant.domain = "fabrikam.example.com"
        let directory = TenantDirectory([contoso, fabrikam])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        let browser = try await signedIn(server)
        try await browser.get(Self.page + "/deletion")
        let form = try #require(browser.forms.first)
        let own = browser.cookies
        // The names of the other tenant's cookies, from a page of it.
        try await browser.get("/fabrikam/account")
        #expect(browser.title == "Sign in")
        let foreign = try #require(browser.cookies.keys.first { own[$0] == nil }?.suffix(8))
        for (name, value) in own { browser.cookies[String(name.dropLast(8)) + String(foreign)] = value }
        try await browser.get("/fabrikam/account")
        #expect(browser.title == "Sign in")
        let path = "/\(fabrikam.tenant.id)/account/deletion"
        try await browser.post(path, form.fields + [(".action", "delete")])
        #expect(browser.status == 403)
        #expect(try await server.users() == 1)
        #expect(try await isSignedIn(browser))
    }

    @Test("A form that the user before sent has no effect on the user who has signed in since in this browser")
    func anotherUserInTheBrowser() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/deletion")
            let form = try #require(browser.forms.first)
            try await browser.signUp("erik@example.com", at: server, for: party)
            try await browser.post(form.action, form.fields + [(".action", "delete")])
            #expect(browser.title == "Delete your account" && browser.html.contains("erik@example.com"))
            #expect(try await server.users() == 2)
        }
    }

    @Test("A disabled account has no account page, and is told so")
    func disabled() async throws {
        try await withIdentityServer { server in
            let browser = try await signedIn(server)
            try await browser.get(Self.page + "/data")
            let form = try #require(browser.forms.first)
            try await server.setDisabled(true, email)
            #expect(try await !isSignedIn(browser))
            try await browser.post(
                form.action, form.fields.map { ($0.0, $0.0 == "displayName" ? "Dana" : $0.1) } + [(".action", "save")])
            #expect(browser.title == "Sign in")
            #expect(try await attribute("displayName", server) == nil)
            try await browser.submit(["username": email])
            #expect(browser.status == 422 && browser.problem == "This account cannot be used.")
        }
    }

    @Test("SEC-ENUM-2: where one application hides accounts, the account page does")
    func hiddenAccounts() async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.applications[0].enumeration = .strict
        let directory = TenantDirectory([contoso])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        _ = try await signedIn(server)
        for name in [email, "nobody@example.com"] {
            let browser = TestBrowser(server)
            try await browser.get(Self.page)
            try await browser.submit(["username": name])
            #expect(browser.title == "Enter your password")
            try await browser.submit(["password": "Wrong-Day-41"])
            #expect(browser.status == 422 && browser.problem == "This is not the right password.")
        }
    }

    @Test("SEC-WEB-16: no parameter leads anywhere, and the address says nothing but the page")
    func noReturnPath() async throws {
        try await withIdentityServer { server in
            _ = try await signedIn(server)
            let browser = TestBrowser(server)
            for name in ["next", "return", "continue", "redirect_uri", "returnUrl"] {
                try await browser.get(Self.page + "?\(name)=https://evil.example/")
                #expect(!browser.html.contains("evil.example"))
            }
            try await browser.submit(["username": email])
            try await browser.submit(["password": TestBrowser.password], follows: false)
            let location = try #require(browser.location)
            #expect(location.hasSuffix("/account") && !location.contains("evil"))
        }
    }

    // MARK: - Limits

    @Test("SEC-RATE-6: who has the cookie alone uses up no change of the owner, who signs in again")
    func changesOfAThief() async throws {
        try await withIdentityServer { server in
            let transport = InProcessTransport(
                routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress("192.0.2.7"))
            let owner = TestBrowser(transport)
            try await owner.signUp(email, at: server, for: party)
            let thief = TestBrowser(transport)
            thief.cookies = owner.cookies
            func change(_ browser: TestBrowser, _ action: String = "end") async throws -> Int {
                server.clock.advance(by: 0.2)
                try await browser.get(Self.page + "/sessions")
                let form = try #require(browser.forms.first, "\(browser.title)")
                server.clock.advance(by: 0.2)
                try await browser.post(
                    form.action,
                    form.fields.filter { $0.0 != "session" } + [("session", "none"), (".action", action)],
                    follows: false)
                return browser.status
            }
            for _ in 0..<30 { #expect(try await change(thief) == 303) }
            #expect(try await change(thief) == 429)
            #expect(try await change(owner) == 429, "the same session, which the cookie stands for")
            // The end of the others is counted apart.
            #expect(try await change(owner, "others") == 303)
            for _ in 0..<29 { #expect(try await change(thief, "others") == 303) }
            #expect(try await change(thief, "others") == 429)
            server.clock.advance(by: 601)
            try await owner.get(Self.page + "/email")
            #expect(owner.title == "Confirm that it is you")
            try await owner.submit([:])
            try await owner.submit(["password": TestBrowser.password])
            #expect(try await change(owner) == 303)
            #expect(try await change(owner, "all") == 303)
        }
    }
}
