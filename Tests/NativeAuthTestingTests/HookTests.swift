import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

@Suite("TestTenant: hooks", .timeLimit(.minutes(1)))
struct HookTests {
    private struct Down: Error {}

    private func claim(_ name: String, of account: Account) async throws -> Any? {
        let token = try await account.accessToken().value
        var part = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        part += String(repeating: "=", count: (4 - part.utf8.count % 4) % 4)
        let data = try #require(Data(base64Encoded: part))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])[name]
    }

    @Test func aClosureGivesClaims() async throws {
        let tenant = try TestTenant()
        tenant.hooks.giveClaims(named: ["tier"]) { user in
            ["tier": .text(user.email == dana ? "gold" : "none"), "unlisted": .text("x")]
        }
        let account = try await tenant.signUp()
        #expect(try await claim("tier", of: account) as? String == "gold")
        #expect(try await claim("unlisted", of: account) == nil)
        tenant.hooks.giveClaims(named: [], nil)
        let refreshed = try await account.accessToken(policy: .force).value
        #expect(!refreshed.isEmpty)
        #expect(try await claim("tier", of: account) == nil)
    }

    @Test func aClosureJudgesAttributes() async throws {
        let tenant = try TestTenant { $0.applications = [.emailOneTimePasscodeWithAttributes] }
        tenant.hooks.onCollectionStart { _ in .prefill(["country": "Denmark"]) }
        tenant.hooks.onAttributesSubmitted { signUp in
            switch signUp.attributes["city"] {
            case "Atlantis"?: .refuse(["city"], reason: "No such city.")
            case _: .modify(["city": "RIBE"])
            }
        }
        let sent = try await tenant.client.startSignUp(username: dana)
        let step = try await sent.submit(code: tenant.mailbox.code(for: dana)).attributes
        #expect(step.required.map(\.name) == ["city"])
        let refused = try await nameOfError { try await step.submit(["city": "Atlantis"]) }
        #expect(refused == "invalidAttributes")
    }

    @Test func aClosureEndsASignUp() async throws {
        let tenant = try TestTenant()
        tenant.hooks.onCollectionStart { _ in .block(reason: "Members only.") }
        let sent = try await tenant.client.startSignUp(username: dana)
        let code = try await tenant.mailbox.code(for: dana)
        await #expect { try await sent.submit(code: code) } throws: { "\($0)".contains("Members only.") }
    }

    @Test func aClosureThatThrowsIsAReceiverThatFails() async throws {
        let tenant = try TestTenant()
        tenant.hooks.onAttributesSubmitted { _ in throw Down() }
        let sent = try await tenant.client.startSignUp(username: dana)
        let code = try await tenant.mailbox.code(for: dana)
        #expect(try await nameOfError { try await sent.submit(code: code) } != "none")
        tenant.hooks.letFailuresPass = true
        try await tenant.signUp("eve@example.com")
    }

    @Test func aClosureMovesPasswords() async throws {
        let tenant = try TestTenant { $0.applications = [.emailPassword] }
        let attribute = "extension_toMove"
        for email in [dana, "eve@example.com"] {
            var user = TestTenant.User(email)
            user.attributes = [attribute: true]
            try await tenant.add(user)
        }
        tenant.hooks.onPasswordSubmitted(whileTrue: attribute) { asked in
            switch (asked.email, asked.password) {
            case (dana, "Old-Harbour#42"): .migrate
            case ("eve@example.com", _): .block(reason: "Ask the shop.")
            case _: .retry
            }
        }
        let wrong = try await nameOfError {
            try await tenant.client.startSignIn(username: dana, password: "Old-Harbour#43")
        }
        #expect(wrong == "invalidCredentials")
        _ = try await tenant.client.startSignIn(username: dana, password: "Old-Harbour#42").account
        tenant.hooks.onPasswordSubmitted(whileTrue: attribute) { _ in .update }
        await #expect { try await tenant.client.startSignIn(username: "eve@example.com", password: "x") } throws: {
            error in
            "\(error)".contains("50142")
        }
        tenant.hooks.onPasswordSubmitted(whileTrue: attribute, nil)
        _ = try await tenant.client.startSignIn(username: dana, password: "Old-Harbour#42").account
    }
}
