import HTTPTypes
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// The operators' pages: who comes in, who may do what, and what a page of another site can do (docs/operate/console.md).
@Suite("The console") struct ConsoleTests {
    static let contoso = "/console/t/contoso"

    // MARK: - Who comes in

    @Test("An invited owner proves both factors, signs out, and signs in again")
    func theFirstOwner() async throws {
        try await withIdentityServer { server in
            var visitor = try ConsoleVisitor(server)
            #expect(try await visitor.get("/console").headers["location"] == "/console/sign-in")
            let secret = try #require(
                try await visitor.console.operators.invite(.owner, as: .command, now: server.clock.now))
            let accepted = try await visitor.accept(secret, "owner@example.com")
            #expect(accepted.status == 303 && accepted.headers["location"] == "/console", "\(accepted)")
            let field = try #require(accepted.headers["set-cookie"])
            #expect(field.contains("HttpOnly") && field.contains("SameSite=Strict") && field.contains("Path=/console"))
            #expect(try await visitor.get(Self.contoso).status == 200)
            let out = try await visitor.submit(Self.contoso, to: "/console/sign-out", [])
            let old = visitor.cookie
            visitor.take(out)
            #expect(visitor.cookie == nil)
            visitor.cookie = old
            #expect(try await visitor.get(Self.contoso).status == 303, "the session has ended at the server, too")
            visitor.cookie = nil
            let again = try await visitor.signIn("OWNER@example.com")
            #expect(again.status == 303 && again.headers["location"] == "/console/server", "\(again)")
            #expect(try await visitor.get("/console/operators").status == 200)
            #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 1)
        }
    }

    @Test("SEC-ADM-1: an invitation works once, for 30 minutes, and its secret is stored nowhere")
    func invitations() async throws {
        try await withIdentityServer { server in
            var visitor = try ConsoleVisitor(server)
            let operators = visitor.console.operators
            let first = try #require(try await operators.invite(.owner, as: .command, now: server.clock.now))
            #expect(first.reveal().utf8.count == 43)
            #expect(try await visitor.accept(first, "owner@example.com").status == 303)
            var other = try ConsoleVisitor(server, like: visitor)
            let refused = try await other.accept(first, "other@example.com")
            #expect(refused.status == 400)
            #expect(try await other.get(Self.contoso).status == 303)
            #expect(try await server.users() == 1, "nothing was begun")
            let late = try #require(try await operators.invite(.admin, as: .command, now: server.clock.now))
            server.clock.advance(by: 1_801)
            #expect(try await other.accept(late, "other@example.com").status == 400)
            for table in ["operators", "operator_invitations", "operator_sessions", "audit", "outbox", "flows"] {
                for row in try await server.rows("SELECT * FROM \(table)") {
                    let text = row.compactMap(\.self).joined(separator: " ").lowercased()
                    let bytes = Data(first.reveal().utf8).hexadecimal
                    #expect(!text.contains(first.reveal().lowercased()) && !text.contains(bytes), "\(table)")
                }
            }
        }
    }

    @Test(
        "SEC-ADM-1: of five sign-ups with one invitation at the same moment, one becomes an operator, and no account is left"
    )
    func parallelAcceptance() async throws {
        try await withIdentityServer { server in
            let visitor = try ConsoleVisitor(server)
            let secret = try #require(
                try await visitor.console.operators.invite(.owner, as: .command, now: server.clock.now))
            var asked: [(ConsoleVisitor, String, WireAnswer)] = []
            for number in 0..<5 {
                let email = "person\(number)@example.com"
                var one = try ConsoleVisitor(server, like: visitor)
                try await one.open("/console/invitation")
                let page = try await one.submit(
                    "/console/invitation",
                    [("secret", secret.reveal()), ("email", email), ("name", "P"), ("password", WireClient.password)])
                asked.append((one, try await server.mailbox.code(to: email), page))
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (one, code, page) in asked {
                    group.addTask {
                        var one = one
                        return try await one.enter(code: code, on: page).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(
                statuses.filter { $0 == 303 }.count == 1 && statuses.filter { $0 == 400 }.count == 4, "\(statuses)")
            #expect(try await visitor.console.operators.all().map(\.role) == [.owner])
            #expect(try await server.users() == 1)
        }
    }

    @Test("SEC-WEB-3, SEC-WEB-5: without both factors no one comes in, and a refusal does not tell who is an operator")
    func refusedSignIns() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            var visitor = try ConsoleVisitor(server, like: owner)
            let wrong = try await visitor.signIn("owner@example.com", password: "Wrong-Password-1")
            let unknown = try await visitor.signIn("unknown@example.com")
            #expect(wrong.status == 400 && unknown.status == 400)
            let sentences = [wrong, unknown].map {
                String(decoding: $0.body, as: UTF8.self).contains("or the password is not right")
            }
            #expect(sentences == [true, true])
            // The password alone gives a page for the code, and no session.
            let asked = try await visitor.submit(
                "/console/sign-in", [("email", "owner@example.com"), ("password", WireClient.password)])
            #expect(asked.headers["set-cookie"] == nil)
            let before = visitor.cookie
            let code = try await server.mailbox.code(to: "owner@example.com")
            for wrong in wrongCodes(2, besides: code) {
                let answer = try await visitor.enter(code: wrong, on: asked)
                #expect(answer.status == 400 && visitor.cookie == before)
            }
            // Another browser cannot go on with it (SEC-WEB-5), not even with its own form's value.
            var thief = try ConsoleVisitor(server, like: owner)
            try await thief.open("/console/sign-in")
            var form = FormFields()
            form.append("form", ConsoleVisitor.hidden("form", in: try await thief.get("/console/sign-in")))
            form.append("flow", ConsoleVisitor.hidden("flow", in: asked))
            form.append("code", code)
            #expect(try await thief.send("POST", "/console/code", form).status == 403)
            #expect(try await visitor.enter(code: code, on: asked).status == 303)
            #expect(visitor.cookie != before, "a sign-in renews the cookie")
            // A user of an app is no user here.
            try await server.signUpWithPassword()
            var app = try ConsoleVisitor(server, like: owner)
            #expect(try await app.signIn("dana@example.com").status == 400)
        }
    }

    @Test("A user of the operators' tenant without a role has no session")
    func withoutARole() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            var admin = try await owner.invited(.admin)
            let id = try #require(try await owner.console.operators.user(named: "admin@example.com"))
            // The role alone is gone, as after a restore of an older state.
            _ = try await server.rows("DELETE FROM operators WHERE role = 'admin'")
            #expect(try await admin.get(Self.contoso).status == 303)
            let answer = try await admin.signIn("admin@example.com")
            #expect(answer.status == 403)
            #expect(try await owner.console.operators.role(of: id) == nil)
            // The account had no use, and its address is free for another invitation.
            #expect(try await owner.console.operators.user(named: "admin@example.com") == nil)
            _ = try await owner.invited(.admin)
        }
    }

    @Test("SEC-ADM-3: a session ends after 15 idle minutes, after 12 hours, and with its credentials")
    func theEndOfASession() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            server.clock.advance(by: 14 * 60)
            #expect(try await owner.get(Self.contoso).status == 200)
            server.clock.advance(by: 14 * 60)
            #expect(try await owner.get(Self.contoso).status == 200, "each request counts")
            server.clock.advance(by: 16 * 60)
            #expect(try await owner.get(Self.contoso).status == 303)
            var again = owner
            try await again.signIn("owner@example.com")
            for _ in 0..<(12 * 5) {
                server.clock.advance(by: 12 * 60 - 1)
                #expect(try await again.get(Self.contoso).status == 200)
            }
            server.clock.advance(by: 3 * 60)
            #expect(try await again.get(Self.contoso).status == 303)
            try await again.signIn("owner@example.com")
            let id = try #require(try await owner.console.operators.user(named: "owner@example.com"))
            #expect(
                try await server.engine.ports.users.change(
                    id, in: OperatorTenant.id, [.changeCredentials(id, at: server.clock.now)]))
            #expect(try await again.get(Self.contoso).status == 303)
        }
    }

    // MARK: - Who may do what

    /// What the roles may do, written down once more, as the documentation has it.
    private static func mayDo(_ route: ConsoleRoute, _ role: OperatorRole) -> Bool {
        switch route {
        case .style, .script, .signInForm, .signIn, .code, .invitationForm, .acceptInvitation, .home, .signOut,
            .overview,
            .users, .user, .applications, .application, .userFlows, .userFlow, .groups, .group, .mails, .pages, .events,
            .exportEvents,
            .verifyEvents, .server, .requests:
            true
        case .disableLook, .disable, .enableLook, .enable, .resetLook, .reset, .endSessionsLook, .endSessions,
            .confirmRequest, .withdrawRequest:
            role != .auditor
        case .newUser, .createUser, .editUser, .changeUser, .exportUser, .deleteLook, .delete, .restoreLook, .restore,
            .purgeLook, .purge, .removeMethodLook, .removeMethod, .newApplication, .createApplication, .editApplication,
            .changeApplication, .deleteApplicationLook, .deleteApplication, .newSecret, .removeSecretLook,
            .removeSecret, .newUserFlow, .createUserFlow, .editUserFlow, .changeUserFlow, .deleteUserFlowLook,
            .deleteUserFlow, .newAttribute, .createAttribute, .removeAttributeLook, .removeAttribute, .createGroup,
            .changeGroup, .addGroupMember,
            .removeGroupMember, .deleteGroupLook, .deleteGroup, .newRole, .createRole, .editRole, .changeRole,
            .deleteRoleLook, .deleteRole:
            role == .admin || role == .owner
        case .operators, .invite, .withdrawInvitation, .setRole, .removeOperatorLook, .removeOperator, .rotateKeyLook,
            .rotateKey:
            role == .owner
        }
    }

    @Test("SEC-ADM-4: each route × each role: what the table does not allow is 403, without a session the sign-in page")
    func theMatrix() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let user = try #require(try await server.storedUsers().first)
            let owner = try await ConsoleVisitor(server).invited(.owner)
            var visitors: [(OperatorRole?, ConsoleVisitor)] = [(.owner, owner)]
            for role in [OperatorRole.admin, .support, .auditor] {
                visitors.append((role, try await owner.invited(role)))
            }
            visitors.append((nil, try ConsoleVisitor(server, like: owner)))
            var checked = 0
            for route in ConsoleRoute.allCases where route != .signOut {
                let path = route.path.replacing("{tenant}", with: "contoso").replacing(
                    "{id}", with: user.id.description
                )
                .replacing("{method}", with: UUID().uuidString).replacing("{flow}", with: UUID().uuidString)
                .replacing("{attribute}", with: "x").replacing("{group}", with: UUID().uuidString)
                .replacing("{application}", with: IdentityTestServer.Application.emailOneTimePasscode.rawValue)
                for (role, visitor) in visitors {
                    let before = try await server.snapshot()
                    // A form without its field: what is allowed ends there, and changes nothing either.
                    let answer = try await visitor.send(
                        route.method.rawValue, path, route.method == .post ? FormFields() : nil)
                    let page = String(decoding: answer.body, as: UTF8.self)
                    let isRefusedForRole = answer.status == 403 && page.contains("Your role does not allow")
                    let what = "\(role?.rawValue ?? "no one"): \(route): \(answer.status)"
                    if let role {
                        #expect(isRefusedForRole != Self.mayDo(route, role), "\(what)")
                    } else if route.need == .nothing {
                        #expect(answer.headers["location"] == nil, "\(what)")
                    } else {
                        #expect(
                            answer.status == 303 && answer.headers["location"]?.hasPrefix("/console/sign-in") == true,
                            "\(what)")
                    }
                    if route.method == .post || isRefusedForRole || role == nil {
                        #expect(try await server.snapshot() == before, "\(what)")
                    }
                    checked += 1
                }
            }
            #expect(checked == (ConsoleRoute.allCases.count - 1) * 5)
        }
    }

    @Test("Every operation that the console does needs a permission that the directory's table has for it")
    func permissionsAreThoseOfTheDirectory() {
        let pairs: [(ConsoleRoute, OperatorOperation)] = [
            (.createUser, .createUser), (.delete, .deleteUser), (.restore, .restoreUser), (.purge, .purgeUser),
            (.removeMethod, .removeUserMethod), (.exportUser, .exportUser), (.endSessions, .endUserSessions),
            (.userFlows, .listUserFlows), (.groups, .listGroups), (.changeGroup, .changeGroup),
            (.addGroupMember, .addGroupMember), (.changeUserFlow, .changeUserFlow),
            (.createAttribute, .createAttribute),
            (.users, .listUsers), (.events, .listDirectoryAudits), (.applications, .listApplications),
        ]
        for (route, operation) in pairs {
            #expect(route.need == .permission(operation.roles), "\(route)")
            for role in OperatorRole.allCases {
                #expect(Self.mayDo(route, role) == role.allows(operation), "\(route) \(role)")
            }
        }
        // A role in front has all that the one behind it has.
        #expect(OperatorRole.auditor.permissions.isStrictSubset(of: OperatorRole.support.permissions))
        #expect(OperatorRole.support.permissions.isStrictSubset(of: OperatorRole.admin.permissions))
        #expect(OperatorRole.admin.permissions == OperatorRole.owner.permissions)
    }

    @Test("SEC-ADM-3: operators, copies of data, keys and permanent deletion need a proof of the last ten minutes")
    func freshProofs() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let user = try #require(try await server.storedUsers().first)
            var owner = try await ConsoleVisitor(server).invited(.owner)
            server.clock.advance(by: 601)
            let fresh: Set<ConsoleRoute> = [
                .exportUser, .exportEvents, .invite, .withdrawInvitation, .setRole, .removeOperator, .removeMethod,
                .purge,
                .rotateKey, .deleteApplication, .deleteUserFlow, .deleteGroup, .newSecret, .removeSecret,
                .confirmRequest,
            ]
            for route in ConsoleRoute.allCases where route.need != .nothing && route != .signOut {
                let path = route.path.replacing("{tenant}", with: "contoso").replacing(
                    "{id}", with: user.id.description
                )
                .replacing("{method}", with: UUID().uuidString).replacing("{flow}", with: UUID().uuidString)
                .replacing("{attribute}", with: "x").replacing("{group}", with: UUID().uuidString).replacing(
                    "{application}", with: "x")
                let answer = try await owner.send(
                    route.method.rawValue, path, route.method == .post ? FormFields() : nil)
                let asks = answer.headers["location"] == "/console/sign-in?again=1"
                #expect(asks == fresh.contains(route), "\(route) \(answer.status)")
            }
            try await owner.signIn("owner@example.com")
            #expect(try await owner.get("\(Self.contoso)/users/\(user.id)/copy").status == 200)
        }
    }

    @Test("A role counts from the next request on; a removed operator is out, and the address can be invited again")
    func changesOfOperators() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let admin = try await owner.invited(.admin)
            let id = try #require(try await owner.console.operators.user(named: "admin@example.com"))
            #expect(try await admin.get("\(Self.contoso)/new-user").status == 200)
            let changed = try await owner.submit(
                "/console/operators", to: "/console/operators/\(id)/role", [("role", "auditor")])
            #expect(changed.headers["location"] == "/console/operators?done=role", "\(changed)")
            #expect(try await admin.get("\(Self.contoso)/new-user").status == 403)
            let removed = try await owner.submit("/console/operators/\(id)/remove", [])
            #expect(removed.headers["location"] == "/console/operators?done=removed", "\(removed)")
            #expect(try await admin.get(Self.contoso).status == 303)
            _ = try await owner.invited(.admin)
            // The last owner stays, whatever the owner asks.
            let own = try #require(try await owner.console.operators.user(named: "owner@example.com"))
            #expect(try await owner.submit("/console/operators/\(own)/remove", []).status == 409)
            let demoted = try await owner.submit(
                "/console/operators", to: "/console/operators/\(own)/role", [("role", "support")])
            #expect(demoted.status == 409)
            let trail = try await server.rows(
                "SELECT kind, detail FROM audit WHERE kind LIKE 'operator.%' ORDER BY seq")
            #expect(
                trail.map { $0.map { $0 ?? "" }.joined(separator: " ") } == [
                    "operator.invited owner", "operator.added owner", "operator.invited admin", "operator.added admin",
                    "operator.changed admin to auditor", "operator.removed operator", "operator.invited admin",
                    "operator.added admin",
                ])
        }
    }

    @Test("A code opens one session, also when its request is repeated; a new sign-in ends the session before")
    func repeatedProofs() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            var visitor = try ConsoleVisitor(server, like: owner)
            try await visitor.open("/console/sign-in")
            let asked = try await visitor.submit(
                "/console/sign-in", [("email", "owner@example.com"), ("password", WireClient.password)])
            let code = try await server.mailbox.code(to: "owner@example.com")
            var (first, second) = (visitor, visitor)
            #expect(try await first.enter(code: code, on: asked).status == 303)
            let repeated = try await second.enter(code: code, on: asked)
            #expect(repeated.status == 400 && repeated.headers["set-cookie"] == nil, "\(repeated)")
            let before = first
            try await first.signIn("owner@example.com")
            #expect(try await first.get(Self.contoso).status == 200)
            #expect(try await before.get(Self.contoso).status == 303)
        }
    }

    @Test("An invitation has five attempts, is listed and withdrawn, and ends with its owner's role")
    func invitationsEnd() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            func made(by visitor: ConsoleVisitor) async throws -> String {
                let answer = try await visitor.submit("/console/operators", [("role", "owner")])
                let page = String(decoding: answer.body, as: UTF8.self)
                let begin = try #require(page.firstRange(of: "<code id=\"secret\">"), "\(answer)")
                return String(page[begin.upperBound...].prefix { $0 != "<" })
            }
            func works(_ secret: String) async throws -> Bool {
                try await owner.console.operators.tryInvitation(Secret(secret), now: server.clock.now) != nil
            }
            let tried = try await made(by: owner)
            for _ in 0..<5 { #expect(try await works(tried)) }
            #expect(try await !works(tried))
            let page = try await owner.get("/console/operators")
            let name = try #require(ConsoleVisitor.hidden("invitation", in: page))
            #expect(
                try await owner.submit("/console/operators", to: "/console/operators/withdraw", [("invitation", name)])
                    .headers["location"] == "/console/operators?done=withdrawn")
            #expect(
                !String(decoding: try await owner.get("/console/operators").body, as: UTF8.self).contains(
                    "Open invitations"))
            #expect(try await server.audited(.invitationWithdrawn) == 1)
            // A second owner invites, and is removed.
            var other = try ConsoleVisitor(server, like: owner)
            try await other.accept(Secret(try await made(by: owner)), "other@example.com")
            let left = try await made(by: other)
            let id = try #require(try await owner.console.operators.user(named: "other@example.com"))
            #expect(try await owner.submit("/console/operators/\(id)/remove", []).status == 303)
            #expect(try await !works(left))
        }
    }

    @Test("A request that the operator did not make does not keep a session alive")
    func followingIsNoUse() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            for _ in 0..<3 {
                server.clock.advance(by: 5 * 60)
                let answer = try await owner.send(
                    "GET", "\(Self.contoso)/events", nil, headers: ["x-console-background": "1"])
                #expect(answer.status == 200)
            }
            server.clock.advance(by: 1)
            #expect(try await owner.get(Self.contoso).status == 303)
        }
    }

    @Test("Another address of a user wants a fresh proof; a download is for the console's own pages")
    func reachingFurther() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let user = try #require(try await server.storedUsers().first)
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let path = "\(Self.contoso)/users/\(user.id)"
            for site in ["cross-site", "same-site"] {
                #expect(
                    try await owner.send("GET", "\(path)/copy", nil, headers: ["sec-fetch-site": site]).status == 421)
            }
            server.clock.advance(by: 601)
            let moved = try await owner.submit("\(path)/edit", [("email", "thief@example.com")])
            #expect(moved.headers["location"] == "/console/sign-in?again=1", "\(moved)")
            #expect(try await server.engine.ports.users.user(user.id, in: user.tenant)?.email == "dana@example.com")
            let named = try await owner.submit("\(path)/edit", [("email", "dana@example.com"), ("a-city", "Aarhus")])
            #expect(named.headers["location"] == "\(path)?done=saved")
        }
    }

    @Test("Long texts are refused before anything is hashed or shown again")
    func longTexts() async throws {
        try await withIdentityServer { server in
            var visitor = try ConsoleVisitor(server)
            try await visitor.open("/console/sign-in")
            let long = String(repeating: "x", count: 20_000)
            for fields in [[("email", "a@example.com"), ("password", long)], [("email", long), ("password", "x")]] {
                let answer = try await visitor.submit("/console/sign-in", fields)
                #expect(answer.status == 400 && answer.body.count < 5_000)
            }
        }
    }

    // MARK: - Pages of other sites

    @Test("SEC-WEB-4: a form without the page's field, of another visitor, of another site or type changes nothing")
    func foreignForms() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let user = try #require(try await server.storedUsers().first)
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let admin = try await owner.invited(.admin)
            let path = "\(Self.contoso)/users/\(user.id)/disable"
            let right = try #require(ConsoleVisitor.hidden("form", in: try await owner.get(path)))
            let other = try #require(ConsoleVisitor.hidden("form", in: try await admin.get(path)))
            let none = try #require(
                ConsoleVisitor.hidden("form", in: try await ConsoleVisitor(server, like: owner).get("/console/sign-in"))
            )
            #expect(Set([right, other, none]).count == 3)
            func form(_ token: String?) -> FormFields {
                var form = FormFields()
                form.append("form", token)
                return form
            }
            let attempts: [(FormFields, [String: String], Int)] = [
                (form(nil), [:], 403), (form(""), [:], 403), (form(other), [:], 403), (form(none), [:], 403),
                (form(String(right.dropLast())), [:], 403),
                (form(right), ["sec-fetch-site": "cross-site"], 421),
                (form(right), ["sec-fetch-site": "same-site"], 421),
                (form(right), ["origin": "https://evil.example"], 421), (form(right), ["origin": "null"], 421),
                (form(right), ["content-type": "text/plain"], 415),
            ]
            for (form, headers, status) in attempts {
                let answer = try await owner.send("POST", path, form, headers: headers)
                #expect(answer.status == status, "\(headers) \(answer.status)")
            }
            #expect(try await server.audited(.accountDisabled) == 0)
            let answer = try await owner.send(
                "POST", path, form(right),
                headers: ["origin": "https://identity.test", "sec-fetch-site": "same-origin"])
            #expect(answer.status == 303)
            #expect(try await server.audited(.accountDisabled) == 1)
        }
    }

    @Test(
        "The sign-in leads to a page of the console, and to no other site",
        arguments: [
            "https://evil.example/", "//evil.example", "/console/../evil", "/console//evil.example", "/console/\\evil",
            "javascript:alert(1)", "/consolex", "/console/t/contoso/users?q=<b>", "/dev/inbox",
        ])
    func noOpenRedirect(next: String) {
        #expect(Console.local(next) == "/console")
        #expect(Console.local("/console/t/contoso/users") == "/console/t/contoso/users")
    }

    @Test(
        "SEC-ADM-2: the listener for apps has no console, by any spelling",
        arguments: [
            "/console", "/console/", "//console", "/Console", "/console;a=b", "/console%2f", "/%63onsole",
            "/contoso/../console", "/console/sign-in", "/console/t/contoso", "/console/console.css",
            "/operators/oauth2/v2.0/initiate", "/6f706572-6174-8000-8000-000000000001/oauth2/v2.0/initiate",
        ])
    func pathTricks(path: String) async throws {
        try await withIdentityServer { server in
            _ = try await ConsoleVisitor(server).invited(.owner)
            let client = WireClient(transport: server.transport)
            let form =
                "client_id=6f706572-6174-8000-8000-000000000002&username=owner%40example.com&challenge_type=redirect"
            for method in ["GET", "POST"] {
                let request = try client.request(
                    method, path, headers: ["content-type": WireClient.form],
                    body: Data(method == "POST" ? form.utf8 : "".utf8))
                let answer = try await client.send(request)
                #expect([400, 404, 405].contains(answer.status), "\(answer)")
                #expect(answer.text("continuation_token") == nil)
            }
        }
    }

    @Test("Pages have a strict policy, no markup of users, and no secret; an unknown path is a page, too")
    func pagesAreSafe() async throws {
        try await withIdentityServer { server in
            let name = #"<script>alert("x")</script>&'"#
            _ = try await server.signUp(
                "dana@example.com", [(name: "attributes", value: #"{"displayName":"<script>alert(\"x\")</script>&'"}"#)]
            )
            let user = try #require(try await server.storedUsers().first)
            #expect(user.attributes["displayName"] == .string(name))
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let base = "\(Self.contoso)/users/\(user.id)"
            for path in [
                base, "\(base)/edit", "\(base)/delete", "\(Self.contoso)/users", "\(Self.contoso)/users?q=%3Cscript%3E",
                "\(Self.contoso)/events?user=%22%3E%3Cscript%3E", "\(Self.contoso)?span=%3Cb%3E", "/console/server",
                "/console/operators", "\(Self.contoso)/applications", "/console/nowhere", "\(Self.contoso)/users/x",
            ] {
                let answer = try await owner.get(path)
                let page = String(decoding: answer.body, as: UTF8.self)
                #expect(!page.contains("<script>") && !page.contains("\"x\")"), "\(path)")
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
                #expect(
                    answer.headers["cache-control"] == "no-store"
                        && answer.headers["x-content-type-options"] == "nosniff")
                #expect(!page.contains(owner.cookie ?? "no cookie"), "\(path)")
            }
            #expect(try await owner.get("/console/nowhere").status == 404)
        }
    }

    // MARK: - What it does

    @Test(
        "A user is created, edited, disabled, reset, deleted, restored and purged, each with the operator in the trail")
    func theLifeOfAUser() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let application = IdentityTestServer.Application.emailPassword.rawValue
            let created = try await owner.submit(
                "\(Self.contoso)/new-user", to: "\(Self.contoso)/users",
                [
                    ("email", "kim@example.com"), ("a-displayName", "Kim"), ("application", application),
                    ("alias", "kim.p"),
                ])
            let place = try #require(created.headers["location"], "\(created)")
            let path = String(place.prefix { $0 != "?" })
            #expect(place == "\(path)?done=created")
            let taken = try await owner.submit(
                "\(Self.contoso)/new-user", to: "\(Self.contoso)/users",
                [("email", "KIM@example.com"), ("application", application)])
            #expect(taken.status == 400)
            let edited = try await owner.submit(
                "\(path)/edit", [("email", "kim@example.com"), ("a-displayName", "Kim P"), ("alias", "kim.p")])
            #expect(edited.headers["location"] == "\(path)?done=saved", "\(edited)")
            for deed in ["disable", "enable", "reset", "end-sessions"] {
                let answer = try await owner.submit("\(path)/\(deed)", [])
                #expect(answer.status == 303, "\(deed) \(answer)")
            }
            #expect(try await owner.submit("\(path)/delete", [("typed", "other@example.com")]).status == 400)
            #expect(try await owner.submit("\(path)/delete", [("typed", "kim@example.com")]).status == 303)
            #expect(try await owner.get("\(path)/disable").status == 409)
            #expect(try await owner.submit("\(path)/restore", []).status == 303)
            #expect(try await owner.submit("\(path)/delete", [("typed", "kim@example.com")]).status == 303)
            #expect(try await owner.submit("\(path)/purge", [("typed", "kim@example.com")]).status == 303)
            #expect(try await owner.get(path).status == 404)
            let id = try #require(try await owner.console.operators.user(named: "owner@example.com"))
            let bytes = withUnsafeBytes(of: id.uuid.uuid) { Data($0) }.hexadecimal
            let trail = try await server.rows(
                "SELECT kind, lower(hex(client)) FROM audit WHERE lower(hex(tenant)) LIKE 'aaaabbbb%' ORDER BY seq")
            #expect(
                trail.compactMap { $0[0] } == [
                    "account.created", "profile.changed", "account.disabled", "account.enabled", "reset.started",
                    "session.ended", "account.deletion_scheduled", "account.restored", "account.deletion_scheduled",
                    "account.deleted",
                ])
            #expect(trail.allSatisfy { $0[1] == bytes })
        }
    }

    @Test("A form that another operator has overtaken changes nothing")
    func editsDoNotOverwrite() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let user = try #require(try await server.storedUsers().first)
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let path = "\(Self.contoso)/users/\(user.id)/edit"
            let page = try await owner.get(path)
            #expect(try await owner.submit(path, [("email", "dana@example.com"), ("a-city", "Aarhus")]).status == 303)
            var form = FormFields()
            form.append("form", ConsoleVisitor.hidden("form", in: page))
            form.append("version", ConsoleVisitor.hidden("version", in: page))
            form.append("email", "dana@example.com")
            form.append("a-city", "Odense")
            let late = try await owner.send("POST", path, form)
            #expect(
                late.status == 400 && String(decoding: late.body, as: UTF8.self).contains("changed in the meantime"))
            let stored = try await server.engine.ports.users.user(user.id, in: user.tenant)
            #expect(stored?.attributes["city"] == .string("Aarhus"))
        }
    }

    @Test("SEC-ADM-6: a role of an application is created with its groups, edited and deleted over the version shown")
    func rolesOfApplications() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let application = IdentityTestServer.Application.emailOneTimePasscode.rawValue
            let own = "\(Self.contoso)/applications/\(application)"
            let group = try await owner.submit("\(Self.contoso)/groups", [("name", "Pilots <b>")])
            let id = String(
                try #require(group.headers["location"]?.split(separator: "/").last, "\(group)").prefix { $0 != "?" })
            func stored() -> [ApplicationRole] {
                owner.console.tenants().entries[0].applications.first { $0.id.description == application }?.roles ?? []
            }
            for fields in [
                [("value", "a b"), ("name", "x"), ("users", "1")], [("value", "Fly"), ("name", "Fly")],
                [("value", "Fly"), ("name", "Fly"), ("daemons", "1"), ("g-\(id)", "1")],
            ] {
                let refused = try await owner.submit("\(own)/new-role", fields)
                #expect(refused.status == 400 && stored().isEmpty, "\(fields)")
                let page = String(decoding: refused.body, as: UTF8.self)
                #expect(page.contains("value=\"\(fields[0].1)\""), "what was typed stays")
            }
            let fields = [
                ("value", "Fly"), ("name", "May fly"), ("users", "1"), ("enabled", "1"), ("g-\(id)", "1"),
            ]
            let created = try await owner.submit("\(own)/new-role", fields)
            #expect(created.headers["location"] == "\(own)?done=newRole", "\(created)")
            let role = try #require(stored().first)
            #expect(role.value == "Fly" && role.groups.map(\.text) == [id] && role.isEnabled)
            let page = String(decoding: try await owner.get(own).body, as: UTF8.self)
            #expect(page.contains("May fly") && page.contains("Pilots &lt;b&gt;"))
            let edit = "\(own)/roles/\(role.id.text)"
            let late = try await owner.get(edit)
            #expect(try await owner.submit(edit, [("value", "Sail"), ("name", "Sail"), ("users", "1")]).status == 303)
            #expect(stored().map(\.value) == ["Sail"] && stored()[0].groups.isEmpty && !stored()[0].isEnabled)
            var form = FormFields()
            for name in ["form", "version"] { form.append(name, ConsoleVisitor.hidden(name, in: late)) }
            for (name, value) in fields { form.append(name, value) }
            #expect(try await owner.send("POST", edit, form).status == 400, "over the version that the page has shown")
            #expect(try await owner.submit("\(edit)/delete", []).headers["location"] == "\(own)?done=roleDeleted")
            #expect(stored().isEmpty)
            #expect(try await owner.get(edit).status == 404)
        }
    }

    @Test("SEC-ADM-6: an application is created, edited and deleted over the version that the page has shown")
    func applications() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let created = try await owner.submit(
                "\(Self.contoso)/new-application",
                [
                    ("name", "Boats <b>"), ("method", "emailPassword"), ("native", "1"), ("groups", "1"),
                    ("r-city", "1"),
                    ("a-name", "extension_1_Boat"), ("a-type", "integer"),
                    ("scopes", "api://boats/Read\r\n api://boats/Sail "),
                ])
            let place = try #require(created.headers["location"], "\(created)")
            let path = String(place.prefix { $0 != "?" })
            func stored() -> Client? {
                owner.console.tenants().entries[0].applications.first { path.hasSuffix($0.id.description) }
            }
            let client = try #require(stored())
            #expect(
                client.displayName == "Boats <b>" && client.userFlow.method == .emailPassword
                    && client.isNativeAuthEnabled)
            #expect(client.userFlow.attributes.filter(\.isRequired).map(\.name) == ["city"])
            #expect(client.userFlow.attributes.last?.type == .integer)
            #expect(client.scopes == ["api://boats/Read", "api://boats/Sail"] && client.statesGroups)
            let page = String(decoding: try await owner.get(path).body, as: UTF8.self)
            #expect(page.contains("Boats &lt;b&gt;") && !page.contains("<b>"))
            // Two operators open the form; the second to save is told.
            let late = try await owner.get("\(path)/edit")
            let fields = [("name", "Ships"), ("method", "emailOneTimePasscode")]
            #expect(try await owner.submit("\(path)/edit", fields).headers["location"] == "\(path)?done=saved")
            #expect(stored()?.displayName == "Ships" && stored()?.isNativeAuthEnabled == false)
            var form = FormFields()
            for name in ["form", "version"] { form.append(name, ConsoleVisitor.hidden(name, in: late)) }
            form.append("name", "Rafts")
            let refused = try await owner.send("POST", "\(path)/edit", form)
            #expect(refused.status == 400 && String(decoding: refused.body, as: UTF8.self).contains("Another change"))
            #expect(stored()?.displayName == "Ships")
            // The rules of the file, and what was typed.
            let lines = ("scopes", "api://boats/Read\r\napi://boats/Sail")
            let invalid = try await owner.submit("\(path)/edit", [("name", " "), ("method", "emailPassword"), lines])
            #expect(String(decoding: invalid.body, as: UTF8.self).contains("api://boats/Read\napi://boats/Sail"))
            #expect(invalid.status == 400 && String(decoding: invalid.body, as: UTF8.self).contains("<li>Really.</li>"))
            let twice = try await owner.submit(
                "\(path)/edit", [("name", "Ships"), ("method", "emailPassword"), ("a-name", "city")])
            #expect(twice.status == 400)
            #expect(try await owner.submit("\(path)/delete", [("typed", "Boats")]).status == 400)
            #expect(try await owner.submit("\(path)/delete", [("typed", "Ships")]).status == 303)
            #expect(stored() == nil)
            #expect(try await owner.get(path).status == 404)
        }
    }

    @Test("SEC-ADM-6: a user flow and an attribute are created, given to an application, and deleted")
    func userFlows() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            func entry() -> TenantDirectory.Entry { owner.console.tenants().entries[0] }
            func text(_ answer: WireAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }
            let new = [("name", "Shoe <size>"), ("type", "integer"), ("description", "In Europe")]
            let made = try await owner.submit("\(Self.contoso)/new-attribute", new)
            #expect(made.headers["location"] == "\(Self.contoso)/user-flows?done=attribute", "\(made)")
            #expect(try await owner.submit("\(Self.contoso)/new-attribute", new).status == 400, "it is there")
            #expect(try await owner.submit("\(Self.contoso)/new-attribute", [("name", "✓")]).status == 400)
            let size = try #require(entry().attributes.first?.name)
            let fields = [
                ("name", "Members"), ("method", "emailOneTimePasscode"), ("open", "1"), ("u-city", "required"),
                ("u-\(size)", "optional"), ("p-city", "[A-Z][a-z]+"),
            ]
            let wrong = fields.map { $0.0 == "p-city" ? ("p-city", "(") : $0 }
            let unasked = fields.map { $0.0 == "u-city" ? ("u-city", "") : $0 }
            let dropped = try await owner.submit("\(Self.contoso)/new-user-flow", unasked)
            #expect(dropped.status == 400 && text(dropped).contains("is not asked for"), "\(dropped)")
            let refused = try await owner.submit("\(Self.contoso)/new-user-flow", wrong)
            #expect(refused.status == 400 && text(refused).contains("The rule of City"), "\(refused)")
            let created = try await owner.submit("\(Self.contoso)/new-user-flow", fields)
            let path = String(try #require(created.headers["location"], "\(created)").prefix { $0 != "?" })
            let flow = try #require(entry().userFlows.first)
            let asked = flow.attributes.filter(UserFlowCodec.isCollected)
            #expect(asked.map(\.name) == ["city", size] && asked.first?.pattern?.source == "[A-Z][a-z]+")
            let list = text(try await owner.get("\(Self.contoso)/user-flows"))
            #expect(list.contains("Shoe &lt;size&gt;") && list.contains("Members"))
            #expect(try await owner.get("\(Self.contoso)/attributes/\(size)/delete").status == 200)
            let used = try await owner.submit("\(Self.contoso)/attributes/\(size)/delete", [])
            #expect(used.status == 400 && text(used).contains("used by Members"), "\(used)")

            // The application keeps its scopes and takes the flow's rules.
            let client = try #require(entry().applications.first)
            let place = "\(Self.contoso)/applications/\(client.id)"
            let given = try await owner.submit(
                "\(place)/edit",
                [("name", client.displayName), ("native", "1"), ("flow", flow.id.text), ("method", "emailPassword")])
            #expect(given.status == 303, "\(given)")
            #expect(entry().applications.first?.userFlow.method == .emailOneTimePasscode, "the flow says so")
            #expect(entry().applications.first?.userFlow.attributes == flow.attributes)
            let (ofClient, ofFlow) = (text(try await owner.get(place)), text(try await owner.get(path)))
            #expect(ofClient.contains(path) && ofFlow.contains(place) && !ofClient.contains("<dt>Levels</dt>"))

            // The page says what rules of levels demand of its sign-ins.
            let scope = "api://boats/Sail"
            let ruled = try await owner.console.editor.edit(
                entry().tenant.id, over: owner.console.editor.version, as: .command, now: IdentityTestServer.start
            ) { entry in
                entry.applications[0].scopes.append(scope)
                entry.tenant.levels = [
                    LevelRule(level: .twoFactors, applications: [client.id]),
                    LevelRule(level: .phishingResistant, maximumAge: 300, scopes: [scope]),
                    LevelRule(level: .mailed, contexts: ["c4"]),
                ]
            }
            guard case .success = ruled else { throw ConsoleFault.changedMeanwhile }
            #expect(
                text(try await owner.get(place)).contains(
                    "<dd><code>l2</code>, <code>l2p</code> (\(scope), at most 300 s old)</dd>"))

            // What the form does not show stays.
            let marked = try await owner.console.editor.edit(
                entry().tenant.id, over: owner.console.editor.version, as: .command, now: IdentityTestServer.start
            ) { entry in
                for index in entry.userFlows[0].attributes.indices
                where entry.userFlows[0].attributes[index].name == "city" {
                    entry.userFlows[0].attributes[index].maximumLength = 9
                    entry.userFlows[0].attributes[index].userMayChange = false
                }
            }
            guard case .success = marked else { throw ConsoleFault.changedMeanwhile }
            #expect(try await owner.submit("\(path)/edit", fields + [("description", "All")]).status == 303)
            let city = entry().userFlows.first?.attributes.first { $0.name == "city" }
            #expect(city?.maximumLength == 9 && city?.userMayChange == false && city?.isRequired == true)
            let changed = try await owner.submit("\(path)/edit", [("name", "Members"), ("method", "emailPassword")])
            #expect(entry().userFlows.first?.attributes.first { $0.name == "city" }?.maximumLength == 9)
            #expect(changed.headers["location"] == "\(path)?done=saved", "\(changed)")
            #expect(entry().applications.first?.userFlow.allowsSignUp == false)
            #expect(entry().applications.first?.userFlow.method == .emailPassword)
            #expect(try await owner.submit("\(path)/delete", [("typed", "Guests")]).status == 400)
            let look = text(try await owner.get("\(path)/delete"))
            #expect(look.contains("No user can sign up or in with \(client.displayName)"))
            #expect(try await owner.submit("\(path)/delete", [("typed", "Members")]).status == 303)
            #expect(entry().applications.first?.isOpen == false && entry().userFlows.isEmpty)
            #expect(text(try await owner.get("\(Self.contoso)/applications")).contains("No user flow"))
            #expect(try await owner.submit("\(Self.contoso)/attributes/\(size)/delete", []).status == 303)
            #expect(try await owner.get(path).status == 404)
        }
    }

    @Test("A group is created, filled, shown on the page of its user, and deleted, each with its line in the trail")
    func groups() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("dana@example.com")
            let user = try #require(try await server.storedUsers().first)
            let owner = try await ConsoleVisitor(server).invited(.owner)
            func text(_ answer: WireAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }
            let list = "\(Self.contoso)/groups"
            #expect(try await owner.submit(list, [("name", " ")]).status == 400)
            let made = try await owner.submit(list, [("name", "Sailors <b>"), ("description", "On boats")])
            let path = String(try #require(made.headers["location"], "\(made)").prefix { $0 != "?" })
            #expect(text(try await owner.get(list)).contains("Sailors &lt;b&gt;"))
            #expect(try await owner.submit(path, to: "\(path)/members", [("email", "kim@example.com")]).status == 400)
            for _ in 0..<2 {
                let added = try await owner.submit(path, to: "\(path)/members", [("email", "Dana@example.com")])
                #expect(added.headers["location"] == "\(path)?done=member", "\(added)")
            }
            #expect(text(try await owner.get(path)).contains("dana@example.com"))
            #expect(text(try await owner.get("\(Self.contoso)/users/\(user.id)")).contains(path))
            #expect(try await owner.submit(path, [("name", "Crew"), ("description", "")]).status == 303)
            #expect(text(try await owner.get(path)).contains("<h1>Crew"))
            let out = "\(path)/members/\(user.id)/remove"
            #expect(try await owner.submit(path, to: out, []).status == 303)
            #expect(text(try await owner.get(path)).contains("No user is in the group"))
            #expect(try await owner.submit("\(path)/delete", [("typed", "Sailors")]).status == 400)
            #expect(try await owner.submit("\(path)/delete", [("typed", "Crew")]).status == 303)
            #expect(try await owner.get(path).status == 404)
            for kind in [
                AuditEvent.Kind.groupCreated, .groupChanged, .groupMemberAdded, .groupMemberRemoved, .groupDeleted,
            ] {
                #expect(try await server.audited(kind) == 1, "\(kind)")
            }
        }
    }

    @Test("A daemon's secret is shown once, stored as a digest, and removed")
    func secrets() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            let path = "\(Self.contoso)/applications/\(DaemonFixture.id)"
            func secrets() -> [DaemonSecret] {
                owner.console.tenants().entries[0].daemons.first { $0.id == DaemonFixture.id }?.secrets ?? []
            }
            let before = secrets().count
            #expect(
                try await owner.submit(path, to: "\(path)/new-secret", [("name", "x"), ("days", "731")]).status == 400)
            let made = try await owner.submit(path, to: "\(path)/new-secret", [("name", "Night"), ("days", "30")])
            let page = String(decoding: made.body, as: UTF8.self)
            let begin = try #require(page.firstRange(of: "<code id=\"new-secret\">"))
            let text = String(page[begin.upperBound...].prefix { $0 != "<" })
            let secret = try #require(secrets().last)
            #expect(text.utf8.count == 43 && secret.digest == DaemonSecret.digest(of: Secret(text)))
            #expect(secrets().count == before + 1 && secret.displayName == "Night")
            let again = String(decoding: try await owner.get(path).body, as: UTF8.self)
            #expect(!again.contains(text))
            #expect(try await owner.submit("\(path)/secrets/\(secret.id)/remove", []).status == 303)
            #expect(secrets().count == before)
        }
    }

    @Test("OIDC-1, OIDC-10: an application gets its addresses and a secret that is shown once, and has choices with it")
    func webApplications() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            func text(_ answer: WireAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }
            func client() throws -> Client { try #require(owner.console.tenants().entries[0].applications.first) }
            let path = "\(Self.contoso)/applications/\(try client().id)"
            #expect(!text(try await owner.get(path)).contains("<h2>Secrets"), "an app has none")
            #expect(
                try await owner.submit(path, to: "\(path)/new-secret", [("name", "x"), ("days", "30")]).status == 404)
            let fields = [
                ("name", "Shop"), ("native", "1"), ("method", "emailPassword"),
                ("redirects-publicClient", "msauth.com.example.app://auth\nhttp://localhost\n\n"),
                ("redirects-web", " https://shop.example.com/done "), ("sign-out", "https://shop.example.com/bye"),
                ("origins", "https://shop.example.com"), ("homepage", "https://shop.example.com/<b>"),
                ("back-channel", "https://shop.example.com/told"), ("front-channel", "https://shop.example.com/out"),
                ("third-party", "1"),
            ]
            #expect(try await owner.submit("\(path)/edit", fields).status == 303)
            var stored = try client()
            #expect(stored.redirects[.publicClient] == ["msauth.com.example.app://auth", "http://localhost"])
            #expect(stored.redirects[.web] == ["https://shop.example.com/done"] && stored.redirects[.spa] == [])
            #expect(stored.web.postLogoutRedirects == ["https://shop.example.com/bye"])
            #expect(stored.web.allowedOrigins == ["https://shop.example.com"] && stored.web.isThirdParty)
            #expect(stored.web.backChannelLogout == "https://shop.example.com/told")
            #expect(stored.web.frontChannelLogout == "https://shop.example.com/out")
            #expect(stored.web.requiresPKCE, "a public application has no choice")
            let page = text(try await owner.get(path))
            #expect(page.contains("https://shop.example.com/&lt;b&gt;") && page.contains("<h2>Secrets"))
            let form = text(try await owner.get("\(path)/edit"))
            #expect(form.contains(">msauth.com.example.app://auth\nhttp://localhost</textarea>"))
            #expect(!form.contains("name=\"pkce\""))

            let made = text(
                try await owner.submit(path, to: "\(path)/new-secret", [("name", "First"), ("days", "30")]))
            let begin = try #require(made.firstRange(of: "<code id=\"new-secret\">"), "\(made)")
            let secret = String(made[begin.upperBound...].prefix { $0 != "<" })
            stored = try client()
            #expect(
                stored.web.secrets.map(\.digest) == [DaemonSecret.digest(of: Secret(secret))] && stored.isConfidential)
            #expect(!text(try await owner.get(path)).contains(secret))
            let choice = text(try await owner.get("\(path)/edit"))
            #expect(choice.contains("name=\"pkce\" value=\"1\" checked"))
            #expect(try await owner.submit("\(path)/edit", fields).status == 303)
            stored = try client()
            #expect(!stored.web.requiresPKCE && stored.web.secrets.count == 1)
            let days = try await owner.submit(path, to: "\(path)/new-secret", [("name", "x"), ("days", "0")])
            #expect(days.status == 400 && text(days).contains("1 to 730 days"))
            let remove = "\(path)/secrets/\(stored.web.secrets[0].id)/remove"
            #expect(text(try await owner.get(remove)).contains("signs no user in"))
            #expect(try await owner.submit(remove, []).status == 303)
            #expect(try client().web.secrets.isEmpty)
        }
    }

    @Test("The list pages through all users once, and takes no foreign cursor")
    func pages() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            for number in 0..<120 {
                let new = NewAccount(email: "user\(number)@example.com", attributes: [], password: .none)
                let entry = try #require(try TestDirectory.directory().entries.first)
                _ = try await server.engine.createUser(
                    new, of: entry.applications[0].id, by: [], in: entry.tenant, as: .command, now: server.clock.now)
            }
            var (seen, path, pages): (Set<String>, String?, Int) = ([], "\(Self.contoso)/users?state=enabled", 0)
            while let next = path {
                let page = String(decoding: try await owner.get(next).body, as: UTF8.self)
                let ids = page.split(separator: "<tr id=\"u-").dropFirst().map { String($0.prefix(36)) }
                #expect(seen.isDisjoint(with: ids))
                seen.formUnion(ids)
                pages += 1
                path = page.firstRange(of: "rel=\"next\" href=\"").map {
                    String(page[$0.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
                }
                if let path, pages == 1 {
                    // Of another search.
                    let foreign = path.replacing("state=enabled", with: "state=all")
                    #expect(try await owner.get(foreign).status == 404)
                    #expect(try await owner.get(path + "x").status == 404)
                }
            }
            #expect(seen.count == 120 && pages == 3)
            let found = String(decoding: try await owner.get("\(Self.contoso)/users?q=USER").body, as: UTF8.self)
            #expect(found.contains("First 50 users; type more") && !found.contains("rel=\"next\""))
            let one = String(decoding: try await owner.get("\(Self.contoso)/users?q=user119").body, as: UTF8.self)
            #expect(one.contains(">1 user<") && one.contains("user119@example.com"))
        }
    }

    @Test("The overview counts what happened, once, and the times of steps")
    func theOverview() async throws {
        try await withIdentityServer { server in
            let owner = try await ConsoleVisitor(server).invited(.owner)
            for number in 0..<3 { _ = try await server.signUp("user\(number)@example.com") }
            _ = try await server.engine.auditChain.seal(in: server.consoleStore)
            let times = StepTimes()
            for _ in 0..<98 { times.record(.milliseconds(3)) }
            for _ in 0..<2 { times.record(.milliseconds(700)) }
            try await server.consoleStore.addActivity(times.take(now: server.clock.now), to: OperatorTenant.id)
            #expect(times.take(now: server.clock.now).isEmpty)
            for span in ActivitySpan.allCases {
                let page = String(
                    decoding: try await owner.get("\(Self.contoso)?span=\(span.rawValue)").body, as: UTF8.self)
                #expect(page.contains("Sign-ups</a></p><p class=\"big\">3<"), "\(span)")
                #expect(page.contains("Codes sent</a></p><p class=\"big\">3<"), "\(span)")
                #expect(page.contains("<p class=\"big\">1 s<") || page.contains("<p class=\"big\">1.0 s<"), "\(span)")
                #expect(page.contains("<rect class=\"bar\""))
            }
        }
    }

    @Test("Wrong proofs count per source: after enough of them, a source waits")
    func guessesAreLimited() async throws {
        try await withIdentityServer { server in
            let peer = try #require(IPAddress("198.51.100.7"))
            var visitor = try ConsoleVisitor(server, within: AccessPolicy(limits: SourceLimits()), peer: peer)
            try await visitor.open("/console/invitation")
            var statuses: [Int] = []
            for _ in 0..<40 {
                let answer = try await visitor.submit(
                    "/console/invitation",
                    [("secret", "guess"), ("email", "a@example.com"), ("name", "A"), ("password", WireClient.password)])
                statuses.append(answer.status)
            }
            #expect(statuses.first == 400 && statuses.last == 429, "\(statuses)")
        }
    }

    @Test("In the development profile the visitor is the owner, and forms of other sites are refused all the same")
    func development() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp()
            let user = try #require(try await server.storedUsers().first)
            let visitor = try ConsoleVisitor(server, isDevelopment: true)
            let path = "\(Self.contoso)/users/\(user.id)/disable"
            #expect(try await visitor.get("/console/sign-in").headers["location"] == "/console")
            #expect(try await visitor.send("POST", path, FormFields()).status == 403)
            #expect(try await visitor.submit(path, []).status == 303)
            #expect(try await server.audited(.accountDisabled) == 1)
        }
    }

    @Test("Text in markup is escaped, also in attributes; markup is not")
    func markup() {
        let text = "<a href=\"x\">&'\u{0}\n"
        #expect(
            ("<p title=\"\(text)\">" as HTML).text == "<p title=\"&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{FFFD}\n\">")
        let inner: HTML = "<b>\("1 < 2")</b>"
        #expect(
            ("<p>\(inner)\([inner, inner])\(nil as HTML?)\(7)</p>" as HTML).text
                == "<p><b>1 &lt; 2</b><b>1 &lt; 2</b><b>1 &lt; 2</b>7</p>")
        #expect(("\(" x", if: true)\(" y", if: false)" as HTML).text == " x")
    }
}
