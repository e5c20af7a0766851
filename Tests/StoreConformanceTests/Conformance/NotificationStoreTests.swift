import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

/// How far subscribers were told of the audit trail.
@Suite("What subscribers were told", .timeLimit(.minutes(2))) struct NotificationStoreTests {
    private struct NoRandomness: Randomness {
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
    }

    private let chain = AuditChain(
        vault: Vault(masterKey: SymmetricKey(data: Data(repeating: 1, count: 32)), randomness: NoRandomness()))
    private let subscriber = UUID()

    private func record(_ kinds: AuditEvent.Kind..., in store: any SQLStore) async throws {
        for kind in kinds { try await store.record(AuditEvent(kind, at: noon, tenant: contoso)) }
        _ = try await chain.seal(in: store)
    }

    private func lease(
        _ store: any SQLStore, at date: Date = noon, limit: Int = 10
    ) async throws -> NotificationLease? {
        try await store.leaseNotifications(
            to: subscriber, in: contoso, limit: limit, now: date, until: date + 60)
    }

    @Test(
        "SEC-HOOK-5: a subscriber is told what happens after it is known, in order, page by page",
        arguments: DatabaseUnderTest.all)
    func order(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            try await record(.signUpCompleted, in: store)
            #expect(try await lease(store) == nil)
            #expect(try await lease(store) == nil, "nothing has happened since")
            try await record(.profileChanged, .emailChanged, .accountDeleted, in: store)
            try await store.record(AuditEvent(.signUpCompleted, at: noon, tenant: contoso))
            let first = try #require(try await lease(store, limit: 2))
            #expect(first.lines.map(\.event.kind) == [.profileChanged, .emailChanged] && first.attempts == 0)
            #expect(try await lease(store, at: noon + 59) == nil, "leased")
            #expect(try await store.endNotifications(first, at: 3, attempts: 0, due: noon))
            let second = try #require(try await lease(store))
            #expect(second.lines.map(\.event.kind) == [.accountDeleted], "the last line is not sealed yet")
            #expect(try await store.endNotifications(second, at: 3, attempts: 2, due: noon + 5))
            #expect(try await lease(store, at: noon + 4) == nil)
            let third = try #require(try await lease(store, at: noon + 5))
            #expect(third.attempts == 2 && third.lines == second.lines)
        }
    }

    @Test(
        "SEC-HOOK-5: one of 20 nodes has the lease; one that lost it changes nothing", arguments: DatabaseUnderTest.all)
    func leases(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await race(20) { _ in try await lease(store) }
            try await record(.profileChanged, .emailChanged, in: store)
            let leases = try await race(20) { _ in try await lease(store) }.compactMap(\.self)
            let first = try #require(leases.first)
            #expect(leases.count == 1)
            let second = try #require(try await lease(store, at: noon + 60))
            #expect(second.number != first.number && second.lines == first.lines)
            #expect(try await !store.endNotifications(first, at: 2, attempts: 0, due: noon))
            #expect(try await store.endNotifications(second, at: 1, attempts: 0, due: noon))
            #expect(try await lease(store, at: noon + 60)?.lines.count == 1)
        }
    }
}
