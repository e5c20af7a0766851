import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Changes of a user's proofs for which two operators must stand (docs/operate/console.md).
@Suite("Two operators") struct TwoOperatorsTests {
    private static let contoso = ConsoleTests.contoso
    private static let requests = "/graph/beta/nativeAuthOperatorRequests"

    /// A server that asks for two operators, with an owner, an admin and a helper, and a user with two methods.
    private struct Place {
        var server: IdentityTestServer
        var owner: ConsoleVisitor
        var admin: ConsoleVisitor
        var support: ConsoleVisitor
        var tenant: Tenant
        var user: UserID
        var methods: [StrongMethod]

        init(_ server: IdentityTestServer, rule: Bool = true) async throws {
            self.server = server
            owner = try await ConsoleVisitor(server).invited(.owner)
            admin = try await owner.invited(.admin)
            support = try await owner.invited(.support)
            try await server.signUpWithPassword()
            tenant = TenantDirectory.development.entries[0].tenant
            user = try #require(try await server.storedUsers().first { $0.email == "dana@example.com" }).id
            methods = try ["spare", "other"].map { name in
                StrongMethod(
                    id: UUID(), email: try #require(EmailAddress("\(name)@example.org")), provenAt: server.clock.now,
                    enrolment: Enrolment(.twoFactors))
            }
            let id = user
            #expect(
                try await server.engine.ports.users.change(
                    id, in: tenant.id, methods.map { .addStrongMethod($0, to: id) }))
            if rule { try await set(true) }
        }

        func set(_ rule: Bool) async throws {
            #expect(try await owner.console.operators.setTwoOperators(rule, now: server.clock.now))
        }

        func account() async throws -> UserAccount {
            try #require(try await server.engine.account(user, in: tenant.id))
        }

        func open() async throws -> [OperatorRequest] {
            try await server.engine.operatorRequests(in: tenant.id, now: server.clock.now)
        }

        func path(_ request: OperatorRequest, _ verb: String) -> String {
            "\(TwoOperatorsTests.contoso)/requests/\(request.id.text)/\(verb)"
        }

        func remove(_ method: StrongMethod, as visitor: ConsoleVisitor) async throws -> WireAnswer {
            let look = "\(TwoOperatorsTests.contoso)/users/\(user)/methods/\(method.id.text)/remove"
            return try await visitor.submit(look, [])
        }

        func act(_ verb: String, on request: OperatorRequest, as visitor: ConsoleVisitor) async throws -> WireAnswer {
            try await visitor.submit("\(TwoOperatorsTests.contoso)/requests", to: path(request, verb), [])
        }

        func kinds() async throws -> [String] {
            try await server.rows("SELECT kind FROM audit WHERE kind LIKE 'operator.re%' ORDER BY seq").map {
                $0[0] ?? ""
            }
        }
    }

    @Test("SEC-ENR-12: a method goes when a second operator confirms it, and the user is told then")
    func confirmed() async throws {
        try await withIdentityServer { server in
            let place = try await Place(server)
            let page = try await place.admin.get(
                "\(Self.contoso)/users/\(place.user)/methods/\(place.methods[0].id.text)/remove")
            #expect(String(decoding: page.body, as: UTF8.self).contains("another operator confirms it"))
            let mails = try await server.mailbox.mails().count
            let asked = try await place.remove(place.methods[0], as: place.admin)
            #expect(asked.headers["location"]?.hasSuffix("?done=waiting") == true, "\(asked)")
            #expect(try await place.account().strongMethods.count == 2)
            #expect(try await server.mailbox.mails().count == mails, "nothing has happened to the user yet")
            let request = try #require(try await place.open().first)
            #expect(request.missing == 1 && request.requester != nil)
            // Asked again it is the same request.
            _ = try await place.remove(place.methods[0], as: place.admin)
            #expect(try await place.open() == [request])

            let own = try await place.act("confirm", on: request, as: place.admin)
            #expect(own.status == 409, "never the same operator: \(own)")
            var second = try ConsoleVisitor(server, like: place.owner)
            try await second.signIn("admin@example.com")
            #expect(try await place.act("confirm", on: request, as: second).status == 409, "nor by another session")
            #expect(try await place.act("confirm", on: request, as: place.support).status == 403)
            #expect(try await place.account().strongMethods.count == 2)

            let list = try await place.owner.get("\(Self.contoso)/requests")
            #expect(String(decoding: list.body, as: UTF8.self).contains("/confirm"))
            let done = try await place.act("confirm", on: request, as: place.owner)
            #expect(done.headers["location"]?.hasSuffix("?done=requestDone") == true, "\(done)")
            #expect(try await place.account().strongMethods.map(\.id) == [place.methods[1].id])
            #expect(try await place.open().isEmpty)
            #expect(try await place.act("confirm", on: request, as: place.owner).status == 404)
            #expect(try await server.mailbox.mails().first?.purpose == .methodRemoved)
            #expect(try await place.kinds() == ["operator.request_made", "operator.request_confirmed"])
            #expect(try await server.audited(.methodsForgotten) == 1)
        }
    }

    @Test("SEC-ENR-12: what a daemon or a command asks for needs two persons, and neither confirms")
    func daemonsAndCommands() async throws {
        try await withIdentityServer { server in
            let place = try await Place(server)
            let desk = try await OperatorTests.Desk(server)
            let path =
                OperatorTests.users + "/\(place.user)/authentication/emailMethods/\(place.methods[0].id.text)"
            let asked = try await desk.send("DELETE", path)
            #expect(asked.status == 202 && asked["action"] == "removeMethod", "\(asked)")
            #expect(asked["confirmationsNeeded"] == 2)
            let listed = try await desk.send("GET", Self.requests)
            #expect(listed["value"]?.array.map { $0["id"] } == [asked["id"]], "\(listed)")
            let request = try #require(try await place.open().first)
            let (engine, now) = (server.engine, server.clock.now)
            for actor in [Operator.command, Operator(daemon: ClientID(UUID()), source: nil)] {
                let answer = try await engine.confirm(request, by: [], in: place.tenant, as: actor, now: now)
                guard case .refused(.anotherOperatorNeeded) = answer else {
                    Issue.record("\(answer)")
                    return
                }
            }
            let first = try await place.act("confirm", on: request, as: place.admin)
            #expect(first.headers["location"]?.hasSuffix("?done=requestConfirmed") == true, "\(first)")
            #expect(try await place.account().strongMethods.count == 2)
            let waiting = try #require(try await place.open().first)
            #expect(try await place.act("confirm", on: waiting, as: place.admin).status == 409)
            #expect(try await place.act("confirm", on: waiting, as: place.owner).status == 303)
            #expect(try await place.account().strongMethods.count == 1)

            let command = try await engine.perform(
                .removeMethods, on: place.user, by: [], in: place.tenant, as: .command, now: now)
            guard case .accepted(.waiting(let other)) = command else {
                Issue.record("\(command)")
                return
            }
            #expect(other.missing == 2)
            #expect(try await desk.send("DELETE", Self.requests + "/\(UUID())").status == 404)
            #expect(try await desk.send("DELETE", Self.requests + "/\(other.id.text)").status == 204)
            #expect(try await place.open().isEmpty)
            #expect(try await server.audited(.operatorRequestWithdrawn) == 1)
        }
    }

    @Test(
        "SEC-ENR-12: each deed waits, and its transaction refuses it to one operator whatever the caller has checked",
        arguments: [
            ProofDeed.removeMethods, .changeEmail("dana@new.example"), .requireReset, .trustPassword,
            .relaxSecondFactor,
        ])
    func matrix(_ deed: ProofDeed) async throws {
        try await withIdentityServer { server in
            let place = try await Place(server)
            let before = try await place.account()
            let (engine, now) = (server.engine, server.clock.now)
            let admin = try #require(
                try await place.owner.console.operators.user(named: "admin@example.com"))
            let owner = try #require(
                try await place.owner.console.operators.user(named: "owner@example.com"))
            let asked = try await engine.perform(
                deed, on: place.user, by: [], in: place.tenant, as: Operator(user: admin, source: nil), now: now)
            guard case .accepted(.waiting) = asked else {
                Issue.record("\(asked)")
                return
            }
            #expect(try await place.account() == before)
            let request = try #require(try await place.open().first)
            #expect(request.deed == deed)
            let done = try await engine.confirm(
                request, by: [], in: place.tenant, as: Operator(user: owner, source: nil), now: now)
            guard case .accepted(.done) = done else {
                Issue.record("\(done)")
                return
            }
            let after = try await place.account()
            switch deed {
            case .removeMethod, .removeMethods: #expect(after.strongMethods.isEmpty)
            case .changeEmail: #expect(after.user.email == "dana@new.example")
            case .requireReset: #expect(after.passwordHash != before.passwordHash)
            case .trustPassword, .relaxSecondFactor: break
            }
            #expect(try await place.open().isEmpty)
            // The functions that do it refuse one operator in their transaction.
            let alone = try await engine.updateUser(
                place.user, UserEdit(email: "dana@third.example"), by: [], in: place.tenant, now: now)
            guard case .refused(.anotherOperatorNeeded) = alone else {
                Issue.record("\(alone)")
                return
            }
        }
    }

    @Test(
        "SEC-ENR-12: of two confirmations at one moment one does it; a request ends after a day, and a changed user is looked at again"
    )
    func races() async throws {
        try await withIdentityServer { server in
            let place = try await Place(server)
            _ = try await place.remove(place.methods[0], as: place.admin)
            let request = try #require(try await place.open().first)
            let (engine, now, tenant) = (server.engine, server.clock.now, place.tenant)
            let persons = (0..<8).map { _ in UserID(UUID()) }
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for person in persons {
                    group.addTask {
                        let answer = try await engine.confirm(
                            request, by: [], in: tenant, as: Operator(user: person, source: nil), now: now)
                        if case .accepted(.done) = answer { return true }
                        return false
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(done.count { $0 } == 1, "\(done)")
            #expect(try await server.audited(.methodsForgotten) == 1)

            // The user removed the method meanwhile.
            _ = try await place.remove(place.methods[1], as: place.admin)
            let stale = try #require(try await place.open().first)
            #expect(
                try await server.engine.ports.users.change(
                    place.user, in: tenant.id, [.removeStrongMethods([place.methods[1].id], of: place.user)]))
            #expect(try await place.act("confirm", on: stale, as: place.owner).status == 409)
            #expect(try await server.audited(.methodsForgotten) == 1)
            let asked = try await engine.perform(
                .relaxSecondFactor, on: place.user, by: [], in: tenant, as: Operator(user: UserID(UUID()), source: nil),
                now: now)
            guard case .accepted(.waiting) = asked else {
                Issue.record("\(asked)")
                return
            }
            let old = try #require(try await place.open().first { $0.deed == .relaxSecondFactor })
            server.clock.advance(by: .seconds(86_401))
            #expect(try await place.open().isEmpty)
            let late = try await engine.confirm(
                old, by: [], in: tenant, as: Operator(user: persons[0], source: nil), now: server.clock.now)
            guard case .refused(.changedMeanwhile) = late else {
                Issue.record("\(late)")
                return
            }
            _ = try await server.engine.ports.flows.removeExpired(now: server.clock.now)
            #expect(try await server.audited(.operatorRequestExpired) == 2)
        }
    }

    @Test("SEC-ENR-12: an operator who lost the role stands behind nothing, and none invites another by the console")
    func roles() async throws {
        try await withIdentityServer { server in
            let place = try await Place(server)
            _ = try await place.remove(place.methods[0], as: place.admin)
            let request = try #require(try await place.open().first)
            let operators = place.owner.console.operators
            let admin = try #require(try await operators.user(named: "admin@example.com"))
            _ = try await operators.setRole(.support, of: admin, as: .command, now: server.clock.now)
            let refused = try await place.act("confirm", on: request, as: place.owner)
            #expect(refused.status == 409, "\(refused)")
            #expect(try await place.account().strongMethods.count == 2)
            let page = try await place.owner.get("/console/operators")
            #expect(String(decoding: page.body, as: UTF8.self).contains("native-auth operator invite"))
            let owner = try #require(try await operators.user(named: "owner@example.com"))
            let secret = try await operators.invite(
                .admin, as: Operator(user: owner, source: nil), now: server.clock.now)
            #expect(secret == nil, "a second account of the same person would confirm")
            #expect(try await operators.invite(.admin, as: .command, now: server.clock.now) != nil)
        }
    }

    @Test(
        "SEC-ENR-12: the rule is off unless it is set, each change of it is audited, and it ends invitations of operators"
    )
    func rule() async throws {
        try await withIdentityServer { server in
            let place = try await Place(server, rule: false)
            let gone = try await place.remove(place.methods[0], as: place.admin)
            #expect(gone.headers["location"]?.hasSuffix("?done=method") == true, "\(gone)")
            let operators = place.owner.console.operators
            let owner = try #require(try await operators.user(named: "owner@example.com"))
            #expect(
                try await operators.invite(.admin, as: Operator(user: owner, source: nil), now: server.clock.now)
                    != nil)
            try await place.set(true)
            #expect(try await operators.invitations(now: server.clock.now).isEmpty)
            #expect(try await server.audited(.operatorRuleChanged) == 1)
            _ = try await place.remove(place.methods[1], as: place.admin)
            #expect(try await place.account().strongMethods.count == 1)
            #expect(try await operators.setTwoOperators(false, now: server.clock.now))
            #expect(try await server.audited(.operatorRuleChanged) == 2)
        }
    }

    @Test("SEC-ENR-12: a new address waits alone, by the console and by a daemon, and is shown to who confirms")
    func address() async throws {
        try await withIdentityServer { server in
            let place = try await Place(server)
            let desk = try await OperatorTests.Desk(server)
            let path = OperatorTests.users + "/\(place.user)"
            #expect(try await desk.send("PATCH", path, #"{"city":"Ribe"}"#).status == 204)
            let both = try await desk.send("PATCH", path, #"{"mail":"dana@new.example","city":"Oslo"}"#)
            #expect(both.status == 400, "\(both)")
            let same = try await desk.send("PATCH", path, #"{"mail":"dana@example.com","city":"Oslo"}"#)
            #expect(same.status == 204, "\(same)")
            let asked = try await desk.send("PATCH", path, #"{"mail":"dana@new.example"}"#)
            #expect(asked.status == 202 && asked["mail"] == "dana@new.example", "\(asked)")
            let list = try await place.owner.get("\(Self.contoso)/requests")
            #expect(String(decoding: list.body, as: UTF8.self).contains("dana@new.example"))
            #expect(try await place.account().user.email == "dana@example.com")
            let request = try #require(try await place.open().first)
            #expect(try await place.act("withdraw", on: request, as: place.support).status == 403)
            #expect(try await place.act("withdraw", on: request, as: place.owner).status == 303)
            #expect(try await place.open().isEmpty)
        }
    }
}
