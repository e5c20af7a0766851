import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityTokens

@Suite struct VerificationTests {
    @Test(
        "SEC-TOK-2: an access token says after its check what was signed",
        arguments: [SigningKeyRecord.Algorithm.rs256, .es256])
    func anAccessTokenSaysWhatWasSigned(algorithm: SigningKeyRecord.Algorithm) async throws {
        let ring = KeyRing.fixture(algorithm: algorithm)
        let subject = TokenSubject.fixture(
            methods: ["pwd", "otp", "mfa"], contexts: ["c4"], sessionID: .fixture(7))
        let token = try await ring.sign(subject).accessToken
        let seen = try await ring.verify(token)
        #expect(
            seen
                == VerifiedAccessToken(
                    user: subject.user.id, client: subject.client, audience: "api://orders",
                    scopes: ["Orders.Read", "Orders.Write"], methods: ["pwd", "otp", "mfa"], contexts: ["c4"],
                    subject: try TokenParts(token).claims.sub, sessionID: .fixture(7),
                    credentialVersion: 3, tokenID: "aaaabbbb-0000-cccc-1111-dddd2222ee09",
                    authenticatedAt: Date(
                        timeIntervalSince1970: subject.authenticatedAt.timeIntervalSince1970.rounded(.down)),
                    issuedAt: Date(timeIntervalSince1970: 1_700_000_010),
                    expiresAt: Date(timeIntervalSince1970: 1_700_003_609)))
    }

    @Test func aTokenWithoutContextsAndSessionHasNone() async throws {
        let ring = KeyRing.fixture()
        let seen = try await ring.verify(ring.sign(.fixture(scopes: [])).accessToken)
        #expect(seen.contexts.isEmpty && seen.sessionID == nil)
        #expect(seen.scopes == ["openid", "profile", "offline_access", "email"])
    }

    @Test(
        "SEC-TOK-2: every forged token is refused, also where the real key signed it", arguments: Forgery.all,
        [SigningKeyRecord.Algorithm.rs256, .es256])
    func everyForgedTokenIsRefused(_ forgery: Forgery, algorithm: SigningKeyRecord.Algorithm) async throws {
        let workshop = try await Workshop.of(algorithm)
        await expect(forgery.refusal) {
            _ = try await workshop.ring.verify(Secret(try forgery.make(workshop)))
        }
    }

    @Test(
        "The workshop of the forged tokens makes good ones too", arguments: [SigningKeyRecord.Algorithm.rs256, .es256])
    func theWorkshopMakesGoodTokens(algorithm: SigningKeyRecord.Algorithm) async throws {
        #expect(Forgery.all.count >= 40)
        let workshop = try await Workshop.of(algorithm)
        let (header, payload) = (workshop.header, workshop.payload)
        #expect(try await workshop.ring.verify(Secret(workshop.sign(header, payload))).audience == "api://orders")
        let changed = payload.replacing("api://orders", with: "api://stock")
        #expect(try await workshop.ring.verify(Secret(workshop.sign(header, changed))).audience == "api://stock")
    }

    @Test("SEC-TOK-4: of two tenants each refuses the other's access token, and both refuse ID tokens")
    func crossMatrix() async throws {
        let ring = KeyRing.fixture()
        for (signing, accepting) in [(1, 1), (1, 4), (4, 1), (4, 4)] as [(UInt8, UInt8)] {
            let tokens = try await ring.sign(.fixture(tenant: signing))
            let idToken = try #require(tokens.idToken)
            if signing == accepting {
                _ = try await ring.verify(tokens.accessToken, tenant: accepting)
                await expect("wrongType") { _ = try await ring.verify(idToken, tenant: accepting) }
            } else {
                await expect("unknownKey") { _ = try await ring.verify(tokens.accessToken, tenant: accepting) }
                await expect("unknownKey") { _ = try await ring.verify(idToken, tenant: accepting) }
            }
        }
    }

    @Test("SEC-TOK-1: a token of the same keys under another base URL is refused")
    func anotherBaseURL() async throws {
        let ring = KeyRing.fixture()
        let token = try await ring.sign(.fixture()).accessToken
        for issuer in ["https://contoso.example.org", "https://contoso.example/", "http://contoso.example", ""] {
            await expect("wrongIssuer") { _ = try await ring.verify(token, issuer: issuer) }
        }
    }

    @Test(
        "SEC-TOK-13: clocks may differ by 60 s and no more",
        arguments: [
            (-61, "notYetValid"), (-60, nil), (0, nil), (3_598, nil), (3_599, nil), (3_658, nil), (3_659, "expired"),
        ] as [(TimeInterval, String?)])
    func clocksMayDiffer(seconds: TimeInterval, refusal: String?) async throws {
        let ring = KeyRing.fixture()
        let token = try await ring.sign(.fixture()).accessToken
        await expect(refusal) { _ = try await ring.verify(token, at: 1_700_000_010 + seconds) }
    }

    @Test func anOutageOfTheStoreIsNotTheTokensFault() async throws {
        let store = MemoryKeyStore()
        let token = try await KeyRing.fixture(store).sign(.fixture()).accessToken
        await store.setBroken(true)
        let ring = KeyRing.fixture(store)
        await expect("unavailable") { _ = try await ring.verify(token) }
        await store.setBroken(false)
        _ = try await ring.verify(token)
    }

    @Test("SEC-TOK-5: a token of a key that another process has just made is accepted at once")
    func aKeyThatAnotherProcessHasJustMade() async throws {
        let (store, clock) = (MemoryKeyStore(), MovingClock())
        let (one, other) = (KeyRing.fixture(store, clock: clock), KeyRing.fixture(store, clock: clock))
        let tenant = TokenSubject.fixture().tenant
        try await other.prepare(for: tenant)
        clock.move(by: 2)
        try await one.rotateNow(for: tenant, now: clock.now)
        _ = try await other.verify(one.sign(.fixture()).accessToken)
    }

    @Test func forgedTokensAreNoLoadOnTheStore() async throws {
        let store = MemoryKeyStore()
        let (one, other) = (KeyRing.fixture(store), KeyRing.fixture())
        let foreign = try await other.sign(.fixture()).accessToken
        try await one.prepare(for: TokenSubject.fixture().tenant)
        let reads = await store.reads
        for _ in 0..<100 { await expect("unknownKey") { _ = try await one.verify(foreign) } }
        #expect(await store.reads == reads)
    }
}

extension KeyRing {
    /// Checks a token of
    /// ``TokenSubject/fixture(tenant:client:user:attributes:scopes:openIDScopes:methods:contexts:sessionID:issuedAt:lifetime:)``.
    func verify(
        _ token: Secret<String>, tenant: UInt8 = 1, issuer: String = "https://contoso.example",
        at time: TimeInterval = 1_700_000_020
    ) async throws -> VerifiedAccessToken {
        try await verify(
            token, for: TenantID(.fixture(tenant)), issuer: issuer, now: Date(timeIntervalSince1970: time))
    }
}

/// Fails unless `body` throws the ``TokenVerificationError`` of this name, or nothing when that is nil.
func expect(
    _ refusal: String?, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    var seen: String?
    do {
        try await body()
    } catch let error as TokenVerificationError {
        seen =
            switch error {
            case .malformed: "malformed"
            case .unknownKey: "unknownKey"
            case .wrongSignature: "wrongSignature"
            case .wrongType: "wrongType"
            case .wrongIssuer: "wrongIssuer"
            case .expired: "expired"
            case .notYetValid: "notYetValid"
            case .unavailable: "unavailable"
            }
    } catch {
        seen = "\(error)"
    }
    #expect(seen == refusal, sourceLocation: sourceLocation)
}
