import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine

/// A server whose tenant has a provider, and the requests of a sign-in by it.
struct ProviderServer: Sendable {
    let server: IdentityTestServer
    let apple = TestIdentityProvider(.apple)
    var client: WireClient
    /// The tenant, as the server has it.
    let entry: TenantDirectory.Entry

    init(
        _ application: IdentityTestServer.Application = .emailOneTimePasscode, withKey: Bool = false,
        adjust: (inout TenantDirectory.Entry) -> Void = { _ in },
        settings: (inout EngineSettings) -> Void = { _ in }
    ) throws {
        let apple = apple
        var contoso = TenantDirectory.development.entries[0]
        contoso.tenant.providers = [withKey ? apple.withKey : apple.provider]
        adjust(&contoso)
        let entry = contoso
        self.entry = entry
        server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, engine in
            settings(&engine)
            ports.clients = TenantDirectory([entry])
            ports.identities = TestIdentityProvider.verifier(of: [apple])
        }
        apple.follow(server.clock)
        client = server.client(application)
    }

    /// The account of the only user.
    func account() async throws -> UserAccount {
        let user = try #require(try await server.storedUsers().first).id
        return try #require(
            try await server.store.account(user, in: TenantDirectory.development.entries[0].tenant.id))
    }

    /// The identity of the provider's person, as it is stored.
    var identity: LinkedIdentity {
        LinkedIdentity(
            provider: apple.provider.id, providerName: apple.provider.displayName, issuer: apple.provider.issuer,
            subject: apple.person.subject, email: apple.person.email)
    }

    func initiate(_ provider: String = "apple", types: String = "federated oob password redirect") async throws
        -> WireAnswer
    {
        try await client.post(
            .signInInitiate,
            [("provider", provider), ("challenge_type", types), ("capabilities", WireClient.bothCapabilities)])
    }

    func challenge() async throws -> WireAnswer {
        try await client.post(.signInChallenge, [("continuation_token", try await initiate().token)])
    }

    func token(_ idToken: String, _ token: String, _ more: Fields = []) async throws -> WireAnswer {
        try await client.post(
            .token,
            [
                ("continuation_token", token), ("grant_type", "federated"), ("id_token", idToken),
                ("scope", "openid profile offline_access"),
            ] + more)
    }

    /// A whole sign-in.
    func signIn(_ more: Fields = []) async throws -> WireAnswer {
        let asked = try await challenge()
        let nonce = try #require(asked.text("nonce"))
        return try await token(try apple.idToken(nonce: nonce), try asked.token, more)
    }

    /// A new user names `mailbox`, because the provider knows none.
    func nameMailbox(_ mailbox: String) async throws -> WireAnswer {
        apple.person.email = nil
        return try await client.post(
            .signUpChallenge,
            [("continuation_token", try await signIn().token), ("challenge_target", mailbox)])
    }

    /// Keeps an address from all users, as that of a user who was deleted a moment ago.
    func hold(_ mailbox: String) async throws {
        let tenant = TenantDirectory.development.entries[0].tenant.id
        let key = try #require(EmailAddress(mailbox)).key
        _ = try await server.signUp("other@example.com")
        let user = try #require(try await server.storedUsers().first).id
        let held = ReservedName(
            mark: server.engine.mark(of: key, in: tenant), user: nil,
            until: server.clock.now.addingTimeInterval(86_400))
        #expect(try await server.store.change(user, in: tenant, [.holdName(held)]))
    }

    /// Links five identities to the account of the mailbox, as many as there may be.
    func linkAll(to mailbox: String) async throws {
        apple.person.email = mailbox
        for number in 1...5 {
            apple.person.subject = "identity-\(number)"
            let sent = try await client.signInChallenge(try await signIn().token)
            let answer = try await client.token(code: server.mailbox.code(to: mailbox), sent.token)
            #expect(answer.status == 200, "\(answer)")
        }
        apple.person.subject = "identity-6"
    }
}
