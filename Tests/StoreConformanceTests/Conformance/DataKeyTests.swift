import Crypto
import Foundation
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

/// Counts the reads.
private actor CountingStore: DataKeyStore {
    let store: any DataKeyStore
    private(set) var reads = 0

    init(_ store: any DataKeyStore) { self.store = store }

    func dataKeys() async throws(StoreError) -> [DataKeyRecord] {
        reads += 1
        return try await store.dataKeys()
    }

    func updateDataKeys<Answer: Sendable>(
        decide: @escaping @Sendable (DataKeySituation) -> (change: DataKeyChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await store.updateDataKeys(decide: decide)
    }
}

@Suite("Data keys", .timeLimit(.minutes(2)))
struct DataKeyTests {
    private static let randomness = SystemRandomness()
    private let old = masterKey(1)
    private let new = masterKey(2)
    private let third = masterKey(3)
    private let value = Data("what is sealed".utf8)

    private static func masterKey(_ byte: UInt8) -> SymmetricKey {
        SymmetricKey(data: Data(repeating: byte, count: 32))
    }

    /// The keys of a server with this master key.
    private func node(
        _ store: any DataKeyStore, _ masterKey: SymmetricKey, now: Date = noon
    ) async throws(DataKeyError) -> Vault {
        Vault(
            masterKey: masterKey, randomness: Self.randomness,
            dataKeys: try await DataKeys.open(
                in: store, masterKey: masterKey, randomness: Self.randomness, now: now))
    }

    private func rotate(_ store: any SQLStore, now: Date = noon) async throws -> DataKeys.Rotation {
        try await DataKeys.rotate(in: store, from: old, to: new, randomness: Self.randomness, now: now)
    }

    private func removeOld(_ store: any SQLStore, keeping masterKey: SymmetricKey) async throws -> [String] {
        try await DataKeys.removeOld(in: store, keeping: masterKey, randomness: Self.randomness, now: noon)
    }

    private func seal(_ vault: Vault) throws -> Data {
        try vault.seal(value, for: .continuationToken, tenant: contoso)
    }

    private func opens(_ sealed: Data, _ vault: Vault) -> Bool {
        do {
            return try vault.open(sealed, for: .continuationToken, tenant: contoso) == value
        } catch {
            return false
        }
    }

    /// Values that must never change: the user's `sub`, the subject of failures, refresh tokens, the audit chain.
    private func subject(_ vault: Vault) -> Data {
        let purposes: [Vault.Purpose] = [.pairwiseSubject, .counter, .refreshToken, .audit]
        return Data(purposes.map { vault.digest($0, tenant: contoso, [Data("ada".utf8)]) }.joined())
    }

    /// The error of a refusal; nil without one.
    private func refusal(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let error as DataKeyError {
            return switch error {
            case .otherMasterKey: "other"
            case .sameMasterKey: "same"
            case .unfinished: "unfinished"
            case .store(let error): throw error
            }
        }
    }

    private func key(sealedBy vault: Vault, _ kid: String = "kid") throws -> SigningKeyRecord {
        SigningKeyRecord(
            tenant: contoso, kid: kid, algorithm: .es256,
            sealedPrivateKey: try vault.seal(value, for: .signingKey, tenant: contoso, context: [Data(kid.utf8)]),
            createdAt: noon)
    }

    private func openedKey(_ store: any SQLStore, with vault: Vault) async throws -> Data {
        let record = try #require(try await store.signingKeys(for: contoso).first)
        return try vault.open(
            record.sealedPrivateKey, for: .signingKey, tenant: contoso, context: [Data(record.kid.utf8)])
    }

    // MARK: - Start

    @Test(
        "SEC-SEC-1: a new database gets a random key, the same for 16 servers that start at once",
        arguments: DatabaseUnderTest.all)
    func aNewDatabase(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let vaults = try await race(16) { _ in try await node(store, old) }
            #expect(Set(vaults.map(subject)).count == 1)
            #expect(try await store.dataKeys().count == 1)
            // Nothing derives from the master key alone.
            let alone = Vault(masterKey: old, randomness: Self.randomness)
            #expect(subject(alone) != subject(vaults[0]))
            #expect(try !opens(seal(vaults[0]), alone))
            #expect(try await opens(seal(vaults[0]), node(store, old)))
            #expect(try await refusal { _ = try await node(store, new) } == "other")
        }
    }

    @Test(
        "SEC-SEC-1: in a database from before data keys all that was sealed and digested stays",
        arguments: DatabaseUnderTest.all)
    func anOldDatabase(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let before = Vault(masterKey: old, randomness: Self.randomness)
            _ = try await store.insertFirstSigningKey(key(sealedBy: before))
            let code = before.keyedMAC(.oneTimePasscode, tenant: contoso, [value])
            // A wrong key must not become the database's.
            #expect(try await refusal { _ = try await node(store, new) } == "other")
            #expect(try await store.dataKeys().isEmpty)
            let after = try await node(store, old)
            #expect(subject(after) == subject(before))
            #expect(try opens(seal(before), after) && opens(seal(after), before))
            #expect(after.verifyMAC(code, of: .oneTimePasscode, tenant: contoso, [value]) && code.count == 32)
            let opened = try await openedKey(store, with: after)
            #expect(opened == value)
        }
    }

    // MARK: - Rotation

    @Test(
        "SEC-SEC-1: a rotation keeps what was sealed and digested, and servers of both keys understand each other",
        arguments: DatabaseUnderTest.all)
    func aRotation(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let vault = try await node(store, old)
            _ = try await store.insertFirstSigningKey(key(sealedBy: vault))
            let (token, person) = (try seal(vault), subject(vault))
            let code = vault.keyedMAC(.oneTimePasscode, tenant: contoso, [value])
            #expect(try await rotate(store).generation == 1)
            #expect(try await rotate(store).wasBegun)
            #expect(try await rotate(store).activeFrom == noon + 10)
            #expect(try await store.dataKeys().map(\.generation) == [0, 0, 1, 1])

            // Until its time no server seals with the new key; servers of either master key know it then.
            let next = try await node(store, new)
            try await vault.dataKeys.reload(now: noon + 9.9)
            #expect(vault.dataKeys.generation == 0 && next.dataKeys.generation == 0)
            try await vault.dataKeys.reload(now: noon + 10)
            #expect(vault.dataKeys.generation == 1)
            #expect(try opens(seal(vault), next) && opens(seal(next), vault))
            try await next.dataKeys.reload(now: noon + 12)
            #expect(try seal(next).prefix(4) == seal(vault).prefix(4) && seal(next).prefix(4) != token.prefix(4))
            for server in [vault, next] {
                #expect(subject(server) == person)
                #expect(opens(token, server))
                #expect(server.verifyMAC(code, of: .oneTimePasscode, tenant: contoso, [value]))
                #expect(!server.verifyMAC(code, of: .oneTimePasscode, tenant: contoso, [token]))
            }
            // A digest that needs no memory is under the new key.
            let later = next.keyedMAC(.oneTimePasscode, tenant: contoso, [value])
            #expect(later.count == 36 && vault.verifyMAC(later, of: .oneTimePasscode, tenant: contoso, [value]))

            // Long-lived values are sealed again, once.
            let sealedBefore = try await store.signingKeys(for: contoso).map(\.sealedPrivateKey)
            #expect(try await DataKeys.reseal(in: store, with: vault) == (1, 0))
            let sealedAfter = try await store.signingKeys(for: contoso).map(\.sealedPrivateKey)
            #expect(sealedAfter != sealedBefore && sealedAfter[0].prefix(4) == later.prefix(4))
            _ = try await DataKeys.reseal(in: store, with: vault)
            #expect(try await store.signingKeys(for: contoso).map(\.sealedPrivateKey) == sealedAfter)
            let opened = try await openedKey(store, with: next)
            #expect(opened == value)

            // Then the old master key is removed. A server that runs with it continues, and cannot start again.
            let gone = try await removeOld(store, keeping: new)
            #expect(gone.count == 1)
            #expect(try await removeOld(store, keeping: new) == [])
            #expect(try await store.dataKeys().map(\.generation) == [0, 1])
            #expect(try await refusal { _ = try await node(store, old) } == "other")
            #expect(try await !vault.dataKeys.reload(now: noon + 60) && opens(token, vault))
            let restarted = try await node(store, new, now: noon + 60)
            #expect(opens(token, restarted) && subject(restarted) == person && restarted.dataKeys.generation == 1)
            let events = try await store.auditEvents(of: contoso, after: 0, limit: 10).map(\.event)
            #expect(events.map(\.kind) == [.keyRotated, .keyRevoked])
            #expect(events[0].detail?.hasSuffix(", data key 1") == true && events[1].detail == "master key \(gone[0])")
        }
    }

    @Test(
        "SEC-SEC-1: wherever a rotation breaks off the database opens, and the same commands end it",
        arguments: DatabaseUnderTest.all)
    func aRotationThatBreaksOff(_ sut: DatabaseUnderTest) async throws {
        /// Each step is one transaction, so a crash leaves only complete steps.
        let steps: [(String, @Sendable (any SQLStore) async throws -> Void)] = [
            ("rotate", { store in _ = try await rotate(store) }),
            ("reseal", { store in _ = try await DataKeys.reseal(in: store, with: node(store, old, now: noon + 10)) }),
            ("remove old", { store in _ = try await removeOld(store, keeping: new) }),
        ]
        for done in 0...steps.count {
            try await sut.withStore { store in
                let first = try await node(store, old)
                _ = try await store.insertFirstSigningKey(key(sealedBy: first))
                for (_, step) in steps.prefix(done) { try await step(store) }
                let rows = try await store.dataKeys()
                #expect(rows.count == [1, 4, 4, 2][done])
                for (master, isGood) in [(old, done < 3), (new, done > 0)] {
                    let isRefused = try await refusal { _ = try await node(store, master) } == "other"
                    #expect(isRefused != isGood, "after \(done) steps")
                    guard isGood else { continue }
                    let opened = try await openedKey(store, with: node(store, master))
                    #expect(opened == value)
                }
                // Once more from the beginning, except for the old key that is removed.
                for (_, step) in done < 3 ? steps[...] : [] { try await step(store) }
                let opened = try await openedKey(store, with: node(store, new, now: noon + 20))
                #expect(opened == value)
                #expect(try await store.dataKeys().map(\.generation) == [0, 1])
            }
        }
    }

    @Test(
        "SEC-SEC-1: a third key, the same key, a wrong key and a key that opens nothing are refused",
        arguments: DatabaseUnderTest.all)
    func whatIsRefused(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            func rotate(_ from: SymmetricKey, _ to: SymmetricKey) async throws -> String? {
                try await refusal {
                    _ = try await DataKeys.rotate(
                        in: store, from: from, to: to, randomness: Self.randomness, now: noon)
                }
            }
            _ = try await node(store, old)
            #expect(try await rotate(old, old) == "same")
            #expect(try await rotate(third, new) == "other")
            #expect(try await refusal { _ = try await removeOld(store, keeping: new) } == "other")
            #expect(try await store.dataKeys().count == 1)
            #expect(try await rotate(old, new) == nil)
            let rows = try await store.dataKeys()
            #expect(try await rotate(old, third) == "unfinished")
            #expect(try await rotate(new, third) == "unfinished")
            #expect(try await refusal { _ = try await removeOld(store, keeping: third) } == "other")
            #expect(try await store.dataKeys() == rows)
            // An abandoned rotation leaves its data key, and the next one makes another.
            _ = try await removeOld(store, keeping: old)
            #expect(try await refusal { _ = try await node(store, new) } == "other")
            #expect(try await rotate(old, third) == nil)
            let generations = try await Set(store.dataKeys().map(\.generation))
            #expect(generations == [0, 1, 2])
            #expect(try await node(store, third, now: noon + 10).dataKeys.generation == 2)
        }
    }

    @Test("SEC-SEC-1: a row that was altered, moved or taken away does not open", arguments: DatabaseUnderTest.all)
    func tamperedRows(_ sut: DatabaseUnderTest) async throws {
        for sql in [
            "UPDATE data_keys SET active_from = active_from + 1 WHERE generation = 1",
            "UPDATE data_keys SET generation = 2 WHERE generation = 1",
            "UPDATE data_keys SET generation = 1 - generation + 10",
            "DELETE FROM data_keys WHERE generation = 0",
            "UPDATE data_keys SET sealed_key = (SELECT sealed_key FROM data_keys AS other WHERE other.generation = 0 LIMIT 1)",
        ] {
            try await sut.withStore { store in
                _ = try await node(store, old)
                _ = try await rotate(store)
                try await store.write([]) { try $0.run(sql, [], expecting: nil) }
                #expect(try await refusal { _ = try await node(store, new) } == "other", "\(sql)")
            }
        }
    }

    @Test("SEC-SEC-1: a server that meets a key it does not know looks for it, at most every three seconds")
    func anUnknownKeyIsLookedFor() async throws {
        let store = try SQLiteStore.inMemory()
        let counting = CountingStore(store)
        let slow = try await node(counting, old)
        _ = try await rotate(store)
        let fast = try await node(store, new, now: noon + 10)
        let sealed = try seal(fast)
        #expect(!opens(sealed, slow))
        let before = await counting.reads
        for index in 0..<100 { await slow.loadKey(of: Data([9, 9, 9, UInt8(index)]), now: noon + 10) }
        #expect(await counting.reads == before + 1)
        #expect(opens(sealed, slow), "the one look found what is new")

        let slower = try await node(counting, old)
        let start = await counting.reads
        for index in 0..<40 { await slower.loadKey(of: Data([9, 9, 9, 9]), now: noon + 20 + Double(index) / 4) }
        // Ten seconds: at 0, 3, 6 and 9.
        #expect(await counting.reads == start + 4)
        await slower.loadKey(of: sealed, now: noon + 40)
        #expect(opens(sealed, slower))
        #expect(await counting.reads == start + 4, "what is known is not looked for")
    }

    @Test("SEC-SEC-1, REL-HA-5: of two nodes that rotate at once one makes the key")
    func twoRotations() async throws {
        try await PostgresServer.withSchema { schema in
            let nodes = [
                try await PostgresStore(try schema.place(), PostgresServer.small),
                try await PostgresStore(try schema.place(), PostgresServer.small),
            ]
            _ = try await node(nodes[0], old)
            // Between two milliseconds; stores keep whole milliseconds.
            let made = try await race(8) { index in try await rotate(nodes[index % 2], now: noon + 0.0004) }
            let stored = try await nodes[0].dataKeys().map(\.activeFrom).max()
            #expect(Set(made.map(\.activeFrom)) == [stored])
            #expect(made.filter { !$0.wasBegun }.count == 1)
            #expect(Set(made.map(\.generation)) == [1])
            #expect(try await nodes[0].dataKeys().count == 4)
            for node in nodes { try await node.close() }
        }
    }
}
