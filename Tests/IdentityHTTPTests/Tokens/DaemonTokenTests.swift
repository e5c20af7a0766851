import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Tokens of daemons (docs/protocol.md §19).
@Suite("Tokens of daemons") struct DaemonTokenTests {
    private static let members: Set<String> = ["token_type", "expires_in", "ext_expires_in", "access_token"]

    private static func basic(_ id: String, _ secret: String) -> [String: String] {
        ["authorization": "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()]
    }

    /// The claims of a token, not verified.
    private static func claims(_ answer: WireAnswer) throws -> [String: JSON] {
        let parts = try #require(answer.text("access_token"), "\(answer)").split(separator: ".").map(String.init)
        return try JSONDecoder().decode([String: JSON].self, from: try #require(Base64URL.decode(parts[1])))
    }

    private static func caller(_ server: IdentityTestServer, _ answer: WireAnswer) async throws -> DaemonCaller? {
        let token = try Secret(#require(answer.text("access_token")))
        switch try await server.engine.daemonCaller(token, now: server.clock.now) {
        case .accepted(let caller): return caller
        case .refused(let refusal):
            #expect(refusal == .invalidToken)
            return nil
        }
    }

    // MARK: Secrets

    @Test("docs/protocol.md §19.1, §19.3: a secret in the form gives an access token with roles and nothing else")
    func aSecretGivesAToken() async throws {
        let server = try TestDirectory.server()
        let answer = try await server.client().daemonToken(
            DaemonFixture.secret, id: DaemonFixture.id.description, scope: "api://orders/.default")
        expectSuccess(answer, Self.members)
        #expect(answer["expires_in"] == 3_599 && answer["ext_expires_in"] == 3_599)
        let claims = try Self.claims(answer)
        let start = Int(IdentityTestServer.start.timeIntervalSince1970)
        let id: JSON = .string(DaemonFixture.id.description)
        #expect(claims["iss"] == "https://identity.test/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0")
        #expect(claims["aud"] == "api://orders" && claims["azpacr"] == "1" && claims["idtyp"] == "app")
        #expect(claims["azp"] == id && claims["oid"] == id && claims["sub"] == id)
        #expect(claims["roles"] == ["Orders.Process", "Orders.Read"] && claims["ver"] == "2.0")
        #expect(claims["iat"] == .integer(start) && claims["nbf"] == .integer(start))
        #expect(claims["exp"] == .integer(start + 3_599) && claims["jti"] == claims["uti"])
        for name in ["scp", "amr", "sid", "auth_time"] { #expect(claims[name] == nil, "\(name)") }
        #expect(try await server.rows("SELECT detail FROM audit WHERE kind = 'daemon.token_issued'") == [["secret"]])
    }

    @Test("Several secrets are valid at a time, each within its own time")
    func secretsHaveTheirTimes() async throws {
        let server = try TestDirectory.server()
        let id = DaemonFixture.id.description
        for secret in [DaemonFixture.secret, DaemonFixture.otherSecret, DaemonFixture.shortSecret] {
            #expect(try await server.client().daemonToken(secret, id: id).status == 200)
        }
        expectError(
            try await server.client().daemonToken(DaemonFixture.laterSecret, id: id), "invalid_client", 7_000_215,
            status: 401)
        server.clock.advance(by: 86_400)
        #expect(try await server.client().daemonToken(DaemonFixture.laterSecret, id: id).status == 200)
        server.clock.advance(by: 29 * 86_400)
        expectError(
            try await server.client().daemonToken(DaemonFixture.shortSecret, id: id), "invalid_client", 7_000_222,
            status: 401)
        #expect(try await server.client().daemonToken(DaemonFixture.secret, id: id).status == 200)
        #expect(
            try await server.rows("SELECT detail FROM audit WHERE kind = 'daemon.refused' ORDER BY seq")
                == [["wrong secret"], ["ended secret"]])
    }

    @Test("docs/protocol.md §19.1: HTTP Basic has both parts percent-encoded, and its refusal names the scheme")
    func basicCredentials() async throws {
        let server = try TestDirectory.server()
        let client = server.client()
        let id = DaemonFixture.id.description
        let form: Fields = [("client_secret", ""), ("scope", "api://orders/.default")]
        let encoded = DaemonFixture.secret.replacing(":", with: "%3A")
        for fields in [form + [("client_id", id)], form + [("client_id", id.uppercased())]] {
            let answer = try await client.daemonToken(changing: fields, headers: Self.basic(id, encoded))
            expectSuccess(answer, Self.members)
        }
        let raw = try await client.daemonToken(
            changing: form + [("client_id", id)], headers: Self.basic(id, DaemonFixture.secret))
        #expect(raw.status == 200, "the first colon ends the id: \(raw)")
        var alone = client
        alone.clientID = nil
        let answer = try await alone.post(
            .token, [("grant_type", "client_credentials"), ("scope", "api://orders/.default")],
            headers: Self.basic(id, encoded))
        expectSuccess(answer, Self.members)
        for wrong in [Self.basic(id, "wrong"), ["authorization": "Basic !"], Self.basic(id, "%zz")] {
            let refused = try await client.daemonToken(changing: form + [("client_id", id)], headers: wrong)
            expectError(refused, "invalid_client", 7_000_215, status: 401)
            #expect(refused.headers["www-authenticate"] == "Basic realm=\"daemons\"")
        }
        let posted = try await client.daemonToken("wrong", id: id)
        #expect(posted.status == 401 && posted.headers["www-authenticate"] == nil)
        expectError(
            try await client.daemonToken(
                changing: form + [("client_id", DaemonFixture.development)], headers: Self.basic(id, encoded)),
            "invalid_request", 90_100)
    }

    @Test("More than one way to authenticate is refused, whether or not each is right")
    func oneWayAtATime() async throws {
        let server = try TestDirectory.server()
        let client = server.client()
        let id = DaemonFixture.id.description
        let both = try await client.daemonToken(
            DaemonFixture.secret, id: id,
            headers: Self.basic(id, DaemonFixture.secret.replacing(":", with: "%3A")))
        expectError(both, "invalid_request", 90_023)
        let assertion = try DaemonFixture.assertion()
        let fields: Fields = [
            ("client_id", id), ("client_secret", DaemonFixture.secret), ("client_assertion", assertion),
            ("client_assertion_type", ClientCredentialsRequest.assertionType),
        ]
        expectError(try await client.daemonToken(changing: fields), "invalid_request", 90_023)
        #expect(try await client.daemonToken(assertion: assertion).status == 200, "it was not used")
        let unknown: Fields = [
            ("client_id", id), ("client_secret", ""), ("client_assertion", "x"), ("client_assertion_type", "saml"),
        ]
        expectError(try await client.daemonToken(changing: unknown), "invalid_request", 90_100)
    }

    @Test("Daemons and applications are of one tenant, and neither is the other")
    func daemonsAreOfATenant() async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        let application = IdentityTestServer.Application.emailPassword.rawValue
        expectError(try await client.daemonToken(id: application), "unauthorized_client", 700_016)
        let start = try await server.client(id: DaemonFixture.development).start()
        expectError(start, "unauthorized_client", 700_016)
        client.tenant = "fabrikam"
        expectError(try await client.daemonToken(), "unauthorized_client", 700_016)
        client.tenant = "nowhere"
        expectError(try await client.daemonToken(), "invalid_request", 90_002)
    }

    @Test("SEC-RATE-5: a source has 50 failed proofs in 10 minutes; right ones, before and after, are not affected")
    func failedProofsAreLimited() async throws {
        let server = try TestDirectory.server()
        let client = WireClient(transport: EndpointTable.listener(of: server))
        var statuses: [Int] = []
        for _ in 0..<52 {
            statuses.append(try await client.daemonToken("wrong").status)
            server.clock.advance(by: 0.1)
        }
        #expect(statuses == Array(repeating: 401, count: 50) + [429, 429])
        #expect(try await server.audited(.daemonRefused) == 50)
        #expect(try await client.daemonToken().status == 200, "a neighbour's wrong ones lock no daemon out")
        #expect(try await client.daemonToken("wrong").status == 429)
        #expect(try await server.client().daemonToken().status == 200)
        server.clock.advance(by: 660)
        #expect(try await client.daemonToken().status == 200)
    }

    // MARK: Scopes and roles

    @Test(
        "docs/protocol.md §19.2: each name of the directory asks for its roles",
        arguments: [
            "https://graph.microsoft.com/.default", "00000003-0000-0000-c000-000000000000/.default", ".default",
            "https://identity.test:8443/base/graph/.default", "https://identity.test:8443/.default",
            "https://identity.test/.default",
        ])
    func namesOfTheDirectory(_ scope: String) async throws {
        let server = try TestDirectory.server { $1.baseURL = "https://identity.test:8443/base" }
        let answer = try await server.client().daemonToken(
            DaemonFixture.secret, id: DaemonFixture.id.description, scope: scope)
        let claims = try Self.claims(answer)
        #expect(claims["aud"] == "00000003-0000-0000-c000-000000000000" && claims["roles"] == ["User.Read.All"])
    }

    @Test("docs/protocol.md §19.2: a resource without roles of the daemon gives a token without the claim")
    func noRoles() async throws {
        let server = try TestDirectory.server()
        let answer = try await server.client().daemonToken(scope: "api://unknown/.default")
        let claims = try Self.claims(answer)
        #expect(claims["aud"] == "api://unknown" && claims["roles"] == nil)
    }

    @Test(
        "docs/protocol.md §19.2: a scope is one resource and /.default",
        arguments: [
            ("", 70_011), ("api://orders/.default api://stock/.default", 70_011), ("openid", 70_011),
            ("api://orders/.default openid", 70_011), ("api://\"/.default", 70_011), ("/.default", 70_011),
            ("User.Read.All", 1_002_012), ("api://orders/*", 1_002_012), ("api://orders/.Default", 1_002_012),
        ])
    func scopesAreJudged(_ scope: String, number: Int) async throws {
        let server = try TestDirectory.server()
        expectError(try await server.client().daemonToken(scope: scope), "invalid_scope", number)
        #expect(try await server.audited(.daemonSignedIn) == 0)
    }

    // MARK: Assertions

    @Test(
        "docs/protocol.md §19.1: an assertion by each algorithm gives a token, once",
        arguments: [DaemonFixture.Signer.rs256, .ps256, .es256])
    func anAssertionGivesAToken(_ signer: DaemonFixture.Signer) async throws {
        let server = try TestDirectory.server()
        let assertion = try DaemonFixture.assertion(signer)
        let answer = try await server.client().daemonToken(assertion: assertion)
        expectSuccess(answer, Self.members)
        #expect(try Self.claims(answer)["azpacr"] == "2")
        let again = try await server.client().daemonToken(assertion: assertion)
        expectError(again, "invalid_client", 700_027, status: 401)
        #expect(
            try await server.rows("SELECT kind, detail FROM audit ORDER BY seq")
                == [["daemon.token_issued", "assertion"], ["daemon.refused", "assertion: used"]])
        // Another assertion of the same daemon, with the issuer as its audience.
        let issuer = "https://identity.test/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0"
        for audience in [issuer, "https://identity.test/contoso/oauth2/v2.0/token"] {
            let other = try DaemonFixture.assertion(signer, audience: audience)
            #expect(try await server.client().daemonToken(assertion: other).status == 200, "\(audience)")
        }
    }

    /// A fault of an assertion, with its number.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var number = 700_027
        var make: @Sendable () throws -> String
    }

    private static let faults: [Fault] = [
        Fault(testDescription: "no token") { "x" },
        Fault(testDescription: "a longer one") { String(repeating: "x", count: 20_000) },
        Fault(testDescription: "key of a stranger") { try DaemonFixture.assertion(.stranger) },
        Fault(testDescription: "changed claims") {
            let parts = try DaemonFixture.assertion().split(separator: ".")
            return "\(parts[0]).\(Base64URL.encode("{}".utf8)).\(parts[2])"
        },
        Fault(testDescription: "no signature") {
            try DaemonFixture.assertion().split(separator: ".").dropLast().joined(separator: ".") + "."
        },
        Fault(testDescription: "critical header") { try DaemonFixture.assertion(header: #","crit":["b64"]"#) },
        Fault(testDescription: "critical null") { try DaemonFixture.assertion(header: #","crit":null"#) },
        Fault(testDescription: "issuer and subject differ") {
            try DaemonFixture.assertion(claims: #","iss":"\#(DaemonFixture.development)""#, without: "iss")
        },
        Fault(testDescription: "another daemon") { try DaemonFixture.assertion(client: DaemonFixture.development) },
        Fault(testDescription: "another audience") { try DaemonFixture.assertion(audience: "https://other.test/x") },
        Fault(testDescription: "two audiences") {
            try DaemonFixture.assertion(
                claims: #","aud":["\#(DaemonFixture.audience)","https://other.test"]"#, without: "aud")
        },
        Fault(testDescription: "no exp") { try DaemonFixture.assertion(without: "exp") },
        Fault(testDescription: "no jti") { try DaemonFixture.assertion(without: "jti") },
        Fault(testDescription: "empty jti") { try DaemonFixture.assertion(id: "") },
        Fault(testDescription: "long jti") { try DaemonFixture.assertion(id: String(repeating: "x", count: 257)) },
        Fault(testDescription: "exp as text") {
            try DaemonFixture.assertion(claims: #","exp":"1800000100""#, without: "exp")
        },
        Fault(testDescription: "expired", number: 700_024) { try DaemonFixture.assertion(life: -60) },
        Fault(testDescription: "valid for too long", number: 700_024) { try DaemonFixture.assertion(life: 3_661) },
        Fault(testDescription: "far future", number: 700_024) {
            try DaemonFixture.assertion(claims: #","exp":1e300"#, without: "exp")
        },
        Fault(testDescription: "not valid yet", number: 700_024) {
            try DaemonFixture.assertion(claims: #","nbf":1800000061"#)
        },
        Fault(testDescription: "issued later", number: 700_024) {
            try DaemonFixture.assertion(claims: #","iat":1800000061"#, without: "iat")
        },
    ]

    @Test("docs/protocol.md §19.1: each fault of an assertion is refused", arguments: faults)
    func faultsOfAssertions(_ fault: Fault) async throws {
        let server = try TestDirectory.server()
        let answer = try await server.client().daemonToken(assertion: fault.make())
        expectError(answer, "invalid_client", fault.number, status: 401, fault.testDescription)
        #expect(try await server.audited(.daemonRefused) == 1)
        #expect(try await server.count("SELECT COUNT(*) FROM used_assertions") == 0)
    }

    @Test(
        "An assertion at the ends of its time is accepted, with one audience in a list, and only while its key is valid"
    )
    func timesOfAssertions() async throws {
        let server = try TestDirectory.server()
        let client = server.client()
        for assertion in [
            try DaemonFixture.assertion(life: -59.5), try DaemonFixture.assertion(life: 3_660),
            try DaemonFixture.assertion(claims: #","nbf":1800000059.5"#),
            try DaemonFixture.assertion(claims: #","aud":["\#(DaemonFixture.audience)"]"#, without: "aud"),
            try DaemonFixture.assertion(without: "iat"),
        ] {
            let answer = try await client.daemonToken(assertion: assertion)
            #expect(answer.status == 200, "\(answer)")
        }
        // The key of ES256 ends after 60 days, that of RS256 does not.
        server.clock.advance(by: 60 * 86_400)
        let ended = try await client.daemonToken(assertion: DaemonFixture.assertion(.es256, life: 60 * 86_400 + 600))
        expectError(ended, "invalid_client", 700_027, status: 401)
        let other = try DaemonFixture.assertion(.rs256, life: 60 * 86_400 + 600)
        #expect(try await client.daemonToken(assertion: other).status == 200)
    }

    @Test("Of 50 uses of one assertion at the same moment one gives a token")
    func parallelUses() async throws {
        let server = try TestDirectory.server()
        let assertion = try DaemonFixture.assertion()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { try await server.client().daemonToken(assertion: assertion).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 401 } == 49)
        #expect(try await server.audited(.daemonSignedIn) == 1)
    }

    // MARK: What the token is good for

    @Test("The directory takes a daemon's token for its roles, and a role that is taken away counts at once")
    func theDirectoryTakesItsRoles() async throws {
        let directory = Locked(try TestDirectory.directory())
        let server = try TestDirectory.server { ports, _ in ports.clients = Switched(directory: directory) }
        let id = DaemonFixture.id.description
        let answer = try await server.client().daemonToken(DaemonFixture.secret, id: id)
        let caller = try #require(try await Self.caller(server, answer))
        #expect(caller.daemon.id == DaemonFixture.id && caller.roles == ["User.Read.All"])
        let orders = try await server.client().daemonToken(
            DaemonFixture.secret, id: id, scope: "api://orders/.default")
        #expect(try await Self.caller(server, orders) == nil, "it is for another resource")

        func change(_ body: @Sendable (inout [Daemon]) -> Void) {
            directory.withLock { directory in
                var entries = directory.entries
                body(&entries[0].daemons)
                directory = TenantDirectory(entries)
            }
        }
        change { $0[1].roles = ["User.ReadWrite.All"] }
        #expect(try await Self.caller(server, answer)?.roles == [])
        change { $0.remove(at: 1) }
        #expect(try await Self.caller(server, answer) == nil)
    }

    @Test("The directory takes a daemon's token until it expires")
    func tokensExpire() async throws {
        let server = try TestDirectory.server()
        let answer = try await server.client().daemonToken()
        #expect(try await Self.caller(server, answer)?.roles == ResourceScope.applicationRoles)
        server.clock.advance(by: 3_658)
        #expect(try await Self.caller(server, answer) != nil)
        server.clock.advance(by: 1)
        #expect(try await Self.caller(server, answer) == nil)
    }

    @Test("A daemon's token is no user's: account, userinfo and introspection by another audience refuse it")
    func itIsNoUsersToken() async throws {
        let server = try TestDirectory.server()
        let servers = try ResourceServers(
            "api://orders=secret-of-orders api://a=secret-of-a", needsStrongSecrets: false)
        let client = WireClient(
            transport: InProcessTransport(routes: server.routes(resourceServers: servers)),
            clientID: DaemonFixture.id.description)
        let directory = try #require(try await client.daemonToken().text("access_token"))
        let bearer = ["authorization": "Bearer \(directory)"]
        #expect(try await client.get("/graph/v1.0/me", headers: bearer).status == 401)
        #expect(try await client.get("/contoso/\(MetadataEndpoint.userInfo.rawValue)", headers: bearer).status == 401)

        let answer = try await client.daemonToken(
            DaemonFixture.secret, id: DaemonFixture.id.description, scope: "api://orders/.default")
        let token = try #require(answer.text("access_token"))
        func introspect(as audience: String, _ secret: String) async throws -> WireAnswer {
            try await client.send(
                client.request(
                    "POST", "/contoso/\(MetadataEndpoint.tokenIntrospection.rawValue)",
                    headers: Self.basic(audience.replacing(":", with: "%3A"), secret).merging([
                        "content-type": WireClient.form
                    ]) { $1 }, body: Data("token=\(token)".utf8)))
        }
        let live = try await introspect(as: "api://orders", "secret-of-orders")
        #expect(live["active"] == true && live["roles"] == ["Orders.Process", "Orders.Read"], "\(live)")
        #expect(live["sub"] == .string(DaemonFixture.id.description) && live["scope"] == nil)
        #expect(try await introspect(as: "api://a", "secret-of-a").members == ["active": false])
    }

    @Test("SEC-PRF-4: the secret of the development tenant is the only one that its daemon has")
    func theDevelopmentSecret() async throws {
        let daemons = try #require(TenantDirectory.development.entries.first).daemons
        #expect(daemons.count == 1 && daemons[0].id.description == DaemonFixture.development)
        #expect(daemons[0].secrets.map(\.digest) == [DaemonSecret.digestOfDevelopment])
        #expect(Set(daemons[0].roles) == ResourceScope.applicationRoles)
    }

    /// A directory that changes under way.
    private struct Switched: ClientStore {
        let directory: Locked<TenantDirectory>

        func tenant(named name: String) async throws(StoreError) -> Tenant? {
            try await directory.withLock { $0 }.tenant(named: name)
        }

        func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
            try await directory.withLock { $0 }.client(id, in: tenant)
        }

        func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
            try await directory.withLock { $0 }.daemon(id, in: tenant)
        }

        func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
            try await directory.withLock { $0 }.entry(of: tenant)
        }

        func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
            try await directory.withLock { $0 }.hasPages(ofOrigin: origin)
        }

        func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
            try await directory.withLock { $0 }.tenant(ofPasskeysAt: host)
        }
    }
}
