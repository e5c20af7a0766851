import ArgumentParser
import Crypto
import IdentityEngine
import IdentityStoreSQL
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// The options that locate the database, shared by `serve` and the commands that work on the database. Servers may run
/// meanwhile, with SQLite too.
struct DatabaseLocation: ParsableArguments {
    @Option(help: "Folder with database and master key (default: ./.native-auth).") var data: String?
    @Option(help: "Database: sqlite:PATH (default: identity.sqlite in the data folder) or postgresql://….")
    var database: String?
    @Option(
        name: .customLong("master-key-file"), help: "File with the master key (default: master.key in the data folder)."
    )
    var masterKeyFile: String?
    @Option(help: "Tenant file, YAML (default: the development tenant).") var config: String?
    @Option(help: "One tenant: its id, domain or subdomain (default: all of them).") var tenant: String?

    /// Opens the database for `work` and closes it afterwards; prints each fault as a sentence and exits with its code.
    ///
    /// - Parameter isAboutTenants: Whether `work` handles an invalid tenant document; it then gets no tenants.
    func open(isAboutTenants: Bool = false, _ work: (OpenedDatabase) async throws -> Void) async throws {
        try await Self.telling {
            let settings = try settings()
            try await Self.explaining(settings) {
                let database = try await opened(settings, isAboutTenants: isAboutTenants)
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
    }

    /// Runs `work`; prints each fault as a sentence and exits with its code.
    static func telling(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let code as ExitCode {
            // An inner call has already printed it.
            throw code
        } catch {
            let failure = Self.failure(error)
            for sentence in failure.sentences { Terminal.complain("native-auth: \(sentence)") }
            throw ExitCode(failure.exitCode)
        }
    }

    /// Runs `work` with the database of `settings`; a failure of the database names the file or the server.
    static func explaining<Result>(_ settings: ServeSettings, _ work: () async throws -> Result) async throws -> Result
    {
        do {
            return try await work()
        } catch let error where Self.isAboutDatabase(error) {
            let fault = settings.database.fault(error, in: settings.dataFolder)
            throw StartFailure.inputOutput("\(fault.sentence) \(fault.remedy)")
        }
    }

    private static func isAboutDatabase(_ error: any Error) -> Bool {
        switch error {
        case is StoreError, EngineError.store, DataKeyError.store: true
        case TokenIssuerError.unavailable(let cause), EngineError.tokens(TokenIssuerError.unavailable(let cause)):
            cause is StoreError
        case _: false
        }
    }

    private func opened(_ settings: ServeSettings, isAboutTenants: Bool) async throws -> OpenedDatabase {
        // Create nothing here: a database created by mistake would be empty and would hide the mistake.
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
        if document == nil, !settings.hasTenantFile, let directory {
            let known = Set(directory.entries.map(\.tenant.id) + [OperatorTenant.id])
            if try await store.auditedTenants().contains(where: { !known.contains($0) }) {
                Terminal.complain(
                    "The database has another tenant than the development tenant: name its tenant file with --config.")
            }
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
            directory: directory, tenants: tenants, now: clock.now,
            isSQLite: settings.database.path(in: settings.dataFolder) != nil)
    }

    /// The settings that these commands share with `serve`. Other settings of the environment are not read.
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
        default: .inputOutput("The command failed: \(DatabaseAddress.reason(error)).")
        }
    }
}

/// An open database.
struct OpenedDatabase {
    let store: any SQLStore
    let masterKey: SymmetricKey
    let vault: Vault
    let clock: any WallClock
    let ring: KeyRing
    /// The tenants' configuration in the database; nil when there is none and servers use `--config`.
    let document: TenantDocument?
    /// The current tenants: the document, otherwise `--config`, otherwise the development tenant; nil when the document
    /// is invalid.
    let directory: TenantDirectory?
    /// The tenants of the directory, or the one of `--tenant`.
    let tenants: [Tenant]
    let now: Date
    /// Whether one transaction writes at a time.
    let isSQLite: Bool
}
