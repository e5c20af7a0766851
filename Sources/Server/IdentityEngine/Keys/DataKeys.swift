package import Crypto
import NativeAuthCore
package import PortableFoundation

/// Why data keys could not be opened or changed. Each description is a sentence.
package enum DataKeyError: Error, CustomStringConvertible {
    /// This master key opens none or not all of the database's data keys.
    case otherMasterKey
    /// The new master key is the current one.
    case sameMasterKey
    /// A third master key opens the database: an earlier rotation is unfinished.
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
            master remove-old, given the master key that stays.
            """
        case .store: "The data keys cannot be read from the database."
        }
    }
}

/// The opened data keys, from which all other keys are derived. They are random, stored in the database and sealed
/// there under the master key (`SEC-SEC-1`, `docs/design/0011-master-key.md`).
///
/// A sealed value names its key, so every known key can open values; the newest active key seals. A new key becomes
/// active some seconds after it is stored, so that no server seals with a key that another server does not know yet.
package final class DataKeys: Sendable {
    /// How long a key is known before servers seal with it, in seconds; servers look for new keys every two seconds.
    package static let notice: TimeInterval = 10
    /// The shortest interval between searches for an unknown key, in seconds: any client can make up values with
    /// unknown keys.
    private static let patience: TimeInterval = 3

    /// A data key.
    struct Key: Sendable {
        let generation: Int
        /// The first 4 bytes of a digest of the key; the prefix of every value that it sealed.
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
        /// All keys, oldest first; never empty.
        var keys: [Key]
        var sealing: Key
        /// The time of the last search for an unknown key.
        var soughtAt: Date?
    }

    private let state: Locked<State>
    private let masterKey: MasterKeySeal?
    private let store: (any DataKeyStore)?
    /// The oldest key, for digests that must never change.
    let first: Key

    /// A single data key, `root` itself, which no store keeps.
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

    /// Opens the data keys of a database, and makes the first one when there is none. When several servers do so at the
    /// same moment, one makes the key and all use it.
    ///
    /// In a database from before data keys existed, the first data key is the master key itself: all sealed values and
    /// digests stay valid.
    ///
    /// - Throws: ``DataKeyError/otherMasterKey``, or the store's error; nothing was changed then.
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

    // MARK: - Known keys

    /// The key to seal with.
    var sealing: Key { state.withLock { $0.sealing } }

    /// The generation of the key to seal with.
    package var generation: Int { sealing.generation }

    func key(_ id: Data) -> Key? { state.withLock { state in state.keys.first { $0.id == id } } }

    /// Loads the key with this id if the database has it; asks the database at most every three seconds.
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
            // Values under unknown keys stay unreadable. A caller that needs the database for more gets its error
            // there.
        }
    }

    /// Loads keys that other processes made, and switches to a newer key once it is active; called every two seconds.
    ///
    /// - Returns: Whether the master key opens all keys of the database, as the next start requires. Known keys stay in
    ///   any case.
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

// MARK: - Rotation of the master key

extension DataKeys {
    /// The result of a rotation.
    package struct Rotation: Hashable, Sendable {
        /// The generation of the new data key.
        package var generation: Int
        /// When servers start to seal with it.
        package var activeFrom: Date
        /// Whether an earlier call had already started this rotation.
        package var wasBegun: Bool
    }

    /// Lets a second master key open the database, and adds a data key, in one step. A repeated call changes nothing.
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
                // All rows of a master key are written together, so these rows belong to another key with the same id.
                guard new.open(all: records) != nil else { return (nil, .failure(.unfinished)) }
                return (
                    nil,
                    .success(
                        Rotation(generation: newest.generation, activeFrom: newest.activeFrom, wasBegun: true))
                )
            }
            // Round up to milliseconds, as stores do, so that a caller who waits for this time does not wait too short.
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

    /// Seals again, under the active data key, the signing keys that an older data key has sealed.
    ///
    /// - Returns: The number of signing keys, and the number that could not be opened; those stay unchanged.
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

    /// Removes all other master keys from the database.
    ///
    /// - Parameter masterKey: The master key that stays.
    /// - Returns: The ids of the removed master keys.
    /// - Throws: ``DataKeyError/otherMasterKey`` when `masterKey` does not open every data key; nothing was changed
    ///   then.
    package static func removeOld(
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

    /// The keys of the rows that this master key has sealed, oldest first; keys that do not open are left out.
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

    /// The key of each generation; nil unless this master key opens all of them, starting with the first.
    func open(all records: [DataKeyRecord]) -> [DataKeys.Key]? {
        let keys = open(own: records)
        guard !keys.isEmpty, keys.map(\.generation) == Array(0..<keys.count),
            Set(records.map(\.generation)).count == keys.count
        else { return nil }
        return keys
    }

    /// The associated data of a row. It prevents an attacker who can write to the database from swapping keys or
    /// changing when a key becomes active.
    private static func context(_ generation: Int, _ activeFrom: Date) -> [Data] {
        let milliseconds = Int64((activeFrom.timeIntervalSince1970 * 1000).rounded())
        return [Data("\(generation)".utf8), Data("\(milliseconds)".utf8)]
    }
}

extension Vault {
    fileprivate func opens(_ record: SigningKeyRecord) -> Bool { resealed(record) != nil }

    /// The signing key, sealed under the active data key; nil when it cannot be opened.
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
    /// The bytes in hexadecimal, two digits each.
    package var hexadecimal: String { map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() }
}
