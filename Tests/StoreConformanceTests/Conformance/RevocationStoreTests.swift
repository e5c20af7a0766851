import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation
import Testing

/// What users allowed at providers, to be ended there.
@Suite("Store: revocations", .timeLimit(.minutes(2)))
struct RevocationStoreTests {
    private func identity(_ subject: String, grant: String?) -> StrongMethod {
        var identity = LinkedIdentity(
            provider: "apple", providerName: "Apple", issuer: "https://appleid.apple.com", subject: subject, email: nil)
        identity.grant = grant.map { Data($0.utf8) }
        return StrongMethod(id: UUID(), kind: .identity(identity), provenAt: noon, enrolment: Enrolment(.mailbox))
    }

    @Test(
        "SEC-FED-14: whatever removes an identity queues its grant, and linking it again takes that back",
        arguments: StoreUnderTest.available)
    func queue(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            let (one, two, bare) = (identity("1", grant: "g1"), identity("2", grant: "g2"), identity("3", grant: nil))
            try await store.perform(
                .createUser(ada), .createUser(eve), .addStrongMethod(one, to: ada.id),
                .addStrongMethod(bare, to: ada.id),
                .addStrongMethod(two, to: eve.id))
            #expect(try await store.account(ada.id, in: contoso)?.identities.contains(one) == true)
            // A grant is kept once, for an identity that has none.
            for grant in ["g3", "g4"] {
                try await store.perform(.keepGrant(Data(grant.utf8), method: bare.id, of: ada.id))
            }
            try await store.perform(.keepGrant(Data("x".utf8), method: one.id, of: ada.id))
            let kept = try await store.account(ada.id, in: contoso)?.identities.compactMap { $0.identity?.grant }
            #expect(Set(kept ?? []) == [Data("g1".utf8), Data("g3".utf8)])
            // Removed, linked again, removed; and a user who is deleted.
            try await store.perform(.removeStrongMethods([one.id], of: ada.id))
            let again = identity("1", grant: "g5")
            try await store.perform(.addStrongMethod(again, to: ada.id))
            #expect(try await store.leaseRevocations(9, now: noon, until: noon + 60).isEmpty)
            try await store.perform(
                .removeStrongMethods([again.id, bare.id], of: ada.id), .deleteUser(eve.id, mark: Data([1]), at: noon))
            #expect(try await store.leaseRevocations(0, now: noon, until: noon + 60).isEmpty)
            let due = try await store.leaseRevocations(9, now: noon, until: noon + 60)
            #expect(Set(due.map(\.grant)) == [Data("g5".utf8), Data("g3".utf8), Data("g2".utf8)])
            #expect(Set(due.map(\.method)) == [again.id, bare.id, two.id] && due.allSatisfy { $0.attempts == 0 })
            #expect(due.first { $0.method == two.id }?.user == eve.id)
        }
    }

    @Test(
        "SEC-FED-14: of 8 nodes one has a row at a time, and a late node changes nothing",
        arguments: StoreUnderTest.available)
    func leasing(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada")
            let methods = (0..<5).map { identity("\($0)", grant: "g\($0)") }
            try await store.perform(.createUser(ada))
            for method in methods { try await store.perform(.addStrongMethod(method, to: ada.id)) }
            try await store.perform(.removeStrongMethods(methods.map(\.id), of: ada.id))
            let leases = try await race(8) { _ in
                try await store.leaseRevocations(2, now: noon, until: noon + 60)
            }
            let leased = leases.flatMap(\.self)
            #expect(leased.count == 5 && Set(leased.map(\.method)).count == 5)
            #expect(try await store.leaseRevocations(9, now: noon + 59, until: noon + 90).isEmpty)
            try await store.postponeRevocation(leased[0], until: noon + 600)
            let later = try await store.leaseRevocations(9, now: noon + 61, until: noon + 120)
            #expect(later.count == 4 && later.allSatisfy { $0.attempts == 1 })
            // The first lease of these is over.
            let late = try #require(leased.first { $0.method == later[0].method })
            try await store.postponeRevocation(late, until: noon)
            #expect(try await store.leaseRevocations(9, now: noon + 62, until: noon + 120).isEmpty)
            let event = AuditEvent(.identityRevoked, at: noon, tenant: contoso, user: ada.id, detail: "apple")
            for _ in 0..<2 { try await store.endRevocation(later[0], recording: event) }
            #expect(
                try await rows("SELECT COUNT(*) FROM audit WHERE kind = 'identity.revoked'", in: store) == [["1"]])
            #expect(try await rows("SELECT COUNT(*) FROM revocations", in: store) == [["4"]])
        }
    }
}
