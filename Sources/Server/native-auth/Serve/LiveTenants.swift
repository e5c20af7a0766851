import IdentityEngine
import IdentityStoreSQL
import Logging
import NativeAuthCore
import ServiceLifecycle
import Synchronization

/// The current tenants: those of the database's document if there is one, otherwise those of `--config`.
final class LiveTenants: ClientStore {
    private let state: Mutex<(directory: TenantDirectory, version: Int)>
    /// Warnings for the operator about the tenants at the start, one sentence each.
    let warnings: [String]

    /// - Throws: ``ServeSettings/Invalid`` when the document in the database is invalid.
    init(_ settings: ServeSettings, _ document: TenantDocument?) throws(ServeSettings.Invalid) {
        let file = try document.map { document throws(ServeSettings.Invalid) in try document.file() }
        state = Mutex((file?.directory ?? settings.directory, document?.version ?? 0))
        warnings = file?.warnings ?? settings.tenantWarnings
    }

    /// The tenants at this moment.
    var directory: TenantDirectory { state.withLock { $0.directory } }
    /// The version of the document; 0 when there is none.
    var version: Int { state.withLock { $0.version } }

    func tenant(named name: String) async throws(StoreError) -> Tenant? {
        try await directory.tenant(named: name)
    }

    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
        try await directory.client(id, in: tenant)
    }

    func applications(of tenant: TenantID) async throws(StoreError) -> [Client] {
        try await directory.applications(of: tenant)
    }

    func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
        try await directory.daemon(id, in: tenant)
    }

    func daemons(of tenant: TenantID) async throws(StoreError) -> [Daemon] {
        try await directory.daemons(of: tenant)
    }

    /// Adopts a newer document; an invalid one changes nothing.
    ///
    /// - Throws: ``ServeSettings/Invalid``; the same document is not read again.
    fileprivate func take(_ document: TenantDocument) throws(ServeSettings.Invalid) {
        state.withLock { $0.version = max($0.version, document.version) }
        let directory = try document.file().directory
        state.withLock { $0.directory = directory }
    }
}

extension TenantDocument {
    func file() throws(ServeSettings.Invalid) -> TenantFile {
        try TenantFile(text, named: "tenant document \(version)")
    }
}

/// Looks for a newer document every two seconds, so that all servers of a database have it within five.
struct TenantWatch: Service {
    let tenants: LiveTenants
    let store: any SQLStore
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimer(seconds: 2).cancelOnGracefulShutdown() {
            do {
                guard let document = try await store.tenantDocument(newerThan: tenants.version) else { continue }
                let version: Logger.MetadataValue = .stringConvertible(document.version)
                do {
                    try tenants.take(document)
                    logger.notice("tenant document taken over", metadata: ["version": version])
                } catch {
                    logger.error(
                        "tenant document not understood; the one before stays in force",
                        metadata: ["version": version, "problems": "\(error.problems.joined(separator: " "))"])
                }
            } catch {
                logger.error("the tenant document could not be looked for", metadata: ["cause": "\(error.logText)"])
            }
        }
    }
}
