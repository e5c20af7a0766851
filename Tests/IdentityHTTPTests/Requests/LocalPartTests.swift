import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// Addresses that are valid in a mail's envelope, but that a program behind a mail server could take for an option, a
/// path or a shell command.
@Suite("Dangerous local parts") struct LocalPartTests {
    static let addresses = [
        "-oQ/tmp", "-f", "--help", "-", "|id", "a|id", "|/bin/sh", "`id`", "a`b", "$HOME", "a$b",
        "a&b", "&", "/etc/passwd", "/dev/null", "~root", "a#b", "*", "a*", "a?b",
    ].map { $0 + "@example.com" }

    @Test(
        "SEC-ID-1: no code and no notice goes to one: sign-up and registration refuse it", arguments: addresses
    )
    func noMailGoesToOne(_ address: String) async throws {
        try await withIdentityServer { server in
            let before = try await server.snapshot()
            for application in IdentityTestServer.Application.allCases {
                expectError(try await server.client(application).start(address), "invalid_request", 90_100)
            }
            #expect(try await server.snapshot() == before)
            try await server.signUpWithPassword()
            let required = try await server.signIn(claims: WireClient.claims)
            let listed = try await server.passwordClient.registerIntrospect(required.token)
            let mails = try await server.mailbox.mails().count
            let refused = try await server.passwordClient.registerChallenge(listed.token, contact: address)
            expectError(refused, "invalid_request", 901_001)
            #expect(try await server.mailbox.mails().count == mails)
        }
    }

    @Test("An account that has one from before still signs in, resets and is found", arguments: addresses)
    func storedAccountsGoOn(_ address: String) async throws {
        #expect(EmailAddress(address) == nil)
        let email = try #require(EmailAddress(stored: address))
        #expect(try JSONDecoder().decode([EmailAddress].self, from: JSONEncoder().encode([email])) == [email])
        try await withIdentityServer { server in
            let tenant = try #require(try await server.engine.tenant(named: "contoso"))
            let client = try #require(ClientID(IdentityTestServer.Application.emailPassword.rawValue))
            let hash = try await server.engine.ports.hasher.hash(Secret(WireClient.password))
            let user = UserID(UUID())
            let method = StrongMethod(
                id: UUID(), email: email, provenAt: server.clock.now.addingTimeInterval(-60 * 86_400),
                enrolment: Enrolment(.twoFactors), firstUsedAt: server.clock.now)
            try await server.plant(
                FlowRow(isEnded: true, expiresAt: server.clock.now),
                [
                    .createUser(
                        NewUser(
                            id: user, tenant: tenant.id, client: client, identifiers: [email.identifier],
                            passwordHash: hash, attributes: [:], createdAt: server.clock.now)),
                    .addStrongMethod(method, to: user),
                ], of: UUID(), in: tenant.id)
            let signedIn = try await server.signIn(address)
            #expect(signedIn.status == 200, "\(signedIn)")
            let strong = try await server.signInWithSecondFactor(address, contact: address)
            #expect(strong.status == 200, "\(strong)")
            let reset = try await server.reset(address, codeTo: address)
            #expect(reset.status == 200, "\(reset)")
            #expect(try await server.signIn(address, password: WireClient.newPassword).status == 200)
            #expect(try await server.mailbox.mails(for: address).allSatisfy { $0.to == address })
        }
    }
}
