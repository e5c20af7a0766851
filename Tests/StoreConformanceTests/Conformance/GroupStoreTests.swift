import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("Groups and their members")
struct GroupStoreTests {
    private let tenant = TenantID(UUID())

    private func event(_ kind: AuditEvent.Kind = .groupChanged) -> AuditEvent {
        AuditEvent(kind, at: noon, tenant: tenant)
    }

    private func user(_ number: Int, in store: any SQLStore) async throws -> UserID {
        let id = UserID(UUID())
        let email = try #require(EmailAddress("user\(number)@example.com"))
        let new = NewUser(
            id: id, tenant: tenant, client: ClientID(UUID()), identifiers: [email.identifier], passwordHash: nil,
            attributes: [:], createdAt: noon, emailProof: .byCode)
        try await store.change(id, in: tenant) { _ in ([.createUser(new)], ()) }
        return id
    }

    private func make(_ change: GroupChange, in store: any SQLStore) async throws -> GroupChangeResult {
        try await store.change(change, in: tenant, recording: event())
    }

    private func group(_ name: String, in store: any SQLStore) async throws -> UUID {
        let group = UserGroup(id: UUID(), displayName: name, description: "d", createdAt: noon)
        #expect(try await make(.create(group), in: store) == .done)
        return group.id
    }

    @Test(
        "A group is made, edited and deleted; users enter and leave it; a deleted user is in none",
        arguments: StoreUnderTest.available)
    func life(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let (sailors, cooks) = (try await group("Sailors", in: store), try await group("Cooks", in: store))
            let (dana, kim) = (try await user(1, in: store), try await user(2, in: store))
            for user in [dana, kim] { #expect(try await make(.add(user, to: sailors), in: store) == .done) }
            #expect(try await make(.add(dana, to: cooks), in: store) == .done)
            #expect(try await make(.add(dana, to: cooks), in: store) == .unchanged)
            #expect(try await store.groups(in: tenant).map(\.displayName) == ["Cooks", "Sailors"])
            #expect(Set(try await store.groups(of: dana, in: tenant).map(\.id)) == [sailors, cooks])
            let first = try await store.members(of: sailors, after: nil, limit: 1, in: tenant)
            let second = try await store.members(of: sailors, after: first.first, limit: 5, in: tenant)
            #expect(first.count == 1 && Set(first + second) == [dana, kim])
            #expect(try await make(.edit(cooks, displayName: "Chefs", description: nil), in: store) == .done)
            let chefs = try await store.groups(in: tenant).first
            #expect(chefs?.displayName == "Chefs" && chefs?.description == "d" && chefs?.createdAt == noon)
            // Another tenant has nothing of it.
            let other = TenantID(UUID())
            #expect(try await store.groups(in: other).isEmpty)
            #expect(try await store.groups(of: dana, in: other).isEmpty)
            let foreign = try await store.change(.delete(cooks), in: other, recording: event())
            #expect(foreign == .notFound)

            try await store.change(kim, in: tenant) { _ in
                ([.deleteUser(kim, mark: Data(repeating: 1, count: 32), at: noon)], ())
            }
            #expect(try await store.members(of: sailors, after: nil, limit: 5, in: tenant) == [dana])
            #expect(try await make(.add(kim, to: cooks), in: store) == .notFound)
            #expect(try await make(.remove(dana, from: cooks), in: store) == .done)
            #expect(try await make(.remove(dana, from: cooks), in: store) == .notFound)
            #expect(try await make(.delete(sailors), in: store) == .done)
            #expect(try await make(.add(dana, to: sailors), in: store) == .notFound)
            #expect(try await make(.edit(sailors, displayName: "X", description: nil), in: store) == .notFound)
            #expect(try await store.groups(of: dana, in: tenant).isEmpty)
            // Each change that was made has its line, and no other.
            let lines = AuditQuery([.groupChanged], limit: 100)
            #expect(try await store.auditPage(lines, in: tenant).events.count == 8)
        }
    }

    @Test(
        "Parallel additions of one user to more groups than there may be end at the largest number, and each is there once",
        arguments: StoreUnderTest.available)
    func bounds(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let dana = try await user(1, in: store)
            var groups: [UUID] = []
            for number in 0..<UserGroup.maximumPerUser + 5 { groups.append(try await group("G\(number)", in: store)) }
            let all = groups
            let results = try await withThrowingTaskGroup(of: [GroupChangeResult].self) { tasks in
                for worker in 0..<5 {
                    tasks.addTask {
                        var results: [GroupChangeResult] = []
                        for group in all.dropFirst(worker * 21).prefix(21) {
                            results.append(try await make(.add(dana, to: group), in: store))
                        }
                        return results
                    }
                }
                return try await tasks.reduce(into: [GroupChangeResult]()) { $0 += $1 }
            }
            #expect(results.count { $0 == .done } == UserGroup.maximumPerUser && results.count { $0 == .full } == 5)
            #expect(try await store.groups(of: dana, in: tenant).count == UserGroup.maximumPerUser)
        }
    }
}
