import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// What the server says about tokens: revocation, introspection, userinfo, and the API of the development profile.
@Suite("Tokens shown to the server") struct ResourceTests {
    private static let audience = IdentityTestServer.Application.emailPassword.rawValue
    private static let secret = "resource-server-secret"
    private static let servers = "\(audience)=\(secret) api://orders=secret-of-orders api://stock=secret-of-stock"

    private static func basic(_ name: String, _ secret: String) -> [String: String] {
        ["authorization": "Basic " + Data("\(name):\(secret)".utf8).base64EncodedString()]
    }

    /// The client of `server` with introspection and the development API.
    private func client(of server: IdentityTestServer) throws -> WireClient {
        let pages = DevelopmentPages(
            baseURL: server.baseURL, tenants: { .development }, mails: { _ in [String]() })
        let servers = try ResourceServers(Self.servers, needsStrongSecrets: false)
        let routes = server.routes(resourceServers: servers, development: pages)
        return WireClient(
            transport: InProcessTransport(routes: routes),
            clientID: IdentityTestServer.Application.emailPassword.rawValue)
    }

    private func post(
        _ endpoint: MetadataEndpoint, _ fields: Fields, headers: [String: String] = [:], with client: WireClient
    ) async throws -> WireAnswer {
        var form = FormFields()
        for field in fields { form.append(field.name, field.value) }
        return try await client.send(
            client.request(
                "POST", "/\(client.tenant)/\(endpoint.rawValue)",
                headers: ["content-type": WireClient.form].merging(headers) { $1 }, body: Data(form.encoded.utf8)))
    }

    /// - Parameters:
    ///   - name: The audience as the resource server writes it.
    ///   - secret: That of the resource server.
    private func introspect(
        _ token: String?, as name: String = audience, _ secret: String = secret, with client: WireClient
    ) async throws -> WireAnswer {
        try await post(
            .tokenIntrospection, [("token", try #require(token))], headers: Self.basic(name, secret), with: client)
    }

    private func expectInactive(_ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 200, sourceLocation: sourceLocation)
        #expect(answer.members == ["active": false], "and nothing else", sourceLocation: sourceLocation)
    }

    private func revoke(_ token: String?, clientID: String? = nil, with client: WireClient) async throws -> WireAnswer {
        try await post(
            .revocation, [("client_id", try #require(clientID ?? client.clientID)), ("token", try #require(token))],
            with: client)
    }

    private func bearer(_ token: String?) -> [String: String] { ["authorization": "Bearer \(token ?? "")"] }

    // MARK: Revocation

    @Test("RFC 7009: a refresh token ends its session, and the access tokens of it")
    func revokesARefreshToken() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let tokens = try await server.signIn()
            let other = try await server.signIn()
            for _ in 0..<2 {
                let answer = try await revoke(tokens.text("refresh_token"), with: client)
                #expect(answer.status == 200 && answer.members.isEmpty, "\(answer)")
            }
            expectError(try await client.refresh(#require(tokens.text("refresh_token"))), "invalid_grant", 50_173)
            expectInactive(try await introspect(tokens.text("access_token"), with: client))
            #expect(try await client.refresh(#require(other.text("refresh_token"))).status == 200, "no other session")
            #expect(try await server.audited(.tokenRevoked) == 1)
        }
    }

    @Test("RFC 7009 §2.1: an access token ends its session, too")
    func revokesAnAccessToken() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let tokens = try await server.signIn()
            #expect(try await revoke(tokens.text("access_token"), with: client).status == 200)
            expectError(try await client.refresh(#require(tokens.text("refresh_token"))), "invalid_grant", 50_173)
            expectInactive(try await introspect(tokens.text("access_token"), with: client))
        }
    }

    @Test("RFC 7009 §2.2: an old refresh token ends its family")
    func revokesAnOldRefreshToken() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let old = try await server.signIn().text("refresh_token")
            let new = try await client.refresh(#require(old)).text("refresh_token")
            #expect(try await revoke(old, with: client).status == 200)
            expectError(try await client.refresh(#require(new)), "invalid_grant", 50_173)
        }
    }

    @Test("RFC 7009 §2.1: another application's token stays; RFC 7009 §2.2: what is no token is answered with 200")
    func foreignAndGarbage() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let tokens = try await server.signIn()
            let foreign = IdentityTestServer.Application.emailOneTimePasscode.rawValue
            for token in ["refresh_token", "access_token"] {
                #expect(try await revoke(tokens.text(token), clientID: foreign, with: client).status == 200)
            }
            for garbage in ["x", "a.b.c", String(repeating: "A", count: 64), String(repeating: "é", count: 900)] {
                #expect(try await revoke(garbage, with: client).status == 200)
            }
            #expect(try await revoke(tokens.text("id_token"), with: client).status == 200)
            #expect(try await client.refresh(#require(tokens.text("refresh_token"))).status == 200)
            expectError(
                try await post(.revocation, [("client_id", try #require(client.clientID))], with: client),
                "invalid_request", 900_144)
            expectError(
                try await post(.revocation, [("token", "x")], with: client), "invalid_request", 90_100)
        }
    }

    // MARK: Introspection

    @Test("RFC 7662 §2.2: a live access token is described")
    func describesALiveToken() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = try client(of: server)
            let tokens = try await server.signInWithSecondFactor()
            let answer = try await introspect(tokens.text("access_token"), with: client)
            let access = try claims(of: tokens.text("access_token"))
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer["active"] == true && answer["token_type"] == "Bearer")
            #expect(answer["client_id"] == .string(IdentityTestServer.Application.emailPassword.rawValue))
            #expect(answer["username"] == nil, "the address is for those with the scope email")
            let withEmail = try await server.signIn(scope: "openid email").text("access_token")
            #expect(try await introspect(withEmail, with: client)["username"] == "dana@example.com")
            let ofAPI = try await server.signIn(scope: "openid api://orders/email").text("access_token")
            let told = try await introspect(ofAPI, as: "api%3A%2F%2Forders", "secret-of-orders", with: client)
            #expect(told["scope"] == "email" && told["username"] == nil, "an API's own scope email tells no address")
            #expect(answer["scope"] == "openid profile offline_access")
            for claim in ["sub", "aud", "iss", "exp", "iat"] { #expect(answer[claim] == access[claim], "\(claim)") }
            #expect(answer["acrs"] == ["c1"])
        }
    }

    @Test("RFC 7662 §2.1: a resource server learns about the tokens of its own audience alone")
    func eachResourceHasItsSecret() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let own = try await server.signIn().text("access_token")
            let orders = try await server.signIn(scope: "openid api://orders/Orders.Read").text("access_token")
            for (token, audience) in [(own, Self.audience), (orders, "api://orders")] {
                for (name, secret, asks) in [
                    (Self.audience, Self.secret, Self.audience),
                    ("api%3A%2F%2Forders", "secret-of-orders", "api://orders"),
                    ("api%3a//orders", "secret-of-orders", "api://orders"),
                    ("api%3A%2F%2Fstock", "secret-of-stock", "api://stock"),
                ] {
                    let answer = try await introspect(token, as: name, secret, with: client)
                    if asks == audience {
                        #expect(answer["active"] == true && answer["aud"] == .string(audience), "\(answer)")
                    } else {
                        expectInactive(answer)
                    }
                }
            }
            for (name, secret) in [
                ("api%3A%2F%2Forders", "secret-of-stock"), ("api%3A%2F%2Forders", Self.secret),
                ("api%3A%2F%2Forders", "development"), ("api%3A%2F%2Forder", "secret-of-orders"),
                ("API%3A%2F%2Forders", "secret-of-orders"), ("api%3A%2F%2Forders%00", "secret-of-orders"),
                ("api%3A%2F%2Forders&a", "secret-of-orders"), ("api%3A%2F%2Forders%", "secret-of-orders"),
                ("api://orders", "secret-of-orders"), ("", "secret-of-orders"), ("proof", "development"),
            ] {
                // A colon ends the name, so a name that is not encoded is another one.
                #expect(try await introspect(orders, as: name, secret, with: client).status == 401, "\(name)")
            }
        }
    }

    @Test("In development every audience has the secret development, and learns no more than another would")
    func developmentHasOneSecret() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = WireClient(
                transport: InProcessTransport(routes: server.routes(resourceServers: .development)),
                clientID: Self.audience)
            let token = try await server.signIn(scope: "openid api://orders/Orders.Read").text("access_token")
            let orders = try await introspect(token, as: "api%3A%2F%2Forders", "development", with: client)
            #expect(orders["active"] == true && orders["aud"] == "api://orders")
            expectInactive(try await introspect(token, as: "api", "development", with: client))
            #expect(try await introspect(token, as: "api%3A%2F%2Forders", "x", with: client).status == 401)
        }
    }

    private static let faults: [(String, Bool, String)] = [
        ("", false, "AUDIENCE=SECRET"), ("  ", false, "AUDIENCE=SECRET"), ("Geheimnis-7", false, "entry 1"),
        ("api://a=x =Geheimnis-7", false, "entry 2"), ("api://a=", false, "entry 1"), ("api://å=x", false, "entry 1"),
        ("api://a=Geheimnis+7", false, "api://a"), ("api://a=x api://a=y", false, "twice"),
        ("api://a=x api://b=x", false, "another audience"),
        ("api://a=Geheimnis-7", true, "32"), ("api://a=" + String(repeating: "a", count: 64), true, "32"),
        ("api://a=" + String(repeating: "Geheimnis-7", count: 4), true, "32"),
        ("api://a=development api://b=development", true, "another audience"),
    ]

    @Test("SEC-PRF-4: what is wrong with the list is told, without a secret", arguments: faults)
    func faultsOfTheList(_ list: String, _ needsStrongSecrets: Bool, _ word: String) throws {
        do throws(ResourceServers.Invalid) {
            _ = try ResourceServers(list, needsStrongSecrets: needsStrongSecrets)
            Issue.record("accepted")
        } catch {
            #expect(error.problems.contains { $0.contains(word) }, "\(error.problems)")
            #expect(!error.problems.contains { $0.contains("Geheimnis") })
        }
    }

    @Test("SEC-PRF-4: random secrets are strong")
    func randomSecretsAreStrong() throws {
        var random = Seeded(state: 5)
        for _ in 0..<200 {
            let list = (1...3).map { number in
                let digits = (0..<32).map { _ in String(Int.random(in: 0...15, using: &random), radix: 16) }
                return "api://\(number)=\(digits.joined())"
            }
            _ = try ResourceServers(list.joined(separator: "\n "), needsStrongSecrets: true)
        }
    }

    @Test(
        "RFC 7662 §2.1: only who knows the secret may ask",
        arguments: [
            nil, "Basic", "Basic ", "Basic !!", "Bearer resource-server-secret", "Basic b3JkZXJzOndyb25n",
            "Basic " + Data("resource-server-secret".utf8).base64EncodedString(),
            "Basic " + Data("\(audience):resource-server-secretx".utf8).base64EncodedString(),
            "Basic " + Data("\(audience):".utf8).base64EncodedString(),
        ] as [String?])
    func secrets(_ header: String?) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let token = try #require(try await server.signIn().text("access_token"))
            let answer = try await post(
                .tokenIntrospection, [("token", token)], headers: header.map { ["authorization": $0] } ?? [:],
                with: client)
            #expect(answer.status == 401 && answer.body.isEmpty, "\(answer)")
            #expect(answer.headers["www-authenticate"]?.hasPrefix("Basic ") == true)
        }
    }

    @Test("RFC 7662 §2.1: without a secret there is no introspection")
    func noSecret() async throws {
        try await withIdentityServer { server in
            let answer = try await post(
                .tokenIntrospection, [("token", "x")], headers: Self.basic(Self.audience, Self.secret),
                with: server.passwordClient)
            #expect(answer.status == 404)
        }
    }

    @Test("RFC 7662 §2.2: expired, foreign, forged and other kinds of tokens are inactive, and nothing is told")
    func inactiveTokens() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let tokens = try await server.signIn()
            let access = try #require(tokens.text("access_token"))
            for token in [
                tokens.text("id_token"), tokens.text("refresh_token"), "x", access + "A", String(access.dropLast(4)),
            ] {
                expectInactive(try await introspect(token, with: client))
            }
            try await withIdentityServer(seed: 2) { other in
                try await other.signUpWithPassword()
                expectInactive(try await introspect(other.signIn().text("access_token"), with: client))
            }
            #expect(try await introspect(access, with: client)["active"] == true)
            let life = Double(try #require(tokens["expires_in"]?.integer))
            server.clock.advance(by: life + 59)
            #expect(try await introspect(access, with: client)["active"] == true, "SEC-TOK-13: 60 s of allowance")
            server.clock.advance(by: 2)
            expectInactive(try await introspect(access, with: client))
        }
    }

    @Test(
        "SEC-TOK-13: after a reset and after disabling, tokens are dead at once, with and without a session",
        arguments: [
            "openid", "openid offline_access",
        ])
    func deadAtOnce(_ scope: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let before = try await server.signIn(scope: scope).text("access_token")
            #expect(try await introspect(before, with: client)["active"] == true)
            server.clock.advance(by: 1)
            let after = try await client.redeem(server.reset().token, scope: scope).text("access_token")
            expectInactive(try await introspect(before, with: client))
            #expect(try await introspect(after, with: client)["active"] == true)
            server.clock.advance(by: 1)
            try await server.setDisabled(true)
            expectInactive(try await introspect(after, with: client))
            #expect(try await client.get("/contoso/oidc/userinfo", headers: bearer(after)).status == 401)
            #expect(try await client.get("/dev/api/contoso", headers: bearer(after)).status == 401)
            server.clock.advance(by: 1)
            try await server.setDisabled(false)
            expectInactive(try await introspect(after, with: client))
        }
    }

    // MARK: Userinfo

    @Test("OpenID Connect Core 1.0 §5.3: userinfo says what the scopes allow")
    func userInfo() async throws {
        try await withIdentityServer { server in
            let signedUp = try await server.signUp(
                with: server.passwordClient,
                [
                    ("password", WireClient.password),
                    ("attributes", #"{"displayName":"Dana K","givenName":"Dana","surname":"K"}"#),
                ])
            #expect(signedUp.status == 200)
            let client = try client(of: server)
            for (scope, members) in [
                ("openid", ["sub"]), ("openid email", ["sub", "email", "email_verified"]),
                ("openid profile", ["sub", "name", "given_name", "family_name", "preferred_username"]),
            ] {
                let tokens = try await server.signIn(scope: scope)
                let answer = try await client.get(
                    "/contoso/oidc/userinfo", headers: bearer(tokens.text("access_token")))
                #expect(answer.status == 200 && Set(answer.members.keys) == Set(members), "\(answer)")
                #expect(answer["sub"] == (try claims(of: tokens.text("id_token"))["sub"]))
                let posted = try await client.send(
                    client.request("POST", "/contoso/oidc/userinfo", headers: bearer(tokens.text("access_token"))))
                #expect(posted.members == answer.members)
            }
        }
    }

    @Test("RFC 6750 §3: userinfo needs an access token for it")
    func userInfoRefusals() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let client = try client(of: server)
            let tokens = try await server.signIn(scope: "openid api://orders/Orders.Read")
            let wrongAudience = try await client.get(
                "/contoso/oidc/userinfo", headers: bearer(tokens.text("access_token")))
            #expect(wrongAudience.status == 403)
            #expect(wrongAudience.headers["www-authenticate"]?.contains("insufficient_scope") == true)
            for token in [tokens.text("id_token"), "x"] {
                let answer = try await client.get("/contoso/oidc/userinfo", headers: bearer(token))
                #expect(answer.status == 401, "\(answer)")
                #expect(answer.headers["www-authenticate"]?.contains("invalid_token") == true)
            }
            let access = try #require(try await server.signIn().text("access_token"))
            #expect(
                try await client.get("/contoso/oidc/userinfo?access_token=\(access)").status != 200, "RFC 6750 §2.3")
        }
    }

    @Test(
        "RFC 6750 §3: a request without a token is asked for one, without an error code",
        arguments: [nil, "Basic ZGFuYTp4", "bearer", "Bearer "] as [String?])
    func noTokenIsNoError(_ header: String?) async throws {
        try await withIdentityServer { server in
            let client = try client(of: server)
            for path in ["/contoso/oidc/userinfo", "/dev/api/contoso"] {
                let answer = try await client.get(path, headers: header.map { ["authorization": $0] } ?? [:])
                #expect(answer.status == 401)
                let challenge = try #require(answer.headers["www-authenticate"])
                #expect(challenge.hasPrefix("Bearer realm=") && !challenge.contains("error"), "\(challenge)")
            }
        }
    }

    // MARK: The API of the development profile

    @Test("RFC 9470: the development API asks for a context that the token lacks, and answers one that has it")
    func developmentAPI() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = try client(of: server)
            let weak = try await server.signIn().text("access_token")
            let plain = try await client.get("/dev/api/contoso", headers: bearer(weak))
            #expect(plain.status == 200, "\(plain)")
            #expect(plain["message"] == "Hello, dana@example.com" && plain["acrs"] == [])
            let refused = try await client.get("/dev/api/contoso?acrs=c1", headers: bearer(weak))
            #expect(refused.status == 401)
            let challenge = try #require(refused.headers["www-authenticate"])
            #expect(challenge.contains(#"error="insufficient_user_authentication""#))
            #expect(challenge.contains(#"acr_values="c1""#))
            let strong = try await server.signInWithSecondFactor().text("access_token")
            let answer = try await client.get("/dev/api/contoso?acrs=c1", headers: bearer(strong))
            #expect(answer.status == 200 && answer["acrs"] == ["c1"], "\(answer)")
            #expect(try await client.get("/dev/api/contoso?acrs=c2", headers: bearer(strong)).status == 401)
            #expect(try await client.get("/dev/api/contoso?acrs=%22", headers: bearer(strong)).status == 400)
            #expect(try await client.get("/dev/api/contoso").status == 401)
            #expect(
                try await server.passwordClient.get("/dev/api/contoso", headers: bearer(strong)).status == 404,
                "not in production")
        }
    }
}
