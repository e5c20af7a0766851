import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Changes of applications and daemons by scripts (docs/protocol.md §18.6).
@Suite("Changes of applications") struct ApplicationChangeTests {
    private static let path = ApplicationListTests.path

    @Test("An application is registered as the vendor's guide does, signs a user up, is changed and deleted")
    func theLifeOfAnApplication() async throws {
        try await withEditedDesk { desk, editor in
            let created = try await desk.send(
                "POST", Self.path,
                """
                {"displayName":"Boats","signInAudience":"AzureADMyOrg","isFallbackPublicClient":true,
                "nativeAuthenticationApisEnabled":"all","nativeAuthSignIn":"emailOneTimePasscode","publicClient":{"redirectUris":["msauth.com.example.boats://auth"]},
                "requiredResourceAccess":[{"resourceAppId":"00000003-0000-0000-c000-000000000000","resourceAccess":[]}]}
                """)
            #expect(created.status == 201, "\(created)")
            let (id, appID) = (try #require(created.text("id")), try #require(created.text("appId")))
            #expect(created.headers["location"] == "https://operators.test\(Self.path)/\(id)")
            #expect(created.text("nativeAuthSignIn") == "emailOneTimePasscode")
            let app = WireClient(transport: desk.server.transport, clientID: appID)
            #expect(try await desk.server.signUp("dana@example.com", with: app).status == 200)
            let change =
                #"{"displayName":"Ships","nativeAuthSignIn":"emailPassword","nativeAuthScopes":["api://boats/Sail"]}"#
            #expect(try await desk.send("PATCH", "\(Self.path)/\(id)", change).status == 204)
            let read = try await desk.send("GET", "\(Self.path)/\(id)")
            #expect(
                read.text("displayName") == "Ships" && read["nativeAuthScopes"] == .array([.string("api://boats/Sail")])
            )
            #expect(
                try await desk.send("PATCH", "\(Self.path)/\(id)", #"{"nativeAuthenticationApisEnabled":null}"#).status
                    == 204)
            #expect(try await app.start("kim@example.com").status == 400)
            #expect(try await desk.send("DELETE", "\(Self.path)/\(id)").status == 204)
            #expect(try await desk.send("GET", "\(Self.path)/\(id)").status == 404)
            #expect(editor.version == 7 + 4)
            let listed = try await desk.send("GET", "\(Self.path)?$select=displayName,web,groupMembershipClaims")
            #expect(listed.status == 200, "daemons are in the list, too: \(listed)")
            let without = try await desk.send("POST", Self.path, #"{"displayName":"A","isFallbackPublicClient":true}"#)
            #expect(without["nativeAuthSignIn"] == .null && without["nativeAuthUserFlowId"] == .null)
        }
    }

    @Test("A daemon gets a secret, shown once, works with it, and not when it is removed")
    func theLifeOfADaemon() async throws {
        try await withEditedDesk { desk, editor in
            let created = try await desk.send("POST", Self.path, #"{"displayName":"Night job"}"#)
            let (id, appID) = (try #require(created.text("id"), "\(created)"), try #require(created.text("appId")))
            #expect(created["isFallbackPublicClient"] == .boolean(false))
            let end = (IdentityTestServer.start + 86_400).ISO8601Format()
            let made = try await desk.send(
                "POST", "\(Self.path)/\(id)/addPassword",
                #"{"passwordCredential":{"displayName":"first","endDateTime":"\#(end)"}}"#)
            let (text, key) = (try #require(made.text("secretText"), "\(made)"), try #require(made.text("keyId")))
            #expect(
                text.utf8.count == 43 && made.text("endDateTime") == end && made.text("hint") == String(text.prefix(3)))
            let client = WireClient(transport: desk.transport)
            #expect(try await client.daemonToken(text, id: appID).status == 200)
            let read = try await desk.send("GET", "\(Self.path)/\(id)")
            let object = String(decoding: read.body, as: UTF8.self)
            #expect(!object.contains(text) && object.contains(key))
            #expect(
                try await desk.send("POST", "\(Self.path)/\(id)/removePassword", #"{"keyId":"\#(UUID())"}"#).status
                    == 404)
            #expect(
                try await desk.send("POST", "\(Self.path)/\(id)/removePassword", #"{"keyId":"\#(key)"}"#).status == 204)
            #expect(try await client.daemonToken(text, id: appID).status == 401)
            let usual = try await desk.send("POST", "\(Self.path)/\(id)/addPassword", "{}")
            let longest = (IdentityTestServer.start + 730 * 86_400).ISO8601Format()
            #expect(usual.text("endDateTime") == longest, "two years without a date")
            #expect(editor.directory.entries[0].daemons.last?.secrets.count == 1)
        }
    }

    @Test("SEC-ADM-4: a daemon makes no secret of one that has roles which it lacks, and gives no roles")
    func noMoreRights() async throws {
        try await withEditedDesk { desk, editor in
            _ = try await editor.edit(
                editor.directory.entries[0].tenant.id, over: editor.version, as: .command, now: IdentityTestServer.start
            ) { entry in
                entry.daemons.append(Daemon(id: DaemonFixture.id, displayName: "Strong", roles: ["api://vault/Open"]))
            }
            let listed = try await desk.send(
                "GET", "\(Self.path)?$filter=" + OperatorTests.encoded("displayName eq 'Strong'"))
            let id = try #require(listed["value"]?.array.first?["id"]?.string)
            let version = editor.version
            #expect(try await desk.send("POST", "\(Self.path)/\(id)/addPassword", "{}").status == 403)
            let body = #"{"keyId":"\#(UUID())"}"#
            #expect(try await desk.send("POST", "\(Self.path)/\(id)/removePassword", body).status == 403)
            #expect(try await desk.send("DELETE", "\(Self.path)/\(id)").status == 403)
            let roles = try await desk.send("PATCH", "\(Self.path)/\(id)", #"{"nativeAuthRoles":["User.Export.All"]}"#)
            #expect(roles.status == 403 && editor.version == version)
        }
    }

    @Test(
        "What cannot be is refused with the member, and changes nothing",
        arguments: [
            ("{}", 400), (#"{"displayName":""}"#, 400), (#"{"displayName":7}"#, 400),
            (#"{"displayName":"A","shoe":1}"#, 400),
            (#"{"displayName":"A","appId":"x"}"#, 403), (#"{"displayName":"A","isFallbackPublicClient":"yes"}"#, 400),
            (#"{"displayName":"A","nativeAuthenticationApisEnabled":"some"}"#, 400),
            (#"{"displayName":"A","signInAudience":"AzureADMultipleOrgs"}"#, 400),
            (#"{"displayName":"A","nativeAuthSignIn":"sms"}"#, 400),
            (#"{"displayName":"A","nativeAuthScopes":"x"}"#, 400),
            (#"{"displayName":"A","isFallbackPublicClient":false,"nativeAuthSignIn":"emailPassword"}"#, 403),
            ("[]", 400), ("{", 400),
        ])
    func refusals(body: String, status: Int) async throws {
        try await withEditedDesk { desk, editor in
            let answer = try await desk.send("POST", Self.path, body)
            #expect(answer.status == status && editor.version == 7, "\(answer)")
        }
    }

    @Test(
        "A secret's end lies within two years; a public application has none",
        arguments: [
            #"{"passwordCredential":{"endDateTime":"2020-01-01T00:00:00Z"}}"#,
            #"{"passwordCredential":{"endDateTime":"2099-01-01T00:00:00Z"}}"#,
            #"{"passwordCredential":{"secretText":"mine"}}"#,
            #"{"passwordCredential":[]}"#, #"{"other":1}"#,
        ])
    func refusedSecrets(body: String) async throws {
        try await withEditedDesk { desk, editor in
            let all = try #require(try await desk.send("GET", Self.path)["value"]?.array)
            let daemon = try #require(all.last?["id"]?.string)
            let answer = try await desk.send("POST", "\(Self.path)/\(daemon)/addPassword", body)
            #expect(answer.status == 400 && editor.version == 7, "\(answer)")
            let app = try #require(all.first?["id"]?.string)
            #expect(try await desk.send("POST", "\(Self.path)/\(app)/addPassword", "{}").status == 403)
        }
    }

    @Test("A change that another one overtakes is made over it; after five times the caller is told")
    func rivals() async throws {
        try await withEditedDesk { desk, editor in
            editor.rivals.withLock { $0 = 4 }
            let made = try await desk.send("POST", Self.path, #"{"displayName":"A"}"#)
            editor.rivals.withLock { $0 = 5 }
            let overtaken = try await desk.send("POST", Self.path, #"{"displayName":"B"}"#)
            #expect(made.status == 201 && overtaken.status == 412, "\(made) \(overtaken)")
            #expect(editor.version == 8)
        }
    }

    @Test("Without a document that could be changed, the answer is 501")
    func fixedTenants() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            #expect(try await desk.send("POST", Self.path, #"{"displayName":"A"}"#).status == 501)
        }
    }
}
