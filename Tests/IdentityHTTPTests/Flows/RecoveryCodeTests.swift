import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Recovery codes: made in the account by two factors, given natively and at the pages, and what their session may do.
@Suite("Recovery codes") struct RecoveryCodeTests {
    static let make = AccountCaller.beta + "/nativeAuth.createRecoveryCodes"
    static let status = AccountCaller.beta + "/nativeAuthRecoveryCodes"
    static let apps = AccountCaller.me + "/authentication/softwareOathMethods"

    /// A user with a password and an app, in a session of both, and ten codes.
    struct Owner {
        var server: IdentityTestServer
        var app: TestApp
        var caller: AccountCaller
        var codes: [String] = []

        init(
            lanes: Locked<[HashingLane]>? = nil, _ adjust: (inout EngineSettings) -> Void = { _ in }
        ) async throws {
            server = try FactorDirectory.server(lanes: lanes) {
                $0.enrolment = .proven
                adjust(&$0)
            }
            try await server.signUpWithPassword()
            app = try await TestApp.add(to: try await AccountCaller.withPassword(server))
            caller = try await Self.strong(server, app)
            codes = try await Self.codes(of: caller)
            server.clock.advance(by: 61)
        }

        /// - Parameter index: The place of the app among the user's apps, from the oldest on.
        static func strong(
            _ server: IdentityTestServer, _ app: TestApp, at index: Int = 0
        ) async throws -> AccountCaller {
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope)
            let listed = try await client.introspect(required.token)
            let user = try #require(try await server.storedUsers().first).id
            let tenant = TenantDirectory.development.entries[0].tenant.id
            let account = try #require(try await server.engine.ports.users.account(user, in: tenant))
            let apps = account.strongMethods.filter(\.isApp).sorted { $0.provenAt < $1.provenAt }.map(\.id.text)
            try #require(apps.indices.contains(index), "\(listed)")
            let sent = try await client.signInChallenge(listed.token, id: apps[index])
            let tokens = try await client.token(
                code: app.code(at: server.clock.now), sent.token, grant: "mfa_oob", claims: WireClient.claims,
                scope: AccountCaller.scope)
            server.clock.advance(by: 61)
            return try AccountCaller(tokens, server)
        }

        static func codes(of caller: AccountCaller) async throws -> [String] {
            let made = try await caller.send("POST", RecoveryCodeTests.make, "")
            let codes = made["codes"]?.array.compactMap { $0.string } ?? []
            try #require(!codes.isEmpty, "\(made)")
            return codes
        }

        /// The answer to `mfa_required` in which the user chose the recovery codes.
        func challenged() async throws -> WireAnswer {
            let required = try await server.signIn(claims: WireClient.claims, scope: AccountCaller.scope)
            let listed = try await server.passwordClient.introspect(required.token)
            let last = try #require(listed["methods"]?.array.last, "\(listed)")
            #expect(last["challenge_channel"] == "recovery_code")
            return try await server.passwordClient.signInChallenge(
                listed.token, id: try #require(last["id"]?.string))
        }

        func give(_ code: String, to sent: WireAnswer) async throws -> WireAnswer {
            try await server.passwordClient.token(
                code: code, sent.token, grant: "mfa_oob", claims: WireClient.claims, scope: AccountCaller.scope)
        }

        func signIn(_ code: String) async throws -> WireAnswer { try await give(code, to: try await challenged()) }

        func left() async throws -> JSON? {
            try await caller.send("GET", RecoveryCodeTests.status)["remaining"]
        }
    }

    @Test(
        "SEC-REC-1, SEC-REC-3, SEC-REC-5: a code is listed last, signs in once, is told to each mailbox, and counts down"
    )
    func signsInOnce() async throws {
        let owner = try await Owner()
        #expect(owner.codes.count == 10 && Set(owner.codes).count == 10)
        #expect(owner.codes.allSatisfy { $0.wholeMatch(of: /([0-9A-Z]{4}-){3}[0-9A-Z]{4}/) != nil })
        #expect(try await owner.left() == 10)
        let mails = try await owner.server.mailbox.mails()
        #expect(mails.first?.purpose == .methodRegistered, "making codes is told")
        let sent = try await owner.challenged()
        #expect(sent["code_length"] == 16 && sent["challenge_target_label"] == "Recovery code")
        // As a person types it.
        let tokens = try await owner.give(owner.codes[3].lowercased().replacing("-", with: " "), to: sent)
        #expect(tokens.status == 200, "\(tokens)")
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["amr"] == ["pwd", "recovery"] && access["acr"] == nil)
        #expect(try await owner.left() == 9)
        let told = try await owner.server.mailbox.mails()
        #expect(told.count == mails.count + 1 && told.first?.purpose == .recoveryCodeUsed)
        let again = try await owner.signIn(owner.codes[3])
        expectError(again, "invalid_grant", 50_181, suberror: "invalid_oob_value")
        #expect(try await owner.left() == 9)
    }

    @Test("SEC-REC-3: of fifty flows with one code at once, one signs in")
    func race() async throws {
        let owner = try await Owner()
        var waiting: [WireAnswer] = []
        for _ in 0..<50 { waiting.append(try await owner.challenged()) }
        let (code, racing) = (owner.codes[0], owner)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for sent in waiting { group.addTask { try await racing.give(code, to: sent).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 49, "\(statuses)")
        #expect(try await owner.left() == 9)
    }

    @Test(
        "SEC-REC-4: an account compares ten codes a day, and a flow five; text that is no code is not counted (SEC-REC-8)"
    )
    func budget() async throws {
        let owner = try await Owner { $0.limits = TimeLimits() }
        var sent = try await owner.challenged()
        for text in ["123456", owner.codes[0] + "0", "ABCD-EFGH-JKMN-PQR!", "ÀBCD-EFGH-JKMN-PQRS"] {
            expectError(try await owner.give(text, to: sent), "invalid_grant", 50_181, suberror: "invalid_oob_value")
        }
        func wrong(_ number: Int) -> String { "0000-0000-0000-000\(number)" }
        for number in 0..<10 {
            if number == 5 {
                let right = try await owner.give(owner.codes[0], to: sent)
                #expect(right.status == 400, "the sixth of a flow is not compared")
                sent = try await owner.challenged()
            }
            expectError(
                try await owner.give(wrong(number), to: sent), "invalid_grant", 50_181, suberror: "invalid_oob_value")
        }
        let refused = try await owner.challenged()
        #expect(refused.status == 429, "\(refused)")
        #expect(try await owner.left() == 10)
        owner.server.clock.advance(by: 86_401)
        #expect(try await owner.signIn(owner.codes[0]).status == 200)
    }

    @Test(
        "SEC-REC-6, SEC-ENR-10: a session of a recovery code removes nothing and makes no codes, and adds a method by the own mailbox"
    )
    func recoverySession() async throws {
        let owner = try await Owner()
        let recovered = try AccountCaller(try await owner.signIn(owner.codes[0]), owner.server)
        let lost = try await owner.app.id(of: recovered)
        let refused: [(String, String, String?)] = [
            ("DELETE", Self.apps + "/" + lost, nil), ("POST", Self.make, ""), ("DELETE", AccountCaller.me, nil),
            ("POST", AccountCaller.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"thief@example.net"}"#),
        ]
        for (method, path, body) in refused {
            let answer = try await recovered.send(method, path, body)
            #expect(answer.status == 401 && answer.headers["www-authenticate"]?.contains("claims=") == true, "\(path)")
        }
        let begun = try await recovered.send("POST", AccountCaller.beta + "/nativeAuth.addAuthenticatorApp", "{}")
        #expect(begun.status == 202 && begun["secretKey"] == nil, "the own mailbox comes first: \(begun)")
        let new = try await TestApp.add(to: recovered)
        // SEC-ENR-10: for three days the new app proves what the code has proven, and not more: also to what it enrols.
        let resting = try await Owner.strong(owner.server, new, at: 1)
        #expect(try claims(of: resting.token)["amr"] == ["pwd", "recovery"])
        let ids = try await resting.send("GET", Self.apps)["value"]?.array.compactMap { $0["id"]?.string } ?? []
        for (method, path, body) in refused + [("DELETE", Self.apps + "/" + ids[1], nil)] {
            #expect(try await resting.send(method, path, body).status == 401, "\(path)")
        }
        let second = try await TestApp.add(to: resting)
        let other = try await Owner.strong(owner.server, second, at: 2)
        #expect(try await other.send("DELETE", Self.apps + "/" + lost).status == 401)
        // The owner's methods are what they were, and take the thief's away, with the codes.
        let found = try await Owner.strong(owner.server, owner.app)
        #expect(try claims(of: found.token)["amr"] == ["pwd", "otp", "mfa"])
        #expect(try await found.send("DELETE", Self.apps + "/" + ids[1]).status == 204)
        #expect(try await found.send("GET", Self.status)["remaining"] == 0)
        owner.server.clock.advance(by: .seconds(72 * 3_600))
        let rested = try await Owner.strong(owner.server, second, at: 1)
        #expect(try claims(of: rested.token)["amr"] == ["pwd", "otp", "mfa"])
        let gone = try await rested.send("DELETE", Self.apps + "/" + lost)
        #expect(gone.status == 204, "\(gone)")
    }

    @Test("SEC-REC-6: a password and a list add no method where a password alone may add one")
    func compatibleMode() async throws {
        let owner = try await Owner { $0.enrolment = .compatible }
        let recovered = try AccountCaller(try await owner.signIn(owner.codes[0]), owner.server)
        for (path, body) in [
            ("addAuthenticatorApp", "{}"), ("addEmailMethod", #"{"emailAddress":"thief@example.net"}"#),
        ] {
            let begun = try await recovered.send("POST", AccountCaller.beta + "/nativeAuth.\(path)", body)
            #expect(begun.status == 202 && begun["secretKey"] == nil, "\(begun)")
            let told = try #require(try await owner.server.mailbox.mails().first)
            #expect(told.to == IdentityTestServer.email && told.code != nil, "the own mailbox comes first")
        }
    }

    @Test("SEC-REC-7: a change of the address that is taken back ends the codes")
    func addressTakenBack() async throws {
        let owner = try await Owner()
        #expect(try await owner.caller.changeEmail(to: "dana@new.example") == 204)
        #expect(try await owner.left() == 10)
        #expect(try await AccountCaller.takeBack(owner.server, toldTo: IdentityTestServer.email) == 204)
        #expect(try await owner.server.rows("SELECT id FROM users WHERE recovery IS NOT NULL").isEmpty)
    }

    @Test("SEC-REC-7: new codes and a reset end the codes before, and so does the removal of the last method")
    func ends() async throws {
        let owner = try await Owner()
        let old = owner.codes
        let strong = try await Owner.strong(owner.server, owner.app)
        let thief = try AccountCaller(try await owner.signIn(old[1]), owner.server)
        let codes = try await Owner.codes(of: strong)
        #expect(try await !thief.isLive, "the session of an old code")
        owner.server.clock.advance(by: 61)
        #expect(try await owner.signIn(old[0]).status == 400)
        #expect(try await owner.signIn(codes[0]).status == 200)
        try await owner.server.reset()
        #expect(try await owner.server.rows("SELECT id FROM users WHERE recovery IS NOT NULL").isEmpty)

        let other = try await Owner()
        let caller = try await Owner.strong(other.server, other.app)
        let id = try await other.app.id(of: caller)
        #expect(try await caller.send("DELETE", Self.apps + "/" + id).status == 204)
        #expect(try await other.server.rows("SELECT id FROM users WHERE recovery IS NOT NULL").isEmpty)
    }

    @Test("Only a session of two factors makes codes, for a user with a method, where the tenant offers them")
    func whoMayMake() async throws {
        let server = try FactorDirectory.server { $0.enrolment = .proven }
        try await server.signUpWithPassword()
        let alone = try await AccountCaller.withPassword(server)
        let none = try await alone.send("POST", Self.make, "")
        #expect(none.status == 400 && none["error"]?["details"]?.array.first?["code"] == "MethodNotAllowed", "\(none)")
        let app = try await TestApp.add(to: alone)
        let weak = try await AccountCaller.withPassword(server)
        let path = AccountCaller.beta + "/authentication/softwareOathMethods/" + (try await app.id(of: weak))
        let name = #"{"displayName":"Lost? Call +44 20 7946 0000"}"#
        #expect(try await weak.send("PATCH", path, name).status == 401, "the name is shown at sign-ins")
        #expect(try await alone.send("PATCH", path, #"{"displayName":"Phone"}"#).status == 204, "who added it names it")
        #expect(try await weak.send("POST", Self.make, "").status == 401)
        #expect(try await weak.send("GET", Self.status)["remaining"] == 0)
    }

    @Test("SEC-REC-2: no code is in the database, and a guess costs one hash, whether or not its name is known")
    func hashes() async throws {
        let lanes = Locked<[HashingLane]>([])
        let owner = try await Owner(lanes: lanes)
        let stored = try await owner.server.rows("SELECT recovery FROM users WHERE recovery IS NOT NULL")
        #expect(stored.count == 1)
        for code in owner.codes {
            #expect(!"\(stored)".contains(code) && !"\(stored)".contains(code.replacing("-", with: "")))
        }
        let tags = Set(owner.codes.map { String($0.prefix(2)) })
        let unknown = try #require(
            ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "0A"].first { !tags.contains($0) })
        let sent = try await owner.challenged()
        for (code, status, hashes) in [
            ("ABCD", 400, 0), (unknown + "00-0000-0000-0000", 400, 1),
            (owner.codes[0].prefix(2) + "00-0000-0000-0000", 400, 1), (owner.codes[0], 200, 1),
        ] as [(String, Int, Int)] {
            let before = lanes.withLock { $0.count }
            #expect(try await owner.give(code, to: sent).status == status, "\(code)")
            #expect(lanes.withLock { $0.count } - before == hashes, "\(code)")
        }
    }

    @Test("At the pages another code goes to the method that was chosen, and not to the oldest one")
    func sendAgain() async throws {
        let owner = try await Owner()
        let second = "second@example.org"
        #expect(try await owner.caller.prove(second, by: "addEmailMethod", "confirmEmailMethod") == 204)
        owner.server.clock.advance(by: 61)
        let visitor = TestBrowser(owner.server)
        try await visitor.get(TestRelyingParty(.emailPassword).path(["claims": WireClient.claims]))
        try await visitor.submit(["username": IdentityTestServer.email])
        try await visitor.submit(["password": WireClient.password])
        #expect(visitor.title == "One more check", "\(visitor.html)")
        // The app, the mailbox, the recovery codes.
        let choices = visitor.html.matches(of: /name="method" value="([0-9a-f-]+)"/).map { String($0.1) }
        try #require(choices.count == 3)
        try await visitor.submit(["method": choices[1]])
        #expect(visitor.title == "Check your mail", "\(visitor.html)")
        owner.server.clock.advance(by: 61)
        try await visitor.submit([:], action: "resend")
        #expect(visitor.title == "Check your mail", "\(visitor.html)")
        let codes = try await owner.server.mailbox.mails().filter { $0.purpose == .secondFactor }
        #expect(codes.count == 2 && codes.allSatisfy { $0.to == second })
    }

    @Test("A user makes codes at the account page, and signs in with one at the pages")
    func pages() async throws {
        let owner = try await Owner()
        let browser = TestBrowser(owner.server)
        try await browser.get("/contoso/account/methods")
        try await browser.submit(["username": IdentityTestServer.email])
        try await browser.submit(["password": WireClient.password])
        if browser.title == "Confirm that it is you" { try await browser.submit([:]) }
        #expect(browser.title == "Enter the code of your app", "\(browser.html)")
        try await browser.submit(["code": owner.app.code(at: owner.server.clock.now)])
        #expect(browser.html.contains("Codes left: 10"), "\(browser.html)")
        try await browser.submit([:], action: "make-codes")
        let codes = browser.html.matches(of: /<li><code[^>]*>([0-9A-Z-]{19})<\/code>/).map { String($0.1) }
        #expect(codes.count == 10 && browser.html.contains("They are shown only now"), "\(browser.html)")
        #expect(browser.html.contains("download=\"recovery-codes.txt\""))
        try await browser.get("/contoso/account/methods")
        #expect(!browser.html.contains(codes[0]), "shown once")
        owner.server.clock.advance(by: 61)

        let party = TestRelyingParty(.emailPassword)
        let visitor = TestBrowser(owner.server)
        try await visitor.get(party.path(["claims": WireClient.claims]))
        try await visitor.submit(["username": IdentityTestServer.email])
        try await visitor.submit(["password": WireClient.password])
        #expect(visitor.title == "Enter the code of your app", "the usual method needs no choice: \(visitor.html)")
        try await visitor.submit([:], action: "others")
        let choice = try #require(
            visitor.html.matches(of: /name="method" value="([0-9a-f-]+)"/).map { String($0.1) }.last)
        try await visitor.submit(["method": choice])
        #expect(visitor.title == "Enter a recovery code", "\(visitor.html)")
        try await visitor.submit(["code": "0000-0000-0000-0000"])
        #expect(visitor.status == 422 && visitor.html.contains("it was used before"), "\(visitor.html)")
        try await visitor.submit(["code": codes[9]])
        #expect(visitor.title == "One moment" || visitor.status == 303, "\(visitor.html)")
        try await visitor.get("/contoso/account/methods")
        #expect(visitor.html.contains("You signed in with a recovery code"), "\(visitor.html)")
        #expect(!visitor.html.contains("Make new codes"))
    }
}
