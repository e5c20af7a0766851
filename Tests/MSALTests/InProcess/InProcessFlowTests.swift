import Foundation
import IdentityEngine
import NativeAuth
import NativeAuthTesting
import Testing

/// Every flow of `NativeAuth` after sign-up, with the real server: nothing here is scripted.
@Suite("Flows against the server in the same process", .timeLimit(.minutes(2)))
struct InProcessFlowTests {
    // MARK: First factor

    @Test("sign-in with the password at the start: a wrong one, then the right one")
    func passwordAtTheStart() async throws {
        let world = try InProcess()
        try await world.signUp()
        let client = try world.client()
        let wrong = try await refusal {
            try await client.startSignIn(username: InProcess.email, password: "Wrong-Tulip-42")
        }
        #expect(wrong.kind == "invalidCredentials")
        #expect(wrong.details.errorCodes == [50126])
        #expect(client.currentAccount() == nil)
        let account = try await client.startSignIn(username: InProcess.email, password: InProcess.password).account
        #expect(account.username == InProcess.email)
        #expect(client.currentAccount()?.homeAccountID == account.homeAccountID)
        #expect(try await world.live(account.accessToken())?.claims.methods == ["pwd"])
    }

    @Test("sign-in with the password when it is asked for: wrong ones, then the right one on the same step")
    func passwordLater() async throws {
        let world = try InProcess()
        try await world.signUp()
        let step = try await world.client().startSignIn(username: InProcess.email).password
        for wrong in ["Wrong-Tulip-42", InProcess.password + " ", InProcess.password.lowercased()] {
            let refused = try await refusal { try await step.submit(password: wrong) }
            #expect(refused.kind == "invalidPassword" && refused.details.canRetry)
        }
        #expect(try await step.submit(password: InProcess.password).account.username == InProcess.email)
        #expect(try await refusal { try await step.submit(password: InProcess.password) }.kind == "stateAlreadyUsed")
    }

    @Test("an alias signs in, in any letter case, and an unknown alias does not")
    func alias() async throws {
        let world = try InProcess()
        try await world.signUp(alias: "dana.42")
        let client = try world.client()
        let account = try await client.startSignIn(username: "DANA.42", password: InProcess.password).account
        #expect(account.username == InProcess.email)
        #expect(try await refusal { try await client.startSignIn(username: "dana.43") }.kind == "userNotFound")
        let reset = try await client.startResetPassword(username: "dana.42")
        #expect(reset.code.sentTo.hasSuffix(".com"))
        #expect(!reset.code.sentTo.contains(InProcess.email))
    }

    @Test("a user without a password is offered the code at an app that asks for passwords")
    func codeUserAtThePasswordApp() async throws {
        let world = try InProcess()
        try await world.signUpWithCode()
        let step = try await world.client().startSignIn(username: InProcess.email, password: "Anything-42").code
        #expect(step.code.channel == "email" && step.code.length == 8)
        let account = try await step.submit(code: world.code()).account
        #expect(try await world.live(account.accessToken())?.claims.methods == ["otp"])
        let reset = try await refusal { try await world.client().startResetPassword(username: InProcess.email) }
        #expect(reset.kind == "userDoesNotHavePassword")
    }

    @Test("sign-in with a code: wrong, sent again, the old one refused, the new one right")
    func codeAndResend() async throws {
        let world = try InProcess()
        try await world.signUpWithCode()
        let client = try world.client(.emailOneTimePasscode)
        let first = try await client.startSignIn(username: InProcess.email).code
        let old = try await world.code()
        let second = try await first.resend()
        let new = try await world.code()
        #expect(old != new)
        for code in [old, world.wrongCodes(besides: new)[1], "1234", "12345678a"] {
            let refused = try await refusal { try await second.submit(code: code) }
            #expect(refused.kind == "incorrectCode" && refused.details.canRetry)
        }
        #expect(try await second.submit(code: new).account.username == InProcess.email)
    }

    @Test("an unknown user, an empty user name, and a scope that is not allowed")
    func refusedSignIns() async throws {
        let world = try InProcess()
        try await world.signUp()
        let client = try world.client()
        #expect(try await refusal { try await client.startSignIn(username: "erik@example.com") }.kind == "userNotFound")
        #expect(try await refusal { try await client.startSignIn(username: "") }.kind == "invalidUsername")
        let scopes = ["api://orders/Read", "api://stock/Read"]
        let scope = try await refusal {
            try await client.startSignIn(username: InProcess.email, password: InProcess.password, scopes: scopes)
        }
        #expect(scope.kind == "invalidScope")
    }

    // MARK: Second factor

    @Test("a second factor that a claim demands: wrong code, right code, and the token says so")
    func secondFactorByClaims() async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        let step = try await world.client().startSignIn(username: InProcess.email, claims: InProcess.claims).password
        let required = try await step.submit(password: InProcess.password).secondFactor
        #expect(required.methods.map(\.channel) == ["email"])
        #expect(required.methods.allSatisfy { $0.loginHint?.contains(InProcess.contact) == false })
        let sent = try await required.requestChallenge(required.methods[0])
        #expect(sent.code.length == 8 && sent.code.channel == "email")
        let wrong = try await refusal { try await sent.submit(code: world.wrongCode(InProcess.contact)) }
        #expect(wrong.kind == "incorrectCode" && wrong.details.canRetry)
        let account = try await sent.submit(code: world.code(InProcess.contact))
        let live = try #require(try await world.live(account.accessToken()))
        #expect(live.claims.contexts == ["c1"])
        #expect(live.claims.methods == ["pwd", "otp", "mfa"])
    }

    @Test(
        "a second factor that the tenant demands, with several methods: another one, and the first challenge's step",
        arguments: [InProcess.Application.demanding, .demandingFlow])
    func secondFactorByPolicy(_ application: InProcess.Application) async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        try await world.addMethod("dana@work.example")
        let client = NativeAuthClient(try world.configuration(application))
        let required = try await client.startSignIn(username: InProcess.email, password: InProcess.password)
            .secondFactor
        #expect(required.methods.count == 2)
        let first = try await required.requestChallenge(required.methods[0])
        let old = try await world.code(InProcess.contact)
        let second = try await first.choice.requestChallenge(required.methods[1])
        let new = try await world.code("dana@work.example")
        #expect(first.code.sentTo != second.code.sentTo)
        // The code of the other mailbox is not valid here, in either step.
        #expect(try await refusal { try await second.submit(code: old) }.kind == "incorrectCode")
        // A client may go back to a token from before the last challenge (docs/protocol.md §8.6).
        let again = try await required.requestChallenge(required.methods[0])
        #expect(again.code.sentTo == first.code.sentTo)
        #expect(try await world.code(InProcess.contact) != old)
        let account = try await first.submit(code: world.code(InProcess.contact))
        #expect(try await world.live(account.accessToken())?.claims.methods.contains("mfa") == true)
        #expect(new != old)
    }

    @Test("the first challenge's step takes the second code of the same method")
    func firstStepSecondCode() async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        let step = try await world.client().startSignIn(
            username: InProcess.email, password: InProcess.password, claims: InProcess.claims)
        let required = try step.secondFactor
        let first = try await required.requestChallenge(required.methods[0])
        _ = try await first.choice.requestChallenge(required.methods[0])
        let account = try await first.submit(code: world.code(InProcess.contact))
        #expect(account.username == InProcess.email)
    }

    @Test(
        "without the capability the browser is needed",
        arguments: [[Capability.registrationRequired], []], [true, false])
    func missingCapability(_ some: [Capability], hasMethod: Bool) async throws {
        // Having the one capability does not make up for the other.
        let capabilities = Set(some.map { hasMethod ? $0 : .mfaRequired })
        let world = try InProcess()
        if hasMethod { try await world.signUpWithMethod() } else { try await world.signUp() }
        let client = NativeAuthClient(try world.configuration(.demanding, can: capabilities))
        let refused = try await refusal {
            try await client.startSignIn(username: InProcess.email, password: InProcess.password)
        }
        #expect(refused.kind == "browserRequired")
        let word = hasMethod ? "mfa_required" : "registration_required"
        #expect(refused.details.message?.contains(word) == true)
        #expect(client.currentAccount() == nil)
    }

    @Test("without the challenge type the browser is needed")
    func missingChallengeType() async throws {
        let world = try InProcess()
        try await world.signUp()
        var configuration = try world.configuration(.emailPassword)
        configuration.challengeTypes = [.oneTimePasscode]
        let client = NativeAuthClient(configuration)
        #expect(try await refusal { try await client.startSignIn(username: InProcess.email) }.kind == "browserRequired")
        configuration.challengeTypes = [.password]
        let other = NativeAuthClient(configuration)
        #expect(
            try await refusal { try await other.startResetPassword(username: InProcess.email) }.kind
                == "browserRequired")
    }

    // MARK: Registration

    @Test("registering another contact: a bad one, a wrong code, then the right one; the next sign-in asks for it")
    func registerAnotherContact() async throws {
        let world = try InProcess()
        try await world.signUp()
        let client = NativeAuthClient(try world.configuration(.demanding))
        let required = try await client.startSignIn(username: InProcess.email, password: InProcess.password)
            .registration
        #expect(required.methods.map(\.loginHint) == [InProcess.email])
        let method = try #require(required.methods.first)
        let bad = try await refusal { try await required.requestChallenge(method, contact: "no address") }
        #expect(bad.kind == "invalidInput" && bad.details.canRetry)
        let sent = try await required.requestChallenge(method, contact: InProcess.contact).sent
        #expect(sent.code.sentTo == InProcess.contact)
        let wrong = try await refusal { try await sent.submit(code: world.wrongCode(InProcess.contact)) }
        #expect(wrong.kind == "incorrectCode" && wrong.details.canRetry)
        let account = try await sent.submit(code: world.code(InProcess.contact))
        #expect(try await world.live(account.accessToken())?.claims.methods.contains("mfa") == true)
        #expect(try await world.count(.methodRegistered) == 1)
        let next = try await client.startSignIn(username: InProcess.email, password: InProcess.password).secondFactor
        #expect(next.methods.count == 1)
    }

    @Test("registering the account's own address, which needs a code: the password proved no mailbox")
    func registerTheOwnAddress() async throws {
        let world = try InProcess()
        try await world.signUp()
        let client = NativeAuthClient(try world.configuration(.demandingFlow))
        let required = try await client.startSignIn(username: InProcess.email, password: InProcess.password)
            .registration
        let first = try await required.requestChallenge(required.methods[0], contact: InProcess.contact).sent
        // The user changes the choice.
        let second = try await first.choice.requestChallenge(required.methods[0], contact: InProcess.email).sent
        let account = try await second.submit(code: world.code())
        #expect(try await world.live(account.accessToken())?.claims.methods == ["pwd", "otp", "mfa"])
        #expect(try await world.server.rows("SELECT email FROM strong_methods") == [[InProcess.email]])
    }

    @Test("after a sign-up the own address is verified already, and another one is not")
    func preverifiedAfterSignUp() async throws {
        for contact in [InProcess.email, InProcess.contact] {
            let world = try InProcess()
            let client = NativeAuthClient(try world.configuration(.demanding))
            let start = try await client.startSignUp(username: InProcess.email, password: InProcess.password)
            let done = try await start.submit(code: world.code()).done
            let required = try await done.signIn(scopes: ["api://orders/Read"]).registration
            let step = try await required.requestChallenge(required.methods[0], contact: contact)
            let account: Account
            if contact == InProcess.email {
                account = try step.account
            } else {
                account = try await step.sent.submit(code: world.code(contact))
            }
            let token = try await account.accessToken()
            #expect(token.scopes.contains("api://orders/Read"), "the scopes outlive the registration")
            #expect(try await world.live(token)?.claims.methods.contains("mfa") == true)
            #expect(try await world.server.rows("SELECT email FROM strong_methods") == [[contact]])
        }
    }

    // MARK: Reset

    @Test("reset: wrong code, weak password, the current one, then a new one; the old one is refused")
    func reset() async throws {
        let world = try InProcess()
        try await world.signUp()
        let client = try world.client()
        let before = try await client.startSignIn(username: InProcess.email, password: InProcess.password).account
        let oldToken = try await before.accessToken()
        world.server.clock.advance(by: 5)

        let start = try await client.startResetPassword(username: InProcess.email)
        let wrong = try await refusal { try await start.submit(code: world.wrongCode()) }
        #expect(wrong.kind == "incorrectCode" && wrong.details.canRetry)
        let choose = try await start.submit(code: world.code())
        #expect(choose.expiresIn.map { (1...600).contains($0) } == true)
        let passwords = [
            ("short", "password_too_short"), ("abcdefghij", "password_too_weak"),
            (InProcess.password, "password_recently_used"), ("Grøn-Tulipan-42", "password_is_invalid"),
        ]
        for (password, reason) in passwords {
            let refused = try await refusal { try await choose.submit(password: password) }
            #expect(refused.kind == "invalidPassword" && refused.details.canRetry)
            #expect(refused.details.suberror == reason)
        }
        let done = try await choose.submit(password: InProcess.newPassword)
        #expect(done.username == InProcess.email && done.isSignInAvailable)

        // The sessions from before have ended, and so have their access tokens.
        #expect(try await world.live(oldToken) == nil)
        #expect(try await refusal { try await before.accessToken(policy: .force) }.kind == "sessionEnded")
        #expect(try await refusal { try await before.accessToken(policy: .force) }.kind == "sessionEnded")

        #expect(try await done.signIn().account.username == InProcess.email)
        let old = try await refusal {
            try await client.startSignIn(username: InProcess.email, password: InProcess.password)
        }
        #expect(old.kind == "invalidCredentials")
        let account = try await client.startSignIn(username: InProcess.email, password: InProcess.newPassword).account
        #expect(try await world.live(account.accessToken()) != nil)
        #expect(
            try await refusal { try await client.startResetPassword(username: "erik@example.com") }.kind
                == "userNotFound")
    }

    @Test("a reset goes to the account's own address, whatever else is registered, and ends the other flows")
    func resetEndsOtherFlows() async throws {
        let world = try InProcess()
        try await world.signUpWithMethod()
        let client = try world.client()
        let waiting = try await client.startSignIn(username: InProcess.email).password
        let start = try await client.startResetPassword(username: InProcess.email)
        let choose = try await start.submit(code: world.code())
        _ = try await choose.submit(password: InProcess.newPassword)
        let refused = try await refusal { try await waiting.submit(password: InProcess.newPassword) }
        #expect(refused.kind == "general" || refused.kind == "expired", "\(refused)")
        #expect(try await world.liveSessions() == 0)
    }

    @Test("SEC-LOCK-5: an account that is locked says so, also for the right password, until a reset")
    func lockedAccount() async throws {
        let world = try InProcess { $0.limits = TimeLimits() }
        try await world.signUp()
        let client = try world.client()
        let step = try await client.startSignIn(username: InProcess.email).password
        for number in 1...10 {
            let refused = try await refusal { try await step.submit(password: "Wrong-Tulip-\(number)") }
            #expect(refused.kind == "invalidPassword", "attempt \(number)")
        }
        let locked = try await refusal { try await step.submit(password: InProcess.password) }
        #expect(locked.kind == "general" && locked.details.errorCodes == [50053] && locked.details.canRetry)
        let atStart = try await refusal {
            try await client.startSignIn(username: InProcess.email, password: InProcess.password)
        }
        #expect(atStart.details.errorCodes == [50053])

        let reset = try await client.startResetPassword(username: InProcess.email)
        let done = try await reset.submit(code: world.code()).submit(password: InProcess.newPassword)
        #expect(try await done.signIn().account.username == InProcess.email)
        let account = try await client.startSignIn(username: InProcess.email, password: InProcess.newPassword).account
        #expect(account.username == InProcess.email)
    }

    @Test("SEC-LOCK-1: a lock ends automatically")
    func lockEnds() async throws {
        let world = try InProcess { $0.limits = TimeLimits() }
        try await world.signUp()
        let step = try await world.client().startSignIn(username: InProcess.email).password
        for number in 1...10 { _ = try await refusal { try await step.submit(password: "Wrong-Tulip-\(number)") } }
        world.server.clock.advance(by: 59)
        #expect(try await refusal { try await step.submit(password: InProcess.password) }.kind == "general")
        world.server.clock.advance(by: 1)
        #expect(try await step.submit(password: InProcess.password).account.username == InProcess.email)
    }

    // MARK: Tokens and accounts

    @Test("access tokens: kept, renewed by force and by time, for other scopes, and live at the server")
    func accessTokens() async throws {
        let world = try InProcess()
        try await world.signUp()
        let client = try world.client()
        let account = try await client.startSignIn(username: InProcess.email, password: InProcess.password).account
        let first = try await account.accessToken()
        #expect(try await account.accessToken() == first)
        let forced = try await account.accessToken(policy: .force)
        #expect(forced.value != first.value && forced.refreshToken != first.refreshToken)
        #expect(try await world.live(first) != nil, "a renewal does not end the token before")
        world.server.clock.advance(by: 7_200)
        #expect(try await world.live(forced) == nil)
        let renewed = try await account.accessToken()
        let live = try #require(try await world.live(renewed))
        #expect(live.user.email == InProcess.email)
        #expect(live.claims.client.description == IdentityTestServer.Application.emailPassword.rawValue)

        let orders = try await account.accessToken(scopes: ["api://orders/Read"])
        #expect(orders.scopes.contains("api://orders/Read"))
        let claims = try #require(try await world.live(orders)?.claims)
        #expect(claims.audience == "api://orders" && claims.scopes == ["Read"])
        #expect(try await account.accessToken(scopes: ["api://orders/Read"]) == orders)
        let two = ["api://orders/Read", "api://stock/Read"]
        #expect(try await refusal { try await account.accessToken(scopes: two) }.kind == "scopesRefused")
        // More factors than the sign-in had need a new sign-in.
        let more = try await refusal { try await client.accessToken(for: account, claims: InProcess.claims) }
        #expect(more.kind == "mfaRequired")
        #expect(try await account.accessToken(scopes: ["api://orders/Read"]) == orders, "the session goes on")
        // A scope without a resource is one of the directory, and comes back in the words of the request.
        let directory = try await account.accessToken(scopes: ["User.Read"])
        #expect(directory.scopes.contains("User.Read"))
        #expect(try await world.liveSessions() == 1)
    }

    @Test("two accounts have a session each; signing one out ends its family at the server and leaves the other")
    func twoAccounts() async throws {
        let world = try InProcess()
        try await world.signUp()
        try await world.signUp("erik@example.com")
        let client = try world.client()
        let dana = try await client.startSignIn(username: InProcess.email, password: InProcess.password).account
        let erik = try await client.startSignIn(username: "erik@example.com", password: InProcess.password).account
        #expect(client.accounts().map(\.username) == ["erik@example.com", InProcess.email])
        #expect(client.currentAccount()?.homeAccountID == erik.homeAccountID)
        let token = try await dana.accessToken()
        #expect(try await client.signOutAndRevoke(dana) == .revoked)
        #expect(client.accounts().map(\.username) == ["erik@example.com"])
        #expect(
            try await world.server.rows(
                """
                SELECT display, revoked_at IS NOT NULL FROM refresh_families JOIN identifiers USING (tenant, user)
                ORDER BY display
                """) == [[InProcess.email, "1"], ["erik@example.com", "0"]])
        #expect(try await world.live(token) == nil)
        #expect(try await refusal { try await dana.accessToken() }.kind == "signInRequired")
        #expect(try await world.live(erik.accessToken(policy: .force)) != nil)
        #expect(try await client.signOutAndRevoke() == .revoked)
        #expect(try await world.liveSessions() == 0)
        #expect(try await client.signOutAndRevoke() == .nothingToRevoke)
    }

    @Test("docs/protocol.md §5.5: the session of a code application ends after a day, that of a password one does not")
    func sessionLives() async throws {
        let world = try InProcess()
        try await world.signUp()
        try await world.signUpWithCode("erik@example.com")
        let passwords = try await world.client().startSignIn(username: InProcess.email, password: InProcess.password)
            .account
        let step = try await world.client(.emailOneTimePasscode).startSignIn(username: "erik@example.com").code
        let codes = try await step.submit(code: world.code("erik@example.com")).account
        world.server.clock.advance(by: 24 * 3_600 - 1)
        _ = try await codes.accessToken(policy: .force)
        world.server.clock.advance(by: 1)
        #expect(try await refusal { try await codes.accessToken(policy: .force) }.kind == "sessionEnded")
        world.server.clock.advance(by: 88 * 24 * 3_600)
        #expect(try await world.live(passwords.accessToken()) != nil)
    }
}
