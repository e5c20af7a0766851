import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

/// A signed-in user links an account at a provider, through the SDK.
@Suite("Providers: linking in the account", .timeLimit(.minutes(1)))
struct ProviderLinkTests {
    private struct Unexpected: Error {}
    private let erik = "erik@example.com"

    /// A user who has just signed in with a code, and has no account at the provider yet.
    private func signedIn(
        _ tenant: TestTenant, _ user: String = dana
    ) async throws -> Account {
        guard case .codeRequired(let code) = try await tenant.client.signIn(username: user),
            case .next(.completed(let account)) = try await code.submit(code: tenant.mailbox.code(for: user))
        else { throw Unexpected() }
        return account
    }

    private func tenant(
        _ providers: [TestIdentityProvider], password: String? = nil, _ others: [TestTenant.User] = []
    ) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [password == nil ? .emailOneTimePasscode : .emailPassword]
            settings.providers = providers
            settings.users = [.init(dana, password: password)] + others
        }
    }

    private func step(_ next: consuming IdentityNext) throws -> NewIdentityRequired {
        guard case .identityRequired(let step) = next else { throw Unexpected() }
        return step
    }

    private func link(_ account: Account, _ provider: TestIdentityProvider) async throws {
        guard case .next = try await step(try await account.addIdentity(at: provider.id)).link(with: provider) else {
            throw Unexpected()
        }
    }

    private func owner(_ tenant: TestTenant, _ provider: TestIdentityProvider) async throws -> String {
        guard case .completed(let account) = try await tenant.client.signIn(with: provider) else { throw Unexpected() }
        return account.homeAccountID
    }

    @Test("SEC-FED-9: A signed-in user links an account whose address is another, signs in by it, and unlinks it")
    func linkAndUnlink() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        harbour.person.email = "someone@work.example"
        let tenant = try tenant([harbour])
        let account = try await signedIn(tenant)
        let mails = try await tenant.mailbox.mails(for: dana).count
        try await link(account, harbour)
        // The owner is told.
        #expect(try await tenant.mailbox.mails(for: dana).count == mails + 1)
        #expect(try await owner(tenant, harbour) == account.homeAccountID)
        let method = try #require(try await account.methods().first { $0.kind == .identity })
        try await account.remove(method)
        guard case .mailboxRequired = try await tenant.client.signIn(with: harbour) else { throw Unexpected() }
    }

    @Test("SEC-FED-7: An account at a provider is of one user; the same user linking it again changes nothing")
    func taken() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        harbour.person.email = nil
        let tenant = try tenant([harbour], [.init(erik)])
        let first = try await signedIn(tenant)
        try await link(first, harbour)
        try await link(first, harbour)
        #expect(try await first.methods().count { $0.kind == .identity } == 1)
        let second = try await signedIn(tenant, erik)
        let again = try step(try await second.addIdentity(at: "harbour"))
        do {
            _ = try await again.link(with: harbour)
            Issue.record("an identity has two owners")
        } catch {
            guard case .nameTaken("identities", _) = error else { throw error }
        }
        #expect(try await owner(tenant, harbour) == first.homeAccountID)
        #expect(try await second.methods().isEmpty)
    }

    @Test("SEC-ENR-2: With a password alone no account is linked: a code to the own mailbox comes first")
    func passwordAlone() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        harbour.person.email = "thief@harbour.example"
        let tenant = try tenant([harbour], password: goodPassword)
        let client = tenant.client
        guard case .completed(let account) = try await client.signIn(username: dana, password: goodPassword),
            case .codeRequired(let code) = try await account.addIdentity(at: "harbour")
        else { throw Unexpected() }
        #expect(code.info.sentTo.hasPrefix("d"))
        let key = ResumeKey()
        let kept: IdentityMailboxCodeRequired = try client.resume(try code.saved(with: key), with: key)
        guard case .retry(let wrong, .incorrectCode) = try await kept.submit(code: "00000000") else {
            throw Unexpected()
        }
        #expect(try await account.methods().allSatisfy { $0.kind != .identity })
        tenant.clock.advance(by: .seconds(60))
        guard case .next(let resent) = try await wrong.resend(),
            case .next(let step) = try await resent.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        let saved: NewIdentityRequired = try client.resume(try step.saved(with: key), with: key)
        guard case .next = try await saved.link(with: harbour) else { throw Unexpected() }
        #expect(try await owner(tenant, harbour) == account.homeAccountID)
    }

    @Test("SEC-ENR-3: An old sign-in links nothing")
    func oldSignIn() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        let tenant = try tenant([harbour])
        let account = try await signedIn(tenant)
        tenant.clock.advance(by: .seconds(601))
        do {
            _ = try await account.addIdentity(at: "harbour")
            Issue.record("an old sign-in began a link")
        } catch {
            guard case .proofRequired = error else { throw error }
        }
    }

    enum Mood: CaseIterable, Sendable { case cancels, forges, repeats }

    /// What may go wrong at the provider, and leaves the step usable.
    private final class Moody: IdentityTokenProvider {
        let provider: TestIdentityProvider
        let mood: Mood
        var id: String { provider.id }

        init(_ provider: TestIdentityProvider, _ mood: Mood) {
            (self.provider, self.mood) = (provider, mood)
        }

        func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
            switch mood {
            case .cancels: throw .cancelled
            case .forges:
                ProviderCredential(idToken: try provider.idToken(nonce: nonce, claims: ["aud": .string("other")]))
            case .repeats: ProviderCredential(idToken: try provider.idToken(nonce: "a nonce of another flow"))
            }
        }
    }

    @Test(
        "SEC-FED-2, SEC-FED-3: A token that is not of this flow links nothing, and the step has a new nonce",
        arguments: Mood.allCases)
    func refused(_ mood: Mood) async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        let tenant = try tenant([harbour])
        let account = try await signedIn(tenant)
        let first = try step(try await account.addIdentity(at: "harbour"))
        guard case .retry(let again, let refusal) = try await first.link(with: Moody(harbour, mood)) else {
            throw Unexpected()
        }
        switch refusal {
        case .provider(let error, _): #expect(mood == .cancels && error == .cancelled)
        case .notAccepted: #expect(mood != .cancels)
        case .service: throw Unexpected()
        }
        #expect(try await account.methods().isEmpty)
        guard case .next = try await again.link(with: harbour) else { throw Unexpected() }
        #expect(try await owner(tenant, harbour) == account.homeAccountID)
    }

    @Test("SEC-FED-12: A provider that is down leaves the step usable")
    func down() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        let tenant = try tenant([harbour])
        let account = try await signedIn(tenant)
        let first = try step(try await account.addIdentity(at: "harbour"))
        harbour.isDown = true
        guard case .retry(let again, .service) = try await first.link(with: harbour) else { throw Unexpected() }
        harbour.isDown = false
        // It is asked again after a moment.
        tenant.clock.advance(by: .seconds(11))
        guard case .next = try await again.link(with: harbour) else { throw Unexpected() }
    }
}
