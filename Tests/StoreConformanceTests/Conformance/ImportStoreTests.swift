import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("Portions of imports")
struct ImportStoreTests {
    private let begun = ImportProgress(begunAt: noon)
    private let file = digest("file")

    private func imported(_ user: NewUser) throws -> ImportedUser {
        ImportedUser(
            user: user, emailProvenAt: noon - 60, disabledAt: noon - 30,
            strongMethods: [try fixtureMethod("second@example.com")], requiresSecondFactor: true,
            passwordIsFromReset: true)
    }

    private func progress(_ records: Int) -> ImportProgress {
        ImportProgress(records: records, created: records, updated: 0, skipped: 0, refused: 0, begunAt: noon)
    }

    private func query(_ users: [NewUser], marks: [Data] = [], deleted: [Data] = []) -> ImportQuery {
        ImportQuery(
            names: users.flatMap { $0.identifiers.map(\.key) }, ids: users.map(\.id), marks: marks,
            deletionMarks: deleted)
    }

    private func write(
        _ users: [NewUser], _ store: any SQLStore, after before: ImportProgress, last: Bool = false
    ) async throws -> ImportFacts? {
        let change = ImportChange(
            users: try users.map(imported), effects: [], progress: progress(before.records + users.count),
            isLast: last)
        return try await store.importUsers(query(users), of: file, after: before, in: contoso) { (change, $0) }
    }

    @Test("SEC-ID-9: an imported user reads back as it was written", arguments: StoreUnderTest.available)
    func users(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let users = (0..<137).map {
                fixtureUser(
                    "user\($0)", alias: $0.isMultiple(of: 2) ? "alias\($0)" : nil,
                    attributes: ["city": .string("Ribe"), "age": .integer($0)],
                    passwordHash: PasswordHash(phc: "$2b$04$\($0)"))
            }
            #expect(try await write(users, store, after: begun) == ImportFacts())
            #expect(try await store.countUsers(in: contoso) == users.count)
            for user in [users[0], users[1], users[136]] {
                let account = try #require(try await store.account(user.id, in: contoso))
                #expect(account.passwordHash == user.passwordHash && account.user.attributes == user.attributes)
                #expect(account.user.email == user.identifiers[0].display)
                #expect(account.user.alias == user.identifiers.dropFirst().first?.display)
                #expect(account.emailProvenAt == noon - 60 && account.disabledAt == noon - 30)
                #expect(account.user.createdAt == noon && account.credentialsChangedAt == noon)
                #expect(account.requiresSecondFactor && account.passwordIsFromReset)
                #expect(account.strongMethods.compactMap(\.email?.address) == ["second@example.com"])
            }
        }
    }

    @Test(
        "SEC-ID-8: a portion learns who has its names and ids, what is reserved and who was deleted",
        arguments: StoreUnderTest.available)
    func facts(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let (ada, eve, new) = (fixtureUser("ada", alias: "lady"), fixtureUser("eve"), fixtureUser("new"))
            let kept = ReservedName(mark: digest("kept"), user: nil, until: noon + 60)
            try await store.perform(
                .createUser(ada), .createUser(eve), .holdName(kept), .deleteUser(eve.id, mark: digest("eve"), at: noon))
            let asked = query(
                [ada, eve, new], marks: [digest("kept"), digest("other")], deleted: [digest("eve"), digest("x")])
            let facts = try await store.importFacts(asked, in: contoso)
            #expect(facts.owners == [key("ada@example.com"): ada.id, key("lady"): ada.id])
            #expect(facts.ids == [ada.id] && facts.reserved == [kept] && facts.deleted == [digest("eve")])
            #expect(try await store.importFacts(asked, in: TenantID(UUID())) == ImportFacts())
        }
    }

    @Test("A portion is written once: progress that differs writes nothing", arguments: StoreUnderTest.available)
    func once(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            #expect(try await store.importProgress(file, in: contoso) == nil)
            #expect(try await write([fixtureUser("one")], store, after: begun) != nil)
            #expect(try await store.importProgress(file, in: contoso) == progress(1))
            #expect(try await write([fixtureUser("two")], store, after: begun) == nil)
            let results = try await race(8) { number in
                try await write([fixtureUser("racer\(number)")], store, after: progress(1)) != nil
            }
            #expect(results.count { $0 } == 1)
            #expect(try await write([fixtureUser("last")], store, after: progress(2), last: true) != nil)
            #expect(try await store.importProgress(file, in: contoso) == nil)
            #expect(try await store.countUsers(in: contoso) == 3)
        }
    }

    @Test(
        "SEC-ID-7: a name that is taken meanwhile fails the portion, and nothing of it stays",
        arguments: StoreUnderTest.available)
    func takenMeanwhile(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            try await store.perform(.createUser(fixtureUser("ada")))
            await expectUnavailable {
                _ = try await write([fixtureUser("new"), fixtureUser("ada")], store, after: begun)
            }
            #expect(try await store.countUsers(in: contoso) == 1)
            #expect(try await store.importProgress(file, in: contoso) == nil)
        }
    }

    @Test(
        "SEC-PWD-11: which passwords are near ids does not depend on the users' ids, and every user's is near some",
        arguments: StoreUnderTest.available)
    func passwordNear(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            #expect(try await store.passwordHash(near: UserID(UUID()), in: contoso) == nil)
            // Ids as an import may bring them: half of the users have ids that begin with the time, and another kind of hash.
            for number in 0..<60 {
                var user = fixtureUser(
                    "user\(number)", passwordHash: PasswordHash(phc: number < 30 ? "own" : "foreign"))
                if number >= 30 {
                    user.id = UserID(
                        try #require(UUID(uuidString: "019abcde-f012-7000-8000-0000000000\(number)")))
                }
                try await store.perform(.createUser(user))
            }
            var kinds: [String: Int] = [:]
            for _ in 0..<400 {
                let hash = try #require(try await store.passwordHash(near: UserID(UUID()), in: contoso))
                kinds[hash.phc, default: 0] += 1
            }
            // By their ids the second kind would be near one id in a thousand.
            #expect(kinds["foreign", default: 0] > 80 && kinds["own", default: 0] > 80, "\(kinds)")
            let id = UserID(UUID())
            #expect(try await store.passwordHash(near: id, in: contoso) == store.passwordHash(near: id, in: contoso))
            #expect(try await store.passwordHash(near: id, in: TenantID(UUID())) == nil)
        }
    }
}
