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

    @Test("Two searches run at a time; another one is asked to come again, and leaves nothing behind")
    func searchesAreFew() async throws {
        let gate = SearchGate()
        let (opened, open) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await gate {
                        begin.yield()
                        for await _ in opened { break }
                    }
                }
            }
            var running = begun.makeAsyncIterator()
            for _ in 0..<2 { await running.next() }
            await #expect(throws: RequestFault.unavailable(retryAfter: 1)) { try await gate {} }
            open.finish()
            try await group.waitForAll()
        }
        try await gate {}
    }
}
