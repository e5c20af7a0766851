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

/// Where the database lies: the options that commands which work on it share with `serve`. Servers may run meanwhile, on SQLite
/// too.
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
    /// - Parameter isAboutTenants: Whether a tenant document that does not read is the work's business: it gets no tenants then.
    func open(isAboutTenants: Bool = false, _ work: (OpenedDatabase) async throws -> Void) async throws {
        try await Self.telling {
            let database = try await opened(isAboutTenants: isAboutTenants)
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
        } catch let code as ExitCode {
            // Told already, by a call inside.
            throw code
        } catch {
            let failure = Self.failure(error)
            for sentence in failure.sentences { Terminal.complain("native-auth: \(sentence)") }
            throw ExitCode(failure.exitCode)
        }
    }

    private func opened(isAboutTenants: Bool) async throws -> OpenedDatabase {
        let settings = try settings()
        // Nothing is made here: a new database by mistake would hold nothing and explain nothing.
        if let path = settings.database.path(in: settings.dataFolder), !FileManager.default.fileExists(atPath: path) {
            throw StartFailure.inputOutput("There is no database at \(path); native-auth serve makes it.")
        }
        let keyFile = settings.dataFolder + "/master.key"
        if case .inDataFolder = settings.masterKey, !FileManager.default.fileExists(atPath: keyFile) {
            throw StartFailure.inputOutput(
                "There is no master key at \(keyFile); put the key of the database there, or give it with --master-key-file."
            )
        }
        let randomness = SystemRandomness()
        let masterKey = try settings.masterKey.load(in: settings.dataFolder)
        let store = try await settings.database.open(in: settings.dataFolder, isShared: true)
        let document = try await store.tenantDocument()
        var directory: TenantDirectory?
        do {
            directory = try document?.file().directory ?? settings.directory
        } catch {
            guard isAboutTenants else { throw StartFailure.inputOutput(error.problems.joined(separator: " ")) }
        }
        var tenants = directory?.entries.map(\.tenant) ?? []
        if let tenant, let directory {
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
            ring: KeyRing(store: store, vault: vault, clock: clock, randomness: randomness), document: document,
            directory: directory, tenants: tenants, now: clock.now)
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
    /// The tenants' configuration in the database; nil: there is none, and servers go by their `--config`.
    let document: TenantDocument?
    /// What is in force: the document, else `--config`, else the development tenant; nil when the document does not read.
    let directory: TenantDirectory?
    /// Those of the directory, or the one of `--tenant`.
    let tenants: [Tenant]
    let now: Date
}
