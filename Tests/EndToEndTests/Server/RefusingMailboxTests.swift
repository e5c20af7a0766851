import Foundation
import Testing

/// A mail server that refuses mailboxes, and what users and operators hear of it.
@Suite("Mailboxes that refuse", .timeLimit(.minutes(2)))
struct RefusingMailboxTests {
    private func withServer(
        _ reply: String, enumeration: String = "compat", _ body: (NativeAPI, NativeAuthServer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script = Python.package.appending(path: "Tests/IdentityMailTests/Support/smtp_script.py").path
        let mail = try await PythonServer.start([script, reply])
        let file = folder.url.appending(path: "tenants.yaml")
        let text = TenantFileTests.small.replacing(
            "displayName: Harbour\n    applications",
            with: "displayName: Harbour\n    enumeration: \(enumeration)\n    applications")
        try Data(text.utf8).write(to: file)
        let server = try await NativeAuthServer.start(
            arguments: ["--config", file.path, "--smtp", "smtp://127.0.0.1:\(mail.port)", "--limits", "production"],
            dataFolder: folder.url.appending(path: "data"))
        let api = NativeAPI(
            baseURL: server.baseURL, clientID: "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", tenant: "harbour")
        try await body(api, server)
        await server.terminate()
    }

    /// The first refusal of a challenge, asked for again until the mail was tried.
    private func refusal(_ api: NativeAPI, _ email: String, within tries: Int = 20) async throws -> NativeAPI.Reply? {
        let token = try await api.start(email).token("start")
        for _ in 0..<tries {
            let reply = try await api.challenge(token)
            if reply.status != 200 { return reply }
            // The outbox works beside the request.
            try await Task.sleep(for: .milliseconds(150))
        }
        return nil
    }

    @Test(
        "SEC-MAIL-8: the user hears at the next step that the mailbox refuses, and other mailboxes are not touched"
    )
    func theUserIsTold() async throws {
        try await withServer("RCPT=550 5.1.1 no such user") { api, server in
            for number in 1...2 {
                let refused = try #require(try await refusal(api, "no.such.user@example.com"), "\(number)")
                #expect(refused.status == 400 && refused.body.error == "access_denied")
                #expect(refused.body.suberror == "provider_blocked_by_rep", "\(refused.text)")
                #expect(refused.text.contains("550024") && refused.text.contains("use another address"))
            }
            let other = try await api.start("another@example.com").token("start")
            #expect(try await api.challenge(other).status == 200)
        }
    }

    @Test("A refusal because of the sender or a policy is told to no user")
    func aPolicyIsNoMailbox() async throws {
        try await withServer("RCPT=550 5.7.1 relaying denied") { api, _ in
            let refused = try await refusal(api, "dana@example.com", within: 8)
            #expect(refused == nil, "\(refused?.text ?? "")")
        }
    }

    @Test(
        "SEC-ENUM-3: where answers hide accounts, a sign-up tells alike of a new address, and a sign-in tells nothing")
    func answersHideAccounts() async throws {
        try await withServer("RCPT=550 5.1.1 no such user", enumeration: "strict") { api, server in
            let refused = try await refusal(api, "dana@example.com")
            #expect(refused != nil)
            // An account of a mailbox that takes no mails any more: its sign-ins tell nothing to a sign-up.
            let users = server.dataFolder.appending(path: "users.csv")
            try Data("email\nleaver@example.com\n".utf8).write(to: users)
            let imported = try await NativeAuthProcess.run(
                ["import", "users", users.path, "--data", server.dataFolder.path, "--assume-verified"]
                    + server.arguments.prefix(2))
            #expect(imported.status == 0, "\(imported)")
            for name in ["leaver@example.com", "stranger@example.com"] {
                for _ in 1...2 {
                    let signIn = try await api.post(
                        "oauth2/v2.0/initiate", ["username": name, "challenge_type": "oob redirect"])
                    let asked = try await api.post(
                        "oauth2/v2.0/challenge",
                        ["continuation_token": try signIn.token("initiate"), "challenge_type": "oob redirect"])
                    #expect(asked.status == 200, "\(asked.text)")
                }
            }
            // With the refusal of the first sign-up, a mailbox with two refused sign-ins would rest.
            for number in 1...2 {
                try await Task.sleep(for: .milliseconds(500))
                for name in ["leaver@example.com", "stranger@example.com"] {
                    let asked = try await api.challenge(try await api.start(name).token("start"))
                    #expect(asked.status == 200, "\(number) \(name) \(asked.text)")
                }
            }
            let started = try await api.post(
                "oauth2/v2.0/initiate", ["username": "dana@example.com", "challenge_type": "oob redirect"])
            let token = try started.token("initiate")
            for _ in 0..<5 {
                let reply = try await api.post(
                    "oauth2/v2.0/challenge", ["continuation_token": token, "challenge_type": "oob redirect"])
                #expect(reply.status == 200, "\(reply.text)")
                try await Task.sleep(for: .milliseconds(150))
            }
        }
    }
}
