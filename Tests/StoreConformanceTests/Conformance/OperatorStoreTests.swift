import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

/// What the commands of an operator ask a store.
@Suite("Users for an operator")
struct OperatorStoreTests {
    @Test("Pages of users have each one once, in the order of their ids", arguments: DatabaseUnderTest.all)
    func pages(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let users = (0..<120).map { fixtureUser("user\($0)", alias: "alias\($0)") }
            let other = TenantID(UUID())
            try await store.perform(.createUser(fixtureUser("eve", tenant: other)), tenant: other)
            for user in users { try await store.perform(.createUser(user)) }
            var found: [UserID] = []
            while true {
                let page = try await store.userIDs(in: contoso, after: found.last, limit: 50)
                #expect(page.count <= 50)
                found += page
                if page.count < 50 { break }
            }
            let ids = users.map(\.id).sorted { $0.description < $1.description }
            #expect(found == ids)
            let listed = try await store.users(UserPageRequest(limit: 120), in: contoso)
            #expect(listed.users.map(\.user.id) == ids && listed.next == nil)
            #expect(Set(listed.users.map(\.user.alias)) == Set((0..<120).map { "alias\($0)" }))
        }
    }

    @Test("Users are chosen by the beginning of the address, state and time", arguments: DatabaseUnderTest.all)
    func filters(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, adam) = (fixtureUser("ada"), fixtureUser("adam", alias: "bob"))
            var bob = fixtureUser("bob", alias: "ada")
            bob.createdAt = noon + 60
            try await store.perform(
                .createUser(ada), .createUser(adam), .createUser(bob), .setDisabled(adam.id, noon + 1))
            func found(_ condition: UserCondition?) async throws -> Set<UserID> {
                Set(try await store.users(UserPageRequest(condition, limit: 10), in: contoso).users.map(\.user.id))
            }
            #expect(try await found(nil) == [ada.id, adam.id, bob.id])
            #expect(try await found(.mail(.begins("ADA"))) == [ada.id, adam.id])
            #expect(try await found(.mail(.begins("ada@"))) == [ada.id])
            #expect(try await found(.mail(.begins("bob"))) == [bob.id])
            #expect(try await found(.mail(.begins("da"))).isEmpty)
            #expect(try await found(.isEnabled(false)) == [adam.id])
            #expect(try await found(.isEnabled(true)) == [ada.id, bob.id])
            #expect(try await found(.createdSince(noon + 60)) == [bob.id])
            #expect(try await found(.createdSince(noon + 61)).isEmpty)
            #expect(try await found(.all([.mail(.begins("ada")), .isEnabled(false)])) == [adam.id])
        }
    }

    @Test("Marks of deleted users are listed page by page, and remembered once", arguments: DatabaseUnderTest.all)
    func deletions(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada")
            try await store.perform(.createUser(ada), .deleteUser(ada.id, mark: digest("ada"), at: noon + 5))
            let elsewhere = TenantID(UUID())
            let more = (0..<7).map {
                DeletionMark(tenant: $0 < 3 ? contoso : elsewhere, mark: digest("gone\($0)"), deletedAt: noon)
            }
            let known = DeletionMark(tenant: contoso, mark: digest("ada"), deletedAt: noon + 5)
            try await store.remember(more)
            // A mark that is there already keeps its time.
            try await store.remember([DeletionMark(tenant: contoso, mark: digest("ada"), deletedAt: noon + 9)])
            var found: [DeletionMark] = []
            while true {
                let page = try await store.deletions(after: found.last, limit: 3)
                if page.isEmpty { break }
                found += page
            }
            #expect(found.count == 8 && Set(found) == Set(more + [known]))
            #expect(try await store.isDeleted(digest("gone6"), in: elsewhere))
        }
    }
}
