import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation
import Testing

/// Tokens that tell applications of the end of a session (OpenID Connect Back-Channel Logout 1.0).
@Suite("Logout tokens") struct LogoutTokenTests {
    private static let tenant = TenantID(.fixture(1))
    private static let issuer = "https://contoso.example"
    private static let now = Date(timeIntervalSince1970: 1_700_000_010.9)

    private func subject() -> LogoutTokenSubject {
        LogoutTokenSubject(
            tenant: Self.tenant, client: ClientID(.fixture(2)), user: UserID(.fixture(3)), logoutID: .fixture(7),
            issuedAt: Self.now, tokenID: .fixture(9), issuer: Self.issuer)
    }

    @Test("OIDC-24: a logout token has these claims and no others, no nonce above all")
    func claims() async throws {
        let parts = try TokenParts(try await KeyRing.fixture().sign(subject()))
        #expect(parts.header.contains(#""typ":"logout+jwt""#))
        let sub = try #require(parts.payload.firstMatch(of: /"sub":"([A-Za-z0-9_-]{43})"/)).1
        #expect(
            parts.payload == """
                {"aud":"\(UUID.fixture(2).text)","events":{"http://schemas.openid.net/event/backchannel-logout":{}},\
                "exp":1700000130,"iat":1700000010,"iss":"https://contoso.example/\(Self.tenant)/v2.0",\
                "jti":"\(UUID.fixture(9).text)","sid":"\(UUID.fixture(7).text)","sub":"\(sub)"}
                """)
    }

    @Test("SEC-TOK-4: a logout token is taken for no other token")
    func isNoOther() async throws {
        let ring = KeyRing.fixture()
        let token = try await ring.sign(subject())
        await #expect(throws: TokenVerificationError.self) {
            _ = try await ring.verify(token, for: Self.tenant, issuer: Self.issuer, now: Self.now)
        }
        await #expect(throws: TokenVerificationError.self) {
            _ = try await ring.verifyDaemon(token, for: Self.tenant, issuer: Self.issuer, now: Self.now)
        }
        await #expect(throws: TokenVerificationError.self) {
            _ = try await ring.verifyHint(token, for: Self.tenant, issuer: Self.issuer)
        }
    }
}
