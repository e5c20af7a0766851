import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Used assertions")
struct AssertionStoreTests {
    private let event = AuditEvent(.daemonSignedIn, at: noon, tenant: contoso, client: app, detail: "assertion")

    @Test(
        "Of 50 uses of an assertion at the same moment one succeeds and is recorded",
        arguments: StoreUnderTest.available)
    func oneUseSucceeds(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let results = try await race(50) { _ in
                try await store.useAssertion(digest("one"), in: contoso, until: noon + 60, recording: event)
            }
            #expect(results.filter(\.self).count == 1)
            let trail = try await rows("SELECT kind, detail FROM audit", in: store)
            #expect(trail == [["daemon.token_issued", "assertion"]])
        }
    }

    @Test("A proof of possession is marked without a line in the audit trail", arguments: StoreUnderTest.available)
    func withoutLine(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let results = try await race(20) { _ in
                try await store.useAssertion(digest("proof"), in: contoso, until: noon + 60, recording: nil)
            }
            #expect(results.filter(\.self).count == 1)
            #expect(try await rows("SELECT kind FROM audit", in: store).isEmpty)
        }
    }

    @Test("Marks are of one tenant, and forgotten when the assertion has ended", arguments: StoreUnderTest.available)
    func marksEnd(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            func use(_ mark: String, _ tenant: TenantID = contoso) async throws -> Bool {
                try await store.useAssertion(digest(mark), in: tenant, until: noon + 60, recording: event)
            }
            var results = [try await use("one"), try await use("two"), try await use("one", TenantID(UUID()))]
            #expect(results == [true, true, true])
            results = [try await use("one")]
            #expect(try await store.removeExpired(now: noon + 59) == 0)
            results.append(try await use("one"))
            #expect(results == [false, false])
            #expect(try await store.removeExpired(now: noon + 60) == 3)
            results = [try await use("one")]
            #expect(results == [true])
        }
    }
}
