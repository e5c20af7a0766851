import IdentityEngine
import IdentityHTTP
import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// The hook about passwords that only another system knows (design record 0029), over the wire.
@Suite("Passwords of another system") struct PasswordSubmitTests {
    private static let email = IdentityTestServer.email
    private static let wrong = "Wrong-Winter#82"

    /// Runs `body` with a server whose tenant has the hook, the limits of production, and Dana, who is still to be moved.
    private func withMigration(
        _ mode: EnumerationMode = .compat, hooks: [Hook] = [.migration()], hash: PasswordHash? = nil,
        adjust: (inout TenantDirectory.Entry) -> Void = { _ in },
        _ body: (IdentityTestServer, ScriptedReceiver) async throws -> Void
    ) async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.hooks = hooks
        contoso.tenant.enumeration = mode
        adjust(&contoso)
        let directory = TenantDirectory([contoso])
        let receiver = ScriptedReceiver()
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            ports.hooks = receiver
            settings.limits = TimeLimits()
        }
        try await server.addUserToMove(hash: hash)
        server.clock.advance(by: 86_400)
        try await body(server, receiver)
    }

    /// A token with which the password can be sent.
    private func awaiting(_ server: IdentityTestServer, _ name: String = email) async throws -> String {
        let client = server.passwordClient
        let wanted = try await client.signInChallenge(client.initiate(name).token)
        #expect(wanted["challenge_type"] == "password", "\(wanted)")
        return try wanted.token
    }

    private func account(_ server: IdentityTestServer, _ email: String = email) async throws -> UserAccount {
        let tenant = try #require(try await server.engine.tenant(named: "contoso"))
        let key = try #require(EmailAddress(email)?.key)
        return try #require(await server.engine.ports.users.account(named: key, in: tenant.id))
    }

    private func isToMove(_ server: IdentityTestServer) async throws -> Bool {
        try await account(server).user.attributes[Hook.migrationAttribute] == .boolean(true)
    }

    // MARK: Moving

    @Test("SEC-HOOK-7: a password that the receiver accepts is stored and signs in; the next sign-in asks nothing")
    func moves() async throws {
        for hash in [nil, PasswordHash(phc: "")] {
            try await withMigration { server, receiver in
                if hash != nil {
                    let hash = try await server.engine.unknownPassword()
                    try await server.addUserToMove("eve@example.com", hash: hash)
                }
                let name = hash == nil ? Self.email : "eve@example.com"
                receiver.script.password = .success(.migrate)
                let client = server.passwordClient
                let token = try await awaiting(server, name)
                let first = try await client.token(token)
                #expect(first.status == 200, "\(first)")
                guard case .password(let asked)? = receiver.asked().first else { return #expect(Bool(false)) }
                #expect(asked.user.email == name && asked.password.reveal() == WireClient.password)
                let moved = try await account(server, name)
                #expect(moved.user.attributes[Hook.migrationAttribute] == .boolean(false))
                #expect(moved.passwordHash != nil && moved.credentialVersion == 0)
                #expect(try await server.audited(.passwordMoved) == 1)
                #expect(try await server.audited(.signInSucceeded) == 1)
                // The same request again: the same bytes, and no second call.
                #expect(try await client.token(token) == first)
                #expect(try await server.signIn(name).status == 200)
                expectError(try await server.signIn(name, password: Self.wrong), "invalid_grant", 50_126)
                #expect(receiver.asked() == [])
                #expect(try await server.count("SELECT COUNT(*) FROM lockouts WHERE failures > 1") == 0)
            }
        }
    }

    @Test("A password that is stored already ends the move without a call")
    func knownPassword() async throws {
        try await withMigration { server, receiver in
            let hash = try await server.engine.ports.hasher.hash(Secret(WireClient.password))
            try await server.addUserToMove("eve@example.com", hash: hash)
            #expect(try await server.signIn("eve@example.com").status == 200)
            let moved = try await account(server, "eve@example.com")
            #expect(moved.user.attributes[Hook.migrationAttribute] == .boolean(false) && moved.passwordHash == hash)
            #expect(receiver.asked() == [])
            #expect(try await server.audited(.passwordMoved) == 1)
            expectError(try await server.signIn("eve@example.com", password: Self.wrong), "invalid_grant", 50_126)
            #expect(receiver.asked() == [])
        }
    }

    @Test("A password that is too weak, or is to be changed, is answered with 50142; a reset then ends the move")
    func mustBeChanged() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .success(.migrate)
            expectError(try await server.signIn(password: "password1"), "invalid_request", 50_142)
            receiver.script.password = .success(.update)
            expectError(try await server.signIn(), "invalid_request", 50_142)
            #expect(try await isToMove(server))
            #expect(try await server.count("SELECT COUNT(*) FROM users WHERE password_hash IS NOT NULL") == 0)
            #expect(try await server.audited(.passwordMoved) == 0)
            // No digest of a password that may be right is left behind.
            #expect(try await server.rows("SELECT hex(recent), under_way FROM lockouts").first?[1] == nil)
            _ = receiver.asked()
            let client = server.passwordClient
            let sent = try await client.resetChallenge(client.resetStart().token)
            let proven = try await client.resetContinue(sent.token, code: server.mailbox.code(to: Self.email))
            let submitted = try await client.resetSubmit(proven.token)
            #expect(submitted.status == 200, "\(submitted)")
            let ended = try await isToMove(server)
            #expect(!ended)
            receiver.script.password = .success(.migrate)
            expectError(try await server.signIn(), "invalid_grant", 50_126)
            #expect(receiver.asked() == [])
            #expect(try await server.signIn(password: WireClient.newPassword).status == 200)
        }
    }

    @Test("A receiver that blocks ends the flow with its text, and the account stays to be moved")
    func blocks() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .success(.block("Ask the shop."))
            let token = try await awaiting(server)
            let refused = try await server.passwordClient.token(token)
            expectError(refused, "invalid_grant", 1_003_023)
            #expect(refused.text("error_description")?.contains("Ask the shop.") == true)
            receiver.script.password = .success(.migrate)
            #expect(try await server.passwordClient.token(token) == refused)
            #expect(try await server.passwordClient.token(password: Self.wrong, token).status == 400)
            #expect(receiver.asked().count == 1)
            #expect(try await isToMove(server))
        }
    }

    @Test("SEC-HOOK-3: a receiver that fails gives 503 and changes nothing; the same request then signs in")
    func fails() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .failure(.timedOut)
            let token = try await awaiting(server)
            for _ in 0..<3 {
                let refused = try await server.passwordClient.token(token)
                #expect(refused.status == 503 && refused.headers["retry-after"] != nil, "\(refused)")
            }
            #expect(try await isToMove(server))
            #expect(try await server.count("SELECT MAX(failures) FROM lockouts") == 3, "each call counts")
            receiver.script.password = .success(.migrate)
            #expect(try await server.passwordClient.token(token).status == 200)
            let moved = try await isToMove(server)
            #expect(!moved)
        }
    }

    @Test("A second factor comes after a moved password as after any other, and the password is moved before it")
    func secondFactor() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .success(.migrate)
            let needed = try await server.signIn(claims: WireClient.claims)
            #expect(needed["suberror"] == "registration_required", "\(needed)")
            let moved = try await isToMove(server)
            #expect(!moved)
            let done = try await server.register(needed.token)
            let tokens = try await server.passwordClient.token(redeeming: done.token)
            #expect(try claims(of: tokens.text("access_token"))["acrs"] == .array(["c1"]), "\(tokens)")
            _ = receiver.asked()
            let again = try await server.signIn(claims: WireClient.claims)
            #expect(again["suberror"] == "mfa_required" && receiver.asked() == [])
        }
    }

    @Test(
        "SEC-HOOK-1: claims are asked for after the move; when that fails, the same request goes on without another call"
    )
    func bothHooks() async throws {
        let claims = Hook.fixture(.tokenIssuanceStart, claims: [HookClaim(name: "tier")])
        try await withMigration(hooks: [.migration(), claims]) { server, receiver in
            receiver.script.password = .success(.migrate)
            receiver.script.claims = .failure(.timedOut)
            let token = try await awaiting(server)
            #expect(try await server.passwordClient.token(token).status == 503)
            receiver.script.claims = .success(["tier": .one("gold")])
            #expect(try await server.passwordClient.token(token).status == 200)
            let passwords = receiver.asked().count { if case .password = $0 { true } else { false } }
            #expect(passwords == 1)
        }
    }

    // MARK: Attacks

    @Test("SEC-HOOK-7: each call is a guess that is counted before it; a locked account asks no receiver")
    func counted() async throws {
        try await withMigration { server, receiver in
            for number in 1...10 {
                // A repeated guess counts, too: the other system judges it again.
                let guess = number.isMultiple(of: 2) ? Self.wrong : "Wrong-Guess#\(number)"
                expectError(try await server.signIn(password: guess), "invalid_grant", 50_126)
            }
            #expect(receiver.asked().count == 10)
            receiver.script.password = .success(.migrate)
            for guess in [Self.wrong, WireClient.password, "Wrong-Guess#9"] {
                expectError(try await server.signIn(password: guess), "invalid_grant", 50_053)
            }
            #expect(receiver.asked() == [])
            #expect(try await server.audited(.signInLocked) == 1)
            server.clock.advance(by: 60)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test(
        "SEC-HOOK-7: of fifty guesses at once the receiver is asked about ten, also when they are the same",
        arguments: [1, 50])
    func parallelGuesses(_ kinds: Int) async throws {
        try await withMigration { server, receiver in
            let tokens = try await (0..<50).asyncMap { _ in try await awaiting(server) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, token) in tokens.enumerated() {
                    group.addTask {
                        _ = try await server.passwordClient.token(password: "Wrong-Guess#\(number % kinds)", token)
                    }
                }
                try await group.waitForAll()
            }
            #expect(receiver.asked().count == 10)
        }
    }

    @Test(
        "SEC-HOOK-7: answers that are no sign-in count, so that a receiver that refuses everything is asked ten times")
    func refusalsCount() async throws {
        for answer in [PasswordSubmitAnswer.update, .block("No.")] {
            try await withMigration { server, receiver in
                receiver.script.password = .success(answer)
                for _ in 0..<14 { _ = try await server.signIn() }
                #expect(receiver.asked().count == 10, "\(answer)")
            }
        }
    }

    @Test("SEC-HOOK-7: calls that fail count, also those of one guess, and the right password signs in afterwards")
    func failuresCount() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .failure(.status(404))
            for _ in 0..<10 { #expect(try await server.signIn().status == 503) }
            expectError(try await server.signIn(), "invalid_grant", 50_053)
            #expect(receiver.asked().count == 10)
            receiver.script.password = .success(.migrate)
            server.clock.advance(by: 60)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test(
        "Nothing is asked about a disabled account, another application, a spent token, or a user who is not to be moved"
    )
    func notAsked() async throws {
        let others = Set([try #require(ClientID(IdentityTestServer.Application.emailPassword.rawValue))])
        try await withMigration(hooks: [.migration(applications: others)]) { server, receiver in
            receiver.script.password = .success(.migrate)
            let other = server.client(.emailPasswordWithAttributes)
            let started = try await other.initiate()
            let challenged = try await other.signInChallenge(started.token)
            #expect(challenged["challenge_type"] == "oob", "without the hook the user has no password: \(challenged)")
            try await server.addUserToMove("eve@example.com", toMove: false)
            let eve = try await server.passwordClient.signInChallenge(
                server.passwordClient.initiate("eve@example.com").token)
            #expect(eve["challenge_type"] == "oob")
            let token = try await awaiting(server)
            let dana = try await account(server)
            #expect(
                try await server.engine.ports.users.setDisabled(
                    server.clock.now, dana.user.id, in: dana.user.tenant,
                    event: AuditEvent(.accountDisabled, at: server.clock.now, tenant: dana.user.tenant)))
            expectError(try await server.passwordClient.token(token), "invalid_grant", 50_057)
            #expect(try await server.passwordClient.token("made-up").status == 400)
            #expect(receiver.asked() == [])
        }
    }

    @Test("SEC-HOOK-8: where answers hide accounts, every wrong password waits the whole time, for each name")
    func hides() async throws {
        try await withMigration(.strict) { server, receiver in
            try await server.addUserToMove("moved@example.com", hash: server.engine.unknownPassword(), toMove: false)
            func expectWaits(_ name: String, asks: Int) async throws {
                let before = receiver.script.waits
                let answer = try await server.signIn(name, password: Self.wrong)
                expectError(answer, "invalid_grant", 50_126)
                #expect(receiver.script.waits == before + 1 && receiver.asked().count == asks, "\(name)")
            }
            try await expectWaits(Self.email, asks: 1)
            try await expectWaits("moved@example.com", asks: 0)
            try await expectWaits("nobody@example.com", asks: 0)
            receiver.script.password = .failure(.resting)
            // Not 503, which would tell that this account exists; and it counts.
            try await expectWaits(Self.email, asks: 1)
            for name in [Self.email, "moved@example.com", "nobody@example.com"] {
                for _ in 0..<12 { _ = try await server.signIn(name, password: "Other-\(UUID())") }
                _ = receiver.asked()
                try await expectWaits(name, asks: 0)
            }
            server.clock.advance(by: 3_600)
            receiver.script.password = .success(.migrate)
            let before = receiver.script.waits
            #expect(try await server.signIn().status == 200)
            #expect(receiver.script.waits == before)
        }
    }

    @Test("SEC-HOOK-8: without hidden accounts nothing waits")
    func doesNotHide() async throws {
        try await withMigration { server, receiver in
            expectError(try await server.signIn(password: Self.wrong), "invalid_grant", 50_126)
            #expect(receiver.script.waits == 0 && receiver.asked().count == 1)
        }
    }

    @Test("SEC-HOOK-7: the entered password is in no row of the database, whatever the receiver says")
    func nowhere() async throws {
        for answer in [PasswordSubmitAnswer.migrate, .update, .retry, .block("No.")] {
            try await withMigration { server, receiver in
                receiver.script.password = .success(answer)
                _ = try await server.signIn(password: WireClient.password)
                let text = try await "\(server.snapshot())" + "\(server.rows("SELECT * FROM audit"))"
                for form in [
                    WireClient.password, Data(WireClient.password.utf8).base64EncodedString(),
                    WireClient.password.utf8.map { String($0, radix: 16) }.joined(),
                ] {
                    #expect(!text.lowercased().contains(form.lowercased()), "\(answer)")
                }
            }
        }
    }

    @Test("A user cannot set the attribute: not at a sign-up, and not in the own profile")
    func notByUsers() async throws {
        try await withMigration { server, _ in
            let name = Hook.migrationAttribute
            let client = server.passwordClient
            let sent = try await client.challenge(
                client.start(
                    "mia@example.com", [("password", WireClient.password), ("attributes", #"{"\#(name)":true}"#)]
                )
                .token)
            #expect(try await client.submit(code: server.mailbox.code(to: "mia@example.com"), sent.token).status == 200)
            #expect(try await account(server, "mia@example.com").user.attributes[name] == nil)
            let mia = try await AccountCaller.withPassword(server, "mia@example.com")
            let patched = try await mia.send("PATCH", "/graph/v1.0/me", #"{"\#(name)":true}"#)
            #expect(patched.status == 400, "\(patched)")
            #expect(try await account(server, "mia@example.com").user.attributes[name] == nil)
        }
    }

    // MARK: Other ends of a move

    @Test("SEC-HOOK-7: after a reset that an operator asks for, the old system's password does not sign in")
    func operatorReset() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .success(.migrate)
            let token = try await awaiting(server)
            let tenant = try #require(try await server.engine.tenant(named: "contoso"))
            let required = try await server.engine.perform(
                .requireReset, on: account(server).user.id, by: [], in: tenant, as: .command, now: server.clock.now)
            guard case .accepted = required else { return #expect(Bool(false), "\(required)") }
            expectError(try await server.passwordClient.token(token), "invalid_request", 55_200)
            expectError(try await server.signIn(), "invalid_grant", 50_126)
            #expect(receiver.asked() == [])
            let left = try await isToMove(server)
            #expect(!left)
        }
    }

    @Test("A change of the password by the user ends the move")
    func ownChange() async throws {
        try await withMigration { server, receiver in
            let hash = try await server.engine.ports.hasher.hash(Secret(WireClient.password))
            try await server.addUserToMove("eve@example.com", hash: hash)
            let eve = try await AccountCaller.withPassword(server, "eve@example.com")
            let tenant = try #require(try await server.engine.tenant(named: "contoso"))
            // An operator says again that Eve is to be moved.
            let flag = ProfileChange(Hook.migrationAttribute, .value(.boolean(true)))
            let flows = [
                UserFlow(
                    method: .emailPassword,
                    attributes: [AttributeDefinition(name: Hook.migrationAttribute, type: .boolean)])
            ]
            let set = try await server.engine.updateUser(
                account(server, "eve@example.com").user.id, UserEdit(attributes: [flag]), by: flows, in: tenant,
                now: server.clock.now)
            guard case .accepted([Hook.migrationAttribute]) = set else { return #expect(Bool(false), "\(set)") }
            let body =
                #"{"currentPassword":"\#(WireClient.password)","newPassword":"\#(WireClient.newPassword)"}"#
            let done = try await eve.send("POST", "/graph/v1.0/me/changePassword", body)
            #expect(done.status == 204, "\(done)")
            let changed = try await account(server, "eve@example.com")
            #expect(changed.user.attributes[Hook.migrationAttribute] == .boolean(false))
            #expect(receiver.asked() == [])
        }
    }

    @Test("SEC-ENR-12: where two operators are needed, one sets no user with a password to be moved")
    func twoOperators() async throws {
        try await withMigration { server, _ in
            let hash = try await server.engine.ports.hasher.hash(Secret(WireClient.password))
            let eve = try await server.addUserToMove("eve@example.com", hash: hash, toMove: false)
            let mia = try await server.addUserToMove("mia@example.com", toMove: false)
            let tenant = try #require(try await server.engine.tenant(named: "contoso"))
            let event = AuditEvent(.operatorRuleChanged, at: server.clock.now, tenant: tenant.id)
            #expect(try await server.store.setTwoOperators(true, recording: event))
            let flag = ProfileChange(Hook.migrationAttribute, .value(.boolean(true)))
            let flows = [
                UserFlow(
                    method: .emailPassword,
                    attributes: [AttributeDefinition(name: Hook.migrationAttribute, type: .boolean)])
            ]
            func move(_ user: UserID) async throws -> DirectoryAnswer<[String]> {
                try await server.engine.updateUser(
                    user, UserEdit(attributes: [flag]), by: flows, in: tenant, now: server.clock.now)
            }
            guard case .refused(.anotherOperatorNeeded) = try await move(eve) else {
                return #expect(Bool(false), "one operator was enough")
            }
            guard case .accepted([Hook.migrationAttribute]) = try await move(mia) else {
                return #expect(Bool(false), "there was no password to replace")
            }
        }
    }

    @Test("Two devices at one moment both sign in; a reset that comes first wins against the old password")
    func races() async throws {
        try await withMigration { server, receiver in
            receiver.script.password = .success(.migrate)
            let tokens = try await [awaiting(server), awaiting(server)]
            // The second device signs in while the receiver is asked about the first.
            receiver.script.beforePassword = {
                receiver.script.beforePassword = nil
                let answer = try? await server.passwordClient.token(tokens[1])
                #expect(answer?.status == 200)
            }
            let first = try await server.passwordClient.token(tokens[0])
            #expect(first.status == 200, "\(first)")
            #expect(receiver.asked().count == 2)
            #expect(try await server.audited(.passwordMoved) == 1)
        }
        try await withMigration { server, receiver in
            receiver.script.password = .success(.migrate)
            let token = try await awaiting(server)
            let client = server.passwordClient
            let sent = try await client.resetChallenge(client.resetStart().token)
            let proven = try await client.resetContinue(sent.token, code: server.mailbox.code(to: Self.email))
            receiver.script.beforePassword = {
                let answer = try? await client.resetSubmit(proven.token)
                #expect(answer?.status == 200)
            }
            expectError(try await client.token(token), "invalid_request", 55_200)
            #expect(try await server.signIn(password: WireClient.newPassword).status == 200)
            #expect(try await server.audited(.passwordMoved) == 0)
        }
        try await withMigration { server, receiver in
            // An operator says that the account is not to be moved, while the receiver is asked.
            receiver.script.password = .success(.migrate)
            let dana = try await account(server)
            receiver.script.beforePassword = {
                _ = try? await server.engine.ports.users.change(
                    dana.user.id, in: dana.user.tenant,
                    [.setAttributes([AttributeChange(Hook.migrationAttribute, nil)], of: dana.user.id)])
            }
            let token = try await awaiting(server)
            #expect(try await server.passwordClient.token(token).status == 400)
            #expect(try await account(server).passwordHash == nil)
            #expect(receiver.asked().count == 1)
        }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
