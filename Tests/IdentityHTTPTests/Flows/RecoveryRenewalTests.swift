import IdentityEngine
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Recovery codes that run low: what the account says, and where the pages lead.
@Suite("Recovery codes that run low") struct RecoveryRenewalTests {
    private typealias Owner = RecoveryCodeTests.Owner

    private static let party = TestRelyingParty(client: FactorDirectory.page, redirect: "https://pages.example/done")

    /// How many codes the database has.
    private static func left(_ owner: Owner) async throws -> Int? {
        let user = try #require(try await owner.server.storedUsers().first)
        return try await owner.server.engine.ports.users.account(user.id, in: user.tenant)?.recovery?.codes.count
    }

    /// A user with the app, who has used all codes but `left`; a day has passed.
    private static func owner(left: Int) async throws -> Owner {
        let owner = try await Owner()
        for code in owner.codes.dropFirst(left) { #expect(try await owner.signIn(code).status == 200) }
        owner.server.clock.advance(by: .seconds(86_401))
        return owner
    }

    /// A browser in which the user has given the password and the code of the app.
    private static func visitor(_ owner: Owner, _ party: TestRelyingParty) async throws -> TestBrowser {
        let visitor = TestBrowser(owner.server)
        try await visitor.get(party.path(["claims": WireClient.claims]))
        try await visitor.submit(["username": IdentityTestServer.email])
        try await visitor.submit(["password": WireClient.password])
        try await visitor.submit(["code": owner.app.code(at: owner.server.clock.now)])
        owner.server.clock.advance(by: 61)
        return visitor
    }

    @Test("SEC-REC-5: the account suggests new codes from three on and demands them at none; no sign-in changes")
    func account() async throws {
        let owner = try await Owner()
        var said: [String?] = []
        var members: Set<Set<String>> = []
        for code in owner.codes {
            said.append(try await owner.caller.send("GET", RecoveryCodeTests.status)["renewal"]?.string)
            let tokens = try await owner.signIn(code)
            members.insert(Set(tokens.members.keys))
        }
        let end = try await owner.caller.send("GET", RecoveryCodeTests.status)
        #expect(said == Array(repeating: "none", count: 7) + Array(repeating: "suggested", count: 3))
        #expect(end["renewal"] == "demanded" && end["remaining"] == 0, "\(end)")
        #expect(members.count == 1, "the answer of the last code is that of the first")
        owner.server.clock.advance(by: .seconds(86_401))
        let later = try await Owner.strong(owner.server, owner.app)
        #expect(try claims(of: later.token)["amr"] == ["pwd", "otp", "mfa"], "no sign-in is refused")
        let made = try await later.send("POST", RecoveryCodeTests.make, "")
        #expect(made["renewal"] == "none" && made["remaining"] == 10, "\(made)")
    }

    @Test("SEC-REC-5: a user who never made codes is asked for none")
    func never() async throws {
        let server = try FactorDirectory.server { $0.enrolment = .proven }
        try await server.signUpWithPassword()
        _ = try await TestApp.add(to: try await AccountCaller.withPassword(server))
        let status = try await AccountCaller.withPassword(server).send("GET", RecoveryCodeTests.status)
        #expect(status["renewal"] == "none" && status["remaining"] == 0, "\(status)")
    }

    @Test("SEC-REC-5: with few codes left a sign-in at the pages suggests new ones, and goes on without")
    func suggestion() async throws {
        let owner = try await Self.owner(left: 3)
        let party = Self.party
        let visitor = try await Self.visitor(owner, party)
        #expect(
            visitor.title == "Recovery codes" && visitor.html.contains("three recovery codes or fewer"),
            "\(visitor.html)")
        #expect(visitor.html.contains("Not now") && visitor.answer["code"] == nil)
        try await visitor.submit([:], action: "next")
        let code = try #require(visitor.answer["code"], "\(visitor.html)")
        #expect(
            try await party.redeem(code, at: owner.server, headers: ["origin": "https://pages.example"]).status == 200)
        try await visitor.get(party.path(["claims": WireClient.claims]))
        #expect(visitor.answer["code"] != nil, "the session is no new sign-in")
        try await visitor.get("/contoso/account")
        #expect(
            visitor.html.contains("three recovery codes or fewer") && visitor.html.contains("/account/methods"),
            "\(visitor.html)")

        let other = try await Self.visitor(owner, party)
        try await other.submit([:], action: "make-codes")
        let codes = other.html.matches(of: /<li><code[^>]*>([0-9A-Z-]{19})<\/code>/).map { String($0.1) }
        #expect(codes.count == 10 && !other.html.contains("Not now"), "\(other.html)")
        try await other.submit([:], action: "next")
        #expect(other.answer["code"] != nil, "\(other.html)")
        #expect(try await Self.left(owner) == 10)
        try await other.get("/contoso/account")
        #expect(!other.html.contains("three recovery codes or fewer"))
    }

    @Test("SEC-REC-5: with no code left a sign-in of two factors at the pages goes on when new ones are made")
    func demand() async throws {
        let owner = try await Self.owner(left: 0)
        let party = Self.party
        let visitor = try await Self.visitor(owner, party)
        #expect(visitor.title == "Recovery codes" && visitor.html.contains("used all"), "\(visitor.html)")
        #expect(!visitor.html.contains("Not now"))
        try await visitor.submit([:], action: "next")
        #expect(visitor.title == "Recovery codes" && visitor.answer["code"] == nil, "\(visitor.html)")
        // Who closes the page and comes back is where they were; an application that may not ask the user gets its answer.
        try await visitor.get(party.path(["claims": WireClient.claims]))
        #expect(visitor.title == "Recovery codes" && visitor.answer["code"] == nil, "\(visitor.html)")
        let again = visitor.html
        try await visitor.get(party.path(["claims": WireClient.claims, "prompt": "none"]))
        #expect(visitor.answer["code"] != nil)
        try await visitor.get("/contoso/account")
        #expect(visitor.html.contains("used all"), "\(visitor.html)")
        try await visitor.get(party.path(["claims": WireClient.claims]))
        #expect(again.contains("Make new codes"))
        try await visitor.submit([:], action: "make-codes")
        #expect(visitor.html.contains("They are shown only now"), "\(visitor.html)")
        try await visitor.submit([:], action: "next")
        let code = try #require(visitor.answer["code"], "\(visitor.html)")
        let tokens = try await party.redeem(code, at: owner.server, headers: ["origin": "https://pages.example"])
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await Self.left(owner) == 10)
    }

    @Test("SEC-REC-5: an app that asks the user to go on as before does not go on without the codes that are demanded")
    func confirmed() async throws {
        let owner = try await Self.owner(left: 0)
        let app = TestRelyingParty(.emailPassword)
        let visitor = try await Self.visitor(owner, app)
        #expect(visitor.title == "Recovery codes", "\(visitor.html)")
        try await visitor.get(app.path(["claims": WireClient.claims]))
        #expect(visitor.title == "Continue to Password", "\(visitor.html)")
        try await visitor.submit([:])
        #expect(visitor.title == "Recovery codes" && visitor.answer["code"] == nil, "\(visitor.html)")
        try await visitor.submit([:], action: "make-codes")
        try await visitor.submit([:])
        #expect(visitor.answer["code"] != nil, "\(visitor.html)")
    }

    @Test("SEC-REC-5: no user is locked out: a sign-in that may make no codes goes on, and an old page begins again")
    func neverLockedOut() async throws {
        let owner = try await Owner()
        for code in owner.codes.dropLast() { #expect(try await owner.signIn(code).status == 200) }
        owner.server.clock.advance(by: .seconds(86_401))
        let party = Self.party
        let visitor = TestBrowser(owner.server)
        try await visitor.get(party.path(["claims": WireClient.claims]))
        try await visitor.submit(["username": IdentityTestServer.email])
        try await visitor.submit(["password": WireClient.password])
        try await visitor.submit([:], action: "others")
        let choice = try #require(
            visitor.html.matches(of: /name="method" value="([0-9a-f-]+)"/).map { String($0.1) }.last)
        try await visitor.submit(["method": choice])
        try await visitor.submit(["code": try #require(owner.codes.last)])
        #expect(visitor.answer["code"] != nil, "the last code signs in: \(visitor.html)")
        try await visitor.get("/contoso/account")
        #expect(!visitor.html.contains("used all"), "its session makes none (SEC-REC-6): \(visitor.html)")
        owner.server.clock.advance(by: .seconds(86_401))

        let alone = TestBrowser(owner.server)
        try await alone.get(party.path())
        try await alone.submit(["username": IdentityTestServer.email])
        try await alone.submit(["password": WireClient.password])
        #expect(alone.answer["code"] != nil, "a sign-in of one factor: \(alone.html)")

        let late = try await Self.visitor(owner, party)
        #expect(late.title == "Recovery codes")
        owner.server.clock.advance(by: .seconds(600))
        try await late.submit([:], action: "make-codes")
        #expect(late.title == "Sign in", "the proof is too old: \(late.html)")
        #expect(try await Self.left(owner) == 0)
    }
}
