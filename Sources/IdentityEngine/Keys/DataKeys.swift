package import Crypto
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Why data keys could not be opened or changed. Each description is a sentence.
package enum DataKeyError: Error, CustomStringConvertible {
    /// The database has no data key, or not all of them, under this master key.
    case otherMasterKey
    /// The new master key is the one in use.
    case sameMasterKey
    /// A third master key opens the database.
    case unfinished
    case store(StoreError)

    package var description: String {
        switch self {
        case .otherMasterKey:
            "The database was written under another master key; give that one with --master-key-file."
        case .sameMasterKey: "The new master key is the one that is in use."
        case .unfinished:
            """
            Another master key opens the database, too: a rotation was begun and not ended. End it with native-auth key \
            master retire, given the master key that stays.
            """
        case .store: "The data keys cannot be read from the database."
        }
    }
}

/// The keys from which all others are derived, opened: random, kept in the database, and sealed there under the master key
/// (`SEC-SEC-1`, `docs/design/0011-master-key.md`).
///
/// What was sealed names its key, so all of them open; the newest one that is in force seals. A new one is in force a while
/// after it was stored, so that no server seals with what another one does not know yet.
package final class DataKeys: Sendable {
    /// How long a key is known before servers seal with it, in seconds; they look for one every two seconds.
    package static let notice: TimeInterval = 10
    /// How often at most a value under an unknown key makes a server look, in seconds: anybody can make such values up.
    private static let patience: TimeInterval = 3

    /// A data key.
    struct Key: Sendable {
        let generation: Int
        /// The first 4 bytes of a digest of it; stands in front of all that it sealed.
        let id: Data
        let root: SymmetricKey
        let activeFrom: Date

        init(generation: Int, root: SymmetricKey, activeFrom: Date) {
            self.generation = generation
            self.root = root
            self.activeFrom = activeFrom
            id = Vault.id(of: root)
        }
    }

    private struct State: Sendable {
        /// The oldest first; never empty.
        var keys: [Key]
        var sealing: Key
        /// When somebody looked for a key that was not known.
        var soughtAt: Date?
    }

    private let state: Locked<State>
    private let masterKey: MasterKeySeal?
    private let store: (any DataKeyStore)?
    /// The oldest one, for what must never change.
    let first: Key

    /// One data key, `root` itself, which no store keeps.
    init(only root: SymmetricKey) {
        first = Key(generation: 0, root: root, activeFrom: Date(timeIntervalSince1970: 0))
        state = Locked(State(keys: [first], sealing: first))
        (masterKey, store) = (nil, nil)
    }

    private init(_ keys: [Key], first: Key, under masterKey: MasterKeySeal, in store: any DataKeyStore, now: Date) {
        self.first = first
        self.masterKey = masterKey
        self.store = store
        state = Locked(State(keys: keys, sealing: Self.sealing(of: keys, now: now) ?? first))
    }

    /// Opens the data keys of a database, and makes the first one where there is none. Of several servers that do so at the same
    /// moment one makes it, and all go on with it.
    ///
    /// The first one of a database from before data keys is the master key itself: all that was sealed and digested stays.
    ///
    /// - Throws: ``DataKeyError/otherMasterKey``, or of the store; nothing was changed then.
    package static func open(
        in store: any DataKeyStore, masterKey: SymmetricKey, randomness: any Randomness, now: Date
    ) async throws(DataKeyError) -> DataKeys {
        let seal = MasterKeySeal(masterKey, randomness)
        let records: [DataKeyRecord]
        do {
            let known = try await store.dataKeys()
            records = known.isEmpty ? try await insertFirst(into: store, under: seal, randomness) : known
        } catch let error as DataKeyError {
            throw error
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .store(.unavailable(error))
        }
        guard let keys = seal.open(all: records), let first = keys.first else { throw .otherMasterKey }
        return DataKeys(keys, first: first, under: seal, in: store, now: now)
    }

    private static func insertFirst(
        into store: any DataKeyStore, under seal: MasterKeySeal, _ randomness: any Randomness
    ) async throws -> [DataKeyRecord] {
        let result = try await store.updateDataKeys {
            situation -> (DataKeyChange?, Result<[DataKeyRecord], DataKeyError>) in
            guard situation.records.isEmpty else { return (nil, .success(situation.records)) }
            let root: SymmetricKey
            if situation.isNew {
                root = SymmetricKey(data: randomness.bytes(32))
            } else {
                // A wrong master key must not become the database's first data key.
                let vault = Vault(masterKey: seal.key, randomness: randomness)
                guard situation.signingKeys.first.map({ vault.opens($0) }) ?? true else {
                    return (nil, .failure(.otherMasterKey))
                }
                root = seal.key
            }
            let key = Key(generation: 0, root: root, activeFrom: Date(timeIntervalSince1970: 0))
            guard let record = seal.seal(key) else { return (nil, .failure(.store(.corrupt("data_keys")))) }
            var change = DataKeyChange()
            change.added = [record]
            return (change, .success([record]))
        }
        return try result.get()
    }

    // MARK: - Keys at hand

    /// The one to seal with.
    var sealing: Key { state.withLock { $0.sealing } }

    /// The generation of the one to seal with.
    package var generation: Int { sealing.generation }

    func key(_ id: Data) -> Key? { state.withLock { state in state.keys.first { $0.id == id } } }

    /// Makes the key with this id known, if the database has it; asks at most every three seconds.
    func learn(_ id: Data, now: Date) async {
        guard store != nil, id.count == Vault.idLength, key(id) == nil else { return }
        let mayLook = state.withLock { state in
            if let soughtAt = state.soughtAt, abs(now.timeIntervalSince(soughtAt)) < Self.patience { return false }
            state.soughtAt = now
            return true
        }
        guard mayLook else { return }
        do {
            try await reload(now: now)
        } catch {
            // What is not known stays unreadable; whoever needs the database for more finds out that it is away.
        }
    }

    /// Takes over what another process has made, and goes on to a newer key once that is in force; for a tick every two seconds.
    ///
    /// - Returns: Whether the master key opens all keys of the database, and so would at the next start. What is known already
    ///   stays in any case.
    /// - Throws: ``StoreError`` when the store fails.
    @discardableResult
    package func reload(now: Date) async throws(StoreError) -> Bool {
        guard let store, let masterKey else { return true }
        let records = try await store.dataKeys()
        let opened = masterKey.open(own: records)
        let isComplete = Set(records.map(\.generation)) == Set(opened.map(\.generation))
        state.withLock { state in
            for key in opened where !state.keys.contains(where: { $0.generation == key.generation }) {
                state.keys.append(key)
            }
            state.keys.sort { $0.generation < $1.generation }
            state.sealing = Self.sealing(of: state.keys, now: now) ?? state.sealing
        }
        return isComplete
    }

    private static func sealing(of keys: [Key], now: Date) -> Key? {
        keys.last { $0.activeFrom <= now }
    }
}

// MARK: - Another master key

extension DataKeys {
    /// What a rotation found or made.
    package struct Rotation: Hashable, Sendable {
        /// The new data key.
        package var generation: Int
        /// From when on servers seal with it.
        package var activeFrom: Date
        /// Whether an earlier call had done it already.
        package var wasBegun: Bool
    }

    /// Lets a second master key open the database, and adds a data key: both, or neither. Called again it changes nothing.
    ///
    /// - Throws: ``DataKeyError``; nothing was changed then.
    package static func rotate(
        in store: some DataKeyStore, from old: SymmetricKey, to new: SymmetricKey, randomness: any Randomness, now: Date
    ) async throws(DataKeyError) -> Rotation {
        let (old, new) = (MasterKeySeal(old, randomness), MasterKeySeal(new, randomness))
        guard old.id != new.id else { throw .sameMasterKey }
        return try await changed(store) { situation -> (DataKeyChange?, Result<Rotation, DataKeyError>) in
            let records = situation.records
            guard let keys = old.open(all: records), let newest = keys.last else {
                return (nil, .failure(.otherMasterKey))
            }
            guard records.allSatisfy({ [old.id, new.id].contains($0.masterKeyID) }) else {
                return (nil, .failure(.unfinished))
            }
            if records.contains(where: { $0.masterKeyID == new.id }) {
                // All rows of a master key are written together, so another key of the same id has written these.
                guard new.open(all: records) != nil else { return (nil, .failure(.unfinished)) }
                return (
                    nil,
                    .success(
                        Rotation(generation: newest.generation, activeFrom: newest.activeFrom, wasBegun: true))
                )
            }
            // What stores keep, so that who waits for it does not wait a fraction too short.
            let milliseconds = (now.addingTimeInterval(notice).timeIntervalSince1970 * 1000).rounded(.up)
            var next: Key
            repeat {
                next = Key(
                    generation: newest.generation + 1, root: SymmetricKey(data: randomness.bytes(32)),
                    activeFrom: Date(timeIntervalSince1970: milliseconds / 1000))
            } while keys.contains { $0.id == next.id }
            let added = (keys + [next]).map { new.seal($0) } + [old.seal(next)]
            guard !added.contains(nil) else { return (nil, .failure(.store(.corrupt("data_keys")))) }
            var change = DataKeyChange()
            change.added = added.compactMap(\.self)
            change.event = (
                .keyRotated, now,
                "master key \(old.id.hexadecimal) to \(new.id.hexadecimal), data key \(next.generation)"
            )
            return (
                change,
                .success(Rotation(generation: next.generation, activeFrom: next.activeFrom, wasBegun: false))
            )
        }
    }

    /// Seals the signing keys anew that an older data key has sealed.
    ///
    /// - Returns: How many there are, and how many of them do not open; those stay as they are.
    package static func reseal(
        in store: some DataKeyStore, with vault: Vault
    ) async throws(DataKeyError) -> (signingKeys: Int, unreadable: Int) {
        try await changed(store) {
            situation -> (DataKeyChange?, Result<(signingKeys: Int, unreadable: Int), DataKeyError>) in
            var change = DataKeyChange()
            var unreadable = 0
            for record in situation.signingKeys
            where record.sealedPrivateKey.prefix(Vault.idLength) != vault.dataKeys.sealing.id {
                if let sealed = vault.resealed(record) {
                    change.resealed.append((record, sealed))
                } else {
                    unreadable += 1
                }
            }
            return (change, .success((situation.signingKeys.count, unreadable)))
        }
    }

    /// Takes all other master keys away from the database.
    ///
    /// - Parameter masterKey: The one that stays.
    /// - Returns: The ids of those that went.
    /// - Throws: ``DataKeyError/otherMasterKey`` when `masterKey` does not open every data key; nothing was changed then.
    package static func retire(
        in store: some DataKeyStore, keeping masterKey: SymmetricKey, randomness: any Randomness, now: Date
    ) async throws(DataKeyError) -> [String] {
        let seal = MasterKeySeal(masterKey, randomness)
        return try await changed(store) { situation -> (DataKeyChange?, Result<[String], DataKeyError>) in
            guard seal.open(all: situation.records) != nil else { return (nil, .failure(.otherMasterKey)) }
            let gone = Set(situation.records.map(\.masterKeyID)).subtracting([seal.id]).map(\.hexadecimal).sorted()
            guard !gone.isEmpty else { return (nil, .success([])) }
            var change = DataKeyChange()
            change.keptMasterKeyID = seal.id
            change.event = (.keyRevoked, now, "master key \(gone.joined(separator: ", "))")
            return (change, .success(gone))
        }
    }

    private static func changed<Answer: Sendable>(
        _ store: some DataKeyStore,
        _ decide: @escaping @Sendable (DataKeySituation) -> (DataKeyChange?, Result<Answer, DataKeyError>)
    ) async throws(DataKeyError) -> Answer {
        let result: Result<Answer, DataKeyError>
        do {
            result = try await store.updateDataKeys { decide($0) }
        } catch {
            throw .store(error)
        }
        return try result.get()
    }
}

/// Seals data keys under a master key.
private struct MasterKeySeal: Sendable {
    let key: SymmetricKey
    let id: Data
    private let randomness: any Randomness
    private let sealingKey: SymmetricKey

    init(_ key: SymmetricKey, _ randomness: any Randomness) {
        self.key = key
        self.randomness = randomness
        id = Vault.id(of: key)
        sealingKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Vault.joined([Data("data-key".utf8)]), outputByteCount: 32)
    }

    /// Nil when the cipher fails.
    func seal(_ key: DataKeys.Key) -> DataKeyRecord? {
        do {
            return DataKeyRecord(
                generation: key.generation, masterKeyID: id,
                sealedKey: try Vault.seal(
                    key.root.withUnsafeBytes { Data($0) }, with: sealingKey,
                    context: Self.context(key.generation, key.activeFrom), randomness: randomness),
                activeFrom: key.activeFrom)
        } catch {
            return nil
        }
    }

    /// The keys of those rows that this master key has sealed, the oldest first; those that do not open are left out.
    func open(own records: [DataKeyRecord]) -> [DataKeys.Key] {
        records.filter { $0.masterKeyID == id }.sorted { $0.generation < $1.generation }.compactMap { record in
            do {
                let root = try Vault.open(
                    record.sealedKey, with: sealingKey, context: Self.context(record.generation, record.activeFrom))
                return DataKeys.Key(
                    generation: record.generation, root: SymmetricKey(data: root), activeFrom: record.activeFrom)
            } catch {
                return nil
            }
        }
    }

    /// The key of each generation; nil unless this master key opens all of them, and they begin with the first one.
    func open(all records: [DataKeyRecord]) -> [DataKeys.Key]? {
        let keys = open(own: records)
        guard !keys.isEmpty, keys.map(\.generation) == Array(0..<keys.count),
            Set(records.map(\.generation)).count == keys.count
        else { return nil }
        return keys
    }

    /// Bound to the row, so that whoever writes to the database cannot pass one key off as another, or put one out of force.
    private static func context(_ generation: Int, _ activeFrom: Date) -> [Data] {
        let milliseconds = Int64((activeFrom.timeIntervalSince1970 * 1000).rounded())
        return [Data("\(generation)".utf8), Data("\(milliseconds)".utf8)]
    }
}

extension Vault {
    fileprivate func opens(_ record: SigningKeyRecord) -> Bool { resealed(record) != nil }

    /// The signing key under the data key that is in force; nil when it does not open.
    fileprivate func resealed(_ record: SigningKeyRecord) -> Data? {
        do {
            let plaintext = try open(
                record.sealedPrivateKey, for: .signingKey, tenant: record.tenant, context: [Data(record.kid.utf8)])
            return try seal(plaintext, for: .signingKey, tenant: record.tenant, context: [Data(record.kid.utf8)])
        } catch {
            return nil
        }
    }
}

extension Data {
    /// Two digits for each byte.
    package var hexadecimal: String { map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() }
}
