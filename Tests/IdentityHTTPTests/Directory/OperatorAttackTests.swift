import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// What a daemon, and a stranger beside it, could do to users and to the server (docs/develop/threat-model.md).
@Suite struct OperatorAttackTests {
    private static let dana = IdentityTestServer.email

    @Test("The code of a change of address brings no account back that an operator deleted, and works after a restore")
    func theUndoDoesNotRestore() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            let caller = try await AccountCaller.withCode(server, "erik@example.com")
            #expect(try await caller.changeEmail(to: "erik@new.example") == 204)
            let desk = try await OperatorTests.Desk(server)
            let id = try #require(try await desk.ids("$top=1").first)
            #expect(try await desk.send("DELETE", OperatorTests.users + "/\(id)").status == 204)
            #expect(try await AccountCaller.takeBack(server, toldTo: "erik@example.com") == 400)
            #expect(try await server.rows("SELECT deleted_at IS NULL FROM users") == [["0"]])
            #expect(try await desk.send("POST", OperatorTests.deleted + "/\(id)/restore").status == 200)
            #expect(try await AccountCaller.takeBack(server, toldTo: "erik@example.com") == 204)
        }
    }

    @Test("SEC-ID-8: an operator's deletion and restore keep the time at which the user wanted the account deleted")
    func theUsersWishStands() async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.deletionGraceDays = 7
        let directory = TenantDirectory([contoso])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        _ = try await server.signUp("erik@example.com")
        let caller = try await AccountCaller.withCode(server, "erik@example.com")
        #expect(try await caller.send("DELETE", AccountCaller.me).status == 202)
        let wished = try await server.rows("SELECT deletion_due_at FROM users")
        server.clock.advance(by: 60)
        let desk = try await OperatorTests.Desk(server)
        let id = try #require(try await desk.ids("$top=1").first)
        #expect(try await desk.send("DELETE", OperatorTests.users + "/\(id)").status == 204)
        #expect(try await server.rows("SELECT deletion_due_at FROM users") == wished)
        #expect(try await desk.send("POST", OperatorTests.deleted + "/\(id)/restore").status == 200)
        #expect(try await server.rows("SELECT deletion_due_at FROM users") == wished)
        server.clock.advance(by: .seconds(7 * 86_400))
        #expect(try await server.engine.deleteDueAccounts(now: server.clock.now) == 1)
    }

    @Test("A new address by an operator removes the method with the old one, and each mailbox hears of it")
    func aNewAddressIsNoProof() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await AccountCaller.withPassword(server)
            #expect(try await caller.prove(Self.dana, by: "addEmailMethod", "confirmEmailMethod") == 204)
            let desk = try await OperatorTests.Desk(server)
            let id = try #require(try await desk.ids("$top=1").first)
            let patch = """
                {"identities":[{"signInType":"emailAddress","issuer":"contoso.onmicrosoft.com",\
                "issuerAssignedId":"dana@new.example"}]}
                """
            let answer = try await desk.send("PATCH", OperatorTests.users + "/\(id)", patch)
            #expect(answer.status == 204, "\(answer)")
            #expect(try await server.rows("SELECT COUNT(*) FROM strong_methods") == [["0"]])
            let told = try await server.mailbox.mails().filter { $0.purpose == .emailReplaced }.map(\.to)
            #expect(Set(told) == [Self.dana])
        }
    }

    @Test(
        "SEC-RATE-5: the operators' listener takes no password and no code, whose guesses it does not count",
        arguments: ["password", "oob", "mfa_oob", "continuation_token", "refresh_token"])
    func noGrantsOfPeople(grant: String) async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server, signsIn: false)
            let answer = try await WireClient(transport: desk.transport).post(
                .token, [("grant_type", grant), ("continuation_token", "x"), ("password", "x"), ("oob", "1")])
            expectError(answer, "unsupported_grant_type", 70_003)
        }
    }

    @Test(
        "Two searches run at a time, one of each caller; another one waits, is then asked to come again, and leaves nothing"
    )
    func searchesAreFew() async throws {
        let gate = SearchGate()
        let (opened, open) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let refused = RequestFault.unavailable(retryAfter: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            func hold(_ caller: UInt8) {
                group.addTask {
                    try await gate(of: Data([caller])) {
                        begin.yield()
                        for await _ in opened { break }
                    }
                }
            }
            var running = begun.makeAsyncIterator()
            hold(1)
            await running.next()
            // The other place is not for the same caller.
            await #expect(throws: refused) { try await gate(of: Data([1])) {} }
            hold(2)
            await running.next()
            await #expect(throws: refused) { try await gate(of: Data([3])) {} }
            // One that waits gets the place that is freed.
            async let waited: Void = gate(of: Data([4])) {}
            open.finish()
            try await waited
            try await group.waitForAll()
        }
        try await gate(of: Data([1])) {}
    }

    @Test("Of one caller's searches four may wait, and the fifth is refused at once")
    func waitingIsBounded() async throws {
        let gate = SearchGate()
        let (opened, open) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let refusals = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await gate(of: Data([1])) {
                    begin.yield()
                    for await _ in opened { break }
                }
                return false
            }
            var running = begun.makeAsyncIterator()
            await running.next()
            for _ in 0..<20 {
                group.addTask {
                    do {
                        try await gate(of: Data([1])) {}
                        return false
                    } catch {
                        return true
                    }
                }
            }
            var refusals = 0
            while refusals < 16, let isRefused = try await group.next() { refusals += isRefused ? 1 : 0 }
            open.finish()
            for try await isRefused in group where isRefused { refusals += 1 }
            return refusals
        }
        #expect(refusals == 16)
    }
}
