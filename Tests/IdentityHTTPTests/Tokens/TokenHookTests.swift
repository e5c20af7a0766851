import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// The hook that gives claims to tokens (docs/protocol.md §20), over the wire.
@Suite("Claims from a hook") struct TokenHookTests {
    private static let hook = Hook.fixture(
        .tokenIssuanceStart,
        claims: [
            HookClaim(name: "tier"), HookClaim(name: "groups_of_app", member: "groups", places: [.access]),
            HookClaim(name: "absent"),
        ])
    private static let answer: [String: ClaimValue] = [
        "tier": .one("gold"), "groups": .texts(["a", "b"]), "Tier": .one("x"), "unlisted": .one("x"),
    ]

    private func sign(_ server: IdentityTestServer, scope: String = "openid offline_access") async throws -> WireAnswer
    {
        try await server.client().redeem(server.signUp().token, scope: scope)
    }

    @Test(
        "SEC-HOOK-2: tokens have the listed claims in their places, at sign-up, sign-in and refresh, and nothing else")
    func places() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            receiver.script.claims = .success(Self.answer)
            let first = try await sign(server)
            let client = server.client()
            let refreshed = try await client.refresh(try #require(first.text("refresh_token")))
            let sent = try await client.signInChallenge(client.initiate().token)
            let signedIn = try await client.token(code: server.mailbox.code(to: "dana@example.com"), sent.token)
            for answer in [first, refreshed, signedIn] {
                let id = try claims(of: answer.text("id_token"))
                let access = try claims(of: answer.text("access_token"))
                #expect(id["tier"] == "gold" && id["groups_of_app"] == nil)
                #expect(access["tier"] == "gold" && access["groups_of_app"] == .array(["a", "b"]))
                #expect(Set(id.keys).union(access.keys).isDisjoint(with: ["Tier", "unlisted", "absent", "groups"]))
            }
            let asked = receiver.asked()
            #expect(asked.count == 3)
            guard case .claims(let user)? = asked.first else { return #expect(Bool(false), "\(asked)") }
            #expect(user.email == "dana@example.com")
            let call = try #require(receiver.script.calls.first)
            #expect(call.clientName == "One-time passcode" && call.domain == "contoso.onmicrosoft.com")
        }
    }

    @Test("SEC-HOOK-1: a wrong code, a wrong password, a spent token and a token of another flow ask no receiver")
    func onlyProvenUsers() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            let (client, secret) = (server.client(), server.client(.emailPassword))
            let tokens = try await sign(server)
            let spent = try #require(tokens.text("refresh_token"))
            _ = try await client.refresh(spent)
            _ = receiver.asked()
            let sent = try await client.signInChallenge(client.initiate().token)
            #expect(try await client.token(code: "00000000", sent.token).status == 400)
            let started = try await secret.signInChallenge(secret.initiate().token)
            #expect(try await secret.token(password: "Wrong-Winter#82", started.token).status == 400)
            server.clock.advance(by: 60)
            #expect(try await client.refresh(spent)["error"] == "invalid_grant")
            #expect(try await client.redeem("made-up").status == 400)
            #expect(receiver.asked() == [])
        }
    }

    @Test("SEC-HOOK-1: the same request again gets the same bytes, and asks no receiver a second time")
    func repeats() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            receiver.script.claims = .success(Self.answer)
            let client = server.client()
            let signedUp = try await server.signUp()
            let redeemed = try await client.redeem(signedUp.token)
            receiver.script.claims = .success(["tier": .one("silver")])
            #expect(try await client.redeem(signedUp.token) == redeemed)
            let sent = try await client.signInChallenge(client.initiate().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            let first = try await client.token(code: code, sent.token)
            #expect(first.status == 200)
            #expect(try await client.token(code: code, sent.token) == first)
            #expect(receiver.asked().count == 2)
        }
    }

    @Test("SEC-HOOK-1: a password that is sent again gets the same tokens, also when the receiver failed at first")
    func repeatedPassword() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            let client = server.client(.emailPassword)
            try await server.signUpWithPassword("dana@example.com", alias: nil)
            receiver.script.claims = .failure(.timedOut)
            let wanted = try await client.signInChallenge(client.initiate().token)
            for _ in 0..<2 { #expect(try await client.token(wanted.token).status == 503) }
            receiver.script.claims = .success(Self.answer)
            let first = try await client.token(wanted.token)
            #expect(try claims(of: first.text("access_token"))["tier"] == "gold", "\(first)")
            _ = receiver.asked()
            #expect(try await client.token(wanted.token) == first)
            #expect(receiver.asked() == [])
        }
    }

    @Test("SEC-HOOK-1: a refresh that is sent again gets its answer again, whatever the receiver's state")
    func repeatedRefresh() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            let client = server.client()
            let tokens = try await sign(server)
            let refresh = try #require(tokens.text("refresh_token"))
            let first = try await client.refresh(refresh)
            _ = receiver.asked()
            receiver.script.claims = .failure(.timedOut)
            #expect(try await client.refresh(refresh) == first)
            #expect(receiver.asked() == [])
        }
    }

    @Test(
        "SEC-HOOK-3: a failure ends the step with 503 and changes nothing but the proof; the same request then succeeds"
    )
    func blocks() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            let client = server.client()
            let tokens = try await sign(server)
            receiver.script.claims = .failure(.timedOut)
            let refresh = try #require(tokens.text("refresh_token"))
            let refused = try await client.refresh(refresh)
            #expect(refused.status == 503 && refused.headers["retry-after"] != nil, "\(refused)")
            let sent = try await client.signInChallenge(client.initiate().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            #expect(try await client.token(code: code, sent.token).status == 503)
            let sessions = try await server.count("SELECT COUNT(*) FROM refresh_families")
            #expect(sessions == 1)
            receiver.script.claims = .success(["tier": .one("gold")])
            let signedIn = try await client.token(code: code, sent.token)
            #expect(try claims(of: signedIn.text("access_token"))["tier"] == "gold")
            #expect(try await client.refresh(refresh).status == 200)
        }
    }

    @Test("SEC-HOOK-3: a hook that may fail gives tokens without its claims")
    func proceeds() async throws {
        var hook = Self.hook
        hook.onFailure = .proceed
        try await withHooks([hook]) { server, receiver in
            receiver.script.claims = .failure(.unreachable)
            let answer = try await sign(server)
            #expect(answer.status == 200)
            #expect(try claims(of: answer.text("access_token"))["tier"] == nil)
        }
    }

    @Test("SEC-HOOK-2: claims that do not fit beside the application's own are a failure")
    func size() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            receiver.script.claims = .success(["tier": .one(.string(String(repeating: "x", count: 3_000)))])
            let answer = try await sign(server)
            #expect(answer.status == 200)
            // Each character is six bytes of JSON.
            receiver.script.claims = .success(["tier": .one(.string(String(repeating: "\u{1}", count: 520)))])
            let client = server.client()
            let signedUp = try await server.signUp("eve@example.com")
            #expect(try await client.redeem(signedUp.token).status == 503)
        }
    }

    @Test("A hook of other applications is not asked")
    func otherApplications() async throws {
        var hook = Self.hook
        hook.applications = [try #require(ClientID(IdentityTestServer.Application.emailPassword.rawValue))]
        try await withHooks([hook]) { server, receiver in
            let answer = try await sign(server)
            #expect(answer.status == 200)
            #expect(receiver.asked() == [])
        }
    }

    @Test("SEC-HOOK-4: a step that waits for a receiver is no load: newcomers come in beside it")
    func waiting() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            let admission = StepAdmission(limit: 1, newcomers: 1)
            let policy = AccessPolicy(admission: admission)
            receiver.script.load = admission
            let client = WireClient(
                transport: InProcessTransport(routes: server.routes(), within: policy),
                clientID: server.client().clientID)
            let signedUp = try await server.signUp()
            let (gate, opener) = AsyncStream.makeStream(of: Void.self)
            let (entries, entered) = AsyncStream.makeStream(of: Void.self)
            receiver.script.beforeClaims = {
                entered.yield()
                for await _ in gate { break }
            }
            async let waiting = client.redeem(signedUp.token)
            for await _ in entries { break }
            let others = try await (client.start("eve@example.com"), client.start("mia@example.com"))
            #expect(others.0.status == 200 && others.1.status == 200, "\(others)")
            opener.finish()
            #expect(try await waiting.status == 200)
            #expect(try await client.start("ann@example.com").status == 200)
        }
    }

    @Test("A second factor comes before the receiver, and the tokens after it have its claims")
    func secondFactor() async throws {
        try await withHooks([Self.hook]) { server, receiver in
            receiver.script.claims = .success(Self.answer)
            let client = server.client(.emailPassword)
            let signedUp = try await server.signUpWithPassword("dana@example.com", alias: nil)
            let registration = try await client.token(redeeming: signedUp.token)
            #expect(registration["suberror"] == "registration_required" && receiver.asked() == [])
            let contact = try await client.registerChallenge(registration.token, contact: "other@example.com")
            let done = try await client.registerContinue(
                contact.token, code: server.mailbox.code(to: "other@example.com"))
            #expect(receiver.asked() == [])
            let tokens = try await client.token(redeeming: done.token)
            #expect(try claims(of: tokens.text("access_token"))["tier"] == "gold", "\(tokens)")
            let started = try await client.signInChallenge(client.initiate().token)
            let needed = try await client.token(password: WireClient.password, started.token, claims: WireClient.claims)
            #expect(needed["suberror"] == "mfa_required" && receiver.asked().count == 1)
            let sent = try await server.secondFactorChallenge(needed.token, with: client)
            let signedIn = try await client.token(
                code: server.mailbox.code(to: "other@example.com"), sent.token, grant: "mfa_oob",
                claims: WireClient.claims)
            let access = try claims(of: signedIn.text("access_token"))
            #expect(access["tier"] == "gold" && access["acrs"] == .array(["c1"]))
            #expect(receiver.asked().count == 1)
        }
    }
}
