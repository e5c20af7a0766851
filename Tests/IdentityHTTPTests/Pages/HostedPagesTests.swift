import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Sign-up, sign-in, second factor and reset at hosted pages, to a code and its tokens.
@Suite("Hosted pages")
struct HostedPagesTests {
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"

    private func claims(_ answer: WireAnswer, _ token: String = "id_token") throws -> [String: JSON] {
        let text = try #require(answer.text(token))
        let payload = try #require(Base64URL.decode(String(text.split(separator: ".")[1])))
        return try JSONDecoder().decode([String: JSON].self, from: payload)
    }

    @Test("OIDC-5, OIDC-7, OIDC-18: a sign-up with password at the pages ends with a code, and the code with tokens")
    func signUp() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            #expect(browser.title == "One moment")
            #expect(browser.answer["state"] == "st|{\"a\":1}")
            let issuer = "https://identity.test/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0"
            #expect(browser.answer["iss"] == issuer)
            let answer = try await party.redeem(try #require(browser.answer["code"]), at: server)
            #expect(answer.status == 200)
            #expect(Set(answer.members.keys) == WireClient.tokenMembers)
            let claims = try claims(answer)
            #expect(claims["nonce"]?.string == "n-1")
            #expect(claims["iss"]?.string == issuer)
            #expect(claims["amr"] == ["pwd", "otp", "mfa"])
            #expect(try await server.storedUsers().map(\.email) == [email])
        }
    }

    @Test("A user with a code signs up and in at the pages", arguments: [false, true])
    func codes(hasAttributes: Bool) async throws {
        try await withIdentityServer { server in
            let party = TestRelyingParty(hasAttributes ? .emailOneTimePasscodeWithAttributes : .emailOneTimePasscode)
            let browser = TestBrowser(server)
            try await browser.get(party.path())
            #expect(browser.title == "Sign in")
            try await browser.submit(["username": email], action: "switch")
            #expect(browser.title == "Create your account")
            try await browser.submit(["username": email])
            try await browser.submit(["code": try await server.mailbox.code(to: email)])
            if hasAttributes {
                #expect(browser.title == "About you")
                try await browser.submit(["country": "Denmark", "city": ""])
                #expect(browser.status == 422)
                try await browser.submit(["country": "Denmark", "city": "Aarhus"])
            }
            #expect(browser.answer["code"] != nil)
            let other = TestBrowser(server)
            try await other.get(party.path())
            try await other.submit(["username": email])
            #expect(other.title == "Check your mail")
            try await other.submit(["code": try await server.mailbox.code(to: email)])
            let answer = try await party.redeem(try #require(other.answer["code"]), at: server)
            #expect(answer.status == 200)
        }
    }

    @Test("A wrong password or code is told on the same page, with its status, and the flow goes on")
    func mistakes() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let other = TestBrowser(server)
            try await other.get(party.path())
            try await other.submit(["username": "none@example.com"])
            #expect(other.status == 422 && other.problem?.hasPrefix("There is no account") == true)
            try await other.submit(["username": email])
            try await other.submit(["password": "wrong"])
            #expect(other.status == 422 && other.problem == "This is not the right password.")
            #expect(!other.html.contains("wrong"))
            try await other.submit(["password": TestBrowser.password])
            #expect(other.answer["code"] != nil)
        }
    }

    @Test("A forgotten password is reset at the pages, and the sessions of other browsers end")
    func reset() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let other = TestBrowser(server)
            try await other.get(party.path())
            try await other.submit(["username": email])
            try await other.submit(["password": ""], action: "forgot")
            #expect(other.title == "Check your mail")
            try await other.submit(["code": try await server.mailbox.code(to: email)])
            #expect(other.title == "Choose a new password")
            try await other.submit(["new-password": "short"])
            #expect(other.status == 422)
            try await other.submit(["new-password": "Anden-Vinter#93"])
            #expect(other.answer["code"] != nil)
            try await browser.get(party.path())
            #expect(browser.title == "Sign in")
        }
    }

    @Test(
        "SEC-MFA-1, OIDC-15: a demanded context asks a signed-in user for the missing factor only, and registers the first"
    )
    func stepUp() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            let other = TestBrowser(server)
            try await other.signIn(email, for: party)
            #expect(other.answer["code"] != nil)
            let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
            try await other.get(party.path(["claims": claims, "prompt": "none"]))
            #expect(other.answer["error"] == "interaction_required")
            try await other.get(party.path(["claims": claims]))
            #expect(other.title == "Continue to Password")
            try await other.submit([:])
            #expect(other.title == "Add a second mailbox")
            try await other.submit(["contact": "second@example.org"])
            #expect(other.title == "Check your mail")
            try await other.submit(["code": try await server.mailbox.code(to: "second@example.org")])
            let answer = try await party.redeem(try #require(other.answer["code"]), at: server)
            #expect(try self.claims(answer, "access_token")["acrs"] == ["c1"])
            // A resource server's challenge names it in acr_values (RFC 9470 section 4). Other words are wishes.
            for (words, isAnswered) in [("c1", false), ("urn:example:gold c1", false), ("urn:example:gold", true)] {
                let stranger = TestBrowser(server)
                try await stranger.signIn(email, for: party, ["acr_values": words])
                #expect((stranger.answer["code"] != nil) == isAnswered, "\(words)")
            }
            // The next sign-in asks for it.
            let third = TestBrowser(server)
            try await third.signIn(email, for: party, ["claims": claims])
            #expect(third.title == "Check your mail")
            try await third.submit(["code": try await server.mailbox.code(to: "second@example.org")])
            #expect(third.answer["code"] != nil)
        }
    }

    @Test("SEC-WEB-17: the user can cancel on every page, and the client hears of it")
    func cancel() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path())
            try await browser.submit([:], action: "cancel")
            #expect(browser.answer["error"] == "access_denied" && browser.answer["state"] == "st|{\"a\":1}")
            try await browser.get(party.path(["prompt": "create"]))
            try await browser.submit(["username": email])
            try await browser.submit([:], action: "cancel")
            #expect(browser.answer["error"] == "access_denied")
            #expect(browser.cookies.keys.allSatisfy { !$0.contains("-f0-") })
        }
    }

    @Test("A page that refused the first form can be loaded again, and another try at a sign-up is a sign-up")
    func secondTries() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path())
            let page = try #require(browser.forms.first).action
            try await browser.submit(["username": "none@example.com"])
            #expect(browser.status == 422)
            try await browser.get(page)
            #expect(browser.status == 200 && browser.title == "Sign in")
            try await browser.submit(["username": email], action: "switch")
            try await browser.submit(["username": email])
            #expect(browser.title == "Check your mail")
            try await browser.submit([:], action: "restart")
            #expect(browser.title == "Create your account")
        }
    }

    @Test("SEC-WEB-9: GET of a page has no effect: reloads change no row, mail or counter")
    func reloads() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path(["prompt": "create"]))
            let before = try await server.snapshot()
            for _ in 0..<20 { try await browser.get(party.path(["prompt": "create"])) }
            #expect(try await server.snapshot() == before)
            try await browser.submit(["username": email], follows: false)
            let page = try #require(browser.location)
            let during = try await server.snapshot()
            for _ in 0..<20 {
                try await browser.get(page)
                #expect(browser.title == "Check your mail")
            }
            #expect(try await server.snapshot() == during)
        }
    }

    @Test("A form of an earlier page is answered with the present page, and has no effect")
    func oldForms() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path(["prompt": "create"]))
            let first = try #require(browser.forms.first)
            try await browser.submit(["username": email])
            let users = try await server.snapshot()
            let fields = first.fields.map { ($0.0, $0.0 == "username" ? "other@example.com" : $0.1) }
            try await browser.post(first.action, fields + [(".action", "next")])
            #expect(browser.title == "Check your mail")
            #expect(browser.html.contains("That step is done already"))
            #expect(try await server.snapshot() == users)
        }
    }
}
