import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Refresh rotation")
struct RefreshRotationTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let id = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))

    private var family: RefreshFamily {
        RefreshFamily(
            id: id, tenant: TenantID(id), client: ClientID(id), user: UserID(id), scopes: ["openid"], methods: ["otp"],
            authenticatedAt: now, createdAt: now, expiresAt: now.addingTimeInterval(86_400), tokenDigest: Data([1]))
    }

    private func rotation(_ presented: UInt8, _ successor: UInt8, after seconds: Double = 0) -> Rotation {
        Rotation(
            presented: Data([presented]), successor: Data([successor]), sealedAnswer: Data([successor]),
            slidingExpiry: now.addingTimeInterval(86_400), now: now.addingTimeInterval(seconds), grace: 30)
    }

    @Test("SEC-TOK-8: the live token is exchanged once")
    func theLiveTokenIsExchanged() {
        let (change, verdict) = family.presenting(rotation(1, 2))
        #expect(verdict == .rotated)
        #expect(change?.generation == 1 && change?.tokenDigest == Data([2]))
    }

    @Test(
        "SEC-TOK-9: within the grace the same successor, after it the family is revoked",
        arguments: [(30.0, true), (30.001, false)])
    func theGraceIsThirtySeconds(seconds: Double, isRepeated: Bool) throws {
        let rotated = try #require(family.presenting(rotation(1, 2)).change)
        let (change, verdict) = rotated.presenting(rotation(1, 3, after: seconds))
        #expect(verdict == (isRepeated ? .repeated(sealedAnswer: Data([2])) : .reused))
        #expect((change?.revokedAt != nil) == !isRepeated)
    }

    @Test("SEC-TOK-9: once the successor was used, the first token revokes the family")
    func aUsedSuccessorEndsTheGrace() throws {
        let once = try #require(family.presenting(rotation(1, 2)).change)
        let twice = try #require(once.presenting(rotation(2, 3)).change)
        let (revoked, verdict) = twice.presenting(rotation(1, 4))
        #expect(verdict == .reused)
        #expect(try #require(revoked).presenting(rotation(3, 5)).verdict == .refused(.revokedRefreshToken))
    }

    @Test("SEC-TOK-12: an expired family is refused")
    func anExpiredFamilyIsRefused() {
        #expect(family.presenting(rotation(1, 2, after: 86_400)).verdict == .refused(.expiredRefreshToken))
    }
}
