import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Authenticator apps: added by the account API and the account page, given natively and at the pages.
@Suite("Authenticator apps") struct AppTests {
    private static let erik = "erik@example.com"

    private static func server(_ adjust: (inout EngineSettings) -> Void = { _ in }) throws -> IdentityTestServer {
        try FactorDirectory.server {
            $0.enrolment = .proven
            adjust(&$0)
        }
    }

    /// A user with a password and an app.
    private static func dana(
        _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) async throws -> (IdentityTestServer, TestApp) {
        let server = try server(adjust)
        try await server.signUpWithPassword()
        return (server, try await TestApp.add(to: try await AccountCaller.withPassword(server)))
    }

    @Test("SEC-TOTP-9: a plain client gets the app as oob with the channel totp, and nothing is sent")
    func replies() async throws {
        let (server, app) = try await Self.dana()
        let mails = try await server.mailbox.mails().count
        let client = server.passwordClient
        let required = try await server.signIn(claims: WireClient.claims)
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        let listed = try await client.introspect(required.token)
        let id = try await app.method(required, client)
        #expect(
            listed["methods"]?.array == [
                [
                    "id": .string(id), "challenge_type": "oob", "challenge_channel": "totp",
                    "login_hint": "Authenticator app",
                ]
            ])
        for _ in 0..<3 {
            let sent = try await client.signInChallenge(listed.token, id: id)
            expectSuccess(
                sent,
                [
                    "continuation_token", "challenge_type", "binding_method", "challenge_channel",
                    "challenge_target_label", "code_length",
                ])
            #expect(
                sent["challenge_channel"] == "totp" && sent["code_length"] == 6 && sent["binding_method"] == "prompt")
            #expect(sent["challenge_target_label"] == "Authenticator app")
        }
        let tokens = try await app.give(to: required, client, server)
        #expect(tokens.status == 200, "\(tokens)")
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["acrs"] == ["c1"] && access["amr"] == ["pwd", "otp", "mfa"])
        let after = try await server.mailbox.mails()
        #expect(after.count == mails + 1 && after.first?.purpose == .methodFirstUsed, "the first use is told")
        #expect(try await server.audited(.secondFactorPassed) == 1)
    }

    @Test(
        "SEC-TOTP-2, SEC-TOTP-7: a code is accepted once: not the one that added the app, not in another flow, and not the one before it"
    )
    func codesAreSpent() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        let begun = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.addAuthenticatorApp", "{}")
        let own = try await server.mailbox.code(to: IdentityTestServer.email)
        let offered = try await caller.send(
            "POST", AccountCaller.beta + "/nativeAuth.confirmAuthenticatorApp",
            #"{"continuationToken":"\#(try #require(begun.text("continuationToken")))","code":"\#(own)"}"#)
        let app = try TestApp(offered)
        let uri = try #require(offered.text("keyUri"))
        #expect(uri.hasPrefix("otpauth://totp/Contoso:dana@example.com?secret=") && offered["codeLength"] == 6)
        let code = app.code(at: server.clock.now)
        let body = #"{"continuationToken":"\#(try #require(offered.text("continuationToken")))","code":"\#(code)"}"#
        let added = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.confirmAuthenticatorApp", body)
        #expect(added.status == 204, "\(added)")
        func sign(in code: String) async throws -> Int {
            try await app.give(
                to: try await server.signIn(claims: WireClient.claims), server.passwordClient, server, code: code
            ).status
        }
        #expect(try await sign(in: code) == 400, "the code that added the app")
        server.clock.advance(by: 30)
        let next = app.code(at: server.clock.now)
        let (before, later) = (app.code(at: server.clock.now, later: -1), app.code(at: server.clock.now, later: 1))
        #expect(try await sign(in: later) == 200, "a code of a clock that is fast")
        for spent in [later, next, before] { #expect(try await sign(in: spent) == 400) }
        server.clock.advance(by: 30)
        #expect(try await sign(in: app.code(at: server.clock.now)) == 400, "the fast one was of this time")
        server.clock.advance(by: 30)
        #expect(try await sign(in: app.code(at: server.clock.now)) == 200)
    }

    @Test("SEC-TOTP-2: of fifty flows with one code at once, one signs in")
    func race() async throws {
        let (server, app) = try await Self.dana()
        var waiting: [WireAnswer] = []
        for _ in 0..<50 {
            let required = try await server.signIn(claims: WireClient.claims)
            waiting.append(
                try await server.passwordClient.signInChallenge(
                    required.token, id: try await app.method(required, server.passwordClient)))
        }
        let code = app.code(at: server.clock.now)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for sent in waiting {
                group.addTask {
                    try await server.passwordClient.token(
                        code: code, sent.token, grant: "mfa_oob", claims: WireClient.claims
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 49)
        #expect(try await server.audited(.secondFactorPassed) == 1)
    }

    @Test(
        "SEC-TOTP-4, SEC-TOTP-5: a flow compares five codes, and an account 20 wrong ones of unknown networks in a day")
    func budgets() async throws {
        let (server, app) = try await Self.dana { $0.limits = TimeLimits() }
        func code(_ number: Int) -> String { app.code(at: server.clock.now, later: 100 + number) }
        // The owner's network; and for each flow of the thief another one, which the owner has never signed in from.
        let home = try server.client(from: "203.0.113.9")
        let first = try await app.give(to: try await server.signIn(claims: WireClient.claims, with: home), home, server)
        #expect(first.status == 200)
        server.clock.advance(by: 61)
        func thief(_ number: Int) throws -> WireClient { try server.client(from: "198.51.\(number).9") }
        var compared = 0
        for flow in 0..<6 {
            let client = try thief(flow)
            let required = try await server.signIn(claims: WireClient.claims, with: client)
            guard required.text("suberror") == "mfa_required" else {
                Issue.record("\(required)")
                return
            }
            let sent = try await client.signInChallenge(required.token, id: try await app.method(required, client))
            guard sent.status == 200 else {
                expectThrottled(sent)
                break
            }
            for guess in 0..<7 {
                let answer = try await client.token(
                    code: code(flow * 10 + guess), sent.token, grant: "mfa_oob", claims: WireClient.claims)
                if answer.status == 429 { break }
                #expect(answer.status == 400, "\(answer)")
            }
            compared = try await server.audited(.secondFactorFailed)
            #expect(compared <= 5 * (flow + 1))
        }
        #expect(compared == 20)
        // The owner's network has a budget of its own: strangers with the password do not lock the owner out (SEC-TOTP-5).
        let tokens = try await app.give(
            to: try await server.signIn(claims: WireClient.claims, with: home), home, server)
        #expect(tokens.status == 200, "\(tokens)")
        // A day later all is as before.
        server.clock.advance(by: 86_401)
        let late = try await app.give(
            to: try await server.signIn(claims: WireClient.claims, with: try thief(9)), try thief(9), server)
        #expect(late.status == 200, "\(late)")
    }

    private static func hex(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    private func expectThrottled(_ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            answer.status == 429 && answer.headers["retry-after"] != nil, "\(answer)", sourceLocation: sourceLocation)
    }

    @Test("SEC-TOTP-6: the secret of another row does not open: the code is refused, and the audit trail says why")
    func swappedRows() async throws {
        let (server, app) = try await Self.dana()
        try await server.signUpWithPassword("erik@example.com", alias: nil)
        let other = try await TestApp.add(to: try await AccountCaller.withPassword(server, "erik@example.com"))
        let rows = try await server.rows("SELECT hex(id), hex(secret) FROM strong_methods").map { $0.map { $0 ?? "" } }
        for (row, secret) in zip(rows, rows.reversed().map { $0[1] }) {
            _ = try await server.rows("UPDATE strong_methods SET secret = X'\(secret)' WHERE id = X'\(row[0])'")
        }
        for (email, app) in [(IdentityTestServer.email, other), (Self.erik, app)] {
            let required = try await server.signIn(email, claims: WireClient.claims)
            let answer = try await app.give(to: required, server.passwordClient, server)
            expectError(answer, "invalid_grant", 50_181, suberror: "invalid_oob_value")
        }
        let details = try await server.rows("SELECT detail FROM audit WHERE kind = 'mfa.failed'").compactMap(\.first)
        #expect(details == ["app, secret unreadable", "app, secret unreadable"], "\(details)")
    }

    @Test("SEC-TOTP-8: neither secret nor code is in the database, the audit trail or a mail")
    func secretsStaySecret() async throws {
        let (server, app) = try await Self.dana()
        let bytes = app.secret.bytes.reveal()
        let stored = try await server.rows("SELECT hex(secret) FROM strong_methods").compactMap { $0.first ?? nil }
        #expect(stored.count == 1 && !stored[0].contains(Self.hex(bytes)))
        let key = app.secret.base32.reveal()
        #expect(try await server.mailbox.mails().allSatisfy { !"\($0)".contains(key) })
    }

    @Test("SEC-ENR-2: with the password alone no app is added: the owner's mailbox must agree")
    func passwordAlone() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        let begun = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.addAuthenticatorApp", "{}")
        #expect(begun.status == 202 && begun["secretKey"] == nil && begun["keyUri"] == nil, "\(begun)")
        #expect(try await server.mailbox.mails().first?.to == IdentityTestServer.email)
        for code in ["000000", "00000000"] {
            let answer = try await caller.send(
                "POST", AccountCaller.beta + "/nativeAuth.confirmAuthenticatorApp",
                #"{"continuationToken":"\#(try #require(begun.text("continuationToken")))","code":"\#(code)"}"#)
            #expect(answer.status == 400 && answer["secretKey"] == nil, "\(answer)")
        }
        #expect(try await server.rows("SELECT id FROM strong_methods").isEmpty)
    }

    @Test("SEC-ENR-2: an app of the SDK proves the own mailbox first, and then sees the key")
    func ownMailboxFirst() async throws {
        let base = "https://login.example.com"
        let authority = try Authority(url: try #require(URL(string: base + "/contoso")))
        let server = try IdentityTestServer(
            seed: 1, start: IdentityTestServer.start, baseURL: base, signing: .rs256
        ) { _, settings in settings.enrolment = .proven }
        try await server.signUpWithPassword()
        var configuration = NativeAuthConfiguration(
            clientID: IdentityTestServer.Application.emailPassword.rawValue, authority: authority,
            challengeTypes: [.oneTimePasscode, .password], capabilities: Set(Capability.allCases),
            transport: server.transport)
        configuration.now = { server.clock.now }
        let start = try await NativeAuthClient(configuration).signIn(
            username: IdentityTestServer.email, password: WireClient.password)
        guard case .completed(let account) = start else { throw Unexpected() }
        guard case .codeRequired(let first) = try await account.addAuthenticatorApp() else { throw Unexpected() }
        #expect(first.info.channel == "email" && first.info.length == 8)
        let key = ResumeKey()
        let own: OwnMailboxCodeRequired = try account.client.resume(try first.saved(with: key), with: key)
        let code = try await server.mailbox.code(to: IdentityTestServer.email)
        guard case .next(let step) = try await own.submit(code: code) else { throw Unexpected() }
        let app = try TestApp(key: step.info.key)
        #expect(step.info.groupedKey.count == 39 && step.info.url.absoluteString.contains(step.info.key))
        guard case .next = try await step.submit(code: app.code(at: server.clock.now)) else { throw Unexpected() }
        #expect(try await account.methods().map(\.kind) == [.password, .authenticatorApp])
    }

    private struct Unexpected: Error {}

    @Test("SEC-ENR-3: an account with an app adds, removes and changes nothing by the password and the mailbox")
    func mailboxAndPassword() async throws {
        let (server, app) = try await Self.dana()
        let id = try await app.id(of: try await AccountCaller.withPassword(server))
        let weak = try await AccountCaller.withPassword(server)
        for (method, path) in [
            ("POST", "/nativeAuth.addAuthenticatorApp"), ("POST", "/nativeAuth.addEmailMethod"),
            ("POST", "/nativeAuth.changeEmail"),
        ] {
            let answer = try await weak.send(method, AccountCaller.beta + path, #"{"emailAddress":"x@example.org"}"#)
            #expect(answer.status == 401, "\(path): \(answer)")
        }
        let path = AccountCaller.me + "/authentication/softwareOathMethods/\(id)"
        #expect(try await weak.send("DELETE", path).status == 401)
        // The owner, with the app, does.
        let strong = try AccountCaller(
            try await app.give(
                to: try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope),
                server.passwordClient, server, scope: AccountCaller.scope), server)
        let second = try await TestApp.add(to: strong)
        #expect(second.secret != app.secret)
        let removed = try await strong.send("DELETE", path)
        #expect(removed.status == 204, "\(removed)")
    }

    @Test("A user of codes gets two factors by an app, and nothing less afterwards")
    func userOfCodes() async throws {
        let server = try Self.server()
        _ = try await server.signUp(Self.erik)
        let app = try await TestApp.add(to: try await AccountCaller.withCode(server, Self.erik))
        let tokens = try await app.signIn(withCode: Self.erik, to: server)
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["otp", "mfa"])
        // Without claims, the mailbox is enough for tokens, but not for changes of the account.
        server.clock.advance(by: 31)
        let weak = try await AccountCaller.withCode(server, Self.erik)
        let answer = try await weak.send("POST", AccountCaller.beta + "/nativeAuth.addAuthenticatorApp", "{}")
        #expect(answer.status == 401, "\(answer)")
    }

    @Test("SEC-ENR-13: an account has at most three apps")
    func atMostThree() async throws {
        let (server, app) = try await Self.dana()
        for _ in 0..<2 {
            let strong = try AccountCaller(
                try await app.give(
                    to: try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope),
                    server.passwordClient, server, scope: AccountCaller.scope), server)
            _ = try await TestApp.add(to: strong)
        }
        let strong = try AccountCaller(
            try await app.give(
                to: try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope),
                server.passwordClient, server, scope: AccountCaller.scope), server)
        let answer = try await strong.send("POST", AccountCaller.beta + "/nativeAuth.addAuthenticatorApp", "{}")
        #expect(
            answer.status == 400 && answer["error"]?["details"]?.array.first?["code"] == "MethodNotAllowed", "\(answer)"
        )
    }

    @Test("SEC-ENR-13: an account adds five methods a day")
    func fiveADay() async throws {
        let server = try Self.server { $0.limits = TimeLimits() }
        try await server.signUpWithPassword()
        let user = try #require(try await server.storedUsers().first)
        for number in 1...6 {
            let caller = try await AccountCaller.withPassword(server)
            let path = AccountCaller.beta + "/nativeAuth."
            let begun = try await caller.send("POST", path + "addAuthenticatorApp", "{}")
            let own = try await server.mailbox.code(to: IdentityTestServer.email)
            let offered = try await caller.send(
                "POST", path + "confirmAuthenticatorApp",
                #"{"continuationToken":"\#(begun.text("continuationToken") ?? "")","code":"\#(own)"}"#)
            let app = try TestApp(offered)
            let answer = try await caller.send(
                "POST", path + "confirmAuthenticatorApp",
                #"{"continuationToken":"\#(offered.text("continuationToken") ?? "")","code":"\#(app.code(at: server.clock.now))"}"#
            )
            #expect(answer.status == (number < 6 ? 204 : 429), "\(number) \(answer)")
            server.clock.advance(by: 1_200)
            // As an operator removes it.
            let methods = try await server.rows("SELECT id FROM strong_methods").count
            #expect(methods == (number < 6 ? 1 : 0))
            _ = try await server.rows("DELETE FROM strong_methods")
        }
        #expect(user.email == IdentityTestServer.email)
    }

    @Test("SEC-ENR-7: a reset by the mailbox suspends an app")
    func reset() async throws {
        let (server, app) = try await Self.dana()
        try await server.reset()
        let required = try await server.signIn(password: WireClient.newPassword, claims: WireClient.claims)
        #expect(required.text("suberror") != "mfa_required", "the app cannot be used for a day: \(required)")
        #expect(required["access_token"] == nil)
        _ = app
    }

    @Test("A user adds an app at the account page, and signs in with it at the pages")
    func pages() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        let browser = TestBrowser(server)
        try await browser.get("/contoso/account/methods")
        try await browser.submit(["username": IdentityTestServer.email])
        try await browser.submit(["password": WireClient.password])
        try await browser.submit([:], action: "add-app")
        #expect(browser.title == "Check your mail", "\(browser.html)")
        try await browser.submit(["code": try await server.mailbox.code(to: IdentityTestServer.email)])
        #expect(browser.title == "Add an authenticator app" && browser.html.contains("<svg"), "\(browser.html)")
        let key = try #require(browser.html.firstMatch(of: /<code[^>]*>([A-Z2-7 ]+)<\/code>/)?.1)
        let app = try TestApp(key: String(key).replacing(" ", with: ""))
        // SEC-TOTP-8: a copy of the flow's cookie without the session shows no key.
        let thief = TestBrowser(server)
        thief.cookies = browser.cookies.filter { !$0.key.contains("na-s-") }
        #expect(thief.cookies.count + 1 == browser.cookies.count)
        let address = try #require(browser.forms.first).action
        try await thief.get(address)
        #expect(thief.status == 400 && !thief.html.contains(String(key)), "\(thief.html)")
        try await browser.get(address)
        #expect(browser.status == 200 && browser.html.contains(String(key)))
        try await browser.submit(["code": app.code(at: server.clock.now, later: 9)])
        #expect(browser.status == 422 && browser.html.contains("This code is not right"), "\(browser.html)")
        try await browser.submit(["code": app.code(at: server.clock.now)])
        // The page of the methods would ask for the app at once, whose code is spent.
        #expect(browser.title == "Your account" && browser.html.contains("The change is saved."))
        server.clock.advance(by: 61)
        let party = TestRelyingParty(.emailPassword)
        let visitor = TestBrowser(server)
        try await visitor.get(party.path(["claims": WireClient.claims]))
        try await visitor.submit(["username": IdentityTestServer.email])
        try await visitor.submit(["password": WireClient.password])
        #expect(visitor.title == "Enter the code of your app", "\(visitor.html)")
        try await visitor.submit(["code": "123"])
        #expect(visitor.status == 422 && visitor.html.contains("This code is not right"), "\(visitor.html)")
        try await visitor.submit(["code": app.code(at: server.clock.now)])
        #expect(visitor.title == "One moment" || visitor.status == 303, "\(visitor.html)")
    }
}
