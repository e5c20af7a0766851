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

/// Where signing keys lie: the options that `native-auth key` shares with `serve`.
struct KeyPlace: ParsableArguments {
    @Option(help: "Folder with database and master key (default: ./.native-auth).") var data: String?
    @Option(help: "Database: sqlite:PATH (default: identity.sqlite in the data folder).") var database: String?
    @Option(help: "Tenant file, YAML (default: the development tenant).") var config: String?
    @Option(help: "One tenant: its id, domain or subdomain (default: all of them).") var tenant: String?

    /// Opens the database for `work` and closes it afterwards; tells what goes wrong, a sentence each, with the exit
    /// code for it.
    func open(_ work: (OpenedKeys) async throws -> Void) async throws {
        do {
            let (store, keys) = try await opened()
            let result: Result<Void, any Error>
            do {
                result = .success(try await work(keys))
            } catch {
                result = .failure(error)
            }
            try await store.close()
            try result.get()
        } catch {
            let failure = Self.failure(error)
            for sentence in failure.sentences { Terminal.complain("native-auth: \(sentence)") }
            throw ExitCode(failure.exitCode)
        }
    }

    private func opened() async throws -> (SQLiteStore, OpenedKeys) {
        let settings = try settings()
        let path = settings.databasePath ?? settings.dataFolder + "/identity.sqlite"
        // Nothing is made here: a key in a new database by mistake would sign nothing and explain nothing.
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
        return (
            store,
            OpenedKeys(
                ring: KeyRing(store: store, vault: vault, clock: clock, randomness: randomness),
                tenants: tenants, now: clock.now)
        )
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
        default: .inputOutput("The signing keys could not be read or written: \(type(of: error)).")
        }
    }
}

/// The keys of a database that is open.
struct OpenedKeys {
    let ring: KeyRing
    let tenants: [Tenant]
    let now: Date

    /// A line for each key: tenant, key id, algorithm, what it does, since or until when (RFC 3339, UTC).
    func printKeys(of tenant: Tenant) async throws {
        for key in try await ring.status(for: tenant.id, now: now) {
            let state =
                switch key.state {
                case .next: "next     from  \(key.activeFrom.formatted(.iso8601))"
                case .signing: "signing  since \(key.activeFrom.formatted(.iso8601))"
                case .retired(let end): "retired  until \(end.formatted(.iso8601))"
                }
            say("\(tenant.subdomain)  \(key.kid)  \(key.algorithm.rawValue)  \(state)")
        }
    }
}
