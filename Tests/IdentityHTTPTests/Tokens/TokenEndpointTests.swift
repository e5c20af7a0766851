import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("The token endpoint") struct TokenEndpointTests {
    private static let tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
    private static let day = 86_400.0

    /// The claims of a signed token.
    private func claims(_ token: String?, part: Int = 1) throws -> [String: JSON] {
        let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        return try JSONDecoder().decode([String: JSON].self, from: #require(Base64URL.decode(String(parts[part]))))
    }

    private func signedIn(
        on server: IdentityTestServer, _ application: IdentityTestServer.Application = .emailOneTimePasscode,
        scope: String = "openid profile offline_access", _ more: Fields = []
    ) async throws -> WireAnswer {
        let client = server.client(application)
        return try await client.redeem(server.signUp(with: client, more).token, scope: scope)
    }

    @Test("docs/protocol.md §6: the token reply has every member, with numbers as numbers")
    func theTokenReplyHasEveryMember() async throws {
        try await withIdentityServer { server in
            let tokens = try await signedIn(
                on: server, scope: "openid profile email offline_access api://orders/Orders.Read")
            #expect(tokens["token_type"] == "Bearer")
            #expect(tokens["scope"] == "openid profile email offline_access api://orders/Orders.Read")
            let life = try #require(tokens["expires_in"]?.integer)
            #expect((3_600...5_400).contains(life))
            #expect(tokens["ext_expires_in"] == .integer(life))
            #expect(tokens["correlation_id"] == nil)
            #expect(tokens["continuation_token"] == nil)
            let text = String(decoding: tokens.body, as: UTF8.self)
            #expect(text.contains("\"expires_in\":\(life)"))

            let id = try claims(tokens.text("id_token"))
            let info = try JSONDecoder().decode(
                [String: String].self, from: #require(Base64URL.decode(tokens.text("client_info") ?? "")))
            #expect(info == ["uid": try #require(id["oid"]?.string), "utid": try #require(id["tid"]?.string)])
            #expect(id["tid"] == .string(Self.tenant))
            #expect(id["preferred_username"] == "dana@example.com")
            #expect(id["email"] == "dana@example.com")
            #expect(id["aud"] == .string(IdentityTestServer.Application.emailOneTimePasscode.rawValue))
            #expect(id["iss"] == .string("https://identity.test/\(Self.tenant)/v2.0"))
            #expect(id["ver"] == "2.0")
        }
    }

    @Test("SEC-TOK-1: the access token has the claims of the schema, a random life, and no address or name")
    func theAccessTokenHasItsClaims() async throws {
        try await withIdentityServer { server in
            let tokens = try await signedIn(
                on: server, scope: "openid offline_access api://orders/Orders.Read",
                [("attributes", #"{"displayName":"Dagmar Canary","givenName":"Dagmar"}"#)])
            let text = try #require(tokens.text("access_token"))
            let header = try claims(text, part: 0)
            #expect(header["typ"] == "at+jwt")
            let access = try claims(text)
            let now = 1_800_000_000
            #expect(access["iss"] == .string("https://identity.test/\(Self.tenant)/v2.0"))
            #expect(access["aud"] == "api://orders")
            #expect(access["scp"] == "Orders.Read")
            #expect(access["azp"] == .string(IdentityTestServer.Application.emailOneTimePasscode.rawValue))
            #expect(access["tid"] == .string(Self.tenant))
            #expect(access["ver"] == "2.0")
            #expect(access["amr"] == ["otp"])
            #expect(access["iat"] == .integer(now))
            #expect(access["nbf"] == .integer(now))
            #expect(access["auth_time"] == .integer(now))
            #expect(access["exp"]?.integer == tokens["expires_in"]?.integer.map { now + $0 })
            for name in ["sub", "oid", "jti"] { #expect(access[name]?.string?.isEmpty == false) }
            let whole = "\(access)"
            for canary in ["dana", "Dagmar", "Canary", "example.com"] { #expect(!whole.contains(canary)) }
            // Without `profile` the ID token has no name either (docs/protocol.md §6.3).
            #expect(try claims(tokens.text("id_token"))["preferred_username"] == nil)
        }
    }

    @Test("SEC-TOK-1: lives differ, and the subject stays the same from refresh to refresh")
    func livesDifferAndTheSubjectStays() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            var tokens = try await signedIn(on: server)
            var (lives, subjects, ids): (Set<Int>, Set<String>, Set<String>) = ([], [], [])
            for _ in 0..<12 {
                lives.insert(try #require(tokens["expires_in"]?.integer))
                let access = try claims(tokens.text("access_token"))
                subjects.insert(try #require(access["sub"]?.string))
                ids.insert(try #require(access["jti"]?.string))
                tokens = try await client.refresh(#require(tokens.text("refresh_token")))
            }
            #expect(lives.count > 3)
            #expect(lives.allSatisfy { (3_600...5_400).contains($0) })
            #expect(subjects.count == 1)
            #expect(ids.count == 12)
        }
    }

    @Test(
        "docs/protocol.md §5.7, SEC-TOK-7: scopes decide which tokens there are",
        arguments: [
            ("openid profile offline_access", ["id_token", "refresh_token"]), ("openid", ["id_token"]),
            ("offline_access", ["refresh_token"]), ("profile", []), ("api://orders/Orders.Read", []),
            ("openid openid offline_access", ["id_token", "refresh_token"]),
        ] as [(String, [String])])
    func scopesDecideWhichTokensThereAre(_ scope: String, _ expected: [String]) async throws {
        try await withIdentityServer { server in
            let tokens = try await signedIn(on: server, scope: scope)
            expectSuccess(
                tokens,
                Set(["token_type", "scope", "expires_in", "ext_expires_in", "access_token", "client_info"] + expected))
            let families = try await server.count("SELECT COUNT(*) FROM refresh_families")
            #expect(families == (expected.contains("refresh_token") ? 1 : 0))
        }
    }

    @Test(
        "docs/protocol.md §16 row 12: a browser SDK gets all three tokens whatever it asks for",
        arguments: [
            "msal.browser", "MSAL.Browser", "msal.js.browser",
        ])
    func aBrowserSDKGetsAllThree(_ sku: String) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let tokens = try await client.redeem(
                server.signUp().token, scope: "api://orders/Orders.Read", headers: ["x-client-SKU": sku])
            #expect(tokens["scope"] == "openid profile offline_access api://orders/Orders.Read")
            for member in ["access_token", "id_token", "refresh_token"] { #expect(tokens.text(member) != nil) }
            // A refresh that names no scope keeps those of the sign-in, also that of the resource.
            let again = try await client.refresh(
                #require(tokens.text("refresh_token")), headers: ["x-client-SKU": sku])
            #expect(again["scope"] == tokens["scope"])
        }
    }

    @Test(
        "docs/protocol.md §5.7, §4.7: scopes of one resource, and only those that the application may ask for",
        arguments: [
            ("openid api://orders/Orders.Read api://orders/Orders.Write", nil), ("api://stock/Stock.Read", nil),
            ("openid api://stock/Stock.Write", "invalid_grant"), ("api://payroll/Pay.Read", "invalid_grant"),
            ("api://orders/Orders.Read api://stock/Stock.Read", "invalid_scope"),
            ("openid Orders.Read", "invalid_grant"), ("/Orders.Read", "invalid_scope"),
            ("api://orders/", "invalid_scope"), ("OpenID", "invalid_grant"),
        ] as [(String, String?)])
    func scopesAreThoseOfOneResource(_ scope: String, _ error: String?) async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        client.clientID = TestDirectory.scoped
        let token = try await server.signUp(with: client).token
        let answer = try await client.redeem(token, scope: scope)
        if let error {
            expectError(answer, error, error == "invalid_scope" ? 70_011 : 65_001)
            // The token can still be used for a correct request.
            #expect(try await client.redeem(token, scope: "openid").status == 200)
        } else {
            #expect(answer["scope"] == .string(scope))
        }
    }

    @Test("docs/protocol.md §16 row 20: the user name of the request does not matter")
    func theUserNameDoesNotMatter() async throws {
        try await withIdentityServer { server in
            for (number, username) in ["DANA@example.com", "somebody@else.org", "", "x"].enumerated() {
                let token = try await server.signUp("dana\(number)@example.com").token
                let tokens = try await server.client().post(
                    .token,
                    [
                        ("grant_type", "continuation_token"), ("continuation_token", token), ("scope", "openid"),
                        ("username", username), ("client_info", "true"), ("challenge_type", "oob redirect"),
                        ("nca", "1"),
                    ])
                #expect(tokens.status == 200)
            }
        }
    }

    @Test(
        "SEC-TOK-1, RFC 8176: the methods are those that the user went through",
        arguments: [
            (.emailOneTimePasscode, ["otp"]), (.emailPassword, ["pwd", "otp", "mfa"]),
        ] as [(IdentityTestServer.Application, [String])])
    func theMethodsAreThoseOfTheUser(
        _ application: IdentityTestServer.Application, _ methods: [String]
    ) async throws {
        try await withIdentityServer { server in
            let password: Fields = application == .emailPassword ? [("password", WireClient.password)] : []
            let tokens = try await signedIn(on: server, application, password)
            #expect(try claims(tokens.text("id_token"))["amr"] == .array(methods.map { .string($0) }))
            #expect(try claims(tokens.text("access_token"))["amr"] == .array(methods.map { .string($0) }))
        }
    }

    // MARK: Refresh

    @Test("SEC-TOK-9: a token that was never issued revokes nothing, even with the id of a session in it")
    func aMadeUpRefreshTokenRevokesNothing() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let token = try #require(try await signedIn(on: server).text("refresh_token"))
            let genuine = try #require(Base64URL.decode(token))
            for length in [0, 16, 47, 48, 63] {
                let forged = Array(genuine.prefix(16)) + Array(repeating: UInt8(7), count: length)
                expectError(try await client.refresh(Base64URL.encode(forged)), "invalid_grant", 70_000)
            }
            #expect(try await server.count("SELECT COUNT(*) FROM refresh_families WHERE revoked_at IS NOT NULL") == 0)
            #expect(try await client.refresh(token).status == 200)
        }
    }

    @Test("docs/protocol.md §5.5: one refresh token at one moment for two resources gives each its own access token")
    func oneRefreshTokenForTwoResources() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let token = try #require(try await signedIn(on: server).text("refresh_token"))
            let orders = try await client.refresh(token, scope: "openid offline_access api://orders/Orders.Read")
            let stock = try await client.refresh(token, scope: "openid offline_access api://stock/Stock.Read")
            #expect(try claims(orders.text("access_token"))["aud"] == "api://orders")
            #expect(try claims(stock.text("access_token"))["aud"] == "api://stock")
            #expect(orders.text("refresh_token") == stock.text("refresh_token"), "there is one successor")
            #expect(try await client.refresh(token, scope: "openid offline_access api://orders/Orders.Read") == orders)
        }
    }

    @Test("SEC-TOK-7, SEC-TOK-8: a refresh token is opaque, hashed at rest, and rotates")
    func aRefreshTokenRotates() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let tokens = try await signedIn(on: server)
            let first = try #require(tokens.text("refresh_token"))
            #expect(Base64URL.decode(first)?.count == 64)
            server.clock.advance(by: 600)
            let rotated = try await client.refresh(first, scope: "openid profile offline_access")
            let second = try #require(rotated.text("refresh_token"))
            #expect(second != first)
            expectSuccess(rotated, Set(tokens.members.keys))
            let (before, after) = (try claims(tokens.text("id_token")), try claims(rotated.text("id_token")))
            for name in ["sub", "oid", "tid", "aud", "iss", "auth_time", "amr"] { #expect(before[name] == after[name]) }
            #expect(after["iat"] == .integer(1_800_000_600))
            for token in [first, second] {
                let secret = try #require(Base64URL.decode(token)).dropFirst(16)
                let hexadecimal = secret.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
                let cells = try await server.snapshot().values.joined().joined().compactMap(\.self)
                #expect(!cells.contains { $0.contains(token) || $0.contains(hexadecimal) })
            }
        }
    }

    @Test("SEC-TOK-9: for 30 s the used token gives the same bytes again", arguments: [0.0, 29, 30])
    func theGraceGivesTheSameBytes(_ seconds: Double) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let first = try #require(try await signedIn(on: server).text("refresh_token"))
            let rotated = try await client.refresh(first)
            let after = try await server.snapshot()
            server.clock.advance(by: seconds)
            let again = try await client.refresh(first)
            #expect(again.body == rotated.body)
            #expect(try await server.snapshot() == after)
            #expect(try await client.refresh(#require(again.text("refresh_token"))).status == 200)
        }
    }

    @Test("SEC-TOK-9: a used token after the grace revokes the family, and every later refresh is refused")
    func reuseAfterTheGraceRevokesTheFamily() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let first = try #require(try await signedIn(on: server).text("refresh_token"))
            let second = try #require(try await client.refresh(first).text("refresh_token"))
            server.clock.advance(by: 30.5)
            expectError(try await client.refresh(first), "invalid_grant", 50_173)
            for token in [second, first, second] {
                expectError(try await client.refresh(token), "invalid_grant", 50_173)
            }
            #expect(try await server.audited(.tokenReuseDetected) == 1)
        }
    }

    @Test("SEC-TOK-9: once the successor was used, the token before it revokes the family, grace or not")
    func reuseAfterTheSuccessorRevokesTheFamily() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let first = try #require(try await signedIn(on: server).text("refresh_token"))
            let second = try #require(try await client.refresh(first).text("refresh_token"))
            let third = try #require(try await client.refresh(second).text("refresh_token"))
            expectError(try await client.refresh(first), "invalid_grant", 50_173)
            for token in [second, third] { expectError(try await client.refresh(token), "invalid_grant", 50_173) }
        }
    }

    @Test("SEC-TOK-7: a refresh token is bound to tenant, application and family")
    func aRefreshTokenIsBound() async throws {
        let server = try TestDirectory.server()
        let client = server.client()
        let token = try #require(try await signedIn(on: server).text("refresh_token"))
        let other = try #require(
            try await client.redeem(server.signUp("erik@example.com").token).text("refresh_token"))
        let before = try await server.snapshot()
        for application in IdentityTestServer.Application.allCases where application != .emailOneTimePasscode {
            expectError(try await server.client(application).refresh(token), "invalid_grant", 70_000)
        }
        var fabrikam = client
        fabrikam.tenant = "fabrikam"
        expectError(try await fabrikam.refresh(token), "invalid_grant", 70_000)
        for text in [
            "x", String(token.dropLast()), token + "A", String(repeating: "A", count: 64), String(token.reversed()),
        ] {
            expectError(try await client.refresh(text), "invalid_grant", 70_000)
        }
        #expect(try await server.snapshot() == before)
        #expect(try await client.refresh(token).status == 200)
        #expect(try await client.refresh(other).status == 200)
    }

    @Test("SEC-TOK-9: a guess at a family's token revokes it; two families do not share a fate")
    func familiesDoNotShareAFate() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let token = try #require(try await signedIn(on: server).text("refresh_token"))
            let other = try #require(
                try await client.redeem(server.signUp("erik@example.com").token).text("refresh_token"))
            var forged = try #require(Base64URL.decode(token))
            forged[47] ^= 1
            #expect(try await client.refresh(Base64URL.encode(forged)).status == 400)
            #expect(try await client.refresh(other).status == 200)
        }
    }

    @Test(
        "SEC-TOK-12, docs/protocol.md §5.5: one-time-passcode families end after 24 hours, however busy",
        arguments: [
            (-1.0, 200), (0.0, 400),
        ])
    func codeFamiliesEndAfterADay(_ offset: Double, _ status: Int) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            var tokens = try await signedIn(on: server)
            for _ in 0..<3 {
                server.clock.advance(by: 6 * 3_600)
                tokens = try await client.refresh(#require(tokens.text("refresh_token")))
                #expect(tokens.status == 200)
                _ = try await server.engine.removeExpired(now: server.clock.now)
            }
            let last = try #require(tokens.text("refresh_token"))
            server.clock.advance(by: 6 * 3_600 + offset)
            let answer = try await client.refresh(last)
            #expect(answer.status == status)
            if status == 400 { expectError(answer, "invalid_grant", 700_082) }
        }
    }

    @Test(
        "SEC-TOK-12, docs/protocol.md §5.5: password families live on for 90 days from each use",
        arguments: [
            (-1.0, 200), (0.0, 400),
        ])
    func passwordFamiliesSlide(_ offset: Double, _ status: Int) async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            var tokens = try await signedIn(on: server, .emailPassword, [("password", WireClient.password)])
            for _ in 0..<2 {
                server.clock.advance(by: 89 * Self.day)
                tokens = try await client.refresh(#require(tokens.text("refresh_token")))
                #expect(tokens.status == 200)
            }
            server.clock.advance(by: 90 * Self.day + offset)
            let answer = try await client.refresh(#require(tokens.text("refresh_token")))
            #expect(answer.status == status)
            if status == 400 { expectError(answer, "invalid_grant", 700_082) }
        }
    }

    @Test("SEC-TOK-12: no family lives longer than 365 days")
    func noFamilyLivesLongerThanAYear() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            var tokens = try await signedIn(on: server, .emailPassword, [("password", WireClient.password)])
            for _ in 0..<4 {
                server.clock.advance(by: 80 * Self.day)
                tokens = try await client.refresh(#require(tokens.text("refresh_token")))
                #expect(tokens.status == 200)
            }
            server.clock.advance(by: 45 * Self.day)
            expectError(
                try await client.refresh(#require(tokens.text("refresh_token"))), "invalid_grant", 700_082)
        }
    }

    @Test("RFC 6749 §6, SEC-TOK-7: a refresh may name fewer scopes, and later all of them again")
    func aRefreshMayNameFewerScopes() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let all = "openid profile offline_access api://orders/Orders.Read"
            var tokens = try await signedIn(on: server, scope: all)
            tokens = try await client.refresh(#require(tokens.text("refresh_token")), scope: "openid")
            #expect(tokens["scope"] == "openid")
            tokens = try await client.refresh(#require(tokens.text("refresh_token")))
            #expect(tokens["scope"] == .string(all))
            // Not bound to a resource (docs/protocol.md §5.5): another one that the application may use is fine.
            tokens = try await client.refresh(
                #require(tokens.text("refresh_token")), scope: "openid api://stock/Stock.Read")
            #expect(tokens["scope"] == "openid api://stock/Stock.Read")
            expectError(
                try await client.refresh(#require(tokens.text("refresh_token")), scope: "openid nonsense"),
                "invalid_grant", 65_001)
            #expect(try await client.refresh(#require(tokens.text("refresh_token"))).status == 200)
        }
    }

    @Test("RFC 6749 §6: a refresh gives no more of a resource than the grant, whatever the application may ask for")
    func aRefreshNeverGoesBeyondTheGrant() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            var tokens = try await signedIn(on: server, scope: "openid offline_access api://orders/Orders.Read")
            func refresh(_ scope: String) async throws -> WireAnswer {
                try await client.refresh(#require(tokens.text("refresh_token")), scope: scope)
            }
            for wider in ["api://orders/admin", "openid api://orders/Orders.Read api://orders/admin"] {
                expectError(try await refresh(wider), "invalid_grant", 65_001)
            }
            let narrower = try await refresh("openid email profile offline_access api://orders/Orders.Read")
            #expect(narrower["scope"] == "openid offline_access api://orders/Orders.Read", "not what was not asked for")
            tokens = narrower
            #expect(try await server.audited(.scopesGranted) == 0)

            // Another resource that the application may use is a new grant; it is recorded, and limits later refreshes.
            tokens = try await refresh("api://stock/Stock.Read")
            #expect(tokens["scope"] == "api://stock/Stock.Read")
            let granted = try await server.rows("SELECT detail FROM audit WHERE kind = 'token.scopes_granted'")
            #expect(granted == [["api://stock/Stock.Read"]])
            tokens = try await refresh("openid api://stock/Stock.Read")
            expectError(try await refresh("api://stock/Stock.Write"), "invalid_grant", 65_001)
            #expect(try await server.audited(.scopesGranted) == 1)
            // Without a scope the tokens are for the scopes of the sign-in.
            #expect(try await refresh("")["scope"] == "openid offline_access api://orders/Orders.Read")
        }
    }

    @Test("RFC 6749 §6: two refreshes at one moment do not have two grants of one new resource")
    func aNewResourceIsGrantedOnce() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let token = try #require(
                try await signedIn(on: server, scope: "openid offline_access").text("refresh_token"))
            let statuses = try await withThrowingTaskGroup { group in
                for scope in ["Stock.Read", "Stock.Write"] {
                    group.addTask { try await client.refresh(token, scope: "api://stock/\(scope)").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 400])
            #expect(try await server.audited(.scopesGranted) == 1)
        }
    }

    @Test("SEC-TOK-7: a refresh asks for nothing that the application may not")
    func aRefreshKeepsToWhatTheApplicationMay() async throws {
        let server = try TestDirectory.server()
        var client = server.client()
        client.clientID = TestDirectory.scoped
        let tokens = try await client.redeem(server.signUp(with: client).token)
        let token = try #require(tokens.text("refresh_token"))
        expectError(try await client.refresh(token, scope: "openid api://payroll/Pay.Read"), "invalid_grant", 65_001)
        #expect(try await client.refresh(token).status == 200)
    }

    @Test("SEC-TOK-7: after the user is gone the refresh token is refused")
    func afterTheUserIsGoneTheTokenIsRefused() async throws {
        try await withIdentityServer { server in
            let token = try #require(try await signedIn(on: server).text("refresh_token"))
            _ = try await server.rows("DELETE FROM users")
            expectError(try await server.client().refresh(token), "invalid_grant", 70_000)
        }
    }

    @Test("SEC-ID-8: a new user of a deleted user's address has another id and another subject")
    func aFreedAddressIsAnotherUsers() async throws {
        try await withIdentityServer { server in
            var (users, subjects): (Set<String>, Set<String>) = ([], [])
            for _ in 0..<3 {
                let token = try claims(try await signedIn(on: server).text("id_token"))
                users.insert(try #require(token["oid"]?.string))
                subjects.insert(try #require(token["sub"]?.string))
                _ = try await server.rows("DELETE FROM users")
                server.clock.advance(by: 60)
            }
            #expect(users.count == 3)
            #expect(subjects.count == 3)
        }
    }
}
