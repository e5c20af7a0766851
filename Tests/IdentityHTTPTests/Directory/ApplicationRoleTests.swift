import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Roles that applications define, for users by their groups and for daemons (docs/protocol.md §18.7).
@Suite("Roles of applications") struct ApplicationRoleTests {
    private static let applications = "/graph/v1.0/applications"
    private static let principals = "/graph/v1.0/servicePrincipals"
    private static let approve = "0a0c9d1e-7b46-4a58-9c3d-5e6f708192a1"
    private static let process = "0a0c9d1e-7b46-4a58-9c3d-5e6f708192a2"

    private static func role(
        _ id: String, _ value: String, _ types: String, isEnabled: Bool = true
    ) -> String {
        #"{"id":"\#(id)","value":"\#(value)","displayName":"\#(value)","description":"x","allowedMemberTypes":[\#(types)],"isEnabled":\#(isEnabled)}"#
    }

    private static let roles =
        "[" + role(approve, "Orders.Approve", #""User""#) + ","
        + role(process, "Orders.Process", #""Application","User""#) + "]"

    /// An API of the tenant with two roles, a user `dana` in a group, and a second daemon.
    private struct World {
        var desk: OperatorTests.Desk
        var editor: TestEditor
        /// Object id, client id and service principal of the API.
        var object: String
        var api: String
        var resource: String
        var group: String
        var user: String
        var daemon: String

        var server: IdentityTestServer { desk.server }

        /// Gives the role, and returns the assignment.
        func give(_ role: String, to principal: String) async throws -> WireAnswer {
            try await desk.send(
                "POST", "\(principals)/\(resource)/appRoleAssignedTo",
                #"{"principalId":"\#(principal)","resourceId":"\#(resource)","appRoleId":"\#(role)"}"#)
        }

        func userToken(_ scope: String, _ token: String = "access_token") async throws -> JSON? {
            let answer = try await server.signInWithCode("dana@example.com", scope: "openid offline_access \(scope)")
            return try claims(of: answer.text(token))["roles"]
        }

        func daemonToken() async throws -> JSON? {
            let answer = try await server.client().daemonToken(scope: "api://\(api)/.default")
            return try claims(of: answer.text("access_token"))["roles"]
        }
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        try await withEditedDesk(TenantDirectory.development) { desk, editor in
            let made = try await desk.send(
                "POST", Self.applications, #"{"displayName":"Orders","appRoles":\#(Self.roles)}"#)
            let (object, api) = (
                try #require(made.text("id"), "\(made)"), try #require(made.text("appId"), "\(made)")
            )
            func principal(_ appID: String) async throws -> String {
                try #require(try await desk.send("GET", "\(Self.principals)(appId='\(appID)')").text("id"))
            }
            _ = try await desk.server.signUp("dana@example.com")
            let user = try #require(try await desk.server.storedUsers().first).id.description
            let group = try #require(
                try await desk.send("POST", "/graph/v1.0/groups", #"{"displayName":"Approvers"}"#).text("id"))
            let added = try await desk.send(
                "POST", "/graph/v1.0/groups/\(group)/members/$ref",
                #"{"@odata.id":"https://graph.microsoft.com/v1.0/directoryObjects/\#(user)"}"#)
            #expect(added.status == 204)
            try await body(
                World(
                    desk: desk, editor: editor, object: object, api: api, resource: try await principal(api),
                    group: group, user: user, daemon: try await principal(DaemonFixture.development)))
        }
    }

    @Test("A role of a group is in its users' tokens for that API from the next token on, and in no other token")
    func usersHaveRoles() async throws {
        try await withWorld { world in
            let scope = "api://\(world.api)/read"
            #expect(try await world.userToken(scope) == nil)
            let given = try await world.give(Self.approve, to: world.group)
            #expect(given.status == 201 && given["principalType"]?.string == "Group", "\(given)")
            #expect(given.text("principalDisplayName") == "Approvers")
            #expect(try await world.give(Self.approve, to: world.group).text("id") == given.text("id"), "twice is once")
            #expect(try await world.userToken(scope) == .array([.string("Orders.Approve")]))
            #expect(try await world.userToken(scope, "id_token") == nil, "the roles of another application")
            #expect(try await world.userToken("api://other/read") == nil)
            #expect(try await world.userToken("") == nil)

            // The application that signs in has roles of its own: both tokens state them.
            let own = IdentityTestServer.Application.emailOneTimePasscode.rawValue
            let found = try await world.desk.send("GET", "\(Self.applications)(appId='\(own)')")
            let patched = try await world.desk.send(
                "PATCH", "\(Self.applications)/\(try #require(found.text("id")))",
                #"{"appRoles":[\#(Self.role(Self.approve, "Pilot", #""User""#))]}"#)
            #expect(patched.status == 204, "\(patched)")
            let ownPrincipal = try #require(
                try await world.desk.send("GET", "\(Self.principals)(appId='\(own)')").text("id"))
            let ofOwn = try await world.desk.send(
                "POST", "\(Self.principals)/\(ownPrincipal)/appRoleAssignedTo",
                #"{"principalId":"\#(world.group)","resourceId":"\#(ownPrincipal)","appRoleId":"\#(Self.approve)"}"#)
            #expect(ofOwn.status == 201, "\(ofOwn)")
            #expect(try await world.userToken("", "id_token") == .array([.string("Pilot")]))
            #expect(try await world.userToken("") == .array([.string("Pilot")]), "the token is for the application")
            #expect(try await world.userToken(scope) == .array([.string("Orders.Approve")]))
            #expect(try await world.userToken(scope, "id_token") == .array([.string("Pilot")]))

            // Out of the group, the next refresh states no role.
            let signedIn = try await world.server.signInWithCode(
                "dana@example.com", scope: "openid offline_access \(scope)")
            let left = try await world.desk.send(
                "DELETE", "/graph/v1.0/groups/\(world.group)/members/\(world.user)/$ref")
            #expect(left.status == 204)
            let refreshed = try await world.server.client().refresh(signedIn.text("refresh_token") ?? "")
            #expect(try claims(of: refreshed.text("access_token"))["roles"] == nil, "\(refreshed)")
        }
    }

    @Test("A daemon has a role by assignment; a new word, a disabled and a deleted role count from the next token on")
    func daemonsHaveRoles() async throws {
        try await withWorld { world in
            let given = try await world.give(Self.process, to: world.daemon)
            #expect(given["principalType"]?.string == "ServicePrincipal", "\(given)")
            #expect(try await world.daemonToken() == .array([.string("Orders.Process")]))
            let listed = try await world.desk.send(
                "GET", "\(Self.principals)/\(world.daemon)/appRoleAssignments?$top=999")
            #expect(listed["value"]?.array.contains { $0["id"]?.string == given.text("id") } == true, "\(listed)")
            _ = try await world.give(Self.process, to: world.group)
            func change(_ roles: String...) async throws -> Int {
                try await world.desk.send(
                    "PATCH", "\(Self.applications)/\(world.object)",
                    #"{"appRoles":[\#(roles.joined(separator: ","))]}"#
                ).status
            }
            let both = #""Application","User""#
            #expect(try await change(Self.role(Self.process, "Orders.Run", both)) == 204)
            #expect(try await world.daemonToken() == .array([.string("Orders.Run")]))
            #expect(try await world.userToken("api://\(world.api)/read") == .array([.string("Orders.Run")]))
            #expect(try await change(Self.role(Self.process, "Orders.Run", both, isEnabled: false)) == 204)
            #expect(try await world.daemonToken() == nil)
            #expect(try await world.userToken("api://\(world.api)/read") == nil)
            #expect(try await change(Self.role(Self.process, "Orders.Run", both)) == 204)
            #expect(try await world.daemonToken() == .array([.string("Orders.Run")]))
            // A role that is not for daemons any more is lost, and does not come back.
            #expect(try await change(Self.role(Self.process, "Orders.Run", #""User""#)) == 204)
            #expect(try await change(Self.role(Self.process, "Orders.Run", both)) == 204)
            #expect(try await world.daemonToken() == nil)
            #expect(try await world.userToken("api://\(world.api)/read") == .array([.string("Orders.Run")]))
            // Nor does one that was deleted.
            _ = try await world.give(Self.process, to: world.daemon)
            #expect(try await change() == 204)
            #expect(try await change(Self.role(Self.process, "Orders.Run", both)) == 204)
            #expect(try await world.daemonToken() == nil)
            #expect(try await world.userToken("api://\(world.api)/read") == nil)
        }
    }

    @Test("Assignments are listed with the names of groups, and taken back; a deleted group is seen, without a name")
    func assignments() async throws {
        try await withWorld { world in
            let given = try #require(try await world.give(Self.approve, to: world.group).text("id"))
            let path = "\(Self.principals)/\(world.resource)/appRoleAssignedTo"
            let listed = try await world.desk.send("GET", path)
            #expect(listed["value"]?.array.first?["principalDisplayName"]?.string == "Approvers", "\(listed)")
            #expect(try await world.desk.send("DELETE", "/graph/v1.0/groups/\(world.group)").status == 204)
            let after = try await world.desk.send("GET", path)
            #expect(after["value"]?.array.first?["principalDisplayName"] == .null, "\(after)")
            #expect(try await world.userToken("api://\(world.api)/read") == nil)
            #expect(try await world.desk.send("DELETE", "\(path)/\(given)").status == 204)
            #expect(try await world.desk.send("DELETE", "\(path)/\(given)").status == 404)
            #expect(try await world.desk.send("GET", path)["value"]?.array == [])
        }
    }

    @Test("SEC-ADM-4: who only changes applications changes nothing that a daemon or a group has")
    func changesOfHolders() async throws {
        try await withWorld { world in
            _ = try await world.give(Self.process, to: world.daemon)
            _ = try await world.give(Self.approve, to: world.group)
            _ = try await world.editor.edit(
                world.editor.directory.entries[0].tenant.id, over: world.editor.version, as: .command,
                now: IdentityTestServer.start
            ) { entry in
                entry.daemons[0].roles = [
                    "Application.ReadWrite.All", "Application.Read.All", "api://\(world.api)/Orders.Process",
                ]
            }
            let path = "\(Self.applications)/\(world.object)"
            let (user, both) = (#""User""#, #""Application","User""#)
            let held = [
                Self.role(Self.approve, "Orders.Approve", user), Self.role(Self.process, "Orders.Process", both),
            ]
            let version = world.editor.version
            for roles in [
                // Swapped words, a role that is gone, off, or for others.
                [Self.role(Self.approve, "Orders.Process", user), Self.role(Self.process, "Orders.Approve", both)],
                [held[0]], [held[1]], [],
                [held[0], Self.role(Self.process, "Orders.Process", both, isEnabled: false)],
                [held[0], Self.role(Self.process, "Orders.Process", user)],
            ] {
                let answer = try await world.desk.send(
                    "PATCH", path, #"{"appRoles":[\#(roles.joined(separator: ","))]}"#)
                #expect(answer.status == 403 && world.editor.version == version, "\(roles) \(answer)")
            }
            #expect(try await world.desk.send("DELETE", path).status == 403)
            // Nor does it grant scopes.
            #expect(try await world.desk.send("PATCH", path, #"{"nativeAuthScopes":["*"]}"#).status == 403)
            #expect(world.editor.version == version)
            let free = Self.role("0a0c9d1e-7b46-4a58-9c3d-5e6f708192a3", "Orders.New", both)
            let more = try await world.desk.send(
                "PATCH", path, #"{"appRoles":[\#((held + [free]).joined(separator: ","))]}"#)
            #expect(more.status == 204, "a new role has no holders yet: \(more)")
        }
    }

    @Test(
        "SEC-HOOK-2: no claim has a name that frameworks read as the user or the roles",
        arguments: [
            "role", "Role", "roles", "nameid", "actort", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role",
            "HTTPS://schemas.microsoft.com/x", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier",
        ])
    func namesOfRoles(name: String) {
        #expect(HookClaim.faults(of: [HookClaim(name: name)]).count == 1)
        let claim = ApplicationClaim(name: name, attribute: "city", places: [.access], isEssential: false)
        #expect(ApplicationClaim.faults(of: [claim], with: AttributeDefinition.builtIn).count == 1)
    }

    @Test("A daemon has no role of an application that does not define it, nor of one that was deleted")
    func undefinedRoles() async throws {
        try await withWorld { world in
            _ = try await world.editor.edit(
                world.editor.directory.entries[0].tenant.id, over: world.editor.version, as: .command,
                now: IdentityTestServer.start
            ) { entry in
                entry.daemons[0].roles += ["Orders.Proces", "Orders.Process"].map { "api://\(world.api)/\($0)" }
            }
            #expect(try await world.daemonToken() == .array([.string("Orders.Process")]))
            let off = Self.role(Self.process, "Orders.Process", #""Application""#, isEnabled: false)
            let path = "\(Self.applications)/\(world.object)"
            #expect(try await world.desk.send("PATCH", path, #"{"appRoles":[\#(off)]}"#).status == 204)
            #expect(try await world.daemonToken() == nil)
            #expect(try await world.desk.send("DELETE", path).status == 204)
            let left = world.editor.directory.entries[0].daemons[0].roles
            #expect(!left.contains("api://\(world.api)/Orders.Process"), "\(left)")
        }
    }

    @Test("SEC-ADM-4: a role called like one of the directory's gives nothing at the directory")
    func lookalike() async throws {
        try await withWorld { world in
            let value = "User.ReadWrite.All"
            let changed = try await world.desk.send(
                "PATCH", "\(Self.applications)/\(world.object)",
                #"{"appRoles":[\#(Self.role(Self.process, value, #""Application","User""#))]}"#)
            #expect(changed.status == 204)
            _ = try await world.give(Self.process, to: world.group)
            _ = try await world.give(Self.process, to: world.daemon)
            let user = try await world.server.signInWithCode(
                "dana@example.com", scope: "openid api://\(world.api)/read")
            let daemon = try await world.server.client().daemonToken(scope: "api://\(world.api)/.default")
            for token in [user, daemon].map({ $0.text("access_token") }) {
                #expect(try claims(of: token)["roles"] == .array([.string(value)]))
                var desk = world.desk
                desk.token = token
                #expect(try await desk.send("GET", OperatorTests.users).status == 401)
            }
        }
    }

    @Test(
        "Roles and assignments that break a rule change nothing",
        arguments: [
            #"{"appRoles":{}}"#, #"{"appRoles":[{}]}"#, #"{"appRoles":[1]}"#,
            #"{"appRoles":[\#(role("x", "A", #""User""#))]}"#, #"{"appRoles":[\#(role(approve, "", #""User""#))]}"#,
            #"{"appRoles":[\#(role(approve, ".A", #""User""#))]}"#,
            #"{"appRoles":[\#(role(approve, "A/B", #""User""#))]}"#,
            #"{"appRoles":[\#(role(approve, "A B", #""User""#))]}"#, #"{"appRoles":[\#(role(approve, "A", ""))]}"#,
            #"{"appRoles":[\#(role(approve, "A", #""Guest""#))]}"#,
            #"{"appRoles":[\#(role(approve, "A", #""User""#)),\#(role(approve, "B", #""User""#))]}"#,
            #"{"appRoles":[\#(role(approve, "A", #""User""#)),\#(role(process, "A", #""User""#))]}"#,
            #"{"appRoles":[{"id":"0a0c9d1e-7b46-4a58-9c3d-5e6f708192a1","value":"A","allowedMemberTypes":["User"],"isEnabled":true,"groups":["x"]}]}"#,
            #"{"appRoles":[{"id":"0a0c9d1e-7b46-4a58-9c3d-5e6f708192a1","value":"A","allowedMemberTypes":["User"]}]}"#,
            #"{"appRoles":[],"approles":[]}"#,
        ])
    func refusals(body: String) async throws {
        try await withWorld { world in
            let version = world.editor.version
            let answer = try await world.desk.send("PATCH", "\(Self.applications)/\(world.object)", body)
            #expect(answer.status == 400 && world.editor.version == version, "\(answer)")
        }
    }

    @Test("A role is given to a holder that it is for, by an id of the same tenant, and to no single user")
    func wrongHolders() async throws {
        try await withWorld { world in
            let version = world.editor.version
            for (role, principal) in [
                (Self.approve, world.daemon), (Self.approve, world.user), (Self.approve, UUID().text),
                (UUID().text, world.group), ("x", world.group), (Self.approve, world.resource),
                (Self.process, world.resource),
            ] {
                let answer = try await world.give(role, to: principal)
                #expect(answer.status == 400 && world.editor.version == version, "\(role) \(principal) \(answer)")
            }
            // A daemon has none, whatever it says of itself.
            let found = try await world.desk.send("GET", "\(Self.applications)(appId='\(DaemonFixture.development)')")
            let answer = try await world.desk.send(
                "PATCH", "\(Self.applications)/\(try #require(found.text("id")))", #"{"appRoles":\#(Self.roles)}"#)
            #expect(answer.status == 403 && world.editor.version == version, "\(answer)")
            #expect(answer["error"]?["target"]?.string == "appRoles")
        }
    }

    @Test("Objects of all kinds are read by their ids; others, and deleted users, are left out")
    func byIDs() async throws {
        try await withWorld { world in
            let ids = [world.user, world.group, world.object, world.resource, UUID().text]
            func read(_ types: String) async throws -> [JSON] {
                let list = ids.map { #""\#($0)""# }.joined(separator: ",")
                let answer = try await world.desk.send(
                    "POST", "/graph/v1.0/directoryObjects/getByIds", #"{"ids":[\#(list)]\#(types)}"#)
                #expect(answer.status == 200, "\(answer)")
                return answer["value"]?.array ?? []
            }
            let all = try await read("")
            #expect(
                all.compactMap { $0["@odata.type"]?.string }
                    == ["user", "group", "application", "servicePrincipal"].map { "#microsoft.graph.\($0)" })
            #expect(all.first?["mail"]?.string == "dana@example.com")
            #expect(try await read(#","types":["group","device"]"#).compactMap { $0["id"]?.string } == [world.group])
            #expect(try await read(#","types":["directoryObject"]"#).count == 4)
            #expect(try await world.desk.send("DELETE", "\(OperatorTests.users)/\(world.user)").status == 204)
            #expect(try await read(#","types":["user"]"#) == [])
            for body in [
                "{}", #"{"ids":[],"types":["users"]}"#, #"{"ids":"x"}"#, #"{"ids":["x"]}"#, #"{"ids":[1]}"#,
                #"{"ids":[],"types":[1]}"#,
                #"{"ids":[\#(Array(repeating: #""0a0c9d1e-7b46-4a58-9c3d-5e6f708192a1""#, count: 1_001).joined(separator: ","))]}"#,
            ] {
                let answer = try await world.desk.send("POST", "/graph/v1.0/directoryObjects/getByIds", body)
                #expect(answer.status == 400, "\(body.prefix(40)) \(answer)")
            }
        }
    }
}
