import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Sign-in by a provider at the native endpoints.
@Suite("Providers: the endpoints")
struct ProviderTests {
    @Test("REL-IDEM: a repeated request of a sign-in by a provider gets the same bytes, new user or known")
    func repeated() async throws {
        let server = try ProviderServer()
        for _ in 0..<2 {
            let asked = try await server.challenge()
            let token = try server.apple.idToken(nonce: try #require(asked.text("nonce")))
            let first = try await server.token(token, try asked.token)
            let second = try await server.token(token, try asked.token)
            #expect(first.status == 200 && first.text("access_token") != nil, "\(first)")
            #expect(second.body == first.body, "\(second)")
            // Another request with the spent token is another matter.
            let other = try await server.token(
                try server.apple.idToken(nonce: try #require(asked.text("nonce"))), try asked.token)
            #expect(other.text("error") == "invalid_request", "\(other)")
        }
        #expect(try await server.server.storedUsers().count == 1)
    }

    @Test(
        "SEC-FED-3: a wrong token spends the nonce: the right one that follows is refused, until there is a new nonce")
    func spent() async throws {
        let server = try ProviderServer()
        let asked = try await server.challenge()
        let nonce = try #require(asked.text("nonce"))
        let wrong = try await server.token(
            try server.apple.idToken(nonce: nonce, claims: ["aud": .string("com.example.other")]), try asked.token)
        #expect(wrong.text("suberror") == "id_token_invalid", "\(wrong)")
        let late = try await server.token(try server.apple.idToken(nonce: nonce), try asked.token)
        #expect(late.status == 400 && late.text("access_token") == nil, "\(late)")
        #expect(try await server.server.storedUsers().isEmpty)
        let again = try await server.client.post(.signInChallenge, [("continuation_token", try asked.token)])
        let right = try await server.token(
            try server.apple.idToken(nonce: try #require(again.text("nonce"))), try again.token)
        #expect(right.status == 200, "\(right)")
    }

    @Test("SEC-FED-7: the id of another user's passkey takes no identity from a new user")
    func passkeyWithTheKey() async throws {
        let server = try ProviderServer()
        let (tenant, key) = (TenantDirectory.development.entries[0].tenant.id, server.identity.key)
        _ = try await server.server.signUp("eve@example.com")
        let eve = try #require(try await server.server.storedUsers().first).id
        let passkey = EnrolledPasskey(
            credentialID: key, userHandle: Data(repeating: 9, count: 32), publicKey: Data([1]),
            relyingPartyID: "example.org", signatureCount: 0, isBackupEligible: true, isBackedUp: false,
            authenticatorModel: Data(count: 16), transports: [])
        let planted = StrongMethod(
            id: UUID(), kind: .passkey(passkey), provenAt: server.server.clock.now, enrolment: Enrolment(.codes))
        #expect(try await server.server.store.change(eve, in: tenant, [.addStrongMethod(planted, to: eve)]))
        for _ in 0..<2 {
            let answer = try await server.signIn()
            #expect(answer.status == 200 && answer.text("access_token") != nil, "\(answer)")
        }
        #expect(try await server.server.storedUsers().count == 2)
    }

    @Test("SEC-FED-9: the step of a link is of no use to another user, to a sign-in, or for a second account")
    func foreignLink() async throws {
        var linking = try await DirectoryTable.Linking.asked()
        let server = linking.server.server
        _ = try await server.signUp("eve@example.com")
        let eve = try await server.signInWithCode("eve@example.com", scope: DirectoryTable.scope)
        let owner = linking.caller
        linking.caller.token = eve.text("access_token")
        let stolen = try await linking.confirm()
        #expect(stolen.status == 400 && stolen["error"]?["details"]?.array.first?["code"] == "ContinuationTokenInvalid")
        // At the endpoint of a sign-in it is no step of one.
        let asSignIn = try await linking.server.token(
            try linking.server.apple.idToken(nonce: linking.nonce), linking.token)
        #expect(asSignIn.status == 400 && asSignIn.text("access_token") == nil, "\(asSignIn)")
        linking.caller = owner
        let token = try linking.server.apple.idToken(nonce: linking.nonce)
        #expect(try await linking.confirm(token).status == 204)
        // A repeated request changes nothing more, and another token of the same nonce links nothing.
        #expect(try await linking.confirm(token).status == 204)
        linking.server.apple.person.subject = "second"
        #expect(try await linking.confirm().status == 400)
        let owners = try await server.storedUsers().map { $0.id }
        var linked = 0
        for user in owners {
            let account = try await server.store.account(user, in: TenantDirectory.development.entries[0].tenant.id)
            linked += account?.identities.count ?? 0
        }
        #expect(linked == 1)
    }

    @Test("SEC-ENR-7: an identity that a reset suspended comes back by a link of the owner")
    func suspended() async throws {
        var linking = try await DirectoryTable.Linking.asked()
        #expect(try await linking.confirm().status == 204)
        let (server, tenant) = (linking.server.server, TenantDirectory.development.entries[0].tenant.id)
        let method = try #require(try await linking.server.account().identities.first)
        let user = try await linking.server.account().user.id
        #expect(method.enrolment.strength == .mailbox)
        #expect(
            try await server.store.change(user, in: tenant, [.setSuspension([method.id], of: user, server.clock.now)]))
        try linking.take(try await linking.caller.send(.addIdentity))
        #expect(try await linking.confirm().status == 204)
        let now = try await linking.server.account().identities
        #expect(now.count == 1 && now.first?.suspendedAt == nil && now.first?.id == method.id)
    }

    @Test(
        "SEC-ENR-2: two factors of which a password alone enrolled one link nothing without a code to the own mailbox")
    func factorOfThePassword() async throws {
        let server = try ProviderServer(
            adjust: { $0.tenant.offersApps = true }, settings: { $0.enrolment = .compatible })
        server.apple.person.email = nil
        try await server.server.signUpWithPassword()
        // In this mode a thief of the password adds an app, and signs in with both.
        let app = try await TestApp.add(to: try await AccountCaller.withPassword(server.server))
        let strong = try AccountCaller(
            try await app.give(
                to: try await server.server.signIn(claims: WireClient.claims, scope: AccountCaller.scope),
                server.server.passwordClient, server.server, scope: AccountCaller.scope), server.server)
        for (operation, body) in [
            ("addIdentity", #"{"provider":"apple"}"#), ("addPasskey", "{}"),
            ("changeEmail", #"{"emailAddress":"thief@example.net"}"#),
        ] {
            let answer = try await strong.send("POST", AccountCaller.beta + "/nativeAuth.\(operation)", body)
            #expect(answer.status == 202 && answer.text("nonce") == nil && answer["publicKey"] == nil, "\(answer)")
            #expect(answer.text("targetLabel")?.hasPrefix("d") == true, "\(operation): \(answer)")
        }
    }

    @Test(
        "SEC-FED-10: an account that was never proven links nothing without a code, and its owner finds nothing of a stranger"
    )
    func neverProven() async throws {
        let linking = try await DirectoryTable.Linking.asked()
        let (server, tenant) = (linking.server.server, TenantDirectory.development.entries[0].tenant.id)
        let user = try await linking.server.account().user.id
        _ = try await server.rows("UPDATE identifiers SET proven_at = NULL")
        // What a stranger of that account had linked, under two factors of their own.
        linking.server.apple.person.subject = "stranger"
        let method = StrongMethod(
            id: UUID(), kind: .identity(linking.server.identity), provenAt: server.clock.now,
            enrolment: Enrolment(.twoFactors))
        #expect(try await server.store.change(user, in: tenant, [.addStrongMethod(method, to: user)]))
        linking.server.apple.person.subject = "owner"
        linking.server.apple.person.email = DirectoryTable.erik
        let required = try await linking.server.signIn()
        #expect(required.text("suberror") == "link_required", "\(required)")
        let sent = try await linking.server.client.signInChallenge(required.token)
        let owner = try await linking.server.client.token(
            code: server.mailbox.code(to: DirectoryTable.erik), sent.token)
        #expect(owner.status == 200, "\(owner)")
        #expect(try await linking.server.account().identities.map { $0.identity?.subject } == ["owner"])
        linking.server.apple.person.subject = "stranger"
        #expect(try await linking.server.signIn().text("access_token") == nil)
    }

    @Test("SEC-ENR-2, SEC-FED-17: a user of a provider gives a code to the mailbox before a method is registered")
    func registeringAfterAProvider() async throws {
        let application = IdentityTestServer.Application.emailOneTimePasscode
        let client = try #require(ClientID(application.rawValue))
        let world = try ProviderServer(application) { entry in
            entry.tenant.levels = [LevelRule(level: .mailed, applications: [client])]
            (entry.tenant.texts, entry.tenant.passkeys) = (nil, nil)
        }
        world.apple.person.email = "dana@example.com"
        func signIn(_ types: String) async throws -> WireAnswer {
            let asked = try await world.client.post(
                .signInChallenge, [("continuation_token", try await world.initiate(types: types).token)])
            return try await world.token(
                try world.apple.idToken(nonce: try #require(asked.text("nonce"))), try asked.token)
        }
        #expect(try await signIn("federated oob redirect")["challenge_type"] == "redirect")
        let required = try await signIn("federated totp oob redirect")
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        let sent = try await world.server.secondFactorChallenge(required.token, with: world.client)
        let proven = try await world.client.token(
            code: world.server.mailbox.code(to: "dana@example.com"), sent.token, grant: "mfa_oob")
        expectError(proven, "invalid_grant", 50_079, suberror: "registration_required", carriesToken: true)
        let listed = try await world.client.registerIntrospect(proven.token)
        #expect(listed["methods"]?.array.map { $0["id"] } == ["totp"], "\(listed)")
        let shown = try await world.client.post(
            .registerChallenge, [("continuation_token", try listed.token), ("challenge_type", "totp")])
        let app = try TestApp(key: try #require(shown.text("secret"), "\(shown)"))
        let done = try await world.client.post(
            .registerContinue,
            [
                ("continuation_token", try shown.token), ("grant_type", "totp"),
                ("totp", app.code(at: world.server.clock.now)),
            ])
        #expect(try await world.client.token(redeeming: done.token, claims: nil).status == 200, "\(done)")
    }

    @Test("SEC-ENR-13: suspended identities do not keep the owner from linking one: the oldest gives way")
    func suspendedGiveWay() async throws {
        var linking = try await DirectoryTable.Linking()
        let (server, tenant) = (linking.server.server, TenantDirectory.development.entries[0].tenant.id)
        try await linking.server.linkAll(to: DirectoryTable.erik)
        let before = try await linking.server.account().identities
        let user = try await linking.server.account().user.id
        #expect(
            try await server.store.change(
                user, in: tenant, [.setSuspension(before.map(\.id), of: user, server.clock.now)]))
        linking.server.apple.person.subject = "new"
        linking.server.apple.person.email = nil
        try linking.take(try await linking.caller.send(.addIdentity))
        #expect(try await linking.confirm().status == 204)
        let after = try await linking.server.account().identities
        #expect(after.count == 5 && after.contains { $0.identity?.subject == "new" && $0.suspendedAt == nil })
        #expect(Set(after.map(\.id)).subtracting(before.map(\.id)).count == 1)
    }

    @Test("SEC-ENR-10: an identity that a recovery code linked signs no user in for 72 hours")
    func resting() async throws {
        let server = try ProviderServer()
        let tenant = TenantDirectory.development.entries[0].tenant.id
        #expect(try await server.signIn().status == 200)
        let user = try #require(try await server.server.storedUsers().first).id
        let account = try #require(try await server.server.store.account(user, in: tenant))
        var method = try #require(account.identities.first)
        method.enrolment = Enrolment(.recoveryCode)
        method.provenAt = server.server.clock.now
        #expect(
            try await server.server.store.change(
                user, in: tenant, [.removeStrongMethods([method.id], of: user), .addStrongMethod(method, to: user)]))
        server.server.clock.advance(by: .seconds(72 * 3_600 - 1))
        let early = try await server.signIn()
        #expect(early.text("suberror") == "id_token_invalid", "\(early)")
        server.server.clock.advance(by: .seconds(1))
        let late = try await server.signIn()
        #expect(late.status == 200, "\(late)")
    }

    @Test(
        "SEC-FED-1, SEC-FED-11: names of the app are a flat object of two texts, and no other parameter says who a user is"
    )
    func parameters() async throws {
        let server = try ProviderServer()
        for names in ["[]", "x", "{", #"{"givenName":{}}"#] {
            let answer = try await server.signIn([("provider_user", names)])
            #expect(answer.text("error") == "invalid_request" || answer.status == 200, "\(names): \(answer)")
        }
        let answer = try await server.signIn([
            ("username", "erik@example.com"), ("provider", "google"),
            ("provider_user", #"{"email":"erik@example.com"}"#),
        ])
        #expect(answer.status == 200, "\(answer)")
        #expect(try await server.server.storedUsers().map(\.email) == ["dana@example.com"])
    }
}
