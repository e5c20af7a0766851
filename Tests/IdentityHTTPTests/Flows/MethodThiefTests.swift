import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// One script for each thief: what can be bound to an account, by every entrance, and what the owner hears of it.
@Suite("Thieves of methods") struct MethodThiefTests {
    private static let thief = "thief@example.net"
    private static let dana = IdentityTestServer.email

    /// - Parameter limits: With limits the server knows the networks of requests.
    private static func server(limits: TimeLimits? = TimeLimits()) throws -> IdentityTestServer {
        try FactorDirectory.server {
            $0.enrolment = .proven
            $0.limits = limits
        }
    }

    private func methods(_ server: IdentityTestServer) async throws -> [String?] {
        try await server.rows("SELECT email FROM strong_methods ORDER BY proven_at").compactMap(\.first)
    }

    /// Asks the account API, from the network 203.0.113.0/24.
    private func ask(
        _ method: String, _ path: String, _ body: String, _ token: String, _ server: IdentityTestServer
    ) async throws -> WireAnswer {
        let home = try server.client(from: "203.0.113.9")
        return try await home.send(
            home.request(
                method, path, headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
                body: Data(body.utf8)))
    }

    @Test(
        "SEC-ENR-2: a thief with only the password binds nothing: not natively, not by the account API, not at the pages"
    )
    func thiefOfThePassword() async throws {
        let server = try Self.server(limits: nil)
        try await server.signUpWithPassword()
        func nothingIsBound(_ entrance: Comment) async throws {
            #expect(try await methods(server).isEmpty, entrance)
            #expect(try await server.storedUsers().map(\.email) == [Self.dana], entrance)
            #expect(try await server.mailbox.mails().allSatisfy { $0.to == Self.dana }, entrance)
        }
        // The native API.
        let required = try await server.signIn(claims: WireClient.claims)
        expectError(
            try await server.passwordClient.registerChallenge(required.token, contact: Self.thief), "access_denied",
            550_024, suberror: "provider_blocked_by_rep")
        try await nothingIsBound("native")
        // The account API: the code goes to the owner, and a guess binds nothing.
        let caller = try await AccountCaller.withPassword(server)
        for (begin, confirm) in [("addEmailMethod", "confirmEmailMethod"), ("changeEmail", "confirmEmail")] {
            server.clock.advance(by: 61)
            let begun = try await caller.send(
                "POST", AccountCaller.beta + "/nativeAuth.\(begin)", #"{"emailAddress":"\#(Self.thief)"}"#)
            #expect(begun.status == 202, "\(begun)")
            let token = try #require(begun.text("continuationToken"))
            for operation in [begin, confirm] {
                for member in [#""code":"00000000""#, #""emailAddress":"\#(Self.thief)""#] {
                    let answer = try await caller.send(
                        "POST", AccountCaller.beta + "/nativeAuth.\(operation)",
                        #"{"continuationToken":"\#(token)",\#(member)}"#)
                    #expect(answer.status != 204, "\(operation) \(member): \(answer)")
                }
            }
            try await nothingIsBound("account API")
        }
        // The hosted pages.
        let party = TestRelyingParty(.emailPassword)
        let browser = TestBrowser(server)
        try await browser.get(party.path(["claims": WireClient.claims]))
        try await browser.submit(["username": Self.dana])
        try await browser.submit(["password": WireClient.password])
        #expect(browser.title == "Add a second mailbox", "\(browser.html)")
        try await browser.submit(["contact": Self.thief])
        #expect(browser.status == 422 && browser.title == "Add a second mailbox")
        try await nothingIsBound("hosted pages")
        // The account page.
        let visitor = TestBrowser(server)
        try await visitor.get("/contoso/account/methods")
        try await visitor.submit(["username": Self.dana])
        try await visitor.submit(["password": WireClient.password])
        #expect(visitor.title == "Sign-in methods", "\(visitor.html)")
        server.clock.advance(by: 61)
        try await visitor.submit(["contact": Self.thief], action: "add")
        #expect(visitor.title == "Check your mail", "\(visitor.html)")
        try await visitor.submit(["code": "00000000"])
        try await nothingIsBound("account page")
    }

    @Test(
        "SEC-ENR-2: who learns a password that came from a reset changes no address and adds no method without the mailbox"
    )
    func thiefOfAPasswordFromAReset() async throws {
        let server = try Self.server(limits: nil)
        try await server.signUpWithPassword()
        try await server.reset()
        server.clock.advance(by: 90 * 86_400)
        let caller = try await AccountCaller.withPassword(server, password: WireClient.newPassword)
        for operation in ["changeEmail", "addEmailMethod"] {
            server.clock.advance(by: 61)
            let begun = try await caller.send(
                "POST", AccountCaller.beta + "/nativeAuth.\(operation)", #"{"emailAddress":"\#(Self.thief)"}"#)
            #expect(begun.status == 202, "\(begun)")
            #expect(try await server.mailbox.mails().first?.to == Self.dana, "the code goes to the owner")
        }
        #expect(try await server.mailbox.mails().allSatisfy { $0.to == Self.dana })
        // The owner has the mailbox, and does both.
        server.clock.advance(by: 61)
        #expect(try await caller.prove("second@example.org", by: "addEmailMethod", "confirmEmailMethod") == 204)
    }

    @Test("SEC-ENR-7: a method that its owner removed comes back by no flow, no reset and no change of address")
    func removedMethodsStayAway() async throws {
        let server = try Self.server()
        try await server.signUpWithTwoFactors()
        server.clock.advance(by: 700)
        // A thief with the password and that mailbox is about to give the second factor.
        let required = try await server.signIn(claims: WireClient.claims)
        let sent = try await server.secondFactorChallenge(required.token)
        let code = try await server.mailbox.code(to: IdentityTestServer.contact)
        server.clock.advance(by: 61)
        let signedIn = try await server.signInWithSecondFactor()
        let strong = try AccountCaller(
            try await server.passwordClient.post(
                .token,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", try #require(signedIn.text("refresh_token"))),
                    ("scope", AccountCaller.scope),
                ]), server)
        let listed = try await strong.send("GET", AccountCaller.me + "/authentication/emailMethods")
        let id = try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)")
        let removed = try await ask(
            "DELETE", AccountCaller.me + "/authentication/emailMethods/\(id)", "", strong.token, server)
        #expect(removed.status == 204, "\(removed)")
        let late = try await server.passwordClient.token(
            code: code, sent.token, grant: "mfa_oob", claims: WireClient.claims)
        #expect(late.status == 400 && late["access_token"] == nil, "\(late)")
        #expect(try await methods(server).isEmpty)
        try await server.reset()
        #expect(try await methods(server).isEmpty)
        let next = try await server.signIn(password: WireClient.newPassword, claims: WireClient.claims)
        #expect(next.text("suberror") != "mfa_required", "no code goes there: \(next)")
    }

    @Test("SEC-ENR-5: the notice of a removal says to each mailbox which method went, and from where")
    func noticeOfARemoval() async throws {
        let server = try Self.server()
        try await server.signUpWithTwoFactors()
        server.clock.advance(by: 61)
        let signedIn = try await server.signInWithSecondFactor()
        let strong = try AccountCaller(
            try await server.passwordClient.post(
                .token,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", try #require(signedIn.text("refresh_token"))),
                    ("scope", AccountCaller.scope),
                ]), server)
        let listed = try await strong.send("GET", AccountCaller.me + "/authentication/emailMethods")
        let id = try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)")
        let removed = try await ask(
            "DELETE", AccountCaller.me + "/authentication/emailMethods/\(id)", "", strong.token, server)
        #expect(removed.status == 204, "\(removed)")
        let told = try await server.mailbox.mails().filter { $0.purpose == .methodRemoved }
        #expect(Set(told.map(\.to)) == [Self.dana, IdentityTestServer.contact])
        for mail in told {
            #expect(mail.occasion?.methods == ["d***e@ex***le.org"])
            #expect(mail.occasion?.network == "203.0.113.0/24")
        }
    }
}
