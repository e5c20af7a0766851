import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// The claims that an application of the tenant file gets from attributes (docs/operate/tenant-file.md).
@Suite("Claims of an application") struct ApplicationClaimTests {
    private static let attributes =
        AttributeDefinition.builtIn + [
            AttributeDefinition(name: "extension_memberNumber"),
            AttributeDefinition(name: "extension_newsletter", type: .boolean),
            AttributeDefinition(name: "extension_size", type: .integer, userMayChange: true),
        ]

    /// Claims of each kind of source, in different places.
    private static let claims: [ApplicationClaim] = [
        .init(name: "city"),
        .init(
            name: "member_number", attribute: "extension_memberNumber", places: [.id, .access, .userinfo],
            isEssential: true),
        .init(name: "https://example.com/newsletter", attribute: "extension_newsletter", places: [.access]),
        .init(name: "size", attribute: "extension_size", places: [.id, .access]),
        .init(name: "email", places: [.access]),
        .init(name: "nickname", attribute: "flatusername", places: [.id]),
        .init(name: "locale", attribute: "preferredLanguage"),
    ]

    /// Runs `body` with a server whose first two applications have `claims`: users of the first sign in with codes,
    /// those of the second with a password.
    private func withServer(
        _ claims: [ApplicationClaim] = claims, _ body: (IdentityTestServer) async throws -> Void
    ) async throws {
        var contoso = try #require(TenantDirectory.development.entries.first)
        for index in 0..<2 {
            contoso.applications[index].claims = claims
            contoso.applications[index].userFlow.attributes = Self.attributes
        }
        let directory = TenantDirectory([contoso])
        try await body(
            try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.clients = directory })
    }

    private func attributes(_ json: String) -> Fields { [("attributes", json)] }

    private static let whole = #"""
        {"city":"Ribe","extension_memberNumber":"M-\"1\\2\"/é🚢","extension_newsletter":true,"extension_size":44}
        """#

    private func names(_ token: String?) throws -> Set<String> { Set(try IdentityHTTPTests.claims(of: token).keys) }

    private func userinfo(_ tokens: WireAnswer, on server: IdentityTestServer) async throws -> WireAnswer {
        let token = try #require(tokens.text("access_token"))
        return try await server.client().get("/contoso/oidc/userinfo", headers: ["authorization": "Bearer \(token)"])
    }

    @Test("Each token and userinfo has the claims of its place, as text, integer or boolean, whatever the scopes")
    func placesAndTypes() async throws {
        try await withServer { server in
            let plain = try await server.client(.emailOneTimePasscodeWithAttributes).redeem(
                server.signUp(
                    "alex@example.com", with: server.client(.emailOneTimePasscodeWithAttributes),
                    attributes(#"{"city":"Ribe","country":"DK"}"#)
                ).token, scope: "openid")
            let signedUp = try await server.signUp(with: nil, attributes(Self.whole))
            let tokens = try await server.client().redeem(signedUp.token, scope: "openid")
            let member: JSON = #"M-"1\2"/é🚢"#

            let id = try IdentityHTTPTests.claims(of: tokens.text("id_token"))
            #expect(id["city"] == "Ribe" && id["member_number"] == member && id["size"] == 44)
            let own: Set<String> = ["city", "member_number", "size"]
            #expect(try names(plain.text("id_token")).union(own) == Set(id.keys), "a user without alias and language")

            let access = try IdentityHTTPTests.claims(of: tokens.text("access_token"))
            #expect(access["member_number"] == member && access["size"] == 44)
            #expect(access["https://example.com/newsletter"] == true && access["email"] == "dana@example.com")
            let more: Set<String> = ["member_number", "size", "https://example.com/newsletter", "email"]
            #expect(try names(plain.text("access_token")).union(more) == Set(access.keys))

            // The server accepts the token that carries them.
            let answer = try await userinfo(tokens, on: server)
            #expect(answer.members == ["sub": try #require(id["sub"]), "city": "Ribe", "member_number": member])
            // Another application of the same tenant has none.
            #expect(Set(try await userinfo(plain, on: server).members.keys) == ["sub"])
        }
    }

    @Test("A token for an API and for the directory has the claims too, and no claim stands for one of the server's")
    func otherAudiences() async throws {
        try await withServer { server in
            let signedUp = try await server.signUp(with: nil, attributes(Self.whole))
            let tokens = try await server.client().redeem(
                signedUp.token, scope: "openid profile email offline_access api://orders/Orders.Read")
            let access = try IdentityHTTPTests.claims(of: tokens.text("access_token"))
            #expect(access["aud"] == "api://orders" && access["scp"] == "Orders.Read" && access["size"] == 44)
            let directory = try await server.client().refresh(
                #require(tokens.text("refresh_token")), scope: "openid User.Read")
            let me = try await server.client().get(
                "/graph/v1.0/me", headers: ["authorization": "Bearer \(try #require(directory.text("access_token")))"])
            #expect(me.status == 200, "\(me)")
            let id = try IdentityHTTPTests.claims(of: tokens.text("id_token"))
            #expect(id["preferred_username"] == "dana@example.com" && id["email"] == "dana@example.com")
        }
    }

    @Test("Sign-up, sign-in, refresh and reset each state the values of that moment")
    func everyIssuance() async throws {
        try await withServer { server in
            let client = server.passwordClient
            let scope = "openid offline_access User.ReadWrite"
            let signedUp = try await server.signUp(
                with: client,
                [("password", WireClient.password)]
                    + attributes(#"{"city":"Ribe","extension_size":44,"flatusername":"dana.k"}"#))
            func size(_ tokens: WireAnswer) throws -> JSON? {
                let id = try IdentityHTTPTests.claims(of: tokens.text("id_token"))
                #expect(id["nickname"] == "dana.k" && id["member_number"] == nil, "\(tokens)")
                let access = try IdentityHTTPTests.claims(of: tokens.text("access_token"))
                #expect(access["size"] == id["size"])
                return id["size"]
            }
            func change(_ body: String, with tokens: WireAnswer) async throws {
                let fields = [
                    "authorization": "Bearer \(try #require(tokens.text("access_token")))",
                    "content-type": "application/json",
                ]
                let answer = try await client.send(
                    client.request("PATCH", "/graph/v1.0/me", headers: fields, body: Data(body.utf8)))
                #expect(answer.status == 204, "\(answer)")
            }
            let first = try await client.redeem(signedUp.token, scope: scope)
            #expect(try size(first) == 44)
            try await change(#"{"extension_size":45,"preferredLanguage":"da-DK"}"#, with: first)
            let second = try await client.refresh(#require(first.text("refresh_token")), scope: scope)
            #expect(try size(second) == 45)
            let locale = try IdentityHTTPTests.claims(of: second.text("id_token"))["locale"]
            #expect(locale == "da-DK")
            let third = try await server.signIn(scope: "openid")
            #expect(try size(third) == 45)
            try await change(#"{"extension_size":46}"#, with: second)
            #expect(try await userinfo(third, on: server)["locale"] == "da-DK", "userinfo has the value of now")
            server.clock.advance(by: 1)
            let reset = try await client.redeem(server.reset().token, scope: scope)
            #expect(try size(reset) == 46)
            try await change(#"{"extension_size":null}"#, with: reset)
            #expect(try size(try await client.refresh(#require(reset.text("refresh_token")), scope: scope)) == nil)
        }
    }

    @Test("Claims that do not fit into 3,072 bytes are left out, voluntary ones first, and the token is usable")
    func sizes() async throws {
        let claims: [ApplicationClaim] = [
            .init(name: "street", attribute: "streetAddress", places: [.access]),
            .init(name: "member_number", attribute: "extension_memberNumber", places: [.access], isEssential: true),
            .init(name: "city", places: [.access]),
        ]
        try await withServer(claims) { server in
            // Each character of the street has three bytes; each one of the number is written as two.
            let street = String(repeating: "あ", count: 1_000)
            let number = String(repeating: #"\\"#, count: 250)
            let signedUp = try await server.signUp(
                with: nil,
                attributes(#"{"streetAddress":"\#(street)","extension_memberNumber":"\#(number)","city":"Ribe"}"#))
            let tokens = try await server.client().redeem(signedUp.token, scope: "openid")
            let access = try IdentityHTTPTests.claims(of: tokens.text("access_token"))
            #expect(access["street"] == nil && access["city"] == "Ribe")
            #expect(access["member_number"]?.string?.utf8.count == 250)
        }
        try await withServer([claims[0]]) { server in
            let street = String(repeating: "あ", count: 1_019)
            let signedUp = try await server.signUp(with: nil, attributes(#"{"streetAddress":"\#(street)"}"#))
            let tokens = try await server.client().redeem(signedUp.token, scope: "openid")
            let access = try IdentityHTTPTests.claims(of: tokens.text("access_token"))
            #expect(access["street"]?.string == street, "3,069 bytes")
            #expect(try await userinfo(tokens, on: server).status == 200, "the longest token is read")
        }
    }

    @Test("A claim's own name is checked, so that no attribute states what the server states")
    func faults() {
        func faults(_ claims: ApplicationClaim...) -> [String] {
            ApplicationClaim.faults(of: claims, with: Self.attributes).map(\.sentence)
        }
        for name in [
            "iss", "sub", "aud", "exp", "oid", "OID", "tid", "scp", "roles", "acr", "amr", "nonce", "sid", "ver",
        ] {
            #expect(faults(.init(name: name, attribute: "city")).first?.contains("server's own") == true, "\(name)")
        }
        for name in ["", "a b", "ø", "a\"", "a\\", String(repeating: "a", count: 129)] {
            #expect(faults(.init(name: name, attribute: "city")).first?.contains("ASCII") == true, "\(name)")
        }
        #expect(faults(.init(name: "email", attribute: "city")).first?.contains("always from “mail”") == true)
        #expect(faults(.init(name: "Email", attribute: "city")).first?.contains("spelt “email”") == true)
        #expect(faults(.init(name: "email"), .init(name: "name"), .init(name: "mail")).isEmpty)
        #expect(faults(.init(name: "colour")).first?.contains("no attribute") == true)
        #expect(faults(.init(name: "city"), .init(name: "City", attribute: "city")).first?.contains("twice") == true)
        let many = (0...20).map { ApplicationClaim(name: "c\($0)", attribute: "city") }
        #expect(ApplicationClaim.faults(of: many, with: Self.attributes).map(\.index) == [20])
        #expect(ApplicationClaim.faults(of: Array(many.dropLast()), with: Self.attributes).isEmpty)
    }
}
