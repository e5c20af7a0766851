import ArgumentParser
import Crypto
import IdentityEngine
import IdentityStoreSQL
import IdentityTokens
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the database lies: the options that commands which work on it share with `serve`. Unless the command says that it
/// shares, no server may run on an SQLite file meanwhile; on PostgreSQL any number may.
struct DatabasePlace: ParsableArguments {
    @Option(help: "Folder with database and master key (default: ./.native-auth).") var data: String?
    @Option(help: "Database: sqlite:PATH (default: identity.sqlite in the data folder) or postgresql://….")
    var database: String?
    @Option(
        name: .customLong("master-key-file"), help: "File with the master key (default: master.key in the data folder)."
    )
    var masterKeyFile: String?
    @Option(help: "Tenant file, YAML (default: the development tenant).") var config: String?
    @Option(help: "One tenant: its id, domain or subdomain (default: all of them).") var tenant: String?

    /// Opens the database for `work` and closes it afterwards; tells what goes wrong, a sentence each, with the exit
    /// code for it.
    ///
    /// - Parameter isShared: Whether a server may be using an SQLite file.
    func open(isShared: Bool = false, _ work: (OpenedDatabase) async throws -> Void) async throws {
        try await Self.telling {
            let database = try await opened(isShared: isShared)
            let result: Result<Void, any Error>
            do {
                result = .success(try await work(database))
            } catch {
                result = .failure(error)
            }
            try await database.store.close()
            try result.get()
        }
    }

    /// Does `work`, and tells what goes wrong, a sentence each, with the exit code for it.
    static func telling(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            let failure = Self.failure(error)
            for sentence in failure.sentences { Terminal.complain("native-auth: \(sentence)") }
            throw ExitCode(failure.exitCode)
        }
    }

    private func opened(isShared: Bool) async throws -> OpenedDatabase {
        let settings = try settings()
        // Nothing is made here: a new database by mistake would hold nothing and explain nothing.
        var files: [(path: String, what: String)] = []
        if let path = settings.database.path(in: settings.dataFolder) { files.append((path, "database")) }
        if case .inDataFolder = settings.masterKey { files.append((settings.dataFolder + "/master.key", "master key")) }
        for file in files where !FileManager.default.fileExists(atPath: file.path) {
            throw StartFailure.inputOutput("There is no \(file.what) at \(file.path); native-auth serve makes it.")
        }
        let randomness = SystemRandomness()
        let masterKey = try settings.masterKey.load(in: settings.dataFolder)
        let store = try await store(settings, isShared: isShared)
        let directory: TenantDirectory
        do {
            directory = try await store.tenantDocument()?.directory() ?? settings.directory
        } catch let invalid as ServeSettings.Invalid {
            throw StartFailure.inputOutput(invalid.problems.joined(separator: " "))
        }
        var tenants = directory.entries.map(\.tenant)
        if let tenant {
            guard let chosen = try await directory.tenant(named: tenant) else {
                throw StartFailure.usage(["--tenant names no tenant that is configured."])
            }
            tenants = [chosen]
        }
        let clock: any WallClock = store.clock ?? SystemClock()
        let dataKeys = try await DataKeys.open(
            in: store, masterKey: masterKey, randomness: randomness, now: clock.now)
        let vault = Vault(masterKey: masterKey, randomness: randomness, dataKeys: dataKeys)
        return OpenedDatabase(
            store: store, masterKey: masterKey, vault: vault, clock: clock,
            ring: KeyRing(store: store, vault: vault, clock: clock, randomness: randomness), tenants: tenants,
            now: clock.now)
    }

    private func store(_ settings: ServeSettings, isShared: Bool) async throws(StartFailure) -> any SQLStore {
        do {
            return try await settings.database.open(in: settings.dataFolder, isShared: isShared)
        } catch {
            guard case .unavailable = error, let path = settings.database.path(in: settings.dataFolder) else {
                throw error
            }
            throw .unavailable("The database \(path) is in use by a running server; stop it, and try again.")
        }
    }

    /// Of the environment only what these commands share with `serve`: the other settings of a server are none of their
    /// business.
    func settings() throws -> ServeSettings {
        let options = ["data": data, "database": database, "config": config, "master-key-file": masterKeyFile]
            .compactMapValues(\.self)
        let names = ["DATA", "DATABASE", "CONFIG", "MASTER_KEY", "MASTER_KEY_FILE"].map { "NATIVE_AUTH_" + $0 }
        do {
            return try ServeSettings(
                options: options,
                environment: ProcessInfo.processInfo.environment.filter { names.contains($0.key) })
        } catch {
            throw StartFailure.usage(error.problems)
        }
    }

    private static func failure(_ error: any Error) -> StartFailure {
        switch error {
        case let failure as StartFailure: failure
        case let error as DataKeyError: StartFailure(error)
        case TokenIssuerError.unavailable(VaultError.unreadable):
            .inputOutput("The signing keys do not open under this master key.")
        default: .inputOutput("The database could not be read or written: \(type(of: error)).")
        }
    }
}

/// A database that is open.
struct OpenedDatabase {
    let store: any SQLStore
    let masterKey: SymmetricKey
    let vault: Vault
    let clock: any WallClock
    let ring: KeyRing
    let tenants: [Tenant]
    let now: Date
}
