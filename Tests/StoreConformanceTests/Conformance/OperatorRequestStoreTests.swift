import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Store: what waits for operators", .serialized)
struct OperatorRequestStoreTests {
    private func request(
        _ deed: ProofDeed, about user: NewUser, by requester: ClientID? = nil, person: UserID? = nil, at: Date = noon
    ) -> OperatorRequest {
        OperatorRequest(
            id: UUID(), user: user.id, deed: deed, requester: requester, person: person, requestedAt: at,
            expiresAt: at + 86_400)
    }

    @Test(
        "SEC-ENR-12: a request is read as it was written, gets its first person once, and is closed once",
        arguments: StoreUnderTest.available)
    func roundTrip(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            try await store.perform(.createUser(ada), .createUser(eve))
            let (operatorID, person) = (ClientID(UUID()), UserID(UUID()))
            let all = [
                request(.removeMethod(UUID()), about: ada, by: operatorID, person: person),
                request(.changeEmail("ada@new.example"), about: ada, at: noon + 1),
                request(.removeMethods, about: ada, at: noon + 2), request(.requireReset, about: ada, at: noon + 3),
                request(.trustPassword, about: eve, at: noon + 4),
                request(.relaxSecondFactor, about: eve, at: noon + 5),
            ]
            for one in all { try await store.perform(.openOperatorRequest(one)) }
            #expect(try await store.operatorRequests(in: contoso) == all)
            #expect(try await store.operatorRequests(in: TenantID(UUID())).isEmpty)
            let facts = try await store.change(ada.id, in: contoso, names: [], marks: []) { facts in ([], facts) }
            #expect(facts.requests == Array(all.prefix(4)) && !facts.needsTwoOperators)

            try await store.perform(.standBehindOperatorRequest(all[1].id, of: ada.id, person))
            #expect(try await store.operatorRequests(in: contoso)[1].person == person)
            // A second first person, another user's request, and a request that is closed: each is a fault, and nothing is written.
            for effect in [
                Effect.standBehindOperatorRequest(all[1].id, of: ada.id, UserID(UUID())),
                .closeOperatorRequest(all[1].id, of: eve.id), .closeOperatorRequest(UUID(), of: ada.id),
            ] {
                await #expect(throws: StoreError.self) {
                    try await store.perform(.setDisabled(ada.id, noon), effect)
                }
            }
            #expect(try await store.account(ada.id, in: contoso)?.disabledAt == nil)
            try await store.perform(.closeOperatorRequest(all[1].id, of: ada.id))
            #expect(try await store.operatorRequests(in: contoso).count == 5)
            try await store.perform(.deleteUser(ada.id, mark: digest("ada"), at: noon))
            #expect(try await store.operatorRequests(in: contoso).map(\.user) == [eve.id, eve.id])
        }
    }

    @Test(
        "SEC-ENR-12: a request that no one confirmed ends after a day, with a line of the audit trail",
        arguments: StoreUnderTest.available)
    func expiry(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada")
            try await store.perform(.createUser(ada))
            let (old, new) = (
                request(.removeMethods, about: ada), request(.changeEmail("ada@new.example"), about: ada, at: noon + 60)
            )
            try await store.perform(.openOperatorRequest(old), .openOperatorRequest(new))
            _ = try await store.removeExpired(now: noon + 86_399)
            #expect(try await store.operatorRequests(in: contoso).count == 2)
            #expect(try await store.removeExpired(now: noon + 86_401) >= 1)
            #expect(try await store.operatorRequests(in: contoso) == [new])
            let lines = try await store.events(of: ada.id, in: contoso, limit: 10)
                .filter { $0.event.kind == .operatorRequestExpired }
            #expect(lines.count == 1 && lines.first?.event.detail == old.detail)
        }
    }

    @Test(
        "SEC-ENR-12: the rule is set once, with a line of the audit trail, and ends the open invitations of operators",
        arguments: StoreUnderTest.available)
    func rule(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            #expect(try await !store.needsTwoOperators())
            func set(_ isNeeded: Bool) async throws -> Bool {
                try await store.setTwoOperators(
                    isNeeded,
                    recording: AuditEvent(
                        .operatorRuleChanged, at: noon, tenant: OperatorTenant.id, detail: "operator"))
            }
            #expect(try await set(true))
            #expect(try await !set(true))
            #expect(try await store.needsTwoOperators())
            let ada = fixtureUser("ada")
            try await store.perform(.createUser(ada))
            let facts = try await store.change(ada.id, in: contoso, names: [], marks: []) { facts in ([], facts) }
            #expect(facts.needsTwoOperators)
            #expect(try await set(false))
            #expect(try await !store.needsTwoOperators())
            #expect(
                try await store.auditPage(AuditQuery([.operatorRuleChanged], limit: 9), in: OperatorTenant.id).events
                    .count == 2)
        }
    }
}
