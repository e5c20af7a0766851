import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import SoftPasskeys
import Testing

/// What the first steps of an enrolment leave.
@Suite("Enrolment steps: the SDK", .timeLimit(.minutes(1)))
struct EnrolmentStepTests {
    private struct Unexpected: Error {}

    /// A token of another sign-in.
    private struct OtherNonce: IdentityTokenProvider {
        let provider: TestIdentityProvider
        var id: String { provider.id }

        func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
            try await provider.credential(nonce: String(repeating: "A", count: 43))
        }
    }

    @Test("SEC-ENR-14: no method is in the account before its proof, whatever its kind, and after a wrong one neither")
    func noneBeforeItsProof() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try TestTenant { settings in
            settings.applications = [.emailOneTimePasscode]
            settings.providers = [apple]
            settings.textMessages = true
            settings.passkeys = true
            settings.users = [.init(dana)]
        }
        func rows() async throws -> [[String?]] {
            try await tenant.server.rows("SELECT COUNT(*) FROM strong_methods")
        }
        guard case .codeRequired(let code) = try await tenant.client.signIn(username: dana),
            case .next(.completed(let account)) = try await code.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }

        let phone = try await account.addMethod(phoneNumber: "+15555550123")
        guard case .retry = try await phone.submit(code: "00000000") else { throw Unexpected() }
        #expect(try await rows() == [["0"]])

        guard case .keyRequired(let app) = try await account.addAuthenticatorApp(),
            case .retry = try await app.submit(code: "000000")
        else { throw Unexpected() }
        #expect(try await rows() == [["0"]])

        let authenticator = SoftAuthenticator()
        authenticator.behaviour.lies = [.wrongChallenge]
        guard case .passkeyRequired(let passkey) = try await account.addPasskey(),
            case .retry = try await passkey.create(with: authenticator, name: "n")
        else { throw Unexpected() }
        #expect(try await rows() == [["0"]])

        guard case .identityRequired(let identity) = try await account.addIdentity(at: apple.id),
            case .retry = try await identity.link(with: OtherNonce(provider: apple))
        else { throw Unexpected() }
        #expect(try await rows() == [["0"]])
    }
}
