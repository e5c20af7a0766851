import Crypto
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import PortableFoundation

extension MasterKey {
    /// The key; nil when it belongs in the data folder and does not exist yet.
    func known(in folder: DataFolder) throws(StartFailure) -> SymmetricKey? {
        if case .inDataFolder = self, !FileManager.default.fileExists(atPath: folder.masterKeyFile) { return nil }
        return try load(in: folder.path)
    }
}

extension IdentityService {
    /// The vault of this database: with the known master key, or with a new one when the database has no sealed value
    /// yet.
    ///
    /// - Throws: A sentence when the master key is missing or wrong. A key is never made for a database that has one.
    static func vault(
        _ knownKey: SymmetricKey?, _ folder: DataFolder, _ store: any SQLStore, _ settings: ServeSettings,
        randomness: any Randomness, epoch: Data, now: Date
    ) async throws(StartFailure) -> Vault {
        let (masterKey, isNew) =
            if let knownKey { (knownKey, false) } else { try await newKey(folder, store, settings) }
        do {
            // A node with another master key would refuse the tokens of the other nodes, and they would refuse its
            // tokens.
            let dataKeys = try await DataKeys.open(in: store, masterKey: masterKey, randomness: randomness, now: now)
            return Vault(masterKey: masterKey, randomness: randomness, epoch: epoch, dataKeys: dataKeys)
        } catch {
            // Another server has sealed values under its own key meanwhile; this key opens nothing.
            if isNew, case .otherMasterKey = error { folder.removeMasterKey() }
            if case .store(let cause) = error { throw settings.failure(cause) }
            throw StartFailure(error)
        }
    }

    private static func newKey(
        _ folder: DataFolder, _ store: any SQLStore, _ settings: ServeSettings
    ) async throws(StartFailure) -> (key: SymmetricKey, isNew: Bool) {
        let isUnsealed: Bool
        do {
            isUnsealed = try await store.isUnsealed()
        } catch {
            throw settings.failure(error)
        }
        guard isUnsealed else {
            throw .inputOutput(
                """
                There is no master key at \(folder.masterKeyFile), and the database \(settings.databaseName) was written under \
                one. Put that key there, or give its file with --master-key-file; the database cannot be read without it.
                """)
        }
        return try folder.makeMasterKey()
    }

    /// Stores the profile of this server in the database.
    ///
    /// - Throws: A sentence when a server of the other profile has used it before (`SEC-PRF-1`).
    static func mark(_ store: any SQLStore, _ settings: ServeSettings, now: Date) async throws(StartFailure) {
        let (own, reason): (DatabaseProfile, String) =
            switch settings.profile {
            case .development: (.development, "the development profile shows all codes")
            case .production: (.production, "its accounts prove no mailbox, since all codes were visible")
            }
        let mark: DatabaseProfile
        do {
            mark = try await store.mark(own, at: now)
        } catch {
            throw settings.failure(error)
        }
        guard mark == own else {
            throw .usage([
                """
                --profile \(own.rawValue): the database \(settings.databaseName) was used in the \(mark.rawValue) profile, and \
                \(reason); give this server another one with --data or --database.
                """
            ])
        }
    }
}

extension ServeSettings {
    /// The failure of a start that the database has caused.
    func failure(_ error: StoreError) -> StartFailure {
        let fault = database.fault(error, in: dataFolder)
        return .inputOutput("\(fault.sentence) \(fault.remedy)")
    }

    /// The database in messages; without a password.
    fileprivate var databaseName: String {
        switch database {
        case .sqlite: database.path(in: dataFolder) ?? dataFolder
        case .postgres(let place, _): place.description
        }
    }
}
