import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// What a thief with only a password, a mailbox or a token could do to an account (docs/develop/threat-model.md).
@Suite struct AccountAttackTests {
    private static let dana = IdentityTestServer.email

    private func errorCode(_ answer: WireAnswer) -> String? {
        answer["error"]?["details"]?.array.first?["code"]?.string
    }

    /// A session with both factors.
    private func strong(_ server: IdentityTestServer, contact: String) async throws -> AccountCaller {
        let signedIn = try await server.signInWithSecondFactor(contact: contact)
        return try AccountCaller(
            try await server.passwordClient.post(
                .token,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", try #require(signedIn.text("refresh_token"))),
                    ("scope", AccountCaller.scope),
                ]), server)
    }

    /// Signs up, and makes the account's own mailbox the method, as the first enrolment does.
    private func enrolOwnMailbox(_ server: IdentityTestServer) async throws {
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        #expect(try await caller.prove(Self.dana, by: "addEmailMethod", "confirmEmailMethod") == 204)
    }

    // MARK: A change of address that is taken back

    @Test("SEC-ENR-3, SEC-ENR-11: a method that moved to a thief's address moves back with the address")
    func theMovedMethodMovesBack() async throws {
        try await withIdentityServer { server in
            try await enrolOwnMailbox(server)
            server.clock.advance(by: 1)
            let thief = try await strong(server, contact: Self.dana)
            #expect(try await thief.changeEmail(to: "thief@example.org") == 204)
            let moved = try await server.rows("SELECT email FROM strong_methods")
            #expect(moved == [["thief@example.org"]])
            #expect(try await AccountCaller.takeBack(server, toldTo: Self.dana) == 204)
            #expect(try await server.rows("SELECT email FROM strong_methods") == [[Self.dana]])
            #expect(try await server.signInWithSecondFactor(contact: Self.dana).status == 200)
        }
    }

    @Test(
        "SEC-ENR-11: a method of the day before the change is suspended when the change is taken back, a later one is removed"
    )
    func doubtfulMethodsAreSuspended() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let thief = try await AccountCaller.withPassword(server)
            #expect(try await thief.prove("before@example.org", by: "addEmailMethod", "confirmEmailMethod") == 204)
            server.clock.advance(by: 1)
            let both = try await strong(server, contact: "before@example.org")
            #expect(try await both.changeEmail(to: "thief@example.org") == 204)
            server.clock.advance(by: 1)
            #expect(try await both.prove("after@example.org", by: "addEmailMethod", "confirmEmailMethod") == 204)
            #expect(try await AccountCaller.takeBack(server, toldTo: Self.dana) == 204)
            let methods = try await server.rows("SELECT email, suspended_at IS NULL FROM strong_methods")
            #expect(methods == [["before@example.org", "0"]])
            for (purpose, address) in [
                (TestMailbox.Mail.Purpose.methodSuspended, "before@example.org"), (.methodRemoved, "after@example.org"),
            ] {
                let told = try await server.mailbox.mails().filter { $0.purpose == purpose }
                let masked = try #require(EmailAddress(address)).masked
                #expect(told.count == 3 && told.allSatisfy { $0.occasion?.methods == [masked] }, "SEC-ENR-5: \(told)")
            }
        }
    }

    @Test("Taking the change back cancels a deletion, and each mailbox of the account hears of it")
    func takingBackCancelsADeletion() async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.deletionGraceDays = 7
        let directory = TenantDirectory([contoso])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        _ = try await server.signUp("erik@example.com")
        let thief = try await AccountCaller.withCode(server, "erik@example.com")
        #expect(try await thief.changeEmail(to: "thief@example.org") == 204)
        #expect(try await thief.send("DELETE", AccountCaller.me).status == 202)
        let warned = try await server.mailbox.mails().filter { $0.purpose == .deletionScheduled }.map(\.to)
        #expect(Set(warned) == ["thief@example.org", "erik@example.com"])
        #expect(try await AccountCaller.takeBack(server, toldTo: "erik@example.com") == 204)
        #expect(try await server.rows("SELECT COUNT(*) FROM users WHERE deletion_due_at IS NOT NULL") == [["0"]])
        let told = try await server.mailbox.mails().filter { $0.purpose == .emailChangeUndone }.map(\.to)
        #expect(Set(told) == ["thief@example.org", "erik@example.com"])
    }

    @Test("SEC-ID-8: the deletion of an account with a new address is told to the old one, which is free then")
    func deletionTellsTheOldAddress() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            let thief = try await AccountCaller.withCode(server, "erik@example.com")
            #expect(try await thief.changeEmail(to: "thief@example.org") == 204)
            #expect(try await server.client().start("erik@example.com").status == 400, "kept for its owner")
            #expect(try await thief.send("DELETE", AccountCaller.me).status == 204)
            let told = try await server.mailbox.mails().filter { $0.purpose == .accountDeleted }.map(\.to)
            #expect(Set(told) == ["thief@example.org", "erik@example.com"])
            #expect(try await server.client().start("erik@example.com").status == 200)
        }
    }

    @Test("A session that proved the old mailbox does not count as one that proved the new one")
    func theOldMailboxIsNoProofOfTheNewOne() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            let thief = try await AccountCaller.withCode(server, "erik@example.com")
            server.clock.advance(by: 1)
            let owner = try await AccountCaller.withCode(server, "erik@example.com")
            server.clock.advance(by: 1)
            #expect(try await owner.changeEmail(to: "erik@new.example") == 204)
            server.clock.advance(by: 1)
            let begun = try await thief.send(
                "POST", AccountCaller.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"thief@example.org"}"#)
            #expect(begun.status == 202, "\(begun)")
            #expect(try await server.mailbox.mails().first?.to == "erik@new.example", "the code goes to the owner")
        }
    }

    // MARK: Limits

    @Test("The budget of changes belongs to a session: a thief's token does not use up the owner's")
    func aThiefUsesUpOnlyTheOwnSession() async throws {
        try await withIdentityServer { server in
            let transport = InProcessTransport(
                routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress("192.0.2.1"))
            try await server.signUpWithPassword()
            let owner = try await AccountCaller.withPassword(server)
            let thief = try await AccountCaller.withPassword(server)
            func send(_ caller: AccountCaller, _ method: String, _ path: String) async throws -> Int {
                let request = try server.client().request(
                    method, path, headers: ["authorization": "Bearer \(caller.token)"])
                return try await transport.send(request).status
            }
            var statuses: [Int] = []
            for _ in 0..<31 {
                statuses.append(try await send(thief, "GET", AccountCaller.beta + "/nativeAuth.export"))
            }
            #expect(statuses == Array(repeating: 200, count: 30) + [429])
            #expect(try await send(owner, "POST", AccountCaller.beta + "/nativeAuth.endOtherSessions") == 204)
            #expect(try await send(owner, "POST", AccountCaller.me + "/revokeSignInSessions") == 200)
        }
    }

    // MARK: Factors

    @Test("A user of codes gets no method that only a password makes a second factor, and can delete the account")
    func aCodeUserIsNotLockedOut() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            let caller = try await AccountCaller.withCode(server, "erik@example.com")
            let refused = try await caller.send(
                "POST", AccountCaller.beta + "/nativeAuth.addEmailMethod", #"{"emailAddress":"erik@home.example"}"#)
            #expect(refused.status == 400 && errorCode(refused) == "PasswordNotUsed", "\(refused)")
            #expect(try await caller.send("DELETE", AccountCaller.me).status == 204)
        }
    }

    @Test("After a reset, where the own mailbox is the only method, that mailbox is proof enough")
    func aResetLeavesAWayToDelete() async throws {
        try await withIdentityServer { server in
            try await enrolOwnMailbox(server)
            try await server.reset()
            let password = try await AccountCaller.withPassword(server, password: WireClient.newPassword)
            let refused = try await password.send("DELETE", AccountCaller.me)
            #expect(refused.status == 401, "the password alone is not: \(refused)")
            let again = try await server.resetToPassword()
            let submitted = try await server.passwordClient.resetSubmit(again.token, password: "another Pass-4-word")
            let polled = try await server.passwordClient.resetPoll(submitted.token)
            let signedIn = try await server.passwordClient.token(
                redeeming: polled.token, claims: nil, scope: AccountCaller.scope)
            let proven = try AccountCaller(signedIn, server)
            #expect(try await proven.send("DELETE", AccountCaller.me).status == 204)
        }
    }

    @Test("SEC-ENR-3: a password alone does not change the password of an account with a second factor")
    func aPasswordAloneChangesNoPassword() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithTwoFactors()
            let thief = try await AccountCaller.withPassword(server)
            let body = #"{"currentPassword":"\#(WireClient.password)","newPassword":"\#(WireClient.newPassword)"}"#
            let refused = try await thief.send("POST", AccountCaller.me + "/changePassword", body)
            #expect(refused.status == 401, "\(refused)")
            #expect(refused.headers["www-authenticate"]?.contains("insufficient_claims") == true)
            #expect(try await server.audited(.passwordChanged) == 0)
            let owner = try await strong(server, contact: IdentityTestServer.contact)
            #expect(try await owner.send("POST", AccountCaller.me + "/changePassword", body).status == 204)
        }
    }

    @Test("SEC-LOCK-6: after 100 failures a change of the password needs a mailbox, too")
    func manyFailuresNeedAMailbox() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        _ = try await server.rows("UPDATE lockouts SET failures = 150")
        // The first wrong one makes the row where there is none.
        let body = #"{"currentPassword":"\#(WireClient.password)","newPassword":"\#(WireClient.newPassword)"}"#
        let wrong = #"{"currentPassword":"wrong-one","newPassword":"\#(WireClient.newPassword)"}"#
        _ = try await caller.send("POST", AccountCaller.me + "/changePassword", wrong)
        _ = try await server.rows("UPDATE lockouts SET failures = 150")
        let refused = try await caller.send("POST", AccountCaller.me + "/changePassword", body)
        #expect(refused.status == 401, "\(refused)")
        #expect(try await server.audited(.passwordChanged) == 0)
    }

    // MARK: Tokens

    @Test("SEC-TOK-13: a token without a session ends with a change of the credentials in the same second")
    func aTokenOfTheSameSecondEnds() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let thief = try await AccountCaller.withPassword(server, scope: "openid User.ReadWrite")
            #expect(try await thief.isLive)
            try await server.reset()
            #expect(try await !thief.isLive)
            #expect(try await thief.send("DELETE", AccountCaller.me).status == 401)
            let owner = try await AccountCaller.withPassword(
                server, password: WireClient.newPassword, scope: "openid User.ReadWrite")
            #expect(try await owner.isLive, "a sign-in after it, in the same second")
        }
    }

    @Test("The same change of the password later is made again, not answered as the first one")
    func thePasswordChangesAgain() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await AccountCaller.withPassword(server)
            func change(_ old: String, _ new: String) async throws -> Int {
                try await caller.send(
                    "POST", AccountCaller.me + "/changePassword",
                    #"{"currentPassword":"\#(old)","newPassword":"\#(new)"}"#
                ).status
            }
            let (first, second) = (WireClient.password, WireClient.newPassword)
            #expect(try await change(first, second) == 204)
            #expect(try await change(second, first) == 204)
            #expect(try await change(first, second) == 204)
            #expect(try await server.signIn(password: second).status == 200)
            #expect(try await change(first, second) == 204, "as after a lost answer")
            #expect(try await server.audited(.passwordChanged) == 3)
        }
    }

    @Test("A dead token without the scope for it is not told of a deletion")
    func aDeadTokenLearnsNothing() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let reader = try await AccountCaller.withPassword(server, scope: "openid User.Read")
            let owner = try await AccountCaller.withPassword(server)
            #expect(try await owner.send("DELETE", AccountCaller.me).status == 204)
            #expect(try await reader.send("DELETE", AccountCaller.me).status == 401)
            #expect(try await owner.send("DELETE", AccountCaller.me).status == 204)
        }
    }
}
