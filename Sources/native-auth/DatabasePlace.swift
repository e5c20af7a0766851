import ArgumentParser
import IdentityEngine
import IdentityStoreSQLite
import IdentityTokens
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the database lies: the options that commands which work on it share with `serve`. No server may run on it meanwhile.
struct DatabasePlace: ParsableArguments {
    @Option(help: "Folder with database and master key (default: ./.native-auth).") var data: String?
    @Option(help: "Database: sqlite:PATH (default: identity.sqlite in the data folder).") var database: String?
    @Option(help: "Tenant file, YAML (default: the development tenant).") var config: String?
    @Option(help: "One tenant: its id, domain or subdomain (default: all of them).") var tenant: String?

    /// Opens the database for `work` and closes it afterwards; tells what goes wrong, a sentence each, with the exit
    /// code for it.
    func open(_ work: (OpenedDatabase) async throws -> Void) async throws {
        do {
            let database = try await opened()
            let result: Result<Void, any Error>
            do {
                result = .success(try await work(database))
            } catch {
                result = .failure(error)
            }
            try await database.store.close()
            try result.get()
        } catch {
            let failure = Self.failure(error)
            for sentence in failure.sentences { Terminal.complain("native-auth: \(sentence)") }
            throw ExitCode(failure.exitCode)
        }
    }

    private func opened() async throws -> OpenedDatabase {
        let settings = try settings()
        let path = settings.databasePath ?? settings.dataFolder + "/identity.sqlite"
        // Nothing is made here: a new database by mistake would hold nothing and explain nothing.
        for (file, what) in [(path, "database"), (settings.dataFolder + "/master.key", "master key")]
        where !FileManager.default.fileExists(atPath: file) {
            throw StartFailure.inputOutput("There is no \(what) at \(file); native-auth serve makes it.")
        }
        let randomness = SystemRandomness()
        let vault = Vault(masterKey: try DataFolder(settings.dataFolder).masterKey(), randomness: randomness)
        var tenants = settings.directory.entries.map(\.tenant)
        if let tenant {
            guard let chosen = try await settings.directory.tenant(named: tenant) else {
                throw StartFailure.usage(["--tenant names no tenant of the tenant file."])
            }
            tenants = [chosen]
        }
        let store = try SQLiteStore(path: path)
        let clock = SystemClock()
        return OpenedDatabase(
            store: store, ring: KeyRing(store: store, vault: vault, clock: clock, randomness: randomness),
            tenants: tenants, now: clock.now)
    }

    /// Of the environment only what these commands share with `serve`: the other settings of a server are none of their
    /// business.
    private func settings() throws -> ServeSettings {
        let options = ["data": data, "database": database, "config": config].compactMapValues(\.self)
        let names = ["NATIVE_AUTH_DATA", "NATIVE_AUTH_DATABASE", "NATIVE_AUTH_CONFIG"]
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
        case SQLiteStoreOpenError.lockedByAnotherProcess(let path):
            .unavailable("The database \(path) is in use by a running server; stop it, and try again.")
        case let error as SQLiteStoreOpenError: .inputOutput(error.description)
        case TokenIssuerError.unavailable(VaultError.unreadable):
            .inputOutput("The signing keys do not open under this master key.")
        default: .inputOutput("The database could not be read or written: \(type(of: error)).")
        }
    }
}

/// A database that is open.
struct OpenedDatabase {
    let store: SQLiteStore
    let ring: KeyRing
    let tenants: [Tenant]
    let now: Date
}
