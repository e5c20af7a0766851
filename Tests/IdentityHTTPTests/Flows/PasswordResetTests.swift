import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("Password reset over HTTP") struct PasswordResetTests {
    private func expectUnusable(
        _ answer: WireAnswer, _ label: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectError(answer, "invalid_request", 55_200, label, sourceLocation: sourceLocation)
    }

    @Test("docs/protocol.md §4.8, §8.5: the replies of a reset have these members exactly, with integers as integers")
    func replies() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let started = try await client.resetStart()
            expectSuccess(started, ["continuation_token"])
            let sent = try await client.resetChallenge(started.token)
            expectSuccess(
                sent,
                [
                    "continuation_token", "challenge_type", "binding_method", "challenge_channel",
                    "challenge_target_label", "code_length", "interval",
                ])
            #expect(sent["challenge_type"] == "oob" && sent["code_length"] == 8 && sent["interval"]?.integer == 0)
            #expect(sent["challenge_target_label"] == "d***a@ex***le.com")
            let mail = try #require(try await server.mailbox.mails().first)
            #expect(mail.to == "dana@example.com" && mail.purpose == .passwordReset)
            let code = try #require(mail.code)
            for wrong in wrongCodes(3, besides: code) {
                expectError(
                    try await client.resetContinue(sent.token, code: wrong), "invalid_grant", 50_181,
                    suberror: "invalid_oob_value")
            }
            let proven = try await client.resetContinue(sent.token, code: code)
            expectSuccess(proven, ["continuation_token", "expires_in"])
            #expect(proven["expires_in"] == 600)
            let changed = try await client.resetSubmit(proven.token)
            expectSuccess(changed, ["continuation_token", "poll_interval"])
            let interval = try #require(changed["poll_interval"]?.integer)
            #expect((1...15).contains(interval))
            let done = try await client.resetPoll(changed.token)
            expectSuccess(done, ["continuation_token", "status"])
            #expect(done["status"] == "succeeded")
            let tokens = try await client.redeem(done.token)
            #expect(tokens.status == 200, "\(tokens)")
            let identity = try claims(of: tokens.text("id_token"))
            #expect(identity["amr"] == ["otp"] && identity["acr"] == nil)
            #expect(try await server.audited(.resetStarted) == 1)
            #expect(try await server.audited(.resetCompleted) == 1)
            #expect(try await server.audited(.passwordChanged) == 1)
        }
    }

    @Test("SEC-SSPR-5: the new password signs in, the old one does not, and the owner is told without a code")
    func passwordsAfterwards() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            try await server.reset()
            let notice = try #require(try await server.mailbox.mails().first)
            #expect(notice.to == "dana@example.com" && notice.purpose == .passwordChanged && notice.code == nil)
            expectError(try await server.signIn(), "invalid_grant", 50_126)
            #expect(try await server.signIn(password: WireClient.newPassword).status == 200)
            try await server.reset(to: WireClient.password)
            #expect(try await server.signIn().status == 200, "only the current password is refused, not older ones")
        }
    }

    @Test("SEC-SSPR-1: the password is not changed before the proof, with a foreign token, after the time, or twice")
    func submitNeedsTheProof() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            try await server.signUpWithPassword("eve@example.com", alias: nil)
            let client = server.passwordClient
            let started = try await client.resetStart()
            expectUnusable(try await client.resetSubmit(started.token), "before the code was asked for")
            expectUnusable(try await client.resetPoll(started.token))
            let sent = try await client.resetChallenge(started.token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            expectUnusable(try await client.resetSubmit(sent.token), "before the code was given")
            expectUnusable(try await client.resetPoll(sent.token))
            expectUnusable(try await client.redeem(sent.token))
            let eves = try await client.resetChallenge(client.resetStart("eve@example.com").token)
            #expect(try await client.resetContinue(eves.token, code: code).status == 400, "SEC-OTP-9: another flow")
            let signedUp = try await server.signUpWithPassword("otto@example.com", alias: nil)
            expectUnusable(try await client.resetSubmit(signedUp.token), "SEC-CT-6: a sign-up")
            expectUnusable(try await client.resetSubmit(client.initiate().token), "SEC-CT-6: a sign-in")

            let proven = try await client.resetContinue(sent.token, code: code)
            var foreign = client
            foreign.clientID = IdentityTestServer.Application.emailPasswordWithAttributes.rawValue
            expectUnusable(try await foreign.resetSubmit(proven.token), "SEC-CT-6: another client")
            expectUnusable(try await client.resetPoll(proven.token))
            expectUnusable(try await client.redeem(proven.token))
            #expect(try await client.resetSubmit(proven.token).status == 200)
            expectUnusable(try await client.resetSubmit(proven.token, password: "Third-Pass#33"), "twice")
            server.clock.advance(by: 61)
            expectUnusable(try await client.resetContinue(sent.token, code: code), "and the proof is used up")
            #expect(try await server.signIn(password: WireClient.newPassword).status == 200)

            let late = try await server.resetToPassword("eve@example.com", codeTo: "eve@example.com")
            server.clock.advance(by: 600)
            expectError(try await client.resetSubmit(late.token), "expired_token", 552_003)
            #expect(try await server.signIn("eve@example.com").status == 200)
        }
    }

    @Test("SEC-CT-9: of five open flows of the user, a reset through one ends the other four")
    func otherFlowsEnd() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod()
        let client = server.passwordClient
        let contact = IdentityTestServer.contact
        let resetA = try await server.resetToPassword()
        let resetB = try await server.resetToPassword()
        let passwordWanted = try await client.signInChallenge(client.initiate().token)
        let started = try await client.initiate()
        let required = try await server.signIn(claims: WireClient.claims)
        let second = try await server.secondFactorChallenge(required.token)
        let code = try await server.mailbox.code(to: contact)
        let done = try await client.resetPoll(client.resetSubmit(resetA.token).token)

        expectUnusable(try await client.resetSubmit(resetB.token, password: "Third-Pass#33"), "the other reset")
        expectUnusable(try await client.token(password: WireClient.newPassword, passwordWanted.token), "a sign-in")
        expectUnusable(try await client.signInChallenge(started.token), "a sign-in that wrote nothing yet")
        expectUnusable(
            try await client.token(code: code, second.token, grant: "mfa_oob", claims: WireClient.claims),
            "a second factor")
        #expect(try await client.redeem(done.token).status == 200, "and the flow of the reset continues")
    }

    @Test("SEC-SSPR-5, SEC-TOK-10: the refresh tokens of five devices are dead")
    func refreshTokensEnd() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            try await server.signUpWithPassword("eve@example.com", alias: nil)
            var tokens: [String] = []
            for _ in 0..<5 { tokens.append(try #require(try await server.signIn().text("refresh_token"))) }
            let eves = try #require(try await server.signIn("eve@example.com").text("refresh_token"))
            let done = try await server.reset()
            for token in tokens {
                expectError(try await server.passwordClient.refresh(token), "invalid_grant", 50_173)
            }
            #expect(try await server.passwordClient.refresh(eves).status == 200, "no other user's")
            let fresh = try await server.passwordClient.redeem(done.token)
            #expect(try await server.passwordClient.refresh(#require(fresh.text("refresh_token"))).status == 200)
        }
    }

    @Test(
        "SEC-SSPR-4, docs/protocol.md §10: a bad password is refused with its suberror, and the same token takes a better one",
        arguments: [
            (WireClient.password, "password_recently_used"), ("1", "password_too_short"),
            ("Aa1!", "password_too_short"),
            (String(repeating: "Aa1!", count: 65), "password_too_long"),
            (String(repeating: "Aa1!", count: 400), "password_too_long"),
            ("abcdefghij", "password_too_weak"), ("Password1!", "password_banned"),
            ("Dana.K-2027", "password_banned"), ("Gr\u{F8}n-Vinter#82", "password_is_invalid"),
        ])
    func badPasswords(_ password: String, _ suberror: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let proven = try await server.resetToPassword()
            let before = try await server.snapshot()
            for _ in 0..<2 {
                expectError(
                    try await server.passwordClient.resetSubmit(proven.token, password: password), "invalid_grant",
                    399_246, suberror: suberror)
            }
            #expect(try await server.snapshot() == before)
            #expect(try await server.signIn().status == 200)
            let again = try await server.passwordClient.resetSubmit(proven.token)
            #expect(again.status == 200, "\(again)")
        }
    }

    @Test("SEC-SSPR-2: a poll writes nothing, can be repeated, and each of its tokens is worth a sign-in")
    func pollsOnlyRead() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let changed = try await client.resetSubmit(server.resetToPassword().token)
            let before = try await server.snapshot()
            var last = ""
            for _ in 0..<200 {
                let answer = try await client.resetPoll(changed.token)
                #expect(answer["status"] == "succeeded")
                last = try answer.token
            }
            #expect(try await server.snapshot() == before)
            #expect(try await client.redeem(last).status == 200)
            expectUnusable(try await client.redeem(client.initiate().token))
            var foreign = client
            foreign.clientID = IdentityTestServer.Application.emailPasswordWithAttributes.rawValue
            expectUnusable(try await foreign.resetPoll(changed.token), "only to the flow's token and client")
        }
    }

    @Test(
        "SEC-MFA-3: after a reset the same mailbox is no second factor: the token says one, a refresh does not suffice")
    func oneMailboxCountsOnce() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod(contact: "dana@example.com")
            let client = server.passwordClient
            let tokens = try await client.token(redeeming: server.reset().token)
            #expect(tokens.status == 200, "\(tokens)")
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["acr"] == nil && access["acrs"] == nil && access["amr"] == ["otp"])
            let refreshToken = try #require(tokens.text("refresh_token"))
            expectError(
                try await client.post(
                    .token,
                    [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("claims", WireClient.claims)]),
                "invalid_grant", 50_076)
        }
    }

    @Test("SEC-MFA-3: after a reset a method at another mailbox is a second factor")
    func anotherMailboxCounts() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithTwoFactors()
            server.clock.advance(by: 31 * 86_400)
            let client = server.passwordClient
            let required = try await client.token(redeeming: server.reset().token)
            expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
            let sent = try await server.secondFactorChallenge(required.token)
            let tokens = try await client.token(
                code: server.mailbox.code(to: IdentityTestServer.contact), sent.token, grant: "mfa_oob",
                claims: WireClient.claims)
            #expect(tokens.status == 200, "\(tokens)")
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["acr"] == "mfa" && access["acrs"] == ["c1"] && access["amr"] == ["otp", "mfa"])
        }
    }

    @Test(
        "SEC-MFA-3: with the policy distinctMailbox the mailbox of a reset is refused as a second factor, with a reason"
    )
    func distinctMailbox() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod(contact: "dana@example.com")
        try await server.signUpWithPassword("eve@example.com", alias: nil)
        let client = server.client(id: FactorDirectory.distinctMailbox)
        for user in ["dana@example.com", "eve@example.com"] {
            let answer = try await client.token(redeeming: server.reset(user, codeTo: user, with: client).token)
            expectSuccess(answer, ["challenge_type", "redirect_reason"])
            #expect(answer["redirect_reason"] == "The second factor must reach another mailbox than the reset")
            let undemanding = try await server.reset(user, to: "Third-Pass#33", codeTo: user, with: client)
            #expect(try await client.redeem(undemanding.token).status == 200, "nothing is demanded here")
        }
    }

    @Test("SEC-MFA-3: a contact registered after a reset makes no second factor of one mailbox")
    func registeredAfterAReset() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let required = try await client.token(redeeming: server.reset().token)
            expectError(
                required, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
            let done = try await server.register(required.token)
            let tokens = try await client.token(redeeming: done.token)
            #expect(tokens.status == 200, "\(tokens)")
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["acr"] == nil && access["acrs"] == nil && access["amr"] == ["otp"])
        }
    }

    @Test("docs/protocol.md §4.8.1: a user without a password has none to reset, in the documented words")
    func codeUsers() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let before = try await server.snapshot()
            for client in [server.passwordClient, server.client()] {
                let answer = try await client.resetStart()
                expectError(answer, "invalid_request", 500_222)
                #expect(
                    answer.text("error_description")?
                        .hasPrefix("AADSTS500222: The tenant or user does not support native credential recovery. ")
                        == true)
            }
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-SSPR-3, SEC-LOCK-5: the code goes to the account's own address, also when another mailbox is registered")
    func strongMailbox() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = server.passwordClient
            let sent = try await client.resetChallenge(client.resetStart().token)
            let mail = try #require(try await server.mailbox.mails().first)
            #expect(mail.to == "dana@example.com" && mail.purpose == .passwordReset)
            let label = try #require(sent.text("challenge_target_label"))
            #expect(label == EmailAddress("dana@example.com")?.masked)
            #expect(try await client.resetContinue(sent.token, code: #require(mail.code)).status == 200)
        }
    }

    @Test(
        "SEC-SSPR-3, SEC-ID-4: by e-mail address or alias the mail goes to the stored address",
        arguments: ["dana@example.com", "DANA@EXAMPLE.COM", " Dana@example.com", "dana.k", "DANA.K"])
    func names(_ name: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            try await server.reset(name)
            #expect(try await server.mailbox.mails().allSatisfy { $0.to == "dana@example.com" })
            #expect(try await server.signIn(name, password: WireClient.newPassword).status == 200)
        }
    }

    @Test(
        "SEC-SSPR-3: look-alikes get no mail",
        arguments: [
            "dana+x@example.com", "dana@example.com.evil.net", "d\u{E1}na@example.com", "dana@ex\u{E4}mple.com",
        ])
    func lookAlikes(_ name: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let mails = try await server.mailbox.mails().count
            expectError(try await server.passwordClient.resetStart(name), "user_not_found", 50_034)
            #expect(try await server.mailbox.mails().count == mails)
        }
    }

    @Test("docs/protocol.md §3.2: a client that cannot handle a code is sent to the web")
    func missingChallengeType() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let answer = try await client.resetStart(types: "password redirect")
            expectSuccess(answer, ["challenge_type", "redirect_reason"])
            let started = try await client.resetStart()
            let other = try await client.resetChallenge(started.token, [("challenge_type", "password redirect")])
            #expect(other["challenge_type"] == "redirect")
            #expect(try await client.resetChallenge(started.token).status == 200)
        }
    }

    @Test(
        "SEC-OTP-11, docs/protocol.md §8.7: a resend makes the earlier code void, and works from any token before the proof"
    )
    func resend() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = server.passwordClient
            let started = try await client.resetStart()
            let sent = try await client.resetChallenge(started.token)
            let old = try await server.mailbox.code(to: "dana@example.com")
            _ = try await client.resetChallenge(started.token)
            let again = try await client.resetChallenge(sent.token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            #expect(try await client.resetContinue(again.token, code: old).status == 400)
            #expect(try await client.resetContinue(sent.token, code: code).status == 200)
            expectUnusable(try await client.resetChallenge(again.token), "not after the code was accepted")
        }
    }
}
