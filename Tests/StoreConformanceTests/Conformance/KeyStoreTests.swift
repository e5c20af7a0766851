import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Key stores")
struct KeyStoreTests {
    @Test("REL-HA-1: of 16 first keys one stands, and all are told", arguments: StoreUnderTest.available)
    func theFirstSigningKeyStands(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let told = try await race(16) { try await store.insertFirstSigningKey(fixtureKey("key \($0)")) }
            let stored = try await store.signingKeys(for: contoso)
            #expect(stored.count == 1)
            #expect(Set(told) == [stored])
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func keysReadBackNewestFirstPerAlgorithmAndTenant(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let old = fixtureKey("rsa")
            let new = fixtureKey("ec", algorithm: .es256, createdAt: noon + 1)
            let foreign = fixtureKey("rsa", tenant: TenantID(UUID()))
            #expect(try await store.signingKeys(for: contoso).isEmpty)
            _ = try await store.insertFirstSigningKey(old)
            #expect(try await store.insertFirstSigningKey(new) == [new, old])
            #expect(try await store.insertFirstSigningKey(fixtureKey("late")) == [new, old])
            #expect(try await store.insertFirstSigningKey(foreign) == [foreign])
        }
    }
}
