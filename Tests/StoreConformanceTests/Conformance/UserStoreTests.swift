import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("User stores")
struct UserStoreTests {
    @Test(arguments: StoreUnderTest.available)
    func aUserReadsBackAsCreated(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let attributes: [String: AttributeValue] = [
                "city": "Ærøskøbing \u{0} 🇩🇰 \"'\\", "shoeSize": 44, "newsletter": false, "empty": "", "digits": "44",
                "word": "true", "big": .integer(.min),
            ]
            let new = fixtureUser(
                "Ada", alias: "Countess", attributes: attributes, passwordHash: PasswordHash(phc: "$argon2id$…"))
            try await store.perform(.createUser(new))

            let user = User(
                id: new.id, tenant: contoso, email: "Ada@example.com", alias: "Countess", hasPassword: true,
                attributes: attributes, createdAt: noon)
            #expect(try await store.user(new.id, in: contoso) == user)
            #expect(try await store.user(new.id, in: TenantID(UUID())) == nil)
            #expect(try await store.user(UserID(UUID()), in: contoso) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.available)
    func aUserWithoutPasswordAndAliasHasNone(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let new = fixtureUser("ada")
            try await store.perform(.createUser(new))
            let user = try #require(try await store.user(new.id, in: contoso))
            #expect(!user.hasPassword && user.alias == nil && user.attributes.isEmpty)
        }
    }

    @Test("SEC-ID-7: an identifier is unique per tenant over both kinds", arguments: StoreUnderTest.available)
    func anIdentifierIsUniquePerTenant(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            try await store.perform(.createUser(fixtureUser("ada", alias: "countess")))
            await expectUnavailable { try await store.perform(.createUser(fixtureUser("ada"))) }
            await expectUnavailable {
                try await store.perform(.createUser(fixtureUser("eve", alias: "ada@example.com")))
            }
            let other = TenantID(UUID())
            try await store.perform(.createUser(fixtureUser("ada", tenant: other, alias: "countess")))
            #expect(try await store.countUsers(in: contoso) == 1)
            #expect(try await store.countUsers(in: other) == 1)
        }
    }
}
