import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

/// What changes and ends of accounts ask a store.
@Suite("Changes and ends of accounts")
struct AccountChangeStoreTests {
    @Test(
        "SEC-ID-8: a name at rest is found by its mark until it is released or its time is over",
        arguments: StoreUnderTest.available)
    func heldNames(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada")
            let own = ReservedName(mark: digest("old"), user: ada.id, until: noon + 60)
            let ownerless = ReservedName(mark: digest("gone"), user: nil, until: noon + 120)
            try await store.perform(.createUser(ada), .holdName(own), .holdName(ownerless))
            func held(_ marks: Data...) async throws -> Set<ReservedName> {
                Set(try await store.taken([], marks: marks, in: contoso).reserved)
            }
            #expect(try await held(digest("old"), digest("gone"), digest("other")) == [own, ownerless])
            #expect(try await store.taken([], marks: [digest("old")], in: TenantID(UUID())).reserved.isEmpty)
            // Held again, by another user or for longer: the last word counts.
            let longer = ReservedName(mark: digest("old"), user: nil, until: noon + 180)
            try await store.perform(.holdName(longer))
            #expect(try await held(digest("old")) == [longer])
            let seen = try await store.change(ada.id, in: contoso, names: [key("x")], marks: [digest("gone")]) {
                ([], Set($0.reserved))
            }
            #expect(seen == [ownerless])
            _ = try await store.removeExpired(now: noon + 120)
            #expect(try await held(digest("old"), digest("gone")) == [longer])
            try await store.perform(.releaseNames([digest("old"), digest("none")]), .releaseNames([]))
            #expect(try await held(digest("old")).isEmpty)
        }
    }

    @Test(
        "A login name is replaced as one change, and the right to take it back ends",
        arguments: StoreUnderTest.available)
    func names(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada", alias: "countess"), fixtureUser("eve"))
            try await store.perform(.createUser(ada), .createUser(eve))
            let (old, new) = (
                try #require(EmailAddress("ada@example.com")), try #require(EmailAddress("ada@new.example"))
            )
            func undo(_ code: String, _ seconds: Double, until: Double) -> EmailUndo {
                EmailUndo(
                    codeDigest: digest(code), user: ada.id, old: old, changedAt: noon + seconds, until: noon + until)
            }
            try await store.perform(
                .replaceName(.email, with: new.identifier, of: ada.id, at: noon + 5),
                .offerUndo(undo("first", 5, until: 60)))
            #expect(try await store.account(named: new.key, in: contoso)?.user.id == ada.id)
            #expect(try await store.account(ada.id, in: contoso)?.user.alias == "countess")
            #expect(
                try await store.emailUndo(digest("first"), in: contoso, now: noon + 59) == undo("first", 5, until: 60))
            #expect(try await store.emailUndo(digest("first"), in: contoso, now: noon + 60) == nil)
            #expect(try await store.emailUndo(digest("first"), in: TenantID(UUID()), now: noon) == nil)

            try await store.perform(.offerUndo(undo("second", 30, until: 90)), .forgetUndos(ada.id, since: noon + 30))
            #expect(try await store.emailUndo(digest("second"), in: contoso, now: noon + 31) == nil)
            #expect(try await store.emailUndo(digest("first"), in: contoso, now: noon + 31) != nil)

            try await store.perform(.replaceName(.alias, with: nil, of: ada.id, at: noon + 6))
            #expect(try await store.account(ada.id, in: contoso)?.user.alias == nil)
            // Another account's name is refused, and nothing of the change is written.
            await #expect(throws: StoreError.self) {
                try await store.perform(
                    .setDisabled(eve.id, noon), .replaceName(.email, with: new.identifier, of: eve.id, at: noon + 7))
            }
            #expect(try await store.account(eve.id, in: contoso)?.disabledAt == nil)
        }
    }

    @Test("A deletion leaves nothing of the user, and everything of others", arguments: StoreUnderTest.available)
    func deletion(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (
                fixtureUser("ada", alias: "countess", attributes: ["city": "Ribe"]),
                fixtureUser("eve", alias: "eva", attributes: ["city": "Oslo"])
            )
            let old = try #require(EmailAddress("before@example.com"))
            for user in [ada, eve] {
                try await store.perform(
                    .createUser(user), .openRefreshFamily(fixtureFamily(of: user)),
                    .addStrongMethod(try fixtureMethod("\(user.id)@example.org"), to: user.id),
                    .rememberNetwork(digest("home"), of: user.id, at: noon),
                    .offerUndo(
                        EmailUndo(
                            codeDigest: digest(String("\(user.id)".prefix(8))), user: user.id, old: old,
                            changedAt: noon, until: noon + 60
                        )),
                    .record(AuditEvent(.signUpCompleted, at: noon, tenant: contoso, user: user.id)))
            }
            try await store.perform(.deleteUser(ada.id, mark: digest("ada"), at: noon + 1))
            #expect(try await store.account(ada.id, in: contoso) == nil)
            #expect(try await store.isDeleted(digest("ada"), in: contoso))
            #expect(try await !store.isDeleted(digest("eve"), in: contoso))
            for table in [
                "users", "identifiers", "attributes", "refresh_families", "strong_methods", "known_networks",
                "email_undos",
            ] {
                let left = try await rows("SELECT * FROM \(table)", in: store)
                #expect(left.count == (table == "identifiers" ? 2 : 1), "\(table): \(left.count)")
            }
            #expect(try await store.account(eve.id, in: contoso)?.user.attributes == ["city": "Oslo"])
            #expect(try await store.events(of: ada.id, in: contoso, limit: 10).map(\.event.kind) == [.signUpCompleted])
            // Her name is another user's now.
            try await store.perform(.createUser(fixtureUser("ada")))
            #expect(try await store.countUsers(in: contoso) == 2)
        }
    }

    @Test("A deletion waits for its day, and can be taken back", arguments: StoreUnderTest.available)
    func schedule(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let users = ["ada", "eve", "bob"].map { fixtureUser($0) }
            for (index, user) in users.enumerated() {
                try await store.perform(.createUser(user), .scheduleDeletion(user.id, noon + 10 - Double(index)))
            }
            try await store.perform(.scheduleDeletion(users[1].id, nil))
            #expect(try await store.account(users[0].id, in: contoso)?.deletionDueAt == noon + 10)
            #expect(try await store.account(users[1].id, in: contoso)?.deletionDueAt == nil)
            #expect(try await store.usersToDelete(now: noon + 7, limit: 9).isEmpty)
            #expect(try await store.usersToDelete(now: noon + 10, limit: 9).map(\.user) == [users[2].id, users[0].id])
            #expect(try await store.usersToDelete(now: noon + 10, limit: 1).map(\.user) == [users[2].id])
        }
    }

    @Test(
        "Sessions are listed, the last used first, and end alone, but for one, or all",
        arguments: StoreUnderTest.available
    )
    func sessions(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            var families = (0..<4).map { index in
                var family = fixtureFamily(of: ada)
                family.createdAt = noon + Double(index)
                family.device = SessionDevice(model: "model \(index)", system: "1.\(index)")
                family.network = "192.0.2.0/24"
                return family
            }
            families[3].expiresAt = noon + 5
            let foreign = fixtureFamily(of: eve)
            try await store.perform(.createUser(ada), .createUser(eve), .openRefreshFamily(foreign))
            for family in families { try await store.perform(.openRefreshFamily(family)) }
            func listed() async throws -> [UUID] {
                try await store.sessions(of: ada.id, in: contoso, now: noon + 6).map(\.id)
            }
            #expect(try await listed() == [families[2].id, families[1].id, families[0].id])
            let first = try await store.sessions(of: ada.id, in: contoso, now: noon + 6).last
            #expect(first?.device == families[0].device && first?.network == "192.0.2.0/24")

            try await store.perform(
                .revokeRefreshFamily(families[1].id, of: ada.id, at: noon + 7),
                .revokeRefreshFamily(foreign.id, of: ada.id, at: noon + 7))
            #expect(try await listed() == [families[2].id, families[0].id])
            #expect(try await store.sessions(of: eve.id, in: contoso, now: noon + 6).count == 1, "not hers to end")

            try await store.perform(
                .changeCredentials(ada.id, at: noon + 8),
                .revokeRefreshFamilies(ada.id, except: families[0].id, at: noon + 8))
            #expect(try await listed() == [families[0].id])
            #expect(try await store.sessions(of: ada.id, in: contoso, now: noon + 9).first?.keptAt == noon + 8)
            try await store.perform(.revokeRefreshFamilies(ada.id, at: noon + 9))
            #expect(try await listed().isEmpty)
        }
    }
}
