import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@Suite("The second factor over HTTP") struct SecondFactorTests {
    private func expectSecondFactor(_ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        expectError(
            answer, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true,
            sourceLocation: sourceLocation)
    }

    @Test("docs/protocol.md §4.5–§4.7, §8.3: the replies of a second factor have these members exactly")
    func replies() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            expectSecondFactor(required)
            let listed = try await client.introspect(required.token)
            expectSuccess(listed, ["continuation_token", "methods"])
            let method = try #require(listed["methods"]?.array.first)
            #expect(listed["methods"]?.array.count == 1)
            let id = try #require(method["id"]?.string)
            #expect(UUID(uuidString: id) != nil)
            let hint = try #require(method["login_hint"]?.string)
            #expect(
                method == [
                    "id": .string(id), "challenge_type": "oob", "challenge_channel": "email",
                    "login_hint": .string(hint),
                ])
            #expect(hint.contains("*") && !hint.contains("private"), "masked: \(hint)")
            let sent = try await client.signInChallenge(listed.token, id: id)
            expectSuccess(
                sent,
                [
                    "continuation_token", "challenge_type", "binding_method", "challenge_channel",
                    "challenge_target_label", "code_length", "interval",
                ])
            #expect(sent["challenge_target_label"] == .string(hint))
            #expect(sent["code_length"] == 8 && sent["challenge_type"] == "oob")
            let mail = try #require(try await server.mailbox.mails().first)
            #expect(mail.to == IdentityTestServer.contact && mail.purpose == .secondFactor)
            let tokens = try await client.token(
                code: #require(mail.code), sent.token, grant: "mfa_oob", claims: WireClient.claims)
            #expect(tokens.status == 200, "\(tokens)")
            let access = try claims(of: tokens.text("access_token"))
            #expect(access["acrs"] == ["c1"] && access["acr"] == "mfa" && access["amr"] == ["pwd", "otp", "mfa"])
            let identity = try claims(of: tokens.text("id_token"))
            #expect(identity["acr"] == "mfa" && identity["amr"] == ["pwd", "otp", "mfa"])
            #expect(try await server.audited(.secondFactorPassed) == 1)
            #expect(try await server.detail(ofLast: .signInSucceeded) == "pwd, otp, mfa")
        }
    }

    @Test(
        "docs/protocol.md §16 row 2: the code of the second factor is taken with the grant oob as well",
        arguments: ["oob", "mfa_oob"])
    func bothGrants(_ grant: String) async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let required = try await server.signIn(claims: WireClient.claims)
            let sent = try await server.secondFactorChallenge(required.token)
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            for wrong in wrongCodes(2, besides: code) {
                expectError(
                    try await server.passwordClient.token(
                        code: wrong, sent.token, grant: grant, claims: WireClient.claims),
                    "invalid_grant", 50_181, suberror: "invalid_oob_value")
            }
            let tokens = try await server.passwordClient.token(
                code: code, sent.token, grant: grant, claims: WireClient.claims)
            #expect(tokens.status == 200, "\(tokens)")
            #expect(try await server.audited(.secondFactorFailed) == 2)
        }
    }

    @Test(
        "docs/protocol.md §16 row 35: without an id the oldest method is meant, also before introspect; an unknown id is refused"
    )
    func idsOfMethods() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            for unknown in ["email", "00000000-0000-0000-0000-000000000000", "x"] {
                expectError(try await client.signInChallenge(required.token, id: unknown), "invalid_request", 90_100)
            }
            for bad in ["", String(repeating: "a", count: 65)] {
                expectError(try await client.signInChallenge(required.token, id: bad), "invalid_request", 90_100)
            }
            let sent = try await client.signInChallenge(required.token)
            let code = try await server.mailbox.code(to: IdentityTestServer.contact)
            let tokens = try await client.token(code: code, sent.token, grant: "mfa_oob", claims: WireClient.claims)
            #expect(tokens.status == 200, "\(tokens)")
        }
    }

    @Test("SEC-MFA-2: a wrong password sends no code of the second factor, and says nothing of it")
    func wrongPasswordsSendNothing() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let mails = try await server.mailbox.mails().count
            let client = server.passwordClient
            let wanted = try await client.signInChallenge(client.initiate().token)
            for number in 1...5 {
                expectError(
                    try await client.token(password: "Wrong-Wrong#\(number)", wanted.token, claims: WireClient.claims),
                    "invalid_grant", 50_126)
                expectError(try await client.introspect(wanted.token), "invalid_request", 55_200)
            }
            _ = try await client.token(wanted.token, claims: WireClient.claims)
            #expect(try await server.mailbox.mails().count == mails, "nor does a right one: the client asks for it")
        }
    }

    @Test(
        "SEC-MFA-1: claims, application and user flow demand a second factor, each alone",
        arguments: [
            (IdentityTestServer.Application.emailPassword.rawValue, WireClient.claims, ["c1"]),
            (FactorDirectory.application, nil, nil), (FactorDirectory.userFlow, nil, nil),
            (FactorDirectory.userFlow, WireClient.claims, ["c1"]),
        ] as [(String, String?, [String]?)])
    func whoDemands(_ application: String, _ claimsRequest: String?, _ contexts: [String]?) async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod()
        #expect(try await server.signIn().status == 200, "it is not required here")
        let client = server.client(id: application)
        expectSecondFactor(try await server.signIn(claims: claimsRequest, with: client))
        let tokens = try await server.signInWithSecondFactor(claims: claimsRequest, with: client)
        #expect(tokens.status == 200, "\(tokens)")
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["acr"] == "mfa")
        #expect(access["acrs"] == contexts.map { .array($0.map { .string($0) }) })
    }

    @Test("docs/protocol.md §4.7: a claims request that demands nothing of the access token demands no second factor")
    func claimsThatDemandNothing() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            for harmless in [
                "{}", #"{"access_token":{}}"#, #"{"id_token":{"email":null}}"#,
                #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#,
            ] {
                #expect(try await server.signIn(claims: harmless).status == 200, "\(harmless)")
            }
            let client = server.passwordClient
            let wanted = try await client.signInChallenge(client.initiate().token)
            for bad in ["", "[]", "c1", #"{"access_token":1}"#, "{", String(repeating: " ", count: 3_000)] {
                expectError(try await client.token(wanted.token, claims: bad), "invalid_request", 90_100, "\(bad)")
            }
            let several = #"{"access_token":{"acrs":{"essential":true,"values":["c1","c2"]}}}"#
            let tokens = try await server.signInWithSecondFactor(claims: several)
            #expect(try claims(of: tokens.text("access_token"))["acrs"] == ["c1", "c2"])
        }
    }

    @Test("SEC-MFA-5: without the capability the client is sent to the web with the reason, and gets no token")
    func missingCapability() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            try await server.signUpWithPassword("eve@example.com", alias: "eve.k")
            for (user, capabilities, missing) in [
                ("dana@example.com", nil, "mfa_required"),
                ("dana@example.com", "registration_required", "mfa_required"),
                ("eve@example.com", nil, "registration_required"),
                ("eve@example.com", "mfa_required", "registration_required"),
            ] {
                let families = try await server.count("SELECT COUNT(*) FROM refresh_families")
                expectRedirect(
                    try await server.signIn(user, claims: WireClient.claims, capabilities: capabilities),
                    "Client is missing \(missing) capability")
                #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == families)
            }
        }
    }

    @Test("docs/protocol.md §4.7: a user without a password has no second factor, and is sent to the web")
    func codeUsers() async throws {
        for (offersMethods, reason) in [
            (true, "Client is missing totp challenge type"),
            (false, "The user has no password, and a second factor needs one"),
        ] {
            var entry = try #require(try FactorDirectory.directory().entries.first)
            if !offersMethods { (entry.tenant.offersApps, entry.tenant.passkeys) = (false, nil) }
            let directory = TenantDirectory([entry])
            let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
                ports.clients = directory
            }
            _ = try await server.signUp()
            expectRedirect(try await server.signInWithCode(claims: WireClient.claims), reason)
            expectRedirect(
                try await server.signInWithCode(with: server.client(id: FactorDirectory.oneTimePasscode)), reason)
            #expect(try await server.signInWithCode().status == 200)
        }
    }

    @Test("SEC-MFA-1: a refresh states what the sign-in has proven, and one that asks for more is refused with 50076")
    func refreshes() async throws {
        let server = try FactorDirectory.server()
        try await server.signUpWithStrongMethod()
        let client = server.passwordClient
        let strong = try await server.signInWithSecondFactor()
        var refreshToken = try #require(strong.text("refresh_token"))
        for claimsRequest in [nil, WireClient.claims] {
            let fields: Fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
            let answer = try await client.post(.token, fields + (claimsRequest.map { [("claims", $0)] } ?? []))
            #expect(answer.status == 200, "\(answer)")
            let access = try claims(of: answer.text("access_token"))
            #expect(access["acrs"] == ["c1"] && access["acr"] == "mfa" && access["amr"] == ["pwd", "otp", "mfa"])
            refreshToken = try #require(answer.text("refresh_token"))
        }
        // A context that the sign-in did not ask for, of as much proof; it is of this one answer.
        let other = WireClient.claims.replacing("c1", with: "c2")
        let wider = try await client.post(
            .token, [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("claims", other)])
        #expect(try claims(of: wider.text("access_token"))["acrs"] == ["c1", "c2"], "\(wider)")
        let later = try await client.refresh(#require(wider.text("refresh_token")))
        #expect(try claims(of: later.text("access_token"))["acrs"] == ["c1"], "\(later)")
        refreshToken = try #require(later.text("refresh_token"))
        let weak = try await server.signIn()
        let weakToken = try #require(weak.text("refresh_token"))
        expectError(
            try await client.post(
                .token, [("grant_type", "refresh_token"), ("refresh_token", weakToken), ("claims", WireClient.claims)]),
            "invalid_grant", 50_076)
        #expect(try await client.refresh(weakToken).status == 200, "the refusal did not use the token up")
        #expect(try await client.refresh(refreshToken).status == 200)
    }

    @Test("SEC-CT-1, SEC-MFA-1: a token of the first factor is worth no tokens, whatever it is presented as")
    func noWayAround() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            let listed = try await client.introspect(required.token)
            let sent = try await client.signInChallenge(listed.token)
            for token in try [required.token, listed.token, sent.token] {
                #expect(try await client.redeem(token).text("error") == "invalid_request")
                #expect(try await client.token(token).text("error") == "invalid_request", "without the claims")
                #expect(try await client.registerIntrospect(token).text("error") == "invalid_request")
                #expect(
                    try await client.registerChallenge(token, contact: "eve@example.com").text("error")
                        == "invalid_request")
            }
        }
    }

    @Test("SEC-CT-5: a token of a proven flow lives 600 s")
    func lifetime() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let required = try await server.signIn(claims: WireClient.claims)
            server.clock.advance(by: 599)
            let listed = try await server.passwordClient.introspect(required.token)
            #expect(listed.status == 200)
            server.clock.advance(by: 1)
            expectError(try await server.passwordClient.introspect(required.token), "expired_token", 552_003)
            #expect(try await server.passwordClient.introspect(listed.token).status == 200, "the newer one lives on")
        }
    }

    @Test("SEC-OTP-4: one flow sends five codes, those of both factors together")
    func fiveCodes() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithStrongMethod()
            let client = server.passwordClient
            let required = try await server.signIn(claims: WireClient.claims)
            for _ in 0..<5 { #expect(try await client.signInChallenge(required.token).status == 200) }
            expectError(try await client.signInChallenge(required.token), "invalid_request", 701_014)
            expectError(try await client.introspect(required.token), "invalid_request", 55_200)
        }
    }
}
