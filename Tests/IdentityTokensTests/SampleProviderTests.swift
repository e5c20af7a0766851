import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation
import Testing

/// The provider that a development server plays.
@Suite("Sample provider") struct SampleProviderTests {
    private struct NoOthers: ProviderDocuments {
        func document(at url: String) async throws(ProviderFault) -> Data { throw .unavailable }
        func exchange(_ request: ProviderCodeExchange) async throws(ProviderFault) -> Data { throw .unavailable }
        func revoke(_ request: ProviderRevocation) async throws(ProviderFault) { throw .unavailable }
    }

    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func provider(key: UInt8 = 7) throws -> SampleProvider {
        try SampleProvider(.fixture(key: key), page: "http://127.0.0.1:8765/dev/provider", others: NoOthers())
    }

    private func token(of provider: SampleProvider, email: String = "dana@example.com") throws -> String {
        try provider.idToken(for: email, nonce: "n", client: "com.example.app", now: now)
    }

    @Test("SEC-FED-1: another server of the same database accepts its token, one with another master key does not")
    func keys() async throws {
        let token = try token(of: try provider())
        let keys = ProviderKeys(try provider())
        let claims = try await keys.claims(of: Secret(token), from: .sample, now: now)
        #expect(claims.issuer == IdentityProvider.sample.issuer && claims.email == "dana@example.com")
        #expect(claims.nonce == "n" && claims.audiences == ["com.example.app"] && claims.isEmailVerified)
        await #expect(throws: IdentityVerificationFailure.refused(.unknownKey)) {
            try await ProviderKeys(try provider(key: 8)).claims(of: Secret(token), from: .sample, now: now)
        }
        let endpoint = await keys.browserEndpoint(of: .sample, now: now)
        #expect(endpoint?.address == "http://127.0.0.1:8765/dev/provider" && endpoint?.namesIssuer == true)
    }

    @Test("The same address is the same person, whatever the case, and another address another one")
    func persons() async throws {
        let provider = try provider()
        let keys = ProviderKeys(provider)
        var subjects: [String] = []
        for email in ["dana@example.com", "Dana@Example.com", "kim@example.com"] {
            subjects.append(
                try await keys.claims(of: Secret(try token(of: provider, email: email)), from: .sample, now: now)
                    .subject)
        }
        #expect(subjects[0] == subjects[1] && subjects[0] != subjects[2])
    }

    @Test("Its code is exchanged for the token, and documents of others are fetched as before")
    func exchange() async throws {
        let provider = try provider()
        let token = try token(of: provider)
        let code = ProviderCode(code: Secret(token), redirect: "http://127.0.0.1:8765/callback", verifier: nil)
        let found = try await ProviderKeys(provider).tokens(for: code, of: "com.example.app", from: .sample, now: now)
        #expect(found.idToken.reveal() == token && found.refreshToken == nil)
        await #expect(throws: ProviderFault.unavailable) { try await provider.document(at: "https://id.example/keys") }
        await #expect(throws: ProviderFault.refused) {
            try await provider.document(at: IdentityProvider.sample.issuer + "/other")
        }
    }
}
