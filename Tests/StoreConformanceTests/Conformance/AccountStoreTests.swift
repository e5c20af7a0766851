import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

private let oldHash = PasswordHash(phc: "$argon2id$old")
private let newHash = PasswordHash(phc: "$argon2id$new")
private let otherHash = PasswordHash(phc: "$argon2id$other")
private let elsewhere = TenantID(UUID())

/// The effects that need the user they name.
private func effects(of user: UserID) throws -> [Effect] {
    [
        .changePassword(user, newHash, at: noon + 5), .movePassword(user, newHash),
        .addStrongMethod(try fixtureMethod("ada@work.example"), to: user),
        .rememberNetwork(digest("home"), of: user, at: noon + 5),
    ]
}

/// The effects that do nothing without their target.
private func conditionalEffects(on user: UserID) -> [Effect] {
    [.upgradePassword(user, from: oldHash, to: newHash), .revokeRefreshFamilies(user, at: noon + 5)]
}

@Suite("Accounts")
struct AccountStoreTests {
    private func disabling(_ user: NewUser, at date: Date = noon) -> AuditEvent {
        AuditEvent(.accountDisabled, at: date, tenant: user.tenant, user: user.id)
    }

    @Test(arguments: StoreUnderTest.available)
    func aNewAccountReadsBackByIDAndByEachName(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let new = fixtureUser("Ada", alias: "countess", attributes: ["city": "London"], passwordHash: oldHash)
            let eve = fixtureUser("eve")
            try await store.perform(.createUser(eve), .createUser(new))

            let account = UserAccount(
                user: User(
                    id: new.id, tenant: contoso, email: "Ada@example.com", alias: "countess", hasPassword: true,
                    attributes: ["city": "London"], createdAt: noon),
                passwordHash: oldHash, credentialsChangedAt: noon, emailProvenAt: noon)
            #expect(try await store.account(new.id, in: contoso) == account)
            #expect(try await store.account(named: key("Ada@example.com"), in: contoso) == account)
            #expect(try await store.account(named: key("countess"), in: contoso) == account)
            #expect(try await store.facts(fixtureQuery(user: new.id)).account == account)
            #expect(try await store.facts(fixtureQuery()).account == nil)
            #expect(try await store.facts(fixtureQuery(user: UserID(UUID()))).account == nil)
            #expect(try await store.account(eve.id, in: contoso)?.passwordHash == nil)
            #expect(try await store.account(named: key("ada"), in: contoso) == nil)
        }
    }

    @Test("An account is found among 20 000 about as fast as alone", arguments: StoreUnderTest.available)
    func anAccountIsFoundFastAmongMany(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", alias: "ada")
            /// The fastest of many, because the machine may be busy with other tests.
            func fastest() async throws -> Duration {
                var fastest = Duration.seconds(60)
                for _ in 0..<50 {
                    let start = ContinuousClock.now
                    let byID = try await store.facts(fixtureQuery(user: user.id)).account
                    let byName = try await store.account(named: key("ada"), in: contoso)
                    fastest = min(fastest, ContinuousClock.now - start)
                    #expect(byID != nil && byName == byID)
                }
                return fastest
            }
            try await store.perform(.createUser(user))
            let alone = try await fastest()
            let crowd = (0..<20_000).map { Effect.createUser(fixtureUser("user\($0)")) }
            try await store.write(FlowChange(row: FlowRow(expiresAt: noon + 900), effects: crowd), fixtureQuery())
            let amongMany = try await fastest()
            #expect(amongMany < alone * 5)
        }
    }

    @Test("An account of another tenant is neither found nor changed", arguments: StoreUnderTest.available)
    func anAccountOfAnotherTenantIsNotFound(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", alias: "countess", passwordHash: oldHash)
            let family = fixtureFamily(of: user)
            try await store.perform(.createUser(user), .openRefreshFamily(family))
            let before = try await store.account(user.id, in: contoso)

            #expect(try await store.account(user.id, in: elsewhere) == nil)
            #expect(try await store.account(named: key("countess"), in: elsewhere) == nil)
            var query = fixtureQuery(user: user.id)
            query.tenant = elsewhere
            #expect(try await store.facts(query).account == nil)
            #expect(try await store.setDisabled(noon, user.id, in: elsewhere, event: disabling(user)) == false)
            #expect(try await store.setDisabled(nil, user.id, in: elsewhere, event: disabling(user)) == false)
            for effect in try effects(of: user.id) {
                await expectUnavailable { try await store.perform(effect, tenant: elsewhere) }
            }
            for effect in conditionalEffects(on: user.id) { try await store.perform(effect, tenant: elsewhere) }

            #expect(try await store.account(user.id, in: contoso) == before)
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            #expect(
                try await store.isFamiliar(digest("home"), to: user.id, in: contoso, since: .distantPast) == false)
        }
    }

    @Test("REL-TX-1: of a step with an effect that fails no effect stays", arguments: StoreUnderTest.available)
    func ofAFailingStepNoEffectStays(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", passwordHash: oldHash)
            let family = fixtureFamily(of: user)
            let lockout = Lockout(failures: 1, recent: [digest("guess")], lastFailureAt: noon)
            try await store.perform(
                .createUser(user), .openRefreshFamily(family), .setLockout(lockout, subject: digest("ada")))
            let query = fixtureQuery(user: user.id, subjects: [digest("ada")], lockout: digest("ada"))
            let before = try await store.facts(query)

            let nobody = UserID(UUID())
            let failing =
                try effects(of: nobody) + [
                    .createUser(fixtureUser("ada")),
                    .setLockout(Lockout(failures: 1, recent: [Data([1])], lastFailureAt: noon), subject: digest("eve")),
                ]
            let good =
                try conditionalEffects(on: user.id) + effects(of: user.id) + [
                    .setLockout(nil, subject: digest("ada")), .count(.wrongCode, subject: digest("ada"), at: noon),
                ]
            for bad in failing {
                let change = FlowChange(row: FlowRow(expiresAt: noon + 900), effects: good + [bad])
                await #expect(throws: StoreError.self, "\(bad)") { try await store.write(change, query) }
            }

            #expect(try await store.facts(query) == before)
            #expect(try await store.refreshFamily(family.id, in: contoso) == family)
            #expect(
                try await store.isFamiliar(digest("home"), to: user.id, in: contoso, since: .distantPast) == false)
            // They are valid.
            try await store.write(FlowChange(row: FlowRow(expiresAt: noon + 900), effects: good), query)
            #expect(try await store.facts(query) != before)
        }
    }

    @Test("SEC-CT-9: another password raises the credential version", arguments: StoreUnderTest.available)
    func anotherPasswordRaisesTheVersion(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (user, eve) = (fixtureUser("ada"), fixtureUser("eve", passwordHash: oldHash))
            try await store.perform(.createUser(user), .createUser(eve))
            try await store.perform(.changePassword(user.id, oldHash, at: noon + 5))
            try await store.perform(.changePassword(user.id, newHash, at: noon + 7))

            let account = try #require(try await store.account(user.id, in: contoso))
            #expect(account.passwordHash == newHash && account.user.hasPassword)
            #expect(account.credentialVersion == 2)
            #expect(account.credentialsChangedAt == noon + 7)
            #expect(account.user.createdAt == noon)
            let other = try #require(try await store.account(eve.id, in: contoso))
            #expect(other.passwordHash == oldHash && other.credentialVersion == 0 && other.credentialsChangedAt == noon)
        }
    }

    @Test("SEC-CT-9: of 16 changes decided on one version one is made", arguments: StoreUnderTest.available)
    func ofChangesOnOneVersionOneIsMade(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", passwordHash: oldHash)
            try await store.perform(.createUser(user))
            let wins = try await race(16) { index -> Int? in
                try await store.step(fixtureQuery(user: user.id)) { facts in
                    guard facts.account?.credentialVersion == 0 else { return (nil, nil) }
                    let change = Effect.changePassword(user.id, PasswordHash(phc: "$\(index)"), at: noon + 1)
                    return (FlowChange(row: FlowRow(expiresAt: noon + 900), effects: [change]), index)
                }
            }.compactMap(\.self)
            #expect(wins.count == 1)
            let account = try await store.account(user.id, in: contoso)
            #expect(account?.credentialVersion == 1)
            #expect(account?.passwordHash?.phc == wins.first.map { "$\($0)" })
        }
    }

    @Test("SEC-PWD-7: a hash is upgraded once, and not when the password changed", arguments: StoreUnderTest.available)
    func aHashIsUpgradedOnce(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", passwordHash: oldHash)
            let codeUser = fixtureUser("eve")
            try await store.perform(.createUser(user), .createUser(codeUser))

            try await store.perform(.upgradePassword(user.id, from: oldHash, to: newHash))
            // A second sign-in, under way at the same time, comes too late.
            try await store.perform(.upgradePassword(user.id, from: oldHash, to: otherHash))
            var account = try #require(try await store.account(user.id, in: contoso))
            #expect(account.passwordHash == newHash)
            #expect(account.credentialVersion == 0 && account.credentialsChangedAt == noon)

            try await store.perform(.changePassword(user.id, otherHash, at: noon + 5))
            try await store.perform(.upgradePassword(user.id, from: newHash, to: oldHash))
            account = try #require(try await store.account(user.id, in: contoso))
            #expect(account.passwordHash == otherHash && account.credentialVersion == 1)

            try await store.perform(.upgradePassword(codeUser.id, from: oldHash, to: newHash))
            #expect(try await store.account(codeUser.id, in: contoso)?.passwordHash == nil)
        }
    }

    @Test(
        "SEC-HOOK-7: a password of another system is stored over a hash or none, and the version stays",
        arguments: StoreUnderTest.available)
    func aPasswordIsMoved(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let users = [fixtureUser("ada", passwordHash: oldHash), fixtureUser("eve")]
            for user in users {
                try await store.perform(.createUser(user))
                try await store.perform(
                    .movePassword(user.id, newHash),
                    .setAttributes([AttributeChange("extension_toMove", .boolean(false))], of: user.id))
                let account = try #require(try await store.account(user.id, in: contoso))
                #expect(account.passwordHash == newHash && account.user.hasPassword)
                #expect(account.credentialVersion == 0 && account.credentialsChangedAt == noon)
                #expect(account.user.attributes["extension_toMove"] == .boolean(false))
            }
        }
    }

    @Test("SEC-TOK-10: disabling raises the version and revokes", arguments: StoreUnderTest.available)
    func aDisabledAccountIsRevoked(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (user, eve) = (fixtureUser("ada", passwordHash: oldHash), fixtureUser("eve"))
            let (family, other) = (fixtureFamily(of: user), fixtureFamily(of: eve))
            try await store.perform(
                .createUser(user), .createUser(eve), .openRefreshFamily(family), .openRefreshFamily(other))

            #expect(try await store.setDisabled(noon + 5, user.id, in: contoso, event: disabling(user)))
            let disabled = try #require(try await store.account(user.id, in: contoso))
            #expect(disabled.disabledAt == noon + 5)
            #expect(disabled.credentialVersion == 1 && disabled.credentialsChangedAt == noon + 5)
            #expect(disabled.passwordHash == oldHash)
            #expect(try await store.refreshFamily(family.id, in: contoso)?.revokedAt == noon + 5)
            #expect(try await store.refreshFamily(other.id, in: contoso) == other)
            #expect(try await store.account(eve.id, in: contoso)?.disabledAt == nil)

            #expect(try await store.setDisabled(nil, user.id, in: contoso, event: disabling(user)))
            var enabled = disabled
            enabled.disabledAt = nil
            #expect(try await store.account(user.id, in: contoso) == enabled)
            #expect(try await store.refreshFamily(family.id, in: contoso)?.revokedAt == noon + 5)
            #expect(
                try await store.setDisabled(noon, UserID(UUID()), in: contoso, event: disabling(user)) == false)
        }
    }

    @Test(
        "SEC-TOK-10, SEC-CT-9: forgetting the methods raises the version and revokes",
        arguments: StoreUnderTest.available)
    func forgottenMethodsAreGone(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (user, eve) = (fixtureUser("ada", passwordHash: oldHash), fixtureUser("eve"))
            let (family, other) = (fixtureFamily(of: user), fixtureFamily(of: eve))
            let method = try fixtureMethod("ada@work.example")
            try await store.perform(
                .createUser(user), .createUser(eve), .openRefreshFamily(family), .openRefreshFamily(other),
                .addStrongMethod(method, to: user.id), .addStrongMethod(method, to: eve.id))
            let event = AuditEvent(.methodsForgotten, at: noon + 5, tenant: contoso, user: user.id)

            for (id, tenant) in [(user.id, elsewhere), (UserID(UUID()), contoso)] {
                #expect(try await !store.forgetStrongMethods(of: id, in: tenant, at: noon + 5, event: event, mails: []))
            }
            #expect(try await store.account(user.id, in: contoso)?.strongMethods == [method])

            #expect(
                try await store.forgetStrongMethods(of: user.id, in: contoso, at: noon + 5, event: event, mails: []))
            let account = try #require(try await store.account(user.id, in: contoso))
            #expect(account.strongMethods.isEmpty && account.passwordHash == oldHash)
            #expect(account.credentialVersion == 1 && account.credentialsChangedAt == noon + 5)
            #expect(try await store.refreshFamily(family.id, in: contoso)?.revokedAt == noon + 5)
            #expect(try await store.refreshFamily(other.id, in: contoso) == other)
            #expect(try await store.account(eve.id, in: contoso)?.strongMethods == [method])
        }
    }
}

@Suite("Strong methods")
struct StrongMethodTests {
    @Test(arguments: StoreUnderTest.available)
    func methodsReadBackOldestFirst(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let late = try fixtureMethod("Ada@Work.example", provenAt: noon + 9)
            let early = try fixtureMethod("ada@home.example", provenAt: noon + 3)
            try await store.perform(
                .createUser(user), .addStrongMethod(late, to: user.id), .addStrongMethod(early, to: user.id))
            let account = try await store.account(user.id, in: contoso)
            #expect(account?.strongMethods == [early, late])
            #expect(account?.strongMethods.last?.email?.display == "Ada@Work.example")
            #expect(account?.credentialVersion == 0)
        }
    }

    @Test("A method with the same address gives way, of this user only", arguments: StoreUnderTest.available)
    func aMethodWithTheSameAddressGivesWay(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            let first = try fixtureMethod("ada@work.example", provenAt: noon)
            let home = try fixtureMethod("ada@home.example", provenAt: noon + 1)
            let again = try fixtureMethod("ADA@work.example", provenAt: noon + 2)
            let shared = try fixtureMethod("ada@work.example", provenAt: noon)
            try await store.perform(
                .createUser(ada), .createUser(eve), .addStrongMethod(first, to: ada.id),
                .addStrongMethod(home, to: ada.id), .addStrongMethod(shared, to: eve.id),
                .addStrongMethod(again, to: ada.id))
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [home, again])
            #expect(try await store.account(eve.id, in: contoso)?.strongMethods == [shared])
        }
    }
}

@Suite("Lockouts")
struct LockoutStoreTests {
    @Test(arguments: StoreUnderTest.available)
    func failuresReadBackPerSubjectAndTenant(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let subject = digest("ada, familiar")
            let query = fixtureQuery(lockout: subject)
            #expect(try await store.facts(query).lockout == nil)
            let lockouts = [
                Lockout(failures: 1, recent: [], lastFailureAt: noon),
                Lockout(
                    failures: 12, lockedUntil: noon + 240, recent: ["1", "2", "3"].map(digest), lastFailureAt: noon + 1),
                Lockout(failures: 2, recent: [digest("4")], lastFailureAt: noon + 2),
            ]
            for lockout in lockouts {
                try await store.perform(.setLockout(lockout, subject: subject))
                #expect(try await store.facts(query).lockout == lockout)
            }
            #expect(try await store.facts(fixtureQuery(lockout: digest("ada, unfamiliar"))).lockout == nil)
            #expect(try await store.facts(fixtureQuery()).lockout == nil)
            var foreign = query
            foreign.tenant = elsewhere
            #expect(try await store.facts(foreign).lockout == nil)

            // A success of another tenant or another subject does not clear it.
            try await store.perform(.setLockout(nil, subject: subject), tenant: elsewhere)
            try await store.perform(.setLockout(nil, subject: digest("eve")))
            #expect(try await store.facts(query).lockout == lockouts[2])
            try await store.perform(.setLockout(nil, subject: subject))
            #expect(try await store.facts(query).lockout == nil)
        }
    }

    @Test("SEC-LOCK-1: failures are removed a day after the last one", arguments: StoreUnderTest.available)
    func failuresAreRemovedAfterADay(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            for (name, after) in [("ada", 0.0), ("eve", 0.001)] {
                let lockout = Lockout(failures: 3, recent: [digest("x")], lastFailureAt: noon + after)
                try await store.perform(.setLockout(lockout, subject: digest(name)))
            }
            // The flows of the two steps.
            #expect(try await store.removeExpired(now: noon + 900) == 2)
            #expect(try await store.removeExpired(now: noon + 86_399.999) == 0)
            #expect(try await store.removeExpired(now: noon + 86_400) == 1)
            #expect(try await store.facts(fixtureQuery(lockout: digest("ada"))).lockout == nil)
            #expect(try await store.facts(fixtureQuery(lockout: digest("eve"))).lockout?.failures == 3)
        }
    }

    @Test(
        "SEC-LOCK-2: of 2 000 guesses from 50 callers at most ten are compared", arguments: StoreUnderTest.available)
    func parallelGuessesAreAdmittedOneByOne(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let subject = digest("ada")
            let compared = try await race(50) { caller in
                var compared = 0
                for attempt in 0..<40 {
                    let guess = digest("\(caller) \(attempt)")
                    compared += try await store.step(fixtureQuery(lockout: subject)) { facts in
                        switch Lockout.admitting(guess, to: facts.lockout, now: noon) {
                        case .locked: return (nil, 0)
                        case .compare(let lockout):
                            let effect = Effect.setLockout(lockout, subject: subject)
                            return (FlowChange(row: FlowRow(expiresAt: noon + 900), effects: [effect]), 1)
                        }
                    }
                }
                return compared
            }
            #expect(compared.reduce(0, +) == 10)
            let lockout = try await store.facts(fixtureQuery(lockout: subject)).lockout
            #expect(lockout?.failures == 10 && lockout?.lockedUntil == noon + 60)
        }
    }
}

@Suite("Known networks")
struct KnownNetworkTests {
    @Test("SEC-LOCK-3: a network is familiar to its user, since it was last seen", arguments: StoreUnderTest.available)
    func aNetworkIsFamiliarToItsUser(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            let home = digest("home")
            try await store.perform(
                .createUser(ada), .createUser(eve), .rememberNetwork(home, of: ada.id, at: noon + 5))
            func isFamiliar(_ network: Data, _ user: NewUser, since: Date, tenant: TenantID = contoso) async throws
                -> Bool
            {
                try await store.isFamiliar(network, to: user.id, in: tenant, since: since)
            }
            #expect(try await isFamiliar(home, ada, since: noon + 5))
            #expect(try await !isFamiliar(home, ada, since: noon + 5.001))
            #expect(try await !isFamiliar(digest("office"), ada, since: noon))
            #expect(try await !isFamiliar(home, eve, since: noon))
            #expect(try await !isFamiliar(home, ada, since: noon, tenant: elsewhere))

            try await store.perform(.rememberNetwork(home, of: ada.id, at: noon + 9))
            #expect(try await isFamiliar(home, ada, since: noon + 9))
            // A step that read its clock earlier does not set it back.
            try await store.perform(.rememberNetwork(home, of: ada.id, at: noon + 7))
            #expect(try await isFamiliar(home, ada, since: noon + 9))
        }
    }

    @Test("SEC-ID-11: a user's networks can be forgotten, and no other user's are", arguments: StoreUnderTest.available)
    func networksCanBeForgotten(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            let networks = [digest("home"), digest("office")]
            try await store.perform(.createUser(ada), .createUser(eve))
            for network in networks {
                try await store.perform(
                    .rememberNetwork(network, of: ada.id, at: noon), .rememberNetwork(network, of: eve.id, at: noon))
            }
            try await store.perform(.forgetNetworks(ada.id))
            for network in networks {
                #expect(try await !store.isFamiliar(network, to: ada.id, in: contoso, since: noon))
                #expect(try await store.isFamiliar(network, to: eve.id, in: contoso, since: noon))
            }
        }
    }

    @Test("SEC-LOCK-3: the 20 newest networks of each user are kept", arguments: StoreUnderTest.available)
    func theTwentyNewestAreKept(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            try await store.perform(
                .createUser(ada), .createUser(eve), .rememberNetwork(digest("0"), of: eve.id, at: noon))
            for index in 0..<20 {
                try await store.perform(.rememberNetwork(digest("\(index)"), of: ada.id, at: noon + Double(index)))
            }
            func known(_ user: NewUser) async throws -> Set<Int> {
                var known: Set<Int> = []
                for index in 0..<25
                where try await store.isFamiliar(digest("\(index)"), to: user.id, in: contoso, since: .distantPast) {
                    known.insert(index)
                }
                return known
            }
            #expect(try await known(ada) == Set(0..<20))
            // Seen again, so that the second is the oldest now.
            try await store.perform(.rememberNetwork(digest("0"), of: ada.id, at: noon + 30))
            try await store.perform(.rememberNetwork(digest("20"), of: ada.id, at: noon + 31))
            #expect(try await known(ada) == Set([0] + Array(2...20)))
            #expect(try await known(eve) == [0])
        }
    }

    @Test("SEC-LOCK-3: a network is forgotten after 30 days", arguments: StoreUnderTest.available)
    func aNetworkIsForgottenAfterThirtyDays(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada")
            let month = 30 * 86_400.0
            try await store.perform(
                .createUser(ada), .rememberNetwork(digest("home"), of: ada.id, at: noon),
                .rememberNetwork(digest("office"), of: ada.id, at: noon + 0.001))
            // The flow of the step.
            #expect(try await store.removeExpired(now: noon + month) == 1)
            #expect(try await store.isFamiliar(digest("home"), to: ada.id, in: contoso, since: noon))
            #expect(try await store.removeExpired(now: noon + month + 0.001) == 1)
            #expect(try await !store.isFamiliar(digest("home"), to: ada.id, in: contoso, since: .distantPast))
            #expect(try await store.isFamiliar(digest("office"), to: ada.id, in: contoso, since: .distantPast))
        }
    }
}

@Suite("Revocation of refresh tokens")
struct RevocationTests {
    /// Presents the live token at `now`; returns whether a new one was given.
    private static func refresh(_ family: RefreshFamily, in store: any AnyStore) async throws -> Bool {
        try await store.updateRefreshFamily(family.id, in: contoso) { old in
            guard var new = old, new.revokedAt == nil else { return (nil, nil, false) }
            new.generation += 1
            new.tokenDigest = digest("generation \(new.generation)")
            return (new, AuditEvent(.tokenRefreshed, at: noon, tenant: contoso), true)
        }
    }

    /// Gives the user a family if the credentials still have `version`, as a sign-in does at its end.
    private static func signIn(_ user: NewUser, version: Int, in store: any AnyStore) async throws -> RefreshFamily? {
        let family = fixtureFamily(of: user)
        return try await store.step(fixtureQuery(user: user.id)) { facts in
            guard facts.account?.credentialVersion == version else { return (nil, nil) }
            return (FlowChange(row: FlowRow(expiresAt: noon + 900), effects: [.openRefreshFamily(family)]), family)
        }
    }

    @Test(
        "SEC-TOK-10: every family of the user is revoked, once, and no other's", arguments: StoreUnderTest.available)
    func everyFamilyOfTheUserIsRevoked(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            let twin = NewUser(
                id: ada.id, tenant: elsewhere, client: app, identifiers: ada.identifiers, passwordHash: nil,
                attributes: [:], createdAt: noon)
            let families = [ada, ada, eve, twin].map { fixtureFamily(of: $0) }
            try await store.perform(.createUser(ada), .createUser(eve), .createUser(twin))
            for family in families { try await store.perform(.openRefreshFamily(family)) }

            try await store.perform(.revokeRefreshFamilies(ada.id, at: noon + 5))
            let late = fixtureFamily(of: ada)
            try await store.perform(.openRefreshFamily(late))
            try await store.perform(.revokeRefreshFamilies(ada.id, at: noon + 9))

            for (family, revokedAt) in zip(families + [late], [noon + 5, noon + 5, nil, nil, noon + 9]) {
                var expected = family
                expected.revokedAt = revokedAt
                #expect(try await store.refreshFamily(family.id, in: family.tenant) == expected)
            }
        }
    }

    @Test(
        "SEC-TOK-10: after 1 000 races of refresh and sign-in against revocation no token is live",
        arguments: StoreUnderTest.available, [false, true])
    func noTokenOutlivesTheRevocation(_ sut: StoreUnderTest, byDisabling: Bool) async throws {
        try await sut.withStore { store in
            let users = (0..<1000).map { fixtureUser("user\($0)", passwordHash: oldHash) }
            let families = users.map { fixtureFamily(of: $0) }
            _ = try await race(1000) {
                try await store.perform(.createUser(users[$0]), .openRefreshFamily(families[$0]))
            }
            @Sendable func revoke(_ user: NewUser) async throws {
                if byDisabling {
                    let event = AuditEvent(.accountDisabled, at: noon + 1, tenant: contoso, user: user.id)
                    #expect(try await store.setDisabled(noon + 1, user.id, in: contoso, event: event))
                } else {
                    try await store.perform(
                        .changePassword(user.id, newHash, at: noon + 1), .revokeRefreshFamilies(user.id, at: noon + 1))
                }
            }

            /// The user's tokens before the revocation, and the live ones after its answer.
            let tallies = try await race(1000) { index -> (given: Int, live: Int) in
                let (user, family) = (users[index], families[index])
                // So that both orders are among the races on any machine.
                if index == 0 { #expect(try await Self.refresh(family, in: store)) }
                if index == 1 { try await revoke(user) }
                async let isRefreshed = Self.refresh(family, in: store)
                async let signedIn = Self.signIn(user, version: 0, in: store)
                async let isRevoked: Void = index == 1 ? () : revoke(user)

                try await isRevoked
                let opened = try await signedIn
                var live = 0
                for candidate in [family, opened].compactMap(\.self) {
                    if try await Self.refresh(candidate, in: store) { live += 1 }
                    if try await store.refreshFamily(candidate.id, in: contoso)?.revokedAt != noon + 1 { live += 1 }
                }
                return (try await (isRefreshed ? 1 : 0) + (opened == nil ? 0 : 1), live)
            }
            #expect(tallies.map(\.live).reduce(0, +) == 0)
            let given = tallies.map(\.given).reduce(0, +)
            #expect((1..<2000).contains(given), "\(given) tokens were given before the revocations")
        }
    }
}
