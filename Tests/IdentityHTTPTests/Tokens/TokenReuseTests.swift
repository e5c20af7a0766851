import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// Every row of docs/protocol.md §8.6: the tokens that clients send again, all of which must work.
@Suite("Tokens that stay usable") struct TokenReuseTests {
    @Test("docs/protocol.md §8.6: after a wrong password at /token, the one from /challenge")
    func wrongPassword() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let token = try await client.signInChallenge(client.initiate().token).token
            for number in 1...3 {
                #expect(try await client.token(password: "Wrong-Wrong#\(number)", token).status == 400)
            }
            #expect(try await client.token(token).status == 200)
        }
    }

    @Test(
        "docs/protocol.md §8.6: after a wrong code at /token, /continue of sign-up, reset and registration, the challenge's"
    )
    func wrongCode() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            _ = try await server.signUp("otto@example.com")
            let client = server.passwordClient
            func expectRetry(
                _ address: String, _ submit: (String) async throws -> WireAnswer,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let code = try await server.mailbox.code(to: address)
                for wrong in wrongCodes(4, besides: code) {
                    #expect(
                        try await submit(wrong).text("suberror") == "invalid_oob_value", sourceLocation: sourceLocation)
                }
                #expect(try await submit(code).isProgress, sourceLocation: sourceLocation)
            }
            let signUp = try await client.challenge(client.start("new@example.com").token).token
            try await expectRetry("new@example.com") { try await client.submit(code: $0, signUp) }
            let signIn = try await client.signInChallenge(client.initiate("otto@example.com").token).token
            try await expectRetry("otto@example.com") { try await client.token(code: $0, signIn) }
            let required = try await server.signIn(claims: WireClient.claims)
            let contact = try await client.registerChallenge(required.token, contact: IdentityTestServer.contact).token
            try await expectRetry(IdentityTestServer.contact) { try await client.registerContinue(contact, code: $0) }
            let again = try await server.signIn(claims: WireClient.claims)
            let second = try await client.signInChallenge(again.token).token
            try await expectRetry(IdentityTestServer.contact) {
                try await client.token(code: $0, second, grant: "mfa_oob", claims: WireClient.claims)
            }
            let reset = try await client.resetChallenge(client.resetStart().token).token
            try await expectRetry(IdentityTestServer.email) { try await client.resetContinue(reset, code: $0) }
        }
    }

    @Test("docs/protocol.md §8.6: after a bad password at /signup/continue and /resetpassword/submit, the same one")
    func badPassword() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let progress = try await server.progress(to: .awaitingPassword, email: "new@example.com")
            let wanted = try progress.token(.awaitingPassword)
            #expect(try await progress.client.submit(password: "x", wanted).text("suberror") == "password_too_short")
            #expect(try await progress.client.submit(password: WireClient.password, wanted).isProgress)
            let proven = try await server.resetToPassword().token
            #expect(try await client.resetSubmit(proven, password: "x").text("suberror") == "password_too_short")
            #expect(try await client.resetSubmit(proven).status == 200)
        }
    }

    @Test("docs/protocol.md §8.6: after attributes that are refused at /signup/continue, the same one")
    func badAttributes() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .awaitingAttributes)
            let token = try progress.token(.awaitingAttributes)
            let refused = try await progress.client.submit(
                attributes: #"{"country":"Denmark","city":"Aarhus","flatusername":"!"}"#, token)
            #expect(refused.text("suberror") == "attribute_validation_failed" && refused["continuation_token"] == nil)
            #expect(try await progress.client.submit(attributes: IdentityTestServer.address, token).status == 200)
        }
    }

    @Test("docs/protocol.md §8.6: after a resend that failed, the token from before it, with the code from before it")
    func failedResend() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        let client = try server.client(.emailOneTimePasscode, from: "203.0.113.9")
        var token = ""
        for _ in 0..<2 { token = try await client.challenge(client.start("dana@example.com").token).token }
        let code = try await server.mailbox.code(to: "dana@example.com")
        let failed = try await client.challenge(token)
        #expect(failed.status == 429, "two mails in a quarter of an hour for one network: \(failed)")
        #expect(try await client.submit(code: code, token).status == 200)
    }

    @Test("docs/protocol.md §8.6: after a resend that succeeded, the new token")
    func resend() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("otto@example.com")
            let client = server.client()
            let sent = try await client.signInChallenge(client.initiate("otto@example.com").token)
            let again = try await client.signInChallenge(sent.token)
            let code = try await server.mailbox.code(to: "otto@example.com")
            #expect(try await client.token(code: code, again.token).status == 200)
        }
    }

    @Test(
        "docs/protocol.md §8.6: a second factor is challenged again with introspect's token, the last challenge's, or the first's"
    )
    func secondFactorAgain() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            let listed = try await client.introspect(required.token)
            let id = try #require(listed["methods"]?.array.first?["id"]?.string)
            let first = try await client.signInChallenge(listed.token, id: id)
            for token in try [listed.token, first.token, required.token] {
                #expect(try await client.signInChallenge(token, id: id).status == 200)
            }
            #expect(try await client.introspect(first.token).status == 200)
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            let tokens = try await client.token(code: code, first.token, grant: "mfa_oob", claims: WireClient.claims)
            #expect(tokens.status == 200, "the newest code with the first challenge's token: \(tokens)")
        }
    }

    @Test("docs/protocol.md §8.6: another contact is chosen with introspect's token or the last challenge's")
    func anotherContact() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            let listed = try await client.registerIntrospect(required.token)
            let one = try await client.registerChallenge(listed.token, contact: "one@example.org")
            let two = try await client.registerChallenge(one.token, contact: "two@example.org")
            let three = try await client.registerChallenge(listed.token, contact: "three@example.org")
            #expect(two.status == 200)
            let code = try await server.mailbox.code(to: "three@example.org")
            #expect(try await client.registerContinue(three.token, code: code).status == 200)
        }
    }

    @Test("docs/protocol.md §8.6: every poll sends the token of the submit")
    func polls() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let changed = try await client.resetSubmit(server.resetToPassword().token)
            var tokens: Set<String> = []
            for _ in 0..<10 {
                let answer = try await client.resetPoll(changed.token)
                #expect(answer.status == 200)
                tokens.insert(try answer.token)
            }
            #expect(try await client.redeem(try #require(tokens.randomElement())).status == 200)
        }
    }

    // MARK: The same request again (docs/protocol.md §2.4)

    /// The steps that have an effect.
    enum Step: CaseIterable {
        case password, wrongPassword, code, secondFactor, firstFactor, contactCode, confirmation, resetCode,
            newPassword,
            redemption
    }

    @Test(
        "REL-IDEM: after a lost reply the same request gets the same bytes and has no second effect",
        arguments: Step.allCases)
    func transportRetry(_ step: Step) async throws {
        try await withIdentityServer { server in
            let send = try await prepare(step, on: server)
            let first = try await send()
            let after = try await server.snapshot()
            let mails = try await server.mailbox.mails().count
            server.clock.advance(by: 59)
            let second = try await send()
            #expect(second.body == first.body && second.status == first.status)
            #expect(try await server.snapshot().filter { $0.key != "outbox" } == after.filter { $0.key != "outbox" })
            #expect(try await server.mailbox.mails().count == mails)
            if step == .wrongPassword { return }
            server.clock.advance(by: 1)
            let late = try await send()
            expectError(late, "invalid_request", 55_200, "SEC-CT-4: the record lives 60 s")
        }
    }

    /// Leads to the step; the returned closure takes it.
    private func prepare(_ step: Step, on server: IdentityTestServer) async throws -> () async throws -> WireAnswer {
        let client = server.passwordClient
        switch step {
        case .password, .wrongPassword:
            try await server.signUpWithPassword()
            let token = try await client.signInChallenge(client.initiate().token).token
            let password = step == .password ? WireClient.password : "Wrong-Wrong#1"
            return { try await client.token(password: password, token) }
        case .code:
            _ = try await server.signUp()
            let token = try await client.signInChallenge(client.initiate().token).token
            let code = try await server.mailbox.code(to: IdentityTestServer.email)
            return { try await client.token(code: code, token) }
        case .firstFactor:
            try await server.signUpWithStrongMethod()
            let token = try await client.signInChallenge(client.initiate().token).token
            return { try await client.token(token, claims: WireClient.claims) }
        case .secondFactor:
            try await server.signUpWithStrongMethod()
            let token = try await server.secondFactorChallenge(
                server.signIn(claims: WireClient.claims).token
            ).token
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            return { try await client.token(code: code, token, grant: "mfa_oob", claims: WireClient.claims) }
        case .contactCode:
            try await server.signUpWithPassword()
            let required = try await server.signIn(claims: WireClient.claims)
            let token = try await client.registerChallenge(required.token, contact: IdentityTestServer.contact).token
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            return { try await client.registerContinue(token, code: code) }
        case .confirmation:
            let required = try await client.token(redeeming: server.signUpWithPassword().token)
            let token = try await client.registerChallenge(required.token, contact: IdentityTestServer.email).token
            return { try await client.registerContinue(token) }
        case .resetCode:
            try await server.signUpWithPassword()
            let token = try await client.resetChallenge(client.resetStart().token).token
            let code = try await server.mailbox.code(to: IdentityTestServer.email)
            return { try await client.resetContinue(token, code: code) }
        case .newPassword:
            try await server.signUpWithPassword()
            let token = try await server.resetToPassword().token
            return { try await client.resetSubmit(token) }
        case .redemption:
            try await server.signUpWithPassword()
            let token = try await server.reset().token
            return { try await client.redeem(token) }
        }
    }
}
