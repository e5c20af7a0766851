import IdentityEngine
import IdentityHooks
import IdentityStoreSQL
import Logging
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// What users allow at Apple ends there with the identity (`SEC-FED-14`).
@Suite("Providers: revocation")
struct ProviderGrantTests {
    private let tenant = TenantDirectory.development.entries[0].tenant.id

    /// The courier of a server, with the tenant's provider as it is now.
    private func courier(
        _ server: ProviderServer, provider: IdentityProvider? = nil, hasProvider: Bool = true
    ) -> RevocationCourier {
        let (engine, known) = (server.server.engine, provider ?? server.apple.withKey)
        return RevocationCourier(
            store: server.server.store, providers: engine.ports.identities,
            grant: { await engine.grant($0.grant, of: $0.method, in: $0.tenant, now: $1) },
            provider: { issuer, _ in hasProvider && issuer == known.issuer ? known : nil },
            clock: ManualWallClock(manual: server.server.clock),
            logger: Logger(label: "courier", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// A sign-in with Apple's code, as an app sends it.
    private func signIn(_ server: ProviderServer, code: String? = nil) async throws -> WireAnswer {
        let asked = try await server.challenge()
        let nonce = try #require(asked.text("nonce"))
        return try await server.token(
            try server.apple.idToken(nonce: nonce), try asked.token, [("authorization_code", code ?? nonce)])
    }

    private func waiting(_ server: ProviderServer) async throws -> Int {
        try await server.server.count("SELECT COUNT(*) FROM revocations")
    }

    private func delete(_ server: ProviderServer) async throws {
        let user = try #require(try await server.server.storedUsers().first).id
        #expect(
            try await server.server.store.change(
                user, in: tenant,
                [.deleteUser(user, mark: Data(user.uuid.uuidString.utf8), at: server.server.clock.now)]))
    }

    private func trail(_ server: ProviderServer) async throws -> [String] {
        try await server.server.rows("SELECT detail FROM audit WHERE kind = 'identity.revoked' ORDER BY seq")
            .map { $0[0] ?? "" }
    }

    @Test("SEC-FED-14: a suspended identity that comes back without a code keeps what can be revoked")
    func suspended() async throws {
        let server = try ProviderServer(withKey: true)
        #expect(try await signIn(server).status == 200)
        let method = try #require(try await server.account().identities.first)
        let user = try await server.account().user.id
        #expect(
            try await server.server.store.change(
                user, in: tenant, [.setSuspension([method.id], of: user, server.server.clock.now)]))
        let required = try await server.signIn()
        let sent = try await server.client.signInChallenge(required.token)
        let back = try await server.client.token(
            code: server.server.mailbox.code(to: "dana@example.com"), sent.token)
        #expect(back.status == 200, "\(back)")
        #expect(try await server.account().identities.first?.suspendedAt == nil)
        #expect(try await waiting(server) == 0)
        try await delete(server)
        #expect(try await waiting(server) == 1)
        await courier(server).serve()
        #expect(server.apple.revoked.count == 1)
        #expect(try await waiting(server) == 0)
    }

    @Test("SEC-FED-14: the token of an app's sign-in is kept sealed, and revoked when the account is deleted")
    func deletion() async throws {
        let server = try ProviderServer(withKey: true)
        #expect(try await signIn(server).status == 200)
        let stored = try await server.server.rows("SELECT hex(secret), identity FROM strong_methods")
        let token = server.apple.refreshToken(of: TestIdentityProvider.client)
        let sealed = try #require(stored.first?[0])
        let clear = Data(token.utf8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        #expect(sealed.count > 100 && !sealed.contains(clear))
        #expect(stored.first?[1]?.contains("grant") == false)
        // A second sign-in keeps what there is; another account's code counts for nothing.
        #expect(try await signIn(server).status == 200)
        #expect(try await server.server.rows("SELECT hex(secret), identity FROM strong_methods") == stored)
        try await delete(server)
        #expect(try await waiting(server) == 1 && server.apple.revoked.isEmpty)
        await courier(server).serve()
        #expect(server.apple.revoked == [token])
        #expect(try await waiting(server) == 0)
        #expect(try await trail(server) == ["apple"])
    }

    @Test(
        "SEC-FED-14: the code of another account, one that is refused, and a server without a key keep nothing, and sign in"
    )
    func nothingKept() async throws {
        let server = try ProviderServer(withKey: true)
        server.apple.exchangedSubject = "another"
        #expect(try await signIn(server).status == 200)
        server.apple.exchangedSubject = nil
        #expect(try await server.server.count("SELECT COUNT(*) FROM strong_methods WHERE secret IS NOT NULL") == 0)
        // A later sign-in brings what the first one lacked.
        #expect(try await signIn(server).status == 200)
        #expect(try await server.server.count("SELECT COUNT(*) FROM strong_methods WHERE secret IS NOT NULL") == 1)
        let keyless = try ProviderServer()
        #expect(try await signIn(keyless).status == 200)
        #expect(try await keyless.server.count("SELECT COUNT(*) FROM strong_methods WHERE secret IS NOT NULL") == 0)
        try await delete(keyless)
        #expect(try await waiting(keyless) == 0)
        let long = try await signIn(server, code: String(repeating: "a", count: 1_025))
        #expect(long.text("error") == "invalid_request", "\(long)")
    }

    @Test(
        "SEC-FED-14: removal by the user ends it too; who links the same identity again keeps what the user allows now")
    func unlinking() async throws {
        let server = try ProviderServer(withKey: true)
        #expect(try await signIn(server).status == 200)
        let account = try await server.account()
        let method = try #require(account.identities.first)
        let user = account.user.id
        #expect(try await server.server.store.change(user, in: tenant, [.removeStrongMethods([method.id], of: user)]))
        #expect(try await waiting(server) == 1)
        // Linked again, before the courier came.
        let sent = try await server.client.signInChallenge(try await signIn(server).token)
        let linked = try await server.client.token(
            code: server.server.mailbox.code(to: "dana@example.com"), sent.token)
        #expect(linked.status == 200, "\(linked)")
        #expect(try await waiting(server) == 0)
        await courier(server).serve()
        #expect(server.apple.revoked.isEmpty)
        let again = try #require(try await server.account().identities.first)
        #expect(again.id != method.id && again.identity?.grant != nil)
        #expect(try await server.server.store.change(user, in: tenant, [.removeStrongMethods([again.id], of: user)]))
        await courier(server).serve()
        #expect(server.apple.revoked.count == 1)
    }

    @Test("SEC-FED-14: what Apple does not take is tried nine times in eight days, then given up in the trail")
    func retries() async throws {
        let server = try ProviderServer(withKey: true)
        #expect(try await signIn(server).status == 200)
        try await delete(server)
        server.apple.refusesRevocation = true
        for wait in RevocationCourier.waits {
            await courier(server).serve()
            #expect(try await waiting(server) == 1)
            await courier(server).serve()
            server.server.clock.advance(by: Duration.seconds(Int(wait)))
        }
        #expect(RevocationCourier.waits.reduce(0, +) < 8 * 86_400)
        await courier(server).serve()
        #expect(try await waiting(server) == 0 && server.apple.revocations == 9)
        #expect(try await trail(server) == ["https://appleid.apple.com, given up"])
        // A tenant without the provider waits too: it may come back.
        let other = try ProviderServer(withKey: true)
        #expect(try await signIn(other).status == 200)
        try await delete(other)
        await courier(other, hasProvider: false).serve()
        #expect(try await waiting(other) == 1)
        other.server.clock.advance(by: Duration.seconds(10))
        await courier(other).serve()
        #expect(try await waiting(other) == 0 && other.apple.revoked.count == 1)
    }

    @Test("SEC-FED-14: a grant opens for its own method alone")
    func sealedForItsMethod() async throws {
        let server = try ProviderServer(withKey: true)
        #expect(try await signIn(server).status == 200)
        let method = try #require(try await server.account().identities.first)
        let sealed = try #require(method.identity?.grant)
        let now = server.server.clock.now
        #expect(
            await server.server.engine.grant(sealed, of: method.id, in: tenant, now: now)
                == ProviderGrant(
                    issuer: server.apple.provider.issuer, client: TestIdentityProvider.client,
                    token: Secret(server.apple.refreshToken(of: TestIdentityProvider.client))))
        #expect(await server.server.engine.grant(sealed, of: UUID(), in: tenant, now: now) == nil)
        #expect(await server.server.engine.grant(Data(sealed.dropLast()), of: method.id, in: tenant, now: now) == nil)
    }

    private func tell(_ notice: String, _ server: ProviderServer, to path: String = "apple") async throws -> Int {
        let client = server.server.client()
        let request = try client.request(
            "POST", "/contoso/federation/\(path)/notices", headers: ["content-type": "application/json"],
            body: Data(#"{"payload":"\#(notice)"}"#.utf8))
        return try await client.send(request).status
    }

    @Test(
        "SEC-FED-14, SEC-FED-16: a notice of Apple's removes the identity, ends the sessions and tells the mailbox, once",
        arguments: ["consent-revoked", "account-delete", "account-deleted"])
    func notices(_ type: String) async throws {
        let server = try ProviderServer(withKey: true)
        let tokens = try await signIn(server)
        let refresh = try #require(tokens.text("refresh_token"))
        let notice = try server.apple.notice(type)
        for _ in 0..<2 { #expect(try await tell(notice, server) == 200) }
        #expect(try await server.account().identities.isEmpty)
        #expect(try await server.client.refresh(refresh).status == 400)
        #expect(
            try await server.server.rows("SELECT detail FROM audit WHERE kind = 'mfa.removed'")
                == [["1 by provider, apple"]])
        let mails = try await server.server.mailbox.mails().filter { $0.purpose == .methodRemoved }
        #expect(mails.count == 1 && mails.first?.to == "dana@example.com")
        // The account stays, with its mailbox, and the same person comes back by a proof of it.
        #expect(try await server.server.signInWithCode("dana@example.com").status == 200)
        let again = try await signIn(server)
        #expect(again.text("suberror") == "link_required", "\(again)")
        let sent = try await server.client.signInChallenge(again.token)
        server.server.clock.advance(by: Duration.seconds(1))
        #expect(
            try await server.client.token(code: server.server.mailbox.code(to: "dana@example.com"), sent.token).status
                == 200)
        // What happened before the new link is no word about it.
        #expect(try await tell(notice, server) == 200)
        #expect(try await server.account().identities.count == 1)
    }

    @Test("SEC-FED-14: forged, foreign and unknown notices change nothing")
    func forgedNotices() async throws {
        let server = try ProviderServer(withKey: true)
        #expect(try await signIn(server).status == 200)
        let before = try await server.server.rows("SELECT id FROM strong_methods")
        let other = TestIdentityProvider(.apple)
        other.person.subject = server.apple.person.subject
        let good = try server.apple.notice("consent-revoked")
        let forged = [
            try other.notice("consent-revoked"),
            try server.apple.notice("consent-revoked", claims: ["iss": .string("https://x.test")]),
            try server.apple.notice("consent-revoked", claims: ["aud": .string("com.example.other")]),
            try server.apple.notice("consent-revoked", claims: ["iat": .integer(1_900_000_000)]),
            try server.apple.notice("consent-revoked", claims: ["events": .string("{}")]),
            try server.apple.notice("consent-revoked", claims: ["events": .null]), "x", "", "a.b.c",
            String(good.dropLast(2)),
            // A token of a sign-in is no notice.
            try server.apple.idToken(nonce: "n"),
        ]
        for notice in forged { #expect(try await tell(notice, server) == 400, "\(notice)") }
        for notice in [try server.apple.notice("email-disabled"), try server.apple.notice("email-enabled")] {
            #expect(try await tell(notice, server) == 200)
        }
        server.apple.person.subject = "subject-without-an-account"
        #expect(try await tell(try server.apple.notice("consent-revoked"), server) == 200)
        for path in ["google", "apple%2F..", "x"] { #expect(try await tell(good, server, to: path) == 404, "\(path)") }
        #expect(try await server.server.rows("SELECT id FROM strong_methods") == before)
        // A notice is no token of a sign-in either.
        let asked = try await server.challenge()
        let answer = try await server.token(
            try server.apple.notice("consent-revoked", claims: ["nonce": .string(asked.text("nonce") ?? "")]),
            try asked.token)
        #expect(answer.text("suberror") == "id_token_invalid", "\(answer)")
        let down = try ProviderServer(withKey: true)
        down.apple.isDown = true
        #expect(try await tell(try down.apple.notice("consent-revoked"), down) == 503)
    }
}
