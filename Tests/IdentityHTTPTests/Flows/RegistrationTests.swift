import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("Registration of a method over HTTP") struct RegistrationTests {
    private func methods(_ server: IdentityTestServer) async throws -> [[String?]] {
        try await server.rows("SELECT email FROM strong_methods ORDER BY proven_at")
    }

    @Test("docs/protocol.md §4.9, §8.4: the replies of a registration with a code have these members exactly")
    func repliesWithACode() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            expectError(
                required, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
            let listed = try await client.registerIntrospect(required.token)
            expectSuccess(listed, ["continuation_token", "methods"])
            #expect(
                listed["methods"] == [
                    [
                        "id": "email", "challenge_type": "oob", "challenge_channel": "email",
                        "login_hint": "dana@example.com",
                    ]
                ], "the whole address, to begin with (docs/protocol.md §16 row 26)")
            let sent = try await client.registerChallenge(listed.token, contact: IdentityTestServer.contact)
            expectSuccess(
                sent,
                [
                    "continuation_token", "challenge_type", "binding_method", "challenge_target", "challenge_channel",
                    "code_length",
                ])
            #expect(sent["challenge_type"] == "oob" && sent["binding_method"] == "prompt")
            #expect(sent["challenge_target"] == .string(IdentityTestServer.contact))
            #expect(sent["challenge_channel"] == "email" && sent["code_length"] == 8)
            let mail = try #require(try await server.mailbox.mails().first)
            #expect(mail.to == IdentityTestServer.contact && mail.purpose == .registration)
            let code = try #require(mail.code)
            for wrong in wrongCodes(2, besides: code) {
                expectError(
                    try await client.registerContinue(sent.token, code: wrong), "invalid_grant", 50_181,
                    suberror: "invalid_oob_value")
            }
            #expect(try await methods(server).isEmpty)
            let done = try await client.registerContinue(sent.token, code: code)
            expectSuccess(done, ["continuation_token"])
            #expect(try await methods(server) == [[IdentityTestServer.contact]])
            let tokens = try await client.token(redeeming: done.token)
            #expect(tokens.status == 200, "\(tokens)")
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["acrs"] == ["c1"] && access["acr"] == "mfa" && access["amr"] == ["pwd", "otp", "mfa"])
        }
    }

    @Test("SEC-MFA-4: the owner is told of a new method, at the address of the account and without a code")
    func notice() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let mail = try #require(try await server.mailbox.mails().first)
            #expect(mail.to == "dana@example.com" && mail.purpose == .methodRegistered && mail.code == nil)
            #expect(try await server.audited(.methodRegistered) == 1)
        }
    }

    @Test("docs/protocol.md §8.4: the registered method is listed at the next sign-in, which needs it")
    func listedAtTheNextSignIn() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let required = try await server.signIn(claims: WireClient.claims)
            #expect(required.text("suberror") == "mfa_required")
            let listed = try await server.passwordClient.introspect(required.token)
            #expect(listed["methods"]?.array.count == 1)
            #expect(try await server.signInWithSecondFactor().status == 200)
        }
    }

    @Test(
        "docs/protocol.md §4.9.2: the user's own address can be registered; its code then counts besides the password")
    func ownAddress() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let required = try await server.signIn(claims: WireClient.claims)
            let done = try await server.register(required.token, contact: "dana@example.com")
            #expect(try await server.passwordClient.token(redeeming: done.token).status == 200)
            #expect(try await server.signInWithSecondFactor(contact: "dana@example.com").status == 200)
        }
    }

    @Test("docs/protocol.md §4.9.2, §5.4: right after the sign-up its address is preverified, and no code is sent")
    func preverified() async throws {
        try await withIdentityServer { server in
            let client = server.passwordClient
            let signedUp = try await server.signUpWithPassword()
            let required = try await client.token(redeeming: signedUp.token)
            expectError(
                required, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
            let mails = try await server.mailbox.mails().count
            let listed = try await client.registerIntrospect(required.token)
            let known = try await client.registerChallenge(listed.token, contact: "DANA@example.com")
            expectSuccess(known, ["continuation_token", "challenge_type"])
            #expect(known["challenge_type"] == "preverified")
            #expect(try await server.mailbox.mails().count == mails)
            expectError(
                try await client.registerContinue(known.token, code: "12345678"), "invalid_request", 55_200)
            let done = try await client.registerContinue(known.token)
            expectSuccess(done, ["continuation_token"])
            let tokens = try await client.token(redeeming: done.token)
            #expect(tokens.status == 200, "neither mfa_required nor registration_required may come back: \(tokens)")
            #expect(try claims(of: tokens.text("access_token"))["acrs"] == ["c1"])
            #expect(try await server.signInWithSecondFactor(contact: "dana@example.com").status == 200)
        }
    }

    @Test(
        "docs/protocol.md §5.4, §16 row 22: a sign-up without the capability gets its tokens: both factors are proven")
    func signUpWithoutTheCapability() async throws {
        try await withIdentityServer { server in
            let signedUp = try await server.signUpWithPassword(capabilities: nil)
            let tokens = try await server.passwordClient.token(redeeming: signedUp.token)
            #expect(tokens.status == 200, "\(tokens)")
            #expect(try claims(of: tokens.text("access_token"))["acrs"] == ["c1"])
        }
    }

    @Test("SEC-ID-3: only the very address of the sign-up is preverified; a variant of it needs its own code")
    func variantsNeedACode() async throws {
        try await withIdentityServer { server in
            let client = server.passwordClient
            let required = try await client.token(redeeming: server.signUpWithPassword().token)
            let sent = try await client.registerChallenge(required.token, contact: "dana+other@example.com")
            #expect(sent["challenge_type"] == "oob")
            #expect(try await server.mailbox.mails().first?.to == "dana+other@example.com")
            expectError(try await client.registerContinue(sent.token), "invalid_request", 55_200)
        }
    }

    @Test("docs/protocol.md §4.9.2: a resend, and another contact, from any token of the registration")
    func resendAndAnotherContact() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            let listed = try await client.registerIntrospect(required.token)
            let first = try await client.registerChallenge(listed.token, contact: "one@example.org")
            let oldCode = try await server.mailbox.code(to: "one@example.org")
            let again = try await client.registerChallenge(first.token, contact: "one@example.org")
            let code = try await server.mailbox.code(to: "one@example.org")
            #expect(try await client.registerContinue(again.token, code: oldCode).status == 400, "SEC-OTP-11")
            let other = try await client.registerChallenge(listed.token, contact: "two@example.org")
            #expect(
                try await client.registerContinue(other.token, code: code).status == 400,
                "SEC-OTP-9: the code of one contact is none of another")
            let done = try await client.registerContinue(
                other.token, code: server.mailbox.code(to: "two@example.org"))
            #expect(done.status == 200, "\(done)")
            #expect(try await methods(server) == [["two@example.org"]])
        }
    }

    @Test(
        "docs/protocol.md §4.9.2: a contact that no code can be sent to is 901001, and the token stays usable",
        arguments: [
            ("+4512345678", "sms"), ("+4512345678", "email"), ("dana", "email"), ("a@b@example.com", "email"),
            ("dana.private@example.org", "sms"), ("dana.private@example.org", "voice"),
        ])
    func badContacts(_ contact: String, _ channel: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            let mails = try await server.mailbox.mails().count
            expectError(
                try await client.registerChallenge(required.token, contact: contact, channel: channel),
                "invalid_request", 901_001)
            #expect(try await server.mailbox.mails().count == mails)
            for channel in ["email", "EMAIL", nil] {
                #expect(
                    try await client.registerChallenge(
                        required.token, contact: IdentityTestServer.contact, channel: channel
                    ).status == 200)
            }
        }
    }

    @Test("SEC-MFA-4: a method is registered within ten minutes of the proof, however fresh the token is")
    func tooLate() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            server.clock.advance(by: 400)
            let sent = try await client.registerChallenge(required.token, contact: IdentityTestServer.contact)
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            server.clock.advance(by: 201)
            expectError(try await client.registerContinue(sent.token, code: code), "expired_token", 552_003)
            expectError(
                try await client.registerChallenge(sent.token, contact: IdentityTestServer.contact), "expired_token",
                552_003)
            #expect(try await methods(server).isEmpty)
        }
    }

    @Test("SEC-MFA-4: after the first method an open registration of a client that knows the password adds none")
    func openRegistrations() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let thief = try await server.signIn(claims: WireClient.claims)
            let sent = try await client.registerChallenge(thief.token, contact: "thief@example.net")
            let owner = try await server.signIn(claims: WireClient.claims)
            try await server.register(owner.token)
            let code = try await server.mailbox.code(to: "thief@example.net")
            expectError(try await client.registerContinue(sent.token, code: code), "invalid_request", 55_200)
            expectError(
                try await client.registerChallenge(thief.token, contact: "thief@example.net"), "invalid_request", 55_200
            )
            #expect(try await methods(server) == [[IdentityTestServer.contact]])
        }
    }

    @Test("SEC-MFA-3: with the policy distinctMailbox the account's own mailbox is neither registered nor counted")
    func distinctMailbox() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithPassword()
        let client = server.client(id: FactorDirectory.distinctMailbox)
        let required = try await server.signIn(claims: WireClient.claims, with: client)
        expectError(required, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        for own in ["dana@example.com", "dana+tag@example.com"] {
            expectError(try await client.registerChallenge(required.token, contact: own), "invalid_request", 901_001)
        }
        let done = try await server.register(required.token, with: client)
        let tokens = try await client.token(redeeming: done.token)
        #expect(try claims(of: tokens.text("access_token"))["acrs"] == ["c1"])
        let next = try await server.signIn(claims: WireClient.claims, with: client)
        let listed = try await client.introspect(next.token)
        #expect(listed["methods"]?.array.count == 1)
        #expect(try await server.signInWithSecondFactor(with: client).status == 200)
    }

    @Test("SEC-OTP-12: codes for a contact are limited by the contact, for all accounts together")
    func limitedByTheContact() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        var sent = 0
        for number in 0..<8 {
            let user = "user\(number)@example.com"
            try await server.signUpWithPassword(user, alias: nil)
            let required = try await server.signIn(user, claims: WireClient.claims)
            let answer = try await server.passwordClient.registerChallenge(
                required.token, contact: "victim@example.net")
            if answer.status == 200 { sent += 1 } else { #expect(answer.status == 429, "\(answer)") }
        }
        #expect(sent == 5)
        #expect(try await server.mailbox.mails().count { $0.to == "victim@example.net" } == 5)
    }
}
