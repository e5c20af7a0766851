import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

private let hash = PasswordHash(phc: "$argon2id$old")

@Suite("What is kept of an enrolment")
struct EnrolmentStoreTests {
    @Test(
        "SEC-ENR-1: under which proofs, when, where and from which network a method was enrolled reads back",
        arguments: StoreUnderTest.available)
    func theEnrolmentReadsBack(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let enrolments = [
                Enrolment(.password, authenticatedAt: noon - 9, client: app, isFamiliarSource: true),
                Enrolment(.mailbox, authenticatedAt: noon - 8, client: app, isFamiliarSource: false),
                Enrolment(.twoFactors, authenticatedAt: noon - 7), Enrolment(.unknown),
            ]
            let methods = try enrolments.enumerated().map { index, enrolment in
                var method = try fixtureMethod("ada@d\(index).example", provenAt: noon + TimeInterval(index))
                method.enrolment = enrolment
                return method
            }
            try await store.perform(.createUser(user))
            for method in methods { try await store.perform(.addStrongMethod(method, to: user.id)) }
            #expect(try await store.account(user.id, in: contoso)?.strongMethods == methods)
        }
    }

    @Test(
        "A method of a kind that a newer version stored reads back with its kind, beside mailboxes, and can be removed",
        arguments: StoreUnderTest.available)
    func kindsOfNewerVersions(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let mailbox = try fixtureMethod("ada@work.example")
            let newer = (1...2).map { number in
                StrongMethod(
                    id: UUID(), kind: .unknown("palm"), provenAt: noon + TimeInterval(number),
                    enrolment: Enrolment(.twoFactors, authenticatedAt: noon), lastUsedAt: noon + 9, name: "Phone")
            }
            try await store.perform(.createUser(user))
            for method in [mailbox] + newer { try await store.perform(.addStrongMethod(method, to: user.id)) }
            #expect(try await store.account(user.id, in: contoso)?.strongMethods == [mailbox] + newer)
            #expect(try await store.account(user.id, in: contoso)?.noticeChannels.count == 2)
            try await store.perform(
                .setSuspension([newer[0].id], of: user.id, noon), .removeStrongMethods([newer[1].id], of: user.id))
            var suspended = newer[0]
            suspended.suspendedAt = noon
            #expect(try await store.account(user.id, in: contoso)?.strongMethods == [mailbox, suspended])
        }
    }

    @Test(
        "SEC-TOTP-2: an authenticator app reads back with its sealed secret, and no step is spent twice",
        arguments: StoreUnderTest.available)
    func authenticatorApps(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            func app(_ number: Int) -> StrongMethod {
                StrongMethod(
                    id: UUID(),
                    kind: .app(
                        EnrolledApp(
                            sealedSecret: Data(repeating: UInt8(number), count: 52),
                            clock: AppClock(spentStep: 1_000 + number, drift: -1, lastOffset: 1))),
                    provenAt: noon + TimeInterval(number), enrolment: Enrolment(.codes, authenticatedAt: noon))
            }
            let (first, second, foreign) = (app(1), app(2), app(3))
            try await store.perform(
                .createUser(ada), .createUser(eve), .addStrongMethod(first, to: ada.id),
                .addStrongMethod(second, to: ada.id), .addStrongMethod(foreign, to: eve.id))
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [first, second])
            let spent = AppClock(spentStep: 1_005, drift: 2, lastOffset: 0)
            try await store.perform(.spendStep(first.id, of: ada.id, spent))
            var after = first
            after.kind = .app(EnrolledApp(sealedSecret: Data(repeating: 1, count: 52), clock: spent))
            for (method, user, step) in [(first, ada, 1_005), (first, ada, 1_004), (foreign, ada, 2_000)] {
                await #expect(throws: StoreError.self) {
                    try await store.perform(.spendStep(method.id, of: user.id, AppClock(spentStep: step)))
                }
            }
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [after, second])
            #expect(try await store.account(eve.id, in: contoso)?.strongMethods == [foreign])
        }
    }

    @Test(
        "SEC-PK-11, SEC-PK-19: a passkey is found by its id, is one user's, and changes from what it was",
        arguments: StoreUnderTest.available)
    func passkeys(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            func passkey(_ number: UInt8) -> EnrolledPasskey {
                EnrolledPasskey(
                    credentialID: Data(repeating: number, count: 16), userHandle: Data(repeating: 9, count: 32),
                    publicKey: Data([1, 2, number]), relyingPartyID: "example.org", signatureCount: 0,
                    isBackupEligible: true, isBackedUp: false, authenticatorModel: Data(count: 16),
                    transports: ["internal", "hybrid"])
            }
            func method(_ passkey: EnrolledPasskey) -> StrongMethod {
                StrongMethod(
                    id: UUID(), kind: .passkey(passkey), provenAt: noon, enrolment: Enrolment(.codes), name: "Phone")
            }
            let (first, copy) = (method(passkey(1)), method(passkey(1)))
            try await store.perform(
                .createUser(ada), .createUser(eve), .addStrongMethod(first, to: ada.id))
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [first])
            let id = Data(repeating: 1, count: 16)
            #expect(try await store.account(with: .passkey(id), in: contoso)?.user.id == ada.id)
            #expect(try await store.account(with: .passkey(Data(repeating: 2, count: 16)), in: contoso) == nil)
            await #expect(throws: StoreError.self) { try await store.perform(.addStrongMethod(copy, to: eve.id)) }
            // The id of a removed one is free again.
            var used = passkey(1)
            used.signatureCount = 7
            used.isBackedUp = true
            try await store.perform(.updatePasskey(first.id, of: ada.id, from: passkey(1), to: used))
            await #expect(throws: StoreError.self) {
                try await store.perform(.updatePasskey(first.id, of: ada.id, from: passkey(1), to: used))
            }
            #expect(try await store.account(ada.id, in: contoso)?.passkeys == [used])
            try await store.perform(.removeStrongMethods([first.id], of: ada.id), .addStrongMethod(copy, to: eve.id))
            #expect(try await store.account(with: .passkey(id), in: contoso)?.user.id == eve.id)
        }
    }

    @Test(
        "SEC-FED-7: an identity is found by issuer and subject, is one user's, and leaves no password where it takes over",
        arguments: StoreUnderTest.available)
    func identities(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada", passwordHash: PasswordHash(phc: "$argon2id$…")), fixtureUser("eve"))
            func method(_ issuer: String, _ subject: String) -> StrongMethod {
                let identity = LinkedIdentity(
                    provider: "harbour", providerName: "Harbour", issuer: issuer, subject: subject,
                    email: "ada@example.org")
                return StrongMethod(
                    id: UUID(), kind: .identity(identity), provenAt: noon, enrolment: Enrolment(.mailbox))
            }
            let (first, copy) = (method("https://one.test", "7"), method("https://one.test", "7"))
            let other = method("https://two.test", "7")
            try await store.perform(
                .createUser(ada), .createUser(eve), .addStrongMethod(first, to: ada.id),
                .addStrongMethod(other, to: eve.id))
            let account = try #require(try await store.account(ada.id, in: contoso))
            #expect(account.strongMethods == [first] && account.identities == [first] && account.secondFactors.isEmpty)
            let key = try #require(first.identity?.key)
            #expect(try await store.account(with: .identity(key), in: contoso)?.user.id == ada.id)
            #expect(
                try await store.account(with: .identity(#require(other.identity?.key)), in: contoso)?.user.id == eve.id)
            #expect(first.identity?.key != method("https://one.tes", "t7").identity?.key)
            // A user chooses the id of a passkey, and takes no one's identity with it.
            let passkey = EnrolledPasskey(
                credentialID: key, userHandle: Data(repeating: 9, count: 32), publicKey: Data([1]),
                relyingPartyID: "example.org", signatureCount: 0, isBackupEligible: true, isBackedUp: false,
                authenticatorModel: Data(count: 16), transports: [])
            let impostor = StrongMethod(
                id: UUID(), kind: .passkey(passkey), provenAt: noon, enrolment: Enrolment(.codes))
            try await store.perform(.addStrongMethod(impostor, to: eve.id))
            #expect(try await store.account(with: .identity(key), in: contoso)?.user.id == ada.id)
            #expect(try await store.account(with: .passkey(key), in: contoso)?.user.id == eve.id)
            await #expect(throws: StoreError.self) { try await store.perform(.addStrongMethod(copy, to: eve.id)) }
            try await store.perform(.removePassword(ada.id, at: noon))
            let without = try #require(try await store.account(ada.id, in: contoso))
            #expect(without.passwordHash == nil && without.credentialVersion == account.credentialVersion + 1)
            try await store.perform(.removeStrongMethods([first.id], of: ada.id), .addStrongMethod(copy, to: eve.id))
            #expect(try await store.account(with: .identity(key), in: contoso)?.user.id == eve.id)
        }
    }

    @Test(
        "SEC-ENR-7: methods are suspended, used again and removed one by one, and never those of another user",
        arguments: StoreUnderTest.available)
    func methodsAreSuspendedAndRemoved(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            var home = try fixtureMethod("ada@home.example", provenAt: noon)
            var work = try fixtureMethod("ada@work.example", provenAt: noon + 1)
            let foreign = try fixtureMethod("eve@home.example", provenAt: noon)
            try await store.perform(
                .createUser(ada), .createUser(eve), .addStrongMethod(home, to: ada.id),
                .addStrongMethod(work, to: ada.id), .addStrongMethod(foreign, to: eve.id))

            try await store.perform(
                .setSuspension([work.id, foreign.id], of: ada.id, noon + 5),
                .noteUse(home.id, of: ada.id, at: noon + 6),
                .noteUse(foreign.id, of: ada.id, at: noon + 6))
            work.suspendedAt = noon + 5
            home.firstUsedAt = noon + 6
            home.lastUsedAt = noon + 6
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [home, work])
            #expect(try await store.account(eve.id, in: contoso)?.strongMethods == [foreign])

            try await store.perform(.setSuspension([work.id], of: ada.id, nil))
            work.suspendedAt = nil
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [home, work])

            try await store.perform(.removeStrongMethods([home.id, foreign.id], of: ada.id))
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [work])
            #expect(try await store.account(eve.id, in: contoso)?.strongMethods == [foreign])
            // An empty list: nothing happens.
            try await store.perform(.removeStrongMethods([], of: ada.id), .setSuspension([], of: ada.id, noon))
            #expect(try await store.account(ada.id, in: contoso)?.strongMethods == [work])
        }
    }

    @Test(
        "SEC-ENR-7: a method that stayed suspended for 14 days is removed, and no other",
        arguments: StoreUnderTest.available)
    func suspendedMethodsAreRemoved(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            var methods: [StrongMethod] = []
            for (index, date) in [noon, noon + 1, nil].enumerated() {
                var method = try fixtureMethod("ada@d\(index).example", provenAt: noon - 10 + TimeInterval(index))
                method.suspendedAt = date
                methods.append(method)
            }
            try await store.perform(.createUser(user))
            for method in methods { try await store.perform(.addStrongMethod(method, to: user.id)) }
            let fortnight: TimeInterval = 14 * 86_400
            _ = try await store.removeExpired(now: noon + fortnight - 1)
            #expect(try await store.account(user.id, in: contoso)?.strongMethods == methods)
            _ = try await store.removeExpired(now: noon + fortnight)
            #expect(try await store.account(user.id, in: contoso)?.strongMethods == Array(methods.dropFirst()))
        }
    }

    @Test(
        "A password that came from a reset is known as one, until it is trusted or another user's is",
        arguments: StoreUnderTest.available)
    func theOriginOfAPasswordReadsBack(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada", passwordHash: hash), fixtureUser("eve", passwordHash: hash))
            try await store.perform(.createUser(ada), .createUser(eve))
            #expect(try await store.account(ada.id, in: contoso)?.passwordIsFromReset == false)
            try await store.perform(.changePassword(ada.id, hash, at: noon + 1), .trustPassword(eve.id))
            #expect(try await store.account(ada.id, in: contoso)?.passwordIsFromReset == true)
            #expect(try await store.account(eve.id, in: contoso)?.passwordIsFromReset == false)
            // Newer parameters of the same password do not change its origin.
            try await store.perform(.upgradePassword(ada.id, from: hash, to: PasswordHash(phc: "$new")))
            #expect(try await store.account(ada.id, in: contoso)?.passwordIsFromReset == true)
            try await store.perform(.trustPassword(ada.id))
            let account = try #require(try await store.account(ada.id, in: contoso))
            #expect(!account.passwordIsFromReset && account.credentialVersion == 1)
        }
    }

    @Test(
        "SEC-ENR-6: sessions of one factor end, those of two continue, and no open flow does",
        arguments: StoreUnderTest.available)
    func sessionsOfOneFactorEnd(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            var families = [
                fixtureFamily(of: ada), fixtureFamily(of: ada), fixtureFamily(of: ada), fixtureFamily(of: eve),
            ]
            families[0].methods = ["pwd"]
            families[1].methods = ["pwd", "otp", "mfa"]
            families[2].methods = []
            families[3].methods = ["pwd"]
            try await store.perform(.createUser(ada), .createUser(eve))
            for family in families { try await store.perform(.openRefreshFamily(family)) }

            try await store.perform(
                .revokeRefreshFamilies(ada.id, keepingTwoFactors: true, at: noon + 5), .endFlows(ada.id))
            for (family, date) in zip(families, [noon + 5, nil, noon + 5, nil]) {
                #expect(try await store.refreshFamily(family.id, in: contoso)?.revokedAt == date)
            }
            let account = try #require(try await store.account(ada.id, in: contoso))
            #expect(account.credentialVersion == 1 && account.credentialsChangedAt == noon)
            #expect(try await store.account(eve.id, in: contoso)?.credentialVersion == 0)
        }
    }

    @Test(
        "What an operator says of a user's factors stays, in the tenant only, and is in the trail",
        arguments: StoreUnderTest.available)
    func whatAnOperatorSaysStays(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", passwordHash: hash)
            try await store.perform(.createUser(user), .changePassword(user.id, hash, at: noon))
            let changed = AuditEvent(.factorRuleChanged, at: noon, tenant: contoso, user: user.id)
            let trusted = AuditEvent(.passwordTrusted, at: noon, tenant: contoso, user: user.id)
            for tenant in [TenantID(UUID()), contoso] {
                let isHere = tenant == contoso
                #expect(
                    try await store.setFactorRule(.requiresSecondFactor(true), of: user.id, in: tenant, event: changed)
                        == isHere)
                #expect(
                    try await store.setFactorRule(.trustsPassword, of: user.id, in: tenant, event: trusted) == isHere)
                let account = try #require(try await store.account(user.id, in: contoso))
                #expect(account.requiresSecondFactor == isHere && account.passwordIsFromReset != isHere)
            }
            #expect(
                try await store.setFactorRule(.requiresSecondFactor(false), of: user.id, in: contoso, event: changed))
            #expect(try await store.account(user.id, in: contoso)?.requiresSecondFactor == false)
            let kinds = try await rows("SELECT kind FROM audit ORDER BY kind", in: store)
            #expect(kinds == [["mfa.rule_changed"], ["mfa.rule_changed"], ["password.trusted"]])
        }
    }

    @Test(
        "SEC-ENR-5: what the user is told of forgotten methods is in the outbox with it, or nothing is",
        arguments: StoreUnderTest.available)
    func forgettingTellsTheUser(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada", passwordHash: hash)
            try await store.perform(
                .createUser(user), .addStrongMethod(try fixtureMethod("ada@work.example"), to: user.id))
            let event = AuditEvent(.methodsForgotten, at: noon, tenant: contoso, user: user.id)
            let mails = [fixtureMail(), fixtureMail()]
            #expect(
                try await !store.forgetStrongMethods(
                    of: UserID(UUID()), in: contoso, at: noon, event: event, mails: mails))
            #expect(try await rows("SELECT COUNT(*) FROM outbox", in: store) == [["0"]])
            #expect(try await store.forgetStrongMethods(of: user.id, in: contoso, at: noon, event: event, mails: mails))
            #expect(try await rows("SELECT COUNT(*) FROM outbox", in: store) == [["2"]])
        }
    }

    @Test("REL-TX-5: a method of an older database was enrolled under proofs that are not known")
    func anOlderMethodIsOfUnknownStrength() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "old.db").path()
            let old = try SQLiteStore(path: path, upTo: "0011 mails by due")
            let hex = { (uuid: UUID) in "x'\(uuid.uuidString.filter { $0 != "-" })'" }
            let (user, method) = (UserID(UUID()), UUID())
            let date = Int(noon.timeIntervalSince1970 * 1000)
            for sql in [
                """
                INSERT INTO users (tenant, id, client, password_hash, created_at, credentials_changed_at)
                VALUES (\(hex(contoso.uuid)), \(hex(user.uuid)), \(hex(app.uuid)), '$argon2id$old', \(date), \(date))
                """,
                """
                INSERT INTO identifiers VALUES (\(hex(contoso.uuid)), CAST('ada@example.com' AS BLOB), 'email',
                    'ada@example.com', \(hex(user.uuid)), \(date), 'email one-time passcode')
                """,
                """
                INSERT INTO strong_methods (tenant, "user", id, email, key, proven_at)
                VALUES (\(hex(contoso.uuid)), \(hex(user.uuid)), \(hex(method)), 'ada@work.example',
                    CAST('ada@work.example' AS BLOB), \(date))
                """,
            ] { _ = try await old.unsafeSQL(sql) }
            try await old.close()

            let store = try SQLiteStore(path: path)
            let account = try #require(try await store.account(user, in: contoso))
            let email = try #require(EmailAddress("ada@work.example"))
            #expect(account.strongMethods == [StrongMethod(id: method, email: email, provenAt: noon)])
            #expect(account.strongMethods.first?.enrolment == Enrolment(.unknown))
            #expect(!account.passwordIsFromReset && !account.requiresSecondFactor)
            try await store.close()
        }
    }
}
