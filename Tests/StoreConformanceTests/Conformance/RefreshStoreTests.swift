import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Refresh stores")
struct RefreshStoreTests {
    @Test(arguments: StoreUnderTest.available)
    func aFamilyReadsBackAsWritten(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            var family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            #expect(try await store.refreshFamily(family.id, in: TenantID(UUID())) == nil)
            let session = try #require(try await store.refreshSession(family.id, in: contoso))
            #expect(session.family == family)
            #expect(try await store.account(user.id, in: contoso) == session.account)
            #expect(try await store.refreshSession(family.id, in: TenantID(UUID())) == nil)
            #expect(try await store.refreshSession(UUID(), in: contoso) == nil)

            family.generation = 1
            family.previous = RefreshFamily.Previous(
                tokenDigest: family.tokenDigest, rotatedAt: noon + 5, sealedAnswer: Data("answer".utf8))
            family.tokenDigest = Data(repeating: 8, count: 32)
            family.revokedAt = noon + 6
            family.expiresAt = noon + 7
            let changed = family
            let seen = try await store.updateRefreshFamily(family.id, in: contoso) { old in
                (changed, AuditEvent(.tokenRefreshed, at: noon, tenant: contoso), old?.generation)
            }
            #expect(seen == 0)
            #expect(try await store.refreshFamily(family.id, in: contoso) == changed)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aNilChangeLeavesTheFamily(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            let seen = try await store.updateRefreshFamily(family.id, in: contoso) { (nil, nil, $0) }
            #expect(seen == family)
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            let unknown = try await store.updateRefreshFamily(UUID(), in: contoso) { (nil, nil, $0) }
            #expect(unknown == nil)
        }
    }

    @Test("SEC-TOK-7: of 16 rotations of one token one succeeds", arguments: StoreUnderTest.available)
    func aTokenIsRotatedOnce(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            let wins = try await race(16) { index in
                try await store.updateRefreshFamily(family.id, in: contoso) { old in
                    guard var new = old, new.tokenDigest == family.tokenDigest else { return (nil, nil, false) }
                    new.tokenDigest = Data(repeating: UInt8(100 + index), count: 32)
                    new.generation += 1
                    return (new, nil, true)
                }
            }
            #expect(wins.filter { $0 }.count == 1)
            #expect(try await store.refreshFamily(family.id, in: contoso)?.generation == 1)
        }
    }
}
