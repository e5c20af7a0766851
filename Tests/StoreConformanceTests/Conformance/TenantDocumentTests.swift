import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("Versions of the tenants' configuration")
struct TenantDocumentTests {
    @Test(
        "A document comes into force over the one that the caller has seen, and each version stays",
        arguments: DatabaseUnderTest.all)
    func versions(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            #expect(try await store.tenantDocuments().isEmpty)
            let first = try await store.apply("one", naming: [contoso], over: 0, at: noon)
            #expect(first?.version == 1 && first?.text == "one" && first?.appliedAt == noon)
            // Of two updates based on the first document, one is applied.
            let applied = try await race(8) { index in
                try await store.apply("two \(index)", naming: [contoso], over: 1, at: noon + 1)?.version
            }
            #expect(applied.compactMap(\.self) == [2])
            let second = try #require(try await store.tenantDocument())
            #expect(try await store.apply(second.text, naming: [contoso], over: 7, at: noon + 2) == second)
            #expect(try await store.apply("one", naming: [contoso], over: 1, at: noon + 2) == nil)
            let third = try await store.apply("one", naming: [contoso], over: 2, at: noon + 2)
            #expect(try await store.tenantDocuments() == [third, second, first].compactMap(\.self))
            #expect(try await store.tenantDocument(newerThan: 2) == third)
            #expect(try await store.tenantDocument(newerThan: 3) == nil)
            #expect(third?.checksum == first?.checksum && second.checksum != first?.checksum)
        }
    }

    @Test("The users of each tenant are counted", arguments: DatabaseUnderTest.all)
    func users(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            #expect(try await store.userCounts().isEmpty)
            let other = TenantID(UUID())
            try await store.perform(.createUser(fixtureUser("ada")), .createUser(fixtureUser("eve")))
            try await store.perform(.createUser(fixtureUser("ada", tenant: other)), tenant: other)
            #expect(try await store.userCounts() == [contoso: 2, other: 1])
        }
    }
}
