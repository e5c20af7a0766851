import IdentityStoreSQL
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// The directory as an operator's daemon uses it (docs/protocol.md §18.6).
@Suite("The directory for operators") struct OperatorTests {
    static let users = "/graph/v1.0/users"
    static let deleted = "/graph/v1.0/directory/deletedItems"

    /// A daemon at the operators' listener.
    struct Desk {
        var server: IdentityTestServer
        var transport: InProcessTransport
        var token: String?
        private let listener: Listener

        init(
            _ server: IdentityTestServer, listener: Listener? = nil, editor: TestEditor? = nil, signsIn: Bool = true
        ) async throws {
            self.server = server
            let listener = listener ?? .operators(server.directoryStore, baseURL: "https://operators.test")
            self.listener = listener
            transport = InProcessTransport(
                routes: IdentityRoutes(
                    engine: server.engine, clock: ManualWallClock(manual: server.clock),
                    readiness: Readiness(flows: server.engine.ports.flows), listener: listener, editor: editor))
            guard signsIn else { return }
            let client = WireClient(transport: transport)
            token = try await client.daemonToken("development", id: DaemonFixture.development).text("access_token")
        }

        func send(
            _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
        ) async throws -> WireAnswer {
            let client = WireClient(transport: transport)
            var fields = headers
            if let token { fields["authorization"] = "Bearer \(token)" }
            if body != nil { fields["content-type"] = "application/json" }
            let answer = try await client.send(
                client.request(method, path, headers: fields, body: Data((body ?? "").utf8)))
            try expectDocumented(answer, method, path)
            return answer
        }

        /// Each answer of an operation at the operators' listener is one that the document has.
        private func expectDocumented(_ answer: WireAnswer, _ method: String, _ path: String) throws {
            let bare = path.prefix { $0 != "?" }
            for version in ["v1.0", "beta"] where bare.hasPrefix("/graph/\(version)/") {
                guard case .operators = listener, let found = DirectoryPath(String(bare.dropFirst(8 + version.count))),
                    let operation = OperatorOperation.of(found, version: version)
                        .first(where: { $0.method.rawValue == method })
                else { continue }
                try IdentityHTTPTests.expectDocumented(answer, to: method, "/\(operation.path)")
            }
        }

        func ids(_ query: String) async throws -> [String] {
            let answer = try await send("GET", OperatorTests.users + "?" + query)
            return try #require(answer["value"]?.array, "\(answer)").compactMap { $0["id"]?.string }
        }
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    static func newUser(_ email: String, _ more: String = "") -> String {
        #"{"identities":[{"signInType":"federated","issuer":"mail","issuerAssignedId":"\#(email)"}]\#(more)}"#
    }

    @Test(
        "SEC-FED-9: an operator finds a user by an account at a provider, writes the list back as it was, and links none"
    )
    func linkedAccounts() async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            _ = try await server.signUp("dana@example.com")
            let user = try #require(try await server.storedUsers().first).id
            let identity = LinkedIdentity(
                provider: "google", providerName: "Google", issuer: "https://accounts.google.com", subject: "4711",
                email: nil)
            let method = StrongMethod(id: UUID(), kind: .identity(identity), provenAt: server.clock.now)
            let tenant = TenantDirectory.development.entries[0].tenant.id
            #expect(try await server.store.change(user, in: tenant, [.addStrongMethod(method, to: user)]))
            for (subject, found) in [("4711", [user.description]), ("4712", [])] {
                let filter = "identities/any(c:c/issuerAssignedId eq '\(subject)' and c/issuer eq 'google.com')"
                #expect(try await desk.ids("$filter=" + Self.encoded(filter)) == found)
            }
            let path = Self.users + "/\(user)"
            let read = try await desk.send("GET", path + "?$select=identities")
            let list = try #require(read["identities"]).encoded
            #expect(list.contains("4711"), "\(list)")
            #expect(try await desk.send("PATCH", path, #"{"identities":\#(list)}"#).status == 204)
            let more = list.replacing("4711", with: "4712")
            #expect(try await desk.send("PATCH", path, #"{"identities":\#(more)}"#).status == 400)
            let new = list.replacing("dana@", with: "erik@")
            #expect(try await desk.send("POST", Self.users, #"{"identities":\#(new)}"#).status == 400)
            let account = try await server.store.account(user, in: tenant)
            #expect(account?.identities.map(\.id) == [method.id])
            #expect(try await server.storedUsers().count == 1)
        }
    }

    @Test(
        "A user is created, found by identity, changed, disabled, deleted, restored and purged, and signs in meanwhile")
    func theLifeOfAUser() async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            let domain = "contoso.onmicrosoft.com"
            let created = try await desk.send(
                "POST", Self.users,
                """
                {"displayName":"Dana","mail":"dana@example.com","@odata.type":"#microsoft.graph.user","identities":[
                {"signInType":"emailAddress","issuer":"\(domain)","issuerAssignedId":"dana@example.com"},
                {"signInType":"userName","issuer":"\(domain)","issuerAssignedId":"dana.q"}],
                "passwordProfile":{"password":"\(WireClient.password)","forceChangePasswordNextSignIn":false},
                "passwordPolicies":"DisablePasswordExpiration"}
                """)
            #expect(created.status == 201, "\(created)")
            let id = try #require(created.text("id"))
            #expect(created.headers["location"] == "https://operators.test/graph/v1.0/users/\(id)")
            #expect(created["identities"]?.array.count == 2)
            #expect(try await server.signIn("dana@example.com").status == 200)
            #expect(try await server.signIn("dana.q").status == 200)

            let filter =
                "identities/any(c:c/issuerAssignedId eq 'dana@example.com' and c/issuer eq '\(domain)')"
            #expect(try await desk.ids("$filter=" + Self.encoded(filter)) == [id])
            for key in [id, id.uppercased(), "\(id)@\(domain)"] {
                #expect(try await desk.send("GET", Self.users + "/\(key)").text("displayName") == "Dana")
            }
            #expect(try await desk.send("GET", "/graph/v1.0/users('\(id)')").status == 200)
            let selected = try await desk.send("GET", Self.users + "/\(id)?$select=id,accountEnabled,createdDateTime")
            #expect(selected["accountEnabled"] == .boolean(true) && selected["displayName"] == nil)

            let etag = try #require(try await desk.send("GET", Self.users + "/\(id)").headers["etag"])
            let patch = #"{"city":"Ribe","accountEnabled":false}"#
            #expect(
                try await desk.send("PATCH", Self.users + "/\(id)", patch, headers: ["if-match": "\"other\""]).status
                    == 412)
            #expect(
                try await desk.send("PATCH", Self.users + "/\(id)", patch, headers: ["if-match": etag]).status == 204)
            #expect(try await desk.send("PATCH", Self.users + "/\(id)", patch).status == 204, "as after a lost answer")
            #expect(try await server.passwordClient.initiate("dana@example.com").status == 400)
            #expect(
                try await desk.send("PATCH", Self.users + "/\(id)", #"{"accountEnabled":true}"#).status == 204)
            #expect(try await server.signIn("dana@example.com").status == 200)

            #expect(try await desk.send("DELETE", Self.users + "/\(id)").status == 204)
            #expect(try await desk.send("DELETE", Self.users + "/\(id)").status == 404)
            #expect(try await desk.send("GET", Self.users + "/\(id)").status == 404)
            #expect(try await desk.ids("$top=10").isEmpty)
            #expect(try await server.passwordClient.initiate("dana@example.com").status == 400)
            let listed = try await desk.send("GET", Self.deleted + "/microsoft.graph.user?$select=id,deletedDateTime")
            #expect(listed["value"]?.array.first?["id"]?.string == id, "\(listed)")
            #expect(listed["value"]?.array.first?["deletedDateTime"]?.string != nil)
            #expect(try await desk.send("POST", Self.deleted + "/\(id)/restore").status == 200)
            #expect(try await server.signIn("dana@example.com").status == 200)
            #expect(try await desk.send("DELETE", Self.users + "/\(id)").status == 204)
            #expect(try await desk.send("DELETE", Self.deleted + "/\(id)").status == 204)
            #expect(try await desk.send("DELETE", Self.deleted + "/\(id)").status == 404)
            #expect(try await server.rows("SELECT COUNT(*) FROM users") == [["0"]])
            #expect(try await server.client().start("dana@example.com").status == 200, "the name is free")
        }
    }

    @Test("A deleted user is gone after 30 days, and cannot be restored then")
    func theRestIsThirtyDays() async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            let id = try #require(
                try await desk.send("POST", Self.users, Self.newUser("eve@example.com")).text("id"))
            #expect(try await desk.send("DELETE", Self.users + "/\(id)").status == 204)
            #expect(try await server.client().start("eve@example.com").status == 400, "reserved meanwhile")
            server.clock.advance(by: .seconds(30 * 86_400 - 60))
            #expect(try await server.engine.deleteDueAccounts(now: server.clock.now) == 0)
            server.clock.advance(by: .seconds(61))
            #expect(try await server.engine.deleteDueAccounts(now: server.clock.now) == 1)
            #expect(try await Desk(server).send("POST", Self.deleted + "/\(id)/restore").status == 404)
        }
    }

    @Test("SEC-ADM-8: pages follow one another, each user once; a cursor of another list does not open")
    func pages() async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            for number in 0..<25 {
                let body = Self.newUser("user\(number)@example.com", #","displayName":"Person \#(number % 3)""#)
                #expect(try await desk.send("POST", Self.users, body).status == 201)
            }
            for query in [
                "$top=10", "$top=7&$filter=" + Self.encoded("startsWith(displayName,'person')"),
                "$top=4&$orderby=createdDateTime%20desc", "$top=10&$filter=" + Self.encoded("startsWith(mail,'USER')"),
                "$top=10&$filter=" + Self.encoded("createdDateTime ge 2020-01-01T00:00:00Z"),
            ] {
                var path = Self.users + "?" + query + "&$count=true"
                var found: [String] = []
                var pages = 0
                while true {
                    let answer = try await desk.send("GET", path, headers: ["consistencylevel": "eventual"])
                    let users = try #require(answer["value"]?.array, "\(query): \(answer)")
                    found += users.compactMap { $0["id"]?.string }
                    pages += 1
                    #expect((answer["@odata.count"] == .integer(25)) == (pages == 1), "\(query)")
                    guard let next = answer.text("@odata.nextLink") else { break }
                    #expect(next.hasPrefix("https://operators.test/graph/v1.0/users?"))
                    path = String(next.dropFirst("https://operators.test".count))
                    let foreign = path.replacing("$skiptoken=", with: "$filter=accountEnabled%20eq%20true&$skiptoken=")
                    if !query.contains("filter") {
                        #expect(
                            try await desk.send("GET", foreign)["error"]?["code"]?.string
                                == "Directory_ExpiredPageToken")
                    }
                }
                #expect(found.count == 25 && Set(found).count == 25, "\(query): \(found.count)")
                #expect(pages > 2)
            }
            let count = try await desk.send(
                "GET", Self.users + "/$count?$filter=" + Self.encoded("displayName eq 'PERSON 1'"),
                headers: ["consistencylevel": "eventual"])
            #expect(String(decoding: count.body, as: UTF8.self) == "8")
            #expect(try await desk.send("GET", Self.users + "/$count").status == 400)
        }
    }

    @Test(
        "Filters find the users that they describe",
        arguments: [
            ("mail eq 'BEA@example.com'", "b"), ("startsWith(mail,'a')", "a"), ("mail ne 'bea@example.com'", "ac"),
            ("displayName eq 'ada'", "a"), ("displayName eq null", "c"), ("displayName ne null", "ab"),
            ("startsWith(displayName,'b') or startsWith(mail,'cle')", "bc"),
            ("city in ('Ribe','Aarhus')", "ab"), ("city eq 'Ribe' and startsWith(displayName,'A')", "a"),
            ("not (city eq 'Ribe')", "bc"), ("accountEnabled eq false", "c"), ("accountEnabled eq true", "ab"),
            ("createdDateTime ge 2099-01-01T00:00:00Z", ""), ("userType eq 'Member'", "abc"),
            ("userType eq 'Guest'", ""),
            ("displayName eq 'O''Neil'", ""), ("displayName eq 'x'' or 1 eq 1 --'", ""),
        ])
    func filters(filter: String, expected: String) async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            var names: [String: String] = [:]
            for (name, email, more) in [
                ("a", "ada@example.com", #","displayName":"Ada","city":"Ribe""#),
                ("b", "bea@example.com", #","displayName":"Bea","city":"Aarhus""#),
                ("c", "cleo@example.com", #","accountEnabled":false"#),
            ] {
                let created = try await desk.send("POST", Self.users, Self.newUser(email, more))
                names[try #require(created.text("id"), "\(created)")] = name
            }
            let found = try await desk.ids("$filter=" + Self.encoded(filter)).compactMap { names[$0] }
            #expect(found.sorted().joined() == expected)
        }
    }

    @Test(
        "SEC-ADM-2: without the role, without a token, with a user's token or at the other listener: refused"
    )
    func onlyDaemonsWithTheRole() async throws {
        let server = try TestDirectory.server()
        try await server.signUpWithPassword()
        let user = try await server.signIn(scope: "openid User.Read")
        var desk = try await Desk(server, signsIn: false)
        let reader = try await WireClient(transport: desk.transport).daemonToken(
            DaemonFixture.secret, id: DaemonFixture.id.description, scope: "https://graph.microsoft.com/.default")
        let id = UUID().uuidString
        for operation in OperatorOperation.allCases {
            let path =
                "/"
                + operation.path.replacing("{id}", with: id).replacing("{method}", with: id)
                .replacing("{application}", with: id).replacing("{appId}", with: id)
            let method = operation.method.rawValue
            desk.token = nil
            #expect(try await desk.send(method, path).status == 401, "\(operation)")
            desk.token = user.text("access_token")
            #expect(try await desk.send(method, path).status == 401, "\(operation)")
            desk.token = reader.text("access_token")
            let answer = try await desk.send(method, path, operation.method == .patch ? "{}" : nil)
            #expect((answer.status == 403) == !operation.roles.contains("User.Read.All"), "\(operation): \(answer)")
            // The listener of apps does not have it.
            var apps = try await Desk(server, listener: .users, signsIn: false)
            apps.token = desk.token
            #expect([404, 405].contains(try await apps.send(method, path).status), "\(operation)")
        }
        // Nor does the operators' listener have what users call.
        desk.token = user.text("access_token")
        for operation in DirectoryOperation.allCases {
            let path = "/" + operation.path.replacing("{id}", with: id)
            let status = try await desk.send(operation.method.rawValue, path).status
            #expect([401, 404, 405, 501].contains(status), "\(operation): \(status)")
        }
    }

    @Test(
        "SEC-ADM-2: no spelling of a path reaches the operators' part at the listener of apps",
        arguments: [
            "/graph/v1.0//users", "/graph//v1.0/users", "/graph/v1.0/./users", "/graph/v1.0/me/../users",
            "/GRAPH/v1.0/users",
            "/graph/v1.0/users/", "/graph/v1.0/users;x", "/graph/v1.0/%75sers", "/graph/v1.0/%2e%2e/users",
            "/graph%2fv1.0/users",
            "//graph/v1.0/users", "/graph/beta/users", "/graph/v1.0/microsoft.graph.users",
        ])
    func pathTricks(path: String) async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            var apps = try await Desk(server, listener: .users, signsIn: false)
            apps.token = desk.token
            #expect(try await apps.send("GET", path).status == 404)
        }
    }

    @Test("SEC-ADM-5: an operator sets no password of a user who exists, and reads none")
    func noPasswords() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let desk = try await Desk(server)
            let id = try #require(try await desk.ids("$top=1").first)
            let patch = #"{"passwordProfile":{"password":"\#(WireClient.newPassword)"}}"#
            let refused = try await desk.send("PATCH", Self.users + "/\(id)", patch)
            #expect(refused.status == 403 && refused["error"]?["target"]?.string == "passwordProfile", "\(refused)")
            #expect(try await server.signIn().status == 200)
            let read = try await desk.send("GET", Self.users + "/\(id)?$select=passwordProfile,id")
            #expect(read["passwordProfile"] == .null)
        }
    }

    @Test(
        "A name that is taken, a weak password and names that contradict each other change nothing",
        arguments: [
            (newUser("dana@example.com"), "ObjectConflict"), (newUser("nonsense"), ""),
            (#"{"displayName":"Dana"}"#, ""),
            (newUser("eve@example.com", #","mail":"other@example.com""#), ""),
            (newUser("eve@example.com", #","passwordProfile":{"password":"Tulip-Harbour-42"}"#), ""),
            (newUser("eve@example.com", #","id":"x""#), ""), (newUser("eve@example.com", #","shoeSize":43"#), ""),
            (
                #"{"identities":[{"signInType":"emailAddress","issuerAssignedId":"eve@example.com"}],"passwordProfile":{"password":"short"}}"#,
                "password_too_short"
            ),
            (
                #"{"identities":[{"signInType":"emailAddress","issuer":"other.example","issuerAssignedId":"eve@example.com"}]}"#,
                ""
            ),
            (#"{"identities":"eve@example.com"}"#, ""), ("[]", ""), ("{", ""),
        ])
    func badUsers(body: String, detail: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let desk = try await Desk(server)
            let answer = try await desk.send("POST", Self.users, body)
            #expect([400, 403].contains(answer.status), "\(answer)")
            if !detail.isEmpty {
                #expect(answer["error"]?["details"]?.array.first?["code"]?.string == detail, "\(answer)")
            }
            #expect(try await server.storedUsers().count == 1)
        }
    }

    @Test("What the vendor's directory has and this server does not is 501 with a sentence, what no directory has 404")
    func whatIsMissing() async throws {
        try await withIdentityServer { server in
            let desk = try await Desk(server)
            for path in [
                "/graph/v1.0/devices", "/graph/v1.0/policies/authorizationPolicy",
                "/graph/beta/identity/userFlowAttributes",
            ] {
                let answer = try await desk.send("GET", path)
                #expect(answer.status == 501 && answer["error"]?["code"]?.string == "notSupported", "\(answer)")
            }
            for path in [
                "/graph/v1.0/nonsense", "/graph/v2.0/users", "/graph/v1.0/users/\(UUID().uuidString)",
                "/graph/beta/users/%24/nativeAuthSessions", "/graph/v1.0/directory/deletedItems/%24/restore",
                "/graph/v1.0/directory/deletedItems/x()/restore",
            ] {
                #expect(try await desk.send("GET", path).status == 404, "\(path)")
            }
            #expect(try await desk.send("PUT", Self.users).status == 405)
        }
    }

    @Test("SEC-ADM-6: sessions, methods, a copy and each change are in the audit trail with the daemon, without values")
    func everythingIsAudited() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithTwoFactors()
            _ = try await server.signInWithSecondFactor()
            let desk = try await Desk(server)
            let id = try #require(try await desk.ids("$top=1").first)
            let path = Self.users + "/\(id)"
            let sessions = try await desk.send("GET", "/graph/beta/users/\(id)/nativeAuthSessions")
            #expect(sessions["value"]?.array.isEmpty == false, "\(sessions)")
            let methods = try await desk.send("GET", path + "/authentication/emailMethods")
            let method = try #require(methods["value"]?.array.first, "\(methods)")
            #expect(method["emailAddress"]?.string == IdentityTestServer.contact)
            let copy = try await desk.send("GET", "/graph/beta/users/\(id)/nativeAuth.export")
            #expect(copy["methods"]?.array.count == 2, "\(copy)")
            #expect(
                try await desk.send(
                    "DELETE", path + "/authentication/emailMethods/\(try #require(method["id"]?.string))"
                ).status == 204)
            #expect(try await desk.send("POST", path + "/revokeSignInSessions")["value"] == .boolean(true))
            #expect(try await desk.send("PATCH", path, #"{"city":"Ribe"}"#).status == 204)
            let after = try await desk.send("GET", "/graph/beta/users/\(id)/nativeAuthSessions")
            #expect(after["value"]?.array.isEmpty == true)
            let daemon = DaemonFixture.development.uppercased().replacing("-", with: "")
            let lines = try await server.rows(
                "SELECT kind FROM audit WHERE hex(client) = '\(daemon)' AND \"user\" IS NOT NULL ORDER BY seq")
            #expect(
                lines == [["account.exported"], ["mfa.removed"], ["session.ended"], ["profile.changed"]], "\(lines)")
            #expect(try await server.rows("SELECT COUNT(*) FROM audit WHERE detail LIKE '%Ribe%'") == [["0"]])
        }
    }
}
