import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("Sign-in over HTTP") struct SignInTests {
    @Test(
        "docs/protocol.md §4.4, §4.5, §4.7, §6.1: the replies of a sign-in with a password have these members exactly")
    func repliesWithAPassword() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let mailsBefore = try await server.mailbox.mails().count
            let started = try await client.initiate()
            expectSuccess(started, ["continuation_token"])
            let wanted = try await client.signInChallenge(started.token)
            expectSuccess(wanted, ["continuation_token", "challenge_type"])
            #expect(wanted["challenge_type"] == "password")
            let tokens = try await client.token(wanted.token)
            expectSuccess(tokens, WireClient.tokenMembers)
            #expect(tokens["token_type"] == "Bearer")
            #expect(tokens["scope"] == "openid profile offline_access")
            let life = try #require(tokens["expires_in"]?.integer)
            #expect((3_600...5_400).contains(life) && tokens["ext_expires_in"] == .integer(life))
            let id = try claims(of: tokens.text("id_token"))
            #expect(id["preferred_username"] == "dana@example.com")
            #expect(id["amr"] == ["pwd"] && id["acr"] == nil)
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["amr"] == ["pwd"] && access["acr"] == nil && access["acrs"] == nil)
            #expect(access["sub"] == id["sub"])
            #expect(try await server.detail(ofLast: .signInSucceeded) == "pwd")
            #expect(try await server.mailbox.mails().count == mailsBefore, "a password sends no mail")
        }
    }

    @Test("docs/protocol.md §4.5, §5.3: the replies of a sign-in with a code have these members exactly")
    func repliesWithACode() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let client = server.client()
            let sent = try await client.signInChallenge(client.initiate().token)
            expectSuccess(
                sent,
                [
                    "continuation_token", "challenge_type", "binding_method", "challenge_channel",
                    "challenge_target_label", "code_length", "interval",
                ])
            #expect(sent["challenge_type"] == "oob")
            #expect(sent["binding_method"] == "prompt")
            #expect(sent["challenge_channel"] == "email")
            #expect(sent["code_length"] == 8)
            #expect(sent["interval"]?.integer == 0)
            let label = try #require(sent.text("challenge_target_label"))
            #expect(label.contains("*") && label.contains("@") && !label.contains("dana"))
            let mail = try #require(try await server.mailbox.mails().first)
            #expect(mail.purpose == .signIn && mail.to == "dana@example.com")
            let tokens = try await client.token(code: #require(mail.code), sent.token)
            expectSuccess(tokens, WireClient.tokenMembers)
            #expect(try claims(of: tokens.text("id_token"))["amr"] == ["otp"])
            #expect(try await server.detail(ofLast: .signInSucceeded) == "otp")
        }
    }

    @Test(
        "SEC-ID-3, docs/protocol.md §12: e-mail address and alias sign in, in any letter case",
        arguments: ["dana@example.com", "DANA@Example.Com", " dana@example.com ", "dana.k", "Dana.K", "DANA.K"])
    func namesThatSignIn(_ name: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let tokens = try await server.signIn(name)
            #expect(tokens.status == 200, "\(tokens)")
            #expect(try claims(of: tokens.text("id_token"))["preferred_username"] == "dana@example.com")
        }
    }

    @Test(
        "docs/protocol.md §4.4: a name that no user has is not found",
        arguments: [
            "eve@example.com", "dana@example.org", "dana", "dana.kk", "dana+tag@example.com", "dana@", "\u{212A}",
        ])
    func namesThatNobodyHas(_ name: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            expectError(try await server.passwordClient.initiate(name), "user_not_found", 50_034)
        }
    }

    @Test("SEC-TOK-4: a user of another tenant is not found")
    func otherTenants() async throws {
        let server = try TestDirectory.server()
        _ = try await server.signUp()
        var client = server.client()
        client.tenant = "fabrikam"
        expectError(try await client.initiate(), "user_not_found", 50_034)
        let started = try await server.client().initiate()
        expectError(try await client.signInChallenge(started.token), "invalid_request", 55_200)
        #expect(try await server.client().signInChallenge(started.token).status == 200, "and the token is unharmed")
    }

    @Test("docs/protocol.md §5.2: a user who signs in with codes gets one at an application with passwords, too")
    func codeUsersAtAPasswordApplication() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let client = server.passwordClient
            let sent = try await client.signInChallenge(client.initiate().token)
            #expect(sent["challenge_type"] == "oob")
            expectError(try await client.token(sent.token), "invalid_request", 55_200, "a password is no answer to it")
            let code = try await server.mailbox.code(to: "dana@example.com")
            #expect(try await client.token(code: code, sent.token).status == 200)
        }
    }

    @Test("docs/protocol.md §3.2, §3.4: a client that lacks what the user needs is sent to the web, with the reason")
    func missingChallengeTypes() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            _ = try await server.signUp("otto@example.com")
            let client = server.passwordClient
            let before = try await server.snapshot()
            expectRedirect(
                try await client.initiate(types: "oob redirect"), "Client is missing password challenge type")
            expectRedirect(
                try await client.initiate("otto@example.com", types: "password redirect"),
                "Client is missing oob challenge type")
            let started = try await client.initiate()
            expectRedirect(
                try await client.signInChallenge(started.token, [("challenge_type", "oob redirect")]),
                "Client is missing password challenge type")
            #expect(try await server.snapshot() == before, "nothing was written")
            #expect(try await client.signInChallenge(started.token).status == 200, "and the token is as good as it was")
            #expect(try await client.initiate(types: "password redirect").status == 200, "no code is needed")
            expectError(
                try await client.initiate(types: "oob password"), "unsupported_challenge_type", 901_007)
        }
    }

    @Test("docs/protocol.md §5.2, §16 row 29: a wrong password is 50126 alone, and the same token can be used again")
    func wrongPassword() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let wanted = try await client.signInChallenge(client.initiate().token)
            for wrong in ["Wrong-Wrong#1", "kr4ftig-Vinter#82", "Kr4ftig-Vinter#82 ", "x", "\u{1F600}"] {
                expectError(try await client.token(password: wrong, wanted.token), "invalid_grant", 50_126)
            }
            #expect(try await client.token(wanted.token).status == 200)
            #expect(try await server.audited(.signInFailed) == 5)
            #expect(try await server.audited(.signInSucceeded) == 1)
        }
    }

    @Test("docs/protocol.md §5.3: a wrong code is invalid_oob_value, and the same token can be used again")
    func wrongCode() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let client = server.client()
            let sent = try await client.signInChallenge(client.initiate().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            for wrong in wrongCodes(4, besides: code) + ["1234567", "12345678x", "一二三四五六七八"] {
                expectError(
                    try await client.token(code: wrong, sent.token), "invalid_grant", 50_181,
                    suberror: "invalid_oob_value")
            }
            #expect(try await client.token(code: code, sent.token).status == 200)
        }
    }

    @Test("SEC-OTP-9: the code of one purpose is none of another")
    func codesOfOtherPurposes() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            _ = try await server.signUp("otto@example.com")
            let client = server.passwordClient
            let signUpCode = try await server.mailbox.code(to: "otto@example.com")
            let sent = try await client.signInChallenge(client.initiate("otto@example.com").token)
            let code = try await server.mailbox.code(to: "otto@example.com")
            let otherFlow = try await client.signInChallenge(client.initiate("otto@example.com").token)
            let reset = try await client.resetChallenge(client.resetStart().token)
            let danas = try await server.mailbox.code(to: "dana@example.com")
            for foreign in [signUpCode, danas] {
                #expect(try await client.token(code: foreign, sent.token).status == 400)
            }
            #expect(try await client.token(code: code, otherFlow.token).status == 400)
            #expect(try await client.resetContinue(reset.token, code: code).status == 400)
            #expect(try await client.token(code: code, sent.token).status == 200)
        }
    }

    @Test("docs/protocol.md §13: a disabled account is told so at every entrance, and in the middle of a flow")
    func disabledAccounts() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let wanted = try await client.signInChallenge(client.initiate().token)
            let tokens = try await server.signIn()
            try await server.setDisabled(true)
            expectError(try await client.initiate(), "invalid_grant", 50_057)
            expectError(try await client.initiate("dana.k"), "invalid_grant", 50_057)
            expectError(try await client.resetStart(), "invalid_grant", 50_057)
            expectError(try await client.token(wanted.token), "invalid_grant", 50_057)
            expectError(try await client.refresh(#require(tokens.text("refresh_token"))), "invalid_grant", 50_057)
            try await server.setDisabled(false)
            server.clock.advance(by: 61)
            expectError(
                try await client.token(wanted.token), "invalid_request", 55_200, "SEC-CT-9: what was open has ended")
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("docs/protocol.md §4.7: order and grants: what does not fit the state is refused and harms nothing")
    func outOfOrder() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let started = try await client.initiate()
            expectError(try await client.token(started.token), "invalid_request", 55_200)
            expectError(try await client.introspect(started.token), "invalid_request", 55_200)
            expectError(try await client.registerIntrospect(started.token), "invalid_request", 55_200)
            expectError(try await client.redeem(started.token), "invalid_request", 55_200)
            expectError(try await client.resetChallenge(started.token), "invalid_request", 55_200)
            expectError(try await client.challenge(started.token), "invalid_request", 55_200)
            let wanted = try await client.signInChallenge(started.token)
            for grant in ["oob", "mfa_oob"] {
                expectError(
                    try await client.token(code: "12345678", wanted.token, grant: grant), "invalid_request", 55_200)
            }
            expectError(
                try await client.post(.token, [("grant_type", "passwordless"), ("continuation_token", wanted.token)]),
                "unsupported_grant_type", 70_003)
            var foreign = client
            foreign.clientID = IdentityTestServer.Application.emailPasswordWithAttributes.rawValue
            expectError(try await foreign.token(wanted.token), "invalid_request", 55_200, "SEC-CT-6: another client")
            #expect(try await client.token(wanted.token).status == 200)
            expectError(
                try await client.token(password: "Another#Pass1", wanted.token), "invalid_request", 55_200,
                "SEC-CT-4: a flow that gave tokens is over")
        }
    }

    @Test("SEC-CT-5: a sign-in's token lives 900 s before a proof, and the flow an hour")
    func lifetimes() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let wanted = try await client.signInChallenge(client.initiate().token)
            server.clock.advance(by: 899)
            #expect(try await client.token(password: "Wrong-Wrong#1", wanted.token).text("error") == "invalid_grant")
            server.clock.advance(by: 1)
            expectError(try await client.token(wanted.token), "expired_token", 552_003)

            var token = try await client.initiate().token
            for _ in 0..<4 {
                token = try await client.signInChallenge(token).token
                server.clock.advance(by: 890)
            }
            token = try await client.signInChallenge(token).token
            server.clock.advance(by: 40)
            expectError(try await client.token(token), "expired_token", 552_003)
        }
    }

    @Test("docs/protocol.md §5.7: the scopes are judged before the password is compared")
    func scopes() async throws {
        let server = try TestDirectory.server()
        try await server.signUpWithPassword()
        var client = server.passwordClient
        client.clientID = TestDirectory.scoped
        let wanted = try await client.signInChallenge(client.initiate().token)
        expectError(
            try await client.token(wanted.token, scope: "openid api://secret/All"), "invalid_grant", 65_001)
        expectError(
            try await client.token(wanted.token, scope: "api://orders/A api://stock/Stock.Read"), "invalid_scope",
            70_011)
        let tokens = try await client.token(wanted.token, scope: "openid api://orders/Orders.Read")
        expectSuccess(
            tokens,
            ["token_type", "scope", "expires_in", "ext_expires_in", "access_token", "id_token", "client_info"])
        #expect(try claims(of: tokens.text("access_token"))["aud"] == "api://orders")
    }

    @Test(
        "A bare scope is one of the directory; one that is not there, or not given, is 65001 with the vendor's words"
    )
    func directoryScopes() async throws {
        let server = try TestDirectory.server()
        try await server.signUpWithPassword()
        for scope in ["User.Read", "https://graph.microsoft.com/User.Read"] {
            let tokens = try await server.signIn(scope: "openid \(scope)")
            #expect(tokens["scope"] == .string("openid \(scope)"))
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["aud"] == "00000003-0000-0000-c000-000000000000" && access["scp"] == "User.Read")
        }
        var scoped = server.passwordClient
        scoped.clientID = TestDirectory.scoped
        for (client, scope) in [(server.passwordClient, "Calendar.Read"), (scoped, "User.Read")] {
            let refused = try await server.signIn(scope: "openid \(scope)", with: client)
            expectError(refused, "invalid_grant", 65_001)
            let words = "Send an interactive authorization request for this user and resource."
            #expect(refused.text("error_description")?.contains(words) == true)
        }
    }
}
