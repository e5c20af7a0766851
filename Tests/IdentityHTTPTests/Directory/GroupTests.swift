import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Groups of users by the API, and their claim (docs/protocol.md §18.8).
@Suite("Groups") struct GroupTests {
    private static let groups = "/graph/v1.0/groups"

    /// A server whose application for codes states groups.
    private func withDesk(_ body: (OperatorTests.Desk) async throws -> Void) async throws {
        var entries = TenantDirectory.development.entries
        entries[0].applications[0].statesGroups = true
        let directory = TenantDirectory(entries)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        try await body(try await OperatorTests.Desk(server))
    }

    private func reference(_ id: String) -> String {
        #"{"@odata.id":"https://graph.microsoft.com/v1.0/directoryObjects/\#(id)"}"#
    }

    @Test("A user's groups are in the tokens of an application that asks for them, from the next token on")
    func theClaim() async throws {
        try await withDesk { desk in
            let server = desk.server
            _ = try await server.signUp("dana@example.com")
            let user = try #require(try await server.storedUsers().first).id.description
            let made = try await desk.send(
                "POST", Self.groups,
                #"{"displayName":"Sailors","description":"On boats","mailEnabled":false,"mailNickname":"sailors","securityEnabled":true,"groupTypes":[]}"#
            )
            let group = try #require(made.text("id"), "\(made)")
            #expect(made.status == 201 && made.headers["location"] == "https://operators.test\(Self.groups)/\(group)")
            let members = "\(Self.groups)/\(group)/members"
            let none = try await server.signInWithCode("dana@example.com")
            #expect(try claims(of: none.text("access_token"))["groups"] == .array([]))
            #expect(try await desk.send("POST", "\(members)/$ref", reference(user)).status == 204)
            #expect(
                try await desk.send("POST", "\(members)/$ref", reference(user)).status == 204, "as after a lost answer")

            let signedIn = try await server.signInWithCode("dana@example.com")
            for token in ["access_token", "id_token"] {
                #expect(try claims(of: signedIn.text(token))["groups"] == .array([.string(group)]), "\(token)")
            }
            let other = WireClient(
                transport: server.transport,
                clientID: IdentityTestServer.Application.emailOneTimePasscodeWithAttributes.rawValue)
            let elsewhere = try await server.signInWithCode("dana@example.com", with: other)
            #expect(try claims(of: elsewhere.text("access_token"))["groups"] == nil, "an application that does not ask")

            let listed = try await desk.send("GET", "\(members)?$select=id,mail")
            #expect(listed["value"]?.array.first?["mail"]?.string == "dana@example.com", "\(listed)")
            let of = try await desk.send("GET", "/graph/v1.0/users/\(user)/memberOf")
            #expect(of["value"]?.array.compactMap { $0["id"]?.string } == [group], "\(of)")
            let export = try await desk.send("GET", "/graph/beta/users/\(user)/nativeAuth.export")
            #expect(export["groups"]?.array.first?["displayName"]?.string == "Sailors")

            #expect(try await desk.send("DELETE", "\(members)/\(user)/$ref").status == 204)
            #expect(try await desk.send("DELETE", "\(members)/\(user)/$ref").status == 404)
            let refreshed = try await server.client().refresh(signedIn.text("refresh_token") ?? "")
            #expect(try claims(of: refreshed.text("access_token"))["groups"] == .array([]), "\(refreshed)")
            #expect(try await server.audited(.groupMemberAdded) == 1)
            #expect(try await server.audited(.groupMemberRemoved) == 1)
        }
    }

    @Test("A user in as many groups as there can be, with as many roles, still calls the account and userinfo")
    func theLongestToken() async throws {
        var entries = TenantDirectory.development.entries
        entries[0].applications[0].statesGroups = true
        let ids = (0..<UserGroup.maximumPerUser).map { _ in UUID() }
        entries[0].applications[0].roles = (0..<17).map { number in
            ApplicationRole(
                id: UUID(), value: "\(100 + number)" + String(repeating: "r", count: 117), displayName: "r",
                groups: [ids[number]])
        }
        let directory = TenantDirectory(entries)
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        _ = try await server.signUp("dana@example.com")
        let user = try #require(try await server.storedUsers().first)
        for id in ids {
            for change in [
                GroupChange.create(
                    UserGroup(id: id, displayName: "g", description: "", createdAt: IdentityTestServer.start)),
                .add(user.id, to: id),
            ] {
                let event = server.engine.groupEvent(
                    change, in: entries[0].tenant, as: .command, now: IdentityTestServer.start)
                #expect(try await server.directoryStore.change(change, in: user.tenant, recording: event) == .done)
            }
        }
        let one = UserGroup(id: UUID(), displayName: "g", description: "", createdAt: IdentityTestServer.start)
        let event = server.engine.groupEvent(
            .create(one), in: entries[0].tenant, as: .command, now: IdentityTestServer.start)
        _ = try await server.directoryStore.change(.create(one), in: user.tenant, recording: event)
        let more = GroupChange.add(user.id, to: one.id)
        #expect(try await server.directoryStore.change(more, in: user.tenant, recording: event) == .full)

        let tokens = try await server.signInWithCode("dana@example.com", scope: "openid profile")
        let long = try #require(tokens.text("access_token"))
        #expect(try claims(of: long)["groups"]?.array.count == 100 && claims(of: long)["roles"]?.array.count == 17)
        #expect(long.utf8.count > 8_192, "\(long.utf8.count)")
        let info = try await server.client().get(
            "/contoso/oidc/userinfo", headers: ["authorization": "Bearer \(long)"])
        #expect(info.status == 200, "\(info)")
        let account = try await server.signInWithCode("dana@example.com", scope: "openid User.Read")
        let short = try #require(account.text("access_token"))
        #expect(try claims(of: short)["groups"] == nil && short.utf8.count < 2_000)
        let me = try await server.client().get("/graph/v1.0/me", headers: ["authorization": "Bearer \(short)"])
        #expect(me.status == 200, "\(me)")
    }

    @Test("Groups are listed, filtered, edited and deleted; members come in pages; deleted users are not among them")
    func lists() async throws {
        try await withDesk { desk in
            var ids: [String] = []
            for name in ["dana", "kim", "otto"] {
                let made = try await desk.send(
                    "POST", OperatorTests.users, OperatorTests.newUser("\(name)@example.com"))
                ids.append(try #require(made.text("id"), "\(made)"))
            }
            let group = try #require(try await desk.send("POST", Self.groups, #"{"displayName":"A"}"#).text("id"))
            _ = try await desk.send("POST", Self.groups, #"{"displayName":"B"}"#)
            for id in ids {
                #expect(
                    try await desk.send("POST", "\(Self.groups)/\(group)/members/$ref", reference(id)).status == 204)
            }
            let found = try await desk.send(
                "GET", "\(Self.groups)?$filter=" + OperatorTests.encoded("displayName eq 'a'"))
            #expect(found["value"]?.array.compactMap { $0["id"]?.string } == [group])
            var seen: [String] = []
            var path = "\(Self.groups)/\(group)/members?$top=1&$select=id"
            for _ in 0..<5 {
                let page = try await desk.send("GET", path)
                seen += page["value"]?.array.compactMap { $0["id"]?.string } ?? []
                guard let next = page.text("@odata.nextLink") else { break }
                path = String(next.dropFirst("https://operators.test".count))
            }
            #expect(seen.count == 3 && Set(seen) == Set(ids))
            let forged = path.replacing(group, with: UUID().text)
            #expect(try await desk.send("GET", forged).status == 404)
            #expect(try await desk.send("DELETE", "\(OperatorTests.users)/\(ids[0])").status == 204)
            let left = try await desk.send("GET", "\(Self.groups)/\(group)/members")
            #expect(left["value"]?.array.count == 2)
            let edit = #"{"displayName":"Crew","description":"All"}"#
            #expect(try await desk.send("PATCH", "\(Self.groups)/\(group)", edit).status == 204)
            #expect(try await desk.send("GET", "\(Self.groups)/\(group)").text("displayName") == "Crew")
            #expect(try await desk.send("DELETE", "\(Self.groups)/\(group)").status == 204)
            #expect(try await desk.send("GET", "\(Self.groups)/\(group)").status == 404)
            #expect(try await desk.send("GET", "/graph/v1.0/users/\(ids[1])/memberOf")["value"]?.array.isEmpty == true)
        }
    }

    @Test(
        "What cannot be is refused, and changes nothing",
        arguments: [
            ("", "{}"), ("", #"{"displayName":""}"#), ("", #"{"displayName":"a\u0000b"}"#),
            ("", #"{"displayName":"a","description":"b\nc"}"#), ("", #"{"displayName":"A","groupTypes":["Unified"]}"#),
            ("", #"{"displayName":"A","mailEnabled":true}"#), ("", #"{"displayName":"A","securityEnabled":false}"#),
            ("", #"{"displayName":"A","members@odata.bind":["x"]}"#), ("", #"{"displayName":"A","id":"x"}"#),
            ("/G/members/$ref", "{}"), ("/G/members/$ref", #"{"@odata.id":"x"}"#),
            ("/G/members/$ref", #"{"@odata.id":"https://x/v1.0/groups/aaaabbbb-0000-cccc-1111-dddd2222eeee"}"#),
            ("/G/members/$ref", #"{"@odata.id":"https://x/v1.0/users/aaaabbbb-0000-cccc-1111-dddd2222eeee"}"#),
            ("/aaaabbbb-0000-cccc-1111-dddd2222eeee/members/$ref", "{}"),
        ])
    func refusals(path: String, body: String) async throws {
        try await withDesk { desk in
            let group = try #require(try await desk.send("POST", Self.groups, #"{"displayName":"A"}"#).text("id"))
            let before = try await desk.server.audited(.groupCreated)
            let answer = try await desk.send("POST", Self.groups + path.replacing("G", with: group), body)
            #expect([400, 403, 404].contains(answer.status), "\(answer)")
            #expect(try await desk.server.audited(.groupCreated) == before)
            #expect(try await desk.send("GET", Self.groups)["value"]?.array.count == 1)
        }
    }
}
